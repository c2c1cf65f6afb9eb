// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Every mistake in a beam, a frame or a library has its own message, at its own place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "heard.h"
#include "limber/io.h"
#include "program.h"
#include "run_cli.h"

typedef struct bad_beam {
    const char *text;
    int line, column;
    const char *path;
    const char *message; // a part of it
} bad_beam;

// line 4 is the rest of the beam, from column 7 on
#define BEAM(rest)                                                                                 \
    "limber: 1\nbodies:\n  - {name: a, hinge: {type: fixed}, beam: {length: 1, material: steel,\n" \
    "      " rest "}}\n"
#define TUBE "section: {type: tube, diameter: 0.1}, "
// line 4 the members, from column 7 on; line 5 the joints; line 6 the rest
#define FRAME(members, joints, rest)                                                               \
    "limber: 1\nbodies:\n  - {name: a, hinge: {type: fixed}, frame: {material: steel, section: "   \
    "{type: tube, diameter: 0.1},\n      members: [" members "],\n      joints: {" joints "},\n"   \
    "      " rest "}}\n"
#define JOINTS "root: [0, 0, 0], b: [1, 0, 0]"

// line 4 is the rest of the body, from column 7 on
#define CUT(rest)                                                                                  \
    "limber: 1\nbodies:\n  - {name: a, hinge: {type: fixed}, beam: {length: 1, material: "         \
    "steel, " TUBE "modes: 1},\n      " rest "}\n"

static const bad_beam cases[] = {
    {CUT("cuts: [mid]"), 4, 14, "bodies[0].cuts[0]", "a has no node \"mid\""},
    {CUT("cuts: [{at: tip, normal: [0, 0, 0]}]"), 4, 14, "bodies[0].cuts[0]",
     "a normal of length zero found, expected a direction"},
    {CUT("cuts: [tip, root, tip]"), 4, 25, "bodies[0].cuts[2]", "node \"tip\" is cut twice"},
    {CUT("cuts: tip"), 4, 13, "bodies[0].cuts", "expected a list"},
    {"limber: 1\nbodies:\n  - {name: a, hinge: {type: fixed}, mass: 1,\n      cuts: [origin]}\n", 4,
     13, "bodies[0].cuts", "cuts are for flexible bodies"},
    {BEAM("section: {type: tube, diameter: 0.1, wall: 0.06}, modes: 1"), 4, 50,
     "bodies[0].beam.section.wall", "0.06 m found, expected at most 0.05 m"},
    {BEAM("section: {type: tube, diameter: -0.1}, modes: 1"), 4, 39,
     "bodies[0].beam.section.diameter", "expected a positive number"},
    {BEAM("section: {type: I, width: 0.1, height: 0.1, web: 0.01, flange: 0.06}, modes: 1"), 4, 70,
     "bodies[0].beam.section.flange", "expected at most 0.05"},
    {BEAM("section: {type: general, A: 1, Iy: 1, Iz: 1}, theory: timoshenko, modes: 1"), 4, 16,
     "bodies[0].beam.section", "Ay and Az"},
    {BEAM("section: pipe, modes: 1"), 4, 16, "bodies[0].beam.section", "no section is called"},
    {"limber: 1\nbodies:\n  - {name: a, hinge: {type: fixed}, beam: {length: 0, material: steel, "
     "modes: 1, section: {type: tube, diameter: 1}}}\n",
     3, 52, "bodies[0].beam.length", "expected a positive number"},
    {"limber: 1\nbodies:\n  - {name: a, hinge: {type: fixed}, beam: {length: 1, modes: 1, section: "
     "{type: tube, diameter: 1},\n      material: {E: -1, nu: 0.3, rho: 1}}}\n",
     4, 21, "bodies[0].beam.material.E", "expected a positive number"},
    {"limber: 1\nbodies:\n  - {name: a, hinge: {type: fixed}, beam: {length: 1, modes: 1, section: "
     "{type: tube, diameter: 1},\n      material: cheese}}\n",
     4, 17, "bodies[0].beam.material", "no material is called \"cheese\"; there are aluminium"},
    {BEAM(TUBE "modes: 1000"), 4, 52, "bodies[0].beam.modes.count", "expected 1 to 512"},
    {BEAM(TUBE "elements: 2, modes: 13"), 4, 65, "bodies[0].beam.modes.count",
     "13 modes found, expected at most 12"},
    {BEAM(TUBE "modes: {count: 3, elements: 2}"), 4, 63, "bodies[0].beam.modes.elements",
     "unknown key"},
    {BEAM(TUBE "modes: {frequency: 0.001}"), 4, 64, "bodies[0].beam.modes.frequency",
     "the lowest has"},
    {BEAM(TUBE "modes: {count: 2, fixed: [end]}"), 4, 71, "bodies[0].beam.modes.fixed[0]",
     "no node is called \"end\""},
    {BEAM(TUBE "modes: {count: 2, corrections: [{at: root, force: [1, 0, 0]}]}"), 4, 77,
     "bodies[0].beam.modes.corrections[0]", "does not deform"},
    {BEAM(TUBE
          "modes: {count: 2, corrections: [{at: tip, force: [1, 0, 0]}, {at: tip, force: [2, 0, "
          "0]}]}"),
     4, 106, "bodies[0].beam.modes.corrections[1]", "a combination of modes"},
    {BEAM(TUBE "modes: 2, damping: [0.1]"), 4, 64, "bodies[0].beam.damping",
     "1 ratios given, expected 2"},
    {BEAM(TUBE "modes: 2, damping: -0.1"), 4, 64, "bodies[0].beam.damping", "not negative"},
    {BEAM(TUBE "modes: 2, nodes: {a: 1.5}"), 4, 66, "bodies[0].beam.nodes.a", "the length"},
    {BEAM(TUBE "modes: 2, nodes: {a: 0.5, b: 0.5}"), 4, 74, "bodies[0].beam.nodes.b",
     "at the same place as \"a\""},
    {BEAM(TUBE "modes: 2, masses: [{at: a, mass: 1}]"), 4, 69, "bodies[0].beam.masses[0].at",
     "no node is called"},
    {BEAM(TUBE "modes: 2, masses: [{at: 0.5, mass: -1}]"), 4, 80, "bodies[0].beam.masses[0].mass",
     "not negative"},
    {BEAM("stations: [{at: 0, section: {type: tube, diameter: 0.1}}, {at: 2, section: {type: tube, "
          "diameter: 0.1}}], modes: 1"),
     4, 17, "bodies[0].beam.stations", "from 0 to 1 m"},
    {BEAM("stations: [{at: 0, section: {type: tube, diameter: 0.1}}, {at: 1, section: {type: tube, "
          "diameter: 0.1, wall: 0.01}}], modes: 1"),
     4, 70, "bodies[0].beam.stations[1].at", "only one of"},
    {BEAM(TUBE "shapes: [{family: clamped-free, motion: twist}]"), 4, 54,
     "bodies[0].beam.shapes[0]", "for bending"},
    {BEAM(TUBE "shapes: clamped-free"), 4, 53, "bodies[0].beam.shapes", "modes: N"},
    {BEAM(TUBE "modes: 1, second_order: true, fidelity: ruthless"), 4, 69,
     "bodies[0].beam.second_order", "consistent"},
    {BEAM(TUBE "modes: 1") "    flex: {nodes: [{name: n, shape: []}], stiffness: []}\n", 5, 5, "",
     ""},
    {FRAME("{joints: [root, c]}", JOINTS, "modes: 1"), 4, 33,
     "bodies[0].frame.members[0].joints[1]", "no joint is called \"c\""},
    {FRAME("{joints: [root, b]}", JOINTS ", c: [2, 0, 0]", "modes: 1"), 5, 50,
     "bodies[0].frame.joints.c", "no member connects it"},
    {FRAME("{joints: [root, b]}", "root: [0, 0, 0], b: [0, 0, 0]", "modes: 1"), 4, 17,
     "bodies[0].frame.members[0]", "no length"},
    {FRAME("{joints: [root, b], up: [1, 0, 0]}", JOINTS, "modes: 1"), 4, 41,
     "bodies[0].frame.members[0].up", "across the member"},
    {FRAME("{joints: [root, b], arc: {through: [2, 0, 0], segments: 4}}", JOINTS, "modes: 1"), 4,
     42, "bodies[0].frame.members[0].arc", "lie on a line"},
    {FRAME("{joints: [a, b]}", "a: [0, 0, 0], b: [1, 0, 0]", "modes: 1"), 6, 14,
     "bodies[0].frame.modes", "say which are clamped"},
    {FRAME("{joints: [root, b]}", JOINTS, "modes: {count: 1, motions: [y]}"), 6, 25,
     "bodies[0].frame.modes.motions", "straight beams"},
    {BEAM(TUBE "modes: 200"), 4, 52, "bodies[0].beam.modes",
     "200 modes have 96480000 second-order displacements at the 4800 points of 800 elements"},
    {BEAM(TUBE "modes: 200"), 4, 52, "bodies[0].beam.modes", "expected at most 24000000"},
    {BEAM(TUBE "shapes: clamped-free, modes: 200"), 4, 74, "bodies[0].beam.modes",
     "second-order displacements"},
    {BEAM(TUBE "modes: 512, elements: 100000, second_order: false"), 4, 52, "bodies[0].beam.modes",
     "512 modes of 100000 elements found, expected at most 500000"},
    {"limber: 1\nlibrary: {sections: {s: {type: tube, diameter: 0}}}\n", 2, 48,
     "library.sections.s.diameter", "expected a positive number"},
    {"limber: 1\nlibrary: nowhere.yaml\n", 2, 10, "library", "cannot be read"},
};

static void each_mistake_is_told_at_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_model *model = NULL;
        const lb_status status = lb_load_model_text(cases[i].text, strlen(cases[i].text), "bad",
                                                    LB_FORMAT_YAML, NULL, &report, &model);
        assert_null(model);
        if (!*cases[i].message) {
            assert_true(status < 0);
            continue;
        }
        assert_int_equal(status, LB_E_MODEL);
        const lb_heard_entry *entry = lb_find_heard(&heard, cases[i].path);
        if (!entry || entry->line != cases[i].line || entry->column != cases[i].column ||
            !strstr(entry->message, cases[i].message)) {
            lb_print_heard(&heard);
            fail_msg("case %zu: expected %d:%d %s: %s", i, cases[i].line, cases[i].column,
                     cases[i].path, cases[i].message);
        }
    }
}

// A body that is wrong still has its nodes: nothing else is complained of.
static void nodes_of_a_bad_beam_are_known(void **state)
{
    (void)state;
    const char *text = "limber: 1\nbodies:\n"
                       "  - {name: a, hinge: {type: fixed}, beam: {length: 1, material: steel, "
                       "modes: 1, nodes: {n: 0.5}, section: {type: tube, diameter: -1}}}\n"
                       "  - {name: b, parent: a, at: n, hinge: {type: fixed}, mass: 1}\n"
                       "  - {name: c, parent: a, at: tip, hinge: {type: fixed}, mass: 1}\n";
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *model = NULL;
    assert_int_equal(
        lb_load_model_text(text, strlen(text), "bad", LB_FORMAT_YAML, NULL, &report, &model),
        LB_E_MODEL);
    assert_int_equal(heard.count, 1);
}

// What is wrong in a library is told once, with the library's name.
static void mistakes_of_a_library_are_told_there(void **state)
{
    (void)state;
    char text[1024];
    const char *parts =
        lb_write_file("parts.yaml", "limber: 1\nmaterials:\n  m: {E: 1, G: 1, rho: heavy}\n");
    snprintf(text, sizeof text,
             "limber: 1\nlibrary: %s\nbodies:\n"
             "  - {name: a, hinge: {type: fixed}, beam: {length: 1, material: m, modes: 1, "
             "section: {type: tube, diameter: 0.1}}}\n",
             parts);
    const char *path = lb_write_file("model.yaml", text);
    lb_cli_run run = lb_run(NULL, "check", path);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "parts.yaml:3:24: materials.m.rho: expected a number"));
    assert_null(strstr(run.err, "model.yaml:"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_is_told_at_its_place),
        cmocka_unit_test(nodes_of_a_bad_beam_are_known),
        cmocka_unit_test(mistakes_of_a_library_are_told_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
