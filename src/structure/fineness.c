// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a mesh is so fine that rounding of its stiffness hides the modes: a coarse mesh shows it at once, before a
// search would fail.
#include <float.h>
#include <math.h>
#include <string.h>

#include "fe.h"

// Meshes of fewer elements are never too fine; a coarse one has so many at least.
enum { FINE = 12000, COARSE = 200 };

// Rounding relative to the highest squared frequency of the search: counts of modes of beams fail from 2e-4 to 5e-2
// on, and are good up to 3e-5.
static const double hidden = 5e-2, visible = 3e-5;

static int count_all(const lb_frame_options *frame, int *most)
{
    int all = 0;
    *most = 0;
    for (int i = 0; i < frame->member_count; ++i) {
        const int own = frame->members[i].element_count;
        all += own;
        *most = own > *most ? own : *most;
    }
    return all;
}

// Rounding error of a squared frequency where elements are r times as short                (BM-23)
//
//     epsilon r^4 sum |x_i| |K_ij| |x_j|,   x' M x = 1
//
// over translations: their stiffness is the cube of r as large, and there are r times as many elements
static double find_rounding(const lb_fe *fe, const double *x, double r)
{
    double sum = 0.0;
    for (int e = 0; e < fe->element_count; ++e) {
        const lb_fe_element *element = &fe->elements[e];
        double K[144];
        lb_fe_form_stiffness(element, K);
        for (int i = 0; i < 12; ++i) {
            for (int j = 0; j < 12 && i % 6 < 3; ++j) {
                const int a = LB_FE_DOFS * (i < 6 ? element->a : element->b) + i % 6,
                          b = LB_FE_DOFS * (j < 6 ? element->a : element->b) + j % 6;
                sum += j % 6 < 3 ? fabs(x[a] * K[12 * i + j] * x[b]) : 0.0;
            }
        }
    }
    return DBL_EPSILON * r * r * r * r * sum;
}

// The same frame with fewer elements, and modes as far as the search for its own looks.
static lb_status coarsen(lb_fe_context *own, const lb_fe_plan *plan, int most, double *part)
{
    lb_frame_options frame = *plan->frame;
    lb_modes_options modes = *frame.modes;
    lb_member *members;
    lb_fe fe = {.node_count = 0};
    lb_fe_modes found = {.count = 0};
    const int wanted = (modes.count > 0 ? modes.count : 16) + 8;
    modes.count = 2 * wanted < LB_FE_MODES_MOST ? 2 * wanted : LB_FE_MODES_MOST;
    modes.frequency = modes.effective_mass = 0.0;
    if (!LB_FE_TAKE(own, members, frame.member_count)) {
        return LB_E_MEMORY;
    }
    double least = INFINITY;
    for (int i = 0; i < frame.member_count; ++i) {
        const int given = frame.members[i].element_count;
        const double few = fmax(COARSE, 4.0 * modes.count) * given / most;
        members[i] = frame.members[i];
        members[i].element_count = given > 0 ? (int)fmin(given, fmax(4.0, ceil(few))) : 0;
        // of members that stay as they are nothing is hidden
        least = given > FINE / 4 ? fmin(least, given / (double)members[i].element_count) : least;
    }
    frame.members = members;
    frame.modes = &modes;
    lb_status status = lb_fe_mesh(own, &frame, plan->starts, &fe);
    if (status == LB_OK) {
        lb_fe_choose_motions(&fe, plan->motions);
        status = lb_fe_choose_modes(own, &fe, &modes, &found);
    }
    if (status == LB_OK && found.count > 0 && isfinite(least)) {
        *part = find_rounding(&fe, found.shapes, least) / found.squares[found.count - 1];
    }
    return status;
}

lb_status lb_fe_check_fineness(lb_fe_context *context, const lb_fe_plan *plan)
{
    int most;
    const int all = count_all(plan->frame, &most);
    const lb_modes_options *modes = plan->frame->modes;
    if (plan->shape_count > 0 || !modes || all < FINE ||
        (double)all * modes->count > LB_FE_SHAPES_MOST) {
        return LB_OK;
    }
    const lb_report nobody = {NULL, NULL};
    lb_fe_context own;
    double part = 0.0;
    lb_fe_init(&own, &context->arena.allocator, &nobody);
    const lb_status status = coarsen(&own, plan, most, &part);
    lb_arena_free(&own.arena);
    if (status == LB_E_MEMORY) {
        return status;
    }
    if (part > hidden) {
        return lb_fe_fail(context, "elements",
                          "%d elements found: rounding of the stiffness of such short ones hides "
                          "the requested modes, expected at most about %.0f",
                          all, floor(all * pow(visible / part, 0.25) / 100.0) * 100.0);
    }
    return LB_OK; // other mistakes are reported later
}
