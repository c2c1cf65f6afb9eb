#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# Equations that comments cite by a tag, such as (RNE-1), stand in docs/theory with that tag, once;
# and every tag that stands there is cited by the library. Run from anywhere.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tag='([A-Z]\{3\}-[0-9]\{1,2\})'

# the theory closes an equation by `$$ (RNE-1)`
cat docs/theory/*.md | grep -o "^\$\$ *$tag *\$" | grep -o "$tag" | sort >"$work/defined"
find include src -name '*.[ch]' -exec grep -ho "$tag" {} + | sort -u >"$work/used"
find cli test scenes bench examples -name '*.[ch]' -exec grep -ho "$tag" {} + |
    sort -u - "$work/used" >"$work/cited"

# empty lists would mean that nothing was looked at
[ -s "$work/defined" ] || { echo "no tagged equation in docs/theory"; exit 1; }
[ -s "$work/used" ] || { echo "no tag in include and src"; exit 1; }

# complain SENTENCE FILE: fails if the file has lines
failed=0
complain() {
    if [ -s "$2" ]; then
        echo "$1: $(tr '\n' ' ' <"$2")"
        failed=1
    fi
}
uniq -d "$work/defined" >"$work/twice"
sort -u "$work/defined" >"$work/once"
comm -23 "$work/cited" "$work/once" >"$work/missing"
comm -13 "$work/used" "$work/once" >"$work/idle"
complain "stand twice in docs/theory" "$work/twice"
complain "cited by code but not in docs/theory" "$work/missing"
complain "in docs/theory but cited nowhere in include and src" "$work/idle"
echo "$(wc -l <"$work/once") equations, $(wc -l <"$work/cited") tags cited"
exit $failed
