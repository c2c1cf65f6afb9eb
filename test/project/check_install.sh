#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# check_install.sh BUILD WORK: what is installed works where it is, without the source: the command, its examples,
# schema, guide and pages for man.
set -eu
build=$1 work=$2
unset DESTDIR || true
rm -rf "$work"
mkdir -p "$work/first"

fail() {
    echo "install: $*"
    exit 1
}
for component in cli doc; do
    cmake --install "$build" --component "$component" --prefix "$work/first" >"$work/log" 2>&1 || {
        cat "$work/log"
        fail "component $component"
    }
done
# it may be moved as a whole
mv "$work/first" "$work/moved"
prefix=$work/moved
limber=$prefix/bin/limber
for file in share/man/man1/limber.1 share/man/man1/limber-check.1 share/doc/limber/README.md \
    share/doc/limber/guide/command-line.md share/doc/limber/theory/index.md \
    share/limber/schema/limber-model-1.json share/limber/examples/parts/parts.yaml; do
    [ -s "$prefix/$file" ] || fail "$file is not installed"
done

mkdir "$work/play"
cd "$work/play"
"$limber" examples >list
grep -q '^chain  ' list || fail "limber examples does not list chain"
"$limber" examples chain spinning_frame >/dev/null
head -n 1 chain.yaml | grep -q "schema=.*/moved/share/limber/schema/limber-model-1.json" ||
    fail "a copied example does not name the installed schema"
"$limber" check chain.yaml spinning_frame.yaml >/dev/null

# one page for each command, and nothing that troff complains of
for command in $("$limber" help --man | sed -n 's/^limber-\([a-z]*\)(1).*/\1/p'); do
    page=$prefix/share/man/man1/limber-$command.1
    [ -s "$page" ] || fail "limber-$command.1 is not installed"
    "$limber" help "$command" --man | cmp -s - "$page" || fail "limber-$command.1 is not what the command prints"
done
if command -v groff >/dev/null; then
    said=$(groff -man -ww -z -Tutf8 "$prefix"/share/man/man1/*.1 2>&1)
    [ -z "$said" ] || fail "groff: $said"
elif command -v mandoc >/dev/null; then
    mandoc -T lint -W error "$prefix"/share/man/man1/*.1
fi
echo "examples, schema, guide and pages for man are installed"
