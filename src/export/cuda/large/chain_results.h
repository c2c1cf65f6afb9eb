// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain: accelerations of a run and their check, base to tip.
#ifndef LB_CHAIN_RESULTS_H
#define LB_CHAIN_RESULTS_H

#include "chain_body.h"
#include "verdict.h"

LB_CARD void lb_keep_upper3(const double *a, unsigned *largest)
{
    LB_UNROLL for (int e = 0; e < 3; ++e)
    {
        lb_keep_upper(a[e], largest);
    }
}

// F = P A + z - E f across the hinge of a marked body.
LB_CARD void lb_find_force(const lb_chain *c, int i, int k, const double *A, const double *f,
                           double *F)
{
    const double *mark = lb_get_mark(c, i, k) - LB_NODE_E * LB_CARD_TEAM;
    LB_UNROLL for (int e = 0; e < 6; ++e)
    {
        double sum = mark[(LB_NODE_Z + e) * LB_CARD_TEAM];
        LB_UNROLL for (int j = 0; j < 6; ++j)
        {
            sum += mark[(LB_NODE_P + LB_LOWER(e, j)) * LB_CARD_TEAM] * A[j];
            sum -= mark[(LB_NODE_E + 6 * e + j) * LB_CARD_TEAM] * f[j];
        }
        F[e] = sum;
    }
}

// A force across a hinge, less what the body beyond it needs by itself, carried to the next hinge outboard.
LB_CARD void lb_pass_force_on(const lb_link_pose *X, double *F)
{
    double t[3];
    lb_cross(X->p, F + 3, t);
    LB_UNROLL for (int e = 0; e < 3; ++e)
    {
        t[e] = F[e] - t[e];
    }
    lb_turn_out(X, t, F);
    lb_turn_out(X, F + 3, F + 3);
}

// What a body needs by itself: M A + b.
LB_CARD void lb_get_need(const double *record, const double *A, const double *w, double *need)
{
    const double m = LB_OF(LB_ROW_M);
    double h[3], t[3];
    LB_UNROLL for (int e = 0; e < 3; ++e)
    {
        h[e] = LB_OF(LB_ROW_H + e);
    }
    lb_get_gyroscopic(record, w, need);
    lb_cross(h, A + 3, t);
    LB_UNROLL for (int e = 0; e < 3; ++e)
    {
        need[e] += t[e];
        LB_UNROLL for (int j = 0; j < 3; ++j)
        {
            need[e] += LB_OF(LB_ROW_J + LB_THIRD(e, j)) * A[j];
        }
    }
    lb_cross(A, h, t);
    LB_UNROLL for (int e = 0; e < 3; ++e)
    {
        need[3 + e] += m * A[3 + e] + t[e];
    }
}

// What the check knows of a run: the force across the hinge at hand, and the largest shift so far.
typedef struct lb_trace {
    double F[6];
    unsigned shift; ///< see lb_get_upper
} lb_trace;

LB_CARD void lb_check_hinge(lb_trace *trace, double tau, double d)
{
    lb_keep_upper((tau - trace->F[2]) * d, &trace->shift);
}

// The force at a marked body found anew. The difference is brought to the bodies inboard, as moments about their hinges.
//
// @param about  largest 1/D of them
// @param lever  the same times the distance to the body at most
LB_CARD void lb_renew_trace(lb_trace *trace, const lb_chain *c, int i, int k, const double *A,
                            const double *f, double about, double lever)
{
    double F[6], moment = 0.0, force = 0.0;
    lb_find_force(c, i, k, A, f, F);
    LB_UNROLL for (int e = 0; e < 3; ++e)
    {
        moment += fabs(F[e] - trace->F[e]);
        force += fabs(F[3 + e] - trace->F[3 + e]);
    }
    LB_UNROLL for (int e = 0; e < 6; ++e)
    {
        trace->F[e] = F[e];
    }
    lb_keep_upper(about * moment + lever * force, &trace->shift);
}

// What is left of a force must be what was told at the open handle, with the opposite sign; beyond a tip there is none. A
// difference delta moves coordinate i by K_i delta.
//
// @param reach  largest entries of all K_i
LB_CARD void lb_close_trace(lb_trace *trace, const double *f, const unsigned *reach)
{
    double off = 0.0;
    LB_UNROLL for (int e = 0; e < 6; ++e)
    {
        off += lb_from_upper(reach[e]) * fabs(trace->F[e] + f[e]);
    }
    lb_keep_upper(off, &trace->shift);
}

/// The last values of a lane, up to four, which are written together: lanes are far apart, and memory is written in pieces of
/// four numbers.
typedef struct lb_held {
    double values[4];
    int count;
} lb_held;

LB_CARD void lb_hold_value(lb_held *held, double value, int i, int is_last, double *a_out)
{
    LB_UNROLL for (int e = 0; e < 3; ++e)
    {
        held->values[e] = held->values[e + 1];
    }
    held->values[3] = value;
    ++held->count;
    if (held->count == 4 || is_last) {
        LB_UNROLL for (int e = 0; e < 4; ++e)
        {
            if (e >= 4 - held->count) {
                a_out[i - 3 + e] = held->values[e];
            }
        }
        held->count = 0;
    }
}

// Accelerations of a run, base to tip (DCA-7), and the check of its bodies (DCA-8). The check goes the
// same way, so that records are read once: F across the first hinge is what was told, each body passes on
// what it does not need, and what is left at the open handle must be the force told there. What is passed on collects
// the errors of all bodies inboard. So in long runs a second trace starts anew at every marked body. Each of the two
// overrates what is wrong, and the smaller one is kept.
//
// @param letter  what the run was told
// @param ring    room of the lane for LB_RING long records
// @param a_out   out: by body of the run
// @param verdict in and out: largest values, see lb_get_upper
LB_CARD void lb_disassemble_chain_run(const lb_chain *c, int k, const double *letter, double *ring,
                                      double *a_out, unsigned *verdict)
{
    const int first = lb_get_first(c, k), last = lb_get_last(c, k);
    double A[6], f[6], w[3], lever = 0.0;
    unsigned reach[6], about = 0u; // 1/D of what is inboard
    lb_trace passed, renewed;
    lb_held held = {{0.0, 0.0, 0.0, 0.0}, 0};
    LB_UNROLL for (int n = 0; n < LB_RING - 1; ++n)
    {
        lb_ask(lb_find_link(c, first + n, k, first, last), ring, LB_LONG_RECORD, n);
    }
    LB_UNROLL for (int e = 0; e < 6; ++e)
    {
        A[e] = letter[LB_LETTER_A + e];
        f[e] = letter[LB_LETTER_f + e];
        passed.F[e] = renewed.F[e] = letter[LB_LETTER_F + e];
        reach[e] = 0u;
    }
    const double first_value = letter[LB_LETTER_VALUE];
    passed.shift = renewed.shift = 0u;
    lb_get_end_velocity(c, k - 1, w);
    for (int i = first; i <= last; ++i) {
        const double *record = lb_take(ring, LB_LONG_RECORD, i - first);
        const int ahead = i + LB_RING - 1;
        lb_ask(lb_find_link(c, ahead, k, first, last), ring, LB_LONG_RECORD, ahead - first);
        if (lb_is_marked(i + LB_MARK_AHEAD, first) && i + LB_MARK_AHEAD <= last) {
            lb_bring_near(lb_get_mark(c, i + LB_MARK_AHEAD, k), LB_MARK_SIZE);
        }
        const double v = LB_STATE_OF(LB_ROW_SPEED), tau = LB_STATE_OF(LB_ROW_TAU);
        const double d = LB_GAIN_OF(LB_ROW_D);
        double value = first_value, need[6];
        lb_link_pose X;
        lb_get_pose(record, LB_TEAM, &X);
        lb_turn_out(&X, w, w);
        if (i > first) {
            double carried[6], bias[6], response = 0.0;
            lb_carry_motion_out(&X, A, carried);
            lb_pass_force_on(&X, passed.F);
            lb_pass_force_on(&X, renewed.F);
            lb_get_bias(&X, w, v, bias);
            value = LB_GAIN_OF(LB_ROW_NU) - carried[2];
            LB_UNROLL for (int e = 0; e < 5; ++e)
            {
                value -= LB_GAIN_OF(LB_ROW_G + e) * carried[e < 2 ? e : e + 1];
            }
            LB_UNROLL for (int e = 0; e < 6; ++e)
            {
                const double K = LB_GAIN_OF(LB_ROW_K + e);
                response += K * f[e];
                lb_keep_upper(K, reach + e);
            }
            value += response;
            LB_UNROLL for (int e = 0; e < 6; ++e)
            {
                A[e] = carried[e] + bias[e] + (e == 2 ? value : 0.0);
            }
            lever += lb_from_upper(about) * (fabs(X.p[0]) + fabs(X.p[1]) + fabs(X.p[2]));
        }
        w[2] += v;
        lb_hold_value(&held, value, i, i == last, a_out);
        lb_keep_upper(value, verdict + LB_VERDICT_LARGEST);
        if (lb_is_marked(i, first)) {
            lb_renew_trace(&renewed, c, i, k, A, f, lb_from_upper(about), lever);
            about = 0u;
            lever = 0.0;
        }
        lb_check_hinge(&passed, tau, d);
        lb_check_hinge(&renewed, tau, d);
        lb_keep_upper(d, &about);
        lb_get_need(record, A, w, need);
        LB_UNROLL for (int e = 0; e < 6; ++e)
        {
            passed.F[e] -= need[e];
            renewed.F[e] -= need[e];
        }
        lb_keep_upper3(A, verdict + LB_VERDICT_MOTION);
        lb_keep_upper3(A + 3, verdict + LB_VERDICT_MOTION + 1);
        lb_keep_upper3(X.p, verdict + LB_VERDICT_LENGTH);
    }
    if (k + 1 < c->run_count) {
        lb_link_pose X;
        double carried[6];
        lb_get_pose(lb_get_link(c, 0, k + 1), LB_CARD_TEAM, &X);
        lb_carry_motion_out(&X, A, carried);
        lb_pass_force_on(&X, passed.F);
        lb_pass_force_on(&X, renewed.F);
        LB_UNROLL for (int e = 0; e < 6; ++e)
        {
            A[e] = carried[e] - letter[LB_LETTER_B + e];
        }
        lb_keep_upper3(A, verdict + LB_VERDICT_GAP);
        lb_keep_upper3(A + 3, verdict + LB_VERDICT_GAP + 1);
    }
    lb_close_trace(&passed, f, reach);
    lb_close_trace(&renewed, f, reach);
    const unsigned shift = renewed.shift < passed.shift ? renewed.shift : passed.shift;
    verdict[LB_VERDICT_SHIFT] =
        shift > verdict[LB_VERDICT_SHIFT] ? shift : verdict[LB_VERDICT_SHIFT];
}

#endif // LB_CHAIN_RESULTS_H
