// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The value types of limber/spatial.h for several states side by side: the same names and equations
// with `lane` in them. Constants of the model are spread where they meet a state.
//
// How many states go side by side depends on the instruction set that this is compiled for.
#ifndef LB_LANES_H
#define LB_LANES_H

#include <math.h>
#include <stddef.h>

#include "base/lane.h"
#include "limber/spatial.h"

#ifndef LB_STATES
#define LB_STATES 4
#endif

/// One number of each state. Never in the call of a function that is not inlined: see lb_lane.
#if LB_STATES == 4
typedef lb_lane lb_states;
typedef lb_lane_bits lb_states_bits;
#define LB_EACH_STATE(X)                                                                           \
    {                                                                                              \
        X(0), X(1), X(2), X(3)                                                                     \
    }
#elif LB_STATES == 8
typedef double lb_states __attribute__((vector_size(64)));
typedef long long lb_states_bits __attribute__((vector_size(64)));
#define LB_EACH_STATE(X)                                                                           \
    {                                                                                              \
        X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)                                             \
    }
#endif

// values travel in registers, never through a call whose convention would depend on the target
#define LB_LANE_INLINE static inline __attribute__((always_inline))

typedef struct lb_lane_vec3 {
    lb_states x, y, z;
} lb_lane_vec3;

typedef struct lb_lane_mat3 {
    lb_states m[3][3];
} lb_lane_mat3;

typedef struct lb_lane_sym3 {
    lb_states xx, yy, zz, xy, xz, yz;
} lb_lane_sym3;

typedef struct lb_lane_vec6 {
    lb_lane_vec3 w, v;
} lb_lane_vec6;

typedef struct lb_lane_pose {
    lb_lane_mat3 R;
    lb_lane_vec3 p;
} lb_lane_pose;

typedef struct lb_lane_inertia {
    lb_states m; ///< the same in all states, but whole lanes are copied without waiting
    lb_lane_vec3 h;
    lb_lane_sym3 J;
} lb_lane_inertia;

typedef struct lb_lane_sym6 {
    lb_lane_sym3 J;
    lb_lane_mat3 H;
    lb_lane_sym3 M;
} lb_lane_sym6;

// ---- one number of each state -----------------------------------------------------------------------

LB_LANE_INLINE lb_states lb_lane_spread(double x)
{
#define LB_SAME(j) x
    return (lb_states)LB_EACH_STATE(LB_SAME);
#undef LB_SAME
}

LB_LANE_INLINE lb_states lb_lane_zero(void)
{
    return lb_lane_spread(0.0);
}

LB_LANE_INLINE lb_states lb_lane_abs(lb_states x)
{
    return (lb_states)((lb_states_bits)x & 0x7fffffffffffffffLL);
}

LB_LANE_INLINE int lb_lane_any(lb_states_bits mask)
{
    long long any = 0;
    for (int j = 0; j < LB_STATES; ++j) {
        any |= mask[j];
    }
    return any != 0;
}

LB_LANE_INLINE lb_states_bits lb_lane_find_large(lb_states angle)
{
    return ~(lb_lane_abs(angle) < LB_TURN_MOST);
}

/// Sines and cosines of the large ones among the angles, the slow way.
LB_LANE_INLINE void lb_lane_turn_large(lb_states angle, lb_states *sine, lb_states *cosine)
{
    const lb_states_bits large = lb_lane_find_large(angle);
    for (int j = 0; j < LB_STATES; ++j) {
        if (large[j]) {
            (*sine)[j] = sin(angle[j]);
            (*cosine)[j] = cos(angle[j]);
        }
    }
}

// Sines and cosines of angles below LB_TURN_MOST.
#if LB_STATES == 4
#define lb_turn_states lb_turn_four
#else
#define LB_TURN lb_turn_states
#define LB_TURN_LANE lb_states
#define LB_TURN_BITS lb_states_bits
#include "base/turn_lane.inc"
#endif

/// Sine and cosine of any angle.
LB_LANE_INLINE void lb_lane_turn(lb_states angle, lb_states *sine, lb_states *cosine)
{
    lb_turn_states(&angle, sine, cosine);
    if (lb_lane_any(lb_lane_find_large(angle))) {
        lb_lane_turn_large(angle, sine, cosine);
    }
}

// ---- 3-vectors and 3 x 3 matrices --------------------------------------------------------------

LB_LANE_INLINE lb_lane_vec3 lb_lane_vec3_make(lb_states x, lb_states y, lb_states z)
{
    return (lb_lane_vec3){x, y, z};
}

LB_LANE_INLINE lb_lane_vec3 lb_lane_vec3_spread(lb_vec3 a)
{
    return lb_lane_vec3_make(lb_lane_spread(a.x), lb_lane_spread(a.y), lb_lane_spread(a.z));
}

LB_LANE_INLINE lb_lane_vec3 lb_lane_vec3_add(lb_lane_vec3 a, lb_lane_vec3 b)
{
    return lb_lane_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

LB_LANE_INLINE lb_lane_vec3 lb_lane_vec3_sub(lb_lane_vec3 a, lb_lane_vec3 b)
{
    return lb_lane_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

LB_LANE_INLINE lb_lane_vec3 lb_lane_vec3_scale(lb_states s, lb_lane_vec3 a)
{
    return lb_lane_vec3_make(s * a.x, s * a.y, s * a.z);
}

/// a + s b
LB_LANE_INLINE lb_lane_vec3 lb_lane_vec3_axpy(lb_lane_vec3 a, lb_states s, lb_lane_vec3 b)
{
    return lb_lane_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

LB_LANE_INLINE lb_states lb_lane_vec3_dot(lb_lane_vec3 a, lb_lane_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LB_LANE_INLINE lb_lane_vec3 lb_lane_vec3_cross(lb_lane_vec3 a, lb_lane_vec3 b)
{
    return lb_lane_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

LB_LANE_INLINE lb_lane_mat3 lb_lane_mat3_spread(const lb_mat3 *A)
{
    lb_lane_mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = lb_lane_spread(A->m[i][j]);
        }
    }
    return r;
}

LB_LANE_INLINE lb_lane_vec3 lb_lane_mat3_row(const lb_lane_mat3 *A, int i)
{
    return lb_lane_vec3_make(A->m[i][0], A->m[i][1], A->m[i][2]);
}

/// A b
LB_LANE_INLINE lb_lane_vec3 lb_lane_mat3_mul_vec(const lb_lane_mat3 *A, lb_lane_vec3 b)
{
    return lb_lane_vec3_make(A->m[0][0] * b.x + A->m[0][1] * b.y + A->m[0][2] * b.z,
                             A->m[1][0] * b.x + A->m[1][1] * b.y + A->m[1][2] * b.z,
                             A->m[2][0] * b.x + A->m[2][1] * b.y + A->m[2][2] * b.z);
}

/// A' b
LB_LANE_INLINE lb_lane_vec3 lb_lane_mat3_tmul_vec(const lb_lane_mat3 *A, lb_lane_vec3 b)
{
    return lb_lane_vec3_make(A->m[0][0] * b.x + A->m[1][0] * b.y + A->m[2][0] * b.z,
                             A->m[0][1] * b.x + A->m[1][1] * b.y + A->m[2][1] * b.z,
                             A->m[0][2] * b.x + A->m[1][2] * b.y + A->m[2][2] * b.z);
}

/// A B
LB_LANE_INLINE lb_lane_mat3 lb_lane_mat3_mul(const lb_lane_mat3 *A, const lb_lane_mat3 *B)
{
    lb_lane_mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
        }
    }
    return r;
}

/// A B'
LB_LANE_INLINE lb_lane_mat3 lb_lane_mat3_mul_t(const lb_lane_mat3 *A, const lb_lane_mat3 *B)
{
    lb_lane_mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = A->m[i][0] * B->m[j][0] + A->m[i][1] * B->m[j][1] + A->m[i][2] * B->m[j][2];
        }
    }
    return r;
}

/// Rotation of a unit quaternion w x y z.
LB_LANE_INLINE lb_lane_mat3 lb_lane_quat_to_mat3(const lb_states q[4])
{
    const lb_states xx = q[1] * q[1], yy = q[2] * q[2], zz = q[3] * q[3];
    const lb_states xy = q[1] * q[2], xz = q[1] * q[3], yz = q[2] * q[3];
    const lb_states wx = q[0] * q[1], wy = q[0] * q[2], wz = q[0] * q[3];
    return (lb_lane_mat3){{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                           {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                           {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
}

// ---- symmetric 3 x 3 ---------------------------------------------------------------------------

LB_LANE_INLINE lb_lane_sym3 lb_lane_sym3_spread(lb_sym3 a)
{
    return (lb_lane_sym3){lb_lane_spread(a.xx), lb_lane_spread(a.yy), lb_lane_spread(a.zz),
                          lb_lane_spread(a.xy), lb_lane_spread(a.xz), lb_lane_spread(a.yz)};
}

/// What a sum is before something is added: itself, or the constant that it starts from.
LB_LANE_INLINE lb_states lb_lane_before(const double *start, lb_states sum)
{
    return start ? lb_lane_spread(*start) : sum;
}

/// P += M, or `start` + M if that is not NULL.
LB_LANE_INLINE void lb_lane_sym3_sum(lb_lane_sym3 *P, const lb_sym3 *start, lb_lane_sym3 M)
{
    P->xx = lb_lane_before(start ? &start->xx : NULL, P->xx) + M.xx;
    P->yy = lb_lane_before(start ? &start->yy : NULL, P->yy) + M.yy;
    P->zz = lb_lane_before(start ? &start->zz : NULL, P->zz) + M.zz;
    P->xy = lb_lane_before(start ? &start->xy : NULL, P->xy) + M.xy;
    P->xz = lb_lane_before(start ? &start->xz : NULL, P->xz) + M.xz;
    P->yz = lb_lane_before(start ? &start->yz : NULL, P->yz) + M.yz;
}

LB_LANE_INLINE lb_lane_vec3 lb_lane_sym3_mul_vec(lb_lane_sym3 a, lb_lane_vec3 b)
{
    return lb_lane_vec3_make(a.xx * b.x + a.xy * b.y + a.xz * b.z,
                             a.xy * b.x + a.yy * b.y + a.yz * b.z,
                             a.xz * b.x + a.yz * b.y + a.zz * b.z);
}

/// R S R'
LB_LANE_INLINE lb_lane_sym3 lb_lane_sym3_rotate(const lb_lane_mat3 *R, lb_lane_sym3 S)
{
    const lb_lane_vec3 a = lb_lane_mat3_row(R, 0), b = lb_lane_mat3_row(R, 1);
    const lb_lane_vec3 c = lb_lane_mat3_row(R, 2);
    const lb_lane_vec3 Sa = lb_lane_sym3_mul_vec(S, a), Sb = lb_lane_sym3_mul_vec(S, b);
    const lb_lane_vec3 Sc = lb_lane_sym3_mul_vec(S, c);
    return (lb_lane_sym3){lb_lane_vec3_dot(Sa, a), lb_lane_vec3_dot(Sb, b),
                          lb_lane_vec3_dot(Sc, c), lb_lane_vec3_dot(Sa, b),
                          lb_lane_vec3_dot(Sa, c), lb_lane_vec3_dot(Sb, c)};
}

// ---- spatial vectors ---------------------------------------------------------------------------

LB_LANE_INLINE lb_lane_vec6 lb_lane_vec6_make(lb_lane_vec3 w, lb_lane_vec3 v)
{
    return (lb_lane_vec6){w, v};
}

LB_LANE_INLINE lb_lane_vec6 lb_lane_vec6_zero(void)
{
    const lb_lane_vec3 zero = lb_lane_vec3_make(lb_lane_zero(), lb_lane_zero(), lb_lane_zero());
    return lb_lane_vec6_make(zero, zero);
}

LB_LANE_INLINE lb_lane_vec6 lb_lane_vec6_spread(lb_vec6 a)
{
    return lb_lane_vec6_make(lb_lane_vec3_spread(a.w), lb_lane_vec3_spread(a.v));
}

LB_LANE_INLINE lb_lane_vec6 lb_lane_vec6_add(lb_lane_vec6 a, lb_lane_vec6 b)
{
    return lb_lane_vec6_make(lb_lane_vec3_add(a.w, b.w), lb_lane_vec3_add(a.v, b.v));
}

/// a + s b
LB_LANE_INLINE lb_lane_vec6 lb_lane_vec6_axpy(lb_lane_vec6 a, lb_states s, lb_lane_vec6 b)
{
    return lb_lane_vec6_make(lb_lane_vec3_axpy(a.w, s, b.w), lb_lane_vec3_axpy(a.v, s, b.v));
}

LB_LANE_INLINE lb_states lb_lane_vec6_dot(lb_lane_vec6 a, lb_lane_vec6 b)
{
    return lb_lane_vec3_dot(a.w, b.w) + lb_lane_vec3_dot(a.v, b.v);
}

/// phi*(p,k): carries a velocity or acceleration from frame p to frame k, k at pose X_pk in p.
LB_LANE_INLINE lb_lane_vec6 lb_lane_carry_motion(const lb_lane_pose *X, lb_lane_vec6 a)
{
    const lb_lane_vec3 v = lb_lane_vec3_sub(a.v, lb_lane_vec3_cross(X->p, a.w));
    return lb_lane_vec6_make(lb_lane_mat3_tmul_vec(&X->R, a.w), lb_lane_mat3_tmul_vec(&X->R, v));
}

/// phi(p,k): carries a force or momentum from frame k to frame p, k at pose X_pk in p.
LB_LANE_INLINE lb_lane_vec6 lb_lane_carry_force(const lb_lane_pose *X, lb_lane_vec6 f)
{
    const lb_lane_vec3 force = lb_lane_mat3_mul_vec(&X->R, f.v);
    const lb_lane_vec3 moment = lb_lane_mat3_mul_vec(&X->R, f.w);
    return lb_lane_vec6_make(lb_lane_vec3_add(moment, lb_lane_vec3_cross(X->p, force)), force);
}

// ---- inertias ----------------------------------------------------------------------------------

LB_LANE_INLINE lb_lane_inertia lb_lane_inertia_spread(const lb_inertia *M)
{
    return (lb_lane_inertia){lb_lane_spread(M->m), lb_lane_vec3_spread(M->h),
                             lb_lane_sym3_spread(M->J)};
}

/// M a of a rigid body: momentum from velocity, or force from acceleration.
LB_LANE_INLINE lb_lane_vec6 lb_lane_inertia_mul(const lb_lane_inertia *M, lb_lane_vec6 a)
{
    return lb_lane_vec6_make(
        lb_lane_vec3_add(lb_lane_sym3_mul_vec(M->J, a.w), lb_lane_vec3_cross(M->h, a.v)),
        lb_lane_vec3_sub(lb_lane_vec3_scale(M->m, a.v), lb_lane_vec3_cross(M->h, a.w)));
}

/// phi(p,k) M(k) phi*(p,k): the inertia of k about p's origin, in p's axes.
LB_LANE_INLINE lb_lane_inertia lb_lane_inertia_carry(const lb_lane_pose *X,
                                                     const lb_lane_inertia *M)
{
    lb_lane_inertia r;
    const lb_lane_vec3 h = lb_lane_mat3_mul_vec(&X->R, M->h), p = X->p;
    r.m = M->m;
    r.h = lb_lane_vec3_axpy(h, M->m, p);
    // J' = R J R' - p~h~ - h~p~ - m p~p~, with a~b~ = b a' - (a.b) I
    const lb_lane_vec3 s = lb_lane_vec3_axpy(h, 0.5 * M->m, p);
    const lb_states xx = p.x * s.x, yy = p.y * s.y, zz = p.z * s.z;
    r.J = lb_lane_sym3_rotate(&X->R, M->J);
    r.J.xx += 2.0 * (yy + zz);
    r.J.yy += 2.0 * (xx + zz);
    r.J.zz += 2.0 * (xx + yy);
    r.J.xy -= p.x * s.y + p.y * s.x;
    r.J.xz -= p.x * s.z + p.z * s.x;
    r.J.yz -= p.y * s.z + p.z * s.y;
    return r;
}

/// [J h~; -h~ m I] of a rigid body.
LB_LANE_INLINE lb_lane_sym6 lb_lane_sym6_spread(const lb_inertia *M)
{
    const lb_states zero = lb_lane_zero(), m = lb_lane_spread(M->m);
    const lb_lane_vec3 h = lb_lane_vec3_spread(M->h);
    return (lb_lane_sym6){lb_lane_sym3_spread(M->J),
                          {{{zero, -h.z, h.y}, {h.z, zero, -h.x}, {-h.y, h.x, zero}}},
                          {m, m, m, zero, zero, zero}};
}

LB_LANE_INLINE lb_lane_vec6 lb_lane_sym6_mul(const lb_lane_sym6 *P, lb_lane_vec6 a)
{
    return lb_lane_vec6_make(
        lb_lane_vec3_add(lb_lane_sym3_mul_vec(P->J, a.w), lb_lane_mat3_mul_vec(&P->H, a.v)),
        lb_lane_vec3_add(lb_lane_mat3_tmul_vec(&P->H, a.w), lb_lane_sym3_mul_vec(P->M, a.v)));
}

/// P -= g u', where that is symmetric, by itself or in a sum of such
LB_LANE_INLINE void lb_lane_sym6_subtract_product(lb_lane_sym6 *P, lb_lane_vec6 g, lb_lane_vec6 u)
{
    const lb_states w[3] = {g.w.x, g.w.y, g.w.z};
    P->J.xx -= g.w.x * u.w.x;
    P->J.yy -= g.w.y * u.w.y;
    P->J.zz -= g.w.z * u.w.z;
    P->J.xy -= g.w.x * u.w.y;
    P->J.xz -= g.w.x * u.w.z;
    P->J.yz -= g.w.y * u.w.z;
    for (int i = 0; i < 3; ++i) {
        P->H.m[i][0] -= w[i] * u.v.x;
        P->H.m[i][1] -= w[i] * u.v.y;
        P->H.m[i][2] -= w[i] * u.v.z;
    }
    P->M.xx -= g.v.x * u.v.x;
    P->M.yy -= g.v.y * u.v.y;
    P->M.zz -= g.v.z * u.v.z;
    P->M.xy -= g.v.x * u.v.y;
    P->M.xz -= g.v.x * u.v.z;
    P->M.yz -= g.v.y * u.v.z;
}

/// Shifts row i of a turned H by p, K = H + p~M, and adds it to P: returns K.
LB_LANE_INLINE lb_lane_vec3 lb_lane_shift_row(int i, lb_lane_vec3 p, lb_lane_vec3 H,
                                              const lb_lane_sym3 *M, const lb_sym6 *start,
                                              lb_lane_sym6 *P)
{
    const lb_lane_vec3 x = {M->xx, M->xy, M->xz}, y = {M->xy, M->yy, M->yz};
    const lb_lane_vec3 z = {M->xz, M->yz, M->zz};
    const lb_lane_vec3 a = i == 0 ? z : i == 1 ? x : y, b = i == 0 ? y : i == 1 ? z : x;
    const lb_states s = i == 0 ? p.y : i == 1 ? p.z : p.x, t = i == 0 ? p.z : i == 1 ? p.x : p.y;
    const lb_lane_vec3 K = lb_lane_vec3_make(H.x + s * a.x - t * b.x, H.y + s * a.y - t * b.y,
                                             H.z + s * a.z - t * b.z);
    P->H.m[i][0] = lb_lane_before(start ? &start->H.m[i][0] : NULL, P->H.m[i][0]) + K.x;
    P->H.m[i][1] = lb_lane_before(start ? &start->H.m[i][1] : NULL, P->H.m[i][1]) + K.y;
    P->H.m[i][2] = lb_lane_before(start ? &start->H.m[i][2] : NULL, P->H.m[i][2]) + K.z;
    return K;
}

/// P += phi(p,k) Q phi*(p,k)
LB_LANE_INLINE void lb_lane_sym6_add_carried(lb_lane_sym6 *P, const lb_lane_pose *X,
                                             const lb_lane_sym6 *Q)
{
    const lb_lane_sym3 J = lb_lane_sym3_rotate(&X->R, Q->J), M = lb_lane_sym3_rotate(&X->R, Q->M);
    const lb_lane_mat3 RH = lb_lane_mat3_mul(&X->R, &Q->H);
    const lb_lane_mat3 H = lb_lane_mat3_mul_t(&RH, &X->R);
    const lb_lane_vec3 p = X->p;
    const lb_lane_vec3 H0 = lb_lane_mat3_row(&H, 0), H1 = lb_lane_mat3_row(&H, 1);
    const lb_lane_vec3 H2 = lb_lane_mat3_row(&H, 2);

    // shift: J + p~H' - K p~
    lb_lane_sym3_sum(&P->M, NULL, M);
    const lb_lane_vec3 K0 = lb_lane_shift_row(0, p, H0, &M, NULL, P);
    const lb_lane_vec3 K1 = lb_lane_shift_row(1, p, H1, &M, NULL, P);
    const lb_lane_vec3 K2 = lb_lane_shift_row(2, p, H2, &M, NULL, P);
    const lb_lane_sym3 shifted = {J.xx + p.y * (H0.z + K0.z) - p.z * (H0.y + K0.y),
                                  J.yy + p.z * (H1.x + K1.x) - p.x * (H1.z + K1.z),
                                  J.zz + p.x * (H2.y + K2.y) - p.y * (H2.x + K2.x),
                                  J.xy + p.y * H1.z + p.z * (K0.x - H1.y) - p.x * K0.z,
                                  J.xz + p.y * (H2.z - K0.x) + p.x * K0.y - p.z * H2.y,
                                  J.yz + p.z * H2.x + p.x * (K1.y - H2.z) - p.y * K1.x};
    lb_lane_sym3_sum(&P->J, NULL, shifted);
}

#endif // LB_LANES_H
