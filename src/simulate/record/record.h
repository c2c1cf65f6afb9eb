// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Recording: rows are collected in blocks and written to a file that is complete in its structure
// before the first of them. See docs/guide/results.md.
#ifndef LB_RECORD_H
#define LB_RECORD_H

#include "simulate/run/simulation.h"

lb_status lb_create_recorder(lb_simulation *sim, const lb_run_request *request,
                             lb_recorder **recorder);
/// Takes up a file where it stopped: t, y, forces, hinges and events of the simulation are set.
/// LB_NEWS_STOP if there is nothing left to do.
lb_status lb_resume_recorder(lb_simulation *sim, const lb_run_request *request,
                             lb_recorder **recorder);

/// Adds the present state as a row.
lb_status lb_record_row(lb_simulation *sim, lb_recorder *recorder);
/// Notes the events in `found`.
lb_status lb_record_events(lb_simulation *sim, lb_recorder *recorder);
/// Notes that a hinge with friction has begun to stick or to slip.
void lb_record_stick(lb_simulation *sim, lb_recorder *recorder, int stick);
/// Writes what is waiting.
lb_status lb_flush_recorder(lb_simulation *sim, lb_recorder *recorder);
/// The clean end: writes the audit and gives the file its name.
lb_status lb_finish_recorder(lb_simulation *sim, lb_recorder *recorder, const lb_audit *audit);
void lb_destroy_recorder(lb_recorder *recorder);

long lb_get_recorded_rows(const lb_recorder *recorder);
/// Signals of the last row of a recording without a file, in the order of the outputs.
///
/// @param count  out: how many; 0, and the result must not be read, if none are recorded
const double *lb_get_recorded_signals(const lb_simulation *sim, int *count);
/// Books for the audit so far.
void lb_fill_audit(const lb_simulation *sim, const lb_recorder *recorder, lb_audit *audit);

// ---- verdict.c ---------------------------------------------------------------------------------

/// Largest values of a run. Energies are those of rows in which they are balanced to a hundredth.
typedef struct lb_largest {
    double kinetic;         ///< energy of the motion's own, J
    double energy;          ///< kinetic, potential or work, J
    double linear, angular; ///< momentum, N s, N m s
    double linear_change;   ///< of linear momentum, N s
    double distance, speed; ///< of the centre of mass, m, m/s
} lb_largest;

enum { LB_PEAKS = 16 };

/// Rate, 1/s, at which a motion grows exponentially to the end of a run, by its largest energies in so many equal
/// parts of it, and the least of all; 0 if it does not.
double lb_measure_growth(const lb_simulation *sim, const double peaks[LB_PEAKS], double least);

/// Sets how far energy and momentum of an audit, which is complete otherwise, may be off; NaN where they
/// are not expected to be kept.
void lb_set_audit_bounds(const lb_simulation *sim, const lb_largest *largest, lb_audit *audit);

/// Sets those of a recording.
void lb_bound_audit(const lb_simulation *sim, const lb_recorder *recorder, lb_audit *audit);

#endif // LB_RECORD_H
