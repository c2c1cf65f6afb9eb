#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# run.sh SOURCE BUILD WORK CC: installs BUILD, and a build with shared libraries, into prefixes
# under WORK, moves them, and uses each as a stranger would, by find_package and by pkg-config.
set -eu
source=$1 build=$2 work=$3 cc=$4
here=$source/test/consumer
if ! command -v c++ >/dev/null; then
    echo "no c++ here: skipped"
    exit 77
fi

# a stranger knows nothing of our build
unset CFLAGS CXXFLAGS LDFLAGS CMAKE_PREFIX_PATH PKG_CONFIG_PATH DESTDIR || true
rm -rf "$work"
mkdir -p "$work"

fail() {
    echo "consumer: $*"
    exit 1
}
# quiet COMMAND...: its output only if it fails
quiet() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log"
        fail "failed: $*"
    fi
}
run() {
    "$@" || fail "$1 gave $?"
}

# installed PREFIX: everything that belongs there is there
installed() {
    for file in bin/limber include/limber/limber.h include/limber/io.h share/doc/limber/LICENSE \
        share/limber/schema share/bash-completion/completions/limber; do
        [ -e "$1/$file" ] || fail "$file is not installed"
    done
    run "$1/bin/limber" --version
}

# by_cmake PREFIX KIND COMPONENTS
by_cmake() {
    rm -rf "$work/fp"
    quiet cmake -S "$here/find_package" -B "$work/fp" -DCMAKE_PREFIX_PATH="$1" -DKIND="$2" \
        -DCOMPONENTS="$3" -DCMAKE_C_COMPILER="$cc"
    quiet cmake --build "$work/fp"
    for program in core_c core_cxx io_c io_cxx sim_c sim_cxx; do
        run "$work/fp/$program"
    done
    echo "find_package(limber COMPONENTS $3) limber::limber$2: ok"
}

# by_pkg_config PREFIX FLAG UNIT...: FLAG is --static or empty. Only the core is asked for with
# --static: it needs libm alone, where the static closure of libxml2 names archives that Debian's
# libxml2-dev does not bring.
by_pkg_config() {
    PKG_CONFIG_PATH=$(dirname "$(find "$1" -name limber.pc)")
    LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
    flag=$2
    shift 2
    for unit in "$@"; do
        name=${unit%:*} module=${unit#*:}
        # lists, on purpose
        # shellcheck disable=SC2086,SC2046
        quiet "$cc" -std=c17 "$here/$name.c" -o "$work/${name}_c" \
            $(pkg-config --cflags --libs $flag $module)
        # shellcheck disable=SC2086,SC2046
        quiet c++ -std=c++17 "$here/$name.cpp" -o "$work/${name}_cxx" \
            $(pkg-config --cflags --libs $flag $module)
        run "$work/${name}_c"
        run "$work/${name}_cxx"
    done
    unset PKG_CONFIG_PATH LD_LIBRARY_PATH
    echo "pkg-config $flag: ok"
}

# ---- static -----------------------------------------------------------------------------------

quiet cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/static"
installed "$work/static"
by_cmake "$work/static" "" ""
by_cmake "$work/static" "" "core;io;sim"
by_pkg_config "$work/static" --static core:limber
by_pkg_config "$work/static" "" core:limber io:limber-io sim:limber-sim

# ---- shared -----------------------------------------------------------------------------------

quiet cmake -S "$source" -B "$work/build" -DLB_BUILD_SHARED=ON -DLB_BUILD_TESTS=OFF \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$cc"
quiet cmake --build "$work/build" --parallel 2
quiet cmake --install "$work/build" --prefix "$work/shared"
by_cmake "$work/shared" -shared "core;io;sim"
by_pkg_config "$work/shared" "" core:limber io:limber-io sim:limber-sim

# what the headers declare LB_API is exported, and nothing else
cat "$work/shared/include/limber/"*.h | grep '^LB_API' | grep -o 'lb_[a-z0-9_]*(' | tr -d '(' |
    sort -u >"$work/declared"
find "$work/shared" -name 'liblimber*.so' -exec nm -D --defined-only {} + |
    awk 'NF == 3 {print $3}' | sort -u >"$work/exported"
diff "$work/declared" "$work/exported" || fail "declared (<) and exported (>) functions differ"
echo "$(wc -l <"$work/exported") functions declared and exported"
