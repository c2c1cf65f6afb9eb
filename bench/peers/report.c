// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <math.h>
#include <string.h>

// Whether there is anything to say of a peer.
static int lb_has_numbers(const lb_row *row)
{
    int done = 0;
    for (int call = 0; call < LB_CALL_COUNT; ++call) {
        done |= row->calls[call].done;
    }
    return done;
}

void lb_print_gaps(const lb_result *result)
{
    printf("\n%s: %d bodies, %d dofs\n  largest difference to Limber's answer on the model as "
           "loaded, relative\n  %-22s",
           result->model, result->body_count, result->v_count, "");
    for (int call = 0; call < LB_CALL_COUNT; ++call) {
        printf("%12s", lb_call_names[call]);
    }
    printf("\n");
    for (int i = 0; i < result->row_count; ++i) {
        if (!lb_has_numbers(&result->rows[i])) {
            continue;
        }
        printf("  %-22s", result->rows[i].name);
        for (int call = 0; call < LB_CALL_COUNT; ++call) {
            const lb_measurement *m = &result->rows[i].calls[call];
            if (m->done) {
                printf("%12.1e", m->gap);
            } else {
                printf("%12s", "-");
            }
        }
        printf("\n");
    }
}

void lb_print_times(const lb_result *result)
{
    printf("  us a call: minimum (median) of %d rounds, times the minimum of %s\n  %-22s",
           result->round_count, result->rows[0].name, "");
    for (int call = 0; call < LB_CALL_COUNT; ++call) {
        printf("%31s", lb_call_names[call]);
    }
    printf("\n");
    for (int i = 0; i < result->row_count; ++i) {
        if (!lb_has_numbers(&result->rows[i])) {
            continue;
        }
        printf("  %-22s", result->rows[i].name);
        for (int call = 0; call < LB_CALL_COUNT; ++call) {
            const lb_measurement *m = &result->rows[i].calls[call];
            if (m->done) {
                printf("%11.4g (%9.4g) %7.2f", 1e-3 * m->minimum, 1e-3 * m->median,
                       m->minimum / result->rows[0].calls[call].minimum);
            } else {
                printf("%31s", "-");
            }
        }
        printf("\n");
    }
    fflush(stdout);
}

void lb_print_csv_heading(FILE *csv)
{
    fprintf(csv, "model,bodies,dofs,call,peer,min_us,median_us,spread,ratio,gap,rounds,machine,"
                 "setting\n");
}

void lb_print_csv(FILE *csv, const lb_result *result, const char *machine)
{
    for (int call = 0; call < LB_CALL_COUNT; ++call) {
        for (int i = 0; i < result->row_count; ++i) {
            const lb_row *row = &result->rows[i];
            const lb_measurement *m = &row->calls[call];
            if (m->done) {
                fprintf(csv, "%s,%d,%d,%s,%s,%.4f,%.4f,%.3f,%.3f,%.1e,%d,\"%s\",\"%s\"\n",
                        result->model, result->body_count, result->v_count, lb_call_names[call],
                        row->name, 1e-3 * m->minimum, 1e-3 * m->median, m->high / m->minimum - 1,
                        m->minimum / result->rows[0].calls[call].minimum, m->gap, m->round_count,
                        machine, row->setting);
            }
        }
    }
    fflush(csv);
}

// ---- plot --------------------------------------------------------------------------------------

enum { WIDTH = 760, HEIGHT = 480, LEFT = 70, RIGHT = 170, TOP = 40, BOTTOM = 50 };

typedef struct lb_axes_range {
    double x0, x1, y0, y1; // decimal logarithms
} lb_axes_range;

static double lb_x_of(const lb_axes_range *range, double bodies)
{
    return LEFT + (log10(bodies) - range->x0) / (range->x1 - range->x0) * (WIDTH - LEFT - RIGHT);
}

static double lb_y_of(const lb_axes_range *range, double us)
{
    return HEIGHT - BOTTOM -
           (log10(us) - range->y0) / (range->y1 - range->y0) * (HEIGHT - TOP - BOTTOM);
}

static lb_axes_range lb_get_range(const lb_result *results, int count)
{
    lb_axes_range range = {HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
    for (int j = 0; j < count; ++j) {
        for (int i = 0; results[j].chain && i < results[j].row_count; ++i) {
            const lb_measurement *m = &results[j].rows[i].calls[LB_CALL_FORWARD];
            if (m->done) {
                range.x0 = fmin(range.x0, floor(log10(results[j].body_count)));
                range.x1 = fmax(range.x1, ceil(log10(results[j].body_count)));
                range.y0 = fmin(range.y0, floor(log10(1e-3 * m->minimum)));
                range.y1 = fmax(range.y1, ceil(log10(1e-3 * m->minimum)));
            }
        }
    }
    return range;
}

static void lb_print_grid(FILE *svg, const lb_axes_range *range)
{
    for (int e = (int)range->y0; e <= (int)range->y1; ++e) {
        const double y = lb_y_of(range, pow(10, e));
        fprintf(svg, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", LEFT,
                y, WIDTH - RIGHT, y);
        fprintf(svg, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 8, y + 4,
                pow(10, e));
    }
    for (int e = (int)range->x0; e <= (int)range->x1; ++e) {
        const double x = lb_x_of(range, pow(10, e));
        fprintf(svg, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", x, TOP,
                x, HEIGHT - BOTTOM);
        fprintf(svg, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x,
                HEIGHT - BOTTOM + 18, pow(10, e));
    }
    fprintf(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">bodies of a chain</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10);
    fprintf(svg,
            "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">forward "
            "dynamics, us</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2);
}

// The curve of one peer, by name: not every peer is there at every size.
static void lb_print_curve(FILE *svg, const lb_axes_range *range, const lb_result *results,
                           int count, const char *name, int colour, double *labels,
                           int *label_count)
{
    static const char *const colours[] = {"#26a", "#c44", "#283", "#a6c", "#d80", "#088", "#777"};
    const char *stroke = colours[colour % 7];
    double x = 0, y = 0;
    fprintf(svg, "<polyline stroke=\"%s\" points=\"", stroke);
    for (int j = 0; j < count; ++j) {
        for (int i = 0; results[j].chain && i < results[j].row_count; ++i) {
            const lb_row *row = &results[j].rows[i];
            if (strcmp(row->name, name) == 0 && row->calls[LB_CALL_FORWARD].done) {
                x = lb_x_of(range, results[j].body_count);
                y = lb_y_of(range, 1e-3 * row->calls[LB_CALL_FORWARD].minimum);
                fprintf(svg, "%.1f,%.1f ", x, y);
            }
        }
    }
    // names stand at the ends of curves, but not on each other
    for (int i = 0; i < *label_count; ++i) {
        if (fabs(labels[2 * i] - x) < 100 && fabs(labels[2 * i + 1] - y) < 14) {
            y = labels[2 * i + 1] + 14;
            i = -1;
        }
    }
    labels[2 * *label_count] = x;
    labels[2 * (*label_count)++ + 1] = y;
    fprintf(svg, "\"/>\n<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n", x + 8, y + 4, stroke,
            name);
}

void lb_print_plot(FILE *svg, const lb_result *results, int count, const char *machine)
{
    const lb_axes_range range = lb_get_range(results, count);
    double labels[2 * LB_PEER_MAX];
    int label_count = 0, last = -1;
    for (int j = 0; j < count; ++j) {
        last = results[j].chain && (last < 0 || results[j].row_count > results[last].row_count)
                   ? j
                   : last;
    }
    if (last < 0) {
        return;
    }
    fprintf(svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<title>Forward dynamics of chains against bodies</title>\n"
            "<style>polyline{fill:none;stroke-width:2} .grid{stroke:#ddd}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"%d\" y=\"22\">fastest of all rounds, one core, %s</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, machine);
    lb_print_grid(svg, &range);
    for (int i = 0; i < results[last].row_count; ++i) {
        if (results[last].rows[i].calls[LB_CALL_FORWARD].done) {
            lb_print_curve(svg, &range, results, count, results[last].rows[i].name, i, labels,
                           &label_count);
        }
    }
    fprintf(svg, "</svg>\n");
}
