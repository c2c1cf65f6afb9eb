// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From a file or text of any format to a document.
#include <string.h>

#include "base/faults.h"
#include "base/files/files.h"
#include "base/sized.h"
#include "document/urdf/urdf.h"
#include "expand/expand.h"

lb_status lb_take_options(const lb_load_options *options, const lb_report *report,
                          lb_load_options *taken)
{
    *taken = lb_default_load_options();
    return options ? lb_take_reported(report, "", taken, sizeof *taken,
                                      LB_SIZE_THROUGH(lb_load_options, allocator), options)
                   : LB_OK;
}

lb_report lb_take_report(const lb_report *report)
{
    const lb_report silent = {NULL, NULL};
    return report ? *report : silent;
}

static bool lb_ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

// By the name; else XML starts as neither YAML nor JSON of ours can.
static lb_format lb_find_format(const char *text, size_t length, const char *file)
{
    if (lb_ends_in(file, ".json")) {
        return LB_FORMAT_JSON;
    }
    if (lb_ends_in(file, ".urdf")) {
        return LB_FORMAT_URDF;
    }
    size_t i = 0;
    while (i < length && text[i] && strchr(" \t\r\n", text[i])) {
        ++i;
    }
    return i < length && text[i] == '<' ? LB_FORMAT_URDF : LB_FORMAT_YAML;
}

static lb_status lb_parse_text(lb_doc *doc, const char *text, size_t length,
                               const lb_load_options *options, const lb_report *report,
                               lb_source *source)
{
    if (length >= LB_TEXT_SIZE_MAX) {
        lb_emit_plain(report, source->file, "the text has 512 MiB or more, expected less");
        return LB_E_FILE;
    }
    source->instructions = options->instructions;
    source->allow_files = source->allow_files ? source->allow_files : options->allow_files;
    // the mark that some editors write before UTF-8 is not part of the text
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        length -= 3;
    }
    if (source->format == LB_FORMAT_AUTO) {
        source->format = lb_find_format(text, length, source->file);
    }
    switch (source->format) {
    case LB_FORMAT_JSON:
        return lb_doc_read_json(doc, text, length, source->file, report);
    case LB_FORMAT_URDF:
        return lb_doc_read_urdf(doc, text, length, source->file, options, report);
    default:
        return lb_doc_read_yaml(doc, text, length, source->file, report);
    }
}

lb_status lb_parse_document(lb_doc *doc, const char *text, size_t length,
                            const lb_load_options *options, const lb_report *report,
                            lb_source *source)
{
    const lb_allocator *allocator = &doc->pool.allocator;
    char *own = NULL;
    lb_status status = LB_OK;
    if (!text) {
        status = lb_read_file(source->file, LB_TEXT_SIZE_MAX, allocator, report, &own, &length);
    }
    if (status != LB_OK) {
        return status;
    }
    status = lb_parse_text(doc, own ? own : text, length, options, report, source);
    // the tree has copies of what it needs: let go of the text before the model is built
    if (own) {
        allocator->release(allocator->user, own);
    }
    return status;
}

lb_doc lb_start_doc(const lb_allocator *allocator)
{
    return (lb_doc){.pool = lb_make_arena(allocator), .expansion = lb_make_arena(allocator)};
}

void lb_free_doc(lb_doc *doc)
{
    lb_arena_free(&doc->expansion);
    lb_arena_free(&doc->pool);
}

lb_status lb_read_document(lb_doc *doc, const char *text, size_t length,
                           const lb_load_options *options, const lb_report *report,
                           lb_source *source)
{
    lb_status status = lb_parse_document(doc, text, length, options, report, source);
    status = status ? status : lb_merge_includes(doc, source, options, report);
    status = status ? status
                    : lb_expand_document(doc, source, options->parameters, options->parameter_count,
                                         report);
    if (status != LB_OK) {
        lb_free_doc(doc);
    }
    return status;
}
