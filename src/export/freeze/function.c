// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "function.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/loops/loop_work.h"
#include "dynamics/tree/tree.h"
#include "limber/derivatives.h"
#include "limber/dynamics.h"
#include "limber/work.h"
#include "limbs/limbs.h"
#include "limbs/steady.h"
#include "loops/frozen_loops.h"
#include "model/layout.h"
#include "parameters/tunable.h"
#include "write_control.h"

const char *const lb_array_names[LB_ARRAY_COUNT] = {
    "q",     "v",      "tau", "a",       "M",      "J",      "da_dq",   "da_dv",  "da_dtau",
    "q_dot", "q_next", "gap", "v_next",  "motion", "p",      "between", "handed", "time",
    "u",     "y",      "z",   "command", "memory", "before", "noise"};

// The list that has the entries of an array.
static int get_list(int array)
{
    switch (array) {
    case LB_ARRAY_U:
        return LB_FROZEN_INPUTS;
    case LB_ARRAY_Y:
        return LB_FROZEN_OUTPUTS;
    case LB_ARRAY_Z:
        return LB_FROZEN_INDICATORS;
    case LB_ARRAY_COMMAND:
        return LB_FROZEN_COMMANDS;
    default:
        return LB_FROZEN_MEMORY;
    }
}

int lb_count_array(const lb_model *model, const lb_sample *sample, int array)
{
    if (array == LB_ARRAY_NOISE) {
        return sample->control ? sample->control->noise_count : 0;
    }
    if (array >= LB_ARRAY_TIME) {
        return array == LB_ARRAY_TIME ? 1 : sample->lists->counts[get_list(array)];
    }
    const int n = model->v_count;
    switch (array) {
    case LB_ARRAY_Q:
    case LB_ARRAY_Q_DOT:
    case LB_ARRAY_Q_NEXT:
        return model->q_count;
    case LB_ARRAY_M:
    case LB_ARRAY_DQ:
    case LB_ARRAY_DV:
    case LB_ARRAY_DTAU:
        return n * n;
    case LB_ARRAY_J:
        return 6 * n;
    case LB_ARRAY_MOTION:
        return 13;
    case LB_ARRAY_GAP:
        return 6 * lb_get_loop_capacity(model);
    default:
        return n;
    }
}

int lb_count_outputs(const lb_model *model, const lb_sample *sample, const lb_frozen_function *f)
{
    int count = 0;
    for (int i = 0; i < f->output_count; ++i) {
        count += lb_count_array(model, sample, f->outputs[i]);
    }
    return count;
}

// ---- sample state ------------------------------------------------------------------------------

// From -1 to 1: a linear congruence, so that files are the same everywhere.
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 40) / 8388608.0 - 1.0;
}

lb_status lb_make_sample(const lb_model *model, lb_sample *sample)
{
    const size_t n = (size_t)model->v_count, m = (size_t)model->q_count;
    uint64_t seed = 1;
    double *x = calloc(2 * m + 3 * n + 1, sizeof *x);
    *sample = (lb_sample){.memory = x};
    if (!x) {
        return LB_E_MEMORY;
    }
    sample->values[LB_ARRAY_Q] = x;
    sample->values[LB_ARRAY_V] = x + m;
    sample->values[LB_ARRAY_TAU] = x + m + n;
    sample->values[LB_ARRAY_A] = x + m + 2 * n;
    double *neutral = x + m + 3 * n;
    for (size_t i = 0; i < 3 * n; ++i) {
        x[m + i] = draw(&seed);
    }
    // modes have a range that only the model knows: stay near zero
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int r = 0; r < b->mode_count; ++r) {
            sample->values[LB_ARRAY_V][b->v + r] *= 1e-3;
            sample->values[LB_ARRAY_A][b->v + r] *= 1e-3;
        }
    }
    lb_get_neutral_configuration(model, neutral);
    lb_integrate_configuration(model, neutral, sample->values[LB_ARRAY_V], x);
    // speeds that are not the way to the configuration
    for (size_t i = 0; i < n; ++i) {
        sample->values[LB_ARRAY_V][i] *= 0.25 + 0.5 * draw(&seed);
    }
    return LB_OK;
}

// ---- recording ---------------------------------------------------------------------------------

// Scratch of derivatives, all zeros: lanes read more than was written.
static lb_derivative_work *make_derivatives(const lb_model *model, void **memory)
{
    const size_t size = lb_get_derivative_work_size(model);
    lb_derivative_work *work = NULL;
    *memory = calloc(1, size);
    if (*memory && lb_init_derivative_work(model, *memory, size, &work) != LB_OK) {
        work = NULL;
    }
    return work;
}

static lb_status run_derivatives(const lb_model *model, lb_work *work, const lb_sample *sample,
                                 double *out)
{
    const ptrdiff_t n = model->v_count;
    double *const *x = sample->values, *dq = out + n, *dv = dq + n * n;
    void *memory;
    lb_derivative_work *derivatives = make_derivatives(model, &memory);
    const lb_status status =
        derivatives
            ? lb_tree_forward_derivatives(model, work, derivatives, x[LB_ARRAY_Q], x[LB_ARRAY_V],
                                          x[LB_ARRAY_TAU], out, dq, dv, dv + n * n)
            : LB_E_MEMORY;
    free(memory);
    return status;
}

static lb_status run_motion(const lb_model *model, lb_work *work, const lb_sample *sample,
                            const lb_frozen_function *f)
{
    lb_node_motion motion;
    lb_status status = lb_compute_kinematics(model, work, sample->values[LB_ARRAY_Q],
                                             sample->values[LB_ARRAY_V], NULL);
    status =
        status < LB_OK ? status : lb_compute_node_motion(model, work, f->body, f->node, &motion);
    if (status >= LB_OK) {
        memcpy(f->result, &motion, 13 * sizeof *f->result); // all but the acceleration
    }
    return status;
}

static lb_status run_engine(const lb_model *model, lb_work *work, const lb_sample *sample,
                            const lb_frozen_function *f)
{
    double *const *x = sample->values;
    lb_status status;
    switch (f->kind) {
    case LB_TRACE_CLOSED:
    case LB_TRACE_CLOSE_POSITIONS:
    case LB_TRACE_CLOSE_SPEEDS:
        return lb_run_closed_engine(model, sample, f);
    case LB_TRACE_INVERSE:
        return lb_tree_inverse(model, work, x[LB_ARRAY_Q], x[LB_ARRAY_V], x[LB_ARRAY_A], f->result);
    case LB_TRACE_MASS:
        return lb_tree_mass_matrix(model, work, x[LB_ARRAY_Q], f->result);
    case LB_TRACE_DERIVATIVES:
        return run_derivatives(model, work, sample, f->result);
    case LB_TRACE_JACOBIAN:
        status = lb_compute_kinematics(model, work, x[LB_ARRAY_Q], x[LB_ARRAY_V], NULL);
        return status < LB_OK
                   ? status
                   : lb_compute_jacobian(model, work, f->body, f->node, LB_AXES_WORLD, f->result);
    case LB_TRACE_MOTION:
        return run_motion(model, work, sample, f);
    default:
        if (f->with_rates) {
            lb_compute_configuration_rate(model, x[LB_ARRAY_Q], x[LB_ARRAY_V],
                                          f->result + model->v_count);
        }
        return lb_tree_forward(model, work, x[LB_ARRAY_Q], x[LB_ARRAY_V], x[LB_ARRAY_TAU],
                               f->result);
    }
}

static void set_arrays(lb_frozen_function *f)
{
    f->input_count = 0;
    f->output_count = 1;
    f->inputs[f->input_count++] = LB_ARRAY_Q;
    switch (f->kind) {
    case LB_TRACE_MASS:
        f->outputs[0] = LB_ARRAY_M;
        break;
    case LB_TRACE_JACOBIAN:
        f->outputs[0] = LB_ARRAY_J;
        break;
    case LB_TRACE_MOTION:
        f->inputs[f->input_count++] = LB_ARRAY_V;
        f->outputs[0] = LB_ARRAY_MOTION;
        break;
    case LB_TRACE_INVERSE:
        f->inputs[f->input_count++] = LB_ARRAY_V;
        f->inputs[f->input_count++] = LB_ARRAY_A;
        f->outputs[0] = LB_ARRAY_TAU;
        break;
    case LB_TRACE_CLOSE_POSITIONS:
        f->outputs[0] = LB_ARRAY_Q_NEXT;
        f->outputs[f->output_count++] = LB_ARRAY_GAP;
        break;
    case LB_TRACE_CLOSE_SPEEDS:
        f->inputs[f->input_count++] = LB_ARRAY_V;
        f->outputs[0] = LB_ARRAY_V_NEXT;
        break;
    default:
        f->inputs[f->input_count++] = LB_ARRAY_V;
        f->inputs[f->input_count++] = LB_ARRAY_TAU;
        f->outputs[0] = LB_ARRAY_A;
    }
    for (int i = LB_ARRAY_DQ; f->kind == LB_TRACE_DERIVATIVES && i <= LB_ARRAY_DTAU; ++i) {
        f->outputs[f->output_count++] = i;
    }
    if (f->with_rates) {
        f->outputs[f->output_count++] = LB_ARRAY_Q_DOT;
    }
}

// The terms of a call, in one piece of memory.
typedef struct terms {
    lb_term *array[3], *out, *matrix, *memory;
    lb_term *q_given; // q without offsets
} terms;

static bool make_terms(const lb_plain_model *plain, const lb_sample *sample,
                       const lb_frozen_function *f, lb_graph *graph, terms *t)
{
    const lb_model *model = plain->model;
    const size_t n = (size_t)model->v_count, out = (size_t)lb_count_outputs(model, sample, f);
    t->memory = calloc(2 * (size_t)model->q_count + 2 * n + out + n * n + 1, sizeof *t->memory);
    lb_term *next = t->memory;
    t->q_given = next;
    next = next ? next + model->q_count : NULL;
    for (int i = 0; next && i < f->input_count; ++i) {
        const int array = f->inputs[i];
        t->array[i] = next;
        for (int j = 0; j < lb_count_array(model, sample, array); ++j) {
            const double offset = array == LB_ARRAY_Q ? plain->offsets[j] : 0.0;
            const lb_term x = lb_put_input(graph, array, j, sample->values[array][j]);
            if (array == LB_ARRAY_Q) {
                t->q_given[j] = x;
            }
            *next++ = lb_put_sum(graph, x, lb_make_constant(offset));
        }
    }
    t->out = next;
    t->matrix = next ? next + out : NULL;
    return t->memory != NULL;
}

// Sweeps that equal limbs may go through side by side.
static bool has_limbs(const lb_frozen_function *f)
{
    return f->limbs.group_count > 1 && f->kind != LB_TRACE_JACOBIAN && f->kind != LB_TRACE_MOTION &&
           f->kind != LB_TRACE_DERIVATIVES;
}

// Bodies of the copy, which may be changed.
static lb_body *get_bodies(const lb_plain_model *plain)
{
    return (lb_body *)(uintptr_t)plain->model->bodies;
}

// Records one way of a function into a graph. Where frames are steady, the numbers of bodies change.
static lb_status record_way(const lb_plain_model *plain, const lb_sample *sample,
                            const lb_frozen_function *f, lb_traced_function way, bool is_steady,
                            lb_graph *graph)
{
    const lb_model *model = plain->model;
    terms t = {.memory = NULL};
    lb_init_graph(graph);
    graph->keeps_steps = has_limbs(f);
    lb_work *work = lb_create_work(model);
    lb_status status = LB_E_MEMORY;
    void *memory = NULL;
    lb_derivative_work *derivatives =
        way == LB_TRACE_DERIVATIVES ? make_derivatives(model, &memory) : NULL;
    if (work && model->pattern) {
        lb_start_plain_loops(model, sample->closed, work);
    }
    if (work && (derivatives || way != LB_TRACE_DERIVATIVES) &&
        make_terms(plain, sample, f, graph, &t)) {
        const lb_trace_call call = {.function = way,
                                    .model = model,
                                    .work = work,
                                    .q = t.array[0],
                                    .v = t.array[1],
                                    .x = t.array[2],
                                    .matrix = t.matrix,
                                    .derivatives = derivatives,
                                    .body = f->body,
                                    .node = f->node,
                                    .out = t.out,
                                    .q_dot = f->with_rates ? t.out + model->v_count : NULL,
                                    .q_given = t.q_given,
                                    .has_steady_frames = is_steady,
                                    .packs = graph->keeps_steps ? f->limbs.packs : NULL,
                                    .loop_scales = (const lb_term *)(void *)sample->loop_scales};
        if (is_steady) {
            lb_steady_frames(graph, get_bodies(plain), model->body_count, t.array[0]);
            for (int k = 0; k < model->body_count; ++k) { // as a new workspace has it
                work->bodies[k].X.p = model->bodies[k].X_p.p;
            }
        }
        lb_set_aside aside = {NULL, NULL};
        status =
            plain->tunable ? lb_put_tunable(graph, plain->tunable, plain, work, &aside) : LB_OK;
        status = status < LB_OK ? status : (lb_status)lb_trace(graph, &call);
        if (plain->tunable) {
            lb_take_tunable(plain->tunable, &aside);
        }
        if (status >= LB_OK && way >= LB_TRACE_CLOSED && way != LB_TRACE_MOTION &&
            !lb_has_same_rank(sample, work)) {
            status = LB_E_SINGULAR;
        }
    }
    const lb_term *next = t.out;
    for (int i = 0; status >= LB_OK && i < f->output_count; ++i) {
        for (int j = 0; j < lb_count_array(model, sample, f->outputs[i]); ++j) {
            lb_put_output(graph, f->outputs[i], j, *next++);
        }
    }
    free(t.memory);
    free(memory);
    lb_destroy_work(work);
    return graph->out_of_memory ? LB_E_MEMORY : status;
}

// Frames of bodies that save operations: limbs/slide.h, limbs/steady.h
typedef struct frames {
    bool slide, are_steady;
} frames;

static lb_status record(const lb_plain_model *plain, const lb_sample *sample,
                        const lb_frozen_function *f, lb_traced_function way, frames in,
                        lb_graph *graph)
{
    const lb_model *model = plain->model;
    const size_t size = (size_t)model->body_count * sizeof *model->bodies;
    lb_body *bodies = get_bodies(plain);
    void *kept = malloc(size + 1);
    if (!kept) {
        lb_init_graph(graph);
        return LB_E_MEMORY;
    }
    memcpy(kept, bodies, size);
    if (in.slide) {
        lb_slide_origins(bodies, model->body_count);
    }
    const lb_status status = record_way(plain, sample, f, way, in.are_steady, graph);
    memcpy(bodies, kept, size);
    free(kept);
    return status;
}

// Arithmetic that the outputs need; a division is worth several products.
long lb_count_operations(const lb_graph *graph)
{
    enum { DIVISION = 8 };
    unsigned char *used = calloc((size_t)graph->node_count + 1, 1);
    long sum = used ? 0 : -1;
    if (used) {
        lb_mark_used(graph, false, used);
    }
    for (int i = 0; used && i < graph->node_count; ++i) {
        const int op = graph->nodes[i].op;
        if (used[i] && op != LB_OP_CONSTANT && op != LB_OP_INPUT) {
            sum += op == LB_OP_INVERT ? DIVISION : 1;
        }
    }
    free(used);
    return sum;
}

// Records a function once more, by another algorithm or with other frames, and keeps what is shorter.
//
// @param gain  the part of its present length that it may have
static lb_status try_another(const lb_plain_model *plain, const lb_sample *sample,
                             lb_traced_function way, frames in, double gain, lb_frozen_function *f)
{
    lb_graph other;
    const lb_status status = record(plain, sample, f, way, in, &other);
    const long here = lb_count_operations(&f->graph),
               there = status < LB_OK ? here : lb_count_operations(&other);
    if (status >= LB_OK && (double)there < gain * (double)here && here >= 0 && there >= 0) {
        const lb_graph swap = f->graph;
        f->graph = other;
        other = swap;
        f->kind = way;
    }
    lb_clear_graph(&other);
    return here < 0 || there < 0 ? LB_E_MEMORY : status;
}

static lb_status try_all_frames(const lb_plain_model *plain, const lb_sample *sample,
                                lb_frozen_function *f)
{
    static const frames all[] = {{true, false}, {false, true}, {true, true}};
    const lb_model *model = plain->model;
    const bool steady = !plain->tunable && lb_has_steady_frames(model->bodies, model->body_count);
    lb_status status = LB_OK;
    for (int i = 0; i < 3 && status >= LB_OK; ++i) {
        if (steady || !all[i].are_steady) {
            // 0.95: with less, what waits for the sines of sums costs more than it saves
            status = try_another(plain, sample, f->kind, all[i], all[i].are_steady ? 0.95 : 1.0, f);
        }
    }
    return status;
}

// Functions that know nothing of nodes.
static bool can_change_frames(const lb_model *model, const lb_frozen_function *f)
{
    return model->loop_count == 0 &&
           (f->kind == LB_TRACE_FORWARD || f->kind == LB_TRACE_FORWARD_COMPOSITE ||
            f->kind == LB_TRACE_FORWARD_BIASED || f->kind == LB_TRACE_INVERSE ||
            f->kind == LB_TRACE_MASS);
}

static lb_status try_other_ways(const lb_plain_model *plain, const lb_sample *sample,
                                lb_frozen_function *f)
{
    const lb_model *model = plain->model;
    bool rigid = true;
    for (int k = 0; k < model->body_count; ++k) {
        rigid = rigid && !model->bodies[k].flex;
    }
    const frames as_they_are = {false, false};
    lb_status status = LB_OK;
    if (rigid) {
        status = try_another(plain, sample, LB_TRACE_FORWARD_BIASED, as_they_are, 1.0, f);
    }
    // short chains are solved faster through their mass matrix, at equal counts too, since its parts need not wait for each
    // other; but factors of equal limbs do not go side by side
    if (status >= LB_OK) {
        const double gain = f->limbs.first_pack > 1 ? 0.9 : 1.05;
        status = try_another(plain, sample, LB_TRACE_FORWARD_COMPOSITE, as_they_are, gain, f);
    }
    return status;
}

lb_status lb_record_function(const lb_model *model, const lb_plain_model *plain,
                             const lb_sample *sample, lb_frozen_function *f)
{
    const frames as_they_are = {false, false};
    set_arrays(f);
    f->result = calloc((size_t)lb_count_outputs(model, sample, f) + 1, sizeof *f->result);
    lb_work *work = f->result ? lb_create_work(model) : NULL;
    if (!work) {
        return LB_E_MEMORY;
    }
    lb_status status = run_engine(model, work, sample, f);
    lb_destroy_work(work);
    if (status >= LB_OK) {
        const lb_status found = lb_find_limbs(plain->model, &f->limbs);
        status = found < LB_OK ? found : status;
    }
    if (status >= LB_OK) {
        status = record(plain, sample, f, f->kind, as_they_are, &f->graph);
    }
    if (status >= LB_OK && f->kind == LB_TRACE_FORWARD) {
        const lb_status tried = try_other_ways(plain, sample, f);
        status = tried < LB_OK ? tried : status;
    }
    if (status >= LB_OK && can_change_frames(model, f)) {
        const lb_status tried = try_all_frames(plain, sample, f);
        status = tried < LB_OK ? tried : status;
    }
    if (status >= LB_OK && has_limbs(f)) {
        bool better;
        const lb_status rolled = lb_roll_graph(&f->graph, &f->limbs, &f->rolled, &better);
        if (!better) {
            lb_clear_graph(&f->rolled);
        }
        status = rolled < LB_OK ? rolled : status;
    }
    return status;
}

lb_status lb_name_function(lb_frozen_function *f, const char *start, const char *body,
                           const char *node)
{
    const size_t size = strlen(start) + strlen(body) + strlen(node) + 3;
    f->name = malloc(size);
    if (!f->name) {
        return LB_E_MEMORY;
    }
    snprintf(f->name, size, *node ? "%s_%s_%s" : "%s", start, body, node);
    for (char *c = f->name; *c; ++c) {
        *c = (char)(isalnum((unsigned char)*c) && (unsigned char)*c < 128 ? *c : '_');
    }
    return LB_OK;
}

void lb_clear_function(lb_frozen_function *f)
{
    free(f->name);
    free(f->result);
    lb_clear_graph(&f->graph);
    lb_clear_graph(&f->rolled);
    lb_clear_limbs(&f->limbs);
}
