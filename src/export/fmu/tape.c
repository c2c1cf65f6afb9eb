// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The operations of each function of the model as a list, which fmu_derive.h differentiates. A list is much shorter than
// C, takes no time to compile, and is good for both directions.
#include <stdlib.h>

#include "export/freeze/freeze_all.h"
#include "make_fmu.h"
#include "model/layout.h"

// A list while it is written.
typedef struct tape {
    lb_page *page;
    const lb_fmu_plan *plan;
    const lb_graph *graph;
    lb_page numbers;
    unsigned char *used; // by node: results need it
    int *place;          // by node: 1 + step
    int count, number_count;
} tape;

static void write_step(tape *t, char letter, int a, int b, int third)
{
    lb_write(t->page, "%s{'%c',%d,%d,%d},", t->count % 5 == 0 ? "\n    " : " ", letter, a, b,
             third);
    ++t->count;
}

static void write_constant(tape *t, double x)
{
    lb_write_number(&t->numbers, x, false);
    lb_write(&t->numbers, ",%s", t->number_count % 4 == 3 ? "\n    " : " ");
    write_step(t, 'n', t->number_count++, 0, 0);
}

// The input of the FMU that is an entry of tau or u of the frozen functions; -1 if none is.
static int find_input(const lb_fmu_variables *variables, int array, int entry)
{
    int input = 0;
    for (int i = 0; i < variables->count; ++i) {
        const lb_fmu_variable *variable = &variables->items[i];
        if (variable->kind == LB_FMU_INPUT) {
            if (variable->is_force == (array == LB_ARRAY_TAU) && variable->entry == entry) {
                return input;
            }
            ++input;
        }
    }
    return -1;
}

// What an input of the frozen function is in the FMU: FMU_READS_TIME and so on.
static void write_input(tape *t, const lb_graph_node *n)
{
    enum { TIME, X, U, P, INSIDE };
    const int input = n->a == LB_ARRAY_TAU || n->a == LB_ARRAY_U
                          ? find_input(t->plan->variables, n->a, n->b)
                          : -1;
    switch (n->a) {
    case LB_ARRAY_TIME:
        write_step(t, 'i', TIME, 0, 0);
        break;
    case LB_ARRAY_Q:
    case LB_ARRAY_V:
        write_step(t, 'i', X, n->b + (n->a == LB_ARRAY_V ? t->plan->model->q_count : 0), 0);
        break;
    case LB_ARRAY_P: // behind those of the integrator
        write_step(t, 'i', P, n->b + LB_FMU_SETTINGS, 0);
        break;
    default:
        if (input >= 0) {
            write_step(t, 'i', U, input, 0);
        } else if (n->a == LB_ARRAY_U) { // what a controller commands
            write_step(t, 'i', INSIDE, n->b, 0);
        } else { // forces on modes
            write_constant(t, 0.0);
        }
    }
}

static char get_letter(const lb_graph_node *n)
{
    static const char calls[LB_CALL_COUNT] = {
        [LB_CALL_EXP] = 'E',   [LB_CALL_LOG] = 'L',       [LB_CALL_TAN] = 'T',
        [LB_CALL_ASIN] = 'S',  [LB_CALL_ACOS] = 'C',      [LB_CALL_ATAN] = 'A',
        [LB_CALL_SINH] = 'H',  [LB_CALL_COSH] = 'J',      [LB_CALL_TANH] = 'K',
        [LB_CALL_FLOOR] = 'F', [LB_CALL_NEARBYINT] = 'N', [LB_CALL_POW] = 'P',
        [LB_CALL_ATAN2] = 'Q', [LB_CALL_HYPOT] = 'Y'};
    switch ((lb_node_op)n->op) {
    case LB_OP_ADD:
        return '+';
    case LB_OP_SUBTRACT:
        return '-';
    case LB_OP_MULTIPLY:
        return '*';
    case LB_OP_INVERT:
        return '/';
    case LB_OP_SINE:
        return 's';
    case LB_OP_COSINE:
        return 'c';
    case LB_OP_ROOT:
        return 'r';
    case LB_OP_MAGNITUDE:
        return '|';
    case LB_OP_LARGER:
        return 'm';
    case LB_OP_GREATER:
        return '>';
    case LB_OP_SELECT:
        return '?';
    case LB_OP_TURN:
        return (char)('0' + n->b);
    case LB_OP_CALL:
        return calls[n->b];
    case LB_OP_CALL_TWO:
        return calls[n->c];
    case LB_OP_CONSTANT:
        return 'n';
    case LB_OP_INPUT:
        return 'i';
    case LB_OP_SPREAD:
    case LB_OP_PICK: // not in graphs of single functions
        break;
    }
    return '!';
}

static void write_node(tape *t, const lb_graph_node *n)
{
    const int *place = t->place, count = lb_count_operands(n);
    if (n->op == LB_OP_CONSTANT) {
        write_constant(t, n->value);
    } else if (n->op == LB_OP_INPUT) {
        write_input(t, n);
    } else if (n->op == LB_OP_SELECT) {
        write_step(t, '?', place[n->b] - 1, place[n->c] - 1, place[n->a] - 1);
    } else {
        write_step(t, get_letter(n), place[n->a] - 1, count > 1 ? place[n->b] - 1 : 0, n->negative);
    }
}

// Results that are constant have no slope.
static int write_ends(tape *t, const char *name)
{
    int count = 0;
    lb_write(t->page, "static const int fmu_%s_ends[][3] = {", name);
    for (int i = 0; i < t->graph->output_count; ++i) {
        const lb_graph_output *out = &t->graph->outputs[i];
        if (lb_is_node(out->term)) {
            lb_write(t->page, "%s{%d, %d, %d},", count++ % 6 == 0 ? "\n    " : " ",
                     t->place[lb_get_index(out->term)] - 1, lb_is_negative(out->term) ? -1 : 1,
                     out->entry + (out->array == LB_ARRAY_A ? t->plan->model->q_count : 0));
        }
    }
    lb_write(t->page, "\n    {0, 0, 0}};\n");
    return count;
}

// @return how many results it has
static int write_list(lb_page *page, const lb_fmu_plan *plan, const char *name,
                      const lb_graph *graph, int *count)
{
    tape t = {.page = page, .plan = plan, .graph = graph};
    t.place = calloc((size_t)graph->node_count + 1, sizeof *t.place);
    t.used = calloc((size_t)graph->node_count + 1, 1);
    if (!t.place || !t.used) {
        free(t.place);
        free(t.used);
        page->out_of_memory = true;
        return 0;
    }
    lb_mark_used(graph, false, t.used);
    lb_write(page, "\nstatic const int fmu_%s_steps[][4] = {", name);
    for (int i = 0; i < graph->node_count; ++i) {
        if (t.used[i]) {
            write_node(&t, &graph->nodes[i]);
            t.place[i] = t.count;
        }
    }
    lb_write(page, "\n    {0, 0, 0, 0}};\nstatic const double fmu_%s_numbers[] = {\n    %s0.0};\n",
             name, t.numbers.text ? t.numbers.text : "");
    page->out_of_memory = page->out_of_memory || t.numbers.out_of_memory;
    const int ends = write_ends(&t, name);
    free(t.numbers.text);
    free(t.place);
    free(t.used);
    *count = t.count;
    return ends;
}

void lb_write_tapes(lb_page *page, const lb_fmu_plan *plan)
{
    static const char *const names[] = {"rates", "outputs", "indicators"}; // as FMU_TAPE_RATES
    enum { COUNT = sizeof names / sizeof *names };
    int counts[COUNT], ends[COUNT];
    lb_write(page, "// The operations of the model, for fmu_derive.h; written by limber " LB_VERSION
                   ".\n#ifndef FMU_TAPE_H\n#define FMU_TAPE_H\n");
    for (int i = 0; i < COUNT; ++i) {
        const lb_graph *graph = lb_find_frozen_graph(plan->frozen, names[i]);
        ends[i] = graph ? write_list(page, plan, names[i], graph, &counts[i]) : -1;
    }
    lb_write(page, "\nstatic const fmu_tape fmu_tapes[FMU_TAPES] = {");
    for (int i = 0; i < COUNT; ++i) {
        if (ends[i] < 0) {
            lb_write(page, "\n    {0, 0, 0, 0, 0}");
        } else {
            lb_write(page, "\n    {%d, fmu_%s_steps, fmu_%s_numbers, %d, fmu_%s_ends}", counts[i],
                     names[i], names[i], ends[i], names[i]);
        }
        lb_write(page, i + 1 < COUNT ? "," : "};\n");
    }
    lb_write(page, "\n#endif // FMU_TAPE_H\n");
}
