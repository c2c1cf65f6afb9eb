// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Checking and keeping the flexible part of a body.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "base/symmetric.h"
#include "draft.h"
#include "model/modal/appendix_c.h"

#define ERROR(...) lb_complain(&builder->faults, LB_SEVERITY_ERROR, __VA_ARGS__)
#define WARNING(...) lb_complain(&builder->faults, LB_SEVERITY_WARNING, __VA_ARGS__)

enum { PATH_SIZE = 512 };

#define TAKE(arena, pointer, count)                                                                \
    (((pointer) = lb_arena_take((arena), (size_t)(count), sizeof *(pointer))) != NULL)

// ---- options ----------------------------------------------------------------------------------

// A struct of the caller over defaults; what is wrong with its size is reported and counted.
static lb_status take(lb_builder *builder, const char *where, const char *key, void *own,
                      size_t own_size, size_t smallest, const void *given)
{
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%.*s%s", PATH_SIZE, where, key);
    const lb_status status =
        lb_take_reported(&builder->faults.report, path, own, own_size, smallest, given);
    builder->faults.error_count += status != LB_OK;
    return status;
}

// ---- modal matrices ----------------------------------------------------------------------------

// Stiffness or damping: finite, symmetric, positive semidefinite.
static lb_status check_modal_matrix(lb_builder *builder, const char *where, const char *key, int n,
                                    const double *A)
{
    if (!lb_check_finite(builder, where, key, A, n * n)) {
        return LB_E_MODEL;
    }
    const double largest = lb_find_largest(n * n, A);
    // 1e-9: what files written with ten digits keep
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s < r; ++s) {
            if (fabs(A[r * n + s] - A[s * n + r]) > 1e-9 * largest) {
                ERROR(where, key, "entry [%d][%d] is %g and [%d][%d] is %g, expected symmetry", r,
                      s, A[r * n + s], s, r, A[s * n + r]);
                return LB_E_MODEL;
            }
        }
    }
    // semidefinite to the same 1e-9: positive definite once that much is added to the diagonal
    lb_arena scratch;
    scratch = lb_make_arena(&builder->arena.allocator);
    double *copy;
    lb_status status = LB_OK;
    if (!TAKE(&scratch, copy, n * n)) {
        status = LB_E_MEMORY;
    } else if (largest > 0) {
        memcpy(copy, A, (size_t)n * (size_t)n * sizeof *copy);
        for (int r = 0; r < n; ++r) {
            copy[r * n + r] += 1e-9 * largest;
        }
        int bad = lb_factor_ldl(n, copy, n, NULL);
        for (int r = 0; r < n && bad < 0; ++r) {
            // the factors hold the inverses of the pivots
            copy[r * n + r] = 1.0 / copy[r * n + r];
            bad = copy[r * n + r] < 0 ? r : -1;
        }
        if (bad >= 0) {
            ERROR(where, key,
                  "a combination of modes 0 to %d has the value %g, expected a positive "
                  "semidefinite matrix",
                  bad, copy[bad * n + bad]);
            status = LB_E_MODEL;
        }
    }
    lb_arena_free(&scratch);
    return status;
}

// ---- modal integrals ---------------------------------------------------------------------------

// No matter has a negative moment of inertia. Moments about the centre of mass are differences of those in the
// integrals: files of six digits make a rod's own moment as wrong as 1e-6 of what it is taken from.
static void check_rigid_part(lb_builder *builder, const char *where, const lb_flex_integrals *I)
{
    const double *S = I->S0, m = I->mass;
    double c[3] = {0, 0, 0};
    for (int k = 0; k < 3 && m > 0; ++k) {
        c[k] = I->h0[k] / m;
    }
    const double xx = S[0] - m * (c[1] * c[1] + c[2] * c[2]),
                 yy = S[1] - m * (c[0] * c[0] + c[2] * c[2]),
                 zz = S[2] - m * (c[0] * c[0] + c[1] * c[1]), xy = S[3] + m * c[0] * c[1],
                 xz = S[4] + m * c[0] * c[2], yz = S[5] + m * c[1] * c[2];
    double A[9] = {xx, xy, xz, xy, yy, yz, xz, yz, zz}, moments[3];
    lb_compute_eigenvalues(3, A, moments);
    if (moments[0] < -1e-6 * lb_find_largest(6, S)) {
        ERROR(where, "integrals.S0",
              "principal moments %g, %g, %g about the centre of mass found, expected none "
              "negative: no matter has them",
              moments[0], moments[1], moments[2]);
    }
}

static lb_status copy_integrals(lb_builder *builder, const char *where, int n,
                                const lb_flex_integrals *given, const lb_flex_integrals **out)
{
    lb_flex_integrals known = {.size = sizeof known}, *I = &known;
    lb_integral_array arrays[LB_INTEGRAL_ARRAYS];
    if (take(builder, where, ".integrals", &known, sizeof known,
             LB_SIZE_THROUGH(lb_flex_integrals, S0), given) != LB_OK) {
        return LB_E_VERSION;
    }
    const int errors = builder->faults.error_count;
    lb_list_integrals(I, arrays);
    if (!isfinite(I->mass) || I->mass < 0) {
        ERROR(where, "integrals.mass", "%g found, expected a finite mass that is not negative (kg)",
              I->mass);
    }
    if ((I->G2 || I->T2) && (I->mass == 0 || !I->M_ff)) {
        ERROR(where, "integrals.G2",
              "second-order displacements of a body whose mass or M_ff is not in the integrals");
    }
    lb_check_finite(builder, where, "integrals.h0", I->h0, 3);
    if (lb_check_finite(builder, where, "integrals.S0", I->S0, 6)) {
        check_rigid_part(builder, where, I);
    }
    for (int i = 0; i < LB_INTEGRAL_ARRAYS; ++i) {
        const size_t count = lb_count_integrals(&arrays[i], n);
        const double *from = *arrays[i].values;
        double *to = NULL;
        char key[32];
        snprintf(key, sizeof key, "integrals.%s", arrays[i].name);
        if (from && lb_check_finite(builder, where, key, from, (int)count)) {
            if (!TAKE(&builder->arena, to, count)) {
                return LB_E_MEMORY;
            }
            memcpy(to, from, count * sizeof *to);
        }
        *arrays[i].values = to;
    }
    if (builder->faults.error_count == errors && I->M_ff) {
        const lb_status status = check_modal_matrix(builder, where, "integrals.M_ff", n, I->M_ff);
        if (status == LB_E_MEMORY) {
            return status;
        }
    }
    lb_flex_integrals *copy;
    if (!TAKE(&builder->arena, copy, 1)) {
        return LB_E_MEMORY;
    }
    *copy = *I;
    *out = copy;
    return builder->faults.error_count > errors ? LB_E_MODEL : LB_OK;
}

// ---- nodes -------------------------------------------------------------------------------------

static int check_second_order(lb_builder *builder, const char *where, const lb_flex_options *o,
                              const lb_flex_node *node)
{
    if (node->second_order_count > 0 && o->fidelity != LB_FIDELITY_CONSISTENT) {
        ERROR(where, "second_order", "only bodies of fidelity consistent have second-order data");
        return 0;
    }
    for (int e = 0; e < node->second_order_count; ++e) {
        const lb_second_order *g = &node->second_order[e];
        const bool in_order = g->r >= 0 && g->s < o->mode_count && g->r <= g->s;
        if (in_order && isfinite(g->g[0]) && isfinite(g->g[1]) && isfinite(g->g[2])) {
            continue; // there are many: no path is written for the good ones
        }
        char key[64];
        snprintf(key, sizeof key, "second_order[%d]", e);
        if (!in_order) {
            ERROR(where, key, "modes %d, %d found, expected r <= s between 0 and %d", g->r, g->s,
                  o->mode_count - 1);
            return 0;
        }
        lb_check_finite(builder, where, key, g->g, 3);
        return 0;
    }
    return 1;
}

static lb_status copy_node(lb_builder *builder, const char *where, const lb_flex_options *o, int j,
                           lb_flex_node_draft *draft)
{
    lb_flex_node known = lb_default_flex_node(), *node = &known;
    if (take(builder, where, "", &known, sizeof known, LB_SIZE_THROUGH(lb_flex_node, shape),
             lb_get_sized(o->nodes, (size_t)j)) != LB_OK) {
        return LB_E_VERSION;
    }
    const int n = o->mode_count, errors = builder->faults.error_count;
    const int is_point = j >= o->node_count - o->point_count;
    const char *name = node->name && !is_point ? node->name : "";
    if (!is_point && (!*name || strcmp(name, "origin") == 0)) {
        ERROR(where, "name",
              "\"%s\" found, expected a name that is not empty and not \"origin\", which is the "
              "frame itself",
              name);
    }
    lb_check_pose(builder, where, node->position, node->rotation, &draft->X);
    lb_check_mass(builder, where, node->mass);
    lb_check_finite(builder, where, "offset", node->offset, 3);
    lb_check_inertia(builder, where, node->inertia, is_point);
    if (n > 0 && !node->shape) {
        ERROR(where, "shape", "missing");
    } else {
        lb_check_finite(builder, where, "shape", node->shape, 6 * n);
    }
    check_second_order(builder, where, o, node);
    if (builder->faults.error_count > errors) {
        return LB_E_MODEL;
    }

    lb_vec6 *shape;
    lb_vec3 *second = NULL;
    draft->name = lb_arena_text(&builder->arena, name);
    if (!draft->name || !TAKE(&builder->arena, shape, n)) {
        return LB_E_MEMORY;
    }
    for (int r = 0; r < n; ++r) {
        shape[r] =
            lb_vec6_make(lb_vec3_from(node->shape + 6 * r), lb_vec3_from(node->shape + 6 * r + 3));
    }
    if (node->second_order_count > 0) {
        unsigned char *seen;
        if (!TAKE(&builder->arena, second, n * (n + 1) / 2) ||
            !TAKE(&builder->arena, seen, n * (n + 1) / 2)) {
            return LB_E_MEMORY;
        }
        for (int e = 0; e < node->second_order_count; ++e) {
            const lb_second_order *g = &node->second_order[e];
            const int pair = lb_packed(n, g->r, g->s);
            if (seen[pair]) {
                char key[64];
                snprintf(key, sizeof key, "second_order[%d]", e);
                ERROR(where, key, "the pair %d, %d stands twice", g->r, g->s);
                return LB_E_MODEL;
            }
            seen[pair] = 1;
            second[pair] = lb_vec3_from(g->g);
        }
    }
    draft->mass = node->mass;
    draft->offset = lb_vec3_from(node->offset);
    draft->inertia = lb_sym3_from(node->inertia);
    draft->shape = shape;
    draft->second = second;
    return LB_OK;
}

// Without second-order data a body softens in spin, where real ones stiffen.
static void warn_about_stiffening(lb_builder *builder, const char *where,
                                  const lb_flex_draft *draft)
{
    int translates = 0;
    if (draft->integrals && (draft->integrals->G2 || draft->integrals->T2)) {
        return;
    }
    for (int j = 0; j < draft->node_count; ++j) {
        const lb_flex_node_draft *node = &draft->nodes[j];
        if (node->second) {
            return;
        }
        for (int r = 0; r < draft->mode_count; ++r) {
            const lb_vec3 g = node->shape[r].v;
            translates |= g.x != 0 || g.y != 0 || g.z != 0;
        }
    }
    if (translates && draft->fidelity == LB_FIDELITY_CONSISTENT) {
        WARNING(where, "nodes",
                "the modes move nodes but no node has second_order: the body will soften in spin "
                "where a real one stiffens; %s",
                draft->integrals
                    ? "import its geometric stiffness too, or keep its spin well below its lowest "
                      "frequency"
                    : "give the second-order displacement of each node (foreshortening)");
    }
}

// ---- sharing -----------------------------------------------------------------------------------

static size_t mix(size_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * (size_t)1099511628211u;
    }
    return hash;
}

static size_t matrix_size(const lb_flex_draft *d)
{
    return (size_t)d->mode_count * (size_t)d->mode_count * sizeof(double);
}

static size_t second_size(const lb_flex_draft *d)
{
    return (size_t)(d->mode_count * (d->mode_count + 1) / 2) * sizeof(lb_vec3);
}

static size_t hash_draft(const lb_flex_draft *d)
{
    size_t h = mix((size_t)14695981039346656037u, d->K, matrix_size(d));
    for (int j = 0; j < d->node_count; ++j) {
        const lb_flex_node_draft *node = &d->nodes[j];
        h = mix(h, node->name, strlen(node->name));
        h = mix(h, &node->X, sizeof node->X);
        h = mix(h, &node->mass, sizeof node->mass);
        h = mix(h, node->shape, (size_t)d->mode_count * sizeof *node->shape);
    }
    return h;
}

static int same_block(const void *a, const void *b, size_t size)
{
    return (!a && !b) || (a && b && memcmp(a, b, size) == 0);
}

static int same_integrals(const lb_flex_draft *a, const lb_flex_draft *b)
{
    if (!a->integrals || !b->integrals) {
        return !a->integrals && !b->integrals;
    }
    lb_flex_integrals I = *a->integrals, J = *b->integrals;
    lb_integral_array x[LB_INTEGRAL_ARRAYS], y[LB_INTEGRAL_ARRAYS];
    lb_list_integrals(&I, x);
    lb_list_integrals(&J, y);
    int same = memcmp(&I.mass, &J.mass, sizeof I.mass) == 0 &&
               memcmp(I.h0, J.h0, sizeof I.h0) == 0 && memcmp(I.S0, J.S0, sizeof I.S0) == 0;
    for (int i = 0; i < LB_INTEGRAL_ARRAYS; ++i) {
        same = same && same_block(*x[i].values, *y[i].values,
                                  lb_count_integrals(&x[i], a->mode_count) * sizeof(double));
    }
    return same;
}

static int same_draft(const lb_flex_draft *a, const lb_flex_draft *b)
{
    if (a->hash != b->hash || a->mode_count != b->mode_count || a->node_count != b->node_count ||
        a->named_count != b->named_count || a->fidelity != b->fidelity ||
        !same_block(a->K, b->K, matrix_size(a)) || !same_block(a->C, b->C, matrix_size(a)) ||
        !same_integrals(a, b) || !lb_is_same_recovery(a->recovery, b->recovery) ||
        a->cut_count != b->cut_count ||
        (a->cut_count > 0 &&
         memcmp(a->cuts, b->cuts, (size_t)a->cut_count * sizeof *a->cuts) != 0)) {
        return 0;
    }
    for (int j = 0; j < a->node_count; ++j) {
        const lb_flex_node_draft *x = &a->nodes[j], *y = &b->nodes[j];
        if (strcmp(x->name, y->name) != 0 || memcmp(&x->X, &y->X, sizeof x->X) != 0 ||
            memcmp(&x->mass, &y->mass, sizeof x->mass) != 0 ||
            memcmp(&x->offset, &y->offset, sizeof x->offset) != 0 ||
            memcmp(&x->inertia, &y->inertia, sizeof x->inertia) != 0 ||
            !same_block(x->shape, y->shape, (size_t)a->mode_count * sizeof *x->shape) ||
            !same_block(x->second, y->second, second_size(a))) {
            return 0;
        }
    }
    return 1;
}

// ---- the whole ---------------------------------------------------------------------------------

// The symmetric part; NULL in *copy where there is nothing but zeros and that is allowed.
static lb_status copy_matrix(lb_builder *builder, int n, const double *A, int optional,
                             const double **copy)
{
    double *out;
    int any = !optional;
    *copy = NULL;
    if (!A) {
        return LB_OK;
    }
    if (!TAKE(&builder->arena, out, n * n)) {
        return LB_E_MEMORY;
    }
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
            out[r * n + s] = 0.5 * (A[r * n + s] + A[s * n + r]);
            any |= out[r * n + s] != 0;
        }
    }
    *copy = any ? out : NULL;
    return LB_OK;
}

static void check_cuts(lb_builder *builder, const char *where, const lb_flex_options *o)
{
    if (o->cut_count > 0 && o->integrals) {
        ERROR(where, "cuts",
              "the body has integrals, which do not say where its mass is: a force in a cut does "
              "not follow from them");
    }
    for (int i = 0; i < o->cut_count; ++i) {
        const lb_flex_cut *cut = &o->cuts[i];
        if (cut->node < 0 || cut->node >= o->node_count - o->point_count) {
            ERROR(where, "cuts", "node %d found, expected one of the %d named nodes", cut->node,
                  o->node_count - o->point_count);
        }
        const double length = lb_vec3_norm(lb_vec3_from(cut->normal));
        if (!(length > 0) || !isfinite(length)) {
            ERROR(where, "cuts", "normal [%g, %g, %g] found, expected a direction", cut->normal[0],
                  cut->normal[1], cut->normal[2]);
        }
        for (int k = 0; k < i; ++k) {
            if (o->cuts[k].node == cut->node) {
                ERROR(where, "cuts", "a node is cut twice");
            }
        }
    }
}

static lb_status check_options(lb_builder *builder, const char *where, const lb_flex_options *o)
{
    const int errors = builder->faults.error_count, n = o->mode_count;
    lb_status status = LB_OK;
    if (n < 0 || n > LB_MODES_MOST) {
        ERROR(where, "nodes", "%d modes found, expected 0 to %d", n, LB_MODES_MOST);
    }
    if (o->node_count < 1) {
        ERROR(where, "nodes", "expected at least one node");
    }
    if (o->point_count < 0 || o->point_count > o->node_count) {
        ERROR(where, "nodes", "%d points found among %d nodes", o->point_count, o->node_count);
    }
    if (o->fidelity != LB_FIDELITY_CONSISTENT && o->fidelity != LB_FIDELITY_RUTHLESS &&
        o->fidelity != LB_FIDELITY_APPENDIX_C) {
        ERROR(where, "fidelity", "%d found, expected one of lb_fidelity", (int)o->fidelity);
    }
    if (o->fidelity == LB_FIDELITY_APPENDIX_C && n > LB_APPENDIX_C_MODES) {
        ERROR(where, "fidelity",
              "appendix-c with %d modes found, expected at most %d: its integrals grow with their "
              "cube; take consistent",
              n, LB_APPENDIX_C_MODES);
    }
    if (o->integrals && o->fidelity == LB_FIDELITY_APPENDIX_C) {
        ERROR(where, "integrals", "fidelity appendix-c takes its integrals from nodes only");
    }
    check_cuts(builder, where, o);
    if (builder->faults.error_count > errors) {
        return LB_E_MODEL;
    }
    if (n > 0 && !o->stiffness) {
        ERROR(where, "stiffness", "missing");
    } else if (n > 0) {
        status = check_modal_matrix(builder, where, "stiffness", n, o->stiffness);
    }
    if (n > 0 && o->damping && status != LB_E_MEMORY) {
        const lb_status damping = check_modal_matrix(builder, where, "damping", n, o->damping);
        status = damping == LB_E_MEMORY ? damping : status;
    }
    return status == LB_E_MEMORY                  ? status
           : builder->faults.error_count > errors ? LB_E_MODEL
                                                  : LB_OK;
}

static lb_status copy_options(lb_builder *builder, const char *where, const lb_flex_options *o,
                              lb_flex_draft *draft)
{
    const int n = o->mode_count, errors = builder->faults.error_count;
    lb_flex_node_draft *nodes;
    draft->mode_count = n;
    draft->node_count = o->node_count;
    draft->named_count = o->node_count - o->point_count;
    draft->fidelity = o->fidelity;
    if (!TAKE(&builder->arena, nodes, o->node_count) ||
        copy_matrix(builder, n, o->stiffness, 0, &draft->K) != LB_OK ||
        copy_matrix(builder, n, o->damping, 1, &draft->C) != LB_OK) {
        return LB_E_MEMORY;
    }
    draft->nodes = nodes;
    lb_flex_cut *cuts;
    if (!TAKE(&builder->arena, cuts, o->cut_count + 1)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < o->cut_count; ++i) {
        // field by field: what lies between them would be compared as well
        memset(&cuts[i], 0, sizeof cuts[i]);
        cuts[i].node = o->cuts[i].node;
        memcpy(cuts[i].normal, o->cuts[i].normal, sizeof cuts[i].normal);
    }
    draft->cuts = cuts;
    draft->cut_count = o->cut_count;
    if (o->integrals) {
        const lb_status status = copy_integrals(builder, where, n, o->integrals, &draft->integrals);
        if (status == LB_E_MEMORY || status == LB_E_VERSION) {
            return status;
        }
    }
    if (o->recovery) {
        const lb_status status = lb_draft_recovery(builder, where, o, &draft->recovery);
        if (status == LB_E_MEMORY || status == LB_E_VERSION) {
            return status;
        }
    }
    const double all = (double)o->node_count * n * (n + 1) / 2;
    for (int j = 0; j < o->node_count && all > LB_SECOND_ORDER_MOST; ++j) {
        const lb_flex_node *node = lb_get_sized(o->nodes, (size_t)j);
        if (node->size >= LB_SIZE_THROUGH(lb_flex_node, second_order_count) &&
            node->second_order_count > 0) {
            ERROR(where, "nodes",
                  "%d nodes with second-order displacements for each pair of %d modes, %.0f in "
                  "all, expected at most %d: take fewer nodes or modes",
                  o->node_count, n, all, (int)LB_SECOND_ORDER_MOST);
            return LB_E_MODEL;
        }
    }
    for (int j = 0; j < o->node_count; ++j) {
        char path[PATH_SIZE + 32];
        snprintf(path, sizeof path, "%.*s.nodes[%d]", PATH_SIZE, where, j);
        const lb_status status = copy_node(builder, path, o, j, &nodes[j]);
        if (status == LB_E_MEMORY || status == LB_E_VERSION) {
            return status;
        }
    }
    return builder->faults.error_count > errors ? LB_E_MODEL : LB_OK;
}

const lb_flex_draft *lb_draft_flex(lb_builder *builder, const char *where,
                                   const lb_flex_options *given, lb_status *status)
{
    lb_flex_draft *draft;
    lb_flex_options taken = lb_default_flex_options(), *options = &taken;
    *status = take(builder, where, "", &taken, sizeof taken,
                   LB_SIZE_THROUGH(lb_flex_options, stiffness), given);
    if (*status != LB_OK) {
        return NULL;
    }
    *status = check_options(builder, where, options);
    if (*status != LB_OK) {
        return NULL;
    }
    if (!TAKE(&builder->arena, draft, 1)) {
        *status = LB_E_MEMORY;
        return NULL;
    }
    *status = copy_options(builder, where, options, draft);
    if (*status != LB_OK) {
        return NULL;
    }
    draft->hash = hash_draft(draft);
    lb_flex_draft **bucket = &builder->flexes[draft->hash % LB_FLEX_BUCKETS];
    for (const lb_flex_draft *known = *bucket; known; known = known->next) {
        if (same_draft(known, draft)) {
            return known;
        }
    }
    warn_about_stiffening(builder, where, draft);
    draft->next = *bucket;
    *bucket = draft;
    return draft;
}

lb_inertia lb_get_draft_inertia(const lb_flex_draft *draft)
{
    lb_inertia M = {0};
    if (draft->integrals) {
        M.m = draft->integrals->mass;
        M.h = lb_vec3_from(draft->integrals->h0);
        M.J = lb_sym3_from(draft->integrals->S0);
    }
    for (int j = 0; j < draft->node_count; ++j) {
        const lb_flex_node_draft *node = &draft->nodes[j];
        const lb_vec3 c = lb_vec3_add(node->X.p, node->offset);
        const lb_inertia one = {node->mass, lb_vec3_scale(node->mass, c),
                                lb_sym3_add(node->inertia, lb_sym3_point(node->mass, c))};
        M = lb_inertia_add(&M, &one);
    }
    return M;
}

int lb_draft_node_moves(const lb_flex_draft *draft, int node)
{
    if (node == 0) {
        return 0;
    }
    const lb_flex_node_draft *d = &draft->nodes[node - 1];
    int moves = d->second != NULL;
    for (int r = 0; r < draft->mode_count; ++r) {
        const lb_vec6 s = d->shape[r];
        moves |= s.w.x != 0 || s.w.y != 0 || s.w.z != 0 || s.v.x != 0 || s.v.y != 0 || s.v.z != 0;
    }
    return moves;
}
