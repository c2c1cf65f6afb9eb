// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The choice of an instruction set, when a model is built.
#include "kernels.h"

typedef struct copy {
    const lb_kernels *kernels;
    int able; ///< the machine has it
} copy;

const lb_kernels *lb_choose_kernels(lb_instruction_set set)
{
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
        if (copies[i].able && (set == LB_INSTRUCTIONS_BEST || set == kernels->instruction_set)) {
            return kernels;
        }
    }
    return NULL;
}

lb_instruction_set lb_get_instruction_set(const lb_model *model)
{
    return model->kernels->instruction_set;
}
