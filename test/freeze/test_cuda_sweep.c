// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Samples of a sweep side by side: the text of the kernels, compiled for the host, in the place of a graphics processor.
// Its rows are those of the engine, one sample after the other.
#include <dlfcn.h>
#include <limber/freeze.h>
#include <limber/simulate.h>
#include <limber/sweep.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "frozen/program.h"
#include "heard.h"
#include "run_cli.h"
#include "sweep/sweep_files.h"

// ---- a graphics processor of paper -----------------------------------------------------------------

static const char host_text[] =
    "#include \"model.cu\"\n"
    "static double kept[4096];\n"
    "extern \"C\" int host_run(long long i, long long count, long long steps, double h, double t, "
    "double latest, double damping, int goes_on, const double *tau, double *q, double *v, double "
    "*past) { return METHOD(i, count, steps, h, t, latest, damping, goes_on, tau, (const double "
    "*)0, q, v, past, kept); }\n"
    "extern \"C\" int host_outputs(long long i, long long count, double t, const double *q, const "
    "double *v, const double *tau, double *y) { return model_outputs(&t, q + i, v + i, tau + i, "
    "(const double *)0, y + i, count, kept); }\n";

typedef struct paper {
    lb_program program;
    void *library;
    int (*run)(long long, long long, long long, double, double, double, double, int, const double *,
               double *, double *, double *);
    int (*outputs)(long long, long long, double, const double *, const double *, const double *,
                   double *);
    int64_t count;
    int nq, n, ny, open_count;
    double damping, *q, *v, *tau, *past, *y;
} paper;

static void close_paper(paper *p)
{
    double *const all[] = {p->q, p->v, p->tau, p->past, p->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        free(all[i]);
    }
    if (p->library) {
        dlclose(p->library);
        lb_end_program(&p->program);
    }
    p->library = NULL;
    p->q = p->v = p->tau = p->past = p->y = NULL;
}

static lb_status open_paper(void *user, lb_simulation *simulation, int64_t count)
{
    static const char *const words[] = {"step,outputs", "step:euler,outputs", "step:alpha,outputs"};
    static const char *const methods[] = {"rk4", "euler", "alpha"};
    paper *p = user;
    lb_frozen *frozen = NULL;
    lb_freeze_options options = lb_default_freeze_options();
    lb_run_options o = {.size = sizeof o};
    char path[LB_PROGRAM_PATH_SIZE], command[256];
    lb_get_run_options(simulation, &o);
    close_paper(p);
    const int method = (int)o.integrator - (int)LB_INTEGRATOR_RK4;
    options.functions = words[method];
    options.language = LB_FROZEN_CUDA;
    lb_expect_ok(lb_freeze_simulation(simulation, &options, NULL, &frozen));
    assert_true(lb_make_program_folder(&p->program) &&
                lb_write_program_file(&p->program, "model.cu", lb_get_frozen_source(frozen)) &&
                lb_write_program_file(&p->program, "host.cc", host_text));
    snprintf(command, sizeof command,
             "c++ -O0 -ffp-contract=off -fPIC -shared -DMETHOD=model_simulate_%s host.cc -o "
             "host.so -lm",
             methods[method]);
    assert_int_equal(lb_run_in_folder(&p->program, command), 0);
    snprintf(path, sizeof path, "%s/host.so", p->program.folder);
    p->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(p->library);
    void *found = dlsym(p->library, "host_run");
    memcpy(&p->run, &found, sizeof found);
    found = dlsym(p->library, "host_outputs");
    memcpy(&p->outputs, &found, sizeof found);
    p->nq = lb_get_frozen_count(frozen, LB_FROZEN_Q);
    p->n = lb_get_frozen_count(frozen, LB_FROZEN_V);
    p->ny = lb_get_frozen_count(frozen, LB_FROZEN_OUTPUTS);
    p->count = count;
    p->damping = o.damping;
    const size_t size = (size_t)count;
    p->q = lb_make_numbers(size * (size_t)p->nq);
    p->v = lb_make_numbers(size * (size_t)p->n);
    p->tau = lb_make_numbers(size * (size_t)p->n);
    p->past = lb_make_numbers(size * (size_t)p->n);
    p->y = lb_make_numbers(size * (size_t)p->ny);
    ++p->open_count;
    lb_destroy_frozen(frozen);
    return LB_OK;
}

static lb_status start_paper(void *user, const double *q, const double *v)
{
    paper *p = user;
    for (int64_t i = 0; i < p->count; ++i) {
        for (int j = 0; j < p->nq; ++j) {
            p->q[j * p->count + i] = q[i * p->nq + j];
        }
        for (int j = 0; j < p->n; ++j) {
            p->v[j * p->count + i] = v[i * p->n + j];
        }
    }
    return LB_OK;
}

static lb_status advance_paper(void *user, double t, double step, int64_t step_count, double latest,
                               bool goes_on)
{
    paper *p = user;
    for (int64_t i = 0; i < p->count; ++i) {
        if (p->run(i, p->count, step_count, step, t, latest, p->damping, goes_on, p->tau, p->q,
                   p->v, p->past) < 0) {
            p->q[i] = NAN; // as the kernel does
        }
    }
    return LB_OK;
}

static lb_status look_at_paper(void *user, double t, double *y)
{
    paper *p = user;
    for (int64_t i = 0; i < p->count; ++i) {
        const int status = p->outputs(i, p->count, t, p->q, p->v, p->tau, p->y);
        for (int j = 0; j < p->ny; ++j) {
            y[i * p->ny + j] = status < 0 ? NAN : p->y[j * p->count + i];
        }
    }
    return LB_OK;
}

// ---- sweeps ----------------------------------------------------------------------------------------

#define MODEL                                                                                      \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "parameters: {tilt: 0.3, speed: 1, load: 2}\n"                                                 \
    "bodies:\n"                                                                                    \
    "  - name: boom\n"                                                                             \
    "    hinge: {type: revolute, axis: [0, 1, 0]}\n"                                               \
    "    beam: {length: 3, section: {type: tube, diameter: 0.05, wall: 0.002}, material: "         \
    "aluminium, modes: 2, damping: 0.01}\n"                                                        \
    "  - {name: bob, parent: boom, at: tip, hinge: {type: revolute, axis: [0, 1, 0]}, mass: "      \
    "load,\n"                                                                                      \
    "     com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"                                  \
    "initial: {boom: {angle: tilt}, bob: {rate: 2*speed}}\n"                                       \
    "forces:\n"                                                                                    \
    "  - {name: spring, type: spring, hinge: boom, stiffness: 300}\n"                              \
    "  - {name: kick, type: motor, hinge: boom, value: {pulse: {value: 20, start: 0.0333, width: " \
    "0.05}}}\n"

#define RUN(method)                                                                                \
    "run: {duration: 0.2, interval: 0.02, integrator: {type: " method ", step: 2e-3}}\n"           \
    "outputs: [boom/tip]\n"

#define OUTPUTS                                                                                    \
    "job: run\n"                                                                                   \
    "outputs:\n"                                                                                   \
    "  angle: {signal: boom.angle}\n"                                                              \
    "  bending: {signal: boom/tip.displacement.z, value: largest}\n"                               \
    "  mean: {signal: bob.rate*t, value: mean}\n"                                                  \
    "  when: {signal: bob.rate, value: time-of-max}\n"

static lb_sweep *load(const char *model, const char *plan)
{
    char whole[4096];
    lb_sweep *sweep = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    (void)lb_write_file("model.yaml", model);
    snprintf(whole, sizeof whole, "limber_sweep: 1\nmodel: model.yaml\n%s", plan);
    const lb_status status =
        lb_load_sweep(lb_write_file("plan.yaml", whole), NULL, &report, &sweep);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    lb_expect_ok(status);
    return sweep;
}

typedef struct table {
    int outputs;
    double rows[64][8];
    int status[64], told[64];
} table;

static lb_status note(void *user, int64_t index, lb_status status, const double *outputs,
                      const char *message)
{
    table *t = user;
    ++t->told[index];
    t->status[index] = status;
    assert_true((status < 0) == (message[0] != 0));
    memcpy(t->rows[index], outputs, (size_t)t->outputs * sizeof *outputs);
    return LB_OK;
}

static void compare_rows(lb_sweep *sweep, int group_count, double bound)
{
    const lb_sweep_info *plan = lb_get_sweep_info(sweep);
    paper p = {.library = NULL};
    const lb_side_by_side sides = {.size = sizeof sides,
                                   .user = &p,
                                   .open = open_paper,
                                   .start = start_paper,
                                   .advance = advance_paper,
                                   .compute_outputs = look_at_paper};
    const int64_t count = plan->sample_count;
    int64_t indices[64];
    table t = {.outputs = plan->output_count};
    assert_true(count <= 64 && t.outputs <= 8);
    for (int64_t i = 0; i < count; ++i) {
        indices[i] = count - 1 - i; // in any order
    }
    lb_expect_ok(lb_check_side_by_side(sweep, NULL));
    lb_expect_ok(lb_evaluate_samples(sweep, &sides, count, indices, NULL, note, &t));
    assert_int_equal(p.open_count, group_count);
    for (int64_t i = 0; i < count; ++i) {
        double values[8], expected[8];
        lb_compute_sample(sweep, i, values);
        assert_int_equal(t.told[i], 1);
        assert_int_equal(lb_evaluate_sample(sweep, values, expected), t.status[i]);
        for (int k = 0; t.status[i] >= 0 && k < t.outputs; ++k) {
            assert_true(fabs(t.rows[i][k] - expected[k]) <= bound * fmax(1e-3, fabs(expected[k])));
        }
    }
    close_paper(&p);
    lb_destroy_sweep(sweep);
}

static void rows_are_those_of_the_engine(void **state)
{
    (void)state;
    // 1e-10 and 1e-7: as test_cuda_steps has them for q and v; displacements are small
    compare_rows(load(MODEL RUN("rk4"), "vary: {tilt: {distribution: uniform, low: -1, high: 1}, "
                                        "speed: {distribution: normal, mean: 0, deviation: 1}}\n"
                                        "samples: 12\nseed: 3\n" OUTPUTS),
                 1, 1e-10);
    compare_rows(load(MODEL RUN("euler"),
                      "vary: {tilt: {distribution: uniform, low: -1, high: 1}}\nsamples: "
                      "5\n" OUTPUTS),
                 1, 1e-10);
    compare_rows(load(MODEL RUN("alpha"),
                      "vary: {tilt: {distribution: uniform, low: -1, high: 1}}\nsamples: "
                      "5\n" OUTPUTS),
                 1, 1e-7);
}

// A parameter of the bodies with two values makes two programs; samples come in the order of the plan.
static void few_values_of_a_body_make_groups(void **state)
{
    (void)state;
    compare_rows(load(MODEL RUN("rk4"), "vary: {tilt: {values: [0.1, 0.2, 0.3]}, load: {values: "
                                        "[1, 3]}}\nsampling: grid\n" OUTPUTS),
                 2, 1e-10);
}

// A sample that fails is computed by the engine, which says why: the load of the second has no mass.
static void samples_that_fail_have_the_words_of_the_engine(void **state)
{
    (void)state;
    compare_rows(load(MODEL RUN("rk4"), "vary: {tilt: {values: [0.1, 0.2]}, load: {values: "
                                        "[1, -3]}}\nsampling: list\n" OUTPUTS),
                 1, 1e-10);
}

static void expect_refusal(const char *model, const char *plan, const char *words)
{
    lb_sweep *sweep = load(model, plan);
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    assert_int_equal(lb_check_side_by_side(sweep, &report), LB_E_UNSUPPORTED);
    assert_int_equal(heard.count, 1);
    if (!strstr(heard.entries[0].message, words)) {
        lb_print_heard(&heard);
    }
    assert_non_null(strstr(heard.entries[0].message, words));
    assert_non_null(strstr(heard.entries[0].message, "leave out --gpu"));
    lb_destroy_sweep(sweep);
}

#define SAMPLES "vary: {tilt: {distribution: uniform, low: -1, high: 1}}\nsamples: 4\n"

static void what_cannot_go_side_by_side_is_refused(void **state)
{
    (void)state;
    expect_refusal(MODEL RUN("rk4"),
                   "vary: {load: {distribution: uniform, low: 1, high: 2}}\nsamples: 4\n" OUTPUTS,
                   "parameter 'load' is used in line 8");
    expect_refusal(MODEL RUN("rk4"),
                   SAMPLES "job: run\noutputs: {a: {signal: boom.angle - tilt}}\n",
                   "parameter 'tilt' is used in output 'a'");
    expect_refusal(MODEL RUN("rk4"),
                   "vary: {bodies.bob.mass: {distribution: uniform, low: 1, high: 2}}\nsamples: "
                   "4\n" OUTPUTS,
                   "parameter 'bodies.bob.mass' is used in the model");
    expect_refusal(MODEL RUN("rk4"), SAMPLES "job: run\noutputs: {e: {audit: energy_error}}\n",
                   "output 'e'");
    expect_refusal(MODEL RUN("rk4"), SAMPLES "job: modes\noutputs: {f: {frequency: 1}}\n", "job");
    expect_refusal(MODEL "run: {integrator: {type: adams}}\n", SAMPLES OUTPUTS, "adams");
    expect_refusal(MODEL "run: {interval: 0.02, integrator: {type: rk4, step: 3e-3}}\n",
                   SAMPLES OUTPUTS, "not a multiple");
    expect_refusal(MODEL RUN("rk4") "events: [{name: far, when: boom.angle, crosses: 5, then: "
                                    "stop}]\n",
                   SAMPLES OUTPUTS, "event 'far'");
}

// The command says the same, and that there is no device; nothing is left behind.
static void the_command_says_why_not(void **state)
{
    (void)state;
    const char *rows = lb_find_scratch("rows");
    lb_destroy_sweep(load(MODEL "run: {integrator: {type: adams}}\n", SAMPLES OUTPUTS));
    lb_cli_run run = lb_run(NULL, "sweep", "--gpu", "--folder", rows, lb_find_scratch("plan.yaml"));
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "adams"));
    lb_end_run(&run);
    assert_null(fopen(rows, "r"));
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_engine),
        cmocka_unit_test(few_values_of_a_body_make_groups),
        cmocka_unit_test(samples_that_fail_have_the_words_of_the_engine),
        cmocka_unit_test(what_cannot_go_side_by_side_is_refused),
        cmocka_unit_test(the_command_says_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
