// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frequencies of solids against those of CalculiX 2.20 (Debian 12). scenes/solids.c makes the meshes and their matrices,
// by element matrices of its own, so that both the matrices and the solver are compared. CalculiX computed the input
// files that are written with them, such as
//
//     make_solid . ring 16 2 2 full; ccx solid
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/import.h"
#include "scratch.h"
#include "solids.h"

static const char *const files[] = {"solid.sti", "solid.mas", "solid.dof", "solid.inp"};

// @param residual  the name of the only node, or NULL
static lb_imported *import_solid(const lb_solid_options *solid, int mode_count,
                                 const char *const *residual)
{
    int rows, last;
    assert_true(lb_write_solid(solid, ".", "solid", &rows, &last));
    const lb_named_node node = {"tip", last};
    lb_import_options options = lb_default_import_options();
    options.files = files;
    options.file_count = 4;
    options.length = 1e-3;
    options.mass = 1e3;
    options.mode_count = mode_count;
    options.nodes = &node;
    options.node_count = 1;
    options.residuals = residual;
    options.residual_count = residual != NULL;
    lb_imported *imported = NULL;
    lb_expect_ok(lb_import_files(&options, NULL, NULL, &imported));
    print_message("%d rows\n", rows);
    assert_true(rows > 1000); // the road of large matrices
    return imported;
}

static double get_square(const lb_imported *imported, int i)
{
    const lb_flex_options *flex = lb_get_imported_options(imported);
    return flex->stiffness[i * flex->mode_count + i];
}

// Squares of the angular frequencies.
static void expect_squares(const lb_solid_options *solid, int count, const double *calculix,
                           double tolerance)
{
    lb_imported *imported = import_solid(solid, count, NULL);
    for (int i = 0; i < count; ++i) {
        const double square = get_square(imported, i);
        print_message("%.9e, CalculiX %.6e: off by %.1e\n", square, calculix[i],
                      square / calculix[i] - 1);
        lb_expect_near("square", square, calculix[i], tolerance);
    }
    lb_destroy_imported(imported);
}

// Half a unit of the last of seven digits, of numbers that start with 1.
#define SEVEN_DIGITS 5.5e-7

static void a_cantilever_has_the_frequencies_of_calculix(void **state)
{
    (void)state;
    // a square section: bending comes in pairs
    const double calculix[] = {0.2801070E+08, 0.2801070E+08, 0.3771710E+09, 0.7185055E+09,
                               0.7185055E+09, 0.1163644E+10, 0.3394548E+10, 0.3779686E+10,
                               0.3779686E+10, 0.9431465E+10};
    const lb_solid_options solid = {.cells = {12, 3, 3}, .size = {240, 60, 60}, .clamped = true};
    expect_squares(&solid, 10, calculix, SEVEN_DIGITS);
}

static void a_bracket_has_the_frequencies_of_calculix(void **state)
{
    (void)state;
    const double calculix[] = {0.1090456E+09, 0.1550930E+09, 0.1016404E+10, 0.2276322E+10,
                               0.2720690E+10, 0.3049852E+10, 0.8570735E+10, 0.1050459E+11,
                               0.1088283E+11, 0.1199348E+11};
    const lb_solid_options solid = {.shape = LB_SOLID_BRACKET,
                                    .cells = {8, 8, 3},
                                    .size = {160, 160, 60},
                                    .thickness = 2,
                                    .clamped = true};
    expect_squares(&solid, 10, calculix, SEVEN_DIGITS);
}

static const lb_solid_options ring = {
    .shape = LB_SOLID_RING, .cells = {16, 2, 2}, .size = {320.0 / 6, 40, 40}};

static void a_held_ring_has_the_frequencies_of_calculix(void **state)
{
    (void)state;
    // its halves do not know of each other: everything comes in pairs
    const double calculix[] = {0.9158782E+09, 0.9158782E+09, 0.2949624E+10, 0.2949624E+10,
                               0.4002507E+10, 0.4002507E+10, 0.6369345E+10, 0.6369345E+10,
                               0.9026669E+10, 0.9026669E+10};
    lb_solid_options held = ring;
    held.clamped = true;
    expect_squares(&held, 10, calculix, SEVEN_DIGITS);
}

static void a_free_ring_has_all_of_its_pairs(void **state)
{
    (void)state;
    // CalculiX factors the singular stiffness, and its pairs differ in the seventh digit
    const double calculix[] = {0.1494713E+10, 0.1494713E+10, 0.2231496E+10, 0.2231497E+10,
                               0.5081115E+10, 0.8017962E+10, 0.8017966E+10, 0.8894492E+10,
                               0.8894500E+10, 0.1032431E+11};
    expect_squares(&ring, 10, calculix, 2e-6);
    // by the symmetry of the ring, pairs are equal
    const int pairs[] = {0, 2, 5, 7, 10};
    lb_imported *imported = import_solid(&ring, 12, NULL);
    for (int i = 0; i < 5; ++i) {
        const double a = get_square(imported, pairs[i]), b = get_square(imported, pairs[i] + 1);
        // 1e-11: coordinates in the files have twelve digits
        lb_expect_near("the other of the pair", b, a, 1e-10);
    }
    lb_destroy_imported(imported);
}

static void frequencies_that_nearly_agree_are_all_found(void **state)
{
    (void)state;
    // 60 mm by 60.00006 mm: a square that grows with the width, by 2e-6
    lb_solid_options solid = {.cells = {12, 3, 3}, .size = {240, 60, 60.00006}, .clamped = true};
    lb_imported *imported = import_solid(&solid, 5, NULL);
    lb_expect_near("bending, the weak way", get_square(imported, 0), 0.2801070E+08, 2e-6);
    lb_expect_near("bending, the strong way", get_square(imported, 1) / get_square(imported, 0) - 1,
                   1.9e-6, 0.1);
    lb_expect_near("second bending", get_square(imported, 4) / get_square(imported, 3) - 1, 1.5e-6,
                   0.3);
    lb_destroy_imported(imported);
}

static int count_calls(void *user, const char *what, double done)
{
    int *left = user;
    assert_non_null(what);
    assert_true(done >= 0 && done <= 1);
    return --*left <= 0;
}

static void an_import_ends_when_its_caller_says_so(void **state)
{
    (void)state;
    lb_solid_options solid = {.cells = {4, 2, 2}, .size = {80, 40, 40}};
    int rows, last, all = 1000;
    assert_true(lb_write_solid(&solid, ".", "solid", &rows, &last));
    const lb_named_node node = {"tip", last};
    lb_import_options options = lb_default_import_options();
    options.files = files;
    options.file_count = 4;
    options.nodes = &node;
    options.node_count = 1;
    options.progress = count_calls;
    options.user = &all;
    lb_imported *imported;
    lb_expect_ok(lb_import_files(&options, NULL, NULL, &imported));
    lb_destroy_imported(imported);
    const int calls = 1000 - all;
    print_message("%d rows, %d calls\n", rows, calls);
    assert_true(calls > 8);
    for (int stop = 1; stop <= calls; stop += 1 + calls / 10) {
        int left = stop;
        options.user = &left;
        assert_int_equal(lb_import_files(&options, NULL, NULL, &imported), LB_E_CALLBACK);
        assert_null(imported);
    }
}

// How often an import tells of each step, and after which call it is to end.
typedef struct steps {
    int left, interfaces, shapes, residuals;
} steps;

static int note_step(void *user, const char *what, double done)
{
    steps *s = user;
    assert_true(done >= 0 && done <= 1);
    s->interfaces += strcmp(what, "interfaces") == 0;
    s->shapes += strcmp(what, "shapes") == 0;
    s->residuals += strcmp(what, "residuals") == 0;
    return --s->left == 0;
}

static void static_shapes_are_told_of_and_can_be_the_last(void **state)
{
    (void)state;
    lb_solid_options solid = {.cells = {4, 2, 2}, .size = {80, 40, 40}};
    int rows, last;
    char tip[16];
    assert_true(lb_write_solid(&solid, ".", "solid", &rows, &last));
    snprintf(tip, sizeof tip, "%d", last);
    // corners of both ends and the middle of an edge: not in a line, so that they hold the brick
    const char *const nodes[] = {"1", tip, "5"};
    steps all = {.left = 1000};
    lb_import_options options = lb_default_import_options();
    options.files = files;
    options.file_count = 4;
    options.mode_count = 10;
    options.interfaces = nodes;
    options.interface_count = 3;
    options.residuals = nodes + 1;
    options.residual_count = 1;
    options.progress = note_step;
    options.user = &all;
    lb_imported *imported;
    lb_expect_ok(lb_import_files(&options, NULL, NULL, &imported));
    lb_destroy_imported(imported);
    // eight at a time: of nine degrees of freedom of the interfaces, six hold the brick; residuals node by node
    assert_int_equal(all.interfaces, 1);
    assert_int_equal(all.shapes, 2);
    assert_int_equal(all.residuals, 1);
    const int calls = 1000 - all.left;
    for (int stop = calls; stop > calls - 8; --stop) {
        steps some = {.left = stop};
        options.user = &some;
        assert_int_equal(lb_import_files(&options, NULL, NULL, &imported), LB_E_CALLBACK);
        assert_null(imported);
    }
}

// ---- flexibility -------------------------------------------------------------------------------

// Displacement of the tip under a unit force along an axis, as the report has it.
static double get_flexibility(const lb_imported *imported, char axis)
{
    char key[64];
    snprintf(key, sizeof key, "\"direction\": \"%c\", \"whole\": ", axis);
    const char *at = strstr(lb_get_import_json(imported), key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

static void flexibility_is_the_same_with_factors_of_the_stiffness_and_without(void **state)
{
    (void)state;
    // residual modes factor the stiffness; without them, the factors of the search have to do
    for (int mode_count = 4; mode_count <= 40; mode_count += 36) {
        const lb_solid_options solid = {
            .cells = {12, 3, 3}, .size = {240, 60, 60}, .clamped = true};
        const char *const tip = "tip";
        lb_imported *without = import_solid(&solid, mode_count, NULL),
                    *with = import_solid(&solid, mode_count, &tip);
        for (int d = 0; d < 3; ++d) {
            const double a = get_flexibility(without, "xyz"[d]),
                         b = get_flexibility(with, "xyz"[d]);
            print_message("%.15e %.15e\n", a, b);
            lb_expect_near("flexibility", a, b, 1e-11);
        }
        lb_destroy_imported(without);
        lb_destroy_imported(with);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_has_the_frequencies_of_calculix),
        cmocka_unit_test(a_bracket_has_the_frequencies_of_calculix),
        cmocka_unit_test(a_held_ring_has_the_frequencies_of_calculix),
        cmocka_unit_test(a_free_ring_has_all_of_its_pairs),
        cmocka_unit_test(frequencies_that_nearly_agree_are_all_found),
        cmocka_unit_test(an_import_ends_when_its_caller_says_so),
        cmocka_unit_test(static_shapes_are_told_of_and_can_be_the_last),
        cmocka_unit_test(flexibility_is_the_same_with_factors_of_the_stiffness_and_without),
    };
    return lb_enter_scratch_folder() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
