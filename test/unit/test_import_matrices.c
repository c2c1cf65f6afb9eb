// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole matrices of CalculiX, Abaqus and Matrix Market: rows and nodes as read must let the structure move as a
// rigid body without force, and the frequencies must be those of the program that wrote them. Files of others are
// read from ../shared/fe beside the source tree; where there is none those tests are skipped.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "import_case.h"

#define CALCULIX lb_find_source("test/data/fe/calculix")
#define ABAQUS lb_find_source("../shared/fe/abaqus")
#define ANSYS lb_find_source("../shared/fe/ansys")
static const double pi = 3.14159265358979323846;

// ---- what must hold for every free structure ---------------------------------------------------

// K times six rigid motions is zero; the mass is the same along three axes.
static void expect_free(const lb_structure *s, double mass, double mass_tolerance, double tolerance)
{
    const int n = s->row_count;
    double *K = lb_make_dense(s, &s->K), *M = lb_make_dense(s, &s->M), *v[6];
    for (int d = 0; d < 6; ++d) {
        v[d] = lb_make_rigid_motion(s, d);
        double worst = 0.0, scale = 0.0, inertia = 0.0;
        for (int i = 0; i < n; ++i) {
            double force = 0.0, size = 0.0;
            for (int j = 0; j < n; ++j) {
                const size_t at = (size_t)i * (size_t)n + (size_t)j;
                force += K[at] * v[d][j];
                size += fabs(K[at] * v[d][j]);
                inertia += v[d][i] * M[at] * v[d][j];
            }
            worst = fmax(worst, fabs(force));
            scale = fmax(scale, size);
        }
        lb_expect_below("force of rigid motion", worst / scale, tolerance);
        assert_true(inertia > 0.0);
        if (d < 3) {
            lb_expect_near("mass", inertia, mass, mass_tolerance);
        }
    }
    for (int d = 0; d < 6; ++d) {
        free(v[d]);
    }
    free(K);
    free(M);
}

// ---- CalculiX ----------------------------------------------------------------------------------

static bool is_interface(const lb_structure *s, int row)
{
    return s->nodes[s->rows[row].node].id == 9001;
}

static void begin_job(lb_import_case *c, const char *job)
{
    // any order
    static const char *const endings[] = {"mas", "inp", "dof", "sti"};
    lb_begin_case(c);
    for (int i = 0; i < 4; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s", job, endings[i]);
        assert_true(lb_add_case_file(c, CALCULIX, name));
    }
}

static void test_calculix(void **state)
{
    // eigenvalues as CalculiX wrote them (README.md of the files); the free ones from mode 7
    static const struct {
        const char *job;
        int nodes, rows;
        double mass;
        double clamped[8], free[8];
    } jobs[] = {
        {"beam",
         121,
         366,
         400.0 * 20 * 10 * 2.7e-9,
         {0.1073193E+06, 0.4248176E+06, 0.4243710E+07, 0.1641716E+08, 0.3373809E+08, 0.9981330E+08,
          0.1257049E+09, 0.1325252E+09},
         {0.4235266E+07, 0.1666211E+08, 0.3254521E+08, 0.1239086E+09, 0.1275057E+09, 0.3585596E+09,
          0.3937926E+09, 0.4632576E+09}},
        {"panel",
         96,
         291,
         2000.0 * 800 * 20 * 1.5e-10,
         {0.7849910E+03, 0.2102027E+05, 0.3083183E+05, 0.2152303E+06, 0.2505102E+06, 0.7579791E+06,
          0.9447098E+06, 0.1036767E+07},
         {0.2968912E+05, 0.7117922E+05, 0.2359140E+06, 0.3465607E+06, 0.9855238E+06, 0.1045907E+07,
          0.1516093E+07, 0.2256979E+07}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; ++k) {
        lb_import_case c;
        begin_job(&c, jobs[k].job);
        assert_true(lb_is_calculix(&c.files[2]));
        lb_expect_ok(lb_read_case(&c, lb_read_calculix));
        assert_string_equal(c.heard, "");
        const lb_structure *s = &c.structure;
        assert_int_equal(s->node_count, jobs[k].nodes);
        assert_int_equal(s->row_count, jobs[k].rows);
        assert_int_equal(s->K.part, LB_FE_HALF);
        for (int i = 0; i < 4; ++i) {
            assert_true(c.files[i].is_used);
        }
        // 1e-12: what 14 digits leave
        expect_free(s, jobs[k].mass, 1e-9, 1e-12);
        double *clamped = lb_find_eigenvalues(s, jobs[k].clamped[0], is_interface);
        for (int i = 0; i < 8; ++i) {
            lb_expect_near("clamped", clamped[i], jobs[k].clamped[i], 6e-7); // seven digits
        }
        double *values = lb_find_eigenvalues(s, jobs[k].free[0], NULL);
        for (int i = 0; i < 8; ++i) {
            lb_expect_near("free", values[6 + i], jobs[k].free[i], 6e-7);
        }
        free(clamped);
        free(values);
        lb_end_case(&c);
    }
}

// Names say nothing, and then the wrong thing: rigid motion decides.
static void test_names_do_not_matter(void **state)
{
    (void)state;
    lb_import_case right, renamed, wrong;
    begin_job(&right, "beam");
    begin_job(&renamed, "beam");
    begin_job(&wrong, "beam");
    for (int i = 0; i < 4; ++i) {
        renamed.files[i].path = "file";
    }
    wrong.files[0].path = "beam.sti"; // is the mass
    wrong.files[3].path = "beam.mas";
    lb_expect_ok(lb_read_case(&right, lb_read_calculix));
    lb_expect_ok(lb_read_case(&renamed, lb_read_calculix));
    lb_expect_ok(lb_read_case(&wrong, lb_read_calculix));
    assert_string_equal(renamed.heard, "");
    assert_non_null(strstr(wrong.heard,
                           "warning: beam.sti:0: by its name this file is the stiffness, but "
                           "rigid motion shows that it is the mass"));
    assert_int_equal(right.structure.K.count, renamed.structure.K.count);
    assert_int_equal(right.structure.K.count, wrong.structure.K.count);
    assert_memory_equal(right.structure.M.all, wrong.structure.M.all,
                        right.structure.M.count * sizeof *right.structure.M.all);
    lb_end_case(&right);
    lb_end_case(&renamed);
    lb_end_case(&wrong);
}

// ---- Abaqus ------------------------------------------------------------------------------------

static void test_abaqus_block(void **state)
{
    (void)state;
    lb_import_case c;
    lb_begin_case(&c);
    if (!lb_add_case_file(&c, ABAQUS, "blockC3D8.inp")) {
        lb_end_case(&c);
        print_message("no %s: skipped\n", ABAQUS);
        skip();
    }
    assert_true(lb_add_case_file(&c, ABAQUS, "blockC3D8_STIF1.mtx"));
    assert_true(lb_add_case_file(&c, ABAQUS, "blockC3D8_MASS1.mtx"));
    assert_false(lb_is_abaqus(&c.files[0]));
    assert_true(lb_is_abaqus(&c.files[1]) && lb_is_abaqus(&c.files[2]));
    lb_expect_ok(lb_read_case(&c, lb_read_abaqus));
    assert_string_equal(c.heard, "");
    assert_int_equal(c.structure.node_count, 176);
    assert_int_equal(c.structure.row_count, 528);
    assert_int_equal(c.structure.K.part, LB_FE_BOTH);
    // 4 x 1 x 1 m of 2900 kg / m^3; 1e-7: coordinates have nine digits, and are of single precision
    double low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    for (int i = 0; i < c.structure.node_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], c.structure.nodes[i].x[k]);
            high[k] = fmax(high[k], c.structure.nodes[i].x[k]);
        }
    }
    expect_free(&c.structure, 2900 * (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]),
                1e-7, 1e-8);
    lb_end_case(&c);
}

// ---- Ansys -------------------------------------------------------------------------------------

static void test_ansys_rotor(void **state)
{
    static const char *const names[] = {
        "rotorAnsysMassMatrixSparse.txt", "rotorAnsysStiffnessMatrixSparse.txt",
        "rotorAnsysNodalCoordinates.txt", "rotorAnsysMatrixDofMappingVector.txt"};
    (void)state;
    lb_import_case c;
    lb_begin_case(&c);
    for (int i = 0; i < 4; ++i) {
        if (!lb_add_case_file(&c, ANSYS, names[i])) {
            lb_end_case(&c);
            print_message("no %s: skipped\n", ANSYS);
            skip();
        }
    }
    lb_expect_ok(lb_read_case(&c, lb_read_matrix_market));
    assert_string_equal(c.heard, "");
    assert_int_equal(c.structure.node_count, 115);
    assert_int_equal(c.structure.row_count, 345);
    double mass = 0.0;
    for (size_t k = 0; k < c.structure.M.count; ++k) {
        mass += c.structure.M.all[k].row == c.structure.M.all[k].column
                    ? c.structure.M.all[k].value / 3.0
                    : 0.0;
    }
    // coordinates have ten digits
    expect_free(&c.structure, mass, 1e-9, 1e-8);
    double *squares = lb_find_eigenvalues(&c.structure, 4e5, NULL);
    lb_expect_near("first", sqrt(squares[6]) / (2 * pi), 104.63701, 5e-8);
    lb_expect_near("second", sqrt(squares[7]) / (2 * pi), 104.63701, 5e-8);
    lb_expect_near("third", sqrt(squares[8]) / (2 * pi), 187.824, 3e-6);
    free(squares);
    lb_end_case(&c);
}

// ---- one structure in all forms ----------------------------------------------------------------

// A text that is written piece by piece.
typedef struct written {
    FILE *file;
    char *text;
    size_t length;
} written;

static FILE *begin_text(written *w)
{
    w->file = open_memstream(&w->text, &w->length);
    assert_non_null(w->file);
    return w->file;
}

static void add_written(lb_import_case *c, written *w, const char *name)
{
    fclose(w->file);
    c->owned[c->import.file_count] = w->text;
    lb_add_case_text(c, name, w->text);
}

static void begin_block(lb_import_case *c)
{
    begin_job(c, "block");
    lb_expect_ok(lb_read_case(c, lb_read_calculix));
}

static long get_label(const lb_structure *s, int row)
{
    return 10 * s->nodes[s->rows[row].node].id + s->rows[row].direction + 1;
}

// The rows of nodes are the same ones with the same entries, to the bit, in whatever order.
static void expect_same(const lb_structure *s, const lb_structure *expected)
{
    const size_t n = (size_t)expected->row_count, m = (size_t)s->row_count;
    assert_true(m >= n);
    assert_int_equal(s->node_count, expected->node_count);
    int *row_of = calloc(n, sizeof *row_of);
    for (size_t i = 0; i < n; ++i) {
        row_of[i] = -1;
        for (size_t k = 0; k < m; ++k) {
            if (s->rows[k].node != LB_FE_MODAL &&
                get_label(s, (int)k) == get_label(expected, (int)i)) {
                row_of[i] = (int)k;
                assert_memory_equal(s->nodes[s->rows[k].node].x,
                                    expected->nodes[expected->rows[i].node].x, 3 * sizeof(double));
            }
        }
        assert_int_not_equal(row_of[i], -1);
    }
    for (int matrix = 0; matrix < 2; ++matrix) {
        double *A = lb_make_dense(s, matrix ? &s->M : &s->K);
        double *B = lb_make_dense(expected, matrix ? &expected->M : &expected->K);
        for (size_t i = 0; i < n; ++i) {
            for (size_t j = 0; j < n; ++j) {
                assert_true(A[(size_t)row_of[i] * m + (size_t)row_of[j]] == B[i * n + j]);
            }
        }
        free(A);
        free(B);
    }
    free(row_of);
}

static void test_matrix_input_form(void **state)
{
    (void)state;
    lb_import_case block;
    begin_block(&block);
    // one triangle and the other, and all entries
    for (int form = 0; form < 3; ++form) {
        lb_import_case c;
        lb_begin_case(&c);
        assert_true(lb_add_case_file(&c, CALCULIX, "block.inp"));
        for (int matrix = 0; matrix < 2; ++matrix) {
            const lb_structure *s = &block.structure;
            const lb_fe_entries *entries = matrix ? &s->M : &s->K;
            written w;
            FILE *file = begin_text(&w);
            for (size_t k = 0; k < entries->count; ++k) {
                const long a = get_label(s, entries->all[k].row),
                           b = get_label(s, entries->all[k].column);
                const double value = entries->all[k].value;
                if (form != 1) {
                    fprintf(file, "%ld,%ld, %ld,%ld, %.17e\n", a / 10, a % 10, b / 10, b % 10,
                            value);
                }
                if (form == 1 || (form == 2 && a != b)) {
                    fprintf(file, "%ld,%ld, %ld,%ld, %.17e\r\n", b / 10, b % 10, a / 10, a % 10,
                            value);
                }
            }
            add_written(&c, &w, matrix ? "m.mtx" : "k.mtx");
        }
        assert_true(lb_is_abaqus(&c.files[1]));
        lb_expect_ok(lb_read_case(&c, lb_read_abaqus));
        assert_string_equal(c.heard, "");
        expect_same(&c.structure, &block.structure);
        lb_end_case(&c);
    }
    lb_end_case(&block);
}

static void test_coordinate_form(void **state)
{
    (void)state;
    lb_import_case block;
    begin_block(&block);
    // rows by the numbers of the nodes, and in the order of the input file, which is the opposite
    for (int form = 0; form < 2; ++form) {
        lb_import_case c;
        lb_begin_case(&c);
        for (int matrix = 1; matrix >= 0; --matrix) {
            const lb_fe_entries *entries = matrix ? &block.structure.M : &block.structure.K;
            written w;
            FILE *file = begin_text(&w);
            for (size_t k = 0; k < entries->count; ++k) {
                int rows[2] = {entries->all[k].row, entries->all[k].column};
                for (int i = 0; i < 2; ++i) {
                    const long label = get_label(&block.structure, rows[i]);
                    const long node = form ? 12 - label / 10 : label / 10 - 1;
                    rows[i] = (int)(3 * node + label % 10);
                }
                fprintf(file, "%d %d  %.17e\n", rows[0], rows[1], entries->all[k].value);
                if (rows[0] != rows[1]) {
                    fprintf(file, "%d %d  %.17e\n", rows[1], rows[0], entries->all[k].value);
                }
            }
            add_written(&c, &w, matrix ? "one.mtx" : "other.mtx");
        }
        assert_true(lb_add_case_file(&c, CALCULIX, "block.inp"));
        lb_expect_ok(lb_read_case(&c, lb_read_abaqus));
        assert_string_equal(c.heard, "");
        expect_same(&c.structure, &block.structure);
        lb_end_case(&c);
    }
    lb_end_case(&block);
}

static void write_triangle(FILE *file, const lb_structure *s, const lb_fe_entries *entries,
                           int modes)
{
    double *A = lb_make_dense(s, entries);
    const int n = s->row_count;
    for (int i = 0; i < n + modes; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double value = i < n ? A[(size_t)i * (size_t)n + (size_t)j] : (double)(i == j);
            fprintf(file, "%.17e,%s", value, j == i || j % 4 == 3 ? "\n" : " ");
        }
    }
    free(A);
}

static void test_user_element(void **state)
{
    (void)state;
    lb_import_case block, c;
    begin_block(&block);
    lb_begin_case(&c);
    written w;
    FILE *file = begin_text(&w);
    fprintf(file, "**\n*USER ELEMENT,NODES=         12,LINEAR\n** ELEMENT NODES\n**");
    for (int i = 1; i <= 12; ++i) {
        fprintf(file, "%10d,%s", i, i == 10 ? "\n**" : "");
    }
    fprintf(file, "\n  1, 2, 3\n*MATRIX,TYPE=STIFFNESS\n");
    write_triangle(file, &block.structure, &block.structure.K, 2);
    fprintf(file, "*MATRIX,TYPE=MASS\n");
    write_triangle(file, &block.structure, &block.structure.M, 2);
    fprintf(file, "*MATRIX,TYPE=GRAVITY\n1,2,3\n");
    add_written(&c, &w, "block.mtx");
    assert_true(lb_add_case_file(&c, CALCULIX, "block.inp"));
    assert_true(lb_is_abaqus(&c.files[0]) && !lb_is_abaqus(&c.files[1]));
    lb_expect_ok(lb_read_case(&c, lb_read_abaqus));
    assert_string_equal(c.heard, "");
    assert_true(c.structure.is_reduced);
    assert_int_equal(c.structure.row_count, 38);
    assert_int_equal(c.structure.rows[36].node, LB_FE_MODAL);
    expect_same(&c.structure, &block.structure);
    lb_end_case(&c);
    lb_end_case(&block);
}

// Directions of a substructure that change from node to node.
static void test_directions_of_user_element(void **state)
{
    (void)state;
    lb_import_case c;
    lb_begin_case(&c);
    lb_add_case_text(&c, "a.inp",
                     "*Heading\n title\n*NODE\n5, 1., 2.\n7, 1., 2., 3.\n9,,,4\n11, 0,0,0\n");
    lb_add_case_text(&c, "a.mtx",
                     "*user element, nodes=3, linear\n** ELEMENT NODES\n** 7, 9, 5\n1\n2, 3, 6\n"
                     "3, 2\n*matrix, type=mass\n1\n0, 1\n0, 0, 1\n0, 0, 0, 1\n"
                     "*Matrix, Type=Stiffness\n2.\n1., 2.\n0, 1., 2.\n0, 0, 1., 2.\n");
    lb_expect_ok(lb_read_case(&c, lb_read_abaqus));
    const lb_structure *s = &c.structure;
    const long expected[] = {71, 93, 96, 52};
    assert_int_equal(s->row_count, 4);
    assert_int_equal(s->node_count, 3);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(get_label(s, i), expected[i]);
    }
    assert_true(s->nodes[s->rows[3].node].x[1] == 2.0 && s->nodes[s->rows[3].node].x[2] == 0.0);
    assert_int_equal(s->K.count, 7);
    assert_int_equal(s->M.count, 4);
    lb_end_case(&c);
}

static void write_market(FILE *file, const lb_structure *s, const lb_fe_entries *entries, int form)
{
    const int n = s->row_count;
    double *A = lb_make_dense(s, entries);
    const bool is_symmetric = form % 2 == 0, is_array = form >= 2;
    size_t count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        if (pass) {
            fprintf(file, "%%%%MatrixMarket matrix %s real %s\n%% comment\n\n%d %d",
                    is_array ? "array" : "coordinate", is_symmetric ? "symmetric" : "general", n,
                    n);
            fprintf(file, is_array ? "\n" : " %zu\n", count);
        }
        for (int j = 0; j < n; ++j) {
            for (int i = is_symmetric ? j : 0; i < n; ++i) {
                const double value = A[(size_t)i * (size_t)n + (size_t)j];
                if (!pass) {
                    count += value != 0.0;
                } else if (is_array) {
                    fprintf(file, "%.17e\n", value);
                } else if (value != 0.0) {
                    fprintf(file, "%d %d %.17e\n", i + 1, j + 1, value);
                }
            }
        }
    }
    free(A);
}

static void write_map(FILE *file, const lb_structure *s, int form)
{
    static const char *const names[] = {"UX", "UY", "UZ"};
    if (form == 0) {
        fprintf(file, "%%%%MatrixMarket matrix array integer general\n%d 1\n", s->row_count / 3);
    } else if (form == 4) {
        fprintf(file, "  Matrix Eqn     Node     DOF\n");
    }
    for (int i = 0; i < s->row_count; ++i) {
        const int node = (int)s->nodes[s->rows[i].node].id, d = s->rows[i].direction;
        if (form <= 1) {
            if (d == 0) {
                fprintf(file, "%d\n", node);
            }
        } else if (form == 2) {
            fprintf(file, "%d.%d\n", node, d + 1);
        } else if (form == 3) {
            fprintf(file, "%d\t%d\n", node, d + 1);
        } else {
            fprintf(file, "%10d%10d     %s\n", i + 1, node, names[d]);
        }
    }
}

static void write_comma(FILE *file, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.12e", value);
    *strchr(text, '.') = ',';
    fputs(text, file);
}

static void write_coordinates(FILE *file, const lb_structure *s, int form)
{
    fprintf(file, "%s",
            form == 4 ? " LIST ALL SELECTED NODES.\n\n   NODE   X   Y   Z  THXY\n"
                      : "Node;x;y;z\n");
    for (int i = 0; i < s->node_count; ++i) {
        const lb_fe_grid *node = &s->nodes[i];
        fprintf(file, "%ld", node->id);
        for (int k = 0; k < 3; ++k) {
            fputs(form == 0 ? "\t" : form == 1 ? ";" : form == 2 ? ", " : "  ", file);
            if (form == 2 || form == 4) {
                fprintf(file, "%.17g", node->x[k]);
            } else {
                write_comma(file, node->x[k]);
            }
        }
        fputs(form == 0 ? "\t\n" : form == 4 ? " 0.00 0.00 0.00\n" : "\n", file);
    }
}

static void test_market_forms(void **state)
{
    (void)state;
    lb_import_case block;
    begin_block(&block);
    for (int form = 0; form < 20; ++form) {
        lb_import_case c;
        lb_begin_case(&c);
        written w;
        write_coordinates(begin_text(&w), &block.structure, form / 4);
        add_written(&c, &w, "nodes.txt");
        write_market(begin_text(&w), &block.structure, &block.structure.M, form % 4);
        add_written(&c, &w, "a.txt");
        write_map(begin_text(&w), &block.structure, form % 5);
        add_written(&c, &w, "map.txt");
        write_market(begin_text(&w), &block.structure, &block.structure.K, form % 4);
        add_written(&c, &w, "b.txt");
        assert_true(lb_is_matrix_market(&c.files[1]));
        const lb_status status = lb_read_case(&c, lb_read_matrix_market);
        assert_string_equal(c.heard, "");
        lb_expect_ok(status);
        expect_same(&c.structure, &block.structure);
        lb_end_case(&c);
    }
    lb_end_case(&block);
}

// ---- input files -------------------------------------------------------------------------------

// Blocks, comments, small letters, lines that go on, instances that are moved, included files.
static void test_input_files(void **state)
{
    (void)state;
    lb_import_case c;
    lb_begin_case(&c);
    lb_add_case_text(&c, "k", "1 1 1.\n1 2 -1.\n2 2 1.\n");
    lb_add_case_text(&c, "m", "1 1 1.\n1 2 0.\n2 2 1.\n");
    lb_add_case_text(&c, "d", "1.3\n3.3\n");
    lb_add_case_text(
        &c, "folder/a.inp",
        "** comment\n* heading\n*NODE\n*include, input=../x/b.inp\n* Part, name=p\n* node,\n"
        " nset=all\n 1, 1., 2., 3.\n** in between\n\n 2, 5\n*End Part\n*Assembly\n"
        "*Instance, name=i, part=p\n 10., 0., 0.\n 0., 0., 0., 0., 0., 5., 90.\n*End instance\n"
        "*Node\n 4, 7., 8., 9., 0.1, 0.2, 0.3\n*END ASSEMBLY\n");
    lb_add_case_text(&c, "b.inp", "*NODE, NSET=MORE, SYSTEM=R\n3, 1.D1, .5, -2.\n");
    lb_expect_ok(lb_read_case(&c, lb_read_calculix));
    assert_string_equal(c.heard, "");
    assert_int_equal(c.structure.node_count, 2);
    // (1, 2, 3) + (10, 0, 0), then a quarter of a turn about z
    const double first[3] = {-2, 11, 3}, second[3] = {10, 0.5, -2};
    lb_expect_within("moved", c.structure.nodes[0].x, first, 3, 1e-14);
    lb_expect_within("included", c.structure.nodes[1].x, second, 3, 0.0);
    lb_end_case(&c);
}

// ---- roles -------------------------------------------------------------------------------------

static const char deck[] = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n";
static const char dof[] = "1.1\n2.1\n";
static const char held[] = "1 1 3.\n1 2 -1.\n2 2 2.\n", mass[] = "1 1 2.\n1 2 1.\n2 2 2.\n";
static const char loose[] = "1 1 3.\n1 2 -3.\n2 2 3.\n";

static void begin_roles(lb_import_case *c, const char *k, const char *k_name, const char *m,
                        const char *m_name)
{
    lb_begin_case(c);
    lb_add_case_text(c, "a.inp", deck);
    lb_add_case_text(c, "a.dof", dof);
    lb_add_case_text(c, k_name, k);
    lb_add_case_text(c, m_name, m);
}

static void test_roles(void **state)
{
    (void)state;
    lb_import_case c;
    // held, and names that say nothing
    begin_roles(&c, held, "one", mass, "two");
    assert_int_equal(lb_read_case(&c, lb_read_calculix), LB_E_SYNTAX);
    assert_non_null(strstr(c.heard, "it is not clear which of 'one' and 'two' is the stiffness"));
    lb_end_case(&c);
    // names that say it
    begin_roles(&c, held, "dir.mas/x_Stif1.mtx", mass, "x_MASS1.mtx");
    lb_expect_ok(lb_read_case(&c, lb_read_calculix));
    assert_non_null(strstr(
        c.heard, "taken for the stiffness because of its name, and 'x_MASS1.mtx' for the mass"));
    assert_true(c.structure.K.all[0].value == 3.0);
    lb_end_case(&c);
    // the user
    for (int i = 0; i < 3; ++i) {
        begin_roles(&c, held, "x.mas", mass, "x.sti");
        c.files[2].role = i == 1 ? LB_FILE_ANY : LB_FILE_STIFFNESS;
        c.files[3].role = i == 2 ? LB_FILE_ANY : LB_FILE_MASS;
        lb_expect_ok(lb_read_case(&c, lb_read_calculix));
        assert_string_equal(c.heard, "");
        assert_true(c.structure.K.all[0].value == 3.0);
        lb_end_case(&c);
    }
    // what cannot be
    begin_roles(&c, loose, "one", mass, "two");
    c.files[2].role = LB_FILE_MASS;
    assert_int_equal(lb_read_case(&c, lb_read_calculix), LB_E_SYNTAX);
    assert_non_null(strstr(
        c.heard, "error: one:0: this file is given as the mass, but its entries add up to no "
                 "mass at all"));
    lb_end_case(&c);
    begin_roles(&c, loose, "one", mass, "two");
    c.files[2].role = c.files[3].role = LB_FILE_STIFFNESS;
    assert_int_equal(lb_read_case(&c, lb_read_calculix), LB_E_SYNTAX);
    assert_non_null(strstr(c.heard, "two files are given as the stiffness"));
    lb_end_case(&c);
    begin_roles(&c, loose, "one", loose, "two");
    assert_int_equal(lb_read_case(&c, lb_read_calculix), LB_E_SYNTAX);
    assert_non_null(strstr(c.heard, "it is not clear which"));
    lb_end_case(&c);
}

static void test_damping(void **state)
{
    static const char head[] = "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n";
    (void)state;
    for (int named = 0; named < 2; ++named) {
        lb_import_case c;
        char texts[3][256];
        const char *const bodies[] = {loose, mass, loose};
        lb_begin_case(&c);
        lb_add_case_text(&c, "nodes", "1 0 0 0\n2 1 0 0\n");
        lb_add_case_text(&c, "map", "1 1\n2 UX\n");
        for (int i = 0; i < 3; ++i) {
            snprintf(texts[i], sizeof texts[i], "%s%s", head, bodies[i]);
            lb_add_case_text(&c, "matrix", texts[i]);
        }
        c.files[4].role = named ? LB_FILE_DAMPING : LB_FILE_ANY;
        assert_int_equal(lb_read_case(&c, lb_read_matrix_market), named ? LB_OK : LB_E_SYNTAX);
        assert_int_equal(c.structure.C.count, named ? 3 : 0);
        lb_end_case(&c);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calculix),
        cmocka_unit_test(test_names_do_not_matter),
        cmocka_unit_test(test_abaqus_block),
        cmocka_unit_test(test_ansys_rotor),
        cmocka_unit_test(test_matrix_input_form),
        cmocka_unit_test(test_coordinate_form),
        cmocka_unit_test(test_user_element),
        cmocka_unit_test(test_directions_of_user_element),
        cmocka_unit_test(test_market_forms),
        cmocka_unit_test(test_input_files),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_damping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
