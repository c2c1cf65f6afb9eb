// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Small deviations from a motion that repeats itself.
#ifndef LB_PERIOD_H
#define LB_PERIOD_H

#include "linear/linear.h"

/// Relative error of deviations over a period.
#define LB_TURN_TOLERANCE 1e-12

/// How far they are known, after all steps of a period.
#define LB_TURN_ERROR 1e-10

/// Number of instants, evenly over the period, that are kept of a motion.
enum { LB_TURN_INSTANTS = 16 };

typedef struct lb_turn_state {
    double t, *q, *v;
} lb_turn_state;

/// A motion that repeats itself.
typedef struct lb_turn {
    lb_system *s;
    lb_simulation *sim;
    lb_arena *arena;
    lb_operating_point point; ///< where it starts
    double period;            ///< s
    int n;                    ///< independent coordinates
    double *weight;           ///< v_count: roots of inertias
    double *units;            ///< 2 n: of deviations and their rates, in which energies are alike
    double size;              ///< how far the system moves in a period, by inertia
    double *reach;            ///< v_count: how far each coordinate moves in it
    double moved;             ///< of the coordinate that moved most from the state that was given
    char moved_name[LB_COLUMN_SIZE];
    lb_turn_state now; ///< where it was followed to
    lb_turn_state *at; ///< LB_TURN_INSTANTS of them
    double *mean;      ///< 2 n x 2 n: A over the period
    double
        *legs; ///< LB_TURN_INSTANTS x 2 n x 2 n: E from one instant to the next, of the plant alone
    double step; ///< s, the last
    long evaluation_count;
    const lb_linear_options *options; ///< of the plant: its inputs
    const lb_ports *ports;
} lb_turn;

/// Fills F of  dE/dt = F(t) E  from the plant's A and B at an instant.
typedef void (*lb_form_flow)(const void *user, const double *A, const double *B, double *F);

// ---- follow.c ----------------------------------------------------------------------------------

/// Goes back to the start.
void lb_restart_turn(lb_turn *turn);

/// Follows the motion on from where it is, and deviations from it.                       (FLQ-1)
///
/// @param time   s from its start, later than where it is
/// @param width  of E, 0 for the motion alone
/// @param E      out: width x width, from unity where the motion was
lb_status lb_follow_turn(lb_turn *turn, double time, int width, lb_form_flow form, const void *user,
                         double *E);

/// Recalls what lb_form_monodromy has found: E of the plant alone from one instant to the next. With loops other
/// coordinates may be independent by now.
///
/// @param from  s from the start
/// @return whether it exists; the motion has then been followed so far
bool lb_recall_leg(lb_turn *turn, double from, double to, double *E);

/// Keeps the state where the motion was followed to.
void lb_note_instant(lb_turn *turn, int instant);

/// Monodromy of the plant alone: deviations a period on.                                 (FLQ-2)
///
/// @param P    out: 2 n x 2 n
/// @param end  out: the state a period on
lb_status lb_form_monodromy(lb_turn *turn, double *P, lb_turn_state *end);

// ---- find_period.c -----------------------------------------------------------------------------

/// The common period of turning hinges and of functions of time, where they have one.       (FLQ-5)
///
/// @return LB_OK, or LB_E_EQUILIBRIUM with a message
lb_status lb_find_period(lb_simulation *sim, const lb_linear_options *options,
                         const lb_operating_point *point, double *period);

// ---- exponent.c --------------------------------------------------------------------------------

/// The exponent of a mode: of those that its multiplier may have, that of its largest harmonic. (FLQ-8)
///
/// @param coordinates  entries of v
/// @param s            one of them
/// @param p            LB_TURN_INSTANTS x n: deviations over the period; lost
/// @param guides       pairs: poles of the mean equations
double _Complex lb_choose_exponent(const lb_turn *turn, const int *coordinates, double _Complex s,
                                   double period, double _Complex *p, int guide_count,
                                   const double *guides);

// ---- friction.c --------------------------------------------------------------------------------

/// Refuses a motion along which friction sticks and slips, at the instants of the last monodromy.
lb_status lb_check_friction(lb_turn *turn, const lb_linear_options *options);

// ---- shooting.c --------------------------------------------------------------------------------

/// Finds the motion that repeats itself near the point of the options.                   (FLQ-3)
///
/// @return LB_OK, LB_E_EQUILIBRIUM with a message if there is none
lb_status lb_find_turn(lb_simulation *sim, const lb_linear_options *options, lb_arena *arena,
                       lb_turn *turn);

#endif // LB_PERIOD_H
