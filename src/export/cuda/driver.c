// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

// A function of a library as an entry of a table: C has no conversion from objects to functions.
static bool take_function(void *library, const char *name, void *entry)
{
    void *found = dlsym(library, name);
    memcpy(entry, &found, sizeof found);
    return found != NULL;
}

lb_status lb_load_driver(lb_driver *driver, lb_text *why)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        lb_text_add(why, "no device: the driver of NVIDIA (libcuda.so.1) is not installed");
        return LB_E_UNSUPPORTED;
    }
#define LB_TAKE(name, arguments)                                                                   \
    if (!take_function(library, #name, &driver->name)) {                                           \
        lb_text_add(why, "no device: the driver of NVIDIA is too old: it has no " #name);          \
        return LB_E_UNSUPPORTED;                                                                   \
    }
    LB_DRIVER_LIST(LB_TAKE)
#undef LB_TAKE
    take_function(library, "cuLaunchKernelEx", &driver->cuLaunchKernelEx);
    return LB_OK;
}

// ---- the compiler ------------------------------------------------------------------------------

static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                    "libnvrtc.so"};

static void *open_below(const char *folder)
{
    void *library = NULL;
    for (size_t i = 0; folder && !library && i < 2 * sizeof names / sizeof *names; ++i) {
        char path[512];
        const int length =
            snprintf(path, sizeof path, "%s/%s/%s", folder, i % 2 ? "lib" : "lib64", names[i / 2]);
        if (length < (int)sizeof path) {
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
    }
    return library;
}

lb_status lb_load_nvrtc(lb_nvrtc *nvrtc, lb_text *why)
{
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; ++i) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    const char *const folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    for (size_t i = 0; !library && i < sizeof folders / sizeof *folders; ++i) {
        library = open_below(folders[i]);
    }
    if (!library) {
        lb_text_add(why, "the compiler of CUDA (libnvrtc) is not found: install it, or set "
                         "CUDA_HOME to the folder of CUDA");
        return LB_E_UNSUPPORTED;
    }
#define LB_TAKE(name, arguments)                                                                   \
    if (!take_function(library, #name, &nvrtc->name)) {                                            \
        lb_text_add(why, "the compiler of CUDA (libnvrtc) is too old: it has no " #name);          \
        return LB_E_UNSUPPORTED;                                                                   \
    }
    LB_NVRTC_LIST(LB_TAKE)
#undef LB_TAKE
    return LB_OK;
}

// ---- compiling ---------------------------------------------------------------------------------

// The words of the compiler; of long ones the beginning.
static lb_status tell(const lb_nvrtc *nvrtc, void *program, const char *file_name, lb_text *why)
{
    size_t size = 0;
    char *log = nvrtc->nvrtcGetProgramLogSize(program, &size) == 0 && size ? malloc(size) : NULL;
    if (log && nvrtc->nvrtcGetProgramLog(program, log) == 0) {
        lb_text_add(why, "%s: %s", file_name, log);
    } else {
        lb_text_add(why, "%s: the compiler of CUDA refuses it", file_name);
    }
    free(log);
    return LB_E_UNSUPPORTED;
}

static lb_status take_code(const lb_nvrtc *nvrtc, void *program, const char *file_name,
                           char **cubin, size_t *size, lb_text *why)
{
    if (nvrtc->nvrtcGetCUBINSize(program, size) != 0) {
        return tell(nvrtc, program, file_name, why);
    }
    *cubin = malloc(*size + 1);
    if (!*cubin) {
        lb_text_add(why, "out of memory");
        return LB_E_MEMORY;
    }
    if (nvrtc->nvrtcGetCUBIN(program, *cubin) != 0) {
        free(*cubin);
        *cubin = NULL;
        return tell(nvrtc, program, file_name, why);
    }
    return LB_OK;
}

lb_status lb_compile_cuda_text(const lb_nvrtc *nvrtc, const char *architecture, const char *source,
                               const char *file_name, int option_count, const char *const *options,
                               char **cubin, size_t *size, lb_text *why)
{
    enum { OWN = 4 };
    lb_text target = {.length = 0};
    void *program = NULL;
    *cubin = NULL;
    *size = 0;
    const char **all = calloc((size_t)option_count + OWN, sizeof *all);
    if (!all) {
        lb_text_add(why, "out of memory");
        return LB_E_MEMORY;
    }
    lb_text_add(&target, "--gpu-architecture=%s", architecture);
    all[0] = target.data;
    all[1] = "--fmad=true";
    all[2] = "--std=c++17";
    all[3] = "-default-device";
    for (int i = 0; i < option_count; ++i) {
        all[OWN + i] = options[i];
    }
    lb_status status = LB_OK;
    if (nvrtc->nvrtcCreateProgram(&program, source, file_name, 0, NULL, NULL) != 0) {
        lb_text_add(why, "%s: the compiler of CUDA does not start", file_name);
        status = LB_E_UNSUPPORTED;
    }
    if (status == LB_OK && nvrtc->nvrtcCompileProgram(program, option_count + OWN, all) != 0) {
        status = tell(nvrtc, program, file_name, why);
    }
    if (status == LB_OK) {
        status = take_code(nvrtc, program, file_name, cubin, size, why);
    }
    if (program) {
        nvrtc->nvrtcDestroyProgram(&program);
    }
    free(all);
    return status;
}
