#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# sweep.sh LIMBER: the sweep of the guide's page on Monte Carlo, its statistics and its figures. Run in the root of
# the sources.
set -eu
plan=examples/sweep/slew_plan.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$1" sweep $plan --folder "$work/slew.sweep"
"$1" sweep statistics $plan --folder "$work/slew.sweep"
"$1" sweep figure $plan --folder "$work/slew.sweep" --of swing -o docs/guide/figures/sweep-histogram.svg
"$1" sweep figure $plan --folder "$work/slew.sweep" --of swing --against wall -o docs/guide/figures/sweep-scatter.svg
