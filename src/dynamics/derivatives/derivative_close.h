// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The last step of the derivatives with loops.
#ifndef LB_DERIVATIVE_CLOSE_H
#define LB_DERIVATIVE_CLOSE_H

#include "derivatives.h"
#include "dynamics/loops/loop_work.h"

/// Derivatives of forward dynamics with loops. Those of the forces, at their six components turning with
/// their loops, are added to what is there.                                      (DER-11), (DER-15)
///
/// given     factors of the loops and hinges that stand still in `work`; M in s->M; what is to be
///           balanced, minus the derivatives of forces, in s->dq and s->dv; J, derivatives of J a + g
///           and, with s->turns, of J y in s->loop_J, s->loop_dq, s->loop_dv and s->loop_turn
/// overwrites them but for s->dq, s->dv and s->loop_J
lb_status lb_close_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                               const lb_constrained_derivatives *out);

#endif // LB_DERIVATIVE_CLOSE_H
