// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The page docs/validation: what was compared, and plots.
#ifndef LB_VALIDATION_H
#define LB_VALIDATION_H

#include <stdbool.h>
#include <stdio.h>

#include "published.h"

/// One comparison: a number of ours beside that of a source.
typedef struct lb_comparison {
    char quantity[96], at[24];
    int among; ///< this is the one that differs the most, against its tolerance, of so many
    double ours, reference, tolerance; ///< tolerance: absolute
} lb_comparison;

enum { LB_COMPARISON_MAX = 32 };

/// A comparison that is known to miss, and why. None of these may be due to Limber: such a miss is mended.
typedef struct lb_miss {
    const char *quantity; ///< of the comparison
    const char *at;       ///< its time; NULL for any
    double limit;         ///< by how much it may be off for this reason
    const char *whose;    ///< "the source", ...
    const char *reason;
} lb_miss;

/// A problem with all that the page says of it.
typedef struct lb_problem {
    const char *id, *title, *example, *source, *status, *note, *figure, *caption;
    const lb_miss *misses;
    int miss_count;
    void (*compare)(struct lb_problem *problem);
    lb_comparison comparisons[LB_COMPARISON_MAX];
    int count;
} lb_problem;

/// Quantities of a history: consecutive numbers of its rows that share a tolerance.
typedef struct lb_quantity {
    const char *name;
    int first, count;
    double tolerance;
    bool relative; ///< to the number itself
} lb_quantity;

bool lb_is_within(const lb_comparison *comparison);

/// What is known of a comparison that misses; NULL if it is not listed, or off by more than the limit.
const lb_miss *lb_find_miss(const lb_problem *problem, const lb_comparison *comparison);

/// Says which comparisons miss without being listed, and which are listed but do not miss.
///
/// @param out  where to say it; NULL for nowhere
/// @return how many miss without being listed, within their limit, with someone's name and a reason
int lb_report_misses(FILE *out, const lb_problem *problems, int count);

/// Adds one comparison.
void lb_compare(lb_problem *problem, const char *quantity, const char *at, double ours,
                double reference, double tolerance);
/// Adds the worst of several.
void lb_compare_all(lb_problem *problem, const char *quantity, const double *ours,
                    const double *reference, int count, double tolerance, bool relative);
/// Runs a history, and adds the worst number of each quantity.
void lb_compare_history(lb_problem *problem, const lb_published *history,
                        const lb_quantity *quantities, int quantity_count);

/// A number of a history from 0 to `end`, with the reference as dots, and perhaps one more curve.
typedef struct lb_plot {
    const char *file, *title, *y_name;
    const lb_published *history;
    int column;
    double end, y_low, y_high, x_step, y_step;
    const double *extra_x, *extra_y;
    int extra_count;
} lb_plot;
/// Runs the history and writes the plot into `folder`/figures; returns whether it could.
bool lb_write_plot(const char *folder, const lb_plot *plot);

// ---- loops.c -----------------------------------------------------------------------------------

void lb_compare_four_bars(lb_problem *problem);
void lb_compare_andrews(lb_problem *problem);
void lb_compare_bricard(lb_problem *problem);
void lb_compare_slider_crank(lb_problem *problem);
void lb_compare_hanging_bars(lb_problem *problem);
void lb_compare_governor(lb_problem *problem);
void lb_compare_spatial(lb_problem *problem);
void lb_compare_flexible_crank(lb_problem *problem);

/// Problems of beams (validation_beams.c).
void lb_compare_beam_frequencies(lb_problem *problem);
void lb_compare_rotating_beam(lb_problem *problem);
void lb_compare_blade_torsion(lb_problem *problem);
void lb_compare_bend(lb_problem *problem);

/// The page itself.
void lb_write_page(FILE *file, const lb_problem *problems, int count);

#endif // LB_VALIDATION_H
