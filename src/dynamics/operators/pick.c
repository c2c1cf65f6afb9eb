// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes that are picked, the rows of loops between them, and square roots.
#include "blocks.h"
#include "dynamics/loops/loop_rows.h"
#include "dynamics/tree/node_motion.h"
#include "dynamics/tree/steps.h"
#include "op_parts.h"

// ---- nodes ---------------------------------------------------------------------------------------

static lb_status take_picks(const lb_model *model, lb_op_work *operators, int count,
                            const lb_op_node *nodes)
{
    lb_op_pick *picks =
        lb_arena_take(&operators->pick_arena, (size_t)count + 1, sizeof *operators->picks);
    if (!picks) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        const int body = nodes[i].body, k = body == LB_GROUND ? -1 : model->infos[body].sweep;
        const size_t N = k < 0 ? 0 : (size_t)operators->bodies[k].N;
        picks[i] = (lb_op_pick){nodes[i], k, lb_take_numbers(&operators->pick_arena, 6 * N + 1)};
        if (!picks[i].block) {
            return LB_E_MEMORY;
        }
    }
    operators->picks = picks;
    operators->pick_count = count;
    return LB_OK;
}

// Both ends of the loops that hold.
static lb_status take_loops(const lb_model *model, const lb_work *work, lb_op_work *operators)
{
    const int most = model->pattern ? model->pattern->count : 0;
    lb_op_node *nodes = lb_arena_take(&operators->pick_arena, 2 * (size_t)most + 1, sizeof *nodes);
    lb_op_closure *closures =
        lb_arena_take(&operators->pick_arena, (size_t)most + 1, sizeof *closures);
    int count = 0, at = 0;
    if (!nodes || !closures) {
        return LB_E_MEMORY;
    }
    for (int l = 0; l < most; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        if (!slot->active) {
            continue;
        }
        if (slot->loop.type == LB_LOOP_COUPLER) {
            return LB_E_UNSUPPORTED;
        }
        for (int side = 0; side < 2; ++side) {
            const lb_loop_end *end = &slot->loop.ends[side];
            nodes[2 * count + side] = (lb_op_node){end->body, end->node};
        }
        closures[count++] = (lb_op_closure){.slot = l, .row_count = slot->loop.row_count, .at = at};
        at += slot->loop.row_count;
    }
    operators->closures = closures;
    operators->closure_count = count;
    return take_picks(model, operators, 2 * count, nodes);
}

lb_status lb_op_pick_nodes(const lb_model *model, const lb_work *work, lb_op_work *operators,
                           int count, const lb_op_node *nodes)
{
    lb_arena_free(&operators->pick_arena);
    operators->pick_count = operators->closure_count = 0;
    operators->has = 0;
    lb_status status = LB_OK;
    for (int i = 0; nodes && i < count; ++i) {
        if (!lb_get_node(model, nodes[i].body, nodes[i].node)) {
            status = LB_E_ARGUMENT;
        }
    }
    status = status < 0 ? status
             : nodes    ? take_picks(model, operators, count, nodes)
                        : take_loops(model, work, operators);
    if (status < 0) {
        operators->pick_count = operators->closure_count = 0;
    }
    const lb_status room = lb_op_make_room(operators);
    return status < 0 ? status : room;
}

lb_op_node lb_op_get_node(const lb_op_work *operators, int i)
{
    return i >= 0 && i < operators->pick_count ? operators->picks[i].node
                                               : (lb_op_node){LB_GROUND, LB_NOT_FOUND};
}

// ---- their blocks --------------------------------------------------------------------------------

// B*(k): the velocity of the node in world axes, for rates of the modes and a motion of the frame C     (OPR-22)
//
//     [ R  0 ]
//     [ 0  R ] [ phi*(F,l) Pi   phi*(C,l) ]       R from F to the world, l the place of the node, deformed
static void place_pick(const lb_model *model, lb_work *work, const lb_op_work *operators,
                       const lb_op_pick *pick)
{
    const int N = operators->bodies[pick->k].N, m = N - 6;
    const lb_node *node = lb_get_node(model, pick->node.body, pick->node.node);
    const lb_pose back = lb_pose_inverse(&model->infos[pick->node.body].nodes[0].X);
    lb_vec6 *Pi = work->Pi;
    lb_pose X = lb_get_node_place(model, work, pick->k, node);
    const lb_flex_work *f = lb_get_flex(model, work, pick->k);
    if (f) {
        X.p = lb_place_flex_node(node, m, f->eta_seen, Pi).p;
    }
    X.R = lb_mat3_transpose(&work->X_0[pick->k].R);
    for (int i = 0; i < N; ++i) {
        lb_vec6 motion;
        if (i < m) {
            motion = lb_refer_to_frame(X.p, Pi[i]);
        } else {
            double six[6] = {0};
            six[i - m] = 1.0;
            motion = lb_pose_carry_motion(&back, lb_vec6_from(six));
        }
        double column[6];
        lb_vec6_to(lb_pose_carry_motion(&X, motion), column);
        for (int r = 0; r < 6; ++r) {
            pick->block[r * N + i] = column[r];
        }
    }
}

// Rows of a loop on the velocities of its nodes a and b in the world                          (OPR-25)
//
//     row on b: (m, f) = R_a W_r,   row on a: -(m + d x f, f),   d = x_b - x_a
static void place_closure(const lb_loop_slot *slot, lb_op_closure *c)
{
    const lb_vec3 d = lb_mat3_mul_vec(&slot->R_a, slot->d);
    for (int r = 0; r < c->row_count; ++r) {
        const double *W = slot->loop.W[r];
        const lb_vec3 m = lb_mat3_mul_vec(&slot->R_a, lb_vec3_from(W));
        const lb_vec3 f = lb_mat3_mul_vec(&slot->R_a, lb_vec3_from(W + 3));
        const lb_vec3 moment = lb_vec3_add(m, lb_vec3_cross(d, f));
        lb_vec3_to(lb_vec3_scale(-1.0, moment), c->rows[r]);
        lb_vec3_to(lb_vec3_scale(-1.0, f), c->rows[r] + 3);
        lb_vec3_to(m, c->rows[r] + 6);
        lb_vec3_to(f, c->rows[r] + 9);
    }
}

void lb_op_place_picks(const lb_model *model, lb_work *work, lb_op_work *operators)
{
    lb_update_world(model, work);
    for (int i = 0; i < operators->pick_count; ++i) {
        if (operators->picks[i].k >= 0) {
            place_pick(model, work, operators, &operators->picks[i]);
        }
    }
    for (int i = 0; i < operators->closure_count; ++i) {
        lb_op_closure *c = &operators->closures[i];
        lb_loop_slot *slot = &work->loops->slots[c->slot];
        lb_place_loop(model, work, slot);
        place_closure(slot, c);
    }
}

// ---- square roots --------------------------------------------------------------------------------

// One turn of Jacobi in the plane p, q: D := Q'D Q, V := V Q.
static void turn(int n, int p, int q, double *D, double *V)
{
    const double off = D[p * n + q];
    if (off == 0.0) {
        return;
    }
    const double t = 0.5 * (D[q * n + q] - D[p * n + p]) / off;
    const double tangent = (t < 0.0 ? -1.0 : 1.0) / (fabs(t) + hypot(1.0, t));
    const double c = 1.0 / hypot(1.0, tangent), s = tangent * c;
    for (int i = 0; i < n; ++i) {
        const double x = D[i * n + p], y = D[i * n + q];
        D[i * n + p] = c * x - s * y;
        D[i * n + q] = s * x + c * y;
    }
    for (int i = 0; i < n; ++i) {
        const double x = D[p * n + i], y = D[q * n + i], v = V[i * n + p], w = V[i * n + q];
        D[p * n + i] = c * x - s * y;
        D[q * n + i] = s * x + c * y;
        V[i * n + p] = c * v - s * w;
        V[i * n + q] = s * v + c * w;
    }
}

// D = V diag(d) V' by Jacobi's turns, then V diag(sqrt d) V'
bool lb_form_root(int n, double *D, double *V, double *root)
{
    enum { SWEEPS = 30 };
    memset(V, 0, (size_t)n * (size_t)n * sizeof *V);
    for (int i = 0; i < n; ++i) {
        V[i * n + i] = 1.0;
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                turn(n, p, q, D, V);
            }
        }
    }
    memset(root, 0, (size_t)n * (size_t)n * sizeof *root);
    for (int k = 0; k < n; ++k) {
        const double d = D[k * n + k];
        if (!(d > 0.0)) {
            return false;
        }
        for (int i = 0; i < n * n; ++i) {
            root[i] += sqrt(d) * V[i / n * n + k] * V[i % n * n + k];
        }
    }
    return true;
}
