// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Questions to the command `limber` whose answers are JSON or figures.
#ifndef LB_TEST_ASK_H
#define LB_TEST_ASK_H

#include <jansson.h>

#include "run_cli.h"

/// What a command that succeeds prints, as JSON; ends the test, saying why, if it does not.
json_t *lb_ask_cli(const char *const *words);

/// lb_ask("loads", path, "--json")
#define lb_ask(...) lb_ask_cli((const char *const[]){__VA_ARGS__, NULL})

/// A number of an object.
double lb_get_answer(const json_t *object, const char *key);

/// Runs a command that draws, and expects an SVG file, which is removed.
///
/// @param words  up to 13; "-o" and the path are added
void lb_expect_svg(const char *const *words, const char *path);

#endif // LB_TEST_ASK_H
