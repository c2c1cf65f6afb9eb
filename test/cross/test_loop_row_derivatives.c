// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of what the loops say against differences of it: velocity and acceleration errors and
// the generalized forces of loop forces, on the loops and off them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/loops/loop_products.h"
#include "own_malloc.h"

enum { VELOCITY_DQ, ACCELERATION_DQ, ACCELERATION_DV, FORCE_DQ, OUTPUT_COUNT };

static const char *const names[OUTPUT_COUNT] = {"velocity by q", "acceleration by q",
                                                "acceleration by v", "force by q"};

typedef struct sample {
    double *q, *v, *a, *forces;
    double *f[OUTPUT_COUNT]; // numbers of each output
} sample;

static size_t count_rows(const lb_trial *t, int output)
{
    return output == FORCE_DQ ? (size_t)t->v_count : 6 * (size_t)lb_get_loop_capacity(t->model);
}

// The numbers whose derivatives are asked for.
static void evaluate(lb_trial *t, sample *x)
{
    const size_t rows = count_rows(t, VELOCITY_DQ);
    double *bias = x->f[ACCELERATION_DV];
    lb_expect_ok(lb_compute_kinematics(t->model, t->work, x->q, x->v, NULL));
    lb_expect_ok(lb_compute_loop_errors(t->model, t->work, x->q, NULL, x->f[VELOCITY_DQ]));
    lb_expect_ok(lb_apply_loop_jacobian(t->model, t->work, x->a, x->f[ACCELERATION_DQ]));
    lb_expect_ok(lb_compute_loop_bias(t->model, t->work, bias));
    for (size_t i = 0; i < rows; ++i) {
        bias[i] = x->f[ACCELERATION_DQ][i] += bias[i];
    }
    memset(x->f[FORCE_DQ], 0, (size_t)t->v_count * sizeof *x->f[FORCE_DQ]);
    lb_expect_ok(lb_apply_loop_forces(t->model, t->work, x->forces, x->f[FORCE_DQ]));
}

// Derivatives by central differences of the eighth order with steps of h.
static void difference(lb_trial *t, sample *x, double h, double *const out[OUTPUT_COUNT])
{
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const size_t n = (size_t)t->v_count;
    double *step = lb_make_numbers(n);
    for (int o = 0; o < OUTPUT_COUNT; ++o) {
        memset(out[o], 0, count_rows(t, o) * n * sizeof *out[o]);
    }
    for (size_t j = 0; j < n; ++j) {
        for (int side = 0; side < 16; ++side) {
            const int by_v = side / 8, at = side / 2 % 4;
            const double sign = side % 2 ? -1.0 : 1.0;
            memset(step, 0, n * sizeof *step);
            step[j] = by_v ? 0.0 : sign * h * (at + 1);
            lb_integrate_configuration(t->model, t->q, step, x->q);
            memcpy(x->v, t->v, n * sizeof *x->v);
            x->v[j] += by_v ? sign * (at + 1) : 0.0; // of second degree: any step
            evaluate(t, x);
            for (int o = 0; o < OUTPUT_COUNT; ++o) {
                for (size_t i = 0; (o == ACCELERATION_DV) == by_v && i < count_rows(t, o); ++i) {
                    out[o][i * n + j] += sign * weights[at] / (by_v ? 1.0 : h) * x->f[o][i];
                }
            }
        }
    }
    free(step);
}

static double get_largest(const double *x, size_t count)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

static int count_judged;

// The rows in six entries, from those along orthonormal directions: J'J is the same.
static void compare_jacobians(lb_trial *t, const double *J)
{
    const size_t n = (size_t)t->v_count, six = count_rows(t, VELOCITY_DQ);
    const size_t rows = (size_t)lb_get_active_row_count(t->model, t->work);
    double *plain = lb_make_numbers(rows * n + 1);
    double *x = lb_make_numbers(n * n), *y = lb_make_numbers(n * n);
    lb_expect_ok(lb_form_loop_jacobian(t->model, t->work, plain));
    for (size_t e = 0; e < n * n; ++e) {
        for (size_t i = 0; i < six; ++i) {
            x[e] += J[i * n + e / n] * J[i * n + e % n];
        }
        for (size_t i = 0; i < rows; ++i) {
            y[e] += plain[i * n + e / n] * plain[i * n + e % n];
        }
    }
    lb_expect_within("J'J", x, y, n * n, 1e-13 * (1.0 + get_largest(y, n * n)));
    free(plain);
    free(x);
    free(y);
}

// Each output against differences, where these know the answer: two steps agree to a tenth of the bound
// (near rods without length they do not).
static void compare(lb_trial *t, double bound)
{
    const size_t n = (size_t)t->v_count, six = count_rows(t, VELOCITY_DQ);
    sample x = {lb_make_numbers((size_t)t->q_count + 1),
                lb_make_numbers(n),
                lb_make_numbers(n),
                lb_make_numbers(six + 1),
                {NULL}};
    double *out[OUTPUT_COUNT], *fine[OUTPUT_COUNT], *coarse[OUTPUT_COUNT];
    double *J = lb_make_numbers(six * n + 1);
    for (int o = 0; o < OUTPUT_COUNT; ++o) {
        x.f[o] = lb_make_numbers(count_rows(t, o) + 1);
        out[o] = lb_make_numbers(count_rows(t, o) * n + 1);
        fine[o] = lb_make_numbers(count_rows(t, o) * n + 1);
        coarse[o] = lb_make_numbers(count_rows(t, o) * n + 1);
    }
    lb_draw_vector(&t->random, (int)six, 1.0, x.forces);
    memcpy(x.a, t->a, n * sizeof *x.a);
    const lb_loop_derivatives wanted = {sizeof wanted,        J,
                                        out[VELOCITY_DQ],     out[ACCELERATION_DQ],
                                        out[ACCELERATION_DV], out[FORCE_DQ]};
    lb_expect_ok(lb_tree_inverse_derivatives(t->model, t->work, t->derivatives, t->q, t->v, x.a,
                                             NULL, NULL, NULL, NULL));
#if LB_OWN_MALLOC
    const long before = lb_malloc_count;
#endif
    lb_expect_ok(lb_compute_loop_derivatives(t->model, t->work, t->derivatives, x.forces, &wanted));
#if LB_OWN_MALLOC
    assert_int_equal(lb_malloc_count - before, 0);
#endif
    compare_jacobians(t, J);
    difference(t, &x, 0.01, fine);
    difference(t, &x, 0.02, coarse);
    for (int o = 0; o < OUTPUT_COUNT; ++o) {
        const size_t count = count_rows(t, o) * n;
        // of the terms that are summed up
        const double speed = get_largest(t->v, n), size = speed * speed + get_largest(t->a, n);
        const double scale = 1.0 + get_largest(fine[o], count) + (o == FORCE_DQ ? 0.0 : size);
        double gap = 0.0;
        for (size_t e = 0; e < count; ++e) {
            // the error of the coarse ones is 2^8 that of the fine ones, which it takes away
            gap = fmax(gap, fabs(fine[o][e] - coarse[o][e]) / 256.0);
            fine[o][e] += (fine[o][e] - coarse[o][e]) / 255.0;
        }
        if (gap < 0.1 * bound * scale) {
            ++count_judged;
            lb_expect_within(names[o], out[o], fine[o], count, bound * scale);
        }
        free(x.f[o]);
        free(out[o]);
        free(fine[o]);
        free(coarse[o]);
    }
    free(x.q);
    free(x.v);
    free(x.a);
    free(x.forces);
    free(J);
}

static lb_trial begin(int i, int mixed)
{
    lb_tree_options options = lb_get_mixed_tree(i);
    options.fidelity = LB_FIDELITY_CONSISTENT;
    options.mixed_fidelity = mixed;
    const uint64_t seed = lb_get_base_seed() * 1000003u + (uint64_t)i;
    lb_scene *scene = lb_create_tree(&options, seed);
    lb_random random;
    lb_seed_random(&random, seed + 79);
    lb_draw_loops(scene, &random, 1 + lb_draw_index(&random, 4));
    lb_trial t = lb_begin_scene_trial(scene, seed);
    // motion on some of them
    for (int l = 0; l < lb_get_loop_capacity(t.model); ++l) {
        lb_loop_motion motion;
        lb_draw_vector(&t.random, 6, 1.0, motion.position);
        lb_draw_vector(&t.random, 6, 1.0, motion.velocity);
        lb_draw_vector(&t.random, 6, 1.0, motion.acceleration);
        if (lb_draw_index(&t.random, 3) == 0) {
            lb_expect_ok(lb_set_loop_motion(t.model, t.work, l, &motion));
        }
    }
    return t;
}

// Loops that close where they are, with speeds that obey them.
static void obey(lb_trial *t)
{
    const size_t n = (size_t)t->v_count, six = count_rows(t, VELOCITY_DQ);
    double *r = lb_make_numbers(six + 1), *dv = lb_make_numbers(n);
    lb_expect_ok(lb_compute_kinematics(t->model, t->work, t->q, t->v, NULL));
    for (int l = 0; l < lb_get_loop_capacity(t->model); ++l) {
        lb_loop_motion motion = {{0}, {0}, {0}};
        lb_draw_vector(&t->random, 6, 1.0, motion.velocity);
        lb_expect_ok(lb_set_loop_motion(t->model, t->work, l, &motion));
        if (lb_take_loop_offset(t->model, t->work, l, t->q) != LB_OK) { // a rod without length
            lb_expect_ok(lb_set_loop_active(t->model, t->work, l, 0));
        }
    }
    lb_expect_ok(lb_compute_loop_errors(t->model, t->work, t->q, r, NULL));
    lb_expect_below("error", get_largest(r, six), 1e-12);
    for (int pass = 0; pass < 2; ++pass) {
        assert_true(lb_factor_loops(t->model, t->work, t->q, NULL) >= LB_OK);
        lb_expect_ok(lb_compute_kinematics(t->model, t->work, t->q, t->v, NULL));
        lb_expect_ok(lb_compute_loop_errors(t->model, t->work, t->q, NULL, r));
        for (size_t i = 0; i < six; ++i) {
            r[i] = -r[i];
        }
        assert_true(lb_factor_loops(t->model, t->work, t->q, NULL) >= LB_OK);
        lb_expect_ok(lb_solve_loops(t->model, t->work, r, dv, NULL));
        for (size_t i = 0; i < n; ++i) {
            t->v[i] += dv[i];
        }
    }
    free(r);
    free(dv);
}

// 3e-12: round-off of the differences, 1e-16 / 0.01 times numbers that are some ten times their
// derivatives; of the analytic ones less, a sum of products along the ways.
static void rows_off_the_loops_agree_with_differences(void **state)
{
    (void)state;
    int types[LB_LOOP_TYPE_COUNT] = {0};
    count_judged = 0;
    for (int i = 0; i < 200; ++i) {
        lb_trial t = begin(i, 0);
        for (int l = 0; l < t.scene->loop_count; ++l) {
            ++types[t.scene->loops[l].type];
        }
        compare(&t, 3e-12);
        lb_end_trial(&t);
    }
    for (int i = 0; i < LB_LOOP_TYPE_COUNT; ++i) {
        assert_true(types[i] > 0);
    }
    print_message("%d of 800 judged\n", count_judged);
    assert_true(count_judged > 700);
}

static void rows_on_the_loops_agree_with_differences(void **state)
{
    (void)state;
    count_judged = 0;
    for (int i = 0; i < 100; ++i) {
        lb_trial t = begin(1000 + i, 0);
        obey(&t);
        compare(&t, 3e-12);
        lb_end_trial(&t);
    }
    print_message("%d of 400 judged\n", count_judged);
    assert_true(count_judged > 340);
}

// Bodies of every fidelity in one tree: what ruthless ones drop from the accelerations is seen by loops
// whose ends have a ruthless body in common.
static void rows_of_other_fidelities_agree_with_differences(void **state)
{
    (void)state;
    count_judged = 0;
    for (int i = 0; i < 200; ++i) {
        lb_trial t = begin(i, 1);
        if (i % 2) {
            obey(&t);
        }
        compare(&t, 3e-12);
        lb_end_trial(&t);
    }
    print_message("%d of 800 judged\n", count_judged);
    assert_true(count_judged > 700);
}

static void there_is_nothing_to_tell_before_the_dynamics_or_without_forces(void **state)
{
    (void)state;
    lb_trial t = begin(3, 0);
    double *matrix = lb_make_numbers((size_t)(t.v_count * t.v_count));
    const lb_loop_derivatives out = {.size = sizeof out, .force_dq = matrix};
    lb_derivative_work *fresh = lb_create_derivative_work(t.model);
    assert_non_null(fresh);
    assert_int_equal(lb_compute_loop_derivatives(t.model, t.work, fresh, matrix, &out), LB_E_STAGE);
    lb_expect_ok(
        lb_tree_inverse_derivatives(t.model, t.work, fresh, t.q, t.v, t.a, NULL, NULL, NULL, NULL));
    assert_int_equal(lb_compute_loop_derivatives(t.model, t.work, fresh, NULL, &out),
                     LB_E_ARGUMENT);
    lb_destroy_derivative_work(fresh);
    free(matrix);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_off_the_loops_agree_with_differences),
        cmocka_unit_test(rows_on_the_loops_agree_with_differences),
        cmocka_unit_test(there_is_nothing_to_tell_before_the_dynamics_or_without_forces),
        cmocka_unit_test(rows_of_other_fidelities_agree_with_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
