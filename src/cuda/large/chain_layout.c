// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "chain_layout.h"

#include "model/layout.h"

int lb_find_chain_obstacle(const lb_model *model)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        if (!b->simple || b->flex || b->parent != k - 1 || b->listed != k || b->hinge_v != k ||
            b->hinge_q != k) {
            return b->listed;
        }
    }
    return LB_NOT_FOUND;
}

// Runs that end with a body much lighter than the one behind it, if `pad` places are left empty.
static int count_weak_cuts(const lb_model *model, int length, int pad)
{
    int count = 0;
    for (int i = length - pad - 1; i + 1 < model->body_count; i += length) {
        count += i >= 0 && model->bodies[i].M.m < 0.01 * model->bodies[i + 1].M.m;
    }
    return count;
}

static int choose_length(int body_count)
{
    return body_count < 1 << 9 ? 4 : body_count < 1 << 13 ? 8 : body_count < 1 << 17 ? 16 : 32;
}

void lb_cut_chain(const lb_model *model, int length, lb_chain *chain)
{
    const int n = model->body_count, most = length > 0 ? length : choose_length(n);
    *chain = (lb_chain){.body_count = n,
                        .gravity = {model->gravity.x, model->gravity.y, model->gravity.z}};
    while (1 << (chain->shift + 1) <= most) {
        ++chain->shift;
    }
    chain->length = 1 << chain->shift;
    chain->stretch = chain->length < 8 ? chain->length : 8;
    int fewest = count_weak_cuts(model, chain->length, 0);
    for (int pad = 1; fewest > 0 && pad < chain->length; ++pad) {
        const int count = count_weak_cuts(model, chain->length, pad);
        if (count < fewest) {
            fewest = count;
            chain->pad = pad;
        }
    }
    chain->run_count = (int)(((long long)n + chain->pad + chain->length - 1) >> chain->shift);
    chain->tail = (int)((long long)chain->run_count * chain->length - n - chain->pad);
}

void lb_count_chain(const lb_chain *chain, size_t counts[LB_CHAIN_ARRAYS])
{
    const size_t runs = (size_t)chain->run_count, places = runs * (size_t)chain->length;
    const size_t stretches = (size_t)lb_count_stretches(chain);
    // joins of all levels are at most as many as runs, and one that is left over on each level
    const size_t nodes = 2 * runs + 66;
    counts[LB_CHAIN_BODIES] = places * LB_CHAIN_BODY;
    counts[LB_CHAIN_STATES] = places * LB_CHAIN_STATE;
    counts[LB_CHAIN_GAINS] = places * LB_CHAIN_GAIN;
    counts[LB_CHAIN_TURNS] = 12 * (stretches + stretches / 128 + 8);
    counts[LB_CHAIN_NODES] = nodes * LB_NODE_SIZE;
    counts[LB_CHAIN_LETTERS] = nodes * LB_LETTER_SIZE;
    counts[LB_CHAIN_VERDICTS] = (runs / LB_CARD_TEAM + 3) * LB_VERDICT_SIZE;
}

size_t lb_place_chain(lb_chain *chain, double *memory)
{
    size_t counts[LB_CHAIN_ARRAYS], starts[LB_CHAIN_ARRAYS], total = 0;
    lb_count_chain(chain, counts);
    for (int i = 0; i < LB_CHAIN_ARRAYS; ++i) {
        starts[i] = total;
        total += (counts[i] + 15) & ~(size_t)15;
    }
    if (memory) {
        chain->bodies = memory + starts[LB_CHAIN_BODIES];
        chain->state = memory + starts[LB_CHAIN_STATES];
        chain->gains = memory + starts[LB_CHAIN_GAINS];
        chain->turns = memory + starts[LB_CHAIN_TURNS];
        chain->nodes = memory + starts[LB_CHAIN_NODES];
        chain->letters = memory + starts[LB_CHAIN_LETTERS];
        chain->verdicts = memory + starts[LB_CHAIN_VERDICTS];
    }
    return total;
}

void lb_write_chain_bodies(const lb_model *model, const lb_chain *chain, double *rows)
{
    const size_t stride = (size_t)chain->length * (size_t)chain->run_count;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const lb_inertia *M = &b->M;
        const size_t place = (size_t)(k + chain->pad);
        double *row = rows + (place & (size_t)(chain->length - 1)) * (size_t)chain->run_count +
                      (place >> chain->shift);
        const double own[LB_CHAIN_BODY] = {b->X_p.R.m[0][0],
                                           b->X_p.R.m[0][1],
                                           b->X_p.R.m[0][2],
                                           b->X_p.R.m[1][0],
                                           b->X_p.R.m[1][1],
                                           b->X_p.R.m[1][2],
                                           b->X_p.R.m[2][0],
                                           b->X_p.R.m[2][1],
                                           b->X_p.R.m[2][2],
                                           b->X_p.p.x,
                                           b->X_p.p.y,
                                           b->X_p.p.z,
                                           M->m,
                                           M->h.x,
                                           M->h.y,
                                           M->h.z,
                                           M->J.xx,
                                           M->J.xy,
                                           M->J.xz,
                                           M->J.yy,
                                           M->J.yz,
                                           M->J.zz};
        for (int i = 0; i < LB_CHAIN_BODY; ++i) {
            row[(size_t)i * stride] = own[i];
        }
    }
}
