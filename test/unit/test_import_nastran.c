// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Nastran's files: matrices in every dialect, bulk data in every form of fields, and what is said about mistakes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "nastran_files.h"

#define DATA(name) lb_find_source("test/data/fe/nastran/%s", name)

static const char *const dialects[] = {
    "dense_text.op4",       "bigmat_text_wide.op4",
    "nonbigmat_text_d.op4", "nonbigmat_text_single.op4",
    "dense_be.op4",         "dense_le_64.op4",
    "bigmat_le.op4",        "bigmat_be_64.op4",
    "nonbigmat_be.op4",     "nonbigmat_le_single.op4",
};
enum { DIALECTS = sizeof dialects / sizeof *dialects };

// Half a unit of the last digit of the file: of its text, or of a float.
static double get_precision(const char *path)
{
    return strstr(path, "le_single") ? 6e-8 : strstr(path, "text_d") ? 5.1e-10 : 0.0;
}

static lb_status read_matrices(lb_nastran *data)
{
    const lb_import_file *file = &data->import->files[0];
    return lb_is_op4_binary(file) ? lb_read_op4_binary(data, file)
           : lb_is_op4_text(file) ? lb_read_op4_text(data, file)
                                  : lb_read_bulk_data(data, file);
}

static void dialects_hold_the_same_matrices(void **state)
{
    static lb_test_import first, test;
    (void)state;
    lb_start_test_import(&first);
    lb_nastran reference = {.import = &first.import};
    assert_true(lb_add_test_file(&first, DATA("dense_be.op4")));
    lb_expect_ok(read_matrices(&reference));
    assert_int_equal(reference.matrix_count, 5);
    assert_string_equal(reference.matrices[0].name, "KXX");
    assert_true(reference.matrices[4].is_complex);
    for (int i = 0; i < DIALECTS; ++i) {
        lb_start_test_import(&test);
        lb_nastran data = {.import = &test.import};
        assert_true(lb_add_test_file(&test, DATA(dialects[i])));
        assert_true(lb_is_nastran(&test.files[0]));
        lb_expect_ok(read_matrices(&data));
        assert_int_equal(data.matrix_count, 5);
        for (size_t k = 0; k < 5; ++k) {
            lb_expect_below(dialects[i], lb_compare_op4(&data.matrices[k], &reference.matrices[k]),
                            get_precision(dialects[i]));
        }
        lb_free_nastran(&data);
        lb_end_test_import(&test);
    }
    lb_free_nastran(&reference);
    lb_end_test_import(&first);
}

// ---- structures --------------------------------------------------------------------------------

static void read_structure(lb_test_import *test, lb_structure *structure)
{
    *structure = (lb_structure){.row_count = 0};
    const lb_status status = lb_read_nastran(&test->import, structure);
    if (status) {
        lb_print_heard(&test->heard);
    }
    assert_int_equal(status, LB_OK);
}

static void free_structure(lb_test_import *test, lb_structure *structure)
{
    lb_free_structure(structure);
    lb_end_test_import(test);
}

static void superelement_moves_rigidly_without_force(void **state)
{
    (void)state;
    for (int i = 0; i < DIALECTS; ++i) {
        static lb_test_import test;
        lb_structure structure;
        lb_start_test_import(&test);
        assert_true(lb_add_test_file(&test, DATA("se.asm")));
        assert_true(lb_add_test_file(&test, DATA(dialects[i])));
        assert_true(lb_add_test_file(&test, DATA("se.pch")));
        read_structure(&test, &structure);
        assert_int_equal(test.heard.count, 0);
        assert_string_equal(structure.format, "Nastran superelement");
        assert_int_equal(structure.node_count, 3);
        assert_int_equal(structure.row_count, 20);
        assert_true(structure.is_reduced);
        assert_int_equal(structure.C.count, 0);
        // rows in the order of EXTRN: 12, 11, 101, 13, 102
        assert_int_equal(structure.nodes[structure.rows[5].node].id, 12);
        assert_int_equal(structure.rows[5].direction, 5);
        assert_int_equal(structure.nodes[structure.rows[6].node].id, 11);
        assert_int_equal(structure.rows[12].node, LB_FE_MODAL);
        assert_int_equal(structure.nodes[structure.rows[13].node].id, 13);
        assert_int_equal(structure.rows[19].node, LB_FE_MODAL);
        double largest, mass[3];
        const double residual = lb_get_rigid_residual(&structure, &largest);
        // positions of about three, twenty terms of K each with the rounding of the file
        lb_expect_below("rigid motion", residual / largest,
                        20 * get_precision(dialects[i]) + 1e-14);
        lb_get_three_masses(&structure, mass);
        for (int k = 0; k < 3; ++k) {
            lb_expect_near("mass", mass[k], 6.0, 1e-13);
        }
        assert_int_equal(structure.recovery_count, 1);
        const lb_fe_recovery *recovery = &structure.recovery[0];
        assert_string_equal(recovery->name, "MUG1");
        assert_int_equal(recovery->rows, 9);
        assert_true(recovery->A[0 * 20 + 6] == 1.0 && recovery->A[8 * 20 + 19] == -0.5);
        assert_string_equal(recovery->what[5], "grid 11 R3");
        assert_string_equal(recovery->what[6], "point 101 1");
        free_structure(&test, &structure);
    }
}

// Rows of a DMIG are sorted by point; those of the superelement are in the order of EXTRN.
static int find_row(const lb_structure *structure, const lb_structure *other, int index)
{
    const lb_fe_row *row = &other->rows[index];
    int modal = 0;
    for (int i = 0; i < index; ++i) {
        modal += other->rows[i].node == LB_FE_MODAL;
    }
    for (int i = 0; i < structure->row_count; ++i) {
        const lb_fe_row *mine = &structure->rows[i];
        if (mine->node == LB_FE_MODAL
                ? row->node == LB_FE_MODAL && modal-- == 0
                : row->node != LB_FE_MODAL && mine->direction == row->direction &&
                      structure->nodes[mine->node].id == other->nodes[row->node].id) {
            return i;
        }
    }
    fail_msg("no such row");
    return -1;
}

static void dmig_in_all_forms_of_fields_is_the_same(void **state)
{
    const struct {
        const char *path;
        double precision; // of the field: 4, 10 or all digits behind the first
    } files[] = {{DATA("dmig_small.pch"), 5.1e-4},
                 {DATA("dmig_large.pch"), 5.1e-11},
                 {DATA("dmig_free.pch"), 0}};
    static lb_test_import first, test;
    lb_structure reference, structure;
    (void)state;
    lb_start_test_import(&first);
    assert_true(lb_add_test_file(&first, DATA("dense_be.op4")));
    assert_true(lb_add_test_file(&first, DATA("se.pch")));
    read_structure(&first, &reference);
    double *K0 = lb_expand_entries(&reference, &reference.K);
    double *M0 = lb_expand_entries(&reference, &reference.M);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        lb_start_test_import(&test);
        assert_true(lb_add_test_file(&test, files[i].path));
        assert_true(lb_is_nastran(&test.files[0]));
        read_structure(&test, &structure);
        assert_int_equal(structure.row_count, 20);
        assert_int_equal(structure.K.part, LB_FE_HALF);
        assert_true(structure.is_reduced);
        double *K = lb_expand_entries(&structure, &structure.K);
        double *M = lb_expand_entries(&structure, &structure.M);
        for (int a = 0; a < 20; ++a) {
            for (int b = 0; b < 20; ++b) {
                const int p = find_row(&structure, &reference, a),
                          q = find_row(&structure, &reference, b);
                const double k = K0[a * 20 + b], m = M0[a * 20 + b];
                assert_true(fabs(K[p * 20 + q] - k) <= files[i].precision * fabs(k));
                assert_true(fabs(M[p * 20 + q] - m) <= files[i].precision * fabs(m));
            }
        }
        free(K);
        free(M);
        free_structure(&test, &structure);
    }
    free(K0);
    free(M0);
    free_structure(&first, &reference);
}

// ---- bulk data in a few lines ------------------------------------------------------------------

static void read_text(lb_test_import *test, lb_structure *structure, const char *text)
{
    lb_start_test_import(test);
    lb_add_test_text(test, "text", text, strlen(text));
    assert_true(lb_is_nastran(&test->files[0]));
    read_structure(test, structure);
}

static void expect_vector(const double x[3], double a, double b, double c)
{
    const double expected[] = {a, b, c};
    lb_expect_within("vector", x, expected, 3, 1e-14);
}

static void expect_axes(const lb_fe_grid *node, int axis, double a, double b, double c)
{
    const double column[] = {node->axes[0][axis], node->axes[1][axis], node->axes[2][axis]};
    expect_vector(column, a, b, c);
}

static void plain_matrices_are_not_reduced(void **state)
{
    static lb_test_import test;
    lb_structure structure;
    (void)state;
    read_text(&test, &structure,
              "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\n"
              "DMIG,K,0,6,2,0\nDMIG,M,0,6,1,0\n"
              "DMIG,K,1,1,,1,1,5.\nDMIG,K,2,1,,1,1,-5.\n,2,1,5.\n"
              "DMIG,M,1,1,,1,1,2.\nDMIG,M,2,1,,2,1,3.\n");
    assert_false(structure.is_reduced);
    assert_string_equal(structure.format, "Nastran DMIG matrices");
    assert_int_equal(structure.row_count, 2);
    double *K = lb_expand_entries(&structure, &structure.K);
    assert_true(K[0] == 5 && K[1] == -5 && K[2] == -5 && K[3] == 5);
    free(K);
    free_structure(&test, &structure);
}

// Hand values: a point at (0, 2, 3) in cylindrical, at (0, 2, 0) in spherical coordinates.
static void coordinate_systems_place_and_turn_grids(void **state)
{
    static lb_test_import test;
    lb_structure structure;
    (void)state;
    read_text(&test, &structure,
              "$ a comment\n"
              "CORD2C,1,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n"
              "CORD2S,2,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n"
              "cord2r,3,4,0.,0.,0.,0.,0.,1.\n,0.,1.,0. $ turned by 90 degrees about z\n"
              "CORD2R,4,,10.,0.,0.,10.,0.,1.\n,11.,0.,0.\n"
              "CORD1R,5,21,22,23,6,21,23,22\n"
              "GRDSET,,4,,,,3\n"
              "GRID,11,1,2.,90.,3.,1\n"
              "GRID,12,2,2.,90.,90.,2\n"
              "GRID,13,3,1.,2.,3.,0\n"
              "GRID,14,0,1.,2.,3.,5\n"
              "GRID,15,,1.,2.,3.\n"
              "GRID,21,0,0.,0.,0.,0\nGRID,22,0,0.,2.,0.,0\nGRID,23,0,0.,0.,7.,0\n"
              "GRID,31,1,0.,0.,3.,1\n"
              "DMIG,K,0,6,2,0\nDMIG,M,0,6,1,0\nDMIG,K,11,1,,11,1,5.\nDMIG,M,11,1,,11,1,2.\n");
    const lb_fe_grid *nodes = structure.nodes;
    expect_vector(nodes[0].x, 0, 2, 3);
    expect_axes(&nodes[0], 0, 0, 1, 0);
    expect_axes(&nodes[0], 1, -1, 0, 0);
    expect_axes(&nodes[0], 2, 0, 0, 1);
    expect_vector(nodes[1].x, 0, 2, 0);
    expect_axes(&nodes[1], 0, 0, 1, 0);
    expect_axes(&nodes[1], 1, 0, 0, -1);
    expect_axes(&nodes[1], 2, -1, 0, 0);
    // system 3: x is the y of system 4, y its -x
    expect_vector(nodes[2].x, 10 - 2, 1, 3);
    expect_axes(&nodes[2], 0, 1, 0, 0);
    // system 5: z along y of the model, x along its z, y = z cross x along its x
    expect_axes(&nodes[3], 2, 0, 1, 0);
    expect_axes(&nodes[3], 0, 0, 0, 1);
    expect_axes(&nodes[3], 1, 1, 0, 0);
    // what GRDSET says
    expect_vector(nodes[4].x, 11, 2, 3);
    expect_axes(&nodes[4], 0, 0, 1, 0);
    // on the axis
    assert_int_equal(nodes[8].id, 31);
    expect_axes(&nodes[8], 0, 1, 0, 0);
    assert_int_equal(test.heard.count, 1);
    assert_non_null(strstr(test.heard.entries[0].message, "grid 31 is on the axis"));
    free_structure(&test, &structure);
}

static void fields_may_touch_and_have_tabs_and_marks(void **state)
{
    static lb_test_import test;
    lb_structure structure;
    (void)state;
    read_text(&test, &structure,
              "SOL 103\nCEND\nTITLE = GRID,1\n  SPC = 1\nBEGIN BULK\n"
              "DEFORM,4,101,.05\n=,=,107,= $ of no concern\n"
              "GRID\t1\t\t1.\t2.\t3.\n"
              "GRID           2        11111.1122222.2233333.33\n"
              "GRID   *               3                1.23456789012+102.23456789012-10*G3\n"
              "*G3     3.23456789012D02\n"
              "DMIG    K              0       6       2       0\n"
              "DMIG    M              0       6       2       0\n"
              "DMIG*   K                              1               1\n"
              "*                      1               1 5.000000000D+00\n"
              "*                      2               3-5.000000000E+00   \n"
              "DMIG    K              2       3               2       3      5.        +M1\n"
              "+M1            3       1    7.-1\n"
              "DMIG    M              1       1               1       1     2.0\n"
              "DMIG,M,2,3,,2,3,2.,,+X\n+X,3,1,4.\n"
              "DMIG,K,3,1,,3,1,9.\nDMIG,M,3,1,,3,1,9.\n"
              "ENDDATA\nthis is not read\n");
    assert_int_equal(structure.node_count, 3);
    expect_vector(structure.nodes[0].x, 1, 2, 3);
    assert_true(structure.nodes[1].x[0] == 11111.11 && structure.nodes[1].x[2] == 33333.33);
    assert_true(structure.nodes[2].x[0] == 1.23456789012e10 &&
                structure.nodes[2].x[1] == 2.23456789012e-10 &&
                structure.nodes[2].x[2] == 323.456789012);
    assert_int_equal(structure.row_count, 3);
    double *K = lb_expand_entries(&structure, &structure.K);
    assert_true(K[0] == 5 && K[1] == -5 && K[4] == 5 && K[5] == 0.7 && K[8] == 9);
    free(K);
    free_structure(&test, &structure);
}

// A text OUTPUT4 file with two by two matrices of these names.
#define TWO_BY_TWO(K, M)                                                                           \
    "       2       2       6       2" K "1P,3E23.16\n"                                            \
    "       1       1       2\n 5.0000000000000000E+00-5.0000000000000000E+00\n"                   \
    "       2       1       2\n-5.0000000000000000E+00 5.0000000000000000E+00\n"                   \
    "       3       1       1\n 1.0000000000000000E+00\n"                                          \
    "       2       2       6       2" M "   3e23.16\n"                                            \
    "       1       1       1\n 2.0000000000000000E+00\n"                                          \
    "       2       2       1\n 3.0000000000000000E+00\n"                                          \
    "       3       1       1\n 1.0000000000000000E+00\n"

static void read_two(lb_test_import *test, lb_structure *structure, const char *op4,
                     const char *bulk)
{
    lb_start_test_import(test);
    lb_add_test_text(test, "a.op4", op4, strlen(op4));
    lb_add_test_text(test, "a.pch", bulk, strlen(bulk));
    read_structure(test, structure);
}

static void rows_without_extrn_come_from_sets(void **state)
{
    static lb_test_import test;
    lb_structure structure;
    (void)state;
    // the scalar point has the smaller number, and comes first
    read_two(&test, &structure, TWO_BY_TWO("KAA     ", "MAA     "),
             "GRID,7,,1.,2.,3.\nSPOINT,5\nASET1,2,1,THRU,9\nQSET,5,0\n");
    assert_int_equal(structure.rows[0].node, LB_FE_MODAL);
    assert_int_equal(structure.rows[1].node, 0);
    assert_int_equal(structure.rows[1].direction, 1);
    assert_true(structure.is_reduced);
    assert_int_equal(test.heard.count, 1);
    assert_non_null(strstr(test.heard.entries[0].message, "no EXTRN"));
    free_structure(&test, &structure);
}

static void components_of_qset_are_modal(void **state)
{
    static lb_test_import test;
    lb_structure structure;
    (void)state;
    read_two(&test, &structure, TWO_BY_TWO("KXX     ", "MXX     "),
             "GRID,7,,1.,2.,3.\nGRID,8\nEXTRN,8,3,7,1\nQSET1,123,8\n");
    assert_int_equal(structure.rows[0].node, LB_FE_MODAL);
    assert_int_equal(structure.rows[1].node, 0);
    free_structure(&test, &structure);
}

static void names_with_any_label_are_found(void **state)
{
    static lb_test_import test;
    lb_structure structure;
    (void)state;
    read_two(&test, &structure, TWO_BY_TWO("KPANEL  ", "MPANEL  "),
             "GRID,7,,1.,2.,3.\nGRID,8\nEXTRN,8,3,7,1\n");
    assert_int_equal(structure.K.count, 4);
    assert_int_equal(structure.M.count, 2);
    free_structure(&test, &structure);
}

// MSC's names, with matrices for the assembly beside them.
static void damping_is_read_and_structural_damping_is_named(void **state)
{
    static lb_test_import test;
    lb_structure structure;
    (void)state;
    read_two(&test, &structure,
             TWO_BY_TWO("KASMX   ", "MASMX   ") TWO_BY_TWO("KAA     ", "MAA     ")
                 TWO_BY_TWO("BXX     ", "K4XX    "),
             "GRID,7,,1.,2.,3.\nGRID,8\nEXTRN,8,3,7,1\n");
    assert_int_equal(structure.K.count, 4);
    assert_int_equal(structure.C.count, 4);
    double *C = lb_expand_entries(&structure, &structure.C);
    assert_true(C[0] == 5 && C[1] == -5 && C[3] == 5);
    free(C);
    assert_int_equal(test.heard.count, 1);
    assert_non_null(strstr(test.heard.entries[0].message, "structural damping (matrix K4XX)"));
    free_structure(&test, &structure);
}

// 2 at 30 degrees, and 1 + 3i.
static void complex_terms_may_be_amplitudes_and_phases(void **state)
{
    static const char text[] = "DMIG,A,0,1,4,0,1\nDMIG,A,1,1,,1,1,2.,30.\n"
                               "DMIG,B,0,1,3,0\nDMIG,B,1,1,,1,1,1.,3.\n";
    static lb_test_import test;
    (void)state;
    lb_start_test_import(&test);
    lb_nastran data = {.import = &test.import};
    lb_add_test_text(&test, "text", text, strlen(text));
    lb_expect_ok(lb_read_bulk_data(&data, &test.files[0]));
    assert_int_equal(data.matrix_count, 2);
    lb_expect_near("real part", data.matrices[0].terms[0].re, sqrt(3.0), 1e-15);
    lb_expect_near("imaginary part", data.matrices[0].terms[0].im, 1.0, 1e-15);
    assert_true(data.matrices[1].terms[0].re == 1 && data.matrices[1].terms[0].im == 3);
    lb_free_nastran(&data);
    lb_end_test_import(&test);
}

// Two springs along x: other components of the grids have neither stiffness nor mass.
static void rows_without_stiffness_and_mass_are_left_out(void **state)
{
    static lb_test_import test;
    lb_structure structure;
    (void)state;
    read_two(&test, &structure,
             "      12      12       6       2KGG     1P,7E10.3\n"
             "       1       1       7\n"
             " 5.000E+00 0.000E+00 0.000E+00 0.000E+00 0.000E+00 0.000E+00-5.000E+00\n"
             "       7       1       7\n"
             "-5.000E+00 0.000E+00 0.000E+00 0.000E+00 0.000E+00 0.000E+00 5.000E+00\n"
             "      13       1       1\n 1.000E+00\n"
             "      12      12       6       2MGG     1P,7E10.3\n"
             "       1       1       1\n 2.000E+00\n"
             "       7       7       1\n 3.000E+00\n"
             "      13       1       1\n 1.000E+00\n",
             "GRID,1,,0.\nGRID,2,,1.\n");
    assert_int_equal(structure.row_count, 2);
    assert_int_equal(structure.rows[1].node, 1);
    assert_int_equal(structure.rows[1].direction, 0);
    assert_false(structure.is_reduced);
    double *K = lb_expand_entries(&structure, &structure.K);
    double *M = lb_expand_entries(&structure, &structure.M);
    assert_true(K[0] == 5 && K[1] == -5 && K[2] == -5 && K[3] == 5 && M[0] == 2 && M[3] == 3);
    free(K);
    free(M);
    assert_int_equal(test.heard.count, 2);
    assert_non_null(strstr(test.heard.entries[1].message, "10 of 12 rows have neither"));
    free_structure(&test, &structure);
}

// ---- mistakes ----------------------------------------------------------------------------------

#define GRIDS "GRID,1\nGRID,2,,1.\n"
#define HEADERS "DMIG,K,0,6,2,0\nDMIG,M,0,6,2,0\n"
#define TERMS "DMIG,K,1,1,,1,1,5.\nDMIG,M,1,1,,1,1,2.\n"

static void mistakes_are_named(void **state)
{
    static const struct {
        const char *op4, *bulk, *message;
        int line;
    } cases[] = {
        // OUTPUT4
        {"       2       2       6       2KXX     1P,3E23.16\n       1       1       2\n", GRIDS,
         "ends in the middle of matrix KXX", 2},
        {"       2       2       6       2KXX     1P,3E23.16\n       1       1       2\n"
         " 5.0000000000000000E+00\n",
         GRIDS, "ends before number 2", 3},
        {"       2       2       6       2KXX     1P,3E23.16\n       1       1       1\n"
         " nan\n",
         GRIDS, "\"nan\" is not a number", 3},
        {"       2       2       6       2KXX     1P,3E23.16\n       1       2       2\n"
         " 5.0000000000000000E+00 5.0000000000000000E+00\n",
         GRIDS, "cannot have 2 numbers in column 1 from row 2 on", 2},
        {"       2       2       6       2KXX     1P,3E23.16\n       1       0       3\n  327681\n",
         GRIDS, "a string of 4 words does not fit", 3},
        {"       2       2       6       2KXX     1P,3E23.16\n       x       1       1\n", GRIDS,
         "3 whole numbers expected", 2},
        {"       2       2       6       2KXX     1P,3E23.16\n       2       1       1\n"
         " 5.0000000000000000E+00\n       1       1       1\n 5.0000000000000000E+00\n",
         GRIDS, "must ascend", 4},
        {"       2       2       6       2KXX     1P,3E23.16\n       3       1       1\n "
         "1.0\nrest\n",
         GRIDS, "the header of an OUTPUT4 matrix was expected", 4},
        {TWO_BY_TWO("KXX     ", "XXX     "), GRIDS, "stiffness and mass are not both there", 0},
        {TWO_BY_TWO("KXX     ", "MXX     "), "$ GRID\nSPOINT,1,2\n", "no GRID entries", 0},
        {TWO_BY_TWO("KXX     ", "MXX     "), GRIDS "EXTRN,1,123\n",
         "matrix KXX has 2 rows, but the EXTRN entry in a.pch lists 3", 1},
        {TWO_BY_TWO("KXX     ", "MXX     "), GRIDS "EXTRN,1,1,1,1\n", "is there twice", 3},
        {TWO_BY_TWO("KXX     ", "MXX     "), GRIDS "EXTRN,1,1,3,1\n", "point 3 has no GRID entry",
         3},
        {TWO_BY_TWO("KXX     ", "MXX     "), GRIDS "EXTRN,1,1,2,0\n", "needs a component", 3},
        {TWO_BY_TWO("KXX     ", "MXX     "), GRIDS,
         "matrix KXX has 2 rows, but the GRID and SPOINT entries have 12", 1},
        {TWO_BY_TWO("KAA     ", "MAA     "), GRIDS "SPOINT,1,THRU,99999999\nASET1,1,1,2\n",
         "matrix KAA has 2 rows", 1},
        {TWO_BY_TWO("KAA     ", "MAA     "), GRIDS "ASET1,1,1,2\nSEQGP,1,5\n", "SEQGP", 0},
        {TWO_BY_TWO("KXX     ", "MXX     ") TWO_BY_TWO("KXX     ", "MXX     "), GRIDS,
         "matrix KXX is twice in this file: several superelements; write one file each", 15},
        {TWO_BY_TWO("KA      ", "MA      ") TWO_BY_TWO("KB      ", "MB      "), GRIDS,
         "several matrices of stiffness", 0},
        {"       1       1       6       2KXX     1P,3E23.16\n       2       1       1\n 1.0\n"
         "       1       1       6       2MXX     1P,3E23.16\n       2       1       1\n 1.0\n",
         GRIDS, "matrix KXX is empty", 1},
        {"       1       1       6       4KXX     1P,3E23.16\n       1       1       2\n"
         " 1.0000000000000000E+00 1.0000000000000000E+00\n       2       1       1\n 1.0\n"
         "       1       1       6       2MXX     1P,3E23.16\n       2       1       1\n 1.0\n",
         GRIDS, "matrix KXX is complex", 1},
        // bulk data
        {"", GRIDS "INCLUDE 'more.bdf'\n", "INCLUDE is not followed", 3},
        {"", "GRID,1,5\n" HEADERS TERMS, "position (CP) in coordinate system 5", 1},
        {"", "GRID,1,,,,,5\n" HEADERS TERMS, "displacements (CD) in coordinate system 5", 1},
        {"", "GRID,1\nGRID,1,,2.\n" HEADERS TERMS, "GRID 1 differs", 2},
        {"", "GRID,x\n", "data field 1 is \"x\"", 1},
        {"", "GRID,1,,1.0.0\n", "data field 3 is \"1.0.0\"", 1},
        {"", "GRID,1,,0.,0.,0.,-1\n", "data field 6 is \"-1\"", 1},
        {"",
         "GRID,1,5\nCORD2R,5,6,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n"
         "CORD2R,6,5,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n" HEADERS TERMS,
         "refers to itself", 2},
        {"", "GRID,1,5\nCORD1R,5,1,2,3\nGRID,2\nGRID,3\n" HEADERS TERMS, "refers to itself", 2},
        {"", "GRID,1,5\nCORD1R,5,2,3,4\nGRID,2\nGRID,3,,1.\n" HEADERS TERMS,
         "grid 4, which has no GRID entry", 2},
        {"", "GRID,1,5\nCORD2R,5,,0.,0.,0.,0.,0.,1.\n,0.,0.,3.\n" HEADERS TERMS, "lie on a line",
         2},
        {"", "GRID,1,5\nCORD2R,5,7,0.,0.,0.,0.,0.,1.\n,1.,0.,3.\n" HEADERS TERMS,
         "refers to system 7", 2},
        {"", "CORD2R,5,,0.\nCORD2R,5,,1.\n" GRIDS HEADERS TERMS, "coordinate system 5 differs", 2},
        {"", "SPOINT,5,THRU,4\n", "5 THRU 4", 1},
        {"", "EXTRN,5,17\n", "components, digits from 1 to 6", 1},
        {"", "EXTRN,5,11\n", "components, digits from 1 to 6", 1},
        {"", "SEBULK,5\nBEGIN SUPER = 6\n", "superelement 6 here, and superelement 5 in a.pch", 2},
        {"", "BEGIN SUPER\nGRID,1\n", "number of the superelement", 1},
        {"", "GRID,1,2,3,4,5,6,7,8,9,10\n", "8 data fields at most", 1},
        {"",
         "GRID           1              1.                                        +A\n"
         "+B             1\n",
         "this line continues \"B\"", 2},
        {"", "        1\nGRID,1\n", "there is none before it", 1},
        {"", "GRID,1\n=,*(1),==\n=(5)\n", "repeat the entry before them", 2},
        {"", GRIDS TERMS, "no header", 3},
        {"", GRIDS HEADERS HEADERS, "DMIG K has a second header", 5},
        {"", GRIDS HEADERS "DMIG,K,1,1,,1,7,5.\n", "a component is 1 to 6", 5},
        {"", GRIDS HEADERS "DMIG,K,1,1,,1,1,5.,1.\n", "imaginary part", 5},
        {"", GRIDS "DMIG,K,0,7,2,0\n", "form 7", 3},
        {"", GRIDS "DMIG,K,0,9,2,0\nDMIG,M,0,6,2,0\n" TERMS, "matrix K (form 9) is not square", 3},
        {"", GRIDS "DMIG,K,0,6,4,0\nDMIG,M,0,6,2,0\n" TERMS, "matrix K is complex", 3},
        {"", "EXTRN,1,2\n" GRIDS HEADERS TERMS,
         "component 1 of point 1, which is not among the rows", 6},
        {"", GRIDS, "stiffness and mass are not both there (found: no matrix; a bulk file has none",
         0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        static lb_test_import test;
        lb_structure structure = {.row_count = 0};
        lb_start_test_import(&test);
        if (*cases[i].op4) {
            lb_add_test_text(&test, "a.op4", cases[i].op4, strlen(cases[i].op4));
        }
        lb_add_test_text(&test, "a.pch", cases[i].bulk, strlen(cases[i].bulk));
        const lb_status status = lb_read_nastran(&test.import, &structure);
        const lb_heard_entry *entry = &test.heard.entries[test.heard.count - 1];
        if (status != LB_E_SYNTAX || test.heard.error_count != 1 ||
            !strstr(entry->message, cases[i].message) || entry->line != cases[i].line) {
            lb_print_heard(&test.heard);
            fail_msg("%d: \"%s\" expected in line %d", status, cases[i].message, cases[i].line);
        }
        free_structure(&test, &structure);
    }
}

// Every beginning of a binary file is a file that was cut off, apart from those that end with a matrix.
static void binary_files_that_were_cut_off_are_refused(void **state)
{
    static lb_test_import whole;
    (void)state;
    lb_start_test_import(&whole);
    assert_true(lb_add_test_file(&whole, DATA("nonbigmat_be.op4")));
    int whole_count = 0;
    for (size_t length = 0; length < whole.files[0].length; ++length) {
        static lb_test_import test;
        lb_start_test_import(&test);
        lb_nastran data = {.import = &test.import};
        lb_add_test_text(&test, "cut.op4", whole.files[0].text, length);
        const lb_status status = lb_read_op4_binary(&data, &test.files[0]);
        if (status == LB_OK) {
            ++whole_count;
        } else {
            assert_int_equal(status, LB_E_SYNTAX);
            assert_int_equal(test.heard.error_count, 1);
            assert_non_null(strstr(test.heard.entries[0].message, "record"));
        }
        lb_free_nastran(&data);
        lb_end_test_import(&test);
    }
    assert_int_equal(whole_count, 4);
    lb_end_test_import(&whole);
}

static void other_files_are_not_nastran(void **state)
{
    static const char *const texts[] = {
        "",
        "1 1 5.0\n2 2 3.0\n",
        "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n",
        "*NODE\n1,0.,0.,0.\n*ELEMENT,TYPE=C3D8\n",
        "** comment\n*HEADING\n",
        "mode,f_Hz\n1,2\n",
        "1.1\n1.2\n1.3\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        static lb_test_import test;
        lb_start_test_import(&test);
        lb_add_test_text(&test, "text", texts[i], strlen(texts[i]));
        assert_false(lb_is_nastran(&test.files[0]));
        lb_end_test_import(&test);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialects_hold_the_same_matrices),
        cmocka_unit_test(superelement_moves_rigidly_without_force),
        cmocka_unit_test(dmig_in_all_forms_of_fields_is_the_same),
        cmocka_unit_test(plain_matrices_are_not_reduced),
        cmocka_unit_test(coordinate_systems_place_and_turn_grids),
        cmocka_unit_test(fields_may_touch_and_have_tabs_and_marks),
        cmocka_unit_test(rows_without_extrn_come_from_sets),
        cmocka_unit_test(components_of_qset_are_modal),
        cmocka_unit_test(names_with_any_label_are_found),
        cmocka_unit_test(damping_is_read_and_structural_damping_is_named),
        cmocka_unit_test(complex_terms_may_be_amplitudes_and_phases),
        cmocka_unit_test(rows_without_stiffness_and_mass_are_left_out),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(binary_files_that_were_cut_off_are_refused),
        cmocka_unit_test(other_files_are_not_nastran),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
