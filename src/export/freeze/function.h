// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of a frozen file: what they compute, their graphs, and their numbers at the sample state.
#ifndef LB_FUNCTION_H
#define LB_FUNCTION_H

#include "graph.h"
#include "limber/freeze.h"
#include "limbs/limbs.h"
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
    LB_ARRAY_Q_NEXT, ///< of a step towards the loops
    LB_ARRAY_GAP,    ///< errors of loops, six for each
    LB_ARRAY_V_NEXT,
    LB_ARRAY_MOTION,  ///< of a node: position, quaternion, velocity
    LB_ARRAY_P,       ///< parameters
    LB_ARRAY_BETWEEN, ///< what parts of a function hand on; of CUDA
    LB_ARRAY_HANDED,  ///< the same memory, for parts that read it
    // of a simulation
    LB_ARRAY_TIME,    ///< one entry, which is a number in the signature
    LB_ARRAY_U,       ///< inputs
    LB_ARRAY_Y,       ///< outputs
    LB_ARRAY_Z,       ///< indicators
    LB_ARRAY_COMMAND, ///< to actuators
    LB_ARRAY_MEMORY,  ///< of actuators and controllers
    LB_ARRAY_BEFORE,  ///< memory that is replaced, as it was
    LB_ARRAY_NOISE,   ///< of sensors: normal numbers
    LB_ARRAY_COUNT
};

/// Names of what a simulation has, list by list (lb_frozen_list).
enum { LB_FROZEN_LISTS = LB_FROZEN_MEMORY + 1 };
typedef struct lb_frozen_lists {
    int counts[LB_FROZEN_LISTS];
    char **names[LB_FROZEN_LISTS];
    double *starts; ///< of inputs: their values in the model itself at the start
    bool moves;     ///< motions have inputs: NAME_place reads them
} lb_frozen_lists;

/// Methods of integration: Runge and Kutta, Euler, generalized-alpha, which CUDA alone has.
enum { LB_STEP_RK4 = 1, LB_STEP_EULER = 2, LB_STEP_ALPHA = 4 };

/// A function of the file. A caller zeroes it first.
typedef struct lb_frozen_function {
    lb_traced_function kind; ///< forward is by whatever takes fewer operations
    char *name;              ///< behind the prefix: forward, jacobian_hand_tip
    int body, node;          ///< of a Jacobian or a motion
    bool with_rates;         ///< forward dynamics, and the rates of q
    int methods;             ///< of the steps that call it: LB_STEP_RK4 and so on
    bool is_private;         ///< only other functions of the file call it
    int part;                ///< of a simulation: 1 + lb_traced_part; 0 of a model
    int subject;             ///< of that: a controller, or a group of sensors
    bool replaces;           ///< writes entries of q and v in place
    lb_graph graph;
    lb_graph rolled; ///< the same with equal limbs side by side; empty if that is not shorter
    lb_limbs limbs;  ///< that it refers to
    int inputs[8], input_count; ///< arrays
    int outputs[5], output_count;
    int live;        ///< values that it keeps at one time; of CUDA
    int piece;       ///< of a function that is cut; 0 otherwise; of CUDA
    int piece_count; ///< 1 for a function that is whole
    int slot_count;  ///< numbers that the pieces hand on
    double *result;  ///< of the engine at the sample state, all outputs
} lb_frozen_function;

/// The state at which comparisons are decided and the file tests itself.
typedef struct lb_sample {
    double *values[LB_ARRAY_COUNT]; ///< q, v, tau, a; of a simulation its own too
    double *memory;
    struct lb_work *closed; ///< of the model, with its loops at this state; NULL without loops
    double *loop_scales;    ///< by slot: lb_loop_slot.scale
    const lb_frozen_lists *lists;            ///< of a simulation, or NULL
    const struct lb_frozen_control *control; ///< of one with controllers, or NULL
    const struct lb_tunable *tunable;        ///< how numbers depend on parameters; NULL for none
} lb_sample;

/// What arrays are called in files.
extern const char *const lb_array_names[LB_ARRAY_COUNT];

/// Array i of a function: the inputs, then the outputs.
static inline int lb_get_array(const lb_frozen_function *function, int i)
{
    return i < function->input_count ? function->inputs[i]
                                     : function->outputs[i - function->input_count];
}

/// Entries of an array.
int lb_count_array(const lb_model *model, const lb_sample *sample, int array);

/// Entries of all outputs.
int lb_count_outputs(const lb_model *model, const lb_sample *sample,
                     const lb_frozen_function *function);

/// A state where nothing vanishes by chance.
lb_status lb_make_sample(const lb_model *model, lb_sample *sample);

/// Fills graph and result of a function whose kind, body and node are set.
///
/// @param plain  what is recorded
/// @return LB_OK or a failure; the status of the engine at the sample state included
lb_status lb_record_function(const lb_model *model, const lb_plain_model *plain,
                             const lb_sample *sample, lb_frozen_function *function);

/// Arithmetic that the outputs of a graph need.
///
/// @return -1 if there is no memory
long lb_count_operations(const lb_graph *graph);

/// Sets the name of a function.
///
/// @param body, node  "", or of what it is: letters that C does not take become _
/// @return LB_OK or LB_E_MEMORY
lb_status lb_name_function(lb_frozen_function *function, const char *start, const char *body,
                           const char *node);

/// Frees what a function holds.
void lb_clear_function(lb_frozen_function *function);

#endif // LB_FUNCTION_H
