// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Spectra (library limber-sim): power spectral densities and shock response spectra of recorded signals,
// and the response of linear models to random inputs.
//
//     double values[1000], psd[126]; // 1000 samples, 0.01 s apart, in segments of 250
//     for (int i = 0; i < 1000; ++i) {
//         values[i] = sin(0.2 * i);
//     }
//     lb_compute_psd(0.01, 1000, values, 250, LB_WINDOW_HANN, psd);
//     printf("%g at %g Hz\n", psd[8], 8 / (250 * 0.01));
//
// Densities are one-sided: their integral over the frequencies from 0 on is the mean square. Their unit
// is the square of that of the signal, over Hz. docs/guide/loads.md shows the use, docs/theory/spectra.md
// derives the equations.
#ifndef LB_SPECTRA_H
#define LB_SPECTRA_H

#include "limber/linear.h"

// ---- of recorded signals -----------------------------------------------------------------------

/// What the samples of a segment are multiplied by.
typedef enum lb_window {
    LB_WINDOW_HANN, ///< sin^2 of pi i / segment; segments overlap by half
    LB_WINDOW_NONE  ///< 1; segments do not overlap
} lb_window;

/// Computes a power spectral density by Welch's method: the mean over segments of equal length, from
/// the first sample on. Samples behind the last whole segment are not used. The mean of all samples is
/// subtracted first. Allocates for a moment. The time grows with the sum of the prime factors of
/// `segment`: lengths that are products of small numbers are fast. Theory: (SPC-1).
///
/// @param step     between samples, s
/// @param count    number of samples
/// @param values   samples
/// @param segment  samples per segment, 2 to `count`
/// @param window   of a segment
/// @param psd      out: segment / 2 + 1 densities, at k / (segment step) Hz
/// @return LB_OK, LB_E_ARGUMENT for a segment that does not fit or no such window, LB_E_NUMBER for a step
///         that is not above zero or samples that are not finite, or LB_E_MEMORY
LB_API lb_status lb_compute_psd(double step, long count, const double *values, long segment,
                                lb_window window, double *psd);

/// Computes a shock response spectrum: the largest and the smallest absolute acceleration of a mass on a
/// spring and a damper whose foot is accelerated as the samples say. Between samples the acceleration is
/// linear. At the first sample the mass follows its foot as if it had been accelerated so for ever. What
/// happens behind the last sample does not count: record until the shock has passed. The response is
/// exact; its extremes between evaluations are found to 5e-6 of its size. Does not allocate. Cost:
/// count x frequency_count, and more for frequencies above 1 / (30 step). Theory: (SPC-2), (SPC-3).
///
/// @param step             between samples, s
/// @param count            number of samples
/// @param acceleration     of the foot, in any unit, which is also that of the spectrum
/// @param q                amplification at resonance, 1 / (2 damping ratio), above 0.5
/// @param frequency_count  number of frequencies
/// @param frequencies      undamped natural frequencies of the mass, Hz
/// @param largest          out: frequency_count
/// @param smallest         out: frequency_count, usually negative
/// @return LB_OK, LB_E_ARGUMENT without samples, or LB_E_NUMBER for a number that is not finite or out of
///         its range
LB_API lb_status lb_compute_shock_spectrum(double step, long count, const double *acceleration,
                                           double q, int frequency_count, const double *frequencies,
                                           double *largest, double *smallest);

// ---- of linear models --------------------------------------------------------------------------

/// Returns a density that is given at some frequencies, at another one: straight on logarithmic axes
/// between the points, zero outside. One point alone is a density at all frequencies.
///
/// @param count        number of points; 0 for a density of zero
/// @param frequencies  of the points, Hz, above zero and ascending
/// @param densities    at the points, above zero
/// @param frequency    Hz
LB_API double lb_get_density(int count, const double *frequencies, const double *densities,
                             double frequency);

/// Computes the response of a linear model to random inputs: of each output the mean square and the
/// frequency of its upward passages through zero. Inputs are independent of each other, each with a
/// density as for lb_get_density. Integrates over the frequency to round-off, however little a mode is
/// damped. Allocates for a moment. Solves some hundred systems of state_count equations per mode.
/// Theory: (SPC-4), (SPC-5).
///
/// @param linear        a model that is not discrete, with no mode that grows
/// @param point_counts  one per input: points of its density
/// @param frequencies   of all points, those of the first input first
/// @param densities     likewise
/// @param mean_squares  out: output_count; infinite where the integral is
/// @param crossings     out: output_count, Hz; infinite where its integral is, NaN for an output at rest
///                      or without a mean square. NULL to leave them out
/// @return LB_OK; LB_E_ARGUMENT for densities that are not as above; LB_E_NUMBER for numbers that are not
///         finite; LB_E_UNSUPPORTED for a discrete model or one with a mode that grows; LB_E_SINGULAR if an
///         input excites a mode without damping; or LB_E_MEMORY
LB_API lb_status lb_compute_random_response(const lb_linear *linear, const int *point_counts,
                                            const double *frequencies, const double *densities,
                                            double *mean_squares, double *crossings);

/// Computes the singular values of frequency responses: the largest and smallest gains over all directions
/// of the inputs. Allocates for a moment.
///
/// @param output_count  rows of a response
/// @param input_count   columns of a response
/// @param count         number of frequencies
/// @param response      of lb_compute_response: count x output_count x input_count x 2
/// @param values        out: count x the smaller of output_count and input_count, descending; NaN where the
///                      response is not finite
/// @return LB_OK, LB_E_ARGUMENT for counts below 1, LB_E_NUMBER if the values do not converge, or
///         LB_E_MEMORY
LB_API lb_status lb_compute_singular_values(int output_count, int input_count, int count,
                                            const double *response, double *values);

#endif // LB_SPECTRA_H
