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
#include "limber/import.h"
#include "limber/linear.h"
#include "limber/signals.h"
#include "limber/simulate.h"
#include "loaded.h"
#include "simulate/signals/signals.h"

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

static void expect_beam(const lb_beam_options *options, const char *path, const char *message)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_flex_body *body = NULL;
    assert_int_equal(lb_create_beam_body(options, NULL, &report, &body), LB_E_MODEL);
    assert_null(body);
    expect_said(&heard, path, message);
    // and without a report the same status
    assert_int_equal(lb_create_beam_body(options, NULL, NULL, &body), LB_E_MODEL);
}

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
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        lb_beam_options o = fine;
        o.shapes = &shapes[i].shape;
        o.shape_count = 1;
        expect_beam(&o, "shapes[0]", shapes[i].message);
    }
    const lb_beam_shape shape = {
        .family = LB_SHAPE_CLAMPED_FREE, .motion = LB_MOTION_Y, .count = 1};
    const lb_beam_node unnamed = {NULL, 0.5};
    lb_section below = lb_default_section();
    lb_modes_options none = lb_default_modes_options(), many = none;
    below.type = (lb_section_type)-1;
    none.count = -1;
    many.count = 10000;
#define BEAM(path, message, ...)                                                                   \
    do {                                                                                           \
        lb_beam_options o = fine;                                                                  \
        __VA_ARGS__;                                                                               \
        expect_beam(&o, path, message);                                                            \
    } while (0)
    BEAM("length", "expected a positive length", o.length = -1.0);
    BEAM("length", "expected a positive length", o.length = INFINITY);
    BEAM("elements", "expected 1 to 100000", o.element_count = -1);
    BEAM("elements", "expected 1 to 100000", o.element_count = 200000);
    BEAM("nodes.a", "the name stands twice", o.nodes = twins, o.node_count = 2);
    BEAM("shapes", "theory must be euler-bernoulli", o.shapes = &shape, o.shape_count = 1,
         o.theory = LB_THEORY_TIMOSHENKO);
    BEAM("section", "99 found, expected one of lb_section_type", o.section = &nothing);
    BEAM("section", "-1 found, expected one of lb_section_type", o.section = &below);
    BEAM("material.rho", "expected a positive number", o.material.rho = NAN);
    BEAM("modes.count", "-1 found, expected 1 to", o.modes = &none);
    BEAM("modes.count", "10000 found, expected 1 to", o.modes = &many);
    BEAM("nodes.", "expected a name of its own", o.nodes = &unnamed, o.node_count = 1);
}

// ---- loops ---------------------------------------------------------------------------------------

// A builder with two bodies and one loop; what it says, when the loop is added or when the model is built.
static void expect_loop(const lb_loop_options *loop, const char *path, const char *message)
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
    int index = -1;
    const lb_status added = lb_add_loop(builder, loop, &index);
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
#define LOOP(path, message, ...)                                                                   \
    do {                                                                                           \
        lb_loop_options o = {.size = sizeof o, .name = "l", .body_a = "a", .body_b = "b"};         \
        __VA_ARGS__;                                                                               \
        expect_loop(&o, path, message);                                                            \
    } while (0)
    LOOP("loops[0].name", "expected a name that is not empty", o.name = NULL);
    LOOP("loops[0].type", "99 is not a loop type", o.type = (lb_loop_type)99);
    LOOP("loops[0].b", "no body is named \"c\"", o.body_b = "c");
    LOOP("loops[0].b", "\"b\" has no node named \"tip\"", o.node_b = "tip");
    LOOP("loops[0].b", "a node cannot close on itself", o.body_b = "a");
    LOOP("loops[0].axis", "expected", o.type = LB_LOOP_REVOLUTE);
    LOOP("loops[0].length", "finite", o.type = LB_LOOP_ROD, o.length = NAN);
    LOOP("loops[0].length", "expected", o.type = LB_LOOP_ROD, o.length = -1.0);
    LOOP("loops[0].reach", "no body is named \"nobody\"", o.reach = reach, o.reach_count = 1);
    LOOP("loops[0].term_capacity", "-1, expected 0 to", o.term_capacity = -1);
    LOOP("loops[0].term_capacity", "expected 0 to", o.term_capacity = 1 << 30);
    lb_loop_options coupler = {.size = sizeof coupler, .name = "l", .type = LB_LOOP_COUPLER};
    coupler.term_count = 1;
    coupler.terms = terms;
    expect_loop(&coupler, "loops[0].terms[0]", "finite");
    coupler.terms = terms + 1;
    expect_loop(&coupler, "loops[0].terms[0]", "no body is named");
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_builder *builder = lb_create_builder(NULL, &report);
    assert_int_equal(lb_set_spare_loops(builder, -1, 2), LB_E_MODEL);
    assert_int_equal(lb_set_spare_loops(builder, 1 << 30, 2), LB_E_MODEL);
    assert_int_equal(lb_set_spare_loops(builder, 1, 0), LB_E_MODEL);
    assert_int_equal(lb_set_spare_loops(builder, 1, 1 << 30), LB_E_MODEL);
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

static void expect_drive(const lb_loop_drive_options *drive, const char *path, const char *message)
{
    bench b;
    begin(&b);
    assert_int_equal(lb_add_loop_drive(b.simulation, drive), LB_E_MODEL);
    expect_said(&b.heard, path, message);
    end(&b);
}

static void of_loop_drives(void **state)
{
    (void)state;
    lb_function_options rest[3] = {lb_default_function_options(), lb_default_function_options(),
                                   lb_default_function_options()};
#define DRIVE(path, message, ...)                                                                  \
    do {                                                                                           \
        lb_loop_drive_options o = {.size = sizeof o, .loop = "weld"};                              \
        __VA_ARGS__;                                                                               \
        expect_drive(&o, "loops" path, message);                                                   \
    } while (0)
    DRIVE("", "there is no loop ''", o.loop = NULL);
    DRIVE("", "there is no loop 'rope'", o.loop = "rope");
    DRIVE("[3].motion", "'still' is not driven: the model must say so", o.loop = "still");
    DRIVE("[0].motion", "turn needs an axis", o.turn = rest);
    DRIVE("[0].motion.axis", "expected a direction", o.turn = rest, o.axis[0] = NAN);
    DRIVE("[0].motion.shift", "a list of 3 functions", o.shift = rest, o.shift_count = 2);
    DRIVE("[0].motion.shift", "a weld loop has no axis", o.shift = rest, o.shift_count = 1);
    DRIVE("[1].motion", "a rod takes one function: what is added to its length", o.loop = "rod",
          o.turn = rest, o.axis[0] = 1);
    DRIVE("[1].motion", "a rod takes one function", o.loop = "rod", o.shift = rest,
          o.shift_count = 3);
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

static void expect_action(const lb_action_options *action, const char *path, const char *message)
{
    bench b;
    begin(&b);
    lb_event_options event = lb_default_event_options();
    event.name = "e";
    event.when = "t";
    event.actions = action;
    event.action_count = 1;
    assert_int_equal(lb_add_event(b.simulation, &event, NULL), LB_E_MODEL);
    expect_said(&b.heard, path, message);
    end(&b);
}

static void of_events(void **state)
{
    (void)state;
#define ACTION(kind, path, message, ...)                                                           \
    do {                                                                                           \
        lb_action_options o = {.size = sizeof o, .type = LB_ACTION_##kind};                        \
        __VA_ARGS__;                                                                               \
        expect_action(&o, "events[0].then[0]" path, message);                                      \
    } while (0)
    ACTION(ENABLE, "", "99 is not a type of action", o.type = (lb_action_type)99);
    ACTION(ENABLE, ".enable", "missing: the name of what it is about", (void)0);
    ACTION(LOCK, ".lock", "the hinge of 'post' is fixed", o.subject = "post");
    ACTION(LOCK, ".lock", "there is no body 'nobody'", o.subject = "nobody");
    ACTION(DISABLE, ".disable", "there is no force 'wind'", o.subject = "wind");
    ACTION(RELEASE, ".release", "there is no loop 'rope'", o.subject = "rope");
#define CHANGE(path, message, ...)                                                                 \
    do {                                                                                           \
        lb_loop_change_options c = lb_default_loop_change_options();                               \
        c.a.body = "a";                                                                            \
        c.b.body = "b";                                                                            \
        c.has_type = true;                                                                         \
        c.type = LB_LOOP_WELD;                                                                     \
        __VA_ARGS__;                                                                               \
        ACTION(ALTER, path, message, o.subject = "still", o.change = &c);                          \
    } while (0)
    CHANGE(".type", "99 is not a loop type", c.type = (lb_loop_type)99);
    CHANGE(".length", "length", c.length = 2.0);
    CHANGE(".axis", "expected a finite number", c.type = LB_LOOP_REVOLUTE, c.axis[0] = NAN);
    CHANGE(".length", "expected a length greater than zero", c.type = LB_LOOP_ROD, c.length = -1);
    CHANGE(".offset", "offset", c.has_offset = true);
    CHANGE(".a", "nobody", c.a.body = "nobody");

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

static void expect_argument(lb_simulation *simulation, lb_status status, const char *message)
{
    assert_int_equal(status, LB_E_ARGUMENT);
    if (!strstr(lb_get_simulation_message(simulation), message)) {
        fail_msg("'%s' does not say '%s'", lb_get_simulation_message(simulation), message);
    }
}

static void of_runs(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    lb_run_options before = {.size = sizeof before}, after = {.size = sizeof after};
    lb_expect_ok(lb_get_run_options(b.simulation, &before));
#define RUN(message, ...)                                                                          \
    do {                                                                                           \
        lb_run_options o = lb_default_run_options();                                               \
        __VA_ARGS__;                                                                               \
        expect_argument(b.simulation, lb_set_run_options(b.simulation, &o), message);              \
    } while (0)
    RUN("duration: expected a time above 0", o.duration = NAN);
    RUN("duration: expected", o.duration = 1e13);
    RUN("interval: expected a time above 0", o.interval = 0.0);
    RUN("interval: expected", o.interval = 1e13);
    RUN("interval: gives more than 1e9 outputs", o.duration = 1e9, o.interval = 1e-9);
    RUN("type: there is no such integrator", o.integrator = (lb_integrator)-1);
    RUN("type: there is no such integrator", o.integrator = (lb_integrator)99);
    RUN("tolerance: expected a number from 1e-15 to 0.1", o.relative_tolerance = 1.0);
    RUN("tolerance: expected", o.relative_tolerance = 1e-20);
    RUN("absolute: expected a number above 0 and not above 1e6", o.absolute_angles = -1.0);
    RUN("absolute: expected", o.absolute_velocities = 1e7);
    RUN("max_step: expected a time, or 0 for no limit", o.max_step = NAN);
    RUN("step: expected a time above 0", o.step = 1e7);
    RUN("step: expected a time above 0", o.step = 0.0);
    RUN("order: expected 2 to 6 or 8 for erk", o.order = -1);
    RUN("order: expected", o.integrator = LB_INTEGRATOR_ERK, o.order = 7);
    RUN("order: expected", o.integrator = LB_INTEGRATOR_ERK, o.order = 1);
    RUN("order: expected", o.integrator = LB_INTEGRATOR_RK4, o.order = 2);
    RUN("algorithm: there is no such algorithm", o.algorithm = (lb_algorithm)9);
    RUN("algorithm: there is no such algorithm", o.algorithm = (lb_algorithm)-1);
    RUN("damping: expected a spectral radius from 0 to 1", o.damping = 2.0);
    RUN("damping: expected", o.damping = -1.0);
    // what was refused changed nothing
    lb_expect_ok(lb_get_run_options(b.simulation, &after));
    assert_memory_equal(&before, &after, sizeof before);
    end(&b);
}

// ---- linear models and imports -------------------------------------------------------------------

static void of_linear_models(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 3}\n"
        "  - {name: ball, parent: cart, hinge: {type: spherical}, mass: 1,\n"
        "     inertia: [1, 1, 1, 0, 0, 0]}\n"
        "  - {name: ghost, parent: cart, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 0}\n"
        "forces: [{name: servo, type: motor, hinge: cart, value: 0}]\n";
    const unsigned char locked[3] = {1, 0, 0};
    const double q[6] = {0, 2, 0, 0, 0, 0};
    const char *input = "servo";
    lb_modes *modes;
    lb_linear *linear;
    lb_loaded l = lb_begin_loaded(text, NULL);
    lb_simulation *s = l.simulation;
    lb_linear_options o = lb_default_linear_options();
    o.inputs = &input;
    o.input_count = 1;
    o.locked = locked;
    expect_argument(s, lb_linearize(s, &o, &linear), "locked");
    o = lb_default_linear_options();
    o.spin = 5;
    assert_int_equal(lb_compute_modes(s, &o, &modes), LB_E_ARGUMENT);
    o = lb_default_linear_options();
    o.q = q;
    expect_argument(s, lb_compute_modes(s, &o, &modes), "ball");
    o = lb_default_linear_options();
    o.size = 3;
    assert_int_equal(lb_compute_modes(s, &o, &modes), LB_E_VERSION);
    // without mass there is nothing to divide by
    o = lb_default_linear_options();
    assert_int_equal(lb_compute_modes(s, &o, &modes), LB_E_SINGULAR);
    assert_non_null(strstr(lb_get_simulation_message(s), "ghost.angle"));
    lb_end_loaded(&l);
}

static void expect_import(const lb_import_options *options, lb_status status, const char *message)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_imported *imported = NULL;
    assert_int_equal(lb_import_files(options, NULL, &report, &imported), status);
    assert_null(imported);
    assert_int_equal(heard.count, 1);
    expect_said(&heard, heard.entries[0].path, message);
    assert_int_equal(lb_import_files(options, NULL, NULL, &imported), status);
}

static void of_imports(void **state)
{
    (void)state;
    static const char *const files[] = {"a.dof", "a.inp", "a.mas", "a.sti"};
    static const char *const missing[] = {"a.dof", NULL};
    static const lb_file_role roles[] = {(lb_file_role)9, LB_FILE_ANY, LB_FILE_ANY, LB_FILE_ANY};
    static const double nowhere[3] = {0, NAN, 0};
    const lb_tied_node nameless = {.size = sizeof nameless, .set = "1..4"},
                       newer = {.size = sizeof newer + 8},
                       astray = {
                           .size = sizeof astray, .name = "a", .set = "1..4", .position = nowhere};
#define IMPORT(status, message, ...)                                                               \
    do {                                                                                           \
        lb_import_options o = lb_default_import_options();                                         \
        o.files = files;                                                                           \
        o.file_count = 4;                                                                          \
        __VA_ARGS__;                                                                               \
        expect_import(&o, status, message);                                                        \
    } while (0)
    IMPORT(LB_E_ARGUMENT, "no files given", o.file_count = 0);
    IMPORT(LB_E_ARGUMENT, "no files given", o.files = NULL);
    IMPORT(LB_E_ARGUMENT, "no files given", o.file_count = -1);
    IMPORT(LB_E_ARGUMENT, "mode_count", o.mode_count = -1);
    IMPORT(LB_E_ARGUMENT, "clamp_count", o.clamp_count = -1);
    IMPORT(LB_E_ARGUMENT, "node_count", o.node_count = -1);
    IMPORT(LB_E_ARGUMENT, "a name or a list is missing", o.clamp_count = 1);
    IMPORT(LB_E_ARGUMENT, "a name or a list is missing", o.node_count = 1);
    IMPORT(LB_E_ARGUMENT, "a name or a list is missing", o.files = missing, o.file_count = 2);
    IMPORT(LB_E_ARGUMENT, "a name or a list is missing", o.interface_count = 1);
    IMPORT(LB_E_ARGUMENT, "a name or a list is missing", o.residual_count = -1);
    IMPORT(LB_E_ARGUMENT, "a role is none", o.roles = roles);
    IMPORT(LB_E_ARGUMENT, "length: a unit of 0 found", o.length = 0.0);
    IMPORT(LB_E_ARGUMENT, "below", o.below = -1.0);
    IMPORT(LB_E_ARGUMENT, "the ties are missing", o.tie_count = 1);
    IMPORT(LB_E_ARGUMENT, "ties[0]: its name", o.tie_count = 1, o.ties = &nameless);
    IMPORT(LB_E_ARGUMENT, "its position is not finite", o.tie_count = 1, o.ties = &astray);
    IMPORT(LB_E_VERSION, "a newer version of limber", o.tie_count = 1, o.ties = &newer);
}

// ---- too late ------------------------------------------------------------------------------------

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
    expect_argument(s, lb_compute_initial_loop_errors(s, NULL, NULL), "the model has no loops");
    lb_expect_ok(lb_start_simulation(s));
    const lb_run_options run = lb_default_run_options();
    lb_run_request request = lb_default_run_request();
    request.path = "never.h5";
    lb_event_options event = lb_default_event_options();
    event.name = "late";
    event.when = "t";
    expect_argument(s, lb_start_simulation(s), "the simulation has been started already");
    expect_argument(s, lb_trim_simulation(s, NULL),
                    "trim: the simulation has been started already");
    expect_argument(s, lb_assemble_simulation(s, NULL, NULL),
                    "loops are assembled before the simulation is started");
    expect_argument(s, lb_set_run_options(s, &run),
                    "run options are set before the simulation is started");
    expect_argument(s, lb_start_recording(s, &request), "recording starts before the simulation");
    assert_int_equal(lb_add_event(s, &event, NULL), LB_E_ARGUMENT);
    const double q[1] = {0.1}, v[1] = {0.0};
    assert_int_equal(lb_set_initial_state(s, q, v), LB_E_ARGUMENT);
    lb_expect_ok(lb_advance_simulation(s, 0.1));
    expect_argument(s, lb_advance_simulation(s, 0.05), "time cannot go from 0.1 s to 0.05 s");
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
    lb_forces *forces = NULL;
    lb_expect_ok(lb_load_forces(b.document, b.model, &b.report, &forces));
    assert_non_null(forces);
    lb_destroy_forces(forces);
    end(&b);
    static const char wrong[] = "limber: 1\nbodies: []\nsignals: {height: nobody.position.z}\n";
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_expect_ok(
        lb_load_document_text(wrong, strlen(wrong), "text", LB_FORMAT_YAML, NULL, NULL, &document));
    lb_expect_ok(lb_load_document_model(document, NULL, &model));
    assert_int_equal(lb_load_forces(document, model, &report, &forces), LB_E_MODEL);
    assert_null(forces);
    expect_said(&heard, "signals.height", "nobody");
    lb_destroy_model(model);
    lb_destroy_document(document);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_beams),
        cmocka_unit_test(of_loops),
        cmocka_unit_test(of_loop_drives),
        cmocka_unit_test(of_events),
        cmocka_unit_test(of_runs),
        cmocka_unit_test(of_linear_models),
        cmocka_unit_test(of_imports),
        cmocka_unit_test(calls_after_the_start_are_refused),
        cmocka_unit_test(signals_are_loaded_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
