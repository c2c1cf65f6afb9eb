// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sines and cosines of all hinges that turn about z, four at a time.
#ifndef LB_ANGLES_H
#define LB_ANGLES_H

#include "base/hot.h"
#include "model/layout.h"

/// Fills a range of work->sines and work->cosines from the angles in q; `first` is a multiple of four.
LB_HOT void lb_compute_angle_range(const lb_model *model, lb_work *work, const double *q, int first,
                                   int end);

/// All of them.
LB_HOT void lb_compute_angles(const lb_model *model, lb_work *work, const double *q);

#endif // LB_ANGLES_H
