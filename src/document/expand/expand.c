// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "expand.h"

#include <stdint.h>
#include <string.h>

#include "document/places.h"

// Parameters that were set have their new values in what is loaded, and in what is written of it.
static void write_values(lb_doc *doc, const lb_context *context)
{
    if (context->parameter_count == 0) {
        return; // the document need not be a mapping
    }
    lb_doc_node *list = (lb_doc_node *)(size_t)lb_doc_find(&doc->root, "parameters");
    for (int i = 0; i < context->parameter_count; ++i) {
        const lb_parameter_entry *entry = &context->parameters[i];
        if (!entry->is_set) {
            continue;
        }
        lb_doc_node *value = (lb_doc_node *)(size_t)lb_doc_get_value(list, entry->index);
        if (lb_doc_get_kind(value) == LB_DOC_MAPPING) {
            value = (lb_doc_node *)(size_t)lb_doc_find(value, "value");
        }
        value->kind_and_column = (value->kind_and_column & 0xFFFFFFFu) | (uint32_t)LB_DOC_NUMBER
                                                                             << 28;
        value->value.number = entry->value;
    }
}

lb_status lb_expand_document(lb_doc *doc, const lb_source *source, const lb_parameter_value *values,
                             int value_count, const lb_report *report)
{
    doc->root = doc->raw;
    doc->context = NULL;
    lb_arena_free(&doc->expansion);
    const bool mapping = lb_doc_get_kind(&doc->raw) == LB_DOC_MAPPING;
    const bool parameters = mapping && lb_doc_find(&doc->raw, "parameters");
    if (!parameters && !doc->has_repeat && !doc->files && value_count == 0) {
        return LB_OK;
    }
    lb_context *context = lb_arena_take(&doc->expansion, 1, sizeof *context);
    if (!context) {
        lb_emit_plain(report, source->file, LB_TOO_LARGE);
        return LB_E_MEMORY;
    }
    context->files = doc->files;
    lb_reader reader = {.report = *report, .file = source->file, .context = context};
    lb_status status = lb_read_parameters(doc, &reader, context, values, value_count);
    bool is_set = false;
    for (int i = 0; status == LB_OK && i < context->parameter_count; ++i) {
        is_set = is_set || context->parameters[i].is_set;
    }
    if (status == LB_OK && mapping &&
        (doc->has_repeat || is_set || (parameters && doc->has_braces))) {
        status = lb_expand_repeats(doc, &reader, context);
    }
    if (status == LB_OK) {
        write_values(doc, context);
        status = lb_set_paths(doc, &reader, context, values, value_count);
    }
    if (status == LB_OK) {
        doc->context = context;
    }
    if (status == LB_E_MEMORY) {
        lb_emit_plain(report, source->file, LB_TOO_LARGE);
    }
    return status;
}

// ---- errors ------------------------------------------------------------------------------------

static bool holds(const lb_copies *c, const lb_doc_node *node)
{
    return (uintptr_t)node >= (uintptr_t)(c->items + c->starts[0]) &&
           (uintptr_t)node < (uintptr_t)(c->items + c->starts[c->count]);
}

// The innermost copies that a node is among; their number, or LB_NO_COPIES.
static size_t find_copies(const lb_context *context, const lb_doc_node *node)
{
    size_t low = 0, high = context->copies_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const lb_copies *c = &context->copies[middle];
        if ((uintptr_t)node < (uintptr_t)(c->items + c->starts[0])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // the last that starts before it, or some around that
    size_t found = low > 0 ? low - 1 : LB_NO_COPIES;
    while (found != LB_NO_COPIES && !holds(&context->copies[found], node)) {
        found = context->copies[found].outer;
    }
    return found;
}

// ' ("2*k" is 6, k = 3 of line 4)'
static void explain_formula(const lb_context *context, const lb_doc_node *node, lb_text *message)
{
    double value;
    lb_scan scan;
    const char *text = node->value.text;
    if (lb_doc_get_kind(node) != LB_DOC_STRING ||
        lb_evaluate_text(context, NULL, text, &value, &scan) != LB_FORMULA_PARAMETERS) {
        return;
    }
    lb_text_add(message, " (\"");
    lb_text_add_excerpt(message, text);
    lb_text_add(message, "\" is %.15g", value);
    lb_scan words = {.text = text};
    while (words.text[words.at]) {
        lb_name name;
        if (!lb_scan_sees_name(&words) || !lb_scan_read_name(&words, &name)) {
            ++words.at;
            continue;
        }
        const int found = lb_names_find(&context->names, name.text);
        if (found >= 0) {
            const lb_parameter_entry *entry = &context->parameters[found];
            lb_text_add(message, ", %s = %.15g of line %d", name.text, entry->value,
                        (int)entry->given->line);
        }
    }
    lb_text_add(message, ")");
}

// "i = 2, j = 1", the outermost first.
static void explain_copies(const lb_context *context, size_t copies, const lb_doc_node *node,
                           bool *any, lb_text *message)
{
    if (copies == LB_NO_COPIES) {
        return;
    }
    const lb_copies *c = &context->copies[copies];
    explain_copies(context, c->outer, node, any, message);
    // the last copy that begins there or before
    const size_t at = (size_t)(node - c->items);
    size_t low = 0, high = c->count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *(c->starts[middle] <= at ? &low : &high) = middle;
    }
    lb_text_add(message, "%s%s = %zu", *any ? ", " : " (", c->index, low);
    *any = true;
}

void lb_explain_way(const lb_context *context, const lb_doc_node *const *way, int count,
                    lb_text *message)
{
    bool any = false;
    explain_formula(context, way[count - 1], message);
    for (int i = 0; i < count; ++i) {
        explain_copies(context, find_copies(context, way[i]), way[i], &any, message);
    }
    if (any) {
        lb_text_add(message, ")");
    }
}
