// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the sweeps write for several states at a time. Names are those of lb_work. Its size depends on
// how many go side by side: see lanes.h.
#ifndef LB_BATCH_WORK_H
#define LB_BATCH_WORK_H

#include "base/hot.h"
#include "lane_moments.h"
#include "limber/batch.h"
#include "model/layout.h"

/// Of a body.
typedef struct lb_lane_body {
    lb_lane_pose X;     ///< of a simple hinge only the first two columns of R; the rest is constant
    lb_lane_vec3 w;     ///< angular velocity of the frame, in its axes
    lb_lane_vec6 a;     ///< acceleration at zero hinge acceleration, less what the parent's carries
    lb_lane_vec6 alpha; ///< acceleration, gravity in it
    lb_lane_vec6 z;     ///< force: f of the inverse, z of the articulated sweeps
    union {
        lb_lane_sym6 P;    ///< articulated inertia
        lb_lane_moments S; ///< moments of the composite body
    };
} lb_lane_body;

/// What one thread of a batch needs.
typedef struct lb_batch_work lb_batch_work;

struct lb_batch_work {
    lb_work *single;            ///< for what does not go in lanes
    int serial;                 ///< one chain: M has no zeros of its structure
    int bad_inertia_state;      ///< -1 for none
    int bad_state;              ///< with a number that is not finite; -1 for none
    lb_lane_body *bodies;       ///< sweep order; bodies[-1] is the ground
    lb_lane_link *links;        ///< by body
    lb_lane_vec6 *H;            ///< columns of H*
    lb_lane_vec6 *G;            ///< columns of the gains
    lb_states *D;               ///< factors of H P H*, nv x nv each
    lb_states *nu;              ///< D^-1 eps, by hinge column
    lb_states *sines, *cosines; ///< by lb_body.angle
    lb_states *M;               ///< mass matrices, or NULL
    struct lb_batch_work
        *narrow;           ///< a workspace with fewer lanes for what is faster with them, or NULL
    int *last_children;    ///< by body: the first that hands over on the way inwards, or -1
    unsigned char *memory; ///< of `single`
};

/// Whether a model goes in lanes. Modes do not: their number differs from body to body, and the
/// single evaluation has lanes of its own for them.
static inline int lb_has_lanes(const lb_model *model)
{
    return model->flex_count == 0;
}

/// Bytes of a workspace but for what aligns it, and a workspace in memory that is aligned.
LB_HOT size_t lb_run_batch_work_size(const lb_model *model);
LB_HOT lb_status lb_run_init_batch_work(const lb_model *model, void *memory, lb_batch_work **out);

/// What the public functions of the same names call.
LB_HOT lb_status lb_run_forward_dynamics_batch(const lb_model *model, lb_batch_work *work,
                                               int count, const double *q, const double *v,
                                               const double *tau, double *a);
LB_HOT lb_status lb_run_inverse_dynamics_batch(const lb_model *model, lb_batch_work *work,
                                               int count, const double *q, const double *v,
                                               const double *a, double *tau);
LB_HOT lb_status lb_run_mass_matrix_batch(const lb_model *model, lb_batch_work *work, int count,
                                          const double *q, double *M);

/// Frames and poses of (CRB-4), once for a workspace.
LB_HOT void lb_make_links(const lb_model *model, lb_lane_link *links);

#endif // LB_BATCH_WORK_H
