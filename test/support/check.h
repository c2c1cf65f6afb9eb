// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests share: comparing arrays, and a random tree with its model, workspace and state.
// Every random test prints its seed; LB_SEED in the environment gives another.
#ifndef LB_TEST_CHECK_H
#define LB_TEST_CHECK_H

// cmocka wants these four before it
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program.h"
#include "scenes.h"

/// max |x - reference| / max |reference|; the plain maximum where the reference is zero.
double lb_get_gap(const double *x, const double *reference, size_t count);

/// Fails the test if the gap exceeds the tolerance (or is NaN), saying what, where and how much.
#define lb_expect_close(what, x, reference, count, tolerance)                                      \
    lb_expect_close_at(what, x, reference, (size_t)(count), tolerance, __FILE__, __LINE__)
void lb_expect_close_at(const char *what, const double *x, const double *reference, size_t count,
                        double tolerance, const char *file, int line);

/// The same with an absolute bound, for references that may be zero up to round-off.
#define lb_expect_within(what, x, reference, count, bound)                                         \
    lb_expect_within_at(what, x, reference, (size_t)(count), bound, __FILE__, __LINE__)
void lb_expect_within_at(const char *what, const double *x, const double *reference, size_t count,
                         double bound, const char *file, int line);

/// lb_expect_close for one number.
#define lb_expect_near(what, x, reference, tolerance)                                              \
    lb_expect_near_at(what, x, reference, tolerance, __FILE__, __LINE__)
void lb_expect_near_at(const char *what, double x, double reference, double tolerance,
                       const char *file, int line);

/// Fails the test unless |x| is at most `bound`.
#define lb_expect_below(what, x, bound) lb_expect_below_at(what, x, bound, __FILE__, __LINE__)
void lb_expect_below_at(const char *what, double x, double bound, const char *file, int line);

#define lb_expect_ok(call) assert_int_equal(call, LB_OK)

/// Zeroed array of numbers; ends the test if memory is out.
double *lb_make_numbers(size_t count);

/// y += s x, x* y, and the largest |x|.
void lb_add_vector(int n, double s, const double *x, double *y);
double lb_multiply_vectors(int n, const double *x, const double *y);
double lb_get_largest(int n, const double *x);

/// LB_SEED, or 1.
uint64_t lb_get_base_seed(void);

/// Everything that a random test starts from. All is freed by lb_end_trial.
typedef struct lb_trial {
    uint64_t seed;
    lb_scene *scene;
    lb_model *model;
    lb_work *work;
    lb_derivative_work *derivatives; ///< NULL of models with more than 1000 speeds
    lb_random random;                ///< for more of the same seed
    int body_count, q_count, v_count;
    double *q, *v;
    double *a, *tau; ///< random, unrelated
} lb_trial;

/// A random tree in a random state. The seed also depends on LB_SEED.
lb_trial lb_begin_trial(const lb_tree_options *options, uint64_t number);

/// A trial of a scene, which it then owns.
lb_trial lb_begin_scene_trial(lb_scene *scene, uint64_t seed);

void lb_end_trial(lb_trial *trial);

/// Options of the n-th small random tree: 1 to 9 bodies, all shapes, one to three roots.
lb_tree_options lb_get_small_tree(int n);

/// The same with flexible bodies among them: 1 to 5 modes, some with hinges at deforming nodes, with
/// rotary inertia and with second-order displacements.
lb_tree_options lb_get_flexible_tree(int n);

/// Rigid and flexible small trees in turn.
lb_tree_options lb_get_mixed_tree(int n);

/// The n-th of those with random loops of every type, none of which its state satisfies, and room for
/// spare ones; with `consistent`, no body of another fidelity.
lb_trial lb_begin_loop_trial(int n, int loops, int spare, int consistent);

#endif // LB_TEST_CHECK_H
