// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Directional and adjoint derivatives of FMUs: those of the engine, of differences, and of each other.
#define _GNU_SOURCE
#include <limber/simulate.h>

#include "fmu_engine.h"
#include "importer.h"
#include "limber/derivatives.h"

static int get_directional(const importer *m, void *instance, const unsigned *unknowns, int rows,
                           const unsigned *knowns, int columns, const double *seed, double *slope)
{
    return get_derivative(m, instance, "fmi3GetDirectionalDerivative", unknowns, (size_t)rows,
                          knowns, (size_t)columns, seed, (size_t)columns, slope, (size_t)rows);
}

// ---- the engine --------------------------------------------------------------------------------

// Along a change of position, speed and force: da = da/dq s + da/dv r + da/dtau f, where a change s of the position is
// one of the coordinates at the rate of the speeds s.
static void compare_with_engine(const char *path, int version)
{
    int messages = 0;
    importer m = import_model(path, version, "");
    engine e = open_engine(path);
    const int nq = e.q_count, n = e.v_count, all = nq + n;
    double *x = calloc((size_t)(3 * all + 6 * n + 3 * n * n), sizeof *x), *seed = x + all,
           *found = seed + all + n, *expected = found + n, *s = expected + n, *a = s + n,
           *tau = a + n, *dq = tau + n, *dv = dq + n * n, *dtau = dv + n * n;
    unsigned knowns[256], unknowns[128], draws = 3;
    int known_count = all;
    assert_true(all + n < 256);
    make_state(&e, 5, x);
    for (int i = 0; i < n; ++i) {
        s[i] = draw(&draws);
        seed[nq + i] = draw(&draws);
        unknowns[i] = (unsigned)(all + nq + i + 1);
    }
    lb_compute_configuration_rate(e.model, x, s, seed);
    for (int i = 0; i < all; ++i) {
        knowns[i] = (unsigned)i + 1;
    }
    lb_derivative_work *work = lb_create_derivative_work(e.model);
    assert_true(lb_compute_forward_derivatives(e.model, e.work, work, x, x + nq, tau, a, dq, dv,
                                               dtau) == LB_OK);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            expected[i] += dq[i * n + j] * s[j] + dv[i * n + j] * seed[nq + j];
        }
    }
    // forces at hinges; modes have none
    for (int body = 0; body < lb_get_body_count(e.model); ++body) {
        const int modes = lb_get_mode_count(e.model, body), first = lb_get_v_offset(e.model, body);
        for (int i = 0; i < lb_get_hinge(e.model, body).v_count; ++i) {
            const double f = draw(&draws);
            knowns[known_count] = (unsigned)(2 * all + 1 + known_count - all);
            seed[known_count++] = f;
            for (int j = 0; j < n; ++j) {
                expected[j] += dtau[j * n + first + modes + i] * f;
            }
        }
    }
    void *instance = start_instance(&m, true, &messages);
    assert_int_equal(set_states(&m, instance, x), 0);
    assert_int_equal(get_directional(&m, instance, unknowns, n, knowns, known_count, seed, found),
                     0);
    // 1e-12: both are exact, and round-off grows with the inverse of the mass matrix
    assert_true(get_gap(found, expected, n) < 1e-12);
    assert_int_equal(messages, 0);
    free_instance(&m, instance);
    lb_destroy_derivative_work(work);
    free(x);
    close_engine(&e);
    end_import(&m);
}

static void directional_derivatives_are_those_of_the_engine(void **state)
{
    (void)state;
    compare_with_engine(lb_find_source("examples/double_pendulum.yaml"), 2);
    compare_with_engine(lb_find_source("examples/elastic_bar_beam.yaml"), 3);
    compare_with_engine(lb_find_source("examples/torque_free.yaml"), 3);
    compare_with_engine(lb_find_source("examples/tree.yaml"), 2);
}

// ---- differences -------------------------------------------------------------------------------

// A free body with a flexible arm, a spring between nodes, a damper, a motor, a stop, outputs of several kinds, and an event.
static const char rich[] =
    "limber: 1\nname: rich\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  - name: hub\n    hinge: {type: free}\n    mass: 5\n    inertia: [0.4, 0.5, 0.6, 0, 0, 0]\n"
    "    nodes: {foot: {position: [0.1, 0, -0.3]}, seat: {position: [0.2, 0, 0]}}\n"
    "  - name: arm\n    parent: hub\n    at: seat\n"
    "    hinge: {type: revolute, axis: [0, 1, 0]}\n    mass: 1\n    com: [0.4, 0, 0.1]\n"
    "    inertia: [0.1, 0.2, 0.15, 0, 0, 0]\n    nodes: {tip: {position: [0.8, 0, 0]}}\n"
    "initial: {arm: {angle: 0.4, rate: 0.3}}\n"
    "forces:\n"
    "  - {name: drive, type: motor, hinge: arm, value: {sine: {amplitude: 2, frequency: 1}}}\n"
    "  - {name: coil, type: spring, hinge: arm, stiffness: 3}\n"
    "  - {name: rope, type: spring, between: [hub/foot, arm/tip], stiffness: 40, length: 0.5}\n"
    "  - {name: oil, type: damper, hinge: arm, damping: 0.2}\n"
    "  - {name: end, type: stop, hinge: arm, lower: -1, upper: 1, stiffness: 1000, damping: 2}\n"
    "events:\n  - {name: level, when: arm.angle, crosses: 0.9, then: stop}\n"
    "run: {duration: 2, interval: 0.01}\noutputs: [arm/tip]\n";

// All unknowns of an FMU by differences of sixth order through its own functions.
static void find_differences(const importer *m, void *instance, const double *x, const double *seed,
                             int n, const unsigned *unknowns, int rows, double *slope)
{
    static const double weight[3] = {45 / 60.0, -9 / 60.0, 1 / 60.0};
    const double h = 1e-3;
    double *at = calloc((size_t)(n + rows), sizeof *at), *y = at + n;
    memset(slope, 0, (size_t)rows * sizeof *slope);
    for (int side = -3; side <= 3; ++side) {
        if (side == 0) {
            continue;
        }
        const double w = side < 0 ? -weight[-side - 1] : weight[side - 1];
        for (int i = 0; i < n; ++i) {
            at[i] = x[i] + side * h * seed[i];
        }
        assert_int_equal(set_states(m, instance, at), 0);
        assert_int_equal(get_values(m, instance, unknowns, (size_t)rows, y), 0);
        for (int i = 0; i < rows; ++i) {
            slope[i] += w / h * y[i];
        }
    }
    assert_int_equal(set_states(m, instance, x), 0);
    free(at);
}

static void compare_with_differences(const char *path)
{
    int messages = 0;
    importer m = import_model(path, 3, "");
    engine e = open_engine(path);
    const int n = m.state_count;
    const int rows = count_text(m.description, "initial=\"calculated\"");
    unsigned *unknowns = calloc((size_t)(rows + n) + 64, sizeof *unknowns),
             *knowns = unknowns + rows;
    double *x = calloc((size_t)(3 * n + 5 * rows) + 64, sizeof *x), *seed = x + n, *back = seed + n,
           *found = back + n, *expected = found + rows, *weight = expected + rows,
           *other = weight + rows;
    unsigned draws = 17;
    int row = 0;
    // everything that is calculated, in the order of the description
    for (const char *at = m.description; (at = strstr(at, "initial=\"calculated\"")); ++at) {
        const char *line = at;
        while (strncmp(line, "valueReference=\"", 16) != 0) {
            --line;
        }
        unknowns[row++] = (unsigned)strtoul(line + 16, NULL, 10);
    }
    assert_int_equal(row, rows);
    make_state(&e, 11, x);
    for (int i = 0; i < n; ++i) {
        knowns[i] = (unsigned)i + 1;
        seed[i] = draw(&draws);
    }
    void *instance = start_instance(&m, true, &messages);
    assert_int_equal(set_states(&m, instance, x), 0);
    find_differences(&m, instance, x, seed, n, unknowns, rows, expected);
    assert_int_equal(get_directional(&m, instance, unknowns, rows, knowns, n, seed, found), 0);
    // differences: round-off over a step of 1e-3, and h^6
    assert_true(get_gap(found, expected, rows) < 1e-9);
    // adjoint: w (J s) = (J^T w) s
    double left = 0, right = 0, size = 0;
    for (int i = 0; i < rows; ++i) {
        weight[i] = draw(&draws);
        left += weight[i] * found[i];
        size += fabs(weight[i] * found[i]);
    }
    assert_int_equal(get_derivative(&m, instance, "fmi3GetAdjointDerivative", unknowns,
                                    (size_t)rows, knowns, (size_t)n, weight, (size_t)rows, back,
                                    (size_t)n),
                     0);
    for (int i = 0; i < n; ++i) {
        right += back[i] * seed[i];
        size += fabs(back[i] * seed[i]);
    }
    assert_true(fabs(left - right) < 1e-13 * size);
    // another state, and back: never what was linearised before
    make_state(&e, 12, back);
    assert_int_equal(set_states(&m, instance, back), 0);
    assert_int_equal(get_directional(&m, instance, unknowns, rows, knowns, n, seed, other), 0);
    assert_true(get_gap(other, found, rows) > 1e-6);
    assert_int_equal(set_states(&m, instance, x), 0);
    assert_int_equal(get_directional(&m, instance, unknowns, rows, knowns, n, seed, other), 0);
    assert_memory_equal(other, found, (size_t)rows * sizeof *found);
    free_instance(&m, instance);
    assert_int_equal(messages, 0);
    free(x);
    free(unknowns);
    close_engine(&e);
    end_import(&m);
}

static void all_unknowns_have_the_slopes_of_differences(void **state)
{
    (void)state;
    const char *path = lb_write_file("rich.yaml", rich);
    compare_with_differences(path);
    compare_with_differences(lb_find_source("examples/four_bar.yaml"));
    compare_with_differences(lb_find_source("examples/two_link_arm_beam.yaml"));
    compare_with_differences(lb_find_source("examples/inverted_pendulum.yaml"));
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directional_derivatives_are_those_of_the_engine),
        cmocka_unit_test(all_unknowns_have_the_slopes_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
