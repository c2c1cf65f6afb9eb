// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs with controllers that are taken up again: with a fixed step they have the bits of an undisturbed
// run, for all that sensors, actuators and laws remember comes back.
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "course.h"
#include "limber/control.h"
#include "limber/results.h"
#include "run_cli.h"

// Two links; sensors with noise, delay and steps of their own, actuators with lag, rate and dead zone.
// Samples are on the grid of steps, some between two rows.
#define ARM(more, law)                                                                             \
    "limber: 1\n"                                                                                  \
    "gravity: [9.81, 0, 0]\n"                                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: upper, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, com: [0.3, 0, 0],\n"     \
    "     inertia: [0.01, 0.1, 0.1, 0, 0, 0], nodes: {end: {position: [0.6, 0, 0]}}}\n"            \
    "  - {name: lower, parent: upper, at: end, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1," \
    "\n     com: [0.2, 0, 0], inertia: [0.01, 0.05, 0.05, 0, 0, 0]}\n"                             \
    "forces:\n"                                                                                    \
    "  - {name: m0, type: actuator, hinge: upper, limits: [-60, 60], lag: 0.004}\n"                \
    "  - {name: m1, type: actuator, hinge: lower, rate_limit: 900, dead_zone: 0.01}\n"             \
    "  - {name: drag, type: damper, hinge: upper, damping: 0.2}\n"                                 \
    "controllers:\n"                                                                               \
    "  - name: arm\n"                                                                              \
    "    rate: 200\n"                                                                              \
    "    sensors:\n"                                                                               \
    "      - {name: a, signal: upper.angle, noise: 1.0e-4, seed: 7, rate: 500, delay: 0.012}\n"    \
    "      - {name: b, signal: lower.angle, quantum: 1.0e-4}\n"                                    \
    "    actuators:\n"                                                                             \
    "      - {actuator: m0, position: a" more "}\n"                                                \
    "      - {actuator: m1, position: b, speed: differences" more "}\n"                            \
    "    law: " law "\n"                                                                           \
    "events:\n"                                                                                    \
    "  - {name: late, when: t, crosses: 1.111, then: {disable: drag}}\n"                           \
    "run: {duration: 1, interval: 0.001, integrator: {type: rk4, step: 0.001}}\n"

#define MOVE ", desired: {waypoints: [[0.1, 0], [0.9, 0.5]]}"

static const char *const models[] = {
    ARM(MOVE, "{type: pid, kp: 120, ki: 60, kd: 8}"),
    ARM(MOVE, "{type: computed-torque, kp: 60, kd: 10}"),
    ARM(MOVE, "{type: computed-torque, modes: estimated, kp: 60, kd: 10}"),
    ARM(MOVE, "{type: acceleration-matching, state: integrated, kp: 60, kd: 10}"),
    ARM("", "{type: lqr, position: 100, speed: 1, vibration: 1}"),
    ARM(MOVE, "{type: pid, kp: [[120, 5], [5, 60]], ki: [[60, 9], [0, 20]], kd: 8}"),
    ARM("", "{type: attitude, node: lower, kp: 60, kd: 9, distribution: [[0, 1, 0], [0, 0.4, 0]],\n"
            "          desired: {waypoints: [[0.1, [1, 0, 0, 0]], [0.8, [0.96, 0, 0.28, 0]]]}}"),
};
enum { MODEL_COUNT = sizeof models / sizeof models[0] };

static void make_path(const char *name, char path[512])
{
    snprintf(path, 512, "%s", lb_write_file("model.yaml", models[0]));
    snprintf(strrchr(path, '/') + 1, 64, "%s", name);
}

typedef struct watch {
    double t; // when the process dies
} watch;

static int die(void *user, double t, double duration)
{
    const watch *w = user;
    (void)duration;
    if (t >= w->t) {
        kill(getpid(), SIGKILL);
    }
    return 0;
}

static lb_status run_to(const char *text, const char *path, double duration, bool resume, watch *w,
                        char message[512])
{
    lb_course course = lb_begin_course(text);
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course.simulation, &o);
    o.duration = duration;
    lb_expect_ok(lb_set_run_options(course.simulation, &o));
    lb_run_request request = lb_default_run_request();
    request.path = path;
    request.model_text = text;
    request.model_length = strlen(text);
    request.resume = resume;
    request.progress = w ? die : NULL;
    request.user = w;
    const lb_status status = lb_run_simulation(course.simulation, &request, NULL);
    if (message) {
        snprintf(message, 512, "%s", lb_get_simulation_message(course.simulation));
    } else if (status < 0) {
        print_message("%s\n", lb_get_simulation_message(course.simulation));
    }
    lb_end_course(&course);
    return status;
}

static void expect_same_files(const char *one, const char *other, long rows)
{
    lb_results *a = NULL, *b = NULL;
    lb_expect_ok(lb_open_results(one, NULL, &a));
    lb_expect_ok(lb_open_results(other, NULL, &b));
    assert_int_equal(lb_get_results_info(a)->row_count, rows);
    assert_int_equal(lb_get_results_info(b)->row_count, rows);
    assert_int_equal(lb_get_results_info(a)->table_count, lb_get_results_info(b)->table_count);
    double x[64], y[64];
    for (int i = 0; i < lb_get_results_info(a)->table_count; ++i) {
        const int count = lb_get_results_info(a)->tables[i].column_count;
        assert_true(count <= 64);
        for (long row = 0; row < rows; ++row) {
            lb_expect_ok(lb_read_table(a, i, row, 1, x));
            lb_expect_ok(lb_read_table(b, i, row, 1, y));
            if (memcmp(x, y, (size_t)count * sizeof *x) != 0) {
                fail_msg("table %s, row %ld", lb_get_results_info(a)->tables[i].name, row);
            }
        }
    }
    lb_close_results(a);
    lb_close_results(b);
}

static void resumed_runs_have_the_same_bits(void **state)
{
    (void)state;
    char whole[512], path[512];
    make_path("whole_control.h5", whole);
    make_path("resumed_control.h5", path);
    for (int i = 0; i < MODEL_COUNT; ++i) {
        lb_expect_ok(run_to(models[i], whole, 1.0, false, NULL, NULL));
        // at a sample, between two, and while a reading is under way
        lb_expect_ok(run_to(models[i], path, 0.250, false, NULL, NULL));
        lb_expect_ok(run_to(models[i], path, 0.503, true, NULL, NULL));
        lb_expect_ok(run_to(models[i], path, 1.0, true, NULL, NULL));
        expect_same_files(path, whole, 1001);
        unlink(path);
        unlink(whole);
    }
}

// The flexible arm of the examples, with laws that estimate its modes and a shaped desired motion.
static void so_have_those_of_a_flexible_arm(void **state)
{
    (void)state;
    static const char *const laws[] = {"{type: computed-torque, modes: estimated, ",
                                       "{type: acceleration-matching, "};
    char *example = lb_read_example("controlled_arm.yaml");
    char *law = strstr(example, "{type: computed-torque, regulator"), *run = strstr(law, "run:");
    assert_true(law && run);
    const char *regulator = strstr(law, "regulator");
    char text[8192], whole[512], path[512];
    make_path("whole_control.h5", whole);
    make_path("resumed_control.h5", path);
    for (int i = 0; i < 2; ++i) {
        snprintf(text, sizeof text,
                 "%.*s%s%.*s%srun: {duration: 1, interval: 0.001, integrator: {type: rk4, step: "
                 "2.0e-5}}\n",
                 (int)(law - example), example, laws[i], (int)(run - regulator), regulator,
                 i ? "    shaping: {type: zvd}\n" : "");
        lb_expect_ok(run_to(text, whole, 0.15, false, NULL, NULL));
        lb_expect_ok(run_to(text, path, 0.112, false, NULL, NULL));
        lb_expect_ok(run_to(text, path, 0.15, true, NULL, NULL));
        expect_same_files(path, whole, 151);
        unlink(path);
        unlink(whole);
    }
    free(example);
}

static void so_have_runs_that_were_killed(void **state)
{
    (void)state;
    char whole[512], path[512], part[520];
    make_path("whole_control.h5", whole);
    make_path("killed_control.h5", path);
    snprintf(part, sizeof part, "%s.part", path);
    lb_expect_ok(run_to(models[0], whole, 4.0, false, NULL, NULL));
    for (int i = 0; i < 8; ++i) {
        // blocks have 1024 rows: some die before the first, in the middle, behind the last
        watch w = {0.3 + 0.47 * i};
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            run_to(models[0], path, 4.0, false, &w, NULL);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        lb_expect_ok(run_to(models[0], path, 4.0, true, NULL, NULL));
        expect_same_files(path, whole, 4001);
        unlink(path);
    }
    unlink(whole);
}

// Rows whose times are points of the grid of steps but for rounding: 3 times 0.05 is not 30 times 0.005.
#define SWUNG(integrator)                                                                          \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: [{name: a, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [1, 0, 0]}]\n"     \
    "signals: {push: \"sin(7*t)\"}\n"                                                              \
    "forces: [{name: p, type: force, at: a, value: [0, 0, push]}]\n"                               \
    "run: {duration: 3, interval: 0.05, integrator: {type: " integrator ", step: 0.005}}\n"

static int stop_there(void *user, double t, double duration)
{
    const watch *w = user;
    (void)duration;
    return t >= w->t - 1e-9;
}

static void run_swung(const char *text, const char *path, double stop, bool resume)
{
    watch w = {stop};
    lb_course course = lb_begin_course(text);
    lb_run_request request = lb_default_run_request();
    request.path = path;
    request.model_text = text;
    request.model_length = strlen(text);
    request.resume = resume;
    request.progress = stop > 0.0 ? stop_there : NULL;
    request.user = &w;
    assert_true(lb_run_simulation(course.simulation, &request, NULL) >= 0);
    lb_end_course(&course);
}

static void so_have_runs_stopped_at_any_row(void **state)
{
    (void)state;
    static const char *const swung[] = {SWUNG("rk4"), SWUNG("euler")};
    char whole[512], path[512];
    make_path("whole_swung.h5", whole);
    make_path("resumed_swung.h5", path);
    for (int i = 0; i < 2; ++i) {
        run_swung(swung[i], whole, 0.0, false);
        for (int row = 1; row < 60; ++row) {
            run_swung(swung[i], path, 0.05 * row, false);
            run_swung(swung[i], path, 0.0, true);
            expect_same_files(path, whole, 61);
            unlink(path);
        }
        unlink(whole);
    }
}

// ---- what cannot be resumed says so ------------------------------------------------------------------

static int hold_still(void *user, const lb_control_sample *sample, double *commands)
{
    (void)user;
    memset(commands, 0, (size_t)sample->channel_count * sizeof *commands);
    return 0;
}

static void foreign_laws_are_refused(void **state)
{
    (void)state;
    char path[512], message[512];
    make_path("foreign_control.h5", path);
    static const char callback[] = ARM("", "{type: callback}");
    for (int i = 0; i < 2; ++i) {
        lb_course course = lb_begin_course(callback);
        lb_run_options o = {.size = sizeof o};
        lb_get_run_options(course.simulation, &o);
        o.duration = 0.01 * (i + 1);
        lb_expect_ok(lb_set_run_options(course.simulation, &o));
        lb_expect_ok(lb_set_control_callback(course.simulation, "arm", hold_still, NULL));
        lb_run_request request = lb_default_run_request();
        request.path = path;
        request.model_text = callback;
        request.model_length = strlen(callback);
        request.resume = i;
        const lb_status status = lb_run_simulation(course.simulation, &request, NULL);
        snprintf(message, sizeof message, "%s", lb_get_simulation_message(course.simulation));
        lb_end_course(&course);
        assert_int_equal(status, i ? LB_E_UNSUPPORTED : LB_OK);
    }
    assert_non_null(strstr(message, "'arm' cannot be resumed: what a law of type callback"));
    unlink(path);
    snprintf(path + strlen(path), 8, ".part");
    unlink(path);
}

static void designs_are_for_the_system_before_events(void **state)
{
    (void)state;
    char path[512], message[512];
    make_path("designed_control.h5", path);
    lb_expect_ok(run_to(models[4], path, 1.2, false, NULL, NULL));
    assert_int_equal(run_to(models[4], path, 1.3, true, NULL, message), LB_E_UNSUPPORTED);
    assert_non_null(strstr(message, "behind an event"));
    unlink(path);
    snprintf(path + strlen(path), 8, ".part");
    unlink(path);
    // others do not mind
    make_path("behind_event.h5", path);
    lb_expect_ok(run_to(models[0], path, 1.2, false, NULL, NULL));
    lb_expect_ok(run_to(models[0], path, 1.3, true, NULL, NULL));
    unlink(path);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumed_runs_have_the_same_bits),
        cmocka_unit_test(so_have_those_of_a_flexible_arm),
        cmocka_unit_test(so_have_runs_that_were_killed),
        cmocka_unit_test(so_have_runs_stopped_at_any_row),
        cmocka_unit_test(foreign_laws_are_refused),
        cmocka_unit_test(designs_are_for_the_system_before_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
