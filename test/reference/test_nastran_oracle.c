// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that Nastran wrote. They are others' files and no part of this project: they are read from the folder
// LB_FE_ORACLE_DIR, or ../shared/fe beside the source tree; where there is none the test is skipped.
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "nastran_files.h"

static char folder[1024];

static bool add_file(lb_test_import *test, const char *path)
{
    static char paths[8][2048];
    const int i = test->import.file_count;
    snprintf(paths[i], sizeof paths[i], "%s/%s", folder, path);
    return lb_add_test_file(test, paths[i]);
}

static void read_op4(lb_test_import *test, lb_nastran *data, const char *path)
{
    lb_start_test_import(test);
    *data = (lb_nastran){.import = &test->import};
    assert_true(add_file(test, path));
    assert_true(lb_is_nastran(&test->files[0]));
    const lb_status status = lb_is_op4_binary(&test->files[0])
                                 ? lb_read_op4_binary(data, &test->files[0])
                                 : lb_read_op4_text(data, &test->files[0]);
    lb_print_heard(&test->heard);
    assert_int_equal(status, LB_OK);
    assert_true(data->matrix_count > 0);
}

static void files_of_one_stem_hold_the_same_matrices(void **state)
{
    // a text file of d digits is off by half a unit of the last: 0.5 10^-d of numbers that start with 1
    static const struct {
        const char *path, *with;
        double tolerance;
    } pairs[] = {
        {"nastran/op4/double_dense_le_i64.op4", "nastran/op4/double_dense_be.op4", 0},
        {"nastran/op4/double_nonbigmat_be.op4", "nastran/op4/double_dense_be.op4", 0},
        {"nastran/op4/double_nonbigmat_le_i64.op4", "nastran/op4/double_dense_be.op4", 0},
        {"nastran/op4/double_bigmat_le.op4", "nastran/op4/double_dense_be.op4", 0},
        {"nastran/op4/double_dense_ascii.op4", "nastran/op4/double_dense_be.op4", 5.1e-10},
        {"nastran/op4/double_dense_ascii_d.op4", "nastran/op4/double_dense_ascii.op4", 0},
        {"nastran/op4/double_dense_ascii_i64.op4", "nastran/op4/double_dense_ascii.op4", 0},
        {"nastran/op4/double_bigmat_ascii.op4", "nastran/op4/double_dense_ascii.op4", 0},
        {"nastran/op4/double_nonbigmat_ascii.op4", "nastran/op4/double_dense_be.op4", 5.1e-15},
        {"nastran/op4/cd.op4", "nastran/op4/cdbin.op4", 1e-16},
        {"nastran/op4/rd.op4", "nastran/op4/rsbin.op4", 5.1e-10}, // nine digits
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        static lb_test_import tests[2];
        lb_nastran data[2];
        read_op4(&tests[0], &data[0], pairs[i].path);
        read_op4(&tests[1], &data[1], pairs[i].with);
        double worst = 0.0;
        assert_int_equal(data[0].matrix_count, data[1].matrix_count);
        for (size_t k = 0; k < data[0].matrix_count; ++k) {
            worst = fmax(worst, lb_compare_op4(&data[0].matrices[k], &data[1].matrices[k]));
        }
        printf("%-42s %zu matrices, gap %.2e\n", pairs[i].path, data[0].matrix_count, worst);
        lb_expect_below(pairs[i].path, worst, pairs[i].tolerance);
        for (int k = 0; k < 2; ++k) {
            lb_free_nastran(&data[k]);
            lb_end_test_import(&tests[k]);
        }
    }
}

static void every_op4_file_is_read(void **state)
{
    char path[2048];
    (void)state;
    snprintf(path, sizeof path, "%s/nastran/op4", folder);
    DIR *dir = opendir(path);
    const struct dirent *entry;
    int count = 0;
    while (dir && (entry = readdir(dir)) != NULL) {
        if (strstr(entry->d_name, ".op4")) {
            static lb_test_import test;
            lb_nastran data;
            snprintf(path, sizeof path, "nastran/op4/%.200s", entry->d_name);
            read_op4(&test, &data, path);
            lb_free_nastran(&data);
            lb_end_test_import(&test);
            ++count;
        }
    }
    if (dir) {
        closedir(dir);
    }
    assert_true(count >= 13);
}

// Numbers that can be read by eye in the text.
static void large_matrix_has_its_entries(void **state)
{
    static lb_test_import test;
    lb_nastran data;
    (void)state;
    read_op4(&test, &data, "nastran/op4/big_dense_ascii.op4");
    assert_int_equal(data.matrix_count, 4);
    assert_string_equal(data.matrices[0].name, "ALLZ");
    assert_int_equal(data.matrices[0].run_count, 0);
    const lb_nastran_matrix *sparse = &data.matrices[2];
    assert_int_equal(sparse->rows, 66001);
    assert_int_equal(sparse->columns, 4);
    size_t count;
    double *dense = lb_expand_op4(sparse, &count);
    assert_true(dense[4500] == 9.8 && dense[4505] == -9.8);
    assert_true(dense[66001 + 12] == 1.2 && dense[2 * 66001 + 55000] == 5.5);
    free(dense);
    lb_free_nastran(&data);
    lb_end_test_import(&test);
}

static void punched_dmig_has_its_terms(void **state)
{
    static lb_test_import test;
    (void)state;
    lb_start_test_import(&test);
    lb_nastran data = {.import = &test.import};
    assert_true(add_file(&test, "nastran/dmig/matrix_factory.pch"));
    assert_true(lb_is_nastran(&test.files[0]));
    const lb_status status = lb_read_bulk_data(&data, &test.files[0]);
    lb_print_heard(&test.heard);
    assert_int_equal(status, LB_OK);
    assert_int_equal(data.matrix_count, 4);
    // PATRN: each column has its number in all rows
    const lb_nastran_matrix *pattern = &data.matrices[0], *complex_matrix = &data.matrices[3];
    assert_string_equal(pattern->name, "PATRN");
    assert_int_equal(pattern->form, 1);
    assert_int_equal(pattern->term_count, 21 * 21);
    for (size_t i = 0; i < pattern->term_count; ++i) {
        assert_true(pattern->terms[i].re == (double)(i / 21 + 1));
    }
    assert_string_equal(data.matrices[1].name, "IDENT");
    assert_int_equal(data.matrices[1].form, 6);
    assert_int_equal(data.matrices[1].term_count, 21);
    assert_true(complex_matrix->is_complex && complex_matrix->form == 9);
    assert_int_equal(complex_matrix->term_count, 21 * 50);
    assert_true(complex_matrix->terms[1].re == 3.885200255e-1 &&
                complex_matrix->terms[1].im == 9.553809125e-1);
    lb_free_nastran(&data);
    lb_end_test_import(&test);
}

static void read_superelement(lb_test_import *test, lb_structure *structure, const char *name)
{
    static const char *const ends[] = {"pch", "op4", "asm"};
    lb_start_test_import(test);
    for (int i = 0; i < 3; ++i) {
        char path[64];
        snprintf(path, sizeof path, "nastran/extseout/%s.%s", name, ends[i]);
        assert_true(add_file(test, path));
        assert_true(lb_is_nastran(&test->files[i]));
    }
    *structure = (lb_structure){.row_count = 0};
    const lb_status status = lb_read_nastran(&test->import, structure);
    lb_print_heard(&test->heard);
    assert_int_equal(status, LB_OK);
    for (int i = 0; i < 3; ++i) {
        assert_true(test->files[i].is_used);
    }
}

static void superelements_move_rigidly_without_force(void **state)
{
    static const struct {
        const char *name;
        int rows;
        double mass;
    } parts[] = {{"outboard", 46, 1.5904}, {"inboard", 32, 0}};
    (void)state;
    for (int i = 0; i < 2; ++i) {
        static lb_test_import test;
        lb_structure structure;
        read_superelement(&test, &structure, parts[i].name);
        assert_int_equal(structure.row_count, parts[i].rows);
        assert_int_equal(structure.node_count, 4);
        assert_true(structure.is_reduced);
        double largest, mass[3];
        const double residual = lb_get_rigid_residual(&structure, &largest);
        lb_get_three_masses(&structure, mass);
        printf("%s: |K R| %.2e, |K| %.2e, mass %.10g %.10g %.10g\n", parts[i].name, residual,
               largest, mass[0], mass[1], mass[2]);
        // twelve digits of the largest stiffness; 1.4e-5 against 3.8e7 was found in another program
        lb_expect_below("stiffness of rigid motion", residual / largest, 1e-12);
        lb_expect_near("mass along y", mass[1], mass[0], 1e-9);
        lb_expect_near("mass along z", mass[2], mass[0], 1e-9);
        if (parts[i].mass > 0) {
            lb_expect_near("mass", mass[0], parts[i].mass, 1e-4);
        }
        for (int k = 0; k < structure.recovery_count; ++k) {
            const lb_fe_recovery *recovery = &structure.recovery[k];
            printf("  %s: %d rows, first %s, last %s\n", recovery->name, recovery->rows,
                   recovery->what[0], recovery->what[recovery->rows - 1]);
        }
        lb_free_structure(&structure);
        lb_end_test_import(&test);
    }
}

// MUG1 of the outboard part begins with the displacements of grid 3, which is a boundary grid.
static void recovery_of_a_boundary_grid_is_unity(void **state)
{
    static lb_test_import test;
    lb_structure structure;
    (void)state;
    read_superelement(&test, &structure, "outboard");
    assert_int_equal(structure.recovery_count, 2);
    const lb_fe_recovery *MUG1 = &structure.recovery[0];
    assert_string_equal(MUG1->name, "MUG1");
    assert_int_equal(MUG1->rows, 42);
    assert_string_equal(MUG1->what[0], "grid 3 T1");
    assert_string_equal(MUG1->what[23], "grid 27 R3");
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < structure.row_count; ++k) {
            assert_true(fabs(MUG1->A[i * structure.row_count + k] - (i == k)) < 1e-12);
        }
    }
    assert_string_equal(structure.recovery[1].name, "MEF1");
    assert_int_equal(structure.recovery[1].rows, 24);
    assert_string_equal(structure.recovery[1].what[23], "element 7 (type 34) force 8");
    lb_free_structure(&structure);
    lb_end_test_import(&test);
}

// Rows of the inboard part are joined to those of the same grid and direction of the outboard part; others follow.
static int join_rows(const lb_structure *outboard, const lb_structure *inboard, int *joined)
{
    int count = outboard->row_count;
    for (int i = 0; i < inboard->row_count; ++i) {
        const lb_fe_row *row = &inboard->rows[i];
        joined[i] = -1;
        for (int k = 0; k < outboard->row_count && row->node != LB_FE_MODAL; ++k) {
            const lb_fe_row *other = &outboard->rows[k];
            if (other->node != LB_FE_MODAL && other->direction == row->direction &&
                outboard->nodes[other->node].id == inboard->nodes[row->node].id) {
                joined[i] = k;
            }
        }
        joined[i] = joined[i] < 0 ? count++ : joined[i];
    }
    return count;
}

static void add_matrix(const lb_fe_entries *entries, const int *map, int size, double *A)
{
    for (size_t i = 0; i < entries->count; ++i) {
        const lb_fe_entry *entry = &entries->all[i];
        const int row = map ? map[entry->row] : entry->row;
        const int column = map ? map[entry->column] : entry->column;
        A[row * size + column] += entry->value;
    }
}

// Frequencies of the whole model as Nastran computed them without reduction, from the README of the folder.
static void joined_superelements_have_the_frequencies_of_the_whole(void **state)
{
    static const double expected[] = {1.698800, 1.767487, 1.857720, 3.419612,
                                      7.024210, 7.025409, 10.72361, 10.98255};
    enum { EXPECTED = sizeof expected / sizeof *expected, RIGID = 6 };
    static lb_test_import tests[2];
    lb_structure parts[2];
    int joined[128];
    (void)state;
    read_superelement(&tests[0], &parts[0], "outboard");
    read_superelement(&tests[1], &parts[1], "inboard");
    const int n = join_rows(&parts[0], &parts[1], joined);
    assert_int_equal(n, 46 + 32 - 24);
    double *K = calloc((size_t)(n * n), sizeof *K), *M = calloc((size_t)(n * n), sizeof *M);
    double *squares = calloc((size_t)n, sizeof *squares);
    assert_true(K && M && squares);
    add_matrix(&parts[0].K, NULL, n, K);
    add_matrix(&parts[1].K, joined, n, K);
    add_matrix(&parts[0].M, NULL, n, M);
    add_matrix(&parts[1].M, joined, n, M);
    assert_int_equal(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', n, K, n, M, n, squares), 0);
    for (int i = 0; i < EXPECTED; ++i) {
        const double f = sqrt(squares[RIGID + i]) / (2 * 3.14159265358979323846);
        printf("mode %d: %.7g Hz, Nastran %.7g\n", RIGID + 1 + i, f, expected[i]);
        // 6e-7: seven digits, and what the reduction leaves out
        lb_expect_near("frequency", f, expected[i], 6e-7);
    }
    free(K);
    free(M);
    free(squares);
    for (int i = 0; i < 2; ++i) {
        lb_free_structure(&parts[i]);
        lb_end_test_import(&tests[i]);
    }
}

static void two_superelements_are_refused_by_number(void **state)
{
    static const char *const names[] = {"inboard.pch", "inboard.op4", "outboard.pch",
                                        "outboard.op4"};
    static lb_test_import test;
    lb_structure structure = {.row_count = 0};
    (void)state;
    lb_start_test_import(&test);
    for (int i = 0; i < 4; ++i) {
        char path[64];
        snprintf(path, sizeof path, "nastran/extseout/%s", names[i]);
        assert_true(add_file(&test, path));
    }
    assert_int_equal(lb_read_nastran(&test.import, &structure), LB_E_SYNTAX);
    assert_int_equal(test.heard.error_count, 1);
    assert_non_null(strstr(test.heard.entries[0].message, "superelement 101"));
    assert_non_null(strstr(test.heard.entries[0].message, "superelement 102"));
    lb_free_structure(&structure);
    lb_end_test_import(&test);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_one_stem_hold_the_same_matrices),
        cmocka_unit_test(every_op4_file_is_read),
        cmocka_unit_test(large_matrix_has_its_entries),
        cmocka_unit_test(punched_dmig_has_its_terms),
        cmocka_unit_test(superelements_move_rigidly_without_force),
        cmocka_unit_test(recovery_of_a_boundary_grid_is_unity),
        cmocka_unit_test(joined_superelements_have_the_frequencies_of_the_whole),
        cmocka_unit_test(two_superelements_are_refused_by_number),
    };
    const char *given = getenv("LB_FE_ORACLE_DIR");
    snprintf(folder, sizeof folder, "%s", given ? given : lb_find_source("../shared/fe"));
    char path[2048];
    snprintf(path, sizeof path, "%s/nastran/op4", folder);
    DIR *dir = opendir(path);
    if (!dir) {
        fprintf(stderr, "no folder %s%s\n", path, given ? "" : ": skipped");
        return given ? 1 : 77;
    }
    closedir(dir);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
