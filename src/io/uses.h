// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a parameter acts on.
#ifndef LB_USES_H
#define LB_USES_H

#include "limber/document.h"

/// Whether a parameter, or a path, acts on more than one key of the document. Texts of the key alone do not count.
///
/// @param use  out: the first place where it does; line 0 for a path
bool lb_is_used_beside(const lb_document *document, const char *name, const char *key,
                       lb_parameter_use *use);

#endif // LB_USES_H
