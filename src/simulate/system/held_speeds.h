// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Single speeds of hinges with several of them that are held at zero.
#ifndef LB_HELD_SPEEDS_H
#define LB_HELD_SPEEDS_H

#include "system.h"

/// Sweeps lock a hinge as a whole. A single speed is held by the force that makes its acceleration zero:
/// G f = -a, with G_ij = da_i/df_j.                                                       (STK-4)
struct lb_held_speeds {
    int capacity, count;
    int *entries;         ///< of v
    unsigned char *flags; ///< per entry of v
    double *sizes;        ///< per entry held: of a force that matters
    double *G, *S;        ///< capacity x capacity; its factors
    double *force, *a;    ///< capacity: what holds them; what they would accelerate by
    int *pivot;
};

/// Memory for so many of them at once.
lb_status lb_take_held_speeds(lb_system *system, int capacity);

/// Holds an entry of v, or lets it go.
///
/// @param size  a force that matters at this hinge, N or N m; above zero
void lb_hold_speed(lb_system *system, int entry, double size, bool on);

/// Whether an entry of v is held so.
bool lb_is_speed_held(const lb_system *system, int entry);

/// Sets these speeds, and their accelerations, to zero.
void lb_rest_held_speeds(lb_system *system);

/// Accelerations with these speeds held: calls `compute` for a from tau, which starts from tau_forces. Leaves
/// the forces in tau.
lb_status lb_compute_held(lb_system *system, lb_status (*compute)(lb_system *system));

#endif // LB_HELD_SPEEDS_H
