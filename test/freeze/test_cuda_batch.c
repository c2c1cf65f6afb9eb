// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches on a device against the engine. Without a device: that the library says so.
#include <limber/cuda.h>
#include <limber/derivatives.h>
#include <limber/dynamics.h>
#include <limber/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cuda_trial.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/tree/tree.h"
#include "heard.h"
#include "model_texts.h"
#include "small_tree.h"

static const double float_tolerance = 1e-4;

// ---- with a device -----------------------------------------------------------------------------

static void check_model(lb_model *model, lb_frozen_number number)
{
    const double bound = number == LB_FROZEN_DOUBLE ? tolerance : float_tolerance;
    trial t = begin(model);
    lb_cuda_batch *batch = make_batch(t.model, "forward,inverse,mass", number, 0);
    const size_t n = (size_t)t.n;
    send(&t, batch);
    lb_expect_ok(lb_compute_forward_dynamics_cuda(batch, COUNT, t.device_q, t.device_v,
                                                  t.device_tau, t.out[0]));
    lb_expect_ok(lb_compute_inverse_dynamics_cuda(batch, COUNT, t.device_q, t.device_v,
                                                  t.device_tau, t.out[1]));
    lb_expect_ok(lb_compute_mass_matrix_cuda(batch, COUNT, t.device_q, t.out[2]));
    for (int k = 0; k < 3; ++k) {
        const size_t width = k == 2 ? n * n : n;
        lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, (int)width, t.out[k], t.found));
        for (int i = 0; i < COUNT; i += 7) {
            const double *q = t.q + i * t.nq, *v = t.v + i * t.n, *x = t.tau + i * t.n;
            if (k == 0) {
                lb_tree_forward(t.model, t.work, q, v, x, t.expected);
            } else if (k == 1) {
                lb_tree_inverse(t.model, t.work, q, v, x, t.expected);
            } else {
                lb_tree_mass_matrix(t.model, t.work, q, t.expected);
            }
            lb_expect_close("on the device", t.found + (size_t)i * width, t.expected, width, bound);
        }
    }
    lb_expect_ok(lb_get_cuda_failure(batch, NULL));
    lb_destroy_cuda_batch(batch);
    end(&t);
}

static void answers_are_those_of_the_engine(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    // each model is compiled anew; between them these four types have angles, distances and a quaternion
    static const lb_hinge_type some[] = {LB_HINGE_SCREW, LB_HINGE_UNIVERSAL, LB_HINGE_PLANAR,
                                         LB_HINGE_FREE};
    const int count = lb_is_long() ? LB_HINGE_FREE : (int)(sizeof some / sizeof *some);
    for (int i = 0; i < count; ++i) {
        const unsigned hinges = LB_HINGE_BIT(lb_is_long() ? LB_HINGE_FIXED + 1 + i : (int)some[i]);
        check_model(lb_make_small_tree(hinges, 3, 0, LB_FIDELITY_CONSISTENT), LB_FROZEN_DOUBLE);
    }
    for (int fidelity = LB_FIDELITY_CONSISTENT; fidelity <= LB_FIDELITY_APPENDIX_C; ++fidelity) {
        check_model(
            lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 4, 3, (lb_fidelity)fidelity),
            LB_FROZEN_DOUBLE);
    }
    check_model(lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 3, 0, LB_FIDELITY_CONSISTENT),
                LB_FROZEN_FLOAT);
}

// The same calls as on the cores: answers, and what is wrong with a state.
static void the_device_is_the_machine_of_a_batch(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    trial t =
        begin(lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 4, 2, LB_FIDELITY_CONSISTENT));
    lb_cuda_batch *kernels = make_batch(t.model, "forward,inverse,mass", LB_FROZEN_DOUBLE, 0);
    lb_batch_options options = lb_default_batch_options();
    lb_batch *cores = lb_create_batch(t.model, &options);
    options.machine = lb_make_cuda_machine(kernels);
    lb_batch *batch = lb_create_batch(t.model, &options);
    const size_t n = (size_t)t.n, all = COUNT * n;
    double *one = lb_make_numbers(all * n), *two = lb_make_numbers(all * n);
    // fewer, then more states; without forces
    for (int count = COUNT / 2; count <= COUNT; count += COUNT - COUNT / 2) {
        const double *tau = count < COUNT ? NULL : t.tau;
        lb_expect_ok(lb_compute_forward_dynamics_batch(t.model, batch, count, t.q, t.v, tau, one));
        lb_expect_ok(lb_compute_forward_dynamics_batch(t.model, cores, count, t.q, t.v, tau, two));
        lb_expect_close("forward", one, two, (size_t)count * n, tolerance);
    }
    lb_expect_ok(lb_compute_inverse_dynamics_batch(t.model, batch, COUNT, t.q, t.v, t.tau, one));
    lb_expect_ok(lb_compute_inverse_dynamics_batch(t.model, cores, COUNT, t.q, t.v, t.tau, two));
    lb_expect_close("inverse", one, two, all, tolerance);
    lb_expect_ok(lb_compute_mass_matrix_batch(t.model, batch, COUNT, t.q, one));
    lb_expect_ok(lb_compute_mass_matrix_batch(t.model, cores, COUNT, t.q, two));
    lb_expect_close("mass", one, two, all * n, tolerance);
    int index, entry;
    t.v[5 * n + 1] = NAN;
    assert_int_equal(lb_compute_forward_dynamics_batch(t.model, batch, COUNT, t.q, t.v, t.tau, one),
                     LB_E_NUMBER);
    assert_string_equal(lb_get_batch_bad_number(batch, &index, &entry), "v");
    assert_int_equal(index, 5);
    assert_int_equal(entry, 1);
    assert_true(isnan(one[5 * n]) && !isnan(one[6 * n]));
    free(one);
    free(two);
    lb_destroy_batch(batch);
    lb_destroy_batch(cores);
    lb_destroy_cuda_batch(kernels);
    end(&t);
}

static void derivatives_are_those_of_the_engine(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    trial t =
        begin(lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 4, 1, LB_FIDELITY_CONSISTENT));
    const size_t n = (size_t)t.n;
    lb_cuda_batch *batch = make_batch(t.model, "derivatives", LB_FROZEN_DOUBLE, 0);
    lb_derivative_work *more = lb_create_derivative_work(t.model);
    send(&t, batch);
    lb_expect_ok(lb_compute_forward_derivatives_cuda(batch, COUNT, t.device_q, t.device_v,
                                                     t.device_tau, t.out[0], t.out[1], t.out[2],
                                                     t.out[3]));
    for (int k = 1; k < 4; ++k) {
        lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, (int)(n * n), t.out[k], t.found));
        for (int i = 0; i < COUNT; i += 37) {
            double *d[4] = {t.expected + 3 * n * n, t.expected, t.expected + n * n,
                            t.expected + 2 * n * n};
            lb_expect_ok(lb_tree_forward_derivatives(t.model, t.work, more, t.q + i * t.nq,
                                                     t.v + i * t.n, t.tau + i * t.n, d[0], d[1],
                                                     d[2], d[3]));
            lb_expect_close("derivatives", t.found + (size_t)i * n * n, d[k], n * n, 1e-11);
        }
    }
    lb_destroy_derivative_work(more);
    lb_destroy_cuda_batch(batch);
    end(&t);
}

static void bits_do_not_depend_on_batch_or_block(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    trial t =
        begin(lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 6, 0, LB_FIDELITY_CONSISTENT));
    static const int threads[] = {0, 32, 64, 256};
    double *first = lb_make_numbers((size_t)(COUNT * t.n));
    for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
        lb_cuda_batch *batch = make_batch(t.model, "forward", LB_FROZEN_DOUBLE, threads[k]);
        for (int part = 0; part < 2; ++part) { // all, or the last 333
            const int skipped = part ? COUNT - 333 : 0, count = COUNT - skipped;
            lb_expect_ok(
                lb_copy_states_to_cuda(batch, count, t.nq, t.q + skipped * t.nq, t.device_q));
            lb_expect_ok(
                lb_copy_states_to_cuda(batch, count, t.n, t.v + skipped * t.n, t.device_v));
            lb_expect_ok(
                lb_copy_states_to_cuda(batch, count, t.n, t.tau + skipped * t.n, t.device_tau));
            lb_expect_ok(lb_compute_forward_dynamics_cuda(batch, count, t.device_q, t.device_v,
                                                          t.device_tau, t.out[0]));
            lb_expect_ok(lb_copy_states_from_cuda(batch, count, t.n, t.out[0], t.found));
            if (k == 0 && part == 0) {
                memcpy(first, t.found, (size_t)(COUNT * t.n) * sizeof *first);
            }
            assert_memory_equal(first + skipped * t.n, t.found,
                                (size_t)(count * t.n) * sizeof *first);
        }
        lb_destroy_cuda_batch(batch);
    }
    free(first);
    end(&t);
}

// A chain of ruthless beams, by the kernel with tables beside written ones: answers, bits, trouble, and a refusal.
static void tables_give_the_same_answers(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    trial t = begin(lb_build_unlike_chain(4, 4, LB_FIDELITY_RUTHLESS, 1));
    lb_cuda_batch_options options = lb_default_cuda_batch_options();
    lb_cuda_batch *batch = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    options.functions = "inverse,forward";
    options.kernels = LB_CUDA_TABLES;
    lb_expect_ok(lb_create_cuda_batch(device, t.model, &options, &report, &batch));
    double *first = lb_make_numbers((size_t)(COUNT * t.n));
    for (int count = COUNT; count > 0; count /= 7) {
        lb_expect_ok(lb_copy_states_to_cuda(batch, count, t.nq, t.q, t.device_q));
        lb_expect_ok(lb_copy_states_to_cuda(batch, count, t.n, t.v, t.device_v));
        lb_expect_ok(lb_copy_states_to_cuda(batch, count, t.n, t.tau, t.device_tau));
        lb_expect_ok(lb_compute_forward_dynamics_cuda(batch, count, t.device_q, t.device_v,
                                                      t.device_tau, t.out[0]));
        lb_expect_ok(lb_compute_inverse_dynamics_cuda(batch, count, t.device_q, t.device_v,
                                                      t.out[0], t.out[1]));
        lb_expect_ok(lb_copy_states_from_cuda(batch, count, t.n, t.out[0], t.found));
        for (int i = 0; count == COUNT && i < count; i += 7) {
            lb_tree_forward(t.model, t.work, t.q + i * t.nq, t.v + i * t.n, t.tau + i * t.n,
                            t.expected);
            lb_expect_close("tables", t.found + i * t.n, t.expected, t.n, tolerance);
        }
        if (count == COUNT) {
            memcpy(first, t.found, (size_t)(COUNT * t.n) * sizeof *first);
        }
        assert_memory_equal(first, t.found, (size_t)(count * t.n) * sizeof *first);
        lb_expect_ok(lb_copy_states_from_cuda(batch, count, t.n, t.out[1], t.found));
        lb_expect_close("inverse undoes", t.found, t.tau, count * t.n, 1e-10);
    }
    long long where;
    lb_expect_ok(lb_get_cuda_failure(batch, NULL));
    t.q[t.nq * 40 + 1] = NAN;
    send(&t, batch);
    lb_expect_ok(lb_compute_forward_dynamics_cuda(batch, COUNT, t.device_q, t.device_v,
                                                  t.device_tau, t.out[0]));
    assert_int_equal(lb_get_cuda_failure(batch, &where), LB_E_NUMBER);
    assert_int_equal(where, 40);
    lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, t.n, t.out[0], t.found));
    assert_true(isnan(t.found[t.n * 40]) && isfinite(t.found[t.n * 41]));
    lb_destroy_cuda_batch(batch);
    options.number = LB_FROZEN_FLOAT;
    assert_int_equal(lb_create_cuda_batch(device, t.model, &options, &report, &batch),
                     LB_E_UNSUPPORTED);
    assert_non_null(strstr(heard.entries[0].message, "double precision"));
    free(first);
    end(&t);
}

// A point mass that slides on an arm without mass: at the pivot nothing resists the arm.
static void states_that_fail_are_named(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    static const char text[] = LB_BEAD;
    lb_model *model = NULL;
    lb_expect_ok(
        lb_load_model_text(text, strlen(text), "model.yaml", LB_FORMAT_YAML, NULL, NULL, &model));
    trial t = begin(model);
    lb_cuda_batch *batch = make_batch(model, "forward", LB_FROZEN_DOUBLE, 0);
    for (int i = 0; i < COUNT; ++i) {
        t.q[2 * i + 1] = i == 123 || i == 500 ? 0.0 : 1.0;
    }
    long long where;
    send(&t, batch);
    lb_expect_ok(lb_compute_forward_dynamics_cuda(batch, COUNT, t.device_q, t.device_v,
                                                  t.device_tau, t.out[0]));
    assert_int_equal(lb_get_cuda_failure(batch, &where), LB_E_SINGULAR);
    assert_int_equal(where, 123);
    lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, 2, t.out[0], t.found));
    assert_true(isnan(t.found[2 * 123]) && isnan(t.found[2 * 500 + 1]));
    assert_true(isfinite(t.found[2 * 124]));
    t.q[2 * 123 + 1] = t.q[2 * 500 + 1] = 1.0;
    t.v[2 * 77] = INFINITY;
    send(&t, batch);
    lb_expect_ok(lb_compute_forward_dynamics_cuda(batch, COUNT, t.device_q, t.device_v,
                                                  t.device_tau, t.out[0]));
    assert_int_equal(lb_get_cuda_failure(batch, &where), LB_E_NUMBER);
    assert_int_equal(where, 77);
    lb_expect_ok(lb_get_cuda_failure(batch, &where));
    assert_int_equal(where, -1);
    lb_destroy_cuda_batch(batch);
    end(&t);
}

static void motion_of_a_node_is_the_engine_s(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    trial t =
        begin(lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_FREE) | LB_HINGE_BIT(LB_HINGE_REVOLUTE), 3,
                                 2, LB_FIDELITY_CONSISTENT));
    const char *body = lb_get_body_name(t.model, 2), *node = lb_get_node_name(t.model, 2, 0);
    char word[128], name[128];
    snprintf(word, sizeof word, "motion:%s.%s", body, node);
    snprintf(name, sizeof name, "motion_%s_%s", body, node);
    lb_cuda_batch *batch = make_batch(t.model, word, LB_FROZEN_DOUBLE, 0);
    void *motion = allocate((size_t)COUNT * 13);
    double *y = lb_make_numbers((size_t)COUNT * 13);
    send(&t, batch);
    lb_expect_ok(lb_compute_node_motion_cuda(batch, name, COUNT, t.device_q, t.device_v, motion));
    lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, 13, motion, y));
    for (int i = 0; i < COUNT; i += 37) {
        lb_node_motion m;
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q + i * t.nq, t.v + i * t.n, NULL));
        lb_expect_ok(lb_compute_node_motion(t.model, t.work, 2, 0, &m));
        lb_expect_close("position", y + (size_t)i * 13, m.position, 3, tolerance);
        lb_expect_close("rotation", y + (size_t)i * 13 + 3, m.rotation, 4, tolerance);
        lb_expect_close("velocity", y + (size_t)i * 13 + 7, m.velocity, 6, tolerance);
    }
    free(y);
    lb_release_on_cuda(device, motion);
    lb_destroy_cuda_batch(batch);
    end(&t);
}

static void what_cannot_be_done_is_refused_by_name(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    lb_model *model = NULL;
    lb_cuda_batch *batch = NULL;
    lb_frozen *frozen = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_expect_ok(lb_load_model(lb_find_source("examples/iiwa.yaml"), NULL, NULL, &model));
    lb_expect_ok(lb_freeze_model(model, NULL, NULL, &frozen)); // as C
    assert_int_equal(lb_load_cuda_batch(device, frozen, NULL, &report, &batch), LB_E_ARGUMENT);
    assert_non_null(strstr(heard.entries[0].message, "LB_FROZEN_CUDA"));
    assert_null(batch);
    lb_destroy_frozen(frozen);
    lb_cuda_batch_options options = lb_default_cuda_batch_options();
    options.thread_count = 33;
    assert_int_equal(lb_create_cuda_batch(device, model, &options, &report, &batch), LB_E_ARGUMENT);
    options = lb_default_cuda_batch_options();
    options.size += 8;
    assert_int_equal(lb_create_cuda_batch(device, model, &options, &report, &batch), LB_E_VERSION);
    lb_destroy_model(model);
}

// ---- without one -------------------------------------------------------------------------------

static void where_there_is_no_device_it_is_said(void **state)
{
    (void)state;
    lb_cuda_options options = lb_default_cuda_options();
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_cuda *cuda = NULL;
    options.index = 1000;
    assert_int_equal(lb_create_cuda(&options, &report, &cuda), LB_E_UNSUPPORTED);
    assert_null(cuda);
    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.entries[0].message, "no device"));
    options.size = sizeof options + 8;
    assert_int_equal(lb_create_cuda(&options, &report, &cuda), LB_E_VERSION);
    lb_destroy_cuda(NULL);
    lb_destroy_cuda_batch(NULL);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_there_is_no_device_it_is_said),
        cmocka_unit_test(answers_are_those_of_the_engine),
        cmocka_unit_test(the_device_is_the_machine_of_a_batch),
        cmocka_unit_test(derivatives_are_those_of_the_engine),
        cmocka_unit_test(bits_do_not_depend_on_batch_or_block),
        cmocka_unit_test(tables_give_the_same_answers),
        cmocka_unit_test(states_that_fail_are_named),
        cmocka_unit_test(motion_of_a_node_is_the_engine_s),
        cmocka_unit_test(what_cannot_be_done_is_refused_by_name),
    };
    if (lb_create_cuda(NULL, NULL, &device) != LB_OK) {
        print_message("no device: most of this is skipped\n");
    }
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    lb_destroy_cuda(device);
    return failures;
}
