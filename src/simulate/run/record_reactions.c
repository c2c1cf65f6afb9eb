// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reactions of a run. Those of the core balance the motion of everything outboard; what acts there on
// nodes and bodies from outside takes its share.
#include "record_tables.h"

lb_status lb_compute_all_reactions(lb_system *s, double *reactions)
{
    const lb_status status = lb_compute_reactions(s->model, s->work, reactions);
    return status < 0 ? status
                      : lb_subtract_applied_loads(s->model, s->work,
                                                  lb_get_applied_loads(s->forces), reactions);
}
