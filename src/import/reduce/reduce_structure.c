// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From the matrices of a structure to a flexible body.
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "import/body_file/flex_file.h"
#include "import/imported.h"

// ---- nodes -------------------------------------------------------------------------------------

// Index of a node by the name that the options give it, or by its number.
static lb_status find_named(lb_import *import, const lb_import_options *o,
                            const lb_reduced *reduced, const char *name, int *node)
{
    const lb_tied *tied = &reduced->tied;
    long id;
    for (int i = 0; i < tied->tie_count; ++i) {
        if (strcmp(tied->ties[i].name, name) == 0) {
            *node = tied->ties[i].node;
            return LB_OK;
        }
    }
    bool is_known = lb_get_integer((lb_span){name, strlen(name)}, &id);
    for (int i = 0; i < o->node_count; ++i) {
        if (o->nodes[i].name && strcmp(o->nodes[i].name, name) == 0) {
            id = o->nodes[i].id;
            is_known = true;
            break;
        }
    }
    if (!is_known) {
        return lb_import_fail(import, NULL, 0, "no node is named \"%.200s\"", name);
    }
    *node = lb_find_grid(import, reduced->structure, id);
    return *node >= 0 ? LB_OK : lb_import_fail(import, NULL, 0, "there is no node %ld", id);
}

// Which nodes are clamped, interfaces, or have residual modes.
static lb_status choose_roles(lb_import *import, const lb_import_options *o, lb_reduced *reduced)
{
    lb_tied *tied = &reduced->tied;
    lb_basis_options *options = &reduced->options;
    bool *clamped;
    int *interfaces, *residuals;
    lb_status status = LB_OK;
    if (!LB_IMPORT_TAKE(import, clamped, tied->structure.node_count) ||
        !LB_IMPORT_TAKE(import, interfaces, o->interface_count + 1) ||
        !LB_IMPORT_TAKE(import, residuals, o->residual_count + 1)) {
        return LB_E_MEMORY;
    }
    *options = (lb_basis_options){.mode_count = o->mode_count,
                                  .below = o->below,
                                  .clamped = clamped,
                                  .is_clamped = o->clamp_count + o->held_count > 0,
                                  .interface_count = o->interface_count,
                                  .interfaces = interfaces,
                                  .residual_count = o->residual_count,
                                  .residuals = residuals};
    for (int i = 0; i < o->clamp_count; ++i) {
        const int node = lb_find_grid(import, reduced->structure, o->clamp[i]);
        if (node < 0) {
            return lb_import_fail(import, NULL, 0, "there is no node %ld to clamp", o->clamp[i]);
        }
        clamped[node] = true;
    }
    for (int i = 0; status == LB_OK && i < o->held_count; ++i) {
        int node = 0;
        status = find_named(import, o, reduced, o->held[i], &node);
        clamped[node] = true;
    }
    for (int i = 0; status == LB_OK && i < o->interface_count; ++i) {
        status = find_named(import, o, reduced, o->interfaces[i], &interfaces[i]);
        if (status == LB_OK && clamped[interfaces[i]]) {
            status = lb_import_fail(import, NULL, 0,
                                    "\"%.200s\" is clamped: it needs no interface of its own",
                                    o->interfaces[i]);
        }
    }
    for (int i = 0; status == LB_OK && i < o->residual_count; ++i) {
        status = find_named(import, o, reduced, o->residuals[i], &residuals[i]);
    }
    // averages whose motion is prescribed
    for (int i = 0; i < tied->tie_count; ++i) {
        lb_fe_tie *tie = &tied->ties[i];
        tie->is_coordinate |= clamped[tie->node];
        for (int k = 0; k < o->interface_count; ++k) {
            tie->is_coordinate |= interfaces[k] == tie->node;
        }
    }
    return status;
}

// An interface within the set of a tie has no coordinates of its own.
static lb_status check_interfaces(lb_import *import, const lb_import_options *o,
                                  const lb_reduced *reduced)
{
    const lb_structure *structure = &reduced->tied.structure;
    bool *has_rows;
    if (!LB_IMPORT_TAKE(import, has_rows, structure->node_count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < structure->row_count; ++i) {
        if (structure->rows[i].node != LB_FE_MODAL) {
            has_rows[structure->rows[i].node] = true;
        }
    }
    for (int i = 0; i < o->interface_count; ++i) {
        if (!has_rows[reduced->options.interfaces[i]]) {
            return lb_import_fail(import, NULL, 0,
                                  "\"%.200s\" cannot be an interface: it belongs to a set that is "
                                  "tied; name the node of that set",
                                  o->interfaces[i]);
        }
    }
    return LB_OK;
}

static lb_status check_names(lb_import *import, const lb_structure *structure, int count,
                             const int *kept, const char **names)
{
    lb_names known;
    if (lb_names_init(&known, &import->arena, (size_t)count) != LB_OK) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        if (!names[i]) {
            char text[32];
            snprintf(text, sizeof text, "%ld", structure->nodes[kept[i]].id);
            names[i] = lb_arena_text(&import->arena, text);
        }
        if (!names[i]) {
            return LB_E_MEMORY;
        }
        if (!*names[i] || strlen(names[i]) >= LB_FLEX_NAME_SIZE ||
            strcmp(names[i], "origin") == 0) {
            return lb_import_fail(import, NULL, 0,
                                  "\"%s\" found, expected a name of a node: not empty, shorter "
                                  "than %d characters, not origin",
                                  names[i], LB_FLEX_NAME_SIZE);
        }
        if (lb_names_enter(&known, names[i], i) >= 0) {
            return lb_import_fail(import, NULL, 0, "two nodes are named \"%s\"", names[i]);
        }
    }
    return LB_OK;
}

// Nodes that models know by name: those asked for, or else those that have rotations; and interfaces.
static lb_status choose_kept(lb_imported *imported, const lb_import_options *o, lb_reduced *reduced)
{
    lb_import *import = &imported->import;
    const lb_structure *structure = reduced->structure;
    int *kept = reduced->kept, count = 0;
    const char **names = reduced->names;
    for (int i = 0; i < o->node_count; ++i) {
        const lb_named_node *node = &o->nodes[i];
        const int index = lb_find_grid(import, structure, node->id);
        if (index < 0) {
            return lb_import_fail(import, NULL, 0, "there is no node %ld", node->id);
        }
        kept[count] = index;
        names[count] = node->name ? lb_arena_text(&import->arena, node->name) : NULL;
        if (node->name && !names[count]) {
            return LB_E_MEMORY;
        }
        ++count;
    }
    for (int i = 0; o->node_count + o->tie_count == 0 && i < structure->node_count; ++i) {
        const int *r = reduced->rows + 6 * i;
        if (r[3] >= 0 || r[4] >= 0 || r[5] >= 0) {
            names[count] = NULL;
            kept[count++] = i;
        }
    }
    for (int i = 0; i < o->tie_count; ++i) {
        kept[count] = reduced->tied.ties[i].node;
        names[count++] = reduced->tied.ties[i].name;
    }
    for (int i = 0; i < o->interface_count; ++i) {
        const int node = reduced->options.interfaces[i];
        bool is_kept = false;
        for (int k = 0; k < count; ++k) {
            is_kept = is_kept || kept[k] == node;
        }
        if (!is_kept) {
            names[count] = NULL;
            kept[count++] = node;
        }
    }
    const bool is_empty = count == 0;
    for (int i = 0; is_empty && i < o->clamp_count; ++i) {
        names[count] = NULL;
        kept[count++] = lb_find_grid(import, structure, o->clamp[i]);
    }
    // a report needs none; a body file does, and lb_save_imported says so
    imported->kept_count = count;
    return check_names(import, &reduced->tied.structure, count, kept, names);
}

// All nodes, the kept ones first.
static lb_status list_nodes(lb_imported *imported, const lb_reduced *reduced)
{
    lb_import *import = &imported->import;
    const lb_structure *structure = &reduced->tied.structure;
    const lb_reduction *r = &reduced->r;
    const int count = structure->node_count, own_count = reduced->structure->node_count;
    lb_flex_node *nodes;
    long *ids;
    bool *done;
    if (!LB_IMPORT_TAKE(import, nodes, count) || !LB_IMPORT_TAKE(import, ids, count) ||
        !LB_IMPORT_TAKE(import, done, count)) {
        return LB_E_MEMORY;
    }
    int used = 0;
    for (int i = 0; i < imported->kept_count + count; ++i) {
        const bool is_kept = i < imported->kept_count;
        const int index = is_kept ? reduced->kept[i] : i - imported->kept_count;
        double *shape;
        if (done[index]) {
            if (is_kept) {
                return lb_import_fail(import, NULL, 0, "node %ld is kept twice",
                                      structure->nodes[index].id);
            }
            continue;
        }
        done[index] = true;
        if (!LB_IMPORT_TAKE(import, shape, 6 * (size_t)reduced->r.mode_count + 1)) {
            return LB_E_MEMORY;
        }
        if (index < own_count) {
            lb_get_node_shape(structure, &reduced->r, reduced->rows, index, shape);
        } else {
            lb_get_tie_shape(&reduced->tied.ties[index - own_count], &reduced->r, shape);
        }
        nodes[used] = lb_default_flex_node();
        nodes[used].name = is_kept ? reduced->names[i] : "";
        nodes[used].shape = shape;
        memcpy(nodes[used].position, structure->nodes[index].x, sizeof nodes[used].position);
        if (index < own_count && r->second && r->second[index]) {
            nodes[used].second_order = r->second[index];
            nodes[used].second_order_count = r->mode_count * (r->mode_count + 1) / 2;
        }
        ids[used++] = structure->nodes[index].id;
    }
    imported->body.flex.nodes = nodes;
    imported->body.flex.node_count = used;
    imported->body.flex.point_count = used - imported->kept_count; // they have no names
    imported->node_ids = ids;
    return LB_OK;
}

// ---- the body ----------------------------------------------------------------------------------

static lb_status put_stiffness(lb_import *import, const lb_reduction *r, lb_modal_body *body)
{
    const int m = r->mode_count;
    double *K;
    if (!LB_IMPORT_TAKE(import, K, (size_t)m * (size_t)m + 1)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < m; ++i) {
        K[i * m + i] = r->squares[i];
    }
    body->flex.mode_count = m;
    body->flex.stiffness = K;
    body->flex.integrals = &body->integrals;
    return LB_OK;
}

// Shapes over the rows, from those over the coordinates.
static lb_status expand(lb_import *import, lb_reduced *reduced)
{
    const lb_reduction *z = &reduced->r_tied;
    lb_reduction *r = &reduced->r;
    const size_t size = (size_t)z->mode_count * (size_t)r->n + 1;
    r->mode_count = z->mode_count;
    r->squares = z->squares;
    if (!reduced->tied.start) {
        r->Phi = z->Phi;
        r->MPhi = z->MPhi;
        return LB_OK;
    }
    if (!LB_IMPORT_TAKE(import, r->Phi, size) || !LB_IMPORT_TAKE(import, r->MPhi, size)) {
        return LB_E_MEMORY;
    }
    for (int m = 0; m < z->mode_count; ++m) {
        double *phi = r->Phi + (size_t)m * (size_t)r->n;
        lb_expand_ties(&reduced->tied, z->Phi + (size_t)m * (size_t)z->n, phi);
        lb_fe_multiply(&reduced->M, phi, r->MPhi + (size_t)m * (size_t)r->n);
    }
    return LB_OK;
}

// Matrices, ties and modes.
static lb_status find_modes(lb_imported *imported, const lb_import_options *o, lb_reduced *reduced)
{
    lb_import *import = &imported->import;
    lb_structure *structure = reduced->structure;
    lb_fe_matrix *K = &reduced->K, *M = &reduced->M;
    lb_tied *tied = &reduced->tied;
    lb_status status = lb_assemble_structure(import, structure, &imported->units, K, M);
    status = status ? status : lb_find_rigid_motions(import, structure, K, M, &reduced->r);
    status =
        status ? status : lb_find_ties(import, structure, &imported->units, o, reduced->rows, tied);
    status = status ? status : choose_roles(import, o, reduced);
    status = status ? status
                    : lb_apply_ties(import, structure, reduced->rows, reduced->options.clamped, K,
                                    M, tied);
    status = status ? status : check_interfaces(import, o, reduced);
    if (status == LB_OK && !tied->start) {
        reduced->r_tied = reduced->r;
    } else if (status == LB_OK) {
        status =
            lb_find_rigid_motions(import, &tied->structure, &tied->K, &tied->M, &reduced->r_tied);
    }
    status = status ? status : choose_kept(imported, o, reduced);
    status = status ? status : lb_form_unit_loads(import, reduced, imported->kept_count);
    // recovered quantities need static deflections anyway
    if (status == LB_OK && structure->recovery_count == 0) {
        reduced->options.loads = &reduced->unit_loads.loads;
    }
    status = status ? status
                    : lb_find_basis(import, tied, reduced->rows, &reduced->options,
                                    &reduced->r_tied, &reduced->basis);
    return status ? status : expand(import, reduced);
}

lb_status lb_reduce_structure(lb_imported *imported, const lb_import_options *o,
                              lb_structure *structure)
{
    lb_import *import = &imported->import;
    lb_reduced reduced = {.structure = structure};
    const lb_reduction *r = &reduced.r;
    lb_modal_body *body = &imported->body;
    const size_t most = (size_t)structure->node_count + (size_t)o->node_count +
                        (size_t)o->clamp_count + (size_t)o->tie_count + (size_t)o->interface_count;
    reduced.rows = lb_index_rows(import, structure);
    if (lb_index_grids(import, structure) || !reduced.rows ||
        !LB_IMPORT_TAKE(import, reduced.kept, most) ||
        !LB_IMPORT_TAKE(import, reduced.names, most)) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_import_tell(import, "matrices", 0.5);
    status = status ? status : find_modes(imported, o, &reduced);
    status = status ? status : lb_import_tell(import, "inertia", 0.0);
    status = status ? status : lb_integrate_structure(import, structure, &reduced.M, r, body);
    status = status ? status : put_stiffness(import, r, body);
    status = status ? status : lb_reduce_damping(import, structure, &imported->units, r, body);
    status = status ? status
                    : lb_reduce_geometric(import, structure, &imported->units, &reduced.r, body);
    status = status ? status : lb_reduce_recovery(import, structure, &imported->units, r, body);
    status = status ? status : lb_import_tell(import, "checks", 0.0);
    status = status ? status
                    : lb_find_static_response(import, &reduced, &imported->units,
                                              imported->kept_count, body);
    status = status ? status
                    : lb_check_structure(import, &reduced, imported->kept_count, &imported->checks);
    lb_free_static(&reduced.basis.statics);
    return status ? status : list_nodes(imported, &reduced);
}
