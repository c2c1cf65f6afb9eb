// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "newton.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/rotation.h"
#include "closure.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "held_speeds.h"
#include "limber/spatial.h"
#include "newton_loops.h"
#include "simulate/forces/forces.h"

lb_status lb_create_newton(lb_system *s, lb_newton **out)
{
    *out = NULL;
    const size_t n = (size_t)s->v_count, rows = (size_t)s->force_count * n;
    const size_t size = lb_get_derivative_work_size(s->model);
    lb_newton *m = lb_arena_take(s->arena, 1, sizeof *m);
    double *numbers = lb_arena_take(s->arena, 5 * n * n + 2 * rows + 4 * n + (size_t)s->q_count + 1,
                                    sizeof *numbers);
    void *memory = lb_arena_take(s->arena, size, 1);
    if (!m || !numbers || !memory ||
        lb_init_derivative_work(s->model, memory, size, &m->scratch) != LB_OK) {
        return LB_E_MEMORY;
    }
    m->system = s;
    m->M = numbers;
    m->K = m->M + n * n;
    m->D = m->K + n * n;
    m->S = m->D + n * n;
    m->spare = m->S + n * n;
    m->power_dq = m->spare + n * n;
    m->power_dv = m->power_dq + rows;
    m->x = m->power_dv + rows;
    m->xi = m->x + n;
    m->v = m->xi + n;
    m->drive = m->v + n;
    m->q = m->drive + n;
    m->pivot = lb_arena_take(s->arena, n, sizeof *m->pivot);
    m->held = lb_arena_take(s->arena, n, 1);
    m->motions = lb_arena_take(s->arena, n, sizeof *m->motions);
    m->given_q = lb_arena_take(s->arena, n, 1);
    m->given_v = lb_arena_take(s->arena, n, 1);
    if (!m->pivot || !m->held || !m->motions || !m->given_q || !m->given_v) {
        return LB_E_MEMORY;
    }
    const lb_status status = s->closure ? lb_create_newton_loops(m) : LB_OK;
    *out = status < 0 ? NULL : m;
    return status;
}

// K and D less what forces change with the state.
static lb_status subtract_forces(lb_system *s, lb_derivative_work *scratch, double t,
                                 const double *q, const double *v, double *dtau_dq, double *dtau_dv,
                                 double *K, double *D, double *power_dq, double *power_dv)
{
    if (s->force_count == 0) {
        return LB_OK;
    }
    const ptrdiff_t n = s->v_count;
    const lb_status status = lb_compute_force_derivatives(
        s->forces, s->model, s->work, scratch, t, q, v, dtau_dq, dtau_dv, power_dq, power_dv);
    for (ptrdiff_t i = 0; status >= 0 && i < n * n; ++i) {
        K[i] -= dtau_dq[i];
        D[i] -= dtau_dv[i];
    }
    return status;
}

lb_status lb_differentiate_balance(lb_system *s, lb_derivative_work *scratch, double t,
                                   const double *q, const double *v, const double *a,
                                   double *dtau_dq, double *dtau_dv, double *K, double *D,
                                   double *M, double *power_dq, double *power_dv)
{
    const lb_status status =
        lb_tree_inverse_derivatives(s->model, s->work, scratch, q, v, a, NULL, K, D, M);
    return status < 0
               ? status
               : subtract_forces(s, scratch, t, q, v, dtau_dq, dtau_dv, K, D, power_dq, power_dv);
}

lb_status lb_differentiate_system(lb_newton *m, double t)
{
    lb_system *s = m->system;
    const size_t n = (size_t)s->v_count;
    memcpy(m->q, s->q, (size_t)s->q_count * sizeof *m->q);
    memcpy(m->v, s->v, n * sizeof *m->v);
    memset(m->given_q, 0, n);
    memset(m->given_v, 0, n);
    if (s->force_count > 0) {
        lb_mark_driven_state(s->forces, m->given_q, m->given_v);
    }
    for (int k = 0; k < s->body_count; ++k) {
        const int first = lb_get_v_offset(s->model, k), modes = lb_get_mode_count(s->model, k);
        const int motion = s->motions[k];
        for (int i = 0; i < modes + lb_get_hinge(s->model, k).v_count; ++i) {
            m->motions[first + i] = i >= modes ? motion : -1;
            const bool rests = lb_is_speed_held(s, first + i);
            m->held[first + i] = rests || (i >= modes && s->any_driven && s->driven[k]);
            m->given_v[first + i] |= rests || (i >= modes && s->locked[k]);
            m->drive[first + i] = s->tau[first + i] - s->tau_forces[first + i];
        }
    }
    ++s->jacobian_count;
    lb_status status = lb_tree_inverse_derivatives(s->model, s->work, m->scratch, m->q, m->v, s->a,
                                                   NULL, m->K, m->D, m->M);
    // before forces, which may move the workspace to and fro
    status = status < 0 || !m->loops ? status : lb_differentiate_closure(m);
    status = status < 0 ? status
                        : subtract_forces(s, m->scratch, t, m->q, m->v, m->S, m->spare, m->K, m->D,
                                          m->power_dq, m->power_dv);
    status = status < 0 || !m->loops ? status : lb_reduce_to_loops(m);
    // what time gives does not follow the state
    for (size_t j = 0; j < n; ++j) {
        for (size_t i = 0; m->given_q[j] && i < n; ++i) {
            m->K[i * n + j] = 0.0;
        }
        for (size_t i = 0; m->given_v[j] && i < n; ++i) {
            m->D[i * n + j] = 0.0;
        }
        for (size_t i = 0; i < (size_t)s->force_count; ++i) {
            m->power_dq[i * n + j] = m->given_q[j] ? 0.0 : m->power_dq[i * n + j];
            m->power_dv[i * n + j] = m->given_v[j] ? 0.0 : m->power_dv[i * n + j];
        }
    }
    return status;
}

// ---- quaternions --------------------------------------------------------------------------------

// A body: its entries that are plain numbers, modes first, and its quaternion where it has one.
typedef struct turning {
    int plain_q, plain_v, plain; // where they start, and how many there are
    int q, v;                    // of a hinge with a quaternion
    bool is_free;
    lb_quat u;
    lb_mat3 R;
    lb_vec3 omega, speed;
} turning;

static bool get_turning(const lb_newton *m, int body, turning *h)
{
    const lb_model *model = m->system->model;
    const lb_hinge_type type = lb_get_hinge(model, body).type;
    const int modes = lb_get_mode_count(model, body);
    h->plain_q = lb_get_q_offset(model, body);
    h->plain_v = lb_get_v_offset(model, body);
    h->plain = modes + lb_get_hinge(model, body).v_count;
    if (type != LB_HINGE_SPHERICAL && type != LB_HINGE_FREE) {
        return false;
    }
    h->plain = modes;
    h->q = h->plain_q + modes;
    h->v = h->plain_v + modes;
    h->is_free = type == LB_HINGE_FREE;
    h->u = lb_quat_from(m->q + h->q);
    h->R = lb_quat_to_mat3(h->u);
    h->omega = lb_vec3_from(m->v + h->v);
    h->speed = h->is_free ? lb_vec3_from(m->v + h->v + 3) : lb_vec3_make(0, 0, 0);
    return true;
}

// The turn in O that a change of the quaternion is: 2 vec(conj(u) d)
static lb_vec3 get_turn(const turning *h, const double *d)
{
    const lb_quat p = lb_quat_mul(lb_quat_conjugate(h->u), lb_quat_from(d));
    return lb_vec3_make(2 * p.x, 2 * p.y, 2 * p.z);
}

// (I - gamma J_qq)^-1 of a quaternion: J_qq d = 1/2 d (0, omega), whose square is -|omega|^2/4
static void solve_quaternion(const turning *h, double gamma, const double *b, double *x)
{
    const lb_quat rate = {0, h->omega.x, h->omega.y, h->omega.z};
    const lb_quat p = lb_quat_mul(lb_quat_from(b), rate);
    const double beta = 0.5 * gamma;
    const double scale = 1.0 / (1.0 + beta * beta * lb_vec3_dot(h->omega, h->omega));
    x[0] = scale * (b[0] + beta * p.w);
    x[1] = scale * (b[1] + beta * p.x);
    x[2] = scale * (b[2] + beta * p.y);
    x[3] = scale * (b[3] + beta * p.z);
}

// (I - R*) u: see solve_configuration
static lb_vec3 get_stretch(const turning *h)
{
    return lb_vec3_sub(h->speed, lb_mat3_tmul_vec(&h->R, h->speed));
}

// Configuration from its own equations, x_v given                                       (NEW-1)
//
//     x_q = (I - gamma J_qq)^-1 (b_q + gamma N x_v),   q' = N(q) v
//
// and xi, the same along the directions of v. x_v NULL for zero; x_q NULL if not wanted.
static void solve_configuration(const lb_newton *m, const double *b_q, const double *x_v,
                                double *x_q, double *xi)
{
    const double gamma = m->gamma;
    for (int k = 0; k < m->system->body_count; ++k) {
        turning h;
        const bool turns = get_turning(m, k, &h);
        for (int i = 0; i < h.plain; ++i) {
            const int q = h.plain_q + i, v = h.plain_v + i;
            xi[v] = b_q[q] + (x_v && !m->given_v[v] ? gamma * x_v[v] : 0.0);
            if (x_q) {
                x_q[q] = xi[v];
            }
        }
        if (!turns) {
            continue;
        }
        double b[4], x[4];
        const bool follows = x_v && !m->given_v[h.v];
        memcpy(b, b_q + h.q, sizeof b);
        if (follows) {
            // N w = 1/2 u (0, w)
            const lb_quat w = {0, x_v[h.v], x_v[h.v + 1], x_v[h.v + 2]};
            const lb_quat p = lb_quat_mul(h.u, w);
            const double add[4] = {p.w, p.x, p.y, p.z};
            for (int i = 0; i < 4; ++i) {
                b[i] += 0.5 * gamma * add[i];
            }
        }
        solve_quaternion(&h, gamma, b, x);
        const lb_vec3 turn = get_turn(&h, x);
        lb_vec3_to(turn, xi + h.v);
        if (x_q) {
            memcpy(x_q + h.q, x, sizeof x);
        }
        if (h.is_free) {
            // p' = R u: along O, b_p + gamma (x_u + turn x u); and R u of a quaternion that grows by
            // `growth` changes by 2 growth (R - I) u
            const double growth = h.u.w * x[0] + h.u.x * x[1] + h.u.y * x[2] + h.u.z * x[3];
            const lb_vec3 own = follows ? lb_vec3_from(x_v + h.v + 3) : lb_vec3_make(0, 0, 0);
            lb_vec3 moved = lb_vec3_add(own, lb_vec3_cross(turn, h.speed));
            moved = lb_vec3_axpy(moved, 2.0 * growth, get_stretch(&h));
            const lb_vec3 shift =
                lb_vec3_axpy(lb_mat3_tmul_vec(&h.R, lb_vec3_from(b_q + h.q + 4)), gamma, moved);
            lb_vec3_to(shift, xi + h.v + 3);
            if (x_q) {
                lb_vec3_to(lb_mat3_mul_vec(&h.R, shift), x_q + h.q + 4);
            }
        }
    }
}

// With loops the rates are those of the projected state, which changes by dq and dv     (NEW-3)
//
//     x_q = b_q + gamma (N dv + J_qq dq)
static void solve_projected_configuration(const lb_newton *m, const double *b_q, double *x_q)
{
    const double gamma = m->gamma, *dq = m->loops->dq, *dv = m->loops->dv;
    for (int k = 0; k < m->system->body_count; ++k) {
        turning h;
        const bool turns = get_turning(m, k, &h);
        for (int i = 0; i < h.plain; ++i) {
            x_q[h.plain_q + i] = b_q[h.plain_q + i] + gamma * dv[h.plain_v + i];
        }
        if (!turns) {
            continue;
        }
        // 1/2 u (0, dv) + 1/2 (1/2 u (0, dq)) (0, omega)
        const lb_quat rate = {0, dv[h.v], dv[h.v + 1], dv[h.v + 2]};
        const lb_quat turn = {0, dq[h.v], dq[h.v + 1], dq[h.v + 2]};
        const lb_quat omega = {0, h.omega.x, h.omega.y, h.omega.z};
        const lb_quat own = lb_quat_mul(h.u, rate);
        const lb_quat turned = lb_quat_mul(lb_quat_mul(h.u, turn), omega);
        x_q[h.q] = b_q[h.q] + gamma * (0.5 * own.w + 0.25 * turned.w);
        x_q[h.q + 1] = b_q[h.q + 1] + gamma * (0.5 * own.x + 0.25 * turned.x);
        x_q[h.q + 2] = b_q[h.q + 2] + gamma * (0.5 * own.y + 0.25 * turned.y);
        x_q[h.q + 3] = b_q[h.q + 3] + gamma * (0.5 * own.z + 0.25 * turned.z);
        if (h.is_free) {
            const lb_vec3 moved = lb_vec3_add(lb_vec3_from(dv + h.v + 3),
                                              lb_vec3_cross(lb_vec3_from(dq + h.v), h.speed));
            lb_vec3_to(
                lb_vec3_axpy(lb_vec3_from(b_q + h.q + 4), gamma, lb_mat3_mul_vec(&h.R, moved)),
                x_q + h.q + 4);
        }
    }
}

// A change of q along the directions of v.
static void find_directions(const lb_newton *m, const double *b_q, double *xi)
{
    for (int k = 0; k < m->system->body_count; ++k) {
        turning h;
        const bool turns = get_turning(m, k, &h);
        memcpy(xi + h.plain_v, b_q + h.plain_q, (size_t)h.plain * sizeof *xi);
        if (turns) {
            lb_vec3_to(get_turn(&h, b_q + h.q), xi + h.v);
        }
        if (turns && h.is_free) {
            lb_vec3_to(lb_mat3_tmul_vec(&h.R, lb_vec3_from(b_q + h.q + 4)), xi + h.v + 3);
        }
    }
}

void lb_apply_turning(const lb_newton *m, const double *x, double *y)
{
    memset(y, 0, (size_t)m->system->v_count * sizeof *y);
    for (int k = 0; k < m->system->body_count; ++k) {
        turning h;
        if (!get_turning(m, k, &h)) {
            continue;
        }
        const lb_vec3 turn = lb_vec3_from(x + h.v);
        lb_vec3_to(lb_vec3_scale(0.5, lb_vec3_cross(turn, h.omega)), y + h.v);
        if (h.is_free) {
            lb_vec3_to(lb_vec3_cross(turn, h.speed), y + h.v + 3);
        }
    }
}

// ---- the matrix ---------------------------------------------------------------------------------

// S += gamma^2 K G for hinges with quaternions, where xi = gamma G x_v
static void add_turning(lb_newton *m, double gamma)
{
    const ptrdiff_t n = m->system->v_count;
    for (int k = 0; k < m->system->body_count; ++k) {
        turning h;
        if (!get_turning(m, k, &h) || m->given_v[h.v]) {
            continue;
        }
        const double beta = 0.5 * gamma;
        const double scale = 1.0 / (1.0 + beta * beta * lb_vec3_dot(h.omega, h.omega));
        for (int j = 0; j < 3; ++j) {
            // column j of G: the turn (e - beta omega x e) / (1 + ...), and the shift of a free hinge
            double e[3] = {0, 0, 0};
            e[j] = 1.0;
            const lb_vec3 turn =
                lb_vec3_scale(scale, lb_vec3_axpy(lb_vec3_from(e), -beta,
                                                  lb_vec3_cross(h.omega, lb_vec3_from(e))));
            // u = (0, e) x (0, omega) / 2 has the real part -e . omega / 2: the quaternion's growth
            const double growth = -0.5 * scale * beta * lb_vec3_dot(h.omega, lb_vec3_from(e));
            const lb_vec3 shift = lb_vec3_scale(
                gamma, lb_vec3_axpy(lb_vec3_cross(turn, h.speed), 2.0 * growth, get_stretch(&h)));
            const double G[6] = {turn.x, turn.y, turn.z, shift.x, shift.y, shift.z};
            for (ptrdiff_t i = 0; i < n; ++i) {
                double sum = 0.0;
                for (int c = 0; c < (h.is_free ? 6 : 3); ++c) {
                    sum += m->K[i * n + h.v + c] * G[c];
                }
                // in place of the plain gamma^2 K
                m->S[i * n + h.v + j] += gamma * gamma * (sum - m->K[i * n + h.v + j]);
            }
        }
    }
}

// S = M + by_v D + by_q K; rows of held speeds are those of the identity.
static void form(lb_newton *m, double by_q, double by_v)
{
    const ptrdiff_t n = m->system->v_count;
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t j = 0; j < n; ++j) {
            const double mass = m->held[j] ? 0.0 : m->M[i * n + j];
            const double stiffness = m->given_v[j] ? 0.0 : m->K[i * n + j];
            m->S[i * n + j] = mass + by_v * m->D[i * n + j] + by_q * stiffness;
        }
    }
}

static bool factor(lb_newton *m)
{
    const ptrdiff_t n = m->system->v_count;
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t j = 0; m->held[i] && j < n; ++j) {
            m->S[i * n + j] = i == j;
        }
    }
    return lb_factor_lu((int)n, m->S, m->pivot);
}

// Newton's matrix, reduced to the speeds                                                (NEW-1)
//
//     x_q = b_q + gamma (J_qq x_q + N x_v)
//     M x_v = M b_v - gamma (K xi + D x_v),    xi = xi_0 + gamma G x_v
//     (M + gamma D + gamma^2 K G) x_v = M b_v - gamma K xi_0
//     x_w = b_w + gamma (P_q xi + P_v x_v)
//
// given     y' = f: q' = N(q) v,  g(t, q, v, v') = 0,  w' = P(t, q, v);  M, D, K = dg/dv', dg/dv, dg/dq
// computes  x with (I - gamma df/dy) x = b
bool lb_factor_newton(lb_newton *m, double gamma)
{
    m->gamma = gamma;
    if (m->loops) {
        return lb_factor_loops_newton(m, gamma, gamma, true);
    }
    form(m, gamma * gamma, gamma);
    add_turning(m, gamma);
    return factor(m);
}

// r := M r over the free speeds.
static void multiply_mass(const lb_newton *m, const double *b, double *r)
{
    const ptrdiff_t n = m->system->v_count;
    for (ptrdiff_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (ptrdiff_t j = 0; j < n; ++j) {
            sum += m->held[j] ? 0.0 : m->M[i * n + j] * b[j];
        }
        r[i] = m->held[i] ? b[i] : sum;
    }
}

// Work: powers of forces, drives, damping and loops as the state changes by dq, dv.
static void solve_work(lb_newton *m, const double *b, const double *b_v, const double *x_v,
                       const double *dq, const double *dv, double *x)
{
    const lb_system *s = m->system;
    const ptrdiff_t n = s->v_count;
    const double gamma = m->gamma;
    for (int i = 0; i < s->force_count; ++i) {
        x[i] = b[i] + gamma * (lb_compute_dot(n, m->power_dq + i * n, dq) +
                               lb_compute_dot(n, m->power_dv + i * n, dv));
    }
    // of loops: their forces change, what they are told does not
    const double *force = m->loops ? lb_find_loop_change(m, b_v, x_v) : NULL;
    const ptrdiff_t entries = m->loops ? (ptrdiff_t)6 * m->loops->slot_count : 0;
    double of_loops = 0.0;
    for (ptrdiff_t i = 0; i < entries && s->closure->drive_count > 0; ++i) {
        of_loops += force[i] * lb_compute_dot(n, m->loops->J + i * n, m->v);
    }
    // drive = g at the held speeds: its change is K xi + D x_v + M x_a, x_a = (x_v - b_v) / gamma,
    // less what loops exert there
    double drives = 0.0, damping = 0.0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        if (!m->held[i]) {
            continue;
        }
        double change =
            gamma * (lb_compute_dot(n, m->K + i * n, dq) + lb_compute_dot(n, m->D + i * n, dv));
        for (ptrdiff_t j = 0; j < n; ++j) {
            change += m->held[j] ? 0.0 : m->M[i * n + j] * (x_v[j] - b_v[j]);
        }
        for (ptrdiff_t j = 0; j < entries; ++j) {
            change -= m->loops->J[j * n + i] * force[j];
        }
        const double power = change * m->v[i] + (m->given_v[i] ? 0.0 : gamma * m->drive[i] * dv[i]);
        drives += power;
        if (m->motions[i] >= 0) {
            x[m->motions[i]] += power;
        }
    }
    for (int k = 0; k < s->body_count; ++k) {
        const int first = lb_get_v_offset(s->model, k), count = lb_get_mode_count(s->model, k);
        const double *C = s->damping_at[k] >= 0 ? s->damping + s->damping_at[k] : NULL;
        for (int r = 0; C && r < count; ++r) {
            for (int c = 0; c < count; ++c) {
                damping -= C[r * count + c] *
                           (m->v[first + r] * dv[first + c] + dv[first + r] * m->v[first + c]);
            }
        }
    }
    x += s->force_count;
    b += s->force_count;
    x[LB_WORK_DRIVES] = b[LB_WORK_DRIVES] + drives;
    x[LB_WORK_DAMPING] = b[LB_WORK_DAMPING] + gamma * damping;
    x[LB_WORK_LOCKING] = b[LB_WORK_LOCKING];
    if (m->loops) {
        x[LB_WORK_LOOPS] = b[LB_WORK_LOOPS] + of_loops;
        x[LB_WORK_CLOSING] = b[LB_WORK_CLOSING];
        x[LB_WORK_PROJECTION] = b[LB_WORK_PROJECTION];
    }
}

void lb_solve_newton(lb_newton *m, const double *b, double *x)
{
    const lb_system *s = m->system;
    const ptrdiff_t n = s->v_count;
    const double *b_v = b + s->q_count;
    double *x_v = x + s->q_count;
    if (m->loops) {
        find_directions(m, b, m->xi);
        lb_solve_loops_newton(m, m->xi, b_v, x_v);
        solve_projected_configuration(m, b, x);
        solve_work(m, b_v + n, b_v, x_v, m->loops->dq, m->loops->dv, x_v + n);
        return;
    }
    solve_configuration(m, b, NULL, NULL, m->xi);
    multiply_mass(m, b_v, m->x);
    for (ptrdiff_t i = 0; i < n; ++i) {
        x_v[i] = m->held[i] ? m->x[i] : m->x[i] - m->gamma * lb_compute_dot(n, m->K + i * n, m->xi);
    }
    lb_solve_lu((int)n, m->S, m->pivot, x_v);
    solve_configuration(m, b, x_v, x, m->xi);
    solve_work(m, b_v + n, b_v, x_v, m->xi, x_v, x_v + n);
}

bool lb_factor_step(lb_newton *m, double by_q, double by_v)
{
    if (m->loops) {
        return lb_factor_loops_newton(m, by_q / by_v, by_v, false);
    }
    form(m, by_q, by_v);
    return factor(m);
}

double lb_solve_step(lb_newton *m, double *r)
{
    const int n = m->system->v_count;
    if (m->loops) {
        double largest = 0.0;
        // x = r + da(dq, dv) with dv = by_v x: the same for by_v x
        const double by_q = m->loops->by_q, by_v = m->loops->by_v;
        for (int i = 0; i < n; ++i) {
            m->x[i] = by_v * r[i];
        }
        lb_solve_loops_newton(m, NULL, m->x, r);
        for (int i = 0; i < n; ++i) {
            r[i] /= by_v;
            largest = fmax(largest, fabs(m->loops->dq[i]) / (by_q * by_v));
        }
        return largest;
    }
    multiply_mass(m, r, m->x);
    memcpy(r, m->x, (size_t)n * sizeof *r);
    lb_solve_lu(n, m->S, m->pivot, r);
    return lb_find_largest(n, r);
}
