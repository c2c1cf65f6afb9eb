// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Tolerances fit the model and its motion, whatever their scales; and the audit says if they did not.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "course.h"
#include "model/model_parts.h"
#include "run_cli.h"

static const double pi = 3.14159265358979323846;

// ---- support -------------------------------------------------------------------------------------

static lb_audit run(lb_course *course)
{
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    if (lb_run_simulation(course->simulation, &request, &audit) < 0) {
        fail_msg("%s", lb_get_simulation_message(course->simulation));
    }
    return audit;
}

static lb_audit run_text(const char *text)
{
    lb_course course = lb_begin_course(text);
    const lb_audit audit = run(&course);
    lb_end_course(&course);
    return audit;
}

// ---- small motions -------------------------------------------------------------------------------

static void small_vibrations_keep_their_energy(void **state)
{
    (void)state;
    static const char *const cases[] = {"../test/cases/ruler.yaml", "../test/cases/strip.yaml",
                                        "../test/cases/micro_cantilever.yaml"};
    // least energy that goes to and fro, J: what is given at the start, or the work of the load
    static const double own[] = {1.70e-7, 1.37e-9, 4.2e-18};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 2; ++j) {
            lb_course course = lb_begin_example(cases[i]);
            lb_choose_integrator(&course, j ? LB_INTEGRATOR_ERK : LB_INTEGRATOR_ADAMS, j ? 8 : 0,
                                 0.0, 0.0);
            const lb_audit audit = run(&course);
            assert_in_range((long)(1e3 * audit.motion_energy / own[i]), 1000, 1300);
            lb_expect_below("energy error", audit.energy_error, (j ? 1e-5 : 2e-4) * own[i]);
            assert_int_equal(lb_judge_audit(&audit), LB_VERDICT_KEPT);
            lb_end_course(&course);
        }
    }
}

// One mode of a clamped beam is a harmonic oscillator: eta = eta_0 cos(omega t).
static void a_small_vibration_keeps_its_phase(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("../test/cases/strip.yaml");
    double stiffness, inertia, coupling[6];
    lb_get_modal_matrices(course.model, 0, &stiffness, NULL);
    lb_get_modal_inertia(course.model, 0, &inertia, coupling);
    const double omega = sqrt(stiffness / inertia), amplitude = 3e-8;
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course.simulation, &o);
    o.integrator = LB_INTEGRATOR_ERK;
    o.order = 8;
    assert_int_equal(lb_set_run_options(course.simulation, &o), LB_OK);
    lb_start_course(&course);
    for (int i = 1; i <= 50; ++i) {
        const double t = 0.002 * i;
        lb_go_to(&course, t);
        lb_expect_below("coordinate", course.q[0] - amplitude * cos(omega * t), 1e-5 * amplitude);
        lb_expect_below("speed", course.v[0] - (-omega * amplitude * sin(omega * t)),
                        1e-5 * omega * amplitude);
    }
    lb_end_course(&course);
}

// A motion of any size takes the same steps: a linear oscillator, from a centimetre down to a tenth of a micrometre.
static void steps_do_not_depend_on_the_size_of_a_linear_motion(void **state)
{
    (void)state;
    double steps[6];
    for (int i = 0; i < 6; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies: [{name: b, hinge: {type: fixed}, beam: {length: 1, section: {type: "
                 "rectangle, width: 0.02, height: 0.005}, material: steel, modes: {count: 1, "
                 "motions: [z]}}}]\n"
                 "initial: {b: {eta: [%.17g]}}\n"
                 "run: {duration: 2}\n",
                 pow(10.0, -i - 2));
        const lb_audit audit = run_text(text);
        steps[i] = audit.steps;
        lb_expect_below("energy error", audit.energy_error, 1e-4 * audit.motion_energy);
        assert_true(fabs(steps[i] - steps[0]) <= 0.2 * steps[0]);
    }
}

// ---- large motions -------------------------------------------------------------------------------

static double get_pitch(const lb_course *course)
{
    const double pitch =
        2.0 * atan2(course->q[3], course->q[0]) - atan2(course->q[5], course->q[4]);
    return pitch - 2.0 * pi * floor(pitch / (2.0 * pi) + 0.5);
}

// Where the cubic through four points is zero.
static double find_zero(const double *t, const double *x)
{
    double zero = 0.0;
    for (int i = 0; i < 4; ++i) {
        double part = t[i];
        for (int j = 0; j < 4; ++j) {
            part *= j == i ? 1.0 : x[j] / (x[j] - x[i]);
        }
        zero += part;
    }
    return zero;
}

static void an_orbit_takes_hundreds_of_steps(void **state)
{
    (void)state;
    for (int j = 0; j < 2; ++j) {
        const lb_integrator integrator = j ? LB_INTEGRATOR_ERK : LB_INTEGRATOR_ADAMS;
        lb_course course = lb_begin_example("../test/cases/orbit.yaml");
        lb_choose_integrator(&course, integrator, j ? 8 : 0, 0.0, 0.0);
        const lb_audit audit = run(&course);
        assert_in_range((long)audit.steps, 20, 999);
        assert_int_equal(lb_judge_audit(&audit), LB_VERDICT_KEPT);
        lb_end_course(&course);

        course = lb_begin_example("../test/cases/orbit.yaml");
        lb_run_options o = {.size = sizeof o};
        lb_get_run_options(course.simulation, &o);
        o.integrator = integrator;
        o.order = j ? 8 : 0;
        assert_int_equal(lb_set_run_options(course.simulation, &o), LB_OK);
        lb_start_course(&course);
        double t[4] = {0}, pitch[4] = {0}, first = 0.0, last = 0.0;
        int zeros = 0;
        for (int i = 0; i <= 2400; ++i) {
            lb_go_to(&course, 5.0 * i);
            for (int k = 0; k < 3; ++k) {
                t[k] = t[k + 1];
                pitch[k] = pitch[k + 1];
            }
            t[3] = course.t;
            pitch[3] = get_pitch(&course);
            if (i >= 3 && pitch[1] * pitch[2] < 0.0) {
                last = find_zero(t, pitch);
                first = zeros++ == 0 ? last : first;
            }
        }
        assert_int_equal(zeros, 6);
        lb_expect_below("period", 2.0 * (last - first) / (zeros - 1) - 3836.895, 5e-3);
        lb_end_course(&course);
    }
}

// A free beam that vibrates by a tenth of a millimetre: at rest, and carried along by 7.5 km/s far from the origin.
static void what_is_carried_along_hides_nothing(void **state)
{
    (void)state;
    static const char *const carried[] = {"",
                                          "velocity: [0, 7500, 0], position: [7000000, 0, 0], "};
    double steps[2], energy[2];
    for (int i = 0; i < 2; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies: [{name: b, hinge: {type: free}, beam: {length: 3, section: {type: tube, "
                 "diameter: 0.05, wall: 0.002}, material: aluminium, modes: 2}}]\n"
                 "initial: {b: {%seta: [1.0e-4, 0]}}\n"
                 "run: {duration: 1}\n",
                 carried[i]);
        const lb_audit audit = run_text(text);
        steps[i] = audit.steps;
        energy[i] = audit.motion_energy;
        assert_int_equal(lb_judge_audit(&audit), LB_VERDICT_KEPT);
    }
    // kinetic energy has 16 digits, of which the motion's own are the last
    lb_expect_below("own energy", energy[1] - energy[0],
                    1e-3 * energy[0] + 1e-15 * 0.5 * 7500.0 * 7500.0 * 10.0);
    assert_true(fabs(steps[1] - steps[0]) <= 0.2 * steps[0]);
}

// ---- tolerances that are given -------------------------------------------------------------------

static lb_audit run_ruler(const char *integrator)
{
    char text[512];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "bodies: [{name: ruler, hinge: {type: fixed}, beam: {length: 0.3, section: {type: "
             "rectangle, width: 0.025, height: 0.001}, material: steel, modes: {count: 1, motions: "
             "[z]}}}]\n"
             "initial: {ruler: {eta: [1.0e-5]}}\n"
             "run: {duration: 2, integrator: %s}\n",
             integrator);
    return run_text(text);
}

static void absolute_tolerances_mean_what_they_say(void **state)
{
    (void)state;
    const lb_audit fine = run_ruler("adams");
    // a number is for all coordinates and speeds in their own units: 1e-8 is a thousandth of this motion
    const lb_audit coarse = run_ruler("{type: adams, absolute: 1.0e-8}");
    assert_true(coarse.steps < 0.7 * fine.steps);
    assert_int_equal(lb_judge_audit(&coarse), LB_VERDICT_ENERGY);
    // 2e-4 of the motion for both kinds: the displacement is 8e-5 m at 9.3 Hz
    const lb_audit kinds = run_ruler("{absolute: {modes: 1.6e-8, mode_rates: 1.0e-6}}");
    assert_true(kinds.steps < 0.7 * fine.steps);
    // what is not there changes nothing
    const lb_audit others =
        run_ruler("{absolute: {angles: 1, lengths: 1, rates: 1, velocities: 1}}");
    lb_expect_below("steps", others.steps - fine.steps, 0.0);
    lb_expect_below("energy error", others.energy_error - fine.energy_error, 0.0);
}

static void wrong_tolerances_are_refused(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("../test/cases/ruler.yaml");
    lb_run_options o = {.size = sizeof o};
    assert_int_equal(lb_get_run_options(course.simulation, &o), LB_OK);
    lb_expect_below("default", o.absolute_tolerance, 0.0);
    o.absolute_rates = -1.0;
    assert_int_equal(lb_set_run_options(course.simulation, &o), LB_E_ARGUMENT);
    o.absolute_rates = (double)NAN;
    assert_int_equal(lb_set_run_options(course.simulation, &o), LB_E_ARGUMENT);
    // programs that were built before these entries existed have none of them
    o.size = offsetof(lb_run_options, absolute_modes);
    assert_int_equal(lb_set_run_options(course.simulation, &o), LB_OK);
    lb_end_course(&course);
}

// ---- verdicts ------------------------------------------------------------------------------------

static void momentum_is_judged_where_nothing_acts_from_outside(void **state)
{
    (void)state;
    static const char free_body[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: free}, mass: 2, inertia: [1, 2, 2.5, 0, 0, 0],\n"
        "     nodes: {n: {position: [1, 0, 0]}}}\n"
        "  - {name: b, parent: a, at: n, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
        "     com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
        "forces: [{name: s, type: spring, hinge: b, stiffness: 3, rest: 1}]\n"
        "initial: {a: {angular_velocity: [0.3, 0.1, 1], velocity: [7500, 0, 0]}}\n"
        "run: {duration: 3, integrator: %s}\n";
    char text[1024];
    snprintf(text, sizeof text, free_body, "adams");
    lb_audit audit = run_text(text);
    assert_int_equal(lb_judge_audit(&audit), LB_VERDICT_KEPT);
    assert_true(audit.linear_bound > 0.0 && audit.angular_bound > 0.0);
    // 22500 N s are carried along: the bound has nothing of that but a thousandth of the tolerance
    assert_true(audit.linear_bound < 1.0);
    snprintf(text, sizeof text, free_body, "{type: euler, step: 0.05}");
    audit = run_text(text);
    assert_int_not_equal(lb_judge_audit(&audit), LB_VERDICT_KEPT);
    // clamped: momentum goes to the ground
    lb_course course = lb_begin_example("../test/cases/strip.yaml");
    audit = run(&course);
    lb_end_course(&course);
    assert_true(isnan(audit.linear_bound) && isnan(audit.angular_bound));
    assert_true(audit.energy_bound > 0.0);
}

static void an_audit_without_bounds_is_not_judged(void **state)
{
    (void)state;
    lb_audit audit = {.size = offsetof(lb_audit, motion_energy), .energy_error = 1.0};
    assert_int_equal(lb_judge_audit(&audit), LB_VERDICT_NONE);
    for (int i = LB_VERDICT_KEPT; i <= LB_VERDICT_NONE; ++i) {
        assert_true(lb_get_verdict_text((lb_verdict)i)[0] != 0);
    }
}

static void a_run_warns_of_lost_energy(void **state)
{
    (void)state;
    static const char form[] =
        "limber: 1\n"
        "bodies: [{name: b, hinge: {type: fixed}, beam: {length: 0.3, section: {type: rectangle, "
        "width: 0.025, height: 0.001}, material: steel, modes: {count: 1, motions: [z]}}}]\n"
        "initial: {b: {eta: [1.0e-5]}}\n"
        "run: {duration: 2%s}\n";
    const char *output = lb_write_file("loose.h5", "");
    char text[512];
    snprintf(text, sizeof text, form, ", integrator: {absolute: 1.0e-8}");
    const char *loose = lb_write_file("loose.yaml", text);
    lb_cli_run run = lb_run(NULL, "run", loose, "-o", output);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "warning: energy is off by more than the tolerance explains"));
    assert_non_null(strstr(run.out, "verdict           energy is off"));
    lb_end_run(&run);
    run = lb_run(NULL, "run", loose, "-o", output, "--strict", "--quiet");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "energy is off"));
    assert_null(strstr(run.err, "warning"));
    lb_end_run(&run);
    // the file keeps the verdict
    run = lb_run(NULL, "results", output);
    assert_non_null(strstr(run.out, "verdict           energy is off"));
    lb_end_run(&run);
    snprintf(text, sizeof text, form, "");
    run = lb_run(NULL, "run", lb_write_file("fine.yaml", text), "-o", output, "--strict");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    assert_non_null(strstr(run.out, "verdict           kept"));
    lb_end_run(&run);
}

// Steps that are far too long make energies that hide what is lost: the run is not judged by those.
static void a_run_that_explodes_is_not_called_kept(void **state)
{
    (void)state;
    const lb_audit audit = run_text(
        "limber: 1\n"
        "bodies: [{name: b, hinge: {type: fixed}, beam: {length: 2.0e-4, section: {type: "
        "rectangle, "
        "width: 5.0e-5, height: 2.0e-6}, material: steel, modes: 4}}]\n"
        "forces: [{name: f, type: force, at: b/tip, value: [0, 0, 1.0e-6]}]\n"
        "run: {duration: 1.0e-4, interval: 1.0e-7, integrator: {type: rk4, step: 1.0e-5}}\n");
    assert_true(fabs(audit.energy_end) > 1e3 * fabs(audit.work_forces));
    assert_int_equal(lb_judge_audit(&audit), LB_VERDICT_ENERGY);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_vibrations_keep_their_energy),
        cmocka_unit_test(a_small_vibration_keeps_its_phase),
        cmocka_unit_test(steps_do_not_depend_on_the_size_of_a_linear_motion),
        cmocka_unit_test(an_orbit_takes_hundreds_of_steps),
        cmocka_unit_test(what_is_carried_along_hides_nothing),
        cmocka_unit_test(absolute_tolerances_mean_what_they_say),
        cmocka_unit_test(wrong_tolerances_are_refused),
        cmocka_unit_test(momentum_is_judged_where_nothing_acts_from_outside),
        cmocka_unit_test(an_audit_without_bounds_is_not_judged),
        cmocka_unit_test(a_run_warns_of_lost_energy),
        cmocka_unit_test(a_run_that_explodes_is_not_called_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
