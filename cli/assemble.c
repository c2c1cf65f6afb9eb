// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber assemble MODEL: closes the loops of the initial state.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "initial.h"
#include "initial_out.h"
#include "resolve.h"
#include "setup.h"

// --state FILE in place of the initial state of the model.
static int read_state(const char *path, const lb_model *model, lb_simulation *simulation)
{
    lb_cli_request_list list;
    int result = lb_cli_load_requests(model, path, true, &list);
    if (result == LB_CLI_DONE && lb_set_initial_state(simulation, list.requests[0].q.values,
                                                      list.requests[0].v.values) < 0) {
        result = LB_CLI_USAGE;
    }
    lb_cli_free_requests(&list);
    return result;
}

static bool hold(lb_simulation *simulation, const char *text, unsigned char *held)
{
    if (lb_hold_coordinate(simulation, text, held) < 0) {
        lb_cli_complain("assemble: --hold: %s", lb_cli_get_message(simulation));
        return false;
    }
    return true;
}

// --hold COORDINATES, each time it is given, and more behind the model.
static bool read_held(const lb_cli_arguments *arguments, lb_simulation *simulation,
                      unsigned char *held)
{
    if (!lb_cli_get_option(arguments, "hold")) {
        if (arguments->count > 1) {
            lb_cli_complain("assemble: '%s' is one operand too many; coordinates follow --hold",
                            arguments->operands[1]);
        }
        return arguments->count <= 1;
    }
    lb_cli_names names;
    bool good = lb_cli_read_names(arguments, "hold", &names);
    for (int i = 0; good && i < names.count; ++i) {
        good = hold(simulation, names.names[i], held);
    }
    for (int i = 1; good && i < arguments->count; ++i) {
        good = hold(simulation, arguments->operands[i], held);
    }
    lb_cli_free_names(&names);
    return good;
}

// How far each loop is off.
static void print_residuals(const lb_model *model, lb_simulation *simulation)
{
    const int count = lb_get_loop_capacity(model);
    double *errors = lb_cli_allocate(12, count, "loops");
    if (lb_compute_initial_loop_errors(simulation, errors, errors + 6 * (size_t)count) >= 0) {
        for (int l = 0; l < lb_get_loop_count(model); ++l) {
            double off[2] = {0, 0};
            for (int i = 0; i < 6; ++i) {
                off[0] = hypot(off[0], errors[6 * l + i]);
                off[1] = hypot(off[1], errors[6 * (count + l) + i]);
            }
            printf("# loop ");
            lb_cli_put_text(stdout, lb_get_loop_name(model, l));
            printf(": off by %.2g (m, rad), %.2g (m/s, rad/s)\n", off[0], off[1]);
        }
    }
    free(errors);
}

// Largest of some numbers by its size; -1 if all are zero.
static int find_largest(const double *values, int count)
{
    int best = -1;
    for (int i = 0; i < count; ++i) {
        if (fabs(values[i]) > (best < 0 ? 0.0 : fabs(values[best]))) {
            best = i;
        }
    }
    return best;
}

// What moved, and by how much: of each body that did, the hinge, and the mode that moved furthest.
static void print_moves(const lb_model *model, const double *move, const double *change)
{
    int count = 0;
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        const int modes = lb_get_mode_count(model, k), first = lb_get_v_offset(model, k);
        const int hinge = lb_get_hinge(model, k).v_count;
        for (int part = 0; part < 2; ++part) {
            const int from = first + (part ? 0 : modes), size = part ? modes : hinge;
            const int moved = find_largest(move + from, size),
                      changed = find_largest(change + from, size);
            if (moved < 0 && changed < 0) {
                continue;
            }
            ++count;
            fputs("# moved: ", stdout);
            lb_cli_put_text(stdout, lb_get_body_name(model, k));
            if (part) {
                printf(".eta.%d by %.2g, rates by up to %.2g\n", moved < 0 ? changed : moved,
                       moved < 0 ? 0.0 : move[from + moved],
                       changed < 0 ? 0.0 : fabs(change[from + changed]));
            } else {
                printf(" by up to %.2g (m, rad), %.2g (m/s, rad/s)\n",
                       moved < 0 ? 0.0 : fabs(move[from + moved]),
                       changed < 0 ? 0.0 : fabs(change[from + changed]));
            }
        }
    }
    if (count == 0) {
        puts("# moved: nothing");
    }
}

static int assemble(const lb_cli_arguments *arguments, const lb_cli_setup *s)
{
    const lb_model *model = s->model;
    lb_simulation *simulation = s->simulation;
    const char *state = lb_cli_get_option(arguments, "state");
    const int nq = lb_get_q_count(model), nv = lb_get_v_count(model);
    unsigned char *held = lb_cli_calloc((size_t)nv + 1, 1);
    double *before = lb_cli_calloc((size_t)(nq + 3 * nv) + 1, sizeof *before);
    int result = state ? read_state(state, model, simulation) : LB_CLI_DONE;
    if (result == LB_CLI_DONE && !read_held(arguments, simulation, held)) {
        result = LB_CLI_USAGE;
    }
    if (result == LB_CLI_DONE) {
        lb_assembly found = {.size = sizeof found};
        const bool in_place = lb_cli_get_option(arguments, "in-place") != NULL;
        const bool chosen = lb_cli_get_option(arguments, "hold") != NULL;
        const double *q, *v;
        lb_get_initial_state(simulation, &q, &v);
        memcpy(before, q, (size_t)nq * sizeof *before);
        memcpy(before + nq, v, (size_t)nv * sizeof *before);
        const lb_status status = lb_assemble_simulation(simulation, chosen ? held : NULL, &found);
        lb_get_initial_state(simulation, &q, &v);
        if (status < 0) {
            result = lb_cli_explain_setup(s);
        } else if (lb_cli_get_option(arguments, "json")) {
            lb_cli_print_state(model, q, v);
        } else if (!in_place && !lb_cli_may_print_initial(arguments, s)) {
            result = LB_CLI_USAGE;
        } else {
            printf("# closed after %d iterations\n", found.iterations);
            double *move = before + nq + nv, *change = move + nv;
            lb_difference_configuration(model, before, q, move);
            for (int i = 0; i < nv; ++i) {
                change[i] = v[i] - before[nq + i];
            }
            print_residuals(model, simulation);
            print_moves(model, move, change);
            if (in_place) {
                result = lb_cli_replace_initial(arguments, s, q, v);
            } else {
                lb_cli_print_initial(stdout, model, q, v);
            }
        }
    }
    free(held);
    free(before);
    return result;
}

int lb_cli_run_assemble(const lb_cli_arguments *arguments)
{
    lb_cli_setup s;
    const int result =
        lb_cli_open_setup(arguments, NULL, 0, &s) ? assemble(arguments, &s) : LB_CLI_FAILED;
    lb_cli_close_setup(&s);
    return result;
}
