// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A sample of a law of attitude.
#include <string.h>

#include "base/rotation.h"
#include "laws.h"

// What the desired motion takes                                                         (ATT-6)
//
//     J (E' alpha_d - w x E' omega_d) + w x J w,   w = omega + E' alpha_d h / 2
//
// given     E  turn of the body against the desired axes;  omega  of the body, in its axes
//           d  desired, in the middle of the period h in which the torque is held
static lb_vec3 find_feed(const lb_attitude *own, const lb_mat3 *E, const lb_aim *d, lb_vec3 omega,
                         double h)
{
    const lb_vec3 alpha = lb_mat3_tmul_vec(E, d->a), omega_d = lb_mat3_tmul_vec(E, d->w);
    const lb_vec3 w = lb_vec3_axpy(omega, 0.5 * h, alpha);
    const lb_vec3 rate = lb_vec3_sub(alpha, lb_vec3_cross(w, omega_d));
    return lb_vec3_add(lb_mat3_mul_vec(&own->inertia, rate),
                       lb_vec3_cross(w, lb_mat3_mul_vec(&own->inertia, w)));
}

// Torque by the error quaternion (e_w, e) = q_d* q, the shorter way                     (ATT-5)
//
//     tau = - Kp sign(e_w) e - Kd (omega - E' omega_d) + feed-forward
static lb_vec3 find_torque(const lb_attitude *own, lb_quat q, lb_vec3 omega, double t, double h)
{
    const lb_aim now = lb_find_aim(own, t), middle = lb_find_aim(own, t + 0.5 * h);
    const lb_quat e = lb_quat_mul(lb_quat_conjugate(now.q), q);
    const lb_mat3 E = lb_quat_to_mat3(e);
    const double sign = e.w < 0.0 ? -1.0 : 1.0;
    const lb_vec3 turn = lb_vec3_scale(sign, lb_vec3_make(e.x, e.y, e.z));
    const lb_vec3 rate = lb_vec3_sub(omega, lb_mat3_tmul_vec(&E, now.w));
    const lb_vec3 pull =
        lb_vec3_add(lb_mat3_mul_vec(&own->kp, turn), lb_mat3_mul_vec(&own->kd, rate));
    return own->feeds ? lb_vec3_sub(find_feed(own, &E, &middle, omega, h), pull)
                      : lb_vec3_neg(pull);
}

lb_status lb_update_attitude(lb_simulation *sim, lb_controller *c)
{
    lb_attitude *own = (lb_attitude *)c->own;
    (void)sim;
    double x[4], w[3];
    for (int i = 0; i < 4; ++i) {
        x[i] = c->readings[own->attitude[i]];
    }
    for (int i = 0; i < 3; ++i) {
        w[i] = c->readings[own->rate[i]];
    }
    const lb_aim now = lb_find_aim(own, c->sample.t);
    lb_quat_to(now.q, own->shown);
    lb_vec3_to(now.w, own->shown + 4);
    memset(c->commands, 0, (size_t)c->sample.channel_count * sizeof *c->commands);
    // before the first reading arrives all are zero: there is no attitude yet
    if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 && x[3] == 0.0) {
        return LB_OK;
    }
    const lb_quat q = lb_quat_normalize(lb_quat_from(x));
    const lb_mat3 R = lb_quat_to_mat3(q);
    const lb_vec3 given = lb_vec3_from(w);
    const lb_vec3 omega = own->world_rate ? lb_mat3_tmul_vec(&R, given) : given;
    const lb_vec3 torque = find_torque(own, q, omega, c->sample.t, c->sample.period);
    for (int i = 0; i < c->sample.channel_count; ++i) {
        c->commands[i] = lb_vec3_dot(lb_vec3_from(own->distribution + 3 * i), torque);
    }
    return LB_OK;
}
