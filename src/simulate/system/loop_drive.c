// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The motion of a loop at one time. `limber freeze` records this file.
#include <string.h>

#include "closure.h"
#include "simulate/signals/functions.h"

void lb_get_drive_motion(const lb_loop_drive *drive, double t, lb_loop_motion *motion)
{
    double x[3];
    double *const parts[3] = {motion->position, motion->velocity, motion->acceleration};
    memset(motion, 0, sizeof *motion);
    if (drive->turns) {
        lb_evaluate_motion(&drive->turn, t, x);
        for (int order = 0; order < 3; ++order) {
            for (int i = 0; i < 3; ++i) {
                parts[order][i] = x[order] * drive->axis[i];
            }
        }
    }
    for (int j = 0; j < drive->shift_count; ++j) {
        lb_evaluate_motion(&drive->shift[j], t, x);
        for (int order = 0; order < 3; ++order) {
            if (drive->shift_count == 3) {
                parts[order][3 + j] = x[order];
                continue;
            }
            // along the axis; a rod or a coupler has none and takes the first entry of all
            const double *axis = drive->shift_axis;
            const bool plain = axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0;
            parts[order][0] = plain ? x[order] : parts[order][0];
            for (int i = 0; i < 3 && !plain; ++i) {
                parts[order][3 + i] = x[order] * axis[i];
            }
        }
    }
}
