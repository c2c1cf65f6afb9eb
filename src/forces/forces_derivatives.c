// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of force elements by q and v: analytic where an element is a function of its own hinge
// or nodes and of time, or gives them itself; by differences of the elements alone where it reads
// signals, is a field, or is the caller's own without derivatives.
#include <math.h>
#include <string.h>

#include "base/dense.h"
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

// Slope of a limited motor by speed                                                     (FRC-7)
static double get_motor_slope(const lb_force *force, double f, double v)
{
    if (!(f * v > 0)) {
        return 0.0;
    }
    const double left = 1.0 - fabs(v) / force->max_speed;
    if (!(left > 0)) {
        return 0.0;
    }
    const double high = force->high * left, low = force->low * left;
    const double limited = f > high ? high : f < low ? low : f;
    if (limited * v > force->max_power) {
        return -force->max_power / (v * v);
    }
    const double falling = (v > 0 ? -1.0 : 1.0) / force->max_speed;
    return f > high ? force->high * falling : f < low ? force->low * falling : 0.0;
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
        const double c = cosh(fmin(fabs(v / force->speed), 300.0));
        by_v = -force->coulomb / (force->speed * c * c) - force->viscous;
        break;
    }
    case LB_FORCE_STOP:
        get_stop_slopes(force, q, v, &by_q, &by_v);
        break;
    case LB_FORCE_ACTUATOR: // a function of time between samples
        break;
    default: {
        double f;
        const lb_status status = lb_evaluate_function(&force->functions[0], &t->instant, &f);
        if (status != LB_OK) {
            return status;
        }
        by_v = get_motor_slope(force, f, v);
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

// Pose and velocity of a node differentiated, in pieces of the scratch.
static lb_status differentiate_node(const target *t, int body, int node, double *pose,
                                    double *velocity)
{
    const lb_node_derivatives out = {sizeof out, pose, velocity, NULL, NULL};
    return lb_compute_node_derivatives(t->model, t->work, t->scratch, body, node, &out);
}

// A force or torque of time                                                 (FRC-1), (DER-10)
static lb_status differentiate_load(const target *t, int index)
{
    lb_force *force = &t->forces->forces[index];
    lb_node_force load;
    lb_status status = lb_compute_node_loads(force, &t->instant, &load);
    if (status == LB_OK) {
        status =
            lb_apply_node_force_derivatives(t->model, t->work, t->scratch, 1, &load, t->dtau_dq);
    }
    if (status != LB_OK || !t->power_dq || load.body == LB_GROUND) {
        return status;
    }
    // P = F . V in world axes; F turns with the axes that hold it
    const ptrdiff_t n = t->n;
    double *pose = t->forces->scratch, *velocity = pose + 6 * n, *turn = velocity + 6 * n;
    lb_node_motion frame, motion;
    const int axes_node = force->axes == LB_AXES_BODY ? 0 : load.node;
    status = lb_compute_node_motion(t->model, t->work, load.body, load.node, &motion);
    status = status < 0 ? status
                        : lb_compute_node_motion(t->model, t->work, load.body, axes_node, &frame);
    status = status < 0 ? status : differentiate_node(t, load.body, load.node, pose, velocity);
    status = status < 0 ? status : differentiate_node(t, load.body, axes_node, turn, NULL);
    if (status < 0) {
        return status;
    }
    const lb_mat3 R = force->axes == LB_AXES_WORLD ? lb_mat3_identity()
                                                   : lb_quat_to_mat3(lb_quat_from(frame.rotation));
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
        if (force->axes != LB_AXES_WORLD) {
            by_q[j] += lb_vec3_dot(lb_vec3_cross(a, moment), lb_vec3_from(motion.velocity)) +
                       lb_vec3_dot(lb_vec3_cross(a, f), lb_vec3_from(motion.velocity + 3));
        }
    }
    return LB_OK;
}

// Spring and damper between nodes                                                       (FRC-8)
//
//     f = s e,   s = -k (|d| - L) - c e . d_dot,   de = (I - e e*) dd / |d|
//     df = ds e + s de,   ds = -k e . dd - c (e . dd_dot + de . d_dot)
//     dtau = (J_b - J_a)* df  and, f held, (DER-10) of both ends
static lb_status differentiate_link(const target *t, int index)
{
    lb_force *force = &t->forces->forces[index];
    lb_node_force loads[2];
    lb_node_motion m[2];
    const ptrdiff_t n = t->n;
    double *pose[2] = {t->forces->scratch, t->forces->scratch + 12 * n};
    double *velocity[2] = {pose[0] + 6 * n, pose[1] + 6 * n};
    lb_status status = lb_compute_node_loads(force, &t->instant, loads);
    status = status < 0 ? status
                        : lb_apply_node_force_derivatives(t->model, t->work, t->scratch, 2, loads,
                                                          t->dtau_dq);
    for (int i = 0; i < 2 && status >= 0; ++i) {
        status = lb_compute_node_motion(t->model, t->work, loads[i].body, loads[i].node, &m[i]);
        status = status < 0
                     ? status
                     : differentiate_node(t, loads[i].body, loads[i].node, pose[i], velocity[i]);
    }
    if (status < 0) {
        return status;
    }
    double e[3], d_dot[3];
    for (int i = 0; i < 3; ++i) {
        e[i] = m[1].position[i] - m[0].position[i];
        d_dot[i] = m[1].velocity[3 + i] - m[0].velocity[3 + i];
    }
    const double length = lb_compute_norm(3, e);
    if (!(length > 0)) {
        return LB_OK; // the nodes meet: no force
    }
    for (int i = 0; i < 3; ++i) {
        e[i] /= length;
    }
    const double s =
        -force->stiffness * (length - force->rest) - force->damping * lb_compute_dot(3, e, d_dot);

    // relative motion in place of the first node's, and the columns that move it
    double *J = pose[0] + 3 * n, *rate = velocity[0] + 3 * n;
    int *moving = t->forces->list, used = 0;
    for (ptrdiff_t j = 0; j < n; ++j) {
        double size = 0.0;
        for (int i = 0; i < 3; ++i) {
            J[i * n + j] = pose[1][(3 + i) * n + j] - J[i * n + j];
            rate[i * n + j] = velocity[1][(3 + i) * n + j] - rate[i * n + j];
            size += fabs(J[i * n + j]) + fabs(rate[i * n + j]);
        }
        if (size > 0) {
            moving[used++] = (int)j;
        }
    }
    double *by_q = get_power_row(t, t->power_dq, index);
    double *by_v = get_power_row(t, t->power_dv, index);
    for (int c = 0; c < used; ++c) {
        const ptrdiff_t j = moving[c];
        const double dd[3] = {J[j], J[n + j], J[2 * n + j]};
        const double dd_dot[3] = {rate[j], rate[n + j], rate[2 * n + j]};
        double de[3], df[3], dfv[3];
        for (int i = 0; i < 3; ++i) {
            de[i] = (dd[i] - e[i] * lb_compute_dot(3, e, dd)) / length;
        }
        const double ds =
            -force->stiffness * lb_compute_dot(3, e, dd) -
            force->damping * (lb_compute_dot(3, e, dd_dot) + lb_compute_dot(3, de, d_dot));
        const double dsv = -force->damping * lb_compute_dot(3, e, dd);
        for (int i = 0; i < 3; ++i) {
            df[i] = ds * e[i] + s * de[i];
            dfv[i] = dsv * e[i];
        }
        for (int r = 0; r < used; ++r) {
            const ptrdiff_t i = moving[r];
            const double Ji[3] = {J[i], J[n + i], J[2 * n + i]};
            t->dtau_dq[i * n + j] += lb_compute_dot(3, Ji, df);
            t->dtau_dv[i * n + j] += lb_compute_dot(3, Ji, dfv);
        }
        if (by_q) {
            by_q[j] += lb_compute_dot(3, df, d_dot) + s * lb_compute_dot(3, e, dd_dot);
            by_v[j] += lb_compute_dot(3, dfv, d_dot) + s * lb_compute_dot(3, e, dd);
        }
    }
    return LB_OK;
}

// ---- by differences ----------------------------------------------------------------------------

// Central differences (DER-9) of the chosen elements alone: kinematics and no dynamics.
//
// 5e-4: what is left out is h^6 f(7) / 140, small also for springs as short as 0.05; round-off is
// 1e-16 f / h. Of the caller's own, about which nothing is known, in units of each coordinate's size.
static lb_status difference_chosen(const target *t, const double *scales)
{
    static const double weights[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    lb_forces *forces = t->forces;
    const size_t n = (size_t)t->n, nq = (size_t)lb_get_q_count(t->model);
    double *q = forces->scratch, *v = q + nq, *step = v + n, *tau = step + n;
    lb_status status = LB_OK;
    for (int side = 0; side < 12 && status >= 0; ++side) {
        const bool along_q = side % 2 == 0;
        const double sign = side / 2 % 2 ? -1.0 : 1.0;
        double *dtau = along_q ? t->dtau_dq : t->dtau_dv;
        double *power = along_q ? t->power_dq : t->power_dv;
        for (size_t j = 0; j < n && status >= 0; ++j) {
            const double scale = !scales   ? 1.0
                                 : along_q ? scales[j]
                                           : fmax(scales[j], fabs(t->instant.v[j]));
            const double h = 5e-4 * scale, size = sign * h * (side / 4 + 1);
            const double weight = sign * weights[side / 4] / h;
            memcpy(q, t->instant.q, nq * sizeof *q);
            memcpy(v, t->instant.v, n * sizeof *v);
            memset(tau, 0, n * sizeof *tau);
            if (along_q) {
                memset(step, 0, n * sizeof *step);
                step[j] = size;
                lb_integrate_configuration(t->model, t->instant.q, step, q);
            } else {
                v[j] += size;
            }
            status = lb_compute_kinematics(t->model, t->work, q, v, NULL);
            status = status < 0 ? status
                                : lb_compute_chosen_forces(forces, t->model, t->work, t->instant.t,
                                                           q, v, forces->chosen, tau, NULL, NULL);
            for (size_t i = 0; i < n && status >= 0; ++i) {
                dtau[i * n + j] += weight * tau[i];
            }
            for (int f = 0; power && f < forces->count && status >= 0; ++f) {
                power[(size_t)f * n + j] +=
                    forces->chosen[f] ? weight * forces->forces[f].power : 0.0;
            }
        }
    }
    // powers and energies as they were, and the state in the workspace
    const lb_status back =
        lb_compute_kinematics(t->model, t->work, t->instant.q, t->instant.v, NULL);
    memset(tau, 0, n * sizeof *tau);
    const lb_status again =
        lb_compute_chosen_forces(forces, t->model, t->work, t->instant.t, t->instant.q,
                                 t->instant.v, forces->chosen, tau, NULL, NULL);
    return status < 0 ? status : back < 0 ? back : again;
}

static bool reads_signals(const lb_force *force)
{
    for (int i = 0; i < force->function_count; ++i) {
        const lb_function *f = &force->functions[i];
        if (f->type == LB_FUNCTION_EXPRESSION &&
            lb_get_expression_stage(f->expressions[0]) != LB_SIGNAL_TIME) {
            return true;
        }
    }
    return false;
}

bool lb_is_force_differenced(const lb_forces *forces, int index)
{
    const lb_force *force = &forces->forces[index];
    if (force->type == LB_FORCE_MOTION) {
        return false;
    }
    const bool needs_nodes = lb_acts_at_nodes(force) && !lb_has_analytic_derivatives(forces->model);
    return force->type == LB_FORCE_GRAVITY_POINT || reads_signals(force) || needs_nodes ||
           (force->type == LB_FORCE_CALLBACK && !force->own.differentiate);
}

// Differences of the elements that need them: of the caller's own, or of the others.
static lb_status difference(const target *t, bool own)
{
    lb_forces *forces = t->forces;
    bool any = false;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        forces->chosen[i] = force->enabled && (force->type == LB_FORCE_CALLBACK) == own &&
                            lb_is_force_differenced(forces, i);
        any = any || forces->chosen[i];
    }
    return any ? difference_chosen(t, own ? forces->own.scales : NULL) : LB_OK;
}

static lb_status differentiate(const target *t, int index)
{
    lb_force *force = &t->forces->forces[index];
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
    if (status < 0) {
        return status;
    }
    memset(dtau_dq, 0, n * n * sizeof *dtau_dq);
    memset(dtau_dv, 0, n * n * sizeof *dtau_dv);
    if (power_dq) {
        memset(power_dq, 0, rows * sizeof *power_dq);
        memset(power_dv, 0, rows * sizeof *power_dv);
    }
    for (int i = 0; i < forces->count && status >= 0; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->enabled && force->type != LB_FORCE_MOTION &&
            !lb_is_force_differenced(forces, i)) {
            status = lb_say_force(forces, force, differentiate(&out, i), t);
        }
    }
    status = status < 0 ? status : difference(&out, false);
    return status < 0 ? status : difference(&out, true);
}
