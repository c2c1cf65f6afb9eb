// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A simulation out of one text.
#ifndef LB_TEST_LOADED_H
#define LB_TEST_LOADED_H

#include "limber/simulate.h"

typedef struct lb_loaded {
    lb_document *document;
    lb_model *model;
    lb_simulation *simulation;
} lb_loaded;

/// Loads a text (YAML) and ends the test, saying why, if that fails.
///
/// @param model  given to the simulation, or NULL to take it from the text as well
lb_loaded lb_begin_loaded(const char *text, lb_model *model);
void lb_end_loaded(lb_loaded *loaded);

#endif // LB_TEST_LOADED_H
