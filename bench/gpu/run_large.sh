#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# One large system on a graphics processor: tests, speeds, their table and the figure of the guide.
#
#     run_large.sh BUILD OUT
#
# BUILD  a build of the project: bench/bench_cuda_large, test/tests-cross
# OUT    where large.txt, cuda_large.csv, cuda_large_kernels.csv, large.md and gpu-large.svg go
# LIMIT  seconds for the speeds (80); what was measured until then is kept
set -u
build=$1
out=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
failed=0
for name in test_cuda_chain test_cuda_tree; do
    { echo "# $name"; timeout 100 "$build/test/tests-cross" --source "$source" "$name" && echo passed; } >"$out/$name.log" 2>&1 &
done
wait
for name in test_cuda_chain test_cuda_tree; do
    if ! grep -q '^passed$' "$out/$name.log" || grep -q "no device" "$out/$name.log"; then
        failed=1
        echo "FAILED: $name"
    fi
done
cat "$out"/test_cuda_chain.log "$out"/test_cuda_tree.log >"$out/large.txt"
rm -f "$out"/test_cuda_chain.log "$out"/test_cuda_tree.log
timeout "${LIMIT:-80}" "$build/bench/bench_cuda_large" "$out/cuda_large.csv" "$out/cuda_large_kernels.csv" >>"$out/large.txt" 2>&1 ||
    { failed=1; echo "FAILED: bench_cuda_large"; }
python3 "$source/bench/gpu/large_table.py" "$out/cuda_large.csv" >"$out/large.md" || failed=1
python3 "$source/bench/gpu/large_figure.py" "$out/cuda_large.csv" >"$out/gpu-large.svg" || failed=1
exit $failed
