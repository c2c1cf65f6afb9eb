// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `include: parts.yaml`, or a list of files: what they hold comes before what the file itself holds. Lists
// are joined, mappings merged; a value that is given twice is an error, except for the name of the model.
#include <string.h>

#include "document/places.h"
#include "expand.h"

enum { FILES_MOST = 255, DEPTH_MAX = 16 };

typedef struct merger {
    lb_doc *doc;
    const lb_load_options *options;
    lb_reader reader;
    lb_context context; // the files, for messages
    const char *files[FILES_MOST];
    int file_count;
    int open[DEPTH_MAX + 1]; // files that are being read
    int depth;
} merger;

static lb_status merge_file(merger *m, int file, lb_doc_node *root);

// Marks a tree as that of a file.
static void mark(lb_doc_node *node, uint32_t file)
{
    node->kind_and_column |= file << LB_DOC_COLUMN_BITS;
    const lb_doc_kind kind = lb_doc_get_kind(node);
    if (kind == LB_DOC_MAPPING || kind == LB_DOC_SEQUENCE) {
        lb_doc_items *items = (lb_doc_items *)(size_t)node->value.items;
        for (size_t i = 0; i < items->count; ++i) {
            mark(&items->node[i], file);
        }
    }
}

// ---- merging -----------------------------------------------------------------------------------

static lb_doc_items *take_items(merger *m, size_t count)
{
    return lb_arena_take(&m->doc->pool, 1,
                         offsetof(lb_doc_items, node) + count * sizeof(lb_doc_node));
}

static lb_status join_lists(merger *m, const lb_doc_node *a, lb_doc_node *b)
{
    const lb_doc_items *first = a->value.items, *second = b->value.items;
    lb_doc_items *all = take_items(m, first->count + second->count);
    if (!all) {
        return LB_E_MEMORY;
    }
    all->count = first->count + second->count;
    memcpy(all->node, first->node, first->count * sizeof *all->node);
    memcpy(all->node + first->count, second->node, second->count * sizeof *all->node);
    b->value.items = all;
    return LB_OK;
}

static lb_status merge(merger *m, const lb_place *up, const lb_doc_node *a, lb_doc_node *b);

static lb_status merge_entry(merger *m, const lb_place *up, const char *key, const lb_doc_node *a,
                             lb_doc_node *b)
{
    const lb_place place = (lb_place){up, key, b, 0};
    const lb_doc_kind kind = lb_doc_get_kind(a);
    if (!up->up && (strcmp(key, "limber") == 0 || strcmp(key, "name") == 0)) {
        return LB_OK; // the file's own counts
    }
    if (kind == lb_doc_get_kind(b) && kind == LB_DOC_SEQUENCE) {
        return join_lists(m, a, b);
    }
    if (kind == lb_doc_get_kind(b) && kind == LB_DOC_MAPPING) {
        return merge(m, &place, a, b);
    }
    lb_reader_fail(&m->reader, &place,
                   "\"%.100s\" is given here and in line %d of %s, expected once", key,
                   (int)a->line, m->files[lb_doc_get_file(a)]);
    return LB_OK;
}

// Entries of `a`, merged with those of `b` of the same key, then the others of `b`. Leaves them in `b`.
static lb_status merge(merger *m, const lb_place *up, const lb_doc_node *a, lb_doc_node *b)
{
    const size_t count_a = lb_doc_get_count(a), count_b = lb_doc_get_count(b);
    lb_doc_items *all = take_items(m, 2 * (count_a + count_b));
    lb_arena scratch = lb_make_arena(&m->doc->pool.allocator);
    lb_names names;
    lb_status status = all ? lb_names_init(&names, &scratch, count_a + 1) : LB_E_MEMORY;
    if (status == LB_OK) {
        memcpy(all->node, a->value.items->node, 2 * count_a * sizeof *all->node);
        all->count = 2 * count_a;
    }
    for (size_t i = 0; status == LB_OK && i < count_a; ++i) {
        (void)lb_names_enter(&names, lb_doc_get_key(a, i)->value.text, (int)i);
    }
    for (size_t i = 0; status == LB_OK && i < count_b; ++i) {
        const lb_doc_node *key = lb_doc_get_key(b, i);
        const int found = lb_names_find(&names, key->value.text);
        lb_doc_node value = *lb_doc_get_value(b, i);
        if (found >= 0) {
            status =
                merge_entry(m, up, key->value.text, lb_doc_get_value(a, (size_t)found), &value);
            all->node[2 * found] = *key;
            all->node[2 * found + 1] = value;
        } else {
            all->node[all->count++] = *key;
            all->node[all->count++] = value;
        }
    }
    lb_arena_free(&scratch);
    b->value.items = all;
    return status;
}

// ---- files -------------------------------------------------------------------------------------

static lb_status include_one(merger *m, const lb_place *place, lb_doc_node *into)
{
    char path[LB_PATH_SIZE];
    const char *name = lb_place_get_string(place);
    if (!name) {
        lb_reader_fail_type(&m->reader, place, "the name of a file");
        return LB_OK;
    }
    lb_status status = lb_find_named_file(&m->reader, place, name, sizeof path, path);
    if (status != LB_OK) {
        return status == LB_E_MEMORY ? status : LB_OK;
    }
    for (int i = 0; i <= m->depth; ++i) {
        if (strcmp(m->files[m->open[i]], path) == 0) {
            lb_reader_fail(&m->reader, place,
                           "this file includes itself, by way of others or at once");
            return LB_OK;
        }
    }
    if (m->depth == DEPTH_MAX || m->file_count == FILES_MOST) {
        lb_reader_fail(&m->reader, place, "more than %d files%s, expected fewer",
                       m->depth == DEPTH_MAX ? DEPTH_MAX : FILES_MOST,
                       m->depth == DEPTH_MAX ? " that include one another" : "");
        return LB_OK;
    }
    const char *copy = lb_arena_text(&m->doc->pool, path);
    if (!copy) {
        return LB_E_MEMORY;
    }
    const int file = m->file_count++;
    m->files[file] = copy;
    lb_doc_node root;
    m->open[++m->depth] = file;
    status = merge_file(m, file, &root);
    --m->depth;
    if (status == LB_E_FILE) {
        lb_reader_fail(&m->reader, place,
                       "this file cannot be read: correct its name, which is seen from the folder "
                       "of the file that includes it");
    }
    if (status == LB_OK && lb_doc_get_kind(&root) == LB_DOC_MAPPING) {
        const lb_place top = (lb_place){.node = into};
        status = merge(m, &top, &root, into);
    }
    return status;
}

// Takes the key out of a mapping.
static lb_status drop_key(merger *m, const char *key, lb_doc_node *mapping)
{
    lb_doc_items *items = take_items(m, mapping->value.items->count);
    if (!items) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < lb_doc_get_count(mapping); ++i) {
        if (strcmp(lb_doc_get_key(mapping, i)->value.text, key) != 0) {
            items->node[items->count++] = *lb_doc_get_key(mapping, i);
            items->node[items->count++] = *lb_doc_get_value(mapping, i);
        }
    }
    mapping->value.items = items;
    return LB_OK;
}

// Replaces `include` of a tree by what it names. The last file named comes right before the tree itself.
static lb_status include_all(merger *m, lb_doc_node *root)
{
    const lb_doc_node own = *root;
    const lb_place top = (lb_place){.node = &own}, list = lb_place_at_key(&top, "include");
    if (!list.node) {
        return LB_OK;
    }
    lb_status status = drop_key(m, "include", root);
    for (size_t i = lb_place_count_items(&list); status == LB_OK && i-- > 0;) {
        const lb_place item = lb_place_at_item(&list, i);
        status = include_one(m, &item, root);
    }
    return status;
}

static lb_status merge_file(merger *m, int file, lb_doc_node *root)
{
    lb_source source = {.file = m->files[file], .format = LB_FORMAT_AUTO};
    // its tree lives in the pool of the document
    lb_doc part = {.pool = m->doc->pool};
    const lb_status status =
        lb_parse_document(&part, NULL, 0, m->options, &m->reader.report, &source);
    m->doc->pool = part.pool;
    if (status != LB_OK) {
        ++m->reader.error_count; // which was reported there
        return status;
    }
    m->doc->has_repeat = m->doc->has_repeat || part.has_repeat;
    m->doc->has_braces = m->doc->has_braces || part.has_braces;
    *root = part.root;
    mark(root, (uint32_t)file);
    if (lb_doc_get_kind(root) != LB_DOC_MAPPING) {
        const lb_place place = (lb_place){.node = root};
        lb_reader_fail_type(&m->reader, &place, "a mapping");
        return LB_OK;
    }
    return include_all(m, root);
}

lb_status lb_merge_includes(lb_doc *doc, const lb_source *source, const lb_load_options *options,
                            const lb_report *report)
{
    doc->raw = doc->root;
    if (lb_doc_get_kind(&doc->root) != LB_DOC_MAPPING || !lb_doc_find(&doc->root, "include")) {
        return LB_OK;
    }
    merger m = {.doc = doc, .options = options, .file_count = 1};
    m.reader = (lb_reader){0, *report, source->file, source->allow_files, &m.context};
    m.context.files = m.files;
    m.files[0] = source->file;
    lb_status status = include_all(&m, &doc->raw);
    if (status == LB_OK && m.reader.error_count > 0) {
        status = LB_E_MODEL;
    }
    const char **files = lb_arena_take(&doc->pool, (size_t)m.file_count, sizeof *files);
    if (status == LB_OK && !files) {
        status = LB_E_MEMORY;
    }
    if (status == LB_OK) {
        memcpy(files, m.files, (size_t)m.file_count * sizeof *files);
        doc->files = files;
        doc->file_count = m.file_count;
    } else {
        lb_arena_free(&doc->pool);
    }
    if (status == LB_E_MEMORY) {
        lb_emit_plain(report, source->file, LB_TOO_LARGE);
    }
    return status;
}
