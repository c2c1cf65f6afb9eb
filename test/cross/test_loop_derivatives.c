// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of forward dynamics with loops against differences of these dynamics: along every
// coordinate, on the loops or off them, and along motions that obey them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_products.h"
#include "dynamics/tree/tree.h"
#include "own_malloc.h"

typedef enum direction { ALONG_Q, ALONG_V, ALONG_TAU } direction;
enum { DIRECTIONS = 3 };

static size_t count_loop_entries(const lb_trial *t)
{
    return 6 * (size_t)lb_get_loop_capacity(t->model);
}

// Accelerations, drives and loop forces, one behind the other.
static size_t count_outputs(const lb_trial *t)
{
    return 2 * (size_t)t->v_count + count_loop_entries(t);
}

static void evaluate(lb_trial *t, const unsigned char *driven, const double *q, const double *v,
                     const double *tau, double *y)
{
    double *drive = y + t->v_count, *forces = drive + t->v_count;
    memcpy(y, t->a, (size_t)t->v_count * sizeof *y); // of driven hinges
    const lb_status status =
        lb_closed_forward(t->model, t->work, q, v, driven, tau, y, drive, forces);
    assert_true(status >= LB_OK);
}

// Derivatives by central differences of the eighth order with steps of h.
static void difference(lb_trial *t, const unsigned char *driven, direction along, double h,
                       double *out)
{
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const size_t n = (size_t)t->v_count, nq = (size_t)t->q_count, rows = count_outputs(t);
    double *q = lb_make_numbers(nq + 1), *x = lb_make_numbers(n), *step = lb_make_numbers(n);
    double *y = lb_make_numbers(rows);
    memset(out, 0, rows * n * sizeof *out);
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
            for (size_t i = 0; i < rows; ++i) {
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
                          double *drive, double *forces, double *const out[DIRECTIONS])
{
    const size_t square = (size_t)t->v_count * (size_t)t->v_count;
    const lb_constrained_derivatives wanted = {
        .size = sizeof wanted,
        .a_dq = out[0],
        .a_dv = out[1],
        .a_dtau = out[2],
        .drive_dq = out[0] + square,
        .drive_dv = out[1] + square,
        .drive_dtau = out[2] + square,
        .forces_dq = out[0] + 2 * square,
        .forces_dv = out[1] + 2 * square,
        .forces_dtau = out[2] + 2 * square,
    };
#if LB_OWN_MALLOC
    const long before = lb_malloc_count;
#endif
    const lb_status status = lb_closed_derivatives(t->model, t->work, t->derivatives, t->q, t->v,
                                                   driven, t->tau, a, drive, forces, &wanted);
#if LB_OWN_MALLOC
    assert_int_equal(lb_malloc_count - before, 0);
#endif
    assert_int_equal(status, expected);
}

static int count_judged;

// Each output against differences, where these know the answer to a tenth of the bound, since two steps
// agree to it (near singular positions they do not), and constraints do not contradict each other.
static void compare(lb_trial *t, const unsigned char *driven)
{
    const double bound = 1e-9; // round-off, 1e-16 / 0.004, times the condition of the loops
    static const char *const names[3][DIRECTIONS] = {
        {"a by q", "a by v", "a by tau"},
        {"drives by q", "drives by v", "drives by tau"},
        {"forces by q", "forces by v", "forces by tau"},
    };
    const size_t n = (size_t)t->v_count, rows = count_outputs(t), six = count_loop_entries(t);
    double *x = lb_make_numbers(rows), *y = lb_make_numbers(rows);
    double *fine = lb_make_numbers(rows * n), *coarse = lb_make_numbers(rows * n);
    double *out[DIRECTIONS];
    for (int i = 0; i < DIRECTIONS; ++i) {
        out[i] = lb_make_numbers(rows * n);
    }
    memcpy(x, t->a, n * sizeof *x);
    memcpy(y, t->a, n * sizeof *y);
    const lb_status status =
        lb_closed_forward(t->model, t->work, t->q, t->v, driven, t->tau, y, y + n, y + 2 * n);
    int loop;
    const double conflict = lb_get_loop_conflict(t->model, t->work, &loop);
    if (conflict < 1e-9 * (1.0 + get_largest(y, n))) {
        differentiate(t, driven, status, x, x + n, x + 2 * n, out);
        lb_expect_within("the dynamics", x, y, rows, 1e-13 * (1.0 + get_largest(y, rows)));
        // what the dynamics leave is there
        for (int l = 0; l < (int)six / 6; ++l) {
            double force[6];
            lb_expect_ok(lb_get_loop_force(t->model, t->work, l, force));
            lb_expect_within("forces", force, y + 2 * n + 6 * l, 6,
                             1e-13 * (1.0 + get_largest(y + 2 * n, six)));
        }
        lb_expect_below("conflict", lb_get_loop_conflict(t->model, t->work, &loop) - conflict,
                        1e-12 * (1.0 + get_largest(y, n)));
        for (int i = 0; i < DIRECTIONS; ++i) {
            // by v they are of second degree, by tau of first
            difference(t, driven, (direction)i, i ? 0.1 : 0.004, fine);
            difference(t, driven, (direction)i, i ? 0.2 : 0.008, coarse);
            for (int kind = 0; kind < 3; ++kind) {
                const size_t first = (size_t)kind * n * n, count = kind < 2 ? n * n : six * n;
                const double scale = 1.0 + get_largest(fine + first, count);
                double gap = 0.0;
                for (size_t e = first; e < first + count; ++e) {
                    gap = fmax(gap, fabs(fine[e] - coarse[e]));
                    fine[e] += i ? 0.0 : (fine[e] - coarse[e]) / 255.0;
                }
                if (gap < 0.1 * bound * scale) {
                    ++count_judged;
                    lb_expect_within(names[kind][i], out[i] + first, fine + first, count,
                                     bound * scale);
                }
            }
        }
    }
    for (int i = 0; i < DIRECTIONS; ++i) {
        free(out[i]);
    }
    free(x);
    free(y);
    free(fine);
    free(coarse);
}

static int is_held(const lb_trial *t, const unsigned char *driven, size_t entry)
{
    for (int k = 0; k < t->body_count; ++k) {
        const int first = lb_get_v_offset(t->model, k), modes = lb_get_mode_count(t->model, k);
        const int held = (driven && driven[k]) || lb_is_hinge_locked(t->model, t->work, k);
        const int end = k + 1 < t->body_count ? lb_get_v_offset(t->model, k + 1) : t->v_count;
        if (held && (int)entry >= first + modes && (int)entry < end) {
            return 1;
        }
    }
    return 0;
}

// The equations that the derivatives solve, from their parts:
//
//     M da + d(M a + c) - d(J' f) - J' df = drives,   J da + d(J a + bias) = 0
//
// on any state. The first to 1e-10 of the largest term: M^-1 and the factors of the loops come from two
// recursions, which differ by round-off times their condition. The second to 1e-8: directions with less
// than 1e-11 of the admittance are dropped.
static void check_equations(lb_trial *t, const unsigned char *driven)
{
    const size_t n = (size_t)t->v_count, rows = count_outputs(t), six = count_loop_entries(t);
    double *x = lb_make_numbers(rows), *M = lb_make_numbers(n * n),
           *J = lb_make_numbers(six * n + 1);
    double *rates[2], *balance[2], *force = lb_make_numbers(n * n), *out[DIRECTIONS];
    double *inverse = lb_make_numbers(n * n);
    for (int i = 0; i < DIRECTIONS; ++i) {
        out[i] = lb_make_numbers(rows * n);
    }
    for (int i = 0; i < 2; ++i) {
        rates[i] = lb_make_numbers(six * n + 1);
        balance[i] = lb_make_numbers(n * n);
    }
    memcpy(x, t->a, n * sizeof *x);
    const lb_status status =
        lb_closed_forward(t->model, t->work, t->q, t->v, driven, t->tau, x, NULL, NULL);
    int loop;
    const double conflict = lb_get_loop_conflict(t->model, t->work, &loop);
    differentiate(t, driven, status, x, x + n, x + 2 * n, out);
    lb_expect_ok(lb_tree_inverse_derivatives(t->model, t->work, t->derivatives, t->q, t->v, x, NULL,
                                             balance[0], balance[1], M));
    const lb_loop_derivatives wanted = {.size = sizeof wanted,
                                        .velocity_dv = J,
                                        .acceleration_dq = rates[0],
                                        .acceleration_dv = rates[1],
                                        .force_dq = force};
    lb_expect_ok(
        lb_compute_loop_derivatives(t->model, t->work, t->derivatives, x + 2 * n, &wanted));
    // another state in the workspace: the derivatives are of none that is known
    lb_expect_ok(lb_compute_kinematics(t->model, t->work, t->q, t->v, NULL));
    assert_int_equal(
        lb_compute_loop_derivatives(t->model, t->work, t->derivatives, x + 2 * n, &wanted),
        LB_E_STAGE);
    const lb_node_derivatives nothing = {.size = sizeof nothing};
    assert_int_equal(lb_compute_node_derivatives(t->model, t->work, t->derivatives, 0, 0, &nothing),
                     LB_E_STAGE);
    const lb_node_force load = {.body = 0, .axes = LB_AXES_WORLD};
    assert_int_equal(
        lb_apply_node_force_derivatives(t->model, t->work, t->derivatives, 1, &load, M),
        LB_E_STAGE);
    assert_true(lb_tree_mass_matrix_inverse(t->model, t->work, t->q, inverse) >= LB_OK);
    for (int part = 0; part < DIRECTIONS && conflict < 1e-9 * (1.0 + get_largest(x, n)); ++part) {
        const double *da = out[part], *drive = da + n * n, *df = drive + n * n;
        double worst = 0.0, terms = 1.0;
        for (size_t e = 0; e < n * n; ++e) {
            const size_t i = e / n, j = e % n;
            // the force of a hinge that stands still or is driven is not among tau
            double sum = part < 2 ? balance[part][e] : -(double)(i == j && !is_held(t, driven, i));
            sum -= drive[e] + (part == ALONG_Q ? force[e] : 0.0);
            for (size_t k = 0; k < n; ++k) {
                sum += M[i * n + k] * da[k * n + j];
                terms = fmax(terms, fabs(M[i * n + k] * da[k * n + j]));
            }
            for (size_t r = 0; r < six; ++r) {
                sum -= J[r * n + i] * df[r * n + j];
                terms = fmax(terms, fabs(J[r * n + i] * df[r * n + j]));
            }
            worst = fmax(worst, fabs(sum));
        }
        lb_expect_below("balance", worst, 1e-10 * terms);
        // J M^-1 J' df is among them
        worst = 0.0;
        terms = 1.0 + get_largest(df, six * n) * get_largest(J, six * n) * get_largest(J, six * n) *
                          get_largest(inverse, n * n);
        for (size_t e = 0; e < six * n; ++e) {
            double sum = part < 2 ? rates[part][e] : 0.0;
            for (size_t k = 0; k < n; ++k) {
                sum += J[e / n * n + k] * da[k * n + e % n];
                terms = fmax(terms, fabs(J[e / n * n + k] * da[k * n + e % n]));
            }
            worst = fmax(worst, fabs(sum));
        }
        lb_expect_below("rows", worst, 1e-8 * terms);
    }
    for (int i = 0; i < DIRECTIONS; ++i) {
        free(out[i]);
    }
    for (int i = 0; i < 2; ++i) {
        free(rates[i]);
        free(balance[i]);
    }
    free(x);
    free(M);
    free(J);
    free(inverse);
    free(force);
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
        check_equations(&t, NULL);
        lb_end_trial(&t);
    }
    print_message("%d of 1080 judged\n", count_judged);
    assert_true(count_judged > 360);
}

static void repeated_loops_agree_with_differences(void **state)
{
    (void)state;
    count_judged = 0;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = begin(i, 2, 1);
        compare(&t, NULL);
        check_equations(&t, NULL);
        lb_end_trial(&t);
    }
    print_message("%d of 540 judged\n", count_judged);
    assert_true(count_judged > 180);
}

// More rows than there are ways to move, at rest, where they do not contradict each other: what is redundant
// turns with the configuration, and the forces of least norm with it.
static void redundant_loops_at_rest_agree_with_differences(void **state)
{
    (void)state;
    count_judged = 0;
    int redundant = 0;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = begin(i, 8, 0);
        memset(t.v, 0, (size_t)t.v_count * sizeof *t.v);
        lb_expect_ok(lb_factor_loops(t.model, t.work, t.q, NULL));
        redundant += lb_get_redundant_row_count(t.work) > 0;
        compare(&t, NULL);
        check_equations(&t, NULL);
        lb_end_trial(&t);
    }
    print_message("%d of 540 judged, %d of 60 redundant\n", count_judged, redundant);
    assert_true(count_judged > 360 && redundant > 30);
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
        check_equations(&t, driven);
        lb_end_trial(&t);
    }
    print_message("%d of 540 judged\n", count_judged);
    assert_true(count_judged > 150);
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
            x[k] = lb_make_numbers(2 * n * n);
            y[k] = lb_make_numbers(n * n);
        }
        const lb_status status = lb_tree_forward_derivatives(t.model, t.work, t.derivatives, t.q,
                                                             t.v, t.tau, NULL, y[0], y[1], y[2]);
        differentiate(&t, NULL, status, a, NULL, NULL, x);
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
    double *x = lb_make_numbers(n), *u = lb_make_numbers(n);
    double *a = lb_make_numbers(count_outputs(t));
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

// Speeds that obey the loops where all of them are closed, at zero.
static void close_loops(lb_trial *t)
{
    const size_t n = (size_t)t->v_count, six = count_loop_entries(t);
    double *r = lb_make_numbers(six), *dv = lb_make_numbers(n);
    memset(t->q, 0, (size_t)t->q_count * sizeof *t->q);
    lb_expect_ok(lb_factor_loops(t->model, t->work, t->q, NULL));
    assert_true(lb_get_redundant_row_count(t->work) > 0);
    lb_expect_ok(lb_apply_loop_jacobian(t->model, t->work, t->v, r));
    for (size_t e = 0; e < six; ++e) {
        r[e] = -r[e];
    }
    lb_expect_ok(lb_solve_loops(t->model, t->work, r, dv, NULL));
    for (size_t e = 0; e < n; ++e) {
        t->v[e] += dv[e];
    }
    free(r);
    free(dv);
}

// The rates of accelerations and loop forces along the motion, a' = da/dq v + da/dv a, against
// differences of the sixth order along it: 1e-3^6 of the seventh derivatives, and round-off by the step.
static void follow(lb_trial *t)
{
    static const double weights[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    const double h = 1e-3;
    const size_t n = (size_t)t->v_count, rows = count_outputs(t), six = count_loop_entries(t);
    double *a = lb_make_numbers(n), *q = lb_make_numbers(n), *v = lb_make_numbers(n);
    double *y = lb_make_numbers(rows), *rate = lb_make_numbers(rows);
    double *expected = lb_make_numbers(rows), *out[DIRECTIONS];
    for (int i = 0; i < DIRECTIONS; ++i) {
        out[i] = lb_make_numbers(rows * n);
    }
    assert_int_equal(t->q_count, t->v_count);
    differentiate(t, NULL, LB_OK, a, NULL, NULL, out);
    for (size_t e = 0; e < rows * n; ++e) {
        expected[e / n] += out[0][e] * t->v[e % n] + out[1][e] * a[e % n];
    }
    for (int side = 0; side < 2; ++side) {
        const double sign = side ? -1.0 : 1.0;
        memcpy(q, t->q, n * sizeof *q);
        memcpy(v, t->v, n * sizeof *v);
        for (int s = 0; s < 30; ++s) {
            step(t, sign * h / 10, q, v);
            if (s % 10 == 9) {
                evaluate(t, NULL, q, v, t->tau, y);
                for (size_t e = 0; e < rows; ++e) {
                    rate[e] += sign * weights[s / 10] / h * y[e];
                }
            }
        }
    }
    lb_expect_close("rate of the acceleration", expected, rate, n, 1e-7);
    lb_expect_close("rate of the forces", expected + 2 * n, rate + 2 * n, six, 1e-7);
    for (int i = 0; i < DIRECTIONS; ++i) {
        free(out[i]);
    }
    free(a);
    free(q);
    free(v);
    free(y);
    free(rate);
    free(expected);
}

// Four-bars in space, three of five rows redundant: every coordinate, and along the motion.
static void four_bars_agree_with_differences_along_their_motion(void **state)
{
    (void)state;
    for (int i = 0; i < 6; ++i) {
        lb_trial t = lb_begin_scene_trial(lb_create_four_bars(1 + i / 2, LB_LOOP_REVOLUTE, i % 2),
                                          (uint64_t)i);
        count_judged = 0;
        compare(&t, NULL); // off the loops
        assert_true(count_judged > 0);
        close_loops(&t);
        count_judged = 0;
        compare(&t, NULL);
        assert_int_equal(count_judged, 9);
        follow(&t);
        lb_end_trial(&t);
    }
}

// A parallelogram with a second coupler, between the middles of crank and rocker, is redundant in its plane
// too, but on its loops only: beside them one more row is independent. Along its motion the rank stays,
// and derivatives are right.
static void what_is_redundant_on_its_loops_only_agrees_along_its_motion(void **state)
{
    (void)state;
    lb_scene *scene = lb_create_four_bars(1, LB_LOOP_REVOLUTE, 0);
    scene->bodies = realloc(scene->bodies, 4 * sizeof *scene->bodies);
    scene->loops = realloc(scene->loops, 2 * sizeof *scene->loops);
    assert_non_null(scene->bodies);
    assert_non_null(scene->loops);
    lb_scene_body *crank = &scene->bodies[0], *rocker = &scene->bodies[2];
    crank->by = rocker->by = 0;
    crank->nodes[1] = crank->nodes[2];
    rocker->nodes[1] = rocker->nodes[2];
    crank->nodes[1].position[0] = rocker->nodes[1].position[0] = 0.5;
    scene->bodies[3] = scene->bodies[1];
    scene->bodies[3].at = 1;
    scene->bodies[3].mass = 2.5;
    scene->loops[1] = scene->loops[0];
    scene->loops[1].body[0] = 3;
    scene->loops[1].node[1] = 1;
    scene->body_count = 4;
    scene->loop_count = 2;
    lb_count_scene(scene);
    lb_trial t = lb_begin_scene_trial(scene, 5);
    int rows, off, on;
    assert_true(lb_factor_loops(t.model, t.work, t.q, NULL) >= LB_OK);
    lb_expect_ok(lb_get_loop_rank(t.model, t.work, &rows, &off, NULL));
    close_loops(&t);
    lb_expect_ok(lb_get_loop_rank(t.model, t.work, &rows, &on, NULL));
    assert_int_equal(off, 4);
    assert_int_equal(on, 3);
    follow(&t);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_every_type_agree_with_differences),
        cmocka_unit_test(repeated_loops_agree_with_differences),
        cmocka_unit_test(redundant_loops_at_rest_agree_with_differences),
        cmocka_unit_test(driven_and_locked_hinges_agree_with_differences),
        cmocka_unit_test(trees_have_their_own_derivatives),
        cmocka_unit_test(four_bars_agree_with_differences_along_their_motion),
        cmocka_unit_test(what_is_redundant_on_its_loops_only_agrees_along_its_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
