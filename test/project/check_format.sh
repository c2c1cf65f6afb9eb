#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# Every C file is laid out as .clang-format says. Versions differ, so only version 14 is asked.
set -eu
for tool in clang-format-14 clang-format; do
    if command -v $tool >/dev/null && $tool --version | grep -q 'version 14\.'; then
        find include src cli view test scenes bench examples -name '*.[ch]' -print0 |
            xargs -0 $tool --dry-run --Werror
        exit 0
    fi
done
echo "no clang-format 14 here: skipped"
exit 77
