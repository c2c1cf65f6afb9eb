// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model becomes the files of an FMU.
#include "limber/fmu.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "export/freeze/freeze_all.h"
#include "export/freeze/loops/frozen_loops.h"
#include "export/freeze/text/write_move.h"
#include "fmi_header.h"
#include "limber/freeze.h"
#include "limber/model.h"
#include "make_fmu.h"
#include "model/layout.h"

struct lb_fmu {
    lb_fmu_files files;
    unsigned char *archive;
};

// ---- files -------------------------------------------------------------------------------------

// By FNV-1a, twice: any change of the model or of the files around it gives another token.
static void make_token(const lb_fmu_files *files, char token[40])
{
    uint64_t hash[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    for (int i = 0; i < files->count; ++i) {
        for (size_t j = 0; j < files->items[i].size; ++j) {
            for (int k = 0; k < 2; ++k) {
                hash[k] = (hash[k] ^ (unsigned char)files->items[i].bytes[j]) * 0x100000001b3u;
            }
        }
    }
    (void)snprintf(token, 40, "{%08x-%04x-%04x-%04x-%04x%08x}", (unsigned)(hash[0] >> 32),
                   (unsigned)(hash[0] >> 16) & 0xffff, (unsigned)hash[0] & 0xffff,
                   (unsigned)(hash[1] >> 48) & 0xffff, (unsigned)(hash[1] >> 32) & 0xffff,
                   (unsigned)hash[1]);
}

// Adds a page under a name, and frees it.
static lb_status put_page(lb_fmu_files *files, const char *name, lb_page *page)
{
    const lb_status status = page->out_of_memory || !page->text
                                 ? LB_E_MEMORY
                                 : lb_put_file(files, name, page->text, page->length);
    free(page->text);
    *page = (lb_page){.text = NULL};
    return status;
}

// sources/NAME.c and sources/NAME.h
static lb_status put_frozen(const lb_frozen *frozen, const lb_fmu_options *options,
                            lb_fmu_files *files)
{
    char name[64];
    const char *source = lb_get_frozen_source(frozen), *header = lb_get_frozen_header(frozen);
    (void)snprintf(name, sizeof name, "sources/%s.c", options->name);
    const lb_status status = lb_put_file(files, name, source, strlen(source));
    (void)snprintf(name, sizeof name, "sources/%s.h", options->name);
    return status == LB_OK ? lb_put_file(files, name, header, strlen(header)) : status;
}

// The model alone, without what acts on it.
static lb_status freeze_model(const lb_model *model, const lb_fmu_options *options,
                              const lb_report *report, lb_frozen **frozen)
{
    lb_freeze_options how = lb_default_freeze_options();
    how.name = options->name;
    how.functions = lb_has_closed_loops(model) ? "rates,close" : "rates";
    how.configuration = options->q;
    how.parameters = options->parameters;
    return lb_freeze_model(model, &how, report, frozen);
}

// What is the same in every FMU of a version.
static lb_status put_glue(const lb_fmu_options *options, lb_fmu_files *files)
{
    static const char licence[] = "The files fmi2.c or fmi3.c and fmu_*.h, and the binaries built "
                                  "from them, are part of limber and\n"
                                  "licensed under the Apache License 2.0: see Apache-2.0.txt. The "
                                  "model itself, with its numbers, belongs\n"
                                  "to whoever wrote it; limber makes no claim to it.\n";
    const bool three = options->version == LB_FMI_3;
    const struct {
        const char *name;
        const void *bytes;
        size_t size;
    } texts[] = {{"sources/fmu_core.h", lb_fmu_core, lb_fmu_core_size},
                 {"sources/fmu_variables.h", lb_fmu_values, lb_fmu_values_size},
                 {"sources/fmu_derive.h", lb_fmu_derive, lb_fmu_derive_size},
                 {"sources/fmu_events.h", lb_fmu_events, lb_fmu_events_size},
                 {"sources/fmu_step.h", lb_fmu_step, lb_fmu_step_size},
                 {three ? "sources/fmi3.c" : "sources/fmi2.c", three ? lb_fmu_fmi3 : lb_fmu_fmi2,
                  three ? lb_fmu_fmi3_size : lb_fmu_fmi2_size},
                 {"documentation/licenses/license.txt", licence, sizeof licence - 1},
                 {"documentation/licenses/Apache-2.0.txt", lb_fmu_licence, lb_fmu_licence_size}};
    lb_status status = LB_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == LB_OK; ++i) {
        status = lb_put_file(files, texts[i].name, texts[i].bytes, texts[i].size);
    }
    return status;
}

static lb_status put_texts(const lb_fmu_plan *plan, lb_fmu_files *files)
{
    static const struct {
        const char *name;
        void (*write)(lb_page *page, const lb_fmu_plan *plan);
    } texts[] = {{"modelDescription.xml", lb_write_description},
                 {"sources/buildDescription.xml", lb_write_build},
                 {"sources/fmu_model.h", lb_write_model_header},
                 {"sources/fmu_tape.h", lb_write_tapes},
                 {"documentation/index.html", lb_write_documentation}};
    lb_status status = LB_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == LB_OK; ++i) {
        lb_page page = {.text = NULL};
        texts[i].write(&page, plan);
        status = put_page(files, texts[i].name, &page);
    }
    return status;
}

static lb_status put_all(const lb_model *model, const lb_fmu_options *options,
                         const lb_fmu_extras *extras, const lb_report *report, lb_fmu_files *files)
{
    char token[40], source[64];
    (void)snprintf(source, sizeof source, "%s.c", options->name);
    const char *const sources[] = {options->version == LB_FMI_3 ? "fmi3.c" : "fmi2.c", source,
                                   NULL};
    lb_fmu_variables variables;
    lb_frozen *own = NULL;
    lb_status status = lb_list_variables(model, options, extras, &variables);
    if (status == LB_OK && !extras->frozen) {
        status = freeze_model(model, options, report, &own);
    }
    const lb_frozen *frozen = own ? own : extras->frozen;
    lb_fmu_plan plan = {.model = model,
                        .options = options,
                        .variables = &variables,
                        .extras = extras,
                        .frozen = frozen,
                        .token = "",
                        .sources = sources,
                        .drifts = lb_has_quaternions(model) || lb_has_closed_loops(model),
                        .drives = frozen && lb_find_frozen_graph(frozen, "place") != NULL};
    if (status == LB_OK) {
        status = put_frozen(frozen, options, files);
    }
    if (status == LB_OK) {
        status = put_glue(options, files);
    }
    if (status == LB_OK) {
        // start values and names count too
        lb_fmu_files drafts = {.items = NULL};
        status = put_texts(&plan, &drafts);
        for (int i = 0; i < files->count && status == LB_OK; ++i) {
            status = lb_put_file(&drafts, files->items[i].name, files->items[i].bytes,
                                 files->items[i].size);
        }
        make_token(&drafts, token);
        lb_clear_files(&drafts);
        plan.token = token;
    }
    if (status == LB_OK) {
        status = put_texts(&plan, files);
    }
    lb_destroy_frozen(own);
    lb_clear_variables(&variables);
    return status;
}

// ---- the FMU -----------------------------------------------------------------------------------

static bool are_finite(const double *x, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

lb_status lb_take_fmu_options(const lb_fmu_options *options, const lb_report *report,
                              lb_fmu_options *own)
{
    *own = lb_default_fmu_options();
    if (options &&
        lb_take_sized(own, sizeof *own, LB_SIZE_THROUGH(lb_fmu_options, name), options) != LB_OK) {
        return lb_refuse_to_freeze(
            report, LB_E_VERSION,
            "the options of the FMU come from a program built for a newer version");
    }
    if (!own->name || strlen(own->name) > 40 || (unsigned)own->version > LB_FMI_3 ||
        own->stop_time <= 0 || own->output_step <= 0) {
        return lb_refuse_to_freeze(report, LB_E_ARGUMENT, "an option of the FMU is not acceptable");
    }
    return isfinite(own->stop_time) && isfinite(own->output_step)
               ? LB_OK
               : lb_refuse_to_freeze(report, LB_E_NUMBER, "a time of the FMU is not finite");
}

lb_status lb_make_fmu(const lb_model *model, const lb_fmu_options *options,
                      const lb_fmu_extras *extras, const lb_report *report, lb_fmu **fmu)
{
    lb_fmu_options own = *options;
    const int q_count = model->q_count, v_count = model->v_count;
    if ((own.q && !are_finite(own.q, q_count)) || (own.v && !are_finite(own.v, v_count))) {
        return lb_refuse_to_freeze(report, LB_E_NUMBER, "a start value of the FMU is not finite");
    }
    double *neutral = calloc((size_t)q_count + (size_t)v_count + 1, sizeof *neutral);
    lb_fmu *made = calloc(1, sizeof *made);
    lb_status status = neutral && made ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        lb_get_neutral_configuration(model, neutral);
        own.q = own.q ? own.q : neutral;
        own.v = own.v ? own.v : neutral + q_count;
        status = put_all(model, &own, extras, report, &made->files);
    }
    free(neutral);
    if (status != LB_OK) {
        lb_destroy_fmu(made);
        return status;
    }
    *fmu = made;
    return LB_OK;
}

lb_status lb_create_fmu(const lb_model *model, const lb_fmu_options *options,
                        const lb_report *report, lb_fmu **fmu)
{
    const lb_fmu_extras none = {.frozen = NULL};
    lb_fmu_options own;
    *fmu = NULL;
    const lb_status status = lb_take_fmu_options(options, report, &own);
    return status == LB_OK ? lb_make_fmu(model, &own, &none, report, fmu) : status;
}

const char *lb_get_fmu_file(const lb_fmu *fmu, int index, const char **name, size_t *size)
{
    const lb_fmu_file *file =
        index >= 0 && index < fmu->files.count ? &fmu->files.items[index] : NULL;
    if (name) {
        *name = file ? file->name : NULL;
    }
    if (size) {
        *size = file ? file->size : 0;
    }
    return file ? file->bytes : NULL;
}

lb_status lb_add_fmu_file(lb_fmu *fmu, const char *name, const void *bytes, size_t size)
{
    bool good = name && *name && *name != '/' && !strstr(name, "..") && !strchr(name, '\\');
    for (int i = 0; good && i < fmu->files.count; ++i) {
        good = strcmp(fmu->files.items[i].name, name) != 0;
    }
    if (!good || (size && !bytes)) {
        return LB_E_ARGUMENT;
    }
    free(fmu->archive);
    fmu->archive = NULL;
    return lb_put_file(&fmu->files, name, bytes, size);
}

const char *lb_get_fmi_header(lb_fmi_version version, size_t *size)
{
    const bool three = version == LB_FMI_3;
    *size = three ? lb_fmu_header3_size : lb_fmu_header2_size;
    return (const char *)(three ? lb_fmu_header3 : lb_fmu_header2);
}

lb_status lb_form_fmu_archive(lb_fmu *fmu, const unsigned char **archive, size_t *size)
{
    free(fmu->archive);
    fmu->archive = NULL;
    const lb_status status = lb_form_zip(&fmu->files, &fmu->archive, size);
    *archive = fmu->archive;
    return status;
}

void lb_destroy_fmu(lb_fmu *fmu)
{
    if (fmu) {
        lb_clear_files(&fmu->files);
        free(fmu->archive);
        free(fmu);
    }
}
