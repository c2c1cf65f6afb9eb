// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Eigenpairs of large sparse matrices: chains of equal masses and springs, whose frequencies are known,
//
//     omega_k = 2 sqrt(k / m) sin(a_k / 2),   a_k = k pi / (N + 1) with both ends held, k pi / N adrift
//
// by both libraries that factor; and what happens if a search misses modes.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "structure/fe.h"

#define PI 3.14159265358979323846

typedef struct chains {
    lb_fe_context context;
    lb_fe_matrix K, M;
    int length, count;
    char message[256];
} chains;

static void keep_message(void *user, const lb_diagnostic *diagnostic)
{
    chains *c = user;
    snprintf(c->message, sizeof c->message, "%s", diagnostic->message);
}

// Chains side by side, which nothing couples.
static void make_chains(chains *c, int count, int length, bool held)
{
    const int n = count * length;
    memset(c, 0, sizeof *c);
    const lb_report report = {keep_message, c};
    lb_fe_init(&c->context, NULL, &report);
    c->length = length;
    c->count = count;
    c->K.n = c->M.n = n;
    assert_true(LB_FE_TAKE(&c->context, c->K.start, n + 1));
    assert_true(LB_FE_TAKE(&c->context, c->K.row, 3 * n));
    assert_true(LB_FE_TAKE(&c->context, c->K.value, 3 * n));
    assert_true(LB_FE_TAKE(&c->context, c->M.value, 3 * n));
    int used = 0;
    for (int j = 0; j < n; ++j) {
        const int at = j % length;
        for (int i = at - 1; i <= at + 1; ++i) {
            if (i < 0 || i >= length) {
                continue;
            }
            const bool is_end = at == 0 || at == length - 1;
            c->K.row[used] = j + i - at;
            c->K.value[used] = i != at ? -1.0 : is_end && !held ? 1.0 : 2.0;
            c->M.value[used++] = i == at ? 1.0 : 0.0;
        }
        c->K.start[j + 1] = used;
    }
    c->M.start = c->K.start;
    c->M.row = c->K.row;
}

static double get_square(const chains *c, bool held, int k)
{
    const double half = held ? 0.5 * (k + 1) * PI / (c->length + 1) : 0.5 * k * PI / c->length;
    return 4 * sin(half) * sin(half);
}

// Searches, and compares squares, residuals and products of the vectors.
static void expect_modes(chains *c, bool held, lb_fe_search *search)
{
    const int n = c->K.n, count = search->count;
    double *squares = calloc((size_t)count, sizeof *squares);
    double *vectors = calloc((size_t)count * (size_t)n, sizeof *vectors);
    const lb_status status =
        lb_fe_search_modes(&c->context, search, &c->K, &c->M, squares, vectors);
    if (status != LB_OK) {
        print_message("%s\n", c->message);
    }
    lb_expect_ok(status);
    for (int i = 0; i < count; ++i) {
        const double expected = get_square(c, held, (search->skip + i) / c->count);
        // 1e-10: the shift is up to 1e4 times the lowest
        lb_expect_near("square", squares[i], expected, 1e-10);
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += vectors[i * n + k] * vectors[j * n + k];
            }
            assert_true(fabs(sum - (i == j)) < 1e-11);
        }
    }
    free(squares);
    free(vectors);
}

static const lb_fe_library libraries[] = {LB_FE_SUPERLU, LB_FE_MUMPS};

// Whether the build has it.
static bool has_library(chains *c, lb_fe_library library)
{
    lb_status status;
    lb_fe_factors *factors = lb_fe_factor_by(library, &c->K, &c->M, 1.0, &status);
    lb_fe_free_factors(factors);
    if (!factors) {
        assert_int_equal(status, LB_E_UNSUPPORTED);
        print_message("this build is without library %d\n", (int)library);
    }
    return factors != NULL;
}

static void both_libraries_find_the_modes_of_a_chain(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const bool held = i / 2 == 0;
        chains c;
        make_chains(&c, 1, 700, held);
        lb_fe_search search = {.skip = !held, .count = 30, .library = libraries[i % 2]};
        search.shift = held ? 0.0 : 1e-5;
        if (has_library(&c, search.library)) {
            expect_modes(&c, held, &search);
            assert_int_equal(search.rounds, 1);
        }
        lb_arena_free(&c.context.arena);
    }
}

static void both_libraries_count_eigenvalues_below_a_limit(void **state)
{
    (void)state;
    chains c;
    make_chains(&c, 3, 150, true);
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 150 && has_library(&c, libraries[i]); k += 7) {
            const double limit =
                k == 0 ? 0.0 : 0.5 * (get_square(&c, true, k - 1) + get_square(&c, true, k));
            int count;
            lb_expect_ok(lb_fe_count_below(libraries[i], &c.K, &c.M, limit, &count));
            assert_int_equal(count, 3 * k);
        }
    }
    lb_arena_free(&c.context.arena);
}

static void both_libraries_solve_many_right_hand_sides(void **state)
{
    (void)state;
    enum { N = 400, SIDES = 21 };
    chains c;
    make_chains(&c, 1, N, true);
    for (int i = 0; i < 2; ++i) {
        lb_status status;
        static double x[SIDES][N], b[SIDES][N];
        for (int k = 0; k < SIDES * N; ++k) {
            x[k / N][k % N] = sin(1.0 + k);
        }
        lb_fe_multiply_block(&c.K, x[0], SIDES, b[0]);
        lb_fe_factors *factors = lb_fe_factor_by(libraries[i], &c.K, &c.M, 0.0, &status);
        if (!factors) {
            continue;
        }
        assert_int_equal(factors->negative_count, 0);
        lb_expect_ok(lb_fe_solve(factors, b[0], SIDES));
        lb_fe_free_factors(factors);
        for (int k = 0; k < SIDES * N; ++k) {
            assert_true(fabs(b[k / N][k % N] - x[k / N][k % N]) < 1e-10); // condition 6e4
        }
    }
    lb_arena_free(&c.context.arena);
}

static void equal_modes_are_all_found(void **state)
{
    (void)state;
    // more of them than are searched for at a time
    chains c;
    make_chains(&c, 20, 60, true);
    lb_fe_search search = {.count = 45};
    expect_modes(&c, true, &search);
    print_message("rounds: %d\n", search.rounds);
    lb_arena_free(&c.context.arena);
}

static void modes_that_a_search_misses_are_searched_for_again(void **state)
{
    (void)state;
    // the search starts with nothing in the second chain, and never gets there
    chains c;
    make_chains(&c, 2, 400, true);
    lb_fe_search search = {.count = 21, .start_rows = 400};
    expect_modes(&c, true, &search);
    assert_int_equal(search.rounds, 2);
    lb_arena_free(&c.context.arena);
}

static void a_shift_that_is_far_off_is_replaced(void **state)
{
    (void)state;
    const double guesses[] = {1e4, 1e-3, 1e-14};
    for (int i = 0; i < 3; ++i) {
        chains c;
        make_chains(&c, 1, 900, false);
        lb_fe_search search = {.skip = 1, .count = 10, .shift = guesses[i], .adapts = true};
        expect_modes(&c, false, &search);
        const double ratio = search.shift / get_square(&c, false, 1);
        print_message("shift %.3g of the lowest, from %g\n", ratio, guesses[i]);
        assert_true(ratio > 0.9e-3 && ratio < 1.1e3);
        lb_arena_free(&c.context.arena);
    }
}

static void without_a_shift_a_free_chain_is_an_error_or_right(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        chains c;
        double squares[10];
        static double vectors[10 * 500];
        make_chains(&c, 1, 500, false);
        // one spring is softer by rounding: the stiffness is singular, but does not look it
        c.K.value[0] -= 1e-13;
        lb_fe_search search = {.skip = 1, .count = 10, .library = libraries[i]};
        const bool is_there = has_library(&c, search.library);
        const lb_status status =
            is_there ? lb_fe_search_modes(&c.context, &search, &c.K, &c.M, squares, vectors)
                     : LB_E_SINGULAR;
        print_message("%s\n", status == LB_OK ? "right" : c.message);
        for (int k = 0; k < 10 && status == LB_OK; ++k) {
            lb_expect_near("square", squares[k], get_square(&c, false, k + 1), 1e-7);
        }
        assert_true(status == LB_OK || status == LB_E_SINGULAR);
        lb_arena_free(&c.context.arena);
    }
}

enum { LINKS = 500, LOADS = 11 };

// A search that finds compliances too: of unit loads on masses all over the chain, more than are solved for together.
static lb_status search_with_loads(chains *c, lb_fe_search *search, const int *masses,
                                   double *compliances)
{
    double squares[30];
    static double vectors[30 * LINKS], columns[LOADS * LINKS];
    const lb_fe_loads loads = {.count = LOADS, .columns = columns, .compliances = compliances};
    memset(columns, 0, sizeof columns);
    for (int i = 0; i < LOADS; ++i) {
        columns[i * LINKS + masses[i]] = 1.0;
    }
    search->loads = &loads;
    return lb_fe_search_modes(&c->context, search, &c->K, &c->M, squares, vectors);
}

static const int loaded[LOADS] = {0, 1, 7, 50, 100, 200, 249, 300, 401, 498, 499};

static void compliances_come_with_the_modes(void **state)
{
    (void)state;
    // shifts from none to a hundred times the highest square that is found, 0.035
    const double shifts[] = {0.0, 1e-6, 1e-3, 0.1, 3.5};
    for (int i = 0; i < 10; ++i) {
        chains c;
        double compliances[LOADS];
        make_chains(&c, 1, LINKS, true);
        lb_fe_search search = {.count = 30, .shift = shifts[i / 2], .library = libraries[i % 2]};
        if (has_library(&c, search.library)) {
            lb_expect_ok(search_with_loads(&c, &search, loaded, compliances));
        }
        for (int k = 0; k < LOADS && has_library(&c, search.library); ++k) {
            // two springs of a number of links side by side
            const double left = loaded[k] + 1, right = LINKS - loaded[k];
            const double exact = left * right / (left + right);
            if (shifts[i / 2] < 3 && !(compliances[k] < 2 * exact)) {
                fail_msg("no compliance with the shift %g", shifts[i / 2]);
            }
            // 1e-11: the condition number of K is 1e5
            if (!isnan(compliances[k])) {
                lb_expect_near("compliance", compliances[k], exact, 1e-11);
            }
        }
        lb_arena_free(&c.context.arena);
    }
}

static void a_body_adrift_has_the_compliance_of_its_only_spring(void **state)
{
    (void)state;
    chains c;
    double compliances[LOADS];
    make_chains(&c, 1, LINKS, false);
    // as small as rounding makes it, and softer than all links together
    c.K.value[0] += 1e-15;
    const double spring = c.K.value[0] - 1.0;
    lb_fe_search search = {.count = 30, .shift = 1e-3};
    lb_expect_ok(search_with_loads(&c, &search, loaded, compliances));
    for (int k = 0; k < LOADS; ++k) {
        lb_expect_near("compliance", compliances[k], 1 / spring, 1e-9);
    }
    // with a motion that is skipped there is none
    search.skip = 1;
    lb_expect_ok(search_with_loads(&c, &search, loaded, compliances));
    for (int k = 0; k < LOADS; ++k) {
        assert_true(isnan(compliances[k]));
    }
    lb_arena_free(&c.context.arena);
}

static void a_stiffness_that_is_not_positive_is_an_error(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        chains c;
        double squares[5];
        static double vectors[5 * 600];
        make_chains(&c, 1, 600, true);
        c.K.value[c.K.start[300] + 1] = -2.0;
        lb_fe_search search = {.count = 5, .library = libraries[i]};
        if (has_library(&c, search.library)) {
            assert_int_equal(lb_fe_search_modes(&c.context, &search, &c.K, &c.M, squares, vectors),
                             LB_E_SINGULAR);
            print_message("%s\n", c.message);
            assert_non_null(strstr(c.message, "1 of the squared frequencies"));
        }
        lb_arena_free(&c.context.arena);
    }
}

static int stop_at_once(void *user, const char *what, double done)
{
    int *left = user;
    assert_true(what && done >= 0 && done <= 1);
    return (*left)-- <= 0;
}

static void a_search_can_be_ended_between_any_two_steps(void **state)
{
    (void)state;
    chains c;
    double squares[20], compliance;
    static double vectors[20 * 400], load[400] = {1.0};
    const lb_fe_loads loads = {.count = 1, .columns = load, .compliances = &compliance};
    lb_status status = LB_E_CALLBACK;
    make_chains(&c, 1, 400, true);
    int calls = 0;
    for (; status == LB_E_CALLBACK && calls < 100; ++calls) {
        int left = calls;
        lb_fe_search search = {
            .count = 20, .progress = stop_at_once, .user = &left, .loads = &loads};
        status = lb_fe_search_modes(&c.context, &search, &c.K, &c.M, squares, vectors);
    }
    print_message("%d calls\n", calls);
    lb_expect_ok(status);
    lb_expect_near("compliance", compliance, 400.0 / 401.0, 1e-11);
    assert_true(calls > 3);
    lb_arena_free(&c.context.arena);
}

// So many allocations succeed; what is not given back counts.
typedef struct supply {
    int left, live;
} supply;

static void *take_from(void *user, size_t size)
{
    supply *s = user;
    if (s->left-- <= 0) {
        return NULL;
    }
    ++s->live;
    return malloc(size);
}

static void give_to(void *user, void *memory)
{
    supply *s = user;
    s->live -= memory != NULL;
    free(memory);
}

static void a_search_without_memory_says_so(void **state)
{
    (void)state;
    static double vectors[20 * 400], load[400] = {1.0};
    double squares[20], compliance;
    chains c;
    make_chains(&c, 1, 400, true);
    lb_status status = LB_E_MEMORY;
    int allowed = 0;
    for (; status == LB_E_MEMORY && allowed < 100; ++allowed) {
        supply all = {.left = allowed};
        const lb_allocator allocator = {take_from, give_to, &all};
        const lb_fe_loads loads = {.count = 1, .columns = load, .compliances = &compliance};
        lb_fe_search search = {.count = 20, .loads = &loads};
        lb_fe_context context;
        lb_fe_init(&context, &allocator, NULL);
        status = lb_fe_search_modes(&context, &search, &c.K, &c.M, squares, vectors);
        lb_arena_free(&context.arena);
        assert_int_equal(all.live, 0);
    }
    print_message("%d allocations\n", allowed - 1);
    lb_expect_ok(status);
    assert_true(allowed > 8); // small ones share their pieces
    lb_arena_free(&c.context.arena);
}

// ---- threads -----------------------------------------------------------------------------------

static void *search_alone(void *user)
{
    double *squares = user;
    static const lb_fe_library by[] = {LB_FE_MUMPS, LB_FE_SUPERLU};
    chains c;
    make_chains(&c, 1, 500, true);
    double *vectors = calloc((size_t)500 * 10, sizeof *vectors);
    for (int i = 0; i < 2; ++i) {
        lb_fe_search search = {.count = 10, .library = by[i]};
        const lb_status status =
            lb_fe_search_modes(&c.context, &search, &c.K, &c.M, squares + 10 * i, vectors);
        squares[10 * i] = status == LB_OK ? squares[10 * i] : (double)status;
        print_message("%s%s", c.message, c.message[0] ? "\n" : "");
    }
    free(vectors);
    lb_arena_free(&c.context.arena);
    return NULL;
}

static void searches_in_several_threads_give_the_same_bits(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    static double squares[THREADS][20];
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, search_alone, squares[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], NULL);
        assert_memory_equal(squares[i], squares[0], sizeof squares[0]);
    }
    assert_true(squares[0][10] > 0);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_libraries_find_the_modes_of_a_chain),
        cmocka_unit_test(both_libraries_count_eigenvalues_below_a_limit),
        cmocka_unit_test(both_libraries_solve_many_right_hand_sides),
        cmocka_unit_test(equal_modes_are_all_found),
        cmocka_unit_test(modes_that_a_search_misses_are_searched_for_again),
        cmocka_unit_test(a_shift_that_is_far_off_is_replaced),
        cmocka_unit_test(without_a_shift_a_free_chain_is_an_error_or_right),
        cmocka_unit_test(compliances_come_with_the_modes),
        cmocka_unit_test(a_body_adrift_has_the_compliance_of_its_only_spring),
        cmocka_unit_test(a_stiffness_that_is_not_positive_is_an_error),
        cmocka_unit_test(a_search_can_be_ended_between_any_two_steps),
        cmocka_unit_test(a_search_without_memory_says_so),
        cmocka_unit_test(searches_in_several_threads_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
