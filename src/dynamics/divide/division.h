// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer: the schedule of a model, memory for its assemblies, and the sweeps.
#ifndef LB_DIVISION_H
#define LB_DIVISION_H

#include <math.h>

#include "base/hot.h"
#include "base/internal.h"
#include "limber/divide_and_conquer.h"
#include "model/layout.h"

// ---- schedule ----------------------------------------------------------------------------------
//
// The tree of assemblies: which bodies are taken together, with whom, and when.
//
// The tree of bodies is cut into paths: each body goes on with the largest of its children, and
// every other child starts a path of its own. A path is cut into runs of a few bodies; neighbouring
// runs are joined two by two until the path is one assembly, which then hangs on a single body of
// another path (compress, then rake). All of it is plain arrays, computed once: whoever walks over
// them level by level, on one core, many, or a graphics card, does the same.

/// Nodes are assemblies: runs of bodies, and joins of two neighbours.
typedef struct lb_schedule {
    int node_count;
    const int *first, *end; ///< of a run: its bodies, into `bodies`, base to tip; of a join -1
    const int *inner;       ///< of a join: the node towards the base
    const int *outer;       ///< of a join: the node towards the tip
    const int *head;        ///< the body nearest to the base
    const int *open;        ///< the body behind the last one, on the same path; -1 at a tip
    /// Whether the hinge of `head` is taken out along with the node: everywhere but in the inner
    /// half of a join, whose own node sees to it.
    const unsigned char *hinged;
    const unsigned char *whole; ///< the node is a whole path
    const int *base;            ///< the run that starts with `head`
    const int *beyond;          ///< of a run: the one that starts with `open`, or -1

    const int *bodies; ///< sweep indices, run by run

    int level_count;
    const int *level; ///< nodes of level i: order[level[i]] .. order[level[i + 1] - 1]
    const int *order;

    const int *raked; ///< whole paths on body k: rakes[raked[k]] .. rakes[raked[k + 1] - 1], nodes
    const int *rakes;

    int depth; ///< eliminations and joins that must wait for each other, the longest row of them
} lb_schedule;

/// Computes the schedule of a model.
///
/// @param run_length  bodies of a run, more only where weak ones follow each other
/// @return LB_OK or LB_E_MEMORY
lb_status lb_build_schedule(const lb_model *model, int run_length, lb_arena *arena,
                            lb_arena *scratch, lb_schedule *schedule);

// ---- segments ----------------------------------------------------------------------------------

/// What an assembly does between its two handles: the one towards the base, at its first body, and
/// the open one, at the frame of the body behind its last.                                (DCA-1)
///
///     F = P A - E f + z            A  acceleration at the inner handle
///     A' = E* A + U f + u          f  force on the assembly at the open one
///
/// F is the force that the inner handle needs and A' the acceleration of the open one. P and U are
/// positive semidefinite. An assembly that ends in a tip has the first line only, without f.
typedef struct lb_segment {
    lb_sym6 P;
    lb_vec6 z;
    lb_vec6 E[6]; ///< columns: by component of f
    lb_sym6 U;
    lb_vec6 u;
    lb_sym6 S; ///< of a join: (DCA-6)

    lb_mat3 turn; ///< angular velocities: w of the last body = turn* w + spin            (DCA-2)
    lb_vec3 spin; ///<
    lb_vec3 w;    ///< that of the body inboard of the first, in its axes
    lb_vec6 A;    ///< what disassembly finds: A, or what the parent carries over if `hinged`
    lb_vec6 B;    ///< acceleration of the open handle, as the neighbour was told
    lb_vec6 f;    ///< at the open handle
    lb_vec6 F;    ///< across the hinge of the first body

    // the check, by runs
    lb_vec6 off;      ///< what F lacks of the forces of the bodies
    double shift;     ///< largest change of an acceleration that would put a residual right
    double largest;   ///< largest acceleration of a coordinate
    double gap[2];    ///< between the open handle and what the neighbour was told: angular, linear
    double motion[2]; ///< largest acceleration of a body
    double length;    ///< largest distance between the frames of a body and its parent
    int broken;       ///< a pivot was lost
} lb_segment;

/// A*x for a matrix of six columns.
static inline lb_vec6 lb_columns_tmul(const lb_vec6 A[6], lb_vec6 x)
{
    return lb_vec6_make(
        lb_vec3_make(lb_vec6_dot(A[0], x), lb_vec6_dot(A[1], x), lb_vec6_dot(A[2], x)),
        lb_vec3_make(lb_vec6_dot(A[3], x), lb_vec6_dot(A[4], x), lb_vec6_dot(A[5], x)));
}

/// A x
static inline lb_vec6 lb_columns_mul(const lb_vec6 A[6], lb_vec6 x)
{
    lb_vec6 sum = {lb_vec3_scale(x.w.x, A[0].w), lb_vec3_scale(x.w.x, A[0].v)};
    sum = lb_vec6_axpy(sum, x.w.y, A[1]);
    sum = lb_vec6_axpy(sum, x.w.z, A[2]);
    sum = lb_vec6_axpy(sum, x.v.x, A[3]);
    sum = lb_vec6_axpy(sum, x.v.y, A[4]);
    return lb_vec6_axpy(sum, x.v.z, A[5]);
}

static inline lb_vec6 lb_vec6_scale(double s, lb_vec6 a)
{
    return lb_vec6_make(lb_vec3_scale(s, a.w), lb_vec3_scale(s, a.v));
}

/// A -= x y*, column by column.
static inline void lb_columns_subtract(lb_vec6 A[6], lb_vec6 x, lb_vec6 y)
{
    A[0] = lb_vec6_axpy(A[0], -y.w.x, x);
    A[1] = lb_vec6_axpy(A[1], -y.w.y, x);
    A[2] = lb_vec6_axpy(A[2], -y.w.z, x);
    A[3] = lb_vec6_axpy(A[3], -y.v.x, x);
    A[4] = lb_vec6_axpy(A[4], -y.v.y, x);
    A[5] = lb_vec6_axpy(A[5], -y.v.z, x);
}

/// The two-handle equations of `inner` and `outer` together.                              (DCA-6)
///
/// @param outer  with its hinge taken out
/// @param open   whether outer has an open handle
/// @param s      out; S is kept for lb_split
LB_HOT void lb_join(const lb_segment *inner, const lb_segment *outer, int open, lb_segment *s);

/// What the handle between the two does, under A at the inner handle and f at the open one. (DCA-7)
///
/// @param s  the join, with A and f
/// @param F  out: force that `inner` exerts on `outer` there
/// @param A  out: acceleration of that handle, ahead of the hinge of `outer`
LB_HOT void lb_split(const lb_segment *inner, const lb_segment *outer, int open,
                     const lb_segment *s, lb_vec6 *F, lb_vec6 *A);

// ---- the division ------------------------------------------------------------------------------

/// The tree of assemblies of a model, and memory for them. Each workspace that is in use at the same time
/// needs its own.
typedef struct lb_division lb_division;

/// How to divide a model: see lb_work_options.
typedef struct lb_division_options {
    int run_length;
    int thread_count; ///< most pieces of a stage that run at the same time
    double tolerance;
} lb_division_options;

/// Run length by the size of the model, one thread, tolerance 1e-10.
static inline lb_division_options lb_default_division_options(void)
{
    return (lb_division_options){0, 1, 1e-10};
}

struct lb_division {
    lb_arena arena;
    lb_division_options options;
    lb_team team; ///< who runs the pieces; zero for the calling thread
    lb_schedule schedule;
    lb_segment *segments; ///< by node
    lb_vec6 *K;           ///< by entry of v: acceleration per unit of f at the open handle (DCA-4)
    double *scratch;      ///< of mass points, one piece a thread
    size_t scratch_size;  ///< doubles of a piece

    // the state at hand
    const double *q, *v, *tau;
    const unsigned char *driven; ///< by listed body, or NULL
    double *drive;               ///< out: forces of driven hinges
    double *a;
    lb_status refused; ///< LB_E_NUMBER if one of these numbers is not finite
    lb_division_report report;
};

/// Divides a model: computes the tree of assemblies and allocates, from the model's allocator, all that
/// evaluations need. The model must outlive the division. Time and memory grow linearly with the number
/// of bodies.
///
/// @param options   NULL for the defaults
/// @param division  out: to be freed by lb_destroy_division; NULL on failure
/// @return LB_OK, LB_E_MEMORY, or LB_E_NUMBER if the tolerance is NaN
LB_INTERNAL lb_status lb_create_division(const lb_model *model, const lb_division_options *options,
                                         lb_division **division);

/// Frees a division. NULL is fine.
LB_INTERNAL void lb_destroy_division(lb_division *division);

/// Forward dynamics of the tree: lb_tree_forward by another road. Leaves positions, velocities and accelerations
/// in `work`, but no articulated inertias.
///
/// @return as lb_tree_forward, or LB_NEWS_FALLBACK
LB_INTERNAL lb_status lb_divided_forward(const lb_model *model, lb_work *work,
                                         lb_division *division, const double *q, const double *v,
                                         const double *tau, double *a);

/// lb_tree_hybrid by another road.
LB_INTERNAL lb_status lb_divided_hybrid(const lb_model *model, lb_work *work, lb_division *division,
                                        const double *q, const double *v,
                                        const unsigned char *driven, double *tau, double *a);

/// Forward dynamics of a model with loops: the tree by divide and conquer, then the loops as lb_closed_forward closes
/// them. The admittance of the loops takes one more sweep of O(N).
LB_INTERNAL lb_status lb_divided_closed(const lb_model *model, lb_work *work, lb_division *division,
                                        const double *q, const double *v,
                                        const unsigned char *driven, const double *tau, double *a,
                                        double *drive, double *forces);

/// Some threads share the pieces of every stage.
///
/// @param team    at most the thread_count that the division was made for; NULL for the calling thread
/// @param driven  NULL for none
/// @param tau     NULL for zero
/// @param drive   out: forces of driven hinges; NULL if none is driven
/// @param a       in: accelerations of driven hinges; out: all others
LB_INTERNAL lb_status lb_divided_by_team(const lb_model *model, lb_work *work,
                                         lb_division *division, const lb_team *team,
                                         const double *q, const double *v,
                                         const unsigned char *driven, const double *tau,
                                         double *drive, double *a);

/// What the check found in the last evaluation.
LB_INTERNAL const lb_division_report *lb_see_division_report(const lb_division *division);

// Stage by stage:
//
//     lb_begin_division(model, work, division, q, v, NULL, tau, NULL, a);
//     for (int stage = 0; stage < lb_get_division_stage_count(division); ++stage) {
//         // on thread i of n, then wait for the others
//         lb_run_division_stage(model, work, division, stage, i, n);
//     }
//     lb_status status = lb_end_division(model, work, division);

/// Starts an evaluation. The arrays stay in use until lb_end_division, which returns LB_E_NUMBER if one of their
/// numbers is not finite; the stages then do nothing.
LB_INTERNAL void lb_begin_division(const lb_model *model, lb_work *work, lb_division *division,
                                   const double *q, const double *v, const unsigned char *driven,
                                   const double *tau, double *drive, double *a);

/// The number of stages of every evaluation. It grows with the logarithm of the number of bodies.
LB_INTERNAL int lb_get_division_stage_count(const lb_division *division);

/// Runs one piece of a stage. Pieces of a stage may run at the same time; a stage may start when all pieces
/// of the one before have ended.
LB_INTERNAL void lb_run_division_stage(const lb_model *model, lb_work *work, lb_division *division,
                                       int stage, int piece, int piece_count);

/// Ends an evaluation: checks the result, and replaces it by that of the articulated recursion if it is not
/// accurate enough.
LB_INTERNAL lb_status lb_end_division(const lb_model *model, lb_work *work, lb_division *division);

/// Levels of the tree of assemblies: one waits for the next, and everything on a level can be done at
/// the same time. For tests.
int lb_get_division_level_count(const lb_division *division);

/// The longest chain of eliminations and joins that wait for each other. With runs of one body, the
/// number of levels. For tests.
int lb_get_division_depth(const lb_division *division);

/// Second and third sweep of a node: assembly of its two-handle equations, and what they become
/// under the loads at its handles.
LB_HOT void lb_assemble(const lb_model *model, lb_work *work, lb_division *division, int n);
LB_HOT void lb_disassemble(const lb_model *model, lb_work *work, lb_division *division, int n);

/// Last sweep, of runs: see (DCA-8).
LB_HOT void lb_check_handles(const lb_model *model, lb_work *work, lb_division *division, int n);

/// One piece of one stage.
LB_HOT void lb_run_division_piece(const lb_model *model, lb_work *work, lb_division *division,
                                  int stage, int piece, int piece_count);

/// The larger of two; what is not a number is larger than any, so that the check never loses it.
static inline double lb_get_larger_or_nan(double a, double b)
{
    return b <= a || isnan(a) ? a : b;
}

static inline int lb_is_driven(const lb_division *division, const lb_body *b)
{
    return division->driven && division->driven[b->listed];
}

#endif // LB_DIVISION_H
