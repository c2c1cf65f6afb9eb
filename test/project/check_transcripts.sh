#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# check_transcripts.sh LIMBER FILE...: commands print what the README and the guide say they print.
# Looked at are fenced `console` blocks that run build/limber: one command after `$ `, continued
# after `> `, then its output.
set -eu
# trees are drawn with box characters where the locale has them
export LC_ALL=C.UTF-8
limber=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# every block into a file of its own, which starts with a line saying where it stood
awk -v work="$work" '
    /^```$/ && out {close(out); out = ""}
    out {print >out}
    /^```console$/ {out = sprintf("%s/%03d.block", work, ++count); print FILENAME ":" FNR >out}
' "$@"

# words FILE: one a line, without the punctuation of JSON
words() {
    tr -s ' ,[]{}:' '\n' <"$1" | sed '/^$/d'
}

count=0 failed=0
for block in "$work"/*.block; do
    grep -q '^[$>] .*build/limber' "$block" || continue
    where=$(head -n 1 "$block")
    sed -n 's/^[$>] //p' "$block" | sed "s#build/limber#$limber#" >"$work/command"
    sed -e 1d -e '/^[$>] /d' "$block" >"$work/expected"
    if ! sh "$work/command" >"$work/actual" 2>&1; then
        echo "$where: the command failed:"
        cat "$work/actual"
        failed=1
        continue
    fi
    words "$work/expected" >"$work/expected.words"
    words "$work/actual" >"$work/actual.words"
    # numbers to 1e-12: libm may differ in the last digit
    paste "$work/expected.words" "$work/actual.words" | awk -F '\t' -v where="$where" '
        $1 == $2 {next}
        $1 + 0 != 0 && ($1 - $2) ^ 2 <= 1e-24 * $1 ^ 2 {next}
        {print where ": shown: " $1 ", printed: " $2; bad = 1}
        END {exit bad}' || failed=1
    count=$((count + 1))
done
echo "$count transcripts"
[ $count -gt 0 ] && [ $failed -eq 0 ]
