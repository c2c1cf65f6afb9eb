// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer: the schedule of a model, memory for its assemblies, and the sweeps.
#ifndef LB_DIVISION_H
#define LB_DIVISION_H

#include <math.h>

#include "base/hot.h"
#include "limber/divide_and_conquer.h"
#include "schedule.h"
#include "segment.h"

struct lb_division {
    lb_arena arena;
    lb_division_options options;
    lb_schedule schedule;
    lb_segment *segments; ///< by node
    lb_vec6 *K;           ///< by entry of v: acceleration per unit of f at the open handle (DCA-4)
    double *scratch;      ///< of mass points, one piece a thread
    size_t scratch_size;  ///< doubles of a piece

    // the state at hand
    const double *q, *v, *tau;
    const unsigned char *driven; ///< by listed body, or NULL
    double *drive;               ///< out: forces of driven hinges
    double *a;
    lb_status refused; ///< LB_E_NUMBER if one of these numbers is not finite
    lb_division_report report;
};

/// Levels of the tree of assemblies: one waits for the next, and everything on a level can be done at
/// the same time. For tests.
int lb_get_division_level_count(const lb_division *division);

/// The longest chain of eliminations and joins that wait for each other. With runs of one body, the
/// number of levels. For tests.
int lb_get_division_depth(const lb_division *division);

/// Second and third sweep of a node: assembly of its two-handle equations, and what they become
/// under the loads at its handles.
LB_HOT void lb_assemble(const lb_model *model, lb_work *work, lb_division *division, int n);
LB_HOT void lb_disassemble(const lb_model *model, lb_work *work, lb_division *division, int n);

/// Last sweep, of runs: see (DCA-8).
LB_HOT void lb_check_handles(const lb_model *model, lb_work *work, lb_division *division, int n);

/// One piece of one stage.
LB_HOT void lb_run_division_piece(const lb_model *model, lb_work *work, lb_division *division,
                                  int stage, int piece, int piece_count);

/// The larger of two; what is not a number is larger than any, so that the check never loses it.
static inline double lb_get_larger_or_nan(double a, double b)
{
    return b <= a || isnan(a) ? a : b;
}

static inline int lb_is_driven(const lb_division *division, const lb_body *b)
{
    return division->driven && division->driven[b->listed];
}

#endif // LB_DIVISION_H
