// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The trap of a free body: its stiffness is singular, but rounding hides that, so that factors of it exist. A search
// with them, without a shift, is compared with all eigenpairs by LAPACK, and so is the way an import takes. The mesh is a
// brick of 20-node elements, integrated at 27 points (C3D20), whose matrices have the digits of files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/import.h"
#include "scratch.h"
#include "solids.h"
#include "structure/fe.h"

enum { RIGID = 6, COUNT = 12 };

typedef struct solid {
    lb_fe_context context;
    lb_fe_matrix K, M;
    double *dense_K, *dense_M; // by columns
    char message[256];
} solid;

static void keep_message(void *user, const lb_diagnostic *diagnostic)
{
    solid *s = user;
    snprintf(s->message, sizeof s->message, "%s", diagnostic->message);
}

// Lines `row column value` of one triangle.
static void read_dense(const char *path, int n, double *A)
{
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    int row, column;
    double value;
    while (fscanf(in, "%d %d %lf", &row, &column, &value) == 3) {
        A[(column - 1) * n + row - 1] = A[(row - 1) * n + column - 1] = value;
    }
    fclose(in);
}

static void make_solid(solid *s)
{
    const lb_solid_options o = {.cells = {4, 2, 2}, .size = {80, 40, 40}};
    int n, last;
    memset(s, 0, sizeof *s);
    const lb_report report = {keep_message, s};
    lb_fe_init(&s->context, NULL, &report);
    assert_true(lb_write_solid(&o, ".", "solid", &n, &last));
    const size_t size = (size_t)n * (size_t)n;
    assert_true(LB_FE_TAKE(&s->context, s->dense_K, size));
    assert_true(LB_FE_TAKE(&s->context, s->dense_M, size));
    assert_true(LB_FE_TAKE(&s->context, s->K.start, n + 1));
    assert_true(LB_FE_TAKE(&s->context, s->K.row, size));
    assert_true(LB_FE_TAKE(&s->context, s->K.value, size));
    assert_true(LB_FE_TAKE(&s->context, s->M.value, size));
    read_dense("solid.sti", n, s->dense_K);
    read_dense("solid.mas", n, s->dense_M);
    int used = 0;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const double k = s->dense_K[j * n + i], m = s->dense_M[j * n + i];
            if (k != 0.0 || m != 0.0) {
                s->K.row[used] = i;
                s->K.value[used] = k;
                s->M.value[used++] = m;
            }
        }
        s->K.start[j + 1] = used;
    }
    s->K.n = s->M.n = n;
    s->M.start = s->K.start;
    s->M.row = s->K.row;
}
// All squared frequencies by LAPACK, which takes the singular stiffness as it is.
static double *find_all(solid *s)
{
    double *squares;
    assert_true(LB_FE_TAKE(&s->context, squares, s->K.n));
    lb_expect_ok(lb_fe_solve_dense(s->K.n, s->dense_K, s->dense_M, squares));
    print_message("rigid motions at %.1e to %.1e, the first mode at %.6e\n", squares[0],
                  squares[RIGID - 1], squares[RIGID]);
    return squares;
}

static const lb_fe_library libraries[] = {LB_FE_SUPERLU, LB_FE_MUMPS};

static lb_fe_factors *factor(solid *s, lb_fe_library library, double shift)
{
    lb_status status;
    lb_fe_factors *factors = lb_fe_factor_by(library, &s->K, &s->M, shift, &status);
    assert_true(factors || status == LB_E_UNSUPPORTED);
    return factors;
}

// The search as a program runs it that trusts its factors. Returns how many of the modes are right to six digits.
static int count_right(solid *s, lb_fe_factors *factors, double shift, const double *all)
{
    lb_fe_lanczos *z = lb_fe_start_lanczos(&s->context.arena.allocator, &s->M, RIGID + COUNT, 0);
    assert_non_null(z);
    const lb_fe_search search = {.skip = RIGID, .count = COUNT, .shift = shift};
    const lb_status status = lb_fe_run_lanczos(z, factors, &search, RIGID + COUNT, false);
    int right = 0;
    for (int i = RIGID; i < RIGID + COUNT && status == LB_OK; ++i) {
        const double square = 1 / lb_fe_get_mu(z, i) - shift;
        right += fabs(square / all[i] - 1) < 1e-6;
        print_message("%s%.6e", i == RIGID ? "found " : " ", square);
    }
    print_message("%s\n", status == LB_OK ? "" : "nothing found");
    lb_fe_end_lanczos(z);
    return right;
}

static void without_a_shift_factors_exist_and_lead_to_modes_that_are_none(void **state)
{
    (void)state;
    solid s;
    make_solid(&s);
    const double *all = find_all(&s);
    for (int i = 0; i < 2; ++i) {
        lb_fe_factors *none = factor(&s, libraries[i], 0.0);
        if (!none) {
            continue;
        }
        // rounding decides what the search converges to, if it does: a rigid motion outweighs all modes
        assert_true(count_right(&s, none, 0.0, all) < COUNT);
        lb_fe_free_factors(none);
        const double shift = all[RIGID] / 10;
        lb_fe_factors *shifted = factor(&s, libraries[i], shift);
        assert_int_equal(count_right(&s, shifted, shift, all), COUNT);
        lb_fe_free_factors(shifted);
    }
    lb_arena_free(&s.context.arena);
}

static void a_search_without_a_shift_is_refused(void **state)
{
    (void)state;
    solid s;
    double squares[COUNT], *vectors;
    make_solid(&s);
    assert_true(LB_FE_TAKE(&s.context, vectors, COUNT * (size_t)s.K.n));
    for (int i = 0; i < 2; ++i) {
        lb_fe_search search = {.skip = RIGID, .count = COUNT, .library = libraries[i]};
        const lb_status status =
            lb_fe_search_modes(&s.context, &search, &s.K, &s.M, squares, vectors);
        print_message("%s\n", s.message);
        assert_true(status == LB_E_SINGULAR || status == LB_E_UNSUPPORTED);
    }
    assert_non_null(strstr(s.message, "the stiffness is not positive"));
    lb_arena_free(&s.context.arena);
}

static void an_import_of_the_same_files_is_right(void **state)
{
    (void)state;
    static const char *const files[] = {"solid.sti", "solid.mas", "solid.dof", "solid.inp"};
    // CalculiX 2.20, without a shift: make_solid . brick 4 2 2 free full; ccx solid. It prints seven digits, five of which
    // are right; the pair at 1.7625561E+10, equal by symmetry, is apart by 3e-6
    static const double calculix[COUNT] = {
        0.1358891E+11, 0.1762551E+11, 0.1762556E+11, 0.3954404E+11, 0.4995726E+11, 0.4995726E+11,
        0.5484017E+11, 0.7148516E+11, 0.7756658E+11, 0.1025724E+12, 0.1034916E+12, 0.1034916E+12};
    const lb_named_node node = {"tip", 1};
    solid s;
    make_solid(&s);
    const double *all = find_all(&s);
    lb_import_options options = lb_default_import_options();
    options.files = files;
    options.file_count = 4;
    options.mode_count = COUNT;
    options.nodes = &node;
    options.node_count = 1;
    lb_imported *imported;
    lb_expect_ok(lb_import_files(&options, NULL, NULL, &imported));
    const lb_flex_options *flex = lb_get_imported_options(imported);
    assert_int_equal(flex->mode_count, COUNT);
    for (int i = 0; i < COUNT; ++i) {
        // 1e-10: rounding of K moves rigid motions by 1e-12 of the first mode
        const double square = flex->stiffness[i * (COUNT + 1)];
        print_message("off LAPACK by %.1e, off CalculiX by %.1e\n", square / all[RIGID + i] - 1,
                      square / calculix[i] - 1);
        lb_expect_near("square", square, all[RIGID + i], 1e-10);
        lb_expect_near("square of CalculiX", square, calculix[i], 5e-6);
    }
    lb_destroy_imported(imported);
    lb_arena_free(&s.context.arena);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_shift_factors_exist_and_lead_to_modes_that_are_none),
        cmocka_unit_test(a_search_without_a_shift_is_refused),
        cmocka_unit_test(an_import_of_the_same_files_is_right),
    };
    return lb_enter_scratch_folder() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
