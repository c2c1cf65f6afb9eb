// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Records what a simulation computes besides its tree: forces, signals, actuators. As freeze/trace.h.
#ifndef LB_TRACE_SIMULATION_H
#define LB_TRACE_SIMULATION_H

#include "export/freeze/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What can be recorded.
typedef enum lb_traced_part {
    LB_TRACE_RATES,      ///< t, q, v, tau, u to a, q_dot
    LB_TRACE_OUTPUTS,    ///< the same to the outputs of the simulation
    LB_TRACE_INDICATORS, ///< the same to levels of events and room at stops
    LB_TRACE_PLACE,      ///< t to q and v of hinges that are driven
    LB_TRACE_ACTUATE,    ///< t and memory to u of actuators
    LB_TRACE_COMMAND,    ///< t, memory and commands to memory
    LB_TRACE_SENSE,      ///< t, q, v, tau, u and memory to memory: sensors of one rate
    LB_TRACE_SAMPLE,     ///< the same: a controller, which commands its actuators
    LB_TRACE_PLAN,       ///< memory to memory: accelerations of the plan of a controller
    LB_TRACE_CLOSE_Q,    ///< t, q to q nearer to the loops, and how far it was off them
    LB_TRACE_CLOSE_V     ///< t, q, v to v that agrees with the loops
} lb_traced_part;

/// Numbers that an actuator keeps: time of the last command, target, ramp and output then.
enum { LB_ACTUATOR_MEMORY = 4 };

/// Where a controller is in the memory of the caller.
typedef struct lb_controller_place {
    int count;   ///< samples that it has taken
    int sensors; ///< readings under way, sensor by sensor: pairs of arrival and reading, oldest first
    int channels; ///< last position of each channel whose speed is found by differences
    int law;      ///< what the law keeps
    int *
        references; ///< not in memory: by channel, where its entries of u begin; -1 for its own desired motion
} lb_controller_place;

/// Columns of a node among the outputs: position, rotation, velocity, acceleration.
enum { LB_NODE_COLUMNS = 19 };

/// The numbers of a call, as terms.
typedef struct lb_simulation_call {
    lb_traced_part part;
    const void *simulation; ///< an lb_simulation, which is only read
    const void *model;      ///< its lb_model, plain
    void *work;             ///< an lb_work of that
    const double *offsets;  ///< of the plain model
    const int *inputs;      ///< by force: where its entries of u begin; -1 if it has none
    bool composite;         ///< accelerations through the mass matrix
    bool accelerations;     ///< outputs, indicators or sensors need them
    int subject;            ///< the controller, or the group of sensors
    double rate;            ///< of that group
    int count_at;           ///< in memory: its samples
    int memory_count;
    const lb_controller_place *places; ///< of all controllers
    const int *actuators;              ///< by force: where its memory begins; -1 if it has none
    // of a controller with a plan: its model, as above
    const void *plan_model;
    void *plan_work;
    const double *plan_offsets;
    const lb_term *loop_scales; ///< as lb_trace_call
    const lb_term *t, *q, *v, *tau, *u, *memory, *command, *noise;
    lb_term *out; ///< all outputs, one behind the other
} lb_simulation_call;

/// Records one call.
///
/// @param culprit  out: the force that has too many cases, for LB_E_UNSUPPORTED; or -1
/// @return an lb_status
int lb_trace_simulation(lb_graph *graph, const lb_simulation_call *call, int *culprit);

#ifdef __cplusplus
}
#endif

#endif // LB_TRACE_SIMULATION_H
