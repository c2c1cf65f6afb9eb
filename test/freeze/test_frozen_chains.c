// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Arms in frozen files: forces and columns of several bodies side by side, and frames that do not turn where axes are
// parallel. From micrometres to megametres.
#include <limber/freeze.h>
#include <limber/io.h>
#include <math.h>
#include <scenes.h>
#include <stdio.h>
#include <string.h>

#include "expect_engine.h"

enum { MOST = 8 };

typedef struct link {
    int parent; // -1 for the ground
    char axis;  // 'x', 'y', 'z', or a capital letter for the opposite direction
} link;

// A tree of rigid bodies without symmetry, `scale` metres long; 1000 kg/m3 or so.
static lb_model *make_tree(const link *links, int count, double scale)
{
    char text[8192];
    int used = snprintf(text, sizeof text, "limber: 1\ngravity: [0.1, -0.2, -9.81]\nbodies:\n");
    const double m = 1000 * scale * scale * scale, j = m * scale * scale;
    for (int k = 0; k < count; ++k) {
        const int axis = (links[k].axis | 32) - 'x', sign = links[k].axis < 'a' ? -1 : 1;
        char parent[32] = "    parent: ground\n";
        if (links[k].parent >= 0) {
            snprintf(parent, sizeof parent, "    parent: b%d\n    at: tip\n", links[k].parent);
        }
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  - name: b%d\n%s"
                         "    hinge: {type: revolute, axis: [%d, %d, %d]}\n"
                         "    mass: %.17g\n"
                         "    com: [%.17g, %.17g, %.17g]\n"
                         "    inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]\n"
                         "    nodes: {tip: {position: [%.17g, %.17g, %.17g]}}\n",
                         k, parent, axis == 0 ? sign : 0, axis == 1 ? sign : 0,
                         axis == 2 ? sign : 0, m * (1 + 0.1 * k), 0.1 * scale, -0.03 * k * scale,
                         0.2 * scale, 0.3 * j, (0.31 + 0.01 * k) * j, 0.2 * j, 0.02 * j, -0.01 * j,
                         0.015 * j, 0.4 * scale, 0.05 * k * scale, 0.3 * scale);
    }
    assert_true((size_t)used < sizeof text);
    lb_model *model = NULL;
    lb_expect_ok(
        lb_load_model_text(text, strlen(text), "tree.yaml", LB_FORMAT_YAML, NULL, NULL, &model));
    return model;
}

// Speeds are those of falling through a length; every other angle is one of many turns.
static void compare(const lb_model *model, const lb_program *program, double scale)
{
    lb_work *work = lb_create_work(model);
    const int n = lb_get_v_count(model);
    const double rate = sqrt(9.81 / scale);
    for (int i = 0; i < 20; ++i) {
        double q[MOST], v[MOST], a[MOST], tau[MOST];
        lb_random random;
        lb_seed_random(&random, (uint64_t)i);
        lb_draw_vector(&random, n, i % 2 ? 3.0 : 1e8, q);
        lb_draw_vector(&random, n, rate, v);
        lb_draw_vector(&random, n, rate * rate, a);
        lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, v, a, tau));
        lb_expect_engine(model, work, program, q, v, tau, a);
    }
    lb_destroy_work(work);
}

// @param sought  a pattern that tells whether the form is used
static void check(const link *links, int count, const char *sought)
{
    static const double scales[] = {1e-6, 1.0, 1e6};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i) {
        lb_model *model = make_tree(links, count, scales[i]);
        for (int vectors = 0; vectors < 2; ++vectors) {
            lb_freeze_options options = lb_default_freeze_options();
            options.functions = "forward,inverse,mass";
            options.vectors = vectors;
            lb_program program;
            assert_true(lb_write_program(model, &options, &program));
            char command[128];
            snprintf(command, sizeof command, "grep -q '%s' model.c", sought);
            assert_int_equal(lb_run_in_folder(&program, command), 0);
            // what only an optimiser sees is told by the first: each would take four times as long
            assert_true(lb_load_program(
                &program,
                i ? "cc -std=c99 -O0 -pedantic -Wall -Wextra -Werror"
                  : "cc -std=c99 -O2 -pedantic -Wall -Wextra -Werror -ffp-contract=fast"));
            compare(model, &program, scales[i]);
            lb_end_program(&program);
        }
        lb_destroy_model(model);
    }
}

static void forces_of_four_bodies_go_side_by_side(void **state)
{
    (void)state;
    static const link arm[] = {{-1, 'z'}, {0, 'y'}, {1, 'x'}, {2, 'z'},
                               {3, 'Y'},  {4, 'x'}, {5, 'z'}};
    check(arm, 7, "// b3, b4, b5, b6: force (RNE-2)");
}

static void links_on_parallel_axes_turn_by_sums_of_angles(void **state)
{
    (void)state;
    static const link arm[] = {{-1, 'z'}, {0, 'y'}, {1, 'y'}, {2, 'y'}, {3, 'x'}};
    check(arm, 5, "b1: position (KIN-1)");
}

static void frames_turn_where_an_axis_points_the_other_way(void **state)
{
    (void)state;
    // both children of b1 turn with it, and one of b3 is not parallel
    static const link tree[] = {{-1, 'z'}, {0, 'x'}, {1, 'x'}, {1, 'x'},
                                {3, 'x'},  {3, 'y'}, {2, 'X'}};
    check(tree, 7, "b1: position (KIN-1)");
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_four_bodies_go_side_by_side),
        cmocka_unit_test(links_on_parallel_axes_turn_by_sums_of_angles),
        cmocka_unit_test(frames_turn_where_an_axis_points_the_other_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
