// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Trees with closure constraints: dynamics, projections, impulses, and change at run time.
//
// With J the relative motion of the closed nodes per unit speed, and g its rate at zero
// acceleration,
//
//     M a + c = tau + J' lambda,   J a + g = 0
//
// A loop is known by its slot: those of the model come first, in the order of adding, then the
// spare ones that lb_set_spare_loops asked for. Which slots hold, what they join, which hinges are
// locked, is kept in the workspace and changes there between calls, without rebuilding and without
// allocating. Arrays over loops have six entries for each slot, spare ones included
// (lb_get_loop_capacity): angular, then linear, in the axes of node a, zero along free motion and in
// slots that do not hold. A rod has one entry along its line (in the linear part), a coupler uses
// the first of its six: force (generalized, per unit of the relation), error and residual.
//
// Constraints that repeat or contradict each other are normal: rows that carry nothing are dropped
// by an absolute scale, multipliers are those of least norm, and LB_NEWS_REDUNDANT says so. The
// dynamics do not stabilise: a state that has drifted off the constraints stays off until it is
// projected back. Nothing here allocates.
#ifndef LB_LOOPS_H
#define LB_LOOPS_H

#include "limber/dynamics.h"

// ---- which loops hold --------------------------------------------------------------------------

/// Loops of the model and spare slots together.
LB_API int lb_get_loop_capacity(const lb_model *model);

/// Whether a slot holds. In a new workspace those of the model do, unless they were added as
/// inactive; spare ones do not.
LB_API int lb_is_loop_active(const lb_work *work, int loop);

/// Makes a slot hold, or lets it go. Speeds do not change: see lb_compute_impulse. O(1).
///
/// @return LB_OK, or LB_E_ARGUMENT: no such slot, or a spare one that joins nothing yet
LB_API lb_status lb_set_loop_active(const lb_model *model, lb_work *work, int loop, int active);

/// One term of a coupler at run time: factor x (entry of the hinge's configuration).
typedef struct lb_relation_term {
    int body, coordinate;
    double factor; ///< not zero
} lb_relation_term;

/// What a slot joins, and where it closes. What is not set is zero.
typedef struct lb_loop_ends {
    int body_a, node_a; ///< LB_GROUND for the ground; not read of a coupler
    int body_b, node_b;
    lb_loop_type type;
    double axis[3];   ///< in the frame of node a, where the type has one; any length but zero
    double length;    ///< of a rod
    double offset[6]; ///< pose of b in a where it closes, in the axes of a: rotation vector, then
                      ///< shift; zero for b on a. Of a coupler the first entry: sum of the terms
    int term_count;   ///< of a coupler
    const lb_relation_term *terms;
} lb_loop_ends;

/// Sets what a spare slot joins, and makes it hold. Speeds do not change: see lb_compute_impulse. It
/// is meant to close where `ends` say; lb_take_loop_offset closes it where it is. O(1).
///
/// @param loop  a spare slot, or -1 for the first that does not hold
/// @param slot  out: the slot; may be NULL
/// @return LB_OK; LB_E_CAPACITY: no slot is left, or it has no room for so many terms
///         (lb_set_spare_terms); LB_E_ARGUMENT, and nothing changes: no such body, node, coordinate
///         or slot, both ends on one body, no axis, a rod without length, a term twice or of factor
///         zero, a number that is not finite
LB_API lb_status lb_make_loop(const lb_model *model, lb_work *work, int loop,
                              const lb_loop_ends *ends, int *slot);

/// Alters what a slot joins, of the model or spare: other nodes, another type, axis, length, offset, other
/// factors. Whether it holds stays as it is, and so does the motion that it follows. Start from
/// lb_get_loop_ends to alter a part. Speeds do not change: see lb_compute_impulse. O(1).
///
/// A loop of the model may be led to any body of the branches that it joined when the model was built
/// (a branch: a body that moves against the ground, and all that is outboard of it), and to the
/// ground; to other bodies if they were within its `reach`, see lb_loop_options. At a body where many
/// loops meet, four or more, the branches are those behind it, each leg or arm one of its own; the
/// body itself is within reach of all of them. A spare loop may join anything.
///
/// @return LB_OK; LB_E_CAPACITY, and nothing changes: a body out of reach, or more terms than it has
///         room for; LB_E_ARGUMENT as lb_make_loop
LB_API lb_status lb_alter_loop(const lb_model *model, lb_work *work, int loop,
                               const lb_loop_ends *ends);

/// What a slot joins at present. `terms` point into the workspace, and hold until it is altered.
LB_API void lb_get_loop_ends(const lb_model *model, const lb_work *work, int loop,
                             lb_loop_ends *ends);

/// Closes a loop where it is: its offset becomes the present pose of b in a, a rod's length the
/// present distance, a coupler's offset the present value of its relation, each less the motion
/// that it follows. Needs positions.
///
/// @param q  the configuration of the workspace (couplers read it)
/// @return LB_OK, LB_E_STAGE, LB_E_ARGUMENT: no such loop, or a rod whose ends coincide (or would
///         without its motion)
LB_API lb_status lb_take_loop_offset(const lb_model *model, lb_work *work, int loop,
                                     const double *q);

/// Does that for the loops that are `as_assembled`, at the initial configuration q, any motion on top
/// of it. Once for each workspace; until then such a loop closes as any other, and a rod has no length. Leaves positions.
///
/// @param loop  out: after LB_E_ARGUMENT, the rod whose ends coincide; may be NULL
LB_API lb_status lb_take_initial_offsets(const lb_model *model, lb_work *work, const double *q,
                                         int *loop);

/// Whether a loop of the model is `as_assembled`.
LB_API int lb_is_loop_as_assembled(const lb_model *model, int loop);

/// Whether a loop follows a prescribed motion: the motion that its type leaves free (of point types
/// the sliding only) is then constrained as well.
LB_API int lb_is_loop_driven(const lb_model *model, int loop);

/// Motion of b against a that a driven loop follows, on top of its offset. In the axes of node a:
/// rotation vector and shift; their rates (angular velocity of b against a, linear velocity seen from
/// a); their rates in turn. A rod's change of length and a coupler's change of offset are
/// the first entry. Only directions that the loop constrains matter.
typedef struct lb_loop_motion {
    double position[6], velocity[6], acceleration[6];
} lb_loop_motion;

/// Sets that motion for the evaluations that follow. Zero in a new workspace. Works on every loop.
///
/// @param motion  NULL for none
LB_API lb_status lb_set_loop_motion(const lb_model *model, lb_work *work, int loop,
                                    const lb_loop_motion *motion);

/// Locks a hinge where it is, or lets it go. Speeds do not change: see lb_compute_impulse. Functions of
/// this header obey locks, those of dynamics.h do not.
LB_API lb_status lb_set_hinge_locked(const lb_model *model, lb_work *work, int body, int locked);
LB_API int lb_is_hinge_locked(const lb_model *model, const lb_work *work, int body);

// ---- dynamics ----------------------------------------------------------------------------------

/// Forward dynamics with loops: the tree's own, the admittance of all closures, multipliers,
/// correction. Hinges may be driven by motion; locked ones do not accelerate. Leaves positions,
/// velocities and the accelerations of the constrained motion. Theory: (CLO-1)..(CLO-8).
///
/// @param driven  one flag per body (listed order), non-zero if its hinge is driven; NULL for none
/// @param tau     generalized forces; NULL for zero; not read at driven and locked hinges
/// @param a       in: accelerations of driven hinges; out: all the others
/// @param drive   out: generalized forces that driven and locked hinges need, zero elsewhere; in
///                the order of v; may be NULL
/// @param forces  out: 6 per slot: (moment, force) exerted on b at b's node, in the axes of node a;
///                a gets the opposite at the same point; may be NULL
/// @return as lb_compute_forward_dynamics, or LB_NEWS_REDUNDANT
LB_API lb_status lb_compute_constrained_dynamics(const lb_model *model, lb_work *work,
                                                 const double *q, const double *v,
                                                 const unsigned char *driven, const double *tau,
                                                 double *a, double *drive, double *forces);

/// Force of one loop in those dynamics: 6, as `forces` has them; zero in a slot that does not hold.
///
/// @return LB_OK, or LB_E_STAGE unless lb_compute_constrained_dynamics came last
LB_API lb_status lb_get_loop_force(const lb_model *model, const lb_work *work, int loop,
                                   double force[6]);

// ---- read-outs ---------------------------------------------------------------------------------

/// How far a state is from satisfying the loops, prescribed motion included. Needs positions, and
/// velocities for the second.
///
/// @param q         the configuration of the workspace (couplers read it)
/// @param position  out: 6 per slot; may be NULL. Angular: log(R_a'R_b) where no turn is free,
///                  axis x (R_a'R_b axis) where one is.
/// @param velocity  out: 6 per slot; may be NULL
LB_API lb_status lb_compute_loop_errors(const lb_model *model, lb_work *work, const double *q,
                                        double *position, double *velocity);

/// How far loops are from being closed: as the position errors, but a loop with one free turn whose axes
/// point opposite ways (more than a right angle apart) is off by that angle. The position error
/// of one that is turned over is zero, and it is not closed. Needs positions. Theory: (CLO-13).
///
/// @param q         the configuration of the workspace
/// @param position  out: 6 per slot
LB_API lb_status lb_compute_loop_gaps(const lb_model *model, lb_work *work, const double *q,
                                      double *position);

/// Whether the axes of a loop that holds point opposite ways: revolute, cylindrical and planar ones
/// only. Needs positions.
LB_API int lb_is_loop_flipped(const lb_model *model, lb_work *work, int loop);

/// Rate of the velocity error at zero generalized acceleration, g less what the prescribed motion
/// accelerates: accelerations obey the loops where J a + bias = 0. Needs velocities.
///
/// @param bias  out: 6 per slot
LB_API lb_status lb_compute_loop_bias(const lb_model *model, lb_work *work, double *bias);

/// J x, the relative motion of the closed nodes for any speeds x. Needs positions.
///
/// @param y  out: 6 per slot
LB_API lb_status lb_apply_loop_jacobian(const lb_model *model, lb_work *work, const double *x,
                                        double *y);

/// tau += J' f, the generalized forces of forces at the loops. Needs positions.
///
/// @param forces  6 per slot
LB_API lb_status lb_apply_loop_forces(const lb_model *model, lb_work *work, const double *forces,
                                      double *tau);

/// Rows of the loops that hold, together, and J itself: rows x v_count, slot by slot, along
/// orthonormal directions of what each loop forbids. Needs positions.
LB_API int lb_get_active_row_count(const lb_model *model, const lb_work *work);
LB_API lb_status lb_form_loop_jacobian(const lb_model *model, lb_work *work, double *J);

// ---- projections and impulses ------------------------------------------------------------------

/// Positions, articulated inertias with the hinges that are locked or `held` standing still, and the
/// factors of the admittance J M^-1 J' of the loops that hold.
///
/// @param held  one flag per body: its hinge takes no part; NULL for none
/// @return as lb_compute_articulated_inertia, or LB_NEWS_REDUNDANT
LB_API lb_status lb_factor_loops(const lb_model *model, lb_work *work, const double *q,
                                 const unsigned char *held);

/// The smallest change of speeds, by kinetic energy, that changes J v by r:
/// dv = M^-1 J' (J M^-1 J')^+ r. Zero at hinges that stand still. As often as wanted after
/// lb_factor_loops or lb_compute_constrained_dynamics. Velocities are projected with r minus the
/// velocity error, positions by q (+) dv with r minus the position error, again and again until it
/// is small.
///
/// @param r        6 per slot
/// @param dv       out: in the order of v
/// @param impulse  out: 6 per slot, the multipliers; may be NULL
LB_API lb_status lb_solve_loops(const lb_model *model, lb_work *work, const double *r, double *dv,
                                double *impulse);

/// The smallest pivot of those factors, over what counts as one (1e-11 and below as none): how near a
/// singular position is. 1 without loops.
///
/// @param loop  out: the loop that has it; -1 for none
LB_API double lb_get_loop_pivot(const lb_model *model, const lb_work *work, int *loop);

/// Whether so many loops of the model meet at a body that it is a hub: time and memory are then linear in
/// their number. Chosen when the model is built. Theory: (HUB-1).
LB_API int lb_is_hub(const lb_model *model, int body);

/// What the factors say: rows of the loops that hold, how many of them are independent, and, if
/// `redundant` is not NULL, by slot how many of its rows follow from its others and those of loops
/// before it.
LB_API lb_status lb_get_loop_rank(const lb_model *model, const lb_work *work, int *rows, int *rank,
                                  int *redundant);

/// How far the last right side was beyond what any motion can meet: where constraints are redundant
/// they may also contradict each other, for instance a hinge and a loop driven by motions that do not
/// go together. What can be met was met. Of lb_compute_constrained_dynamics accelerations, of
/// lb_solve_loops and lb_compute_impulse what `r` was.
///
/// @param loop  out: a loop that has part in it, or -1
/// @return rad/s^2 or m/s^2, or as `r`; zero up to round-off where all is well
LB_API double lb_get_loop_conflict(const lb_model *model, const lb_work *work, int *loop);

/// What of a loop is redundant, in words for people: see lb_get_loop_rank.
///
/// @param projector  out: 6 x 6, onto the forces that its redundant rows would exert, in the axes of a
/// @param repeats    out: by slot, non-zero for other loops that have to do with it
LB_API lb_status lb_get_redundant_rows(const lb_model *model, const lb_work *work, int loop,
                                       double projector[36], unsigned char *repeats);

/// The jump that makes speeds agree with the loops that hold and the hinges that are locked: an
/// impulse at each of them, momentum conserved. Positions stay. Leaves positions and factors as
/// lb_factor_loops does.
///
/// @param v         in and out
/// @param impulses  out: 6 per slot, N m s and N s; may be NULL
/// @param hinges    out: generalized impulses at locked hinges, zero elsewhere; may be NULL
/// @param loss      out: kinetic energy that is lost, less what loops that follow a motion have done;
///                  may be NULL
LB_API lb_status lb_compute_impulse(const lb_model *model, lb_work *work, const double *q,
                                    double *v, double *impulses, double *hinges, double *loss);

/// Where energy goes in such a jump: kinetic energy changes by drives + loops - loss.
typedef struct lb_impulse_work {
    double loss;   ///< lost in the impact: kinetic energy of the jump itself, never negative
    double drives; ///< work of driven hinges
    double loops;  ///< work of loops that follow a motion
} lb_impulse_work;

/// The same with hinges that are driven: they keep their speeds, or get those given, whatever impulse
/// that takes. Theory: (CLO-11), (CLO-12).
///
/// @param v         in and out
/// @param driven    one flag per body (listed order), non-zero if its hinge is driven; NULL for none.
///                  A hinge that is locked as well is locked
/// @param speeds    in the order of v, read at driven hinges: their speeds from now on; NULL to keep them
/// @param impulses  out: 6 per slot, N m s and N s; may be NULL
/// @param hinges    out: generalized impulses at driven and locked hinges, zero elsewhere; may be NULL
/// @param energy    out: each to the last digits of its own; may be NULL
LB_API lb_status lb_compute_driven_impulse(const lb_model *model, lb_work *work, const double *q,
                                           double *v, const unsigned char *driven,
                                           const double *speeds, double *impulses, double *hinges,
                                           lb_impulse_work *energy);

#endif // LB_LOOPS_H
