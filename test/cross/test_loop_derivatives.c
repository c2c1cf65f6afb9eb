// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of forward dynamics with loops against differences of these dynamics: along every
// coordinate, on the loops or off them, and along motions that obey them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "own_malloc.h"

typedef enum direction { ALONG_Q, ALONG_V, ALONG_TAU } direction;

static void evaluate(lb_trial *t, const unsigned char *driven, const double *q, const double *v,
                     const double *tau, double *a)
{
    memcpy(a, t->a, (size_t)t->v_count * sizeof *a); // of driven hinges
    const lb_status status =
        lb_compute_constrained_dynamics(t->model, t->work, q, v, driven, tau, a, NULL, NULL);
    assert_true(status >= LB_OK);
}

// Derivatives by central differences of the eighth order with steps of h.
static void difference(lb_trial *t, const unsigned char *driven, direction along, double h,
                       double *out)
{
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const size_t n = (size_t)t->v_count, nq = (size_t)t->q_count;
    double *q = lb_make_numbers(nq + 1), *x = lb_make_numbers(n), *step = lb_make_numbers(n);
    double *y = lb_make_numbers(n);
    memset(out, 0, n * n * sizeof *out);
    for (size_t j = 0; j < n; ++j) {
        for (int side = 0; side < 8; ++side) {
            const double sign = side % 2 ? -1.0 : 1.0, size = sign * h * (side / 2 + 1);
            memset(step, 0, n * sizeof *step);
            step[j] = size;
            memcpy(x, along == ALONG_TAU ? t->tau : t->v, n * sizeof *x);
            x[j] += size;
            if (along == ALONG_Q) {
                lb_integrate_configuration(t->model, t->q, step, q);
            }
            evaluate(t, driven, along == ALONG_Q ? q : t->q, along == ALONG_V ? x : t->v,
                     along == ALONG_TAU ? x : t->tau, y);
            for (size_t i = 0; i < n; ++i) {
                out[i * n + j] += sign * weights[side / 2] / h * y[i];
            }
        }
    }
    free(q);
    free(x);
    free(step);
    free(y);
}

static double get_largest(const double *x, size_t count)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

// The derivatives, with the status of the dynamics, and without allocating.
static void differentiate(lb_trial *t, const unsigned char *driven, lb_status expected, double *a,
                          double *const out[3])
{
#if LB_OWN_MALLOC
    const long before = lb_malloc_count;
#endif
    const lb_status status = lb_compute_constrained_derivatives(
        t->model, t->work, t->derivatives, t->q, t->v, driven, t->tau, a, out[0], out[1], out[2]);
#if LB_OWN_MALLOC
    assert_int_equal(lb_malloc_count - before, 0);
#endif
    assert_int_equal(status, expected);
}

static int count_judged;

// Each output against differences, where these know the answer: two steps agree to a tenth of the
// bound of 1e-7 (near singular positions they do not), and constraints do not contradict each other.
static void compare(lb_trial *t, const unsigned char *driven)
{
    static const char *const names[3] = {"da/dq", "da/dv", "da/dtau"};
    const size_t n = (size_t)t->v_count, six = 6 * (size_t)lb_get_loop_capacity(t->model);
    double *a = lb_make_numbers(n), *b = lb_make_numbers(n), *fine = lb_make_numbers(n * n);
    double *coarse = lb_make_numbers(n * n), *forces = lb_make_numbers(six + 1);
    double *out[3];
    for (int i = 0; i < 3; ++i) {
        out[i] = lb_make_numbers(n * n);
    }
    memcpy(a, t->a, n * sizeof *a);
    memcpy(b, t->a, n * sizeof *b);
    const lb_status status = lb_compute_constrained_dynamics(t->model, t->work, t->q, t->v, driven,
                                                             t->tau, b, NULL, forces);
    int loop;
    const double conflict = lb_get_loop_conflict(t->model, t->work, &loop);
    if (conflict < 1e-9 * (1.0 + get_largest(b, n))) {
        differentiate(t, driven, status, a, out);
        lb_expect_close("accelerations", a, b, n, 1e-13);
        // what the dynamics leave is there
        for (int l = 0; l < (int)six / 6; ++l) {
            double force[6];
            lb_expect_ok(lb_get_loop_force(t->model, t->work, l, force));
            lb_expect_within("forces", force, forces + (ptrdiff_t)6 * l, 6,
                             1e-13 * (1.0 + get_largest(forces, six)));
        }
        assert_true(lb_get_loop_conflict(t->model, t->work, &loop) == conflict);
        for (int i = 0; i < 3; ++i) {
            difference(t, driven, (direction)i, i ? 0.1 : 0.0016, fine);
            difference(t, driven, (direction)i, i ? 0.2 : 0.0032, coarse);
            const double scale = 1.0 + get_largest(fine, n * n);
            double gap = 0.0;
            for (size_t e = 0; e < n * n; ++e) {
                gap = fmax(gap, fabs(fine[e] - coarse[e]));
            }
            if (gap < 1e-8 * scale) {
                ++count_judged;
                lb_expect_within(names[i], out[i], fine, n * n, 1e-7 * scale);
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        free(out[i]);
    }
    free(a);
    free(b);
    free(fine);
    free(coarse);
    free(forces);
}

static lb_trial begin(int i, int loops, int repeat)
{
    lb_tree_options options = lb_get_mixed_tree(i);
    options.mixed_fidelity = i % 2;
    const uint64_t seed = lb_get_base_seed() * 1000003u + (uint64_t)i;
    lb_scene *scene = lb_create_tree(&options, seed);
    lb_random random;
    lb_seed_random(&random, seed + 78);
    lb_draw_loops(scene, &random, 1 + lb_draw_index(&random, loops));
    const int count = scene->loop_count;
    if (repeat && count) { // every loop twice
        scene->loops = realloc(scene->loops, (size_t)(2 * count) * sizeof *scene->loops);
        assert_non_null(scene->loops);
        memcpy(scene->loops + count, scene->loops, (size_t)count * sizeof *scene->loops);
        scene->loop_count = 2 * count;
    }
    return lb_begin_scene_trial(scene, seed);
}

static void loops_of_every_type_agree_with_differences(void **state)
{
    (void)state;
    count_judged = 0;
    for (int i = 0; i < 120; ++i) {
        lb_trial t = begin(i, 3, 0);
        compare(&t, NULL);
        lb_end_trial(&t);
    }
    print_message("%d of 360 judged\n", count_judged);
    assert_true(count_judged > 120);
}

static void repeated_loops_agree_with_differences(void **state)
{
    (void)state;
    count_judged = 0;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = begin(i, 2, 1);
        compare(&t, NULL);
        lb_end_trial(&t);
    }
    print_message("%d of 180 judged\n", count_judged);
    assert_true(count_judged > 60);
}

static void driven_and_locked_hinges_agree_with_differences(void **state)
{
    (void)state;
    count_judged = 0;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = begin(i, 2, 0);
        unsigned char driven[16] = {0};
        for (int k = 0; k < t.body_count; ++k) {
            const int what = lb_draw_index(&t.random, 6);
            driven[k] = what == 0;
            lb_expect_ok(lb_set_hinge_locked(t.model, t.work, k, what == 1));
        }
        lb_loop_motion motion = {{0}, {0}, {0}};
        lb_draw_vector(&t.random, 6, 1.0, motion.velocity);
        lb_draw_vector(&t.random, 6, 1.0, motion.acceleration);
        if (lb_get_loop_capacity(t.model) > 0) {
            lb_expect_ok(lb_set_loop_motion(t.model, t.work, 0, &motion));
        }
        compare(&t, driven);
        lb_end_trial(&t);
    }
    print_message("%d of 180 judged\n", count_judged);
    assert_true(count_judged > 60);
}

// Where nothing is closed they are those of the tree.
static void trees_have_their_own_derivatives(void **state)
{
    (void)state;
    for (int i = 0; i < 30; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *a = lb_make_numbers(n), *x[3], *y[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = lb_make_numbers(n * n);
            y[k] = lb_make_numbers(n * n);
        }
        const lb_status status = lb_compute_forward_derivatives(t.model, t.work, t.derivatives, t.q,
                                                                t.v, t.tau, NULL, y[0], y[1], y[2]);
        differentiate(&t, NULL, status, a, x);
        for (int k = 0; k < 3; ++k) {
            // 1e-10: M^-1 by two factorisations, cond(M) up to 1e5
            lb_expect_close("derivatives", x[k], y[k], n * n, 1e-10);
            free(x[k]);
            free(y[k]);
        }
        free(a);
        lb_end_trial(&t);
    }
}

// One step of Runge and Kutta, fourth order, of q' = v, v' = a; all speeds are rates here.
static void step(lb_trial *t, double h, double *q, double *v)
{
    static const double at[4] = {0.0, 0.5, 0.5, 1.0}, share[4] = {1.0, 2.0, 2.0, 1.0};
    const size_t n = (size_t)t->v_count;
    double *x = lb_make_numbers(n), *u = lb_make_numbers(n), *a = lb_make_numbers(n);
    double *q0 = lb_make_numbers(n), *v0 = lb_make_numbers(n);
    memcpy(q0, q, n * sizeof *q);
    memcpy(v0, v, n * sizeof *v);
    memcpy(u, v, n * sizeof *u);
    for (int stage = 0; stage < 4; ++stage) {
        for (size_t i = 0; i < n; ++i) {
            x[i] = q0[i] + at[stage] * h * u[i];
            u[i] = v0[i] + at[stage] * h * a[i];
        }
        evaluate(t, NULL, x, u, t->tau, a);
        for (size_t i = 0; i < n; ++i) {
            q[i] += h / 6.0 * share[stage] * u[i];
            v[i] += h / 6.0 * share[stage] * a[i];
        }
    }
    free(x);
    free(u);
    free(a);
    free(q0);
    free(v0);
}

// Four-bars in space, three of five rows redundant: every coordinate, and the rate of the acceleration
// along the motion, a' = da/dq v + da/dv a.
static void four_bars_agree_with_differences_along_their_motion(void **state)
{
    (void)state;
    static const double weights[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    for (int i = 0; i < 6; ++i) {
        lb_trial t = lb_begin_scene_trial(lb_create_four_bars(1 + i / 2, LB_LOOP_REVOLUTE, i % 2),
                                          (uint64_t)i);
        const size_t n = (size_t)t.v_count, six = 6 * (size_t)t.scene->loop_count;
        assert_int_equal(t.q_count, t.v_count);
        double *r = lb_make_numbers(six), *dv = lb_make_numbers(n), *a = lb_make_numbers(n);
        double *q = lb_make_numbers(n), *v = lb_make_numbers(n), *y = lb_make_numbers(n);
        double *rate = lb_make_numbers(n), *expected = lb_make_numbers(n);
        double *da_dq = lb_make_numbers(n * n), *da_dv = lb_make_numbers(n * n);
        count_judged = 0;
        compare(&t, NULL); // off the loops
        assert_true(count_judged > 0);
        // on them
        memset(t.q, 0, n * sizeof *t.q);
        assert_int_equal(lb_factor_loops(t.model, t.work, t.q, NULL), LB_NEWS_REDUNDANT);
        lb_expect_ok(lb_apply_loop_jacobian(t.model, t.work, t.v, r));
        for (size_t e = 0; e < six; ++e) {
            r[e] = -r[e];
        }
        lb_expect_ok(lb_solve_loops(t.model, t.work, r, dv, NULL));
        for (size_t e = 0; e < n; ++e) {
            t.v[e] += dv[e];
        }
        count_judged = 0;
        compare(&t, NULL);
        assert_int_equal(count_judged, 3);
        assert_int_equal(lb_compute_constrained_derivatives(t.model, t.work, t.derivatives, t.q,
                                                            t.v, NULL, t.tau, a, da_dq, da_dv,
                                                            NULL),
                         LB_NEWS_REDUNDANT);
        for (size_t e = 0; e < n * n; ++e) {
            expected[e / n] += da_dq[e] * t.v[e % n] + da_dv[e] * a[e % n];
        }
        const double h = 1e-3;
        for (int side = 0; side < 2; ++side) {
            const double sign = side ? -1.0 : 1.0;
            memcpy(q, t.q, n * sizeof *q);
            memcpy(v, t.v, n * sizeof *v);
            for (int s = 0; s < 30; ++s) {
                step(&t, sign * h / 10, q, v);
                if (s % 10 == 9) {
                    evaluate(&t, NULL, q, v, t.tau, y);
                    for (size_t e = 0; e < n; ++e) {
                        rate[e] += sign * weights[s / 10] / h * y[e];
                    }
                }
            }
        }
        lb_expect_close("rate of the acceleration", expected, rate, n, 1e-7);
        free(r);
        free(dv);
        free(a);
        free(q);
        free(v);
        free(y);
        free(rate);
        free(expected);
        free(da_dq);
        free(da_dv);
        lb_end_trial(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_every_type_agree_with_differences),
        cmocka_unit_test(repeated_loops_agree_with_differences),
        cmocka_unit_test(driven_and_locked_hinges_agree_with_differences),
        cmocka_unit_test(trees_have_their_own_derivatives),
        cmocka_unit_test(four_bars_agree_with_differences_along_their_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
