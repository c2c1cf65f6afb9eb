// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a frozen file promises besides its numbers: which compilers take it, what it needs, what it refuses.
#define _GNU_SOURCE // M_PI
#include <limber/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "expect_engine.h"
#include "frozen/program.h"
#include "heard.h"
#include "model_texts.h"

static lb_model *make_arm(lb_hinge_type hinge, int mode_count)
{
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 3;
    options.shape = LB_SHAPE_CHAIN;
    options.hinges = LB_HINGE_BIT(hinge);
    options.mode_min = options.mode_max = mode_count;
    options.rigid_percent = mode_count ? 0 : 100;
    lb_scene *scene = lb_create_tree(&options, 5);
    lb_model *model = lb_build_scene(scene);
    lb_destroy_scene(scene);
    assert_non_null(model);
    return model;
}

static lb_program write_arm(const lb_model *model, const char *functions, lb_frozen_number number)
{
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = functions;
    options.number = number;
    lb_program program;
    assert_true(lb_write_program(model, &options, &program));
    return program;
}

static bool has_command(const char *name)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

static void compilers_take_it_without_a_warning(void **state)
{
    (void)state;
    static const char *const compilers[] = {
        "gcc -std=c99 -pedantic -Wall -Wextra -Werror",
        "clang -std=c99 -pedantic -Wall -Wextra -Werror",
        "g++ -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror",
        "clang++ -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror"};
    lb_model *model = make_arm(LB_HINGE_REVOLUTE, 2);
    for (int number = LB_FROZEN_DOUBLE; number <= LB_FROZEN_FLOAT; ++number) {
        lb_program program =
            write_arm(model, "forward,inverse,mass,jacobian:b2.n1", (lb_frozen_number)number);
        for (size_t i = 0; i < sizeof compilers / sizeof *compilers; ++i) {
            char name[16], command[256];
            sscanf(compilers[i], "%15s", name);
            // what only an optimiser sees is told once: each time would take three times as long
            snprintf(command, sizeof command,
                     "%s -O%d -DMODEL_SELF_TEST model.c -o test -lm && ./test", compilers[i],
                     i == 0 && number == LB_FROZEN_DOUBLE);
            if (has_command(name)) {
                assert_int_equal(lb_run_in_folder(&program, command), 0);
            }
        }
        lb_end_program(&program);
    }
    lb_destroy_model(model);
}

static void it_has_no_variables_and_needs_only_libm(void **state)
{
    (void)state;
    lb_model *model = make_arm(LB_HINGE_SPHERICAL, 2);
    lb_program program = write_arm(model, "forward,inverse,mass", LB_FROZEN_DOUBLE);
    assert_int_equal(lb_run_in_folder(&program,
                                      "cc -std=c99 -O0 -c model.c && size model.o >size.txt && "
                                      "awk 'NR == 2 && $2 + $3 > 0 {exit 1}' size.txt"),
                     0);
    // what it calls; gcc may make calls of memory functions
    assert_int_equal(lb_run_in_folder(&program,
                                      "nm -u model.o | awk '{print $NF}' | "
                                      "grep -vxE 'frexp|sqrt|fabs|fmax|memset|memcpy|"
                                      "_GLOBAL_OFFSET_TABLE_|__stack_chk_fail'; test $? = 1"),
                     0);
    lb_end_program(&program);
    lb_destroy_model(model);
}

static void sanitizers_find_nothing(void **state)
{
    (void)state;
    lb_model *model = make_arm(LB_HINGE_REVOLUTE, 2);
    lb_program program = write_arm(model, "forward,inverse,mass", LB_FROZEN_DOUBLE);
    assert_int_equal(
        lb_run_in_folder(&program,
                         "cc -std=c99 -O0 -fsanitize=address,undefined "
                         "-fno-sanitize-recover=all -DMODEL_SELF_TEST model.c -lm && ./a.out"),
        0);
    lb_end_program(&program);
    lb_destroy_model(model);
}

static void large_angles_have_the_right_sine(void **state)
{
    (void)state;
    lb_model *model = make_arm(LB_HINGE_REVOLUTE, 0);
    const int n = lb_get_v_count(model);
    lb_program program = write_arm(model, "mass,inverse", LB_FROZEN_DOUBLE);
    assert_true(lb_load_program(&program, "cc -std=c99 -O2 -ffp-contract=off"));
    lb_frozen_two mass;
    lb_get_program_function(&program, "mass", &mass);
    static const double angles[] = {1e-300,
                                    0.7853981633974483,
                                    1.5707963267948966,
                                    -3.0,
                                    99999.9,
                                    1e5,
                                    -100001.0,
                                    1e9,
                                    -1e15,
                                    1e22,
                                    1e100,
                                    -1.7e308,
                                    6381956970095103.0 * 0x1p797};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; ++i) {
        // the same turns in the first circle, by the library
        double q[3], reference[3], M[9], expected[9];
        assert_int_equal(n, 3);
        for (int j = 0; j < 3; ++j) {
            q[j] = j == 0 ? 0.3 : angles[i] * (j == 1 ? 1.0 : 0.5);
            reference[j] = atan2(sin(q[j]), cos(q[j]));
        }
        lb_work *work = lb_create_work(model);
        assert_int_equal(mass(q, M), LB_OK);
        lb_expect_ok(lb_compute_mass_matrix(model, work, reference, expected));
        lb_expect_close("mass matrix at large angles", M, expected, 9, 1e-13);
        lb_destroy_work(work);
    }
    lb_end_program(&program);
    lb_destroy_model(model);
}

// The rates of the engine, which the method of Runge and Kutta below takes.
static void get_rates(const lb_model *model, lb_work *work, const double *q, const double *v,
                      const double *tau, double *q_dot, double *a)
{
    lb_compute_configuration_rate(model, q, v, q_dot);
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, a));
}

static void a_step_is_that_of_runge_and_kutta(void **state)
{
    (void)state;
    enum { Q = 21, V = 18 }; // three free bodies
    lb_model *model = make_arm(LB_HINGE_FREE, 0);
    assert_int_equal(lb_get_q_count(model), Q);
    lb_program program = write_arm(model, "step", LB_FROZEN_DOUBLE);
    assert_true(lb_load_program(&program, "cc -std=c99 -O1"));
    int (*step)(double, const double *, double *, double *);
    lb_get_program_function(&program, "step", &step);
    lb_work *work = lb_create_work(model);
    const double h = 0.01;
    double q[Q], v[V], tau[V], k[4][Q], a[4][V], x[Q], y[V];
    lb_get_neutral_configuration(model, q);
    for (int i = 0; i < V; ++i) {
        v[i] = sin(i + 1.0);
        tau[i] = cos(i + 1.0);
    }
    lb_integrate_configuration(model, q, v, q);
    static const double reach[] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; ++s) {
        for (int i = 0; i < Q; ++i) {
            x[i] = q[i] + (s ? reach[s] * h * k[s - 1][i] : 0);
        }
        for (int i = 0; i < V; ++i) {
            y[i] = v[i] + (s ? reach[s] * h * a[s - 1][i] : 0);
        }
        get_rates(model, work, x, y, tau, k[s], a[s]);
    }
    for (int i = 0; i < Q; ++i) {
        x[i] = q[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    for (int i = 0; i < V; ++i) {
        y[i] = v[i] + h / 6 * (a[0][i] + 2 * a[1][i] + 2 * a[2][i] + a[3][i]);
    }
    lb_expect_ok(lb_normalize_configuration(model, 0.1, x, NULL));
    assert_int_equal(step(h, tau, q, v), LB_OK);
    lb_expect_close("q after a step", q, x, Q, 1e-12);
    lb_expect_close("v after a step", v, y, V, 1e-12);
    v[0] = NAN;
    assert_int_equal(step(h, tau, q, v), LB_E_NUMBER);
    lb_destroy_work(work);
    lb_end_program(&program);
    lb_destroy_model(model);
}

static lb_model *load(const char *text)
{
    lb_model *model = NULL;
    lb_expect_ok(
        lb_load_model_text(text, strlen(text), "model.yaml", LB_FORMAT_YAML, NULL, NULL, &model));
    return model;
}

// A point mass that slides on an arm without mass: at the pivot nothing resists the arm.
static void a_singular_state_has_the_status_of_the_engine(void **state)
{
    (void)state;
    lb_model *model = load(LB_BEAD);
    lb_program program = write_arm(model, "forward", LB_FROZEN_DOUBLE);
    assert_true(lb_load_program(&program, "cc -std=c99 -O2"));
    lb_frozen_four forward;
    lb_get_program_function(&program, "forward", &forward);
    lb_work *work = lb_create_work(model);
    double q[2] = {0.4, 1.5}, v[2] = {0.3, -0.2}, tau[2] = {1, 2}, a[2], expected[2];
    assert_int_equal(forward(q, v, tau, a), LB_OK);
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, expected));
    lb_expect_close("bead", a, expected, 2, 1e-12);
    q[1] = 0;
    assert_int_equal(lb_compute_forward_dynamics(model, work, q, v, tau, expected), LB_E_SINGULAR);
    assert_int_equal(forward(q, v, tau, a), LB_E_SINGULAR);
    lb_destroy_work(work);
    lb_end_program(&program);
    lb_destroy_model(model);
}

// A body that floats, with two legs of two links and an arm that is not like them. The legs are mirrored, and their
// numbers differ.
static const char walker[] = "limber: 1\n"
                             "bodies:\n"
                             "  - name: trunk\n"
                             "    parent: ground\n"
                             "    hinge: {type: free}\n"
                             "    mass: 9\n"
                             "    inertia: [0.4, 0.5, 0.6, 0, 0, 0]\n"
                             "    nodes:\n"
                             "      left: {position: [0.1, 0.3, 0]}\n"
                             "      right: {position: [0.1, -0.3, 0.02]}\n"
                             "      shoulder: {position: [0, 0, 0.5]}\n"
                             "  - name: left_thigh\n"
                             "    parent: trunk\n"
                             "    at: left\n"
                             "    hinge: {type: revolute, axis: [1, 0, 0]}\n"
                             "    mass: 1.5\n"
                             "    com: [0.01, 0.02, -0.2]\n"
                             "    inertia: [0.02, 0.03, 0.01, 0, 0, 0]\n"
                             "    nodes:\n"
                             "      knee: {position: [0, 0.05, -0.4]}\n"
                             "  - name: left_shin\n"
                             "    parent: left_thigh\n"
                             "    at: knee\n"
                             "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
                             "    mass: 0.8\n"
                             "    com: [0, 0.01, -0.15]\n"
                             "    inertia: [0.01, 0.012, 0.004, 0, 0, 0]\n"
                             "  - name: arm\n"
                             "    parent: trunk\n"
                             "    at: shoulder\n"
                             "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
                             "    mass: 0.7\n"
                             "    com: [0.3, 0, 0]\n"
                             "    inertia: [0.01, 0.02, 0.02, 0, 0, 0]\n"
                             "  - name: right_thigh\n"
                             "    parent: trunk\n"
                             "    at: right\n"
                             "    hinge: {type: revolute, axis: [1, 0, 0]}\n"
                             "    mass: 1.6\n"
                             "    com: [0.01, -0.02, -0.21]\n"
                             "    inertia: [0.021, 0.03, 0.01, 0, 0, 0]\n"
                             "    nodes:\n"
                             "      knee: {position: [0, -0.05, -0.41]}\n"
                             "  - name: right_shin\n"
                             "    parent: right_thigh\n"
                             "    at: knee\n"
                             "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
                             "    mass: 0.8\n"
                             "    com: [0, -0.01, -0.15]\n"
                             "    inertia: [0.01, 0.012, 0.004, 0, 0, 0]\n";

// The functions of a file against the engine at random states.
static void compare_walker(const lb_model *model, lb_program *program)
{
    assert_true(lb_load_program(program, "cc -std=c99 -pedantic -Wall -Wextra -Werror -O2"));
    lb_work *work = lb_create_work(model);
    enum { N = 11 };
    for (int i = 0; i < 20; ++i) {
        double q[N + 1], v[N], x[N], step[N], neutral[N + 1];
        lb_random random;
        lb_seed_random(&random, (uint64_t)i);
        lb_draw_vector(&random, N, 1.0, step);
        lb_draw_vector(&random, N, 1.0, v);
        lb_draw_vector(&random, N, 1.0, x);
        lb_get_neutral_configuration(model, neutral);
        lb_integrate_configuration(model, neutral, step, q);
        lb_expect_engine(model, work, program, q, v, x, x);
    }
    lb_destroy_work(work);
}

static void equal_limbs_share_their_code(void **state)
{
    (void)state;
    lb_model *model = load(walker);
    lb_frozen *frozen = NULL;
    lb_expect_ok(lb_freeze_model(model, NULL, NULL, &frozen));
    const char *source = lb_get_frozen_source(frozen);
    assert_non_null(
        strstr(source, "for (i = 0; i < 2; ++i) {\n        // left_thigh, right_thigh"));
    assert_non_null(strstr(source, "// left_shin, right_shin"));
    assert_null(strstr(source, "// left_shin:"));
    lb_destroy_frozen(frozen);

    lb_program program = write_arm(model, "forward,inverse,mass", LB_FROZEN_DOUBLE);
    compare_walker(model, &program);
    lb_end_program(&program);

    // rates of a quaternion belong to no limb; and the same in other compilers and numbers
    program = write_arm(model, "step,forward,inverse,mass", LB_FROZEN_FLOAT);
    assert_int_equal(
        lb_run_in_folder(&program, "c++ -x c++ -O0 -DMODEL_SELF_TEST model.c -lm && ./a.out"), 0);
    lb_end_program(&program);
    lb_destroy_model(model);
}

static lb_program write_vectors(const lb_model *model, const char *functions,
                                lb_frozen_number number)
{
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = functions;
    options.number = number;
    options.vectors = true;
    lb_program program;
    assert_true(lb_write_program(model, &options, &program));
    return program;
}

static void equal_limbs_go_in_vectors(void **state)
{
    (void)state;
    static const char *const compilers[] = {
        "gcc -std=c99 -pedantic -Wall -Wextra -Werror",
        "clang -std=c99 -pedantic -Wall -Wextra -Werror",
        "g++ -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror",
        "clang++ -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror",
        "gcc -std=c99 -fsanitize=address,undefined -fno-sanitize-recover=all"};
    lb_model *model = load(walker);
    lb_program program = write_vectors(model, "forward,inverse,mass", LB_FROZEN_DOUBLE);
    assert_int_equal(lb_run_in_folder(&program, "grep -q 'const model_two t' model.c"), 0);
    assert_int_equal(lb_run_in_folder(&program, "grep -q 'x[0-9]*.i. = ' model.c; test $? = 1"), 0);
    compare_walker(model, &program);
    assert_int_equal(
        lb_run_in_folder(&program, "size model.o | awk 'NR == 2 && $2 + $3 > 0 {exit 1}'"), 0);
    lb_end_program(&program);
    for (int number = LB_FROZEN_DOUBLE; number <= LB_FROZEN_FLOAT; ++number) {
        program = write_vectors(model, "step,forward,inverse,mass", (lb_frozen_number)number);
        for (size_t i = 0; i < sizeof compilers / sizeof *compilers; ++i) {
            char name[16], command[256];
            sscanf(compilers[i], "%15s", name);
            snprintf(command, sizeof command,
                     "%s -O0 -DMODEL_SELF_TEST model.c -o test -lm && ./test", compilers[i]);
            if (has_command(name)) {
                assert_int_equal(lb_run_in_folder(&program, command), 0);
            }
        }
        lb_end_program(&program);
    }
    lb_destroy_model(model);
}

// A leg without mass has a singular inertia, which its loop has to tell.
static void a_singular_limb_is_told(void **state)
{
    (void)state;
    static const char hinge[] = "    hinge: {type: prismatic, axis: [1, 0, 0]}\n    mass: 2\n";
    char text[2048] = "limber: 1\nbodies:\n";
    for (int k = 0; k < 3; ++k) { // a vector has room for four
        char leg[512];
        snprintf(leg, sizeof leg,
                 "  - name: leg%d\n"
                 "    parent: ground\n"
                 "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
                 "    mass: 0\n"
                 "  - name: bead%d\n"
                 "    parent: leg%d\n%s",
                 k, k, k, hinge);
        strcat(text, leg);
    }
    lb_model *model = load(text);
    for (int vectors = 0; vectors < 2; ++vectors) {
        lb_program program = vectors ? write_vectors(model, "forward", LB_FROZEN_DOUBLE)
                                     : write_arm(model, "forward", LB_FROZEN_DOUBLE);
        assert_int_equal(lb_run_in_folder(&program, vectors ? "grep -q 'singular_four |=' model.c"
                                                            : "grep -q '_limbs.i. +=' model.c"),
                         0);
        assert_true(lb_load_program(&program, "cc -std=c99 -O2"));
        lb_frozen_four forward;
        lb_get_program_function(&program, "forward", &forward);
        for (int k = 0; k < 3; ++k) {
            double q[6] = {0.4, 1.5, 0.2, 1.7, -0.3, 1.6}, v[6] = {0.3, -0.2, 0.1, 0.4, 0.2, 0.1},
                   tau[6] = {1, 2, 3, 4, 5, 6}, a[6];
            assert_int_equal(forward(q, v, tau, a), LB_OK);
            q[2 * k + 1] = 0;
            assert_int_equal(forward(q, v, tau, a), LB_E_SINGULAR);
        }
        lb_end_program(&program);
    }
    lb_destroy_model(model);
}

static void loops_that_follow_a_motion_are_refused_by_name(void **state)
{
    (void)state;
    static const char text[] =
        "{\"limber\": 1, \"bodies\": [{\"name\": \"arm\", \"mass\": 1, \"hinge\": {\"type\": "
        "\"free\"}}], \"loops\": [{\"name\": \"shaker\", \"type\": \"spherical\", \"a\": "
        "{\"body\": \"ground\", \"node\": \"origin\"}, \"b\": {\"body\": \"arm\", \"node\": "
        "\"origin\"}, \"motion\": {\"shift\": [{\"type\": \"sine\", \"amplitude\": 0.1, "
        "\"frequency\": 1}, 0, 0]}}]}";
    lb_model *model = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    if (lb_load_model_text(text, strlen(text), "m.json", LB_FORMAT_JSON, NULL, &report, &model) !=
        LB_OK) {
        lb_print_heard(&heard);
        fail();
    }
    lb_frozen *frozen = NULL;
    assert_int_equal(lb_freeze_model(model, NULL, &report, &frozen), LB_E_UNSUPPORTED);
    const char *message = heard.entries[heard.count - 1].message;
    assert_non_null(strstr(message, "loops that follow a motion are frozen in simulations only"));
    assert_non_null(strstr(message, "'shaker'"));
    lb_destroy_model(model);
}

static void statuses_tell_what_is_wrong(void **state)
{
    (void)state;
    lb_model *model = make_arm(LB_HINGE_REVOLUTE, 0);
    lb_program program = write_arm(model, "forward,inverse,mass", LB_FROZEN_DOUBLE);
    assert_true(lb_load_program(&program, "cc -std=c99 -O2"));
    lb_frozen_four forward, inverse;
    lb_frozen_two mass;
    lb_get_program_function(&program, "forward", &forward);
    lb_get_program_function(&program, "inverse", &inverse);
    lb_get_program_function(&program, "mass", &mass);
    double q[3] = {0.1, 0.2, 0.3}, v[3] = {0}, tau[3] = {1, 2, 3}, a[3] = {7, 7, 7}, M[9];
    assert_int_equal(forward(q, v, tau, a), LB_OK);
    v[1] = NAN;
    a[0] = 7;
    assert_int_equal(forward(q, v, tau, a), LB_E_NUMBER);
    assert_int_equal(inverse(q, v, tau, a), LB_E_NUMBER);
    assert_true(a[0] == 7);
    q[2] = INFINITY;
    assert_int_equal(mass(q, M), LB_E_NUMBER);
    lb_end_program(&program);
    lb_destroy_model(model);
}

static void what_cannot_be_frozen_is_refused_by_name(void **state)
{
    (void)state;
    lb_model *model = make_arm(LB_HINGE_REVOLUTE, 0);
    static const struct {
        const char *name, *functions, *message;
        lb_status status;
    } cases[] = {
        {"model", "forward,backward", "'backward' is not one of", LB_E_ARGUMENT},
        {"model", "", "'' is not one of", LB_E_ARGUMENT},
        {"model", "mass,mass", "'mass' is there twice", LB_E_ARGUMENT},
        {"model", "jacobian:tip", "jacobian:tip: no body has such a node", LB_E_ARGUMENT},
        {"model", "jacobian:origin", "several bodies have such a node", LB_E_ARGUMENT},
        {"2d", "mass", "'2d' cannot start names of C", LB_E_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_freeze_options options = lb_default_freeze_options();
        options.name = cases[i].name;
        options.functions = cases[i].functions;
        lb_frozen *frozen = NULL;
        assert_int_equal(lb_freeze_model(model, &options, &report, &frozen), cases[i].status);
        assert_null(frozen);
        assert_non_null(strstr(heard.entries[0].message, cases[i].message));
    }
    lb_freeze_options options = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    options.vectors = true;
    options.language = LB_FROZEN_CUDA;
    assert_int_equal(lb_freeze_model(model, &options, NULL, &frozen), LB_E_ARGUMENT);
    lb_destroy_model(model);
}

static void options_of_other_versions_are_told_apart(void **state)
{
    (void)state;
    lb_model *model = make_arm(LB_HINGE_REVOLUTE, 0);
    lb_freeze_options options = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    // an older program knows the name only: the rest are defaults
    options.name = "old";
    options.functions = "nothing";
    options.size = offsetof(lb_freeze_options, functions);
    lb_expect_ok(lb_freeze_model(model, &options, NULL, &frozen));
    assert_non_null(strstr(lb_get_frozen_header(frozen), "int old_mass("));
    lb_destroy_frozen(frozen);
    options.size = sizeof options + 8;
    assert_int_equal(lb_freeze_model(model, &options, NULL, &frozen), LB_E_VERSION);
    assert_null(frozen);
    lb_destroy_model(model);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compilers_take_it_without_a_warning),
        cmocka_unit_test(it_has_no_variables_and_needs_only_libm),
        cmocka_unit_test(sanitizers_find_nothing),
        cmocka_unit_test(large_angles_have_the_right_sine),
        cmocka_unit_test(statuses_tell_what_is_wrong),
        cmocka_unit_test(a_step_is_that_of_runge_and_kutta),
        cmocka_unit_test(a_singular_state_has_the_status_of_the_engine),
        cmocka_unit_test(equal_limbs_share_their_code),
        cmocka_unit_test(equal_limbs_go_in_vectors),
        cmocka_unit_test(a_singular_limb_is_told),
        cmocka_unit_test(loops_that_follow_a_motion_are_refused_by_name),
        cmocka_unit_test(options_of_other_versions_are_told_apart),
        cmocka_unit_test(what_cannot_be_frozen_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
