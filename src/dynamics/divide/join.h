// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Two neighbouring assemblies made one.
#ifndef LB_JOIN_H
#define LB_JOIN_H

#include "base/hot.h"
#include "segment.h"

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

#endif // LB_JOIN_H
