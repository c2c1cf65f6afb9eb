// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reactions of a run.
#include "record_tables.h"

lb_status lb_compute_all_reactions(lb_system *s, double *reactions)
{
    return lb_compute_reactions(s->model, s->work, lb_get_applied_loads(s->forces), reactions);
}
