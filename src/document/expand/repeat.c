// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `repeat: {count: 3, index: i, items: [...]}`: an item of a list, or the key of a mapping, that stands for
// copies of its items. In a copy, texts that are formulas of the index are numbers. {formula} in any other text
// is its value, also of parameters outside of copies.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document/places.h"
#include "expand.h"

// Values that a document may grow to, about a gigabyte: a chain of a million bodies has 35 million.
#ifndef LB_EXPANDED_MOST // fuzzing takes less
#define LB_EXPANDED_MOST (1 << 26)
#endif
enum { VALUES_MOST = LB_EXPANDED_MOST, NESTED_MOST = 8 };

typedef struct expander {
    lb_arena *pool;
    lb_reader *reader;
    const lb_context *context;
    // items of open containers, and copies made in them, the outermost first
    lb_doc_node *pending;
    size_t pending_count, pending_capacity;
    lb_copies *copies;
    size_t copies_count, copies_capacity;
    size_t value_count;
    lb_status status;
} expander;

static lb_doc_node expand(expander *e, const lb_place *place, const lb_index *index);

// ---- values that grow ----------------------------------------------------------------------------

static void push(expander *e, lb_doc_node node)
{
    if (lb_grow_array(&e->pool->allocator, &e->pending, e->pending_count, 1, &e->pending_capacity,
                      sizeof node)) {
        e->pending[e->pending_count++] = node;
    } else {
        e->status = LB_E_MEMORY;
    }
}

// Counts values; more than there may be end the expansion.
static bool count_values(expander *e, const lb_place *place, size_t more)
{
    e->value_count += more;
    if (e->value_count > VALUES_MOST && e->status == LB_OK) {
        lb_reader_fail(e->reader, place,
                       "the document grows to more than %d values here, expected fewer: make a "
                       "\"count\" smaller",
                       VALUES_MOST);
        e->status = LB_E_MODEL;
    }
    return e->status == LB_OK;
}

// ---- errors ------------------------------------------------------------------------------------

static void fail(expander *e, const lb_place *place, const lb_index *index, const char *what)
{
    lb_text message = {.length = 0};
    lb_text_add(&message, "%s", what);
    for (const lb_index *i = index; i; i = i->up) {
        lb_text_add(&message, "%s%s = %.15g%s", i == index ? " (" : ", ", i->name, i->value,
                    i->up ? "" : ")");
    }
    lb_reader_fail(e->reader, place, "%s", message.data);
}

// ---- texts -------------------------------------------------------------------------------------

// Appends the value of a formula to a text.
static bool add_value(expander *e, const lb_place *place, const lb_index *index,
                      const char *formula, lb_text *out)
{
    double value = 0.0;
    lb_scan scan;
    char number[40];
    // a plain number is no formula, and nobody needs one here
    if (lb_evaluate_text(e->context, index, formula, &value, &scan) < LB_FORMULA_PARAMETERS) {
        lb_text message = {.length = 0};
        lb_text_add(&message, "in {");
        lb_text_add_excerpt(&message, formula);
        lb_text_add(&message, "}: %s",
                    scan.failed ? scan.error.message : "expected a formula of an index");
        fail(e, place, index, message.data);
        return false;
    }
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(number, sizeof number, "%lld", (long long)value);
    } else {
        snprintf(number, sizeof number, "%.15g", value);
        lb_use_plain_point(number);
    }
    lb_text_add(out, "%s", number);
    return true;
}

// Replaces each {formula} of a text by its value.
static const char *fill_in(expander *e, const lb_place *place, const lb_index *index,
                           const char *text)
{
    lb_text out = {.length = 0};
    out.data[0] = '\0';
    const char *open;
    while ((open = strchr(text, '{')) != NULL) {
        const char *close = strchr(open, '}');
        char formula[256];
        const size_t length = close ? (size_t)(close - open - 1) : 0;
        if (!close || length >= sizeof formula) {
            fail(e, place, index, "a { without its }, or too far from it");
            return "";
        }
        memcpy(formula, open + 1, length);
        formula[length] = '\0';
        lb_text_add(&out, "%.*s", (int)(open - text), text);
        if (!add_value(e, place, index, formula, &out)) {
            return "";
        }
        text = close + 1;
    }
    lb_text_add(&out, "%s", text);
    if (out.length + 4 >= sizeof out.data) {
        fail(e, place, index, "the text is too long to be repeated");
        return "";
    }
    count_values(e, place, out.length / sizeof(lb_doc_node));
    const char *copy = lb_arena_text(e->pool, out.data);
    e->status = copy ? e->status : LB_E_MEMORY;
    return copy ? copy : "";
}

static bool is_name_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether a word of a text is the name of an index: others are no formulas of it.
static bool mentions_index(const char *text, const lb_index *index)
{
    for (; index; index = index->up) {
        const size_t length = strlen(index->name);
        for (const char *at = strstr(text, index->name); at; at = strstr(at + 1, index->name)) {
            if ((at == text || !is_name_part(at[-1])) && !is_name_part(at[length])) {
                return true;
            }
        }
    }
    return false;
}

static lb_doc_node expand_text(expander *e, const lb_place *place, const lb_index *index)
{
    lb_doc_node node = *place->node;
    double value = 0.0;
    lb_scan scan;
    // a formula is evaluated for every copy: long ones count as what they take, and one that is too long for any copy
    // is refused here
    const size_t length = index ? strlen(node.value.text) : 0;
    if (length > LB_MOST_TERMS &&
        lb_evaluate_text(e->context, index, node.value.text, &value, &scan) == LB_FORMULA_WRONG &&
        strncmp(scan.error.message, LB_TOO_LONG, strlen(LB_TOO_LONG)) == 0) {
        fail(e, place, index, scan.error.message);
        return node;
    }
    if (length > 256 && !count_values(e, place, length / sizeof(lb_doc_node))) {
        return node;
    }
    if (strchr(node.value.text, '{')) {
        node.value.text = fill_in(e, place, index, node.value.text);
    } else if (mentions_index(node.value.text, index) &&
               lb_evaluate_text(e->context, index, node.value.text, &value, &scan) ==
                   LB_FORMULA_INDEX) {
        node.kind_and_column = (node.kind_and_column & 0xFFFFFFFu) | (uint32_t)LB_DOC_NUMBER << 28;
        node.value.number = value;
    }
    return node;
}

// ---- repetition ----------------------------------------------------------------------------------

// What a `repeat` says.
typedef struct repetition {
    size_t count;
    const char *index;
    lb_place items;
} repetition;

static bool read_count(expander *e, const lb_place *place, const lb_index *index, size_t *count)
{
    const lb_place at = lb_place_at_key(place, "count");
    double value = 0.0;
    lb_scan scan;
    const char *text = lb_place_get_string(&at);
    if (text && lb_evaluate_text(e->context, index, text, &value, &scan) < LB_FORMULA_PARAMETERS) {
        fail(e, &at, index,
             scan.failed ? scan.error.message : "expected a whole number, or a formula of one");
        return false;
    }
    if (!text && !lb_read_number(e->reader, place, "count", LB_REQUIRED, &value)) {
        return false;
    }
    if (!(value >= 0 && value <= VALUES_MOST && value == floor(value))) {
        char message[128];
        snprintf(message, sizeof message, "%.15g found, expected a whole number from 0 to %d",
                 value, VALUES_MOST);
        fail(e, &at, index, message);
        return false;
    }
    *count = (size_t)value;
    return true;
}

static bool check_index(expander *e, const lb_place *place, const lb_index *index, const char *name)
{
    const lb_place at = lb_place_at_key(place, "index");
    int depth = 1;
    for (const lb_index *i = index; i; i = i->up, ++depth) {
        if (strcmp(i->name, name) == 0) {
            fail(e, &at, index, "an index around it has the same name");
            return false;
        }
    }
    if (depth > NESTED_MOST) {
        fail(e, place, index, "repeated inside one another more than 8 deep");
        return false;
    }
    if (!lb_is_plain_name(name) || strlen(name) >= LB_NAME_MAX || lb_is_reserved_word(name)) {
        fail(e, &at, index, "expected a name such as i, which is no word of formulas");
        return false;
    }
    if (lb_names_find(&e->context->names, name) >= 0) {
        fail(e, &at, index, "a parameter has the same name");
        return false;
    }
    return true;
}

static bool read_repetition(expander *e, const lb_place *place, const lb_index *index,
                            lb_doc_kind kind, repetition *r)
{
    static const char *const known[] = {"count", "index", "items", NULL};
    *r = (repetition){.index = "i"};
    const int errors = e->reader->error_count;
    if (!lb_read_mapping(e->reader, place, known)) {
        return false;
    }
    (void)lb_read_string(e->reader, place, "index", LB_OPTIONAL, &r->index);
    r->items = lb_place_at_key(place, "items");
    if (!r->items.node) {
        lb_reader_fail(e->reader, place, "missing: the key \"items\" is required here");
    } else if (lb_place_get_kind(&r->items) != kind) {
        lb_reader_fail_type(e->reader, &r->items,
                            kind == LB_DOC_SEQUENCE ? "a list of items"
                                                    : "a mapping from names to entries");
    }
    return e->reader->error_count == errors && read_count(e, place, index, &r->count) &&
           check_index(e, place, index, r->index);
}

// Adds what stands at a place to the items of the open container: an entry of a mapping, an element of a list,
// or the copies that a `repeat` there stands for.
static void add_items(expander *e, const lb_place *place, const lb_index *index, lb_doc_kind kind,
                      size_t base);

// Notes where copies are, for errors in them.
static void note_copies(expander *e, const repetition *r, const size_t *starts, size_t inner)
{
    if (e->status != LB_OK || starts[0] == starts[r->count]) {
        return;
    }
    if (!lb_grow_array(&e->pool->allocator, &e->copies, e->copies_count, 1, &e->copies_capacity,
                       sizeof *e->copies)) {
        e->status = LB_E_MEMORY;
        return;
    }
    for (size_t i = inner; i < e->copies_count; ++i) {
        if (!e->copies[i].items && e->copies[i].outer == LB_NO_COPIES) {
            e->copies[i].outer = e->copies_count;
        }
    }
    e->copies[e->copies_count] = (lb_copies){.starts = starts,
                                             .count = r->count,
                                             .index = r->index,
                                             .self = e->copies_count,
                                             .outer = LB_NO_COPIES};
    ++e->copies_count;
}

static size_t count_nodes(const lb_doc_node *node)
{
    const lb_doc_kind kind = lb_doc_get_kind(node);
    size_t count = 1;
    if (kind == LB_DOC_MAPPING || kind == LB_DOC_SEQUENCE) {
        for (size_t i = 0; i < node->value.items->count; ++i) {
            count += count_nodes(&node->value.items->node[i]);
        }
    }
    return count;
}

static void add_copies(expander *e, const lb_place *place, const lb_index *index, lb_doc_kind kind,
                       size_t base)
{
    repetition r;
    if (!read_repetition(e, place, index, kind, &r)) {
        e->status = e->status == LB_OK ? LB_E_MODEL : e->status;
        return;
    }
    const size_t inner = e->copies_count;
    // do not begin what cannot be finished
    const size_t size = count_nodes(r.items.node), now = e->value_count;
    if (!count_values(e, place, r.count * size)) {
        return;
    }
    e->value_count = now;
    size_t *starts = lb_arena_take(e->pool, r.count + 1, sizeof *starts);
    if (!starts) {
        e->status = LB_E_MEMORY;
        return;
    }
    for (size_t i = 0; i < r.count && count_values(e, place, 1); ++i) {
        const lb_index own = {index, r.index, (double)i};
        starts[i] = e->pending_count - base;
        const int errors = e->reader->error_count;
        add_items(e, &r.items, &own, kind, base);
        if (e->reader->error_count > errors) {
            return; // the other copies have the same
        }
    }
    starts[r.count] = e->pending_count - base;
    note_copies(e, &r, starts, inner);
}

static void add_items(expander *e, const lb_place *list, const lb_index *index, lb_doc_kind kind,
                      size_t base)
{
    const size_t count = lb_place_get_count(list);
    for (size_t i = 0; i < count && e->status == LB_OK; ++i) {
        const lb_place place =
            kind == LB_DOC_MAPPING ? lb_place_at_pair(list, i) : lb_place_at_index(list, i);
        const lb_place repeat = kind == LB_DOC_MAPPING ? place : lb_place_at_key(&place, "repeat");
        if (kind == LB_DOC_MAPPING && strcmp(place.key, "repeat") == 0) {
            const bool several = lb_place_get_kind(&repeat) == LB_DOC_SEQUENCE;
            for (size_t k = 0; k < (several ? lb_place_get_count(&repeat) : 1); ++k) {
                const lb_place one = several ? lb_place_at_index(&repeat, k) : repeat;
                add_copies(e, &one, index, kind, base);
            }
        } else if (kind == LB_DOC_SEQUENCE && repeat.node && lb_place_get_count(&place) == 1) {
            add_copies(e, &repeat, index, kind, base);
        } else if (kind == LB_DOC_MAPPING) {
            lb_doc_node key = *lb_doc_get_key(list->node, i);
            if ((index || e->context->parameter_count > 0) && strchr(key.value.text, '{')) {
                key.value.text = fill_in(e, &place, index, key.value.text);
            }
            push(e, key);
            push(e, expand(e, &place, index));
        } else {
            push(e, expand(e, &place, index));
        }
    }
}

// Copies of entries have keys of their own.
static void check_keys(expander *e, const lb_place *place, const lb_doc_items *items)
{
    lb_arena arena = lb_make_arena(&e->pool->allocator);
    lb_names names;
    if (lb_names_init(&names, &arena, items->count / 2 + 1) != LB_OK) {
        e->status = LB_E_MEMORY;
    }
    for (size_t i = 0; i < items->count && e->status == LB_OK; i += 2) {
        if (lb_names_enter(&names, items->node[i].value.text, (int)i) >= 0) {
            lb_reader_fail(e->reader, place, "the key \"%.100s\" is made twice by repetition",
                           items->node[i].value.text);
            e->status = LB_E_MODEL;
        }
    }
    lb_arena_free(&arena);
}

static lb_doc_node expand_items(expander *e, const lb_place *place, const lb_index *index)
{
    lb_doc_node node = *place->node;
    const lb_doc_kind kind = lb_doc_get_kind(&node);
    const size_t base = e->pending_count, first_copies = e->copies_count;
    add_items(e, place, index, kind, base);
    const size_t count = e->pending_count - base;
    lb_doc_items *items =
        e->status == LB_OK
            ? lb_arena_take(e->pool, 1, offsetof(lb_doc_items, node) + count * sizeof node)
            : NULL;
    if (!items) {
        static const lb_doc_items none;
        e->status = e->status == LB_OK ? LB_E_MEMORY : e->status;
        node.value.items = &none;
        return node;
    }
    items->count = count;
    if (count) {
        memcpy(items->node, e->pending + base, count * sizeof node);
    }
    e->pending_count = base;
    for (size_t i = first_copies; i < e->copies_count; ++i) {
        if (!e->copies[i].items) { // those of containers inside are in place already
            e->copies[i].items = items->node;
        }
    }
    if (kind == LB_DOC_MAPPING && e->copies_count > first_copies) {
        check_keys(e, place, items);
    }
    node.value.items = items;
    return node;
}

static lb_doc_node expand(expander *e, const lb_place *place, const lb_index *index)
{
    const lb_doc_node *node = place->node;
    count_values(e, place, 1);
    switch (lb_doc_get_kind(node)) {
    case LB_DOC_STRING:
        return index || e->context->parameter_count > 0 ? expand_text(e, place, index) : *node;
    case LB_DOC_SEQUENCE:
    case LB_DOC_MAPPING:
        return expand_items(e, place, index);
    default:
        return *node;
    }
}

// By place, outer ones before inner ones, which are made first.
static int compare(const void *a, const void *b)
{
    const lb_copies *x = a, *y = b;
    const uintptr_t p = (uintptr_t)(x->items + x->starts[0]),
                    q = (uintptr_t)(y->items + y->starts[0]);
    return p != q ? (p > q) - (p < q) : (x->self < y->self) - (x->self > y->self);
}

static lb_status keep_copies(expander *e, lb_context *context)
{
    const size_t count = e->copies_count;
    lb_copies *copies = lb_arena_take(e->pool, count, sizeof *copies);
    size_t *now = lb_arena_take(e->pool, count, sizeof *now);
    if (!copies || !now) {
        return LB_E_MEMORY;
    }
    memcpy(copies, e->copies, count * sizeof *copies);
    qsort(copies, count, sizeof *copies, compare);
    for (size_t i = 0; i < count; ++i) {
        now[copies[i].self] = i;
    }
    for (size_t i = 0; i < count; ++i) {
        copies[i].outer = copies[i].outer == LB_NO_COPIES ? LB_NO_COPIES : now[copies[i].outer];
    }
    context->copies = copies;
    context->copies_count = count;
    return LB_OK;
}

lb_status lb_expand_repeats(lb_doc *doc, lb_reader *reader, lb_context *context)
{
    expander e = {.pool = &doc->expansion, .reader = reader, .context = context};
    const lb_place root = (lb_place){.node = &doc->raw};
    const lb_allocator *allocator = &e.pool->allocator;
    doc->root = expand(&e, &root, NULL);
    if (e.status == LB_OK && e.copies_count > 0) {
        e.status = keep_copies(&e, context);
    }
    if (e.pending) {
        allocator->release(allocator->user, e.pending);
    }
    if (e.copies) {
        allocator->release(allocator->user, e.copies);
    }
    if (e.status == LB_OK && reader->error_count > 0) {
        e.status = LB_E_MODEL;
    }
    return e.status;
}
