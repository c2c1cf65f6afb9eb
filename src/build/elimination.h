// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// For measuring and for tests: which way the modes of ruthless bodies are eliminated.
#ifndef LB_ELIMINATION_H
#define LB_ELIMINATION_H

#include "limber/build.h"

/// How forward dynamics eliminates the modes of ruthless bodies: by forming and factoring D_f, or by
/// an update whose cost grows only with the square of the number of modes. Theory: (RTH-1).
typedef enum lb_elimination {
    LB_ELIMINATION_AUTO, ///< whichever is cheaper, chosen for each body; the default
    LB_ELIMINATION_FORM,
    LB_ELIMINATION_UPDATE ///< wherever it is possible
} lb_elimination;

/// Both ways give the same answer.
void lb_set_elimination(lb_builder *builder, lb_elimination elimination);

#endif // LB_ELIMINATION_H
