// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A mass that falls: built in C++, against the installed core.
#include <cmath>
#include <limber/limber.h>
#include <memory>
#include <vector>

int main()
{
    std::unique_ptr<lb_builder, void (*)(lb_builder *)> builder(
        lb_create_builder(nullptr, nullptr), lb_destroy_builder);
    auto stone = lb_default_body_options();
    stone.name = "stone";
    stone.mass = 2.0;
    stone.hinge.type = LB_HINGE_PRISMATIC;
    stone.hinge.axis[2] = 1.0;
    lb_add_body(builder.get(), &stone, nullptr);
    const double gravity[3] = {0.0, 0.0, -9.81};
    lb_set_gravity(builder.get(), gravity);
    lb_model *model = nullptr;
    lb_build_model(builder.get(), &model);
    std::unique_ptr<lb_model, void (*)(lb_model *)> owner(model, lb_destroy_model);
    std::vector<char> memory(lb_get_work_size(model));
    lb_work *work = nullptr;
    lb_init_work(model, memory.data(), memory.size(), &work);
    const double q = 0.0, v = 0.0;
    double a = 0.0;
    const lb_status status = lb_compute_forward_dynamics(model, work, &q, &v, nullptr, &a);
    return status == LB_OK && std::fabs(a + 9.81) < 1e-14 ? 0 : 1;
}
