#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# check_headers.sh STANDARD COMPILER: each public header compiles on its own, first and only.
set -eu
standard=$1 compiler=$2
case $standard in
c++*) language=c++ ;;
*) language=c ;;
esac
if ! command -v "$compiler" >/dev/null; then
    echo "no $compiler here: skipped"
    exit 77
fi
failed=0 count=0
for header in include/limber/*.h; do
    count=$((count + 1))
    # twice, for the include guard; the last line since C wants at least one declaration
    printf '#include "%s"\n#include "%s"\ntypedef int declared;\n' "$header" "$header" |
        "$compiler" -std="$standard" -x $language -I. -Iinclude -Wall -Wextra -Wpedantic -Wshadow \
            -Wconversion -Werror -fsyntax-only - || {
        echo "$header does not compile alone as $standard"
        failed=1
    }
done
echo "$count headers as $standard"
exit $failed
