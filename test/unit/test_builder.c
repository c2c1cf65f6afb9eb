// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The builder: each mistake yields its own message, at its own path, and the model is refused.
#define _POSIX_C_SOURCE 200809L // setenv
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/kernels/kernels.h"

// Remembers what was reported.
typedef struct lb_notebook {
    int errors, warnings;
    char path[128]; ///< of the first error, or of the first warning if there is none
    char message[512];
} lb_notebook;

static void lb_note(void *user, const lb_diagnostic *diagnostic)
{
    lb_notebook *notes = user;
    const int error = diagnostic->severity == LB_SEVERITY_ERROR;
    assert_non_null(diagnostic->path);
    assert_non_null(diagnostic->message);
    assert_true(strlen(diagnostic->message) > 0);
    if (error ? notes->errors == 0 : notes->errors + notes->warnings == 0) {
        snprintf(notes->path, sizeof notes->path, "%s", diagnostic->path);
        snprintf(notes->message, sizeof notes->message, "%s", diagnostic->message);
    }
    notes->errors += error;
    notes->warnings += !error;
}

static lb_builder *lb_begin(lb_notebook *notes)
{
    const lb_report report = {lb_note, notes};
    memset(notes, 0, sizeof *notes);
    lb_builder *builder = lb_create_builder(NULL, &report);
    assert_non_null(builder);
    return builder;
}

// Builds, expects exactly one error at this path, and ends the builder.
static void lb_expect_refused(lb_builder *builder, lb_notebook *notes, const char *path)
{
    lb_model *model = (lb_model *)(void *)notes; // anything but NULL
    assert_int_equal(lb_build_model(builder, &model), LB_E_MODEL);
    assert_null(model);
    if (notes->errors != 1 || strcmp(notes->path, path) != 0) {
        print_error("%d errors, the first at %s: %s\n", notes->errors, notes->path, notes->message);
    }
    assert_int_equal(notes->errors, 1);
    assert_string_equal(notes->path, path);
    lb_destroy_builder(builder);
}

// A good body to spoil.
static lb_body_options lb_get_good_body(void)
{
    lb_body_options body = lb_default_body_options();
    body.name = "body";
    body.hinge.type = LB_HINGE_REVOLUTE;
    body.hinge.axis[2] = 1.0;
    body.hinge.axes[0][0] = body.hinge.axes[1][1] = 1.0;
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    return body;
}

static void lb_expect_bad_body(const lb_body_options *body, const char *path)
{
    lb_notebook notes;
    lb_builder *builder = lb_begin(&notes);
    const lb_body_options good = lb_get_good_body();
    int index = -7;
    lb_expect_ok(lb_add_body(builder, &good, NULL));
    assert_int_equal(lb_add_body(builder, body, &index), LB_E_MODEL);
    assert_int_equal(index, 1);
    lb_expect_refused(builder, &notes, path);
}

static void bad_bodies_are_refused_at_their_key(void **state)
{
    (void)state;
    const double bad_numbers[] = {NAN, HUGE_VAL, -HUGE_VAL};
    lb_body_options body;
    for (int i = 0; i < 3; ++i) {
        body = lb_get_good_body();
        body.name = "second";
        body.mass = bad_numbers[i];
        lb_expect_bad_body(&body, "bodies[1].mass");
        body.mass = 1.0;
        body.com[1] = bad_numbers[i];
        lb_expect_bad_body(&body, "bodies[1].com");
        body.com[1] = 0.0;
        body.inertia[5] = bad_numbers[i];
        lb_expect_bad_body(&body, "bodies[1].inertia");
        body.inertia[5] = 0.0;
        body.hinge.axis[0] = bad_numbers[i];
        lb_expect_bad_body(&body, "bodies[1].hinge.axis");
        body.hinge.axis[0] = 0.0;
        body.hinge.type = LB_HINGE_SCREW;
        body.hinge.pitch = bad_numbers[i];
        lb_expect_bad_body(&body, "bodies[1].hinge.pitch");
    }
    body = lb_get_good_body();
    body.name = "second";
    body.mass = -1e-300;
    lb_expect_bad_body(&body, "bodies[1].mass");

    // a product of inertia larger than the moments: indefinite
    body = lb_get_good_body();
    body.name = "second";
    body.inertia[3] = 2.0;
    lb_expect_bad_body(&body, "bodies[1].inertia");

    body = lb_get_good_body();
    body.name = "second";
    body.hinge.axis[2] = 0.0;
    lb_expect_bad_body(&body, "bodies[1].hinge.axis");

    body = lb_get_good_body();
    body.name = "second";
    body.hinge.type = LB_HINGE_UNIVERSAL;
    body.hinge.axes[1][1] = 0.0;
    lb_expect_bad_body(&body, "bodies[1].hinge.axes[1]");
    body.hinge.axes[1][0] = -3.0; // parallel to the first
    lb_expect_bad_body(&body, "bodies[1].hinge.axes");

    body = lb_get_good_body();
    body.name = "second";
    body.hinge.type = (lb_hinge_type)77;
    lb_expect_bad_body(&body, "bodies[1].hinge.type");

    body = lb_get_good_body();
    body.name = "";
    lb_expect_bad_body(&body, "bodies[1].name");
    body.name = NULL;
    lb_expect_bad_body(&body, "bodies[1].name");
    body.name = "ground";
    lb_expect_bad_body(&body, "bodies[1].name");
}

// What can only be seen when all bodies are known.
static void lb_expect_bad_pair(const lb_body_options *second, const char *path)
{
    lb_notebook notes;
    lb_builder *builder = lb_begin(&notes);
    const lb_body_options first = lb_get_good_body();
    lb_expect_ok(lb_add_body(builder, &first, NULL));
    lb_expect_ok(lb_add_body(builder, second, NULL));
    lb_expect_refused(builder, &notes, path);
}

static void bad_references_are_refused_at_their_key(void **state)
{
    (void)state;
    lb_body_options body = lb_get_good_body(); // the name of the first
    lb_expect_bad_pair(&body, "bodies[1].name");
    body.name = "second";
    body.parent = "nobody";
    lb_expect_bad_pair(&body, "bodies[1].parent");
    body.parent = "second";
    lb_expect_bad_pair(&body, "bodies[1].parent");
    body.parent = "body";
    body.at = "nowhere";
    lb_expect_bad_pair(&body, "bodies[1].at");
    body.at = NULL;
    body.by = "nowhere";
    lb_expect_bad_pair(&body, "bodies[1].by");
}

static void cycle_is_reported_once(void **state)
{
    (void)state;
    lb_notebook notes;
    lb_builder *builder = lb_begin(&notes);
    const char *const names[] = {"tail", "a", "b", "c", "root"};
    const char *const parents[] = {"a", "c", "a", "b", "ground"};
    for (int i = 0; i < 5; ++i) {
        lb_body_options body = lb_get_good_body();
        body.name = names[i];
        body.parent = parents[i];
        lb_expect_ok(lb_add_body(builder, &body, NULL));
    }
    // the tail hangs on the cycle but is no part of it
    lb_expect_refused(builder, &notes, "bodies[1].parent");
}

static void bad_nodes_are_refused_at_their_key(void **state)
{
    (void)state;
    const double far[3] = {0, HUGE_VAL, 0}, long_turn[4] = {1.00001, 0, 0, 0};
    const double no_turn[4] = {0, 0, 0, 0}, nan_turn[4] = {NAN, 0, 0, 0};
    const struct {
        const char *name;
        const double *position, *rotation;
        const char *path;
    } cases[] = {
        {"far", far, NULL, "bodies[0].nodes.far.position"},
        {"long", NULL, long_turn, "bodies[0].nodes.long.rotation"},
        {"zero", NULL, no_turn, "bodies[0].nodes.zero.rotation"},
        {"nan", NULL, nan_turn, "bodies[0].nodes.nan.rotation"},
        {"origin", NULL, NULL, "bodies[0].nodes.origin"},
    };
    const lb_body_options body = lb_get_good_body();
    lb_notebook notes;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_builder *builder = lb_begin(&notes);
        lb_expect_ok(lb_add_body(builder, &body, NULL));
        assert_int_equal(
            lb_add_node(builder, 0, cases[i].name, cases[i].position, cases[i].rotation),
            LB_E_MODEL);
        if (strcmp(cases[i].name, "origin") == 0) {
            // refused at once; building then finds the name twice as well
            assert_int_equal(notes.errors, 1);
            assert_string_equal(notes.path, cases[i].path);
            lb_destroy_builder(builder);
        } else {
            lb_expect_refused(builder, &notes, cases[i].path);
        }
    }

    // twice the same name; and on the ground
    lb_builder *builder = lb_begin(&notes);
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_expect_ok(lb_add_node(builder, 0, "tip", NULL, NULL));
    lb_expect_ok(lb_add_node(builder, 0, "tip", NULL, NULL));
    lb_expect_refused(builder, &notes, "bodies[0].nodes.tip");
    builder = lb_begin(&notes);
    assert_int_equal(lb_add_node(builder, LB_GROUND, "far", far, NULL), LB_E_MODEL);
    lb_expect_refused(builder, &notes, "ground.nodes.far.position");

    // a body that does not exist
    builder = lb_begin(&notes);
    assert_int_equal(lb_add_node(builder, 0, "tip", NULL, NULL), LB_E_ARGUMENT);
    assert_int_equal(lb_add_node(builder, -2, "tip", NULL, NULL), LB_E_ARGUMENT);
    lb_destroy_builder(builder);
}

static void bad_gravity_is_refused(void **state)
{
    (void)state;
    lb_notebook notes;
    lb_builder *builder = lb_begin(&notes);
    const double gravity[3] = {0, NAN, 0};
    assert_int_equal(lb_set_gravity(builder, gravity), LB_E_MODEL);
    lb_expect_refused(builder, &notes, "gravity");
}

static void all_mistakes_are_reported(void **state)
{
    (void)state;
    lb_notebook notes;
    lb_builder *builder = lb_begin(&notes);
    lb_body_options body = lb_get_good_body();
    body.mass = -1.0;
    body.com[0] = NAN;
    body.hinge.axis[2] = 0.0;
    assert_int_equal(lb_add_body(builder, &body, NULL), LB_E_MODEL);
    assert_int_equal(notes.errors, 3);
    lb_model *model;
    assert_int_equal(lb_build_model(builder, &model), LB_E_MODEL);
    lb_destroy_builder(builder);
}

static void impossible_triangle_is_a_warning_only(void **state)
{
    (void)state;
    lb_notebook notes;
    lb_builder *builder = lb_begin(&notes);
    lb_body_options body = lb_get_good_body();
    body.inertia[2] = 2.5;
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    assert_int_equal(notes.errors, 0);
    assert_int_equal(notes.warnings, 1);
    assert_string_equal(notes.path, "bodies[0].inertia");
    lb_destroy_model(model);
    lb_destroy_builder(builder);
}

// A quaternion within 1e-6 of unit length is as good as its normalised one.
static void nearly_unit_rotation_is_normalised(void **state)
{
    (void)state;
    lb_builder *builder = lb_create_builder(NULL, NULL);
    const lb_body_options body = lb_get_good_body();
    const double turn[4] = {0, 0, 1 + 9e-7, 0};
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_expect_ok(lb_add_node(builder, 0, "tip", NULL, turn));
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_work *work = lb_create_work(model);
    const double q = 0.0, expected[4] = {0, 0, 1, 0};
    lb_node_motion motion;
    lb_expect_ok(lb_compute_kinematics(model, work, &q, NULL, NULL));
    lb_expect_ok(lb_compute_node_motion(model, work, 0, 1, &motion));
    lb_expect_within("rotation", motion.rotation, expected, 4, 1e-15);
    lb_destroy_work(work);
    lb_destroy_model(model);
    lb_destroy_builder(builder);
}

// The model holds copies: neither names nor options nor the builder are needed any more.
static void model_outlives_builder_and_names(void **state)
{
    (void)state;
    char name[] = "body", node[] = "tip", title[] = "title";
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_body_options body = lb_get_good_body();
    body.name = name;
    lb_model *model, *again;
    lb_expect_ok(lb_set_model_name(builder, title));
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_expect_ok(lb_add_node(builder, 0, node, NULL, NULL));
    name[0] = node[0] = title[0] = 'x';
    lb_expect_ok(lb_build_model(builder, &model));
    // the builder stays valid: a second body, a second model
    lb_body_options more = lb_get_good_body();
    more.name = "more";
    more.parent = "body";
    lb_expect_ok(lb_add_body(builder, &more, NULL));
    lb_expect_ok(lb_build_model(builder, &again));
    lb_destroy_builder(builder);
    assert_int_equal(lb_get_body_count(model), 1);
    assert_int_equal(lb_get_body_count(again), 2);
    assert_int_equal(lb_find_body(model, "body"), 0);
    assert_int_equal(lb_find_node(model, 0, "tip"), 1);
    assert_string_equal(lb_get_model_name(model), "title");
    lb_destroy_model(model);
    assert_int_equal(lb_find_body(again, "more"), 1);
    lb_destroy_model(again);
}

static void model_without_bodies_is_a_model(void **state)
{
    (void)state;
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    lb_work *work = lb_create_work(model);
    assert_non_null(work);
    double nothing[1] = {0}, kinetic = -1.0, potential = -1.0;
    lb_system_motion motion;
    assert_int_equal(lb_get_body_count(model), 0);
    assert_int_equal(lb_get_v_count(model), 0);
    lb_expect_ok(lb_compute_forward_dynamics(model, work, nothing, nothing, nothing, nothing));
    lb_expect_ok(lb_compute_energy(model, work, &kinetic, &potential));
    lb_expect_ok(lb_compute_system_motion(model, work, &motion));
    assert_true(kinetic == 0.0 && potential == 0.0 && motion.mass == 0.0);
    assert_true(motion.com[0] == 0.0 && motion.com_velocity[0] == 0.0);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

static void nothing_may_be_destroyed(void **state)
{
    (void)state;
    lb_destroy_builder(NULL);
    lb_destroy_model(NULL);
}

// ---- memory running out ------------------------------------------------------------------------

typedef struct lb_purse {
    int left; ///< allocations that still succeed
    int held;
} lb_purse;

static void *lb_purse_allocate(void *user, size_t size)
{
    lb_purse *purse = user;
    void *memory = purse->left-- > 0 ? malloc(size) : NULL;
    purse->held += memory != NULL;
    return memory;
}

static void lb_purse_release(void *user, void *memory)
{
    ((lb_purse *)user)->held -= memory != NULL;
    free(memory);
}

// Builds a chain of 40 bodies with nodes; each allocation in turn is made to fail.
static lb_status lb_build_from_purse(lb_purse *purse)
{
    const lb_allocator allocator = {lb_purse_allocate, lb_purse_release, purse};
    lb_builder *builder = lb_create_builder(&allocator, NULL);
    if (builder == NULL) {
        return LB_E_MEMORY;
    }
    lb_model *model = NULL;
    lb_status status = lb_set_model_name(builder, "chain");
    for (int k = 0; status == LB_OK && k < 40; ++k) {
        char name[16], parent[16];
        snprintf(name, sizeof name, "b%d", k);
        snprintf(parent, sizeof parent, "b%d", k - 1);
        lb_body_options body = lb_get_good_body();
        body.name = name;
        body.parent = k > 0 ? parent : NULL;
        body.at = k > 0 ? "tip" : NULL;
        int index;
        status = lb_add_body(builder, &body, &index);
        if (status == LB_OK) {
            status = lb_add_node(builder, index, "tip", NULL, NULL);
        }
    }
    if (status == LB_OK) {
        status = lb_build_model(builder, &model);
        assert_true((status == LB_OK) == (model != NULL));
    }
    if (model != NULL) {
        lb_work *work = lb_create_work(model);
        status = work != NULL ? LB_OK : LB_E_MEMORY;
        lb_destroy_work(work);
    }
    lb_destroy_model(model);
    lb_destroy_builder(builder);
    return status;
}

// A model built with this in the environment, after the program's own choice.
static lb_status lb_build_in(const char *wish, lb_instruction_set choice, lb_instruction_set *set,
                             lb_notebook *notes)
{
    lb_builder *builder = lb_begin(notes);
    lb_expect_ok(lb_set_instruction_set(builder, choice));
    setenv("LIMBER_INSTRUCTIONS", wish, 1);
    lb_model *model;
    const lb_status status = lb_build_model(builder, &model);
    *set = model ? lb_get_instruction_set(model) : LB_INSTRUCTIONS_BEST;
    lb_destroy_model(model);
    lb_destroy_builder(builder);
    return status;
}

static void environment_chooses_what_the_program_does_not(void **state)
{
    (void)state;
    char *before = getenv("LIMBER_INSTRUCTIONS");
    before = before ? strdup(before) : NULL;
    static const char *const wishes[] = {[LB_INSTRUCTIONS_BEST] = "sse9",
                                         [LB_INSTRUCTIONS_PORTABLE] = "portable",
                                         [LB_INSTRUCTIONS_AVX2] = "avx2",
                                         [LB_INSTRUCTIONS_AVX512] = "avx512"};
    lb_notebook notes;
    lb_instruction_set set, best = LB_INSTRUCTIONS_PORTABLE;
    for (int i = LB_INSTRUCTIONS_BEST; i <= LB_INSTRUCTIONS_AVX512; ++i) {
        const lb_status status = lb_build_in(wishes[i], LB_INSTRUCTIONS_BEST, &set, &notes);
        if (i != LB_INSTRUCTIONS_BEST && lb_choose_kernels((lb_instruction_set)i)) {
            lb_expect_ok(status);
            assert_int_equal(set, i);
            best = set;
        } else {
            assert_int_equal(status, LB_E_UNSUPPORTED);
            assert_int_equal(notes.errors, 1);
            assert_non_null(strstr(notes.message, wishes[i]));
            assert_non_null(strstr(notes.message, "LIMBER_INSTRUCTIONS"));
            assert_non_null(strstr(notes.message, ": portable"));
        }
        lb_expect_ok(lb_build_in(wishes[i], LB_INSTRUCTIONS_PORTABLE, &set, &notes));
        assert_int_equal(set, LB_INSTRUCTIONS_PORTABLE);
    }
    lb_expect_ok(lb_build_in("", LB_INSTRUCTIONS_BEST, &set, &notes));
    assert_int_equal(set, best);
    if (before) {
        setenv("LIMBER_INSTRUCTIONS", before, 1);
    } else {
        unsetenv("LIMBER_INSTRUCTIONS");
    }
    free(before);
}

static void each_failing_allocation_is_survived(void **state)
{
    (void)state;
    int failures = 0;
    for (int budget = 0;; ++budget) {
        lb_purse purse = {budget, 0};
        const lb_status status = lb_build_from_purse(&purse);
        assert_int_equal(purse.held, 0);
        if (status == LB_OK) {
            break;
        }
        assert_int_equal(status, LB_E_MEMORY);
        ++failures;
        assert_true(budget < 10000);
    }
    assert_true(failures > 3);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_bodies_are_refused_at_their_key),
        cmocka_unit_test(bad_references_are_refused_at_their_key),
        cmocka_unit_test(cycle_is_reported_once),
        cmocka_unit_test(bad_nodes_are_refused_at_their_key),
        cmocka_unit_test(bad_gravity_is_refused),
        cmocka_unit_test(all_mistakes_are_reported),
        cmocka_unit_test(impossible_triangle_is_a_warning_only),
        cmocka_unit_test(nearly_unit_rotation_is_normalised),
        cmocka_unit_test(model_outlives_builder_and_names),
        cmocka_unit_test(model_without_bodies_is_a_model),
        cmocka_unit_test(nothing_may_be_destroyed),
        cmocka_unit_test(environment_chooses_what_the_program_does_not),
        cmocka_unit_test(each_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
