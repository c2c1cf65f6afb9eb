// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A recorded run with the model that made it.
#include "view/recording.h"
#include "console.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "kept_files.h"
#include "output.h"
#include "suggest.h"
#include "view/replay.h"

enum { BLOCK = 256 }; // rows read at once

// ---- opening -------------------------------------------------------------------------------------

static int find_table(const lb_results *results, const char *name)
{
    const lb_results_info *info = lb_get_results_info(results);
    for (int i = 0; i < info->table_count; ++i) {
        if (strcmp(info->tables[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int count_columns(const lb_cli_recording *r, int table)
{
    return table < 0 ? 0 : lb_get_results_info(r->results)->tables[table].column_count;
}

static bool model_fits(const lb_cli_recording *r)
{
    return lb_get_q_count(r->model) == count_columns(r, r->q_table) &&
           (r->v_table < 0 || lb_get_v_count(r->model) == count_columns(r, r->v_table));
}

static void keep_first(void *user, const lb_diagnostic *d)
{
    lb_cli_recording *r = user;
    if (d->severity == LB_SEVERITY_ERROR && !r->why[0]) {
        snprintf(r->why, sizeof r->why, "%s:%d: %s%s%s", d->file ? d->file : "model", d->line,
                 d->path, d->path[0] ? ": " : "", d->message);
    }
}

static void drop_model(lb_cli_recording *r)
{
    lb_destroy_forces(r->forces);
    lb_destroy_work(r->work);
    lb_destroy_model(r->model);
    lb_destroy_document(r->document);
    r->forces = NULL;
    r->work = NULL;
    r->model = NULL;
    r->document = NULL;
}

// `name` is that of the recorded text, whose folder is where files are that it names.
static bool load_model(lb_cli_recording *r, const char *path, const char *name,
                       const lb_load_options *options)
{
    const lb_report report = {keep_first, r};
    const char *text = lb_get_results_info(r->results)->model;
    lb_status status = path ? lb_load_document(path, options, &report, &r->document)
                            : lb_load_document_text(text, strlen(text), name, LB_FORMAT_AUTO,
                                                    options, &report, &r->document);
    if (status >= 0) {
        lb_cli_note_document(r->document);
    }
    status = status < 0 ? status : lb_load_document_model(r->document, &report, &r->model);
    if (status >= 0 && !model_fits(r)) {
        if (!r->why[0]) {
            snprintf(r->why, sizeof r->why, "the model has %d coordinates, the results have %d",
                     lb_get_q_count(r->model), count_columns(r, r->q_table));
        }
        status = LB_E_MODEL;
    }
    status = status < 0 ? status : lb_load_forces(r->document, r->model, &report, &r->forces);
    r->work = status < 0 ? NULL : lb_create_work(r->model);
    status = status >= 0 && !r->work ? LB_E_MEMORY : status;
    if (status == LB_E_MEMORY) {
        lb_cli_run_out();
    }
    if (!r->work) {
        drop_model(r);
        if (!r->why[0]) {
            snprintf(r->why, sizeof r->why, "%s", lb_get_status_text(status));
        }
        return false;
    }
    lb_use_tree(r->work,
                true); // rows hold the motion with all loops: what it takes is a matter of the tree
    r->why[0] = 0;
    return true;
}

static void complain_of(const lb_cli_recording *r, const char *what)
{
    const char *message = lb_get_results_message(r->results);
    lb_cli_complain("cannot read %s: %s", what, message[0] ? message : "out of memory");
}

// All rows of one column.
static bool read_column(const lb_cli_recording *r, int table, int column, double *values)
{
    const int width = lb_get_results_info(r->results)->tables[table].column_count;
    double *block = lb_cli_malloc((size_t)width * BLOCK * sizeof *block);
    bool good = block != NULL;
    for (long row = 0; good && row < r->row_count; row += BLOCK) {
        const long count = row + BLOCK < r->row_count ? BLOCK : r->row_count - row;
        good = lb_read_table(r->results, table, row, count, block) >= 0;
        for (long i = 0; good && i < count; ++i) {
            values[row + i] = block[i * width + column];
        }
    }
    free(block);
    return good;
}

bool lb_cli_open_recording(const char *path, const char *model_path, const char *allow_files,
                           lb_cli_recording *r)
{
    lb_cli_message message;
    const lb_report report = lb_cli_keep_message(&message);
    *r = (lb_cli_recording){.model_path = model_path,
                            .allow_files = allow_files,
                            .q_table = -1,
                            .v_table = -1,
                            .a_table = -1};
    lb_cli_note_input(path);
    if (model_path) {
        lb_cli_note_input(model_path);
    }
    const lb_status status = lb_open_results(path, &report, &r->results);
    if ((status == LB_E_FILE || status == LB_E_SYNTAX) &&
        lb_open_damaged_results(path, NULL, &r->results) >= 0) {
        const char *damage = lb_get_results_info(r->results)->damage;
        const bool is_said = strstr(message.text, damage) != NULL;
        lb_cli_complain("%s; showing what can be read%s%s", message.text, is_said ? "" : ": ",
                        is_said ? "" : damage);
    } else if (status < 0) {
        lb_cli_complain("%s", message.text);
        return false;
    }
    r->row_count = lb_get_results_info(r->results)->row_count;
    r->q_table = find_table(r->results, "q");
    r->v_table = find_table(r->results, "v");
    r->a_table = find_table(r->results, "a");
    r->times = lb_cli_malloc(((size_t)r->row_count + 1) * sizeof *r->times);
    if (!r->times || !read_column(r, 0, 0, r->times)) {
        complain_of(r, "the times");
        lb_cli_close_recording(r);
        return false;
    }
    // whether a robot was run on a floating base is not in the text: the coordinates tell
    // files that it names are in the results, in the present folder, or in that of the results
    static const char plain[] = "the recorded model";
    const char *slash = strrchr(path, '/');
    char unpacked[2048] = "", beside[4096] = "";
    if (!model_path) {
        lb_cli_unpack_files(r->results, r->folder);
        snprintf(unpacked, sizeof unpacked, "%s%s%s", r->folder, r->folder[0] ? "/" : "", plain);
        snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, plain);
    }
    const char *const names[] = {unpacked, plain, beside};
    for (int way = 0; way < (model_path ? 4 : 12) && !r->model; ++way) {
        lb_load_options options = lb_default_load_options();
        options.floating_base = way & 1;
        options.keep_fixed = way >> 1 & 1;
        options.allow_files = allow_files;
        load_model(r, model_path, names[way / 4], &options);
    }
    return true;
}

bool lb_cli_open_asked_recording(const lb_cli_arguments *arguments, lb_cli_recording *recording)
{
    return lb_cli_open_recording(arguments->operands[0], lb_cli_get_option(arguments, "model"),
                                 lb_cli_get_option(arguments, "allow-files"), recording);
}

void lb_cli_close_recording(lb_cli_recording *r)
{
    drop_model(r);
    lb_cli_remove_scratch(r->folder);
    lb_close_results(r->results);
    free(r->times);
    r->results = NULL;
    r->times = NULL;
}

// ---- reading -------------------------------------------------------------------------------------

bool lb_cli_move_to_row(const lb_cli_recording *r, long row, double *q, double *v, double *a)
{
    return (r->q_table < 0 || lb_read_table(r->results, r->q_table, row, 1, q) >= 0) &&
           (!v || r->v_table < 0 || lb_read_table(r->results, r->v_table, row, 1, v) >= 0) &&
           (!a || r->a_table < 0 || lb_read_table(r->results, r->a_table, row, 1, a) >= 0) &&
           lb_compute_kinematics(r->model, r->work, q, v, r->a_table < 0 ? NULL : a) >= 0;
}

bool lb_cli_compute_signals(const lb_cli_recording *r, lb_signal *const *signals, size_t count,
                            long first, long row_count, double *values)
{
    const size_t q_count = (size_t)lb_get_q_count(r->model) + 1,
                 v_count = (size_t)lb_get_v_count(r->model) + 1;
    double *q = lb_cli_calloc(q_count + 2 * v_count, sizeof *q), *v = q ? q + q_count : NULL;
    bool good = q != NULL;
    for (long row = first; good && row < first + row_count; ++row) {
        good = lb_cli_move_to_row(r, row, q, v, v + v_count);
        const lb_instant instant = {.size = sizeof instant,
                                    .model = r->model,
                                    .work = r->work,
                                    .t = r->times[row],
                                    .q = q,
                                    .v = v,
                                    .a = r->a_table >= 0 ? v + v_count : NULL};
        for (size_t i = 0; good && i < count; ++i) {
            good = lb_evaluate_signal(signals[i], &instant, values++) >= 0;
        }
    }
    free(q);
    return good;
}

// A signal by its columns: under its name, without the quotes that columns do not have, or as the norm of
// three of them, such as loop/pin.force.norm.
static bool find_columns(const lb_cli_recording *r, const char *name, int *table, int columns[3],
                         int *count)
{
    char plain[LB_CLI_SIGNAL_SIZE];
    size_t length = 0;
    *count = 1;
    columns[0] = lb_find_column(r->results, name, table);
    if (columns[0] >= 0) {
        return true;
    }
    for (const char *c = name; *c && length + 1 < sizeof plain; ++c) {
        plain[length] = *c;
        length += *c != '\'';
    }
    plain[length] = 0;
    columns[0] = lb_find_column(r->results, plain, table);
    if (columns[0] >= 0) {
        return true;
    }
    char *dot = strrchr(plain, '.');
    bool found = dot && strcmp(dot, ".norm") == 0;
    for (*count = 0; found && *count < 3; ++*count) {
        dot[1] = (char)('x' + *count);
        dot[2] = 0;
        columns[*count] = lb_find_column(r->results, plain, table);
        found = columns[*count] >= 0;
    }
    return found;
}

// Keeps what is wrong with a signal.
static void note(void *why, const lb_diagnostic *diagnostic)
{
    snprintf(why, 256, "%s", diagnostic->message);
}

bool lb_cli_is_recorded(const lb_cli_recording *r, const char *name)
{
    int table, columns[3], count;
    return find_columns(r, name, &table, columns, &count);
}

bool lb_cli_has_signal(const lb_cli_recording *r, const char *name, char why[256])
{
    if (r->results && lb_cli_is_recorded(r, name)) {
        return true;
    }
    if (!r->forces) {
        return true; // the model has errors, which are said elsewhere
    }
    lb_signal *signal;
    const lb_report report = {note, why};
    snprintf(why, 256, "there is no such signal");
    const lb_status status =
        lb_compile_signal(r->model, lb_get_force_signals(r->forces), name, &report, &signal);
    if (status == LB_E_MEMORY) {
        lb_cli_run_out();
    }
    bool good = status >= 0;
    if (good && r->results) {
        // the first row tells: what a signal needs is the same at all of them
        double value;
        good = (r->a_table >= 0 || lb_get_signal_stage(signal) < LB_SIGNAL_ACCELERATION) &&
               lb_cli_compute_signals(r, &signal, 1, 0, r->row_count > 0, &value);
        snprintf(why, 256,
                 "it is not recorded and does not follow from the recorded states: list it under "
                 "`outputs` and run again");
    }
    lb_destroy_signal(status >= 0 ? signal : NULL);
    return good;
}

bool lb_cli_is_expression(const char *text)
{
    bool quoted = false, dotted = false;
    int depth = 0;
    if (*text && strchr("(-0123456789", *text)) {
        return true;
    }
    for (const char *c = text; *c; ++c) {
        quoted = quoted != (*c == '\'');
        depth += quoted ? 0 : (*c == '(') - (*c == ')');
        dotted = dotted || (!quoted && depth == 0 && *c == '.');
        if (!quoted && depth == 0 && (strchr("+*^<> ", *c) || (dotted && strchr("-/", *c)))) {
            return true;
        }
    }
    return false;
}

// Compiles a signal, or an expression as a named signal that nobody else knows.
//
// @param why  out: what is wrong
static lb_status compile(const lb_cli_recording *r, const char *text, char why[256],
                         lb_signal **signal)
{
    lb_signals *named = lb_get_force_signals(r->forces);
    const lb_report report = {note, why};
    lb_status status = lb_compile_signal(r->model, named, text, &report, signal);
    const bool is_more = lb_cli_is_expression(text);
    if (status != LB_E_SYNTAX || (!is_more && !strchr(text, '('))) {
        return status;
    }
    char name[40];
    lb_signal_options options = lb_default_signal_options();
    snprintf(name, sizeof name, "asked_%d", lb_get_signal_count(named));
    options.name = name;
    options.expression = text;
    status = lb_add_signal(named, &options, NULL);
    if (status < 0) {
        // keep_first has heard it: "model:0: signals.asked_3: the sentence"
        const char *said = strstr(r->why, name);
        snprintf(why, is_more && said ? 256 : 0, "%s", said ? said + strlen(name) + 2 : "");
        return status == LB_E_MEMORY ? status : LB_E_SYNTAX;
    }
    return lb_compile_signal(r->model, named, name, &report, signal);
}

// A signal at all rows. False after saying why; main speaks of memory.
static bool compute_signal(const lb_cli_recording *r, const char *name, lb_signal *signal,
                           double *values)
{
    const bool needs_a = lb_get_signal_stage(signal) == LB_SIGNAL_ACCELERATION;
    if (needs_a && r->a_table < 0 && lb_get_v_count(r->model) > 0) {
        lb_cli_complain("'%s' depends on accelerations, of which this file has no table", name);
        return false;
    }
    if (lb_cli_compute_signals(r, &signal, 1, 0, r->row_count, values)) {
        return true;
    }
    // reactions and sections: with all that acts
    if (needs_a && lb_get_loop_capacity(r->model) == 0) {
        return lb_cli_compute_load(r, name, signal, values);
    }
    const char *message = lb_get_results_message(r->results);
    lb_cli_complain("cannot compute '%s' from the recorded states%s%s", name,
                    message[0] ? ": " : "", message);
    return false;
}

int lb_cli_read_signal(const lb_cli_recording *r, const char *name, double *values)
{
    const lb_results_info *info = lb_get_results_info(r->results);
    int table, columns[3], count;
    if (find_columns(r, name, &table, columns, &count)) {
        double *one = count > 1 ? lb_cli_calloc((size_t)r->row_count + 1, sizeof *one) : NULL;
        bool good = read_column(r, table, columns[0], values) && (count == 1 || one);
        for (int i = 1; good && i < count; ++i) {
            good = read_column(r, table, columns[i], one);
            for (long row = 0; good && row < r->row_count; ++row) {
                values[row] = hypot(values[row], one[row]);
            }
        }
        free(one);
        if (!good) {
            complain_of(r, name);
        }
        return good ? LB_CLI_DONE : LB_CLI_FAILED;
    }
    lb_signal *signal;
    char why[256] = "";
    const lb_status status = r->model ? compile(r, name, why, &signal) : LB_E_MODEL;
    if (status == LB_E_MEMORY) {
        lb_cli_run_out();
        return LB_CLI_FAILED;
    }
    if (status >= 0) {
        const bool good = compute_signal(r, name, signal, values);
        lb_destroy_signal(signal);
        return good ? LB_CLI_DONE : LB_CLI_FAILED;
    }
    lb_cli_suggestion suggestion = {.word = name};
    for (int i = 0; i < info->table_count; ++i) {
        for (int j = 0; j < info->tables[i].column_count; ++j) {
            lb_cli_offer(&suggestion, info->tables[i].columns[j]);
        }
    }
    if (suggestion.best && !lb_cli_is_expression(name)) {
        lb_cli_complain("no signal '%s'; did you mean '%s'?", name, suggestion.best);
    } else {
        lb_cli_complain("no signal '%s': %s", name,
                        why[0] ? why : "'limber results' lists what is recorded");
    }
    if (!r->model) {
        lb_cli_complain("what is not recorded cannot be computed without the model: %s", r->why);
    }
    return LB_CLI_USAGE;
}
