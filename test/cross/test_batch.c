// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Many states at once against one at a time.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <limber/loops.h>
#include <limber/openmp.h>

#include "check.h"
#include "eight_lanes.h"
#include "model/layout.h"

enum { LB_MOST = 17 };

/// States of a model, and what a batch and single evaluations make of them.
typedef struct lb_many {
    const lb_model *model;
    lb_batch *work;
    lb_work *single;
    int count;
    size_t nq, nv;
    double *q, *v, *tau, *a;
    double *forward, *inverse, *mass;
} lb_many;

static lb_many lb_begin_many(const lb_model *model, int count, uint64_t seed)
{
    lb_many m = {.model = model, .count = count};
    m.nq = (size_t)lb_get_q_count(model);
    m.nv = (size_t)lb_get_v_count(model);
    m.work = lb_create_batch(model, NULL);
    m.single = lb_create_work(model);
    assert_non_null(m.work);
    assert_non_null(m.single);
    const size_t n = (size_t)count;
    m.q = lb_make_numbers(n * m.nq);
    double **const vectors[] = {&m.v, &m.tau, &m.a, &m.forward, &m.inverse};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = lb_make_numbers(n * m.nv);
    }
    m.mass = lb_make_numbers(n * m.nv * m.nv);
    // NaN: every entry must be written, zeros as well
    memset(m.mass, 0xff, n * m.nv * m.nv * sizeof(double));

    lb_random random;
    lb_seed_random(&random, seed);
    lb_draw_vector(&random, (int)(n * m.nv), 3.0, m.v);
    for (size_t s = 0; s < n; ++s) {
        // small modal coordinates, where flexible bodies hold
        for (int k = 0; k < lb_get_body_count(model); ++k) {
            for (int r = 0; r < lb_get_mode_count(model, k); ++r) {
                m.v[s * m.nv + (size_t)(lb_get_v_offset(model, k) + r)] *= 0.03;
            }
        }
        lb_get_neutral_configuration(model, m.q + s * m.nq);
        lb_integrate_configuration(model, m.q + s * m.nq, m.v + s * m.nv, m.q + s * m.nq);
    }
    lb_draw_vector(&random, (int)(n * m.nv), 1.0, m.v);
    lb_draw_vector(&random, (int)(n * m.nv), 1.0, m.tau);
    lb_draw_vector(&random, (int)(n * m.nv), 1.0, m.a);
    return m;
}

static void lb_end_many(lb_many *m)
{
    lb_destroy_batch(m->work);
    lb_destroy_work(m->single);
    double *const numbers[] = {m->q, m->v, m->tau, m->a, m->forward, m->inverse, m->mass};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        free(numbers[i]);
    }
}

/// The first `count` states in one batch.
static void lb_run_batch(lb_many *m, int count)
{
    lb_expect_ok(lb_compute_forward_dynamics_batch(m->model, m->work, count, m->q, m->v, m->tau,
                                                   m->forward));
    lb_expect_ok(
        lb_compute_inverse_dynamics_batch(m->model, m->work, count, m->q, m->v, m->a, m->inverse));
    lb_expect_ok(lb_compute_mass_matrix_batch(m->model, m->work, count, m->q, m->mass));
}

/// Answers of the batch against those of single evaluations.
///
/// @param tau, a  as given to the batch; either may be NULL
static void lb_expect_single(const lb_many *m, const double *tau, const double *a, double tolerance,
                             double forward_tolerance)
{
    double *x = lb_make_numbers(m->nv + m->nv * m->nv);
    for (size_t s = 0; s < (size_t)m->count; ++s) {
        const double *q = m->q + s * m->nq, *v = m->v + s * m->nv;
        lb_expect_ok(lb_compute_forward_dynamics(m->model, m->single, q, v,
                                                 tau ? tau + s * m->nv : NULL, x));
        lb_expect_close("forward", m->forward + s * m->nv, x, m->nv, forward_tolerance);
        lb_expect_ok(
            lb_compute_inverse_dynamics(m->model, m->single, q, v, a ? a + s * m->nv : NULL, x));
        lb_expect_close("inverse", m->inverse + s * m->nv, x, m->nv, tolerance);
        lb_expect_ok(lb_compute_mass_matrix(m->model, m->single, q, x));
        lb_expect_close("mass", m->mass + s * m->nv * m->nv, x, m->nv * m->nv, tolerance);
    }
    free(x);
}

// ---- the same answers --------------------------------------------------------------------------

/// The copies of the code that this machine can run; the one with eight lanes is always among them.
static int lb_list_copies(const lb_kernels *copies[4])
{
    const lb_instruction_set sets[] = {LB_INSTRUCTIONS_PORTABLE, LB_INSTRUCTIONS_AVX2,
                                       LB_INSTRUCTIONS_AVX512};
    int count = 0;
    copies[count++] = lb_get_eight_lanes();
    for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i) {
        const lb_kernels *kernels = lb_choose_kernels(sets[i]);
        if (kernels) {
            copies[count++] = kernels;
        }
    }
    return count;
}

/// All of them in turn.
static const lb_kernels *lb_pick_copy(int n)
{
    const lb_kernels *copies[4];
    const int count = lb_list_copies(copies);
    return copies[n % count];
}

// 1e-13: sums in another order and with other fused products, of terms not much larger than the
// answer; forward dynamics multiplies that by cond(M), about 1e3 on such trees.
static const double lb_close = 1e-13, lb_forward_close = 1e-11;

static void batches_of_random_trees_equal_single_evaluation(void **state)
{
    (void)state;
    for (int n = 0; n < 60; ++n) {
        const lb_tree_options options = lb_get_small_tree(n);
        lb_trial t = lb_begin_trial(&options, (uint64_t)n);
        t.model->kernels = lb_pick_copy(n);
        lb_many m = lb_begin_many(t.model, 1 + n % LB_MOST, t.seed);
        lb_run_batch(&m, m.count);
        lb_expect_single(&m, m.tau, m.a, lb_close, lb_forward_close);
        lb_end_many(&m);
        lb_end_trial(&t);
    }
}

static void every_hinge_type_goes_in_lanes(void **state)
{
    (void)state;
    for (int type = 0; type < LB_HINGE_TYPE_COUNT; ++type) {
        // as a root and inside a tree
        lb_tree_options options = lb_default_tree_options();
        options.hinges = LB_HINGE_BIT(type);
        options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE) | LB_HINGE_BIT(type);
        lb_trial t = lb_begin_trial(&options, 100 + (uint64_t)type);
        t.model->kernels = lb_pick_copy(type);
        lb_many m = lb_begin_many(t.model, LB_MOST, t.seed);
        lb_run_batch(&m, m.count);
        lb_expect_single(&m, m.tau, m.a, lb_close, lb_forward_close);
        lb_end_many(&m);
        lb_end_trial(&t);
    }
    for (int type = 0; type < LB_HINGE_TYPE_COUNT; ++type) {
        // and beside a revolute one on the same body
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 20;
        options.hinges = LB_HINGE_BIT(type) | LB_HINGE_BIT(LB_HINGE_REVOLUTE);
        lb_trial t = lb_begin_trial(&options, 200 + (uint64_t)type);
        t.model->kernels = lb_pick_copy(type + 1);
        lb_many m = lb_begin_many(t.model, LB_MOST, t.seed);
        lb_run_batch(&m, m.count);
        lb_expect_single(&m, m.tau, m.a, lb_close, lb_forward_close);
        lb_end_many(&m);
        lb_end_trial(&t);
    }
}

// A stack of discs on axes that are parallel but for a tilt, a heavy one at the ground and ever
// lighter ones above it: the frames of the sweep in lanes must not wander off along the axes.
static void axes_that_are_nearly_parallel_keep_their_digits(void **state)
{
    (void)state;
    const double tilts[] = {0.0, 1e-300, 1e-17, 1e-12, 1e-8, 1e-4, 0.1};
    for (size_t n = 0; n < sizeof tilts / sizeof tilts[0]; ++n) {
        lb_scene *scene = lb_create_revolute_chain(120);
        for (int k = 0; k < 120; ++k) {
            lb_scene_body *link = &scene->bodies[k];
            link->hinge.axis[0] = 1.0;
            link->hinge.axis[1] = k % 2 ? tilts[n] : 0.0;
            link->hinge.axis[2] = k % 3 ? 0.0 : tilts[n];
            link->mass = pow(0.5, k);
            for (int i = 0; i < 3; ++i) {
                link->inertia[i] *= link->mass;
            }
        }
        scene->bodies[0].hinge.axis[0] = 0.0; // and this one lies across
        scene->bodies[0].hinge.axis[2] = 1.0;
        lb_trial t = lb_begin_scene_trial(scene, 20 + n);
        t.model->kernels = lb_pick_copy((int)n);
        lb_many m = lb_begin_many(t.model, LB_MOST, t.seed);
        lb_run_batch(&m, m.count);
        for (size_t s = 0; s < LB_MOST; ++s) {
            double *x = lb_make_numbers(m.nv * m.nv);
            lb_expect_ok(lb_compute_mass_matrix(m.model, m.single, m.q + s * m.nq, x));
            // each entry on the scale of the two diagonal ones, which bounds it
            for (size_t i = 0; i < m.nv * m.nv; ++i) {
                const size_t row = i / m.nv, column = i % m.nv;
                const double scale = sqrt(x[row * (m.nv + 1)] * x[column * (m.nv + 1)]);
                const double off = fabs(m.mass[s * m.nv * m.nv + i] - x[i]);
                assert_true(off <= lb_close * scale);
            }
            free(x);
        }
        lb_end_many(&m);
        lb_end_trial(&t);
    }
}

static void absent_forces_and_accelerations_are_zero(void **state)
{
    (void)state;
    const lb_tree_options options = lb_default_tree_options();
    lb_trial t = lb_begin_trial(&options, 7);
    lb_many m = lb_begin_many(t.model, LB_MOST, t.seed);
    lb_run_batch(&m, m.count);
    lb_expect_ok(
        lb_compute_forward_dynamics_batch(m.model, m.work, m.count, m.q, m.v, NULL, m.forward));
    lb_expect_ok(
        lb_compute_inverse_dynamics_batch(m.model, m.work, m.count, m.q, m.v, NULL, m.inverse));
    lb_expect_single(&m, NULL, NULL, lb_close, lb_forward_close);
    lb_end_many(&m);
    lb_end_trial(&t);
}

static void flexible_models_have_the_bits_of_single_evaluation(void **state)
{
    (void)state;
    int rigid_count = 0;
    for (int n = 0; n < 10; ++n) {
        const lb_tree_options options = lb_get_flexible_tree(n);
        lb_trial t = lb_begin_trial(&options, (uint64_t)n);
        lb_many m = lb_begin_many(t.model, 1 + n % LB_MOST, t.seed);
        lb_run_batch(&m, m.count);
        // the draw may have left all bodies rigid: then it went in lanes
        const int rigid = t.model->flex_count == 0;
        rigid_count += rigid;
        lb_expect_single(&m, m.tau, m.a, rigid ? lb_close : 0.0, rigid ? lb_forward_close : 0.0);
        lb_end_many(&m);
        lb_end_trial(&t);
    }
    assert_true(rigid_count < 5);
}

// ---- the same bits -----------------------------------------------------------------------------

/// Answers of a batch, kept for comparison.
typedef struct lb_kept {
    double *forward, *inverse, *mass;
} lb_kept;

static double *lb_copy(const double *x, size_t count)
{
    double *copy = lb_make_numbers(count);
    memcpy(copy, x, count * sizeof *x);
    return copy;
}

static lb_kept lb_keep(const lb_many *m)
{
    const size_t n = (size_t)m->count;
    return (lb_kept){lb_copy(m->forward, n * m->nv), lb_copy(m->inverse, n * m->nv),
                     lb_copy(m->mass, n * m->nv * m->nv)};
}

static void lb_expect_bits(const lb_many *m, const lb_kept *kept, int count)
{
    const size_t n = (size_t)count * sizeof(double);
    assert_memory_equal(m->forward, kept->forward, n * m->nv);
    assert_memory_equal(m->inverse, kept->inverse, n * m->nv);
    assert_memory_equal(m->mass, kept->mass, n * m->nv * m->nv);
}

static void lb_clear(lb_many *m)
{
    const size_t n = (size_t)m->count * sizeof(double);
    memset(m->forward, 0, n * m->nv);
    memset(m->inverse, 0, n * m->nv);
    memset(m->mass, 0, n * m->nv * m->nv);
}

static void lb_end_kept(lb_kept *kept)
{
    free(kept->forward);
    free(kept->inverse);
    free(kept->mass);
}

static void a_state_does_not_depend_on_how_many_others_there_are(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 12;
    lb_trial t = lb_begin_trial(&options, 3);
    const lb_kernels *copies[4];
    const int copy_count = lb_list_copies(copies);
    for (int copy = 0; copy < copy_count; ++copy) {
        t.model->kernels = copies[copy];
        lb_many m = lb_begin_many(t.model, LB_MOST, t.seed);
        lb_run_batch(&m, LB_MOST);
        lb_kept kept = lb_keep(&m);
        for (int count = 0; count < LB_MOST; ++count) {
            lb_clear(&m);
            lb_run_batch(&m, count);
            lb_expect_bits(&m, &kept, count);
            // and nothing is written behind the last
            for (size_t i = (size_t)count * m.nv; i < LB_MOST * m.nv; ++i) {
                assert_true(m.forward[i] == 0 && m.inverse[i] == 0);
            }
        }
        lb_end_kept(&kept);
        lb_end_many(&m);
    }
    lb_end_trial(&t);
}

static void nor_on_its_place_among_them(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_revolute_chain(7), 6);
    const lb_kernels *copies[4];
    const int copy_count = lb_list_copies(copies);
    for (int copy = 0; copy < copy_count; ++copy) {
        t.model->kernels = copies[copy];
        lb_many m = lb_begin_many(t.model, LB_MOST, t.seed);
        lb_run_batch(&m, LB_MOST);
        for (size_t first = 1; first < LB_MOST; ++first) {
            double *a = lb_make_numbers(m.nv * LB_MOST);
            lb_expect_ok(lb_compute_forward_dynamics_batch(m.model, m.work, LB_MOST - (int)first,
                                                           m.q + first * m.nq, m.v + first * m.nv,
                                                           m.tau + first * m.nv, a));
            assert_memory_equal(a, m.forward + first * m.nv,
                                (LB_MOST - first) * m.nv * sizeof(double));
            free(a);
        }
        lb_end_many(&m);
    }
    lb_end_trial(&t);
}

// Compiled alike, without contraction, so that only the lanes differ.
static void eight_lanes_have_the_bits_of_four(void **state)
{
    (void)state;
    for (int n = 0; n < 20; ++n) {
        const lb_tree_options options = lb_get_small_tree(n);
        lb_trial t = lb_begin_trial(&options, 300 + (uint64_t)n);
        t.model->kernels = lb_choose_kernels(LB_INSTRUCTIONS_PORTABLE);
        assert_int_equal(t.model->kernels->batch->lane_count, 4);
        lb_many four = lb_begin_many(t.model, LB_MOST, t.seed);
        lb_run_batch(&four, LB_MOST);
        lb_kept kept = lb_keep(&four);
        lb_end_many(&four);
        t.model->kernels = lb_get_eight_lanes();
        assert_int_equal(t.model->kernels->batch->lane_count, 8);
        lb_many eight = lb_begin_many(t.model, LB_MOST, t.seed);
        lb_run_batch(&eight, LB_MOST);
        lb_expect_bits(&eight, &kept, LB_MOST);
        lb_end_kept(&kept);
        lb_end_many(&eight);
        lb_end_trial(&t);
    }
}

static void angles_of_any_size_keep_lanes_apart(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_revolute_chain(5), 4);
    lb_many m = lb_begin_many(t.model, 8, t.seed);
    lb_run_batch(&m, 8);
    lb_kept kept = lb_keep(&m);
    m.q[2 * m.nq + 1] = 3e7;
    lb_run_batch(&m, 8);
    lb_expect_single(&m, m.tau, m.a, lb_close, lb_forward_close);
    assert_memory_equal(m.forward, kept.forward, 2 * m.nv * sizeof(double));
    assert_memory_equal(m.forward + 3 * m.nv, kept.forward + 3 * m.nv, 5 * m.nv * sizeof(double));
    lb_end_kept(&kept);
    lb_end_many(&m);
    lb_end_trial(&t);
}

enum { LB_THREADS = 4, LB_STATES = 1861 };

typedef struct lb_piece {
    lb_many *m;
    size_t first;
    int count, wrong;
} lb_piece;

static void *lb_run_piece(void *argument)
{
    lb_piece *p = argument;
    const lb_many *m = p->m;
    const size_t s = p->first;
    lb_batch *work = lb_create_batch(m->model, NULL);
    p->wrong = work == NULL ||
               lb_compute_forward_dynamics_batch(m->model, work, p->count, m->q + s * m->nq,
                                                 m->v + s * m->nv, m->tau + s * m->nv,
                                                 m->forward + s * m->nv) != LB_OK ||
               lb_compute_inverse_dynamics_batch(m->model, work, p->count, m->q + s * m->nq,
                                                 m->v + s * m->nv, m->a + s * m->nv,
                                                 m->inverse + s * m->nv) != LB_OK ||
               lb_compute_mass_matrix_batch(m->model, work, p->count, m->q + s * m->nq,
                                            m->mass + s * m->nv * m->nv) != LB_OK;
    lb_destroy_batch(work);
    return NULL;
}

static void threads_with_pieces_of_a_batch_give_the_bits_of_one(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 9;
    lb_trial t = lb_begin_trial(&options, 5);
    lb_many m = lb_begin_many(t.model, LB_STATES, t.seed);
    lb_run_batch(&m, m.count);
    lb_kept kept = lb_keep(&m);
    lb_clear(&m);

    // pieces that are no multiples of eight
    static const int ends[LB_THREADS + 1] = {0, 1, 18, 37, LB_STATES};
    pthread_t threads[LB_THREADS];
    lb_piece pieces[LB_THREADS];
    for (int i = 0; i < LB_THREADS; ++i) {
        pieces[i] = (lb_piece){&m, (size_t)ends[i], ends[i + 1] - ends[i], 0};
        assert_int_equal(pthread_create(&threads[i], NULL, lb_run_piece, &pieces[i]), 0);
    }
    for (int i = 0; i < LB_THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(pieces[i].wrong, 0);
    }
    lb_expect_bits(&m, &kept, m.count);

    // and by OpenMP, where the library is built with it
    for (int count = 1; count <= LB_THREADS; ++count) {
        lb_batch_options batch_options = lb_default_batch_options();
        batch_options.team = lb_make_openmp_team(count);
        lb_batch *batch = lb_create_batch(m.model, &batch_options);
        assert_non_null(batch);
        lb_clear(&m);
        lb_batch *own = m.work;
        m.work = batch;
        lb_run_batch(&m, m.count);
        m.work = own;
        assert_int_equal(lb_count_batch_threads(m.model, batch, m.count),
                         batch_options.team.thread_count);
        assert_int_equal(lb_count_batch_threads(m.model, batch, 8), 1);
        lb_expect_bits(&m, &kept, m.count);
        lb_destroy_batch(batch);
    }
    lb_end_kept(&kept);
    lb_end_many(&m);
    lb_end_trial(&t);
}

// ---- what goes wrong ---------------------------------------------------------------------------

// A point mass on a slider on a massless turntable: singular where the mass is on the axis.
static lb_model *lb_build_turntable(void)
{
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_body_options body = lb_default_body_options();
    body.name = "table";
    body.hinge.type = LB_HINGE_REVOLUTE;
    body.hinge.axis[2] = 1.0;
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    body = lb_default_body_options();
    body.name = "slider";
    body.parent = "table";
    body.hinge.type = LB_HINGE_PRISMATIC;
    body.hinge.axis[0] = 1.0;
    body.mass = 2.0;
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    return model;
}

static void a_singular_state_is_named_and_leaves_the_others_alone(void **state)
{
    (void)state;
    lb_model *model = lb_build_turntable();
    lb_many m = lb_begin_many(model, 7, 1);
    lb_run_batch(&m, 7);
    lb_kept kept = lb_keep(&m);
    m.q[5 * m.nq + 1] = 0.0;
    m.q[6 * m.nq + 1] = 0.0;
    assert_int_equal(
        lb_compute_forward_dynamics_batch(model, m.work, 7, m.q, m.v, m.tau, m.forward),
        LB_E_SINGULAR);
    int index = -1, body = -1, offset = -1;
    lb_get_batch_bad_inertia(m.work, &index, &body, &offset);
    assert_int_equal(index, 5);
    assert_int_equal(body, 0);
    assert_int_equal(offset, 0);
    assert_memory_equal(m.forward, kept.forward, 5 * m.nv * sizeof(double));
    for (size_t i = 5 * m.nv; i < 7 * m.nv; ++i) {
        assert_true(m.forward[i] != m.forward[i]);
    }

    lb_end_kept(&kept);
    lb_end_many(&m);
    lb_destroy_model(model);
}

// Whatever threads there are, a state counts from the start of the batch.
static void trouble_is_found_across_threads(void **state)
{
    (void)state;
    enum { COUNT = 6000, SINGULAR = 5000, BAD = 5500 };
    lb_model *model = lb_build_turntable();
    lb_many m = lb_begin_many(model, COUNT, 1);
    lb_batch_options options = lb_default_batch_options();
    options.team = lb_make_openmp_team(3);
    lb_batch *batch = lb_create_batch(model, &options);
    int index = -1, body = -1, offset = -1;
    m.q[SINGULAR * m.nq + 1] = 0.0;
    assert_int_equal(
        lb_compute_forward_dynamics_batch(model, batch, COUNT, m.q, m.v, m.tau, m.forward),
        LB_E_SINGULAR);
    lb_get_batch_bad_inertia(batch, &index, &body, &offset);
    assert_int_equal(index, SINGULAR);
    m.v[BAD * m.nv] = NAN;
    assert_int_equal(
        lb_compute_forward_dynamics_batch(model, batch, COUNT, m.q, m.v, m.tau, m.forward),
        LB_E_NUMBER);
    assert_string_equal(lb_get_batch_bad_number(batch, &index, &offset), "v");
    assert_int_equal(index, BAD);
    assert_int_equal(offset, 0);
    lb_destroy_batch(batch);
    lb_end_many(&m);
    lb_destroy_model(model);
}

// Loops, locks and drives of a batch: the bits of single evaluations, on any number of threads.
static void loops_locks_and_drives_act_in_batches(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    lb_trial t = lb_begin_scene_trial(lb_create_four_bars(2, LB_LOOP_SPHERICAL, 1), 3);
    const size_t nq = (size_t)t.q_count, nv = (size_t)t.v_count;
    lb_many m = lb_begin_many(t.model, COUNT, t.seed);
    double *a = lb_make_numbers(COUNT * nv), *one = lb_make_numbers(nv);
    for (int what = 0; what < 4; ++what) {
        // loops; a lock as well; a drive as well; the tree
        lb_expect_ok(lb_set_hinge_locked(t.model, t.work, 1, what == 1));
        lb_expect_ok(lb_set_hinge_driven(t.model, t.work, 0, what == 2));
        lb_use_tree(t.work, what == 3);
        for (int threads = 1; threads <= 3; ++threads) {
            lb_batch_options options = lb_default_batch_options();
            options.team = lb_make_openmp_team(threads);
            lb_batch *batch = lb_create_batch(t.model, &options);
            lb_set_batch_like(t.model, batch, t.work);
            memcpy(a, m.a, COUNT * nv * sizeof *a);
            lb_expect_ok(
                lb_compute_forward_dynamics_batch(t.model, batch, COUNT, m.q, m.v, m.tau, a));
            for (size_t s = 0; s < COUNT; ++s) {
                memcpy(one, m.a + s * nv, nv * sizeof *one);
                lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, m.q + s * nq,
                                                         m.v + s * nv, m.tau + s * nv, one));
                if (what < 3) {
                    assert_memory_equal(a + s * nv, one, nv * sizeof *one);
                } else {
                    lb_expect_close("the tree", a + s * nv, one, (int)nv, 1e-10);
                }
            }
            assert_int_equal(
                lb_compute_inverse_dynamics_batch(t.model, batch, COUNT, m.q, m.v, m.a, a),
                what < 3 ? LB_E_LOOPS : LB_OK);
            lb_destroy_batch(batch);
        }
    }
    free(a);
    free(one);
    lb_end_many(&m);
    lb_end_trial(&t);
}

// A machine that asks another batch, and fails in one state.
typedef struct other_machine {
    lb_batch *batch;
    int calls, bad;
} other_machine;

static lb_status forward_elsewhere(void *user, const lb_model *model, int count, const double *q,
                                   const double *v, const double *tau, double *a, int *state)
{
    other_machine *m = user;
    ++m->calls;
    *state = m->bad;
    const lb_status status =
        lb_compute_forward_dynamics_batch(model, m->batch, count, q, v, tau, a);
    return m->bad < 0 ? status : LB_E_SINGULAR;
}

static lb_status inverse_elsewhere(void *user, const lb_model *model, int count, const double *q,
                                   const double *v, const double *a, double *tau, int *state)
{
    other_machine *m = user;
    ++m->calls;
    *state = -1;
    return lb_compute_inverse_dynamics_batch(model, m->batch, count, q, v, a, tau);
}

static lb_status mass_elsewhere(void *user, const lb_model *model, int count, const double *q,
                                double *M, int *state)
{
    other_machine *m = user;
    ++m->calls;
    *state = -1;
    return lb_compute_mass_matrix_batch(model, m->batch, count, q, M);
}

static void another_machine_answers_the_same_calls(void **state)
{
    (void)state;
    enum { COUNT = 30, BAD = 17 };
    lb_trial t = lb_begin_scene_trial(lb_create_revolute_chain(7), 5);
    lb_many m = lb_begin_many(t.model, COUNT, t.seed);
    other_machine other = {lb_create_batch(t.model, NULL), 0, -1};
    lb_batch_options options = lb_default_batch_options();
    options.machine.user = &other;
    options.machine.forward_dynamics = forward_elsewhere;
    assert_null(lb_create_batch(t.model, &options)); // a machine computes all three
    options.machine.inverse_dynamics = inverse_elsewhere;
    options.machine.mass_matrix = mass_elsewhere;
    lb_batch *batch = lb_create_batch(t.model, &options);
    const size_t nv = (size_t)m.nv, all = COUNT * nv;
    double *one = lb_make_numbers(all * nv), *two = lb_make_numbers(all * nv);
    lb_expect_ok(lb_compute_forward_dynamics_batch(t.model, batch, COUNT, m.q, m.v, m.tau, one));
    lb_expect_ok(
        lb_compute_forward_dynamics_batch(t.model, other.batch, COUNT, m.q, m.v, m.tau, two));
    assert_memory_equal(one, two, all * sizeof *one);
    lb_expect_ok(lb_compute_inverse_dynamics_batch(t.model, batch, COUNT, m.q, m.v, m.a, one));
    lb_expect_ok(
        lb_compute_inverse_dynamics_batch(t.model, other.batch, COUNT, m.q, m.v, m.a, two));
    assert_memory_equal(one, two, all * sizeof *one);
    lb_expect_ok(lb_compute_mass_matrix_batch(t.model, batch, COUNT, m.q, one));
    lb_expect_ok(lb_compute_mass_matrix_batch(t.model, other.batch, COUNT, m.q, two));
    assert_memory_equal(one, two, all * nv * sizeof *one);
    assert_int_equal(other.calls, 3);
    assert_int_equal(lb_set_batch_like(t.model, batch, t.work), LB_E_UNSUPPORTED);

    // what fails there is named here
    int index, entry, offset;
    other.bad = BAD;
    assert_int_equal(lb_compute_forward_dynamics_batch(t.model, batch, COUNT, m.q, m.v, m.tau, one),
                     LB_E_SINGULAR);
    lb_get_batch_bad_inertia(batch, &index, &entry, &offset);
    assert_int_equal(index, BAD);
    assert_true(isnan(one[BAD * nv]) && !isnan(one[(BAD + 1) * nv]));
    m.v[3 * nv + 1] = INFINITY;
    other.bad = -1;
    assert_int_equal(lb_compute_forward_dynamics_batch(t.model, batch, COUNT, m.q, m.v, m.tau, one),
                     LB_E_NUMBER);
    assert_string_equal(lb_get_batch_bad_number(batch, &index, &entry), "v");
    assert_int_equal(index, 3);
    assert_int_equal(entry, 1);

    free(one);
    free(two);
    lb_destroy_batch(batch);
    lb_destroy_batch(other.batch);
    lb_end_many(&m);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_of_random_trees_equal_single_evaluation),
        cmocka_unit_test(every_hinge_type_goes_in_lanes),
        cmocka_unit_test(axes_that_are_nearly_parallel_keep_their_digits),
        cmocka_unit_test(absent_forces_and_accelerations_are_zero),
        cmocka_unit_test(flexible_models_have_the_bits_of_single_evaluation),
        cmocka_unit_test(a_state_does_not_depend_on_how_many_others_there_are),
        cmocka_unit_test(nor_on_its_place_among_them),
        cmocka_unit_test(eight_lanes_have_the_bits_of_four),
        cmocka_unit_test(angles_of_any_size_keep_lanes_apart),
        cmocka_unit_test(threads_with_pieces_of_a_batch_give_the_bits_of_one),
        cmocka_unit_test(a_singular_state_is_named_and_leaves_the_others_alone),
        cmocka_unit_test(trouble_is_found_across_threads),
        cmocka_unit_test(loops_locks_and_drives_act_in_batches),
        cmocka_unit_test(another_machine_answers_the_same_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
