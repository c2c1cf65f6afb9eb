// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Assembly: closing the loops from a rough guess of the configuration, and matching the speeds.
//
//     lb_assembly_options options = lb_default_assembly_options();
//     options.held = held; // the crank keeps its angle and its speed
//     lb_assembly found = {.size = sizeof found};
//     if (lb_assemble_loops(model, work, &options, q, v, scratch, &found) == LB_E_OPEN) {
//         printf("%s is open by %g\n", lb_get_loop_name(model, found.loop), found.residual);
//     }
//
// Positions: the Levenberg-Marquardt method brings the sum of squares of all loop errors to zero,
// with the smallest steps that do so. Coordinates that are held do not move. Modal coordinates keep
// their values unless the hinges alone cannot close the loops. Redundant constraints and singular
// configurations are allowed. Speeds: the smallest change that satisfies the loops. "Smallest"
// counts rad, m and modal coordinates alike.
#ifndef LB_ASSEMBLE_H
#define LB_ASSEMBLE_H

#include "limber/loops.h"

/// How to assemble. Start from lb_default_assembly_options(). Sized.
typedef struct lb_assembly_options {
    size_t size;
    const unsigned char
        *held;        ///< one flag per speed, in the order of v: non-zero if the coordinate and
                      ///< the speed keep their values; NULL for none
    double tolerance; ///< a loop is closed if its error is below this, m or rad
    int iteration_max;
} lb_assembly_options;

/// Nothing held, a tolerance of 1e-10, 500 iterations. The search goes on below the tolerance as
/// far as round-off allows.
static inline lb_assembly_options lb_default_assembly_options(void)
{
    lb_assembly_options options = LB_ZEROES;
    options.size = sizeof options;
    options.tolerance = 1e-10;
    options.iteration_max = 500;
    return options;
}

/// The outcome of an assembly. Sized.
typedef struct lb_assembly {
    size_t size;
    int iterations;
    double residual; ///< largest position error of a loop (norm of its six entries), m and rad
    int loop;        ///< the loop with that error
    double speed_residual; ///< largest velocity error of a loop, m/s and rad/s
    int speed_loop;        ///< the loop with that error
} lb_assembly;

/// Number of doubles of scratch that lb_assemble_loops needs.
LB_API size_t lb_get_assembly_scratch_count(const lb_model *model);

/// Closes the active loops. Does not allocate. Each iteration costs a few sweeps over the tree,
/// O(N). Theory: (ASM-1)..(ASM-3).
///
/// @param options   NULL for the defaults
/// @param q         in and out; after LB_E_OPEN, the best that was found
/// @param v         in and out; NULL to leave speeds alone
/// @param scratch   lb_get_assembly_scratch_count doubles
/// @param assembly  out; set `size` before; may be NULL
/// @return LB_OK; LB_E_NUMBER (see lb_get_bad_number); LB_E_OPEN if a loop stays open in position or in velocity; LB_E_VERSION if a
///         struct is from a newer version; LB_E_ARGUMENT if the tolerance is not positive; or the
///         failure of an evaluation
LB_API lb_status lb_assemble_loops(const lb_model *model, lb_work *work,
                                   const lb_assembly_options *options, double *q, double *v,
                                   double *scratch, lb_assembly *assembly);

#endif // LB_ASSEMBLE_H
