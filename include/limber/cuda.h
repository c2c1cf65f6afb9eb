// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphics processors of NVIDIA (library limber-cuda): the dynamics of millions of states of one model.
//
//     lb_cuda *cuda = NULL;
//     lb_cuda_batch *batch = NULL;
//     long long state;
//     void *device_q, *device_v, *device_tau, *device_a;
//     if (lb_create_cuda(NULL, &report, &cuda) != LB_OK ||
//         lb_create_cuda_batch(cuda, model, NULL, &report, &batch) != LB_OK) {
//         // no driver, no device or no such kernel: the report says which
//     }
//     lb_allocate_on_cuda(cuda, count * lb_get_q_count(model) * sizeof(double), &device_q); // and the others
//     lb_copy_states_to_cuda(batch, count, lb_get_q_count(model), q, device_q);             // likewise
//     lb_compute_forward_dynamics_cuda(batch, count, device_q, device_v, device_tau, device_a);
//     lb_copy_states_from_cuda(batch, count, lb_get_v_count(model), device_a, a);
//     status = lb_get_cuda_failure(batch, &state); // did any state fail?
//
// The library is built without CUDA. It loads the driver (libcuda.so.1) and the compiler (libnvrtc) when a device
// is created; where they are missing, that call fails and says "no device".
//
// An lb_cuda, and what is made from it, may be used by one thread at a time. It shares the primary context of its
// device with other libraries of the same program, such as CuPy and PyTorch: pointers of theirs can be passed
// wherever a pointer to device memory is asked for.
#ifndef LB_CUDA_H
#define LB_CUDA_H

#include <math.h>
#include <stdbool.h>

#include "limber/batch.h"
#include "limber/freeze.h"

// ---- devices -----------------------------------------------------------------------------------

/// How a device is opened. Sized.
typedef struct lb_cuda_options {
    size_t size;
    int index; ///< of the device, as the driver counts them (0)
    /// The stream on which everything runs, a CUstream or cudaStream_t; NULL for the default stream (NULL).
    void *stream;
} lb_cuda_options;

/// The defaults: the first device, and its default stream.
static inline lb_cuda_options lb_default_cuda_options(void)
{
    lb_cuda_options options = LB_ZEROES;
    options.size = sizeof options;
    return options;
}

/// A device that is open. Opaque.
typedef struct lb_cuda lb_cuda;

/// Opens a device. Allocates, and may take a second the first time in a program.
///
/// @param options  NULL for the defaults
/// @param report   why there is no device; may be NULL
/// @param cuda     out: NULL on failure
/// @return LB_OK; LB_E_UNSUPPORTED if there is no driver or no such device; LB_E_MEMORY; LB_E_VERSION
LB_API lb_status lb_create_cuda(const lb_cuda_options *options, const lb_report *report,
                                lb_cuda **cuda);

/// Closes a device. What was made from it is destroyed before. NULL is allowed.
LB_API void lb_destroy_cuda(lb_cuda *cuda);

/// The name of the device, such as "NVIDIA H200". Lives as long as `cuda`.
LB_API const char *lb_get_cuda_name(const lb_cuda *cuda);

/// Why the last call that failed did so, in words; "" if none has failed. Lives until the next call.
LB_API const char *lb_get_cuda_message(const lb_cuda *cuda);

/// Waits until all work that was started is done.
///
/// @return LB_OK, or LB_E_UNSUPPORTED if any of that work failed
LB_API lb_status lb_wait_for_cuda(lb_cuda *cuda);

// ---- memory ------------------------------------------------------------------------------------

/// Memory on the device.
///
/// @param size    bytes
/// @param memory  out: an address that only the device can use; NULL on failure
/// @return LB_OK; LB_E_MEMORY if the device has not that much left; LB_E_UNSUPPORTED
LB_API lb_status lb_allocate_on_cuda(lb_cuda *cuda, size_t size, void **memory);

/// Frees memory on the device, after the work that uses it. NULL is allowed.
LB_API void lb_release_on_cuda(lb_cuda *cuda, void *memory);

/// Copies from the host to the device. Returns when the source may be changed.
///
/// @return LB_OK or LB_E_UNSUPPORTED
LB_API lb_status lb_copy_to_cuda(lb_cuda *cuda, void *device_memory, const void *source,
                                 size_t size);

/// Copies from the device to the host, after the work that was started before.
///
/// @return LB_OK or LB_E_UNSUPPORTED
LB_API lb_status lb_copy_from_cuda(lb_cuda *cuda, void *target, const void *device_memory,
                                   size_t size);

// ---- batches -----------------------------------------------------------------------------------
//
// A model becomes kernels once: limber-sim writes them, with the numbers of the model as constants, and the
// compiler of CUDA compiles them for the device. One thread computes one state.
//
// Arrays are on the device. Entry j of state i is at [j * count + i]: all states of the first entry, then all
// states of the second. Their numbers are double, or float if the batch was made so. Arrays of one call do not
// overlap.
//
// Calls return at once, and the device works on. The answer of a state has the same bits in every run, for any number
// of states, and wherever the state is among them.
//
// A batch of a model has its bodies, gravity and closed loops; other forces are `tau`. A batch of a simulation has force
// elements and functions of time as well: see lb_load_cuda_batch.

/// Where the kernel of forward dynamics comes from.
typedef enum lb_cuda_kernels {
    LB_CUDA_CHOSEN, ///< tables where the model allows them and the written text does not fit into one kernel
    LB_CUDA_WRITTEN, ///< written by limber-sim: any model, its numbers as constants
    /// One kernel with loops over the bodies, whose numbers are in a table: chains of revolute hinges in double
    /// precision, of rigid bodies or of ruthless ones with equally many modes whose hinges are at their origins.
    LB_CUDA_TABLES
} lb_cuda_kernels;

/// What a batch can compute. Sized.
typedef struct lb_cuda_batch_options {
    size_t size;
    /// With commas: forward, inverse, mass, derivatives, rates, step, step:euler, step:alpha, close, jacobian:NODE,
    /// jacobian:BODY.NODE, motion:NODE, motion:BODY.NODE (forward,inverse,mass). Each takes a second or more to compile; derivatives of large models take minutes.
    const char *functions;
    lb_frozen_number number; ///< LB_FROZEN_DOUBLE
    int thread_count;        ///< in a block; 0 for the library to choose (0)
    int block_count;         ///< at a time on a multiprocessor; 0 for the library to choose (0)
    /// Arithmetic in one kernel: longer functions are cut into several, whose instructions fit into a cache. 0 for the
    /// library to choose (0).
    int operation_count;
    /// q near which closed loops can be closed; NULL for the neutral configuration (NULL). Read only for models with
    /// loops.
    const double *configuration;
    /// States that go through the kernels of a function that is cut, before the next ones do: what the kernels hand on
    /// takes memory for so many. 0 for the library to choose: a million (0).
    int chunk_count;
    lb_cuda_kernels kernels; ///< of `forward`; lb_create_cuda_batch only (LB_CUDA_CHOSEN)
} lb_cuda_batch_options;

/// The defaults: forward, inverse and mass, in double.
static inline lb_cuda_batch_options lb_default_cuda_batch_options(void)
{
    lb_cuda_batch_options options = LB_ZEROES;
    options.size = sizeof options;
    options.functions = "forward,inverse,mass";
    options.number = LB_FROZEN_DOUBLE;
    return options;
}

/// A model on a device. Opaque.
typedef struct lb_cuda_batch lb_cuda_batch;

/// Writes, compiles and loads the kernels of a model. Allocates, and takes seconds. The model is not needed
/// afterwards.
///
/// @param options  NULL for the defaults
/// @param report   what is refused, and why; may be NULL
/// @param batch    out: NULL on failure
/// @return LB_OK; LB_E_ARGUMENT for functions that cannot be; LB_E_UNSUPPORTED for models that cannot be frozen, and
///         where libnvrtc is not found; LB_E_SINGULAR; LB_E_OPEN; LB_E_MEMORY; LB_E_VERSION
LB_API lb_status lb_create_cuda_batch(lb_cuda *cuda, const lb_model *model,
                                      const lb_cuda_batch_options *options, const lb_report *report,
                                      lb_cuda_batch **batch);

/// Compiles and loads kernels that limber-sim has written: of a simulation, with its force elements, functions of
/// time and outputs.
///
///     lb_freeze_options options = lb_default_freeze_options();
///     lb_frozen *frozen = NULL;
///     lb_cuda *cuda = NULL; // open
///     lb_cuda_batch *batch = NULL;
///     options.language = LB_FROZEN_CUDA;
///     options.functions = "step,outputs";
///     options.operation_count = 6000;
///     lb_freeze_simulation(simulation, &options, &report, &frozen);
///     lb_load_cuda_batch(cuda, frozen, NULL, &report, &batch);
///
/// @param frozen   in CUDA, with the name "model"; not needed afterwards
/// @param options  threads and blocks are read; NULL for the defaults
/// @param report   what is refused, and why; may be NULL
/// @param batch    out: NULL on failure
/// @return LB_OK; LB_E_ARGUMENT for another language or name; LB_E_UNSUPPORTED; LB_E_MEMORY; LB_E_VERSION
LB_API lb_status lb_load_cuda_batch(lb_cuda *cuda, const lb_frozen *frozen,
                                    const lb_cuda_batch_options *options, const lb_report *report,
                                    lb_cuda_batch **batch);

/// Frees a batch and its kernels. NULL is allowed.
LB_API void lb_destroy_cuda_batch(lb_cuda_batch *batch);

/// Forward dynamics of `count` states.
///
/// @param q    q_count x count
/// @param v    v_count x count
/// @param tau  v_count x count
/// @param a    out: v_count x count; NaN for a state that fails
/// @return LB_OK; LB_E_ARGUMENT if the batch has no `forward`; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_compute_forward_dynamics_cuda(lb_cuda_batch *batch, long long count,
                                                  const void *q, const void *v, const void *tau,
                                                  void *a);

/// The device as the machine of an lb_batch of the same model, for arrays of the host:
///
///     lb_cuda *cuda = NULL; // open
///     lb_cuda_batch *kernels = NULL;
///     lb_create_cuda_batch(cuda, model, NULL, &report, &kernels);
///     lb_batch_options options = lb_default_batch_options();
///     options.machine = lb_make_cuda_machine(kernels);
///     lb_batch *batch = lb_create_batch(model, &options);
///     lb_compute_forward_dynamics_batch(model, batch, 1000, q, v, tau, a);
///
/// Each call copies its states to the device and the answers back, and allocates when there are more states than ever before.
/// Arrays that stay on the device are faster: the calls below. What fails for another reason than a state returns the
/// status of the call below; lb_get_cuda_message has its words.
///
/// @param batch  of lb_create_cuda_batch; must outlive the lb_batch
LB_API lb_machine lb_make_cuda_machine(lb_cuda_batch *batch);

/// Inverse dynamics of `count` states.
///
/// @param q    q_count x count
/// @param v    v_count x count
/// @param a    v_count x count
/// @param tau  out: v_count x count; NaN for a state that fails
/// @return LB_OK; LB_E_ARGUMENT if the batch has no `inverse`; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_compute_inverse_dynamics_cuda(lb_cuda_batch *batch, long long count,
                                                  const void *q, const void *v, const void *a,
                                                  void *tau);

/// Mass matrices of `count` configurations.
///
/// @param q  q_count x count
/// @param M  out: v_count x v_count x count; NaN for a state that fails
/// @return LB_OK; LB_E_ARGUMENT if the batch has no `mass`; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_compute_mass_matrix_cuda(lb_cuda_batch *batch, long long count, const void *q,
                                             void *M);

/// Forward dynamics of `count` states, and their derivatives as lb_compute_forward_derivatives has them.
///
/// @param q        q_count x count
/// @param v        v_count x count
/// @param tau      v_count x count
/// @param a        out: v_count x count
/// @param da_dq    out: v_count x v_count x count, and the other two likewise
/// @return LB_OK; LB_E_ARGUMENT if the batch has no `derivatives`; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_compute_forward_derivatives_cuda(lb_cuda_batch *batch, long long count,
                                                     const void *q, const void *v, const void *tau,
                                                     void *a, void *da_dq, void *da_dv,
                                                     void *da_dtau);

/// Jacobians of a node, in world axes, of `count` configurations.
///
/// @param function  jacobian_BODY_NODE; other characters than letters and digits become _
/// @param q         q_count x count
/// @param J         out: 6 x v_count x count, angular rows first
/// @return LB_OK; LB_E_ARGUMENT if the batch has no such function; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_compute_jacobian_cuda(lb_cuda_batch *batch, const char *function,
                                          long long count, const void *q, void *J);

/// Motion of a node, in world axes, of `count` states.
///
/// @param function  motion_BODY_NODE; other characters than letters and digits become _
/// @param q         q_count x count
/// @param v         v_count x count
/// @param motion    out: 13 x count: position, quaternion w x y z, angular and linear velocity
/// @return LB_OK; LB_E_ARGUMENT if the batch has no such function; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_compute_node_motion_cuda(lb_cuda_batch *batch, const char *function,
                                             long long count, const void *q, const void *v,
                                             void *motion);

/// Puts `count` states back on the closed loops of their model, in place.
///
/// @param t  s, of a simulation whose loops or hinges follow a motion; otherwise not used
/// @param q  in, out: q_count x count; NaN for a state whose loops cannot be closed
/// @param v  in, out: v_count x count
/// @return LB_OK; LB_E_ARGUMENT if the batch has no `close`; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_close_loops_cuda(lb_cuda_batch *batch, long long count, double t, void *q,
                                     void *v);

/// The outputs of a simulation, in `count` states at one time. Of a batch of lb_load_cuda_batch.
///
/// @param t    s
/// @param q    q_count x count
/// @param v    v_count x count
/// @param tau  v_count x count, added to the forces of the simulation
/// @param u    inputs x count; NULL if there are none
/// @param y    out: outputs x count; NaN for a state that fails
/// @return LB_OK; LB_E_ARGUMENT if the batch has no `outputs`; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_compute_outputs_cuda(lb_cuda_batch *batch, long long count, double t,
                                         const void *q, const void *v, const void *tau,
                                         const void *u, void *y);

/// Methods of integration with a fixed step.
typedef enum lb_cuda_method {
    LB_CUDA_RK4,   ///< the integrator `rk4`; function `step`
    LB_CUDA_EULER, ///< `euler`; function `step:euler`
    LB_CUDA_ALPHA ///< `alpha`, for up to 32 degrees of freedom without loops; function `step:alpha`
} lb_cuda_method;

/// Steps of many states. Sized.
typedef struct lb_cuda_run {
    size_t size;
    lb_cuda_method method; ///< LB_CUDA_RK4
    double start;          ///< time of the states, s (0)
    double step;           ///< length of a step, s (1e-3)
    long long step_count;  ///< (1)
    /// No later time is given to forces. Where one of them jumps at the end of the last step, the number just below:
    /// the step then sees it as it was before (infinite).
    double latest;
    double damping; ///< of `alpha`: the spectral radius at infinite frequency, 0 to 1 (0.8)
    /// Of `alpha`: v_count x count, accelerations that it keeps from call to call; NULL for none (NULL).
    void *past;
    bool goes_on;    ///< `past` is of the call before; otherwise it is only written (false)
    const void *tau; ///< v_count x count, added to the forces of a simulation
    const void *u;   ///< inputs x count; NULL if there are none (NULL)
} lb_cuda_run;

/// The defaults: one step of `rk4`.
static inline lb_cuda_run lb_default_cuda_run(void)
{
    lb_cuda_run run = LB_ZEROES;
    run.size = sizeof run;
    run.method = LB_CUDA_RK4;
    run.step = 1e-3;
    run.step_count = 1;
    run.latest = HUGE_VAL;
    run.damping = 0.8;
    return run;
}

/// Simulates `count` states in place. Hinges that are driven, quaternions and closed loops are where they belong at the
/// end of each step.
///
/// @param q  in, out: q_count x count; NaN for a state that fails on its way
/// @param v  in, out: v_count x count
/// @return LB_OK; LB_E_ARGUMENT if the batch has no such step; LB_E_NUMBER for a step or time that is not finite;
///         LB_E_VERSION; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_run_cuda(lb_cuda_batch *batch, long long count, const lb_cuda_run *run, void *q,
                             void *v);

/// Waits for the device and says whether any state failed since the batch was made, or since this was last called.
///
/// @param state  out: the first state of the worst kind of failure; -1 for none. May be NULL
/// @return LB_OK; LB_E_SINGULAR if an inertia is singular; LB_E_NUMBER if an input or a result is not finite; LB_E_OPEN
///         if loops cannot be closed; LB_E_STEP if a step of `alpha` cannot be solved; LB_NEWS_INDEFINITE if an inertia
///         is indefinite; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_get_cuda_failure(lb_cuda_batch *batch, long long *state);

/// Copies states of the host, which lie one after the other, to the device in the order of a batch. Allocates.
///
/// @param width   entries per state, such as q_count
/// @param states  count x width, on the host
/// @param array   out: width x count, on the device
/// @return LB_OK; LB_E_MEMORY; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_copy_states_to_cuda(lb_cuda_batch *batch, long long count, int width,
                                        const double *states, void *array);

/// Copies states of the device to the host: the inverse of lb_copy_states_to_cuda. Allocates, and waits.
///
/// @param width   entries per state
/// @param array   width x count, on the device
/// @param states  out: count x width, on the host
/// @return LB_OK; LB_E_MEMORY; LB_E_UNSUPPORTED if the device failed
LB_API lb_status lb_copy_states_from_cuda(lb_cuda_batch *batch, long long count, int width,
                                          const void *array, double *states);

#endif // LB_CUDA_H
