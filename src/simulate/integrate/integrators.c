// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The integrators by name.
#include <string.h>

#include "flow.h"

const char *const lb_integrator_names[] = {"erk", "adams", "bdf", "rk4", "euler", "alpha", NULL};

const char *lb_get_integrator_name(lb_integrator integrator)
{
    return (int)integrator >= 0 && integrator < LB_INTEGRATOR_COUNT
               ? lb_integrator_names[integrator]
               : "?";
}

int lb_find_integrator(const char *name)
{
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        if (strcmp(lb_integrator_names[i], name) == 0) {
            return i;
        }
    }
    return LB_NOT_FOUND;
}

bool lb_is_fixed_step(lb_integrator integrator)
{
    return integrator >= LB_INTEGRATOR_RK4;
}
