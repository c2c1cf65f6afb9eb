// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Hashes of body files, so that a model that is kept with results means the same later, or says that it does not; and
// libraries, which it holds itself.
#include <string.h>

#include "limber/import.h"
#include "load.h"
#include "places.h"
#include "reader.h"
#include "write_model.h"

static lb_status read_hash(lb_reader *reader, const lb_place *file, const char *name, lb_pin *pin)
{
    char path[LB_PATH_SIZE];
    *pin = (lb_pin){.file = file->node};
    lb_status status = lb_find_named_file(reader, file, name, sizeof path, path);
    status = status == LB_OK ? lb_read_flex_hash(path, NULL, pin->hash) : status;
    if (status != LB_OK) {
        pin->hash[0] = '\0';
    }
    return status;
}

// What a library file holds. One with parameters of its own stays a file: in line they would be those of the model.
static lb_status read_library(const lb_document *document, lb_reader *reader, const lb_place *place,
                              lb_pin *pin)
{
    char path[LB_PATH_SIZE];
    const lb_load_options options = lb_default_load_options();
    *pin = (lb_pin){.file = place->node};
    lb_status status =
        lb_find_named_file(reader, place, lb_place_get_string(place), sizeof path, path);
    if (status != LB_OK) {
        return status;
    }
    lb_source source = {.file = path, .format = LB_FORMAT_AUTO};
    const lb_allocator allocator = lb_get_document_allocator(document);
    pin->library = lb_start_doc(&allocator);
    const lb_report silent = lb_take_report(NULL);
    status = lb_read_document(&pin->library, NULL, 0, &options, &silent, &source);
    pin->is_library = status == LB_OK;
    const lb_place root = (lb_place){.node = &pin->library.root};
    if (pin->is_library && lb_place_has_key(&root, "parameters")) {
        pin->is_library = false;
        lb_free_doc(&pin->library);
    }
    return status;
}

void lb_free_pins(lb_pin *pins, int count)
{
    for (int i = 0; i < count; ++i) {
        if (pins[i].is_library) {
            lb_free_doc(&pins[i].library);
        }
    }
}

// Room for one more pin; NULL if memory is out.
static lb_pin *add_pin(lb_arena *arena, lb_pin **pins, int count, int *capacity)
{
    lb_pin *more = lb_arena_grow(arena, *pins, count, capacity, sizeof *more);
    if (!more) {
        lb_free_pins(*pins, count);
        return NULL;
    }
    *pins = more;
    return more + count;
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
        lb_pin *pin = pins ? add_pin(arena, &found, count, &capacity) : NULL;
        if (pins && (!pin || read_hash(&reader, &file, name, pin) == LB_E_MEMORY)) {
            return -1;
        }
        ++count;
    }
    const lb_place library = lb_place_at_key(&root, "library");
    for (size_t i = 0; i < lb_place_count_items(&library); ++i) {
        const lb_place item = lb_place_at_item(&library, i);
        if (!lb_place_get_string(&item)) {
            continue;
        }
        lb_pin *pin = pins ? add_pin(arena, &found, count, &capacity) : NULL;
        if (pins && !pin) {
            return -1;
        }
        if (pins && read_library(document, &reader, &item, pin) == LB_E_MEMORY) {
            lb_free_pins(found, count);
            return -1;
        }
        ++count;
    }
    if (pins) {
        *pins = found;
    }
    return count;
}
