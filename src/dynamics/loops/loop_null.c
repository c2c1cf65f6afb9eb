// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What several loops repeat: directions x with Lambda x = 0 that reach over several blocks (CLO-8).
// Where hubs are taken out the same directions of what they leave, Lambda_0, are those to which only
// the hubs give way (HUB-3).
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "loop_factor.h"

// Entries of two directions, over the positions that both reach, in steps of six.
static double multiply(const lb_loop_null *a, const double *x, int first, int last)
{
    double sum = 0.0;
    const int from = a->first > first ? a->first : first, to = a->last < last ? a->last : last;
    for (int i = 6 * from; i < 6 * (to + 1); ++i) {
        sum += a->x[i - 6 * a->first] * x[i - 6 * first];
    }
    return sum;
}

static void subtract_along(const lb_loop_null *a, double along, double *x, int first, int last)
{
    const int from = a->first > first ? a->first : first, to = a->last < last ? a->last : last;
    for (int i = 6 * from; i < 6 * (to + 1); ++i) {
        x[i - 6 * first] -= along * a->x[i - 6 * a->first];
    }
}

// The same with something by slot.
static double multiply_slots(const lb_model *model, const lb_loop_null *a, const double *x)
{
    double sum = 0.0;
    for (int p = a->first; p <= a->last; ++p) {
        const double *at = x + (ptrdiff_t)6 * model->pattern->slot[p];
        const double *entry = a->x + (ptrdiff_t)6 * (p - a->first);
        for (int i = 0; i < 6; ++i) {
            sum += entry[i] * at[i];
        }
    }
    return sum;
}

static void add_to_slots(const lb_model *model, const lb_loop_null *a, double along, double *x)
{
    for (int p = a->first; p <= a->last; ++p) {
        double *at = x + (ptrdiff_t)6 * model->pattern->slot[p];
        const double *entry = a->x + (ptrdiff_t)6 * (p - a->first);
        for (int i = 0; i < 6; ++i) {
            at[i] += along * entry[i];
        }
    }
}

// Whether Lambda itself has anything along the directions that are lost.
int lb_reaches_others(const lb_model *model, const lb_work *work, int i, double threshold)
{
    const lb_loop_pattern *pattern = model->pattern;
    const lb_loop_slot *slot = lb_get_slot(model, work, i);
    double sum = 0.0;
    for (int e = pattern->across[i]; e < pattern->across[i + 1]; ++e) {
        const double *L = work->loops->blocks + (ptrdiff_t)36 * pattern->entry[e];
        const int rank = lb_get_slot(model, work, pattern->at[e])->rank;
        for (int n = slot->rank; work->loops->filled[pattern->entry[e]] && n < slot->loop.row_count;
             ++n) {
            for (int c = 0; c < rank; ++c) {
                double along = 0.0;
                for (int r = 0; r < slot->loop.row_count; ++r) {
                    along += L[6 * r + c] * slot->Q[6 * r + n];
                }
                sum += along * along;
            }
        }
    }
    // a spare loop may have to do with others by way of hubs
    for (int g = 0; i >= pattern->ordered && g < pattern->hub_count; ++g) {
        const int width = *lb_get_meeting(model, work, i, g) ? pattern->hubs[g].width : 0;
        const double *V = lb_get_edge(model, work, i, g);
        for (int n = slot->rank; n < slot->loop.row_count; ++n) {
            for (int a = 0; a < width; ++a) {
                double along = 0.0;
                for (int r = 0; r < slot->loop.row_count; ++r) {
                    along += V[r * width + a] * slot->Q[6 * r + n];
                }
                sum += along * along;
            }
        }
    }
    return sum > threshold;
}

// From spare loops up to position i through the hubs that they have to do with, to the loops of those.
// Returns the first position that is reached.
static int pass_hubs(const lb_model *model, lb_work *work, int i, int first, double *x)
{
    const lb_loop_pattern *pattern = model->pattern;
    for (int g = 0; g < pattern->hub_count; ++g) {
        const lb_loop_hub *hub = &pattern->hubs[g];
        const lb_hub_work *w = &work->loops->hubs[g];
        int met = 0;
        for (int s = pattern->ordered; s <= i; ++s) {
            met = met || *lb_get_meeting(model, work, s, g);
        }
        for (int j = hub->first; j <= hub->last; ++j) {
            memset(x + (ptrdiff_t)6 * pattern->slot[j], 0, 6 * sizeof *x);
        }
        if (met) {
            memset(w->c, 0, (size_t)hub->width * sizeof *x);
            memset(w->beta, 0, (size_t)hub->width * sizeof *x);
            lb_leave_hub(model, work, g, x);
            first = hub->first < first ? hub->first : first;
        }
    }
    return first;
}

// A direction, by slot, that ends in column n of Q at position i                           (CLO-8)
//
//     L* x = 0:   x_i = Q_i,n,   x_j = -L_jj^+* sum over k > j of L_kj* x_k
//
// Returns the first position that it reaches.
static int find_direction(const lb_model *model, lb_work *work, int i, int n, double *x)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    const int through = i >= pattern->ordered && pattern->hub_count > 0;
    int first = through ? pattern->ordered : i;
    for (int j = i + 1; through && j < pattern->count; ++j) {
        memset(x + (ptrdiff_t)6 * pattern->slot[j], 0, 6 * sizeof *x);
    }
    for (int j = i; j >= first; --j) {
        const lb_loop_slot *slot = lb_get_slot(model, work, j);
        double *at = x + (ptrdiff_t)6 * pattern->slot[j];
        if (j == i || !through || pattern->group[j] < 0) {
            memset(at, 0, 6 * sizeof *at);
        }
        for (int r = 0; j == i && r < slot->loop.row_count; ++r) {
            at[r] = slot->Q[6 * r + n];
        }
        if (j < i) {
            lb_substitute(model, work, j, i, x);
        }
        for (int e = pattern->across[j]; slot->active && e < pattern->across[j + 1]; ++e) {
            if (loops->filled[pattern->entry[e]]) {
                first = pattern->at[e] < first ? pattern->at[e] : first;
                break;
            }
        }
        if (through && j == pattern->ordered) {
            first = pass_hubs(model, work, i, first, x);
        }
    }
    for (int g = 0; through && g < pattern->hub_count; ++g) {
        lb_settle_hub(model, work, g, x);
    }
    return first;
}

// The hub's row of a direction: what it does to the hub is linear in it.
static double *get_hub_row(const lb_model *model, const lb_work *work, const lb_loop_null *null)
{
    return lb_get_edge(model, work, null->last, null->group) +
           (ptrdiff_t)null->column * model->pattern->hubs[null->group].width;
}

double lb_measure_direction(const lb_model *model, lb_work *work, int i, int n)
{
    const double *y = work->loops->y;
    double square = 0.0;
    for (int j = find_direction(model, work, i, n, work->loops->y); j <= i; ++j) {
        for (int e = 0; e < 6; ++e) {
            square += y[6 * model->pattern->slot[j] + e] * y[6 * model->pattern->slot[j] + e];
        }
    }
    return square;
}

// While hubs stand still a block may have a small pivot that would be large if they did not, and with
// it all that comes behind: what is eliminated on top of it is round-off as soon as it is less than
//
//     64 eps |x|^2 of the scale
//
// x the direction that it belongs to (CLO-8), one at its own end and long elsewhere. That is left to the
// hubs.
void lb_drop_noise(const lb_model *model, lb_work *work, int j, const double A[36])
{
    lb_loop_slot *slot = lb_get_slot(model, work, j);
    for (int rank = slot->rank; rank > 0; rank = slot->rank) {
        const double pivot = slot->R[7 * (rank - 1)] * slot->R[7 * (rank - 1)];
        if (pivot > 1e-6 * slot->scale) {
            return;
        }
        double noise =
            64 * DBL_EPSILON * slot->scale * lb_measure_direction(model, work, j, rank - 1);
        if (pivot > noise) {
            return;
        }
        for (; slot->rank == rank; noise *= 4.0) {
            slot->rank =
                lb_factor_block(slot->loop.row_count, A, noise, slot->R, slot->Q, &slot->left);
        }
    }
}

int lb_keep_direction(const lb_model *model, lb_work *work, int i, int n, int group)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    const int from = find_direction(model, work, i, n, loops->y);
    const int width = group < 0 ? 0 : pattern->hubs[group].width;
    // those before may begin before it
    int first = from;
    for (int o = 0; o < loops->null_space_count; ++o) {
        const lb_loop_null *other = &loops->null_space[o];
        if (other->group == group && other->last >= from && other->first < first) {
            first = other->first;
        }
    }
    if (loops->null_used + 6 * (size_t)(i - first + 1) > pattern->null_count) {
        loops->overflow = 1;
        return 0;
    }
    lb_loop_null *null = &loops->null_space[loops->null_space_count];
    *null = (lb_loop_null){first, i, n, group, loops->nulls + loops->null_used};
    double *row = width ? get_hub_row(model, work, null) : NULL;
    memset(null->x, 0, 6 * (size_t)(from - first) * sizeof *null->x);
    for (int p = from; p <= i; ++p) {
        memcpy(null->x + (ptrdiff_t)6 * (p - first), loops->y + (ptrdiff_t)6 * pattern->slot[p],
               6 * sizeof *null->x);
    }
    // once more than the first time, for what round-off has left
    for (int pass = 0; pass < 2; ++pass) {
        for (int o = 0; o < loops->null_space_count; ++o) {
            const lb_loop_null *other = &loops->null_space[o];
            if (other->group != group || other->last < from) {
                continue;
            }
            const double along = multiply(other, null->x, first, i);
            subtract_along(other, along, null->x, first, i);
            for (int a = 0; a < width; ++a) {
                row[a] -= along * get_hub_row(model, work, other)[a];
            }
        }
        const double norm = 1.0 / lb_compute_norm(6 * (i - first + 1), null->x);
        for (int e = 0; e < 6 * (i - first + 1); ++e) {
            null->x[e] *= norm;
        }
        for (int a = 0; a < width; ++a) {
            row[a] *= norm;
        }
    }
    loops->null_used += 6 * (size_t)(i - first + 1);
    ++loops->null_space_count;
    return 1;
}

void lb_take_directions(const lb_model *model, lb_loop_work *loops, double *x, int judge)
{
    for (int o = 0; o < loops->null_space_count; ++o) {
        const lb_loop_null *null = &loops->null_space[o];
        if (null->group < 0) {
            const double along = multiply_slots(model, null, x);
            add_to_slots(model, null, -along, x);
            if (judge) {
                lb_note_conflict(loops, model->pattern->slot[null->last], fabs(along));
            }
        }
    }
}

void lb_read_directions(const lb_model *model, lb_loop_work *loops, int group, const double *x)
{
    for (int o = 0; o < loops->null_space_count; ++o) {
        const lb_loop_null *null = &loops->null_space[o];
        if (null->group == group) {
            loops->along[6 * null->last + null->column] = multiply_slots(model, null, x);
        }
    }
}

void lb_add_directions(const lb_model *model, const lb_loop_work *loops, int group, double factor,
                       double *x)
{
    for (int o = 0; o < loops->null_space_count; ++o) {
        const lb_loop_null *null = &loops->null_space[o];
        if (null->group == group) {
            const double along = loops->along[6 * null->last + null->column];
            add_to_slots(model, null, factor * along, x);
        }
    }
}

void lb_mark_direction(const lb_model *model, const lb_work *work, int position, int column,
                       unsigned char *repeats)
{
    const lb_loop_work *loops = work->loops;
    for (int o = 0; o < loops->null_space_count; ++o) {
        const lb_loop_null *null = &loops->null_space[o];
        const int ends = null->last == position && null->column == column;
        for (int p = null->first; ends && p < null->last; ++p) {
            for (int i = 0; i < 6; ++i) {
                repeats[model->pattern->slot[p]] |= fabs(null->x[6 * (p - null->first) + i]) > 1e-6;
            }
        }
    }
}
