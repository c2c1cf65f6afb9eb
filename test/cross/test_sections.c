// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forces in cuts through flexible bodies: closed forms of cantilevers, and a body in two pieces.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/linear.h"
#include "loaded.h"
#include "rig.h"

enum { MODES = 5 };

// A beam of 2 m and 3 kg/m, so stiff that it bends by some 1e-7 m; five modes of bending.
static lb_rig begin_beam(const char *gravity, const char *motions, const char *hinge,
                         const char *more)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "limber: 1\n"
        "gravity: [0, 0, %s]\n"
        "bodies:\n"
        "  - {name: beam, hinge: %s, cuts: [root, mid, late, tip], beam: {length: 2, section: "
        "{type: general, A: "
        "1e-3, Iy: 1e-6, Iz: 2e-6, J: 3e-6}, material: {E: 2e14, G: 8e13, rho: 3000}, rotary: "
        "false, nodes: {mid: 0.7, late: 1.6}, modes: {count: 5, fixed: [root], motions: [%s]}}}\n"
        "%s",
        gravity, hinge, motions, more);
    return lb_begin_rig(text, NULL);
}

// Modal coordinates at which the modes do not accelerate, while hinges do as `a` of the rig says. Stiffness is
// found by the way. Three steps: what the deformation does to forces is 1e-7 of them.
static void settle(lb_rig *rig)
{
    const size_t n = (size_t)rig->v_count;
    double *tau = lb_make_numbers(n), *other = lb_make_numbers(n);
    for (int step = 0; step < 3; ++step) {
        for (int r = 0; r < MODES; ++r) {
            lb_expect_ok(lb_evaluate_rig(rig, 0.0));
            const double applied = rig->tau[r];
            lb_expect_ok(
                lb_compute_inverse_dynamics(rig->model, rig->work, rig->q, rig->v, rig->a, tau));
            const double eta = rig->q[r], h = 1e-6;
            rig->q[r] = eta + h;
            lb_expect_ok(
                lb_compute_inverse_dynamics(rig->model, rig->work, rig->q, rig->v, rig->a, other));
            rig->q[r] = eta - h * (tau[r] - applied) / (other[r] - tau[r]);
        }
    }
    lb_expect_ok(lb_evaluate_rig(rig, 0.0));
    lb_expect_ok(lb_compute_inverse_dynamics(rig->model, rig->work, rig->q, rig->v, rig->a, tau));
    free(tau);
    free(other);
}

static const struct {
    const char *name;
    double x;
} places[] = {{"root", 0.0}, {"mid", 0.7}, {"late", 1.6}};

static void expect(const lb_rig *rig, int i, const char *what, double right, double size)
{
    char text[96];
    snprintf(text, sizeof text, "section(beam/%s, in beam).%s", places[i].name, what);
    const double value = lb_read_rig(rig, 0.0, text);
    lb_expect_within(text, &value, &right, 1, size);
}

// ---- closed forms ------------------------------------------------------------------------------

static void cantilever_carries_its_weight_and_a_force_at_its_tip(void **state)
{
    (void)state;
    const double L = 2.0, weight = 30.0, P = 7.0;
    lb_rig rig = begin_beam(
        "-10", "y, z", "{type: fixed}",
        "forces:\n  - {name: pull, type: force, at: {body: beam, node: tip}, axes: world, value: "
        "[0, 0, 7]}\n");
    settle(&rig);
    for (int i = 0; i < 3; ++i) {
        const double s = L - places[i].x;
        // 1e-9 of the largest
        expect(&rig, i, "force.x", 0.0, 60e-9);
        expect(&rig, i, "force.y", 0.0, 60e-9);
        expect(&rig, i, "force.z", P - weight * s, 60e-9);
        expect(&rig, i, "moment.x", 0.0, 60e-9);
        expect(&rig, i, "moment.y", -(P * s - 0.5 * weight * s * s), 60e-9);
        expect(&rig, i, "moment.z", 0.0, 60e-9);
    }
    lb_end_rig(&rig);
}

static void spinning_beam_is_in_tension(void **state)
{
    (void)state;
    const double L = 2.0, w = 3.0, angular = 0.4, line = 3.0;
    lb_rig rig = begin_beam("-10", "y, z", "{type: revolute, axis: [0, 0, 1]}", "");
    rig.v[MODES] = w;
    rig.a[MODES] = angular;
    settle(&rig);
    for (int i = 0; i < 3; ++i) {
        const double x = places[i].x, s = L - x;
        const double shear = line * angular * 0.5 * (L * L - x * x);
        const double turning =
            line * angular * ((L * L * L - x * x * x) / 3.0 - 0.5 * x * (L * L - x * x));
        // 1e-6 of the tension at the root
        expect(&rig, i, "force.x", 0.5 * line * w * w * (L * L - x * x), 54e-6);
        expect(&rig, i, "force.y", -shear, 54e-6);
        expect(&rig, i, "force.z", -line * 10.0 * s, 54e-6);
        expect(&rig, i, "moment.y", 0.5 * line * 10.0 * s * s, 54e-6);
        expect(&rig, i, "moment.z", -turning, 54e-6);
    }
    // the cut at the root has all of the beam beyond it
    const double root = lb_read_rig(&rig, 0.0, "section(beam/root, in ground).moment.y");
    const double hinge = lb_read_rig(&rig, 0.0, "reaction(beam, in ground).moment.y");
    lb_expect_near("root", root, -hinge, 1e-13);
    lb_end_rig(&rig);
}

// ---- mode displacement ---------------------------------------------------------------------------

// What the modes by themselves say of the force: the inertia that they would have if they swung freely from where they
// are bent. Of a cantilever under its weight, L and the mass per length being 1, mode r holds
//
//     4 s_r^2 / b_r^2 of the shear force 1, and 4 s_r / b_r^3 of the moment 1/2 at the root
//
// cosh b cos b = -1,   s = (sinh b - sin b) / (cosh b + cos b)
//
// so that with five modes 8 % of the force and 0.5 % of the moment are missing, where mode acceleration is exact.
static void mode_displacement_misses_what_the_modes_do(void **state)
{
    (void)state;
    static const double b[MODES] = {1.8751040687119611, 4.6940911329741746, 7.8547574382376126,
                                    10.995540734875467, 14.137168391046471};
    double force = 0.0, moment = 0.0;
    for (int r = 0; r < MODES; ++r) {
        const double s = (sinh(b[r]) - sin(b[r])) / (cosh(b[r]) + cos(b[r]));
        force += 4.0 * s * s / (b[r] * b[r]);
        moment += 8.0 * s / (b[r] * b[r] * b[r]);
    }
    lb_expect_near("force", force, 0.92, 1e-3);
    lb_expect_near("moment", moment, 0.995, 1e-3);
    lb_rig rig = begin_beam("-10", "z", "{type: fixed}", "");
    lb_rig still = begin_beam("0", "z", "{type: fixed}", "");
    settle(&rig);
    memcpy(still.q, rig.q, MODES * sizeof *rig.q);
    lb_expect_ok(lb_evaluate_rig(&still, 0.0));
    lb_expect_ok(
        lb_compute_inverse_dynamics(still.model, still.work, still.q, still.v, still.a, still.tau));
    for (int r = 0; r < MODES; ++r) {
        still.a[r] = -still.tau[r]; // the modes have unit mass
    }
    lb_expect_ok(
        lb_compute_inverse_dynamics(still.model, still.work, still.q, still.v, still.a, still.tau));
    // 1e-4: finite elements of the five modes
    lb_expect_near("force by displacement", lb_read_rig(&still, 0.0, "section(beam/root).force.z"),
                   -60.0 * force, 1e-4);
    lb_expect_near("moment by displacement",
                   lb_read_rig(&still, 0.0, "section(beam/root).moment.y"), 60.0 * moment, 1e-4);
    lb_expect_near("force", lb_read_rig(&rig, 0.0, "section(beam/root).force.z"), -60.0, 1e-12);
    lb_expect_near("moment", lb_read_rig(&rig, 0.0, "section(beam/root).moment.y"), 60.0, 1e-9);
    lb_end_rig(&rig);
    lb_end_rig(&still);
}

// ---- a body in two pieces ------------------------------------------------------------------------

// Three masses in a row, of which a mode moves the first alone: what is beyond the cut is rigid, and can as well
// be a body of its own.
static void write_row(char *text, size_t size, bool split, const char *normal, const char *by)
{
    char far_side[256] = "", child[512] = "";
    const char *owner = split ? "rest" : "row";
    if (!split) {
        snprintf(
            far_side, sizeof far_side,
            ", {name: b, position: [1, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1, 0, 0, 0], shape: "
            "[[0, 0, 0, 0, 0, 0]]}, {name: c, position: [1.5, 0, 0.2], mass: 1, shape: [[0, 0, "
            "0, 0, 0, 0]]}");
    } else {
        snprintf(
            child, sizeof child,
            "  - {name: rest, parent: row, at: joint, hinge: {type: fixed}, mass: 3, com: "
            "[0.166666666666666667, 0, 0.066666666666666667], inertia: [0.12666666666666666, "
            "0.2933333333333333, 0.26666666666666666, 0, -0.066666666666666666, 0], nodes: {b: "
            "{position: [0, 0, 0]}, c: {position: [0.5, 0, 0.2]}}}\n");
    }
    snprintf(
        text, size,
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: row, hinge: {type: free}, %s flex: {nodes: [{name: a, position: [0.5, 0, 0], "
        "mass: 1.5, inertia: [0.2, 0.3, 0.4, 0, 0, 0], shape: [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]}, "
        "{name: joint, position: [1, 0, 0], shape: [[0, 0, 0, 0, 0, 0]]}%s], stiffness: "
        "[[40]]}%s}\n"
        "%s"
        "  - {name: arm, parent: %s, at: c, hinge: {type: revolute, axis: [0, 1, 1]}, mass: 0.7, "
        "com: [0.2, 0.1, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {end: {position: [0.4, 0, "
        "0]}}}\n"
        "forces:\n"
        "  - {name: cable, type: spring, between: [row/a, arm/end], stiffness: 20, length: 0.5}\n"
        "  - {name: push, type: force, at: {body: %s, node: b}, axes: body, value: [1, 2, "
        "\"3 - 0.1*arm.rate\"]}\n"
        "initial:\n"
        "  row: {angular_velocity: [0.5, -0.4, 0.8], velocity: [0.1, 0.2, 0.3], eta: [0.02], "
        "eta_rate: [0.3]}\n"
        "  arm: {angle: 0.6, rate: -1.1}\n",
        by, far_side, split ? "" : normal, child, owner, owner);
}

static const char *const components[6] = {"moment.x", "moment.y", "moment.z",
                                          "force.x",  "force.y",  "force.z"};

static void linearize(const char *text, const char *what, lb_loaded *l, lb_linear **linear)
{
    char names[6][96];
    const char *outputs[6], *const inputs[2] = {"push.z", "arm.motor"};
    *l = lb_begin_loaded(text, NULL);
    for (int i = 0; i < 6; ++i) {
        snprintf(names[i], sizeof names[i], "%s.%s", what, components[i]);
        outputs[i] = names[i];
    }
    lb_linear_options options = lb_default_linear_options();
    options.about = LB_ABOUT_STATE;
    options.input_count = 2;
    options.inputs = inputs;
    options.output_count = 6;
    options.outputs = outputs;
    const lb_status status = lb_linearize(l->simulation, &options, linear);
    if (status != LB_OK) {
        print_message("%s\n", lb_get_simulation_message(l->simulation));
    }
    lb_expect_ok(status);
}

static void expect_opposite(const char *what, const double *a, const double *b, int count,
                            double tolerance)
{
    const double size = lb_get_largest(count, b);
    for (int i = 0; i < count; ++i) {
        const double opposite = -b[i];
        lb_expect_within(what, a + i, &opposite, 1, tolerance * size);
    }
}

static void cut_carries_what_a_hinge_there_would(void **state)
{
    (void)state;
    char whole[4096], split[4096];
    lb_loaded a, b;
    lb_linear *cut, *hinge;
    write_row(whole, sizeof whole, false, ", cuts: [b]", "");
    write_row(split, sizeof split, true, "", "");
    linearize(whole, "section(row/b, in ground)", &a, &cut);
    linearize(split, "reaction(rest, in ground)", &b, &hinge);
    assert_int_equal(cut->state_count, hinge->state_count);
    expect_opposite("values", cut->output_values, hinge->output_values, 6, 1e-12);
    expect_opposite("C", cut->C, hinge->C, 6 * cut->state_count, 1e-9);
    expect_opposite("D", cut->D, hinge->D, 12, 1e-10); // differences
    lb_destroy_linear(cut);
    lb_destroy_linear(hinge);
    lb_end_loaded(&a);
    lb_end_loaded(&b);
}

// The two sides of a cut exert opposite forces, whichever of them the hinge is on.
static void sides_of_a_cut_exert_opposite_forces(void **state)
{
    (void)state;
    static const char *const hinges[2] = {"", "by: c,"};
    for (int i = 0; i < 2; ++i) {
        char ahead[4096], back[4096];
        lb_loaded a, b;
        lb_linear *one, *other;
        write_row(ahead, sizeof ahead, false, ", cuts: [{at: joint, normal: [1, 0, 1e-3]}]",
                  hinges[i]);
        write_row(back, sizeof back, false, ", cuts: [{at: a, normal: [-1, 0, 0]}]", hinges[i]);
        // beyond the one are joint, b and c; beyond the other is a, with the origin
        linearize(ahead, "section(row/joint, in row, about row)", &a, &one);
        linearize(back, "section(row/a, in row, about row)", &b, &other);
        assert_true(lb_get_largest(6, one->output_values) > 1.0);
        expect_opposite("values", one->output_values, other->output_values, 6, 1e-12);
        expect_opposite("D", one->D, other->D, 12, 1e-10); // differences
        expect_opposite("C", one->C, other->C, 6 * one->state_count, 1e-9);
        lb_destroy_linear(one);
        lb_destroy_linear(other);
        lb_end_loaded(&a);
        lb_end_loaded(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever_carries_its_weight_and_a_force_at_its_tip),
        cmocka_unit_test(spinning_beam_is_in_tension),
        cmocka_unit_test(mode_displacement_misses_what_the_modes_do),
        cmocka_unit_test(cut_carries_what_a_hinge_there_would),
        cmocka_unit_test(sides_of_a_cut_exert_opposite_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
