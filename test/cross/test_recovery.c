// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Recovered quantities: forces of the bars of a truss, by few modes and by its whole stiffness.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "body_file.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "heard.h"
#include "limber/linear.h"
#include "limber/loops.h"
#include "loaded.h"
#include "model/model_parts.h"
#include "rig.h"
#include "scratch.h"

// ---- a truss -----------------------------------------------------------------------------------

// Every node is joined to every other. So stiff that deformations do not change loads: 1e-11 of its size.
enum { NODES = 7, N = 3 * NODES };

static const double places[NODES][3] = {{0, 0, 0},     {1, 0.1, 0},   {0.2, 1, 0},  {0, 0.2, 1},
                                        {1.1, 0.9, 0}, {1, 0.1, 1.2}, {0.8, 1.1, 1}};
static const double masses[NODES] = {1, 2, 1.5, 3, 0.5, 2.5, 4};

static double get_bar(int a, int b, double e[3])
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        e[k] = places[b][k] - places[a][k];
        square += e[k] * e[k];
    }
    for (int k = 0; k < 3; ++k) {
        e[k] /= sqrt(square);
    }
    return 1e12 * (1 + a + 0.5 * b);
}

static void form_stiffness(double K[N][N])
{
    memset(K, 0, sizeof(double[N][N]));
    for (int a = 0; a < NODES; ++a) {
        for (int b = a + 1; b < NODES; ++b) {
            double e[3];
            const double stiffness = get_bar(a, b, e);
            for (int i = 0; i < 9; ++i) {
                const double spring = stiffness * e[i / 3] * e[i % 3];
                K[3 * a + i / 3][3 * a + i % 3] += spring;
                K[3 * b + i / 3][3 * b + i % 3] += spring;
                K[3 * a + i / 3][3 * b + i % 3] -= spring;
                K[3 * b + i / 3][3 * a + i % 3] -= spring;
            }
        }
    }
}

// Displacements under forces, with rows held; forces that act on a free truss are in balance.
static void solve(const bool held[N], const double f[N], double u[N])
{
    static double K[N][N];
    double part[N * N];
    int number[N], pivot[N], n = 0;
    form_stiffness(K);
    for (int i = 0; i < N; ++i) {
        number[n] = i;
        n += !held[i];
    }
    memset(u, 0, N * sizeof *u);
    double x[N];
    for (int i = 0; i < n; ++i) {
        x[i] = f[number[i]];
        for (int j = 0; j < n; ++j) {
            part[i * n + j] = K[number[i]][number[j]];
        }
    }
    assert_true(lb_factor_lu(n, part, pivot));
    lb_solve_lu(n, part, pivot, x);
    for (int i = 0; i < n; ++i) {
        u[number[i]] = x[i];
    }
}

static double get_bar_force(int a, int b, const double u[N])
{
    double e[3], stretch = 0.0;
    const double stiffness = get_bar(a, b, e);
    for (int k = 0; k < 3; ++k) {
        stretch += e[k] * (u[3 * b + k] - u[3 * a + k]);
    }
    return stiffness * stretch;
}

static void write_matrix(const char *name, double A[N][N])
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", N, N,
            N * (N + 1) / 2);
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j <= i; ++j) {
            fprintf(file, "%d %d %.17g\n", i + 1, j + 1, A[i][j]);
        }
    }
    assert_int_equal(fclose(file), 0);
}

// The bars that tests look at.
static const int bars[][2] = {{0, 6}, {3, 5}, {1, 6}, {4, 5}};
enum { BARS = sizeof bars / sizeof *bars };

static int enter(void **state)
{
    (void)state;
    static double A[N][N];
    if (!lb_enter_scratch_folder()) {
        return -1;
    }
    FILE *map = fopen("map.txt", "w"), *table = fopen("places.txt", "w"),
         *rows = fopen("rows.csv", "w");
    assert_true(map && table && rows);
    for (int i = 0; i < N; ++i) {
        fprintf(map, "%d.%d\n", i / 3 + 1, i % 3 + 1);
    }
    for (int i = 0; i < NODES; ++i) {
        fprintf(table, "%d %.17g %.17g %.17g\n", i + 1, places[i][0], places[i][1], places[i][2]);
    }
    fputs("name, node, direction, coefficient\n# forces of bars\n", rows);
    for (int i = 0; i < BARS; ++i) {
        double e[3];
        const double stiffness = get_bar(bars[i][0], bars[i][1], e);
        for (int k = 0; k < 3; ++k) {
            fprintf(rows, "bar%d, %d, %c, %.17g\nbar%d, %d, %d, %.17g\n", i, bars[i][0] + 1,
                    "xyz"[k], -stiffness * e[k], i, bars[i][1] + 1, k + 1, stiffness * e[k]);
        }
    }
    fputs("tip z, 7, z, 1\n", rows);
    assert_true(fclose(map) == 0 && fclose(table) == 0 && fclose(rows) == 0);
    form_stiffness(A);
    write_matrix("K.mtx", A);
    memset(A, 0, sizeof A);
    for (int i = 0; i < N; ++i) {
        A[i][i] = masses[i / 3];
    }
    write_matrix("M.mtx", A);
    return 0;
}

// Clamped at nodes 1 to 3, or free.
static void import_truss(bool is_clamped, int modes, const char *path)
{
    static const char *const files[] = {"K.mtx", "rows.csv", "M.mtx", "map.txt", "places.txt"};
    static const lb_file_role roles[] = {LB_FILE_STIFFNESS, LB_FILE_ROWS, LB_FILE_MASS, LB_FILE_ANY,
                                         LB_FILE_ANY};
    static const long clamp[] = {1, 2, 3};
    const lb_named_node nodes[] = {{"tip", 7}, {"side", 6}};
    lb_import_options options = lb_default_import_options();
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_imported *imported = NULL;
    options.files = files;
    options.roles = roles;
    options.file_count = 5;
    options.nodes = nodes;
    options.node_count = 2;
    options.clamp = clamp;
    options.clamp_count = is_clamped ? 3 : 0;
    options.mode_count = modes;
    if (lb_import_files(&options, NULL, &report, &imported) != LB_OK) {
        lb_print_heard(&heard);
        fail();
    }
    assert_non_null(strstr(lb_get_import_report(imported),
                           "Recovered quantities: 5, with a static correction\n"
                           "  rows      5: bar0, bar1, bar2, ...\n"));
    lb_keep_body(imported, path);
}

// ---- statics -----------------------------------------------------------------------------------

// Modal coordinates at which the body is at rest under the loads of the undeformed state.
static void settle(lb_rig *rig, const lb_flex_options *flex)
{
    const int n = flex->mode_count, v = lb_get_v_offset(rig->model, 0),
              q = lb_get_q_offset(rig->model, 0);
    double *tau = lb_make_numbers((size_t)rig->v_count);
    lb_expect_ok(lb_evaluate_rig(rig, 0.0));
    lb_expect_ok(lb_tree_inverse(rig->model, rig->work, rig->q, rig->v, rig->a, tau));
    for (int r = 0; r < n; ++r) {
        rig->q[q + r] = (rig->tau[v + r] - tau[v + r]) / flex->stiffness[r * n + r];
    }
    // forces at nodes once more, then what moves
    lb_expect_ok(lb_evaluate_rig(rig, 0.0));
    lb_expect_ok(lb_tree_inverse(rig->model, rig->work, rig->q, rig->v, rig->a, tau));
    free(tau);
}

static void expect_bars(const lb_rig *rig, const double u[N], double *modal_error)
{
    for (int i = 0; i < BARS; ++i) {
        char plain[64], corrected[64];
        const double expected = get_bar_force(bars[i][0], bars[i][1], u);
        snprintf(plain, sizeof plain, "truss.recovery.bar%d", i);
        snprintf(corrected, sizeof corrected, "truss.recovery.bar%d.corrected", i);
        // 1e-9: ten digits are left of stiffnesses times displacements
        lb_expect_near(corrected, lb_read_rig(rig, 0.0, corrected), expected, 1e-9);
        *modal_error = fmax(*modal_error, fabs(lb_read_rig(rig, 0.0, plain) / expected - 1));
    }
    lb_expect_near("tip z", lb_read_rig(rig, 0.0, "truss.recovery.'tip z'.corrected"), u[20], 1e-9);
}

// A clamped truss, turned, that carries a payload, pulled at a node, spinning and turning faster, under gravity.
static void clamped_truss_carries_what_its_stiffness_says(void **state)
{
    (void)state;
    import_truss(true, 3, "clamped.flex");
    const double g[3] = {3, -9, 5}, pull[3] = {40, -70, 20}, w = 2.0, w_dot = 3.0, payload = 5.0;
    lb_rig rig = lb_begin_rig(
        "limber: 1\ngravity: [3, -9, 5]\nbodies:\n"
        "  - {name: truss, hinge: {type: revolute, axis: [0, 0, 1]}, flex: {file: clamped.flex}}\n"
        "  - {name: payload, parent: truss, at: tip, hinge: {type: fixed}, mass: 5}\n"
        "forces:\n"
        "  - {name: pull, type: force, at: truss/side, axes: world, value: [40, -70, 20]}\n",
        NULL);
    lb_flex_body *body = lb_load_body("clamped.flex", NULL);
    const lb_flex_options *flex = lb_get_flex_options(body);
    const int v = lb_get_v_offset(rig.model, 0) + flex->mode_count;
    bool held[N] = {false};
    double f[N], u[N];
    for (int i = 0; i < N; ++i) {
        held[i] = i < 9;
        const int k = i % 3;
        const double *x = places[i / 3], mass = masses[i / 3] + (i / 3 == 6 ? payload : 0.0);
        const double a[3] = {-w * w * x[0] - w_dot * x[1], -w * w * x[1] + w_dot * x[0], 0};
        f[i] = mass * (g[k] - a[k]) + (i / 3 == 5 ? pull[k] : 0.0);
    }
    solve(held, f, u);
    rig.v[v] = w;
    rig.a[v] = w_dot;
    settle(&rig, flex);
    double modal_error = 0.0;
    expect_bars(&rig, u, &modal_error);
    assert_true(modal_error > 0.05); // three modes are not enough
    lb_destroy_flex_body(body);
    lb_end_rig(&rig);
}

// A free truss that is pulled at a node flies off: inertia balances the pull.
static void free_truss_is_balanced_by_its_inertia(void **state)
{
    (void)state;
    import_truss(false, 4, "free.flex");
    const double pull[3] = {40, -70, 20};
    lb_rig rig = lb_begin_rig(
        "limber: 1\nbodies:\n"
        "  - {name: truss, hinge: {type: free}, flex: {file: free.flex}}\n"
        "forces:\n"
        "  - {name: pull, type: force, at: truss/tip, axes: body, value: [40, -70, 20]}\n",
        NULL);
    // R' M R a = R' f
    double R[6][N] = {{0}}, G[36] = {0}, a[6] = {0}, f[N] = {0}, u[N];
    int pivot[6];
    for (int i = 0; i < N; ++i) {
        const double *x = places[i / 3];
        const int k = i % 3;
        f[i] = i / 3 == 6 ? pull[k] : 0.0;
        R[k][i] = 1.0;
        R[3 + (k + 1) % 3][i] = x[(k + 2) % 3];
        R[3 + (k + 2) % 3][i] = -x[(k + 1) % 3];
    }
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < 36; ++j) {
            G[j] += R[j / 6][i] * masses[i / 3] * R[j % 6][i];
        }
        for (int j = 0; j < 6; ++j) {
            a[j] += R[j][i] * f[i];
        }
    }
    assert_true(lb_factor_lu(6, G, pivot));
    lb_solve_lu(6, G, pivot, a);
    bool held[N] = {false};
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < 6; ++j) {
            f[i] -= masses[i / 3] * R[j][i] * a[j];
        }
    }
    // six rows that stop all rigid motions; what they carry is zero
    held[0] = held[1] = held[2] = held[4] = held[5] = held[8] = true;
    solve(held, f, u);
    lb_flex_body *body = lb_load_body("free.flex", NULL);
    const lb_flex_options *flex = lb_get_flex_options(body);
    const int v = lb_get_v_offset(rig.model, 0) + flex->mode_count;
    // speeds of a free hinge are angular first
    for (int j = 0; j < 6; ++j) {
        rig.a[v + j] = a[(j + 3) % 6];
    }
    settle(&rig, flex);
    double modal_error = 0.0;
    for (int i = 0; i < BARS; ++i) {
        char text[64];
        const double expected = get_bar_force(bars[i][0], bars[i][1], u);
        snprintf(text, sizeof text, "truss.recovery.bar%d.corrected", i);
        lb_expect_near(text, lb_read_rig(&rig, 0.0, text), expected, 1e-9);
        text[strlen(text) - strlen(".corrected")] = '\0';
        modal_error = fmax(modal_error, fabs(lb_read_rig(&rig, 0.0, text) / expected - 1));
    }
    assert_true(modal_error > 0.05);
    lb_destroy_flex_body(body);
    lb_end_rig(&rig);
}

// Fewer modes, other masses and frequencies: still all of the static load is carried.
static void correction_follows_modes_and_scales(void **state)
{
    (void)state;
    import_truss(true, 6, "six.flex");
    const double g[3] = {3, -9, 5}, mass = 2.5, frequency = 0.5;
    bool held[N] = {false};
    double f[N], u[N];
    for (int i = 0; i < N; ++i) {
        held[i] = i < 9;
        f[i] = mass * masses[i / 3] * g[i % 3] / (mass * frequency * frequency);
    }
    solve(held, f, u);
    lb_rig rig = lb_begin_rig(
        "limber: 1\ngravity: [3, -9, 5]\nbodies:\n"
        "  - {name: truss, hinge: {type: fixed}, flex: {file: six.flex, modes: {count: 2},\n"
        "     recovery: [bar3, tip z, bar0, bar1, bar2], scale: {mass: 2.5, frequency: 0.5}}}\n",
        NULL);
    assert_int_equal(lb_get_recovery_count(rig.model, 0), 5);
    assert_string_equal(lb_get_recovery_name(rig.model, 0, 1), "tip z");
    assert_int_equal(lb_find_recovery(rig.model, 0, "bar9"), LB_NOT_FOUND);
    lb_flex_file_options options = lb_default_flex_file_options();
    options.mode_count = 2;
    options.mass_factor = mass;
    options.frequency_factor = frequency;
    lb_flex_body *body = lb_load_body("six.flex", &options);
    settle(&rig, lb_get_flex_options(body));
    double modal_error = 0.0;
    expect_bars(&rig, u, &modal_error);
    assert_true(modal_error > 0.05);
    lb_destroy_flex_body(body);
    lb_end_rig(&rig);
}

// ---- loops and linear models ---------------------------------------------------------------------

// A rod from the tip to the ground does what a force at the tip does.
static void forces_of_loops_act_at_nodes(void **state)
{
    (void)state;
    import_truss(true, 3, "clamped.flex");
#define TRUSS                                                                                      \
    "limber: 1\ngravity: [3, -9, 5]\n"                                                             \
    "ground: {nodes: {hook: {position: [3, 2, 1.5]}}}\n"                                           \
    "bodies:\n"                                                                                    \
    "  - {name: truss, hinge: {type: fixed}, flex: {file: clamped.flex}}\n"
    lb_rig with = lb_begin_rig(
        TRUSS
        "loops:\n"
        "  - {name: rod, type: rod, a: {body: ground, node: hook}, b: {body: truss, node: tip},\n"
        "     length: 2.4289915602982237}\n",
        NULL);
    lb_rig without = lb_begin_rig(TRUSS, NULL);
    double force[6] = {0};
    for (int r = 0; r < 3; ++r) {
        with.q[r] = without.q[r] = 1e-13 * (r + 1);
    }
    lb_expect_ok(
        lb_closed_forward(with.model, with.work, with.q, with.v, NULL, NULL, with.a, NULL, NULL));
    lb_expect_ok(lb_get_loop_force(with.model, with.work, 0, force));
    assert_true(lb_compute_norm(3, force + 3) > 1.0);
    lb_node_force tip = {.body = 0, .node = lb_find_node(with.model, 0, "tip")};
    memcpy(tip.force, force, sizeof tip.force);
    const lb_applied_loads applied = {.size = sizeof applied, .force_count = 1, .forces = &tip};
    lb_expect_ok(lb_compute_kinematics(without.model, without.work, without.q, without.v, NULL));
    lb_expect_ok(lb_apply_node_forces(without.model, without.work, 1, &tip, without.tau));
    lb_expect_ok(
        lb_tree_forward(without.model, without.work, without.q, without.v, without.tau, without.a));
    for (int i = 0; i < BARS; ++i) {
        char text[64];
        lb_signal *signal;
        double value;
        snprintf(text, sizeof text, "truss.recovery.bar%d.corrected", i);
        lb_expect_ok(lb_compile_signal(without.model, NULL, text, NULL, &signal));
        const lb_instant instant = {.size = sizeof instant,
                                    .model = without.model,
                                    .work = without.work,
                                    .q = without.q,
                                    .v = without.v,
                                    .a = without.a,
                                    .applied = &applied};
        lb_expect_ok(lb_evaluate_signal(signal, &instant, &value));
        lb_expect_near(text, lb_read_rig(&with, 0.0, text), value, 1e-9);
        lb_destroy_signal(signal);
    }
    lb_end_rig(&with);
    lb_end_rig(&without);
}

// The gain of a linear model at frequency zero is the static response of the whole stiffness.
static void linear_outputs_have_static_gain(void **state)
{
    (void)state;
    import_truss(true, 3, "clamped.flex");
    lb_loaded l =
        lb_begin_loaded("limber: 1\nbodies:\n"
                        "  - {name: truss, hinge: {type: fixed}, flex: {file: clamped.flex}}\n",
                        NULL);
    static const char *const inputs[] = {"truss/side.force.y", "truss/tip.force.x"};
    static const int entries[] = {16, 18};
    static const char *const outputs[] = {"truss.recovery.bar0.corrected",
                                          "truss.recovery.bar1.corrected"};
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.inputs = inputs;
    options.input_count = 2;
    options.outputs = outputs;
    options.output_count = 2;
    if (lb_linearize(l.simulation, &options, &linear) != LB_OK) {
        fail_msg("%s", lb_get_simulation_message(l.simulation));
    }
    const int n = linear->state_count;
    double A[36];
    int pivot[6];
    assert_int_equal(n, 6);
    memcpy(A, linear->A, sizeof A);
    assert_true(lb_factor_lu(n, A, pivot));
    for (int j = 0; j < 2; ++j) {
        bool held[N] = {false};
        double f[N] = {0}, u[N], x[6];
        for (int i = 0; i < 9; ++i) {
            held[i] = true;
        }
        f[entries[j]] = 1.0;
        solve(held, f, u);
        for (int i = 0; i < n; ++i) {
            x[i] = linear->B[i * 2 + j];
        }
        lb_solve_lu(n, A, pivot, x); // x = -A^-1 B is the static deviation
        for (int i = 0; i < 2; ++i) {
            const double gain = linear->D[i * 2 + j] - lb_compute_dot(n, linear->C + i * n, x);
            // 1e-6: slopes are differenced
            lb_expect_near(outputs[i], gain, get_bar_force(bars[i][0], bars[i][1], u), 1e-6);
        }
    }
    lb_destroy_linear(linear);
    lb_end_loaded(&l);
}

// Value of a signal at a state, by forward dynamics.
static double evaluate_at(lb_rig *rig, const double *q, const double *v, const char *signal)
{
    memcpy(rig->q, q, (size_t)rig->q_count * sizeof *q);
    memcpy(rig->v, v, (size_t)rig->v_count * sizeof *v);
    lb_expect_ok(lb_evaluate_rig(rig, 0.0));
    lb_expect_ok(lb_tree_forward(rig->model, rig->work, rig->q, rig->v, rig->tau, rig->a));
    return lb_read_rig(rig, 0.0, signal);
}

static void linear_outputs_are_differences(void **state)
{
    (void)state;
    import_truss(true, 3, "clamped.flex");
    static const char text[] =
        "limber: 1\ngravity: [3, -9, 5]\nbodies:\n"
        "  - {name: truss, hinge: {type: revolute, axis: [0, 0, 1]}, flex: {file: clamped.flex}}\n"
        "  - {name: payload, parent: truss, at: tip, mass: 5, com: [0.1, 0.2, 0.3],\n"
        "     inertia: [1, 1, 1, 0, 0, 0], hinge: {type: revolute, axis: [1, 0, 0]}}\n"
        "forces:\n"
        "  - {name: pull, type: force, at: truss/side, axes: world, value: [40, -70*payload.angle, "
        "20]}\n";
    static const char *const outputs[] = {
        "truss.recovery.bar0", "truss.recovery.bar0.corrected", "truss.recovery.bar2.corrected",
        "truss/tip.displacement.z", "truss/tip.displacement.norm"};
    enum { OUTPUTS = sizeof outputs / sizeof *outputs };
    lb_rig rig = lb_begin_rig(text, NULL);
    lb_loaded l = lb_begin_loaded(text, NULL);
    const double q[5] = {2e-11, -1e-11, 3e-11, 0.3, 0.7}, v[5] = {0, 0, 0, 2.0, -1.0};
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.q = q;
    options.v = v;
    options.outputs = outputs;
    options.output_count = OUTPUTS;
    assert_int_equal(rig.v_count, 5);
    if (lb_linearize(l.simulation, &options, &linear) != LB_OK) {
        fail_msg("%s", lb_get_simulation_message(l.simulation));
    }
    for (int i = 0; i < OUTPUTS; ++i) {
        lb_expect_near(outputs[i], linear->output_values[i], evaluate_at(&rig, q, v, outputs[i]),
                       1e-9);
        for (int j = 0; j < 10; ++j) {
            // a norm of 1e-11 bends
            const double h = j % 5 >= 3 ? 1e-4 : j >= 5 ? 1e-6 : i < 4 ? 1e-13 : 1e-14;
            double low = 0.0, high = 0.0;
            for (int side = 0; side < 2; ++side) {
                double x[10];
                memcpy(x, q, sizeof q);
                memcpy(x + 5, v, sizeof v);
                x[j] += side ? h : -h;
                *(side ? &high : &low) = evaluate_at(&rig, x, x + 5, outputs[i]);
            }
            const double slope = (high - low) / (2 * h), found = linear->C[i * 10 + j];
            const double size = fabs(high) + fabs(low);
            // 1e-6 of the slope, and digits that differences lose
            if (!(fabs(slope - found) <= 1e-6 * fabs(slope) + 1e-9 * size / h)) {
                fail_msg("%s by state %d: %.9g, differences give %.9g", outputs[i], j, found,
                         slope);
            }
        }
    }
    lb_destroy_linear(linear);
    lb_end_loaded(&l);
    lb_end_rig(&rig);
}

// ---- files and names -----------------------------------------------------------------------------

static void expect_no_signal(const lb_rig *rig, const char *text, const char *words)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_signal *signal = NULL;
    assert_int_equal(lb_compile_signal(rig->model, NULL, text, &report, &signal), LB_E_SYNTAX);
    if (heard.count != 1 || !strstr(heard.entries[0].message, words)) {
        lb_print_heard(&heard);
        fail_msg("%s: expected \"%s\"", text, words);
    }
}

static void what_is_not_known_is_said(void **state)
{
    (void)state;
    import_truss(true, 3, "clamped.flex");
    lb_rig rig = lb_begin_rig(
        "limber: 1\nbodies:\n"
        "  - {name: truss, hinge: {type: fixed}, flex: {file: clamped.flex}}\n"
        "  - {name: none, hinge: {type: fixed}, flex: {file: clamped.flex, recovery: []}}\n",
        NULL);
    expect_no_signal(&rig, "truss.recovery.bar9",
                     "truss recovers no \"bar9\"; 5 quantities are known, the first is \"bar0\"");
    expect_no_signal(&rig, "truss.recovery.bar0.static", "expected corrected, or nothing");
    expect_no_signal(&rig, "truss.recovery", "the name of a quantity that is recovered");
    expect_no_signal(&rig, "none.recovery.bar0", "unknown quantity \"recovery\"");
    lb_end_rig(&rig);
}

static void expect_no_import(const char *rows, const char *words)
{
    static const char *const files[] = {"K.mtx", "M.mtx", "map.txt", "places.txt", "wrong.csv"};
    static const lb_file_role roles[] = {LB_FILE_STIFFNESS, LB_FILE_MASS, LB_FILE_ANY, LB_FILE_ANY,
                                         LB_FILE_ROWS};
    const lb_named_node node = {"tip", 7};
    lb_import_options options = lb_default_import_options();
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_imported *imported = NULL;
    FILE *file = fopen("wrong.csv", "w");
    assert_true(file && fputs(rows, file) >= 0 && fclose(file) == 0);
    options.files = files;
    options.roles = roles;
    options.file_count = 5;
    options.nodes = &node;
    options.node_count = 1;
    assert_int_equal(lb_import_files(&options, NULL, &report, &imported), LB_E_SYNTAX);
    if (heard.count != 1 || !strstr(heard.entries[0].message, words)) {
        lb_print_heard(&heard);
        fail_msg("expected \"%s\"", words);
    }
}

static void wrong_rows_are_refused(void **state)
{
    (void)state;
    expect_no_import("", "there are no rows");
    expect_no_import("a, 1, x\n", "expected four fields");
    expect_no_import("a, 1, x, 2, 3\n", "expected four fields");
    expect_no_import("a, 1, x, 1\na, 1, w, 1\n", "expected name, number of a node");
    expect_no_import("a, 1, x, 1\na, 1, y, one\n", "expected name, number of a node");
    expect_no_import("a, 99, x, 1\n", "there is no node 99");
    expect_no_import("a, 1, rx, 1\n", "has no degree of freedom");
    expect_no_import(", 1, x, 1\n", "a name of 0 characters");
}

// A byte of a row that is changed is found when the row is read.
static void damage_is_found(void **state)
{
    (void)state;
    import_truss(true, 3, "clamped.flex");
    FILE *file = fopen("clamped.flex", "rb+");
    static char bytes[200000];
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    // a name of a quantity; the report has it as well, without the zeros behind
    size_t at = 0;
    while (at + 6 < size && memcmp(bytes + at, "bar2\0\0", 6) != 0) {
        ++at;
    }
    assert_true(at + 6 < size);
    assert_true(fseek(file, (long)at + 3, SEEK_SET) == 0 && fputc('7', file) == '7');
    assert_int_equal(fclose(file), 0);
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_flex_body *body = NULL;
    assert_int_equal(lb_load_flex_file("clamped.flex", NULL, NULL, &report, &body), LB_E_FILE);
    assert_non_null(strstr(heard.entries[0].message, "does not agree with its check"));
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamped_truss_carries_what_its_stiffness_says),
        cmocka_unit_test(free_truss_is_balanced_by_its_inertia),
        cmocka_unit_test(correction_follows_modes_and_scales),
        cmocka_unit_test(forces_of_loops_act_at_nodes),
        cmocka_unit_test(linear_outputs_have_static_gain),
        cmocka_unit_test(linear_outputs_are_differences),
        cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(wrong_rows_are_refused),
        cmocka_unit_test(damage_is_found),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
