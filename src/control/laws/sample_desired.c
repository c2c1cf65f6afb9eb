// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The desired motion of a channel at an instant.
#include <string.h>

#include "control/control.h"

// Shaped motion                                                                         (CTL-3)
//
//     x(t) = sum_i A_i f(t - t_i),   sum_i A_i = 1
//
// given     f the motion asked for;  A_i, t_i  impulses: one of weight 1 if it is not shaped
void lb_evaluate_desired(const lb_desired *desired, double t, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < desired->impulse_count; ++i) {
        double x[3];
        lb_evaluate_motion(&desired->function, t - desired->delays[i], x);
        for (int j = 0; j < 3; ++j) {
            out[j] += desired->weights[i] * x[j];
        }
    }
}
