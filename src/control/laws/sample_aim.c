// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The attitude that is desired at an instant.
#include "base/rotation.h"
#include "laws.h"

// Slew from waypoint i to the next                                                      (ATT-4)
//
//     R(t) = R_i exp(s phi_i),   omega = s' phi_i,   alpha = s'' phi_i,   phi_i = log(R_i' R_i+1)
//
// given     s  from 0 to 1, at rest at both
lb_aim lb_find_aim(const lb_attitude *own, double t)
{
    double x[3] = {0};
    if (own->waypoint_count < 2) {
        return (lb_aim){own->waypoints[0], {0, 0, 0}, {0, 0, 0}};
    }
    lb_evaluate_desired(&own->place, t, x);
    const int last = own->waypoint_count - 2;
    int i = 0;
    while (i < last && x[0] >= i + 1) {
        ++i;
    }
    const lb_vec3 turn = own->turns[i];
    return (lb_aim){lb_quat_mul(own->waypoints[i], lb_quat_exp(lb_vec3_scale(x[0] - i, turn))),
                    lb_vec3_scale(x[1], turn), lb_vec3_scale(x[2], turn)};
}
