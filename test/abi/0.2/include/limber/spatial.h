// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Small value types: vectors, rotations, spatial vectors and inertias. Every function is inline and
// pure.
//
// The columns of a rotation R_AB are the axes of B written in A, so it maps components in B to
// components in A. A pose X_AB adds the position of the origin of B in A. Spatial vectors have
// their angular part first. In comments, `~` is the cross-product matrix and `'` a transpose. All
// structs are frozen: they never change.
#ifndef LB_SPATIAL_H
#define LB_SPATIAL_H

#include <math.h>

/// A vector. Frozen.
typedef struct lb_vec3 {
    double x, y, z;
} lb_vec3;

/// A 3 x 3 matrix, by rows. Frozen.
typedef struct lb_mat3 {
    double m[3][3];
} lb_mat3;

/// A symmetric 3 x 3 matrix. Frozen.
typedef struct lb_sym3 {
    double xx, yy, zz, xy, xz, yz;
} lb_sym3;

/// A spatial velocity, acceleration or force: angular part (or moment), then linear part (or
/// force). Frozen.
typedef struct lb_vec6 {
    lb_vec3 w, v;
} lb_vec6;

/// Position and orientation of one frame in another. Frozen.
typedef struct lb_pose {
    lb_mat3 R;
    lb_vec3 p;
} lb_pose;

/// Inertia of a rigid body about the origin of its frame: mass, first moment m c, and inertia
/// tensor. Frozen.
typedef struct lb_inertia {
    double m;
    lb_vec3 h;
    lb_sym3 J;
} lb_inertia;

/// A symmetric 6 x 6 spatial inertia [J H; H' M], as of an articulated body. Frozen.
typedef struct lb_sym6 {
    lb_sym3 J;
    lb_mat3 H;
    lb_sym3 M;
} lb_sym6;

/// A unit quaternion, scalar first. Frozen.
typedef struct lb_quat {
    double w, x, y, z;
} lb_quat;

// ---- 3-vectors ---------------------------------------------------------------------------------

/// The vector (x, y, z).
static inline lb_vec3 lb_vec3_make(double x, double y, double z)
{
    lb_vec3 r = {x, y, z};
    return r;
}

/// A vector from an array.
static inline lb_vec3 lb_vec3_from(const double a[3])
{
    return lb_vec3_make(a[0], a[1], a[2]);
}

/// Writes a vector into an array.
static inline void lb_vec3_to(lb_vec3 a, double out[3])
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

/// a + b
static inline lb_vec3 lb_vec3_add(lb_vec3 a, lb_vec3 b)
{
    return lb_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

/// a - b
static inline lb_vec3 lb_vec3_sub(lb_vec3 a, lb_vec3 b)
{
    return lb_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

/// -a
static inline lb_vec3 lb_vec3_neg(lb_vec3 a)
{
    return lb_vec3_make(-a.x, -a.y, -a.z);
}

/// s a
static inline lb_vec3 lb_vec3_scale(double s, lb_vec3 a)
{
    return lb_vec3_make(s * a.x, s * a.y, s * a.z);
}

/// a + s b
static inline lb_vec3 lb_vec3_axpy(lb_vec3 a, double s, lb_vec3 b)
{
    return lb_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/// a . b
static inline double lb_vec3_dot(lb_vec3 a, lb_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// a x b
static inline lb_vec3 lb_vec3_cross(lb_vec3 a, lb_vec3 b)
{
    return lb_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/// Length of a vector.
static inline double lb_vec3_norm(lb_vec3 a)
{
    return sqrt(lb_vec3_dot(a, a));
}

// ---- 3 x 3 matrices ----------------------------------------------------------------------------

/// The identity matrix.
static inline lb_mat3 lb_mat3_identity(void)
{
    lb_mat3 r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return r;
}

/// A b
static inline lb_vec3 lb_mat3_mul_vec(const lb_mat3 *A, lb_vec3 b)
{
    return lb_vec3_make(A->m[0][0] * b.x + A->m[0][1] * b.y + A->m[0][2] * b.z,
                        A->m[1][0] * b.x + A->m[1][1] * b.y + A->m[1][2] * b.z,
                        A->m[2][0] * b.x + A->m[2][1] * b.y + A->m[2][2] * b.z);
}

/// A' b
static inline lb_vec3 lb_mat3_tmul_vec(const lb_mat3 *A, lb_vec3 b)
{
    return lb_vec3_make(A->m[0][0] * b.x + A->m[1][0] * b.y + A->m[2][0] * b.z,
                        A->m[0][1] * b.x + A->m[1][1] * b.y + A->m[2][1] * b.z,
                        A->m[0][2] * b.x + A->m[1][2] * b.y + A->m[2][2] * b.z);
}

/// A B
static inline lb_mat3 lb_mat3_mul(const lb_mat3 *A, const lb_mat3 *B)
{
    lb_mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
        }
    }
    return r;
}

/// A B'
static inline lb_mat3 lb_mat3_mul_t(const lb_mat3 *A, const lb_mat3 *B)
{
    lb_mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = A->m[i][0] * B->m[j][0] + A->m[i][1] * B->m[j][1] + A->m[i][2] * B->m[j][2];
        }
    }
    return r;
}

/// A'
static inline lb_mat3 lb_mat3_transpose(const lb_mat3 *A)
{
    lb_mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = A->m[j][i];
        }
    }
    return r;
}

/// Rotation about z by the angle with this sine and cosine.
static inline lb_mat3 lb_mat3_turn_z(double s, double c)
{
    lb_mat3 r = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    return r;
}

// ---- symmetric 3 x 3 ---------------------------------------------------------------------------

/// A symmetric matrix from xx yy zz xy xz yz.
static inline lb_sym3 lb_sym3_from(const double a[6])
{
    lb_sym3 r = {a[0], a[1], a[2], a[3], a[4], a[5]};
    return r;
}

/// a + b
static inline lb_sym3 lb_sym3_add(lb_sym3 a, lb_sym3 b)
{
    lb_sym3 r = {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
    return r;
}

/// a b
static inline lb_vec3 lb_sym3_mul_vec(lb_sym3 a, lb_vec3 b)
{
    return lb_vec3_make(a.xx * b.x + a.xy * b.y + a.xz * b.z, a.xy * b.x + a.yy * b.y + a.yz * b.z,
                        a.xz * b.x + a.yz * b.y + a.zz * b.z);
}

/// R S R'
static inline lb_sym3 lb_sym3_rotate(const lb_mat3 *R, lb_sym3 S)
{
    // rows of R S, then the six products that are needed
    lb_vec3 r[3];
    for (int i = 0; i < 3; ++i) {
        r[i] = lb_sym3_mul_vec(S, lb_vec3_from(R->m[i]));
    }
    lb_sym3 out = {
        lb_vec3_dot(r[0], lb_vec3_from(R->m[0])), lb_vec3_dot(r[1], lb_vec3_from(R->m[1])),
        lb_vec3_dot(r[2], lb_vec3_from(R->m[2])), lb_vec3_dot(r[0], lb_vec3_from(R->m[1])),
        lb_vec3_dot(r[0], lb_vec3_from(R->m[2])), lb_vec3_dot(r[1], lb_vec3_from(R->m[2]))};
    return out;
}

/// m (c.c I - c c'), which is -m c~c~: inertia of a point mass m at c about the origin.
static inline lb_sym3 lb_sym3_point(double m, lb_vec3 c)
{
    lb_sym3 r = {m * (c.y * c.y + c.z * c.z),
                 m * (c.x * c.x + c.z * c.z),
                 m * (c.x * c.x + c.y * c.y),
                 -m * c.x * c.y,
                 -m * c.x * c.z,
                 -m * c.y * c.z};
    return r;
}

// ---- spatial vectors ---------------------------------------------------------------------------

/// The zero vector.
static inline lb_vec6 lb_vec6_zero(void)
{
    lb_vec6 r = {{0, 0, 0}, {0, 0, 0}};
    return r;
}

/// A spatial vector from its angular and its linear part.
static inline lb_vec6 lb_vec6_make(lb_vec3 w, lb_vec3 v)
{
    lb_vec6 r = {w, v};
    return r;
}

/// a + b
static inline lb_vec6 lb_vec6_add(lb_vec6 a, lb_vec6 b)
{
    return lb_vec6_make(lb_vec3_add(a.w, b.w), lb_vec3_add(a.v, b.v));
}

/// a - b
static inline lb_vec6 lb_vec6_sub(lb_vec6 a, lb_vec6 b)
{
    return lb_vec6_make(lb_vec3_sub(a.w, b.w), lb_vec3_sub(a.v, b.v));
}

/// a + s b
static inline lb_vec6 lb_vec6_axpy(lb_vec6 a, double s, lb_vec6 b)
{
    return lb_vec6_make(lb_vec3_axpy(a.w, s, b.w), lb_vec3_axpy(a.v, s, b.v));
}

/// a' b: for a force and a velocity, the power
static inline double lb_vec6_dot(lb_vec6 a, lb_vec6 b)
{
    return lb_vec3_dot(a.w, b.w) + lb_vec3_dot(a.v, b.v);
}

/// phi*(p,k) a: the velocity or acceleration of frame p as that of frame k, which is fixed to it at
/// the pose X = X_pk.
static inline lb_vec6 lb_pose_carry_motion(const lb_pose *X, lb_vec6 a)
{
    const lb_vec3 v = lb_vec3_sub(a.v, lb_vec3_cross(X->p, a.w));
    return lb_vec6_make(lb_mat3_tmul_vec(&X->R, a.w), lb_mat3_tmul_vec(&X->R, v));
}

/// phi(p,k) f: a force or momentum at frame k as one at frame p; k has the pose X = X_pk in p.
static inline lb_vec6 lb_pose_carry_force(const lb_pose *X, lb_vec6 f)
{
    const lb_vec3 force = lb_mat3_mul_vec(&X->R, f.v);
    const lb_vec3 moment = lb_mat3_mul_vec(&X->R, f.w);
    return lb_vec6_make(lb_vec3_add(moment, lb_vec3_cross(X->p, force)), force);
}

// ---- poses -------------------------------------------------------------------------------------

/// The identity pose.
static inline lb_pose lb_pose_identity(void)
{
    lb_pose r = {lb_mat3_identity(), {0, 0, 0}};
    return r;
}

/// X_AB X_BC = X_AC
static inline lb_pose lb_pose_mul(const lb_pose *A, const lb_pose *B)
{
    lb_pose r;
    r.R = lb_mat3_mul(&A->R, &B->R);
    r.p = lb_vec3_add(A->p, lb_mat3_mul_vec(&A->R, B->p));
    return r;
}

/// X_BA from X_AB
static inline lb_pose lb_pose_inverse(const lb_pose *A)
{
    lb_pose r;
    r.R = lb_mat3_transpose(&A->R);
    r.p = lb_vec3_neg(lb_mat3_tmul_vec(&A->R, A->p));
    return r;
}

// ---- inertias ----------------------------------------------------------------------------------

/// M a of a rigid body: momentum from velocity, or force from acceleration.
static inline lb_vec6 lb_inertia_mul(const lb_inertia *M, lb_vec6 a)
{
    return lb_vec6_make(lb_vec3_add(lb_sym3_mul_vec(M->J, a.w), lb_vec3_cross(M->h, a.v)),
                        lb_vec3_sub(lb_vec3_scale(M->m, a.v), lb_vec3_cross(M->h, a.w)));
}

/// phi(p,k) M phi*(p,k): the inertia of k about the origin of p, in the axes of p.
static inline lb_inertia lb_inertia_carry(const lb_pose *X, const lb_inertia *M)
{
    lb_inertia r;
    const lb_vec3 h = lb_mat3_mul_vec(&X->R, M->h), p = X->p;
    r.m = M->m;
    r.h = lb_vec3_axpy(h, M->m, p);
    // J' = R J R' - p~h~ - h~p~ - m p~p~, with a~b~ = b a' - (a.b) I
    const lb_vec3 s = lb_vec3_axpy(h, 0.5 * M->m, p);
    const double d = 2.0 * lb_vec3_dot(p, s);
    r.J = lb_sym3_rotate(&X->R, M->J);
    r.J.xx += d - 2.0 * p.x * s.x;
    r.J.yy += d - 2.0 * p.y * s.y;
    r.J.zz += d - 2.0 * p.z * s.z;
    r.J.xy -= p.x * s.y + p.y * s.x;
    r.J.xz -= p.x * s.z + p.z * s.x;
    r.J.yz -= p.y * s.z + p.z * s.y;
    return r;
}

/// a + b, both about the same origin and in the same axes
static inline lb_inertia lb_inertia_add(const lb_inertia *a, const lb_inertia *b)
{
    lb_inertia r = {a->m + b->m, lb_vec3_add(a->h, b->h), lb_sym3_add(a->J, b->J)};
    return r;
}

/// The inertia of a rigid body as a 6 x 6 matrix.
static inline lb_sym6 lb_sym6_from_inertia(const lb_inertia *M)
{
    const lb_vec3 h = M->h;
    lb_sym6 r = {
        M->J, {{{0, -h.z, h.y}, {h.z, 0, -h.x}, {-h.y, h.x, 0}}}, {M->m, M->m, M->m, 0, 0, 0}};
    return r;
}

/// P a
static inline lb_vec6 lb_sym6_mul(const lb_sym6 *P, lb_vec6 a)
{
    return lb_vec6_make(lb_vec3_add(lb_sym3_mul_vec(P->J, a.w), lb_mat3_mul_vec(&P->H, a.v)),
                        lb_vec3_add(lb_mat3_tmul_vec(&P->H, a.w), lb_sym3_mul_vec(P->M, a.v)));
}

/// P -= au u', for products that are symmetric by themselves or in a sum
static inline void lb_sym6_subtract_product(lb_sym6 *P, lb_vec6 au, lb_vec6 u)
{
    const lb_vec3 a = au.w, b = au.v;
    P->J.xx -= a.x * u.w.x;
    P->J.yy -= a.y * u.w.y;
    P->J.zz -= a.z * u.w.z;
    P->J.xy -= a.x * u.w.y;
    P->J.xz -= a.x * u.w.z;
    P->J.yz -= a.y * u.w.z;
    P->H.m[0][0] -= a.x * u.v.x;
    P->H.m[0][1] -= a.x * u.v.y;
    P->H.m[0][2] -= a.x * u.v.z;
    P->H.m[1][0] -= a.y * u.v.x;
    P->H.m[1][1] -= a.y * u.v.y;
    P->H.m[1][2] -= a.y * u.v.z;
    P->H.m[2][0] -= a.z * u.v.x;
    P->H.m[2][1] -= a.z * u.v.y;
    P->H.m[2][2] -= a.z * u.v.z;
    P->M.xx -= b.x * u.v.x;
    P->M.yy -= b.y * u.v.y;
    P->M.zz -= b.z * u.v.z;
    P->M.xy -= b.x * u.v.y;
    P->M.xz -= b.x * u.v.z;
    P->M.yz -= b.y * u.v.z;
}

/// P -= s u u'
static inline void lb_sym6_downdate(lb_sym6 *P, double s, lb_vec6 u)
{
    lb_sym6_subtract_product(P, lb_vec6_make(lb_vec3_scale(s, u.w), lb_vec3_scale(s, u.v)), u);
}

/// P += Q
static inline void lb_sym6_add(lb_sym6 *P, const lb_sym6 *Q)
{
    P->J = lb_sym3_add(P->J, Q->J);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            P->H.m[i][j] += Q->H.m[i][j];
        }
    }
    P->M = lb_sym3_add(P->M, Q->M);
}

/// phi(p,k) Q phi*(p,k): the articulated inertia of k at the origin of p, in the axes of p.
static inline lb_sym6 lb_sym6_carry(const lb_pose *X, const lb_sym6 *Q)
{
    // turn: J and M as R S R', H as R H R'
    const lb_sym3 J = lb_sym3_rotate(&X->R, Q->J), M = lb_sym3_rotate(&X->R, Q->M);
    const lb_mat3 RH = lb_mat3_mul(&X->R, &Q->H);
    const lb_mat3 H = lb_mat3_mul_t(&RH, &X->R);
    const lb_vec3 p = X->p;

    // shift: K = H + p~M, then J + p~H' - K p~ (symmetric: six entries, terms in one p together)
    const lb_vec3 c0 = lb_vec3_cross(p, lb_vec3_make(M.xx, M.xy, M.xz));
    const lb_vec3 c1 = lb_vec3_cross(p, lb_vec3_make(M.xy, M.yy, M.yz));
    const lb_vec3 c2 = lb_vec3_cross(p, lb_vec3_make(M.xz, M.yz, M.zz));
    const lb_mat3 K = {{{H.m[0][0] + c0.x, H.m[0][1] + c1.x, H.m[0][2] + c2.x},
                        {H.m[1][0] + c0.y, H.m[1][1] + c1.y, H.m[1][2] + c2.y},
                        {H.m[2][0] + c0.z, H.m[2][1] + c1.z, H.m[2][2] + c2.z}}};
    lb_sym6 r = {{J.xx + (p.y * (H.m[0][2] + K.m[0][2]) - p.z * (H.m[0][1] + K.m[0][1])),
                  J.yy + (p.z * (H.m[1][0] + K.m[1][0]) - p.x * (H.m[1][2] + K.m[1][2])),
                  J.zz + (p.x * (H.m[2][1] + K.m[2][1]) - p.y * (H.m[2][0] + K.m[2][0])),
                  J.xy + (p.z * (K.m[0][0] - H.m[1][1]) + p.y * H.m[1][2] - p.x * K.m[0][2]),
                  J.xz + (p.y * (H.m[2][2] - K.m[0][0]) + p.x * K.m[0][1] - p.z * H.m[2][1]),
                  J.yz + (p.x * (K.m[1][1] - H.m[2][2]) + p.z * H.m[2][0] - p.y * K.m[1][0])},
                 K,
                 M};
    return r;
}

/// P += phi(p,k) Q phi*(p,k)
static inline void lb_sym6_add_carried(lb_sym6 *P, const lb_pose *X, const lb_sym6 *Q)
{
    const lb_sym6 carried = lb_sym6_carry(X, Q);
    lb_sym6_add(P, &carried);
}

// ---- quaternions -------------------------------------------------------------------------------

/// The quaternion w + x i + y j + z k.
static inline lb_quat lb_quat_make(double w, double x, double y, double z)
{
    lb_quat r = {w, x, y, z};
    return r;
}

/// A quaternion from an array w x y z.
static inline lb_quat lb_quat_from(const double a[4])
{
    return lb_quat_make(a[0], a[1], a[2], a[3]);
}

/// Writes a quaternion into an array w x y z.
static inline void lb_quat_to(lb_quat q, double out[4])
{
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

/// q scaled to unit length; q must not be zero.
static inline lb_quat lb_quat_normalize(lb_quat q)
{
    const double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    lb_quat r = {s * q.w, s * q.x, s * q.y, s * q.z};
    return r;
}

/// The rotation matrix of a unit quaternion.
static inline lb_mat3 lb_quat_to_mat3(lb_quat q)
{
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    lb_mat3 r = {{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                  {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                  {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
    return r;
}

/// The product a b: first the rotation b, then a.
static inline lb_quat lb_quat_mul(lb_quat a, lb_quat b)
{
    lb_quat r = {
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    };
    return r;
}

/// The unit quaternion, with w >= 0, of a rotation matrix.
static inline lb_quat lb_quat_from_mat3(const lb_mat3 *R)
{
    // the largest of 4w^2, 4x^2, 4y^2, 4z^2 keeps all digits
    const double xx = R->m[0][0], yy = R->m[1][1], zz = R->m[2][2];
    const double a = R->m[2][1] - R->m[1][2], b = R->m[0][2] - R->m[2][0];
    const double c = R->m[1][0] - R->m[0][1];
    const double d = R->m[0][1] + R->m[1][0], e = R->m[0][2] + R->m[2][0];
    const double f = R->m[1][2] + R->m[2][1];
    lb_quat q;
    if (xx + yy + zz > 0) {
        q = lb_quat_make(1 + xx + yy + zz, a, b, c);
    } else if (xx >= yy && xx >= zz) {
        q = lb_quat_make(a, 1 + xx - yy - zz, d, e);
    } else if (yy >= zz) {
        q = lb_quat_make(b, d, 1 + yy - xx - zz, f);
    } else {
        q = lb_quat_make(c, e, f, 1 + zz - xx - yy);
    }
    q = lb_quat_normalize(q);
    return q.w < 0 ? lb_quat_make(-q.w, -q.x, -q.y, -q.z) : q;
}

/// The rotation vector of a unit quaternion; at most pi long.
static inline lb_vec3 lb_quat_log(lb_quat q)
{
    if (q.w < 0) {
        q = lb_quat_make(-q.w, -q.x, -q.y, -q.z);
    }
    const lb_vec3 u = {q.x, q.y, q.z};
    const double s = lb_vec3_norm(u);
    // 2 atan2(s, w) / s tends to 2 / w
    const double scale = s < 1e-12 ? 2.0 / q.w : 2.0 * atan2(s, q.w) / s;
    return lb_vec3_scale(scale, u);
}

#endif // LB_SPATIAL_H
