// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Trees with closed loops: loops, locks and drives of a workspace, projections, impulses, and changes at run
// time. The dynamics themselves are lb_compute_forward_dynamics.
//
// J maps speeds to the relative velocity of the nodes that each loop joins; g is the relative
// acceleration at zero generalized acceleration:
//
//     M a + c = tau + J' lambda,   J a + g = 0
//
// A loop is identified by its slot. The loops of the model come first, in the order of adding; the
// spare loops of lb_set_spare_loops follow. The workspace keeps which loops are active, what they
// join and which hinges are locked. All of this may change between calls, without rebuilding or
// allocating.
//
// Arrays over loops have six entries per slot, spare ones included (see lb_get_loop_capacity):
// angular, then linear, in the axes of node a. They are zero along free motion and in slots that
// are not active. A rod has one component, along its line, in the linear part. A coupler uses only
// the first of its six entries, for its generalized force, its error and so on.
//
// Redundant and contradictory constraints are allowed. Redundant rows are dropped by an absolute
// threshold, and the multipliers are those of least norm; lb_get_redundant_row_count tells. The
// dynamics do not stabilise: a state that has drifted off the constraints stays off until it is
// projected back. Nothing here allocates.
#ifndef LB_LOOPS_H
#define LB_LOOPS_H

#include "limber/dynamics.h"

// ---- active loops and locked hinges ------------------------------------------------------------

/// Number of slots: loops of the model and spare ones.
LB_API int lb_get_loop_capacity(const lb_model *model);

/// Whether a slot is active. In a new workspace all loops of the model are, unless they were added
/// as inactive; spare ones are not.
LB_API bool lb_is_loop_active(const lb_work *work, int loop);

/// Activates or releases a slot. Speeds do not change; see lb_compute_impulse.
///
/// @return LB_OK, or LB_E_ARGUMENT if there is no such slot or a spare one joins nothing yet
LB_API lb_status lb_set_loop_active(const lb_model *model, lb_work *work, int loop, bool active);

/// One term of a coupler at run time: factor times a hinge coordinate. Frozen: one term of a sum.
typedef struct lb_relation_term {
    int body, coordinate;
    double factor; ///< not zero
} lb_relation_term;

/// What a slot joins, and where it closes. Start from lb_default_loop_ends(): a zero is body 0. Sized.
typedef struct lb_loop_ends {
    size_t size;
    int body_a, node_a; ///< LB_GROUND for the ground; not read for a coupler
    int body_b, node_b; ///< likewise
    lb_loop_type type;
    double axis[3]; ///< in the frame of node a, for types with an axis; any length but zero
    double length;  ///< of a rod, m
    double offset
        [6]; ///< pose of b in a where the loop closes, in the axes of a: rotation vector, then
             ///< shift; zero for b on a. A coupler: the first entry is the sum of its terms
    int term_count; ///< of a coupler
    const lb_relation_term *terms;
} lb_loop_ends;

/// Both ends on the ground, which is refused until one of them is given a body.
static inline lb_loop_ends lb_default_loop_ends(void)
{
    lb_loop_ends ends = LB_ZEROES;
    ends.size = sizeof ends;
    ends.body_a = ends.body_b = LB_GROUND;
    return ends;
}

/// Sets what a spare slot joins, and activates it. The loop closes where `ends` says; call
/// lb_take_loop_offset to close it where it is. Speeds do not change; see lb_compute_impulse.
///
/// @param loop  a spare slot, or -1 for the first one that is not active
/// @param slot  out: the slot; may be NULL
/// @return LB_OK. On failure nothing changes: LB_E_CAPACITY if no slot is left, or it has no room
///         for so many terms (lb_set_spare_loops); LB_E_VERSION if `ends` is from a newer version;
///         LB_E_ARGUMENT for a body, node, coordinate or slot that does not exist, both ends on one
///         body, a missing axis, a rod without length, a repeated term or a factor of zero;
///         LB_E_NUMBER for a number that is read and not finite: lb_get_bad_number counts axis, length,
///         offset, and factors of terms
LB_API lb_status lb_make_loop(const lb_model *model, lb_work *work, int loop,
                              const lb_loop_ends *ends, int *slot);

/// Changes what a slot joins: its nodes, type, axis, length, offset or terms. Whether it is active
/// and the motion that it follows stay as they are. To change a part, start from lb_get_loop_ends.
/// Speeds do not change; see lb_compute_impulse.
///
/// A spare loop may join anything. A loop of the model may be moved to the ground, to any body of
/// the branches that it joined when the model was built, and to bodies within its `reach` (see
/// lb_loop_options). A branch is a body that moves relative to the ground, with all bodies outboard
/// of it. Where four or more loops meet at one body, each leg or arm behind that body is a branch
/// of its own, and the body itself is within reach of all of them.
///
/// @return LB_OK. On failure nothing changes: LB_E_CAPACITY for a body out of reach, or more terms
///         than there is room for; LB_E_VERSION, LB_E_ARGUMENT and LB_E_NUMBER as lb_make_loop
LB_API lb_status lb_alter_loop(const lb_model *model, lb_work *work, int loop,
                               const lb_loop_ends *ends);

/// What a slot joins at present.
///
/// @param ends  out; set `size` before. `terms` points into the workspace, until the slot is
///              altered
/// @return LB_OK; LB_E_ARGUMENT if there is no such slot; LB_E_VERSION if `ends` is from a newer
///         version
LB_API lb_status lb_get_loop_ends(const lb_model *model, const lb_work *work, int loop,
                                  lb_loop_ends *ends);

/// Makes a loop close where it is: its offset becomes the present pose of b in a, the length of a
/// rod the present distance, the offset of a coupler the present sum of its terms. Prescribed
/// motion is subtracted. Needs positions.
///
/// @param q  the configuration of the workspace; couplers read it
/// @return LB_OK; LB_E_STAGE; LB_E_NUMBER; LB_E_ARGUMENT if there is no such loop, or the ends of a rod coincide
///         (or would without its prescribed motion)
LB_API lb_status lb_take_loop_offset(const lb_model *model, lb_work *work, int loop,
                                     const double *q);

/// Does the same for all loops that are `as_assembled`, at the initial configuration q. Call it
/// once for each workspace. Until then nobody knows where these loops close: their errors and lb_assemble_loops
/// return LB_E_STAGE. Leaves positions.
///
/// @param loop  out: after LB_E_ARGUMENT, the rod whose ends coincide; may be NULL
/// @return LB_OK, LB_E_NUMBER or LB_E_ARGUMENT
LB_API lb_status lb_take_initial_offsets(const lb_model *model, lb_work *work, const double *q,
                                         int *loop);

/// Prescribed motion of b relative to a, added to the offset of a driven loop. In the axes of node
/// a: rotation vector and shift; angular velocity of b relative to a and linear velocity seen from
/// a; and their rates. For a rod the first entry is the change of length, for a coupler the change
/// of offset. Only directions that the loop constrains matter. Frozen: it is set at every
/// evaluation.
typedef struct lb_loop_motion {
    double position[6], velocity[6], acceleration[6];
} lb_loop_motion;

/// Sets the prescribed motion of a loop, driven or not, until it is set again. It is zero in a new
/// workspace.
///
/// @param motion  NULL for none
/// @return LB_OK; LB_E_ARGUMENT if there is no such slot; LB_E_NUMBER, and the motion stays
LB_API lb_status lb_set_loop_motion(const lb_model *model, lb_work *work, int loop,
                                    const lb_loop_motion *motion);

/// Locks a hinge where it is, or unlocks it. Speeds do not change; see lb_compute_impulse.
///
/// @return LB_OK, or LB_E_ARGUMENT if there is no such body
LB_API lb_status lb_set_hinge_locked(const lb_model *model, lb_work *work, int body, bool locked);

/// Drives a hinge by motion, or releases it. The accelerations of driven hinges are given: functions of forward
/// dynamics read them from `a`. A hinge that is also locked counts as locked.
///
/// @return LB_OK, or LB_E_ARGUMENT if there is no such body
LB_API lb_status lb_set_hinge_driven(const lb_model *model, lb_work *work, int body, bool driven);

// ---- forces ------------------------------------------------------------------------------------

/// Force of one loop in the last forward dynamics: moment and force on b at its node, in the axes of
/// node a; the opposite acts on a at the same point. Zero for a slot that is not active.
///
/// @return LB_OK; LB_E_ARGUMENT if there is no such slot; LB_E_STAGE unless lb_compute_forward_dynamics was the
///         last computation, and not of the tree alone
LB_API lb_status lb_get_loop_force(const lb_model *model, const lb_work *work, int loop,
                                   double force[6]);

// ---- errors and Jacobian -----------------------------------------------------------------------

/// Position and velocity errors of the loops, prescribed motion included. Needs positions, and
/// velocities for the second.
///
/// @param q         the configuration of the workspace; couplers read it
/// @param position  out: 6 per slot, rad and m; may be NULL. The angular part is log(R_a'R_b) where
///                  no turn is free, axis x (R_a'R_b axis) where one is
/// @param velocity  out: 6 per slot, rad/s and m/s; may be NULL
/// @return LB_OK, LB_E_STAGE or LB_E_NUMBER
LB_API lb_status lb_compute_loop_errors(const lb_model *model, lb_work *work, const double *q,
                                        double *position, double *velocity);

/// How far the loops are from being closed. As the position errors, except for loops with one free
/// turn whose axes point in opposite directions, more than a right angle apart: their gap is that
/// angle. (Such a loop is turned over. Its position error may be zero, but it is not closed.) Needs
/// positions. Theory: (CLO-13).
///
/// @param q         the configuration of the workspace
/// @param position  out: 6 per slot, rad and m
/// @return LB_OK, LB_E_STAGE or LB_E_NUMBER
LB_API lb_status lb_compute_loop_gaps(const lb_model *model, lb_work *work, const double *q,
                                      double *position);

/// Number of rows of the active loops together: the rows of lb_form_loop_jacobian.
LB_API int lb_get_active_row_count(const lb_model *model, const lb_work *work);

/// J as a dense matrix with one row per constrained direction, slot by slot. The directions of a
/// loop are orthonormal. Time grows with rows times v_count. Needs positions.
///
/// @param J  out: lb_get_active_row_count x v_count
/// @return LB_OK or LB_E_STAGE
LB_API lb_status lb_form_loop_jacobian(const lb_model *model, lb_work *work, double *J);

// ---- projections and impulses ------------------------------------------------------------------

/// Factors the admittance J M^-1 J' of the active loops, with locked hinges and those of `still`
/// immobile. Leaves positions and, if no hinge is immobile, articulated inertias. Cost as
/// lb_compute_forward_dynamics.
///
/// @param still  one flag per body, in the order of adding: non-zero if its hinge does not move;
///               NULL for none
/// @return LB_OK, LB_E_SINGULAR, LB_E_NUMBER or LB_NEWS_INDEFINITE
LB_API lb_status lb_factor_loops(const lb_model *model, lb_work *work, const double *q,
                                 const unsigned char *still);

/// The smallest change of speeds, in kinetic energy, that changes J v by r:
/// dv = M^-1 J' (J M^-1 J')^+ r. It is zero at immobile hinges. Needs lb_factor_loops or
/// lb_compute_forward_dynamics; after these it may be called any number of times.
///
/// To project velocities, set r to minus the velocity error. To project positions, set r to minus
/// the position error, move to q (+) dv, and repeat until the error is small.
///
/// @param r        6 per slot
/// @param dv       out: v_count
/// @param impulse  out: 6 per slot, the multipliers; may be NULL
/// @return LB_OK, LB_E_STAGE or LB_E_NUMBER
LB_API lb_status lb_solve_loops(const lb_model *model, lb_work *work, const double *r, double *dv,
                                double *impulse);

/// The smallest pivot of those factors, relative to the scale of its loop: how near the
/// configuration is to a singular one. Pivots of 1e-11 and below count as zero, their rows as
/// redundant. 1 without loops.
///
/// @param loop  out: the loop of that pivot; -1 for none
LB_API double lb_get_loop_pivot(const lb_model *model, const lb_work *work, int *loop);

/// Rank of the factored constraints. Needs lb_factor_loops or lb_compute_forward_dynamics.
///
/// @param rows       out: rows of the active loops
/// @param rank       out: how many of them are independent
/// @param redundant  out: for each slot, how many of its rows depend on its other rows and on
///                   earlier loops; may be NULL
/// @return LB_OK or LB_E_STAGE
LB_API lb_status lb_get_loop_rank(const lb_model *model, const lb_work *work, int *rows, int *rank,
                                  int *redundant);

/// How far the last right-hand side was from anything that motion can satisfy. Redundant
/// constraints may contradict each other, for instance a driven hinge and a driven loop that do not
/// go together; the solution then satisfies them as far as possible.
///
/// @param loop  out: a loop that takes part; -1 for none
/// @return rad/s^2 or m/s^2 after lb_compute_forward_dynamics, in units of r after
///         lb_solve_loops and lb_compute_impulse; zero up to round-off if there is no contradiction
LB_API double lb_get_loop_conflict(const lb_model *model, const lb_work *work, int *loop);

/// How many rows of the active loops are redundant, or singular at this configuration, in the last factors: rows
/// less rank. Their forces are those of least norm. 0 without loops.
LB_API int lb_get_redundant_row_count(const lb_work *work);

/// The jump of speeds after loops were activated or hinges locked: impulses at the active loops and
/// locked hinges make the speeds satisfy them. Positions stay. Leaves positions and factors, as
/// lb_factor_loops.
///
/// @param v         in and out
/// @param impulses  out: 6 per slot, N m s and N s; may be NULL
/// @param hinges    out: v_count, generalized impulses at locked hinges, zero elsewhere; may be
///                  NULL
/// @param loss      out: kinetic energy lost, less the work of loops that follow a motion, J; may
///                  be NULL
/// @return as lb_factor_loops
LB_API lb_status lb_compute_impulse(const lb_model *model, lb_work *work, const double *q,
                                    double *v, double *impulses, double *hinges, double *loss);

/// Energy of such a jump, J: kinetic energy changes by drives + loops - loss. Sized.
typedef struct lb_impulse_work {
    size_t size;
    double loss;   ///< lost in the impact: kinetic energy of the jump itself, never negative
    double drives; ///< work of driven hinges
    double loops;  ///< work of loops that follow a motion
} lb_impulse_work;

/// The same jump with driven hinges. They keep their speeds, or take the given ones, whatever
/// impulse that needs. Theory: (CLO-11), (CLO-12).
///
/// @param v         in and out
/// @param driven    one flag per body, in the order of adding: non-zero if its hinge is driven;
///                  NULL for none. A hinge that is also locked counts as locked
/// @param speeds    in the order of v: new speeds, read at driven hinges; NULL to keep the present
///                  ones
/// @param impulses  out: 6 per slot, N m s and N s; may be NULL
/// @param hinges    out: v_count, generalized impulses at driven and locked hinges, zero elsewhere;
///                  may be NULL
/// @param energy    out; set `size` before; may be NULL. Each term is accurate to its own last
///                  digits
/// @return as lb_factor_loops, or LB_E_VERSION, before anything is computed, if `energy` is from a
///         newer version
LB_API lb_status lb_compute_driven_impulse(const lb_model *model, lb_work *work, const double *q,
                                           double *v, const unsigned char *driven,
                                           const double *speeds, double *impulses, double *hinges,
                                           lb_impulse_work *energy);

#endif // LB_LOOPS_H
