// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A pendulum: a point mass on a massless rod of length l that turns about the y axis.
//
//     q_dd = -(g / l) sin q
//
// The model is put together in code, and the acceleration compared with the formula.
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    const double g = 9.81, length = 0.8;

    // [pendulum]
    // one body, hanging from the ground
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_body_options bob = lb_default_body_options();
    bob.name = "bob";
    bob.hinge.type = LB_HINGE_REVOLUTE;
    bob.hinge.axis[1] = 1.0;
    bob.mass = 0.5;
    bob.com[2] = -length;
    lb_add_body(builder, &bob, NULL);
    lb_set_gravity(builder, (const double[3]){0.0, 0.0, -g});

    lb_model *model;
    lb_status status = lb_build_model(builder, &model);
    lb_destroy_builder(builder);
    if (status != LB_OK) {
        fprintf(stderr, "pendulum: %s\n", lb_get_status_text(status));
        return 1;
    }

    // the state is plain arrays of ours; what is derived from it goes to a workspace
    lb_work *work = lb_create_work(model);
    const double q[1] = {0.4}, v[1] = {0.0};
    double a[1];
    status = lb_compute_forward_dynamics(model, work, q, v, NULL, a);
    // [pendulum]

    const double expected = -g / length * sin(q[0]);
    printf("acceleration %.15g rad/s^2, by the formula %.15g\n", a[0], expected);
    lb_destroy_work(work);
    lb_destroy_model(model);

    // 1e-14: a handful of roundings
    return status == LB_OK && fabs(a[0] - expected) <= 1e-14 * fabs(expected) ? 0 : 1;
}
