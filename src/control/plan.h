// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A controller's own idea of the system: the same model or another one, a state that it measures or
// integrates, and dynamics by the engine.
#ifndef LB_CONTROL_PLAN_H
#define LB_CONTROL_PLAN_H

#include <math.h>

#include "control.h"

typedef struct lb_plan {
    const lb_model *model;
    lb_work *work;
    lb_forces *forces; ///< of the model; NULL for none
    bool is_apart;     ///< the model is not that of the simulation
    int *twin;         ///< per body: the one of the same name in the simulation, or LB_NOT_FOUND
    int *q_at, *v_at;  ///< per channel: its coordinate and speed in this model
    int body_count, q_count, v_count;
    double *q, *v, *a, *tau; ///< state, and what was computed at it
    double *force;           ///< generalized forces of elements other than actuators
    unsigned char *driven;   ///< per body: its hinge is controlled
    unsigned char *channel;  ///< per speed: it is controlled
    unsigned char *passive;  ///< per force: neither an actuator nor motion
    double fastest;          ///< highest frequency of any body's modes, rad/s
    // scratch of the integration
    double *q0, *v0, *v_sum, *a_sum, *step;
} lb_plan;

/// Every controlled hinge must be controlled in all its speeds. A model of its own must have the controlled
/// hinges by name, and no hinges that the simulation does not have.
lb_status lb_create_plan(lb_simulation *sim, const lb_law_options *options,
                         lb_controller *controller, lb_plan **plan);
/// Looks at the forces, once all are there.
lb_status lb_complete_plan(lb_simulation *sim, lb_plan *plan);
void lb_destroy_plan(lb_plan *plan);

/// Takes over the state: controlled hinges as measured, modes as `modes` says (rigid: zero and at rest),
/// other hinges as they are. Modes of bodies that have no twin with as many start undeformed, at rest.
///
/// @param whole  also controlled hinges are integrated, not measured, after the first sample
void lb_observe(lb_plan *plan, const lb_system *system, const lb_controller *controller,
                lb_law_modes modes, bool whole);

/// Sets the configuration in which the desired motion ends: the initial one with the channels moved.
void lb_set_plan_end(lb_plan *plan, const lb_simulation *sim, const lb_controller *controller);

/// Whether a body has as many modes as its twin in the simulation.
bool lb_has_modes_of_twin(const lb_plan *plan, const lb_model *plant, int body);

/// Copies modes, coordinates and speeds of a body from a state of the simulation. v may be NULL.
void lb_copy_plan_modes(lb_plan *plan, const lb_model *plant, int body, const double *q,
                        const double *v);

/// The same with coordinates and speeds of its hinge.
void lb_copy_plan_hinge(lb_plan *plan, const lb_model *plant, int body, const double *q,
                        const double *v);

/// Forces of all enabled elements but actuators at the plan's state, into `force`.
lb_status lb_compute_plan_forces(lb_plan *plan, double t);

/// Forces at controlled hinges that give them the accelerations in `a`; modes and other hinges are
/// solved for (or, rigid, modes are held). Fills tau and a.                            (CTL-5)
lb_status lb_compute_plan_inverse(lb_plan *plan, bool rigid);

/// Accelerations under the forces of elements and of commands, which are in tau. Fills a. (CTL-6)
lb_status lb_compute_plan_forward(lb_plan *plan);

/// Steps that lb_advance_plan takes for h seconds.
static inline double lb_count_plan_steps(const lb_plan *plan, double h)
{
    return fmin(1e6, ceil(fmax(1.0, 4.0 * h * plan->fastest)));
}

/// Moves the state on by h seconds under tau held.
lb_status lb_advance_plan(lb_plan *plan, double h);

#endif // LB_CONTROL_PLAN_H
