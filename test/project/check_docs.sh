#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# check_docs.sh OUTDIR: the manual builds without a warning.
set -eu
for tool in sphinx-build doxygen; do
    if ! command -v "$tool" >/dev/null; then
        echo "no $tool here: skipped"
        exit 77
    fi
done
if ! sphinx-build -W --keep-going -q -E -b html docs "$1" 2>"$1.log"; then
    cat "$1.log"
    # sphinx without the Markdown reader or Breathe is as good as no sphinx
    if grep -q 'Could not import extension \(myst_parser\|breathe\)' "$1.log"; then
        exit 77
    fi
    exit 1
fi
