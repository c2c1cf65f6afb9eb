// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the library reads of a model beside limber/model.h.
#ifndef LB_MODEL_PARTS_H
#define LB_MODEL_PARTS_H

#include "base/internal.h"
#include "limber/model.h"

/// Finds a quantity that is read off the deformation of a body, lb_flex_recovery, by name.
///
/// @return its index, or LB_NOT_FOUND
LB_INTERNAL int lb_find_recovery(const lb_model *model, int body, const char *name);

/// Whether the static correction of such quantities is known, which needs all of the structure's stiffness.
LB_INTERNAL bool lb_has_recovery_correction(const lb_model *model, int body);

/// Modal stiffness and damping of a body.
///
/// @param stiffness  out: mode_count x mode_count, row by row; may be NULL
/// @param damping    out: mode_count x mode_count, row by row; may be NULL
LB_INTERNAL void lb_get_modal_matrices(const lb_model *model, int body, double *stiffness,
                                       double *damping);

/// Modal inertia of an undeformed flexible body, and how its modes couple with the motion of its
/// frame. Row r of M_fr is the moment (about the origin of the frame) and the force that go with a
/// unit acceleration of mode r, in body axes.
///
/// @param M_ff  out: mode_count x mode_count
/// @param M_fr  out: mode_count x 6, angular first
LB_INTERNAL void lb_get_modal_inertia(const lb_model *model, int body, double *M_ff, double *M_fr);

/// Centrifugal stiffness: what a constant angular velocity of the body frame, about an axis through
/// its origin, adds to the modal stiffness of the undeformed body. Stiffening and softening are
/// both in it. Theory: (FLX-13).
///
/// @param omega  rad/s, body axes
/// @param G      out: mode_count x mode_count, symmetric; zero unless the fidelity is consistent
LB_INTERNAL void lb_compute_spin_stiffness(const lb_model *model, int body, const double omega[3],
                                           double *G);

/// Whether loops of a type need an axis.
LB_INTERNAL bool lb_has_loop_axis(lb_loop_type type);

#endif // LB_MODEL_PARTS_H
