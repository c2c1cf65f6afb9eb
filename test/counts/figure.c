// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Figure 2 of Jain and Rodriguez 1992 again, with our counts: operations against modes, ten bodies.
#include <math.h>
#include <stdio.h>

#include "report.h"

enum { WIDTH = 760, HEIGHT = 480, LEFT = 70, RIGHT = 250, TOP = 20, BOTTOM = 50, MODES = 30 };
static const double low = 3.0, high = 7.5; // decimal logarithms of the operations

static double x_of(int modes)
{
    return LEFT + (double)modes / MODES * (WIDTH - LEFT - RIGHT);
}

static double y_of(double operations)
{
    return HEIGHT - BOTTOM - (log10(operations) - low) / (high - low) * (HEIGHT - TOP - BOTTOM);
}

static void print_axes(void)
{
    for (int power = (int)low; power <= high; ++power) {
        const double y = y_of(pow(10, power));
        printf("<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", LEFT, y,
               WIDTH - RIGHT, y);
        printf("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">10<tspan dy=\"-5\" "
               "font-size=\"9\">%d</tspan></text>\n",
               LEFT - 8, y + 4, power);
    }
    for (int n = 0; n <= MODES; n += 5) {
        const double x = x_of(n);
        printf("<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", x, TOP, x,
               HEIGHT - BOTTOM);
        printf("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", x,
               HEIGHT - BOTTOM + 18, n);
    }
    printf("<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">modes of each body</text>\n",
           (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10);
    printf("<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">"
           "multiplications and additions</text>\n",
           (TOP + HEIGHT - BOTTOM) / 2);
}

// A curve over 1 .. MODES, named at its right end, `shift` lower than the end.
static void print_curve(const char *style, const char *name, const double *operations, double shift)
{
    printf("<polyline class=\"%s\" points=\"", style);
    for (int n = 1; n <= MODES; ++n) {
        printf("%.1f,%.1f ", x_of(n), y_of(operations[n]));
    }
    printf("\"/>\n<text x=\"%d\" y=\"%.1f\">%s</text>\n", WIDTH - RIGHT + 8,
           y_of(operations[MODES]) + 4 + shift, name);
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
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
           "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n",
           WIDTH, HEIGHT, WIDTH, HEIGHT);
    printf(
        "<title>Operations of forward dynamics against modes, ten bodies</title>\n"
        "<style>polyline{fill:none;stroke-width:2} .grid{stroke:#ddd} .paper{stroke:#999} "
        ".composite{stroke:#c44} .articulated{stroke:#26a} .all{stroke:#26a;stroke-dasharray:6 3} "
        ".consistent{stroke:#283;stroke-dasharray:6 3}</style>\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
    print_axes();
    print_curve("paper", "section 8, composite", paper_composite, -8);
    print_curve("paper", "section 8, articulated", paper_articulated, 0);
    print_curve("composite", "composite, ruthless, all", composite, 8);
    print_curve("articulated", "(63) and (64), ruthless", articulated, 0);
    print_curve("all", "articulated, ruthless, all", articulated_all, 0);
    print_curve("consistent", "articulated, consistent, all", consistent_all, 0);
    printf("</svg>\n");
}
