// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "request.h"
#include "console.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suggest.h"

static const char *const quantity_names[LB_CLI_QUANTITY_COUNT] = {
#define LB_CLI_QUANTITY_NAME(constant, name) [constant] = name,
    LB_CLI_QUANTITY_LIST(LB_CLI_QUANTITY_NAME)
#undef LB_CLI_QUANTITY_NAME
};

static const char *const algorithm_names[LB_CLI_ALGORITHM_COUNT] = {
    [LB_CLI_ARTICULATED] = "articulated",
    [LB_CLI_COMPOSITE] = "composite",
    [LB_CLI_DIVIDE_AND_CONQUER] = "divide-and-conquer",
    [LB_CLI_UNSPLIT] = "unsplit",
};

// Where the reader stands: the path of the value at hand, and what has gone wrong so far.
typedef struct reader {
    const lb_report *report;
    const char *file;
    bool state_only; // nothing is asked for
    char path[512];
    lb_status status; // LB_OK until the first mistake
    int count;        // of mistakes: a hundred are told
} reader;

// Appends to the path and returns its old length, by which leave() takes it back.
__attribute__((format(printf, 2, 3))) static size_t enter(reader *r, const char *format, ...)
{
    const size_t length = strlen(r->path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->path + length, sizeof r->path - length, format, arguments);
    va_end(arguments);
    return length;
}

static void leave(reader *r, size_t length)
{
    r->path[length] = '\0';
}

__attribute__((format(printf, 2, 3))) static void complain(reader *r, const char *format, ...)
{
    enum { MOST = 100 };
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    r->status = LB_E_ARGUMENT;
    ++r->count;
    if (r->count == MOST + 1) {
        snprintf(message, sizeof message, "more than %d mistakes: no more are listed", MOST);
    }
    if (r->report && r->count <= MOST + 1) {
        const lb_diagnostic diagnostic = {
            sizeof diagnostic, LB_SEVERITY_ERROR, r->file, 0, 0, r->path, message};
        r->report->emit(r->report->user, &diagnostic);
    }
}

static const char *get_type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    default:
        return "null";
    }
}

// Index of a word in a table; -1, after naming the nearest entry or all of them, if it is not one.
static int read_word(reader *r, const char *word, const char *const *names, int count)
{
    lb_cli_suggestion suggestion = {.word = word};
    char all[256] = "";
    for (int i = 0; i < count; ++i) {
        if (strcmp(word, names[i]) == 0) {
            return i;
        }
        lb_cli_offer(&suggestion, names[i]);
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (suggestion.best) {
        complain(r, "'%.60s' is not known; did you mean '%s'? (there are %s)", word,
                 suggestion.best, all);
    } else {
        complain(r, "'%.60s' is not known; there are %s", word, all);
    }
    return -1;
}

// ---- one key after the other -------------------------------------------------------------------

static void read_numbers(reader *r, const json_t *value, lb_cli_numbers *numbers)
{
    if (!json_is_array(value)) {
        complain(r, "%s given, expected a list of numbers", get_type_name(value));
        return;
    }
    const size_t count = json_array_size(value);
    numbers->values = lb_cli_calloc(count + 1, sizeof *numbers->values);
    numbers->count = (int)count;
    for (size_t i = 0; i < count; ++i) {
        const json_t *entry = json_array_get(value, i);
        numbers->values[i] = json_number_value(entry);
        // one mistake a list is enough to find it
        if (!json_is_number(entry) || !isfinite(numbers->values[i])) {
            const size_t mark = enter(r, "[%zu]", i);
            complain(r, "%s given, expected a finite number", get_type_name(entry));
            leave(r, mark);
            return;
        }
    }
}

static void read_compute(reader *r, const json_t *value, lb_cli_request *request)
{
    if (!json_is_array(value)) {
        complain(r, "%s given, expected a list of names such as [\"forward\"]",
                 get_type_name(value));
        return;
    }
    if (json_array_size(value) == 0) {
        complain(r, "an empty list given, expected at least one name such as \"forward\"");
        return;
    }
    for (size_t i = 0; i < json_array_size(value); ++i) {
        const json_t *entry = json_array_get(value, i);
        const size_t mark = enter(r, "[%zu]", i);
        if (!json_is_string(entry)) {
            complain(r, "%s given, expected a name such as \"forward\"", get_type_name(entry));
        } else {
            const int quantity =
                read_word(r, json_string_value(entry), quantity_names, LB_CLI_QUANTITY_COUNT);
            if (quantity >= 0) {
                request->compute[quantity] = true;
            }
        }
        leave(r, mark);
    }
}

static void read_algorithm(reader *r, const json_t *value, lb_cli_request *request)
{
    if (!json_is_string(value)) {
        complain(r, "%s given, expected a name such as \"articulated\"", get_type_name(value));
        return;
    }
    const int algorithm =
        read_word(r, json_string_value(value), algorithm_names, LB_CLI_ALGORITHM_COUNT);
    if (algorithm >= 0) {
        request->algorithm = (lb_cli_algorithm)algorithm;
    }
}

// @param wrench  NULL for a node alone
static void read_node(reader *r, json_t *value, lb_cli_node *at, lb_cli_numbers *wrench)
{
    static const char *const names[] = {"body", "node", "wrench"};
    const char **const targets[] = {&at->body, &at->node};
    const int count = wrench ? 3 : 2;
    if (!json_is_object(value)) {
        complain(r, "%s given, expected {\"body\": name, \"node\": name%s}", get_type_name(value),
                 wrench ? ", \"wrench\": [six numbers]" : "");
        return;
    }
    const char *key;
    json_t *entry;
    json_object_foreach(value, key, entry)
    {
        const size_t mark = enter(r, ".%.60s", key);
        const int which = read_word(r, key, names, count);
        if (which == 2) {
            read_numbers(r, entry, wrench);
        } else if (which >= 0 && !json_is_string(entry)) {
            complain(r, "%s given, expected a name", get_type_name(entry));
        } else if (which >= 0) {
            *targets[which] = json_string_value(entry);
        }
        leave(r, mark);
    }
    for (int i = 0; i < count; ++i) {
        if (!json_object_get(value, names[i])) {
            const size_t mark = enter(r, ".%s", names[i]);
            if (i < 2) {
                complain(r, "missing, expected the name of a %s", names[i]);
            } else {
                complain(r, "missing, expected moment and force, six numbers in world axes");
            }
            leave(r, mark);
        }
    }
}

static void read_wrenches(reader *r, json_t *value, lb_cli_request *request)
{
    if (!json_is_array(value)) {
        complain(r,
                 "%s given, expected a list of {\"body\": name, \"node\": name, \"wrench\": [six "
                 "numbers]}",
                 get_type_name(value));
        return;
    }
    request->wrenches = lb_cli_calloc(json_array_size(value) + 1, sizeof *request->wrenches);
    for (size_t i = 0; i < json_array_size(value); ++i) {
        lb_cli_wrench *wrench = &request->wrenches[request->wrench_count++];
        const size_t mark = enter(r, "[%zu]", i);
        read_node(r, json_array_get(value, i), &wrench->at, &wrench->values);
        leave(r, mark);
    }
}

static void read_prescribed(reader *r, json_t *value, lb_cli_request *request)
{
    request->prescribed = true;
    if (!json_is_object(value)) {
        complain(r, "%s given, expected {body: [accelerations]}", get_type_name(value));
        return;
    }
    request->drives = lb_cli_calloc(json_object_size(value) + 1, sizeof *request->drives);
    const char *key;
    json_t *entry;
    json_object_foreach(value, key, entry)
    {
        const size_t mark = enter(r, ".%.60s", key);
        lb_cli_drive *drive = &request->drives[request->drive_count++];
        drive->body = key;
        read_numbers(r, entry, &drive->accelerations);
        leave(r, mark);
    }
}

static void read_forces(reader *r, const json_t *value, lb_cli_request *request)
{
    if (!json_is_boolean(value)) {
        complain(r, "%s given, expected true or false", get_type_name(value));
        return;
    }
    request->forces = json_is_true(value);
}

static void read_parameters(reader *r, json_t *value, lb_cli_request *request)
{
    if (r->state_only) {
        complain(r, "given in a state, which has none; set them by --set NAME=VALUE");
        return;
    }
    if (!json_is_object(value)) {
        complain(r, "%s given, expected {name: number}", get_type_name(value));
        return;
    }
    lb_cli_values *parameters = &request->parameters;
    parameters->values = lb_cli_calloc(json_object_size(value) + 1, sizeof *parameters->values);
    const char *key;
    json_t *entry;
    json_object_foreach(value, key, entry)
    {
        const double number = json_number_value(entry);
        if (!json_is_number(entry) || !isfinite(number)) {
            const size_t mark = enter(r, ".%.60s", key);
            complain(r, "%s given, expected a finite number", get_type_name(entry));
            leave(r, mark);
        }
        parameters->values[parameters->count++] = (lb_parameter_value){key, number};
    }
}

static void read_request(reader *r, json_t *object, lb_cli_request *request)
{
    enum {
        Q,
        V,
        COMPUTE,
        TAU,
        A,
        QDD,
        PRESCRIBED,
        ALGORITHM,
        AT,
        FORCES,
        PARAMETERS,
        WRENCHES,
        KEY_COUNT
    };
    static const char *const names[KEY_COUNT] = {"q",  "v",      "compute",    "tau",
                                                 "a",  "qdd",    "prescribed", "algorithm",
                                                 "at", "forces", "parameters", "wrenches"};
    if (!json_is_object(object)) {
        complain(r, "%s given, expected an object", get_type_name(object));
        return;
    }
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        const size_t mark = enter(r, ".%.60s", key);
        switch (read_word(r, key, names, KEY_COUNT)) {
        case Q:
            read_numbers(r, value, &request->q);
            break;
        case V:
            read_numbers(r, value, &request->v);
            break;
        case COMPUTE:
            read_compute(r, value, request);
            break;
        case TAU:
            read_numbers(r, value, &request->tau);
            break;
        case A:
            read_numbers(r, value, &request->a);
            break;
        case QDD: // another name of the same
            if (json_object_get(object, "a")) {
                complain(r, "given beside a, expected one of them: both are the accelerations");
                break;
            }
            read_numbers(r, value, &request->a);
            request->is_qdd = true;
            break;
        case PRESCRIBED:
            read_prescribed(r, value, request);
            break;
        case ALGORITHM:
            read_algorithm(r, value, request);
            break;
        case AT:
            read_node(r, value, &request->at, NULL);
            break;
        case FORCES:
            read_forces(r, value, request);
            break;
        case PARAMETERS:
            read_parameters(r, value, request);
            break;
        case WRENCHES:
            read_wrenches(r, value, request);
            break;
        default: // unknown, and reported as such
            break;
        }
        leave(r, mark);
    }
    if (r->state_only) {
        return;
    }
    if (!json_object_get(object, "compute")) {
        const size_t mark = enter(r, ".compute");
        complain(r, "missing, expected a list of names such as [\"forward\"]");
        leave(r, mark);
    }
    const bool needs_at = request->compute[LB_CLI_JACOBIAN] || request->compute[LB_CLI_ADMITTANCE];
    if (needs_at && !json_object_get(object, "at")) {
        const size_t mark = enter(r, ".at");
        complain(r, "missing, expected {\"body\": name, \"node\": name} for %s",
                 request->compute[LB_CLI_JACOBIAN] ? "jacobian" : "admittance");
        leave(r, mark);
    }
}

// ---- the document ------------------------------------------------------------------------------

void lb_cli_format_request_path(const lb_cli_request_list *list, int index, char *path, size_t size)
{
    if (list->is_list) {
        snprintf(path, size, "%s[%d]", list->root, index);
    } else {
        snprintf(path, size, "%s", list->root);
    }
}

static void report_syntax(const char *file, const lb_report *report, const json_error_t *error)
{
    if (!report) {
        return;
    }
    char message[sizeof error->text + 32];
    snprintf(message, sizeof message, "not valid JSON: %s", error->text);
    const lb_diagnostic diagnostic = {
        sizeof diagnostic, LB_SEVERITY_ERROR, file, error->line, error->column, "", message};
    report->emit(report->user, &diagnostic);
}

// The document as JSON. Integers become reals, so that long ones are numbers like any other.
//
// @return LB_OK; LB_E_SYNTAX, after reporting why
static lb_status parse_text(const lb_cli_input *input, const lb_report *report, json_t **root)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;
    json_error_t error;
    *root = json_loadb(input->text, input->length, flags, &error);
    if (*root) {
        return LB_OK;
    }
    report_syntax(input->file, report, &error);
    return LB_E_SYNTAX;
}

// Reads the requests of list->document.
static lb_status read_requests(reader *r, lb_cli_request_list *list)
{
    json_t *root = list->document;
    const size_t count = list->is_list ? json_array_size(root) : 1;
    list->requests = lb_cli_calloc(count + 1, sizeof *list->requests);
    list->count = (int)count;
    for (int i = 0; i < list->count; ++i) {
        lb_cli_format_request_path(list, i, r->path, sizeof r->path);
        read_request(r, list->is_list ? json_array_get(root, (size_t)i) : root, &list->requests[i]);
    }
    if (r->status != LB_OK) {
        lb_cli_free_requests(list);
    }
    return r->status;
}

lb_status lb_cli_parse_requests(const lb_cli_input *input, bool state, const lb_report *report,
                                lb_cli_request_list *list)
{
    *list = (lb_cli_request_list){.file = input->file, .root = state ? "state" : "request"};
    json_t *root;
    const lb_status parsed = parse_text(input, report, &root);
    list->document = root;
    if (parsed < 0) {
        return parsed;
    }
    list->is_list = !state && json_is_array((json_t *)list->document);
    reader r = {.report = report, .file = input->file, .state_only = state, .status = LB_OK};
    return read_requests(&r, list);
}

lb_status lb_cli_parse_numbers(const lb_cli_input *input, const char *root, const lb_report *report,
                               lb_cli_numbers *numbers)
{
    *numbers = (lb_cli_numbers){0};
    json_t *document;
    const lb_status parsed = parse_text(input, report, &document);
    if (parsed < 0) {
        return parsed;
    }
    reader r = {.report = report, .file = input->file, .status = LB_OK};
    snprintf(r.path, sizeof r.path, "%s", root);
    read_numbers(&r, document, numbers);
    json_decref(document);
    if (r.status != LB_OK) {
        free(numbers->values);
        *numbers = (lb_cli_numbers){0};
    }
    return r.status;
}

void lb_cli_free_requests(lb_cli_request_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        lb_cli_request *request = &list->requests[i];
        free(request->q.values);
        free(request->v.values);
        free(request->tau.values);
        free(request->a.values);
        for (int k = 0; k < request->drive_count; ++k) {
            free(request->drives[k].accelerations.values);
        }
        free(request->drives);
        for (int k = 0; k < request->wrench_count; ++k) {
            free(request->wrenches[k].values.values);
        }
        free(request->wrenches);
        free(request->parameters.values);
    }
    free(list->requests);
    json_decref(list->document);
    memset(list, 0, sizeof *list);
}
