// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The C file around a frozen one that makes it a library which can be attached.
#ifndef LB_ROWS_TEXT_H
#define LB_ROWS_TEXT_H

/// Includes frozen.c, of the prefix `frozen` with forward, inverse and mass for one state and for eight. Adds functions for
/// up to eight states that lie one after the other, as in limber/batch.h.
extern const char lb_rows_text[];

/// squares.h, which it includes: four rows of four numbers become columns.
extern const char lb_squares_text[];

#endif // LB_ROWS_TEXT_H
