// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sweeps: samples against their distributions, outputs against what other commands say, tables against theory.
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "limber/sweep.h"
#include "run_cli.h"
#include "scratch.h"
#include "sweep/sweep_files.h"

static const double pi = 3.14159265358979323846;

// A pendulum on a spring; `sum` is a linear function of the parameters.
#define MODEL                                                                                      \
    "limber: 1\n"                                                                                  \
    "parameters: {a: 1, b: 2, k: {value: 50, range: [1, 100]}}\n"                                  \
    "bodies:\n"                                                                                    \
    "  - {name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2, com: [1, 0, 0],\n"         \
    "     inertia: [0.1, 0.1, 0.5, 0, 0, 0], nodes: {tip: {position: [2, 0, 0]}}}\n"               \
    "signals: {sum: 3*a - 2*b}\n"                                                                  \
    "forces:\n"                                                                                    \
    "  - {name: spring, type: spring, hinge: arm, stiffness: k}\n"                                 \
    "initial: {arm: {angle: 0.3}}\n"                                                               \
    "run: {duration: 1, interval: 0.05}\n"

#define NORMALS                                                                                    \
    "vary:\n"                                                                                      \
    "  a: {distribution: normal, mean: 1, deviation: 0.5}\n"                                       \
    "  b: {distribution: normal, mean: 2, deviation: 1}\n"

static double get_number(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);
    assert_true(json_is_number(number));
    return json_number_value(number);
}

static json_t *ask_cli(const char *const *words)
{
    lb_cli_run run = lb_run_cli(NULL, words);
    json_t *answer = json_loads(run.out, 0, NULL);
    print_message("%s", run.err);
    assert_non_null(answer);
    lb_end_run(&run);
    return answer;
}

#define ask(...) ask_cli((const char *const[]){__VA_ARGS__, NULL})

// A plan beside a model.
static const char *write_plan(const char *text)
{
    static char whole[4096];
    const char *model = lb_write_file("model.yaml", MODEL);
    snprintf(whole, sizeof whole, "limber_sweep: 1\nmodel: %s\n%s", model, text);
    return lb_write_file("plan.yaml", whole);
}

static lb_sweep *load(const char *text)
{
    lb_sweep *sweep = NULL;
    const char *path = write_plan(text);
    lb_cli_run run = lb_run(NULL, "sweep", "status", path);
    print_message("%s", run.err);
    lb_end_run(&run);
    assert_int_equal(lb_load_sweep(path, NULL, NULL, &sweep), LB_OK);
    return sweep;
}

static const char *make_folder(void)
{
    const char *path = lb_make_scratch_folder();
    assert_non_null(path);
    return path;
}

// ---- samples -----------------------------------------------------------------------------------

static void grids_and_lists_take_values_in_order(void **state)
{
    (void)state;
    static const double expected[6][2] = {{1, 5}, {1, 6}, {1, 7}, {2, 5}, {2, 6}, {2, 7}};
    double x[2];
    lb_sweep *sweep = load("vary: {a: {values: [1, 2]}, b: {values: {from: 5, to: 7, count: 3}}}\n"
                           "sampling: grid\njob: run\noutputs: {y: {signal: sum}}\n");
    assert_int_equal(lb_get_sweep_info(sweep)->sample_count, 6);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(lb_compute_sample(sweep, i, x), LB_OK);
        assert_true(x[0] == expected[i][0] && x[1] == expected[i][1]);
    }
    assert_int_equal(lb_compute_sample(sweep, 6, x), LB_E_ARGUMENT);
    assert_int_equal(lb_compute_sample(sweep, -1, x), LB_E_ARGUMENT);
    lb_destroy_sweep(sweep);
    sweep = load("vary: {a: {values: [1, 2]}, b: {values: [5, 7]}}\n"
                 "sampling: list\njob: run\noutputs: {y: {signal: sum}}\n");
    assert_int_equal(lb_get_sweep_info(sweep)->sample_count, 2);
    assert_int_equal(lb_compute_sample(sweep, 1, x), LB_OK);
    assert_true(x[0] == 2.0 && x[1] == 7.0);
    lb_destroy_sweep(sweep);
}

static void latin_hypercubes_have_one_sample_in_each_stratum(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    lb_sweep *sweep = load("vary: {a: {distribution: uniform, low: 0, high: 200},\n"
                           "       b: {distribution: uniform, low: 0, high: 200}}\n"
                           "sampling: latin-hypercube\nsamples: 200\nseed: 3\n"
                           "job: run\noutputs: {y: {signal: sum}}\n");
    int seen[2][COUNT] = {{0}}, equal = 0;
    for (int i = 0; i < COUNT; ++i) {
        double x[2];
        lb_compute_sample(sweep, i, x);
        for (int p = 0; p < 2; ++p) {
            seen[p][(int)x[p]] += 1;
        }
        equal += (int)x[0] == (int)x[1];
    }
    for (int i = 0; i < COUNT; ++i) {
        assert_true(seen[0][i] == 1 && seen[1][i] == 1);
    }
    assert_true(equal < 10); // one on average where parameters are independent
    lb_destroy_sweep(sweep);
}

// A sample depends on seed, index and the name of its parameter: neighbours change nothing.
static void samples_do_not_depend_on_other_parameters(void **state)
{
    (void)state;
    static const char rest[] = "samples: 50\nseed: 9\njob: run\noutputs: {y: {signal: sum}}\n";
    char both[512], one[512];
    snprintf(both, sizeof both, NORMALS "%s", rest);
    snprintf(one, sizeof one, "vary: {b: {distribution: normal, mean: 2, deviation: 1}}\n%s", rest);
    lb_sweep *a = load(both), *b = load(one);
    for (int i = 0; i < 50; ++i) {
        double x[2], y[1];
        lb_compute_sample(a, i, x);
        lb_compute_sample(b, i, y);
        assert_true(x[1] == y[0]);
    }
    lb_destroy_sweep(a);
    lb_destroy_sweep(b);
}

static void normal_parameters_have_their_correlation(void **state)
{
    (void)state;
    enum { COUNT = 4096 };
    lb_sweep *sweep =
        load("vary:\n"
             "  a: {distribution: normal, mean: 1, deviation: 0.5}\n"
             "  b: {distribution: log-normal, median: 2, deviation: 0.25}\n"
             "correlations: [[a, b, -0.6]]\n"
             "sampling: sobol\nsamples: 4096\njob: run\noutputs: {y: {signal: sum}}\n");
    double sum[2] = {0.0}, square[2] = {0.0}, product = 0.0;
    for (int i = 0; i < COUNT; ++i) {
        double x[2];
        lb_compute_sample(sweep, i, x);
        const double z[2] = {(x[0] - 1.0) / 0.5, (log(x[1]) - log(2.0)) / 0.25};
        for (int p = 0; p < 2; ++p) {
            sum[p] += z[p] / COUNT;
            square[p] += z[p] * z[p] / COUNT;
        }
        product += z[0] * z[1] / COUNT;
    }
    // points of Sobol: far closer than the 1/64 of independent samples
    for (int p = 0; p < 2; ++p) {
        assert_true(fabs(sum[p]) < 0.005);
        assert_true(fabs(square[p] - 1.0) < 0.01);
    }
    assert_true(fabs(product + 0.6) < 0.01);
    lb_destroy_sweep(sweep);
}

// ---- outputs -----------------------------------------------------------------------------------

// sum = 3 a - 2 b is normal with mean -1 and deviation 2.5.
static void percentiles_of_a_linear_gaussian_case_are_those_of_theory(void **state)
{
    (void)state;
    const char *folder = make_folder();
    const char *path = write_plan(NORMALS "samples: 2000\nseed: 5\n"
                                          "job: {type: run, duration: 1.0e-3}\n"
                                          "outputs: {y: {signal: sum}, tip: {signal: sum + t}}\n");
    lb_cli_run run = lb_run(NULL, "sweep", path, "--folder", folder, "--workers", "2");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    json_t *all = ask("sweep", "statistics", path, "--folder", folder, "--json");
    const json_t *y = json_object_get(all, "y"), *parts = json_object_get(y, "percentiles");
    static const struct {
        const char *percent;
        double z, density; // of the standard normal distribution there
        double p;
    } table[] = {{"5", -1.6448536269514722, 0.10313564037537138, 0.05},
                 {"50", 0.0, 0.39894228040143265, 0.5},
                 {"95", 1.6448536269514722, 0.10313564037537138, 0.95},
                 {"99", 2.3263478740408408, 0.02665214220345808, 0.99}};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        // four standard errors of an order statistic, sqrt(p (1 - p) / n) / density
        const double p = table[i].p, error = sqrt(p * (1.0 - p) / 2000.0) / table[i].density;
        const double found = (get_number(parts, table[i].percent) + 1.0) / 2.5;
        assert_true(fabs(found - table[i].z) < 4.0 * error);
    }
    assert_true(fabs(get_number(y, "mean") + 1.0) < 4.0 * 2.5 / sqrt(2000.0));
    assert_true(fabs(get_number(y, "deviation") / 2.5 - 1.0) < 4.0 / sqrt(4000.0));
    // correlations 1.5 / 2.5 and -2 / 2.5, to four standard errors (1 - r^2) / sqrt(n)
    const json_t *of = json_object_get(y, "parameters");
    assert_true(fabs(get_number(json_object_get(of, "a"), "correlation") - 0.6) < 0.06);
    assert_true(fabs(get_number(json_object_get(of, "b"), "correlation") + 0.8) < 0.04);
    json_decref(all);
}

// y = 3 a - 2 b with equal uniform distributions: indices 9/13 and 4/13, first order and total.
static void sobol_indices_of_a_sum_are_its_variances(void **state)
{
    (void)state;
    const char *folder = make_folder();
    const char *path = write_plan("vary: {a: {distribution: uniform, low: 0, high: 1},\n"
                                  "       b: {distribution: uniform, low: 0, high: 1}}\n"
                                  "sampling: sobol\nsamples: 255\nsensitivity: true\n"
                                  "job: {type: run, duration: 1.0e-3}\n"
                                  "outputs: {y: {signal: sum}}\n");
    lb_cli_run run = lb_run(NULL, "sweep", path, "--folder", folder, "--workers", "1");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    json_t *all = ask("sweep", "statistics", path, "--folder", folder, "--json");
    const json_t *of = json_object_get(json_object_get(all, "y"), "parameters");
    // the error of 255 points of Sobol is about 1/255 for such a smooth function
    assert_true(fabs(get_number(json_object_get(of, "a"), "first_index") - 9.0 / 13.0) < 0.02);
    assert_true(fabs(get_number(json_object_get(of, "a"), "total_index") - 9.0 / 13.0) < 0.02);
    assert_true(fabs(get_number(json_object_get(of, "b"), "first_index") - 4.0 / 13.0) < 0.02);
    assert_true(fabs(get_number(json_object_get(of, "b"), "total_index") - 4.0 / 13.0) < 0.02);
    json_decref(all);
}

// Extremes, mean and RMS of a sample are those that limber loads finds in the run of its values, bit for bit.
static void outputs_of_a_run_are_those_of_its_recording(void **state)
{
    (void)state;
    const char *path = write_plan("vary: {k: {distribution: uniform, low: 20, high: 90}}\n"
                                  "samples: 3\njob: loads\n"
                                  "outputs:\n"
                                  "  max: {signal: arm/tip.position.y, value: max}\n"
                                  "  min: {signal: arm/tip.position.y, value: min}\n"
                                  "  mean: {signal: arm/tip.position.y, value: mean}\n"
                                  "  rms: {signal: arm/tip.position.y, value: rms}\n"
                                  "  largest: {signal: arm/tip.position.y}\n"
                                  "  steps: {audit: steps}\n");
    static const char *const names[] = {"max", "min", "mean", "rms"};
    lb_sweep *sweep = NULL;
    assert_int_equal(lb_load_sweep(path, NULL, NULL, &sweep), LB_OK);
    double k, outputs[6];
    char set[64];
    const char *file = lb_find_scratch("run.h5");
    lb_compute_sample(sweep, 1, &k);
    snprintf(set, sizeof set, "k=%.17g", k);
    assert_int_equal(lb_evaluate_sample(sweep, &k, outputs), LB_OK);
    lb_cli_run run =
        lb_run(NULL, "run", lb_get_sweep_info(sweep)->model, "--set", set, "-o", file, "-q");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    json_t *loads = ask("loads", file, "--signal", "arm/tip.position.y", "--json");
    const json_t *signal = json_array_get(json_object_get(loads, "signals"), 0);
    const json_t *first = json_array_get(json_object_get(signal, "runs"), 0);
    for (int i = 0; i < 4; ++i) {
        const json_t *number = json_object_get(first, names[i]);
        const double expected =
            json_is_number(number) ? json_number_value(number) : get_number(number, "value");
        assert_true(outputs[i] == expected);
    }
    assert_true(outputs[4] == fmax(outputs[0], -outputs[1]));
    assert_true(outputs[5] > 5.0);
    json_decref(loads);
    lb_destroy_sweep(sweep);
}

// sqrt(k / I) / 2 pi with I = 0.5 + 2 about the hinge.
static void frequencies_follow_the_stiffness(void **state)
{
    (void)state;
    lb_sweep *sweep = load("vary: {k: {values: [10, 40, 90]}}\nsampling: grid\njob: modes\n"
                           "outputs: {f: {frequency: 1}, d: {damping: 1}, g: {growth: true}}\n");
    for (int i = 0; i < 3; ++i) {
        double k, outputs[3];
        lb_compute_sample(sweep, i, &k);
        assert_int_equal(lb_evaluate_sample(sweep, &k, outputs), LB_OK);
        assert_true(fabs(outputs[0] * 2.0 * pi / sqrt(k / 2.5) - 1.0) < 1e-12);
        assert_true(fabs(outputs[1]) < 1e-12 && fabs(outputs[2]) < 1e-9);
    }
    lb_destroy_sweep(sweep);
}

// Margins of a sample are those that limber linearize prints for its values.
static void margins_are_those_of_linearize(void **state)
{
    (void)state;
    char plan[1024];
    const char *model = lb_find_source("test/faults/models/control.yaml");
    snprintf(plan, sizeof plan,
             "limber_sweep: 1\nmodel: %s\nvary: {bodies.cart.mass: {values: [2, 3]}}\n"
             "sampling: grid\njob: linearize\noutputs:\n"
             "  gain: {margin: gain-up, feedback: slew.motor}\n"
             "  phase: {margin: phase, feedback: balance.drive}\n"
             "  delay: {margin: delay, feedback: balance.drive}\n"
             "  growth: {growth: true}\n",
             model);
    lb_sweep *sweep = NULL;
    lb_load_options options = lb_default_load_options();
    options.allow_files = lb_find_source(".");
    assert_int_equal(lb_load_sweep(lb_write_file("plan.yaml", plan), &options, NULL, &sweep),
                     LB_OK);
    double mass, outputs[4];
    lb_compute_sample(sweep, 1, &mass);
    assert_int_equal(lb_evaluate_sample(sweep, &mass, outputs), LB_OK);
    json_t *all = ask("linearize", model, "--margins", "--json", "--set", "bodies.cart.mass=3");
    const json_t *list = json_object_get(json_object_get(all, "margins"), "feedbacks");
    const json_t *balance = json_array_get(list, 0), *slew = json_array_get(list, 1);
    assert_true(outputs[0] == get_number(slew, "gain_up"));
    // degrees and radians: two roundings
    assert_true(fabs(outputs[1] * 180.0 / pi - get_number(balance, "phase_deg")) < 1e-12 * 180.0);
    assert_true(outputs[2] == get_number(balance, "delay_s"));
    assert_true(outputs[3] < 0.0); // stable
    json_decref(all);
    lb_destroy_sweep(sweep);
}

static void failures_are_told_and_the_next_sample_is_right(void **state)
{
    (void)state;
    lb_sweep *sweep = load("vary: {k: {values: [10, 40]}}\nsampling: grid\njob: modes\n"
                           "outputs: {f: {frequency: 1}}\n");
    double before, after;
    const double good = 40.0, bad = 1000.0, none = NAN;
    assert_int_equal(lb_evaluate_sample(sweep, &good, &before), LB_OK);
    assert_true(lb_evaluate_sample(sweep, &bad, &after) < 0);
    assert_non_null(
        strstr(lb_get_sweep_message(sweep), "1000 was set, expected a value of its range"));
    assert_true(isnan(after));
    assert_int_equal(lb_evaluate_sample(sweep, &none, &after), LB_E_NUMBER);
    assert_int_equal(lb_evaluate_sample(sweep, &good, &after), LB_OK);
    assert_string_equal(lb_get_sweep_message(sweep), "");
    assert_true(before == after);
    lb_destroy_sweep(sweep);
}

// ---- files and commands ------------------------------------------------------------------------

static void damaged_rows_are_computed_again(void **state)
{
    (void)state;
    char path[LB_SCRATCH_PATH_SIZE];
    lb_sweep *sweep = load("vary: {k: {values: [10, 40, 90]}}\nsampling: grid\njob: modes\n"
                           "outputs: {f: {frequency: 1}}\n");
    const char *folder = make_folder();
    snprintf(path, sizeof path, "%s/a.rows", folder);
    lb_sweep_rows *rows = NULL;
    const double f = 0.1;
    assert_int_equal(lb_open_sweep_rows(sweep, path, NULL, &rows), LB_OK);
    lb_write_sweep_row(rows, 0, LB_OK, &f, "");
    lb_write_sweep_row(rows, 1, LB_E_MODEL, NULL, "too soft");
    lb_write_sweep_row(rows, 2, LB_OK, &f, "");
    lb_close_sweep_rows(rows);
    lb_sweep_table *table = NULL;
    assert_int_equal(lb_read_sweep_table(sweep, folder, NULL, &table), LB_OK);
    assert_int_equal(table->done_count, 2);
    assert_int_equal(table->failed_count, 1);
    assert_string_equal(table->messages[1], "too soft");
    assert_true(table->outputs[2] == f && isnan(table->outputs[1]));
    lb_destroy_sweep_table(table);
    // a digit of the second row, and the end of the last
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    FILE *file = fopen(path, "r+");
    char line[256];
    assert_true(fgets(line, sizeof line, file) && fgets(line, sizeof line, file));
    fseek(file, 12, SEEK_CUR);
    fputc('X', file);
    fclose(file);
    assert_int_equal(truncate(path, about.st_size - 3), 0);
    unsigned char states[3];
    assert_int_equal(lb_read_sample_states(sweep, folder, NULL, states), LB_OK);
    assert_true(states[0] == LB_SAMPLE_DONE && states[1] == LB_SAMPLE_OPEN &&
                states[2] == LB_SAMPLE_OPEN);
    // what follows the end that was cut off starts on a line of its own
    assert_int_equal(lb_open_sweep_rows(sweep, path, NULL, &rows), LB_OK);
    lb_write_sweep_row(rows, 2, LB_OK, &f, "");
    lb_close_sweep_rows(rows);
    assert_int_equal(lb_read_sample_states(sweep, folder, NULL, states), LB_OK);
    assert_true(states[1] == LB_SAMPLE_OPEN && states[2] == LB_SAMPLE_DONE);
    lb_destroy_sweep(sweep);
    // the same rows under another plan
    sweep = load("vary: {k: {values: [10, 40, 91]}}\nsampling: grid\njob: modes\n"
                 "outputs: {f: {frequency: 1}}\n");
    assert_int_equal(lb_read_sample_states(sweep, folder, NULL, states), LB_E_MODEL);
    assert_int_equal(lb_open_sweep_rows(sweep, path, NULL, &rows), LB_E_MODEL);
    lb_destroy_sweep(sweep);
}

static void one_sample_is_answered_for_optimisers(void **state)
{
    (void)state;
    const char *path = write_plan("vary: {k: {values: [10, 40]}}\nsampling: grid\njob: modes\n"
                                  "outputs: {f: {frequency: 1}}\n");
    lb_cli_run run = lb_run("{\"k\": 40}", "sweep", "--evaluate", path);
    assert_int_equal(run.status, 0);
    json_t *answer = json_loads(run.out, 0, NULL);
    const double f = get_number(answer, "f");
    assert_true(fabs(f - 4.0 / (2.0 * pi)) < 1e-12);
    json_decref(answer);
    lb_end_run(&run);
    // as Dakota writes its files of parameters
    run = lb_run("    1 variables\n    4.0e1 k\n    1 functions\n    1 ASV_1:f\n", "sweep",
                 "evaluate", path);
    assert_int_equal(run.status, 0);
    double again = 0.0;
    assert_int_equal(sscanf(run.out, "%lf f", &again), 1);
    assert_true(again == f);
    lb_end_run(&run);
    run = lb_run("    4000 k\n", "sweep", "evaluate", path);
    assert_int_equal(run.status, 1);
    assert_string_equal(run.out, "FAIL\n");
    lb_end_run(&run);
}

// Values, rows and failures once more in HDF5, and figures.
static void tables_and_figures_are_written(void **state)
{
    (void)state;
    char file[LB_SCRATCH_PATH_SIZE], svg[LB_SCRATCH_PATH_SIZE], dots[LB_SCRATCH_PATH_SIZE];
    const char *folder = make_folder();
    const char *path = write_plan("vary: {k: {distribution: uniform, low: 10, high: 120}}\n"
                                  "samples: 40\njob: modes\noutputs: {f: {frequency: 1}}\n");
    snprintf(file, sizeof file, "%s/table.h5", folder);
    snprintf(svg, sizeof svg, "%s/bars.svg", folder);
    snprintf(dots, sizeof dots, "%s/dots.svg", folder);
    const lb_cli_case cases[] = {
        {{"sweep", "merge", "PLAN", "--folder", "DIR"}, 1, "", "40 of 40 samples are not done"},
        {{"sweep", "resume", "PLAN", "--folder", "NONE"}, 1, "", "nothing to resume"},
        {{"sweep", "PLAN", "--folder", "DIR", "--part", "2/2", "--workers", "1"},
         0,
         "part 2 of 2: 20 samples",
         NULL},
        {{"sweep", "status", "PLAN", "--folder", "DIR"}, 0, "open     20", ""},
        {{"sweep", "merge", "PLAN", "--folder", "DIR", "--partial"}, 0, "index,k,f,failure", NULL},
        {{"sweep", "PLAN", "--folder", "DIR", "--workers", "2"}, 0, "40 samples", NULL},
        {{"sweep", "merge", "PLAN", "--folder", "DIR"}, 0, "expected a value of its range", ""},
        {{"sweep", "merge", "PLAN", "--folder", "DIR", "-o", "FILE"}, 0, "wrote", ""},
        {{"sweep", "statistics", "PLAN", "--folder", "DIR"}, 0, "standard deviation", ""},
        {{"sweep", "show", "PLAN"}, 2, "", "--index"},
        {{"sweep", "script", "PLAN", "--parts", "5", "--workers", "4"}, 0, "--array=1-5", ""},
        {{"sweep", "guess", "PLAN"}, 2, "", "'guess' given, expected run"},
        {{"sweep", "PLAN", "--part", "3/2"}, 2, "", "expected I/N"},
#ifdef LB_WITH_VIEW
        {{"sweep", "figure", "PLAN", "--folder", "DIR", "-o", "BARS"}, 0, NULL, ""},
        {{"sweep", "figure", "PLAN", "--folder", "DIR", "-o", "DOTS", "--against", "k"},
         0,
         NULL,
         ""},
#endif
    };
    const char *const paths[] = {"PLAN", path,   "DIR", folder, "FILE",          file, "BARS",
                                 svg,    "DOTS", dots,  "NONE", "/nowhere/none", NULL};
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases), paths);
    FILE *h5 = fopen(file, "rb");
    char mark[8] = "";
    assert_non_null(h5);
    assert_int_equal(fread(mark, 1, 4, h5), 4);
    assert_memory_equal(mark, "\x89HDF", 4);
    fclose(h5);
}

static bool count_and_stop(void *user)
{
    ++*(int *)user;
    return true;
}

// A year between two outputs takes minutes: the sample is given up long before the second.
static void a_sample_can_be_given_up_between_two_outputs(void **state)
{
    (void)state;
    lb_sweep *sweep =
        load("vary: {run.duration: {values: [3.0e+7]}, run.interval: {values: [3.0e+7]}}\n"
             "sampling: list\njob: run\noutputs: {y: {signal: arm.angle}}\n");
    double values[2], output;
    int asked = 0;
    lb_set_sweep_stop(sweep, count_and_stop, &asked);
    lb_compute_sample(sweep, 0, values);
    assert_int_equal(lb_evaluate_sample(sweep, values, &output), LB_NEWS_INTERRUPTED);
    assert_int_equal(asked, 1);
    lb_destroy_sweep(sweep);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_and_lists_take_values_in_order),
        cmocka_unit_test(latin_hypercubes_have_one_sample_in_each_stratum),
        cmocka_unit_test(samples_do_not_depend_on_other_parameters),
        cmocka_unit_test(normal_parameters_have_their_correlation),
        cmocka_unit_test(percentiles_of_a_linear_gaussian_case_are_those_of_theory),
        cmocka_unit_test(sobol_indices_of_a_sum_are_its_variances),
        cmocka_unit_test(outputs_of_a_run_are_those_of_its_recording),
        cmocka_unit_test(frequencies_follow_the_stiffness),
        cmocka_unit_test(margins_are_those_of_linearize),
        cmocka_unit_test(failures_are_told_and_the_next_sample_is_right),
        cmocka_unit_test(a_sample_can_be_given_up_between_two_outputs),
        cmocka_unit_test(damaged_rows_are_computed_again),
        cmocka_unit_test(one_sample_is_answered_for_optimisers),
        cmocka_unit_test(tables_and_figures_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
