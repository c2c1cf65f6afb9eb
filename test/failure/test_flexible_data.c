// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible data that is wrong, given to the builder directly, and flexible data that is right but
// leaves nothing to divide by.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/tree/tree.h"
#include "heard.h"

// ---- a body to spoil ---------------------------------------------------------------------------

enum { MODES = 2, NODES = 3 };

typedef struct lb_sample {
    lb_flex_node nodes[NODES];
    double shapes[NODES][MODES][6];
    double stiffness[MODES][MODES], damping[MODES][MODES];
    lb_second_order second_order[3];
    lb_flex_options flex;
} lb_sample;

// Three nodes in a row along x, bending in y and z.
static void lb_make_sample(lb_sample *s)
{
    static const char *const names[NODES] = {"root", "middle", "tip"};
    memset(s, 0, sizeof *s);
    for (int j = 0; j < NODES; ++j) {
        s->nodes[j] = lb_default_flex_node();
        s->nodes[j].name = names[j];
        s->nodes[j].position[0] = j;
        s->nodes[j].mass = 1.0;
        s->nodes[j].inertia[0] = s->nodes[j].inertia[1] = s->nodes[j].inertia[2] = 0.1;
        s->shapes[j][0][2] = 2.0 * j;
        s->shapes[j][0][4] = j * j;
        s->shapes[j][1][1] = -2.0 * j;
        s->shapes[j][1][5] = j * j;
        s->nodes[j].shape = &s->shapes[j][0][0];
    }
    s->second_order[0] = (lb_second_order){0, 0, {-1, 0, 0}};
    s->second_order[1] = (lb_second_order){0, 1, {0, 0, 0}};
    s->second_order[2] = (lb_second_order){1, 1, {-1, 0, 0}};
    s->nodes[2].second_order = s->second_order;
    s->nodes[2].second_order_count = 3;
    s->stiffness[0][0] = s->stiffness[1][1] = 10.0;
    s->damping[0][0] = s->damping[1][1] = 0.1;
    s->flex = lb_default_flex_options();
    s->flex.mode_count = MODES;
    s->flex.node_count = NODES;
    s->flex.nodes = s->nodes;
    s->flex.stiffness = &s->stiffness[0][0];
    s->flex.damping = &s->damping[0][0];
}

static lb_status lb_build_sample(const lb_sample *s, lb_heard *heard, lb_model **model)
{
    const lb_report report = lb_listen(heard);
    lb_builder *builder = lb_create_builder(NULL, &report);
    assert_non_null(builder);
    lb_body_options body = lb_default_body_options();
    body.name = "beam";
    body.hinge.type = LB_HINGE_FREE;
    body.flex = &s->flex;
    (void)lb_add_body(builder, &body, NULL);
    const lb_status status = lb_build_model(builder, model);
    lb_destroy_builder(builder);
    return status;
}

// Expects one error, at this path, with this text in it.
static void lb_expect_refused(const lb_sample *s, const char *path, const char *text)
{
    lb_heard heard = {.count = 0};
    lb_model *model = (lb_model *)(void *)&heard; // to see that it is cleared
    const lb_status status = lb_build_sample(s, &heard, &model);
    const lb_heard_entry *entry = lb_find_heard(&heard, path);
    if (status != LB_E_MODEL || model != NULL || heard.error_count != 1 || entry == NULL ||
        strstr(entry->message, text) == NULL) {
        lb_print_heard(&heard);
        lb_destroy_model(model == (lb_model *)(void *)&heard ? NULL : model);
        fail_msg("status %d, %d errors; expected %s: ...%s...", (int)status, heard.error_count,
                 path, text);
    }
}

#define REFUSED(path, text, ...)                                                                   \
    do {                                                                                           \
        lb_sample s;                                                                               \
        lb_make_sample(&s);                                                                        \
        __VA_ARGS__;                                                                               \
        lb_expect_refused(&s, path, text);                                                         \
    } while (0)

static void the_sample_itself_is_accepted(void **state)
{
    (void)state;
    lb_sample s;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    lb_make_sample(&s);
    lb_expect_ok(lb_build_sample(&s, &heard, &model));
    assert_int_equal(heard.count, 0);
    lb_destroy_model(model);
}

// ---- what the builder refuses ------------------------------------------------------------------

static void bad_modal_matrices_are_refused(void **state)
{
    (void)state;
    const char *const stiffness = "bodies[0].flex.stiffness", *const damping =
                                                                  "bodies[0].flex.damping";
    REFUSED(stiffness, "expected symmetry", s.stiffness[0][1] = 3.0);
    // off by more than files of ten digits lose
    REFUSED(stiffness, "expected symmetry", s.stiffness[0][1] = 1e-6);
    REFUSED(stiffness, "positive semidefinite", s.stiffness[1][1] = -1.0);
    // positive on the diagonal, negative along (1, -1)
    REFUSED(stiffness, "positive semidefinite", s.stiffness[0][1] = s.stiffness[1][0] = 11.0);
    REFUSED(stiffness, "finite", s.stiffness[1][0] = NAN);
    REFUSED(stiffness, "finite", s.stiffness[0][0] = HUGE_VAL);
    REFUSED(stiffness, "missing", s.flex.stiffness = NULL);
    REFUSED(damping, "expected symmetry", s.damping[0][1] = 0.05);
    REFUSED(damping, "positive semidefinite", s.damping[0][0] = -0.1);
    REFUSED(damping, "finite", s.damping[0][0] = NAN);
}

// Zero stiffness is a mode that nothing holds, and semidefinite.
static void semidefinite_matrices_are_accepted(void **state)
{
    (void)state;
    lb_sample s;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    lb_make_sample(&s);
    memset(s.damping, 0, sizeof s.damping);
    s.stiffness[0][0] = s.stiffness[0][1] = s.stiffness[1][0] = s.stiffness[1][1] = 4.0;
    lb_expect_ok(lb_build_sample(&s, &heard, &model));
    assert_int_equal(heard.count, 0);
    lb_destroy_model(model);
}

static void bad_nodes_are_refused(void **state)
{
    (void)state;
    REFUSED("bodies[0].flex.nodes[1].shape", "finite", s.shapes[1][1][3] = NAN);
    REFUSED("bodies[0].flex.nodes[2].shape", "finite", s.shapes[2][0][0] = -HUGE_VAL);
    REFUSED("bodies[0].flex.nodes[0].shape", "missing", s.nodes[0].shape = NULL);
    REFUSED("bodies[0].flex.nodes[1].mass", "-1", s.nodes[1].mass = -1.0);
    REFUSED("bodies[0].flex.nodes[1].offset", "finite", s.nodes[1].offset[2] = NAN);
    REFUSED("bodies[0].flex.nodes[1].position", "finite", s.nodes[1].position[2] = NAN);
    REFUSED("bodies[0].flex.nodes[1].rotation", "unit quaternion", s.nodes[1].rotation[1] = 0.5);
    REFUSED("bodies[0].flex.nodes[2].inertia", "negative", s.nodes[2].inertia[3] = 1.0);
    REFUSED("bodies[0].flex.nodes[2].name", "already", s.nodes[2].name = "root");
    REFUSED("bodies[0].flex.nodes[2].name", "origin", s.nodes[2].name = "origin");
    REFUSED("bodies[0].flex.nodes[2].name", "name", s.nodes[2].name = NULL);
    REFUSED("bodies[0].flex.nodes", "at least one", s.flex.node_count = 0);
    REFUSED("bodies[0].flex.nodes", "-1 modes", s.flex.mode_count = -1);
}

static void bad_second_order_is_refused(void **state)
{
    (void)state;
    const char *const entry = "bodies[0].flex.nodes[2].second_order[1]";
    REFUSED(entry, "r <= s", s.second_order[1].r = 1, s.second_order[1].s = 0);
    REFUSED(entry, "between 0 and 1", s.second_order[1].s = MODES);
    REFUSED(entry, "between 0 and 1", s.second_order[1].r = -1);
    REFUSED(entry, "twice", s.second_order[1].s = 0);
    REFUSED(entry, "finite", s.second_order[1].g[1] = NAN);
    REFUSED("bodies[0].flex.nodes[2].second_order", "consistent",
            s.flex.fidelity = LB_FIDELITY_RUTHLESS);
    REFUSED("bodies[0].flex.fidelity", "", s.flex.fidelity = (lb_fidelity)77);
}

// Modes that move nodes without second order: allowed, with a word of warning and its cure.
static void missing_second_order_is_a_warning(void **state)
{
    (void)state;
    lb_sample s;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    lb_make_sample(&s);
    s.nodes[2].second_order_count = 0;
    lb_expect_ok(lb_build_sample(&s, &heard, &model));
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.error_count, 0);
    const lb_heard_entry *entry = lb_find_heard(&heard, "bodies[0].flex.nodes");
    assert_non_null(entry);
    assert_non_null(strstr(entry->message, "second-order"));
    lb_destroy_model(model);

    // nobody need be warned of a mode that only turns nodes, nor of a ruthless body
    for (int i = 0; i < 2; ++i) {
        heard.count = 0;
        lb_make_sample(&s);
        s.nodes[2].second_order_count = 0;
        for (int j = 0; i == 0 && j < NODES; ++j) {
            s.shapes[j][0][4] = s.shapes[j][1][5] = 0.0;
        }
        s.flex.fidelity = i == 0 ? LB_FIDELITY_CONSISTENT : LB_FIDELITY_RUTHLESS;
        lb_expect_ok(lb_build_sample(&s, &heard, &model));
        assert_int_equal(heard.count, 0);
        lb_destroy_model(model);
    }
}

// ---- nothing to divide by ----------------------------------------------------------------------

// The sample on a revolute hinge, and at its tip a rigid body of this mass on a fixed hinge.
static lb_model *lb_build_pair(const lb_sample *s, double mass, lb_elimination elimination)
{
    lb_model *model = NULL;
    lb_builder *builder = lb_create_builder(NULL, NULL);
    assert_non_null(builder);
    lb_set_elimination(builder, elimination);
    lb_body_options load = lb_default_body_options(), beam = load;
    beam.name = "beam";
    beam.hinge.type = LB_HINGE_REVOLUTE;
    beam.hinge.axis[2] = 1.0;
    beam.flex = &s->flex;
    load.name = "load";
    load.parent = "beam";
    load.at = "tip";
    load.mass = mass;
    load.inertia[0] = load.inertia[1] = load.inertia[2] = 0.1 * mass;
    // listed before its parent, so that listed and swept order differ
    lb_expect_ok(lb_add_body(builder, &load, NULL));
    lb_expect_ok(lb_add_body(builder, &beam, NULL));
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    return model;
}

// Where articulated and composite find that they cannot go on. They take the speeds of a body out in
// opposite order, so that they may name different ones of several that depend on each other.
static void lb_expect_singular(const lb_model *model, const double *q, int body, int articulated,
                               int composite)
{
    const lb_status status = LB_E_SINGULAR;
    const size_t n = (size_t)lb_get_v_count(model);
    double *v = lb_make_numbers(n), *a = lb_make_numbers(n), *M = lb_make_numbers(n * n);
    int where[2] = {-7, -7};
    lb_work *work = lb_create_work(model);
    assert_non_null(work);
    assert_int_equal(lb_compute_forward_dynamics(model, work, q, v, NULL, a), status);
    lb_get_bad_inertia(work, &where[0], &where[1]);
    assert_int_equal(where[0], body);
    assert_int_equal(where[1], articulated);
    assert_int_equal(lb_compute_articulated_inertia(model, work, q), status);
    where[0] = where[1] = -7;
    assert_int_equal(lb_tree_composite(model, work, q, v, NULL, M, a), status);
    lb_get_bad_inertia(work, &where[0], &where[1]);
    assert_int_equal(where[0], body);
    assert_int_equal(where[1], composite);
    lb_destroy_work(work);
    free(v);
    free(a);
    free(M);
}

// Without second order and with only a massless tip that the second mode moves.
static void lb_make_massless_mode(lb_sample *s, lb_fidelity fidelity)
{
    lb_make_sample(s);
    s->nodes[2].second_order_count = 0;
    memset(s->shapes[1][1], 0, sizeof s->shapes[1][1]);
    s->nodes[2].mass = 0.0;
    memset(s->nodes[2].inertia, 0, sizeof s->nodes[2].inertia);
    s->flex.fidelity = fidelity;
}

static void mode_without_inertia_is_a_named_singularity(void **state)
{
    (void)state;
    const double q[3] = {0.1, -0.1, 0.3};
    for (int i = 0; i < 3; ++i) {
        lb_sample s;
        lb_make_massless_mode(&s, i == 0 ? LB_FIDELITY_CONSISTENT : LB_FIDELITY_RUTHLESS);
        const lb_elimination elimination = i == 2 ? LB_ELIMINATION_UPDATE : LB_ELIMINATION_FORM;

        // the second mode moves nothing that has mass
        lb_model *model = lb_build_pair(&s, 0.0, elimination);
        lb_expect_singular(model, q, 1, 1, 1);
        lb_destroy_model(model);

        // a load at the tip is enough to hold on to
        model = lb_build_pair(&s, 1.0, elimination);
        lb_work *work = lb_create_work(model);
        assert_non_null(work);
        const double v[3] = {0.2, 0.3, -0.4}, a[3] = {1, 2, 3};
        double tau[3], x[3];
        lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, v, a, tau));
        lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, x));
        // 1e-13: three equations of condition 100 or so
        lb_expect_close("accelerations", x, a, 3, 1e-13);
        lb_destroy_work(work);
        lb_destroy_model(model);

        // a body without any mass
        for (int j = 0; j < NODES; ++j) {
            s.nodes[j].mass = 0.0;
            memset(s.nodes[j].inertia, 0, sizeof s.nodes[j].inertia);
        }
        model = lb_build_pair(&s, 0.0, elimination);
        lb_expect_singular(model, q, 1, 0, 2);
        lb_destroy_model(model);
    }
}

// Two modes of one shape: each has inertia, their difference has none.
static void equal_modes_are_a_named_singularity(void **state)
{
    (void)state;
    const double q[3] = {0.1, -0.1, 0.3};
    for (int i = 0; i < 3; ++i) {
        lb_sample s;
        lb_make_sample(&s);
        s.nodes[2].second_order_count = 0;
        for (int j = 0; j < NODES; ++j) {
            memcpy(s.shapes[j][1], s.shapes[j][0], sizeof s.shapes[j][1]);
        }
        s.flex.fidelity = i == 0 ? LB_FIDELITY_CONSISTENT : LB_FIDELITY_RUTHLESS;
        lb_model *model =
            lb_build_pair(&s, 1.0, i == 2 ? LB_ELIMINATION_UPDATE : LB_ELIMINATION_FORM);
        lb_expect_singular(model, q, 1, 1, 0);
        lb_destroy_model(model);
    }
}

// ---- outside the range of the model ------------------------------------------------------------

// Rotary energy is kept to second order: a slender node on a ball hinge, turned by its mode beyond
// one radian, has J_xx + d^2 (J_yy - J_xx) < 0. The answer is what the equations say nevertheless.
static void large_turns_of_rotary_inertia_are_told(void **state)
{
    (void)state;
    lb_flex_node node = lb_default_flex_node();
    const double shape[6] = {0, 0, 1, 0, 0, 0}, stiffness = 1.0;
    node.name = "n";
    node.inertia[0] = 1.0;
    node.inertia[1] = 0.1;
    node.inertia[2] = 0.95;
    node.shape = shape;
    const lb_flex_options flex = {.size = sizeof flex,
                                  .mode_count = 1,
                                  .node_count = 1,
                                  .nodes = &node,
                                  .stiffness = &stiffness};
    lb_body_options body = lb_default_body_options();
    body.name = "body";
    body.hinge.type = LB_HINGE_UNIVERSAL;
    body.hinge.axes[0][0] = body.hinge.axes[1][1] = 1.0;
    body.flex = &flex;
    lb_model *model = NULL;
    lb_builder *builder = lb_create_builder(NULL, NULL);
    assert_non_null(builder);
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    lb_work *work = lb_create_work(model);
    assert_non_null(work);

    double q[3] = {0.1, 0.3, 0.2}, a[3], tau[3], M[9];
    const double v[3] = {0.5, -0.2, 0.3}, given[3] = {1, 2, 3};
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, given, a));
    q[0] = 2.0;
    int where[2] = {-7, -7};
    assert_int_equal(lb_compute_forward_dynamics(model, work, q, v, given, a), LB_NEWS_INDEFINITE);
    lb_get_bad_inertia(work, &where[0], &where[1]);
    assert_int_equal(where[0], 0);
    assert_in_range(where[1], 1, 2); // of the hinge: the mode's own inertia is constant
    lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, v, a, tau));
    // 1e-13: three equations
    lb_expect_close("forces", tau, given, 3, 1e-13);
    assert_int_equal(lb_tree_composite(model, work, q, v, given, M, a), LB_NEWS_INDEFINITE);
    lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, v, a, tau));
    lb_expect_close("forces", tau, given, 3, 1e-13);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_itself_is_accepted),
        cmocka_unit_test(bad_modal_matrices_are_refused),
        cmocka_unit_test(semidefinite_matrices_are_accepted),
        cmocka_unit_test(bad_nodes_are_refused),
        cmocka_unit_test(bad_second_order_is_refused),
        cmocka_unit_test(missing_second_order_is_a_warning),
        cmocka_unit_test(mode_without_inertia_is_a_named_singularity),
        cmocka_unit_test(equal_modes_are_a_named_singularity),
        cmocka_unit_test(large_turns_of_rotary_inertia_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
