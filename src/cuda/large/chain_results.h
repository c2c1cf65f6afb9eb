// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one long chain: accelerations of a run and their check, base to tip.
#ifndef LB_CHAIN_RESULTS_H
#define LB_CHAIN_RESULTS_H

#include "chain_body.h"
#include "verdict.h"

LB_CARD double lb_size3(const double *a)
{
    double largest = fabs(a[0]);
    lb_keep_largest(fabs(a[1]), &largest);
    lb_keep_largest(fabs(a[2]), &largest);
    return largest;
}

// Accelerations of a run, base to tip (DCA-7), and the check of its bodies (DCA-8). The check goes the
// same way, so that records are read once: F across the first hinge is what was told, each body passes on
// what it does not need, and what is left at the open handle must be the force told there. A
// difference delta there moves coordinate i by K_i delta.
//
// @param letter  what the run was told
// @param ring    room of this lane for two long records
// @param a_out   out: by body of the run
// @param verdict in and out: largest values
LB_CARD void lb_disassemble_chain_run(const lb_chain *c, int k, const double *letter, double *ring,
                                      double *a_out, double *verdict)
{
    const int first = k == 0 ? c->pad : 0;
    const int last = c->length - 1 - (k + 1 == c->run_count ? c->tail : 0);
    const int other = LB_LONG_RECORD * LB_TEAM;
    double A[6], f[6], F[6], reach[6], R[9], p[3], w[3];
    int turn = 0;
    lb_fetch_gains(c, first, k, ring);
    lb_fetch_record(c, first, k, ring);
    LB_UNROLL for (int e = 0; e < 6; ++e)
    {
        A[e] = letter[LB_LETTER_A + e];
        f[e] = letter[LB_LETTER_f + e];
        F[e] = letter[LB_LETTER_F + e];
        reach[e] = 0.0;
    }
    lb_get_end_velocity(c, k - 1, w);
    LB_AWAIT(0);
    {
        const double *record = ring;
        const double value = letter[LB_LETTER_VALUE];
        lb_get_pose(record, R, p);
        lb_turn_back(R, w, w);
        w[2] += LB_STATE_OF(LB_ROW_SPEED);
        a_out[first] = value;
        lb_keep_largest(fabs(value), verdict + LB_VERDICT_LARGEST);
        lb_keep_largest(fabs((LB_STATE_OF(LB_ROW_TAU) - F[2]) * LB_GAIN_OF(LB_ROW_D)),
                        verdict + LB_VERDICT_SHIFT);
    }
    for (int i = first;; ++i) {
        const double *record = ring + turn * other;
        double b[6];
        if (i < last) {
            lb_fetch_gains(c, i + 1, k, ring + (1 - turn) * other);
        }
        if (i < last || k + 1 < c->run_count) {
            lb_fetch_record(c, i < last ? i + 1 : 0, i < last ? k : k + 1,
                            ring + (1 - turn) * other);
        }
        // F less M A + b goes on outboard
        lb_get_gyroscopic(record, w, b);
        {
            const double m = LB_OF(LB_ROW_M);
            double h[3], t[3];
            LB_UNROLL for (int e = 0; e < 3; ++e)
            {
                h[e] = LB_OF(LB_ROW_H + e);
            }
            lb_cross(h, A + 3, t);
            LB_UNROLL for (int e = 0; e < 3; ++e)
            {
                F[e] -= b[e] + t[e];
                LB_UNROLL for (int j = 0; j < 3; ++j)
                {
                    F[e] -= LB_OF(LB_ROW_J + LB_THIRD(e, j)) * A[j];
                }
            }
            lb_cross(A, h, t);
            LB_UNROLL for (int e = 0; e < 3; ++e)
            {
                F[3 + e] -= b[3 + e] + m * A[3 + e] + t[e];
            }
        }
        lb_keep_largest(lb_size3(A), verdict + LB_VERDICT_MOTION);
        lb_keep_largest(lb_size3(A + 3), verdict + LB_VERDICT_MOTION + 1);
        lb_keep_largest(lb_size3(p), verdict + LB_VERDICT_LENGTH);
        if (i == last && k + 1 == c->run_count) {
            break;
        }
        LB_AWAIT(0);
        turn = 1 - turn;
        record = ring + turn * other;
        lb_get_pose(record, R, p);
        double carried[6], force[3];
        lb_carry_motion_out(R, p, A, carried);
        lb_cross(p, F + 3, force);
        LB_UNROLL for (int e = 0; e < 3; ++e)
        {
            force[e] = F[e] - force[e];
        }
        lb_turn_back(R, force, F);
        lb_turn_back(R, F + 3, F + 3);
        if (i == last) {
            LB_UNROLL for (int e = 0; e < 6; ++e)
            {
                A[e] = carried[e] - letter[LB_LETTER_B + e];
            }
            lb_keep_largest(lb_size3(A), verdict + LB_VERDICT_GAP);
            lb_keep_largest(lb_size3(A + 3), verdict + LB_VERDICT_GAP + 1);
            break;
        }
        const double v = LB_STATE_OF(LB_ROW_SPEED);
        double bias[6];
        lb_turn_back(R, w, w);
        lb_get_bias(R, p, w, v, bias);
        w[2] += v;
        double value = LB_GAIN_OF(LB_ROW_NU) - carried[2];
        LB_UNROLL for (int e = 0; e < 5; ++e)
        {
            value -= LB_GAIN_OF(LB_ROW_G + e) * carried[e < 2 ? e : e + 1];
        }
        double response = 0.0;
        LB_UNROLL for (int e = 0; e < 6; ++e)
        {
            const double K = LB_GAIN_OF(LB_ROW_K + e);
            response += K * f[e];
            lb_keep_largest(fabs(K), reach + e);
        }
        value += response;
        a_out[i + 1] = value;
        LB_UNROLL for (int e = 0; e < 6; ++e)
        {
            A[e] = carried[e] + bias[e] + (e == 2 ? value : 0.0);
        }
        lb_keep_largest(fabs(value), verdict + LB_VERDICT_LARGEST);
        lb_keep_largest(fabs((LB_STATE_OF(LB_ROW_TAU) - F[2]) * LB_GAIN_OF(LB_ROW_D)),
                        verdict + LB_VERDICT_SHIFT);
    }
    // what is left must be the force that was told, with the opposite sign; beyond a tip there is none
    double off = 0.0;
    LB_UNROLL for (int e = 0; e < 6; ++e)
    {
        off += reach[e] * fabs(F[e] + f[e]);
    }
    lb_keep_largest(off, verdict + LB_VERDICT_SHIFT);
}

#endif // LB_CHAIN_RESULTS_H
