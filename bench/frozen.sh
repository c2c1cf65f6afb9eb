#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# Frozen models beside the engine (make bench).
#
#     frozen.sh BUILD
#
# BUILD     a build of the project with bench_frozen
# ROBOTS    folder of URDFs; the humanoid of bench/models and an arm of the examples if not set
# FLOATING  names of robots that are not fixed to the ground
# BEAMS     models of ten beams of five modes, whose files take most of a minute to compile: none if empty
# COMPILER  the C compiler with its options
# RESULTS   folder for frozen.csv; BUILD/bench if not set
set -eu
build=$1
source=$(cd "$(dirname "$0")/.." && pwd)
set -- --csv "${RESULTS:-$build/bench}/frozen.csv" --compiler "${COMPILER:-cc -std=c99 -O3 -march=native -ffp-contract=fast}"
for robot in ${ROBOTS:+"$ROBOTS"/*.urdf} "$source/bench/models/humanoid.urdf" "$source/examples/iiwa.yaml"; do
    floating=
    for name in ${FLOATING-anymal_b simple_humanoid humanoid}; do
        if [ "$(basename "$robot")" = "$name.urdf" ]; then
            floating=--floating
        fi
    done
    set -- "$@" ${floating:+"$floating"} "$robot" ${floating:+"$floating"} --vector "$robot" \
        ${floating:+"$floating"} --batch "$robot"
done
# shellcheck disable=SC2086
"$build/bench/bench_frozen" "$@" four-bar ${BEAMS-beams:ruthless beams:consistent}
