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
#include "course.h"
#include "heard.h"
#include "model_texts.h"
#include "small_tree.h"

static lb_cuda *device;

// 1e-12: what the project promises of the device, on models of moderate condition
static const double tolerance = 1e-12, float_tolerance = 1e-4;

enum { COUNT = 1000, MOST = 24 };

typedef struct trial {
    lb_model *model;
    lb_work *work;
    int nq, n;
    double *q, *v, *tau, *found, *expected;
    void *device_q, *device_v, *device_tau, *out[4];
} trial;

static void *allocate(size_t count)
{
    void *memory = NULL;
    lb_expect_ok(lb_allocate_on_cuda(device, count * sizeof(double), &memory));
    return memory;
}

static trial begin(lb_model *model)
{
    trial t = {.model = model};
    t.work = lb_create_work(model);
    t.nq = lb_get_q_count(model);
    t.n = lb_get_v_count(model);
    assert_true(t.nq <= MOST + 3 && t.n <= MOST);
    const size_t n = (size_t)t.n, nq = (size_t)t.nq;
    t.q = lb_make_numbers(COUNT * nq);
    t.v = lb_make_numbers(COUNT * n);
    t.tau = lb_make_numbers(COUNT * n);
    t.found = lb_make_numbers(COUNT * n * n + COUNT * nq);
    t.expected = lb_make_numbers(n * n * 3 + n + nq);
    double neutral[MOST + 3], d[MOST];
    lb_get_neutral_configuration(model, neutral);
    for (int i = 0; i < COUNT; ++i) {
        for (int j = 0; j < t.n; ++j) {
            d[j] = sin(1.0 + j + 0.37 * i);
            t.v[i * t.n + j] = 0.3 * cos(0.21 * i + 2.0 * j);
            t.tau[i * t.n + j] = sin(0.11 * i - 3.0 * j);
        }
        for (int body = 0; body < lb_get_body_count(model); ++body) {
            for (int r = 0; r < lb_get_mode_count(model, body); ++r) {
                d[lb_get_v_offset(model, body) + r] *= 1e-2;
            }
        }
        lb_integrate_configuration(model, neutral, d, t.q + i * t.nq);
    }
    t.device_q = allocate(COUNT * nq);
    t.device_v = allocate(COUNT * n);
    t.device_tau = allocate(COUNT * n);
    for (int i = 0; i < 4; ++i) {
        t.out[i] = allocate(COUNT * n * n);
    }
    return t;
}

static void send(trial *t, lb_cuda_batch *batch)
{
    lb_expect_ok(lb_copy_states_to_cuda(batch, COUNT, t->nq, t->q, t->device_q));
    lb_expect_ok(lb_copy_states_to_cuda(batch, COUNT, t->n, t->v, t->device_v));
    lb_expect_ok(lb_copy_states_to_cuda(batch, COUNT, t->n, t->tau, t->device_tau));
}

static void end(trial *t)
{
    double *const host[] = {t->q, t->v, t->tau, t->found, t->expected};
    void *const far[] = {t->device_q, t->device_v, t->device_tau, t->out[0],
                         t->out[1],   t->out[2],   t->out[3]};
    for (size_t i = 0; i < sizeof host / sizeof *host; ++i) {
        free(host[i]);
    }
    for (size_t i = 0; i < sizeof far / sizeof *far; ++i) {
        lb_release_on_cuda(device, far[i]);
    }
    lb_destroy_work(t->work);
    lb_destroy_model(t->model);
}

static lb_cuda_batch *make_batch(const lb_model *model, const char *functions,
                                 lb_frozen_number number, int thread_count)
{
    lb_cuda_batch_options options = lb_default_cuda_batch_options();
    lb_cuda_batch *batch = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    options.functions = functions;
    options.number = number;
    options.thread_count = thread_count;
    options.operation_count = 700; // some functions in parts
    options.chunk_count = 300;     // of some states at a time
    const lb_status status = lb_create_cuda_batch(device, model, &options, &report, &batch);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    lb_expect_ok(status);
    return batch;
}

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
                lb_compute_forward_dynamics(t.model, t.work, q, v, x, t.expected);
            } else if (k == 1) {
                lb_compute_inverse_dynamics(t.model, t.work, q, v, x, t.expected);
            } else {
                lb_compute_mass_matrix(t.model, t.work, q, t.expected);
            }
            lb_expect_close("on the device", t.found + (size_t)i * width, t.expected, width, bound);
        }
    }
    lb_expect_ok(lb_get_cuda_trouble(batch, NULL));
    lb_destroy_cuda_batch(batch);
    end(&t);
}

static void answers_are_those_of_the_engine(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    for (int hinge = LB_HINGE_FIXED + 1; hinge <= LB_HINGE_FREE; ++hinge) {
        check_model(lb_make_small_tree(LB_HINGE_BIT(hinge), 3, 0, LB_FIDELITY_CONSISTENT),
                    LB_FROZEN_DOUBLE);
    }
    for (int fidelity = LB_FIDELITY_CONSISTENT; fidelity <= LB_FIDELITY_APPENDIX_C; ++fidelity) {
        check_model(
            lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 4, 3, (lb_fidelity)fidelity),
            LB_FROZEN_DOUBLE);
    }
    check_model(lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 3, 0, LB_FIDELITY_CONSISTENT),
                LB_FROZEN_FLOAT);
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
            lb_expect_ok(lb_compute_forward_derivatives(t.model, t.work, more, t.q + i * t.nq,
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
            lb_compute_forward_dynamics(t.model, t.work, t.q + i * t.nq, t.v + i * t.n,
                                        t.tau + i * t.n, t.expected);
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
    lb_expect_ok(lb_get_cuda_trouble(batch, NULL));
    t.q[t.nq * 40 + 1] = NAN;
    send(&t, batch);
    lb_expect_ok(lb_compute_forward_dynamics_cuda(batch, COUNT, t.device_q, t.device_v,
                                                  t.device_tau, t.out[0]));
    assert_int_equal(lb_get_cuda_trouble(batch, &where), LB_E_NUMBER);
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

static void a_simulation_follows_the_engine(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    enum { STEPS = 50 };
    const double h = 1e-3;
    trial t =
        begin(lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_FREE) | LB_HINGE_BIT(LB_HINGE_REVOLUTE), 3,
                                 0, LB_FIDELITY_CONSISTENT));
    lb_cuda_batch *batch = make_batch(t.model, "step", LB_FROZEN_DOUBLE, 0);
    send(&t, batch);
    lb_expect_ok(lb_simulate_cuda(batch, COUNT, STEPS, h, t.device_tau, t.device_q, t.device_v));
    lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, t.nq, t.device_q, t.found));
    for (int i = 0; i < COUNT; i += 111) {
        double y[2 * MOST + 3], y0[2 * MOST + 3], k[2 * MOST + 3], sum[2 * MOST + 3];
        static const double reach[] = {0.5, 0.5, 1, 0}, weight[] = {1, 2, 2, 1};
        memcpy(y0, t.q + i * t.nq, (size_t)t.nq * sizeof *y);
        memcpy(y0 + t.nq, t.v + i * t.n, (size_t)t.n * sizeof *y);
        for (int step = 0; step < STEPS; ++step) {
            memcpy(y, y0, sizeof y);
            memset(sum, 0, sizeof sum);
            for (int stage = 0; stage < 4; ++stage) {
                lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, y, y + t.nq,
                                                         t.tau + i * t.n, k + t.nq));
                lb_compute_configuration_rate(t.model, y, y + t.nq, k);
                for (int j = 0; j < t.nq + t.n; ++j) {
                    sum[j] += weight[stage] * k[j];
                    y[j] = y0[j] + reach[stage] * h * k[j];
                }
            }
            for (int j = 0; j < t.nq + t.n; ++j) {
                y0[j] += h / 6 * sum[j];
            }
            lb_expect_ok(lb_normalize_configuration(t.model, 0.1, y0, NULL));
        }
        lb_expect_close("after 50 steps", t.found + i * t.nq, y0, t.nq, 1e-12);
    }
    assert_int_equal(lb_simulate_cuda(batch, COUNT, 1, NAN, t.device_tau, t.device_q, t.device_v),
                     LB_E_NUMBER);
    lb_cuda_run run = lb_default_cuda_run();
    run.tau = t.device_tau;
    run.start = INFINITY;
    assert_int_equal(lb_run_cuda(batch, COUNT, &run, t.device_q, t.device_v), LB_E_NUMBER);
    run.start = 0.0;
    run.damping = NAN;
    assert_int_equal(lb_run_cuda(batch, COUNT, &run, t.device_q, t.device_v), LB_E_ARGUMENT);
    assert_int_equal(lb_compute_mass_matrix_cuda(batch, COUNT, t.device_q, t.out[0]),
                     LB_E_ARGUMENT);
    assert_non_null(strstr(lb_get_cuda_message(device), "no function 'mass'"));
    lb_destroy_cuda_batch(batch);
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
    assert_int_equal(lb_get_cuda_trouble(batch, &where), LB_E_SINGULAR);
    assert_int_equal(where, 123);
    lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, 2, t.out[0], t.found));
    assert_true(isnan(t.found[2 * 123]) && isnan(t.found[2 * 500 + 1]));
    assert_true(isfinite(t.found[2 * 124]));
    t.q[2 * 123 + 1] = t.q[2 * 500 + 1] = 1.0;
    t.v[2 * 77] = INFINITY;
    send(&t, batch);
    lb_expect_ok(lb_compute_forward_dynamics_cuda(batch, COUNT, t.device_q, t.device_v,
                                                  t.device_tau, t.out[0]));
    assert_int_equal(lb_get_cuda_trouble(batch, &where), LB_E_NUMBER);
    assert_int_equal(where, 77);
    lb_expect_ok(lb_get_cuda_trouble(batch, &where));
    assert_int_equal(where, -1);
    lb_destroy_cuda_batch(batch);
    end(&t);
}

// ---- simulations ---------------------------------------------------------------------------------

// a rigid arm, a flexible boom and a free body, with springs, friction, a stop, a motor, a driven hinge and a jump
static const char forces_text[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 3, com: [0.4, 0.1, 0],\n"
    "     inertia: [0.2, 0.5, 0.6, 0.01, 0, 0.02], nodes: {end: {position: [1, 0, 0]}}}\n"
    "  - name: boom\n"
    "    parent: arm\n"
    "    at: end\n"
    "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
    "    flex:\n"
    "      nodes:\n"
    "        - {name: tip, position: [2, 0, 0], mass: 0.75, shape: [[0, 0, 0.6883, 0, 1, 0]]}\n"
    "        - {name: side, position: [1, 0.2, 0], mass: 0.3, shape: [[0, 0, 0.5815, 0, 0.34, "
    "0]]}\n"
    "      stiffness: [90]\n"
    "  - {name: slide, parent: arm, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1}\n"
    "  - {name: bird, hinge: {type: free}, mass: 2, com: [0.1, 0, 0],\n"
    "     inertia: [0.3, 0.4, 0.5, 0, 0, 0], nodes: {beak: {position: [0.3, 0, 0]}}}\n"
    "initial: {arm: {angle: 0.3}, boom: {rate: 0.7}, bird: {v: [0.2, 0, 1.1, 0.4, 0, 0.1]}}\n"
    "forces:\n"
    "  - {name: spring, type: spring, hinge: arm, stiffness: 40, rest: 30 deg}\n"
    "  - {name: bearing, type: friction, hinge: boom, coulomb: 0.2, speed: 0.2}\n"
    "  - {name: stop, type: stop, hinge: arm, lower: -40 deg, upper: 20 deg, stiffness: 300, "
    "damping: 5, width: 0.1}\n"
    "  - {name: tether, type: spring, between: [boom/tip, bird/beak], stiffness: 20, length: 1.2}\n"
    "  - {name: servo, type: motor, hinge: boom, value: 3*sin(2*t) - boom.rate, limits: [-2, 2]}\n"
    "  - {name: feed, type: motion, hinge: slide, position: 0.1*sin(t)}\n"
    "outputs: [boom/tip]\n";

static lb_cuda_batch *load_batch(lb_simulation *simulation, const char *functions)
{
    lb_freeze_options options = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    lb_cuda_batch *batch = NULL;
    options.language = LB_FROZEN_CUDA;
    options.functions = functions;
    lb_expect_ok(lb_freeze_simulation(simulation, &options, NULL, &frozen));
    lb_expect_ok(lb_load_cuda_batch(device, frozen, NULL, NULL, &batch));
    lb_destroy_frozen(frozen);
    return batch;
}

// Every state starts as the simulation does: all must end where the engine does, with the same bits.
static void simulations_with_forces_follow_the_engine(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    static const lb_integrator integrators[] = {LB_INTEGRATOR_RK4, LB_INTEGRATOR_EULER,
                                                LB_INTEGRATOR_ALPHA};
    // as test_cuda_steps has them; the engine ends the iterations of alpha at 1e-12 in each step
    static const double bounds[] = {1e-10, 1e-10, 1e-8};
    enum { STEPS = 200 };
    const double h = 0.002;
    lb_course course = lb_begin_course(forces_text);
    lb_cuda_batch *batch = load_batch(course.simulation, "step,step:euler,step:alpha,outputs");
    lb_end_course(&course);
    for (int k = 0; k < 3; ++k) {
        course = lb_begin_course(forces_text);
        lb_choose_integrator(&course, integrators[k], 0, 0, h);
        lb_start_course(&course);
        const int nq = lb_get_q_count(course.model), n = lb_get_v_count(course.model);
        double *q = lb_make_numbers((size_t)(COUNT * nq)),
               *v = lb_make_numbers((size_t)(COUNT * n));
        double *y = lb_make_numbers((size_t)COUNT * 19);
        lb_get_simulation_state(course.simulation, &course.t, &course.q, &course.v, NULL);
        for (int i = 0; i < COUNT; ++i) {
            memcpy(q + i * nq, course.q, (size_t)nq * sizeof *q);
            memcpy(v + i * n, course.v, (size_t)n * sizeof *v);
        }
        void *far_q = allocate((size_t)(COUNT * nq)), *far_v = allocate((size_t)(COUNT * n)),
             *tau = allocate((size_t)(COUNT * n)), *past = allocate((size_t)(COUNT * n)),
             *far_y = allocate((size_t)COUNT * 19);
        double *zeros = lb_make_numbers((size_t)(COUNT * n));
        lb_expect_ok(lb_copy_states_to_cuda(batch, COUNT, n, zeros, tau));
        lb_expect_ok(lb_copy_states_to_cuda(batch, COUNT, nq, q, far_q));
        lb_expect_ok(lb_copy_states_to_cuda(batch, COUNT, n, v, far_v));
        lb_cuda_run run = lb_default_cuda_run();
        run.method = (lb_cuda_method)k;
        run.step = h;
        run.step_count = STEPS / 2;
        run.tau = tau;
        run.past = past;
        lb_expect_ok(lb_run_cuda(batch, COUNT, &run, far_q, far_v));
        run.start = STEPS / 2 * h;
        run.goes_on = true;
        lb_expect_ok(lb_run_cuda(batch, COUNT, &run, far_q, far_v));
        lb_expect_ok(
            lb_compute_outputs_cuda(batch, COUNT, STEPS * h, far_q, far_v, tau, NULL, far_y));
        lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, nq, far_q, q));
        lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, n, far_v, v));
        lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, 19, far_y, y));
        lb_expect_ok(lb_get_cuda_trouble(batch, NULL));
        lb_go_to(&course, STEPS * h);
        lb_expect_close("q", q, course.q, nq, bounds[k]);
        lb_expect_close("v", v, course.v, n, bounds[k]);
        const lb_node_motion m = lb_get_course_node(&course, "boom", "tip");
        lb_expect_close("a node", y, m.position, 3, bounds[k]);
        for (int i = 1; i < COUNT; ++i) {
            assert_memory_equal(q + i * nq, q, (size_t)nq * sizeof *q);
        }
        double *const host[] = {q, v, y, zeros};
        void *const far[] = {far_q, far_v, tau, past, far_y};
        for (size_t i = 0; i < sizeof host / sizeof *host; ++i) {
            free(host[i]);
        }
        for (size_t i = 0; i < sizeof far / sizeof *far; ++i) {
            lb_release_on_cuda(device, far[i]);
        }
        lb_end_course(&course);
    }
    lb_destroy_cuda_batch(batch);
}

static void loops_stay_closed(void **state)
{
    (void)state;
    if (!device) {
        skip();
    }
    lb_scene *scene = lb_create_four_bars(2, LB_LOOP_REVOLUTE, 1);
    lb_model *model = lb_build_scene(scene);
    lb_destroy_scene(scene);
    trial t = begin(model);
    lb_cuda_batch *batch = make_batch(model, "forward,step,step:euler", LB_FROZEN_DOUBLE, 0);
    for (int i = 0; i < COUNT; ++i) {
        for (int j = 0; j < t.nq; ++j) {
            t.q[i * t.nq + j] = 1e-3 * sin(1.0 + j + 0.37 * i);
        }
    }
    send(&t, batch);
    lb_expect_ok(lb_close_loops_cuda(batch, COUNT, 0.0, t.device_q, t.device_v));
    lb_cuda_run run = lb_default_cuda_run();
    run.step_count = 20;
    run.tau = t.device_tau;
    lb_expect_ok(lb_run_cuda(batch, COUNT, &run, t.device_q, t.device_v));
    run.method = LB_CUDA_EULER;
    lb_expect_ok(lb_run_cuda(batch, COUNT, &run, t.device_q, t.device_v));
    lb_expect_ok(lb_compute_forward_dynamics_cuda(batch, COUNT, t.device_q, t.device_v,
                                                  t.device_tau, t.out[0]));
    lb_expect_ok(lb_get_cuda_trouble(batch, NULL));
    lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, t.nq, t.device_q, t.q));
    lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, t.n, t.device_v, t.v));
    lb_expect_ok(lb_copy_states_from_cuda(batch, COUNT, t.n, t.out[0], t.found));
    for (int i = 0; i < COUNT; i += 111) {
        double gaps[64];
        const double *q = t.q + i * t.nq, *v = t.v + i * t.n;
        lb_expect_ok(lb_compute_kinematics(model, t.work, q, v, NULL));
        lb_expect_ok(lb_compute_loop_gaps(model, t.work, q, gaps));
        // 1e-12: Newton's method ends at 1e-13
        lb_expect_below("loops", lb_get_largest(6 * lb_get_loop_capacity(model), gaps), 1e-12);
        assert_true(lb_compute_constrained_dynamics(model, t.work, q, v, NULL, t.tau + i * t.n,
                                                    t.expected, NULL, NULL) >= 0);
        // 1e-10: the loops are solved with the pivots of another state
        lb_expect_close("accelerations", t.found + i * t.n, t.expected, t.n, 1e-10);
    }
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
        cmocka_unit_test(derivatives_are_those_of_the_engine),
        cmocka_unit_test(bits_do_not_depend_on_batch_or_block),
        cmocka_unit_test(tables_give_the_same_answers),
        cmocka_unit_test(a_simulation_follows_the_engine),
        cmocka_unit_test(states_that_fail_are_named),
        cmocka_unit_test(simulations_with_forces_follow_the_engine),
        cmocka_unit_test(loops_stay_closed),
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
