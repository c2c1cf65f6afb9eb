#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# check_docs.sh OUTDIR: the manual builds without a warning. Interactive pages are linked where there are any, all links inside
# lead somewhere, and tables of speed have the numbers of the benchmark.
set -eu
python3 docs/speeds.py --check
for tool in sphinx-build doxygen; do
    if ! command -v "$tool" >/dev/null; then
        echo "no $tool here: skipped"
        exit 77
    fi
done
if ! /usr/bin/python3 -c 'import furo' 2>/dev/null || [ ! -e /usr/share/javascript/mathjax/MathJax.js ]; then
    echo "no furo or no MathJax here: skipped"
    exit 77
fi
mkdir -p "$1/gallery/live"
echo "a page" >"$1/gallery/live/chain.html"
rm -f "$1/gallery/live/arm.html"
if ! sphinx-build -W --keep-going -q -E -b html docs "$1" 2>"$1.log"; then
    cat "$1.log"
    # sphinx without the Markdown reader or Breathe is as good as no sphinx
    if grep -q 'Could not import extension \(myst_parser\|breathe\)' "$1.log"; then
        exit 77
    fi
    exit 1
fi
if ! grep -q 'href="live/chain.html"' "$1/gallery/chain.html" || grep -q 'href="live/' "$1/gallery/arm.html"; then
    echo "gallery: a link to an interactive page is missing, or leads nowhere"
    exit 1
fi
if ! grep -q '(1\.00)' "$1/guide/comparison.html"; then
    echo "guide/comparison.md: no speeds"
    exit 1
fi
python3 test/project/check_links.py "$1"
if grep -q '^import' "$1/_static/scripts/furo.js"; then
    echo "the script of the theme imports another, which browsers refuse to do for pages from disk"
    exit 1
fi
# those are filled by Sphinx, and these pages are installed as they are
if grep -n '{{' docs/guide/*.md docs/theory/*.md; then
    echo "a page that is installed has a substitution"
    exit 1
fi
