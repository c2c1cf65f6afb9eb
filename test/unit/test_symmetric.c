// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues of small symmetric matrices.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/symmetric.h"
#include "program.h"

enum { N = 4 };

// The matrix of second differences: 2 - 2 cos(k pi / 5). Only its lower triangle is right.
static void make_chain(double *A)
{
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            A[N * i + j] = i == j ? 2.0 : i == j + 1 ? -1.0 : i > j ? 0.0 : 7.0 + i;
        }
    }
}

static void test_values_come_from_the_lower_triangle(void **state)
{
    double A[N * N], values[N];
    (void)state;
    make_chain(A);
    lb_compute_eigenvalues(N, A, values);
    for (int k = 0; k < N; ++k) {
        const double expected = 2.0 - 2.0 * cos((k + 1) * acos(-1.0) / 5.0);
        assert_true(fabs(values[k] - expected) < 1e-15 * 4); // rounding of the largest
    }
}

static void test_vectors_diagonalize(void **state)
{
    double A[N * N], D[N * N], V[N * N];
    (void)state;
    make_chain(A);
    memcpy(D, A, sizeof D);
    lb_compute_eigenvectors(N, D, V);
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            // nothing is left beside the diagonal: the sweeps end by themselves
            assert_true(i == j || fabs(D[N * i + j]) < 1e-16);
            double product = 0.0, unit = 0.0;
            for (int k = 0; k < N; ++k) {
                product += V[N * i + k] * D[(N + 1) * k] * V[N * j + k];
                unit += V[N * i + k] * V[N * j + k];
            }
            assert_true(fabs(product - (i >= j ? A[N * i + j] : A[N * j + i])) < 1e-14);
            assert_true(fabs(unit - (i == j)) < 1e-14);
        }
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_come_from_the_lower_triangle),
        cmocka_unit_test(test_vectors_diagonalize),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
