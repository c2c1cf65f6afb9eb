// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "flatten.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../measure.h"
#include "random.h"

static void lb_refuse(const lb_model *model, int body, const char *why)
{
    fprintf(stderr, "%s: body %s: %s\n", lb_get_model_name(model), lb_get_body_name(model, body),
            why);
    exit(1);
}

// ---- order -------------------------------------------------------------------------------------

// Appends the children of a body, each with its subtree, to the order; an explicit stack, since
// chains are deep.
static void lb_order_bodies(const lb_model *model, int *order)
{
    const int n = lb_get_body_count(model);
    int *first = malloc(((size_t)n + 1) * sizeof *first), *next = malloc((size_t)n * sizeof *next);
    int *stack = malloc((size_t)n * sizeof *stack), depth = 0, count = 0;
    if (first == NULL || next == NULL || stack == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    for (int k = 0; k <= n; ++k) {
        first[k] = -1;
    }
    for (int k = n - 1; k >= 0; --k) {
        const int p = lb_get_hinge(model, k).parent + 1;
        next[k] = first[p];
        first[p] = k;
    }
    for (int k = first[0]; k >= 0 || depth > 0;) {
        if (k < 0) {
            k = next[stack[--depth]];
            continue;
        }
        order[count++] = k;
        stack[depth++] = k;
        k = first[k + 1];
    }
    free(first);
    free(next);
    free(stack);
}

// ---- a body ------------------------------------------------------------------------------------

static void lb_conjugate_turn(const double q[4], const double x[3], double r[3])
{
    // x turned back by q: x + 2 u x (u x x + w x) with u = -q.xyz
    const double u[3] = {-q[1], -q[2], -q[3]};
    const double t[3] = {u[1] * x[2] - u[2] * x[1] + q[0] * x[0],
                         u[2] * x[0] - u[0] * x[2] + q[0] * x[1],
                         u[0] * x[1] - u[1] * x[0] + q[0] * x[2]};
    r[0] = x[0] + 2 * (u[1] * t[2] - u[2] * t[1]);
    r[1] = x[1] + 2 * (u[2] * t[0] - u[0] * t[2]);
    r[2] = x[2] + 2 * (u[0] * t[1] - u[1] * t[0]);
}

static void lb_conjugate_multiply(const double a[4], const double b[4], double r[4])
{
    r[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    r[1] = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
    r[2] = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1];
    r[3] = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0];
}

// Pose of the body's hinge in its parent and axis: from the motion at q = 0 and unit speed.
static void lb_flatten_body(const lb_model *model, lb_work *work, int body, lb_tree_body *b)
{
    lb_node_motion parent, at, own;
    const int p = lb_get_hinge(model, body).parent;
    lb_compute_node_motion(model, work, p, 0, &parent);
    lb_compute_node_motion(model, work, p, lb_get_hinge(model, body).parent_node, &at);
    const double apart[3] = {at.position[0] - parent.position[0],
                             at.position[1] - parent.position[1],
                             at.position[2] - parent.position[2]};
    lb_conjugate_turn(parent.rotation, apart, b->position);
    lb_conjugate_multiply(parent.rotation, at.rotation, b->rotation);
    lb_get_mass_properties(model, body, &b->mass, b->com, b->inertia);
    if (lb_get_mode_count(model, body) > 0 || lb_get_hinge(model, body).node != 0) {
        lb_refuse(model, body, "peers have rigid bodies that hang by their origins only");
    }
    // every speed is 1, so the axis is what the body moves more than the place where it hangs
    lb_compute_node_motion(model, work, body, 0, &own);
    double axis[3];
    switch (lb_get_hinge(model, body).type) {
    case LB_HINGE_REVOLUTE:
        b->hinge = LB_TREE_REVOLUTE;
        break;
    case LB_HINGE_PRISMATIC:
        b->hinge = LB_TREE_PRISMATIC;
        break;
    case LB_HINGE_FREE:
        b->hinge = LB_TREE_FREE;
        return;
    default:
        lb_refuse(model, body, "peers have revolute, prismatic and free hinges only");
    }
    const int half = b->hinge == LB_TREE_REVOLUTE ? 0 : 3;
    for (int i = 0; i < 3; ++i) {
        axis[i] = own.velocity[half + i] - at.velocity[half + i];
    }
    lb_conjugate_turn(own.rotation, axis, b->axis);
}

static void lb_draw_tree_state(lb_tree *tree, unsigned seed)
{
    lb_random random;
    lb_seed_random(&random, seed);
    lb_draw_vector(&random, tree->q_count, 1.0, tree->q);
    lb_draw_vector(&random, tree->v_count, 1.0, tree->v);
    lb_draw_vector(&random, tree->v_count, 1.0, tree->tau);
    lb_draw_vector(&random, tree->v_count, 1.0, tree->a);
    if (lb_tree_floats(tree)) {
        lb_draw_quaternion(&random, tree->q);
    }
}

lb_tree *lb_flatten_model(const lb_model *model, unsigned seed)
{
    const int n = lb_get_body_count(model);
    lb_tree *tree = lb_create_tree_data(n);
    lb_work *work = lb_create_work(model);
    double *q = lb_make_numbers(lb_get_q_count(model));
    double *v = lb_make_numbers(lb_get_v_count(model));
    int *order = calloc((size_t)n, sizeof *order), *place = calloc((size_t)n, sizeof *place);
    if (work == NULL || order == NULL || place == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    lb_get_gravity(model, tree->gravity);
    lb_get_neutral_configuration(model, q);
    lb_order_bodies(model, order);
    for (int k = 0; k < n; ++k) {
        const int body = order[k], p = lb_get_hinge(model, body).parent;
        lb_tree_body *b = &tree->bodies[k];
        place[body] = k;
        // this hinge alone moves
        v[lb_get_v_offset(model, body)] = 1.0;
        lb_compute_kinematics(model, work, q, v, NULL);
        v[lb_get_v_offset(model, body)] = 0.0;
        lb_flatten_body(model, work, body, b);
        b->parent = p < 0 ? -1 : place[p];
        if (b->hinge == LB_TREE_FREE && k > 0) {
            lb_refuse(model, body, "peers have one free body, the first");
        }
    }
    lb_count_tree(tree);
    lb_draw_tree_state(tree, seed);
    free(q);
    free(v);
    free(order);
    free(place);
    lb_destroy_work(work);
    return tree;
}

// ---- reference ---------------------------------------------------------------------------------

// Copies between the order of the model and the order of the tree.
static void lb_reorder(const lb_model *model, const int *order, int configuration, int to_tree,
                       const double *from, double *to)
{
    int at = 0;
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        const int body = order[k];
        const int count =
            configuration ? lb_get_hinge(model, body).q_count : lb_get_hinge(model, body).v_count;
        const int other =
            configuration ? lb_get_q_offset(model, body) : lb_get_v_offset(model, body);
        memcpy(to + (to_tree ? at : other), from + (to_tree ? other : at),
               (size_t)count * sizeof *to);
        at += count;
    }
}

int lb_compute_reference(const lb_model *model, const lb_tree *tree, lb_call call, double *answer)
{
    // above this a dense matrix is not what the model is for
    enum { MATRIX_MAX = 2000 };
    const int n = tree->v_count;
    if (call == LB_CALL_MASS && n > MATRIX_MAX) {
        return 0;
    }
    lb_work *work = lb_create_work(model);
    int *order = calloc((size_t)tree->body_count, sizeof *order);
    double *q = lb_make_numbers(tree->q_count), *v = lb_make_numbers(n), *x = lb_make_numbers(n);
    double *y = lb_make_numbers(n), *M = lb_make_numbers(call == LB_CALL_MASS ? n * n : 0);
    if (work == NULL || order == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    lb_order_bodies(model, order);
    lb_reorder(model, order, 1, 0, tree->q, q);
    lb_reorder(model, order, 0, 0, tree->v, v);
    lb_reorder(model, order, 0, 0, call == LB_CALL_FORWARD ? tree->tau : tree->a, x);
    lb_status status = LB_OK;
    if (call == LB_CALL_FORWARD) {
        status = lb_compute_forward_dynamics(model, work, q, v, x, y);
    } else if (call == LB_CALL_INVERSE) {
        status = lb_compute_inverse_dynamics(model, work, q, v, x, y);
    } else {
        status = lb_compute_mass_matrix(model, work, q, M);
        for (int i = 0; i < n * n; ++i) {
            y[i / n] += M[i] * x[i % n];
        }
    }
    if (status != LB_OK) {
        fprintf(stderr, "%s: %s\n", lb_get_model_name(model), lb_get_status_text(status));
        exit(1);
    }
    lb_reorder(model, order, 0, 1, y, answer);
    free(order);
    free(q);
    free(v);
    free(x);
    free(y);
    free(M);
    lb_destroy_work(work);
    return 1;
}
