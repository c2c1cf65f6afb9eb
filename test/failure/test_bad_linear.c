// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear models that cannot be: every refusal says what is wrong and where.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "limber/linear.h"
#include "loaded.h"
#include "run_cli.h"

static const char text[] = "limber: 1\n"
                           "gravity: [0, 0, -9.81]\n"
                           "bodies:\n"
                           "  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 3}\n"
                           "  - {name: bob, parent: cart, hinge: {type: revolute, axis: [0, 1, "
                           "0]}, mass: 1, com: [0, 0, -1], "
                           "nodes: {tip: {position: [0, 0, -1]}}}\n"
                           "  - {name: ball, parent: cart, hinge: {type: spherical}, mass: 1, "
                           "inertia: [1, 1, 1, 0, 0, 0]}\n"
                           "  - {name: plate, parent: cart, hinge: {type: fixed}, mass: 1}\n"
                           "forces:\n"
                           "  - {name: servo, type: motor, hinge: bob, value: 0}\n"
                           "  - {name: wind, type: force, at: bob/tip, value: [0, 0, 0]}\n"
                           "  - {name: rubber, type: spring, hinge: cart, stiffness: 3}\n";

static void unknown_inputs_and_signals_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *input, *output, *words;
    } cases[] = {
        {"servos", NULL, "no force element has that name"},
        {"servo.x", NULL, "a motor has no parts"},
        {"wind", NULL, "say which component"},
        {"wind.w", NULL, "say which component"},
        {"rubber", NULL, "no motor, motion, force or torque"},
        {"bob/end.force.x", NULL, "no node \"end\""},
        {"bob/tip.force.w", NULL, ".force.x or .torque.x"},
        {"bob/tip.motor", NULL, ".force.x or .torque.x"},
        {"ball.motor", NULL, "ball.motor.0"},
        {"ball.motor.3", NULL, "ball.motor.0"},
        {"plate.motion", NULL, "is fixed"},
        {"nobody.motor", NULL, "no body \"nobody\""},
        {NULL, "bob.angel", "unknown quantity \"angel\""},
        {NULL, "nothing", "there is no signal \"nothing\""},
        {NULL, "bob/tip.velocity.norm", "no derivative"},
    };
    lb_loaded l = lb_begin_loaded(text, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_linear_options options = lb_default_linear_options();
        lb_linear *linear;
        options.inputs = &cases[i].input;
        options.input_count = cases[i].input != NULL;
        options.outputs = &cases[i].output;
        options.output_count = cases[i].output != NULL;
        assert_true(lb_linearize(l.simulation, &options, &linear) < 0);
        assert_null(linear);
        const char *message = lb_get_simulation_message(l.simulation);
        const char *name = cases[i].input ? cases[i].input : cases[i].output;
        if (!strstr(message, cases[i].words) || !strstr(message, name)) {
            fail_msg("\"%s\" does not say \"%s\" of %s", message, cases[i].words, name);
        }
    }
    // a motor at a hinge that does not move
    unsigned char locked[4] = {0, 1, 0, 0};
    const char *input = "servo";
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear;
    options.inputs = &input;
    options.input_count = 1;
    options.locked = locked;
    assert_int_equal(lb_linearize(l.simulation, &options, &linear), LB_E_ARGUMENT);
    assert_non_null(strstr(lb_get_simulation_message(l.simulation), "locked"));
    lb_end_loaded(&l);
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(text, NULL);
    lb_modes *modes;
    lb_linear_options options = lb_default_linear_options();
    options.spin = 5;
    assert_int_equal(lb_compute_modes(l.simulation, &options, &modes), LB_E_ARGUMENT);
    options = lb_default_linear_options();
    options.size = 3;
    assert_int_equal(lb_compute_modes(l.simulation, &options, &modes), LB_E_VERSION);
    options = lb_default_linear_options();
    const double q[6] = {0, 0, 2, 0, 0, 0};
    options.q = q;
    assert_int_equal(lb_compute_modes(l.simulation, &options, &modes), LB_E_ARGUMENT);
    assert_non_null(strstr(lb_get_simulation_message(l.simulation), "ball"));
    lb_end_loaded(&l);

    // without mass there is nothing to divide by
    l = lb_begin_loaded("limber: 1\n"
                        "bodies:\n"
                        "  - {name: ghost, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 0}\n",
                        NULL);
    options = lb_default_linear_options();
    assert_int_equal(lb_compute_modes(l.simulation, &options, &modes), LB_E_SINGULAR);
    assert_non_null(strstr(lb_get_simulation_message(l.simulation), "ghost.angle"));
    lb_end_loaded(&l);
}

static void command_says_what_it_expects(void **state)
{
    (void)state;
    const char *model = lb_write_file("model.yaml", text);
    const char *state_file = lb_write_file("state.json", "{\"q\": [0, 1]}");
    static const struct {
        const char *words[5];
        int status;
        const char *says;
    } cases[] = {
        {{"modes", "MODEL", "--at=STATE"}, 2, "2 numbers given, expected 6"},
        {{"modes", "MODEL", "--at=run.h5@soon"}, 2, "FILE.h5@TIME"},
        {{"modes", "MODEL", "--at=absent.h5@1"}, 1, "absent.h5"},
        {{"modes", "MODEL", "--at=absent.json"}, 2, "absent.json"},
        {{"modes", "MODEL", "--spin=hub=3"}, 2, "no body \"hub\""},
        {{"modes", "MODEL", "--spin=bob=fast"}, 2, "HINGE=SPEED"},
        {{"modes", "MODEL", "--spin=ball=3"}, 2, "ball.0"},
        {{"modes", "MODEL", "--spin=bob"}, 2, "--campbell"},
        {{"modes", "MODEL", "--campbell=0:1:2"}, 2, "--spin HINGE"},
        {{"modes", "MODEL", "--spin=bob", "--campbell=0:1"}, 2, "FROM:TO:COUNT"},
        {{"modes", "MODEL", "--spin=ball.1=2", "--trim", "--steady"}, 2, "one of them"},
        {{"modes", "MODEL", "--lock=bob,nobody"}, 2, "no body \"nobody\""},
        {{"modes", "MODEL", "--spin=bob=3"}, 1, "not steady: a force"},
        {{"linearize", "MODEL", "--format=csv"}, 2, "json, mat or hdf5"},
        {{"linearize", "MODEL", "--format=mat"}, 2, "-o FILE"},
        {{"linearize", "MODEL", "--csv"}, 2, "--bode"},
        {{"linearize", "MODEL", "--margins", "--bode=1:2:3"}, 2, "--margins goes with the summary"},
        {{"linearize", "MODEL", "--margins", "--bode=1:2:3", "--output=a.mat"}, 2, "--margins"},
        {{"linearize", "MODEL", "--output=/nowhere/a.hdf5"}, 1, "/nowhere/a.hdf5"},
        {{"linearize", "MODEL", "--bode=1:2:3"}, 2, "--input and --signal"},
        {{"linearize", "MODEL", "--input=servo", "--signal=bob.angle", "--bode=0:2:3"},
         2,
         "above zero"},
        {{"linearize", "MODEL", "--input=servo,,wind.x"}, 2, "empty name"},
        {{"linearize", "MODEL", "--input=nothing"}, 2, "nothing"},
        {{"linearize", "MODEL", "--output=/nowhere/a.mat"}, 1, "/nowhere/a.mat"},
        {{"linearize", "MODEL", "--output=/nowhere/a.json"}, 1, "/nowhere/a.json"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *words[6] = {NULL};
        char at[256];
        for (int k = 0; k < 5 && cases[i].words[k]; ++k) {
            words[k] = cases[i].words[k];
            if (strcmp(words[k], "MODEL") == 0) {
                words[k] = model;
            } else if (strcmp(words[k], "--at=STATE") == 0) {
                snprintf(at, sizeof at, "--at=%s", state_file);
                words[k] = at;
            }
        }
        lb_cli_run run = lb_run_cli(NULL, words);
        if (run.status != cases[i].status || !strstr(run.err, cases[i].says)) {
            fail_msg("case %zu, %s: status %d, \"%s\"", i, cases[i].words[2], run.status, run.err);
        }
        lb_end_run(&run);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_inputs_and_signals_are_named),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(command_says_what_it_expects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
