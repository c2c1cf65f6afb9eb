// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frames that do not turn with their bodies. If the children of a body turn about axes parallel to its own, as the links
// of many arms and legs do, its equations may be written in a frame that stays where the body is at angle zero: motions
// and forces then pass through it without being turned. The child turns by the sum of both angles, whose sine comes of those
// of the two: a sum of large angles would lose digits. What the body has in its own axes is turned instead:
//
//     h := Rz h,   J := Rz J Rz',   p := Rz p of each child,     Rz by the angle of the body in that frame
//
// The equations of motion are those of vectors, so they hold in any axes.
#ifndef LB_STEADY_H
#define LB_STEADY_H

#include "export/freeze/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lb_body;

/// Sine and cosine of an angle; of a sum of two angles, by those of both:
///
///     sin (a + b) = sin a cos b + cos a sin b,   cos (a + b) = cos a cos b - sin a sin b
void lb_put_turn(lb_graph *graph, lb_term angle, lb_term *sine, lb_term *cosine);

/// Whether there is such a body. Rigid bodies on simple hinges alone are looked at.
bool lb_has_steady_frames(const struct lb_body *bodies, int count);

/// Puts the terms of steady frames into bodies and angles.
///
/// @param bodies  of a plain model; the caller restores them
/// @param q       angles as terms; those of steady frames become zero
void lb_steady_frames(lb_graph *graph, struct lb_body *bodies, int count, lb_term *q);

#ifdef __cplusplus
}
#endif

#endif // LB_STEADY_H
