// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Floating-point operations of the library's own code, compiled on a number that counts
// (counting.cc). Signs, comparisons, absolute values and copies are free.
#ifndef LB_COUNTS_H
#define LB_COUNTS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Where an operation belongs. Only the outermost of nested parts counts.
typedef enum lb_count_part {
    LB_COUNT_SWEEPS, ///< what is in no other part
    LB_COUNT_POSITION, ///< positions: hinges and nodes, and what carries motions and forces between frames
    LB_COUNT_VELOCITY,     ///< velocities and bias accelerations
    LB_COUNT_DEFORMATION,  ///< M_m and b_m at the present deformation
    LB_COUNT_ACCELERATION, ///< accelerations of the frames from generalized ones
    LB_COUNT_PART_COUNT
} lb_count_part;

typedef struct lb_count {
    long multiplications, additions, divisions;
    long functions; ///< square roots, sines and cosines
} lb_count;

extern lb_count lb_counts[LB_COUNT_PART_COUNT];

#ifdef __cplusplus
}
#endif

#endif // LB_COUNTS_H
