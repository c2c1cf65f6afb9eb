// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear models of systems with loops that move: against differences of the dynamics in minimal
// coordinates, at any point of a motion.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_products.h"
#include "limber/linear.h"
#include "loaded.h"

// ---- the second road ---------------------------------------------------------------------------

// States near to a point, dependent coordinates and speeds from the loops alone, and what constrained
// dynamics make of them.
typedef struct road {
    lb_loaded *l;
    const lb_linear *linear;
    lb_work *work;
    int nq, nv;
    unsigned char *driven;              // a flag a body: forces do not move its hinge
    unsigned char *held;                // a flag a speed: it is none that follows
    double *q, *v, *a, *tau, *step, *u; // u: given accelerations
} road;

// given     driven  a flag a body; NULL for none
static road begin_road(lb_loaded *l, const lb_linear *linear, const unsigned char *driven)
{
    road r = {.l = l, .linear = linear, .nq = linear->q_count, .nv = linear->v_count};
    const int bodies = lb_get_body_count(l->model);
    r.work = lb_create_work(l->model);
    r.driven = calloc((size_t)bodies + 1, 1);
    r.held = calloc((size_t)r.nv + 1, 1);
    r.q = lb_make_numbers((size_t)(r.nq + 5 * r.nv));
    assert_true(r.work && r.driven && r.held);
    r.v = r.q + r.nq;
    r.a = r.v + r.nv;
    r.tau = r.a + r.nv;
    r.step = r.tau + r.nv;
    r.u = r.step + r.nv;
    for (int k = 0; k < bodies && driven; ++k) {
        const int hinge = lb_get_v_offset(l->model, k) + lb_get_mode_count(l->model, k);
        r.driven[k] = driven[k];
        for (int i = 0; i < lb_get_hinge(l->model, k).v_count; ++i) {
            r.held[hinge + i] = driven[k];
            r.u[hinge + i] = linear->a[hinge + i];
        }
    }
    for (int i = 0; i < linear->coordinate_count; ++i) {
        r.held[linear->coordinates[i]] = 1;
    }
    const double *q0, *v0;
    lb_get_initial_state(l->simulation, &q0, &v0);
    lb_expect_ok(lb_take_initial_offsets(l->model, r.work, q0, NULL));
    return r;
}

static void end_road(road *r)
{
    lb_destroy_work(r->work);
    free(r->driven);
    free(r->held);
    free(r->q);
}

// x_d of J_d x_d = e, by least squares: Gram and Schmidt's columns, twice for the digits. The columns
// are those of `free` speeds, at the positions in the workspace.
static void solve_dependent(const lb_model *model, lb_work *work, const unsigned char *held,
                            const double *e, double *x)
{
    const int n = lb_get_v_count(model), rows = 6 * lb_get_loop_capacity(model);
    double *Q = lb_make_numbers((size_t)n * (size_t)(rows + n) + (size_t)(rows + n));
    double *R = Q + n * rows, *unit = R + n * n, *rest = unit + n;
    int count = 0, of[200];
    double largest = 0.0;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(rest, e, (size_t)rows * sizeof *rest);
    for (int j = 0; j < n; ++j) {
        unit[j] = held[j] ? 0.0 : 1.0;
        lb_expect_ok(lb_apply_loop_jacobian(model, work, unit, Q));
        unit[j] = 0.0;
        double whole = 0.0;
        for (int i = 0; i < rows; ++i) {
            whole += Q[i] * Q[i];
        }
        largest = fmax(largest, whole);
    }
    for (int j = 0; j < n; ++j) {
        double *column = Q + count * rows;
        if (held[j]) {
            continue;
        }
        unit[j] = 1.0;
        lb_expect_ok(lb_apply_loop_jacobian(model, work, unit, column));
        unit[j] = 0.0;
        double size = 0.0;
        for (int k = 0; k < 2 * count; ++k) {
            const double *other = Q + k % count * rows;
            double part = 0.0;
            for (int i = 0; i < rows; ++i) {
                part += other[i] * column[i];
            }
            R[k % count * n + count] += part;
            for (int i = 0; i < rows; ++i) {
                column[i] -= part * other[i];
            }
        }
        for (int i = 0; i < rows; ++i) {
            size += column[i] * column[i];
        }
        // what follows from others, or moves nothing, stays
        if (!(size > 1e-18 * fmax(1.0, largest))) {
            for (int k = 0; k < count; ++k) {
                R[k * n + count] = 0.0;
            }
            continue;
        }
        R[count * n + count] = sqrt(size);
        for (int i = 0; i < rows; ++i) {
            column[i] /= sqrt(size);
        }
        of[count++] = j;
    }
    for (int k = count - 1; k >= 0; --k) {
        double sum = 0.0;
        for (int i = 0; i < rows; ++i) {
            sum += Q[k * rows + i] * rest[i];
        }
        for (int j = k + 1; j < count; ++j) {
            sum -= R[k * n + j] * x[of[j]];
        }
        x[of[k]] = sum / R[k * n + k];
    }
    free(Q);
}

// Closes loops, and makes speeds agree, by what is not held.
static void close(const lb_model *model, lb_work *work, const unsigned char *held, double *q,
                  double *v)
{
    const int nq = lb_get_q_count(model), n = lb_get_v_count(model);
    double *x = lb_make_numbers((size_t)(n + nq + 6 * lb_get_loop_capacity(model)));
    double *next = x + n, *e = next + nq;
    for (int pass = 0; pass < 8; ++pass) {
        lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
        lb_expect_ok(lb_compute_loop_errors(model, work, q, e, NULL));
        solve_dependent(model, work, held, e, x);
        for (int i = 0; i < n; ++i) {
            x[i] = -x[i];
        }
        lb_integrate_configuration(model, q, x, next);
        memcpy(q, next, (size_t)nq * sizeof *q);
    }
    for (int pass = 0; pass < 2; ++pass) {
        lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
        lb_expect_ok(lb_compute_loop_errors(model, work, q, NULL, e));
        solve_dependent(model, work, held, e, x);
        for (int i = 0; i < n; ++i) {
            v[i] -= x[i];
        }
    }
    free(x);
}

// The state where state j of the linear model has gone by h; j below zero for the point itself.
static void displace(road *r, int j, double h)
{
    const int m = r->linear->coordinate_count;
    memset(r->step, 0, (size_t)r->nv * sizeof *r->step);
    memcpy(r->v, r->linear->v, (size_t)r->nv * sizeof *r->v);
    if (j >= 0) {
        (j < m ? r->step : r->v)[r->linear->coordinates[j % m]] += h;
    }
    lb_integrate_configuration(r->l->model, r->linear->q, r->step, r->q);
    close(r->l->model, r->work, r->held, r->q, r->v);
}

// Accelerations there, and a signal.
static double evaluate(road *r, const double *more, const char *signal)
{
    lb_forces *forces = lb_get_simulation_forces(r->l->simulation);
    const lb_model *model = r->l->model;
    unsigned char driven[64] = {0};
    double value = 0.0;
    memset(r->tau, 0, (size_t)r->nv * sizeof *r->tau);
    memcpy(r->a, r->u, (size_t)r->nv * sizeof *r->a);
    lb_expect_ok(lb_compute_kinematics(model, r->work, r->q, r->v, NULL));
    lb_expect_ok(lb_compute_forces(forces, model, r->work, r->linear->t, r->q, r->v, r->tau, driven,
                                   r->step));
    for (int i = 0; i < r->nv && more; ++i) {
        r->tau[i] += more[i];
    }
    assert_true(
        lb_closed_forward(model, r->work, r->q, r->v, r->driven, r->tau, r->a, NULL, NULL) >= 0);
    if (signal) {
        lb_signal *compiled;
        lb_expect_ok(
            lb_compile_signal(model, lb_get_force_signals(forces), signal, NULL, &compiled));
        const lb_instant instant = {.size = sizeof instant,
                                    .model = model,
                                    .work = r->work,
                                    .t = r->linear->t,
                                    .q = r->q,
                                    .v = r->v,
                                    .a = r->a};
        lb_expect_ok(lb_evaluate_signal(compiled, &instant, &value));
        lb_destroy_signal(compiled);
    }
    return value;
}

static const double weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
static const int places[4] = {-2, -1, 1, 2};

// Column j of the lower half of A: central differences of the fourth order.
static void difference(road *r, int j, double h, double *column)
{
    const int m = r->linear->coordinate_count;
    memset(column, 0, (size_t)m * sizeof *column);
    for (int k = 0; k < 4; ++k) {
        displace(r, j, places[k] * h);
        evaluate(r, NULL, NULL);
        for (int i = 0; i < m; ++i) {
            column[i] += weights[k] / h * r->a[r->linear->coordinates[i]];
        }
    }
}

static double get_largest(const double *x, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

// The upper half of A by its meaning: how fast a neighbour parts from the point as both go on.
static void check_drift(road *r, int j)
{
    const lb_linear *x = r->linear;
    const lb_model *model = r->l->model;
    const int m = x->coordinate_count, n = r->nv;
    const double dt = 1e-3 / fmax(1.0, get_largest(x->v, n)), e = 1e-3;
    double *here = lb_make_numbers((size_t)(2 * r->nq + 3 * n));
    double *there = here + r->nq, *way = there + r->nq, *gap = way + n, *column = gap + n;
    for (int k = 0; k < 4; ++k) {
        const double sign = k & 1 ? 1.0 : -1.0, t = k & 2 ? dt : -dt;
        displace(r, j, sign * e);
        for (int i = 0; i < n; ++i) {
            way[i] = x->v[i] * t;
        }
        lb_integrate_configuration(model, x->q, way, here);
        for (int i = 0; i < n; ++i) {
            way[i] = r->v[i] * t;
        }
        lb_integrate_configuration(model, r->q, way, there);
        lb_difference_configuration(model, here, there, gap);
        for (int i = 0; i < m; ++i) {
            column[i] += sign * gap[x->coordinates[i]] / (2 * e) * (t > 0 ? 1 : -1) / (2 * dt);
        }
    }
    for (int i = 0; i < m; ++i) {
        gap[i] = x->A[i * x->state_count + j];
    }
    // 1e-4: steps of 1e-3 in angles and way, errors of their squares
    lb_expect_within("drift", gap, column, m,
                     1e-4 * (1.0 + get_largest(column, m) + get_largest(x->v, n)));
    free(here);
}

// A against differences, columns of which these know the answer: two steps agree to a tenth of the
// bound. Gives the number of these.
static int compare(road *r, double tolerance)
{
    const lb_linear *x = r->linear;
    const int m = x->coordinate_count, states = x->state_count;
    double *column = lb_make_numbers(3 * (size_t)m + 1), *found = column + m, *other = found + m;
    const double bound = tolerance * (1.0 + get_largest(x->A + m * states, m * states));
    int judged = 0;
    for (int j = 0; j < states; ++j) {
        difference(r, j, 1e-3, column);
        difference(r, j, 5e-4, other);
        for (int i = 0; i < m; ++i) {
            found[i] = x->A[(m + i) * states + j];
            assert_true(x->A[i * states + m + j % m] == (i == j % m));
            other[i] -= column[i];
        }
        if (get_largest(other, m) > 0.1 * bound) {
            continue;
        }
        ++judged;
        lb_expect_within("column of A", found, column, m, bound);
        check_drift(r, j);
    }
    free(column);
    return judged;
}

static double difference_output(road *r, int j, const char *signal, double h)
{
    double slope = 0.0;
    for (int k = 0; k < 4; ++k) {
        displace(r, j, places[k] * h);
        slope += weights[k] / h * evaluate(r, NULL, signal);
    }
    return slope;
}

// C of an output against differences of the signal where these know it, and its value. Gives how many
// entries were compared.
static int compare_output(road *r, int output, double tolerance)
{
    const lb_linear *x = r->linear;
    const int states = x->state_count;
    const char *signal = x->outputs[output];
    const double *C = x->C + output * states;
    const double bound = tolerance * (1.0 + get_largest(C, states));
    int judged = 0;
    displace(r, -1, 0.0);
    const double value = evaluate(r, NULL, signal);
    lb_expect_within(signal, &x->output_values[output], &value, 1, 1e-8 * (1.0 + fabs(value)));
    for (int j = 0; j < states; ++j) {
        const double slope = difference_output(r, j, signal, 5e-4);
        if (fabs(slope - difference_output(r, j, signal, 1e-3)) > bound) {
            continue;
        }
        ++judged;
        if (!(fabs(C[j] - slope) <= bound)) {
            fail_msg("output %s by %s: %.12g, differences %.12g", signal, x->states[j], C[j],
                     slope);
        }
    }
    return judged;
}

// B, and D of all outputs, of an input by its generalized forces, or by the speed that it drives.
static void compare_input(road *r, int input, const double *forces, int driven, double tolerance)
{
    const lb_linear *x = r->linear;
    const int m = x->coordinate_count, p = x->input_count;
    double *push = lb_make_numbers(3 * (size_t)r->nv), *before = push + r->nv, *B = before + r->nv;
    displace(r, -1, 0.0);
    // linear in the input, but for norms
    for (int k = -1; k < x->output_count; ++k) {
        const char *signal = k < 0 ? NULL : x->outputs[k];
        const double h = 1e-3;
        double value[2];
        for (int side = 0; side < 2; ++side) {
            const double u = side ? h : -h;
            for (int i = 0; i < r->nv; ++i) {
                push[i] = forces ? u * forces[i] : 0.0;
            }
            if (driven >= 0) {
                r->u[driven] += u;
            }
            value[side] = evaluate(r, push, signal);
            if (driven >= 0) {
                r->u[driven] -= u;
            }
            memcpy(side ? B : before, r->a, (size_t)r->nv * sizeof *r->a);
        }
        const double slope = (value[1] - value[0]) / (2 * h);
        if (k >= 0) {
            lb_expect_within(signal, &x->D[k * p + input], &slope, 1,
                             tolerance * (1.0 + fabs(slope)));
        }
        for (int i = 0; i < m && k < 0; ++i) {
            const int entry = x->coordinates[i];
            const double rate = (B[entry] - before[entry]) / (2 * h);
            assert_true(x->B[i * p + input] == 0.0);
            lb_expect_within("B", &x->B[(m + i) * p + input], &rate, 1,
                             tolerance * (1.0 + fabs(rate)));
        }
    }
    free(push);
}

static lb_linear *linearize(lb_loaded *l, const lb_linear_options *options)
{
    lb_linear *linear = NULL;
    const lb_status status = lb_linearize(l->simulation, options, &linear);
    if (status != LB_OK) {
        print_message("%s\n", lb_get_simulation_message(l->simulation));
    }
    lb_expect_ok(status);
    return linear;
}

static lb_loaded load_example(const char *name)
{
    lb_loaded l = {0};
    lb_expect_ok(lb_load_document(lb_find_source("examples/%s", name), NULL, NULL, &l.document));
    lb_expect_ok(lb_load_document_model(l.document, NULL, &l.model));
    lb_expect_ok(lb_load_simulation(l.document, l.model, NULL, &l.simulation));
    return l;
}

// ---- random trees with loops -------------------------------------------------------------------

// Dampers, a spring, the state at which the loops are closed, and no loop follows a motion.
static lb_loaded load(lb_trial *trial, char *text, size_t size)
{
    const lb_model *model = trial->model;
    size_t used = (size_t)snprintf(text, size, "limber: 1\nforces:\n");
    for (int k = 0; k < trial->body_count; ++k) {
        for (int i = 0; i < lb_get_hinge(model, k).v_count; ++i) {
            used +=
                (size_t)snprintf(text + used, size - used,
                                 "  - {name: d%d_%d, type: damper, hinge: %s.%d, damping: 0.%d}\n",
                                 k, i, lb_get_body_name(model, k), i, 1 + (k + i) % 8);
        }
    }
    used += (size_t)snprintf(
        text + used, size - used,
        "  - {name: s, type: spring, between: [b%d/n1, ground], stiffness: 7, length: 0.3}\n"
        "initial:\n",
        trial->body_count - 1);
    for (int k = 0; k < trial->body_count; ++k) {
        const double *q = trial->q + lb_get_q_offset(model, k);
        const int modes = lb_get_mode_count(model, k), hinge = lb_get_hinge(model, k).q_count;
        used += (size_t)snprintf(text + used, size - used, "  b%d: {eta: [", k);
        for (int i = 0; i < modes + hinge; ++i) {
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s%.17g", i == modes ? "], q: [" : "",
                                 i && i != modes ? ", " : "", q[i]);
        }
        used += (size_t)snprintf(text + used, size - used, "%s]}\n", hinge ? "" : "], q: [");
        assert_true(used < size);
    }
    lb_model *own = lb_build_scene(trial->scene);
    assert_non_null(own);
    return lb_begin_loaded(text, own);
}

static void random_loops_agree_with_differences(void **state)
{
    (void)state;
    char text[20000];
    int judged = 0, refused = 0;
    for (int number = 0; number < 60; ++number) {
        lb_tree_options options = lb_get_mixed_tree(number);
        options.fidelity = LB_FIDELITY_CONSISTENT;
        const uint64_t seed = lb_get_base_seed() * 1000003u + (uint64_t)number;
        lb_scene *scene = lb_create_tree(&options, seed);
        lb_random random;
        lb_seed_random(&random, seed + 80);
        lb_draw_loops(scene, &random, 1 + lb_draw_index(&random, 2));
        const int count = scene->loop_count;
        if (number % 3 == 0 && count) { // every loop twice
            scene->loops = realloc(scene->loops, 2 * (size_t)count * sizeof *scene->loops);
            assert_non_null(scene->loops);
            memcpy(scene->loops + count, scene->loops, (size_t)count * sizeof *scene->loops);
            scene->loop_count = 2 * count;
        }
        for (int i = 0; i < scene->loop_count; ++i) {
            scene->loops[i].driven = 0;
            scene->loops[i].as_assembled = 1;
        }
        lb_trial trial = lb_begin_scene_trial(scene, seed);
        lb_loaded l = load(&trial, text, sizeof text);
        // speeds that agree, as near to random ones as may be
        unsigned char *none = calloc((size_t)trial.v_count + 1, 1);
        // but for a rod whose ends coincide
        if (lb_take_initial_offsets(trial.model, trial.work, trial.q, NULL) != LB_OK) {
            free(none);
            lb_end_loaded(&l);
            lb_end_trial(&trial);
            continue;
        }
        close(trial.model, trial.work, none, trial.q, trial.v);
        free(none);
        lb_linear_options o = lb_default_linear_options();
        lb_linear *linear = NULL;
        o.q = trial.q;
        o.v = trial.v;
        const lb_status status = lb_linearize(l.simulation, &o, &linear);
        // what a tree with no freedom but in one place cannot do
        if (status == LB_E_SINGULAR) {
            ++refused;
        } else {
            if (status != LB_OK) {
                print_message("%d: %s\n", number, lb_get_simulation_message(l.simulation));
            }
            lb_expect_ok(status);
            road r = begin_road(&l, linear, NULL);
            int rows = 0, rank = 0;
            assert_true(lb_factor_loops(l.model, r.work, linear->q, NULL) >= 0);
            lb_expect_ok(lb_get_loop_rank(l.model, r.work, &rows, &rank, NULL));
            assert_int_equal(trial.v_count - linear->coordinate_count, rank);
            // 1e-7: differences of the fourth order with steps of 1e-3
            const int good = compare(&r, 1e-7);
            judged += good > 0;
            end_road(&r);
            lb_destroy_linear(linear);
        }
        lb_end_loaded(&l);
        lb_end_trial(&trial);
    }
    print_message("%d compared, %d refused\n", judged, refused);
    assert_true(judged > 30);
}

// ---- mechanisms --------------------------------------------------------------------------------

#define LIST(options, kind, ...)                                                                   \
    static const char *const kind##_names[] = {__VA_ARGS__};                                       \
    (options).kind##s = kind##_names;                                                              \
    (options).kind##_count = (int)(sizeof kind##_names / sizeof *kind##_names)

// A four-bar linkage in space, its pin a revolute loop that repeats three rows; the coupler bends.
#define FOUR_BAR                                                                                   \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "signals: {pull: loop/pin.force.x * cos(rocker.angle) + rocker.rate}\n"                        \
    "ground: {nodes: {right: {position: [0.6, 0, 0]}}}\n"                                          \
    "bodies:\n"                                                                                    \
    "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 0.3, com: [0.1, 0, 0], "    \
    "inertia: [0.01, 0.02, 0.02, 0, 0, 0], nodes: {tip: {position: [0.24, 0, 0]}}}\n"              \
    "  - name: coupler\n"                                                                          \
    "    parent: crank\n"                                                                          \
    "    at: tip\n"                                                                                \
    "    hinge: {type: revolute, axis: [0, 0, 1]}\n"                                               \
    "    flex:\n"                                                                                  \
    "      nodes:\n"                                                                               \
    "        - {name: mid, position: [0.3, 0, 0], mass: 0.2, inertia: [0.001, 0.001, 0.001, 0, "   \
    "0, "                                                                                          \
    "0], shape: [[0, 0, 0.3, 0, 1, 0]]}\n"                                                         \
    "        - {name: end, position: [0.6, 0, 0], mass: 0.1, inertia: [0.001, 0.001, 0.001, 0, "   \
    "0, "                                                                                          \
    "0], shape: [[0, 0, -1.2, 0, 0.1, 0]]}\n"                                                      \
    "      stiffness: [40]\n"                                                                      \
    "  - {name: rocker, at: right, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 0.4, com: "     \
    "[0.2, 0, 0], inertia: [0.01, 0.03, 0.03, 0, 0, 0], nodes: {tip: {position: [0.5, 0, 0]}}}\n"  \
    "loops:\n"                                                                                     \
    "  - {name: pin, a: {body: rocker, node: tip}, b: {body: coupler, node: end}, type: "          \
    "revolute, axis: [0, 0, 1]}\n"                                                                 \
    "initial: {crank: {angle: 1.2, rate: 7}, coupler: {angle: -1, eta_rate: [0.3]}, rocker: "      \
    "{angle: 1.4}}\n"                                                                              \
    "run: {duration: 1, assemble: {hold: [crank, coupler.eta.0]}}\n"                               \
    "forces:\n"                                                                                    \
    "  - {name: k, type: spring, between: [coupler/mid, ground], stiffness: 30, length: 0.1}\n"    \
    "  - {name: c, type: damper, hinge: rocker, damping: 0.05}\n"

static const char swinging[] = FOUR_BAR;
static const char driven[] =
    FOUR_BAR "  - {name: drive, type: motion, hinge: crank, position: 1.2 + 7*t + 3*t^2}\n";

static void set_node_force(road *r, const char *body, const char *node, int component, double *tau)
{
    lb_node_force force = {.axes = LB_AXES_WORLD};
    force.body = lb_find_body(r->l->model, body);
    force.node = lb_find_node(r->l->model, force.body, node);
    force.force[component] = 1.0;
    memset(tau, 0, (size_t)r->nv * sizeof *tau);
    lb_expect_ok(lb_compute_kinematics(r->l->model, r->work, r->linear->q, r->linear->v, NULL));
    lb_expect_ok(lb_apply_node_forces(r->l->model, r->work, 1, &force, tau));
}

// Free, then with the crank driven by a motion of the model that accelerates: dependent bodies and the
// forces of the pin among the outputs.
static void four_bar_in_motion_has_its_derivatives(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        lb_loaded l = lb_begin_loaded(kind ? driven : swinging, NULL);
        lb_linear_options o = lb_default_linear_options();
        LIST(o, output, "rocker.angle", "rocker/tip.velocity.x", "coupler/mid.acceleration.y",
             "loop/pin.force.x", "loop/pin.force.norm", "loop/pin.moment.z", "system.kinetic",
             "pull");
        LIST(o, input, "coupler/mid.force.y", "rocker.motor");
        lb_linear *x = linearize(&l, &o);
        // the crank, or nothing but the bending
        assert_int_equal(x->coordinate_count, kind ? 1 : 2);
        assert_true(x->unbalance > 1.0);
        const unsigned char flags[3] = {(unsigned char)kind, 0, 0};
        road r = begin_road(&l, x, flags);
        assert_int_equal(compare(&r, 1e-7), x->state_count);
        for (int k = 0; k < x->output_count; ++k) {
            assert_int_equal(compare_output(&r, k, 1e-7), x->state_count);
        }
        double tau[8] = {0};
        set_node_force(&r, "coupler", "mid", 4, tau);
        compare_input(&r, 0, tau, -1, 1e-7);
        memset(tau, 0, sizeof tau);
        tau[lb_get_v_offset(l.model, 2)] = 1.0;
        compare_input(&r, 1, tau, -1, 1e-7);
        end_road(&r);
        lb_destroy_linear(x);
        lb_end_loaded(&l);
    }
}

// The crank driven by an input: its angle and rate are states, what follows from them outputs.
static void driven_crank_is_an_input(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(driven, NULL);
    lb_linear_options o = lb_default_linear_options();
    LIST(o, output, "rocker.angle", "coupler/end.acceleration.x", "loop/pin.force.y");
    LIST(o, input, "drive", "rocker.motor");
    lb_linear *x = linearize(&l, &o);
    assert_int_equal(x->coordinate_count, 2);
    const unsigned char flags[3] = {1, 0, 0};
    road r = begin_road(&l, x, flags);
    assert_int_equal(compare(&r, 1e-7), x->state_count);
    for (int k = 0; k < x->output_count; ++k) {
        assert_int_equal(compare_output(&r, k, 1e-7), x->state_count);
    }
    double tau[8] = {0};
    compare_input(&r, 0, NULL, 0, 1e-7);
    tau[lb_get_v_offset(l.model, 2)] = 1.0;
    compare_input(&r, 1, tau, -1, 1e-7);
    end_road(&r);
    lb_destroy_linear(x);
    lb_end_loaded(&l);
}

// Mechanisms of examples/ in the middle of a run: Bricard's, which moves although it has more rows than
// coordinates, and the flexible four-bar.
static void points_of_a_run_have_their_derivatives(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double time;
        int coordinates;
    } cases[] = {{"bricard.yaml", 0.8, 1}, {"flexible_four_bar.yaml", 0.13, 7}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        lb_loaded run = load_example(cases[k].name), l = load_example(cases[k].name);
        lb_linear_options o = lb_default_linear_options();
        lb_expect_ok(lb_start_simulation(run.simulation));
        lb_expect_ok(lb_advance_simulation(run.simulation, cases[k].time));
        lb_get_simulation_state(run.simulation, &o.t, &o.q, &o.v, NULL);
        // all forces of the first loop: of Bricard's mechanism those of least norm, along directions
        // that turn
        char texts[6][128];
        const char *outputs[6];
        for (int i = 0; i < 6; ++i) {
            snprintf(texts[i], sizeof texts[i], "loop/%s.%s.%c", lb_get_loop_name(l.model, 0),
                     i < 3 ? "moment" : "force", "xyz"[i % 3]);
            outputs[i] = texts[i];
        }
        o.outputs = outputs;
        o.output_count = 6;
        lb_linear *x = linearize(&l, &o);
        assert_int_equal(x->coordinate_count, cases[k].coordinates);
        road r = begin_road(&l, x, NULL);
        assert_true(compare(&r, 1e-6) >= x->state_count - 2);
        for (int i = 0; i < 6; ++i) {
            // modes of the four-bar are stiff: with these steps its forces change by as much as they are
            assert_true(compare_output(&r, i, 1e-6) >= (k ? 7 : x->state_count));
        }
        end_road(&r);
        lb_destroy_linear(x);
        lb_end_loaded(&l);
        lb_end_loaded(&run);
    }
}

// ---- loops that follow a motion ----------------------------------------------------------------

// A crane: a cylinder lifts its jib, from which a load swings on a spherical hinge.
#define CRANE(motion)                                                                              \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "ground: {nodes: {foot: {position: [0.5, 0, -1]}}}\n"                                          \
    "bodies:\n"                                                                                    \
    "  - {name: jib, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 5, com: [1, 0, 0], inertia: " \
    "[1, 1, 1, 0, 0, 0], nodes: {ram: {position: [1, 0, 0]}, end: {position: [2, 0, 0]}}}\n"       \
    "  - {name: load, parent: jib, at: end, hinge: {type: spherical}, mass: 2, com: [0, 0, "       \
    "-0.8], "                                                                                      \
    "inertia: [0.1, 0.2, 0.3, 0, 0, 0], nodes: {tip: {position: [0.1, 0, -1]}}}\n"                 \
    "loops:\n"                                                                                     \
    "  - {name: ram, a: {body: ground, node: foot}, b: {body: jib, node: ram}, type: rod, "        \
    "as_assembled: true" motion "}\n"                                                              \
    "initial: {load: {angular_velocity: [0.4, 0.7, -0.9]}}\n"                                      \
    "run: {duration: 1, assemble: {hold: [load]}}\n"

static void driven_loops_have_their_derivatives(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(CRANE(", motion: 0.2*t + 0.3*t^2"), NULL);
    lb_linear_options o = lb_default_linear_options();
    LIST(o, output, "load/tip.position.x", "load/tip.acceleration.z", "loop/ram.force.norm");
    LIST(o, input, "load/tip.force.x");
    lb_linear *x = linearize(&l, &o);
    assert_int_equal(x->coordinate_count, 3);
    assert_true(fabs(x->v[0]) > 0.1); // the ram moves it
    road r = begin_road(&l, x, NULL);
    const lb_loop_motion motion = {.velocity = {0.2}, .acceleration = {0.6}};
    lb_expect_ok(lb_set_loop_motion(l.model, r.work, 0, &motion));
    assert_int_equal(compare(&r, 1e-7), x->state_count);
    for (int k = 0; k < x->output_count; ++k) {
        assert_int_equal(compare_output(&r, k, 1e-7), x->state_count);
    }
    double tau[4] = {0};
    set_node_force(&r, "load", "tip", 3, tau);
    compare_input(&r, 0, tau, -1, 1e-7);
    end_road(&r);
    lb_destroy_linear(x);
    lb_end_loaded(&l);
}

// At rest a loop that follows a motion stands still where the motion has it.
static void driven_loops_stand_still_at_rest(void **state)
{
    (void)state;
    lb_loaded l[2] = {lb_begin_loaded(CRANE(", motion: 0.2*t + 0.3*t^2"), NULL),
                      lb_begin_loaded(CRANE(""), NULL)};
    lb_modes *modes[2];
    for (int i = 0; i < 2; ++i) {
        lb_linear_options o = lb_default_linear_options();
        o.about = LB_ABOUT_EQUILIBRIUM;
        const lb_status status = lb_compute_modes(l[i].simulation, &o, &modes[i]);
        if (status != LB_OK) {
            print_message("%s\n", lb_get_simulation_message(l[i].simulation));
        }
        lb_expect_ok(status);
        assert_int_equal(modes[i]->mode_count, 3);
    }
    for (int k = 0; k < 3; ++k) {
        lb_expect_close("eigenvalue", modes[0]->eigenvalues + 2 * k, modes[1]->eigenvalues + 2 * k,
                        2, 1e-9);
    }
    for (int i = 0; i < 2; ++i) {
        lb_destroy_modes(modes[i]);
        lb_end_loaded(&l[i]);
    }
}

// ---- the same system twice ---------------------------------------------------------------------

// A chain of a ball joint and a hinge, its last body in one piece, or in two of which the second is
// welded on by a loop: with the same independent coordinates, so that all matrices are the same at any
// point of a motion.
#define CHAIN(mass, inertia)                                                                       \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: upper, hinge: {type: spherical}, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.2, " \
    "0.3, 0, 0, 0], nodes: {tip: {position: [0, 0, -1]}}}\n"                                       \
    "  - {name: lower, parent: upper, at: tip, hinge: {type: revolute, axis: [0, 1, 0]}, "         \
    "mass: " mass ", com: [0, 0, -0.5], inertia: " inertia                                         \
    ", nodes: {tip: {position: [0, 0, -1]}}}\n"
#define MOVING                                                                                     \
    "upper: {rotation: [0.9689124217106447, 0.2474039592545229, 0, 0], angular_velocity: [1, -2, " \
    "0.5]}, lower: {angle: 0.4, rate: 3}"

static void pieces_welded_together_are_one_body(void **state)
{
    (void)state;
    static const char whole[] = CHAIN("3", "[0.3, 0.3, 0.3, 0, 0, 0]") "initial: {" MOVING "}\n";
    // half of it, flying free, at the same place
    static const char pieces[] = CHAIN(
        "1.5",
        "[0.15, 0.15, 0.15, 0, 0, 0]") "  - {name: other, hinge: {type: free}, mass: 1.5, com: [0, "
                                       "0, -0.5], inertia: [0.15, 0.15, "
                                       "0.15, 0, 0, 0]}\n"
                                       "loops:\n"
                                       "  - {name: weld, a: {body: lower}, b: {body: other}, type: "
                                       "weld}\n"
                                       "initial: {" MOVING ", other: {position: [0, 0.4, -0.9]}}\n"
                                       "run: {duration: 1, assemble: {hold: [upper, lower]}}\n";
    lb_loaded l[2] = {lb_begin_loaded(whole, NULL), lb_begin_loaded(pieces, NULL)};
    lb_linear *x[2];
    for (int i = 0; i < 2; ++i) {
        lb_linear_options o = lb_default_linear_options();
        LIST(o, output, "lower/tip.velocity.x", "lower/tip.acceleration.y", "system.kinetic");
        LIST(o, input, "upper.motor.1", "lower/tip.force.y");
        x[i] = linearize(&l[i], &o);
        assert_int_equal(x[i]->coordinate_count, 4);
    }
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(x[1]->coordinates[i], x[0]->coordinates[i]);
    }
    assert_true(x[0]->unbalance > 1.0);
    lb_expect_close("accelerations", x[1]->a, x[0]->a, 4, 1e-9);
    lb_expect_close("A", x[1]->A, x[0]->A, 64, 1e-9);
    lb_expect_close("B", x[1]->B, x[0]->B, 16, 1e-9);
    lb_expect_close("C", x[1]->C, x[0]->C, 24, 1e-9);
    lb_expect_close("D", x[1]->D, x[0]->D, 6, 1e-9);
    for (int i = 0; i < 2; ++i) {
        lb_destroy_linear(x[i]);
        lb_end_loaded(&l[i]);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_loops_agree_with_differences),
        cmocka_unit_test(four_bar_in_motion_has_its_derivatives),
        cmocka_unit_test(driven_crank_is_an_input),
        cmocka_unit_test(points_of_a_run_have_their_derivatives),
        cmocka_unit_test(driven_loops_have_their_derivatives),
        cmocka_unit_test(driven_loops_stand_still_at_rest),
        cmocka_unit_test(pieces_welded_together_are_one_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
