// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Typed values out of a document: what limber/document.h does not show of it.
#ifndef LB_READER_H
#define LB_READER_H

#include "doc.h"

/// "bodies[2].hinge.axis"
lb_text lb_place_get_path(const lb_place *place);
/// Follows a path from a place as far as it goes. Keys may themselves hold dots and brackets.
const lb_doc_node *lb_place_follow(const lb_place *place, const char *path);

#endif // LB_READER_H
