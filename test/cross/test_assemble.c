// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Assembly: loops closed from rough guesses, with what is held, and loops that cannot close.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "course.h"
#include "limber/assemble.h"

// crank 0.5, coupler 2, rocker 1, ground 2: a crank that goes round
static const char four_bar[] =
    "limber: 1\n"
    "ground: {nodes: {right: {position: [2, 0, 0]}}}\n"
    "bodies:\n"
    "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.25, 0, 0],\n"
    "     inertia: [0, 0.02, 0.02, 0, 0, 0], nodes: {tip: {position: [0.5, 0, 0]}}}\n"
    "  - {name: coupler, parent: crank, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, mass: "
    "2,\n"
    "     com: [1, 0, 0], inertia: [0, 0.7, 0.7, 0, 0, 0], nodes: {end: {position: [2, 0, 0]}}}\n"
    "  - {name: rocker, at: right, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
    "     com: [0.5, 0, 0], inertia: [0, 0.1, 0.1, 0, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
    "loops:\n"
    "  - {name: pin, a: {body: rocker, node: tip}, b: {body: coupler, node: end}, type: %s}\n"
    "initial: %s\n";

static lb_course begin(const char *type, const char *initial)
{
    char text[2048];
    snprintf(text, sizeof text, four_bar, type, initial);
    return lb_begin_course(text);
}

static double get_largest(const double *x, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

static void expect_closed(lb_course *course)
{
    double position[64], velocity[64];
    const int count = 6 * lb_get_loop_capacity(course->model);
    assert_true(count <= 64);
    lb_expect_ok(lb_compute_initial_loop_errors(course->simulation, position, velocity));
    // round-off of lengths up to 2 and speeds up to 10
    lb_expect_below("position errors", get_largest(position, count), 1e-14);
    lb_expect_below("velocity errors", get_largest(velocity, count), 1e-13);
}

static void four_bar_closes_from_a_rough_guess_with_the_crank_held(void **state)
{
    (void)state;
    // two rows, three, and five of which three repeat
    static const char *const types[] = {"point-line, axis: [0, 0, 1]", "spherical",
                                        "revolute, axis: [0, 0, 1]"};
    for (int i = 0; i < 3; ++i) {
        lb_course course =
            begin(types[i], "{crank: {angle: 1.2, rate: 10}, rocker: {angle: 100 deg}}");
        unsigned char held[3] = {0};
        lb_assembly found = {.size = sizeof found};
        lb_expect_ok(lb_hold_coordinate(course.simulation, "crank.angle", held));
        assert_int_equal(held[0], 1);
        lb_expect_ok(lb_assemble_simulation(course.simulation, held, &found));
        expect_closed(&course);
        const double *q, *v;
        lb_get_initial_state(course.simulation, &q, &v);
        assert_true(q[0] == 1.2 && v[0] == 10.0);
        // the closed form: the rocker's tip on two circles
        const double x = 0.5 * cos(1.2), y = 0.5 * sin(1.2), d = hypot(2 - x, y);
        const double along = (d * d + 1 - 4) / (2 * d), across = sqrt(1 - along * along);
        const double back = atan2(y, x - 2), rocker = back - acos(along / 1.0);
        lb_expect_below("rocker", remainder(q[2] - rocker, 2 * acos(-1.0)), 1e-13);
        (void)across;
        lb_end_course(&course);
    }
}

static void what_is_not_held_shares_the_move(void **state)
{
    (void)state;
    lb_course course = begin("point-line, axis: [0, 0, 1]",
                             "{crank: {angle: 1.2, rate: 10}, rocker: {angle: 100 deg}}");
    lb_expect_ok(lb_assemble_simulation(course.simulation, NULL, NULL));
    expect_closed(&course);
    const double *q, *v;
    lb_get_initial_state(course.simulation, &q, &v);
    assert_true(q[0] != 1.2 && fabs(q[0] - 1.2) < 0.5);
    // the smallest change of speeds is perpendicular to what the loop leaves free: one motion, along
    // the difference quotient of the assembled configurations beside this one
    double J_free[3];
    for (int side = -1; side <= 1; side += 2) {
        double next[3];
        for (int i = 0; i < 3; ++i) {
            next[i] = q[i];
        }
        next[0] += side * 1e-4;
        lb_course other = begin("point-line, axis: [0, 0, 1]", "{}");
        const unsigned char held[3] = {1, 0, 0};
        lb_expect_ok(lb_set_initial_state(other.simulation, next, NULL));
        lb_expect_ok(lb_assemble_simulation(other.simulation, held, NULL));
        const double *closed, *rates;
        lb_get_initial_state(other.simulation, &closed, &rates);
        for (int i = 0; i < 3; ++i) {
            J_free[i] = (side < 0 ? 0.0 : J_free[i]) + side * closed[i] / 2e-4;
        }
        lb_end_course(&other);
    }
    // v0 was (10, 0, 0)
    double along = 0.0, square = 0.0;
    for (int i = 0; i < 3; ++i) {
        along += J_free[i] * (v[i] - (i == 0 ? 10.0 : 0.0));
        square += J_free[i] * J_free[i];
    }
    // 1e-6: the quotient is right to 1e-8, the change of speeds is about 10
    lb_expect_below("change along what is free", along / sqrt(square), 1e-6);
    lb_end_course(&course);
}

static void stretched_linkage_is_led_astray_and_closes(void **state)
{
    (void)state;
    // all on one line, ends 0.5 apart: no first-order way to close
    lb_course course = begin("point-line, axis: [0, 0, 1]", "{rocker: {angle: 180 deg}}");
    const unsigned char held[3] = {1, 0, 0};
    lb_assembly found = {.size = sizeof found};
    // 0.5 + 2 against 2 - 1: the coupler cannot reach it on the line
    lb_expect_ok(lb_assemble_simulation(course.simulation, held, &found));
    expect_closed(&course);
    lb_end_course(&course);
}

static void singular_position_is_fine(void **state)
{
    (void)state;
    // the change point of a parallelogram: all links on one line, closed
    lb_course course = lb_begin_example("four_bars.yaml");
    double q[5] = {-acos(-1.0) / 2, acos(-1.0) / 2, -acos(-1.0) / 2, acos(-1.0) / 2,
                   -acos(-1.0) / 2};
    const double v[5] = {-3, 3, -3, 3, -3};
    for (int k = 0; k < 5; ++k) {
        q[k] += 1e-3 * (k - 2); // and a little beside it
    }
    lb_expect_ok(lb_set_initial_state(course.simulation, q, v));
    lb_expect_ok(lb_assemble_simulation(course.simulation, NULL, NULL));
    double position[12], velocity[12];
    lb_expect_ok(lb_compute_initial_loop_errors(course.simulation, position, velocity));
    lb_expect_below("position errors", get_largest(position, 12), 1e-10);
    lb_expect_below("velocity errors", get_largest(velocity, 12), 1e-9);
    lb_end_course(&course);
}

static void bricard_closes_though_a_row_repeats(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("bricard.yaml");
    const double q[5] = {0.4, -0.2, 0.3, -0.3, 0.25};
    lb_expect_ok(lb_set_initial_state(course.simulation, q, NULL));
    lb_expect_ok(lb_assemble_simulation(course.simulation, NULL, NULL));
    expect_closed(&course);
    lb_end_course(&course);
}

static void loop_out_of_reach_is_named(void **state)
{
    (void)state;
    lb_course course = begin("spherical", "{crank: {angle: 1.2}, rocker: {angle: 100 deg}}");
    const double *q, *v;
    const unsigned char held[3] = {1, 0, 1};
    lb_assembly found = {.size = sizeof found};
    assert_int_equal(lb_assemble_simulation(course.simulation, held, &found), LB_E_OPEN);
    assert_non_null(strstr(lb_get_simulation_message(course.simulation), "loop 'pin'"));
    // the coupler points at the rocker's tip and misses it: by the difference of lengths
    const double x = 2 + cos(100 * acos(-1.0) / 180) - 0.5 * cos(1.2);
    const double y = sin(100 * acos(-1.0) / 180) - 0.5 * sin(1.2);
    // 1e-5: a minimum that is no zero is sought until a step brings less than 1e-4 of the square
    lb_expect_near("gap", found.residual, fabs(hypot(x, y) - 2), 1e-5);
    // the initial state stays
    lb_get_initial_state(course.simulation, &q, &v);
    assert_true(q[0] == 1.2 && q[1] == 0.0);
    lb_end_course(&course);
}

static void speeds_that_contradict_are_named(void **state)
{
    (void)state;
    lb_course course =
        begin("spherical", "{crank: {angle: 1.2, rate: 1}, rocker: {angle: 100 deg, rate: 0}}");
    const unsigned char crank[3] = {1, 0, 0};
    lb_expect_ok(lb_assemble_simulation(course.simulation, crank, NULL));
    const double *q, *v;
    lb_get_initial_state(course.simulation, &q, &v);
    const double wrong[3] = {1, 0, 0};
    lb_expect_ok(lb_set_initial_state(course.simulation, NULL, wrong));
    const unsigned char all[3] = {1, 1, 1};
    assert_int_equal(lb_assemble_simulation(course.simulation, all, NULL), LB_E_OPEN);
    assert_non_null(strstr(lb_get_simulation_message(course.simulation), "loop 'pin' closes, but"));
    lb_end_course(&course);
}

static void modes_stay_undeformed_where_hinges_close_the_loop(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("flexible_four_bar.yaml");
    lb_start_course(&course);
    for (int k = 0; k < 3; ++k) {
        const int at = lb_get_q_offset(course.model, k);
        assert_true(course.q[at] == 0.0 && course.q[at + 1] == 0.0);
    }
    lb_end_course(&course);
}

static void modes_bend_where_hinges_cannot_close_the_loop(void **state)
{
    (void)state;
    // a beam of one mode, clamped, whose tip has to meet a point 0.1 beside it
    lb_course course = lb_begin_course(
        "limber: 1\n"
        "ground: {nodes: {peg: {position: [1, 0.1, 0]}}}\n"
        "bodies:\n"
        "  - name: beam\n"
        "    hinge: {type: fixed}\n"
        "    flex:\n"
        "      nodes: [{name: tip, position: [1, 0, 0], mass: 1, shape: [[0, 0, 1.5, 0, 1, 0]]}]\n"
        "      stiffness: [100]\n"
        "loops:\n"
        "  - {name: peg, a: {body: ground, node: peg}, b: {body: beam, node: tip},\n"
        "     type: point-plane, axis: [0, 1, 0]}\n");
    lb_expect_ok(lb_assemble_simulation(course.simulation, NULL, NULL));
    const double *q, *v;
    lb_get_initial_state(course.simulation, &q, &v);
    lb_expect_near("deflection", q[0], 0.1, 1e-14);
    lb_end_course(&course);
}

static void modes_bend_to_the_shape_of_least_energy(void **state)
{
    (void)state;
    // minimum of sum k eta^2 / 2 under sum phi eta = 0.01: eta proportional to phi / k
    static const double phi[] = {1.0, -0.8, 0.5}, k[] = {100.0, 4000.0, 0.9e6};
    lb_course course = lb_begin_course(
        "limber: 1\n"
        "ground: {nodes: {peg: {position: [1, 0.01, 0]}}}\n"
        "bodies:\n"
        "  - name: beam\n"
        "    hinge: {type: fixed}\n"
        "    flex:\n"
        "      nodes: [{name: tip, position: [1, 0, 0], mass: 1, shape: [[0, 0, 1.5, 0, 1, 0],\n"
        "        [0, 0, -4, 0, -0.8, 0], [0, 0, 9, 0, 0.5, 0]]}]\n"
        "      stiffness: [100, 4000, 0.9e+6]\n"
        "loops:\n"
        "  - {name: peg, a: {body: ground, node: peg}, b: {body: beam, node: tip},\n"
        "     type: point-plane, axis: [0, 1, 0]}\n");
    lb_expect_ok(lb_assemble_simulation(course.simulation, NULL, NULL));
    const double *q, *v;
    double sum = 0.0;
    lb_get_initial_state(course.simulation, &q, &v);
    for (int i = 0; i < 3; ++i) {
        sum += phi[i] * phi[i] / k[i];
    }
    for (int i = 0; i < 3; ++i) {
        lb_expect_near("mode", q[i], 0.01 * phi[i] / k[i] / sum, 1e-12); // linear, one row
    }
    lb_end_course(&course);
}

static void what_to_hold_is_read_as_signals_are(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("catch.yaml");
    unsigned char held[20] = {0};
    assert_true(course.v_count == 20);
    lb_expect_ok(lb_hold_coordinate(course.simulation, "left hand", held));
    lb_expect_ok(lb_hold_coordinate(course.simulation, "payload.v.4", held));
    lb_expect_ok(lb_hold_coordinate(course.simulation, "'right upper'.q.1", held));
    for (int i = 0; i < 20; ++i) {
        assert_int_equal(held[i], i == 8 || i == 9 || i == 18 || i == 11);
    }
    // an entry of a quaternion is no coordinate
    static const char *const wrong[] = {"payload.q.1", "t", "nobody", "base.position.x"};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(lb_hold_coordinate(course.simulation, wrong[i], held), LB_E_ARGUMENT);
    }
    lb_end_course(&course);
}

// Loops of every type that close where they are, some given twice: speeds that agree are always there, if
// only zero, and are found as near to random ones as may be.
static void speeds_that_agree_are_found(void **state)
{
    (void)state;
    for (int number = 0; number < 120; ++number) {
        lb_tree_options options = lb_get_mixed_tree(number);
        options.fidelity = LB_FIDELITY_CONSISTENT;
        const uint64_t seed = lb_get_base_seed() * 1000003u + (uint64_t)number;
        lb_scene *scene = lb_create_tree(&options, seed);
        lb_random random;
        lb_seed_random(&random, seed + 80);
        lb_draw_loops(scene, &random, 1 + lb_draw_index(&random, 2));
        const int count = scene->loop_count;
        if (number % 3 == 0 && count) {
            scene->loops = realloc(scene->loops, 2 * (size_t)count * sizeof *scene->loops);
            assert_non_null(scene->loops);
            memcpy(scene->loops + count, scene->loops, (size_t)count * sizeof *scene->loops);
            scene->loop_count = 2 * count;
        }
        for (int i = 0; i < scene->loop_count; ++i) {
            scene->loops[i].driven = 0;
            scene->loops[i].as_assembled = 1;
        }
        lb_trial t = lb_begin_scene_trial(scene, seed);
        double *scratch = lb_make_numbers(lb_get_assembly_scratch_count(t.model));
        double *before = lb_make_numbers((size_t)t.v_count);
        lb_assembly found = {.size = sizeof found};
        const lb_assembly_options plain = lb_default_assembly_options();
        memcpy(before, t.v, (size_t)t.v_count * sizeof *before);
        // nobody knows yet where they close
        double *errors = lb_make_numbers(6 * (size_t)lb_get_loop_capacity(t.model) + 1);
        if (scene->loop_count > 0) {
            assert_int_equal(lb_assemble_loops(t.model, t.work, &plain, t.q, NULL, scratch, &found),
                             LB_E_STAGE);
            lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
            assert_int_equal(lb_compute_loop_errors(t.model, t.work, t.q, errors, NULL),
                             LB_E_STAGE);
        }
        free(errors);
        // but for a rod whose ends coincide
        if (lb_take_initial_offsets(t.model, t.work, t.q, NULL) == LB_OK) {
            const lb_status status =
                lb_assemble_loops(t.model, t.work, &plain, t.q, t.v, scratch, &found);
            if (status != LB_OK) {
                print_message("%d: off by %.3g, %.3g\n", number, found.residual,
                              found.speed_residual);
            }
            lb_expect_ok(status);
            // 1e8: round-off of 1e-14 over 1e-9 squared is no speed without end
            assert_true(get_largest(t.v, t.v_count) < 1e8 * (1.0 + get_largest(before, t.v_count)));
        }
        free(before);
        free(scratch);
        lb_end_trial(&t);
    }
}

static void loop_that_is_turned_over_is_assembled_the_right_way_round(void **state)
{
    (void)state;
    // a ball on its back
    lb_course course = lb_begin_course(
        "limber: 1\n"
        "bodies: [{name: ball, hinge: {type: free}, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
        "loops: [{name: pin, a: {body: ground}, b: {body: ball}, type: revolute, axis: [0, 0, "
        "1]}]\n"
        "initial: {ball: {rotation: [0, 1, 0, 0]}}\n"
        "run: {assemble: true}\n");
    lb_start_course(&course);
    lb_go_to(&course, 0.1);
    // the z axis of the ball: 1 - 2 (x^2 + y^2)
    const double *u = course.q;
    lb_expect_near("upright", 1.0 - 2.0 * (u[1] * u[1] + u[2] * u[2]), 1.0, 1e-12);
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bar_closes_from_a_rough_guess_with_the_crank_held),
        cmocka_unit_test(what_is_not_held_shares_the_move),
        cmocka_unit_test(stretched_linkage_is_led_astray_and_closes),
        cmocka_unit_test(singular_position_is_fine),
        cmocka_unit_test(bricard_closes_though_a_row_repeats),
        cmocka_unit_test(loop_out_of_reach_is_named),
        cmocka_unit_test(speeds_that_contradict_are_named),
        cmocka_unit_test(modes_stay_undeformed_where_hinges_close_the_loop),
        cmocka_unit_test(modes_bend_where_hinges_cannot_close_the_loop),
        cmocka_unit_test(modes_bend_to_the_shape_of_least_energy),
        cmocka_unit_test(what_to_hold_is_read_as_signals_are),
        cmocka_unit_test(speeds_that_agree_are_found),
        cmocka_unit_test(loop_that_is_turned_over_is_assembled_the_right_way_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
