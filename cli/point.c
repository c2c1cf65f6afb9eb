// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "initial.h"
#include "limber/results.h"
#include "output.h"

// ---- the state ---------------------------------------------------------------------------------

static void allocate_state(lb_cli_point *p)
{
    const int nq = lb_get_q_count(p->setup.model), nv = lb_get_v_count(p->setup.model);
    p->state = lb_cli_allocate(1, nq + nv, "state");
    lb_get_neutral_configuration(p->setup.model, p->state);
    p->options.q = p->state;
    p->options.v = p->state + nq;
}

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

// The row of a run nearest in time.
static int read_row(lb_cli_point *p, const lb_results *results, const char *path, double time)
{
    const lb_results_info *info = lb_get_results_info(results);
    const int nq = lb_get_q_count(p->setup.model), nv = lb_get_v_count(p->setup.model);
    const int q = find_table(results, "q"), v = find_table(results, "v");
    const long rows = info->row_count;
    if ((nq > 0 && (q < 0 || info->tables[q].column_count != nq)) ||
        (nv > 0 && (v < 0 || info->tables[v].column_count != nv))) {
        lb_cli_complain("%s: the run is of another model: %d coordinates and %d speeds recorded, "
                        "expected %d and %d",
                        path, q < 0 ? 0 : info->tables[q].column_count,
                        v < 0 ? 0 : info->tables[v].column_count, nq, nv);
        return LB_CLI_FAILED;
    }
    long best = -1;
    double found = 0.0;
    for (long i = 0; i < rows; ++i) {
        double t;
        if (lb_read_table(results, find_table(results, "time"), i, 1, &t) < 0) {
            break;
        }
        if (best < 0 || fabs(t - time) < fabs(found - time)) {
            best = i;
            found = t;
        }
    }
    // a row for an instant outside of the run would be a guess
    if (best < 0 || fabs(found - time) > 1e-9 * (1.0 + fabs(time))) {
        if (best >= 0) {
            lb_cli_complain("%s: no row at t = %.9g s; the nearest is at %.9g s", path, time,
                            found);
        } else {
            lb_cli_complain("%s: it has no rows", path);
        }
        return LB_CLI_FAILED;
    }
    p->options.t = found;
    if ((nq > 0 && lb_read_table(results, q, best, 1, p->state) < 0) ||
        (nv > 0 && lb_read_table(results, v, best, 1, p->state + nq) < 0)) {
        lb_cli_complain("%s", lb_get_results_message(results));
        return LB_CLI_FAILED;
    }
    // what events had switched by then
    const lb_status status = lb_restore_moment(p->setup.simulation, results, best, p->locked);
    return status < 0 ? lb_cli_explain_point(p, status) : LB_CLI_DONE;
}

static int read_run(lb_cli_point *p, const char *text, const char *mark)
{
    char path[1024], *end;
    const double time = strtod(mark + 1, &end);
    if (end == mark + 1 || *end || !isfinite(time) || mark - text >= (ptrdiff_t)sizeof path) {
        lb_cli_complain("--at: '%.200s' given, expected FILE.json, or FILE.h5@TIME with seconds",
                        text);
        return LB_CLI_USAGE;
    }
    snprintf(path, sizeof path, "%.*s", (int)(mark - text), text);
    lb_results *results = NULL;
    const lb_report report = lb_cli_make_complaint();
    lb_cli_note_input(path);
    if (lb_open_results(path, &report, &results) < 0) {
        return LB_CLI_FAILED;
    }
    const int result = read_row(p, results, path, time);
    lb_close_results(results);
    return result;
}

static int read_at(const lb_cli_arguments *arguments, lb_cli_point *p)
{
    const char *at = lb_cli_get_option(arguments, "at");
    if (!at) {
        return LB_CLI_DONE;
    }
    allocate_state(p);
    const char *mark = strrchr(at, '@');
    return mark ? read_run(p, at, mark)
                : lb_cli_read_state(p->setup.model, at, p->state,
                                    p->state + lb_get_q_count(p->setup.model));
}

// ---- what is held ------------------------------------------------------------------------------

static int read_spin(const lb_cli_arguments *arguments, lb_cli_point *p)
{
    const char *text = lb_cli_get_option(arguments, "spin");
    if (!text) {
        return LB_CLI_DONE;
    }
    const char *sign = strrchr(text, '=');
    char name[256];
    lb_cli_message message;
    const lb_report report = lb_cli_keep_message(&message);
    snprintf(name, sizeof name, "%.*s", sign ? (int)(sign - text) : 255, text);
    p->options.spin = lb_find_speed(p->setup.model, name, &report);
    if (p->options.spin < 0) {
        lb_cli_complain("--spin: %s", message.text);
        return LB_CLI_USAGE;
    }
    if (sign) {
        char *end;
        p->options.spin_speed = strtod(sign + 1, &end);
        if (end == sign + 1 || *end || !isfinite(p->options.spin_speed)) {
            lb_cli_complain("--spin: '%s' given, expected HINGE=SPEED with rad/s, such as hub=10",
                            text);
            return LB_CLI_USAGE;
        }
        p->spin_has_speed = true;
    }
    return LB_CLI_DONE;
}

// "0.5", "0.5s" or "auto".
static int read_period(const lb_cli_arguments *arguments, lb_cli_point *p)
{
    const char *text = lb_cli_get_option(arguments, "period");
    if (!text) {
        return LB_CLI_DONE;
    }
    char *end;
    p->options.period = strtod(text, &end);
    if (strcmp(text, "auto") == 0) {
        p->options.period = -1.0;
    } else if (end == text || (*end && strcmp(end, "s") != 0) || !(p->options.period > 0.0) ||
               !isfinite(p->options.period)) {
        lb_cli_complain("--period: '%s' given, expected seconds above zero, such as 0.5, or auto",
                        text);
        return LB_CLI_USAGE;
    }
    if (p->options.about != LB_ABOUT_STATE) {
        lb_cli_complain(
            "--period: the motion that repeats itself is found by itself: leave --trim and "
            "--steady out");
        return LB_CLI_USAGE;
    }
    return LB_CLI_DONE;
}

static int read_lock(const lb_cli_arguments *arguments, lb_cli_point *p)
{
    const int count = lb_get_body_count(p->setup.model);
    lb_cli_names names;
    int result = LB_CLI_DONE;
    if (!lb_cli_read_names(arguments, "lock", &names)) {
        result = LB_CLI_USAGE;
    }
    for (int i = 0; result == LB_CLI_DONE && i < names.count; ++i) {
        const int body = lb_find_body(p->setup.model, names.names[i]);
        if (body >= 0) {
            p->locked[body] = 1;
        } else if (strcmp(names.names[i], "all") == 0) {
            memset(p->locked, 1, (size_t)count);
        } else {
            lb_cli_complain("--lock: there is no body \"%s\"", names.names[i]);
            result = LB_CLI_USAGE;
        }
    }
    lb_cli_free_names(&names);
    return result;
}

// ---- all ---------------------------------------------------------------------------------------

static int read_about(const lb_cli_arguments *arguments, lb_cli_point *p)
{
    const bool trim = lb_cli_get_option(arguments, "trim") != NULL;
    const bool steady = lb_cli_get_option(arguments, "steady") != NULL;
    if (trim && steady) {
        lb_cli_complain("%s: --trim and --steady given, expected one of them",
                        arguments->command->name);
        return LB_CLI_USAGE;
    }
    p->options.about = trim ? LB_ABOUT_EQUILIBRIUM : steady ? LB_ABOUT_STEADY : LB_ABOUT_STATE;
    return LB_CLI_DONE;
}

static int read_control(const lb_cli_arguments *arguments, lb_cli_point *p)
{
    double order = 0.0;
    if (!lb_cli_read_names(arguments, "open", &p->open) ||
        !lb_cli_get_number(arguments, "pade", 1, 6, p->options.pade_order, &order)) {
        return LB_CLI_USAGE;
    }
    const bool discrete = lb_cli_get_option(arguments, "discrete") != NULL;
    p->options.control = discrete ? LB_CONTROL_DISCRETE : LB_CONTROL_CONTINUOUS;
    p->options.open_count = p->open.count;
    p->options.open = p->open.names;
    p->options.pade_order = (int)order;
    return LB_CLI_DONE;
}

int lb_cli_open_point(const lb_cli_arguments *arguments, lb_cli_point *p)
{
    *p = (lb_cli_point){.options = lb_default_linear_options()};
    if (!lb_cli_open_setup(arguments, NULL, 0, &p->setup)) {
        return LB_CLI_FAILED;
    }
    p->locked = lb_cli_calloc((size_t)lb_get_body_count(p->setup.model) + 1, 1);
    p->options.locked = p->locked;
    int result = read_about(arguments, p);
    result = result ? result : read_at(arguments, p);
    result = result ? result : read_spin(arguments, p);
    result = result ? result : read_period(arguments, p);
    result = result ? result : read_control(arguments, p);
    return result ? result : read_lock(arguments, p);
}

void lb_cli_close_point(lb_cli_point *p)
{
    lb_cli_close_setup(&p->setup);
    lb_cli_free_names(&p->open);
    free(p->state);
    free(p->locked);
}

int lb_cli_explain_point(const lb_cli_point *p, lb_status status)
{
    const char *message = lb_get_simulation_message(p->setup.simulation);
    lb_cli_complain("%s: %s", p->setup.path, message[0] ? message : lb_get_status_text(status));
    return status == LB_E_ARGUMENT || status == LB_E_SYNTAX ? LB_CLI_USAGE : LB_CLI_FAILED;
}

void lb_cli_note_move(const char *name, double moved)
{
    if (name[0]) {
        lb_cli_complain("note: the motion from this state does not repeat itself; one near it "
                        "does, whose start "
                        "has %s moved by %.3g",
                        name, moved);
    }
}

void lb_cli_note_friction(const lb_cli_point *p)
{
    const lb_model *model = p->setup.model;
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        const int first = lb_get_v_offset(model, k) + lb_get_mode_count(model, k);
        const int count = lb_get_hinge(model, k).v_count;
        for (int i = 0; i < count; ++i) {
            char speed[16] = "";
            if (count > 1) {
                snprintf(speed, sizeof speed, ".%d", i);
            }
            if (lb_is_speed_stuck(p->setup.simulation, first + i)) {
                lb_cli_complain("note: friction holds hinge %s%s, so it does not move here",
                                lb_get_body_name(model, k), speed);
            }
        }
    }
}

bool lb_cli_read_range(const lb_cli_arguments *arguments, const char *name, bool ratios,
                       double **values, int *count)
{
    const char *text = lb_cli_get_option(arguments, name);
    double from = 0.0, to = 0.0;
    int many = 0, used = 0;
    if (sscanf(text, "%lf:%lf:%d%n", &from, &to, &many, &used) != 3 || text[used] ||
        !isfinite(from) || !isfinite(to) || many < 2 || many > 1000000 ||
        (ratios && !(from > 0.0 && to > 0.0))) {
        lb_cli_complain("%s: --%s: '%s' given, expected FROM:TO:COUNT with two numbers%s and how "
                        "many there are to be, from 2 on",
                        arguments->command->name, name, text, ratios ? " above zero" : "");
        return false;
    }
    *values = lb_cli_allocate(1, many, name);
    for (int i = 0; i < many; ++i) {
        const double s = (double)i / (many - 1);
        (*values)[i] = ratios ? from * pow(to / from, s) : from + (to - from) * s;
    }
    (*values)[many - 1] = to;
    *count = many;
    return true;
}
