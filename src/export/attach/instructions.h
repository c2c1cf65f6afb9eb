// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Which instructions a compiled model needs. A compiler that is told to use all of its own processor makes code that
// another one may not run: it would end the process.
#ifndef LB_INSTRUCTIONS_H
#define LB_INSTRUCTIONS_H

/// A text of C: the string `frozen_needs`, words with spaces between, by what the compiler says that it may use.
extern const char lb_needs_text[];

/// The first of these words that this processor does not have; NULL if it has all of them.
const char *lb_find_missing_instructions(const char *needs);

#endif // LB_INSTRUCTIONS_H
