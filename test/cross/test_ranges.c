// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The range of modal bodies: where they leave it trim and runs say so, and where they do not they agree
// with the elastica.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/io.h"
#include "limber/simulate.h"
#include "run_cli.h"

static const double diameter = 0.004, young = 210e9, density = 7850.0, gravity = 9.81;

// ---- the elastica ------------------------------------------------------------------------------

// E I theta'' = -(P + w (1 - s)) cos(theta), theta(0) = 0, downwards positive: z of the tip and theta'(1)
// for a curvature at the root.
static double shoot(double curvature, double P, double *z)
{
    enum { STEPS = 2000 };
    const double pi = acos(-1.0), h = 1.0 / STEPS;
    const double EI = young * pi * pow(diameter, 4) / 64.0;
    const double w = density * gravity * pi * diameter * diameter / 4.0;
    double theta = 0.0, kappa = curvature;
    *z = 0.0;
    for (int i = 0; i < STEPS; ++i) {
        // midpoint rule
        const double s = i * h;
        const double first = -(P + w * (1.0 - s)) * cos(theta) / EI;
        const double middle = theta + 0.5 * h * kappa, kappa_middle = kappa + 0.5 * h * first;
        *z -= h * sin(middle);
        theta += h * kappa_middle;
        kappa -= h * (P + w * (1.0 - s - 0.5 * h)) * cos(middle) / EI;
    }
    return kappa;
}

static double find_elastica(double mass)
{
    double low = 0.0, high = 20.0, z = 0.0;
    for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        if (shoot(middle, mass * gravity, &z) > 0.0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return z;
}

// ---- bodies ------------------------------------------------------------------------------------

typedef struct heard {
    int warnings;
    char last[512], all[4096];
} heard;

static void hear(void *user, const lb_diagnostic *diagnostic)
{
    heard *h = user;
    ++h->warnings;
    snprintf(h->last, sizeof h->last, "%s", diagnostic->message);
    strncat(h->all, diagnostic->message, sizeof h->all - strlen(h->all) - 1);
}

// The equilibrium of a text: z of the node `tip` of its last body.
static double find_tip(const char *text, heard *h)
{
    const lb_report report = {hear, h};
    *h = (heard){0};
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_simulation *simulation = NULL;
    lb_expect_ok(lb_load_document_text(text, strlen(text), "rod.yaml", LB_FORMAT_YAML, NULL,
                                       &report, &document));
    lb_expect_ok(lb_load_document_model(document, &report, &model));
    lb_expect_ok(lb_load_simulation(document, model, &report, &simulation));
    assert_int_equal(h->warnings, 0);
    lb_expect_ok(lb_trim_simulation(simulation, NULL));
    const double *q;
    lb_get_initial_state(simulation, &q, NULL);
    lb_work *work = lb_create_work(model);
    lb_node_motion tip;
    const int body = lb_get_body_count(model) - 1;
    lb_expect_ok(lb_compute_kinematics(model, work, q, NULL, NULL));
    lb_expect_ok(lb_compute_node_motion(model, work, body, lb_find_node(model, body, "tip"), &tip));
    lb_destroy_work(work);
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    lb_destroy_document(document);
    return tip.position[2];
}

static void modes_within_their_range_agree_with_the_elastica(void **state)
{
    (void)state;
    int inside = 0, outside = 0;
    for (int i = 0; i < 12; ++i) {
        const double mass = 0.01 * i * i;
        char text[1024];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  - name: rod\n"
                 "    hinge: {type: fixed}\n"
                 "    beam: {length: 1, section: {type: tube, diameter: 0.004}, material: steel, "
                 "modes: 6, masses: [{at: tip, mass: %g}]}\n",
                 mass + 1e-6);
        heard h;
        const double z = find_tip(text, &h), exact = find_elastica(mass), off = z / exact - 1.0;
        // a warning as soon as the tip is wrong by four per cent, and none where it is right to two
        if (h.warnings == 0) {
            ++inside;
            lb_expect_below("error without a warning", off, 0.04);
        } else {
            ++outside;
            assert_true(fabs(off) > 0.015);
            assert_int_equal(h.warnings, 1);
            assert_non_null(strstr(h.last, "in equilibrium 'rod' is deformed beyond the range"));
        }
    }
    assert_true(inside > 2 && outside > 2);
}

static void pieces_bend_as_the_elastica_and_stay_in_range(void **state)
{
    (void)state;
    enum { PIECES = 10 };
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "limber: 1\n"
                                   "gravity: [0, 0, -9.81]\n"
                                   "bodies:\n");
    for (int i = 0; i < PIECES; ++i) {
        char parent[64] = "";
        if (i > 0) {
            snprintf(parent, sizeof parent, "    parent: p%d\n    at: tip\n", i - 1);
        }
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "  - name: p%d\n%s"
            "    hinge: {type: fixed}\n"
            "    beam: {length: %.17g, section: {type: tube, diameter: 0.004}, material: steel, "
            "modes: {type: craig-bampton, interfaces: [tip], count: 1}%s}\n",
            i, parent, 1.0 / PIECES, i == PIECES - 1 ? ", masses: [{at: tip, mass: 0.5}]" : "");
    }
    heard h;
    const double z = find_tip(text, &h);
    lb_expect_near("tip", z, find_elastica(0.5), 0.01);
    assert_int_equal(h.warnings, 0);
}

// ---- what a document says ----------------------------------------------------------------------

// Loads a text and takes the number of warnings.
static heard load(const char *text)
{
    heard h = {0};
    const lb_report report = {hear, &h};
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_simulation *simulation = NULL;
    lb_expect_ok(lb_load_document_text(text, strlen(text), "rod.yaml", LB_FORMAT_YAML, NULL,
                                       &report, &document));
    lb_expect_ok(lb_load_document_model(document, &report, &model));
    lb_expect_ok(lb_load_simulation(document, model, &report, &simulation));
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    lb_destroy_document(document);
    return h;
}

#define ROD "length: 1, section: {type: tube, diameter: 0.01}, material: steel"

static void chained_clamped_modes_are_warned_of(void **state)
{
    (void)state;
    static const struct {
        const char *hinge, *modes;
        int warnings;
    } cases[] = {
        {"fixed", "4", 1},
        {"fixed", "{count: 4}", 1},
        {"fixed", "{type: cantilever, frequency: 1000}", 1},
        {"fixed", "{type: craig-bampton, interfaces: [tip], count: 1}", 0},
        {"fixed", "{count: 4, corrections: [{at: tip, force: [0, 0, 1]}]}", 0},
        {"revolute, axis: [0, 1, 0]", "4", 0}, // no moment there
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n"
                 "  - {name: a, hinge: {type: fixed}, beam: {" ROD ", modes: %s}}\n"
                 "  - {name: b, parent: a, at: tip, hinge: {type: %s}, beam: {" ROD
                 ", modes: 2}}\n",
                 cases[i].modes, cases[i].hinge);
        const heard h = load(text);
        assert_int_equal(h.warnings, cases[i].warnings);
        assert_true(h.warnings == 0 || strstr(h.last, "'a' carries 'b' at 'tip'"));
    }
}

// The lowest frequency of the rod is 7.3 Hz or 46 rad/s; g / l is 0.5 % of its square.
static void spin_and_axial_load_without_second_order_are_warned_of(void **state)
{
    (void)state;
    static const struct {
        const char *beam, *gravity, *rest, *said;
    } cases[] = {
        {"second_order: false", "0", "initial: {a: {rate: 20}}", "will soften in spin"},
        {"fidelity: ruthless", "0", "forces: [{name: m, type: motion, hinge: a, speed: 20*t}]",
         "its spin"},
        {"fidelity: ruthless", "0", "initial: {a: {rate: 20}}", "its spin"},
        {"fidelity: ruthless", "0", "initial: {a: {rate: 0.5}}", NULL},
        {"second_order: true", "0", "initial: {a: {rate: 20}}", NULL},
        {"second_order: false", "-9.81", "", NULL},
        {"second_order: false, masses: [{at: tip, mass: 20}]", "-9.81", "", "its axial load"},
        {"masses: [{at: tip, mass: 20}]", "-9.81", "", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "gravity: [%s, 0, 0]\n"
                 "bodies:\n"
                 "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, beam: {" ROD
                 ", modes: 2, %s}}\n"
                 "run: {duration: 1, interval: 1}\n%s\n",
                 cases[i].gravity, cases[i].beam, cases[i].rest);
        const heard h = load(text);
        if (cases[i].said) {
            assert_non_null(strstr(h.all, cases[i].said));
        } else {
            assert_null(strstr(h.all, "is left out"));
        }
    }
}

// A strip whose modes only twist moves no node, but spin makes its torsion stiffer as well.
static void spin_of_a_twisting_strip_without_second_order_is_warned_of(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        char text[512];
        snprintf(
            text, sizeof text,
            "limber: 1\nbodies:\n  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, beam: "
            "{length: 1, section: {type: rectangle, width: 0.06, height: 0.002}, material: "
            "steel, modes: {count: 2, motions: [twist]}, second_order: %s}}\n"
            "initial: {a: {rate: 100}}\n",
            i ? "true" : "false");
        const heard h = load(text);
        assert_int_equal(h.warnings, 1 - i);
        assert_true(i || strstr(h.last, "its spin"));
    }
}

// ---- the case ----------------------------------------------------------------------------------

static int count_lines(const char *text, const char *wanted)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, wanted)) != NULL; ++at) {
        ++count;
    }
    return count;
}

static void run_and_trim_say_when_a_body_leaves_its_range(void **state)
{
    (void)state;
    const char *path = lb_find_source("test/cases/beyond_the_modes.yaml");
    lb_cli_run trim = lb_run(NULL, "trim", path);
    assert_int_equal(trim.status, 0);
    assert_int_equal(count_lines(trim.err, "warning"), 1);
    assert_non_null(strstr(trim.err, "in equilibrium 'rod' is deformed beyond the range"));
    assert_non_null(strstr(trim.err, "results are not valid"));
    lb_end_run(&trim);
    const char *results = lb_write_file("beyond.h5", "");
    lb_cli_run run = lb_run(NULL, "run", path, "--quiet", "--output", results);
    assert_int_equal(run.status, 0);
    assert_int_equal(count_lines(run.err, "warning"), 2);
    assert_non_null(strstr(run.err, "at t = 0.2 s 'rod' is deformed beyond the range"));
    assert_int_equal(count_lines(run.err, "results are not valid"), 1);
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_within_their_range_agree_with_the_elastica),
        cmocka_unit_test(pieces_bend_as_the_elastica_and_stay_in_range),
        cmocka_unit_test(chained_clamped_modes_are_warned_of),
        cmocka_unit_test(spin_and_axial_load_without_second_order_are_warned_of),
        cmocka_unit_test(spin_of_a_twisting_strip_without_second_order_is_warned_of),
        cmocka_unit_test(run_and_trim_say_when_a_body_leaves_its_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
