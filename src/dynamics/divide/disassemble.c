// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Disassembly: from what is known at the handles of an assembly to accelerations of its bodies, and
// whether these satisfy the equations of motion of each.
#include "base/symmetric.h"
#include "division.h"
#include "dynamics/tree/steps.h"

// Acceleration behind a hinge                                                            (DCA-7)
//
//     beta_dot = nu - G* A- + K f,   A = A- + H* beta_dot + a
static lb_vec6 get_acceleration_behind(const lb_model *model, const lb_work *work,
                                       const lb_division *d, int k, lb_vec6 carried,
                                       const lb_vec6 *f)
{
    const lb_body *b = &model->bodies[k];
    const lb_vec6 *H = work->H + b->dof, *G = work->G + b->dof, *K = d->K + b->hinge_v;
    double *beta_dot = d->a + b->hinge_v;
    lb_vec6 A = lb_vec6_add(carried, work->bodies[k].a);
    for (int i = 0; i < b->nv; ++i) {
        if (!lb_is_driven(d, b)) {
            beta_dot[i] = work->nu[b->dof + i] - lb_vec6_dot(G[i], carried);
            beta_dot[i] += f ? lb_vec6_dot(K[i], *f) : 0.0;
        }
        A = lb_vec6_axpy(A, beta_dot[i], H[i]);
    }
    return A;
}

// Modes of a body, and its frame                                                        (DCA-7)
//
//     eta_ddot = L*^-1 (nu_f - G_f* A) + K f,   alpha = A - Pi^d_F eta_ddot
static void settle_body(const lb_model *model, lb_work *work, const lb_division *d, int k,
                        lb_vec6 A, const lb_vec6 *f)
{
    const lb_body *b = &model->bodies[k];
    const int n = b->mode_count;
    work->bodies[k].alpha = A;
    if (n == 0) {
        return;
    }
    lb_flex_work *own = &work->flex[b->flex_index];
    for (int r = 0; r < n; ++r) {
        own->eta_ddot[r] = own->nu_f[r] - lb_vec6_dot(own->P_rf[r], A);
    }
    lb_solve_upper(n, own->P_ff, n, own->eta_ddot);
    for (int r = 0; r < n; ++r) {
        own->eta_ddot[r] += f ? lb_vec6_dot(d->K[b->v + r], *f) : 0.0;
        d->a[b->v + r] = own->eta_ddot[r];
        if (b->moving) {
            A = lb_vec6_axpy(A, -own->eta_ddot[r], own->Pi_d[r]);
        }
    }
    work->bodies[k].alpha = A;
}

// ---- the check ---------------------------------------------------------------------------------

static void note(double value, double *largest)
{
    *largest = lb_get_larger_or_nan(*largest, value);
}

static double size3(lb_vec3 a)
{
    return lb_get_larger_or_nan(fabs(a.x), lb_get_larger_or_nan(fabs(a.y), fabs(a.z)));
}

// Notes what a residual shifts: D_f^-1 r_f and D^-1 r.
//
// @param r_f  residuals of the modes, overwritten
static void note_shifts(const lb_body *b, lb_work *work, const lb_division *d, double *r_f,
                        double r[6], lb_segment *s)
{
    const int n = b->mode_count;
    if (!lb_is_driven(d, b)) {
        lb_solve_ldl(b->nv, work->D + b->factor, b->nv, r);
        for (int i = 0; i < b->nv; ++i) {
            note(fabs(r[i]), &s->shift);
        }
    }
    if (n > 0) {
        lb_solve_ldl(n, work->flex[b->flex_index].P_ff, n, r_f);
    }
    for (int i = 0; i < n; ++i) {
        note(fabs(r_f[i]), &s->shift);
    }
}

// Residuals of one body                                                                 (DCA-8)
//
//     f = M alpha + M_rf eta_ddot + b + sum of what children need,   r = T - H f,
//     f_f likewise,   r_f = T_f - f_f + Pi^d_F* f
//
// At a driven hinge H f is what the drive must supply.
static void check_body(const lb_model *model, lb_work *work, lb_division *d, int k, lb_segment *s)
{
    const lb_body *b = &model->bodies[k];
    const lb_body_work *w = &work->bodies[k];
    const lb_vec6 F = w->z;
    const int driven = lb_is_driven(d, b);
    double r[6], *r_f = b->mode_count ? work->flex[b->flex_index].z_f : NULL;
    for (int i = 0; i < b->nv; ++i) {
        const double force = lb_vec6_dot(work->H[b->dof + i], F);
        r[i] = (d->tau ? d->tau[b->hinge_v + i] : 0.0) - force;
        if (driven) {
            d->drive[b->hinge_v + i] = force;
        }
        note(fabs(d->a[b->hinge_v + i]), &s->largest);
    }
    for (int i = 0; i < b->mode_count; ++i) {
        const lb_flex_work *f = &work->flex[b->flex_index];
        const double own = b->moving ? lb_vec6_dot(f->Pi_d[i], F) : 0.0;
        r_f[i] = (d->tau ? d->tau[b->v + i] : 0.0) - r_f[i] + own;
        note(fabs(f->eta_ddot[i]), &s->largest);
    }
    note_shifts(b, work, d, r_f, r, s);
    note(size3(w->alpha.w), &s->motion[0]);
    note(size3(w->alpha.v), &s->motion[1]);
    note(size3(w->X.p), &s->length);
}

// Forces through a run, tip to base, with those at its handles as the neighbours were told.
static void check_run(const lb_model *model, lb_work *work, lb_division *d, int n)
{
    const lb_schedule *plan = &d->schedule;
    lb_segment *s = &d->segments[n];
    s->shift = s->largest = s->length = 0.0;
    s->gap[0] = s->gap[1] = s->motion[0] = s->motion[1] = 0.0;
    int child = plan->open[n];
    lb_vec6 F = lb_vec6_scale(-1.0, s->f);
    if (child >= 0) {
        const lb_vec6 off = lb_vec6_sub(lb_carry_acceleration(model, work, child), s->B);
        s->gap[0] = size3(off.w);
        s->gap[1] = size3(off.v);
    }
    for (int i = plan->end[n] - 1; i >= plan->first[n]; --i) {
        const int k = plan->bodies[i];
        lb_start_force(model, work, k);
        for (int j = plan->raked[k]; j < plan->raked[k + 1]; ++j) {
            // as the path that hangs here will find it
            const int head = plan->head[plan->rakes[j]];
            const lb_segment *rake = &d->segments[plan->rakes[j]];
            const lb_vec6 carried = lb_carry_acceleration(model, work, head);
            lb_give_force(model, work, head, lb_vec6_add(lb_sym6_mul(&rake->P, carried), rake->z));
        }
        if (child >= 0) {
            lb_give_force(model, work, child, F);
        }
        check_body(model, work, d, k, s);
        F = work->bodies[k].z;
        child = k;
    }
    s->off = lb_vec6_sub(F, s->F);
}

// A force that is off at the frame of child k, brought to its parent and added there.
static lb_vec6 add_off(const lb_model *model, lb_work *work, int k, lb_vec6 off, lb_vec6 sum)
{
    const lb_vec6 here = lb_pose_carry_force(&work->bodies[k].X, off);
    if (model->bodies[k].at) {
        const int p = model->bodies[k].parent;
        lb_give_modes_force(model, work, k, here, lb_get_flex(model, work, p)->z_f);
    }
    return lb_vec6_add(sum, here);
}

// The same for what the neighbours were not told: the forces that are off at the handles of a run
// are residuals of its bodies.                                                          (DCA-8)
void lb_check_handles(const lb_model *model, lb_work *work, lb_division *d, int n)
{
    const lb_schedule *plan = &d->schedule;
    lb_segment *s = &d->segments[n];
    int child = plan->open[n];
    lb_vec6 off = child >= 0 ? d->segments[plan->beyond[n]].off : lb_vec6_zero();
    for (int i = plan->end[n] - 1; i >= plan->first[n]; --i) {
        const int k = plan->bodies[i];
        const lb_body *b = &model->bodies[k];
        lb_flex_work *f = lb_get_flex(model, work, k);
        lb_vec6 sum = lb_vec6_zero();
        for (int r = 0; r < b->mode_count; ++r) {
            f->z_f[r] = 0.0;
        }
        for (int j = plan->raked[k]; j < plan->raked[k + 1]; ++j) {
            const int rake = plan->rakes[j];
            sum = add_off(model, work, plan->head[rake], d->segments[plan->base[rake]].off, sum);
        }
        if (child >= 0) {
            sum = add_off(model, work, child, off, sum);
        }
        double r[6];
        for (int j = 0; j < b->nv; ++j) {
            r[j] = lb_vec6_dot(work->H[b->dof + j], sum);
        }
        for (int j = 0; b->moving && j < b->mode_count; ++j) {
            f->z_f[j] -= lb_vec6_dot(f->Pi_d[j], sum);
        }
        note_shifts(b, work, d, f ? f->z_f : NULL, r, s);
        off = sum;
        child = k;
    }
}

// ---- nodes -------------------------------------------------------------------------------------

// Base to tip through a run.
static void disassemble_run(const lb_model *model, lb_work *work, lb_division *d, int n)
{
    const lb_schedule *plan = &d->schedule;
    const lb_segment *s = &d->segments[n];
    const lb_vec6 *f = plan->open[n] >= 0 ? &s->f : NULL;
    lb_vec6 A = s->A;
    for (int i = plan->first[n]; i < plan->end[n]; ++i) {
        const int k = plan->bodies[i];
        if (i > plan->first[n]) {
            A = get_acceleration_behind(model, work, d, k, lb_carry_acceleration(model, work, k),
                                        f);
        }
        settle_body(model, work, d, k, A, f);
    }
}

void lb_disassemble(const lb_model *model, lb_work *work, lb_division *d, int n)
{
    const lb_schedule *plan = &d->schedule;
    lb_segment *s = &d->segments[n];
    const int open = plan->open[n] >= 0, head = plan->head[n];

    // a whole path hangs on a body that is settled, or on the ground
    if (plan->whole[n]) {
        s->A = lb_carry_acceleration(model, work, head);
        s->F = lb_vec6_add(lb_sym6_mul(&s->P, s->A), s->z);
    }
    if (plan->hinged[n]) {
        s->A = get_acceleration_behind(model, work, d, head, s->A, open ? &s->f : NULL);
    }
    if (plan->first[n] >= 0) {
        disassemble_run(model, work, d, n);
        check_run(model, work, d, n);
        return;
    }
    lb_segment *inner = &d->segments[plan->inner[n]], *outer = &d->segments[plan->outer[n]];
    lb_vec6 F, A;
    lb_split(inner, outer, open, s, &F, &A);
    inner->A = s->A;
    inner->F = s->F;
    inner->f = lb_vec6_scale(-1.0, F);
    inner->B = A;
    outer->B = s->B;
    outer->A = A;
    outer->F = F;
    outer->f = s->f;
}
