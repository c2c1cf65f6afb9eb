// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Figure 2 of Jain and Rodriguez 1992 again, with our counts: operations against modes, ten bodies.
#include <math.h>
#include <stdio.h>

#include "report.h"
#include "svg.h"

enum { MODES = 30 };

static void print_axes(const lb_svg *svg)
{
    char label[64];
    for (int power = (int)svg->y_low; power <= svg->y_high; ++power) {
        snprintf(label, sizeof label, "10<tspan dy=\"-5\" font-size=\"9\">%d</tspan>", power);
        lb_print_svg_y_line(svg, power, label);
    }
    for (int n = 0; n <= MODES; n += 5) {
        snprintf(label, sizeof label, "%d", n);
        lb_print_svg_x_line(svg, n, label);
    }
    lb_print_svg_names(svg, "modes of each body", "multiplications and additions");
}

// A curve over 1 .. MODES, named at its right end, `shift` lower than the end.
static void print_curve(const lb_svg *svg, const char *style, const char *name,
                        const double *operations, double shift)
{
    double modes[MODES], logarithms[MODES];
    for (int n = 1; n <= MODES; ++n) {
        modes[n - 1] = n;
        logarithms[n - 1] = log10(operations[n]);
    }
    lb_print_svg_curve(svg, style, modes, logarithms, MODES);
    fprintf(svg->file, "<text x=\"%d\" y=\"%.1f\">%s</text>\n", svg->width - svg->right + 8,
            lb_get_svg_y(svg, logarithms[MODES - 1]) + 4 + shift, name);
}

void lb_print_figure(void)
{
    double paper_composite[MODES + 1], paper_articulated[MODES + 1], composite[MODES + 1];
    double articulated[MODES + 1], articulated_all[MODES + 1], consistent_all[MODES + 1];
    for (int n = 1; n <= MODES; ++n) {
        const lb_ten_cost ten = lb_get_ten_cost(n, LB_FIDELITY_RUTHLESS);
        paper_composite[n] = lb_cost_sum(lb_section8_composite(n, LB_TEN));
        paper_articulated[n] = LB_TEN * lb_cost_sum(lb_section8_articulated(n));
        composite[n] = lb_cost_sum(ten.composite_all);
        articulated[n] = lb_cost_sum(ten.articulated);
        articulated_all[n] = lb_cost_sum(ten.articulated_all);
        consistent_all[n] = lb_cost_sum(lb_get_ten_cost(n, LB_FIDELITY_CONSISTENT).articulated_all);
    }
    // y: decimal logarithms of the operations
    const lb_svg svg = {.file = stdout,
                        .width = 760,
                        .height = 480,
                        .left = 70,
                        .right = 250,
                        .top = 20,
                        .bottom = 50,
                        .x_high = MODES,
                        .y_low = 3.0,
                        .y_high = 7.5};
    lb_begin_svg(
        &svg, "Operations of forward dynamics against modes, ten bodies",
        ".paper{stroke:#999} "
        ".composite{stroke:#c44} .articulated{stroke:#26a} .all{stroke:#26a;stroke-dasharray:6 3} "
        ".consistent{stroke:#283;stroke-dasharray:6 3}");
    print_axes(&svg);
    print_curve(&svg, "paper", "section 8, composite", paper_composite, -8);
    print_curve(&svg, "paper", "section 8, articulated", paper_articulated, 0);
    print_curve(&svg, "composite", "composite, ruthless, all", composite, 8);
    print_curve(&svg, "articulated", "(63) and (64), ruthless", articulated, 0);
    print_curve(&svg, "all", "articulated, ruthless, all", articulated_all, 0);
    print_curve(&svg, "consistent", "articulated, consistent, all", consistent_all, 0);
    lb_end_svg(&svg);
}
