// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Back to the state at which derivatives were computed.
#include "derivative_state.h"

#include "derivatives.h"

bool lb_are_derivatives_at_state(const lb_derivative_work *s, const lb_work *work)
{
    return lb_is_at_state(s, work);
}

lb_status lb_return_to_state(const lb_model *model, lb_work *work, lb_derivative_work *s)
{
    const lb_status status = lb_compute_kinematics(model, work, s->q, s->v, s->a);
    lb_mark_state(s, work);
    return status;
}
