#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# check_abi.sh SOURCE WORK CC: programs that were built with the headers of a version work with the library as it is now,
# but with structs that are longer at their ends: that is what a later version may do. The programs check their own
# answers. They are the examples, with the headers as they are, and those of each released version that is kept in
# test/abi/VERSION: its headers in `include`, its examples beside it. Nothing that such a version exported may go.
set -eu
source=$1 work=$2 cc=$3
rm -rf "$work"
mkdir -p "$work/grown"
ln -s "$source/examples" "$work/examples" # programs read models there

# quiet COMMAND...: its output only if it fails
quiet() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log"
        echo "failed: $*"
        exit 1
    fi
}

for part in CMakeLists.txt LICENSE cmake cli include schema scenes src view viewer; do
    cp -r "$source/$part" "$work/grown"
done
python3 "$source/test/abi/grow.py" "$work/grown/include/limber"
quiet cmake -S "$work/grown" -B "$work/build" -DLB_BUILD_TESTS=OFF -DLB_BUILD_SHARED=ON -DLB_BUILD_VIEW=OFF \
    -DLB_BUILD_PYTHON=OFF \
    -DLB_AVX2=OFF -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0
quiet cmake --build "$work/build" --parallel 2 --target limber-shared limber-sim-shared

# run_programs VERSION HEADERS PROGRAM...
run_programs() {
    version=$1 headers=$2
    shift 2
    for program in "$@"; do
        [ -e "$program" ] || continue
        name=$(basename "$program" .c)
        quiet "$cc" -std=c17 -O1 -I"$headers" "$program" -o "$work/$name-$version" -L"$work/build" \
            -Wl,-rpath,"$work/build" -llimber-sim -llimber -lm
        (cd "$work" && quiet "./$name-$version")
        echo "$version: $name works with the longer structs"
    done
}

run_programs present "$source/include" "$source"/examples/*.c
for headers in "$source"/test/abi/*/include; do
    if [ ! -d "$headers" ]; then
        echo "no version has been released: there are no older headers to compare with"
        continue
    fi
    version=$(basename "$(dirname "$headers")")
    run_programs "$version" "$headers" "$source/test/abi/$version"/*.c
    # nothing that was exported has gone; the library for CUDA is not built here
    find "$headers/limber" -name '*.h' ! -name 'cuda*' -exec sed -n 's/^LB_API .*[ *]\(lb_[a-z0-9_]*\)(.*/\1/p' {} + | sort -u >"$work/promised"
    nm -D --defined-only "$work"/build/liblimber*.so | awk '{print $NF}' | sort -u >"$work/exported"
    if comm -23 "$work/promised" "$work/exported" | grep .; then
        echo "these functions of $version are gone"
        exit 1
    fi
    echo "$version: $(wc -l <"$work/promised") functions are still there"
done
