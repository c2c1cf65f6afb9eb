// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A deformed body that tumbles in space: what it must keep.
#ifndef LB_TEST_FLIGHT_H
#define LB_TEST_FLIGHT_H

enum { LB_FLIGHT_MODES = 64 };

/// How it starts and how long it flies. Start from lb_default_flight().
typedef struct lb_flight {
    double duration;  ///< s
    double amplitude; ///< of the first modal coordinate; the next have a half of it, a third, ...
    double spin[3];   ///< rad/s
    double speed[3];  ///< m/s
    double tolerance; ///< of the integrator
    double
        energy; ///< bound on its change, over the whole, or over that of the motion about the centre
    double momentum; ///< bound on the change of linear and angular momentum, over their size
} lb_flight;

/// A tenth of a second at 2 m/s and 1.4 rad/s, kept to 1e-10.
lb_flight lb_default_flight(void);

/// Flies the model of a text, one free body, and ends the test if energy or momentum change, or if the audit of
/// the same flight at the usual tolerance complains.
///
/// @param eta  out: modal coordinates at the end; may be NULL
void lb_fly(const char *text, const lb_flight *flight, double eta[LB_FLIGHT_MODES]);

#endif // LB_TEST_FLIGHT_H
