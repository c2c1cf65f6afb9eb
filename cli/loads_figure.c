// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads as figures.
#include <math.h>
#include <string.h>

#include "console.h"
#include "loads.h"

#ifdef LB_WITH_VIEW
#include "view/figure.h"
#include "view/recording.h"

enum { CURVE_MAX = 64 };

static const char *get_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int lb_cli_draw_loads(const char *path, const char *title, const lb_cli_loads *loads)
{
    static const char *const x_names[] = {"t [s]", "f [Hz]", "f [Hz]"};
    const int signals = loads->signals.count, dots = loads->kind == LB_CLI_EXTREMES ? signals : 0;
    const int lines = loads->run_count * signals, count = lines + dots;
    char names[CURVE_MAX][LB_CLI_SIGNAL_SIZE], units[CURVE_MAX][32];
    const char *name_list[CURVE_MAX], *unit_list[CURVE_MAX];
    const double *xs[CURVE_MAX];
    double *ys[CURVE_MAX], points[CURVE_MAX][4];
    long counts[CURVE_MAX];
    bool logs[CURVE_MAX], dotted[CURVE_MAX];
    if (count > CURVE_MAX) {
        lb_cli_complain("loads: a figure has at most %d curves, and these are %d: name fewer "
                        "signals with --signal",
                        CURVE_MAX - dots, lines);
        return LB_CLI_USAGE;
    }
    for (int c = 0; c < count; ++c) {
        const int signal = c < lines ? c % signals : c - lines;
        const lb_cli_load_run *run = &loads->runs[c < lines ? c / signals : 0];
        const lb_cli_load *load = &run->loads[signal];
        const char *unit = loads->units[signal];
        snprintf(names[c], sizeof names[c], loads->run_count > 1 ? "%.90s (%.60s)" : "%.90s",
                 loads->signals.names[signal], get_file_name(run->path));
        snprintf(units[c], sizeof units[c],
                 loads->kind != LB_CLI_PSD ? "%.16s"
                 : unit[0]                 ? "(%.16s)²/Hz"
                                           : "1/Hz",
                 unit);
        name_list[c] = names[c];
        unit_list[c] = units[c];
        logs[c] = loads->kind != LB_CLI_EXTREMES;
        dotted[c] = c >= lines;
        xs[c] = logs[c] ? run->frequencies : run->times;
        ys[c] = logs[c] ? load->spectrum : load->history;
        counts[c] = logs[c] ? run->frequency_count : run->row_count;
        if (dotted[c]) {
            for (int k = 0; k < 2; ++k) {
                const lb_cli_load *set =
                    &loads->runs[lb_cli_find_envelope(loads, signal, k)].loads[signal];
                points[c][k] = set->times[k];
                points[c][2 + k] = set->numbers[k];
            }
            name_list[c] = "";
            xs[c] = points[c];
            ys[c] = points[c] + 2;
            counts[c] = 2;
        }
        // the worst of both signs
        for (long k = 0; loads->kind == LB_CLI_SRS && k < counts[c]; ++k) {
            ys[c][k] = fmax(ys[c][k], -load->negative[k]);
        }
    }
    const lb_cli_figure figure = {.title = title,
                                  .x_name = x_names[loads->kind],
                                  .curve_count = count,
                                  .names = name_list,
                                  .units = unit_list,
                                  .y = ys,
                                  .xs = xs,
                                  .counts = counts,
                                  .x_log = loads->kind != LB_CLI_EXTREMES,
                                  .y_log = logs,
                                  .dots = dotted};
    return lb_cli_draw_figure(&figure, path, 300.0) ? LB_CLI_DONE : LB_CLI_FAILED;
}
#endif
