// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "chain_layout.h"

#include <string.h>

#include "model/layout.h"

/// Kinds of links that are worth a table, of 176 bytes each: they should stay in the caches of a multiprocessor.
enum { MOST_KINDS = 64 };

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

static void write_record(const lb_body *b, double record[LB_CHAIN_BODY])
{
    const lb_inertia *M = &b->M;
    const double rest[] = {M->m,    M->h.x,  M->h.y,  M->h.z,  M->J.xx,
                           M->J.xy, M->J.xz, M->J.yy, M->J.yz, M->J.zz};
    memcpy(record + LB_ROW_R, b->X_p.R.m, 9 * sizeof *record);
    lb_vec3_to(b->X_p.p, record + LB_ROW_P);
    memcpy(record + LB_ROW_M, rest, sizeof rest);
}

// The kind of a record, which is added if it is new; kinds that there is no room for are MOST_KINDS.
static int find_kind(const double record[LB_CHAIN_BODY], double *kinds, int *count)
{
    const size_t size = LB_CHAIN_BODY * sizeof *record;
    int i = 0;
    while (i < *count && memcmp(kinds + i * LB_CHAIN_BODY, record, size) != 0) {
        ++i;
    }
    if (i == *count && i < MOST_KINDS) {
        memcpy(kinds + i * LB_CHAIN_BODY, record, size);
        ++*count;
    }
    return i;
}

// The number of kinds of links; 0 if there are too many for one table that everybody reads.
static int count_kinds(const lb_model *model)
{
    double kinds[MOST_KINDS * LB_CHAIN_BODY], record[LB_CHAIN_BODY];
    int count = 0;
    for (int k = 0; k < model->body_count; ++k) {
        write_record(&model->bodies[k], record);
        if (find_kind(record, kinds, &count) == MOST_KINDS) {
            return 0;
        }
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
                        .kind_count = count_kinds(model),
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

// Numbers of each array.
static void count_numbers(const lb_chain *chain, size_t counts[LB_CHAIN_ARRAYS])
{
    const size_t runs = (size_t)chain->run_count, places = runs * (size_t)chain->length;
    const size_t stretches = (size_t)lb_count_stretches(chain);
    // joins of all levels are at most as many as runs, and one that is left over on each level
    const size_t nodes = 2 * runs + 66;
    const size_t records = chain->kind_count ? (size_t)chain->kind_count : places;
    counts[LB_CHAIN_BODIES] = records * LB_CHAIN_BODY;
    counts[LB_CHAIN_KINDS] = chain->kind_count ? (places + 1) / 2 : 0; // int
    counts[LB_CHAIN_STATES] = places * LB_CHAIN_STATE;
    counts[LB_CHAIN_GAINS] = places * LB_CHAIN_GAIN;
    counts[LB_CHAIN_TURNS] = 12 * (stretches + stretches / 128 + 8);
    counts[LB_CHAIN_NODES] = nodes * LB_NODE_SIZE;
    counts[LB_CHAIN_LETTERS] = nodes * LB_LETTER_SIZE;
    counts[LB_CHAIN_VERDICTS] = (runs / LB_CARD_TEAM + 3) * LB_VERDICT_SIZE;
}

// Where each array starts; returns where the last one ends.
static size_t start_arrays(const lb_chain *chain, size_t starts[LB_CHAIN_ARRAYS])
{
    size_t counts[LB_CHAIN_ARRAYS], total = 0;
    count_numbers(chain, counts);
    for (int i = 0; i < LB_CHAIN_ARRAYS; ++i) {
        starts[i] = total;
        total += (counts[i] + 15) & ~(size_t)15;
    }
    return total;
}

size_t lb_place_chain(lb_chain *chain, double *memory)
{
    size_t starts[LB_CHAIN_ARRAYS];
    const size_t total = start_arrays(chain, starts);
    if (memory) {
        chain->bodies = memory + starts[LB_CHAIN_BODIES];
        chain->kinds = (const int *)(const void *)(memory + starts[LB_CHAIN_KINDS]);
        chain->state = memory + starts[LB_CHAIN_STATES];
        chain->gains = memory + starts[LB_CHAIN_GAINS];
        chain->turns = memory + starts[LB_CHAIN_TURNS];
        chain->nodes = memory + starts[LB_CHAIN_NODES];
        chain->letters = memory + starts[LB_CHAIN_LETTERS];
        chain->verdicts = memory + starts[LB_CHAIN_VERDICTS];
    }
    return total;
}

size_t lb_count_chain_constants(const lb_chain *chain)
{
    size_t starts[LB_CHAIN_ARRAYS];
    start_arrays(chain, starts);
    return starts[LB_CHAIN_STATES];
}

void lb_write_chain_constants(const lb_model *model, const lb_chain *chain, double *memory)
{
    size_t starts[LB_CHAIN_ARRAYS];
    start_arrays(chain, starts);
    const size_t stride = (size_t)chain->length * (size_t)chain->run_count;
    double *rows = memory + starts[LB_CHAIN_BODIES];
    int *kinds = (int *)(void *)(memory + starts[LB_CHAIN_KINDS]), count = 0;
    for (int k = 0; k < model->body_count; ++k) {
        const size_t place = (size_t)(k + chain->pad);
        const size_t at = (place & (size_t)(chain->length - 1)) * (size_t)chain->run_count +
                          (place >> chain->shift);
        double record[LB_CHAIN_BODY];
        write_record(&model->bodies[k], record);
        if (chain->kind_count) {
            kinds[at] = LB_CHAIN_BODY * find_kind(record, rows, &count);
            continue;
        }
        for (int i = 0; i < LB_CHAIN_BODY; ++i) {
            rows[(size_t)i * stride + at] = record[i];
        }
    }
}
