// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Hubs: bodies at which many loops meet, taken out of the admittance and put back by their mass.
//
//     Lambda = Lambda_0 + E* E,   E_x = D^-1/2 H psi(h,x) of the rows of x               (HUB-1)
//
// Lambda_0 is the admittance while the hubs stand still: loops of different arms are no longer coupled
// in it. With its factors, F = L^+ E* and y = E lambda, the motion of the hubs,
//
//     (I + F* F) y = F* L^+ r + B* w,   B y = b,   lambda = L^+* (L^+ r - F y) + N w     (HUB-2)
//
// B = N* E*, b = N* r for an orthonormal basis N of the null space of Lambda_0: rows that nothing
// but the hubs gives way to, and w their multipliers.
//
// Source: Rodriguez, Jain and Kreutz-Delgado 1989, the second form of step D, through the mass matrix of
// the secondary system. Differs: any bodies of the one tree may be hubs, Lambda_0 may be singular.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/symmetric.h"
#include "loop_factor.h"

// ---- small matrices ----------------------------------------------------------------------------

// S = C C*: unit lower triangle as lb_factor_ldl leaves it, d^-1/2 on the diagonal.
static void factor_root(int n, double *S)
{
    (void)lb_factor_ldl(n, S, n, NULL);
    for (int i = 0; i < n; ++i) {
        S[i * n + i] = sqrt(S[i * n + i]);
    }
}

// x := C^-1 x
static void enter_root(int n, const double *S, double *x)
{
    lb_solve_lower(n, S, n, x);
    for (int i = 0; i < n; ++i) {
        x[i] *= S[i * n + i];
    }
}

// x := C^-* x
static void leave_root(int n, const double *S, double *x)
{
    for (int i = 0; i < n; ++i) {
        x[i] *= S[i * n + i];
    }
    lb_solve_upper(n, S, n, x);
}

// One more row x of a matrix whose triangle is R (n x n, rows of `stride`), by plane rotations. x is
// destroyed.
static void add_to_triangle(int n, int stride, double *R, double *x)
{
    for (int a = 0; a < n; ++a) {
        double *row = R + (ptrdiff_t)a * stride;
        const double r = hypot(row[a], x[a]);
        if (!(r > 0)) {
            continue;
        }
        const double c = row[a] / r, s = x[a] / r;
        for (int b = a; b < n; ++b) {
            const double above = row[b];
            row[b] = c * above + s * x[b];
            x[b] = c * x[b] - s * above;
        }
    }
}

// x := R* x
static void multiply_triangle(int n, int stride, const double *R, double *x)
{
    for (int a = n - 1; a >= 0; --a) {
        double sum = 0.0;
        for (int b = 0; b <= a; ++b) {
            sum += R[b * stride + a] * x[b];
        }
        x[a] = sum;
    }
}

// x less what it has along the rows of U, `times` times.
static void take_out(const lb_hub_work *hub, int width, int times, double *x)
{
    for (int pass = 0; pass < times; ++pass) {
        for (int a = 0; a < hub->rank; ++a) {
            const double *U = hub->U + (ptrdiff_t)a * width;
            lb_add_scaled(width, -lb_compute_dot(width, U, x), U, x);
        }
    }
}

// ---- rows --------------------------------------------------------------------------------------

// E* of one loop at the hubs of a group, on top of what has been taken from it. Returns whether it has
// any.
static int add_rows(const lb_model *model, lb_work *work, int j, int group)
{
    const lb_loop_slot *slot = lb_get_slot(model, work, j);
    double *F = lb_get_edge(model, work, j, group);
    int any = 0;
    for (int i = 0; i < lb_count_sources(slot); ++i) {
        if (lb_get_source_group(model, slot, i) == group) {
            lb_add_hub_rows(model, work, slot, i, model->pattern->hubs[group].width, F);
            any = 1;
        }
    }
    return any;
}

// F_j = R^-1 Q* F_j, as any right side; behind the range what Q has left of it, rows of B.
static void pass_block(const lb_loop_slot *slot, int width, double *F, double *scratch)
{
    const int n = slot->loop.row_count;
    memset(scratch, 0, (size_t)(n * width) * sizeof *scratch);
    for (int c = 0; c < n; ++c) {
        for (int i = 0; i < n; ++i) {
            lb_add_scaled(width, slot->Q[6 * i + c], F + (ptrdiff_t)i * width,
                          scratch + (ptrdiff_t)c * width);
        }
    }
    for (int c = slot->rank - 1; c >= 0; --c) {
        double *row = scratch + (ptrdiff_t)c * width;
        for (int e = c + 1; e < slot->rank; ++e) {
            lb_add_scaled(width, -slot->R[6 * c + e], scratch + (ptrdiff_t)e * width, row);
        }
        for (int a = 0; a < width; ++a) {
            row[a] /= slot->R[7 * c];
        }
    }
    memcpy(F, scratch, (size_t)(n * width) * sizeof *F);
}

static void note_doubt(lb_loop_work *loops, double off)
{
    loops->doubt = off > loops->doubt ? off : loops->doubt;
}

void lb_open_hub(const lb_model *model, lb_work *work, int group)
{
    const int width = model->pattern->hubs[group].width;
    lb_hub_work *hub = &work->loops->hubs[group];
    memset(hub->S, 0, (size_t)(width * width) * sizeof *hub->S);
    for (int a = 0; a < width; ++a) {
        hub->S[a * width + a] = 1.0;
    }
    hub->rank = hub->lacking_count = 0;
    hub->lacking = work->loops->lacking + model->pattern->hubs[group].first;
}

// F = L^+ E* at j and its part of the lower triangle of S = I + F* F. Spare loops are rows behind.
void lb_meet_hub(const lb_model *model, lb_work *work, int j)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    const int group = pattern->group[j], width = pattern->hubs[group].width;
    const lb_loop_slot *slot = lb_get_slot(model, work, j);
    lb_hub_work *hub = &loops->hubs[group];
    double *F = lb_get_edge(model, work, j, group);
    add_rows(model, work, j, group);
    pass_block(slot, width, F, loops->rows_scratch);
    for (int b = pattern->column[j]; b < pattern->column[j + 1]; ++b) {
        const int i = pattern->row[b];
        if (!loops->filled[b]) {
            continue;
        }
        const double *L = loops->blocks + (ptrdiff_t)36 * b;
        double *other = lb_get_edge(model, work, i, group);
        for (int e = 0; e < lb_get_slot(model, work, i)->loop.row_count; ++e) {
            for (int c = 0; c < slot->rank; ++c) {
                lb_add_scaled(width, -L[6 * e + c], F + (ptrdiff_t)c * width,
                              other + (ptrdiff_t)e * width);
            }
        }
        if (i >= pattern->ordered) {
            *lb_get_meeting(model, work, i, group) = 1;
        }
    }
    // what this loop does to the hubs costs digits where it exceeds their own mass
    for (int a = 0; a < width; ++a) {
        double own = 0.0;
        for (int c = 0; c < slot->rank; ++c) {
            const double *row = F + (ptrdiff_t)c * width;
            lb_add_scaled(a + 1, row[a], row, hub->S + (ptrdiff_t)a * width);
            own += row[a] * row[a];
        }
        note_doubt(loops, DBL_EPSILON * own);
    }
    if (slot->rank < slot->loop.row_count) {
        hub->lacking[hub->lacking_count++] = j;
        memset(loops->along + (ptrdiff_t)6 * j, 0, 6 * sizeof *loops->along);
    }
}

// ---- rows to which only the hubs give way ------------------------------------------------------

// Rotates columns of Q, and rows of F, by the first columns of T (d x d).
static void rotate(lb_loop_slot *slot, int d, const double *T, int width, double *F,
                   double *scratch)
{
    const int n = slot->loop.row_count;
    for (int i = 0; i < n; ++i) {
        double row[6] = {0};
        for (int c = 0; c < d; ++c) {
            for (int e = 0; e < d; ++e) {
                row[c] += slot->Q[6 * i + n - d + e] * T[6 * e + c];
            }
        }
        memcpy(slot->Q + (ptrdiff_t)6 * i + n - d, row, (size_t)d * sizeof *row);
    }
    memset(scratch, 0, (size_t)(d * width) * sizeof *scratch);
    for (int c = 0; c < d; ++c) {
        for (int e = 0; e < d; ++e) {
            lb_add_scaled(width, T[6 * e + c], F + (ptrdiff_t)e * width,
                          scratch + (ptrdiff_t)c * width);
        }
    }
    memcpy(F, scratch, (size_t)(d * width) * sizeof *F);
}

// Which of the rows that a block has left the hubs reach: rank by the same threshold as any block,
// B^ B^* being what Lambda has along them when everything else is eliminated            (HUB-3)
static void reach(const lb_model *model, lb_work *work, int j, int group)
{
    lb_loop_work *loops = work->loops;
    lb_loop_slot *slot = lb_get_slot(model, work, j);
    lb_hub_work *hub = &loops->hubs[group];
    const int width = model->pattern->hubs[group].width;
    const int d = slot->loop.row_count - slot->rank;
    double *B = lb_get_edge(model, work, j, group) + (ptrdiff_t)slot->rank * width;
    double *rest = loops->rows_scratch, *scratch = rest + (ptrdiff_t)6 * width;
    double A[36] = {0}, R[36], T[36], left;
    for (int c = 0; c < d; ++c) {
        double *row = rest + (ptrdiff_t)c * width;
        enter_root(width, hub->S, B + (ptrdiff_t)c * width);
        memcpy(row, B + (ptrdiff_t)c * width, (size_t)width * sizeof *row);
        take_out(hub, width, 2, row);
        for (int e = 0; e <= c; ++e) {
            A[6 * c + e] = A[6 * e + c] = lb_compute_dot(width, row, rest + (ptrdiff_t)e * width);
        }
    }
    const double threshold = LB_RANK_THRESHOLD * slot->scale;
    slot->reached = hub->rank < width ? lb_factor_block(d, A, threshold, R, T, &left) : 0;
    if (slot->reached > 0) {
        rotate(slot, d, T, width, B, scratch);
    }
    const int most = width - hub->rank;
    slot->reached = slot->reached < most ? slot->reached : most;
    for (int c = 0; c < slot->reached; ++c) {
        double *U = hub->U + (ptrdiff_t)hub->rank * width;
        memcpy(U, B + (ptrdiff_t)c * width, (size_t)width * sizeof *U);
        take_out(hub, width, 2, U);
        const double norm = sqrt(lb_compute_dot(width, U, U)), pivot = R[7 * c] * R[7 * c];
        for (int a = 0; a < width; ++a) {
            U[a] /= norm;
        }
        slot->reach = c == 0 || pivot < slot->reach ? pivot : slot->reach;
        note_doubt(loops, slot->left / pivot);
        ++hub->rank;
    }
    for (int c = slot->rank; slot->crossing && c < slot->loop.row_count; ++c) {
        slot->kept |= (unsigned)lb_keep_direction(model, work, j, c, group) << c;
    }
}

// A row of B: column c of Q at position j.
typedef struct lacking {
    int i, j, c;
    int at; // its entry of lb_loop_work.along
    double *row;
} lacking;

// The next one, or the first; zero after the last.
static int step(const lb_model *model, const lb_work *work, int group, lacking *b)
{
    const lb_hub_work *hub = &work->loops->hubs[group];
    if (!b->row || ++b->c >= lb_get_slot(model, work, b->j)->loop.row_count) {
        b->i += b->row != NULL;
        if (b->i >= hub->lacking_count) {
            return 0;
        }
        b->j = hub->lacking[b->i];
        b->c = lb_get_slot(model, work, b->j)->rank;
    }
    b->at = 6 * b->j + b->c;
    b->row =
        lb_get_edge(model, work, b->j, group) + (ptrdiff_t)b->c * model->pattern->hubs[group].width;
    return 1;
}

// B^ = Q K, K = R U, Q orthonormal: rows of Q in place of those of B^. By two triangles, the second for
// what round-off has left of the first.
static void share(const lb_model *model, lb_work *work, int group)
{
    lb_loop_work *loops = work->loops;
    lb_hub_work *hub = &loops->hubs[group];
    const int width = model->pattern->hubs[group].width, rank = hub->rank;
    double *x = loops->rows_scratch;
    memset(hub->R, 0, 2 * (size_t)(width * width) * sizeof *hub->R);
    for (lacking b = {0}; step(model, work, group, &b);) {
        for (int a = 0; a < rank; ++a) {
            x[a] = lb_compute_dot(width, hub->U + (ptrdiff_t)a * width, b.row);
        }
        memcpy(b.row, x, (size_t)rank * sizeof *x);
        add_to_triangle(rank, width, hub->R, x);
    }
    double *again = hub->R + (ptrdiff_t)width * width;
    for (lacking b = {0}; step(model, work, group, &b);) {
        lb_solve_transposed_triangle(rank, width, hub->R, b.row);
        memcpy(x, b.row, (size_t)rank * sizeof *x);
        add_to_triangle(rank, width, again, x);
    }
    for (lacking b = {0}; step(model, work, group, &b);) {
        lb_solve_transposed_triangle(rank, width, again, b.row);
    }
}

// Lambda_ss += V* (I - U* U) V, V = C^-1 F_s* of the spare loops: what the hubs leave of them. (HUB-6)
static void give_to_spare(const lb_model *model, lb_work *work, int group)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    const lb_hub_work *hub = &loops->hubs[group];
    const int width = pattern->hubs[group].width;
    double *T = loops->rows_scratch;
    for (int s = pattern->ordered; s < pattern->count; ++s) {
        for (int r = 0; *lb_get_meeting(model, work, s, group) && r < 6; ++r) {
            enter_root(width, hub->S, lb_get_edge(model, work, s, group) + (ptrdiff_t)r * width);
        }
    }
    for (int s = pattern->ordered; s < pattern->count; ++s) {
        if (!*lb_get_meeting(model, work, s, group)) {
            continue;
        }
        memcpy(T, lb_get_edge(model, work, s, group), 6 * (size_t)width * sizeof *T);
        double *A = lb_open_diagonal(model, work, s);
        for (int r = 0; r < 6; ++r) {
            take_out(hub, width, 2, T + (ptrdiff_t)r * width);
        }
        for (int i = 0; i < 36; ++i) {
            A[i] += lb_compute_dot(width, T + (ptrdiff_t)(i / 6) * width,
                                   T + (ptrdiff_t)(i % 6) * width);
        }
        for (int t = s + 1; t < pattern->count; ++t) {
            const double *V = lb_get_edge(model, work, t, group);
            if (*lb_get_meeting(model, work, t, group)) {
                double *block = lb_open_block(work, pattern->column[s] + t - s - 1);
                for (int i = 0; i < 36; ++i) {
                    block[i] += lb_compute_dot(width, V + (ptrdiff_t)(i / 6) * width,
                                               T + (ptrdiff_t)(i % 6) * width);
                }
            }
        }
    }
}

void lb_close_hub(const lb_model *model, lb_work *work, int group)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_hub_work *hub = &work->loops->hubs[group];
    for (int s = pattern->ordered; s < pattern->count; ++s) {
        lb_loop_slot *slot = lb_get_slot(model, work, s);
        if (slot->active) {
            lb_prepare_slot(model, work, slot);
            *lb_get_meeting(model, work, s, group) |=
                (unsigned char)add_rows(model, work, s, group);
        }
    }
    factor_root(pattern->hubs[group].width, hub->S);
    for (int i = 0; i < hub->lacking_count; ++i) {
        reach(model, work, hub->lacking[i], group);
    }
    share(model, work, group);
    give_to_spare(model, work, group);
}

// ---- right sides -------------------------------------------------------------------------------

// u = c + U* t, t = beta - U c: the motion of the hubs, as C* y                          (HUB-4)
static void find_motion(const lb_hub_work *hub, int width)
{
    memcpy(hub->u, hub->c, (size_t)width * sizeof *hub->u);
    for (int a = 0; a < hub->rank; ++a) {
        const double *U = hub->U + (ptrdiff_t)a * width;
        hub->t[a] = hub->beta[a] - lb_compute_dot(width, U, hub->c);
        lb_add_scaled(width, hub->t[a], U, hub->u);
    }
}

// x less N (I - Q Q*) N* x: directions along which Lambda has nothing                   (HUB-3)
//
// Beyond the memory for directions that several loops share there is no N, and x stays.
static void project(const lb_model *model, lb_work *work, int group, double *x, int judge)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    const lb_hub_work *hub = &loops->hubs[group];
    double *gamma = hub->beta;
    if (loops->overflow) {
        return;
    }
    memset(gamma, 0, (size_t)pattern->hubs[group].width * sizeof *gamma);
    lb_read_directions(model, loops, group, x);
    for (lacking b = {0}; step(model, work, group, &b);) {
        const lb_loop_slot *slot = lb_get_slot(model, work, b.j);
        if (!(slot->kept >> b.c & 1)) {
            loops->along[b.at] = lb_read_column(slot, b.c, x + (ptrdiff_t)6 * pattern->slot[b.j]);
        }
        lb_add_scaled(hub->rank, loops->along[b.at], b.row, gamma);
    }
    for (lacking b = {0}; step(model, work, group, &b);) {
        const lb_loop_slot *slot = lb_get_slot(model, work, b.j);
        loops->along[b.at] -= lb_compute_dot(hub->rank, b.row, gamma);
        if (judge) {
            lb_note_conflict(loops, pattern->slot[b.j], fabs(loops->along[b.at]));
        }
        for (int i = 0; !(slot->kept >> b.c & 1) && i < slot->loop.row_count; ++i) {
            x[6 * pattern->slot[b.j] + i] -= slot->Q[6 * i + b.c] * loops->along[b.at];
        }
    }
    lb_add_directions(model, loops, group, -1.0, x);
}

void lb_clear_hub(const lb_model *model, lb_work *work, int group, double *x, int judge)
{
    project(model, work, group, x, judge);
    lb_read_directions(model, work->loops, group, x);
}

void lb_settle_hub(const lb_model *model, lb_work *work, int group, double *x)
{
    lb_add_directions(model, work->loops, group, 1.0, x);
    project(model, work, group, x, 0);
    for (lacking b = {0}; step(model, work, group, &b);) {
        work->loops->along[b.at] = 0.0;
    }
}

// c = C^-1 F* L^+ r and beta = R^-1 Q* b; what of b Q does not reach no motion can meet.
void lb_enter_hub(const lb_model *model, lb_work *work, int group, double *x, int judge)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    const lb_loop_hub *at_group = &pattern->hubs[group];
    const lb_hub_work *hub = &loops->hubs[group];
    const int width = at_group->width, rank = hub->rank;
    memset(hub->c, 0, (size_t)width * sizeof *hub->c);
    memset(hub->beta, 0, (size_t)width * sizeof *hub->beta);
    for (int j = at_group->first; j <= at_group->last; ++j) {
        const lb_loop_slot *slot = lb_get_slot(model, work, j);
        const double *F = lb_get_edge(model, work, j, group);
        const double *y = x + (ptrdiff_t)6 * pattern->slot[j];
        for (int c = 0; c < slot->rank; ++c) {
            lb_add_scaled(width, y[c], F + (ptrdiff_t)c * width, hub->c);
        }
    }
    enter_root(width, hub->S, hub->c);
    for (lacking b = {0}; step(model, work, group, &b);) {
        lb_add_scaled(rank, loops->along[b.at], b.row, hub->beta);
    }
    for (lacking b = {0}; step(model, work, group, &b);) {
        const double left = loops->along[b.at] - lb_compute_dot(rank, b.row, hub->beta);
        if (judge) {
            lb_note_conflict(loops, pattern->slot[b.j], fabs(left));
        }
    }
    lb_solve_triangle(rank, width, hub->R + (ptrdiff_t)width * width, hub->beta);
    lb_solve_triangle(rank, width, hub->R, hub->beta);
    find_motion(hub, width);
    for (int s = pattern->ordered; s < pattern->count; ++s) {
        const double *V = lb_get_edge(model, work, s, group);
        double *r = x + (ptrdiff_t)6 * pattern->slot[s];
        for (int e = 0; *lb_get_meeting(model, work, s, group) && e < 6; ++e) {
            r[e] -= lb_compute_dot(width, V + (ptrdiff_t)e * width, hub->u);
        }
    }
}

// y = C^-* u, from which L^+ r - F y, and w = Q R^-* t.
void lb_leave_hub(const lb_model *model, lb_work *work, int group, double *x)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work *loops = work->loops;
    const lb_loop_hub *at_group = &pattern->hubs[group];
    const lb_hub_work *hub = &loops->hubs[group];
    const int width = at_group->width, rank = hub->rank;
    for (int s = pattern->ordered; s < pattern->count; ++s) {
        const double *V = lb_get_edge(model, work, s, group);
        const double *lambda = x + (ptrdiff_t)6 * pattern->slot[s];
        for (int e = 0; *lb_get_meeting(model, work, s, group) && e < 6; ++e) {
            lb_add_scaled(width, lambda[e], V + (ptrdiff_t)e * width, hub->c);
        }
    }
    find_motion(hub, width);
    leave_root(width, hub->S, hub->u);
    lb_solve_transposed_triangle(rank, width, hub->R, hub->t);
    lb_solve_transposed_triangle(rank, width, hub->R + (ptrdiff_t)width * width, hub->t);
    for (int j = at_group->first; j <= at_group->last; ++j) {
        const lb_loop_slot *slot = lb_get_slot(model, work, j);
        const double *F = lb_get_edge(model, work, j, group);
        double *y = x + (ptrdiff_t)6 * pattern->slot[j];
        for (int c = 0; c < slot->rank; ++c) {
            y[c] -= lb_compute_dot(width, F + (ptrdiff_t)c * width, hub->u);
        }
    }
    for (lacking b = {0}; step(model, work, group, &b);) {
        loops->along[b.at] = lb_compute_dot(rank, b.row, hub->t);
    }
}

// ---- what others ask ---------------------------------------------------------------------------

// R (I - G G*)^-1 R*, G = F C^-*, is what Lambda has of the block when everything else is eliminated;
// with I - G G* = T* T its pivots are those of R over those of T.
double lb_get_hub_pivot(const lb_model *model, const lb_work *work, int position)
{
    const lb_loop_work *loops = work->loops;
    const int group = model->pattern->group[position];
    const lb_loop_slot *slot = lb_get_slot(model, work, position);
    const int width = model->pattern->hubs[group].width, n = slot->rank;
    double *G = loops->rows_scratch, K[36] = {0}, smallest = INFINITY;
    memcpy(G, lb_get_edge(model, work, position, group), (size_t)(n * width) * sizeof *G);
    for (int c = 0; c < n; ++c) {
        enter_root(width, loops->hubs[group].S, G + (ptrdiff_t)c * width);
        take_out(&loops->hubs[group], width, 1, G + (ptrdiff_t)c * width);
        for (int e = 0; e <= c; ++e) {
            K[c * n + e] = (c == e) - lb_compute_dot(width, G + (ptrdiff_t)c * width,
                                                     G + (ptrdiff_t)e * width);
        }
    }
    for (int c = 0; c < n; ++c) {
        double d = K[c * n + c];
        for (int e = 0; e < c; ++e) {
            d -= K[c * n + e] * K[c * n + e];
        }
        const double root = sqrt(d > DBL_EPSILON ? d : DBL_EPSILON);
        K[c * n + c] = root;
        for (int i = c + 1; i < n; ++i) {
            for (int e = 0; e < c; ++e) {
                K[i * n + c] -= K[i * n + e] * K[c * n + e];
            }
            K[i * n + c] /= root;
        }
        const double pivot = slot->R[7 * c] / root;
        smallest = pivot * pivot < smallest ? pivot * pivot : smallest;
    }
    return slot->reached && slot->reach < smallest ? slot->reach : smallest;
}

// A redundant row is a sum of the rows that the hubs were reached by: U was made of those one by one,
// so that what each has of it is found from the last to the first.
void lb_mark_hub_repeats(const lb_model *model, const lb_work *work, int position,
                         unsigned char *repeats)
{
    const lb_loop_pattern *pattern = model->pattern;
    const int group = pattern->group[position], width = pattern->hubs[group].width;
    const lb_hub_work *hub = &work->loops->hubs[group];
    const double *again = hub->R + (ptrdiff_t)width * width;
    const lb_loop_slot *slot = lb_get_slot(model, work, position);
    double *x = work->loops->rows_scratch, *y = x + width;
    const int first = slot->rank + slot->reached;
    for (int n = first; n < slot->loop.row_count; ++n) {
        lb_mark_direction(model, work, position, n, repeats);
        memcpy(x, lb_get_edge(model, work, position, group) + (ptrdiff_t)n * width,
               (size_t)width * sizeof *x);
        multiply_triangle(hub->rank, width, again, x);
        multiply_triangle(hub->rank, width, hub->R, x);
        const double scale = sqrt(lb_compute_dot(hub->rank, x, x));
        int a = hub->rank - 1;
        for (int j = pattern->hubs[group].last; j >= pattern->hubs[group].first; --j) {
            const lb_loop_slot *other = lb_get_slot(model, work, j);
            for (int c = other->rank + other->reached - 1; other->active && c >= other->rank;
                 --c, --a) {
                memcpy(y, lb_get_edge(model, work, j, group) + (ptrdiff_t)c * width,
                       (size_t)width * sizeof *y);
                multiply_triangle(hub->rank, width, again, y);
                multiply_triangle(hub->rank, width, hub->R, y);
                if (fabs(x[a]) > 1e-6 * scale) {
                    repeats[pattern->slot[j]] |= j != position;
                    lb_mark_direction(model, work, j, c, repeats);
                    lb_add_scaled(hub->rank, -x[a] / y[a], y, x);
                }
            }
        }
    }
    repeats[pattern->slot[position]] = 0;
}
