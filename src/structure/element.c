// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One straight beam element: shape functions, stiffness and mass.
#include <math.h>
#include <string.h>

#include "fe.h"

// ---- quadrature --------------------------------------------------------------------------------

const double lb_fe_place[LB_FE_POINTS] = {0.03376524289842398609, 0.16939530676686774317,
                                          0.38069040695840154570, 0.61930959304159845430,
                                          0.83060469323313225683, 0.96623475710157601391};
const double lb_fe_weight[LB_FE_POINTS] = {0.08566224618958517252, 0.18038078652406930378,
                                           0.23395696728634552369, 0.23395696728634552369,
                                           0.18038078652406930378, 0.08566224618958517252};

void lb_fe_get_integrals(double W[LB_FE_POINTS][LB_FE_POINTS])
{
    enum { N = LB_FE_POINTS };
    for (int h = 0; h < N; ++h) {
        for (int g = 0; g < N; ++g) {
            // Lagrange's polynomial h, of degree five, over 0 to place g by the same rule
            double sum = 0.0;
            for (int k = 0; k < N; ++k) {
                const double s = lb_fe_place[g] * lb_fe_place[k];
                double value = 1.0;
                for (int i = 0; i < N; ++i) {
                    if (i != h) {
                        value *= (s - lb_fe_place[i]) / (lb_fe_place[h] - lb_fe_place[i]);
                    }
                }
                sum += lb_fe_weight[k] * value;
            }
            W[g][h] = lb_fe_place[g] * sum;
        }
    }
}

// ---- shape functions ---------------------------------------------------------------------------

// Deflection N, its slope dN, rotation G and curvature dG of a beam bent in one plane, for unit values
// of (v1, theta1, v2, theta2), p = 12 EI / (GA L^2):                                     (BM-2)
//
//     (1+p) N1 = 1 - 3 s^2 + 2 s^3 + p (1 - s)        (1+p) G1 = -6 (s - s^2) / L
//     (1+p) N2 = L (s - 2 s^2 + s^3 + p (s - s^2)/2)  (1+p) G2 = 1 - 4 s + 3 s^2 + p (1 - s)
//     N3 = 1 - N1                                     G3 = -G1
//     (1+p) N4 = L (s^3 - s^2 - p (s - s^2)/2)        (1+p) G4 = 3 s^2 - 2 s + p s
typedef struct bending {
    double N[4], dN[4], G[4], dG[4];
} bending;

static bending get_bending(double s, double L, double p)
{
    const double d = 1 / (1 + p), s2 = s * s, s3 = s2 * s;
    bending f;
    f.N[0] = d * (1 - 3 * s2 + 2 * s3 + p * (1 - s));
    f.N[1] = d * L * (s - 2 * s2 + s3 + 0.5 * p * (s - s2));
    f.N[2] = d * (3 * s2 - 2 * s3 + p * s);
    f.N[3] = d * L * (s3 - s2 - 0.5 * p * (s - s2));
    f.dN[0] = d / L * (-6 * s + 6 * s2 - p);
    f.dN[1] = d * (1 - 4 * s + 3 * s2 + 0.5 * p * (1 - 2 * s));
    f.dN[2] = -f.dN[0];
    f.dN[3] = d * (3 * s2 - 2 * s - 0.5 * p * (1 - 2 * s));
    f.G[0] = d / L * (-6 * s + 6 * s2);
    f.G[1] = d * (1 - 4 * s + 3 * s2 + p * (1 - s));
    f.G[2] = -f.G[0];
    f.G[3] = d * (3 * s2 - 2 * s + p * s);
    f.dG[0] = d / (L * L) * (-6 + 12 * s);
    f.dG[1] = d / L * (-4 + 6 * s - p);
    f.dG[2] = -f.dG[0];
    f.dG[3] = d / L * (6 * s - 2 + p);
    return f;
}

static double combine(const double N[4], const double v[4])
{
    return N[0] * v[0] + N[1] * v[1] + N[2] * v[2] + N[3] * v[3];
}

// In the x-z plane a positive turn about y lowers the tip: theta_y = -w'.
lb_fe_field lb_fe_interpolate(const lb_fe_element *e, double s, const double d[12])
{
    const double L = e->length;
    const bending y = get_bending(s, L, e->phi_y), z = get_bending(s, L, e->phi_z);
    const double v[4] = {d[1], d[5], d[7], d[11]}, w[4] = {d[2], -d[4], d[8], -d[10]};
    const lb_fe_field f = {
        .u = {d[0] + s * (d[6] - d[0]), combine(y.N, v), combine(z.N, w)},
        .t = {d[3] + s * (d[9] - d[3]), -combine(z.G, w), combine(y.G, v)},
        .du = {(d[6] - d[0]) / L, combine(y.dN, v), combine(z.dN, w)},
        .dt = {(d[9] - d[3]) / L, -combine(z.dG, w), combine(y.dG, v)},
    };
    return f;
}

void lb_fe_get_ends(const lb_fe_element *e, const double *displacements, double d[12])
{
    const double *a = displacements + (ptrdiff_t)LB_FE_DOFS * e->a;
    const double *b = displacements + (ptrdiff_t)LB_FE_DOFS * e->b;
    lb_fe_to_local(e->R, a, d);
    lb_fe_to_local(e->R, a + 3, d + 3);
    lb_fe_to_local(e->R, b, d + 6);
    lb_fe_to_local(e->R, b + 3, d + 9);
}

// ---- matrices ----------------------------------------------------------------------------------

// Entries that a member along an axis of the body does not couple stay exactly zero.
void lb_fe_turn_matrix(const double R[3][3], double A[144])
{
    double B[144];
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 12; ++i) {
            for (int j = 0; j < 12; ++j) {
                // pass 0: B = A T'; pass 1: A = T B
                double sum = 0.0;
                const int block = 3 * ((pass == 0 ? j : i) / 3);
                for (int k = 0; k < 3; ++k) {
                    sum += pass == 0 ? A[12 * i + block + k] * R[j % 3][k]
                                     : R[i % 3][k] * B[12 * (block + k) + j];
                }
                if (pass == 0) {
                    B[12 * i + j] = sum;
                } else {
                    A[12 * i + j] = sum;
                }
            }
        }
    }
}

void lb_fe_get_columns(const lb_fe_element *e, double s, lb_fe_field columns[12])
{
    for (int i = 0; i < 12; ++i) {
        double d[12] = {0};
        d[i] = 1.0;
        columns[i] = lb_fe_interpolate(e, s, d);
    }
}

// What a pair of fields has at a point, integrated along an element, over all pairs of columns.
static void integrate(const lb_fe_element *e,
                      double (*density)(const lb_fe_point *, const lb_fe_field *,
                                        const lb_fe_field *),
                      double A[144])
{
    memset(A, 0, 144 * sizeof *A);
    for (int g = 0; g < LB_FE_POINTS; ++g) {
        const double weight = lb_fe_weight[g] * e->length;
        lb_fe_field c[12];
        lb_fe_get_columns(e, lb_fe_place[g], c);
        for (int i = 0; i < 144; ++i) {
            A[i] += weight * density(&e->points[g], &c[i / 12], &c[i % 12]);
        }
    }
    lb_fe_turn_matrix(e->R, A);
}

double lb_fe_get_stiffness(const lb_fe_point *p, const lb_fe_field *a, const lb_fe_field *b)
{
    double k = p->EA * a->du[0] * b->du[0] + p->GJ * a->dt[0] * b->dt[0] +
               p->EIy * a->dt[1] * b->dt[1] + p->EIz * a->dt[2] * b->dt[2];
    k += p->GAy * (a->du[1] - a->t[2]) * (b->du[1] - b->t[2]);
    k += p->GAz * (a->du[2] + a->t[1]) * (b->du[2] + b->t[1]);
    return k;
}

double lb_fe_get_mass(const lb_fe_point *p, const lb_fe_field *a, const lb_fe_field *b)
{
    const double *u = a->u, *v = b->u, *t = a->t, *r = b->t;
    return p->m * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) + p->Jx * t[0] * r[0] +
           p->Jy * t[1] * r[1] + p->Jz * t[2] * r[2];
}

// K = integral of EA u'^2 + GJ tx'^2 + EIy ty'^2 + EIz tz'^2
//              + GAy (v' - tz)^2 + GAz (w' + ty)^2                                       (BM-3)
void lb_fe_form_stiffness(const lb_fe_element *e, double K[144])
{
    integrate(e, lb_fe_get_stiffness, K);
}

// M = integral of m |u|^2 + Jx tx^2 + Jy ty^2 + Jz tz^2, by the points that the body gets (BM-4)
void lb_fe_form_mass(const lb_fe_element *e, double M[144])
{
    integrate(e, lb_fe_get_mass, M);
}

// A rigid mass at an offset p: its centre moves by u + t x p.
void lb_fe_form_lump(const lb_joint *joint, double M[36])
{
    const double *p = joint->offset, *J = joint->inertia, m = joint->mass;
    const double full[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
    // columns of [I, -p~]: motion of the centre
    double T[3][6] = {
        {1, 0, 0, 0, p[2], -p[1]}, {0, 1, 0, -p[2], 0, p[0]}, {0, 0, 1, p[1], -p[0], 0}};
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            double sum = i >= 3 && j >= 3 ? full[i - 3][j - 3] : 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += m * T[k][i] * T[k][j];
            }
            M[6 * i + j] = sum;
        }
    }
}
