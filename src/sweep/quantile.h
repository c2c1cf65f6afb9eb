// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers between 0 and 1 as numbers of a distribution.
#ifndef LB_QUANTILE_H
#define LB_QUANTILE_H

/// The inverse of the standard normal distribution, to about 16 digits.
///
/// Source: Wichura (1988), algorithm AS 241, PPND16.
///
/// @param p  above 0 and below 1
double lb_compute_normal_quantile(double p);

/// The inverse of a triangular distribution.
///
/// @param low, mode, high  low <= mode <= high, low < high
double lb_compute_triangular_quantile(double p, double low, double mode, double high);

#endif // LB_QUANTILE_H
