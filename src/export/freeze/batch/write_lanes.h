// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of several states side by side, as the writers of statements write them: in vectors of GNU C, which have the
// operators of C, but neither ?: nor functions of mathematics. In the text
//
//     NAME_lanes    one number of each of NAME_WIDTH states
//     NAME_part     the same anywhere in an array of the caller
//     NAME_mask     whether something holds for each state: all bits, or none
//     NAME_STEP     parts from one entry of an array to the next
//
// Two other forms were tried. A loop over the states around all statements is C99, and as fast where it is taken
// side by side; but compilers do not do so at -O2, clang refuses some of these loops, and gcc those with a thousand numbers
// in memory. Vectors of eight numbers where registers hold four are twice as slow.
#ifndef LB_WRITE_LANES_H
#define LB_WRITE_LANES_H

#include "export/freeze/text/writer.h"

/// Finds the nodes that depend on more than constants.
void lb_choose_lanes(lb_writer *w);

/// What makes lanes of constants, where a node depends on nothing else; -1 for a constant.
void lb_write_lane_start(lb_writer *w, int node);

/// The type of a variable: lanes if it is for a batch.
///
/// @param is_mask  it holds a comparison
void lb_write_real(lb_writer *w, bool is_mask);

/// Writes operations that vectors have no operator of C for.
///
/// @return false for all others, which are written as for one state
bool lb_write_lane_operation(lb_writer *w, const lb_graph_node *node);

/// Sines or a rotation that are needed for the first time.
void lb_write_lane_call(lb_writer *w, const lb_graph_node *node, int *calls);

/// The types, and what functions with lanes call as far as `text` does.
void lb_write_lane_helpers(lb_page *page, const lb_c_style *style, const char *text);

#endif // LB_WRITE_LANES_H
