// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "trace.h"

#include "simulation/trace_simulation.h"
#include "traced.hh"

namespace lb_traced {

// what turned.hh has its own form of
#define lb_inertia_carry lb_inertia_carry_plain
#define lb_sym6_carry lb_sym6_carry_plain
#define lb_sym6_add_carried lb_sym6_add_carried_plain
// and below
#define lb_quat_from_mat3 lb_quat_from_mat3_plain
#include "limber/spatial.h"
#undef lb_quat_from_mat3
#undef lb_inertia_carry
#undef lb_sym6_carry
#undef lb_sym6_add_carried
#include "loops/turn_error.hh"

static lb_quat lb_quat_from_mat3(const lb_mat3 *R)
{
    double x[4];
    (void)lb_fork([&](double *out) { lb_quat_to(lb_quat_from_mat3_plain(R), out); }, 4, x);
    return lb_quat_from(x);
}

#define lb_turn_of lb_turn_of_series // it chooses a series by its argument: here it is one function
#define lb_rotation_exp lb_rotation_exp_series
#include "base/rotation.h"
#undef lb_turn_of
#undef lb_rotation_exp

static inline lb_turn lb_turn_of(double t2)
{
    lb_turn t;
    double *const parts[] = {&t.a, &t.b, &t.c, &t.b_prime, &t.c_prime};
    for (int i = 0; i < 5; ++i) {
        *parts[i] = lb_put_function(graph, LB_OP_TURN, t2.term, i);
    }
    return t;
}

static inline lb_mat3 lb_rotation_exp(lb_vec3 d)
{
    const lb_turn t = lb_turn_of(lb_vec3_dot(d, d));
    return lb_turn_matrix(d, t.a, t.b);
}

#define lb_revolute_step_velocity lb_revolute_step_velocity_plain
#define lb_revolute_step_motion lb_revolute_step_motion_plain
#define lb_revolute_hand_over lb_revolute_hand_over_plain
#include "dynamics/tree/revolute_steps.h"
#undef lb_revolute_step_velocity
#undef lb_revolute_step_motion
#undef lb_revolute_hand_over
#include "turned.hh"

// The model whose columns are marked, and its packs, while lb_trace runs; NULL for none.
static thread_local const lb_model *marked;
static thread_local const lb_limb_pack *packs;

#define lb_start_force lb_start_force_plain
#define lb_get_gyroscopic_force lb_get_gyroscopic_force_plain
#include "dynamics/tree/steps.h"
#undef lb_start_force
#undef lb_get_gyroscopic_force
#include "spun.hh"


static void mark_column(int speed)
{
    for (int k = 0; marked && k < marked->body_count; ++k) {
        const lb_body *b = &marked->bodies[k];
        const int width = b->mode_count + b->nv;
        if (speed >= b->speed && speed < b->speed + width && packs && packs[b->listed].group) {
            lb_mark_pack(graph, packs[b->listed].lane, packs[b->listed].group, true);
        } else if (speed >= b->speed && speed < b->speed + width) {
            // the few of a rigid body belong to its limb
            lb_mark_lane(graph, b->mode_count ? speed - b->speed : 0, b->mode_count ? width : 0);
        }
    }
}

// public functions of these sources, which the library has under their own names: they are declared before, since
// others would be exported
#include "dynamics/loops/loop_products.h"
#include "dynamics/tree/tree.h"
#define lb_compute_jacobian lb_record_jacobian
#define lb_compute_jacobian_rate lb_record_jacobian_rate
#define lb_tree_admittance lb_record_admittance
#define lb_compute_node_motion lb_record_node_motion
#define lb_apply_loop_jacobian lb_record_loop_jacobian
#define lb_apply_loop_forces lb_record_loop_forces
#define lb_get_active_row_count lb_record_active_row_count
#define lb_form_loop_jacobian lb_record_formed_loop_jacobian
#define lb_compute_loop_bias lb_record_loop_bias
#define lb_compute_loop_gaps lb_record_loop_gaps
#define lb_is_loop_flipped lb_record_loop_flip
#define lb_compute_loop_errors lb_record_loop_errors

#include "base/symmetric.c"
#include "dynamics/derivatives/derivative_columns.c"
#include "dynamics/derivatives/derivative_flex.c"
#include "dynamics/derivatives/derivative_ruthless.c"
#include "dynamics/derivatives/derivative_solve.c"
#include "dynamics/derivatives/derivative_sweep.c"
#include "model/modal/appendix_c_bias.c"
#include "model/modal/flex_inertia.c"
#include "dynamics/tree/angles.c"
#include "dynamics/tree/articulated_body.c"
#include "dynamics/tree/composite_body.c"
#include "dynamics/tree/eliminate.c"
#include "dynamics/tree/flexible.c"
#include "dynamics/tree/inverse.c"
#include "dynamics/tree/jacobian.c"
#include "dynamics/tree/kinematics.c"
#include "dynamics/tree/node_motion.c"
#include "dynamics/tree/ruthless.c"
#include "loops/recorded_loops.hh"

// (DER-1) and what follows, as lb_compute_forward_derivatives does it
static lb_status differentiate(const lb_trace_call *call, const lb_model *model, lb_work *work,
                               const double *q, const double *v, const double *tau, double *a)
{
    lb_derivative_work *s = reinterpret_cast<lb_derivative_work *>(call->derivatives);
    const ptrdiff_t n = model->v_count;
    const lb_status status = lb_run_forward_dynamics(model, work, q, v, tau, a);
    if (status < LB_OK) {
        return status;
    }
    memcpy(s->q, q, (size_t)model->q_count * sizeof *q);
    memcpy(s->v, v, (size_t)n * sizeof *v);
    memcpy(s->a, a, (size_t)n * sizeof *a);
    lb_sweep_derivatives(model, work, s);
    double *da_dq = a + n, *da_dv = da_dq + n * n, *da_dtau = da_dv + n * n;
    if (s->by_columns) {
        lb_solve_derivative_columns(model, work, s, NULL, da_dq, da_dv, da_dtau);
        return status;
    }
    const lb_status solved = lb_solve_derivatives(model, work, s, NULL, da_dq, da_dv, da_dtau);
    return solved < LB_OK ? solved : status;
}

// Forward dynamics of rigid bodies in two parts: the motion in which all hinge accelerations are zero, with the forces that it
// takes (RNE-1), (RNE-2), and what the hinges change of it (ABA-2), (ABA-3), for which nothing moves at first: P a and the
// gyroscopic forces of the sweep inwards are in the first part already.
static lb_status run_biased(const lb_model *model, lb_work *work, const double *q, const double *v,
                            const double *tau, double *a)
{
    lb_compute_angles(model, work, q);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        lb_step_position(model, work, k, q);
        if (b->simple) {
            LB_MARK(b, "RNE-1");
            work->beta[b->dof] = v[b->hinge_v];
            lb_revolute_step_motion(&work->bodies[k], &work->bodies[b->parent], v[b->hinge_v], 0.0);
        } else {
            lb_step_velocity(model, work, k, q, v);
            lb_step_acceleration(model, work, k, NULL);
        }
    }
    for (int k = 0; k < model->body_count; ++k) {
        lb_start_force(model, work, k);
        write_inertia(&model->bodies[k].M, &work->bodies[k].P);
        work->bodies[k].a = lb_vec6_zero();
    }
    work->bodies[-1].alpha = lb_vec6_zero();
    const lb_status status = sweep_inwards(model, work, NULL, tau, a);
    if (status >= LB_OK) {
        sweep_outwards(model, work, NULL, NULL, a);
    }
    return status;
}

static lb_status run(const lb_trace_call *call)
{
    // the same memory, seen as numbers that record
    const lb_model *model = reinterpret_cast<const lb_model *>(call->model);
    lb_work *work = reinterpret_cast<lb_work *>(call->work);
    const double *q = reinterpret_cast<const double *>(call->q);
    const double *v = reinterpret_cast<const double *>(call->v);
    const double *x = reinterpret_cast<const double *>(call->x);
    double *out = reinterpret_cast<double *>(call->out);
    double *matrix = reinterpret_cast<double *>(call->matrix);
    switch (call->function) {
    case LB_TRACE_FORWARD:
        return lb_run_forward_dynamics(model, work, q, v, x, out);
    case LB_TRACE_FORWARD_COMPOSITE:
        return lb_run_forward_dynamics_composite(model, work, q, v, x, matrix, out);
    case LB_TRACE_FORWARD_BIASED:
        return run_biased(model, work, q, v, x, out);
    case LB_TRACE_INVERSE:
        return lb_run_inverse_dynamics(model, work, q, v, x, out);
    case LB_TRACE_MASS:
        return lb_run_mass_matrix(model, work, q, out);
    case LB_TRACE_DERIVATIVES:
        return differentiate(call, model, work, q, v, x, out);
    case LB_TRACE_CLOSED:
        return run_closed(model, work, q, v, NULL, const_cast<double *>(x), out);
    case LB_TRACE_CLOSE_POSITIONS:
        return close_positions(model, work, q, reinterpret_cast<const double *>(call->q_given), out);
    case LB_TRACE_CLOSE_SPEEDS:
        return close_speeds(model, work, q, v, out);
    case LB_TRACE_JACOBIAN:
        lb_run_kinematics(model, work, q, NULL, NULL);
        return lb_record_jacobian(model, work, call->body, call->node, LB_AXES_WORLD, out);
    case LB_TRACE_MOTION: {
        lb_run_kinematics(model, work, q, v, NULL);
        lb_node_motion motion;
        const lb_status status =
            lb_record_node_motion(model, work, call->body, call->node, &motion);
        memcpy(out, &motion, 13 * sizeof *out);
        return status;
    }
    }
    return LB_E_ARGUMENT;
}

// dq/dt, as lb_compute_configuration_rate has it
static void run_rates(const lb_model *model, const double *q, const double *v, double *q_dot)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int r = 0; r < b->mode_count; ++r) {
            q_dot[b->q + r] = v[b->v + r];
        }
        lb_hinge_q_dot(b, q + b->hinge_q, v + b->hinge_v, q_dot + b->hinge_q);
    }
}

#include "simulation/record_simulation.hh"

} // namespace lb_traced

int lb_trace_simulation(lb_graph *graph, const lb_simulation_call *call, int *culprit)
{
    lb_traced::graph = graph;
    lb_traced::loop_scales = call->loop_scales;
    lb_traced::marked = NULL;
    lb_traced::packs = NULL;
    lb_traced::has_steady_frames = false;
    const int status = lb_traced::record_part(call, culprit);
    lb_traced::graph = NULL;
    return status;
}

int lb_trace(lb_graph *graph, const lb_trace_call *call)
{
    lb_traced::graph = graph;
    lb_traced::loop_scales = call->loop_scales;
    lb_traced::marked = reinterpret_cast<const lb_traced::lb_model *>(call->model);
    lb_traced::packs = call->packs;
    lb_traced::has_steady_frames = call->has_steady_frames;
    const int status = lb_traced::run(call);
    if (call->q_dot) {
        using namespace lb_traced;
        lb_mark_graph(graph, -1, "KIN-2"); // these belong to no limb
        run_rates(reinterpret_cast<const lb_model *>(call->model),
                  reinterpret_cast<const number *>(call->q), reinterpret_cast<const number *>(call->v),
                  reinterpret_cast<number *>(call->q_dot));
    }
    lb_traced::graph = NULL;
    return status;
}
