// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of table_kernel.h with the numbers of a chain.
#ifndef LB_TABLE_TEXT_H
#define LB_TABLE_TEXT_H

#include "limber/model.h"

/// Why the kernel cannot compute a model, as the end of a sentence; NULL if it can.
const char *lb_find_table_obstacle(const lb_model *model);

/// Writes the kernel for a model without an obstacle. Its name and arguments, and what it says of its needs, are those
/// of the function `forward` that `freeze` writes under the name `model`.
///
/// @return to be freed; NULL if there is no memory
char *lb_write_table_text(const lb_model *model);

#endif // LB_TABLE_TEXT_H
