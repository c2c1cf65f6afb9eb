// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Free motion of beams that are bent by a fifth of their length: what a Lagrangian model conserves,
// it conserves at any deformation.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "motion.h"

// M = L L' with every pivot positive, and not by round-off alone.
static void lb_expect_positive_definite(lb_trial *t, const double *q)
{
    const int n = t->v_count;
    double *M = lb_make_numbers((size_t)n * (size_t)n);
    lb_expect_ok(lb_compute_mass_matrix(t->model, t->work, q, M));
    for (int j = 0; j < n; ++j) {
        const double diagonal = M[j * n + j];
        for (int k = 0; k < j; ++k) {
            M[j * n + j] -= M[j * n + k] * M[j * n + k];
        }
        // 1e-10: cond(M) of a few beams is below 1e8
        assert_true(M[j * n + j] > 1e-10 * diagonal);
        M[j * n + j] = sqrt(M[j * n + j]);
        for (int i = j + 1; i < n; ++i) {
            for (int k = 0; k < j; ++k) {
                M[i * n + j] -= M[i * n + k] * M[j * n + k];
            }
            M[i * n + j] /= M[j * n + j];
        }
    }
    free(M);
}

// Largest displacement of a node from where it sits undeformed, over the length of the beam, 1 m.
static double lb_get_deflection(const lb_scene_flex *flex, const double *eta)
{
    double largest = 0.0;
    const int n = flex->options.mode_count;
    for (int j = 0; j < flex->options.node_count; ++j) {
        double d[3] = {0};
        for (int r = 0; r < n; ++r) {
            for (int axis = 0; axis < 3; ++axis) {
                d[axis] += flex->nodes[j].shape[6 * r + 3 + axis] * eta[r];
            }
        }
        largest = fmax(largest, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    return largest;
}

// Three beams in a row on hinges of one type, bent to a deflection of 0.2 m and released.
static lb_trial lb_begin_bent_beams(lb_hinge_type type, lb_hinge_type root, int free_free,
                                    double gravity, uint64_t number)
{
    lb_scene_beam_options options = lb_default_scene_beam();
    options.free_free = free_free;
    // free ends bend the same modes harder
    options.bending_stiffness = free_free ? 0.125 : 1.0;
    lb_scene *scene = lb_create_beam_chain(&options, 3);
    const double axes[2][3] = {{0.2, 1, 0}, {0, 0.3, 1}};
    for (int k = 0; k < scene->body_count; ++k) {
        scene->bodies[k].hinge.type = k == 0 ? root : type;
        memcpy(scene->bodies[k].hinge.axes, axes, sizeof axes);
        scene->bodies[k].hinge.pitch = 0.3;
    }
    scene->gravity[2] = -gravity;
    lb_count_scene(scene);
    lb_trial t = lb_begin_scene_trial(scene, lb_get_base_seed() * 1000003u + number);
    for (int k = 0; k < scene->body_count; ++k) {
        double *eta = t.q + scene->bodies[k].q_offset;
        const double scale = 0.2 / lb_get_deflection(scene->bodies[k].flex, eta);
        for (int r = 0; r < options.mode_count; ++r) {
            eta[r] *= scale;
        }
    }
    return t;
}

static void bent_beams_conserve_energy_for_every_hinge_type(void **state)
{
    (void)state;
    for (int free_free = 0; free_free < 2; ++free_free) {
        for (int type = 0; type < LB_HINGE_TYPE_COUNT; ++type) {
            lb_trial t = lb_begin_bent_beams((lb_hinge_type)type, (lb_hinge_type)type, free_free,
                                             9.81, (uint64_t)(50 * free_free + type));
            lb_expect_positive_definite(&t, t.q);
            lb_expect_conserved(&t, 0.1, 1);
            lb_end_trial(&t);
        }
    }
}

static void bent_beams_in_free_flight_conserve_energy_and_momentum(void **state)
{
    (void)state;
    for (int free_free = 0; free_free < 2; ++free_free) {
        for (int type = 0; type < LB_HINGE_TYPE_COUNT; ++type) {
            lb_trial t = lb_begin_bent_beams((lb_hinge_type)type, LB_HINGE_FREE, free_free, 0.0,
                                             (uint64_t)(50 * free_free + 20 + type));
            lb_expect_positive_definite(&t, t.q);
            lb_expect_conserved(&t, 0.1, 7);
            lb_end_trial(&t);
        }
    }
}

// Bodies of any shape, with offsets, rotary inertia and second-order displacements at random: nodes
// 0.5 m from the frame are moved by 0.1 m.
static void random_trees_conserve_energy_and_momentum_far_from_rest(void **state)
{
    (void)state;
    for (int i = 0; i < 6; ++i) {
        lb_tree_options options = lb_get_flexible_tree(7);
        options.body_count = 4;
        options.root_count = 1;
        options.rigid_percent = 25;
        options.undamped = 1;
        options.free_free = i % 2;
        options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
        options.gravity = 0.0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)(700 + i));
        for (int k = 0; k < t.body_count; ++k) {
            const lb_scene_body *body = &t.scene->bodies[k];
            if (body->flex != NULL) {
                double *eta = t.q + body->q_offset;
                const double scale = 0.1 / lb_get_deflection(body->flex, eta);
                for (int r = 0; r < body->flex->options.mode_count; ++r) {
                    eta[r] *= scale;
                }
            }
        }
        lb_expect_positive_definite(&t, t.q);
        lb_expect_conserved(&t, 0.1, 7);
        lb_end_trial(&t);
    }
}

// A clamped beam bent once and left alone: damping takes energy, at the rate etad' C etad.
static void damping_takes_the_energy_that_it_should(void **state)
{
    (void)state;
    lb_scene_beam_options options = lb_default_scene_beam();
    lb_scene *scene = lb_create_beam_chain(&options, 1);
    const double damping[16] = {0.4, 0.1, 0, 0, 0.1, 0.3, 0, 0, 0, 0, 0.2, 0, 0, 0, 0, 0.1};
    scene->bodies[0].flex->options.damping = damping;
    lb_trial t = lb_begin_scene_trial(scene, 1);
    double *q = lb_make_numbers((size_t)t.q_count), *v = lb_make_numbers((size_t)t.v_count);
    double energy[2], kinetic, potential, power = 0.0;
    // central difference over 2 h: 1e-6 is its error, h^2 omega^2 with h omega about 1e-3
    const double h = 1e-6;
    for (int side = 0; side < 2; ++side) {
        memcpy(q, t.q, (size_t)t.q_count * sizeof *q);
        memcpy(v, t.v, (size_t)t.v_count * sizeof *v);
        lb_integrate_motion(t.model, t.work, side ? h : -h, 4, q, v);
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, q, v, NULL));
        lb_expect_ok(lb_compute_energy(t.model, t.work, &kinetic, &potential));
        energy[side] = kinetic + potential;
    }
    for (int r = 0; r < 4; ++r) {
        for (int s = 0; s < 4; ++s) {
            power -= damping[4 * r + s] * t.v[r] * t.v[s];
        }
    }
    lb_expect_near("power", (energy[1] - energy[0]) / (2 * h), power, 1e-6);
    free(q);
    free(v);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bent_beams_conserve_energy_for_every_hinge_type),
        cmocka_unit_test(bent_beams_in_free_flight_conserve_energy_and_momentum),
        cmocka_unit_test(random_trees_conserve_energy_and_momentum_far_from_rest),
        cmocka_unit_test(damping_takes_the_energy_that_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
