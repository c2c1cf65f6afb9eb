// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What each force element does.
#include <math.h>

#include "base/dense.h"
#include "forces.h"

// ---- at hinges ---------------------------------------------------------------------------------

// Stop: unilateral spring and damper                                                    (FRC-6)
//
//     f = max(0, k d + c r(d / width) d_dot),   r(s) = s^2 (3 - 2 s), 1 from s = 1 on
//
// given     d, d_dot  penetration and its rate, d > 0
// computes  the force that pushes back
static double push_back(const lb_force *force, double d, double d_dot)
{
    const double s = d < force->width ? d / force->width : 1.0;
    const double f = force->stiffness * d + force->damping * s * s * (3.0 - 2.0 * s) * d_dot;
    return f > 0 ? f : isnan(f) ? f : 0.0;
}

static double compute_stop(lb_force *force, double q, double v)
{
    double f = 0.0, d = 0.0;
    if (q < force->lower) {
        d = force->lower - q;
        f = push_back(force, d, -v);
    } else if (q > force->upper) {
        d = q - force->upper;
        f = -push_back(force, d, v);
    }
    force->energy = 0.5 * force->stiffness * d * d;
    return isnan(q) ? q : f;
}

// Motor limits                                                                          (FRC-7)
//
//     low <= f <= high; driving (f v > 0) the limit falls to zero at max_speed, and f v <= max_power
static double limit_motor(const lb_force *force, double f, double v)
{
    const bool driving = f * v > 0;
    const double left = driving ? fmax(0.0, 1.0 - fabs(v) / force->max_speed) : 1.0;
    // an infinite limit times zero would be no number
    const double high = left > 0 ? force->high * left : 0.0;
    const double low = left > 0 ? force->low * left : 0.0;
    f = f > high ? high : f < low ? low : f;
    return driving && f * v > force->max_power ? force->max_power / v : f;
}

// Smooth in the speed, or constant while it slips                                  (FRC-5), (STK-1)
double lb_get_friction(const lb_force *force, double v)
{
    if (force->sticks && force->is_decided) {
        return force->dry - force->viscous * v;
    }
    const double sign = force->sticks ? (v > 0.0) - (v < 0.0) : tanh(v / force->speed);
    return -force->coulomb * sign - force->viscous * v;
}

lb_status lb_compute_hinge_force(lb_force *force, const lb_instant *instant, double *tau)
{
    const double v = instant->v[force->v], q = force->q >= 0 ? instant->q[force->q] : 0.0;
    double f = 0.0;
    switch (force->type) {
    case LB_FORCE_SPRING: // (FRC-3)
        f = -force->stiffness * (q - force->rest);
        force->energy = 0.5 * force->stiffness * (q - force->rest) * (q - force->rest);
        break;
    case LB_FORCE_DAMPER: // (FRC-4)
        f = -force->damping * v;
        break;
    case LB_FORCE_FRICTION:
        f = lb_get_friction(force, v);
        break;
    case LB_FORCE_STOP:
        f = compute_stop(force, q, v);
        break;
    case LB_FORCE_ACTUATOR:
        f = lb_get_actuator_output(force, instant->t);
        break;
    default: { // a motor
        const lb_status status = lb_evaluate_function(&force->functions[0], instant, &f);
        if (status != LB_OK) {
            return status;
        }
        // limits must not turn what is not finite into a number
        f = isfinite(f) ? limit_motor(force, f, v) : f;
        break;
    }
    }
    force->power = f * v;
    tau[force->v] += f;
    return isfinite(f) ? LB_OK : LB_E_NUMBER;
}

// ---- at nodes ----------------------------------------------------------------------------------

// Force or torque at a node: components in the axes that were asked for                 (FRC-1)
static lb_status compute_load(const lb_force *force, const lb_instant *instant, lb_node_force *load)
{
    *load = (lb_node_force){force->bodies[0], force->nodes[0], force->axes, {0}, 0.0};
    double *components = load->force + (force->type == LB_FORCE_FORCE ? 3 : 0);
    for (int i = 0; i < 3; ++i) {
        const lb_status status =
            lb_evaluate_function(&force->functions[i], instant, &components[i]);
        if (status != LB_OK) {
            return status;
        }
        if (!isfinite(components[i])) {
            return LB_E_NUMBER;
        }
    }
    return LB_OK;
}

// Spring and damper between nodes                                                       (FRC-8)
//
//     d = x_b - x_a,  e = d / |d|;   on b  f = -(k (|d| - L) + c e . (v_b - v_a)) e,   on a  -f
//
// Where the nodes meet, e is not defined and there is no force.
static lb_status compute_link(lb_force *force, const lb_instant *instant, lb_node_force *loads)
{
    lb_node_motion m[2];
    for (int i = 0; i < 2; ++i) {
        const lb_status status = lb_compute_node_motion(instant->model, instant->work,
                                                        force->bodies[i], force->nodes[i], &m[i]);
        if (status != LB_OK) {
            return status;
        }
        loads[i] = (lb_node_force){force->bodies[i], force->nodes[i], LB_AXES_WORLD, {0}, 0.0};
    }
    double e[3], rate = 0.0;
    for (int i = 0; i < 3; ++i) {
        e[i] = m[1].position[i] - m[0].position[i];
    }
    const double length = lb_compute_norm(3, e), stretch = length - force->rest;
    for (int i = 0; i < 3; ++i) {
        e[i] = length > 0 ? e[i] / length : isnan(length) ? length : 0.0;
        rate += e[i] * (m[1].velocity[3 + i] - m[0].velocity[3 + i]);
    }
    const double f = -force->stiffness * stretch - force->damping * rate;
    for (int i = 0; i < 3; ++i) {
        loads[1].force[3 + i] = f * e[i];
        loads[0].force[3 + i] = -f * e[i];
    }
    force->energy = 0.5 * force->stiffness * stretch * stretch;
    return isfinite(f) ? LB_OK : LB_E_NUMBER;
}

lb_status lb_compute_node_loads(lb_force *force, const lb_instant *instant, lb_node_force *loads)
{
    if (force->type == LB_FORCE_FORCE || force->type == LB_FORCE_TORQUE) {
        return compute_load(force, instant, loads);
    }
    return compute_link(force, instant, loads);
}
