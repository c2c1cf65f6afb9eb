// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the caller: which one is not finite.
#include "numbers.h"

ptrdiff_t lb_find_bad(ptrdiff_t n, const double *x)
{
    ptrdiff_t i = 0;
    while (i < n && lb_is_finite(x[i])) {
        ++i;
    }
    return i;
}

bool lb_are_finite(ptrdiff_t n, const double *x)
{
    return lb_is_finite(lb_add_up(n, x)) || lb_find_bad(n, x) == n;
}

lb_status lb_refuse_number(lb_work *work, const char *name, ptrdiff_t entry)
{
    work->bad_name = name;
    work->bad_entry = (int)entry;
    return LB_E_NUMBER;
}

lb_status lb_check_numbers(lb_work *work, const char *name, ptrdiff_t n, const double *x)
{
    if (!x || lb_is_finite(lb_add_up(n, x))) {
        return LB_OK;
    }
    const ptrdiff_t bad = lb_find_bad(n, x);
    return bad < n ? lb_refuse_number(work, name, bad) : LB_OK;
}

lb_status lb_search_state(const lb_model *model, lb_work *work, const double *q, const double *v,
                          const char *name, const double *x)
{
    lb_status status = lb_check_numbers(work, "q", model->q_count, q);
    status = status < 0 ? status : lb_check_numbers(work, "v", model->v_count, v);
    status = status < 0 ? status : lb_check_numbers(work, name, model->v_count, x);
    if (status < 0) {
        lb_start_state(work, 0);
    }
    return status;
}

// Some entries of an array, under their place in the whole of it.
static lb_status check_part(lb_work *work, const char *name, int first, int count, const double *x)
{
    for (int i = first; x && i < first + count; ++i) {
        if (!lb_is_finite(x[i])) {
            return lb_refuse_number(work, name, i);
        }
    }
    return LB_OK;
}

int lb_find_bad_quaternion(const lb_model *model, const double *q)
{
    static const double most = 1e-2;
    // a quaternion has one number more than speeds
    int left = model->q_count - model->v_count;
    for (int k = 0; k < model->body_count && left > 0; ++k) {
        const lb_body *b = &model->bodies[k];
        if (b->nq == b->nv) {
            continue;
        }
        const double *u = q + b->hinge_q;
        const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
        // of squares: 1 + 2 x
        if (!(fabs(square - 1.0) <= 2.0 * most)) {
            return b->hinge_q;
        }
        --left;
    }
    return -1;
}

lb_status lb_check_quaternions(const lb_model *model, lb_work *work, const double *q)
{
    const int bad = lb_find_bad_quaternion(model, q);
    if (bad < 0) {
        return LB_OK;
    }
    lb_start_state(work, 0);
    return lb_refuse_number(work, "q", bad);
}

lb_status lb_check_driven_state(const lb_model *model, lb_work *work, const double *q,
                                const double *v, const unsigned char *driven, const double *tau,
                                const double *a)
{
    lb_status status = lb_check_state(model, work, q, v, NULL, NULL);
    const int count = work->trusts_numbers ? 0 : model->body_count;
    for (int k = 0; k < count && status == LB_OK; ++k) {
        const lb_body *b = &model->bodies[k];
        const bool is_driven = driven[b->listed];
        status = check_part(work, "tau", b->v, b->mode_count, tau);
        status = status < 0 ? status
                            : check_part(work, is_driven ? "a" : "tau", b->hinge_v, b->nv,
                                         is_driven ? a : tau);
    }
    if (status < 0) {
        lb_start_state(work, 0);
    }
    return status;
}
