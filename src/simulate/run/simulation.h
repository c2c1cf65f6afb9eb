// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a simulation share.
#ifndef LB_SIMULATION_H
#define LB_SIMULATION_H

#include "base/faults.h"
#include "base/internal.h"
#include "base/names.h"
#include "limber/events.h"
#include "limber/results.h"
#include "sides.h"
#include "simulate/integrate/flow.h"
#include "simulate/signals/signals.h"
#include "stiction.h"

/// Motion of a node, all 19 columns, or the value of a signal.
typedef struct lb_output {
    const char *text; ///< as in the file
    bool is_signal;
    int body, node;
    lb_signal signal;
} lb_output;

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
    bool grasp;    ///< it closes where it is
    bool is_sound; ///< nothing was wrong with it by itself
} lb_loop_change;

typedef struct lb_action {
    lb_action_type type;
    int subject;            ///< a force, a body or a loop
    lb_loop_change *change; ///< of a loop that is made or altered
    lb_action_callback callback;
    void *user;
} lb_action;

typedef struct lb_event {
    const char *name;
    lb_signal signal;
    lb_signal_callback level; ///< in place of the signal, if not NULL
    void *user;
    lb_signal_stage stage; ///< that the signal or the callback needs
    double value;
    int direction; ///< +1 rising, -1 falling, 0 both
    bool once;
    bool comes_rising; ///< the next of its known times
    long met;          ///< times that it has happened
    bool is_seen;      ///< its level has been computed: the first, the lowest and the highest
    double first, low, high;
    lb_action *actions;
    int action_count;
} lb_event;

typedef struct lb_recorder lb_recorder;
typedef struct lb_control lb_control;

/// Acts on a simulation at sampling times: sensors and controllers.
typedef struct lb_sampler {
    /// Sets up what depends on the whole simulation, once nothing can be added any more.
    lb_status (*complete)(lb_simulation *sim);
    /// Time of the next sample; infinity if there is none.
    double (*find_next)(const lb_simulation *sim);
    /// Sets it up at the first start, and restores what a resumed run remembered.
    lb_status (*start)(lb_simulation *sim);
    /// Brings back what `start` left.
    void (*restart)(lb_simulation *sim);
    /// Takes the samples that are due at the present time, and commands actuators.
    lb_status (*run)(lb_simulation *sim);
    void (*destroy)(lb_simulation *sim);

    /// Memory from sample to sample, saved so that a run can be resumed: number of values, and the values.
    int (*count_memory)(const lb_simulation *sim);
    void (*save_memory)(const lb_simulation *sim, double *numbers);

    /// Speed at t that hinges are to have: of the first desired motion, the second, ...; NaN after the last.
    double (*find_desired_speed)(const lb_simulation *sim, int index, double t);

    /// Columns of the table `control`: how many, their names, their values now.
    int (*count_columns)(const lb_simulation *sim);
    void (*name_columns)(const lb_simulation *sim, char (*columns)[LB_COLUMN_SIZE]);
    void (*fill_columns)(const lb_simulation *sim, double *row);
} lb_sampler;

/// Stages of a simulation, in order. lb_complete_simulation, lb_restore_moment, lb_resume_recorder and the start go on
/// from one to another; a restart goes back to LB_STAGE_COMPLETE and starts again.
typedef enum lb_stage {
    LB_STAGE_BUILDING, ///< something may be added
    LB_STAGE_COMPLETE, ///< nothing can be added any more
    LB_STAGE_MOMENT,   ///< state and switches are those of a moment of a run: it cannot be started
    LB_STAGE_RESUMED,  ///< t, y and switches are those of a run that is taken up again
    LB_STAGE_ENDED,    ///< likewise, and an event had ended that run
    LB_STAGE_RUNNING   ///< started
} lb_stage;

struct lb_simulation {
    lb_arena arena;   ///< all memory but the steppers'
    lb_faults faults; ///< of what was added
    lb_stage stage;
    lb_system system;
    lb_flow flow; ///< of the system: options, t, y, integrator and events
    double *q0, *v0;
    double *q_trial; ///< room for a configuration that is being checked
    bool is_raw;     ///< quaternions of q0 are still to be made unit ones
    /// Finds the state to start from, from the initial one; NULL: that itself. See lb_trim_at_start.
    lb_status (*settle)(lb_simulation *sim);
    /// Makes the equilibrium under controllers the initial configuration: see lb_rest_under_control. NULL without them.
    lb_status (*rest)(lb_simulation *sim);
    lb_event *events;
    lb_names event_index;            ///< by name
    int event_count, event_capacity; ///< the flow has those of friction as well, behind them
    lb_output *outputs;
    int output_count, output_capacity;
    int output_number; ///< outputs that were asked for, "reactions" included
    bool with_reactions;
    unsigned char *assemble_held; ///< per speed: it stays, as `hold` of the run options says
    const lb_sampler *sampler;    ///< NULL for none
    lb_control *control;          ///< of the sampler

    lb_stick *sticks; ///< stick_count of them: hinges with friction that sticks
    int stick_count;
    bool were_struck;         ///< an impulse has come since friction was decided
    lb_stick_room stick_room; ///< with loops
    int *stick_of;            ///< per force: its hinge among them, or -1
    unsigned char
        *stuck_at_point; ///< per speed: friction held it where a linear model was last made
    long stick_events;   ///< hinges that began to stick or to slip

    lb_watched *watched; ///< watched_count of them: switches of state in expressions
    int watched_count, watched_capacity;
    double *levels_before; ///< of events, before something jumped

    int parameter_count; ///< of the document that it was loaded from
    const char **parameters;
    double *parameter_values;

    struct lb_range *ranges; ///< range_count of them: one per body with modes
    int range_count;
    double deformation; ///< the largest so far

    void *owned; ///< freed by `release` after all else: document and model, say
    void (*release)(void *owned);
    double start_time;                  ///< s
    void *at_start;                     ///< what a run changes, as it is before: see restart.c
    double *memory;                     ///< what its sampler remembered; NULL for nothing
    lb_recorder *recorder;              ///< NULL for none
    double wall_start, processor_start; ///< of the recording, s
    double *last_y;                     ///< with loops: the output before it was put on them
    double last_event_time;
    int crowded_events;                        ///< events since time has moved on
    double closure_error, closure_speed_error; ///< largest that were recorded
    long events_met;
    long drift_restarts; ///< of Adams' formulas, since y had come off the loops
    int complete;        ///< how the run ended: see LB_COUNTER_COMPLETE
    char event_names[256];
};

// ---- simulation.c ------------------------------------------------------------------------------

/// Ends the building: called by whatever uses a simulation first, and harmless afterwards. Takes memory
/// of all that depends on the number of forces and events.
///
/// @return LB_OK; LB_E_MODEL, with a message, if something that was added was wrong; LB_E_MEMORY
lb_status lb_complete_simulation(lb_simulation *sim);

/// Whether something may still be added; says so in the message if not.
///
/// @return LB_OK or LB_E_ARGUMENT
lb_status lb_check_building(lb_simulation *sim, const char *what);

/// Whether t and y come from a run that is taken up again.
static inline bool lb_is_resumed(const lb_simulation *sim)
{
    return sim->stage == LB_STAGE_RESUMED || sim->stage == LB_STAGE_ENDED;
}

/// Faults that become the message of the simulation.
lb_faults lb_hear_faults(lb_simulation *sim);

// ---- restart.c ---------------------------------------------------------------------------------

/// Keeps what a run changes, before the first run. LB_OK or LB_E_MEMORY.
lb_status lb_keep_start(lb_simulation *sim);

/// Brings it back, and sets to zero what a run counts.
lb_status lb_bring_back_start(lb_simulation *sim);

// ---- add_event.c -------------------------------------------------------------------------------

/// Uses up the index of an event that is wrong in a way that cannot be put into options, so that others
/// are counted as in the file and its name is known.
lb_status lb_reserve_event(lb_simulation *sim, const char *name);

// ---- range.c -----------------------------------------------------------------------------------

/// Turn of a node, and displacement as a part of the size of the body, up to which modes with second
/// order describe a body to a few per cent. Theory: (FLX-14).
#define LB_MODAL_RANGE 0.25

typedef struct lb_range lb_range;

/// Takes memory for watching the bodies with modes.
lb_status lb_take_ranges(lb_simulation *sim);

/// Warns of bodies that are deformed beyond their range, and again when results are not valid any more, each
/// once. O(modes^2) per body; does not allocate.
///
/// @param t  negative for an equilibrium
void lb_watch_ranges(lb_simulation *sim, double t, const double *q);

// ---- add_loop_change.c -------------------------------------------------------------------------

/// Reads what an action makes or alters, and complains at `where`: the path of `make`, or of the whole
/// action `alter`.
lb_status lb_add_loop_change(lb_simulation *sim, const char *where, const lb_action_options *given,
                             lb_action *action);

/// Complains of alterations that lead both ends of a loop to one body, which is known only when all
/// events are.
void lb_check_loop_changes(lb_simulation *sim);

// ---- events.c ----------------------------------------------------------------------------------

/// Sets the times of events that depend on time alone, as far as they are still to come.
///
/// @param with_present  those that are due right now count: at the first instant
void lb_find_event_times(lb_simulation *sim, bool with_present);

/// The next times of those in `found` of the flow.
void lb_renew_event_times(lb_simulation *sim);

/// Notes the levels of events before something jumps at the present time. Those in `found` of the flow are at their
/// value.
lb_status lb_note_levels(lb_simulation *sim);

/// Marks, in `found` of the flow, the events whose levels have passed zero since lb_note_levels.
///
/// @param any  out: whether there are any
lb_status lb_find_jumped_events(lb_simulation *sim, bool *any);

/// Signal less value of every event at a state.
lb_status lb_compute_event_levels(lb_simulation *sim, double t, const double *y, double *levels);

/// Does what the events in `found` ask for, and adds their names to `event_names`.
///
/// @return LB_NEWS_EVENT, LB_NEWS_STOP, LB_OK if all of them are those of friction, or a failure
lb_status lb_apply_events(lb_simulation *sim, bool *restart);

/// Counts events at the same instant: too many are a trap.
///
/// @return LB_OK, or LB_E_EVENTS with a message
lb_status lb_check_crowd(lb_simulation *sim);

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

// ---- run_options.c -----------------------------------------------------------------------------

/// Names of algorithms, as in a model file; NULL ends the list.
extern const char *const lb_algorithm_names[];

/// Algorithms that simulations know.
enum { LB_RUN_ALGORITHM_COUNT = LB_ALGORITHM_DIVIDE_AND_CONQUER + 1 };

/// NULL if the numbers of the options are sound, or what is wrong with them; `key` gets which.
const char *lb_check_run_options(const lb_run_options *options, const char **key);

// ---- initial_state.c ---------------------------------------------------------------------------

/// Makes quaternions of the initial state unit ones that were set by entries.
///
/// @return LB_OK, or LB_E_MODEL with a message
lb_status lb_clean_initial(lb_simulation *sim);

/// Compiles a signal of the model; the message of the simulation says what is wrong with it.
bool lb_find_coordinate(lb_simulation *sim, const char *text, lb_signal *signal);

// ---- assemble_initial.c --------------------------------------------------------------------------------

/// Hinges and loops with given motion where they start; and loops that are as_assembled learn from the
/// initial configuration where they close.
lb_status lb_prepare_loops(lb_simulation *sim);

/// Settles or assembles the initial state if that is asked for, and otherwise refuses one that is
/// not closed.
lb_status lb_close_initial(lb_simulation *sim);

/// Number of events.
int lb_get_simulation_event_count(const lb_simulation *simulation);

/// Index of the event of that name, or LB_NOT_FOUND.
int lb_find_event(const lb_simulation *simulation, const char *name);

/// Work done so far, J: by each force in the order of adding, by all driven hinges together (what each motion
/// does is among the forces as well), by modal damping, by locking hinges; in models with loops also by loops that follow a motion, by closing loops, by projection.
/// Energy that is lost in an impact is negative work. Valid until the next call.
///
/// @param count  out: entries
const double *lb_get_simulation_work(const lb_simulation *simulation, int *count);

#endif // LB_SIMULATION_H
