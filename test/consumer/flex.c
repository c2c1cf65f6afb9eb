// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A boom with two modes: C, against the installed limber-flex.
#include <limber/beams.h>

int main(void)
{
    lb_section tube = lb_default_section();
    tube.type = LB_SECTION_TUBE;
    tube.diameter = 0.05;
    tube.wall = 0.002;
    lb_modes_options modes = lb_default_modes_options();
    modes.count = 2;
    lb_beam_options boom = lb_default_beam_options();
    boom.length = 2.0;
    boom.section = &tube;
    boom.modes = &modes;
    lb_flex_body *body = NULL;
    if (lb_get_material(lb_find_material("aluminium"), &boom.material) != LB_OK ||
        lb_create_beam_body(&boom, NULL, NULL, &body) != LB_OK) {
        return 2;
    }
    const int count = lb_get_flex_options(body)->mode_count;
    lb_destroy_flex_body(body);
    return count == 2 ? 0 : 1;
}
