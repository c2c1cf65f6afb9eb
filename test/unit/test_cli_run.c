// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber run, results and serve on the command line: options, names of files, comparisons, and what is refused.
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "limber/simulate.h"
#include "run_cli.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static const char arms[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, -1],\n"
    "     inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {tip: {position: [0, 0, -1]}}}\n"
    "  - {name: b, parent: a, at: tip, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1,\n"
    "     com: [0, 0, -2], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
    "initial: {a: {angle: 0.1}, b: {angle: 0.2}}\n"
    "run: {duration: 0.5, interval: 0.01}\n";

// A folder of its own to be in, left and removed by leave_folder.
static char folder[600];

static void enter_folder(void)
{
    snprintf(folder, sizeof folder, "%s", lb_write_file("arms.yaml", arms));
    *strrchr(folder, '/') = 0;
    assert_int_equal(chdir(folder), 0);
}

static void leave_folder(void)
{
    assert_int_equal(chdir(lb_find_source(".")), 0);
}

static void remove_files(const char *const *names)
{
    for (; *names; ++names) {
        remove(*names);
    }
}

// ---- run -----------------------------------------------------------------------------------------

static void results_are_named_after_the_model(void **state)
{
    (void)state;
    enter_folder();
    lb_write_file("plain", arms);
    lb_write_file(".hidden", arms);
    static const lb_cli_case cases[] = {
        {{"run", "arms.yaml"}, 0, "results           arms.h5\n", ""},
        {{"run", "./arms.yaml", "--quiet", "--csv"}, 0, "", ""},
        {{"run", "plain"}, 0, "results           plain.h5\n", ""},
        {{"run", ".hidden", "--csv", "-o", "data"}, 0, "results           data\n", ""},
        {{"run", ".hidden"}, 0, "results           .hidden.h5\n", ""},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
    static const char *const names[] = {"arms.h5",  "arms.csv",   "plain.h5", "data",
                                        "data.csv", ".hidden.h5", NULL};
    for (int i = 0; names[i]; ++i) {
        assert_int_equal(access(names[i], R_OK), 0);
    }
    FILE *csv = fopen("arms.csv", "r");
    char line[1000];
    assert_non_null(csv);
    assert_non_null(fgets(line, sizeof line, csv));
    assert_memory_equal(line, "t,", 2);
    fclose(csv);
    remove_files(names);
    leave_folder();
}

// Two recursions and two integrators agree as well as their tolerances say; a step of 0.1 s is another motion.
static void ways_of_running_agree_and_are_compared(void **state)
{
    (void)state;
    enter_folder();
    static const lb_cli_case runs[] = {
        {{"run", "arms.yaml", "-o", "1.h5", "--quiet"}, 0, "", ""},
        {{"run", "arms.yaml", "-o", "2.h5", "--quiet", "--algorithm", "divide-and-conquer"},
         0,
         "",
         ""},
        {{"run", "arms.yaml", "-o", "3.h5", "--quiet", "--integrator=rk4", "--step=0.1"},
         0,
         "",
         NULL},
        {{"run", "arms.yaml", "-o", "4.h5", "--quiet", "--tolerance=1e-3"}, 0, "", ""},
        {{"run", "arms.yaml", "-o", "5.h5", "--quiet", "--duration=0.25"}, 0, "", ""},
        {{"run", "arms.yaml", "-o", "6.h5", "--quiet", "--integrator=bdf"}, 0, "", ""},
        {{"results", "1.h5", "--compare", "1.h5", "--tolerance=0"},
         0,
         "51 common times of 51 and 51: 0 differ",
         ""},
        {{"results", "1.h5", "--compare", "2.h5", "--tolerance=1e-6"},
         0,
         ": 0 differ by more than 1.0e-06",
         ""},
        {{"results", "1.h5", "--compare", "3.h5", "--tolerance=1e-6"}, 1, "differs by", ""},
        {{"results", "1.h5", "--compare", "4.h5", "--tolerance=1e-2"}, 0, ": 0 differ", ""},
        {{"results", "1.h5", "--compare", "4.h5", "--tolerance=1e-9"}, 1, "a.angle ", ""},
        {{"results", "1.h5", "--compare", "5.h5", "--tolerance=1e-6"},
         0,
         "26 common times of 51 and 26",
         ""},
        {{"results", "5.h5", "--compare", "1.h5", "--tolerance=1e-6"},
         0,
         "26 common times of 26 and 51",
         ""},
        {{"results", "1.h5", "--compare", "6.h5", "--tolerance=1e-4"}, 0, ": 0 differ", ""},
        {{"results", "1.h5", "--compare", "/nowhere.h5"}, 1, "", "/nowhere.h5"},
        {{"results", "1.h5", "a.angle"}, 2, "", "unexpected 'a.angle'; signals go with --print"},
        {{"results", "1.h5", "--tolerance=x"}, 2, "", "--tolerance: 'x' given"},
        {{"results", "1.h5", "--print", "distance(a/tip, ground)"},
         0,
         "t,\"distance(a/tip, ground)\"\n0,",
         ""},
        {{"results", "1.h5"}, 0, "51 rows, complete", ""},
    };
    lb_expect_cases(runs, COUNT(runs), NULL);
    remove_files((const char *const[]){"1.h5", "2.h5", "3.h5", "4.h5", "5.h5", "6.h5", NULL});
    leave_folder();
}

static void options_that_cannot_be_are_refused(void **state)
{
    (void)state;
    enter_folder();
    static const lb_cli_case cases[] = {
        {{"run", "arms.yaml", "--algorithm=fast"},
         2,
         "",
         "--algorithm: 'fast' given, expected articulated or divide-and-conquer"},
        {{"run", "arms.yaml", "--integrator=frog"},
         2,
         "",
         "--integrator: 'frog' given, expected erk,"},
        {{"run", "arms.yaml", "--duration=soon"}, 2, "", "--duration: 'soon' given"},
        {{"run", "arms.yaml", "--duration=0"}, 2, "", "run: duration: expected a time above 0"},
        {{"run", "arms.yaml", "--tolerance=1"},
         2,
         "",
         "--tolerance: '1' given, expected a number from 1e-15 to 0.1"},
        {{"run", "arms.yaml", "--step=x"}, 2, "", "--step: 'x' given"},
        {{"run", "arms.yaml", "--integrator=rk4", "--step=0"},
         2,
         "",
         "run: step: expected a time above 0"},
        {{"run", "arms.yaml", "--output=/nowhere/a.h5"}, 1, "", "/nowhere"},
        {{"run", "arms.yaml", "--csv", "--output", "arms.yaml"}, 1, "", "arms.yaml"},
        {{"run", "/nowhere.yaml"}, 1, "", "cannot read /nowhere.yaml"},
        {{"run", "/"}, 1, "", "cannot read /: Is a directory"},
        {{"run", "arms.yaml", "--integrator=euler", "--step=0.01", "--strict", "--quiet",
          "--output=off.h5"},
         1,
         "",
         "arms.yaml: energy is off by more than the tolerance explains"},
        {{"run", "arms.yaml", "--integrator=euler", "--step=0.01", "--quiet", "--output=off.h5"},
         0,
         "",
         "arms.yaml: warning: energy is off"},
        {{"serve", "arms.yaml", "--integrator=erk"}, 2, "", "erk"},
        {{"serve", "arms.yaml", "--step=x"}, 2, "", "--step: 'x' given"},
        {{"serve", "arms.yaml", "--timeout=x"}, 2, "", "--timeout: 'x' given"},
        {{"serve", "arms.yaml", "--duration=x"}, 2, "", "--duration: 'x' given"},
        {{"serve", "arms.yaml", "--rate=x"}, 2, "", "--rate: 'x' given"},
        {{"serve", "arms.yaml", "--port=x"}, 2, "", "--port: 'x' given"},
        {{"serve", "arms.yaml"},
         2,
         "",
         "arms.yaml has no controller to connect to: give one the law {type: callback}"},
        {{"serve", "arms.yaml", "--controller=none"}, 2, "", "none"},
        {{"serve", "/nowhere.yaml"}, 1, "", "cannot read /nowhere.yaml"},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
    // what was refused left nothing behind
    assert_true(access("arms.h5", F_OK) != 0);
    remove("off.h5");
    leave_folder();
}

// A run that is complete has nothing left to resume.
static void a_complete_run_has_nothing_to_resume(void **state)
{
    (void)state;
    enter_folder();
    static const lb_cli_case cases[] = {
        {{"run", "arms.yaml", "--quiet", "--resume"},
         0,
         "",
         "nothing to resume: there is no arms.h5 yet"},
        {{"run", "arms.yaml", "--quiet", "--resume"}, 0, "", "nothing to do: "},
        {{"run", "arms.yaml", "--quiet", "--resume", "--duration=0.6"}, 0, "", NULL},
        {{"results", "arms.h5"}, 0, "61 rows, complete", ""},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
    remove("arms.h5");
    leave_folder();
}

// ---- serve ---------------------------------------------------------------------------------------

static const char served[] =
    "limber: 1\n"
    "bodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
    "forces: [{name: motor, type: actuator, hinge: cart}, {name: other, type: actuator, hinge: "
    "cart}]\n"
    "initial: {cart: {rate: 1}}\n"
    "events: [{name: far enough, when: cart.distance, crosses: 0.05, then: stop}]\n"
    "controllers:\n"
    "  - {name: one, rate: 100, sensors: [{name: x, signal: cart.distance}],\n"
    "     actuators: [{actuator: motor, position: x, desired: 0}], law: {type: callback}}\n"
    "%s"
    "run: {duration: 1, interval: 0.01}\n";

// A cart at 1 m/s that is stopped by an event after 0.05 m.
static void serving_ends_with_its_event(void **state)
{
    (void)state;
    enter_folder();
    char text[2048];
    snprintf(text, sizeof text, served, "");
    lb_write_file("served.yaml", text);
    snprintf(
        text, sizeof text, served,
        "  - {name: two, rate: 100, sensors: [{name: x, signal: cart.distance}],\n"
        "     actuators: [{actuator: other, position: x, desired: 0}], law: {type: callback}}\n");
    lb_write_file("two.yaml", text);
    static const lb_cli_case cases[] = {
        {{"serve", "served.yaml", "--port=0", "--rate=100", "--integrator=alpha", "--duration=1",
          "-o", "served.h5"},
         0,
         "stopped by event: far enough\n",
         NULL},
        {{"results", "served.h5"}, 0, "far enough", ""},
        {{"serve", "served.yaml", "--port=0", "--rate=100", "--integrator=euler",
          "--duration=0.02"},
         0,
         "steps             2\n",
         NULL},
        {{"serve", "served.yaml", "--port=0", "--rate=100", "--controller=one", "--duration=0.02"},
         0,
         "controller        one: 1 sensors, 1 actuators\n",
         NULL},
        {{"serve", "served.yaml", "--port=0", "--rate=150", "--duration=0.02"},
         2,
         "",
         "--rate 150 is not a multiple of the rate of controller 'one', 100"},
        {{"serve", "served.yaml", "--port=0", "--integrator=adams"},
         2,
         "",
         "--integrator: 'adams' given, expected rk4, euler or alpha"},
        {{"serve", "served.yaml", "--port=0", "--integrator=frog"},
         2,
         "",
         "--integrator: 'frog' given"},
        {{"serve", "served.yaml", "--port=0", "-o", "served.h5"},
         2,
         "",
         "--output needs --duration"},
        {{"serve", "served.yaml", "--port=0", "-o", "served.yaml", "--duration=1"},
         1,
         "",
         "served.yaml"},
        {{"serve", "served.yaml", "--bind=nowhere"}, 1, "", "nowhere"},
        {{"serve", "two.yaml", "--port=0"},
         2,
         "",
         "controllers 'one' and 'two' are both of type callback, and one can be served"},
        {{"serve", "two.yaml", "--port=0", "--controller=three"}, 2, "", "--controller: "},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
    remove("served.h5");
    leave_folder();
}

// Streams that are closed stay out of the files that are opened in their place.
static void closed_streams_do_no_harm(void **state)
{
    (void)state;
    enter_folder();
    for (int stream = 0; stream < 3; ++stream) {
        const pid_t child = fork();
        if (child == 0) {
            close(stream);
            execl(lb_find_built("limber"), "limber", "run", "arms.yaml", "--integrator=euler",
                  "--step=0.01", "-o", "closed.h5", (char *)NULL);
            _exit(127);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        // without standard output it says nothing, and says so
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == (stream == 1));
        static const lb_cli_case cases[] = {
            {{"results", "closed.h5", "--print", "a.angle"}, 0, "t,a.angle\n0,0.1", ""}};
        lb_expect_cases(cases, 1, NULL);
        remove("closed.h5");
    }
    leave_folder();
}

// ---- results -------------------------------------------------------------------------------------

// Names are as a file has them: what would steer a terminal or break a row is not printed as it is.
static void names_in_results_stay_names(void **state)
{
    (void)state;
    enter_folder();
    lb_write_file("odd.yaml", "limber: 1\n"
                              "bodies: [{name: \"a\\e[31m, \\\"b\\\"\", mass: 1, hinge: {type: "
                              "prismatic, axis: [1, 0, 0]}}]\n"
                              "initial: {\"a\\e[31m, \\\"b\\\"\": {rate: 1}}\n"
                              "run: {duration: 0.1}\n");
    lb_write_file("odder.yaml", "limber: 1\n"
                                "bodies: [{name: \"a\\e[31m, \\\"b\\\"\", mass: 1, hinge: {type: "
                                "prismatic, axis: [1, 0, 0]}}]\n"
                                "run: {duration: 0.1}\n");
    static const char *const commands[][6] = {{"run", "odd.yaml", "-o", "odd.h5", NULL},
                                              {"run", "odder.yaml", "-o", "odder.h5", NULL},
                                              {"results", "odd.h5", NULL},
                                              {"results", "odd.h5", "--csv", NULL},
                                              {"results", "odd.h5", "--compare", "odder.h5", NULL}};
    for (int i = 0; i < COUNT(commands); ++i) {
        lb_cli_run run = lb_run_cli(NULL, commands[i]);
        assert_int_equal(run.status, i == 4 ? 1 : 0);
        if (strchr(run.out, '\033') || strchr(run.err, '\033')) {
            fail_msg("%s: %s%s", commands[i][0], run.out, run.err);
        }
        assert_true(i != 4 || strstr(run.out, "differs by 1.000e+00"));
        lb_end_run(&run);
    }
    remove_files((const char *const[]){"odd.h5", "odder.h5", NULL});
    leave_folder();
}

// ---- pipes ---------------------------------------------------------------------------------------

// A request through a pipe, in two parts: the second comes when the first was read.
static void a_pipe_is_waited_for(void **state)
{
    (void)state;
    enter_folder();
    assert_int_equal(mkfifo("pipe", 0600), 0);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        static const char parts[2][40] = {"{\"q\": [0, 0], ", "\"compute\": [\"energy\"]}"};
        const int fd = open("pipe", O_WRONLY);
        for (int i = 0; i < 2; ++i) {
            if (write(fd, parts[i], strlen(parts[i])) < 0) {
                _exit(1);
            }
            for (int unread = 1; unread != 0 && getppid() == parent;) {
                unread = ioctl(fd, FIONREAD, &unread) == 0 ? unread : 0;
            }
        }
        _exit(0);
    }
    static const lb_cli_case cases[] = {
        {{"eval", "arms.yaml", "pipe"}, 0, "\"potential\": -39.24", ""}};
    setenv("LIMBER_CLOCK", "1e-4", 1); // it is patient, but not for ever
    lb_expect_cases(cases, COUNT(cases), NULL);
    unsetenv("LIMBER_CLOCK");
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    remove("pipe");
    leave_folder();
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_named_after_the_model),
        cmocka_unit_test(ways_of_running_agree_and_are_compared),
        cmocka_unit_test(options_that_cannot_be_are_refused),
        cmocka_unit_test(a_complete_run_has_nothing_to_resume),
        cmocka_unit_test(serving_ends_with_its_event),
        cmocka_unit_test(closed_streams_do_no_harm),
        cmocka_unit_test(names_in_results_stay_names),
        cmocka_unit_test(a_pipe_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
