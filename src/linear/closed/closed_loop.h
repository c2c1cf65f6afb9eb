// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear models with controllers: what they are made of.
#ifndef LB_CLOSED_LOOP_H
#define LB_CLOSED_LOOP_H

#include "control/control.h"
#include "linear/linear.h"

// ---- feedbacks.c -------------------------------------------------------------------------------

/// The way from a controller to one of its actuators.
typedef struct lb_feedback {
    const char *name;
    int controller, channel;
    bool is_closed;
    const char *note; ///< why nothing passes
} lb_feedback;

typedef struct lb_feedbacks {
    int count, closed_count;
    lb_feedback *list;
} lb_feedbacks;

/// Lists the feedbacks of a simulation, and which of them the options leave closed.
///
/// @return LB_OK, LB_E_MEMORY, or LB_E_ARGUMENT for a name that is none
lb_status lb_choose_feedbacks(lb_simulation *sim, const lb_linear_options *options, lb_arena *arena,
                              lb_feedbacks *feedbacks);

/// What every function of linear models begins with: ends the building of the simulation, takes over the
/// options of the caller, and chooses the feedbacks.
lb_status lb_begin_linear(lb_simulation *sim, const lb_linear_options *options, lb_arena *arena,
                          lb_linear_options *own, lb_feedbacks *feedbacks);

/// The same as the arrays of lb_linear and lb_modes.
typedef struct lb_feedback_arrays {
    const char *const *names, *const *notes;
    const unsigned char *closed;
} lb_feedback_arrays;

lb_status lb_spread_feedbacks(const lb_feedbacks *feedbacks, lb_arena *arena,
                              lb_feedback_arrays *arrays);

// ---- closed_loop.c -----------------------------------------------------------------------------

/// Something that a controller reads: an output of the plant, perhaps by a sensor that samples.
typedef struct lb_closed_read {
    int input;          ///< of the model: a desired coordinate; -1 if it is none
    int output;         ///< of the plant
    int sensor;         ///< of the controller; -1 for none
    bool is_used;       ///< the law depends on it
    double rate, delay; ///< of the sensor
    int samples, first; ///< discrete: registers of its pipeline, and the first of them
    double age;         ///< s, mean of what is read
} lb_closed_read;

typedef struct lb_closed_controller {
    lb_controller *c;
    int index;
    lb_law_slopes law; ///< speeds by differences are part of its memory
    lb_closed_read *reads;
    int read_count; ///< those that differ: the readings of sensors, then outputs of the plant
    int first_memory, sample_count;
} lb_closed_controller;

typedef struct lb_closed_actuator {
    int feedback;
    int force;
    int input;         ///< of the plant
    int command_input; ///< of the model: adds to the command; -1 for none
    double gain, lag;  ///< gain 0: nothing passes
    int lag_state, target_state;
} lb_closed_actuator;

/// The plant with its ports in frames that move along with it, and all controllers that act on it.
typedef struct lb_closed {
    lb_simulation *sim;
    lb_arena *arena;
    lb_feedbacks feedbacks;
    lb_linear plant; ///< its own inputs and outputs first
    double *A, *C;   ///< of the plant, seen from these frames                            (LIN-17)
    int input_count, output_count; ///< those that the options name
    int *plant_inputs; ///< of these inputs: which of the plant, -1 for one of a controller
    const char *const *inputs;
    int controller_count, actuator_count;
    lb_closed_controller *controllers;
    lb_closed_actuator *actuators; ///< one per closed feedback
    double period;                 ///< s, common to all
    const double *rest;            ///< where it rests, if that was asked for
    int rest_step;                 ///< of a search for rest, from 1 on; 0 for none
    const double *forces; ///< of closed actuators while the plant was linearised; NULL for none
    lb_linear_options plant_options; ///< the plant's inputs and outputs
    lb_ports ports;
    /// A motion that repeats itself, along which the plant changes: A is then its mean. NULL if it stays as it is
    struct lb_turn *turn;
} lb_closed;

/// Finds the plant and all controllers with a closed feedback; about an equilibrium, that under the controllers.
lb_status lb_collect_loop(lb_simulation *sim, const lb_linear_options *options,
                          const lb_feedbacks *feedbacks, lb_arena *arena, lb_closed *closed);

/// The same over a motion that repeats itself, near the point of the options.           (FLQ-2)
lb_status lb_collect_turning_loop(lb_simulation *sim, const lb_linear_options *options,
                                  const lb_feedbacks *feedbacks, lb_arena *arena,
                                  lb_closed *closed);

/// The loop where a motion has come to: what controllers read there, and their laws. They must command nothing,
/// for the motion is that without them.
///
/// @param arena  memory of the result
lb_status lb_look_at_loop(const lb_closed *closed, lb_arena *arena, lb_closed *there);

/// The same at the point as it is.
///
/// @param forces  what closed actuators exert while the plant is linearised, one per feedback; NULL for nothing
/// @param rest_step  as in lb_closed: laws keep their memories, which the first step settles at the state
lb_status lb_collect_loop_at(lb_simulation *sim, const lb_linear_options *options,
                             const lb_feedbacks *feedbacks, const double *forces, int rest_step,
                             lb_arena *arena, lb_closed *closed);

// ---- closed_rest.c -----------------------------------------------------------------------------

/// Where the system rests under what its controllers command there. Laws keep what they remember there. (CLL-7)
///
/// @param q, forces  out: the configuration, and the force of each feedback; from the arena
/// @return LB_OK, LB_E_EQUILIBRIUM with a message, or what the loop cannot be made with
lb_status lb_find_closed_rest(lb_simulation *sim, const lb_linear_options *options,
                              const lb_feedbacks *feedbacks, lb_arena *arena, double **q,
                              double **forces);

/// Copies the memories of laws to the arena, and back.
lb_status lb_save_laws(lb_simulation *sim, lb_arena *arena, double **numbers);
void lb_restore_laws(lb_simulation *sim, double *numbers);

/// Lets the actuators of closed feedbacks exert forces while a plant is linearised; NULL for none.
///
/// @param before  out: three numbers per feedback, for lb_release_actuators
void lb_hold_actuators(lb_simulation *sim, const lb_feedbacks *feedbacks, const double *forces,
                       double *before);
void lb_release_actuators(lb_simulation *sim, const lb_feedbacks *feedbacks, const double *before);

/// Forces of closed actuators at the point as it is, one per feedback, from the arena: friction holds what these do not
/// move.
lb_status lb_find_closed_forces(lb_simulation *sim, const lb_linear_options *options,
                                const lb_feedbacks *feedbacks, lb_arena *arena, double **forces);

/// The force of an actuator under the command at the point, once it has settled.
double lb_find_command_force(const lb_closed *closed, const lb_closed_actuator *actuator);

/// What accelerates at the point under what the controllers command there.
///
/// @param forces  that the plant was linearised with; NULL for none
void lb_find_closed_unbalance(lb_closed *closed, const double *forces);

/// Sample of a sensor that a controller reads at the part `time` of the common period: how many have
/// been taken since.
int lb_find_sample_age(const lb_closed *closed, const lb_closed_read *read, double time);

/// A state-space model, matrices row by row.
typedef struct lb_matrices {
    int n, m, p;
    double *A, *B, *C, *D;
    char (*names)[LB_COLUMN_SIZE]; ///< of the states behind those of the plant
    double
        *turns; ///< along a motion: LB_TURN_INSTANTS x coordinates x n, deviations there; or NULL
} lb_matrices;

/// Takes memory for n states, m inputs and p outputs, all zero.
lb_status lb_take_matrices(lb_arena *arena, size_t n, size_t m, size_t p, lb_matrices *out);

// ---- closed_discrete.c, closed_continuous.c ----------------------------------------------------

/// From one sample to the next.                                                         (CLL-2)
///
/// @param cut  index of an actuator that gets the last input instead of its command, which becomes the last
///             output; -1 for none
lb_status lb_form_discrete(lb_closed *closed, int cut, lb_matrices *out);

/// The loop as it samples, but for its poles; NULL if it would take too much memory.
lb_status lb_form_sampled(lb_closed *closed, lb_sampled_loop **out);

/// With approximations of delays and holds.                                             (CLL-3)
lb_status lb_form_continuous(lb_closed *closed, int order, lb_matrices *out);

// ---- exponential.c -----------------------------------------------------------------------------

/// E = exp(A t), n x n. Columns of A that are zero leave those of the unit matrix, exactly.
///
/// @return LB_OK or LB_E_MEMORY
lb_status lb_form_exponential(int n, const double *A, double t, double *E);

// ---- closed_spectrum.c -------------------------------------------------------------------------

/// Eigenvalues of a closed loop, ascending, zeros exactly zero, pairs side by side.
typedef struct lb_closed_spectrum {
    int count, zero_count;
    double *values, *multipliers; ///< pairs; the second NULL for a continuous model
    double *participation;        ///< count x count
    double *vectors; ///< count x count x 2: one row per eigenvalue, those of zeros zero
    int rigid_count;
    double *rigid; ///< rigid_count rows of count: independent vectors that stay as they are
} lb_closed_spectrum;

/// @param period  of a discrete model; 0 for a continuous one
lb_status lb_compute_closed_spectrum(lb_closed *closed, const lb_matrices *model, double period,
                                     lb_closed_spectrum *spectrum);

// ---- closed_model.c ----------------------------------------------------------------------------

/// Fills a linear model with controllers.
lb_status lb_fill_closed(lb_simulation *sim, const lb_linear_options *options,
                         const lb_feedbacks *feedbacks, lb_arena *arena, lb_linear *linear);

// ---- closed_modes.c ----------------------------------------------------------------------------

/// Fills the poles of the closed loop as modes.
lb_status lb_fill_closed_modes(lb_simulation *sim, const lb_linear_options *options,
                               const lb_feedbacks *feedbacks, lb_arena *arena, lb_modes *modes);

#endif // LB_CLOSED_LOOP_H
