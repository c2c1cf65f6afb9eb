// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Laws with a model of their own, and laws that follow deformations of nodes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "course.h"
#include "limber/control.h"
#include "run_cli.h"

// Two links, each with two bending modes in the plane and second-order displacements.
#define LINK(name, where, tip_mass)                                                                \
    "  - name: " name "\n" where "    flex:\n"                                                     \
    "      nodes:\n"                                                                               \
    "        - {name: root, mass: 0.3, inertia: [0.02, 0.02, 0.02, 0, 0, 0],\n"                    \
    "           shape: [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}\n"                                \
    "        - {name: middle, position: [0.4, 0, 0], mass: 0.4,\n"                                 \
    "           shape: [[0, 0, 0.9, 0, 0.25, 0], [0, 0, -1.2, 0, -0.3, 0]]}\n"                     \
    "        - {name: tip, position: [0.8, 0, 0], mass: " tip_mass                                 \
    ", inertia: [0.01, 0.01, 0.01, 0, 0, 0],\n"                                                    \
    "           shape: [[0, 0, 1.6, 0, 1, 0], [0, 0, 4, 0, 1, 0]],\n"                              \
    "           second_order: [[0, 0, [-0.9, 0.2, 0]], [0, 1, [-0.4, 0.1, 0]]]}\n"                 \
    "      stiffness: [60, 900]\n"                                                                 \
    "      damping: [0.02, 0.1]\n"

#define HEAD "limber: 1\ngravity: [0, -3, 0]\nbodies:\n"
#define UPPER LINK("upper", "    hinge: {type: revolute, axis: [0, 0, 1]}\n", "0.5")
#define LOWER                                                                                      \
    LINK("lower",                                                                                  \
         "    parent: upper\n    at: tip\n    hinge: {type: revolute, axis: [0, 0, 1]}\n", "0.5")
#define RUB "  - {name: rub, type: damper, hinge: lower, damping: 0.2}\n"

// The arm with a controller; %s is the law.
#define ARM                                                                                        \
    HEAD UPPER LOWER                                                                               \
        "forces:\n"                                                                                \
        "  - {name: m1, type: actuator, hinge: upper, gain: 2}\n"                                  \
        "  - {name: m2, type: actuator, hinge: lower}\n" RUB "initial:\n"                          \
        "  upper: {eta: [0.01, -0.002], rate: 0.4, eta_rate: [0.2, 0.1]}\n"                        \
        "  lower: {eta: [-0.005, 0.001], angle: 0.3, rate: -0.2, eta_rate: [0.1, -0.1]}\n"         \
        "controllers:\n"                                                                           \
        "  - name: control\n"                                                                      \
        "    rate: 2000\n"                                                                         \
        "    actuators:\n"                                                                         \
        "      - {actuator: m1, desired: {waypoints: [[0, 0], [0.6, 0.8]]}}\n"                     \
        "      - {actuator: m2, desired: {waypoints: [[0, 0], [0.6, -0.5]]}}\n"                    \
        "    law: {%s}\n"                                                                          \
        "run: {duration: 0.7, interval: 0.01, integrator: {type: rk4, step: 0.0005}}\n"

static lb_course begin_arm(const char *law)
{
    char *text = malloc(sizeof ARM + strlen(law) + 1);
    assert_non_null(text);
    sprintf(text, ARM, law);
    lb_course course = lb_begin_course(text);
    free(text);
    return course;
}

// ---- models --------------------------------------------------------------------------------------

enum { ROWS = 36, WIDTH = 6 };

static void run_arm(const char *law, double (*rows)[WIDTH])
{
    lb_course course = begin_arm(law);
    lb_start_course(&course);
    for (int i = 0; i < ROWS; ++i) {
        lb_go_to(&course, 0.02 * i);
        memcpy(rows[i], course.q, sizeof *rows);
    }
    lb_end_course(&course);
}

// A law whose model is the arm itself, in a file of its own with its forces and more that stays behind,
// commands what it commands without one. Without the damper it does not.
static void model_of_the_plant_changes_nothing(void **state)
{
    (void)state;
    static const char *const laws[] = {
        "type: computed-torque, kp: 100, kd: 20",
        "type: computed-torque, kp: 100, kd: 20, modes: estimated",
        "type: computed-torque, kp: 100, kd: 20, modes: rigid",
        "type: acceleration-matching, kp: 100, kd: 20",
        "type: computed-torque, regulator: {position: 1.0e+3, speed: 100, vibration: 10}"};
    char same[512], other[512];
    snprintf(same, sizeof same, "%s",
             lb_write_file("same.yaml", HEAD UPPER LOWER "forces:\n" RUB "run: {duration: 3}\n"));
    snprintf(other, sizeof other, "%s", lb_write_file("other.yaml", HEAD UPPER LOWER));
    for (size_t i = 0; i < sizeof laws / sizeof *laws; ++i) {
        static double alone[ROWS][WIDTH], with[ROWS][WIDTH], without[ROWS][WIDTH];
        char law[2048];
        run_arm(laws[i], alone);
        snprintf(law, sizeof law, "%s, model: %s", laws[i], same);
        run_arm(law, with);
        lb_expect_close(laws[i], &with[0][0], &alone[0][0], ROWS * WIDTH, 1e-12);
        snprintf(law, sizeof law, "%s, model: %s", laws[i], other);
        run_arm(law, without);
        double most = 0.0;
        for (int j = 0; j < ROWS; ++j) {
            most = fmax(most, fabs(without[j][5] - alone[j][5]));
        }
        assert_true(most > 1e-5);
    }
}

// Bodies are found by name, in whatever order, with other modes and beside others that have no hinge.
static void models_are_matched_by_name(void **state)
{
    (void)state;
    static const char model[] = HEAD
        "  - {name: pedestal, hinge: {type: fixed}, mass: 5}\n"
        "  - {name: upper, parent: pedestal, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1.2,\n"
        "     com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0],\n"
        "     nodes: {tip: {position: [0.8, 0, 0]}}}\n"
        "  - name: lower\n    parent: upper\n    at: tip\n"
        "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
        "    flex:\n"
        "      nodes:\n"
        "        - {name: tip, position: [0.5, 0, 0], mass: 1.2,\n"
        "           inertia: [0.1, 0.1, 0.1, 0, 0, 0], shape: [[0, 0, 1.6, 0, 1, 0]]}\n"
        "      stiffness: [60]\n";
    static double rows[ROWS][WIDTH];
    char law[2048];
    snprintf(law, sizeof law, "type: acceleration-matching, kp: 100, kd: 20, model: %s",
             lb_write_file("coarse.yaml", model));
    run_arm(law, rows);
    // it is where it was to go, as far as a rough model and springs of 60 N m allow
    lb_expect_below("upper", rows[ROWS - 1][2] - 0.8, 0.1);
    lb_expect_below("lower", rows[ROWS - 1][5] + 0.5, 0.1);
}

// The same in C, where the caller keeps the model and its forces.
static void programs_give_models_to_laws(void **state)
{
    (void)state;
    lb_course plant = begin_arm("type: computed-torque, kp: 100, kd: 20");
    lb_course model = lb_begin_course(HEAD UPPER LOWER "forces:\n" RUB);
    lb_simulation *built = NULL;
    lb_expect_ok(lb_create_simulation(plant.model, NULL, &built));
    static const char *const hinges[] = {"upper", "lower"}, *const motors[] = {"m1", "m2"};
    const double times[] = {0.0, 0.6}, ways[2][2] = {{0.0, 0.8}, {0.0, -0.5}};
    lb_channel_options channels[2];
    for (int i = 0; i < 2; ++i) {
        lb_force_options force = lb_default_force_options();
        force.type = LB_FORCE_ACTUATOR;
        force.name = motors[i];
        force.hinge = hinges[i];
        lb_expect_ok(lb_add_force(lb_get_simulation_forces(built), &force, NULL));
        channels[i] = lb_default_channel_options();
        channels[i].actuator = motors[i];
        channels[i].waypoint_count = 2;
        channels[i].waypoint_times = times;
        channels[i].waypoints = ways[i];
    }
    lb_force_options rub = lb_default_force_options();
    rub.type = LB_FORCE_DAMPER;
    rub.name = "rub";
    rub.hinge = "lower";
    rub.damping = 0.2;
    lb_expect_ok(lb_add_force(lb_get_simulation_forces(built), &rub, NULL));
    const double kp[] = {100, 100}, kd[] = {20, 20};
    lb_law_options law = lb_default_law_options();
    law.type = LB_LAW_COMPUTED_TORQUE;
    law.kp = kp;
    law.kd = kd;
    law.model = model.model;
    law.model_forces = lb_get_simulation_forces(model.simulation);
    lb_controller_options controller = lb_default_controller_options();
    controller.name = "control";
    controller.rate = 2000;
    controller.channels = channels;
    controller.channel_count = 2;
    controller.law = &law;
    lb_expect_ok(lb_add_controller(built, &controller, NULL));
    const double *q, *v;
    lb_get_initial_state(plant.simulation, &q, &v);
    lb_expect_ok(lb_set_initial_state(built, q, v));
    lb_run_options run = {.size = sizeof run};
    lb_expect_ok(lb_get_run_options(plant.simulation, &run));
    lb_expect_ok(lb_set_run_options(built, &run));
    lb_expect_ok(lb_start_simulation(built));
    lb_expect_ok(lb_advance_simulation(built, 0.5));
    lb_start_course(&plant);
    lb_go_to(&plant, 0.5);
    double t;
    lb_get_simulation_state(built, &t, &q, NULL, NULL);
    // the gain of m1 is another, and so is its rounding
    lb_expect_close("q", q, plant.q, WIDTH, 1e-11);
    lb_destroy_simulation(built);
    lb_end_course(&model);
    lb_end_course(&plant);
}

// ---- a payload that the law does not know ----------------------------------------------------------

// Where an arm comes to rest whose law takes it for the empty one, links taken for rigid:
// M_e kp e = g_l - g_e, with the mass matrix and the weights of the empty and the loaded model there.
static double predict_elbow_error(const double angles[2])
{
    static const char *const files[] = {"control/empty_arm.yaml", "control/loaded_arm.yaml"};
    double M[4] = {0}, g[2][2];
    for (int side = 0; side < 2; ++side) {
        lb_course course = lb_begin_example(files[side]);
        const int n = course.v_count;
        double *all = lb_make_numbers((size_t)(n * n + 3 * n)), *q = all + n * n, *v = q + n,
               *c = v + n;
        const char *prefix = side ? "known" : "unaware";
        int at[2];
        for (int i = 0; i < 2; ++i) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s", prefix, i ? "elbow" : "shoulder");
            const int body = lb_find_body(course.model, name);
            at[i] = lb_get_v_offset(course.model, body);
            q[lb_get_q_offset(course.model, body)] = angles[i];
        }
        lb_work *work = lb_create_work(course.model);
        lb_expect_ok(lb_compute_mass_matrix(course.model, work, q, all));
        lb_expect_ok(lb_compute_bias(course.model, work, q, v, c));
        for (int i = 0; i < 2; ++i) {
            g[side][i] = c[at[i]];
            for (int j = 0; side == 0 && j < 2; ++j) {
                M[2 * i + j] = all[at[i] * n + at[j]];
            }
        }
        lb_destroy_work(work);
        lb_end_course(&course);
        free(all);
    }
    const double r[2] = {g[1][0] - g[0][0], g[1][1] - g[0][1]};
    // desired less true angle
    return (M[0] * r[1] - M[2] * r[0]) / (M[0] * M[3] - M[1] * M[2]) / 100.0;
}

static void unknown_payload_is_a_lasting_error(void **state)
{
    (void)state;
    const double degree = 3.14159265358979323846 / 180;
    lb_course course = lb_begin_example("payload_arm.yaml");
    int at[4];
    static const char *const bodies[] = {"known_shoulder", "known_elbow", "unaware_shoulder",
                                         "unaware_elbow"};
    for (int i = 0; i < 4; ++i) {
        at[i] = lb_get_q_offset(course.model, lb_find_body(course.model, bodies[i]));
    }
    lb_start_course(&course);
    double known = 0.0, unaware = 0.0, mean[2] = {0};
    for (int i = 0; i <= 300; ++i) {
        lb_go_to(&course, 0.01 * i);
        const double s = fmin(1.0, course.t / 1.2);
        const double path = -30 * degree * s * s * s * (10 - 15 * s + 6 * s * s);
        known = fmax(known, fabs(course.q[at[1]] - path));
        unaware = fmax(unaware, fabs(course.q[at[3]] - path));
        // the mean of the last second
        for (int j = 0; j < 2 && i > 200; ++j) {
            mean[j] += course.q[at[2 + j]] / 100;
        }
    }
    const double left = course.q[at[1]] + 30 * degree;
    const double predicted = predict_elbow_error(mean);
    print_message("elbow off by at most %.2e (known), %.2e (unknown); at the end %.2e and %.4f, "
                  "predicted %.4f\n",
                  known, unaware, fabs(left), -30 * degree - mean[1], predicted);
    lb_end_course(&course);
    // known: what sampling leaves of the vibration when gravity sets in; then nothing
    assert_true(known < 0.02);
    lb_expect_below("known, at rest", left, 1e-4);
    assert_true(unaware > 10 * known);
    // 5e-3: links bend, by some thousandths
    lb_expect_near("unknown, at rest", -30 * degree - mean[1], predicted, 5e-3);
}

// ---- deformations ----------------------------------------------------------------------------------

// Minimum of a quadratic function of two variables by values of it at six points.
static void minimise(double (*f)(const double *b, void *user), void *user, double b[2])
{
    const double h = 1.0;
    double at[6];
    const double points[6][2] = {{0, 0}, {h, 0}, {-h, 0}, {0, h}, {0, -h}, {h, h}};
    for (int i = 0; i < 6; ++i) {
        const double x[2] = {b[0] + points[i][0], b[1] + points[i][1]};
        at[i] = f(x, user);
    }
    const double g0 = (at[1] - at[2]) / 2, g1 = (at[3] - at[4]) / 2;
    const double a = at[1] + at[2] - 2 * at[0], d = at[3] + at[4] - 2 * at[0];
    const double c = at[5] - at[1] - at[3] + at[0];
    b[0] -= (d * g0 - c * g1) / (a * d - c * c);
    b[1] -= (a * g1 - c * g0) / (a * d - c * c);
}

typedef struct problem {
    const double *M, *c, *f; // 6 x 6, 6, 6
    double wanted[2];        // of the hinges
    double slope[2], rest; // of the deformation: slope of modal accelerations, what is beside them
    double goal, weight;
} problem;

// |b - wanted|^2 + w (deformation - goal)^2, the modes of both links solved from the dense mass matrix.
static double rate_accelerations(const double *b, void *user)
{
    const problem *p = user;
    static const int modes[] = {0, 1, 3, 4}, hinges[] = {2, 5};
    double A[4][5];
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            A[i][j] = p->M[6 * modes[i] + modes[j]];
        }
        A[i][4] = p->f[modes[i]] - p->c[modes[i]];
        for (int j = 0; j < 2; ++j) {
            A[i][4] -= p->M[6 * modes[i] + hinges[j]] * b[j];
        }
    }
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4; ++k) {
            const double share = k == i ? 0.0 : A[k][i] / A[i][i];
            for (int j = 0; j < 5; ++j) {
                A[k][j] -= share * A[i][j];
            }
        }
    }
    // the deformation is that of the lower link
    double d = p->rest - p->goal;
    for (int r = 0; r < 2; ++r) {
        d += p->slope[r] * A[2 + r][4] / A[2 + r][2 + r];
    }
    const double e0 = b[0] - p->wanted[0], e1 = b[1] - p->wanted[1];
    return e0 * e0 + e1 * e1 + p->weight * d * d;
}

// Accelerations just after the first sample, against the minimum of the weighted error, which is found
// from the dense mass matrix without derivatives. The tip of the lower link has second-order
// displacements, so that its deformation is not linear in the modes.
static void hinges_and_deformations_share_the_error(void **state)
{
    (void)state;
    static const char *const laws[] = {"type: computed-torque, kp: 100, kd: 20",
                                       "type: acceleration-matching, kp: 100, kd: 20, sweeps: 100"};
    for (int turn = 0; turn < 2; ++turn) {
        for (int l = 0; l < 2; ++l) {
            char law[512];
            const double weight = 0.5;
            snprintf(law, sizeof law,
                     "%s, deformations: [{node: lower/tip, %s, desired: 0.03*sin(5*t), kp: 40, kd: "
                     "3, weight: %g}]",
                     laws[l], turn ? "axis: [0, 0, 2]" : "direction: [0, 3, 0]", weight);
            lb_course course = begin_arm(law);
            lb_start_course(&course);
            lb_expect_ok(lb_advance_simulation(course.simulation, 0.0));
            const double *q = course.q, *v = course.v;
            double M[36], c[6], force[6] = {0};
            lb_work *work = lb_create_work(course.model);
            lb_expect_ok(lb_compute_mass_matrix(course.model, work, q, M));
            lb_expect_ok(lb_compute_bias(course.model, work, q, v, c));
            force[5] = -0.2 * v[5];
            problem p = {.M = M, .c = c, .f = force, .weight = weight};
            for (int i = 0; i < 2; ++i) {
                p.wanted[i] = 100 * (0 - q[i ? 5 : 2]) + 20 * (0 - v[i ? 5 : 2]);
            }
            // turn: (1.6, 4) eta; displacement: eta_0 + eta_1 + 0.1 eta_0^2 + 0.1 eta_0 eta_1
            const double *eta = q + 3, *rate = v + 3;
            double d, d_dot;
            if (turn) {
                p.slope[0] = 1.6;
                p.slope[1] = 4.0;
                d = 1.6 * eta[0] + 4.0 * eta[1];
                p.rest = 0.0;
            } else {
                p.slope[0] = 1.0 + 0.2 * eta[0] + 0.1 * eta[1];
                p.slope[1] = 1.0 + 0.1 * eta[0];
                d = eta[0] + eta[1] + 0.1 * eta[0] * eta[0] + 0.1 * eta[0] * eta[1];
                p.rest = 0.2 * rate[0] * rate[0] + 0.2 * rate[0] * rate[1];
            }
            d_dot = p.slope[0] * rate[0] + p.slope[1] * rate[1];
            p.goal = 0.0 + 3 * (0.15 - d_dot) + 40 * (0.0 - d);
            double b[2] = {p.wanted[0], p.wanted[1]};
            minimise(rate_accelerations, &p, b);
            const double found[2] = {course.a[2], course.a[5]};
            // 1e-6: what differences of the sum of squares leave
            lb_expect_close("hinges", found, b, 2, 1e-6);
            assert_true(fabs(b[0] - p.wanted[0]) + fabs(b[1] - p.wanted[1]) > 0.1);
            lb_destroy_work(work);
            lb_end_course(&course);
        }
    }
}

// Largest distance of the tip of the lower link from the deformation that is asked for, after the start.
static double run_wave(const char *type, const char *weight)
{
    char law[512];
    snprintf(law, sizeof law,
             "type: %s, kp: 4, kd: 4, deformations: [{node: lower/tip, direction: [0, 1, "
             "0], desired: -0.03 + 0.01*sin(12*t), kp: 900, kd: 60, weight: %s}]",
             type, weight);
    lb_course course = begin_arm(law);
    lb_start_course(&course);
    double worst = 0.0;
    for (int i = 20; i <= 35; ++i) {
        lb_go_to(&course, 0.02 * i);
        const double *eta = course.q + 3;
        const double d = eta[0] + eta[1] + 0.1 * eta[0] * eta[0] + 0.1 * eta[0] * eta[1];
        worst = fmax(worst, fabs(d + 0.03 - 0.01 * sin(12 * course.t)));
    }
    lb_end_course(&course);
    return worst;
}

// With weight enough, a deformation is followed to a few per cent of what it does; with hardly any it is not.
static void deformations_are_followed(void **state)
{
    (void)state;
    const double exact = run_wave("computed-torque", "1000"),
                 matched = run_wave("acceleration-matching", "1000"),
                 hardly = run_wave("computed-torque", "1.0e-9");
    print_message("deformation off by %.2e m (exact modes), %.2e (matching), %.2e (no weight)\n",
                  exact, matched, hardly);
    assert_true(exact < 0.05 * 0.01);
    assert_true(matched < 0.05 * 0.01);
    assert_true(hardly > 0.01);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_of_the_plant_changes_nothing),
        cmocka_unit_test(models_are_matched_by_name),
        cmocka_unit_test(programs_give_models_to_laws),
        cmocka_unit_test(unknown_payload_is_a_lasting_error),
        cmocka_unit_test(hinges_and_deformations_share_the_error),
        cmocka_unit_test(deformations_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
