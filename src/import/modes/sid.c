// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A flexible body from standard input data (SID). What its matrices mean follows from the equations of motion
// that they are made for (Wallrapp 1993; Schwertassek and Wallrapp, Dynamik flexibler Mehrkoerpersysteme):
//
//     mdCM  first moment h0, m1: E             Ct  E as rows              Me, Ke, De  M_ff, K, C
//     J     S0, m1: S                          Cr  B0 as rows, m1: B      mass  that of the body
//     Oe    -1/2 S and -S, m1: the same of S2  Ge  B_tr - B_rt            Gr    Gr_q + Gr_q' = 2 S_q
//
// Ge, Gr, Oe m0 and mdCM m1 say again what others have said. They settle what differs between writers: which
// index of m1 is the mode, and whether the columns of Oe are xx yy zz xy yz xz or xx yy zz xy xz yz. What
// does not agree is reported. PY_SID writes Oe m1 without symmetry in the modes; its symmetric part is meant.
//
// With geometric stiffening, Ct m1 is G2 of (FLX-15), which no other term adds to. Cr m1 has B, antisymmetric in its
// two modes, and the antisymmetric part of T2 over axes, symmetric in the modes; Oe m1 has S2 and the symmetric part of T2,
// which act in the same way and stay together. phi m1 of a node is its gamma2.
#include <math.h>
#include <string.h>

#include "base/symmetric.h"
#include "import/imported.h"
#include "modal_files.h"
#include "sid.h"

#define FAIL(m, line, ...) lb_import_fail((m)->import, (m)->sid->file, line, __VA_ARGS__)
#define WARN(m, line, ...) lb_import_warn((m)->import, (m)->sid->file, line, __VA_ARGS__)

// ---- entries as arrays -------------------------------------------------------------------------

static bool find_place(int place, const lb_sid_matrix *matrix, const lb_sid_entry *e, long n,
                       long *column, long *mode)
{
    *mode = place == LB_SID_MODE_IN_MIDDLE ? e->j : e->k;
    *column = place == LB_SID_MODE_IN_MIDDLE ? e->k : e->j;
    return e->i <= matrix->nrow && *column <= matrix->ncol && *mode <= n;
}

static lb_status check_half(lb_sid_maker *m, const lb_sid_matrix *matrix, double *A,
                            unsigned char *seen)
{
    const long n = matrix->nrow;
    for (long i = 0; i < n; ++i) {
        for (long j = 0; j < i; ++j) {
            const long a = i * n + j, b = j * n + i;
            if (seen[a] && !seen[b]) {
                A[b] = A[a];
            } else if (seen[b] && !seen[a]) {
                A[a] = A[b];
            } else if (m->is_trial) {
                m->asymmetry = fmax(m->asymmetry, fabs(A[a] - A[b]));
            } else if (fabs(A[a] - A[b]) > 2 * matrix->grain) {
                return FAIL(m, matrix->line,
                            "entry (%ld, %ld) is %g and (%ld, %ld) is %g, but the matrix is said "
                            "to be symmetric",
                            i + 1, j + 1, A[a], j + 1, i + 1, A[b]);
            }
        }
    }
    return LB_OK;
}

// m0 (of mode -1) or m1 of one matrix, row by row; each mode of m1 has nrow x ncol numbers.
static lb_status expand(lb_sid_maker *m, const lb_sid_matrix *matrix, bool is_m1, double **out)
{
    const size_t size = (size_t)matrix->nrow * (size_t)matrix->ncol;
    const size_t count = size * (is_m1 ? (size_t)m->n : 1);
    unsigned char *seen;
    double *A;
    if (!LB_IMPORT_TAKE(m->import, A, count) || !LB_IMPORT_TAKE(m->import, seen, count)) {
        return LB_E_MEMORY;
    }
    for (int e = matrix->first; e < matrix->first + matrix->count; ++e) {
        const lb_sid_entry *entry = &m->sid->entries[e];
        long column = entry->j, mode = 1;
        if ((entry->k > 0) != is_m1) {
            continue;
        }
        if (is_m1 ? !find_place(m->mode_place, matrix, entry, m->n, &column, &mode)
                  : entry->i > matrix->nrow || entry->j > matrix->ncol) {
            return FAIL(m, entry->line,
                        "this entry is outside of the matrix, which has %ld rows and %ld columns",
                        matrix->nrow, matrix->ncol);
        }
        const size_t at = (size_t)(mode - 1) * size +
                          (size_t)(entry->i - 1) * (size_t)matrix->ncol + (size_t)(column - 1);
        if (seen[at]) {
            return FAIL(m, entry->line, "this entry is given twice");
        }
        if (!is_m1 && matrix->structure == LB_SID_DIAGONAL && entry->i != column &&
            entry->value != 0) {
            return FAIL(m, entry->line,
                        "this entry is not on the diagonal, but the matrix is said to be diagonal");
        }
        seen[at] = 1;
        A[at] = entry->value;
    }
    if (!is_m1 && matrix->structure == LB_SID_UNIT) {
        for (long i = 0; i < matrix->nrow && i < matrix->ncol; ++i) {
            A[i * matrix->ncol + i] = 1.0;
        }
    }
    lb_status status = LB_OK;
    if (matrix->structure == LB_SID_SYMMETRIC && matrix->nrow == matrix->ncol) {
        for (size_t q = 0; q < count / size && status == LB_OK; ++q) {
            status = check_half(m, matrix, A + q * size, seen + q * size);
        }
    }
    *out = A;
    return status;
}

lb_status lb_take_sid_matrix(lb_sid_maker *m, const lb_sid_matrix *matrix, bool is_m1, int nrow,
                             int ncol, double **out)
{
    if (matrix->line > 0 && matrix->structure != LB_SID_ZERO) {
        return expand(m, matrix, is_m1, out);
    }
    const size_t count = (size_t)nrow * (size_t)ncol * (is_m1 ? (size_t)m->n : 1);
    return LB_IMPORT_TAKE(m->import, *out, count) ? LB_OK : LB_E_MEMORY;
}

// ---- what the identities say -------------------------------------------------------------------

typedef struct gap {
    double largest; ///< difference
    double allowed; ///< by the digits of the file
} gap;

static void compare(gap *g, double a, double b)
{
    g->largest = fmax(g->largest, fabs(a - b));
    // beside the last digits of both, 1e-9 for what a writer has rounded on its way
    g->allowed = fmax(g->allowed, 1e-9 * fmax(fabs(a), fabs(b)));
}

static gap add_grain(gap g, const lb_sid_matrix *a, const lb_sid_matrix *b)
{
    g.allowed += 8 * (a->grain + b->grain);
    return g;
}

// J is 6 x 1 or 3 x 3.
static void pack_inertia(const lb_sid_matrix *matrix, const double *A, double J[6])
{
    if (matrix->nrow == 3) {
        const double packed[6] = {
            A[0], A[4], A[8], 0.5 * (A[1] + A[3]), 0.5 * (A[2] + A[6]), 0.5 * (A[5] + A[7])};
        memcpy(J, packed, sizeof packed);
    } else {
        memcpy(J, A, 6 * sizeof *J);
    }
}

static lb_status read_S(lb_sid_maker *m)
{
    const lb_sid_matrix *J = &m->sid->J;
    double *A;
    const lb_status status = lb_take_sid_matrix(m, J, true, 9, 1, &A);
    const int size = J->line > 0 && J->nrow == 3 ? 9 : 6;
    for (int q = 0; q < m->n && status == LB_OK; ++q) {
        pack_inertia(J, A + size * q, m->S + 6 * q);
    }
    return status;
}

static lb_status compare_E(lb_sid_maker *m, gap *g)
{
    double *A;
    *g = (gap){0};
    if (!lb_has_sid_order_1(&m->sid->mdCM)) {
        return LB_OK;
    }
    const lb_status status = lb_take_sid_matrix(m, &m->sid->mdCM, true, 3, 1, &A);
    for (int i = 0; i < 3 * m->n && status == LB_OK; ++i) {
        compare(g, A[i], m->E[i]);
    }
    *g = add_grain(*g, &m->sid->mdCM, &m->sid->Ct);
    return status;
}

// Columns of Oe: the order that agrees with S.
static lb_status compare_Oe(lb_sid_maker *m, gap *g)
{
    static const int orders[2][6] = {{0, 1, 2, 3, 5, 4}, {0, 1, 2, 3, 4, 5}};
    gap each[2] = {0};
    double *A;
    memcpy(m->Oe_column, orders[0], sizeof m->Oe_column);
    *g = (gap){0};
    if (m->sid->Oe.line == 0 || !lb_has_sid_order_1(&m->sid->J)) {
        return LB_OK;
    }
    const lb_status status = lb_take_sid_matrix(m, &m->sid->Oe, false, m->n, 6, &A);
    for (int q = 0; q < m->n && status == LB_OK; ++q) {
        for (int o = 0; o < 2; ++o) {
            for (int c = 0; c < 6; ++c) {
                const double factor = c < 3 ? -0.5 : -1.0;
                compare(&each[o], A[6 * q + orders[o][c]], factor * m->S[6 * q + c]);
            }
        }
    }
    const int best = each[1].largest < each[0].largest;
    memcpy(m->Oe_column, orders[best], sizeof m->Oe_column);
    *g = add_grain(each[best], &m->sid->Oe, &m->sid->J);
    return status;
}

static void complain(lb_sid_maker *m, const char *what, const lb_sid_matrix *matrix, gap g)
{
    if (g.largest > g.allowed) {
        WARN(m, matrix->line,
             "%s differ by up to %.3g, but must agree: to the digits of the file, %.1g is allowed",
             what, g.largest, g.allowed);
    }
}

// Whether the mode is the middle or the last index of m1: by the ranges of the indices, and if these
// leave both, by the identities.
static lb_status settle_modes(lb_sid_maker *m)
{
    const lb_sid *s = m->sid;
    bool can_be[2] = {true, true};
    const lb_sid_matrix *all[] = {&s->mdCM, &s->J, &s->Ct, &s->Cr, &s->Oe};
    const int body_count = sizeof all / sizeof *all;
    for (int i = 0; i < body_count + 4 * s->node_count; ++i) {
        const lb_sid_node *node = i < body_count ? NULL : &s->nodes[(i - body_count) / 4];
        const lb_sid_matrix *of_node[] = {node ? &node->origin : NULL, node ? &node->phi : NULL,
                                          node ? &node->psi : NULL, node ? &node->AP : NULL};
        const lb_sid_matrix *matrix = node ? of_node[(i - body_count) % 4] : all[i];
        for (int e = matrix->first; e < matrix->first + matrix->count; ++e) {
            const lb_sid_entry *entry = &s->entries[e];
            long column, mode;
            for (int place = 0; place < 2 && entry->k > 0; ++place) {
                can_be[place] &= find_place(place, matrix, entry, m->n, &column, &mode);
            }
            if (!can_be[0] && !can_be[1]) {
                return FAIL(m, entry->line,
                            "the indices of m1 up to here fit neither (row, mode, column) nor "
                            "(row, column, mode) for %d modes",
                            m->n);
            }
        }
    }
    m->mode_place = can_be[LB_SID_MODE_IN_MIDDLE] ? LB_SID_MODE_IN_MIDDLE : LB_SID_MODE_LAST;
    if (!can_be[0] || !can_be[1]) {
        return LB_OK;
    }
    double total[2] = {0, 0};
    for (int place = 0; place < 2; ++place) {
        gap E = {0}, Oe = {0};
        m->mode_place = place;
        m->is_trial = true;
        m->asymmetry = 0;
        lb_status status = read_S(m);
        status = status == LB_OK ? compare_E(m, &E) : status;
        status = status == LB_OK ? compare_Oe(m, &Oe) : status;
        if (status != LB_OK) {
            return status;
        }
        total[place] = E.largest + Oe.largest + m->asymmetry;
    }
    m->is_trial = false;
    m->mode_place = total[LB_SID_MODE_LAST] < total[LB_SID_MODE_IN_MIDDLE] ? LB_SID_MODE_LAST
                                                                           : LB_SID_MODE_IN_MIDDLE;
    return LB_OK;
}

// Ge(r, t) = B_tr - B_rt and Gr_q + Gr_q' = 2 S_q. Their columns are ordered by modes, then axes, or the
// other way round.
static lb_status check_gyroscopic(lb_sid_maker *m)
{
    const int n = m->n;
    const lb_sid *s = m->sid;
    double *Ge, *Gr;
    lb_status status = lb_take_sid_matrix(m, &s->Ge, false, n, 3 * n, &Ge);
    status = status == LB_OK ? lb_take_sid_matrix(m, &s->Gr, false, 3, 3 * n, &Gr) : status;
    if (status != LB_OK) {
        return status;
    }
    gap e[2] = {0}, g[2] = {0};
    for (int layout = 0; layout < 2; ++layout) {
        for (int t = 0; t < n; ++t) {
            const int step = layout ? n : 1, first = layout ? t : 3 * t;
            for (int r = 0; r < n; ++r) {
                for (int c = 0; c < 3; ++c) {
                    compare(&e[layout], Ge[r * 3 * n + first + step * c],
                            m->B[3 * (t * n + r) + c] - m->B[3 * (r * n + t) + c]);
                }
            }
            for (int i = 0; i < 6; ++i) {
                static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
                compare(&g[layout],
                        Gr[row[i] * 3 * n + first + step * column[i]] +
                            Gr[column[i] * 3 * n + first + step * row[i]],
                        2 * m->S[6 * t + i]);
            }
        }
    }
    if (s->Ge.line > 0 && lb_has_sid_order_1(&s->Cr)) {
        complain(m, "Ge and Cr m1", &s->Ge,
                 add_grain(e[e[1].largest < e[0].largest], &s->Ge, &s->Cr));
    }
    if (s->Gr.line > 0 && lb_has_sid_order_1(&s->J)) {
        complain(m, "Gr and J m1", &s->Gr,
                 add_grain(g[g[1].largest < g[0].largest], &s->Gr, &s->J));
    }
    return LB_OK;
}

// The mass of the modes of a free body: what follows the frame is taken out.        (IMP-12)
//
//     M - L' R^-1 L ,   L = (B0, E) by mode, R the inertia of the rigid body about its frame
static lb_status form_free_mass(lb_sid_maker *m, const lb_flex_integrals *I, double *free_mass)
{
    enum { N = 6 };
    const int n = m->n;
    double R[N * N], V[N * N], scale[N], *along;
    if (!LB_IMPORT_TAKE(m->import, along, N * n)) {
        return LB_E_MEMORY;
    }
    lb_form_rigid_inertia(I, R);
    for (int i = 0; i < N; ++i) {
        scale[i] = R[(N + 1) * i] > 0 ? 1 / sqrt(R[(N + 1) * i]) : 0;
    }
    for (int i = 0; i < N * N; ++i) {
        R[i] *= scale[i / N] * scale[i % N];
    }
    lb_compute_eigenvectors(N, R, V);
    for (int e = 0; e < N; ++e) {
        const double value = R[(N + 1) * e];
        // a line has no inertia about itself, and takes no part
        for (int q = 0; q < n && value > 1e-9; ++q) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) {
                sum += V[N * k + e] * scale[k] * I->B0[3 * q + k] +
                       V[N * (3 + k) + e] * scale[3 + k] * I->E[3 * q + k];
            }
            along[N * q + e] = sum / sqrt(value);
        }
    }
    for (int q = 0; q < n; ++q) {
        for (int p = 0; p < n; ++p) {
            double sum = I->M_ff[q * n + p];
            for (int e = 0; e < N; ++e) {
                sum -= along[N * q + e] * along[N * p + e];
            }
            free_mass[q * n + p] = sum;
        }
    }
    return LB_OK;
}

// The frequency of a spectrum that is nearest to one; 0 if there is none.
static double find_nearest(int n, const double *squares, double told)
{
    double nearest = 0;
    for (int q = 0; q < n; ++q) {
        const double f = squares[q] > 0 ? sqrt(squares[q]) / LB_TWO_PI : 0;
        nearest = fabs(f - told) < fabs(nearest - told) ? f : nearest;
    }
    return nearest;
}

// Names of modes have frequencies of the body as it was analysed: held by its frame, or free.
static lb_status check_frequencies(lb_sid_maker *m, const lb_flex_integrals *I, const double *K)
{
    const int n = m->n;
    double *squares[2], *masses, *free_mass, *shapes = NULL;
    if (!LB_IMPORT_TAKE(m->import, squares[0], n) || !LB_IMPORT_TAKE(m->import, squares[1], n) ||
        !LB_IMPORT_TAKE(m->import, masses, n) ||
        !LB_IMPORT_TAKE(m->import, free_mass, (size_t)n * (size_t)n)) {
        return LB_E_MEMORY;
    }
    lb_arena *arena = &m->import->arena;
    lb_status status = form_free_mass(m, I, free_mass);
    status =
        status ? status : lb_find_coupled_modes(arena, n, I->M_ff, K, squares[0], masses, &shapes);
    const bool is_coupled = shapes != NULL;
    status = status ? status
                    : lb_find_coupled_modes(arena, n, free_mass, K, squares[1], masses, &shapes);
    for (int q = 0; q < n && status == LB_OK; ++q) {
        const double told = m->sid->frequencies[q];
        const double alone = K[q * n + q] / I->M_ff[q * n + q];
        const double shape = find_nearest(1, &alone, told),
                     held = find_nearest(n, squares[0], told),
                     free = find_nearest(n, squares[1], told);
        // names of modes have three decimals; static shapes may be called by what they have alone
        const double room = 1e-3 + 1e-3 * told;
        const bool agrees = fabs(shape - told) <= room || fabs(free - told) <= room ||
                            (is_coupled && fabs(held - told) <= room);
        if (told > 0 && !agrees) {
            WARN(m, m->sid->Ke.line,
                 "mode %d is called %g Hz, but Ke and Me give %g Hz with the frame held, and %g Hz "
                 "is the nearest of the free body; the matrices are used",
                 q + 1, told, held, free);
        }
    }
    return status;
}

// ---- inertia -----------------------------------------------------------------------------------

static void read_B(lb_sid_maker *m, const double *A, bool is_skew)
{
    // A[t][r][c] is row r of Cr per unit of mode t, as B is
    const int n = m->n;
    memcpy(m->B, A, (size_t)n * (size_t)n * 3 * sizeof *A);
    for (int t = 0; t < n && is_skew; ++t) {
        for (int r = 0; r <= t; ++r) {
            for (int c = 0; c < 3; ++c) {
                double *a = &m->B[3 * (t * n + r) + c], *b = &m->B[3 * (r * n + t) + c];
                const double half = 0.5 * (*a - *b);
                *a = half;
                *b = -half;
            }
        }
    }
}

// Oe m1 of row r, mode t: -1/2 S2_tr and -S2_tr, symmetric in t and r.
static void read_S2(lb_sid_maker *m, const double *A)
{
    const int n = m->n;
    for (int t = 0; t < n; ++t) {
        for (int r = 0; r < n; ++r) {
            for (int c = 0; c < 6; ++c) {
                const int o = m->Oe_column[c];
                const double mean = 0.5 * (A[6 * (t * n + r) + o] + A[6 * (r * n + t) + o]);
                m->S2[6 * (t * n + r) + c] = (c < 3 ? -2.0 : -1.0) * mean;
            }
        }
    }
}

static lb_inertia_order choose_order(lb_sid_maker *m)
{
    const lb_sid *s = m->sid;
    const bool has_S = lb_has_sid_order_1(&s->J), has_B = lb_has_sid_order_1(&s->Cr);
    if (has_S != has_B) {
        WARN(m, has_S ? s->J.line : s->Cr.line,
             "%s has terms of first order and %s does not: neither is used, since inertia that "
             "depends on the deformation needs both",
             has_S ? "J" : "Cr", has_S ? "Cr" : "J");
    }
    return !has_S || !has_B              ? LB_INERTIA_ORDER_0
           : !lb_has_sid_order_1(&s->Oe) ? LB_INERTIA_ORDER_1
                                         : LB_INERTIA_ORDER_2;
}

// G2_rs from Ct m1, T2_rs,xy - T2_rs,yx and so on from the symmetric part of Cr m1.
static lb_status read_moments(lb_sid_maker *m, lb_modal_body *body)
{
    const int n = m->n;
    const lb_sid_matrix *from[2] = {&m->sid->Ct, &m->sid->Cr};
    double *K[LB_INERTIA_LOADS] = {NULL};
    for (int i = 0; i < 6; ++i) {
        if (!LB_IMPORT_TAKE(m->import, K[i], n * n)) {
            return LB_E_MEMORY;
        }
    }
    for (int load = 0; load < 2; ++load) {
        double *A;
        const lb_status status = lb_take_sid_matrix(m, from[load], true, n, 3, &A);
        for (int i = 0; i < 3 * n * n && status == LB_OK; ++i) {
            const int t = i / 3 / n, r = i / 3 % n, c = i % 3;
            K[3 * (1 - load) + c][t * n + r] = 0.5 * (A[i] + A[3 * (r * n + t) + c]);
        }
        if (status != LB_OK) {
            return status;
        }
    }
    const lb_status status = lb_set_moments(m->import, n, K, body);
    // the products of the spin are in S2
    body->known_loads |= body->order == LB_INERTIA_ORDER_2 ? (1u << LB_INERTIA_LOADS) - 1 : 0u;
    return status;
}

static lb_status make_inertia(lb_sid_maker *m, lb_modal_body *body)
{
    const int n = m->n;
    const lb_sid *s = m->sid;
    lb_flex_integrals *I = &body->integrals;
    double *h0, *J, *M, *Cr, *Oe;
    gap E = {0}, S = {0};
    *I = (lb_flex_integrals){.size = sizeof *I, .mass = s->mass};
    if (!LB_IMPORT_TAKE(m->import, m->S, 6 * n)) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_take_sid_matrix(m, &s->Ct, false, n, 3, &m->E);
    status = status == LB_OK ? lb_take_sid_matrix(m, &s->Cr, false, n, 3, &m->B0) : status;
    status = status == LB_OK ? lb_take_sid_matrix(m, &s->mdCM, false, 3, 1, &h0) : status;
    status = status == LB_OK ? lb_take_sid_matrix(m, &s->J, false, 9, 1, &J) : status;
    status = status == LB_OK ? lb_take_sid_matrix(m, &s->Me, false, n, n, &M) : status;
    status = status == LB_OK ? settle_modes(m) : status;
    status = status == LB_OK ? read_S(m) : status;
    status = status == LB_OK ? compare_E(m, &E) : status;
    status = status == LB_OK ? compare_Oe(m, &S) : status;
    if (status != LB_OK) {
        return status;
    }
    complain(m, "mdCM m1 and Ct m0", &s->mdCM, E);
    complain(m, "Oe m0 and J m1", &s->Oe, S);
    memcpy(I->h0, h0, sizeof I->h0);
    pack_inertia(&s->J, J, I->S0);
    I->M_ff = M;
    I->E = m->E;
    I->B0 = m->B0;
    body->order = choose_order(m);
    if (body->order >= LB_INERTIA_ORDER_1) {
        if (!LB_IMPORT_TAKE(m->import, m->B, (size_t)n * (size_t)n * 3)) {
            return LB_E_MEMORY;
        }
        status = lb_take_sid_matrix(m, &s->Cr, true, n, 3, &Cr);
        if (status != LB_OK) {
            return status;
        }
        read_B(m, Cr, s->Ct.has_m1);
        status = check_gyroscopic(m);
        I->B = m->B;
        I->S = m->S;
    }
    if (body->order == LB_INERTIA_ORDER_2 && status == LB_OK) {
        if (!LB_IMPORT_TAKE(m->import, m->S2, (size_t)n * (size_t)n * 6)) {
            return LB_E_MEMORY;
        }
        status = lb_take_sid_matrix(m, &s->Oe, true, n, 6, &Oe);
        if (status == LB_OK) {
            read_S2(m, Oe);
            I->S2 = m->S2;
        }
    }
    if (status == LB_OK && s->Ct.has_m1) {
        status = read_moments(m, body);
    }
    return status;
}

// ---- the whole ---------------------------------------------------------------------------------

static void warn_about_rest(lb_sid_maker *m)
{
    const lb_sid *s = m->sid;
    for (int e = s->ksigma.first; e < s->ksigma.first + s->ksigma.count; ++e) {
        if (s->entries[e].value != 0) {
            WARN(m, s->ksigma.line,
                 "the file has initial stresses (ksigma), which are not used yet: the body is at "
                 "rest without deformation");
            break;
        }
    }
    const lb_sid_matrix *all[] = {&s->Me, &s->Ke, &s->De};
    for (int i = 0; i < 3; ++i) {
        if (all[i]->has_m1) {
            static const char *const names[] = {"Me", "Ke", "De"};
            WARN(m, all[i]->line, "%s depends on the deformation (m1), which is not used",
                 names[i]);
        }
    }
}

lb_status lb_read_sid(lb_import *import, lb_modal_body *body)
{
    static const char *const required[] = {"mdCM", "J", "Ct", "Cr", "Me", "Ke"};
    const lb_import_file *file = lb_take_only_file(import, lb_is_sid, "SID");
    lb_sid sid;
    if (!file) {
        return LB_E_SYNTAX;
    }
    lb_status status = lb_parse_sid(import, file, &sid);
    if (status != LB_OK) {
        return status;
    }
    lb_sid_maker state = {.import = import, .sid = &sid, .n = sid.mode_count}, *m = &state;
    const lb_sid_matrix *given[] = {&sid.mdCM, &sid.J, &sid.Ct, &sid.Cr, &sid.Me, &sid.Ke};
    for (int i = 0; i < 6; ++i) {
        if (given[i]->line == 0) {
            return FAIL(m, 0, "the file has no %s, without which the body is not determined",
                        required[i]);
        }
    }
    double *K, *C = NULL;
    *body = (lb_modal_body){.format = "SID", .flex = lb_default_flex_options()};
    status = make_inertia(m, body);
    status = status == LB_OK ? lb_take_sid_matrix(m, &sid.Ke, false, m->n, m->n, &K) : status;
    if (status == LB_OK && sid.De.line > 0 && sid.De.structure != LB_SID_ZERO) {
        status = lb_take_sid_matrix(m, &sid.De, false, m->n, m->n, &C);
    }
    status = status == LB_OK ? lb_make_sid_nodes(m, &body->flex) : status;
    if (status != LB_OK) {
        return status;
    }
    status = check_frequencies(m, &body->integrals, K);
    if (status != LB_OK) {
        return status;
    }
    warn_about_rest(m);
    body->flex.mode_count = m->n;
    body->flex.stiffness = K;
    body->flex.damping = C;
    body->flex.integrals = &body->integrals;
    return lb_finish_modal_body(import, file, sid.Cr.line, body);
}
