// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "chain_layout.h"

#include <math.h>

#include "model/layout.h"

// How the axes of a parent are turned about z so that what is left of the turn of a body is one about x and one about z:
// R = Rz(head) Rx(twist) Rz(zero). Where the axes are parallel, head is any angle: zero.
typedef struct turns {
    double head[2], twist[2], zero[2]; // cosines and sines
} turns;

static turns split_turn(const lb_mat3 *R)
{
    turns t = {.head = {1.0, 0.0}};
    const double sine = hypot(R->m[0][2], R->m[1][2]);
    if (sine > 0.0) {
        t.head[0] = -R->m[1][2] / sine;
        t.head[1] = R->m[0][2] / sine;
    }
    t.twist[0] = R->m[2][2];
    t.twist[1] = sine;
    // the first row of Rx(twist) Rz(zero)
    t.zero[0] = t.head[0] * R->m[0][0] + t.head[1] * R->m[1][0];
    t.zero[1] = -t.head[0] * R->m[0][1] - t.head[1] * R->m[1][1];
    return t;
}

static turns get_turns(const lb_model *model, int k)
{
    const turns none = {.head = {1.0, 0.0}};
    return k < model->body_count ? split_turn(&model->bodies[k].X_p.R) : none;
}

// A vector in axes that are turned about z.
static lb_vec3 turn_axes(const double by[2], lb_vec3 x)
{
    return (lb_vec3){by[0] * x.x + by[1] * x.y, by[0] * x.y - by[1] * x.x, x.z};
}

static lb_sym3 turn_inertia(const double by[2], lb_sym3 J)
{
    const double c = by[0], s = by[1], mixed = c * s * (J.yy - J.xx);
    return (lb_sym3){.xx = c * c * J.xx + 2.0 * c * s * J.xy + s * s * J.yy,
                     .xy = (c * c - s * s) * J.xy + mixed,
                     .xz = c * J.xz + s * J.yz,
                     .yy = c * c * J.yy - 2.0 * c * s * J.xy + s * s * J.xx,
                     .yz = c * J.yz - s * J.xz,
                     .zz = J.zz};
}

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

// Short runs keep the device busy; with long ones there are not more joins than it does at once.
static int choose_length(int body_count)
{
    static const int most[] = {1 << 15, 1 << 16, 1 << 17, 1 << 19};
    int length = 4;
    for (int i = 0; i < 4 && body_count > most[i]; ++i) {
        length *= 2;
    }
    return length;
}

void lb_cut_chain(const lb_model *model, int length, lb_chain *chain)
{
    const int n = model->body_count, most = length > 0 ? length : choose_length(n);
    const lb_vec3 g = turn_axes(get_turns(model, 0).head, model->gravity);
    *chain = (lb_chain){.body_count = n, .gravity = {g.x, g.y, g.z}};
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
    const size_t runs = (size_t)chain->run_count,
                 lanes = (runs + LB_CARD_TEAM - 1) / LB_CARD_TEAM * LB_CARD_TEAM;
    const size_t places = lanes * (size_t)chain->length;
    const size_t stretches = (size_t)lb_count_stretches(chain);
    counts[LB_CHAIN_BODIES] = places * LB_LONG_RECORD;
    counts[LB_CHAIN_FRAMES] = places * LB_CHAIN_FRAME;
    counts[LB_CHAIN_HEADS] = 2 * runs;
    counts[LB_CHAIN_TURNS] = 12 * (stretches + stretches / 128 + 8);
    counts[LB_CHAIN_MARKS] = chain->length > LB_CHECKED
                                 ? (size_t)(chain->length / LB_CHECKED - 1) * lanes * LB_MARK_SIZE
                                 : 0;
    counts[LB_CHAIN_NODES] = runs * LB_NODE_SIZE;
    counts[LB_CHAIN_JOINS] = runs * LB_JOIN_SIZE;
    counts[LB_CHAIN_LETTERS] = runs * LB_LETTER_SIZE;
    counts[LB_CHAIN_VERDICTS] = LB_VERDICT_SIZE;
}

// Where each array starts; numbers in all.
static size_t find_starts(const lb_chain *chain, size_t starts[LB_CHAIN_ARRAYS])
{
    size_t counts[LB_CHAIN_ARRAYS], total = 0;
    lb_count_chain(chain, counts);
    for (int i = 0; i < LB_CHAIN_ARRAYS; ++i) {
        starts[i] = total;
        total += (counts[i] + 15) & ~(size_t)15;
    }
    return total;
}

size_t lb_count_chain_constants(const lb_chain *chain)
{
    size_t starts[LB_CHAIN_ARRAYS];
    find_starts(chain, starts);
    return starts[LB_CHAIN_TURNS];
}

size_t lb_place_chain(lb_chain *chain, double *memory)
{
    size_t starts[LB_CHAIN_ARRAYS];
    const size_t total = find_starts(chain, starts);
    if (memory) {
        chain->bodies = memory + starts[LB_CHAIN_BODIES];
        chain->frames = memory + starts[LB_CHAIN_FRAMES];
        chain->heads = memory + starts[LB_CHAIN_HEADS];
        chain->turns = memory + starts[LB_CHAIN_TURNS];
        chain->marks = memory + starts[LB_CHAIN_MARKS];
        chain->nodes = memory + starts[LB_CHAIN_NODES];
        chain->joins = memory + starts[LB_CHAIN_JOINS];
        chain->letters = memory + starts[LB_CHAIN_LETTERS];
        chain->verdicts = memory + starts[LB_CHAIN_VERDICTS];
    }
    return total;
}

static void write_rows(double *out, const double *rows, int count)
{
    for (int i = 0; i < count; ++i) {
        out[i * LB_CARD_TEAM] = rows[i];
    }
}

void lb_write_chain_bodies(const lb_model *model, const lb_chain *chain, double *numbers)
{
    size_t starts[LB_CHAIN_ARRAYS];
    find_starts(chain, starts);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const double(*R)[3] = b->X_p.R.m;
        const turns own = get_turns(model, k), next = get_turns(model, k + 1);
        const lb_vec3 p = turn_axes(own.head, b->X_p.p), h = turn_axes(next.head, b->M.h);
        const lb_sym3 J = turn_inertia(next.head, b->M.J);
        // the turn at q = 0, in the axes of dynamics: Rz(zero) Rz(head of the next)
        const double zero[2] = {own.zero[0] * next.head[0] - own.zero[1] * next.head[1],
                                own.zero[1] * next.head[0] + own.zero[0] * next.head[1]};
        const double link[LB_CHAIN_LINK] = {own.twist[0], own.twist[1], p.x,  p.y,  p.z,
                                            b->M.m,       h.x,          h.y,  h.z,  J.xx,
                                            J.xy,         J.xz,         J.yy, J.yz, J.zz};
        const double frame[LB_CHAIN_FRAME] = {zero[0], zero[1], R[0][0], R[0][1], R[0][2], R[1][0],
                                              R[1][1], R[1][2], R[2][0], R[2][1], R[2][2]};
        const int place = k + chain->pad, run = place >> chain->shift;
        const int i = place & (chain->length - 1);
        write_rows(numbers + starts[LB_CHAIN_BODIES] +
                       lb_find_rows(chain->length, i, run, LB_LONG_RECORD),
                   link, LB_CHAIN_LINK);
        write_rows(numbers + starts[LB_CHAIN_FRAMES] +
                       lb_find_rows(chain->length, i, run, LB_CHAIN_FRAME),
                   frame, LB_CHAIN_FRAME);
        // the last body of the run has the last word
        double *heads = numbers + starts[LB_CHAIN_HEADS] + 2 * (size_t)run;
        heads[0] = next.head[0];
        heads[1] = next.head[1];
    }
}
