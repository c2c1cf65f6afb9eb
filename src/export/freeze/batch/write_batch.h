// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of a frozen file that take eight states at once. Entry i of state k is at [8 * i + k], so that neighbours in
// memory are the same number of different states, and are loaded into one register. Nothing branches there: a state is only
// noted if a guard comes out otherwise, a number is not finite, an angle is far out, or a node turns by more than a
// radian. Afterwards the function for one state computes these states, and decides their status. So the bits of
// a state do not depend on the others.
#ifndef LB_WRITE_BATCH_H
#define LB_WRITE_BATCH_H

#include "export/freeze/function.h"
#include "export/freeze/write_c.h"

/// What the functions of a file share.
typedef struct lb_batch_file {
    const lb_model *model;
    const lb_freeze_options *options;
    const lb_sample *sample;
    const lb_c_style *style; ///< of the functions for one state
    const char *capitals;    ///< prefix of macros
    int operation_count;     ///< of one function of C: those of more than twice as many are cut
} lb_batch_file;

/// Whether there is a function for eight states beside this one.
bool lb_has_batch(const lb_frozen_function *function);

/// Its prototype, without an end.
void lb_write_batch_prototype(lb_page *page, const lb_batch_file *file,
                              const lb_frozen_function *function);

/// Writes it.
///
/// @param cost  out: of one state
/// @return false if there is no memory
bool lb_write_batch(lb_page *page, const lb_batch_file *file, const lb_frozen_function *function,
                    lb_c_cost *cost);

/// A comparison of it with the function for one state, whose inputs and outputs are at hand.
void lb_write_batch_test(lb_page *page, const lb_batch_file *file,
                         const lb_frozen_function *function);

/// What these functions call, as far as `text` does.
void lb_write_batch_helpers(lb_page *page, const lb_c_style *style, const char *text);

#endif // LB_WRITE_BATCH_H
