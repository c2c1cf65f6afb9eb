// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber run MODEL: integrates a model in time, records it, and prints an audit.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "kept_files.h"
#include "limber/events.h"
#include "limber/results.h"
#include "output.h"
#include "results_out.h"
#include "row_check.h"
#include "setup.h"

// ---- progress and Ctrl-C -------------------------------------------------------------------------

typedef struct watch {
    bool visible;
    double start, last; // wall time
    double from;        // simulated time at the first call; negative before
} watch;

static int show_progress(void *user, double t, double duration)
{
    watch *w = user;
    if (lb_cli_is_interrupted()) {
        return 1;
    }
    if (!w->visible) {
        return 0;
    }
    const double now = lb_get_wall_time();
    if (w->from < 0.0) {
        w->from = t;
        w->start = w->last = now;
    }
    if (now - w->last < 0.2) {
        return 0;
    }
    w->last = now;
    const double done = t - w->from,
                 left = done > 0.0 ? (now - w->start) / done * (duration - t) : 0.0;
    fprintf(stderr, "\rt = %.6g of %.6g s, %3.0f %%, %.0f s left    ", t, duration,
            100.0 * t / duration, ceil(left));
    fflush(stderr);
    return 0;
}

// The line of progress makes room for what comes.
static void clear_progress(const watch *w)
{
    if (w->visible && w->last > w->start) {
        fprintf(stderr, "\r%70s\r", "");
        fflush(stderr); // before what goes to standard output
    }
}

// ---- options -------------------------------------------------------------------------------------

static bool read_options(const lb_cli_arguments *arguments, lb_simulation *simulation)
{
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(simulation, &o);
    const char *integrator = lb_cli_get_option(arguments, "integrator");
    double tolerance;
    if (integrator) {
        const lb_integrator before = o.integrator;
        const int found = lb_find_integrator(integrator);
        if (found == LB_NOT_FOUND) {
            lb_cli_complain(
                "run: --integrator: '%s' given, expected erk, adams, bdf, rk4, euler or "
                "alpha",
                integrator);
            return false;
        }
        o.integrator = (lb_integrator)found;
        o.order = o.integrator == before ? o.order : 0; // the file's is for its own
    }
    const char *algorithm = lb_cli_get_option(arguments, "algorithm");
    if (algorithm) {
        const int found = lb_find_algorithm(algorithm);
        if (found == LB_NOT_FOUND) {
            lb_cli_complain(
                "run: --algorithm: '%s' given, expected articulated or divide-and-conquer",
                algorithm);
            return false;
        }
        o.algorithm = (lb_algorithm)found;
    }
    if (!lb_cli_get_number(arguments, "duration", 0, 1e12, o.duration, &o.duration) ||
        !lb_cli_get_number(arguments, "tolerance", 1e-15, 0.1, -1.0, &tolerance) ||
        !lb_cli_get_number(arguments, "step", 0, 1e6, o.step, &o.step)) {
        return false;
    }
    if (lb_cli_get_option(arguments, "step") && !lb_is_fixed_step(o.integrator)) {
        lb_cli_complain(
            "run: --step does nothing here: %s chooses its steps; --integrator alpha, rk4 "
            "or euler takes it",
            lb_get_integrator_name(o.integrator));
    }
    if (tolerance > 0.0) {
        o.relative_tolerance = tolerance;
        o.absolute_tolerance = 0.0; // the file's goes with its own
        o.absolute_modes = o.absolute_angles = o.absolute_lengths = 0.0;
        o.absolute_mode_rates = o.absolute_rates = o.absolute_velocities = 0.0;
    }
    o.allow_programs = lb_cli_get_option(arguments, "allow-programs") != NULL;
    o.allow_plugins = lb_cli_get_option(arguments, "allow-plugins") != NULL;
    if (lb_set_run_options(simulation, &o) < 0) {
        lb_cli_complain("run: %s", lb_cli_get_message(simulation));
        return false;
    }
    return true;
}

static const char *get_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// arm.yaml gives arm.h5.
static char *replace_ending(const char *path)
{
    const char *base = get_base(path), *dot = strrchr(base, '.');
    const size_t length = dot && dot > base ? (size_t)(dot - path) : strlen(path);
    char *name = lb_cli_malloc(length + 4);
    memcpy(name, path, length);
    memcpy(name + length, ".h5", 4);
    return name;
}

// A path with another ending: arm.h5 gives arm.csv.
static char *make_csv_name(const char *path)
{
    const size_t length = strlen(path);
    const bool ends = lb_cli_ends_in(path, ".h5");
    char *name = lb_cli_malloc(length + 5);
    memcpy(name, path, length);
    memcpy(name + length - (ends ? 3 : 0), ".csv", 5);
    return name;
}

// CSV is wanted beside the results: --csv, or -o FILE.csv.
static bool wants_csv(const lb_cli_arguments *arguments)
{
    const char *asked = lb_cli_get_option(arguments, "output");
    return lb_cli_get_option(arguments, "csv") || (asked && lb_cli_ends_in(asked, ".csv"));
}

// Whether nothing that the run writes is something that it reads, and the name says what it is. An exit status.
static int check_outputs(const lb_cli_arguments *arguments, const char *path)
{
    char *csv = make_csv_name(path);
    const bool good =
        lb_cli_check_results(path) && (!wants_csv(arguments) || lb_cli_check_output(csv));
    free(csv);
    return !good ? LB_CLI_FAILED
           : lb_cli_check_ending(arguments, "output", lb_cli_get_option(arguments, "output"),
                                 ".h5 .hdf5 .csv")
               ? LB_CLI_DONE
               : LB_CLI_USAGE;
}

static bool write_csv(const char *path, bool says)
{
    char *name = make_csv_name(path);
    lb_results *results = NULL;
    const lb_report report = lb_cli_make_complaint();
    bool good = lb_open_results(path, &report, &results) >= 0;
    if (good) {
        lb_cli_output output;
        good = lb_cli_open_output(name, &output);
        output.is_told = !says;
        good = good &&
               lb_cli_close_output(&output, lb_cli_print_columns(output.stream, results, NULL, 0));
    }
    lb_close_results(results);
    free(name);
    return good;
}

// ---- the run -------------------------------------------------------------------------------------

// Events that have not happened, and why.
static void print_absent_events(const lb_simulation *simulation)
{
    enum { MOST = 100 };
    int absent = 0;
    const char *name;
    for (int i = 0; (name = lb_get_event_name(simulation, i)) != NULL; ++i) {
        char why[160];
        if (!lb_describe_absence(simulation, i, why, sizeof why) || ++absent > MOST) {
            continue;
        }
        fputs("did not happen    ", stdout);
        lb_cli_put_text(stdout, name);
        printf(": %s\n", why);
    }
    if (absent > MOST) {
        printf("did not happen    %d more\n", absent - MOST);
    }
}

// Closes the loops of the initial state, or trims it, if the arguments ask for that.
static bool prepare_start(const lb_cli_arguments *arguments, lb_simulation *simulation)
{
    return !(lb_cli_get_option(arguments, "assemble") &&
             lb_assemble_simulation(simulation, NULL, NULL) < 0) &&
           !(lb_cli_get_option(arguments, "trim") && lb_trim_simulation(simulation, NULL) < 0);
}

// Whether rows change by more than the tolerance explains in a run with half of it. The model has reported its
// findings already.
static bool check_rows(const lb_cli_arguments *arguments, const lb_cli_setup *s, const char *path,
                       const lb_audit *audit, lb_cli_row_check *check, bool *differ)
{
    const lb_report silent = {NULL, NULL};
    lb_simulation *other = NULL;
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(s->simulation, &o);
    const bool loads = lb_load_simulation(s->document, s->model, &silent, &other) >= 0;
    const bool starts =
        loads && lb_set_run_options(other, &o) >= 0 && prepare_start(arguments, other);
    if (!starts) {
        lb_cli_complain("%s: %s", s->path, loads ? lb_cli_get_message(other) : "out of memory");
    }
    const bool good = starts && lb_cli_check_rows(other, path, audit, check);
    lb_destroy_simulation(other);
    *differ = good && !(check->change <= check->bound);
    if (*differ) {
        lb_cli_complain(
            "%s: %srows change by %.2g of the motion with half the tolerance (%s at t = "
            "%.6g s); the tolerance explains %.2g",
            s->path, lb_cli_get_option(arguments, "strict") ? "" : "warning: ", check->change,
            check->column, check->time, check->bound);
    }
    return good;
}

static void print_row_check(const lb_cli_row_check *check)
{
    printf("rows              change by up to %.2g of the motion with half the tolerance",
           check->change);
    if (check->column[0]) {
        fputs(" (", stdout);
        lb_cli_put_text(stdout, check->column);
        printf(" at t = %.6g s)", check->time);
    }
    fputc('\n', stdout);
}

static void put_row_check(lb_cli_json *out, const lb_cli_row_check *check)
{
    lb_cli_json_open(out, "row_check", '{');
    lb_cli_json_number(out, "change", check->change);
    lb_cli_json_number(out, "bound", check->bound);
    lb_cli_json_string(out, "column", check->column);
    lb_cli_json_number(out, "time", check->time);
    lb_cli_json_close(out, '}');
}

static int run(const lb_cli_arguments *arguments, const lb_cli_setup *s, const char *path,
               const lb_cli_kept_files *files)
{
    lb_simulation *simulation = s->simulation;
    const bool quiet = lb_cli_get_volume() < 0, json = lb_cli_get_option(arguments, "json") != NULL;
    watch w = {.visible = !quiet && isatty(STDERR_FILENO), .from = -1.0};
    lb_run_request request = lb_default_run_request();
    request.path = path;
    request.model_text = s->text;
    request.model_length = s->length;
    request.resume = lb_cli_get_option(arguments, "resume") != NULL;
    request.progress = show_progress;
    request.user = &w;
    const lb_report report = lb_cli_make_complaint();
    request.report = &report;
    request.files = files->files;
    request.file_count = files->count;
    lb_cli_catch_interrupts();

    lb_audit audit = {.size = sizeof audit};
    const lb_status status = lb_run_simulation(simulation, &request, &audit);
    clear_progress(&w);
    const char *model = arguments->operands[0];
    if (status < 0) {
        lb_cli_complain("%s: %s", model, lb_cli_get_message(simulation));
        lb_run_options o = {.size = sizeof o};
        lb_get_run_options(simulation, &o);
        if (status == LB_E_NUMBER && lb_is_fixed_step(o.integrator) && audit.time > 0.0) {
            lb_cli_complain(
                "the step of %g s may be too long for what moves fast, such as modes: try a "
                "shorter --step, or an integrator that chooses its steps",
                o.step);
        }
        if (status != LB_E_FILE && status != LB_E_ARGUMENT && audit.rows > 0.0) {
            lb_cli_complain("the %.0f rows before it are in %s.part", audit.rows, path);
        }
        return status == LB_E_ARGUMENT ? LB_CLI_USAGE : LB_CLI_FAILED;
    }
    if (status == LB_NEWS_STOP && audit.rows == 0.0) {
        lb_cli_complain("nothing to do: %s", lb_get_simulation_message(simulation));
        return LB_CLI_DONE;
    }
    if (audit.fallbacks > 0.0) {
        lb_cli_complain("%s: warning: divide and conquer fell back to the articulated recursion in "
                        "%.0f of %.0f evaluations: digits would have been lost",
                        model, audit.fallbacks, audit.evaluations);
    }
    const lb_verdict verdict = lb_judge_audit(&audit);
    const bool is_off = verdict != LB_VERDICT_KEPT && verdict != LB_VERDICT_NONE;
    const bool is_strict = lb_cli_get_option(arguments, "strict") != NULL;
    // of deformed bodies it was said when it happened
    if (is_off && (is_strict || verdict != LB_VERDICT_RANGE)) {
        lb_cli_complain("%s: %s%s", model,
                        is_strict ? "" : "warning: ", lb_get_verdict_text(verdict));
    }
    lb_cli_row_check check;
    bool differ = false;
    const bool checks = lb_cli_get_option(arguments, "check-rows") && status != LB_NEWS_INTERRUPTED;
    if (checks && !check_rows(arguments, s, path, &audit, &check, &differ)) {
        return LB_CLI_FAILED;
    }
    if (json) {
        lb_cli_json out = lb_cli_json_start(stdout);
        lb_cli_json_open(&out, NULL, '{');
        lb_cli_json_string(&out, "results", path);
        lb_cli_put_audit(&out, &audit);
        if (checks) {
            put_row_check(&out, &check);
        }
        lb_cli_json_close(&out, '}');
        lb_cli_json_finish(&out);
    } else if (!quiet) {
        if (status == LB_NEWS_STOP) {
            printf("stopped at t = %.9g s by event: ", audit.time);
            lb_cli_put_text(stdout, lb_get_event_names(simulation));
            fputc('\n', stdout);
        }
        lb_cli_print_audit(stdout, &audit, lb_get_simulation_loop_forces(simulation) != NULL);
        if (checks) {
            print_row_check(&check);
        }
        print_absent_events(simulation);
        fputs("results           ", stdout);
        lb_cli_put_text(stdout, path);
        fputc('\n', stdout);
    }
    if (wants_csv(arguments) && !write_csv(path, !json)) {
        return LB_CLI_FAILED;
    }
    if (status == LB_NEWS_INTERRUPTED) {
        lb_cli_complain("interrupted at t = %.9g s; %.0f rows are in %s, and --resume goes on",
                        audit.time, audit.rows, path);
        return LB_CLI_FAILED;
    }
    return (is_off || differ) && is_strict ? LB_CLI_FAILED : LB_CLI_DONE;
}

int lb_cli_run_run(const lb_cli_arguments *arguments)
{
    const char *model_path = arguments->operands[0];
    size_t length = 0;
    char *text = lb_cli_read_file(model_path, &length);
    if (!text) {
        return LB_CLI_FAILED;
    }
    const char *asked = lb_cli_get_option(arguments, "output");
    char *path = asked && !lb_cli_ends_in(asked, ".csv") ? lb_cli_copy_text(asked)
                 : asked                                 ? replace_ending(asked)
                                                         : replace_ending(get_base(model_path));
    lb_cli_setup s = {0};
    int result = LB_CLI_FAILED;
    if (!lb_cli_open_setup(arguments, text, length, &s)) {
        // said already
    } else if (!read_options(arguments, s.simulation)) {
        result = LB_CLI_USAGE;
    } else if (!prepare_start(arguments, s.simulation)) {
        lb_cli_explain_setup(&s);
    } else {
        result = check_outputs(arguments, path);
        lb_cli_kept_files files = {0};
        if (result == LB_CLI_DONE) {
            lb_cli_gather_files(s.document, &files);
            result = run(arguments, &s, path, &files);
        }
        lb_cli_free_files(&files);
    }
    lb_cli_close_setup(&s);
    free(path);
    free(text);
    return result;
}
