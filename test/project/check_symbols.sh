#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# check_symbols.sh NM LIBRARY ALLOWED [SYMBOL]: the core may need nothing from outside but what is
# listed, so that it prints nothing, never exits, and runs where there is hardly a C library.
# SYMBOL is allowed as well.
set -eu
nm=$1 library=$2 allowed=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "file: value type name" or "file: type name"; weak ones count as well
"$nm" -A --undefined-only "$library" | awk '{print $NF}' | sort -u >"$work/undefined"
"$nm" -A --defined-only "$library" | awk '{print $NF}' | sort -u >"$work/defined"
{
    sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$allowed"
    echo "${4-}"
} | sort -u >"$work/allowed"

# an empty list would mean that nothing was looked at: the core uses sin at the very least
if ! grep -q '^sin' "$work/undefined"; then
    echo "$library: no reference to sin; is this the core library?"
    exit 1
fi
comm -23 "$work/undefined" "$work/defined" | comm -23 - "$work/allowed" >"$work/surplus"
if [ -s "$work/surplus" ]; then
    echo "$library needs symbols that are not in $allowed:"
    while read -r symbol; do
        "$nm" -A --undefined-only "$library" | grep -w -- "$symbol"
    done <"$work/surplus"
    exit 1
fi
echo "$(wc -l <"$work/undefined") undefined symbols, all defined inside or allowed"
