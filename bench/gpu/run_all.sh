#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# Everything about graphics processors that needs one: tests, oracles, compute-sanitizer, speeds.
#
#     run_all.sh [--quick | --kernels] BUILD OUT
#
# --quick  the tests of batches, then only what simulates with forces, sweeps, and is cut into several kernels: below two
#          minutes. batch.md then has these rows alone
# --kernels  the tests of batches, then only forward dynamics as it is written and by tables: below a minute
# BUILD   a build of the project: bench/bench_cuda, bench/bench_cuda_run, bench/bench_cuda_large, limber,
#         test/tests-freeze, test/tests-cross
# OUT     where batch.csv, batch.md and tests.txt go, and what run_large.sh writes
# SAMPLES of the sweep (1000)
# ROBOTS  folder of URDFs; the models of the project alone if not set
# LONG    steps of the simulation of a million arms (100000: ten seconds)
# OPERATIONS  arithmetic of one kernel, if not what the library chooses
set -u
quick=
kernels=
case $1 in
--quick)
    quick=yes
    shift
    ;;
--kernels)
    quick=yes
    kernels=yes
    shift
    ;;
esac
build=$1
out=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
table=$out/batch.csv
: >"$table"
: >"$out/tests.txt"
failed=0

# tests run side by side, each with a log of its own
tries=0
try() {
    tries=$((tries + 1))
    { echo "# $*"; timeout 100 "$@" && echo passed || echo "FAILED: $*"; } >"$out/try$tries.log" 2>&1 &
}
race() {
    timeout 100 "$build/bench/bench_cuda" ${OPERATIONS:+--operations "$OPERATIONS"} "$@" >>"$table" 2>>"$out/tests.txt" ||
        { failed=1; echo "FAILED: $*"; }
}

# the answers
try "$build/test/tests-freeze" --source "$source" test_cuda_batch
try "$build/test/tests-freeze" --source "$source" test_cuda_runs
if [ -z "$quick" ]; then
    try compute-sanitizer --tool racecheck --error-exitcode 9 \
        "$build/test/tests-cross" --source "$source" test_cuda_chain
    for tool in memcheck racecheck initcheck; do
        try compute-sanitizer --tool $tool --error-exitcode 9 \
            "$build/bench/bench_cuda" --count 1000 --functions forward,mass "$source/examples/iiwa.yaml"
    done
    try compute-sanitizer --error-exitcode 9 "$build/bench/bench_cuda" --simulate 256 2 "$source/examples/two_link_arm.yaml"
fi
[ -n "$kernels" ] ||
    try compute-sanitizer --error-exitcode 9 "$build/bench/bench_cuda_run" alpha 256 2 1e-3 "$source/examples/sweep/swing.yaml"

wait
cat "$out"/try*.log >"$out/tests.txt"
rm -f "$out"/try*.log
if grep FAILED "$out/tests.txt"; then
    failed=1
fi

# double-precision instructions of each kernel, for the bound: what the compiler of CUDA makes of the text
count() {
    name=$1
    shift
    if command -v nvcc >/dev/null && command -v cuobjdump >/dev/null; then
        "$build/bench/bench_cuda" ${OPERATIONS:+--operations "$OPERATIONS"} "$@" &&
            nvcc -arch=sm_90 -cubin -w "$out/$name.cu" -o "$out/$name.cubin" &&
            cuobjdump --dump-sass "$out/$name.cubin" |
            awk -v model="$name" '/Function : /{f = $3}
                /^ *\/\*[0-9a-f]+\*\/ /{all[f]++}
                /^ *\/\*[0-9a-f]+\*\/ .*[ \t]D(FMA|MUL|ADD|SETP)/{d[f]++}
                END {for (f in all) if (f ~ /_kernel$/) print "count," model "," substr(f, 7, length(f) - 13) "," d[f] "," all[f]}' |
            sed 's/_part[0-9]*,/,/' \
            >"$out/$name.count"
        rm -f "$out/$name.cu" "$out/$name.cubin"
    fi
}
each() { # NAME FUNCTIONS COUNT MODEL...
    name=$1
    functions=$2
    states=$3
    shift 3
    count "$name" --functions "$functions" --write "$out/$name.cu" "$@" &
    race --functions "$functions" --count "$states" "$@"
}
# forward dynamics as it is written, and by tables. Of loops, the instructions that are executed say more than those of the
# text: they are counted by Nsight Compute where it is installed
both() { # NAME COUNT MODEL
    each "$1 as written" forward "$2" --written "$3"
    race --functions forward --count "$2" --tables "$3"
    if command -v ncu >/dev/null; then
        ncu --csv --print-units base --launch-count 1 --metrics \
            smsp__sass_thread_inst_executed_op_dfma_pred_on.sum,smsp__sass_thread_inst_executed_op_dmul_pred_on.sum,smsp__sass_thread_inst_executed_op_dadd_pred_on.sum,smsp__sass_thread_inst_executed.sum \
            "$build/bench/bench_cuda" --functions forward --count 65536 --tables "$3" 2>>"$out/tests.txt" |
            python3 "$source/bench/gpu/executed.py" "$1 by tables" 65536 >"$out/tables-${1%%:*}.count"
    fi
}
# simulations with forces
forces() { # METHOD COUNT STEPS STEP MODEL
    timeout 60 "$build/bench/bench_cuda_run" "$@" >>"$table" 2>>"$out/tests.txt" ||
        { failed=1; echo "FAILED: bench_cuda_run $*"; }
}
all_forces() {
    forces rk4 1048576 1000 1e-4 "$source/examples/sweep/swing.yaml"
    forces euler 1048576 1000 1e-4 "$source/examples/sweep/swing.yaml"
    forces alpha 262144 100 1e-3 "$source/examples/sweep/swing.yaml"
    forces rk4 262144 1000 1e-4 "$source/examples/spin_up.yaml"
    forces rk4 1048576 1000 1e-3 "$source/examples/whirl.yaml"
}
# a sweep, with and without
sweep() {
    samples=${SAMPLES:-1000}
    sed "s/^samples: .*/samples: $samples/; s|^model: |model: $source/examples/sweep/|" \
        "$source/examples/sweep/swing_plan.yaml" >"$out/swing.yaml"
    rm -rf "$out/gpu.sweep" "$out/cores.sweep"
    start=$(date +%s.%N)
    timeout 100 "$build/limber" sweep "$out/swing.yaml" --gpu --folder "$out/gpu.sweep" >>"$out/tests.txt" 2>&1 || failed=1
    middle=$(date +%s.%N)
    timeout 100 "$build/limber" sweep "$out/swing.yaml" --folder "$out/cores.sweep" >>"$out/tests.txt" 2>&1 || failed=1
    end=$(date +%s.%N)
    for way in gpu cores; do
        "$build/limber" sweep merge "$out/swing.yaml" --folder "$out/$way.sweep" -o "$out/$way.csv" >>"$out/tests.txt" 2>&1
    done
    python3 "$source/bench/gpu/compare_sweeps.py" swing_plan.yaml "$samples" "$start" "$middle" "$end" \
        "$out/gpu.csv" "$out/cores.csv" >>"$table" || { failed=1; echo "FAILED: sweep"; }
    rm -rf "$out/gpu.sweep" "$out/cores.sweep" "$out/gpu.csv" "$out/cores.csv" "$out/swing.yaml"
}
finish() {
    cat "$out"/*.count >>"$table" 2>/dev/null
    rm -f "$out"/*.count
    python3 "$source/bench/gpu/table.py" "$table" >"$out/batch.md" || failed=1
    exit $failed
}
race --ceilings
if [ -n "$kernels" ]; then
    both beams:ruthless 524288 beams:ruthless
    if [ -n "${ROBOTS:-}" ]; then
        both panda.urdf 4194304 "$ROBOTS/panda.urdf"
    else
        both iiwa.yaml 4194304 "$source/examples/iiwa.yaml"
    fi
    wait
    finish
fi
if [ -n "$quick" ]; then
    both beams:ruthless 524288 beams:ruthless
    each beams:consistent forward 524288 beams:consistent
    for cut in "6000 524288" "6000 33792" "6000 67584" "3000 33792" "2500 33792"; do
        race --written --functions forward --count 524288 --operations "${cut% *}" --chunk "${cut#* }" beams:ruthless
    done
    if [ -n "${ROBOTS:-}" ]; then
        both panda.urdf 4194304 "$ROBOTS/panda.urdf"
        each anymal_b.urdf forward 1048576 --floating "$ROBOTS/anymal_b.urdf"
        each simple_humanoid.urdf forward 524288 --floating "$ROBOTS/simple_humanoid.urdf"
    fi
    all_forces
    race --simulate 1000000 50000 "$source/examples/two_link_arm.yaml"
    sweep
    wait
    finish
fi
if [ -n "${ROBOTS:-}" ]; then
    each panda.urdf forward,inverse,mass 4194304 "$ROBOTS/panda.urdf"
    each panda.urdf-d derivatives 524288 "$ROBOTS/panda.urdf"
    each anymal_b.urdf forward,inverse,mass 1048576 --floating "$ROBOTS/anymal_b.urdf"
    each simple_humanoid.urdf forward,inverse,mass 524288 --floating "$ROBOTS/simple_humanoid.urdf"
    both panda.urdf 4194304 "$ROBOTS/panda.urdf"
    race --float --functions forward,inverse,mass --count 4194304 "$ROBOTS/panda.urdf"
    race --sizes --functions forward --count 4194304 "$ROBOTS/panda.urdf"
else
    each iiwa.yaml forward,inverse,mass 4194304 "$source/examples/iiwa.yaml"
    race --sizes --functions forward --count 4194304 "$source/examples/iiwa.yaml"
fi
each beams:ruthless inverse,mass 524288 beams:ruthless
each beams:consistent forward,inverse 524288 beams:consistent
both beams:ruthless 524288 beams:ruthless
each two_link_arm.yaml forward,inverse,mass,derivatives 1048576 "$source/examples/two_link_arm.yaml"
wait
race --simulate 1048576 1000 "$source/examples/two_link_arm.yaml"
race --simulate 1000000 "${LONG:-100000}" "$source/examples/two_link_arm.yaml"
all_forces
sweep
wait
# one large system
LIMIT=200 sh "$source/bench/gpu/run_large.sh" "$build" "$out" || failed=1
finish
