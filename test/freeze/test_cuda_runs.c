// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Simulations on a device against the engine.
#include <limber/cuda.h>
#include <limber/dynamics.h>
#include <math.h>
#include <string.h>

#include "course.h"
#include "cuda_trial.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "small_tree.h"

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
    lb_cuda_run run = lb_default_cuda_run();
    run.step_count = STEPS;
    run.step = h;
    run.tau = t.device_tau;
    lb_expect_ok(lb_run_cuda(batch, COUNT, &run, t.device_q, t.device_v));
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
                lb_expect_ok(
                    lb_tree_forward(t.model, t.work, y, y + t.nq, t.tau + i * t.n, k + t.nq));
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
    run.step = NAN;
    assert_int_equal(lb_run_cuda(batch, COUNT, &run, t.device_q, t.device_v), LB_E_NUMBER);
    run.step = h;
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
        lb_expect_ok(lb_get_cuda_failure(batch, NULL));
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
    lb_expect_ok(lb_get_cuda_failure(batch, NULL));
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
        assert_true(lb_closed_forward(model, t.work, q, v, NULL, t.tau + i * t.n, t.expected, NULL,
                                      NULL) >= 0);
        // 1e-10: the loops are solved with the pivots of another state
        lb_expect_close("accelerations", t.found + i * t.n, t.expected, t.n, 1e-10);
    }
    lb_destroy_cuda_batch(batch);
    end(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_simulation_follows_the_engine),
        cmocka_unit_test(simulations_with_forces_follow_the_engine),
        cmocka_unit_test(loops_stay_closed),
    };
    if (lb_create_cuda(NULL, NULL, &device) != LB_OK) {
        print_message("no device: this is skipped\n");
    }
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    lb_destroy_cuda(device);
    return failures;
}
