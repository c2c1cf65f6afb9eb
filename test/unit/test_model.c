// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading a finished model: names, offsets, order, and what was put in.
#include <math.h>
#include <string.h>

#include "check.h"
#include "model/hinges/hinge_list.h"

// A model with everything in an awkward order: children listed before parents.
//     ground/mount - base (free, by: dock) - arm (universal, at: tip) - hand (fixed)
//                  - mast (planar)
static lb_model *lb_build_awkward(void)
{
    lb_builder *builder = lb_create_builder(NULL, NULL);
    assert_non_null(builder);
    const double gravity[3] = {1, 2, -3}, place[3] = {0.5, 0, 0}, quarter[4] = {0, 0, 0, 1};
    int index;
    lb_expect_ok(lb_set_model_name(builder, "awkward"));
    lb_expect_ok(lb_set_gravity(builder, gravity));
    lb_expect_ok(lb_add_node(builder, LB_GROUND, "mount", place, quarter));

    lb_body_options hand = lb_default_body_options();
    hand.name = "hand";
    hand.parent = "arm";
    hand.mass = 3.0;
    lb_expect_ok(lb_add_body(builder, &hand, &index));
    assert_int_equal(index, 0);

    lb_body_options arm = lb_default_body_options();
    arm.name = "arm";
    arm.parent = "base";
    arm.at = "tip";
    arm.hinge.type = LB_HINGE_UNIVERSAL;
    arm.hinge.axes[0][0] = arm.hinge.axes[1][1] = 1.0;
    lb_expect_ok(lb_add_body(builder, &arm, &index));
    assert_int_equal(index, 1);

    lb_body_options mast = lb_default_body_options();
    mast.name = "mast";
    mast.at = "mount";
    mast.hinge.type = LB_HINGE_PLANAR;
    lb_expect_ok(lb_add_body(builder, &mast, &index));
    assert_int_equal(index, 2);

    lb_body_options base = lb_default_body_options();
    base.name = "base";
    base.by = "dock";
    base.hinge.type = LB_HINGE_FREE;
    base.mass = 2.0;
    const double com[3] = {0.1, -0.2, 0.3}, inertia[6] = {1.0, 1.1, 1.2, 0.01, -0.02, 0.03};
    memcpy(base.com, com, sizeof com);
    memcpy(base.inertia, inertia, sizeof inertia);
    lb_expect_ok(lb_add_body(builder, &base, &index));
    assert_int_equal(index, 3);
    lb_expect_ok(lb_add_node(builder, index, "tip", place, NULL));
    lb_expect_ok(lb_add_node(builder, index, "dock", NULL, quarter));

    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    return model;
}

static void names_lead_to_indices_and_back(void **state)
{
    (void)state;
    lb_model *model = lb_build_awkward();
    const char *const names[] = {"hand", "arm", "mast", "base"};
    assert_string_equal(lb_get_model_name(model), "awkward");
    assert_int_equal(lb_get_body_count(model), 4);
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(lb_find_body(model, names[k]), k);
        assert_string_equal(lb_get_body_name(model, k), names[k]);
    }
    assert_int_equal(lb_find_body(model, "ground"), LB_GROUND);
    assert_string_equal(lb_get_body_name(model, LB_GROUND), "ground");
    assert_int_equal(lb_find_body(model, "nobody"), LB_NOT_FOUND);
    assert_int_equal(lb_find_body(model, ""), LB_NOT_FOUND);
    double gravity[3];
    const double given[3] = {1, 2, -3};
    lb_get_gravity(model, gravity);
    lb_expect_close("gravity", gravity, given, 3, 0.0);
    lb_destroy_model(model);
}

static void nodes_are_known_by_name_and_origin_is_first(void **state)
{
    (void)state;
    lb_model *model = lb_build_awkward();
    assert_int_equal(lb_get_node_count(model, 3), 3);
    assert_string_equal(lb_get_node_name(model, 3, 0), "origin");
    assert_string_equal(lb_get_node_name(model, 3, 1), "tip");
    assert_string_equal(lb_get_node_name(model, 3, 2), "dock");
    assert_int_equal(lb_find_node(model, 3, "origin"), 0);
    assert_int_equal(lb_find_node(model, 3, "dock"), 2);
    assert_int_equal(lb_find_node(model, 3, "mount"), LB_NOT_FOUND);
    assert_int_equal(lb_get_node_count(model, LB_GROUND), 2);
    assert_int_equal(lb_find_node(model, LB_GROUND, "mount"), 1);
    assert_int_equal(lb_get_node_count(model, 0), 1);
    assert_int_equal(lb_find_node(model, 0, "origin"), 0);
    lb_destroy_model(model);
}

static void tree_is_as_described(void **state)
{
    (void)state;
    lb_model *model = lb_build_awkward();
    const int parents[] = {1, 3, LB_GROUND, LB_GROUND}, at[] = {0, 1, 1, 0}, by[] = {0, 0, 0, 2};
    const lb_hinge_type types[] = {LB_HINGE_FIXED, LB_HINGE_UNIVERSAL, LB_HINGE_PLANAR,
                                   LB_HINGE_FREE};
    // listed order: nothing, two angles, three, seven; and 0 + 2 + 3 + 6 speeds
    const int q[] = {0, 0, 2, 5}, v[] = {0, 0, 2, 5}, q_counts[] = {0, 2, 3, 7};
    const int v_counts[] = {0, 2, 3, 6};
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(lb_get_hinge(model, k).parent, parents[k]);
        assert_int_equal(lb_get_hinge(model, k).parent_node, at[k]);
        assert_int_equal(lb_get_hinge(model, k).node, by[k]);
        assert_int_equal(lb_get_hinge(model, k).type, types[k]);
        assert_int_equal(lb_get_mode_count(model, k), 0);
        assert_int_equal(lb_get_q_offset(model, k), q[k]);
        assert_int_equal(lb_get_v_offset(model, k), v[k]);
        assert_int_equal(lb_get_hinge(model, k).q_count, q_counts[k]);
        assert_int_equal(lb_get_hinge(model, k).v_count, v_counts[k]);
    }
    assert_int_equal(lb_get_q_count(model), 12);
    assert_int_equal(lb_get_v_count(model), 11);
    lb_destroy_model(model);
}

static void mass_properties_come_back_as_given(void **state)
{
    (void)state;
    for (int i = 0; i < 20; ++i) {
        const lb_tree_options options = lb_get_small_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        for (int k = 0; k < t.body_count; ++k) {
            const lb_scene_body *body = &t.scene->bodies[k];
            double mass, com[3], inertia[6];
            lb_get_mass_properties(t.model, k, &mass, com, inertia);
            // carried to the hinge's frame and back: a few dozen roundings
            lb_expect_near("mass", mass, body->mass, 0.0);
            lb_expect_within("com", com, body->com, 3, 1e-14);
            lb_expect_within("inertia", inertia, body->inertia, 6, 1e-14);
        }
        lb_end_trial(&t);
    }
}

static void hinge_types_have_names_and_sizes(void **state)
{
    (void)state;
    const char *const names[LB_HINGE_TYPE_COUNT] = {
        "fixed",     "revolute", "prismatic",     "screw",     "cylindrical",
        "universal", "planar",   "translational", "spherical", "free"};
    static const int counts[LB_HINGE_TYPE_COUNT][2] = {
#define LB_ROW(TYPE, name, nq, nv, constant) [LB_HINGE_##TYPE] = {nq, nv},
        LB_HINGE_LIST(LB_ROW)
#undef LB_ROW
    };
    for (int type = 0; type < LB_HINGE_TYPE_COUNT; ++type) {
        assert_string_equal(lb_get_hinge_type_name((lb_hinge_type)type), names[type]);
        assert_int_equal(counts[type][0], lb_scene_hinge_q_count[type]);
        assert_int_equal(counts[type][1], lb_scene_hinge_v_count[type]);
    }
}

static void neutral_configuration_is_zero_with_unit_quaternions(void **state)
{
    (void)state;
    lb_model *model = lb_build_awkward();
    double q[12];
    const double expected[12] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
    memset(q, 0xff, sizeof q);
    lb_get_neutral_configuration(model, q);
    lb_expect_within("neutral", q, expected, 12, 0.0);
    lb_destroy_model(model);
}

static void normalizing_mends_small_errors_and_names_large_ones(void **state)
{
    (void)state;
    lb_model *model = lb_build_awkward();
    double q[12];
    int index = -7;
    lb_get_neutral_configuration(model, q);
    q[5] = 1.0 + 5e-7;
    lb_expect_ok(lb_normalize_configuration(model, 1e-6, q, &index));
    lb_expect_near("length", q[5], 1.0, 0.0);
    q[5] = 1.0 + 2e-6;
    assert_int_equal(lb_normalize_configuration(model, 1e-6, q, &index), LB_E_ARGUMENT);
    assert_int_equal(index, 5);
    assert_int_equal(lb_normalize_configuration(model, 1e-6, q, NULL), LB_E_ARGUMENT);
    lb_get_neutral_configuration(model, q);
    q[5] = 0.0;
    assert_int_equal(lb_normalize_configuration(model, 1e-6, q, &index), LB_E_ARGUMENT);
    assert_int_equal(index, 5);
    lb_get_neutral_configuration(model, q);
    q[3] = NAN;
    assert_int_equal(lb_normalize_configuration(model, 1e-6, q, &index), LB_E_ARGUMENT);
    assert_int_equal(index, 3);
    q[3] = HUGE_VAL;
    assert_int_equal(lb_normalize_configuration(model, 1e-6, q, &index), LB_E_ARGUMENT);
    assert_int_equal(index, 3);
    lb_destroy_model(model);
}

// "First" means first in q, whichever way the bodies are stored.
static void first_bad_entry_is_the_first_in_q(void **state)
{
    (void)state;
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_body_options body = lb_default_body_options();
    body.hinge.type = LB_HINGE_SPHERICAL;
    body.name = "child";
    body.parent = "root";
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    body.name = "root";
    body.parent = NULL;
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    double q[8] = {2, 0, 0, 0, 2, 0, 0, 0};
    int index = -7;
    assert_int_equal(lb_normalize_configuration(model, 1e-6, q, &index), LB_E_ARGUMENT);
    assert_int_equal(index, 0);
    q[5] = NAN;
    assert_int_equal(lb_normalize_configuration(model, 1e-6, q, &index), LB_E_ARGUMENT);
    assert_int_equal(index, 0);
    lb_destroy_model(model);
    lb_destroy_builder(builder);
}

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
#define LB_TEXT(name, value, text) assert_string_equal(lb_get_status_text(name), text);
    LB_STATUS_LIST(LB_TEXT)
#undef LB_TEXT
    assert_non_null(lb_get_status_text((lb_status)12345));
    assert_string_equal(lb_get_version(), LB_VERSION);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_lead_to_indices_and_back),
        cmocka_unit_test(nodes_are_known_by_name_and_origin_is_first),
        cmocka_unit_test(tree_is_as_described),
        cmocka_unit_test(mass_properties_come_back_as_given),
        cmocka_unit_test(hinge_types_have_names_and_sizes),
        cmocka_unit_test(neutral_configuration_is_zero_with_unit_quaternions),
        cmocka_unit_test(normalizing_mends_small_errors_and_names_large_ones),
        cmocka_unit_test(first_bad_entry_is_the_first_in_q),
        cmocka_unit_test(every_status_has_a_text_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
