// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of the C API that cannot be, and calls that come too late: a status, and words at the place of the mistake.
// Only a program can make these: readers of files look at types and numbers first.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "heard.h"
#include "limber/beams.h"
#include "limber/events.h"
#include "limber/signals.h"
#include "limber/simulate.h"

static void expect_said(const lb_heard *heard, const char *path, const char *message)
{
    for (int i = 0; i < heard->count && i < 32; ++i) {
        if (strcmp(heard->entries[i].path, path) == 0 &&
            strstr(heard->entries[i].message, message)) {
            return;
        }
    }
    lb_print_heard(heard);
    fail_msg("expected at %s: %s", path, message);
}

// ---- beams ---------------------------------------------------------------------------------------

static void of_beams(void **state)
{
    (void)state;
    static const double coefficients[] = {0, 0, NAN};
    static const lb_beam_node twins[] = {{"a", 0.2}, {"a", 0.4}};
    static const struct {
        lb_beam_shape shape;
        const char *message;
    } shapes[] = {
        {{.family = (lb_shape_family)99, .motion = LB_MOTION_Y, .count = 1},
         "99 found, expected one of lb_shape_family"},
        {{.family = (lb_shape_family)-1, .motion = LB_MOTION_Y, .count = 1},
         "-1 found, expected one of lb_shape_family"},
        {{.family = LB_SHAPE_CLAMPED_FREE, .motion = LB_MOTION_ALL, .count = 1},
         "15 found, expected one motion"},
        {{.family = LB_SHAPE_CLAMPED_FREE_BAR, .motion = LB_MOTION_Z, .count = 1},
         "for stretch and twist"},
        {{.family = LB_SHAPE_CLAMPED_FREE, .motion = LB_MOTION_TWIST, .count = 1},
         "for bending, motion y or z"},
        {{.family = LB_SHAPE_CLAMPED_FREE, .motion = LB_MOTION_Y, .count = 0},
         "0 shapes, expected 1 to 200"},
        {{.family = LB_SHAPE_CLAMPED_FREE, .motion = LB_MOTION_Y, .count = 201},
         "201 shapes, expected 1 to 200"},
        {{.family = LB_SHAPE_POLYNOMIAL, .motion = LB_MOTION_Y, .count = 1},
         "no coefficients given"},
        {{.family = LB_SHAPE_POLYNOMIAL,
          .motion = LB_MOTION_Y,
          .count = 1,
          .coefficients = coefficients,
          .coefficient_count = 3},
         "expected finite numbers"},
    };
    lb_section tube = lb_default_section(), nothing = lb_default_section();
    tube.type = LB_SECTION_TUBE;
    tube.diameter = 0.1;
    nothing.type = (lb_section_type)99;
    lb_modes_options modes = lb_default_modes_options();
    modes.count = 2;
    lb_beam_options fine = lb_default_beam_options();
    fine.length = 1.0;
    fine.section = &tube;
    fine.modes = &modes;
    assert_int_equal(lb_get_material(lb_find_material("steel"), &fine.material), LB_OK);
    lb_flex_body *body = NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_beam_options o = fine;
        o.shapes = &shapes[i].shape;
        o.shape_count = 1;
        assert_int_equal(lb_create_beam_body(&o, NULL, &report, &body), LB_E_MODEL);
        assert_null(body);
        expect_said(&heard, "shapes[0]", shapes[i].message);
    }
    enum { COUNT = 12 };
    lb_beam_options wrong[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        wrong[i] = fine;
    }
    const lb_beam_shape shape = {
        .family = LB_SHAPE_CLAMPED_FREE, .motion = LB_MOTION_Y, .count = 1};
    wrong[0].length = -1.0;
    wrong[1].length = INFINITY;
    wrong[2].element_count = -1;
    wrong[3].element_count = 200000;
    wrong[4].nodes = twins;
    wrong[4].node_count = 2;
    wrong[5].shapes = &shape;
    wrong[5].shape_count = 1;
    wrong[5].theory = LB_THEORY_TIMOSHENKO;
    wrong[6].section = &nothing;
    wrong[7].material.rho = NAN;
    lb_section below = lb_default_section();
    below.type = (lb_section_type)-1;
    wrong[8].section = &below;
    lb_modes_options none = lb_default_modes_options(), many = none;
    none.count = -1;
    many.count = 10000;
    wrong[9].modes = &none;
    wrong[10].modes = &many;
    const lb_beam_node unnamed = {NULL, 0.5};
    wrong[11].nodes = &unnamed;
    wrong[11].node_count = 1;
    static const char *const said[COUNT][2] = {
        {"length", "expected a positive length"},
        {"length", "expected a positive length"},
        {"elements", "expected 1 to 100000"},
        {"elements", "expected 1 to 100000"},
        {"nodes.a", "the name stands twice"},
        {"shapes", "theory must be euler-bernoulli"},
        {"section", "99 found, expected one of lb_section_type"},
        {"material.rho", "expected a positive number"},
        {"section", "-1 found, expected one of lb_section_type"},
        {"modes.count", "-1 found, expected 1 to"},
        {"modes.count", "10000 found, expected 1 to"},
        {"nodes.", "expected a name of its own"}};
    for (int i = 0; i < COUNT; ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        assert_int_equal(lb_create_beam_body(&wrong[i], NULL, &report, &body), LB_E_MODEL);
        expect_said(&heard, said[i][0], said[i][1]);
        // and without a report the same status
        assert_int_equal(lb_create_beam_body(&wrong[i], NULL, NULL, &body), LB_E_MODEL);
    }
}

// ---- loops ---------------------------------------------------------------------------------------

// A builder with two bodies and one loop; what it says, when the loop is added or when the model is built.
static void expect_loop(const lb_loop_options *given, const char *path, const char *message)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_builder *builder = lb_create_builder(NULL, &report);
    assert_non_null(builder);
    for (int i = 0; i < 2; ++i) {
        lb_body_options body = lb_default_body_options();
        body.name = i ? "b" : "a";
        body.hinge.type = LB_HINGE_FREE;
        body.mass = 1.0;
        for (int k = 0; k < 3; ++k) {
            body.inertia[k] = 1.0;
        }
        lb_expect_ok(lb_add_body(builder, &body, NULL));
    }
    lb_loop_options loop = *given;
    loop.size = sizeof loop;
    int index = -1;
    const lb_status added = lb_add_loop(builder, &loop, &index);
    lb_model *model = NULL;
    assert_true(added == LB_OK || added == LB_E_MODEL);
    // counted all the same, so that indices stay those of the caller
    assert_int_equal(index, 0);
    assert_int_equal(lb_build_model(builder, &model), LB_E_MODEL);
    assert_null(model);
    lb_destroy_builder(builder);
    expect_said(&heard, path, message);
}

static void of_loops(void **state)
{
    (void)state;
    static const char *const reach[] = {"nobody"};
    static const lb_coupler_term terms[] = {{.body = "a", .factor = NAN},
                                            {.body = NULL, .factor = 1.0}};
    const struct {
        lb_loop_options loop;
        const char *path, *message;
    } cases[] = {
        {{.body_a = "a", .body_b = "b"}, "loops[0].name", "expected a name that is not empty"},
        {{.name = "l", .body_a = "a", .body_b = "b", .type = (lb_loop_type)99},
         "loops[0].type",
         "99 is not a loop type"},
        {{.name = "l", .body_a = "a", .body_b = "c"}, "loops[0].b", "no body is named \"c\""},
        {{.name = "l", .body_a = "a", .body_b = "b", .node_b = "tip"},
         "loops[0].b",
         "\"b\" has no node named \"tip\""},
        {{.name = "l", .body_a = "a", .body_b = "a"},
         "loops[0].b",
         "a node cannot close on itself"},
        {{.name = "l", .body_a = "a", .body_b = "b", .type = LB_LOOP_REVOLUTE},
         "loops[0].axis",
         "expected"},
        {{.name = "l", .body_a = "a", .body_b = "b", .type = LB_LOOP_ROD, .length = NAN},
         "loops[0].length",
         "finite"},
        {{.name = "l", .body_a = "a", .body_b = "b", .type = LB_LOOP_ROD, .length = -1.0},
         "loops[0].length",
         "expected"},
        {{.name = "l", .body_a = "a", .body_b = "b", .reach = reach, .reach_count = 1},
         "loops[0].reach",
         "no body is named \"nobody\""},
        {{.name = "l", .body_a = "a", .body_b = "b", .term_capacity = -1},
         "loops[0].term_capacity",
         "-1, expected 0 to"},
        {{.name = "l", .body_a = "a", .body_b = "b", .term_capacity = 1 << 30},
         "loops[0].term_capacity",
         "expected 0 to"},
        {{.name = "l", .type = LB_LOOP_COUPLER, .terms = terms, .term_count = 1},
         "loops[0].terms[0]",
         "finite"},
        {{.name = "l", .type = LB_LOOP_COUPLER, .terms = terms + 1, .term_count = 1},
         "loops[0].terms[0]",
         "no body is named"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        expect_loop(&cases[i].loop, cases[i].path, cases[i].message);
    }
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_builder *builder = lb_create_builder(NULL, &report);
    assert_int_equal(lb_set_spare_loops(builder, -1), LB_E_MODEL);
    assert_int_equal(lb_set_spare_loops(builder, 1 << 30), LB_E_MODEL);
    assert_int_equal(lb_set_spare_terms(builder, 0), LB_E_MODEL);
    assert_int_equal(lb_set_spare_terms(builder, 1 << 30), LB_E_MODEL);
    expect_said(&heard, "spare_loops", "-1, expected 0 to");
    expect_said(&heard, "spare_loops", "room for 0 terms, expected 1 to");
    lb_destroy_builder(builder);
}

// ---- simulations ---------------------------------------------------------------------------------

static const char model_text[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: free}}\n"
    "  - {name: b, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: free}}\n"
    "  - {name: post, mass: 1, hinge: {type: fixed}}\n"
    "loops:\n"
    "  - {name: weld, type: weld, a: {body: a}, b: {body: b}, motion: {shift: [0, 0, 0]}}\n"
    "  - {name: rod, type: rod, length: 1, a: {body: a}, b: {body: b}, motion: 0}\n"
    "  - {name: slide, type: prismatic, axis: [1, 0, 0], a: {body: a}, b: {body: b}, motion: 0}\n"
    "  - {name: still, type: weld, a: {body: a}, b: {body: b}}\n"
    "signals: {height: a.position.z}\n";

typedef struct bench {
    lb_document *document;
    lb_model *model;
    lb_simulation *simulation;
    lb_heard heard;
    lb_report report;
} bench;

static void begin(bench *b)
{
    *b = (bench){.document = NULL};
    b->report = lb_listen(&b->heard);
    lb_expect_ok(lb_load_document_text(model_text, strlen(model_text), "text", LB_FORMAT_YAML, NULL,
                                       &b->report, &b->document));
    if (lb_load_document_model(b->document, &b->report, &b->model) < 0) {
        lb_print_heard(&b->heard);
        fail_msg("no model");
    }
    lb_expect_ok(lb_create_simulation(b->model, &b->report, &b->simulation));
}

static void end(bench *b)
{
    lb_destroy_simulation(b->simulation);
    lb_destroy_model(b->model);
    lb_destroy_document(b->document);
}

static void of_functions(void **state)
{
    (void)state;
    static const double two[2] = {0, 1};
    static const struct {
        lb_function_options function;
        const char *path, *message;
    } cases[] = {
        {{.type = LB_FUNCTION_SINE, .offset = NAN}, "forces[0].value.sine.offset", "finite"},
        {{.type = LB_FUNCTION_SINE, .phase = NAN}, "forces[0].value.sine.phase", "finite"},
        {{.type = LB_FUNCTION_SINE, .rate = INFINITY}, "forces[0].value.sine.rate", "finite"},
        {{.type = LB_FUNCTION_PULSE, .width = INFINITY},
         "forces[0].value.pulse.width",
         "expected a positive time"},
        {{.type = LB_FUNCTION_PULSE, .width = 1.0, .rise = -1.0},
         "forces[0].value.pulse.rise",
         "expected from 0 to half the width"},
        {{.type = LB_FUNCTION_PULSE, .width = 1.0, .period = INFINITY},
         "forces[0].value.pulse.period",
         "expected at least the width"},
        {{.type = LB_FUNCTION_TABLE, .point_count = 2000000, .times = two, .values = two},
         "forces[0].value.table",
         "expected 2 to 1000000"},
        {{.type = LB_FUNCTION_TABLE, .point_count = 2, .times = two},
         "forces[0].value.table",
         "expected times and values"},
        {{.type = LB_FUNCTION_TABLE,
          .point_count = 2,
          .times = two,
          .values = two,
          .interpolation = (lb_interpolation)99},
         "forces[0].value.interpolation",
         "99 is no interpolation"},
        {{.type = LB_FUNCTION_PIECES, .piece_count = 2000000},
         "forces[0].value.pieces",
         "expected 1 to 1000000"},
        {{.type = LB_FUNCTION_PIECES, .piece_count = 1, .coefficient_count = 21},
         "forces[0].value.pieces[0].coefficients",
         "expected 1 to 20"},
        {{.type = LB_FUNCTION_PIECES, .piece_count = 1, .coefficient_count = 1, .starts = two},
         "forces[0].value.pieces",
         "expected starts and coefficients"},
        {{.type = LB_FUNCTION_PIECES,
          .piece_count = 1,
          .coefficient_count = 1,
          .coefficients = two},
         "forces[0].value.pieces",
         "expected starts and coefficients"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        bench b;
        begin(&b);
        lb_function_options function = cases[i].function;
        function.size = sizeof function;
        lb_force_options force = lb_default_force_options();
        force.name = "motor";
        force.type = LB_FORCE_MOTOR;
        force.hinge = "a.3";
        force.values = &function;
        force.value_count = 1;
        assert_int_equal(lb_add_force(lb_get_simulation_forces(b.simulation), &force, NULL),
                         LB_E_MODEL);
        expect_said(&b.heard, cases[i].path, cases[i].message);
        end(&b);
    }
}

static void of_loop_drives(void **state)
{
    (void)state;
    lb_function_options rest[3] = {lb_default_function_options(), lb_default_function_options(),
                                   lb_default_function_options()};
    const struct {
        lb_loop_drive_options drive;
        const char *path, *message;
    } cases[] = {
        {{.loop = NULL}, "loops", "there is no loop ''"},
        {{.loop = "rope"}, "loops", "there is no loop 'rope'"},
        {{.loop = "still"}, "loops[3].motion", "'still' is not driven: the model must say so"},
        {{.loop = "weld", .turn = rest}, "loops[0].motion", "turn needs an axis"},
        {{.loop = "weld", .turn = rest, .axis = {NAN, 0, 0}},
         "loops[0].motion.axis",
         "expected a direction"},
        {{.loop = "weld", .shift = rest, .shift_count = 2},
         "loops[0].motion.shift",
         "expected a list of 3 functions"},
        {{.loop = "weld", .shift = rest, .shift_count = 1},
         "loops[0].motion.shift",
         "a weld loop has no axis"},
        {{.loop = "rod", .turn = rest, .axis = {1, 0, 0}},
         "loops[1].motion",
         "a rod takes one function: what is added to its length"},
        {{.loop = "rod", .shift = rest, .shift_count = 3},
         "loops[1].motion",
         "a rod takes one function"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        bench b;
        begin(&b);
        lb_loop_drive_options drive = cases[i].drive;
        drive.size = sizeof drive;
        assert_int_equal(lb_add_loop_drive(b.simulation, &drive), LB_E_MODEL);
        expect_said(&b.heard, cases[i].path, cases[i].message);
        end(&b);
    }
    bench b;
    begin(&b);
    const lb_loop_drive_options drive = {
        .size = sizeof drive, .loop = "slide", .shift = rest, .shift_count = 1};
    lb_expect_ok(lb_add_loop_drive(b.simulation, &drive));
    assert_int_equal(lb_add_loop_drive(b.simulation, &drive), LB_E_MODEL);
    expect_said(&b.heard, "loops[2].motion", "'slide' has a motion already");
    end(&b);
}

static int get_level(void *user, const lb_instant *instant, double *level)
{
    (void)user;
    *level = instant->t - 1.0;
    return 0;
}

static void of_events(void **state)
{
    (void)state;
    static const double bad_axis[3] = {NAN, 0, 0};
    lb_loop_change_options changes[6];
    const lb_node_name ends[2] = {{.body = "a"}, {.body = "b"}};
    for (int i = 0; i < 6; ++i) {
        changes[i] = lb_default_loop_change_options();
        changes[i].a = ends[0];
        changes[i].b = ends[1];
        changes[i].has_type = true;
        changes[i].type = LB_LOOP_WELD;
    }
    changes[0].type = (lb_loop_type)99;
    changes[1].length = 2.0;
    changes[2].type = LB_LOOP_REVOLUTE;
    memcpy(changes[2].axis, bad_axis, sizeof bad_axis);
    changes[3].type = LB_LOOP_ROD;
    changes[3].length = -1.0;
    changes[4].has_offset = true;
    changes[5].a.body = "nobody";
    const struct {
        lb_action_options action;
        const char *path, *message;
    } cases[] = {
        {{.type = (lb_action_type)99}, "events[0].then", "99 is not a type of action"},
        {{.type = LB_ACTION_ENABLE},
         "events[0].then.enable",
         "missing: the name of what it is about"},
        {{.type = LB_ACTION_LOCK, .subject = "post"},
         "events[0].then.lock",
         "the hinge of 'post' is fixed"},
        {{.type = LB_ACTION_LOCK, .subject = "nobody"},
         "events[0].then.lock",
         "there is no body 'nobody'"},
        {{.type = LB_ACTION_DISABLE, .subject = "wind"},
         "events[0].then.disable",
         "there is no force 'wind'"},
        {{.type = LB_ACTION_RELEASE, .subject = "rope"},
         "events[0].then.release",
         "there is no loop 'rope'"},
        {{.type = LB_ACTION_ALTER, .subject = "still", .change = &changes[0]},
         "",
         "99 is not a loop type"},
        {{.type = LB_ACTION_ALTER, .subject = "still", .change = &changes[1]}, "", "length"},
        {{.type = LB_ACTION_ALTER, .subject = "still", .change = &changes[2]},
         "",
         "expected a finite number"},
        {{.type = LB_ACTION_ALTER, .subject = "still", .change = &changes[3]},
         "",
         "expected a length greater than zero"},
        {{.type = LB_ACTION_ALTER, .subject = "still", .change = &changes[4]}, "", "offset"},
        {{.type = LB_ACTION_ALTER, .subject = "still", .change = &changes[5]}, "", "nobody"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        bench b;
        begin(&b);
        lb_action_options action = cases[i].action;
        action.size = sizeof action;
        lb_event_options event = lb_default_event_options();
        event.name = "e";
        event.when = "t";
        event.actions = &action;
        event.action_count = 1;
        assert_int_equal(lb_add_event(b.simulation, &event, NULL), LB_E_MODEL);
        bool found = false;
        for (int k = 0; k < b.heard.count; ++k) {
            found =
                found ||
                (strstr(b.heard.entries[k].message, cases[i].message) &&
                 (!cases[i].path[0] || strncmp(b.heard.entries[k].path, cases[i].path, 9) == 0));
        }
        if (!found) {
            lb_print_heard(&b.heard);
            fail_msg("case %zu: expected %s", i, cases[i].message);
        }
        end(&b);
    }

    bench b;
    begin(&b);
    lb_event_options event = lb_default_event_options();
    assert_int_equal(lb_add_event(b.simulation, &event, NULL), LB_E_MODEL);
    expect_said(&b.heard, "events[0].name", "missing");
    expect_said(&b.heard, "events[0].when", "missing");
    event.name = "both";
    event.when = "t";
    event.level = get_level;
    event.crosses = NAN;
    event.direction = (lb_direction)7;
    assert_int_equal(lb_add_event(b.simulation, &event, NULL), LB_E_MODEL);
    expect_said(&b.heard, "events[1].when", "given beside a function of your own: leave one out");
    expect_said(&b.heard, "events[1].crosses", "expected a finite number");
    expect_said(&b.heard, "events[1].direction", "7 is not a direction");
    end(&b);
}

static void of_runs(void **state)
{
    (void)state;
    enum { COUNT = 22 };
    lb_run_options wrong[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        wrong[i] = lb_default_run_options();
    }
    wrong[0].duration = NAN;
    wrong[1].interval = 0.0;
    wrong[2].duration = 1e9;
    wrong[2].interval = 1e-9;
    wrong[3].integrator = (lb_integrator)-1;
    wrong[4].relative_tolerance = 1.0;
    wrong[5].absolute_angles = -1.0;
    wrong[6].max_step = NAN;
    wrong[7].order = -1;
    wrong[8].algorithm = (lb_algorithm)9;
    wrong[9].damping = 2.0;
    // the other ends of the ranges
    wrong[10].duration = 1e13;
    wrong[11].interval = 1e13;
    wrong[12].integrator = (lb_integrator)99;
    wrong[13].relative_tolerance = 1e-20;
    wrong[14].absolute_velocities = 1e7;
    wrong[15].step = 1e7;
    wrong[16].step = 0.0;
    wrong[17].algorithm = (lb_algorithm)-1;
    wrong[18].damping = -1.0;
    wrong[19].integrator = LB_INTEGRATOR_ERK;
    wrong[19].order = 7;
    wrong[20].integrator = LB_INTEGRATOR_ERK;
    wrong[20].order = 1;
    wrong[21].integrator = LB_INTEGRATOR_RK4;
    wrong[21].order = 2;
    static const char *const said[COUNT] = {"duration: expected a time above 0",
                                            "interval: expected a time above 0",
                                            "interval: gives more than 1e9 outputs",
                                            "type: there is no such integrator",
                                            "tolerance: expected a number from 1e-15 to 0.1",
                                            "absolute: expected a number above 0 and not above 1e6",
                                            "max_step: expected a time, or 0 for no limit",
                                            "order: expected 2 to 6 or 8 for erk",
                                            "algorithm: there is no such algorithm",
                                            "damping: expected a spectral radius from 0 to 1",
                                            "duration: expected",
                                            "interval: expected",
                                            "type: there is no such integrator",
                                            "tolerance: expected",
                                            "absolute: expected",
                                            "step: expected a time above 0",
                                            "step: expected a time above 0",
                                            "algorithm: there is no such algorithm",
                                            "damping: expected",
                                            "order: expected",
                                            "order: expected",
                                            "order: expected"};
    bench b;
    begin(&b);
    lb_run_options before = {.size = sizeof before}, after = {.size = sizeof after};
    lb_expect_ok(lb_get_run_options(b.simulation, &before));
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(lb_set_run_options(b.simulation, &wrong[i]), LB_E_ARGUMENT);
        if (!strstr(lb_get_simulation_message(b.simulation), said[i])) {
            fail_msg("'%s' does not say '%s'", lb_get_simulation_message(b.simulation), said[i]);
        }
    }
    // what was refused changed nothing
    lb_expect_ok(lb_get_run_options(b.simulation, &after));
    assert_memory_equal(&before, &after, sizeof before);
    end(&b);
}

// ---- too late ------------------------------------------------------------------------------------

static void expect_late(lb_simulation *simulation, lb_status status, const char *message)
{
    assert_int_equal(status, LB_E_ARGUMENT);
    if (!strstr(lb_get_simulation_message(simulation), message)) {
        fail_msg("'%s' does not say '%s'", lb_get_simulation_message(simulation), message);
    }
}

static void calls_after_the_start_are_refused(void **state)
{
    (void)state;
    static const char text[] = "limber: 1\n"
                               "bodies: [{name: bob, mass: 1, com: [0, 0, -1], hinge: {type: "
                               "revolute, axis: [0, 1, 0]}}]\n";
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_simulation *s = NULL;
    lb_expect_ok(
        lb_load_document_text(text, strlen(text), "text", LB_FORMAT_YAML, NULL, NULL, &document));
    lb_expect_ok(lb_load_document_model(document, NULL, &model));
    lb_expect_ok(lb_load_simulation(document, model, NULL, &s));
    expect_late(s, lb_compute_initial_loop_errors(s, NULL, NULL), "the model has no loops");
    lb_expect_ok(lb_start_simulation(s));
    const lb_run_options run = lb_default_run_options();
    lb_run_request request = lb_default_run_request();
    request.path = "never.h5";
    lb_event_options event = lb_default_event_options();
    event.name = "late";
    event.when = "t";
    expect_late(s, lb_start_simulation(s), "the simulation has been started already");
    expect_late(s, lb_trim_simulation(s, NULL), "trim: the simulation has been started already");
    expect_late(s, lb_assemble_simulation(s, NULL, NULL),
                "loops are assembled before the simulation is started");
    expect_late(s, lb_set_run_options(s, &run),
                "run options are set before the simulation is started");
    expect_late(s, lb_start_recording(s, &request), "recording starts before the simulation");
    assert_int_equal(lb_add_event(s, &event, NULL), LB_E_ARGUMENT);
    const double q[1] = {0.1}, v[1] = {0.0};
    assert_int_equal(lb_set_initial_state(s, q, v), LB_E_ARGUMENT);
    lb_expect_ok(lb_advance_simulation(s, 0.1));
    expect_late(s, lb_advance_simulation(s, 0.05), "time cannot go from 0.1 s to 0.05 s");
    lb_destroy_simulation(s);
    lb_destroy_model(model);
    lb_destroy_document(document);
}

// The signals of a document alone, without a simulation.
static void signals_are_loaded_alone(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    lb_signals *signals = NULL;
    lb_expect_ok(lb_load_signals(b.document, b.model, &b.report, &signals));
    assert_non_null(signals);
    lb_destroy_signals(signals);
    end(&b);
    static const char wrong[] = "limber: 1\nbodies: []\nsignals: {height: nobody.position.z}\n";
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_expect_ok(
        lb_load_document_text(wrong, strlen(wrong), "text", LB_FORMAT_YAML, NULL, NULL, &document));
    lb_expect_ok(lb_load_document_model(document, NULL, &model));
    assert_int_equal(lb_load_signals(document, model, &report, &signals), LB_E_MODEL);
    assert_null(signals);
    expect_said(&heard, "signals.height", "nobody");
    lb_destroy_model(model);
    lb_destroy_document(document);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_beams),
        cmocka_unit_test(of_loops),
        cmocka_unit_test(of_functions),
        cmocka_unit_test(of_loop_drives),
        cmocka_unit_test(of_events),
        cmocka_unit_test(of_runs),
        cmocka_unit_test(calls_after_the_start_are_refused),
        cmocka_unit_test(signals_are_loaded_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
