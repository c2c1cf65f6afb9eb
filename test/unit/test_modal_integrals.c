// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modal integrals of Appendix C against their sums over nodes, written out with matrices.
#include <stdlib.h>
#include <string.h>

#include "modal_body.h"
#include "model/modal/modal_integrals.h"

// Sums of a few dozen products of order 1 that cancel little.
static const double LB_TOLERANCE = 1e-13;

// ---- one node, longhand ------------------------------------------------------------------------

static void lb_put(lb_vec3 a, double *x)
{
    lb_vec3_to(a, x);
}

static void lb_put_matrix(lb_mat3 A, double *x)
{
    memcpy(x, A.m, sizeof A.m);
}

// [m p~lambda_r]~
static lb_mat3 lb_tilde_pl(const lb_nodal *j, int r)
{
    return lb_tilde(lb_vec3_scale(j->m, lb_times(lb_tilde(j->p), j->lambda[r])));
}

// One function an integral: what node j adds to entry (q,r,s).
#define LB_TERM(name) static void name(const lb_nodal *j, int q, int r, int s, double *x)
#define LB_UNUSED2 (void)q, (void)s
#define LB_UNUSED1 (void)q

LB_TERM(lb_mass)
{
    (void)r, LB_UNUSED2;
    *x = j->m;
}

LB_TERM(lb_p0)
{
    (void)r, LB_UNUSED2;
    lb_put(lb_vec3_scale(j->m, lb_vec3_add(j->p, j->l0)), x);
}

LB_TERM(lb_p1)
{
    LB_UNUSED2;
    lb_put(lb_vec3_scale(j->m, j->gamma[r]), x);
}

LB_TERM(lb_E)
{
    LB_UNUSED2;
    const lb_vec3 pl = lb_times(lb_tilde(j->p), j->lambda[r]);
    lb_put(lb_vec3_scale(j->m, lb_vec3_sub(j->gamma[r], pl)), x);
}

LB_TERM(lb_F0)
{
    LB_UNUSED2;
    const lb_mat3 l0 = lb_tilde(j->l0), p = lb_tilde(j->p);
    const lb_vec3 a = lb_times(lb_mix(1.0, l0, 1.0, p), j->gamma[r]);
    const lb_vec3 b = lb_times(lb_mul(l0, p), j->lambda[r]);
    lb_put(lb_vec3_axpy(lb_times(j->J, j->lambda[r]), j->m, lb_vec3_sub(a, b)), x);
}

LB_TERM(lb_F1)
{
    LB_UNUSED1;
    const lb_vec3 pl = lb_times(lb_tilde(j->p), j->lambda[r]);
    lb_put(lb_vec3_scale(j->m, lb_times(lb_tilde(j->gamma[s]), lb_vec3_sub(j->gamma[r], pl))), x);
}

LB_TERM(lb_G)
{
    LB_UNUSED1;
    const lb_mat3 p = lb_tilde(j->p);
    *x = lb_vec3_dot(j->lambda[r], lb_times(j->J, j->lambda[s])) +
         j->m * lb_vec3_dot(j->lambda[r], lb_times(p, j->gamma[s])) +
         j->m * lb_vec3_dot(j->lambda[s], lb_times(p, j->gamma[r])) +
         j->m * lb_vec3_dot(j->gamma[r], j->gamma[s]);
}

LB_TERM(lb_J0)
{
    (void)r, LB_UNUSED2;
    const lb_mat3 l0 = lb_tilde(j->l0), p = lb_tilde(j->p);
    const lb_mat3 mixed = lb_mix(1.0, lb_mul(p, l0), 1.0, lb_mul(l0, p));
    lb_put_matrix(lb_mix(1.0, j->J, -j->m, lb_mix(1.0, lb_mul(l0, l0), 1.0, mixed)), x);
}

LB_TERM(lb_J1)
{
    LB_UNUSED2;
    const lb_mat3 c = lb_mix(1.0, lb_tilde(j->l0), 1.0, lb_tilde(j->p));
    const lb_mat3 product = lb_mul(lb_tilde(j->gamma[r]), c);
    lb_put_matrix(lb_mix(-j->m, product, 0.0, product), x);
}

LB_TERM(lb_N)
{
    LB_UNUSED2;
    const lb_mat3 c = lb_mix(1.0, lb_tilde(j->l0), 1.0, lb_tilde(j->p));
    const lb_mat3 product = lb_mul(c, lb_tilde(j->gamma[r]));
    lb_put_matrix(lb_mix(-j->m, product, 0.0, product), x);
}

LB_TERM(lb_J2)
{
    LB_UNUSED1;
    const lb_mat3 product = lb_mul(lb_tilde(j->gamma[r]), lb_tilde(j->gamma[s]));
    lb_put_matrix(lb_mix(-j->m, product, 0.0, product), x);
}

LB_TERM(lb_S1)
{
    LB_UNUSED2;
    const lb_mat3 a = lb_mul(lb_tilde_pl(j, r), lb_tilde(j->l0));
    lb_put_matrix(lb_mix(1.0, a, -1.0, lb_mul(j->J, lb_tilde(j->lambda[r]))), x);
}

LB_TERM(lb_S2)
{
    LB_UNUSED1;
    lb_put_matrix(lb_mul(lb_tilde_pl(j, r), lb_tilde(j->gamma[s])), x);
}

LB_TERM(lb_K1)
{
    LB_UNUSED2;
    const lb_mat3 turn = lb_tilde(j->lambda[r]);
    const lb_mat3 a = lb_mul(lb_tilde(j->l0), lb_tilde_pl(j, r));
    const lb_mat3 b = lb_mix(-1.0, lb_mul(j->J, turn), 1.0, lb_mul(turn, j->J));
    lb_put_matrix(lb_mix(2.0, a, 1.0, b), x);
}

LB_TERM(lb_K2)
{
    LB_UNUSED1;
    const lb_mat3 product = lb_mul(lb_tilde(j->gamma[s]), lb_tilde_pl(j, r));
    lb_put_matrix(lb_mix(2.0, product, 0.0, product), x);
}

LB_TERM(lb_R1)
{
    LB_UNUSED2;
    lb_put(lb_times(j->J, j->lambda[r]), x);
}

LB_TERM(lb_R2)
{
    LB_UNUSED1;
    const lb_mat3 turn = lb_tilde(j->lambda[r]);
    const lb_mat3 lever = lb_mul(lb_tilde(j->l0), lb_mul(turn, lb_tilde(j->p)));
    lb_put(lb_times(lb_mix(1.0, lb_mul(turn, j->J), -j->m, lever), j->lambda[s]), x);
}

LB_TERM(lb_R3)
{
    const lb_mat3 a = lb_mul(lb_tilde(j->gamma[q]), lb_tilde(j->lambda[r]));
    lb_put(lb_vec3_scale(-j->m, lb_times(lb_mul(a, lb_tilde(j->p)), j->lambda[s])), x);
}

LB_TERM(lb_W1)
{
    LB_UNUSED1;
    const lb_mat3 a = lb_mul(lb_tilde(j->lambda[r]), lb_tilde(j->p));
    lb_put(lb_vec3_scale(j->m, lb_times(a, j->gamma[s])), x);
}

LB_TERM(lb_W2)
{
    LB_UNUSED1;
    lb_put(lb_times(lb_mul(lb_tilde(j->lambda[r]), j->J), j->lambda[s]), x);
}

LB_TERM(lb_L)
{
    LB_UNUSED1;
    const lb_mat3 a = lb_mul(lb_tilde(j->lambda[r]), lb_tilde(j->p));
    lb_put(lb_vec3_scale(-j->m, lb_times(a, j->lambda[s])), x);
}

LB_TERM(lb_T1)
{
    LB_UNUSED1;
    const lb_mat3 a = lb_mul(lb_tilde(j->gamma[r]), lb_tilde(j->p));
    const lb_mat3 b = lb_mul(j->J, lb_tilde(j->lambda[r]));
    lb_put(lb_times(lb_mix(j->m, a, 1.0, b), j->lambda[s]), x);
}

LB_TERM(lb_T2)
{
    LB_UNUSED1;
    const lb_mat3 a = lb_mul(lb_tilde(j->p), lb_tilde(j->gamma[r]));
    const lb_mat3 b = lb_mul(lb_tilde(j->lambda[r]), j->J);
    lb_put(lb_times(lb_mix(j->m, a, -1.0, b), j->lambda[s]), x);
}

LB_TERM(lb_T3)
{
    double T1[3];
    lb_T1(j, q, r, s, T1);
    *x = lb_vec3_dot(j->lambda[q], lb_vec3_from(T1));
}

LB_TERM(lb_Q)
{
    double T1[3], T2[3], W1[3], W2[3], F1[3];
    lb_T1(j, q, s, r, T1);
    lb_T2(j, q, s, r, T2);
    lb_W1(j, q, r, s, W1);
    lb_W2(j, q, r, s, W2);
    lb_F1(j, q, s, r, F1);
    for (int i = 0; i < 3; ++i) {
        x[i] = T1[i] + T2[i] + W1[i] + W2[i] + 2.0 * F1[i];
    }
}

typedef struct lb_named {
    const char *name;
    void (*term)(const lb_nodal *j, int q, int r, int s, double *x);
    int indices, components;
    int mean; // divided by the mass of the body
    const double *x;
} lb_named;

// Compares an array with the sum of its terms over the nodes.
static void lb_check_named(const lb_modal_body *b, const double *eta, const lb_named *named)
{
    const int n = LB_MODES, c = named->components;
    const int count = named->indices == 3 ? n * n * n : named->indices == 2 ? n * n : n;
    double *sum = lb_make_numbers((size_t)(count * c));
    const int entries = named->indices == 0 ? 1 : count;
    double mass = 0.0;
    for (int node = 0; node < LB_NODES; ++node) {
        const lb_nodal j = lb_read_nodal(&b->nodes[node], eta);
        mass += j.m;
        for (int i = 0; i < entries; ++i) {
            // (q,r,s) at [(q n + r) n + s], (r,s) at [r n + s], (r) at [r]
            const int r = named->indices == 1 ? i : i / n % n;
            double x[9] = {0};
            named->term(&j, i / (n * n), r, i % n, x);
            for (int k = 0; k < c; ++k) {
                sum[i * c + k] += x[k];
            }
        }
    }
    for (int i = 0; i < entries * c; ++i) {
        sum[i] /= named->mean ? mass : 1.0;
    }
    lb_expect_close(named->name, named->x, sum, entries * c, LB_TOLERANCE);
    free(sum);
}

static void each_integral_is_its_sum_over_nodes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; ++seed) {
        lb_modal_body *b = lb_create_modal_body(seed);
        const lb_modal_integrals *I = &b->I;
        const lb_named table[] = {
            {"m", lb_mass, 0, 1, 0, &I->mass},
            {"p0", lb_p0, 0, 3, 1, &I->p0.x},
            {"p1", lb_p1, 1, 3, 1, &I->p1->x},
            {"E", lb_E, 1, 3, 0, &I->E->x},
            {"F0", lb_F0, 1, 3, 0, &I->F0->x},
            {"F1", lb_F1, 2, 3, 0, &I->F1->x},
            {"G", lb_G, 2, 1, 0, I->G},
            {"J0", lb_J0, 0, 9, 0, &I->J0.m[0][0]},
            {"J1", lb_J1, 1, 9, 0, &I->J1->m[0][0]},
            {"J2", lb_J2, 2, 9, 0, &I->J2->m[0][0]},
            {"S1", lb_S1, 1, 9, 0, &I->S1->m[0][0]},
            {"S2", lb_S2, 2, 9, 0, &I->S2->m[0][0]},
            {"K1", lb_K1, 1, 9, 0, &I->K1->m[0][0]},
            {"K2", lb_K2, 2, 9, 0, &I->K2->m[0][0]},
            {"R1", lb_R1, 1, 3, 0, &I->R1->x},
            {"R2", lb_R2, 2, 3, 0, &I->R2->x},
            {"R3", lb_R3, 3, 3, 0, &I->R3->x},
            {"W1", lb_W1, 2, 3, 0, &I->W1->x},
            {"W2", lb_W2, 2, 3, 0, &I->W2->x},
            {"L", lb_L, 2, 3, 1, &I->L->x},
            {"T1", lb_T1, 2, 3, 0, &I->T1->x},
            {"T2", lb_T2, 2, 3, 0, &I->T2->x},
            {"T3", lb_T3, 3, 1, 0, I->T3},
            {"Q", lb_Q, 2, 3, 0, &I->Q->x},
        };
        for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
            lb_check_named(b, NULL, &table[i]);
        }
        lb_destroy_modal_body(b);
    }
}

// p, F, J, S, K and R are p0, F0, J0, S1, K1 and R2 with l = l0 + gamma eta in place of l0, and N
// the transpose of J1 so.
static void deformed_integrals_are_those_of_the_moved_nodes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; ++seed) {
        lb_modal_body *b = lb_create_modal_body(seed);
        const lb_deformed_integrals *D = &b->D;
        const lb_named table[] = {
            {"p", lb_p0, 0, 3, 1, &D->p.x},        {"J", lb_J0, 0, 9, 0, &D->J.m[0][0]},
            {"F", lb_F0, 1, 3, 0, &D->F->x},       {"N", lb_N, 1, 9, 0, &D->N->m[0][0]},
            {"S", lb_S1, 1, 9, 0, &D->S->m[0][0]}, {"K", lb_K1, 1, 9, 0, &D->K->m[0][0]},
            {"R", lb_R2, 2, 3, 0, &D->R->x},
        };
        for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
            lb_check_named(b, b->eta, &table[i]);
        }
        lb_destroy_modal_body(b);
    }
}

static void symmetries_of_the_source_hold(void **state)
{
    (void)state;
    lb_modal_body *b = lb_create_modal_body(1);
    const lb_modal_integrals *I = &b->I;
    for (int r = 0; r < LB_MODES; ++r) {
        for (int s = 0; s < LB_MODES; ++s) {
            const int rs = r * LB_MODES + s, sr = s * LB_MODES + r;
            const lb_mat3 J2 = lb_mat3_transpose(&I->J2[sr]), S2 = lb_mat3_transpose(&I->S2[rs]);
            const lb_mat3 K2 = lb_mix(2.0, S2, 0.0, S2);
            lb_expect_near("G", I->G[rs], I->G[sr], LB_TOLERANCE);
            lb_expect_close("J2", &I->J2[rs].m[0][0], &J2.m[0][0], 9, LB_TOLERANCE);
            lb_expect_close("K2", &I->K2[rs].m[0][0], &K2.m[0][0], 9, LB_TOLERANCE);
        }
    }
    lb_destroy_modal_body(b);
}

// ---- refusals ----------------------------------------------------------------------------------

static void wrong_sizes_are_refused(void **state)
{
    (void)state;
    lb_modal_body *b = lb_create_modal_body(2);
    lb_modal_integrals I;
    lb_deformed_integrals D;
    const size_t size = lb_get_modal_integrals_size(LB_MODES);
    const size_t deformed = lb_get_deformed_integrals_size(LB_MODES);
    assert_int_equal(
        lb_compute_modal_integrals(LB_MODES, LB_NODES, b->nodes, b->memory, size - 1, &I),
        LB_E_MEMORY);
    assert_int_equal(lb_compute_modal_integrals(LB_MODES, LB_NODES, b->nodes, NULL, size, &I),
                     LB_E_MEMORY);
    assert_int_equal(lb_compute_modal_integrals(-1, LB_NODES, b->nodes, b->memory, size, &I),
                     LB_E_ARGUMENT);
    assert_int_equal(
        lb_compute_deformed_integrals(&b->I, b->eta, b->deformed_memory, deformed - 1, &D),
        LB_E_MEMORY);
    assert_true(lb_get_modal_integrals_size(2000000000) == SIZE_MAX);
    assert_true(lb_get_modal_integrals_size(-1) == SIZE_MAX);
    lb_destroy_modal_body(b);
}

static void any_address_will_do(void **state)
{
    (void)state;
    lb_modal_body *b = lb_create_modal_body(3);
    const size_t size = lb_get_modal_integrals_size(LB_MODES);
    unsigned char *memory = malloc(size + 3);
    lb_modal_integrals I;
    lb_expect_ok(lb_compute_modal_integrals(LB_MODES, LB_NODES, b->nodes, memory + 3, size, &I));
    lb_expect_close("Q", &I.Q->x, &b->I.Q->x, 3 * LB_MODES * LB_MODES, 0.0);
    free(memory);
    lb_destroy_modal_body(b);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_integral_is_its_sum_over_nodes),
        cmocka_unit_test(deformed_integrals_are_those_of_the_moved_nodes),
        cmocka_unit_test(symmetries_of_the_source_hold),
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(any_address_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
