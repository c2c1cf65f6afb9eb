// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Effective masses of damped modes, of modes of equal frequency, and about any point: they add up.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/linear.h"
#include "loaded.h"

static lb_modes *compute(lb_loaded *l, const lb_linear_options *options)
{
    lb_modes *modes = NULL;
    const lb_status status = lb_compute_modes(l->simulation, options, &modes);
    if (status != LB_OK) {
        print_message("%s\n", lb_get_simulation_message(l->simulation));
    }
    lb_expect_ok(status);
    return modes;
}

static lb_modes *compute_text(const char *text)
{
    lb_loaded l = lb_begin_loaded(text, NULL);
    const lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = compute(&l, &options);
    lb_end_loaded(&l);
    return modes;
}

// ---- two that are equal ------------------------------------------------------------------------

// Carriages of 2 kg that carry 1 kg each on a spring, `count` of them.
static lb_modes *compute_carriages(int count, double damping)
{
    char text[2000] = "limber: 1\nbodies:\n";
    for (int part = 0; part < 2; ++part) {
        for (int k = 0; k < count; ++k) {
            const size_t used = strlen(text);
            const char *form =
                part ? "  - {name: k%d, type: spring, hinge: c%d, stiffness: 200}\n"
                       "  - {name: l%d, type: spring, hinge: r%d, stiffness: 300}\n"
                       "  - {name: d%d, type: damper, hinge: c%d, damping: %g}\n"
                     : "  - {name: c%d, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 2}\n"
                       "  - {name: r%d, parent: c%d, hinge: {type: prismatic, axis: [0, 0, 1]}, "
                       "mass: 1}\n";
            snprintf(text + used, sizeof text - used, form, k, k, k, k, k, k, damping);
        }
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s", part ? "" : "forces:\n");
    }
    return compute_text(text);
}

// Damped or not, two equal carriages have twice the masses of one, frequency by frequency; and each of
// two modes of the same frequency has the same.
static void equal_modes_share_their_mass(void **state)
{
    (void)state;
    static const double dampings[] = {0.0, 0.5, 8.0, 300.0};
    for (int k = 0; k < 4; ++k) {
        lb_modes *one = compute_carriages(1, dampings[k]), *two = compute_carriages(2, dampings[k]),
                 *three = compute_carriages(3, dampings[k]);
        lb_expect_near("one", one->effective_sums[2], 3.0, 1e-12);
        lb_expect_near("two", two->effective_sums[2], 6.0, 1e-12);
        lb_expect_near("three", three->effective_sums[2], 9.0, 1e-12);
        assert_int_equal(two->mode_count, 2 * one->mode_count);
        assert_int_equal(three->mode_count, 3 * one->mode_count);
        for (int i = 0; i < one->mode_count; ++i) {
            const double mass = one->effective[6 * i + 2];
            const double *a = two->effective + 12 * i + 2, *b = three->effective + 18 * i + 2;
            // 1e-9: vectors of equal eigenvalues are found to 1e-8 or better, masses to its square
            lb_expect_within("pair", (double[]){a[0] + a[6]}, (double[]){2 * mass}, 1, 1e-9);
            lb_expect_within("three", (double[]){b[0] + b[6] + b[12]}, (double[]){3 * mass}, 1,
                             1e-9);
            if (one->kinds[i] == LB_MODE_OSCILLATION) {
                lb_expect_within("each", a, &mass, 1, 1e-9);
            }
        }
        lb_destroy_modes(one);
        lb_destroy_modes(two);
        lb_destroy_modes(three);
    }
}

// Two equal panels on damped hinges: of pairs the sums are those of one panel, twice.
static void panels_share_the_masses_of_one(void **state)
{
    (void)state;
    static const char bus[] =
        "limber: 1\n"
        "bodies:\n"
        "  - name: bus\n"
        "    hinge: {type: fixed}\n"
        "    mass: 800\n"
        "    nodes: {l: {position: [0, 1, 0], rotation: [0.7071067811865476, 0, 0, "
        "0.7071067811865476]}, r: {position: [0, -1, 0], rotation: [0.7071067811865476, 0, 0, "
        "-0.7071067811865476]}}\n";
    static const char panel[] =
        "hinge: {type: revolute, axis: [1, 0, 0]}, beam: {length: 5, section: {type: rectangle, "
        "width: 0.5, height: 0.02, wall: 0.002}, material: aluminium, modes: 6, damping: 0.005}}\n";
    char both[3000], one[3000];
    snprintf(both, sizeof both,
             "%s  - {name: left, parent: bus, at: l, %s  - {name: right, parent: bus, at: r, %s"
             "forces:\n"
             "  - {name: kl, type: spring, hinge: left, stiffness: 500}\n"
             "  - {name: kr, type: spring, hinge: right, stiffness: 500}\n"
             "  - {name: cl, type: damper, hinge: left, damping: 5}\n"
             "  - {name: cr, type: damper, hinge: right, damping: 5}\n",
             bus, panel, panel);
    snprintf(one, sizeof one,
             "%s  - {name: left, parent: bus, at: l, %sforces:\n"
             "  - {name: kl, type: spring, hinge: left, stiffness: 500}\n"
             "  - {name: cl, type: damper, hinge: left, damping: 5}\n",
             bus, panel);
    lb_modes *a = compute_text(one), *b = compute_text(both);
    assert_int_equal(a->mode_count, 7);
    assert_int_equal(b->mode_count, 14);
    for (int i = 0; i < 7; ++i) {
        for (int d = 0; d < 6; ++d) {
            const double sum = b->effective[12 * i + d] + b->effective[12 * i + 6 + d];
            const double expected = 2 * a->effective[6 * i + d];
            lb_expect_within("pair", &sum, &expected, 1, 1e-8 * a->effective_sums[d] + 1e-12);
        }
    }
    lb_destroy_modes(a);
    lb_destroy_modes(b);
}

// ---- damping -----------------------------------------------------------------------------------

// Dampers in proportion to the springs couple no modes: masses are those without dampers.
static void damping_in_proportion_changes_nothing(void **state)
{
    (void)state;
    static const char form[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 2}\n"
        "  - {name: b, parent: a, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1}\n"
        "  - {name: c, parent: b, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 0.5}\n"
        "forces:\n"
        "  - {name: ka, type: spring, hinge: a, stiffness: 200}\n"
        "  - {name: kb, type: spring, hinge: b, stiffness: 300}\n"
        "  - {name: kc, type: spring, hinge: c, stiffness: 100}\n"
        "  - {name: ca, type: damper, hinge: a, damping: %g}\n"
        "  - {name: cb, type: damper, hinge: b, damping: %g}\n"
        "  - {name: cc, type: damper, hinge: c, damping: %g}\n";
    char texts[2][1500];
    for (int k = 0; k < 2; ++k) {
        const double share = k ? 1e-2 : 0.0;
        snprintf(texts[k], sizeof texts[k], form, 200 * share, 300 * share, 100 * share);
    }
    lb_modes *plain = compute_text(texts[0]), *damped = compute_text(texts[1]);
    assert_true(plain->symmetric && !damped->symmetric);
    for (int i = 0; i < 3; ++i) {
        lb_expect_near("mass", damped->effective[6 * i + 2], plain->effective[6 * i + 2], 1e-11);
    }
    lb_destroy_modes(plain);
    lb_destroy_modes(damped);
}

// Random trees with dampers, in gravity, some parts rigid, some tipping over: the sums are p'M^-1 p as
// without dampers.
static void sums_do_not_depend_on_dampers(void **state)
{
    (void)state;
    for (int number = 0; number < 10; ++number) {
        lb_tree_options tree = lb_get_mixed_tree(number);
        lb_trial trial = lb_begin_trial(&tree, (uint64_t)number + 6200);
        char text[4000] = "limber: 1\nforces:\n";
        for (int k = 0; k < trial.body_count; ++k) {
            for (int i = 0; i < lb_get_hinge(trial.model, k).v_count; ++i) {
                const size_t used = strlen(text);
                snprintf(text + used, sizeof text - used,
                         "  - {name: d%d_%d, type: damper, hinge: %s.%d, damping: 0.%d}\n", k, i,
                         lb_get_body_name(trial.model, k), i, 1 + (k + i) % 8);
            }
        }
        lb_model *own = lb_build_scene(trial.scene);
        assert_non_null(own);
        lb_loaded l = lb_begin_loaded(text, own);
        lb_linear_options options = lb_default_linear_options();
        options.q = trial.q;
        options.about = LB_ABOUT_REST;
        // second road: momentum per unit speed, and what it accelerates
        const int n = trial.v_count;
        double *v = lb_make_numbers(3 * (size_t)n + 1), *a = v + n, *p = a + n;
        for (int d = 0; d < 3; ++d) {
            for (int j = 0; j < n; ++j) {
                lb_system_motion motion;
                memset(v, 0, (size_t)n * sizeof *v);
                v[j] = 1.0;
                lb_expect_ok(lb_compute_kinematics(trial.model, trial.work, trial.q, v, NULL));
                lb_expect_ok(lb_compute_system_motion(trial.model, trial.work, &motion));
                p[j] = motion.linear[d];
            }
            // accelerations that the forces p make of a system at rest, less those without
            memset(v, 0, (size_t)n * sizeof *v);
            assert_true(lb_compute_forward_dynamics(trial.model, trial.work, trial.q, v, p, a) >=
                        0);
            double whole = lb_multiply_vectors(n, p, a);
            assert_true(lb_compute_forward_dynamics(trial.model, trial.work, trial.q, v, v, a) >=
                        0);
            whole -= lb_multiply_vectors(n, p, a);
            lb_modes *modes = compute(&l, &options);
            // 1e-8: vectors of matrices that may be near to having too few
            lb_expect_within("sum", &modes->effective_sums[d], &whole, 1, 1e-8 * (1 + whole));
            lb_destroy_modes(modes);
        }
        free(v);
        lb_end_loaded(&l);
        lb_end_trial(&trial);
    }
}

// ---- points ------------------------------------------------------------------------------------

// A free body and a panel on a soft hinge, here and at 7000 km: about the centre of mass and about
// another point the sums are the inertias of the whole about it, by Steiner's theorem.
static void angular_masses_are_about_the_point(void **state)
{
    (void)state;
    for (int far = 0; far < 2; ++far) {
        char text[1500];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies:\n"
                 "  - {name: s, hinge: {type: free}, mass: 100, inertia: [10, 60, 65, 0, 0, 0]}\n"
                 "  - {name: p, parent: s, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 25, "
                 "com: [0.5, 0, 0], inertia: [1, 1, 1, 0, 0, 0]}\n"
                 "forces:\n"
                 "  - {name: k, type: spring, hinge: p, stiffness: 4}\n"
                 "  - {name: c, type: damper, hinge: p, damping: 0.1}\n"
                 "initial: {s: {position: [%g, 2, 3]}}\n",
                 far ? 7e6 : 1.0);
        lb_loaded l = lb_begin_loaded(text, NULL);
        lb_linear_options options = lb_default_linear_options();
        const double c[3] = {(far ? 7e6 : 1.0) + 0.1, 2, 3};
        // inertia about the common centre: 100 kg and 25 kg, 0.5 m apart along x
        const double steiner = 100 * 0.1 * 0.1 + 25 * 0.4 * 0.4;
        const double J[3] = {11, 61 + steiner, 66 + steiner};
        static const double offsets[2][3] = {{0, 0, 0}, {1, -2, 0.5}};
        for (int k = 0; k < 2; ++k) {
            const double *o = offsets[k];
            for (int i = 0; i < 3; ++i) {
                options.about_point[i] = c[i] + o[i];
            }
            lb_modes *modes = compute(&l, &options);
            for (int i = 0; i < 3; ++i) {
                const double r2 = o[0] * o[0] + o[1] * o[1] + o[2] * o[2] - o[i] * o[i];
                // at 7e6 m a place is known to 1e-9 m
                const double share = far ? 1e-8 : 1e-12;
                lb_expect_near("inertia", modes->inertia[i], J[i] + 125 * r2, share);
                lb_expect_near("sum", modes->effective_sums[3 + i], J[i] + 125 * r2, share);
                lb_expect_near("mass", modes->effective_sums[i], 125, 1e-11);
            }
            lb_destroy_modes(modes);
        }
        options.about_point[1] = NAN;
        lb_modes *none;
        assert_int_equal(lb_compute_modes(l.simulation, &options, &none), LB_E_ARGUMENT);
        lb_end_loaded(&l);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_modes_share_their_mass),
        cmocka_unit_test(panels_share_the_masses_of_one),
        cmocka_unit_test(damping_in_proportion_changes_nothing),
        cmocka_unit_test(sums_do_not_depend_on_dampers),
        cmocka_unit_test(angular_masses_are_about_the_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
