// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model is frozen, compiled and loaded, and calls itself from then on.
#define _GNU_SOURCE // realpath
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attachment.h"
#include "base/sized.h"
#include "limber/freeze.h"

// Says why; the status comes back.
static lb_status tell(const lb_report *report, const lb_text *why, lb_status status)
{
    const lb_diagnostic diagnostic = {
        .size = sizeof diagnostic, .severity = LB_SEVERITY_ERROR, .path = "", .message = why->data};
    if (report && report->emit && status < LB_OK && why->length > 0) {
        report->emit(report->user, &diagnostic);
    }
    return status;
}

// ---- compiling ----------------------------------------------------------------------------------

static const char *const files[] = {"frozen.c",  "frozen.h", "attached.c",
                                    "squares.h", "needs.h",  "attached.so"};

static lb_status write_sources(const lb_compile_folder *folder, const lb_model *model,
                               const lb_report *report, lb_text *why)
{
    lb_freeze_options options = lb_default_freeze_options();
    options.name = "frozen";
    options.batches = true;
    lb_frozen *frozen = NULL;
    lb_status status = lb_freeze_model(model, &options, report, &frozen);
    if (status < LB_OK) {
        return status;
    }
    const char *const texts[] = {lb_get_frozen_source(frozen), lb_get_frozen_header(frozen),
                                 lb_rows_text, lb_squares_text, lb_needs_text};
    for (int i = 0; i < 5 && status == LB_OK; ++i) {
        status = lb_write_compile_file(folder, files[i], texts[i], why);
    }
    lb_destroy_frozen(frozen);
    return status;
}

// The library, at `output`.
static lb_status compile(const lb_compile_folder *folder, const lb_attach_options *options,
                         const char *output, lb_text *why)
{
    char source[LB_COMPILE_PATH];
    lb_join_compile_path(folder, files[2], source);
    const char *const words[] = {"-std=gnu99", "-w",   "-fPIC", "-shared", source,
                                 "-o",         output, "-lm",   NULL};
    return lb_run_compiler(folder, options->compiler, options->flags, words, why);
}

// ---- loading ------------------------------------------------------------------------------------

static bool find(void *handle, const char *name, void *function)
{
    // ISO C has no conversion from an object to a function pointer
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static lb_status load(const char *path, lb_frozen_library *library, lb_text *why)
{
    char *whole = realpath(path, NULL); // without a slash other folders would be searched
    const bool found = whole != NULL;
    const int error = errno;
    void *handle = found ? dlopen(whole, RTLD_NOW | RTLD_LOCAL) : NULL;
    free(whole);
    if (!handle) {
        // dlerror speaks of dlopen alone
        const char *said = found ? dlerror() : strerror(error);
        lb_text_add(why, "%s: %s", path, said ? said : "it cannot be loaded");
        return error == ENOMEM && !found ? LB_E_MEMORY : LB_E_FILE;
    }
    *library = (lb_frozen_library){.handle = handle};
    const char *needs = NULL;
    const bool good = find(handle, "frozen_needs", &needs) &&
                      find(handle, "frozen_forward", &library->forward) &&
                      find(handle, "frozen_inverse", &library->inverse) &&
                      find(handle, "frozen_mass", &library->mass) &&
                      find(handle, "frozen_forward_rows", &library->forward_rows) &&
                      find(handle, "frozen_inverse_rows", &library->inverse_rows) &&
                      find(handle, "frozen_mass_rows", &library->mass_rows);
    if (!good) {
        lb_text_add(why, "%s is no frozen model", path);
        dlclose(handle);
        return LB_E_MODEL;
    }
    const char *missing = lb_find_missing_instructions(needs);
    if (missing) {
        lb_text_add(why,
                    "%s was compiled for another processor: it needs %.*s, which this one does not "
                    "have; remove it, and give no flags of other processors",
                    path, (int)strcspn(missing, " "), missing);
        dlclose(handle);
        return LB_E_UNSUPPORTED;
    }
    return LB_OK;
}

// Compiles the model and loads it; it stays at options->library if that is named.
static lb_status make_library(const lb_model *model, const lb_attach_options *options,
                              uint64_t hash, const lb_report *report, lb_frozen_library *library,
                              lb_text *why)
{
    lb_compile_folder folder;
    char output[LB_COMPILE_PATH];
    lb_status status = lb_make_compile_folder(&folder, why);
    lb_join_compile_path(&folder, files[5], output);
    status = status == LB_OK ? write_sources(&folder, model, report, why) : status;
    status = status == LB_OK ? compile(&folder, options, output, why) : status;
    status = status == LB_OK ? load(output, library, why) : status;
    if (status == LB_OK && options->library) {
        status = lb_keep_library(output, options->library, hash, why);
        if (status != LB_OK) {
            dlclose(library->handle);
        }
    }
    lb_remove_compile_folder(&folder, files, sizeof files / sizeof *files);
    return status;
}

// ---- attaching ----------------------------------------------------------------------------------

static void detach(lb_model *model)
{
    lb_attachment *at = (lb_attachment *)(void *)(uintptr_t)(const void *)model->kernels;
    model->kernels = at->own;
    model->detach = NULL;
    dlclose(at->library.handle);
    free(at);
}

static lb_status check(const lb_model *model, const lb_attach_options *options, lb_text *why)
{
    if (!options->allow_plugins) {
        lb_text_add(why,
                    "the model would be compiled by '%s' and loaded into this process: allow it by "
                    "--allow-plugins",
                    options->compiler);
        return LB_E_UNSUPPORTED;
    }
    if (model->detach) {
        lb_text_add(why, "a frozen model is attached already");
        return LB_E_ARGUMENT;
    }
    if (model->pattern || model->loop_count > 0) {
        lb_text_add(why, "models with closed loops, or room for them, are not attached");
        return LB_E_UNSUPPORTED;
    }
    return LB_OK;
}

lb_status lb_attach_frozen(lb_model *model, const lb_attach_options *given, const lb_report *report)
{
    lb_attach_options options = lb_default_attach_options();
    lb_text why = {.length = 0};
    if (given && lb_take_sized(&options, sizeof options,
                               LB_SIZE_THROUGH(lb_attach_options, allow_plugins), given) != LB_OK) {
        lb_text_add(&why,
                    "a struct of %zu bytes, but this version of limber knows %zu: it comes from a "
                    "program built for a newer version",
                    given->size, sizeof options);
        return tell(report, &why, LB_E_VERSION);
    }
    options.compiler = options.compiler ? options.compiler : "cc";
    options.flags = options.flags ? options.flags : "";
    lb_status status = check(model, &options, &why);
    if (status != LB_OK) {
        return tell(report, &why, status);
    }
    const uint64_t hash = lb_hash_model(model);
    lb_attachment *at = calloc(1, sizeof *at);
    status = at ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK && options.library && access(options.library, F_OK) == 0) {
        status = lb_check_kept_library(options.library, hash, &why);
        status = status == LB_OK ? load(options.library, &at->library, &why) : status;
    } else if (status == LB_OK) {
        status = make_library(model, &options, hash, report, &at->library, &why);
    }
    if (status != LB_OK) {
        free(at);
        return tell(report, &why, status);
    }
    lb_attach_kernels(model, at);
    model->detach = detach;
    return LB_OK;
}

bool lb_has_frozen(const lb_model *model, int *lane_count)
{
    const lb_attachment *at =
        model->detach ? (const lb_attachment *)(const void *)model->kernels : NULL;
    if (lane_count) {
        *lane_count = at ? LB_FROZEN_ROWS : 0;
    }
    return at != NULL;
}
