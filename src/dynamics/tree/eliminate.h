// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The step that modes and hinges share in the innovations factorisation.
#ifndef LB_ELIMINATE_H
#define LB_ELIMINATE_H

#include "base/hot.h"
#include "model/layout.h"

/// Takes n coordinates out of an inertia.                                                 (ABA-1)
///
///     D = L d L',   G = U L'^-1 d^-1,   P := P - G d G*
///
/// The gains U D^-1 are G L^-1. Who applies them to one vector does better with G and L^-1 apart.
///
/// @param D          n x n, lower triangle; in: H P H*, out: its factors
/// @param threshold  pivots not larger than these are singular
/// @param G          in: U = P H*, by column; out: G
/// @param bad        out: the coordinate, after a status that is not LB_OK
LB_HOT lb_status lb_eliminate(int n, double *D, const double *threshold, lb_vec6 *G, lb_sym6 *P,
                              int *bad);

/// G := G L^-1, the gains.
LB_HOT void lb_complete_gains(int n, const double *D, lb_vec6 *G);

/// Takes the hinge of a body out of its inertia: G and the factors of D in the workspace, and what
/// is felt across the hinge.                                                             (ABA-1)
///
/// @param P       of the body and everything outboard, modes taken out
/// @param P_plus  out: P - G D G*
/// @param bad     out: the coordinate, after a status that is not LB_OK
LB_HOT lb_status lb_eliminate_hinge(const lb_body *b, const lb_sym6 *P, lb_work *work,
                                    lb_sym6 *P_plus, int *bad);

/// Whether the pivot of a simple revolute hinge, small beside the trace of P, is good after all. (ABA-8)
LB_HOT __attribute__((cold)) int lb_holds_by_itself(const lb_body *b, const lb_sym6 *P);

#endif // LB_ELIMINATE_H
