// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "modal_body.h"

#include <stdlib.h>
#include <string.h>

#include "model/modal/modal_integrals.h"

// Inertia of three random points.
static void lb_draw_points(lb_random *random, double inertia[6])
{
    lb_sym3 J = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        double x[3];
        lb_draw_vector(random, 3, 1.0, x);
        J = lb_sym3_add(J, lb_sym3_point(0.5, lb_vec3_from(x)));
    }
    const double values[6] = {J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
    memcpy(inertia, values, sizeof values);
}

static void lb_draw_nodes(lb_random *random, lb_modal_body *b)
{
    static const char *const names[LB_NODES] = {"n1", "n2", "n3", "n4", "n5"};
    for (int j = 0; j < LB_NODES; ++j) {
        lb_flex_node *node = &b->nodes[j];
        *node = lb_default_flex_node();
        node->name = names[j];
        node->mass = lb_draw_uniform(random, 0.2, 1.0);
        lb_draw_vector(random, 3, 1.0, node->position);
        lb_draw_quaternion(random, node->rotation);
        lb_draw_vector(random, 3, 0.5, node->offset);
        lb_draw_points(random, node->inertia);
        lb_draw_vector(random, 6 * LB_MODES, 1.0, b->shapes[j]);
        node->shape = b->shapes[j];
    }
    lb_draw_vector(random, LB_MODES, 1.0, b->eta);
    lb_draw_vector(random, LB_MODES, 1.0, b->eta_dot);
    lb_draw_vector(random, 3, 1.0, b->omega);
}

void lb_integrate_modal_body(lb_modal_body *b)
{
    const size_t size = lb_get_modal_integrals_size(LB_MODES);
    const size_t deformed = lb_get_deformed_integrals_size(LB_MODES);
    lb_expect_ok(lb_compute_modal_integrals(LB_MODES, LB_NODES, b->nodes, b->memory, size, &b->I));
    lb_expect_ok(lb_compute_deformed_integrals(&b->I, b->eta, b->deformed_memory, deformed, &b->D));
}

lb_modal_body *lb_create_modal_body(uint64_t seed)
{
    lb_random random;
    lb_modal_body *b = calloc(1, sizeof *b);
    assert_non_null(b);
    lb_seed_random(&random, lb_get_base_seed() * 1000 + seed);
    lb_draw_nodes(&random, b);
    b->memory = malloc(lb_get_modal_integrals_size(LB_MODES));
    b->deformed_memory = malloc(lb_get_deformed_integrals_size(LB_MODES));
    lb_integrate_modal_body(b);
    return b;
}

void lb_destroy_modal_body(lb_modal_body *b)
{
    free(b->memory);
    free(b->deformed_memory);
    free(b);
}

lb_mat3 lb_tilde(lb_vec3 a)
{
    const lb_mat3 r = {{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
    return r;
}

lb_mat3 lb_mul(lb_mat3 A, lb_mat3 B)
{
    return lb_mat3_mul(&A, &B);
}

lb_vec3 lb_times(lb_mat3 A, lb_vec3 b)
{
    return lb_mat3_mul_vec(&A, b);
}

lb_mat3 lb_mix(double s, lb_mat3 A, double t, lb_mat3 B)
{
    for (int i = 0; i < 9; ++i) {
        A.m[i / 3][i % 3] = s * A.m[i / 3][i % 3] + t * B.m[i / 3][i % 3];
    }
    return A;
}

lb_nodal lb_read_nodal(const lb_flex_node *node, const double *eta)
{
    const double *i = node->inertia;
    lb_nodal j = {.m = node->mass,
                  .l0 = lb_vec3_from(node->position),
                  .p = lb_vec3_from(node->offset),
                  .J = {{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}}};
    j.J = lb_mix(1.0, j.J, -j.m, lb_mul(lb_tilde(j.p), lb_tilde(j.p)));
    for (int r = 0; r < LB_MODES; ++r) {
        j.lambda[r] = lb_vec3_from(node->shape + 6 * r);
        j.gamma[r] = lb_vec3_from(node->shape + 6 * r + 3);
        j.l0 = lb_vec3_axpy(j.l0, eta ? eta[r] : 0.0, j.gamma[r]);
    }
    return j;
}
