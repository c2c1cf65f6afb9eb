// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model becomes a file: which functions, and what stands around them.
#include "limber/freeze.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/text.h"
#include "file_c.h"
#include "function.h"
#include "model/layout.h"

struct lb_frozen {
    lb_page source, header;
};

void lb_init_freeze_options(lb_freeze_options *options, size_t size)
{
    const lb_freeze_options defaults = {.size = sizeof defaults,
                                        .name = "model",
                                        .functions = "forward,inverse,mass",
                                        .number = LB_FROZEN_DOUBLE};
    lb_set_sized(&defaults, sizeof defaults, options, size);
}

static lb_status complain(const lb_report *report, lb_status status, const char *format, ...)
    LB_PRINTF(3, 4);

static lb_status complain(const lb_report *report, lb_status status, const char *format, ...)
{
    lb_text text = {.length = 0};
    va_list arguments;
    va_start(arguments, format);
    lb_text_add_list(&text, format, arguments);
    va_end(arguments);
    if (report && report->emit) {
        const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                          .severity = LB_SEVERITY_ERROR,
                                          .path = "",
                                          .message = text.data};
        report->emit(report->user, &diagnostic);
    }
    return status;
}

// ---- options -----------------------------------------------------------------------------------

static bool is_c_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return name[0] && strchr(letters, name[0]) && strlen(name) <= 40 &&
           strspn(name, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") ==
               strlen(name);
}

// prefix and what of a name C takes; NULL without memory
static char *make_name(const char *start, const char *body, const char *node)
{
    const size_t length = strlen(start) + strlen(body) + strlen(node) + 3;
    char *name = malloc(length);
    if (name) {
        name[0] = 0;
        strcat(name, start);
        if (*node) {
            strcat(strcat(strcat(strcat(name, "_"), body), "_"), node);
        }
        for (char *c = name; *c; ++c) {
            *c = (char)(isalnum((unsigned char)*c) && (unsigned char)*c < 128 ? *c : '_');
        }
    }
    return name;
}

// The node of a Jacobian: NODE, if only one body has it, or BODY.NODE.
static lb_status find_place(const lb_model *model, const char *where, size_t length,
                            const lb_report *report, lb_frozen_function *f)
{
    int found = 0;
    for (int body = 0; body < model->body_count; ++body) {
        const char *body_name = lb_get_body_name(model, body);
        const size_t skip = strlen(body_name);
        for (int node = 0; node < lb_get_node_count(model, body); ++node) {
            const char *name = lb_get_node_name(model, body, node);
            const size_t size = strlen(name);
            const bool alone = size == length && memcmp(name, where, length) == 0;
            const bool both = length == skip + 1 + size && memcmp(where, body_name, skip) == 0 &&
                              where[skip] == '.' && memcmp(where + skip + 1, name, size) == 0;
            if (both || (alone && !memchr(where, '.', length))) {
                ++found;
                f->body = body;
                f->node = node;
            }
        }
    }
    if (found != 1) {
        return complain(report, LB_E_ARGUMENT, "jacobian:%.*s: %s", (int)length, where,
                        found ? "several bodies have such a node; write BODY.NODE"
                              : "no body has such a node");
    }
    f->name = make_name("jacobian", lb_get_body_name(model, f->body),
                        lb_get_node_name(model, f->body, f->node));
    return f->name ? LB_OK : LB_E_MEMORY;
}

static lb_status choose_function(const lb_model *model, const char *word, size_t length,
                                 const lb_report *report, lb_frozen_function *f)
{
    static const struct {
        const char *name;
        lb_traced_function kind;
    } plain[] = {{"forward", LB_TRACE_FORWARD}, {"inverse", LB_TRACE_INVERSE},
                 {"mass", LB_TRACE_MASS},       {"derivatives", LB_TRACE_DERIVATIVES},
                 {"rates", LB_TRACE_FORWARD},   {"step", LB_TRACE_FORWARD}};
    static const char jacobian[] = "jacobian:";
    for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i) {
        if (strlen(plain[i].name) == length && memcmp(plain[i].name, word, length) == 0) {
            f->kind = plain[i].kind;
            // a step takes rates, which come with it
            f->with_step = strcmp(plain[i].name, "step") == 0;
            f->with_rates = f->with_step || strcmp(plain[i].name, "rates") == 0;
            f->name = make_name(f->with_rates ? "rates" : plain[i].name, "", "");
            return f->name ? LB_OK : LB_E_MEMORY;
        }
    }
    const size_t skip = sizeof jacobian - 1;
    if (length > skip && memcmp(word, jacobian, skip) == 0) {
        f->kind = LB_TRACE_JACOBIAN;
        return find_place(model, word + skip, length - skip, report, f);
    }
    return complain(
        report, LB_E_ARGUMENT,
        "functions: '%.*s' is not one of forward, inverse, mass, rates, step, derivatives, "
        "jacobian:NODE",
        (int)(length < 40 ? length : 40), word);
}

// ---- the model ---------------------------------------------------------------------------------

static lb_status check_model(const lb_model *model, const lb_report *report)
{
    if (model->loop_count > 0) {
        return complain(report, LB_E_UNSUPPORTED, "loop '%s': closed loops are not frozen",
                        model->loops[0].name);
    }
    if (model->v_count == 0) {
        return complain(report, LB_E_UNSUPPORTED, "the model has no degree of freedom");
    }
    return LB_OK;
}

// ---- all ---------------------------------------------------------------------------------------

static lb_status record_all(const lb_model *model, const lb_freeze_options *options,
                            const lb_report *report, const lb_sample *sample, int *count,
                            lb_frozen_function *functions)
{
    lb_plain_model plain;
    lb_status status = lb_make_plain(model, &plain);
    const char *at = options->functions;
    *count = 0;
    while (status >= LB_OK) {
        const size_t length = strcspn(at, ",");
        lb_frozen_function *f = &functions[*count];
        ++*count;
        status = choose_function(model, at, length, report, f);
        bool again = false;
        for (int i = 0; status >= LB_OK && i < *count - 1; ++i) {
            if (strcmp(functions[i].name, f->name) == 0 && functions[i].with_step != f->with_step) {
                functions[i].with_step = again = true;
            } else if (strcmp(functions[i].name, f->name) == 0) {
                status = complain(report, LB_E_ARGUMENT, "functions: '%.*s' is there twice",
                                  (int)length, at);
            }
        }
        if (again) {
            lb_clear_function(f);
            memset(f, 0, sizeof *f);
            --*count;
        } else if (status >= LB_OK) {
            status = lb_record_function(model, &plain, sample, f);
            if (status == LB_E_SINGULAR) {
                status =
                    complain(report, status, "%s: an inertia of the model is singular", f->name);
            }
        }
        if (!at[length]) {
            break;
        }
        at += length + 1;
    }
    lb_clear_plain(&plain);
    return status < LB_OK ? status : LB_OK;
}

static lb_status freeze(const lb_model *model, const lb_freeze_options *options,
                        const lb_report *report, lb_frozen *frozen)
{
    size_t words = 1;
    for (const char *c = options->functions; *c; ++c) {
        words += *c == ',';
    }
    lb_sample sample = {.memory = NULL};
    int count = 0;
    lb_frozen_function *functions = calloc(words, sizeof *functions);
    lb_status status = functions ? lb_make_sample(model, &sample) : LB_E_MEMORY;
    if (status == LB_OK) {
        status = record_all(model, options, report, &sample, &count, functions);
    }
    if (status == LB_OK && !lb_write_files(model, options, &sample, count, functions,
                                           &frozen->source, &frozen->header)) {
        status = LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        lb_clear_function(&functions[i]);
    }
    free(functions);
    free(sample.memory);
    return status;
}

lb_status lb_freeze_model(const lb_model *model, const lb_freeze_options *options,
                          const lb_report *report, lb_frozen **frozen)
{
    lb_freeze_options own = lb_default_freeze_options();
    *frozen = NULL;
    if (options && lb_take_sized(&own, sizeof own, LB_SIZE_THROUGH(lb_freeze_options, name),
                                 options) != LB_OK) {
        return complain(
            report, LB_E_VERSION,
            "a struct of %zu bytes, but this version of limber knows %zu: it comes from a "
            "program built for a newer version",
            options->size, sizeof own);
    }
    if (!own.name || !is_c_name(own.name)) {
        return complain(report, LB_E_ARGUMENT,
                        "'%.40s' cannot start names of C: use letters, digits and _, at most 40",
                        own.name ? own.name : "");
    }
    if (!own.functions || (unsigned)own.number > LB_FROZEN_FLOAT) {
        return complain(report, LB_E_ARGUMENT, "an option of freezing is not acceptable");
    }
    lb_status status = check_model(model, report);
    lb_frozen *made = status == LB_OK ? calloc(1, sizeof *made) : NULL;
    if (status == LB_OK) {
        status = made ? freeze(model, &own, report, made) : LB_E_MEMORY;
    }
    if (status != LB_OK) {
        lb_destroy_frozen(made);
        return status;
    }
    *frozen = made;
    return LB_OK;
}

const char *lb_get_frozen_source(const lb_frozen *frozen)
{
    return frozen->source.text;
}

const char *lb_get_frozen_header(const lb_frozen *frozen)
{
    return frozen->header.text;
}

void lb_destroy_frozen(lb_frozen *frozen)
{
    if (frozen) {
        free(frozen->source.text);
        free(frozen->header.text);
        free(frozen);
    }
}
