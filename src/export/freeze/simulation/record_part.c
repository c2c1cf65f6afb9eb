// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs of the functions of a simulation, and what the engine computes in their place.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/laws/laws.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "export/freeze/loops/frozen_loops.h"
#include "frozen_simulation.h"
#include "limber/dynamics.h"
#include "limber/loops.h"
#include "limber/work.h"
#include "simulate/forces/force_set.h"

// ---- the engine --------------------------------------------------------------------------------

// The state of a comparison, as the engine sees it.
typedef struct state {
    lb_work *work;
    bool is_shared; // the work is not its own
    double *q, *v, *a, *tau;
    unsigned char *driven;
} state;

static bool make_state(const lb_model *model, const lb_sample *sample, state *s)
{
    const size_t nq = (size_t)model->q_count, n = (size_t)model->v_count;
    // loops close where those of the sample do
    *s = (state){.work = sample->closed ? sample->closed : lb_create_work(model),
                 .is_shared = sample->closed != NULL,
                 .q = calloc(nq + 3 * n + 1, sizeof *s->q),
                 .driven = calloc((size_t)model->body_count + 1, 1)};
    if (!s->work || !s->q || !s->driven) {
        return false;
    }
    s->v = s->q + nq;
    s->a = s->v + n;
    s->tau = s->a + n;
    memcpy(s->q, sample->values[LB_ARRAY_Q], nq * sizeof *s->q);
    memcpy(s->v, sample->values[LB_ARRAY_V], n * sizeof *s->v);
    memcpy(s->tau, sample->values[LB_ARRAY_TAU], n * sizeof *s->tau);
    return true;
}

static void clear_state(state *s)
{
    if (s->work && !s->is_shared) {
        lb_destroy_work(s->work);
    }
    free(s->q);
    free(s->driven);
}

// What stands in the place of the functions of a force: three at most, since motions drive no hinge with a quaternion.
typedef struct given {
    lb_function functions[3];
    double starts[2], coefficients[3][3];
} given;

// A motion with the values of u at t:  x(s) = u0 + u1 (s - t) + u2 (s - t)^2 / 2
static void give_motion(lb_force *force, const double *u, double t, given *g)
{
    const int count = 3 - force->order;
    g->starts[0] = t;
    g->starts[1] = INFINITY;
    for (int i = 0; i < force->function_count && i < 3; ++i) {
        for (int j = 0; j < count; ++j) {
            g->coefficients[i][j] = u[i * count + j] / (j == 2 ? 2.0 : 1.0);
        }
        g->functions[i] = (lb_function){.type = LB_FUNCTION_PIECES,
                                        .piece_count = 1,
                                        .coefficient_count = count,
                                        .starts = g->starts,
                                        .coefficients = g->coefficients[i]};
    }
    force->functions = g->functions;
}

// A force with u in the place of its functions; restored by the caller from a copy.
static void give_input(lb_force *force, const double *u, double t, given *g, double *tau)
{
    if (force->type == LB_FORCE_MOTION) {
        give_motion(force, u, t, g);
        return;
    }
    if (force->type == LB_FORCE_ACTUATOR) {
        force->enabled = false;
        tau[force->v] += u[0];
        return;
    }
    for (int i = 0; i < force->function_count && i < 3; ++i) {
        g->functions[i] = (lb_function){.type = LB_FUNCTION_CONSTANT, .value = u[i]};
    }
    force->functions = g->functions;
}

// The state of driven hinges, then tau and driven accelerations of all forces at the sample, with its inputs.
static lb_status compute_forces(const frozen_simulation *f, const lb_sample *sample, state *s)
{
    lb_forces *forces = f->sim->system.forces;
    const size_t count = (size_t)forces->count;
    const double t = sample->values[LB_ARRAY_TIME][0];
    lb_force *kept = malloc((count + 1) * sizeof *kept);
    given *all = calloc(count + 1, sizeof *all);
    lb_status status = kept && all ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        if (count > 0) {
            memcpy(kept, forces->forces, count * sizeof *kept);
        }
        for (size_t i = 0; i < count; ++i) {
            if (f->inputs[i] >= 0) {
                give_input(&forces->forces[i], sample->values[LB_ARRAY_U] + f->inputs[i], t,
                           &all[i], s->tau);
            }
        }
        status = lb_set_driven_state(forces, f->model, t, s->q, s->v);
        status = status < 0 ? status : lb_compute_kinematics(f->model, s->work, s->q, s->v, NULL);
        status = status < 0 ? status
                            : lb_compute_forces(forces, f->model, s->work, t, s->q, s->v, s->tau,
                                                s->driven, s->a);
        if (count > 0) {
            memcpy(forces->forces, kept, count * sizeof *kept);
        }
    }
    free(kept);
    free(all);
    return status;
}

static lb_status compute_motion(const frozen_simulation *f, const lb_sample *sample, state *s)
{
    const lb_model *model = f->model;
    const lb_status status = compute_forces(f, sample, s);
    if (status < 0) {
        return status;
    }
    if (sample->closed) {
        return lb_closed_forward(model, s->work, s->q, s->v, s->driven, s->tau, s->a, NULL, NULL);
    }
    return lb_has_motion(f->sim->system.forces)
               ? lb_tree_hybrid(model, s->work, s->q, s->v, s->driven, s->tau, s->a)
               : lb_tree_forward(model, s->work, s->q, s->v, s->tau, s->a);
}

static lb_status compute_outputs(const frozen_simulation *f, const lb_instant *at, double *out)
{
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < f->sim->output_count; ++i) {
        const lb_output *output = &f->sim->outputs[i];
        if (output->is_signal) {
            status = lb_evaluate_signal(&output->signal, at, out++);
            continue;
        }
        lb_node_motion m;
        status = lb_compute_node_motion(f->model, at->work, output->body, output->node, &m);
        memcpy(out, &m, sizeof m);
        out += LB_NODE_COLUMNS;
    }
    return status;
}

static lb_status compute_indicators(const frozen_simulation *f, const lb_instant *at, double *out)
{
    const lb_forces *forces = f->sim->system.forces;
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < f->sim->event_count; ++i) {
        status = lb_evaluate_signal(&f->sim->events[i].signal, at, out);
        *out++ -= f->sim->events[i].value;
    }
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->enabled && force->type == LB_FORCE_STOP) {
            *out++ = at->q[force->q] - force->lower;
            *out++ = force->upper - at->q[force->q];
        }
    }
    return status;
}

static void compute_actuators(const frozen_simulation *f, const lb_sample *sample, bool commanded,
                              double *out)
{
    const lb_forces *forces = f->sim->system.forces;
    const double *memory = sample->values[LB_ARRAY_MEMORY];
    const double *command = sample->values[LB_ARRAY_COMMAND], t = sample->values[LB_ARRAY_TIME][0];
    for (int i = 0; i < forces->count; ++i) {
        lb_force force = forces->forces[i];
        if (!force.enabled || force.type != LB_FORCE_ACTUATOR) {
            continue;
        }
        force.t_command = memory[0];
        force.target = memory[1];
        force.ramp = memory[2];
        force.output = memory[3];
        memory += LB_ACTUATOR_MEMORY;
        if (!commanded) {
            *out++ = lb_get_actuator_output(&force, t);
            continue;
        }
        lb_command_actuator(&force, t, *command++);
        *out++ = force.t_command;
        *out++ = force.target;
        *out++ = force.ramp;
        *out++ = force.output;
    }
}

static lb_status run_engine(const frozen_simulation *f, const lb_sample *sample,
                            lb_frozen_function *function)
{
    const lb_traced_part part = (lb_traced_part)(function->part - 1);
    if (part >= LB_TRACE_PLACE) {
        // samples are compared in time, by tests
        if (part == LB_TRACE_ACTUATE || part == LB_TRACE_COMMAND) {
            compute_actuators(f, sample, part == LB_TRACE_COMMAND, function->result);
        }
        return LB_OK;
    }
    state s;
    lb_status status =
        make_state(f->model, sample, &s) ? compute_motion(f, sample, &s) : LB_E_MEMORY;
    if (status >= 0) {
        const lb_instant at =
            lb_make_instant(f->model, s.work, sample->values[LB_ARRAY_TIME][0], s.q, s.v, s.a);
        if (part == LB_TRACE_RATES) {
            memcpy(function->result, s.a, (size_t)f->model->v_count * sizeof *s.a);
            lb_compute_configuration_rate(f->model, s.q, s.v, function->result + f->model->v_count);
        } else {
            status = part == LB_TRACE_OUTPUTS ? compute_outputs(f, &at, function->result)
                                              : compute_indicators(f, &at, function->result);
        }
    }
    clear_state(&s);
    return status;
}

// ---- graphs ------------------------------------------------------------------------------------

typedef struct terms {
    lb_term *array[LB_ARRAY_COUNT], *out, *memory;
} terms;

static bool make_terms(const frozen_simulation *f, const lb_sample *sample,
                       const lb_frozen_function *function, lb_graph *graph, terms *t)
{
    // what a part does not read is there all the same: places in q and v count
    static const int always[] = {LB_ARRAY_TIME, LB_ARRAY_Q,       LB_ARRAY_V,    LB_ARRAY_TAU,
                                 LB_ARRAY_U,    LB_ARRAY_COMMAND, LB_ARRAY_NOISE};
    enum { MOST = sizeof always / sizeof *always };
    size_t count = (size_t)lb_count_outputs(f->model, sample, function) + 1;
    for (int array = 0; array < LB_ARRAY_COUNT; ++array) {
        count += (size_t)lb_count_array(f->model, sample, array);
    }
    memset(t, 0, sizeof *t);
    lb_term *next = t->memory = calloc(count, sizeof *t->memory);
    for (int i = 0; next && i <= MOST; ++i) {
        const int memory =
            function->outputs[0] == LB_ARRAY_MEMORY ? LB_ARRAY_BEFORE : LB_ARRAY_MEMORY;
        const int array = i < MOST ? always[i] : memory;
        t->array[array] = next;
        for (int j = 0; j < lb_count_array(f->model, sample, array); ++j) {
            *next++ = lb_put_input(graph, array, j, sample->values[array][j]);
        }
    }
    t->out = next;
    return next != NULL;
}

static void put_outputs(const frozen_simulation *f, const lb_sample *sample,
                        const lb_frozen_function *function, const terms *t, lb_graph *graph)
{
    const lb_term *next = t->out;
    for (int i = 0; i < function->output_count; ++i) {
        const int array = function->outputs[i];
        // the inputs behind those of actuators are the caller's
        const int count = array == LB_ARRAY_U ? f->lists.counts[LB_FROZEN_COMMANDS]
                                              : lb_count_array(f->model, sample, array);
        for (int j = 0; j < count; ++j, ++next) {
            // what is replaced in part keeps the rest
            const int before = array == LB_ARRAY_MEMORY ? LB_ARRAY_BEFORE : array;
            const bool partly = function->replaces || array == LB_ARRAY_MEMORY;
            if (!partly || next->bits != t->array[before][j].bits) {
                lb_put_output(graph, array, j, *next);
            }
        }
    }
}

// The model that a controller has; NULL for none.
static const lb_plan *get_plan(const frozen_simulation *f, const lb_frozen_function *function)
{
    const int part = function->part - 1;
    const lb_torque_law *law =
        part == LB_TRACE_SAMPLE || part == LB_TRACE_PLAN
            ? lb_get_planned_law(&f->sim->control->controllers[function->subject])
            : NULL;
    return law ? law->plan : NULL;
}

static lb_status record(const frozen_simulation *f, const lb_sample *sample,
                        const lb_frozen_function *function, bool composite, lb_graph *graph,
                        int *culprit)
{
    terms t = {.memory = NULL};
    lb_plain_model plain;
    lb_init_graph(graph);
    lb_status status = lb_make_plain(f->model, f->shares, &plain);
    if (status != LB_OK) {
        return status;
    }
    lb_work *work = lb_create_work(plain.model), *plan_work = NULL;
    lb_plain_model plan = {.model = NULL};
    const lb_plan *own = get_plan(f, function);
    if (own) {
        const bool shares = !own->forces || !lb_do_forces_need_inertias(own->forces);
        status = lb_make_plain(own->model, shares, &plan);
        plan_work = status == LB_OK ? lb_create_work(plan.model) : NULL;
    }
    status = LB_E_MEMORY;
    if (work && !own == !plan_work && make_terms(f, sample, function, graph, &t)) {
        if (plain.model->pattern) {
            lb_start_plain_loops(plain.model, sample->closed, work);
        }
        const lb_traced_part part = (lb_traced_part)(function->part - 1);
        const lb_frozen_sampler *group =
            part == LB_TRACE_SENSE ? &f->control.samplers[function->subject] : NULL;
        const lb_simulation_call call = {
            .part = part,
            .simulation = f->sim,
            .model = plain.model,
            .work = work,
            .offsets = plain.offsets,
            .inputs = f->inputs,
            .composite = composite,
            .accelerations = group ? lb_needs_accelerations(f->sim, group->rate)
                             : part == LB_TRACE_OUTPUTS ? f->output_accelerations
                                                        : f->indicator_accelerations,
            .subject = function->subject,
            .rate = group ? group->rate : 0.0,
            .count_at = group ? group->at : 0,
            .memory_count = f->lists.counts[LB_FROZEN_MEMORY],
            .places = f->places,
            .actuators = f->actuators,
            .plan_model = plan.model,
            .plan_work = plan_work,
            .plan_offsets = plan.offsets,
            .loop_scales = (const lb_term *)(void *)sample->loop_scales,
            .t = t.array[LB_ARRAY_TIME],
            .q = t.array[LB_ARRAY_Q],
            .v = t.array[LB_ARRAY_V],
            .tau = t.array[LB_ARRAY_TAU],
            .u = t.array[LB_ARRAY_U],
            .memory = t.array[function->outputs[0] == LB_ARRAY_MEMORY ? LB_ARRAY_BEFORE
                                                                      : LB_ARRAY_MEMORY],
            .command = t.array[LB_ARRAY_COMMAND],
            .noise = t.array[LB_ARRAY_NOISE],
            .out = t.out};
        lb_set_aside aside = {NULL, NULL};
        status =
            sample->tunable ? lb_put_tunable(graph, sample->tunable, &plain, work, &aside) : LB_OK;
        status = status < 0 ? status : (lb_status)lb_trace_simulation(graph, &call, culprit);
        if (sample->tunable) {
            lb_take_tunable(sample->tunable, &aside);
        }
    }
    if (status >= 0 && function->with_rates && plain.model->pattern &&
        !lb_has_same_rank(sample, work)) {
        status = LB_E_SINGULAR;
    }
    if (status >= 0) {
        put_outputs(f, sample, function, &t, graph);
    }
    free(t.memory);
    lb_destroy_work(work);
    lb_destroy_work(plan_work);
    lb_clear_plain(&plan);
    lb_clear_plain(&plain);
    return graph->out_of_memory ? LB_E_MEMORY : status;
}

lb_status lb_record_part(void *user, const lb_sample *sample, lb_frozen_function *function,
                         const lb_report *report)
{
    const frozen_simulation *f = user;
    int culprit = -1;
    const size_t count = (size_t)lb_count_outputs(f->model, sample, function) + 1;
    function->result = calloc(count, sizeof *function->result);
    lb_status status = function->result ? run_engine(f, sample, function) : LB_E_MEMORY;
    status = status < 0 ? status : record(f, sample, function, false, &function->graph, &culprit);
    if (status == LB_E_UNSUPPORTED) {
        const int controller =
            function->part == 1 + (int)LB_TRACE_SAMPLE ? function->subject : LB_NOT_FOUND;
        return lb_refuse_to_freeze(report, status, "%s: '%s' has too many cases to be frozen",
                                   function->name,
                                   culprit >= 0      ? f->sim->system.forces->forces[culprit].name
                                   : controller >= 0 ? f->sim->control->controllers[controller].name
                                                     : "");
    }
    if (status >= 0 && function->with_rates && !lb_has_motion(f->sim->system.forces) &&
        !sample->closed) {
        // as lb_record_function
        lb_graph other;
        status = record(f, sample, function, true, &other, &culprit);
        const long here = lb_count_operations(&function->graph),
                   there = lb_count_operations(&other);
        if (status >= 0 && here >= 0 && there >= 0 && (double)there < 0.9 * (double)here) {
            const lb_graph swap = function->graph;
            function->graph = other;
            other = swap;
        }
        lb_clear_graph(&other);
        status = here < 0 || there < 0 ? LB_E_MEMORY : status;
    }
    return status;
}
