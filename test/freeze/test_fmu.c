// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// FMUs as importers use them: what they compute is what the engine computes, and they keep the rules of the standard.
#define _GNU_SOURCE
#include <limber/simulate.h>

#include "fmu_engine.h"
#include "importer.h"
#include "limber/fmu.h"

// A rigid arm, a flexible one, a body that turns freely, and a closed loop.
enum { MODEL_COUNT = 4, TREE_COUNT = 3 };
static const char *get_model(int model)
{
    static const char *const names[MODEL_COUNT] = {"double_pendulum", "elastic_bar_beam",
                                                   "torque_free", "four_bar"};
    return lb_find_source("examples/%s.yaml", names[model]);
}

// Each model is exported and compiled once for all tests, the first one as users have it.
static importer kept[MODEL_COUNT][2];

static importer *get_import(int model, int version)
{
    importer *m = &kept[model][version - 2];
    if (!m->archive) {
        *m = model == 0 ? import_by("cc", get_model(model), version, "")
                        : import_model(get_model(model), version, "");
    }
    return m;
}

static int end_imports(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * MODEL_COUNT; ++i) {
        if (kept[i / 2][i % 2].archive) {
            end_import(&kept[i / 2][i % 2]);
        }
    }
    return 0;
}

// ---- numbers -----------------------------------------------------------------------------------

static void rates_are_those_of_the_engine(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * TREE_COUNT; ++i) {
        int messages = 0;
        const importer *m = get_import(i / 2, 2 + i % 2);
        engine e = open_engine(get_model(i / 2));
        const int n = e.q_count + e.v_count;
        assert_int_equal(m->state_count, n);
        double *x = calloc(5 * (size_t)n, sizeof *x), *found = x + n, *expected = found + n,
               *tau = expected + n;
        make_state(&e, 7, x);
        void *instance = start_instance(m, true, &messages);
        assert_int_equal(set_states(m, instance, x), 0);
        assert_int_equal(get_rates(m, instance, found), 0);
        lb_compute_configuration_rate(e.model, x, x + e.q_count, expected);
        assert_int_equal(lb_compute_forward_dynamics(e.model, e.work, x, x + e.q_count, tau,
                                                     expected + e.q_count),
                         LB_OK);
        // 1e-12: both take the same sums in another order
        assert_true(get_gap(found, expected, n) < 1e-12);
        free_instance(m, instance);
        assert_int_equal(messages, 0);
        free(x);
        close_engine(&e);
    }
}

static void both_kinds_give_the_trajectory_of_the_engine(void **state)
{
    (void)state;
    const double end = 0.2;
    for (int i = 0; i < 2 * MODEL_COUNT; ++i) {
        int messages = 0;
        const importer *m = get_import(i / 2, 2 + i % 2);
        engine e = open_engine(get_model(i / 2));
        const int n = e.q_count + e.v_count;
        double *x = calloc(2 * (size_t)n, sizeof *x), *expected = x + n;
        run_engine(&e, end, expected);
        void *instance = start_instance(m, true, &messages);
        integrate(m, instance, 0, end, 2000);
        assert_int_equal(get_states(m, instance, x), 0);
        assert_true(get_gap(x, expected, n) < 1e-7);
        free_instance(m, instance);
        // steps of the tolerance, of which the sum of errors is a multiple
        instance = start_instance(m, false, &messages);
        for (int step = 0; step < 10; ++step) {
            assert_int_equal(do_step(m, instance, end * step / 10, end / 10), 0);
        }
        for (int j = 0; j < n; ++j) {
            const unsigned reference = (unsigned)j + 1;
            assert_int_equal(get_values(m, instance, &reference, 1, x + j), 0);
        }
        assert_true(get_gap(x, expected, n) < 1e-4);
        free_instance(m, instance);
        // constant steps
        instance = instantiate_with(m, false, m->token, &messages);
        assert_int_equal(set_value(m, instance, "solver.step", 1e-4), 0);
        assert_int_equal(enter_initialization(m, instance), 0);
        assert_int_equal(call_plain(m, instance, "ExitInitializationMode"), 0);
        assert_int_equal(do_step(m, instance, 0, end), 0);
        for (int j = 0; j < n; ++j) {
            const unsigned reference = (unsigned)j + 1;
            assert_int_equal(get_values(m, instance, &reference, 1, x + j), 0);
        }
        assert_true(get_gap(x, expected, n) < 1e-7);
        free_instance(m, instance);
        assert_int_equal(messages, 0);
        free(x);
        close_engine(&e);
    }
}

static void inputs_are_generalized_forces(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; ++version) {
        int messages = 0;
        const importer *m = get_import(0, version);
        engine e = open_engine(get_model(0));
        double x[4] = {0.3, -0.2, 1.0, 0.5}, found[4], a[2];
        const double tau[2] = {1.5, -0.7};
        void *instance = start_instance(m, true, &messages);
        assert_int_equal(set_value(m, instance, "upper.tau", tau[0]), 0);
        assert_int_equal(set_value(m, instance, "lower.tau", tau[1]), 0);
        assert_int_equal(set_states(m, instance, x), 0);
        assert_int_equal(get_rates(m, instance, found), 0);
        assert_int_equal(lb_compute_forward_dynamics(e.model, e.work, x, x + 2, tau, a), LB_OK);
        assert_true(get_gap(found + 2, a, 2) < 1e-12);
        assert_true(get_value(m, instance, "upper.angle_rate") == x[2]);
        assert_true(get_value(m, instance, "der(upper.angle)") == x[2]);
        assert_true(get_value(m, instance, "der(lower.angle_rate)") == found[3]);
        free_instance(m, instance);
        close_engine(&e);
    }
}

// ---- simulations -------------------------------------------------------------------------------

// A pendulum with a motor that swells, a spring, and an event that ends the run.
static const char stopped_pendulum[] =
    "limber: 1\nname: stopped pendulum\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  - name: rod\n    hinge: {type: revolute, axis: [0, 0, 1]}\n    mass: 1\n"
    "    com: [0, -0.5, 0]\n    inertia: [0.1, 0.1, 0.1, 0, 0, 0]\n"
    "    nodes: {tip: {position: [0, -1, 0]}}\n"
    "initial: {rod: {angle: -0.5}}\n"
    "forces:\n"
    "  - {name: drive, type: motor, hinge: rod, value: {sine: {amplitude: 2, frequency: 1}}}\n"
    "  - {name: coil, type: spring, hinge: rod, stiffness: 3}\n"
    "events:\n"
    "  - {name: level, when: rod.angle, crosses: 0.1, direction: rising, then: stop}\n"
    "run: {duration: 2, interval: 0.01}\noutputs: [rod/tip]\n";

static void forces_outputs_and_events_are_those_of_the_engine(void **state)
{
    (void)state;
    const char *path = lb_write_file("stopped.yaml", stopped_pendulum);
    engine e = open_engine(path);
    lb_run_options run = lb_default_run_options();
    assert_int_equal(lb_get_run_options(e.simulation, &run), LB_OK);
    run.integrator = LB_INTEGRATOR_ERK;
    run.relative_tolerance = 1e-11;
    assert_int_equal(lb_set_run_options(e.simulation, &run), LB_OK);
    assert_int_equal(lb_start_simulation(e.simulation), LB_OK);
    assert_int_equal(lb_advance_simulation(e.simulation, 2), LB_NEWS_STOP);
    double t;
    const double *q, *v;
    lb_get_simulation_state(e.simulation, &t, &q, &v, NULL);
    for (int version = 2; version <= 3; ++version) {
        int messages = 0;
        importer m = import_model(path, version, "");
        assert_int_equal(m.event_count, 1);
        void *instance = start_instance(&m, false, &messages);
        double found = 0;
        if (version == 3) {
            bool event, ends = false, early = false;
            assert_int_equal(
                CALL(&m, int(void *, double, double, bool, bool *, bool *, bool *, double *),
                     "fmi3DoStep")(instance, 0, 2, true, &event, &ends, &early, &found),
                0);
            assert_true(ends && early);
        } else {
            assert_int_equal(do_step(&m, instance, 0, 2), fmi2Discard);
            assert_int_equal(CALL(&m, int(void *, int, double *),
                                  "fmi2GetRealStatus")(instance, fmi2LastSuccessfulTime, &found),
                             0);
        }
        // 1e-6 is the tolerance of the integrator
        assert_true(fabs(found - t) < 1e-5);
        assert_true(fabs(get_value(&m, instance, "rod.angle") - 0.1) < 1e-9);
        assert_true(fabs(get_value(&m, instance, "rod.angle_rate") - v[0]) < 1e-4);
        assert_true(fabs(get_value(&m, instance, "rod.tip.position.x") - sin(0.1)) < 1e-9);
        free_instance(&m, instance);
        // model exchange: the indicator is the angle less the value, and the event ends the run
        instance = start_instance(&m, true, &messages);
        double z = 1, x[2] = {0.3, 1.0};
        assert_int_equal(get_events(&m, instance, &z), 0);
        assert_true(fabs(z + 0.6) < 1e-12);
        assert_int_equal(set_states(&m, instance, x), 0);
        assert_int_equal(get_events(&m, instance, &z), 0);
        assert_true(fabs(z - 0.2) < 1e-12);
        assert_int_equal(call_plain(&m, instance, "EnterEventMode"), 0);
        // a state saved in the middle of the event gives the same event again
        void *saved = NULL;
        assert_int_equal(
            CALL(&m, int(void *, void **),
                 version == 3 ? "fmi3GetFMUState" : "fmi2GetFMUstate")(instance, &saved),
            0);
        for (int again = 0; again < 2; ++again) {
            news told = {.ends = false};
            assert_int_equal(update_events(&m, instance, &told), 0);
            assert_true(told.ends && !told.states_changed && !told.has_next);
            assert_int_equal(
                CALL(&m, int(void *, void *),
                     version == 3 ? "fmi3SetFMUState" : "fmi2SetFMUstate")(instance, saved),
                0);
        }
        assert_int_equal(
            CALL(&m, int(void *, void **),
                 version == 3 ? "fmi3FreeFMUState" : "fmi2FreeFMUstate")(instance, &saved),
            0);
        free_instance(&m, instance);
        assert_int_equal(messages, 0);
        end_import(&m);
    }
    close_engine(&e);
}

// ---- parameters --------------------------------------------------------------------------------

// An arm with a payload.
static const char open_arm[] =
    "limber: 1\nparameters: {payload: {value: 2, range: [0.5, 5]}, reach: 0.7}\n"
    "gravity: [0, 0, -9.81]\nbodies:\n"
    "  - {name: upper, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 3, com: [0.35, 0, 0.1],\n"
    "     inertia: [0.1, 0.2, 0.2, 0, 0, 0], nodes: {tip: {position: [reach, 0, 0.05]}}}\n"
    "  - {name: hand, parent: upper, at: tip, hinge: {type: spherical}, mass: payload,\n"
    "     com: [reach/2, 0, 0], inertia: [0.4, 0.3, 0.3, 0, 0, 0]}\n"
    "initial: {upper: {angle: 0.3, rate: 1}}\n";

static void parameters_are_those_of_the_engine(void **state)
{
    (void)state;
    const char *path = lb_write_file("open.yaml", open_arm);
    engine e = open_engine(path);
    lb_model *other = NULL;
    assert_int_equal(lb_set_parameter(e.document, "payload", 3.5, NULL), LB_OK);
    assert_int_equal(lb_set_parameter(e.document, "reach", 0.6, NULL), LB_OK);
    assert_int_equal(lb_load_document_model(e.document, NULL, &other), LB_OK);
    for (int version = 2; version <= 3; ++version) {
        int messages = 0;
        importer m = import_model(path, version, "--parameters payload,reach");
        double x[9], found[9], expected[4], tau[4] = {0};
        make_state(&e, 4, x);
        void *instance = start_instance(&m, true, &messages);
        assert_true(get_value(&m, instance, "payload") == 2);
        assert_int_equal(set_states(&m, instance, x), 0);
        assert_int_equal(get_rates(&m, instance, found), 0);
        assert_int_equal(lb_compute_forward_dynamics(e.model, e.work, x, x + 5, tau, expected),
                         LB_OK);
        assert_true(get_gap(found + 5, expected, 4) < 1e-12);
        // tunable: while an event is handled, and then for the rates at once
        assert_int_equal(call_plain(&m, instance, "EnterEventMode"), 0);
        assert_int_equal(set_value(&m, instance, "payload", 3.5), 0);
        assert_int_equal(set_value(&m, instance, "reach", 0.6), 0);
        assert_int_equal(call_plain(&m, instance, "EnterContinuousTimeMode"), 0);
        assert_int_equal(get_rates(&m, instance, found), 0);
        lb_work *work = lb_create_work(other);
        assert_int_equal(lb_compute_forward_dynamics(other, work, x, x + 5, tau, expected), LB_OK);
        lb_destroy_work(work);
        assert_true(get_gap(found + 5, expected, 4) < 1e-12);
        assert_int_equal(messages, 0);
        // not outside its range, and not while time goes by
        assert_int_equal(set_value(&m, instance, "payload", 2), fmi3Error);
        assert_int_equal(call_plain(&m, instance, "EnterEventMode"), 0);
        assert_int_equal(set_value(&m, instance, "payload", 6), fmi3Discard);
        assert_true(get_value(&m, instance, "payload") == 3.5);
        assert_int_equal(messages, 2);
        free_instance(&m, instance);
        end_import(&m);
    }
    lb_destroy_model(other);
    close_engine(&e);
}

// A pendulum on a spring, with a gain and an output.
static const char open_spring[] =
    "limber: 1\nparameters: {k: {value: 3, range: [0, 50]}, m: 2, kp: 20}\n"
    "gravity: [0, -9.81, 0]\nbodies:\n"
    "  - {name: rod, hinge: {type: revolute, axis: [0, 0, 1]}, mass: m, com: [0, -0.5, 0],\n"
    "     inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {tip: {position: [0, -1, 0]}}}\n"
    "forces:\n  - {name: coil, type: spring, hinge: rod, stiffness: k}\n"
    "  - {name: drive, type: actuator, hinge: rod}\n"
    "controllers:\n"
    "  - {name: hold, rate: 100, actuators: [{actuator: drive, desired: 0}],\n"
    "     law: {type: pid, kp: kp, kd: 1}}\n"
    "initial: {rod: {angle: 0.4}}\nrun: {duration: 1, interval: 0.01}\noutputs: [rod/tip]\n";

static void parameters_of_forces_and_gains_are_those_of_the_engine(void **state)
{
    (void)state;
    const char *path = lb_write_file("open.yaml", open_spring);
    engine e = {.document = NULL};
    assert_int_equal(lb_load_document(path, NULL, NULL, &e.document), LB_OK);
    assert_int_equal(lb_set_parameter(e.document, "k", 12, NULL), LB_OK);
    assert_int_equal(lb_set_parameter(e.document, "m", 1.5, NULL), LB_OK);
    assert_int_equal(lb_set_parameter(e.document, "kp", 35, NULL), LB_OK);
    assert_int_equal(lb_load_document_model(e.document, NULL, &e.model), LB_OK);
    assert_int_equal(lb_load_simulation(e.document, e.model, NULL, &e.simulation), LB_OK);
    e.work = lb_create_work(e.model);
    e.q_count = e.v_count = 1;
    double expected[2], x[2];
    run_engine(&e, 0.5, expected);
    for (int version = 2; version <= 3; ++version) {
        int messages = 0;
        importer m = import_model(path, version, "--parameters k,m,kp --signal rod.angle");
        void *instance = instantiate_with(&m, false, m.token, &messages);
        assert_int_equal(set_value(&m, instance, "k", 12), 0);
        assert_int_equal(set_value(&m, instance, "m", 1.5), 0);
        assert_int_equal(set_value(&m, instance, "kp", 35), 0);
        assert_int_equal(set_value(&m, instance, "solver.tolerance", 1e-10), 0);
        assert_int_equal(enter_initialization(&m, instance), 0);
        assert_int_equal(call_plain(&m, instance, "ExitInitializationMode"), 0);
        assert_int_equal(do_step(&m, instance, 0, 0.5), 0);
        x[0] = get_value(&m, instance, "rod.angle");
        x[1] = get_value(&m, instance, "rod.angle_rate");
        // 1e-10 a step, over some hundred of them
        assert_true(get_gap(x, expected, 2) < 1e-8);
        assert_true(fabs(get_value(&m, instance, "rod.tip.position.x") - sin(x[0])) < 1e-12);
        // the slope of the acceleration by the stiffness: -angle / (0.1 + m 0.5^2)
        const unsigned known = find_reference(&m, "k"),
                       unknown = find_reference(&m, "der(rod.angle_rate)");
        const double seed = 1;
        double slope = 0;
        assert_int_equal(get_derivative(&m, instance, "fmi3GetDirectionalDerivative", &unknown, 1,
                                        &known, 1, &seed, 1, &slope, 1),
                         0);
        assert_true(fabs(slope + x[0] / (0.1 + 1.5 * 0.25)) < 1e-12);
        free_instance(&m, instance);
        assert_int_equal(messages, 0);
        end_import(&m);
    }
    close_engine(&e);
}

// ---- instances ---------------------------------------------------------------------------------

static void two_instances_do_not_see_each_other(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; ++version) {
        int messages = 0;
        const importer *m = get_import(0, version);
        void *alone = start_instance(m, false, &messages);
        void *one = start_instance(m, false, &messages), *two = start_instance(m, false, &messages);
        assert_int_equal(set_value(m, two, "upper.tau", 3.0), 0);
        for (int step = 0; step < 5; ++step) {
            assert_int_equal(do_step(m, one, 0.1 * step, 0.1), 0);
            assert_int_equal(do_step(m, two, 0.1 * step, 0.1), 0);
        }
        for (int step = 0; step < 5; ++step) {
            assert_int_equal(do_step(m, alone, 0.1 * step, 0.1), 0);
        }
        assert_true(get_value(m, one, "upper.angle") == get_value(m, alone, "upper.angle"));
        assert_true(get_value(m, two, "upper.angle") != get_value(m, alone, "upper.angle"));
        free_instance(m, one);
        free_instance(m, two);
        free_instance(m, alone);
    }
}

// Each instance takes memory for derivatives and for a saved state as well.
static void make_and_free_instances(const importer *m, int count)
{
    int messages = 0;
    const unsigned known = 1, unknown = (unsigned)m->state_count + 1;
    const double seed = 1;
    for (int i = 0; i < count; ++i) {
        void *instance = start_instance(m, i % 2 == 0, &messages), *saved = NULL;
        double slope;
        assert_int_equal(get_derivative(m, instance, "fmi3GetDirectionalDerivative", &unknown, 1,
                                        &known, 1, &seed, 1, &slope, 1),
                         0);
        assert_int_equal(
            CALL(m, int(void *, void **),
                 m->version == 3 ? "fmi3GetFMUState" : "fmi2GetFMUstate")(instance, &saved),
            0);
        assert_int_equal(
            CALL(m, int(void *, void **),
                 m->version == 3 ? "fmi3FreeFMUState" : "fmi2FreeFMUstate")(instance, &saved),
            0);
        free_instance(m, instance);
    }
    assert_int_equal(messages, 0);
}

static void a_thousand_instances_come_and_go(void **state)
{
    (void)state;
    make_and_free_instances(get_import(0, 2), 1000);
    make_and_free_instances(get_import(0, 3), 1000);
}

// Names of the functions of states in both versions.
static int call_state(const importer *m, void *instance, const char *three, const char *two,
                      void *argument)
{
    return CALL(m, int(void *, void *), m->version == 3 ? three : two)(instance, argument);
}

static void a_saved_state_continues_with_the_same_bits(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; ++version) {
        int messages = 0;
        const importer *m = get_import(0, version);
        void *instance = start_instance(m, false, &messages), *saved = NULL, *read = NULL;
        assert_int_equal(do_step(m, instance, 0, 0.1), 0);
        assert_int_equal(call_state(m, instance, "fmi3GetFMUState", "fmi2GetFMUstate", &saved), 0);
        assert_int_equal(do_step(m, instance, 0.1, 0.2), 0);
        const double angle = get_value(m, instance, "lower.angle");
        assert_int_equal(call_state(m, instance, "fmi3SetFMUState", "fmi2SetFMUstate", saved), 0);
        assert_int_equal(do_step(m, instance, 0.1, 0.2), 0);
        assert_true(get_value(m, instance, "lower.angle") == angle);
        // through bytes, into another instance
        size_t size = 0;
        assert_int_equal(CALL(m, int(void *, void *, size_t *),
                              version == 3 ? "fmi3SerializedFMUStateSize"
                                           : "fmi2SerializedFMUstateSize")(instance, saved, &size),
                         0);
        char *bytes = malloc(size);
        assert_int_equal(CALL(m, int(void *, void *, char *, size_t),
                              version == 3 ? "fmi3SerializeFMUState"
                                           : "fmi2SerializeFMUstate")(instance, saved, bytes, size),
                         0);
        void *other = start_instance(m, false, &messages);
        assert_int_equal(CALL(m, int(void *, const char *, size_t, void **),
                              version == 3 ? "fmi3DeserializeFMUState"
                                           : "fmi2DeSerializeFMUstate")(other, bytes, size, &read),
                         0);
        assert_int_equal(call_state(m, other, "fmi3SetFMUState", "fmi2SetFMUstate", read), 0);
        assert_int_equal(do_step(m, other, 0.1, 0.2), 0);
        assert_true(get_value(m, other, "lower.angle") == angle);
        assert_int_equal(messages, 0);
        // bytes of something else
        bytes[1] ^= 1;
        assert_int_not_equal(CALL(m, int(void *, const char *, size_t, void **),
                                  version == 3
                                      ? "fmi3DeserializeFMUState"
                                      : "fmi2DeSerializeFMUstate")(other, bytes, size, &read),
                             0);
        assert_int_equal(messages, 1);
        assert_int_equal(call_state(m, instance, "fmi3FreeFMUState", "fmi2FreeFMUstate", &saved),
                         0);
        assert_int_equal(call_state(m, other, "fmi3FreeFMUState", "fmi2FreeFMUstate", &read), 0);
        assert_null(saved);
        free(bytes);
        free_instance(m, instance);
        free_instance(m, other);
    }
}

// ---- rules -------------------------------------------------------------------------------------

static void what_is_wrong_is_refused_in_words(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; ++version) {
        int messages = 0;
        const importer *m = get_import(0, version);
        assert_null(instantiate_with(m, true, "{00000000}", &messages));
        assert_int_equal(messages, 1);
        void *instance = instantiate_with(m, true, m->token, &messages);
        double x[4] = {0, 0, 0, 0};
        // in the wrong mode
        assert_int_equal(get_rates(m, instance, x), fmi3Error);
        assert_int_equal(do_step(m, instance, 0, 0.1), fmi3Error);
        assert_int_equal(messages, 3);
        assert_int_equal(enter_initialization(m, instance), 0);
        // numbers that are none: nothing is set
        assert_int_equal(set_value(m, instance, "upper.tau", NAN), fmi3Discard);
        assert_int_equal(set_value(m, instance, "upper.angle", INFINITY), fmi3Discard);
        assert_int_equal(set_value(m, instance, "solver.tolerance", -1), fmi3Discard);
        assert_int_equal(messages, 6);
        assert_true(get_value(m, instance, "upper.tau") == 0);
        // what cannot be set, and what does not exist
        assert_int_equal(set_value(m, instance, "der(upper.angle)", 1), fmi3Error);
        const unsigned reference = 1000;
        assert_int_equal(get_values(m, instance, &reference, 1, x), fmi3Error);
        assert_int_equal(messages, 8);
        assert_int_equal(call_plain(m, instance, "ExitInitializationMode"), 0);
        assert_int_equal(call_plain(m, instance, "EnterContinuousTimeMode"), 0);
        x[2] = NAN;
        assert_int_equal(set_states(m, instance, x), fmi3Discard);
        assert_int_equal(set_time(m, instance, NAN), fmi3Discard);
        assert_int_equal(set_value(m, instance, "solver.step", 1), fmi3Error);
        assert_int_equal(messages, 11);
        // what is not supported says so
        char name[32];
        snprintf(name, sizeof name, "fmi%dGetString", version);
        const char *text = NULL;
        assert_int_equal(version == 3
                             ? CALL(m, int(void *, const unsigned *, size_t, const char **, size_t),
                                    name)(instance, &reference, 1, &text, 1)
                             : CALL(m, int(void *, const unsigned *, size_t, const char **),
                                    name)(instance, &reference, 1, &text),
                         fmi3Error);
        assert_int_equal(messages, 12);
        assert_int_equal(call_plain(m, instance, "Terminate"), 0);
        assert_int_equal(call_plain(m, instance, "Reset"), 0);
        assert_int_equal(enter_initialization(m, instance), 0);
        free_instance(m, instance);
    }
}

static void options_that_cannot_be_are_refused(void **state)
{
    (void)state;
    engine e = open_engine(get_model(0));
    const double bad[2] = {0, NAN}, good[2] = {0, 0};
    lb_fmu *fmu = NULL;
    lb_fmu_options options = lb_default_fmu_options();
    options.q = bad;
    assert_int_equal(lb_create_fmu(e.model, &options, NULL, &fmu), LB_E_NUMBER);
    options.q = good;
    options.v = bad;
    assert_int_equal(lb_create_fmu(e.model, &options, NULL, &fmu), LB_E_NUMBER);
    options.v = good;
    options.stop_time = INFINITY;
    assert_int_equal(lb_create_fmu(e.model, &options, NULL, &fmu), LB_E_NUMBER);
    options.stop_time = -1;
    assert_int_equal(lb_create_fmu(e.model, &options, NULL, &fmu), LB_E_ARGUMENT);
    options.stop_time = 1;
    options.name = "no name";
    assert_int_equal(lb_create_fmu(e.model, &options, NULL, &fmu), LB_E_ARGUMENT);
    options.name = "name";
    options.size = sizeof options + 8;
    assert_int_equal(lb_create_fmu(e.model, &options, NULL, &fmu), LB_E_VERSION);
    assert_null(fmu);
    // an older program: what it does not know has its default
    options.size = offsetof(lb_fmu_options, name) + sizeof options.name;
    assert_int_equal(lb_create_fmu(e.model, &options, NULL, &fmu), LB_OK);
    assert_int_equal(lb_add_fmu_file(fmu, "../up", "x", 1), LB_E_ARGUMENT);
    assert_int_equal(lb_add_fmu_file(fmu, "sources/name.c", "x", 1), LB_E_ARGUMENT);
    assert_int_equal(lb_add_fmu_file(fmu, "extra/org.limber/x", "x", 1), LB_OK);
    size_t size = 0, again = 0;
    const unsigned char *archive = NULL;
    assert_int_equal(lb_form_fmu_archive(fmu, &archive, &size), LB_OK);
    unsigned char *copy = malloc(size);
    memcpy(copy, archive, size);
    assert_int_equal(lb_form_fmu_archive(fmu, &archive, &again), LB_OK);
    assert_int_equal(again, size);
    assert_memory_equal(copy, archive, size);
    free(copy);
    const char *name = "";
    assert_null(lb_get_fmu_file(fmu, 1000, &name, &size));
    assert_null(name);
    assert_null(lb_get_fmu_file(fmu, -1, NULL, NULL));
    lb_destroy_fmu(fmu);
    close_engine(&e);
}

// Every name that the headers give a prefix to.
static void all_functions_are_there(void **state)
{
    (void)state;
    static const int counts[2] = {44, 75};
    for (int version = 2; version <= 3; ++version) {
        const importer *m = get_import(0, version);
        char line[256], pattern[64], name[128];
        snprintf(pattern, sizeof pattern, "#define %%127s fmi%dFullName(", version);
        FILE *file = fopen(lb_find_source("src/export/fmu/glue/fmi%dFunctions.h", version), "r");
        assert_non_null(file);
        int count = 0;
        while (fgets(line, sizeof line, file)) {
            char key[16];
            snprintf(key, sizeof key, "fmi%dFullName(fmi", version);
            if (strstr(line, key) && sscanf(line, pattern, name) == 1) {
                (void)find_function(m, name);
                ++count;
            }
        }
        fclose(file);
        assert_int_equal(count, counts[version - 2]);
    }
}

static bool has_command(const char *name)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

static void descriptions_are_well_formed(void **state)
{
    (void)state;
    if (!has_command("xmllint")) {
        skip();
    }
    for (int version = 2; version <= 3; ++version) {
        importer m = import_model(get_model(1), version, "--sources-only");
        char path[LB_SCRATCH_PATH_SIZE], command[2048];
        snprintf(path, sizeof path, "%s/a.xml", m.folder);
        unpack(&m, "modelDescription.xml", path);
        snprintf(path, sizeof path, "%s/b.xml", m.folder);
        unpack(&m, "sources/buildDescription.xml", path);
        snprintf(command, sizeof command, "cd '%s' && xmllint --noout a.xml b.xml", m.folder);
        assert_int_equal(system(command), 0);
        end_import(&m);
    }
}

// What the tests are checked by checks the FMU too.
#if defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define SANITIZED "-fsanitize=address,undefined -fno-sanitize-recover=all"
#else
#define SANITIZED ""
#endif

// Sources, built as importers do: as a library with plain names, and two of them in one program with prefixes.
static void sources_build_with_and_without_prefix(void **state)
{
    (void)state;
    static const char program[] =
        "const char *a_fmi%dGetVersion(void), *b_fmi%dGetVersion(void);\n"
        "int main(void) { return a_fmi%dGetVersion()[0] == '%d' && b_fmi%dGetVersion()[0] == '%d' "
        "? 0 : 1; }\n";
    for (int version = 2; version <= 3; ++version) {
        importer m = import_model(get_model(2), version, "--sources-only");
        char path[LB_SCRATCH_PATH_SIZE], command[2048];
        unpack_sources(&m);
        snprintf(command, sizeof command,
                 "cp '%s' '%s' && cd '%s' && "
                 "cc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -shared -fPIC " SANITIZED
                 " fmi%d.c tested.c -o plain.so -lm",
                 lb_find_source("src/export/fmu/glue/fmi%dFunctions.h", version), m.folder,
                 m.folder, version);
        assert_int_equal(system(command), 0);
        snprintf(path, sizeof path, "%s/plain.so", m.folder);
        m.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        assert_non_null(m.library);
        int messages = 0;
        void *instance = start_instance(&m, false, &messages);
        assert_int_equal(do_step(&m, instance, 0, 0.1), 0);
        free_instance(&m, instance);
        make_and_free_instances(&m, 1000);
        snprintf(path, sizeof path, "%s/main.c", m.folder);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, program, version, version, version, version, version, version);
        fclose(file);
        snprintf(command, sizeof command,
                 "cd '%s' && cc -std=c99 -DFMI%d_FUNCTION_PREFIX=a_ -c fmi%d.c -o a.o && "
                 "cc -std=c99 -DFMI%d_FUNCTION_PREFIX=b_ -c fmi%d.c -o b.o && "
                 "cc -std=c99 main.c a.o b.o tested.c -o both -lm && ./both",
                 m.folder, version, version, version, version);
        assert_int_equal(system(command), 0);
        end_import(&m);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_the_engine),
        cmocka_unit_test(both_kinds_give_the_trajectory_of_the_engine),
        cmocka_unit_test(inputs_are_generalized_forces),
        cmocka_unit_test(forces_outputs_and_events_are_those_of_the_engine),
        cmocka_unit_test(parameters_are_those_of_the_engine),
        cmocka_unit_test(parameters_of_forces_and_gains_are_those_of_the_engine),
        cmocka_unit_test(two_instances_do_not_see_each_other),
        cmocka_unit_test(a_thousand_instances_come_and_go),
        cmocka_unit_test(a_saved_state_continues_with_the_same_bits),
        cmocka_unit_test(what_is_wrong_is_refused_in_words),
        cmocka_unit_test(options_that_cannot_be_are_refused),
        cmocka_unit_test(all_functions_are_there),
        cmocka_unit_test(descriptions_are_well_formed),
        cmocka_unit_test(sources_build_with_and_without_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, end_imports);
}
