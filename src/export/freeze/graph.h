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

#define LB_TERM_MINUS 0x8000000000000000u
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
    LB_OP_GREATER,   ///< whether a > b: the condition of LB_OP_SELECT
    LB_OP_SELECT,    ///< b where the condition a holds, otherwise c
    LB_OP_CALL,      ///< function `b` of libm of a: see lb_math_call
    LB_OP_CALL_TWO,  ///< function `c` of libm of a and b
    // only where limbs go side by side (limbs/roll.h)
    LB_OP_SPREAD, ///< one term for each limb of group `b`: lb_graph.spread from `a` on
    LB_OP_PICK,   ///< what limb `b` has of a
} lb_node_op;

/// Functions of libm.
typedef enum lb_math_call {
    LB_CALL_EXP,
    LB_CALL_LOG,
    LB_CALL_TAN,
    LB_CALL_ASIN,
    LB_CALL_ACOS,
    LB_CALL_ATAN,
    LB_CALL_SINH,
    LB_CALL_COSH,
    LB_CALL_TANH,
    LB_CALL_FLOOR,
    LB_CALL_NEARBYINT,
    LB_CALL_POW, ///< from here on of two numbers
    LB_CALL_ATAN2,
    LB_CALL_HYPOT,
    LB_CALL_COUNT
} lb_math_call;

/// The name in C, without the f of single precision.
const char *lb_get_call_name(int call);

/// A node. Operands are indices of nodes; only those of unary functions have a sign.
typedef struct lb_graph_node {
    unsigned char op;
    bool negative; ///< the operand of a unary function has a minus
    union {
        struct {
            int a, b;
            int c; ///< of LB_OP_SELECT, a node; of LB_OP_CALL_TWO, the function
        };
        int operands[3];
    };
    int mark;     ///< into lb_graph.marks: where it arose
    double value; ///< at the sample state; of a constant, the constant
    int limb;     ///< group of equal limbs that each have it, from 1 on; 0 if there is one only
    int phase;    ///< nodes of one group and phase are computed in one loop
} lb_graph_node;

/// Which body and which equation the nodes of a block belong to.
typedef struct lb_graph_mark {
    int body; ///< listed index; -1 for none
    const char *equation;
    int lane, width; ///< for one of several entries that are computed alike; width 0 for none
    int pack;       ///< group of bodies that are computed alike, of which `lane` is one; 0 for none
    bool is_column; ///< of a pack: the nodes are of a column of that body, not of the body itself
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
    int stride; ///< from the entry of a limb to that of the next; 0 if there is one only
} lb_graph_output;

/// A call of one of the functions below, as it came: what it was asked, and what became of it.
typedef struct lb_graph_step {
    unsigned char op; ///< an lb_node_op: sums, products and functions; LB_OP_INVERT is a quotient
    int part;         ///< of lb_put_function
    int guard;        ///< of a comparison, into lb_graph.guards; otherwise -1
    int mark;
    lb_term a, b, result;
} lb_graph_step;

typedef struct lb_graph {
    lb_graph_node *nodes;
    int *table; ///< of hashes: index of a node + 1, or 0
    lb_graph_mark *marks;
    lb_graph_guard *guards;
    lb_graph_output *outputs;
    lb_graph_step *steps; ///< only if keeps_steps
    lb_term *spread;      ///< of LB_OP_SPREAD
    const int *widths;    ///< by group, from 0 on: limbs, from outside; NULL if there are none
    int node_count, mark_count, guard_count, output_count, step_count, spread_count;
    int node_capacity, table_size, mark_capacity, guard_capacity, output_capacity, step_capacity,
        spread_capacity;
    bool keeps_steps;
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
    return (x.bits & LB_TERM_MINUS) != 0;
}

static inline lb_term lb_make_constant(double x)
{
    lb_term term;
    term.number = x;
    return term;
}

static inline lb_term lb_negate_term(lb_term x)
{
    x.bits ^= LB_TERM_MINUS;
    return x;
}

/// How many of a, b and c are operands.
static inline int lb_count_operands(const lb_graph_node *node)
{
    switch (node->op) {
    case LB_OP_CONSTANT:
    case LB_OP_INPUT:
    case LB_OP_SPREAD:
        return 0;
    case LB_OP_ADD:
    case LB_OP_SUBTRACT:
    case LB_OP_MULTIPLY:
    case LB_OP_LARGER:
    case LB_OP_GREATER:
    case LB_OP_CALL_TWO:
        return 2;
    case LB_OP_SELECT:
        return 3;
    default:
        return 1;
    }
}

/// A term after its node has got another place.
static inline lb_term lb_move_term(lb_term x, const int *place)
{
    if (lb_is_node(x)) {
        x.bits = (x.bits & ~(uint64_t)0x7fffffffu) | (unsigned)place[lb_get_index(x)];
    }
    return x;
}

/// The same of the operands of a node.
static inline void lb_move_operands(lb_graph_node *node, const int *place)
{
    for (int i = 0; i < lb_count_operands(node); ++i) {
        node->operands[i] = place[node->operands[i]];
    }
}

/// Marks the nodes that outputs need, and with `guards` those that comparisons do.
///
/// @param used  room for all nodes, zero
void lb_mark_used(const lb_graph *graph, bool guards, unsigned char *used);

/// The number that a term has at the sample state.
double lb_get_term_value(const lb_graph *graph, lb_term x);

/// Says what the next nodes are about, for the reader of what is written.
void lb_mark_graph(lb_graph *graph, int body, const char *equation);

/// Says that the next nodes are for entry `lane` of `width` that are computed alike: the steps for all of them are the
/// same. Width 0 ends that.
void lb_mark_lane(lb_graph *graph, int lane, int width);

/// The same for the one of a pack of bodies (limbs/limbs.h), or its column; group 0 ends that.
void lb_mark_pack(lb_graph *graph, int lane, int group, bool is_column);

/// An input: entry of an array, with its value at the sample state.
lb_term lb_put_input(lb_graph *graph, int array, int entry, double value);

lb_term lb_put_sum(lb_graph *graph, lb_term a, lb_term b);
lb_term lb_put_product(lb_graph *graph, lb_term a, lb_term b);
/// a / b, as a (1 / b): divisors are often shared.
lb_term lb_put_quotient(lb_graph *graph, lb_term a, lb_term b);
/// A function of one term. `part` is for LB_OP_TURN.
lb_term lb_put_function(lb_graph *graph, lb_node_op op, lb_term a, int part);
lb_term lb_put_larger(lb_graph *graph, lb_term a, lb_term b);

/// A function of libm of one or two terms. `b` is not read for those of one.
lb_term lb_put_call(lb_graph *graph, lb_math_call call, lb_term a, lb_term b);
/// Whether a > b, as a condition: never constant, since both are not. It has no sign.
lb_term lb_put_condition(lb_graph *graph, lb_term a, lb_term b);
/// `yes` where a condition holds, otherwise `no`.
lb_term lb_put_select(lb_graph *graph, lb_term condition, lb_term yes, lb_term no);

/// Whether a > b, or a >= b, at the sample state. Unless both are constant, this becomes a guard.
bool lb_put_comparison(lb_graph *graph, lb_term a, lb_term b, bool or_equal);

/// Says that a term is an entry of an array that the function writes.
void lb_put_output(lb_graph *graph, int array, int entry, lb_term term);

/// One number for each of `width` limbs of a group, from 1 on.
lb_term lb_put_spread(lb_graph *graph, int group, int width, const lb_term *terms);

/// What one limb, from 0 on, has of a term.
lb_term lb_put_pick(lb_graph *graph, lb_term a, int limb);

/// Puts a comparison whose outcome is known.
void lb_put_guard(lb_graph *graph, const lb_graph_guard *guard);

#ifdef __cplusplus
}
#endif

#endif // LB_GRAPH_H
