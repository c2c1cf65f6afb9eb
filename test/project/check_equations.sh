#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# docs/theory and the sources belong together: every equation tag that is cited, such as (RNE-1), is
# defined exactly once in docs/theory, and every tag defined there is cited by the library, the command or what tests share. The table in
# docs/theory/index.md lists each chapter with its rooms, and paths that the manual names exist.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tag='[A-Z]{2,5}-[0-9]+'
failed=0

# complain SENTENCE FILE: fails if the file has lines
complain() {
    if [ -s "$2" ]; then
        echo "$1:"
        sed 's/^/    /' "$2"
        failed=1
    fi
}

# ---- what is defined: an equation of the theory is closed by `$$ (RNE-1)` ------------------------

grep -hE '^\$\$ *\(' docs/theory/*.md | sed -E 's/^\$\$ *\((.*)\) *$/\1/' | sort >"$work/labels"
grep -xE "$tag" "$work/labels" | uniq >"$work/defined" || true
grep -vxE "$tag" "$work/labels" >"$work/odd" || true
uniq -d "$work/labels" >"$work/twice"

# ---- what is cited -------------------------------------------------------------------------------

# find_tags FOLDER...: tags in parentheses; any others too, if their letters are those of the theory
letters=$(sed 's/-.*//' "$work/defined" | sort -u | paste -sd '|')
find_tags() {
    grep -rhIoE "\($tag\)|\b($letters)-[0-9]+\b" "$@" | tr -d '()' | sort -u
}
find_tags include src cli view test/support >"$work/used"
find_tags include src cli view test scenes bench examples docs/guide >"$work/cited"
grep -rhoE '\{eq\}`[^`]*`' docs --include='*.md' | sed -E 's/^\{eq\}`(.*)`$/\1/' |
    sort -u >"$work/references"

comm -23 "$work/cited" "$work/defined" >"$work/missing"
comm -23 "$work/references" "$work/defined" >"$work/unresolved"
comm -13 "$work/used" "$work/defined" >"$work/idle"

# ---- chapters and paths --------------------------------------------------------------------------

for chapter in docs/theory/*.md; do
    name=$(basename "$chapter")
    if [ "$name" != index.md ] &&
        ! grep -qE "^\| \[[^]]*\]\($name\) \| [^|]*\`src/" docs/theory/index.md; then
        echo "$chapter"
    fi
done >"$work/unlisted"

# paths in backticks from the top of the project; stars are patterns
for page in CONTRIBUTING.md docs/development/*.md docs/theory/*.md docs/guide/*.md; do
    grep -oE '`(src|include|cli|view|test|scenes|bench|examples|viewer|schema|cmake|docs)/[^` <]*`' "$page" |
        tr -d '`' | sort -u | while read -r path; do
        ls -d $path >/dev/null 2>&1 || echo "$page: $path"
    done
done >"$work/gone"

complain "no tag of 2 to 5 capitals and a number in docs/theory" "$work/odd"
complain "defined twice in docs/theory" "$work/twice"
complain "cited but not defined in docs/theory" "$work/missing"
complain "{eq} to an equation that is not in docs/theory" "$work/unresolved"
complain "defined in docs/theory but cited nowhere in include, src, cli, view and test/support" "$work/idle"
complain "no row with a room, \`src/...\`, in docs/theory/index.md for" "$work/unlisted"
complain "named in the manual, but there is no such file" "$work/gone"

# empty lists would mean that nothing was looked at
for list in defined used references; do
    [ -s "$work/$list" ] || { echo "found nothing that is $list"; failed=1; }
done
echo "$(wc -l <"$work/defined") equations, $(wc -l <"$work/cited") cited"
exit $failed
