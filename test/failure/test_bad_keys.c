// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of the wrong kind, or one too many or too few, in keys of a model file: each is told at its place, in words
// that say what was expected.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "heard.h"
#include "limber/simulate.h"
#include "run_cli.h"

typedef struct bad_key {
    const char *text, *path, *message; // the message in part
} bad_key;

// Everything that is found in a text, as limber check finds it.
static void listen_to(const char *text, lb_heard *heard)
{
    const lb_report report = lb_listen(heard);
    lb_document *document = NULL;
    lb_model *model = NULL;
    if (lb_load_document_text(text, strlen(text), "text", LB_FORMAT_YAML, NULL, &report,
                              &document) < 0) {
        return;
    }
    if (lb_load_document_model(document, &report, &model) < 0) {
        lb_check_simulation(document, &report);
    } else {
        lb_simulation *simulation = NULL;
        lb_load_simulation(document, model, &report, &simulation);
        lb_destroy_simulation(simulation);
    }
    lb_destroy_model(model);
    lb_destroy_document(document);
}

static void expect_each(const bad_key *cases, size_t count)
{
    int missing = 0;
    for (size_t i = 0; i < count; ++i) {
        lb_heard heard = {.count = 0};
        listen_to(cases[i].text, &heard);
        bool found = false;
        for (int k = 0; k < heard.count && k < 32; ++k) {
            found = found || (strcmp(heard.entries[k].path, cases[i].path) == 0 &&
                              strstr(heard.entries[k].message, cases[i].message));
        }
        if (!found) {
            lb_print_heard(&heard);
            print_error("%s  expected at %s: %s\n", cases[i].text, cases[i].path, cases[i].message);
            ++missing;
        }
    }
    assert_int_equal(missing, 0);
}

#define EXPECT_EACH(cases) expect_each(cases, sizeof(cases) / sizeof *(cases))

#define BEAM(rest) "limber: 1\nbodies: [{name: a, hinge: {type: fixed}, beam: {" rest "}}]\n"
#define BAR "length: 1, material: steel, section: {type: tube, diameter: 0.1}, "
#define FRAME(rest) "limber: 1\nbodies: [{name: a, hinge: {type: fixed}, frame: {" rest "}}]\n"
#define STEEL                                                                                      \
    "material: steel, section: {type: tube, diameter: 0.1}, joints: {r: [0, 0, 0], b: [1, 0, "     \
    "0]}, "

static void of_beams_and_frames(void **state)
{
    (void)state;
    static const bad_key cases[] = {
        {"limber: 1\nbodies: [{name: a, hinge: {type: fixed}, beam: 3}]\n", "bodies[0].beam",
         "a mapping"},
        {"limber: 1\nbodies: [{name: a, hinge: {type: fixed}, frame: 3}]\n", "bodies[0].frame",
         "a mapping"},
        {BEAM(BAR "modes: 1, masses: [3]"), "bodies[0].beam.masses[0]", "a mapping"},
        {BEAM(BAR "modes: 1, masses: [{at: [1], mass: 1}]"), "bodies[0].beam.masses[0].at",
         "expected"},
        {BEAM(BAR "modes: 1, nodes: [a]"), "bodies[0].beam.nodes",
         "a mapping from names to distances"},
        {BEAM(BAR "modes: many"), "bodies[0].beam.modes", "a number of modes, or a mapping"},
        {BEAM(BAR "modes: {count: 1, fixed: []}"), "bodies[0].beam.modes.fixed",
         "no names given, expected at least one"},
        {BEAM(BAR "modes: {count: 1, fixed: [[1]]}"), "bodies[0].beam.modes.fixed[0]",
         "the name of a node"},
        {BEAM(BAR "modes: {count: 1, motions: []}"), "bodies[0].beam.modes.motions",
         "no motions given"},
        {BEAM(BAR "shapes: [3]"), "bodies[0].beam.shapes[0]", "a mapping"},
        {BEAM(BAR "shapes: [{count: 2}]"), "bodies[0].beam.shapes[0]",
         "none of \"family\" and \"polynomial\" given"},
        {BEAM(BAR "shapes: [{family: clamped-free, polynomial: [1]}]"), "bodies[0].beam.shapes[0]",
         "both of \"family\""},
        {BEAM(BAR "shapes: [{polynomial: [0, 0, 1], count: 2}]"), "bodies[0].beam.shapes[0].count",
         "a polynomial is one shape"},
        {BEAM(BAR "shapes: 3"), "bodies[0].beam.shapes", "expected"},
        {BEAM(BAR "shapes: [{family: clamped-free}], modes: 2"), "bodies[0].beam.modes", "shapes"},
        {BEAM(BAR "modes: 1, damping: {table: 3}"), "bodies[0].beam.damping.table", "expected"},
        {BEAM(BAR "modes: 1, damping: {table: []}"), "bodies[0].beam.damping.table",
         "no rows given"},
        {BEAM(BAR "modes: 1, damping: {table: [[10, 0.1], [5, 0.1]]}"),
         "bodies[0].beam.damping.table[1]", "expected rising frequencies"},
        {BEAM(BAR "modes: 1, damping: []"), "bodies[0].beam.damping", "no ratios given"},
        {BEAM(BAR "modes: 1, damping: much"), "bodies[0].beam.damping",
         "a damping ratio, a list of them, or a mapping"},
        {BEAM(BAR "modes: 1, damping: {rayleigh: [-1, 0]}"), "bodies[0].beam.damping.rayleigh",
         "not negative"},
        {BEAM("length: 1, material: 3, section: {type: tube, diameter: 0.1}, modes: 1"),
         "bodies[0].beam.material", "the name of a material, or"},
        {BEAM("length: 1, material: {E: 1, nu: 0.7, rho: 1}, section: {type: tube, diameter: 0.1}, "
              "modes: 1"),
         "bodies[0].beam.material.nu", "expected above -1 and at most 0.5"},
        {BEAM("length: 1, material: steel, section: 3, modes: 1"), "bodies[0].beam.section",
         "the name of a section, or"},
        {BEAM("length: 1, material: steel, stations: 3, modes: 1"), "bodies[0].beam.stations",
         "expected"},
        {BEAM("length: 1, material: steel, stations: [{at: 0, section: {type: tube, diameter: "
              "0.1}}], modes: 1"),
         "bodies[0].beam.stations", "1 stations given, expected at least two"},
        {BEAM("length: 1, material: steel, stations: [{at: 0}, {at: 1}], modes: 1"),
         "bodies[0].beam.stations[0].section", "missing"},
        {BEAM("length: 1, material: steel, stations: [{at: 0, section: {type: tube, diameter: "
              "0.1}}, {at: 0.5, section: {type: tube, diameter: 0.1}}, {at: 0.2, section: {type: "
              "tube, diameter: 0.1}}], modes: 1"),
         "bodies[0].beam.stations[2].at", "expected rising distances"},
        {BEAM(
             "length: 1, material: steel, section: {type: general, A: -1, Iy: 1, Iz: 1}, modes: 1"),
         "bodies[0].beam.section.A", "expected a positive number"},
        {FRAME(STEEL "members: [{joints: [r, b]}]"), "bodies[0].frame.modes", "missing"},
        {FRAME(STEEL "members: [3], modes: 1"), "bodies[0].frame.members[0]", "a mapping"},
        {FRAME(STEEL "members: [{joints: [r]}], modes: 1"), "bodies[0].frame.members[0].joints",
         "1 joints given, expected 2"},
        {FRAME(STEEL "members: [{joints: [r, [b]]}], modes: 1"),
         "bodies[0].frame.members[0].joints[1]", "the name of a joint"},
        {FRAME(STEEL "members: [{joints: [r, b], path: [[0.5, 1, 0]], arc: {through: [0.5, 1, "
                     "0]}}], modes: 1"),
         "bodies[0].frame.members[0].arc", "both \"path\" and \"arc\" given"},
        {FRAME(STEEL
               "members: [{joints: [r, b], arc: {through: [0.5, 1, 0], segments: 1}}], modes: 1"),
         "bodies[0].frame.members[0].arc.segments", "1 found, expected 2 to 10000"},
        {FRAME(STEEL
               "members: [{joints: [r, b], elements: 2000000}], modes: {fixed: [r], count: 1}"),
         "bodies[0].frame.members[0].elements", "expected 1 to"},
        {FRAME(STEEL "members: [{joints: [r, c], arc: {through: [0.5, 1, 0], segments: 4}}], "
                     "modes: {fixed: [r], count: 1}"),
         "bodies[0].frame.members[0].joints[1]", "c"},
        {FRAME(STEEL "members: [{joints: [r, b]}], modes: {type: free-free, count: 1, fixed: [r]}"),
         "bodies[0].frame.modes.fixed", "free-free modes have nothing fixed"},
        {FRAME(STEEL "members: [{joints: [r, b]}], modes: {fixed: [r], count: 1, interfaces: [b]}"),
         "bodies[0].frame.modes.interfaces", "only craig-bampton modes have interfaces"},
        {FRAME(STEEL
               "members: [{joints: [r, b]}], modes: {type: craig-bampton, fixed: [r], count: 1}"),
         "bodies[0].frame.modes", "Craig-Bampton modes need them"},
        {FRAME(STEEL "members: [{joints: [r, b]}], modes: {type: craig-bampton, fixed: [r], count: "
                     "1, interfaces: [r]}"),
         "bodies[0].frame.modes.interfaces", "is clamped already"},
        {FRAME(STEEL "members: [{joints: [r, b]}], modes: {fixed: [r, r], count: 1}"),
         "bodies[0].frame.modes.fixed[1]", "\"r\" stands twice"},
        {FRAME(STEEL "members: [{joints: [r, b]}], modes: {fixed: [r], frequency: -1}"),
         "bodies[0].frame.modes.frequency", "expected a positive number"},
        {FRAME(STEEL "members: [{joints: [r, b]}], modes: {fixed: [r], effective_mass: 2}"),
         "bodies[0].frame.modes.effective_mass", "expected"},
        {FRAME(STEEL "members: [{joints: [r, b]}], modes: {fixed: [r], count: 1, corrections: "
                     "[{at: c, force: [1, 0, 0]}]}"),
         "bodies[0].frame.modes.corrections[0]", "no node is called \"c\""},
        {"limber: 1\nlibrary: {materials: [3]}\nbodies: []\n", "library.materials",
         "a mapping from names to entries"},
        {"limber: 1\nlibrary: {materials: {x: 3}}\nbodies: []\n", "library.materials.x",
         "a mapping"},
        {"limber: 1\nlibrary: [{sections: {bar: {type: tube, diameter: 0.1}}}, {sections: {rod: "
         "{type: tube, diameter: 0.1}}}]\n"
         "bodies: [{name: a, hinge: {type: fixed}, beam: {length: 1, material: steel, section: "
         "pipe, modes: 1}}]\n",
         "bodies[0].beam.section", "bar, rod"},
        {"limber: 1\nbodies: [{name: a, hinge: {type: fixed}, beam: {length: 1}, frame: {}}]\n",
         "bodies[0].frame", "the body has \"beam\" already"},
    };
    EXPECT_EACH(cases);
}

#define TWO                                                                                        \
    "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: revolute, axis: [0, "  \
    "0, 1]}, nodes: {t: {position: [1, 0, 0]}}},\n"                                                \
    "  {name: b, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: revolute, axis: [0, 0, "      \
    "1]}}]\n"
#define LOOP(rest) "limber: 1\n" TWO "loops: [{name: pin, a: {body: a}, b: {body: b}, " rest "}]\n"
#define EVENT(rest)                                                                                \
    "limber: 1\n" TWO "loops: [{name: pin, type: spherical, a: {body: a, node: t}, b: {body: "     \
    "b}}]\nspare_loops: 1\nevents: [{name: e, when: t, crosses: 1, then: " rest "}]\n"

static void of_loops_and_events(void **state)
{
    (void)state;
    static const bad_key cases[] = {
        {"limber: 1\n" TWO "loops: [{name: pin, type: weld, a: a/t, b: {body: b}}]\n", "loops[0].a",
         "{body: a, node: t}"},
        {"limber: 1\n" TWO "loops: [{name: pin, type: coupler, terms: [{body: a}, {body: b}], "
         "offset: 1, as_assembled: true}]\n",
         "loops[0].offset", "as_assembled says what it is"},
        {LOOP("type: weld, motion: {turn: 1, axis: [0, 0, 0]}"), "loops[0].motion.axis",
         "a zero vector"},
        {LOOP("type: weld, motion: {turn: 1, axis: [0, 0]}"), "loops[0].motion.axis", "expected"},
        {LOOP("type: weld, motion: 1"), "loops[0].motion",
         "a weld loop needs to be told how it moves"},
        {LOOP("type: rod, length: 1, motion: {turn: 1}"), "loops[0].motion",
         "a rod takes one function"},
        {LOOP("type: weld, motion: {shift: [1, 2]}"), "loops[0].motion.shift", "3"},
        {"limber: 1\n" TWO "events: [3]\n", "events[0]", "a mapping"},
        {EVENT("3"), "events[0].then", "expected"},
        {EVENT("[{lock: 3}]"), "events[0].then[0].lock", "expected"},
        {EVENT("{alter: pin, type: coupler, terms: [3]}"), "events[0].then.terms[0]", "a mapping"},
        {EVENT("{make: {name: new, type: coupler, terms: [{body: c}]}}"),
         "events[0].then.make.terms[0]", "no body is named \"c\""},
        {EVENT("{make: {name: new, type: coupler}}"), "events[0].then.make.terms", "missing"},
        {EVENT("{alter: pin, type: revolute, axis: [0, 0, 0]}"), "events[0].then.axis",
         "a zero vector, expected a direction"},
        {EVENT("{alter: pin, type: rod, length: -1}"), "events[0].then.length",
         "expected a length greater than zero"},
        {EVENT("{alter: pin, type: spherical, length: 1}"), "events[0].then.length", "length"},
        {EVENT("{make: {type: weld, name: new, a: {body: a}}}"), "events[0].then.make.b",
         "missing: an end is {body: NAME, node: NAME}"},
        {EVENT("{make: {name: new, a: {body: a}, b: {body: b}}}"), "events[0].then.make.type",
         "missing"},
    };
    EXPECT_EACH(cases);
}

#define CONTROL(rest)                                                                              \
    "limber: 1\n" TWO                                                                              \
    "forces: [{name: m, type: actuator, hinge: a}]\ncontrollers: [{name: c, rate: 100, " rest      \
    "}]\n"
#define SENSOR "sensors: [{name: x, signal: a.angle}], "
#define PID "actuators: [{actuator: m, position: x, desired: 0}], law: {type: pid, kp: 1}"

static void of_controllers(void **state)
{
    (void)state;
    static const bad_key cases[] = {
        {"limber: 1\n" TWO "controllers: [3]\n", "controllers[0]", "a mapping"},
        {CONTROL("sensors: [3], actuators: [m], law: {type: pid}"), "controllers[0].sensors[0]",
         "a mapping"},
        {CONTROL("sensors: [{name: x, strain: 3}], " PID), "controllers[0].sensors[0].strain",
         "expected"},
        {CONTROL("sensors: [{name: x, strain: [a/t]}], " PID), "controllers[0].sensors[0].strain",
         "1 nodes given, expected the two that the fibre joins"},
        {CONTROL("sensors: [{name: x, signal: a.angle, rate: 0}], " PID),
         "controllers[0].sensors[0].rate", "0, expected a number above zero"},
        {CONTROL("sensors: [{name: x, signal: a.angle}, {name: x, signal: a.rate}], " PID),
         "controllers[0].sensors[1]", "already the name of a sensor"},
        {CONTROL(SENSOR "actuators: [[1]], law: {type: pid, kp: 1}"), "controllers[0].actuators[0]",
         "expected"},
        {CONTROL(SENSOR "actuators: [{actuator: m, position: x, desired: {waypoints: 3}}], law: "
                        "{type: pid, kp: 1}"),
         "controllers[0].actuators[0].desired.waypoints", "expected"},
        {CONTROL(SENSOR "actuators: [{actuator: m, position: x, desired: {waypoints: []}}], law: "
                        "{type: pid, kp: 1}"),
         "controllers[0].actuators[0].desired.waypoints", "0 given, expected at least two"},
        {CONTROL(SENSOR "actuators: [{actuator: m, position: x, desired: {waypoints: [[0], [1, "
                        "1]]}}], law: {type: pid, kp: 1}"),
         "controllers[0].actuators[0].desired.waypoints[0]", "expected a time and a value"},
        {CONTROL(SENSOR "actuators: [{actuator: m, position: x, desired: {waypoints: [[soon, 0], "
                        "[1, 1]]}}], law: {type: pid, kp: 1}"),
         "controllers[0].actuators[0].desired.waypoints[0][0]", "a number"},
        {CONTROL(SENSOR "shaping: 3, " PID), "controllers[0].shaping", "a mapping"},
        {CONTROL(SENSOR "actuators: [{actuator: m, position: x, desired: 0}], law: pid"),
         "controllers[0].law", "a law, such as {type: pid"},
        {CONTROL(SENSOR "actuators: [{actuator: m, position: x, desired: 0}], law: {type: process, "
                        "command: cat}"),
         "controllers[0].law.command", "expected"},
        {CONTROL(SENSOR "actuators: [{actuator: m, position: x, desired: 0}], law: {type: process, "
                        "command: [cat, [1]]}"),
         "controllers[0].law.command[1]", "a string"},
        {CONTROL(SENSOR "actuators: [{actuator: m, position: x, desired: 0}], law: {type: process, "
                        "command: [cat], timeout: 0}"),
         "controllers[0].law.timeout", "expected seconds above zero"},
    };
    EXPECT_EACH(cases);
}

#define FORCE(rest) "limber: 1\n" TWO "forces: [{name: f, " rest "}]\n"

static void of_functions_and_runs(void **state)
{
    (void)state;
    static const bad_key cases[] = {
        {FORCE("type: motor, hinge: a, value: {pieces: 3}"), "forces[0].value.pieces", "expected"},
        {FORCE("type: motor, hinge: a, value: {sine: 3}"), "forces[0].value.sine", "a mapping"},
        {FORCE("type: motor, hinge: a, value: {pulse: 3}"), "forces[0].value.pulse", "a mapping"},
        {FORCE("type: motor, hinge: a, value: {pulse: {value: 1, width: 1, period: 0}}"),
         "forces[0].value.pulse.period", "0, expected at least the width"},
        {FORCE("type: force, at: a/t, value: [1, 2]"), "forces[0].value",
         "2 values given, expected a list of 3"},
        {FORCE("type: actuator, hinge: a, gain: 0"), "forces[0].gain",
         "expected a number that is not zero"},
        {"limber: 1\n" TWO "initial: {a: 3}\n", "initial.a", "a mapping"},
        {"limber: 1\n" TWO "run: {assemble: 3}\n", "run.assemble", "expected"},
        {"limber: 1\n" TWO "run: {assemble: {hold: [[1]]}}\n", "run.assemble.hold[0]",
         "a body or coordinate, such as crank.angle"},
        {"limber: 1\n" TWO "run: {integrator: {type: erk, absolute: {frogs: 1}}}\n",
         "run.integrator.absolute.frogs", "unknown key"},
        {"limber: 1\n" TWO "run: {integrator: {type: erk, absolute: {angles: 0}}}\n",
         "run.integrator.absolute.angles", "expected a number above 0"},
        {"limber: 1\n" TWO "run: {integrator: {type: erk, absolute: {modes: 1.0e9}}}\n",
         "run.integrator.absolute.modes", "not above 1e6"},
        {"limber: 1\n" TWO "run: {assemble: {hold: crank}}\n", "run.assemble.hold",
         "expected a list"},
        {"limber: 1\n" TWO "run: {duration: 1000, interval: 1.0e-8}\n", "run.interval",
         "gives more than 1e9 outputs"},
        {"limber: 1\n" TWO "run: {integrator: {type: erk, tolerance: 1}}\n",
         "run.integrator.tolerance", "expected a number from 1e-15 to 0.1"},
        {"limber: 1\n" TWO "run: {integrator: {type: alpha, step: 0.01, damping: 2}}\n",
         "run.integrator.damping", "expected"},
        {"limber: 1\n" TWO "signals: {s: a.angle + * 2}\n", "signals.s",
         "expected a number, a signal, a function or \"(\""},
        {"limber: 1\n" TWO "signals: {s: \"sqrt(a.angle\"}\n", "signals.s", "expected \")\""},
        {"limber: 1\n" TWO "signals: {s: a.q}\n", "signals.s", "expected \".\" and the index"},
    };
    EXPECT_EACH(cases);
}

// Angles may say their unit; a library may be a list, of which the last that knows a name counts or all do.
static void units_and_lists_that_are_right(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "limber: 1\n" TWO "initial: {a: {angle: 1 rad}, b: {angle: 57.29577951308232 deg}}\n",
        "limber: 1\nlibrary: [{sections: {bar: {type: tube, diameter: 0.1}}}, {materials: {stuff: "
        "{E: 1.0e+9, nu: 0.3, rho: 1000}}}]\n"
        "bodies: [{name: a, hinge: {type: fixed}, beam: {length: 1, material: stuff, section: bar, "
        "modes: 1}}]\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        lb_heard heard = {.count = 0};
        listen_to(texts[i], &heard);
        if (heard.count) {
            lb_print_heard(&heard);
            fail_msg("%s", texts[i]);
        }
    }
    lb_cli_run run = lb_run(NULL, "trim", lb_write_file("rad.yaml", texts[0]), "--json");
    assert_int_equal(run.status, 0);
    // the same angle in both units: nothing moves them from there
    assert_non_null(strstr(run.out, "\"q\": [1.0, 1.0]"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_beams_and_frames),
        cmocka_unit_test(of_loops_and_events),
        cmocka_unit_test(of_controllers),
        cmocka_unit_test(of_functions_and_runs),
        cmocka_unit_test(units_and_lists_that_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
