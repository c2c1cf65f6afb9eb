// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How far energy and momentum may be off at the end of a run, by its tolerance.
#include <math.h>

#include "forces/forces.h"
#include "integrate/weights.h"
#include "record.h"

// Errors of steps may all have one sign, and an integral of them is more than one of them.
enum { STEP_FACTOR = 10, START_FACTOR = 1000 };
// More than this is explained by no tolerance; with fixed steps there is none.
static const double most = 1e-2;
static const double round_off = 1e-15;

// Whether a force acts between bodies only.
static bool is_internal(const lb_simulation *sim, const lb_force *force)
{
    switch (force->type) {
    case LB_FORCE_SPRING:
    case LB_FORCE_DAMPER:
        if (force->at_nodes) {
            return force->bodies[0] >= 0 && force->bodies[1] >= 0;
        }
        break;
    case LB_FORCE_FRICTION:
    case LB_FORCE_STOP:
    case LB_FORCE_MOTOR:
    case LB_FORCE_MOTION:
    case LB_FORCE_ACTUATOR:
        break;
    default:
        return false;
    }
    return lb_get_parent(sim->system.model, force->body) >= 0;
}

// Whether nothing from outside acts on the system: momentum is conserved.
static bool is_free(const lb_simulation *sim)
{
    const lb_model *model = sim->system.model;
    double gravity[3];
    lb_get_gravity(model, gravity);
    bool free = gravity[0] == 0.0 && gravity[1] == 0.0 && gravity[2] == 0.0 && !sim->system.closure;
    for (int k = 0; k < sim->system.body_count; ++k) {
        const bool is_base = lb_get_parent(model, k) < 0;
        free = free && (!is_base || lb_get_hinge_type(model, k) == LB_HINGE_FREE);
    }
    for (int i = 0; i < sim->system.force_count; ++i) {
        free = free && is_internal(sim, &sim->system.forces->forces[i]);
    }
    for (int i = 0; i < sim->event_count; ++i) {
        for (int j = 0; j < sim->events[i].action_count; ++j) {
            const lb_action *action = &sim->events[i].actions[j];
            free = free &&
                   !(action->type == LB_ACTION_LOCK && lb_get_parent(model, action->subject) < 0);
        }
    }
    return free;
}

// Whether the inertia of all bodies is that of an energy.
static bool is_consistent(const lb_simulation *sim)
{
    for (int k = 0; k < sim->system.body_count; ++k) {
        if (lb_get_fidelity(sim->system.model, k) != LB_FIDELITY_CONSISTENT) {
            return false;
        }
    }
    return true;
}

//     bound = min(r (1000 + 10 steps), 0.01) E + round-off                                    (TOL-2)
void lb_set_audit_bounds(const lb_simulation *sim, const lb_largest *largest, lb_audit *audit)
{
    const lb_model *model = sim->system.model;
    const lb_run_options *o = &sim->flow.options;
    const double rounding = round_off * (START_FACTOR + STEP_FACTOR * audit->steps);
    const double explained =
        lb_is_fixed_step(o->integrator)
            ? most
            : fmin(o->relative_tolerance * (START_FACTOR + STEP_FACTOR * audit->steps), most);
    double mass = 0.0;
    for (int k = 0; k < sim->system.body_count; ++k) {
        double m, com[3], inertia[6];
        lb_get_mass_properties(model, k, &m, com, inertia);
        mass += m;
    }
    const double own = sqrt(2.0 * mass * largest->kinetic);
    const bool free = is_free(sim);
    // what a step may do to a velocity that is carried along: (TOL-1)
    audit->linear_bound =
        free ? explained * (own + 1e-4 * largest->linear) + rounding * largest->linear
             : (double)NAN;
    // read out about a centre of mass that may be far away
    audit->angular_bound =
        free ? (explained + rounding) * (largest->angular + lb_measure_model(model) * own) +
                   round_off * largest->distance * largest->linear
             : (double)NAN;
    audit->energy_bound = is_consistent(sim)
                              ? explained * audit->motion_energy + rounding * largest->energy
                              : (double)NAN;
    // a change of momentum, which is judged by itself, goes with energy if the whole is fast
    if (free) {
        audit->energy_bound += fmin(audit->linear_change, audit->linear_bound) * largest->speed;
    }
}
