// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Records what the engine computes for a model, operation by operation, in a graph.
//
// There were two ways to get the equations of a model into a graph: write every recursion once more over it, or
// record the engine itself. The second was chosen. The sources of the sweeps are compiled once more, as C++, with
// a number type in the place of `double` whose operators put nodes into the graph (test/counts does the same
// with a number that counts). The type has the size of a double, so models and workspaces of the library are
// used as they are: the numbers of the model are constants there, and only the state is symbolic. Every hinge
// type and every fidelity comes from the one place where it is derived and tested, and a new one needs nothing
// here. The price is a C++ compiler for this one file, which needs no C++ library, and that branches follow
// one sample state: each comparison of numbers that depend on the state becomes a guard (lb_graph_guard).
// Nothing else in the library is C++, and without such a compiler only the command `freeze` is missing.
#ifndef LB_TRACE_H
#define LB_TRACE_H

#include "graph.h"
#include "limbs/pack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What can be recorded.
typedef enum lb_traced_function {
    LB_TRACE_FORWARD,           ///< q, v, tau to a, by articulated bodies
    LB_TRACE_FORWARD_COMPOSITE, ///< the same through the mass matrix
    LB_TRACE_FORWARD_BIASED,    ///< the same of rigid bodies, from the bias of their motion
    LB_TRACE_INVERSE,           ///< q, v, a to tau
    LB_TRACE_MASS,              ///< q to M
    LB_TRACE_JACOBIAN,          ///< q to J of a node, in world axes
    LB_TRACE_DERIVATIVES,       ///< q, v, tau to a and its derivatives by all three
    LB_TRACE_CLOSED,            ///< q, v, tau to a with the loops closed
    LB_TRACE_CLOSE_POSITIONS,   ///< q to q nearer to the loops, and how far it was off them
    LB_TRACE_CLOSE_SPEEDS,      ///< q, v to v that agrees with the loops
    LB_TRACE_MOTION             ///< q, v to place and velocity of a node, in world axes
} lb_traced_function;

/// The numbers of a call, as terms.
typedef struct lb_trace_call {
    lb_traced_function function;
    const void *model; ///< an lb_model
    void *work;        ///< an lb_work of it; of no use for anything else afterwards
    const lb_term *q, *v;
    const lb_term *x;           ///< tau or a
    lb_term *matrix;            ///< scratch of v_count x v_count for LB_TRACE_FORWARD_COMPOSITE
    void *derivatives;          ///< an lb_derivative_work of zeros, for LB_TRACE_DERIVATIVES
    int body, node;             ///< of a Jacobian or a motion
    lb_term *out;               ///< all outputs, one behind the other
    lb_term *q_dot;             ///< NULL, or where the rates of q go as well
    const lb_term *q_given;     ///< q without the offsets of plain models
    const lb_term *loop_scales; ///< by slot: of its thresholds; for models with loops
    const lb_limb_pack *packs;  ///< by listed index; NULL for none
    bool has_steady_frames;     ///< limbs/steady.h
} lb_trace_call;

/// Records one call.
///
/// @return an lb_status: that of the function at the sample state
int lb_trace(lb_graph *graph, const lb_trace_call *call);

#ifdef __cplusplus
}
#endif

#endif // LB_TRACE_H
