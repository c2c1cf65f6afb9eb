// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber import FILE... -o BODY.flex: a structure of a finite-element program as a body file, with a report.
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    lb_cli_names clamp, nodes;
    long *ids;
    lb_named_node *named;
    const char **files;
    lb_file_role *roles;
} request;

static bool read_nodes(request *r, lb_import_options *options)
{
    r->ids = lb_cli_calloc((size_t)r->clamp.count + 1, sizeof *r->ids);
    r->named = lb_cli_calloc((size_t)r->nodes.count + 1, sizeof *r->named);
    if (!r->ids || !r->named) {
        lb_cli_complain_of_memory();
        return false;
    }
    for (int i = 0; i < r->clamp.count; ++i) {
        if (!read_id("clamp", r->clamp.names[i], &r->ids[i])) {
            return false;
        }
    }
    for (int i = 0; i < r->nodes.count; ++i) {
        // NAME=NUMBER, or a number alone
        char *text = (char *)r->nodes.names[i], *equal = strchr(text, '=');
        if (equal) {
            *equal = '\0';
            r->named[i].name = text;
        }
        if (!read_id("nodes", equal ? equal + 1 : text, &r->named[i].id)) {
            return false;
        }
    }
    options->clamp = r->ids;
    options->clamp_count = r->clamp.count;
    options->nodes = r->named;
    options->node_count = r->nodes.count;
    return true;
}

static bool read_files(const lb_cli_arguments *arguments, request *r, lb_import_options *options)
{
    static const struct {
        const char *option;
        lb_file_role role;
    } roles[] = {
        {"stiffness", LB_FILE_STIFFNESS}, {"mass", LB_FILE_MASS}, {"damping", LB_FILE_DAMPING}};
    const size_t most = (size_t)arguments->count + 3;
    r->files = lb_cli_calloc(most, sizeof *r->files);
    r->roles = lb_cli_calloc(most, sizeof *r->roles);
    if (!r->files || !r->roles) {
        lb_cli_complain_of_memory();
        return false;
    }
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
    lb_imported *imported, *other; // other: what it is compared with, or NULL
    lb_comparison *comparison;
    json_t *report; // of the import, with a member "comparison" if there is one
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
    return status == LB_OK ? lb_compare_imported(a->imported, a->other, names, &a->comparison)
                           : status;
}

// Body files come from anywhere: their report may be damaged.
static bool parse_report(const char *file, answer *a)
{
    a->report = json_loads(lb_get_import_json(a->imported), 0, NULL);
    if (!a->report && lb_cli_lacks_memory()) {
        lb_cli_complain_of_memory();
        return false;
    }
    if (!json_is_object(a->report)) {
        if (lb_cli_lacks_memory()) {
            return false;
        }
        lb_cli_complain("%s: report_json is not a report: damaged; import again", file);
        return false;
    }
    if (a->comparison) {
        json_object_set_new(a->report, "comparison",
                            json_loads(lb_get_comparison_json(a->comparison), 0, NULL));
    }
    return !lb_cli_lacks_memory();
}

static bool write_page(const char *path, const char *name, const answer *a)
{
    lb_cli_output output;
    if (!lb_cli_open_output(path, &output)) {
        return false;
    }
    const bool good = lb_cli_write_import_page(output.stream, get_name(name), a->report,
                                               lb_get_imported_options(a->imported));
    return lb_cli_close_output(&output, good);
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
        printf("\n%s", lb_get_comparison_report(a->comparison));
    }
    fputs(out || page ? "\n" : "", stdout);
    if (out) {
        printf("Written to %s; in a model:  flex: {file: %s}\n", out, out);
    }
    if (page) {
        printf("Page: %s\n", page);
    }
}

static lb_status import(const lb_cli_arguments *arguments, const lb_import_options *options,
                        answer *a)
{
    const char *out = lb_cli_get_option(arguments, "output"),
               *other = lb_cli_get_option(arguments, "compare");
    int error_count = 0;
    const lb_report report = lb_cli_make_report(&error_count);
    lb_status status = lb_import_files(options, NULL, &report, &a->imported);
    if (status == LB_OK && other) {
        status = compare(options, other, &report, a);
    }
    if (status == LB_OK && out) {
        const lb_report complaint = lb_cli_make_complaint();
        status = lb_save_imported(a->imported, out, &complaint);
        error_count += status == LB_E_FILE;
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
    answer a = {0};
    const bool good = import(arguments, options, &a) == LB_OK &&
                      parse_report(options->files[0], &a) &&
                      (!page || write_page(page, out ? out : options->files[0], &a));
    if (good) {
        print(arguments, &a);
    }
    json_decref(a.report);
    lb_destroy_comparison(a.comparison);
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
        lb_cli_read_names(arguments, "nodes", &r.nodes) && read_nodes(&r, &options) &&
        read_files(arguments, &r, &options)) {
        result = answer_request(arguments, &options);
    }
    lb_cli_free_names(&r.clamp);
    lb_cli_free_names(&r.nodes);
    free(r.ids);
    free(r.named);
    free((void *)r.files);
    free(r.roles);
    return result;
}
