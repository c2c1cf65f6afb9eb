// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber modes MODEL: natural frequencies, damping and shapes.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "feedback_out.h"
#include "info_parameters.h"
#include "json_out.h"
#include "output.h"
#include "point.h"
#include "progress.h"

static const char *get_kind_name(lb_mode_kind kind)
{
    static const char *const names[] = {"rigid", "oscillation", "aperiodic"};
    return names[kind];
}

// Whether a form is asked for, by its option or by the name of the file.
static bool wants(const lb_cli_arguments *arguments, const char *option, const char *ending)
{
    const char *path = lb_cli_get_option(arguments, "output");
    return lb_cli_get_option(arguments, option) || (path && lb_cli_ends_in(path, ending));
}

// ---- for people --------------------------------------------------------------------------------

enum { MADE_OF_MOST = 4 };

// The coordinates that a mode is mostly made of: up to four, each of at least 5 percent. Shares that
// are equal up to round-off stay in the order of the state. Returns how many; none for a mode of controllers alone.
static int find_parts(const lb_modes *m, int mode, int found[MADE_OF_MOST])
{
    const double *share = m->shares + (size_t)mode * (size_t)m->coordinate_count;
    double all = 0.0;
    for (int i = 0; i < m->coordinate_count; ++i) {
        all += share[i];
    }
    int count = 0;
    while (count < MADE_OF_MOST && (all != 0.0 || m->feedback_count == 0)) {
        int best = -1;
        for (int i = 0; i < m->coordinate_count; ++i) {
            bool again = false;
            for (int j = 0; j < count; ++j) {
                again = again || found[j] == i;
            }
            if (!again && (best < 0 || share[i] > share[best] + 1e-6)) {
                best = i;
            }
        }
        if (best < 0 || (count > 0 && share[best] < 0.05)) {
            break;
        }
        found[count++] = best;
    }
    return count;
}

static double get_share(const lb_modes *m, int mode, int coordinate)
{
    return m->shares[(size_t)mode * (size_t)m->coordinate_count + (size_t)coordinate];
}

static void print_shape(FILE *out, const lb_modes *m, int mode)
{
    int found[MADE_OF_MOST];
    const int count = find_parts(m, mode, found);
    if (count == 0 && m->feedback_count > 0) {
        fputs("controller", out);
    }
    for (int k = 0; k < count; ++k) {
        fputs(k ? ", " : "", out);
        lb_cli_put_text(out, m->names[found[k]]);
        fprintf(out, " %.0f%%", 100.0 * get_share(m, mode, found[k]));
    }
    fputc('\n', out);
}

static lb_cli_feedbacks get_feedbacks(const lb_modes *m)
{
    return (lb_cli_feedbacks){.control = m->control,
                              .period = m->period,
                              .count = m->feedback_count,
                              .names = m->feedbacks,
                              .notes = m->feedback_notes,
                              .closed = m->closed};
}

static void print_table(FILE *out, const lb_modes *m, int count)
{
    fprintf(out, "%4s  %14s  %12s  %s\n", "mode", "frequency, Hz", "damping", "made of");
    for (int i = 0; i < count; ++i) {
        char damping[32];
        snprintf(damping, sizeof damping, "%.4g", m->dampings[i] + 0.0);
        fprintf(out, "%4d  %14.7g  %12s  ", i + 1, m->frequencies[i],
                m->kinds[i] == LB_MODE_OSCILLATION ? damping
                : m->kinds[i] == LB_MODE_RIGID     ? "rigid"
                : m->eigenvalues[2 * i] > 0.0      ? "grows"
                                                   : "decays");
        print_shape(out, m, i);
    }
}

static void print_effective(FILE *out, const lb_modes *m, const double about[3], int count)
{
    fprintf(out, "\neffective masses, kg and kg m^2 about ");
    if (about[0] == 0.0 && about[1] == 0.0 && about[2] == 0.0) {
        fprintf(out, "the world's origin\n");
    } else {
        fprintf(out, "(%g, %g, %g)\n", about[0], about[1], about[2]);
    }
    fprintf(out, "%6s  %10s  %10s  %10s  %10s  %10s  %10s\n", "mode", "x", "y", "z", "about x",
            "about y", "about z");
    for (int row = 0; row < count + 2; ++row) {
        const double whole[6] = {m->mass,       m->mass,       m->mass,
                                 m->inertia[0], m->inertia[1], m->inertia[2]};
        const double *values = row < count    ? m->effective + 6 * row
                               : row == count ? m->effective_sums
                                              : whole;
        if (row < count) {
            fprintf(out, "%6d", row + 1);
        } else {
            fprintf(out, "%6s", row == count ? "all" : "system");
        }
        for (int i = 0; i < 6; ++i) {
            // what cancels up to round-off is none
            fprintf(out, "  %10.5g", fabs(values[i]) > 1e-12 * whole[i] ? values[i] : 0.0);
        }
        fputc('\n', out);
    }
}

static void print_csv(FILE *out, const lb_modes *m, int count)
{
    fprintf(out, "mode,kind,frequency_hz,damping_ratio,eigenvalue_real,eigenvalue_imaginary,"
                 "effective_x,effective_y,effective_z,effective_about_x,effective_about_y,"
                 "effective_about_z\n");
    for (int i = 0; i < count; ++i) {
        fprintf(out, "%d,%s,%.17g,%.17g,%.17g,%.17g", i + 1, get_kind_name(m->kinds[i]),
                m->frequencies[i], m->dampings[i], m->eigenvalues[2 * i],
                m->eigenvalues[2 * i + 1]);
        for (int j = 0; j < 6; ++j) {
            // none with controllers
            isnan(m->effective[6 * i + j]) ? fprintf(out, ",")
                                           : fprintf(out, ",%.17g", m->effective[6 * i + j]);
        }
        fputc('\n', out);
    }
}

// ---- JSON --------------------------------------------------------------------------------------

// One of two parts of pairs of numbers.
static void put_part(lb_cli_json *json, const char *key, const double *pairs, int count, int part)
{
    lb_cli_json_strided(json, key, pairs + part, count, 2);
}

// What a mode is mostly made of: {"arm.angle": 0.95}.
static void put_parts(lb_cli_json *json, const lb_modes *m, int mode)
{
    int found[MADE_OF_MOST];
    const int count = find_parts(m, mode, found);
    lb_cli_json_open(json, "made_of", '{');
    for (int k = 0; k < count; ++k) {
        lb_cli_json_number(json, m->names[found[k]], get_share(m, mode, found[k]));
    }
    lb_cli_json_close(json, '}');
}

// Coordinates of one body: modes, then hinge.
static lb_status put_amplitudes(lb_cli_json *json, const lb_model *model, const lb_modes *m,
                                int mode)
{
    const double *shape = m->shapes + 2 * (size_t)m->coordinate_count * (size_t)mode;
    lb_status status = LB_OK;
    lb_cli_json_open(json, "bodies", '{');
    for (int body = 0; body < lb_get_body_count(model); ++body) {
        const int first = lb_get_v_offset(model, body);
        const int counts[2] = {lb_get_mode_count(model, body), lb_get_hinge(model, body).v_count};
        static const char *const keys[2][2] = {{"eta", "eta_imaginary"},
                                               {"hinge", "hinge_imaginary"}};
        if (counts[0] + counts[1] == 0) {
            continue;
        }
        lb_cli_json_open(json, lb_get_body_name(model, body), '{');
        for (int kind = 0, at = first; kind < 2; at += counts[kind++]) {
            double *pairs = lb_cli_calloc(2 * (size_t)counts[kind] + 1, sizeof *pairs);
            for (int i = 0; i < m->coordinate_count; ++i) {
                const int entry = m->coordinates[i] - at;
                if (entry >= 0 && entry < counts[kind]) {
                    memcpy(pairs + 2 * entry, shape + 2 * i, 2 * sizeof *pairs);
                }
            }
            for (int part = 0; counts[kind] > 0 && part < (m->symmetric ? 1 : 2); ++part) {
                put_part(json, keys[kind][part], pairs, counts[kind], part);
            }
            free(pairs);
        }
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, '}');
    return status;
}

static lb_status put_nodes(lb_cli_json *json, lb_cli_point *p, const lb_modes *m, int mode)
{
    static const char *const keys[2][2] = {{"rotation", "rotation_imaginary"},
                                           {"translation", "translation_imaginary"}};
    lb_status status = LB_OK;
    lb_cli_json_open(json, "nodes", '{');
    for (int body = 0; body < lb_get_body_count(p->setup.model); ++body) {
        lb_cli_json_open(json, lb_get_body_name(p->setup.model, body), '{');
        for (int node = 0; node < lb_get_node_count(p->setup.model, body); ++node) {
            double pairs[12];
            const lb_status found =
                lb_compute_mode_displacement(p->setup.simulation, m, mode, body, node, pairs);
            status = found < 0 ? found : status;
            lb_cli_json_open(json, lb_get_node_name(p->setup.model, body, node), '{');
            for (int part = 0; part < (m->symmetric ? 1 : 2); ++part) {
                put_part(json, keys[1][part], pairs + 6, 3, part);
                put_part(json, keys[0][part], pairs, 3, part);
            }
            lb_cli_json_close(json, '}');
        }
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, '}');
    return status;
}

// Deviations over the motion without their growth, by coordinate: {"arm.angle": [[re, im], ...]}.
static void put_turn(lb_cli_json *json, const lb_modes *m, int mode)
{
    const size_t n = (size_t)m->coordinate_count, row = 2 * n * (size_t)m->mode_count;
    lb_cli_json_open(json, "turn", '{');
    for (size_t i = 0; i < n; ++i) {
        lb_cli_json_open(json, m->names[i], '[');
        for (size_t k = 0; k < (size_t)m->instant_count; ++k) {
            lb_cli_json_vector(json, NULL, m->turns + k * row + 2 * (n * (size_t)mode + i), 2);
        }
        lb_cli_json_close(json, ']');
    }
    lb_cli_json_close(json, '}');
}

static void put_number(lb_cli_json *json, const char *key, double value)
{
    lb_cli_json_number(json, key, value);
}

static lb_status print_json(FILE *out, lb_cli_point *p, const lb_modes *m, int count)
{
    lb_status status = LB_OK;
    lb_cli_json json = lb_cli_json_start(out);
    lb_cli_json_open(&json, NULL, '{');
    lb_cli_json_string(&json, "model", lb_get_model_name(p->setup.model));
    lb_cli_json_vector(&json, "q", m->q, lb_get_q_count(p->setup.model));
    lb_cli_json_vector(&json, "v", m->v, lb_get_v_count(p->setup.model));
    lb_cli_json_boolean(&json, "symmetric", m->symmetric);
    if (m->instant_count > 0) {
        lb_cli_json_vector(&json, "instants", m->instants, m->instant_count);
        put_number(&json, "left_out", m->lost_count);
    }
    put_number(&json, "mass", m->mass);
    lb_cli_json_vector(&json, "inertia", m->inertia, 3);
    lb_cli_json_vector(&json, "about_point", p->options.about_point, 3);
    const lb_cli_feedbacks feedbacks = get_feedbacks(m);
    const bool plant = m->control == LB_CONTROL_OPEN && !m->multipliers;
    lb_cli_put_growth(&json, m->stable, m->growth);
    lb_cli_put_changes(&json, m->changes);
    lb_cli_put_feedbacks(&json, &feedbacks);
    if (plant) {
        lb_cli_json_vector(&json, "effective_sums", m->effective_sums, 6);
    }
    lb_cli_json_open(&json, "modes", '[');
    for (int i = 0; i < count; ++i) {
        lb_cli_json_open(&json, NULL, '{');
        lb_cli_json_string(&json, "kind", get_kind_name(m->kinds[i]));
        put_number(&json, "frequency_hz", m->frequencies[i]);
        put_number(&json, "damping_ratio", m->dampings[i] + 0.0);
        lb_cli_json_vector(&json, "eigenvalue", m->eigenvalues + 2 * i, 2);
        if (m->multipliers) {
            lb_cli_json_vector(&json, "multiplier", m->multipliers + 2 * i, 2);
            put_turn(&json, m, i);
        }
        if (plant) {
            lb_cli_json_vector(&json, "effective", m->effective + 6 * i, 6);
        }
        put_parts(&json, m, i);
        const lb_status put = put_amplitudes(&json, p->setup.model, m, i);
        const lb_status found = put_nodes(&json, p, m, i);
        status = put < 0 ? put : found < 0 ? found : status;
        lb_cli_json_close(&json, '}');
    }
    lb_cli_json_close(&json, ']');
    lb_cli_write_values(&json, p->setup.document);
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
    return status;
}

// ---- sweeps ------------------------------------------------------------------------------------

static void print_sweep(FILE *out, const lb_campbell *c, int lines, bool csv)
{
    fprintf(out, csv ? "%s" : "%13s", csv ? "speed_rad_s" : "speed, rad/s");
    for (int j = 0; j < lines; ++j) {
        csv ? fprintf(out, ",frequency_hz_%d", j + 1) : fprintf(out, "  %9d Hz", j + 1);
    }
    for (int j = 0; csv && j < lines; ++j) {
        fprintf(out, ",damping_ratio_%d", j + 1);
    }
    fputc('\n', out);
    for (int i = 0; i < c->speed_count; ++i) {
        fprintf(out, csv ? "%.17g" : "%13.6g", c->speeds[i]);
        for (int j = 0; j < lines * (csv ? 2 : 1); ++j) {
            const double *from = j < lines ? c->frequencies : c->dampings;
            const double value = from[(size_t)i * (size_t)c->line_count + (size_t)(j % lines)];
            if (csv) {
                fputc(',', out);
            }
            if (isfinite(value)) {
                fprintf(out, csv ? "%.17g" : "  %12.7g", value + 0.0);
            } else if (!csv) {
                fprintf(out, "  %12s", "-");
            }
        }
        fputc('\n', out);
    }
}

static void print_sweep_json(FILE *out, const lb_document *document, const lb_campbell *c,
                             int lines)
{
    lb_cli_json json = lb_cli_json_start(out);
    lb_cli_json_open(&json, NULL, '{');
    lb_cli_json_vector(&json, "speeds", c->speeds, c->speed_count);
    lb_cli_json_open(&json, "lines", '[');
    for (int j = 0; j < lines; ++j) {
        // speeds at which a line has no mode are left out
        double *kept = lb_cli_calloc(3 * (size_t)c->speed_count + 1, sizeof *kept);
        int count = 0;
        for (int i = 0; kept && i < c->speed_count; ++i) {
            const size_t at = (size_t)i * (size_t)c->line_count + (size_t)j;
            if (isfinite(c->frequencies[at])) {
                kept[count] = c->speeds[i];
                kept[c->speed_count + count] = c->frequencies[at];
                kept[2 * c->speed_count + count++] = c->dampings[at] + 0.0;
            }
        }
        lb_cli_json_open(&json, NULL, '{');
        static const char *const keys[] = {"speeds", "frequency_hz", "damping_ratio"};
        for (int k = 0; kept && k < 3; ++k) {
            lb_cli_json_vector(&json, keys[k], kept + k * c->speed_count, count);
        }
        lb_cli_json_close(&json, '}');
        free(kept);
    }
    lb_cli_json_close(&json, ']');
    lb_cli_write_values(&json, document);
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}

static int run_sweep(const lb_cli_arguments *arguments, lb_cli_point *p, FILE *out, int most)
{
    if (p->options.spin < 0) {
        lb_cli_complain("modes: --campbell needs --spin HINGE, the hinge whose speed is swept");
        return LB_CLI_USAGE;
    }
    if (p->options.period != 0.0) {
        lb_cli_complain(
            "modes: --campbell is of steady motions: leave --period out; a job of limber "
            "sweep with `period` has exponents over a speed");
        return LB_CLI_USAGE;
    }
    if (p->spin_has_speed) {
        lb_cli_complain("modes: --campbell gives the speeds: expected --spin HINGE without one");
        return LB_CLI_USAGE;
    }
    double *speeds = NULL;
    int count = 0;
    if (!lb_cli_read_range(arguments, "campbell", false, &speeds, &count)) {
        return LB_CLI_USAGE;
    }
    lb_campbell *campbell = NULL;
    lb_cli_show_waiting("modes");
    const lb_status status =
        lb_compute_campbell(p->setup.simulation, &p->options, count, speeds, &campbell);
    lb_cli_clear_progress();
    free(speeds);
    if (status < 0) {
        return lb_cli_explain_point(p, status);
    }
    lb_cli_note_friction(p);
    const int lines = campbell->line_count < most ? campbell->line_count : most;
    if (wants(arguments, "json", ".json")) {
        print_sweep_json(out, p->setup.document, campbell, lines);
    } else {
        print_sweep(out, campbell, lines, wants(arguments, "csv", ".csv"));
    }
    lb_destroy_campbell(campbell);
    return LB_CLI_DONE;
}

// ---- the command -------------------------------------------------------------------------------

// The point of --about; false after saying what was expected.
static bool read_about(const lb_cli_arguments *arguments, double point[3])
{
    const char *text = lb_cli_get_option(arguments, "about");
    for (int i = 0; text && i < 3; ++i) {
        char *end = NULL;
        point[i] = strtod(text, &end);
        if (end == text || !isfinite(point[i]) || *end != (i < 2 ? ',' : '\0')) {
            lb_cli_complain("modes: --about: expected X,Y,Z in metres, not '%s'",
                            lb_cli_get_option(arguments, "about"));
            return false;
        }
        text = end + 1;
    }
    return true;
}

static int run_modes(const lb_cli_arguments *arguments, lb_cli_point *p, FILE *out, int most)
{
    if (p->options.spin >= 0 && !p->spin_has_speed) {
        lb_cli_complain("modes: --spin: expected HINGE=SPEED, or --campbell beside it");
        return LB_CLI_USAGE;
    }
    lb_modes *modes = NULL;
    lb_cli_show_waiting("modes");
    lb_status status = lb_compute_modes(p->setup.simulation, &p->options, &modes);
    lb_cli_clear_progress();
    if (status < 0) {
        return lb_cli_explain_point(p, status);
    }
    lb_cli_note_friction(p);
    lb_cli_note_move(modes->moved_name, modes->moved);
    if (modes->unbalanced[0]) {
        lb_cli_complain("warning: the configuration is no equilibrium: %s accelerates at %.3g; "
                        "--trim finds one",
                        modes->unbalanced, modes->unbalance);
    }
    lb_cli_warn_of_change(modes->changes);
    const bool effective = lb_cli_get_option(arguments, "effective") != NULL;
    const lb_cli_feedbacks feedbacks = get_feedbacks(modes);
    if (effective && (modes->control != LB_CONTROL_OPEN || modes->multipliers)) {
        lb_cli_complain(modes->control != LB_CONTROL_OPEN
                            ? "modes: --effective is of the model without controllers: --open all"
                            : "modes: --effective is of a point: leave --period out");
        lb_destroy_modes(modes);
        return LB_CLI_USAGE;
    }
    const int count = modes->mode_count < most ? modes->mode_count : most;
    if (wants(arguments, "json", ".json")) {
        status = print_json(out, p, modes, count);
    } else if (wants(arguments, "csv", ".csv")) {
        lb_cli_print_feedbacks(stderr, &feedbacks);
        print_csv(out, modes, count);
    } else {
        lb_cli_print_feedbacks(out, &feedbacks);
        lb_cli_print_period(out, modes->instant_count > 0 ? modes->period : 0.0);
        print_table(out, modes, count);
        if (modes->lost_count > 0) {
            fprintf(out, "%d more eigenvalues decay to nothing within a period\n",
                    modes->lost_count);
        }
        if (effective) {
            print_effective(out, modes, p->options.about_point, count);
        }
    }
    lb_destroy_modes(modes);
    return status < 0 ? lb_cli_explain_point(p, status) : LB_CLI_DONE;
}

bool lb_cli_write_modes(const lb_cli_arguments *arguments, FILE *out)
{
    lb_cli_point point;
    lb_modes *modes = NULL;
    bool good = lb_cli_open_point(arguments, &point) == LB_CLI_DONE;
    if (good) {
        point.options.about = LB_ABOUT_REST;
        lb_status status = lb_compute_modes(point.setup.simulation, &point.options, &modes);
        lb_cli_warn_of_change(status < 0 ? NULL : modes->changes);
        status = status < 0 ? status : print_json(out, &point, modes, modes->mode_count);
        good = status >= 0;
        if (!good) {
            lb_cli_explain_point(&point, status);
        }
    }
    lb_destroy_modes(modes);
    lb_cli_close_point(&point);
    return good;
}

int lb_cli_run_modes(const lb_cli_arguments *arguments)
{
    const char *path = lb_cli_get_option(arguments, "output");
    double most;
    if (!lb_cli_get_number(arguments, "count", 1, 1e9, 1e9, &most)) {
        return LB_CLI_USAGE;
    }
    lb_cli_point point;
    int result = lb_cli_open_point(arguments, &point);
    lb_cli_output out = {.stream = stdout};
    if (result == LB_CLI_DONE && !read_about(arguments, point.options.about_point)) {
        result = LB_CLI_USAGE;
    }
    if (result == LB_CLI_DONE && path && !lb_cli_check_output(path)) {
        result = LB_CLI_FAILED;
    } else if (result == LB_CLI_DONE &&
               !lb_cli_check_ending(arguments, "output", path, ".csv .json .txt")) {
        result = LB_CLI_USAGE;
    } else if (result == LB_CLI_DONE && !lb_cli_open_output(path, &out)) {
        result = LB_CLI_FAILED;
    } else if (result == LB_CLI_DONE) {
        // a configuration at rest, unless something else was asked for
        if (point.options.about == LB_ABOUT_STATE && point.options.period == 0.0) {
            point.options.about = LB_ABOUT_REST;
        }
        const bool sweep = lb_cli_get_option(arguments, "campbell") != NULL;
        result = (sweep ? run_sweep : run_modes)(arguments, &point, out.stream, (int)most);
        if (!lb_cli_close_output(&out, result == LB_CLI_DONE) && result == LB_CLI_DONE) {
            result = LB_CLI_FAILED;
        }
    }
    lb_cli_close_point(&point);
    return result;
}
