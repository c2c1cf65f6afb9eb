#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# The model and the C code that the README shows stand word for word in examples/, which are tested.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# block LANGUAGE: the first fenced block of that language
block() {
    awk -v fence="^\`\`\`$1\$" '/^```$/ && inside {exit} inside {print} $0 ~ fence {inside = 1}' \
        README.md
}
fail() {
    echo "README.md: $*"
    exit 1
}

block yaml >"$work/yaml"
# the line that tells editors where the schema is stays in the file
sed '/^# yaml-language-server/d' examples/double_pendulum.yaml >"$work/model"
diff "$work/yaml" "$work/model" || fail "the model is not examples/double_pendulum.yaml"

# the code, up to indentation
block c | sed -e 's/^ *//' -e '/^$/d' | tr '\n' ' ' >"$work/c"
sed -e 's/^ *//' -e '/^$/d' examples/pendulum.c | tr '\n' ' ' >"$work/example"
[ -s "$work/c" ] || fail "no C code"
awk 'NR == FNR {part = $0; next} {exit index($0, part) ? 0 : 1}' "$work/c" "$work/example" ||
    fail "the C code is not a part of examples/pendulum.c"
