// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A sweep: its plan, its model, and what can be asked of them.
#include "sweep.h"

#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "base/sized.h"
#include "document/places.h"
#include "document/reader.h"
#include "sweep_files.h"

static const char *const plan_keys[] = {"limber_sweep", "name",     "model",   "vary",
                                        "correlations", "sampling", "samples", "seed",
                                        "sensitivity",  "job",      "outputs", NULL};

// Values that hold for all samples, and room for those of one.
static lb_status keep_settings(lb_sweep *s, const lb_load_options *options)
{
    const int fixed = options ? options->parameter_count : 0;
    s->fixed_count = fixed;
    s->settings =
        lb_arena_take(s->arena, (size_t)(fixed + s->variation_count), sizeof *s->settings);
    if (!s->settings) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < fixed; ++i) {
        s->settings[i] = options->parameters[i];
        s->settings[i].name = lb_arena_text(s->arena, options->parameters[i].name);
        if (!s->settings[i].name) {
            return LB_E_MEMORY;
        }
    }
    for (int i = 0; i < s->variation_count; ++i) {
        s->settings[fixed + i].name = s->variations[i].name;
    }
    return LB_OK;
}

static lb_status add_to_hash(lb_sha256 *hash, const lb_document *document)
{
    char *text = NULL;
    size_t length = 0;
    const lb_status status = lb_format_document(document, LB_FORMAT_JSON, &text, &length);
    if (status >= 0) {
        lb_add_sha256(hash, text, length);
        const lb_allocator allocator = lb_get_document_allocator(document);
        allocator.release(allocator.user, text);
    }
    return status;
}

// What the check of the job found is reported at the output that it is about.
static lb_status check_job(lb_sweep *s, lb_reader *reader)
{
    int output = -1;
    const lb_status status = lb_check_job(s, &output);
    if (status < 0 && status != LB_E_MEMORY) {
        const lb_place root = lb_get_document_root(s->plan);
        const lb_place outputs = lb_place_at_key(&root, "outputs");
        const lb_place model = lb_place_at_key(&root, "model");
        const lb_place place = output < 0 ? model : lb_place_at_pair(&outputs, (size_t)output);
        lb_reader_fail(reader, &place, "%s",
                       s->message[0] ? s->message : lb_get_status_text(status));
    }
    return status == LB_E_MEMORY ? status : reader->error_count > 0 ? LB_E_MODEL : LB_OK;
}

// A path that leads nowhere shows as soon as it is set.
static lb_status check_samples(lb_sweep *s, lb_reader *reader)
{
    const lb_status status = lb_check_samples(s);
    if (status < 0 && status != LB_E_MEMORY) {
        const lb_place root = lb_get_document_root(s->plan);
        const lb_place vary = lb_place_at_key(&root, "vary");
        lb_reader_fail(reader, &vary, "none of the first samples gives a model: %s",
                       s->message[0] ? s->message : lb_get_status_text(status));
        return LB_E_MODEL;
    }
    return status < 0 ? status : LB_OK;
}

static lb_status fill_info(lb_sweep *s)
{
    const size_t inputs = (size_t)s->variation_count, outputs = (size_t)s->output_count;
    const char **names = lb_arena_take(s->arena, inputs + outputs, sizeof *names);
    if (!names) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < inputs; ++i) {
        names[i] = s->variations[i].name;
    }
    for (size_t i = 0; i < outputs; ++i) {
        names[inputs + i] = s->outputs[i].name;
    }
    s->info = (lb_sweep_info){.size = sizeof s->info,
                              .sample_count = lb_count_samples(s),
                              .seed = s->seed,
                              .variation_count = s->variation_count,
                              .variations = names,
                              .output_count = s->output_count,
                              .outputs = names + inputs,
                              .model = s->model_path,
                              .hash = s->hash,
                              .duration = s->duration,
                              .is_trimmed = s->trim,
                              .is_assembled = s->assemble,
                              .is_for_sensitivity = s->sensitivity};
    return LB_OK;
}

static lb_status read_all(lb_sweep *s, const lb_load_options *options, const lb_report *report)
{
    lb_reader reader = lb_start_reader(s->plan, report);
    const lb_place root = lb_get_document_root(s->plan);
    double version = 0.0;
    const char *model = NULL;
    if (!lb_place_has_key(&root, "limber_sweep")) {
        lb_reader_fail(&reader, &root,
                       "this is no plan of a sweep: expected the key `limber_sweep: 1`");
        return LB_E_MODEL;
    }
    lb_read_mapping(&reader, &root, plan_keys);
    if (lb_read_number(&reader, &root, "limber_sweep", LB_REQUIRED, &version) && version != 1.0) {
        const lb_place at = lb_place_at_key(&root, "limber_sweep");
        lb_reader_fail(&reader, &at, "version %g found, expected 1", version);
    }
    if (!lb_read_string(&reader, &root, "model", LB_REQUIRED, &model)) {
        return LB_E_MODEL;
    }
    // a plan of others must not make this one read, and quote, whatever lies elsewhere
    char file[4096];
    const lb_place named = lb_place_at_key(&root, "model");
    lb_status status = lb_find_named_file(&reader, &named, model, sizeof file, file);
    if (status < 0) {
        return status;
    }
    s->model_path = lb_arena_text(s->arena, file);
    status = s->model_path ? lb_load_document(s->model_path, options, report, &s->document)
                           : LB_E_MEMORY;
    if (status < 0) {
        return status;
    }
    lb_sha256 hash;
    lb_start_sha256(&hash);
    status = lb_read_plan(s, &reader);
    status = status < 0 ? status : keep_settings(s, options);
    status = status < 0 ? status : add_to_hash(&hash, s->plan);
    status = status < 0 ? status : add_to_hash(&hash, s->document);
    lb_finish_sha256(&hash, s->hash);
    status = status < 0 ? status : fill_info(s);
    status = status < 0 ? status : check_job(s, &reader);
    return status < 0 ? status : check_samples(s, &reader);
}

lb_status lb_load_sweep(const char *path, const lb_load_options *options, const lb_report *report,
                        lb_sweep **sweep)
{
    lb_arena *arena;
    lb_sweep *s = lb_create_record(sizeof *s, &arena);
    *sweep = NULL;
    if (!s) {
        return LB_E_MEMORY;
    }
    s->arena = arena;
    // values of the command line belong to the model, not to the plan
    lb_load_options own = lb_default_load_options();
    if (options && options->size >= LB_SIZE_THROUGH(lb_load_options, allow_files)) {
        own.allow_files = options->allow_files;
    }
    lb_status status = lb_load_document(path, &own, report, &s->plan);
    status = status < 0 ? status : read_all(s, options, report);
    if (status < 0) {
        lb_destroy_sweep(s);
        return status;
    }
    *sweep = s;
    return LB_OK;
}

void lb_destroy_sweep(lb_sweep *s)
{
    if (s) {
        lb_destroy_document(s->document);
        lb_destroy_document(s->plan);
        lb_destroy_record(s);
    }
}

const lb_sweep_info *lb_get_sweep_info(const lb_sweep *s)
{
    return &s->info;
}

const char *lb_get_sweep_message(const lb_sweep *s)
{
    return s->message;
}

void lb_set_sweep_stop(lb_sweep *s, bool (*stop)(void *user), void *user)
{
    s->stop = stop;
    s->user = user;
}
