#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# check_hardened.sh READELF FLAGS COMMAND HOT LIBRARY...: the command is position independent, its
# tables are read-only before it starts, its stack holds no code, and its functions and those of each
# LIBRARY check their stack. The object files that the file HOT lists do not: they are evaluated often.
# Where the compiler's FLAGS say so (it needs its optimiser), copies are checked as well.
set -eu
readelf=$1 flags=$2 command=$3 hot=$4
shift 4
failed=0

# expect WHAT PATTERN OPTION FILE: WHAT is missing unless readelf OPTION FILE shows PATTERN
expect() {
    if ! "$readelf" -W "$3" "$4" 2>/dev/null | grep -Eq "$2"; then
        echo "$4: no $1"
        failed=1
    fi
}

expect "position-independent code (PIE)" 'Type:.*DYN' -h "$command"
expect "position-independent code (PIE)" 'FLAGS_1.*PIE' -d "$command"
expect "read-only relocations (RELRO)" 'GNU_RELRO' -l "$command"
expect "binding before the start (BIND_NOW)" 'BIND_NOW|FLAGS_1.*NOW' -d "$command"
expect "stack without code" 'GNU_STACK.* RW ' -l "$command"
expect "canaries on the stack" 'UND __stack_chk_fail' -s "$command"
for library in "$@"; do
    expect "canaries on the stack" 'UND __stack_chk_fail' -s "$library"
done
case $flags in
*-D_FORTIFY_SOURCE*)
    expect "checked copies (_FORTIFY_SOURCE)" 'UND __[a-z]+_chk' -s "$command"
    ;;
esac
count=0
while read -r object; do
    count=$((count + 1))
    if "$readelf" -W -s "$object" | grep -q __stack_chk_fail; then
        echo "$object: canaries on the stack, in code that is called in every evaluation"
        failed=1
    fi
done <"$hot"
if [ $count -eq 0 ]; then
    echo "$hot lists no object files: nothing was looked at"
    failed=1
fi
exit $failed
