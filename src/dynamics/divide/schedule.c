// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "division.h"
#include "dynamics/tree/eliminate.h"
#include "dynamics/tree/steps.h"

// ---- weak bodies -------------------------------------------------------------------------------

enum {
    LB_STRONG,
    LB_WEAK,    // its inertia is next to nothing against that of a child: digits would be lost
    LB_WEAKEST, // a pivot of its own inertia is zero
};

// Pivots of the modes and the hinge of a body, from its own inertia and, where `child` is not NULL,
// that of a child in its place. Returns 0 if one is lost.
static int find_pivots(const lb_model *model, lb_work *work, int k, int child, double *pivots)
{
    const lb_body *b = &model->bodies[k];
    lb_flex_work *f = lb_get_flex(model, work, k);
    const int n = b->mode_count;
    lb_sym6 P_plus;
    lb_sym6 *P = &work->bodies[k].P;
    *P = lb_sym6_from_inertia(lb_get_inertia(model, work, k));
    for (int r = 0; r < n; ++r) {
        f->P_rf[r] = f->M_rf[r];
        for (int s = 0; s <= r; ++s) {
            f->P_ff[r * n + s] = f->M_ff[r * n + s];
        }
    }
    if (child >= 0) {
        const lb_inertia M =
            lb_inertia_carry(&work->bodies[child].X, lb_get_inertia(model, work, child));
        const lb_sym6 Gamma = lb_sym6_from_inertia(&M);
        if (model->bodies[child].at) {
            lb_add_joint_inertia(model, work, child, &Gamma);
        } else {
            lb_sym6_add(P, &Gamma);
        }
    }
    int bad;
    if (n > 0 && lb_take_out_modes(b, P, f, &bad) != LB_OK) {
        return 0;
    }
    for (int r = 0; r < n; ++r) {
        *pivots++ = 1.0 / f->P_ff[r * n + r];
    }
    if (lb_eliminate_hinge(b, P, work, &P_plus, &bad) != LB_OK) {
        return 0;
    }
    for (int i = 0; i < b->nv; ++i) {
        *pivots++ = 1.0 / work->D[b->factor + i * (b->nv + 1)];
    }
    return 1;
}

// A body is weak beside a child if a pivot grows by so much with it.
static const double weak_ratio = 1e2;

static int judge(const lb_model *model, lb_work *work, int k, int child, double *scratch)
{
    const lb_body *b = &model->bodies[k];
    double *own = scratch, *both = own + b->mode_count + 6;
    if (!find_pivots(model, work, k, -1, own)) {
        return LB_WEAKEST;
    }
    if (!find_pivots(model, work, k, child, both)) {
        return LB_STRONG;
    }
    for (int i = 0; i < b->mode_count + b->nv; ++i) {
        if (both[i] > weak_ratio * own[i]) {
            return LB_WEAK;
        }
    }
    return LB_STRONG;
}

// Finds bodies that a run should not end with, LB_WEAK, or must not, LB_WEAKEST: what their modes
// and their hinge meet of themselves alone, against what they meet together with a child. Judged in
// the neutral configuration.
//
// @param weak  out: by sweep index
static lb_status find_weak_bodies(const lb_model *model, unsigned char *weak)
{
    int modes = 0;
    for (int k = 0; k < model->body_count; ++k) {
        const int n = model->bodies[k].mode_count;
        modes = n > modes ? n : modes;
    }
    lb_arena arena;
    arena = lb_make_arena(&model->arena.allocator);
    double *q = lb_arena_take(&arena, (size_t)model->q_count, sizeof *q);
    double *scratch = lb_arena_take(&arena, 2 * ((size_t)modes + 6), sizeof *scratch);
    lb_work *work = q && scratch ? lb_create_work(model) : NULL;
    if (work) {
        lb_get_neutral_configuration(model, q);
        (void)lb_compute_kinematics(model, work, q, NULL, NULL);
        lb_update_inertia(model, work);
        for (int k = model->body_count - 1; k >= 0; --k) {
            const int p = model->bodies[k].parent;
            if (p >= 0 && weak[p] == LB_STRONG) {
                weak[p] = (unsigned char)judge(model, work, p, k, scratch);
            }
        }
        lb_destroy_work(work);
    }
    lb_arena_free(&arena);
    return work ? LB_OK : LB_E_MEMORY;
}

// ---- the schedule ------------------------------------------------------------------------------

#define TAKE(arena, pointer, count)                                                                \
    (((pointer) = lb_arena_take((arena), (size_t)(count), sizeof *(pointer))) != NULL)

// What is under construction. Nodes are numbered as they are made: level by level within a path.
typedef struct plan {
    const lb_model *model;
    const unsigned char *weak;
    int run_length;
    int node_count, body_count; // so far
    int *first, *end, *inner, *outer, *head, *open, *base, *beyond;
    unsigned char *hinged, *whole;
    int *bodies;
    int *at;    // by node: its level
    int *depth; // by node: eliminations and joins below it, and itself
    int *next;  // by body: the child that goes on with its path, or -1
    int *top;   // by body: the node of the path that it starts, or -1
    int *raked, *rakes;
    int *path; // bodies of a path, base to tip
    int *row;  // nodes of a path that are not joined yet, base to tip
} plan;

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// The child that goes on with the path of its parent: the one with most bodies outboard.
static void choose_next(plan *p, int *size)
{
    const lb_body *bodies = p->model->bodies;
    for (int k = 0; k < p->model->body_count; ++k) {
        size[k] = 1;
        p->next[k] = -1;
    }
    for (int k = p->model->body_count - 1; k >= 0; --k) {
        const int parent = bodies[k].parent;
        if (parent >= 0) {
            size[parent] += size[k];
            if (p->next[parent] < 0 || size[k] >= size[p->next[parent]]) {
                p->next[parent] = k;
            }
        }
    }
}

// Children that start paths, by parent; first the bodies, and nodes in their place at the end.
static void list_rakes(plan *p)
{
    const int n = p->model->body_count;
    const lb_body *bodies = p->model->bodies;
    // counted two places ahead, summed, then filled: raked[k + 1] ends up where list k ends
    for (int k = 0; k < n; ++k) {
        const int parent = bodies[k].parent;
        p->raked[parent + 2] += parent >= 0 && p->next[parent] != k;
    }
    for (int k = 0; k < n; ++k) {
        p->raked[k + 2] += p->raked[k + 1];
    }
    for (int k = 0; k < n; ++k) {
        const int parent = bodies[k].parent;
        if (parent >= 0 && p->next[parent] != k) {
            p->rakes[p->raked[parent + 1]++] = k;
        }
    }
}

static int add_node(plan *p)
{
    const int n = p->node_count++;
    p->first[n] = p->end[n] = p->inner[n] = p->outer[n] = p->beyond[n] = -1;
    p->base[n] = n;
    return n;
}

// A run: path[from] .. path[to - 1].
static int add_run(plan *p, int from, int to, int length)
{
    const int n = add_node(p);
    int level = 0, depth = 0;
    p->first[n] = p->body_count;
    for (int i = from; i < to; ++i) {
        p->bodies[p->body_count++] = p->path[i];
    }
    p->end[n] = p->body_count;
    p->head[n] = p->path[from];
    p->open[n] = to < length ? p->path[to] : -1;
    p->beyond[n] = to < length ? n - 1 : -1; // runs of a path are made from its tip
    for (int i = to - 1; i >= from; --i) {
        const int k = p->path[i];
        for (int j = p->raked[k]; j < p->raked[k + 1]; ++j) {
            level = larger(level, p->at[p->top[p->rakes[j]]] + 1);
            depth = larger(depth, p->depth[p->top[p->rakes[j]]]);
        }
        ++depth;
    }
    p->at[n] = level;
    p->depth[n] = depth;
    return n;
}

static int add_join(plan *p, int a, int b)
{
    const int n = add_node(p);
    p->inner[n] = a;
    p->outer[n] = b;
    p->head[n] = p->head[a];
    p->base[n] = p->base[a];
    p->open[n] = p->open[b];
    p->hinged[a] = 0;
    p->at[n] = larger(p->at[a], p->at[b]) + 1;
    p->depth[n] = larger(p->depth[a], p->depth[b]) + 1;
    return n;
}

// Whether a run of so many bodies is to be cut off outboard of body k.
static int may_cut(const plan *p, int k, int length)
{
    // looking for a strong body has an end, waiting for inertia has none
    enum { PATIENCE = 4 };
    return length >= p->run_length &&
           (p->weak[k] == LB_STRONG ||
            (p->weak[k] == LB_WEAK && length >= PATIENCE * p->run_length));
}

// Cuts a path into runs, from its tip.
static int cut_path(plan *p, int length)
{
    int count = 0;
    for (int to = length; to > 0;) {
        int from = to - 1;
        while (from > 0 && !may_cut(p, p->path[from - 1], to - from)) {
            --from;
        }
        p->row[count++] = from;
        to = from;
    }
    // row holds the starts, tip first
    int to = length;
    for (int i = 0; i < count; ++i) {
        const int from = p->row[i];
        p->row[i] = add_run(p, from, to, length);
        to = from;
    }
    for (int i = 0; i < count / 2; ++i) {
        const int swap = p->row[i];
        p->row[i] = p->row[count - 1 - i];
        p->row[count - 1 - i] = swap;
    }
    return count;
}

// Joins neighbours, those that are ready first, until one node is left.
static int join_path(plan *p, int count)
{
    while (count > 1) {
        // the least depth at which two neighbours are ready
        int ready = larger(p->depth[p->row[0]], p->depth[p->row[1]]);
        for (int i = 1; i + 1 < count; ++i) {
            const int both = larger(p->depth[p->row[i]], p->depth[p->row[i + 1]]);
            ready = both < ready ? both : ready;
        }
        int kept = 0;
        for (int i = 0; i < count; ++kept) {
            const int a = p->row[i];
            if (i + 1 < count && p->depth[a] <= ready && p->depth[p->row[i + 1]] <= ready) {
                p->row[kept] = add_join(p, a, p->row[i + 1]);
                i += 2;
            } else {
                p->row[kept] = a;
                i += 1;
            }
        }
        count = kept;
    }
    return p->row[0];
}

static void plan_path(plan *p, int head)
{
    int length = 0;
    for (int k = head; k >= 0; k = p->next[k]) {
        p->path[length++] = k;
    }
    const int top = join_path(p, cut_path(p, length));
    p->whole[top] = 1;
    p->top[head] = top;
}

// Nodes by level, in the order of their numbers.
static lb_status sort_levels(const plan *p, lb_arena *arena, lb_schedule *s)
{
    int *level, *order;
    s->level_count = 0;
    for (int n = 0; n < p->node_count; ++n) {
        s->level_count = larger(s->level_count, p->at[n] + 1);
        s->depth = larger(s->depth, p->depth[n]);
    }
    if (!TAKE(arena, level, s->level_count + 2) || !TAKE(arena, order, p->node_count)) {
        return LB_E_MEMORY;
    }
    for (int n = 0; n < p->node_count; ++n) {
        ++level[p->at[n] + 2];
    }
    for (int i = 0; i < s->level_count; ++i) {
        level[i + 2] += level[i + 1];
    }
    for (int n = 0; n < p->node_count; ++n) {
        order[level[p->at[n] + 1]++] = n;
    }
    s->level = level;
    s->order = order;
    return LB_OK;
}

lb_status lb_build_schedule(const lb_model *model, int run_length, lb_arena *arena,
                            lb_arena *scratch, lb_schedule *schedule)
{
    const int n = model->body_count, most = 2 * n + 1;
    plan p = {.model = model, .run_length = run_length > 0 ? run_length : 1};
    int *size;
    unsigned char *weak;
    if (!TAKE(scratch, weak, n) || !TAKE(arena, p.first, most) || !TAKE(arena, p.end, most) ||
        !TAKE(arena, p.inner, most) || !TAKE(arena, p.outer, most) || !TAKE(arena, p.head, most) ||
        !TAKE(arena, p.open, most) || !TAKE(arena, p.hinged, most) || !TAKE(arena, p.whole, most) ||
        !TAKE(arena, p.base, most) || !TAKE(arena, p.beyond, most) || !TAKE(arena, p.bodies, n) ||
        !TAKE(arena, p.raked, n + 2) || !TAKE(arena, p.rakes, n) || !TAKE(scratch, p.at, most) ||
        !TAKE(scratch, p.depth, most) || !TAKE(scratch, p.next, n) || !TAKE(scratch, p.top, n) ||
        !TAKE(scratch, p.path, n) || !TAKE(scratch, p.row, n) || !TAKE(scratch, size, n)) {
        return LB_E_MEMORY;
    }
    const lb_status status = find_weak_bodies(model, weak);
    if (status != LB_OK) {
        return status;
    }
    p.weak = weak;
    for (int i = 0; i < most; ++i) {
        p.hinged[i] = 1;
    }
    choose_next(&p, size);
    list_rakes(&p);
    // a path hangs on a body of a lower number than its own first: tips first
    for (int k = n - 1; k >= 0; --k) {
        const int parent = model->bodies[k].parent;
        if (parent < 0 || p.next[parent] != k) {
            plan_path(&p, k);
        }
    }
    for (int j = 0; j < p.raked[n]; ++j) {
        p.rakes[j] = p.top[p.rakes[j]];
    }
    *schedule = (lb_schedule){.node_count = p.node_count,
                              .first = p.first,
                              .end = p.end,
                              .inner = p.inner,
                              .outer = p.outer,
                              .head = p.head,
                              .open = p.open,
                              .hinged = p.hinged,
                              .whole = p.whole,
                              .base = p.base,
                              .beyond = p.beyond,
                              .bodies = p.bodies,
                              .raked = p.raked,
                              .rakes = p.rakes};
    return sort_levels(&p, arena, schedule);
}
