// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The modal integrals of US 5,546,508 (Jain and Rodriguez), Appendix C, as named data. With them,
// the modal mass matrix M_m, the bias b_m and the hinge acceleration a_m, each also split by order
// of deformation. The library uses them for bodies of fidelity `appendix-c`; this header is for
// studying them.
//
//     const size_t size = lb_get_modal_integrals_size(mode_count);
//     void *memory = malloc(size);
//     lb_modal_integrals integrals;
//     lb_compute_modal_integrals(mode_count, node_count, nodes, memory, size, &integrals);
//     lb_compute_modal_mass_order(&integrals, 1, eta, M);
//     free(memory);
//
// A node j has mass m, undeformed position l0, offset p to its centre of mass, and inertia J about
// the node; mode r turns it by lambda_r and moves it by gamma_r. `~` is the cross-product matrix,
// `'` a transpose, S the sum over nodes. Modes are counted from 0; an array over (r, s) has entry
// (r, s) at [r n + s], one over (q, r, s) at [(q n + r) n + s], where n is the number of modes.
// Everything is in the body frame and its axes, in SI units. "Corrected" marks entries that are
// printed wrongly in the source; see the theory manual, "Appendix C".
//
// Nothing here allocates.
#ifndef LB_MODAL_INTEGRALS_H
#define LB_MODAL_INTEGRALS_H

#include "limber/model.h"
#include "limber/spatial.h"

// ---- constants of a body -----------------------------------------------------------------------

/// Section C.1: what does not depend on the deformation. The arrays are in memory of the caller.
/// Frozen: it is the list of the source.
typedef struct lb_modal_integrals {
    int mode_count;
    double mass; ///< m(k) = S m

    lb_vec3 p0;  ///< S m (p + l0) / m(k): the centre of mass; zero for a massless body
    lb_vec3 *p1; ///< (r) S m gamma_r / m(k)
    lb_vec3 *E;  ///< (r) S m [gamma_r - p~lambda_r]
    lb_vec3 *F0; ///< (r) S J lambda_r + m [(l0~ + p~) gamma_r - l0~p~lambda_r]; corrected
    lb_vec3 *F1; ///< (r,s) S m gamma_s~ [gamma_r - p~lambda_r]; corrected: r and s exchanged
    double *G;   ///< (r,s) S lambda_r'J lambda_s + m lambda_r'p~gamma_s + m lambda_s'p~gamma_r
                 ///< + m gamma_r'gamma_s; corrected: a scalar, and its first term
    lb_mat3 J0;  ///< S J - m [l0~l0~ + p~l0~ + l0~p~]; corrected
    lb_mat3 *J1; ///< (r) -S m gamma_r~ [l0~ + p~]; corrected: sign
    lb_mat3 *J2; ///< (r,s) -S m gamma_r~gamma_s~; J2(r,s) = J2(s,r)'
    lb_mat3 *S1; ///< (r) S [m p~lambda_r]~ l0~ - J lambda_r~; corrected
    lb_mat3 *S2; ///< (r,s) S [m p~lambda_r]~ gamma_s~
    lb_mat3 *K1; ///< (r) S 2 l0~ [m p~lambda_r]~ - J lambda_r~ + lambda_r~J; corrected
    lb_mat3 *K2; ///< (r,s) S 2 gamma_s~ [m p~lambda_r]~ = 2 S2(r,s)'; corrected
    lb_vec3 *R1; ///< (r) S J lambda_r; corrected
    lb_vec3 *R2; ///< (r,s) S [lambda_r~J - m l0~lambda_r~p~] lambda_s; corrected
    lb_vec3 *R3; ///< (q,r,s) -S m gamma_q~lambda_r~p~lambda_s
    lb_vec3 *W1; ///< (r,s) S lambda_r~ m p~gamma_s; corrected
    lb_vec3 *W2; ///< (r,s) S lambda_r~J lambda_s; corrected
    lb_vec3 *L;  ///< (r,s) -S m lambda_r~p~lambda_s / m(k); zero for a massless body
    lb_vec3 *T1; ///< (r,s) S [m gamma_r~p~ + J lambda_r~] lambda_s; corrected
    lb_vec3 *T2; ///< (r,s) S [m p~gamma_r~ - lambda_r~J] lambda_s; corrected: a vector
    double *T3;  ///< (q,r,s) S lambda_q' [m gamma_r~p~ + J lambda_r~] lambda_s; corrected: a scalar
    lb_vec3 *Q;  ///< (r,s) T1(s,r) + T2(s,r) + W1(r,s) + W2(r,s) + 2 F1(s,r), (109); corrected
} lb_modal_integrals;

/// Bytes that lb_compute_modal_integrals needs. They include room for alignment, so any address
/// will do. They grow with the cube of the number of modes.
///
/// @return SIZE_MAX if there are too many modes to count the bytes
size_t lb_get_modal_integrals_size(int mode_count);

/// Computes the integrals of a body from its nodes. Names, rotations and second-order displacements
/// of the nodes are not read. O(node_count mode_count^3). Theory: (APC-1).
///
/// @param nodes      `inertia` is about the node's centre of mass, as in lb_flex_options
/// @param memory     holds the arrays; keep it as long as the integrals
/// @param integrals  out
/// @return LB_OK; LB_E_ARGUMENT for a negative count; LB_E_NUMBER for a number that is read and not finite; LB_E_MEMORY if `size` is too small;
///         LB_E_VERSION if the nodes are from a newer version
lb_status lb_compute_modal_integrals(int mode_count, int node_count, const lb_flex_node *nodes,
                                     void *memory, size_t size, lb_modal_integrals *integrals);

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

#endif // LB_MODAL_INTEGRALS_H
