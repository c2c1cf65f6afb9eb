// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Small dense vectors and matrices against values by hand.
#include <math.h>

#include "base/arena.h"
#include "base/dense.h"
#include "check.h"

static const double A[6] = {1, 2, 0, 3, 4, 5}; // 2 x 3

static void expect(const double *x, const double *wanted, int count)
{
    for (int i = 0; i < count; ++i) {
        assert_true(x[i] == wanted[i]);
    }
}

static void vectors_are_measured_and_added(void **state)
{
    (void)state;
    const double x[3] = {3, NAN, -4}, y[2] = {3, 4};
    double z[2] = {1, 1};
    assert_true(lb_compute_dot(2, y, y) == 25 && lb_compute_dot(0, y, y) == 0);
    assert_true(lb_compute_norm(2, y) == 5);
    assert_true(lb_find_largest(3, x) == 4 && lb_find_largest(0, x) == 0);
    lb_add_scaled(2, -2, y, z);
    expect(z, (double[]){-5, -7}, 2);
}

static void products_are_those_of_the_rows(void **state)
{
    (void)state;
    const double x[3] = {1, 0, 2}, B[6] = {1, 2, 3, 4, 5, 6}; // 3 x 2
    double y[3] = {10, 10, 10}, C[9];
    lb_add_image(2, 3, 2, A, x, y);
    expect(y, (double[]){12, 36, 10}, 3);
    lb_add_transposed_image(2, 3, -1, A, x, y); // x has two entries here
    expect(y, (double[]){11, 34, 10}, 3);
    lb_form_product(2, 3, 2, A, B, C);
    expect(C, (double[]){7, 10, 40, 52}, 4);
    lb_add_matrix_product(2, 3, 2, -2, A, B, C);
    expect(C, (double[]){-7, -10, -40, -52}, 4);
    lb_form_transposed_product(2, 3, 3, A, A, C);
    expect(C, (double[]){10, 14, 15, 14, 20, 20, 15, 20, 25}, 9);
}

static void triangles_and_whole_systems_are_solved(void **state)
{
    (void)state;
    const double R[6] = {2, 1, 9, 0, 4, 9}; // 2 x 2 in rows of three
    double x[2] = {4, 8}, y[2] = {4, 10}, S[4] = {0, 2, 1, 3}, b[2] = {4, 7};
    int pivot[2];
    lb_solve_triangle(2, 3, R, x);
    expect(x, (double[]){1, 2}, 2);
    lb_solve_transposed_triangle(2, 3, R, y);
    expect(y, (double[]){2, 2}, 2);
    assert_true(lb_factor_lu(2, S, pivot)); // rows are exchanged
    lb_solve_lu(2, S, pivot, b);
    expect(b, (double[]){1, 2}, 2);
    assert_false(lb_factor_lu(2, (double[]){1, 2, 2, 4}, pivot));
}

static void a_record_goes_with_its_arena(void **state)
{
    (void)state;
    lb_arena *arena = NULL;
    double *record = lb_create_record(3 * sizeof *record, &arena);
    assert_non_null(record);
    expect(record, (double[]){0, 0, 0}, 3);
    assert_non_null(lb_take_numbers(arena, 10000)); // the address sanitizer would see a leak
    lb_destroy_record(record);
    lb_destroy_record(NULL);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_measured_and_added),
        cmocka_unit_test(products_are_those_of_the_rows),
        cmocka_unit_test(triangles_and_whole_systems_are_solved),
        cmocka_unit_test(a_record_goes_with_its_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
