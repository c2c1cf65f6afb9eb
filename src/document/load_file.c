// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The public entries: from a file or text of any format to a document, and on to a model or, for
// conversion, to a text of the model format.
#include <stdio.h>
#include <string.h>

#include "base/faults.h"
#include "base/files/files.h"
#include "base/report/findings.h"
#include "base/sized.h"
#include "document/urdf/urdf.h"
#include "expand/expand.h"
#include "write_model.h"

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

lb_status lb_parse_document(lb_doc *doc, const char *text, size_t length,
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

lb_status lb_parse_document_file(lb_doc *doc, const lb_load_options *options,
                                 const lb_report *report, lb_source *source)
{
    const lb_allocator *allocator = &doc->pool.allocator;
    char *text = NULL;
    size_t length = 0;
    lb_status status =
        lb_read_file(source->file, LB_TEXT_SIZE_MAX, allocator, report, &text, &length);
    if (status != LB_OK) {
        return status;
    }
    status = lb_parse_document(doc, text, length, options, report, source);
    // the tree has copies of what it needs: let go of the text before the model is built
    allocator->release(allocator->user, text);
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

// Everything that comes after the tree.
static lb_status lb_finish_doc(lb_doc *doc, lb_status status, const lb_load_options *options,
                               const lb_report *report, const lb_source *source)
{
    status = status == LB_OK ? lb_merge_includes(doc, source, options, report) : status;
    status = status == LB_OK ? lb_expand_document(doc, source, options->parameters,
                                                  options->parameter_count, report)
                             : status;
    if (status != LB_OK) {
        lb_free_doc(doc);
    }
    return status;
}

lb_status lb_read_document(lb_doc *doc, const char *text, size_t length,
                           const lb_load_options *options, const lb_report *report,
                           lb_source *source)
{
    const lb_status status = lb_parse_document(doc, text, length, options, report, source);
    return lb_finish_doc(doc, status, options, report, source);
}

lb_status lb_read_document_file(lb_doc *doc, const lb_load_options *options,
                                const lb_report *report, lb_source *source)
{
    const lb_status status = lb_parse_document_file(doc, options, report, source);
    return lb_finish_doc(doc, status, options, report, source);
}

// ---- loading -----------------------------------------------------------------------------------

lb_status lb_load_model_text(const char *text, size_t length, const char *name, lb_format format,
                             const lb_load_options *options, const lb_report *report,
                             lb_model **model)
{
    lb_load_options taken;
    lb_findings findings;
    const lb_report heard = lb_start_findings(&findings, report);
    lb_source source = {.file = name ? name : "", .format = format};
    *model = NULL;
    if (lb_take_options(options, &heard, &taken) != LB_OK) {
        return LB_E_VERSION;
    }
    lb_doc doc = lb_start_doc(taken.allocator);
    lb_status status = lb_read_document(&doc, text, length, &taken, &heard, &source);
    if (status == LB_OK) {
        status = lb_build_document(&doc, &source, &heard, model);
        lb_free_doc(&doc);
    }
    lb_end_findings(&findings);
    return status;
}

lb_status lb_load_model(const char *path, const lb_load_options *options, const lb_report *report,
                        lb_model **model)
{
    lb_load_options taken;
    lb_findings findings;
    const lb_report heard = lb_start_findings(&findings, report);
    lb_source source = {.file = path, .format = LB_FORMAT_AUTO};
    *model = NULL;
    if (lb_take_options(options, &heard, &taken) != LB_OK) {
        return LB_E_VERSION;
    }
    lb_doc doc = lb_start_doc(taken.allocator);
    lb_status status = lb_read_document_file(&doc, &taken, &heard, &source);
    if (status == LB_OK) {
        status = lb_build_document(&doc, &source, &heard, model);
        lb_free_doc(&doc);
    }
    lb_end_findings(&findings);
    return status;
}

// ---- converting --------------------------------------------------------------------------------

// Reads a file and makes its model; the document stays after success.
static lb_status build_file(const lb_load_options *options, const lb_report *report,
                            lb_source *source, lb_doc *doc, lb_model **model)
{
    lb_findings findings;
    const lb_report heard = lb_start_findings(&findings, report);
    *model = NULL;
    *doc = lb_start_doc(options->allocator);
    lb_status status = lb_read_document_file(doc, options, &heard, source);
    if (status == LB_OK) {
        status = lb_build_document(doc, source, &heard, model);
        if (status != LB_OK) {
            lb_free_doc(doc);
        }
    }
    lb_end_findings(&findings);
    return status;
}

lb_status lb_convert_model(const char *path, const lb_load_options *options, lb_format format,
                           const lb_report *report, char **text, size_t *length)
{
    lb_load_options taken;
    const lb_report heard = lb_take_report(report);
    *text = NULL;
    *length = 0;
    if (lb_take_options(options, &heard, &taken) != LB_OK) {
        return LB_E_VERSION;
    }
    if (format != LB_FORMAT_YAML && format != LB_FORMAT_JSON) {
        return LB_E_ARGUMENT;
    }
    lb_source source = {.file = path, .format = LB_FORMAT_AUTO};
    lb_doc doc;
    lb_model *model;
    // what is written must load: see to it before
    lb_status status = build_file(&taken, &heard, &source, &doc, &model);
    if (status != LB_OK) {
        return status;
    }
    lb_destroy_model(model);
    status = lb_write_document(&doc.root, format, &doc.pool.allocator, NULL, 0, text, length);
    if (status == LB_E_MEMORY) {
        lb_emit_plain(&heard, path, "what is to be written does not fit into memory");
    }
    lb_free_doc(&doc);
    return status;
}

lb_status lb_export_matrices(const char *path, const lb_load_options *options, const char *body,
                             const char *folder, const lb_report *report)
{
    lb_load_options taken;
    const lb_report heard = lb_take_report(report);
    if (lb_take_options(options, &heard, &taken) != LB_OK) {
        return LB_E_VERSION;
    }
    lb_export export = {.body = body, .folder = folder};
    lb_source source = {.file = path, .format = LB_FORMAT_AUTO, .export = &export};
    lb_doc doc;
    lb_model *model;
    lb_status status = build_file(&taken, &heard, &source, &doc, &model);
    if (status != LB_OK) {
        return status;
    }
    if (!export.is_found) {
        char message[256];
        snprintf(message, sizeof message, "\"%.100s\": %s", body,
                 lb_find_body(model, body) >= 0
                     ? "this body has neither beam nor frame, so that there are no finite elements"
                     : "there is no such body");
        lb_emit_plain(&heard, path, message);
        status = LB_E_MODEL;
    }
    lb_destroy_model(model);
    lb_free_doc(&doc);
    return status ? status : export.status;
}
