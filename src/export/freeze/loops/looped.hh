// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Step D of closed loops with the decisions of one state. The engine chooses the order of pivots and the rank of each
// block at every state. Here the sample state chooses both, and pivots are compared with their thresholds at every
// call: those that were taken have to stay above, those that were left have to stay below.
#ifndef LB_LOOPED_HH
#define LB_LOOPED_HH

#define lb_note_conflict lb_note_conflict_plain
#define lb_get_loop_scale lb_get_loop_scale_plain
#include "dynamics/loops/loop_factor.h"
#undef lb_note_conflict
#undef lb_get_loop_scale

/// By slot, at the sample state: what lb_get_loop_scale returns. It only sets the size of thresholds.
static thread_local const lb_term *loop_scales;

static double lb_get_loop_scale(const lb_model *model, lb_work *work, const lb_loop_slot *slot)
{
    return loop_scales[slot - work->loops->slots];
}

// nothing is said about contradictions
static inline void lb_note_conflict(lb_loop_work *loops, int loop, double size)
{
}

// ---- what is not recorded ----------------------------------------------------------------------

// the caller has looked at its numbers
lb_status lb_check_loop_numbers(lb_work *work, const char *name, ptrdiff_t n, const double *x)
{
    return LB_OK;
}

// loops that are recorded have no hubs, and no load but their own
#define lb_open_hub(...) abort()
#define lb_meet_hub(...) abort()
#define lb_close_hub(...) abort()
#define lb_clear_hub(...) abort()
#define lb_enter_hub(...) abort()
#define lb_leave_hub(...) abort()
#define lb_settle_hub(...) abort()
#define lb_mark_hub_repeats(...) abort()
#define lb_get_hub_pivot(...) (abort(), 0.0)

// ---- blocks ------------------------------------------------------------------------------------

static inline auto get_value(double x)
{
    return lb_get_term_value(graph, x.term);
}

static inline bool is_zero(double x)
{
    return !lb_is_node(x.term) && x.term.number == 0;
}

// S = L L* (CLO-4). Returns the rank; rows in the order of pivots, then those that are left.
static int factor_in_order(int n, const double *S, double threshold, double *L, int *order)
{
    double d[6];
    bool taken[6] = {false};
    int rank = 0;
    for (int i = 0; i < n; ++i) {
        d[i] = S[7 * i];
    }
    for (; rank < n; ++rank) {
        int p = -1;
        for (int i = 0; i < n; ++i) {
            if (!taken[i] && (p < 0 || get_value(d[i]) > get_value(d[p]))) {
                p = i;
            }
        }
        if (!(get_value(d[p]) > get_value(threshold)) || !(d[p] > threshold)) {
            break;
        }
        taken[p] = true;
        order[rank] = p;
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
    int count = rank;
    for (int i = 0; i < n; ++i) {
        if (!taken[i]) {
            order[count++] = i;
            (void)(d[i] > threshold);
        }
    }
    return rank;
}

// Makes column c of Q, which holds anything outside the span of those before, orthonormal to them; what it had of
// them is added to column c of R. Twice, for what round-off has left.
static void make_orthonormal(int n, int c, double *Q, double *R)
{
    double size = 1.0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int b = 0; b < c; ++b) {
            double along = 0.0;
            for (int i = 0; i < n; ++i) {
                along += Q[6 * i + b] * Q[6 * i + c];
            }
            for (int i = 0; i < n; ++i) {
                Q[6 * i + c] -= along * Q[6 * i + b];
            }
            R[6 * b + c] += size * along;
        }
        double square = 0.0;
        for (int i = 0; i < n; ++i) {
            square += Q[6 * i + c] * Q[6 * i + c];
        }
        const double norm = sqrt(square);
        for (int i = 0; i < n; ++i) {
            Q[6 * i + c] /= norm;
        }
        size *= norm;
    }
    R[7 * c] = size;
}

// The same factors as those of the engine up to an orthogonal matrix between them. Where rows that are left have
// nothing in L, Q only puts rows and columns in order: L, both turned round, is a triangle then.
int lb_factor_block(int n, const double *S, double threshold, double *R, double *Q, double *left)
{
    double L[36];
    int order[6];
    for (int i = 0; i < 36; ++i) {
        L[i] = R[i] = Q[i] = 0.0;
    }
    *left = 0.0;
    const int rank = factor_in_order(n, S, threshold, L, order);
    bool plain = true;
    for (int i = rank; i < n; ++i) {
        for (int c = 0; c < rank; ++c) {
            plain = plain && is_zero(L[6 * order[i] + c]);
        }
    }
    for (int c = 0; c < n; ++c) {
        const int row = order[plain && c < rank ? rank - 1 - c : c];
        if (plain || c >= rank) {
            Q[6 * row + c] = 1.0;
        }
        for (int i = 0; plain && c < rank && i <= c; ++i) {
            R[6 * i + c] = L[6 * order[rank - 1 - i] + rank - 1 - c];
        }
        for (int i = 0; !plain && c < rank && i < n; ++i) {
            Q[6 * i + c] = L[6 * i + c];
        }
        if (!plain) {
            double rest[36] = {0};
            make_orthonormal(n, c, Q, c < rank ? R : rest);
        }
    }
    return rank;
}

// ---- directions that several loops repeat ------------------------------------------------------

// a pivot is as good here as its threshold says
void lb_drop_noise(const lb_model *model, lb_work *work, int j, const double A[36])
{
}

int lb_reaches_others_plain(const lb_model *model, const lb_work *work, int i, double threshold);

// A direction that is shared at the sample state may end in one loop elsewhere: it is a direction there too.
int lb_reaches_others(const lb_model *model, const lb_work *work, int i, double threshold)
{
    const int before = graph->guard_count;
    const int reaches = lb_reaches_others_plain(model, work, i, threshold);
    graph->guard_count = reaches ? before : graph->guard_count;
    return reaches;
}

#endif // LB_LOOPED_HH
