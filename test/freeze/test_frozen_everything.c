// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Every hinge type, every fidelity and every force element: it is frozen and agrees with the engine, in double and in
// float, or it is refused by name. The lists are those of the headers: a new entry fails here until it is
// covered; that of fidelities is from the reader of model files. All files are compiled as one.
#include <limber/dynamics.h>
#include <limber/forces.h>
#include <limber/io.h>
#include <limber/simulate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "course.h"
#include "frozen/program.h"
#include "heard.h"
#include "model_texts.h"
#include "right_side.h"
#include "small_tree.h"

// 1e-12 and 1e-4: what the project promises of frozen files
static const double tolerances[] = {1e-12, 1e-4};

enum { NUMBERS = LB_FROZEN_FLOAT + 1, STATES = 3, MOST = 64 };

// The files, which model.c includes.
typedef struct pile {
    lb_program program;
    char text[4096];
} pile;

static pile begin_pile(void)
{
    pile p = {.text = ""};
    assert_true(lb_make_program_folder(&p.program));
    return p;
}

// Adds a file whose names start with model_NAME.
static void add_file(pile *p, const lb_frozen *frozen, const char *name)
{
    char file[32];
    snprintf(file, sizeof file, "%s.c", name);
    assert_true(lb_write_program_file(&p->program, file, lb_get_frozen_source(frozen)));
    snprintf(p->text + strlen(p->text), sizeof p->text - strlen(p->text), "#include \"%s\"\n",
             file);
    assert_true(strlen(p->text) + 64 < sizeof p->text);
    snprintf(file, sizeof file, "model_%s.h", name);
    assert_true(lb_write_program_file(&p->program, file, lb_get_frozen_header(frozen)));
}

static void compile_pile(pile *p)
{
    assert_true(lb_write_program_file(&p->program, "model.c", p->text));
    assert_true(lb_load_program(&p->program, "cc -std=c99 -O0"));
}

static lb_freeze_options make_options(const char *functions, const char *name, int number)
{
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = functions;
    options.name = name;
    options.number = (lb_frozen_number)number;
    return options;
}

// "h3", or "h3f" in float.
static void make_name(char name[16], char letter, int index, int number)
{
    snprintf(name, 16, "%c%d%s", letter, index, number == LB_FROZEN_FLOAT ? "f" : "");
}

// ---- numbers in either precision ---------------------------------------------------------------

typedef int (*double_two)(const double *, double *);
typedef int (*float_two)(const float *, float *);
typedef int (*double_four)(const double *, const double *, const double *, double *);
typedef int (*float_four)(const float *, const float *, const float *, float *);
typedef int (*double_rates)(double, const double *, const double *, const double *, const double *,
                            double *, double *);
typedef int (*float_rates)(float, const float *, const float *, const float *, const float *,
                           float *, float *);

// A state in float. The engine sees the rounded numbers too, unless they are for double.
static void round_numbers(int count, int number, double *x, float *rounded)
{
    for (int i = 0; i < count; ++i) {
        rounded[i] = (float)x[i];
        x[i] = number == LB_FROZEN_FLOAT ? (double)rounded[i] : x[i];
    }
}

static void widen(int count, const float *x, double *out)
{
    for (int i = 0; i < count; ++i) {
        out[i] = (double)x[i];
    }
}

static void find(const pile *p, const char *name, const char *function, void *out)
{
    char whole[48];
    snprintf(whole, sizeof whole, "%s_%s", name, function);
    lb_get_program_function(&p->program, whole, out);
}

// ---- hinges and fidelities ---------------------------------------------------------------------

// One body on a turning one, by a hinge of this type.
static lb_model *make_hinge(int type)
{
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 2;
    options.shape = LB_SHAPE_CHAIN;
    options.root_hinges = LB_HINGE_BIT(LB_HINGE_REVOLUTE);
    options.hinges = LB_HINGE_BIT(type);
    lb_scene *scene = lb_create_tree(&options, 4);
    lb_model *model = lb_build_scene(scene);
    lb_destroy_scene(scene);
    assert_non_null(model);
    return model;
}

static lb_model *make_fidelity(int fidelity)
{
    return lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE), 2, 2, (lb_fidelity)fidelity);
}

// How many words model files have for fidelities, from what is said of one that they do not have.
static int count_fidelities(void)
{
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - name: a\n"
        "    hinge: {type: free}\n"
        "    flex: {fidelity: x, nodes: [{name: n, mass: 1, shape: [[0, 0, 0, 0, 0, 1]]}],\n"
        "           stiffness: [1]}\n";
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *model = NULL;
    assert_true(lb_load_model_text(text, strlen(text), "text", LB_FORMAT_YAML, NULL, &report,
                                   &model) < LB_OK);
    const char *words = strstr(heard.entries[0].message, "expected one of ");
    assert_non_null(words);
    int count = 1;
    for (; *words; ++words) {
        count += *words == ',';
    }
    return count;
}

// Forward dynamics, inverse dynamics and mass matrix of a file against the engine.
static void compare_model(const pile *p, const lb_model *model, const char *name, int number)
{
    const int nq = lb_get_q_count(model), n = lb_get_v_count(model);
    double q[MOST], v[MOST], x[MOST], y[MOST * MOST], expected[MOST * MOST];
    float qf[MOST], vf[MOST], xf[MOST], yf[MOST * MOST];
    assert_true(nq <= MOST && n <= MOST);
    lb_work *work = lb_create_work(model);
    for (int i = 0; i < STATES; ++i) {
        lb_make_small_state(model, i, 0.8, q, v, x);
        round_numbers(nq, number, q, qf);
        round_numbers(n, number, v, vf);
        round_numbers(n, number, x, xf);
        static const char *const functions[] = {"forward", "inverse"};
        for (int f = 0; f < 2; ++f) {
            if (number == LB_FROZEN_FLOAT) {
                float_four function;
                find(p, name, functions[f], &function);
                assert_int_equal(function(qf, vf, xf, yf), LB_OK);
                widen(n, yf, y);
            } else {
                double_four function;
                find(p, name, functions[f], &function);
                assert_int_equal(function(q, v, x, y), LB_OK);
            }
            lb_expect_ok(f ? lb_compute_inverse_dynamics(model, work, q, v, x, expected)
                           : lb_compute_forward_dynamics(model, work, q, v, x, expected));
            lb_expect_close(name, y, expected, n, tolerances[number]);
        }
        if (number == LB_FROZEN_FLOAT) {
            float_two mass;
            find(p, name, "mass", &mass);
            assert_int_equal(mass(qf, yf), LB_OK);
            widen(n * n, yf, y);
        } else {
            double_two mass;
            find(p, name, "mass", &mass);
            assert_int_equal(mass(q, y), LB_OK);
        }
        lb_expect_ok(lb_compute_mass_matrix(model, work, q, expected));
        lb_expect_close(name, y, expected, n * n, tolerances[number]);
    }
    lb_destroy_work(work);
}

// @param make   the model of an entry
// @param letter  in front of names
static void check_models(lb_model *(*make)(int), int count, char letter)
{
    pile p = begin_pile();
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < count; ++i) {
            lb_model *model = make(i);
            for (int number = 0; number < NUMBERS; ++number) {
                char name[16], prefix[32];
                make_name(name, letter, i, number);
                snprintf(prefix, sizeof prefix, "model_%s", name);
                if (pass == 0) {
                    lb_freeze_options options =
                        make_options("forward,inverse,mass", prefix, number);
                    lb_frozen *frozen = NULL;
                    lb_expect_ok(lb_freeze_model(model, &options, NULL, &frozen));
                    add_file(&p, frozen, name);
                    lb_destroy_frozen(frozen);
                } else {
                    compare_model(&p, model, name, number);
                }
            }
            lb_destroy_model(model);
        }
        if (pass == 0) {
            compile_pile(&p);
        }
    }
    lb_end_program(&p.program);
}

static void every_hinge_type_is_frozen(void **state)
{
    (void)state;
    check_models(make_hinge, LB_HINGE_TYPE_COUNT, 'h');
}

static void every_fidelity_is_frozen(void **state)
{
    (void)state;
    check_models(make_fidelity, count_fidelities(), 'f');
}

// ---- force elements ----------------------------------------------------------------------------

// a turning body, one that slides on it, and one with a mode
#define BODIES                                                                                     \
    "limber: 1\n"                                                                                  \
    "ground: {nodes: {post: {position: [0.4, 0.1, 1.5]}}}\n"                                       \
    "bodies:\n"                                                                                    \
    "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 3, com: [0.4, 0.1, 0],\n"     \
    "     inertia: [0.2, 0.5, 0.6, 0.01, 0, 0.02], nodes: {end: {position: [1, 0, 0]}}}\n"         \
    "  - {name: slide, parent: arm, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1,\n"         \
    "     com: [0, 0.1, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n" LB_BOOM

// Elements as they are frozen, or what their refusal says.
static const struct {
    lb_force_type type;
    const char *text;    // NULL for the callback, which has no keys
    const char *refusal; // NULL if it is frozen
} elements[] = {
    {LB_FORCE_SPRING, "hinge: arm, stiffness: 40, rest: 30 deg", NULL},
    {LB_FORCE_SPRING, "between: [boom/tip, ground/post], stiffness: 20, length: 1.2", NULL},
    {LB_FORCE_DAMPER, "hinge: slide, damping: 3", NULL},
    {LB_FORCE_DAMPER, "between: [boom/tip, ground/post], damping: 7", NULL},
    {LB_FORCE_FRICTION, "hinge: arm, coulomb: 2, viscous: 0.05, speed: 0.1", NULL},
    {LB_FORCE_FRICTION, "hinge: arm, coulomb: 2", "friction 'it'"},
    {LB_FORCE_STOP, "hinge: arm, lower: -3 deg, upper: 3 deg, stiffness: 100, damping: 5", NULL},
    {LB_FORCE_MOTOR, "hinge: boom, value: 8*(1 - arm.angle) - sin(t), limits: [-5, 4]", NULL},
    {LB_FORCE_MOTION, "hinge: arm, position: {sine: {amplitude: 20 deg, frequency: 0.5}}", NULL},
    {LB_FORCE_ACTUATOR, "hinge: arm, limits: [-3, 3]", NULL},
    {LB_FORCE_FORCE, "at: boom/tip, axes: node, value: [1, t, 2]", NULL},
    {LB_FORCE_TORQUE, "at: boom/tip, axes: body, value: [0.1, 0.2, sin(t)]", NULL},
    {LB_FORCE_GRAVITY_POINT, "mu: 40, position: [1, 2, -9], j2: 0.1, radius: 2", NULL},
    {LB_FORCE_CALLBACK, NULL, "callback 'it'"},
};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static int push(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    (void)user;
    (void)sample;
    (void)answer;
    return 0;
}

static lb_course make_course(int element)
{
    char text[4096];
    if (elements[element].text) {
        snprintf(text, sizeof text, BODIES "forces:\n  - {name: it, type: %s, %s}\n",
                 lb_get_force_type_name(elements[element].type), elements[element].text);
        return lb_begin_course(text);
    }
    lb_course course = lb_begin_course(BODIES);
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = push;
    lb_force_options own = lb_default_force_options();
    own.name = "it";
    own.type = LB_FORCE_CALLBACK;
    own.callbacks = &callbacks;
    lb_expect_ok(lb_add_force(lb_get_simulation_forces(course.simulation), &own, NULL));
    return course;
}

// Freezes a simulation with one element, or sees it refused.
static void freeze_element(pile *p, lb_course *course, int element, const char *name, int number)
{
    char prefix[32];
    snprintf(prefix, sizeof prefix, "model_%s", name);
    lb_freeze_options options = make_options("rates", prefix, number);
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_frozen *frozen = NULL;
    const lb_status status = lb_freeze_simulation(course->simulation, &options, &report, &frozen);
    if (!elements[element].refusal) {
        lb_print_heard(&heard);
        lb_expect_ok(status);
        add_file(p, frozen, name);
        lb_destroy_frozen(frozen);
        return;
    }
    assert_int_equal(status, LB_E_UNSUPPORTED);
    assert_int_equal(heard.count, 1);
    if (!strstr(heard.entries[0].message, elements[element].refusal)) {
        fail_msg("'%s' lacks '%s'", heard.entries[0].message, elements[element].refusal);
    }
}

static void compare_element(const pile *p, const lb_course *course, const char *name, int number)
{
    const lb_model *model = course->model;
    const int nq = lb_get_q_count(model), n = lb_get_v_count(model);
    double q[MOST], v[MOST], tau[MOST], a[MOST], q_dot[MOST], y[MOST], z[MOST];
    float qf[MOST], vf[MOST], tauf[MOST], yf[MOST], zf[MOST];
    const double u[1] = {0.0};
    const float uf[1] = {0.0f};
    lb_work *work = lb_create_work(model);
    for (int i = 0; i < STATES; ++i) {
        const double t = 0.25 * (i + 1); // exact in float
        lb_make_small_state(model, i, 0.8, q, v, tau);
        round_numbers(nq, number, q, qf);
        round_numbers(n, number, v, vf);
        round_numbers(n, number, tau, tauf);
        if (number == LB_FROZEN_FLOAT) {
            float_rates rates;
            find(p, name, "rates", &rates);
            assert_int_equal(rates((float)t, qf, vf, tauf, uf, yf, zf), LB_OK);
            widen(n, yf, y);
            widen(nq, zf, z);
        } else {
            double_rates rates;
            find(p, name, "rates", &rates);
            assert_int_equal(rates(t, q, v, tau, u, y, z), LB_OK);
        }
        lb_compute_right_side(course, work, t, q, v, tau, a, q_dot);
        lb_expect_close(name, y, a, n, tolerances[number]);
        lb_expect_close(name, z, q_dot, nq, tolerances[number]);
    }
    lb_destroy_work(work);
}

static void every_force_element_is_frozen_or_refused(void **state)
{
    (void)state;
    pile p = begin_pile();
    bool seen[LB_FORCE_TYPE_COUNT] = {false};
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < ELEMENTS; ++i) {
            lb_course course = make_course(i);
            seen[elements[i].type] = true;
            for (int number = 0; number < NUMBERS; ++number) {
                char name[16];
                make_name(name, 'e', i, number);
                if (pass == 0) {
                    freeze_element(&p, &course, i, name, number);
                } else if (!elements[i].refusal) {
                    compare_element(&p, &course, name, number);
                }
            }
            lb_end_course(&course);
        }
        if (pass == 0) {
            compile_pile(&p);
        }
    }
    for (int type = 0; type < LB_FORCE_TYPE_COUNT; ++type) {
        if (!seen[type]) {
            fail_msg("'%s' is in no case above", lb_get_force_type_name((lb_force_type)type));
        }
    }
    lb_end_program(&p.program);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_hinge_type_is_frozen),
        cmocka_unit_test(every_fidelity_is_frozen),
        cmocka_unit_test(every_force_element_is_frozen_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
