// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The rotation between two frames that are nearly the same, without branches, in place of functions of
// limber/spatial.h that choose one of several formulas.
#ifndef LB_TURN_ERROR_HH
#define LB_TURN_ERROR_HH

// Of four formulas the one for turns below half a turn. Anything near that is a failure, as it should be.
static inline lb_quat lb_quat_of_small_turn(const lb_mat3 *R)
{
    const double trace = 1.0 + R->m[0][0] + R->m[1][1] + R->m[2][2];
    (void)(trace > 1e-6);
    const double root = sqrt(trace), s = 0.5 / root;
    const lb_quat q = {0.5 * root, s * (R->m[2][1] - R->m[1][2]), s * (R->m[0][2] - R->m[2][0]),
                       s * (R->m[1][0] - R->m[0][1])};
    return q;
}

// 2 sin(t/2) in the place of t: it vanishes where t does, and Newton's method converges as fast.
static inline lb_vec3 lb_quat_small_log(lb_quat q)
{
    return lb_vec3_make(2.0 * q.x, 2.0 * q.y, 2.0 * q.z);
}

#endif // LB_TURN_ERROR_HH
