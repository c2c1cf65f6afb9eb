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

// How far each loop is off; false, after saying so, if memory is out.
static bool print_residuals(const lb_model *model, lb_simulation *simulation)
{
    const int count = lb_get_loop_capacity(model);
    double *errors = lb_cli_allocate(12, count, "loops");
    if (errors &&
        lb_compute_initial_loop_errors(simulation, errors, errors + 6 * (size_t)count) >= 0) {
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
    return errors != NULL;
}

static int assemble(const lb_cli_arguments *arguments, const lb_cli_setup *s)
{
    const lb_model *model = s->model;
    lb_simulation *simulation = s->simulation;
    const char *state = lb_cli_get_option(arguments, "state");
    unsigned char *held = lb_cli_calloc((size_t)lb_get_v_count(model) + 1, 1);
    int result = held ? LB_CLI_DONE : LB_CLI_FAILED;
    if (!held) {
        lb_cli_complain_of_memory();
    }
    if (held && state) {
        result = read_state(state, model, simulation);
    }
    if (result == LB_CLI_DONE && !read_held(arguments, simulation, held)) {
        result = LB_CLI_USAGE;
    }
    if (result == LB_CLI_DONE) {
        lb_assembly found = {.size = sizeof found};
        const bool chosen = lb_cli_get_option(arguments, "hold") != NULL;
        const lb_status status = lb_assemble_simulation(simulation, chosen ? held : NULL, &found);
        const double *q, *v;
        lb_get_initial_state(simulation, &q, &v);
        if (status < 0) {
            result = lb_cli_explain_setup(s);
        } else if (lb_cli_get_option(arguments, "json")) {
            lb_cli_print_state(model, q, v);
        } else {
            printf("# closed after %d iterations\n", found.iterations);
            if (print_residuals(model, simulation)) {
                lb_cli_print_initial(model, q, v);
            } else {
                result = LB_CLI_FAILED;
            }
        }
    }
    free(held);
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
