// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear models about a moment of a run know what events had done by then: locked hinges, closed loops,
// forces that are switched off, and what actuators deliver.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "check.h"
#include "limber/simulate.h"

#define ask_words(...) lb_ask_cli((const char *const[]){__VA_ARGS__, NULL})

static void record(const char *model, const char *file)
{
    lb_cli_run run = lb_run(NULL, "run", model, "-o", file, "--quiet");
    if (run.status != 0) {
        fail_msg("run: %s", run.err);
    }
    lb_end_run(&run);
}

// Frequencies of the modes that oscillate, Hz, at a time of a run; about the initial state if `file` is
// NULL.
static int find_frequencies(const char *model, const char *file, double t, double *frequencies)
{
    char at[600];
    snprintf(at, sizeof at, "%s@%.17g", file ? file : "", t);
    json_t *answer = file ? ask_words("modes", model, "--json", "--at", at)
                          : ask_words("modes", model, "--json");
    const json_t *modes = json_object_get(answer, "modes");
    int count = 0;
    for (size_t i = 0; i < json_array_size(modes); ++i) {
        const json_t *mode = json_array_get(modes, i);
        if (strcmp(json_string_value(json_object_get(mode, "kind")), "oscillation") == 0) {
            frequencies[count++] = json_number_value(json_object_get(mode, "frequency_hz"));
        }
    }
    json_decref(answer);
    return count;
}

static const char mast_bodies[] =
    "limber: 1\n"
    "bodies:\n"
    "  - name: bus\n"
    "    hinge: {type: free}\n"
    "    mass: 300\n"
    "    inertia: [60, 60, 50, 0, 0, 0]\n"
    "    nodes: {canister: {position: [0.5, 0.2, 0]}}\n"
    "  - name: mast\n"
    "    parent: bus\n"
    "    at: canister\n"
    "    hinge: {type: fixed}\n"
    "    beam:\n"
    "      length: 5\n"
    "      section: {type: tube, diameter: 0.06, wall: 0.001}\n"
    "      material: carbon-epoxy\n"
    "      masses: [{at: tip, mass: 8, inertia: [0.2, 0.2, 0.2, 0, 0, 0]}]\n"
    "      modes: 4\n"
    "      damping: 0.005\n";

static void a_latched_mast_vibrates_as_one_that_is_built_in(void **state)
{
    (void)state;
    const char *model = lb_find_source("test/cases/latching_mast.yaml");
    const char *file = lb_write_file("mast.h5", "");
    const char *built = lb_write_file("built_in.yaml", mast_bodies);
    double before[32], after[32], right[32];
    record(model, file);
    // it latches after 36 s; deployed, its hinge is where that of the other model is
    assert_int_equal(find_frequencies(built, NULL, 0.0, right), 4);
    assert_int_equal(find_frequencies(model, file, 90.0, after), 4);
    for (int i = 0; i < 4; ++i) {
        // it is still bent by up to 1e-3 of its length, and turns slowly
        lb_expect_near("frequency", after[i] / right[i], 1.0, 1e-6);
    }
    find_frequencies(model, file, 1.0, before);
    assert_true(before[0] < 0.5 * right[0]);
    // the hinge that is locked is no state
    char at[600];
    snprintf(at, sizeof at, "%s@90", file);
    json_t *answer = ask_words("linearize", model, "--format", "json", "--at", at);
    assert_int_equal(json_array_size(json_object_get(answer, "states")), 20);
    json_decref(answer);
}

static void loops_hold_as_events_left_them(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "carts.yaml",
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}\n"
        "  - {name: b, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 3}\n"
        "loops: [{name: hook, type: weld, a: {body: a}, b: {body: b}, active: false}]\n"
        "forces:\n"
        "  - {name: s, type: spring, hinge: a, stiffness: 50}\n"
        "  - {name: extra, type: spring, hinge: a, stiffness: 30}\n"
        "initial: {a: {distance: 0.3}, b: {distance: 0.1}}\n"
        "events:\n"
        "  - {name: catch, when: t, crosses: 1.05, then: {grasp: hook}}\n"
        "  - {name: weaken, when: t, crosses: 2.05, then: {disable: extra}}\n"
        "  - {name: let go, when: t, crosses: 3.05, then: {release: hook}}\n"
        "run: {duration: 4, interval: 0.1}\n");
    const char *file = lb_write_file("carts.h5", "");
    record(model, file);
    static const struct {
        double t, stiffness, mass;
    } moments[] = {{1, 80, 2}, {2, 80, 5}, {3, 50, 5}, {4, 50, 2}};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; ++i) {
        double f[8];
        assert_int_equal(find_frequencies(model, file, moments[i].t, f), 1);
        lb_expect_near("frequency", f[0],
                       sqrt(moments[i].stiffness / moments[i].mass) / 6.283185307179586, 1e-9);
    }
}

static void actuators_deliver_what_they_delivered(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "servo.yaml",
        "limber: 1\n"
        "bodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]\n"
        "forces: [{name: drive, type: actuator, hinge: cart}]\n"
        "controllers: [{name: c, rate: 10, actuators: [{actuator: drive, desired: 1}],\n"
        "               law: {type: pid, kp: 3, kd: 2}}]\n"
        "run: {duration: 2, interval: 0.05}\n");
    const char *file = lb_write_file("servo.h5", "");
    record(model, file);
    char at[600];
    snprintf(at, sizeof at, "%s@0.45", file);
    lb_cli_run recorded = lb_run(NULL, "results", file, "--print", "cart.acceleration");
    const char *row = strstr(recorded.out, "\n0.45");
    double a = 0.0;
    assert_non_null(row);
    assert_int_equal(sscanf(row, "%*f,%lf", &a), 1);
    assert_true(fabs(a) > 0.1);
    json_t *answer = ask_words("linearize", model, "--format", "json", "--at", at);
    lb_expect_near("acceleration",
                   json_number_value(json_array_get(json_object_get(answer, "a"), 0)), a, 1e-12);
    json_decref(answer);
    lb_end_run(&recorded);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_latched_mast_vibrates_as_one_that_is_built_in),
        cmocka_unit_test(loops_hold_as_events_left_them),
        cmocka_unit_test(actuators_deliver_what_they_delivered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
