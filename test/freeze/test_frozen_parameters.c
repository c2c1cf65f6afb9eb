// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Parameters that stay open in frozen files: the file at other values against a model that is built with them.
#include <limber/document.h>
#include <limber/dynamics.h>
#include <limber/freeze.h>
#include <limber/io.h>
#include <limber/loops.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "frozen/program.h"
#include "heard.h"
#include "random.h"

static const char *const arm =
    "limber: 1\n"
    "parameters: {payload: {value: 2, range: [0.5, 5]}, reach: 0.7, g: 9.81, shift: 0, pitch: "
    "0.01,\n"
    "  root: 0.2, stretch: 1, spare: 3, spin: payload*0.1, h: 0.02}\n"
    "gravity: [0, 0, -g]\n"
    "bodies:\n"
    "  - {name: upper, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 3, com: [0.35, shift, "
    "0.1],\n"
    "     inertia: [0.1, 0.2, 0.2, 0, 0, 0], nodes: {tip: {position: [reach, 0, 0.05]}}}\n"
    "  - {name: screw, parent: upper, at: tip, hinge: {type: screw, axis: [0, 0, 1], pitch: "
    "pitch},\n"
    "     mass: payload, com: [reach/2, 0.02, 0], inertia: [spin, spin, spin, 0, 0, 0]}\n"
    "  - {name: hand, parent: screw, hinge: {type: spherical}, mass: payload*reach, com: [0.1, 0, "
    "0],\n"
    "     inertia: [0.4, \"sqrt(root)\", 0.3, 0, 0, 0]}\n"
    "  - {name: tail, parent: upper, at: tip, hinge: {type: revolute, axis: [0, 1, 0]},\n"
    "     beam: {length: stretch, section: {type: rectangle, width: 0.02, height: h},\n"
    "            material: aluminium, modes: 2}}\n";

static const char *const linkage =
    "limber: 1\n"
    "parameters: {m: 2, l: 1.2, post: 1.5}\n"
    "gravity: [0, -9.81, 0]\n"
    "ground: {nodes: {far: {position: [post, 0, 0]}}}\n"
    "bodies:\n"
    "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: m, com: [0.5, 0, 0],\n"
    "     inertia: [0.1, 0.5, 0.5, 0, 0, 0], nodes: {end: {position: [1, 0, 0]}}}\n"
    "  - {name: bar, parent: crank, at: end, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
    "     com: [l/2, 0, 0], inertia: [0.1, 0.5, 0.5, 0, 0, 0], nodes: {end: {position: [l, 0, "
    "0]}}}\n"
    "  - {name: rocker, at: far, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.5, 0, "
    "0],\n"
    "     inertia: [0.1, 0.5, 0.5, 0, 0, 0], nodes: {end: {position: [1, 0, 0]}}}\n"
    "loops:\n"
    "  - {name: pin, type: revolute, axis: [0, 0, 1], a: {body: bar, node: end}, b: {body: rocker, "
    "node: end}}\n";

// A document with the names of parameters that stay open.
typedef struct open_document {
    lb_document *document;
    lb_frozen_parameter list[8];
    lb_freeze_parameters parameters;
    lb_freeze_options options;
    lb_heard heard;
    lb_report report;
} open_document;

static lb_status build(void *user, const double *values, lb_model **model)
{
    const open_document *o = user;
    lb_status status = LB_OK;
    for (int i = 0; status >= LB_OK && i < o->parameters.count; ++i) {
        status = lb_set_parameter(o->document, o->list[i].name, values[i], NULL);
    }
    return status < LB_OK ? status : lb_load_document_model(o->document, NULL, model);
}

static void open(const char *text, const char *const *names, int count, open_document *o)
{
    memset(o, 0, sizeof *o);
    o->report = lb_listen(&o->heard);
    if (lb_load_document_text(text, strlen(text), "m.yaml", LB_FORMAT_YAML, NULL, &o->report,
                              &o->document) != LB_OK) {
        lb_print_heard(&o->heard);
        fail();
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < lb_get_parameter_count(o->document); ++j) {
            lb_parameter p = {.size = sizeof p};
            lb_expect_ok(lb_get_parameter(o->document, j, &p));
            if (strcmp(p.name, names[i]) == 0) {
                o->list[i] = (lb_frozen_parameter){names[i], p.value, p.low, p.high, NULL};
            }
        }
        assert_non_null(o->list[i].name);
    }
    o->parameters = (lb_freeze_parameters){sizeof o->parameters, count, o->list, build, o, NULL};
    o->options = lb_default_freeze_options();
    o->options.parameters = &o->parameters;
}

static lb_model *load(open_document *o)
{
    lb_model *model = NULL;
    if (lb_load_document_model(o->document, &o->report, &model) != LB_OK) {
        lb_print_heard(&o->heard);
        fail();
    }
    return model;
}

typedef int (*tuned)(const double *, const double *, const double *, const double *, double *);
typedef int (*tuned_mass)(const double *, const double *, double *);

static void check(const char *text, const char *const *names, int count, const double *start)
{
    open_document o;
    open(text, names, count, &o);
    lb_model *model = load(&o);
    lb_program program;
    o.options.configuration = start;
    o.options.batches = true; // the self-test compares these too
    assert_true(lb_write_program(model, &o.options, &program));
    lb_destroy_model(model);
    assert_int_equal(lb_run_in_folder(&program, "cc -std=c99 -pedantic -Wall -Wextra -Werror -O0 "
                                                "-DMODEL_SELF_TEST model.c -lm && ./a.out"),
                     0);
    assert_true(lb_load_program(&program, "cc -std=c99 -O0"));
    tuned forward, inverse;
    tuned_mass mass;
    lb_get_program_function(&program, "forward", &forward);
    lb_get_program_function(&program, "inverse", &inverse);
    lb_get_program_function(&program, "mass", &mass);
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed());
    for (int trial = 0; trial < 6; ++trial) {
        enum { MOST = 16 };
        double values[8], q[MOST], v[MOST], x[MOST], y[MOST * MOST], expected[MOST * MOST];
        for (int i = 0; i < count; ++i) {
            const lb_frozen_parameter *p = &o.list[i];
            values[i] = isfinite(p->high) ? lb_draw_uniform(&random, p->low, p->high)
                        : p->value == 0   ? lb_draw_uniform(&random, -0.3, 0.3)
                                          : p->value * lb_draw_uniform(&random, 0.6, 2.5);
        }
        lb_expect_ok(build(&o, values, &model));
        const int n = lb_get_v_count(model);
        assert_true(lb_get_q_count(model) <= MOST);
        lb_draw_vector(&random, n, start ? 0.3 : 1.0, v);
        lb_draw_vector(&random, n, 1.0, x);
        lb_get_neutral_configuration(model, q);
        lb_integrate_configuration(model, start ? start : q, v, q);
        for (int i = 0; i < n; ++i) {
            v[i] *= 0.5;
        }
        lb_work *work = lb_create_work(model);
        assert_int_equal(inverse(values, q, v, x, y), LB_OK);
        lb_expect_ok(lb_tree_inverse(model, work, q, v, x, expected));
        lb_expect_close("inverse", y, expected, n, 1e-12);
        assert_int_equal(mass(values, q, y), LB_OK);
        lb_expect_ok(lb_tree_mass_matrix(model, work, q, expected));
        lb_expect_close("mass", y, expected, n * n, 1e-12);
        assert_int_equal(forward(values, q, v, x, y), LB_OK);
        if (start) {
            assert_true(lb_closed_forward(model, work, q, v, NULL, x, expected, NULL, NULL) >=
                        LB_OK);
        } else {
            lb_expect_ok(lb_tree_forward(model, work, q, v, x, expected));
        }
        // 1e-11: at other lengths the state is off the loops, where the planar rows lose a digit
        lb_expect_close("forward", y, expected, n, start ? 1e-11 : 1e-12);
        lb_destroy_work(work);
        lb_destroy_model(model);
        values[0] = NAN;
        assert_int_equal(inverse(values, q, v, x, y), LB_E_NUMBER);
    }
    lb_end_program(&program);
    lb_destroy_document(o.document);
}

static void masses_offsets_and_gravity_stay_open(void **state)
{
    (void)state;
    static const char *const names[] = {"payload", "reach", "g", "shift", "pitch"};
    check(arm, names, 5, NULL);
}

static void lengths_in_loops_stay_open(void **state)
{
    (void)state;
    static const char *const names[] = {"m", "l", "post"};
    static const double start[] = {1.2, -1.0, 1.3};
    check(linkage, names, 3, start);
}

static void expect_refused(const char *name, const char *reason)
{
    open_document o;
    const char *const names[] = {"payload", name};
    open(arm, names, 2, &o);
    lb_model *model = load(&o);
    lb_frozen *frozen = NULL;
    assert_int_equal(lb_freeze_model(model, &o.options, &o.report, &frozen), LB_E_UNSUPPORTED);
    assert_null(frozen);
    char expected[128];
    snprintf(expected, sizeof expected, "parameter '%s' cannot stay open: %s", name, reason);
    if (!strstr(o.heard.entries[0].message, expected)) {
        fail_msg("%s", o.heard.entries[0].message);
    }
    lb_destroy_model(model);
    lb_destroy_document(o.document);
}

static void what_has_another_effect_is_refused_by_name(void **state)
{
    (void)state;
    expect_refused("root", "its effect is more than a polynomial");
    expect_refused("stretch", "its effect is more than a polynomial");
    expect_refused("h", "its effect is more than a polynomial");
    expect_refused("spare", "it changes nothing");
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_offsets_and_gravity_stay_open),
        cmocka_unit_test(lengths_in_loops_stay_open),
        cmocka_unit_test(what_has_another_effect_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
