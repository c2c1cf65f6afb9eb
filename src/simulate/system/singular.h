// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How close the loops are to a singular position, judged by the pivots of their admittance.
#ifndef LB_SINGULAR_H
#define LB_SINGULAR_H

#include <stdbool.h>

#include "limber/loops.h"

/// A small pivot is a sign of a singular position: the error of accelerations is round-off divided by the
/// pivot. Where heavy and light parts meet, pivots are always small. An integrator therefore also asks
/// whether a pivot has dropped far below its usual value.
typedef enum lb_nearness {
    LB_NEARNESS_NONE,
    LB_NEARNESS_SMALL, ///< a pivot is small
    LB_NEARNESS_FALLEN ///< a pivot is small and far below its usual value
} lb_nearness;

typedef struct lb_singular {
    lb_nearness nearness;            ///< the closest since lb_watch_singular
    double lowest;                   ///< smallest pivot since then; zero if the rank dropped
    double usual;                    ///< recent maximum of the smallest pivot
    int loop;                        ///< whose pivot was small
    int row_count, held_count, rank; ///< the most independent rows there were with as many of both
} lb_singular;

/// Starts a new period of observation.
static inline void lb_watch_singular(lb_singular *singular)
{
    singular->nearness = LB_NEARNESS_NONE;
    singular->lowest = 1.0;
}

/// Records the pivots after a factorization.
///
/// @param held_count  number of hinges that are held in it
/// @return true if the rank is lower than before with as many rows and held hinges
bool lb_note_pivots(lb_singular *singular, const lb_model *model, const lb_work *work,
                    int held_count);

#endif // LB_SINGULAR_H
