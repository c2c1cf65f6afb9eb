// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Step D: the factors of the admittance of all closures, and multipliers by them.
//
//     Lambda = L L*,   L_jj = Q_j R_j,   L_ij = A_ij Q_j R_j^-*                            (CLO-4)
//
// block by block in the order of the pattern, A what the loops eliminated before have left of
// Lambda. Each block of the diagonal decides its own rank by a Cholesky factorisation that pivots
// within it; Q_j is orthonormal and spans its range.
#include <math.h>
#include <string.h>

#include "loop_admittance.h"

// Rank decisions: dynamics of the ends is known to about this much of what they move by themselves.
#define RANK_THRESHOLD 1e-11

// ---- one block ---------------------------------------------------------------------------------

// S = L L*, pivots in the order of size, as many as exceed the threshold: L is n x rank.
static int factor_cholesky(int n, const double *S, double threshold, double *L)
{
    double d[6];
    int taken[6] = {0}, rank = 0;
    for (int i = 0; i < n; ++i) {
        d[i] = S[7 * i];
    }
    for (; rank < n; ++rank) {
        int p = -1;
        for (int i = 0; i < n; ++i) {
            if (!taken[i] && (p < 0 || d[i] > d[p])) {
                p = i;
            }
        }
        if (!(d[p] > threshold)) {
            break;
        }
        taken[p] = 1;
        const double root = sqrt(d[p]);
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            if (!taken[i]) {
                sum = i > p ? S[6 * i + p] : S[6 * p + i];
                for (int t = 0; t < rank; ++t) {
                    sum -= L[6 * i + t] * L[6 * p + t];
                }
                sum /= root;
                d[i] -= sum * sum;
            }
            L[6 * i + rank] = i == p ? root : sum;
        }
    }
    return rank;
}

// L = Q R by reflections: Q n x n, its first columns the range of L; R in place of L.
static void factor_orthogonal(int n, int rank, double *R, double *Q)
{
    for (int i = 0; i < 36; ++i) {
        Q[i] = i % 7 == 0;
    }
    for (int c = 0; c < rank; ++c) {
        double u[6], norm = 0.0, square = 0.0;
        for (int i = c; i < n; ++i) {
            u[i] = R[6 * i + c];
            norm += u[i] * u[i];
        }
        norm = sqrt(norm);
        u[c] += u[c] < 0 ? -norm : norm;
        for (int i = c; i < n; ++i) {
            square += u[i] * u[i];
        }
        if (!(square > 0)) {
            continue;
        }
        for (int j = c; j < rank; ++j) {
            double along = 0.0;
            for (int i = c; i < n; ++i) {
                along += u[i] * R[6 * i + j];
            }
            for (int i = c; i < n; ++i) {
                R[6 * i + j] -= 2.0 * along / square * u[i];
            }
        }
        for (int i = 0; i < n; ++i) {
            double along = 0.0;
            for (int j = c; j < n; ++j) {
                along += Q[6 * i + j] * u[j];
            }
            for (int j = c; j < n; ++j) {
                Q[6 * i + j] -= 2.0 * along / square * u[j];
            }
        }
    }
}

// y = R^-1 Q* r; y may be r
static void solve_inner(const lb_loop_slot *s, const double *r, double *y)
{
    double t[6] = {0};
    for (int c = 0; c < s->rank; ++c) {
        for (int i = 0; i < s->loop.row_count; ++i) {
            t[c] += s->Q[6 * i + c] * r[i];
        }
    }
    for (int c = s->rank - 1; c >= 0; --c) {
        for (int e = c + 1; e < s->rank; ++e) {
            t[c] -= s->R[6 * c + e] * t[e];
        }
        t[c] /= s->R[7 * c];
    }
    memcpy(y, t, sizeof t);
}

// x = Q R^-* y; x may be y
static void solve_outer(const lb_loop_slot *s, const double *y, double *x)
{
    double t[6] = {0};
    for (int c = 0; c < s->rank; ++c) {
        t[c] = y[c];
        for (int e = 0; e < c; ++e) {
            t[c] -= s->R[6 * e + c] * t[e];
        }
        t[c] /= s->R[7 * c];
    }
    for (int i = 0; i < 6; ++i) {
        x[i] = 0.0;
        for (int c = 0; c < s->rank && i < s->loop.row_count; ++c) {
            x[i] += s->Q[6 * i + c] * t[c];
        }
    }
}

// What of a right side the block does not reach: its part along the null space.
static void note_conflict(lb_loop_work *loops, int loop, double size)
{
    if (size > loops->conflict) {
        loops->conflict = size;
        loops->conflict_loop = loop;
    }
}

static void judge_inner(lb_loop_work *loops, const lb_loop_slot *s, int loop, const double *r)
{
    double square = 0.0;
    for (int c = s->rank; c < s->loop.row_count; ++c) {
        double along = 0.0;
        for (int i = 0; i < s->loop.row_count; ++i) {
            along += s->Q[6 * i + c] * r[i];
        }
        square += along * along;
    }
    note_conflict(loops, loop, sqrt(square));
}

// ---- all blocks --------------------------------------------------------------------------------

static lb_loop_slot *get_slot(const lb_model *model, const lb_work *work, int position)
{
    return &work->loops->slots[model->pattern->slot[position]];
}

// The branch at which a loop reaches into the tree, by source: two ends or the terms of a coupler.
static int get_branch(const lb_model *model, const lb_loop_slot *slot, int i)
{
    const int k = slot->loop.type == LB_LOOP_COUPLER ? slot->loop.terms[i].k : slot->k[i];
    return k < 0 ? -1 : model->pattern->branch[k];
}

static int are_coupled(const lb_model *model, const lb_loop_slot *i, const lb_loop_slot *j)
{
    const int n = i->loop.type == LB_LOOP_COUPLER ? i->loop.term_count : 2;
    const int m = j->loop.type == LB_LOOP_COUPLER ? j->loop.term_count : 2;
    for (int x = 0; x < n; ++x) {
        const int branch = get_branch(model, i, x);
        for (int y = 0; branch >= 0 && y < m; ++y) {
            if (get_branch(model, j, y) == branch) {
                return 1;
            }
        }
    }
    return 0;
}

// A slot that holds, with its place in the world and the admittances on its way to the base.
static void prepare(const lb_model *model, lb_work *work, lb_loop_slot *slot)
{
    if (slot->placed != work->loops->stamp) {
        slot->placed = work->loops->stamp;
        slot->rank = slot->crossing = slot->coupled = 0;
        lb_place_loop(model, work, slot);
        lb_find_admittances(model, work, slot);
    }
}

// Column j of Lambda, on top of what the loops before have taken from it.
static void form_column(const lb_model *model, lb_work *work, int j)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    lb_loop_slot *slot = get_slot(model, work, j);
    slot->scale = lb_get_loop_scale(model, work, slot);
    double own[36], *diagonal = loops->diagonal + (ptrdiff_t)36 * j;
    lb_form_loop_block(model, work, slot, slot, slot->coupled ? own : diagonal);
    for (int i = 0; i < 36 && slot->coupled; ++i) {
        diagonal[i] += own[i];
    }
    for (int b = pattern->column[j]; b < pattern->column[j + 1]; ++b) {
        lb_loop_slot *other = get_slot(model, work, pattern->row[b]);
        if (!other->active) {
            continue;
        }
        prepare(model, work, other);
        if (are_coupled(model, other, slot)) {
            double *block = loops->blocks + (ptrdiff_t)36 * b;
            lb_form_loop_block(model, work, other, slot, loops->filled[b] ? own : block);
            for (int i = 0; i < 36 && loops->filled[b]; ++i) {
                block[i] += own[i];
            }
            loops->filled[b] = 1;
        }
    }
}

// A -= L_ij L_kj*, n x m, over the rank of column j
static void subtract(int n, int m, int rank, const double *x, const double *y, double *A)
{
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < m; ++k) {
            for (int c = 0; c < rank; ++c) {
                A[6 * i + k] -= x[6 * i + c] * y[6 * k + c];
            }
        }
    }
}

// Takes column j out of the rest.
static void eliminate(const lb_model *model, lb_work *work, int j)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    const lb_loop_slot *slot = get_slot(model, work, j);
    const int end = pattern->column[j + 1];
    for (int b = pattern->column[j]; b < end; ++b) {
        if (loops->filled[b]) {
            double *block = loops->blocks + (ptrdiff_t)36 * b;
            const int n = get_slot(model, work, pattern->row[b])->loop.row_count;
            for (int i = 0; i < n; ++i) {
                solve_inner(slot, block + (ptrdiff_t)6 * i, block + (ptrdiff_t)6 * i);
            }
            loops->filled[b] = slot->rank > 0;
        }
    }
    for (int b = pattern->column[j]; b < end; ++b) {
        if (!loops->filled[b]) {
            continue;
        }
        const int k = pattern->row[b];
        lb_loop_slot *other = get_slot(model, work, k);
        const int m = other->loop.row_count;
        const double *y = loops->blocks + (ptrdiff_t)36 * b;
        double *diagonal = loops->diagonal + (ptrdiff_t)36 * k;
        if (!other->coupled) {
            memset(diagonal, 0, 36 * sizeof *diagonal);
            other->coupled = 1;
        }
        subtract(m, m, slot->rank, y, y, diagonal);
        int target = pattern->column[k];
        for (int c = b + 1; c < end; ++c) {
            if (!loops->filled[c]) {
                continue;
            }
            const int i = pattern->row[c];
            while (pattern->row[target] < i) {
                ++target;
            }
            double *A = loops->blocks + (ptrdiff_t)36 * target;
            if (!loops->filled[target]) {
                memset(A, 0, 36 * sizeof *A);
                loops->filled[target] = 1;
            }
            const int n = get_slot(model, work, i)->loop.row_count;
            subtract(n, m, slot->rank, loops->blocks + (ptrdiff_t)36 * c, y, A);
        }
    }
}

// ---- what several loops repeat -----------------------------------------------------------------

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

// Whether directions that the block at i has lost were lost to other loops: whether Lambda itself has
// anything along them.
static int reaches_others(const lb_model *model, const lb_work *work, int i, double threshold)
{
    const lb_loop_pattern *pattern = model->pattern;
    const lb_loop_slot *slot = get_slot(model, work, i);
    double sum = 0.0;
    for (int e = pattern->across[i]; e < pattern->across[i + 1]; ++e) {
        const double *L = work->loops->blocks + (ptrdiff_t)36 * pattern->entry[e];
        const int rank = get_slot(model, work, pattern->at[e])->rank;
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
    return sum > threshold;
}

// A direction x with Lambda x = 0 that ends in column n of Q at position i                 (CLO-8)
//
//     L* x = 0:   x_i = Q_i,n,   x_j = -L_jj^+* sum over k > j of L_kj* x_k
//
// made orthogonal to those before, and kept while there is memory for it.
static void keep_direction(const lb_model *model, lb_work *work, int i, int n)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    double *x = loops->y; // by position
    int first = i;
    memset(x + (ptrdiff_t)6 * i, 0, 6 * sizeof *x);
    for (int r = 0; r < get_slot(model, work, i)->loop.row_count; ++r) {
        x[6 * i + r] = get_slot(model, work, i)->Q[6 * r + n];
    }
    for (int j = i; j >= first; --j) {
        const lb_loop_slot *slot = get_slot(model, work, j);
        if (j < i) {
            double t[6] = {0};
            for (int b = pattern->column[j]; b < pattern->column[j + 1]; ++b) {
                const int k = pattern->row[b];
                if (k > i || !loops->filled[b]) {
                    continue;
                }
                const double *L = loops->blocks + (ptrdiff_t)36 * b;
                for (int c = 0; c < slot->rank; ++c) {
                    for (int r = 0; r < get_slot(model, work, k)->loop.row_count; ++r) {
                        t[c] -= L[6 * r + c] * x[6 * k + r];
                    }
                }
            }
            solve_outer(slot, t, x + (ptrdiff_t)6 * j);
        }
        for (int e = pattern->across[j]; slot->active && e < pattern->across[j + 1]; ++e) {
            if (loops->filled[pattern->entry[e]]) {
                first = pattern->at[e] < first ? pattern->at[e] : first;
                break;
            }
        }
    }
    const size_t size = 6 * (size_t)(i - first + 1);
    if (loops->null_used + size > pattern->null_count) {
        loops->overflow = 1;
        return;
    }
    lb_loop_null *null = &loops->null_space[loops->null_space_count];
    *null = (lb_loop_null){first, i, loops->nulls + loops->null_used};
    memcpy(null->x, x + (ptrdiff_t)6 * first, size * sizeof *x);
    // once more than the first time, for what round-off has left
    for (int pass = 0; pass < 2; ++pass) {
        for (int o = 0; o < loops->null_space_count; ++o) {
            const lb_loop_null *other = &loops->null_space[o];
            if (other->last >= first) {
                // it may begin before this one
                if (other->first < null->first) {
                    const size_t more = 6 * (size_t)(null->first - other->first);
                    const size_t now = 6 * (size_t)(i - null->first + 1);
                    if (loops->null_used + now + more > pattern->null_count) {
                        loops->overflow = 1;
                        return;
                    }
                    memmove(null->x + more, null->x, now * sizeof *x);
                    memset(null->x, 0, more * sizeof *x);
                    null->first = other->first;
                }
                const double along = multiply(other, null->x, null->first, i);
                subtract_along(other, along, null->x, null->first, i);
            }
        }
        double norm = 0.0;
        for (int e = 0; e < 6 * (i - null->first + 1); ++e) {
            norm += null->x[e] * null->x[e];
        }
        norm = 1.0 / sqrt(norm);
        for (int e = 0; e < 6 * (i - null->first + 1); ++e) {
            null->x[e] *= norm;
        }
    }
    loops->null_used += 6 * (size_t)(i - null->first + 1);
    ++loops->null_space_count;
}

static int is_alone(const lb_model *model, const lb_work *work, int j)
{
    int alone = !get_slot(model, work, j)->coupled;
    for (int b = model->pattern->column[j]; b < model->pattern->column[j + 1]; ++b) {
        alone = alone && !work->loops->filled[b];
    }
    return alone;
}

// Lambda = L L* with rank decisions                                                       (CLO-4)
//
// Everything of a loop in one go, while it is at hand; where it has to do with no other, multipliers
// and their forces included.
static void factor(const lb_model *model, lb_work *work, const double *a, double *x)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    memset(loops->filled, 0, (size_t)pattern->block_count);
    memset(loops->marked, 0, (size_t)model->body_count);
    loops->rows = loops->rank = loops->null_space_count = loops->overflow = 0;
    loops->null_used = 0;
    loops->rest_count = 0;
    loops->conflict = 0.0;
    loops->conflict_loop = -1;
    ++loops->stamp;
    for (int j = 0; j < pattern->count; ++j) {
        lb_loop_slot *slot = get_slot(model, work, j);
        double *r = x ? x + (ptrdiff_t)6 * pattern->slot[j] : NULL;
        if (r) {
            memset(r, 0, 6 * sizeof *r);
        }
        if (!slot->active) {
            slot->rank = slot->crossing = slot->coupled = 0;
            continue;
        }
        prepare(model, work, slot);
        form_column(model, work, j);
        const int n = slot->loop.row_count;
        const double threshold = RANK_THRESHOLD * slot->scale;
        memset(slot->R, 0, sizeof slot->R);
        slot->rank = factor_cholesky(n, loops->diagonal + (ptrdiff_t)36 * j, threshold, slot->R);
        factor_orthogonal(n, slot->rank, slot->R, slot->Q);
        loops->rows += n;
        loops->rank += slot->rank;
        slot->crossing =
            slot->rank < n && slot->coupled && reaches_others(model, work, j, threshold);
        for (int c = slot->rank; slot->crossing && c < n; ++c) {
            keep_direction(model, work, j, c);
        }
        eliminate(model, work, j);
        if (r) {
            lb_compute_acceleration_error(model, work, slot, a, r);
            for (int i = 0; i < n; ++i) {
                r[i] = -r[i];
            }
        }
        if (r && is_alone(model, work, j)) {
            judge_inner(loops, slot, pattern->slot[j], r);
            solve_inner(slot, r, r);
            solve_outer(slot, r, r);
            lb_add_loop_force(model, work, slot, r);
        } else {
            loops->rest[loops->rest_count++] = j;
        }
    }
}

void lb_factor_admittance(const lb_model *model, lb_work *work)
{
    factor(model, work, NULL, NULL);
}

// Takes those directions out of x. With `judge`, what there was of them is a conflict.
static void project(const lb_model *model, lb_loop_work *loops, double *x, int judge)
{
    for (int o = 0; o < loops->null_space_count; ++o) {
        const lb_loop_null *null = &loops->null_space[o];
        double along = 0.0;
        for (int p = null->first; p <= null->last; ++p) {
            const double *at = x + (ptrdiff_t)6 * model->pattern->slot[p];
            const double *entry = null->x + (ptrdiff_t)6 * (p - null->first);
            for (int i = 0; i < 6; ++i) {
                along += entry[i] * at[i];
            }
        }
        if (judge) {
            note_conflict(loops, model->pattern->slot[null->last], fabs(along));
        }
        for (int p = null->first; p <= null->last; ++p) {
            double *at = x + (ptrdiff_t)6 * model->pattern->slot[p];
            const double *entry = null->x + (ptrdiff_t)6 * (p - null->first);
            for (int i = 0; i < 6; ++i) {
                at[i] -= along * entry[i];
            }
        }
    }
}

// Least-norm multipliers                                                                  (CLO-8)
//
//     lambda = N^ L*^+ L^+ N^ r,   N^ = I - sum x x* over the directions x with Lambda x = 0
//
// Within a block the pseudo-inverse of L_jj sees to it; what several loops repeat is taken out of the
// right side, so that it has a solution, and of the solution, so that it is the smallest. For the
// positions that are left to solve for.
static void solve_rest(const lb_model *model, lb_work *work, double *x)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    project(model, loops, x, 1);
    for (int p = 0; p < loops->rest_count; ++p) {
        const int j = loops->rest[p];
        const lb_loop_slot *slot = get_slot(model, work, j);
        double *y = x + (ptrdiff_t)6 * pattern->slot[j];
        judge_inner(loops, slot, pattern->slot[j], y);
        solve_inner(slot, y, y);
        for (int b = pattern->column[j]; b < pattern->column[j + 1]; ++b) {
            const int i = pattern->row[b];
            const double *L = loops->blocks + (ptrdiff_t)36 * b;
            double *r = x + (ptrdiff_t)6 * pattern->slot[i];
            for (int e = 0; loops->filled[b] && e < get_slot(model, work, i)->loop.row_count; ++e) {
                for (int c = 0; c < slot->rank; ++c) {
                    r[e] -= L[6 * e + c] * y[c];
                }
            }
        }
    }
    for (int p = loops->rest_count - 1; p >= 0; --p) {
        const int j = loops->rest[p];
        const lb_loop_slot *slot = get_slot(model, work, j);
        double *y = x + (ptrdiff_t)6 * pattern->slot[j];
        for (int b = pattern->column[j]; b < pattern->column[j + 1]; ++b) {
            const int i = pattern->row[b];
            const double *L = loops->blocks + (ptrdiff_t)36 * b;
            const double *lambda = x + (ptrdiff_t)6 * pattern->slot[i];
            for (int e = 0; loops->filled[b] && e < get_slot(model, work, i)->loop.row_count; ++e) {
                for (int c = 0; c < slot->rank; ++c) {
                    y[c] -= L[6 * e + c] * lambda[e];
                }
            }
        }
        solve_outer(slot, y, y);
    }
    project(model, loops, x, 0);
}

void lb_solve_admittance(const lb_model *model, lb_work *work, double *x)
{
    lb_loop_work *loops = work->loops;
    loops->rest_count = 0;
    loops->conflict = 0.0;
    loops->conflict_loop = -1;
    for (int j = 0; j < model->pattern->count; ++j) {
        const lb_loop_slot *slot = get_slot(model, work, j);
        for (int i = slot->active ? slot->loop.row_count : 0; i < 6; ++i) {
            x[6 * model->pattern->slot[j] + i] = 0.0;
        }
        if (slot->active) {
            loops->rest[loops->rest_count++] = j;
        }
    }
    solve_rest(model, work, x);
}

void lb_solve_accelerations(const lb_model *model, lb_work *work, const double *a, double *x)
{
    const lb_loop_work *loops = work->loops;
    lb_clear_loop_forces(model, work);
    factor(model, work, a, x);
    solve_rest(model, work, x);
    for (int p = 0; p < loops->rest_count; ++p) {
        const int j = loops->rest[p];
        lb_add_loop_force(model, work, get_slot(model, work, j),
                          x + (ptrdiff_t)6 * model->pattern->slot[j]);
    }
}
