// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a response exists: poles that grow.
#ifndef LB_RESPONSE_GROWTH_H
#define LB_RESPONSE_GROWTH_H

#include "limber/linear.h"

/// Finds the pole that grows fastest of those between the inputs and the outputs of a model: where one does, there
/// is no steady response. Poles that no input moves or no output sees are left out, but for those of closed
/// loops. Theory: (STB-3).
///
/// @param growth  out: the pole, rad/s, real and imaginary part; zero if none grows
/// @return LB_OK, LB_E_MEMORY, or LB_E_NUMBER if LAPACK gives up
lb_status lb_find_response_growth(const lb_linear *linear, double growth[2]);

#endif // LB_RESPONSE_GROWTH_H
