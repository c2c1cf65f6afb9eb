// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Motion in time (library limber-sim): a model with its forces, initial state, events, controllers and
// outputs, integrated from t = 0. It is built by calls, or read from a document.
//
//     lb_simulation *simulation;
//     lb_create_simulation(model, &report, &simulation);
//     lb_force_options motor = lb_default_force_options();
//     lb_function_options torque = lb_constant_function(2.0);
//     motor.name = "motor";
//     motor.type = LB_FORCE_MOTOR;
//     motor.hinge = "link";
//     motor.values = &torque;
//     motor.value_count = 1;
//     lb_add_force(lb_get_simulation_forces(simulation), &motor, NULL);
//     lb_set_initial_value(simulation, "link.angle", 0.3);
//
//     lb_start_simulation(simulation);
//     for (int k = 1; k <= 100; ++k) {
//         lb_advance_simulation(simulation, 0.01 * k);
//         lb_get_simulation_state(simulation, &t, &now_q, &now_v, &now_a);
//     }
//     lb_destroy_simulation(simulation);
//
// lb_open_simulation reads all of it from a file, and lb_run_simulation runs with a file of results and an
// audit. Events are in limber/events.h, controllers in limber/control.h. docs/guide/simulation.md says
// what everything means.
//
// A program that closes the loop itself goes in lockstep:
//
//     lb_open_simulation("arm.yaml", NULL, &report, &simulation);
//     lb_start_simulation(simulation);
//     for (int k = 0; k < 1000; ++k) {
//         double angle;
//         lb_read_signal(simulation, "elbow.angle", &angle);
//         lb_set_command(simulation, "motor", -20.0 * angle); // limber/control.h: an actuator of the file
//         lb_step_simulation(simulation, 0.01);
//     }
//     lb_restart_simulation(simulation, 0.0, q, v); // and once more, from another state
//
// When things act is the same for every integrator. A sample of a controller, and a jump of a function of
// time, at the time where an advance ends belongs to the next one: it is taken when that begins, with the
// state of that time, and what it commands acts from that time on. So a law reads what the caller has set
// in between. lb_run_simulation takes them before it records the row of that time.
//
// What is added is checked at once and reported with its path in the words of the model file, such as
// "forces[2].stiffness". The first call that uses the simulation (start, trim, assemble, linearise, record)
// completes it: it fails with LB_E_MODEL if anything that was added was wrong, and nothing can be added
// from then on. After lb_start_simulation nothing here allocates; what SUNDIALS needs it takes when it
// starts. A simulation belongs to one thread. The same binary gives the same bits.
#ifndef LB_SIMULATE_H
#define LB_SIMULATE_H

#include "limber/assemble.h"
#include "limber/forces.h"
#include "limber/results.h"

/// How time is stepped.
typedef enum lb_integrator {
    LB_INTEGRATOR_ERK,   ///< explicit Runge-Kutta, adaptive (ERKStep)
    LB_INTEGRATOR_ADAMS, ///< Adams, variable order, adaptive (CVODE); the default
    LB_INTEGRATOR_BDF,   ///< backward differences, variable order, adaptive, stiff (CVODE)
    LB_INTEGRATOR_RK4,   ///< classical Runge-Kutta, fixed step
    LB_INTEGRATOR_EULER, ///< semi-implicit Euler, fixed step
    LB_INTEGRATOR_ALPHA, ///< generalized-alpha, fixed step, stiff
    LB_INTEGRATOR_COUNT
} lb_integrator;

/// Name of an integrator as in a model file: "erk", "adams" and so on.
LB_API const char *lb_get_integrator_name(lb_integrator integrator);

/// The lb_integrator of that name, or LB_NOT_FOUND.
LB_API int lb_find_integrator(const char *name);

/// Whether the step of an integrator is fixed (`step`) rather than chosen from tolerances.
LB_API bool lb_is_fixed_step(lb_integrator integrator);

/// The lb_algorithm of a name in model files, "articulated" or "divide-and-conquer"; or LB_NOT_FOUND.
LB_API int lb_find_algorithm(const char *name);

/// How to integrate. Start from lb_default_run_options() or lb_get_run_options().
typedef struct lb_run_options {
    size_t size;     ///< of this struct
    double duration; ///< s, from t = 0
    double interval; ///< s between outputs
    lb_integrator integrator;
    double relative_tolerance; ///< adaptive: of the error of a step
    double
        absolute_tolerance; ///< adaptive: likewise, in SI units and radians, for all of q and v; 0:
                            ///< from the size of the model and of its motion
    double step;            ///< fixed step: its length, s
    double max_step;        ///< adaptive: no step is longer, s; 0 for no limit
    int order;      ///< erk: 2 to 6 or 8; highest order of adams (to 12) and bdf (to 5); 0: default
    double damping; ///< alpha: spectral radius at infinite frequency, 0 (most) to 1 (none)
    bool stop_at_outputs;    ///< adaptive: end a step at every output instead of interpolating
    bool differences;        ///< bdf, alpha: Newton's matrix by differences, not by derivatives
    bool allow_programs;     ///< controllers may start programs that the model names
    bool allow_plugins;      ///< controllers may load shared libraries that the model names
    lb_algorithm algorithm;  ///< of the tree: articulated, or divide and conquer on one core
    bool assemble;           ///< close the loops of the initial state before the start
    int hold_count;          ///< assemble: coordinates that keep their values
    const char *const *hold; ///< their names: "crank", "crank.angle", "panel.eta.0"; copied
    // adaptive: in place of absolute_tolerance for one kind of coordinates or speeds; 0 for none
    double absolute_modes;      ///< modes: of the displacement of the nodes, m
    double absolute_angles;     ///< turns of hinges, rad
    double absolute_lengths;    ///< shifts of hinges and positions, m
    double absolute_mode_rates; ///< speeds of modes: of the nodes, m/s
    double absolute_rates;      ///< turning speeds of hinges, rad/s
    double absolute_velocities; ///< shifting speeds of hinges, and velocities, m/s
    double seed;                ///< of the noise of sensors that have no seed of their own
} lb_run_options;

/// 10 s, an output every 0.01 s, Adams at 1e-8 of the motion, seed 1.
static inline lb_run_options lb_default_run_options(void)
{
    lb_run_options options = LB_ZEROES;
    options.size = sizeof options;
    options.duration = 10.0;
    options.interval = 0.01;
    options.integrator = LB_INTEGRATOR_ADAMS;
    options.relative_tolerance = 1e-8;
    options.step = 1e-3;
    options.damping = 0.8;
    options.seed = 1.0;
    return options;
}

/// A model in motion.
typedef struct lb_simulation lb_simulation;

// ---- building ------------------------------------------------------------------------------------

/// A simulation without forces, events, controllers and outputs, at rest in the neutral configuration.
///
/// @param model       must outlive the simulation
/// @param report      receives what is wrong with what is added, and warnings of trim and of runs
///                    about modal bodies that bend too far; NULL to drop them; copied
/// @param simulation  out: to be freed by lb_destroy_simulation; NULL if memory is out
/// @return LB_OK or LB_E_MEMORY
LB_API lb_status lb_create_simulation(const lb_model *model, const lb_report *report,
                                      lb_simulation **simulation);

/// The simulation of a file, with its document and model, in one call. lb_destroy_simulation frees all three;
/// lb_get_simulation_model gives the model.
///
/// @param path        as that of lb_load_document
/// @param options     of loading; NULL for the defaults
/// @param report      receives errors and warnings, later ones as well; NULL to drop them; copied
/// @param simulation  out: to be freed by lb_destroy_simulation; NULL on failure
/// @return LB_OK, or what lb_load_document, lb_load_document_model or lb_load_simulation failed with
LB_API lb_status lb_open_simulation(const char *path, const lb_load_options *options,
                                    const lb_report *report, lb_simulation **simulation);

/// The simulation of a document: `signals`, `forces`, `initial`, `run`, `events`, `controllers`,
/// `outputs`, and `motion` of loops.
///
/// @param model       of the same document; must outlive the simulation
/// @param report      receives errors, also in what is added later, and warnings as that of
///                    lb_create_simulation; NULL to drop them; copied
/// @param simulation  out: to be freed by lb_destroy_simulation; NULL on failure
/// @return LB_OK, LB_E_MODEL or LB_E_MEMORY
LB_API lb_status lb_load_simulation(const lb_document *document, const lb_model *model,
                                    const lb_report *report, lb_simulation **simulation);

/// Reports what is wrong with the simulation of a document whose model has errors, and so cannot be loaded: what
/// lb_load_simulation would report, except what may follow from the errors of the model. Allocates.
///
/// @param report  receives errors and warnings; NULL to drop them
/// @return LB_OK if nothing is found, LB_E_MODEL or LB_E_MEMORY
LB_API lb_status lb_check_simulation(const lb_document *document, const lb_report *report);

/// Frees a simulation. NULL is fine.
LB_API void lb_destroy_simulation(lb_simulation *simulation);

/// The model of a simulation.
LB_API const lb_model *lb_get_simulation_model(const lb_simulation *simulation);

/// The forces of a simulation and their signals: to add others, and to switch them by hand before it
/// starts.
LB_API lb_forces *lb_get_simulation_forces(const lb_simulation *simulation);

/// The run options as they are.
///
/// @param options  in: its size; out: the rest. Strings live as long as the simulation
/// @return LB_OK or LB_E_VERSION
LB_API lb_status lb_get_run_options(const lb_simulation *simulation, lb_run_options *options);

/// Replaces the run options. Before lb_start_simulation only.
///
/// @return LB_OK; LB_E_ARGUMENT if one is out of its range, and all stay: lb_get_simulation_message
///         says which; LB_E_VERSION or LB_E_MEMORY
LB_API lb_status lb_set_run_options(lb_simulation *simulation, const lb_run_options *options);

/// Replaces the initial state. Before lb_start_simulation only.
///
/// @param q, v  NULL to keep either
/// @return LB_OK; LB_E_ARGUMENT for a number or quaternion that is not acceptable, and the state stays:
///         lb_get_simulation_message says which
LB_API lb_status lb_set_initial_state(lb_simulation *simulation, const double *q, const double *v);

/// Sets one entry of the initial state by its name as a signal: "link.angle", "link.rate",
/// "panel.eta.0", "base.q.4", "base.v.2". Before lb_start_simulation only. The entries of a quaternion
/// are normalised together when the simulation is first used.
///
/// @return LB_OK, or LB_E_ARGUMENT: lb_get_simulation_message says why
LB_API lb_status lb_set_initial_value(lb_simulation *simulation, const char *name, double value);

/// The initial state. Valid until it is changed.
///
/// @param q, v  out: either may be NULL
LB_API void lb_get_initial_state(const lb_simulation *simulation, const double **q,
                                 const double **v);

/// Adds an output to what is recorded: a signal ("link.angle", or a named one), a node ("panel/n1": its
/// pose, velocity and acceleration), or "reactions" for the forces and moments in all hinges.
///
/// @return LB_OK, LB_E_MODEL if there is no such thing (reported), LB_E_ARGUMENT if it is too late, or
///         LB_E_MEMORY
LB_API lb_status lb_add_output(lb_simulation *simulation, const char *output);

/// The motion that a driven loop follows (lb_loop_options.driven), in the frame of its node a: a turn
/// about an axis, then a shift. Start from lb_default_loop_drive_options().
typedef struct lb_loop_drive_options {
    size_t size;                     ///< of this struct
    const char *loop;                ///< its name
    const lb_function_options *turn; ///< rad; NULL for none
    double axis[3];                  ///< of the turn; zero for the loop's own
    const lb_function_options
        *shift;      ///< m; one along the loop's axis (of a rod or coupler: added to its
                     ///< length or offset), or three along the axes of node a
    int shift_count; ///< 0, 1 or 3
} lb_loop_drive_options;

/// No motion.
static inline lb_loop_drive_options lb_default_loop_drive_options(void)
{
    lb_loop_drive_options options = LB_ZEROES;
    options.size = sizeof options;
    return options;
}

/// Gives a driven loop its motion, whose speed must have no jumps. A driven loop without one stands
/// still.
///
/// @return LB_OK, LB_E_MODEL if something is wrong with it (reported), LB_E_ARGUMENT if it is too late,
///         LB_E_VERSION or LB_E_MEMORY
LB_API lb_status lb_add_loop_drive(lb_simulation *simulation, const lb_loop_drive_options *options);

// ---- the initial state ---------------------------------------------------------------------------

/// Sets the flags of coordinates that lb_assemble_simulation shall hold: all of a body ("crank"), one
/// coordinate ("crank.angle", "panel.eta.0"), or one speed ("base.v.2").
///
/// @param held  one flag per speed, in the order of v: those meant become 1
/// @return LB_OK, or LB_E_ARGUMENT: lb_get_simulation_message says what is wrong
LB_API lb_status lb_hold_coordinate(lb_simulation *simulation, const char *text,
                                    unsigned char *held);

/// Closes the loops of the initial state at t = 0 and makes its speeds consistent: see limber/assemble.h.
/// Hinges driven by motion stay where the motion puts them. On success the closed state becomes the initial
/// state. Before lb_start_simulation only.
///
/// @param held      one flag per speed: what keeps its value; NULL for `hold` of the run options
/// @param assembly  out: its size is set by the caller; may be NULL
/// @return LB_OK; LB_E_OPEN if a loop cannot be closed, and the initial state stays; or what an
///         evaluation failed with. lb_get_simulation_message says more
LB_API lb_status lb_assemble_simulation(lb_simulation *simulation, const unsigned char *held,
                                        lb_assembly *assembly);

/// Position and velocity errors of the loops in the initial state, as lb_compute_loop_errors computes
/// them: six numbers per slot.
///
/// @param position, velocity  out
/// @return LB_OK; LB_E_ARGUMENT for a model without loops; or what an evaluation failed with
LB_API lb_status lb_compute_initial_loop_errors(lb_simulation *simulation, double *position,
                                                double *velocity);

/// What lb_trim_simulation found.
typedef struct lb_trim {
    size_t size; ///< of this struct, set by the caller
    int iterations;
    double residual; ///< largest generalized force that is left
    double
        tolerance; ///< what counts as none: 1e-9 of the largest force at work, or what 1e-15 rad or m changes
    int body, offset;   ///< where the largest is: entry among the body's own speeds
    bool under_control; ///< controllers are included; the other fields are then zero
} lb_trim;

/// Finds the equilibrium nearest to the initial state, at t = 0 and at rest: all generalized forces are in
/// balance, with those of controllers and without those of hinges driven by motion. Integrals and estimates of
/// their laws start from their values there; where derivatives of a law are not known, or the search fails, a warning says
/// that controllers are left out. If there is a whole family of equilibria, the nearest
/// one is taken. On success it becomes the initial state, with zero speeds. Before lb_start_simulation only.
///
/// @param trim  out: its size is set by the caller; may be NULL
/// @return LB_OK; LB_E_EQUILIBRIUM if none is found from here, and the initial state stays; or
///         what an evaluation failed with. lb_get_simulation_message says more
LB_API lb_status lb_trim_simulation(lb_simulation *simulation, lb_trim *trim);

// ---- moments of a run ----------------------------------------------------------------------------

/// Puts a simulation into the moment of a recorded run that a row of its results holds, for the functions of
/// limber/linear.h: the state of that row is the initial state; forces are enabled or disabled and loops hold as
/// the events up to then have left them; actuators deliver what they delivered, and go on so. What
/// callbacks of events did is not repeated. Events are found by their names; those that the simulation
/// does not have are left out. Allocates. Such a simulation cannot be started.
///
/// @param results  of a run of this model
/// @param row      below row_count of lb_results_info
/// @param locked   out: one flag per body, whether its hinge is locked then, for lb_linear_options
/// @return LB_OK; LB_E_ARGUMENT for another model, no such row, or after the start; LB_E_FILE, LB_E_MEMORY,
///         or what an evaluation failed with. lb_get_simulation_message says more
LB_API lb_status lb_restore_moment(lb_simulation *simulation, const lb_results *results, long row,
                                   unsigned char *locked);

// ---- stepping ------------------------------------------------------------------------------------

/// Sets up the integrator at the initial state, t = 0.
///
/// @return LB_OK, LB_E_MEMORY, or what the first evaluation of the dynamics failed with
LB_API lb_status lb_start_simulation(lb_simulation *simulation);

/// Integrates to t, or to the first event before. Actions of an event are done when it returns. It begins with the
/// samples that are due at the present time; those that are due at t are left to the next advance. With the present
/// time as t it takes samples alone, or completes an advance that has ended at an event. Accelerations at t are those before its samples.
///
/// Adaptive integrators step past t and interpolate: what a force of the caller reads should change by
/// lb_step_simulation only.
///
/// @param t  finite, and not before the present time
/// @return LB_OK at t; LB_NEWS_EVENT at an event, LB_NEWS_STOP at one that ends the run; LB_E_STEP,
///         LB_E_NUMBER, LB_E_SINGULAR, LB_E_EVENTS or LB_E_CALLBACK if it cannot go on: the message says
///         when and where
LB_API lb_status lb_advance_simulation(lb_simulation *simulation, double t);

/// Goes on by dt, through events, with all commands held: one step in lockstep with the caller. The first one starts
/// the simulation. A step of the integrator ends where this one does. Variables that functions of the caller read, in
/// laws, forces and signals, may change between two calls, and act from then on. Times are multiples of dt, without
/// the round-off of a sum; with fixed steps, multiples of the integrator's step if dt is one. With rk4, the bits of
/// a run do not depend on how it is cut at the ends of steps. Behind a command that has changed, adams and bdf begin again with
/// short steps of low order: erk and rk4 suit short steps in lockstep better. After LB_NEWS_STOP a program may go on.
///
/// @param dt  s, above 0
/// @return LB_OK at the end; LB_NEWS_STOP at an event that ends the run; failures of lb_start_simulation and
///         lb_advance_simulation
LB_API lb_status lb_step_simulation(lb_simulation *simulation, double dt);

/// The value of a signal at the present state: "link.angle", "panel/tip.position.z", or a named one.
/// docs/guide/signals.md has the list. Accelerations and forces are those that the last advance or step has left.
///
/// @param value  out: zero on failure
/// @return LB_OK; LB_E_ARGUMENT if there is no such signal, or before the start; or as lb_evaluate_signal
LB_API lb_status lb_read_signal(lb_simulation *simulation, const char *signal, double *value);

/// Starts again at another time and state, or for the first time. Everything is as at the first start: events and what
/// they switched, sticking friction, commands, the memory of controllers, sensors and their noise, work and counts. What
/// was designed or connected at the first start stays: gains of regulators, programs and plugins of laws, and where
/// loops that are as_assembled close. Controllers sample at t, and from there on at their rates; functions of
/// time see the time as it is. The state becomes the initial one; its loops must be closed. Allocates nothing
/// after the first start, unless the initial state is assembled or trimmed.
///
/// @param t     0 or later, s
/// @param q, v  NULL to start from the initial ones
/// @return as lb_start_simulation; LB_E_ARGUMENT for a time or state that is not acceptable, and then the run can go on;
///         LB_E_ARGUMENT while it is recorded
LB_API lb_status lb_restart_simulation(lb_simulation *simulation, double t, const double *q,
                                       const double *v);

/// The present time, state and accelerations; before the start, the initial state. Valid until the
/// next call.
///
/// @param t, q, v, a  out: each may be NULL
LB_API void lb_get_simulation_state(const lb_simulation *simulation, double *t, const double **q,
                                    const double **v, const double **a);

/// Forces of the loops at the present state: six numbers per loop, moment and force on b at its node, in
/// the axes of node a. Valid until the next call. NULL for a model without loops.
LB_API const double *lb_get_simulation_loop_forces(const lb_simulation *simulation);

/// Whether friction holds a hinge at rest, or one of its speeds: at the present time of a simulation, or,
/// before it starts, at the point of the last linear model or modes made of it. O(hinges with such friction).
///
/// @param speed  an entry of v: that of a hinge is lb_get_v_offset + lb_get_mode_count and on
LB_API bool lb_is_speed_stuck(const lb_simulation *simulation, int speed);

/// What a friction element does at present, N or N m along its speed: where it sticks, its share of what
/// holds the hinge. 0 for an element of another type, one that is not enabled, and before the start.
///
/// @param force  an index among the forces of the simulation
LB_API double lb_get_friction_force(const lb_simulation *simulation, int force);

/// Names of the events at which the last lb_advance_simulation ended, or which the last lb_step_simulation passed,
/// with commas between them; "" if there were none.
LB_API const char *lb_get_event_names(const lb_simulation *simulation);

/// Why the last call on this simulation failed: when, where and why. "" if none has failed; it may also be
/// empty after LB_E_MEMORY, which says it all.
LB_API const char *lb_get_simulation_message(const lb_simulation *simulation);

// ---- whole runs --------------------------------------------------------------------------------

/// A file that is kept inside a file of results. Frozen: its size never changes.
typedef struct lb_kept_file {
    const char *name; ///< as the model names it, at most 255 bytes
    const void *data;
    size_t size;
} lb_kept_file;

/// Where the results of a run go and who watches it. Start from lb_default_run_request().
typedef struct lb_run_request {
    size_t size;            ///< of this struct
    const char *path;       ///< of the result file; NULL to write none
    const char *model_text; ///< kept in the file, with its hash; NULL for ""
    size_t model_length;
    bool resume; ///< continue where the file of that path stopped
    /// Called after every output, and about five times a second between outputs that are far apart; a
    /// result other than 0 ends the run cleanly. May be NULL.
    int (*progress)(void *user, double t, double duration);
    void *user; ///< handed to `progress`
    /// Do not wait for the disk, for real time: rows are safe from a kill, not from a power cut.
    bool quick;
    /// Receives a warning if the file of an earlier run is kept under another name; NULL to drop it.
    const lb_report *report;
    /// Files that the text of the model names, such as body files and meshes: kept in the results, so that these
    /// can be shown without them. At most LB_KEPT_FILE_MAX; NULL for none. They and the text must live until the
    /// recording ends.
    const lb_kept_file *files;
    int file_count;
} lb_run_request;

/// No file, nobody watching.
static inline lb_run_request lb_default_run_request(void)
{
    lb_run_request request = LB_ZEROES;
    request.size = sizeof request;
    return request;
}

/// Runs a simulation: starts it, integrates to the end and records.
///
/// Rows go to `path`.part, which is a valid HDF5 file at any moment: see docs/guide/results.md. When the
/// run ends (after its duration, by an event or by `progress`) its rows appear in `path`. After a
/// failure the rows up to then stay in `path`.part, and what was in `path` before is still there.
/// LB_E_FILE if another run is writing to the same file. Without `resume`, the rows that an earlier run
/// left in `path`.part are kept as `path`.part.1 and so on.
///
/// @param request  NULL for the defaults
/// @param audit    out: its size is set by the caller; may be NULL
/// @return LB_OK, LB_NEWS_STOP (ended by an event), LB_NEWS_INTERRUPTED (by `progress`), LB_E_FILE,
///         or as lb_advance_simulation; the message says more
LB_API lb_status lb_run_simulation(lb_simulation *simulation, const lb_run_request *request,
                                   lb_audit *audit);

// ---- recording what the caller advances --------------------------------------------------------
//
//     lb_start_recording(simulation, &request); // before lb_start_simulation
//     lb_start_simulation(simulation);
//     for (int k = 1; k <= 100; ++k) {
//         lb_advance_simulation(simulation, 0.01 * k);
//         lb_record_simulation(simulation);
//     }
//     lb_end_recording(simulation, LB_OK, &audit);
//
// writes such a file as lb_run_simulation does. The times of the rows are up to the caller, and so is whether a row
// at a sample time shows the commands before it or, after another advance to the same time, those behind it. There is room for
// as many rows as `duration` and `interval` of the run options ask for.

/// Creates the result file, or resumes the one that is there. `progress` of the request is not called.
///
/// @return LB_OK, LB_NEWS_STOP if a file to be resumed is complete, LB_E_ARGUMENT after the start,
///         LB_E_FILE and others; the message says more
LB_API lb_status lb_start_recording(lb_simulation *simulation, const lb_run_request *request);

/// Adds the present state as a row. Events are recorded by themselves. Writes to the disk about twice a
/// second. Allocates nothing.
///
/// @return LB_OK, LB_E_FILE, or LB_E_ARGUMENT if nothing is being recorded or the file is full
LB_API lb_status lb_record_simulation(lb_simulation *simulation);

/// Ends a recording, if there is one. After a failure the rows stay in `path`.part.
///
/// @param status  how it ended: LB_OK, LB_NEWS_STOP, LB_NEWS_INTERRUPTED, or a failure
/// @param audit   out: its size is set by the caller; may be NULL
/// @return `status`, LB_E_FILE or LB_E_VERSION
LB_API lb_status lb_end_recording(lb_simulation *simulation, lb_status status, lb_audit *audit);

#endif // LB_SIMULATE_H
