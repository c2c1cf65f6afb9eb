// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closed chains: forward dynamics in six steps, projections and impulses.
#include "closed_chain.h"

#include "base/rotation.h"
#include "base/sized.h"
#include "dynamics/tree/tree.h"
#include "limber/loops.h"
#include "loop_factor.h"
#include "loop_report.h"
#include "model/kernel_table.h"
#include "model/numbers.h"

// Which hinges do not respond to forces: locked ones, and those that the caller drives or holds.
static int hold_hinges(const lb_model *model, lb_work *work, const unsigned char *driven)
{
    work->held_count = 0;
    for (int k = 0; k < model->body_count; ++k) {
        const int listed = model->bodies[k].listed;
        work->held[k] = work->locked[k] || (driven && driven[listed]);
        work->held_count += work->held[k];
    }
    return work->held_count;
}

// Multipliers, by slot along the rows, as six entries each in the axes of a.
static void write_forces(const lb_model *model, const lb_work *work, const double *x, double *out)
{
    for (int l = 0; l < model->pattern->count; ++l) {
        lb_leave_rows(&work->loops->slots[l].loop, x + (ptrdiff_t)6 * l, out + (ptrdiff_t)6 * l);
    }
}

// The tree by itself, hinges driven by motion and locked ones included: step A.
static lb_status compute_tree(const lb_model *model, lb_work *work, lb_tree_dynamics *tree,
                              void *user, const double *q, const double *v,
                              const unsigned char *driven, const double *tau, double *a,
                              double *drive)
{
    if (!hold_hinges(model, work, driven)) {
        for (int i = 0; drive && i < model->v_count; ++i) {
            drive[i] = 0.0;
        }
        return tree(user, model, work, q, v, NULL, tau, NULL, a);
    }
    // the sweeps write what driven hinges need over their entries of tau
    double *forces = work->x;
    for (int i = 0; i < model->v_count; ++i) {
        forces[i] = tau ? tau[i] : 0.0;
    }
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        work->listed[b->listed] = work->held[k];
        for (int i = 0; work->locked[k] && i < b->nv; ++i) {
            a[b->hinge_v + i] = 0.0;
        }
    }
    const lb_status status = tree(user, model, work, q, v, work->listed, forces, forces, a);
    for (int k = 0; drive && k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int r = 0; r < b->mode_count; ++r) {
            drive[b->v + r] = 0.0;
        }
        for (int i = 0; i < b->nv; ++i) {
            drive[b->hinge_v + i] = work->held[k] ? forces[b->hinge_v + i] : 0.0;
        }
    }
    return status;
}

// The articulated recursion.
static lb_status recur(void *user, const lb_model *model, lb_work *work, const double *q,
                       const double *v, const unsigned char *driven, const double *tau,
                       double *drive, double *a)
{
    (void)user;
    return driven ? lb_tree_hybrid(model, work, q, v, driven, drive, a)
                  : lb_tree_forward(model, work, q, v, tau, a);
}

// Forward dynamics with loops                                                           (CLO-3)
//
//     A  a_f of the tree alone                    B  r = -(J a_f + g)
//     C  Lambda = J M^-1 J'                       D  lambda from Lambda lambda = r
//     E  a_d = M^-1 J' lambda                     F  a = a_f + a_d
//
// Source: Rodriguez, Jain and Kreutz-Delgado 1989, steps A to F; their f is -lambda. J a_f + g is
// the relative acceleration of the ends in the motion of step A; step E is one sweep with the forces
// of all loops.
lb_status lb_compute_closed_dynamics(const lb_model *model, lb_work *work, lb_tree_dynamics *tree,
                                     void *user, const double *q, const double *v,
                                     const unsigned char *driven, const double *tau, double *a,
                                     double *drive, double *forces)
{
    lb_status status = compute_tree(model, work, tree, user, q, v, driven, tau, a, drive);
    if (status < LB_OK) {
        return status;
    }
    (void)lb_need_stage(work, LB_HAS_ARTICULATED); // the inertias that respond to loops
    work->has |= LB_HAS_RESPONSE;
    if (!model->pattern) {
        return status;
    }
    lb_loop_work *loops = work->loops;
    double *x = loops->force;
    lb_update_motion(model, work);
    lb_solve_accelerations(model, work, a, x);
    work->has |= LB_HAS_FACTORS;
    model->kernels->response(model, work, loops->load, loops->tau, NULL, work->response,
                             work->drive);
    for (int i = 0; i < model->v_count; ++i) {
        a[i] += work->response[i];
        if (drive) {
            drive[i] += work->drive[i];
        }
    }
    // the motion in the workspace becomes the constrained one
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        work->bodies[k].alpha = lb_vec6_add(work->bodies[k].alpha, work->y[k]);
        for (int r = 0; r < b->mode_count; ++r) {
            lb_flex_work *f = &work->flex[b->flex_index];
            f->eta_ddot[r] += f->nu_f[r];
        }
    }
    work->has |= LB_HAS_CLOSED;
    if (forces) {
        write_forces(model, work, x, forces);
    }
    return status;
}

lb_status lb_closed_forward(const lb_model *model, lb_work *work, const double *q, const double *v,
                            const unsigned char *driven, const double *tau, double *a,
                            double *drive, double *forces)
{
    return lb_compute_closed_dynamics(model, work, recur, NULL, q, v, driven, tau, a, drive,
                                      forces);
}

int lb_get_redundant_row_count(const lb_work *work)
{
    return work->has & LB_HAS_FACTORS ? work->loops->rows - work->loops->rank : 0;
}

lb_status lb_get_loop_force(const lb_model *model, const lb_work *work, int loop, double force[6])
{
    if (!model->pattern || loop < 0 || loop >= model->pattern->count) {
        return LB_E_ARGUMENT;
    }
    const lb_loop_work *loops = work->loops;
    const bool active = loops->slots[loop].active;
    if (lb_need_stage(work, active ? LB_HAS_CLOSED : LB_HAS_FORCES) != LB_OK) {
        return LB_E_STAGE;
    }
    for (int i = 0; i < 6; ++i) {
        force[i] = 0.0;
    }
    if (!active) {
        return LB_OK;
    }
    lb_leave_rows(&loops->slots[loop].loop, loops->force + (ptrdiff_t)6 * loop, force);
    return LB_OK;
}

double lb_get_loop_pivot(const lb_model *model, const lb_work *work, int *loop)
{
    double smallest = 1.0;
    *loop = -1;
    for (int l = 0; model->pattern && l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        if (slot->active) {
            const double pivot =
                lb_get_smallest_pivot(model, work, model->pattern->position[l]) / slot->scale;
            *loop = pivot < smallest ? l : *loop;
            smallest = pivot < smallest ? pivot : smallest;
        }
    }
    return smallest;
}

lb_status lb_factor_loops(const lb_model *model, lb_work *work, const double *q,
                          const unsigned char *still)
{
    lb_status status = lb_check_state(model, work, q, NULL, NULL, NULL);
    if (status < LB_OK) {
        return status;
    }
    hold_hinges(model, work, still);
    lb_start_state(work, 0);
    status = model->kernels->held_inertia(model, work, q);
    if (status < LB_OK) {
        return status;
    }
    work->has |= LB_HAS_RESPONSE | (work->held_count ? 0u : LB_HAS_ARTICULATED);
    if (!model->pattern) {
        return status;
    }
    lb_update_world(model, work);
    lb_factor_admittance(model, work);
    work->has |= LB_HAS_FACTORS;
    return status;
}

// Smallest change of speeds                                                             (CLO-10)
//
//     dv = M^-1 J' (J M^-1 J')^+ r
static void solve(const lb_model *model, lb_work *work, double *x, double *dv, double *drive)
{
    lb_loop_work *loops = work->loops;
    lb_solve_admittance(model, work, x);
    lb_collect_loop_forces(model, work, x);
    model->kernels->response(model, work, loops->load, loops->tau, NULL, dv, drive);
}

lb_status lb_solve_loops(const lb_model *model, lb_work *work, const double *r, double *dv,
                         double *impulse)
{
    for (int i = 0; !model->pattern && i < model->v_count; ++i) {
        dv[i] = 0.0;
    }
    if (!model->pattern) {
        return LB_OK;
    }
    if (lb_need_stage(work, LB_HAS_RESPONSE | LB_HAS_FACTORS) != LB_OK) {
        return LB_E_STAGE;
    }
    const lb_status status = lb_check_numbers(work, "r", (ptrdiff_t)6 * model->pattern->count, r);
    if (status < LB_OK) {
        return status;
    }
    double *x = work->loops->x;
    for (int l = 0; l < model->pattern->count; ++l) {
        lb_enter_rows(&work->loops->slots[l].loop, r + (ptrdiff_t)6 * l, x + (ptrdiff_t)6 * l);
    }
    solve(model, work, x, dv, NULL);
    if (impulse) {
        write_forces(model, work, x, impulse);
    }
    return LB_OK;
}

lb_status lb_get_loop_rank(const lb_model *model, const lb_work *work, int *rows, int *rank,
                           int *redundant)
{
    *rows = *rank = 0;
    if (!model->pattern) {
        return LB_OK;
    }
    if (lb_need_stage(work, LB_HAS_FACTORS) != LB_OK) {
        return LB_E_STAGE;
    }
    *rows = work->loops->rows;
    *rank = work->loops->rank;
    for (int l = 0; redundant && l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        redundant[l] = slot->active ? slot->loop.row_count - slot->rank - slot->reached : 0;
    }
    return LB_OK;
}

double lb_get_loop_conflict(const lb_model *model, const lb_work *work, int *loop)
{
    const int known = model->pattern && (work->has & LB_HAS_FACTORS);
    *loop = known ? work->loops->conflict_loop : -1;
    return known ? work->loops->conflict : 0.0;
}

lb_status lb_get_redundant_rows(const lb_model *model, const lb_work *work, int loop,
                                double projector[36], unsigned char *repeats)
{
    if (!model->pattern || lb_need_stage(work, LB_HAS_FACTORS) != LB_OK) {
        return LB_E_STAGE;
    }
    const lb_loop_work *loops = work->loops;
    const lb_loop_slot *slot = &loops->slots[loop];
    const lb_loop_pattern *pattern = model->pattern;
    for (int i = 0; i < 36; ++i) {
        projector[i] = 0.0;
    }
    for (int l = 0; l < pattern->count; ++l) {
        repeats[l] = 0;
    }
    for (int n = slot->rank + slot->reached; slot->active && n < slot->loop.row_count; ++n) {
        double column[6], six[6];
        for (int r = 0; r < slot->loop.row_count; ++r) {
            column[r] = slot->Q[6 * r + n];
        }
        lb_leave_rows(&slot->loop, column, six);
        for (int i = 0; i < 36; ++i) {
            projector[i] += six[i / 6] * six[i % 6];
        }
    }
    if (slot->active) {
        lb_mark_repeats(model, work, pattern->position[loop], repeats);
    }
    return LB_OK;
}

// Whether q, v and the new speeds of driven hinges are finite.
static lb_status check_jump(const lb_model *model, lb_work *work, const double *q, const double *v,
                            const unsigned char *driven, const double *speeds)
{
    lb_status status = lb_check_state(model, work, q, v, NULL, NULL);
    for (int k = 0; driven && speeds && k < model->body_count && status == LB_OK; ++k) {
        const lb_body *b = &model->bodies[k];
        const bool given = driven[b->listed] && !work->locked[k];
        for (int i = b->hinge_v; given && i < b->hinge_v + b->nv && status == LB_OK; ++i) {
            status = lb_is_finite(speeds[i]) ? LB_OK : lb_refuse_number(work, "speeds", i);
        }
    }
    if (status < LB_OK) {
        lb_start_state(work, 0);
    }
    return status;
}

// Impulse that makes speeds agree with loops and locks                          (CLO-11), (CLO-12)
//
//     M dv = J' lambda + E' mu,   J (v + dv) = w,   E (v + dv) = u
//
// E picks the speeds of hinges that are locked, u = 0 there, or driven; w the rates of prescribed
// motion. First what those hinges alone do, then the loops. What the impulses do, 1/2 (v + v+)' M dv,
// is in parts
//
//     loss   = 1/2 dv' M dv = -1/2 (J v - w)' lambda - 1/2 (E v - u)' mu
//     drives = u' mu,   loops = w' lambda
lb_status lb_compute_driven_impulse(const lb_model *model, lb_work *work, const double *q,
                                    double *v, const unsigned char *driven, const double *speeds,
                                    double *impulses, double *hinges, lb_impulse_work *energy)
{
    lb_impulse_work sum = {.size = sizeof sum};
    const size_t smallest = LB_SIZE_THROUGH(lb_impulse_work, loss);
    if (energy && lb_give_sized(&sum, sizeof sum, smallest, energy) != LB_OK) {
        return LB_E_VERSION;
    }
    lb_status status = check_jump(model, work, q, v, driven, speeds);
    status = status < LB_OK ? status : lb_factor_loops(model, work, q, driven);
    if (status < LB_OK) {
        return status;
    }
    const int n = model->v_count;
    double *mu = work->scale;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int i = 0; i < b->nv; ++i) {
            const int at = b->hinge_v + i;
            const double u = work->locked[k] ? 0.0 : speeds ? speeds[at] : v[at];
            work->given[at] = work->held[k] ? u - v[at] : 0.0;
        }
    }
    double *before = model->pattern ? work->loops->force : NULL;
    if (before) {
        lb_compute_row_velocities(model, work, v, before);
    }
    model->kernels->response(model, work, NULL, NULL, work->given, work->response, mu);
    for (int i = 0; i < n; ++i) {
        work->x[i] = v[i]; // as it was
        v[i] += work->response[i];
    }
    if (model->pattern) {
        double *x = work->loops->x;
        const int count = model->pattern->count;
        lb_compute_row_velocities(model, work, v, x);
        for (int i = 0; i < 6 * count; ++i) {
            x[i] = -x[i];
        }
        solve(model, work, x, work->response, work->drive);
        for (int i = 0; i < n; ++i) {
            v[i] += work->response[i];
            mu[i] += work->drive[i];
        }
        for (int l = 0; l < count; ++l) {
            const lb_loop_slot *slot = &work->loops->slots[l];
            for (int r = 0; slot->active && r < slot->loop.row_count; ++r) {
                sum.loss -= 0.5 * before[6 * l + r] * x[6 * l + r];
            }
            sum.loops += slot->active ? lb_get_motion_power(slot, x + (ptrdiff_t)6 * l) : 0.0;
        }
        if (impulses) {
            write_forces(model, work, x, impulses);
        }
    }
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int i = b->hinge_v; work->held[k] && i < b->hinge_v + b->nv; ++i) {
            const double u = work->locked[k] ? 0.0 : speeds ? speeds[i] : work->x[i];
            sum.loss -= 0.5 * (work->x[i] - u) * mu[i];
            sum.drives += u * mu[i];
            v[i] = u;
        }
    }
    for (int k = 0; hinges && k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int r = 0; r < b->mode_count; ++r) {
            hinges[b->v + r] = 0.0;
        }
        for (int i = b->hinge_v; i < b->hinge_v + b->nv; ++i) {
            hinges[i] = work->held[k] ? mu[i] : 0.0;
        }
    }
    if (energy) {
        (void)lb_give_sized(&sum, sizeof sum, smallest, energy);
    }
    return status;
}

lb_status lb_compute_impulse(const lb_model *model, lb_work *work, const double *q, double *v,
                             double *impulses, double *hinges, double *loss)
{
    lb_impulse_work energy = {.size = sizeof energy};
    const lb_status status =
        lb_compute_driven_impulse(model, work, q, v, NULL, NULL, impulses, hinges, &energy);
    if (loss && status >= LB_OK) {
        *loss = energy.loss - energy.loops;
    }
    return status;
}

// ---- where loops close -------------------------------------------------------------------------

// The pose of b in a as the offset, less a motion: turn and shift, or the first entry.
static lb_status take_offset(const lb_model *model, lb_work *work, int loop, const double *q,
                             const double motion[6])
{
    if (loop < 0 || loop >= lb_get_loop_capacity(model) || !work->loops->slots[loop].set) {
        return LB_E_ARGUMENT;
    }
    if (lb_need_stage(work, LB_HAS_POSITION) != LB_OK) {
        return LB_E_STAGE;
    }
    const lb_status status = lb_check_numbers(work, "q", model->q_count, q);
    if (status < LB_OK) {
        return status;
    }
    const lb_loop_slot *slot = &work->loops->slots[loop];
    lb_loop *l = &work->loops->slots[loop].loop;
    if (l->type == LB_LOOP_COUPLER) {
        l->length = lb_relate_coordinates(model, l, q) - motion[0];
        l->as_assembled = 0;
        return LB_OK;
    }
    const lb_end_motion a = lb_get_end_place(model, work, slot, 0);
    const lb_end_motion b = lb_get_end_place(model, work, slot, 1);
    const lb_pose X_a = {a.R, a.x}, X_b = {b.R, b.x}, back = lb_pose_inverse(&X_a);
    const lb_pose X_ab = lb_pose_mul(&back, &X_b);
    if (l->type == LB_LOOP_ROD) {
        const double length = lb_vec3_norm(X_ab.p) - motion[0];
        if (!(length > 0)) {
            return LB_E_ARGUMENT;
        }
        l->length = length;
    } else {
        const lb_mat3 turned = lb_rotation_exp(lb_vec3_scale(-1.0, lb_vec3_from(motion)));
        l->offset =
            (lb_pose){lb_mat3_mul(&turned, &X_ab.R), lb_vec3_sub(X_ab.p, lb_vec3_from(motion + 3))};
    }
    l->as_assembled = 0; // it is known now
    return LB_OK;
}

lb_status lb_take_loop_offset(const lb_model *model, lb_work *work, int loop, const double *q)
{
    const double none[6] = {0};
    const int there = loop >= 0 && loop < lb_get_loop_capacity(model);
    return take_offset(model, work, loop, q,
                       there ? work->loops->slots[loop].motion.position : none);
}

lb_status lb_take_initial_offsets(const lb_model *model, lb_work *work, const double *q, int *loop)
{
    const double none[6] = {0};
    lb_status status = lb_compute_kinematics(model, work, q, NULL, NULL);
    for (int l = 0; l < model->loop_count && status >= LB_OK; ++l) {
        if (model->loops[l].as_assembled) {
            status = take_offset(model, work, l, q, none);
            if (status < LB_OK && loop) {
                *loop = l;
            }
        }
    }
    return status;
}
