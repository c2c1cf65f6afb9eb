#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# Equations that code cites by a tag, such as (RNE-1), stand in the theory with that tag.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tag='([A-Z]\{2,5\}-[0-9]\{1,\})'

# the theory closes an equation by `$$ (RNE-1)`
grep -rho "\$\$ *$tag *\$" docs/theory | grep -o "$tag" | sort >"$work/defined" || true
grep -rho --include='*.[ch]' "$tag" include src cli test | sort -u >"$work/cited" || true
if [ ! -s "$work/defined" ]; then
    echo "no tagged equation in docs/theory: skipped"
    exit 77
fi
uniq -d "$work/defined" >"$work/twice"
comm -23 "$work/cited" "$work/defined" >"$work/missing"
if [ -s "$work/missing" ] || [ -s "$work/twice" ]; then
    echo "cited but not in docs/theory: $(tr '\n' ' ' <"$work/missing")"
    echo "defined twice: $(tr '\n' ' ' <"$work/twice")"
    exit 1
fi
echo "$(wc -l <"$work/cited") equations cited, $(wc -l <"$work/defined") defined"
