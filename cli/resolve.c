// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "resolve.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "console.h"
#include "suggest.h"

typedef struct resolver {
    const lb_model *model;
    const char *file;
    char path[32]; // of the request at hand
    int error_count;
} resolver;

// An error at a key of the request, such as ".q".
__attribute__((format(printf, 3, 4))) static void refuse(resolver *r, const char *key,
                                                         const char *format, ...)
{
    char path[160], message[512];
    snprintf(path, sizeof path, "%s%s", r->path, key);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const lb_diagnostic diagnostic = {
        sizeof diagnostic, LB_SEVERITY_ERROR, r->file, 0, 0, path, message};
    lb_cli_print_diagnostic(&diagnostic);
    ++r->error_count;
}

static void check_length(resolver *r, const char *key, const lb_cli_numbers *numbers, int count)
{
    if (numbers->values && numbers->count != count) {
        refuse(r, key, "%d numbers given, expected %d", numbers->count, count);
    }
}

// Makes quaternions unit where they almost are.
static void check_configuration(resolver *r, lb_cli_numbers *numbers)
{
    int index = 0;
    if (!numbers->values || numbers->count != lb_get_q_count(r->model) ||
        lb_normalize_configuration(r->model, 1e-6, numbers->values, &index) >= 0) {
        return;
    }
    // whose entry it is
    for (int body = 0; body < lb_get_body_count(r->model); ++body) {
        const int start = lb_get_q_offset(r->model, body) + lb_get_mode_count(r->model, body);
        if (index < start || index >= start + lb_get_hinge(r->model, body).q_count) {
            continue;
        }
        const double *p = &numbers->values[start];
        char key[32];
        snprintf(key, sizeof key, ".q[%d]", start);
        refuse(r, key, "the quaternion of body '%.60s' has length %.9g, expected 1 within 1e-6",
               lb_get_body_name(r->model, body),
               sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]));
        return;
    }
    refuse(r, ".q", "entry %d is not acceptable", index);
}

static void refuse_body(resolver *r, const char *key, const char *name)
{
    lb_cli_suggestion suggestion = {.word = name};
    for (int body = LB_GROUND; body < lb_get_body_count(r->model); ++body) {
        lb_cli_offer(&suggestion, lb_get_body_name(r->model, body));
    }
    if (suggestion.best) {
        refuse(r, key, "the model has no body '%.60s'; did you mean '%.60s'?", name,
               suggestion.best);
    } else {
        refuse(r, key, "the model has no body '%.60s'", name);
    }
}

// @param key  of the node: ".at"
static void resolve_node(resolver *r, const char *key, lb_cli_node *at)
{
    char path[64];
    if (!at->body) {
        return;
    }
    const int body = lb_find_body(r->model, at->body);
    at->body_index = body;
    if (body < LB_GROUND) {
        snprintf(path, sizeof path, "%s.body", key);
        refuse_body(r, path, at->body);
        return;
    }
    at->node_index = at->node ? lb_find_node(r->model, body, at->node) : LB_NOT_FOUND;
    if (at->node_index < 0) {
        lb_cli_suggestion suggestion = {.word = at->node ? at->node : ""};
        for (int node = 0; node < lb_get_node_count(r->model, body); ++node) {
            lb_cli_offer(&suggestion, lb_get_node_name(r->model, body, node));
        }
        snprintf(path, sizeof path, "%s.node", key);
        refuse(r, path, "body '%.60s' has no node '%.60s'%s%.60s%s", at->body,
               at->node ? at->node : "", suggestion.best ? "; did you mean '" : "",
               suggestion.best ? suggestion.best : "", suggestion.best ? "'?" : "");
    }
}

static void resolve_wrenches(resolver *r, lb_cli_request *request)
{
    for (int i = 0; i < request->wrench_count; ++i) {
        char key[64];
        snprintf(key, sizeof key, ".wrenches[%d]", i);
        resolve_node(r, key, &request->wrenches[i].at);
        snprintf(key, sizeof key, ".wrenches[%d].wrench", i);
        check_length(r, key, &request->wrenches[i].values, 6);
    }
}

static void resolve_prescribed(resolver *r, lb_cli_request *request)
{
    for (int i = 0; i < request->drive_count; ++i) {
        lb_cli_drive *drive = &request->drives[i];
        char key[96];
        snprintf(key, sizeof key, ".prescribed.%.60s", drive->body);
        const int body = lb_find_body(r->model, drive->body);
        drive->body_index = body;
        if (body == LB_GROUND) {
            refuse(r, key, "the ground has no hinge to drive");
        } else if (body < 0) {
            refuse_body(r, key, drive->body);
        } else if (lb_get_hinge(r->model, body).v_count == 0) {
            refuse(r, key, "the hinge is %s: it has no motion to drive",
                   lb_get_hinge_type_name(lb_get_hinge(r->model, body).type));
        } else {
            check_length(r, key, &drive->accelerations, lb_get_hinge(r->model, body).v_count);
        }
    }
}

static void check_request(resolver *r, lb_cli_request *request)
{
    const int nv = lb_get_v_count(r->model);
    check_length(r, ".q", &request->q, lb_get_q_count(r->model));
    check_configuration(r, &request->q);
    check_length(r, ".v", &request->v, nv);
    check_length(r, ".tau", &request->tau, nv);
    check_length(r, request->is_qdd ? ".qdd" : ".a", &request->a, nv);
    resolve_node(r, ".at", &request->at);
    resolve_wrenches(r, request);
    resolve_prescribed(r, request);
}

static void check_parameters(resolver *r, const lb_document *document,
                             const lb_cli_values *parameters)
{
    for (int i = 0; i < parameters->count; ++i) {
        const lb_parameter_value *value = &parameters->values[i];
        lb_parameter known = {.size = sizeof known};
        lb_cli_suggestion suggestion = {.word = value->name};
        bool found = false;
        for (int k = 0; !found && lb_get_parameter(document, k, &known) == LB_OK; ++k) {
            found = strcmp(known.name, value->name) == 0;
            lb_cli_offer(&suggestion, known.name);
        }
        char key[96];
        snprintf(key, sizeof key, ".parameters.%.60s", value->name);
        if (!found) {
            refuse(r, key, "the model has no parameter '%.60s'%s%.60s%s", value->name,
                   suggestion.best ? "; did you mean '" : "",
                   suggestion.best ? suggestion.best : "", suggestion.best ? "'?" : "");
        }
    }
}

bool lb_cli_check_request(const lb_model *model, lb_cli_request_list *list, int index)
{
    resolver r = {.model = model, .file = list->file};
    lb_cli_format_request_path(list, index, r.path, sizeof r.path);
    check_request(&r, &list->requests[index]);
    return r.error_count == 0;
}

bool lb_cli_check_parameters(const lb_document *document, const lb_cli_request_list *list,
                             int index)
{
    resolver r = {.file = list->file};
    lb_cli_format_request_path(list, index, r.path, sizeof r.path);
    check_parameters(&r, document, &list->requests[index].parameters);
    return r.error_count == 0;
}

int lb_cli_load_requests(const lb_model *model, const char *path, bool state,
                         lb_cli_request_list *list)
{
    *list = (lb_cli_request_list){0};
    lb_cli_input input;
    if (!lb_cli_read_input(path, &input)) {
        return LB_CLI_USAGE;
    }
    const lb_report report = lb_cli_make_report(NULL);
    int status = lb_cli_end_input(&input, lb_cli_parse_requests(&input, state, &report, list));
    for (int i = 0; i < list->count; ++i) {
        // with other parameters, it is another model
        if (list->requests[i].parameters.count == 0 && !lb_cli_check_request(model, list, i)) {
            status = LB_CLI_USAGE;
        }
    }
    return status;
}
