#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# check_core_alone.sh SOURCE WORK CC: where nothing but a C compiler, CMake and cmocka can be found,
# the core is configured with LB_BUILD_SIM=OFF, builds, and passes its unit tests and examples.
set -eu
source=$1 work=$2 cc=$3
rm -rf "$work"
mkdir -p "$work/modules"
cp "$(pkg-config --variable=pcfiledir cmocka)/cmocka.pc" "$work/modules"
# pkg-config looks in no other folder, and CMake's own search is off for what has no module
export PKG_CONFIG_LIBDIR="$work/modules" CXX=none
unset PKG_CONFIG_PATH CMAKE_PREFIX_PATH || true
if pkg-config --exists jansson; then
    echo "jansson can still be found: this proves nothing"
    exit 1
fi

# quiet COMMAND...: its output only if it fails
quiet() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log"
        echo "failed: $*"
        exit 1
    fi
}
quiet cmake -S "$source" -B "$work/build" -DLB_BUILD_SIM=OFF -DLB_WERROR=ON -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DCMAKE_DISABLE_FIND_PACKAGE_SUNDIALS=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON
quiet cmake --build "$work/build" --parallel 2 --target fast
quiet ctest --test-dir "$work/build" --output-on-failure --no-tests=error \
    -L 'unit|examples'
grep 'tests passed' "$work/log"
