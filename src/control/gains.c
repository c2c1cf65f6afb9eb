// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "control.h"

void lb_copy_gains(lb_simulation *sim, const lb_controller *c, const char *key, bool infinite_too,
                   int count, const double *gains, double *numbers)
{
    for (int i = 0; gains && i < count; ++i) {
        if (infinite_too ? isnan(gains[i]) : !isfinite(gains[i])) {
            LB_COMPLAIN(sim, c->law_path, key, "entry %d is not a finite number", i);
            return;
        }
        numbers[i] = gains[i];
    }
}
