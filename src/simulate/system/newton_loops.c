// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "newton_loops.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "closure.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/loops/loop_products.h"
#include "limber/loops.h"
#include "limber/spatial.h"

lb_status lb_create_newton_loops(lb_newton *newton)
{
    const lb_system *s = newton->system;
    lb_newton_loops *l = lb_arena_take(s->arena, 1, sizeof *l);
    if (!l) {
        return LB_E_MEMORY;
    }
    newton->loops = l;
    l->slot_count = s->closure->slot_count;
    const size_t n = (size_t)s->v_count, m = 6 * (size_t)l->slot_count, square = n * n;
    const struct {
        double **place;
        size_t count;
    } pieces[] = {{&l->A, n * m},
                  {&l->J, m * n},
                  {&l->C, m * n},
                  {&l->R_q, m * n},
                  {&l->R_v, m * n},
                  {&l->force_dq, square},
                  {&l->Z, square},
                  {&l->L, square},
                  {&l->D, square},
                  {&l->K, square},
                  {&l->W, square},
                  {&l->T, square},
                  {&l->wide, n * (n > m ? n : m)},
                  {&l->dq, n},
                  {&l->dv, n},
                  {&l->p, n},
                  {&l->r, n},
                  {&l->held, n},
                  {&l->across, n},
                  {&l->along, n},
                  {&l->rows, m},
                  {&l->force, m},
                  {&l->u, n},
                  {&l->z, n}};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
        *pieces[i].place = lb_arena_take(s->arena, pieces[i].count, sizeof(double));
        if (!*pieces[i].place) {
            return LB_E_MEMORY;
        }
    }
    l->T_pivot = lb_arena_take(s->arena, n, sizeof *l->T_pivot);
    l->G = l->J;
    l->Y = l->Z;
    l->follows = !lb_has_ruthless_modes(s->model);
    if (!l->follows) {
        l->E = lb_arena_take(s->arena, m * m, sizeof *l->E);
        l->E_pivot = lb_arena_take(s->arena, m, sizeof *l->E_pivot);
        l->G = lb_arena_take(s->arena, m * n, sizeof *l->G);
        l->Y = lb_arena_take(s->arena, square, sizeof *l->Y);
        if (!l->E || !l->E_pivot || !l->G || !l->Y) {
            return LB_E_MEMORY;
        }
    }
    return l->T_pivot ? LB_OK : LB_E_MEMORY;
}

// ---- what loops leave free -----------------------------------------------------------------------

// A, column by column, with the factors that decide which rows count.
static lb_status solve_columns(lb_newton *newton)
{
    lb_newton_loops *l = newton->loops;
    lb_system *s = newton->system;
    const ptrdiff_t n = s->v_count, m = (ptrdiff_t)6 * l->slot_count;
    memset(l->A, 0, (size_t)(n * m) * sizeof *l->A);
    memset(l->rows, 0, (size_t)m * sizeof *l->rows);
    lb_status status = LB_OK;
    for (ptrdiff_t i = 0; i < m && status >= 0; ++i) {
        if (!lb_is_loop_active(s->work, (int)(i / 6))) {
            continue;
        }
        l->rows[i] = 1.0;
        status = lb_solve_loops(s->model, s->work, l->rows, l->r, NULL);
        l->rows[i] = 0.0;
        for (ptrdiff_t j = 0; j < n; ++j) {
            l->A[j * m + i] = newton->held[j] ? 0.0 : l->r[j];
        }
    }
    return status;
}

// Free directions                                                                       (NEW-2)
//
//     M (I - A J) = L L',   Z = M^-1 L,   Z' M Z = I
//
// by Cholesky's method with pivots: columns of I - A J, made orthonormal one after the other. Scaled
// by the diagonal of M it is a projector, whose eigenvalues are 0 and 1: d of them, and no threshold.
static void find_free_directions(lb_newton *newton, ptrdiff_t d)
{
    lb_newton_loops *l = newton->loops;
    const ptrdiff_t n = newton->system->v_count, m = (ptrdiff_t)6 * l->slot_count;
    const unsigned char *held = newton->held;
    const double *M = newton->M;
    // P = I - A J over the free speeds, and B = M P; entry by entry as they are needed
    double *P = l->wide, *B = l->force_dq;
    memset(P, 0, (size_t)(n * n) * sizeof *P);
    lb_add_matrix_product(n, m, n, -1.0, l->A, l->J, P);
    for (ptrdiff_t i = 0; i < n; ++i) {
        P[i * n + i] += 1.0;
        for (ptrdiff_t j = 0; j < n; ++j) {
            P[i * n + j] = held[i] || held[j] ? 0.0 : P[i * n + j];
        }
    }
    memset(B, 0, (size_t)(n * n) * sizeof *B);
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t k = 0; !held[i] && k < n; ++k) {
            for (ptrdiff_t j = 0; !held[k] && j < n; ++j) {
                B[i * n + j] += M[i * n + k] * P[k * n + j];
            }
        }
    }
    double *left = l->p; // what is left of the diagonal
    for (ptrdiff_t i = 0; i < n; ++i) {
        left[i] = B[i * n + i];
    }
    ptrdiff_t found = 0;
    for (; found < d; ++found) {
        ptrdiff_t pivot = -1;
        double most = 0.0;
        for (ptrdiff_t i = 0; i < n; ++i) {
            const double share = held[i] ? 0.0 : left[i] / M[i * n + i];
            pivot = share > most ? i : pivot;
            most = share > most ? share : most;
        }
        if (pivot < 0) {
            break;
        }
        const double scale = 1.0 / sqrt(left[pivot]);
        for (ptrdiff_t i = 0; i < n; ++i) {
            double of_L = B[i * n + pivot], of_Z = P[i * n + pivot];
            for (ptrdiff_t k = 0; k < found; ++k) {
                of_L -= l->L[i * d + k] * l->L[pivot * d + k];
                of_Z -= l->Z[i * d + k] * l->L[pivot * d + k];
            }
            l->r[i] = scale * of_L;
            l->Z[i * d + found] = scale * of_Z;
        }
        for (ptrdiff_t i = 0; i < n; ++i) {
            l->L[i * d + found] = l->r[i];
            left[i] -= l->r[i] * l->r[i];
        }
        left[pivot] = 0.0;
    }
    // fewer than the rank says: directions of zero do nothing
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t k = found; k < d; ++k) {
            l->L[i * d + k] = l->Z[i * d + k] = 0.0;
        }
    }
}

// y -= A (J x), entries of held speeds of y stay
static void close(const lb_newton_loops *l, ptrdiff_t n, const double *J, const double *x,
                  double *y)
{
    const ptrdiff_t m = (ptrdiff_t)6 * l->slot_count;
    memset(l->rows, 0, (size_t)m * sizeof *l->rows);
    lb_add_image(m, n, 1.0, J, x, l->rows);
    lb_add_image(n, m, -1.0, l->A, l->rows, y);
}

// The same for positions: y -= A (I - (J - G) A)^-1 G x                                 (NEW-5)
static void close_place(const lb_newton_loops *l, ptrdiff_t n, const double *x, double *y)
{
    if (l->follows) {
        close(l, n, l->J, x, y);
        return;
    }
    const ptrdiff_t m = (ptrdiff_t)6 * l->slot_count;
    memset(l->rows, 0, (size_t)m * sizeof *l->rows);
    lb_add_image(m, n, 1.0, l->G, x, l->rows);
    lb_solve_lu((int)m, l->E, l->E_pivot, l->rows);
    lb_add_image(n, m, -1.0, l->A, l->rows, y);
}

// G, which is J but for the modes of ruthless bodies, its factors, and Y.
static void find_places(lb_newton *newton)
{
    lb_newton_loops *l = newton->loops;
    const lb_system *s = newton->system;
    const ptrdiff_t n = s->v_count, m = (ptrdiff_t)6 * l->slot_count, d = l->free_count;
    double *G = l->G, *of_modes = l->wide;
    if (!l->E) {
        return;
    }
    memcpy(G, l->J, (size_t)(m * n) * sizeof *G);
    memset(of_modes, 0, (size_t)(m * n) * sizeof *of_modes);
    for (int k = 0; k < s->body_count; ++k) {
        const int first = lb_get_v_offset(s->model, k), modes = lb_get_mode_count(s->model, k);
        const bool stand = lb_get_fidelity(s->model, k) == LB_FIDELITY_RUTHLESS;
        for (ptrdiff_t i = 0; stand && i < m; ++i) {
            for (int r = first; r < first + modes; ++r) {
                of_modes[i * n + r] = G[i * n + r];
                G[i * n + r] = 0.0;
            }
        }
    }
    memset(l->E, 0, (size_t)(m * m) * sizeof *l->E);
    lb_add_matrix_product(m, n, m, -1.0, of_modes, l->A, l->E);
    for (ptrdiff_t i = 0; i < m; ++i) {
        l->E[i * m + i] += 1.0;
    }
    // where that fails, so does the projection, and any matrix will do
    l->follows = !lb_factor_lu((int)m, l->E, l->E_pivot);
    for (ptrdiff_t j = 0; j < d; ++j) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            l->p[i] = l->r[i] = l->Z[i * d + j];
        }
        close_place(l, n, l->p, l->r);
        for (ptrdiff_t i = 0; i < n; ++i) {
            l->Y[i * d + j] = l->r[i];
        }
    }
}

// K, D and W on the free directions, the speeds following the configuration: dv = Z u - A C dq.
static void reduce(lb_newton *newton)
{
    lb_newton_loops *l = newton->loops;
    const ptrdiff_t n = newton->system->v_count, m = (ptrdiff_t)6 * l->slot_count;
    const ptrdiff_t d = l->free_count;
    double *X = l->wide, *Y = l->force_dq; // n x d, m x d or n x d
    lb_form_product(n, n, d, newton->D, l->Z, X);
    lb_form_transposed_product(n, d, d, l->Z, X, l->D);
    lb_form_product(n, n, d, newton->K, l->Y, X);
    lb_form_transposed_product(n, d, d, l->Z, X, l->K);
    // K -= Z' D A C Y, from the left: (Z' D) n wide, (Z' D A) m wide
    lb_form_transposed_product(n, d, n, l->Z, newton->D, Y);
    lb_form_product(d, n, m, Y, l->A, X);
    lb_form_product(d, m, n, X, l->C, Y);
    lb_add_matrix_product(d, n, d, -1.0, Y, l->Y, l->K);
    // W column by column
    l->has_turns = false;
    for (ptrdiff_t j = 0; j < d; ++j) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            l->p[i] = l->Y[i * d + j];
        }
        lb_apply_turning(newton, l->p, l->r);
        memset(l->z, 0, (size_t)d * sizeof *l->z);
        lb_add_transposed_image(n, d, 1.0, l->L, l->r, l->z);
        for (ptrdiff_t i = 0; i < d; ++i) {
            l->W[i * d + j] = l->z[i];
            l->has_turns = l->has_turns || l->z[i] != 0.0;
        }
    }
}

lb_status lb_differentiate_closure(lb_newton *newton)
{
    lb_newton_loops *l = newton->loops;
    lb_system *s = newton->system;
    const lb_loop_derivatives out = {sizeof out, l->J, l->C, l->R_q, l->R_v, l->force_dq};
    return lb_compute_loop_derivatives(s->model, s->work, newton->scratch, s->closure->forces,
                                       &out);
}

lb_status lb_reduce_to_loops(lb_newton *newton)
{
    lb_newton_loops *l = newton->loops;
    lb_system *s = newton->system;
    const ptrdiff_t n = s->v_count;
    for (ptrdiff_t i = 0; i < n * n; ++i) {
        newton->K[i] -= l->force_dq[i];
    }
    // the factors of the projection
    lb_find_held(s, s->closure->held);
    lb_status status = lb_factor_loops(s->model, s->work, newton->q, s->closure->held);
    int rows, rank;
    status = status < 0 ? status : lb_get_loop_rank(s->model, s->work, &rows, &rank, NULL);
    status = status < 0 ? status : solve_columns(newton);
    if (status < 0) {
        return status;
    }
    ptrdiff_t moving = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        moving += !newton->held[i];
    }
    l->free_count = moving > rank ? (int)(moving - rank) : 0;
    find_free_directions(newton, l->free_count);
    find_places(newton);
    reduce(newton);
    return LB_OK;
}

// ---- the matrix ----------------------------------------------------------------------------------

// Newton's matrix on the free directions                                                (NEW-2)
//
//     S = I + by_v Z' D Z + by_v by_q Z' (K - D A C) Y T^-1,   T = I - by_q L' W Y
bool lb_factor_loops_newton(lb_newton *newton, double by_q, double by_v, bool turns)
{
    lb_newton_loops *l = newton->loops;
    const ptrdiff_t d = l->free_count;
    l->by_q = by_q;
    l->by_v = by_v;
    l->turns = l->has_turns && turns;
    double *S = newton->S;
    memcpy(S, l->K, (size_t)(d * d) * sizeof *S);
    if (l->turns) {
        // rows of K T^-1 solve with T'
        for (ptrdiff_t i = 0; i < d; ++i) {
            for (ptrdiff_t j = 0; j < d; ++j) {
                l->T[i * d + j] = (i == j) - by_q * l->W[j * d + i];
            }
        }
        if (!lb_factor_lu((int)d, l->T, l->T_pivot)) {
            return false;
        }
        for (ptrdiff_t i = 0; i < d; ++i) {
            lb_solve_lu((int)d, l->T, l->T_pivot, S + i * d);
        }
        for (ptrdiff_t i = 0; i < d; ++i) {
            for (ptrdiff_t j = 0; j < d; ++j) {
                l->T[i * d + j] = (i == j) - by_q * l->W[i * d + j];
            }
        }
        if (!lb_factor_lu((int)d, l->T, l->T_pivot)) {
            return false;
        }
    }
    for (ptrdiff_t i = 0; i < d; ++i) {
        for (ptrdiff_t j = 0; j < d; ++j) {
            S[i * d + j] = (i == j) + by_v * (l->D[i * d + j] + by_q * S[i * d + j]);
        }
    }
    return lb_factor_lu((int)d, S, newton->pivot);
}

// across := A J b over the speeds that are not held, with the factors that the last evaluation left:
// right where it was, not where the derivatives were taken. b_v holds stiff forces that the loops do
// not feel; of a J that is a little out of date they would.
static void find_across(lb_newton *newton, const double *b, double *across)
{
    const lb_system *s = newton->system;
    lb_newton_loops *l = newton->loops;
    for (int i = 0; i < s->v_count; ++i) {
        l->r[i] = newton->held[i] || !b ? 0.0 : b[i];
    }
    lb_status status = lb_apply_loop_jacobian(s->model, s->work, l->r, l->rows);
    status = status < 0 ? status : lb_solve_loops(s->model, s->work, l->rows, across, NULL);
    for (int i = 0; i < s->v_count; ++i) {
        across[i] = status < 0 || newton->held[i] ? 0.0 : across[i];
    }
}

// Part of what goes along the loops is not along Z, which is that of an earlier state. x_v gets as much
// of it as S has left of the rest: all where nothing is stiff, and hardly any of stiff forces.
static void add_remainder(lb_newton *newton, const double *b_v, double *x_v)
{
    lb_newton_loops *l = newton->loops;
    const ptrdiff_t n = newton->system->v_count, d = l->free_count;
    const double before = lb_compute_dot(d, l->along, l->along);
    const double after = lb_compute_dot(d, l->u, l->u);
    const double share = after < before ? sqrt(after / before) : 1.0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        l->r[i] = b_v[i] - l->across[i];
    }
    lb_add_image(n, d, -1.0, l->Z, l->along, l->r);
    for (ptrdiff_t i = 0; i < n; ++i) {
        x_v[i] += share * l->r[i] + l->across[i];
    }
}

// The change of a state and of its projection, reduced to the free directions           (NEW-3)
//
//     dq = Y z + p,   T z = L' b_q + by_q (u + L' W p),   dv = Z u + w - A C dq
//     S u = L' b_v - by_v Z' (K p + D (w - A C p) + (K - D A C) Y T^-1 (L' b_q + by_q L' W p))
//     x_v = Z u + A (J b_v - by_v (R_q dq + R_v dv))
//
// p and w are what held hinges do by themselves, and what loops make of that. J b_v is that of the
// speeds which are not held; those that are have x_v = b_v.
void lb_solve_loops_newton(lb_newton *newton, const double *b_q, const double *b_v, double *x_v)
{
    lb_newton_loops *l = newton->loops;
    const ptrdiff_t n = newton->system->v_count, m = (ptrdiff_t)6 * l->slot_count;
    const ptrdiff_t d = l->free_count;
    const double by_q = l->by_q, by_v = l->by_v;
    const size_t size = (size_t)n * sizeof(double);
    // held hinges, and loops after them: p in dq, w in dv
    for (ptrdiff_t i = 0; i < n; ++i) {
        const bool held = newton->held[i];
        l->held[i] = held && !newton->given_v[i] ? b_v[i] : 0.0;
        l->p[i] = held && !newton->given_q[i] ? (b_q ? b_q[i] : 0.0) + by_q * l->held[i] : 0.0;
    }
    memcpy(l->dq, l->p, size);
    close_place(l, n, l->p, l->dq);
    memcpy(l->dv, l->held, size);
    close(l, n, l->J, l->held, l->dv);
    close(l, n, l->C, l->dq, l->dv);
    // z without u
    memset(l->z, 0, (size_t)d * sizeof *l->z);
    if (l->turns) {
        lb_apply_turning(newton, l->dq, l->r);
        lb_add_transposed_image(n, d, by_q, l->L, l->r, l->z);
    }
    if (b_q) {
        find_across(newton, b_q, l->across);
        lb_add_transposed_image(n, d, 1.0, l->L, b_q, l->z); // rows of held speeds are zero in L
        lb_add_transposed_image(n, d, -1.0, l->L, l->across, l->z);
    }
    if (l->turns) {
        lb_solve_lu((int)d, l->T, l->T_pivot, l->z);
    }
    // u
    memset(l->u, 0, (size_t)d * sizeof *l->u);
    find_across(newton, b_v, l->across);
    lb_add_transposed_image(n, d, 1.0, l->L, b_v, l->u);
    lb_add_transposed_image(n, d, -1.0, l->L, l->across, l->u);
    memcpy(l->along, l->u, (size_t)d * sizeof *l->u);
    lb_add_image(d, d, -by_v, l->K, l->z, l->u);
    memset(l->r, 0, size);
    lb_add_image(n, n, by_v, newton->K, l->dq, l->r);
    lb_add_image(n, n, by_v, newton->D, l->dv, l->r);
    lb_add_transposed_image(n, d, -1.0, l->Z, l->r, l->u);
    lb_solve_lu((int)d, newton->S, newton->pivot, l->u);
    // z, dq and dv with u; held + Z u in place of held
    memcpy(l->p, l->u, (size_t)d * sizeof *l->p);
    if (l->turns) {
        lb_solve_lu((int)d, l->T, l->T_pivot, l->p);
    }
    lb_add_scaled(d, by_q, l->p, l->z);
    memset(l->p, 0, size);
    lb_add_image(n, d, 1.0, l->Y, l->z, l->p);
    lb_add_scaled(n, 1.0, l->p, l->dq);
    close(l, n, l->C, l->p, l->dv);
    memset(x_v, 0, size);
    lb_add_image(n, d, 1.0, l->Z, l->u, x_v);
    lb_add_scaled(n, 1.0, x_v, l->dv);
    // the rest of x_v, across the loops
    memset(l->rows, 0, (size_t)m * sizeof *l->rows);
    lb_add_image(m, n, -by_v, l->R_q, l->dq, l->rows);
    lb_add_image(m, n, -by_v, l->R_v, l->dv, l->rows);
    lb_add_image(n, m, 1.0, l->A, l->rows, x_v);
    add_remainder(newton, b_v, x_v);
    for (ptrdiff_t i = 0; i < n; ++i) {
        x_v[i] = newton->held[i] ? b_v[i] : x_v[i];
    }
}

// Change of the forces of loops, by_v times                                              (NEW-4)
//
//     by_v dlambda = A' (M (x_v - b_v) + by_v (K dq + D dv))
const double *lb_find_loop_change(lb_newton *newton, const double *b_v, const double *x_v)
{
    lb_newton_loops *l = newton->loops;
    const ptrdiff_t n = newton->system->v_count, m = (ptrdiff_t)6 * l->slot_count;
    for (ptrdiff_t i = 0; i < n; ++i) {
        l->p[i] = newton->held[i] ? 0.0 : x_v[i] - b_v[i];
        l->r[i] = 0.0;
    }
    lb_add_image(n, n, 1.0, newton->M, l->p, l->r);
    lb_add_image(n, n, l->by_v, newton->K, l->dq, l->r);
    lb_add_image(n, n, l->by_v, newton->D, l->dv, l->r);
    memset(l->force, 0, (size_t)m * sizeof *l->force);
    lb_add_transposed_image(n, m, 1.0, l->A, l->r, l->force); // rows of held speeds are zero in A
    return l->force;
}
