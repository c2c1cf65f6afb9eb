// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A flexible boom on a hub in orbit, described by parameters: as small as a micrometre and as large as a satellite of
// the Earth. Its motion has the bits of the same model written out with numbers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "document/places.h"
#include "heard.h"
#include "limber/results.h"
#include "limber/simulate.h"

#define PI 3.14159265358979323846

// The numbers of the model are %s: formulas or numbers.
static const char model[] =
    "bodies:\n"
    "  - {name: hub, hinge: {type: free}, mass: %s, inertia: [%s, %s, %s, 0, 0, 0],\n"
    "     nodes: {side: {position: [%s, 0, 0]}}}\n"
    "  - {name: boom, parent: hub, at: side, hinge: {type: revolute, axis: [0, 0, 1]}, beam: "
    "{length: %s,\n"
    "     section: {type: tube, diameter: %s, wall: %s}, material: {E: %s, nu: 0.3, rho: %s},\n"
    "     elements: 4, modes: 2}}\n"
    "forces:\n"
    "  - {name: earth, type: gravity-point, mu: %s, position: [0, 0, 0]}\n"
    "  - {name: spring, type: spring, hinge: boom, stiffness: %s}\n"
    "initial:\n"
    "  hub: {position: [%s, 0, 0], velocity: [0, %s, 0], angular_velocity: [0, 0, %s]}\n"
    "  boom: {rate: %s}\n"
    "run: {duration: %s, interval: %s, integrator: {type: erk, tolerance: 1.0e-10}}\n";

enum { COUNT = 18, TEXT_SIZE = 4096 };

static const char parameters[] = "limber: 1\n"
                                 "parameters:\n"
                                 "  scale: {value: 1, unit: m, range: [1.0e-9, 1.0e9]}\n"
                                 "  orbit: {value: 100, unit: m}\n"
                                 "  mu: 1\n"
                                 "  E: 7.0e10\n"
                                 "  rho: 2700\n"
                                 "  side: scale/4\n"
                                 "  hub_mass: rho*side^3\n"
                                 "  hub_inertia: hub_mass*side^2/6\n"
                                 "  d: scale/20\n"
                                 "  wall: d/10\n"
                                 "  boom_mass: rho*pi*(d - wall)*wall*scale\n"
                                 "  duration: scale/5\n";

static const char *const formulas[COUNT] = {
    "hub_mass", "hub_inertia",    "hub_inertia", "hub_inertia", "side/2",   "scale",
    "d",        "wall",           "E",           "rho",         "mu",       "300*boom_mass",
    "orbit",    "sqrt(mu/orbit)", "10/scale",    "5/scale",     "duration", "duration/4"};

// The same numbers, by C.
static void compute_numbers(double scale, double orbit, double mu, double *x)
{
    const double rho = 2700, side = scale / 4, hub_mass = rho * pow(side, 3.0),
                 hub_inertia = hub_mass * pow(side, 2.0) / 6, d = scale / 20, wall = d / 10,
                 boom_mass = rho * PI * (d - wall) * wall * scale, duration = scale / 5;
    const double all[COUNT] = {
        hub_mass,   hub_inertia, hub_inertia, hub_inertia, side / 2,        scale, d,
        wall,       7.0e10,      rho,         mu,          300 * boom_mass, orbit, sqrt(mu / orbit),
        10 / scale, 5 / scale,   duration,    duration / 4};
    memcpy(x, all, sizeof all);
}

// Puts 18 texts into the model.
static void fill(char *out, size_t used, const char *const *t)
{
    snprintf(out + used, TEXT_SIZE - used, model, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7],
             t[8], t[9], t[10], t[11], t[12], t[13], t[14], t[15], t[16], t[17]);
}

typedef struct outcome {
    double q[16], v[16];
    lb_audit audit;
} outcome;

static outcome run(const lb_document *document)
{
    outcome found = {.audit = {.size = sizeof found.audit}};
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *built = NULL;
    lb_simulation *simulation = NULL;
    lb_load_document_model(document, &report, &built);
    lb_print_heard(&heard);
    assert_non_null(built);
    lb_load_simulation(document, built, &report, &simulation);
    lb_print_heard(&heard);
    assert_non_null(simulation);
    const lb_run_request request = lb_default_run_request();
    if (lb_run_simulation(simulation, &request, &found.audit) < 0) {
        fail_msg("%s", lb_get_simulation_message(simulation));
    }
    const double *q, *v;
    lb_get_simulation_state(simulation, NULL, &q, &v, NULL);
    memcpy(found.q, q, (size_t)lb_get_q_count(built) * sizeof *q);
    memcpy(found.v, v, (size_t)lb_get_v_count(built) * sizeof *v);
    lb_destroy_simulation(simulation);
    lb_destroy_model(built);
    return found;
}

static lb_document *load(const char *text)
{
    lb_document *document = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_load_document_text(text, strlen(text), "model.yaml", LB_FORMAT_YAML, NULL, &report,
                          &document);
    lb_print_heard(&heard);
    assert_non_null(document);
    return document;
}

static void expect_same_bits(const outcome *a, const outcome *b)
{
    assert_memory_equal(a->q, b->q, sizeof a->q);
    assert_memory_equal(a->v, b->v, sizeof a->v);
    assert_true(a->audit.energy_end == b->audit.energy_end);
    assert_true(a->audit.energy_error == b->audit.energy_error);
    assert_true(a->audit.steps == b->audit.steps);
}

static void runs_equal_those_written_out_with_numbers(void **state)
{
    (void)state;
    // a device of a micrometre about a point; a satellite of the Earth; something as large as a planet
    static const struct {
        double scale, orbit, mu;
    } cases[] = {{1e-6, 1e-4, 1.0}, {10.0, 7e6, 3.986004418e14}, {3e6, 1.5e11, 1.327e20}};
    static char text[TEXT_SIZE], numbers[COUNT][32];
    memcpy(text, parameters, sizeof parameters);
    fill(text, sizeof parameters - 1, formulas);
    lb_document *document = load(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const lb_parameter_value values[] = {
            {"scale", cases[i].scale}, {"orbit", cases[i].orbit}, {"mu", cases[i].mu}};
        lb_expect_ok(lb_set_parameters(document, values, 3, NULL));
        const outcome set = run(document);
        print_message("scale %g m: %g steps, energy off by %.1e of %.1e J, bound %.1e J\n",
                      cases[i].scale, set.audit.steps, set.audit.energy_error,
                      set.audit.energy_scale, set.audit.energy_bound);
        assert_int_equal(lb_judge_audit(&set.audit), LB_VERDICT_KEPT);
        // the boom swings and bends: more than a part in a thousand of its length
        assert_true(fabs(set.q[9]) > 1e-3);

        // written out by hand
        double x[COUNT];
        const char *texts[COUNT];
        compute_numbers(cases[i].scale, cases[i].orbit, cases[i].mu, x);
        for (int k = 0; k < COUNT; ++k) {
            snprintf(numbers[k], sizeof numbers[k], "%.17g", x[k]);
            texts[k] = numbers[k];
        }
        memcpy(text, "limber: 1\n", 10);
        fill(text, 10, texts);
        lb_document *plain = load(text);
        const outcome by_hand = run(plain);
        expect_same_bits(&set, &by_hand);
        lb_destroy_document(plain);

        // and as `convert` writes it
        char *written;
        size_t length;
        lb_expect_ok(lb_format_document(document, LB_FORMAT_YAML, &written, &length));
        lb_document *again = load(written);
        const outcome converted = run(again);
        expect_same_bits(&set, &converted);
        lb_destroy_document(again);
        free(written);
    }

    // no value stays
    lb_expect_ok(lb_set_parameters(document, NULL, 0, NULL));
    assert_true(lb_is_document_whole(document));
    lb_parameter scale = {.size = sizeof scale};
    lb_expect_ok(lb_get_parameter(document, 0, &scale));
    assert_true(scale.value == 1.0);
    assert_int_equal(lb_set_parameters(document, NULL, -1, NULL), LB_E_ARGUMENT);
    lb_destroy_document(document);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_equal_those_written_out_with_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
