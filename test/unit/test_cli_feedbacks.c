// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What limber modes and limber linearize say about controllers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"

#define SATELLITE lb_find_source("examples/satellite.yaml")
#define SERVED lb_find_source("examples/control/served_arm.yaml")
#define PENDULUMS lb_find_source("examples/coupled_pendulums.yaml")
#define ROTOR lb_find_source("test/cases/driven_rotor.yaml")

static void expect(const lb_cli_run *run, const char *part)
{
    if (!strstr(run->out, part) && !strstr(run->err, part)) {
        fail_msg("expected \"%s\" in:\n%s%s", part, run->out, run->err);
    }
}

static void what_is_closed_is_said(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "modes", SATELLITE);
    assert_int_equal(run.status, 0);
    expect(&run, "exact from sample to sample, every 0.1 s");
    expect(&run, "  closed  attitude.motor y\n");
    lb_end_run(&run);
    run = lb_run(NULL, "linearize", SATELLITE, "--pade", "3");
    assert_int_equal(run.status, 0);
    expect(&run, "Pade approximations of order 3");
    lb_end_run(&run);
    // tables for other programs stay clean
    run = lb_run(NULL, "modes", SATELLITE, "--csv");
    assert_int_equal(strncmp(run.out, "mode,kind,", 10), 0);
    assert_non_null(strstr(run.err, "closed  attitude.motor x"));
    lb_end_run(&run);
}

static void feedbacks_are_opened_by_name(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "modes", SATELLITE, "--open", "all");
    assert_int_equal(run.status, 0);
    expect(&run, "controllers: none acts");
    expect(&run, "  open    attitude.motor z\n");
    expect(&run, "bus.turn.z 100%"); // free again
    lb_end_run(&run);
    run = lb_run(NULL, "linearize", SATELLITE, "--open", "attitude.motor x", "--open",
                 "attitude.motor z", "--discrete", "--format", "json");
    assert_int_equal(run.status, 0);
    expect(&run, "\"control\": \"discrete\"");
    expect(&run, "\"period\": 0.1");
    expect(&run, "\"closed\": false");
    expect(&run, "\"closed\": true");
    expect(&run, "\"multiplier\": ");
    lb_end_run(&run);
    run = lb_run(NULL, "linearize", SATELLITE, "--open", "attitude.motor w");
    assert_int_equal(run.status, 2);
    expect(&run, "is no feedback to open");
    lb_end_run(&run);
    run = lb_run(NULL, "modes", PENDULUMS, "--open", "all");
    assert_int_equal(run.status, 2);
    expect(&run, "has no controllers");
    lb_end_run(&run);
}

// -o is --output, beside --open.
static void the_letter_o_is_of_output(void **state)
{
    (void)state;
    const char *path = lb_write_file("shapes.json", "");
    lb_cli_run run = lb_run(NULL, "modes", SATELLITE, "--json", "-o", path);
    assert_int_equal(run.status, 0);
    assert_ptr_equal(strstr(run.out, "wrote "), run.out);
    assert_null(strchr(run.out, '{'));
    lb_end_run(&run);
}

// What freezes the equations is in JSON too, for pages of modes and other programs.
static void frozen_equations_say_so_in_json(void **state)
{
    (void)state;
    const char *const commands[] = {"modes", "linearize"};
    for (int i = 0; i < 2; ++i) {
        lb_cli_run run = lb_run(NULL, commands[i], ROTOR, "--json");
        assert_int_equal(run.status, 0);
        expect(&run, "\"changes\": \"rot.angle\"");
        lb_end_run(&run);
        run = lb_run(NULL, commands[i], PENDULUMS, "--json");
        assert_null(strstr(run.out, "\"changes\""));
        lb_end_run(&run);
    }
}

static void margins_are_printed(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "linearize", SATELLITE, "--margins");
    assert_int_equal(run.status, 0);
    expect(&run, "63.421    0.04391");
    lb_end_run(&run);
    run = lb_run(NULL, "linearize", SATELLITE, "--margins", "--format", "json");
    assert_int_equal(run.status, 0);
    expect(&run, "\"stable\": true");
    expect(&run, "\"delay_s\": 0.1284");
    lb_end_run(&run);
    run = lb_run(NULL, "linearize", PENDULUMS, "--margins");
    assert_int_equal(run.status, 2);
    expect(&run, "there is no closed feedback");
    lb_end_run(&run);
}

static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "modes", SERVED);
    assert_true(run.status != 0);
    expect(&run, "callback");
    lb_end_run(&run);
    run = lb_run(NULL, "modes", SERVED, "--open", "hold");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    run = lb_run(NULL, "modes", SATELLITE, "--effective");
    assert_int_equal(run.status, 2);
    expect(&run, "--open all");
    lb_end_run(&run);
    run = lb_run(NULL, "modes", SATELLITE, "--spin", "wheel x", "--campbell", "0:10:3");
    assert_int_equal(run.status, 1);
    expect(&run, "without controllers");
    lb_end_run(&run);
}

// A cart that is pushed away from where it shall be; the names of controller and motor would colour a terminal.
static void an_unstable_loop_is_said_to_be_one(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "unstable.yaml",
        "limber: 1\n"
        "bodies: [{name: cart, mass: 1, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n"
        "forces: [{name: \"m\\e[31m\", type: actuator, hinge: cart}]\n"
        "controllers: [{name: \"c\\e[31m\", rate: 100, sensors: [{name: x, signal: "
        "cart.distance}],\n"
        "  actuators: [{actuator: \"m\\e[31m\", position: x, speed: differences, desired: 0}],\n"
        "  law: {type: pid, kp: -10, kd: 1, ki: 3}}]\n");
    static const lb_cli_case cases[] = {
        {{"modes", "MODEL"}, 0, "grows", ""},
        {{"modes", "MODEL"}, 0, "  closed  c?[31m.m?[31m\n", ""},
        // with the cart held, only what the controller remembers is left
        {{"modes", "MODEL", "--lock=all"}, 0, "  controller\n", ""},
        {{"modes", "MODEL", "--effective"},
         2,
         "",
         "--effective is of the model without controllers: --open all"},
        {{"linearize", "MODEL", "--discrete", "--margins"}, 0, "the closed loop is not stable", ""},
        {{"linearize", "MODEL", "--discrete", "--margins"}, 0, "|z|", ""},
        {{"linearize", "MODEL", "--open=all", "--margins"}, 2, "", "no closed feedback"},
        {{"linearize", "MODEL", "--margins", "--format=json"}, 0, "\"stable\": false", ""},
    };
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases),
                    (const char *const[]){"MODEL", model, NULL});
    lb_cli_run run = lb_run(NULL, "linearize", model, "--discrete", "--margins");
    assert_null(strchr(run.out, '\033'));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_closed_is_said),
        cmocka_unit_test(feedbacks_are_opened_by_name),
        cmocka_unit_test(the_letter_o_is_of_output),
        cmocka_unit_test(frozen_equations_say_so_in_json),
        cmocka_unit_test(margins_are_printed),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(an_unstable_loop_is_said_to_be_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
