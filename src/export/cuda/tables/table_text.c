// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "table_text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/layout.h"
#include "model/modal/flex.h"

/// The text of table_kernel.h, which the build makes.
extern const unsigned char lb_table_text[];

// As in the kernel. Two blocks of so many threads share the 228 kB of a multiprocessor, of which each loses 1 kB.
enum { THREADS = 128, SLOTS_MOST = (228 * 1024 / 2 - 1024) / (8 * THREADS), MODES_MOST = 6 };

// Numbers one behind the other, in the order of the structs of the kernel. Without memory it counts.
typedef struct pen {
    double *numbers;
    int count;
} pen;

static void put(pen *p, double x)
{
    if (p->numbers) {
        p->numbers[p->count] = x;
    }
    ++p->count;
}

static void put_row(pen *p, int count, const double *x)
{
    for (int i = 0; i < count; ++i) {
        put(p, x[i]);
    }
}

static void put_vector(pen *p, lb_vec3 x)
{
    put(p, x.x);
    put(p, x.y);
    put(p, x.z);
}

static void put_symmetric(pen *p, double factor, const lb_sym3 *x)
{
    const double entries[] = {x->xx, x->xy, x->xz, x->yy, x->yz, x->zz};
    for (int i = 0; i < 6; ++i) {
        put(p, factor * entries[i]);
    }
}

// Rows of the lower triangle of a symmetric matrix; NULL for zero
static void put_triangle(pen *p, int n, const double *x)
{
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s <= r; ++s) {
            put(p, x ? 0.5 * (x[r * n + s] + x[s * n + r]) : 0.0);
        }
    }
}

static lb_inertia get_inertia(const lb_body *b)
{
    return b->flex ? (lb_inertia){b->flex->mass, b->flex->h0, b->flex->S0} : b->M;
}

static void put_frame(pen *p, const lb_body *b)
{
    const lb_inertia M = get_inertia(b);
    const int entries[] = {b->q, b->v, b->hinge_q, b->hinge_v};
    double both[2];
    put_row(p, 9, &b->X_p.R.m[0][0]);
    put_vector(p, b->X_p.p);
    put_vector(p, M.h);
    put_symmetric(p, 1.0, &M.J);
    memcpy(both, entries, sizeof both);
    put_row(p, 2, both);
}

static void put_modal(pen *p, const lb_flex *f)
{
    for (int r = 0; r < f->mode_count; ++r) {
        put_symmetric(p, -0.5, &f->S[r]);
    }
    put_triangle(p, f->mode_count, f->K);
    put_triangle(p, f->mode_count, f->C);
}

// A body that carries `next`.
static void put_body(pen *p, const lb_body *b, const lb_body *next)
{
    const lb_flex *f = b->flex;
    put_frame(p, b);
    put(p, get_inertia(b).m);
    if (!f) {
        return;
    }
    put_modal(p, f);
    for (int r = 0; r < f->mode_count; ++r) {
        const lb_vec6 Pi =
            next->at ? lb_refer_to_frame(next->X_p.p, next->at->shape[r]) : lb_vec6_zero();
        put_vector(p, Pi.w);
        put_vector(p, Pi.v);
    }
    for (int r = 0; r < f->mode_count; ++r) {
        put_vector(p, f->B0[r]);
        put_vector(p, f->E[r]);
    }
    put_triangle(p, f->mode_count, f->M_ff);
}

// ---- the tip -----------------------------------------------------------------------------------

// What is left of the inertia of the last body, which nothing changes
typedef struct tip {
    double P[6][6], P_plus[6][6]; // modes taken out; and the hinge
    double G[6], d;               // of the hinge
    double g[MODES_MOST][6], D_inverse[MODES_MOST * MODES_MOST];
} tip;

// D^-1 of a positive definite matrix by elimination; false if it is not one
static bool invert(int n, const double *D, double *out)
{
    double A[MODES_MOST][2 * MODES_MOST];
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            A[i][j] = D[i * n + j];
            A[i][n + j] = i == j;
        }
    }
    for (int i = 0; i < n; ++i) {
        if (!(A[i][i] > 1e-14 * D[i * n + i])) {
            return false;
        }
        for (int r = 0; r < n; ++r) {
            const double l = r == i ? 0.0 : A[r][i] / A[i][i];
            for (int j = 0; j < 2 * n; ++j) {
                A[r][j] -= l * A[i][j];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            out[i * n + j] = A[i][n + j] / A[i][i];
        }
    }
    return true;
}

// g = M_rf M_ff^-1,   P = M - g M_rf*,   G = P z / P_zz,   P+ = P - G (P z)*       (ABA-5), (ABA-1)
static bool solve_tip(const lb_body *b, tip *t)
{
    const lb_flex *f = b->flex;
    const lb_inertia M = get_inertia(b);
    const lb_vec3 h = M.h;
    const int n = b->mode_count;
    const double own[6][6] = {
        {M.J.xx, M.J.xy, M.J.xz, 0, -h.z, h.y},
        {M.J.xy, M.J.yy, M.J.yz, h.z, 0, -h.x},
        {M.J.xz, M.J.yz, M.J.zz, -h.y, h.x, 0},
        {0, h.z, -h.y, M.m, 0, 0},
        {-h.z, 0, h.x, 0, M.m, 0},
        {h.y, -h.x, 0, 0, 0, M.m},
    };
    memset(t, 0, sizeof *t);
    memcpy(t->P, own, sizeof own);
    if (n && !invert(n, f->M_ff, t->D_inverse)) {
        return false;
    }
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
            double mu[6];
            lb_vec3_to(f->B0[s], mu);
            lb_vec3_to(f->E[s], mu + 3);
            for (int i = 0; i < 6; ++i) {
                t->g[r][i] += mu[i] * t->D_inverse[s * n + r];
            }
        }
    }
    for (int r = 0; r < n; ++r) {
        double mu[6];
        lb_vec3_to(f->B0[r], mu);
        lb_vec3_to(f->E[r], mu + 3);
        for (int i = 0; i < 36; ++i) {
            t->P[i / 6][i % 6] -= t->g[r][i / 6] * mu[i % 6];
        }
    }
    const double D = t->P[2][2];
    if (!(D > 1e-14 * (t->P[0][0] + t->P[1][1] + D))) {
        return false;
    }
    t->d = 1.0 / D;
    for (int i = 0; i < 6; ++i) {
        t->G[i] = t->P[i][2] / D;
        for (int j = 0; j < 6; ++j) {
            t->P_plus[i][j] = i == 2 || j == 2 ? 0.0 : t->P[i][j] - t->P[i][2] / D * t->P[2][j];
        }
    }
    return true;
}

static void put_inertia(pen *p, double P[6][6])
{
    for (int block = 0; block < 3; ++block) { // J, H, M
        for (int i = 0; i < 3; ++i) {
            for (int j = block == 1 ? 0 : i; j < 3; ++j) {
                put(p, P[i + (block == 2 ? 3 : 0)][j + (block ? 3 : 0)]);
            }
        }
    }
}

static void put_tip(pen *p, const lb_body *b)
{
    tip t;
    (void)solve_tip(b, &t);
    put_frame(p, b);
    put_inertia(p, t.P);
    put_inertia(p, t.P_plus);
    put_row(p, 6, t.G);
    put(p, t.d);
    if (b->flex) {
        put_modal(p, b->flex);
        put_row(p, 6 * b->mode_count, t.g[0]);
        put_triangle(p, b->mode_count, t.D_inverse);
    }
}

// ---- all ---------------------------------------------------------------------------------------

static void put_chain(pen *p, const lb_model *model)
{
    const int last = model->body_count - 1;
    for (int k = 0; k < last; ++k) {
        put_body(p, &model->bodies[k], &model->bodies[k + 1]);
    }
    put_tip(p, &model->bodies[last]);
    put_vector(p, model->gravity);
}

// Numbers of shared memory per thread: for the table, and for everything but gains of modes.
static int count_slots(const lb_model *model, int number_count)
{
    const int n = model->body_count, modes = model->bodies[0].mode_count;
    return (number_count + THREADS - 1) / THREADS + 2 * n + 9 * (n - 1) + 1 + modes;
}

const char *lb_find_table_obstacle(const lb_model *model)
{
    const int n = model->body_count;
    if (n < 2 || model->loop_count) {
        return "tables are of chains of two bodies or more, without loops";
    }
    for (int k = 0; k < n; ++k) {
        const lb_body *b = &model->bodies[k];
        const lb_vec3 origin = model->infos[b->listed].nodes[0].X.p;
        if (b->hinge != LB_HINGE_REVOLUTE || b->parent != k - 1) {
            return "tables are of chains with revolute hinges";
        }
        if (b->mode_count != model->bodies[0].mode_count || b->mode_count > MODES_MOST ||
            (b->flex && !lb_is_ruthless(b->flex))) {
            return "tables are of rigid bodies, or of ruthless ones with equally many modes, at "
                   "most "
                   "six each";
        }
        if (b->moving || (b->flex && (origin.x != 0 || origin.y != 0 || origin.z != 0))) {
            return "tables are of flexible bodies whose hinge is at their origin";
        }
    }
    tip t;
    if (!solve_tip(&model->bodies[n - 1], &t)) {
        return "tables are of chains whose last body has an inertia about its hinge and modes";
    }
    pen p = {NULL, 0};
    put_chain(&p, model);
    if (count_slots(model, p.count) > SLOTS_MOST) {
        return "tables are of chains of fewer bodies: the memory of a multiprocessor is full";
    }
    return NULL;
}

char *lb_write_table_text(const lb_model *model)
{
    enum { NUMBER_WIDTH = 24, HEAD = 512 };
    const int modes = model->bodies[0].mode_count, carriers = model->body_count - 1;
    pen p = {NULL, 0};
    put_chain(&p, model);
    // gains of modes of as many bodies as there is room for, from the tip on
    const int used = count_slots(model, p.count), each = 7 * modes;
    int shared = each ? (SLOTS_MOST - used) / each : 0;
    shared = shared < carriers ? shared : carriers;
    const size_t numbers = (size_t)p.count,
                 size = HEAD + NUMBER_WIDTH * numbers + strlen((const char *)lb_table_text);
    char *text = malloc(size);
    p = (pen){malloc(numbers * sizeof(double)), 0};
    if (!text || !p.numbers) {
        free(text);
        free(p.numbers);
        return NULL;
    }
    put_chain(&p, model);
    char *at = text;
    at += snprintf(at, HEAD,
                   "#define model_forward_KEPT %d // numbers per thread in shared memory\n"
                   "#define BODIES %d\n#define MODES %d\n#define FIRST_SHARED %d\n"
                   "#define NUMBERS %d\n// numbers as their bits\n#define TABLE",
                   used + shared * each, model->body_count, modes, carriers - shared, p.count);
    for (int i = 0; i < p.count; ++i) {
        uint64_t bits;
        memcpy(&bits, &p.numbers[i], sizeof bits);
        at += snprintf(at, NUMBER_WIDTH + 1, "%s 0x%llxu", i ? "," : "", (unsigned long long)bits);
    }
    (void)snprintf(at, size - (size_t)(at - text), "\n%s", (const char *)lb_table_text);
    free(p.numbers);
    return text;
}
