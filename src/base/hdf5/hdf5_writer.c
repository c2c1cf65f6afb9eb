// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The order in the file: superblock; items of arrays as they come; then, from the last object to the first,
// headers of datasets, and names, lists and headers of groups; last the room for what is written later.
#include "hdf5_writer.h"

#include <stdlib.h>
#include <string.h>

enum {
    MESSAGE_SPACE = 0x01,
    MESSAGE_TYPE = 0x03,
    MESSAGE_FILL = 0x05,
    MESSAGE_LAYOUT = 0x08,
    MESSAGE_ATTRIBUTE = 0x0c,
    MESSAGE_SYMBOLS = 0x11,
    MESSAGE_CONSTANT = 1, // flag
    SUPERBLOCK_SIZE = 96,
    ATTRIBUTE_MAX = 60 << 10,
    NODE_K = 16, // of the tree of a group: at most 2 K lists of names, ...
    LEAF_K = 4   // ... each with 2 K names, or more in large groups
};

static const uint64_t nowhere = UINT64_MAX;

typedef struct attribute {
    struct attribute *next;
    const char *name;
    lb_hdf5_shape shape;
    const void *value;
} attribute;

struct lb_hdf5_object {
    int group; // that it is in
    bool is_group, is_later;
    const char *name;
    attribute *first, *last;
    lb_hdf5_shape shape;
    uint64_t size, at;         // of its items
    uint64_t header, place_at; // in the file: its header, and where that says `at`
    uint64_t tree, heap;       // of a group
};

// ---- bytes -------------------------------------------------------------------------------------

static void fail(lb_hdf5_writer *w, lb_status status)
{
    w->status = w->status < 0 ? w->status : status;
}

// `size` more bytes, zero; NULL if there are none.
static unsigned char *take(lb_hdf5_writer *w, uint64_t size)
{
    if (w->status < 0) {
        return NULL;
    }
    if (size > w->room - w->size) {
        const bool is_possible = size < SIZE_MAX / 4;
        const size_t least = w->size + (size_t)size;
        const size_t room = 2 * w->room > least ? 2 * w->room : least;
        unsigned char *larger = is_possible ? realloc(w->bytes, room) : NULL;
        if (!larger) {
            fail(w, LB_E_MEMORY);
            return NULL;
        }
        w->bytes = larger;
        w->room = room;
    }
    unsigned char *bytes = w->bytes + w->size;
    memset(bytes, 0, (size_t)size);
    w->size += (size_t)size;
    return bytes;
}

static void put_bytes(lb_hdf5_writer *w, const void *from, uint64_t size)
{
    unsigned char *to = take(w, size);
    if (to && size > 0) {
        memcpy(to, from, (size_t)size);
    }
}

// Numbers of the format itself have their lowest byte first, on every machine.
static void set_number(unsigned char *to, uint64_t value, int size)
{
    for (int i = 0; i < size; ++i) {
        to[i] = (unsigned char)(value >> 8 * i);
    }
}

static void put_number(lb_hdf5_writer *w, uint64_t value, int size)
{
    unsigned char bytes[8];
    set_number(bytes, value, size);
    put_bytes(w, bytes, (uint64_t)size);
}

static void patch(lb_hdf5_writer *w, uint64_t at, uint64_t value, int size)
{
    if (w->status >= 0) {
        set_number(w->bytes + at, value, size);
    }
}

// Everything starts at a multiple of eight.
static void pad(lb_hdf5_writer *w)
{
    take(w, (8 - w->size % 8) % 8);
}

// ---- what an array is --------------------------------------------------------------------------

static uint64_t get_item_size(const lb_hdf5_shape *shape)
{
    static const int sizes[] = {[LB_HDF5_FLOAT64] = 8,
                                [LB_HDF5_INT32] = 4,
                                [LB_HDF5_UINT32] = 4,
                                [LB_HDF5_INT64] = 8,
                                [LB_HDF5_UINT8] = 1};
    return shape->type == LB_HDF5_STRING ? shape->text_size : (uint64_t)sizes[shape->type];
}

// Bytes of all items.
static uint64_t measure(lb_hdf5_writer *w, const lb_hdf5_shape *shape)
{
    uint64_t size = get_item_size(shape);
    if (size > UINT32_MAX) {
        fail(w, LB_E_UNSUPPORTED);
    }
    for (int i = 0; i < shape->rank; ++i) {
        if (shape->dims[i] > 0 && size > INT64_MAX / shape->dims[i]) {
            fail(w, LB_E_UNSUPPORTED);
            return 0;
        }
        size *= shape->dims[i];
    }
    return size;
}

static void put_space(lb_hdf5_writer *w, const lb_hdf5_shape *shape)
{
    // version 1; the largest size is said too, and is the same
    const unsigned char start[8] = {1, (unsigned char)shape->rank, shape->rank > 0};
    put_bytes(w, start, sizeof start);
    for (int i = 0; i < 2 * shape->rank; ++i) {
        put_number(w, shape->dims[i % shape->rank], 8);
    }
}

static void put_type(lb_hdf5_writer *w, const lb_hdf5_shape *shape)
{
    const uint16_t probe = 1;
    const unsigned char order = *(const unsigned char *)&probe == 0; // 1: highest byte first
    const unsigned char is_signed =
        shape->type == LB_HDF5_UINT32 || shape->type == LB_HDF5_UINT8 ? 0 : 8;
    const uint64_t size = get_item_size(shape);
    enum { INTEGER = 0x10, FLOAT = 0x11, STRING = 0x13 }; // version 1 and class
    if (shape->type == LB_HDF5_STRING) {
        const unsigned char start[4] = {STRING};
        put_bytes(w, start, sizeof start);
        put_number(w, size, 4);
    } else if (shape->type == LB_HDF5_FLOAT64) {
        // IEEE 754: sign in bit 63; exponent from bit 52, 11 bits; fraction from bit 0, 52 bits; bias 1023
        const unsigned char start[4] = {FLOAT, 0x20 | order, 63};
        const unsigned char ieee[12] = {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0};
        put_bytes(w, start, sizeof start);
        put_number(w, size, 4);
        put_bytes(w, ieee, sizeof ieee);
    } else {
        const unsigned char start[4] = {INTEGER, is_signed | order};
        put_bytes(w, start, sizeof start);
        put_number(w, size, 4);
        put_number(w, 0, 2);
        put_number(w, 8 * size, 2);
    }
}

// ---- what is in the file -----------------------------------------------------------------------

static const void *copy(lb_hdf5_writer *w, const void *from, size_t size)
{
    void *to = lb_arena_take(&w->arena, size, 1);
    if (!to) {
        fail(w, LB_E_MEMORY);
    } else if (size > 0) {
        memcpy(to, from, size);
    }
    return to;
}

// The number of a new object, 0 on failure.
static int add_object(lb_hdf5_writer *w, int group, const char *name, bool is_group)
{
    if (w->status < 0) {
        return 0;
    }
    struct lb_hdf5_object *larger =
        lb_arena_grow(&w->arena, w->objects, w->object_count, &w->object_room, sizeof *w->objects);
    const char *own = copy(w, name, strlen(name) + 1);
    if (!larger || !own) {
        fail(w, LB_E_MEMORY);
        return 0;
    }
    w->objects = larger;
    w->objects[w->object_count] =
        (struct lb_hdf5_object){.group = group, .is_group = is_group, .name = own, .at = nowhere};
    return w->object_count++;
}

void lb_start_hdf5_writer(lb_hdf5_writer *w)
{
    *w = (lb_hdf5_writer){.arena = lb_make_arena(NULL)};
    add_object(w, -1, "", true);
    take(w, SUPERBLOCK_SIZE);
}

int lb_put_hdf5_group(lb_hdf5_writer *w, int group, const char *name)
{
    return add_object(w, group, name, true);
}

// A dataset whose items start here if it `has_items`; NULL on failure.
static struct lb_hdf5_object *add_dataset(lb_hdf5_writer *w, int group, const char *name,
                                          const lb_hdf5_shape *shape, bool has_items)
{
    const uint64_t size = measure(w, shape);
    const int dataset = add_object(w, group, name, false);
    if (w->status < 0) {
        return NULL;
    }
    struct lb_hdf5_object *o = &w->objects[dataset];
    o->shape = *shape;
    o->size = size;
    o->is_later = !has_items;
    o->at = has_items && size > 0 ? w->size : nowhere;
    return o;
}

int lb_put_hdf5_dataset(lb_hdf5_writer *w, int group, const char *name, const lb_hdf5_shape *shape,
                        const void *values)
{
    const struct lb_hdf5_object *o = add_dataset(w, group, name, shape, values);
    if (o && values) {
        put_bytes(w, values, o->size);
        pad(w);
    }
    return o ? (int)(o - w->objects) : 0;
}

void lb_put_hdf5_text(lb_hdf5_writer *w, int group, const char *name, const char *text,
                      size_t length)
{
    const lb_hdf5_shape shape = {.type = LB_HDF5_STRING, .text_size = length + 1};
    if (add_dataset(w, group, name, &shape, true)) {
        put_bytes(w, text, length);
        take(w, 1);
        pad(w);
    }
}

void lb_put_hdf5_names(lb_hdf5_writer *w, int group, const char *name, size_t size, int count,
                       const char *const *names)
{
    const lb_hdf5_shape shape = {
        .type = LB_HDF5_STRING, .text_size = size, .rank = 1, .dims = {(uint64_t)count}};
    const bool good = add_dataset(w, group, name, &shape, true);
    for (int i = 0; good && i < count; ++i) {
        const size_t length = strlen(names[i]);
        unsigned char *to = take(w, size);
        if (to) {
            memcpy(to, names[i], length < size ? length : size - 1);
        }
    }
    pad(w);
}

void lb_put_hdf5_attribute(lb_hdf5_writer *w, int object, const char *name,
                           const lb_hdf5_shape *shape, const void *value)
{
    const uint64_t size = measure(w, shape);
    if (size > ATTRIBUTE_MAX) {
        fail(w, LB_E_UNSUPPORTED);
    }
    attribute *a = w->status < 0 ? NULL : lb_arena_take(&w->arena, 1, sizeof *a);
    if (!a) {
        fail(w, LB_E_MEMORY);
        return;
    }
    a->name = copy(w, name, strlen(name) + 1);
    a->shape = *shape;
    a->value = copy(w, value, (size_t)size);
    struct lb_hdf5_object *o = &w->objects[object];
    *(o->last ? &o->last->next : &o->first) = a;
    o->last = a;
}

void lb_put_hdf5_text_attribute(lb_hdf5_writer *w, int object, const char *name, const char *text)
{
    const lb_hdf5_shape shape = {.type = LB_HDF5_STRING, .text_size = strlen(text) + 1};
    lb_put_hdf5_attribute(w, object, name, &shape, text);
}

// ---- headers of objects ------------------------------------------------------------------------

typedef struct header {
    uint64_t at, message_at;
    int message_count;
} header;

static header start_header(lb_hdf5_writer *w)
{
    const header h = {.at = w->size};
    put_number(w, 1, 4); // version; the number of messages is known later
    put_number(w, 1, 4); // links to it
    take(w, 8);
    return h;
}

static void start_message(lb_hdf5_writer *w, header *h, int type, int flags)
{
    h->message_at = w->size;
    ++h->message_count;
    put_number(w, (uint64_t)type, 2);
    take(w, 2);
    put_number(w, (uint64_t)flags, 4);
}

static void end_message(lb_hdf5_writer *w, const header *h)
{
    pad(w);
    patch(w, h->message_at + 2, w->size - h->message_at - 8, 2);
}

static void put_attribute(lb_hdf5_writer *w, header *h, const attribute *a)
{
    start_message(w, h, MESSAGE_ATTRIBUTE, 0);
    const uint64_t at = w->size, name_size = strlen(a->name) + 1;
    put_number(w, 1, 2); // version
    put_number(w, name_size, 2);
    take(w, 4); // sizes of type and space
    put_bytes(w, a->name, name_size);
    pad(w);
    const uint64_t type_at = w->size;
    put_type(w, &a->shape);
    patch(w, at + 4, w->size - type_at, 2);
    pad(w);
    const uint64_t space_at = w->size;
    put_space(w, &a->shape);
    patch(w, at + 6, w->size - space_at, 2);
    pad(w);
    put_bytes(w, a->value, measure(w, &a->shape));
    end_message(w, h);
}

static void end_header(lb_hdf5_writer *w, header *h, const struct lb_hdf5_object *o)
{
    for (const attribute *a = o->first; a; a = a->next) {
        put_attribute(w, h, a);
    }
    if (h->message_count > UINT16_MAX) {
        fail(w, LB_E_UNSUPPORTED);
    }
    patch(w, h->at + 2, (uint64_t)h->message_count, 2);
    patch(w, h->at + 8, w->size - h->at - 16, 4);
}

static void put_dataset_header(lb_hdf5_writer *w, struct lb_hdf5_object *o)
{
    // version 2; allocated when created or when written; not filled, or filled if there is a value; none is set
    const unsigned char later[8] = {2, 1, 1, 1}, now[8] = {2, 2, 2, 1};
    header h = start_header(w);
    o->header = h.at;
    start_message(w, &h, MESSAGE_SPACE, 0);
    put_space(w, &o->shape);
    end_message(w, &h);
    start_message(w, &h, MESSAGE_TYPE, MESSAGE_CONSTANT);
    put_type(w, &o->shape);
    end_message(w, &h);
    start_message(w, &h, MESSAGE_FILL, MESSAGE_CONSTANT);
    put_bytes(w, o->is_later ? later : now, 8);
    end_message(w, &h);
    start_message(w, &h, MESSAGE_LAYOUT, MESSAGE_CONSTANT);
    put_number(w, 3, 1); // version
    put_number(w, 1, 1); // in one piece
    o->place_at = w->size;
    put_number(w, o->at, 8);
    put_number(w, o->size, 8);
    end_message(w, &h);
    end_header(w, &h, o);
}

// ---- groups ------------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const struct lb_hdf5_object *const *one = a, *const *other = b;
    return strcmp((*one)->name, (*other)->name);
}

// The objects of a group by their names; NULL on failure.
static struct lb_hdf5_object **sort_members(lb_hdf5_writer *w, int group, int *count)
{
    struct lb_hdf5_object **members =
        lb_arena_take(&w->arena, (size_t)w->object_count, sizeof(struct lb_hdf5_object *));
    *count = 0;
    for (int i = 0; members && i < w->object_count; ++i) {
        if (w->objects[i].group == group) {
            members[(*count)++] = &w->objects[i];
        }
    }
    if (!members) {
        fail(w, LB_E_MEMORY);
        return NULL;
    }
    qsort(members, (size_t)*count, sizeof *members, compare);
    for (int i = 1; i < *count; ++i) {
        if (compare(&members[i - 1], &members[i]) == 0) {
            fail(w, LB_E_ARGUMENT);
        }
    }
    return members;
}

// Names of a group; `places` gets where each of them is among them.
static uint64_t put_heap(lb_hdf5_writer *w, struct lb_hdf5_object *const *members, int count,
                         uint64_t *places)
{
    // an empty name first
    const uint64_t names_at = w->size;
    take(w, 8);
    for (int i = 0; i < count; ++i) {
        places[i] = w->size - names_at;
        put_bytes(w, members[i]->name, strlen(members[i]->name) + 1);
        pad(w);
    }
    const uint64_t names_size = w->size - names_at, at = w->size;
    put_bytes(w, "HEAP", 4);
    put_number(w, 0, 4); // version
    put_number(w, names_size, 8);
    put_number(w, 1, 8); // no free room
    put_number(w, names_at, 8);
    return at;
}

// A list of names and headers.
static void put_leaf(lb_hdf5_writer *w, struct lb_hdf5_object *const *members, int count, int most,
                     const uint64_t *places)
{
    const uint64_t end = w->size + 8 + 40 * (uint64_t)most;
    put_bytes(w, "SNOD", 4);
    put_number(w, 1, 2); // version
    put_number(w, (uint64_t)count, 2);
    for (int i = 0; i < count; ++i) {
        const struct lb_hdf5_object *o = members[i];
        put_number(w, places[i], 8);
        put_number(w, o->header, 8);
        put_number(w, o->is_group, 8); // whether the next two are given
        put_number(w, o->tree, 8);
        put_number(w, o->heap, 8);
    }
    take(w, end - w->size);
}

static void put_group(lb_hdf5_writer *w, int group, int leaf_most)
{
    int count;
    struct lb_hdf5_object **members = sort_members(w, group, &count);
    uint64_t *places = lb_arena_take(&w->arena, (size_t)count + 1, sizeof *places);
    if (!members || !places) {
        fail(w, LB_E_MEMORY);
        return;
    }
    struct lb_hdf5_object *o = &w->objects[group];
    o->heap = put_heap(w, members, count, places);

    // the tree: between lists, the last name of the one before
    const int leaf_count = (count + leaf_most - 1) / leaf_most;
    o->tree = w->size;
    put_bytes(w, "TREE", 4);
    put_number(w, 0, 2); // of a group, right above the lists
    put_number(w, (uint64_t)leaf_count, 2);
    put_number(w, nowhere, 8);
    put_number(w, nowhere, 8);
    const uint64_t keys_at = w->size;
    take(w, 8 * (4 * NODE_K + 1));
    for (int i = 0; i < leaf_count && w->status >= 0; ++i) {
        const int first = i * leaf_most;
        const int many = count - first < leaf_most ? count - first : leaf_most;
        patch(w, keys_at + 16 * (uint64_t)i + 8, w->size, 8);
        patch(w, keys_at + 16 * (uint64_t)i + 16, places[first + many - 1], 8);
        put_leaf(w, members + first, many, leaf_most, places + first);
    }
    header h = start_header(w);
    o->header = h.at;
    start_message(w, &h, MESSAGE_SYMBOLS, 0);
    put_number(w, o->tree, 8);
    put_number(w, o->heap, 8);
    end_message(w, &h);
    end_header(w, &h, o);
}

// Names that a list must have room for, so that one node of a tree is enough for every group.
static int find_leaf_most(lb_hdf5_writer *w)
{
    int *counts = lb_arena_take(&w->arena, (size_t)w->object_count, sizeof *counts), most = 0;
    for (int i = 1; counts && i < w->object_count; ++i) {
        const int count = ++counts[w->objects[i].group];
        most = count > most ? count : most;
    }
    const int leaf_k = (most + 4 * NODE_K - 1) / (4 * NODE_K);
    if (!counts || 2 * leaf_k > UINT16_MAX) {
        fail(w, counts ? LB_E_UNSUPPORTED : LB_E_MEMORY);
    }
    return 2 * (leaf_k > LEAF_K ? leaf_k : LEAF_K);
}

// ---- the end -----------------------------------------------------------------------------------

// Version 0, with addresses and lengths of eight bytes.
static void set_superblock(unsigned char *to, int leaf_most, uint64_t end,
                           const struct lb_hdf5_object *root)
{
    static const unsigned char mark[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    memcpy(to, mark, sizeof mark);
    set_number(to + 13, 8, 1);
    set_number(to + 14, 8, 1);
    set_number(to + 16, (uint64_t)leaf_most / 2, 2);
    set_number(to + 18, NODE_K, 2);
    set_number(to + 32, nowhere, 8); // no list of free room
    set_number(to + 40, end, 8);
    set_number(to + 48, nowhere, 8); // no driver
    set_number(to + 64, root->header, 8);
    set_number(to + 72, 1, 4); // the next two are given
    set_number(to + 80, root->tree, 8);
    set_number(to + 88, root->heap, 8);
}

lb_status lb_finish_hdf5_writer(lb_hdf5_writer *w)
{
    const int leaf_most = w->status < 0 ? 0 : find_leaf_most(w);
    // members before their group
    for (int i = w->object_count - 1; i >= 0 && w->status >= 0; --i) {
        if (w->objects[i].is_group) {
            put_group(w, i, leaf_most);
        } else {
            put_dataset_header(w, &w->objects[i]);
        }
    }
    w->end = w->size;
    for (int i = 0; i < w->object_count; ++i) {
        struct lb_hdf5_object *o = &w->objects[i];
        if (o->is_later && o->size > 0) {
            if (o->size > INT64_MAX - 8 - w->end) {
                fail(w, LB_E_UNSUPPORTED);
                break;
            }
            o->at = w->end;
            patch(w, o->place_at, o->at, 8);
            w->end += (o->size + 7) / 8 * 8;
        }
    }
    if (w->status >= 0) {
        set_superblock(w->bytes, leaf_most, w->end, &w->objects[LB_HDF5_ROOT]);
    }
    return w->status;
}

uint64_t lb_get_hdf5_place(const lb_hdf5_writer *w, int dataset)
{
    return w->objects[dataset].at;
}

void lb_free_hdf5_writer(lb_hdf5_writer *w)
{
    free(w->bytes);
    lb_arena_free(&w->arena);
    *w = (lb_hdf5_writer){.arena = lb_make_arena(NULL)};
}
