// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model as one C file (library limber-sim). The file is C99 and needs nothing but libm: no heap, no
// variables outside functions, no recursion, and numbers of the model as constants. It is for flight
// computers, controllers and loops of millions of calls.
//
//     lb_freeze_options options = lb_default_freeze_options();
//     options.name = "arm";
//     lb_frozen *frozen = NULL;
//     if (lb_freeze_model(model, &options, &report, &frozen) == LB_OK) {
//         fputs(lb_get_frozen_source(frozen), stdout);
//         fputs(lb_get_frozen_header(frozen), stdout);
//     }
//     lb_destroy_frozen(frozen);
//
// The library is built where a C++ compiler is found: see src/export/freeze/trace.h.
#ifndef LB_FREEZE_H
#define LB_FREEZE_H

#include <stdbool.h>

#include "limber/model.h"

struct lb_simulation; // of limber/simulate.h

/// The type of numbers in a frozen file.
typedef enum lb_frozen_number { LB_FROZEN_DOUBLE, LB_FROZEN_FLOAT } lb_frozen_number;

/// The language of a frozen file.
typedef enum lb_frozen_language {
    LB_FROZEN_C,
    /// One file of CUDA, without a header: a kernel for each function, with one thread per state. Entry j of state i
    /// of an array is at [j * count + i]. limber/cuda.h compiles and runs it. Parameters do not stay open.
    LB_FROZEN_CUDA
} lb_frozen_language;

/// A parameter that stays open in a frozen file. Frozen: an entry of lb_freeze_parameters.list.
typedef struct lb_frozen_parameter {
    const char *name; ///< a name of C: a field of NAME_parameters
    double value;     ///< of the model that is frozen
    double low, high; ///< its range; infinite if it has none
    const char *unit; ///< a label; "" or NULL for none
} lb_frozen_parameter;

/// Parameters that stay open, and how to build the model at other values. Sized.
typedef struct lb_freeze_parameters {
    size_t size;
    int count;
    const lb_frozen_parameter *list;
    /// Builds the model at values, in the order of the list. Values outside the range of a parameter are not asked for.
    ///
    /// @param model  out: the caller of this function destroys it
    /// @return LB_OK, or a failure for values that the model does not take
    lb_status (*build)(void *user, const double *values, lb_model **model);
    void *user;
    /// Of lb_freeze_simulation: makes the simulation of the model that was built last, with its forces at the same
    /// values. It is not started (NULL).
    ///
    /// @param simulation  out: the caller of this function destroys it, before the model
    lb_status (*simulate)(void *user, const lb_model *model, struct lb_simulation **simulation);
} lb_freeze_parameters;

/// What a frozen file holds. Sized.
typedef struct lb_freeze_options {
    size_t size;
    const char *name; ///< the start of every name in the files: a name of C (model)
    /// With commas: forward, inverse, mass, rates, step, step:euler, close, derivatives, jacobian:NODE,
    /// jacobian:BODY.NODE, motion:NODE, motion:BODY.NODE; of CUDA also step:alpha; of a simulation also outputs,
    /// indicators, control, run (forward,inverse,mass).
    const char *functions;
    lb_frozen_number number; ///< LB_FROZEN_DOUBLE
    /// q where loops that are `as_assembled` close, and near which the others can be closed; NULL for the neutral
    /// configuration (NULL). Read only for models with loops.
    const double *configuration;
    lb_frozen_language language;            ///< LB_FROZEN_C
    const lb_freeze_parameters *parameters; ///< that stay open; NULL for none (NULL)
    /// Arithmetic of one kernel of CUDA, or of one function of C. Those that are longer, in C twice as long, are cut into
    /// several, which hand on their numbers in memory; 0 for never in CUDA, and for 4000 in C (0).
    int operation_count;
    /// Of a simulation, with commas: motors, forces, torques and, in C, motions whose values are inputs in place of
    /// their functions of time; and CONTROLLER.ACTUATOR for desired motions. Of a motion, each coordinate becomes three
    /// inputs: coordinate, speed and acceleration, from what it is given by on; NAME_place takes them too (NULL: none).
    const char *inputs;
    /// Of C: equal limbs are in the vector types of GNU C, which gcc and clang have, and not in loops (false).
    bool vectors;
    const char *header; ///< of C: name of the header file; NULL for NAME.h (NULL)
    /// Of C: beside each function there is one for eight states, such as NAME_forward_batch (false). Functions that
    /// change a state in place have none: with this option step, close, control and run are refused.
    bool batches;
} lb_freeze_options;

/// The defaults: "model" with forward, inverse and mass, in double.
static inline lb_freeze_options lb_default_freeze_options(void)
{
    lb_freeze_options options = LB_ZEROES;
    options.size = sizeof options;
    options.name = "model";
    options.functions = "forward,inverse,mass";
    options.number = LB_FROZEN_DOUBLE;
    options.language = LB_FROZEN_C;
    return options;
}

/// The text of a frozen model. Opaque.
typedef struct lb_frozen lb_frozen;

/// Writes a model as C. Bodies are frozen with every hinge type and every fidelity, and closed loops of every type
/// with the rank that they have nearly everywhere; loops that follow a motion are refused. Allocates; time grows with the length of the text.
///
/// @param report  what is refused, and why; may be NULL
/// @param frozen  out: NULL on failure
/// @return LB_OK; LB_E_ARGUMENT for a name or a list of functions that cannot be; LB_E_UNSUPPORTED for a model
///         that cannot be frozen; LB_E_SINGULAR if an inertia, or every place of the loops, is singular; LB_E_OPEN
///         if the loops cannot be closed; LB_E_NUMBER; LB_E_MEMORY; LB_E_VERSION
LB_API lb_status lb_freeze_model(const lb_model *model, const lb_freeze_options *options,
                                 const lb_report *report, lb_frozen **frozen);

/// Writes a simulation as C: the model with its force elements and functions of time, as they are when it starts.
/// `rates` and `step` take the time and inputs, and all forces are in them; `outputs` gives the outputs of the
/// simulation, `indicators` the levels of its events and the room at its stops. `control` has its actuators, sensors
/// and controllers, whose numbers are in an array of the caller: NAME_control takes the samples that are due, at times
/// that NAME_next_sample tells; `run` makes steps with all samples in them. The other functions are those of
/// lb_freeze_model. What cannot be frozen is refused with its name: friction that sticks, forces, signals and laws of
/// callbacks, signals of reactions. Starts the simulation if it is not started.
/// Allocates; time grows with the length of the text.
///
/// @param report  what is refused, and why; may be NULL
/// @param frozen  out: NULL on failure
/// @return as lb_freeze_model; or what lb_start_simulation failed with
LB_API lb_status lb_freeze_simulation(struct lb_simulation *simulation,
                                      const lb_freeze_options *options, const lb_report *report,
                                      lb_frozen **frozen);

/// What the functions of a frozen simulation read and write.
typedef enum lb_frozen_list {
    LB_FROZEN_Q,      ///< coordinates
    LB_FROZEN_V,      ///< speeds
    LB_FROZEN_INPUTS, ///< u: forces of actuators, then forces and desired motions that the options name
    LB_FROZEN_OUTPUTS,    ///< y
    LB_FROZEN_INDICATORS, ///< z: levels of events, then room below and above at each stop
    LB_FROZEN_COMMANDS,   ///< to actuators
    LB_FROZEN_MEMORY      ///< numbers that actuators and controllers keep
} lb_frozen_list;

/// Entries of a list. All are 0 for lb_freeze_model.
LB_API int lb_get_frozen_count(const lb_frozen *frozen, lb_frozen_list list);

/// The name of an entry: of coordinates and speeds that of results, such as "arm.angle". It lives as long as `frozen`.
LB_API const char *lb_get_frozen_entry(const lb_frozen *frozen, lb_frozen_list list, int index);

/// The C file. It includes NAME.h. The text lives as long as `frozen`.
LB_API const char *lb_get_frozen_source(const lb_frozen *frozen);

/// The header for it; NULL for CUDA.
LB_API const char *lb_get_frozen_header(const lb_frozen *frozen);

/// Frees a frozen model. NULL is allowed.
LB_API void lb_destroy_frozen(lb_frozen *frozen);

// ---- loaded back -------------------------------------------------------------------------------

/// How a frozen model is compiled and loaded. Sized.
typedef struct lb_attach_options {
    size_t size;
    /// The compiler may be started, and its library loaded into this process (false). Nothing works without.
    bool allow_plugins;
    const char *compiler; ///< a C compiler that takes options as gcc does, found in PATH ("cc")
    const char *flags;    ///< options of it ("-O3 -march=native -ffp-contract=fast")
    /// A file that keeps the compiled model for other runs, on machines that have the instructions it was compiled
    /// for. If it is there, it is loaded, and nothing is compiled. NULL: none is kept (NULL).
    const char *library;
} lb_attach_options;

/// The defaults: cc, nothing kept, and not permitted.
static inline lb_attach_options lb_default_attach_options(void)
{
    lb_attach_options options = LB_ZEROES;
    options.size = sizeof options;
    options.compiler = "cc";
    options.flags = "-O3 -march=native -ffp-contract=fast";
    return options;
}

/// Freezes a model, compiles the file and loads it: from then on forward dynamics, inverse dynamics, the bias and the
/// mass matrix of this model call it, one state or many. Everything else stays as it is, and runs the sweeps of
/// the engine when it needs what they leave in the workspace. Results differ from the engine's by round-off.
/// Where the frozen functions report anything, the engine computes the result and its status.
///
/// Call it before workspaces are made: those that exist go on without it. No other thread may use the model
/// meanwhile. lb_destroy_model unloads the library. Allocates, writes files in TMPDIR and waits for the compiler,
/// which takes seconds, or minutes for large models. Evaluations do not allocate.
///
/// @param options  NULL for the defaults, which permit nothing
/// @param report   what went wrong; may be NULL
/// @return LB_OK; LB_E_UNSUPPORTED if it is not permitted, the model has loops, or the compiled code needs
///         instructions that this processor does not have; LB_E_FILE if the compiler cannot be
///         started, or fails; LB_E_MODEL if `library` holds another model; LB_E_ARGUMENT if one is attached already;
///         LB_E_SINGULAR; LB_E_MEMORY; LB_E_VERSION
LB_API lb_status lb_attach_frozen(lb_model *model, const lb_attach_options *options,
                                  const lb_report *report);

#endif // LB_FREEZE_H
