// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver of CUDA and its compiler, loaded at run time: their functions in two tables. The types are those of
// cuda.h and nvrtc.h, written again, so that nothing of CUDA is needed to build.
#ifndef LB_DRIVER_H
#define LB_DRIVER_H

#include "base/text.h"
#include "limber/cuda.h"

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

#endif // LB_DRIVER_H
