// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Finite elements of own beams and frames as files that the readers of matrices understand.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/faults.h"
#include "import/body_file/flex_file.h"
#include "import/imported.h"

// ---- files -------------------------------------------------------------------------------------

// A folder that is being filled.
typedef struct export_folder {
    const char *path;
    const lb_report *report;
} export_folder;

static lb_status make_folder(const export_folder *folder)
{
    if (mkdir(folder->path, 0777) == 0 || errno == EEXIST) {
        return LB_OK;
    }
    lb_faults faults = {.report = folder->report ? *folder->report : (lb_report){0}};
    lb_complain(&faults, LB_SEVERITY_ERROR, "", "", "%s: the folder cannot be made: %s",
                folder->path, strerror(errno));
    return LB_E_FILE;
}

static lb_status write_file(const export_folder *folder, const char *name, lb_printer *print,
                            const void *data)
{
    char path[4096], *text = NULL;
    snprintf(path, sizeof path, "%.4000s/%.80s", folder->path, name);
    lb_status status = lb_print_report(print, data, &text);
    if (status == LB_OK) {
        status = lb_write_bytes(text, strlen(text), path, folder->report);
    }
    free(text);
    return status;
}

// ---- contents ----------------------------------------------------------------------------------

typedef struct matrix_content {
    const lb_fe_matrix *A;
    const char *what;
} matrix_content;

// The lower triangle, without zeros.
static void write_matrix(FILE *out, const void *data)
{
    const matrix_content *c = data;
    const lb_fe_matrix *A = c->A;
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        if (pass == 1) {
            fprintf(out, "%%%%MatrixMarket matrix coordinate real symmetric\n%% %s\n%d %d %d\n",
                    c->what, A->n, A->n, count);
        }
        for (int j = 0; j < A->n; ++j) {
            for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
                if (A->row[k] < j || A->value[k] == 0) {
                    continue;
                }
                if (pass == 0) {
                    ++count;
                } else {
                    fprintf(out, "%d %d %.17g\n", A->row[k] + 1, j + 1, A->value[k]);
                }
            }
        }
    }
}

static void write_rows(FILE *out, const void *data)
{
    const lb_fe *fe = data;
    for (int i = 0; i < fe->node_count * LB_FE_DOFS; ++i) {
        fprintf(out, "%d.%d\n", i / LB_FE_DOFS + 1, i % LB_FE_DOFS + 1);
    }
}

static void write_nodes(FILE *out, const void *data)
{
    const lb_fe *fe = data;
    fputs("node x y z\n", out);
    for (int i = 0; i < fe->node_count; ++i) {
        const double *x = fe->nodes[i].x;
        fprintf(out, "%d %.17g %.17g %.17g\n", i + 1, x[0], x[1], x[2]);
    }
}

// ---- loads -------------------------------------------------------------------------------------

// Accelerations a + A x of a body that moves as a load of inertia says.
static lb_fe_load get_inertia_load(int i)
{
    lb_fe_load load = {.joint = -1};
    if (i < 3) {
        const int b = (i + 1) % 3, c = (i + 2) % 3;
        load.A[c][b] = 1.0; // e_a x x
        load.A[b][c] = -1.0;
    } else if (i < 6) {
        load.a[i - 3] = 1.0;
    } else if (i < 9) {
        load.A[(i + 1) % 3][(i + 1) % 3] = load.A[(i + 2) % 3][(i + 2) % 3] = -1.0;
    } else {
        static const int axes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
        const int a = axes[i - 9][0], b = axes[i - 9][1];
        load.A[a][b] = load.A[b][a] = 1.0;
    }
    return load;
}

static lb_status write_geometric(const export_folder *folder, lb_fe_geometric *g,
                                 const lb_fe_load *load, const char *load_name, lb_fe_matrix *G)
{
    char name[96], what[96];
    const lb_status status = lb_fe_form_geometric(g, load, G);
    snprintf(name, sizeof name, "geometric-%s.mtx", load_name);
    snprintf(what, sizeof what, "geometric stiffness, load %s", load_name);
    const matrix_content content = {G, what};
    return status ? status : write_file(folder, name, write_matrix, &content);
}

static lb_status write_all_geometric(const export_folder *folder, lb_fe_geometric *g,
                                     lb_fe_matrix *G)
{
    lb_status status = LB_OK;
    for (int i = 0; i < LB_INERTIA_LOADS && status == LB_OK; ++i) {
        const lb_fe_load load = get_inertia_load(i);
        status = write_geometric(folder, g, &load, lb_inertia_load_names[i], G);
    }
    for (int j = 0; j < g->fe->joint_count && status == LB_OK; ++j) {
        // where a support takes the force, it deforms nothing
        const bool is_held = g->held[LB_FE_DOFS * j];
        for (int k = 0; k < 3 && status == LB_OK && g->fe->joints[j].name && !is_held; ++k) {
            lb_fe_load load = {.joint = j};
            char name[32];
            load.force[k] = 1.0;
            snprintf(name, sizeof name, "f%c@%d", 'x' + k, j + 1);
            status = write_geometric(folder, g, &load, name, G);
        }
    }
    return status;
}

// ---- the whole ---------------------------------------------------------------------------------

static lb_status write_plan(lb_fe_context *context, const lb_fe_plan *plan,
                            const export_folder *folder)
{
    lb_fe fe = {.node_count = 0};
    lb_fe_modes modes = {.count = 0};
    lb_fe_geometric g = {.fe = NULL};
    lb_fe_matrix K, M;
    int root = 0;
    lb_status status = lb_fe_mesh(context, plan->frame, plan->starts, &fe);
    if (status == LB_OK && plan->shape_count > 0) {
        modes.fixed = &root;
        modes.fixed_count = 1;
    } else if (status == LB_OK) {
        status = lb_fe_find_fixed(context, &fe, plan->frame->modes, &modes);
    }
    if (status == LB_OK) {
        status = lb_fe_start_geometric(context, &fe, modes.fixed, modes.fixed_count, &g, &K, &M);
    }
    const matrix_content stiffness = {&K, "stiffness"}, mass = {&M, "mass"};
    status = status ? status : make_folder(folder);
    status = status ? status : write_file(folder, "stiffness.mtx", write_matrix, &stiffness);
    status = status ? status : write_file(folder, "mass.mtx", write_matrix, &mass);
    status = status ? status : write_file(folder, "rows.txt", write_rows, &fe);
    status = status ? status : write_file(folder, "nodes.txt", write_nodes, &fe);
    status = status ? status : write_all_geometric(folder, &g, &K); // K is written already
    lb_fe_end_geometric(&g);
    return status;
}

// Of a beam or of a frame; the other is NULL.
static lb_status write_either(const lb_beam_options *beam, const lb_frame_options *frame,
                              const char *folder, const lb_report *report)
{
    const export_folder to = {folder, report};
    lb_fe_context context;
    lb_fe_plan plan;
    lb_fe_init(&context, NULL, report);
    lb_status status =
        beam ? lb_fe_plan_beam(&context, beam, &plan) : lb_fe_plan_frame(&context, frame, &plan);
    status = status ? status : write_plan(&context, &plan, &to);
    lb_arena_free(&context.arena);
    return status;
}

lb_status lb_write_beam_matrices(const lb_beam_options *options, const char *folder,
                                 const lb_report *report)
{
    return write_either(options, NULL, folder, report);
}

lb_status lb_write_frame_matrices(const lb_frame_options *options, const char *folder,
                                  const lb_report *report)
{
    return write_either(NULL, options, folder, report);
}
