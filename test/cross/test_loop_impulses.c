// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Impulses of loops that are made and hinges that are locked while parts move: momentum and energy.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/loops/loop_products.h"
#include "dynamics/tree/tree.h"

static double get_kinetic(lb_trial *t)
{
    double kinetic, potential;
    lb_expect_ok(lb_compute_kinematics(t->model, t->work, t->q, t->v, NULL));
    lb_expect_ok(lb_compute_energy(t->model, t->work, &kinetic, &potential));
    return kinetic;
}

// Loops between free trees, and locked hinges: momentum stays, energy falls by what is said.
static void impulses_conserve_momentum_and_account_for_energy(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
        options.root_count = 2;
        options.body_count = options.body_count < 3 ? 3 : options.body_count;
        lb_scene *scene = lb_create_tree(&options, (uint64_t)i);
        lb_random random;
        lb_seed_random(&random, (uint64_t)i + 5);
        lb_draw_loops(scene, &random, 3);
        // none on the ground, and none that relates a coordinate to nothing
        int count = 0;
        for (int l = 0; l < scene->loop_count; ++l) {
            const lb_scene_loop *loop = &scene->loops[l];
            const int inner = loop->body[0] != LB_GROUND && loop->body[1] != LB_GROUND;
            if (loop->type != LB_LOOP_COUPLER && inner) {
                scene->loops[count++] = *loop;
            }
        }
        scene->loop_count = count;
        lb_trial t = lb_begin_scene_trial(scene, (uint64_t)i);
        for (int k = 0; k < t.body_count; ++k) {
            const int root = scene->bodies[k].parent == LB_GROUND;
            lb_expect_ok(
                lb_set_hinge_locked(t.model, t.work, k, !root && lb_draw_index(&t.random, 3) == 0));
        }
        lb_system_motion one, two;
        double loss = 0.0;
        const double before = get_kinetic(&t);
        lb_expect_ok(lb_compute_system_motion(t.model, t.work, &one));
        const lb_status status = lb_compute_impulse(t.model, t.work, t.q, t.v, NULL, NULL, &loss);
        assert_true(status >= LB_OK);
        const double after = get_kinetic(&t);
        lb_expect_ok(lb_compute_system_motion(t.model, t.work, &two));
        // 1e-9: cond(M) and cond(Lambda) up to 1e6 together
        const double size = 1.0 + sqrt(before * one.mass);
        lb_expect_within("momentum", two.linear, one.linear, 3, 1e-9 * size);
        lb_expect_within("angular momentum", two.angular_world, one.angular_world, 3,
                         1e-9 * size * 10);
        lb_expect_below("energy", before - after - loss, 1e-9 * (1.0 + before));
        assert_true(loss > -1e-9 * (1.0 + before));
        // speeds agree with loops and locks
        for (int k = 0; k < t.body_count; ++k) {
            const lb_scene_body *b = &scene->bodies[k];
            if (lb_is_hinge_locked(t.model, t.work, k)) {
                lb_expect_below(
                    "locked",
                    lb_get_largest(lb_scene_hinge_v_count[b->hinge.type], t.v + b->hinge_v), 0.0);
            }
        }
        const int six = 6 * lb_get_loop_capacity(t.model);
        double *left = lb_make_numbers((size_t)six + 1);
        lb_expect_ok(lb_compute_loop_errors(t.model, t.work, t.q, NULL, left));
        lb_expect_below("speeds", lb_get_largest(six, left), 1e-7 * (1.0 + sqrt(before)));
        free(left);
        lb_end_trial(&t);
    }
}

// Driven hinges keep their speeds or get others; impulses balance with the mass matrix, and what is said of energy
// adds up, each part by a road of its own.
static void impulses_of_driven_hinges_balance_and_do_work(void **state)
{
    (void)state;
    double most_work = 0.0;
    for (int i = 0; i < 100; ++i) {
        lb_trial t = lb_begin_loop_trial(i, 2, 0, 0);
        const int n = t.v_count, capacity = lb_get_loop_capacity(t.model);
        const size_t size = (size_t)n, six = 6 * (size_t)capacity + 1;
        double *M = lb_make_numbers(size * size), *v = lb_make_numbers(size);
        double *dv = lb_make_numbers(size), *momentum = lb_make_numbers(size);
        double *impulses = lb_make_numbers(six), *hinges = lb_make_numbers(size);
        unsigned char driven[16] = {0};
        for (int k = 0; k < t.body_count; ++k) {
            const int draw = lb_draw_index(&t.random, 5);
            driven[k] = draw == 0 || draw == 1;
            lb_expect_ok(lb_set_hinge_locked(t.model, t.work, k, draw == 2 || draw == 1));
        }
        lb_loop_motion motion = {{0}, {0}, {0}};
        lb_draw_vector(&t.random, 6, 1.0, motion.velocity);
        if (capacity > 0) {
            lb_expect_ok(lb_set_loop_motion(t.model, t.work, 0, &motion));
        }
        double *speeds = lb_make_numbers(size);
        lb_draw_vector(&t.random, n, 1.0, speeds);
        lb_impulse_work energy = {.size = sizeof energy};
        memcpy(v, t.v, size * sizeof *v);
        const double before = get_kinetic(&t);
        const lb_status status = lb_compute_driven_impulse(
            t.model, t.work, t.q, t.v, driven, i % 2 ? speeds : NULL, impulses, hinges, &energy);
        assert_true(status >= LB_OK);
        const double after = get_kinetic(&t);
        for (int j = 0; j < n; ++j) {
            dv[j] = t.v[j] - v[j];
        }
        for (int k = 0; k < t.body_count; ++k) {
            const lb_scene_body *b = &t.scene->bodies[k];
            const int locked = lb_is_hinge_locked(t.model, t.work, k);
            for (int j = b->hinge_v; j < b->hinge_v + lb_scene_hinge_v_count[b->hinge.type]; ++j) {
                assert_true(!locked || t.v[j] == 0.0);
                assert_true(locked || !driven[k] || t.v[j] == (i % 2 ? speeds : v)[j]);
                assert_true(locked || driven[k] || hinges[j] == 0.0);
            }
        }
        // M dv = J' lambda + impulses at hinges
        lb_expect_ok(lb_tree_mass_matrix(t.model, t.work, t.q, M));
        for (int r = 0; r < n; ++r) {
            momentum[r] = lb_multiply_vectors(n, M + (ptrdiff_t)r * n, dv);
        }
        const double square = lb_multiply_vectors(n, dv, momentum);
        double *balance = lb_make_numbers(size);
        lb_expect_ok(lb_apply_loop_forces(t.model, t.work, impulses, balance));
        lb_add_vector(n, 1.0, hinges, balance);
        // 1e-8: cond(M) and cond(Lambda) up to 1e6 together
        lb_expect_within(
            "balance", balance, momentum, n,
            1e-8 * (1.0 + lb_get_largest(n, momentum) + lb_get_largest((int)six, impulses)));
        const double scale = before + after + fabs(energy.drives) + fabs(energy.loops) + 1.0;
        lb_expect_below("energy", after - before - energy.drives - energy.loops + energy.loss,
                        1e-9 * scale);
        lb_expect_below("loss", energy.loss - 0.5 * square, 1e-9 * scale);
        most_work = fmax(most_work, fabs(energy.drives) / scale);
        free(M);
        free(v);
        free(dv);
        free(speeds);
        free(momentum);
        free(impulses);
        free(hinges);
        free(balance);
        lb_end_trial(&t);
    }
    assert_true(most_work > 0.01);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses_conserve_momentum_and_account_for_energy),
        cmocka_unit_test(impulses_of_driven_hinges_balance_and_do_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
