// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer as its callers see it: schedule, memory, verdict.
#include "division.h"

#include <stddef.h>

#include "base/sized.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "model/kernel_table.h"
#include "model/modal/flex.h"
#include "model/numbers.h"

#define TAKE(arena, pointer, count)                                                                \
    (((pointer) = lb_arena_take((arena), (size_t)(count), sizeof *(pointer))) != NULL)

// Runs of eight, shorter where that would leave fewer than eight of them.
static int choose_run_length(const lb_model *model)
{
    const int eighth = model->body_count / 8;
    return eighth < 1 ? 1 : eighth > 8 ? 8 : eighth;
}

static lb_status build(const lb_model *model, lb_division *d, lb_arena *scratch)
{
    const lb_status status =
        lb_build_schedule(model, d->options.run_length, &d->arena, scratch, &d->schedule);
    if (status != LB_OK) {
        return status;
    }
    for (int k = 0; k < model->body_count; ++k) {
        const lb_flex *flex = model->bodies[k].flex;
        const size_t need = flex ? lb_get_point_scratch(flex) : 0;
        d->scratch_size = need > d->scratch_size ? need : d->scratch_size;
    }
    // whole cache lines, so that threads do not share any
    d->scratch_size = (d->scratch_size + 7) & ~(size_t)7;
    const size_t threads = d->options.thread_count > 0 ? (size_t)d->options.thread_count : 1;
    return TAKE(&d->arena, d->segments, d->schedule.node_count) &&
                   TAKE(&d->arena, d->K, model->v_count) &&
                   TAKE(&d->arena, d->scratch, threads * d->scratch_size)
               ? LB_OK
               : LB_E_MEMORY;
}

lb_status lb_create_division(const lb_model *model, const lb_division_options *options,
                             lb_division **division)
{
    *division = NULL;
    const lb_division_options own = options ? *options : lb_default_division_options();
    if (own.tolerance != own.tolerance) {
        return LB_E_NUMBER;
    }
    lb_arena arena, scratch;
    arena = lb_make_arena(&model->arena.allocator);
    scratch = lb_make_arena(&model->arena.allocator);
    lb_division *d = lb_arena_take(&arena, 1, sizeof *d);
    if (!d) {
        lb_arena_free(&arena);
        return LB_E_MEMORY;
    }
    d->options = own;
    if (d->options.run_length < 1) {
        d->options.run_length = choose_run_length(model);
    }
    d->arena = arena;
    const lb_status status = build(model, d, &scratch);
    lb_arena_free(&scratch);
    if (status != LB_OK) {
        lb_destroy_division(d);
        return status;
    }
    *division = d;
    return LB_OK;
}

void lb_destroy_division(lb_division *division)
{
    if (division) {
        lb_arena_free(&division->arena); // the record lies in it
    }
}

int lb_get_division_level_count(const lb_division *division)
{
    return division->schedule.level_count;
}

int lb_get_division_depth(const lb_division *division)
{
    return division->schedule.depth;
}

int lb_get_division_stage_count(const lb_division *division)
{
    return 2 + 4 * division->schedule.level_count;
}

const lb_division_report *lb_see_division_report(const lb_division *division)
{
    return &division->report;
}

lb_status lb_get_division_report(const lb_work *work, lb_division_report *report)
{
    const lb_division *division = work->division;
    return division ? lb_give_sized(&division->report, sizeof division->report,
                                    offsetof(lb_division_report, shift), report)
                    : LB_E_STAGE;
}

void lb_begin_division(const lb_model *model, lb_work *work, lb_division *division, const double *q,
                       const double *v, const unsigned char *driven, const double *tau,
                       double *drive, double *a)
{
    lb_start_state(work, 0);
    division->refused = driven ? lb_check_driven_state(model, work, q, v, driven, tau, a)
                               : lb_check_state(model, work, q, v, "tau", tau);
    division->q = q;
    division->v = v;
    division->driven = driven;
    division->tau = tau;
    division->drive = drive;
    division->a = a;
    division->report = (lb_division_report){.size = sizeof division->report};
}

void lb_run_division_stage(const lb_model *model, lb_work *work, lb_division *division, int stage,
                           int piece, int piece_count)
{
    if (division->refused == LB_OK) {
        model->kernels->division_piece(model, work, division, stage, piece, piece_count);
    }
}

// Sums up the check. Angular and linear accelerations are made comparable by the largest distance
// between the frames of two bodies.
static void judge(const lb_division *d, lb_division_report *report)
{
    double largest = 0.0, length = 0.0, gap[2] = {0}, motion[2] = {0};
    for (int n = 0; n < d->schedule.node_count; ++n) {
        const lb_segment *s = &d->segments[n];
        report->broken_count += s->broken;
        if (d->schedule.first[n] < 0) {
            continue;
        }
        report->shift = lb_get_larger_or_nan(report->shift, s->shift);
        largest = lb_get_larger_or_nan(largest, s->largest);
        length = lb_get_larger_or_nan(length, s->length);
        for (int i = 0; i < 2; ++i) {
            gap[i] = lb_get_larger_or_nan(gap[i], s->gap[i]);
            motion[i] = lb_get_larger_or_nan(motion[i], s->motion[i]);
        }
    }
    const double off = lb_get_larger_or_nan(length * gap[0], gap[1]);
    const double scale = lb_get_larger_or_nan(length * motion[0], motion[1]);
    report->shift = report->shift > 0 ? report->shift / largest : report->shift;
    report->gap = off > 0 ? off / scale : off;
}

lb_status lb_end_division(const lb_model *model, lb_work *work, lb_division *division)
{
    if (division->refused < 0) {
        return division->refused;
    }
    lb_division_report *report = &division->report;
    judge(division, report);
    if (!report->broken_count && report->gap <= division->options.tolerance &&
        report->shift <= division->options.tolerance) {
        lb_start_state(work, LB_HAS_POSITION | LB_HAS_VELOCITY | LB_HAS_BIAS | LB_HAS_INERTIA |
                                 LB_HAS_ACCELERATION | LB_HAS_FORCES);
        return LB_OK;
    }
    report->fallback = true;
    for (int i = 0; division->driven && division->drive != division->tau && i < model->v_count;
         ++i) {
        division->drive[i] = division->tau ? division->tau[i] : 0.0;
    }
    const lb_status status =
        division->driven
            ? lb_tree_hybrid(model, work, division->q, division->v, division->driven,
                             division->drive, division->a)
            : lb_tree_forward(model, work, division->q, division->v, division->tau, division->a);
    return status == LB_OK ? LB_NEWS_FALLBACK : status;
}

// One evaluation, and who runs its pieces.
typedef struct evaluation {
    const lb_model *model;
    lb_work *work;
    lb_division *division;
    const lb_team *team; // NULL for the calling thread alone
} evaluation;

static void run_stages(void *data, int piece, int piece_count)
{
    const evaluation *e = data;
    for (int stage = 0; stage < lb_get_division_stage_count(e->division); ++stage) {
        lb_run_division_stage(e->model, e->work, e->division, stage, piece, piece_count);
        if (piece_count > 1) {
            e->team->wait();
        }
    }
}

lb_status lb_divided_by_team(const lb_model *model, lb_work *work, lb_division *division,
                             const lb_team *team, const double *q, const double *v,
                             const unsigned char *driven, const double *tau, double *drive,
                             double *a)
{
    evaluation e = {model, work, division, team};
    lb_begin_division(model, work, division, q, v, driven, tau, drive, a);
    if (team && team->thread_count > 1) {
        team->run(team->thread_count, run_stages, &e);
    } else {
        run_stages(&e, 0, 1);
    }
    return lb_end_division(model, work, division);
}

lb_status lb_divided_forward(const lb_model *model, lb_work *work, lb_division *division,
                             const double *q, const double *v, const double *tau, double *a)
{
    return lb_divided_by_team(model, work, division, NULL, q, v, NULL, tau, NULL, a);
}

lb_status lb_divided_hybrid(const lb_model *model, lb_work *work, lb_division *division,
                            const double *q, const double *v, const unsigned char *driven,
                            double *tau, double *a)
{
    return lb_divided_by_team(model, work, division, NULL, q, v, driven, tau, tau, a);
}

// Step A of the dynamics with loops. Loops respond by articulated inertias, which an assembly has
// not got: O(N) once more.
static lb_status run_tree(void *user, const lb_model *model, lb_work *work, const double *q,
                          const double *v, const unsigned char *driven, const double *tau,
                          double *drive, double *a)
{
    const evaluation *e = user;
    lb_status status =
        lb_divided_by_team(model, work, e->division, e->team, q, v, driven, tau, drive, a);
    if (status == LB_OK && model->pattern) {
        // the motion stays: this finds the same positions again
        const unsigned has = work->has;
        status = model->kernels->held_inertia(model, work, q);
        work->has = has;
    }
    return status;
}

lb_status lb_divided_closed(const lb_model *model, lb_work *work, lb_division *division,
                            const double *q, const double *v, const unsigned char *driven,
                            const double *tau, double *a, double *drive, double *forces)
{
    evaluation e = {model, work, division, &division->team};
    return lb_compute_closed_dynamics(model, work, run_tree, &e, q, v, driven, tau, a, drive,
                                      forces);
}
