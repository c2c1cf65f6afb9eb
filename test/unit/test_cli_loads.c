// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber loads: extremes, envelopes and spectra of motions that are known.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "check.h"

static const double pi = 3.14159265358979323846;

// A slider that shakes at 5 Hz, 25 rows a period; its acceleration has the amplitude (10 pi)^2 times 'amplitude'.
static const char shaker[] =
    "limber: 1\n"
    "parameters: {amplitude: 0.02}\n"
    "bodies: [{name: table, mass: 2, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n"
    "forces:\n"
    "  - {name: shake, type: motion, hinge: table,\n"
    "     position: {sine: {amplitude: amplitude, frequency: 5}}}\n"
    "run: {duration: 10, interval: 0.008}\n"
    "initial: {table: {rate: amplitude*10*pi}}\n"
    "outputs: [table.distance, table.acceleration.x]\n";

static char runs[2][600];

static int begin(void **state)
{
    (void)state;
    const char *model = lb_write_file("shaker.yaml", shaker);
    for (int i = 0; i < 2; ++i) {
        snprintf(runs[i], sizeof runs[i], "%.500s.%s.h5", model, i ? "hard" : "soft");
        lb_cli_run run = lb_run(NULL, "run", model, "--quiet", "-o", runs[i], "--set",
                                i ? "amplitude=0.05" : "amplitude=0.02");
        assert_string_equal(run.err, "");
        assert_int_equal(run.status, 0);
        lb_end_run(&run);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    return remove(runs[0]) || remove(runs[1]);
}

#define ask_loads(...) lb_ask("loads", __VA_ARGS__, "--json")

static json_t *get_signal(json_t *answer, size_t i)
{
    return json_array_get(json_object_get(answer, "signals"), i);
}

static void extremes_come_with_their_times_and_companions(void **state)
{
    (void)state;
    json_t *answer = ask_loads(runs[0], "--signal", "table.distance", "--with",
                               "table.acceleration.x,table.rate");
    json_t *signal = get_signal(answer, 0), *found = json_object_get(signal, "envelope");
    // rows do not meet the peaks, which are 6.25 rows after zero: the nearest are 0.25 rows off
    const double seen = 0.02 * cos(0.25 * 2.0 * pi / 25.0), a = 100.0 * pi * pi;
    lb_expect_near("max", lb_get_answer(json_object_get(found, "max"), "value"), seen, 1e-7);
    lb_expect_near("min", lb_get_answer(json_object_get(found, "min"), "value"), -seen, 1e-7);
    const json_t *companions = json_object_get(json_object_get(found, "max"), "companions");
    lb_expect_near("acceleration", lb_get_answer(companions, "table.acceleration.x"), -a * seen,
                   1e-7);
    const double t = lb_get_answer(json_object_get(found, "max"), "t");
    lb_expect_near("value at its time", 0.02 * sin(10.0 * pi * t), seen, 1e-9);
    lb_expect_near("rate", lb_get_answer(companions, "table.rate"), 0.2 * pi * cos(10.0 * pi * t),
                   1e-6);
    // 50 whole periods
    lb_expect_near("rms", lb_get_answer(json_object_get(found, "rms"), "value"), 0.02 / sqrt(2.0),
                   1e-7);
    lb_expect_below("mean", lb_get_answer(json_object_get(found, "mean"), "value"), 1e-9);
    assert_string_equal(json_string_value(json_object_get(signal, "unit")), "m");
    json_decref(answer);
}

static void envelopes_name_the_run_that_sets_them(void **state)
{
    (void)state;
    json_t *answer =
        ask_loads(runs[0], runs[1], "--signal", "table.distance", "--signal",
                  "table.acceleration.x", "--factor", "1.25", "--factor", "table.acc*=1.5");
    static const double factors[] = {1.25, 1.5};
    for (size_t i = 0; i < 2; ++i) {
        json_t *signal = get_signal(answer, i), *found = json_object_get(signal, "envelope");
        json_t *each = json_object_get(signal, "runs");
        static const char *const numbers[] = {"max", "min", "rms"};
        assert_true(lb_get_answer(signal, "factor") == factors[i]);
        assert_int_equal(json_array_size(each), 2);
        for (int n = 0; n < 3; ++n) {
            const json_t *best = json_object_get(found, numbers[n]);
            assert_string_equal(json_string_value(json_object_get(best, "run")), runs[1]);
            // the other is 0.4 as large
            const json_t *other = json_object_get(json_array_get(each, 0), numbers[n]);
            lb_expect_near(numbers[n], lb_get_answer(other, "value"),
                           0.4 * lb_get_answer(best, "value"), 1e-6);
        }
    }
    const json_t *rms = json_object_get(json_object_get(get_signal(answer, 0), "envelope"), "rms");
    lb_expect_near("factor", lb_get_answer(rms, "value"), 1.25 * 0.05 / sqrt(2.0), 1e-7);
    json_decref(answer);
    // the smaller one in a part of the time where the larger one is not
    answer = ask_loads(runs[0], runs[1], "--signal", "table.distance", "--from", "0", "--to", "0");
    const json_t *first =
        json_object_get(json_object_get(get_signal(answer, 0), "envelope"), "max");
    assert_string_equal(json_string_value(json_object_get(first, "run")), runs[0]);
    json_decref(answer);
}

static void densities_of_a_sine_are_at_its_frequency(void **state)
{
    (void)state;
    json_t *answer = ask_loads(runs[0], "--signal", "table.distance", "--psd", "--segment", "2");
    const json_t *run = json_array_get(json_object_get(get_signal(answer, 0), "runs"), 0);
    const json_t *f = json_object_get(run, "frequency_hz"), *S = json_object_get(run, "density");
    double sum = 0.0, line = 1.0 / lb_get_answer(run, "segment_s");
    lb_expect_near("segment", line, 0.5, 1e-12);
    for (size_t k = 0; k < json_array_size(f); ++k) {
        sum += line * json_number_value(json_array_get(S, k));
    }
    lb_expect_near("power", sum, 0.5 * 0.02 * 0.02, 1e-6);
    lb_expect_near("frequency", json_number_value(json_array_get(f, 10)), 5.0, 1e-12);
    // the middle one of three lines
    lb_expect_near("line", line * json_number_value(json_array_get(S, 10)), 2.0 / 3.0 * sum, 1e-6);
    json_decref(answer);
}

static void a_shock_spectrum_finds_resonance(void **state)
{
    (void)state;
    json_t *answer =
        ask_loads(runs[0], "--signal", "table.acceleration.x", "--srs", "5:500:2", "--q", "10");
    const json_t *run = json_array_get(json_object_get(get_signal(answer, 0), "runs"), 0);
    const double a = 0.02 * 100.0 * pi * pi;
    const json_t *largest = json_object_get(run, "largest");
    // At resonance a sine is amplified by sqrt(1 + q^2). Straight lines between 25 samples a period take
    // (pi/25)^2 / 3 off the sine.
    lb_expect_near("resonance", json_number_value(json_array_get(largest, 0)),
                   a * sqrt(1.0 + 100.0) * (1.0 - pow(pi / 25.0, 2) / 3.0), 1e-3);
    // the stiff one follows, and answers each kink of the lines
    lb_expect_near("stiff", json_number_value(json_array_get(largest, 1)), a, 0.02);
    json_decref(answer);
}

static void tables_and_csv_say_the_same(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "loads", runs[0], runs[1], "--csv");
    assert_int_equal(run.status, 0);
    // without --signal, what is recorded: two signals, two runs, four numbers each, and a head
    int lines = 0;
    for (const char *c = run.out; *c; ++c) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 1 + 2 * 2 * 4);
    assert_non_null(strstr(run.out, "run,signal,unit,factor,quantity,value,t,envelope\n"));
    lb_end_run(&run);
    run = lb_run(NULL, "loads", runs[0], runs[1], "--with", "all");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "table.acceleration.x, m/s²"));
    assert_non_null(strstr(run.out, runs[1]));
    assert_null(strstr(run.out, runs[0]));
    lb_end_run(&run);
    run = lb_run(NULL, "loads", runs[0], runs[1], "--psd", "--csv", "--segment", "1");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "run,signal,unit,factor,frequency_hz,density\n"));
    lb_end_run(&run);
}

// Spectra as text and as CSV against those of JSON.
static void spectra_are_the_same_in_every_form(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "loads", runs[0], runs[1], "--signal", "table.acceleration.x",
                            "--srs", "5:500:2");
    json_t *answer =
        ask_loads(runs[0], runs[1], "--signal", "table.acceleration.x", "--srs", "5:500:2");
    const json_t *hard = json_array_get(json_object_get(get_signal(answer, 0), "runs"), 1);
    const char *line = run.out;
    char head[700];
    snprintf(head, sizeof head, "# run 2: %s\n", runs[1]);
    assert_non_null(strstr(run.out, "largest absolute acceleration of either sign, Q = 10\n"));
    assert_non_null(strstr(run.out, head));
    while (*line == '#') {
        line = strchr(line, '\n') + 1;
    }
    for (size_t k = 0; k < 2; ++k) {
        // the harder run sets the worst at either frequency
        const double largest =
            json_number_value(json_array_get(json_object_get(hard, "largest"), k));
        const double smallest =
            json_number_value(json_array_get(json_object_get(hard, "smallest"), k));
        double f, worst;
        int number;
        assert_int_equal(sscanf(line, "%lf %lf %d", &f, &worst, &number), 3);
        lb_expect_near("frequency", f, k ? 500.0 : 5.0, 1e-6);
        lb_expect_near("worst", worst, fmax(largest, -smallest), 1e-6); // seven digits
        assert_int_equal(number, 2);
        line = strchr(line, '\n') + 1;
    }
    assert_string_equal(line, "");
    lb_end_run(&run);

    run = lb_run(NULL, "loads", runs[1], "--signal", "table.acceleration.x", "--srs", "5:500:2",
                 "--csv");
    double f, largest, smallest;
    line = strchr(run.out, '\n') + 1;
    assert_memory_equal(run.out, "run,signal,unit,factor,frequency_hz,largest,smallest\n", 53);
    line = strstr(line, ",1,") + 3;
    assert_int_equal(sscanf(line, "%lf,%lf,%lf", &f, &largest, &smallest), 3);
    assert_true(f == 5.0);
    assert_true(largest == json_number_value(json_array_get(json_object_get(hard, "largest"), 0)));
    assert_true(smallest ==
                json_number_value(json_array_get(json_object_get(hard, "smallest"), 0)));
    lb_end_run(&run);
    json_decref(answer);

    run = lb_run(NULL, "loads", runs[0], "--signal", "table.distance", "--psd", "--segment", "2");
    double rms;
    line = strstr(run.out, "RMS of all lines ");
    assert_non_null(strstr(run.out, "segments of 2 s that overlap by half, lines 0.5 Hz apart"));
    assert_non_null(line);
    assert_int_equal(sscanf(line, "RMS of all lines %lf", &rms), 1);
    lb_expect_near("rms", rms, 0.02 / sqrt(2.0), 1e-6);
    lb_end_run(&run);
}

// One row has no span of time, and its own value as mean.
static void factors_and_single_rows_are_told(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "loads", runs[0], "--signal", "table.distance,table.rate",
                            "--factor", "table.rate=2", "--to", "0");
    double value;
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "factor\n"));
    const char *line = strstr(run.out, "table.rate, m/s");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "table.rate, m/s max %lf", &value), 1);
    lb_expect_near("rate", value, 2.0 * 0.02 * 10.0 * pi, 1e-6);
    line = strstr(line, "rms");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "rms %lf 2\n", &value), 1);
    lb_expect_near("rms", value, 2.0 * 0.02 * 10.0 * pi, 1e-6);
    lb_end_run(&run);
}

static void wrong_questions_are_refused(void **state)
{
    (void)state;
    const lb_cli_case cases[] = {
        {{"loads"}, 2, "", "expected"},
        {{"loads", "RUN", "--signal", "tabel.distance"}, 2, "", "did you mean 'table.distance'"},
        {{"loads", "RUN", "--factor", "0"}, 2, "", "expected a number above zero"},
        {{"loads", "RUN", "--factor", "tip*=2"}, 2, "", "no signal 'tip*' among"},
        {{"loads", "RUN", "--from", "20"}, 2, "", "no rows between --from and --to"},
        {{"loads", "RUN", "--psd", "--srs", "1:2:3"}, 2, "", "not both"},
        {{"loads", "RUN", "--csv", "--json"}, 2, "", "not both"},
        {{"loads", "RUN", "--psd", "--with", "all"}, 2, "", "not with spectra"},
        {{"loads", "RUN", "--psd", "--segment", "20"}, 2, "", "a segment must have"},
        {{"loads", "RUN", "--psd", "--to", "0.03"}, 2, "", "too few"},
        {{"loads", "RUN", "--srs", "0:2:3"}, 2, "", "above zero"},
        {{"loads", "RUN", "--factor", "table.distance=x"}, 2, "", "expected a number above zero"},
        {{"loads", "RUN", "--factor", "inf"}, 2, "", "expected a number above zero"},
        {{"loads", "RUN", "--psd", "--segment", "0.01"}, 2, "", "a segment must have"},
        {{"loads", "RUN", "--budget", "table", "--psd"}, 2, "", "--budget or --psd, not both"},
        {{"loads", "RUN", "--budget", "table", "-o", "a.svg"}, 2, "", "a budget is a table"},
        {{"loads", "RUN", "--from", "x"}, 2, "", "--from: 'x' given"},
        {{"loads", "absent.h5"}, 1, "", "absent.h5"},
    };
    const char *const paths[] = {"RUN", runs[0], NULL};
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases), paths);
}

#ifdef LB_WITH_VIEW
static void figures_are_drawn(void **state)
{
    (void)state;
    static const char *const spectra[][3] = {
        {NULL, NULL, NULL}, {"--psd", NULL, NULL}, {"--srs", "1:100:30", NULL}};
    for (int i = 0; i < 3; ++i) {
        char path[700];
        snprintf(path, sizeof path, "%s.svg", runs[0]);
        const char *words[] = {"loads",   runs[0],  runs[1],       "--signal",    "table.distance",
                               "--title", "shaken", spectra[i][0], spectra[i][1], NULL};
        lb_expect_svg(words, path);
    }
}
#endif

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_come_with_their_times_and_companions),
        cmocka_unit_test(envelopes_name_the_run_that_sets_them),
        cmocka_unit_test(densities_of_a_sine_are_at_its_frequency),
        cmocka_unit_test(a_shock_spectrum_finds_resonance),
        cmocka_unit_test(tables_and_csv_say_the_same),
        cmocka_unit_test(spectra_are_the_same_in_every_form),
        cmocka_unit_test(factors_and_single_rows_are_told),
        cmocka_unit_test(wrong_questions_are_refused),
#ifdef LB_WITH_VIEW
        cmocka_unit_test(figures_are_drawn),
#endif
    };
    return cmocka_run_group_tests(tests, begin, end);
}
