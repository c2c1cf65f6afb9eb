// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of matrices from the names that a file gives them.
#include <string.h>

#include "matrices.h"

bool lb_add_row_label(lb_import *import, lb_row_labels *labels, long node, int direction, int line)
{
    lb_row_label *all =
        lb_arena_grow(&import->arena, labels->all, labels->count, &labels->capacity, sizeof *all);
    if (!all) {
        return false;
    }
    labels->all = all;
    labels->all[labels->count++] = (lb_row_label){node, direction, line};
    return true;
}

bool lb_get_dotted_label(lb_span span, lb_row_label *label)
{
    if (span.length < 3 || span.at[span.length - 2] != '.') {
        return false;
    }
    label->direction = span.at[span.length - 1] - '1';
    return label->direction >= 0 && label->direction < 6 &&
           lb_get_integer((lb_span){span.at, span.length - 2}, &label->node) && label->node > 0;
}

lb_status lb_drop_nodes(lb_import *import, lb_structure *structure)
{
    int *index, count = 0;
    if (!LB_IMPORT_TAKE(import, index, structure->node_count + 1)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < structure->row_count; ++i) {
        if (structure->rows[i].node != LB_FE_MODAL) {
            index[structure->rows[i].node] = 1;
        }
    }
    for (int i = 0; i < structure->node_count; ++i) {
        if (index[i]) {
            structure->nodes[count] = structure->nodes[i];
            index[i] = count++;
        }
    }
    for (int i = 0; i < structure->row_count; ++i) {
        if (structure->rows[i].node != LB_FE_MODAL) {
            structure->rows[i].node = index[structure->rows[i].node];
        }
    }
    structure->node_count = count;
    import->grid_order = NULL;
    return LB_OK;
}

lb_status lb_set_rows(lb_import *import, lb_structure *structure, const lb_row_labels *labels,
                      const char *cure, const char *hint)
{
    // line of the row that each direction of a node has, plus 1
    int *taken;
    if (lb_index_grids(import, structure) ||
        !LB_IMPORT_TAKE(import, structure->rows, labels->count + 1) ||
        !LB_IMPORT_TAKE(import, taken, 6 * ((size_t)structure->node_count + 1))) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < labels->count; ++i) {
        const lb_row_label *label = &labels->all[i];
        const int node = lb_find_grid(import, structure, label->node);
        if (node < 0) {
            return lb_import_fail(import, labels->file, label->line,
                                  "node %ld has a row, but no coordinates: %s", label->node, hint);
        }
        int *place = &taken[6 * (size_t)node + (size_t)label->direction];
        if (*place) {
            return lb_import_fail(import, labels->file, label->line,
                                  "node %ld has direction %d twice, in rows %d and %d: %s",
                                  label->node, label->direction + 1, *place, i + 1, cure);
        }
        *place = i + 1;
        structure->rows[i] = (lb_fe_row){node, label->direction};
    }
    structure->row_count = labels->count;
    return lb_drop_nodes(import, structure);
}
