// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of force elements by q and v: analytic, but for functions of the caller that give none. These
// are differenced, the elements alone.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "forces.h"
#include "limber/derivatives.h"
#include "limber/spatial.h"

// What is differentiated, and where it goes.
typedef struct target {
    lb_forces *forces;
    const lb_model *model;
    lb_work *work;
    lb_derivative_work *scratch;
    lb_instant instant;
    ptrdiff_t n;
    double *dtau_dq, *dtau_dv;
    double *power_dq, *power_dv; // a row a force; or NULL
} target;

static double *get_power_row(const target *t, double *matrix, int force)
{
    return matrix ? matrix + force * t->n : NULL;
}

// ---- at hinges ---------------------------------------------------------------------------------

// Slopes of a stop                                                                      (FRC-6)
static void get_stop_slopes(const lb_force *f, double q, double v, double *by_q, double *by_v)
{
    const double sign = q < f->lower ? -1.0 : 1.0;
    const double d = q < f->lower ? f->lower - q : q - f->upper, d_dot = sign * v;
    if (!(d > 0)) {
        return;
    }
    const double s = d < f->width ? d / f->width : 1.0;
    const double ramp = s * s * (3.0 - 2.0 * s);
    const double slope = d < f->width ? 6.0 * s * (1.0 - s) / f->width : 0.0;
    if (f->stiffness * d + f->damping * ramp * d_dot > 0) {
        *by_q = -(f->stiffness + f->damping * slope * d_dot);
        *by_v = -f->damping * ramp;
    }
}

// Slopes of a limited motor by what its function says and by speed                     (FRC-7)
static void get_motor_slopes(const lb_force *force, double f, double v, double *by_f, double *by_v)
{
    *by_f = *by_v = 0.0;
    if (!(f * v > 0)) {
        *by_f = f <= force->high && f >= force->low;
        return;
    }
    const double left = 1.0 - fabs(v) / force->max_speed;
    if (!(left > 0)) {
        return;
    }
    const double high = force->high * left, low = force->low * left;
    const double limited = f > high ? high : f < low ? low : f;
    if (limited * v > force->max_power) {
        *by_v = -force->max_power / (v * v);
        return;
    }
    const double falling = (v > 0 ? -1.0 : 1.0) / force->max_speed;
    *by_f = f <= high && f >= low;
    *by_v = f > high ? force->high * falling : f < low ? force->low * falling : 0.0;
}

// A motor, and what the signals of its function add to it                               (FRC-13)
static lb_status differentiate_motor(const target *t, int index, double *by_v)
{
    const lb_force *force = &t->forces->forces[index];
    const double v = t->instant.v[force->v];
    double *f_q = t->forces->gradients, *f_v = f_q + t->n, f, by_f;
    const lb_slopes slopes = {f_q, f_v, NULL};
    const lb_status status = lb_evaluate_function_slopes(&force->functions[0], &t->instant,
                                                         &t->forces->slopes, &f, &slopes);
    if (status != LB_OK) {
        return status;
    }
    get_motor_slopes(force, f, v, &by_f, by_v);
    if (force->reads_state) {
        lb_add_scaled(t->n, by_f, f_q, t->dtau_dq + force->v * t->n);
        lb_add_scaled(t->n, by_f, f_v, t->dtau_dv + force->v * t->n);
    }
    if (force->reads_state && t->power_dq) {
        lb_add_scaled(t->n, by_f * v, f_q, get_power_row(t, t->power_dq, index));
        lb_add_scaled(t->n, by_f * v, f_v, get_power_row(t, t->power_dv, index));
    }
    return LB_OK;
}

static lb_status differentiate_hinge(const target *t, int index)
{
    const lb_force *force = &t->forces->forces[index];
    const double v = t->instant.v[force->v], q = force->q >= 0 ? t->instant.q[force->q] : 0.0;
    double by_q = 0.0, by_v = 0.0;
    switch (force->type) {
    case LB_FORCE_SPRING:
        by_q = -force->stiffness;
        break;
    case LB_FORCE_DAMPER:
        by_v = -force->damping;
        break;
    case LB_FORCE_FRICTION: {
        const double c = force->sticks ? 1.0 : cosh(fmin(fabs(v / force->speed), 300.0));
        by_v = (force->sticks ? 0.0 : -force->coulomb / (force->speed * c * c)) - force->viscous;
        break;
    }
    case LB_FORCE_STOP:
        get_stop_slopes(force, q, v, &by_q, &by_v);
        break;
    case LB_FORCE_ACTUATOR: // a function of time between samples
        break;
    default: {
        const lb_status status = differentiate_motor(t, index, &by_v);
        if (status != LB_OK) {
            return status;
        }
        break;
    }
    }
    t->dtau_dq[force->v * t->n + force->v] += by_q;
    t->dtau_dv[force->v * t->n + force->v] += by_v;
    if (t->power_dq) {
        // power = f v, and f at the state is what lb_compute_hinge_force finds
        lb_force copy = *force;
        double *tau = t->forces->scratch;
        memset(tau, 0, (size_t)t->n * sizeof *tau);
        const lb_status status = lb_compute_hinge_force(&copy, &t->instant, tau);
        if (status != LB_OK) {
            return status;
        }
        get_power_row(t, t->power_dq, index)[force->v] += by_q * v;
        get_power_row(t, t->power_dv, index)[force->v] += by_v * v + tau[force->v];
    }
    return LB_OK;
}

// ---- at nodes ----------------------------------------------------------------------------------

// The Jacobian, the velocity and the place of a node differentiated, in pieces of the scratch; `place` may be
// NULL.
static lb_status differentiate_node(const target *t, int body, int node, double *J,
                                    double *velocity, double *place)
{
    const lb_node_derivatives out = {
        .size = sizeof out, .pose_dq = J, .velocity_dq = velocity, .place_dq = place};
    return lb_compute_node_derivatives(t->model, t->work, t->scratch, body, node, &out);
}

// What the signals of the components of a force or torque add to it                     (FRC-13)
//
//     tau_q += sum over components i of  (u_i J)* (f_i)_q,   likewise by v;   P_q += (u_i V) (f_i)_q
//
// given     u_i the axis of a component in world axes; J and V of the node
static lb_status add_component_slopes(const target *t, int index, const lb_mat3 *R, const double *J,
                                      const double *V)
{
    const lb_force *force = &t->forces->forces[index];
    const ptrdiff_t n = t->n;
    const int part = force->type == LB_FORCE_FORCE ? 3 : 0;
    for (int i = 0; i < 3; ++i) {
        double *f_q = t->forces->gradients, *f_v = f_q + n, *row = f_v + n, f;
        const lb_slopes slopes = {f_q, f_v, NULL};
        const lb_status status = lb_evaluate_function_slopes(&force->functions[i], &t->instant,
                                                             &t->forces->slopes, &f, &slopes);
        if (status != LB_OK) {
            return status;
        }
        const double u[3] = {R->m[0][i], R->m[1][i], R->m[2][i]};
        for (ptrdiff_t j = 0; j < n; ++j) {
            const double column[3] = {J[part * n + j], J[(part + 1) * n + j],
                                      J[(part + 2) * n + j]};
            row[j] = lb_compute_dot(3, u, column);
        }
        for (ptrdiff_t j = 0; j < n; ++j) {
            if (row[j] != 0) {
                lb_add_scaled(n, row[j], f_q, t->dtau_dq + j * n);
                lb_add_scaled(n, row[j], f_v, t->dtau_dv + j * n);
            }
        }
        if (t->power_dq) {
            const double speed = lb_compute_dot(3, u, V + part);
            lb_add_scaled(n, speed, f_q, get_power_row(t, t->power_dq, index));
            lb_add_scaled(n, speed, f_v, get_power_row(t, t->power_dv, index));
        }
    }
    return LB_OK;
}

// A force or torque                                                         (FRC-1), (DER-10)
static lb_status differentiate_load(const target *t, int index)
{
    lb_force *force = &t->forces->forces[index];
    lb_node_force load;
    lb_status status = lb_compute_node_loads(force, &t->instant, &load);
    if (status == LB_OK) {
        status =
            lb_apply_node_force_derivatives(t->model, t->work, t->scratch, 1, &load, t->dtau_dq);
    }
    if (status != LB_OK || !(t->power_dq || force->reads_state) || load.body == LB_GROUND) {
        return status;
    }
    // P = F . V in world axes; F turns with the axes that hold it
    const ptrdiff_t n = t->n;
    double *pose = t->forces->scratch, *velocity = pose + 6 * n, *turn = velocity + 6 * n;
    lb_node_motion motion;
    lb_mat3 R;
    status = lb_compute_node_motion(t->model, t->work, load.body, load.node, &motion);
    status =
        status < 0 ? status : differentiate_node(t, load.body, load.node, pose, velocity, NULL);
    status = status < 0 ? status
                        : lb_differentiate_axes(&t->instant, t->scratch, load.body, load.node,
                                                load.axes, &R, turn);
    if (status < 0) {
        return status;
    }
    if (force->reads_state) {
        status = add_component_slopes(t, index, &R, pose, motion.velocity);
    }
    if (status != LB_OK || !t->power_dq) {
        return status;
    }
    const lb_vec3 moment = lb_mat3_mul_vec(&R, lb_vec3_from(load.force));
    const lb_vec3 f = lb_mat3_mul_vec(&R, lb_vec3_from(load.force + 3));
    double *by_q = get_power_row(t, t->power_dq, index);
    double *by_v = get_power_row(t, t->power_dv, index);
    for (ptrdiff_t j = 0; j < n; ++j) {
        const lb_vec3 w = {velocity[j], velocity[n + j], velocity[2 * n + j]};
        const lb_vec3 v = {velocity[3 * n + j], velocity[4 * n + j], velocity[5 * n + j]};
        const lb_vec3 a = {turn[j], turn[n + j], turn[2 * n + j]};
        const lb_vec3 Jw = {pose[j], pose[n + j], pose[2 * n + j]};
        const lb_vec3 Jv = {pose[3 * n + j], pose[4 * n + j], pose[5 * n + j]};
        by_q[j] += lb_vec3_dot(moment, w) + lb_vec3_dot(f, v);
        by_v[j] += lb_vec3_dot(moment, Jw) + lb_vec3_dot(f, Jv);
        by_q[j] += lb_vec3_dot(lb_vec3_cross(a, moment), lb_vec3_from(motion.velocity)) +
                   lb_vec3_dot(lb_vec3_cross(a, f), lb_vec3_from(motion.velocity + 3));
    }
    return LB_OK;
}

// Where two nodes are from each other, and the force between them.
typedef struct link {
    double e[3], d_dot[3], length, s;
} link;

// How one coordinate, and its speed, change the distance of two nodes and its rate.
typedef struct parting {
    double d[3], d_dot[3]; // by the coordinate
    double J[3];           // d_dot by the speed: d, but with ruthless bodies
} parting;

// How the force on the second node changes with d and d_dot                             (FRC-8)
//
//     f = s e,   s = -k (|d| - L) - c e . d_dot,   de = (I - e e*) dd / |d|
//     df = ds e + s de,   ds = -k e . dd - c (e . dd_dot + de . d_dot)
//
// Where the nodes meet: f = -k d of a spring with L = 0, which is linear; else none.
static void change_link(const lb_force *force, const link *l, const parting *p, double df[3],
                        double dfv[3])
{
    if (!(l->length > 0)) {
        for (int i = 0; i < 3; ++i) {
            df[i] = force->rest == 0 ? -force->stiffness * p->d[i] : 0.0;
            dfv[i] = 0.0;
        }
        return;
    }
    const double along = lb_compute_dot(3, l->e, p->d);
    double de[3];
    for (int i = 0; i < 3; ++i) {
        de[i] = (p->d[i] - l->e[i] * along) / l->length;
    }
    const double ds =
        -force->stiffness * along -
        force->damping * (lb_compute_dot(3, l->e, p->d_dot) + lb_compute_dot(3, de, l->d_dot));
    const double dsv = -force->damping * lb_compute_dot(3, l->e, p->J);
    for (int i = 0; i < 3; ++i) {
        df[i] = ds * l->e[i] + l->s * de[i];
        dfv[i] = dsv * l->e[i];
    }
}

// Spring and damper between nodes:  dtau = (J_b - J_a)* df  and, f held, (DER-10) of both ends
static lb_status differentiate_link(const target *t, int index)
{
    lb_force *force = &t->forces->forces[index];
    lb_node_force loads[2];
    lb_node_motion m[2];
    const ptrdiff_t n = t->n;
    lb_status status = lb_compute_node_loads(force, &t->instant, loads);
    status = status < 0 ? status
                        : lb_apply_node_force_derivatives(t->model, t->work, t->scratch, 2, loads,
                                                          t->dtau_dq);
    double *ends[2] = {t->forces->scratch, t->forces->scratch + 18 * n}; // J, velocity, place
    for (int i = 0; i < 2 && status >= 0; ++i) {
        status = lb_compute_node_motion(t->model, t->work, loads[i].body, loads[i].node, &m[i]);
        status = status < 0 ? status
                            : differentiate_node(t, loads[i].body, loads[i].node, ends[i],
                                                 ends[i] + 6 * n, ends[i] + 12 * n);
    }
    if (status < 0) {
        return status;
    }
    link l;
    for (int i = 0; i < 3; ++i) {
        l.e[i] = m[1].position[i] - m[0].position[i];
        l.d_dot[i] = m[1].velocity[3 + i] - m[0].velocity[3 + i];
    }
    l.length = lb_compute_norm(3, l.e);
    for (int i = 0; i < 3; ++i) {
        l.e[i] = l.length > 0 ? l.e[i] / l.length : 0.0;
    }
    l.s = -force->stiffness * (l.length - force->rest) -
          force->damping * lb_compute_dot(3, l.e, l.d_dot);

    // relative motion in place of the first node's, and the columns that move it
    double *J = ends[0] + 3 * n;
    int *moving = t->forces->list, used = 0;
    for (ptrdiff_t j = 0; j < n; ++j) {
        double size = 0.0;
        for (int part = 0; part < 18; part += 6) {
            for (int i = part; i < part + 3; ++i) {
                J[i * n + j] = ends[1][(3 + i) * n + j] - J[i * n + j];
                size += fabs(J[i * n + j]);
            }
        }
        if (size > 0) {
            moving[used++] = (int)j;
        }
    }
    double *by_q = get_power_row(t, t->power_dq, index);
    double *by_v = get_power_row(t, t->power_dv, index);
    for (int c = 0; c < used; ++c) {
        const ptrdiff_t j = moving[c];
        const double *rate = J + 6 * n, *place = J + 12 * n;
        const parting p = {{place[j], place[n + j], place[2 * n + j]},
                           {rate[j], rate[n + j], rate[2 * n + j]},
                           {J[j], J[n + j], J[2 * n + j]}};
        double df[3], dfv[3];
        change_link(force, &l, &p, df, dfv);
        for (int r = 0; r < used; ++r) {
            const ptrdiff_t i = moving[r];
            const double Ji[3] = {J[i], J[n + i], J[2 * n + i]};
            t->dtau_dq[i * n + j] += lb_compute_dot(3, Ji, df);
            t->dtau_dv[i * n + j] += lb_compute_dot(3, Ji, dfv);
        }
        if (by_q) {
            by_q[j] += lb_compute_dot(3, df, l.d_dot) + l.s * lb_compute_dot(3, l.e, p.d_dot);
            by_v[j] += lb_compute_dot(3, dfv, l.d_dot) + l.s * lb_compute_dot(3, l.e, p.J);
        }
    }
    return LB_OK;
}

// ---- by differences ----------------------------------------------------------------------------

// A direction along which elements are differenced.
typedef struct line {
    const target *t;
    bool along_q;
    ptrdiff_t j;
} line;

// tau of the chosen elements alone, and their powers: kinematics and no dynamics.
static lb_status evaluate_chosen(void *user, double size, lb_line_slope *x)
{
    const line *l = user;
    const target *t = l->t;
    lb_forces *forces = t->forces;
    const size_t n = (size_t)t->n, nq = (size_t)lb_get_q_count(t->model);
    double *q = forces->scratch, *v = q + nq, *step = v + n, *tau = step + n;
    memcpy(q, t->instant.q, nq * sizeof *q);
    memcpy(v, t->instant.v, n * sizeof *v);
    memset(step, 0, n * sizeof *step);
    memset(tau, 0, n * sizeof *tau);
    if (l->along_q) {
        step[l->j] = size;
        lb_integrate_configuration(t->model, t->instant.q, step, q);
    } else {
        v[l->j] += size;
    }
    lb_status status = lb_compute_kinematics(t->model, t->work, q, v, NULL);
    status = status < 0 ? status
                        : lb_compute_chosen_forces(forces, t->model, t->work, t->instant.t, q, v,
                                                   forces->chosen, tau, NULL, NULL);
    for (size_t i = 0; i < n; ++i) {
        x[i].value = tau[i];
    }
    for (int i = 0; i < forces->count; ++i) {
        x[n + (size_t)i].value = forces->chosen[i] ? forces->forces[i].power : 0.0;
    }
    return status;
}

// Differences of the chosen elements, from steps of 5e-4 of the sizes of coordinates on   (FRC-15)
static lb_status difference_chosen(const target *t)
{
    lb_forces *forces = t->forces;
    lb_line_slope *x = forces->line;
    const ptrdiff_t n = t->n;
    lb_status status = LB_OK;
    for (ptrdiff_t j = 0; j < 2 * n && status >= 0; ++j) {
        line l = {t, j < n, j % n};
        const double speed = l.along_q ? 0.0 : fabs(t->instant.v[l.j]);
        double *dtau = l.along_q ? t->dtau_dq : t->dtau_dv;
        double *power = l.along_q ? t->power_dq : t->power_dv;
        status = lb_difference_line(evaluate_chosen, &l, 5e-4 * fmax(forces->scales[l.j], speed),
                                    (int)n + forces->count, x);
        for (ptrdiff_t i = 0; i < n && status >= 0; ++i) {
            dtau[i * n + l.j] += x[i].slope;
        }
        for (ptrdiff_t i = 0; power && i < forces->count && status >= 0; ++i) {
            power[i * n + l.j] += x[n + i].slope;
        }
    }
    // powers and energies as they were, the state in the workspace, and no word of states that were too far
    if (status >= 0) {
        forces->message[0] = '\0';
    }
    double *tau = forces->scratch;
    const lb_status back =
        lb_compute_kinematics(t->model, t->work, t->instant.q, t->instant.v, NULL);
    memset(tau, 0, (size_t)n * sizeof *tau);
    const lb_status again =
        lb_compute_chosen_forces(forces, t->model, t->work, t->instant.t, t->instant.q,
                                 t->instant.v, forces->chosen, tau, NULL, NULL);
    return status < 0 ? status : back < 0 ? back : again;
}

// Whether an element is differenced as a whole.
static bool is_differenced(const lb_force *force)
{
    return force->type == LB_FORCE_CALLBACK && !force->own.differentiate;
}

bool lb_is_differenced(const lb_force *force)
{
    return is_differenced(force) || (force->samples && force->type != LB_FORCE_MOTION);
}

// Differences of the elements that need them, all together.
static lb_status difference(const target *t)
{
    lb_forces *forces = t->forces;
    bool any = false;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        forces->chosen[i] = force->enabled && is_differenced(force);
        any = any || forces->chosen[i];
    }
    return any ? difference_chosen(t) : LB_OK;
}

// Signals that have no formula, where an enabled element reads one.
static lb_status sample(const target *t)
{
    lb_forces *forces = t->forces;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->enabled && force->samples && !is_differenced(force)) {
            const lb_status status =
                lb_sample_signals(&t->instant, &forces->slopes, forces->scales);
            return lb_say_force(forces, force, status, t->instant.t);
        }
    }
    return LB_OK;
}

static lb_status differentiate(const target *t, int index)
{
    lb_force *force = &t->forces->forces[index];
    if (force->type == LB_FORCE_GRAVITY_POINT) {
        return lb_apply_oblate_gravity_derivatives(t->model, t->work, t->scratch, &force->gravity,
                                                   t->dtau_dq, get_power_row(t, t->power_dq, index),
                                                   get_power_row(t, t->power_dv, index));
    }
    if (force->type == LB_FORCE_CALLBACK) {
        return lb_differentiate_own_force(t->forces, force, &t->instant, t->scratch, t->dtau_dq,
                                          t->dtau_dv, get_power_row(t, t->power_dq, index),
                                          get_power_row(t, t->power_dv, index));
    }
    return force->at_nodes           ? differentiate_link(t, index)
           : lb_acts_at_nodes(force) ? differentiate_load(t, index)
                                     : differentiate_hinge(t, index);
}

lb_status lb_compute_force_derivatives(lb_forces *forces, const lb_model *model, lb_work *work,
                                       lb_derivative_work *scratch, double t, const double *q,
                                       const double *v, double *dtau_dq, double *dtau_dv,
                                       double *power_dq, double *power_dv)
{
    const size_t n = (size_t)lb_get_v_count(model);
    const lb_instant instant = lb_make_instant(model, work, t, q, v, NULL);
    const target out = {forces,       model,   work,    scratch,  instant,
                        (ptrdiff_t)n, dtau_dq, dtau_dv, power_dq, power_dv};
    const size_t rows = (size_t)forces->count * n;
    lb_status status = lb_check_forces(forces);
    status = status < 0 ? status : lb_check_force_state(forces, model, t, q, v, NULL);
    if (status < 0) {
        return status;
    }
    memset(dtau_dq, 0, n * n * sizeof *dtau_dq);
    memset(dtau_dv, 0, n * n * sizeof *dtau_dv);
    if (power_dq) {
        memset(power_dq, 0, rows * sizeof *power_dq);
        memset(power_dv, 0, rows * sizeof *power_dv);
    }
    forces->slopes.scratch = scratch;
    status = sample(&out);
    for (int i = 0; i < forces->count && status >= 0; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->enabled && force->type != LB_FORCE_MOTION && !is_differenced(force)) {
            status = lb_say_force(forces, force, differentiate(&out, i), t);
        }
    }
    return status < 0 ? status : difference(&out);
}
