// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Points of Sobol's sequence, unscrambled.
#ifndef LB_SOBOL_H
#define LB_SOBOL_H

#include <stdint.h>

enum { LB_SOBOL_DIMENSIONS = 128, LB_SOBOL_BITS = 32, LB_SOBOL_DEGREE = 10 };

/// A primitive polynomial, all of its coefficients as bits, and the first direction numbers.
typedef struct lb_sobol_numbers {
    uint16_t polynomial;
    uint16_t first[LB_SOBOL_DEGREE];
} lb_sobol_numbers;

/// Of each dimension; of the first, in which all direction numbers are 1, the polynomial is 1.
extern const lb_sobol_numbers lb_sobol_table[LB_SOBOL_DIMENSIONS];

/// A coordinate of a point, from 0 to below 1, in the order of scipy.stats.qmc.Sobol(scramble=False). Only point 0
/// has coordinates that are 0.
///
/// Source: Antonov, Saleev (1979); direction numbers of Joe, Kuo (2008).
///
/// @param dimension  below LB_SOBOL_DIMENSIONS
/// @param index      below 2^32
double lb_compute_sobol(int dimension, uint64_t index);

#endif // LB_SOBOL_H
