#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# Limber beside other engines (make bench).
#
#     run.sh BUILD
#
# BUILD     a build of the project, with the target bench-peers made
# ROBOTS    folder of URDFs; an arm and a humanoid of our own if not set
# FLOATING  names of robots that are not fixed to the ground
# RESULTS   folder for peers.csv, peers.svg and peers.txt; BUILD/bench if not set
# OTHER_CC  a second compiler for Limber, to see that little depends on it; clang if there is one
# ROUNDS, CHAINS
set -eu

build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
results=${RESULTS:-$build/bench}
other=${OTHER_CC-$(command -v clang || command -v clang-14 || true)}
mkdir -p "$results" "$build/bench/trees"

set -- --scratch "$build/bench/trees" --rounds "${ROUNDS:-60}" \
    --csv "$results/peers.csv" --plot "$results/peers.svg"
for name in ${FLOATING-anymal_b simple_humanoid humanoid}; do
    set -- "$@" --floating "$name"
done
for n in ${CHAINS-10 30 100 300 1000 3000 10000}; do
    set -- "$@" --chain "$n"
done

programs=$build/bench/peers
set -- "$@" --peer "$programs/peer_limber" --peer-with --portable "$programs/peer_limber"
if [ -x "$build/bench/bench_frozen" ]; then
    set -- "$@" --peer-with --frozen "$programs/peer_limber"
fi
if [ -n "$other" ]; then
    cmake -S "$source" -B "$build/bench/other" -DCMAKE_C_COMPILER="$other" >"$build/bench/other.log"
    cmake --build "$build/bench/other" --target peer_limber >>"$build/bench/other.log"
    set -- "$@" --peer "$build/bench/other/bench/peers/peer_limber"
fi
for name in mujoco simbody dart kdl rbdl pinocchio; do
    if [ -x "$programs/peer_$name" ]; then
        set -- "$@" --peer "$programs/peer_$name"
    fi
done
if [ -x "$programs/peer_mujoco" ]; then
    set -- "$@" --peer-with --dense "$programs/peer_mujoco"
fi

if [ -n "${ROBOTS:-}" ]; then
    # the ten flexible bodies are compared with the first robot: the Panda, where there is one
    for robot in "$ROBOTS"/panda.urdf "$ROBOTS"/*.urdf; do
        case " $* " in
        *" $robot "*) ;;
        *) [ -e "$robot" ] && set -- "$@" "$robot" ;;
        esac
    done
else
    set -- "$@" "$source/examples/arm.yaml" "$source/bench/models/humanoid.urdf"
fi

# a pipe would hide the exit code of the program
"$programs/bench_peers" "$@" >"$results/peers.txt" && code=0 || code=$?
cat "$results/peers.txt"
exit "$code"
