// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The choice of an instruction set, when a model is built.
#include <string.h>

#include "kernels.h"

typedef struct copy {
    const lb_kernels *kernels;
    int able; ///< the machine has it
} copy;

// Where there is no operating system, there is no environment.
#if defined(__unix__) || defined(__APPLE__)
#include <stdlib.h>

const char *lb_get_instructions_wish(void)
{
    const char *wish = getenv("LIMBER_INSTRUCTIONS");
    return wish && *wish ? wish : NULL;
}
#else
const char *lb_get_instructions_wish(void)
{
    return NULL;
}
#endif

const lb_kernels *lb_choose_kernels(lb_instruction_set set)
{
    const char *wish = set == LB_INSTRUCTIONS_BEST ? lb_get_instructions_wish() : NULL;
    // the fastest first
    const copy copies[] = {
#ifdef LB_HAVE_AVX512
        {&lb_avx512_kernels,
         __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma")},
#endif
#ifdef LB_HAVE_AVX2
        {&lb_avx2_kernels, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")},
#endif
        {&lb_portable_kernels, 1},
    };
    for (size_t i = 0; i < sizeof copies / sizeof *copies; ++i) {
        const lb_kernels *kernels = copies[i].kernels;
        const int wanted = wish ? strcmp(wish, kernels->name) == 0
                                : set == LB_INSTRUCTIONS_BEST || set == kernels->instruction_set;
        if (copies[i].able && wanted) {
            return kernels;
        }
    }
    return NULL;
}

lb_instruction_set lb_get_instruction_set(const lb_model *model)
{
    return model->kernels->instruction_set;
}
