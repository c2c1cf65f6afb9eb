#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# The committed page of the viewer was made from these sources and this lock file: it carries their
# hash, which is taken again here as viewer/bundle.mjs takes it.
set -eu
cd viewer
said=$(sed -n 's/.*<meta name="limber-sources" content="\([0-9a-f]*\)".*/\1/p' dist/viewer.html)
found=$(
    for file in $(ls bundle.mjs index.html package-lock.json package.json src/* tsconfig.json \
        vite.config.mjs | LC_ALL=C sort); do
        printf '%s\n' "$file"
        cat "$file"
    done | sha256sum | cut -d ' ' -f 1
)
if [ "$said" != "$found" ]; then
    echo "viewer/dist/viewer.html was made from other sources ($said, these are $found):"
    echo "npm ci && npm run build in viewer/"
    exit 1
fi
grep -q 'Content-Security-Policy' dist/viewer.html
