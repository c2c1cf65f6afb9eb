// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const LB_TREE_HINGE_NAMES[LB_TREE_HINGE_COUNT] = {"revolute", "prismatic",
                                                                     "free"};

static void *lb_allocate(int count, size_t size)
{
    void *memory = calloc(count > 0 ? (size_t)count : 1, size);
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

lb_tree *lb_create_tree_data(int body_count)
{
    lb_tree *tree = lb_allocate(1, sizeof *tree);
    tree->body_count = body_count;
    tree->bodies = lb_allocate(body_count, sizeof *tree->bodies);
    return tree;
}

void lb_destroy_tree_data(lb_tree *tree)
{
    if (tree == NULL) {
        return;
    }
    free(tree->q);
    free(tree->v);
    free(tree->tau);
    free(tree->a);
    free(tree->bodies);
    free(tree);
}

void lb_count_tree(lb_tree *tree)
{
    tree->q_count = tree->v_count = 0;
    for (int k = 0; k < tree->body_count; ++k) {
        lb_tree_body *b = &tree->bodies[k];
        b->q = tree->q_count;
        b->v = tree->v_count;
        tree->q_count += b->hinge == LB_TREE_FREE ? 7 : 1;
        tree->v_count += b->hinge == LB_TREE_FREE ? 6 : 1;
    }
    tree->q = lb_allocate(tree->q_count, sizeof *tree->q);
    tree->v = lb_allocate(tree->v_count, sizeof *tree->v);
    tree->tau = lb_allocate(tree->v_count, sizeof *tree->tau);
    tree->a = lb_allocate(tree->v_count, sizeof *tree->a);
}

// ---- files -------------------------------------------------------------------------------------

static void lb_write_numbers(FILE *file, int count, const double *numbers)
{
    for (int i = 0; i < count; ++i) {
        fprintf(file, " %.17g", numbers[i]);
    }
    fputc('\n', file);
}

static void lb_give_up(const char *path)
{
    fprintf(stderr, "%s: cannot be read or written\n", path);
    exit(1);
}

void lb_write_tree(const lb_tree *tree, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        lb_give_up(path);
        return;
    }
    fprintf(file, "%d\n", tree->body_count);
    lb_write_numbers(file, 3, tree->gravity);
    for (int k = 0; k < tree->body_count; ++k) {
        const lb_tree_body *b = &tree->bodies[k];
        fprintf(file, "%d %s", b->parent, LB_TREE_HINGE_NAMES[b->hinge]);
        lb_write_numbers(file, 3, b->position);
        lb_write_numbers(file, 4, b->rotation);
        lb_write_numbers(file, 3, b->axis);
        lb_write_numbers(file, 1, &b->mass);
        lb_write_numbers(file, 3, b->com);
        lb_write_numbers(file, 6, b->inertia);
    }
    lb_write_numbers(file, tree->q_count, tree->q);
    lb_write_numbers(file, tree->v_count, tree->v);
    lb_write_numbers(file, tree->v_count, tree->tau);
    lb_write_numbers(file, tree->v_count, tree->a);
    if (fclose(file) != 0) {
        lb_give_up(path);
    }
}

static void lb_read_numbers(FILE *file, const char *path, int count, double *numbers)
{
    for (int i = 0; i < count; ++i) {
        if (fscanf(file, "%lf", &numbers[i]) != 1) {
            lb_give_up(path);
        }
    }
}

lb_tree *lb_read_tree(const char *path)
{
    FILE *file = fopen(path, "r");
    int body_count;
    if (file == NULL || fscanf(file, "%d", &body_count) != 1 || body_count < 1) {
        lb_give_up(path);
        return NULL;
    }
    lb_tree *tree = lb_create_tree_data(body_count);
    lb_read_numbers(file, path, 3, tree->gravity);
    for (int k = 0; k < body_count; ++k) {
        lb_tree_body *b = &tree->bodies[k];
        char hinge[16];
        if (fscanf(file, "%d %15s", &b->parent, hinge) != 2 || b->parent < -1 || b->parent >= k) {
            lb_give_up(path);
        }
        int type = 0;
        while (type < LB_TREE_HINGE_COUNT && strcmp(hinge, LB_TREE_HINGE_NAMES[type]) != 0) {
            ++type;
        }
        if (type == LB_TREE_HINGE_COUNT) {
            lb_give_up(path);
        }
        b->hinge = (lb_tree_hinge)type;
        lb_read_numbers(file, path, 3, b->position);
        lb_read_numbers(file, path, 4, b->rotation);
        lb_read_numbers(file, path, 3, b->axis);
        lb_read_numbers(file, path, 1, &b->mass);
        lb_read_numbers(file, path, 3, b->com);
        lb_read_numbers(file, path, 6, b->inertia);
    }
    lb_count_tree(tree);
    lb_read_numbers(file, path, tree->q_count, tree->q);
    lb_read_numbers(file, path, tree->v_count, tree->v);
    lb_read_numbers(file, path, tree->v_count, tree->tau);
    lb_read_numbers(file, path, tree->v_count, tree->a);
    fclose(file);
    return tree;
}

// ---- the free hinge ----------------------------------------------------------------------------

int lb_tree_floats(const lb_tree *tree)
{
    return tree->bodies[0].hinge == LB_TREE_FREE;
}

void lb_get_free_rotation(const lb_tree *tree, double R[9])
{
    const double w = tree->q[0], x = tree->q[1], y = tree->q[2], z = tree->q[3];
    const double rows[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, rows, sizeof rows);
}

// w x v of the state, in body axes: what the world's derivative of the linear velocity has more
static void lb_get_turning(const lb_tree *tree, double c[3])
{
    const double *w = tree->v, *v = tree->v + 3;
    c[0] = w[1] * v[2] - w[2] * v[1];
    c[1] = w[2] * v[0] - w[0] * v[2];
    c[2] = w[0] * v[1] - w[1] * v[0];
}

void lb_free_to_world(const lb_tree *tree, lb_free_kind kind, double *x)
{
    if (!lb_tree_floats(tree)) {
        return;
    }
    double R[9], c[3] = {0, 0, 0};
    lb_get_free_rotation(tree, R);
    if (kind == LB_FREE_ACCELERATION) {
        lb_get_turning(tree, c);
    }
    const double l[3] = {x[3] + c[0], x[4] + c[1], x[5] + c[2]};
    for (int i = 0; i < 3; ++i) {
        x[3 + i] = R[3 * i] * l[0] + R[3 * i + 1] * l[1] + R[3 * i + 2] * l[2];
    }
}

void lb_free_from_world(const lb_tree *tree, lb_free_kind kind, double *x)
{
    if (!lb_tree_floats(tree)) {
        return;
    }
    double R[9], c[3] = {0, 0, 0};
    lb_get_free_rotation(tree, R);
    if (kind == LB_FREE_ACCELERATION) {
        lb_get_turning(tree, c);
    }
    const double l[3] = {x[3], x[4], x[5]};
    for (int i = 0; i < 3; ++i) {
        x[3 + i] = R[i] * l[0] + R[3 + i] * l[1] + R[6 + i] * l[2] - c[i];
    }
}
