// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How bodies of fidelity `appendix-c` are built; what is computed in motion is in appendix_c_bias.c.
#include "appendix_c.h"

#include "mat3_sums.h"
#include "model/modal/modal_integrals.h"

#define TAKE(arena, pointer, count)                                                                \
    (((pointer) = lb_arena_take((arena), (size_t)(count), sizeof *(pointer))) != NULL)

// The nodes in the frame of the body, as plain data again.
static const lb_flex_node *carry_nodes(const lb_flex_draft *d, const lb_pose *X, lb_arena *scratch)
{
    lb_flex_node *nodes;
    if (!TAKE(scratch, nodes, d->node_count)) {
        return NULL;
    }
    for (int j = 0; j < d->node_count; ++j) {
        const lb_flex_node_draft *from = &d->nodes[j];
        double *shape;
        if (!TAKE(scratch, shape, 6 * d->mode_count)) {
            return NULL;
        }
        for (int r = 0; r < d->mode_count; ++r) {
            lb_vec3_to(lb_mat3_mul_vec(&X->R, from->shape[r].w), shape + 6 * r);
            lb_vec3_to(lb_mat3_mul_vec(&X->R, from->shape[r].v), shape + 6 * r + 3);
        }
        const lb_sym3 J = lb_sym3_rotate(&X->R, from->inertia);
        const double inertia[6] = {J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
        nodes[j] = (lb_flex_node){.size = sizeof *nodes, .mass = from->mass, .shape = shape};
        lb_vec3_to(lb_vec3_add(X->p, lb_mat3_mul_vec(&X->R, from->X.p)), nodes[j].position);
        lb_vec3_to(lb_mat3_mul_vec(&X->R, from->offset), nodes[j].offset);
        for (int i = 0; i < 6; ++i) {
            nodes[j].inertia[i] = inertia[i];
        }
    }
    return nodes;
}

// A + B' as a symmetric matrix, for A and B that make it one
static lb_sym3 symmetric_sum(const lb_mat3 *A, const lb_mat3 *B)
{
    lb_sym3 r = {A->m[0][0] + B->m[0][0], A->m[1][1] + B->m[1][1], A->m[2][2] + B->m[2][2],
                 A->m[0][1] + B->m[1][0], A->m[0][2] + B->m[2][0], A->m[1][2] + B->m[2][1]};
    return r;
}

// M_m in the form of (FLX-3): B_tr = F1(r,t), S_t = J1(t) + J1(t)', S2_ts = 2 sym J2(t,s)
static lb_status contract_inertia(lb_flex *f, const lb_modal_integrals *I, lb_arena *arena)
{
    const int n = f->mode_count;
    double *M_ff;
    lb_vec3 *h1, *E, *B0, *B;
    lb_sym3 *S, *S2;
    if (!TAKE(arena, M_ff, n * n) || !TAKE(arena, h1, n) || !TAKE(arena, E, n) ||
        !TAKE(arena, B0, n) || !TAKE(arena, B, n * n) || !TAKE(arena, S, n) ||
        !TAKE(arena, S2, n * n)) {
        return LB_E_MEMORY;
    }
    for (int r = 0; r < n; ++r) {
        h1[r] = lb_vec3_scale(I->mass, I->p1[r]);
        E[r] = I->E[r];
        B0[r] = I->F0[r];
        S[r] = symmetric_sum(&I->J1[r], &I->J1[r]);
        for (int t = 0; t < n; ++t) {
            M_ff[r * n + t] = I->G[r * n + t];
            B[t * n + r] = I->F1[r * n + t];
            // J2(r,t) = J2(t,r)'
            S2[r * n + t] = symmetric_sum(&I->J2[r * n + t], &I->J2[r * n + t]);
        }
    }
    f->mass = I->mass;
    f->h0 = lb_vec3_scale(I->mass, I->p0);
    f->h1 = h1;
    f->M_ff = M_ff;
    f->E = E;
    f->B0 = B0;
    f->B = B;
    f->S0 = (lb_sym3){I->J0.m[0][0], I->J0.m[1][1], I->J0.m[2][2],
                      I->J0.m[0][1], I->J0.m[0][2], I->J0.m[1][2]};
    f->S = S;
    f->S2 = S2;
    return LB_OK;
}

// Terms of two rates: a pair (r,s), r < s, stands for (r,s) and (s,r).
static lb_status contract_pairs(lb_appendix_c *c, const lb_modal_integrals *I, lb_arena *arena)
{
    const ptrdiff_t n = I->mode_count, pairs = n * (n + 1) / 2;
    lb_vec6 *RL;
    double *T3;
    lb_vec3 *R3;
    if (!TAKE(arena, RL, pairs) || !TAKE(arena, T3, pairs * n) || !TAKE(arena, R3, pairs * n)) {
        return LB_E_MEMORY;
    }
    int any_T3 = 0, any_R3 = 0;
    for (ptrdiff_t r = 0, pair = 0; r < n; ++r) {
        for (ptrdiff_t s = r; s < n; ++s, ++pair) {
            const ptrdiff_t rs = r * n + s, sr = s * n + r;
            const double half = r == s ? 0.5 : 1.0; // the sums below count (r,r) twice
            RL[pair].w = lb_vec3_scale(half, lb_vec3_add(I->R2[rs], I->R2[sr]));
            RL[pair].v = lb_vec3_scale(half * I->mass, lb_vec3_add(I->L[rs], I->L[sr]));
            for (ptrdiff_t q = 0; q < n; ++q) {
                double *t = &T3[pair * n + q];
                lb_vec3 *v = &R3[pair * n + q];
                *t = half * (I->T3[(r * n + q) * n + s] + I->T3[(s * n + q) * n + r]);
                *v = lb_vec3_scale(half, lb_vec3_add(I->R3[q * n * n + rs], I->R3[q * n * n + sr]));
                any_T3 |= *t != 0;
                any_R3 |= v->x != 0 || v->y != 0 || v->z != 0;
            }
        }
    }
    c->RL = RL;
    c->T3 = any_T3 ? T3 : NULL;
    c->R3 = any_R3 ? R3 : NULL;
    return LB_OK;
}

static lb_status contract_bias(lb_appendix_c *c, const lb_modal_integrals *I, lb_arena *arena)
{
    const ptrdiff_t n = I->mode_count;
    lb_mat3 *Z1, *Z2;
    lb_vec3 *Q, *C;
    if (!TAKE(arena, Z1, n) || !TAKE(arena, Z2, n * n) || !TAKE(arena, Q, n * n) ||
        !TAKE(arena, C, n)) {
        return LB_E_MEMORY;
    }
    for (ptrdiff_t r = 0; r < n; ++r) {
        Z1[r] = I->S1[r];
        lb_mat3_add_scaled(&Z1[r], 1.0, &I->J1[r]);
        // x~ = 2 S1' - K1 is skew
        const lb_mat3 *K1 = &I->K1[r], *S1 = &I->S1[r];
        const lb_vec3 x = {2 * S1->m[1][2] - K1->m[2][1], 2 * S1->m[2][0] - K1->m[0][2],
                           2 * S1->m[0][1] - K1->m[1][0]};
        C[r] = lb_vec3_add(I->R1[r], x);
        for (ptrdiff_t s = 0; s < n; ++s) {
            const ptrdiff_t rs = r * n + s;
            Z2[rs] = I->S2[rs];
            lb_mat3_add_scaled(&Z2[rs], 1.0, &I->J2[rs]);
            Q[rs] = I->Q[rs];
        }
    }
    c->Z1 = Z1;
    c->Z2 = Z2;
    c->Q = Q;
    c->C = C;
    return contract_pairs(c, I, arena);
}

static lb_status build(lb_flex *f, const lb_flex_draft *d, const lb_pose *X, lb_arena *arena,
                       lb_arena *scratch)
{
    const size_t size = lb_get_modal_integrals_size(d->mode_count);
    lb_modal_integrals I;
    lb_appendix_c *c;
    const lb_flex_node *nodes = carry_nodes(d, X, scratch);
    void *memory = lb_arena_take(scratch, size, 1);
    if (!nodes || !memory || !TAKE(arena, c, 1)) {
        return LB_E_MEMORY;
    }
    lb_status status =
        lb_compute_modal_integrals(d->mode_count, d->node_count, nodes, memory, size, &I);
    if (status == LB_OK) {
        status = contract_inertia(f, &I, arena);
    }
    if (status == LB_OK) {
        status = contract_bias(c, &I, arena);
    }
    f->appendix_c = c;
    return status;
}

lb_status lb_build_appendix_c(lb_flex *f, const lb_flex_draft *d, const lb_pose *X, lb_arena *arena)
{
    // scratch of its own: the integrals are far larger than what is kept of them
    lb_arena scratch;
    scratch = lb_make_arena(&arena->allocator);
    const lb_status status = build(f, d, X, arena, &scratch);
    lb_arena_free(&scratch);
    return status;
}
