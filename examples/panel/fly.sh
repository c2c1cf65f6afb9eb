#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# fly.sh LIMBER FIGURE: imports the panel, runs slew.yaml and plots how the tips of both panels move. From the top of
# the project:
#
#     examples/panel/fly.sh build/limber docs/guide/figures/panel-slew.png
set -eu
limber=$1
figure=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$limber" import test/data/fe/calculix/panel.* --units mm,t,s --clamp 9001 --nodes root=9001,tip=101 --modes 8 \
    -o "$work/panel.flex"
cp examples/panel/slew.yaml "$work"
"$limber" run "$work/slew.yaml" -o "$work/slew.h5"
"$limber" plot "$work/slew.h5" tip_panel tip_beam difference -o "$figure" --title "deflection of the tips, m" \
    --height 70 --dpi 130 --model "$work/slew.yaml"
