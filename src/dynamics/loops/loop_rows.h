// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Geometry of loops: where their ends are, what their rows see, and what forces along them do.
#ifndef LB_LOOP_ROWS_H
#define LB_LOOP_ROWS_H

#include "dynamics/tree/node_motion.h"
#include "loop_work.h"

/// Motion of one end of a loop, in the world.
typedef struct lb_end_motion {
    lb_mat3 R;
    lb_vec3 x;    ///< from the root of the tree if both ends are of one
    lb_vec6 V, A; ///< velocity, acceleration; zero unless asked for
} lb_end_motion;

/// Products along six entries.
static inline double lb_dot6(const double w[6], lb_vec6 x)
{
    return w[0] * x.w.x + w[1] * x.w.y + w[2] * x.w.z + w[3] * x.v.x + w[4] * x.v.y + w[5] * x.v.z;
}

static inline lb_vec6 lb_vec6_from(const double x[6])
{
    return lb_vec6_make(lb_vec3_from(x), lb_vec3_from(x + 3));
}

static inline void lb_vec6_to(lb_vec6 a, double x[6])
{
    lb_vec3_to(a.w, x);
    lb_vec3_to(a.v, x + 3);
}

/// Pose of an end in the world. Needs positions (the poses in the world are brought up to date).
lb_end_motion lb_get_end_place(const lb_model *model, lb_work *work, const lb_loop_slot *slot,
                               int side);

/// Writes what of a slot depends on positions only: rows of rods, rows as forces. Needs the poses in
/// the world.
void lb_place_loop(const lb_model *model, lb_work *work, lb_loop_slot *slot);

/// The same for all slots that hold.
void lb_place_loops(const lb_model *model, lb_work *work);

/// Puts the forces of all loops, W* x of each, into lb_loop_work.load, and what they do to the modes
/// at the ends and by couplers into lb_loop_work.tau. Needs lb_place_loops.
///
/// @param x  by slot, along its rows, six each
void lb_collect_loop_forces(const lb_model *model, lb_work *work, const double *x);

/// The same in two parts: nothing, and the forces of one slot on top.
void lb_clear_loop_forces(const lb_model *model, lb_work *work);
void lb_add_loop_force(const lb_model *model, lb_work *work, const lb_loop_slot *slot,
                       const double *x);

/// The acceleration error of a loop along its rows: from alpha and eta_ddot.
///
/// @param a  generalized accelerations
/// @param x  out: six entries
void lb_compute_acceleration_error(const lb_model *model, lb_work *work, const lb_loop_slot *slot,
                                   const double *a, double *x);

/// The sum of a coupler's terms.
double lb_relate_coordinates(const lb_model *model, const lb_loop *loop, const double *q);

/// The velocity error of every loop that holds, along its rows, for any speeds v. Needs
/// lb_place_loops.
void lb_compute_row_velocities(const lb_model *model, lb_work *work, const double *v, double *x);

/// J v of every loop that holds, along its rows, for any speeds v. Needs lb_place_loops.
void lb_apply_rows(const lb_model *model, lb_work *work, const double *v, double *x);

/// What a slot's prescribed motion does per unit time against forces x along its rows.
double lb_get_motion_power(const lb_loop_slot *slot, const double *x);

/// From six entries in the axes of a to rows, and back.
void lb_enter_rows(const lb_loop *loop, const double six[6], double *x);
void lb_leave_rows(const lb_loop *loop, const double *x, double six[6]);

/// Places all loops and puts forces, six for each slot in the axes of a, along their rows: lb_loop_work.x.
void lb_enter_all_rows(const lb_model *model, lb_work *work, const double *forces);

/// Rows of the slots that hold as six entries each in the axes of a; zeros for the others.
void lb_leave_all_rows(const lb_model *model, const lb_work *work, const double *rows, double *out);

/// Whether a loop that holds is still to learn where it closes: lb_take_initial_offsets.
bool lb_wait_for_offsets(const lb_model *model, const lb_work *work);

#endif // LB_LOOP_ROWS_H
