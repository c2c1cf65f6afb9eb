// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Displacements of grids and forces of elements (MUG1, MEF1, MES1) of superelements that Nastran wrote, in static
// equilibrium, against the stiffness of the superelement. The files are no part of this project: they are read from
// ../shared/fe beside the source tree; where there is none the test is skipped.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dense.h"
#include "body_file.h"
#include "check.h"
#include "heard.h"
#include "nastran_files.h"
#include "scratch.h"

#define SHARED lb_find_source("../shared/fe/nastran/extseout")

enum { MODES = 5 };

// Displacements of all rows under a unit load, grid 3 held: row `direction` of a grid, body axes, moments first.
static void solve(const lb_structure *structure, int grid, int direction, double *u)
{
    const int n = structure->row_count;
    double *K = lb_make_numbers((size_t)(n * n)), *part = lb_make_numbers((size_t)(n * n)),
           *f = lb_make_numbers((size_t)n);
    int *free_rows = calloc((size_t)n + 1, sizeof *free_rows),
        *pivot = calloc((size_t)n, sizeof *pivot), count = 0;
    assert_true(free_rows && pivot);
    for (size_t i = 0; i < structure->K.count; ++i) {
        const lb_fe_entry *entry = &structure->K.all[i];
        K[entry->row * n + entry->column] = entry->value;
        if (structure->K.part == LB_FE_HALF) {
            K[entry->column * n + entry->row] = entry->value;
        }
    }
    for (int i = 0; i < n; ++i) {
        const lb_fe_row *row = &structure->rows[i];
        free_rows[count] = i;
        count += row->node == LB_FE_MODAL || structure->nodes[row->node].id != 3;
    }
    for (int i = 0; i < count; ++i) {
        const lb_fe_row *row = &structure->rows[free_rows[i]];
        if (row->node == grid && (row->direction >= 3) == (direction < 3)) {
            f[i] = structure->nodes[grid].axes[direction % 3][row->direction % 3];
        }
        for (int j = 0; j < count; ++j) {
            part[i * count + j] = K[free_rows[i] * n + free_rows[j]];
        }
    }
    assert_true(lb_factor_lu(count, part, pivot));
    lb_solve_lu(count, part, pivot, f);
    memset(u, 0, (size_t)n * sizeof *u);
    for (int i = 0; i < count; ++i) {
        u[free_rows[i]] = f[i];
    }
    free(K);
    free(part);
    free(f);
    free(free_rows);
    free(pivot);
}

// Index of a row of the body by its name.
static int find(const lb_flex_recovery *recovery, const char *name)
{
    int i = 0;
    while (i < recovery->row_count && strcmp(recovery->names[i], name) != 0) {
        ++i;
    }
    return i;
}

static void check_part(const char *name)
{
    static lb_test_import test;
    static const long clamp[] = {3};
    const lb_named_node nodes[] = {{"a", 11}, {"b", 27}};
    const char *names[4] = {NULL};
    char files[3][64];
    lb_structure structure = {.row_count = 0};
    lb_import_options options = lb_default_import_options();
    lb_start_test_import(&test);
    for (int i = 0; i < 3; ++i) {
        static const char *const ends[] = {"pch", "op4", "asm"};
        char path[512];
        snprintf(files[i], sizeof files[i], "%s.%s", name, ends[i]);
        snprintf(path, sizeof path, "%s/%s", SHARED, files[i]);
        names[i] = files[i];
        assert_true(lb_add_test_file(&test, path));
    }
    lb_expect_ok(lb_read_nastran(&test.import, &structure));
    options.clamp = clamp;
    options.clamp_count = 1;
    options.nodes = nodes;
    options.node_count = 2;
    options.mode_count = MODES;
    lb_keep_body(lb_import_folder(SHARED, names, &options), "part.flex");
    lb_flex_body *body = lb_load_body("part.flex", NULL);
    const lb_flex_options *flex = lb_get_flex_options(body);
    const lb_flex_recovery *recovery = flex->recovery;
    assert_true(recovery && recovery->forces && structure.recovery_count > 0);
    double *u = lb_make_numbers((size_t)structure.row_count);
    int count = 0;
    double largest[3] = {0}; // of each matrix under any of the loads
    for (int turn = 0; turn < 24; ++turn) {
        const int load = turn % 12, node = load / 6;
        solve(&structure, lb_find_grid(&test.import, &structure, nodes[node].id), load % 6, u);
        for (int k = 0; k < structure.recovery_count; ++k) {
            const lb_fe_recovery *whole = &structure.recovery[k];
            double expected[512], found[512];
            assert_true(whole->rows <= 512);
            for (int i = 0; i < whole->rows; ++i) {
                const int row = find(recovery, whole->what[i]);
                assert_true(row < recovery->row_count);
                expected[i] =
                    lb_compute_dot(structure.row_count, whole->A + i * structure.row_count, u);
                // at rest: modes by their stiffness, and what they leave out
                found[i] = recovery->forces[12 * row + load];
                for (int r = 0; r < MODES; ++r) {
                    found[i] += recovery->modes[row * MODES + r] *
                                flex->nodes[node].shape[6 * r + load % 6] /
                                flex->stiffness[r * MODES + r];
                }
                largest[k] = fmax(largest[k], fabs(expected[i]));
                count += turn >= 12;
            }
            // 1e-9: digits of K that springs of 1e7 and flexibilities of 1e-3 leave; 1e-14: where all terms are zero
            // but for rounding, as forces of the inboard elements
            const double noise = 1e-14 *
                                 lb_get_largest(whole->rows * structure.row_count, whole->A) *
                                 lb_get_largest(structure.row_count, u);
            if (turn >= 12) {
                lb_expect_within(whole->name, found, expected, whole->rows,
                                 1e-9 * largest[k] + noise);
            }
        }
    }
    print_message("%s: %d numbers\n", name, count);
    free(u);
    lb_destroy_flex_body(body);
    lb_free_structure(&structure);
    lb_end_test_import(&test);
}

static void superelements_recover_statics(void **state)
{
    (void)state;
    if (access(lb_find_source("../shared/fe/nastran/extseout/inboard.op4"), R_OK) != 0) {
        print_message("%s is not there\n", SHARED);
        skip();
    }
    check_part("outboard");
    check_part("inboard");
}

static int enter(void **state)
{
    (void)state;
    return lb_enter_scratch_folder() ? 0 : -1;
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(superelements_recover_statics)};
    return cmocka_run_group_tests(tests, enter, NULL);
}
