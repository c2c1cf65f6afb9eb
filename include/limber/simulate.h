// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Motion in time (library limber-sim): a model with its forces, initial state, events and outputs,
// integrated from t = 0.
//
//     lb_document *document;
//     lb_model *model;
//     lb_simulation *simulation;
//     lb_load_document("arm.yaml", NULL, &report, &document);
//     lb_load_document_model(document, &report, &model);
//     lb_load_simulation(document, model, &report, &simulation);
//     lb_start_simulation(simulation);
//     for (int k = 1; k <= 100; ++k) {
//         lb_advance_simulation(simulation, 0.01 * k);
//         ... lb_get_simulation_state(simulation, &t, &q, &v, &a) ...
//     }
//     lb_destroy_simulation(simulation);
//
// or, with a file of results and an audit, lb_run_simulation. What `run`, `initial`, `outputs` and
// `events` mean in a file is described in docs/guide/simulation.md. After lb_start_simulation
// nothing here allocates; what SUNDIALS needs it takes when it starts. A simulation belongs to one
// thread. The same binary gives the same bits.
#ifndef LB_SIMULATE_H
#define LB_SIMULATE_H

#include "limber/assemble.h"
#include "limber/forces.h"
#include "limber/results.h"

typedef enum lb_integrator {
    LB_INTEGRATOR_ERK,   ///< explicit Runge-Kutta, adaptive (ERKStep)
    LB_INTEGRATOR_ADAMS, ///< Adams, variable order, adaptive (CVODE); the default
    LB_INTEGRATOR_BDF,   ///< backward differences, variable order, adaptive, stiff (CVODE)
    LB_INTEGRATOR_RK4,   ///< classical Runge-Kutta, fixed step
    LB_INTEGRATOR_EULER, ///< semi-implicit Euler, fixed step
    LB_INTEGRATOR_ALPHA, ///< generalized-alpha, fixed step, stiff
    LB_INTEGRATOR_COUNT
} lb_integrator;

/// "erk", "adams" and so on; and back, LB_INTEGRATOR_COUNT for an unknown name.
LB_API const char *lb_get_integrator_name(lb_integrator integrator);
LB_API lb_integrator lb_find_integrator(const char *name);
/// Whether its step is fixed (`step`) rather than chosen from tolerances.
LB_API bool lb_is_fixed_step(lb_integrator integrator);

/// How accelerations are found.
typedef enum lb_algorithm {
    LB_ALGORITHM_ARTICULATED,
    LB_ALGORITHM_DIVIDE_AND_CONQUER, ///< see divide_and_conquer.h; on one core
    LB_ALGORITHM_COUNT
} lb_algorithm;

/// "articulated", "divide-and-conquer"; and back, LB_ALGORITHM_COUNT for an unknown name.
LB_API const char *lb_get_algorithm_name(lb_algorithm algorithm);
LB_API lb_algorithm lb_find_algorithm(const char *name);

/// How to integrate. Start from lb_default_run_options() or lb_get_run_options().
typedef struct lb_run_options {
    size_t size;     ///< of this struct, set by lb_default_run_options
    double duration; ///< s, from t = 0
    double interval; ///< s between outputs
    lb_integrator integrator;
    double relative_tolerance; ///< adaptive: of the error of a step
    double absolute_tolerance; ///< likewise, in SI units and radians
    double step;               ///< fixed step: its length, s
    double max_step;           ///< adaptive: no step is longer, s; 0 for no limit
    int order;              ///< erk: 2 to 6 or 8; adams to 12, bdf to 5: highest; 0 for the default
    double damping;         ///< alpha: spectral radius at infinite frequency, 0 (most) to 1 (none)
    int stop_at_outputs;    ///< adaptive: end a step at every output instead of interpolating
    int differences;        ///< bdf, alpha: Newton's matrix by differences, not by derivatives
    int allow_programs;     ///< controllers may start programs that the model names
    int allow_plugins;      ///< controllers may load shared libraries that the model names
    lb_algorithm algorithm; ///< of the dynamics of the tree
} lb_run_options;

/// 10 s, an output every 0.01 s, Adams at 1e-8.
LB_API lb_run_options lb_default_run_options(void);

typedef struct lb_simulation lb_simulation;

/// Reads `forces`, `initial`, `run`, `outputs` and `events` of a document.
///
/// @param model       of the same document; must outlive the simulation
/// @param report      receives errors; NULL to drop them
/// @param simulation  out: to be freed by lb_destroy_simulation; NULL on failure
/// @return LB_OK, LB_E_MODEL or LB_E_MEMORY
LB_API lb_status lb_load_simulation(const lb_document *document, const lb_model *model,
                                    const lb_report *report, lb_simulation **simulation);

/// Frees a simulation. NULL is fine.
LB_API void lb_destroy_simulation(lb_simulation *simulation);

LB_API lb_run_options lb_get_run_options(const lb_simulation *simulation);

/// Replaces the options. Before lb_start_simulation only.
///
/// @return LB_OK, or LB_E_ARGUMENT if one is out of its range; lb_get_simulation_message says which
LB_API lb_status lb_set_run_options(lb_simulation *simulation, const lb_run_options *options);

/// Replaces the initial state. Before lb_start_simulation only.
///
/// @param q, v  NULL to keep either
/// @return LB_OK, or LB_E_ARGUMENT for numbers or quaternions that are not acceptable
LB_API lb_status lb_set_initial_state(lb_simulation *simulation, const double *q, const double *v);

/// Marks a body's coordinates ("crank"), or one coordinate ("crank.angle", "panel.eta.0") or speed
/// ("base.v.2"), in flags of lb_assemble_simulation.
///
/// @param held  one flag a speed, in the order of v: those meant become 1
/// @return LB_OK, or LB_E_ARGUMENT: lb_get_simulation_message says what is wrong
LB_API lb_status lb_hold_coordinate(lb_simulation *simulation, const char *text,
                                    unsigned char *held);

/// Closes the loops of the initial state, at t = 0, and makes its speeds agree: see
/// limber/assemble.h. Hinges driven by motion stay where that puts them. On success the closed state
/// becomes the initial state. Before lb_start_simulation only.
///
/// @param held      one flag a speed: what keeps its value; NULL for what `assemble` of the file holds
/// @param assembly  out: may be NULL
/// @return LB_OK; LB_E_OPEN if a loop cannot be closed, and the initial state stays; or what an
///         evaluation failed with. lb_get_simulation_message says more
LB_API lb_status lb_assemble_simulation(lb_simulation *simulation, const unsigned char *held,
                                        lb_assembly *assembly);

/// How far the initial state is off its loops, 6 a slot, as lb_compute_loop_errors has it.
///
/// @param position, velocity  out
LB_API lb_status lb_compute_initial_loop_errors(lb_simulation *simulation, double *position,
                                                double *velocity);

/// What lb_trim_simulation found.
typedef struct lb_trim {
    int iterations;
    double residual;  ///< largest generalized force that is left
    double tolerance; ///< what counts as none: 1e-9 of the largest force at work
    int body, offset; ///< where the largest is: entry among the body's own speeds
} lb_trim;

/// Seeks the equilibrium nearest to the initial state, at t = 0 and at rest: all generalized forces
/// in balance but those of hinges driven by motion. On success it becomes the initial state, with
/// zero speeds. Before lb_start_simulation only. Where a whole family balances, the nearest of it.
///
/// @param trim  out: may be NULL
/// @return LB_OK; LB_E_EQUILIBRIUM if there is none to be found from here, and the initial state stays; or
///         what an evaluation failed with. lb_get_simulation_message says more
LB_API lb_status lb_trim_simulation(lb_simulation *simulation, lb_trim *trim);

/// The initial state.
LB_API void lb_get_initial_state(const lb_simulation *simulation, const double **q,
                                 const double **v);

/// The forces of the simulation, to switch them by hand before it starts.
LB_API lb_forces *lb_get_simulation_forces(lb_simulation *simulation);

/// Sets up the integrator at the initial state, t = 0.
///
/// @return LB_OK, LB_E_MEMORY, or what the first evaluation of the dynamics failed with
LB_API lb_status lb_start_simulation(lb_simulation *simulation);

/// Integrates to t, or to the first event before. Actions of an event are done when it returns.
///
/// @param t  not before the present time
/// @return LB_OK at t; LB_NEWS_EVENT at an event, LB_NEWS_STOP at one that ends the run; LB_E_STEP,
///         LB_E_NUMBER or LB_E_SINGULAR if it cannot go on: the message says when and where
LB_API lb_status lb_advance_simulation(lb_simulation *simulation, double t);

/// The present state, valid until the next call. Any output may be NULL.
LB_API void lb_get_simulation_state(const lb_simulation *simulation, double *t, const double **q,
                                    const double **v, const double **a);

/// Forces of the loops at the present state: 6 a loop, (moment, force) exerted on b at its node, in the
/// axes of node a; valid until the next call. NULL for a model without loops.
LB_API const double *lb_get_simulation_loop_forces(const lb_simulation *simulation);

/// Work so far, J: of each force in the order of the file, of driven hinges, of modal damping, of
/// locking; in models with loops also of loops that follow a motion, of closing, of projection. What an
/// impact has taken is negative. Valid until the next call.
///
/// @param count  out: entries
LB_API const double *lb_get_simulation_work(const lb_simulation *simulation, int *count);

/// Names of the events that the last LB_NEWS_EVENT or LB_NEWS_STOP was about, with commas; "" if
/// there was none.
LB_API const char *lb_get_event_names(const lb_simulation *simulation);

/// What the last failure was: when, where, why. "" if there was none.
LB_API const char *lb_get_simulation_message(const lb_simulation *simulation);

// ---- whole runs --------------------------------------------------------------------------------

/// Where the results of a run go and who watches it.
typedef struct lb_run_request {
    size_t size;            ///< of this struct, set by lb_default_run_request
    const char *path;       ///< of the result file; NULL to write none
    const char *model_text; ///< kept in the file, with its hash; NULL for ""
    size_t model_length;
    int resume; ///< go on where the file of that path stopped
    /// Called now and then; a result other than 0 ends the run cleanly. May be NULL.
    int (*progress)(void *user, double t, double duration);
    void *user;
    int quick; ///< do not wait for the disk, for real time: rows are safe from a kill, not from a power cut
} lb_run_request;

LB_API lb_run_request lb_default_run_request(void);

/// Starts, integrates to the end, records.
///
/// Rows go to `path`.part, which is a valid HDF5 file at any moment: see docs/guide/results.md. At
/// the end, of the duration, by an event or by `progress`, it becomes `path`. After a failure the
/// rows up to it stay in `path`.part.
///
/// @param audit  out; may be NULL
/// @return LB_OK, LB_NEWS_STOP (ended by an event), LB_NEWS_INTERRUPTED (by `progress`), LB_E_FILE,
///         or as lb_advance_simulation; the message says more
LB_API lb_status lb_run_simulation(lb_simulation *simulation, const lb_run_request *request,
                                   lb_audit *audit);

// ---- recording what the caller advances --------------------------------------------------------
//
//     lb_start_recording(simulation, &request);       // before lb_start_simulation
//     lb_start_simulation(simulation);
//     ... lb_advance_simulation, and lb_record_simulation for every row ...
//     lb_end_recording(simulation, LB_OK, &audit);
//
// makes the file that lb_run_simulation makes. Its length is made for rows at every `interval` of the
// run options up to their `duration`; the times of the rows are up to the caller.

/// Makes the file, or takes up the one that is there. `progress` of the request is not called.
///
/// @return LB_OK, LB_NEWS_STOP if a file to be resumed is complete, LB_E_ARGUMENT after the start,
///         LB_E_FILE and others; the message says more
LB_API lb_status lb_start_recording(lb_simulation *simulation, const lb_run_request *request);

/// Adds the present state as a row. Events are noted without being asked for. Writes about twice a
/// second, allocates nothing.
///
/// @return LB_OK, LB_E_FILE, or LB_E_ARGUMENT if nothing is being recorded or the file is full
LB_API lb_status lb_record_simulation(lb_simulation *simulation);

/// Ends a recording; does nothing where there is none. After a failure the rows stay in `path`.part.
///
/// @param status  how it ended: LB_OK, LB_NEWS_STOP, LB_NEWS_INTERRUPTED, or a failure
/// @param audit   out; may be NULL
/// @return `status`, or LB_E_FILE
LB_API lb_status lb_end_recording(lb_simulation *simulation, lb_status status, lb_audit *audit);

#endif // LB_SIMULATE_H
