// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The C file around a frozen one that makes it a library which can be attached.
#ifndef LB_LANES_TEXT_H
#define LB_LANES_TEXT_H

#include "freeze/page.h"

/// Writes a file that includes frozen.c, of the prefix `frozen` with the functions forward, inverse and mass. It adds
/// functions for rows of states: with FROZEN_LANES defined, four or eight states go side by side in vectors
/// of GNU C, by the same text with another type of numbers; otherwise they go one by one.
///
/// @param source  text of frozen.c
void lb_write_lanes(lb_page *page, const char *source);

#endif // LB_LANES_TEXT_H
