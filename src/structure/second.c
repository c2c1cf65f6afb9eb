// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Second-order displacements: how far the points of a frame are drawn in when its members bend and
// twist without straining to second order. Theory: (BM-6) to (BM-9).
#include <math.h>
#include <string.h>

#include "fe.h"

lb_status lb_fe_sample_modes(lb_fe_context *context, const lb_fe *fe, const lb_fe_modes *modes,
                             lb_fe_fields *fields)
{
    const size_t n = (size_t)modes->count, size = (size_t)fe->node_count * LB_FE_DOFS;
    fields->mode_count = modes->count;
    fields->stretch = 0.5;
    if (!LB_FE_TAKE(context, fields->at_points, (size_t)fe->element_count * LB_FE_POINTS * n) ||
        !LB_FE_TAKE(context, fields->at_joints, (size_t)fe->joint_count * n * LB_FE_DOFS)) {
        return LB_E_MEMORY;
    }
    for (size_t r = 0; r < n; ++r) {
        const double *x = modes->shapes + r * size;
        for (int e = 0; e < fe->element_count; ++e) {
            double d[12];
            lb_fe_get_ends(&fe->elements[e], x, d);
            for (int g = 0; g < LB_FE_POINTS; ++g) {
                fields->at_points[((size_t)e * LB_FE_POINTS + (size_t)g) * n + r] =
                    lb_fe_interpolate(&fe->elements[e], lb_fe_place[g], d);
            }
        }
        for (size_t j = 0; j < (size_t)fe->joint_count; ++j) {
            memcpy(fields->at_joints + (j * n + r) * LB_FE_DOFS, x + LB_FE_DOFS * j,
                   LB_FE_DOFS * sizeof *x);
        }
    }
    return LB_OK;
}

// ---- one element -------------------------------------------------------------------------------

// What an element contributes to one pair of modes: displacement at its points and displacement and
// turn of its end, its start held.
typedef struct piece {
    double u[LB_FE_POINTS][3];
    double end[6];
} piece;

// Curvature and strain of second order vanish when                                 (BM-6), (BM-7)
//
//     theta2' = 1/2 (theta_r x theta_s' + theta_s x theta_r')
//     u2' = theta2 x e + theta_r x u_s' + theta_s x u_r'
//           - 1/2 (theta_r x (theta_s x e) + theta_s x (theta_r x e))
//           - Ip/A theta_rx' theta_sx' e
//
// with half of the stretch in u', but in shapes by formula none. This is what of them a point has by itself. Ip/A
// is the mean of y^2 + z^2 over the fibres, each with its stiffness: an axial force N then makes GJ + N Ip/A of the
// torsional stiffness.                                                             (BM-21), (BM-22)
void lb_fe_get_second_rate(const lb_fe_point *point, const lb_fe_field *a, const lb_fe_field *b,
                           double stretch, double gamma[3], double kappa[3])
{
    static const double e[3] = {1, 0, 0};
    const double radius2 = (point->EIy + point->EIz) / point->EA;
    const double du_a[3] = {stretch * a->du[0], a->du[1], a->du[2]};
    const double du_b[3] = {stretch * b->du[0], b->du[1], b->du[2]};
    double ab[3], ba[3], te[3], rs[3], sr[3];
    lb_fe_cross(a->t, b->dt, ab);
    lb_fe_cross(b->t, a->dt, ba);
    for (int i = 0; i < 3; ++i) {
        kappa[i] = 0.5 * (ab[i] + ba[i]);
    }
    lb_fe_cross(a->t, du_b, ab);
    lb_fe_cross(b->t, du_a, ba);
    lb_fe_cross(b->t, e, te);
    lb_fe_cross(a->t, te, rs);
    lb_fe_cross(a->t, e, te);
    lb_fe_cross(b->t, te, sr);
    for (int i = 0; i < 3; ++i) {
        gamma[i] = ab[i] + ba[i] - 0.5 * (rs[i] + sr[i]);
    }
    gamma[0] -= radius2 * a->dt[0] * b->dt[0];
}

// Polynomials of degree five at most for modes of our elements, so that their values at six points determine
// their integrals.
static void integrate_pair(const lb_fe_element *element, const lb_fe_field *fields, size_t n,
                           size_t r, size_t s, double stretch,
                           const double W[LB_FE_POINTS][LB_FE_POINTS], piece *out)
{
    static const double e[3] = {1, 0, 0};
    const double L = element->length;
    double kappa[LB_FE_POINTS][3], gamma[LB_FE_POINTS][3];
    for (int g = 0; g < LB_FE_POINTS; ++g) {
        lb_fe_get_second_rate(&element->points[g], &fields[(size_t)g * n + r],
                              &fields[(size_t)g * n + s], stretch, gamma[g], kappa[g]);
    }
    memset(out, 0, sizeof *out);
    for (int g = 0; g < LB_FE_POINTS; ++g) {
        double theta[3] = {0, 0, 0}, turned[3];
        for (int h = 0; h < LB_FE_POINTS; ++h) {
            for (int i = 0; i < 3; ++i) {
                theta[i] += L * W[g][h] * kappa[h][i];
            }
        }
        lb_fe_cross(theta, e, turned);
        for (int i = 0; i < 3; ++i) {
            gamma[g][i] += turned[i];
            out->end[3 + i] += L * lb_fe_weight[g] * kappa[g][i];
        }
    }
    for (int g = 0; g < LB_FE_POINTS; ++g) {
        for (int i = 0; i < 3; ++i) {
            out->end[i] += L * lb_fe_weight[g] * gamma[g][i];
            for (int h = 0; h < LB_FE_POINTS; ++h) {
                out->u[g][i] += L * W[g][h] * gamma[h][i];
            }
        }
    }
}

// ---- through the frame -------------------------------------------------------------------------

// A tree of elements that reaches every node from the reference.
typedef struct path {
    int count;
    int *element; // in the order of reaching
    bool *backward;
} path;

static lb_status find_path(lb_fe_context *context, const lb_fe *fe, int reference, path *p)
{
    const int n = fe->node_count, m = fe->element_count;
    int *start, *fill, *list, *queue;
    bool *reached;
    if (!LB_FE_TAKE(context, start, n + 1) || !LB_FE_TAKE(context, fill, n) ||
        !LB_FE_TAKE(context, list, 2 * m) || !LB_FE_TAKE(context, queue, n) ||
        !LB_FE_TAKE(context, reached, n) || !LB_FE_TAKE(context, p->element, m) ||
        !LB_FE_TAKE(context, p->backward, m)) {
        return LB_E_MEMORY;
    }
    for (int e = 0; e < m; ++e) {
        ++start[fe->elements[e].a + 1];
        ++start[fe->elements[e].b + 1];
    }
    for (int i = 0; i < n; ++i) {
        start[i + 1] += start[i];
        fill[i] = start[i];
    }
    for (int e = 0; e < m; ++e) {
        list[fill[fe->elements[e].a]++] = e;
        list[fill[fe->elements[e].b]++] = e;
    }
    int head = 0, tail = 0;
    queue[tail++] = reference;
    reached[reference] = true;
    while (head < tail) {
        const int node = queue[head++];
        for (int k = start[node]; k < start[node + 1]; ++k) {
            const lb_fe_element *e = &fe->elements[list[k]];
            const int other = e->a == node ? e->b : e->a;
            if (!reached[other]) {
                reached[other] = true;
                queue[tail++] = other;
                p->element[p->count] = list[k];
                p->backward[p->count++] = e->b == node;
            }
        }
    }
    return LB_OK;
}

// Free of strain an element carries its start along rigidly and adds its own:         (BM-8)
//
//     theta_b = theta_a + theta_end,   u_b = u_a + theta_a x L e + u_end
static void carry(const lb_fe_element *e, const double end[6], bool backward, double *x)
{
    double *a = x + (ptrdiff_t)LB_FE_DOFS * e->a, *b = x + (ptrdiff_t)LB_FE_DOFS * e->b;
    double u[3], t[3], arm[3], lever[3];
    lb_fe_to_body(e->R, end, u);
    lb_fe_to_body(e->R, end + 3, t);
    for (int i = 0; i < 3; ++i) {
        arm[i] = e->length * e->R[i][0];
    }
    if (backward) {
        for (int i = 0; i < 3; ++i) {
            a[3 + i] = b[3 + i] - t[i];
        }
        lb_fe_cross(a + 3, arm, lever);
        for (int i = 0; i < 3; ++i) {
            a[i] = b[i] - u[i] - lever[i];
        }
    } else {
        lb_fe_cross(a + 3, arm, lever);
        for (int i = 0; i < 3; ++i) {
            b[i] = a[i] + lever[i] + u[i];
            b[3 + i] = a[3 + i] + t[i];
        }
    }
}

// End displacements of an element, in its axes, beyond those free of strain.
static void get_strained(const lb_fe_element *e, const double end[6], const double *x, double d[12])
{
    lb_fe_get_ends(e, x, d);
    for (int i = 0; i < 6; ++i) {
        d[6 + i] -= end[i];
    }
}

// Where members close a ring, or several joints are held, no displacement is free of strain. The one of
// least energy is left:                                                               (BM-9)
//
//     K x = sum over elements of K_e (0, end)
typedef struct closure {
    lb_fe_free free; // without factors: nothing to close
    bool *held;
    double *stiffness; // K_e of every element, body axes
    double *load;
} closure;

static lb_status prepare_closure(lb_fe_context *context, const lb_fe *fe, const int *fixed,
                                 int fixed_count, closure *c)
{
    const int all = fe->node_count * LB_FE_DOFS;
    if (!LB_FE_TAKE(context, c->held, all) || !LB_FE_TAKE(context, c->load, all) ||
        !LB_FE_TAKE(context, c->stiffness, (size_t)fe->element_count * 144)) {
        return LB_E_MEMORY;
    }
    lb_fe_hold(fixed_count, fixed, c->held);
    for (int e = 0; e < fe->element_count; ++e) {
        lb_fe_form_stiffness(&fe->elements[e], c->stiffness + (ptrdiff_t)144 * e);
    }
    return lb_fe_factor_free(context, fe, c->held, false, &c->free);
}

static lb_status close_rings(const lb_fe *fe, const piece *pieces, closure *c, double *x)
{
    const int all = fe->node_count * LB_FE_DOFS;
    for (int i = 0; i < all; ++i) {
        x[i] = c->held[i] ? 0.0 : x[i];
        c->load[i] = 0.0;
    }
    for (int e = 0; e < fe->element_count; ++e) {
        const lb_fe_element *element = &fe->elements[e];
        double d[12], b[12];
        get_strained(element, pieces[e].end, x, d);
        for (int k = 0; k < 4; ++k) {
            lb_fe_to_body(element->R, d + 3 * k, b + 3 * k);
        }
        for (int i = 0; i < 12; ++i) {
            const int row = LB_FE_DOFS * (i < 6 ? element->a : element->b) + i % 6;
            for (int j = 0; j < 12; ++j) {
                c->load[row] -= c->stiffness[(ptrdiff_t)144 * e + 12 * i + j] * b[j];
            }
        }
    }
    return lb_fe_add_solution(fe, &c->free, c->load, x);
}

// ---- all pairs ---------------------------------------------------------------------------------

// Displacements of one pair, at points and joints, from those of the nodes.
static void keep_pair(const lb_fe *fe, const piece *pieces, const double *x, size_t pair,
                      lb_fe_fields *fields)
{
    const size_t pairs = (size_t)fields->pair_count;
    for (int e = 0; e < fe->element_count; ++e) {
        const lb_fe_element *element = &fe->elements[e];
        double d[12];
        get_strained(element, pieces[e].end, x, d);
        for (int g = 0; g < LB_FE_POINTS; ++g) {
            const lb_fe_field f = lb_fe_interpolate(element, lb_fe_place[g], d);
            double u[3];
            for (int i = 0; i < 3; ++i) {
                u[i] = f.u[i] + pieces[e].u[g][i];
            }
            lb_fe_to_body(element->R, u,
                          fields->point_second +
                              (((size_t)e * LB_FE_POINTS + (size_t)g) * pairs + pair) * 3);
        }
    }
    for (size_t j = 0; j < (size_t)fe->joint_count; ++j) {
        memcpy(fields->joint_second + (j * pairs + pair) * 3, x + LB_FE_DOFS * j, 3 * sizeof *x);
    }
}

lb_status lb_fe_find_second_order(lb_fe_context *context, const lb_fe *fe, const int *fixed,
                                  int fixed_count, lb_fe_fields *fields)
{
    const size_t n = (size_t)fields->mode_count;
    double W[LB_FE_POINTS][LB_FE_POINTS], *x;
    piece *pieces;
    path p = {.count = 0};
    closure c = {.held = NULL};
    fields->second_order = true;
    fields->pair_count = (int)(n * (n + 1) / 2);
    const size_t pairs = (size_t)fields->pair_count;
    lb_fe_get_integrals(W);
    if (!LB_FE_TAKE(context, pieces, fe->element_count) ||
        !LB_FE_TAKE(context, x, fe->node_count * LB_FE_DOFS) ||
        !LB_FE_TAKE(context, fields->point_second,
                    (size_t)fe->element_count * LB_FE_POINTS * pairs * 3) ||
        !LB_FE_TAKE(context, fields->joint_second, (size_t)fe->joint_count * pairs * 3)) {
        return LB_E_MEMORY;
    }
    lb_status status = find_path(context, fe, fixed[0], &p);
    if (status == LB_OK && (p.count < fe->element_count || fixed_count > 1)) {
        status = prepare_closure(context, fe, fixed, fixed_count, &c);
    }
    for (size_t r = 0, pair = 0; r < n && status == LB_OK; ++r) {
        for (size_t s = r; s < n && status == LB_OK; ++s, ++pair) {
            memset(x, 0, (size_t)(fe->node_count * LB_FE_DOFS) * sizeof *x);
            for (int e = 0; e < fe->element_count; ++e) {
                integrate_pair(&fe->elements[e], fields->at_points + (size_t)e * LB_FE_POINTS * n,
                               n, r, s, fields->stretch, (const double(*)[LB_FE_POINTS])W,
                               &pieces[e]);
            }
            for (int k = 0; k < p.count; ++k) {
                carry(&fe->elements[p.element[k]], pieces[p.element[k]].end, p.backward[k], x);
            }
            status = c.free.factors ? close_rings(fe, pieces, &c, x) : LB_OK;
            if (status == LB_OK) {
                keep_pair(fe, pieces, x, pair, fields);
            }
        }
    }
    lb_fe_free_factors(c.free.factors);
    return status;
}
