// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model is frozen, compiled and loaded, and calls itself from then on.
#define _GNU_SOURCE // realpath
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attachment.h"
#include "base/sized.h"
#include "compiler.h"
#include "freeze/function.h"
#include "kept_library.h"
#include "lanes_text.h"
#include "limber/dynamics.h"
#include "limber/freeze.h"
#include "model_hash.h"

void lb_init_attach_options(lb_attach_options *options, size_t size)
{
    const lb_attach_options defaults = {
        .size = sizeof defaults, .compiler = "cc", .flags = "-O3 -march=native -ffp-contract=fast"};
    lb_set_sized(&defaults, sizeof defaults, options, size);
}

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

static const char *const files[] = {"frozen.c", "frozen.h", "attached.c", "attached.so"};

static lb_status write_sources(const lb_compile_folder *folder, const lb_model *model,
                               const lb_report *report, lb_text *why)
{
    lb_freeze_options options = lb_default_freeze_options();
    options.name = "frozen";
    lb_frozen *frozen = NULL;
    lb_status status = lb_freeze_model(model, &options, report, &frozen);
    if (status < LB_OK) {
        return status;
    }
    lb_page page = {.text = NULL};
    lb_write_lanes(&page, lb_get_frozen_source(frozen));
    status = page.out_of_memory ? LB_E_MEMORY : LB_OK;
    const char *const texts[] = {lb_get_frozen_source(frozen), lb_get_frozen_header(frozen),
                                 page.text};
    for (int i = 0; i < 3 && status == LB_OK; ++i) {
        status = lb_write_compile_file(folder, files[i], texts[i], why);
    }
    free(page.text);
    lb_destroy_frozen(frozen);
    return status;
}

// The library, at `output`.
static lb_status compile(const lb_compile_folder *folder, const lb_attach_options *options,
                         bool with_lanes, const char *output, lb_text *why)
{
    char source[LB_COMPILE_PATH];
    lb_join_compile_path(folder, files[2], source);
    const char *const words[] = {"-DFROZEN_LANES", "-std=gnu99", "-w",   "-fPIC", "-shared",
                                 source,           "-o",         output, "-lm",   NULL};
    return lb_run_compiler(folder, options->compiler, options->flags, words + (with_lanes ? 0 : 1),
                           why);
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
    const bool good = find(handle, "frozen_lane_count", &library->get_lane_count) &&
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
    library->lane_count = library->get_lane_count();
    return LB_OK;
}

// Whether numbers are the same but for round-off, which is far below.
static bool is_close(const double *x, const double *y, size_t count)
{
    double size = 0.0;
    for (size_t i = 0; i < count; ++i) {
        size = fmax(size, fabs(y[i]));
    }
    bool good = true;
    for (size_t i = 0; i < count; ++i) {
        good = good && fabs(x[i] - y[i]) <= 1e-6 * size;
    }
    return good;
}

// Lanes come from a text that was put in other words: whether they compute what the functions for one state do. Each
// lane has speeds and forces of its own.
static lb_status check_lanes(const lb_model *model, const lb_frozen_library *library, bool *good)
{
    const size_t nq = (size_t)model->q_count, n = (size_t)model->v_count;
    const size_t lanes = (size_t)library->lane_count, most = n * n;
    lb_sample sample;
    lb_status status = lb_make_sample(model, &sample);
    double *room = calloc(lanes * (nq + 2 * n + 2 * most) + 1, sizeof *room);
    *good = true;
    if (status == LB_OK && room && lanes > 1) {
        double *q = room, *v = q + lanes * nq, *x = v + lanes * n;
        double *rows = x + lanes * n, *singly = rows + lanes * most;
        for (size_t i = 0; i < lanes; ++i) {
            memcpy(q + i * nq, sample.values[LB_ARRAY_Q], nq * sizeof *q);
            for (size_t j = 0; j < n; ++j) {
                v[i * n + j] = sample.values[LB_ARRAY_V][j] * (1.0 - 0.1 * (double)i);
                x[i * n + j] = sample.values[LB_ARRAY_A][j] * (1.0 + 0.2 * (double)i);
            }
        }
        // they fail alike, or they agree
        int failed = library->forward_rows((int)lanes, q, v, x, rows) != 0, alone = 0;
        for (size_t i = 0; i < lanes; ++i) {
            alone |= library->forward(q + i * nq, v + i * n, x + i * n, singly + i * n) != 0;
        }
        *good = failed == alone && (failed || is_close(rows, singly, lanes * n));
        failed = library->inverse_rows((int)lanes, q, v, x, rows) != 0;
        alone = 0;
        for (size_t i = 0; i < lanes; ++i) {
            alone |= library->inverse(q + i * nq, v + i * n, x + i * n, singly + i * n) != 0;
        }
        *good = *good && failed == alone && (failed || is_close(rows, singly, lanes * n));
        failed = library->mass_rows((int)lanes, q, rows) != 0;
        alone = library->mass(q, singly) != 0;
        for (size_t i = 0; i < lanes && *good; ++i) {
            *good = failed == alone && (failed || is_close(rows + i * most, singly, most));
        }
    }
    status = status == LB_OK && !room ? LB_E_MEMORY : status;
    free(sample.memory);
    free(room);
    return status;
}

// Compiles and loads. Where lanes cannot be compiled, or are not right, states of batches go one by one.
static lb_status compile_and_load(const lb_model *model, const lb_compile_folder *folder,
                                  const lb_attach_options *options, const char *output,
                                  lb_frozen_library *library, lb_text *why)
{
    lb_text unused = {.length = 0};
    bool good = false;
    lb_status status = compile(folder, options, true, output, &unused);
    status = status == LB_OK ? load(output, library, &unused) : status;
    if (status == LB_OK) {
        status = check_lanes(model, library, &good);
        if (status == LB_OK && good) {
            return LB_OK;
        }
        dlclose(library->handle);
    }
    status = status == LB_E_MEMORY ? status : compile(folder, options, false, output, why);
    return status == LB_OK ? load(output, library, why) : status;
}

// Compiles the model and loads it; it stays at options->library if that is named.
static lb_status make_library(const lb_model *model, const lb_attach_options *options,
                              uint64_t hash, const lb_report *report, lb_frozen_library *library,
                              lb_text *why)
{
    lb_compile_folder folder;
    char output[LB_COMPILE_PATH];
    lb_status status = lb_make_compile_folder(&folder, why);
    lb_join_compile_path(&folder, files[3], output);
    status = status == LB_OK ? write_sources(&folder, model, report, why) : status;
    status =
        status == LB_OK ? compile_and_load(model, &folder, options, output, library, why) : status;
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
        *lane_count = at ? at->library.lane_count : 0;
    }
    return at != NULL;
}
