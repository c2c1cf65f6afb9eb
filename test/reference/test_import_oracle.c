// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Structures of others with the numbers that their programs gave, from files to frequencies and motion of a
// model. They are no part of this project: they are read from ../shared/fe beside the source tree; where
// there is none the test is skipped. CalculiX's own answers go with its files, in test/data/fe/calculix/README.md.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "body_file.h"
#include "check.h"
#include "flight.h"
#include "limber/linear.h"
#include "loaded.h"
#include "scratch.h"

#define SHARED(name) lb_find_source("../shared/fe/" name)

static bool is_there(const char *path)
{
    const bool found = access(path, R_OK) == 0;
    if (!found) {
        print_message("%s is not there\n", path);
    }
    return found;
}

// Frequencies of a model, Hz, from mode `first` on.
static void expect_frequencies(const char *text, int first, int count, const double *reference,
                               double tolerance)
{
    lb_loaded l = lb_begin_loaded(text, NULL);
    const lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    lb_expect_ok(lb_compute_modes(l.simulation, &options, &modes));
    assert_true(modes->mode_count >= first + count);
    for (int i = 0; i < count; ++i) {
        const double f = modes->frequencies[first + i];
        print_message("%.8g Hz, expected %.8g: off by %.1e\n", f, reference[i],
                      f / reference[i] - 1);
        lb_expect_near("frequency", f, reference[i], tolerance);
    }
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

// ---- Nastran -------------------------------------------------------------------------------------

static void superelements_of_nastran_make_the_whole(void **state)
{
    (void)state;
    if (!is_there(SHARED("nastran/extseout/inboard.op4"))) {
        skip();
    }
    const long clamp[] = {3};
    lb_import_options options = lb_default_import_options();
    options.clamp = clamp;
    options.clamp_count = 1;
    lb_keep_body(
        lb_import_folder(SHARED("nastran/extseout"),
                         (const char *const[]){"inboard.asm", "inboard.op4", "inboard.pch", NULL},
                         &options),
        "inboard.flex");
    lb_keep_body(lb_import_folder(
                     SHARED("nastran/extseout"),
                     (const char *const[]){"outboard.pch", "outboard.asm", "outboard.op4", NULL},
                     &options),
                 "outboard.flex");
    // modes 7 to 14 of the whole model without reduction, as Nastran wrote them: seven digits
    const double nastran[] = {1.698800, 1.767487, 1.857720, 3.419612,
                              7.024210, 7.025409, 10.72361, 10.98255};
    expect_frequencies(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: inboard, hinge: {type: free}, flex: {file: inboard.flex}}\n"
        "  - {name: outboard, parent: inboard, at: '3', by: '3', hinge: {type: fixed},\n"
        "     flex: {file: outboard.flex}}\n"
        "loops:\n"
        "  - {name: w11, type: weld, a: {body: inboard, node: '11'}, b: {body: outboard, node: "
        "'11'}}\n"
        "  - {name: w19, type: weld, a: {body: inboard, node: '19'}, b: {body: outboard, node: "
        "'19'}}\n"
        "  - {name: w27, type: weld, a: {body: inboard, node: '27'}, b: {body: outboard, node: "
        "'27'}}\n",
        6, 8, nastran, 5e-7);
}

// ---- Ansys ---------------------------------------------------------------------------------------

static void rotor_of_ansys(void **state)
{
    (void)state;
    if (!is_there(SHARED("ansys/rotorAnsysMassMatrixSparse.txt"))) {
        skip();
    }
    const lb_named_node nodes[] = {{"a", 1}, {"b", 115}};
    lb_import_options options = lb_default_import_options();
    options.nodes = nodes;
    options.node_count = 2;
    options.mode_count = 12;
    lb_keep_body(
        lb_import_folder(SHARED("ansys"),
                         (const char *const[]){"rotorAnsysNodalCoordinates.txt",
                                               "rotorAnsysMassMatrixSparse.txt",
                                               "rotorAnsysMatrixDofMappingVector.txt",
                                               "rotorAnsysStiffnessMatrixSparse.txt", NULL},
                         &options),
        "rotor.flex");
    const char text[] = "limber: 1\n"
                        "bodies:\n"
                        "  - {name: rotor, hinge: {type: free}, flex: {file: rotor.flex}}\n";
    const double twice[] = {104.63701, 104.63701}, third = 187.824;
    expect_frequencies(text, 6, 2, twice, 5e-8);  // eight digits are known
    expect_frequencies(text, 8, 1, &third, 3e-6); // and of this, six
    lb_flight flight = lb_default_flight();
    flight.duration = 0.05;
    flight.amplitude = 1e-3;
    lb_fly(text, &flight, NULL);
}

// ---- SID -----------------------------------------------------------------------------------------

static void beam_of_a_sid_file(void **state)
{
    (void)state;
    if (!is_there(SHARED("sid/Beam_3m.SID_FEM"))) {
        skip();
    }
    const lb_import_options si = lb_default_import_options();
    lb_imported *imported =
        lb_import_folder(SHARED("sid"), (const char *const[]){"Beam_3m.SID_FEM", NULL}, &si);
    const lb_flex_options *flex = lb_get_imported_options(imported);
    lb_expect_near("frequency", lb_get_body_frequency(flex, 0), 9.089, 5e-5); // four digits
    lb_expect_near("mass", flex->integrals->mass, 706.5, 1e-12);
    lb_keep_body(imported, "sid.flex");
    const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: beam, hinge: {type: free}, flex: {file: sid.flex, damping: 0}}\n";
    lb_flight flight = lb_default_flight();
    flight.duration = 0.2;
    flight.amplitude = 0.3;
    lb_fly(text, &flight, NULL);
}

static int enter(void **state)
{
    (void)state;
    return lb_enter_scratch_folder() ? 0 : -1;
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(superelements_of_nastran_make_the_whole),
        cmocka_unit_test(rotor_of_ansys),
        cmocka_unit_test(beam_of_a_sid_file),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
