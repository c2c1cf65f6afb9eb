// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
