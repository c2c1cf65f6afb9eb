// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modal integrals of Appendix C.
#include "model/modal/modal_integrals.h"

#include <stdint.h>
#include <string.h>

#include "base/sized.h"
#include "mat3_sums.h"
#include "model/numbers.h"

// ---- memory ------------------------------------------------------------------------------------

// Counts when base is NULL, hands out pieces otherwise. Everything consists of doubles.
static void *place(unsigned char *base, size_t *used, size_t count, size_t size)
{
    void *piece = base ? base + *used : NULL;
    *used += count * size;
    return piece;
}

static size_t layout(int mode_count, unsigned char *base, lb_modal_integrals *I)
{
    const size_t n = (size_t)mode_count, nn = n * n, nnn = n * nn;
    size_t used = 0;
    I->p1 = place(base, &used, n, sizeof *I->p1);
    I->E = place(base, &used, n, sizeof *I->E);
    I->F0 = place(base, &used, n, sizeof *I->F0);
    I->F1 = place(base, &used, nn, sizeof *I->F1);
    I->G = place(base, &used, nn, sizeof *I->G);
    I->J1 = place(base, &used, n, sizeof *I->J1);
    I->J2 = place(base, &used, nn, sizeof *I->J2);
    I->S1 = place(base, &used, n, sizeof *I->S1);
    I->S2 = place(base, &used, nn, sizeof *I->S2);
    I->K1 = place(base, &used, n, sizeof *I->K1);
    I->K2 = place(base, &used, nn, sizeof *I->K2);
    I->R1 = place(base, &used, n, sizeof *I->R1);
    I->R2 = place(base, &used, nn, sizeof *I->R2);
    I->R3 = place(base, &used, nnn, sizeof *I->R3);
    I->W1 = place(base, &used, nn, sizeof *I->W1);
    I->W2 = place(base, &used, nn, sizeof *I->W2);
    I->L = place(base, &used, nn, sizeof *I->L);
    I->T1 = place(base, &used, nn, sizeof *I->T1);
    I->T2 = place(base, &used, nn, sizeof *I->T2);
    I->T3 = place(base, &used, nnn, sizeof *I->T3);
    I->Q = place(base, &used, nn, sizeof *I->Q);
    return used;
}

static unsigned char *align(void *memory)
{
    const size_t skip = (size_t)(-(uintptr_t)memory & (sizeof(double) - 1));
    return (unsigned char *)memory + skip;
}

// 1000 (n + 1)^3 bytes are more than the layout takes.
static int is_countable(int mode_count)
{
    const double n = (double)mode_count + 1.0;
    return mode_count >= 0 && 1000.0 * n * n * n < (double)(SIZE_MAX / 2);
}

size_t lb_get_modal_integrals_size(int mode_count)
{
    lb_modal_integrals counter;
    return is_countable(mode_count) ? layout(mode_count, NULL, &counter) + sizeof(double)
                                    : SIZE_MAX;
}

// ---- sums over nodes ---------------------------------------------------------------------------

// A node, with its inertia about itself.
typedef struct nodal {
    double m;
    lb_vec3 l0, p;
    lb_sym3 J;
    const double *shape;
} nodal;

static nodal read_node(const lb_flex_node *node)
{
    nodal j = {node->mass, lb_vec3_from(node->position), lb_vec3_from(node->offset),
               lb_sym3_from(node->inertia), node->shape};
    j.J = lb_sym3_add(j.J, lb_sym3_point(j.m, j.p)); // J = inertia - m p~p~
    return j;
}

static lb_vec3 lambda_of(const nodal *j, ptrdiff_t r)
{
    return lb_vec3_from(j->shape + 6 * r);
}

static lb_vec3 gamma_of(const nodal *j, ptrdiff_t r)
{
    return lb_vec3_from(j->shape + 6 * r + 3);
}

static int is_zero(lb_vec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

// Integrals without a mode.
static void add_node(lb_modal_integrals *I, const nodal *j)
{
    // p0 holds m(k) p0 for now
    I->mass += j->m;
    I->p0 = lb_vec3_axpy(I->p0, j->m, lb_vec3_add(j->p, j->l0));
    const lb_mat3 J = lb_mat3_from_sym3(j->J);
    lb_mat3_add_scaled(&I->J0, 1.0, &J);
    lb_mat3_add_skews(&I->J0, -j->m, j->l0, j->l0);
    lb_mat3_add_skews(&I->J0, -j->m, j->p, j->l0);
    lb_mat3_add_skews(&I->J0, -j->m, j->l0, j->p);
}

// Integrals of one mode.
static void add_mode(lb_modal_integrals *I, const nodal *j, ptrdiff_t r)
{
    const double m = j->m;
    const lb_vec3 l = lambda_of(j, r), g = gamma_of(j, r), c0 = lb_vec3_add(j->l0, j->p);
    const lb_vec3 pl = lb_vec3_cross(j->p, l), Jl = lb_sym3_mul_vec(j->J, l);
    const lb_mat3 J = lb_mat3_from_sym3(j->J), turn = lb_mat3_skew(l);
    const lb_mat3 J_turn = lb_mat3_mul(&J, &turn), turn_J = lb_mat3_mul(&turn, &J);

    // p1 holds m(k) p1 for now
    I->p1[r] = lb_vec3_axpy(I->p1[r], m, g);
    I->E[r] = lb_vec3_axpy(I->E[r], m, lb_vec3_sub(g, pl));
    const lb_vec3 moment = lb_vec3_sub(lb_vec3_cross(c0, g), lb_vec3_cross(j->l0, pl));
    I->F0[r] = lb_vec3_axpy(lb_vec3_add(I->F0[r], Jl), m, moment);
    I->R1[r] = lb_vec3_add(I->R1[r], Jl);
    lb_mat3_add_skews(&I->J1[r], -m, g, c0);
    lb_mat3_add_skews(&I->S1[r], m, pl, j->l0);
    lb_mat3_add_scaled(&I->S1[r], -1.0, &J_turn);
    lb_mat3_add_skews(&I->K1[r], 2.0 * m, j->l0, pl);
    lb_mat3_add_scaled(&I->K1[r], -1.0, &J_turn);
    lb_mat3_add_scaled(&I->K1[r], 1.0, &turn_J);
}

// Integrals of a pair of modes.
static void add_pair(lb_modal_integrals *I, const nodal *j, ptrdiff_t r, ptrdiff_t s)
{
    const ptrdiff_t rs = r * I->mode_count + s;
    const double m = j->m;
    const lb_vec3 p = j->p, l_r = lambda_of(j, r), g_r = gamma_of(j, r);
    const lb_vec3 l_s = lambda_of(j, s), g_s = gamma_of(j, s);
    const lb_vec3 pl_r = lb_vec3_cross(p, l_r), pl_s = lb_vec3_cross(p, l_s);
    const lb_vec3 pg_r = lb_vec3_cross(p, g_r), pg_s = lb_vec3_cross(p, g_s);
    const lb_vec3 Jl_s = lb_sym3_mul_vec(j->J, l_s), ll = lb_vec3_cross(l_r, l_s);
    const lb_vec3 lJl = lb_vec3_cross(l_r, Jl_s), Jll = lb_sym3_mul_vec(j->J, ll);
    const lb_vec3 lpl = lb_vec3_cross(l_r, pl_s);

    I->F1[rs] = lb_vec3_axpy(I->F1[rs], m, lb_vec3_cross(g_s, lb_vec3_sub(g_r, pl_r)));
    I->G[rs] += lb_vec3_dot(l_r, Jl_s) +
                m * (lb_vec3_dot(l_r, pg_s) + lb_vec3_dot(l_s, pg_r) + lb_vec3_dot(g_r, g_s));
    lb_mat3_add_skews(&I->J2[rs], -m, g_r, g_s);
    lb_mat3_add_skews(&I->S2[rs], m, pl_r, g_s);
    lb_mat3_add_skews(&I->K2[rs], 2.0 * m, g_s, pl_r);
    I->R2[rs] = lb_vec3_axpy(lb_vec3_add(I->R2[rs], lJl), -m, lb_vec3_cross(j->l0, lpl));
    I->W1[rs] = lb_vec3_axpy(I->W1[rs], m, lb_vec3_cross(l_r, pg_s));
    I->W2[rs] = lb_vec3_add(I->W2[rs], lJl);
    // L holds m(k) L for now
    I->L[rs] = lb_vec3_axpy(I->L[rs], -m, lpl);
    I->T1[rs] = lb_vec3_axpy(lb_vec3_add(I->T1[rs], Jll), m, lb_vec3_cross(g_r, pl_s));
    const lb_vec3 pgl = lb_vec3_cross(p, lb_vec3_cross(g_r, l_s));
    I->T2[rs] = lb_vec3_axpy(lb_vec3_sub(I->T2[rs], lJl), m, pgl);
}

// Integrals of three modes: (q, r, s) for every q.
static void add_triples(lb_modal_integrals *I, const nodal *j, ptrdiff_t r, ptrdiff_t s)
{
    const ptrdiff_t n = I->mode_count;
    const lb_vec3 l_r = lambda_of(j, r), l_s = lambda_of(j, s);
    const lb_vec3 pl_s = lb_vec3_cross(j->p, l_s);
    const lb_vec3 Jll = lb_sym3_mul_vec(j->J, lb_vec3_cross(l_r, l_s));
    const lb_vec3 t = lb_vec3_axpy(Jll, j->m, lb_vec3_cross(gamma_of(j, r), pl_s));
    const lb_vec3 lpl = lb_vec3_scale(-j->m, lb_vec3_cross(l_r, pl_s));
    if (!is_zero(t)) {
        for (ptrdiff_t q = 0; q < n; ++q) {
            I->T3[(q * n + r) * n + s] += lb_vec3_dot(lambda_of(j, q), t);
        }
    }
    if (!is_zero(lpl)) {
        for (ptrdiff_t q = 0; q < n; ++q) {
            lb_vec3 *R3 = &I->R3[(q * n + r) * n + s];
            *R3 = lb_vec3_add(*R3, lb_vec3_cross(gamma_of(j, q), lpl));
        }
    }
}

// What follows from sums over nodes: divisions by m(k), and Q of (109).
static void finish(lb_modal_integrals *I)
{
    const ptrdiff_t n = I->mode_count;
    const double inverse = I->mass > 0 ? 1.0 / I->mass : 0.0;
    I->p0 = lb_vec3_scale(inverse, I->p0);
    for (ptrdiff_t r = 0; r < n; ++r) {
        I->p1[r] = lb_vec3_scale(inverse, I->p1[r]);
        for (ptrdiff_t s = 0; s < n; ++s) {
            const ptrdiff_t rs = r * n + s, sr = s * n + r;
            I->L[rs] = lb_vec3_scale(inverse, I->L[rs]);
            I->Q[rs] =
                lb_vec3_add(lb_vec3_add(I->T1[sr], I->T2[sr]), lb_vec3_add(I->W1[rs], I->W2[rs]));
            I->Q[rs] = lb_vec3_axpy(I->Q[rs], 2.0, I->F1[sr]);
        }
    }
}

// Whether the numbers that are read of a node are finite.
static bool is_finite_node(const lb_flex_node *node, ptrdiff_t mode_count)
{
    return lb_are_finite(3, node->position) && lb_is_finite(node->mass) &&
           lb_are_finite(3, node->offset) && lb_are_finite(6, node->inertia) &&
           lb_are_finite(node->shape ? 6 * mode_count : 0, node->shape);
}

// Modal integrals                                                                       (APC-1)
//
// Each is a sum over nodes, written beside its field in the header.
//
// Source: US 5,546,508, section C.1. Differs: where the header says "corrected".
lb_status lb_compute_modal_integrals(int mode_count, int node_count, const lb_flex_node *nodes,
                                     void *memory, size_t size, lb_modal_integrals *I)
{
    *I = (lb_modal_integrals){.mode_count = mode_count};
    if (mode_count < 0 || node_count < 0) {
        return LB_E_ARGUMENT;
    }
    if (!memory || !is_countable(mode_count) || size < lb_get_modal_integrals_size(mode_count)) {
        return LB_E_MEMORY;
    }
    unsigned char *base = align(memory);
    memset(base, 0, layout(mode_count, base, I));
    for (int i = 0; i < node_count; ++i) {
        lb_flex_node node = lb_default_flex_node();
        if (lb_take_sized(&node, sizeof node, LB_SIZE_THROUGH(lb_flex_node, shape),
                          lb_get_sized(nodes, (size_t)i)) != LB_OK) {
            return LB_E_VERSION;
        }
        if (!is_finite_node(&node, mode_count)) {
            return LB_E_NUMBER;
        }
        const nodal j = read_node(&node);
        add_node(I, &j);
        for (ptrdiff_t r = 0; r < mode_count; ++r) {
            add_mode(I, &j, r);
            for (ptrdiff_t s = 0; s < mode_count; ++s) {
                add_pair(I, &j, r, s);
                add_triples(I, &j, r, s);
            }
        }
    }
    finish(I);
    return LB_OK;
}
