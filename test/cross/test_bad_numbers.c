// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// NaN and infinity in every number that the functions of the core read: each is refused with its argument and
// entry, and the next good call gives the bits of a fresh workspace. check_numbers.py compares the functions
// in here with those of the headers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/divide/division.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_products.h"
#include "dynamics/tree/tree.h"
#include "modal_orders.h"

enum { INPUT_MAX = 24, OUT_MAX = 1 << 15, FORCE_COUNT = 3 };

// An argument of the functions: its numbers, and where they are when a call is made.
typedef struct input {
    const char *name;
    double *values;
    int count;
} input;

typedef struct bench {
    lb_trial *t;
    const lb_model *model;
    lb_work *work;
    lb_derivative_work *scratch;
    lb_division *division;
    lb_op_work *operators;
    lb_op_expression *expression;
    int nq, n, rows; // of q and v; six for each slot
    int input_count;
    input inputs[INPUT_MAX];
    unsigned char *driven;
    double *q, *v, *tau, *a, *b, *x, *r, *speeds, *forces, *loads, *field, *motion;
    double *tolerance;
    double *out, *large; // answers; scratch of some
} bench;

// What a call reads of an argument.
typedef enum part { ALL, AT_DRIVEN, NOT_AT_DRIVEN } part;

typedef struct use {
    const char *name;
    part part;
} use;

typedef struct call {
    const char *name;
    lb_status (*run)(bench *b);
    use uses[4];
    int keeps; // the workspace still holds its state after a refusal
} call;

// ---- the calls: copies of what is in and out go to the answers -----------------------------------

static double *copy(double *to, const double *from, int count)
{
    return memcpy(to, from, (size_t)count * sizeof *to);
}

static lb_status forward(bench *b)
{
    return lb_compute_forward_dynamics(b->model, b->work, b->q, b->v, b->tau, b->out);
}

static lb_status composite(bench *b)
{
    return lb_tree_composite(b->model, b->work, b->q, b->v, b->tau, b->large, b->out);
}

static lb_status unsplit(bench *b)
{
    return lb_tree_unsplit(b->model, b->work, b->q, b->v, b->tau, b->large, b->out);
}

static lb_status hybrid(bench *b)
{
    return lb_tree_hybrid(b->model, b->work, b->q, b->v, b->driven, copy(b->out, b->tau, b->n),
                          copy(b->out + b->n, b->a, b->n));
}

static lb_status inverse(bench *b)
{
    return lb_tree_inverse(b->model, b->work, b->q, b->v, b->a, b->out);
}

static lb_status bias(bench *b)
{
    return lb_tree_bias(b->model, b->work, b->q, b->v, b->out);
}

static lb_status mass_matrix(bench *b)
{
    return lb_tree_mass_matrix(b->model, b->work, b->q, b->out);
}

static lb_status articulated(bench *b)
{
    const lb_status status = lb_tree_inertia(b->model, b->work, b->q);
    return status < 0 ? status : lb_tree_solve(b->model, b->work, b->b, b->out);
}

static lb_status mass_matrix_inverse(bench *b)
{
    return lb_tree_mass_matrix_inverse(b->model, b->work, b->q, b->out);
}

static lb_status kinematics(bench *b)
{
    lb_node_motion motion;
    const lb_status status = lb_compute_kinematics(b->model, b->work, b->q, b->v, b->a);
    if (status < 0) {
        return status;
    }
    lb_expect_ok(lb_compute_node_motion(b->model, b->work, 0, 0, &motion));
    memcpy(b->out, &motion, sizeof motion);
    return status;
}

static lb_status node_forces(bench *b)
{
    lb_node_force forces[FORCE_COUNT];
    for (int i = 0; i < FORCE_COUNT; ++i) {
        forces[i] = (lb_node_force){.body = i % b->t->body_count, .axes = (lb_axes)i};
        copy(forces[i].force, b->loads + (ptrdiff_t)6 * i, 6);
    }
    return lb_apply_node_forces(b->model, b->work, FORCE_COUNT, forces, copy(b->out, b->tau, b->n));
}

static lb_oblate_gravity make_field(const bench *b)
{
    lb_oblate_gravity field = {
        .point = {.mu = b->field[0], .gradient = true}, .j2 = b->field[4], .radius = b->field[5]};
    copy(field.point.position, b->field + 1, 3);
    copy(field.axis, b->field + 6, 3);
    return field;
}

static lb_applied_loads make_loads(const lb_oblate_gravity *field)
{
    return (lb_applied_loads){.size = sizeof(lb_applied_loads), .field_count = 1, .fields = field};
}

static lb_status all_reactions(bench *b)
{
    const lb_oblate_gravity field = make_field(b);
    const lb_applied_loads loads = make_loads(&field);
    return lb_compute_reactions(b->model, b->work, &loads, b->out);
}

static lb_status one_reaction(bench *b)
{
    const lb_oblate_gravity field = make_field(b);
    const lb_applied_loads loads = make_loads(&field);
    return lb_compute_reaction(b->model, b->work, &loads, 0, NULL, b->out);
}

static lb_status applied_share(bench *b)
{
    const lb_oblate_gravity field = make_field(b);
    const lb_applied_loads loads = make_loads(&field);
    return lb_compute_applied_share(b->model, b->work, &loads, NULL, 0, LB_NOT_FOUND, NULL, b->out);
}

static lb_status oblate_gravity(bench *b)
{
    const lb_oblate_gravity field = make_field(b);
    return lb_apply_oblate_gravity(b->model, b->work, &field, copy(b->out, b->tau, b->n),
                                   b->out + b->n, b->out + b->n + 1);
}

static lb_status forward_divided(bench *b)
{
    return lb_divided_forward(b->model, b->work, b->division, b->q, b->v, b->tau, b->out);
}

static lb_status hybrid_divided(bench *b)
{
    return lb_divided_hybrid(b->model, b->work, b->division, b->q, b->v, b->driven,
                             copy(b->out, b->tau, b->n), copy(b->out + b->n, b->a, b->n));
}

static lb_status divided_in_stages(bench *b)
{
    lb_begin_division(b->model, b->work, b->division, b->q, b->v, b->driven, b->tau, b->large,
                      copy(b->out, b->a, b->n));
    for (int i = 0; i < lb_get_division_stage_count(b->division); ++i) {
        lb_run_division_stage(b->model, b->work, b->division, i, 0, 1);
    }
    return lb_end_division(b->model, b->work, b->division);
}

static lb_status constrained(bench *b)
{
    return lb_closed_forward(b->model, b->work, b->q, b->v, b->driven, b->tau,
                             copy(b->out, b->a, b->n), b->out + b->n, b->out + 2 * (ptrdiff_t)b->n);
}

static lb_status constrained_divided(bench *b)
{
    return lb_divided_closed(b->model, b->work, b->division, b->q, b->v, b->driven, b->tau,
                             copy(b->out, b->a, b->n), b->out + b->n, b->out + 2 * (ptrdiff_t)b->n);
}

static lb_status factors(bench *b)
{
    const lb_status status = lb_factor_loops(b->model, b->work, b->q, b->driven);
    return status < 0 ? status : lb_solve_loops(b->model, b->work, b->r, b->out, NULL);
}

static lb_status impulse(bench *b)
{
    return lb_compute_impulse(b->model, b->work, b->q, copy(b->out, b->v, b->n), b->out + b->n,
                              NULL, NULL);
}

static lb_status driven_impulse(bench *b)
{
    return lb_compute_driven_impulse(b->model, b->work, b->q, copy(b->out, b->v, b->n), b->driven,
                                     b->speeds, b->out + b->n, NULL, NULL);
}

static lb_status initial_offsets(bench *b)
{
    return lb_take_initial_offsets(b->model, b->work, b->q, NULL);
}

static lb_status loop_offset(bench *b)
{
    return b->rows ? lb_take_loop_offset(b->model, b->work, 0, b->q) : LB_OK;
}

static lb_status loop_errors(bench *b)
{
    return lb_compute_loop_errors(b->model, b->work, b->q, b->out, b->out + b->rows);
}

static lb_status loop_gaps(bench *b)
{
    return lb_compute_loop_gaps(b->model, b->work, b->q, b->out);
}

static lb_status loop_jacobian(bench *b)
{
    return lb_apply_loop_jacobian(b->model, b->work, b->x, b->out);
}

static lb_status loop_forces(bench *b)
{
    return lb_apply_loop_forces(b->model, b->work, b->forces, copy(b->out, b->tau, b->n));
}

static lb_status loop_motion(bench *b)
{
    lb_loop_motion motion;
    memcpy(&motion, b->motion, sizeof motion);
    return lb_set_loop_motion(b->model, b->work, 0, &motion);
}

static lb_status solve_mass_matrix(bench *b)
{
    lb_expect_ok(lb_tree_inertia(b->model, b->work, b->q));
    lb_expect_ok(lb_compute_kinematics(b->model, b->work, b->q, b->v, NULL));
    assert_true(lb_tree_inertia(b->model, b->work, b->q) >= 0);
    return lb_tree_solve(b->model, b->work, b->b, b->out);
}

static lb_status solve_loops(bench *b)
{
    assert_true(lb_closed_forward(b->model, b->work, b->q, b->v, b->driven, b->tau,
                                  copy(b->large, b->a, b->n), NULL, NULL) >= 0);
    return lb_solve_loops(b->model, b->work, b->r, b->out, NULL);
}

static lb_status inverse_derivatives(bench *b)
{
    return lb_tree_inverse_derivatives(b->model, b->work, b->scratch, b->q, b->v, b->a, b->out,
                                       NULL, NULL, NULL);
}

static lb_status forward_derivatives(bench *b)
{
    return lb_tree_forward_derivatives(b->model, b->work, b->scratch, b->q, b->v, b->tau, b->out,
                                       b->out + b->n, NULL, NULL);
}

static lb_status hybrid_derivatives(bench *b)
{
    return lb_tree_hybrid_derivatives(b->model, b->work, b->scratch, b->q, b->v, b->driven,
                                      copy(b->out, b->tau, b->n), copy(b->out + b->n, b->a, b->n),
                                      b->out + 2 * (ptrdiff_t)b->n, NULL, NULL);
}

static lb_status constrained_derivatives(bench *b)
{
    const lb_constrained_derivatives out = {.size = sizeof out, .a_dq = b->out + b->n};
    return lb_closed_derivatives(b->model, b->work, b->scratch, b->q, b->v, b->driven, b->tau,
                                 copy(b->out, b->a, b->n), NULL, NULL, &out);
}

static void differentiate(bench *b)
{
    lb_expect_ok(lb_tree_inverse_derivatives(b->model, b->work, b->scratch, b->q, b->v, NULL, NULL,
                                             NULL, NULL, NULL));
}

static lb_status node_force_derivatives(bench *b)
{
    lb_node_force forces[FORCE_COUNT];
    for (int i = 0; i < FORCE_COUNT; ++i) {
        forces[i] = (lb_node_force){.body = i % b->t->body_count, .axes = (lb_axes)i};
        copy(forces[i].force, b->loads + (ptrdiff_t)6 * i, 6);
    }
    differentiate(b);
    return lb_apply_node_force_derivatives(b->model, b->work, b->scratch, FORCE_COUNT, forces,
                                           b->out);
}

static lb_status oblate_derivatives(bench *b)
{
    const lb_oblate_gravity field = make_field(b);
    differentiate(b);
    return lb_apply_oblate_gravity_derivatives(b->model, b->work, b->scratch, &field, b->out, NULL,
                                               NULL);
}

static lb_status loop_derivatives(bench *b)
{
    const lb_loop_derivatives out = {.size = sizeof out, .force_dq = b->out};
    differentiate(b);
    return lb_compute_loop_derivatives(b->model, b->work, b->scratch, b->forces, &out);
}

static lb_status operators(bench *b)
{
    const lb_status status = lb_compute_operators(b->model, b->work, b->q, b->operators);
    return status < 0
               ? status
               : lb_op_apply(b->model, b->operators, LB_OP_H, LB_OP_TRANSPOSED, b->x, b->out);
}

static lb_status operator_motion(bench *b)
{
    return lb_compute_operator_motion(b->model, b->work, b->q, b->v, b->tau, b->operators);
}

static const call calls[] = {
    {"lb_compute_forward_dynamics", forward, {{"q", ALL}, {"v", ALL}, {"tau", ALL}}, 0},
    {"lb_tree_composite", composite, {{"q", ALL}, {"v", ALL}, {"tau", ALL}}, 0},
    {"lb_tree_unsplit", unsplit, {{"q", ALL}, {"v", ALL}, {"tau", ALL}}, 0},
    {"lb_tree_hybrid",
     hybrid,
     {{"q", ALL}, {"v", ALL}, {"tau", NOT_AT_DRIVEN}, {"a", AT_DRIVEN}},
     0},
    {"lb_compute_inverse_dynamics", inverse, {{"q", ALL}, {"v", ALL}, {"a", ALL}}, 0},
    {"lb_compute_bias", bias, {{"q", ALL}, {"v", ALL}}, 0},
    {"lb_compute_mass_matrix", mass_matrix, {{"q", ALL}}, 0},
    {"lb_compute_articulated_inertia", articulated, {{"q", ALL}}, 0},
    {"lb_compute_mass_matrix_inverse", mass_matrix_inverse, {{"q", ALL}}, 0},
    {"lb_compute_kinematics", kinematics, {{"q", ALL}, {"v", ALL}, {"a", ALL}}, 0},
    {"lb_solve_mass_matrix", solve_mass_matrix, {{"b", ALL}}, 1},
    {"lb_apply_node_forces", node_forces, {{"forces", ALL}, {"tau", ALL}}, 1},
    {"lb_compute_reactions", all_reactions, {{"field", ALL}}, 1},
    {"lb_compute_reaction", one_reaction, {{"field", ALL}}, 1},
    {"lb_compute_applied_share", applied_share, {{"field", ALL}}, 1},
    {"lb_apply_oblate_gravity", oblate_gravity, {{"field", ALL}, {"tau", ALL}}, 1},
    {"lb_divided_forward", forward_divided, {{"q", ALL}, {"v", ALL}, {"tau", ALL}}, 0},
    {"lb_divided_hybrid",
     hybrid_divided,
     {{"q", ALL}, {"v", ALL}, {"tau", NOT_AT_DRIVEN}, {"a", AT_DRIVEN}},
     0},
    {"lb_begin_division",
     divided_in_stages,
     {{"q", ALL}, {"v", ALL}, {"tau", NOT_AT_DRIVEN}, {"a", AT_DRIVEN}},
     0},
    {"lb_closed_forward",
     constrained,
     {{"q", ALL}, {"v", ALL}, {"tau", NOT_AT_DRIVEN}, {"a", AT_DRIVEN}},
     0},
    {"lb_divided_closed",
     constrained_divided,
     {{"q", ALL}, {"v", ALL}, {"tau", NOT_AT_DRIVEN}, {"a", AT_DRIVEN}},
     0},
    {"lb_factor_loops", factors, {{"q", ALL}}, 0},
    {"lb_compute_impulse", impulse, {{"q", ALL}, {"v", ALL}}, 0},
    {"lb_compute_driven_impulse",
     driven_impulse,
     {{"q", ALL}, {"v", ALL}, {"speeds", AT_DRIVEN}},
     0},
    {"lb_take_initial_offsets", initial_offsets, {{"q", ALL}}, 0},
    {"lb_compute_inverse_derivatives",
     inverse_derivatives,
     {{"q", ALL}, {"v", ALL}, {"a", ALL}},
     0},
    {"lb_compute_forward_derivatives",
     forward_derivatives,
     {{"q", ALL}, {"v", ALL}, {"tau", ALL}},
     0},
    {"lb_tree_hybrid_derivatives",
     hybrid_derivatives,
     {{"q", ALL}, {"v", ALL}, {"tau", NOT_AT_DRIVEN}, {"a", AT_DRIVEN}},
     0},
    {"lb_compute_constrained_derivatives",
     constrained_derivatives,
     {{"q", ALL}, {"v", ALL}, {"tau", NOT_AT_DRIVEN}, {"a", AT_DRIVEN}},
     0},
    {"lb_apply_node_force_derivatives", node_force_derivatives, {{"forces", ALL}}, 1},
    {"lb_apply_oblate_gravity_derivatives", oblate_derivatives, {{"field", ALL}}, 1},
    {"lb_compute_operators", operators, {{"q", ALL}}, 0},
    {"lb_compute_operator_motion", operator_motion, {{"q", ALL}, {"v", ALL}, {"tau", ALL}}, 0},
};

// Those of loops alone.
static const call loop_calls[] = {
    {"lb_solve_loops", solve_loops, {{"r", ALL}}, 1},
    {"lb_take_loop_offset", loop_offset, {{"q", ALL}}, 1},
    {"lb_compute_loop_errors", loop_errors, {{"q", ALL}}, 1},
    {"lb_compute_loop_gaps", loop_gaps, {{"q", ALL}}, 1},
    {"lb_apply_loop_jacobian", loop_jacobian, {{"x", ALL}}, 1},
    {"lb_apply_loop_forces", loop_forces, {{"loop_forces", ALL}, {"tau", ALL}}, 1},
    {"lb_set_loop_motion", loop_motion, {{"motion", ALL}}, 1},
    {"lb_compute_loop_derivatives", loop_derivatives, {{"loop_forces", ALL}}, 1},
};

// ---- every entry in turn -------------------------------------------------------------------------

static double *add_input(bench *b, const char *name, int count)
{
    double *values = lb_make_numbers((size_t)count + 1);
    lb_draw_vector(&b->t->random, count, 1.0, values);
    assert_true(b->input_count < INPUT_MAX);
    b->inputs[b->input_count++] = (input){name, values, count};
    return values;
}

static bench begin(lb_trial *t)
{
    bench b = {.t = t, .model = t->model, .nq = t->q_count, .n = t->v_count};
    b.rows = 6 * lb_get_loop_capacity(t->model);
    b.q = copy(add_input(&b, "q", b.nq), t->q, b.nq);
    b.v = copy(add_input(&b, "v", b.n), t->v, b.n);
    b.tau = add_input(&b, "tau", b.n);
    b.a = add_input(&b, "a", b.n);
    b.b = add_input(&b, "b", b.n);
    b.x = add_input(&b, "x", b.n);
    b.r = add_input(&b, "r", b.rows);
    b.speeds = add_input(&b, "speeds", b.n);
    b.forces = add_input(&b, "loop_forces", b.rows);
    b.loads = add_input(&b, "forces", 6 * FORCE_COUNT);
    b.field = add_input(&b, "field", 9);
    b.field[1] += 100.0; // far from every centre of mass
    b.motion = add_input(&b, "motion", 18);
    b.driven = calloc((size_t)t->body_count, 1);
    assert_non_null(b.driven);
    for (int k = 0; k < t->body_count; k += 2) {
        b.driven[k] = 1;
    }
    b.out = lb_make_numbers(OUT_MAX);
    b.large = lb_make_numbers(lb_count_unsplit_scratch(t->model) + (size_t)(b.n * b.n) + 1);
    lb_expect_ok(lb_create_division(t->model, NULL, &b.division));
    b.operators = lb_op_create_work(t->model);
    assert_non_null(b.operators);
    assert_true(2 * b.n + b.n * b.n + 2 * b.rows < OUT_MAX);
    return b;
}

static void end(bench *b)
{
    for (int i = 0; i < b->input_count; ++i) {
        free(b->inputs[i].values);
    }
    free(b->driven);
    free(b->out);
    free(b->large);
    lb_destroy_division(b->division);
    lb_op_destroy_work(b->operators);
}

static input *find_input(bench *b, const char *name)
{
    for (int i = 0; i < b->input_count; ++i) {
        if (strcmp(b->inputs[i].name, name) == 0) {
            return &b->inputs[i];
        }
    }
    fail_msg("there is no input %s", name);
    return NULL;
}

// Whether an entry of v belongs to a hinge that is driven.
static int is_driven(const bench *b, int entry)
{
    for (int k = 0; k < b->t->body_count; ++k) {
        const int hinge = lb_get_v_offset(b->model, k) + lb_get_mode_count(b->model, k);
        if (entry >= hinge && entry < hinge + lb_get_hinge(b->model, k).v_count) {
            return b->driven[k];
        }
    }
    return 0;
}

// A good state for calls that read one.
static void prepare(bench *b)
{
    assert_true(lb_compute_operators(b->model, b->work, b->q, b->operators) >= 0);
    assert_true(lb_tree_forward(b->model, b->work, b->q, b->v, b->tau, b->large) >= 0);
    memset(b->out, 0, OUT_MAX * sizeof *b->out);
}

static void begin_work(bench *b)
{
    b->work = lb_create_work(b->model);
    b->scratch = lb_create_derivative_work(b->model);
    assert_true(b->work && b->scratch);
}

static void end_work(bench *b)
{
    lb_destroy_work(b->work);
    lb_destroy_derivative_work(b->scratch);
}

static void try_entry(bench *b, const call *c, const use *u, int entry, const double *expected,
                      lb_status good)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    input *in = find_input(b, u->name);
    const double kept = in->values[entry];
    const int is_read = u->part == ALL || is_driven(b, entry) == (u->part == AT_DRIVEN);
    for (int i = 0; i < 3; ++i) {
        double kinetic;
        int at;
        prepare(b);
        in->values[entry] = bad[i];
        const lb_status status = c->run(b);
        in->values[entry] = kept;
        if (status != (is_read ? LB_E_NUMBER : good)) {
            fail_msg("%s with %g in %s[%d]: %s", c->name, bad[i], u->name, entry,
                     lb_get_status_text(status));
        }
        if (is_read) {
            const char *name = lb_get_bad_number(b->work, &at);
            const char *wanted = strcmp(u->name, "loop_forces") == 0 ? "forces" : u->name;
            if (!name || strcmp(name, wanted) != 0 || at != entry) {
                fail_msg("%s with %g in %s[%d]: says %s[%d]", c->name, bad[i], u->name, entry,
                         name ? name : "nothing", at);
            }
            const lb_status held = lb_compute_energy(b->model, b->work, &kinetic, NULL);
            if (c->run != solve_mass_matrix) { // that of positions
                assert_int_equal(held, c->keeps ? LB_OK : LB_E_STAGE);
            }
        }
    }
    prepare(b);
    assert_int_equal(c->run(b), good);
    if (memcmp(b->out, expected, OUT_MAX * sizeof *expected) != 0) {
        fail_msg("%s after a refusal of %s[%d]: other bits", c->name, u->name, entry);
    }
}

static void try_calls(lb_trial *t, const call *list, size_t count)
{
    bench b = begin(t);
    int tried = 0;
    double *expected = lb_make_numbers(OUT_MAX);
    for (size_t i = 0; i < count; ++i) {
        const call *c = &list[i];
        begin_work(&b);
        prepare(&b);
        const lb_status good = c->run(&b);
        if (good < 0) {
            fail_msg("%s: %s", c->name, lb_get_status_text(good));
        }
        copy(expected, b.out, OUT_MAX);
        end_work(&b);
        begin_work(&b);
        for (int u = 0; u < 4 && c->uses[u].name; ++u) {
            const int entries = find_input(&b, c->uses[u].name)->count;
            for (int entry = 0; entry < entries; ++entry) {
                try_entry(&b, c, &c->uses[u], entry, expected, good);
                ++tried;
            }
        }
        end_work(&b);
    }
    print_message("%d entries of %d functions\n", tried, (int)count);
    free(expected);
    end(&b);
    lb_end_trial(t);
}

enum { CALLS = sizeof calls / sizeof *calls, LOOP_CALLS = sizeof loop_calls / sizeof *loop_calls };

static void rigid_trees(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
    lb_trial t = lb_begin_trial(&options, 1);
    try_calls(&t, calls, CALLS);
    lb_trial chain = lb_begin_scene_trial(lb_create_revolute_chain(9), 2);
    try_calls(&chain, calls, CALLS);
}

static void flexible_trees(void **state)
{
    (void)state;
    lb_tree_options options = lb_get_flexible_tree(3);
    options.body_count = 4;
    options.mixed_fidelity = 1;
    lb_trial t = lb_begin_trial(&options, 3);
    try_calls(&t, calls, CALLS);
}

static void closed_loops(void **state)
{
    (void)state;
    lb_trial t = lb_begin_loop_trial(4, 3, 1, 1);
    try_calls(&t, calls, CALLS);
    lb_trial same = lb_begin_loop_trial(4, 3, 1, 1);
    try_calls(&same, loop_calls, LOOP_CALLS);
}

// Locked hinges take neither tau nor a.
static void locked_hinges_are_not_read(void **state)
{
    (void)state;
    lb_trial t = lb_begin_loop_trial(4, 2, 0, 1);
    bench b = begin(&t);
    begin_work(&b);
    for (int k = 0; k < t.body_count; ++k) {
        lb_expect_ok(lb_set_hinge_locked(t.model, b.work, k, true));
        const int hinge = lb_get_v_offset(t.model, k) + lb_get_mode_count(t.model, k);
        for (int i = hinge; i < hinge + lb_get_hinge(t.model, k).v_count; ++i) {
            b.tau[i] = b.a[i] = b.speeds[i] = NAN;
        }
    }
    assert_true(constrained(&b) >= 0);
    assert_true(driven_impulse(&b) >= 0);
    end_work(&b);
    end(&b);
    lb_end_trial(&t);
}

// ---- loops that change, assembly -----------------------------------------------------------------

static void ends_of_loops(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    lb_scene *scene = lb_create_revolute_chain(4);
    scene->spare_count = 1;
    lb_trial t = lb_begin_scene_trial(scene, 5);
    for (int i = 0; i < 3 * 12; ++i) {
        lb_relation_term terms[2] = {{0, 0, 1.0}, {1, 0, 2.0}};
        lb_loop_ends ends = {.size = sizeof ends,
                             .body_a = 0,
                             .body_b = 2,
                             .axis = {0, 0, 1},
                             .length = 1.0,
                             .terms = terms,
                             .term_count = 2};
        const int entry = i / 3;
        double *const places[12] = {&ends.axis[0],   &ends.axis[1],    &ends.axis[2],
                                    &ends.length,    &ends.offset[0],  &ends.offset[1],
                                    &ends.offset[2], &ends.offset[3],  &ends.offset[4],
                                    &ends.offset[5], &terms[0].factor, &terms[1].factor};
        int at, slot = -1;
        ends.type = entry < 3    ? LB_LOOP_REVOLUTE
                    : entry == 3 ? LB_LOOP_ROD
                    : entry < 10 ? LB_LOOP_WELD
                                 : LB_LOOP_COUPLER;
        *places[entry] = bad[i % 3];
        assert_int_equal(lb_make_loop(t.model, t.work, -1, &ends, &slot), LB_E_NUMBER);
        assert_string_equal(lb_get_bad_number(t.work, &at), "ends");
        assert_int_equal(at, entry);
        assert_int_equal(lb_alter_loop(t.model, t.work, 0, &ends), LB_E_NUMBER);
        assert_false(lb_is_loop_active(t.work, 0));
        // what the type does not read may be anything
        ends.type = entry == 3 || entry >= 10 ? LB_LOOP_WELD : LB_LOOP_ROD;
        if (entry < 4 || entry >= 10) {
            lb_expect_ok(lb_make_loop(t.model, t.work, -1, &ends, &slot));
            lb_expect_ok(lb_set_loop_active(t.model, t.work, slot, false));
        }
    }
    lb_end_trial(&t);
}

static void assembly(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_four_bars(1, LB_LOOP_REVOLUTE, 0), 6);
    double *scratch = lb_make_numbers(lb_get_assembly_scratch_count(t.model));
    double *q = lb_make_numbers((size_t)t.q_count), *v = lb_make_numbers((size_t)t.v_count);
    lb_assembly_options options = lb_default_assembly_options();
    for (int i = 0; i < t.q_count + t.v_count; ++i) {
        double *x = i < t.q_count ? &q[i] : &v[i - t.q_count];
        int at;
        *x = i % 2 ? NAN : INFINITY;
        assert_int_equal(lb_assemble_loops(t.model, t.work, &options, q, v, scratch, NULL),
                         LB_E_NUMBER);
        assert_string_equal(lb_get_bad_number(t.work, &at), i < t.q_count ? "q" : "v");
        assert_int_equal(at, i < t.q_count ? i : i - t.q_count);
        *x = 0.0;
    }
    lb_expect_ok(lb_assemble_loops(t.model, t.work, &options, q, v, scratch, NULL));
    int at;
    options.tolerance = INFINITY;
    assert_int_equal(lb_assemble_loops(t.model, t.work, &options, q, v, scratch, NULL),
                     LB_E_NUMBER);
    assert_string_equal(lb_get_bad_number(t.work, &at), "options");
    free(scratch);
    free(q);
    free(v);
    lb_end_trial(&t);

    lb_work_options divided = lb_default_work_options();
    lb_trial chain = lb_begin_scene_trial(lb_create_revolute_chain(4), 6);
    lb_work *work;
    divided.algorithm = LB_ALGORITHM_DIVIDE_AND_CONQUER;
    divided.tolerance = NAN;
    assert_int_equal(lb_create_work_with(chain.model, &divided, &work), LB_E_NUMBER);
    lb_end_trial(&chain);
}

// ---- batches -------------------------------------------------------------------------------------

static void try_batch(lb_trial *t)
{
    enum { COUNT = 11, KINDS = 3 };
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    const int nq = t->q_count, n = t->v_count;
    lb_batch *work = lb_create_batch(t->model, NULL);
    assert_non_null(work);
    double *q = lb_make_numbers((size_t)(COUNT * nq)), *v = lb_make_numbers((size_t)(COUNT * n));
    double *x = lb_make_numbers((size_t)(COUNT * n));
    double *out = lb_make_numbers((size_t)(COUNT * n * n));
    double *expected = lb_make_numbers((size_t)(COUNT * n * n));
    for (int s = 0; s < COUNT; ++s) {
        copy(q + (ptrdiff_t)s * nq, t->q, nq);
        copy(v + (ptrdiff_t)s * n, t->v, n);
        lb_draw_vector(&t->random, n, 1.0, x + (ptrdiff_t)s * n);
    }
    for (int kind = 0; kind < KINDS; ++kind) {
        const int size = kind == 2 ? n * n : n;
        for (int i = -1; i < (kind == 2 ? nq : nq + 2 * n); ++i) {
            const int state = (i + 1) % COUNT;
            const int entry = i < nq ? i : (i - nq) % n;
            double *at = i < 0    ? NULL
                         : i < nq ? q + (ptrdiff_t)state * nq + i
                                  : (i < nq + n ? v : x) + (ptrdiff_t)state * n + entry;
            const double kept = at ? *at : 0.0;
            if (at) {
                *at = bad[i % 3];
            }
            const lb_status status =
                kind == 0   ? lb_compute_forward_dynamics_batch(t->model, work, COUNT, q, v, x, out)
                : kind == 1 ? lb_compute_inverse_dynamics_batch(t->model, work, COUNT, q, v, x, out)
                            : lb_compute_mass_matrix_batch(t->model, work, COUNT, q, out);
            if (!at) {
                assert_true(status >= 0);
                copy(expected, out, COUNT * size);
                continue;
            }
            *at = kept;
            int bad_state, bad_entry;
            assert_int_equal(status, LB_E_NUMBER);
            assert_string_equal(lb_get_batch_bad_number(work, &bad_state, &bad_entry),
                                i < nq       ? "q"
                                : i < nq + n ? "v"
                                : kind == 0  ? "tau"
                                             : "a");
            assert_int_equal(bad_state, state);
            assert_int_equal(bad_entry, entry);
            // its answers are NaN, all others what they were
            for (int j = 0; j < size; ++j) {
                assert_true(isnan(out[state * size + j]));
            }
            copy(out + (ptrdiff_t)state * size, expected + (ptrdiff_t)state * size, size);
            assert_memory_equal(out, expected, (size_t)(COUNT * size) * sizeof *out);
        }
    }
    lb_destroy_batch(work);
    free(q);
    free(v);
    free(x);
    free(out);
    free(expected);
    lb_end_trial(t);
}

static void batches(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
    lb_trial t = lb_begin_trial(&options, 7);
    try_batch(&t);
    lb_trial chain = lb_begin_scene_trial(lb_create_revolute_chain(5), 8);
    try_batch(&chain);
    options = lb_get_flexible_tree(2);
    lb_trial flexible = lb_begin_trial(&options, 9);
    try_batch(&flexible);
}

// ---- without a workspace -------------------------------------------------------------------------

static void products_with_operators(void **state)
{
    (void)state;
    lb_tree_options options = lb_get_flexible_tree(1);
    options.body_count = 3;
    lb_trial t = lb_begin_trial(&options, 10);
    bench b = begin(&t);
    begin_work(&b);
    prepare(&b);
    const int size = lb_op_get_size(b.operators, LB_OP_SPACE_BODY);
    double *x = lb_make_numbers((size_t)size);
    lb_op_expression *expression;
    lb_expect_ok(lb_op_parse("H Phi", NULL, &expression));
    double *scratch = lb_make_numbers(lb_op_get_scratch_count(b.operators, expression));
    for (int i = 0; i < size; ++i) {
        x[i] = i % 2 ? NAN : -INFINITY;
        assert_int_equal(lb_op_apply(t.model, b.operators, LB_OP_PHI, 0, x, b.out), LB_E_NUMBER);
        assert_int_equal(
            lb_op_apply_expression(t.model, b.operators, expression, scratch, x, b.out),
            LB_E_NUMBER);
        x[i] = 0.0;
        lb_expect_ok(lb_op_apply(t.model, b.operators, LB_OP_PHI, 0, x, b.out));
    }
    double *A = lb_make_numbers((size_t)(4 * t.body_count));
    for (int i = 0; i < 4 * t.body_count; ++i) {
        const bool read = lb_get_hinge(t.model, i / 4).parent != LB_GROUND;
        A[i] = NAN;
        assert_int_equal(lb_op_set_blocks(t.model, b.operators, 2, A), read ? LB_E_NUMBER : LB_OK);
        A[i] = 0.0;
    }
    lb_expect_ok(lb_op_set_blocks(t.model, b.operators, 2, A));
    for (int i = 0; i < 2 * t.body_count; ++i) {
        x[i] = NAN;
        assert_int_equal(lb_op_apply(t.model, b.operators, LB_OP_PHI_A, 0, x, b.out), LB_E_NUMBER);
        x[i] = 0.0;
    }
    lb_op_destroy_expression(expression);
    free(scratch);
    free(x);
    free(A);
    end_work(&b);
    end(&b);
    lb_end_trial(&t);
}

static void modal_integrals(void **state)
{
    (void)state;
    enum { N = 2 };
    double shape[6 * N] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};
    double eta[N] = {0.1, 0.2}, rates[N] = {0.3, 0.4}, omega[3] = {1, 2, 3}, out[64];
    lb_flex_node node = lb_default_flex_node();
    node.mass = 1.0;
    node.shape = shape;
    void *memory = malloc(lb_get_modal_integrals_size(N));
    void *more = malloc(lb_get_deformed_integrals_size(N));
    lb_modal_integrals I;
    lb_deformed_integrals D;
    double *const read[] = {&node.position[2], &node.mass, &node.offset[1], &node.inertia[5],
                            &shape[7]};
    for (size_t i = 0; i < sizeof read / sizeof *read; ++i) {
        const double kept = *read[i];
        *read[i] = NAN;
        assert_int_equal(
            lb_compute_modal_integrals(N, 1, &node, memory, lb_get_modal_integrals_size(N), &I),
            LB_E_NUMBER);
        *read[i] = kept;
    }
    lb_expect_ok(
        lb_compute_modal_integrals(N, 1, &node, memory, lb_get_modal_integrals_size(N), &I));
    double *const given[] = {&eta[1], &rates[0], &omega[2]};
    for (int i = 0; i < 3; ++i) {
        const double kept = *given[i];
        *given[i] = INFINITY;
        const lb_status expected = i == 0 ? LB_E_NUMBER : LB_OK;
        assert_int_equal(
            lb_compute_deformed_integrals(&I, eta, more, lb_get_deformed_integrals_size(N), &D),
            expected);
        assert_int_equal(lb_compute_modal_mass_order(&I, 1, eta, out), expected);
        assert_int_equal(lb_compute_modal_bias_order(&I, 1, eta, rates, omega, out), LB_E_NUMBER);
        *given[i] = kept;
    }
    lb_hinge_deformation hinge;
    memset(&hinge, 0, sizeof hinge);
    for (size_t i = 0; i < sizeof hinge / sizeof(double); ++i) {
        lb_vec6 a;
        double *at = (double *)(void *)&hinge + i;
        *at = NAN;
        assert_int_equal(lb_compute_hinge_coriolis_order(&hinge, 0, &a), LB_E_NUMBER);
        *at = 0.0;
    }
    free(memory);
    free(more);
}

// A body of one mode whose rows are given by hand: y = 2 eta + 3 (a - g)_z + 5 f_x at its node.
static void recovered_quantities(void **state)
{
    (void)state;
    static const double shape[6] = {0, 0, 0, 0, 1, 0}, stiffness = 100.0;
    static const char *const names[] = {"y"}, *const empty[] = {""};
    double modes[1] = {2}, inertia[12] = {0, 0, 0, 0, 0, 3}, forces[6] = {0, 0, 0, 5, 0, 0};
    double *const read[] = {&modes[0], &inertia[11], &forces[5]};
    lb_flex_recovery recovery = {.size = sizeof recovery,
                                 .row_count = 1,
                                 .names = names,
                                 .modes = modes,
                                 .inertia = inertia,
                                 .forces = forces};
    lb_flex_node node = lb_default_flex_node();
    lb_flex_options flex = lb_default_flex_options();
    lb_body_options body = lb_default_body_options();
    node.name = "n";
    node.mass = 1.0;
    node.shape = shape;
    flex.mode_count = flex.node_count = 1;
    flex.nodes = &node;
    flex.stiffness = &stiffness;
    flex.recovery = &recovery;
    body.name = "b";
    body.flex = &flex;
    lb_model *model = NULL;
    // entries that are no numbers, an empty name, and then none of that
    for (int i = 0; i < 5; ++i) {
        lb_builder *builder = lb_create_builder(NULL, NULL);
        lb_set_gravity(builder, (double[3]){0, 0, -10});
        const double kept = i < 3 ? *read[i] : 0.0;
        *(i < 3 ? read[i] : &(double){0}) = NAN;
        recovery.names = i == 3 ? empty : names;
        lb_add_body(builder, &body, NULL);
        *(i < 3 ? read[i] : &(double){0}) = kept;
        assert_int_equal(lb_build_model(builder, &model), i < 4 ? LB_E_MODEL : LB_OK);
        lb_destroy_builder(builder);
    }
    lb_work *work = lb_create_work(model);
    double q[1] = {0.25}, v[1] = {0}, a[1] = {0}, tau[1], value = 0.0;
    lb_node_force force = {.body = 0, .node = 1, .force = {0, 0, 0, 7, 0, 0}};
    const lb_applied_loads applied = {.size = sizeof applied, .force_count = 1, .forces = &force};
    assert_int_equal(lb_compute_recovery(model, work, NULL, 0, 0, &value), LB_E_STAGE);
    lb_expect_ok(lb_tree_inverse(model, work, q, v, a, tau));
    lb_expect_ok(lb_compute_recovery(model, work, NULL, 0, 0, &value));
    lb_expect_near("y", value, 2 * 0.25 + 3 * 10, 1e-14);
    lb_expect_ok(lb_compute_recovery(model, work, &applied, 0, 0, &value));
    lb_expect_near("y", value, 2 * 0.25 + 3 * 10 + 5 * 7, 1e-14);
    lb_expect_ok(lb_compute_recovery_share(model, work, &applied, NULL, 0, 0, &value));
    lb_expect_near("share", value, 5 * 7, 1e-14);
    assert_int_equal(lb_compute_recovery(model, work, NULL, 0, 1, &value), LB_E_ARGUMENT);
    assert_int_equal(lb_compute_recovery(model, work, NULL, 1, 0, &value), LB_E_ARGUMENT);
    force.force[4] = INFINITY;
    assert_int_equal(lb_compute_recovery(model, work, &applied, 0, 0, &value), LB_E_NUMBER);
    assert_int_equal(lb_compute_recovery_share(model, work, &applied, NULL, 0, 0, &value),
                     LB_E_NUMBER);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

// Huge numbers whose sum is not finite are numbers all the same.
static void sums_that_overflow(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_revolute_chain(3), 11);
    double b[3] = {1.5e308, 1.5e308, 1.5e308}, x[3];
    lb_expect_ok(lb_tree_inertia(t.model, t.work, t.q));
    lb_expect_ok(lb_tree_solve(t.model, t.work, b, x));
    double a[3] = {1.7e308, 1.7e308, 1.7e308}, tau[3];
    lb_expect_ok(lb_tree_inverse(t.model, t.work, t.q, t.v, a, tau));
    lb_end_trial(&t);
}

// A caller who vouches for his numbers gets what he computes with.
static void trusted_numbers_are_not_looked_at(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_revolute_chain(3), 12);
    double tau[3] = {NAN, 0.0, 0.0}, a[3] = {0.0};
    int entry;
    lb_trust_numbers(t.work, true);
    lb_expect_ok(lb_tree_forward(t.model, t.work, t.q, t.v, tau, a));
    assert_true(isnan(a[0]));
    lb_trust_numbers(t.work, false);
    assert_int_equal(lb_tree_forward(t.model, t.work, t.q, t.v, tau, a), LB_E_NUMBER);
    assert_string_equal(lb_get_bad_number(t.work, &entry), "tau");
    assert_int_equal(entry, 0);
    lb_end_trial(&t);
}

// ---- loads ---------------------------------------------------------------------------------------

static void forces_of_loops_in_other_axes(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    lb_scene *scene = lb_create_revolute_chain(4);
    scene->spare_count = 1;
    lb_trial t = lb_begin_scene_trial(scene, 5);
    const lb_loop_ends ends = {.size = sizeof ends, .type = LB_LOOP_WELD, .body_a = 0, .body_b = 2};
    int slot = -1;
    lb_expect_ok(lb_make_loop(t.model, t.work, -1, &ends, &slot));
    lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
    for (int i = 0; i < 18; ++i) {
        double force[6] = {1, 2, 3, 4, 5, 6}, out[6];
        int at;
        lb_expect_ok(lb_refer_loop_force(t.model, t.work, slot, force, NULL, out));
        force[i / 3] = bad[i % 3];
        assert_int_equal(lb_refer_loop_force(t.model, t.work, slot, force, NULL, out), LB_E_NUMBER);
        assert_string_equal(lb_get_bad_number(t.work, &at), "force");
        assert_int_equal(at, i / 3);
    }
    lb_end_trial(&t);
}

static void loads_on_the_far_side_of_a_cut(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    const double shape[6] = {0, 0, 0, 0, 1, 0}, stiffness = 5.0, q[1] = {0}, v[1] = {0};
    lb_flex_node nodes[2] = {lb_default_flex_node(), lb_default_flex_node()};
    lb_flex_cut cut = {.node = 1, .normal = {1, 0, 0}};
    nodes[0].name = "one", nodes[1].name = "two";
    nodes[0].mass = nodes[1].mass = nodes[1].position[0] = 1.0;
    nodes[0].shape = nodes[1].shape = shape;
    lb_flex_options flex = lb_default_flex_options();
    flex.mode_count = flex.cut_count = 1;
    flex.node_count = 2;
    flex.nodes = nodes;
    flex.stiffness = &stiffness;
    flex.cuts = &cut;
    lb_body_options body = lb_default_body_options();
    body.name = "bar";
    body.flex = &flex;
    lb_model *model = NULL;
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    assert_true(lb_has_cut(model, 0, 2) && !lb_has_cut(model, 0, 1) && !lb_has_cut(model, 7, 1));
    lb_work *work = lb_create_work(model);
    double tau[1], load[6];
    assert_int_equal(lb_compute_cut_force(model, work, NULL, 0, 2, NULL, load), LB_E_STAGE);
    assert_int_equal(lb_compute_modal_cut_force(model, work, 0, 2, NULL, load), LB_E_STAGE);
    lb_expect_ok(lb_tree_inverse(model, work, q, v, NULL, tau));
    assert_int_equal(lb_compute_cut_force(model, work, NULL, 0, 1, NULL, load), LB_E_ARGUMENT);
    assert_int_equal(lb_compute_modal_cut_force(model, work, 0, 1, NULL, load), LB_E_ARGUMENT);
    assert_int_equal(lb_compute_modal_cut_force(model, work, 0, LB_NOT_FOUND, NULL, load),
                     LB_E_ARGUMENT);
    lb_expect_ok(lb_compute_modal_cut_force(model, work, 0, 2, NULL, load));
    for (int i = 0; i < 18; ++i) {
        lb_node_force force = {.body = 0, .node = 2};
        const lb_applied_loads loads = {.size = sizeof loads, .force_count = 1, .forces = &force};
        lb_expect_ok(lb_compute_cut_force(model, work, &loads, 0, 2, NULL, load));
        force.force[i / 3] = bad[i % 3];
        assert_int_equal(lb_compute_cut_force(model, work, &loads, 0, 2, NULL, load), LB_E_NUMBER);
    }
    // a plane that is none
    for (int i = 0; i < 4; ++i) {
        cut.normal[0] = i < 3 ? bad[i] : 0.0;
        builder = lb_create_builder(NULL, NULL);
        assert_int_equal(lb_add_body(builder, &body, NULL), LB_E_MODEL);
        lb_destroy_builder(builder);
    }
    // integrals, which do not say where mass is
    const lb_flex_integrals integrals = {.size = sizeof integrals, .mass = 1.0};
    cut.normal[0] = 1.0;
    flex.integrals = &integrals;
    builder = lb_create_builder(NULL, NULL);
    assert_int_equal(lb_add_body(builder, &body, NULL), LB_E_MODEL);
    lb_destroy_builder(builder);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_loops_in_other_axes),
        cmocka_unit_test(loads_on_the_far_side_of_a_cut),
        cmocka_unit_test(trusted_numbers_are_not_looked_at),
        cmocka_unit_test(rigid_trees),
        cmocka_unit_test(flexible_trees),
        cmocka_unit_test(closed_loops),
        cmocka_unit_test(locked_hinges_are_not_read),
        cmocka_unit_test(ends_of_loops),
        cmocka_unit_test(assembly),
        cmocka_unit_test(batches),
        cmocka_unit_test(products_with_operators),
        cmocka_unit_test(modal_integrals),
        cmocka_unit_test(recovered_quantities),
        cmocka_unit_test(sums_that_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
