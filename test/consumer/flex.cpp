// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A boom with two modes: C++, against the installed limber-flex.
#include <limber/beams.h>
#include <memory>

int main()
{
    auto rod = lb_default_section();
    rod.type = LB_SECTION_TUBE;
    rod.diameter = 0.05;
    auto modes = lb_default_modes_options();
    modes.count = 2;
    auto boom = lb_default_beam_options();
    boom.length = 2.0;
    boom.section = &rod;
    boom.modes = &modes;
    lb_flex_body *body = nullptr;
    if (lb_get_material(lb_find_material("steel"), &boom.material) != LB_OK ||
        lb_create_beam_body(&boom, nullptr, nullptr, &body) != LB_OK) {
        return 2;
    }
    const std::unique_ptr<lb_flex_body, void (*)(lb_flex_body *)> owner(body, lb_destroy_flex_body);
    return lb_get_flex_options(body)->mode_count == 2 ? 0 : 1;
}
