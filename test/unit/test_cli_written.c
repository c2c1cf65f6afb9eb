// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What commands write, and say of it: for programs, for man, and for whoever gets the results without the model.
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "limber/results.h"
#include "run_cli.h"
#include "scratch.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static int enter(void **state)
{
    (void)state;
    return lb_enter_scratch_folder() ? 0 : -1;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void write_model(void)
{
    write_text("arm.yaml", "limber: 1\n"
                           "gravity: [0, 0, -9.81]\n"
                           "bodies:\n"
                           "  - name: arm\n"
                           "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
                           "    beam: {length: 1, section: {type: tube, diameter: 0.1}, material: "
                           "steel, modes: 1}\n"
                           "initial: {arm: {angle: 0.5}}\n"
                           "run: {duration: 0.02, interval: 0.01}\n");
}

// The only thing on standard output is a JSON document; its list `written` has these files.
static void expect_written(const char *const *words, const char *const *files)
{
    lb_cli_run run = lb_run_cli(NULL, words);
    json_error_t error;
    json_t *root = json_loads(run.out, 0, &error);
    if (run.status != 0 || !root) {
        fail_msg("%s %s: status %d, out \"%s\", err \"%s\"", words[0], words[1] ? words[1] : "",
                 run.status, run.out, run.err);
    }
    json_t *list = json_object_get(root, "written");
    size_t count = 0;
    for (; files[count]; ++count) {
        assert_string_equal(json_string_value(json_array_get(list, count)), files[count]);
        assert_int_equal(access(files[count], F_OK), 0);
    }
    assert_int_equal(json_array_size(list), count);
    json_decref(root);
    lb_end_run(&run);
}

#define WRITTEN(file, ...)                                                                         \
    expect_written((const char *const[]){__VA_ARGS__, "--json", NULL},                             \
                   (const char *const[]){file, NULL})

static void json_lists_what_was_written(void **state)
{
    (void)state;
    write_model();
    WRITTEN("fresh.yaml", "new", "fresh");
    WRITTEN("a.json", "convert", "arm.yaml", "a.json");
    WRITTEN("chain.yaml", "examples", "chain");
    WRITTEN("fe", "export", "arm.yaml", "--body", "arm", "-o", "fe");
    lb_cli_run run = lb_run(NULL, "run", "arm.yaml", "-q");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
#ifdef LB_WITH_VIEW
    WRITTEN("arm.html", "view", "arm.h5", "--no-open");
    WRITTEN("arm.png", "render", "arm.h5", "-o", "arm.png");
    WRITTEN("arm.svg", "plot", "arm.h5", "arm.angle", "-o", "arm.svg");
    WRITTEN(NULL, "plot", "arm.h5");
#endif
    static const lb_cli_case cases[] = {
        {{"convert", "arm.yaml", "-", "--json"}, 1, "", "name a file in place of -"},
        {{"examples", "--json"}, 0, "\"name\": \"chain\",", ""},
        {{"help", "--json"}, 0, "\"name\": \"render\"", ""},
        {{"help", "run", "--json"}, 0, "\"letter\": \"o\"", ""},
        {{"new", "quiet", "-q"}, 0, "", ""},
#ifdef LB_WITH_VIEW
        {{"plot", "arm.h5", "arm.angle", "--json"}, 0, "\"unit\": \"rad\"", ""},
        {{"view", "arm.h5", "--serve", "--json"}, 2, "", "--serve writes none"},
#endif
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
}

static void every_command_has_json_and_a_page_for_man(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "help", "--json");
    json_t *root = json_loads(run.out, 0, NULL), *commands = json_object_get(root, "commands");
    lb_end_run(&run);
    assert_true(json_array_size(commands) > 10);
    lb_cli_run all = lb_run(NULL, "help", "--man");
    assert_int_equal(strncmp(all.out, ".TH LIMBER 1", 12), 0);
    for (size_t i = 0; i < json_array_size(commands); ++i) {
        json_t *command = json_array_get(commands, i),
               *options = json_object_get(command, "options");
        const char *name = json_string_value(json_object_get(command, "name"));
        bool has_json = strcmp(name, "demo") == 0 || strcmp(name, "completion") == 0;
        for (size_t k = 0; k < json_array_size(options); ++k) {
            const char *option =
                json_string_value(json_object_get(json_array_get(options, k), "name"));
            has_json = has_json || strcmp(option, "json") == 0;
        }
        if (!has_json) {
            fail_msg("limber %s has no --json", name);
        }
        run = lb_run(NULL, "help", name, "--man");
        assert_int_equal(run.status, 0);
        assert_int_equal(strncmp(run.out, ".TH LIMBER", 10), 0);
        assert_non_null(strstr(run.out, ".SH OPTIONS"));
        lb_end_run(&run);
        // the page of all commands lists it, and refers to its own
        char entry[64], page[64];
        snprintf(entry, sizeof entry, ".TP\n\\fB%s\\fR\n", name);
        snprintf(page, sizeof page, "limber-%s(1)", name);
        assert_non_null(strstr(all.out, entry));
        assert_non_null(strstr(all.out, page));
    }
    lb_end_run(&all);
    json_decref(root);
}

static void a_run_that_an_event_stops_says_so(void **state)
{
    (void)state;
    write_text("stop.yaml",
               "limber: 1\n"
               "bodies: [{name: cart, mass: 2, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n"
               "initial: {cart: {rate: 0.3}}\n"
               "events: [{name: far, when: cart.distance, crosses: 0.03, then: stop}]\n"
               "run: {duration: 1, interval: 0.02, integrator: {type: rk4, step: 0.02}}\n");
    static const lb_cli_case cases[] = {
        {{"run", "stop.yaml"}, 0, "stopped at t = 0.1 s by event: far\n", ""},
        {{"results", "stop.h5"}, 0, "far", ""},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
    lb_cli_run run = lb_run(NULL, "results", "stop.h5", "--json");
    json_t *root = json_loads(run.out, 0, NULL), *events = json_object_get(root, "events");
    assert_int_equal(json_array_size(events), 1);
    const json_t *event = json_array_get(events, 0);
    assert_string_equal(json_string_value(json_object_get(event, "name")), "far");
    // 1e-9: motion at a constant speed is exact; the time is found to the tolerance of events
    lb_expect_near("t", json_number_value(json_object_get(event, "t")), 0.1, 1e-9);
    json_decref(root);
    lb_end_run(&run);
}

static void models_come_through_standard_input(void **state)
{
    (void)state;
    static const char good[] = "limber: 1\nbodies: [{name: a, mass: 1, hinge: {type: free}}]\n";
    lb_cli_run run = lb_run(good, "check", "-");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "<stdin>: OK, 1 body, 6 dofs\n");
    lb_end_run(&run);
    run = lb_run("limber: 1\nbodies: [{name: a, mas: 1}]\n", "check", "-");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "<stdin>:2:"));
    lb_end_run(&run);
}

// A step that nobody takes, and one that is too long, are told.
static void steps_are_not_ignored_in_silence(void **state)
{
    (void)state;
    static const lb_cli_case cases[] = {
        {{"new", "stiff", "-q"}, 0, "", ""},
        {{"run", "stiff.yaml", "--dt", "0.001", "-t", "0.02", "-q"}, 0, "", "--step does nothing"},
        {{"run", "stiff.yaml", "--dt", "0.001", "-t", "0.1", "--integrator", "rk4"},
         1,
         "",
         "try a shorter --step"},
        {{"run", "stiff.yaml", "--dt", "0.001", "-t", "0.02", "--integrator", "alpha", "-q", "-o",
          "alpha.h5"},
         0,
         "",
         ""},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
}

// Where a search starts from an equilibrium, forces are round-off: it is found again.
static void trim_agrees_with_itself(void **state)
{
    (void)state;
    static const lb_cli_case cases[] = {
        {{"new", "twice", "-q"}, 0, "", ""},
        {{"trim", "twice.yaml", "--in-place"}, 0, "wrote twice.yaml", ""},
        {{"trim", "twice.yaml", "--in-place"}, 0, "wrote twice.yaml", ""},
        {{"trim", "twice.yaml"}, 0, "# equilibrium after", ""},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
}

// Editors take the address of the schema up to the first space.
static void the_schema_is_named_wherever_it_is(void **state)
{
    (void)state;
    assert_int_equal(system("mkdir -p 'a place/bin' 'a place/schema' && "
                            "cp \"$LIMBER_COMMAND\" 'a place/bin' && "
                            "echo '{}' > 'a place/schema/limber-model-1.json' && "
                            "'a place/bin/limber' new - | grep -q '^# yaml-language-server: "
                            "[$]schema=file:///[^ ]*/a%20place/schema/limber-model-1.json$'"),
                     0);
}

#ifdef LB_WITH_VIEW

#define LINK(name)                                                                                 \
    "<link name='" name "'><inertial><origin xyz='0 0 0.3'/><mass value='1'/><inertia ixx='0.1' "  \
    "iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
#define JOINT(name, type, parent, child)                                                           \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child        \
    "'/><axis xyz='0 1 0'/></joint>"

static void joints_of_a_robot_are_signals(void **state)
{
    (void)state;
    // a name that is a link's, and one that no expression could have, are no signals, and no harm
    write_text("robot.urdf",
               "<robot name='r'><link name='base'/>" LINK("upper arm") LINK("hand") LINK("tool")
                   LINK("slider") JOINT("shoulder_joint", "continuous", "base", "upper arm")
                       JOINT("tool", "continuous", "upper arm", "hand")
                           JOINT("a-b", "continuous", "hand", "tool")
                               JOINT("slide_joint", "prismatic", "tool", "slider") "</robot>");
    static const lb_cli_case cases[] = {
        {{"run", "robot.urdf", "-t", "0.1", "-q", "--set", "initial.shoulder_joint.angle=0.25"},
         0,
         "",
         NULL},
        {{"results", "robot.h5", "--print", "shoulder_joint"}, 0, "shoulder_joint\n0,0.25\n", NULL},
        {{"plot", "robot.h5", "slide_joint", "--json"}, 0, "\"name\": \"slide_joint\"", NULL},
        {{"check", "robot.urdf", "--set", "initial.elbow.angle=1"}, 1, NULL, "no body 'elbow'"},
        {{"convert", "robot.urdf", "robot.yaml", "-q"}, 0, "", NULL},
        {{"run", "robot.yaml", "-t", "0.1", "-q", "-o", "again.h5", "--set",
          "initial.shoulder_joint.angle=0.25"},
         0,
         "",
         NULL},
        {{"results", "again.h5", "--compare", "robot.h5"}, 0, " 0 differ", ""},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
    // the same numbers by the name of the joint and of the link
    assert_int_equal(system("\"$LIMBER_COMMAND\" results robot.h5 --print shoulder_joint | "
                            "tail -n +2 > a && "
                            "\"$LIMBER_COMMAND\" results robot.h5 --print 'upper arm.angle' | "
                            "tail -n +2 > b && cmp a b"),
                     0);
}

// A model with a library and a body file; then only the results are left.
// A mesh that a robot names by its package is kept as well.
static void meshes_of_packages_are_kept(void **state)
{
    (void)state;
    mkdir("arm_description", 0777);
    mkdir("arm_description/urdf", 0777);
    mkdir("elsewhere", 0777);
    write_text("arm_description/package.xml", "<package><name>arm_description</name></package>\n");
    write_text("arm_description/link.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
                                           "vertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
                                           "endsolid a\n");
    write_text("arm_description/urdf/arm.urdf",
               "<robot name='arm'><link name='base'/><link name='link'><inertial><mass value='1'/>"
               "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><visual>"
               "<geometry><mesh filename='package://arm_description/link.stl'/></geometry></visual>"
               "</link><joint name='j' type='continuous'><parent link='base'/>"
               "<child link='link'/></joint></robot>\n");
    assert_int_equal(
        system(
            "\"$LIMBER_COMMAND\" run arm_description/urdf/arm.urdf -q -t 0.1 -o elsewhere/arm.h5"),
        0);
    assert_int_equal(rename("arm_description", "away_with_it"), 0);
    static const lb_cli_case cases[] = {
        {{"results", "elsewhere/arm.h5"}, 0, "files (that the model names)\n  link.stl\n", ""},
        {{"view", "elsewhere/arm.h5", "-o", "-"}, 0, "\"kind\":\"mesh\"", ""},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
}

static void results_are_enough(void **state)
{
    (void)state;
    mkdir("home", 0777);
    mkdir("home/parts", 0777);
    mkdir("away", 0777);
    lb_cli_run imported = lb_run(NULL, "import", lb_find_source("test/data/fe/modes/array.csv"),
                                 "-o", "home/parts/array.flex", "-q");
    assert_int_equal(imported.status, 0);
    lb_end_run(&imported);
    write_text("home/parts/stock.yaml",
               "limber: 1\nsections: {pipe: {type: tube, diameter: 0.1}}\n");
    write_text("home/m.yaml",
               "limber: 1\n"
               "library: [parts/stock.yaml]\n"
               "bodies:\n"
               "  - {name: bus, mass: 100, inertia: [10, 10, 10, 0, 0, 0], hinge: {type: free}}\n"
               "  - {name: panel, parent: bus, hinge: {type: fixed}, flex: {file: "
               "parts/array.flex, damping: 0.01}}\n"
               "  - name: boom\n"
               "    parent: bus\n"
               "    hinge: {type: fixed}\n"
               "    beam: {length: 1, section: pipe, material: steel, modes: 1}\n"
               "initial: {bus: {angular_velocity: [0.1, 0, 0]}}\n"
               "run: {duration: 0.1, interval: 0.05}\n");
    assert_int_equal(system("cd home && \"$LIMBER_COMMAND\" run m.yaml -q -o ../away/m.h5"), 0);
    assert_int_equal(rename("home", "gone"), 0);
    static const lb_cli_case cases[] = {
        {{"plot", "away/m.h5", "boom.position.z", "--json"},
         0,
         "\"name\": \"boom.position.z\"",
         ""},
        {{"results", "away/m.h5"}, 0, "files (that the model names)\n  parts/stock.yaml\n", ""},
        {{"results", "away/m.h5", "--json"}, 0, "\"parts/array.flex\"\n", ""},
        {{"render", "away/m.h5", "-o", "m.png"}, 0, "wrote m.png", ""},
        {{"view", "away/m.h5", "-o", "m.html"}, 0, "wrote m.html", ""},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);

    // what is kept is the file, byte by byte
    lb_results *results = NULL;
    void *data = NULL;
    size_t size = 0;
    assert_int_equal(lb_open_results("away/m.h5", NULL, &results), LB_OK);
    assert_int_equal(lb_get_results_info(results)->file_count, 2);
    assert_string_equal(lb_get_results_info(results)->files[1], "parts/array.flex");
    assert_int_equal(lb_read_results_file(results, 1, &data, &size), LB_OK);
    FILE *file = fopen("gone/parts/array.flex", "rb");
    char *bytes = malloc(size + 1);
    assert_true(file && bytes);
    assert_int_equal(fread(bytes, 1, size + 1, file), size);
    assert_memory_equal(bytes, data, size);
    fclose(file);
    free(bytes);
    free(data);
    assert_int_equal(lb_read_results_file(results, 2, &data, &size), LB_E_ARGUMENT);
    assert_null(data);
    lb_close_results(results);

    // a name that leads elsewhere is not written to
    assert_int_equal(system("sed 's#parts/array.flex#../zzzzzzzz.flex#g' away/m.h5 > away/bad.h5"),
                     0);
    lb_cli_run run = lb_run(NULL, "render", "away/bad.h5", "-o", "bad.png");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "no scene"));
    lb_end_run(&run);
    assert_int_equal(access("zzzzzzzz.flex", F_OK), -1);
    assert_int_equal(access(lb_find_scratch("../zzzzzzzz.flex"), F_OK), -1);
}

#endif

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_lists_what_was_written),
        cmocka_unit_test(the_schema_is_named_wherever_it_is),
        cmocka_unit_test(every_command_has_json_and_a_page_for_man),
        cmocka_unit_test(a_run_that_an_event_stops_says_so),
        cmocka_unit_test(models_come_through_standard_input),
        cmocka_unit_test(steps_are_not_ignored_in_silence),
        cmocka_unit_test(trim_agrees_with_itself),
#ifdef LB_WITH_VIEW
        cmocka_unit_test(joints_of_a_robot_are_signals),
        cmocka_unit_test(meshes_of_packages_are_kept),
        cmocka_unit_test(results_are_enough),
#endif
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
