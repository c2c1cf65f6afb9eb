// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the writers of a file of CUDA share.
#ifndef LB_CUDA_FILE_H
#define LB_CUDA_FILE_H

#include "export/freeze/function.h"
#include "export/freeze/page.h"
#include "export/freeze/write_c.h"

typedef struct lb_cuda_file {
    const lb_model *model;
    const lb_sample *sample;
    const char *name, *real; ///< start of all names; type of numbers
    lb_c_style style;
} lb_cuda_file;

/// Steps of integration that a file has.
typedef struct lb_cuda_steps {
    int methods;         ///< LB_STEP_RK4 and so on
    bool is_timed;       ///< rates are of a simulation: they take the time and inputs
    bool is_placed;      ///< hinges are driven
    bool is_closed;      ///< there are loops
    bool closes_in_time; ///< functions that close them take the time
    int kept;            ///< numbers per thread in shared memory
} lb_cuda_steps;

/// Writes a text in which `@` stands for the start of names, `$` for the type of numbers and `~` for a word.
void lb_write_cuda_text(lb_page *page, const lb_cuda_file *f, const char *text, const char *word);

/// Writes the functions of one state that close loops and move on in time.
void lb_write_cuda_steps(lb_page *page, const lb_cuda_file *f, const lb_cuda_steps *steps);

/// Writes the kernels of the same.
void lb_write_cuda_step_kernels(lb_page *page, const lb_cuda_file *f, const lb_cuda_steps *steps);

#endif // LB_CUDA_FILE_H
