// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "lumped.h"

bool lb_take_lumped_sums(lb_import *import, size_t n, lb_lumped_sums *s)
{
    lb_arena *arena = &import->arena;
    *s = (lb_lumped_sums){.M_ff = lb_take_numbers(arena, n * n),
                          .E = lb_take_numbers(arena, 3 * n),
                          .B0 = lb_take_numbers(arena, 3 * n),
                          .B = lb_take_numbers(arena, 3 * n * n),
                          .S = lb_take_numbers(arena, 6 * n),
                          .S2 = lb_take_numbers(arena, 6 * n * n)};
    return s->M_ff && s->E && s->B0 && s->B && s->S && s->S2;
}

static void add3(double *a, lb_vec3 v)
{
    a[0] += v.x;
    a[1] += v.y;
    a[2] += v.z;
}

// -(a~ b~ + b~ a~) times m
static void add_products(double *J, double m, lb_vec3 a, lb_vec3 b)
{
    J[0] += 2 * m * (a.y * b.y + a.z * b.z);
    J[1] += 2 * m * (a.x * b.x + a.z * b.z);
    J[2] += 2 * m * (a.x * b.x + a.y * b.y);
    J[3] -= m * (a.x * b.y + a.y * b.x);
    J[4] -= m * (a.x * b.z + a.z * b.x);
    J[5] -= m * (a.y * b.z + a.z * b.y);
}

static lb_mat3 tilde(lb_vec3 a)
{
    return (lb_mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

// The symmetric part of a A.
void lb_add_symmetric_part(double *J, double a, const lb_mat3 *A)
{
    J[0] += a * A->m[0][0];
    J[1] += a * A->m[1][1];
    J[2] += a * A->m[2][2];
    J[3] += 0.5 * a * (A->m[0][1] + A->m[1][0]);
    J[4] += 0.5 * a * (A->m[0][2] + A->m[2][0]);
    J[5] += 0.5 * a * (A->m[1][2] + A->m[2][1]);
}

static void add_translation(lb_lumped_sums *s, int n, double m, lb_vec3 x, const lb_vec3 *phi)
{
    for (int t = 0; t < n; ++t) {
        add3(s->E + 3 * t, lb_vec3_scale(m, phi[t]));
        add3(s->B0 + 3 * t, lb_vec3_scale(m, lb_vec3_cross(x, phi[t])));
        add_products(s->S + 6 * t, m, x, phi[t]);
        for (int r = 0; r < n; ++r) {
            s->M_ff[t * n + r] += m * lb_vec3_dot(phi[t], phi[r]);
            add3(s->B + 3 * (t * n + r), lb_vec3_scale(m, lb_vec3_cross(phi[t], phi[r])));
            add_products(s->S2 + 6 * (t * n + r), m, phi[t], phi[r]);
        }
    }
}

static void add_rotation(lb_lumped_sums *s, int n, const double inertia[3], const lb_vec3 *lambda)
{
    const lb_mat3 J = {{{inertia[0], 0, 0}, {0, inertia[1], 0}, {0, 0, inertia[2]}}};
    for (int t = 0; t < n; ++t) {
        const lb_mat3 T = tilde(lambda[t]), TJ = lb_mat3_mul(&T, &J), JT = lb_mat3_mul(&J, &T);
        add3(s->B0 + 3 * t, lb_mat3_mul_vec(&J, lambda[t]));
        // T J - J T is symmetric, and twice the symmetric part of T J
        lb_add_symmetric_part(s->S + 6 * t, 2.0, &TJ);
        for (int r = 0; r < n; ++r) {
            const lb_mat3 R = tilde(lambda[r]), TR = lb_mat3_mul(&T, &R);
            const lb_mat3 TRJ = lb_mat3_mul(&TR, &J), JTR = lb_mat3_mul(&J, &TR);
            const lb_mat3 TJR = lb_mat3_mul(&TJ, &R);
            const lb_vec3 b = lb_vec3_sub(lb_mat3_mul_vec(&TJ, lambda[r]),
                                          lb_vec3_scale(0.5, lb_mat3_mul_vec(&JT, lambda[r])));
            s->M_ff[t * n + r] += lb_vec3_dot(lambda[t], lb_mat3_mul_vec(&J, lambda[r]));
            add3(s->B + 3 * (t * n + r), b);
            // TR J + J TR and their transposes, RT J + J RT: their mean is the symmetric part
            lb_add_symmetric_part(s->S2 + 6 * (t * n + r), 1.0, &TRJ);
            lb_add_symmetric_part(s->S2 + 6 * (t * n + r), 1.0, &JTR);
            lb_add_symmetric_part(s->S2 + 6 * (t * n + r), -2.0, &TJR);
        }
    }
}

void lb_add_lump(lb_lumped_sums *s, int n, const double lump[6], lb_vec3 x, const lb_vec3 *phi,
                 const lb_vec3 *lambda)
{
    const double m = lump[0];
    s->mass += m;
    add3(s->h0, lb_vec3_scale(m, x));
    add_products(s->S0, 0.5 * m, x, x);
    for (int i = 0; i < 3; ++i) {
        s->S0[i] += lump[3 + i];
    }
    if (m > 0) {
        add_translation(s, n, m, x, phi);
    }
    if (lump[3] > 0 || lump[4] > 0 || lump[5] > 0) {
        add_rotation(s, n, lump + 3, lambda);
    }
}
