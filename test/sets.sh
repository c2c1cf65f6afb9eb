#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# sets.sh BUILD JOBS: tests whose numbers come from the recursions, with each instruction set that this processor has but the
# one that is chosen by itself, and with the kernels of OpenBLAS for a processor that has no more than that.
set -eu
found=
for set in portable avx2 avx512; do
    if LIMBER_INSTRUCTIONS=$set "$1/limber" check -q examples/double_pendulum.yaml 2>/dev/null; then
        found="$found $set"
    else
        echo "sets: no $set here"
    fi
done
status=0
for set in ${found% *}; do
    case $set in
    portable) blas=Prescott ;;
    *) blas=Haswell ;;
    esac
    echo "sets: $set, OpenBLAS for $blas"
    LIMBER_INSTRUCTIONS=$set OPENBLAS_CORETYPE=$blas \
        ctest --test-dir "$1" --parallel "$2" --output-on-failure -L kernels || status=1
done
exit $status
