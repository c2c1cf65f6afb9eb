// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A boom with two modes: C, against the installed limber-flex.
#include <limber/beams.h>

int main(void)
{
    lb_beam_options boom = lb_default_beam_options();
    boom.length = 2.0;
    boom.section = (lb_section){.type = LB_SECTION_TUBE, .diameter = 0.05, .wall = 0.002};
    boom.modes.count = 2;
    lb_flex_body *body = NULL;
    if (lb_find_material("aluminium", &boom.material) != LB_OK ||
        lb_create_beam_body(&boom, NULL, NULL, &body) != LB_OK) {
        return 2;
    }
    const int count = lb_get_flex_options(body)->mode_count;
    lb_destroy_flex_body(body);
    return count == 2 ? 0 : 1;
}
