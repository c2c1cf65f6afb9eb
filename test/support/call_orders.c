// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "call_orders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_products.h"
#include "dynamics/tree/tree.h"
#include "limber/derivatives.h"
#include "limber/dynamics.h"
#include "limber/loops.h"

// Everything that a call writes to, and the state it is given.
typedef struct bench {
    const lb_model *model;
    lb_work *work;
    lb_derivative_work *scratch;
    int n, rows; // speeds; entries of loops
    const double *q, *v;
    double *a, *b, *c, *d, *large, *read; // n x n each, and more for the last two
} bench;

typedef lb_status (*call)(bench *b);

// ---- what computes -------------------------------------------------------------------------------

static lb_status forward(bench *b)
{
    return lb_tree_forward(b->model, b->work, b->q, b->v, NULL, b->a);
}

static lb_status hybrid(bench *b)
{
    unsigned char driven[64] = {1};
    memset(b->c, 0, (size_t)b->n * sizeof *b->c);
    memset(b->a, 0, (size_t)b->n * sizeof *b->a);
    return lb_tree_hybrid(b->model, b->work, b->q, b->v, driven, b->c, b->a);
}

static lb_status composite(bench *b)
{
    return lb_tree_composite(b->model, b->work, b->q, b->v, NULL, b->b, b->a);
}

static lb_status unsplit(bench *b)
{
    return lb_tree_unsplit(b->model, b->work, b->q, b->v, NULL, b->large, b->a);
}

static lb_status inverse(bench *b)
{
    return lb_tree_inverse(b->model, b->work, b->q, b->v, NULL, b->a);
}

static lb_status bias(bench *b)
{
    return lb_tree_bias(b->model, b->work, b->q, b->v, b->a);
}

static lb_status mass_matrix(bench *b)
{
    return lb_tree_mass_matrix(b->model, b->work, b->q, b->b);
}

static lb_status articulated(bench *b)
{
    return lb_tree_inertia(b->model, b->work, b->q);
}

static lb_status mass_matrix_inverse(bench *b)
{
    return lb_tree_mass_matrix_inverse(b->model, b->work, b->q, b->b);
}

static lb_status positions(bench *b)
{
    return lb_compute_kinematics(b->model, b->work, b->q, NULL, NULL);
}

static lb_status kinematics(bench *b)
{
    return lb_compute_kinematics(b->model, b->work, b->q, b->v, NULL);
}

static lb_status constrained(bench *b)
{
    return lb_closed_forward(b->model, b->work, b->q, b->v, NULL, NULL, b->a, NULL, b->large);
}

static lb_status factors(bench *b)
{
    return lb_factor_loops(b->model, b->work, b->q, NULL);
}

static lb_status inverse_derivatives(bench *b)
{
    return lb_tree_inverse_derivatives(b->model, b->work, b->scratch, b->q, b->v, NULL, b->a, b->b,
                                       b->c, b->d);
}

static lb_status forward_derivatives(bench *b)
{
    return lb_tree_forward_derivatives(b->model, b->work, b->scratch, b->q, b->v, NULL, b->a, b->b,
                                       b->c, b->d);
}

static lb_status constrained_derivatives(bench *b)
{
    const lb_constrained_derivatives out = {.size = sizeof out, .a_dq = b->b, .a_dv = b->c};
    return lb_closed_derivatives(b->model, b->work, b->scratch, b->q, b->v, NULL, NULL, b->a, NULL,
                                 NULL, &out);
}

static const call computations[] = {forward,
                                    hybrid,
                                    composite,
                                    unsplit,
                                    inverse,
                                    bias,
                                    mass_matrix,
                                    articulated,
                                    mass_matrix_inverse,
                                    positions,
                                    kinematics,
                                    constrained,
                                    factors,
                                    inverse_derivatives,
                                    forward_derivatives,
                                    constrained_derivatives};

// ---- what reads ----------------------------------------------------------------------------------

static lb_status node_motion(bench *b)
{
    lb_node_motion motion;
    memset(&motion, 0, sizeof motion);
    const lb_status status = lb_compute_node_motion(b->model, b->work, 1, 0, &motion);
    memcpy(b->read, &motion, sizeof motion);
    return status;
}

static lb_status jacobian(bench *b)
{
    return lb_compute_jacobian(b->model, b->work, 1, 0, LB_AXES_WORLD, b->read);
}

static lb_status jacobian_rate(bench *b)
{
    return lb_compute_jacobian_rate(b->model, b->work, 1, 0, LB_AXES_WORLD, b->read);
}

static lb_status solution(bench *b)
{
    return lb_tree_solve(b->model, b->work, b->v, b->read);
}

static lb_status admittance(bench *b)
{
    return lb_tree_admittance(b->model, b->work, 1, 0, LB_AXES_WORLD, b->read);
}

static lb_status energy(bench *b)
{
    return lb_compute_energy(b->model, b->work, b->read, b->read + 1);
}

static lb_status system_motion(bench *b)
{
    lb_system_motion motion;
    memset(&motion, 0, sizeof motion);
    const lb_status status = lb_compute_system_motion(b->model, b->work, &motion);
    memcpy(b->read, &motion, sizeof motion);
    return status;
}

static lb_status reactions(bench *b)
{
    return lb_compute_reactions(b->model, b->work, NULL, b->read);
}

static const lb_point_gravity field = {.mu = 2.0, .position = {0.3, 5.0, -0.2}, .gradient = true};

static lb_status field_reactions(bench *b)
{
    const lb_oblate_gravity round = {.point = field, .axis = {0, 0, 1}};
    const lb_applied_loads loads = {.size = sizeof loads, .field_count = 1, .fields = &round};
    return lb_compute_reactions(b->model, b->work, &loads, b->read);
}

static lb_status field_forces(bench *b)
{
    double power, potential;
    return lb_apply_oblate_gravity(b->model, b->work, &(lb_oblate_gravity){.point = field}, b->read,
                                   &power, &potential);
}

static lb_status node_forces(bench *b)
{
    lb_node_force load = {.body = 1, .node = 0, .force = {1, 2, 3, 4, 5, 6}};
    return lb_apply_node_forces(b->model, b->work, 1, &load, b->read);
}

static lb_status loop_force(bench *b)
{
    return lb_get_loop_force(b->model, b->work, 0, b->read);
}

static lb_status loop_errors(bench *b)
{
    return lb_compute_loop_errors(b->model, b->work, b->q, b->read, b->read + b->rows);
}

static lb_status loop_bias(bench *b)
{
    return lb_compute_loop_bias(b->model, b->work, b->read);
}

static lb_status loop_jacobian(bench *b)
{
    return lb_form_loop_jacobian(b->model, b->work, b->read);
}

static lb_status loop_solution(bench *b)
{
    const double r[6] = {0.1, 0.2, 0.3, 0.1, 0.1, 0.1};
    return lb_solve_loops(b->model, b->work, r, b->read, NULL);
}

static lb_status node_derivatives(bench *b)
{
    const size_t m = 6 * (size_t)b->n;
    const lb_node_derivatives out = {.size = sizeof out,
                                     .pose_dq = b->read,
                                     .velocity_dq = b->read + m,
                                     .acceleration_dq = b->read + 2 * m,
                                     .acceleration_dv = b->read + 3 * m};
    return lb_compute_node_derivatives(b->model, b->work, b->scratch, 1, 0, &out);
}

static lb_status system_derivatives(bench *b)
{
    const size_t m = 3 * (size_t)b->n;
    const lb_system_derivatives out = {.size = sizeof out,
                                       .com_dq = b->read,
                                       .linear_dq = b->read + m,
                                       .angular_dq = b->read + 2 * m};
    return lb_compute_system_derivatives(b->model, b->work, b->scratch, &out);
}

static lb_status loop_derivatives(bench *b)
{
    const size_t m = (size_t)(b->rows * b->n);
    const lb_loop_derivatives out = {.size = sizeof out,
                                     .velocity_dq = b->read,
                                     .velocity_dv = b->read + m,
                                     .acceleration_dq = b->read + 2 * m,
                                     .acceleration_dv = b->read + 3 * m};
    return lb_compute_loop_derivatives(b->model, b->work, b->scratch, NULL, &out);
}

static lb_status field_derivatives(bench *b)
{
    return lb_apply_oblate_gravity_derivatives(
        b->model, b->work, b->scratch, &(lb_oblate_gravity){.point = field}, b->read, NULL, NULL);
}

static const call readings[] = {
    node_motion,   jacobian,         jacobian_rate,      solution,         admittance,
    energy,        system_motion,    reactions,          field_reactions,  field_forces,
    node_forces,   loop_force,       loop_errors,        loop_bias,        loop_jacobian,
    loop_solution, node_derivatives, system_derivatives, loop_derivatives, field_derivatives};

// ---- all pairs -----------------------------------------------------------------------------------

enum { READ_MAX = 4096 };

static lb_status read_fresh(bench *b, call first, call second, const double *const q[2],
                            const double *const v[2], call reading)
{
    // memory with nothing in it that could pass for a number
    const size_t size = lb_get_work_size(b->model);
    void *memory = malloc(size);
    assert_non_null(memory);
    memset(memory, 0xff, size);
    lb_expect_ok(lb_init_work(b->model, memory, size, &b->work));
    b->scratch = lb_create_derivative_work(b->model);
    assert_non_null(b->scratch);
    const call calls[2] = {first, second};
    for (int i = 0; i < 2; ++i) {
        b->q = q[i];
        b->v = v[i];
        if (calls[i]) {
            assert_true(calls[i](b) >= 0);
        }
    }
    memset(b->read, 0, READ_MAX * sizeof *b->read);
    const lb_status status = reading(b);
    lb_destroy_derivative_work(b->scratch);
    free(memory);
    return status;
}

enum {
    COMPUTATIONS = sizeof computations / sizeof *computations,
    READINGS = sizeof readings / sizeof *readings
};

// Two states, and room for what calls write.
typedef struct states {
    bench b;
    double *room, *expected;
    const double *q[2], *v[2];
} states;

static states make_states(const lb_model *model)
{
    const int n = lb_get_v_count(model), nq = lb_get_q_count(model);
    const size_t large = lb_count_unsplit_scratch(model) + READ_MAX;
    const size_t size = (size_t)n * (size_t)n;
    double *room = lb_make_numbers(4 * size + large + 2 * READ_MAX + 2 * (size_t)(nq + n));
    bench b = {.model = model, .n = n, .rows = 6 * lb_get_loop_capacity(model)};
    b.a = room;
    b.b = b.a + size;
    b.c = b.b + size;
    b.d = b.c + size;
    b.large = b.d + size;
    b.read = b.large + large;
    double *expected = b.read + READ_MAX, *q_a = expected + READ_MAX;
    double *q_b = q_a + nq, *v_a = q_b + nq, *v_b = v_a + n;
    for (int i = 0; i < n; ++i) {
        v_a[i] = 0.7 - 0.2 * i;
        v_b[i] = -0.4 + 0.3 * i;
    }
    for (int i = 0; i < nq; ++i) {
        q_a[i] = 0.03 + 0.01 * i;
        q_b[i] = -0.05 + 0.02 * i;
    }
    return (states){b, room, expected, {q_a, q_b}, {v_a, v_b}};
}

void lb_try_call_orders(const lb_model *model)
{
    states s = make_states(model);
    bench b = s.b;
    double *expected = s.expected;
    const double *const *q = s.q, *const *v = s.v;
    int right = 0, refused = 0;
    for (int k = 0; k < COMPUTATIONS * COMPUTATIONS * READINGS; ++k) {
        const int first = k / READINGS / COMPUTATIONS, second = k / READINGS % COMPUTATIONS;
        const call reading = readings[k % READINGS];
        const lb_status truth = read_fresh(&b, NULL, computations[second], q, v, reading);
        memcpy(expected, b.read, READ_MAX * sizeof *expected);
        const lb_status status =
            read_fresh(&b, computations[first], computations[second], q, v, reading);
        if (status < 0) {
            assert_int_equal(status, LB_E_STAGE);
            ++refused;
            continue;
        }
        if (truth < 0) {
            fail_msg("calls %d, %d, then reading %d: not refused", first, second, k % READINGS);
        }
        double largest = 0.0, error = 0.0;
        for (int i = 0; i < READ_MAX; ++i) {
            largest = fmax(largest, fabs(expected[i]));
            error = fmax(error, fabs(expected[i] - b.read[i]));
            assert_true(isfinite(expected[i]) && isfinite(b.read[i]));
        }
        if (!(error <= 1e-12 * largest)) {
            fail_msg("calls %d, %d, then reading %d: off by %g of %g", first, second, k % READINGS,
                     error, largest);
        }
        ++right;
    }
    // all forward dynamics leave the same motion
    read_fresh(&b, NULL, forward, q, v, node_motion);
    memcpy(expected, b.read, READ_MAX * sizeof *expected);
    read_fresh(&b, NULL, composite, q, v, node_motion);
    lb_expect_close("motion", b.read, expected, sizeof(lb_node_motion) / sizeof(double), 1e-11);
    print_message("%d sequences: %d right, %d refused\n", right + refused, right, refused);
    assert_true(right > 0 && refused > 0);
    free(s.room);
}

void lb_compare_call_orders(const lb_model *model, const lb_model *other, double tolerance)
{
    states s = make_states(model);
    bench b = s.b;
    int read = 0, refused = 0;
    for (int k = 0; k < COMPUTATIONS * COMPUTATIONS * READINGS; ++k) {
        const call first = computations[k / READINGS / COMPUTATIONS];
        const call second = computations[k / READINGS % COMPUTATIONS];
        b.model = other;
        const lb_status truth = read_fresh(&b, first, second, s.q, s.v, readings[k % READINGS]);
        memcpy(s.expected, b.read, READ_MAX * sizeof *s.expected);
        b.model = model;
        const lb_status status = read_fresh(&b, first, second, s.q, s.v, readings[k % READINGS]);
        if (status != truth) {
            fail_msg("calls %d, %d, then reading %d: status %d, not %d",
                     k / READINGS / COMPUTATIONS, k / READINGS % COMPUTATIONS, k % READINGS, status,
                     truth);
        }
        if (status < 0) {
            ++refused;
            continue;
        }
        lb_expect_close("what is read after two calls", b.read, s.expected, READ_MAX, tolerance);
        ++read;
    }
    print_message("%d sequences: %d alike, %d refused\n", read + refused, read, refused);
    assert_true(read > 0 && refused > 0);
    free(s.room);
}
