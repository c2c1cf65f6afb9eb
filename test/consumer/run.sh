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
        share/limber/schema share/limber/examples/double_pendulum.yaml share/bash-completion/completions/limber; do
        [ -e "$1/$file" ] || fail "$file is not installed"
    done
    run "$1/bin/limber" --version
}

# by_cmake PREFIX KIND COMPONENTS PROGRAM...
by_cmake() {
    prefix=$1 kind=$2 components=$3
    shift 3
    rm -rf "$work/fp"
    quiet cmake -S "$here/find_package" -B "$work/fp" -DCMAKE_PREFIX_PATH="$prefix" -DKIND="$kind" \
        -DCOMPONENTS="$components" -DPROGRAMS="$(echo "$*" | tr ' ' ';')" -DCMAKE_C_COMPILER="$cc"
    quiet cmake --build "$work/fp"
    for program in "$@"; do
        run "$work/fp/${program}_c"
        run "$work/fp/${program}_cxx"
    done
    echo "find_package(limber COMPONENTS $components) $kind: ok"
}

# by_pkg_config PREFIX FLAG PROGRAM...: FLAG is --static or empty
by_pkg_config() {
    PKG_CONFIG_PATH=$(dirname "$(find "$1" -name limber.pc)")
    LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
    flag=$2
    shift 2
    for program in "$@"; do
        module=limber-$program
        [ "$program" != core ] || module=limber
        # words, in which spaces of paths are quoted
        # shellcheck disable=SC2086
        words=$(pkg-config --cflags --libs $flag $module)
        eval "quiet \"\$cc\" -std=c17 \"\$here/$program.c\" -o \"\$work/${program}_c\" $words"
        eval "quiet c++ -std=c++17 \"\$here/$program.cpp\" -o \"\$work/${program}_cxx\" $words"
        run "$work/${program}_c"
        run "$work/${program}_cxx"
    done
    unset PKG_CONFIG_PATH LD_LIBRARY_PATH
    echo "pkg-config $flag: ok"
}

# ---- static -----------------------------------------------------------------------------------

quiet cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/static"
installed "$work/static"
by_cmake "$work/static" "" "" core sim
by_cmake "$work/static" "" "core;sim" core sim
by_pkg_config "$work/static" --static core sim
by_pkg_config "$work/static" "" core sim

# ---- Python -----------------------------------------------------------------------------------

# the module finds the library beside it, wherever both were moved to
module="$work/static/lib/python3/dist-packages"
[ -f "$module/limber/__init__.py" ] || fail "the Python module is not installed"
if /usr/bin/python3 -c 'import numpy' 2>"$work/log"; then
    run env -u LIMBER_LIBRARY PYTHONPATH="$module" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c "
import limber
assert limber._library.find_library().startswith('$module'), limber._library.find_library()
assert limber.load('$source/examples/double_pendulum.yaml').simulation().run(0.1).t[-1] == 0.1"
    echo "Python: ok"
else
    echo "no NumPy: the Python module is not tried"
fi

# ---- components --------------------------------------------------------------------------------

# list_files PREFIX...: what is installed there, without the library folder's name
list_files() {
    for prefix in "$@"; do
        (cd "$prefix" && find . -type f | sed -e 's#^\./##' -e 's#^lib64/#lib/#' \
            -e 's#^lib/[^/]*linux[^/]*/#lib/#')
    done | sort
}

# every file belongs to one component
for component in core sim cuda cli python doc; do
    quiet cmake --install "$build" --prefix "$work/part/$component" --component $component
done
list_files "$work/static" >"$work/whole"
list_files "$work/part/"* >"$work/parts"
diff "$work/whole" "$work/parts" || fail "the whole (<) and its components (>) differ"

# the core alone is complete, and only the core
config=$(basename "$(find "$work/part/core" -name 'limber-core-*.cmake')")
{
    for file in lib/cmake/limber/limber-config.cmake lib/cmake/limber/limber-config-version.cmake \
        lib/cmake/limber/limber-core.cmake "lib/cmake/limber/$config" lib/liblimber.a \
        lib/pkgconfig/limber.pc share/doc/limber/LICENSE; do
        echo "$file"
    done
    for name in assemble base batch build derivatives divide_and_conquer dynamics limber \
        loops model operators spatial status_list work; do
        echo "include/limber/$name.h"
    done
} | sort >"$work/expected"
list_files "$work/part/core" >"$work/core"
diff "$work/expected" "$work/core" || fail "expected (<) and installed (>) files of the core differ"
by_cmake "$work/part/core" "" "" core
by_cmake "$work/part/core" "" core core
by_pkg_config "$work/part/core" --static core

if cmake -S "$here/find_package" -B "$work/none" -DCMAKE_PREFIX_PATH="$work/part/core" \
    -DCOMPONENTS=sim >"$work/log" 2>&1 || ! grep -q 'limber::sim is not installed' "$work/log"; then
    cat "$work/log"
    fail "limber::sim was not refused, or without a reason"
fi

# ---- shared -----------------------------------------------------------------------------------

quiet cmake -S "$source" -B "$work/build" -DLB_BUILD_SHARED=ON -DLB_BUILD_TESTS=OFF \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$cc"
quiet cmake --build "$work/build" --parallel 2
quiet cmake --install "$work/build" --prefix "$work/shared"
by_cmake "$work/shared" -shared "core;sim" core sim
by_pkg_config "$work/shared" "" core sim
by_pkg_config "$work/shared" --static core sim

# what the headers of a component declare LB_API its library exports, and nothing else; the core also exports what the
# other libraries use of it, LB_INTERNAL in src
for component in core sim cuda; do
    quiet cmake --install "$work/build" --prefix "$work/share/$component" --component $component
    {
        cat "$work/share/$component/include/limber/"*.h | grep '^LB_API'
        [ $component != core ] || grep -rh '^LB_INTERNAL' "$source/src"
    } | grep -o 'lb_[a-z0-9_]*(' | tr -d '(' | sort -u >"$work/declared"
    find "$work/share/$component" -name 'liblimber*.so' -exec nm -D --defined-only {} + |
        awk 'NF == 3 {print $3}' | sort -u >"$work/exported"
    diff "$work/declared" "$work/exported" ||
        fail "$component: declared (<) and exported (>) functions differ"
    echo "$component: $(wc -l <"$work/exported") functions declared and exported"
done
