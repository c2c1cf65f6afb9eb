// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Mistakes in plans of sweeps: each has a message with its place and what was expected.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"

#define MODEL                                                                                      \
    "limber: 1\n"                                                                                  \
    "parameters: {m: 1}\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  - {name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: m, com: [1, 0, 0],\n"         \
    "     inertia: [0.1, 0.1, 0.5, 0, 0, 0]}\n"

#define HEAD "limber_sweep: 1\nmodel: MODEL\n"
#define VARY(text) HEAD "vary: {m: " text "}\nsamples: 3\njob: run\noutputs: {y: {signal: t}}\n"
#define KEEP(job, text)                                                                            \
    HEAD "vary: {m: {values: [1, 2]}}\nsamples: 3\njob: " job "\noutputs: {y: " text "}\n"
#define SAMPLE(text)                                                                               \
    HEAD "vary: {m: {distribution: normal, mean: 1, deviation: 0.1}}\njob: run\n"                  \
         "outputs: {y: {signal: t}}\n" text

static const struct {
    const char *plan, *message;
} mistakes[] = {
    {"limber: 1\n", "1:1: this is no plan of a sweep: expected the key `limber_sweep: 1`"},
    {"limber_sweep: 2\nmodel: MODEL\n", "limber_sweep: version 2 found, expected 1"},
    {"limber_sweep: 1\n", "model: missing: the key \"model\" is required here"},
    {HEAD "wary: {}\n", "wary: unknown key \"wary\""},
    {HEAD, "vary: missing"},
    {VARY("3"), "3:11: vary.m: expected a mapping such as {distribution: normal"},
    {VARY("{distribution: cauchy}"), "vary.m.distribution: "},
    {VARY("{distribution: uniform, low: 1}"), "vary.m.high: missing"},
    {VARY("{distribution: uniform, low: 2, high: 1}"),
     "low 2 and high 1 found, expected the smaller one first"},
    {VARY("{distribution: uniform, low: 1, high: 2, mode: 1}"), "vary.m.mode: unknown key"},
    {VARY("{distribution: triangular, low: 1, mode: 3, high: 2}"),
     "expected them in this order of size"},
    {VARY("{distribution: normal, mean: 1, deviation: -1}"),
     "-1 found, expected a standard deviation of 0 or more"},
    {VARY("{distribution: log-normal, median: 0, deviation: 1}"),
     "0 found, expected a median above 0"},
    {VARY("{values: []}"), "expected a list of numbers, or {from, to, count}"},
    {VARY("{values: [1, x]}"), "vary.m.values[1]: "},
    {VARY("{values: {from: 1, to: 2, count: 1.5}}"),
     "1.5 found, expected a whole number from 2 to 1000000"},
    {HEAD "vary: {mm: {values: [1]}}\nsamples: 3\njob: run\noutputs: {y: {signal: t}}\n",
     "there is no parameter \"mm\""},
    {HEAD
     "vary: {bodies.arm.mas: {values: [1]}}\nsamples: 3\njob: run\noutputs: {y: {signal: t}}\n",
     "3:7: vary: none of the first samples gives a model: bodies[0].mas: unknown key \"mas\""},
    {SAMPLE(""), "samples: missing"},
    {SAMPLE("samples: 0\n"), "samples: 0 found, expected a whole number from 1"},
    {SAMPLE("samples: 3\nseed: -1\n"), "seed: -1 found, expected a whole number from 0"},
    {SAMPLE("samples: 3\nsampling: dice\n"), "sampling: "},
    {SAMPLE("sampling: grid\n"), "a grid takes `values`, not a distribution"},
    {HEAD "vary: {m: {values: [1, 2]}}\nsampling: grid\nsamples: 2\njob: run\noutputs: {y: "
          "{signal: t}}\n",
     "a grid has no `samples`: leave it out"},
    {HEAD "vary: {m: {values: [1, 2]}, gravity.0: {values: [1]}}\nsampling: list\njob: run\n"
          "outputs: {y: {signal: t}}\n",
     "1 values found, expected 2 as for m"},
    {SAMPLE("samples: 3\ncorrelations: [[m, k, 0.5]]\n"),
     "expected the name of a parameter under `vary`"},
    {SAMPLE("samples: 3\ncorrelations: [[m, m, 0.5]]\n"), "expected two different parameters"},
    {SAMPLE("samples: 3\ncorrelations: [[m, m]]\n"), "expected two parameters and a number"},
    {SAMPLE("samples: 3\ncorrelations: [[m, m, 1]]\n"),
     "1 found, expected a number between -1 and 1"},
    {HEAD
     "vary:\n  m: {distribution: normal, mean: 1, deviation: 0.1}\n"
     "  gravity.0: {distribution: normal, mean: 1, deviation: 0.1}\n"
     "  gravity.1: {distribution: normal, mean: 1, deviation: 0.1}\n"
     "samples: 3\njob: run\noutputs: {y: {signal: t}}\n"
     "correlations: [[m, gravity.0, 0.9], [m, gravity.1, 0.9], [gravity.0, gravity.1, -0.9]]\n",
     "no parameters have these correlations together"},
    {SAMPLE("samples: 3\nsampling: latin-hypercube\nsensitivity: true\n"),
     "Sobol indices need sampling: random or sobol"},
    {KEEP("dance", "{signal: t}"), "job: "},
    {KEEP("{type: modes, duration: 3}", "{frequency: 1}"),
     "modes takes no time: leave `duration` out"},
    {KEEP("{type: run, duration: 0}", "{signal: t}"), "0 found, expected a time above 0"},
    {KEEP("run", "{frequency: 1}"), "a run has no `frequency`, expected signal or audit"},
    {KEEP("modes", "{signal: t}"), "modes and linearize have no `signal`"},
    {KEEP("run", "{value: end}"), "expected a mapping with `signal` or `audit`"},
    {KEEP("run", "{signal: arm.angel}"), "outputs.y: "},
    {KEEP("run", "{signal: t, value: worst}"), "outputs.y.value: "},
    {KEEP("run", "{audit: wall_time}"), "but no times by the clock"},
    {KEEP("modes", "{frequency: 0}"), "0 found, expected a whole number from 1"},
    {KEEP("modes", "{growth: false}"), "outputs.y.growth: expected true"},
    {KEEP("linearize", "{margin: phase}"), "outputs.y.feedback: missing"},
    {HEAD "vary: {m: {values: [1, 2]}}\nsamples: 3\njob: run\noutputs: {m: {signal: t}}\n",
     "a parameter has this name, expected another"},
};

static void every_mistake_has_its_message(void **state)
{
    (void)state;
    const char *model = lb_write_file("model.yaml", MODEL);
    int wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
        char plan[2048];
        const char *mark = strstr(mistakes[i].plan, "MODEL");
        const int before = mark ? (int)(mark - mistakes[i].plan) : (int)strlen(mistakes[i].plan);
        snprintf(plan, sizeof plan, "%.*s%s%s", before, mistakes[i].plan, mark ? model : "",
                 mark ? mark + 5 : "");
        lb_cli_run run = lb_run(NULL, "sweep", "status", lb_write_file("plan.yaml", plan));
        if (run.status != 1 || !strstr(run.err, mistakes[i].message)) {
            print_error("%s\nexpected: %s\nfound (%d): %s\n", plan, mistakes[i].message, run.status,
                        run.err);
            ++wrong;
        }
        lb_end_run(&run);
    }
    assert_int_equal(wrong, 0);
}

static void a_model_with_mistakes_is_told(void **state)
{
    (void)state;
    char plan[1024];
    const char *model =
        lb_write_file("wrong.yaml", "limber: 1\nparameters: {m: 1}\nbodies: [{name: a}]\n");
    snprintf(plan, sizeof plan,
             "limber_sweep: 1\nmodel: %s\nvary: {m: {values: [1]}}\nsamples: 1\njob: run\n"
             "outputs: {y: {signal: t}}\n",
             model);
    lb_cli_run run = lb_run(NULL, "sweep", "status", lb_write_file("plan.yaml", plan));
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "model: bodies[0]"));
    lb_end_run(&run);
    run = lb_run(NULL, "sweep", "/nowhere/plan.yaml");
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_has_its_message),
        cmocka_unit_test(a_model_with_mistakes_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
