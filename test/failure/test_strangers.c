// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of strangers: what other programs read is read, a short file makes neither messages nor memory without bound,
// and names in a file are no commands.
#define _POSIX_C_SOURCE 200809L // popen
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "heard.h"
#include "limber/io.h"
#include "limber/simulate.h"
#include "program.h"
#include "run_cli.h"

#define CASES(name) lb_find_source("test/cases/" name)
#define MASS                                                                                       \
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"        \
    "</inertial>"
#define JOINT(inside)                                                                              \
    "<link name='a'/><link name='b'>" MASS "</link><joint name='j' type='revolute'>"               \
    "<parent link='a'/><child link='b'/>" inside "</joint>"

// ---- robots ------------------------------------------------------------------------------------

// Loads a robot that raises one warning, and none else.
static lb_model *load_warned(const char *text, int line, const char *part)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *model = NULL;
    const lb_status status =
        lb_load_model_text(text, strlen(text), "r.urdf", LB_FORMAT_AUTO, NULL, &report, &model);
    if (status != LB_OK || heard.count != 1 || heard.entries[0].line != line ||
        heard.entries[0].severity != LB_SEVERITY_WARNING ||
        !strstr(heard.entries[0].message, part)) {
        lb_print_heard(&heard);
        fail_msg("%s: expected one warning in line %d: %s", text, line, part);
    }
    return model;
}

static void declarations_of_xml_that_can_only_mean_one_thing_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
        int line;
    } robots[] = {
        {"\n\n<?xml version='1.0'?>\n<robot><link name='a'/></robot>", "first thing", 3},
        {"<!-- licence -->\n<?xml version=\"1.0\"?><robot><link name='a'/></robot>", "first", 2},
        {"<?xml version='0.0' ?><robot><link name='a'/></robot>", "does not exist", 1},
        {"<?xml version='1'?><robot><link name='a'/></robot>", "does not exist", 1},
        {"<?xml version = '2.0'?><robot><link name='a'/></robot>", "does not exist", 1},
        {"<?xml encoding='UTF-8'?><robot><link name='a'/></robot>", "does not exist", 1}};
    for (size_t i = 0; i < sizeof robots / sizeof *robots; ++i) {
        lb_destroy_model(load_warned(robots[i].text, robots[i].line, robots[i].part));
    }
    // the encoding counts all the same: 0xE9 is no UTF-8
    lb_model *model = load_warned("\n<?xml version='1.0' encoding='ISO-8859-1'?><robot "
                                  "name='\xE9'><link name='a'/></robot>",
                                  2, "first");
    assert_string_equal(lb_get_model_name(model), "\xC3\xA9");
    lb_destroy_model(model);
    const lb_cli_case files[] = {
        {{"check", CASES("xml_version_0.urdf")}, 0, "OK, 0 bodies, 0 dofs, 1 warning", NULL},
        {{"check", CASES("blank_line_first.urdf")}, 0, "OK, 0 bodies, 0 dofs, 1 warning", NULL}};
    lb_expect_cases(files, 2, NULL);
}

// Forces of a robot as its document has them: none of a limit that is none.
static void limits_that_mean_none_make_no_forces(void **state)
{
    (void)state;
    static const struct {
        const char *limit, *stop, *motor; // parts of the document, NULL for none
    } robots[] = {{"lower='1' upper='-1' effort='5'", NULL, "-5"},
                  {"lower='-1' upper='1' effort='-1'", "j_stop", NULL},
                  {"lower='-inf' upper='inf' effort='Infinity'", NULL, NULL},
                  {"lower='-1' upper='+INF' effort='2'", NULL, "-2"},
                  {"lower='-1' upper='1' effort='2'", "j_stop", "-2"}};
    for (size_t i = 0; i < sizeof robots / sizeof *robots; ++i) {
        char text[1024], *written;
        size_t length;
        snprintf(text, sizeof text, "<robot>" JOINT("<limit %s velocity='-1'/>") "</robot>",
                 robots[i].limit);
        const char *path = lb_write_file("limits.urdf", text);
        lb_expect_ok(lb_convert_model(path, NULL, LB_FORMAT_YAML, NULL, &written, &length));
        assert_true((strstr(written, "j_stop") != NULL) == (robots[i].stop != NULL));
        assert_true((strstr(written, "j_motor") != NULL) == (robots[i].motor != NULL));
        free(written);
    }
    const lb_cli_case file = {
        {"check", CASES("no_limit_conventions.urdf")}, 0, "OK, 1 body, 1 dof, 3 warnings", NULL};
    lb_expect_cases(&file, 1, NULL);
}

static void calls_of_macros_count_where_they_could_move_something(void **state)
{
    (void)state;
    lb_destroy_model(load_warned("<robot><link name='a'><collision>\n<xacro:box/></collision>"
                                 "</link></robot>",
                                 2, "xacro:box is left over in a <collision>"));
    lb_destroy_model(load_warned("<robot xmlns:xacro='x'><link name='a'/><gazebo>\n<plugin>"
                                 "<xacro:p/></plugin></gazebo></robot>",
                                 2, "xacro:p is left over in a <"));
    const char *joint = lb_write_file("joint.urdf", "<robot>" JOINT("<xacro:lim/>") "</robot>");
    const char *macro =
        lb_write_file("macro.urdf", "<robot><link name='a'><visual><xacro:if value='1'/></visual>"
                                    "</link></robot>");
    const lb_cli_case cases[] = {
        {{"check", CASES("xacro_left_in_visual.urdf")}, 0, "1 warning", "xacro:grey is left over"},
        {{"check", joint}, 1, "1 error", "xacro:lim is left over: define it"},
        {{"check", macro}, 1, "1 error", "run \"xacro"}};
    lb_expect_cases(cases, 3, NULL);
}

static void a_robot_without_mass_is_warned_of(void **state)
{
    (void)state;
    lb_destroy_model(load_warned(
        "<robot>\n" JOINT("") "<link name='wheel'/>\n<joint name='w' "
                              "type='continuous'><parent link='b'/><child link='wheel'/>"
                              "</joint></robot>",
        3, "nothing that hangs on this joint has a mass: "));
    lb_destroy_model(load_warned("<robot>\n<link name='a'/><link name='b'/><joint name='j' "
                                 "type='floating'><parent link='a'/><child link='b'/></joint>"
                                 "</robot>",
                                 1, "no link has a mass"));
    static const char *const good[] = {
        "<robot><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/>"
        "<child link='b'/></joint></robot>",
        "<robot>" JOINT("") "<link name='tool'/><joint name='t' type='fixed'><parent link='b'/>"
                            "<child link='tool'/></joint></robot>"};
    for (int i = 0; i < 2; ++i) {
        const lb_cli_case c = {{"check", lb_write_file("good.urdf", good[i])}, 0, NULL, ""};
        lb_expect_cases(&c, 1, NULL);
    }
    const lb_cli_case file = {
        {"check", CASES("no_mass.urdf")}, 0, "OK, 1 body, 1 dof, 1 warning", "no link has a mass"};
    lb_expect_cases(&file, 1, NULL);
}

// A robot of one link is fixed to the world: nothing moves, and a run of it is empty, but no failure of the integrator.
static void a_robot_of_one_link_runs(void **state)
{
    (void)state;
    const char *robot = lb_write_file("one.urdf", "<robot name='one'><link name='a'/></robot>");
    static const char *const integrators[] = {"erk", "adams", "bdf", "alpha", "rk4", "euler"};
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; ++i) {
        lb_cli_run run = lb_run(NULL, "run", robot, "-t", "1", "--integrator", integrators[i], "-o",
                                lb_find_scratch("one.h5"));
        if (run.status != 0) {
            fail_msg("%s: %s", integrators[i], run.err);
        }
        lb_end_run(&run);
    }
}

// ---- bounds ------------------------------------------------------------------------------------

static int count_lines(const char *text)
{
    int count = 0;
    for (; *text; ++text) {
        count += *text == '\n';
    }
    return count;
}

// Of each kind a hundred, and the number of the others.
static void a_repeated_mistake_is_told_a_hundred_times(void **state)
{
    (void)state;
    static const struct {
        const char *text, *number, *rest;
    } cases[] = {
        {"limber: 1\nbodies:\n  - repeat: {count: 4000000, items: [\"x\"]}\n", "9901 more",
         "entries from number 10001 to 3999999 are not read"},
        {"limber: 1\nforces:\n  - repeat: {count: 4000000, items: [\"x\"]}\n", "9901 more",
         "entries from number 10001 to 3999999 are not read"},
        {"limber: 1\noutputs:\n  - repeat: {count: 1000000, items: [\"x.y\"]}\n",
         "more of this kind", "to 999999 are not read"},
        {"limber: 1\nevents:\n  - repeat: {count: 1000, items: [1]}\n", "900 more", ""},
        // mistakes of meaning, and lists within lists
        {"limber: 1\nbodies:\n  - repeat: {count: 100000, items: [{name: \"b{i}\", hinge: {type: "
         "free}, mass: -1}]}\n",
         "9901 more", "entries from number 10001 to 99999 are not read"},
        {"limber: 1\nevents:\n  - {name: e, when: t, crosses: 1, then: [{repeat: {count: 100000, "
         "items: [x]}}]}\n",
         "9901 more", "entries from number 10001 to 99999 are not read"},
        {"limber: 1\ncontrollers:\n  - {name: c, rate: 1, sensors: [{repeat: {count: 100000, "
         "items: "
         "[x]}}], actuators: [m], law: {type: pid, kp: 1}}\n",
         "9901 more", "entries from number 10001 to 99999 are not read"},
        {"limber: 1\ncontrollers:\n  - {name: c, rate: 1, actuators: [{repeat: {count: 4000000, "
         "items: [x]}}], law: {type: pid, kp: 1}}\n",
         "4000000 entries found", "expected at most 100000"},
        {"limber: 1\nbodies:\n  - {name: a, hinge: {type: free}, flex: {stiffness: [], nodes: "
         "[{repeat: {count: 100000, items: [x]}}]}}\n",
         "9901 more", "entries from number 10001 to 99999 are not read"},
        {"limber: 1\nbodies:\n  - {name: a, hinge: {type: free}, frame: {material: steel, joints: "
         "{r: [0, 0, 0]}, members: [{repeat: {count: 100000, items: [x]}}]}}\n",
         "9901 more", "to 99999 are not read"},
        {"limber: 1\nforces:\n  - {name: f, type: motor, hinge: x, value: {table: [{repeat: "
         "{count: "
         "100000, items: [x]}}]}}\n",
         "9901 more", "entries from number 10001 to 99999 are not read"},
        {"limber: 1\nbodies: [{name: a, hinge: {type: free}, mass: 1}]\n"
         "view: {shapes: [{repeat: {count: 100000, items: [x]}}]}\n",
         "100 errors so far", "entries from number 100 to 99999 are not read"},
        {"limber: 1\nbodies: [{name: a, hinge: {type: free}, mass: 1}]\n"
         "view: {traces: [{repeat: {count: 100000, items: [x]}}]}\n",
         "100 errors so far", "entries from number 100 to 99999 are not read"},
        {"limber: 1\nbodies:\n  - repeat: {count: 300, items: [{name: \"b{i}\", hinge: {type: "
         "free}, mass: -1, inertia: [1, 2]}]}\n",
         "200 more of this kind", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_cli_run run = lb_run(NULL, "check", lb_write_file("repeat.yaml", cases[i].text));
        assert_int_equal(run.status, 1);
        if (!strstr(run.err, cases[i].number) || !strstr(run.err, cases[i].rest) ||
            count_lines(run.err) > 210) {
            fail_msg("%s: %d lines, expected \"%s\" and \"%s\"", cases[i].text,
                     count_lines(run.err), cases[i].number, cases[i].rest);
        }
        lb_end_run(&run);
    }
}

// Likewise in a request of `eval`, whose lists are as long as the file.
static void mistakes_in_a_request_are_told_a_hundred_times(void **state)
{
    (void)state;
    enum { WORDS = 1000 };
    char text[8 * WORDS + 64] = "{\"compute\": [\"zzz\"";
    for (int i = 1; i < WORDS; ++i) {
        strcat(text, ", \"zzz\"");
    }
    strcat(text, "]}");
    lb_cli_run run = lb_run(NULL, "eval", lb_find_source("examples/double_pendulum.yaml"),
                            lb_write_file("request.json", text));
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "more than 100 mistakes"));
    assert_int_equal(count_lines(run.err), 101);
    lb_end_run(&run);
}

// It is evaluated for every copy: one that no copy can have is refused at the first.
static void a_formula_that_is_too_long_is_refused_once(void **state)
{
    (void)state;
    enum { TERMS = 50000 };
    static const char head[] =
        "limber: 1\nbodies:\n  - repeat: {count: 1000, items: [{name: \"b{i}\", "
        "hinge: {type: fixed}, mass: \"1",
                      tail[] = "\"}]}\n";
    char *text = malloc(sizeof head + 2 * TERMS + sizeof tail);
    assert_non_null(text);
    char *at = text + sprintf(text, "%s", head);
    for (int i = 0; i < TERMS; ++i, at += 2) {
        memcpy(at, "+1", 2);
    }
    strcpy(at, tail);
    lb_cli_run run = lb_run(NULL, "check", lb_write_file("long.yaml", text));
    assert_int_equal(run.status, 1);
    assert_int_equal(count_lines(run.err), 1);
    assert_non_null(strstr(run.err, "the formula is too long"));
    lb_end_run(&run);
    free(text);
}

// ---- names -------------------------------------------------------------------------------------

#define MODEL                                                                                      \
    "limber: 1\nparameters: {m: 1}\n"                                                              \
    "bodies: [{name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: m}]\n"                    \
    "run: {duration: 1, interval: 0.1}\n"

static const char *write_plan(const char *name, const char *model, const char *vary)
{
    char text[4096 + 512];
    snprintf(text, sizeof text,
             "limber_sweep: 1\nmodel: \"%s\"\nvary: {\"%s\": {values: [1, 2]}}\nsampling: list\n"
             "job: run\noutputs: {d: {signal: a.distance}}\n",
             model, vary);
    return lb_write_file(name, text);
}

// Runs a script with `srun` that prints its words, one on a line.
static char *run_script(const char *plan)
{
    char command[8192], *text = calloc(65536, 1);
    lb_cli_run run = lb_run(NULL, "sweep", "script", plan, "--folder", "a b's");
    assert_int_equal(run.status, 0);
    char whole[8192];
    snprintf(whole, sizeof whole, "srun() { for w in \"$@\"; do echo \"<$w>\"; done; }\n%s",
             run.out);
    lb_end_run(&run);
    const char *script = lb_write_file("job.sh", whole);
    snprintf(command, sizeof command, "cd \"$(dirname '%s')\" && bash job.sh", script);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    assert_non_null(text);
    (void)!fread(text, 1, 65535, out);
    assert_int_equal(pclose(out), 0);
    return text;
}

static void names_in_scripts_are_quoted(void **state)
{
    (void)state;
    static const char *const names[] = {"p$(touch made).yaml", "it's; touch made.yaml",
                                        "new\nline touch made.yaml", "back`touch made`\\.yaml"};
    lb_write_file("m.yaml", MODEL);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const char *plan = write_plan(names[i], "m.yaml", "m");
        char *words = run_script(plan), expected[4096], made[4096];
        snprintf(expected, sizeof expected, "<limber>\n<sweep>\n<%s>\n<--parts>\n", plan);
        if (strncmp(words, expected, strlen(expected)) != 0 || !strstr(words, "<a b's>\n")) {
            fail_msg("%s: the script has the words\n%s", names[i], words);
        }
        snprintf(made, sizeof made, "%.*s/made", (int)(strrchr(plan, '/') - plan), plan);
        assert_int_not_equal(access(made, F_OK), 0);
        free(words);
    }
}

// An output that is the same in all samples has no correlation: a dash in the table, null in JSON.
static void statistics_have_no_nan(void **state)
{
    (void)state;
    lb_write_file("even.yaml", MODEL);
    const char *plan = write_plan("even_plan.yaml", "even.yaml", "m");
    const char *folder = lb_find_scratch("even_plan.sweep");
    lb_cli_run run = lb_run(NULL, "sweep", "-q", plan, "--folder", folder);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    run = lb_run(NULL, "sweep", "statistics", plan, "--folder", folder);
    assert_null(strstr(run.out, "nan"));
    assert_non_null(strstr(run.out, "  m                                   -            -\n"));
    lb_end_run(&run);
    run = lb_run(NULL, "sweep", "statistics", plan, "--folder", folder, "--json");
    assert_null(strstr(run.out, "nan"));
    assert_non_null(strstr(run.out, "\"correlation\": null"));
    lb_end_run(&run);
}

// A plan names models of its folder, and what lies elsewhere is not quoted.
static void a_plan_reads_no_file_elsewhere(void **state)
{
    (void)state;
    const char *elsewhere = lb_find_source("test/faults/models/control.yaml");
    lb_cli_run run =
        lb_run(NULL, "sweep", "show", write_plan("far.yaml", "/etc/passwd", "m"), "--index", "1");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "not in the folder"));
    assert_null(strstr(run.err, "root:"));
    lb_end_run(&run);
    const char *plan = write_plan("control.yaml", elsewhere, "bodies.cart.mass");
    run = lb_run(NULL, "sweep", "show", plan, "--index", "0");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "--allow-files"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations_of_xml_that_can_only_mean_one_thing_are_read),
        cmocka_unit_test(limits_that_mean_none_make_no_forces),
        cmocka_unit_test(calls_of_macros_count_where_they_could_move_something),
        cmocka_unit_test(a_robot_without_mass_is_warned_of),
        cmocka_unit_test(a_robot_of_one_link_runs),
        cmocka_unit_test(a_repeated_mistake_is_told_a_hundred_times),
        cmocka_unit_test(mistakes_in_a_request_are_told_a_hundred_times),
        cmocka_unit_test(a_formula_that_is_too_long_is_refused_once),
        cmocka_unit_test(names_in_scripts_are_quoted),
        cmocka_unit_test(statistics_have_no_nan),
        cmocka_unit_test(a_plan_reads_no_file_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
