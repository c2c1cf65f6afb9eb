// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forces, functions of time and signals as numbers that record. Part of trace.cc, inside of its namespace.
#ifndef LB_RECORD_SIMULATION_HH
#define LB_RECORD_SIMULATION_HH

// public functions of these sources, which the library has under their own names
#define lb_apply_node_forces lb_record_node_forces
#define lb_apply_oblate_gravity lb_record_oblate_gravity
#define lb_compute_energy lb_record_energy
#define lb_compute_system_motion lb_record_system_motion
lb_status lb_record_oblate_gravity(const lb_model *model, lb_work *work,
                                   const lb_oblate_gravity *field, double *tau, double *power,
                                   double *energy);
#include "model/numbers.c"
#include "dynamics/tree/energy.c"
#include "dynamics/tree/loads.c"

#include "limber/loops.h"

// the rest are declared from here on
#undef LB_API
#define LB_API
#define lb_hinge_place lb_hinge_entry // a type there, a function of hinges here
#include "base/sized.h"
#include "simulate/forces/forces_actuator.c"
#include "simulate/forces/forces_elements.c"
#define lb_apply_term lb_apply_term_plain
#include "base/formula/terms.c"
#undef lb_apply_term

// Cases of one operation, and of one function, are put together before the next: they do not multiply.
double lb_apply_term(lb_term_op op, const double *x)
{
    double value;
    (void)lb_fork([&](double *out) { out[0] = lb_apply_term_plain(op, x); }, 1, &value);
    return value;
}
#include "simulate/signals/attitude.c"
#include "simulate/signals/expression_value.c"
#define lb_evaluate_function lb_evaluate_function_plain
#define lb_evaluate_motion lb_evaluate_motion_plain
#include "simulate/signals/functions.c"
#undef lb_evaluate_function
#undef lb_evaluate_motion

void lb_evaluate_motion(const lb_function *f, double t, double out[3])
{
    (void)lb_fork([&](double *x) { lb_evaluate_motion_plain(f, t, x); }, 3, out);
}

lb_status lb_evaluate_function(const lb_function *f, const lb_instant *instant, double *value)
{
    (void)lb_fork([&](double *out) { (void)lb_evaluate_function_plain(f, instant, out); }, 1,
                  value);
    return LB_OK;
}
#include "simulate/signals/signal_recovery.c"
#include "simulate/signals/signal_values.c"
#include "simulate/run/simulation.h"
#include "simulate/system/closure.h"
#include "simulate/system/loop_drive.c"

// derivatives of signals are not recorded
void lb_turn_slopes(const double *, int, double *)
{
    abort();
}

// What is known of one instant. Places of a plain model are those of the model at q + offsets.
struct moment {
    const lb_simulation_call *call;
    const lb_simulation *sim;
    const lb_forces *forces;
    const int *inputs;           // by force: see lb_simulation_call; NULL for none
    const unsigned char *chosen; // by force; NULL for all
    const lb_model *model;
    lb_work *work;
    double t;
    double *q, *q_plain, *v, *a, *tau;
    double *alone; // tau of one force
    unsigned char *driven;
    lb_node_force *loads;
    bool any_driven;
    int culprit;
};

static const double *get_numbers(const lb_term *x)
{
    return reinterpret_cast<const double *>(x);
}

// The function of a motion and its rates, at one time.
static bool find_motion(const moment *m, const lb_function *f, double x[3])
{
    return lb_fork([&](double *out) { lb_evaluate_motion_plain(f, m->t, out); }, 3, x);
}

// Where driven hinges are, and how their speeds change: as lb_set_driven_state. Inputs have what the function and its
// rates give, from the order of the motion on. Loops are closed where hinges with inputs are in q and v: they stay.
static lb_status drive_hinges(moment *m)
{
    const lb_forces *forces = m->sim->system.forces;
    const bool stays = m->call->part == LB_TRACE_CLOSE_Q || m->call->part == LB_TRACE_CLOSE_V;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->type != LB_FORCE_MOTION || !force->enabled) {
            continue;
        }
        lb_mark_graph(graph, force->body, "FRC-10");
        m->any_driven = true;
        m->driven[force->body] = 1;
        const int first = m->call->inputs[i];
        if (first >= 0 && stays) {
            continue;
        }
        for (int j = 0; j < force->function_count; ++j) {
            double x[3];
            if (first >= 0) {
                memcpy(x, get_numbers(m->call->u) + first + j * (3 - force->order),
                       (3 - (size_t)force->order) * sizeof *x);
            } else if (!find_motion(m, &force->functions[j], x)) {
                m->culprit = i;
                return LB_E_UNSUPPORTED;
            }
            if (force->order == 0) {
                m->q[force->q + j] = x[0];
            }
            if (force->order < 2) {
                m->v[force->v + j] = x[1 - force->order];
            }
            m->a[force->v + j] = x[2 - force->order];
        }
    }
    return LB_OK;
}

// The dynamics see unit quaternions, as in the engine.
static void take_state(moment *m)
{
    const double *q = get_numbers(m->call->q), *v = get_numbers(m->call->v);
    memcpy(m->q, q, (size_t)m->model->q_count * sizeof *q);
    memcpy(m->v, v, (size_t)m->model->v_count * sizeof *v);
    for (int k = 0; k < m->model->body_count; ++k) {
        const lb_body *b = &m->model->bodies[k];
        if (b->nq == 4 || b->nq == 7) {
            double *u = m->q + b->hinge_q;
            const double scale = 1.0 / lb_compute_norm(4, u);
            for (int i = 0; i < 4; ++i) {
                u[i] *= scale;
            }
        }
    }
}

// A function of time that is an input instead.
static lb_function make_input(double value)
{
    lb_function f;
    memset((void *)&f, 0, sizeof f);
    f.type = LB_FUNCTION_CONSTANT;
    f.value = value;
    return f;
}

static const char *get_tag(const lb_force *force)
{
    switch (force->type) {
    case LB_FORCE_SPRING:
        return force->at_nodes ? "FRC-8" : "FRC-3";
    case LB_FORCE_DAMPER:
        return force->at_nodes ? "FRC-8" : "FRC-4";
    case LB_FORCE_FRICTION:
        return "FRC-5";
    case LB_FORCE_STOP:
        return "FRC-6";
    case LB_FORCE_MOTOR:
        return "FRC-7";
    case LB_FORCE_GRAVITY_POINT:
        return "FRC-9";
    default:
        return "FRC-1";
    }
}

// One force: added to tau, or to the loads. The simulation itself is only read.
static lb_status add_force(moment *m, const lb_instant *instant, int index, int *load_count)
{
    const lb_force *force = &m->forces->forces[index];
    const int first = m->inputs ? m->inputs[index] : -1;
    const double *u = get_numbers(m->call->u) + (first < 0 ? 0 : first);
    lb_function given[3];
    for (int i = 0; first >= 0 && i < 3 && i < force->function_count; ++i) {
        given[i] = make_input(u[i]);
    }
    const auto copy_force = [&](lb_force *copy) {
        memcpy((void *)copy, (const void *)force, sizeof *copy);
        copy->functions = first >= 0 ? given : copy->functions;
    };
    lb_mark_graph(graph, force->at_nodes || force->type >= LB_FORCE_FORCE ? -1 : force->body,
                  get_tag(force));
    if (force->type == LB_FORCE_ACTUATOR) {
        m->tau[force->v] += u[0];
        return LB_OK;
    }
    if (force->type == LB_FORCE_GRAVITY_POINT) {
        double power, energy;
        return lb_record_oblate_gravity(m->model, m->work, &force->gravity, m->tau, &power,
                                        &energy);
    }
    const bool at_nodes =
        force->at_nodes || force->type == LB_FORCE_FORCE || force->type == LB_FORCE_TORQUE;
    if (!at_nodes) {
        double f;
        const bool done = lb_fork(
            [&](double *out) {
                lb_force copy;
                copy_force(&copy);
                m->alone[force->v] = 0;
                (void)lb_compute_hinge_force(&copy, instant, m->alone);
                out[0] = m->alone[force->v];
            },
            1, &f);
        m->tau[force->v] += f;
        return done ? LB_OK : LB_E_UNSUPPORTED;
    }
    const int count = force->at_nodes ? 2 : 1;
    lb_node_force *loads = m->loads + *load_count;
    double all[12];
    const bool done = lb_fork(
        [&](double *out) {
            lb_force copy;
            copy_force(&copy);
            (void)lb_compute_node_loads(&copy, instant, loads);
            for (int i = 0; i < 6 * count; ++i) {
                out[i] = loads[i / 6].force[i % 6];
            }
        },
        6 * count, all);
    for (int i = 0; i < 6 * count; ++i) {
        loads[i / 6].force[i % 6] = all[i];
    }
    *load_count += count;
    return done ? LB_OK : LB_E_UNSUPPORTED;
}

// tau of all forces, as lb_compute_forces
static lb_status add_forces(moment *m)
{
    const lb_forces *forces = m->forces;
    const lb_instant instant = lb_make_instant(m->model, m->work, m->t, m->q, m->v, NULL);
    lb_status status = LB_OK;
    int load_count = 0;
    for (int i = 0; status >= LB_OK && i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->enabled && force->type != LB_FORCE_MOTION && (!m->chosen || m->chosen[i])) {
            status = add_force(m, &instant, i, &load_count);
            m->culprit = status == LB_E_UNSUPPORTED ? i : m->culprit;
        }
    }
    if (status >= LB_OK && load_count > 0) {
        lb_mark_graph(graph, -1, "FRC-2");
        status = lb_record_node_forces(m->model, m->work, load_count, m->loads, m->tau);
    }
    return status;
}

// Hinges with given motion do not respond to loops, and loops with given motion are where they should be.
static void move_loops(moment *m)
{
    const lb_closure *closure = m->sim->system.closure;
    if (!m->model->pattern) {
        return;
    }
    for (int k = 0; k < m->model->body_count; ++k) {
        m->work->held[k] = m->driven[m->model->bodies[k].listed];
        m->work->held_count += m->work->held[k];
    }
    for (int i = 0; i < closure->drive_count; ++i) {
        lb_loop_slot *slot = &m->work->loops->slots[closure->drives[i].loop];
        lb_mark_graph(graph, -1, "CLO-5");
        lb_get_drive_motion(&closure->drives[i], m->t, &slot->motion);
        slot->moves = 1;
    }
}

// The motion in the workspace becomes the constrained one, as in lb_compute_closed_dynamics.
static void constrain_motion(const lb_model *model, lb_work *work)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        work->bodies[k].alpha = lb_vec6_add(work->bodies[k].alpha, work->y[k]);
        for (int r = 0; r < b->mode_count; ++r) {
            lb_flex_work *f = &work->flex[b->flex_index];
            f->eta_ddot[r] += f->nu_f[r];
        }
    }
}

// State, forces, and accelerations where they are wanted.
static lb_status find_motion_of_all(moment *m, bool accelerations)
{
    const lb_model *model = m->model;
    const double *tau = get_numbers(m->call->tau);
    take_state(m);
    lb_status status = drive_hinges(m);
    for (int i = 0; i < model->q_count; ++i) {
        m->q_plain[i] = m->q[i] + m->call->offsets[i];
    }
    memcpy(m->tau, tau, (size_t)model->v_count * sizeof *tau);
    move_loops(m);
    lb_run_kinematics(model, m->work, m->q_plain, m->v, NULL);
    if (status < LB_OK || !accelerations) {
        return status;
    }
    status = add_forces(m);
    if (status < LB_OK) {
        return status;
    }
    if (model->pattern) {
        status = run_closed(model, m->work, m->q_plain, m->v, m->any_driven ? m->driven : NULL,
                            m->tau, m->a);
        constrain_motion(model, m->work);
        return status;
    }
    if (m->any_driven) {
        return lb_run_hybrid_dynamics(model, m->work, m->q_plain, m->v, m->driven, m->tau, m->a);
    }
    if (!m->call->composite) {
        return lb_run_forward_dynamics(model, m->work, m->q_plain, m->v, m->tau, m->a);
    }
    const size_t n = (size_t)model->v_count;
    double *matrix = reinterpret_cast<double *>(calloc(n * n + 1, sizeof *matrix));
    if (!matrix) {
        return LB_E_MEMORY;
    }
    status =
        lb_run_forward_dynamics_composite(model, m->work, m->q_plain, m->v, m->tau, matrix, m->a);
    free(matrix);
    return status;
}

static lb_status record_close(moment *m, double *out)
{
    const lb_status status = find_motion_of_all(m, false);
    if (status < LB_OK) {
        return status;
    }
    return m->call->part == LB_TRACE_CLOSE_Q
               ? close_positions(m->model, m->work, m->q_plain, m->q, out)
               : close_speeds(m->model, m->work, m->q_plain, m->v, out);
}

static lb_status record_rates(moment *m, double *out)
{
    const lb_status status = find_motion_of_all(m, true);
    if (status >= LB_OK) {
        memcpy(out, m->a, (size_t)m->model->v_count * sizeof *out);
        // the rate of a quaternion is that of the one that is integrated, whatever its length
        double *q = m->q;
        for (int k = 0; k < m->model->body_count; ++k) {
            const lb_body *b = &m->model->bodies[k];
            if (b->nq == 4 || b->nq == 7) {
                memcpy(q + b->hinge_q, get_numbers(m->call->q) + b->hinge_q, 4 * sizeof *q);
            }
        }
        run_rates(m->model, q, m->v, out + m->model->v_count);
    }
    return status;
}

// ---- signals -----------------------------------------------------------------------------------

static lb_status record_signal(const moment *m, const lb_signal *signal, double *value)
{
    const lb_instant instant =
        lb_make_instant(m->model, m->work, m->t, m->q, m->v, m->call->accelerations ? m->a : NULL);
    return lb_fork([&](double *out) { (void)lb_evaluate_signal(signal, &instant, out); }, 1, value)
               ? LB_OK
               : LB_E_UNSUPPORTED;
}

static lb_status record_outputs(moment *m, double *out)
{
    lb_status status = find_motion_of_all(m, m->call->accelerations);
    for (int i = 0; status >= LB_OK && i < m->sim->output_count; ++i) {
        const lb_output *output = &m->sim->outputs[i];
        if (output->is_signal) {
            status = record_signal(m, &output->signal, out++);
            continue;
        }
        lb_node_motion motion;
        status = lb_record_node_motion(m->model, m->work, output->body, output->node, &motion);
        memcpy(out, &motion, sizeof motion);
        out += LB_NODE_COLUMNS;
    }
    return status;
}

static lb_status record_indicators(moment *m, double *out)
{
    const lb_forces *forces = m->sim->system.forces;
    lb_status status = find_motion_of_all(m, m->call->accelerations);
    for (int i = 0; status >= LB_OK && i < m->sim->event_count; ++i) {
        const lb_event *event = &m->sim->events[i];
        status = record_signal(m, &event->signal, out);
        *out++ -= event->value;
    }
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->type == LB_FORCE_STOP && force->enabled) {
            *out++ = m->q[force->q] - force->lower;
            *out++ = force->upper - m->q[force->q];
        }
    }
    return status;
}

// ---- actuators ---------------------------------------------------------------------------------

// An actuator that has the memory of the call.
static lb_force take_actuator(const lb_force *force, const double *memory)
{
    lb_force copy;
    memcpy((void *)&copy, (const void *)force, sizeof copy);
    copy.t_command = memory[0];
    copy.target = memory[1];
    copy.ramp = memory[2];
    copy.output = memory[3];
    return copy;
}

// A new command: memory to memory.
static bool record_command(const lb_force *force, double t, const double *memory, double command,
                           double *out)
{
    return lb_fork(
        [&](double *y) {
            lb_force copy = take_actuator(force, memory);
            lb_command_actuator(&copy, t, command);
            y[0] = copy.t_command;
            y[1] = copy.target;
            y[2] = copy.ramp;
            y[3] = copy.output;
        },
        LB_ACTUATOR_MEMORY, out);
}

static lb_status record_actuators(moment *m, double *out)
{
    const lb_forces *forces = m->sim->system.forces;
    const double *memory = get_numbers(m->call->memory), *command = get_numbers(m->call->command);
    bool done = true;
    for (int i = 0; done && i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->type != LB_FORCE_ACTUATOR || !force->enabled) {
            continue;
        }
        lb_mark_graph(graph, force->body, "CTL-1");
        if (m->call->part == LB_TRACE_ACTUATE) {
            done = lb_fork(
                [&](double *y) {
                    const lb_force copy = take_actuator(force, memory);
                    y[0] = lb_get_actuator_output(&copy, m->t);
                },
                1, out++);
        } else {
            done = record_command(force, m->t, memory, *command, out);
            out += LB_ACTUATOR_MEMORY;
            ++command;
        }
        memory += LB_ACTUATOR_MEMORY;
    }
    return done ? LB_OK : LB_E_UNSUPPORTED;
}

// q and v of driven hinges, for what else is in them
static lb_status record_place(moment *m, double *out)
{
    take_state(m);
    const lb_status status = drive_hinges(m);
    memcpy(out, m->q, (size_t)m->model->q_count * sizeof *out);
    memcpy(out + m->model->q_count, m->v, (size_t)m->model->v_count * sizeof *out);
    return status;
}

#include "record_control.hh"

static lb_status record_part(const lb_simulation_call *call, int *culprit)
{
    moment m;
    memset((void *)&m, 0, sizeof m);
    m.call = call;
    m.sim = reinterpret_cast<const lb_simulation *>(call->simulation);
    m.forces = m.sim->system.forces;
    m.inputs = call->inputs;
    m.model = reinterpret_cast<const lb_model *>(call->model);
    m.work = reinterpret_cast<lb_work *>(call->work);
    m.t = *get_numbers(call->t);
    m.culprit = -1;
    const size_t nq = (size_t)m.model->q_count, n = (size_t)m.model->v_count;
    const size_t loads = 2 * (size_t)m.sim->system.forces->count + 1;
    double *memory = reinterpret_cast<double *>(calloc(2 * nq + 4 * n + 1, sizeof *memory));
    m.loads = reinterpret_cast<lb_node_force *>(calloc(loads, sizeof *m.loads));
    m.driven = reinterpret_cast<unsigned char *>(calloc((size_t)m.model->body_count + 1, 1));
    m.q = memory;
    m.q_plain = memory + nq;
    m.v = memory + 2 * nq;
    m.a = m.v + n;
    m.tau = m.a + n;
    m.alone = m.tau + n;
    lb_status status = LB_E_MEMORY;
    double *out = reinterpret_cast<double *>(call->out);
    if (memory && m.loads && m.driven) {
        switch (call->part) {
        case LB_TRACE_RATES:
            status = record_rates(&m, out);
            break;
        case LB_TRACE_OUTPUTS:
            status = record_outputs(&m, out);
            break;
        case LB_TRACE_INDICATORS:
            status = record_indicators(&m, out);
            break;
        case LB_TRACE_CLOSE_Q:
        case LB_TRACE_CLOSE_V:
            status = record_close(&m, out);
            break;
        case LB_TRACE_PLACE:
            status = record_place(&m, out);
            break;
        case LB_TRACE_SENSE:
        case LB_TRACE_SAMPLE:
        case LB_TRACE_PLAN:
            status = record_memory(&m, call->memory_count, out);
            break;
        default:
            status = record_actuators(&m, out);
        }
    }
    free(memory);
    free(m.loads);
    free(m.driven);
    *culprit = m.culprit;
    return status;
}

#endif // LB_RECORD_SIMULATION_HH
