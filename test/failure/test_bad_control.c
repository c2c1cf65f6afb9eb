// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Controllers that are wrong in the file, or go wrong while they run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "course.h"
#include "heard.h"
#include "limber/control.h"
#include "run_cli.h"

// Six lines; what is tested starts on the seventh.
#define MODEL                                                                                      \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}\n"                       \
    "  - {name: ball, hinge: {type: cylindrical, axis: [1, 0, 0]}, mass: 1, inertia: [1, 1, 1, "   \
    "0, 0, 0]}\n"                                                                                  \
    "forces: [{name: drive, type: actuator, hinge: cart}, {name: s, type: spring, hinge: cart, "   \
    "stiffness: 1}, {name: turn, type: actuator, hinge: ball.0}]\n"                                \
    "run: {duration: 1}\n"

typedef struct bad_case {
    const char *text; // one line, the seventh
    const char *path, *part;
} bad_case;

static const bad_case cases[] = {
    {"controllers: [{name: c, actuators: [drive], law: {type: callback}}]", "controllers[0].rate",
     "required"},
    {"controllers: [{name: c, rate: -1, actuators: [drive], law: {type: callback}}]",
     "controllers[0].rate", "above zero"},
    {"controllers: [{name: c, rate: 10, actuators: [], law: {type: callback}}]",
     "controllers[0].actuators", "at least one"},
    {"controllers: [{name: c, rate: 10, actuators: [motor], law: {type: callback}}]",
     "controllers[0].actuators[0]", "there is no actuator 'motor'"},
    {"controllers: [{name: c, rate: 10, actuators: [s], law: {type: callback}}]",
     "controllers[0].actuators[0]", "not of type actuator"},
    {"controllers: [{name: c, rate: 10, actuators: [{actuator: drive, position: eye}], law: {type: "
     "callback}}]",
     "controllers[0].actuators[0].position", "no sensor 'eye'"},
    {"controllers: [{name: c, rate: 10, actuators: [drive], law: {type: pid, kp: 1}}]",
     "controllers[0].actuators[0]", "needs the desired motion"},
    {"controllers: [{name: c, rate: 10, actuators: [{actuator: drive, desired: 1}], law: {type: "
     "pid, "
     "kp: [1, 2]}}]",
     "controllers[0].law.kp", "2 entries given"},
    {"controllers: [{name: c, rate: 10, actuators: [drive], law: {type: magic}}]",
     "controllers[0].law.type", "computed-torque"},
    {"controllers: [{name: c, rate: 10, actuators: [{actuator: drive, desired: {waypoints: [[0, "
     "1], "
     "[0, 2]]}}], law: {type: pid, kp: 1}}]",
     "controllers[0].actuators[0].desired.waypoints[1][0]", "expected a later one"},
    {"controllers: [{name: c, rate: 10, sensors: [{name: x, signal: cart.angle}], actuators: "
     "[drive], "
     "law: {type: callback}}]",
     "controllers[0].sensors[0].signal", "angle"},
    {"controllers: [{name: c, rate: 10, sensors: [{name: x, strain: [cart, ball]}], actuators: "
     "[drive], law: {type: callback}}]",
     "controllers[0].sensors[0].strain", "one flexible body"},
    {"controllers: [{name: c, rate: 10, sensors: [{name: x}], actuators: [drive], law: {type: "
     "callback}}]",
     "controllers[0].sensors[0]", "exactly one of signal, torque, strain"},
    {"controllers: [{name: c, rate: 10, sensors: [{name: x, signal: t, delay: 1.0e6}], actuators: "
     "[drive], law: {type: callback}}]",
     "controllers[0].sensors[0].delay", "at most 1000000"},
    {"controllers: [{name: c, rate: 10, actuators: [{actuator: turn, desired: 0}], law: {type: "
     "computed-torque, kp: 1, kd: 1}}]",
     "controllers[0].law", "speed 1 of the hinge of 'ball' has no actuator"},
    {"controllers: [{name: c, rate: 10, actuators: [{actuator: drive, desired: 0}], law: {type: "
     "computed-torque, regulator: {position: 1, speed: 1, vibration: 1}}}]",
     "controllers[0].law.regulator", "nothing here is flexible"},
    {"controllers: [{name: c, rate: 10, actuators: [drive], law: {type: lqr, position: 1, speed: "
     "1, "
     "vibration: 1}}]",
     "controllers[0].law", "needs sensors"},
    {"controllers: [{name: c, rate: 10, actuators: [drive], shaping: {type: zv, modes: 9}, law: "
     "{type: "
     "callback}}]",
     "controllers[0].shaping.modes", "1 to 3"},
    {"controllers: [{name: c, rate: 10, actuators: [drive], law: {type: process, command: []}}]",
     "controllers[0].law.command", "a program"},
};

static void mistakes_have_a_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[4096];
        snprintf(text, sizeof text, MODEL "%s\n", cases[i].text);
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_document *document = NULL;
        lb_model *model = NULL;
        lb_simulation *simulation = NULL;
        lb_expect_ok(lb_load_document_text(text, strlen(text), "bad.yaml", LB_FORMAT_YAML, NULL,
                                           &report, &document));
        lb_expect_ok(lb_load_document_model(document, &report, &model));
        assert_int_equal(lb_load_simulation(document, model, &report, &simulation), LB_E_MODEL);
        const lb_heard_entry *entry = lb_find_heard(&heard, cases[i].path);
        if (!entry || !strstr(entry->message, cases[i].part) || entry->line != 7) {
            lb_print_heard(&heard);
            fail_msg("expected at %s: %s", cases[i].path, cases[i].part);
        }
        lb_destroy_model(model);
        lb_destroy_document(document);
    }
}

// ---- while it runs -------------------------------------------------------------------------------

static int give_nan(void *user, const lb_control_sample *sample, double *commands)
{
    (void)user;
    commands[0] = sample->t > 0.35 ? 0.0 / (sample->t - sample->t) : 1.0;
    return 0;
}

static int give_up(void *user, const lb_control_sample *sample, double *commands)
{
    (void)user;
    commands[0] = 0.0;
    return sample->t > 0.35 ? 3 : 0;
}

static void expect_end(lb_control_law law, const char *part)
{
    lb_course course = lb_begin_course(
        MODEL "controllers: [{name: c, rate: 10, actuators: [drive], law: {type: callback}}]\n");
    if (law) {
        lb_expect_ok(lb_set_control_callback(course.simulation, "c", law, NULL));
    }
    lb_run_request request = lb_default_run_request();
    assert_true(lb_run_simulation(course.simulation, &request, NULL) < 0);
    const char *message = lb_get_simulation_message(course.simulation);
    if (!strstr(message, part)) {
        fail_msg("'%s', expected '%s'", message, part);
    }
    lb_end_course(&course);
}

static void callbacks_that_fail_end_the_run(void **state)
{
    (void)state;
    expect_end(NULL, "has been given none");
    expect_end(give_nan,
               "t = 0.4 s: the command of controller 'c' to actuator 'drive' is not a finite");
    expect_end(give_up, "t = 0.4 s: controller 'c' ended the run with 3");
    lb_course course = lb_begin_course(MODEL);
    assert_int_equal(lb_set_control_callback(course.simulation, "c", give_up, NULL), LB_E_ARGUMENT);
    lb_end_course(&course);
}

// A model whose controller is a shell script.
static const char *write_process_model(const char *script)
{
    static char text[4096];
    snprintf(text, sizeof text,
             MODEL "controllers:\n"
                   "  - name: c\n"
                   "    rate: 10\n"
                   "    sensors: [{name: x, signal: cart.distance}]\n"
                   "    actuators: [drive]\n"
                   "    law: {type: process, command: [sh, -c, \"%s\"], timeout: 0.5}\n",
             script);
    return lb_write_file("process.yaml", text);
}

// A result file beside a model.
static const char *get_result(const char *model)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s.h5", model);
    return path;
}

static void expect_process(const char *script, int status, const char *part)
{
    const char *model = write_process_model(script);
    lb_cli_run result = lb_run(NULL, "run", model, "-o", get_result(model), "--allow-programs");
    if (result.status != status || (part && !strstr(result.err, part))) {
        fail_msg("%s: %d '%s', expected %d '%s'", script, result.status, result.err, status, part);
    }
    if (status != 0) {
        // what there was is kept
        assert_non_null(strstr(result.err, "before it"));
    }
    lb_end_run(&result);
}

static void processes_that_fail_end_the_run(void **state)
{
    (void)state;
    const char *head = "read a; read b; read c; ";
    char script[512];
    snprintf(script, sizeof script, "%swhile read x; do echo 1; done", head);
    expect_process(script, 0, NULL);
    snprintf(script, sizeof script, "%sread x; echo 1; exit 4", head);
    expect_process(script, 1, "ended with status 4");
    snprintf(script, sizeof script, "%sread x; echo 1; kill -SEGV $$", head);
    expect_process(script, 1, "died of signal 11");
    snprintf(script, sizeof script, "%sread x; echo 1; sleep 20", head);
    expect_process(script, 1, "has not answered within 0.5 s");
    snprintf(script, sizeof script, "%sread x; echo 1; read x; echo nan; read y", head);
    expect_process(script, 1, "expected 1 number");
    snprintf(script, sizeof script, "%sread x; echo 1; read x; echo 1 2; read y", head);
    expect_process(script, 1, "more numbers than there are actuators");
    snprintf(script, sizeof script, "%sread x; echo 1; read x; yes | tr -d y", head);
    expect_process(script, 1, "controller 'c'");
    snprintf(script, sizeof script, "%sread x; echo 1; read x; yes | tr -d '[:cntrl:]'", head);
    expect_process(script, 1, "too long");
}

static void programs_and_plugins_need_leave(void **state)
{
    (void)state;
    const char *program = write_process_model("exit 0");
    lb_cli_run result = lb_run(NULL, "run", program, "-o", get_result(program));
    assert_int_equal(result.status, 1);
    assert_non_null(strstr(result.err, "--allow-programs"));
    lb_end_run(&result);
    static const char plugin[] =
        MODEL "controllers: [{name: c, rate: 10, actuators: [drive], law: {type: plugin, library: "
              "./none.so}}]\n";
    const char *model = lb_write_file("plugin.yaml", plugin);
    result = lb_run(NULL, "run", model, "-o", get_result(model));
    assert_non_null(strstr(result.err, "--allow-plugins"));
    lb_end_run(&result);
    result = lb_run(NULL, "run", model, "-o", get_result(model), "--allow-plugins");
    assert_int_equal(result.status, 1);
    assert_non_null(strstr(result.err, "none.so"));
    lb_end_run(&result);
    // merely reading it opens nothing
    result = lb_run(NULL, "check", model);
    assert_int_equal(result.status, 0);
    lb_end_run(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(callbacks_that_fail_end_the_run),
        cmocka_unit_test(processes_that_fail_end_the_run),
        cmocka_unit_test(programs_and_plugins_need_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
