// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What US 5,546,508, Appendix C, makes of its modal integrals: the integrals at a deformation, the
// modal mass matrix M_m, the bias b_m and the hinge acceleration a_m, each also split by order of
// deformation. Notation is that of modal_integrals.h. Nothing here allocates.
#ifndef LB_TEST_MODAL_ORDERS_H
#define LB_TEST_MODAL_ORDERS_H

#include "model/modal/modal_integrals.h"

// ---- at a deformation --------------------------------------------------------------------------

/// The integrals at modal coordinates eta; sums are over modes. Theory: (APC-2). Frozen: it is the
/// list of the source.
typedef struct lb_deformed_integrals {
    int mode_count;
    lb_vec3 p;  ///< p0 + sum p1(s) eta(s): the centre of mass as M_m has it
    lb_mat3 J;  ///< J0 + sum [J1(r) + J1(r)'] eta(r) + sum J2(r,s) eta(r) eta(s)
    lb_vec3 *F; ///< (r) F0(r) + sum F1(r,s) eta(s)
    lb_mat3 *N; ///< (r) [J1(r) + sum J2(r,s) eta(s)]'
    lb_mat3 *S; ///< (r) S1(r) + sum S2(r,s) eta(s)
    lb_mat3 *K; ///< (r) K1(r) + sum K2(r,s) eta(s)
    lb_vec3 *R; ///< (r,s) R2(r,s) + sum R3(q,r,s) eta(q); corrected: the sum is over q
} lb_deformed_integrals;

/// Bytes that lb_compute_deformed_integrals needs. They include room for alignment, so any address
/// will do.
size_t lb_get_deformed_integrals_size(int mode_count);

/// Computes the integrals at a deformation. O(mode_count^3). Theory: (APC-2).
///
/// @param eta       modal coordinates
/// @param memory    holds the arrays; keep it as long as the result
/// @param deformed  out
/// @return LB_OK; LB_E_NUMBER if eta is not finite; LB_E_MEMORY if `size` is too small
lb_status lb_compute_deformed_integrals(const lb_modal_integrals *integrals, const double *eta,
                                        void *memory, size_t size, lb_deformed_integrals *deformed);

// ---- M_m and b_m -------------------------------------------------------------------------------

/// The modal mass matrix M_m, (86) of the source. O(mode_count^2). Theory: (APC-3).
///
/// @param M  out: n + 6 by n + 6, row by row, in the order modes, angular, linear
void lb_compute_modal_mass(const lb_modal_integrals *integrals,
                           const lb_deformed_integrals *deformed, double *M);

/// The part of M_m of one order in eta, (86) of the source. The three parts sum to M_m. Theory:
/// (APC-4).
///
/// @param order  0, 1 or 2
/// @param M      out: n + 6 by n + 6, as lb_compute_modal_mass
/// @return LB_OK; LB_E_ARGUMENT for another order; LB_E_NUMBER if a number that is given is not finite
lb_status lb_compute_modal_mass_order(const lb_modal_integrals *integrals, int order,
                                      const double *eta, double *M);

/// The bias b_m of (37), (108), (121) and (129) of the source. M_m (eta_ddot, alpha) + b_m is the
/// force on the modes, and the moment and force on the frame; alpha = (w_dot, v_dot) are inertial
/// derivatives. It does not depend on the velocity of the origin. O(mode_count^3). Theory: (APC-5).
///
/// @param eta_dot  modal rates
/// @param omega    angular velocity of the frame, rad/s, body axes
/// @param b        out: n + 6 values: modes, moment, force
void lb_compute_modal_bias(const lb_modal_integrals *integrals,
                           const lb_deformed_integrals *deformed, const double *eta_dot,
                           const double omega[3], double *b);

/// The part of b_m of one order in eta and eta_dot together, (130) of the source. The four parts
/// sum to b_m. Theory: (APC-6).
///
/// @param order  0, 1, 2 or 3
/// @param b      out: n + 6 values, as lb_compute_modal_bias
/// @return LB_OK; LB_E_ARGUMENT for another order; LB_E_NUMBER if a number that is given is not finite
lb_status lb_compute_modal_bias_order(const lb_modal_integrals *integrals, int order,
                                      const double *eta, const double *eta_dot,
                                      const double omega[3], double *b);

// ---- a_m ---------------------------------------------------------------------------------------

/// What section C.3 needs about the hinge between a body k and its parent k+1 (numbered as in the
/// source). t is the node of the parent at the hinge, O that of the body. All vectors are in the
/// same axes. Frozen: it is the list of the source.
typedef struct lb_hinge_deformation {
    lb_vec3 omega_p;      ///< angular velocity of the parent's frame
    lb_vec3 dw_t, dv_t;   ///< modal rates of t against the parent's frame: lambda, gamma eta_dot
    lb_vec3 Dw, Dv;       ///< H* beta: motion of O against t, linear part at O
    lb_vec3 dw_d, dv_d;   ///< modal rates of O against the frame of k
    lb_vec3 l0_pk;        ///< undeformed, from the frame of the parent to that of k
    lb_vec3 l0_tk, l0_Ok; ///< likewise from t and from O to the frame of k
    lb_vec3 dl_t, dl_d;   ///< modal displacements of t and O in their bodies
} lb_hinge_deformation;

/// The Coriolis and centrifugal acceleration a_mR of (88) of the source, corrected. It is at the
/// frame of k, in the axes of the input, with inertial derivatives. Modal influence vectors and
/// hinge axes are taken as constant in their frames; if they are not, add their derivatives.
/// Theory: (APC-7).
lb_vec6 lb_compute_hinge_coriolis(const lb_hinge_deformation *hinge);

/// The part of a_mR of one order in the modal rates and displacements, (89)-(91) of the source,
/// corrected. w(k+1) and the rates of the hinge are given, w(k) follows from them. The four parts
/// sum to a_mR. Theory: (APC-8).
///
/// @param order  0, 1, 2 or 3
/// @param a      out: angular, then linear
/// @return LB_OK; LB_E_ARGUMENT for another order; LB_E_NUMBER if a number that is given is not finite
lb_status lb_compute_hinge_coriolis_order(const lb_hinge_deformation *hinge, int order, lb_vec6 *a);

#endif // LB_TEST_MODAL_ORDERS_H
