// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Many masses that fall, on two threads: C, against the installed limber-openmp.
#include <limber/limber.h>
#include <limber/openmp.h>

int main(void)
{
    enum { COUNT = 100 };
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
    lb_batch_work *works[2] = {lb_create_batch_work(model), lb_create_batch_work(model)};
    const double q[COUNT] = {0.0}, v[COUNT] = {0.0};
    double a[COUNT] = {0.0};
    const lb_status status =
        lb_compute_forward_dynamics_batch_openmp(model, 2, works, COUNT, q, v, NULL, a);
    int good = status == LB_OK && lb_get_openmp_thread_count() >= 1;
    for (int i = 0; i < COUNT; ++i) {
        good = good && fabs(a[i] + 9.81) < 1e-14;
    }
    lb_destroy_batch_work(works[0]);
    lb_destroy_batch_work(works[1]);
    lb_destroy_model(model);
    lb_destroy_builder(builder);
    return good ? 0 : 1;
}
