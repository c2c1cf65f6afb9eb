// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops on the command line, with numbers that can be told by hand: rods, couplers, loops closed as
// assembled, driven hinges in loops; mobility and what is redundant, in words.
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"

static json_t *ask(const char *model, const char *request)
{
    lb_cli_run run = lb_run(request, "eval", model, "-");
    if (run.status != 0 || run.err[0]) {
        fail_msg("%s\n  gave status %d: %s", request, run.status, run.err);
    }
    json_error_t error;
    json_t *answer = json_loads(run.out, 0, &error);
    assert_non_null(answer);
    lb_end_run(&run);
    return answer;
}

static void expect_entry(const json_t *list, size_t i, double expected)
{
    // 1e-13: a few operations on numbers of order ten
    lb_expect_below("number", json_number_value(json_array_get(list, i)) - expected, 1e-13);
}

static const json_t *get_loop(const json_t *answer, const char *loop, const char *key)
{
    return json_object_get(json_object_get(json_object_get(answer, "loops"), loop), key);
}

// Wheels of 2 and 0.5 kg m^2; the small one turns back half as far.
static const char gears[] = "limber: 1\n"
                            "bodies:\n"
                            "  - {name: big, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "
                            "inertia: [2, 2, 2, 0, 0, 0]}\n"
                            "  - {name: small, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
                            "     inertia: [0.5, 0.5, 0.5, 0, 0, 0]}\n"
                            "loops:\n"
                            "  - {name: mesh, type: coupler, terms: [{body: big}, {body: small, "
                            "factor: 2}], offset: 0.5}\n";

static void gears_share_their_torque(void **state)
{
    (void)state;
    const char *model = lb_write_file("gears.yaml", gears);
    json_t *answer = ask(model, "{\"q\": [0.1, 0.3], \"v\": [2, 1], \"tau\": [3, 0],"
                                " \"compute\": [\"forward\", \"loops\"]}");
    // (J1 + J2 / 4) a = tau, and J2 a2 = 2 lambda
    const double a = 3.0 / 2.125;
    expect_entry(json_object_get(answer, "qdd"), 0, a);
    expect_entry(json_object_get(answer, "qdd"), 1, -0.5 * a);
    expect_entry(get_loop(answer, "mesh", "force"), 0, -0.125 * a);
    expect_entry(get_loop(answer, "mesh", "position_error"), 0, 0.1 + 0.6 - 0.5);
    expect_entry(get_loop(answer, "mesh", "velocity_error"), 0, 4.0);
    json_decref(answer);

    // driven, the big one needs what both take
    answer = ask(model, "{\"prescribed\": {\"big\": [4]}, \"compute\": [\"forward\"]}");
    expect_entry(json_object_get(answer, "qdd"), 1, -2.0);
    expect_entry(json_object_get(json_object_get(answer, "drive"), "big"), 0, 4.0 * 2.125);
    json_decref(answer);
}

// A point of 2 kg on a string of 2 m.
static void a_rod_makes_a_pendulum(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "rod.yaml", "limber: 1\ngravity: [0, 0, -10]\n"
                    "bodies:\n  - {name: bob, hinge: {type: translational}, mass: 2}\n"
                    "loops:\n  - {name: string, type: rod, length: 2, a: {body: ground},\n"
                    "     b: {body: bob}}\n");
    json_t *answer = ask(model, "{\"q\": [2, 0, 0], \"v\": [0, 0, 3], \"compute\": [\"forward\","
                                " \"loops\"]}");
    expect_entry(json_object_get(answer, "qdd"), 0, -4.5); // v^2 / l
    expect_entry(json_object_get(answer, "qdd"), 1, 0.0);
    expect_entry(json_object_get(answer, "qdd"), 2, -10.0);
    expect_entry(get_loop(answer, "string", "force"), 3, -9.0);
    expect_entry(get_loop(answer, "string", "position_error"), 3, 0.0);
    json_decref(answer);
    answer = ask(model, "{\"q\": [0, 3, 0], \"v\": [0, 1, 0], \"compute\": [\"loops\"]}");
    expect_entry(get_loop(answer, "string", "position_error"), 4, 1.0);
    expect_entry(get_loop(answer, "string", "velocity_error"), 4, 1.0);
    json_decref(answer);
}

static const char assembled[] =
    "limber: 1\n"
    "ground: {nodes: {far: {position: [2, 0, 0]}}}\n"
    "bodies:\n"
    "  - {name: crank, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0.5, 0, 0],\n"
    "     inertia: [0.01, 0.1, 0.1, 0, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
    "  - {name: rocker, at: far, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1,\n"
    "     com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1, 0, 0, 0],\n"
    "     nodes: {tip: {position: [1, 0, 0]}}}\n"
    "loops:\n"
    "  - {name: strut, type: rod, a: {body: crank, node: tip}, b: {body: rocker, node: tip},\n"
    "     as_assembled: true}\n"
    "  - {name: lock, type: weld, a: {body: crank, node: tip}, b: {body: rocker, node: tip},\n"
    "     as_assembled: true}\n"
    "  - {name: mesh, type: coupler, terms: [{body: crank}, {body: rocker, factor: -2}],\n"
    "     as_assembled: true}\n"
    "initial: {crank: {angle: 0.3}, rocker: {angle: 0.5}}\n";

static void loops_close_as_assembled_in_the_initial_configuration(void **state)
{
    (void)state;
    const char *model = lb_write_file("assembled.yaml", assembled);
    lb_cli_run run = lb_run("{\"q\": [0.3, 0.5], \"compute\": [\"loops\"]}", "eval", model, "-");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "redundant"));
    json_t *answer = json_loads(run.out, 0, NULL);
    assert_non_null(answer);
    for (size_t i = 0; i < 6; ++i) {
        expect_entry(get_loop(answer, "strut", "position_error"), i, 0.0);
        expect_entry(get_loop(answer, "lock", "position_error"), i, 0.0);
        expect_entry(get_loop(answer, "mesh", "position_error"), i, 0.0);
    }
    json_decref(answer);
    lb_end_run(&run);
    // with every coordinate zero they are open, by what the initial configuration had
    run = lb_run("{\"compute\": [\"loops\"]}", "eval", model, "-");
    answer = json_loads(run.out, 0, NULL);
    expect_entry(get_loop(answer, "mesh", "position_error"), 0, 0.7);
    expect_entry(get_loop(answer, "lock", "position_error"), 1, -0.2);
    json_decref(answer);
    lb_end_run(&run);
}

// Both wheels driven, as the gears allow and as they do not.
static void conflicting_motions_are_refused(void **state)
{
    (void)state;
    const char *model = lb_write_file("gears.yaml", gears);
    lb_cli_run run = lb_run("{\"prescribed\": {\"big\": [4], \"small\": [-2]}, \"compute\":"
                            " [\"forward\"]}",
                            "eval", model, "-");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    run = lb_run("{\"prescribed\": {\"big\": [4], \"small\": [2]}, \"compute\": [\"forward\"]}",
                 "eval", model, "-");
    assert_int_equal(run.status, 1);
    assert_non_null(
        strstr(run.err, "the motions prescribed cannot be met together with loop 'mesh'"));
    assert_string_equal(run.out, "");
    lb_end_run(&run);
}

// A planar four-bar in space, all of it in line with the axes.
static const char four_bar[] =
    "limber: 1\n"
    "ground: {nodes: {far: {position: [2, 0, 0]}}}\n"
    "bodies:\n"
    "  - {name: crank, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1,\n"
    "     inertia: [1, 1, 1, 0, 0, 0], nodes: {tip: {position: [0, 0, 1]}}}\n"
    "  - {name: coupler, parent: crank, at: tip, hinge: {type: revolute, axis: [0, 1, 0]}, mass: "
    "1,\n"
    "     inertia: [1, 1, 1, 0, 0, 0], nodes: {tip: {position: [2, 0, 0]}}}\n"
    "  - {name: rocker, at: far, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1,\n"
    "     inertia: [1, 1, 1, 0, 0, 0], nodes: {tip: {position: [0, 0, 1]}}}\n"
    "loops:\n"
    "  - {name: close, type: revolute, axis: [0, 1, 0], a: {body: coupler, node: tip},\n"
    "     b: {body: rocker, node: tip}}\n";

static void expect_info(const char *model, const char *input, const char *said)
{
    lb_cli_run run =
        input ? lb_run(input, "info", "--state", "-", model) : lb_run(NULL, "info", model);
    if (run.status != 0 || !strstr(run.out, said)) {
        fail_msg("expected \"%s\" in\n%s%s", said, run.out, run.err);
    }
    lb_end_run(&run);
}

static void info_tells_mobility_and_redundant_rows(void **state)
{
    (void)state;
    const char *model = lb_write_file("four_bar.yaml", four_bar);
    expect_info(model, NULL,
                "mobility 1 in the initial configuration: 3 dofs; 5 rows, 2 independent\n");
    expect_info(
        model, NULL,
        "  loop close has 3 redundant rows (2 turns and 1 shift): already kept by the hinges\n");
    // at full stretch the rows in the plane repeat each other for the crank's sake
    expect_info(model, "{\"q\": [1.5707963267948966, 0, -1.5707963267948966]}",
                "mobility 2 in the configuration given: 3 dofs; 5 rows, 1 independent\n");
    expect_info(model, "{\"q\": [0.3, 0, 0]}", "  loop close is open by 0.");

    // the same closure once more
    char twice[2048];
    snprintf(twice, sizeof twice,
             "%s  - {name: again, type: spherical, a: {body: coupler, node: tip},\n"
             "     b: {body: rocker, node: tip}}\n",
             four_bar);
    const char *both = lb_write_file("twice.yaml", twice);
    expect_info(both, NULL,
                "mobility 1 in the initial configuration: 3 dofs; 8 rows, 2 independent\n");
    expect_info(both, NULL, "repeated by loop ");
    lb_cli_run run = lb_run(NULL, "info", "--json", both);
    assert_int_equal(run.status, 0);
    json_t *json = json_loads(run.out, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(json, "mobility")), 1);
    assert_int_equal(json_integer_value(json_object_get(json, "rank")), 2);
    assert_int_equal(json_array_size(json_object_get(json, "loops")), 2);
    json_decref(json);
    lb_end_run(&run);
}

// Bricard's mechanism: six bars along the edges of a cube, six hinges, and yet it moves.
static void bricard_has_one_redundant_row(void **state)
{
    (void)state;
    static const char *const axes[5] = {"[0, 1, 0]", "[0, 0, 1]", "[1, 0, 0]", "[0, 1, 0]",
                                        "[0, 0, 1]"};
    static const char *const tips[5] = {"[1, 0, 0]", "[0, -1, 0]", "[0, 0, 1]", "[-1, 0, 0]",
                                        "[0, 1, 0]"};
    char text[4096];
    int at = snprintf(text, sizeof text,
                      "limber: 1\nground: {nodes: {end: {position: [0, 0, 1]}}}\nbodies:\n");
    for (int i = 0; i < 5; ++i) {
        char parent[32];
        snprintf(parent, sizeof parent, "parent: bar%d, at: tip, ", i);
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: bar%d, %shinge: {type: revolute, axis: %s}, mass: 1,\n"
                       "     inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {tip: {position: %s}}}\n",
                       i + 1, i ? parent : "", axes[i], tips[i]);
    }
    snprintf(text + at, sizeof text - (size_t)at,
             "loops:\n  - {name: close, type: revolute, axis: [1, 0, 0],\n"
             "     a: {body: ground, node: end}, b: {body: bar5, node: tip}}\n");
    const char *model = lb_write_file("bricard.yaml", text);
    expect_info(model, NULL,
                "mobility 1 in the initial configuration: 5 dofs; 5 rows, 4 independent\n");
    expect_info(model, NULL, "  loop close has 1 redundant row (");
}

// Couplers are told by their terms; a body at which many loops meet, and loops that only an event makes, have words.
static void info_tells_what_loops_join(void **state)
{
    (void)state;
    expect_info(lb_write_file("gears.yaml", gears), NULL,
                "  mesh  coupler, 1 row  1 big + 2 small\n");
    expect_info(lb_write_file("gears.yaml", gears), NULL, "2 dofs; 1 row, 1 independent\n");
    char text[8192];
    snprintf(text, sizeof text,
             "%s  - {name: a name of more than four and twenty letters, type: coupler,\n"
             "     terms: [{body: big}, {body: small, factor: 2}], offset: 0.5}\n"
             "  - {name: once more, type: coupler, terms: [{body: big}, {body: small, factor: 2}], "
             "offset: 0.5}\n",
             gears);
    const char *twice = lb_write_file("gears.yaml", text);
    expect_info(twice, NULL, "redundant row (its relation): repeated by loop ");
    expect_info(twice, NULL, ", once more\n");
    expect_info(
        lb_write_file("slide.yaml",
                      "limber: 1\n"
                      "bodies: [{name: ball, hinge: {type: translational}, mass: 1}]\n"
                      "loops: [{name: tie, type: coupler, terms: [{body: ball, coordinate: 1},\n"
                      "  {body: ball, coordinate: 2, factor: 0.5}]}]\n"),
        NULL, "1 ball[1] + 0.5 ball[2]\n");
    expect_info(lb_write_file("bolt.yaml", "limber: 1\n"
                                           "bodies: [{name: bar, hinge: {type: revolute, axis: [0, "
                                           "0, 1]}, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
                                           "loops: [{name: bolt, type: prismatic, axis: [0, 0, 1], "
                                           "a: {body: ground}, b: {body: bar}},\n"
                                           "  {name: later, type: weld, a: {body: ground}, b: "
                                           "{body: bar}, as_assembled: true, active: false}]\n"),
                NULL, "ground/origin to bar/origin, as assembled, waits\n");

    // forty rods to one plate
    int at = snprintf(text, sizeof text,
                      "limber: 1\nbodies:\n  - {name: plate, hinge: {type: free}, mass: 9, "
                      "inertia: [1, 1, 1, 0, 0, 0]}\n");
    for (int i = 0; i < 40; ++i) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: p%d, hinge: {type: translational}, mass: 1}\n", i);
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "loops:\n");
    for (int i = 0; i < 40; ++i) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: r%d, type: rod, length: 1, a: {body: plate}, b: {body: p%d}}\n",
                       i, i);
    }
    const char *plate = lb_write_file("plate.yaml", text);
    expect_info(plate, NULL, "  many meet at plate: a hub, see Step D");
}

static void info_counts_where_run_assembles(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text,
             "%sinitial: {crank: {angle: 0.3}}\nrun: {assemble: {hold: [crank]}}\n", four_bar);
    expect_info(
        lb_write_file("rough.yaml", text), NULL,
        "mobility 1 in the initial configuration, assembled: 3 dofs; 5 rows, 2 independent\n");
}

// Errors of exactly zero are no reason to leave the lines out.
static void audit_speaks_of_loops_that_are_exact(void **state)
{
    (void)state;
    char text[1024], results[300];
    snprintf(text, sizeof text, "%srun: {duration: 0.1, assemble: true}\n", gears);
    const char *model = lb_write_file("exact.yaml", text);
    snprintf(results, sizeof results, "%.280s.h5", model);
    lb_cli_run run = lb_run(NULL, "run", model, "-o", results);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "\nloops "));
    lb_end_run(&run);
    run = lb_run(NULL, "results", results);
    assert_non_null(strstr(run.out, "\nloops             off by up to"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gears_share_their_torque),
        cmocka_unit_test(a_rod_makes_a_pendulum),
        cmocka_unit_test(loops_close_as_assembled_in_the_initial_configuration),
        cmocka_unit_test(conflicting_motions_are_refused),
        cmocka_unit_test(info_tells_mobility_and_redundant_rows),
        cmocka_unit_test(bricard_has_one_redundant_row),
        cmocka_unit_test(info_tells_what_loops_join),
        cmocka_unit_test(info_counts_where_run_assembles),
        cmocka_unit_test(audit_speaks_of_loops_that_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
