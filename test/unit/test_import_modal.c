// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that hold modes already: SID, modal data of MBDyn, tables of participation factors.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "import/modes/modal_files.h"
#include "modal_sample.h"

static const double pi = 3.14159265358979323846;

// ---- samples -----------------------------------------------------------------------------------

// The example of the manual of MBDyn: m = 3, J = diag(11, 3, 11).
static void three_nodes_have_the_inertia_of_the_manual(void **state)
{
    (void)state;
    lb_modal_sample in;
    lb_import_sample(&in, "three_nodes.fem");
    lb_print_heard(&in.heard);
    lb_expect_ok(in.status);
    assert_int_equal(in.heard.count, 0);
    const lb_flex_integrals *I = &in.body.integrals;
    const double J[6] = {11, 3, 11, 0, 0, 0}, h[3] = {0, 0, 0};
    const double E[6] = {0, 0, 2, 2, 0, 0}, K[4] = {1, 0, 0, 100}, M[4] = {2, 0, 0, 2};
    assert_true(I->mass == 3);
    lb_expect_within("h0", I->h0, h, 3, 0);
    lb_expect_within("S0", I->S0, J, 6, 0);
    lb_expect_within("E", I->E, E, 6, 0);
    lb_expect_within("M_ff", I->M_ff, M, 4, 0);
    lb_expect_within("K", in.body.flex.stiffness, K, 4, 0);
    assert_int_equal(in.body.order, LB_INERTIA_ORDER_2);
    // phi_1 ~ phi_2 is z ~ x at two nodes of unit mass
    const double B_12[3] = {0, 2, 0}, B_21[3] = {0, -2, 0};
    lb_expect_within("B", I->B + 3, B_12, 3, 0);
    lb_expect_within("B", I->B + 6, B_21, 3, 0);
    assert_int_equal(in.body.flex.node_count, 3);
    assert_string_equal(in.body.flex.nodes[0].name, "left");
    assert_string_equal(in.body.flex.nodes[1].name, "1002");
    assert_true(in.body.flex.nodes[2].position[1] == 2);
    assert_true(in.body.flex.nodes[2].shape[5] == 1 && in.body.flex.nodes[2].shape[9] == 1);
    assert_null(in.body.flex.damping);
    lb_free_sample(&in);
}

// One body of four lumps, written in five ways.
static void files_of_one_body_agree(void **state)
{
    static const struct {
        const char *name;
        double tolerance; ///< digits of the file
        int warnings;
        const char *warning;
    } others[] = {{"bar_sums.fem", 1e-13, 0, ""},
                  {"bar_both.fem", 1e-13, 0, ""},
                  {"bar_stiff.fem", 1e-13, 0, ""},
                  {"bar.sid", 1e-13, 0, ""},
                  {"bar_last.sid", 1e-11, 0, ""}};
    (void)state;
    lb_modal_sample first;
    lb_import_sample(&first, "bar.fem");
    lb_expect_ok(first.status);
    assert_int_equal(first.heard.count, 0);
    const lb_flex_integrals *A = &first.body.integrals;
    const int n = first.body.flex.mode_count;
    assert_int_equal(n, 3);
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        lb_modal_sample in;
        lb_import_sample(&in, others[i].name);
        lb_print_heard(&in.heard);
        lb_expect_ok(in.status);
        assert_int_equal(in.heard.count, others[i].warnings);
        assert_non_null(strstr(in.heard.entries[0].message, others[i].warning));
        const lb_flex_integrals *B = &in.body.integrals;
        const double tolerance = others[i].tolerance;
        assert_int_equal(in.body.order, LB_INERTIA_ORDER_2);
        lb_expect_near("mass", B->mass, A->mass, tolerance);
        lb_expect_close("h0", B->h0, A->h0, 3, tolerance);
        lb_expect_close("S0", B->S0, A->S0, 6, tolerance);
        lb_expect_close("M_ff", B->M_ff, A->M_ff, n * n, tolerance);
        lb_expect_close("E", B->E, A->E, 3 * n, tolerance);
        lb_expect_close("B0", B->B0, A->B0, 3 * n, tolerance);
        lb_expect_close("B", B->B, A->B, 3 * n * n, tolerance);
        lb_expect_close("S", B->S, A->S, 6 * n, tolerance);
        lb_expect_close("S2", B->S2, A->S2, 6 * n * n, tolerance);
        lb_expect_close("K", in.body.flex.stiffness, first.body.flex.stiffness, n * n, tolerance);
        assert_int_equal(in.body.flex.node_count, 4);
        for (int j = 0; j < 4; ++j) {
            const lb_flex_node *a = &first.body.flex.nodes[j], *b = &in.body.flex.nodes[j];
            assert_string_equal(a->name, b->name);
            lb_expect_close("position", b->position, a->position, 3, tolerance);
            lb_expect_close("shape", b->shape, a->shape, 6 * n, tolerance);
            assert_true(b->mass == 0 && b->rotation[0] == 1);
        }
        lb_free_sample(&in);
    }
    lb_free_sample(&first);
}

// Geometric stiffness of four lumps, about the first of them: gamma2 of lump j is
// j (-0.01 (1 + r + s), 0.002 j (r - s), 0.001 (r + 2 s)) for r <= s.
static void stress_stiffening_gives_moments(void **state)
{
    (void)state;
    lb_modal_sample in;
    lb_import_sample(&in, "bar_stiff.fem");
    lb_expect_ok(in.status);
    double G2[27] = {0}, T2[81] = {0};
    for (int j = 0; j < 4; ++j) {
        const lb_flex_node *node = &in.body.flex.nodes[j];
        assert_int_equal(node->second_order_count, j ? 6 : 0);
        for (int rs = 0, e = 0; rs < 9; ++rs) {
            const int r = rs % 3 < rs / 3 ? rs % 3 : rs / 3, s = rs % 3 + rs / 3 - r;
            const double g[3] = {-0.01 * j * (1 + r + s), 0.002 * j * j * (r - s),
                                 0.001 * j * (r + 2 * s)};
            for (int k = 0; k < 9; ++k) {
                T2[9 * rs + k] += (2 + 0.5 * j) * node->position[k / 3] * g[k % 3];
                G2[3 * rs + k % 3] += k < 3 ? (2 + 0.5 * j) * g[k] : 0.0;
            }
            if (j > 0 && rs % 3 >= rs / 3) {
                const lb_second_order *entry = &node->second_order[e++];
                assert_true(entry->r == r && entry->s == s);
                lb_expect_close("node", entry->g, g, 3, 1e-13);
            }
        }
    }
    lb_expect_close("G2", in.body.integrals.G2, G2, 27, 1e-13);
    lb_expect_close("T2", in.body.integrals.T2, T2, 81, 1e-13);
    lb_free_sample(&in);
}

// The same in SID, about the origin. Products of the spin are a part of S2 there; the rotary inertia of the lumps
// makes B not quite antisymmetric, and what is symmetric of it counts as stiffening.
static void stiffening_of_sid_is_the_same(void **state)
{
    (void)state;
    lb_modal_sample plain, fem, sid;
    lb_import_sample(&plain, "bar.sid");
    lb_import_sample(&fem, "bar_stiff.fem");
    lb_import_sample(&sid, "bar_stiff.sid");
    lb_print_heard(&sid.heard);
    lb_expect_ok(sid.status);
    assert_int_equal(sid.heard.count, 0);
    const lb_flex_integrals *P = &plain.body.integrals, *F = &fem.body.integrals,
                            *S = &sid.body.integrals;
    lb_expect_close("G2", S->G2, F->G2, 27, 1e-12);
    double turning[2][27], spin[54];
    for (int i = 0; i < 27; ++i) {
        const int rs = i / 3, sr = rs % 3 * 3 + rs / 3, c = i % 3, a = (c + 1) % 3, b = (c + 2) % 3;
        turning[0][i] = S->T2[9 * rs + 3 * a + b] - S->T2[9 * rs + 3 * b + a];
        turning[1][i] = F->T2[9 * rs + 3 * a + b] - F->T2[9 * rs + 3 * b + a] +
                        0.5 * (P->B[3 * rs + c] + P->B[3 * sr + c]);
    }
    lb_expect_close("T2", turning[0], turning[1], 27, 1e-12);
    static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 54; ++i) {
        // 2 (T2_yy + T2_zz) for xx, -(T2_xy + T2_yx) for xy
        const double *T = F->T2 + i / 6 * 9;
        const int a = rows[i % 6], b = columns[i % 6];
        spin[i] =
            P->S2[i] - T[3 * a + b] - T[3 * b + a] + (a == b ? 2 * (T[0] + T[4] + T[8]) : 0.0);
    }
    lb_expect_close("S2", S->S2, spin, 54, 1e-12);
    for (int j = 1; j < 4; ++j) {
        for (int e = 0; e < 6; ++e) {
            lb_expect_close("node", sid.body.flex.nodes[j].second_order[e].g,
                            fem.body.flex.nodes[j].second_order[e].g, 3, 1e-12);
        }
    }
    lb_free_sample(&plain);
    lb_free_sample(&fem);
    lb_free_sample(&sid);
}

static void tables_give_coupling_at_the_frame(void **state)
{
    (void)state;
    lb_modal_sample in;
    lb_import_sample(&in, "array.csv");
    lb_print_heard(&in.heard);
    lb_expect_ok(in.status);
    assert_int_equal(in.heard.count, 0);
    const lb_flex_integrals *I = &in.body.integrals;
    const double S0[6] = {260 + 120 * 6.25, 250 + 120 * 6.25, 12, 0, 0, 0}, h0[3] = {0, 0, 300};
    const double E[9] = {8.5, 0, 0, 0, 8.1, 0, 0, 0.2, 0},
                 B0[9] = {0, 26.5, 0, -25, 0, 0.3, 0, 0, 2.9};
    lb_expect_close("S0", I->S0, S0, 6, 1e-15);
    lb_expect_close("h0", I->h0, h0, 3, 1e-15);
    lb_expect_close("E", I->E, E, 9, 1e-15);
    lb_expect_close("B0", I->B0, B0, 9, 1e-15);
    assert_true(I->M_ff[0] == 1 && I->M_ff[1] == 0 && !I->B && !I->S && !I->S2);
    lb_expect_near("K", in.body.flex.stiffness[4], pow(2 * pi * 1.1, 2), 1e-15);
    lb_expect_near("C", in.body.flex.damping[8], 2 * 0.008 * 2 * pi * 1.65, 1e-15);
    assert_int_equal(in.body.order, LB_INERTIA_ORDER_0);
    assert_string_equal(in.body.flex.nodes[0].name, "interface");
    assert_true(in.body.flex.nodes[0].position[2] == 0.1);
    lb_free_sample(&in);

    // decimal commas, effective masses, inertia about the reference
    lb_import_sample(&in, "array_german.csv");
    lb_print_heard(&in.heard);
    lb_expect_ok(in.status);
    const double E2[6] = {8.5, 0, 0, 0, 0, 0}, B2[6] = {0, 2.4 * 8.5, 0, 0, 0, 2.9};
    lb_expect_close("S0", in.body.integrals.S0, S0, 6, 1e-15);
    lb_expect_close("E", in.body.integrals.E, E2, 6, 1e-15);
    lb_expect_close("B0", in.body.integrals.B0, B2, 6, 1e-15);
    lb_expect_near("C", in.body.flex.damping[3], 2 * 0.008 * 2 * pi * 1.65, 1e-15);
    lb_free_sample(&in);
}

// ---- changed samples ---------------------------------------------------------------------------

// The text of a sample with the first `find` behind `after` replaced.
static char *change_sample(const char *name, const char *after, const char *find,
                           const char *replace, size_t *length)
{
    char *text = lb_read_text(lb_find_source("test/data/fe/modes/%s", name), length);
    assert_non_null(text);
    char *start = strstr(text, after);
    char *found = start ? strstr(start, find) : NULL;
    if (!found) {
        fail_msg("%s: no %s behind %s", name, find, after);
    }
    char *changed = malloc(*length + strlen(replace) + 1);
    assert_non_null(changed);
    const size_t before = (size_t)(found - text);
    memcpy(changed, text, before);
    // "..." stands for the end of the file
    snprintf(changed + before, *length + strlen(replace) + 1 - before, "%s%s",
             strcmp(replace, "...") == 0 ? "" : replace,
             strcmp(replace, "...") == 0 ? "" : found + strlen(find));
    *length = strlen(changed);
    free(text);
    return changed;
}

static const struct mistake {
    const char *name, *after, *find, *replace;
    int line; ///< 0: not looked at
    const char *message;
} mistakes[] = {
    // SID
    {"bar.sid", "", " end modal", "...", 0, "the file ends before `end modal`: it was cut short"},
    {"bar.sid", "Cr", "m1(", "...", 0, "the file ends before `end modal`"},
    {"bar.sid", "", "   4   3", "   5   3", 1, "5 nodes and 3 modes announced, 4 and 3 found"},
    {"bar.sid", "", "nelastq = 3", "nelastq = 4000000000", 6, "modes found, expected 1 to 4096"},
    {"bar.sid", "", "nelastq = 3", "nelastq = 4000", 6, "a file that is long enough"},
    {"bar.sid", "", "nelastq = 3", "nelastq = many", 6, "many found for nelastq"},
    {"bar.sid", "", "nelastq = 3", "", 0, "comes before `nelastq`"},
    {"bar.sid", "", "mass =", "weight =", 0, "refmod has no mass"},
    {"bar.sid", "", "mass = 1", "mass = -1", 5, "expected the mass of the body"},
    {"bar.sid", "Ct", "nrow       = 3", "nrow       = 4", 0,
     "Ct has 4 rows and 3 columns, expected 3 and 3 for 3 modes"},
    {"bar.sid", "\n  J\n", "nrow       = 6", "nrow       = 5", 0, "J has 5 rows"},
    {"bar.sid", "Cr", "nq         = 3", "nq         = 2", 0, "Cr has m1 for 2 modes"},
    {"bar.sid", "Cr", "nqn        = 0", "nqn        = 1", 0, "terms of higher than first order"},
    {"bar.sid", "Cr", "structure  = 3", "structure  = 7", 0, "structure 7 found in Cr"},
    {"bar.sid", "Cr", "order      = 1", "order      = -1", 0, "-1 found for order"},
    {"bar.sid", "Cr", "order      = 1", "rank = 1", 0, "rank found in Cr, expected order"},
    {"bar.sid", "Cr", "end Cr", "end Ct", 0, "`end Ct` found, expected `end Cr`"},
    {"bar.sid", "Cr", "m0( 1, 1)", "m0( 1, 2)", 0, "this entry is given twice"},
    {"bar.sid", "Cr", "m1( 1, 2, 1)", "m1( 1, 2, 2)", 0, "this entry is given twice"},
    {"bar.sid", "Cr", "m0( 1, 1)", "m0( 1, 4)", 0, "this entry is outside of the matrix"},
    {"bar.sid", "Cr", "m0( 1, 1)", "m0( 1)", 0, "m0( 1) found, expected m0(i, j)"},
    {"bar.sid", "Cr", "m0( 1, 1)", "m0( 0, 1)", 0, "m0( 0, 1) found, expected m0(i, j)"},
    {"bar.sid", "Cr", "m0( 1, 1) = ", "m0( 1, 1) = nan ", 0, "expected a number"},
    {"bar.sid", "mdCM", "m1( 1, 2, 1)", "m1( 1, 4, 4)", 0, "fit neither (row, mode, column)"},
    {"bar.sid", "Ke", "m0( 2, 2)", "m0( 2, 1)", 0, "is said to be diagonal"},
    {"bar_last.sid", "Me", "m0( 2, 1)", "m0( 1, 2)", 0, ""},
    {"bar_last.sid", "Me", "m0( 2, 1) =", "m0( 1, 2) = 3\n    m0( 2, 1) =", 0,
     "is said to be symmetric"},
    {"bar.sid", "", "  Ke\n", "  Kx\n", 0, "`end Ke` found, expected `end Kx`"},
    {"bar.sid", "n2", "AP\n", "AP AP\n", 0, "AP AP found, expected the name of a matrix"},
    {"bar.sid", "n2", "psi\n", "phi\n", 0, "phi is given twice"},
    {"bar.sid", "", "new node = n2", "new node = n1", 0, "node n1 is given twice, in line"},
    {"bar.sid", "", "new node = n2", "new node = origin", 0, "a node called `origin`"},
    {"bar.sid", "", "new node = n2", "new node =", 0, "a node without a name"},
    {"bar.sid", "n2", " end node", "", 0, "`new node` found before `end node`"},
    {"bar.sid", "AP", "m0( 2, 2) = 1", "m0( 2, 2) = 2", 0, "AP of node n1 is not a rotation"},
    {"bar.sid", "AP", "m0( 2, 2) = 1", "m0( 2, 2) = -1", 0, "AP of node n1 is not a rotation"},
    {"bar.sid", "", "end part", "part\n new modal =", 0, "a second `new modal`"},
    // MBDyn
    {"bar.fem", "", "REV0 4 3", "REV0 5 3", 0,
     "record group 2 ends here with 4 values, expected 5"},
    {"bar.fem", "", "REV0 4 3", "REV0 3 3", 0, "n4"},
    {"bar.fem", "", "REV0 4 3", "REV0 4 2", 0, "record group 8 has 4 rows of numbers more"},
    {"bar.fem", "", "REV0 4 3", "REV0 2000000000 3", 0,
     "record group 2 needs 2000000000 values, but the file has only"},
    {"bar.fem", "", "REV0 4 3", "REV0 4 99999", 0, "at most 4096 modes"},
    {"bar.fem", "", "REV0 4 3", "4 3", 0, "expected a revision and five numbers"},
    {"bar.fem", "", "REV0 4 3 0 0 0", "", 0, "record group 1 ends here"},
    {"bar.fem", "GROUP 10", "4000", "...", 0,
     "record group 10 needs 9 values, but the file has only 0 bytes left: it was cut short"},
    {"bar.fem", "GROUP 10", " 30000", "...", 0,
     "the file ends within record group 10: 8 values found, expected 9"},
    {"bar.fem", "", "GROUP 2, ", "GROUP 5, ", 0, "n1 found in record group 5, expected a number"},
    {"bar.fem", "", "GROUP 6, ", "GROUP 5, ", 0, "record group 5 is given twice"},
    {"bar.fem", "", "RECORD GROUP 1,", "RECORD GROUP 2,", 0, "record group 2 comes before group 1"},
    {"bar.fem", "", "** RECORD GROUP 9, MASS", "**", 0,
     "record group 8 has 3 rows of numbers more"},
    {"bar.fem", "", "RECORD GROUP 13", "RECORD GROUP 10", 0, "record group 10 is given twice"},
    {"bar.fem", "", "n1 n2", "n1 n1", 0, "node n1 is given twice"},
    {"bar.fem", "", "** shape 2\n", "", 0,
     "a number found, expected a line of comment before mode shape 2"},
    {"bar.fem", "GROUP 11, LUMPS\n", "2 2 2", "2 3 2", 0, "node n1 has the lumped masses 2 3 2"},
    {"bar.fem", "GROUP 11, LUMPS\n", "2 2 2", "inf 2 2", 0, "inf found in record group 11"},
    {"bar.fem", "GROUP 5, X\n", "0.5", "0.5 0.5", 0, "found behind the 4 values of record group 5"},
    {"bar_both.fem", "GROUP 19", "\n1\n", "\n1.5\n", 0,
     "expected the number of matrices in record group 19"},
    {"bar_both.fem", "GROUP 19", "\n1\n", "\n100000\n", 0, "record group 19 needs 1000000 values"},
    {"bar_stiff.fem", "GROUP 19", "\n12\n", "\n31\n", 0,
     "31 found, expected the index of a load, 1 to 30"},
    {"bar_stiff.fem", "GROUP 19", "\n12\n", "\n11\n", 0, "a second matrix for load 11"},
    // tables
    {"array.csv", "", "mass,          120", "", 0, "there is no row `mass`"},
    {"array.csv", "", "factors,       participation", "", 0,
     "there is no row `factors` before the table, expected `participation` or `effective mass`"},
    {"array.csv", "", "participation", "modal", 8, "modal found for `factors`"},
    {"array.csv", "", "about, centre", "about, hinge", 5,
     "hinge found for `inertia about`, expected `centre` or `reference`"},
    {"array.csv", "", "centre,        0, 0, 2.5", "centre,        0, 0", 3,
     "2 values found for `centre`, expected three numbers"},
    {"array.csv", "", "centre,        0, 0, 2.5", "centre,        0, 0, up", 3,
     "up found for `centre`"},
    {"array.csv", "", "mass,", "weight,", 2, "weight found, expected mass, centre"},
    {"array.csv", "", "reference,     0", "interface,     0", 0, "`interface` is given twice"},
    {"array.csv", "", "120", "-120", 2, "is not that of a body"},
    {"array.csv", "", "(Hz)", "(rad/s)", 10, "the unit (rad/s) found, expected Hz"},
    {"array.csv", "", "damping", "damping (%)", 10, "expected a ratio without a unit"},
    {"array.csv", "", "damping", "colour", 10, "the column colour is not known"},
    {"array.csv", "", "damping", "zeta, damping", 10, "the column damping is given twice"},
    {"array.csv", "", "\"frequency (Hz)\", ", "", 10, "there is no column frequency"},
    {"array.csv", "", "1.10", "x", 12, "x found in column frequency, expected a number"},
    {"array.csv", "", "1.10", "", 12, "nothing found in column frequency"},
    {"array.csv", "", "1.10", "-1.10", 12, "expected a positive frequency"},
    {"array.csv", "", "0.008", "1.8", 13, "a damping ratio from 0 to below 1"},
    {"array.csv", "", "2.9", "2.9, 7", 13, "10 values found, but 9 columns"},
    {"array.csv", "", "2.9", "", 13, "nothing found in column R3"},
    {"array.csv", "", "1, 0.35", "...", 10, "the table has no modes"},
    {"array.csv", "", "participation", "effective mass", 11,
     "mode 1 has effective masses in T1 and R2, without the signs"},
    {"array.csv", "", "8.5, ", "12.5, ", 10,
     "the modes carry 156.25 kg in T1 about the centre of mass, more than the 120"},
    {"array.csv", "", "26.5", "-26.5", 10, "the modes carry 2280.06 kg m2 in R2"},
    {"array.csv", "", "0, 0, 2.5", "0, 0, 0", 10,
     "kg m2 in R1 about the centre of mass, more than"},
    {"array.csv", "", "0.35", "1e200", 10, "the numbers of the file are too large"},
    {"bar.fem", "GROUP 5, X\n", "0.5", "1e200", 0, "the numbers of the file are too large"},
    {"bar.sid", "\n  Oe", "m1( 1, 1, 1) = -", "m1( 1, 1, 1) = 1e308\n#", 0,
     "found in Oe, expected `end Oe`"},
    {"array_german.csv", "", "72,25", "-72,25", 9, "an effective mass of -72.25 in column T1"},
    {"array_german.csv", "", "261,2", "1", 3, "is not that of a body"},
};

static void mistakes_are_reported(void **state)
{
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
        const struct mistake *m = &mistakes[i];
        size_t length;
        char *text = change_sample(m->name, m->after, m->find, m->replace, &length);
        lb_modal_sample in;
        lb_import_text(&in, text, length);
        const lb_heard_entry *entry = NULL;
        for (int e = 0; e < in.heard.count; ++e) {
            if (in.heard.entries[e].severity == LB_SEVERITY_ERROR) {
                entry = &in.heard.entries[e];
                break;
            }
        }
        if (!*m->message) {
            lb_expect_ok(in.status); // one half of a symmetric matrix or the other
        } else if (!entry || !strstr(entry->message, m->message) ||
                   (m->line > 0 && entry->line != m->line)) {
            lb_print_heard(&in.heard);
            print_message("%s, %s -> %s: expected line %d: %s\n", m->name, m->find, m->replace,
                          m->line, m->message);
            ++wrong;
        }
        lb_free_sample(&in);
        free(text);
    }
    assert_int_equal(wrong, 0);
}

static const struct doubt {
    const char *name, *after, *find, *replace;
    lb_inertia_order order;
    bool is_more;        ///< a second warning
    const char *message; ///< of the first; "" for none
} doubts[] = {
    {"bar.sid", "", "rframe = body ref", "rframe = hinge", LB_INERTIA_ORDER_2, false,
     "is given in the frame hinge"},
    {"bar.sid", "\n  mdCM", "m1( 1, 1, 1) = ", "m1( 1, 1, 1) = 1", LB_INERTIA_ORDER_2, false,
     "mdCM m1 and Ct m0 differ by up to"},
    {"bar.sid", "\n  Oe", "m0( 1, 1) = -1.0", "m0( 1, 1) = -1.1", LB_INERTIA_ORDER_2, false,
     "Oe m0 and J m1 differ by up to"},
    {"bar.sid", "\n  Oe", "m0( 1, 1) = -1.01468000000000D+00", "m0( 1, 1) = 1", LB_INERTIA_ORDER_2,
     false, "Oe m0 and J m1 differ by up to 2.01"},
    {"bar.sid", "\n  Ge", "m0( 1, 2) = -4", "m0( 1, 2) = -5", LB_INERTIA_ORDER_2, false,
     "Ge and Cr m1 differ by up to"},
    {"bar.sid", "\n  Gr", "m0( 1, 1) = ", "m0( 1, 1) = 1", LB_INERTIA_ORDER_2, false,
     "Gr and J m1 differ by up to"},
    {"bar.sid", "\n  Ke", "m0( 1, 1) = 4", "m0( 1, 1) = 5", LB_INERTIA_ORDER_2, false,
     "mode 1 is called 6.592 Hz, but Ke and Me give"},
    {"bar.sid", "\n  Ct", "  end Ct", "    m1( 1, 1, 1) = 1\n  end Ct", LB_INERTIA_ORDER_2, false,
     ""},
    {"bar.sid", "\n  phi", "  end phi", "    m1( 1, 1, 1) = 1\n  end phi", LB_INERTIA_ORDER_2,
     false, ""},
    {"bar.sid", "\n  ksigma", "structure  = 0", "structure  = 3\n m0(1,1) = 4", LB_INERTIA_ORDER_2,
     false, "initial stresses (ksigma), which are not used yet"},
    {"bar.sid", "\n  ksigma", "  ksigma", "  kother\n  end kother\n  ksigma", LB_INERTIA_ORDER_2,
     false, "kother is not known and not used"},
    {"bar.sid", "\n  phi", "m0( 1, 1) = ", "m0( 1, 1) = 1", LB_INERTIA_ORDER_2, false,
     "origin m1 and phi of node n1 differ by up to"},
    {"bar.fem", "GROUP 9", "MASS\n", "MASS\n1", LB_INERTIA_ORDER_2, false,
     "the modal mass in record group 9 and that of the lumped masses"},
    {"bar.fem", "", "** RECORD GROUP 9", "** RECORD GROUP 3, START\n0 1 0\n** RECORD GROUP 9",
     LB_INERTIA_ORDER_2, false, "initial modal displacements are not used"},
    {"bar.fem", "", "** RECORD GROUP 9", "** RECORD GROUP 33, OTHER\n** RECORD GROUP 9",
     LB_INERTIA_ORDER_2, false, "record group 33 is not known"},
    {"bar_sums.fem", "", "** RECORD GROUP 18", "...", LB_INERTIA_ORDER_1, false, ""},
    {"bar_sums.fem", "", "** RECORD GROUP 17", "...", LB_INERTIA_ORDER_0, false,
     "record group 16 is there and 17 is not"},
    {"bar_sums.fem", "", "** RECORD GROUP 16", "...", LB_INERTIA_ORDER_0, false, ""},
    {"bar_sums.fem", "", "** RECORD GROUP 15", "...", LB_INERTIA_ORDER_0, true,
     "record group 15: the modes are not excited by rotation"},
    {"array.csv", "", "interface", "# interface\ninterface", LB_INERTIA_ORDER_0, false, ""},
};

static void doubts_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; ++i) {
        const struct doubt *d = &doubts[i];
        size_t length;
        char *text = change_sample(d->name, d->after, d->find, d->replace, &length);
        lb_modal_sample in;
        lb_import_text(&in, text, length);
        if (in.status != LB_OK || in.heard.count != (*d->message != '\0') + d->is_more ||
            !strstr(in.heard.entries[0].message, d->message) || in.body.order != d->order) {
            lb_print_heard(&in.heard);
            fail_msg("%s, %s -> %s: order %d, expected: %s", d->name, d->find, d->replace,
                     (int)in.body.order, d->message);
        }
        lb_free_sample(&in);
        free(text);
    }
}

// ---- dialects ----------------------------------------------------------------------------------

// Removes the lines m1 of matrices with this name.
static void remove_m1(char *text, const char *name)
{
    char start[32];
    snprintf(start, sizeof start, "\n  %s\n", name);
    for (char *at = strstr(text, start); at; at = strstr(at + 1, start)) {
        char *end = strstr(at, "\n  end ");
        for (char *line = at; line && line < end; line = strchr(line + 1, '\n')) {
            if (strncmp(line, "\n    m1(", 8) == 0) {
                for (char *c = line + 1; *c != '\n'; ++c) {
                    *c = ' ';
                }
            }
        }
        at = end;
    }
}

// With three modes, an index of m1 of a matrix with three columns fits both dialects. Without the vectors,
// in which it does not, the identities decide.
static void identities_settle_what_indices_leave_open(void **state)
{
    static const char *const names[] = {"bar.sid", "bar_last.sid"};
    (void)state;
    lb_modal_sample first;
    lb_import_sample(&first, "bar.fem");
    // J must be 3 x 3 for this, as in bar_last.sid; of bar.sid, the indices of J decide
    for (int i = 0; i < 2; ++i) {
        size_t length;
        char *text = change_sample(names[i], "", "part", "part", &length);
        remove_m1(text, "origin");
        remove_m1(text, "md");
        remove_m1(text, "mdCM");
        remove_m1(text, "AP");
        remove_m1(text, "Oe");
        lb_modal_sample in;
        lb_import_text(&in, text, length);
        lb_expect_ok(in.status);
        lb_expect_close("S", in.body.integrals.S, first.body.integrals.S, 18, 1e-11);
        lb_expect_close("B", in.body.integrals.B, first.body.integrals.B, 27, 1e-11);
        lb_free_sample(&in);
        free(text);
    }
    lb_free_sample(&first);
}

static void files_of_others_are_not_claimed(void **state)
{
    static const char *const others[] = {
        "",
        "1, 2, 3\n4, 5, 6\n",
        "limber: 1\nname: part\nbodies:\n  - {name: part, mass: 1}\n",
        "part:\n  refmod: 1\n",
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 1 2.0\n",
        "** comment\n*HEADING\n*NODE\n1, 0, 0, 0\n",
        "1 1 2.5\n1 2 3.5\n",
        "DMIG    KAAX           0       6       1       0\n",
        "mode, frequency, T1, T2\n1, 2, 3, 4\n",
        "T1 T2 T3 R1 R2 R3\n",
        "# T1, T2, T3, R1, R2, R3\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        const lb_import_file file = {.path = "x", .text = others[i], .length = strlen(others[i])};
        if (lb_is_sid(&file) || lb_is_mbdyn_fem(&file) || lb_is_participation(&file)) {
            fail_msg("claimed: %s", others[i]);
        }
    }
}

// ---- impossible inertia ------------------------------------------------------------------------

// One mode along x, of a body of 10 kg: its coupling is sqrt(10) at most.
static double check_possible(double E, const char *message)
{
    static const double M_ff[1] = {1}, B0[3] = {0, 0, 0};
    const double coupling[3] = {E, 0, 0};
    lb_heard heard = {.count = 0};
    lb_import import = {.arena = lb_make_arena(NULL), .report = lb_listen(&heard)};
    lb_flex_integrals I = {.size = sizeof I,
                           .mass = 10,
                           .S0 = {4, 5, 6, 0, 0, 0},
                           .M_ff = M_ff,
                           .E = coupling,
                           .B0 = B0};
    lb_expect_ok(lb_check_inertia_possible(&import, NULL, 0, 1, &I));
    assert_int_equal(heard.count, *message != '\0');
    assert_non_null(strstr(heard.entries[0].message, message));
    const double result = I.E[0];
    assert_true(I.E[1] == 0 && I.B0[0] == 0);
    lb_arena_free(&import.arena);
    return result;
}

static void impossible_inertia_is_mended_or_told(void **state)
{
    (void)state;
    assert_true(check_possible(3.16, "") == 3.16);
    // 1 % of the mass stays: the square root of 9.9; the steps end at 1e-9
    lb_expect_near("E", check_possible(3.2, "by up to 1.7 % of the largest"), sqrt(9.9), 1e-8);
    assert_true(check_possible(3.5, "can be held, but not fly freely") == 3.5);
}

// ---- without memory ----------------------------------------------------------------------------

static void *scarce_allocate(void *user, size_t size)
{
    int *left = user;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

static void scarce_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static void readers_survive_without_memory(void **state)
{
    static const char *const names[] = {"bar.sid", "bar_last.sid", "bar_both.fem", "array.csv"};
    static lb_modal_reader *const readers[] = {lb_read_sid, lb_read_sid, lb_read_mbdyn_fem,
                                               lb_read_participation};
    (void)state;
    for (int i = 0; i < 4; ++i) {
        size_t length;
        char *text = change_sample(names[i], "", "a", "a", &length);
        lb_import_file file = {.path = "file", .text = text, .length = length};
        lb_status status = LB_E_MEMORY;
        int failures = 0;
        for (int most = 0; status != LB_OK; ++most) {
            int left = most;
            lb_heard heard = {.count = 0};
            const lb_allocator allocator = {scarce_allocate, scarce_release, &left};
            lb_import import = {.arena = lb_make_arena(&allocator),
                                .report = lb_listen(&heard),
                                .file_count = 1,
                                .files = &file};
            lb_modal_body body;
            status = readers[i](&import, &body);
            assert_true(status == LB_OK || status == LB_E_MEMORY);
            assert_int_equal(heard.error_count, 0);
            failures += status != LB_OK;
            lb_arena_free(&import.arena);
        }
        assert_true(failures > 0);
        free(text);
    }
}

// ---- a file of others --------------------------------------------------------------------------

static void beam_of_wallrapp_s_format(void **state)
{
    (void)state;
    lb_modal_sample in;
    lb_import_beam_of_others(&in);
    lb_print_heard(&in.heard);
    lb_expect_ok(in.status);
    // its coupling of the first mode with rotation about the axis is larger than any body can have
    assert_int_equal(in.heard.count, 1);
    assert_non_null(strstr(in.heard.entries[0].message, "the modes carry more than the body has"));
    assert_true(in.body.integrals.mass == 706.5);
    assert_int_equal(in.body.flex.mode_count, 4);
    assert_int_equal(in.body.flex.node_count, 21);
    assert_int_equal(in.body.order, LB_INERTIA_ORDER_2);
    // 9.089 Hz, told with three decimals
    const double frequency = sqrt(in.body.flex.stiffness[0] / in.body.integrals.M_ff[0]) / (2 * pi);
    lb_expect_below("Hz", frequency - 9.089, 5e-4);
    lb_expect_near("S", in.body.integrals.S[4], 45.3117159696, 1e-12);
    lb_free_sample(&in);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_nodes_have_the_inertia_of_the_manual),
        cmocka_unit_test(files_of_one_body_agree),
        cmocka_unit_test(stress_stiffening_gives_moments),
        cmocka_unit_test(stiffening_of_sid_is_the_same),
        cmocka_unit_test(tables_give_coupling_at_the_frame),
        cmocka_unit_test(mistakes_are_reported),
        cmocka_unit_test(doubts_are_told),
        cmocka_unit_test(identities_settle_what_indices_leave_open),
        cmocka_unit_test(files_of_others_are_not_claimed),
        cmocka_unit_test(impossible_inertia_is_mended_or_told),
        cmocka_unit_test(readers_survive_without_memory),
        cmocka_unit_test(beam_of_wallrapp_s_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
