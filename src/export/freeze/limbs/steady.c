// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frames of bodies that save operations: origins along hinge axes, and frames that do not turn with their bodies.
#include <math.h>

#include "limbs.h"
#include "model/layout.h"
#include "steady.h"

// ---- origins -----------------------------------------------------------------------------------

// What round-off leaves of a length that was taken away
static double drop(double x, double scale)
{
    return fabs(x) < 1e-15 * scale ? 0.0 : x;
}

static void slide(lb_body *bodies, int count, int k)
{
    lb_body *b = &bodies[k];
    const lb_vec3 p = b->X_p.p;
    const lb_vec3 axis = {b->X_p.R.m[0][2], b->X_p.R.m[1][2], b->X_p.R.m[2][2]};
    const double way = -lb_vec3_dot(axis, p), scale = fabs(p.x) + fabs(p.y) + fabs(p.z);
    const lb_pose back = {lb_mat3_identity(), {0, 0, -way}};
    const lb_vec3 moved = lb_vec3_axpy(p, way, axis);
    b->X_p.p = (lb_vec3){drop(moved.x, scale), drop(moved.y, scale), drop(moved.z, scale)};
    b->M = lb_inertia_carry(&back, &b->M);
    for (int j = k + 1; j < count; ++j) {
        if (bodies[j].parent == k) {
            bodies[j].X_p.p.z -= way;
        }
    }
}

void lb_slide_origins(lb_body *bodies, int count)
{
    for (int k = 0; k < count; ++k) {
        const lb_body *b = &bodies[k];
        if (b->simple && !b->flex && !b->at && !b->moving) {
            slide(bodies, count, k);
        }
    }
}

// ---- steady frames -----------------------------------------------------------------------------

static bool is_plain(const lb_body *b)
{
    return b->simple && !b->flex && !b->at && !b->moving;
}

// Whether a body has children, all on axes parallel to its own.
static bool is_steady(const lb_body *bodies, int count, int k)
{
    bool any = false, all = is_plain(&bodies[k]);
    for (int j = k + 1; all && j < count; ++j) {
        if (bodies[j].parent == k) {
            any = true;
            all = is_plain(&bodies[j]) && bodies[j].X_p.R.m[2][2] == 1.0;
        }
    }
    return any && all;
}

bool lb_has_steady_frames(const lb_body *bodies, int count)
{
    bool any = false;
    for (int k = 0; k < count; ++k) {
        any = any || is_steady(bodies, count, k);
    }
    return any;
}

// Sine and cosine of an angle.
typedef struct turn {
    lb_graph *graph;
    lb_term s, c;
} turn;

static lb_term multiply(const turn *t, lb_term a, lb_term b)
{
    return lb_put_product(t->graph, a, b);
}

static lb_term add(const turn *t, lb_term a, lb_term b)
{
    return lb_put_sum(t->graph, a, b);
}

static lb_term subtract(const turn *t, lb_term a, lb_term b)
{
    return lb_put_sum(t->graph, a, lb_negate_term(b));
}

void lb_put_turn(lb_graph *graph, lb_term angle, lb_term *sine, lb_term *cosine)
{
    const lb_graph_node *n = lb_is_node(angle) ? &graph->nodes[lb_get_index(angle)] : NULL;
    const bool sum = n && (n->op == LB_OP_ADD || n->op == LB_OP_SUBTRACT) &&
                     graph->nodes[n->a].op != LB_OP_CONSTANT &&
                     graph->nodes[n->b].op != LB_OP_CONSTANT;
    if (!sum) {
        *sine = lb_put_function(graph, LB_OP_SINE, angle, 0);
        *cosine = lb_put_function(graph, LB_OP_COSINE, angle, 0);
        return;
    }
    const bool minus_a = lb_is_negative(angle), minus_b = minus_a != (n->op == LB_OP_SUBTRACT);
    const lb_term a = {.bits = LB_TERM_TAG | (unsigned)n->a | (minus_a ? LB_TERM_MINUS : 0)};
    const lb_term b = {.bits = LB_TERM_TAG | (unsigned)n->b | (minus_b ? LB_TERM_MINUS : 0)};
    turn s = {.graph = graph}, t = {.graph = graph};
    lb_put_turn(graph, a, &s.s, &s.c);
    lb_put_turn(graph, b, &t.s, &t.c);
    *sine = add(&s, multiply(&s, s.s, t.c), multiply(&s, s.c, t.s));
    *cosine = subtract(&s, multiply(&s, s.c, t.c), multiply(&s, s.s, t.s));
}

// (x, y) := (c x - s y, s x + c y)
static void turn_pair(const turn *t, double *x, double *y)
{
    const lb_term a = lb_make_constant(*x), b = lb_make_constant(*y);
    *x = subtract(t, multiply(t, t->c, a), multiply(t, t->s, b)).number;
    *y = add(t, multiply(t, t->s, a), multiply(t, t->c, b)).number;
}

// With u = s (xx - yy) + 2 c xy:   xx - s u,   yy + s u,   c u - xy
static void turn_inertia(const turn *t, lb_inertia *M)
{
    const lb_term xx = lb_make_constant(M->J.xx), yy = lb_make_constant(M->J.yy),
                  xy = lb_make_constant(M->J.xy);
    const lb_term u =
        add(t, multiply(t, t->s, subtract(t, xx, yy)), multiply(t, t->c, add(t, xy, xy)));
    const lb_term su = multiply(t, t->s, u);
    M->J.xx = subtract(t, xx, su).number;
    M->J.yy = add(t, yy, su).number;
    M->J.xy = subtract(t, multiply(t, t->c, u), xy).number;
    turn_pair(t, &M->J.xz, &M->J.yz);
    turn_pair(t, &M->h.x, &M->h.y);
}

void lb_steady_frames(lb_graph *graph, lb_body *bodies, int count, lb_term *q)
{
    for (int k = 0; k < count; ++k) {
        lb_body *b = &bodies[k];
        if (!is_steady(bodies, count, k)) {
            continue;
        }
        // a child comes after its parent, whose angle is in its own by then
        lb_term *angle = &q[b->hinge_q];
        lb_mark_graph(graph, b->listed, "KIN-1");
        turn t = {.graph = graph};
        lb_put_turn(graph, *angle, &t.s, &t.c);
        turn_inertia(&t, &b->M);
        for (int j = k + 1; j < count; ++j) {
            if (bodies[j].parent == k) {
                turn_pair(&t, &bodies[j].X_p.p.x, &bodies[j].X_p.p.y);
                q[bodies[j].hinge_q] = lb_put_sum(graph, *angle, q[bodies[j].hinge_q]);
            }
        }
        *angle = lb_make_constant(0.0);
    }
}
