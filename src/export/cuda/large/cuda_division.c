// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One large system on a device, as its callers see it.
#include "limber/cuda_division.h"

#include <stdlib.h>

#include "base/sized.h"
#include "dynamics/tree/tree.h"
#include "large.h"
#include "limber/dynamics.h"
#include "trial.h"
#include "verdict.h"

// ---- set-up ------------------------------------------------------------------------------------

// What is not computed is refused.
static lb_status check_model(lb_cuda *cuda, const lb_model *model)
{
    if (lb_get_body_count(model) < 1) {
        return lb_fail_cuda(cuda, LB_E_UNSUPPORTED, "the model has no body");
    }
    if (model->loop_count > 0) {
        return lb_fail_cuda(cuda, LB_E_UNSUPPORTED,
                            "loop '%s': on a device a large system is a tree; "
                            "a workspace with that algorithm closes loops on the host",
                            model->loops[0].name);
    }
    return LB_OK;
}

lb_status lb_take_large_kernels(lb_cuda_division *d, const unsigned char *text,
                                const char *file_name, int count, const char *const *names)
{
    d->kernel_count = count;
    d->kernel_names = names;
    return lb_take_cuda_kernels(d->cuda, (const char *)text, file_name, count, names, d->kernels);
}

// One evaluation of arrays on the host; LB_NEWS_FALLBACK if the check refuses the answer.
static lb_status evaluate(lb_cuda_division *d, const double *q, const double *v, const double *tau,
                          double *a)
{
    lb_cuda *cuda = d->cuda;
    const size_t n = (size_t)d->v_count, size = n * sizeof(double);
    double *at_q = d->arrays, *at_v = at_q + d->q_count, *at_tau = at_v + n, *at_a = at_tau + n;
    lb_status status = lb_copy_to_cuda(cuda, at_q, q, (size_t)d->q_count * sizeof *q);
    status = status == LB_OK ? lb_copy_to_cuda(cuda, at_v, v, size) : status;
    status = status == LB_OK && tau ? lb_copy_to_cuda(cuda, at_tau, tau, size) : status;
    if (status == LB_OK) {
        status = lb_start_cuda_division(d, at_q, at_v, tau ? at_tau : NULL, at_a);
    }
    status = status == LB_OK ? lb_check_cuda_division(d, NULL) : status;
    return status == LB_OK ? lb_copy_from_cuda(cuda, a, at_a, size) : status;
}

// Compares one answer with the recursion. There is nothing to compare where the check refuses the answer anyway, or where
// the recursion finds none.
static lb_status try_out(lb_cuda_division *d, const lb_model *model)
{
    const size_t n = (size_t)d->v_count;
    lb_text why = {.length = 0};
    lb_work *work = lb_create_work(model);
    double *q = calloc((size_t)d->q_count + 4 * n + 1, sizeof *q);
    lb_status status = LB_E_MEMORY;
    if (work && q) {
        double *v = q + d->q_count, *tau = v + n, *found = tau + n, *expected = found + n;
        lb_set_trial_state(model, q, v, tau);
        status = evaluate(d, q, v, tau, found);
        if (status == LB_OK && lb_tree_forward(model, work, q, v, tau, expected) == LB_OK) {
            status = lb_judge_trial(d->v_count, found, expected, d->options.tolerance, &why);
        }
        status = status == LB_NEWS_FALLBACK ? LB_OK : status;
    } else {
        lb_text_add(&why, "out of memory");
    }
    free(q);
    lb_destroy_work(work);
    return why.length ? lb_fail_cuda(d->cuda, status, "%s", why.data) : status;
}

lb_status lb_create_cuda_division(lb_cuda *cuda, const lb_model *model,
                                  const lb_cuda_division_options *options,
                                  lb_cuda_division **division)
{
    lb_cuda_division_options own = lb_default_cuda_division_options();
    *division = NULL;
    if (options && lb_take_sized(&own, sizeof own, offsetof(lb_cuda_division_options, run_length),
                                 options) != LB_OK) {
        return lb_fail_cuda(cuda, LB_E_VERSION,
                            "a struct of %zu bytes, but this version of limber knows %zu: it comes "
                            "from a program built for a newer version",
                            options->size, sizeof own);
    }
    if (own.tolerance != own.tolerance) {
        return lb_fail_cuda(cuda, LB_E_NUMBER, "the tolerance is not a number");
    }
    lb_status status = check_model(cuda, model);
    if (status != LB_OK) {
        return status;
    }
    lb_cuda_division *d = calloc(1, sizeof *d);
    if (!d) {
        return lb_fail_cuda(cuda, LB_E_MEMORY, "out of memory");
    }
    d->cuda = cuda;
    d->options = own;
    d->q_count = lb_get_q_count(model);
    d->v_count = lb_get_v_count(model);
    d->is_chain = !own.general && lb_find_chain_obstacle(model) == LB_NOT_FOUND;
    status = d->is_chain ? lb_set_up_chain(d, model) : lb_set_up_tree(d, model);
    status = status == LB_OK ? try_out(d, model) : status;
    if (status != LB_OK) {
        lb_destroy_cuda_division(d);
        return status;
    }
    *division = d;
    return LB_OK;
}

void lb_destroy_cuda_division(lb_cuda_division *division)
{
    if (division) {
        lb_release_on_cuda(division->cuda, division->memory);
        free(division->levels);
        free(division);
    }
}

size_t lb_get_cuda_division_size(const lb_cuda_division *division)
{
    return division->size;
}

// ---- evaluation --------------------------------------------------------------------------------

lb_status lb_launch_large(lb_cuda_division *d, int kernel, int blocks, int threads,
                          size_t shared_bytes, void **arguments)
{
    if (d->only && !(d->only >> kernel & 1)) {
        return LB_OK;
    }
    return (d->is_chain ? lb_launch_early_on_cuda
                        : lb_launch_on_cuda)(d->cuda, &d->kernels[kernel], (unsigned)blocks,
                                             (unsigned)threads, (unsigned)shared_bytes, arguments);
}

lb_status lb_repeat_cuda_division(lb_cuda_division *division, double *a)
{
    return division->is_chain ? lb_start_chain_dynamics(division, a)
                              : lb_start_tree_dynamics(division, a);
}

lb_status lb_start_cuda_division(lb_cuda_division *division, const double *q, const double *v,
                                 const double *tau, double *a)
{
    const lb_status status = division->is_chain ? lb_start_chain_kinematics(division, q, v, tau)
                                                : lb_start_tree_kinematics(division, q, v, tau);
    return status == LB_OK ? lb_repeat_cuda_division(division, a) : status;
}

lb_status lb_check_cuda_division(lb_cuda_division *division, lb_division_report *report)
{
    double found[LB_VERDICT_SIZE];
    lb_division_report own = {.size = sizeof own};
    lb_status status = lb_copy_from_cuda(division->cuda, found, division->verdicts, sizeof found);
    if (status != LB_OK) {
        return status;
    }
    lb_judge_verdict(found, &own.shift, &own.gap, &own.broken_count);
    own.fallback = own.broken_count != 0 || !(own.shift <= division->options.tolerance) ||
                   !(own.gap <= division->options.tolerance);
    if (report &&
        lb_give_sized(&own, sizeof own, offsetof(lb_division_report, shift), report) != LB_OK) {
        return LB_E_VERSION;
    }
    return own.fallback ? LB_NEWS_FALLBACK : LB_OK;
}

lb_status lb_compute_forward_dynamics_divided_cuda(const lb_model *model, lb_work *work,
                                                   lb_cuda_division *division, const double *q,
                                                   const double *v, const double *tau, double *a)
{
    const lb_status status = evaluate(division, q, v, tau, a);
    if (status != LB_NEWS_FALLBACK) {
        return status;
    }
    const lb_status recursion = lb_tree_forward(model, work, q, v, tau, a);
    return recursion == LB_OK ? LB_NEWS_FALLBACK : recursion;
}
