// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons, and the page that shows them.
#include <math.h>
#include <string.h>

#include "svg.h"
#include "validation.h"

bool lb_is_within(const lb_comparison *comparison)
{
    return fabs(comparison->ours - comparison->reference) <= comparison->tolerance;
}

const lb_miss *lb_find_miss(const lb_problem *problem, const lb_comparison *c)
{
    for (int i = 0; i < problem->miss_count; ++i) {
        const lb_miss *miss = &problem->misses[i];
        if (strcmp(miss->quantity, c->quantity) == 0 &&
            (!miss->at || strcmp(miss->at, c->at) == 0) &&
            fabs(c->ours - c->reference) <= miss->limit) {
            return miss;
        }
    }
    return NULL;
}

int lb_report_misses(FILE *out, const lb_problem *problems, int count)
{
    int unlisted = 0;
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < problems[i].count; ++j) {
            const lb_comparison *c = &problems[i].comparisons[j];
            const lb_miss *miss = lb_find_miss(&problems[i], c);
            const bool listed =
                miss && miss->whose && miss->whose[0] && miss->reason && miss->reason[0];
            if (lb_is_within(c) && miss && out) {
                fprintf(out, "%s: %s, %s: listed as a miss, but within its tolerance\n",
                        problems[i].id, c->quantity, c->at);
            }
            if (!lb_is_within(c) && !listed) {
                ++unlisted;
                if (out) {
                    fprintf(out,
                            "%s: %s, %s: %.10g, expected %.10g to %.1e: a miss that is not listed "
                            "with its reason\n",
                            problems[i].id, c->quantity, c->at, c->ours, c->reference,
                            c->tolerance);
                }
            }
        }
    }
    return unlisted;
}

void lb_compare(lb_problem *problem, const char *quantity, const char *at, double ours,
                double reference, double tolerance)
{
    assert_true(problem->count < LB_COMPARISON_MAX);
    lb_comparison *c = &problem->comparisons[problem->count++];
    snprintf(c->quantity, sizeof c->quantity, "%s", quantity);
    snprintf(c->at, sizeof c->at, "%s", at);
    c->among = 1;
    c->ours = ours;
    c->reference = reference;
    c->tolerance = tolerance;
}

void lb_compare_all(lb_problem *problem, const char *quantity, const double *ours,
                    const double *reference, int count, double tolerance, bool relative)
{
    double worst_ratio = -1.0;
    int worst = 0;
    for (int i = 0; i < count; ++i) {
        const double bound = relative ? tolerance * fabs(reference[i]) : tolerance;
        const double ratio = fabs(ours[i] - reference[i]) / bound;
        // NaN, of a bound of zero met exactly, is no miss; of our number it is
        if (ratio > worst_ratio || isnan(ours[i])) {
            worst_ratio = isnan(ours[i]) ? INFINITY : ratio;
            worst = i;
        }
    }
    const double bound = relative ? tolerance * fabs(reference[worst]) : tolerance;
    lb_compare(problem, quantity, "", ours[worst], reference[worst], bound);
    problem->comparisons[problem->count - 1].among = count;
}

void lb_compare_history(lb_problem *problem, const lb_published *history,
                        const lb_quantity *quantities, int quantity_count)
{
    enum { SPACE = 256 };
    for (int k = 0; k < quantity_count; ++k) {
        const lb_quantity *quantity = &quantities[k];
        double ours[SPACE], reference[SPACE], times[SPACE];
        int count = 0;
        lb_course course = lb_begin_example(history->example);
        lb_start_course(&course);
        for (int i = 0; i < history->row_count; ++i) {
            const double *row = lb_get_published_row(history, i);
            double found[LB_PUBLISHED_MAX];
            lb_go_to(&course, row[0]);
            history->measure(&course, row + 1, found);
            for (int j = quantity->first; j < quantity->first + quantity->count; ++j) {
                assert_true(count < SPACE);
                times[count] = row[0];
                ours[count] = found[j];
                reference[count++] = row[1 + j];
            }
        }
        lb_end_course(&course);
        lb_compare_all(problem, quantity->name, ours, reference, count, quantity->tolerance,
                       quantity->relative);
        lb_comparison *c = &problem->comparisons[problem->count - 1];
        for (int i = 0; i < count; ++i) {
            if (ours[i] == c->ours && reference[i] == c->reference) {
                snprintf(c->at, sizeof c->at, "%.4g s", times[i]);
            }
        }
    }
}

bool lb_write_plot(const char *folder, const lb_plot *plot)
{
    enum { POINTS = 401 };
    double x[POINTS], y[POINTS];
    char path[512], label[32];
    snprintf(path, sizeof path, "%s/figures/%s", folder, plot->file);
    lb_svg svg = {.file = fopen(path, "w"),
                  .width = 640,
                  .height = 300,
                  .left = 70,
                  .right = 20,
                  .top = 15,
                  .bottom = 45,
                  .x_high = plot->end,
                  .y_low = plot->y_low,
                  .y_high = plot->y_high};
    if (!svg.file) {
        return false;
    }
    lb_course course = lb_begin_example(plot->history->example);
    lb_start_course(&course);
    for (int i = 0; i < POINTS; ++i) {
        double found[LB_PUBLISHED_MAX];
        x[i] = plot->end * i / (POINTS - 1);
        lb_go_to(&course, x[i]);
        plot->history->measure(&course, NULL, found);
        y[i] = found[plot->column];
    }
    lb_end_course(&course);

    lb_begin_svg(&svg, plot->title,
                 ".ours{stroke:#26a} .extra{stroke:#999;stroke-dasharray:6 3} .dot{fill:#c44}");
    for (int i = 0; i * plot->x_step <= plot->end * 1.0001; ++i) {
        snprintf(label, sizeof label, "%g", i * plot->x_step);
        lb_print_svg_x_line(&svg, i * plot->x_step, label);
    }
    for (int i = 0; plot->y_low + i * plot->y_step <= plot->y_high + 0.01 * plot->y_step; ++i) {
        const double value = plot->y_low + i * plot->y_step;
        snprintf(label, sizeof label, "%g", fabs(value) < 1e-9 * plot->y_step ? 0.0 : value);
        lb_print_svg_y_line(&svg, value, label);
    }
    lb_print_svg_names(&svg, "time, s", plot->y_name);
    if (plot->extra_count > 0) {
        lb_print_svg_curve(&svg, "extra", plot->extra_x, plot->extra_y, plot->extra_count);
    }
    lb_print_svg_curve(&svg, "ours", x, y, POINTS);
    for (int i = 0; i < plot->history->row_count; ++i) {
        const double *row = lb_get_published_row(plot->history, i);
        if (row[0] <= plot->end) {
            fprintf(svg.file, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n",
                    lb_get_svg_x(&svg, row[0]), lb_get_svg_y(&svg, row[1 + plot->column]));
        }
    }
    lb_end_svg(&svg);
    return fclose(svg.file) == 0;
}

static int count_misses(const lb_problem *problem)
{
    int misses = 0;
    for (int i = 0; i < problem->count; ++i) {
        misses += !lb_is_within(&problem->comparisons[i]);
    }
    return misses;
}

static void write_problem(FILE *file, const lb_problem *problem)
{
    fprintf(file, "\n## %s: %s\n\n", problem->id, problem->title);
    fprintf(file, "Model: `%s%s`. Source: %s. Reference: %s.\n\n",
            problem->example ? "examples/" : "test/support/sim/published_flexible.c",
            problem->example ? problem->example : "", problem->source, problem->status);
    fprintf(file, "| quantity | at | Limber | reference | difference | tolerance | |\n"
                  "|---|--:|--:|--:|--:|--:|---|\n");
    for (int i = 0; i < problem->count; ++i) {
        const lb_comparison *c = &problem->comparisons[i];
        fprintf(file, "| %s", c->quantity);
        if (c->among > 1) {
            fprintf(file, " (worst of %d)", c->among);
        }
        fprintf(file, " | %s | %.10g | %.10g | %.1e | %.1e | %s |\n", c->at, c->ours, c->reference,
                fabs(c->ours - c->reference), c->tolerance,
                lb_is_within(c) ? "within" : "**miss**");
    }
    // each reason once
    for (int i = 0; i < problem->count; ++i) {
        const lb_comparison *c = &problem->comparisons[i];
        const lb_miss *miss = lb_is_within(c) ? NULL : lb_find_miss(problem, c);
        bool said = false;
        for (int j = 0; miss && j < i; ++j) {
            const lb_comparison *before = &problem->comparisons[j];
            const lb_miss *other = lb_is_within(before) ? NULL : lb_find_miss(problem, before);
            said = said || (other && other->reason == miss->reason);
        }
        if (miss && !said) {
            fprintf(file, "\n**Miss, of %s.** %s\n", miss->whose, miss->reason);
        }
    }
    if (problem->note) {
        fprintf(file, "\n%s\n", problem->note);
    }
    if (problem->figure) {
        fprintf(file, "\n![%s](figures/%s)\n\n%s\n", problem->title, problem->figure,
                problem->caption);
    }
}

void lb_write_page(FILE *file, const lb_problem *problems, int count)
{
    fprintf(
        file,
        "# Validation\n\n"
        "Problems whose numbers come from elsewhere, run with Limber. This page and its figures "
        "are\n"
        "written by a program, `test/validation`: `make validation` runs the files of `examples/`\n"
        "again and rewrites it. A number outside the tolerance that was stated beforehand is a\n"
        "**miss**. The text below the table says whose it is, and why; a miss without such an\n"
        "explanation makes `make validation` fail.\n\n"
        "*published* numbers were read in a public source, *exact* ones follow from a closed "
        "form,\n"
        "and *computed* ones come from an accurate run of an unrelated method: a second opinion.\n"
        "Where many numbers are compared, the table has the one that comes worst off against its\n"
        "tolerance. Tolerances are absolute. The last digits of the small differences vary between "
        "processors.\n\n"
        "| problem | comparisons | misses |\n|---|--:|--:|\n");
    for (int i = 0; i < count; ++i) {
        fprintf(file, "| %s: %s | %d | %d |\n", problems[i].id, problems[i].title,
                problems[i].count, count_misses(&problems[i]));
    }
    for (int i = 0; i < count; ++i) {
        write_problem(file, &problems[i]);
    }
}
