// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Ruthless bodies: D_f^-1 by an update of constant size.
//
// What the children a = 1..c of a ruthless body hand it is Gamma_a, at its frame; everything else
// in the elimination of its modes is constant. With Z_a = Pi^t_F - Pi^d_F, the motion of node t_a
// by the modes while the hinge is locked, referred to the frame,                        (RTH-1)
//
//     D_f = D_0 + sum_a Z_a* Gamma_a Z_a        D_0 = H_f M_m H_f*,  L = D_0^-1
//     D_f^-1 = L - Y Gamma' Y*                  Y_a = L Z_a*,  Gamma' = (I + Gamma Omega)^-1 Gamma
//                                               Omega_ab = Z_a L Z_b*
//     g = g_0 + sum_ab E_a Gamma'_ab Y_b*       g_0 = mu_0 L,  mu_0 = M_rf - M_rr Pi^d_F
//     P_R = P_0 + sum_ab E_a Gamma'_ab E_b*     E_a = I - mu_0 Y_a,  P_0 = M_rr - g_0 mu_0*
//
// Source: Jain and Rodriguez 1992, (77), (78), in the form that never inverts Gamma.
#ifndef LB_MODE_UPDATE_H
#define LB_MODE_UPDATE_H

#include "flex.h"

/// Constants of one body. Matrices row by row; entries of 6-vectors: angular, then linear.
struct lb_mode_update {
    int child_count;     ///< c: children at moving nodes
    const double *L;     ///< n x n
    const lb_vec6 *Y;    ///< Y[a n + r]: row r of Y_a
    const lb_vec6 *g_0;  ///< by mode
    lb_sym6 P_0;         ///< P_R with nothing at the moving nodes
    const double *E;     ///< 6 x 6c
    const double *Omega; ///< 6c x 6c
};

/// Doubles of scratch that lb_apply_mode_update needs: 12c x 6c and 6 x 6c.
static inline size_t lb_get_update_scratch(int child_count)
{
    const size_t m = 6 * (size_t)child_count;
    return 2 * m * m + 6 * m;
}

/// Whether the update is cheaper than forming and factoring D_f, by products.
int lb_prefers_update(int mode_count, int child_count);

/// Precomputes the constants of a ruthless body.
///
/// @param children  the bodies at its moving nodes, in the order of their `update_slot`
/// @return NULL if memory is out (*status says so) or where D_0 is singular and D_f must be formed
const lb_mode_update *lb_build_mode_update(const lb_body *b, const lb_body *const *children,
                                           int child_count, lb_arena *arena, lb_arena *scratch,
                                           lb_status *status);

#endif // LB_MODE_UPDATE_H
