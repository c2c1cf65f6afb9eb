// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From a flexible draft to its constant data: nodes in the frame of the body, modal integrals and
// mass points.
#include <string.h>

#include "draft.h"
#include "model/modal/appendix_c.h"
#include "model/modal/mat3_sums.h"

#define TAKE(arena, pointer, count)                                                                \
    (((pointer) = lb_arena_take((arena), (size_t)(count), sizeof *(pointer))) != NULL)

// A node with mass, in the frame of the body: translation of its centre of mass (see flex.h).
typedef struct mass_node {
    double m;
    lb_vec3 c0;
    const lb_vec3 *Gamma; // by mode
    lb_sym3 J;
    const lb_vec3 *lambda;           // by mode
    lb_vec3 p;                       // from the node to its centre of mass
    const lb_flex_node_draft *draft; // with second-order displacements, in its own axes
} mass_node;

static int is_zero(lb_vec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

// ---- nodes -------------------------------------------------------------------------------------

static const lb_node *carry_nodes(const lb_flex_draft *d, const lb_pose *X, lb_arena *arena)
{
    const int n = d->mode_count, pairs = n * (n + 1) / 2;
    lb_node *nodes;
    if (!TAKE(arena, nodes, d->named_count + 1)) {
        return NULL;
    }
    nodes[0] = (lb_node){.name = "origin", .X = *X};
    for (int j = 1; j <= d->named_count; ++j) {
        const lb_flex_node_draft *from = &d->nodes[j - 1];
        nodes[j].name = lb_arena_text(arena, from->name);
        nodes[j].X = lb_pose_mul(X, &from->X);
        if (!nodes[j].name) {
            return NULL;
        }
        if (lb_draft_node_moves(d, j)) {
            lb_vec6 *shape;
            if (!TAKE(arena, shape, n)) {
                return NULL;
            }
            for (int r = 0; r < n; ++r) {
                shape[r] = lb_vec6_make(lb_mat3_mul_vec(&X->R, from->shape[r].w),
                                        lb_mat3_mul_vec(&X->R, from->shape[r].v));
            }
            nodes[j].shape = shape;
        }
        if (from->second) {
            lb_vec3 *second;
            if (!TAKE(arena, second, pairs)) {
                return NULL;
            }
            for (int i = 0; i < pairs; ++i) {
                second[i] = lb_mat3_mul_vec(&X->R, from->second[i]);
            }
            nodes[j].second = second;
        }
    }
    return nodes;
}

// Fields of a node's centre of mass                                                     (FLX-1)
//
//     c0 = l0 + p,  Gamma_r = gamma_r - p~ lambda_r,
//     Gamma2_rs = gamma2_rs + 1/2 (l_r~ l_s~ + l_s~ l_r~) p
static lb_status find_mass_node(const lb_flex_node_draft *from, const lb_pose *X, int n,
                                lb_arena *scratch, mass_node *to)
{
    lb_vec3 *Gamma, *lambda;
    if (!TAKE(scratch, Gamma, n) || !TAKE(scratch, lambda, n)) {
        return LB_E_MEMORY;
    }
    const lb_vec3 p = lb_mat3_mul_vec(&X->R, from->offset);
    to->m = from->mass;
    to->c0 = lb_vec3_add(lb_vec3_add(X->p, lb_mat3_mul_vec(&X->R, from->X.p)), p);
    to->J = lb_sym3_rotate(&X->R, from->inertia);
    for (int r = 0; r < n; ++r) {
        lambda[r] = lb_mat3_mul_vec(&X->R, from->shape[r].w);
        Gamma[r] =
            lb_vec3_sub(lb_mat3_mul_vec(&X->R, from->shape[r].v), lb_vec3_cross(p, lambda[r]));
    }
    to->Gamma = Gamma;
    to->lambda = lambda;
    to->p = p;
    to->draft = from;
    return LB_OK;
}

// Whether Gamma2 of a node has to be looked at: without data and without an offset it is zero.
static int has_second(const mass_node *node)
{
    return node->m > 0 && (node->draft->second || !is_zero(node->p));
}

// All Gamma2_rs of a node, packed. They are computed when needed: kept for every node and pair, they
// would be most of the memory of a body.
static void find_second(const mass_node *node, const lb_pose *X, int n, lb_vec3 *Gamma2)
{
    for (int r = 0; r < n; ++r) {
        for (int s = r; s < n; ++s) {
            const lb_vec3 l_r = node->lambda[r], l_s = node->lambda[s];
            const lb_vec3 rs = lb_vec3_cross(l_r, lb_vec3_cross(l_s, node->p));
            const lb_vec3 sr = lb_vec3_cross(l_s, lb_vec3_cross(l_r, node->p));
            lb_vec3 g = lb_vec3_scale(0.5, lb_vec3_add(rs, sr));
            if (node->draft->second) {
                g = lb_vec3_add(g, lb_mat3_mul_vec(&X->R, node->draft->second[lb_packed(n, r, s)]));
            }
            *Gamma2++ = g;
        }
    }
}

// ---- polynomials -------------------------------------------------------------------------------

// The polynomials of a body while nodes are added to them.
typedef struct sums {
    int n;
    double *M_ff;
    lb_vec3 h0, *E, *B0, *B;
    lb_sym3 S0, *S, *S2;
} sums;

static void add_scaled(lb_vec3 *a, double s, lb_vec3 b)
{
    *a = lb_vec3_axpy(*a, s, b);
}

static void add_sym(lb_sym3 *a, double s, lb_sym3 b)
{
    a->xx += s * b.xx;
    a->yy += s * b.yy;
    a->zz += s * b.zz;
    a->xy += s * b.xy;
    a->xz += s * b.xz;
    a->yz += s * b.yz;
}

// -(a~b~ + b~a~) = 2 (a.b) I - a b' - b a'
static lb_sym3 point_pair(lb_vec3 a, lb_vec3 b)
{
    const double d = 2.0 * lb_vec3_dot(a, b);
    lb_sym3 r = {d - 2 * a.x * b.x,      d - 2 * a.y * b.y,      d - 2 * a.z * b.z,
                 -a.x * b.y - a.y * b.x, -a.x * b.z - a.z * b.x, -a.y * b.z - a.z * b.y};
    return r;
}

// Translation of a node that is linear in eta                                           (FLX-3)
//
//     h0 += m c0,  E_r += m Gamma_r,  M_ff += m Gamma_r . Gamma_s
//     B0_r += m c0 x Gamma_r,  B_tr += m Gamma_t x Gamma_r
//     S0 += -m c0~c0~,  S_t += -m (c0~Gamma_t~ + Gamma_t~c0~),
//     S2_ts += -m (Gamma_t~Gamma_s~ + Gamma_s~Gamma_t~)
static void add_translation(sums *a, const mass_node *node)
{
    const int n = a->n;
    const double m = node->m;
    add_scaled(&a->h0, m, node->c0);
    a->S0 = lb_sym3_add(a->S0, lb_sym3_point(m, node->c0));
    for (int r = 0; r < n; ++r) {
        add_scaled(&a->E[r], m, node->Gamma[r]);
        add_scaled(&a->B0[r], m, lb_vec3_cross(node->c0, node->Gamma[r]));
        add_sym(&a->S[r], m, point_pair(node->c0, node->Gamma[r]));
        for (int t = 0; t < n; ++t) {
            a->M_ff[t * n + r] += m * lb_vec3_dot(node->Gamma[t], node->Gamma[r]);
            add_scaled(&a->B[t * n + r], m, lb_vec3_cross(node->Gamma[t], node->Gamma[r]));
            add_sym(&a->S2[t * n + r], m, point_pair(node->Gamma[t], node->Gamma[r]));
        }
    }
}

static lb_mat3 skew_times(lb_vec3 a, const lb_mat3 *B)
{
    // columns of a~B are a x (columns of B)
    lb_mat3 r;
    for (int j = 0; j < 3; ++j) {
        const lb_vec3 c = lb_vec3_cross(a, lb_vec3_make(B->m[0][j], B->m[1][j], B->m[2][j]));
        r.m[0][j] = c.x;
        r.m[1][j] = c.y;
        r.m[2][j] = c.z;
    }
    return r;
}

// A + A'
static lb_sym3 twice_symmetric_part(const lb_mat3 *A)
{
    lb_sym3 r = {2 * A->m[0][0],          2 * A->m[1][1],          2 * A->m[2][2],
                 A->m[0][1] + A->m[1][0], A->m[0][2] + A->m[2][0], A->m[1][2] + A->m[2][1]};
    return r;
}

// Rotary inertia of a node, to second order in (eta, etad), d = lambda eta              (FLX-2)
//
//     M_ff += lambda' J lambda
//     M_wf += J lambda + d~J lambda - 1/2 J d~ lambda
//     M_ww += J + (d~J - J d~) + 1/2 (d~d~J + J d~d~) - d~J d~
static void add_rotation(sums *a, const mass_node *node)
{
    const int n = a->n;
    const lb_sym3 J = node->J;
    const lb_mat3 full = lb_mat3_from_sym3(J);
    a->S0 = lb_sym3_add(a->S0, J);
    for (int r = 0; r < n; ++r) {
        const lb_vec3 l = node->lambda[r], Jl = lb_sym3_mul_vec(J, l);
        a->B0[r] = lb_vec3_add(a->B0[r], Jl);
        // l~J - J l~ = l~J + (l~J)'
        const lb_mat3 lJ = skew_times(l, &full);
        add_sym(&a->S[r], 1.0, twice_symmetric_part(&lJ));
        for (int t = 0; t < n; ++t) {
            const lb_vec3 k = node->lambda[t];
            a->M_ff[t * n + r] += lb_vec3_dot(k, Jl);
            add_scaled(&a->B[t * n + r], 1.0, lb_vec3_cross(k, Jl));
            add_scaled(&a->B[t * n + r], -0.5, lb_sym3_mul_vec(J, lb_vec3_cross(k, l)));
            // second derivative: 1/2 {k~l~ + l~k~, J} - (k~J l~ + l~J k~)
            const lb_mat3 kJ = skew_times(k, &full), kl = skew_times(k, &lJ),
                          lk = skew_times(l, &kJ);
            const lb_mat3 K = lb_mat3_skew(k), kJl = lb_mat3_mul(&lJ, &K); // l~J k~ = (k~J l~)'
            add_sym(&a->S2[t * n + r], 0.5, twice_symmetric_part(&kl));
            add_sym(&a->S2[t * n + r], 0.5, twice_symmetric_part(&lk));
            add_sym(&a->S2[t * n + r], -1.0, twice_symmetric_part(&kJl));
        }
    }
}

// ---- mass points -------------------------------------------------------------------------------

// Second-order fields: which of the three rows of each pair are not zero in all nodes.
typedef struct second_rows {
    int count;
    int *at;         // which row it is among the fields; -1 for none
    lb_vec3 *Gamma2; // of one node
} second_rows;

static lb_status find_second_rows(const mass_node *nodes, int count, const lb_pose *X, int n,
                                  lb_arena *scratch, second_rows *second)
{
    const int pairs = n * (n + 1) / 2;
    if (!TAKE(scratch, second->at, 3 * pairs) || !TAKE(scratch, second->Gamma2, pairs)) {
        return LB_E_MEMORY;
    }
    for (int j = 0; j < count; ++j) {
        if (!has_second(&nodes[j])) {
            continue;
        }
        find_second(&nodes[j], X, n, second->Gamma2);
        for (int i = 0; i < pairs; ++i) {
            const lb_vec3 g = second->Gamma2[i];
            second->at[3 * i] |= g.x != 0;
            second->at[3 * i + 1] |= g.y != 0;
            second->at[3 * i + 2] |= g.z != 0;
        }
    }
    for (int i = 0; i < 3 * pairs; ++i) {
        second->at[i] = second->at[i] ? 4 + 3 * n + second->count++ : -1;
    }
    return LB_OK;
}

// Fields of a node, one below the other.
static void fill_column(const mass_node *node, const lb_pose *X, int n, const second_rows *second,
                        ptrdiff_t width, double *column)
{
    const double root = sqrt(node->m);
    double xyz[3];
    *column = root;
    for (int a = 0; a < 1 + n; ++a) {
        lb_vec3_to(a == 0 ? node->c0 : node->Gamma[a - 1], xyz);
        for (int axis = 0; axis < 3; ++axis) {
            column[(1 + 3 * a + axis) * width] = root * xyz[axis];
        }
    }
    if (!has_second(node)) {
        return;
    }
    find_second(node, X, n, second->Gamma2);
    for (int i = 0; i < n * (n + 1) / 2; ++i) {
        lb_vec3_to(second->Gamma2[i], xyz);
        for (int axis = 0; axis < 3; ++axis) {
            if (second->at[3 * i + axis] >= 0) {
                column[second->at[3 * i + axis] * width] = root * xyz[axis];
            }
        }
    }
}

// Lays the nodes' fields out as rows, compresses them, and keeps the rows that are not zero.
static lb_status build_points(lb_flex *f, const mass_node *nodes, int count, const lb_pose *X,
                              const second_rows *second, lb_arena *arena, lb_arena *scratch)
{
    const int n = f->mode_count, rows = 4 + 3 * n + second->count;
    double *fields;
    int massive = 0;
    for (int j = 0; j < count; ++j) {
        massive += nodes[j].m > 0;
    }
    const ptrdiff_t width = massive;
    if (!TAKE(scratch, fields, (size_t)rows * (size_t)width)) {
        return LB_E_MEMORY;
    }
    for (int j = 0, i = 0; j < count; ++j) {
        if (nodes[j].m > 0) {
            fill_column(&nodes[j], X, n, second, width, fields + i++);
        }
    }
    int rank;
    if (lb_compress_points(rows, massive, fields, &rank, scratch) != LB_OK) {
        return LB_E_MEMORY;
    }

    f->block_count = (rank + LB_LANES - 1) / LB_LANES;
    lb_second_row *kept;
    double *points;
    const ptrdiff_t stride = (ptrdiff_t)f->block_count * LB_LANES;
    if (!TAKE(arena, kept, second->count) || !TAKE(arena, points, (size_t)rows * (size_t)stride)) {
        return LB_E_MEMORY;
    }
    for (int a = 0; a < rows; ++a) {
        memcpy(points + a * stride, fields + a * width, (size_t)rank * sizeof *points);
    }
    for (int r = 0, i = 0; r < n; ++r) {
        for (int s = r; s < n; ++s) {
            for (int axis = 0; axis < 3; ++axis, ++i) {
                if (second->at[i] >= 0) {
                    kept[f->second_count++] = (lb_second_row){r, s, axis, second->at[i]};
                }
            }
        }
    }
    f->points = (const lb_lane *)(void *)points;
    f->second = kept;
    return LB_OK;
}

// ---- second order by its moments ---------------------------------------------------------------

// Corners of a regular tetrahedron: their sum is zero, the sum of e e' four times the unit matrix.
enum { CORNERS = 4 };
static const double corners[CORNERS][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};

// Where the mass of a body is: centre c, and P = L L', the second moments about it. A direction in which the
// body is thin, to 1 % of its length, is left out of L: the moments of that direction are round-off and
// approximations of whoever computed them.
typedef struct extent {
    double m, c[3], L[3][3];
    int rank, pivot[3];
} extent;

static extent find_extent(const lb_flex_integrals *I)
{
    extent x = {.m = I->mass};
    double P[3][3], trace = 0.0;
    for (int i = 0; i < 3; ++i) {
        x.c[i] = I->h0[i] / x.m;
    }
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const double half = 0.5 * (I->S0[0] + I->S0[1] + I->S0[2]);
    for (int i = 0; i < 9; ++i) {
        const int r = i / 3, s = i % 3;
        P[r][s] = (r == s ? half : 0.0) - I->S0[place[r][s]] - x.m * x.c[r] * x.c[s];
        trace += r == s ? P[r][s] : 0.0;
    }
    for (; x.rank < 3; ++x.rank) {
        const int k = x.rank;
        int best = 0;
        for (int i = 1; i < 3; ++i) {
            best = P[i][i] > P[best][best] ? i : best;
        }
        if (!(P[best][best] > 1e-4 * trace)) {
            break;
        }
        x.pivot[k] = best;
        const double root = sqrt(P[best][best]);
        for (int i = 0; i < 3; ++i) {
            x.L[i][k] = P[i][best] / root;
        }
        for (int i = 0; i < 9; ++i) {
            P[i / 3][i % 3] -= x.L[i / 3][k] * x.L[i % 3][k];
        }
        P[best][best] = 0.0;
    }
    return x;
}

// The displacement at a corner of the field b + A d whose moments about the origin are G and T:
// m b = G,  P A' = T - c G'.
static lb_vec3 get_corner(const extent *x, const double e[3], const double G[3],
                          const double T[3][3])
{
    double g[3], w[3][3];
    for (int j = 0; j < 3; ++j) {
        g[j] = G[j] / x->m;
        for (int k = 0; k < x->rank; ++k) {
            const int row = x->pivot[k];
            w[k][j] = T[row][j] - x->c[row] * G[j];
            for (int l = 0; l < k; ++l) {
                w[k][j] -= x->L[row][l] * w[l][j];
            }
            w[k][j] /= x->L[row][k];
            g[j] += e[k] * w[k][j] / sqrt(x->m);
        }
    }
    return lb_vec3_from(g);
}

// Moments of mode r: T_kj - T_jk = B0, T + T' = 1/2 tr S - S. Without S, those of a field that is the same
// everywhere.
static lb_vec3 get_mode_corner(const extent *x, const double e[3], const lb_flex_integrals *I,
                               int r)
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double G[3] = {0, 0, 0}, T[3][3];
    for (int j = 0; I->E && j < 3; ++j) {
        G[j] = I->E[3 * r + j];
    }
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3; ++j) {
            T[k][j] = x->c[k] * G[j];
        }
    }
    if (I->S && I->B0) {
        const double *S = I->S + 6 * r, *B0 = I->B0 + 3 * r;
        const double half = 0.5 * (S[0] + S[1] + S[2]);
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j) {
                const int other = 3 - k - j;
                const double both = (k == j ? half : 0.0) - S[place[k][j]];
                const double turn = k == j ? 0.0 : (j == (k + 1) % 3 ? 1.0 : -1.0) * B0[other];
                T[k][j] = 0.5 * (both + turn);
            }
        }
    }
    return get_corner(x, e, G, (const double(*)[3])T);
}

// Mean of the entries (r, s) and (s, r), number c of `width`; zero without an array.
static double get_pair(const double *A, int n, int width, int r, int s, int c)
{
    return A ? 0.5 * (A[width * (r * n + s) + c] + A[width * (s * n + r) + c]) : 0.0;
}

static lb_vec3 get_pair_corner(const extent *x, const double e[3], const lb_flex_integrals *I,
                               int n, int r, int s)
{
    double G[3], T[3][3];
    for (int c = 0; c < 9; ++c) {
        G[c % 3] = get_pair(I->G2, n, 3, r, s, c % 3);
        T[c / 3][c % 3] = get_pair(I->T2, n, 9, r, s, c);
    }
    return get_corner(x, e, G, (const double(*)[3])T);
}

// A second-order displacement of which the first moments are known: the affine field with these moments. Four
// mass points hold it, and the affine part of all other fields, which is taken out of the integrals.  (FLX-15)
static lb_status add_moments(sums *a, const lb_flex_integrals *I, const lb_pose *X,
                             lb_arena *scratch, mass_node nodes[CORNERS])
{
    const int n = a->n;
    const extent x = find_extent(I);
    for (int i = 0; i < CORNERS; ++i) {
        const double *e = corners[i];
        double place[3];
        lb_flex_node_draft *point;
        lb_vec6 *shape;
        lb_vec3 *second;
        if (!TAKE(scratch, point, 1) || !TAKE(scratch, shape, n) ||
            !TAKE(scratch, second, n * (n + 1) / 2)) {
            return LB_E_MEMORY;
        }
        for (int k = 0; k < 3; ++k) {
            place[k] =
                x.c[k] + (x.L[k][0] * e[0] + x.L[k][1] * e[1] + x.L[k][2] * e[2]) / sqrt(x.m);
        }
        *point = (lb_flex_node_draft){
            .X = lb_pose_identity(), .mass = x.m / CORNERS, .shape = shape, .second = second};
        point->X.p = lb_vec3_from(place);
        for (int r = 0; r < n; ++r) {
            shape[r].v = get_mode_corner(&x, e, I, r);
            for (int s = r; s < n; ++s) {
                *second++ = get_pair_corner(&x, e, I, n, r, s);
            }
        }
        if (find_mass_node(point, X, n, scratch, &nodes[i]) != LB_OK) {
            return LB_E_MEMORY;
        }
        mass_node taken = nodes[i];
        taken.m = -taken.m;
        add_translation(a, &taken);
    }
    // what is not known of the inertia is that of the points
    const size_t size = (size_t)n;
    if (!I->B) {
        memset(a->B, 0, size * size * sizeof *a->B);
    }
    if (!I->S) {
        memset(a->S, 0, size * sizeof *a->S);
    }
    if (!I->S2) {
        memset(a->S2, 0, size * size * sizeof *a->S2);
    }
    return LB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

// Integrals that the caller brought, before the nodes add theirs.
static void add_integrals(sums *a, const lb_flex_integrals *I)
{
    const int n = a->n;
    a->h0 = lb_vec3_from(I->h0);
    a->S0 = lb_sym3_from(I->S0);
    for (int r = 0; r < n; ++r) {
        a->E[r] = I->E ? lb_vec3_from(I->E + 3 * r) : a->E[r];
        a->B0[r] = I->B0 ? lb_vec3_from(I->B0 + 3 * r) : a->B0[r];
        a->S[r] = I->S ? lb_sym3_from(I->S + 6 * r) : a->S[r];
    }
    for (int i = 0; i < n * n; ++i) {
        a->M_ff[i] = I->M_ff ? I->M_ff[i] : 0.0;
        a->B[i] = I->B ? lb_vec3_from(I->B + (ptrdiff_t)3 * i) : a->B[i];
        a->S2[i] = I->S2 ? lb_sym3_from(I->S2 + (ptrdiff_t)6 * i) : a->S2[i];
    }
}

static int any_nonzero(const double *x, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (x[i] != 0) {
            return 1;
        }
    }
    return 0;
}

static lb_status integrate(lb_flex *f, const lb_flex_draft *d, const lb_pose *X, lb_arena *arena,
                           lb_arena *scratch)
{
    const int n = d->mode_count;
    const lb_flex_integrals *I = d->integrals;
    const int moments =
        d->fidelity == LB_FIDELITY_CONSISTENT && I && (I->G2 || I->T2) ? CORNERS : 0;
    const int count = d->node_count + moments;
    sums a = {.n = n};
    mass_node *nodes;
    if (!TAKE(arena, a.M_ff, n * n) || !TAKE(arena, a.E, n) || !TAKE(arena, a.B0, n) ||
        !TAKE(arena, a.B, n * n) || !TAKE(arena, a.S, n) || !TAKE(arena, a.S2, n * n) ||
        !TAKE(scratch, nodes, count)) {
        return LB_E_MEMORY;
    }
    if (I) {
        f->mass = I->mass;
        add_integrals(&a, I);
    }
    if (moments && add_moments(&a, I, X, scratch, nodes + d->node_count) != LB_OK) {
        return LB_E_MEMORY;
    }
    for (int j = 0; j < d->node_count; ++j) {
        if (find_mass_node(&d->nodes[j], X, n, scratch, &nodes[j]) != LB_OK) {
            return LB_E_MEMORY;
        }
        f->mass += nodes[j].m;
        add_rotation(&a, &nodes[j]);
    }
    second_rows second = {.count = 0};
    if (d->fidelity == LB_FIDELITY_CONSISTENT &&
        find_second_rows(nodes, count, X, n, scratch, &second) != LB_OK) {
        return LB_E_MEMORY;
    }
    if (second.count > 0) {
        if (build_points(f, nodes, count, X, &second, arena, scratch) != LB_OK) {
            return LB_E_MEMORY;
        }
    } else {
        for (int j = 0; j < count; ++j) {
            add_translation(&a, &nodes[j]);
        }
    }
    f->M_ff = a.M_ff;
    f->h0 = a.h0;
    f->h1 = f->E = a.E;
    f->B0 = a.B0;
    f->B = a.B;
    f->S0 = a.S0;
    f->S = a.S;
    f->S2 = a.S2;
    const size_t m = (size_t)n;
    f->constant = !any_nonzero(&a.B->x, 3 * m * m) && !any_nonzero(&a.S->xx, 6 * m) &&
                  !any_nonzero(&a.S2->xx, 6 * m * m);
    return LB_OK;
}

static const double *keep_matrix(const double *A, int n, lb_arena *arena, int *good)
{
    double *copy = NULL;
    if (A) {
        if (TAKE(arena, copy, n * n)) {
            memcpy(copy, A, (size_t)n * (size_t)n * sizeof *copy);
        } else {
            *good = 0;
        }
    }
    return copy;
}

// ---- cuts --------------------------------------------------------------------------------------

static lb_status integrate_any(lb_flex *f, const lb_flex_draft *d, const lb_pose *X,
                               lb_arena *arena, lb_arena *scratch)
{
    return f->fidelity == LB_FIDELITY_APPENDIX_C ? lb_build_appendix_c(f, d, X, arena)
                                                 : integrate(f, d, X, arena, scratch);
}

// Whether a place is on the far side of a cut, or on its plane up to round-off.
static int is_beyond(const lb_flex_draft *d, const lb_flex_cut *cut, lb_vec3 place)
{
    const lb_vec3 normal = lb_vec3_from(cut->normal), at = d->nodes[cut->node].X.p;
    const lb_vec3 arm = lb_vec3_sub(place, at);
    const double size = lb_vec3_norm(place) + lb_vec3_norm(at);
    return lb_vec3_dot(normal, arm) >= -1e-9 * size * lb_vec3_norm(normal);
}

// The far side of a cut: a body of the nodes there                                      (SEC-1)
static lb_status build_section(lb_flex *f, const lb_flex_draft *d, const lb_flex_cut *cut,
                               const lb_pose *X, lb_arena *arena, lb_arena *scratch,
                               lb_flex_section *section)
{
    unsigned char *beyond;
    lb_flex_node_draft *nodes;
    lb_flex *far_side;
    if (!TAKE(arena, beyond, d->named_count + 1) || !TAKE(scratch, nodes, d->node_count + 1) ||
        !TAKE(arena, far_side, 1)) {
        return LB_E_MEMORY;
    }
    lb_flex_draft part = *d;
    part.node_count = 0;
    part.nodes = nodes;
    beyond[0] = (unsigned char)is_beyond(d, cut, lb_vec3_make(0, 0, 0));
    for (int j = 0; j < d->node_count; ++j) {
        const int there = is_beyond(d, cut, d->nodes[j].X.p);
        if (j < d->named_count) {
            beyond[j + 1] = (unsigned char)there;
        }
        if (there) {
            nodes[part.node_count++] = d->nodes[j];
        }
    }
    far_side->mode_count = f->mode_count;
    far_side->fidelity = f->fidelity;
    far_side->K = f->K;
    *section = (lb_flex_section){cut->node + 1, beyond, part.node_count == d->node_count, far_side};
    return integrate_any(far_side, &part, X, arena, scratch);
}

const lb_flex *lb_build_flex(const lb_flex_draft *draft, const lb_pose *X, lb_arena *arena,
                             lb_arena *scratch)
{
    lb_flex *f;
    int good = 1;
    if (!TAKE(arena, f, 1)) {
        return NULL;
    }
    f->mode_count = draft->mode_count;
    f->fidelity = draft->fidelity;
    f->node_count = draft->named_count + 1;
    f->nodes = carry_nodes(draft, X, arena);
    f->K = keep_matrix(draft->K, draft->mode_count, arena, &good);
    f->C = keep_matrix(draft->C, draft->mode_count, arena, &good);
    f->recovery = draft->recovery ? lb_copy_recovery(arena, draft->recovery) : NULL;
    if (!f->nodes || !good || (draft->recovery && !f->recovery)) {
        return NULL;
    }
    lb_flex_section *sections;
    if (!TAKE(arena, sections, draft->cut_count + 1)) {
        return NULL;
    }
    lb_status status = integrate_any(f, draft, X, arena, scratch);
    for (int i = 0; i < draft->cut_count && status == LB_OK; ++i) {
        status = build_section(f, draft, &draft->cuts[i], X, arena, scratch, &sections[i]);
    }
    f->section_count = draft->cut_count;
    f->sections = sections;
    return status == LB_OK ? f : NULL;
}
