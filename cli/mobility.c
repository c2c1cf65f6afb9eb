// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "mobility.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "console.h"
#include "initial.h"

static void allocate(const lb_model *model, lb_cli_mobility *m)
{
    const size_t count = (size_t)lb_get_loop_capacity(model);
    m->redundant = lb_cli_calloc(count, sizeof *m->redundant);
    m->projectors = lb_cli_calloc(36 * count, sizeof *m->projectors);
    m->errors = lb_cli_calloc(6 * count, sizeof *m->errors);
    m->repeats = lb_cli_calloc(count * count, 1);
    m->waits = lb_cli_calloc(count, 1);
}

void lb_cli_free_mobility(lb_cli_mobility *m)
{
    free(m->redundant);
    free(m->projectors);
    free(m->errors);
    free(m->repeats);
    free(m->waits);
}

static lb_status compute(const lb_model *model, lb_work *work, const double *q, lb_cli_mobility *m)
{
    lb_status status = lb_factor_loops(model, work, q, NULL);
    if (status >= 0) {
        status = lb_get_loop_rank(model, work, &m->rows, &m->rank, m->redundant);
    }
    for (int l = 0; l < lb_get_loop_count(model) && status >= 0; ++l) {
        m->waits[l] = !lb_is_loop_active(work, l);
        status =
            lb_get_redundant_rows(model, work, l, m->projectors + 36 * (size_t)l,
                                  m->repeats + (size_t)l * (size_t)lb_get_loop_capacity(model));
    }
    return status < 0 ? status : lb_compute_loop_gaps(model, work, q, m->errors);
}

int lb_cli_compute_mobility(const lb_cli_arguments *arguments, const lb_document *document,
                            const lb_model *model, lb_cli_mobility *m)
{
    if (lb_get_loop_count(model) == 0) {
        return LB_CLI_DONE;
    }
    const char *state = lb_cli_get_option(arguments, "state");
    lb_work *work = lb_cli_create_work(model, NULL);
    double *q = lb_cli_allocate(1, lb_get_q_count(model), "state");
    allocate(model, m);
    bool assembled = false;
    int status = lb_cli_take_initial_offsets(document, model, work) &&
                         lb_cli_read_initial(document, model, q, &assembled)
                     ? LB_CLI_DONE
                     : LB_CLI_FAILED;
    m->where = state       ? "in the configuration given"
               : assembled ? "in the initial configuration, assembled"
                           : "in the initial configuration";
    if (status == LB_CLI_DONE) {
        status = lb_cli_read_state(model, state, q, NULL);
    }
    if (status == LB_CLI_DONE && !lb_cli_explain_status(model, work, compute(model, work, q, m),
                                                        arguments->operands[0], "mobility")) {
        status = LB_CLI_FAILED;
    }
    free(q);
    lb_destroy_work(work);
    return status;
}

// ---- words -------------------------------------------------------------------------------------

static void print_ends(const lb_model *model, int loop)
{
    if (lb_get_loop_info(model, loop).type == LB_LOOP_COUPLER) {
        for (int i = 0; i < lb_get_loop_info(model, loop).term_count; ++i) {
            int body, coordinate;
            double factor;
            lb_get_coupler_term(model, loop, i, &body, &coordinate, &factor);
            printf("%s%.6g ", i ? " + " : "  ", factor);
            lb_cli_put_text(stdout, lb_get_body_name(model, body));
            if (lb_get_hinge(model, body).v_count > 1) {
                printf("[%d]", coordinate);
            }
        }
        return;
    }
    for (int side = 0; side < 2; ++side) {
        const lb_loop_info info = lb_get_loop_info(model, loop);
        const int body = info.body[side], node = info.node[side];
        fputs(side ? " to " : "  ", stdout);
        lb_cli_put_text(stdout, lb_get_body_name(model, body));
        putchar('/');
        lb_cli_put_text(stdout, lb_get_node_name(model, body, node));
    }
}

// "2 turns and 1 shift", where the redundant rows are that; nothing where they mix both.
static void print_directions(const double *projector)
{
    const double turns = projector[0] + projector[7] + projector[14];
    const double shifts = projector[21] + projector[28] + projector[35];
    const int a = (int)lround(turns), b = (int)lround(shifts);
    if (fabs(turns - a) > 1e-6 || fabs(shifts - b) > 1e-6) {
        fputs("a turn and a shift together", stdout);
        return;
    }
    if (a) {
        printf("%d turn%s", a, a == 1 ? "" : "s");
    }
    if (b) {
        printf("%s%d shift%s", a ? " and " : "", b, b == 1 ? "" : "s");
    }
}

static void print_redundancy(const lb_model *model, const lb_cli_mobility *m, int loop)
{
    const int count = m->redundant[loop], capacity = lb_get_loop_capacity(model);
    if (count == 0) {
        return;
    }
    const unsigned char *repeats = m->repeats + (size_t)loop * (size_t)capacity;
    fputs("  loop ", stdout);
    lb_cli_put_text(stdout, lb_get_loop_name(model, loop));
    printf(" has %d redundant row%s (", count, count == 1 ? "" : "s");
    if (lb_get_loop_info(model, loop).type == LB_LOOP_COUPLER) {
        fputs("its relation", stdout);
    } else {
        print_directions(m->projectors + 36 * (size_t)loop);
    }
    fputs("): ", stdout);
    int others = 0;
    for (int l = 0; l < lb_get_loop_count(model); ++l) {
        if (repeats[l]) {
            fputs(others++ ? ", " : "repeated by loop ", stdout);
            lb_cli_put_text(stdout, lb_get_loop_name(model, l));
        }
    }
    fputs(others ? "\n" : "already kept by the hinges\n", stdout);
}

// How far the configuration is off; mobility means little where it is.
static void print_errors(const lb_model *model, const lb_cli_mobility *m)
{
    for (int l = 0; l < lb_get_loop_count(model); ++l) {
        double worst = 0.0;
        for (int i = 0; i < 6; ++i) {
            worst = fmax(worst, fabs(m->errors[6 * l + i]));
        }
        if (worst > 1e-6) {
            fputs("  loop ", stdout);
            lb_cli_put_text(stdout, lb_get_loop_name(model, l));
            printf(" is open by %.3g %s\n", worst, m->where);
        }
    }
}

// Bodies at which loops meet.
static void print_hubs(const lb_model *model)
{
    int hubs = 0;
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        if (lb_is_hub(model, k)) {
            fputs(hubs++ ? ", " : "  many meet at ", stdout);
            lb_cli_put_text(stdout, lb_get_body_name(model, k));
        }
    }
    if (hubs) {
        printf(": %s, see Step D: hubs in the theory of loops\n", hubs > 1 ? "hubs" : "a hub");
    }
}

void lb_cli_print_mobility(const lb_model *model, const lb_cli_mobility *m)
{
    const int count = lb_get_loop_count(model);
    int widest = 0;
    for (int loop = 0; loop < count; ++loop) {
        const int width = (int)strlen(lb_get_loop_name(model, loop));
        widest = width > widest && width <= 24 ? width : widest;
    }
    for (int loop = 0; loop < count; ++loop) {
        printf(loop == 0 ? "\nloops\n  " : "  ");
        const char *name = lb_get_loop_name(model, loop);
        lb_cli_put_text(stdout, name);
        printf("%*s", (int)strlen(name) < widest ? widest - (int)strlen(name) : 0, "");
        const int rows = lb_get_loop_info(model, loop).row_count;
        printf("  %s%s, %d row%s", lb_get_loop_info(model, loop).driven ? "driven " : "",
               lb_get_loop_type_name(lb_get_loop_info(model, loop).type), rows,
               rows == 1 ? "" : "s");
        print_ends(model, loop);
        fputs(lb_get_loop_info(model, loop).as_assembled ? ", as assembled" : "", stdout);
        fputs(m->waits[loop] ? ", waits\n" : "\n", stdout);
    }
    if (count == 0) {
        return;
    }
    print_hubs(model);
    const int spare = lb_get_loop_capacity(model) - count;
    if (spare) {
        printf("  and %d spare\n", spare);
    }
    printf("\nmobility %d %s: %d dof%s; %d row%s, %d independent\n",
           lb_get_v_count(model) - m->rank, m->where, lb_get_v_count(model),
           lb_get_v_count(model) == 1 ? "" : "s", m->rows, m->rows == 1 ? "" : "s", m->rank);
    for (int loop = 0; loop < count; ++loop) {
        print_redundancy(model, m, loop);
    }
    print_errors(model, m);
}

void lb_cli_write_mobility(lb_cli_json *json, const lb_model *model, const lb_cli_mobility *m)
{
    const int count = lb_get_loop_count(model);
    if (count == 0) {
        return;
    }
    lb_cli_json_open(json, "loops", '[');
    for (int l = 0; l < count; ++l) {
        lb_cli_json_open(json, NULL, '{');
        lb_cli_json_string(json, "name", lb_get_loop_name(model, l));
        lb_cli_json_string(json, "type", lb_get_loop_type_name(lb_get_loop_info(model, l).type));
        lb_cli_json_integer(json, "rows", lb_get_loop_info(model, l).row_count);
        lb_cli_json_integer(json, "redundant", m->redundant[l]);
        lb_cli_json_open(json, "repeats", '[');
        for (int o = 0; o < count; ++o) {
            if (m->repeats[(size_t)l * (size_t)lb_get_loop_capacity(model) + (size_t)o]) {
                lb_cli_json_string(json, NULL, lb_get_loop_name(model, o));
            }
        }
        lb_cli_json_close(json, ']');
        lb_cli_json_vector(json, "position_error", m->errors + 6 * (size_t)l, 6);
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, ']');
    lb_cli_json_integer(json, "mobility", lb_get_v_count(model) - m->rank);
    lb_cli_json_integer(json, "rows", m->rows);
    lb_cli_json_integer(json, "rank", m->rank);
}
