#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# check_abi.sh SOURCE WORK CC: programs that were built with the kept headers of a version, test/abi/VERSION,
# work with the library as it is now, and with one whose structs are longer at their ends: that is what
# a later version may do. The programs check their own answers.
set -eu
source=$1 work=$2 cc=$3
rm -rf "$work"
mkdir -p "$work/grown"

# quiet COMMAND...: its output only if it fails
quiet() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log"
        echo "failed: $*"
        exit 1
    fi
}

for part in CMakeLists.txt LICENSE cmake cli include schema scenes src viewer; do
    cp -r "$source/$part" "$work/grown"
done
python3 "$source/test/abi/grow.py" "$work/grown/include/limber"
quiet cmake -S "$work/grown" -B "$work/build" -DLB_BUILD_TESTS=OFF -DLB_BUILD_SHARED=ON -DLB_BUILD_VIEW=OFF \
    -DLB_BUILD_PYTHON=OFF \
    -DLB_AVX2=OFF -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0
libraries="limber-shared limber-openmp-shared limber-flex-shared limber-io-shared limber-sim-shared"
# shellcheck disable=SC2086
quiet cmake --build "$work/build" --parallel 2 --target $libraries

for kept in "$source"/test/abi/[0-9]*; do
    version=$(basename "$kept")
    for program in "$kept"/*.c; do
        name=$(basename "$program" .c)
        quiet "$cc" -std=c17 -O1 -I"$kept/include" "$program" -o "$work/$name-$version" \
            -L"$work/build" -Wl,-rpath,"$work/build" -llimber-sim -llimber-io -llimber-flex -llimber -lm
        (cd "$work" && quiet "./$name-$version")
        tail -n 3 "$work/log"
    done
    # nothing that was exported has gone
    sed -n 's/^LB_API .*[ *]\(lb_[a-z0-9_]*\)(.*/\1/p' "$kept"/include/limber/*.h | sort -u >"$work/promised"
    nm -D --defined-only "$work"/build/liblimber*.so | awk '{print $NF}' | sort -u >"$work/exported"
    if comm -23 "$work/promised" "$work/exported" | grep .; then
        echo "these functions of $version are gone"
        exit 1
    fi
    echo "$version: $(wc -l <"$work/promised") functions are still there"
done
