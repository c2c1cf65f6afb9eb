// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "attachment.h"

#include <stddef.h>

#include "model/layout.h"
#include "model/modal/appendix_c.h"
#include "model/modal/flex.h"

static void add_bytes(uint64_t *hash, const void *bytes, size_t size)
{
    *hash = lb_add_to_hash(*hash, bytes, size);
}

// An array that may be missing, which counts too.
#define ADD(hash, array, count)                                                                    \
    do {                                                                                           \
        const size_t given = (array) ? (size_t)(count) * sizeof *(array) : 0;                      \
        add_bytes(hash, &given, sizeof given);                                                     \
        add_bytes(hash, (array) ? (const void *)(array) : (const void *)&given, given);            \
    } while (0)

static void add_node(uint64_t *hash, const lb_node *node, int modes)
{
    if (node) {
        add_bytes(hash, &node->X, sizeof node->X);
        ADD(hash, node->shape, modes);
        ADD(hash, node->second, modes * (modes + 1) / 2);
    }
}

static void add_appendix_c(uint64_t *hash, const lb_appendix_c *c, int n)
{
    const int pairs = n * (n + 1) / 2;
    ADD(hash, c->Z1, n);
    ADD(hash, c->Z2, n * n);
    ADD(hash, c->Q, n * n);
    ADD(hash, c->C, n);
    ADD(hash, c->RL, pairs);
    ADD(hash, c->T3, pairs * n);
    ADD(hash, c->R3, pairs * n);
}

static void add_flex(uint64_t *hash, const lb_flex *f)
{
    const int n = f->mode_count;
    const int sizes[] = {n, (int)f->fidelity, f->constant, f->block_count, f->second_count};
    add_bytes(hash, sizes, sizeof sizes);
    add_bytes(hash, &f->mass, sizeof f->mass);
    add_bytes(hash, &f->h0, sizeof f->h0);
    add_bytes(hash, &f->S0, sizeof f->S0);
    ADD(hash, f->K, n * n);
    ADD(hash, f->C, n * n);
    ADD(hash, f->M_ff, n * n);
    ADD(hash, f->h1, n);
    ADD(hash, f->E, n);
    ADD(hash, f->B0, n);
    ADD(hash, f->B, n * n);
    ADD(hash, f->S, n);
    ADD(hash, f->S2, n * n);
    ADD(hash, f->second, f->second_count);
    // u, c0, Gamma of each mode, then second rows
    ADD(hash, f->points, f->block_count * (4 + 3 * n + f->second_count));
    if (f->appendix_c) {
        add_appendix_c(hash, f->appendix_c, n);
    }
}

uint64_t lb_hash_model(const lb_model *model)
{
    uint64_t hash = LB_HASH_START;
    const int sizes[] = {model->body_count, model->q_count, model->v_count};
    add_bytes(&hash, LB_VERSION, sizeof LB_VERSION);
    add_bytes(&hash, sizes, sizeof sizes);
    add_bytes(&hash, &model->gravity, sizeof model->gravity);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const int modes = b->parent >= 0 ? model->bodies[b->parent].mode_count : 0;
        add_bytes(&hash, b, offsetof(lb_body, pitch)); // integers: tree and places
        add_bytes(&hash, &b->pitch, sizeof b->pitch);
        ADD(&hash, b->between, 1);
        add_bytes(&hash, &b->X_p, sizeof b->X_p);
        add_bytes(&hash, &b->M, sizeof b->M);
        add_bytes(&hash, b->second, sizeof b->second);
        add_node(&hash, b->at, modes);
        if (b->moving) {
            add_bytes(&hash, &b->moving->X, sizeof b->moving->X);
            add_node(&hash, b->moving->node, b->mode_count);
        }
        if (b->flex) {
            add_flex(&hash, b->flex);
        }
    }
    return hash;
}
