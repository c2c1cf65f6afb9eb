// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear models as files of MATLAB and of HDF5.
#include <stdio.h>
#include <stdlib.h>

#include "base/faults.h"
#include "linear.h"
#include "simulate/store/matrix_file.h"

// Rows of frequencies: real and imaginary parts apart, outputs x inputs each, row by row.
static lb_status put_response(lb_matrix_file *s, const lb_linear *l, int count,
                              const double *frequencies, const double *response)
{
    const size_t width = (size_t)l->output_count * (size_t)l->input_count;
    double *part = malloc(((size_t)count * width + 1) * sizeof *part);
    if (!part) {
        return LB_E_MEMORY;
    }
    lb_put_matrix(s, "frequency_hz", count, 1, frequencies);
    for (int which = 0; which < 2; ++which) {
        for (size_t i = 0; i < (size_t)count * width; ++i) {
            part[i] = response[2 * i + (size_t)which];
        }
        lb_put_matrix(s, which ? "response_imaginary" : "response_real", count, (int)width, part);
    }
    free(part);
    return LB_OK;
}

// The data of models with controllers, and of those over a period.
static lb_status put_controllers(lb_matrix_file *s, const lb_linear *l)
{
    if (l->feedback_count > 0 || l->is_periodic) {
        lb_put_matrix(s, "period", 1, 1, &l->period);
    }
    if (l->multipliers) {
        lb_put_matrix(s, "multipliers", l->state_count, 2, l->multipliers);
    }
    if (l->feedback_count == 0) {
        return LB_OK;
    }
    double *closed = malloc((size_t)l->feedback_count * sizeof *closed);
    for (int i = 0; closed && i < l->feedback_count; ++i) {
        closed[i] = l->closed[i];
    }
    lb_put_names(s, "feedbacks", l->feedback_count, l->feedbacks);
    if (closed) {
        lb_put_matrix(s, "closed", l->feedback_count, 1, closed);
    }
    free(closed);
    return closed ? LB_OK : LB_E_MEMORY;
}

static lb_status put_all(lb_matrix_file *s, const lb_linear *l, int q_count, int v_count)
{
    const int n = l->state_count, m = l->input_count, p = l->output_count;
    lb_put_matrix(s, "A", n, n, l->A);
    lb_put_matrix(s, "B", n, m, l->B);
    lb_put_matrix(s, "C", p, n, l->C);
    lb_put_matrix(s, "D", p, m, l->D);
    lb_put_names(s, "states", n, l->states);
    lb_put_names(s, "inputs", m, l->inputs);
    lb_put_names(s, "outputs", p, l->outputs);
    lb_put_matrix(s, "eigenvalues", n, 2, l->eigenvalues);
    lb_put_matrix(s, "participation", n, n, l->participation);
    lb_put_matrix(s, "output_values", p, 1, l->output_values);
    lb_put_matrix(s, "t", 1, 1, &l->t);
    lb_put_matrix(s, "q", q_count, 1, l->q);
    lb_put_matrix(s, "v", v_count, 1, l->v);
    lb_put_matrix(s, "a", v_count, 1, l->a);
    if (l->parameter_count > 0) {
        lb_put_names(s, "parameters", l->parameter_count, l->parameters);
        lb_put_matrix(s, "parameter_values", l->parameter_count, 1, l->parameter_values);
    }
    return put_controllers(s, l);
}

lb_status lb_save_linear(const lb_linear *linear, int count, const double *frequencies,
                         const double *response, const char *path, lb_linear_format format,
                         const lb_report *report)
{
    lb_matrix_file *file = lb_create_matrix_file(format == LB_LINEAR_MAT);
    lb_status status = file ? LB_OK : LB_E_MEMORY;
    if (file) {
        status = put_all(file, linear, linear->q_count, linear->v_count);
        if (status >= 0 && frequencies) {
            status = put_response(file, linear, count, frequencies, response);
        }
    }
    if (status == LB_E_MEMORY) {
        lb_faults faults = {.report = report ? *report : (lb_report){NULL, NULL}};
        lb_complain(&faults, LB_SEVERITY_ERROR, "", "", "cannot write %s: out of memory", path);
    }
    if (file) {
        const lb_status closed = lb_close_matrix_file(file, status < 0 ? NULL : path, report);
        status = status < 0 ? status : closed;
    }
    return status;
}
