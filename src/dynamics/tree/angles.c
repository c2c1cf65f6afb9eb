// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "angles.h"

#include <string.h>

#include "base/lane.h"

#ifndef LB_COUNTING // where operations are counted, a sine is a sine
void lb_compute_angle_range(const lb_model *model, lb_work *work, const double *q, int first,
                            int end)
{
    for (int i = first; i < end; i += LB_LANES) {
        // the last four may repeat the last angle; large angles go the slow way
        int at[LB_LANES];
        for (int j = 0; j < LB_LANES; ++j) {
            at[j] = model->angle_q[i + j < model->angle_count ? i + j : model->angle_count - 1];
        }
        // gathered in registers: a vector read of four single writes would stall
        const lb_lane x = {q[at[0]], q[at[1]], q[at[2]], q[at[3]]};
        const double most = LB_TURN_MOST;
        if (fabs(x[0]) < most && fabs(x[1]) < most && fabs(x[2]) < most && fabs(x[3]) < most) {
            lb_lane sine, cosine;
            lb_turn_four(&x, &sine, &cosine);
            memcpy(work->sines + i, &sine, sizeof sine);
            memcpy(work->cosines + i, &cosine, sizeof cosine);
            continue;
        }
        for (int j = 0; j < LB_LANES; ++j) {
            work->sines[i + j] = sin(x[j]);
            work->cosines[i + j] = cos(x[j]);
        }
    }
}

#else
void lb_compute_angle_range(const lb_model *model, lb_work *work, const double *q, int first,
                            int end)
{
    for (int i = first; i < end; ++i) {
        work->sines[i] = sin(q[model->angle_q[i]]);
        work->cosines[i] = cos(q[model->angle_q[i]]);
    }
}
#endif // LB_COUNTING

void lb_compute_angles(const lb_model *model, lb_work *work, const double *q)
{
    lb_compute_angle_range(model, work, q, 0, model->angle_count);
}
