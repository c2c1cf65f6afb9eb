// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What bench_peers found out, as a table, a CSV file and a plot.
#ifndef LB_BENCH_REPORT_H
#define LB_BENCH_REPORT_H

#include <stdio.h>

#include "peer.h"

enum { LB_PEER_MAX = 16 };

typedef struct lb_measurement {
    int done, round_count;
    double gap;                   ///< largest difference to the reference, relative
    double minimum, median, high; ///< ns; `high` is what nine rounds of ten stay below
} lb_measurement;

typedef struct lb_row {
    int peer; ///< where it stands among the peers
    char name[64], setting[512];
    lb_measurement calls[LB_CALL_COUNT];
} lb_row;

/// One model and all peers on it; row 0 is the one that the others are compared with.
typedef struct lb_result {
    char model[64];
    int body_count, v_count, round_count, row_count;
    int chain; ///< one of the chains of the plot
    lb_row rows[LB_PEER_MAX];
} lb_result;

void lb_print_gaps(const lb_result *result);
void lb_print_times(const lb_result *result);

void lb_print_csv_heading(FILE *csv);
void lb_print_csv(FILE *csv, const lb_result *result, const char *machine);

/// Time of forward dynamics against the number of bodies, SVG.
void lb_print_plot(FILE *svg, const lb_result *results, int count, const char *machine);

#endif // LB_BENCH_REPORT_H
