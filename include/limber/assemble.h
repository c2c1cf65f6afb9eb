// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closing loops from a rough guess: of a configuration that is near enough, and of its speeds.
//
//     lb_assembly_options options = lb_default_assembly_options();
//     options.held = held;                 // the crank stays where it is, and turns as it does
//     lb_assembly found;
//     if (lb_assemble_loops(model, work, &options, q, v, scratch, &found) == LB_E_OPEN) {
//         ... lb_get_loop_name(model, found.loop) is off by found.residual ...
//     }
//
// Positions: the sum of squares of all loop errors is brought to zero by Levenberg and Marquardt's
// method; the steps are the smallest ones, and coordinates that are held take no part. Modes stay
// undeformed as they are, unless hinges alone cannot close the loops. Constraints that repeat each
// other, and singular configurations, are fine. Speeds: the smallest change that makes the loops
// agree. What is smallest is measured in rad, m and modal coordinates alike.
#ifndef LB_ASSEMBLE_H
#define LB_ASSEMBLE_H

#include "limber/loops.h"

/// How to close. Start from lb_default_assembly_options().
typedef struct lb_assembly_options {
    size_t size;               ///< of this struct, set by lb_default_assembly_options
    const unsigned char *held; ///< one flag a speed, in the order of v: the coordinate and the
                               ///< speed keep their values; NULL for none
    double tolerance;          ///< a loop counts as closed below this error, m or rad
    int iteration_max;
} lb_assembly_options;

/// Nothing held, 1e-10, 500 iterations. What can be reached below the tolerance is reached.
LB_API lb_assembly_options lb_default_assembly_options(void);

/// What came of it.
typedef struct lb_assembly {
    int iterations;
    double residual;       ///< largest position error of a loop (norm of its six): m, rad
    int loop;              ///< the loop that has it
    double speed_residual; ///< largest velocity error that is left: m/s, rad/s
    int speed_loop;        ///< likewise
} lb_assembly;

/// Doubles of scratch that lb_assemble_loops needs.
LB_API size_t lb_get_assembly_scratch_count(const lb_model *model);

/// Closes the loops that hold. Theory: (ASM-1)..(ASM-3).
///
/// @param q, v      in and out; v may be NULL. After LB_E_OPEN, the best that was found
/// @param scratch   lb_get_assembly_scratch_count doubles
/// @param assembly  out; may be NULL
/// @return LB_OK; LB_E_OPEN if a loop stays open in position, or in velocity; or what an evaluation
///         failed with
LB_API lb_status lb_assemble_loops(const lb_model *model, lb_work *work,
                                   const lb_assembly_options *options, double *q, double *v,
                                   double *scratch, lb_assembly *assembly);

#endif // LB_ASSEMBLE_H
