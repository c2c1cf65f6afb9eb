// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "structure.h"

#include <stdlib.h>
#include <string.h>

bool lb_add_fe_entry(lb_fe_entries *entries, int row, int column, double value)
{
    const lb_fe_entry entry = {row, column, value};
    return lb_append(&entries->all, &entries->count, &entries->capacity, sizeof entry, &entry) ==
           LB_OK;
}

void lb_free_structure(lb_structure *structure)
{
    lb_fe_entries *const matrices[] = {&structure->K, &structure->M, &structure->C};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; ++i) {
        free(matrices[i]->all);
        *matrices[i] = (lb_fe_entries){.count = 0};
    }
}

// ---- nodes by number ---------------------------------------------------------------------------

static int compare_ids(const void *a, const void *b)
{
    const lb_fe_grid *const *x = a, *const *y = b;
    return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

lb_status lb_index_grids(lb_import *import, const lb_structure *structure)
{
    if (import->grid_order) {
        return LB_OK;
    }
    const lb_fe_grid **sorted;
    if (!LB_IMPORT_TAKE(import, sorted, structure->node_count) ||
        !LB_IMPORT_TAKE(import, import->grid_order, structure->node_count + 1)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < structure->node_count; ++i) {
        sorted[i] = &structure->nodes[i];
    }
    qsort(sorted, (size_t)structure->node_count, sizeof *sorted, compare_ids);
    for (int i = 0; i < structure->node_count; ++i) {
        import->grid_order[i] = (int)(sorted[i] - structure->nodes);
    }
    return LB_OK;
}

int lb_find_grid(lb_import *import, const lb_structure *structure, long id)
{
    if (lb_index_grids(import, structure) != LB_OK) {
        return -1;
    }
    int low = 0, high = structure->node_count - 1;
    while (low <= high) {
        const int middle = low + (high - low) / 2, index = import->grid_order[middle];
        const long found = structure->nodes[index].id;
        if (found == id) {
            return index;
        }
        if (found < id) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}
