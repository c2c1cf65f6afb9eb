// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "tree_image.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lanes_of.h"
#include "model/modal/appendix_c.h"
#include "model/modal/mode_update.h"
#include "verdict.h"

// ---- pieces ------------------------------------------------------------------------------------

// The place of a source in the table: its own, or an empty one.
static lb_image_entry *find_entry(lb_image_entry *entries, size_t capacity, const void *source)
{
    size_t i = ((uintptr_t)source >> 3) * 0x9e3779b97f4a7c15u & (capacity - 1);
    while (entries[i].source && entries[i].source != source) {
        i = (i + 1) & (capacity - 1);
    }
    return &entries[i];
}

// Room for one more entry.
static int grow(lb_tree_image *image)
{
    if (2 * (image->entry_count + 1) <= image->capacity) {
        return 1;
    }
    const size_t capacity = image->capacity ? 2 * image->capacity : 1024;
    lb_image_entry *entries = calloc(capacity, sizeof *entries);
    if (!entries) {
        image->status = LB_E_MEMORY;
        return 0;
    }
    for (size_t i = 0; i < image->capacity; ++i) {
        if (image->entries[i].source) {
            *find_entry(entries, capacity, image->entries[i].source) = image->entries[i];
        }
    }
    free(image->entries);
    image->entries = entries;
    image->capacity = capacity;
    return 1;
}

// Room at the end of the block, and its offset.
static size_t take_room(lb_tree_image *image, size_t size)
{
    const size_t at = (image->used + LB_ALIGNMENT - 1) & ~(size_t)(LB_ALIGNMENT - 1);
    image->used = at + size;
    return at;
}

// Addresses of the block are not this machine's: no pointer may be made of them by arithmetic of pointers.
static void *get_place(const lb_tree_image *image, size_t offset)
{
    return (void *)(image->base + offset);
}

static void write(lb_tree_image *image, size_t offset, const void *content, size_t size)
{
    if (image->bytes) {
        memcpy(image->bytes + offset, content, size);
    }
}

// Puts a record into the block, once, under the address that it has here. `content` may differ from it in its pointers.
static void *put_record(lb_tree_image *image, const void *source, const void *content, size_t size)
{
    if (!source || !grow(image)) {
        return NULL;
    }
    lb_image_entry *entry = find_entry(image->entries, image->capacity, source);
    if (!entry->source) {
        *entry = (lb_image_entry){source, take_room(image, size)};
        ++image->entry_count;
        write(image, entry->offset, content, size);
    }
    return get_place(image, entry->offset);
}

// The same for an array without pointers.
static void *put(lb_tree_image *image, const void *source, size_t count, size_t size)
{
    return count ? put_record(image, source, source, count * size) : NULL;
}

#define PUT(image, pointer, count)                                                                 \
    ((pointer) = put((image), (pointer), (size_t)(count), sizeof *(pointer)))

// Room for something that kernels write before they read it.
static void *reserve(lb_tree_image *image, size_t count, size_t size)
{
    return get_place(image, take_room(image, count * size));
}

// ---- the model ---------------------------------------------------------------------------------

static const lb_node *put_node(lb_tree_image *image, const lb_node *node, int n)
{
    if (!node) {
        return NULL;
    }
    lb_node own = *node;
    own.name = NULL;
    PUT(image, own.shape, n);
    PUT(image, own.second, n * (n + 1) / 2);
    return put_record(image, node, &own, sizeof own);
}

static const lb_appendix_c *put_appendix_c(lb_tree_image *image, const lb_appendix_c *c, int n)
{
    if (!c) {
        return NULL;
    }
    const int pairs = n * (n + 1) / 2;
    lb_appendix_c own = *c;
    PUT(image, own.Z1, n);
    PUT(image, own.Z2, n * n);
    PUT(image, own.Q, n * n);
    PUT(image, own.C, n);
    PUT(image, own.RL, pairs);
    PUT(image, own.T3, pairs * n);
    PUT(image, own.R3, pairs * n);
    return put_record(image, c, &own, sizeof own);
}

static const lb_flex *put_flex(lb_tree_image *image, const lb_flex *flex)
{
    if (!flex) {
        return NULL;
    }
    const int n = flex->mode_count;
    int rows = 4 + 3 * n;
    for (int i = 0; i < flex->second_count; ++i) {
        rows = flex->second[i].row < rows ? rows : flex->second[i].row + 1;
    }
    lb_flex own = *flex;
    PUT(image, own.K, n * n);
    PUT(image, own.C, n * n);
    PUT(image, own.M_ff, n * n);
    PUT(image, own.h1, n);
    PUT(image, own.E, n);
    PUT(image, own.B0, n);
    PUT(image, own.B, n * n);
    PUT(image, own.S, n);
    PUT(image, own.S2, n * n);
    PUT(image, own.points, flex->block_count * rows);
    PUT(image, own.second, flex->second_count);
    own.appendix_c = put_appendix_c(image, flex->appendix_c, n);
    own.nodes = NULL;
    own.recovery = NULL;
    own.sections = NULL;
    return put_record(image, flex, &own, sizeof own);
}

static const lb_moving_hinge *put_moving(lb_tree_image *image, const lb_moving_hinge *moving, int n)
{
    if (!moving) {
        return NULL;
    }
    lb_moving_hinge own = *moving;
    own.node = put_node(image, moving->node, n);
    PUT(image, own.Pi, n);
    return put_record(image, moving, &own, sizeof own);
}

// Only P_0 of it is read: divide and conquer takes modes out one by one.
static const lb_mode_update *put_update(lb_tree_image *image, const lb_mode_update *update)
{
    if (!update) {
        return NULL;
    }
    const lb_mode_update own = {.child_count = update->child_count, .P_0 = update->P_0};
    return put_record(image, update, &own, sizeof own);
}

static void put_bodies(lb_tree_image *image, size_t at)
{
    const lb_model *model = image->source;
    for (int k = -1; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const int inboard = k < 0 || b->parent < 0 ? 0 : model->bodies[b->parent].mode_count;
        lb_body own = *b;
        PUT(image, own.between, 1);
        own.flex = put_flex(image, b->flex);
        own.update = put_update(image, b->update);
        own.at = put_node(image, b->at, inboard);
        own.moving = put_moving(image, b->moving, b->mode_count);
        write(image, at + (size_t)(k + 1) * sizeof own, &own, sizeof own);
    }
}

// By listed body; the frames of the caller are read where a hinge is at a moving node. After the bodies, which put the
// same nodes with their modes.
static const lb_body_info *put_infos(lb_tree_image *image)
{
    const lb_model *model = image->source;
    const size_t n = model->joint_count ? (size_t)model->body_count : 0;
    const size_t at = take_room(image, n * sizeof(lb_body_info));
    for (size_t i = 0; i < n; ++i) {
        const lb_body_info *info = &model->infos[i];
        const lb_body *b = &model->bodies[info->sweep];
        const lb_body_info own = {.sweep = info->sweep,
                                  .node_count = b->at ? 1 : 0,
                                  .nodes = b->at ? put_node(image, info->nodes, 0) : NULL};
        write(image, at + i * sizeof own, &own, sizeof own);
    }
    return get_place(image, at);
}

static void put_model(lb_tree_image *image)
{
    const lb_model *model = image->source;
    const size_t n = (size_t)model->body_count + 1, at = take_room(image, n * sizeof(lb_body));
    put_bodies(image, at);
    const lb_body_info *infos = put_infos(image);
    const lb_model own = {
        .body_count = model->body_count,
        .q_count = model->q_count,
        .v_count = model->v_count,
        .hinge_count = model->hinge_count,
        .factor_count = model->factor_count,
        .flex_count = model->flex_count,
        .joint_count = model->joint_count,
        .gravity = model->gravity,
        .bodies = get_place(image, at + sizeof(lb_body)), // behind the ground
        .infos = infos,
        .angle_q = put(image, model->angle_q, (size_t)model->angle_count, sizeof *model->angle_q),
        .angle_count = model->angle_count};
    image->model = put_record(image, model, &own, sizeof own);
}

// ---- the workspace -----------------------------------------------------------------------------

// A workspace lies in one piece of memory, which is taken over as it is; what points into it moves along.
static void put_work(lb_tree_image *image)
{
    const lb_model *model = image->source;
    const lb_work *work = image->own_work;
    const unsigned char *from = image->memory;
    const size_t at = take_room(image, image->memory_size);
    write(image, at, from, image->memory_size);
#define FROM(pointer) (at + (size_t)((const unsigned char *)(pointer)-from))
#define MOVE(pointer) ((pointer) = (pointer) ? get_place(image, FROM(pointer)) : NULL)
    for (int i = 0; i < model->flex_count; ++i) {
        lb_flex_work own = work->flex[i];
        MOVE(own.eta);
        MOVE(own.eta_dot);
        MOVE(own.eta_ddot);
        MOVE(own.eta_seen);
        MOVE(own.M_ff);
        MOVE(own.M_rf);
        MOVE(own.b_f);
        MOVE(own.Pi_d_own);
        MOVE(own.P_ff);
        MOVE(own.P_rf);
        MOVE(own.z_f);
        MOVE(own.nu_f);
        MOVE(own.S);
        own.Pi_d = own.Pi_d_own;
        own.Gamma = own.Prime = NULL;
        write(image, FROM(&work->flex[i]), &own, sizeof own);
    }
    for (int k = 0; k < model->body_count; ++k) {
        // of a ruthless body the motion of its hinge is part of the model
        const lb_body *b = &model->bodies[k];
        if (b->flex_index >= 0 && b->moving && b->moving->Pi) {
            const lb_vec6 *Pi = b->moving->Pi;
            PUT(image, Pi, b->mode_count);
            write(image, FROM(&work->flex[b->flex_index].Pi_d), &Pi, sizeof(void *));
        }
    }
    for (int i = 0; i < model->joint_count; ++i) {
        lb_joint_work own = work->joints[i];
        MOVE(own.Pi);
        write(image, FROM(&work->joints[i]), &own, sizeof own);
    }
    lb_work own = {.bodies = work->bodies,
                   .H = work->H,
                   .G = work->G,
                   .D = work->D,
                   .nu = work->nu,
                   .sines = work->sines,
                   .cosines = work->cosines,
                   .beta = work->beta,
                   .flex = work->flex,
                   .joints = work->joints};
    MOVE(own.bodies);
    MOVE(own.H);
    MOVE(own.G);
    MOVE(own.D);
    MOVE(own.nu);
    MOVE(own.sines);
    MOVE(own.cosines);
    MOVE(own.beta);
    MOVE(own.flex);
    MOVE(own.joints);
#undef MOVE
#undef FROM
    image->work = put_record(image, work, &own, sizeof own);
}

// ---- the schedule, and room --------------------------------------------------------------------

static lb_schedule put_schedule(lb_tree_image *image)
{
    const int bodies = image->source->body_count;
    lb_schedule own = image->own_division->schedule;
    const int n = own.node_count;
    PUT(image, own.first, n);
    PUT(image, own.end, n);
    PUT(image, own.inner, n);
    PUT(image, own.outer, n);
    PUT(image, own.head, n);
    PUT(image, own.open, n);
    PUT(image, own.hinged, n);
    PUT(image, own.whole, n);
    PUT(image, own.base, n);
    PUT(image, own.beyond, n);
    PUT(image, own.bodies, bodies);
    PUT(image, own.level, own.level_count + 1);
    PUT(image, own.order, n);
    PUT(image, own.rakes, own.raked[bodies]);
    PUT(image, own.raked, bodies + 1);
    return own;
}

static void lay_out(lb_tree_image *image)
{
    const lb_model *model = image->source;
    const lb_division *d = image->own_division;
    const size_t nodes = (size_t)d->schedule.node_count, v = (size_t)model->v_count;
    image->used = image->entry_count = 0;
    if (image->entries) {
        memset(image->entries, 0, image->capacity * sizeof *image->entries);
    }
    put_model(image);
    put_work(image);
    lb_division own = {.options = d->options, .scratch_size = d->scratch_size};
    own.schedule = put_schedule(image);
    const size_t at = take_room(image, sizeof own);
    image->filled = image->used;

    const size_t lanes = d->scratch_size ? LB_TREE_SCRATCH_LANES : 0;
    own.segments = reserve(image, nodes, sizeof *own.segments);
    own.K = reserve(image, v, sizeof *own.K);
    own.scratch = reserve(image, lanes * d->scratch_size, sizeof *own.scratch);
    const size_t teams = (nodes + LB_CARD_TEAM - 1) / LB_CARD_TEAM + 2;
    image->verdicts = reserve(image, LB_VERDICT_SIZE * (1 + teams), sizeof *image->verdicts);
    image->arrays = reserve(image, (size_t)model->q_count + 3 * v, sizeof *image->arrays);
    image->size = image->used;
    image->scratch_lanes = lanes ? (int)lanes : d->schedule.node_count;
    write(image, at, &own, sizeof own);
    image->division = get_place(image, at);
}

lb_status lb_prepare_tree_image(const lb_model *model, int run_length, lb_tree_image *image)
{
    lb_division_options options = lb_default_division_options();
    options.run_length = run_length;
    const size_t whole = LB_ALIGNMENT - 1;
    *image =
        (lb_tree_image){.source = model, .memory_size = (lb_get_work_size(model) + whole) & ~whole};
    // records must lie there as they do here
    image->memory = aligned_alloc(LB_ALIGNMENT, image->memory_size);
    lb_status status =
        image->memory ? lb_init_work(model, image->memory, image->memory_size, &image->own_work)
                      : LB_E_MEMORY;
    if (status == LB_OK) {
        status = lb_create_division(model, &options, &image->own_division);
    }
    if (status == LB_OK) {
        lay_out(image);
        status = image->status;
    }
    if (status != LB_OK) {
        lb_clear_tree_image(image);
    }
    return status;
}

void lb_write_tree_image(lb_tree_image *image, unsigned char *bytes, void *base)
{
    image->bytes = bytes;
    image->base = (uintptr_t)base;
    lay_out(image);
}

void lb_clear_tree_image(lb_tree_image *image)
{
    lb_destroy_division(image->own_division);
    free(image->memory);
    free(image->entries);
    image->own_division = NULL;
    image->own_work = NULL;
    image->memory = image->entries = NULL;
}
