// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A boom with two modes: C++, against the installed limber-flex.
#include <limber/beams.h>
#include <memory>

int main()
{
    auto boom = lb_default_beam_options();
    boom.length = 2.0;
    boom.section.type = LB_SECTION_TUBE;
    boom.section.diameter = 0.05;
    boom.modes.count = 2;
    lb_flex_body *body = nullptr;
    if (lb_find_material("steel", &boom.material) != LB_OK ||
        lb_create_beam_body(&boom, nullptr, nullptr, &body) != LB_OK) {
        return 2;
    }
    const std::unique_ptr<lb_flex_body, void (*)(lb_flex_body *)> owner(body, lb_destroy_flex_body);
    return lb_get_flex_options(body)->mode_count == 2 ? 0 : 1;
}
