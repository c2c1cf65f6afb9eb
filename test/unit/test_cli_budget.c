// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber loads --budget: what the reaction of a hinge consists of, where that is known; and loads that are computed from
// recorded states.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "check.h"
#include "swing.h"

enum { PARTS = 4 };

static const char *const parts[PARTS] = {"gravity", "inertia", "deformation", "drive"};
static const char *const names[6] = {"force.x",  "force.y",  "force.z",
                                     "moment.x", "moment.y", "moment.z"};

#define ask_budget(...) lb_ask("loads", __VA_ARGS__, "--json")

// "max", "min", "mean" or "rms" of a component over all runs.
static const json_t *find(const json_t *answer, int component, const char *number)
{
    const json_t *signal = json_array_get(json_object_get(answer, "signals"), (size_t)component);
    const char *name = json_string_value(json_object_get(signal, "signal"));
    assert_non_null(strstr(name, names[component]));
    return json_object_get(json_object_get(signal, "envelope"), number);
}

static double get_part(const json_t *answer, int component, const char *number, int part)
{
    return lb_get_answer(json_object_get(find(answer, component, number), "parts"), parts[part]);
}

// The largest number of an answer: what round-off is measured by.
static double get_size(const json_t *answer, int first)
{
    double size = 0.0;
    for (int i = first; i < first + 3; ++i) {
        for (int k = 0; k < PARTS; ++k) {
            size = fmax(size, get_part(answer, i, "rms", k));
        }
    }
    return size;
}

// Parts add up at the extremes and in the mean: to some units of round-off of the largest.
static void expect_sums(const json_t *answer)
{
    static const char *const numbers[3] = {"max", "min", "mean"};
    for (int i = 0; i < 6; ++i) {
        for (int n = 0; n < 3; ++n) {
            double sum = 0.0, size = 1e-300;
            for (int k = 0; k < PARTS; ++k) {
                sum += get_part(answer, i, numbers[n], k);
                size = fmax(size, fabs(get_part(answer, i, numbers[n], k)));
            }
            const double whole = lb_get_answer(find(answer, i, numbers[n]), "value");
            lb_expect_within(names[i], &sum, &whole, 1, 1e-14 * size);
        }
    }
}

// All numbers of a part, `right` given for force and moment.
static void expect_constant(const json_t *answer, int part, const double right[6], double tolerance)
{
    static const char *const numbers[3] = {"max", "min", "mean"};
    for (int i = 0; i < 6; ++i) {
        const double bound = tolerance * get_size(answer, i / 3 * 3);
        for (int n = 0; n < 3; ++n) {
            const double value = get_part(answer, i, numbers[n], part);
            lb_expect_within(parts[part], &value, &right[i], 1, bound);
        }
        const double rms = get_part(answer, i, "rms", part), size = fabs(right[i]);
        lb_expect_within("rms", &rms, &size, 1, bound);
    }
}

static const double nothing[6];

// ---- rigid bodies --------------------------------------------------------------------------------

static void what_stands_still_is_all_gravity(void **state)
{
    (void)state;
    const char *run = lb_record_run(
        "still.yaml",
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: plate, hinge: {type: fixed}, mass: 2, com: [0.1, 0, 0], nodes: {edge: "
        "{position: [0.5, 0, 0.2]}}}\n"
        "  - {name: arm, parent: plate, at: edge, hinge: {type: fixed}, mass: 3, com: "
        "[0.3, 0.1, 0]}\n"
        "  - {name: other, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [1, 0, "
        "0]}\n"
        "run: {duration: 0.5, interval: 0.1}\n");
    json_t *answer = ask_budget(run, "--budget", "plate");
    // r x (0, 0, m g), summed by hand
    const double g = 9.81,
                 right[6] = {0, 0, 5.0 * g, 0.1 * 3.0 * g, -(0.1 * 2.0 + 0.8 * 3.0) * g, 0};
    expect_sums(answer);
    expect_constant(answer, 0, right, 1e-13);
    for (int k = 1; k < PARTS; ++k) {
        expect_constant(answer, k, nothing, 1e-13);
    }
    json_decref(answer);
}

static void what_spins_is_all_inertia(void **state)
{
    (void)state;
    const char *run = lb_record_run(
        "spinning.yaml",
        "limber: 1\n"
        "bodies: [{name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2, com: "
        "[0.4, 0, 0.1], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"
        "initial: {arm: {rate: 3}}\n"
        "run: {duration: 0.5, interval: 0.1}\n");
    json_t *answer = ask_budget(run, "--budget", "arm", "--factor", "2");
    // m w^2 r towards the axis, at a height of 0.1 m; twice, by the factor
    const double f = -2.0 * 2.0 * 9.0 * 0.4, right[6] = {f, 0, 0, 0, 0.1 * f, 0};
    expect_sums(answer);
    expect_constant(answer, 1, right, 1e-12);
    expect_constant(answer, 0, nothing, 1e-13);
    expect_constant(answer, 2, nothing, 1e-13);
    expect_constant(answer, 3, nothing, 1e-13);
    json_decref(answer);
}

// ---- a mode --------------------------------------------------------------------------------------

// A mass that a mode moves along (1, 0, 1) from x = L, on an arm that turns at w about z, in gravity along -z:
//
//     F / m = (-w^2 (L + e), 0, 0) inertia + (e_ddot, 2 w e_dot, e_ddot) deformation + (0, 0, g) gravity
//
// and moments (L + e, 0, e) x F. In metres and in micrometres.
typedef struct scale {
    double L, m, T; // m, kg, s
} scale;

static void write_turning(const scale *s, const char *more, char *text, size_t size)
{
    const double g = 10.0 * s->L / (s->T * s->T), k = 2.0 * 100.0 * s->m / (s->T * s->T);
    snprintf(text, size,
             "limber: 1\n"
             "gravity: [0, 0, %.17g]\n"
             "bodies:\n"
             "  - {name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, flex: {nodes: [{name: tip, "
             "position: [%.17g, 0, 0], mass: %.17g, shape: [[0, 0, 0, 1, 0, 1]], second_order: "
             "[[0, 0, [0, 0, 0]]]}], stiffness: "
             "[[%.17g]]}}\n"
             "forces:\n"
             "  - {name: turn, type: motion, hinge: arm, speed: %.17g}\n"
             "%s"
             "initial: {arm: {rate: %.17g, eta_rate: [%.17g]}}\n"
             "run: {duration: %.17g, interval: %.17g, integrator: {type: erk, tolerance: 1e-10}}\n",
             -g, s->L, s->m, k, 3.0 / s->T, more, 3.0 / s->T, 0.5 * s->L / s->T, s->T, 0.01 * s->T);
}

static void modes_take_what_their_motion_says(void **state)
{
    (void)state;
    static const scale scales[2] = {{2.0, 1.5, 1.0}, {3e-6, 2e-15, 1e-5}};
    for (int i = 0; i < 2; ++i) {
        const scale *s = &scales[i];
        const double w = 3.0 / s->T, g = 10.0 * s->L / (s->T * s->T);
        char text[2000];
        write_turning(s, "", text, sizeof text);
        const char *run = lb_record_run("turning.yaml", text);
        json_t *answer = ask_budget(run, "--budget", "arm");
        json_t *motion =
            lb_ask("loads", run, "--json", "--signal",
                   "reaction(arm).force.x,reaction(arm).force.y,reaction(arm).force.z,"
                   "reaction(arm).moment.x,reaction(arm).moment.y,reaction(arm).moment.z",
                   "--with", "arm.eta.0,arm.eta_rate.0,arm.eta_acceleration.0");
        expect_sums(answer);
        for (int c = 0; c < 12; ++c) {
            const char *number = c < 6 ? "max" : "min";
            const json_t *at = json_object_get(find(motion, c % 6, number), "companions");
            const double e = lb_get_answer(at, "arm.eta.0"),
                         v = lb_get_answer(at, "arm.eta_rate.0"),
                         a = lb_get_answer(at, "arm.eta_acceleration.0"), x = s->L + e;
            const double F[3][3] = {{0, 0, s->m * g},
                                    {-s->m * w * w * x, 0, 0},
                                    {s->m * a, 2 * s->m * w * v, s->m * a}};
            for (int k = 0; k < 3; ++k) {
                const double *f = F[k],
                             right[6] = {f[0],    f[1], f[2], -e * f[1], e * f[0] - x * f[2],
                                         x * f[1]};
                const double value = get_part(answer, c % 6, number, k);
                // the motion is the recorded one: round-off
                lb_expect_within(parts[k], &value, &right[c % 6], 1,
                                 1e-12 * get_size(answer, c % 6 / 3 * 3));
            }
        }
        assert_true(get_part(answer, 1, "rms", 2) > 0.01 * get_size(answer, 0));
        expect_constant(answer, 3, nothing, 1e-12);
        json_decref(motion);
        json_decref(answer);
    }
}

// ---- what acts -----------------------------------------------------------------------------------

static void drive_is_what_acts_beyond_the_hinge_while_it_is_switched_on(void **state)
{
    (void)state;
    static const scale s = {2.0, 1.5, 1.0};
    static const char push[] =
        "  - {name: push, type: force, at: {body: arm, node: tip}, axes: body, value: [1, 2, 3], "
        "enabled: false}\n"
        "events: [{name: now, when: t, crosses: 0.5, then: {enable: push}}]\n"
        "outputs: [%s]\n";
    const char *runs[2];
    char more[400], text[2000];
    for (int i = 0; i < 2; ++i) {
        snprintf(more, sizeof more, push, i ? "reactions" : "arm.angle");
        write_turning(&s, more, text, sizeof text);
        runs[i] = lb_record_run(i ? "recorded.yaml" : "computed.yaml", text);
    }
    json_t *answers[2];
    for (int i = 0; i < 2; ++i) {
        json_t *before = ask_budget(runs[i], "--budget", "arm", "--to", "0.49");
        expect_constant(before, 3, nothing, 1e-12);
        json_decref(before);
        answers[i] = ask_budget(runs[i], "--budget", "arm", "--from", "0.51");
        expect_sums(answers[i]);
        for (int k = 0; k < 3; ++k) {
            const double value = get_part(answers[i], k, "mean", 3), right = -(k + 1.0);
            lb_expect_within("drive", &value, &right, 1, 1e-12 * get_size(answers[i], 0));
        }
    }
    // reactions that are recorded and those that are computed afterwards
    for (int c = 0; c < 6; ++c) {
        const double a = lb_get_answer(find(answers[0], c, "max"), "value"),
                     b = lb_get_answer(find(answers[1], c, "max"), "value");
        lb_expect_within(names[c], &a, &b, 1, 1e-12 * get_size(answers[1], c / 3 * 3));
    }
    // signals likewise, and expressions of them
    double rms[2];
    for (int i = 0; i < 2; ++i) {
        json_t *answer = lb_ask("loads", runs[i], "--json", "--signal",
                                "2*arm.eta.0 - reaction(arm, in ground).force.z");
        const json_t *signal = json_array_get(json_object_get(answer, "signals"), 0);
        rms[i] =
            lb_get_answer(json_object_get(json_object_get(signal, "envelope"), "rms"), "value");
        assert_string_equal(json_string_value(json_object_get(signal, "unit")), "");
        json_decref(answer);
        json_decref(answers[i]);
    }
    lb_expect_near("expression", rms[0], rms[1], 1e-12);
}

static void loops_are_part_of_the_drive(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: bar, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, com: [0.5, 0, 0], "
        "inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
        "  - {name: swing, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [1, 0, 0]}\n"
        "ground: {nodes: {hook: {position: [1, 0, 2]}}}\n"
        "loops: [{name: stay, type: rod, length: 2, a: {body: ground, node: hook}, b: {body: bar, "
        "node: tip}}]\n"
        "run: {duration: 0.2, interval: 0.1}\n"
        "outputs: [%s]\n";
    const char *runs[2];
    char model[1200];
    for (int i = 0; i < 2; ++i) {
        snprintf(model, sizeof model, text, i ? "reactions" : "bar.angle");
        runs[i] = lb_record_run(i ? "held.yaml" : "unknown.yaml", model);
    }
    json_t *answer = ask_budget(runs[1], "--budget", "bar");
    const double g = 9.81, weight[6] = {0, 0, 2.0 * g, 0, -g, 0}, stay[6] = {0, 0, -g, 0, g, 0};
    expect_sums(answer);
    expect_constant(answer, 0, weight, 1e-9); // the loop is closed to the tolerance of a run
    expect_constant(answer, 3, stay, 1e-9);
    json_decref(answer);
    lb_cli_run refused = lb_run(NULL, "loads", runs[0], "--budget", "bar");
    assert_int_equal(refused.status, 2);
    assert_non_null(strstr(refused.err, "with loops a budget needs recorded reactions: list "
                                        "`reactions` under `outputs` and run again"));
    lb_end_run(&refused);
}

// In orbit the weight of a panel is the force of its acceleration, and the hinge carries a millionth of it.
static void in_orbit_inertia_balances_gravity(void **state)
{
    (void)state;
    const char *run = lb_record_run(
        "orbit.yaml",
        "limber: 1\n"
        "bodies:\n"
        "  - {name: hub, hinge: {type: free}, mass: 100, inertia: [10, 60, 65, 0, 0, 0]}\n"
        "  - {name: panel, parent: hub, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 7, "
        "com: [3, 0, 0], inertia: [1, 5, 6, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: earth, type: gravity-point, mu: 3.986004418e14}\n"
        "  - {name: latch, type: spring, hinge: panel, stiffness: 1}\n"
        "initial: {hub: {position: [7000000, 0, 0], velocity: [0, 7546, 0], "
        "angular_velocity: [0, 0, 0.01]}}\n"
        "run: {duration: 20, interval: 1}\n");
    json_t *answer = ask_budget(run, "--budget", "panel");
    double square[3] = {0, 0, 0};
    expect_sums(answer);
    for (int i = 0; i < 3; ++i) {
        const double rms = lb_get_answer(find(answer, i, "rms"), "value");
        square[0] += pow(get_part(answer, i, "rms", 0), 2.0);
        square[1] += pow(get_part(answer, i, "rms", 1), 2.0);
        square[2] += rms * rms;
    }
    // 1e-5: the place of the panel, some metres off
    lb_expect_near("gravity", sqrt(square[0]), 7.0 * 3.986004418e14 / 49e12, 1e-5);
    lb_expect_near("inertia", sqrt(square[1]), sqrt(square[0]), 1e-3);
    // what is left turns the panel with the hub: m w^2 r over both masses, and the gradient
    assert_true(sqrt(square[2]) < 7.0 * 1e-4 * 4.0 && sqrt(square[2]) > 1e-3);
    expect_constant(answer, 2, nothing, 1e-13);
    expect_constant(answer, 3, nothing, 1e-13);
    json_decref(answer);
}

// ---- mode displacement -----------------------------------------------------------------------------

// A cantilever of 60 N with five modes, at rest under its weight. By mode displacement the shear force at its root is
// the sum of 4 s_r^2 / b_r^2 of the weight, with cosh b cos b = -1 and s = (sinh b - sin b) / (cosh b + cos b).
static void error_of_mode_displacement_is_reported(void **state)
{
    (void)state;
    static const double b[5] = {1.8751040687119611, 4.6940911329741746, 7.8547574382376126,
                                10.995540734875467, 14.137168391046471};
    double share = 0.0;
    for (int r = 0; r < 5; ++r) {
        share += 4.0 * pow((sinh(b[r]) - sin(b[r])) / (cosh(b[r]) + cos(b[r])) / b[r], 2.0);
    }
    const char *model = lb_write_file(
        "cantilever.yaml",
        "limber: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  - {name: beam, hinge: {type: fixed}, cuts: [root], beam: {length: 2, section: {type: "
        "general, A: 1e-3, Iy: 1e-6, Iz: 2e-6, J: 3e-6}, material: {E: 2e14, G: 8e13, rho: 3000}, "
        "rotary: false, modes: {count: 5, fixed: [root], motions: [z]}}}\n"
        "run: {duration: 1e-5, interval: 1e-6}\n");
    char run[600];
    snprintf(run, sizeof run, "%s.h5", model);
    lb_cli_run recorded = lb_run(NULL, "run", model, "--trim", "--quiet", "-o", run);
    assert_int_equal(recorded.status, 0);
    lb_end_run(&recorded);
    json_t *answer = lb_ask("loads", run, "--json", "--signal",
                            "section(beam/root).force.z,section(beam/root).force.z - "
                            "section(beam/root, by modes).force.z");
    double mean[2];
    for (size_t i = 0; i < 2; ++i) {
        const json_t *signal = json_array_get(json_object_get(answer, "signals"), i);
        mean[i] =
            lb_get_answer(json_object_get(json_object_get(signal, "envelope"), "mean"), "value");
    }
    lb_expect_near("force", mean[0], -60.0, 1e-9);
    lb_expect_near("error", mean[1], -60.0 * (1.0 - share), 2e-3); // finite elements of the modes
    json_decref(answer);
    remove(run);
}

// ---- what is refused -----------------------------------------------------------------------------

// Gives the table `a` of a file, with its columns and checksums, another name: what limber does not know it does not
// look at. Names are in heaps of groups, padded to eight bytes.
static void hide_accelerations(const char *path)
{
    static const char name[8] = "a";
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    char bytes[8];
    int found = 0;
    for (long at = 0; fseek(file, at, SEEK_SET) == 0 && fread(bytes, 1, 8, file) == 8; at += 8) {
        if (memcmp(bytes, name, 8) == 0) {
            fseek(file, at, SEEK_SET);
            fputc('_', file); // sorts as the old name does
            ++found;
        }
    }
    assert_int_equal(fclose(file), 0);
    assert_true(found >= 1);
}

static void without_accelerations_nothing_is_taken_for_zero(void **state)
{
    (void)state;
    static const scale s = {2.0, 1.5, 1.0};
    char text[2000];
    write_turning(&s, "", text, sizeof text);
    const char *run = lb_record_run("blind.yaml", text);
    hide_accelerations(run);
    const lb_cli_case cases[] = {
        {{"loads", "RUN", "--signal", "arm/tip.acceleration.z"},
         2,
         "",
         "'arm/tip.acceleration.z' depends on accelerations, of which this file has no table"},
        {{"loads", "RUN", "--signal", "arm.eta_acceleration.0 + 1"}, 2, "", "has no table"},
        {{"loads", "RUN", "--budget", "arm"}, 2, "", "a budget needs accelerations"},
        {{"loads", "RUN", "--signal", "arm/tip.velocity.z", "--csv"}, 0, "arm/tip.velocity.z", ""},
    };
    const char *const paths[] = {"RUN", run, NULL};
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases), paths);
}

static void wrong_questions_are_refused(void **state)
{
    (void)state;
    static const scale s = {2.0, 1.5, 1.0};
    char text[2000];
    write_turning(&s, "", text, sizeof text);
    const char *run = lb_record_run("asked.yaml", text);
    const lb_cli_case cases[] = {
        {{"loads", "RUN", "--budget", "leg"}, 2, "", "there is no body 'leg' with a hinge"},
        {{"loads", "RUN", "--budget", "ground"}, 2, "", "there is no body 'ground' with a hinge"},
        {{"loads", "RUN", "--budget", "arm", "--psd"}, 2, "", "--budget or --psd, not both"},
        {{"loads", "RUN", "--budget", "arm", "--with", "all"}, 2, "", "--budget or --with"},
        {{"loads", "RUN", "--budget", "arm", "-o", "x.svg"}, 2, "", "a budget is a table"},
        {{"loads", "RUN", "--budget", "arm"}, 0, "deformation         drive\n", ""},
        {{"loads", "RUN", "--budget", "arm", "--csv"},
         0,
         "gravity,inertia,deformation,drive\n",
         ""},
        {{"loads", "RUN", "--signal", "2*arm.angel"}, 2, "", "unknown quantity \"angel\""},
        {{"loads", "RUN", "--signal", "arm.angle +"}, 2, "", "no signal 'arm.angle +'"},
        {{"loads", "RUN", "--signal", "cosine(arm.angle)"}, 2, "", "unknown function \"cosine\""},
        {{"plot", "RUN", "sin(arm.angle) + 1"}, 0, "sin(arm.angle) + 1", ""},
    };
    const char *const paths[] = {"RUN", run, NULL};
#ifdef LB_WITH_VIEW
    const int spared = 0;
#else
    const int spared = 1; // plot
#endif
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases) - spared, paths);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_still_is_all_gravity),
        cmocka_unit_test(what_spins_is_all_inertia),
        cmocka_unit_test(modes_take_what_their_motion_says),
        cmocka_unit_test(drive_is_what_acts_beyond_the_hinge_while_it_is_switched_on),
        cmocka_unit_test(loops_are_part_of_the_drive),
        cmocka_unit_test(in_orbit_inertia_balances_gravity),
        cmocka_unit_test(error_of_mode_displacement_is_reported),
        cmocka_unit_test(without_accelerations_nothing_is_taken_for_zero),
        cmocka_unit_test(wrong_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
