// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Generalized-alpha on the configuration manifold.
//
//     q1 = q0 (+) (h v0 + h^2 (1/2 - beta) alpha0 + h^2 beta alpha1)
//     v1 = v0 + h (1 - gamma) alpha0 + h gamma alpha1
//     (1 - am) alpha1 + am alpha0 = (1 - af) x + af a0
//     x = a(t1, q1, v1)
//
// with am = (2 r - 1) / (r + 1), af = r / (r + 1), gamma = 1/2 - am + af,
// beta = 1/4 (1 - am + af)^2 and r the spectral radius at infinite frequency. alpha is the method's
// own acceleration. Second order, unconditionally stable for linear systems.
//
// Sources: Chung and Hulbert 1993 (the coefficients); Bruels and Cardona 2010 (on a Lie group).
// Differs: the unknown is x, and the residual x - a comes from forward dynamics, so that driven and
// locked hinges need nothing of their own. Newton's matrix d(x - a)/dx is made of the derivatives of
// the dynamics, or differenced where there are none, and kept until it serves badly.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "fixed_step.h"
#include "flow.h"
#include "simulate/system/closure.h"

enum { ITERATION_MAX = 12, ITERATION_FAIR = 5 };

// Iterations end where they change speeds by less than this of the largest: below it is round-off of the
// sum of many steps. Near a singular position of loops accelerations carry more of it, and iterations
// that come no closer may end below the second.
static const double fine_enough = 1e-12, fair_enough = 1e-8;

struct lb_alpha {
    double am, af, beta, gamma;
    double *alpha0, *alpha1;
    double *kept; // alpha0 while a step is divided
    double *x, *residual, *other, *move, *y;
    double *S; // factors of Newton's matrix, v_count x v_count
    int *pivot;
    lb_newton *newton; // NULL where the matrix is differenced
    double S_step;     // step that S was made for; 0 for none
};

lb_status lb_start_alpha(lb_flow *flow, lb_fixed *own)
{
    lb_alpha *m = lb_arena_take(flow->system->arena, 1, sizeof *m);
    if (!m) {
        return LB_E_MEMORY;
    }
    own->alpha = m;
    const size_t n = (size_t)flow->system->v_count;
    double **vectors[] = {&m->alpha0,   &m->alpha1, &m->kept, &m->x,
                          &m->residual, &m->other,  &m->move};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = lb_arena_take(flow->system->arena, n, sizeof(double));
        if (!*vectors[i]) {
            return LB_E_MEMORY;
        }
    }
    m->y = lb_arena_take(flow->system->arena, (size_t)flow->system->y_count, sizeof *m->y);
    m->S = lb_arena_take(flow->system->arena, n * n, sizeof *m->S);
    m->pivot = lb_arena_take(flow->system->arena, n, sizeof *m->pivot);
    if (!m->y || !m->S || !m->pivot) {
        return LB_E_MEMORY;
    }
    if (!flow->options.differences && lb_create_newton(flow->system, &m->newton) < 0) {
        return LB_E_MEMORY;
    }
    const double r = flow->options.damping;
    m->am = (2.0 * r - 1.0) / (r + 1.0);
    m->af = r / (r + 1.0);
    m->gamma = 0.5 - m->am + m->af;
    m->beta = 0.25 * (1.0 - m->am + m->af) * (1.0 - m->am + m->af);
    return LB_OK;
}

void lb_restart_alpha(lb_flow *flow, lb_fixed *own)
{
    lb_alpha *m = own->alpha;
    memcpy(m->alpha0, own->f1 + flow->system->q_count,
           (size_t)flow->system->v_count * sizeof *m->alpha0);
    m->S_step = 0.0;
}

void lb_accept_alpha(lb_flow *flow, lb_fixed *own)
{
    lb_alpha *m = own->alpha;
    memcpy(m->alpha0, m->alpha1, (size_t)flow->system->v_count * sizeof *m->alpha0);
}

// residual = x - a(t1, q1(x), v1(x)); y1 gets q1 and v1.
static lb_status compute_residual(lb_flow *flow, lb_fixed *own, double h, const double *x,
                                  double *y1, double *residual)
{
    lb_system *s = flow->system;
    lb_alpha *m = own->alpha;
    const double *v0 = own->y0 + s->q_count, *a0 = own->f0 + s->q_count;
    double *v1 = y1 + s->q_count;
    for (int i = 0; i < s->v_count; ++i) {
        const double alpha0 = m->alpha0[i];
        const double alpha1 =
            ((1.0 - m->af) * x[i] + m->af * a0[i] - m->am * alpha0) / (1.0 - m->am);
        m->alpha1[i] = alpha1;
        m->move[i] = h * v0[i] + h * h * ((0.5 - m->beta) * alpha0 + m->beta * alpha1);
        v1[i] = v0[i] + h * ((1.0 - m->gamma) * alpha0 + m->gamma * alpha1);
    }
    lb_integrate_configuration(s->model, own->y0, m->move, y1);
    const lb_status status = lb_evaluate_system(s, own->t0 + h, y1, NULL);
    for (int i = 0; status >= 0 && i < s->v_count; ++i) {
        residual[i] = x[i] - s->a[i];
    }
    return status;
}

// Newton's matrix, factored. `residual` holds that of x, whose evaluation was the last.
//
//     S = I - (da/dv dv/dx + da/dq dq/dx) = M^-1 (M + D dv/dx + K dq/dx)
static lb_status renew_matrix(lb_flow *flow, lb_fixed *own, double h)
{
    lb_alpha *m = own->alpha;
    const int n = flow->system->v_count;
    const double dv_dx = h * m->gamma * (1.0 - m->af) / (1.0 - m->am);
    if (m->newton) {
        const lb_status status = lb_differentiate_system(m->newton, own->t0 + h);
        m->S_step = h;
        return status < 0                                                         ? status
               : lb_factor_step(m->newton, dv_dx * h * m->beta / m->gamma, dv_dx) ? LB_OK
                                                                                  : LB_E_STEP;
    }
    for (int j = 0; j < n; ++j) {
        // a change of 1e-7 in the speed: half the digits for the difference
        const double kept = m->x[j], delta = 1e-7 / dv_dx;
        m->x[j] = kept + delta;
        const lb_status status = compute_residual(flow, own, h, m->x, m->y, m->other);
        m->x[j] = kept;
        if (status < 0) {
            return status;
        }
        for (int i = 0; i < n; ++i) {
            m->S[i * n + j] = (m->other[i] - m->residual[i]) / delta;
        }
    }
    m->S_step = h;
    return lb_factor_lu(n, m->S, m->pivot) ? LB_OK : LB_E_STEP;
}

// r := S^-1 r. Gives the largest entry; what goes across loops does not count, it is projected out.
static double solve(lb_alpha *m, int n, double *r)
{
    if (m->newton) {
        return lb_solve_step(m->newton, r);
    }
    lb_solve_lu(n, m->S, m->pivot, r);
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(r[i]));
    }
    return largest;
}

// Where iterations start from: accelerations as they were. Of a stiff system that is not at rest they are so
// large that the step ends far outside of where its derivatives hold; the other start is the one
// whose step goes on with the speeds of before,
//
//     q1 = q0 (+) h v0:   alpha1 = -(1/2 - beta) / beta alpha0
static void guess(const lb_flow *flow, const lb_fixed *own, bool cautious, double *x)
{
    const lb_alpha *m = own->alpha;
    const double *a0 = own->f0 + flow->system->q_count;
    for (int i = 0; i < flow->system->v_count; ++i) {
        const double alpha1 = -(0.5 - m->beta) / m->beta * m->alpha0[i];
        x[i] = cautious
                   ? ((1.0 - m->am) * alpha1 + m->am * m->alpha0[i] - m->af * a0[i]) / (1.0 - m->af)
                   : a0[i];
    }
}

static lb_status solve_step(lb_flow *flow, lb_fixed *own, double h)
{
    lb_system *s = flow->system;
    lb_alpha *m = own->alpha;
    const int n = s->v_count;
    const double dv_dx = h * m->gamma * (1.0 - m->af) / (1.0 - m->am);
    bool fresh = false, cautious = false;
    if (fabs(m->S_step - h) > 1e-6 * h) {
        m->S_step = 0.0;
    }
    for (;;) {
        guess(flow, own, cautious, m->x);
        bool done = n == 0;
        lb_status status = LB_OK;
        int iteration = 0;
        double best = INFINITY;
        for (; iteration < ITERATION_MAX && !done; ++iteration) {
            status = compute_residual(flow, own, h, m->x, own->y1, m->residual);
            if (status >= 0 && m->S_step == 0.0) {
                status = renew_matrix(flow, own, h);
                fresh = true;
            }
            if (status < 0) {
                break;
            }
            const double largest = solve(m, n, m->residual);
            m->S_step = cautious ? 0.0 : m->S_step; // a new one each time
            double speed = 1.0;
            for (int i = 0; i < n; ++i) {
                m->x[i] -= m->residual[i];
                speed = fmax(speed, fabs(own->y1[s->q_count + i]));
            }
            done = largest * dv_dx <= fine_enough * speed ||
                   ((s->closure || cautious) && largest >= best &&
                    best * dv_dx <= fair_enough * speed);
            best = fmin(best, largest);
        }
        if (done) {
            // speeds and configuration of the last x, and work by the trapezoidal rule
            status = compute_residual(flow, own, h, m->x, own->y1, m->residual);
            for (int i = s->q_count + s->v_count; status >= 0 && i < s->y_count; ++i) {
                own->y1[i] =
                    own->y0[i] + 0.5 * h * (own->f0[i] + s->power[i - s->q_count - s->v_count]);
            }
            m->S_step = iteration > ITERATION_FAIR ? 0.0 : m->S_step;
            return status;
        }
        own->rejections += 1.0;
        if (status < 0 && status != LB_E_STEP) {
            return status;
        }
        if (fresh && !cautious) {
            cautious = true;
        } else if (fresh) {
            return lb_say(s, LB_E_STEP,
                          "t = %.9g s: the equations of a step of %.3g s cannot be solved; try a "
                          "shorter one",
                          own->t0, h);
        }
        m->S_step = 0.0;
    }
}

// Steps that end at y1 one after the other: `count` of them make one of h.
static lb_status take_parts(lb_flow *flow, lb_fixed *own, double h, int count)
{
    lb_system *s = flow->system;
    const double t0 = own->t0, part = h / count;
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < count; ++i) {
        status = solve_step(flow, own, part);
        if (status >= 0 && i + 1 < count) {
            own->t0 = t0 + (i + 1) * part;
            (void)lb_clean_state(s, own->t0, own->y1);
            status = lb_project_step(s, own->t0, own->y1);
            memcpy(own->y0, own->y1, (size_t)s->y_count * sizeof *own->y0);
            lb_accept_alpha(flow, own);
        }
        if (status >= 0 && i + 1 < count) {
            status = lb_evaluate_system(s, own->t0, own->y0, own->f0);
        }
    }
    return status;
}

// A step that cannot be solved is divided: Newton's method converges where the step is short enough.
lb_status lb_step_alpha(lb_flow *flow, lb_fixed *own, double h)
{
    enum { MOST = 4096 };
    lb_alpha *m = own->alpha;
    const size_t size = (size_t)flow->system->y_count * sizeof(double),
                 small = (size_t)flow->system->v_count * sizeof(double);
    const double t0 = own->t0;
    lb_status status = solve_step(flow, own, h);
    if (status != LB_E_STEP) {
        return status;
    }
    char message[LB_MESSAGE_SIZE];
    memcpy(message, flow->system->message, sizeof message);
    // the start of the step stays: it may be asked for again with another length
    memcpy(own->k[0], own->y0, size);
    memcpy(own->k[1], own->f0, size);
    memcpy(m->kept, m->alpha0, small);
    for (int count = 4; status == LB_E_STEP && count <= MOST; count *= 4) {
        status = take_parts(flow, own, h, count);
        own->t0 = t0;
        memcpy(own->y0, own->k[0], size);
        memcpy(own->f0, own->k[1], size);
        memcpy(m->alpha0, m->kept, small);
    }
    if (status == LB_E_STEP) {
        memcpy(flow->system->message, message, sizeof message);
    }
    return status;
}
