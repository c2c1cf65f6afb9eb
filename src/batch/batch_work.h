// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the sweeps write for four states at a time. Names are those of lb_work.
#ifndef LB_BATCH_WORK_H
#define LB_BATCH_WORK_H

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

struct lb_batch_work {
    lb_work *single;          ///< for what does not go in lanes
    int serial;               ///< one chain: M has no zeros of its structure
    int trouble_state;        ///< -1 for none
    lb_lane_body *bodies;     ///< sweep order; bodies[-1] is the ground
    lb_lane_link *links;      ///< by body
    lb_lane_vec6 *H;          ///< columns of H*
    lb_lane_vec6 *G;          ///< columns of the gains
    lb_lane *D;               ///< factors of H P H*, nv x nv each
    lb_lane *nu;              ///< D^-1 eps, by hinge column
    lb_lane *sines, *cosines; ///< by lb_body.angle
    int *last_children;       ///< by body: the first that hands over on the way inwards, or -1
    unsigned char *memory;    ///< what lb_create_batch_work allocated, or NULL
};

/// Whether a model goes in lanes. Modes do not: their number differs from body to body, and the
/// single evaluation has lanes of its own for them.
static inline int lb_has_lanes(const lb_model *model)
{
    return model->flex_count == 0;
}

/// Frames and poses of (CRB-4), once for a workspace.
void lb_make_links(const lb_model *model, lb_lane_link *links);

#endif // LB_BATCH_WORK_H
