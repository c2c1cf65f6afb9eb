// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model becomes a file: which functions, and what stands around them.
#include "limber/freeze.h"

#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/text.h"
#include "cuda/graph_passes.h"
#include "freeze_all.h"
#include "function.h"
#include "loops/frozen_loops.h"
#include "model/layout.h"
#include "model/numbers.h"
#include "parameters/tunable.h"

struct lb_frozen {
    lb_page source, header;
    lb_frozen_lists lists;
    lb_frozen_function *functions;
    int count;
};

lb_status lb_refuse_to_freeze(const lb_report *report, lb_status status, const char *format, ...)
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

// The node of a Jacobian or a motion: NODE, if only one body has it, or BODY.NODE.
static lb_status find_place(const lb_model *model, const char *what, const char *where,
                            size_t length, const lb_report *report, lb_frozen_function *f)
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
        return lb_refuse_to_freeze(report, LB_E_ARGUMENT, "%s:%.*s: %s", what, (int)length, where,
                                   found ? "several bodies have such a node; write BODY.NODE"
                                         : "no body has such a node");
    }
    return lb_name_function(f, what, lb_get_body_name(model, f->body),
                            lb_get_node_name(model, f->body, f->node));
}

static lb_status choose_function(const lb_model *model, const char *word, size_t length,
                                 const lb_report *report, lb_frozen_function *f)
{
    static const struct {
        const char *name;
        lb_traced_function kind;
        int methods;
        const char *called;
    } plain[] = {{"forward", LB_TRACE_FORWARD, 0, "forward"},
                 {"inverse", LB_TRACE_INVERSE, 0, "inverse"},
                 {"mass", LB_TRACE_MASS, 0, "mass"},
                 {"derivatives", LB_TRACE_DERIVATIVES, 0, "derivatives"},
                 {"rates", LB_TRACE_FORWARD, 0, "rates"},
                 {"step", LB_TRACE_FORWARD, LB_STEP_RK4, "rates"},
                 {"step:euler", LB_TRACE_FORWARD, LB_STEP_EULER, "rates"},
                 {"step:alpha", LB_TRACE_FORWARD, LB_STEP_ALPHA, "rates"},
                 {"close", LB_TRACE_CLOSE_POSITIONS, 0, "close_positions"}};
    static const struct {
        const char *name;
        lb_traced_function kind;
    } placed[] = {{"jacobian", LB_TRACE_JACOBIAN}, {"motion", LB_TRACE_MOTION}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i) {
        if (strlen(plain[i].name) == length && memcmp(plain[i].name, word, length) == 0) {
            f->kind = plain[i].kind;
            // a step takes rates, which come with it
            f->methods = plain[i].methods;
            f->with_rates = strcmp(plain[i].called, "rates") == 0;
            const bool closes = f->kind == LB_TRACE_CLOSE_POSITIONS,
                       loops = lb_has_closed_loops(model);
            if ((closes && !loops) || (f->kind == LB_TRACE_DERIVATIVES && loops)) {
                return lb_refuse_to_freeze(
                    report, LB_E_UNSUPPORTED, "functions: %s: %s", plain[i].name,
                    closes ? "the model has no loop" : "not frozen for models with closed loops");
            }
            f->kind = f->kind == LB_TRACE_FORWARD && loops ? LB_TRACE_CLOSED : f->kind;
            f->is_private = closes;
            return lb_name_function(f, plain[i].called, "", "");
        }
    }
    for (size_t i = 0; i < sizeof placed / sizeof *placed; ++i) {
        const size_t skip = strlen(placed[i].name) + 1;
        if (length > skip && memcmp(word, placed[i].name, skip - 1) == 0 && word[skip - 1] == ':') {
            f->kind = placed[i].kind;
            return find_place(model, placed[i].name, word + skip, length - skip, report, f);
        }
    }
    return lb_refuse_to_freeze(
        report, LB_E_ARGUMENT,
        "functions: '%.*s' is not one of forward, inverse, mass, rates, step, step:euler, "
        "step:alpha, close, derivatives, jacobian:NODE, motion:NODE",
        (int)(length < 40 ? length : 40), word);
}

// ---- the model ---------------------------------------------------------------------------------

static lb_status check_model(const lb_model *model, const double *configuration, bool timed,
                             const lb_report *report)
{
    int loop = 0;
    const char *reason = timed ? NULL : lb_find_refused_loop(model, &loop);
    if (reason) {
        return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED, "loop '%s': %s",
                                   model->loops[loop].name, reason);
    }
    for (int i = 0; configuration && lb_has_closed_loops(model) && i < model->q_count; ++i) {
        if (!lb_is_finite(configuration[i])) {
            return lb_refuse_to_freeze(report, LB_E_NUMBER, "configuration: entry %d is not finite",
                                       i);
        }
    }
    if (model->v_count == 0) {
        return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED, "the model has no degree of freedom");
    }
    return LB_OK;
}

// ---- all ---------------------------------------------------------------------------------------

static lb_status open_parameters(const lb_plain_model *plain, const lb_freeze_extras *extras,
                                 const lb_sample *sample, const lb_freeze_parameters *given,
                                 const lb_report *report, lb_tunable *tunable)
{
    int bad = 0;
    const char *reason = "";
    for (int i = 0; i < given->count; ++i) {
        const lb_frozen_parameter *p = &given->list[i];
        if (!lb_is_finite(p->value)) {
            return lb_refuse_to_freeze(report, LB_E_NUMBER,
                                       "parameter '%.40s': its value is not finite", p->name);
        }
        if (!is_c_name(p->name) || lb_is_reserved(p->name)) {
            return lb_refuse_to_freeze(report, LB_E_ARGUMENT,
                                       "parameter '%.40s': not a name that C takes", p->name);
        }
    }
    const lb_more_numbers *more = extras ? extras->list_more(extras->user, sample) : NULL;
    if (extras && !more) {
        return LB_E_MEMORY;
    }
    const lb_status status = lb_find_tunable(plain, !extras || extras->shares, sample, given, more,
                                             tunable, &bad, &reason);
    return status == LB_E_UNSUPPORTED
               ? lb_refuse_to_freeze(report, status, "parameter '%s' cannot stay open: %s",
                                     given->list[bad].name, reason)
               : status;
}

// What NAME_close calls: it comes with `close`, and with steps of models with loops.
static lb_status record_closing(const lb_model *model, const lb_plain_model *plain,
                                const lb_sample *sample, int *count, lb_frozen_function *functions)
{
    bool wanted = false, there = false;
    for (int i = 0; i < *count; ++i) {
        there = there || functions[i].kind == LB_TRACE_CLOSE_POSITIONS;
        wanted = wanted || there || (functions[i].methods && lb_has_closed_loops(model));
    }
    lb_status status = LB_OK;
    for (int i = there ? 1 : 0; wanted && status >= LB_OK && i < 2; ++i) {
        lb_frozen_function *f = &functions[(*count)++];
        f->kind = i ? LB_TRACE_CLOSE_SPEEDS : LB_TRACE_CLOSE_POSITIONS;
        f->is_private = true;
        status = lb_name_function(f, i ? "close_speeds" : "close_positions", "", "");
        status = status == LB_OK ? lb_record_function(model, plain, sample, f) : status;
    }
    return status;
}

// What only one language has. Generalized-alpha solves equations in every step: with the whole matrix in the memory
// of a thread.
static lb_status check_language(const lb_model *model, const lb_freeze_options *options,
                                const lb_frozen_function *f, const lb_report *report)
{
    enum { ALPHA_MOST = 32 };
    const bool remembers = f->part && (f->inputs[f->input_count - 1] == LB_ARRAY_MEMORY ||
                                       f->outputs[0] == LB_ARRAY_MEMORY);
    if (options->language == LB_FROZEN_CUDA && remembers) {
        return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                   "functions: %s: not on graphics processors; give the forces of "
                                   "actuators as inputs u",
                                   f->name);
    }
    if (!(f->methods & LB_STEP_ALPHA)) {
        return LB_OK;
    }
    if (options->language != LB_FROZEN_CUDA) {
        return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                   "functions: step:alpha: only on graphics processors; use step "
                                   "or step:euler");
    }
    if (lb_has_closed_loops(model)) {
        return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                   "functions: step:alpha: loop '%s': not frozen with closed "
                                   "loops; use step or step:euler",
                                   model->loops[0].name);
    }
    return model->v_count <= ALPHA_MOST
               ? LB_OK
               : lb_refuse_to_freeze(
                     report, LB_E_UNSUPPORTED,
                     "functions: step:alpha: %d degrees of freedom, at most %d; use "
                     "step or step:euler",
                     model->v_count, ALPHA_MOST);
}

static lb_status record_all(const lb_model *model, const lb_freeze_options *options,
                            const lb_freeze_extras *extras, const lb_report *report,
                            lb_sample *sample, int *count, lb_frozen_function *functions)
{
    lb_plain_model plain;
    lb_tunable tunable = {.memory = NULL};
    lb_status status = lb_make_plain(model, !extras || extras->shares, &plain);
    if (status >= LB_OK && options->parameters && options->parameters->count > 0) {
        status = open_parameters(&plain, extras, sample, options->parameters, report, &tunable);
        plain.tunable = sample->tunable = &tunable;
    }
    const char *at = options->functions;
    *count = 0;
    while (status >= LB_OK) {
        const size_t length = strcspn(at, ",");
        lb_frozen_function *f = &functions[*count];
        ++*count;
        const bool extra = extras && extras->choose(extras->user, at, length, f, &status);
        status = extra ? status : choose_function(model, at, length, report, f);
        status = status >= LB_OK ? check_language(model, options, f, report) : status;
        const bool of_node = f->kind == LB_TRACE_JACOBIAN || f->kind == LB_TRACE_MOTION;
        if (status >= LB_OK && of_node && plain.tunable) {
            status = lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                         "functions: %s: not frozen with parameters",
                                         f->kind == LB_TRACE_JACOBIAN ? "jacobian" : "motion");
        }
        bool again = false;
        for (int i = 0; status >= LB_OK && i < *count - 1; ++i) {
            if (strcmp(functions[i].name, f->name) == 0 && functions[i].methods != f->methods) {
                functions[i].methods |= f->methods;
                again = true;
            } else if (strcmp(functions[i].name, f->name) == 0) {
                status = lb_refuse_to_freeze(report, LB_E_ARGUMENT,
                                             "functions: '%.*s' is there twice", (int)length, at);
            }
        }
        if (again) {
            lb_clear_function(f);
            memset(f, 0, sizeof *f);
            --*count;
        } else if (status >= LB_OK) {
            status = extra ? extras->record(extras->user, sample, f, report)
                           : lb_record_function(model, &plain, sample, f);
            if (status == LB_E_SINGULAR) {
                status = lb_refuse_to_freeze(report, status,
                                             "%s: an inertia of the model is singular", f->name);
            }
        }
        if (!at[length]) {
            break;
        }
        at += length + 1;
    }
    if (status >= LB_OK && !extras) {
        status = record_closing(model, &plain, sample, count, functions);
    }
    lb_clear_tunable(&tunable);
    lb_clear_plain(&plain);
    return status < LB_OK ? status : LB_OK;
}

// The functions in an order for few registers, long ones in parts.
static lb_status write_cuda(const lb_model *model, const lb_freeze_options *options,
                            const lb_sample *sample, int count, lb_frozen_function *functions,
                            lb_page *page)
{
    int part_count = 0, done = 0;
    for (int i = 0; i < count; ++i) {
        lb_frozen_function *f = &functions[i];
        // steps call these
        const bool called = f->with_rates || f->is_private || f->replaces;
        const bool whole = options->operation_count <= 0 || called;
        f->piece_count =
            whole ? 1 : 1 + (lb_count_arithmetic(&f->graph) - 1) / options->operation_count;
        part_count += f->piece_count;
    }
    lb_frozen_function *parts = calloc((size_t)part_count + 1, sizeof *parts);
    lb_graph *graphs = calloc((size_t)part_count + 1, sizeof *graphs);
    bool good = parts && graphs;
    for (int i = 0; good && i < count; ++i) {
        lb_frozen_function *f = &functions[i];
        good = lb_order_graph(&f->graph, &f->live);
        parts[done] = *f;
        if (f->piece_count > 1) {
            good = good && lb_split_graph(&f->graph, LB_ARRAY_BETWEEN, LB_ARRAY_HANDED,
                                          f->piece_count, graphs + done, &f->slot_count);
        }
        for (int k = 0; k < f->piece_count; ++k, ++done) {
            parts[done] = *f;
            parts[done].piece = k;
            if (f->piece_count > 1) {
                parts[done].graph = graphs[done];
                good = good && lb_order_graph(&graphs[done], &parts[done].live);
                parts[done].graph = graphs[done];
                if (k > 0) {
                    parts[done].inputs[parts[done].input_count++] = LB_ARRAY_HANDED;
                }
                parts[done].outputs[parts[done].output_count++] = LB_ARRAY_BETWEEN;
            }
        }
    }
    good = good && lb_write_cuda_file(model, options, sample, part_count, parts, page);
    for (int i = 0; graphs && i < part_count; ++i) {
        lb_clear_graph(&graphs[i]);
    }
    free(graphs);
    free(parts);
    return good ? LB_OK : LB_E_MEMORY;
}

static lb_status freeze(const lb_model *model, const lb_freeze_options *options,
                        const lb_freeze_extras *extras, const lb_report *report, lb_frozen *frozen)
{
    size_t words = 1;
    for (const char *c = options->functions; *c; ++c) {
        words += *c == ',';
    }
    lb_sample sample = {.memory = NULL};
    // one word may become a function and two that it calls
    lb_frozen_function *functions = calloc(words + 2, sizeof *functions);
    frozen->functions = functions;
    lb_status status = functions ? lb_make_sample(model, &sample) : LB_E_MEMORY;
    if (status == LB_OK && lb_has_closed_loops(model)) {
        status =
            lb_close_sample(model, options->configuration, extras ? extras->given : NULL, &sample);
        if (status == LB_E_OPEN || status == LB_E_SINGULAR) {
            status = lb_refuse_to_freeze(
                report, status, "the loops %s near the configuration that is given",
                status == LB_E_OPEN ? "cannot be closed" : "are singular everywhere");
        }
    }
    if (status == LB_OK && extras) {
        sample.lists = extras->lists;
        sample.control = extras->control;
        for (int i = LB_ARRAY_TIME; i < LB_ARRAY_COUNT; ++i) {
            sample.values[i] = extras->values[i];
        }
    }
    if (status == LB_OK) {
        status = record_all(model, options, extras, report, &sample, &frozen->count, functions);
    }
    bool written = true;
    if (status == LB_OK && options->language == LB_FROZEN_CUDA) {
        status = write_cuda(model, options, &sample, frozen->count, functions, &frozen->source);
    } else if (status == LB_OK) {
        written = lb_write_files(model, options, &sample, frozen->count, functions, &frozen->source,
                                 &frozen->header);
    }
    status = written ? status : LB_E_MEMORY;
    lb_clear_closed_sample(&sample);
    free(sample.memory);
    return status;
}

// Functions that there are for eight states too.
static lb_status check_batches(const lb_freeze_options *own, const lb_report *report)
{
    static const char *const without[] = {"step",  "step:euler", "step:alpha",
                                          "close", "control",    "run"};
    if (own->language != LB_FROZEN_C) {
        return lb_refuse_to_freeze(report, LB_E_ARGUMENT, "batches: files of C have them");
    }
    for (const char *at = own->functions; *at;) {
        const size_t length = strcspn(at, ",");
        for (size_t i = 0; i < sizeof without / sizeof *without; ++i) {
            if (length == strlen(without[i]) && memcmp(at, without[i], length) == 0) {
                return lb_refuse_to_freeze(
                    report, LB_E_UNSUPPORTED,
                    "functions: %s: not for eight states at once; use rates, or freeze it "
                    "in a file without batches",
                    without[i]);
            }
        }
        at += length + (at[length] == ',');
    }
    return LB_OK;
}

lb_status lb_take_freeze_options(const lb_freeze_options *options, const lb_report *report,
                                 lb_freeze_options *own)
{
    *own = lb_default_freeze_options();
    if (options && lb_take_sized(own, sizeof *own, LB_SIZE_THROUGH(lb_freeze_options, name),
                                 options) != LB_OK) {
        return lb_refuse_to_freeze(
            report, LB_E_VERSION,
            "a struct of %zu bytes, but this version of limber knows %zu: it comes from a "
            "program built for a newer version",
            options->size, sizeof *own);
    }
    if (!own->name || !is_c_name(own->name)) {
        return lb_refuse_to_freeze(
            report, LB_E_ARGUMENT,
            "'%.40s' cannot start names of C: use letters, digits and _, at most 40",
            own->name ? own->name : "");
    }
    if (own->header && (!own->header[0] || strpbrk(own->header, "\"\\\n\r"))) {
        return lb_refuse_to_freeze(report, LB_E_ARGUMENT,
                                   "'%.40s' cannot be the name of a header file: leave out quotes, "
                                   "backslashes and ends of lines",
                                   own->header);
    }
    const lb_freeze_parameters *open = own->parameters;
    if ((open && (open->count < 0 || open->count > LB_PARAMETERS_MOST ||
                  open->size < LB_SIZE_THROUGH(lb_freeze_parameters, user))) ||
        !own->functions || (unsigned)own->number > LB_FROZEN_FLOAT ||
        (unsigned)own->language > LB_FROZEN_CUDA || own->operation_count < 0) {
        return lb_refuse_to_freeze(report, LB_E_ARGUMENT,
                                   "an option of freezing is not acceptable");
    }
    if (own->vectors && own->language != LB_FROZEN_C) {
        return lb_refuse_to_freeze(report, LB_E_ARGUMENT, "vectors: files of C have them");
    }
    return own->batches ? check_batches(own, report) : LB_OK;
}

// What simulations do not have yet.
static lb_status check_simulation(const lb_freeze_options *options, const lb_report *report)
{
    if (options->parameters && options->parameters->count > 0 &&
        (options->parameters->size < sizeof *options->parameters ||
         !options->parameters->simulate)) {
        return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                   "parameters: without `simulate` they do not stay open in "
                                   "simulations");
    }
    return LB_OK;
}

lb_status lb_freeze_all(const lb_model *model, const lb_freeze_options *own,
                        const lb_freeze_extras *extras, const lb_report *report, lb_frozen **frozen)
{
    lb_status status = check_model(model, own->configuration, extras != NULL, report);
    if (status == LB_OK && own->language == LB_FROZEN_CUDA && own->parameters &&
        own->parameters->count > 0) {
        status = lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                     "parameters: they do not stay open on graphics processors");
    }
    if (status == LB_OK && extras) {
        status = check_simulation(own, report);
    }
    lb_frozen *made = status == LB_OK ? calloc(1, sizeof *made) : NULL;
    if (status == LB_OK) {
        status = made ? freeze(model, own, extras, report, made) : LB_E_MEMORY;
    }
    if (status != LB_OK) {
        lb_destroy_frozen(made);
        return status;
    }
    if (extras) {
        made->lists = *extras->lists;
        memset(extras->lists, 0, sizeof *extras->lists);
    }
    *frozen = made;
    return LB_OK;
}

lb_status lb_freeze_model(const lb_model *model, const lb_freeze_options *options,
                          const lb_report *report, lb_frozen **frozen)
{
    lb_freeze_options own;
    *frozen = NULL;
    const lb_status status = lb_take_freeze_options(options, report, &own);
    return status == LB_OK ? lb_freeze_all(model, &own, NULL, report, frozen) : status;
}

void lb_clear_lists(lb_frozen_lists *lists)
{
    for (int i = 0; i < LB_FROZEN_LISTS; ++i) {
        for (int j = 0; lists->names[i] && j < lists->counts[i]; ++j) {
            free(lists->names[i][j]);
        }
        free(lists->names[i]);
    }
    free(lists->starts);
    memset(lists, 0, sizeof *lists);
}

int lb_get_frozen_count(const lb_frozen *frozen, lb_frozen_list list)
{
    return frozen->lists.counts[list];
}

const char *lb_get_frozen_entry(const lb_frozen *frozen, lb_frozen_list list, int index)
{
    return frozen->lists.names[list][index];
}

const char *lb_get_frozen_source(const lb_frozen *frozen)
{
    return frozen->source.text;
}

const char *lb_get_frozen_header(const lb_frozen *frozen)
{
    return frozen->header.text;
}

const lb_frozen_lists *lb_get_frozen_lists(const lb_frozen *frozen)
{
    return &frozen->lists;
}

const lb_graph *lb_find_frozen_graph(const lb_frozen *frozen, const char *name)
{
    for (int i = 0; i < frozen->count; ++i) {
        if (strcmp(frozen->functions[i].name, name) == 0) {
            return &frozen->functions[i].graph;
        }
    }
    return NULL;
}

void lb_destroy_frozen(lb_frozen *frozen)
{
    if (frozen) {
        for (int i = 0; i < frozen->count; ++i) {
            lb_clear_function(&frozen->functions[i]);
        }
        free(frozen->functions);
        free(frozen->source.text);
        free(frozen->header.text);
        lb_clear_lists(&frozen->lists);
        free(frozen);
    }
}
