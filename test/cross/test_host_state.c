// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The library as a guest: what belongs to the program (signal handlers, locale, floating-point control,
// the error handler and the error stack of HDF5) is the same before and after our calls.
#define _GNU_SOURCE // fegetexcept

#include <fenv.h>
#include <hdf5.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "course.h"
#include "limber/io.h"
#include "limber/linear.h"
#include "run_cli.h"

static const char text[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}\n"
    "  - name: boom\n"
    "    parent: cart\n"
    "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
    "    beam:\n"
    "      length: 1\n"
    "      section: {type: rectangle, width: 0.02, height: 0.03}\n"
    "      material: aluminium\n"
    "      modes: 2\n"
    "forces: [{name: drive, type: actuator, hinge: cart}]\n"
    "controllers:\n"
    "  - name: control\n"
    "    rate: 50\n"
    "    sensors: [{name: place, signal: cart.distance}]\n"
    "    actuators: [{actuator: drive, desired: {waypoints: [[0, 0], [1, 0.5]]}}]\n"
    "    law: {type: pid, kp: 80, kd: 10}\n"
    "run: {duration: 0.2, interval: 0.01}\n";

// The same with a program as its law.
static const char *get_text_with(const char *program)
{
    static char copy[2048];
    const size_t length = (size_t)(strstr(text, "    law:") - text);
    snprintf(copy, sizeof copy,
             "%.*s    law: {type: process, command: [\"%s\"], timeout: 1000}\n"
             "run: {duration: 0.2, interval: 0.01}\n",
             (int)length, text, program);
    return copy;
}

static const char json[] =
    "{\"limber\": 1, \"bodies\": [{\"name\": \"a\", \"hinge\": {\"type\": \"prismatic\", "
    "\"axis\": [0, 1.0, 0]}, \"mass\": 2.5}]}";

// ---- everything that a program might do ----------------------------------------------------------

static char path[512], linear_path[512];

static int stop_early(void *user, double t, double duration)
{
    (void)user;
    (void)duration;
    return t > 0.1;
}

static lb_status run_text(const char *model, bool resume, bool stops)
{
    lb_course course = lb_begin_course(model);
    lb_run_options options = lb_default_run_options();
    lb_expect_ok(lb_get_run_options(course.simulation, &options));
    options.allow_programs = true;
    lb_expect_ok(lb_set_run_options(course.simulation, &options));
    lb_run_request request = lb_default_run_request();
    request.path = path;
    request.model_text = model;
    request.model_length = strlen(model);
    request.resume = resume;
    request.progress = stops ? stop_early : NULL;
    lb_audit audit = {.size = sizeof audit};
    const lb_status status = lb_run_simulation(course.simulation, &request, &audit);
    if (status < 0) {
        print_message("%s\n", lb_get_simulation_message(course.simulation));
    }
    lb_end_course(&course);
    return status;
}

static void linearise_once(void)
{
    static const char *const formats[] = {"linear.mat", "linear.h5"};
    lb_course course = lb_begin_course(text);
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    lb_modes *modes = NULL;
    lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
    lb_expect_ok(lb_compute_modes(course.simulation, &options, &modes));
    for (int i = 0; i < 2; ++i) {
        snprintf(linear_path, sizeof linear_path, "%s", lb_write_file(formats[i], ""));
        lb_expect_ok(lb_save_linear(linear, 0, NULL, NULL, linear_path, (lb_linear_format)i, NULL));
        assert_true(lb_save_linear(linear, 0, NULL, NULL, "/nowhere/x", (lb_linear_format)i, NULL) <
                    0);
    }
    lb_destroy_modes(modes);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

static void read_good_and_bad_files(void)
{
    lb_results *results = NULL;
    double t[2], audit_time;
    const char *bad = lb_write_file("bad.h5", "this is not a file of results, and far too short");
    assert_true(lb_open_results(bad, NULL, &results) < 0);
    assert_true(lb_open_damaged_results(bad, NULL, &results) < 0);
    assert_true(lb_open_results("/nowhere/at.h5", NULL, &results) < 0);
    lb_expect_ok(lb_open_results(path, NULL, &results));
    lb_expect_ok(lb_read_table(results, 0, 0, 2, t));
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_read_audit(results, &audit));
    audit_time = audit.time;
    assert_true(audit_time > 0.0);
    lb_close_results(results);
    // a linear model is HDF5, but not a file of results
    assert_true(lb_open_results(linear_path, NULL, &results) < 0);
}

static void do_everything(void)
{
    snprintf(path, sizeof path, "%s", lb_write_file("model.yaml", text));
    snprintf(strrchr(path, '/') + 1, 64, "run.h5");
    lb_model *model = NULL;
    lb_expect_ok(
        lb_load_model_text(json, strlen(json), "a.json", LB_FORMAT_JSON, NULL, NULL, &model));
    lb_destroy_model(model);
    assert_int_equal(run_text(get_text_with(lb_find_built("examples/example_hold")), false, false),
                     LB_OK);
    assert_int_equal(run_text(text, false, true), LB_NEWS_INTERRUPTED);
    assert_int_equal(run_text(text, true, false), LB_OK);
    linearise_once();
    read_good_and_bad_files();
    unlink(path);
}

// ---- signals, locale, floating point -------------------------------------------------------------

enum { SIGNAL_COUNT = 65 };

typedef struct surroundings {
    struct sigaction actions[SIGNAL_COUNT];
    sigset_t blocked;
    char locale[256];
    locale_t thread_locale;
    int rounding, traps;
    unsigned control; // flush to zero and the like
} surroundings;

static void look_around(surroundings *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 1; i < SIGNAL_COUNT; ++i) {
        sigaction(i, NULL, &s->actions[i]);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &s->blocked);
    snprintf(s->locale, sizeof s->locale, "%s", setlocale(LC_ALL, NULL));
    s->thread_locale = uselocale((locale_t)0);
    s->rounding = fegetround();
    s->traps = fegetexcept();
#if defined(__SSE__)
    s->control = _mm_getcsr() & ~0x3fu; // not the flags, which computing raises
#endif
}

static void expect_same_surroundings(const surroundings *a, const surroundings *b)
{
    for (int i = 1; i < SIGNAL_COUNT; ++i) {
        assert_true(a->actions[i].sa_handler == b->actions[i].sa_handler);
        assert_int_equal(a->actions[i].sa_flags, b->actions[i].sa_flags);
        for (int k = 1; k < SIGNAL_COUNT; ++k) {
            assert_int_equal(sigismember(&a->actions[i].sa_mask, k),
                             sigismember(&b->actions[i].sa_mask, k));
        }
        assert_int_equal(sigismember(&a->blocked, i), sigismember(&b->blocked, i));
    }
    assert_string_equal(a->locale, b->locale);
    assert_true(a->thread_locale == b->thread_locale);
    assert_int_equal(a->rounding, b->rounding);
    assert_int_equal(a->traps, b->traps);
    assert_int_equal(a->control, b->control);
}

static volatile sig_atomic_t pipe_signals;

static void count_signal(int number)
{
    (void)number;
    ++pipe_signals;
}

static void signals_locale_and_floating_point_control_stay(void **state)
{
    (void)state;
    // what a program might have set: a locale that is not "C" and handlers of its own
    const struct sigaction own = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    struct sigaction before[2];
    sigaction(SIGPIPE, &own, &before[0]);
    sigaction(SIGFPE, &own, &before[1]);
    setlocale(LC_ALL, "C.UTF-8");
    const locale_t mine = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    const locale_t old = uselocale(mine);
    surroundings first, last;
    look_around(&first);
    do_everything();
    look_around(&last);
    expect_same_surroundings(&first, &last);
    assert_int_equal(pipe_signals, 0);
    uselocale(old);
    if (mine) {
        freelocale(mine);
    }
    setlocale(LC_ALL, "C");
    sigaction(SIGPIPE, &before[0], NULL);
    sigaction(SIGFPE, &before[1], NULL);
}

// Numbers for files and for programs have a point where those for people have a comma.
static void decimal_comma_of_the_program_reaches_neither_files_nor_programs(void **state)
{
    (void)state;
    double rows[2][32];
    int width = 0;
    for (int i = 0; i < 2; ++i) {
        if (i == 1 && !setlocale(LC_ALL, "de_DE.UTF-8")) {
            print_message("no locale de_DE here\n");
            skip();
        }
        snprintf(path, sizeof path, "%s", lb_write_file("comma.h5", ""));
        assert_int_equal(
            run_text(get_text_with(lb_find_built("examples/example_hold")), false, false), LB_OK);
        lb_results *results = NULL;
        lb_expect_ok(lb_open_results(path, NULL, &results));
        assert_non_null(strstr(lb_get_results_info(results)->options, "interval: 0.01"));
        int table = 0;
        assert_true(lb_find_column(results, "q:cart.distance", &table) >= 0);
        width = lb_get_results_info(results)->tables[table].column_count;
        assert_true(width <= 32);
        const long last = lb_get_results_info(results)->row_count - 1;
        lb_expect_ok(lb_read_table(results, table, last, 1, rows[i]));
        lb_close_results(results);
    }
    setlocale(LC_ALL, "C");
    assert_true(rows[0][0] != 0.0);
    assert_memory_equal(rows[0], rows[1], (size_t)width * sizeof **rows);
}

// A child that has died makes writing to it fail, which is no reason to signal the program.
static void dead_child_sends_no_signal(void **state)
{
    (void)state;
    const struct sigaction own = {.sa_handler = count_signal};
    struct sigaction before;
    sigaction(SIGPIPE, &own, &before);
    pipe_signals = 0;
    snprintf(path, sizeof path, "%s", lb_write_file("dead.h5", ""));
    assert_true(run_text(get_text_with("true"), false, false) < 0);
    assert_int_equal(pipe_signals, 0);
    sigaction(SIGPIPE, &before, NULL);
}

// ---- errors of HDF5 ------------------------------------------------------------------------------

static int calls;

static herr_t own_handler(hid_t stack, void *user)
{
    (void)stack;
    (void)user;
    ++calls;
    return 0;
}

typedef struct walk {
    char text[4096];
    size_t used;
} walk;

static herr_t take_entry(unsigned n, const H5E_error2_t *e, void *user)
{
    walk *w = user;
    w->used += (size_t)snprintf(w->text + w->used, sizeof w->text - w->used, "%u %s %s:%u %s\n", n,
                                e->func_name, e->file_name, e->line, e->desc);
    return 0;
}

static void read_stack(walk *w)
{
    memset(w, 0, sizeof *w);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_entry, w);
}

static void pending_errors_and_handler_of_hdf5_stay(void **state)
{
    (void)state;
    int token = 0;
    H5E_auto2_t before;
    void *user_before;
    H5Eget_auto2(H5E_DEFAULT, &before, &user_before);
    H5Eset_auto2(H5E_DEFAULT, own_handler, &token);
    assert_true(H5Fopen("/nowhere/of/the/program.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    assert_int_equal(calls, 1);
    walk first, last;
    read_stack(&first);
    assert_true(first.used > 0);
    do_everything();
    read_stack(&last);
    assert_string_equal(first.text, last.text);
    assert_int_equal(calls, 1);
    H5E_auto2_t after = NULL;
    void *user = NULL;
    assert_true(H5Eget_auto2(H5E_DEFAULT, &after, &user) >= 0);
    assert_true(after == own_handler && user == &token);
    // and the handler still works
    assert_true(H5Fopen("/nowhere/of/the/program.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    assert_int_equal(calls, 2);
    H5Eset_auto2(H5E_DEFAULT, before, user_before);
    H5Eclear2(H5E_DEFAULT);
}

#ifndef H5_NO_DEPRECATED_SYMBOLS
static int old_calls;

static herr_t old_handler(void *user)
{
    (void)user;
    ++old_calls;
    return 0;
}

static void handler_of_the_older_kind_stays(void **state)
{
    (void)state;
    int token = 0;
    H5E_auto2_t before;
    void *user_before;
    H5Eget_auto2(H5E_DEFAULT, &before, &user_before);
    H5Eset_auto1(old_handler, &token);
    do_everything();
    H5E_auto1_t after = NULL;
    void *user = NULL;
    unsigned is_new = 1;
    assert_true(H5Eauto_is_v2(H5E_DEFAULT, &is_new) >= 0);
    assert_int_equal(is_new, 0);
    assert_true(H5Eget_auto1(&after, &user) >= 0);
    assert_true(after == old_handler && user == &token);
    assert_int_equal(old_calls, 0);
    H5Eset_auto2(H5E_DEFAULT, before, user_before);
}
#endif

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_locale_and_floating_point_control_stay),
        cmocka_unit_test(decimal_comma_of_the_program_reaches_neither_files_nor_programs),
        cmocka_unit_test(dead_child_sends_no_signal),
        cmocka_unit_test(pending_errors_and_handler_of_hdf5_stay),
#ifndef H5_NO_DEPRECATED_SYMBOLS
        cmocka_unit_test(handler_of_the_older_kind_stays),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
