// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of one long chain, compiled for the host, against the articulated recursion. Where the compiler of CUDA is
// installed, it has to take them for old and new devices; where a device is, chains are computed there too.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "export/cuda/device.h"
#include "export/cuda/large/chain_layout.h"
#include "limber/cuda_division.h"
#include "scenes.h"

extern const unsigned char lb_chain_text[];

typedef struct subject {
    lb_scene *scene;
    lb_model *model;
    lb_work *work;
    double *q, *v, *tau, *a, *found;
    int n;
} subject;

static double *make_numbers(int count)
{
    double *numbers = calloc((size_t)count, sizeof *numbers);
    assert_non_null(numbers);
    return numbers;
}

// A chain in a random state.
//
// @param unlike  every link has a mass of its own
// @param size    of everything, 1 for metres
static subject begin_chain(lb_hard_chain kind, int n, int unlike, double size)
{
    subject s = {.scene = lb_create_hard_chain(kind, n), .n = n};
    lb_random random;
    lb_seed_random(&random, 31);
    for (int i = 0; unlike && i < n; ++i) {
        s.scene->bodies[i].mass *= lb_draw_uniform(&random, 0.5, 2);
    }
    lb_scale_scene(s.scene, size);
    s.model = lb_build_scene(s.scene);
    s.work = lb_create_work(s.model);
    assert_non_null(s.work);
    s.q = make_numbers(n);
    s.v = make_numbers(n);
    s.tau = make_numbers(n);
    s.a = make_numbers(n);
    s.found = make_numbers(n);
    // all but the easy ones are nearly straight
    const double bend = kind == LB_HARD_NONE ? 1.0 : 0.01;
    for (int i = 0; i < n; ++i) {
        s.q[i] = lb_draw_uniform(&random, -bend, bend);
        s.v[i] = lb_draw_uniform(&random, -1, 1);
        s.tau[i] = size * size * lb_draw_uniform(&random, -1, 1);
    }
    assert_int_equal(lb_compute_forward_dynamics(s.model, s.work, s.q, s.v, s.tau, s.a), LB_OK);
    return s;
}

static void end(subject *s)
{
    free(s->q);
    free(s->v);
    free(s->tau);
    free(s->a);
    free(s->found);
    lb_destroy_work(s->work);
    lb_destroy_model(s->model);
    lb_destroy_scene(s->scene);
}

static subject begin(lb_hard_chain kind, int n)
{
    return begin_chain(kind, n, 0, 1.0);
}

// Largest difference to the recursion, relative to the largest acceleration.
static double get_error(const subject *s)
{
    double error = 0.0, largest = 0.0;
    for (int i = 0; i < s->n; ++i) {
        const double off = fabs(s->found[i] - s->a[i]);
        error = off <= error ? error : off;
        largest = fmax(largest, fabs(s->a[i]));
    }
    return error / largest;
}

static void run_on_host(subject *s, int length, double *shift, double *gap, int *broken)
{
    lb_chain chain;
    lb_cut_chain(s->model, length, &chain);
    double *memory = make_numbers((int)lb_place_chain(&chain, NULL));
    lb_place_chain(&chain, memory);
    lb_write_chain_bodies(s->model, &chain, memory);
    lb_run_chain_on_host(&chain, s->q, s->v, s->tau, s->found);
    lb_judge_verdict(chain.verdicts, shift, gap, broken);
    free(memory);
}

static void test_chains_agree_with_the_recursion(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 7, 16, 65, 500, 3001};
    static const int lengths[] = {1, 4, 16, 32, 64};
    static const lb_hard_chain kinds[] = {LB_HARD_NONE, LB_HARD_STRAIGHT, LB_HARD_TINY,
                                          LB_HARD_RATIO};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
            subject s = begin(kinds[kind], counts[i]);
            for (size_t j = 0; j < sizeof lengths / sizeof *lengths; ++j) {
                double shift, gap;
                int broken;
                run_on_host(&s, lengths[j], &shift, &gap, &broken);
                if (kinds[kind] == LB_HARD_RATIO && lengths[j] == 1) {
                    // every other body is weak, by 1e4, and each is cut off by itself: digits are lost on every level
                    assert_true(get_error(&s) < 1e-9);
                    continue;
                }
                assert_true(get_error(&s) < 1e-12);
                assert_true(shift < 1e-10);
                assert_true(gap < 1e-10);
                assert_int_equal(broken, 0);
            }
            end(&s);
        }
    }
}

static void test_chains_of_unlike_links_agree_too(void **state)
{
    (void)state;
    static const int counts[] = {1, 40, 65, 3001};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        for (int kind = LB_HARD_NONE; kind <= LB_HARD_TINY; ++kind) {
            subject s = begin_chain((lb_hard_chain)kind, counts[i], 1, 1.0);
            double shift, gap;
            int broken;
            run_on_host(&s, 8, &shift, &gap, &broken);
            assert_true(get_error(&s) < 1e-12);
            assert_true(shift < 1e-10);
            assert_true(gap < 1e-10);
            assert_int_equal(broken, 0);
            end(&s);
        }
    }
}

// Lengths that are larger by a power of two change no digit of an acceleration, if no sum mixes numbers of different units.
static void test_chains_of_micrometres_and_megametres(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    static const double sizes[] = {0x1p-20, 0x1p20};
    for (int kind = LB_HARD_NONE; kind <= LB_HARD_TINY; ++kind) {
        for (int length = 4; length <= 64; length *= 4) {
            double shift, gap;
            int broken;
            subject metres = begin_chain((lb_hard_chain)kind, COUNT, 1, 1.0);
            run_on_host(&metres, length, &shift, &gap, &broken);
            for (int i = 0; i < 2; ++i) {
                subject s = begin_chain((lb_hard_chain)kind, COUNT, 1, sizes[i]);
                run_on_host(&s, length, &shift, &gap, &broken);
                assert_true(get_error(&s) < 1e-12);
                assert_true(shift < 1e-10);
                assert_true(gap < 1e-10);
                assert_int_equal(broken, 0);
                assert_memory_equal(s.found, metres.found, COUNT * sizeof(double));
                end(&s);
            }
            end(&metres);
        }
    }
}

// The check of a long run starts anew every LB_CHECKED bodies. Otherwise a run of 64 would have four times the shift of one
// of 32, and one of 128 sixteen times.
static void test_long_runs_leave_the_check_its_room(void **state)
{
    (void)state;
    subject s = begin(LB_HARD_NONE, 3001);
    double shifts[3], gap;
    int broken;
    for (int i = 0; i < 3; ++i) {
        run_on_host(&s, LB_CHECKED << i, &shifts[i], &gap, &broken);
        assert_true(get_error(&s) < 1e-12);
    }
    assert_true(shifts[1] < 2.0 * shifts[0]);
    assert_true(shifts[2] < 5.0 * shifts[0]);
    end(&s);
}

// What the check is for: masses over eight decades, at random.
static void test_wild_chains_are_noticed(void **state)
{
    (void)state;
    subject s = begin(LB_HARD_WILD, 2000);
    double shift, gap;
    int broken;
    for (int length = 16; length <= 64; length *= 4) {
        run_on_host(&s, length, &shift, &gap, &broken);
        assert_true(get_error(&s) > 1e-10);
        assert_true(shift > 1e-10);
    }
    end(&s);
}

// A residual that is not a number is never taken for a small one.
static void test_what_is_not_a_number_is_noticed(void **state)
{
    (void)state;
    subject s = begin(LB_HARD_NONE, 200);
    double shift, gap;
    int broken;
    s.q[100] = NAN;
    run_on_host(&s, 8, &shift, &gap, &broken);
    assert_false(shift <= 1e-10 && gap <= 1e-10);
    end(&s);
}

static void test_runs_do_not_end_with_light_bodies(void **state)
{
    (void)state;
    lb_scene *scene = lb_create_hard_chain(LB_HARD_RATIO, 100);
    lb_model *model = lb_build_scene(scene);
    lb_chain chain;
    lb_cut_chain(model, 8, &chain);
    // odd bodies are light
    assert_int_equal((chain.length - chain.pad - 1) % 2, 0);
    assert_int_equal(chain.run_count * chain.length, 100 + chain.pad + chain.tail);
    lb_destroy_model(model);
    lb_destroy_scene(scene);
}

static void test_other_models_are_found_out(void **state)
{
    (void)state;
    lb_scene *chain = lb_create_revolute_chain(5);
    lb_model *model = lb_build_scene(chain);
    assert_int_equal(lb_find_chain_obstacle(model), LB_NOT_FOUND);
    lb_destroy_model(model);
    chain->bodies[4].parent = 1;
    model = lb_build_scene(chain);
    assert_int_equal(lb_find_chain_obstacle(model), 4);
    lb_destroy_model(model);
    chain->bodies[4].parent = 3;
    chain->bodies[2].hinge.type = LB_HINGE_PRISMATIC;
    model = lb_build_scene(chain);
    assert_int_equal(lb_find_chain_obstacle(model), 2);
    lb_destroy_model(model);
    lb_destroy_scene(chain);
}

static void test_the_compiler_takes_the_kernels(void **state)
{
    (void)state;
    lb_nvrtc nvrtc;
    lb_text why = {.length = 0};
    if (lb_load_nvrtc(&nvrtc, &why) != LB_OK) {
        print_message("no compiler of CUDA: %s\n", why.data);
        skip();
    }
    // without copies by themselves, with them, and with kernels that start early
    static const char *const architectures[] = {"sm_75", "sm_80", "sm_90"};
    for (int i = 0; i < 3; ++i) {
        char *code;
        size_t size;
        if (lb_compile_cuda_text(&nvrtc, architectures[i], (const char *)lb_chain_text, "chain.cu",
                                 0, NULL, &code, &size, &why) != LB_OK) {
            fail_msg("%s: %s", architectures[i], why.data);
        }
        assert_true(size > 10000);
        free(code);
    }
}

// Chains that need one, two and three kernels for their joins, full and not, and blocks that are not full.
static void test_a_device_joins_any_number_of_runs(void **state)
{
    (void)state;
    static const struct {
        int count, length;
    } cases[] = {{1, 4},    {5, 1},     {128, 1},   {129, 1},
                 {3001, 1}, {16384, 1}, {40001, 1}, {40001, 64}};
    lb_cuda *cuda;
    if (lb_create_cuda(NULL, NULL, &cuda) != LB_OK) {
        print_message("no device\n");
        skip();
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        subject s = begin(LB_HARD_NONE, cases[i].count);
        double *first = make_numbers(s.n);
        lb_cuda_division_options options = lb_default_cuda_division_options();
        lb_cuda_division *division;
        options.run_length = cases[i].length;
        assert_int_equal(lb_create_cuda_division(cuda, s.model, &options, &division), LB_OK);
        for (int again = 0; again < 3; ++again) {
            assert_int_equal(lb_compute_forward_dynamics_divided_cuda(s.model, s.work, division,
                                                                      s.q, s.v, s.tau, s.found),
                             LB_OK);
            assert_true(get_error(&s) < 1e-12);
            // the same bits every time
            if (!again) {
                memcpy(first, s.found, (size_t)s.n * sizeof *first);
            }
            assert_memory_equal(s.found, first, (size_t)s.n * sizeof *first);
        }
        lb_destroy_cuda_division(division);
        free(first);
        end(&s);
    }
    lb_destroy_cuda(cuda);
}

static void test_a_device_gives_the_same(void **state)
{
    (void)state;
    lb_cuda *cuda;
    if (lb_create_cuda(NULL, NULL, &cuda) != LB_OK) {
        print_message("no device\n");
        skip();
    }
    subject s = begin(LB_HARD_NONE, 3001);
    lb_cuda_division *division;
    assert_int_equal(lb_create_cuda_division(cuda, s.model, NULL, &division), LB_OK);
    assert_int_equal(lb_compute_forward_dynamics_divided_cuda(s.model, s.work, division, s.q, s.v,
                                                              s.tau, s.found),
                     LB_OK);
    assert_true(get_error(&s) < 1e-12);

    // numbers that are none
    lb_cuda_division_options options = lb_default_cuda_division_options();
    lb_cuda_division *refused;
    options.tolerance = NAN;
    assert_int_equal(lb_create_cuda_division(cuda, s.model, &options, &refused), LB_E_NUMBER);
    s.q[7] = NAN;
    assert_int_equal(lb_compute_forward_dynamics_divided_cuda(s.model, s.work, division, s.q, s.v,
                                                              s.tau, s.found),
                     LB_E_NUMBER);
    lb_destroy_cuda_division(division);
    lb_destroy_cuda(cuda);
    end(&s);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains_agree_with_the_recursion),
        cmocka_unit_test(test_chains_of_unlike_links_agree_too),
        cmocka_unit_test(test_chains_of_micrometres_and_megametres),
        cmocka_unit_test(test_long_runs_leave_the_check_its_room),
        cmocka_unit_test(test_wild_chains_are_noticed),
        cmocka_unit_test(test_what_is_not_a_number_is_noticed),
        cmocka_unit_test(test_runs_do_not_end_with_light_bodies),
        cmocka_unit_test(test_other_models_are_found_out),
        cmocka_unit_test(test_the_compiler_takes_the_kernels),
        cmocka_unit_test(test_a_device_gives_the_same),
        cmocka_unit_test(test_a_device_joins_any_number_of_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
