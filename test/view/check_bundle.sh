#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# The committed page of the viewer was made from these sources and this lock file: it carries their
# hash, which is taken again here as viewer/bundle.mjs takes it. The parts of others that are in the page
# are kept beside our sources, with their licences and in the versions of the lock file.
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

# the script and the style in the page are those that its policy permits
if command -v python3 >/dev/null; then
    python3 - <<'END'
import base64, hashlib, re, sys

page = open("dist/viewer.html", encoding="utf-8", newline="").read()
for element in "script", "style":
    # the page's own comes first; its script may hold the words for both
    text = re.search(rf"<{element}>(.*?)</{element}>", page, re.DOTALL).group(1)
    found = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    if f"{element}-src 'sha256-{found}'" not in page:
        sys.exit(f"the {element} of viewer/dist/viewer.html is not the one that was put there")
END
fi

(cd third-party && sha256sum --quiet --check SHA256SUMS)
for package in three uplot; do
    version=$(sed -n 's/^ *"version": "\(.*\)",$/\1/p' third-party/$package/package.json)
    if ! grep -A 1 "\"node_modules/$package\": {" package-lock.json | grep -q "\"version\": \"$version\""; then
        echo "viewer/third-party has $package $version, the lock file another version"
        exit 1
    fi
    # its copyright is in the page and in the Debian packages
    holder=$(sed -n 's/^Copyright [^0-9]*//p' third-party/$package/LICENSE)
    for file in dist/viewer.html ../packaging/debian/copyright; do
        if ! grep -qF "${holder##*[0-9] }" "$file"; then
            echo "viewer/$file does not name the authors of $package: $holder"
            exit 1
        fi
    done
done
