// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of momentum, energies and centre of mass of the whole system, against differences of them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { ROWS = 18 };
enum { COM, ANGULAR = 3, LINEAR = 6, KINETIC = 9, POTENTIAL, NUMBERS };

static void read_system(lb_trial *t, const double *q, const double *v, double *x)
{
    lb_system_motion m;
    lb_expect_ok(lb_compute_kinematics(t->model, t->work, q, v, NULL));
    lb_expect_ok(lb_compute_system_motion(t->model, t->work, &m));
    memcpy(x + COM, m.com, sizeof m.com);
    memcpy(x + ANGULAR, m.angular, sizeof m.angular);
    memcpy(x + LINEAR, m.linear, sizeof m.linear);
    lb_expect_ok(lb_compute_energy(t->model, t->work, x + KINETIC, x + POTENTIAL));
}

// Central differences of the eighth order: a row of v_count for each number.
static void difference(lb_trial *t, bool along_q, double h, double *rows)
{
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const size_t n = (size_t)t->v_count;
    double *q = lb_make_numbers((size_t)t->q_count), *v = lb_make_numbers(n);
    double *step = lb_make_numbers(n), x[NUMBERS];
    memset(rows, 0, NUMBERS * n * sizeof *rows);
    for (size_t j = 0; j < n; ++j) {
        for (int side = 0; side < 8; ++side) {
            const double sign = side % 2 ? -1.0 : 1.0;
            memset(step, 0, n * sizeof *step);
            memcpy(v, t->v, n * sizeof *v);
            (along_q ? step : v)[j] += sign * h * (side / 2 + 1);
            lb_integrate_configuration(t->model, t->q, step, q);
            read_system(t, q, v, x);
            for (size_t i = 0; i < NUMBERS; ++i) {
                rows[i * n + j] += sign * weights[side / 2] / h * x[i];
            }
        }
    }
    free(q);
    free(v);
    free(step);
}

// Rows agree to 1e-10 of the number, which changes by as much over a metre or a radian, and of the row. Steps
// are 1e-2: h^8 f(9) / 630 of trigonometric functions of nine hinges and more, and 1e-14 of round-off.
static void expect_rows(const char *what, size_t n, const double *row, const double *seen,
                        size_t count, const double *x)
{
    double size = 0.0;
    for (size_t i = 0; i < count; ++i) {
        size = fmax(size, fabs(x[i]));
    }
    for (size_t i = 0; i < count * n; ++i) {
        size = fmax(size, fabs(seen[i]));
    }
    lb_expect_within(what, row, seen, count * n, 1e-10 * size + 1e-13);
}

// All of them in rows of v_count.
static lb_system_derivatives list_rows(size_t n, double *rows)
{
    return (lb_system_derivatives){.size = sizeof(lb_system_derivatives),
                                   .com_dq = rows,
                                   .angular_dq = rows + 3 * n,
                                   .linear_dq = rows + 6 * n,
                                   .angular_dv = rows + 9 * n,
                                   .linear_dv = rows + 12 * n,
                                   .kinetic_dq = rows + 15 * n,
                                   .kinetic_dv = rows + 16 * n,
                                   .potential_dq = rows + 17 * n};
}

static void check(lb_trial *t)
{
    const size_t n = (size_t)t->v_count;
    double *space = lb_make_numbers(ROWS * n + 2 * NUMBERS * n + n + 1);
    double *by_q = space + ROWS * n, *by_v = by_q + NUMBERS * n;
    const double *zero = by_v + NUMBERS * n;
    double x[NUMBERS];
    const lb_system_derivatives d = list_rows(n, space);
    difference(t, true, 1e-2, by_q);
    difference(t, false, 1e-2, by_v);
    read_system(t, t->q, t->v, x);
    assert_int_equal(lb_compute_system_derivatives(t->model, t->work, t->derivatives, &d),
                     LB_E_STAGE);
    lb_expect_ok(lb_compute_inverse_derivatives(t->model, t->work, t->derivatives, t->q, t->v, t->a,
                                                NULL, NULL, NULL, NULL));
    lb_expect_ok(lb_compute_system_derivatives(t->model, t->work, t->derivatives, &d));
    expect_rows("com by q", n, d.com_dq, by_q + COM * n, 3, x + COM);
    expect_rows("angular momentum by q", n, d.angular_dq, by_q + ANGULAR * n, 3, x + ANGULAR);
    expect_rows("momentum by q", n, d.linear_dq, by_q + LINEAR * n, 3, x + LINEAR);
    expect_rows("kinetic energy by q", n, d.kinetic_dq, by_q + KINETIC * n, 1, x + KINETIC);
    expect_rows("potential energy by q", n, d.potential_dq, by_q + POTENTIAL * n, 1, x + POTENTIAL);
    expect_rows("com by v", n, zero, by_v + COM * n, 1, x + COM);
    expect_rows("angular momentum by v", n, d.angular_dv, by_v + ANGULAR * n, 3, x + ANGULAR);
    expect_rows("momentum by v", n, d.linear_dv, by_v + LINEAR * n, 3, x + LINEAR);
    expect_rows("kinetic energy by v", n, d.kinetic_dv, by_v + KINETIC * n, 1, x + KINETIC);
    expect_rows("potential energy by v", n, zero, by_v + POTENTIAL * n, 1, x + POTENTIAL);
    free(space);
}

static void they_agree_with_differences(void **state)
{
    (void)state;
    int flexible[3] = {0};
    for (int i = 0; i < 120; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.fidelity = (lb_fidelity)(i / 2 % 3);
        options.mixed_fidelity = i % 10 == 9;
        options.second_order = options.second_order && options.fidelity == LB_FIDELITY_CONSISTENT &&
                               !options.mixed_fidelity;
        flexible[options.fidelity] += options.mode_max > 0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        check(&t);
        lb_end_trial(&t);
    }
    for (int i = 0; i < 3; ++i) {
        assert_true(flexible[i] >= 10);
    }
}

// 7000 km away and at 7.5 km/s the angular momentum about the centre of mass, and its derivatives, are those at
// rest: 1e-9, since V and the places of bodies keep 16 digits of 7e6.
static void angular_momentum_does_not_depend_on_where_a_tree_flies(void **state)
{
    (void)state;
    for (int i = 0; i < 30; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.root_count = 1;
        options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
        options.fidelity = LB_FIDELITY_CONSISTENT;
        options.mixed_fidelity = 0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count, all = ROWS * n;
        double *rows = lb_make_numbers(2 * all + 1);
        int root = 0;
        while (lb_get_hinge(t.model, root).parent != LB_GROUND) {
            ++root;
        }
        const int q = lb_get_q_offset(t.model, root) + lb_get_mode_count(t.model, root);
        const int v = lb_get_v_offset(t.model, root) + lb_get_mode_count(t.model, root);
        for (int far = 0; far < 2; ++far) {
            const lb_system_derivatives d = list_rows(n, rows + (size_t)far * all);
            t.q[q + 4] += far * 7e6;
            t.v[v + 5] += far * 7500.0;
            lb_expect_ok(lb_compute_inverse_derivatives(t.model, t.work, t.derivatives, t.q, t.v,
                                                        t.a, NULL, NULL, NULL, NULL));
            lb_expect_ok(lb_compute_system_derivatives(t.model, t.work, t.derivatives, &d));
        }
        double size = 1.0;
        for (size_t k = 0; k < 3 * n; ++k) {
            size = fmax(size, fabs(rows[3 * n + k]) + fabs(rows[9 * n + k]));
        }
        lb_expect_within("by q", rows + all + 3 * n, rows + 3 * n, 3 * n, 1e-9 * size);
        lb_expect_within("by v", rows + all + 9 * n, rows + 9 * n, 3 * n, 1e-9 * size);
        lb_expect_within("com", rows + all, rows, 3 * n, 1e-12 * size);
        free(rows);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_agree_with_differences),
        cmocka_unit_test(angular_momentum_does_not_depend_on_where_a_tree_flies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
