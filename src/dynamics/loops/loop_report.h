// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command reports of loops beside limber/loops.h.
#ifndef LB_LOOP_REPORT_H
#define LB_LOOP_REPORT_H

#include "limber/loops.h"

/// Whether a body is a hub: so many loops of the model meet there that they are factored around it.
/// Time and memory then grow linearly with their number. Decided when the model is built. Theory:
/// (HUB-1).
bool lb_is_hub(const lb_model *model, int body);

/// Describes which part of a loop is redundant; see lb_get_loop_rank.
///
/// @param projector  out: 6 x 6, onto the forces of its redundant rows, in the axes of node a
/// @param repeats    out: for each slot, non-zero if that other loop takes part in the redundancy
/// @return LB_OK or LB_E_STAGE
lb_status lb_get_redundant_rows(const lb_model *model, const lb_work *work, int loop,
                                double projector[36], unsigned char *repeats);

/// One term of a coupler: factor times a coordinate of the hinge of a body.
///
/// @param coordinate  out: index among the coordinates of the hinge, from 0
void lb_get_coupler_term(const lb_model *model, int loop, int term, int *body, int *coordinate,
                         double *factor);

#endif // LB_LOOP_REPORT_H
