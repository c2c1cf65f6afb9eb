// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How large a model is, and how far its modes move: what errors of coordinates are compared with.
#ifndef LB_MEASURE_H
#define LB_MEASURE_H

#include "limber/model.h"

/// Size of the largest body of a model, m; 1 if none has any.
double lb_measure_model(const lb_model *model);

/// Largest displacement of a node by a unit of a mode, m. Where no node moves, that of the mean mass.
///
/// @param inertia  of the mode: a diagonal entry of lb_get_modal_inertia
double lb_measure_mode(const lb_model *model, int body, int mode, double inertia);

#endif // LB_MEASURE_H
