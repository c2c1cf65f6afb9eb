// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Effective masses: how much of the system's momentum each mode takes part in.
#include <math.h>
#include <string.h>

#include "system_modes.h"

#include "base/dense.h"
#include "base/lapack/locked.h"

// Momentum per unit of each speed: 6 x n, linear, then angular about a point: H_c + (c - o) x p, with
// the centre of mass c, so that far from the world's origin digits are kept.
static lb_status compute_momenta(lb_system *s, const lb_operating_point *point,
                                 const double about[3], lb_arena *arena, double *P)
{
    double *v = lb_take_numbers(arena, (size_t)s->v_count);
    lb_status status = v ? LB_OK : LB_E_MEMORY;
    for (int j = 0; j < point->count && status >= 0; ++j) {
        lb_system_motion motion;
        v[point->coordinates[j]] = 1.0;
        status = lb_compute_kinematics(s->model, s->work, point->q, v, NULL);
        status = status < 0 ? status : lb_compute_system_motion(s->model, s->work, &motion);
        v[point->coordinates[j]] = 0.0;
        if (status < 0) {
            break;
        }
        const lb_vec3 arm = lb_vec3_sub(lb_vec3_from(motion.com), lb_vec3_from(about));
        const lb_vec3 more = lb_vec3_cross(arm, lb_vec3_from(motion.linear));
        const double moment[3] = {more.x, more.y, more.z};
        for (int i = 0; i < 3; ++i) {
            P[i * point->count + j] = motion.linear[i];
            P[(3 + i) * point->count + j] = motion.angular[i] + moment[i];
        }
    }
    return status;
}

// (p . x)^2 / x'M x, and their sum                                                      (LIN-8)
static void compute_effective(int n, const double *P, const double *shapes, lb_mode_problem *p,
                              double sums[6])
{
    for (int k = 0; k < p->count; ++k) {
        const double *x = shapes + 2 * (size_t)n * (size_t)k;
        for (int d = 0; d < 6; ++d) {
            double re = 0.0, im = 0.0;
            for (int i = 0; i < n; ++i) {
                re += P[d * n + i] * x[2 * i];
                im += P[d * n + i] * x[2 * i + 1];
            }
            p->modes[k].effective[d] = re * re + im * im;
            // the two eigenvalues of a shape that tips over share it
            const bool again = p->symmetric && p->modes[k].kind == LB_MODE_APERIODIC &&
                               p->modes[k].eigenvalue[0] > 0.0;
            sums[d] += again ? 0.0 : p->modes[k].effective[d];
        }
    }
}

// The vectors of eigenvalues that are zero, where these are one vector several times: a basis of all that is at right
// angles to the left vectors of the others.
static lb_status span_zeros(const lb_spectrum *spectrum, int count, lb_arena *arena, double *V)
{
    const int zeros = spectrum->zero_count, others = count - zeros;
    const size_t n = (size_t)count;
    double *Q = lb_take_numbers(arena, n * n + n);
    if (!Q) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < others; ++k) {
            Q[i * count + k] = spectrum->left[i * count + zeros + k];
        }
    }
    int info = LB_LAPACK(dgeqrf, LAPACK_ROW_MAJOR, count, others, Q, count, Q + n * n);
    info = info ? info
                : LB_LAPACK(dorgqr, LAPACK_ROW_MAJOR, count, count, others, Q, count, Q + n * n);
    for (int i = 0; info == 0 && i < count; ++i) {
        memcpy(V + i * count, Q + i * count + others, (size_t)zeros * sizeof *V);
    }
    return lb_check_lapack(info, LB_E_NUMBER);
}

// Momentum shared out among modes by their state vectors                                (LIN-21)
//
//     b_1 = (M^-1 p, 0) = sum over k of x_k beta_k,   b_2 = (0, M^-1 p) = sum over k of x_k gamma_k
//     m_k = ((p, 0)'x_k beta_k + (0, p)'x_k gamma_k) / 2
//
// pairs as two real columns. What the eigenvalues that are zero have together goes to the rigid shapes
// by the squares of their momenta.
static lb_status share_momentum(const lb_operating_point *point, const double *P, lb_arena *arena,
                                lb_mode_problem *p, double sums[6])
{
    enum { ALL = 6, BOTH = 12 };
    const int n = p->n, count = 2 * n, zeros = p->spectrum.zero_count;
    double *V = p->spectrum.right;
    double *L = lb_take_numbers(arena, (size_t)count * (size_t)(count + BOTH + 1) +
                                           (size_t)n * (size_t)(n + 2 * ALL));
    int *pivots = lb_arena_take(arena, (size_t)count, sizeof *pivots);
    if (!L || !pivots) {
        return LB_E_MEMORY;
    }
    double *b = L + count * count, *M = b + count * BOTH, *part = M + n * n, *a = part + n * ALL;
    double *size = a + n * ALL;
    memcpy(M, p->M, (size_t)n * (size_t)n * sizeof *M);
    for (int d = 0; d < ALL; ++d) {
        lb_gather(point, point->freedom.T, P + d * point->count, part + d * n);
        for (int i = 0; i < n; ++i) {
            a[i * ALL + d] = part[d * n + i];
        }
    }
    int info = LB_LAPACK(dgesv, LAPACK_ROW_MAJOR, n, ALL, M, n, pivots, a, ALL);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_SINGULAR);
    }
    for (int i = 0; i < n; ++i) {
        for (int d = 0; d < ALL; ++d) {
            b[i * BOTH + d] = b[(n + i) * BOTH + ALL + d] = a[i * ALL + d];
        }
    }
    // chains of three or more, of which eigenvectors give one vector only
    if (zeros > 2 * p->spectrum.rigid_count) {
        const lb_status status = span_zeros(&p->spectrum, count, arena, V);
        if (status < 0) {
            return status;
        }
    }
    // no row or column is small beside another, whatever the units and speeds
    memcpy(L, V, (size_t)count * (size_t)count * sizeof *L);
    for (int i = 0; i < count; ++i) {
        const double largest = lb_find_largest(count, L + i * count);
        for (int j = 0; j < count && largest > 0.0; ++j) {
            L[i * count + j] /= largest;
            size[j] = fmax(size[j], fabs(L[i * count + j]));
        }
        for (int d = 0; d < BOTH && largest > 0.0; ++d) {
            b[i * BOTH + d] /= largest;
        }
    }
    for (int i = 0; i < count * count; ++i) {
        L[i] = size[i % count] > 0.0 ? L[i] / size[i % count] : L[i];
    }
    info = LB_LAPACK(dgesv, LAPACK_ROW_MAJOR, count, BOTH, L, count, pivots, b, BOTH);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_NUMBER);
    }
    for (int i = 0; i < count * BOTH; ++i) {
        b[i] = size[i / BOTH] > 0.0 ? b[i] / size[i / BOTH] : b[i];
    }
    for (int d = 0; d < ALL; ++d) {
        const double *row = part + d * n;
        double whole = 0.0, rigid = 0.0;
        int rigid_count = 0;
        for (int k = 0; k < zeros; ++k) {
            for (int i = 0; i < n; ++i) {
                whole += 0.5 * row[i] * V[i * count + k] * b[k * BOTH + d];
                whole += 0.5 * row[i] * V[(n + i) * count + k] * b[k * BOTH + ALL + d];
            }
        }
        for (int k = 0; k < p->count; ++k) {
            lb_mode *mode = &p->modes[k];
            if (mode->kind == LB_MODE_RIGID) {
                const double *x = p->shapes + 2 * (size_t)n * (size_t)k;
                double momentum = 0.0;
                for (int i = 0; i < n; ++i) {
                    momentum += row[i] * x[2 * i];
                }
                mode->effective[d] = momentum * momentum;
                rigid += mode->effective[d];
                ++rigid_count;
                continue;
            }
            const int at = mode->column, width = mode->kind == LB_MODE_OSCILLATION ? 2 : 1;
            double mass = 0.0;
            for (int j = at; j < at + width; ++j) {
                for (int i = 0; i < n; ++i) {
                    mass += 0.5 * row[i] * V[i * count + j] * b[j * BOTH + d];
                    mass += 0.5 * row[i] * V[(n + i) * count + j] * b[j * BOTH + ALL + d];
                }
            }
            mode->effective[d] = mass;
            sums[d] += mass;
        }
        for (int k = 0; k < p->count; ++k) {
            if (p->modes[k].kind == LB_MODE_RIGID) {
                p->modes[k].effective[d] =
                    rigid > 0.0 ? p->modes[k].effective[d] * (whole / rigid) : whole / rigid_count;
            }
        }
        sums[d] += whole;
    }
    return LB_OK;
}

lb_status lb_compute_effective_masses(lb_system *s, const lb_operating_point *point,
                                      const double about[3], lb_arena *arena, const double *shapes,
                                      lb_mode_problem *p, double sums[6])
{
    double *P = lb_take_numbers(arena, 6 * (size_t)point->count);
    lb_status status = P ? compute_momenta(s, point, about, arena, P) : LB_E_MEMORY;
    if (status >= 0 && p->symmetric) {
        compute_effective(point->count, P, shapes, p, sums);
    } else if (status >= 0) {
        status = share_momentum(point, P, arena, p, sums);
    }
    return status;
}

// Mass of everything, and its inertia about axes of the world through a point.
lb_status lb_sum_masses(lb_system *s, const lb_operating_point *point, const double about_point[3],
                        lb_modes *modes)
{
    lb_status status = lb_compute_kinematics(s->model, s->work, point->q, NULL, NULL);
    for (int k = 0; k < s->body_count && status >= 0; ++k) {
        double m = 0.0, c[3], J[6];
        lb_node_motion at;
        lb_get_mass_properties(s->model, k, &m, c, J);
        status = lb_compute_node_motion(s->model, s->work, k, 0, &at);
        const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(at.rotation));
        const lb_vec3 x =
            lb_vec3_add(lb_vec3_sub(lb_vec3_from(at.position), lb_vec3_from(about_point)),
                        lb_mat3_mul_vec(&R, lb_vec3_from(c)));
        const lb_sym3 about = lb_sym3_add(lb_sym3_rotate(&R, lb_sym3_from(J)), lb_sym3_point(m, x));
        modes->mass += m;
        modes->inertia[0] += about.xx;
        modes->inertia[1] += about.yy;
        modes->inertia[2] += about.zz;
    }
    return status;
}
