// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the writer of functions share: write_form.c chooses how each node appears in the text,
// write_expression.c writes expressions, write_c.c statements.
#ifndef LB_WRITER_H
#define LB_WRITER_H

#include "export/freeze/write_c.h"

/// How a node appears in the text.
enum {
    LB_SHOWN_NOT,    ///< it is not used
    LB_SHOWN_LEAF,   ///< as an input, a constant, or the result of a call
    LB_SHOWN_INLINE, ///< inside the one expression that uses it
    LB_SHOWN_NAMED,  ///< as a variable
    LB_SHOWN_ARRAY   ///< as an array with one entry for each limb
};

/// Something that is written as soon as a node is known: an output or a guard.
typedef struct lb_writer_event {
    int next;  ///< of the same node, or -1
    int index; ///< of the output; or -1 - index of the guard
} lb_writer_event;

typedef struct lb_writer {
    lb_page *page;
    const lb_graph *graph;
    const lb_c_style *style;
    unsigned char *shown;  ///< by node
    unsigned char *size;   ///< operations of its expression
    unsigned char *leaves; ///< something outside its loop needs it
    int *uses;
    int *name;  ///< number of a variable; of an operand of a call, place among the angles or calls
    int *first; ///< event, or -1
    lb_writer_event *events;
    int event_count, constant_events; ///< those of no node come first
    int angle_count;
    int mark;
    int *slot; ///< by node: where a variable is kept that is not in a register, or -1
    const char *indent;
    bool vectors;                         ///< limbs are in vectors, not in loops
    unsigned char *vector;                ///< by node: a number for each limb; of those
    bool singular, indefinite;            ///< whether these can be
    int singular_limbs, indefinite_limbs; ///< most limbs of a loop in which they can be; or 0
} lb_writer;

/// What binds how: a sum inside a product needs parentheses.
enum { LB_AS_SUM, LB_AS_PRODUCT, LB_AS_FACTOR };

/// Writes a node: its name, or its expression.
void lb_write_node(lb_writer *w, int i, int place);

/// Writes the expression of a node, even if it has a name.
void lb_write_expression(lb_writer *w, int i);

void lb_write_term(lb_writer *w, lb_term x);

/// An entry of an array of inputs or outputs.
void lb_write_element(lb_writer *w, int array, int entry);

/// Chooses how each node appears.
void lb_choose_forms(lb_writer *w);

/// Most values that are kept for later at any place. Both arrays have room for all nodes, and are zero.
int lb_count_live(const lb_writer *w, int *last, int *place);

/// Chooses variables that are kept elsewhere where more are alive than registers hold, and says how many places
/// these need. `last` is from lb_count_live, the other array has room for all nodes.
int lb_choose_kept(lb_writer *w, const int *last, int *room);

/// A sine or cosine.
bool lb_is_turned(const lb_graph_node *node);

/// Operand `k` of a node: of a spread the term of limb k. -1 for a constant.
int lb_get_operand(const lb_graph *graph, const lb_graph_node *node, int k);

/// Operands and terms of a node.
int lb_count_all_operands(const lb_graph *graph, const lb_graph_node *node);

/// The group of limbs in whose loop a node is written; 0 for none.
int lb_get_loop(const lb_graph_node *node);

/// Whether two nodes are written in the same loop, or both outside in one phase.
bool lb_are_together(const lb_graph_node *x, const lb_graph_node *y);

/// Whether a spread is entries of one array that are evenly apart: inputs or sines.
///
/// @param entry   out: the first, as an index of the array
/// @param stride  out
bool lb_is_even(const lb_writer *w, const lb_graph_node *spread, int *entry, int *stride);

/// Whether the terms of a spread are constants.
bool lb_is_table(const lb_graph *graph, const lb_graph_node *spread);

// ---- limbs in vectors (write_vectors.c) ----

/// "two", "four" or "eight": what holds `width` limbs.
const char *lb_get_vector_name(int width);

/// Finds the nodes that are vectors. Says whether vectors have all operators that the loops need.
bool lb_choose_vectors(lb_writer *w);

/// The type of the variable of a node in a loop.
void lb_write_vector_type(lb_writer *w, int i);

/// The variable of a spread, whose name is known.
void lb_write_gathered_vector(lb_writer *w, int i);

/// The outputs of the limbs in whose loop a node is.
void lb_write_vector_outputs(lb_writer *w, const lb_graph_node *last);

/// Whether a comparison is of vectors.
bool lb_is_vector_guard(const lb_writer *w, const lb_graph_guard *guard);

void lb_write_vector_guard(lb_writer *w, const lb_graph_guard *guard, int width,
                           const char *trouble);

/// |a| of a node that is a vector.
void lb_write_vector_magnitude(lb_writer *w, int i);

#endif // LB_WRITER_H
