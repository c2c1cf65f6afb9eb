// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closed loops in frozen files, against the engine: the cases of test/data/oracles, four-bars of every closure, a
// platform on six legs. Of each kind a small case; the long test takes all.
#include <glob.h>
#include <jansson.h>
#include <limber/assemble.h>
#include <limber/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/loops/closed_chain.h"
#include "frozen/program.h"
#include "heard.h"
#include "random.h"

// 1e-12: what the project promises of frozen files.
static const double tolerance = 1e-12;

// A frozen model beside the engine, at closed states.
typedef struct pair {
    const lb_model *model;
    lb_program program;
    lb_frozen_four forward;
    int (*close)(double *, double *);
    int (*step)(double, const double *, double *, double *);
    lb_work *work;
    lb_random random;
    size_t nq, n, slots;
    double *start, *q, *v, *tau, *a, *expected, *scratch, *errors, *dv;
} pair;

static void begin(const lb_model *model, const double *start, pair *p)
{
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = "forward,step";
    options.configuration = start;
    *p = (pair){.model = model,
                .nq = (size_t)lb_get_q_count(model),
                .n = (size_t)lb_get_v_count(model),
                .slots = (size_t)lb_get_loop_capacity(model)};
    assert_true(lb_write_program(model, &options, &p->program));
    assert_true(lb_load_program(&p->program, "cc -std=c99 -O0"));
    lb_get_program_function(&p->program, "forward", &p->forward);
    lb_get_program_function(&p->program, "close", &p->close);
    lb_get_program_function(&p->program, "step", &p->step);
    p->work = lb_create_work(model);
    lb_seed_random(&p->random, lb_get_base_seed());
    double **const places[] = {&p->start, &p->q,        &p->v,      &p->tau,
                               &p->a,     &p->expected, &p->errors, &p->dv};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        *places[i] = lb_make_numbers(p->nq + p->n + 6 * p->slots);
    }
    p->scratch = lb_make_numbers(lb_get_assembly_scratch_count(model));
    if (start) {
        memcpy(p->start, start, p->nq * sizeof *start);
    } else {
        lb_get_neutral_configuration(model, p->start);
    }
    lb_expect_ok(lb_take_initial_offsets(model, p->work, p->start, NULL));
}

static void end(pair *p)
{
    lb_end_program(&p->program);
    lb_destroy_work(p->work);
    double *const pieces[] = {p->start,    p->q,      p->v,  p->tau,    p->a,
                              p->expected, p->errors, p->dv, p->scratch};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
        free(pieces[i]);
    }
}

// A state on the loops, away from the start; false where there is none, or a singular one.
static bool draw_state(pair *p, double reach)
{
    int loop;
    lb_draw_vector(&p->random, (int)p->n, reach, p->dv);
    lb_draw_vector(&p->random, (int)p->n, 1.0, p->v);
    lb_draw_vector(&p->random, (int)p->n, 10.0, p->tau);
    lb_integrate_configuration(p->model, p->start, p->dv, p->q);
    return lb_assemble_loops(p->model, p->work, NULL, p->q, p->v, p->scratch, NULL) >= LB_OK &&
           lb_factor_loops(p->model, p->work, p->q, NULL) >= LB_OK &&
           lb_get_loop_pivot(p->model, p->work, &loop) > 1e-5;
}

static double find_gap(pair *p, double *speed)
{
    lb_expect_ok(lb_compute_kinematics(p->model, p->work, p->q, p->v, NULL));
    lb_expect_ok(lb_compute_loop_gaps(p->model, p->work, p->q, p->errors));
    const double gap = lb_get_largest(6 * (int)p->slots, p->errors);
    lb_expect_ok(lb_compute_loop_errors(p->model, p->work, p->q, NULL, p->errors));
    *speed = lb_get_largest(6 * (int)p->slots, p->errors);
    return gap;
}

static void check_forward(pair *p)
{
    const int status = p->forward(p->q, p->v, p->tau, p->a);
    assert_int_equal(status, LB_OK);
    const lb_status engine =
        lb_closed_forward(p->model, p->work, p->q, p->v, NULL, p->tau, p->expected, NULL, NULL);
    assert_true(engine >= LB_OK);
    lb_expect_close("accelerations", p->a, p->expected, p->n, tolerance);
}

// Newton's method with fresh factors, and the speeds: the second road to what `close` does.
static void close_by_engine(pair *p, double *q, double *v)
{
    for (int i = 0; i < 8; ++i) {
        assert_true(lb_factor_loops(p->model, p->work, q, NULL) >= LB_OK);
        lb_expect_ok(lb_compute_loop_gaps(p->model, p->work, q, p->errors));
        lb_expect_ok(lb_solve_loops(p->model, p->work, p->errors, p->dv, NULL));
        for (size_t j = 0; j < p->n; ++j) {
            p->dv[j] = -p->dv[j];
        }
        lb_integrate_configuration(p->model, q, p->dv, q);
    }
    lb_expect_ok(lb_compute_kinematics(p->model, p->work, q, v, NULL));
    lb_expect_ok(lb_compute_loop_errors(p->model, p->work, q, NULL, p->errors));
    assert_true(lb_factor_loops(p->model, p->work, q, NULL) >= LB_OK);
    lb_expect_ok(lb_solve_loops(p->model, p->work, p->errors, p->dv, NULL));
    lb_add_vector((int)p->n, -1.0, p->dv, v);
}

static void check_close(pair *p)
{
    double speed;
    lb_draw_vector(&p->random, (int)p->n, 1e-4, p->dv);
    lb_integrate_configuration(p->model, p->q, p->dv, p->q);
    lb_add_vector((int)p->n, 1.0, p->dv, p->v);
    double *q = p->expected, *v = p->a;
    memcpy(q, p->q, p->nq * sizeof *q);
    memcpy(v, p->v, p->n * sizeof *v);
    close_by_engine(p, q, v);
    assert_int_equal(p->close(p->q, p->v), LB_OK);
    // 1e-9: rotations off by 1e-4 differ by their cube between an angle and its sine
    lb_expect_close("closed q", p->q, q, p->nq, 1e-9);
    lb_expect_close("closed v", p->v, v, p->n, 1e-8);
    lb_expect_below("position errors", find_gap(p, &speed), 1e-12);
    lb_expect_below("velocity errors", speed, 1e-11 * fmax(1.0, lb_get_largest((int)p->n, p->v)));
}

static void check_steps(pair *p)
{
    double speed;
    for (int i = 0; i < 50; ++i) {
        assert_int_equal(p->step(1e-3, p->tau, p->q, p->v), LB_OK);
    }
    lb_expect_below("position errors", find_gap(p, &speed), 1e-12);
    lb_expect_below("velocity errors", speed, 1e-10 * fmax(1.0, lb_get_largest((int)p->n, p->v)));
}

static void check_model(const lb_model *model, const double *start)
{
    pair p;
    int checked = 0;
    begin(model, start, &p);
    for (int i = 0; i < 12; ++i) {
        if (draw_state(&p, i < 4 ? 0.05 : 0.4)) {
            ++checked;
            check_forward(&p);
            check_close(&p);
        }
    }
    assert_true(checked > 3);
    while (!draw_state(&p, 0.05)) {
    }
    check_steps(&p);
    end(&p);
}

// ---- cases -------------------------------------------------------------------------------------

static void check_oracle(const char *path)
{
    print_message("%s\n", path);
    json_t *json = json_load_file(path, 0, NULL);
    assert_non_null(json);
    char *text = json_dumps(json_object_get(json, "model"), 0);
    lb_model *model = NULL;
    lb_expect_ok(
        lb_load_model_text(text, strlen(text), "oracle.json", LB_FORMAT_JSON, NULL, NULL, &model));
    free(text);
    const json_t *state = json_array_get(json_object_get(json, "states"), 0);
    double *q = lb_make_numbers((size_t)lb_get_q_count(model));
    for (int i = 0; i < lb_get_q_count(model); ++i) {
        q[i] = json_number_value(json_array_get(json_object_get(state, "q"), (size_t)i));
    }
    check_model(model, q);
    free(q);
    lb_destroy_model(model);
    json_decref(json);
}

static void loops_of_the_cases_move_as_in_the_engine(void **state)
{
    (void)state;
    const char *folder = getenv("LB_ORACLE_DIR");
    static const char *const some[] = {"weld_1", "redundant_1", "two_1", "point-line_1"};
    for (size_t i = 0; i < (lb_is_long() ? 1 : sizeof some / sizeof *some); ++i) {
        char pattern[1024];
        snprintf(pattern, sizeof pattern, "%s/loop_%s.json",
                 folder ? folder : lb_find_source("test/data/oracles"),
                 lb_is_long() ? "*" : some[i]);
        glob_t found;
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t j = 0; j < found.gl_pathc; ++j) {
            check_oracle(found.gl_pathv[j]);
        }
        globfree(&found);
    }
}

static void four_bars_of_every_closure_move_as_in_the_engine(void **state)
{
    (void)state;
    static const lb_loop_type types[] = {LB_LOOP_SPHERICAL, LB_LOOP_REVOLUTE, LB_LOOP_CYLINDRICAL,
                                         LB_LOOP_PLANAR, LB_LOOP_POINT_LINE};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        lb_scene *scene = lb_create_four_bars(2, types[i], 1);
        lb_model *model = lb_build_scene(scene);
        print_message("closure %d\n", (int)types[i]);
        check_model(model, NULL);
        lb_destroy_model(model);
        lb_destroy_scene(scene);
    }
}

static void a_platform_on_six_legs_moves_as_in_the_engine(void **state)
{
    (void)state;
    lb_scene *scene = lb_create_platform(6, LB_LOOP_SPHERICAL);
    lb_model *model = lb_build_scene(scene);
    double *q = lb_make_numbers((size_t)lb_get_q_count(model));
    lb_get_neutral_configuration(model, q);
    lb_place_platform(scene, q);
    check_model(model, q);
    free(q);
    lb_destroy_model(model);
    lb_destroy_scene(scene);
}

// Rods and a coupler: two pendulums with gears between them, the second with a rod to the ground beyond.
static const char *const linkage =
    "{\"limber\": 1, \"gravity\": [0, -9.81, 0], \"ground\": {\"nodes\": {\"far\": {\"position\": "
    "[1, 0, 0]}, \"post\": {\"position\": [2.1, 0.3, 0.1]}}}, \"bodies\": ["
    "{\"name\": \"a\", \"mass\": 2, \"com\": [0.5, 0.1, 0], \"inertia\": [0.1, 0.6, 0.6, 0, 0, 0], "
    "\"hinge\": {\"type\": \"revolute\", \"axis\": [0, 0, 1]}},"
    "{\"name\": \"b\", \"at\": \"far\", \"mass\": 1, \"com\": [0.4, 0, 0.1], \"inertia\": [0.1, "
    "0.3, 0.3, 0, 0, 0], \"hinge\": {\"type\": \"revolute\", \"axis\": [0, 0, 1]}},"
    "{\"name\": \"c\", \"parent\": \"b\", \"mass\": 1, \"com\": [0.4, 0, 0], \"inertia\": [0.1, "
    "0.3, "
    "0.3, 0, 0, 0], \"hinge\": {\"type\": \"universal\", \"axes\": [[0, 1, 0], [0, 0, 1]]}, "
    "\"nodes\": {\"tip\": {\"position\": [0.8, 0, 0]}}}], \"loops\": ["
    "{\"name\": \"gears\", \"type\": \"coupler\", \"terms\": [{\"body\": \"a\", \"factor\": 1}, "
    "{\"body\": \"b\", \"factor\": -2}]},"
    "{\"name\": \"rod\", \"type\": \"rod\", \"length\": 0.5, \"a\": {\"body\": \"ground\", "
    "\"node\": "
    "\"post\"}, \"b\": {\"body\": \"c\", \"node\": \"tip\"}}]}";

static lb_model *load(const char *text)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_model *model = NULL;
    if (lb_load_model_text(text, strlen(text), "m.json", LB_FORMAT_JSON, NULL, &report, &model) !=
        LB_OK) {
        lb_print_heard(&heard);
        fail();
    }
    return model;
}

static void rods_and_couplers_move_as_in_the_engine(void **state)
{
    (void)state;
    lb_model *model = load(linkage);
    check_model(model, NULL);
    lb_destroy_model(model);
}

// A parallelogram folds flat where all bars lie on one line: a change point, where a second motion begins.
static const char *const parallelogram =
    "{\"limber\": 1, \"gravity\": [0, -9.81, 0], \"ground\": {\"nodes\": {\"far\": {\"position\": "
    "[2, 0, 0]}}}, \"bodies\": ["
    "{\"name\": \"crank\", \"mass\": 1, \"com\": [0.5, 0, 0], \"inertia\": [0.1, 0.5, 0.5, 0, 0, "
    "0], "
    "\"hinge\": {\"type\": \"revolute\", \"axis\": [0, 0, 1]}, \"nodes\": {\"end\": {\"position\": "
    "[1, 0, 0]}}},"
    "{\"name\": \"bar\", \"parent\": \"crank\", \"at\": \"end\", \"mass\": 1, \"com\": [1, 0, 0], "
    "\"inertia\": [0.1, 1.5, 1.5, 0, 0, 0], \"hinge\": {\"type\": \"revolute\", \"axis\": [0, 0, "
    "1]}, "
    "\"nodes\": {\"end\": {\"position\": [2, 0, 0]}}},"
    "{\"name\": \"rocker\", \"at\": \"far\", \"mass\": 1, \"com\": [0.5, 0, 0], \"inertia\": [0.1, "
    "0.5, 0.5, 0, 0, 0], \"hinge\": {\"type\": \"revolute\", \"axis\": [0, 0, 1]}, \"nodes\": "
    "{\"end\": {\"position\": [1, 0, 0]}}}], \"loops\": [{\"name\": \"pin\", \"type\": "
    "\"revolute\", "
    "\"axis\": [0, 0, 1], \"a\": {\"body\": \"bar\", \"node\": \"end\"}, \"b\": {\"body\": "
    "\"rocker\", \"node\": \"end\"}}]}";

static void singular_states_have_a_status(void **state)
{
    (void)state;
    lb_model *model = load(parallelogram);
    const double start[] = {1, -1, 1};
    pair p;
    begin(model, start, &p);
    static const double angles[] = {0.0, 1e-8, 1e-7, 1e-3, 0.5};
    for (int i = 0; i < 5; ++i) {
        const double q[] = {angles[i], -angles[i], angles[i]}, v[] = {1, -1, 1}, tau[] = {1, 0, 2};
        double a[3], expected[3];
        const int status = p.forward(q, v, tau, a);
        const lb_status engine =
            lb_closed_forward(model, p.work, q, v, NULL, tau, expected, NULL, NULL);
        // the engine drops one row more where the file says that it cannot
        int rows, rank;
        assert_true(engine >= LB_OK);
        lb_expect_ok(lb_get_loop_rank(model, p.work, &rows, &rank, NULL));
        assert_int_equal(rank, status == LB_OK ? 2 : 1);
        assert_int_equal(status, i < 3 ? LB_E_SINGULAR : LB_OK);
        if (i > 2) {
            lb_expect_close("accelerations", a, expected, 3, tolerance);
        }
    }
    // far from closed, and turned over
    double q[] = {1, -1, -2}, v[] = {0, 0, 0};
    const double kept[] = {1, -1, -2};
    assert_true(p.close(q, v) == LB_OK || memcmp(q, kept, sizeof q) == 0);
    double wild[] = {1, NAN, 1};
    assert_int_equal(p.close(wild, v), LB_E_NUMBER);
    end(&p);
    lb_destroy_model(model);
}

static void what_cannot_be_closed_is_refused(void **state)
{
    (void)state;
    char text[2048];
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_freeze_options options = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    // a rocker on a post that is out of reach
    strcpy(text, parallelogram);
    memcpy(strstr(text, "[2, 0, 0]"), "[9, 0, 0]", 9);
    lb_model *model = load(text);
    assert_int_equal(lb_freeze_model(model, &options, &report, &frozen), LB_E_OPEN);
    assert_non_null(strstr(heard.entries[0].message, "cannot be closed"));
    lb_destroy_model(model);
    model = load(parallelogram);
    const double wild[] = {1, NAN, 1};
    options.configuration = wild;
    assert_int_equal(lb_freeze_model(model, &options, &report, &frozen), LB_E_NUMBER);
    options.configuration = NULL;
    const lb_frozen_parameter entry = {"x", INFINITY, 0, 1, NULL};
    const lb_freeze_parameters parameters = {sizeof parameters, 1, &entry, NULL, NULL, NULL};
    const double start[] = {1, -1, 1};
    options.configuration = start;
    options.parameters = &parameters;
    assert_int_equal(lb_freeze_model(model, &options, &report, &frozen), LB_E_NUMBER);
    options.parameters = NULL;
    // functions that loops do not have
    options.functions = "derivatives";
    assert_int_equal(lb_freeze_model(model, &options, &report, &frozen), LB_E_UNSUPPORTED);
    assert_non_null(strstr(heard.entries[heard.count - 1].message, "derivatives"));
    lb_destroy_model(model);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bars_of_every_closure_move_as_in_the_engine),
        cmocka_unit_test(rods_and_couplers_move_as_in_the_engine),
        cmocka_unit_test(a_platform_on_six_legs_moves_as_in_the_engine),
        cmocka_unit_test(loops_of_the_cases_move_as_in_the_engine),
        cmocka_unit_test(singular_states_have_a_status),
        cmocka_unit_test(what_cannot_be_closed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
