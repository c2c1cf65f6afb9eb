// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Documents that the caller keeps, and models that are made of one at once.
#include "values.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/files/files.h"
#include "base/report/findings.h"
#include "base/sized.h"
#include "expand/expand.h"
#include "limber/model.h"
#include "reader.h"
#include "write_model.h"

struct lb_document {
    lb_doc doc;
    lb_source source;
    char file[]; ///< the name of the file; behind its end, the folder of `allow_files`
};

// A document without its tree. Its memory is that of the pool's allocator.
static lb_document *lb_start_document(const char *name, lb_format format,
                                      const lb_load_options *options, const lb_report *report)
{
    lb_doc doc = lb_start_doc(options->allocator);
    const lb_allocator *allocator = &doc.pool.allocator;
    const char *allowed = options->allow_files ? options->allow_files : "";
    const size_t length = strlen(name), tail = strlen(allowed) + 1;
    lb_document *document =
        allocator->allocate(allocator->user, sizeof *document + length + 1 + tail);
    if (!document) {
        lb_emit_plain(report, name, "the document does not fit into memory");
        return NULL;
    }
    memcpy(document->file, name, length + 1);
    memcpy(document->file + length + 1, allowed, tail);
    document->doc = doc;
    document->source = (lb_source){
        .file = document->file, .format = format, .allow_files = document->file + length + 1};
    return document;
}

// From a text, or else from the file of the name.
static lb_status lb_load_from(const char *text, size_t length, const char *name, lb_format format,
                              const lb_load_options *options, const lb_report *report,
                              lb_document **document)
{
    lb_load_options taken;
    lb_findings findings;
    const lb_report heard = lb_start_findings(&findings, report);
    *document = NULL;
    if (lb_take_options(options, &heard, &taken) != LB_OK) {
        return LB_E_VERSION;
    }
    lb_document *read = lb_start_document(name, format, &taken, &heard);
    if (!read) {
        return LB_E_MEMORY;
    }
    const lb_status status =
        lb_read_document(&read->doc, text, length, &taken, &heard, &read->source);
    lb_end_findings(&findings);
    if (status == LB_OK) {
        *document = read;
    } else {
        lb_destroy_document(read);
    }
    return status;
}

lb_status lb_load_document(const char *path, const lb_load_options *options,
                           const lb_report *report, lb_document **document)
{
    return lb_load_from(NULL, 0, path, LB_FORMAT_AUTO, options, report, document);
}

lb_status lb_load_document_text(const char *text, size_t length, const char *name, lb_format format,
                                const lb_load_options *options, const lb_report *report,
                                lb_document **document)
{
    return lb_load_from(text ? text : "", length, name ? name : "", format, options, report,
                        document);
}

void lb_destroy_document(lb_document *document)
{
    if (document) {
        const lb_allocator allocator = document->doc.pool.allocator;
        lb_free_doc(&document->doc);
        allocator.release(allocator.user, document);
    }
}

lb_status lb_load_document_model(const lb_document *document, const lb_report *report,
                                 lb_model **model)
{
    lb_findings findings;
    const lb_report heard = lb_start_findings(&findings, report);
    const lb_status status = lb_build_document(&document->doc, &document->source, &heard, model);
    lb_end_findings(&findings);
    return status;
}

lb_status lb_load_model(const char *path, const lb_load_options *options, const lb_report *report,
                        lb_model **model)
{
    lb_document *document;
    *model = NULL;
    lb_status status = lb_load_document(path, options, report, &document);
    status = status ? status : lb_load_document_model(document, report, model);
    lb_destroy_document(document);
    return status;
}

lb_status lb_load_model_text(const char *text, size_t length, const char *name, lb_format format,
                             const lb_load_options *options, const lb_report *report,
                             lb_model **model)
{
    lb_document *document;
    *model = NULL;
    lb_status status =
        lb_load_document_text(text, length, name, format, options, report, &document);
    status = status ? status : lb_load_document_model(document, report, model);
    lb_destroy_document(document);
    return status;
}

lb_status lb_load_document_sketch(const lb_document *document, lb_half_known_name *half_known,
                                  void *user, lb_model **model)
{
    return lb_sketch_document(&document->doc, &document->source, half_known, user, model);
}

const char *lb_get_document_file(const lb_document *document)
{
    return document->file;
}

lb_allocator lb_get_document_allocator(const lb_document *document)
{
    return document->doc.pool.allocator;
}

lb_place lb_get_document_root(const lb_document *document)
{
    return (lb_place){.node = &document->doc.root};
}

// ---- parameters --------------------------------------------------------------------------------

int lb_get_parameter_count(const lb_document *document)
{
    return document->doc.context ? document->doc.context->parameter_count : 0;
}

lb_status lb_get_parameter(const lb_document *document, int index, lb_parameter *parameter)
{
    const lb_context *context = document->doc.context;
    if (index < 0 || index >= lb_get_parameter_count(document)) {
        return LB_E_ARGUMENT;
    }
    const lb_parameter_entry *entry = &context->parameters[index];
    const unsigned file = lb_doc_get_file(entry->given);
    const bool formula = !entry->is_set && lb_doc_get_kind(entry->given) == LB_DOC_STRING;
    const lb_parameter all = {.size = sizeof all,
                              .name = entry->name,
                              .value = entry->value,
                              .low = entry->low,
                              .high = entry->high,
                              .unit = entry->unit,
                              .note = entry->note,
                              .formula = formula ? entry->given->value.text : NULL,
                              .file = file ? document->doc.files[file] : document->file,
                              .line = (int)entry->given->line};
    return lb_give_sized(&all, sizeof all, LB_SIZE_THROUGH(lb_parameter, value), parameter);
}

int lb_find_parameter_uses(const lb_document *document, int index, int room, lb_parameter_use *uses)
{
    return index >= 0 && index < lb_get_parameter_count(document)
               ? lb_find_uses(&document->doc, document->file,
                              document->doc.context->parameters[index].name, NULL, room, uses)
               : 0;
}

bool lb_is_parameter_used_beside(const lb_document *document, const char *name, const char *key,
                                 lb_parameter_use *use)
{
    // a path is used where it leads
    const size_t length = strlen(key);
    if (strchr(name, '.') || strchr(name, '[')) {
        *use = (lb_parameter_use){document->file, 0};
        return strncmp(name, key, length) != 0 || (name[length] != '.' && name[length] != '[');
    }
    return lb_find_uses(&document->doc, document->file, name, key, 1, use) > 0;
}

// Values that were set, with room for one more; to be released by the allocator of the document. NULL, which is
// reported, without memory.
static lb_parameter_value *lb_copy_settings(const lb_document *document, const lb_report *report,
                                            int *count)
{
    const lb_allocator *allocator = &document->doc.pool.allocator;
    const lb_context *context = document->doc.context;
    const int most = lb_get_parameter_count(document), paths = context ? context->path_count : 0;
    lb_parameter_value *values =
        allocator->allocate(allocator->user, (size_t)(most + paths + 1) * sizeof *values);
    *count = 0;
    if (!values) {
        const lb_report heard = lb_take_report(report);
        lb_emit_plain(&heard, document->file, LB_TOO_LARGE);
    }
    for (int i = 0; values && i < most; ++i) {
        const lb_parameter_entry *entry = &document->doc.context->parameters[i];
        if (entry->is_set) {
            values[(*count)++] = (lb_parameter_value){entry->name, entry->value};
        }
    }
    for (int i = 0; values && i < paths; ++i) {
        values[(*count)++] = context->paths[i];
    }
    return values;
}

// Sets values, or leaves those there were.
static lb_status lb_change_settings(lb_document *document, const lb_parameter_value *values,
                                    int value_count, const lb_parameter_value *old, int old_count,
                                    const lb_report *report)
{
    const lb_report silent = {NULL, NULL};
    lb_findings findings;
    const lb_report heard = lb_start_findings(&findings, report);
    const lb_status status =
        lb_expand_document(&document->doc, &document->source, values, value_count, &heard);
    lb_end_findings(&findings);
    if (status != LB_OK &&
        lb_expand_document(&document->doc, &document->source, old, old_count, &silent) != LB_OK) {
        // it could be done before
        lb_emit_plain(&heard, document->file, LB_TOO_LARGE);
        return LB_E_MEMORY;
    }
    return status;
}

lb_status lb_set_parameter(lb_document *document, const char *name, double value,
                           const lb_report *report)
{
    int count;
    const lb_allocator *allocator = &document->doc.pool.allocator;
    lb_parameter_value *values = lb_copy_settings(document, report, &count);
    if (!values) {
        return LB_E_MEMORY;
    }
    values[count] = (lb_parameter_value){name, value};
    const lb_status status = lb_change_settings(document, values, count + 1, values, count, report);
    allocator->release(allocator->user, values);
    return status;
}

lb_status lb_set_parameters(lb_document *document, const lb_parameter_value *values,
                            int value_count, const lb_report *report)
{
    int count;
    const lb_allocator *allocator = &document->doc.pool.allocator;
    if (value_count < 0) {
        return LB_E_ARGUMENT;
    }
    lb_parameter_value *old = lb_copy_settings(document, report, &count);
    if (!old) {
        return LB_E_MEMORY;
    }
    const lb_status status = lb_change_settings(document, values, value_count, old, count, report);
    allocator->release(allocator->user, old);
    return status;
}

int lb_get_included_count(const lb_document *document)
{
    return document->doc.file_count > 0 ? document->doc.file_count - 1 : 0;
}

const char *lb_get_included_file(const lb_document *document, int index)
{
    return index >= 0 && index < lb_get_included_count(document) ? document->doc.files[index + 1]
                                                                 : NULL;
}

bool lb_is_document_whole(const lb_document *document)
{
    const lb_context *context = document->doc.context;
    bool whole = document->doc.file_count == 0 && (!context || context->path_count == 0);
    for (int i = 0; i < lb_get_parameter_count(document); ++i) {
        whole = whole && !document->doc.context->parameters[i].is_set;
    }
    return whole && lb_find_pins(document, NULL, NULL) == 0;
}

lb_status lb_format_document(const lb_document *document, lb_format format, char **text,
                             size_t *length)
{
    *text = NULL;
    *length = 0;
    if (format != LB_FORMAT_YAML && format != LB_FORMAT_JSON) {
        return LB_E_ARGUMENT;
    }
    lb_arena arena = lb_make_arena(&document->doc.pool.allocator);
    lb_pin *pins = NULL;
    const int count = lb_find_pins(document, &arena, &pins);
    const lb_status status =
        count < 0 ? LB_E_MEMORY
                  : lb_write_document(&document->doc.root, format, &document->doc.pool.allocator,
                                      pins, count, text, length);
    lb_free_pins(pins, count < 0 ? 0 : count);
    lb_arena_free(&arena);
    return status;
}

lb_status lb_convert_model(const char *path, const lb_load_options *options, lb_format format,
                           const lb_report *report, char **text, size_t *length)
{
    lb_document *document = NULL;
    lb_model *model = NULL;
    *text = NULL;
    *length = 0;
    if (format != LB_FORMAT_YAML && format != LB_FORMAT_JSON) {
        return LB_E_ARGUMENT;
    }
    // what is written must load: see to it before
    lb_status status = lb_load_document(path, options, report, &document);
    status = status ? status : lb_load_document_model(document, report, &model);
    lb_destroy_model(model);
    if (status == LB_OK) {
        status = lb_write_document(&document->doc.root, format, &document->doc.pool.allocator, NULL,
                                   0, text, length);
        if (status == LB_E_MEMORY) {
            const lb_report heard = lb_take_report(report);
            lb_emit_plain(&heard, path, "what is to be written does not fit into memory");
        }
    }
    lb_destroy_document(document);
    return status;
}

lb_status lb_export_matrices(const char *path, const lb_load_options *options, const char *body,
                             const char *folder, const lb_report *report)
{
    lb_export export = {.body = body, .folder = folder};
    lb_document *document;
    lb_model *model = NULL;
    lb_status status = lb_load_document(path, options, report, &document);
    if (status == LB_OK) {
        document->source.export = &export;
        status = lb_load_document_model(document, report, &model);
    }
    if (status == LB_OK && !export.is_found) {
        const lb_report heard = lb_take_report(report);
        char message[256];
        snprintf(message, sizeof message, "\"%.100s\": %s", body,
                 lb_find_body(model, body) >= 0
                     ? "this body has neither beam nor frame, so that there are no finite elements"
                     : "there is no such body");
        lb_emit_plain(&heard, path, message);
        status = LB_E_MODEL;
    }
    lb_destroy_model(model);
    lb_destroy_document(document);
    return status ? status : export.status;
}

// ---- readers -----------------------------------------------------------------------------------

lb_reader lb_start_reader(const lb_document *document, const lb_report *report)
{
    return (lb_reader){.report = lb_take_report(report),
                       .file = document->file,
                       .allowed = document->source.allow_files,
                       .context = document->doc.context};
}

lb_status lb_find_named_file(lb_reader *reader, const lb_place *place, const char *path,
                             size_t size, char *file)
{
    const char *own = reader->file, *allowed = reader->allowed;
    lb_arena arena = lb_make_arena(NULL);
    const char *joined = lb_join_path(&arena, lb_find_file(reader, place), path);
    char *folder = lb_join_path(&arena, own, ".");
    lb_status status = joined && folder ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK && strlen(joined) >= size) {
        lb_reader_fail(reader, place, "a path of %zu bytes, expected fewer than %zu",
                       strlen(joined), size);
        status = LB_E_FILE;
    } else if (status == LB_OK && !lb_is_in_folder(joined, folder) &&
               !(allowed && allowed[0] && lb_is_in_folder(joined, allowed))) {
        status = errno == ENOMEM ? LB_E_MEMORY : LB_E_FILE;
        if (status == LB_E_FILE) {
            lb_reader_fail(reader, place,
                           "this file is not in the folder of the model or below it: permit "
                           "another folder by --allow-files DIR (allow_files of lb_load_options)");
        }
    }
    if (status == LB_OK) {
        memcpy(file, joined, strlen(joined) + 1);
    }
    lb_arena_free(&arena);
    return status;
}
