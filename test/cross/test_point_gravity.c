// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The field of a point mass on flexible bodies: against the exact field at every mass, against uniform
// gravity, and in free fall.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "rig.h"
#include "simulate/record/record_tables.h"
#include "simulate/run/simulation.h"

// Trees of flexible bodies whose nodes are mass points, of all kinds of hinges at nodes that move.
static lb_tree_options get_massed_tree(int n)
{
    lb_tree_options options = lb_get_flexible_tree(n);
    options.rigid_percent = 0;
    options.rotary_inertia = 0;
    options.mode_min = options.mode_min > 0 ? options.mode_min : 1;
    options.mode_max = options.mode_max > options.mode_min ? options.mode_max : options.mode_min;
    options.second_order = n % 2;
    options.free_free = n / 2 % 2;
    options.fidelity = LB_FIDELITY_CONSISTENT;
    options.mixed_fidelity = 0;
    return options;
}

// The exact force of the field on each mass, as loads at nodes: tau += sum of J' m g(x).
static void add_exact_field(lb_trial *t, const lb_point_gravity *field, double *tau)
{
    for (int b = 0; b < t->body_count; ++b) {
        const lb_scene_flex *flex = t->scene->bodies[b].flex;
        for (int i = 0; i < flex->options.node_count; ++i) {
            lb_node_motion node;
            lb_node_force load = {.body = b, .node = i + 1, .axes = LB_AXES_WORLD};
            lb_expect_ok(lb_compute_node_motion(t->model, t->work, b, i + 1, &node));
            double from[3], d2 = 0.0;
            for (int j = 0; j < 3; ++j) {
                from[j] = node.position[j] - field->position[j];
                d2 += from[j] * from[j];
            }
            for (int j = 0; j < 3; ++j) {
                load.force[3 + j] = -flex->nodes[i].mass * field->mu * from[j] / (d2 * sqrt(d2));
            }
            lb_expect_ok(lb_apply_node_forces(t->model, t->work, 1, &load, tau));
        }
    }
}

// Bodies of some metres at a distance of 1e5 m, and mu / d^3 = 1: what the gradient does is of the order
// of one, of which the terms of third order are some 1e-5, and the uniform part loses 1e-11.
static void the_exact_field_at_every_mass_does_the_same(void **state)
{
    (void)state;
    const double d = 1e5;
    for (int n = 0; n < 60; ++n) {
        const lb_tree_options options = get_massed_tree(n);
        lb_trial t = lb_begin_trial(&options, (uint64_t)n);
        const size_t count = (size_t)t.v_count;
        double *tau = lb_make_numbers(count), *exact = lb_make_numbers(count);
        double *plain = lb_make_numbers(count), power, energy;
        lb_point_gravity field = {d * d * d, {0.6 * d, -0.48 * d, 0.64 * d}, true};
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        add_exact_field(&t, &field, exact);
        lb_expect_ok(lb_apply_oblate_gravity(t.model, t.work, &(lb_oblate_gravity){.point = field},
                                             tau, &power, &energy));
        lb_expect_near("power", power, lb_multiply_vectors(t.v_count, tau, t.v), 1e-10);
        field.gradient = false;
        lb_expect_ok(lb_apply_oblate_gravity(t.model, t.work, &(lb_oblate_gravity){.point = field},
                                             plain, &power, &energy));
        double effect = 0.0;
        for (size_t i = 0; i < count; ++i) {
            effect = fmax(effect, fabs(tau[i] - plain[i]));
        }
        lb_expect_within("tau", tau, exact, count, 1e-3 * effect + 1e-8);
        free(tau);
        free(exact);
        free(plain);
        lb_end_trial(&t);
    }
}

// A body that falls freely does not feel a uniform field, and one without gradient is uniform over it.
static void free_fall_excites_no_modes(void **state)
{
    (void)state;
    for (int n = 0; n < 24; ++n) {
        lb_tree_options options = lb_get_flexible_tree(n);
        options.body_count = 1;
        options.rigid_percent = 0;
        options.mode_min = options.mode_max = 5;
        options.hinges = options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
        options.gravity = 0.0;
        options.mixed_fidelity = n % 3 == 0;
        options.second_order = options.second_order && !options.mixed_fidelity;
        lb_trial t = lb_begin_trial(&options, (uint64_t)n);
        const int modes = lb_get_mode_count(t.model, 0);
        memset(t.q + lb_get_q_offset(t.model, 0), 0, (size_t)modes * sizeof *t.q);
        memset(t.v, 0, (size_t)t.v_count * sizeof *t.v);
        double *tau = lb_make_numbers((size_t)t.v_count), power, energy;
        const lb_point_gravity field = {9.81 * 49e12, {7e6, 0, 0}, false};
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        lb_expect_ok(lb_apply_oblate_gravity(t.model, t.work, &(lb_oblate_gravity){.point = field},
                                             tau, &power, &energy));
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, tau, t.a));
        for (int i = 0; i < modes + 3; ++i) {
            // of 9.81 m/s^2, and a condition of the mass matrix of some 1e4
            lb_expect_below("acceleration", t.a[i], 1e-9);
        }
        lb_expect_near("fall", sqrt(lb_multiply_vectors(3, t.a + modes + 3, t.a + modes + 3)), 9.81,
                       1e-5);
        free(tau);
        lb_end_trial(&t);
    }
}

// Far away a point mass is uniform gravity, and hinges carry the same.
static void reactions_are_those_of_uniform_gravity_far_away(void **state)
{
    (void)state;
    const double d = 1e9, g = 9.81;
    for (int n = 0; n < 40; ++n) {
        lb_tree_options options = lb_get_flexible_tree(n);
        options.mixed_fidelity = n % 3 == 0;
        options.second_order = options.second_order && !options.mixed_fidelity;
        options.gravity = 0.0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)n);
        lb_scene *falling = t.scene;
        falling->gravity[2] = -g;
        lb_model *model = lb_build_scene(falling);
        lb_work *work = lb_create_work(model);
        assert_non_null(work);
        const size_t count = 6 * (size_t)t.body_count;
        double *uniform = lb_make_numbers(count), *point = lb_make_numbers(count);
        double *tau = lb_make_numbers((size_t)t.v_count), power, energy;
        const lb_point_gravity field = {g * d * d, {0, 0, -d}, n % 2 == 0};

        lb_expect_ok(lb_compute_forward_dynamics(model, work, t.q, t.v, NULL, t.a));
        lb_expect_ok(lb_compute_reactions(model, work, NULL, uniform));
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        lb_expect_ok(lb_apply_oblate_gravity(t.model, t.work, &(lb_oblate_gravity){.point = field},
                                             tau, &power, &energy));
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, tau, t.a));
        const lb_oblate_gravity round = {.point = field, .axis = {0, 0, 1}};
        const lb_applied_loads loads = {.size = sizeof loads, .field_count = 1, .fields = &round};
        lb_expect_ok(lb_compute_reactions(t.model, t.work, &loads, point));
        // bodies of some metres: the field differs by 1e-8 over them
        lb_expect_within("reactions", point, uniform, count,
                         1e-6 * (1.0 + lb_get_largest((int)count, uniform)));
        free(uniform);
        free(point);
        free(tau);
        lb_destroy_work(work);
        lb_destroy_model(model);
        lb_end_trial(&t);
    }
}

// A mass of 2 kg at 3 m on an arm that cannot move, 4 m above a point mass: d = 5 m.
static void recorded_reactions_hold_a_body_against_the_field(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        "limber: 1\n"
        "bodies: [{name: arm, hinge: {type: fixed}, mass: 2, com: [3, 0, 0]}]\n"
        "forces: [{name: planet, type: gravity-point, mu: 250, position: [0, 0, -4]}]\n"
        "run: {duration: 1, interval: 1}\n"
        "outputs: [reactions]\n");
    lb_start_course(&course);
    lb_go_to(&course, 1.0);
    double reactions[6];
    lb_expect_ok(lb_compute_all_reactions(&course.simulation->system, reactions));
    // 250 x 2 / 25 = 20 N along (3, 0, 4) / 5
    const double expected[6] = {0, -48, 0, 12, 0, 16};
    lb_expect_close("reactions", reactions, expected, 6, 1e-14);
    lb_end_course(&course);
}

// ---- the case ----------------------------------------------------------------------------------

static char *read_case(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 65536);
    assert_non_null(text);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

static void a_rod_along_the_vertical_bends_back(void **state)
{
    (void)state;
    char *text = read_case(lb_find_source("test/cases/tide.yaml"));
    lb_rig rig = lb_begin_rig(text, NULL);
    const double r = 7e6, n2 = 3.986004418e14 / (r * r * r);
    // the exact field at eleven masses, solved in 40 digits
    const struct {
        double eta, factor;
    } cases[] = {{20.0, -6.99354603}, {1.0, -7.08405388}, {0.1, -7.08428021}};
    assert_true(lb_get_force_info(rig.forces, 0).is_conservative);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        rig.q[0] = cases[i].eta;
        rig.q[5] = r;
        lb_expect_ok(lb_evaluate_rig(&rig, 0));
        lb_expect_ok(
            lb_compute_forward_dynamics(rig.model, rig.work, rig.q, rig.v, rig.tau, rig.a));
        // terms of third order are 500 m / 7e6 m of these
        lb_expect_near("eta_ddot", rig.a[0] / (n2 * cases[i].eta), cases[i].factor, 1e-4);
    }
    lb_end_rig(&rig);
    free(text);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_field_at_every_mass_does_the_same),
        cmocka_unit_test(free_fall_excites_no_modes),
        cmocka_unit_test(reactions_are_those_of_uniform_gravity_far_away),
        cmocka_unit_test(recorded_reactions_hold_a_body_against_the_field),
        cmocka_unit_test(a_rod_along_the_vertical_bends_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
