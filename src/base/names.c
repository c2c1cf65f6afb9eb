// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "names.h"

#include <stdint.h>
#include <string.h>

// FNV-1a
static size_t hash(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *name; ++name) {
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    }
    return (size_t)(h ^ (h >> 32));
}

lb_status lb_names_init(lb_names *names, lb_arena *arena, size_t count)
{
    size_t size = 4;
    while (size < 2 * count) {
        size *= 2;
    }
    names->mask = size - 1;
    names->count = 0;
    names->slots = lb_arena_take(arena, size, sizeof *names->slots);
    return names->slots ? LB_OK : LB_E_MEMORY;
}

// The slot that holds the name, or the empty one where it belongs.
static lb_name_slot *probe(const lb_names *names, const char *name)
{
    size_t i = hash(name) & names->mask;
    while (names->slots[i].name && strcmp(names->slots[i].name, name) != 0) {
        i = (i + 1) & names->mask;
    }
    return &names->slots[i];
}

int lb_names_enter(lb_names *names, const char *name, int index)
{
    lb_name_slot *slot = probe(names, name);
    if (slot->name) {
        return slot->index;
    }
    slot->name = name;
    slot->index = index;
    ++names->count;
    return -1;
}

lb_status lb_names_add(lb_names *names, lb_arena *arena, const char *name, int index)
{
    if (!names->slots || 2 * (names->count + 1) > names->mask + 1) {
        lb_names larger;
        if (lb_names_init(&larger, arena, 2 * names->count + 2) != LB_OK) {
            return LB_E_MEMORY;
        }
        for (size_t i = 0; names->slots && i <= names->mask; ++i) {
            if (names->slots[i].name) {
                (void)lb_names_enter(&larger, names->slots[i].name, names->slots[i].index);
            }
        }
        *names = larger;
    }
    (void)lb_names_enter(names, name, index);
    return LB_OK;
}

int lb_names_find(const lb_names *names, const char *name)
{
    const lb_name_slot *slot = names->slots ? probe(names, name) : NULL;
    return slot && slot->name ? slot->index : -1;
}
