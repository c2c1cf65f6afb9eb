// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Singular positions of loops: how near one is, seen from the pivots of the admittance.
#ifndef LB_SINGULAR_H
#define LB_SINGULAR_H

#include <stdbool.h>

#include "limber/loops.h"

/// Pivots below this are near a singular position. Accelerations there are right to round-off over the
/// pivot. Where heavy and light parts meet pivots are small everywhere, so that an integrator asks as
/// well whether they have fallen to this part of what they were.
typedef enum lb_nearness {
    LB_NEARNESS_NONE,
    LB_NEARNESS_SMALL, ///< a pivot is small
    LB_NEARNESS_FALLEN ///< and a small part of what it was
} lb_nearness;

typedef struct lb_singular {
    lb_nearness nearness;            ///< the most since an integrator set it back
    double lowest;                   ///< pivot since then, zero where a direction was lost
    double usual;                    ///< the smallest pivot, at its largest lately
    int loop;                        ///< whose pivot was small
    int row_count, held_count, rank; ///< the most independent rows there were with as many of both
} lb_singular;

/// Watches from here on.
static inline void lb_watch_singular(lb_singular *singular)
{
    singular->nearness = LB_NEARNESS_NONE;
    singular->lowest = 1.0;
}

/// Notes the pivots of factors that were just made.
///
/// @param held_count  hinges that they take for held
/// @return whether they have lost a direction that was there before with the same rows and held hinges
bool lb_note_pivots(lb_singular *singular, const lb_model *model, const lb_work *work,
                    int held_count);

#endif // LB_SINGULAR_H
