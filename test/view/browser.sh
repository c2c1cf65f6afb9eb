#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# browser.sh LIMBER WORK [SCRIPT WORD...]: pages that `limber view` makes, in a real browser; SCRIPT of viewer/test is run.mjs,
# the tests, unless it is named. Skipped where there is no Node, no Chromium, or no way to get playwright-core.
set -eu
limber=$1 work=$2 script=${3:-run.mjs}
shift $(($# < 3 ? $# : 3))
skip() {
    echo "$*: skipped"
    exit 77
}
command -v node >/dev/null || skip "no node here"
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 18 ] || skip "node $major, 18 is the oldest"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
[ -n "$CHROMIUM" ] || skip "no chromium here"
export CHROMIUM

# what the tests need is put beside the build, the sources stay clean
mkdir -p "$work"
cp -r viewer/test/*.mjs viewer/test/pictures viewer/test/package.json viewer/test/package-lock.json "$work"
(cd "$work" && node install.mjs) || exit $?
node "$work/$script" "$limber" "$work" "$@"
