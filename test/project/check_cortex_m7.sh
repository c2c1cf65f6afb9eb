#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# check_cortex_m7.sh OUTDIR WARNINGS SOURCE...: the core compiles, without a warning, for a
# microcontroller that has double-precision arithmetic and no operating system.
set -eu
out=$1 warnings=$2
shift 2
if ! command -v arm-none-eabi-gcc >/dev/null; then
    echo "no arm-none-eabi-gcc here: skipped"
    exit 77
fi
rm -rf "$out"
mkdir -p "$out"
failed=0
for source in "$@"; do
    object=$(echo "$source" | tr '/' '_').o
    # $warnings is a list
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -std=c17 -O2 -DNDEBUG -ffp-contract=off $warnings -Werror \
        -mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard \
        -Iinclude -Isrc -c "$source" -o "$out/$object" || failed=1
done
[ $failed -eq 0 ] || exit 1
echo "$# files"
arm-none-eabi-size -t "$out"/*.o | tail -n 1 | awk '{print $1 " bytes of code"}'
