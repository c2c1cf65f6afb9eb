// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sweeps whose processes are killed or stopped, and the time that one needs.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "limber/sweep.h"
#include "run_cli.h"
#include "scratch.h"

extern char **environ;

// An arm on a spring: 2.5 kg m^2, k N m/rad. The slow one has a cart besides, whose law reads a model of its own.
#define BODIES                                                                                     \
    "limber: 1\n"                                                                                  \
    "parameters: {k: {value: 10, range: [1, 100]}}\n"                                              \
    "bodies:\n"                                                                                    \
    "  - {name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2, com: [1, 0, 0],\n"         \
    "     inertia: [0.1, 0.1, 0.5, 0, 0, 0]}\n"
#define FORCES                                                                                     \
    "forces:\n"                                                                                    \
    "  - {name: spring, type: spring, hinge: arm, stiffness: k}\n"
#define RUN                                                                                        \
    "initial: {arm: {angle: 0.3}}\n"                                                               \
    "run: {duration: 1, interval: 0.05, integrator: {type: rk4, step: 1.0e-3}}\n"
#define MODEL BODIES FORCES RUN
#define CART "{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}"
#define OWN "limber: 1\nbodies: [" CART "]\n"
#define SLOW_MODEL                                                                                 \
    BODIES "  - " CART "\n" FORCES "  - {name: drive, type: actuator, hinge: cart}\n"              \
           "controllers:\n"                                                                        \
           "  - name: hold\n"                                                                      \
           "    rate: 10\n"                                                                        \
           "    sensors: [{name: x, signal: cart.distance}, {name: v, signal: cart.rate}]\n"       \
           "    actuators: [{actuator: drive, position: x, speed: v, desired: 0}]\n"               \
           "    law: {type: computed-torque, kp: 1, kd: 1, model: own.yaml}\n" RUN

#define MODES                                                                                      \
    "limber_sweep: 1\nmodel: model.yaml\nvary: {k: {values: [10, 20, 30, 40, 50, 60]}}\n"          \
    "sampling: list\njob: modes\noutputs: {f: {frequency: 1}, zeta: {damping: 1}}\n"

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static char *read_text(const char *name)
{
    static char text[8192];
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

// ---- processes that are killed -----------------------------------------------------------------

static pid_t start_sweep(const char *plan, const char *said)
{
    char *const words[] = {(char *)(uintptr_t)lb_find_built("limber"),
                           (char *)(uintptr_t) "sweep",
                           (char *)(uintptr_t)plan,
                           (char *)(uintptr_t) "--workers",
                           (char *)(uintptr_t) "1",
                           NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, said, O_WRONLY | O_CREAT | O_TRUNC,
                                     0644);
    assert_int_equal(posix_spawn(&child, lb_find_built("limber"), &actions, NULL, words, environ),
                     0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

// The process that a sweep has started.
static pid_t find_worker(pid_t sweep)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)sweep, (long)sweep);
    for (;;) {
        long pid = 0;
        FILE *file = fopen(path, "r");
        siginfo_t end = {0};
        assert_int_equal(waitid(P_PID, (id_t)sweep, &end, WEXITED | WNOHANG | WNOWAIT), 0);
        if (end.si_pid != 0) {
            fail_msg("the sweep has ended: %s", read_text("said"));
        }
        assert_non_null(file);
        const int found = fscanf(file, "%ld", &pid);
        fclose(file);
        if (found == 1) {
            return (pid_t)pid;
        }
        sched_yield();
    }
}

// Starts a sweep whose worker reads own.yaml from a pipe for each sample. It waits for the lock of its rows until the
// pipe is there: the process that starts it reads the file itself.
static pid_t start_slow_sweep(void)
{
    mkdir("slow.sweep", 0777);
    const int rows =
        open("slow.sweep/part-1-of-1-worker-1.rows", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_int_equal(fcntl(rows, F_SETLK, &whole), 0);
    setenv("LIMBER_CLOCK", "1e-4", 1); // it is patient, but not for ever
    const pid_t sweep = start_sweep("slow.yaml", "said");
    unsetenv("LIMBER_CLOCK");
    find_worker(sweep);
    assert_int_equal(rename("own.yaml", "kept.yaml"), 0);
    assert_int_equal(mkfifo("own.yaml", 0600), 0);
    close(rows);
    return sweep;
}

// When the worker has opened the pipe it computes a sample.
static int open_pipe(void)
{
    const int pipe = open("own.yaml", O_WRONLY);
    assert_true(pipe >= 0);
    return pipe;
}

static void kill_worker(pid_t sweep, int number)
{
    const int pipe = open_pipe();
    const pid_t worker = find_worker(sweep);
    while (kill(worker, number) == 0) {
        sched_yield();
        number = 0; // until the sweep knows
    }
    close(pipe);
}

static void fill_pipe(int pipe)
{
    assert_int_equal(write(pipe, OWN, sizeof OWN - 1), sizeof OWN - 1);
    close(pipe);
}

static int wait_for(pid_t child)
{
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

// The worker of the first sample crashes, those of the second one are killed from outside.
static void crashes_are_recorded_and_kills_are_tried_again(void **state)
{
    (void)state;
    write_text("slow.yaml", "limber_sweep: 1\nmodel: slow_model.yaml\n"
                            "vary: {run.duration: {values: [1, 1, 0.1]},"
                            " run.interval: {values: [1, 1, 0.1]}}\n"
                            "sampling: list\njob: run\noutputs: {y: {signal: arm.angle}}\n");
    write_text("slow_model.yaml", SLOW_MODEL);
    write_text("own.yaml", OWN);
    const pid_t sweep = start_slow_sweep();
    kill_worker(sweep, SIGABRT);
    kill_worker(sweep, SIGKILL);
    kill_worker(sweep, SIGKILL);
    fill_pipe(open_pipe());
    assert_int_equal(wait_for(sweep), 1);
    assert_string_equal(read_text("said"),
                        "limber: sweep: two processes were killed with signal 9 at sample 1, which "
                        "stays open\n"
                        "limber: 2 of 3 samples are done; limber sweep resume slow.yaml goes on\n");
    assert_int_equal(rename("kept.yaml", "own.yaml"), 0);
    lb_cli_run run = lb_run(NULL, "sweep", "merge", "slow.yaml", "--partial");
    assert_int_equal(run.status, 0);
    double angle = 0.0;
    const char *last = strstr(run.out, "\n2,");
    assert_non_null(strstr(run.out, "\n0,1,1,,\"the process crashed with signal 6 "
                                    "(Aborted)\"\n"));
    assert_null(strstr(run.out, "\n1,"));
    assert_non_null(last);
    assert_int_equal(sscanf(last, " 2,%*f,%*f,%lf", &angle), 1);
    // 1e-12: rk4 with h omega = 0.002 errs by (h omega)^4 t omega / 120, 3e-14
    lb_expect_near("angle", angle, 0.3 * cos(0.2), 1e-12);
    lb_end_run(&run);

    // started again, it has one sample left, and is asked to stop
    const pid_t again = start_slow_sweep();
    const int pipe = open_pipe();
    assert_int_equal(kill(again, SIGUSR1), 0);
    assert_int_equal(kill(find_worker(again), SIGUSR1), 0);
    fill_pipe(pipe);
    assert_int_equal(wait_for(again), 1);
    assert_string_equal(read_text("said"),
                        "limber: 2 of 3 samples are done, and it was asked to stop; limber sweep "
                        "resume slow.yaml goes on\n");
}

// Three samples in the last 300 s: three more take as long.
static void the_time_that_is_left_is_told(void **state)
{
    (void)state;
    write_text("plan.yaml", MODES);
    lb_cli_run run = lb_run(NULL, "sweep", "plan.yaml", "--folder", "told", "--part", "1/2");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    write_text("told/started", "0\n");
    const time_t started = time(NULL) - 300;
    const struct timespec times[2] = {{.tv_sec = started}, {.tv_sec = started}};
    assert_int_equal(utimensat(AT_FDCWD, "told/started", times, 0), 0);
    run = lb_run(NULL, "sweep", "status", "plan.yaml", "--folder", "told");
    const double passed = difftime(time(NULL), started);
    double left = 0.0;
    const char *line = strstr(run.out, "left     about ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "left about %lf s, if it goes on as since the last start", &left),
                     1);
    assert_true(left >= 300.0 && left <= passed);
    lb_end_run(&run);
}

static int enter(void **state)
{
    (void)state;
    if (!lb_enter_scratch_folder()) {
        return -1;
    }
    write_text("model.yaml", MODEL);
    return 0;
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crashes_are_recorded_and_kills_are_tried_again),
        cmocka_unit_test(the_time_that_is_left_is_told),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
