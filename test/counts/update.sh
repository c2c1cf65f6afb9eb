#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# update.sh COUNTS SOURCE [check]: writes the tables of docs/theory/cost.md, between the two marks,
# and docs/theory/figures/cost.svg; with `check`, only says whether they are up to date.
set -eu
counts=$1
docs=$2/docs/theory
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$counts" --tables >"$work/tables"
"$counts" --figure >"$work/cost.svg"
awk -v tables="$work/tables" '
    /<!-- counts: end -->/ { print ""; skip = 0 }
    !skip { print }
    /<!-- counts: begin/ {
        skip = 1
        print ""
        while ((getline line < tables) > 0) print line
    }' "$docs/cost.md" >"$work/cost.md"

if [ "${3:-}" = check ]; then
    if ! cmp -s "$work/cost.md" "$docs/cost.md" || ! cmp -s "$work/cost.svg" "$docs/figures/cost.svg"; then
        diff "$docs/cost.md" "$work/cost.md" || true
        echo "docs/theory/cost.md or figures/cost.svg is out of date: cmake --build build --target counts-docs"
        exit 1
    fi
    exit 0
fi
mkdir -p "$docs/figures"
cp "$work/cost.md" "$docs/cost.md"
cp "$work/cost.svg" "$docs/figures/cost.svg"
