// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `outputs` of a model file.
#include "document/places.h"
#include "document/reader.h"
#include "load_keys.h"

lb_status lb_load_outputs(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    const lb_place outputs = lb_find_part(root, "outputs", LB_DOC_SEQUENCE);
    for (size_t i = 0; i < lb_place_get_count(&outputs) && !lb_gives_up(reader, &outputs, i); ++i) {
        const lb_place at = lb_place_at_index(&outputs, i);
        const char *text = lb_place_get_string(&at);
        if (!text) {
            lb_reader_fail_type(reader, &at, "a signal, a node such as panel/n1, or reactions");
            ++sim->output_number; // others are counted as in the file
        } else if (lb_add_output(sim, text) == LB_E_MEMORY) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}
