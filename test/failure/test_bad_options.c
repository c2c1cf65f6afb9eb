// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// NaN and infinity in the numbers of options and other arguments, for all functions that say in words what is
// wrong, and for those of forces, signals and linear models. The words name the entry.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body_file.h"
#include "check.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "heard.h"
#include "limber/beams.h"
#include "limber/control.h"
#include "limber/events.h"
#include "limber/import.h"
#include "limber/linear.h"
#include "limber/spectra.h"
#include "loaded.h"
#include "run_cli.h"
#include "simulate/forces/force_set.h"
#include "structure/sections.h"

static const double bad[] = {NAN, INFINITY, -INFINITY};
enum { BAD_COUNT = sizeof bad / sizeof *bad };

// A number of some options.
typedef struct place {
    double *x;
    const char *word;    // that the refusal contains
    const char *endless; // infinities that have a meaning: "+", "-", "+-"
} place;

static bool is_meant(const place *p, double value)
{
    const char *endless = p->endless ? p->endless : "";
    return !isnan(value) && strchr(endless, value > 0 ? '+' : '-') != NULL && *endless;
}

// Refused in words that name the number, unless it has a meaning.
static void expect(const char *what, const place *p, double value, lb_status status,
                   const lb_heard *heard, const char *message)
{
    bool named = false;
    for (int i = 0; heard && i < heard->count && i < 32; ++i) {
        named = named || strstr(heard->entries[i].message, p->word) ||
                strstr(heard->entries[i].path, p->word);
    }
    named = named || (message && strstr(message, p->word));
    if (is_meant(p, value) ? status < 0 : (status >= 0 || !named)) {
        fail_msg("%s: %g as %s: %s: %s", what, value, p->word, lb_get_status_text(status),
                 message                     ? message
                 : heard && heard->count > 0 ? heard->entries[0].message
                                             : "not a word");
    }
}

// One trial after the other: each number of some options gets each bad value, and in the last trial none does.
typedef struct trial {
    int number;
    double value;
    place spoiled;
    bool is_last;
    lb_heard heard;
    lb_report report;
} trial;

static bool next_trial(trial *t)
{
    if (t->is_last) {
        return false;
    }
    t->value = bad[t->number % BAD_COUNT];
    t->heard = (lb_heard){.count = 0};
    t->report = lb_listen(&t->heard);
    return true;
}

static void spoil(trial *t, const place *places, size_t count)
{
    const size_t at = (size_t)t->number++ / BAD_COUNT;
    t->is_last = at == count;
    if (!t->is_last) {
        t->spoiled = places[at];
        *places[at].x = t->value;
    }
}
#define SPOIL(t, places) spoil(t, places, sizeof(places) / sizeof *(places))

static void judge(const trial *t, const char *what, lb_status status)
{
    if (!t->is_last) {
        expect(what, &t->spoiled, t->value, status, &t->heard, NULL);
    } else if (status != LB_OK) {
        lb_print_heard(&t->heard);
        fail();
    }
}

// ---- models --------------------------------------------------------------------------------------

static void bodies_and_loops(void **state)
{
    (void)state;
    for (trial t = {0}; next_trial(&t);) {
        lb_builder *builder = lb_create_builder(NULL, &t.report);
        double gravity[3] = {0}, position[3] = {0}, rotation[4] = {1};
        lb_body_options body = lb_default_body_options(), other = lb_default_body_options();
        body.name = "a";
        body.hinge = (lb_hinge_options){.type = LB_HINGE_SCREW, .axis = {0, 0, 1}, .pitch = 0.1};
        body.mass = 1.0;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
        other = body;
        other.name = "b";
        other.hinge =
            (lb_hinge_options){.type = LB_HINGE_UNIVERSAL, .axes = {{1, 0, 0}, {0, 1, 0}}};
        lb_loop_options rod = lb_default_loop_options(), slide = lb_default_loop_options();
        rod.name = "r";
        rod.body_a = "a";
        rod.type = LB_LOOP_ROD;
        rod.length = 1.0;
        slide.name = "s";
        slide.body_a = "b";
        slide.type = LB_LOOP_PRISMATIC;
        slide.axis[0] = 1.0;
        lb_coupler_term term = {"a", 0, 2.0};
        lb_loop_options coupler = lb_default_loop_options();
        coupler.name = "c";
        coupler.type = LB_LOOP_COUPLER;
        coupler.terms = &term;
        coupler.term_count = 1;
        const place places[] = {
            {&gravity[1], "gravity", NULL},      {&position[2], "position", NULL},
            {&rotation[3], "rotation", NULL},    {&body.mass, "mass", NULL},
            {&body.com[1], "com", NULL},         {&body.inertia[0], "inertia", NULL},
            {&body.inertia[5], "inertia", NULL}, {&body.hinge.axis[0], "axis", NULL},
            {&body.hinge.pitch, "pitch", NULL},  {&other.hinge.axes[1][2], "axes", NULL},
            {&rod.length, "length", NULL},       {&slide.axis[1], "axis", NULL},
            {&coupler.offset, "offset", NULL},   {&term.factor, "terms", NULL}};
        SPOIL(&t, places);
        lb_model *model = NULL;
        (void)lb_set_gravity(builder, gravity);
        (void)lb_add_body(builder, &body, NULL);
        (void)lb_add_body(builder, &other, NULL);
        (void)lb_add_node(builder, 0, "n", position, rotation);
        (void)lb_add_loop(builder, &rod, NULL);
        (void)lb_add_loop(builder, &slide, NULL);
        (void)lb_add_loop(builder, &coupler, NULL);
        const lb_status status = lb_build_model(builder, &model);
        judge(&t, "a model", status);
        lb_destroy_model(model);
        lb_destroy_builder(builder);
    }
}

static void flexible_data(void **state)
{
    (void)state;
    for (trial t = {0}; next_trial(&t);) {
        lb_builder *builder = lb_create_builder(NULL, &t.report);
        double shape[6] = {0, 0, 0, 0, 1, 0}, stiffness = 1.0, damping = 0.1, M = 0.1, E[3] = {0},
               B0[3] = {0}, B[3] = {0}, S[6] = {0}, S2[6] = {0};
        lb_second_order second = {0, 0, {0.1, 0, 0}};
        lb_flex_node node = lb_default_flex_node();
        node.name = "n";
        node.mass = 1.0;
        node.inertia[0] = node.inertia[1] = node.inertia[2] = 1.0;
        node.shape = shape;
        node.second_order = &second;
        node.second_order_count = 1;
        lb_flex_integrals integrals = {.size = sizeof integrals,
                                       .mass = 1.0,
                                       .S0 = {1, 1, 1},
                                       .M_ff = &M,
                                       .E = E,
                                       .B0 = B0,
                                       .B = B,
                                       .S = S,
                                       .S2 = S2};
        lb_flex_options flex = lb_default_flex_options();
        flex.mode_count = flex.node_count = 1;
        flex.nodes = &node;
        flex.stiffness = &stiffness;
        flex.damping = &damping;
        flex.integrals = &integrals;
        lb_body_options body = lb_default_body_options();
        body.name = "a";
        body.hinge.type = LB_HINGE_FREE;
        body.flex = &flex;
        const place places[] = {{&node.position[0], "position", NULL},
                                {&node.rotation[1], "rotation", NULL},
                                {&node.mass, "mass", NULL},
                                {&node.offset[2], "offset", NULL},
                                {&node.inertia[3], "inertia", NULL},
                                {&shape[4], "shape", NULL},
                                {&second.g[2], "second", NULL},
                                {&stiffness, "stiffness", NULL},
                                {&damping, "damping", NULL},
                                {&integrals.mass, "mass", NULL},
                                {&integrals.h0[0], "h0", NULL},
                                {&integrals.S0[5], "S0", NULL},
                                {&M, "M_ff", NULL},
                                {&E[0], "E", NULL},
                                {&B0[1], "B0", NULL},
                                {&B[2], "B", NULL},
                                {&S[3], "S", NULL},
                                {&S2[4], "S2", NULL}};
        SPOIL(&t, places);
        lb_model *model = NULL;
        (void)lb_add_body(builder, &body, NULL);
        const lb_status status = lb_build_model(builder, &model);
        judge(&t, "a flexible body", status);
        lb_destroy_model(model);
        lb_destroy_builder(builder);
    }
}

// Structures of other programs, and body files made of them.
static void imports(void **state)
{
    (void)state;
    const lb_named_node node = {"a", 1};
    lb_import_options right = lb_get_mm_options();
    right.nodes = &node;
    right.node_count = 1;
    right.mode_count = 2;
    const char *flex_file = lb_write_file("block.flex", "");
    lb_keep_body(lb_import_job("block", &right), flex_file);
    const char *const files[] = {lb_find_source("test/data/fe/calculix/block.dof"),
                                 lb_find_source("test/data/fe/calculix/block.inp"),
                                 lb_find_source("test/data/fe/calculix/block.mas"),
                                 lb_find_source("test/data/fe/calculix/block.sti")};
    for (int i = 0; i < 8 * BAD_COUNT; ++i) {
        const double value = bad[i % BAD_COUNT];
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_import_options options = right;
        options.files = files;
        options.file_count = 4;
        lb_damping_options damping = lb_default_damping_options();
        lb_flex_file_options use = lb_default_flex_file_options();
        use.damping = &damping;
        const place places[] = {{&options.length, "length", NULL},
                                {&options.mass, "mass", NULL},
                                {&options.time, "time", NULL},
                                {&options.below, "below", NULL},
                                {&use.below, "modes.below", NULL},
                                {&use.mass_factor, "scale.mass", NULL},
                                {&use.frequency_factor, "scale.frequency", NULL},
                                {&damping.ratio, "ratio", NULL}};
        const place *p = &places[i / BAD_COUNT];
        *p->x = value;
        lb_imported *imported = NULL;
        lb_flex_body *body = NULL;
        const lb_status status = i / BAD_COUNT < 4
                                     ? lb_import_files(&options, NULL, &report, &imported)
                                     : lb_load_flex_file(flex_file, &use, NULL, &report, &body);
        expect("an import", p, value, status, &heard, NULL);
        assert_true(!imported && !body);
    }
}

static void beams_and_frames(void **state)
{
    (void)state;
    for (trial t = {0}; next_trial(&t);) {
        lb_section tube = lb_default_section(), plain = lb_default_section();
        tube.type = LB_SECTION_TUBE;
        tube.diameter = 0.05;
        tube.wall = 0.002;
        plain.A = 1e-3;
        plain.Iy = plain.Iz = plain.J = 1e-7;
        plain.Ay = plain.Az = 8e-4;
        lb_correction correction = {"tip", {0, 1, 0}, {0, 0, 0.5}};
        lb_modes_options modes = lb_default_modes_options();
        modes.count = 2;
        modes.corrections = &correction;
        modes.correction_count = 1;
        lb_modes_options some = lb_default_modes_options();
        some.frequency = 100.0;
        lb_damping_options damping = lb_default_damping_options(),
                           rayleigh = lb_default_damping_options();
        damping.ratio = 0.01;
        rayleigh.rayleigh[0] = 0.1;
        rayleigh.rayleigh[1] = 1e-3;
        lb_lump lump = lb_default_lump();
        lump.x = 0.5;
        lump.mass = 1.0;
        lb_beam_node middle = {"middle", 0.4};
        lb_station stations[2] = {{0.0, &plain}, {1.0, &plain}};
        lb_beam_options beam = lb_default_beam_options(), other;
        beam.length = 1.0;
        beam.material = (lb_material){70e9, 26e9, 2700};
        other = beam;
        beam.section = &tube;
        beam.modes = &modes;
        beam.damping = &damping;
        beam.lumps = &lump;
        beam.lump_count = 1;
        beam.nodes = &middle;
        beam.node_count = 1;
        other.modes = &some;
        other.damping = &rayleigh;
        other.stations = stations;
        other.station_count = 2;
        lb_joint joints[2] = {lb_default_joint(), lb_default_joint()};
        joints[0].name = "root";
        joints[1].name = "end";
        joints[1].position[0] = 1.0;
        joints[1].mass = 1.0;
        double path[1][3] = {{0.5, 0.2, 0.0}};
        lb_member member = lb_default_member();
        member.joints[0] = "root";
        member.joints[1] = "end";
        member.material = beam.material;
        member.section = &plain;
        member.path = (const double(*)[3])path;
        member.path_count = 1;
        lb_frame_options frame = lb_default_frame_options();
        frame.joints = joints;
        frame.joint_count = 2;
        frame.members = &member;
        frame.member_count = 1;
        lb_modes_options two = lb_default_modes_options();
        two.count = 2;
        frame.modes = &two;
        const place places[] = {{&beam.length, "length", NULL},
                                {&beam.material.E, "E", NULL},
                                {&beam.material.G, "G", NULL},
                                {&beam.material.rho, "rho", NULL},
                                {&tube.diameter, "diameter", NULL},
                                {&tube.wall, "wall", NULL},
                                {&plain.A, "A", NULL},
                                {&plain.Iy, "Iy", NULL},
                                {&plain.J, "J", NULL},
                                {&plain.Az, "Az", NULL},
                                {&correction.force[1], "corrections", NULL},
                                {&correction.moment[2], "corrections", NULL},
                                {&some.frequency, "frequency", NULL},
                                {&damping.ratio, "ratio", NULL},
                                {&rayleigh.rayleigh[1], "rayleigh", NULL},
                                {&lump.x, "x", NULL},
                                {&lump.mass, "mass", NULL},
                                {&lump.offset[0], "offset", NULL},
                                {&lump.inertia[4], "inertia", NULL},
                                {&middle.x, "x", NULL},
                                {&stations[1].at, "at", NULL},
                                {&joints[1].position[1], "joints", NULL},
                                {&joints[1].rotation[2], "joints", NULL},
                                {&joints[1].mass, "joints", NULL},
                                {&joints[1].offset[2], "joints", NULL},
                                {&joints[1].inertia[0], "joints", NULL},
                                {&path[0][1], "path", NULL},
                                {&member.up[2], "up", NULL},
                                {&member.material.E, "E", NULL}};
        SPOIL(&t, places);
        lb_flex_body *made[3] = {NULL};
        lb_status status = lb_create_beam_body(&beam, NULL, &t.report, &made[0]);
        status = status < 0 ? status : lb_create_beam_body(&other, NULL, &t.report, &made[1]);
        status = status < 0 ? status : lb_create_frame_body(&frame, NULL, &t.report, &made[2]);
        judge(&t, "a beam or frame", status);
        // there is no such folder: what is wrong is found before, or does not matter to matrices
        assert_true(lb_write_beam_matrices(&beam, "/none/out", NULL) < 0);
        assert_true(lb_write_beam_matrices(&other, "/none/out", NULL) < 0);
        assert_true(lb_write_frame_matrices(&frame, "/none/out", NULL) < 0);
        lb_section properties = {.size = sizeof properties};
        const lb_status section =
            lb_compute_section(&tube, &beam.material, "tube", &t.report, &properties);
        assert_int_equal(section, isfinite(tube.diameter) && isfinite(tube.wall) &&
                                          isfinite(beam.material.E) && isfinite(beam.material.G)
                                      ? LB_OK
                                      : LB_E_MODEL);
        for (int k = 0; k < 3; ++k) {
            lb_destroy_flex_body(made[k]);
        }
    }
}

// ---- simulations ---------------------------------------------------------------------------------

// An arm on a rod that follows a motion.
static lb_model *make_driven_arm(void)
{
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_body_options body = lb_default_body_options();
    body.name = "arm";
    body.hinge = (lb_hinge_options){.type = LB_HINGE_REVOLUTE, .axis = {0, 0, 1}};
    body.mass = 1.0;
    body.com[1] = 1.0;
    lb_loop_options rod = lb_default_loop_options();
    rod.name = "rod";
    rod.body_b = "arm";
    rod.type = LB_LOOP_ROD;
    rod.length = 2.0;
    rod.driven = true;
    lb_model *model = NULL;
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_expect_ok(lb_add_loop(builder, &rod, NULL));
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    return model;
}

static const char plain_arm[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, 0.5, 0], "
    "inertia: [1, 1, 1, 0, 0, 0], nodes: {t: {position: [0, 1, 0]}}}\n"
    "  - {name: slide, parent: arm, at: t, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 1}\n"
    "forces:\n"
    "  - {name: drive, type: actuator, hinge: arm}\n"
    "  - {name: push, type: motor, hinge: slide, value: {table: [[0, 1], [1, 2]]}}\n"
    "  - {name: pull, type: spring, between: [ground, {body: slide}], stiffness: 3, length: 0.1}\n";

static void forces(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(plain_arm, NULL);
    for (trial t = {0}; next_trial(&t);) {
        lb_forces *set = NULL;
        lb_expect_ok(lb_create_forces(l.model, NULL, &t.report, &set));
        enum { FORCES = 12 };
        double times[2] = {0, 1}, values[2] = {1, 2}, starts[1] = {0}, coefficients[2] = {1, 2};
        lb_function_options functions[5];
        lb_force_options f[FORCES];
        for (int k = 0; k < FORCES; ++k) {
            static const char *const names[FORCES] = {"f0", "f1", "f2", "f3", "f4",  "f5",
                                                      "f6", "f7", "f8", "f9", "f10", "f11"};
            f[k] = lb_default_force_options();
            f[k].name = names[k];
            f[k].hinge = "arm";
        }
        for (int k = 0; k < 5; ++k) {
            functions[k] = lb_default_function_options();
            f[5 + k].type = LB_FORCE_MOTOR;
            f[5 + k].values = &functions[k];
            f[5 + k].value_count = 1;
        }
        f[0].type = LB_FORCE_SPRING;
        f[0].stiffness = 1.0;
        f[1].type = LB_FORCE_DAMPER;
        f[1].damping = 1.0;
        f[2].type = LB_FORCE_FRICTION;
        f[2].coulomb = 1.0;
        f[2].breakaway = 2.0;
        f[3].type = LB_FORCE_STOP;
        f[3].stiffness = 1.0;
        f[3].lower = -1.0;
        f[3].upper = 1.0;
        f[4].type = LB_FORCE_ACTUATOR;
        functions[0].value = 1.0;
        functions[1].type = LB_FUNCTION_TABLE;
        functions[1].point_count = 2;
        functions[1].times = times;
        functions[1].values = values;
        functions[2].type = LB_FUNCTION_PIECES;
        functions[2].piece_count = 1;
        functions[2].coefficient_count = 2;
        functions[2].starts = starts;
        functions[2].coefficients = coefficients;
        functions[3].type = LB_FUNCTION_SINE;
        functions[3].value = functions[3].rate = 1.0;
        functions[4].type = LB_FUNCTION_PULSE;
        functions[4].value = functions[4].width = 1.0;
        functions[4].period = 3.0;
        functions[4].rise = 0.1;
        f[10].type = LB_FORCE_GRAVITY_POINT;
        f[10].hinge = NULL;
        f[10].mu = 1.0;
        f[10].position[0] = 10.0;
        f[10].j2 = 1e-3;
        f[10].radius = 1.0;
        f[11].type = LB_FORCE_FRICTION;
        f[11].hinge = "slide";
        f[11].coulomb = f[11].viscous = 1.0;
        f[11].speed = 0.1;
        const place places[] = {{&f[0].stiffness, "stiffness", NULL},
                                {&f[0].rest, "rest", NULL},
                                {&f[1].damping, "damping", NULL},
                                {&f[2].coulomb, "coulomb", NULL},
                                {&f[2].breakaway, "static", NULL},
                                {&f[3].stiffness, "stiffness", NULL},
                                {&f[3].damping, "damping", NULL},
                                {&f[3].lower, "lower", "-"},
                                {&f[3].upper, "upper", "+"},
                                {&f[3].width, "width", NULL},
                                {&f[4].low, "", "-"},
                                {&f[4].high, "", "+"},
                                {&f[4].gain, "gain", NULL},
                                {&f[4].dead_zone, "dead", NULL},
                                {&f[4].rate_limit, "rate", "+"},
                                {&f[4].lag, "lag", NULL},
                                {&f[5].low, "", "-"},
                                {&f[5].high, "", "+"},
                                {&f[5].max_speed, "speed", "+"},
                                {&f[5].max_power, "power", "+"},
                                {&functions[0].value, "number", NULL},
                                {&times[1], "number", NULL},
                                {&values[0], "number", NULL},
                                {&starts[0], "number", NULL},
                                {&coefficients[1], "number", NULL},
                                {&functions[2].until, "until", "+"},
                                {&functions[3].value, "amplitude", NULL},
                                {&functions[3].offset, "offset", NULL},
                                {&functions[3].rate, "", NULL},
                                {&functions[3].phase, "phase", NULL},
                                {&functions[4].value, "", NULL},
                                {&functions[4].start, "start", NULL},
                                {&functions[4].width, "width", NULL},
                                {&functions[4].period, "period", NULL},
                                {&functions[4].rise, "rise", NULL},
                                {&f[10].mu, "mu", NULL},
                                {&f[10].j2, "j2", NULL},
                                {&f[10].radius, "radius", NULL},
                                {&f[10].axis[1], "axis", NULL},
                                {&f[10].position[2], "position", NULL},
                                {&f[11].viscous, "viscous", NULL},
                                {&f[11].speed, "speed", NULL}};
        SPOIL(&t, places);
        lb_status status = LB_OK;
        for (int k = 0; k < FORCES && status == LB_OK; ++k) {
            status = lb_add_force(set, &f[k], NULL);
        }
        judge(&t, "a force", status);
        lb_destroy_forces(set);
    }
    lb_end_loaded(&l);
}

static void events_drives_and_controllers(void **state)
{
    (void)state;
    lb_model *driven = make_driven_arm();
    lb_loaded p = lb_begin_loaded(plain_arm, NULL);
    for (trial t = {0}; next_trial(&t);) {
        lb_simulation *sim = NULL, *other = NULL;
        lb_expect_ok(lb_create_simulation(driven, &t.report, &sim));
        lb_expect_ok(lb_create_simulation(p.model, &t.report, &other));
        lb_force_options actuator = lb_default_force_options();
        actuator.name = "drive";
        actuator.type = LB_FORCE_ACTUATOR;
        actuator.hinge = "arm";
        lb_expect_ok(lb_add_force(lb_get_simulation_forces(other), &actuator, NULL));
        lb_loop_change_options change = lb_default_loop_change_options();
        change.length = 3.0;
        lb_action_options action = lb_default_action_options();
        action.type = LB_ACTION_ALTER;
        action.subject = "rod";
        action.change = &change;
        lb_event_options event = lb_default_event_options();
        event.name = "e";
        event.when = "arm.angle";
        event.actions = &action;
        event.action_count = 1;
        lb_function_options shift = lb_constant_function(0.1);
        lb_loop_drive_options drive = lb_default_loop_drive_options();
        drive.loop = "rod";
        drive.shift = &shift;
        drive.shift_count = 1;
        double kp = 1, kd = 1, ki = 1, inertia = 1, limit = 1, times[2] = {0, 1}, ways[2] = {0, 1};
        lb_sensor_options sensor = lb_default_sensor_options();
        sensor.name = "s";
        sensor.signal = "arm.angle";
        sensor.noise = 0.01;
        sensor.delay = 0.1;
        sensor.quantum = 0.01;
        sensor.rate = 10;
        lb_channel_options channel = lb_default_channel_options();
        channel.actuator = "drive";
        channel.position_sensor = "s";
        channel.waypoint_count = 2;
        channel.waypoint_times = times;
        channel.waypoints = ways;
        lb_law_options law = lb_default_law_options();
        law.kp = &kp;
        law.kd = &kd;
        law.ki = &ki;
        law.inertia = &inertia;
        law.integral_limit = &limit;
        lb_controller_options controller = lb_default_controller_options();
        controller.name = "c";
        controller.rate = 10;
        controller.sensors = &sensor;
        controller.sensor_count = 1;
        controller.channels = &channel;
        controller.channel_count = 1;
        controller.law = &law;
        const place places[] = {{&event.crosses, "crosses", NULL},
                                {&change.length, "length", NULL},
                                {&shift.value, "shift", NULL},
                                {&controller.rate, "rate", NULL},
                                {&sensor.noise, "noise", NULL},
                                {&sensor.delay, "delay", NULL},
                                {&sensor.quantum, "quantum", NULL},
                                {&sensor.rate, "rate", NULL},
                                {&sensor.seed, "seed", NULL},
                                {&kp, "kp", NULL},
                                {&kd, "kd", NULL},
                                {&ki, "ki", NULL},
                                {&inertia, "inertia", NULL},
                                {&limit, "limit", "+-"},
                                {&times[1], "", NULL},
                                {&ways[0], "", NULL}};
        SPOIL(&t, places);
        lb_status status = lb_add_event(sim, &event, NULL);
        status = status < 0 ? status : lb_add_loop_drive(sim, &drive);
        status = status < 0 ? status : lb_add_controller(other, &controller, NULL);
        if (t.is_last || t.spoiled.x != &limit || !(t.value < 0)) {
            judge(&t, "an event, drive or controller", status);
        }
        lb_destroy_simulation(sim);
        lb_destroy_simulation(other);
    }
    lb_destroy_model(driven);
    lb_end_loaded(&p);
}

static void runs_and_states(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(plain_arm, NULL);
    for (int i = 0; i < 60 * BAD_COUNT; ++i) {
        const double value = bad[i % BAD_COUNT];
        lb_run_options o = lb_default_run_options();
        const place places[] = {{&o.duration, "duration", NULL},
                                {&o.interval, "interval", NULL},
                                {&o.relative_tolerance, "tolerance", NULL},
                                {&o.absolute_tolerance, "absolute", NULL},
                                {&o.step, "step", NULL},
                                {&o.max_step, "step", "+"},
                                {&o.damping, "damping", NULL},
                                {&o.absolute_modes, "absolute", NULL},
                                {&o.absolute_angles, "absolute", NULL},
                                {&o.absolute_lengths, "absolute", NULL},
                                {&o.absolute_mode_rates, "absolute", NULL},
                                {&o.absolute_rates, "absolute", NULL},
                                {&o.absolute_velocities, "absolute", NULL}};
        const int at = i / BAD_COUNT, count = sizeof places / sizeof *places;
        if (at == count) {
            break;
        }
        *places[at].x = value;
        const lb_status status = lb_set_run_options(l.simulation, &o);
        expect("run", &places[at], value, status, NULL, lb_get_simulation_message(l.simulation));
    }
    for (int i = 0; i < 4 * BAD_COUNT; ++i) {
        double q[2] = {0}, v[2] = {0};
        const int at = i / BAD_COUNT;
        (at < 2 ? q : v)[at % 2] = bad[i % BAD_COUNT];
        assert_int_equal(lb_set_initial_state(l.simulation, q, v), LB_E_ARGUMENT);
        assert_non_null(strstr(lb_get_simulation_message(l.simulation), at % 2 ? "slide" : "arm"));
        assert_int_equal(lb_set_initial_value(l.simulation, "arm.angle", bad[i % BAD_COUNT]),
                         LB_E_ARGUMENT);
        assert_non_null(strstr(lb_get_simulation_message(l.simulation), "arm.angle"));
        int index;
        assert_int_equal(lb_normalize_configuration(l.model, 0.1, q, &index),
                         at < 2 ? LB_E_ARGUMENT : LB_OK);
        assert_int_equal(index, at < 2 ? at : -1);
    }
    lb_expect_ok(lb_start_simulation(l.simulation));
    for (int i = 0; i < BAD_COUNT; ++i) {
        const double q[2] = {0.0, bad[i]}, v[2] = {bad[i], 0.0};
        assert_int_equal(lb_advance_simulation(l.simulation, bad[i]), LB_E_NUMBER);
        assert_non_null(strstr(lb_get_simulation_message(l.simulation), "time cannot go"));
        assert_int_equal(lb_step_simulation(l.simulation, bad[i]), LB_E_NUMBER);
        assert_int_equal(lb_set_command(l.simulation, "drive", bad[i]), LB_E_NUMBER);
        assert_true(lb_restart_simulation(l.simulation, bad[i], NULL, NULL) < 0);
        assert_true(lb_restart_simulation(l.simulation, 0.0, q, NULL) < 0);
        assert_true(lb_restart_simulation(l.simulation, 0.0, NULL, v) < 0);
    }
    lb_expect_ok(lb_advance_simulation(l.simulation, 0.01));
    lb_end_loaded(&l);
}

// Samples, steps, frequencies and densities.
static void check_spectra(const lb_linear *linear, double value)
{
    const double samples[] = {0, 1, value, 2}, good[] = {0, 1, 2, 3};
    const double frequencies[] = {1, 2}, wrong[] = {1, value};
    const int two = 2;
    double out[3], more[3];
    assert_int_equal(lb_compute_psd(0.1, 4, samples, 4, LB_WINDOW_NONE, out), LB_E_NUMBER);
    assert_int_equal(lb_compute_psd(value, 4, good, 4, LB_WINDOW_NONE, out), LB_E_NUMBER);
    assert_int_equal(lb_compute_shock_spectrum(0.1, 4, samples, 10.0, 2, frequencies, out, more),
                     LB_E_NUMBER);
    assert_int_equal(lb_compute_shock_spectrum(value, 4, good, 10.0, 2, frequencies, out, more),
                     LB_E_NUMBER);
    assert_int_equal(lb_compute_shock_spectrum(0.1, 4, good, value, 2, frequencies, out, more),
                     LB_E_NUMBER);
    assert_int_equal(lb_compute_shock_spectrum(0.1, 4, good, 10.0, 2, wrong, out, more),
                     LB_E_NUMBER);
    assert_int_equal(lb_compute_random_response(linear, &two, wrong, frequencies, out, more),
                     LB_E_NUMBER);
    assert_int_equal(lb_compute_random_response(linear, &two, frequencies, wrong, out, more),
                     LB_E_NUMBER);
}

static void linear_models(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(plain_arm, NULL);
    for (int i = 0; i < 60 * BAD_COUNT; ++i) {
        const double value = bad[i % BAD_COUNT];
        double q[2] = {0}, v[2] = {0}, frequencies[2] = {1, 2}, speeds[2] = {1, 2}, response[64];
        lb_linear_options o = lb_default_linear_options();
        o.q = q;
        o.v = v;
        const place places[] = {{&o.t, "time", NULL},
                                {&o.spin_speed, "speed", NULL},
                                {&o.about_point[1], "about_point", NULL},
                                {&q[1], "slide", NULL},
                                {&v[0], "speed 0", NULL}};
        const int at = i / BAD_COUNT, count = sizeof places / sizeof *places;
        const char *inputs[1] = {"drive"}, *outputs[1] = {"arm.angle"};
        o.inputs = inputs;
        o.outputs = outputs;
        o.input_count = o.output_count = 1;
        lb_linear *linear = NULL;
        lb_modes *modes = NULL;
        lb_margins *margins = NULL;
        if (at == count) { // good but for a frequency or a speed
            lb_expect_ok(lb_linearize(l.simulation, &o, &linear));
            frequencies[1] = value;
            assert_int_equal(lb_compute_response(linear, 2, frequencies, response), LB_E_NUMBER);
            check_spectra(linear, value);
            assert_int_equal(
                lb_compute_loop_response(l.simulation, &o, "a.b", 2, frequencies, response),
                LB_E_NUMBER);
            lb_destroy_linear(linear);
            lb_campbell *campbell = NULL;
            speeds[1] = value;
            o.spin = 0;
            assert_int_equal(lb_compute_campbell(l.simulation, &o, 2, speeds, &campbell),
                             LB_E_NUMBER);
            assert_non_null(strstr(lb_get_simulation_message(l.simulation), "speed 1"));
            continue;
        }
        if (at > count) {
            break;
        }
        *places[at].x = value;
        lb_status status = lb_linearize(l.simulation, &o, &linear);
        expect("linearize", &places[at], value, status, NULL,
               lb_get_simulation_message(l.simulation));
        status = lb_compute_modes(l.simulation, &o, &modes);
        expect("modes", &places[at], value, status, NULL, lb_get_simulation_message(l.simulation));
        assert_true(lb_compute_margins(l.simulation, &o, &margins) < 0);
    }
    lb_end_loaded(&l);
}

// ---- evaluation ----------------------------------------------------------------------------------

static void evaluations(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(plain_arm, NULL);
    lb_forces *set = lb_get_simulation_forces(l.simulation);
    lb_work *work = lb_create_work(l.model);
    lb_derivative_work *scratch = lb_create_derivative_work(l.model);
    lb_signal *signals[4];
    static const char *const texts[4] = {"t", "slide.distance", "arm.rate", "arm.a.0"};
    for (int k = 0; k < 4; ++k) {
        lb_expect_ok(lb_compile_signal(l.model, NULL, texts[k], NULL, &signals[k]));
    }
    for (int i = 0; i < 9 * BAD_COUNT; ++i) {
        double x[9] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}, fresh[8], out[8], more[8];
        double *t = x, *q = x + 1, *v = x + 3, *tau = x + 5, *a = x + 7, value;
        unsigned char driven[2] = {0};
        lb_expect_ok(
            lb_tree_inverse_derivatives(l.model, work, scratch, q, v, NULL, out, NULL, NULL, NULL));
        lb_expect_ok(lb_compute_forces(set, l.model, work, *t, q, v, tau, driven, a));
        memcpy(fresh, tau, 2 * sizeof *fresh);
        tau[0] = 0.6, tau[1] = 0.7;
        const int at = i / BAD_COUNT;
        const double kept = x[at];
        static const char *const names[9] = {"time",   "q[0]",   "q[1]", "v[0]", "v[1]",
                                             "tau[0]", "tau[1]", "a",    "a"};
        x[at] = bad[i % BAD_COUNT];
        if (at < 7) {
            assert_int_equal(lb_compute_forces(set, l.model, work, *t, q, v, tau, driven, a),
                             LB_E_NUMBER);
            if (!strstr(lb_get_force_message(set), names[at])) {
                fail_msg("%s: %s", names[at], lb_get_force_message(set));
            }
        }
        const lb_status expected = at < 5 ? LB_E_NUMBER : LB_OK;
        assert_int_equal(lb_compute_force_derivatives(set, l.model, work, scratch, *t, q, v, out,
                                                      more, NULL, NULL),
                         expected);
        assert_int_equal(lb_set_driven_state(set, l.model, *t, out, more),
                         at == 0 ? LB_E_NUMBER : LB_OK);
        const double next = lb_get_next_break(set, *t);
        assert_true(next > *t || isinf(next) || isnan(*t));
        const lb_instant instant = {sizeof instant, l.model, work, *t, q, v, a, NULL, NULL};
        static const int read[4] = {0, 2, 3, 7};
        for (int k = 0; k < 4; ++k) {
            assert_int_equal(lb_evaluate_signal(signals[k], &instant, &value),
                             read[k] == at ? LB_E_NUMBER : LB_OK);
        }
        lb_node_force loads[2];
        int count;
        // a spring between nodes reads what is in the workspace
        lb_expect_ok(lb_compute_force_loads(set, 2, &instant, loads, &count));
        x[at] = kept;
        driven[0] = driven[1] = 0;
        tau[0] = 0.6, tau[1] = 0.7;
        lb_expect_ok(lb_compute_forces(set, l.model, work, *t, q, v, tau, driven, a));
        assert_memory_equal(tau, fresh, 2 * sizeof *fresh);
    }
    for (int k = 0; k < 4; ++k) {
        lb_destroy_signal(signals[k]);
    }
    lb_destroy_work(work);
    lb_destroy_derivative_work(scratch);
    lb_end_loaded(&l);
}

// Whatever loads a file takes values for its parameters.
static void parameters(void **state)
{
    (void)state;
    static const char text[] = "limber: 1\nparameters: {m: 1}\n"
                               "bodies: [{name: a, hinge: {type: translational}, mass: m}]\n";
    const char *path = lb_write_file("parameters.yaml", text);
    for (size_t i = 0; i < BAD_COUNT; ++i) {
        const lb_parameter_value value = {"m", bad[i]};
        lb_load_options options = lb_default_load_options();
        lb_document *document = NULL;
        lb_model *model = NULL;
        char *written = NULL;
        size_t length;
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        options.parameters = &value;
        options.parameter_count = 1;
        assert_int_equal(lb_load_model(path, &options, &report, &model), LB_E_MODEL);
        assert_int_equal(
            lb_load_model_text(text, strlen(text), "t", LB_FORMAT_YAML, &options, &report, &model),
            LB_E_MODEL);
        assert_int_equal(lb_load_document(path, &options, &report, &document), LB_E_MODEL);
        assert_int_equal(lb_load_document_text(text, strlen(text), "t", LB_FORMAT_YAML, &options,
                                               &report, &document),
                         LB_E_MODEL);
        assert_int_equal(
            lb_convert_model(path, &options, LB_FORMAT_YAML, &report, &written, &length),
            LB_E_MODEL);
        assert_int_equal(lb_export_matrices(path, &options, "a", "out", &report), LB_E_MODEL);
        lb_expect_ok(lb_load_document(path, NULL, NULL, &document));
        assert_int_equal(lb_set_parameter(document, "m", bad[i], &report), LB_E_MODEL);
        assert_int_equal(lb_set_parameters(document, &value, 1, &report), LB_E_MODEL);
        assert_int_equal(heard.error_count, 8);
        for (int k = 0; k < 8; ++k) {
            assert_non_null(strstr(heard.entries[k].message, "parameter \"m\" cannot be set to"));
        }
        lb_destroy_document(document);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_and_loops), cmocka_unit_test(flexible_data),
        cmocka_unit_test(beams_and_frames), cmocka_unit_test(imports),
        cmocka_unit_test(forces),           cmocka_unit_test(events_drives_and_controllers),
        cmocka_unit_test(runs_and_states),  cmocka_unit_test(linear_models),
        cmocka_unit_test(evaluations),      cmocka_unit_test(parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
