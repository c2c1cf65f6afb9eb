// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Step D: the factors of the admittance of all closures, and multipliers by them.
//
//     Lambda = L L*,   L_jj = Q_j R_j,   L_ij = A_ij Q_j R_j^-*                            (CLO-4)
//
// block by block in the order of the pattern, A what the loops eliminated before have left of
// Lambda. Each block of the diagonal decides its own rank by a Cholesky factorisation that pivots
// within it; Q_j is orthonormal and spans its range. Where hubs are taken out it is Lambda_0 that is
// factored so, what is left of Lambda while they stand still (HUB-1).
#include <math.h>
#include <string.h>

#include "loop_factor.h"
#include "model/kernel_table.h"

// What of a right side the block does not reach: its part along the null space.
static void judge_inner(lb_loop_work *loops, const lb_loop_slot *s, int loop, const double *r)
{
    double square = 0.0;
    for (int c = s->rank; c < s->loop.row_count; ++c) {
        const double along = lb_read_column(s, c, r);
        square += along * along;
    }
    lb_note_conflict(loops, loop, sqrt(square));
}

// ---- all blocks --------------------------------------------------------------------------------

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

// Nothing at the hubs yet; a spare loop may come to have to do with all of them.
static void clear_edges(const lb_model *model, lb_work *work, int loop)
{
    const lb_loop_pattern *pattern = model->pattern;
    const int position = pattern->position[loop];
    const size_t size = pattern->edge[position + 1] - pattern->edge[position];
    memset(work->loops->edges + pattern->edge[position], 0, size * sizeof *work->loops->edges);
}

void lb_prepare_slot(const lb_model *model, lb_work *work, lb_loop_slot *slot)
{
    if (slot->placed != work->loops->stamp) {
        slot->placed = work->loops->stamp;
        slot->rank = slot->reached = slot->coupled = 0;
        slot->kept = 0;
        lb_place_loop(model, work, slot);
        lb_find_admittances(model, work, slot);
        if (model->pattern->hub_count) {
            clear_edges(model, work, (int)(slot - work->loops->slots));
        }
    }
}

double *lb_open_diagonal(const lb_model *model, lb_work *work, int position)
{
    lb_loop_slot *slot = lb_get_slot(model, work, position);
    double *diagonal = work->loops->diagonal + (ptrdiff_t)36 * position;
    if (!slot->coupled) {
        memset(diagonal, 0, 36 * sizeof *diagonal);
        slot->coupled = 1;
    }
    return diagonal;
}

double *lb_open_block(lb_work *work, int block)
{
    double *A = work->loops->blocks + (ptrdiff_t)36 * block;
    if (!work->loops->filled[block]) {
        memset(A, 0, 36 * sizeof *A);
        work->loops->filled[block] = 1;
    }
    return A;
}

// Column j of Lambda, on top of what the loops before have taken from it; the block of the diagonal
// in A.
static void form_column(const lb_model *model, lb_work *work, int j, double A[36])
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    lb_loop_slot *slot = lb_get_slot(model, work, j);
    slot->scale = lb_get_loop_scale(model, work, slot);
    lb_form_loop_block(model, work, slot, slot, A);
    for (int i = 0; i < 36 && slot->coupled; ++i) {
        A[i] += loops->diagonal[36 * (ptrdiff_t)j + i];
    }
    for (int b = pattern->column[j]; b < pattern->column[j + 1]; ++b) {
        lb_loop_slot *other = lb_get_slot(model, work, pattern->row[b]);
        if (!other->active) {
            continue;
        }
        lb_prepare_slot(model, work, other);
        if (are_coupled(model, other, slot)) {
            double own[36], *block = loops->blocks + (ptrdiff_t)36 * b;
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
    const lb_loop_slot *slot = lb_get_slot(model, work, j);
    const int end = pattern->column[j + 1];
    for (int b = pattern->column[j]; b < end; ++b) {
        if (loops->filled[b]) {
            double *block = loops->blocks + (ptrdiff_t)36 * b;
            const int n = lb_get_slot(model, work, pattern->row[b])->loop.row_count;
            for (int i = 0; i < n; ++i) {
                lb_solve_inner(slot, block + (ptrdiff_t)6 * i, block + (ptrdiff_t)6 * i);
            }
            loops->filled[b] = slot->rank > 0;
        }
    }
    for (int b = pattern->column[j]; b < end; ++b) {
        if (!loops->filled[b]) {
            continue;
        }
        const int k = pattern->row[b];
        const int m = lb_get_slot(model, work, k)->loop.row_count;
        const double *y = loops->blocks + (ptrdiff_t)36 * b;
        subtract(m, m, slot->rank, y, y, lb_open_diagonal(model, work, k));
        int target = pattern->column[k];
        for (int c = b + 1; c < end; ++c) {
            if (!loops->filled[c]) {
                continue;
            }
            const int i = pattern->row[c];
            while (pattern->row[target] < i) {
                ++target;
            }
            const int n = lb_get_slot(model, work, i)->loop.row_count;
            subtract(n, m, slot->rank, loops->blocks + (ptrdiff_t)36 * c, y,
                     lb_open_block(work, target));
        }
    }
}

static int is_alone(const lb_model *model, const lb_work *work, int j)
{
    int alone = !lb_get_slot(model, work, j)->coupled;
    for (int b = model->pattern->column[j]; b < model->pattern->column[j + 1]; ++b) {
        alone = alone && !work->loops->filled[b];
    }
    return alone;
}

// Asks for the memory of the slot at position j, which is too much to come by itself in time.
static void fetch_slot(const lb_model *model, lb_work *work, int j)
{
    const char *slot = (const char *)lb_get_slot(model, work, j);
    for (size_t i = 0; i < sizeof(lb_loop_slot); i += 64) {
        __builtin_prefetch(slot + i, 1);
    }
}

// Lambda = L L* with rank decisions                                                       (CLO-4)
//
// Everything of a loop in one go, while it is at hand; where it has to do with no other, multipliers
// and their forces included. After the last loop of a group its hubs are closed.
static void factor(const lb_model *model, lb_work *work, const double *a, double *x)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    memset(loops->filled, 0, (size_t)pattern->block_count);
    memset(loops->marked, 0, (size_t)model->body_count);
    loops->rows = loops->rank = loops->null_space_count = loops->overflow = 0;
    loops->null_used = 0;
    loops->rest_count = 0;
    loops->conflict = loops->doubt = 0.0;
    loops->conflict_loop = -1;
    ++loops->stamp;
    if (pattern->hub_count) {
        const int last = pattern->count - pattern->ordered;
        memset(loops->met, 0, (size_t)pattern->hub_count * (size_t)last);
    }
    for (int j = 0; j < pattern->count; ++j) {
        lb_loop_slot *slot = lb_get_slot(model, work, j);
        const int group = pattern->group[j];
        double *r = x ? x + (ptrdiff_t)6 * pattern->slot[j] : NULL;
        if (j + 1 < pattern->count) {
            fetch_slot(model, work, j + 1);
        }
        if (r) {
            memset(r, 0, 6 * sizeof *r);
        }
        if (group >= 0 && j == pattern->hubs[group].first) {
            lb_open_hub(model, work, group);
        }
        if (slot->active) {
            lb_prepare_slot(model, work, slot);
            double A[36];
            form_column(model, work, j, A);
            const int n = slot->loop.row_count;
            const double threshold = LB_RANK_THRESHOLD * slot->scale;
            slot->rank = lb_factor_block(n, A, threshold, slot->R, slot->Q, &slot->left);
            if (slot->coupled) {
                lb_drop_noise(model, work, j, A);
            }
            loops->rows += n;
            loops->rank += slot->rank;
            const int crossing =
                slot->rank < n && slot->coupled && lb_reaches_others(model, work, j, threshold);
            slot->crossing = crossing;
            for (int c = slot->rank; crossing && group < 0 && c < n; ++c) {
                lb_keep_direction(model, work, j, c, -1);
            }
            eliminate(model, work, j);
            if (group >= 0) {
                lb_meet_hub(model, work, j);
            }
            if (r) {
                lb_compute_acceleration_error(model, work, slot, a, r);
                for (int i = 0; i < n; ++i) {
                    r[i] = -r[i];
                }
            }
            if (r && group < 0 && is_alone(model, work, j)) {
                judge_inner(loops, slot, pattern->slot[j], r);
                lb_solve_inner(slot, r, r);
                lb_solve_outer(slot, r, r);
                lb_add_loop_force(model, work, slot, r);
            } else {
                loops->rest[loops->rest_count++] = j;
            }
        } else {
            slot->rank = slot->reached = slot->crossing = slot->coupled = 0;
            slot->kept = 0;
        }
        if (group >= 0 && j == pattern->hubs[group].last) {
            lb_close_hub(model, work, group);
            loops->rank += loops->hubs[group].rank;
        }
    }
}

void lb_factor_admittance(const lb_model *model, lb_work *work)
{
    factor(model, work, NULL, NULL);
}

// ---- right sides -------------------------------------------------------------------------------

// y = L_jj^+ r at j, and what it takes from those behind
static void eliminate_side(const lb_model *model, lb_work *work, int j, double *x, int judge)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    const lb_loop_slot *slot = lb_get_slot(model, work, j);
    double *y = x + (ptrdiff_t)6 * pattern->slot[j];
    if (pattern->group[j] >= 0) {
        for (int c = slot->rank; c < slot->loop.row_count; ++c) {
            if (!(slot->kept >> c & 1)) {
                loops->along[6 * j + c] = lb_read_column(slot, c, y);
            }
        }
    } else if (judge) {
        judge_inner(loops, slot, pattern->slot[j], y);
    }
    lb_solve_inner(slot, y, y);
    for (int b = pattern->column[j]; b < pattern->column[j + 1]; ++b) {
        const int i = pattern->row[b];
        const double *L = loops->blocks + (ptrdiff_t)36 * b;
        double *r = x + (ptrdiff_t)6 * pattern->slot[i];
        for (int e = 0; loops->filled[b] && e < lb_get_slot(model, work, i)->loop.row_count; ++e) {
            for (int c = 0; c < slot->rank; ++c) {
                r[e] -= L[6 * e + c] * y[c];
            }
        }
    }
}

void lb_substitute(const lb_model *model, const lb_work *work, int j, int last, double *x)
{
    const lb_loop_pattern *pattern = model->pattern;
    const lb_loop_work *loops = work->loops;
    const lb_loop_slot *slot = lb_get_slot(model, work, j);
    double *y = x + (ptrdiff_t)6 * pattern->slot[j];
    for (int b = pattern->column[j]; b < pattern->column[j + 1] && pattern->row[b] <= last; ++b) {
        const int i = pattern->row[b];
        const double *L = loops->blocks + (ptrdiff_t)36 * b;
        const double *lambda = x + (ptrdiff_t)6 * pattern->slot[i];
        for (int e = 0; loops->filled[b] && e < lb_get_slot(model, work, i)->loop.row_count; ++e) {
            for (int c = 0; c < slot->rank; ++c) {
                y[c] -= L[6 * e + c] * lambda[e];
            }
        }
    }
    lb_solve_outer(slot, y, y);
    for (int c = slot->rank; pattern->group[j] >= 0 && c < slot->loop.row_count; ++c) {
        for (int i = 0; !(slot->kept >> c & 1) && i < slot->loop.row_count; ++i) {
            y[i] += slot->Q[6 * i + c] * loops->along[6 * j + c];
        }
    }
}

// Least-norm multipliers                                                                  (CLO-8)
//
//     lambda = N^ L*^+ L^+ N^ r,   N^ = I - sum x x* over the directions x with Lambda x = 0
//
// Within a block the pseudo-inverse of L_jj sees to it; what several loops repeat is taken out of the
// right side, so that it has a solution, and of the solution, so that it is the smallest. For the
// positions that are left to solve for. Hubs stand between their loops and the spare ones.
static void solve_rest(const lb_model *model, lb_work *work, double *x, int judge)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    const int count = loops->rest_count;
    int p = 0;
    lb_take_directions(model, loops, x, judge);
    for (int g = 0; g < pattern->hub_count; ++g) {
        lb_clear_hub(model, work, g, x, judge);
    }
    for (; p < count && loops->rest[p] < pattern->ordered; ++p) {
        eliminate_side(model, work, loops->rest[p], x, judge);
    }
    const int spare = p;
    for (int g = 0; g < pattern->hub_count; ++g) {
        lb_enter_hub(model, work, g, x, judge);
    }
    for (; p < count; ++p) {
        eliminate_side(model, work, loops->rest[p], x, judge);
    }
    while (p-- > spare) {
        lb_substitute(model, work, loops->rest[p], pattern->count, x);
    }
    for (int g = 0; g < pattern->hub_count; ++g) {
        lb_leave_hub(model, work, g, x);
    }
    for (p = spare - 1; p >= 0; --p) {
        lb_substitute(model, work, loops->rest[p], pattern->count, x);
    }
    for (int g = 0; g < pattern->hub_count; ++g) {
        lb_settle_hub(model, work, g, x);
    }
    lb_take_directions(model, loops, x, 0);
}

// x += y at the positions that are left to solve for. Returns the norm of y.
static double add_rest(const lb_model *model, const lb_loop_work *loops, double factor,
                       const double *y, double *x)
{
    double square = 0.0;
    for (int p = 0; p < loops->rest_count; ++p) {
        const ptrdiff_t at = (ptrdiff_t)6 * model->pattern->slot[loops->rest[p]];
        for (int i = 0; i < 6; ++i) {
            x[at + i] += factor * y[at + i];
            square += y[at + i] * y[at + i];
        }
    }
    return sqrt(square);
}

// Multipliers of the rest, made better where hubs cost digits                            (HUB-5)
//
//     lambda := lambda + Lambda^+ (r - J M^-1 J* lambda)
//
// by the sweeps, until it changes no more or no longer comes closer. Returns how often.
static int solve_refined(const lb_model *model, lb_work *work, double *x)
{
    enum { MOST = 6 };
    lb_loop_work *loops = work->loops;
    const size_t size = 6 * (size_t)model->pattern->count * sizeof *x;
    const int refine = loops->doubt > LB_REFINE_ABOVE;
    double *r = loops->side, *more = loops->more;
    if (refine) {
        memcpy(r, x, size);
    }
    solve_rest(model, work, x, 1);
    double before = INFINITY;
    int count = 0;
    while (refine && count < MOST) {
        lb_collect_loop_forces(model, work, x);
        model->kernels->response(model, work, loops->load, loops->tau, NULL, work->response, NULL);
        lb_apply_rows(model, work, work->response, more);
        for (int p = 0; p < loops->rest_count; ++p) {
            const int l = model->pattern->slot[loops->rest[p]];
            for (int i = 0; i < 6; ++i) {
                const int row = i < loops->slots[l].loop.row_count;
                more[6 * l + i] = row ? r[6 * l + i] - more[6 * l + i] : 0.0;
            }
        }
        solve_rest(model, work, more, 0);
        const double change = add_rest(model, loops, 0.0, more, x);
        if (!(change < 0.5 * before)) {
            break;
        }
        ++count;
        before = change;
        add_rest(model, loops, 1.0, more, x);
        if (change <= LB_REFINE_ABOVE * add_rest(model, loops, 0.0, x, x)) {
            break;
        }
    }
    return count;
}

void lb_solve_admittance(const lb_model *model, lb_work *work, double *x)
{
    lb_loop_work *loops = work->loops;
    loops->rest_count = 0;
    loops->conflict = 0.0;
    loops->conflict_loop = -1;
    for (int j = 0; j < model->pattern->count; ++j) {
        const lb_loop_slot *slot = lb_get_slot(model, work, j);
        for (int i = slot->active ? slot->loop.row_count : 0; i < 6; ++i) {
            x[6 * model->pattern->slot[j] + i] = 0.0;
        }
        if (slot->active) {
            loops->rest[loops->rest_count++] = j;
        }
    }
    solve_refined(model, work, x);
}

void lb_keep_redundant(const lb_model *model, lb_work *work, double *x)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    double *rest = loops->y;
    memcpy(rest, x, 6 * (size_t)pattern->count * sizeof *x);
    for (int j = 0; j < pattern->count; ++j) {
        const lb_loop_slot *slot = lb_get_slot(model, work, j);
        double *at = rest + (ptrdiff_t)6 * pattern->slot[j];
        const int rows = slot->active && !slot->crossing ? slot->loop.row_count : 0;
        for (int c = slot->rank; c < rows && pattern->group[j] < 0; ++c) {
            const double along = lb_read_column(slot, c, at);
            for (int i = 0; i < rows; ++i) {
                at[i] -= along * slot->Q[6 * i + c];
            }
        }
    }
    lb_take_directions(model, loops, rest, 0);
    for (int g = 0; g < pattern->hub_count; ++g) {
        lb_settle_hub(model, work, g, rest);
    }
    for (int i = 0; i < 6 * pattern->count; ++i) {
        x[i] -= rest[i];
    }
}

void lb_solve_accelerations(const lb_model *model, lb_work *work, const double *a, double *x)
{
    const lb_loop_work *loops = work->loops;
    lb_clear_loop_forces(model, work);
    factor(model, work, a, x);
    if (solve_refined(model, work, x)) {
        lb_collect_loop_forces(model, work, x);
        return;
    }
    for (int p = 0; p < loops->rest_count; ++p) {
        const int j = loops->rest[p];
        lb_add_loop_force(model, work, lb_get_slot(model, work, j),
                          x + (ptrdiff_t)6 * model->pattern->slot[j]);
    }
}

// ---- what others ask ---------------------------------------------------------------------------

double lb_get_smallest_pivot(const lb_model *model, const lb_work *work, int position)
{
    const lb_loop_slot *slot = lb_get_slot(model, work, position);
    double smallest = INFINITY;
    if (model->pattern->group[position] >= 0) {
        return lb_get_hub_pivot(model, work, position);
    }
    for (int i = 0; i < slot->rank; ++i) {
        const double pivot = slot->R[7 * i] * slot->R[7 * i];
        smallest = pivot < smallest ? pivot : smallest;
    }
    return smallest;
}

void lb_mark_repeats(const lb_model *model, const lb_work *work, int position,
                     unsigned char *repeats)
{
    const lb_loop_slot *slot = lb_get_slot(model, work, position);
    if (model->pattern->group[position] >= 0) {
        lb_mark_hub_repeats(model, work, position, repeats);
        return;
    }
    for (int c = slot->rank; c < slot->loop.row_count; ++c) {
        lb_mark_direction(model, work, position, c, repeats);
    }
}
