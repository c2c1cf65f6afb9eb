// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Writers of C: a graph as the body of a function, and the few functions of mathematics that it calls.
#ifndef LB_WRITE_C_H
#define LB_WRITE_C_H

#include "graph.h"
#include "limbs/limbs.h"
#include "page.h"

/// Numbers that a file of CUDA keeps in constant memory: instructions read them there for nothing, while one
/// that is written out takes two instructions to load.
typedef struct lb_number_table {
    double *values;
    int count, capacity;
} lb_number_table;

/// States that functions for batches take at once.
enum { LB_BATCH_STATES = 8 };

/// How a file is written.
typedef struct lb_c_style {
    const char *prefix;             ///< of all names
    bool is_float;                  ///< numbers are float; otherwise double
    const char *const *body_names;  ///< for comments, by the body of a mark
    const char *const *array_names; ///< by the array of inputs and outputs
    const lb_limbs *limbs;          ///< that a graph may have side by side; NULL for none
    bool is_vector;                 ///< such limbs are in vector types of GNU C, not in loops
    bool is_cuda;                   ///< entries of arrays lie `stride` apart
    bool is_batch;            ///< numbers are of several states side by side: batch/write_lanes.h
    lb_number_table *numbers; ///< of CUDA; NULL to write numbers out
    int register_count; ///< values that registers hold; the rest is `kept` elsewhere; 0 for no limit
    int kept_most;      ///< values that can be kept
} lb_c_style;

/// What a function costs.
typedef struct lb_c_cost {
    int multiplications, additions, divisions;
    int angles; ///< whose sine and cosine are computed
    int turns;  ///< rotations of nodes
    int live;   ///< most values that are kept for later, at any place
    int kept;   ///< places for those that are not in registers
} lb_c_cost;

/// Writes the body of a function: declarations, one statement per node that is used more than once, and
/// `return` of a status.
///
/// @param cost  out
/// @return false if there is no memory
bool lb_write_body(lb_page *page, const lb_graph *graph, const lb_c_style *style, lb_c_cost *cost);

/// Writes a text of C. `@` is the prefix in it, `real` the type of numbers, `root` the square root, $1.0$ a constant
/// of that type.
void lb_write_c_text(lb_page *page, const lb_c_style *style, const char *text);

/// A text: sums the series of the coefficients of a rotation vector, from its squared length t2, into c, which is zero.
extern const char lb_rotation_series[];

/// Writes the functions that bodies call: sine and cosine, coefficients of rotations, a check of numbers.
///
/// @param angles  whether sines are called for
/// @param turns   whether rotations of nodes are
void lb_write_helpers(lb_page *page, const lb_c_style *style, bool angles, bool turns);

/// The vector types of limbs: two, four and eight numbers.
void lb_write_vector_types(lb_page *page, const lb_c_style *style);

/// The same for CUDA.
void lb_write_cuda_helpers(lb_page *page, const lb_c_style *style);

#endif // LB_WRITE_C_H
