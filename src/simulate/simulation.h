// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a simulation share.
//
// The equations of motion are y' = f(t, y) with y = [q; v; w]: configuration, speeds and work. The
// entries of w are, in order, the work of each force, of motion-driven hinges, of modal damping,
// what locking has taken, the work of loops with given motion, what closing loops has taken, and what
// projections onto the loops have changed; they make the audit.
#ifndef LB_SIM_H
#define LB_SIM_H

#include "limber/divide_and_conquer.h"
#include "limber/dynamics.h"
#include "limber/loops.h"
#include "limber/results.h"
#include "limber/signals.h"
#include "limber/simulate.h"

/// Entries of w behind the forces.
enum {
    LB_WORK_DRIVES,
    LB_WORK_DAMPING,
    LB_WORK_LOCKING,
    LB_WORK_TREE_COUNT, ///< with loops, the following as well
    LB_WORK_LOOPS = LB_WORK_TREE_COUNT,
    LB_WORK_CLOSING,
    LB_WORK_PROJECTION,
    LB_WORK_LOOP_COUNT
};

enum { LB_MESSAGE_SIZE = 512 };

typedef struct lb_closure lb_closure;

typedef struct lb_system {
    const lb_model *model;
    lb_forces *forces;
    lb_work *work;
    lb_division *division; ///< NULL for the articulated recursion
    int body_count, q_count, v_count, force_count, work_count, y_count;
    int *damping_at;       ///< per body: first entry among `damping`, -1 for none
    double *damping;       ///< modal damping matrices
    unsigned char *locked; ///< per body, by events
    int locked_count;

    lb_closure *closure; ///< NULL without loops
    bool redundant;      ///< constraints repeated each other, once

    // left by lb_evaluate_system
    double *q, *v, *a, *tau;
    double *power;      ///< work_count
    double *tau_forces; ///< of force elements; at driven hinges tau holds what they need in all
    unsigned char *driven;
    bool any_driven;

    /// Next time at which a function of time jumps. Until an integrator has come there, forces are
    /// seen from the left.
    double break_time;

    long evaluation_count, jacobian_count;
    bool indefinite;     ///< an inertia was, once
    long fallback_count; ///< evaluations in which divide and conquer gave way
    char message[LB_MESSAGE_SIZE];
    lb_status trouble;
} lb_system;

/// Motion of a node, all 19 columns, or the value of a signal.
typedef struct lb_output {
    const char *text; ///< as in the file
    bool is_signal;
    int body, node;
    lb_signal signal;
} lb_output;

typedef enum lb_action_type {
    LB_ACTION_STOP,
    LB_ACTION_ENABLE,
    LB_ACTION_DISABLE,
    LB_ACTION_LOCK,
    LB_ACTION_UNLOCK,
    LB_ACTION_CLOSE,
    LB_ACTION_GRASP,
    LB_ACTION_RELEASE,
    LB_ACTION_MAKE,
    LB_ACTION_ALTER
} lb_action_type;

/// What an event alters of a loop; what it does not name stays. A loop that is made has all of it.
typedef struct lb_loop_change {
    int loop;
    bool has_end[2], has_type, has_axis, has_length, has_offset;
    int body[2], node[2];
    lb_loop_type type;
    double axis[3], length;
    double offset; ///< of a coupler
    int term_count;
    lb_relation_term *terms;
    bool grasp; ///< it closes where it is
} lb_loop_change;

typedef struct lb_action {
    lb_action_type type;
    int subject;            ///< a force, a body or a loop
    lb_loop_change *change; ///< of a loop that is made or altered
} lb_action;

typedef struct lb_event {
    const char *name;
    lb_signal signal;
    double value;
    int direction; ///< +1 rising, -1 falling, 0 both
    bool once;
    lb_action *actions;
    int action_count;
} lb_event;

typedef struct lb_step_counts {
    double steps, rejections;
} lb_step_counts;

/// An integrator: moves `t` and `y` of a simulation. One for SUNDIALS, one for fixed steps.
typedef struct lb_stepper {
    /// Sets it up at the present t and y.
    lb_status (*start)(lb_simulation *sim);
    /// To t_end, or to an event before: LB_NEWS_EVENT with `found` of the simulation set.
    lb_status (*advance)(lb_simulation *sim, double t_end);
    /// After a jump of y or of the equations at the present time.
    lb_status (*restart)(lb_simulation *sim);
    void (*count)(const lb_simulation *sim, lb_step_counts *counts);
    void (*destroy)(lb_simulation *sim);
} lb_stepper;

extern const lb_stepper lb_adaptive_stepper, lb_fixed_stepper;

typedef struct lb_sim_block lb_sim_block;
typedef struct lb_recorder lb_recorder;
typedef struct lb_control lb_control;
typedef struct lb_newton lb_newton;

struct lb_simulation {
    lb_sim_block *blocks; ///< all memory but the steppers'
    lb_system system;
    lb_run_options options;
    double *q0, *v0;
    lb_event *events;
    int event_count;
    lb_output *outputs;
    int output_count;
    bool with_reactions;
    bool assemble;                ///< loops, before the start
    unsigned char *assemble_held; ///< per speed: it stays
    lb_control *control;

    bool started;
    bool resumed;   ///< t and y are those of a run that is taken up again
    double *memory; ///< what its controllers remembered, lb_count_memory numbers; NULL for nothing
    lb_recorder *recorder;              ///< NULL for none
    double wall_start, processor_start; ///< of the recording, s
    const lb_stepper *stepper;
    void *integrator;  ///< the stepper's own
    lb_newton *newton; ///< NULL where Newton's matrix is not needed, or differenced
    double t;
    double *y;
    double *last_y;       ///< with loops: the output before it was put on them
    int *found;           ///< per event: not 0 if it happened now, the sign the direction
    double *levels;       ///< per event, what lb_compute_event_levels left
    int *directions;      ///< per event
    unsigned char *spent; ///< per event: it happened and was to happen once
    double last_event_time;
    int crowded_events; ///< events since time has moved on
    double quaternion_error;
    double closure_error, closure_speed_error; ///< largest that were recorded
    long events_met;
    long drift_restarts; ///< of Adams' formulas, since y had come off the loops
    int complete;        ///< how the run ended: see LB_COUNTER_COMPLETE
    char event_names[256];
};

/// Memory of the simulation, set to zero, freed with it; NULL if there is none left.
void *lb_take(lb_simulation *sim, size_t count, size_t size);
/// A copy of a text, likewise.
char *lb_take_text(lb_simulation *sim, const char *text);

// ---- integrate_system.c ------------------------------------------------------------------------

lb_status lb_init_system(lb_simulation *sim, const lb_model *model, lb_forces *forces);

/// f(t, y). Leaves q, v, a, tau, power, and the dynamics in `work`.
///
/// @param y_dot  NULL if not wanted
/// @return LB_OK; LB_E_NUMBER, which a shorter step may cure; LB_E_SINGULAR and others
lb_status lb_evaluate_system(lb_system *system, double t, const double *y, double *y_dot);

/// Puts quaternions back to unit length and driven hinges where they should be.
///
/// @return how far the worst quaternion was off
double lb_clean_state(const lb_system *system, double t, double *y);

/// "link's hinge speed 1": an entry of y for people.
void lb_describe_entry(const lb_system *system, int entry, char *text, size_t size);

/// Says which body lacks inertia, where the recursions have found none; gives the status back.
lb_status lb_explain_singular(lb_system *system, double t, lb_status status);

// ---- trim.c ------------------------------------------------------------------------------------

/// Seeks the configuration nearest to q in which all forces balance at constant speeds.  (TRM-1)
///
/// @param held  a flag a body: its hinge is held, whatever that takes; NULL for none. Hinges that are
///              driven by motion are held as well
/// @param v     in and out: with loops, dependent speeds follow the others and the configuration
/// @param q     in and out; both stay if nothing is found
/// @return as lb_trim_simulation
lb_status lb_find_balance(lb_system *system, double t, double *v, const unsigned char *held,
                          double *q, lb_trim *trim);

// ---- run.c -------------------------------------------------------------------------------------

/// At such an instant: controllers sample, and the integrator starts anew.
lb_status lb_pass_break(lb_simulation *sim);

// ---- events.c ----------------------------------------------------------------------------------

/// Signal less value of every event at a state.
lb_status lb_compute_event_levels(lb_simulation *sim, double t, const double *y, double *levels);

/// Does what the events in `found` ask for.
///
/// @return LB_NEWS_EVENT, LB_NEWS_STOP or a failure
lb_status lb_apply_events(lb_simulation *sim, bool *restart);

/// Actions of one event.
///
/// @param again  the state is already that behind it: a run is taken up again
lb_status lb_apply_event(lb_simulation *sim, int event, bool again, bool *stop, bool *changed);

// ---- switch.c ----------------------------------------------------------------------------------

/// Locks the hinge of a body, which an impulse stops.
lb_status lb_stop_hinge(lb_simulation *sim, int body);

/// Switches a force on. One that drives a hinge takes it where its motion is, by an impulse.
lb_status lb_drive_hinge(lb_simulation *sim, int force);

/// Makes a loop hold, and speeds agree with it by an impulse.
///
/// @param where_it_is  it closes as the ends are now, not as they are meant to meet
/// @param again        the state is already that behind it
lb_status lb_close_loop(lb_simulation *sim, int loop, bool where_it_is, bool again);

/// Lets it go; speeds stay.
lb_status lb_release_loop(lb_simulation *sim, int loop);

/// Alters what a loop joins. If it holds, or is made, or shall close where it is, it holds from now on,
/// and speeds agree with it by an impulse.
///
/// @param again  the state is already that behind it
lb_status lb_change_loop(lb_simulation *sim, const lb_loop_change *change, bool makes, bool again);

// ---- control.c ---------------------------------------------------------------------------------

/// When the next sensor or controller is due; infinity if there is none.
double lb_find_next_sample(const lb_simulation *sim);
/// Prepares laws, and takes the samples of t = 0.
lb_status lb_start_controllers(lb_simulation *sim);
/// Takes the samples that are due at the present time, and commands actuators.
lb_status lb_run_controllers(lb_simulation *sim);
void lb_destroy_controllers(lb_simulation *sim);

/// What controllers remember: how many numbers, as they are now, and brought back after the start of a
/// run that is resumed.
int lb_count_memory(const lb_simulation *sim);
void lb_save_memory(const lb_simulation *sim, double *numbers);
lb_status lb_restore_memory(lb_simulation *sim, double *numbers);

/// Columns of the table `control`: how many, their names, their values now.
int lb_count_control(const lb_simulation *sim);
void lb_name_control(const lb_simulation *sim, char (*columns)[LB_COLUMN_SIZE]);
void lb_fill_control(const lb_simulation *sim, double *row);

// ---- loading: one function a key ---------------------------------------------------------------

lb_status lb_load_initial(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_run(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_events(lb_simulation *sim, lb_reader *reader, const lb_place *root);
/// What an action `make` or `alter` says: see lb_loop_change.
lb_status lb_load_loop_change(lb_simulation *sim, lb_reader *reader, const lb_place *place,
                              bool makes, lb_action *action);
lb_status lb_load_controllers(lb_simulation *sim, lb_reader *reader, const lb_place *root);
lb_status lb_load_outputs(lb_simulation *sim, lb_reader *reader, const lb_place *root);

/// NULL if the options are sound, or what is wrong with them; `key` gets which.
const char *lb_check_run_options(const lb_run_options *options, const char **key);

// ---- assemble.c --------------------------------------------------------------------------------

/// Hinges and loops with given motion where they start; and loops that are as_assembled learn from the
/// initial configuration where they close.
lb_status lb_prepare_loops(lb_simulation *sim);

/// Assembles the initial state if that is asked for, and otherwise refuses one that is not closed.
lb_status lb_close_initial(lb_simulation *sim);

// ---- messages ----------------------------------------------------------------------------------

/// Sets the message of the simulation and gives the status back.
lb_status lb_say(lb_system *system, lb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif // LB_SIM_H
