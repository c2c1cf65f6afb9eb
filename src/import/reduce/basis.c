// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "basis.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"

// ---- static deflections ------------------------------------------------------------------------

// The rigid motions that are free, orthonormal in M by Gram and Schmidt.
static lb_status find_rigid_basis(lb_import *import, const lb_fe_matrix *M, const lb_reduction *r,
                                  lb_static *s)
{
    const ptrdiff_t n = (ptrdiff_t)s->n;
    if (!LB_IMPORT_TAKE(import, s->R, 6 * s->n) || !LB_IMPORT_TAKE(import, s->MR, 6 * s->n)) {
        return LB_E_MEMORY;
    }
    for (int k = 0; k < 6; ++k) {
        double *x = s->R + s->rigid_count * n, *Mx = s->MR + s->rigid_count * n;
        if (!r->is_free[k]) {
            continue;
        }
        memcpy(x, r->R + k * n, s->n * sizeof *x);
        const double before = lb_compute_dot(n, x, r->MR + k * n);
        for (int turn = 0; turn < 2 * s->rigid_count; ++turn) {
            const ptrdiff_t j = turn % s->rigid_count;
            lb_add_scaled(n, -lb_compute_dot(n, x, s->MR + j * n), s->R + j * n, x);
        }
        lb_fe_multiply(M, x, Mx);
        const double square = lb_compute_dot(n, x, Mx);
        if (!(square > 1e-20 * before)) {
            return LB_E_SINGULAR; // no mass
        }
        for (ptrdiff_t i = 0; i < n; ++i) {
            x[i] /= sqrt(square);
            Mx[i] /= sqrt(square);
        }
        ++s->rigid_count;
    }
    return LB_OK;
}

// Rows that hold the rigid motions and nothing else: those in which they differ most, one after the other. Rotations
// count by the size of the structure.
//
// @param allowed  nodes whose rows may be taken; NULL: all
static lb_status support(lb_import *import, const lb_structure *structure, const bool *allowed,
                         lb_static *s)
{
    double(*left)[6], low[3], high[3], size = 0.0;
    if (!LB_IMPORT_TAKE(import, left, s->n)) {
        return LB_E_MEMORY;
    }
    for (int k = 0; k < 3; ++k) {
        low[k] = high[k] = structure->nodes[0].x[k];
        for (int i = 1; i < structure->node_count; ++i) {
            low[k] = fmin(low[k], structure->nodes[i].x[k]);
            high[k] = fmax(high[k], structure->nodes[i].x[k]);
        }
        size = fmax(size, high[k] - low[k]);
    }
    for (size_t i = 0; i < s->n; ++i) {
        const lb_fe_row *row = &structure->rows[i];
        const bool turns = row->node == LB_FE_MODAL || row->direction > 2;
        if (allowed && (row->node == LB_FE_MODAL || !allowed[row->node])) {
            continue;
        }
        for (int k = 0; k < s->rigid_count; ++k) {
            left[i][k] = s->R[(size_t)k * s->n + i] * (turns && size > 0.0 ? size : 1.0);
        }
    }
    for (int step = 0; step < s->rigid_count; ++step) {
        double largest = 0.0, unit[6];
        size_t chosen = 0;
        for (size_t i = 0; i < s->n; ++i) {
            const double square = lb_compute_dot(6, left[i], left[i]);
            if (square > largest) {
                largest = square;
                chosen = i;
            }
        }
        if (largest == 0.0) {
            return LB_E_SINGULAR;
        }
        for (int k = 0; k < 6; ++k) {
            unit[k] = left[chosen][k] / sqrt(largest);
        }
        for (size_t i = 0; i < s->n; ++i) {
            lb_add_scaled(6, -lb_compute_dot(6, unit, left[i]), unit, left[i]);
        }
        memset(left[chosen], 0, sizeof left[chosen]);
        s->number[chosen] = -1;
        s->supports[step] = (int)chosen;
    }
    return LB_OK;
}

static lb_status factor(lb_import *import, const lb_tied *tied, lb_static *s)
{
    lb_fe_matrix K, M;
    for (size_t i = 0; i < s->n; ++i) {
        s->number[i] = s->number[i] < 0 ? -1 : s->free_rows++;
    }
    lb_status status = lb_extract_matrix(import, &tied->K, s->number, s->free_rows, &K);
    status = status ? status : lb_extract_matrix(import, &tied->M, s->number, s->free_rows, &M);
    if (status == LB_OK && s->free_rows > 0) {
        s->factors = lb_fe_factor(&K, &M, 0.0, &status);
    }
    return status;
}

lb_status lb_prepare_static(lb_import *import, const lb_tied *tied, const lb_reduction *r,
                            const bool *held, const bool *supports, lb_static *s)
{
    const lb_structure *structure = &tied->structure;
    bool is_held = false;
    *s = (lb_static){.K = &tied->K, .n = (size_t)tied->K.n};
    if (!LB_IMPORT_TAKE(import, s->number, s->n) || !LB_IMPORT_TAKE(import, s->small, s->n) ||
        !LB_IMPORT_TAKE(import, s->rest, 2 * s->n)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < s->n; ++i) {
        const int node = structure->rows[i].node;
        if (held && node != LB_FE_MODAL && held[node]) {
            s->number[i] = -1;
            is_held = true;
        }
    }
    lb_status status = LB_OK;
    if (!is_held && r->free_count > 0) {
        status = find_rigid_basis(import, &tied->M, r, s);
        status = status ? status : support(import, structure, supports, s);
    }
    return status ? status : factor(import, tied, s);
}

void lb_free_static(lb_static *s)
{
    lb_fe_free_factors(s->factors);
    s->factors = NULL;
}

lb_status lb_need_static(lb_import *import, const lb_tied *tied, const lb_reduction *r,
                         const bool *held, lb_static *s)
{
    if (s->factors) {
        return LB_OK;
    }
    const lb_status status = lb_prepare_static(import, tied, r, held, NULL, s);
    if (status != LB_OK) {
        lb_free_static(s);
    }
    return status == LB_E_MEMORY ? status : LB_OK;
}

// rest = f - K x with twice the digits: terms cancel to the last ones where x is smooth.
static void find_rest(const lb_fe_matrix *K, const double *f, const double *x, double *rest)
{
    double *low = rest + K->n;
    memcpy(rest, f, (size_t)K->n * sizeof *rest);
    memset(low, 0, (size_t)K->n * sizeof *low);
    for (int j = 0; j < K->n; ++j) {
        for (int k = K->start[j]; k < K->start[j + 1]; ++k) {
            const int i = K->row[k];
            // product and sum without error: Dekker, Knuth
            const double product = -K->value[k] * x[j];
            const double lost = fma(-K->value[k], x[j], -product);
            const double sum = rest[i] + product, part = sum - rest[i];
            low[i] += (rest[i] - (sum - part)) + (product - part) + lost;
            rest[i] = sum;
        }
    }
    for (int i = 0; i < K->n; ++i) {
        rest[i] += low[i];
    }
}

// x - R R' M x: the rigid part goes out of a deflection.
static void remove_rigid(const lb_static *s, double *x)
{
    const ptrdiff_t n = (ptrdiff_t)s->n;
    // twice, for the digits
    for (int k = 0; k < 2 * s->rigid_count; ++k) {
        const ptrdiff_t j = k % s->rigid_count;
        lb_add_scaled(n, -lb_compute_dot(n, x, s->MR + j * n), s->R + j * n, x);
    }
}

// f - M R R' f: inertia balances a load.
static void relieve(const lb_static *s, double *f)
{
    const ptrdiff_t n = (ptrdiff_t)s->n;
    for (int k = 0; k < 2 * s->rigid_count; ++k) {
        const ptrdiff_t j = k % s->rigid_count;
        lb_add_scaled(n, -lb_compute_dot(n, f, s->R + j * n), s->MR + j * n, f);
    }
}

// What the solution leaves over is solved for again, until all digits are right. A stiffness that was read resists
// rigid motions a little: that is taken out of both sides each time, so that supports do not matter.
static lb_status solve_balanced(lb_static *s, const double *f, double *x)
{
    memset(x, 0, s->n * sizeof *x);
    for (int turn = 0; s->free_rows > 0 && turn < 4; ++turn) {
        find_rest(s->K, f, x, s->rest);
        relieve(s, s->rest);
        for (size_t i = 0; i < s->n; ++i) {
            if (s->number[i] >= 0) {
                s->small[s->number[i]] = s->rest[i];
            }
        }
        const lb_status status = lb_fe_solve(s->factors, s->small, 1);
        if (status != LB_OK) {
            return status;
        }
        for (size_t i = 0; i < s->n; ++i) {
            x[i] += s->number[i] >= 0 ? s->small[s->number[i]] : 0.0;
        }
        remove_rigid(s, x);
        // the next one would be smaller by as much again
        if (lb_find_largest(s->free_rows, s->small) <=
            1e-10 * lb_find_largest((ptrdiff_t)s->n, x)) {
            break;
        }
    }
    return LB_OK;
}

// K x = f - M R R' f,  R' M x = 0                                                              (IMP-6)
lb_status lb_solve_static(lb_static *s, double *f, double *x)
{
    relieve(s, f);
    // loads on what is held do no work
    for (size_t i = 0; s->rigid_count == 0 && i < s->n; ++i) {
        f[i] = s->number[i] >= 0 ? f[i] : 0.0;
    }
    return solve_balanced(s, f, x);
}

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
    lb_status status = LB_OK;
    int lost = 0;
    for (size_t b = 0; status == LB_OK && b < statics->n; ++b) {
        const int node = structure->rows[b].node;
        if (node == LB_FE_MODAL || !is_interface[node] || statics->number[b] < 0) {
            continue;
        }
        double *x = s->X + s->count * s->n, *Kx = s->KX + s->count * s->n;
        memset(Kx, 0, statics->n * sizeof *Kx);
        Kx[b] = 1.0;
        balance(statics, Kx);
        status = solve_balanced(statics, Kx, x);
        const int added = status == LB_OK ? add_deflection(&tied->M, s) : 0;
        basis->constraint_count += added == 1;
        lost += added != 1;
    }
    if (status == LB_OK && lost > 0) {
        lb_import_warn(import, NULL, 0,
                       "%d of the %d shapes of the interfaces are left out: they move no mass, or "
                       "the others contain them",
                       lost, lost + basis->constraint_count);
    }
    return status;
}

// ---- residual modes ----------------------------------------------------------------------------

// Deflections under unit loads on nodes, without what the shapes have of them.                   (IMP-8)
static lb_status add_residuals(lb_import *import, const lb_tied *tied, const int *rows,
                               const lb_basis_options *options, shapes *s, lb_basis *basis)
{
    double *load;
    int massless = 0;
    if (!LB_IMPORT_TAKE(import, load, tied->n)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < 6 * options->residual_count; ++i) {
        double *x = s->X + s->count * s->n, *Kx = s->KX + s->count * s->n;
        if (!lb_set_unit_load(tied, rows, options->residuals[i / 6], i % 6, load)) {
            continue;
        }
        lb_gather_ties(tied, load, Kx);
        const lb_status status = lb_solve_static(&basis->statics, Kx, x);
        if (status != LB_OK) {
            return status;
        }
        if (!(lb_compute_dot(s->n, x, Kx) > 0.0)) {
            continue; // a load on what is held
        }
        const int added = add_deflection(&tied->M, s);
        basis->residual_count += added == 1;
        basis->dropped_count += added == 0;
        massless += added < 0;
    }
    if (massless > 0) {
        lb_import_warn(import, NULL, 0,
                       "%d residual modes are left out: they move no mass, so that they would have "
                       "no frequency",
                       massless);
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
    const size_t n = (size_t)r->n;
    double *Kx;
    if (!LB_IMPORT_TAKE(import, Kx, n)) {
        return LB_E_MEMORY;
    }
    for (int m = 0; m < r->mode_count; ++m) {
        const double *Mphi = r->MPhi + (size_t)m * n;
        double difference = 0.0, size = 0.0;
        lb_fe_multiply(&tied->K, r->Phi + (size_t)m * n, Kx);
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
    for (int m = 0; m < r->mode_count; ++m) {
        double *x = s->X + s->count * s->n, *Kx = s->KX + s->count * s->n;
        for (ptrdiff_t i = 0; i < s->n; ++i) {
            Kx[i] = r->squares[m] * r->MPhi[m * s->n + i];
        }
        balance(statics, Kx);
        const lb_status status = solve_balanced(statics, Kx, x);
        if (status != LB_OK) {
            return status;
        }
        lb_fe_multiply(&tied->M, x, s->MX + s->count * s->n);
        if (!(orthonormalize(&tied->M, s) > 0.0)) {
            return lb_import_fail(import, NULL, 0, "a mode is a combination of others");
        }
        ++s->count;
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
        basis->rigid_count = options->interface_count > 0 ? statics->rigid_count : 0;
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
    const lb_reduce_options normal = {.mode_count = options->mode_count,
                                      .below = options->below,
                                      .held = held,
                                      .has_interfaces = options->interface_count > 0};
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
