// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes of a body in standard input data: origin is the position, phi and psi move and turn the node per unit of
// each mode, in the axes of the body, and AP is its orientation. The m1 of origin and AP say again what phi and psi say.
#include <math.h>
#include <string.h>

#include "limber/spatial.h"
#include "modal_files.h"
#include "sid.h"

#define FAIL(m, line, ...) lb_import_fail((m)->import, (m)->sid->file, line, __VA_ARGS__)
#define WARN(m, line, ...) lb_import_warn((m)->import, (m)->sid->file, line, __VA_ARGS__)

static double find_gap(int count, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

// 3 x n numbers turned to the axes of the body.
static void turn(const lb_mat3 *R, int n, const double *A, double *out)
{
    for (int q = 0; q < n; ++q) {
        for (int i = 0; i < 3; ++i) {
            out[i * n + q] = R->m[i][0] * A[q] + R->m[i][1] * A[n + q] + R->m[i][2] * A[2 * n + q];
        }
    }
}

// Shapes are in the axes of the body. The derivative of the position tells if a writer has put them into
// those of the node.
static lb_status settle_axes(lb_sid_maker *m, const lb_sid_node *from, const lb_mat3 *R,
                             double *phi, double *psi, bool *is_turned)
{
    const int n = m->n;
    double *by_mode, *dl, *turned;
    if (!lb_has_sid_order_1(&from->origin) || from->phi.line == 0) {
        return LB_OK;
    }
    if (!LB_IMPORT_TAKE(m->import, dl, 3 * n) || !LB_IMPORT_TAKE(m->import, turned, 3 * n)) {
        return LB_E_MEMORY;
    }
    const lb_status status = lb_take_sid_matrix(m, &from->origin, true, 3, 1, &by_mode);
    if (status != LB_OK) {
        return status;
    }
    double largest = 0;
    for (int q = 0; q < n; ++q) {
        for (int i = 0; i < 3; ++i) {
            dl[i * n + q] = by_mode[3 * q + i];
            largest = fmax(largest, fmax(fabs(dl[i * n + q]), fabs(phi[i * n + q])));
        }
    }
    const double allowed = 8 * (from->origin.grain + from->phi.grain) + 1e-9 * largest;
    const double plain = find_gap(3 * n, dl, phi);
    if (plain <= allowed) {
        return LB_OK;
    }
    turn(R, n, phi, turned);
    if (find_gap(3 * n, dl, turned) > allowed) {
        WARN(m, from->phi.line,
             "origin m1 and phi of node %.40s differ by up to %.3g, but must agree: phi is used",
             from->name, plain);
        return LB_OK;
    }
    memcpy(phi, turned, 3 * (size_t)n * sizeof *phi);
    turn(R, n, psi, turned);
    memcpy(psi, turned, 3 * (size_t)n * sizeof *psi);
    *is_turned = true;
    return LB_OK;
}

// gamma2_rs is phi m1 of column r and mode s, and the other way round.
static lb_status add_second(lb_sid_maker *m, const lb_sid_node *from, const lb_mat3 *R,
                            lb_flex_node *node)
{
    const int n = m->n;
    const size_t each = 3 * (size_t)n;
    double *phi, *turned, *K[3];
    if (!LB_IMPORT_TAKE(m->import, K[0], n * n) || !LB_IMPORT_TAKE(m->import, K[1], n * n) ||
        !LB_IMPORT_TAKE(m->import, K[2], n * n) || !LB_IMPORT_TAKE(m->import, turned, each)) {
        return LB_E_MEMORY;
    }
    const lb_status status = lb_take_sid_matrix(m, &from->phi, true, 3, n, &phi);
    for (int s = 0; s < n && status == LB_OK; ++s) {
        double *own = phi + (size_t)s * each;
        if (R) {
            turn(R, n, own, turned);
            own = turned;
        }
        for (int k = 0; k < 3; ++k) {
            for (int r = 0; r < n; ++r) {
                K[k][r * n + s] = -own[k * n + r];
            }
        }
    }
    node->second_order_count = n * (n + 1) / 2;
    return status ? status : lb_make_second_order(m->import, n, K, &node->second_order);
}

static lb_status make_node(lb_sid_maker *m, const lb_sid_node *from, lb_flex_node *node)
{
    const int n = m->n;
    double *x, *phi, *psi, *AP, *shape;
    lb_mat3 R = lb_mat3_identity();
    lb_status status = lb_take_sid_matrix(m, &from->origin, false, 3, 1, &x);
    status = status == LB_OK ? lb_take_sid_matrix(m, &from->phi, false, 3, n, &phi) : status;
    status = status == LB_OK ? lb_take_sid_matrix(m, &from->psi, false, 3, n, &psi) : status;
    if (status != LB_OK || !LB_IMPORT_TAKE(m->import, shape, 6 * n)) {
        return status != LB_OK ? status : LB_E_MEMORY;
    }
    if (from->origin.line == 0 || from->phi.line == 0) {
        return FAIL(m, from->line, "node %.40s has no %s", from->name,
                    from->phi.line ? "origin" : "phi");
    }
    if (from->AP.line > 0 && from->AP.structure != LB_SID_ZERO) {
        status = lb_take_sid_matrix(m, &from->AP, false, 3, 3, &AP);
        if (status != LB_OK) {
            return status;
        }
        memcpy(R.m, AP, sizeof R.m);
        const lb_mat3 RR = lb_mat3_mul_t(&R, &R), unity = lb_mat3_identity();
        const lb_vec3 z = lb_vec3_cross(lb_vec3_from(R.m[0]), lb_vec3_from(R.m[1]));
        const double off = find_gap(9, RR.m[0], unity.m[0]);
        if (off > 1e-5 || z.x * R.m[2][0] + z.y * R.m[2][1] + z.z * R.m[2][2] < 0) {
            return FAIL(m, from->AP.line,
                        "AP of node %.40s is not a rotation: its axes are off by %.3g", from->name,
                        off);
        }
    }
    bool is_turned = false;
    status = settle_axes(m, from, &R, phi, psi, &is_turned);
    for (int q = 0; q < n; ++q) {
        for (int i = 0; i < 3; ++i) {
            shape[6 * q + i] = psi[i * n + q];
            shape[6 * q + 3 + i] = phi[i * n + q];
        }
    }
    const lb_quat turned = lb_quat_from_mat3(&R);
    const double rotation[4] = {turned.w, turned.x, turned.y, turned.z};
    *node = lb_default_flex_node();
    node->name = from->name;
    node->shape = shape;
    memcpy(node->position, x, sizeof node->position);
    memcpy(node->rotation, rotation, sizeof node->rotation);
    return status == LB_OK && from->phi.has_m1 ? add_second(m, from, is_turned ? &R : NULL, node)
                                               : status;
}

lb_status lb_make_sid_nodes(lb_sid_maker *m, lb_flex_options *flex)
{
    const lb_sid *s = m->sid;
    lb_flex_node *nodes;
    int *lines;
    if (s->node_count == 0) {
        return FAIL(m, 0,
                    "the file has no nodes, so that the body could not be joined to anything");
    }
    if (!LB_IMPORT_TAKE(m->import, nodes, s->node_count) ||
        !LB_IMPORT_TAKE(m->import, lines, s->node_count)) {
        return LB_E_MEMORY;
    }
    const lb_sid_node *without_psi = NULL, *with_sigma = NULL;
    for (int j = 0; j < s->node_count; ++j) {
        const lb_sid_node *from = &s->nodes[j];
        const lb_status status = make_node(m, from, &nodes[j]);
        if (status != LB_OK) {
            return status;
        }
        lines[j] = from->line;
        without_psi = from->psi.line == 0 && !without_psi ? from : without_psi;
        with_sigma = from->sigma.count > 0 && !with_sigma ? from : with_sigma;
    }
    if (without_psi) {
        WARN(m, without_psi->line,
             "node %.40s has no psi: nodes without it do not turn when the body deforms",
             without_psi->name);
    }
    if (with_sigma) {
        WARN(m, with_sigma->sigma.line, "stresses at nodes (sigma) are not read");
    }
    flex->node_count = s->node_count;
    flex->nodes = nodes;
    return lb_check_node_names(m->import, s->file, s->node_count, nodes, lines);
}
