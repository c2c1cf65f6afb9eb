// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver of CUDA and its compiler, loaded at run time, and an open device.
#ifndef LB_DEVICE_H
#define LB_DEVICE_H

#include "base/text.h"
#include "limber/cuda.h"

// ---- the driver --------------------------------------------------------------------------------
//
// The driver of CUDA and its compiler, loaded at run time: their functions in two tables. The types are those of
// cuda.h and nvrtc.h, written again, so that nothing of CUDA is needed to build.

typedef unsigned long long lb_cuda_address;

// result, name in the library, arguments
#define LB_DRIVER_LIST(X)                                                                          \
    X(cuInit, (unsigned flags))                                                                    \
    X(cuGetErrorName, (int error, const char **name))                                              \
    X(cuGetErrorString, (int error, const char **text))                                            \
    X(cuDeviceGetCount, (int *count))                                                              \
    X(cuDeviceGet, (int *device, int index))                                                       \
    X(cuDeviceGetName, (char *name, int size, int device))                                         \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device))                               \
    X(cuDevicePrimaryCtxRetain, (void **context, int device))                                      \
    X(cuDevicePrimaryCtxRelease_v2, (int device))                                                  \
    X(cuCtxPushCurrent_v2, (void *context))                                                        \
    X(cuCtxPopCurrent_v2, (void **context))                                                        \
    X(cuStreamSynchronize, (void *stream))                                                         \
    X(cuMemAlloc_v2, (lb_cuda_address * memory, size_t size))                                      \
    X(cuMemFree_v2, (lb_cuda_address memory))                                                      \
    X(cuMemcpyHtoDAsync_v2,                                                                        \
      (lb_cuda_address target, const void *source, size_t size, void *stream))                     \
    X(cuMemcpyDtoHAsync_v2, (void *target, lb_cuda_address source, size_t size, void *stream))     \
    X(cuMemsetD8Async, (lb_cuda_address target, unsigned char value, size_t size, void *stream))   \
    X(cuModuleLoadData, (void **module, const void *image))                                        \
    X(cuModuleUnload, (void *module))                                                              \
    X(cuModuleGetFunction, (void **function, void *module, const char *name))                      \
    X(cuFuncGetAttribute, (int *value, int attribute, void *function))                             \
    X(cuFuncSetAttribute, (void *function, int attribute, int value))                              \
    X(cuLaunchKernel, (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,          \
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,      \
                       void *stream, void **arguments, void **extra))                              \
    X(cuEventCreate, (void **event, unsigned flags))                                               \
    X(cuEventRecord, (void *event, void *stream))                                                  \
    X(cuEventSynchronize, (void *event))                                                           \
    X(cuEventElapsedTime, (float *milliseconds, void *start, void *end))                           \
    X(cuEventDestroy_v2, (void *event))

#define LB_NVRTC_LIST(X)                                                                           \
    X(nvrtcVersion, (int *major, int *minor))                                                      \
    X(nvrtcCreateProgram, (void **program, const char *source, const char *name, int header_count, \
                           const char *const *headers, const char *const *include_names))          \
    X(nvrtcCompileProgram, (void *program, int option_count, const char *const *options))          \
    X(nvrtcGetCUBINSize, (void *program, size_t *size))                                            \
    X(nvrtcGetCUBIN, (void *program, char *cubin))                                                 \
    X(nvrtcGetProgramLogSize, (void *program, size_t *size))                                       \
    X(nvrtcGetProgramLog, (void *program, char *log))                                              \
    X(nvrtcDestroyProgram, (void **program))

#define LB_TABLE_ENTRY(name, arguments) int(*name) arguments;

/// CUlaunchAttribute.
typedef struct lb_launch_attribute {
    int id;
    char gap[4];
    union {
        int number;
        double room[8];
    } value;
} lb_launch_attribute;

/// CUlaunchConfig.
typedef struct lb_launch_config {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
    void *stream;
    lb_launch_attribute *attributes;
    unsigned attribute_count;
} lb_launch_config;

typedef struct lb_driver {
    LB_DRIVER_LIST(LB_TABLE_ENTRY)
    /// NULL where the driver is older than CUDA 11.8
    int (*cuLaunchKernelEx)(const lb_launch_config *config, void *function, void **arguments,
                            void **extra);
} lb_driver;

typedef struct lb_nvrtc {
    LB_NVRTC_LIST(LB_TABLE_ENTRY)
} lb_nvrtc;

#undef LB_TABLE_ENTRY

/// Loads the driver. It stays loaded until the program ends: the driver does not survive being unloaded.
///
/// @param why  out: what is missing
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_load_driver(lb_driver *driver, lb_text *why);

/// Loads the compiler: libnvrtc where the loader finds it, or below CUDA_HOME or CUDA_PATH, or below
/// /usr/local/cuda.
///
/// @param why  out: what is missing
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_load_nvrtc(lb_nvrtc *nvrtc, lb_text *why);

// ---- the device --------------------------------------------------------------------------------
//
// An open device: compiled kernels, launches, and failures in words.
//
//     lb_cuda_module *module = NULL;
//     lb_cuda_kernel kernel;
//     status = lb_compile_for_cuda(cuda, source, "chain.cu", 0, NULL, &module);
//     status = lb_get_cuda_kernel(cuda, module, "assemble", &kernel);
//     void *arguments[] = {&count, &q, &a};
//     status = lb_launch_on_cuda(cuda, &kernel, block_count, thread_count, 0, arguments);
//
// Every function leaves the context of the calling thread as it was. A failure is an lb_status, with words for
// lb_get_cuda_message.

/// Kernels that were compiled together. Opaque.
typedef struct lb_cuda_module lb_cuda_module;

/// Texts that are compiled once for all of their users.
enum { LB_KEPT_MODULES = 2 };

struct lb_cuda {
    lb_driver driver;
    lb_nvrtc nvrtc;
    bool has_nvrtc; ///< the compiler is loaded when it is first needed
    int device;
    void *context, *stream, *start, *end;
    int major, minor; ///< of the architecture: 9, 0
    int multiprocessor_count;
    int shared_bytes; ///< of memory that a block can have
    char name[128];
    lb_text message;
    struct {
        const char *source;
        lb_cuda_module *module;
    } kept[LB_KEPT_MODULES]; ///< see lb_take_cuda_kernels
};

/// A kernel, and what one thread of it needs.
typedef struct lb_cuda_kernel {
    void *function;
    int register_count;    ///< per thread
    int local_bytes;       ///< of memory per thread, for what registers do not hold
    int most_thread_count; ///< in a block
} lb_cuda_kernel;

/// Notes a failure in words, and returns its status.
lb_status lb_fail_cuda(lb_cuda *cuda, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/// Hands such a failure to a report, and returns its status; LB_OK is passed on.
lb_status lb_report_cuda(lb_cuda *cuda, const lb_report *report, lb_status status);

/// Compiles a text of CUDA for the device and loads it. `--gpu-architecture`, `--fmad=true` and `-default-device` are
/// given already. Allocates, and takes seconds.
///
/// @param file_name  for messages of the compiler
/// @param module     out: NULL on failure
/// @return LB_OK; LB_E_UNSUPPORTED, with the first lines of the compiler as the message; LB_E_MEMORY
lb_status lb_compile_for_cuda(lb_cuda *cuda, const char *source, const char *file_name,
                              int option_count, const char *const *options,
                              lb_cuda_module **module);

/// Unloads kernels. NULL is allowed.
void lb_destroy_cuda_module(lb_cuda *cuda, lb_cuda_module *module);

/// Finds a kernel, which is `extern "C"`, by its name.
///
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_get_cuda_kernel(lb_cuda *cuda, const lb_cuda_module *module, const char *name,
                             lb_cuda_kernel *kernel);

/// Kernels of a text that is part of the library. It is compiled when it is first asked for, and kept until the device is
/// closed.
///
/// @param source   one of at most LB_KEPT_MODULES constants
/// @param names    of the kernels
/// @param kernels  out
/// @return as lb_compile_for_cuda and lb_get_cuda_kernel
lb_status lb_take_cuda_kernels(lb_cuda *cuda, const char *source, const char *file_name,
                               int kernel_count, const char *const *names, lb_cuda_kernel *kernels);

/// Starts a kernel on the stream of the device, and returns at once.
///
/// @param shared_bytes  of dynamic shared memory per block; more than 48 kB is asked for by itself
/// @param arguments     a pointer to each argument
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_launch_on_cuda(lb_cuda *cuda, const lb_cuda_kernel *kernel, unsigned block_count,
                            unsigned thread_count, unsigned shared_bytes, void **arguments);

/// The same for a kernel that may start while the one ahead of it on the stream is still at work, and waits for it by itself
/// (`griddepcontrol.wait`). Where the device or its driver cannot do that, it starts behind it.
lb_status lb_launch_early_on_cuda(lb_cuda *cuda, const lb_cuda_kernel *kernel, unsigned block_count,
                                  unsigned thread_count, unsigned shared_bytes, void **arguments);

/// Fills memory of the device with a byte, after the work that was started before.
///
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_fill_on_cuda(lb_cuda *cuda, void *memory, unsigned char value, size_t size);

/// Compiles a text as lb_compile_for_cuda does, without a device: for tests.
///
/// @param architecture  such as "sm_90"
/// @param cubin         out: to be freed; NULL on failure
/// @param why           out: words of the compiler on failure
/// @return LB_OK; LB_E_UNSUPPORTED; LB_E_MEMORY
lb_status lb_compile_cuda_text(const lb_nvrtc *nvrtc, const char *architecture, const char *source,
                               const char *file_name, int option_count, const char *const *options,
                               char **cubin, size_t *size, lb_text *why);

#endif // LB_DEVICE_H
