// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Structs of older and of newer programs, for every function of the core that takes one. Older ones are
// in memory of just their size, so that the address sanitizer sees what is read or written beyond it.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "heard.h"
#include "model/modal/modal_integrals.h"
#include "model/model_parts.h"
#include "resized.h"

// ---- the builder -------------------------------------------------------------------------------

// What the report of a refused struct says, and where.
static void expect_refusal(const lb_heard *heard, const char *path)
{
    assert_int_equal(heard->count, 1);
    assert_string_equal(heard->entries[0].path, path);
    assert_non_null(strstr(heard->entries[0].message, "built for a newer version"));
}

// Adds a body whose struct has been resized; the model, or NULL if it was refused.
static lb_model *add(const void *body, const void *loop, lb_status expected, const char *path)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_builder *builder = lb_create_builder(NULL, &report);
    lb_model *model = NULL;
    assert_non_null(builder);
    lb_status status = body ? lb_add_body(builder, body, NULL) : LB_OK;
    status = loop && status == LB_OK ? lb_add_loop(builder, loop, NULL) : status;
    assert_int_equal(status, expected);
    assert_int_equal(lb_build_model(builder, &model), expected == LB_OK ? LB_OK : LB_E_MODEL);
    if (expected != LB_OK) {
        expect_refusal(&heard, path);
    }
    lb_destroy_builder(builder);
    return model;
}

static lb_body_options make_body(void)
{
    lb_body_options body = lb_default_body_options();
    body.name = "body";
    body.mass = 3.0;
    return body;
}

static void bodies_of_other_versions(void **state)
{
    (void)state;
    const lb_body_options whole = make_body();
    double mass, com[3], J[6];

    // one that knows names only: the rest are defaults
    void *older = lb_resize(&whole, LB_THROUGH(lb_body_options, name));
    lb_model *model = add(older, NULL, LB_OK, NULL);
    lb_get_mass_properties(model, 0, &mass, com, J);
    assert_true(mass == 0.0);
    assert_int_equal(lb_get_hinge(model, 0).parent, LB_GROUND);
    assert_int_equal(lb_get_hinge(model, 0).type, LB_HINGE_FIXED);
    lb_destroy_model(model);
    free(older);

    // without the last: a rigid body
    older = lb_resize(&whole, offsetof(lb_body_options, flex));
    model = add(older, NULL, LB_OK, NULL);
    lb_get_mass_properties(model, 0, &mass, com, J);
    assert_true(mass == 3.0);
    lb_destroy_model(model);
    free(older);

    void *newer = lb_resize(&whole, LB_NEWER(lb_body_options));
    assert_null(add(newer, NULL, LB_E_VERSION, "bodies[0]"));
    free(newer);
}

static void a_size_that_was_forgotten_is_said(void **state)
{
    (void)state;
    const lb_body_options forgotten = {.name = "body"};
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_builder *builder = lb_create_builder(NULL, &report);
    assert_int_equal(lb_add_body(builder, &forgotten, NULL), LB_E_VERSION);
    assert_non_null(strstr(heard.entries[0].message, "start from its default function"));
    lb_destroy_builder(builder);
}

static void flexible_parts_of_other_versions(void **state)
{
    (void)state;
    const double shape[2][6] = {{0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 2, 0}};
    const double stiffness = 5.0, damping = 7.0;
    const lb_second_order second = {0, 0, {1, 2, 3}};
    lb_flex_node nodes[2] = {lb_default_flex_node(), lb_default_flex_node()};
    nodes[0].name = "one", nodes[1].name = "two";
    nodes[0].mass = nodes[1].mass = 1.0;
    nodes[0].shape = shape[0], nodes[1].shape = shape[1];
    nodes[1].second_order = &second;
    nodes[1].second_order_count = 1;
    const lb_flex_integrals integrals = {.size = sizeof integrals, .mass = 4.0, .E = shape[0] + 3};
    lb_flex_options flex = lb_default_flex_options();
    flex.mode_count = 1;
    flex.node_count = 2;
    flex.nodes = nodes;
    flex.stiffness = &stiffness;
    flex.damping = &damping;
    lb_body_options body = make_body();
    double K, C, M_ff, M_fr[6], mass, com[3], J[6];

    // options without damping
    void *older = lb_resize(&flex, LB_THROUGH(lb_flex_options, stiffness));
    body.flex = older;
    lb_model *model = add(&body, NULL, LB_OK, NULL);
    lb_get_modal_matrices(model, 0, &K, &C);
    assert_true(K == 5.0 && C == 0.0);
    lb_destroy_model(model);
    free(older);
    void *newer = lb_resize(&flex, LB_NEWER(lb_flex_options));
    body.flex = newer;
    assert_null(add(&body, NULL, LB_E_VERSION, "bodies[0].flex"));
    free(newer);

    // an array of shorter nodes: each is found behind the one before, without second order
    const size_t size = LB_THROUGH(lb_flex_node, shape);
    unsigned char *packed = malloc(2 * size);
    assert_non_null(packed);
    for (size_t j = 0; j < 2; ++j) {
        memcpy(packed + j * size, &nodes[j], size);
        memcpy(packed + j * size, &size, sizeof size);
    }
    lb_flex_options short_nodes = flex;
    short_nodes.nodes = (const lb_flex_node *)(const void *)packed;
    body.flex = &short_nodes;
    model = add(&body, NULL, LB_OK, NULL);
    assert_int_equal(lb_find_node(model, 0, "two"), 2);
    lb_get_modal_inertia(model, 0, &M_ff, M_fr);
    assert_true(M_ff == 5.0); // 1 + 2 x 2
    const double spin[3] = {0, 0, 1};
    double with, without;
    lb_compute_spin_stiffness(model, 0, spin, &without);
    lb_destroy_model(model);
    body.flex = &flex;
    model = add(&body, NULL, LB_OK, NULL);
    lb_compute_spin_stiffness(model, 0, spin, &with);
    assert_true(with == without); // the node is at the origin: second order has nothing to act on
    lb_destroy_model(model);
    free(packed);
    newer = lb_resize(&nodes[0], LB_NEWER(lb_flex_node));
    lb_flex_options long_nodes = flex;
    long_nodes.node_count = 1;
    long_nodes.nodes = newer;
    body.flex = &long_nodes;
    assert_null(add(&body, NULL, LB_E_VERSION, "bodies[0].flex.nodes[0]"));
    free(newer);

    // integrals without the modes' part
    lb_flex_options with_integrals = flex;
    older = lb_resize(&integrals, LB_THROUGH(lb_flex_integrals, S0));
    with_integrals.integrals = older;
    body.flex = &with_integrals;
    model = add(&body, NULL, LB_OK, NULL);
    lb_get_mass_properties(model, 0, &mass, com, J);
    lb_get_modal_inertia(model, 0, &M_ff, M_fr);
    assert_true(mass == 6.0 && M_fr[4] == 3.0);
    lb_destroy_model(model);
    free(older);
    newer = lb_resize(&integrals, LB_NEWER(lb_flex_integrals));
    with_integrals.integrals = newer;
    assert_null(add(&body, NULL, LB_E_VERSION, "bodies[0].flex.integrals"));
    free(newer);
}

static void loops_of_other_versions(void **state)
{
    (void)state;
    lb_body_options body = make_body();
    body.hinge.type = LB_HINGE_FREE;
    lb_loop_options loop = lb_default_loop_options();
    loop.name = "loop";
    loop.body_b = "body";
    loop.type = LB_LOOP_SPHERICAL;
    loop.inactive = true;
    void *older = lb_resize(&loop, LB_THROUGH(lb_loop_options, type));
    lb_model *model = add(&body, older, LB_OK, NULL);
    lb_work *work = lb_create_work(model);
    assert_int_equal(lb_find_loop(model, "loop"), 0);
    assert_int_equal(lb_find_loop(model, "other"), LB_NOT_FOUND);
    assert_int_equal(lb_get_loop_info(model, 0).type, LB_LOOP_SPHERICAL);
    assert_true(lb_is_loop_active(work, 0)); // the flag was beyond its end
    lb_destroy_work(work);
    lb_destroy_model(model);
    free(older);
    void *newer = lb_resize(&loop, LB_NEWER(lb_loop_options));
    assert_null(add(&body, newer, LB_E_VERSION, "loops[0]"));
    free(newer);
}

// ---- loops -------------------------------------------------------------------------------------

// A free body of 3 kg, with room for a loop.
static lb_model *build_free(void)
{
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_body_options body = make_body();
    lb_model *model = NULL;
    body.hinge.type = LB_HINGE_FREE;
    for (int i = 0; i < 6; ++i) {
        body.inertia[i] = i < 3;
    }
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_expect_ok(lb_set_spare_loops(builder, 1, 2));
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    return model;
}

static void ends_of_loops_of_other_versions(void **state)
{
    (void)state;
    lb_model *model = build_free();
    lb_work *work = lb_create_work(model);
    const lb_loop_ends ends = {
        .size = sizeof ends, .body_a = LB_GROUND, .body_b = 0, .offset = {0, 0, 0, 1, 2, 3}};
    const size_t least = LB_THROUGH(lb_loop_ends, type);
    void *older = lb_resize(&ends, least), *newer = lb_resize(&ends, LB_NEWER(lb_loop_ends));
    lb_loop_ends found = {.size = sizeof found};

    // a newer one is refused and changes nothing
    assert_int_equal(lb_make_loop(model, work, -1, newer, NULL), LB_E_VERSION);
    assert_false(lb_is_loop_active(work, 0));
    lb_expect_ok(lb_make_loop(model, work, -1, older, NULL));
    lb_expect_ok(lb_get_loop_ends(model, work, 0, &found));
    assert_true(found.size == sizeof found && found.body_b == 0 && found.offset[5] == 0.0);
    lb_expect_ok(lb_alter_loop(model, work, 0, &ends));
    assert_int_equal(lb_alter_loop(model, work, 0, newer), LB_E_VERSION);
    lb_expect_ok(lb_get_loop_ends(model, work, 0, &found));
    assert_true(found.offset[5] == 3.0);
    lb_expect_ok(lb_alter_loop(model, work, 0, older));
    lb_expect_ok(lb_get_loop_ends(model, work, 0, &found));
    assert_true(found.offset[5] == 0.0);

    // as outputs
    lb_loop_ends *out = lb_resize(&(lb_loop_ends){.body_b = 99}, least);
    lb_expect_ok(lb_get_loop_ends(model, work, 0, out));
    assert_true(out->size == least && out->body_a == LB_GROUND && out->body_b == 0);
    assert_int_equal(lb_get_loop_ends(model, work, 0, newer), LB_E_VERSION);
    assert_int_equal(lb_get_loop_ends(model, work, 1, &found), LB_E_ARGUMENT);
    free(out);
    free(older);
    free(newer);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

static void energies_of_impulses_of_other_versions(void **state)
{
    (void)state;
    lb_model *model = build_free();
    lb_work *work = lb_create_work(model);
    const lb_impulse_work none = {.size = sizeof none};
    lb_impulse_work *older = lb_resize(&none, LB_THROUGH(lb_impulse_work, loss));
    lb_impulse_work *newer = lb_resize(&none, LB_NEWER(lb_impulse_work));
    double q[7], v[6] = {0, 0, 0, 2, 0, 0};
    lb_get_neutral_configuration(model, q);
    lb_expect_ok(lb_set_hinge_locked(model, work, 0, true));
    assert_int_equal(lb_compute_driven_impulse(model, work, q, v, NULL, NULL, NULL, NULL, newer),
                     LB_E_VERSION);
    assert_true(v[3] == 2.0);
    lb_expect_ok(lb_compute_driven_impulse(model, work, q, v, NULL, NULL, NULL, NULL, older));
    lb_expect_near("loss", older->loss, 6.0, 1e-14); // 1/2 x 3 kg x (2 m/s)^2
    assert_int_equal(older->size, LB_THROUGH(lb_impulse_work, loss));
    free(older);
    free(newer);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

static void assemblies_of_other_versions(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_four_bars(1, LB_LOOP_SPHERICAL, 0), 1);
    const lb_assembly_options options = {
        .size = sizeof options, .tolerance = -1.0, .iteration_max = -1};
    const lb_assembly none = {.size = sizeof none};
    double *scratch = lb_make_numbers(lb_get_assembly_scratch_count(t.model));
    void *older = lb_resize(&options, LB_THROUGH(lb_assembly_options, held));
    void *newer = lb_resize(&options, LB_NEWER(lb_assembly_options));
    lb_assembly *short_out = lb_resize(&none, LB_THROUGH(lb_assembly, loop));
    void *long_out = lb_resize(&none, LB_NEWER(lb_assembly));

    // tolerance and number of iterations of an older program are the defaults, not what lies behind
    short_out->residual = -1.0;
    lb_expect_ok(lb_assemble_loops(t.model, t.work, older, t.q, t.v, scratch, short_out));
    assert_true(short_out->residual >= 0.0 && short_out->residual < 1e-10);
    assert_int_equal(short_out->size, LB_THROUGH(lb_assembly, loop));
    lb_expect_ok(lb_assemble_loops(t.model, t.work, NULL, t.q, NULL, scratch, NULL));
    assert_int_equal(lb_assemble_loops(t.model, t.work, &options, t.q, NULL, scratch, NULL),
                     LB_E_ARGUMENT);
    assert_int_equal(lb_assemble_loops(t.model, t.work, newer, t.q, NULL, scratch, NULL),
                     LB_E_VERSION);
    assert_int_equal(lb_assemble_loops(t.model, t.work, NULL, t.q, NULL, scratch, long_out),
                     LB_E_VERSION);
    free(older);
    free(newer);
    free(short_out);
    free(long_out);
    free(scratch);
    lb_end_trial(&t);
}

// ---- derivatives -------------------------------------------------------------------------------

static void derivatives_of_other_versions(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_four_bars(1, LB_LOOP_SPHERICAL, 0), 1);
    const size_t n = (size_t)t.v_count, rows = 6 * (size_t)lb_get_loop_capacity(t.model);
    lb_derivative_work *scratch = lb_create_derivative_work(t.model);
    double *out = lb_make_numbers((rows + n + 6) * n), *same = lb_make_numbers((rows + n + 6) * n);
    double *a = lb_make_numbers(n);
    assert_non_null(scratch);

    // constrained dynamics: the first matrix alone, and the same as of a whole struct
    lb_constrained_derivatives closed = {.size = sizeof closed, .a_dq = same};
    lb_status status = lb_closed_derivatives(t.model, t.work, scratch, t.q, t.v, NULL, t.tau, a,
                                             NULL, NULL, &closed);
    assert_true(status >= LB_OK);
    closed.a_dq = out;
    closed.a_dv = (double *)(void *)out; // beyond the end of the older struct: must not be seen
    void *older = lb_resize(&closed, LB_THROUGH(lb_constrained_derivatives, a_dq));
    void *newer = lb_resize(&closed, LB_NEWER(lb_constrained_derivatives));
    assert_int_equal(lb_closed_derivatives(t.model, t.work, scratch, t.q, t.v, NULL, t.tau, a, NULL,
                                           NULL, older),
                     status);
    assert_memory_equal(out, same, n * n * sizeof *out);
    assert_int_equal(lb_closed_derivatives(t.model, t.work, scratch, t.q, t.v, NULL, t.tau, a, NULL,
                                           NULL, newer),
                     LB_E_VERSION);
    free(older);
    free(newer);

    // a node: its Jacobian
    const int last = t.body_count - 1;
    const lb_node_derivatives node = {.size = sizeof node, .pose_dq = out, .velocity_dq = out};
    older = lb_resize(&node, LB_THROUGH(lb_node_derivatives, pose_dq));
    newer = lb_resize(&node, LB_NEWER(lb_node_derivatives));
    lb_expect_ok(lb_compute_node_derivatives(t.model, t.work, scratch, last, 1, older));
    lb_expect_ok(lb_compute_jacobian(t.model, t.work, last, 1, LB_AXES_WORLD, same));
    lb_expect_close("Jacobian", out, same, 6 * n, 1e-14);
    assert_int_equal(lb_compute_node_derivatives(t.model, t.work, scratch, last, 1, newer),
                     LB_E_VERSION);
    free(older);
    free(newer);

    // the system: its centre of mass
    lb_system_derivatives system = {.size = sizeof system, .com_dq = same};
    lb_expect_ok(lb_compute_system_derivatives(t.model, t.work, scratch, &system));
    system.com_dq = system.linear_dq = system.potential_dq = out;
    older = lb_resize(&system, LB_THROUGH(lb_system_derivatives, com_dq));
    newer = lb_resize(&system, LB_NEWER(lb_system_derivatives));
    lb_expect_ok(lb_compute_system_derivatives(t.model, t.work, scratch, older));
    assert_memory_equal(out, same, 3 * n * sizeof *out);
    assert_int_equal(lb_compute_system_derivatives(t.model, t.work, scratch, newer), LB_E_VERSION);
    free(older);
    free(newer);

    // loops: J
    lb_loop_derivatives loops = {.size = sizeof loops, .velocity_dv = same};
    lb_expect_ok(lb_compute_loop_derivatives(t.model, t.work, scratch, NULL, &loops));
    loops.velocity_dv = loops.velocity_dq = loops.force_dq = out;
    older = lb_resize(&loops, LB_THROUGH(lb_loop_derivatives, velocity_dv));
    newer = lb_resize(&loops, LB_NEWER(lb_loop_derivatives));
    lb_expect_ok(lb_compute_loop_derivatives(t.model, t.work, scratch, NULL, older));
    assert_memory_equal(out, same, rows * n * sizeof *out);
    assert_int_equal(lb_compute_loop_derivatives(t.model, t.work, scratch, NULL, newer),
                     LB_E_VERSION);
    free(older);
    free(newer);
    free(out);
    free(same);
    free(a);
    lb_destroy_derivative_work(scratch);
    lb_end_trial(&t);
}

// ---- modal integrals ---------------------------------------------------------------------------

static void nodes_of_other_versions_for_modal_integrals(void **state)
{
    (void)state;
    const double shape[6] = {0, 0, 0, 0, 1, 0};
    lb_flex_node node = lb_default_flex_node();
    node.mass = 2.0;
    node.shape = shape;
    const size_t size = lb_get_modal_integrals_size(1);
    void *memory = malloc(size);
    void *older = lb_resize(&node, LB_THROUGH(lb_flex_node, shape));
    void *newer = lb_resize(&node, LB_NEWER(lb_flex_node));
    lb_modal_integrals I;
    lb_expect_ok(lb_compute_modal_integrals(1, 1, older, memory, size, &I));
    assert_true(I.mass == 2.0 && I.G[0] == 2.0);
    assert_int_equal(lb_compute_modal_integrals(1, 1, newer, memory, size, &I), LB_E_VERSION);
    free(older);
    free(newer);
    free(memory);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_other_versions),
        cmocka_unit_test(a_size_that_was_forgotten_is_said),
        cmocka_unit_test(flexible_parts_of_other_versions),
        cmocka_unit_test(loops_of_other_versions),
        cmocka_unit_test(ends_of_loops_of_other_versions),
        cmocka_unit_test(energies_of_impulses_of_other_versions),
        cmocka_unit_test(assemblies_of_other_versions),
        cmocka_unit_test(derivatives_of_other_versions),
        cmocka_unit_test(nodes_of_other_versions_for_modal_integrals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
