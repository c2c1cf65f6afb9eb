// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops in time: putting a state back on its closure constraints.
#ifndef LB_CLOSURE_H
#define LB_CLOSURE_H

#include "simulate/signals/functions.h"
#include "singular.h"
#include "system.h"

/// `motion` of a loop: a turn about an axis of node a and a shift in its axes, functions of time.
typedef struct lb_loop_drive {
    int loop;
    bool turns;
    double axis[3]; ///< unit
    lb_function turn;
    int shift_count; ///< 0; 1, along shift_axis (first entry for a rod or coupler); or 3
    double shift_axis[3];
    lb_function shift[3];
} lb_loop_drive;

/// What a simulation keeps of its loops; there is none without loops.
struct lb_closure {
    int slot_count;
    lb_work
        *gauge; ///< a second workspace, where errors are measured while factors stay in the first;
                ///< what is switched in one is switched in the other
    double *forces;              ///< 6 a slot, left by lb_evaluate_system
    double *drive;               ///< per speed, likewise: what driven hinges need
    double *position, *velocity; ///< errors, 6 a slot
    double *dv, *q, *zero;       ///< scratch
    lb_loop_drive *drives;       ///< loops that follow a motion; room for every loop
    int drive_count;
    int dropped; ///< of that motion: 1 if its acceleration counts as zero, 2 if its rate does as well
    lb_singular singular;
    double *placed_q; ///< q at which the last projection made its factors
    bool is_placed;   ///< it made some: the workspace of the system holds the places for placed_q
    bool lenient;     ///< a state too far off its loops is evaluated as it is
    bool is_open;     ///< the last one was, and why:
    char message[LB_MESSAGE_SIZE];
    bool has_offsets;      ///< loops that are as_assembled know where they close
    lb_loop_ends *defined; ///< per loop of the model: what it joins by the file and by `alter`
    unsigned char *moved;  ///< per loop: it closes elsewhere at present
    unsigned char *held;   ///< per body: the hinge has given motion, or is locked
};

lb_status lb_init_closure(lb_system *s);

/// Errors of all loops at a state into `position` and `velocity`.
lb_status lb_measure_closure(lb_system *s, const double *q, const double *v);

/// The loop with the largest error of a set, and that error: norm of its six.
double lb_find_worst_loop(const lb_system *s, const double *errors, int *loop);

/// Which hinges have given motion or are locked: a flag per body.
void lb_find_held(const lb_system *s, unsigned char *held);

/// Whether the last projection left the places of bodies for the present q in the workspace.
bool lb_is_placed(const lb_system *s);

/// Puts a state back on the loops; hinges with given motion stay. Theory: (PRJ-1), (PRJ-2).
///
/// @param v  NULL for positions alone
/// @return LB_OK, or LB_E_OPEN with a message if a loop cannot be closed from here
lb_status lb_project(lb_system *s, double t, double *q, double *v);

/// The same for q and v of y after a step; the change of energy goes to the work of projection in y.
/// Does nothing without loops. The second: for q alone.
lb_status lb_project_step(lb_system *s, double t, double *y);
lb_status lb_project_positions(lb_system *s, double t, double *y);

/// Whether loops are off by no more than a limit, in position and in speed.
lb_status lb_check_hold(lb_system *s, double t, const double *y, double limit, bool *hold);

/// The same for the state that is handed out, without work. One where loops hold stays as it is.
lb_status lb_project_output(lb_system *s, double t, double *y);

// ---- loop_drive.c ------------------------------------------------------------------------------

/// Where a loop is to be at t, how fast, and how that changes.
void lb_get_drive_motion(const lb_loop_drive *drive, double t, lb_loop_motion *motion);

// ---- loop_motion.c -----------------------------------------------------------------------------

/// Where loops that follow a motion are to be at t, and how fast but for what is `dropped`.
lb_status lb_set_loop_motions(lb_system *s, double t);

/// The first kink or jump of such a motion after t; infinity if there is none.
double lb_find_loop_break(const lb_system *s, double t);

/// Whether their expressions have neither jumps nor kinks at t.
///
/// @return LB_OK, or LB_E_MODEL with a message
lb_status lb_check_loop_motions(lb_system *s, double t);

/// Where a step should end so that it does not miss a narrow feature of one: see lb_find_function_feature.
double lb_find_loop_feature(const lb_system *s, double t, double horizon);

/// Whether one of them jumps right behind t.
bool lb_passes_loop_break(const lb_system *s, double t);

/// What such loops deliver, from the forces that the last evaluation left.
lb_status lb_compute_loop_power(lb_system *s, double *power);

#endif // LB_CLOSURE_H
