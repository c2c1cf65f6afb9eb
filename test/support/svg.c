// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "svg.h"

double lb_get_svg_x(const lb_svg *svg, double x)
{
    return svg->left +
           (x - svg->x_low) / (svg->x_high - svg->x_low) * (svg->width - svg->left - svg->right);
}

double lb_get_svg_y(const lb_svg *svg, double y)
{
    return svg->height - svg->bottom -
           (y - svg->y_low) / (svg->y_high - svg->y_low) * (svg->height - svg->top - svg->bottom);
}

void lb_begin_svg(const lb_svg *svg, const char *title, const char *style)
{
    fprintf(svg->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n",
            svg->width, svg->height, svg->width, svg->height);
    fprintf(svg->file,
            "<title>%s</title>\n"
            "<style>polyline{fill:none;stroke-width:2} .grid{stroke:#ddd} %s</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            title, style);
}

void lb_end_svg(const lb_svg *svg)
{
    fprintf(svg->file, "</svg>\n");
}

void lb_print_svg_x_line(const lb_svg *svg, double x, const char *label)
{
    const double place = lb_get_svg_x(svg, x);
    fprintf(svg->file, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n",
            place, svg->top, place, svg->height - svg->bottom);
    fprintf(svg->file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", place,
            svg->height - svg->bottom + 18, label);
}

void lb_print_svg_y_line(const lb_svg *svg, double y, const char *label)
{
    const double place = lb_get_svg_y(svg, y);
    fprintf(svg->file, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
            svg->left, place, svg->width - svg->right, place);
    fprintf(svg->file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", svg->left - 8,
            place + 4, label);
}

void lb_print_svg_names(const lb_svg *svg, const char *x_name, const char *y_name)
{
    fprintf(svg->file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            (svg->left + svg->width - svg->right) / 2, svg->height - 10, x_name);
    fprintf(svg->file,
            "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            (svg->top + svg->height - svg->bottom) / 2, y_name);
}

void lb_print_svg_curve(const lb_svg *svg, const char *class, const double *x, const double *y,
                        int count)
{
    fprintf(svg->file, "<polyline class=\"%s\" points=\"", class);
    for (int i = 0; i < count; ++i) {
        fprintf(svg->file, "%.1f,%.1f ", lb_get_svg_x(svg, x[i]), lb_get_svg_y(svg, y[i]));
    }
    fprintf(svg->file, "\"/>\n");
}
