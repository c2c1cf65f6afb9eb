// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of a frozen file: what they compute, their graphs, and their numbers at the sample state.
#ifndef LB_FUNCTION_H
#define LB_FUNCTION_H

#include "graph.h"
#include "limber/freeze.h"
#include "plain_model.h"
#include "trace.h"

/// Arrays that functions read and write.
enum {
    LB_ARRAY_Q,
    LB_ARRAY_V,
    LB_ARRAY_TAU,
    LB_ARRAY_A,
    LB_ARRAY_M,
    LB_ARRAY_J,
    LB_ARRAY_DQ, ///< of a by q, and so on
    LB_ARRAY_DV,
    LB_ARRAY_DTAU,
    LB_ARRAY_Q_DOT,
    LB_ARRAY_COUNT
};

/// A function of the file. A caller zeroes it first.
typedef struct lb_frozen_function {
    lb_traced_function kind; ///< forward is by whatever takes fewer operations
    char *name;              ///< behind the prefix: forward, jacobian_hand_tip
    int body, node;          ///< of a Jacobian
    bool with_rates;         ///< forward dynamics, and the rates of q
    bool with_step;          ///< there is a step of integration that calls it
    lb_graph graph;
    int inputs[3], input_count; ///< arrays
    int outputs[4], output_count;
    double *result; ///< of the engine at the sample state, all outputs
} lb_frozen_function;

/// The state at which comparisons are decided and the file tests itself.
typedef struct lb_sample {
    double *values[LB_ARRAY_COUNT]; ///< q, v, tau, a
    double *memory;
} lb_sample;

/// Entries of an array.
int lb_count_array(const lb_model *model, int array);

/// Entries of all outputs.
int lb_count_outputs(const lb_model *model, const lb_frozen_function *function);

/// A state where nothing vanishes by chance.
lb_status lb_make_sample(const lb_model *model, lb_sample *sample);

/// Fills graph and result of a function whose kind, body and node are set.
///
/// @param plain  what is recorded
/// @return LB_OK or a failure; the status of the engine at the sample state included
lb_status lb_record_function(const lb_model *model, const lb_plain_model *plain,
                             const lb_sample *sample, lb_frozen_function *function);

/// Frees what a function holds.
void lb_clear_function(lb_frozen_function *function);

#endif // LB_FUNCTION_H
