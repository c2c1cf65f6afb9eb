// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes and memory of the operators.
#include <stdint.h>

#include "blocks.h"
#include "op_parts.h"

static const struct {
    const char *name;
    lb_op_space rows, columns;
} table[LB_OP_COUNT] = {
    [LB_OP_E_PHI] = {"E_Phi", LB_OP_SPACE_BODY, LB_OP_SPACE_BODY},
    [LB_OP_PHI] = {"Phi", LB_OP_SPACE_BODY, LB_OP_SPACE_BODY},
    [LB_OP_H] = {"H", LB_OP_SPACE_HINGE, LB_OP_SPACE_BODY},
    [LB_OP_M] = {"M", LB_OP_SPACE_BODY, LB_OP_SPACE_BODY},
    [LB_OP_P] = {"P", LB_OP_SPACE_BODY, LB_OP_SPACE_BODY},
    [LB_OP_D] = {"D", LB_OP_SPACE_HINGE, LB_OP_SPACE_HINGE},
    [LB_OP_G] = {"G", LB_OP_SPACE_BODY, LB_OP_SPACE_HINGE},
    [LB_OP_K] = {"K", LB_OP_SPACE_BODY, LB_OP_SPACE_HINGE},
    [LB_OP_TAU_BAR] = {"tau_bar", LB_OP_SPACE_BODY, LB_OP_SPACE_BODY},
    [LB_OP_E_PSI] = {"E_Psi", LB_OP_SPACE_BODY, LB_OP_SPACE_BODY},
    [LB_OP_PSI] = {"Psi", LB_OP_SPACE_BODY, LB_OP_SPACE_BODY},
    [LB_OP_UPSILON] = {"Upsilon", LB_OP_SPACE_BODY, LB_OP_SPACE_BODY},
    [LB_OP_OMEGA] = {"Omega", LB_OP_SPACE_BODY, LB_OP_SPACE_BODY},
    [LB_OP_R] = {"R", LB_OP_SPACE_BODY, LB_OP_SPACE_BODY},
    [LB_OP_B] = {"B", LB_OP_SPACE_BODY, LB_OP_SPACE_NODE},
    [LB_OP_J] = {"J", LB_OP_SPACE_NODE, LB_OP_SPACE_HINGE},
    [LB_OP_LAMBDA] = {"Lambda", LB_OP_SPACE_NODE, LB_OP_SPACE_NODE},
    [LB_OP_A] = {"A", LB_OP_SPACE_LOOP, LB_OP_SPACE_NODE},
    [LB_OP_S] = {"S", LB_OP_SPACE_BODY, LB_OP_SPACE_BODY},
    [LB_OP_PHI_A] = {"Phi_A", LB_OP_SPACE_BLOCK, LB_OP_SPACE_BLOCK},
    [LB_OP_PSI_A] = {"Psi_A", LB_OP_SPACE_BLOCK, LB_OP_SPACE_BLOCK},
    [LB_OP_BETA] = {"beta", LB_OP_SPACE_HINGE, LB_OP_SPACE_ONE},
    [LB_OP_T] = {"T", LB_OP_SPACE_HINGE, LB_OP_SPACE_ONE},
    [LB_OP_A_M] = {"a_m", LB_OP_SPACE_BODY, LB_OP_SPACE_ONE},
    [LB_OP_B_M] = {"b_m", LB_OP_SPACE_BODY, LB_OP_SPACE_ONE},
    [LB_OP_NU] = {"nu", LB_OP_SPACE_HINGE, LB_OP_SPACE_ONE},
};

static int is_known(int op)
{
    return op >= 0 && op < LB_OP_COUNT;
}

const char *lb_op_get_name(lb_op op)
{
    return is_known((int)op) ? table[op].name : "";
}

lb_op_space lb_op_get_row_space(lb_op op)
{
    LB_ASSERT(is_known((int)op));
    return table[op].rows;
}

lb_op_space lb_op_get_column_space(lb_op op)
{
    LB_ASSERT(is_known((int)op));
    return table[op].columns;
}

// a transpose swaps them; so would an inverse, but only square operators have one
int lb_op_get_rows(int op, int how)
{
    return (int)(how & LB_OP_TRANSPOSED ? table[op].columns : table[op].rows);
}

int lb_op_get_columns(int op, int how)
{
    return lb_op_get_rows(op, how ^ LB_OP_TRANSPOSED);
}

int lb_op_has_inverse(int op)
{
    return op == LB_OP_D || op == LB_OP_PHI || op == LB_OP_PSI || op == LB_OP_S ||
           op == LB_OP_PSI_A;
}

int lb_op_get_size(const lb_op_work *operators, lb_op_space space)
{
    return (unsigned)space < LB_OP_SPACE_COUNT ? operators->sizes[space] : 0;
}

// v has the hinges' speeds where the body space has six numbers a body
static int count_body_entries(const lb_model *model)
{
    return model->v_count - model->hinge_count + 6 * model->body_count;
}

int lb_op_get_offset(const lb_op_work *operators, lb_op_space space, int body)
{
    LB_ASSERT(body >= 0 && body < operators->body_count);
    const lb_op_body *b = &operators->bodies[operators->infos[body].sweep];
    return space == LB_OP_SPACE_HINGE ? b->at_hinge : b->at;
}

// ---- memory ------------------------------------------------------------------------------------

// Counts when base is NULL, hands out pieces otherwise.
static double *take(double *base, size_t *used, size_t count)
{
    double *piece = base ? base + *used : NULL;
    *used += count;
    return piece;
}

// Numbers behind the records; sets the pointers of the records when there is memory.
static size_t layout(const lb_model *model, double *base, lb_op_work *operators)
{
    size_t used = 0, largest = 0;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *body = &model->bodies[k];
        const size_t N = (size_t)body->mode_count + 6, n = (size_t)(body->mode_count + body->nv);
        const size_t N_p =
            body->parent >= 0 ? (size_t)model->bodies[body->parent].mode_count + 6 : 0;
        largest = N > largest ? N : largest;
        lb_op_body nowhere;
        lb_op_body *b = base ? &operators->bodies[k] : &nowhere;
        b->parent = body->parent;
        b->N = (int)N;
        b->n = (int)n;
        b->at_hinge = body->v;
        b->Phi = take(base, &used, N_p * 6);
        b->H = take(base, &used, n * N);
        b->M = take(base, &used, N * N);
        b->R = take(base, &used, N * N);
        b->P = take(base, &used, N * N);
        b->tau_bar = take(base, &used, N * N);
        b->Upsilon = take(base, &used, N * N);
        b->G = take(base, &used, N * n);
        b->D = take(base, &used, n * n);
        b->D_factor = take(base, &used, n * n);
        b->D_root = take(base, &used, n * n);
    }
    const size_t body_size = (size_t)count_body_entries(model), v_count = (size_t)model->v_count;
    for (int i = 0; i < LB_OP_VECTORS; ++i) {
        operators->vectors[i] = take(base, &used, body_size + 1);
    }
    operators->beta = take(base, &used, v_count);
    operators->T = take(base, &used, v_count);
    operators->nu = take(base, &used, v_count);
    operators->a_m = take(base, &used, body_size);
    operators->b_m = take(base, &used, body_size);
    operators->block = take(base, &used, largest * largest);
    operators->other_block = take(base, &used, largest * largest);
    return used;
}

// The record of the whole and those of the bodies, ahead of the numbers.
static size_t get_head_size(const lb_model *model)
{
    const size_t size =
        sizeof(lb_op_work) + (size_t)model->body_count * sizeof(lb_op_body) + LB_ALIGNMENT - 1;
    return size & ~(size_t)(LB_ALIGNMENT - 1);
}

size_t lb_op_get_work_size(const lb_model *model)
{
    lb_op_work counter;
    return get_head_size(model) + layout(model, NULL, &counter) * sizeof(double) + LB_ALIGNMENT;
}

lb_status lb_op_init_work(const lb_model *model, void *memory, size_t size, lb_op_work **out)
{
    *out = NULL;
    if (!memory || size < lb_op_get_work_size(model)) {
        return LB_E_MEMORY;
    }
    const size_t skip = (size_t)(-(uintptr_t)memory & (LB_ALIGNMENT - 1));
    unsigned char *base = (unsigned char *)memory + skip;
    lb_op_work *operators = (lb_op_work *)(void *)base;
    const lb_arena empty = lb_make_arena(&model->arena.allocator);
    const int body_size = count_body_entries(model);
    *operators = (lb_op_work){.model = model,
                              .body_count = model->body_count,
                              .sizes = {[LB_OP_SPACE_BODY] = body_size,
                                        [LB_OP_SPACE_HINGE] = model->v_count,
                                        [LB_OP_SPACE_ONE] = 1},
                              .longest = body_size + 1,
                              .infos = model->infos,
                              .pick_arena = empty,
                              .block_arena = empty,
                              .room = empty};
    operators->bodies = (lb_op_body *)(void *)(operators + 1);
    (void)layout(model, (double *)(void *)(base + get_head_size(model)), operators);

    // the body space follows the listed order
    int at = 0;
    for (int body = 0; body < model->body_count; ++body) {
        lb_op_body *b = &operators->bodies[model->infos[body].sweep];
        b->at = at;
        at += b->N;
    }
    *out = operators;
    return LB_OK;
}

static int find_sizes(lb_op_work *operators)
{
    int *sizes = operators->sizes, rows = 0, most = 0;
    for (int i = 0; i < operators->closure_count; ++i) {
        rows += operators->closures[i].row_count;
    }
    sizes[LB_OP_SPACE_NODE] = 6 * operators->pick_count;
    sizes[LB_OP_SPACE_LOOP] = rows;
    sizes[LB_OP_SPACE_BLOCK] = operators->block_size * operators->body_count;
    for (int i = 0; i < LB_OP_SPACE_COUNT; ++i) {
        most = sizes[i] > most ? sizes[i] : most;
    }
    return most;
}

lb_status lb_op_make_room(lb_op_work *operators)
{
    const int most = find_sizes(operators);
    if (most <= operators->longest) {
        return LB_OK;
    }
    lb_arena room = lb_make_arena(&operators->model->arena.allocator);
    double *numbers = lb_take_numbers(&room, LB_OP_VECTORS * (size_t)most);
    if (!numbers) {
        // what asked for more is dropped, and the rest has its room
        lb_arena_free(&room);
        operators->pick_count = operators->closure_count = operators->block_size = 0;
        operators->blocks = NULL;
        (void)find_sizes(operators);
        return LB_E_MEMORY;
    }
    lb_arena_free(&operators->room);
    operators->room = room;
    operators->longest = most;
    for (int j = 0; j < LB_OP_VECTORS; ++j) {
        operators->vectors[j] = numbers + (size_t)j * (size_t)most;
    }
    return LB_OK;
}

lb_op_work *lb_op_create_work(const lb_model *model)
{
    const size_t size = lb_op_get_work_size(model);
    unsigned char *memory = model->arena.allocator.allocate(model->arena.allocator.user, size);
    lb_op_work *operators = NULL;
    if (memory && lb_op_init_work(model, memory, size, &operators) == LB_OK) {
        operators->memory = memory;
        operators->allocator = model->arena.allocator;
    }
    return operators;
}

void lb_op_destroy_work(lb_op_work *operators)
{
    if (operators) {
        lb_arena_free(&operators->pick_arena);
        lb_arena_free(&operators->block_arena);
        lb_arena_free(&operators->room);
    }
    if (operators && operators->memory) {
        // the record lies in it
        const lb_allocator allocator = operators->allocator;
        allocator.release(allocator.user, operators->memory);
    }
}
