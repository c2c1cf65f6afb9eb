// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sets of nodes that options name, and the motion of the nodes that are tied to them.
#include "ties.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "base/symmetric.h"
#include "import/matrices/matrices.h"

lb_status lb_take_tied_node(const lb_tied_node *given, lb_tied_node *own)
{
    *own = lb_default_tied_node();
    return lb_take_sized(own, sizeof *own, LB_SIZE_THROUGH(lb_tied_node, set), given);
}

// ---- sets --------------------------------------------------------------------------------------

static lb_status mark_numbers(lb_import *import, const lb_structure *structure, const char *name,
                              long first, long last, bool *marked)
{
    if (first == last) {
        const int node = lb_find_grid(import, structure, first);
        if (node < 0) {
            return lb_import_fail(import, NULL, 0, "%s: there is no node %ld", name, first);
        }
        marked[node] = true;
        return LB_OK;
    }
    for (int i = 0; i < structure->node_count; ++i) {
        marked[i] |= structure->nodes[i].id >= first && structure->nodes[i].id <= last;
    }
    return LB_OK;
}

// Nodes of a set of the input files; those that have no rows are not in the structure and are passed over.
static lb_status mark_set(lb_import *import, const lb_structure *structure, const char *name,
                          lb_span set, bool *marked)
{
    lb_number_list list = {.count = 0};
    const lb_status status = lb_find_deck_set(import, set, &list);
    if (status != LB_OK) {
        return status;
    }
    if (list.count == 0) {
        return lb_import_fail(import, NULL, 0,
                              "%s: \"%.*s\" found, expected the number of a node, a range such as "
                              "12..40, or a set that *NSET defines in the input file",
                              name, (int)set.length, set.at);
    }
    for (int i = 0; i < list.count; ++i) {
        const int node = lb_find_grid(import, structure, list.all[i]);
        if (node >= 0) {
            marked[node] = true;
        }
    }
    return LB_OK;
}

// "12..40+77+TIP"
static lb_status read_set(lb_import *import, const lb_structure *structure, const lb_tied_node *o,
                          lb_fe_tie *tie)
{
    bool *marked;
    if (!LB_IMPORT_TAKE(import, marked, structure->node_count + 1)) {
        return LB_E_MEMORY;
    }
    lb_span rest = {o->set, strlen(o->set)}, part;
    while (lb_next_field(&rest, "+", &part)) {
        lb_span second = part, first;
        long a, b;
        lb_next_field(&second, ".", &first);
        const bool is_range = second.length > 1 && second.at[0] == '.';
        const lb_span end = {second.at + 1, second.length - is_range};
        lb_status status;
        if (lb_get_integer(part, &a)) {
            status = mark_numbers(import, structure, tie->name, a, a, marked);
        } else if (is_range && lb_get_integer(first, &a) && lb_get_integer(end, &b)) {
            status = mark_numbers(import, structure, tie->name, a, b, marked);
        } else {
            status = mark_set(import, structure, tie->name, part, marked);
        }
        if (status != LB_OK) {
            return status;
        }
    }
    for (int i = 0; i < structure->node_count; ++i) {
        tie->set_count += marked[i];
    }
    if (tie->set_count == 0) {
        return lb_import_fail(import, NULL, 0,
                              "%s: no node of \"%.200s\" has degrees of freedom in the matrices",
                              tie->name, o->set);
    }
    if (!LB_IMPORT_TAKE(import, tie->set, tie->set_count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0, k = 0; i < structure->node_count; ++i) {
        if (marked[i]) {
            tie->set[k++] = i;
        }
    }
    return LB_OK;
}

// ---- weights -----------------------------------------------------------------------------------

// Middle of the set, and its size about it.
static void measure_set(const lb_structure *structure, lb_fe_tie *tie, double middle[3])
{
    double farthest = 0.0;
    memset(middle, 0, 3 * sizeof *middle);
    for (int i = 0; i < tie->set_count; ++i) {
        lb_add_scaled(3, 1.0 / tie->set_count, structure->nodes[tie->set[i]].x, middle);
    }
    for (int i = 0; i < tie->set_count; ++i) {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double d = structure->nodes[tie->set[i]].x[k] - middle[k];
            square += d * d;
        }
        farthest = fmax(farthest, sqrt(square));
    }
    tie->size = farthest > 0.0 ? farthest : 1.0;
}

void lb_get_follower(const lb_fe_grid *grid, int direction, const double point[3], double length,
                     double g[6])
{
    lb_fe_grid about = *grid;
    for (int k = 0; k < 3; ++k) {
        about.x[k] -= point[k];
    }
    for (int k = 0; k < 6; ++k) {
        g[k] = lb_get_rigid_motion(&about, direction, k) / (k < 3 ? 1.0 : length);
    }
}

// Least squares: the motion p of the middle with the smallest sum of (u_k - g_k . p)^2 over the translations of the
// set, p = A^-1 sum g_k u_k with A = sum g_k g_k'. Rotations of nodes, times the size, join in where translations
// do not determine p.                                                                             (IMP-4)
static lb_status find_weights(lb_import *import, const lb_structure *structure, const int *rows,
                              const double middle[3], lb_fe_tie *tie)
{
    double A[36], values[6], copy[36];
    bool is_whole = false;
    int directions = 3;
    if (!LB_IMPORT_TAKE(import, tie->rows, 6 * (size_t)tie->set_count) ||
        !LB_IMPORT_TAKE(import, tie->weights, 6 * (size_t)tie->set_count)) {
        return LB_E_MEMORY;
    }
    for (; !is_whole && directions <= 6; directions += 3) {
        memset(A, 0, sizeof A);
        tie->row_count = 0;
        for (int i = 0; i < tie->set_count * directions; ++i) {
            const int node = tie->set[i / directions], d = i % directions;
            double *g = tie->weights[tie->row_count];
            if (rows[6 * node + d] < 0) {
                continue;
            }
            lb_get_follower(&structure->nodes[node], d, middle, tie->size, g);
            for (int k = 0; k < 6; ++k) {
                g[k] *= d < 3 ? 1.0 : tie->size;
            }
            for (int k = 0; k < 36; ++k) {
                A[k] += g[k / 6] * g[k % 6];
            }
            tie->rows[tie->row_count++] = rows[6 * node + d];
        }
        memcpy(copy, A, sizeof A);
        lb_compute_eigenvalues(6, copy, values);
        // 1e-10: a set that is 1e-5 as thick as it is long
        is_whole = values[0] > 1e-10 * values[5];
    }
    if (!is_whole || lb_factor_ldl(6, A, 6, NULL) >= 0) {
        return lb_import_fail(import, NULL, 0,
                              "%s: its %d nodes do not determine a rotation: take nodes that are "
                              "not in a line, or nodes with rotations",
                              tie->name, tie->set_count);
    }
    for (int k = 0; k < tie->row_count; ++k) {
        double *g = tie->weights[k];
        const bool turns = structure->rows[tie->rows[k]].direction > 2;
        lb_solve_ldl(6, A, 6, g);
        double arm[3], shift[3];
        for (int c = 0; c < 3; ++c) {
            g[c] *= turns ? tie->size : 1.0;
            g[3 + c] *= turns ? 1.0 : 1.0 / tie->size;
            arm[c] = tie->x[c] - middle[c];
        }
        // from the middle to the place of the node
        lb_fe_cross(g + 3, arm, shift);
        lb_add_scaled(3, 1.0, shift, g);
    }
    return LB_OK;
}

lb_status lb_find_ties(lb_import *import, const lb_structure *structure,
                       const lb_import_units *units, const lb_import_options *o, const int *rows,
                       lb_tied *tied)
{
    *tied = (lb_tied){.structure = *structure, .n = structure->row_count};
    tied->tie_count = o->tie_count;
    if (o->tie_count == 0) {
        return LB_OK;
    }
    lb_fe_grid *nodes;
    if (!LB_IMPORT_TAKE(import, tied->ties, o->tie_count) ||
        !LB_IMPORT_TAKE(import, nodes, structure->node_count + o->tie_count)) {
        return LB_E_MEMORY;
    }
    memcpy(nodes, structure->nodes, (size_t)structure->node_count * sizeof *nodes);
    for (int i = 0; i < o->tie_count; ++i) {
        lb_tied_node given;
        lb_fe_tie *tie = &tied->ties[i];
        double middle[3];
        if (lb_take_tied_node(lb_get_sized(o->ties, (size_t)i), &given) != LB_OK) {
            return LB_E_VERSION;
        }
        tie->tie = given.tie;
        tie->is_coordinate = given.tie == LB_TIE_RIGID;
        tie->node = structure->node_count + i;
        tie->name = lb_arena_text(&import->arena, given.name);
        if (!tie->name) {
            return LB_E_MEMORY;
        }
        lb_status status = read_set(import, structure, &given, tie);
        if (status != LB_OK) {
            return status;
        }
        measure_set(structure, tie, middle);
        for (int k = 0; k < 3; ++k) {
            tie->x[k] = given.position ? given.position[k] * units->length : middle[k];
        }
        status = find_weights(import, structure, rows, middle, tie);
        if (status != LB_OK) {
            return status;
        }
        lb_fe_grid *grid = &nodes[tie->node];
        grid->id = -1 - i; // it has a name, and no number
        memcpy(grid->x, tie->x, sizeof grid->x);
        for (int k = 0; k < 3; ++k) {
            grid->axes[k][k] = 1.0;
        }
    }
    tied->structure.nodes = nodes;
    tied->structure.node_count += o->tie_count;
    return LB_OK;
}

// ---- use ---------------------------------------------------------------------------------------

void lb_expand_ties(const lb_tied *tied, const double *z, double *u)
{
    if (!tied->start) {
        memcpy(u, z, (size_t)tied->n * sizeof *u);
        return;
    }
    for (int i = 0; i < tied->n; ++i) {
        u[i] = 0.0;
        for (int t = tied->start[i]; t < tied->start[i + 1]; ++t) {
            u[i] += tied->value[t] * z[tied->index[t]];
        }
    }
}

void lb_gather_ties(const lb_tied *tied, const double *f, double *g)
{
    if (!tied->start) {
        memcpy(g, f, (size_t)tied->n * sizeof *g);
        return;
    }
    memset(g, 0, (size_t)tied->structure.row_count * sizeof *g);
    for (int i = 0; i < tied->n; ++i) {
        for (int t = tied->start[i]; t < tied->start[i + 1]; ++t) {
            g[tied->index[t]] += tied->value[t] * f[i];
        }
    }
}

bool lb_set_unit_load(const lb_tied *tied, const int *rows, int node, int direction, double *f)
{
    const int first = tied->structure.node_count - tied->tie_count;
    memset(f, 0, (size_t)tied->n * sizeof *f);
    if (node < first) {
        const int row = rows[6 * node + direction];
        if (row >= 0) {
            f[row] = 1.0;
        }
        return row >= 0;
    }
    const lb_fe_tie *tie = &tied->ties[node - first];
    for (int k = 0; k < tie->row_count; ++k) {
        f[tie->rows[k]] += tie->weights[k][direction];
    }
    return true;
}

void lb_get_tie_shape(const lb_fe_tie *tie, const lb_reduction *r, double *shape)
{
    memset(shape, 0, 6 * (size_t)r->mode_count * sizeof *shape);
    for (int m = 0; m < r->mode_count; ++m) {
        const double *phi = r->Phi + (size_t)m * (size_t)r->n;
        for (int k = 0; k < tie->row_count; ++k) {
            for (int c = 0; c < 6; ++c) {
                // the shape has rotations first
                shape[6 * m + (c + 3) % 6] += tie->weights[k][c] * phi[tie->rows[k]];
            }
        }
    }
}
