// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// M_m and b_m of Appendix C against sums over nodes that know of no integrals, and the orders of
// M_m, b_m and a_m against the whole.
#include <math.h>
#include <string.h>

#include "modal_body.h"

// Sums of a few dozen products of order 1 that cancel little.
static const double LB_TOLERANCE = 1e-13;

// ---- M_m and b_m -------------------------------------------------------------------------------

// (23) and (37): T = [Pi, phi*] of a node, M_s and b + M_s a of (28), (31); nothing of C.1.
static void lb_sum_over_nodes(const lb_modal_body *b, double *M, double *bias)
{
    memset(M, 0, LB_SIZE * LB_SIZE * sizeof *M);
    memset(bias, 0, LB_SIZE * sizeof *bias);
    const lb_vec3 w = lb_vec3_from(b->omega);
    for (int node = 0; node < LB_NODES; ++node) {
        const lb_nodal j = lb_read_nodal(&b->nodes[node], b->eta);
        const lb_mat3 l = lb_tilde(j.l0), p = lb_tilde(j.p);
        double T[6][LB_SIZE] = {{0}}, Ms[6][6] = {{0}};
        lb_vec3 dw = {0, 0, 0}, dv = {0, 0, 0};
        for (int r = 0; r < LB_MODES; ++r) {
            for (int i = 0; i < 6; ++i) {
                T[i][r] = b->nodes[node].shape[6 * r + i];
            }
            dw = lb_vec3_axpy(dw, b->eta_dot[r], j.lambda[r]);
            dv = lb_vec3_axpy(dv, b->eta_dot[r], j.gamma[r]);
        }
        for (int i = 0; i < 3; ++i) {
            T[i][LB_MODES + i] = T[3 + i][LB_MODES + 3 + i] = 1.0;
            Ms[3 + i][3 + i] = j.m;
            for (int k = 0; k < 3; ++k) {
                T[3 + i][LB_MODES + k] = -l.m[i][k];
                Ms[i][k] = j.J.m[i][k];
                Ms[i][3 + k] = j.m * p.m[i][k];
                Ms[3 + i][k] = -j.m * p.m[i][k];
            }
        }

        // force: b(j) + M_s a(j)
        const lb_vec3 w_j = lb_vec3_add(w, dw);
        const lb_vec3 turn = lb_vec3_cross(w, dw);
        const lb_vec3 push = lb_vec3_cross(w, lb_vec3_axpy(lb_vec3_cross(w, j.l0), 2.0, dv));
        const lb_vec3 b_w = lb_vec3_cross(w_j, lb_times(j.J, w_j));
        const lb_vec3 b_v = lb_vec3_scale(j.m, lb_vec3_cross(w_j, lb_vec3_cross(w_j, j.p)));
        double a[6], force[6];
        lb_vec3_to(turn, a);
        lb_vec3_to(push, a + 3);
        lb_vec3_to(b_w, force);
        lb_vec3_to(b_v, force + 3);
        for (int i = 0; i < 6; ++i) {
            for (int k = 0; k < 6; ++k) {
                force[i] += Ms[i][k] * a[k];
            }
        }
        for (int row = 0; row < LB_SIZE; ++row) {
            for (int i = 0; i < 6; ++i) {
                bias[row] += T[i][row] * force[i];
                for (int k = 0; k < 6; ++k) {
                    for (int column = 0; column < LB_SIZE; ++column) {
                        M[row * LB_SIZE + column] += T[i][row] * Ms[i][k] * T[k][column];
                    }
                }
            }
        }
    }
}

static void mass_and_bias_are_sums_over_nodes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        lb_modal_body *b = lb_create_modal_body(seed);
        double M[LB_SIZE * LB_SIZE], reference[LB_SIZE * LB_SIZE], bias[LB_SIZE], sum[LB_SIZE];
        lb_sum_over_nodes(b, reference, sum);
        lb_compute_modal_mass(&b->I, &b->D, M);
        lb_expect_close("M_m", M, reference, LB_SIZE * LB_SIZE, LB_TOLERANCE);
        lb_compute_modal_bias(&b->I, &b->D, b->eta_dot, b->omega, bias);
        lb_expect_close("b_m", bias, sum, LB_SIZE, LB_TOLERANCE);
        lb_destroy_modal_body(b);
    }
}

// Each order is homogeneous of its degree, so that nothing can hide in the wrong one.
static void orders_of_the_mass_matrix_sum_to_it(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; ++seed) {
        lb_modal_body *b = lb_create_modal_body(seed);
        enum { COUNT = LB_SIZE * LB_SIZE };
        double whole[COUNT], sum[COUNT] = {0}, part[COUNT], scaled[COUNT], eta[LB_MODES];
        lb_compute_modal_mass(&b->I, &b->D, whole);
        for (int r = 0; r < LB_MODES; ++r) {
            eta[r] = 3.0 * b->eta[r];
        }
        for (int order = 0; order <= 2; ++order) {
            lb_expect_ok(lb_compute_modal_mass_order(&b->I, order, b->eta, part));
            lb_expect_ok(lb_compute_modal_mass_order(&b->I, order, eta, scaled));
            for (int i = 0; i < COUNT; ++i) {
                sum[i] += part[i];
                part[i] *= pow(3.0, order);
            }
            lb_expect_close("degree", scaled, part, COUNT, LB_TOLERANCE);
        }
        lb_expect_close("sum of orders", sum, whole, COUNT, LB_TOLERANCE);
        lb_destroy_modal_body(b);
    }
}

static void orders_of_the_bias_sum_to_it(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; ++seed) {
        lb_modal_body *b = lb_create_modal_body(seed);
        double whole[LB_SIZE], sum[LB_SIZE] = {0}, part[LB_SIZE], scaled[LB_SIZE];
        double eta[LB_MODES], eta_dot[LB_MODES];
        lb_compute_modal_bias(&b->I, &b->D, b->eta_dot, b->omega, whole);
        for (int r = 0; r < LB_MODES; ++r) {
            eta[r] = 3.0 * b->eta[r];
            eta_dot[r] = 3.0 * b->eta_dot[r];
        }
        for (int order = 0; order <= 3; ++order) {
            lb_expect_ok(
                lb_compute_modal_bias_order(&b->I, order, b->eta, b->eta_dot, b->omega, part));
            lb_expect_ok(lb_compute_modal_bias_order(&b->I, order, eta, eta_dot, b->omega, scaled));
            for (int i = 0; i < LB_SIZE; ++i) {
                sum[i] += part[i];
                part[i] *= pow(3.0, order);
            }
            lb_expect_close("degree", scaled, part, LB_SIZE, LB_TOLERANCE);
        }
        lb_expect_close("sum of orders", sum, whole, LB_SIZE, LB_TOLERANCE);
        lb_destroy_modal_body(b);
    }
}

static void a_massless_body_has_finite_integrals(void **state)
{
    (void)state;
    lb_modal_body *b = lb_create_modal_body(4);
    for (int j = 0; j < LB_NODES; ++j) {
        b->nodes[j].mass = 0.0;
    }
    double M[LB_SIZE * LB_SIZE], reference[LB_SIZE * LB_SIZE], bias[LB_SIZE], sum[LB_SIZE];
    lb_integrate_modal_body(b);
    lb_sum_over_nodes(b, reference, sum);
    lb_compute_modal_mass(&b->I, &b->D, M);
    lb_compute_modal_bias(&b->I, &b->D, b->eta_dot, b->omega, bias);
    lb_expect_close("M_m", M, reference, LB_SIZE * LB_SIZE, LB_TOLERANCE);
    lb_expect_close("b_m", bias, sum, LB_SIZE, LB_TOLERANCE);
    lb_destroy_modal_body(b);
}

// ---- a_m ---------------------------------------------------------------------------------------

static lb_vec3 lb_draw_vec3(lb_random *random)
{
    double x[3];
    lb_draw_vector(random, 3, 1.0, x);
    return lb_vec3_from(x);
}

static void orders_of_the_hinge_acceleration_sum_to_it(void **state)
{
    (void)state;
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed());
    for (int trial = 0; trial < 20; ++trial) {
        lb_hinge_deformation h;
        lb_vec3 *fields[] = {&h.omega_p, &h.Dw,   &h.Dv,   &h.l0_pk, &h.l0_tk, &h.l0_Ok,
                             &h.dw_t,    &h.dv_t, &h.dw_d, &h.dv_d,  &h.dl_t,  &h.dl_d};
        for (int i = 0; i < 12; ++i) {
            *fields[i] = lb_draw_vec3(&random);
        }
        lb_hinge_deformation more = h;
        lb_vec3 *deforming[] = {&more.dw_t, &more.dv_t, &more.dw_d,
                                &more.dv_d, &more.dl_t, &more.dl_d};
        for (int i = 0; i < 6; ++i) {
            *deforming[i] = lb_vec3_scale(3.0, *deforming[i]);
        }
        const lb_vec6 whole = lb_compute_hinge_coriolis(&h);
        lb_vec6 sum = lb_vec6_zero();
        for (int order = 0; order <= 3; ++order) {
            lb_vec6 part, scaled;
            lb_expect_ok(lb_compute_hinge_coriolis_order(&h, order, &part));
            lb_expect_ok(lb_compute_hinge_coriolis_order(&more, order, &scaled));
            sum = lb_vec6_add(sum, part);
            part = lb_vec6_axpy(lb_vec6_zero(), pow(3.0, order), part);
            lb_expect_close("degree", &scaled.w.x, &part.w.x, 6, LB_TOLERANCE);
        }
        lb_expect_close("sum of orders", &sum.w.x, &whole.w.x, 6, LB_TOLERANCE);
    }
}
static void wrong_orders_are_refused(void **state)
{
    (void)state;
    lb_modal_body *b = lb_create_modal_body(2);
    double M[LB_SIZE * LB_SIZE];
    lb_vec6 a;
    const lb_hinge_deformation still = {0};
    assert_int_equal(lb_compute_modal_mass_order(&b->I, -1, b->eta, M), LB_E_ARGUMENT);
    assert_int_equal(lb_compute_modal_mass_order(&b->I, 3, b->eta, M), LB_E_ARGUMENT);
    assert_int_equal(lb_compute_modal_bias_order(&b->I, 4, b->eta, b->eta_dot, b->omega, M),
                     LB_E_ARGUMENT);
    assert_int_equal(lb_compute_hinge_coriolis_order(&still, 4, &a), LB_E_ARGUMENT);
    lb_destroy_modal_body(b);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_and_bias_are_sums_over_nodes),
        cmocka_unit_test(orders_of_the_mass_matrix_sum_to_it),
        cmocka_unit_test(orders_of_the_bias_sum_to_it),
        cmocka_unit_test(a_massless_body_has_finite_integrals),
        cmocka_unit_test(orders_of_the_hinge_acceleration_sum_to_it),
        cmocka_unit_test(wrong_orders_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
