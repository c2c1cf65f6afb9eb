// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// J from the Jacobians of the nodes, M from composite bodies, and the pseudo-inverse of J M^-1 J' by its
// eigenvectors.
#include "dense_loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/symmetric.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "limber/spatial.h"

typedef struct dense {
    int n, m;          // speeds, rows: six for each slot
    double *J, *g;     // m x n, m
    double *M_inverse; // n x n, zero at hinges that are held
    double *Lambda, *vectors;
    double threshold;
} dense;

// What a type forbids, as a projection of six entries.
static void form_projection(const lb_scene_loop *l, double P[36])
{
    const int all = l->type == LB_LOOP_WELD || l->type == LB_LOOP_PRISMATIC;
    const int across =
        l->type == LB_LOOP_REVOLUTE || l->type == LB_LOOP_CYLINDRICAL || l->type == LB_LOOP_PLANAR;
    const int points = l->type == LB_LOOP_POINT_LINE || l->type == LB_LOOP_POINT_PLANE;
    const int along = l->type == LB_LOOP_PLANAR || l->type == LB_LOOP_POINT_PLANE;
    const int off = l->type == LB_LOOP_PRISMATIC || l->type == LB_LOOP_CYLINDRICAL ||
                    l->type == LB_LOOP_POINT_LINE;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double aa = l->axis[i] * l->axis[j], one = i == j;
            double turn = all ? one : across ? one - aa : 0.0;
            double shift = along ? aa : off ? one - aa : one;
            if (l->driven) {
                turn = points ? 0.0 : one;
                shift = one;
            }
            P[6 * i + j] = turn;
            P[6 * (i + 3) + j + 3] = shift;
        }
    }
}

// Motion of a node against the ground: its pose, velocity, acceleration at zero accelerations of
// coordinates, and Jacobian, in world axes.
typedef struct place {
    lb_node_motion at;
    double rate[6];
    double *J;
} place;

static place look(const lb_trial *t, int body, int node)
{
    place p;
    p.J = lb_make_numbers(6 * (size_t)t->v_count);
    lb_expect_ok(lb_compute_kinematics(t->model, t->work, t->q, t->v, NULL));
    lb_expect_ok(lb_compute_node_motion(t->model, t->work, body, node, &p.at));
    lb_expect_ok(lb_compute_jacobian(t->model, t->work, body, node, LB_AXES_WORLD, p.J));
    lb_expect_ok(lb_compute_jacobian_rate(t->model, t->work, body, node, LB_AXES_WORLD, p.rate));
    return p;
}

// The relative motion by the definition: components in a's axes of w_b - w_a and v_b - v_a - w_a x d.
static void relate(const place *a, const place *b, const double *wa, const double *wb, double *out)
{
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(a->at.rotation));
    const lb_vec3 d = lb_vec3_sub(lb_vec3_from(b->at.position), lb_vec3_from(a->at.position));
    const lb_vec3 turn = lb_vec3_sub(lb_vec3_from(wb), lb_vec3_from(wa));
    lb_vec3 shift = lb_vec3_sub(lb_vec3_from(wb + 3), lb_vec3_from(wa + 3));
    shift = lb_vec3_sub(shift, lb_vec3_cross(lb_vec3_from(wa), d));
    lb_vec3_to(lb_mat3_tmul_vec(&R, turn), out);
    lb_vec3_to(lb_mat3_tmul_vec(&R, shift), out + 3);
}

static void form_node_rows(const lb_trial *t, const lb_scene_loop *l, double *J, double *g)
{
    const size_t n = (size_t)t->v_count;
    place a = look(t, l->body[0], l->node[0]), b = look(t, l->body[1], l->node[1]);
    double P[36] = {0}, u[6], full[6];
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(a.at.rotation));
    const lb_vec3 d = lb_vec3_sub(lb_vec3_from(b.at.position), lb_vec3_from(a.at.position));
    const lb_vec3 e = lb_mat3_tmul_vec(&R, lb_vec3_scale(1.0 / lb_vec3_norm(d), d));
    relate(&a, &b, a.at.velocity, b.at.velocity, u);
    // d/dt of R_a'(...): the frame of a turns
    const lb_vec3 wa = lb_vec3_from(a.at.velocity);
    const lb_vec3 dv =
        lb_vec3_sub(lb_vec3_from(b.at.velocity + 3), lb_vec3_from(a.at.velocity + 3));
    relate(&a, &b, a.rate, b.rate, full);
    const lb_vec3 turning =
        lb_mat3_tmul_vec(&R, lb_vec3_cross(wa, lb_vec3_sub(lb_vec3_from(b.at.velocity), wa)));
    const lb_vec3 world_u = lb_mat3_mul_vec(&R, lb_vec3_from(u + 3));
    const lb_vec3 shifting = lb_mat3_tmul_vec(&R, lb_vec3_cross(wa, lb_vec3_add(dv, world_u)));
    lb_vec3_to(lb_vec3_sub(lb_vec3_from(full), turning), full);
    lb_vec3_to(lb_vec3_sub(lb_vec3_from(full + 3), shifting), full + 3);
    if (l->type == LB_LOOP_ROD) {
        const double ee[3] = {e.x, e.y, e.z};
        for (int i = 0; i < 9; ++i) {
            P[6 * (i / 3 + 3) + i % 3 + 3] = ee[i / 3] * ee[i % 3];
        }
    } else {
        form_projection(l, P);
    }
    for (int i = 0; i < 6; ++i) {
        g[i] = 0.0;
        for (int j = 0; j < 6; ++j) {
            g[i] += P[6 * i + j] * full[j];
        }
    }
    if (l->type == LB_LOOP_ROD) {
        const lb_vec3 v = lb_vec3_from(u + 3);
        const double along = lb_vec3_dot(e, v);
        const double bias = (lb_vec3_dot(v, v) - along * along) / lb_vec3_norm(d);
        lb_vec3_to(lb_vec3_axpy(lb_vec3_from(g + 3), bias, e), g + 3);
    }
    for (size_t c = 0; c < n; ++c) {
        double ca[6], cb[6], row[6];
        for (size_t i = 0; i < 6; ++i) {
            ca[i] = a.J[i * n + c];
            cb[i] = b.J[i * n + c];
        }
        relate(&a, &b, ca, cb, row);
        for (size_t i = 0; i < 6; ++i) {
            J[i * n + c] = 0.0;
            for (size_t j = 0; j < 6; ++j) {
                J[i * n + c] += P[6 * i + j] * row[j];
            }
        }
    }
    free(a.J);
    free(b.J);
}

// Inverse of the rows and columns of M that are not held, by Gauss and Jordan.
static void invert(int n, const double *M, const unsigned char *held, double *out)
{
    double *A = lb_make_numbers((size_t)(n * n));
    for (int i = 0; i < n * n; ++i) {
        const int fixed = held[i / n] || held[i % n];
        A[i] = fixed ? (double)(i / n == i % n) : M[i];
        out[i] = i / n == i % n;
    }
    for (int p = 0; p < n; ++p) {
        const double pivot = 1.0 / A[p * n + p];
        for (int j = 0; j < n; ++j) {
            A[p * n + j] *= pivot;
            out[p * n + j] *= pivot;
        }
        for (int i = 0; i < n; ++i) {
            const double f = A[i * n + p];
            for (int j = 0; j < n && i != p; ++j) {
                A[i * n + j] -= f * A[p * n + j];
                out[i * n + j] -= f * out[p * n + j];
            }
        }
    }
    for (int i = 0; i < n * n; ++i) {
        out[i] = held[i / n] || held[i % n] ? 0.0 : out[i];
    }
    free(A);
}

static dense form_dense(const lb_trial *t, const unsigned char *held, const unsigned char *active)
{
    const lb_scene *scene = t->scene;
    const int n = t->v_count, m = 6 * scene->loop_count;
    dense d = {.n = n, .m = m};
    d.J = lb_make_numbers((size_t)(m * n + 1));
    d.g = lb_make_numbers((size_t)m + 1);
    d.M_inverse = lb_make_numbers((size_t)(n * n));
    d.Lambda = lb_make_numbers((size_t)(m * m + 1));
    d.vectors = lb_make_numbers((size_t)(m * m + 1));
    for (int l = 0; l < scene->loop_count; ++l) {
        const lb_scene_loop *loop = &scene->loops[l];
        double *J = d.J + (ptrdiff_t)6 * l * n;
        for (int i = 0; active[l] && i < loop->term_count; ++i) {
            J[scene->bodies[loop->term_body[i]].hinge_v + loop->coordinate[i]] = loop->factor[i];
        }
        if (active[l] && loop->type != LB_LOOP_COUPLER) {
            form_node_rows(t, loop, J, d.g + (ptrdiff_t)6 * l);
        }
    }
    double *M = lb_make_numbers((size_t)(n * n));
    unsigned char *fixed = calloc((size_t)n, 1);
    for (int k = 0; k < scene->body_count; ++k) {
        const lb_scene_body *b = &scene->bodies[k];
        for (int i = 0; held && held[k] && i < lb_scene_hinge_v_count[b->hinge.type]; ++i) {
            fixed[b->hinge_v + i] = 1;
        }
    }
    lb_expect_ok(lb_tree_mass_matrix(t->model, t->work, t->q, M));
    invert(n, M, fixed, d.M_inverse);
    double *S = lb_make_numbers((size_t)(m * n + 1));
    for (int i = 0; i < m * n; ++i) {
        for (int j = 0; j < n; ++j) {
            S[i] += d.J[i / n * n + j] * d.M_inverse[j * n + i % n];
        }
    }
    for (int i = 0; i < m * m; ++i) {
        for (int j = 0; j < n; ++j) {
            d.Lambda[i] += S[i / m * n + j] * d.J[i % m * n + j];
        }
    }
    free(M);
    free(S);
    free(fixed);
    return d;
}

static void free_dense(dense *d)
{
    free(d->J);
    free(d->g);
    free(d->M_inverse);
    free(d->Lambda);
    free(d->vectors);
}

// x = Lambda^+ r, eigenvalues below 1e-11 of the largest dropped. Lambda is destroyed; the ratio of
// the smallest kept to the largest dropped, and of the largest to the smallest kept, come back.
static void solve_dense(dense *d, const double *r, double *x, double *gap, double *condition)
{
    const int m = d->m;
    double largest = 0.0, kept = INFINITY, dropped = 0.0;
    lb_compute_eigenvectors(m, d->Lambda, d->vectors);
    for (int e = 0; e < m; ++e) {
        largest = fmax(largest, d->Lambda[e * m + e]);
    }
    memset(x, 0, (size_t)m * sizeof *x);
    for (int e = 0; e < m; ++e) {
        const double value = d->Lambda[e * m + e];
        if (!(value > 1e-9 * largest)) {
            dropped = fmax(dropped, fabs(value));
            continue;
        }
        kept = fmin(kept, value);
        double along = 0.0;
        for (int i = 0; i < m; ++i) {
            along += d->vectors[i * m + e] * r[i];
        }
        for (int i = 0; i < m; ++i) {
            x[i] += d->vectors[i * m + e] * along / value;
        }
    }
    // where nothing moves at all, nothing is to be judged
    *gap = largest > 1e-9 ? dropped / largest : 1.0;
    *condition = largest / kept;
}

static double get_largest(const double *x, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

static void lb_set_driven(lb_trial *t, const unsigned char *held, bool driven)
{
    for (int k = 0; held && k < t->body_count; ++k) {
        lb_expect_ok(lb_set_hinge_driven(t->model, t->work, k, driven && held[k]));
    }
}

int lb_compare_with_dense_loops(lb_trial *t, const unsigned char *held, const unsigned char *active)
{
    int judged = 0;
    const int n = t->v_count, six = 6 * t->scene->loop_count;
    double *a = lb_make_numbers((size_t)n), *drive = lb_make_numbers((size_t)n);
    double *forces = lb_make_numbers((size_t)six + 1), *x = lb_make_numbers((size_t)six + 1);
    double *r = lb_make_numbers((size_t)six + 1), *free_a = lb_make_numbers((size_t)n);
    double *tau = lb_make_numbers((size_t)n), *needed = lb_make_numbers((size_t)n);
    dense d = form_dense(t, held, active);
    memcpy(free_a, t->a, (size_t)n * sizeof *a);
    memcpy(a, t->a, (size_t)n * sizeof *a);
    memcpy(tau, t->tau, (size_t)n * sizeof *tau);
    if (held) {
        lb_expect_ok(lb_tree_hybrid(t->model, t->work, t->q, t->v, held, tau, free_a));
    } else {
        lb_expect_ok(lb_tree_forward(t->model, t->work, t->q, t->v, tau, free_a));
    }
    for (int i = 0; i < six; ++i) {
        r[i] = -d.g[i];
        for (int j = 0; j < n; ++j) {
            r[i] -= d.J[i * n + j] * free_a[j];
        }
    }
    double gap = 0.0, condition = 1.0;
    if (six > 0) {
        solve_dense(&d, r, x, &gap, &condition);
    }
    const double scale = 1.0 + get_largest(free_a, n); // what is left may be nothing
    if (gap < 1e-13 && condition < 1e5) {
        judged = 1;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                double sum = 0.0;
                for (int l = 0; l < six; ++l) {
                    sum += d.J[l * n + j] * x[l];
                }
                free_a[i] += d.M_inverse[i * n + j] * sum;
            }
        }
        // the public call, with the drives of the workspace
        lb_set_driven(t, held, true);
        lb_expect_ok(lb_compute_forward_dynamics(t->model, t->work, t->q, t->v, t->tau, a));
        lb_expect_ok(lb_get_drive_forces(t->model, t->work, drive));
        for (int l = 0; l < six / 6; ++l) {
            lb_expect_ok(lb_get_loop_force(t->model, t->work, l, forces + (ptrdiff_t)6 * l));
        }
        lb_set_driven(t, held, false);
        // 1e-8: cond(M) up to 1e4 times cond(Lambda) up to 1e5, in round-off of 1e-16, and some more
        lb_expect_within("forces of the loops", forces, x, six, 1e-8 * (1.0 + get_largest(x, six)));
        lb_expect_within("accelerations", a, free_a, n, 1e-8 * scale);
        // the equations of motion: M a + c = tau + J' lambda + drive
        lb_expect_ok(lb_tree_inverse(t->model, t->work, t->q, t->v, a, needed));
        for (int i = 0; i < n; ++i) {
            tau[i] = drive[i];
            const int driven = drive[i] != 0.0;
            tau[i] += driven ? 0.0 : t->tau[i];
            for (int l = 0; l < six; ++l) {
                tau[i] += d.J[l * n + i] * forces[l];
            }
        }
        for (int k = 0; held && k < t->body_count; ++k) {
            const lb_scene_body *b = &t->scene->bodies[k];
            for (int i = 0; held[k] && i < lb_scene_hinge_v_count[b->hinge.type]; ++i) {
                const int at = b->hinge_v + i;
                tau[at] = drive[at];
                for (int l = 0; l < six; ++l) {
                    tau[at] += d.J[l * n + at] * forces[l];
                }
            }
        }
        lb_expect_close("balance", tau, needed, n, 1e-8);
    }
    free(a);
    free(drive);
    free(forces);
    free(x);
    free(r);
    free(free_a);
    free(tau);
    free(needed);
    free_dense(&d);
    return judged;
}
