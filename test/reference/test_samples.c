// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Random words, points of Sobol and quantiles against NumPy and SciPy: test/data/sweep/numbers.txt, which
// make_tables.py beside it has written.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"
#include "sweep/philox.h"
#include "sweep/quantile.h"
#include "sweep/sobol.h"

static int check_table(const char *kind, bool (*check)(const char *rest))
{
    FILE *file = fopen(lb_find_source("test/data/sweep/numbers.txt"), "r");
    char line[256];
    int count = 0;
    const size_t length = strlen(kind);
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, kind, length) == 0 && line[length] == ' ') {
            if (!check(line + length)) {
                print_error("%s", line);
                fail();
            }
            ++count;
        }
    }
    fclose(file);
    return count;
}

static bool is_word(const char *rest)
{
    uint64_t seed, stream, index, word;
    return sscanf(rest, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &seed, &stream, &index,
                  &word) == 4 &&
           lb_get_random_word(seed, stream, index) == word;
}

static bool is_stream(const char *rest)
{
    char name[64];
    uint64_t stream;
    return sscanf(rest, "%63s %" SCNu64, name, &stream) == 2 && lb_get_stream(name) == stream;
}

static bool is_point(const char *rest)
{
    int dimension;
    uint64_t index;
    double x;
    return sscanf(rest, "%d %" SCNu64 " %lf", &dimension, &index, &x) == 3 &&
           lb_compute_sobol(dimension, index) == x;
}

// 1e-14: both have about 16 digits, and the tails amplify those of the logarithm
static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-14 * (1.0 + fabs(b));
}

static bool is_normal(const char *rest)
{
    double p, z;
    return sscanf(rest, "%lf %lf", &p, &z) == 2 && is_close(lb_compute_normal_quantile(p), z);
}

static bool is_triangular(const char *rest)
{
    double p, low, mode, high, x;
    return sscanf(rest, "%lf %lf %lf %lf %lf", &p, &low, &mode, &high, &x) == 5 &&
           is_close(lb_compute_triangular_quantile(p, low, mode, high), x);
}

static void random_words_are_those_of_numpy(void **state)
{
    (void)state;
    assert_int_equal(check_table("philox", is_word), 32);
    assert_int_equal(check_table("name", is_stream), 3);
}

static void sobol_points_are_those_of_scipy(void **state)
{
    (void)state;
    assert_int_equal(check_table("sobol", is_point), 72);
}

static void quantiles_are_those_of_scipy(void **state)
{
    (void)state;
    assert_int_equal(check_table("normal", is_normal), 16);
    assert_int_equal(check_table("triangular", is_triangular), 15);
}

static void unit_numbers_never_reach_their_ends(void **state)
{
    (void)state;
    assert_true(lb_get_unit_number(0) > 0.0);
    assert_true(lb_get_unit_number(UINT64_MAX) < 1.0);
    assert_true(isfinite(lb_compute_normal_quantile(lb_get_unit_number(0))));
    assert_true(isfinite(lb_compute_normal_quantile(lb_get_unit_number(UINT64_MAX))));
}

static void permutations_have_every_number_once(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 4, 5, 100, 1025};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        unsigned char seen[1025] = {0};
        for (uint64_t k = 0; k < counts[i]; ++k) {
            const uint64_t at = lb_permute_index(3, 4, k, counts[i]);
            assert_true(at < counts[i] && !seen[at]);
            seen[at] = 1;
        }
    }
    assert_true(lb_permute_index(3, 4, 7, 1000) != lb_permute_index(4, 4, 7, 1000) ||
                lb_permute_index(3, 4, 8, 1000) != lb_permute_index(4, 4, 8, 1000));
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_words_are_those_of_numpy),
        cmocka_unit_test(sobol_points_are_those_of_scipy),
        cmocka_unit_test(quantiles_are_those_of_scipy),
        cmocka_unit_test(unit_numbers_never_reach_their_ends),
        cmocka_unit_test(permutations_have_every_number_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
