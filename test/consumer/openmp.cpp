// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Two masses that fall, by divide and conquer on two threads: C++, against the installed
// limber-openmp.
#include <cmath>
#include <limber/limber.h>
#include <limber/openmp.h>
#include <memory>
#include <vector>

int main()
{
    std::unique_ptr<lb_builder, void (*)(lb_builder *)> builder(
        lb_create_builder(nullptr, nullptr), lb_destroy_builder);
    for (const char *name : {"stone", "pebble"}) {
        auto body = lb_default_body_options();
        body.name = name;
        body.mass = 2.0;
        body.hinge.type = LB_HINGE_PRISMATIC;
        body.hinge.axis[2] = 1.0;
        lb_add_body(builder.get(), &body, nullptr);
    }
    const double gravity[3] = {0.0, 0.0, -9.81};
    lb_set_gravity(builder.get(), gravity);
    lb_model *built = nullptr;
    lb_build_model(builder.get(), &built);
    std::unique_ptr<lb_model, void (*)(lb_model *)> model(built, lb_destroy_model);
    std::vector<char> memory(lb_get_work_size(built));
    lb_work *work = nullptr;
    lb_init_work(built, memory.data(), memory.size(), &work);
    auto options = lb_default_division_options();
    options.thread_count = 2;
    lb_division *division = nullptr;
    lb_create_division(model.get(), &options, &division);
    const double q[2] = {0.0, 0.0}, v[2] = {0.0, 0.0};
    double a[2] = {0.0, 0.0};
    const lb_status status = lb_compute_forward_dynamics_divided_openmp(
        model.get(), work, division, 2, q, v, nullptr, nullptr, nullptr, a);
    lb_destroy_division(division);
    return status == LB_OK && std::fabs(a[0] + 9.81) < 1e-14 && std::fabs(a[1] + 9.81) < 1e-14 ? 0
                                                                                             : 1;
}
