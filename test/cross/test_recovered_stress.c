// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forces (MEF1) and stresses (MES1) of an element, from files as Nastran writes them for an external superelement, against
// the formulas of a cantilever: one straight bar along x, clamped at grid 1, with a unit load at grid 2.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body_file.h"
#include "check.h"
#include "scratch.h"

enum { ROWS = 12, FORCES = 4, STRESSES = 3, MODES = 2 };

static const double length = 0.8, area = 3e-4, inertia_y = 2e-8, inertia_z = 5e-8, polar = 4e-8;
static const double modulus = 7e10, shear = 2.6e10, fibre = 0.02;

// ---- the element -------------------------------------------------------------------------------

static void add_bending(double K[ROWS][ROWS], double EI, int v, int r, double sign)
{
    const int at[4] = {v, r, 6 + v, 6 + r};
    const double L = sign * length, k[4][4] = {{12, 6 * L, -12, 6 * L},
                                               {6 * L, 4 * L * L, -6 * L, 2 * L * L},
                                               {-12, -6 * L, 12, -6 * L},
                                               {6 * L, 2 * L * L, -6 * L, 4 * L * L}};
    for (int i = 0; i < 16; ++i) {
        K[at[i / 4]][at[i % 4]] += EI / (length * length * length) * k[i / 4][i % 4];
    }
}

static void form_bar(double K[ROWS][ROWS])
{
    for (int i = 0; i < 4; ++i) {
        const double sign = i / 2 == i % 2 ? 1 : -1;
        K[6 * (i / 2)][6 * (i % 2)] = sign * modulus * area / length;
        K[6 * (i / 2) + 3][6 * (i % 2) + 3] = sign * shear * polar / length;
    }
    add_bending(K, modulus * inertia_z, 1, 5, 1);
    add_bending(K, modulus * inertia_y, 2, 4, -1); // a turn about y lowers z
}

// ---- files -------------------------------------------------------------------------------------

// A matrix of `rows` rows and 12 columns in a text file of OUTPUT4, column by column.
static void write_matrix(FILE *out, const char *name, int form, int rows, double (*A)[ROWS])
{
    fprintf(out, "%8d%8d%8d%8d%-8s1P,3E23.16\n", (int)ROWS, rows, form, 2, name);
    for (int c = 0; c < ROWS; ++c) {
        fprintf(out, "%8d%8d%8d\n", c + 1, 1, rows);
        for (int r = 0; r < rows; ++r) {
            fprintf(out, "%23.16E%s", A[r][c], r % 3 == 2 || r == rows - 1 ? "\n" : "");
        }
    }
    fprintf(out, "%8d%8d%8d\n%23.16E\n", ROWS + 1, 1, 1, 1.0);
}

// Axial force, moments about z at both ends, shear along y: forces of the bar on grid 2, and its moments on both.
static void write_files(bool has_tables)
{
    double K[ROWS][ROWS] = {{0}}, M[ROWS][ROWS] = {{0}}, F[FORCES][ROWS], S[STRESSES][ROWS];
    form_bar(K);
    for (int i = 0; i < ROWS; ++i) {
        M[i][i] = i % 6 < 3 ? 5.0 : 0.03;
        F[0][i] = K[6][i];
        F[1][i] = K[5][i];
        F[2][i] = K[11][i];
        F[3][i] = K[7][i];
        S[0][i] = K[6][i] / area;
        S[1][i] = K[5][i] * fibre / inertia_z;
        S[2][i] = K[11][i] * fibre / inertia_z;
    }
    FILE *out = fopen("bar.op4", "w");
    assert_non_null(out);
    write_matrix(out, "KXX", 6, ROWS, K);
    write_matrix(out, "MXX", 6, ROWS, M);
    write_matrix(out, "MES1", 2, STRESSES, S);
    write_matrix(out, "MEF1", 2, FORCES, F);
    fclose(out);
    out = fopen("bar.pch", "w");
    assert_non_null(out);
    fprintf(out, "GRID,1,,0.,0.,0.\nGRID,2,,%g,0.,0.\nEXTRN,1,123456,2,123456\n", length);
    if (has_tables) {
        static const char *const tables[] = {"TEF1", "TES1"};
        for (int i = 0; i < 2; ++i) {
            fprintf(out,
                    "DTI     %8s       2\n"
                    "            TYPE      ID    COMP     ROW    TYPE      ID    COMP     ROW\n"
                    "              34     120%8d       1  ENDREC\n",
                    tables[i], i == 0 ? (int)FORCES : (int)STRESSES);
        }
    }
    fclose(out);
}

// ---- what comes out ----------------------------------------------------------------------------

static lb_flex_body *import_bar(void)
{
    static const char *const names[] = {"bar.op4", "bar.pch", NULL};
    static const long clamp[] = {1};
    const lb_named_node node = {"tip", 2};
    lb_import_options options = lb_default_import_options();
    options.clamp = clamp;
    options.clamp_count = 1;
    options.nodes = &node;
    options.node_count = 1;
    options.mode_count = MODES;
    lb_keep_body(lb_import_folder(".", names, &options), "bar.flex");
    return lb_load_body("bar.flex", NULL);
}

// Value of a row under a load at the tip: 0 to 2 a moment, 3 to 5 a force. At rest: the modes by their stiffness, and
// what they leave out.
static double recover(const lb_flex_options *flex, const char *name, int load)
{
    const lb_flex_recovery *recovery = flex->recovery;
    assert_non_null(recovery);
    for (int row = 0; row < recovery->row_count; ++row) {
        if (strcmp(recovery->names[row], name) == 0) {
            double sum = recovery->forces[6 * row + load];
            for (int r = 0; r < MODES; ++r) {
                sum += recovery->modes[row * MODES + r] * flex->nodes[0].shape[6 * r + load] /
                       flex->stiffness[r * MODES + r];
            }
            return sum;
        }
    }
    fail_msg("no row %s", name);
    return 0;
}

static void stresses_of_a_cantilever_follow_from_the_load(void **state)
{
    (void)state;
    enum { ABOUT_Z = 2, ALONG_X = 3, ALONG_Y = 4 };
    const double bending = fibre / inertia_z;
    // the bar holds the tip against the load, and the root against the bar
    const struct {
        const char *name;
        int load;
        double expected;
    } cases[] = {
        {"element 120 (type 34) force 1", ALONG_X, 1},
        {"element 120 (type 34) force 2", ALONG_Y, -length},
        {"element 120 (type 34) force 3", ABOUT_Z, 1},
        {"element 120 (type 34) force 4", ALONG_Y, 1},
        {"element 120 (type 34) stress 1", ALONG_X, 1 / area},
        {"element 120 (type 34) stress 2", ALONG_Y, -length * bending},
        {"element 120 (type 34) stress 2", ABOUT_Z, -bending},
        {"element 120 (type 34) stress 3", ABOUT_Z, bending},
    };
    write_files(true);
    lb_flex_body *body = import_bar();
    const lb_flex_options *flex = lb_get_flex_options(body);
    assert_int_equal(flex->recovery->row_count, FORCES + STRESSES);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        // 1e-10: the axial stiffness is 1e4 times that of bending
        lb_expect_near(cases[i].name, recover(flex, cases[i].name, cases[i].load),
                       cases[i].expected, 1e-10);
    }
    // bending leaves no axial stress
    lb_expect_below("axial stress",
                    fabs(recover(flex, "element 120 (type 34) stress 1", ALONG_Y)) * area, 1e-10);
    lb_destroy_flex_body(body);
}

static void without_tables_rows_have_the_names_of_their_matrices(void **state)
{
    (void)state;
    write_files(false);
    lb_flex_body *body = import_bar();
    const lb_flex_options *flex = lb_get_flex_options(body);
    lb_expect_near("MES1 1", recover(flex, "MES1 1", 3), 1 / area, 1e-10);
    lb_expect_near("MEF1 1", recover(flex, "MEF1 1", 3), 1, 1e-10);
    lb_destroy_flex_body(body);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stresses_of_a_cantilever_follow_from_the_load),
        cmocka_unit_test(without_tables_rows_have_the_names_of_their_matrices),
    };
    return lb_enter_scratch_folder() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
