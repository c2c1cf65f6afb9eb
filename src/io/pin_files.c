// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Hashes of body files, so that a model that is kept with results means the same later, or says that it does not.
#include <string.h>

#include "limber/import.h"
#include "load.h"
#include "write_model.h"

static lb_status read_hash(lb_reader *reader, const lb_place *file, const char *name, lb_pin *pin)
{
    char path[LB_PATH_SIZE];
    pin->file = lb_place_get_node(file);
    lb_status status = lb_find_named_file(reader, file, name, sizeof path, path);
    status = status == LB_OK ? lb_read_flex_hash(path, NULL, pin->hash) : status;
    if (status != LB_OK) {
        pin->hash[0] = '\0';
    }
    return status;
}

int lb_find_pins(const lb_document *document, lb_arena *arena, lb_pin **pins)
{
    const lb_place root = lb_get_document_root(document), bodies = lb_place_at_key(&root, "bodies");
    const bool is_list = lb_place_get_kind(&bodies) == LB_DOC_SEQUENCE;
    const size_t body_count = is_list ? lb_place_get_count(&bodies) : 0;
    lb_reader reader = lb_start_reader(document, NULL);
    lb_pin *found = NULL;
    int count = 0, capacity = 0;
    for (size_t i = 0; i < body_count; ++i) {
        const lb_place body = lb_place_at_index(&bodies, i), flex = lb_place_at_key(&body, "flex"),
                       file = lb_place_at_key(&flex, "file");
        const char *name = lb_place_get_string(&file);
        if (!name || lb_place_has_key(&flex, "hash")) {
            continue;
        }
        if (pins) {
            lb_pin *more = lb_arena_grow(arena, found, count, &capacity, sizeof *more);
            if (!more) {
                return -1;
            }
            found = more;
            if (read_hash(&reader, &file, name, &found[count]) == LB_E_MEMORY) {
                return -1;
            }
        }
        ++count;
    }
    if (pins) {
        *pins = found;
    }
    return count;
}
