// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closing loops from a rough guess. J is never formed: products with it and with its transpose are
// one sweep each, so that what is held, weighed or damped costs nothing more.
#include "limber/assemble.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "loop_products.h"
#include "loop_rows.h"
#include "model/modal/flex.h"
#include "model/numbers.h"

enum { KICK_MAX = 6 };

// One search; vectors are the caller's scratch.
typedef struct search {
    const lb_model *model;
    lb_work *work;
    const lb_assembly_options *options;
    int n, m;                 // speeds; entries over loops
    double *weight;           // n: 0 for what is held
    double *e, *e_next;       // m
    double *step, *p, *s;     // n
    double *residual, *image; // m
    double *q_next, *q_best;
    double *zero; // n
} search;

static size_t lay_out(const lb_model *model, double *scratch, search *x)
{
    const size_t n = (size_t)lb_get_v_count(model), q = (size_t)lb_get_q_count(model);
    const size_t m = 6 * (size_t)lb_get_loop_capacity(model);
    const size_t sizes[] = {n, m, m, n, n, n, m, m, q, q, n};
    double **const places[] = {&x->weight,   &x->e,     &x->e_next, &x->step,   &x->p,   &x->s,
                               &x->residual, &x->image, &x->q_next, &x->q_best, &x->zero};
    size_t used = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        *places[i] = scratch ? scratch + used : NULL;
        used += sizes[i];
    }
    return used;
}

size_t lb_get_assembly_scratch_count(const lb_model *model)
{
    search x;
    return lay_out(model, NULL, &x);
}

// The loop with the largest error; NaN is the largest of all.
static double find_worst(const search *x, const double *e, int *loop)
{
    double worst = -1.0;
    *loop = 0;
    for (int l = 0; 6 * l < x->m; ++l) {
        const double square = lb_compute_dot(6, e + 6 * (ptrdiff_t)l, e + 6 * (ptrdiff_t)l);
        if (!(square <= worst)) {
            worst = square;
            *loop = l;
        }
    }
    return sqrt(fmax(worst, 0.0));
}

static lb_status measure(search *x, const double *q, double *e)
{
    const lb_status status = lb_compute_kinematics(x->model, x->work, q, x->zero, NULL);
    return status < 0 ? status : lb_compute_loop_gaps(x->model, x->work, q, e);
}

// out = D J' y, at the positions in the workspace.
static lb_status apply_transpose(search *x, const double *y, double *out)
{
    memset(out, 0, (size_t)x->n * sizeof *out);
    const lb_status status = lb_apply_loop_forces(x->model, x->work, y, out);
    for (int i = 0; i < x->n; ++i) {
        out[i] *= x->weight[i];
    }
    return status;
}

// image = J D z.
static lb_status apply(search *x, const double *z, double *scaled, double *image)
{
    for (int i = 0; i < x->n; ++i) {
        scaled[i] = x->weight[i] * z[i];
    }
    return lb_apply_loop_jacobian(x->model, x->work, scaled, image);
}

// Damped least squares by conjugate gradients                                           (ASM-1)
//
//     z = argmin |J D z + r|^2 + mu |z|^2,   step = D z
//
// From z = 0 it finds, where that is not unique (mu = 0), the smallest. Needs positions.
// Source: Hestenes and Stiefel 1952, in the form of Paige and Saunders 1982 (CGLS).
static lb_status solve_damped(search *x, const double *r, double mu)
{
    const int n = x->n, m = x->m, most = 2 * (n < m ? n : m) + 20;
    double *z = x->step, *scaled = x->zero; // zero again at the end
    memset(z, 0, (size_t)n * sizeof *z);
    for (int i = 0; i < m; ++i) {
        x->residual[i] = -r[i];
    }
    lb_status status = apply_transpose(x, x->residual, x->s);
    memcpy(x->p, x->s, (size_t)n * sizeof *x->p);
    double gamma = lb_compute_dot(n, x->s, x->s),
           goal = lb_compute_dot(m, x->residual, x->residual);
    const double first = gamma;
    for (int i = 0; status >= 0 && i < most && gamma > 1e-30 * first; ++i) {
        status = apply(x, x->p, scaled, x->image);
        const double delta =
            lb_compute_dot(m, x->image, x->image) + mu * lb_compute_dot(n, x->p, x->p);
        if (status < 0 || !(delta > 0.0)) {
            break;
        }
        const double alpha = gamma / delta;
        lb_add_scaled(n, alpha, x->p, z);
        lb_add_scaled(m, -alpha, x->image, x->residual);
        // what is to be least falls with every step, until round-off is all that is left of p
        const double next_goal =
            lb_compute_dot(m, x->residual, x->residual) + mu * lb_compute_dot(n, z, z);
        if (!(next_goal <= goal)) {
            lb_add_scaled(n, -alpha, x->p, z);
            break;
        }
        goal = next_goal;
        status = apply_transpose(x, x->residual, x->s);
        lb_add_scaled(n, -mu, z, x->s);
        const double next = lb_compute_dot(n, x->s, x->s), beta = next / gamma;
        for (int j = 0; j < n; ++j) {
            x->p[j] = x->s[j] + beta * x->p[j];
        }
        gamma = next;
    }
    for (int i = 0; i < n; ++i) {
        z[i] *= x->weight[i];
    }
    memset(scaled, 0, (size_t)n * sizeof *scaled);
    return status;
}

// No coordinate moves further than this in one step: rad, m.
static const double stride = 0.5;

static void shorten(double *step, int count)
{
    const double largest = lb_find_largest(count, step);
    for (int i = 0; largest > stride && i < count; ++i) {
        step[i] *= stride / largest;
    }
}

// Away from a point where the errors pull nowhere, such as a stretched linkage: a small move that
// has no symmetry, the same in every run.
static void kick(search *x, double *q, int number)
{
    for (int i = 0; i < x->n; ++i) {
        const double wild = sin(12.9898 * (i + 1) + 78.233 * (number + 1)) * 43758.5453;
        x->step[i] = x->weight[i] * 0.1 * (number + 1) * (2.0 * (wild - floor(wild)) - 1.0);
    }
    lb_integrate_configuration(x->model, q, x->step, q);
}

// Levenberg and Marquardt's method on the configuration manifold                        (ASM-2)
//
//     q := q (+) step,   step by (ASM-1) with r = e(q) and mu = nu |e| rho,
//     rho = |D J' e|^2 / |e|^2
//
// nu falls tenfold where the sum of squares falls, and rises where it does not. With |e| in it mu
// vanishes at the end, and convergence is that of Newton's method also where constraints repeat each
// other (Yamashita and Fukushima 2001).
static lb_status close(search *x, double *q, int *iterations, double *residual)
{
    double nu = 1e-2, best = INFINITY;
    int loop, kicks = 0;
    lb_status status = measure(x, q, x->e);
    memcpy(x->q_best, q, (size_t)lb_get_q_count(x->model) * sizeof *q);
    const size_t q_size = (size_t)lb_get_q_count(x->model) * sizeof *q;
    while (status >= 0) {
        const double square = lb_compute_dot(x->m, x->e, x->e), error = find_worst(x, x->e, &loop);
        if (error < best) {
            best = error;
            memcpy(x->q_best, q, q_size);
        }
        if (error == 0.0 || *iterations >= x->options->iteration_max) {
            break;
        }
        ++*iterations;
        status = apply_transpose(x, x->e, x->s);
        const double pull = lb_compute_dot(x->n, x->s, x->s), rho = pull / square;
        bool better = false;
        for (; status >= 0 && !better && nu < 1e8 && pull > 1e-24 * square * square;
             nu *= better ? 0.1 : 10.0) {
            status = solve_damped(x, x->e, nu * fmin(1.0, sqrt(square)) * rho);
            shorten(x->step, x->n);
            lb_integrate_configuration(x->model, q, x->step, x->q_next);
            status = status < 0 ? status : measure(x, x->q_next, x->e_next);
            const double next = status < 0 ? INFINITY : lb_compute_dot(x->m, x->e_next, x->e_next);
            status = status == LB_E_NUMBER ? LB_OK : status; // a step that overflows is no better
            better = next < square * (1.0 - 1e-4);
            if (!better && status >= 0) {
                status = measure(x, q, x->image); // positions again
            }
        }
        if (better) {
            memcpy(q, x->q_next, q_size);
            memcpy(x->e, x->e_next, (size_t)x->m * sizeof *x->e);
            nu = fmax(nu, 1e-12);
            continue;
        }
        // nowhere to go: at round-off, or stuck
        if (best <= x->options->tolerance || kicks == KICK_MAX || status < 0) {
            break;
        }
        nu = 1e-2;
        kick(x, q, kicks++);
        status = measure(x, q, x->e);
    }
    memcpy(q, x->q_best, q_size);
    *residual = best;
    return status;
}

// What a coordinate moves of the ends of a loop, in their own units: less is the round-off of nothing,
// which would ask for speeds without end.
static const double nothing = 1e-9;

// The smallest change of speeds that makes the loops agree                              (ASM-3)
//
//     v := v + D z,  J D z = -(J v - given)
static lb_status match_speeds(search *x, const double *q, double *v, lb_assembly *found)
{
    enum { MOST = 20 };
    lb_status status = LB_OK;
    // once will do, and again for the digits; more where coordinates of unlike sizes meet
    for (int i = 0; i < MOST && status >= 0; ++i) {
        int loop = 0;
        status = lb_compute_kinematics(x->model, x->work, q, v, NULL);
        status = status < 0 ? status : lb_compute_loop_errors(x->model, x->work, q, NULL, x->e);
        const double error = status < 0 ? 0.0 : find_worst(x, x->e, &loop);
        if (i > 0 && !(error <= found->speed_residual)) {
            lb_add_scaled(x->n, -1.0, x->step, v); // it was as good as it gets
            break;
        }
        const bool slow = i > 1 && error > 0.9 * found->speed_residual;
        found->speed_residual = error;
        found->speed_loop = loop;
        if (status < 0 || error == 0.0 || slow || i == MOST - 1) {
            break;
        }
        status = solve_damped(x, x->e, nothing * nothing);
        lb_add_scaled(x->n, 1.0, x->step, v);
    }
    return status;
}

typedef enum use_of_modes { KEEP_MODES, BEND_MODES, RATES_OF_MODES } use_of_modes;

// Stiffness of mode i of a body.
static double get_stiffness(const lb_model *model, int body, int i)
{
    const lb_flex *flex = lb_get_record(model, body)->flex;
    return flex->K[i * flex->mode_count + i];
}

// Of all modes the softest that is not free.
static double find_softest(const lb_model *model)
{
    double softest = INFINITY;
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        for (int i = 0; i < lb_get_mode_count(model, k); ++i) {
            const double stiffness = get_stiffness(model, k, i);
            softest = stiffness > 0.0 ? fmin(softest, stiffness) : softest;
        }
    }
    return softest;
}

// Weights of speeds: 1, or 0 for what is held and, at first, for modes. Modes bend less than hinges turn,
// and among themselves such that the energy of deformation is least: 1/2 k eta^2 is a constant times
// z^2 with a weight of 1/sqrt(k).
static void weigh(search *x, use_of_modes use)
{
    static const double soft = 0.1;
    const double softest = use == BEND_MODES ? find_softest(x->model) : 0.0;
    for (int k = 0; k < lb_get_body_count(x->model); ++k) {
        const int first = lb_get_v_offset(x->model, k), modes = lb_get_mode_count(x->model, k);
        for (int i = 0; i < modes + lb_get_hinge(x->model, k).v_count; ++i) {
            const bool held = x->options->held && x->options->held[first + i];
            double weight = held || (i < modes && use == KEEP_MODES) ? 0.0 : 1.0;
            if (i < modes && use == BEND_MODES) {
                const double stiffness = get_stiffness(x->model, k, i);
                weight *= soft * (stiffness > softest ? sqrt(softest / stiffness) : 1.0);
            }
            x->weight[first + i] = weight;
        }
    }
}

lb_status lb_assemble_loops(const lb_model *model, lb_work *work, const lb_assembly_options *given,
                            double *q, double *v, double *scratch, lb_assembly *assembly)
{
    lb_assembly_options options = lb_default_assembly_options();
    lb_assembly found = {.size = sizeof found};
    const size_t smallest = LB_SIZE_THROUGH(lb_assembly, loop);
    search x = {.model = model,
                .work = work,
                .options = &options,
                .n = lb_get_v_count(model),
                .m = 6 * lb_get_loop_capacity(model)};
    if ((given && lb_take_sized(&options, sizeof options,
                                LB_SIZE_THROUGH(lb_assembly_options, held), given) != LB_OK) ||
        (assembly && lb_give_sized(&found, sizeof found, smallest, assembly) != LB_OK)) {
        return LB_E_VERSION;
    }
    if (!lb_is_finite(options.tolerance)) {
        return lb_refuse_number(work, "options", 0);
    }
    if (!(options.tolerance > 0.0)) {
        return LB_E_ARGUMENT;
    }
    lb_status status = lb_check_state(model, work, q, v, NULL, NULL);
    if (status < 0) {
        return status;
    }
    if (lb_wait_for_offsets(model, work)) {
        return LB_E_STAGE;
    }
    (void)lay_out(model, scratch, &x);
    memset(x.zero, 0, (size_t)x.n * sizeof *x.zero);
    bool closed = false;
    for (int with_modes = 0; with_modes < 2 && status >= 0 && !closed; ++with_modes) {
        weigh(&x, with_modes ? BEND_MODES : KEEP_MODES);
        found.iterations = 0;
        status = close(&x, q, &found.iterations, &found.residual);
        closed = found.residual <= options.tolerance;
    }
    status = status < 0 ? status : measure(&x, q, x.e);
    if (status >= 0) {
        found.residual = find_worst(&x, x.e, &found.loop);
    }
    bool agrees = true;
    if (status >= 0 && v) {
        const double largest = fmax(1.0, lb_find_largest(x.n, v));
        agrees = false;
        for (int with_modes = 0; with_modes < 2 && status >= 0 && !agrees; ++with_modes) {
            weigh(&x, with_modes ? RATES_OF_MODES : KEEP_MODES);
            status = match_speeds(&x, q, v, &found);
            agrees = found.speed_residual <= options.tolerance * largest;
        }
    }
    if (assembly) {
        (void)lb_give_sized(&found, sizeof found, smallest, assembly);
    }
    return status < 0 ? status : closed && agrees ? LB_OK : LB_E_OPEN;
}
