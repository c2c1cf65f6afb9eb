// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The modal integrals of US 5,546,508 (Jain and Rodriguez), Appendix C, as named data, for bodies
// of fidelity `appendix-c`.
//
//     const size_t size = lb_get_modal_integrals_size(mode_count);
//     void *memory = malloc(size);
//     lb_modal_integrals integrals;
//     lb_compute_modal_integrals(mode_count, node_count, nodes, memory, size, &integrals);
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

#endif // LB_MODAL_INTEGRALS_H
