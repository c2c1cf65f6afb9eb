// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The four hand-derived mass matrices of "Generalized Mass Matrix of MBS" (Concurrent Dynamics
// International, 2018), at random parameters. Its vectors are in inertial axes: d(i) from the
// parent's hinge to this body's, s(i) from this body's hinge to its centre of mass, r(i) = position
// of the centre, I(i) the inertia about the centre. Each formula is written out as printed there.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

// 1e-12 throughout: at most three bodies, a few hundred operations, cancellation by 100 or so.
static const double LB_TOLERANCE = 1e-12;

static const lb_vec3 LB_EX = {1, 0, 0}, LB_EZ = {0, 0, 1};

// ---- the formulas' vocabulary ------------------------------------------------------------------

// a~ b~
static lb_mat3 lb_tilde_tilde(lb_vec3 a, lb_vec3 b)
{
    const lb_mat3 A = {{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
    const lb_mat3 B = {{{0, -b.z, b.y}, {b.z, 0, -b.x}, {-b.y, b.x, 0}}};
    return lb_mat3_mul(&A, &B);
}

// I - m a~ b~, the bracket of which all entries are made
static lb_mat3 lb_bracket(const lb_mat3 *I, double m, lb_vec3 a, lb_vec3 b)
{
    const lb_mat3 ab = lb_tilde_tilde(a, b);
    lb_mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = I->m[i][j] - m * ab.m[i][j];
        }
    }
    return r;
}

// a' A b
static double lb_form(lb_vec3 a, lb_mat3 A, lb_vec3 b)
{
    return lb_vec3_dot(a, lb_mat3_mul_vec(&A, b));
}

// ---- random parameters -------------------------------------------------------------------------

// A link as both sides see it: in its own frame (hinge at the origin), and in inertial axes.
typedef struct lb_link {
    double m;
    double s_own[3], d_own[3], I_own[6]; // d in the parent's frame
    lb_vec3 s, d;
    lb_mat3 I;
} lb_link;

static lb_link lb_draw_link(lb_random *random)
{
    lb_link link;
    memset(&link, 0, sizeof link);
    link.m = lb_draw_uniform(random, 0.5, 3.0);
    lb_draw_vector(random, 3, 1.0, link.s_own);
    lb_draw_vector(random, 3, 1.0, link.d_own);
    // any symmetric matrix that is dominated by its diagonal
    lb_draw_vector(random, 6, 0.1, link.I_own);
    for (int i = 0; i < 3; ++i) {
        link.I_own[i] = lb_draw_uniform(random, 0.5, 0.9);
    }
    return link;
}

// s and I of the link in inertial axes, where its frame is turned by R and its parent's by R_parent
static void lb_turn_link(lb_link *link, const lb_mat3 *R_parent, const lb_mat3 *R)
{
    const lb_sym3 I = lb_sym3_rotate(R, lb_sym3_from(link->I_own));
    const lb_mat3 full = {{{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}}};
    link->s = lb_mat3_mul_vec(R, lb_vec3_from(link->s_own));
    link->d = lb_mat3_mul_vec(R_parent, lb_vec3_from(link->d_own));
    link->I = full;
}

static lb_mat3 lb_turn_x(double angle)
{
    const double c = cos(angle), s = sin(angle);
    const lb_mat3 R = {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
    return R;
}

// ---- the same as a model -----------------------------------------------------------------------

// Adds a link on a hinge; its parent gets a node at d where the hinge sits.
static void lb_add_link(lb_builder *builder, const char *name, const char *parent, int parent_index,
                        const lb_link *link, lb_hinge_type type, lb_vec3 axis)
{
    lb_body_options body = lb_default_body_options();
    body.name = name;
    body.parent = parent;
    body.hinge.type = type;
    lb_vec3_to(axis, body.hinge.axis);
    body.mass = link->m;
    memcpy(body.com, link->s_own, sizeof body.com);
    memcpy(body.inertia, link->I_own, sizeof body.inertia);
    if (parent_index != LB_GROUND) {
        body.at = name;
        lb_expect_ok(lb_add_node(builder, parent_index, name, link->d_own, NULL));
    }
    lb_expect_ok(lb_add_body(builder, &body, NULL));
}

// Mass matrix of what was built, and the end of the builder.
static void lb_get_mass(lb_builder *builder, const double *q, double *M)
{
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_work *work = lb_create_work(model);
    assert_non_null(work);
    lb_expect_ok(lb_compute_mass_matrix(model, work, q, M));
    lb_destroy_work(work);
    lb_destroy_model(model);
    lb_destroy_builder(builder);
}

enum { LB_TRIAL_COUNT = 50 };

// ---- the four examples -------------------------------------------------------------------------

// Example 1: M = [m1 + m2, m2 L cos(theta); m2 L cos(theta), Izz + m2 L^2]
static void pendulum_on_a_moving_base(void **state)
{
    (void)state;
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed());
    for (int i = 0; i < LB_TRIAL_COUNT; ++i) {
        lb_link base = lb_draw_link(&random), bob = lb_draw_link(&random);
        const double L = lb_draw_uniform(&random, 0.2, 2.0);
        const double theta = lb_draw_uniform(&random, -3.0, 3.0);
        // at theta = 0 the bob hangs along -y; its hinge is at the base's own frame
        memset(base.s_own, 0, sizeof base.s_own);
        memset(bob.d_own, 0, sizeof bob.d_own);
        bob.s_own[0] = bob.s_own[2] = 0.0;
        bob.s_own[1] = -L;
        lb_builder *builder = lb_create_builder(NULL, NULL);
        lb_add_link(builder, "base", NULL, LB_GROUND, &base, LB_HINGE_PRISMATIC, LB_EX);
        lb_add_link(builder, "bob", "base", 0, &bob, LB_HINGE_REVOLUTE, LB_EZ);
        const double q[2] = {lb_draw_uniform(&random, -1.0, 1.0), theta};
        double M[4];
        lb_get_mass(builder, q, M);
        const double m1 = base.m, m2 = bob.m, Izz = bob.I_own[2];
        const double expected[4] = {m1 + m2, m2 * L * cos(theta), m2 * L * cos(theta),
                                    Izz + m2 * L * L};
        lb_expect_close("example 1", M, expected, 4, LB_TOLERANCE);
    }
}

// Example 2: both hinges about x; r1 = s1, r2 = d2 + s2
static void double_pendulum(void **state)
{
    (void)state;
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed() + 1);
    for (int i = 0; i < LB_TRIAL_COUNT; ++i) {
        lb_link b1 = lb_draw_link(&random), b2 = lb_draw_link(&random);
        double q[2], M[4];
        lb_draw_vector(&random, 2, 3.0, q);
        lb_builder *builder = lb_create_builder(NULL, NULL);
        lb_add_link(builder, "b1", NULL, LB_GROUND, &b1, LB_HINGE_REVOLUTE, LB_EX);
        lb_add_link(builder, "b2", "b1", 0, &b2, LB_HINGE_REVOLUTE, LB_EX);
        lb_get_mass(builder, q, M);

        const lb_mat3 one = lb_mat3_identity(), R1 = lb_turn_x(q[0]), R2 = lb_turn_x(q[0] + q[1]);
        lb_turn_link(&b1, &one, &R1);
        lb_turn_link(&b2, &R1, &R2);
        const lb_vec3 r1 = b1.s, r2 = lb_vec3_add(b2.d, b2.s), s2 = b2.s;
        const double expected[4] = {lb_form(LB_EX, lb_bracket(&b1.I, b1.m, r1, r1), LB_EX) +
                                        lb_form(LB_EX, lb_bracket(&b2.I, b2.m, r2, r2), LB_EX),
                                    lb_form(LB_EX, lb_bracket(&b2.I, b2.m, r2, s2), LB_EX),
                                    lb_form(LB_EX, lb_bracket(&b2.I, b2.m, s2, r2), LB_EX),
                                    lb_form(LB_EX, lb_bracket(&b2.I, b2.m, s2, s2), LB_EX)};
        lb_expect_close("example 2", M, expected, 4, LB_TOLERANCE);
    }
}

// Example 3: rates [omega, eta', theta2', theta3'], the first two in inertial axes. Ours are in the
// axes of the base, so its rows and columns are turned: M_ours = T' M T, T = diag(C, C, 1, 1).
static void satellite_with_two_arrays(void **state)
{
    (void)state;
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed() + 2);
    for (int i = 0; i < LB_TRIAL_COUNT; ++i) {
        lb_link b[3] = {lb_draw_link(&random), lb_draw_link(&random), lb_draw_link(&random)};
        double q[9], got[64], expected[8][8] = {{0}}, turned[8][8] = {{0}};
        lb_draw_quaternion(&random, q);
        lb_draw_vector(&random, 5, 3.0, q + 4);
        lb_builder *builder = lb_create_builder(NULL, NULL);
        lb_add_link(builder, "bus", NULL, LB_GROUND, &b[0], LB_HINGE_FREE, LB_EX);
        lb_add_link(builder, "left", "bus", 0, &b[1], LB_HINGE_REVOLUTE, LB_EX);
        lb_add_link(builder, "right", "bus", 0, &b[2], LB_HINGE_REVOLUTE, LB_EX);
        lb_get_mass(builder, q, got);

        // in inertial axes
        const lb_mat3 one = lb_mat3_identity(), C = lb_quat_to_mat3(lb_quat_from(q));
        const lb_vec3 e_x = lb_mat3_mul_vec(&C, LB_EX);
        lb_vec3 r[3], mc = {0, 0, 0};
        double m = 0.0;
        for (int j = 0; j < 3; ++j) {
            const lb_mat3 turn = j > 0 ? lb_turn_x(q[6 + j]) : one, R = lb_mat3_mul(&C, &turn);
            lb_turn_link(&b[j], j > 0 ? &C : &one, &R);
            r[j] = j > 0 ? lb_vec3_add(b[j].d, b[j].s) : b[j].s;
            m += b[j].m;
            mc = lb_vec3_axpy(mc, b[j].m, r[j]);
        }
        const double mc_tilde[3][3] = {{0, -mc.z, mc.y}, {mc.z, 0, -mc.x}, {-mc.y, mc.x, 0}};
        for (int s = 0; s < 3; ++s) {
            for (int t = 0; t < 3; ++t) {
                for (int j = 0; j < 3; ++j) {
                    expected[s][t] += lb_bracket(&b[j].I, b[j].m, r[j], r[j]).m[s][t];
                }
                expected[s][3 + t] = mc_tilde[s][t];
                expected[3 + s][t] = -mc_tilde[s][t];
            }
            expected[3 + s][3 + s] = m;
        }
        for (int j = 1; j < 3; ++j) {
            const lb_mat3 rs = lb_bracket(&b[j].I, b[j].m, r[j], b[j].s);
            const lb_mat3 ss = lb_bracket(&b[j].I, b[j].m, b[j].s, b[j].s);
            double top[3], middle[3];
            lb_vec3_to(lb_mat3_mul_vec(&rs, e_x), top);
            lb_vec3_to(lb_vec3_scale(-b[j].m, lb_vec3_cross(b[j].s, e_x)), middle);
            for (int s = 0; s < 3; ++s) {
                expected[s][5 + j] = expected[5 + j][s] = top[s];
                expected[3 + s][5 + j] = expected[5 + j][3 + s] = middle[s];
            }
            expected[5 + j][5 + j] = lb_form(e_x, ss, e_x);
        }

        // to the axes of the base
        double T[8][8] = {{0}};
        T[6][6] = T[7][7] = 1.0;
        for (int s = 0; s < 3; ++s) {
            for (int t = 0; t < 3; ++t) {
                T[s][t] = T[3 + s][3 + t] = C.m[s][t];
            }
        }
        for (int s = 0; s < 8; ++s) {
            for (int t = 0; t < 8; ++t) {
                for (int u = 0; u < 8; ++u) {
                    for (int w = 0; w < 8; ++w) {
                        turned[s][t] += T[u][s] * expected[u][w] * T[w][t];
                    }
                }
            }
        }
        lb_expect_close("example 3", got, &turned[0][0], 64, LB_TOLERANCE);
    }
}

// Example 4: hinges about z, x, x; eta2 = d2, r1 = s1, r2 = d2 + s2, r3 = d2 + d3 + s3. The second
// and third axes turn with the first link: e_x below is that of the turned link.
static void three_link_arm(void **state)
{
    (void)state;
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed() + 3);
    for (int i = 0; i < LB_TRIAL_COUNT; ++i) {
        lb_link b1 = lb_draw_link(&random), b2 = lb_draw_link(&random), b3 = lb_draw_link(&random);
        double q[3], M[9];
        lb_draw_vector(&random, 3, 3.0, q);
        lb_builder *builder = lb_create_builder(NULL, NULL);
        lb_add_link(builder, "b1", NULL, LB_GROUND, &b1, LB_HINGE_REVOLUTE, LB_EZ);
        lb_add_link(builder, "b2", "b1", 0, &b2, LB_HINGE_REVOLUTE, LB_EX);
        lb_add_link(builder, "b3", "b2", 1, &b3, LB_HINGE_REVOLUTE, LB_EX);
        lb_get_mass(builder, q, M);

        const lb_mat3 one = lb_mat3_identity(), R1 = lb_mat3_turn_z(sin(q[0]), cos(q[0]));
        const lb_mat3 X2 = lb_turn_x(q[1]), X3 = lb_turn_x(q[1] + q[2]);
        const lb_mat3 R2 = lb_mat3_mul(&R1, &X2), R3 = lb_mat3_mul(&R1, &X3);
        lb_turn_link(&b1, &one, &R1);
        lb_turn_link(&b2, &R1, &R2);
        lb_turn_link(&b3, &R2, &R3);
        const lb_vec3 e_x = lb_mat3_mul_vec(&R1, LB_EX), e_z = LB_EZ;
        const lb_vec3 eta2 = b2.d, r1 = b1.s, r2 = lb_vec3_add(b2.d, b2.s);
        const lb_vec3 r3 = lb_vec3_add(lb_vec3_add(b2.d, b3.d), b3.s), s3 = b3.s;
        const lb_vec3 t2 = lb_vec3_sub(r2, eta2), t3 = lb_vec3_sub(r3, eta2);
        const double m11 = lb_form(e_z, lb_bracket(&b1.I, b1.m, r1, r1), e_z) +
                           lb_form(e_z, lb_bracket(&b2.I, b2.m, r2, r2), e_z) +
                           lb_form(e_z, lb_bracket(&b3.I, b3.m, r3, r3), e_z);
        const double m12 = lb_form(e_z, lb_bracket(&b2.I, b2.m, r2, t2), e_x) +
                           lb_form(e_z, lb_bracket(&b3.I, b3.m, r3, t3), e_x);
        const double m13 = lb_form(e_z, lb_bracket(&b3.I, b3.m, r3, s3), e_x);
        const double m21 = lb_form(e_x, lb_bracket(&b2.I, b2.m, t2, r2), e_z) +
                           lb_form(e_x, lb_bracket(&b3.I, b3.m, t3, r3), e_z);
        const double m22 = lb_form(e_x, lb_bracket(&b2.I, b2.m, t2, t2), e_x) +
                           lb_form(e_x, lb_bracket(&b3.I, b3.m, t3, t3), e_x);
        const double m23 = lb_form(e_x, lb_bracket(&b3.I, b3.m, t3, s3), e_x);
        const double m31 = lb_form(e_x, lb_bracket(&b3.I, b3.m, s3, r3), e_z);
        const double m32 = lb_form(e_x, lb_bracket(&b3.I, b3.m, s3, t3), e_x);
        const double m33 = lb_form(e_x, lb_bracket(&b3.I, b3.m, s3, s3), e_x);
        const double expected[9] = {m11, m12, m13, m21, m22, m23, m31, m32, m33};
        lb_expect_close("example 4", M, expected, 9, LB_TOLERANCE);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_on_a_moving_base),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(satellite_with_two_arrays),
        cmocka_unit_test(three_link_arm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
