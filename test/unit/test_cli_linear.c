// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber modes, linearize, trim and assemble on the command line: what they print, with numbers that can be told
// by hand, and what they refuse.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "check.h"
#include "limber/simulate.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
#define WHIRL lb_find_source("examples/whirl.yaml")

static const double two_pi = 6.283185307179586;

static double get(const json_t *object, const char *key, size_t i)
{
    return json_number_value(json_array_get(json_object_get(object, key), i));
}

// ---- modes ---------------------------------------------------------------------------------------

// In a frame that turns at W a mass on springs of w0 = 10 rad/s whirls at w0 + W and w0 - W; along the axis, at
// 20 rad/s, it does not notice.
static void a_sweep_follows_the_whirling_mass(void **state)
{
    (void)state;
    json_t *answer = lb_ask_cli((const char *const[]){"modes", WHIRL, "--spin", "hub", "--campbell",
                                                      "0:5:3", "--json", NULL});
    assert_int_equal(json_array_size(json_object_get(answer, "speeds")), 3);
    const json_t *lines = json_object_get(answer, "lines");
    assert_int_equal(json_array_size(lines), 3);
    for (size_t i = 0; i < 3; ++i) {
        const double speed = 2.5 * (double)i;
        static const double sign[] = {1, -1, 0};
        for (size_t k = 0; k < 3; ++k) {
            const json_t *line = json_array_get(lines, k);
            const double expected = (k == 2 ? 20.0 : 10.0 + sign[k] * speed) / two_pi;
            // 1e-9: of an eigenvalue problem of order 6
            lb_expect_below("frequency", get(line, "frequency_hz", i) - expected, 1e-9);
            // c / (2 m w) of the damper along the axis
            lb_expect_below("damping", get(line, "damping_ratio", i) - (k == 2 ? 0.025 : 0.0),
                            1e-9);
        }
    }
    json_decref(answer);

    // the same numbers as a table for people and as CSV, of as many lines as asked for
    const lb_cli_case cases[] = {
        {{"modes", WHIRL, "--spin=hub", "--campbell=0:5:3"},
         0,
         "          2.5      1.989437      1.193662      3.183099\n",
         ""},
        {{"modes", WHIRL, "--spin=hub", "--campbell=0:5:3", "--count=1"},
         0,
         "          2.5      1.989437\n",
         ""},
        {{"modes", WHIRL, "--spin=hub", "--campbell=0:5:3", "--csv", "--count=1"},
         0,
         "speed_rad_s,frequency_hz_1,damping_ratio_1\n0,1.59154943",
         ""},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
}

// A bar whose mass is all at its ends: 3 kg at 2 m on a spring. Shaken along y it is felt with 3 kg, about its
// hinge with 12 kg m^2; about the mass itself, with none.
static void effective_masses_are_those_of_the_mass_that_moves(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "bar.yaml",
        "limber: 1\n"
        "bodies: [{name: bar, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 3, com: [2, 0, 0]}]\n"
        "forces: [{name: spring, type: spring, hinge: bar, stiffness: 48}]\n");
    const lb_cli_case cases[] = {
        {{"modes", "MODEL", "--effective"},
         0,
         "effective masses, kg and kg m^2 about the world's origin\n"
         "  mode           x           y           z     about x     about y     about z\n"
         "     1           0           3           0           0           0          12\n"
         "   all           0           3           0           0           0          12\n"
         "system           3           3           3           0          12          12\n",
         ""},
        {{"modes", "MODEL", "--effective", "--about", "2,0,0"}, 0, "about (2, 0, 0)\n", ""},
        {{"modes", "MODEL", "--effective", "--about", "0,2,0"}, 0, "about (0, 2, 0)\n", ""},
        {{"modes", "MODEL", "--effective", "--about", "0,0,2"}, 0, "about (0, 0, 2)\n", ""},
        {{"modes", "MODEL", "--effective", "--about", "2,0,0"},
         0,
         "     1           0           3           0           0           0           0\n",
         ""},
        // two rad/s: sqrt(48 / 12)
        {{"modes", "MODEL"}, 0, "   1       0.3183099             0  bar.angle 100%\n", ""},
        {{"modes", "MODEL", "--lock=all"}, 0, "made of\n", ""},
        {{"modes", "MODEL", "--about=2,0"}, 2, "", "--about: expected X,Y,Z in metres, not '2,0'"},
        {{"modes", "MODEL", "--about=a,b,c"}, 2, "", "--about: expected X,Y,Z"},
        {{"modes", "MODEL", "--about=1,2,inf"}, 2, "", "--about: expected X,Y,Z"},
        {{"modes", "MODEL", "--count=none"}, 2, "", "--count: 'none' given"},
        {{"modes", "MODEL", "--spin=bar=1", "--campbell=0:1:3"},
         2,
         "",
         "--campbell gives the speeds: expected --spin HINGE without one"},
        {{"modes", "MODEL", "--spin=bar", "--campbell=0:1:2000000"}, 2, "", "--campbell"},
        {{"modes", "MODEL", "--spin=bar", "--campbell=0:inf:3"}, 2, "", "--campbell"},
        {{"modes", "MODEL", "--pade=9"}, 2, "", "unknown option"},
        // the hinge that is driven has no mode left
        {{"modes", "MODEL", "--spin=bar", "--campbell=0:1:3"}, 0, "speed, rad/s\n", ""},
        {{"modes", "MODEL", "--at=run.h5@"}, 2, "", "FILE.h5@TIME"},
        {{"modes", "MODEL", "--at=run.h5@1x"}, 2, "", "FILE.h5@TIME"},
        {{"modes", "MODEL", "--at=run.h5@inf"}, 2, "", "FILE.h5@TIME"},
        {{"modes", "MODEL", "--spin=bar="}, 2, "", "HINGE=SPEED"},
        {{"modes", "MODEL", "--spin=bar=1x"}, 2, "", "HINGE=SPEED"},
        {{"modes", "MODEL", "--spin=bar=inf"}, 2, "", "HINGE=SPEED"},
        {{"modes", "MODEL", "--lock=,bar"}, 2, "", "--lock: an empty name in ',bar'"},
        {{"modes", "MODEL", "--open= ,bar"}, 2, "", "--open: an empty name"},
        {{"modes", "MODEL", "--spin=bar", "--campbell=inf:1:3"}, 2, "", "--campbell"},
        {{"modes", "MODEL", "--spin=bar", "--campbell=0:1:1"}, 2, "", "--campbell"},
        {{"modes", "MODEL", "--spin=bar", "--campbell=0:1:3x"}, 2, "", "--campbell"},
        {{"linearize", "MODEL", "--input=bar.motor", "--signal=bar.angle", "--bode=1:-2:3"},
         2,
         "",
         "--bode"},
        {{"linearize", "MODEL", "--input=bar.motor", "--signal=,"},
         2,
         "",
         "--signal: an empty name"},
        {{"linearize", "MODEL", "--signal= 'bar'.angle , bar.rate "}, 0, "0 inputs, 2 outputs", ""},
        {{"modes", "MODEL", "--output=/nowhere/modes.txt"}, 1, "", "/nowhere/modes.txt"},
        {{"modes", "/nowhere.yaml"}, 1, "", "/nowhere.yaml"},
        {{"linearize", "MODEL", "--spin=bar"}, 2, "", "linearize: --spin: expected HINGE=SPEED"},
        {{"linearize", "MODEL", "--pade=9"}, 2, "", "--pade: '9' given"},
        {{"linearize", "MODEL", "--input=bar.motor", "--signal=bar.angle", "--bode=1:2:3",
          "--margins"},
         2,
         "",
         "--margins goes with the summary or with JSON"},
        {{"linearize", "MODEL", "--input=bar.motor", "--signal=bar.angle", "--bode=0:2:3"},
         2,
         "",
         "--bode"},
        {{"linearize", "MODEL", "--input=bar.motor", "--bode=1:2:3"},
         2,
         "",
         "--bode needs --input and --signal"},
    };
    lb_expect_cases(cases, COUNT(cases), (const char *const[]){"MODEL", model, NULL});
}

static void what_friction_holds_is_said(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "held.yaml", "limber: 1\n"
                     "bodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1},\n"
                     "  {name: bob, hinge: {type: translational}, mass: 1}]\n"
                     "forces: [{name: brake, type: friction, hinge: cart, coulomb: 2},\n"
                     "  {name: pull, type: spring, hinge: cart, stiffness: 1, rest: 1},\n"
                     "  {name: pad, type: friction, hinge: bob.1, coulomb: 2}]\n");
    static const lb_cli_case cases[] = {
        {{"modes", "MODEL"}, 0, "bob", "note: friction holds hinge cart, so it does not move here"},
        {{"modes", "MODEL"}, 0, "bob", "note: friction holds hinge bob"},
    };
    lb_expect_cases(cases, COUNT(cases), (const char *const[]){"MODEL", model, NULL});
}

// ---- linear models -------------------------------------------------------------------------------

// 1 kg on a spring of (2 pi)^2 N/m: x / F = 1 / (k - w^2), and none at its own frequency, 1 Hz.
static void responses_are_those_of_an_oscillator(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "cart.yaml",
        "limber: 1\n"
        "bodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
        "forces: [{name: spring, type: spring, hinge: cart, stiffness: 39.47841760435743}]\n");
    json_t *answer = lb_ask_cli((const char *const[]){"linearize", model, "--input=cart.motor",
                                                      "--signal=cart.distance", "--bode=0.5:2:3",
                                                      "--format=json", NULL});
    const json_t *bode = json_array_get(json_object_get(answer, "bode"), 0);
    assert_string_equal(json_string_value(json_object_get(bode, "input")), "cart.motor");
    assert_string_equal(json_string_value(json_object_get(bode, "output")), "cart.distance");
    // 1 Hz is left out
    assert_int_equal(json_array_size(json_object_get(bode, "frequency_hz")), 2);
    for (size_t i = 0; i < 2; ++i) {
        const double f = i ? 2.0 : 0.5, g = 1.0 / (two_pi * two_pi * (1.0 - f * f));
        // 1e-12: a few operations
        lb_expect_below("frequency", get(bode, "frequency_hz", i) - f, 1e-12);
        lb_expect_below("magnitude", get(bode, "magnitude", i) - fabs(g), 1e-12);
        lb_expect_below("phase", fabs(get(bode, "phase_deg", i)) - (g < 0 ? 180.0 : 0.0), 1e-9);
    }
    json_decref(answer);
    static const lb_cli_case cases[] = {
        {{"linearize", "MODEL", "--input=cart.motor", "--signal=cart.distance", "--bode=1:2:2"},
         0,
         "             1        infinite          -\n             2     0.008443432",
         "the response is infinite"},
        {{"linearize", "MODEL", "--input=cart.motor", "--signal=cart.distance", "--bode=1:2:2",
          "--csv"},
         0,
         "\n1,,\n2,0.00844343",
         "the response is infinite"},
        {{"linearize", "MODEL", "--input=cart.motor", "--signal=cart.distance,cart.rate"},
         0,
         "2 states, 1 input, 2 outputs\n",
         ""},
        {{"linearize", "MODEL", "--input=cart.motor", "--bode=1:2:2", "--signal=cart.distance",
          "--format=json", "--margins"},
         2,
         "",
         "there is no closed feedback"},
        {{"linearize", "MODEL", "--output=/nowhere/a.h5"}, 1, "", "/nowhere/a.h5"},
    };
    lb_expect_cases(cases, COUNT(cases), (const char *const[]){"MODEL", model, NULL});
}

// ---- equilibrium and closed loops ----------------------------------------------------------------

static void trim_says_why_there_is_no_equilibrium(void **state)
{
    (void)state;
    const char *falls =
        lb_write_file("falls.yaml", "limber: 1\ngravity: [0, 0, -10]\nbodies: [{name: cart, hinge: "
                                    "{type: prismatic, axis: [0, 0, 1]}, mass: 1}]\n");
    const char *rests = lb_write_file(
        "rests.yaml", "limber: 1\ngravity: [0, 0, -10]\n"
                      "bodies: [{name: cart, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1},\n"
                      "  {name: post, hinge: {type: fixed}, mass: 1}]\n"
                      "forces: [{name: spring, type: spring, hinge: cart, stiffness: 100}]\n");
    static const lb_cli_case cases[] = {
        {{"trim", "FALLS"},
         1,
         "",
         "there is no equilibrium near here: a force of 10 (N, N m) is left at cart.distance"},
        {{"run", "FALLS", "--trim", "--duration=1", "--output=never.h5"},
         1,
         "",
         "there is no equilibrium near here"},

        {{"modes", "FALLS", "--trim"}, 1, "", "there is no equilibrium near here"},
        {{"trim", "RESTS"}, 0, "  \"cart\": {q: [-0.1", ""},
        {{"trim", "RESTS", "--json"}, 0, "\"q\": [-0.1", ""},
        {{"trim", "/nowhere.yaml"}, 1, "", "/nowhere.yaml"},
    };
    lb_expect_cases(cases, COUNT(cases),
                    (const char *const[]){"FALLS", falls, "RESTS", rests, NULL});
    // a body that cannot move is not part of a state
    lb_cli_run run = lb_run(NULL, "trim", rests);
    assert_null(strstr(run.out, "post"));
    lb_end_run(&run);
}

// Drake's four-bar linkage: bars of 4 m between pins 2 m apart. Whatever closes it, B ends where C does.
static void loops_are_assembled_from_a_state_of_ones_own(void **state)
{
    (void)state;
    const char *model = lb_find_source("examples/four_bar.yaml");
    const char *guess = lb_write_file("guess.json", "{\"q\": [1.0, 2.0, 1.5]}");
    json_t *answer =
        lb_ask_cli((const char *const[]){"assemble", model, "--state", guess, "--json", NULL});
    const double a = get(answer, "q", 0), b = get(answer, "q", 1), c = get(answer, "q", 2);
    // 1e-12: lengths of 8 m
    lb_expect_below("x", -4 * cos(a) - 4 * cos(a + b) - (2 - 4 * cos(c)), 1e-12);
    lb_expect_below("y", -4 * sin(a) - 4 * sin(a + b) + 4 * sin(c), 1e-12);
    json_decref(answer);
    // what moved, from 2 and 1.5; the file holds A
    lb_cli_run run = lb_run(NULL, "assemble", model, "--state", guess);
    const double moves[] = {b - 2.0, c - 1.5};
    for (int i = 0; i < 2; ++i) {
        char line[80];
        snprintf(line, sizeof line, "# moved: %c by up to %.2g (m, rad), 0 (m/s, rad/s)\n", 'B' + i,
                 fabs(moves[i]));
        assert_non_null(strstr(run.out, line));
    }
    assert_null(strstr(run.out, "# moved: A"));
    lb_end_run(&run);
    run = lb_run(NULL, "assemble", lb_find_source("examples/simple_pendulum.yaml"));
    assert_non_null(strstr(run.out, "# moved: nothing\n"));
    lb_end_run(&run);
    const char *far = lb_write_file(
        "far.yaml", "limber: 1\nground: {nodes: {far: {position: [9, 0, 0]}}}\n"
                    "bodies: [{name: bar, hinge: {type: revolute, axis: [0, 0, 1]}, "
                    "mass: 1, com: [0.5, 0, 0],\n"
                    "  nodes: {tip: {position: [1, 0, 0]}}}]\n"
                    "loops: [{name: pin, type: spherical, a: {body: ground, node: far}, "
                    "b: {body: bar, node: tip}}]\n");
    const char *bad = lb_write_file("bad.json", "{\"q\": [1.0]}");
    const lb_cli_case cases[] = {
        {{"assemble", "MODEL"}, 0, "# closed after ", ""},
        {{"assemble", "MODEL"}, 0, "# loop pin: off by ", ""},
        {{"assemble", "MODEL", "A"},
         2,
         "",
         "'A' is one operand too many; coordinates follow --hold"},
        {{"assemble", "MODEL", "--hold=A", "B"}, 1, "", "loop 'pin' cannot be closed from here"},
        {{"assemble", "MODEL", "--hold=D"}, 2, "", "assemble: --hold: "},
        {{"assemble", "MODEL", "--hold=A", "D"}, 2, "", "assemble: --hold: "},
        {{"assemble", "MODEL", "--state", "BAD"}, 2, "", "1 numbers given, expected 3"},
        {{"assemble", "MODEL", "--state=/nowhere.json"}, 2, "", "/nowhere.json"},
        {{"assemble", "FAR"}, 1, "", "pin"},
        {{"run", "FAR", "--assemble", "--duration=1", "--output=never.h5"}, 1, "", "pin"},
        {{"assemble", "/nowhere.yaml"}, 1, "", "/nowhere.yaml"},
    };
    lb_expect_cases(cases, COUNT(cases),
                    (const char *const[]){"MODEL", model, "BAD", bad, "FAR", far, NULL});
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_follows_the_whirling_mass),
        cmocka_unit_test(effective_masses_are_those_of_the_mass_that_moves),
        cmocka_unit_test(what_friction_holds_is_said),
        cmocka_unit_test(responses_are_those_of_an_oscillator),
        cmocka_unit_test(trim_says_why_there_is_no_equilibrium),
        cmocka_unit_test(loops_are_assembled_from_a_state_of_ones_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
