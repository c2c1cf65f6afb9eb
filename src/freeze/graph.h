// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions as a graph. Each node is one operation on earlier nodes, and equal operations are one node. What
// is constant is computed at once: zeros, ones and signs leave no node behind.
//
// A term is a constant or a node with a sign, and has the size of a double: a constant is its own bits, a node
// is a NaN that carries its index. Thus the structs of the engine, which hold doubles, can hold terms.
#ifndef LB_GRAPH_H
#define LB_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A constant, or a node with a sign.
typedef union lb_term {
    double number;
    uint64_t bits;
} lb_term;

#define LB_TERM_SIGN 0x8000000000000000u
#define LB_TERM_TAG 0x7ffc000000000000u
#define LB_TERM_MASK 0x7fff000000000000u

/// What a node does. Names of the sums and products are those of C.
typedef enum lb_node_op {
    LB_OP_CONSTANT, ///< a positive number
    LB_OP_INPUT,    ///< entry `b` of the array `a`
    LB_OP_ADD,      ///< a + b
    LB_OP_SUBTRACT, ///< a - b
    LB_OP_MULTIPLY, ///< a b
    LB_OP_INVERT,   ///< 1 / a
    LB_OP_SINE,
    LB_OP_COSINE,
    LB_OP_ROOT,
    LB_OP_MAGNITUDE, ///< |a|
    LB_OP_LARGER,    ///< the larger of a and b
    LB_OP_TURN,      ///< coefficient `b` of lb_turn_of(a)                                  (ROT-1)
} lb_node_op;

/// A node. Operands are indices of nodes; only those of unary functions have a sign.
typedef struct lb_graph_node {
    unsigned char op;
    bool negative; ///< the operand of a unary function has a minus
    int a, b;
    int mark;     ///< into lb_graph.marks: where it arose
    double value; ///< at the sample state; of a constant, the constant
} lb_graph_node;

/// Which body and which equation the nodes of a block belong to.
typedef struct lb_graph_mark {
    int body; ///< listed index; -1 for none
    const char *equation;
} lb_graph_mark;

/// A comparison that came out as `outcome` at the sample state. At other states it must come out the same way.
typedef struct lb_graph_guard {
    lb_term a, b;
    bool or_equal; ///< a >= b; otherwise a > b
    bool outcome;
    int after; ///< number of nodes at that time
} lb_graph_guard;

/// An entry of an array that a function writes.
typedef struct lb_graph_output {
    int array, entry;
    lb_term term;
} lb_graph_output;

typedef struct lb_graph {
    lb_graph_node *nodes;
    int *table; ///< of hashes: index of a node + 1, or 0
    lb_graph_mark *marks;
    lb_graph_guard *guards;
    lb_graph_output *outputs;
    int node_count, mark_count, guard_count, output_count;
    int node_capacity, table_size, mark_capacity, guard_capacity, output_capacity;
    bool out_of_memory; ///< what it holds is of no use
} lb_graph;

/// Makes an empty graph in the caller's struct. Allocates nothing yet.
void lb_init_graph(lb_graph *graph);

/// Frees what a graph holds.
void lb_clear_graph(lb_graph *graph);

static inline bool lb_is_node(lb_term x)
{
    return (x.bits & LB_TERM_MASK) == LB_TERM_TAG;
}

static inline int lb_get_index(lb_term x)
{
    return (int)(x.bits & 0x7fffffffu);
}

static inline bool lb_is_negative(lb_term x)
{
    return (x.bits & LB_TERM_SIGN) != 0;
}

static inline lb_term lb_make_constant(double x)
{
    lb_term term;
    term.number = x;
    return term;
}

static inline lb_term lb_negate_term(lb_term x)
{
    x.bits ^= LB_TERM_SIGN;
    return x;
}

/// The number that a term has at the sample state.
double lb_get_term_value(const lb_graph *graph, lb_term x);

/// Says what the next nodes are about, for the reader of what is written.
void lb_mark_graph(lb_graph *graph, int body, const char *equation);

/// An input: entry of an array, with its value at the sample state.
lb_term lb_put_input(lb_graph *graph, int array, int entry, double value);

lb_term lb_put_sum(lb_graph *graph, lb_term a, lb_term b);
lb_term lb_put_product(lb_graph *graph, lb_term a, lb_term b);
/// a / b, as a (1 / b): divisors are often shared.
lb_term lb_put_quotient(lb_graph *graph, lb_term a, lb_term b);
/// A function of one term. `part` is for LB_OP_TURN.
lb_term lb_put_function(lb_graph *graph, lb_node_op op, lb_term a, int part);
lb_term lb_put_larger(lb_graph *graph, lb_term a, lb_term b);

/// Whether a > b, or a >= b, at the sample state. Unless both are constant, this becomes a guard.
bool lb_put_comparison(lb_graph *graph, lb_term a, lb_term b, bool or_equal);

/// Says that a term is an entry of an array that the function writes.
void lb_put_output(lb_graph *graph, int array, int entry, lb_term term);

#ifdef __cplusplus
}
#endif

#endif // LB_GRAPH_H
