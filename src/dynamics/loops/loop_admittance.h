// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The admittance of all closures, block by block, and its factors.
#ifndef LB_LOOP_ADMITTANCE_H
#define LB_LOOP_ADMITTANCE_H

#include "loop_rows.h"

/// Admittances of the bodies on the way from a loop to the base, as far as they are not there yet:
/// lb_loop_work.carried and Upsilon, marked. Hubs stand still. Needs LB_HAS_RESPONSE.      (CLO-9)
void lb_find_admittances(const lb_model *model, lb_work *work, const lb_loop_slot *slot);

/// The block of two slots, hubs standing still: rows of the first x rows of the second, in rows of six.
void lb_form_loop_block(const lb_model *model, lb_work *work, const lb_loop_slot *i,
                        const lb_loop_slot *j, double block[36]);

/// Where a loop acts on the tree: its two ends, or the terms of a coupler.
int lb_count_sources(const lb_loop_slot *slot);

/// The group of hubs that lie between a source and the base, or -1.
int lb_get_source_group(const lb_model *model, const lb_loop_slot *slot, int source);

/// Adds the rows of a source at those hubs: F = E*, rows of the slot x width.             (HUB-1)
void lb_add_hub_rows(const lb_model *model, lb_work *work, const lb_loop_slot *slot, int source,
                     int width, double *F);

/// Scale of rank decisions: the largest that one of the ends moves by itself under a unit force.
double lb_get_loop_scale(const lb_model *model, lb_work *work, const lb_loop_slot *slot);

/// Places all loops that hold, forms and factors their admittance.                        (CLO-4)
void lb_factor_admittance(const lb_model *model, lb_work *work);

/// x := Lambda^+ x by the factors; by slot, along the rows, six each.
void lb_solve_admittance(const lb_model *model, lb_work *work, double *x);

/// x := N x, onto the forces that do nothing, by slot along the rows: what loops repeat within
/// themselves, and among each other.                                                      (CLO-8)
void lb_keep_redundant(const lb_model *model, lb_work *work, double *x);

/// Both at once, for the acceleration errors of the motion in the workspace: multipliers, and their
/// forces collected as by lb_collect_loop_forces.
///
/// @param a  accelerations of that motion
/// @param x  out: multipliers
void lb_solve_accelerations(const lb_model *model, lb_work *work, const double *a, double *x);

#endif // LB_LOOP_ADMITTANCE_H
