// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "device.h"

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
