// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible bodies from files with modes: they move as the same body with masses at its nodes, and a free one
// keeps energy and momentum, whatever order of inertia the file has.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/dynamics.h"
#include "modal_sample.h"

// A free body in space.
static lb_model *build(const lb_flex_options *flex)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_builder *builder = lb_create_builder(NULL, &report);
    lb_body_options body = lb_default_body_options();
    lb_model *model = NULL;
    body.name = "body";
    body.hinge.type = LB_HINGE_FREE;
    body.flex = flex;
    lb_add_body(builder, &body, NULL);
    if (lb_build_model(builder, &model) != LB_OK) {
        lb_print_heard(&heard);
        fail();
    }
    lb_destroy_builder(builder);
    return model;
}

// ---- two ways to the same body -----------------------------------------------------------------

// The bar of the samples: lumps at its nodes.
static lb_model *build_lumps(const lb_modal_body *body)
{
    lb_flex_node nodes[4];
    lb_flex_options flex = body->flex;
    for (int j = 0; j < 4; ++j) {
        nodes[j] = body->flex.nodes[j];
        nodes[j].mass = 2.0 + 0.5 * j;
        for (int i = 0; i < 3; ++i) {
            nodes[j].inertia[i] = (0.02 + 0.01 * i) * (1 + j);
        }
    }
    flex.nodes = nodes;
    flex.integrals = NULL;
    flex.damping = NULL;
    return build(&flex);
}

static void integrals_move_a_body_as_its_lumps_do(void **state)
{
    static const char *const names[] = {"bar.fem", "bar_sums.fem", "bar_both.fem", "bar.sid",
                                        "bar_last.sid"};
    (void)state;
    lb_modal_sample first;
    lb_import_sample(&first, "bar.fem");
    lb_model *lumps = build_lumps(&first.body);
    lb_work *lumps_work = lb_create_work(lumps);
    enum { N = 3 + 6 };
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed());
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        lb_modal_sample in;
        lb_import_sample(&in, names[i]);
        lb_flex_options flex = in.body.flex;
        flex.damping = NULL;
        lb_model *model = build(&flex);
        lb_work *work = lb_create_work(model);
        for (int trial = 0; trial < 10; ++trial) {
            double q[N + 1], v[N], tau[N], a[N], b[N];
            lb_get_neutral_configuration(model, q);
            double step[N];
            for (int k = 0; k < N; ++k) {
                // deformations of order one: every order of inertia counts
                step[k] = lb_draw_uniform(&random, -1, 1);
                v[k] = lb_draw_uniform(&random, -1, 1);
                tau[k] = lb_draw_uniform(&random, -1, 1);
            }
            lb_integrate_configuration(model, q, step, q);
            lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, a));
            lb_expect_ok(lb_compute_forward_dynamics(lumps, lumps_work, q, v, tau, b));
            // 1e-9: twelve decimals in the file with the fewest, and an inertia of condition 1e3
            lb_expect_close(names[i], a, b, N, 1e-9);
        }
        lb_destroy_work(work);
        lb_destroy_model(model);
        lb_free_sample(&in);
    }
    lb_destroy_work(lumps_work);
    lb_destroy_model(lumps);
    lb_free_sample(&first);
}

// ---- free flight -------------------------------------------------------------------------------

enum { MODES_MOST = 4, V_MOST = MODES_MOST + 6 };

typedef struct flight {
    const lb_model *model;
    lb_work *work;
    int n;
    double q[V_MOST + 1], v[V_MOST];
} flight;

static void find_rates(flight *f, const double *q, const double *v, double *q_dot, double *a)
{
    static const double tau[V_MOST];
    lb_expect_ok(lb_compute_forward_dynamics(f->model, f->work, q, v, tau, a));
    lb_compute_configuration_rate(f->model, q, v, q_dot);
}

// One step of Runge and Kutta.
static void step(flight *f, double h)
{
    static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double q_dot[V_MOST + 1] = {0}, a[V_MOST] = {0}, q_sum[V_MOST + 1] = {0}, a_sum[V_MOST] = {0};
    for (int s = 0; s < 4; ++s) {
        double q[V_MOST + 1], v[V_MOST];
        for (int i = 0; i <= f->n; ++i) {
            q[i] = f->q[i] + part[s] * h * q_dot[i];
        }
        for (int i = 0; i < f->n; ++i) {
            v[i] = f->v[i] + part[s] * h * a[i];
        }
        find_rates(f, q, v, q_dot, a);
        lb_add_vector(f->n + 1, weight[s] * h / 6, q_dot, q_sum);
        lb_add_vector(f->n, weight[s] * h / 6, a, a_sum);
    }
    lb_add_vector(f->n + 1, 1.0, q_sum, f->q);
    lb_add_vector(f->n, 1.0, a_sum, f->v);
    lb_normalize_configuration(f->model, 1e-6, f->q, NULL);
}

typedef struct books {
    double energy;
    lb_system_motion motion;
} books;

static books find_books(flight *f)
{
    books b;
    double q_dot[V_MOST + 1], a[V_MOST], kinetic, potential;
    find_rates(f, f->q, f->v, q_dot, a);
    lb_expect_ok(lb_compute_energy(f->model, f->work, &kinetic, &potential));
    lb_expect_ok(lb_compute_system_motion(f->model, f->work, &b.motion));
    b.energy = kinetic + potential;
    return b;
}

static double find_norm(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double find_drift(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return find_norm(d) / find_norm(b);
}

// Units of the file in those of the model: length, mass, time.
typedef struct units {
    double length, mass, time;
} units;

static const double *scale(double *out, const double *x, int count, double factor)
{
    for (int i = 0; i < count && x; ++i) {
        out[i] = factor * x[i];
    }
    return x ? out : NULL;
}

static void free_flight(const char *what, const lb_modal_body *body, units u, double amplitude,
                        double speed, double seconds, double h)
{
    enum { N = MODES_MOST };
    static double M_ff[N * N], E[3 * N], B0[3 * N], B[3 * N * N], S[6 * N], S2[6 * N * N], K[N * N];
    const int n = body->flex.mode_count;
    assert_true(n <= N);
    const double m = u.mass, l = u.length;
    const lb_flex_integrals *I = &body->integrals;
    lb_flex_integrals scaled = {.size = sizeof scaled,
                                .mass = m * I->mass,
                                .M_ff = scale(M_ff, I->M_ff, n * n, m),
                                .E = scale(E, I->E, 3 * n, m),
                                .B0 = scale(B0, I->B0, 3 * n, m * l),
                                .B = scale(B, I->B, 3 * n * n, m),
                                .S = scale(S, I->S, 6 * n, m * l),
                                .S2 = scale(S2, I->S2, 6 * n * n, m)};
    scale(scaled.h0, I->h0, 3, m * l);
    scale(scaled.S0, I->S0, 6, m * l * l);
    // of the nodes, only that there is one matters here
    const double shape[6 * N] = {0};
    lb_flex_node node = body->flex.nodes[0];
    node.shape = shape;
    lb_flex_options flex = body->flex;
    flex.node_count = 1;
    flex.nodes = &node;
    flex.damping = NULL;
    flex.integrals = &scaled;
    flex.stiffness = scale(K, body->flex.stiffness, n * n, m / (u.time * u.time));

    lb_model *model = build(&flex);
    flight f = {.model = model, .work = lb_create_work(model), .n = n + 6};
    lb_get_neutral_configuration(model, f.q);
    for (int q = 0; q < n; ++q) {
        f.q[q] = amplitude * l / (1 + q);
    }
    const double omega[3] = {1.1, -0.7, 0.5};
    for (int i = 0; i < 3; ++i) {
        f.v[n + i] = omega[i] / u.time;
        f.v[n + 3 + i] = speed * (1 + i) / sqrt(14.0);
    }
    const books start = find_books(&f);
    double energy = 0, linear = 0, angular = 0;
    const int steps = (int)(seconds / h);
    for (int i = 0; i < steps; ++i) {
        step(&f, h * u.time);
        if (i % 100 == 99) {
            const books now = find_books(&f);
            energy = fmax(energy, fabs(now.energy / start.energy - 1));
            linear = fmax(linear, find_drift(now.motion.linear, start.motion.linear));
            angular = fmax(angular, find_drift(now.motion.angular, start.motion.angular));
        }
    }
    print_message("%-28s energy %.1e  linear momentum %.1e  angular momentum %.1e\n", what, energy,
                  linear, angular);
    lb_expect_below("energy", energy, 1e-9);
    lb_expect_below("linear momentum", linear, 1e-10);
    lb_expect_below("angular momentum", angular, 1e-10);
    lb_destroy_work(f.work);
    lb_destroy_model(model);
}

static const units SI = {1, 1, 1};

static void free_bodies_keep_energy_and_momentum(void **state)
{
    // every order; of order zero, a body becomes impossible at smaller deformations
    static const struct {
        const char *name;
        lb_inertia_order order;
    } files[] = {{"bar.sid", LB_INERTIA_ORDER_2},
                 {"bar_sums.fem", LB_INERTIA_ORDER_2},
                 {"bar_sums.fem", LB_INERTIA_ORDER_1},
                 {"bar_sums.fem", LB_INERTIA_ORDER_0},
                 {"array.csv", LB_INERTIA_ORDER_0}};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        lb_modal_sample in;
        char what[64];
        lb_import_sample(&in, files[i].name);
        lb_expect_ok(in.status);
        in.body.integrals.S2 = files[i].order < LB_INERTIA_ORDER_2 ? NULL : in.body.integrals.S2;
        in.body.integrals.S = files[i].order < LB_INERTIA_ORDER_1 ? NULL : in.body.integrals.S;
        in.body.integrals.B = files[i].order < LB_INERTIA_ORDER_1 ? NULL : in.body.integrals.B;
        snprintf(what, sizeof what, "%s, order %d", files[i].name, (int)files[i].order);
        free_flight(what, &in.body, SI, files[i].order == LB_INERTIA_ORDER_0 ? 0.01 : 0.1, 2.0, 0.3,
                    1e-5);
        lb_free_sample(&in);
    }
}

static void scale_does_not_matter(void **state)
{
    (void)state;
    lb_modal_sample in;
    lb_import_sample(&in, "bar.sid");
    // micrometres, picograms, microseconds
    const units micro = {1e-6, 1e-15, 1e-6};
    free_flight("micrometres", &in.body, micro, 0.1, 2.0, 0.3, 1e-5);
    // kilometres and tonnes
    const units large = {1e3, 1e6, 10};
    free_flight("kilometres", &in.body, large, 0.1, 200.0, 0.3, 1e-5);
    // on an orbit
    free_flight("7000 m/s", &in.body, SI, 0.1, 7000.0, 0.3, 1e-5);
    lb_free_sample(&in);
}

static void beam_of_others_tumbles(void **state)
{
    (void)state;
    lb_modal_sample in;
    lb_import_beam_of_others(&in);
    lb_expect_ok(in.status);
    free_flight("Beam_3m.SID_FEM", &in.body, SI, 0.3, 2.0, 0.2, 2e-6);
    free_flight("Beam_3m.SID_FEM, 7000 m/s", &in.body, SI, 0.3, 7000.0, 0.2, 2e-6);
    lb_free_sample(&in);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals_move_a_body_as_its_lumps_do),
        cmocka_unit_test(free_bodies_keep_energy_and_momentum),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(beam_of_others_tumbles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
