// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of the library that allocate, with one allocation after another failing, alone and with all
// that follow: LB_E_MEMORY or the same numbers as ever, nothing left behind, and the next call is right.
// Only allocations of our own code fail; what other libraries do is seen by check_allocations.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dynamics/divide/division.h"
#include "limber/batch.h"
#include "limber/control.h"
#include "limber/derivatives.h"
#include "limber/linear.h"
#include "limber/operators.h"
#include "limber/results.h"
#include "limber/simulate.h"
#include "own_malloc.h"
#include "program.h"
#include "scratch.h"

#if LB_OWN_MALLOC

// Allocations of long series that fail: about so many.
enum { SAMPLE = 30 };

// ---- one action after the other -----------------------------------------------------------------

typedef struct stage {
    const char *file;
    lb_document *document;
    lb_model *model;
    lb_simulation *sim;
    lb_linear *linear;
    char path[LB_SCRATCH_PATH_SIZE];
    double sum; // of what was computed, in the order of computing
} stage;

// What is examined. Everything that it makes is freed.
typedef lb_status action(stage *s);

static void add(stage *s, double value)
{
    s->sum = s->sum * 1.0001 + (isfinite(value) ? value : 1.0);
}

static void add_all(stage *s, size_t count, const double *values)
{
    for (size_t i = 0; i < count; ++i) {
        add(s, values[i]);
    }
}

static void open_stage(stage *s, const char *file, bool simulates)
{
    *s = (stage){.file = lb_find_source("test/faults/models/%s", file)};
    assert_int_equal(lb_load_document(s->file, NULL, NULL, &s->document), LB_OK);
    assert_int_equal(lb_load_document_model(s->document, NULL, &s->model), LB_OK);
    if (simulates) {
        assert_int_equal(lb_load_simulation(s->document, s->model, NULL, &s->sim), LB_OK);
    }
}

static void close_stage(stage *s)
{
    lb_destroy_linear(s->linear);
    lb_destroy_simulation(s->sim);
    lb_destroy_model(s->model);
    lb_destroy_document(s->document);
}

typedef struct trial {
    lb_status status;
    double sum;
    long count, left;
} trial;

// Prepares, acts with allocation `at` failing, and looks.
static trial try(const char *file, bool simulates, void (*prepare)(stage *s), action *act, long at,
                 bool from)
{
    stage s;
    const long live = lb_malloc_live;
    open_stage(&s, file, simulates);
    if (prepare) {
        prepare(&s);
    }
    lb_scarce_count = 0;
    lb_scarce_from = from;
    lb_scarce_at = at;
    trial t = {.status = act(&s)};
    lb_scarce_at = 0;
    t.count = lb_scarce_count;
    t.sum = s.sum;
    close_stage(&s);
    t.left = lb_malloc_live - live;
    if (s.path[0]) {
        remove(s.path);
    }
    return t;
}

static void starve(const char *name, const char *file, bool simulates, void (*prepare)(stage *s),
                   action *act)
{
    // twice: what libraries keep for good is made the first time
    try(file, simulates, prepare, act, -1, false);
    const trial good = try(file, simulates, prepare, act, -1, false);
    assert_true(good.status >= LB_OK);
    if (good.count == 0) {
        skip(); // shared libraries
    }
    const long stride = good.count / SAMPLE + 1;
    for (int from = 0; from < 2; ++from) {
        for (long at = 1; at <= good.count; at += at < 10 ? 1 : stride) {
            const trial t = try(file, simulates, prepare, act, at, from);
            const bool same = t.status == good.status && t.sum == good.sum;
            const bool leaks = good.left == 0 && t.left > 0; // libraries keep lists of their own
            if ((t.status != LB_E_MEMORY && !same) || leaks) {
                fail_msg("%s of %s: allocation %ld of %ld%s: status %d, sum %.17g not %.17g, %ld "
                         "pieces left, not %ld",
                         name, file, at, good.count, from ? " and all that follow" : "",
                         (int)t.status, t.sum, good.sum, t.left, good.left);
            }
        }
    }
    const trial again = try(file, simulates, prepare, act, -1, false);
    assert_int_equal(again.status, good.status);
    assert_true(again.sum == good.sum);
}

// ---- documents, models, workspaces --------------------------------------------------------------

static lb_status load(stage *s)
{
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_status status = lb_load_document(s->file, NULL, NULL, &document);
    status = status < 0 ? status : lb_load_document_model(document, NULL, &model);
    add(s, model ? lb_get_v_count(model) + lb_get_body_count(model) : 0.0);
    lb_destroy_model(model);
    lb_destroy_document(document);
    return status;
}

static lb_status convert(stage *s)
{
    char *text = NULL;
    size_t length = 0;
    const lb_status status = lb_convert_model(s->file, NULL, LB_FORMAT_JSON, NULL, &text, &length);
    for (size_t i = 0; text && i < length; ++i) {
        add(s, text[i]);
    }
    free(text);
    return status;
}

static lb_status load_simulation(stage *s)
{
    lb_simulation *sim = NULL;
    lb_forces *forces = NULL;
    lb_status status = lb_load_simulation(s->document, s->model, NULL, &sim);
    status = status < 0 ? status : lb_load_forces(s->document, s->model, NULL, &forces);
    add(s, forces ? lb_get_force_count(forces) : 0.0);
    lb_destroy_forces(forces);
    lb_destroy_simulation(sim);
    return status;
}

static lb_status create_workspaces(stage *s)
{
    lb_work *work = lb_create_work(s->model);
    lb_batch *batch = lb_create_batch(s->model, NULL);
    lb_derivative_work *derivatives = lb_create_derivative_work(s->model);
    lb_op_work *operators = lb_op_create_work(s->model);
    lb_op_expression *expression = NULL;
    lb_division *division = NULL;
    lb_status status = lb_create_division(s->model, NULL, &division);
    const lb_status parsed = lb_op_parse("H Phi M Phi* H*", NULL, &expression);
    status = status < 0 ? status : parsed;
    status = work && batch && derivatives && operators ? status : LB_E_MEMORY;
    if (work) {
        lb_destroy_work(work);
    }
    if (batch) {
        lb_destroy_batch(batch);
    }
    if (derivatives) {
        lb_destroy_derivative_work(derivatives);
    }
    if (operators) {
        lb_op_destroy_work(operators);
    }
    lb_op_destroy_expression(expression);
    lb_destroy_division(division);
    return status;
}

static void loading_survives(void **state)
{
    (void)state;
    static const char *const files[] = {"arm.yaml", "beam.yaml", "loop.yaml", "control.yaml",
                                        "robot.urdf"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        starve("load", files[i], false, NULL, load);
        starve("load_simulation", files[i], false, NULL, load_simulation);
        starve("convert", files[i], false, NULL, convert);
    }
}

static void workspaces_survive(void **state)
{
    (void)state;
    starve("create_workspaces", "arm.yaml", false, NULL, create_workspaces);
    starve("create_workspaces", "beam.yaml", false, NULL, create_workspaces);
}

// ---- simulations --------------------------------------------------------------------------------

static void add_state(stage *s)
{
    double t;
    const double *q, *v, *a;
    lb_get_simulation_state(s->sim, &t, &q, &v, &a);
    add(s, t);
    add_all(s, (size_t)lb_get_q_count(s->model), q);
    add_all(s, (size_t)lb_get_v_count(s->model), v);
}

static lb_status assemble(stage *s)
{
    const lb_status status = lb_assemble_simulation(s->sim, NULL, NULL);
    add_state(s);
    return status;
}

static lb_status trim(stage *s)
{
    const lb_status status = lb_trim_simulation(s->sim, NULL);
    add_state(s);
    return status;
}

static lb_status step(stage *s)
{
    lb_status status = lb_start_simulation(s->sim);
    for (double t = 0.01; status >= 0 && t < 0.035; t += 0.01) {
        status = lb_advance_simulation(s->sim, t);
        status = status > 0 ? LB_OK : status;
    }
    add_state(s);
    return status;
}

static void choose(stage *s, lb_integrator integrator)
{
    lb_run_options options = {.size = sizeof options};
    assert_int_equal(lb_get_run_options(s->sim, &options), LB_OK);
    options.integrator = integrator;
    options.order = 0;
    options.step = 0.005;
    assert_int_equal(lb_set_run_options(s->sim, &options), LB_OK);
}

static void choose_erk(stage *s)
{
    choose(s, LB_INTEGRATOR_ERK);
}

static void choose_adams(stage *s)
{
    choose(s, LB_INTEGRATOR_ADAMS);
}

static void choose_bdf(stage *s)
{
    choose(s, LB_INTEGRATOR_BDF);
}

static void choose_differences(stage *s)
{
    lb_run_options options = {.size = sizeof options};
    choose(s, LB_INTEGRATOR_BDF);
    assert_int_equal(lb_get_run_options(s->sim, &options), LB_OK);
    options.differences = true;
    assert_int_equal(lb_set_run_options(s->sim, &options), LB_OK);
}

static void choose_alpha(stage *s)
{
    choose(s, LB_INTEGRATOR_ALPHA);
}

static void simulations_survive(void **state)
{
    (void)state;
    starve("assemble", "loop.yaml", true, NULL, assemble);
    starve("trim", "loop.yaml", true, NULL, trim);
    starve("trim", "beam.yaml", true, NULL, trim);
    static const char *const files[] = {"arm.yaml", "beam.yaml", "control.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        starve("step by erk", files[i], true, choose_erk, step);
        starve("step by adams", files[i], true, choose_adams, step);
        starve("step by bdf", files[i], true, choose_bdf, step);
        starve("step by bdf with differences", files[i], true, choose_differences, step);
        starve("step by alpha", files[i], true, choose_alpha, step);
    }
}

// ---- files --------------------------------------------------------------------------------------

static void choose_path(stage *s)
{
    FILE *file = lb_open_scratch(s->path);
    assert_non_null(file);
    fclose(file);
}

static lb_status run(stage *s)
{
    lb_run_request request = lb_default_run_request();
    request.path = s->path;
    const lb_status status = lb_run_simulation(s->sim, &request, NULL);
    char part[LB_SCRATCH_PATH_SIZE + 8];
    snprintf(part, sizeof part, "%s.part", s->path);
    remove(part);
    if (status >= 0) {
        add_state(s);
    }
    // whatever cannot be written for lack of memory is said to be so
    const char *message = lb_get_simulation_message(s->sim);
    return status == LB_E_FILE && strstr(message, "memory") ? LB_E_MEMORY : status;
}

static void record(stage *s)
{
    choose_path(s);
    lb_run_request request = lb_default_run_request();
    request.path = s->path;
    assert_true(lb_run_simulation(s->sim, &request, NULL) >= 0);
}

static lb_status read(stage *s)
{
    lb_results *results = NULL;
    lb_status status = lb_open_results(s->path, NULL, &results);
    double row[64] = {0};
    for (int i = 0; status >= 0 && i < lb_get_results_info(results)->table_count; ++i) {
        if (lb_get_results_info(results)->tables[i].column_count <= 64) {
            status = lb_read_table(results, i, 0, 1, row);
            add_all(s, (size_t)lb_get_results_info(results)->tables[i].column_count, row);
        }
    }
    lb_close_results(results);
    return status;
}

static void files_survive(void **state)
{
    (void)state;
    starve("run", "arm.yaml", true, choose_path, run);
    starve("run", "control.yaml", true, choose_path, run);
    starve("read", "arm.yaml", true, record, read);
}

// ---- linear models ------------------------------------------------------------------------------

static lb_linear_options get_options(const stage *s)
{
    static const char *const inputs[] = {"arm.motor"}, *const outputs[] = {"arm.angle"};
    lb_linear_options options = lb_default_linear_options();
    if (strcmp(s->file, "control.yaml") == 0) {
        options.input_count = options.output_count = 1;
        options.inputs = inputs;
        options.outputs = outputs;
        options.control = LB_CONTROL_DISCRETE;
    }
    return options;
}

static lb_status compute_modes(stage *s)
{
    const lb_linear_options options = get_options(s);
    lb_modes *modes = NULL;
    const lb_status status = lb_compute_modes(s->sim, &options, &modes);
    if (modes) {
        add_all(s, 2 * (size_t)modes->mode_count, modes->eigenvalues);
        lb_destroy_modes(modes);
    }
    return status;
}

static lb_status sweep(stage *s)
{
    lb_linear_options options = lb_default_linear_options();
    options.spin = lb_find_speed(s->model, "boom", NULL);
    const double speeds[] = {0.0, 1.0, 2.0};
    lb_campbell *campbell = NULL;
    const lb_status status = lb_compute_campbell(s->sim, &options, 3, speeds, &campbell);
    if (campbell) {
        add_all(s, 3 * (size_t)campbell->line_count, campbell->frequencies);
        lb_destroy_campbell(campbell);
    }
    return status;
}

static lb_status linearize(stage *s)
{
    const lb_linear_options options = get_options(s);
    lb_linear *linear = NULL;
    const lb_status status = lb_linearize(s->sim, &options, &linear);
    if (linear) {
        add_all(s, 2 * (size_t)linear->state_count, linear->eigenvalues);
        lb_destroy_linear(linear);
    }
    return status;
}

static lb_status find_margins(stage *s)
{
    const lb_linear_options options = get_options(s);
    lb_margins *margins = NULL;
    const lb_status status = lb_compute_margins(s->sim, &options, &margins);
    if (margins) {
        add_all(s, (size_t)margins->feedback_count, margins->gain_up);
        lb_destroy_margins(margins);
    }
    return status;
}

static void make_linear(stage *s)
{
    choose_path(s);
    const lb_linear_options options = get_options(s);
    assert_int_equal(lb_linearize(s->sim, &options, &s->linear), LB_OK);
}

static lb_status save(stage *s)
{
    const double frequencies[] = {1.0, 2.0};
    double response[64];
    const lb_status status = lb_compute_response(s->linear, 2, frequencies, response);
    add_all(s, 4, response);
    return status < 0
               ? status
               : lb_save_linear(s->linear, 2, frequencies, response, s->path, LB_LINEAR_MAT, NULL);
}

static void linear_models_survive(void **state)
{
    (void)state;
    starve("modes", "loop.yaml", true, NULL, compute_modes);
    starve("modes", "control.yaml", true, NULL, compute_modes);
    starve("campbell", "beam.yaml", true, NULL, sweep);
    starve("linearize", "arm.yaml", true, NULL, linearize);
    starve("linearize", "control.yaml", true, NULL, linearize);
    starve("margins", "control.yaml", true, NULL, find_margins);
    starve("save", "control.yaml", true, make_linear, save);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading_survives),      cmocka_unit_test(workspaces_survive),
        cmocka_unit_test(simulations_survive),   cmocka_unit_test(files_survive),
        cmocka_unit_test(linear_models_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

LB_TESTS()
{
    return 77; // skipped
}

#endif
