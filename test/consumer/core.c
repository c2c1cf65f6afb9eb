// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A mass that falls: built in C, against the installed core.
#include <limber/limber.h>

int main(void)
{
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_body_options stone = lb_default_body_options();
    stone.name = "stone";
    stone.mass = 2.0;
    stone.hinge.type = LB_HINGE_PRISMATIC;
    stone.hinge.axis[2] = 1.0;
    lb_add_body(builder, &stone, NULL);
    lb_set_gravity(builder, (const double[3]){0.0, 0.0, -9.81});
    lb_model *model = NULL;
    lb_build_model(builder, &model);
    lb_work *work = lb_create_work(model);
    const double q = 0.0, v = 0.0;
    double a = 0.0;
    const lb_status status = lb_compute_forward_dynamics(model, work, &q, &v, NULL, &a);
    lb_destroy_work(work);
    lb_destroy_model(model);
    lb_destroy_builder(builder);
    return status == LB_OK && fabs(a + 9.81) < 1e-14 ? 0 : 1;
}
