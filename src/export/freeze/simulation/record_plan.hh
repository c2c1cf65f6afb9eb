// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Laws that know the dynamics, as numbers that record. Part of record_control.hh.
#ifndef LB_RECORD_PLAN_HH
#define LB_RECORD_PLAN_HH

// The sample that is recorded: functions of the engine are called as in its own sources.
static thread_local const moment *planning;

// q of a plain model
static const double *shift(const lb_model *model, const double *q, double *shifted)
{
    const auto *offsets = planning->call->plan_offsets;
    for (int i = 0; i < model->q_count; ++i) {
        shifted[i] = q[i] + offsets[i];
    }
    return shifted;
}

// Calls a sweep with that q.
template <class Sweep> static lb_status sweep(const lb_model *model, const double *q, Sweep run)
{
    double *shifted =
        reinterpret_cast<double *>(calloc((size_t)model->q_count + 1, sizeof *shifted));
    const lb_status status = shifted ? run(shift(model, q, shifted)) : LB_E_MEMORY;
    free(shifted);
    return status;
}

static lb_status plan_kinematics(const lb_model *model, lb_work *work, const double *q,
                                 const double *v, const double *)
{
    return sweep(model, q, [&](const double *x) {
        lb_run_kinematics(model, work, x, v, NULL);
        return LB_OK;
    });
}

static lb_status plan_inverse(const lb_model *model, lb_work *work, const double *q,
                              const double *v, const double *a, double *tau)
{
    return sweep(model, q, [&](const double *x) {
        return lb_run_inverse_dynamics(model, work, x, v, a, tau);
    });
}

static lb_status plan_hybrid(const lb_model *model, lb_work *work, const double *q, const double *v,
                             const unsigned char *driven, double *tau, double *a)
{
    return sweep(model, q, [&](const double *x) {
        return lb_run_hybrid_dynamics(model, work, x, v, driven, tau, a);
    });
}

static lb_status plan_forward(const lb_model *model, lb_work *work, const double *q,
                              const double *v, const double *tau, double *a)
{
    return sweep(model, q, [&](const double *x) {
        return lb_run_forward_dynamics(model, work, x, v, tau, a);
    });
}

// Forces of the plan's own elements, at its state.
static lb_status plan_forces(lb_forces *forces, const lb_model *model, lb_work *work, double t,
                             double *q, double *v, const unsigned char *chosen, double *tau, void *,
                             void *)
{
    moment p;
    memset((void *)&p, 0, sizeof p);
    p.call = planning->call;
    p.sim = planning->sim;
    p.forces = forces;
    p.chosen = chosen;
    p.model = model;
    p.work = work;
    p.t = t;
    p.q = q;
    p.v = v;
    p.tau = tau;
    p.loads =
        reinterpret_cast<lb_node_force *>(calloc(2 * (size_t)forces->count + 1, sizeof *p.loads));
    p.alone = reinterpret_cast<double *>(calloc((size_t)model->v_count + 1, sizeof *p.alone));
    const lb_status status = p.loads && p.alone ? add_forces(&p) : LB_E_MEMORY;
    free(p.loads);
    free(p.alone);
    return status;
}

#define lb_compute_kinematics plan_kinematics
#define lb_tree_inverse plan_inverse
#define lb_tree_hybrid plan_hybrid
#define lb_tree_forward plan_forward
#define lb_compute_chosen_forces plan_forces
#include "control/laws/sample_plan.c"
#include "control/laws/sample_regulator.c"
#undef lb_compute_kinematics
#undef lb_tree_inverse
#undef lb_tree_hybrid
#undef lb_tree_forward
#undef lb_compute_chosen_forces

// Plans with deformations to follow are refused.
lb_status lb_follow_deformations(const lb_deformations *, lb_plan *, const lb_controller *,
                                 double *)
{
    return LB_OK;
}

// The file does that by a loop around LB_TRACE_PLAN.
lb_status lb_advance_plan(lb_plan *, double)
{
    return LB_OK;
}

// (CTL-9) with the rows and columns of M^-1 that belong to the channels: accelerations are linear in tau.
lb_status lb_match_accelerations(lb_torque_law *own, const lb_controller *c)
{
    lb_plan *plan = own->plan;
    const lb_model *model = plan->model;
    const size_t n = (size_t)model->v_count, m = (size_t)c->sample.channel_count;
    double *M = reinterpret_cast<double *>(calloc(n * n + n * m + n + 1, sizeof *M));
    if (!M) {
        return LB_E_MEMORY;
    }
    double *columns = M + n * n, *force = columns + n * m;
    for (size_t i = 0; i < n; ++i) {
        force[i] = plan->tau[i] + plan->force[i];
    }
    const lb_status status = sweep(model, plan->q, [&](const double *x) {
        return lb_run_forward_dynamics_composite(model, plan->work, x, plan->v, force, M, plan->a);
    });
    for (size_t i = 0; status >= LB_OK && i < m; ++i) {
        columns[i * n + (size_t)plan->v_at[i]] = 1.0;
        solve_tree(model, M, columns + i * n);
    }
    lb_mark_graph(graph, -1, "CTL-9");
    for (int s = 0; status >= LB_OK && s < own->sweep_count; ++s) {
        for (int i = (int)m - 1; i >= 0; --i) {
            const double *column = columns + (size_t)i * n;
            const int at = plan->v_at[i];
            const double more = (own->wanted[i] - plan->a[at]) / column[at];
            plan->tau[at] += more;
            for (size_t j = 0; j < n; ++j) {
                plan->a[j] += column[j] * more;
            }
        }
    }
    free(M);
    return status;
}
#include "control/laws/sample_torque.c"

// Modes and integrated hinges are known at the first sample only.
static void begin_estimate(const moment *m, const lb_controller *c, const lb_torque_law *own,
                           lb_plan *plan)
{
    const double count = get_numbers(m->call->memory)[m->call->places[m->call->subject].count];
    const lb_model *plant = m->model;
    for (int k = 0; k < plan->body_count; ++k) {
        if (!lb_has_modes_of_twin(plan, plant, k)) {
            continue;
        }
        const int q = lb_get_q_offset(plan->model, k), v = lb_get_v_offset(plan->model, k);
        const int q_twin = lb_get_q_offset(plant, plan->twin[k]),
                  v_twin = lb_get_v_offset(plant, plan->twin[k]);
        for (int r = 0; r < lb_get_mode_count(plan->model, k); ++r) {
            plan->q[q + r] = select(count, 0.5, plan->q[q + r], m->q[q_twin + r]);
            plan->v[v + r] = select(count, 0.5, plan->v[v + r], m->v[v_twin + r]);
        }
    }
    for (int i = 0; own->whole && i < c->sample.channel_count; ++i) {
        double *q = &plan->q[plan->q_at[i]], *v = &plan->v[plan->v_at[i]];
        *q = select(count, 0.5, *q, c->position[i]);
        *v = select(count, 0.5, *v, c->speed[i]);
    }
}

// A plan and its law with numbers of their own.
struct plan_copy {
    lb_torque_law own;
    lb_plan plan;
    lb_regulator regulator;
    double *numbers;
};

static bool copy_plan(const moment *m, const lb_controller *c, plan_copy *copy)
{
    memcpy((void *)&copy->own, c->own, sizeof copy->own);
    memcpy((void *)&copy->plan, (const void *)copy->own.plan, sizeof copy->plan);
    lb_plan *plan = &copy->plan;
    const size_t nq = (size_t)plan->q_count, n = (size_t)plan->v_count,
                 channels = (size_t)c->sample.channel_count;
    double *next = copy->numbers =
        reinterpret_cast<double *>(calloc(2 * nq + 11 * n + channels + 1, sizeof *next));
    if (!next) {
        return false;
    }
    plan->model = reinterpret_cast<const lb_model *>(m->call->plan_model);
    plan->work = reinterpret_cast<lb_work *>(m->call->plan_work);
    plan->q = next;
    plan->q0 = next + nq;
    next += 2 * nq;
    double **const vectors[] = {&plan->v,     &plan->a,     &plan->tau,  &plan->force,   &plan->v0,
                                &plan->v_sum, &plan->a_sum, &plan->step, &copy->own.unit};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i, next += n) {
        *vectors[i] = next;
    }
    if (copy->own.regulator) {
        memcpy((void *)&copy->regulator, (const void *)copy->own.regulator, sizeof copy->regulator);
        copy->regulator.deflection = next;
        copy->regulator.scratch = next + n;
        copy->own.regulator = &copy->regulator;
    }
    copy->own.wanted = next + 2 * n;
    copy->own.plan = plan;
    return true;
}

// What a plan keeps in memory, one behind the other: q, v, tau, force, a.
//
// @param out  into memory, not out of it
static void keep_plan(lb_plan *plan, double *kept, bool out)
{
    double *const vectors[] = {plan->q, plan->v, plan->tau, plan->force, plan->a};
    for (int i = 0; i < 5; ++i) {
        const size_t count = (size_t)(i == 0 ? plan->q_count : plan->v_count);
        memcpy(out ? kept : vectors[i], out ? vectors[i] : kept, count * sizeof *kept);
        kept += count;
    }
}

static lb_status run_torque(const moment *m, lb_controller *c, lb_simulation *sim, double *kept)
{
    plan_copy copy;
    if (!copy_plan(m, c, &copy)) {
        return LB_E_MEMORY;
    }
    const bool estimates = copy.own.modes == LB_LAW_MODES_ESTIMATED;
    c->own = &copy.own;
    planning = m;
    if (estimates) {
        keep_plan(&copy.plan, kept, false);
        begin_estimate(m, c, &copy.own, &copy.plan);
    }
    lb_mark_graph(graph, -1, "CTL-8");
    const lb_status status =
        copy.own.matches ? lb_update_matching(sim, c) : lb_update_computed_torque(sim, c);
    if (estimates) {
        keep_plan(&copy.plan, kept, true);
    }
    planning = NULL;
    free(copy.numbers);
    return status;
}

// Accelerations of the plan that a controller has in memory                              (CTL-6)
static lb_status record_plan(moment *m, double *out)
{
    const lb_controller *c = &get_control(m)->controllers[m->call->subject];
    double *kept = out + m->call->places[m->call->subject].law;
    plan_copy copy;
    if (!copy_plan(m, c, &copy)) {
        return LB_E_MEMORY;
    }
    planning = m;
    keep_plan(&copy.plan, kept, false);
    const lb_status status = lb_compute_plan_forward(&copy.plan);
    keep_plan(&copy.plan, kept, true);
    planning = NULL;
    free(copy.numbers);
    return status;
}

#endif // LB_RECORD_PLAN_HH
