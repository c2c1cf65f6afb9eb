// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The signals that colour shapes, at the frames of a motion, and the range of their colour bars.
#include <math.h>
#include <stdlib.h>

#include "console.h"
#include "view/figure.h"
#include "view/motion.h"

enum { BLOCK = 64 }; // rows computed at once

// What is known of `value` at a row: it widens the scale, and some rows are frames. `frame` is that of an earlier row, or 0.
static void take_value(lb_cli_scene *s, lb_cli_motion *m, size_t value, long row, double x,
                       long *frame)
{
    lb_cli_scale *scale = &s->scales[s->values[value].scale];
    if (isfinite(x)) {
        scale->low = fmin(scale->low, x);
        scale->high = fmax(scale->high, x);
    }
    while (*frame < m->frame_count && m->rows[*frame] < row) {
        ++*frame;
    }
    if (*frame < m->frame_count && m->rows[*frame] == row) {
        m->values[(size_t)*frame * (size_t)s->value_count + value] = (float)x;
    }
}

// Values that are columns of the results.
static bool read_recorded(lb_cli_scene *s, lb_cli_motion *m)
{
    const lb_cli_recording *r = s->recording;
    double *rows = lb_cli_malloc(((size_t)r->row_count + 1) * sizeof *rows);
    bool good = rows != NULL;
    for (size_t i = 0; good && i < (size_t)s->value_count; ++i) {
        long frame = 0;
        if (lb_cli_is_recorded(r, s->values[i].signal)) {
            good = lb_cli_read_signal(r, s->values[i].signal, rows) == LB_CLI_DONE;
            for (long row = 0; good && row < r->row_count; ++row) {
                take_value(s, m, i, row, rows[row], &frame);
            }
        }
    }
    free(rows);
    return good;
}

// All others, in one pass: moving the model to a row is the greater part of the work.
static bool compute_others(lb_cli_scene *s, lb_cli_motion *m)
{
    const lb_cli_recording *r = s->recording;
    const size_t room = (size_t)s->value_count + 1;
    lb_signal **signals = lb_cli_calloc(room, sizeof *signals);
    size_t *owners = lb_cli_calloc(room, sizeof *owners), count = 0;
    double *block = lb_cli_malloc(room * BLOCK * sizeof *block);
    bool good = signals && owners && block;
    for (int i = 0; good && i < s->value_count; ++i) {
        if (!lb_cli_is_recorded(r, s->values[i].signal)) {
            owners[count] = (size_t)i;
            good = lb_compile_signal(r->model, lb_get_force_signals(r->forces), s->values[i].signal,
                                     NULL, &signals[count++]) >= 0;
            if (!good) {
                lb_cli_run_out(); // the signals were compiled before: nothing else can be wrong
            }
        }
    }
    long frame = 0;
    for (long row = 0; good && count > 0 && row < r->row_count; row += BLOCK) {
        const long rows = row + BLOCK < r->row_count ? BLOCK : r->row_count - row;
        good = lb_cli_compute_signals(r, signals, count, row, rows, block);
        for (long k = 0; good && k < rows; ++k) {
            for (size_t i = 0; i < count; ++i) {
                take_value(s, m, owners[i], row + k, block[(size_t)k * count + i], &frame);
            }
        }
    }
    for (size_t i = 0; signals && i < count; ++i) {
        lb_destroy_signal(signals[i]);
    }
    free(signals);
    free(owners);
    free(block);
    return good;
}

// Round ends, and a range of its own for what does not vary or has no value.
static void round_scale(lb_cli_scale *scale)
{
    enum { MARKS = 11 };
    const bool any = scale->low <= scale->high;
    const lb_cli_ticks ticks =
        lb_cli_make_ticks(any ? scale->low : 0.0, any ? scale->high : 1.0, MARKS, true);
    scale->low = ticks.low;
    scale->high = ticks.high;
}

bool lb_cli_fill_values(lb_cli_scene *s, lb_cli_motion *m)
{
    m->values =
        lb_cli_calloc((size_t)m->frame_count * (size_t)s->value_count + 1, sizeof *m->values);
    for (int i = 0; i < s->scale_count; ++i) {
        s->scales[i].low = HUGE_VAL;
        s->scales[i].high = -HUGE_VAL;
    }
    const bool good = m->values && read_recorded(s, m) && compute_others(s, m);
    for (int i = 0; i < s->scale_count; ++i) {
        round_scale(&s->scales[i]);
    }
    if (!good) {
        const char *message = lb_get_results_message(s->recording->results);
        lb_cli_complain("cannot read the values that colour shapes%s%s", message[0] ? ": " : "",
                        message);
    }
    return good;
}
