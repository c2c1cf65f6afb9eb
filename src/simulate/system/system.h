// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The equations of motion y' = f(t, y) with y = [q; v; w]: configuration, speeds and work. The
// entries of w are, in order, the work of each force, of motion-driven hinges, of modal damping,
// what locking has taken, the work of loops with given motion, what closing loops has taken, and what
// projections onto the loops have changed; they make the audit.
#ifndef LB_SYSTEM_H
#define LB_SYSTEM_H

#include "base/arena.h"
#include "limber/dynamics.h"
#include "limber/forces.h"
#include "limber/loops.h"

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

/// What locks a hinge.
enum { LB_LOCKED_BY_EVENT = 1, LB_LOCKED_BY_FRICTION = 2, LB_LOCKED_BY_CALLER = 4 };

typedef struct lb_closure lb_closure;
typedef struct lb_held_speeds lb_held_speeds;

typedef struct lb_system {
    lb_arena *arena; ///< memory of whatever is set up for it
    const lb_model *model;
    lb_forces *forces;
    lb_work *work;
    struct lb_division *division; ///< NULL for the articulated recursion
    int body_count, q_count, v_count, force_count, work_count, y_count;
    int *motions;          ///< per body: the motion that drove it in the last evaluation, or -1
    int *damping_at;       ///< per body: first entry among `damping`, -1 for none
    double *damping;       ///< modal damping matrices
    unsigned char *locked; ///< per body: by events, by friction, or both
    int locked_count;      ///< bodies that are

    lb_held_speeds *held_speeds; ///< NULL where no single speed can be held

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
    /// Where the present piece of functions of time begins: forces are seen from its right.
    double piece_time;

    long evaluation_count, jacobian_count;
    /// Asked every few thousand speeds; true ends the run, wherever it is. NULL: nobody is asked.
    bool (*is_called_off)(void *user);
    void *caller;
    int until_asked; ///< evaluations
    bool called_off;
    bool indefinite;     ///< an inertia was, once
    long fallback_count; ///< evaluations in which divide and conquer gave way
    char message[LB_MESSAGE_SIZE];
    lb_status failure;
} lb_system;

/// A state of the system at one instant, with the forces that were computed last.
static inline lb_instant lb_make_system_instant(const lb_system *s, double t, const double *q,
                                                const double *v, const double *a)
{
    return (lb_instant){
        sizeof(lb_instant), s->model, s->work, t, q, v, a, lb_get_applied_loads(s->forces), NULL};
}

/// Sets up all that depends on the model alone.
///
/// @param arena   memory of all that is set up for the system; it outlives it
/// @param forces  others may be added until lb_complete_system
lb_status lb_init_system(lb_system *system, lb_arena *arena, const lb_model *model,
                         lb_forces *forces);

/// Sets up what depends on the number of forces: their work is part of y.
lb_status lb_complete_system(lb_system *system);

/// The time of functions of time at t: between the last jump and the next.
double lb_get_force_time(const lb_system *system, double t);

/// f(t, y). Leaves q, v, a, tau, power, and the dynamics in `work`.
///
/// @param y_dot  NULL if not wanted
/// @return LB_OK; LB_E_NUMBER, which a shorter step may cure; LB_E_SINGULAR and others
lb_status lb_evaluate_system(lb_system *system, double t, const double *y, double *y_dot);

/// The same as far as positions and velocities go: leaves q, v, and the kinematics in `work`.
lb_status lb_place_system(lb_system *system, double t, const double *y);

/// Puts quaternions back to unit length and driven hinges where they should be.
///
/// @return how far the worst quaternion was off
double lb_clean_state(const lb_system *system, double t, double *y);

/// Locks a hinge, or lets it go as far as it was locked by this.
///
/// @param by  LB_LOCKED_BY_EVENT and so on
void lb_lock_hinge(lb_system *system, int body, int by, bool on);

/// Says which body lacks inertia, where the recursions have found none; gives the status back.
lb_status lb_explain_singular(lb_system *system, double t, lb_status status);

// ---- entry_names.c ------------------------------------------------------------------------------

/// "link's hinge speed 1": an entry of y for people.
void lb_describe_entry(const lb_system *system, int entry, char *text, size_t size);

/// "link.angle", "panel.eta.0", "base.q.3": the signal grammar's names for coordinates, speeds and
/// accelerations (order 0, 1, 2) of a body, of which i counts its own: modes, then hinge.
void lb_name_entry(const lb_model *model, int order, int body, int i, char name[LB_COLUMN_SIZE]);

/// The body whose mode or hinge an entry of v is.
int lb_find_owner(const lb_model *model, int entry);

/// "arm.angle", "panel.eta.0", "base.q.3", "ball.turn.x": the deviation of an entry of v; "arm.rate"
/// and so on, its speed.
void lb_name_coordinate(const lb_model *model, int entry, bool speed, char name[LB_COLUMN_SIZE]);

/// Sets the message of the system and gives the status back. With LB_E_MEMORY, a message that
/// does not speak of memory is replaced by one that does.
lb_status lb_say(lb_system *system, lb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// The enabled motion that drives the hinge of a body, or -1.
int lb_find_motion(const lb_system *system, int body);

#endif // LB_SYSTEM_H
