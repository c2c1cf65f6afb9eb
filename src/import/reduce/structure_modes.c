// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Rigid motions and modes of a structure.
#include "reduction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/symmetric.h"

// ---- rows --------------------------------------------------------------------------------------

int *lb_index_rows(lb_import *import, const lb_structure *structure)
{
    int *index;
    if (!LB_IMPORT_TAKE(import, index, 6 * (size_t)structure->node_count)) {
        return NULL;
    }
    for (int i = 0; i < 6 * structure->node_count; ++i) {
        index[i] = -1;
    }
    for (int i = 0; i < structure->row_count; ++i) {
        const lb_fe_row *row = &structure->rows[i];
        if (row->node != LB_FE_MODAL) {
            index[6 * row->node + row->direction] = i;
        }
    }
    return index;
}

void lb_get_node_shape(const lb_structure *structure, const lb_reduction *r, const int *rows,
                       int node, double *shape)
{
    const lb_fe_grid *grid = &structure->nodes[node];
    memset(shape, 0, 6 * (size_t)r->mode_count * sizeof *shape);
    for (int m = 0; m < r->mode_count; ++m) {
        const double *phi = r->Phi + (size_t)m * (size_t)r->n;
        for (int d = 0; d < 6; ++d) {
            const int row = rows[6 * node + d];
            for (int c = 0; row >= 0 && c < 3; ++c) {
                // the shape has rotations first
                shape[6 * m + (d < 3 ? 3 : 0) + c] += grid->axes[c][d % 3] * phi[row];
            }
        }
    }
}

void lb_find_box(const lb_structure *structure, double box[3])
{
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < structure->node_count; ++i) {
            low = fmin(low, structure->nodes[i].x[k]);
            high = fmax(high, structure->nodes[i].x[k]);
        }
        box[k] = high - low;
    }
}

// ---- rigid motions -----------------------------------------------------------------------------

// Row d of a node at x with axes a moves by a_d . e_k in a translation, and by a_d . (e_k x x) or, if it is a
// rotation, by a_d . e_k in a turn. (IMP-1)
double lb_get_rigid_motion(const lb_fe_grid *grid, int direction, int motion)
{
    const int d = direction % 3, k = motion % 3;
    if (motion < 3) {
        return direction < 3 ? grid->axes[k][d] : 0.0;
    }
    if (direction >= 3) {
        return grid->axes[k][d];
    }
    const int i = (k + 1) % 3, j = (k + 2) % 3; // (e_k x x)_i = -x_j, (e_k x x)_j = x_i
    return grid->axes[j][d] * grid->x[i] - grid->axes[i][d] * grid->x[j];
}

lb_status lb_find_rigid_motions(lb_import *import, const lb_structure *structure,
                                const lb_fe_matrix *K, const lb_fe_matrix *M, lb_reduction *r)
{
    const int n = structure->row_count;
    const size_t size = 6 * (size_t)n;
    double *most;
    r->n = n;
    if (!LB_IMPORT_TAKE(import, r->R, size) || !LB_IMPORT_TAKE(import, r->MR, size) ||
        !LB_IMPORT_TAKE(import, r->KR, size) || !LB_IMPORT_TAKE(import, most, n)) {
        return LB_E_MEMORY;
    }
    r->grounding = 0.0;
    int free_count = 0;
    for (int motion = 0; motion < 6; ++motion) {
        double *x = r->R + (size_t)motion * (size_t)n, *y = r->KR + (size_t)motion * (size_t)n;
        for (int i = 0; i < n; ++i) {
            const lb_fe_row *row = &structure->rows[i];
            x[i] = row->node == LB_FE_MODAL
                       ? 0.0
                       : lb_get_rigid_motion(&structure->nodes[row->node], row->direction, motion);
        }
        lb_fe_multiply(M, x, r->MR + (size_t)motion * (size_t)n);
        lb_fe_multiply(K, x, y);
        // what the forces would be if nothing cancelled
        memset(most, 0, (size_t)n * sizeof *most);
        for (int j = 0; j < n; ++j) {
            for (int k = K->start[j]; k < K->start[j + 1]; ++k) {
                most[K->row[k]] += fabs(K->value[k] * x[j]);
            }
        }
        double force = 0.0, largest = 0.0;
        for (int i = 0; i < n; ++i) {
            force = fmax(force, fabs(y[i]));
            largest = fmax(largest, most[i]);
        }
        const double ratio = largest > 0.0 ? force / largest : 0.0;
        r->grounding = fmax(r->grounding, ratio);
        // 1e-6: matrices of ten digits leave 1e-9; a spring to the ground of that ratio is none
        r->is_free[motion] = ratio < 1e-6;
        free_count += r->is_free[motion];
    }
    r->free_count = free_count;
    return LB_OK;
}

// ---- modes -------------------------------------------------------------------------------------

lb_status lb_extract_matrix(lb_import *import, const lb_fe_matrix *A, const int *number, int n,
                            lb_fe_matrix *part)
{
    int count = 0;
    part->n = n;
    if (!LB_IMPORT_TAKE(import, part->start, n + 1) ||
        !LB_IMPORT_TAKE(import, part->row, A->start[A->n]) ||
        !LB_IMPORT_TAKE(import, part->value, A->start[A->n])) {
        return LB_E_MEMORY;
    }
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->start[j]; number[j] >= 0 && k < A->start[j + 1]; ++k) {
            if (number[A->row[k]] >= 0) {
                part->row[count] = number[A->row[k]];
                part->value[count++] = A->value[k];
            }
        }
        if (number[j] >= 0) {
            part->start[number[j] + 1] = count;
        }
    }
    return LB_OK;
}

// A number of the order of the lowest squared frequency: a fraction of that of a node on its own.
static double guess_square(const lb_fe_matrix *K, const lb_fe_matrix *M)
{
    const double least = lb_fe_find_slowest(K, M);
    return isfinite(least) ? 1e-3 * least : 1.0;
}

// Rows that M gives inertia: there are no more modes than those.
static int count_masses(const lb_fe_matrix *M)
{
    int count = 0;
    for (int j = 0; j < M->n; ++j) {
        for (int k = M->start[j]; k < M->start[j + 1]; ++k) {
            count += M->row[k] == j && M->value[k] > 0.0;
        }
    }
    return count;
}

enum { MODES_UNASKED = 50 };

#define LOOSE                                                                                      \
    "with the clamped nodes%s held, the structure can still move as a rigid body: take nodes "     \
    "that "                                                                                        \
    "hold it in all six motions, such as three that are not in a line"

// Why a search failed. It becomes an error of the import unless another search does better.
typedef struct search_problem {
    char text[256];
} search_problem;

static void keep_problem(void *user, const lb_diagnostic *diagnostic)
{
    search_problem *problem = user;
    snprintf(problem->text, sizeof problem->text, "%s", diagnostic->message);
}

// Searches for `count` modes, with a shift that fits the lowest.
static lb_status search(lb_import *import, const lb_fe_matrix *K, const lb_fe_matrix *M, int skip,
                        int count, const lb_fe_loads *loads, double *squares, double *vectors,
                        search_problem *problem)
{
    const lb_report report = {keep_problem, problem};
    lb_fe_search s = {.skip = skip,
                      .count = count,
                      .shift = guess_square(K, M),
                      .adapts = true,
                      .loads = loads,
                      .progress = import->progress,
                      .user = import->user};
    lb_fe_context context;
    lb_fe_init(&context, &import->arena.allocator, &report);
    const lb_status status = lb_fe_search_modes(&context, &s, K, M, squares, vectors);
    lb_arena_free(&context.arena);
    return status;
}

// As many modes as are asked for: a number of them, or all below a frequency, or all of a structure that was reduced
// by others, or the lowest ones.
static lb_status search_enough(lb_import *import, const lb_structure *structure,
                               const lb_reduce_options *options, const lb_fe_matrix *K,
                               const lb_fe_matrix *M, const lb_fe_loads *loads, int skip, int most,
                               lb_reduction *r, int *count, double **vectors,
                               search_problem *problem)
{
    enum { LEFT_OUT_MOST = 8 };
    const bool is_free_choice = options->mode_count == 0;
    const int asked = !is_free_choice         ? options->mode_count
                      : structure->is_reduced ? most
                                              : MODES_UNASKED;
    const double limit = LB_TWO_PI * options->below;
    const int all = most;
    lb_status status;
    for (*count = asked < most ? asked : most;;) {
        if (!LB_IMPORT_TAKE(import, r->squares, *count) ||
            !LB_IMPORT_TAKE(import, *vectors, (size_t)*count * (size_t)K->n)) {
            return LB_E_MEMORY;
        }
        problem->text[0] = '\0';
        status = search(import, K, M, skip, *count, loads, r->squares, *vectors, problem);
        if (status == LB_E_SINGULAR && is_free_choice && *count == most && most > 1 &&
            all - most < LEFT_OUT_MOST) {
            *count = --most; // the highest has no mass, to the digits of the file
        } else if (status == LB_OK && is_free_choice && *count < most && limit > 0.0 &&
                   r->squares[*count - 1] <= limit * limit) {
            *count = 2 * *count < most ? 2 * *count : most;
        } else {
            break;
        }
    }
    if (status == LB_OK && most < all) {
        lb_import_warn(
            import, structure->M.file, 0,
            "%d of the modes, the highest, are left out: the mass matrix gives them no mass",
            all - most);
    }
    r->possible_count = most;
    return status;
}

// Whether a structure that is free to move as a rigid body cannot do so with some of its rows held: the motions of
// these rows, about their middle and over the size of the structure, have rank six.
static bool is_held_fast(const lb_structure *structure, const lb_reduction *r, const bool *held)
{
    double c[3] = {0, 0, 0}, d[3], G[36] = {0}, values[6];
    int count = 0;
    for (int i = 0; i < structure->node_count; ++i) {
        const double *x = structure->nodes[i].x;
        for (int k = 0; k < 3; ++k) {
            c[k] += held[i] ? x[k] : 0.0;
        }
        count += held[i];
    }
    lb_find_box(structure, d);
    const double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int i = 0; i < r->n; ++i) {
        const int node = structure->rows[i].node;
        if (node == LB_FE_MODAL || !held[node]) {
            continue;
        }
        double u[6];
        // rotations count by what they move at that distance
        const double arm = structure->rows[i].direction > 2 ? size : 1.0;
        for (int k = 0; k < 6; ++k) {
            u[k] = arm * r->R[(size_t)k * (size_t)r->n + (size_t)i];
        }
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3; // e_k x c
            u[3 + k] -= (u[b] * c[a] - u[a] * c[b]) / count;
        }
        for (int k = 0; k < 36; ++k) {
            const double scales = (k / 6 < 3 ? 1.0 : 1 / size) * (k % 6 < 3 ? 1.0 : 1 / size);
            G[k] += scales * u[k / 6] * u[k % 6];
        }
    }
    lb_compute_eigenvalues(6, G, values);
    // 1e-12: held at places that are 1e-6 of the structure apart
    return size == 0.0 || values[0] > 1e-12 * values[5];
}

static lb_status mark_held(lb_import *import, const lb_structure *structure,
                           const lb_reduce_options *options, bool *held, bool *is_held)
{
    for (int i = 0; i < options->clamp_count; ++i) {
        const int node = lb_find_grid(import, structure, options->clamp[i]);
        if (node < 0) {
            return lb_import_fail(import, NULL, 0, "there is no node %ld to clamp",
                                  options->clamp[i]);
        }
        held[node] = true;
    }
    for (int i = 0; i < structure->node_count; ++i) {
        held[i] |= options->held && options->held[i];
        *is_held |= held[i];
    }
    return LB_OK;
}

// Loads on the rows that are free.
static lb_status take_loads(lb_import *import, const lb_fe_loads *all, int n, const int *number,
                            int free_rows, lb_fe_loads *loads)
{
    *loads = all ? *all : (lb_fe_loads){.count = 0};
    if (free_rows == n || loads->count == 0) {
        return LB_OK;
    }
    if (!LB_IMPORT_TAKE(import, loads->columns, (size_t)loads->count * (size_t)free_rows)) {
        return LB_E_MEMORY;
    }
    for (int c = 0; c < loads->count; ++c) {
        const double *from = all->columns + (size_t)c * (size_t)n;
        double *to = loads->columns + (size_t)c * (size_t)free_rows;
        for (int i = 0; i < n; ++i) {
            if (number[i] >= 0) {
                to[number[i]] = from[i];
            }
        }
    }
    return LB_OK;
}

lb_status lb_find_structure_modes(lb_import *import, const lb_structure *structure,
                                  const lb_reduce_options *options, const lb_fe_matrix *K,
                                  const lb_fe_matrix *M, lb_reduction *r)
{
    const int n = structure->row_count;
    int *number, free_rows = 0;
    bool *held, is_held = false;
    if (!LB_IMPORT_TAKE(import, number, n) ||
        !LB_IMPORT_TAKE(import, held, structure->node_count)) {
        return LB_E_MEMORY;
    }
    lb_status status = mark_held(import, structure, options, held, &is_held);
    if (status != LB_OK) {
        return status;
    }
    for (int i = 0; i < n; ++i) {
        const int node = structure->rows[i].node;
        number[i] = node != LB_FE_MODAL && held[node] ? -1 : free_rows++;
    }
    const char *with = options->has_interfaces ? " and the interfaces" : "";
    if (is_held && r->free_count == 6 && !is_held_fast(structure, r, held)) {
        return lb_import_fail(import, NULL, 0, LOOSE, with);
    }
    // without clamps there is nothing to leave out, and no need of a copy
    lb_fe_matrix K_free = *K, M_free = *M;
    status = free_rows < n ? lb_extract_matrix(import, K, number, free_rows, &K_free) : LB_OK;
    if (status == LB_OK && free_rows < n) {
        status = lb_extract_matrix(import, M, number, free_rows, &M_free);
    }
    if (status != LB_OK) {
        return status;
    }
    const int skip = is_held ? 0 : r->free_count;
    int most = count_masses(&M_free);
    most = (most < free_rows ? most : free_rows) - skip;
    if (most < 1 && options->has_interfaces) {
        r->mode_count = r->possible_count = 0; // the interfaces move, and nothing else
        return LB_OK;
    }
    if (most < 1) {
        return lb_import_fail(import, NULL, 0, "nothing is left that could move");
    }
    double *vectors = NULL;
    int count = 0;
    search_problem problem = {""};
    lb_fe_loads loads;
    status = take_loads(import, options->loads, n, number, free_rows, &loads);
    status = status ? status
                    : search_enough(import, structure, options, &K_free, &M_free, &loads, skip,
                                    most, r, &count, &vectors, &problem);
    if (status == LB_E_SINGULAR) {
        return problem.text[0] ? lb_import_fail(import, NULL, 0, "%s", problem.text)
               : is_held && r->free_count != 6
                   ? lb_import_fail(import, NULL, 0, LOOSE, with)
                   : lb_import_fail(
                         import, NULL, 0,
                         "the modes could not be found: the matrices are singular or not positive "
                         "definite, or fewer modes have mass; ask for fewer");
    }
    if (status != LB_OK) {
        return status;
    }
    while (options->below > 0.0 && count > 0 &&
           !(sqrt(fmax(r->squares[count - 1], 0.0)) <= LB_TWO_PI * options->below)) {
        --count;
    }
    if (count == 0 && !options->has_interfaces) {
        return lb_import_fail(import, NULL, 0, "no mode is below %g Hz: the lowest is at %.7g Hz",
                              options->below, sqrt(fmax(r->squares[0], 0.0)) / LB_TWO_PI);
    }
    r->mode_count = count;
    if (!LB_IMPORT_TAKE(import, r->Phi, (size_t)count * (size_t)n) ||
        !LB_IMPORT_TAKE(import, r->MPhi, (size_t)count * (size_t)n)) {
        return LB_E_MEMORY;
    }
    for (int m = 0; m < count; ++m) {
        double *phi = r->Phi + (size_t)m * (size_t)n;
        for (int i = 0; i < n; ++i) {
            phi[i] =
                number[i] < 0 ? 0.0 : vectors[(size_t)m * (size_t)free_rows + (size_t)number[i]];
        }
    }
    lb_fe_multiply_block(M, r->Phi, count, r->MPhi);
    return LB_OK;
}
