// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible bodies: constant data, and the modal inertia M_m and bias b_m that follow from it.
//
// With modal coordinates eta, rates etad and the angular velocity w of the body's frame, fidelity
// `consistent` (theory: "Flexible bodies"):
//
//     M_m = [M_ff M_fr; M_rf M_rr]   order (modes, angular, linear)
//
// Sums over nodes are compressed when the model is built, exactly, into two parts:
//
// - polynomials in eta of degree two (FLX-3): the nodes' rotary inertia, and the translation of
//   their centres of mass too where that is linear in eta;
// - mass points (FLX-4) for a translation with second-order terms: fields u, c0, Gamma_r, Gamma2_rs
//   with the same products, summed, as those of the nodes.
//
// Fidelity `ruthless` is the polynomials at zero deformation, constant, with the bias of w alone.
// Fidelity `appendix-c` has polynomials of its own and a bias of its own (appendix_c.h).
#ifndef LB_FLEX_H
#define LB_FLEX_H

#include "base/hot.h"
#include "base/lane.h"
#include "model/layout.h"

/// Loads that a body puts on itself as it moves, per unit of: its angular acceleration x y z, the acceleration of its
/// frame x y z, and the products xx yy zz xy xz yz of its angular velocity. Tables have them in this order, body files
/// too.
enum { LB_INERTIA_LOADS = 12 };

/// One non-zero component of a second-order field.
typedef struct lb_second_row {
    int r, s, axis; ///< r <= s
    int row;        ///< into lb_flex.points
} lb_second_row;

typedef struct lb_appendix_c lb_appendix_c;

/// A cut through a flexible body.                                                          (SEC-1)
typedef struct lb_flex_section {
    int node;                    ///< at which it is
    const unsigned char *beyond; ///< by node: on the far side
    int all;                     ///< the whole body is: the cut is between it and its hinge
    const lb_flex *far_side;     ///< the mass of that side, with the modes of the body
} lb_flex_section;

/// Constant data of a flexible body, in the frame of the body; bodies of one kind share it.
struct lb_flex {
    int mode_count;
    lb_fidelity fidelity;
    double mass;
    const double *K; ///< stiffness, n x n
    const double *C; ///< damping, n x n, or NULL

    // polynomials: M_ff, h = h0 + h1 eta, M_wf = B0 + sum_t eta_t B_t, M_ww = S0 + ...
    const double *M_ff;    ///< n x n
    lb_vec3 h0;            ///< first moment
    const lb_vec3 *h1;     ///< by mode: E, but in appendix-c
    const lb_vec3 *E;      ///< by mode
    const lb_vec3 *B0, *B; ///< by mode r; B[t n + r]
    lb_sym3 S0;            ///< inertia about the frame
    const lb_sym3 *S, *S2; ///< by mode; by pair (t, s), n x n

    int constant; ///< B, S and S2 are zero: nothing of the polynomials but h depends on eta

    // mass points: rows of `block_count` lanes: u, c0 x y z, Gamma_r x y z, then the second rows
    int block_count; ///< zero where the translation is in the polynomials
    const lb_lane *points;
    const lb_second_row *second;
    int second_count;

    const lb_appendix_c *appendix_c; ///< NULL for other fidelities

    int node_count;
    const lb_node *nodes; ///< nodes[0] is `origin`

    const lb_recovery *recovery; ///< or NULL
    int section_count;
    const lb_flex_section *sections;
};

/// Derived data of a flexible body. Arrays of n unless said.
struct lb_flex_work {
    double *eta, *eta_dot, *eta_ddot;
    const double *eta_seen; ///< as hinges and nodes see it: eta, or zero where ruthless
    lb_inertia M_rr;
    double *M_ff;  ///< n x n
    lb_vec6 *M_rf; ///< by mode: column of M_rf
    double *b_f;   ///< bias, stiffness and damping forces
    lb_vec6 b_r;
    const lb_vec6 *Pi_d; ///< Pi^d_F by mode (moving hinges)
    lb_vec6 *Pi_d_own;   ///< where it is kept when it changes; NULL where ruthless
    double *P_ff;        ///< n x n; then the factors of D_f: 1/d on the diagonal, L below
    lb_vec6 *P_rf;       ///< by mode; then mu, then G_f with g = G_f L^-1; after an update, g
    double *z_f;         ///< force on the modes: f_f of the inverse, z_f of the articulated sweeps
    double *nu_f;        ///< d^-1 L^-1 eps_f; after an update D_f^-1 eps_f
    lb_sym3 *S;          ///< scratch: dM_ww/d eta_t
    double *Gamma;       ///< 6c x 6: what the children handed over (bodies with `update`)
    double *Prime;       ///< 6c x 6c: Gamma' (likewise)
};

static inline int lb_is_ruthless(const lb_flex *flex)
{
    return flex->fidelity == LB_FIDELITY_RUTHLESS;
}

/// Pi_F = phi*(t,k) Pi: the motion of a node t at l, referred to the frame of its body. At its own
/// hinge it is what a unit modal rate takes from the motion of the frame while O stands still.
/// (FLX-11)
static inline lb_vec6 lb_refer_to_frame(lb_vec3 l, lb_vec6 Pi)
{
    return lb_vec6_make(Pi.w, lb_vec3_add(Pi.v, lb_vec3_cross(l, Pi.w)));
}

/// Doubles of scratch that lb_compute_flex_inertia needs.
LB_HOT size_t lb_get_point_scratch(const lb_flex *flex);

/// The mass points of a deformed body: c (3 rows of blocks) and C (3 rows a mode).         (FLX-4)
LB_HOT void lb_deform_points(const lb_flex *flex, const double *eta, lb_lane *c, lb_lane *C);
/// C_r += sum_s Gamma2_rs x_s
LB_HOT void lb_add_second_order(const lb_flex *flex, const double *x, lb_lane *C);

/// The modal inertia of a ruthless body, once: it never changes.
LB_HOT void lb_start_ruthless(const lb_flex *flex, lb_flex_work *w);

/// M_m at w->eta; and, unless omega is NULL, the inertial bias of w->eta_dot and omega with the
/// forces of stiffness and damping in w->b_f, w->b_r.
LB_HOT void lb_compute_flex_inertia(const lb_flex *flex, const lb_vec3 *omega, double *scratch,
                                    lb_flex_work *w);

#endif // LB_FLEX_H
