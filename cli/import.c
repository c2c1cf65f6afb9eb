// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber import FILE... -o BODY.flex: a structure of a finite-element program as a body file, with a report.
#define _POSIX_C_SOURCE 200809L // isatty
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "import_page.h"
#include "limber/import.h"
#include "output.h"

// ---- units -------------------------------------------------------------------------------------

typedef struct unit {
    const char *name;
    double size; // in m, kg or s
} unit;

static const unit lengths[] = {{"m", 1},    {"mm", 1e-3},   {"cm", 1e-2},   {"um", 1e-6},
                               {"km", 1e3}, {"in", 0.0254}, {"ft", 0.3048}, {NULL, 0}};
static const unit masses[] = {{"kg", 1},
                              {"g", 1e-3},
                              {"mg", 1e-6},
                              {"t", 1e3},
                              {"lb", 0.45359237},
                              {"slug", 0.45359237 * 9.80665 / 0.3048},
                              {"slinch", 0.45359237 * 9.80665 / 0.0254},
                              {NULL, 0}};
static const unit times[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {NULL, 0}};

static bool read_unit(const char *what, const char *text, const unit *units, double *size)
{
    for (const unit *u = units; u->name; ++u) {
        if (strcmp(u->name, text) == 0) {
            *size = u->size;
            return true;
        }
    }
    char *end;
    *size = strtod(text, &end);
    if (end != text && !*end && *size > 0.0 && isfinite(*size)) {
        return true;
    }
    char known[128] = "";
    for (const unit *u = units; u->name; ++u) {
        strcat(strcat(known, u->name), ", ");
    }
    lb_cli_complain("import: --units: '%s' found for %s, expected %sor a number (in SI units)",
                    text, what, known);
    return false;
}

static bool read_units(const lb_cli_arguments *arguments, lb_import_options *options)
{
    lb_cli_names names = {0};
    bool good = lb_cli_read_names(arguments, "units", &names);
    if (good && names.count != 0 && names.count != 3) {
        lb_cli_complain("import: --units: %d units found, expected length, mass and time, such as "
                        "mm,t,s",
                        names.count);
        good = false;
    }
    if (good && names.count == 3) {
        good = read_unit("length", names.names[0], lengths, &options->length) &&
               read_unit("mass", names.names[1], masses, &options->mass) &&
               read_unit("time", names.names[2], times, &options->time);
    }
    lb_cli_free_names(&names);
    return good;
}

// ---- nodes and files ---------------------------------------------------------------------------

static bool read_id(const char *option, const char *text, long *id)
{
    char *end;
    *id = strtol(text, &end, 10);
    if (end == text || *end) {
        lb_cli_complain("import: --%s: '%s' found, expected the number of a node", option, text);
        return false;
    }
    return true;
}

// What the options point to.
typedef struct request {
    lb_cli_names clamp, nodes, interfaces, residuals, geometric;
    lb_geometric_file *loads;
    long *ids;
    const char **held;
    lb_named_node *named;
    lb_tied_node *ties;
    double (*positions)[3];
    const char **files;
    lb_file_role *roles;
} request;

// @X:Y:Z behind a set: where its node is.
static bool read_position(char *text, double position[3])
{
    for (int k = 0; k < 3; ++k) {
        char *end;
        position[k] = strtod(text, &end);
        if (end == text || *end != (k < 2 ? ':' : '\0') || !isfinite(position[k])) {
            return false;
        }
        text = end + 1;
    }
    return true;
}

// NAME=rigid:SET[@X:Y:Z] or NAME=average:SET[@X:Y:Z].
static bool read_tie(const char *name, char *text, double position[3], lb_tied_node *tie)
{
    char *colon = strchr(text, ':'), *at = strchr(text, '@');
    *tie = lb_default_tied_node();
    tie->name = name;
    tie->set = colon + 1;
    tie->tie = strncmp(text, "rigid:", 6) == 0 ? LB_TIE_RIGID : LB_TIE_AVERAGE;
    if (at) {
        *at = '\0';
        tie->position = position;
        if (!read_position(at + 1, position)) {
            lb_cli_complain("import: --nodes: '%s' found, expected a place such as 0:0:25", at + 1);
            return false;
        }
    }
    return true;
}

// Whether a text is a number of a node or a name that --nodes gives.
static bool check_node(const char *option, const char *text, const lb_import_options *options)
{
    char *end;
    strtol(text, &end, 10);
    bool is_known = end != text && !*end;
    for (int i = 0; i < options->node_count; ++i) {
        is_known =
            is_known || (options->nodes[i].name && strcmp(options->nodes[i].name, text) == 0);
    }
    for (int i = 0; i < options->tie_count; ++i) {
        is_known = is_known || strcmp(options->ties[i].name, text) == 0;
    }
    if (!is_known) {
        lb_cli_complain("import: --%s: '%s' found, expected the number of a node or a name of "
                        "--nodes",
                        option, text);
    }
    return is_known;
}

static bool check_nodes(const char *option, const lb_cli_names *names,
                        const lb_import_options *options)
{
    bool good = true;
    for (int i = 0; good && i < names->count; ++i) {
        good = check_node(option, names->names[i], options);
    }
    return good;
}

static bool read_nodes(request *r, lb_import_options *options)
{
    const size_t count = (size_t)r->nodes.count + 1;
    r->ids = lb_cli_calloc((size_t)r->clamp.count + 1, sizeof *r->ids);
    r->held = lb_cli_calloc((size_t)r->clamp.count + 1, sizeof *r->held);
    r->named = lb_cli_calloc(count, sizeof *r->named);
    r->ties = lb_cli_calloc(count, sizeof *r->ties);
    r->positions = lb_cli_calloc(count, sizeof *r->positions);
    options->nodes = r->named;
    options->ties = r->ties;
    for (int i = 0; i < r->nodes.count; ++i) {
        // NAME=NUMBER, NAME=TIE:SET, or a number alone
        char *text = (char *)r->nodes.names[i], *equal = strchr(text, '=');
        lb_named_node *node = &r->named[options->node_count];
        if (equal) {
            *equal = '\0';
        }
        if (equal &&
            (strncmp(equal + 1, "rigid:", 6) == 0 || strncmp(equal + 1, "average:", 8) == 0)) {
            if (!read_tie(text, equal + 1, r->positions[i], &r->ties[options->tie_count++])) {
                return false;
            }
            continue;
        }
        node->name = equal ? text : NULL;
        if (!read_id("nodes", equal ? equal + 1 : text, &node->id)) {
            return false;
        }
        ++options->node_count;
    }
    options->clamp = r->ids;
    options->held = r->held;
    for (int i = 0; i < r->clamp.count; ++i) {
        const char *text = r->clamp.names[i];
        char *end;
        const long id = strtol(text, &end, 10);
        if (end != text && !*end) {
            r->ids[options->clamp_count++] = id;
        } else if (check_node("clamp", text, options)) {
            r->held[options->held_count++] = text;
        } else {
            return false;
        }
    }
    options->interfaces = r->interfaces.names;
    options->interface_count = r->interfaces.count;
    options->residuals = r->residuals.names;
    options->residual_count = r->residuals.count;
    return check_nodes("interface", &r->interfaces, options) &&
           check_nodes("residual", &r->residuals, options);
}

static bool read_loads(request *r, lb_import_options *options)
{
    r->loads = lb_cli_calloc((size_t)r->geometric.count + 1, sizeof *r->loads);
    for (int i = 0; i < r->geometric.count; ++i) {
        char *text = (char *)r->geometric.names[i], *equal = strchr(text, '=');
        if (!equal || !equal[1]) {
            lb_cli_complain("import: --geometric: '%s' found, expected LOAD=FILE, such as "
                            "ax=blade_ax.mtx",
                            text);
            return false;
        }
        *equal = '\0';
        r->loads[i] = (lb_geometric_file){text, equal + 1};
        lb_cli_note_input(equal + 1);
    }
    options->geometric = r->loads;
    options->geometric_count = r->geometric.count;
    return true;
}

static bool read_files(const lb_cli_arguments *arguments, request *r, lb_import_options *options)
{
    static const struct {
        const char *option;
        lb_file_role role;
    } roles[] = {{"stiffness", LB_FILE_STIFFNESS},
                 {"mass", LB_FILE_MASS},
                 {"damping", LB_FILE_DAMPING},
                 {"rows", LB_FILE_ROWS}};
    const size_t most = (size_t)arguments->count + sizeof roles / sizeof *roles;
    r->files = lb_cli_calloc(most, sizeof *r->files);
    r->roles = lb_cli_calloc(most, sizeof *r->roles);
    int count = 0;
    for (int i = 0; i < arguments->count; ++i) {
        r->files[count++] = arguments->operands[i];
    }
    for (size_t i = 0; i < sizeof roles / sizeof *roles; ++i) {
        const char *file = lb_cli_get_option(arguments, roles[i].option);
        if (file) {
            r->roles[count] = roles[i].role;
            r->files[count++] = file;
        }
    }
    if (count == 0) {
        lb_cli_complain("import: no files given; see limber help import");
        return false;
    }
    for (int i = 0; i < count; ++i) {
        lb_cli_note_input(r->files[i]);
    }
    options->files = r->files;
    options->roles = r->roles;
    options->file_count = count;
    return true;
}

static bool read_limits(const lb_cli_arguments *arguments, lb_import_options *options)
{
    const char *modes = lb_cli_get_option(arguments, "modes"),
               *below = lb_cli_get_option(arguments, "below");
    char *end;
    if (modes) {
        const long count = strtol(modes, &end, 10);
        if (end == modes || *end || count < 1 || count > 4096) {
            lb_cli_complain("import: --modes: '%s' found, expected a number from 1 to 4096", modes);
            return false;
        }
        options->mode_count = (int)count;
    }
    if (below) {
        options->below = strtod(below, &end);
        if (end == below || *end || !(options->below > 0.0) || !isfinite(options->below)) {
            lb_cli_complain("import: --below: '%s' found, expected a frequency in Hz", below);
            return false;
        }
    }
    return true;
}

// ---- the command -------------------------------------------------------------------------------

// What one command makes.
typedef struct answer {
    lb_imported *imported, *other;      // other: what it is compared with, or NULL
    char *comparison, *comparison_json; // NULL without --compare
    json_t *report;                     // of the import, with a member "comparison" if there is one
} answer;

static bool check_outputs(const char *out, const char *page)
{
    if (out && page && strcmp(out, page) == 0) {
        lb_cli_complain("import: --output and --page name the same file");
        return false;
    }
    return (!out || lb_cli_check_output(out)) && (!page || lb_cli_check_output(page));
}

static const char *get_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static lb_status compare(const lb_import_options *options, const char *path,
                         const lb_report *report, answer *a)
{
    lb_import_options other = lb_default_import_options();
    other.files = &path;
    other.file_count = 1;
    const char *const names[2] = {get_name(options->files[0]), get_name(path)};
    const lb_status status = lb_import_files(&other, NULL, report, &a->other);
    return status == LB_OK ? lb_compare_imported(a->imported, a->other, names, &a->comparison,
                                                 &a->comparison_json)
                           : status;
}

// Body files come from anywhere: their report may be damaged.
static bool parse_report(const char *file, answer *a)
{
    a->report = json_loads(lb_get_import_json(a->imported), 0, NULL);
    if (!json_is_object(a->report)) {
        lb_cli_complain("%s: report_json is not a report: damaged; import again", file);
        return false;
    }
    if (a->comparison) {
        json_object_set_new(a->report, "comparison", json_loads(a->comparison_json, 0, NULL));
    }
    return true;
}

static bool write_page(const char *path, const char *name, const answer *a)
{
    lb_cli_output output;
    if (!lb_cli_open_output(path, &output)) {
        return false;
    }
    output.is_told = true;
    lb_cli_write_import_page(output.stream, get_name(name), a->report,
                             lb_get_imported_options(a->imported));
    return lb_cli_close_output(&output, true);
}

static void print(const lb_cli_arguments *arguments, const answer *a)
{
    const char *out = lb_cli_get_option(arguments, "output"),
               *page = lb_cli_get_option(arguments, "page");
    if (page && strcmp(page, "-") == 0) {
        return;
    }
    if (lb_cli_get_option(arguments, "json")) {
        if (a->comparison) {
            json_dumpf(a->report, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
            fputc('\n', stdout);
        } else {
            fputs(lb_get_import_json(a->imported), stdout);
        }
        return;
    }
    fputs(lb_get_import_report(a->imported), stdout);
    if (a->comparison) {
        printf("\n%s", a->comparison);
    }
    fputs(out || page ? "\n" : "", stdout);
    if (out) {
        printf("Written to %s; in a model:  flex: {file: %s}\n", out, out);
    }
    if (page) {
        printf("Page: %s\n", page);
    }
}

// ---- progress and Ctrl-C ------------------------------------------------------------------------

// The line of progress on a terminal, and the report that gets lines of its own.
typedef struct watch {
    bool is_visible;
    const lb_report *report;
} watch;

static int show_progress(void *user, const char *what, double done)
{
    const watch *w = user;
    if (w->is_visible) {
        fprintf(stderr, "\r%s %3.0f %%    ", what, 100.0 * done);
        fflush(stderr);
    }
    return lb_cli_is_interrupted();
}

static void clear_progress(const watch *w)
{
    if (w->is_visible) {
        fprintf(stderr, "\r%30s\r", "");
        fflush(stderr); // before what goes to standard output
    }
}

static void report_below(void *user, const lb_diagnostic *diagnostic)
{
    const watch *w = user;
    clear_progress(w);
    w->report->emit(w->report->user, diagnostic);
}

// Reads files with a line of progress on a terminal.
static lb_status import_watched(const lb_import_options *options, const lb_report *report,
                                answer *a)
{
    watch w = {isatty(STDERR_FILENO) && lb_cli_get_volume() >= 0, report};
    const lb_report below = {report_below, &w};
    lb_import_options watched = *options;
    watched.progress = show_progress;
    watched.user = &w;
    lb_cli_catch_interrupts();
    const lb_status status = lb_import_files(&watched, NULL, &below, &a->imported);
    clear_progress(&w);
    return status;
}

static lb_status import(const lb_cli_arguments *arguments, const lb_import_options *options,
                        answer *a)
{
    const char *out = lb_cli_get_option(arguments, "output"),
               *other = lb_cli_get_option(arguments, "compare");
    int error_count = 0;
    const lb_report report = lb_cli_make_report(&error_count);
    lb_status status = import_watched(options, &report, a);
    if (status == LB_E_CALLBACK) {
        lb_cli_complain("import: interrupted; nothing was written");
        return status;
    }
    if (status == LB_OK && other) {
        status = compare(options, other, &report, a);
    }
    if (status == LB_OK && out) {
        const lb_report complaint = lb_cli_make_complaint();
        status = lb_save_imported(a->imported, out, &complaint);
        error_count += status == LB_E_FILE || status == LB_E_MODEL;
        if (status == LB_E_ARGUMENT) {
            lb_cli_complain("import: %s is a body file already", options->files[0]);
            ++error_count;
        }
    }
    if (status != LB_OK && error_count == 0) {
        lb_cli_complain("import: %s", lb_get_status_text(status));
    }
    return status;
}

static int answer_request(const lb_cli_arguments *arguments, const lb_import_options *options)
{
    const char *page = lb_cli_get_option(arguments, "page"),
               *other = lb_cli_get_option(arguments, "compare");
    if (other) {
        lb_cli_note_input(other);
    }
    const char *out = lb_cli_get_option(arguments, "output");
    if (!check_outputs(out, page)) {
        return LB_CLI_FAILED;
    }
    if (!lb_cli_check_ending(arguments, "output", out, ".flex") ||
        !lb_cli_check_ending(arguments, "page", page, ".html .htm")) {
        return LB_CLI_USAGE;
    }
    answer a = {0};
    const bool good = import(arguments, options, &a) == LB_OK &&
                      parse_report(options->files[0], &a) &&
                      (!page || write_page(page, out ? out : options->files[0], &a));
    if (good) {
        print(arguments, &a);
    }
    json_decref(a.report);
    free(a.comparison);
    free(a.comparison_json);
    lb_destroy_imported(a.other);
    lb_destroy_imported(a.imported);
    return good ? LB_CLI_DONE : LB_CLI_FAILED;
}

int lb_cli_run_import(const lb_cli_arguments *arguments)
{
    request r = {0};
    lb_import_options options = lb_default_import_options();
    int result = LB_CLI_USAGE;
    if (read_units(arguments, &options) && read_limits(arguments, &options) &&
        lb_cli_read_names(arguments, "clamp", &r.clamp) &&
        lb_cli_read_names(arguments, "geometric", &r.geometric) && read_loads(&r, &options) &&
        lb_cli_read_names(arguments, "nodes", &r.nodes) &&
        lb_cli_read_names(arguments, "interface", &r.interfaces) &&
        lb_cli_read_names(arguments, "residual", &r.residuals) && read_nodes(&r, &options) &&
        read_files(arguments, &r, &options)) {
        result = answer_request(arguments, &options);
    }
    lb_cli_free_names(&r.clamp);
    lb_cli_free_names(&r.nodes);
    lb_cli_free_names(&r.geometric);
    free(r.loads);
    lb_cli_free_names(&r.interfaces);
    lb_cli_free_names(&r.residuals);
    free(r.ids);
    free((void *)r.held);
    free(r.named);
    free(r.ties);
    free(r.positions);
    free((void *)r.files);
    free(r.roles);
    return result;
}
