#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# rebuild_viewer.sh WORK [MODULES]: makes the page of the viewer again, from viewer/src and viewer/third-party, in the
# folder WORK, and compares it with the committed one bit by bit. The compiler and the bundler come from the network by
# `npm ci`, or from MODULES, a node_modules folder that it filled before.
set -eu
cd "$(dirname "$0")/../viewer"
viewer=$PWD
work=$1
modules=${2:-}
rm -rf "$work"
mkdir -p "$work"
cp -r bundle.mjs index.html package.json package-lock.json src tsconfig.json vite.config.mjs "$work"
if [ -n "$modules" ]; then
    cp -r "$modules" "$work/node_modules"
fi
cd "$work"
if [ -z "$modules" ]; then
    npm ci
fi
# nothing of these two comes from elsewhere
for package in three uplot; do
    rm -r "node_modules/$package"
    cp -r "$viewer/third-party/$package" "node_modules/$package"
done
npm run build
cmp dist/viewer.html "$viewer/dist/viewer.html"
echo "viewer/dist/viewer.html is what its sources give"
