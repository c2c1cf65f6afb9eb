// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops that meet at a body: with hubs taken out, against dense matrices and against the factors without
// hubs. Hubs are asked for where loops are few, too.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dense_loops.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_plan.h"
#include "dynamics/loops/loop_products.h"
#include "dynamics/loops/loop_report.h"
#include "dynamics/loops/loop_work.h"

// The same trial with hubs chosen in another way.
static void plan(lb_trial *t, lb_hub_choice choice)
{
    lb_arena scratch;
    lb_destroy_work(t->work);
    scratch = lb_make_arena(&t->model->arena.allocator);
    lb_expect_ok(lb_build_loop_pattern(t->model, &scratch, choice));
    lb_arena_free(&scratch);
    t->work = lb_create_work(t->model);
    assert_non_null(t->work);
}

static int count_hubs(const lb_model *model)
{
    int count = 0;
    for (int k = 0; k < model->body_count; ++k) {
        count += model->pattern && model->pattern->hub[k] >= 0;
    }
    return count;
}

// Ends three of four loops on one root, the payload or the base of everything. Of the rest, as drawn.
static void gather_loops(lb_scene *scene, lb_random *random)
{
    int root = 0;
    while (scene->bodies[root].parent != LB_GROUND) {
        ++root;
    }
    const lb_scene_flex *flex = scene->bodies[root].flex;
    const int nodes = flex ? flex->options.node_count + 1 : LB_SCENE_NODE_COUNT;
    for (int l = 0; l < scene->loop_count; ++l) {
        lb_scene_loop *loop = &scene->loops[l];
        if (loop->type != LB_LOOP_COUPLER && loop->body[0] != root && lb_draw_index(random, 4)) {
            loop->body[1] = root;
            loop->node[1] = lb_draw_index(random, nodes);
        }
    }
}

static lb_trial begin(int i, int loops, int spare)
{
    lb_tree_options options = lb_get_mixed_tree(i);
    options.mixed_fidelity = 1;
    options.body_count = 3 + i % 7;
    options.root_count = 1 + i % 3;
    const uint64_t seed = lb_get_base_seed() * 1000003u + 7919u * (uint64_t)i;
    lb_scene *scene = lb_create_tree(&options, seed);
    lb_random random;
    lb_seed_random(&random, seed + 77);
    lb_draw_loops(scene, &random, loops);
    gather_loops(scene, &random);
    scene->spare_count = spare;
    lb_trial t = lb_begin_scene_trial(scene, seed);
    // loops see ruthless bodies undeformed, the motion of nodes does not: none of it here
    for (int k = 0; k < t.body_count; ++k) {
        const lb_scene_body *b = &scene->bodies[k];
        if (b->flex && b->flex->options.fidelity == LB_FIDELITY_RUTHLESS) {
            memset(t.q + b->q_offset, 0, (size_t)b->flex->options.mode_count * sizeof *t.q);
        }
    }
    return t;
}

// Loops 0 .. count - 1 once more.
static void repeat_loops(lb_trial *t, int count)
{
    lb_scene *scene = t->scene;
    lb_destroy_work(t->work);
    lb_destroy_model(t->model);
    const size_t size = (size_t)(scene->loop_count + count);
    scene->loops = realloc(scene->loops, size * sizeof *scene->loops);
    assert_non_null(scene->loops);
    for (int l = 0; l < count; ++l) {
        scene->loops[scene->loop_count++] = scene->loops[l];
    }
    t->model = lb_build_scene(scene);
    t->work = lb_create_work(t->model);
    assert_non_null(t->work);
}

// ---- dense -------------------------------------------------------------------------------------

static const unsigned char all[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

// Whether it was judged: not where rank is a matter of taste.
static int compare(lb_trial *t, const unsigned char *held)
{
    int loop;
    assert_true(lb_factor_loops(t->model, t->work, t->q, held) >= LB_OK);
    return lb_get_loop_pivot(t->model, t->work, &loop) > 1e-8 &&
           lb_compare_with_dense_loops(t, held, all);
}

static void loops_that_meet_agree_with_dense_matrices(void **state)
{
    (void)state;
    int judged[2] = {0}, used[2] = {0};
    for (int i = 0; i < 200; ++i) {
        lb_trial t = begin(i, 2 + i % 5, 0);
        for (int always = 0; always < 2; ++always) {
            plan(&t, always ? LB_HUBS_ALWAYS : LB_HUBS_BY_COST);
            used[always] += count_hubs(t.model) > 0;
            judged[always] += compare(&t, NULL);
        }
        lb_end_trial(&t);
    }
    print_message("%d and %d of 200 with hubs, %d judged\n", used[0], used[1], judged[1]);
    assert_true(judged[0] > 100 && judged[1] > 100);
    assert_true(used[0] > 40 && used[1] > 150);
}

static void repeated_loops_at_hubs_share_their_forces(void **state)
{
    (void)state;
    int judged = 0;
    for (int i = 0; i < 100; ++i) {
        lb_trial t = begin(i, 1 + i % 3, 0);
        if (t.scene->loop_count > 0) {
            repeat_loops(&t, t.scene->loop_count);
            repeat_loops(&t, 1);
            plan(&t, i % 4 ? LB_HUBS_ALWAYS : LB_HUBS_BY_COST);
            judged += compare(&t, NULL);
        }
        lb_end_trial(&t);
    }
    print_message("%d of 100 judged\n", judged);
    assert_true(judged > 50);
}

// Any hinges driven, that of the hub among them: then it does not give way.
static void driven_hinges_and_hubs_agree_with_dense_matrices(void **state)
{
    (void)state;
    int judged = 0;
    for (int i = 0; i < 200; ++i) {
        lb_trial t = begin(i, 2 + i % 5, 0);
        plan(&t, LB_HUBS_ALWAYS);
        unsigned char held[10] = {0};
        for (int k = 0; k < t.body_count; ++k) {
            held[k] = (unsigned char)(lb_draw_index(&t.random, 3) == 0);
            if (t.model->pattern && t.model->pattern->hub[t.model->infos[k].sweep] >= 0) {
                held[k] = (unsigned char)(i % 2);
            }
        }
        judged += compare(&t, held);
        lb_end_trial(&t);
    }
    print_message("%d of 200 judged\n", judged);
    assert_true(judged > 80);
}

// A platform on legs that have three dofs each: loops of up to six rows are short of rank on every leg.
static void legs_short_of_dofs_agree_with_dense_matrices(void **state)
{
    (void)state;
    int judged = 0;
    for (int i = 0; i < 2 * LB_LOOP_TYPE_COUNT; ++i) {
        if (i / 2 == LB_LOOP_COUPLER) {
            continue;
        }
        lb_trial t =
            lb_begin_scene_trial(lb_create_platform(4 + i % 3, (lb_loop_type)(i / 2)), (uint64_t)i);
        t.scene->loops[1].body[0] = i % 2 ? LB_GROUND : 3; // the platform on the ground itself
        t.scene->loops[1].node[0] = 0;
        for (int l = 0; l < t.scene->loop_count; ++l) {
            t.scene->loops[l].length = 1.0;
        }
        repeat_loops(&t, i % 2);
        assert_true(count_hubs(t.model) > 0);
        judged += compare(&t, NULL);
        lb_end_trial(&t);
    }
    assert_true(judged >= 2 * LB_LOOP_TYPE_COUNT - 4);
}

// ---- with and without --------------------------------------------------------------------------

typedef struct outcome {
    int rows, rank, redundant, news;
    double conflict, pivot;
    double *a, *forces, *dv, *impulse, *v;
    double loss;
} outcome;

static outcome evaluate(lb_trial *t)
{
    const size_t n = (size_t)t->v_count, six = 6 * (size_t)lb_get_loop_capacity(t->model);
    outcome o = {.a = lb_make_numbers(n),
                 .forces = lb_make_numbers(six + 1),
                 .dv = lb_make_numbers(n),
                 .impulse = lb_make_numbers(six + 1),
                 .v = lb_make_numbers(n)};
    double *r = lb_make_numbers(six + 1);
    int *redundant = calloc(six / 6 + 1, sizeof *redundant), loop;
    memcpy(o.v, t->v, n * sizeof *o.v);
    memcpy(o.a, t->a, n * sizeof *o.a);
    o.news = lb_closed_forward(t->model, t->work, t->q, t->v, NULL, t->tau, o.a, NULL, o.forces);
    assert_true(o.news >= LB_OK);
    o.conflict = lb_get_loop_conflict(t->model, t->work, &loop);
    o.pivot = lb_get_loop_pivot(t->model, t->work, &loop);
    assert_true(lb_factor_loops(t->model, t->work, t->q, NULL) >= LB_OK);
    o.pivot = fmin(o.pivot, lb_get_loop_pivot(t->model, t->work, &loop));
    lb_expect_ok(lb_get_loop_rank(t->model, t->work, &o.rows, &o.rank, redundant));
    for (size_t l = 0; l < six / 6; ++l) {
        o.redundant += redundant[l];
        // what is said of a loop is said of as many rows as it is short of
        double projector[36], trace = 0.0;
        unsigned char repeats[64];
        lb_expect_ok(lb_get_redundant_rows(t->model, t->work, (int)l, projector, repeats));
        for (int i = 0; i < 6; ++i) {
            trace += projector[7 * i];
        }
        lb_loop_ends ends = {.size = sizeof ends};
        lb_get_loop_ends(t->model, t->work, (int)l, &ends);
        // a coupler has no axes, a rod whose ends coincide no direction
        if (ends.type != LB_LOOP_COUPLER && ends.type != LB_LOOP_ROD) {
            lb_expect_near("redundant rows", trace + 1.0, redundant[l] + 1.0, 1e-9);
        }
        assert_int_equal(repeats[l], 0);
    }
    // a right side that can be met: the motion of the nodes for some speeds
    lb_expect_ok(lb_apply_loop_jacobian(t->model, t->work, t->v, r));
    lb_expect_ok(lb_solve_loops(t->model, t->work, r, o.dv, o.impulse));
    assert_true(lb_compute_impulse(t->model, t->work, t->q, o.v, NULL, NULL, &o.loss) >= LB_OK);
    free(r);
    free(redundant);
    return o;
}

static void forget(outcome *o)
{
    free(o->a);
    free(o->forces);
    free(o->dv);
    free(o->impulse);
    free(o->v);
}

// What a workspace was told, for another plan of the same model.
static void plan_again(lb_trial *t, lb_hub_choice choice)
{
    enum { MOST = 64 };
    const int count = lb_get_loop_count(t->model), slots = lb_get_loop_capacity(t->model);
    unsigned char active[MOST], locked[MOST];
    lb_loop_ends ends[MOST];
    assert_true(slots <= MOST && t->body_count <= MOST);
    for (int l = 0; l < slots; ++l) {
        active[l] = (unsigned char)lb_is_loop_active(t->work, l);
        ends[l].size = sizeof ends[l];
        lb_expect_ok(lb_get_loop_ends(t->model, t->work, l, &ends[l]));
    }
    for (int k = 0; k < t->body_count; ++k) {
        locked[k] = (unsigned char)lb_is_hinge_locked(t->model, t->work, k);
    }
    plan(t, choice);
    for (int l = 0; l < slots; ++l) {
        if (l < count) {
            if (ends[l].type != LB_LOOP_COUPLER) {
                lb_expect_ok(lb_alter_loop(t->model, t->work, l, &ends[l]));
            }
            lb_expect_ok(lb_set_loop_active(t->model, t->work, l, active[l]));
        } else if (active[l]) {
            lb_expect_ok(lb_make_loop(t->model, t->work, l, &ends[l], NULL));
        }
    }
    for (int k = 0; k < t->body_count; ++k) {
        lb_expect_ok(lb_set_hinge_locked(t->model, t->work, k, locked[k]));
    }
}

// All that there is to know with hubs, against the same without; not where rank is a matter of taste.
// Returns whether it was.
static int expect_same(lb_trial *t, int forces)
{
    const int n = t->v_count, six = 6 * lb_get_loop_capacity(t->model);
    outcome with = evaluate(t);
    plan_again(t, LB_HUBS_NEVER);
    outcome without = evaluate(t);
    const double pivot = fmin(with.pivot, without.pivot);
    const int judged = pivot > 1e-8;
    if (judged) {
        // round-off of both roads times the condition of Lambda
        const double off = 1e-9 + 1e-13 / pivot;
        assert_int_equal(with.news, without.news);
        assert_int_equal(with.rows, without.rows);
        assert_int_equal(with.rank, without.rank);
        assert_int_equal(with.redundant, without.redundant);
        lb_expect_within("accelerations", with.a, without.a, n,
                         off * (1 + lb_get_largest(n, without.a)));
        lb_expect_within("change of speeds", with.dv, without.dv, n,
                         off * (1 + lb_get_largest(n, without.dv)));
        lb_expect_within("speeds after an impulse", with.v, without.v, n,
                         off * (1 + lb_get_largest(n, without.v)));
        lb_expect_below("loss", with.loss - without.loss, off * (1 + fabs(without.loss)));
        lb_expect_within("forces", with.forces, without.forces, forces ? six : 0,
                         100 * off * (1 + lb_get_largest(six, without.forces)));
        lb_expect_within("impulses", with.impulse, without.impulse, forces ? six : 0,
                         100 * off * (1 + lb_get_largest(six, without.impulse)));
        // contradictions are named by what several loops share, or each its own: the same order
        assert_true((with.conflict > 1e-6) == (without.conflict > 1e-6));
    }
    forget(&with);
    forget(&without);
    return judged;
}

static void hubs_change_nothing(void **state)
{
    (void)state;
    int used = 0, judged = 0;
    for (int i = 0; i < 200; ++i) {
        lb_trial t = begin(i, 2 + i % 6, 0);
        if (lb_get_loop_count(t.model) > 0) {
            plan(&t, LB_HUBS_ALWAYS);
            used += count_hubs(t.model) > 0;
            judged += expect_same(&t, 1);
        }
        lb_end_trial(&t);
    }
    assert_true(used > 150 && judged > 150);
}

// Loops released, hinges locked and let go, that of a hub among them: as without hubs.
static void loops_and_locks_change_with_hubs(void **state)
{
    (void)state;
    int judged = 0;
    for (int i = 0; i < 100; ++i) {
        lb_trial t = begin(i, 3 + i % 5, 0);
        for (int turn = 0; turn < 3 && lb_get_loop_count(t.model) > 0; ++turn) {
            plan(&t, LB_HUBS_ALWAYS);
            for (int l = 0; l < lb_get_loop_count(t.model); ++l) {
                const int active = lb_draw_index(&t.random, 3) > 0;
                lb_expect_ok(lb_set_loop_active(t.model, t.work, l, active));
            }
            for (int k = 0; k < t.body_count; ++k) {
                const int locked = lb_draw_index(&t.random, 4) == 0;
                lb_expect_ok(lb_set_hinge_locked(t.model, t.work, k, locked));
            }
            judged += expect_same(&t, 1);
        }
        lb_end_trial(&t);
    }
    assert_true(judged > 200);
}

// Loops made at run time between anything: the last ones, behind all hubs.
static void spare_loops_join_what_hubs_hold(void **state)
{
    (void)state;
    int compared = 0;
    for (int i = 0; i < 150; ++i) {
        lb_trial t = begin(i, 2 + i % 4, 3);
        plan(&t, LB_HUBS_ALWAYS);
        int made = 0;
        for (int l = 0; l < lb_get_loop_count(t.model) && made < 3; ++l) {
            const lb_scene_loop *loop = &t.scene->loops[l];
            if (loop->type == LB_LOOP_COUPLER) {
                continue;
            }
            // where a loop is already, or from its one end to another body's frame
            lb_loop_ends ends = {.size = sizeof ends,
                                 .body_a = loop->body[0],
                                 .node_a = loop->node[0],
                                 .body_b = loop->body[1],
                                 .node_b = loop->node[1],
                                 .type = loop->type,
                                 .length = 1.0};
            memcpy(ends.axis, loop->axis, sizeof ends.axis);
            if (i % 3) {
                ends.body_b = lb_draw_index(&t.random, t.body_count + 1) - 1;
                ends.node_b = 0;
                ends.type = (lb_loop_type)(i % 7);
            }
            made += lb_make_loop(t.model, t.work, -1, &ends, NULL) == LB_OK;
        }
        compared += made && expect_same(&t, 1);
        lb_end_trial(&t);
    }
    print_message("%d of 150 compared\n", compared);
    assert_true(compared > 100);
}

// Loops are led along their leg, to the hub itself and to the ground; other legs are out of reach.
static void loops_are_altered_around_hubs(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_platform(6, LB_LOOP_SPHERICAL), 10);
    assert_int_equal(count_hubs(t.model), 1);
    lb_loop_ends ends = {.size = sizeof ends};
    lb_get_loop_ends(t.model, t.work, 0, &ends); // body 2 is the upper half of the first leg
    assert_int_equal(ends.body_a, 2);
    ends.body_a = 1;
    ends.type = LB_LOOP_WELD;
    lb_expect_ok(lb_alter_loop(t.model, t.work, 0, &ends));
    lb_get_loop_ends(t.model, t.work, 1, &ends);
    ends.body_a = LB_GROUND;
    lb_expect_ok(lb_alter_loop(t.model, t.work, 1, &ends));
    lb_get_loop_ends(t.model, t.work, 2, &ends);
    ends.body_a = 0;
    ends.body_b = LB_GROUND;
    lb_expect_ok(lb_alter_loop(t.model, t.work, 2, &ends));
    ends.body_a = 9;
    assert_int_equal(lb_alter_loop(t.model, t.work, 2, &ends), LB_E_CAPACITY);
    assert_true(expect_same(&t, 1));
    lb_end_trial(&t);
}

// Derivatives go by the factors of the dynamics: forces of redundant loops among them.
static void derivatives_do_not_depend_on_hubs(void **state)
{
    (void)state;
    int judged = 0;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = begin(i, 2 + i % 5, 0);
        const size_t n = (size_t)t.v_count, six = 6 * (size_t)lb_get_loop_capacity(t.model);
        double *x[2][3], *a = lb_make_numbers(n), pivot = 1.0, conflict = 0.0;
        for (int plain = 0; plain < 2; ++plain) {
            x[plain][0] = lb_make_numbers(n * n);
            x[plain][1] = lb_make_numbers(n * n);
            x[plain][2] = lb_make_numbers(six * n + 1);
            const lb_constrained_derivatives out = {.size = sizeof out,
                                                    .a_dq = x[plain][0],
                                                    .a_dv = x[plain][1],
                                                    .forces_dq = x[plain][2]};
            int loop;
            plan(&t, plain ? LB_HUBS_NEVER : LB_HUBS_ALWAYS);
            assert_true(lb_closed_derivatives(t.model, t.work, t.derivatives, t.q, t.v, NULL, t.tau,
                                              a, NULL, NULL, &out) >= LB_OK);
            pivot = fmin(pivot, lb_get_loop_pivot(t.model, t.work, &loop));
            conflict = fmax(conflict, lb_get_loop_conflict(t.model, t.work, &loop));
        }
        // contradicting constraints have no derivatives to speak of
        if (pivot > 1e-6 && conflict < 1e-9) {
            ++judged;
            for (int kind = 0; kind < 3; ++kind) {
                const int count = (int)(kind < 2 ? n * n : six * n);
                // 1e-7: differences of the sixth order in models with ruthless bodies, conditions
                lb_expect_within("derivatives", x[0][kind], x[1][kind], count,
                                 1e-7 * (1 + lb_get_largest(count, x[1][kind])));
            }
        }
        for (int k = 0; k < 6; ++k) {
            free(x[k / 3][k % 3]);
        }
        free(a);
        lb_end_trial(&t);
    }
    print_message("%d of 60 judged\n", judged);
    assert_true(judged > 10);
}

// ---- hard ones ---------------------------------------------------------------------------------

// The legs of a platform of this many times the mass.
static void weigh_legs(lb_scene *scene, double factor)
{
    for (int k = 1; k < scene->body_count; ++k) {
        scene->bodies[k].mass *= factor;
        for (int i = 0; i < 6; ++i) {
            scene->bodies[k].inertia[i] *= factor;
        }
    }
}

// Legs far heavier than what they hold hardly give way while it stands still, and then not at all:
// Lambda_0 goes to zero, Lambda does not.
static void heavy_legs_cost_no_digits(void **state)
{
    (void)state;
    for (int n = 1; n < 4; n += 2) {
        for (int e = -12; e <= 16; ++e) {
            lb_scene *scene = lb_create_platform(n, LB_LOOP_SPHERICAL);
            weigh_legs(scene, pow(10.0, e));
            lb_trial t = lb_begin_scene_trial(scene, (uint64_t)n);
            const int v = t.v_count;
            // per unit of mass, so that nothing else grows
            for (int i = 6; i < v; ++i) {
                t.tau[i] *= pow(10.0, e);
            }
            plan(&t, LB_HUBS_ALWAYS);
            for (int k = 1; k < t.model->body_count; ++k) {
                assert_true(n > 1 || t.model->pattern->hub[0] >= 0);
            }
            outcome with = evaluate(&t);
            plan_again(&t, LB_HUBS_NEVER);
            outcome without = evaluate(&t);
            // of three legs the last few rows have what the legs give way, or are redundant
            if (n == 1 || e < 9 || e > 12) {
                const double bound = n == 1 ? 1e-11 : 1e-11 * fmin(pow(10.0, fmax(e, 0)), 1e6);
                assert_int_equal(with.rank, without.rank);
                lb_expect_within("accelerations", with.a, without.a, v,
                                 bound * (1 + lb_get_largest(v, without.a)));
            }
            forget(&with);
            forget(&without);
            lb_end_trial(&t);
        }
    }
}

// More directions shared by loops of one leg than memory is set aside for: what they carry is shared
// in another way then, motion is the same.
static void more_repetition_than_memory_leaves_motion_as_it_is(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_platform(5, LB_LOOP_WELD), 3);
    for (int i = 0; i < 25; ++i) {
        repeat_loops(&t, 1);
    }
    plan(&t, LB_HUBS_ALWAYS);
    assert_true(expect_same(&t, 0));
    lb_end_trial(&t);
}

static void what_repeats_what_is_told_through_hubs(void **state)
{
    (void)state;
    // the platform welded to the ground twice: the second weld repeats the first, and nothing else
    lb_trial t = lb_begin_scene_trial(lb_create_platform(5, LB_LOOP_SPHERICAL), 4);
    t.scene->loops[1] = t.scene->loops[3] =
        (lb_scene_loop){.type = LB_LOOP_WELD, .body = {LB_GROUND, 0}};
    repeat_loops(&t, 0);
    assert_true(count_hubs(t.model) == 1);
    int rows, rank, redundant[5];
    lb_expect_ok(lb_factor_loops(t.model, t.work, t.q, NULL));
    assert_true(lb_get_redundant_row_count(t.work) > 0);
    lb_expect_ok(lb_get_loop_rank(t.model, t.work, &rows, &rank, redundant));
    assert_int_equal(rows, 21);
    assert_int_equal(rank, 15);
    const int first = redundant[1] == 0 ? 1 : 3, second = 4 - first;
    assert_int_equal(redundant[first], 0);
    assert_int_equal(redundant[second], 6);
    double projector[36];
    unsigned char repeats[5];
    lb_expect_ok(lb_get_redundant_rows(t.model, t.work, second, projector, repeats));
    for (int l = 0; l < 5; ++l) {
        assert_int_equal(repeats[l], l == first);
    }
    for (int i = 0; i < 36; ++i) {
        lb_expect_below("all six rows", projector[i] - (i % 7 == 0), 1e-12);
    }
    lb_end_trial(&t);
}

// ---- large ones --------------------------------------------------------------------------------

// A hexapod whose feet are on a free-flying base: loops meet at both ends.
static lb_scene *create_floating_platform(int n)
{
    lb_scene *scene = lb_create_platform(n, LB_LOOP_SPHERICAL);
    lb_scene_body *bodies = calloc((size_t)scene->body_count + 1, sizeof *bodies);
    assert_non_null(bodies);
    memcpy(bodies, scene->bodies, (size_t)scene->body_count * sizeof *bodies);
    lb_scene_body *base = &bodies[scene->body_count];
    *base = bodies[0];
    base->mass = 100.0;
    memcpy(base->nodes, scene->ground, sizeof base->nodes);
    for (int k = 1; k < scene->body_count; ++k) {
        bodies[k].parent = bodies[k].parent == LB_GROUND ? scene->body_count : bodies[k].parent;
    }
    free(scene->bodies);
    scene->bodies = bodies;
    ++scene->body_count;
    lb_count_scene(scene);
    return scene;
}

static void a_platform_on_a_floating_base_has_two_hubs(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(create_floating_platform(8), 5);
    assert_int_equal(count_hubs(t.model), 2);
    assert_int_equal(t.model->pattern->hub_count, 1);
    assert_int_equal(t.model->pattern->widest, 12);
    assert_true(compare(&t, NULL));
    assert_true(expect_same(&t, 1));
    lb_end_trial(&t);
}

// Platforms side by side: each its own.
static void every_payload_has_its_own_hub(void **state)
{
    (void)state;
    enum { PLATFORMS = 4, LEGS = 5 };
    lb_scene *one = lb_create_platform(LEGS, LB_LOOP_SPHERICAL);
    lb_scene *scene = lb_create_platform(PLATFORMS * LEGS, LB_LOOP_SPHERICAL);
    scene->body_count = scene->loop_count = 0;
    free(scene->bodies);
    scene->bodies = calloc((size_t)(PLATFORMS * one->body_count), sizeof *scene->bodies);
    assert_non_null(scene->bodies);
    for (int p = 0; p < PLATFORMS; ++p) {
        const int first = scene->body_count;
        for (int k = 0; k < one->body_count; ++k) {
            lb_scene_body *b = &scene->bodies[scene->body_count++];
            *b = one->bodies[k];
            b->parent += b->parent == LB_GROUND ? 0 : first;
        }
        for (int l = 0; l < LEGS; ++l) {
            lb_scene_loop *loop = &scene->loops[scene->loop_count++];
            *loop = one->loops[l];
            loop->body[0] += first;
            loop->body[1] += first;
        }
    }
    lb_count_scene(scene);
    lb_destroy_scene(one);
    lb_trial t = lb_begin_scene_trial(scene, 6);
    assert_int_equal(count_hubs(t.model), PLATFORMS);
    assert_int_equal(t.model->pattern->hub_count, PLATFORMS);
    assert_int_equal(t.model->pattern->block_count, 0);
    assert_true(expect_same(&t, 1));
    lb_end_trial(&t);
}

static void few_loops_have_no_hubs(void **state)
{
    (void)state;
    for (int n = 1; n < 4; ++n) {
        lb_trial t = lb_begin_scene_trial(lb_create_platform(n, LB_LOOP_WELD), 7);
        assert_int_equal(count_hubs(t.model), 0);
        lb_end_trial(&t);
    }
}

// 10,000 legs: memory and blocks by the leg, and accelerations that obey the loops.
static void ten_thousand_legs_hold_a_platform(void **state)
{
    (void)state;
    enum { LEGS = 10000 };
    lb_trial t = lb_begin_scene_trial(lb_create_platform(LEGS, LB_LOOP_SPHERICAL), 8);
    assert_int_equal(count_hubs(t.model), 1);
    assert_int_equal(t.model->pattern->block_count, 0);
    assert_true(t.model->pattern->edge_count == 36 * (size_t)LEGS);
    // near where it is closed: at random there is always a leg in a singular position
    lb_get_neutral_configuration(t.model, t.q);
    lb_place_platform(t.scene, t.q);
    double *a = lb_make_numbers((size_t)t.v_count), *x = lb_make_numbers(6 * LEGS);
    double *bias = lb_make_numbers(6 * LEGS);
    lb_expect_ok(lb_closed_forward(t.model, t.work, t.q, t.v, NULL, t.tau, a, NULL, NULL));
    lb_expect_ok(lb_apply_loop_jacobian(t.model, t.work, a, x));
    lb_expect_ok(lb_compute_loop_bias(t.model, t.work, bias));
    for (int i = 0; i < 6 * LEGS; ++i) {
        x[i] += bias[i];
    }
    // 1e-10: of the largest, sums over 10,000 legs
    lb_expect_below("J a + bias", lb_get_largest(6 * LEGS, x),
                    1e-10 * lb_get_largest(t.v_count, a));
    free(a);
    free(x);
    free(bias);
    lb_end_trial(&t);
}

// ---- in time -----------------------------------------------------------------------------------

// Rates of a state for the classical Runge-Kutta method.
static void accelerate(lb_trial *t, const double *q, const double *v, double *a)
{
    assert_true(lb_closed_forward(t->model, t->work, q, v, NULL, NULL, a, NULL, NULL) >= LB_OK);
}

static double get_energy(lb_trial *t, double momentum[6])
{
    double kinetic, potential;
    lb_expect_ok(lb_compute_kinematics(t->model, t->work, t->q, t->v, NULL));
    lb_expect_ok(lb_compute_energy(t->model, t->work, &kinetic, &potential));
    lb_system_motion c;
    lb_expect_ok(lb_compute_system_motion(t->model, t->work, &c));
    memcpy(momentum, c.linear, sizeof c.linear);
    memcpy(momentum + 3, c.angular_world, sizeof c.angular_world);
    return kinetic + potential;
}

// A free flyer with closed arms, its speeds made to agree with the loops first: energy and momentum stay.
static void a_flyer_with_closed_arms_keeps_energy_and_momentum(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_flyer(6, LB_LOOP_REVOLUTE), 9);
    assert_int_equal(count_hubs(t.model), 1);
    const int n = t.v_count;
    const size_t size = (size_t)n;
    double *k[4], *q = lb_make_numbers((size_t)t.q_count), *v = lb_make_numbers(size);
    double *step = lb_make_numbers(size), *rate[4], before[6], after[6], loss = 0.0;
    for (int s = 0; s < 4; ++s) {
        k[s] = lb_make_numbers(size);
        rate[s] = lb_make_numbers(size);
    }
    lb_get_neutral_configuration(t.model, t.q);
    const double wild = get_energy(&t, before);
    assert_true(lb_compute_impulse(t.model, t.work, t.q, t.v, NULL, NULL, &loss) >= LB_OK);
    const double energy = get_energy(&t, after);
    lb_expect_near("loss", wild - energy, loss, 1e-12);
    lb_expect_within("momentum through the impulse", after, before, 6,
                     1e-12 * lb_get_largest(6, before));
    const double h = 1e-3;
    for (int i = 0; i < 200; ++i) {
        for (int s = 0; s < 4; ++s) {
            const double by = s == 0 ? 0.0 : s == 3 ? h : 0.5 * h;
            for (int e = 0; e < n; ++e) {
                v[e] = t.v[e] + (s ? by * k[s - 1][e] : 0.0);
                step[e] = s ? by * rate[s - 1][e] : 0.0;
                rate[s][e] = v[e];
            }
            lb_integrate_configuration(t.model, t.q, step, q);
            accelerate(&t, q, v, k[s]);
        }
        for (int e = 0; e < n; ++e) {
            step[e] = h / 6 * (rate[0][e] + 2 * rate[1][e] + 2 * rate[2][e] + rate[3][e]);
            t.v[e] += h / 6 * (k[0][e] + 2 * k[1][e] + 2 * k[2][e] + k[3][e]);
        }
        lb_integrate_configuration(t.model, t.q, step, q);
        memcpy(t.q, q, (size_t)t.q_count * sizeof *q);
    }
    // 1e-7: turns of the base are added without their commutators, h^2 of what turns
    lb_expect_near("energy", get_energy(&t, after), energy, 1e-7);
    lb_expect_within("momentum", after, before, 6, 1e-7 * lb_get_largest(6, before));
    for (int s = 0; s < 4; ++s) {
        free(k[s]);
        free(rate[s]);
    }
    free(q);
    free(v);
    free(step);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_that_meet_agree_with_dense_matrices),
        cmocka_unit_test(repeated_loops_at_hubs_share_their_forces),
        cmocka_unit_test(driven_hinges_and_hubs_agree_with_dense_matrices),
        cmocka_unit_test(legs_short_of_dofs_agree_with_dense_matrices),
        cmocka_unit_test(hubs_change_nothing),
        cmocka_unit_test(loops_and_locks_change_with_hubs),
        cmocka_unit_test(spare_loops_join_what_hubs_hold),
        cmocka_unit_test(loops_are_altered_around_hubs),
        cmocka_unit_test(derivatives_do_not_depend_on_hubs),
        cmocka_unit_test(heavy_legs_cost_no_digits),
        cmocka_unit_test(more_repetition_than_memory_leaves_motion_as_it_is),
        cmocka_unit_test(what_repeats_what_is_told_through_hubs),
        cmocka_unit_test(a_platform_on_a_floating_base_has_two_hubs),
        cmocka_unit_test(every_payload_has_its_own_hub),
        cmocka_unit_test(few_loops_have_no_hubs),
        cmocka_unit_test(ten_thousand_legs_hold_a_platform),
        cmocka_unit_test(a_flyer_with_closed_arms_keeps_energy_and_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
