// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modes over a range of spin speeds.
#include <math.h>
#include <string.h>

#include "closed/closed_loop.h"
#include "system_modes.h"

// What lines were last: shapes, and where they stood.
typedef struct track {
    int n, line_count, line_max;
    double *shapes; // line_max x n x 2, zero before a line has begun
    double *frequency;
} track;

// Likeness of two shapes of unit modal mass                                             (LIN-7)
//
//     |x^H M y|^2,   1 for the same shape, 0 for shapes that M keeps apart
static double compare(int n, const double *M, const double *x, const double *y)
{
    double re = 0.0, im = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double m = M[i * n + j];
            re += m * (x[2 * i] * y[2 * j] + x[2 * i + 1] * y[2 * j + 1]);
            im += m * (x[2 * i] * y[2 * j + 1] - x[2 * i + 1] * y[2 * j]);
        }
    }
    return re * re + im * im;
}

// Modes that oscillate go to the lines that they are most like, the best pair first; of pairs that
// are alike to 1e-3, the one nearer in frequency. What is left begins new lines.
//
// given     shapes  of all coordinates: with loops, others may be independent at another speed
static lb_status assign(const lb_mode_problem *p, int n, const double *shapes, track *t,
                        lb_arena *arena, int *line_of)
{
    const size_t width = 2 * (size_t)n;
    double *likeness = lb_take_numbers(arena, (size_t)(p->count + 1) * (size_t)(t->line_count + 1));
    unsigned char *taken = lb_arena_take(arena, (size_t)t->line_count + 1, 1);
    if (!likeness || !taken) {
        return LB_E_MEMORY;
    }
    const int lines = t->line_count;
    for (int k = 0; k < p->count; ++k) {
        line_of[k] = -1;
        for (int l = 0; l < lines; ++l) {
            likeness[k * lines + l] =
                compare(n, p->whole, t->shapes + width * (size_t)l, shapes + width * (size_t)k);
        }
    }
    for (;;) {
        int best = -1, at = -1;
        double value = 0.0, distance = 0.0;
        for (int k = 0; k < p->count; ++k) {
            for (int l = 0; l < lines; ++l) {
                if (p->modes[k].kind != LB_MODE_OSCILLATION || line_of[k] >= 0 || taken[l]) {
                    continue;
                }
                const double like = likeness[k * lines + l];
                const double gap = fabs(p->modes[k].frequency - t->frequency[l]);
                if (best < 0 || like > value + 1e-3 || (like > value - 1e-3 && gap < distance)) {
                    best = k;
                    at = l;
                    value = like;
                    distance = gap;
                }
            }
        }
        // nothing like it: a shape that was not there before
        if (best < 0 || value < 0.05) {
            break;
        }
        line_of[best] = at;
        taken[at] = 1;
    }
    for (int k = 0; k < p->count; ++k) {
        if (p->modes[k].kind == LB_MODE_OSCILLATION && line_of[k] < 0 &&
            t->line_count < t->line_max) {
            line_of[k] = t->line_count++;
        }
        if (line_of[k] >= 0) {
            memcpy(t->shapes + width * (size_t)line_of[k], shapes + width * (size_t)k,
                   width * sizeof(double));
            t->frequency[line_of[k]] = p->modes[k].frequency;
        }
    }
    return LB_OK;
}

static lb_status solve_one(lb_simulation *sim, const lb_linear_options *options, double speed,
                           lb_arena *arena, double *frequencies, double *damping, track *t)
{
    lb_linear_options at = *options;
    lb_operating_point point;
    lb_mode_problem problem;
    at.spin_speed = speed;
    lb_status status = lb_find_point(sim, &at, NULL, arena, &point);
    const char *what = "";
    status = status < 0 ? status : lb_solve_modes(&sim->system, &point, arena, &problem);
    status = status < 0 ? status : lb_find_change(sim, &point, &problem.tangent, arena, &what);
    if (status >= 0 && what[0]) {
        status = lb_say(&sim->system, LB_E_EQUILIBRIUM,
                        "linear: the equations of small deviations change, by %.200s: there are no "
                        "modes, but with a period exponents",
                        what);
    }
    if (status < 0) {
        return status;
    }
    const size_t width = 2 * (size_t)point.count;
    int *line_of = lb_arena_take(arena, 2 * (size_t)t->line_max + 1, sizeof *line_of);
    double *shapes = lb_take_numbers(arena, width * (size_t)problem.count);
    if (!line_of || !shapes) {
        return LB_E_MEMORY;
    }
    for (int k = 0; k < problem.count; ++k) {
        lb_expand(&point, problem.shapes + 2 * (size_t)problem.n * (size_t)k,
                  shapes + width * (size_t)k);
    }
    status = assign(&problem, point.count, shapes, t, arena, line_of);
    for (int k = 0; k < problem.count && status >= 0; ++k) {
        if (line_of[k] >= 0) {
            frequencies[line_of[k]] = problem.modes[k].frequency;
            damping[line_of[k]] = problem.modes[k].damping;
        }
    }
    return status;
}

// Rows as wide as the number of lines in the end.
static void pack(const double *wide, int rows, int width, int kept, double *out)
{
    for (int i = 0; i < rows; ++i) {
        memcpy(out + (size_t)i * (size_t)kept, wide + (size_t)i * (size_t)width,
               (size_t)kept * sizeof *out);
    }
}

static lb_status fill(lb_simulation *sim, const lb_linear_options *options, int count,
                      const double *speeds, lb_arena *arena, lb_campbell *campbell)
{
    lb_system *s = &sim->system;
    // a line for each coordinate, and as many again for what appears on the way
    const int lines = 2 * s->v_count;
    const size_t size = (size_t)count * (size_t)lines;
    if (options->spin < 0 || count < 1) {
        return lb_say(s, LB_E_ARGUMENT, "linear: a sweep needs a spin and its speeds");
    }
    for (int i = 0; i < count; ++i) {
        if (!isfinite(speeds[i])) {
            return lb_say(s, LB_E_NUMBER, "linear: speed %d of the sweep is not a finite number",
                          i);
        }
    }
    track t = {.n = s->v_count, .line_max = lines};
    t.shapes = lb_take_numbers(arena, 2 * (size_t)s->v_count * (size_t)lines);
    t.frequency = lb_take_numbers(arena, (size_t)lines);
    double *wide = lb_take_numbers(arena, 2 * size), *kept = lb_take_numbers(arena, (size_t)count);
    if (!t.shapes || !t.frequency || !wide || !kept) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < 2 * size; ++i) {
        wide[i] = NAN;
    }
    memcpy(kept, speeds, (size_t)count * sizeof *kept);
    for (int i = 0; i < count; ++i) {
        lb_arena scratch = lb_make_arena(NULL);
        const lb_status status =
            solve_one(sim, options, speeds[i], &scratch, wide + (size_t)i * (size_t)lines,
                      wide + size + (size_t)i * (size_t)lines, &t);
        lb_arena_free(&scratch);
        if (status < 0) {
            char message[LB_MESSAGE_SIZE];
            memcpy(message, s->message, sizeof message);
            return lb_say(s, status, "at %.9g rad/s: %.400s", speeds[i], message);
        }
    }
    double *out = lb_take_numbers(arena, 2 * (size_t)count * (size_t)t.line_count);
    if (!out) {
        return LB_E_MEMORY;
    }
    pack(wide, count, lines, t.line_count, out);
    pack(wide + size, count, lines, t.line_count, out + (size_t)count * (size_t)t.line_count);
    *campbell = (lb_campbell){.size = sizeof *campbell,
                              .speed_count = count,
                              .line_count = t.line_count,
                              .speeds = kept,
                              .frequencies = out,
                              .dampings = out + (size_t)count * (size_t)t.line_count};
    return LB_OK;
}

lb_status lb_compute_campbell(lb_simulation *sim, const lb_linear_options *options, int count,
                              const double *speeds, lb_campbell **campbell)
{
    lb_arena *arena = NULL;
    lb_linear_options own;
    lb_feedbacks feedbacks;
    lb_campbell *record = lb_create_record(sizeof *record, &arena);
    lb_status status =
        record ? lb_begin_linear(sim, options, arena, &own, &feedbacks) : LB_E_MEMORY;
    if (status >= 0 && own.period != 0.0) {
        status =
            lb_say(&sim->system, LB_E_UNSUPPORTED,
                   "linear: lines over speeds are of steady motions, not over a period; a sweep "
                   "of the speed has the exponents");
    } else if (status >= 0 && feedbacks.closed_count > 0) {
        status = lb_say(&sim->system, LB_E_UNSUPPORTED,
                        "linear: a sweep is without controllers: open them all");
    }
    status = status < 0 ? status : fill(sim, &own, count, speeds, arena, record);
    *campbell = lb_leave_point(&sim->system, status, record);
    return status < 0 ? status : LB_OK;
}

void lb_destroy_campbell(lb_campbell *campbell)
{
    lb_destroy_record(campbell);
}
