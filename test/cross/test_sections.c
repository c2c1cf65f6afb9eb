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
    // the same as a signal: to round-off what the modes take that swing, and near the closed form at all cuts
    for (int i = 0; i < 3; ++i) {
        static const char *const parts[2] = {"force.z", "moment.y"};
        for (int k = 0; k < 2; ++k) {
            char by_modes[96], swinging[96];
            snprintf(by_modes, sizeof by_modes, "section(beam/%s, by modes, in beam).%s",
                     places[i].name, parts[k]);
            snprintf(swinging, sizeof swinging, "section(beam/%s, in beam).%s", places[i].name,
                     parts[k]);
            const double value = lb_read_rig(&rig, 0.0, by_modes),
                         other = lb_read_rig(&still, 0.0, swinging);
            lb_expect_within(by_modes, &value, &other, 1, 60e-12);
        }
    }
    lb_expect_near("error of the force",
                   lb_read_rig(&rig, 0.0, "section(beam/root, by modes).force.z") + 60.0,
                   60.0 * (1.0 - force), 2e-3); // 8 % of 1e-4 and more
    lb_end_rig(&rig);
    lb_end_rig(&still);
}

// ---- a body in two pieces ------------------------------------------------------------------------

// Three masses in a row, of which a mode moves the first alone: what is beyond the cut is rigid, and can as well
// be a body of its own.
// What else a row has: keys of its hinge and of `flex`, and a field.
typedef struct row_options {
    const char *hinge, *flex, *field;
} row_options;

static void write_row(char *text, size_t size, bool split, const char *normal, row_options more)
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
        "  - {name: row, hinge: {type: free}, %s flex: {%s nodes: [{name: a, position: [0.5, 0, "
        "0], "
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
        "%s"
        "initial:\n"
        "  row: {angular_velocity: [0.5, -0.4, 0.8], velocity: [0.1, 0.2, 0.3], eta: [0.02], "
        "eta_rate: [0.3]}\n"
        "  arm: {angle: 0.6, rate: -1.1}\n",
        more.hinge, more.flex, far_side, split ? "" : normal, child, owner, owner, more.field);
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

// Every fidelity, without a field and in that of a planet: 1000 km away, so that it varies over the row by 1e-6, and what
// its gradient leaves out of the moment is 1e-12 of it.
static const char *const fidelities[] = {"", "fidelity: ruthless,", "fidelity: appendix-c,"};

#define PLANET "  - {name: planet, type: gravity-point, mu: 1.0e+13, position: [6.0e+5, 0, -8.0e+5]"

static const char *const fields[] = {"", PLANET "}\n", PLANET ", gradient: false}\n",
                                     PLANET ", j2: 0.1, radius: 5.0e+5, axis: [0, 1, 2]}\n"};

enum { FIDELITIES = 3, FIELDS = 4 };

// In a field, values differ by what its gradient leaves out. Cuts are differenced: C has the last digit of a force over a
// step of 1.5e-8.
static void expect_opposite_models(const lb_linear *a, const lb_linear *b, bool field)
{
    expect_opposite("values", a->output_values, b->output_values, 6, field ? 1e-11 : 1e-12);
    expect_opposite("C", a->C, b->C, 6 * a->state_count, field ? 1e-8 : 1e-9);
    expect_opposite("D", a->D, b->D, 12, field ? 1e-9 : 1e-10);
}

static void expect_same_load(row_options more)
{
    char whole[4096], split[4096];
    lb_loaded a, b;
    lb_linear *cut, *hinge;
    write_row(whole, sizeof whole, false, ", cuts: [b]", more);
    write_row(split, sizeof split, true, "", more);
    linearize(whole, "section(row/b, in ground)", &a, &cut);
    linearize(split, "reaction(rest, in ground)", &b, &hinge);
    assert_int_equal(cut->state_count, hinge->state_count);
    expect_opposite_models(cut, hinge, *more.field != 0);
    lb_destroy_linear(cut);
    lb_destroy_linear(hinge);
    lb_end_loaded(&a);
    lb_end_loaded(&b);
}

static void cut_carries_what_a_hinge_there_would(void **state)
{
    (void)state;
    // a field that is constant over each body is another one in two pieces
    for (int i = 0; i < 2 * FIDELITIES; ++i) {
        expect_same_load((row_options){"", fidelities[i / 2], fields[i % 2]});
    }
}

// The two sides of a cut, with the hinge on either of them: beyond the one are joint, b and c; beyond the other is a,
// with the origin.
typedef struct sides {
    lb_loaded loaded[2];
    lb_linear *one, *other;
} sides;

static sides begin_sides(row_options more, const char *how)
{
    static const char *const cuts[2] = {", cuts: [{at: joint, normal: [1, 0, 1e-3]}]",
                                        ", cuts: [{at: a, normal: [-1, 0, 0]}]"};
    static const char *const nodes[2] = {"joint", "a"};
    sides s;
    for (int i = 0; i < 2; ++i) {
        char text[4096], what[96];
        write_row(text, sizeof text, false, cuts[i], more);
        snprintf(what, sizeof what, "section(row/%s, in row, about row%s)", nodes[i], how);
        linearize(text, what, &s.loaded[i], i ? &s.other : &s.one);
    }
    return s;
}

static void end_sides(sides *s)
{
    lb_destroy_linear(s->one);
    lb_destroy_linear(s->other);
    lb_end_loaded(&s->loaded[0]);
    lb_end_loaded(&s->loaded[1]);
}

// Whichever of them the hinge is on, they exert opposite forces.
static void sides_of_a_cut_exert_opposite_forces(void **state)
{
    (void)state;
    static const char *const hinges[2] = {"", "by: c,"};
    for (int i = 0; i < 2 * FIDELITIES * FIELDS; ++i) {
        const row_options more = {hinges[i / (FIDELITIES * FIELDS)],
                                  fidelities[i / FIELDS % FIDELITIES], fields[i % FIELDS]};
        sides s = begin_sides(more, "");
        assert_true(lb_get_largest(6, s.one->output_values) > 1.0);
        expect_opposite_models(s.one, s.other, *more.field != 0);
        end_sides(&s);
    }
}

// Held fast, the far side hangs on the cut by the pull of the planet on each of its masses, of which one is isotropic and one
// a point. Without gradient all have the pull at the centre of mass of the row.
static void cut_carries_the_pull_of_a_planet(void **state)
{
    (void)state;
    static const double place[3][3] = {{0.5, 0, 0}, {1, 0, 0}, {1.5, 0, 0.2}};
    static const double mass[3] = {1.5, 2, 1}, planet[3] = {6e5, 0, -8e5}, mu = 1e13;
    for (int i = 0; i < 2 * FIDELITIES; ++i) {
        char text[2048];
        const bool gradient = i % 2 == 0;
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies:\n"
                 "  - {name: row, hinge: {type: fixed}, cuts: [b], flex: {%s nodes: [{name: a, "
                 "position: [0.5, 0, 0], mass: 1.5, shape: [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]}, "
                 "{name: b, position: [1, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.1, 0, 0, 0], "
                 "shape: [[0, 0, 0, 0, 0, 0]]}, {name: c, position: [1.5, 0, 0.2], mass: 1, shape: "
                 "[[0, 0, 0, 0, 0, 0]]}], stiffness: [[40]]}}\n"
                 "forces:\n%s",
                 fidelities[i / 2], fields[gradient ? 1 : 2]);
        lb_rig rig = lb_begin_rig(text, NULL);
        double tau[1], com[3] = {0}, force[3] = {0}, moment[3] = {0};
        lb_expect_ok(lb_evaluate_rig(&rig, 0.0));
        lb_expect_ok(lb_compute_inverse_dynamics(rig.model, rig.work, rig.q, rig.v, rig.a, tau));
        for (int m = 0; m < 3; ++m) {
            lb_add_vector(3, mass[m] / 4.5, place[m], com);
        }
        for (int m = 1; m < 3; ++m) {
            double to[3], arm[3], pull[3] = {0};
            for (int k = 0; k < 3; ++k) {
                to[k] = planet[k] - (gradient ? place[m][k] : com[k]);
                arm[k] = place[m][k] - place[1][k];
            }
            lb_add_vector(3, mu * mass[m] / pow(lb_multiply_vectors(3, to, to), 1.5), to, pull);
            lb_add_vector(3, 1.0, pull, force);
            for (int k = 0; k < 3; ++k) {
                const int x = (k + 1) % 3, y = (k + 2) % 3;
                moment[k] += arm[x] * pull[y] - arm[y] * pull[x];
            }
        }
        for (int k = 0; k < 6; ++k) {
            char name[96];
            snprintf(name, sizeof name, "section(row/b, in ground).%s", components[k]);
            const double value = lb_read_rig(&rig, 0.0, name);
            // 1e-12 of 30 N; the gradient makes 1e-6 of it
            lb_expect_within(name, &value, k < 3 ? &moment[k] : &force[k - 3], 1, 30e-12);
        }
        lb_end_rig(&rig);
    }
}

// By mode displacement too. What bends the mode acts at a, and goes through the cut only if the hinge is on the other
// side. It depends on the mode alone, and is proportional to it to first order.
static void mode_displacement_goes_through_the_cut_to_the_hinge(void **state)
{
    (void)state;
    sides s = begin_sides((row_options){"", "", ""}, ", by modes");
    expect_opposite_models(s.one, s.other, false);
    assert_true(lb_get_largest(6, s.one->output_values) < 1e-12);
    end_sides(&s);
    s = begin_sides((row_options){"by: c,", "", ""}, ", by modes");
    expect_opposite_models(s.one, s.other, false);
    const double size = lb_get_largest(6, s.one->output_values);
    assert_true(size > 0.1);
    assert_true(lb_get_largest(6 * s.one->state_count, s.one->C) > 1.0);
    for (int i = 0; i < 6 * s.one->state_count; ++i) {
        const double value = s.one->output_values[i / s.one->state_count];
        assert_true(fabs(s.one->C[i]) < 1e-9 || fabs(0.02 * s.one->C[i] - value) < 0.05 * size);
    }
    assert_true(lb_get_largest(12, s.one->D) == 0.0);
    end_sides(&s);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever_carries_its_weight_and_a_force_at_its_tip),
        cmocka_unit_test(spinning_beam_is_in_tension),
        cmocka_unit_test(mode_displacement_misses_what_the_modes_do),
        cmocka_unit_test(cut_carries_what_a_hinge_there_would),
        cmocka_unit_test(sides_of_a_cut_exert_opposite_forces),
        cmocka_unit_test(mode_displacement_goes_through_the_cut_to_the_hinge),
        cmocka_unit_test(cut_carries_the_pull_of_a_planet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
