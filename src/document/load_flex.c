// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The flexible part of a body: nodes with mode shapes, modal stiffness and damping.
#include <string.h>

#include "load.h"
#include "values.h"

/// Modal matrices are dense; far above what is useful, far below what would fill the memory.
enum { LB_MODE_COUNT_MAX = 4096 };

static double *lb_take_zeros(lb_loader *loader, size_t count)
{
    double *zeros = lb_arena_take(&loader->scratch, count, sizeof(double));
    if (zeros) {
        memset(zeros, 0, count * sizeof(double));
    }
    return zeros;
}

// The number of modes is that of the first node that has a list of them.
static void lb_find_mode_count(lb_loader *loader, const lb_place *nodes, lb_flex_options *flex,
                               size_t *source)
{
    for (size_t i = 0; i < lb_place_get_count(nodes); ++i) {
        const lb_place node = lb_place_at_index(nodes, i), shape = lb_place_at_key(&node, "shape");
        if (shape.node && lb_place_get_kind(&shape) == LB_DOC_SEQUENCE) {
            const size_t count = lb_place_get_count(&shape);
            if (count > LB_MODE_COUNT_MAX) {
                lb_reader_fail(&loader->reader, &shape, "%zu modes given, expected at most %d",
                               count, LB_MODE_COUNT_MAX);
                return;
            }
            flex->mode_count = (int)count;
            *source = i;
            return;
        }
    }
}

static void lb_load_shape(lb_loader *loader, const lb_place *node, int mode_count, size_t source,
                          double *shape)
{
    lb_place rows;
    if (!lb_read_sequence(&loader->reader, node, "shape", LB_REQUIRED, &rows)) {
        return;
    }
    const size_t count = lb_place_get_count(&rows);
    if (count != (size_t)mode_count) {
        if (count <= LB_MODE_COUNT_MAX) {
            lb_reader_fail(&loader->reader, &rows, "%zu modes given, expected %d as in nodes[%zu]",
                           count, mode_count, source);
        }
        return;
    }
    for (size_t r = 0; r < count; ++r) {
        const lb_place row = lb_place_at_index(&rows, r);
        lb_read_numbers_at(&loader->reader, &row, 6, shape + 6 * r);
    }
}

// One [r, s, [x, y, z]].
static void lb_load_second_order_entry(lb_loader *loader, const lb_place *place,
                                       lb_second_order *entry)
{
    lb_reader *reader = &loader->reader;
    if (lb_place_get_kind(place) != LB_DOC_SEQUENCE || lb_place_get_count(place) != 3) {
        lb_reader_fail_type(reader, place, "[r, s, [x, y, z]]");
        return;
    }
    const lb_place r = lb_place_at_index(place, 0), s = lb_place_at_index(place, 1),
                   g = lb_place_at_index(place, 2);
    lb_read_integer_at(reader, &r, &entry->r);
    lb_read_integer_at(reader, &s, &entry->s);
    lb_read_numbers_at(reader, &g, 3, entry->g);
}

static lb_status lb_load_second_order(lb_loader *loader, const lb_place *place, int mode_count,
                                      lb_flex_node *node)
{
    lb_place list;
    if (!lb_read_sequence(&loader->reader, place, "second_order", LB_OPTIONAL, &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    lb_second_order *entries = lb_arena_take(&loader->scratch, count, sizeof *entries);
    if (!entries) {
        return LB_E_MEMORY;
    }
    const int errors = loader->reader.error_count;
    for (size_t i = 0; i < count; ++i) {
        const lb_place entry = lb_place_at_index(&list, i);
        lb_load_second_order_entry(loader, &entry, &entries[i]);
    }
    node->second_order = entries;
    node->second_order_count = (int)count;
    if (loader->reader.error_count > errors) {
        // nothing, but there: the builder warns of bodies that lack it
        entries[0] = (lb_second_order){.r = 0, .s = 0};
        node->second_order_count = mode_count > 0;
    }
    return LB_OK;
}

static lb_status lb_load_flex_node(lb_loader *loader, const lb_place *place,
                                   const lb_flex_options *flex, size_t source, lb_flex_node *node)
{
    static const char *const known[] = {"name",    "position", "rotation",     "mass", "offset",
                                        "inertia", "shape",    "second_order", NULL};
    lb_reader *reader = &loader->reader;
    double *shape = lb_take_zeros(loader, (size_t)flex->mode_count * 6);
    if (!shape) {
        return LB_E_MEMORY;
    }
    *node = lb_default_flex_node();
    node->shape = shape;
    const bool mapping = lb_read_mapping(reader, place, known);
    if (lb_load_name(loader, place, &node->name) != LB_OK) {
        return LB_E_MEMORY;
    }
    if (mapping) {
        lb_read_numbers(reader, place, "position", LB_OPTIONAL, 3, node->position);
        lb_read_numbers(reader, place, "rotation", LB_OPTIONAL, 4, node->rotation);
        lb_read_number(reader, place, "mass", LB_OPTIONAL, &node->mass);
        lb_read_numbers(reader, place, "offset", LB_OPTIONAL, 3, node->offset);
        lb_read_numbers(reader, place, "inertia", LB_OPTIONAL, 6, node->inertia);
        lb_load_shape(loader, place, flex->mode_count, source, shape);
        return lb_load_second_order(loader, place, flex->mode_count, node);
    }
    return LB_OK;
}

// Stiffness or damping: n numbers are a diagonal, n lists of n a matrix.
static lb_status lb_load_matrix(lb_loader *loader, const lb_place *up, const char *key,
                                lb_need need, int mode_count, const double **matrix)
{
    lb_place rows;
    if (!lb_read_sequence(&loader->reader, up, key, need, &rows)) {
        return LB_OK;
    }
    const size_t n = (size_t)mode_count, count = lb_place_get_count(&rows);
    if (count != n) {
        lb_reader_fail(&loader->reader, &rows, "%zu entries given, expected %zu, one for each mode",
                       count, n);
        return LB_OK;
    }
    double *values = lb_take_zeros(loader, n * n);
    if (!values) {
        return LB_E_MEMORY;
    }
    const bool full = n > 0 && lb_doc_get_kind(lb_doc_get_element(rows.node, 0)) == LB_DOC_SEQUENCE;
    const int errors = loader->reader.error_count;
    for (size_t r = 0; r < n; ++r) {
        const lb_place row = lb_place_at_index(&rows, r);
        if (full) {
            lb_read_numbers_at(&loader->reader, &row, n, values + n * r);
        } else {
            lb_read_number_at(&loader->reader, &row, &values[(n + 1) * r]);
        }
    }
    // half a matrix would only raise more errors
    if (loader->reader.error_count == errors) {
        *matrix = values;
    }
    return LB_OK;
}

static lb_status lb_load_flex_nodes(lb_loader *loader, const lb_place *list, lb_flex_options *flex)
{
    const size_t count = lb_place_get_count(list);
    size_t source = 0;
    lb_find_mode_count(loader, list, flex, &source);
    lb_flex_node *nodes = lb_arena_take(&loader->scratch, count, sizeof *nodes);
    if (!nodes) {
        return LB_E_MEMORY;
    }
    size_t i = 0;
    for (; i < count && !lb_gives_up(&loader->reader, list, i); ++i) {
        const lb_place node = lb_place_at_index(list, i);
        if (lb_load_flex_node(loader, &node, flex, source, &nodes[i]) != LB_OK) {
            return LB_E_MEMORY;
        }
    }
    flex->nodes = nodes;
    flex->node_count = (int)i;
    return LB_OK;
}

void lb_load_fidelity(lb_loader *loader, const lb_place *owner, lb_fidelity *fidelity)
{
    static const char *const fidelities[] = {"consistent", "ruthless", "appendix-c", NULL};
    static const lb_fidelity values[] = {LB_FIDELITY_CONSISTENT, LB_FIDELITY_RUTHLESS,
                                         LB_FIDELITY_APPENDIX_C};
    int index = 0;
    if (lb_read_word(&loader->reader, owner, "fidelity", LB_OPTIONAL, fidelities, &index)) {
        *fidelity = values[index];
    }
}

lb_status lb_load_flex(lb_loader *loader, const lb_place *place, lb_flex_options *flex)
{
    static const char *const known[] = {"fidelity", "nodes", "stiffness", "damping", NULL};
    lb_reader *reader = &loader->reader;
    *flex = lb_default_flex_options();
    if (lb_place_has_key(place, "file")) {
        return lb_load_flex_reference(loader, place, flex);
    }
    if (!lb_read_mapping(reader, place, known)) {
        return LB_OK;
    }
    lb_load_fidelity(loader, place, &flex->fidelity);

    lb_place nodes;
    if (!lb_read_sequence(reader, place, "nodes", LB_REQUIRED, &nodes)) {
        return LB_OK;
    }
    if (lb_place_get_count(&nodes) == 0) {
        lb_reader_fail(reader, &nodes, "no nodes given, expected at least one");
        return LB_OK;
    }
    lb_status status = lb_load_flex_nodes(loader, &nodes, flex);

    // a matrix that is missing or wrong becomes zero
    const size_t n = (size_t)flex->mode_count;
    if (status == LB_OK) {
        flex->stiffness = lb_take_zeros(loader, n * n);
        status = flex->stiffness ? LB_OK : LB_E_MEMORY;
    }
    if (status == LB_OK) {
        status = lb_load_matrix(loader, place, "stiffness", LB_REQUIRED, flex->mode_count,
                                &flex->stiffness);
    }
    if (status == LB_OK) {
        status =
            lb_load_matrix(loader, place, "damping", LB_OPTIONAL, flex->mode_count, &flex->damping);
    }
    return status;
}
