// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Verdicts of runs: models that go wrong, each in its way, and the same models without the fault.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "run_cli.h"

// ---- support -------------------------------------------------------------------------------------

// Runs a text, and looks for words in its verdict; with `--strict` what is not right ends it.
static void expect_verdict(const char *name, const char *text, const char *words, bool is_fault)
{
    char file[64], result[64], verdict[256];
    snprintf(file, sizeof file, "%s.yaml", name);
    snprintf(result, sizeof result, "%s.h5", name);
    const char *model = lb_write_file(file, text);
    lb_cli_run run = lb_run(NULL, "run", model, "-o", lb_write_file(result, ""), "--strict");
    const char *at = strstr(run.out, "verdict           ");
    snprintf(verdict, sizeof verdict, "%s", at ? at + 18 : run.err);
    verdict[strcspn(verdict, "\n")] = 0;
    print_message("%s: %s\n", name, verdict);
    if (!strstr(verdict, words)) {
        fail_msg("%s: expected '%s', found '%s'", name, words, verdict);
    }
    assert_int_equal(run.status, is_fault);
    lb_end_run(&run);
}

static void expect_fault(const char *name, const char *text, const char *words)
{
    expect_verdict(name, text, words, true);
}

static void expect_kept(const char *name, const char *text)
{
    expect_verdict(name, text, "kept: nothing is off", false);
}

// ---- models --------------------------------------------------------------------------------------

#define ROD                                                                                        \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: [{name: rod, hinge: {type: fixed}, beam: {length: 1, section: {type: tube, "          \
    "diameter: "                                                                                   \
    "0.004}, material: steel, modes: 6, masses: [{at: tip, mass: %s}], damping: 0.05}}]\n"         \
    "run: {duration: 1, integrator: {type: bdf, tolerance: 1.0e-6, order: 2}}\n"

#define OSCILLATOR                                                                                 \
    "limber: 1\n"                                                                                  \
    "bodies: [{name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"                    \
    "forces: [{name: k, type: spring, hinge: a, stiffness: 100}]\n"                                \
    "initial: {a: {distance: 1}}\n"                                                                \
    "run: {duration: 20, interval: 0.05, integrator: %s}\n"

// A sampled loop that delays a spring without damping: unstable at a slow rate, or where its gain is too high.
#define SAMPLED                                                                                    \
    "limber: 1\n"                                                                                  \
    "bodies: [{name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, " \
    "0, 0]}]\n"                                                                                    \
    "forces: [{name: m, type: actuator, hinge: a}]\n"                                              \
    "controllers: [{name: c, rate: %s, actuators: [{actuator: m, desired: %s}], law: {type: pid, " \
    "kp: 4, kd: %s}}]\n"                                                                           \
    "initial: {a: {angle: 0.01}}\n"                                                                \
    "run: {duration: 40, interval: 0.02}\n"

// Bodies whose inertia follows from no energy, floating, and held.
#define FLOATING                                                                                   \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: hub, hinge: {type: %s}, mass: 5, inertia: [1, 2, 1.5, 0, 0, 0]}\n"                 \
    "  - {name: arm, parent: hub, hinge: {type: fixed}, beam: {fidelity: %s, length: 2, section: " \
    "{type: tube, diameter: 0.03, wall: 0.002}, material: aluminium, modes: {count: 2, motions: "  \
    "[z]}}}\n"                                                                                     \
    "initial: {arm: {eta: [0.001, 0]}}\n"                                                          \
    "run: {duration: 2, interval: 0.01, integrator: {type: erk, order: 8, tolerance: 1.0e-10}}\n"

static void put(char *text, size_t size, const char *form, const char *a, const char *b,
                const char *c)
{
    // NOLINTNEXTLINE: every form above takes as many words as it needs
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
    snprintf(text, size, form, a, b, c);
#pragma GCC diagnostic pop
}

// ---- tests ---------------------------------------------------------------------------------------

static void a_body_beyond_its_modes_is_not_valid(void **state)
{
    (void)state;
    char text[2048];
    put(text, sizeof text, ROD, "0.5", "", "");
    expect_fault("bent", text, "not valid: a body is deformed far beyond");
    put(text, sizeof text, ROD, "0.002", "", "");
    expect_kept("straight", text);
}

static void lost_and_gained_energy_is_told(void **state)
{
    (void)state;
    char text[2048];
    // a step of a sixth of a period loses two thirds of the energy, at least
    put(text, sizeof text, OSCILLATOR, "{type: rk4, step: 0.1}", "", "");
    expect_fault("long_steps", text, "energy is off");
    put(text, sizeof text, OSCILLATOR, "{type: adams, tolerance: 0.05}", "", "");
    expect_fault("loose", text, "energy is off");
    put(text, sizeof text, OSCILLATOR, "{type: alpha, step: 0.05}", "", "");
    expect_fault("damped_by_the_method", text, "energy is off");
    put(text, sizeof text, OSCILLATOR, "{absolute: 1.0e-2}", "", "");
    expect_fault("absolute", text, "energy is off");
    static const char *const good[] = {"adams", "bdf", "erk", "{type: erk, order: 8}",
                                       "{type: rk4, step: 0.001}"};
    for (int i = 0; i < 5; ++i) {
        put(text, sizeof text, OSCILLATOR, good[i], "", "");
        expect_kept("oscillator", text);
    }
}

// Books that are right in the end and wrong on the way: energy that goes to and fro with long steps.
static void books_are_looked_at_in_every_row(void **state)
{
    (void)state;
    lb_audit audit = {.size = sizeof audit,
                      .energy_error = 0.0,
                      .energy_bound = 1e-6,
                      .linear_bound = (double)NAN,
                      .angular_bound = (double)NAN,
                      .work_error = 1e-3};
    assert_int_equal(lb_judge_audit(&audit), LB_VERDICT_WORK);
    char text[2048];
    put(text, sizeof text, OSCILLATOR, "{type: euler, step: 0.01}", "", "");
    // symplectic: the error comes and goes with the motion, 5 % of the energy
    lb_course course = lb_begin_course(text);
    const lb_run_request request = lb_default_run_request();
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    lb_end_course(&course);
    assert_true(audit.work_error > 0.02 * audit.motion_energy);
    assert_int_not_equal(lb_judge_audit(&audit), LB_VERDICT_KEPT);
}

static void a_sampled_loop_that_grows_is_not_stable(void **state)
{
    (void)state;
    char text[2048];
    // kp h / 2 = 0.1 of negative damping, less kd
    put(text, sizeof text, SAMPLED, "20", "0", "0");
    expect_fault("undamped_loop", text, "not stable: under sampled controllers");
    put(text, sizeof text, SAMPLED, "20", "0", "2");
    expect_kept("damped_loop", text);
    // commands that grow are not a fault: a ramp, and a parabola
    put(text, sizeof text, SAMPLED, "20", "0.1*t", "2");
    expect_kept("ramp", text);
    put(text, sizeof text, SAMPLED, "20", "0.01*t^2", "2");
    expect_kept("parabola", text);
    // nor are those that grow as exponentials, or towards an instant; what grows faster is
    put(text, sizeof text, SAMPLED, "20", "0.01*exp(0.3*t)", "2");
    expect_kept("exponential", text);
    put(text, sizeof text, SAMPLED, "20", "0.1/(41 - t)", "2");
    expect_kept("hyperbola", text);
    put(text, sizeof text, SAMPLED, "20", "1e-6*exp(0.01*t)", "0");
    expect_fault("undamped_loop_beside_growth", text, "not stable: under sampled controllers");
}

// A force, and a driven hinge, that grow beside a loop that is stable; and one that is not, beside a force that does not grow.
static void forces_that_grow_are_followed(void **state)
{
    (void)state;
    static const char form[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, 0, "
        "0]}\n"
        "  - {name: b, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, 0, "
        "0]}\n"
        "forces: [{name: m, type: actuator, hinge: a}, {name: push, hinge: b, %s}]\n"
        "controllers: [{name: c, rate: 20, actuators: [{actuator: m, desired: 0}], law: {type: "
        "pid, "
        "kp: 4, kd: %s}}]\n"
        "initial: {a: {angle: 0.01}}\n"
        "run: {duration: 40, interval: 0.02}\n";
    char text[2048];
    put(text, sizeof text, form, "type: motor, value: \"0.01*exp(0.3*t)\"", "2", "");
    expect_kept("growing_force", text);
    put(text, sizeof text, form, "type: motion, position: \"0.01*exp(0.3*t)\"", "2", "");
    expect_kept("growing_motion", text);
    put(text, sizeof text, form, "type: motor, value: \"1e-6*sin(t)\"", "0", "");
    expect_fault("loop_beside_a_force", text, "not stable: under sampled controllers");
}

static void the_rate_of_growth_is_that_of_the_pole(void **state)
{
    (void)state;
    // sampled above the frequency of its mode: +0.01805 1/s by the sampled model
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 0.5, 0, "
        "0, 0]}\n"
        "  - {name: b, parent: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, "
        "1, 0.05, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: k, type: spring, hinge: b, stiffness: 1615.0261747237128}\n"
        "  - {name: c, type: damper, hinge: b, damping: 0.002}\n"
        "  - {name: m, type: actuator, hinge: a}\n"
        "controllers: [{name: ctl, rate: %d, actuators: [{actuator: m, desired: 0}], law: {type: "
        "pid, kp: 20, kd: 4}}]\n"
        "initial: {a: {angle: 0.01}}\n"
        "run: {duration: 60, interval: 0.05, integrator: {type: erk, order: 8}}\n";
    for (int i = 0; i < 2; ++i) {
        char own[2048];
        snprintf(own, sizeof own, text, i ? 22 : 55);
        lb_course course = lb_begin_course(own);
        const lb_run_request request = lb_default_run_request();
        lb_audit audit = {.size = sizeof audit};
        lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
        lb_end_course(&course);
        // 1e-2: rows meet the largest energy of a vibration only nearly
        lb_expect_near("growth", audit.growth, i ? 0.0 : 0.01805, 1e-2);
        assert_int_equal(lb_judge_audit(&audit), i ? LB_VERDICT_KEPT : LB_VERDICT_GROWTH);
    }
}

// A spring that is switched takes what it stores with it, and brings it back: no fault of the books. Nor is a run in two
// parts.
static void switched_forces_and_resumed_runs_are_kept(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies: [{name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
        "forces:\n"
        "  - {name: k, type: spring, hinge: a, stiffness: 100}\n"
        "  - {name: l, type: spring, hinge: a, stiffness: 60}\n"
        "initial: {a: {distance: 1}}\n"
        "events:\n"
        "  - {name: off, when: t, crosses: 3.05, then: {disable: l}}\n"
        "  - {name: on, when: a.distance, crosses: 0.3, once: true, then: {disable: k}}\n"
        "  - {name: again, when: t, crosses: 6.01, then: [{enable: l}, {enable: k}]}\n"
        "run: {duration: 10, interval: 0.05}\n";
    expect_kept("switched", text);
    const char *model = lb_write_file("parts.yaml", text), *output = lb_write_file("parts.h5", "");
    lb_cli_run run = lb_run(NULL, "run", model, "-o", output, "--duration", "4", "--strict");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    run = lb_run(NULL, "run", model, "-o", output, "--resume", "--strict");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "verdict           kept"));
    lb_end_run(&run);
}

// Energy of a double pendulum is balanced to a part in a million while its motion has become another one.
static void rows_are_compared_with_a_finer_run_if_asked(void **state)
{
    (void)state;
    static const char chaos[] = "limber: 1\n"
                                "gravity: [0, 0, -9.81]\n"
                                "bodies:\n"
                                "  - {name: a, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, "
                                "com: [1, 0, 0], nodes: {n: "
                                "{position: [1, 0, 0]}}}\n"
                                "  - {name: b, parent: a, at: n, hinge: {type: revolute, axis: [0, "
                                "1, 0]}, mass: 1, com: [1, "
                                "0, 0]}\n"
                                "initial: {a: {angle: -1.5}, b: {angle: 0.3}}\n"
                                "run: {duration: 40, interval: 0.05, integrator: {type: erk, "
                                "order: 8, tolerance: 1.0e-7}}\n";
    char text[2048];
    const char *output = lb_write_file("rows.h5", "");
    const char *model = lb_write_file("chaos.yaml", chaos);
    lb_cli_run run = lb_run(NULL, "run", model, "-o", output, "--check-rows");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "verdict           kept"));
    assert_non_null(strstr(run.err, "of the motion with half the tolerance"));
    lb_end_run(&run);
    run = lb_run(NULL, "run", model, "-o", output, "--check-rows", "--strict", "--quiet");
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
    put(text, sizeof text, OSCILLATOR, "{type: erk, order: 8}", "", "");
    model = lb_write_file("fine_rows.yaml", text);
    run = lb_run(NULL, "run", model, "-o", output, "--check-rows", "--strict");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    const char *at = strstr(run.out, "rows              change by up to ");
    assert_non_null(at);
    // 40 rad of phase by steps of 1e-8
    lb_expect_below("change", atof(at + 34), 1e-6);
    lb_end_run(&run);
    run = lb_run(NULL, "run", model, "-o", output, "--check-rows", "--json");
    assert_non_null(strstr(run.out, "\"row_check\": {"));
    lb_end_run(&run);
    // half the step of a method of order 4: 15 parts of 16
    put(text, sizeof text, OSCILLATOR, "{type: rk4, step: 0.01}", "", "");
    run = lb_run(NULL, "run", lb_write_file("steps.yaml", text), "-o", output, "--check-rows");
    at = strstr(run.out, "rows              change by up to ");
    assert_non_null(at);
    // h^4 w^5 t / 120 = 1.7e-4, less a sixteenth
    lb_expect_near("change", atof(at + 34), 1.56e-4, 0.1);
    lb_end_run(&run);
}

static void what_is_not_judged_is_not_called_kept(void **state)
{
    (void)state;
    char text[2048];
    put(text, sizeof text, FLOATING, "free", "ruthless", "");
    expect_verdict("floating_ruthless", text, "none: the model is not expected", false);
    put(text, sizeof text, FLOATING, "free", "consistent", "");
    expect_kept("floating_consistent", text);
    put(text, sizeof text, FLOATING, "fixed", "appendix-c", "");
    expect_verdict("held_appendix_c", text, "none: the model is not expected", false);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_beyond_its_modes_is_not_valid),
        cmocka_unit_test(lost_and_gained_energy_is_told),
        cmocka_unit_test(books_are_looked_at_in_every_row),
        cmocka_unit_test(a_sampled_loop_that_grows_is_not_stable),
        cmocka_unit_test(forces_that_grow_are_followed),
        cmocka_unit_test(the_rate_of_growth_is_that_of_the_pole),
        cmocka_unit_test(switched_forces_and_resumed_runs_are_kept),
        cmocka_unit_test(rows_are_compared_with_a_finer_run_if_asked),
        cmocka_unit_test(what_is_not_judged_is_not_called_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
