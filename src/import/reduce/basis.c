// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "basis.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"

// ---- shapes ------------------------------------------------------------------------------------

// Shapes with their inertia and elastic forces. The forces are known better than K x gives them: K x cancels to
// the last digits where x is smooth, and a static deflection has the load that made it.
typedef struct shapes {
    ptrdiff_t n;
    int count;
    double *X, *MX, *KX; // columns
} shapes;

static bool take_shapes(lb_import *import, size_t n, int most, shapes *s)
{
    *s = (shapes){.n = (ptrdiff_t)n};
    const size_t size = n * (size_t)most + 1;
    return LB_IMPORT_TAKE(import, s->X, size) && LB_IMPORT_TAKE(import, s->MX, size) &&
           LB_IMPORT_TAKE(import, s->KX, size);
}

static void add_shape(shapes *to, int i, double factor, const shapes *from, int j)
{
    const ptrdiff_t n = to->n;
    lb_add_scaled(n, factor, from->X + j * n, to->X + i * n);
    lb_add_scaled(n, factor, from->MX + j * n, to->MX + i * n);
    lb_add_scaled(n, factor, from->KX + j * n, to->KX + i * n);
}

static void scale_shape(shapes *s, int i, double factor)
{
    for (ptrdiff_t k = i * s->n; k < (i + 1) * s->n; ++k) {
        s->X[k] *= factor;
        s->MX[k] *= factor;
        s->KX[k] *= factor;
    }
}

static double get_square(const shapes *s, int i)
{
    return lb_compute_dot(s->n, s->X + i * s->n, s->MX + i * s->n);
}

// Takes out of the last shape, number `count`, what the others have of it, and makes its modal mass one.
//
// @return its modal mass before that, over the one at first; 0 if nothing is left
static double orthonormalize(const lb_fe_matrix *M, shapes *s)
{
    const int last = s->count;
    double *x = s->X + last * s->n, *Mx = s->MX + last * s->n;
    const double first = get_square(s, last);
    double product = 1.0, square = first;
    if (!(first > 0.0)) {
        return 0.0;
    }
    for (int turn = 0; turn < 4; ++turn) {
        scale_shape(s, last, 1 / sqrt(square));
        for (int j = 0; j < last; ++j) {
            add_shape(s, last, -lb_compute_dot(s->n, x, s->MX + j * s->n), s, j);
        }
        lb_fe_multiply(M, x, Mx);
        square = get_square(s, last);
        product *= square;
        if (!(square > 1e-30)) {
            return 0.0;
        }
        if (square > 0.5 && turn > 0) {
            break;
        }
    }
    scale_shape(s, last, 1 / sqrt(square));
    return product;
}

// A static deflection x under the load Kx, the next of the shapes, joins them if it is none of them already.
//
// @return 1 if it did, 0 if the others contain it, -1 if it moves no mass
static int add_deflection(const lb_fe_matrix *M, shapes *s)
{
    const double *x = s->X + s->count * s->n, *Kx = s->KX + s->count * s->n;
    const double energy = lb_compute_dot(s->n, x, Kx);
    lb_fe_multiply(M, x, s->MX + s->count * s->n);
    const double mass = get_square(s, s->count), left = orthonormalize(M, s);
    const double own = left * mass * lb_compute_dot(s->n, x, Kx);
    // 1e-20: the shapes have ten digits of the deflection, measured by its energy; rounding leaves 1e-30
    if (mass > 0.0 && !(own > 1e-20 * energy)) {
        return 0;
    }
    if (!(left > 1e-28)) {
        return -1;
    }
    ++s->count;
    return 1;
}

// What became of static deflections.
typedef struct tally {
    int asked, added;
    int contained; // in others
    int massless;
} tally;

// Solves for the deflections under the loads that are in the next `count` columns, and adds them.
static lb_status add_deflections(lb_static *statics, const lb_fe_matrix *M, int count, shapes *s,
                                 tally *t)
{
    const int first = s->count;
    const size_t size = statics->n * sizeof *s->X;
    const lb_status status =
        lb_solve_balanced(statics, count, s->KX + first * s->n, s->X + first * s->n);
    for (int i = first; i < first + count && status == LB_OK; ++i) {
        double *x = s->X + s->count * s->n, *Kx = s->KX + s->count * s->n;
        // those that were left out make room
        if (i > s->count) {
            memcpy(x, s->X + i * s->n, size);
            memcpy(Kx, s->KX + i * s->n, size);
        }
        // without work the load is on what is held
        const bool works = lb_compute_dot(s->n, x, Kx) > 0.0;
        const int added = works ? add_deflection(M, s) : 0;
        t->asked += 1;
        t->added += added == 1;
        t->contained += works && added == 0;
        t->massless += added < 0;
    }
    return status;
}

// ---- Craig and Bampton -------------------------------------------------------------------------

// Balances a load on a free structure by forces on its supports: R' f = 0. Drops loads on what is held.
static void balance(const lb_static *s, double *f)
{
    const int m = s->rigid_count;
    double D[6][6], reaction[1][6];
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < m; ++k) {
            D[i][k] = s->R[(size_t)i * s->n + (size_t)s->supports[k]];
        }
        reaction[0][i] = -lb_compute_dot((ptrdiff_t)s->n, f, s->R + (size_t)i * s->n);
    }
    lb_solve_few(m, D, 1, reaction);
    for (int k = 0; k < m; ++k) {
        f[s->supports[k]] += reaction[0][k];
    }
    for (size_t i = 0; m == 0 && i < s->n; ++i) {
        f[i] = s->number[i] >= 0 ? f[i] : 0.0;
    }
}

// Deflections under unit forces on the rows of the interfaces, which have the same span as unit displacements of them;
// of a free structure, on supports within the interfaces, with its rigid motions.               (IMP-7)
static lb_status add_interfaces(lb_import *import, const lb_tied *tied, const bool *is_interface,
                                lb_static *statics, shapes *s, lb_basis *basis)
{
    const lb_structure *structure = &tied->structure;
    tally t = {.asked = 0};
    for (size_t b = 0; b < statics->n;) {
        lb_status status = lb_import_tell(import, "interfaces", (double)b / (double)statics->n);
        int count = 0;
        for (; count < LB_STATIC_TOGETHER && b < statics->n; ++b) {
            const int node = structure->rows[b].node;
            if (node != LB_FE_MODAL && is_interface[node] && statics->number[b] >= 0) {
                double *Kx = s->KX + (s->count + count++) * s->n;
                memset(Kx, 0, statics->n * sizeof *Kx);
                Kx[b] = 1.0;
                balance(statics, Kx);
            }
        }
        status = status ? status : add_deflections(statics, &tied->M, count, s, &t);
        if (status != LB_OK) {
            return status;
        }
    }
    basis->constraint_count = t.added;
    if (t.added < t.asked) {
        lb_import_warn(import, NULL, 0,
                       "%d of the %d shapes of the interfaces are left out: they move no mass, or "
                       "the others contain them",
                       t.asked - t.added, t.asked);
    }
    return LB_OK;
}

// ---- residual modes ----------------------------------------------------------------------------

// Deflections under unit loads on nodes, without what the shapes have of them.                   (IMP-8)
static lb_status add_residuals(lb_import *import, const lb_tied *tied, const int *rows,
                               const lb_basis_options *options, shapes *s, lb_basis *basis)
{
    lb_static *statics = &basis->statics;
    double *load;
    tally t = {.asked = 0};
    if (!LB_IMPORT_TAKE(import, load, tied->n)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < options->residual_count; ++i) {
        int count = 0;
        for (int d = 0; d < 6; ++d) {
            double *Kx = s->KX + (s->count + count) * s->n;
            if (lb_set_unit_load(tied, rows, options->residuals[i], d, load)) {
                lb_gather_ties(tied, load, Kx);
                lb_balance_by_inertia(statics, Kx);
                ++count;
            }
        }
        lb_status status = lb_import_tell(import, "residuals", (double)i / options->residual_count);
        status = status ? status : add_deflections(statics, &tied->M, count, s, &t);
        if (status != LB_OK) {
            return status;
        }
    }
    basis->residual_count = t.added;
    basis->dropped_count = t.contained;
    if (t.massless > 0) {
        lb_import_warn(import, NULL, 0,
                       "%d residual modes are left out: they move no mass, so that they would have "
                       "no frequency",
                       t.massless);
    }
    return LB_OK;
}

// ---- the shapes together -----------------------------------------------------------------------

static void sort_ascending(int m, const double *A, int *order)
{
    for (int i = 0; i < m; ++i) {
        order[i] = i;
        for (int j = i; j > 0 && A[order[j] * (m + 1)] < A[order[j - 1] * (m + 1)]; --j) {
            const int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    }
}

// Ritz: eigenpairs of X' K X, where X' M X = 1; the first `skip` shapes, rigid motions, are left out. Jacobi's rotations
// keep the digits of low frequencies beside high ones.
static lb_status diagonalize(lb_import *import, const shapes *s, int skip, lb_reduction *r)
{
    const int m = s->count - skip;
    const ptrdiff_t n = s->n;
    double *A, *V;
    int *order;
    const size_t size = (size_t)m * (size_t)n + 1;
    if (!LB_IMPORT_TAKE(import, A, m * m + 1) || !LB_IMPORT_TAKE(import, V, m * m + 1) ||
        !LB_IMPORT_TAKE(import, order, m + 1) || !LB_IMPORT_TAKE(import, r->squares, m + 1) ||
        !LB_IMPORT_TAKE(import, r->Phi, size) || !LB_IMPORT_TAKE(import, r->MPhi, size)) {
        return LB_E_MEMORY;
    }
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i <= j; ++i) {
            // forces of the later one: those of static deflections are exact
            A[i * m + j] = A[j * m + i] =
                lb_compute_dot(n, s->X + (skip + i) * n, s->KX + (skip + j) * n);
        }
    }
    lb_fe_rotate_to_diagonal(m, A, V);
    sort_ascending(m, A, order);
    r->mode_count = m;
    for (int k = 0; k < m; ++k) {
        r->squares[k] = A[order[k] * (m + 1)];
        if (!(r->squares[k] > 0.0)) {
            return lb_import_fail(import, NULL, 0,
                                  "the reduced stiffness is not positive definite: look at the "
                                  "supports and the digits of the files");
        }
        for (int i = 0; i < m; ++i) {
            const double v = V[i * m + order[k]];
            lb_add_scaled(n, v, s->X + (skip + i) * n, r->Phi + k * n);
            lb_add_scaled(n, v, s->MX + (skip + i) * n, r->MPhi + k * n);
        }
    }
    return LB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

// Residuals of the normal modes; at what is held there are reactions.
static lb_status check_modes(lb_import *import, const lb_tied *tied, const lb_reduction *r,
                             const bool *held, double *residual)
{
    enum { TOGETHER = 8 };
    const size_t n = (size_t)r->n;
    double *KPhi;
    if (!LB_IMPORT_TAKE(import, KPhi, TOGETHER * n)) {
        return LB_E_MEMORY;
    }
    for (int m = 0; m < r->mode_count; ++m) {
        const int left = r->mode_count - m;
        const double *Mphi = r->MPhi + (size_t)m * n, *Kx = KPhi + (size_t)(m % TOGETHER) * n;
        double difference = 0.0, size = 0.0;
        if (m % TOGETHER == 0) {
            lb_fe_multiply_block(&tied->K, r->Phi + (size_t)m * n,
                                 left < TOGETHER ? left : TOGETHER, KPhi);
        }
        for (size_t i = 0; i < n; ++i) {
            const int node = tied->structure.rows[i].node;
            if (node != LB_FE_MODAL && held[node]) {
                continue;
            }
            const double inertia = r->squares[m] * Mphi[i];
            difference += (Kx[i] - inertia) * (Kx[i] - inertia);
            size += inertia * inertia;
        }
        *residual = fmax(*residual, sqrt(difference / size));
    }
    return LB_OK;
}

static void start_rigid(const lb_static *statics, shapes *s)
{
    const size_t size = (size_t)s->n * (size_t)statics->rigid_count * sizeof *s->X;
    if (size > 0) {
        memcpy(s->X, statics->R, size);
        memcpy(s->MX, statics->MR, size);
    }
    s->count = statics->rigid_count;
}

// The normal modes, each as the static deflection under its own inertia, K x = omega^2 M phi: all digits are right
// then, and its elastic force is known. Where interfaces are held in phi, x has a part of their shapes beside it.
static lb_status add_normal_modes(lb_import *import, const lb_tied *tied, const lb_reduction *r,
                                  lb_static *statics, shapes *s)
{
    for (int m = 0; m < r->mode_count;) {
        double *X = s->X + s->count * s->n, *KX = s->KX + s->count * s->n;
        lb_status status = lb_import_tell(import, "shapes", (double)m / r->mode_count);
        int count = 0;
        for (; count < LB_STATIC_TOGETHER && m < r->mode_count; ++count, ++m) {
            double *Kx = KX + count * s->n;
            for (ptrdiff_t i = 0; i < s->n; ++i) {
                Kx[i] = r->squares[m] * r->MPhi[m * s->n + i];
            }
            balance(statics, Kx);
        }
        status = status ? status : lb_solve_balanced(statics, count, KX, X);
        if (status != LB_OK) {
            return status;
        }
        lb_fe_multiply_block(&tied->M, X, count, s->MX + s->count * s->n);
        for (const int end = s->count + count; s->count < end; ++s->count) {
            if (!(orthonormalize(&tied->M, s) > 0.0)) {
                return lb_import_fail(import, NULL, 0, "a mode is a combination of others");
            }
        }
    }
    return LB_OK;
}

static lb_status add_shapes(lb_import *import, const lb_tied *tied, const int *rows,
                            const lb_basis_options *options, const lb_reduction *r, shapes *s,
                            lb_basis *basis)
{
    lb_static *statics = &basis->statics;
    bool *is_interface;
    if (!LB_IMPORT_TAKE(import, is_interface, tied->structure.node_count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < options->interface_count; ++i) {
        is_interface[options->interfaces[i]] = true;
    }
    lb_status status =
        lb_prepare_static(import, tied, r, options->clamped,
                          options->interface_count > 0 ? is_interface : NULL, statics);
    if (status == LB_OK) {
        start_rigid(statics, s);
    }
    if (status == LB_OK && options->interface_count > 0) {
        basis->rigid_count = statics->rigid_count;
        status = add_interfaces(import, tied, is_interface, statics, s, basis);
    }
    status = status ? status : add_normal_modes(import, tied, r, statics, s);
    status = status ? status : add_residuals(import, tied, rows, options, s, basis);
    if (status == LB_E_SINGULAR) {
        return lb_import_fail(import, NULL, 0,
                              "static deflections could not be found: the stiffness is singular");
    }
    return status;
}

lb_status lb_find_basis(lb_import *import, const lb_tied *tied, const int *rows,
                        const lb_basis_options *options, lb_reduction *r, lb_basis *basis)
{
    const lb_structure *structure = &tied->structure;
    bool *held;
    *basis = (lb_basis){.residual = 0.0};
    if (!LB_IMPORT_TAKE(import, held, structure->node_count)) {
        return LB_E_MEMORY;
    }
    memcpy(held, options->clamped, (size_t)structure->node_count * sizeof *held);
    for (int i = 0; i < options->interface_count; ++i) {
        held[options->interfaces[i]] = true;
    }
    const lb_reduce_options normal = {
        .mode_count = options->mode_count,
        .below = options->below,
        .held = held,
        .has_interfaces = options->interface_count > 0,
        // static deflections come without effort if others need them
        .loads = options->interface_count + options->residual_count == 0 ? options->loads : NULL};
    lb_status status = lb_find_structure_modes(import, structure, &normal, &tied->K, &tied->M, r);
    status = status ? status : check_modes(import, tied, r, held, &basis->residual);
    basis->normal_count = r->mode_count;
    if (status != LB_OK || (options->interface_count == 0 && options->residual_count == 0)) {
        return status;
    }
    shapes s;
    const int most = 7 + r->mode_count + 6 * options->interface_count + 6 * options->residual_count;
    if (!take_shapes(import, (size_t)r->n, most, &s)) {
        return LB_E_MEMORY;
    }
    status = add_shapes(import, tied, rows, options, r, &s, basis);
    if (status == LB_OK && s.count == basis->statics.rigid_count) {
        return lb_import_fail(import, NULL, 0, "nothing is left that could move");
    }
    return status ? status : diagonalize(import, &s, basis->statics.rigid_count, r);
}
