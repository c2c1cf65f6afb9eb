// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear models in several threads: the same bits as in one. The OpenBLAS for programs of one thread gives wrong
// products in two, unless all rooms that call it take one lock.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/lapack.h"
#include "limber/linear.h"
#include "limber/spectra.h"
#include "loaded.h"

enum { THREADS = 4, REPEATS = 2, FREQUENCIES = 40, SIDE = 2, MOST_STATES = 200 };

// A beam that hangs on springs: its modes, eigenvalues and responses.
static const char text[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: slide, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 3}\n"
    "  - {name: beam, parent: slide, hinge: {type: revolute, axis: [0, 1, 0]}, beam: {length: 2, "
    "elements: 40, section: {type: rectangle, width: 0.04, height: 0.01}, material: aluminium, "
    "modes: {count: 24, fixed: [root]}, damping: 0.01}}\n"
    "forces:\n"
    "  - {name: spring, type: spring, hinge: slide, stiffness: 900}\n"
    "  - {name: turn, type: spring, hinge: beam, stiffness: 700}\n"
    "  - {name: oil, type: damper, hinge: slide, damping: 4}\n"
    "  - {name: grease, type: damper, hinge: beam, damping: 3}\n"
    "  - {name: wind, type: force, at: {body: beam, node: tip}, axes: world, value: [0, 0, 0]}\n";

typedef struct outcome {
    lb_status status;
    double eigenvalues[2 * MOST_STATES];
    double response[2 * FREQUENCIES * SIDE * SIDE], singular[FREQUENCIES * SIDE];
    double mean_squares[SIDE];
} outcome;

static void note_worse(outcome *o, lb_status status)
{
    o->status = status < 0 ? status : o->status;
}

static void solve(outcome *o)
{
    static const char *const inputs[SIDE] = {"slide.motor", "wind.z"}, *const outputs[SIDE] = {
                                                                           "beam/tip.position.z",
                                                                           "beam.angle"};
    static const int points[SIDE] = {2, 2};
    static const double at[4] = {0.1, 90.0, 0.1, 90.0}, levels[4] = {1.0, 0.3, 0.2, 0.1};
    double frequencies[FREQUENCIES];
    lb_loaded l = lb_begin_loaded(text, NULL);
    lb_linear *linear = NULL;
    lb_linear_options options = lb_default_linear_options();
    options.about = LB_ABOUT_STATE;
    options.input_count = options.output_count = SIDE;
    options.inputs = inputs;
    options.outputs = outputs;
    for (int i = 0; i < FREQUENCIES; ++i) {
        frequencies[i] = 0.2 + 1.7 * i;
    }
    note_worse(o, lb_linearize(l.simulation, &options, &linear));
    if (o->status == LB_OK && linear->state_count <= MOST_STATES) {
        memcpy(o->eigenvalues, linear->eigenvalues,
               2 * (size_t)linear->state_count * sizeof *o->eigenvalues);
        note_worse(o, lb_compute_response(linear, FREQUENCIES, frequencies, o->response));
        note_worse(o,
                   lb_compute_singular_values(SIDE, SIDE, FREQUENCIES, o->response, o->singular));
        note_worse(o,
                   lb_compute_random_response(linear, points, at, levels, o->mean_squares, NULL));
    }
    lb_destroy_linear(linear);
    lb_end_loaded(&l);
}

static void *solve_again(void *user)
{
    outcome *outcomes = user;
    for (int i = 0; i < REPEATS; ++i) {
        solve(&outcomes[i]);
    }
    return NULL;
}

static void linear_models_in_several_threads_have_the_bits_of_one(void **state)
{
    (void)state;
    static outcome alone, together[THREADS][REPEATS];
    pthread_t threads[THREADS];
    solve(&alone);
    lb_expect_ok(alone.status);
    assert_true(alone.mean_squares[0] > 0 && alone.singular[0] > 0);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, solve_again, together[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (int i = 0; i < THREADS * REPEATS; ++i) {
        assert_memory_equal(&together[i / REPEATS][i % REPEATS], &alone, sizeof alone);
    }
}

enum { ENTRIES = 1000 };

static volatile int entered;

// Others run between reading and writing, if they are let in.
static void *enter(void *user)
{
    (void)user;
    for (int i = 0; i < ENTRIES; ++i) {
        lb_lock_lapack();
        const int before = entered;
        sched_yield();
        entered = before + 1;
        lb_unlock_lapack();
    }
    return NULL;
}

static void lock_keeps_others_out(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, enter, NULL), 0);
    enter(NULL);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(entered, 2 * ENTRIES);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_models_in_several_threads_have_the_bits_of_one),
        cmocka_unit_test(lock_keeps_others_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
