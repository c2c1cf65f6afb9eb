// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The small value types against their definitions, written out as dense matrices.
#include <math.h>
#include <string.h>

#include "check.h"

// A few dozen roundings on numbers of order 1.
static const double LB_TOLERANCE = 1e-14;

typedef double lb_dense6[6][6];

static lb_vec3 lb_draw_vec3(lb_random *random)
{
    double x[3];
    lb_draw_vector(random, 3, 1.0, x);
    return lb_vec3_from(x);
}

static lb_vec6 lb_draw_vec6(lb_random *random)
{
    const lb_vec3 w = lb_draw_vec3(random);
    return lb_vec6_make(w, lb_draw_vec3(random));
}

static lb_pose lb_draw_pose(lb_random *random)
{
    double q[4];
    lb_draw_quaternion(random, q);
    const lb_pose X = {lb_quat_to_mat3(lb_quat_from(q)), lb_draw_vec3(random)};
    return X;
}

static lb_sym3 lb_draw_sym3(lb_random *random)
{
    double x[6];
    lb_draw_vector(random, 6, 1.0, x);
    return lb_sym3_from(x);
}

static lb_mat3 lb_tilde(lb_vec3 a)
{
    const lb_mat3 r = {{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
    return r;
}

static lb_mat3 lb_full(lb_sym3 a)
{
    const lb_mat3 r = {{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}};
    return r;
}

static void lb_unpack(lb_vec6 a, double x[6])
{
    lb_vec3_to(a.w, x);
    lb_vec3_to(a.v, x + 3);
}

// phi(p,k) of a pose: [R, p~R; 0, R]. Its transpose carries motion.
static void lb_make_phi(const lb_pose *X, lb_dense6 phi)
{
    const lb_mat3 t = lb_tilde(X->p), tR = lb_mat3_mul(&t, &X->R);
    memset(phi, 0, sizeof(lb_dense6));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            phi[i][j] = phi[3 + i][3 + j] = X->R.m[i][j];
            phi[i][3 + j] = tR.m[i][j];
        }
    }
}

// [J, H; H', M]
static void lb_make_sym6(const lb_sym6 *P, lb_dense6 out)
{
    const lb_mat3 J = lb_full(P->J), M = lb_full(P->M);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[i][j] = J.m[i][j];
            out[3 + i][3 + j] = M.m[i][j];
            out[i][3 + j] = P->H.m[i][j];
            out[3 + j][i] = P->H.m[i][j];
        }
    }
}

// [J, h~; -h~, m]
static void lb_make_inertia(const lb_inertia *I, lb_dense6 out)
{
    const lb_mat3 J = lb_full(I->J), h = lb_tilde(I->h);
    memset(out, 0, sizeof(lb_dense6));
    for (int i = 0; i < 3; ++i) {
        out[3 + i][3 + i] = I->m;
        for (int j = 0; j < 3; ++j) {
            out[i][j] = J.m[i][j];
            out[i][3 + j] = h.m[i][j];
            out[3 + i][j] = -h.m[i][j];
        }
    }
}

// phi A phi'
static void lb_congruence(lb_dense6 phi, lb_dense6 A, lb_dense6 out)
{
    memset(out, 0, sizeof(lb_dense6));
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            for (int r = 0; r < 6; ++r) {
                for (int s = 0; s < 6; ++s) {
                    out[i][j] += phi[i][r] * A[r][s] * phi[j][s];
                }
            }
        }
    }
}

static void lb_expect_product(const char *what, lb_dense6 A, int transposed, lb_vec6 x, lb_vec6 got)
{
    double in[6], out[6], expected[6] = {0};
    lb_unpack(x, in);
    lb_unpack(got, out);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            expected[i] += (transposed ? A[j][i] : A[i][j]) * in[j];
        }
    }
    lb_expect_close(what, out, expected, 6, LB_TOLERANCE);
}

enum { LB_ROUND_COUNT = 100 };

static void carrying_is_multiplication_by_phi(void **state)
{
    (void)state;
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed());
    for (int i = 0; i < LB_ROUND_COUNT; ++i) {
        const lb_pose X = lb_draw_pose(&random);
        const lb_vec6 x = lb_draw_vec6(&random), y = lb_draw_vec6(&random);
        lb_dense6 phi;
        lb_make_phi(&X, phi);
        lb_expect_product("force", phi, 0, x, lb_pose_carry_force(&X, x));
        lb_expect_product("motion", phi, 1, x, lb_pose_carry_motion(&X, x));
        // power does not depend on the frame
        lb_expect_below("power",
                        lb_vec6_dot(lb_pose_carry_motion(&X, x), y) -
                            lb_vec6_dot(x, lb_pose_carry_force(&X, y)),
                        LB_TOLERANCE);
    }
}

static void inertias_are_their_dense_matrices(void **state)
{
    (void)state;
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed() + 1);
    for (int i = 0; i < LB_ROUND_COUNT; ++i) {
        const lb_pose X = lb_draw_pose(&random);
        const lb_vec6 x = lb_draw_vec6(&random);
        const lb_inertia M = {lb_draw_uniform(&random, 0.1, 2.0), lb_draw_vec3(&random),
                              lb_draw_sym3(&random)};
        const lb_inertia N = {1.0, lb_draw_vec3(&random), lb_draw_sym3(&random)};
        lb_dense6 dense, phi, carried, got;
        lb_make_inertia(&M, dense);
        lb_expect_product("M V", dense, 0, x, lb_inertia_mul(&M, x));

        lb_make_phi(&X, phi);
        lb_congruence(phi, dense, carried);
        const lb_inertia moved = lb_inertia_carry(&X, &M);
        lb_make_inertia(&moved, got);
        lb_expect_close("phi M phi'", &got[0][0], &carried[0][0], 36, LB_TOLERANCE);

        const lb_inertia sum = lb_inertia_add(&M, &N);
        lb_dense6 other, both;
        lb_make_inertia(&N, other);
        lb_make_inertia(&sum, both);
        const lb_sym6 full = lb_sym6_from_inertia(&M);
        lb_make_sym6(&full, got);
        lb_expect_close("as a full matrix", &got[0][0], &dense[0][0], 36, 0.0);
        for (int r = 0; r < 36; ++r) {
            other[r / 6][r % 6] += dense[r / 6][r % 6];
        }
        lb_expect_close("sum", &both[0][0], &other[0][0], 36, 0.0);
    }
}

static void articulated_inertias_are_their_dense_matrices(void **state)
{
    (void)state;
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed() + 2);
    for (int i = 0; i < LB_ROUND_COUNT; ++i) {
        const lb_pose X = lb_draw_pose(&random);
        const lb_vec6 x = lb_draw_vec6(&random);
        lb_sym6 P[2];
        lb_dense6 dense[2], phi, expected, got;
        for (int j = 0; j < 2; ++j) {
            P[j].J = lb_draw_sym3(&random);
            P[j].M = lb_draw_sym3(&random);
            lb_draw_vector(&random, 9, 1.0, &P[j].H.m[0][0]);
            lb_make_sym6(&P[j], dense[j]);
        }
        lb_expect_product("P a", dense[0], 0, x, lb_sym6_mul(&P[0], x));

        // P - s u u'
        double u[6];
        lb_unpack(x, u);
        lb_sym6 less = P[0];
        lb_sym6_downdate(&less, 0.7, x);
        lb_make_sym6(&less, got);
        for (int r = 0; r < 6; ++r) {
            for (int s = 0; s < 6; ++s) {
                expected[r][s] = dense[0][r][s] - 0.7 * u[r] * u[s];
            }
        }
        lb_expect_close("downdate", &got[0][0], &expected[0][0], 36, LB_TOLERANCE);

        // P + phi Q phi'
        lb_make_phi(&X, phi);
        lb_congruence(phi, dense[1], expected);
        for (int r = 0; r < 36; ++r) {
            expected[r / 6][r % 6] += dense[0][r / 6][r % 6];
        }
        lb_sym6_add_carried(&P[0], &X, &P[1]);
        lb_make_sym6(&P[0], got);
        lb_expect_close("carried sum", &got[0][0], &expected[0][0], 36, LB_TOLERANCE);
    }
}

static void three_by_three_products_are_what_they_say(void **state)
{
    (void)state;
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed() + 3);
    for (int round = 0; round < LB_ROUND_COUNT; ++round) {
        lb_mat3 A, B, product = {{{0}}}, product_t = {{{0}}}, got;
        const lb_vec3 b = lb_draw_vec3(&random), c = lb_draw_vec3(&random);
        lb_draw_vector(&random, 9, 1.0, &A.m[0][0]);
        lb_draw_vector(&random, 9, 1.0, &B.m[0][0]);
        const double x[3] = {b.x, b.y, b.z};
        double Ab[3] = {0}, Atb[3] = {0}, out[3];
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                Ab[i] += A.m[i][j] * x[j];
                Atb[i] += A.m[j][i] * x[j];
                for (int r = 0; r < 3; ++r) {
                    product.m[i][j] += A.m[i][r] * B.m[r][j];
                    product_t.m[i][j] += A.m[i][r] * B.m[j][r];
                }
            }
        }
        lb_vec3_to(lb_mat3_mul_vec(&A, b), out);
        lb_expect_close("A b", out, Ab, 3, LB_TOLERANCE);
        lb_vec3_to(lb_mat3_tmul_vec(&A, b), out);
        lb_expect_close("A' b", out, Atb, 3, LB_TOLERANCE);
        got = lb_mat3_mul(&A, &B);
        lb_expect_close("A B", &got.m[0][0], &product.m[0][0], 9, LB_TOLERANCE);
        got = lb_mat3_mul_t(&A, &B);
        lb_expect_close("A B'", &got.m[0][0], &product_t.m[0][0], 9, LB_TOLERANCE);
        const lb_mat3 At = lb_mat3_transpose(&A), back = lb_mat3_transpose(&At);
        assert_true(At.m[0][2] == A.m[2][0] && At.m[1][0] == A.m[0][1]);
        lb_expect_close("A''", &back.m[0][0], &A.m[0][0], 9, 0.0);

        // b~ c = b x c, and the inertia of a point: -m c~c~
        const lb_mat3 bt = lb_tilde(b), ct = lb_tilde(c);
        double crossed[3];
        lb_vec3_to(lb_mat3_mul_vec(&bt, c), crossed);
        lb_vec3_to(lb_vec3_cross(b, c), out);
        lb_expect_close("b x c", out, crossed, 3, LB_TOLERANCE);
        lb_mat3 point = lb_mat3_mul(&ct, &ct);
        for (int i = 0; i < 9; ++i) {
            point.m[i / 3][i % 3] *= -1.5;
        }
        got = lb_full(lb_sym3_point(1.5, c));
        lb_expect_close("-m c~c~", &got.m[0][0], &point.m[0][0], 9, LB_TOLERANCE);

        // symmetric: S b, and R S R'
        const lb_sym3 S = lb_draw_sym3(&random);
        const lb_mat3 full = lb_full(S), RS = lb_mat3_mul(&A, &full);
        const lb_mat3 RSR = lb_mat3_mul_t(&RS, &A);
        double Sb[3];
        lb_vec3_to(lb_mat3_mul_vec(&full, b), Sb);
        lb_vec3_to(lb_sym3_mul_vec(S, b), out);
        lb_expect_close("S b", out, Sb, 3, LB_TOLERANCE);
        got = lb_full(lb_sym3_rotate(&A, S));
        lb_expect_close("R S R'", &got.m[0][0], &RSR.m[0][0], 9, LB_TOLERANCE);
    }
}

static void poses_compose_and_invert(void **state)
{
    (void)state;
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed() + 4);
    for (int i = 0; i < LB_ROUND_COUNT; ++i) {
        const lb_pose A = lb_draw_pose(&random), B = lb_draw_pose(&random);
        const lb_vec3 x = lb_draw_vec3(&random);
        // a point through both, one by one: p_A + R_A (p_B + R_B x)
        const lb_vec3 inner = lb_vec3_add(B.p, lb_mat3_mul_vec(&B.R, x));
        const lb_vec3 outer = lb_vec3_add(A.p, lb_mat3_mul_vec(&A.R, inner));
        const lb_pose AB = lb_pose_mul(&A, &B);
        double got[3], expected[3];
        lb_vec3_to(lb_vec3_add(AB.p, lb_mat3_mul_vec(&AB.R, x)), got);
        lb_vec3_to(outer, expected);
        lb_expect_close("X_AB X_BC", got, expected, 3, LB_TOLERANCE);

        const lb_pose back = lb_pose_inverse(&A), one = lb_pose_mul(&back, &A);
        const lb_pose identity = lb_pose_identity();
        lb_expect_within("X^-1 X", &one.R.m[0][0], &identity.R.m[0][0], 9, LB_TOLERANCE);
        lb_expect_below("X^-1 X", lb_vec3_norm(one.p), LB_TOLERANCE);
    }
}

static void quaternions_turn_as_matrices_do(void **state)
{
    (void)state;
    // a quarter turn about z takes x to y
    const double s = sqrt(0.5);
    const lb_quat quarter = {s, 0, 0, s};
    const lb_mat3 R = lb_quat_to_mat3(quarter);
    double y[3];
    const double expected[3] = {0, 1, 0};
    lb_vec3_to(lb_mat3_mul_vec(&R, lb_vec3_make(1, 0, 0)), y);
    lb_expect_within("quarter turn", y, expected, 3, LB_TOLERANCE);
    const lb_mat3 same = lb_mat3_turn_z(1.0, 0.0);
    lb_expect_within("turn about z", &R.m[0][0], &same.m[0][0], 9, LB_TOLERANCE);

    lb_random random;
    lb_seed_random(&random, lb_get_base_seed() + 5);
    for (int i = 0; i < LB_ROUND_COUNT; ++i) {
        double a[4], b[4];
        lb_draw_quaternion(&random, a);
        lb_draw_quaternion(&random, b);
        const lb_mat3 A = lb_quat_to_mat3(lb_quat_from(a)), B = lb_quat_to_mat3(lb_quat_from(b));
        const lb_mat3 AB = lb_mat3_mul(&A, &B), AA = lb_mat3_mul_t(&A, &A);
        const lb_mat3 identity = lb_mat3_identity();
        const lb_mat3 got = lb_quat_to_mat3(lb_quat_mul(lb_quat_from(a), lb_quat_from(b)));
        lb_expect_within("product", &got.m[0][0], &AB.m[0][0], 9, LB_TOLERANCE);
        lb_expect_within("orthogonal", &AA.m[0][0], &identity.m[0][0], 9, LB_TOLERANCE);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carrying_is_multiplication_by_phi),
        cmocka_unit_test(inertias_are_their_dense_matrices),
        cmocka_unit_test(articulated_inertias_are_their_dense_matrices),
        cmocka_unit_test(three_by_three_products_are_what_they_say),
        cmocka_unit_test(poses_compose_and_invert),
        cmocka_unit_test(quaternions_turn_as_matrices_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
