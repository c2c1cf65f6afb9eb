// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Geometric stiffness of a frame under a load: what the load does to its second-order displacements, as a
// matrix of the finite elements. Theory: (BM-19).
#include <string.h>

#include "fe.h"

lb_status lb_fe_start_geometric(lb_fe_context *context, const lb_fe *fe, const int *fixed,
                                int fixed_count, lb_fe_geometric *g, lb_fe_matrix *K,
                                lb_fe_matrix *M)
{
    const int all = fe->node_count * LB_FE_DOFS;
    *g = (lb_fe_geometric){.fe = fe};
    if (!LB_FE_TAKE(context, g->held, all) || !LB_FE_TAKE(context, g->all, all) ||
        !LB_FE_TAKE(context, g->f, all) || !LB_FE_TAKE(context, g->y, all)) {
        return LB_E_MEMORY;
    }
    lb_fe_hold(fixed_count, fixed, g->held);
    for (int i = 0; i < all; ++i) {
        g->all[i] = i;
    }
    const lb_status status = lb_fe_factor_free(context, fe, g->held, false, &g->free);
    return status ? status : lb_fe_assemble(context, fe, g->all, all, K, M);
}

void lb_fe_end_geometric(lb_fe_geometric *geometric)
{
    lb_fe_free_factors(geometric->free.factors);
    geometric->free.factors = NULL;
}

// ---- loads -------------------------------------------------------------------------------------

// -m (a + A x)
static void get_force(const lb_fe_load *load, double m, const double x[3], double force[3])
{
    for (int i = 0; i < 3; ++i) {
        force[i] =
            -m * (load->a[i] + load->A[i][0] * x[0] + load->A[i][1] * x[1] + load->A[i][2] * x[2]);
    }
}

// Forces on the masses at the points of an element, and the loads of its ends that do the same work, in its
// axes.
static void load_element(const lb_fe *fe, const lb_fe_element *e, const lb_fe_load *load,
                         double p[LB_FE_POINTS][3], double ends[12])
{
    memset(ends, 0, 12 * sizeof *ends);
    for (int g = 0; g < LB_FE_POINTS; ++g) {
        double x[3], force[3];
        lb_fe_field c[12];
        for (int i = 0; i < 3; ++i) {
            x[i] = fe->nodes[e->a].x[i] + e->R[i][0] * lb_fe_place[g] * e->length;
        }
        get_force(load, lb_fe_weight[g] * e->length * e->points[g].m, x, force);
        lb_fe_to_local(e->R, force, p[g]);
        lb_fe_get_columns(e, lb_fe_place[g], c);
        for (int i = 0; i < 12; ++i) {
            ends[i] += c[i].u[0] * p[g][0] + c[i].u[1] * p[g][1] + c[i].u[2] * p[g][2];
        }
    }
}

// The force on the mass and from outside of a joint.
static void load_joint(const lb_fe *fe, int joint, const lb_fe_load *load, double force[3])
{
    const lb_joint *j = &fe->joints[joint];
    const double x[3] = {j->position[0] + j->offset[0], j->position[1] + j->offset[1],
                         j->position[2] + j->offset[2]};
    get_force(load, j->mass, x, force);
}

// K y = f
static lb_status find_displacements(lb_fe_geometric *g, const lb_fe_load *load)
{
    const lb_fe *fe = g->fe;
    const int all = fe->node_count * LB_FE_DOFS;
    memset(g->f, 0, (size_t)all * sizeof *g->f);
    memset(g->y, 0, (size_t)all * sizeof *g->y);
    for (int e = 0; e < fe->element_count; ++e) {
        const lb_fe_element *element = &fe->elements[e];
        double p[LB_FE_POINTS][3], ends[12], turned[12];
        load_element(fe, element, load, p, ends);
        for (int k = 0; k < 4; ++k) {
            lb_fe_to_body(element->R, ends + 3 * k, turned + 3 * k);
        }
        for (int i = 0; i < 12; ++i) {
            g->f[LB_FE_DOFS * (i < 6 ? element->a : element->b) + i % 6] += turned[i];
        }
    }
    for (int j = 0; j < fe->joint_count; ++j) {
        double force[3];
        load_joint(fe, j, load, force);
        for (int i = 0; i < 3; ++i) {
            g->f[LB_FE_DOFS * j + i] += force[i] + (j == load->joint ? load->force[i] : 0.0);
        }
    }
    return lb_fe_add_solution(fe, &g->free, g->f, g->y);
}

// ---- matrices ----------------------------------------------------------------------------------

// Force and moment at the second end of an element, in its axes.
static void get_end_force(const lb_fe_element *e, const double *y, const double ends[12],
                          double Q[6])
{
    double K[144], force[6];
    const double *a = y + (ptrdiff_t)LB_FE_DOFS * e->a, *b = y + (ptrdiff_t)LB_FE_DOFS * e->b;
    lb_fe_form_stiffness(e, K);
    for (int i = 0; i < 6; ++i) {
        force[i] = 0.0;
        for (int j = 0; j < 6; ++j) {
            force[i] += K[12 * (6 + i) + j] * a[j] + K[12 * (6 + i) + 6 + j] * b[j];
        }
    }
    lb_fe_to_local(e->R, force, Q);
    lb_fe_to_local(e->R, force + 3, Q + 3);
    for (int i = 0; i < 6; ++i) {
        Q[i] -= ends[6 + i];
    }
}

// Geometric stiffness of an element                                                     (BM-19)
//
//     G_ij = - integral of F . gamma_ij + M . kappa_ij
//
// with force F and moment M of the section. The sums are those by which (BM-7) is integrated, the other way
// round.
static void form_element(const lb_fe_element *e, const double p[LB_FE_POINTS][3], const double Q[6],
                         const double W[LB_FE_POINTS][LB_FE_POINTS], double G[144])
{
    static const double axis[3] = {1, 0, 0};
    const double L = e->length;
    double F[LB_FE_POINTS][3], M[LB_FE_POINTS][3], turning[LB_FE_POINTS][3];
    for (int h = 0; h < LB_FE_POINTS; ++h) {
        for (int i = 0; i < 3; ++i) {
            F[h][i] = L * lb_fe_weight[h] * Q[i];
            for (int g = 0; g < LB_FE_POINTS; ++g) {
                F[h][i] += L * W[g][h] * p[g][i];
            }
        }
        lb_fe_cross(axis, F[h], turning[h]);
    }
    for (int h = 0; h < LB_FE_POINTS; ++h) {
        for (int i = 0; i < 3; ++i) {
            M[h][i] = L * lb_fe_weight[h] * Q[3 + i];
            for (int g = 0; g < LB_FE_POINTS; ++g) {
                M[h][i] += L * W[g][h] * turning[g][i];
            }
        }
    }
    memset(G, 0, 144 * sizeof *G);
    for (int h = 0; h < LB_FE_POINTS; ++h) {
        lb_fe_field c[12];
        lb_fe_get_columns(e, lb_fe_place[h], c);
        for (int i = 0; i < 144; ++i) {
            double gamma[3], kappa[3];
            lb_fe_get_second_rate(&e->points[h], &c[i / 12], &c[i % 12], 0.5, gamma, kappa);
            for (int k = 0; k < 3; ++k) {
                G[i] -= F[h][k] * gamma[k] + M[h][k] * kappa[k];
            }
        }
    }
    lb_fe_turn_matrix(e->R, G);
}

// The centre of a mass at an offset p from a joint that turns by t moves by 1/2 t x (t x p) more. (FLX-1)
static void form_joint(const double force[3], const double p[3], double G[36])
{
    memset(G, 0, 36 * sizeof *G);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            // 1/2 (e_i x (e_j x p) + e_j x (e_i x p)) = 1/2 (e_j p_i + e_i p_j) - p for i = j
            G[6 * (3 + i) + 3 + j] = -0.5 * (force[j] * p[i] + force[i] * p[j]);
            for (int k = 0; k < 3 && i == j; ++k) {
                G[6 * (3 + i) + 3 + j] += force[k] * p[k];
            }
        }
    }
}

lb_status lb_fe_form_geometric(lb_fe_geometric *g, const lb_fe_load *load, lb_fe_matrix *G)
{
    const lb_fe *fe = g->fe;
    double W[LB_FE_POINTS][LB_FE_POINTS];
    const lb_status status = find_displacements(g, load);
    if (status != LB_OK) {
        return status;
    }
    lb_fe_get_integrals(W);
    memset(G->value, 0, (size_t)G->start[G->n] * sizeof *G->value);
    for (int e = 0; e < fe->element_count; ++e) {
        const lb_fe_element *element = &fe->elements[e];
        const int ends[2] = {element->a, element->b};
        double p[LB_FE_POINTS][3], loads[12], Q[6], A[144];
        load_element(fe, element, load, p, loads);
        get_end_force(element, g->y, loads, Q);
        form_element(element, (const double(*)[3])p, Q, (const double(*)[LB_FE_POINTS])W, A);
        for (int i = 0; i < 4; ++i) {
            lb_fe_add_block(G, g->all, ends[i / 2], ends[i % 2], A + 72 * (i / 2) + 6 * (i % 2),
                            12);
        }
    }
    for (int j = 0; j < fe->joint_count; ++j) {
        double force[3], block[36];
        load_joint(fe, j, load, force);
        form_joint(force, fe->joints[j].offset, block);
        lb_fe_add_block(G, g->all, j, j, block, 6);
    }
    return LB_OK;
}
