// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "beams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>

#include "heard.h"
#include "limber/limber.h"
#include "structure/sections.h"

lb_beam_options lb_make_square_beam(void)
{
    static const lb_section square = {
        .size = sizeof square, .type = LB_SECTION_RECTANGLE, .width = 0.1, .height = 0.1};
    static const lb_modes_options modes = {
        .size = sizeof modes, .count = 4, .motions = LB_MOTION_ALL};
    lb_beam_options options = lb_default_beam_options();
    options.length = 1.0;
    options.section = &square;
    options.material = (lb_material){2.1e11, 2.1e11 / 2.6, 7850};
    options.modes = &modes;
    return options;
}

static lb_flex_body *expect_body(lb_status status, const lb_heard *heard, lb_flex_body *body)
{
    if (status != LB_OK) {
        lb_print_heard(heard);
        fail_msg("status %d", status);
    }
    return body;
}

lb_flex_body *lb_make_beam(const lb_beam_options *options)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_flex_body *body;
    const lb_status status = lb_create_beam_body(options, NULL, &report, &body);
    return expect_body(status, &heard, body);
}

lb_flex_body *lb_make_frame(const lb_frame_options *options)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_flex_body *body;
    const lb_status status = lb_create_frame_body(options, NULL, &report, &body);
    return expect_body(status, &heard, body);
}

double lb_get_frequency(const lb_flex_body *body, int r)
{
    const lb_flex_options *flex = lb_get_flex_options(body);
    assert_in_range(r, 0, flex->mode_count - 1);
    return sqrt(flex->stiffness[r * (flex->mode_count + 1)]);
}

lb_flex_summary lb_summarize_body(const lb_flex_body *body)
{
    lb_flex_summary summary = {.size = sizeof summary};
    lb_expect_ok(lb_get_flex_summary(body, &summary));
    return summary;
}

const lb_flex_node *lb_get_flex_node(const lb_flex_body *body, const char *name)
{
    const lb_flex_options *flex = lb_get_flex_options(body);
    for (int i = 0; i < flex->node_count - flex->point_count; ++i) {
        if (strcmp(flex->nodes[i].name, name) == 0) {
            return &flex->nodes[i];
        }
    }
    fail_msg("no node %s", name);
    return NULL;
}

lb_model *lb_make_beam_model(lb_flex_body *body, lb_hinge_type hinge, const double axis[3])
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_builder *builder = lb_create_builder(NULL, &report);
    lb_body_options options = lb_default_body_options();
    options.name = "beam";
    options.hinge.type = hinge;
    options.flex = lb_get_flex_options(body);
    if (axis) {
        memcpy(options.hinge.axis, axis, sizeof options.hinge.axis);
    }
    lb_add_body(builder, &options, NULL);
    lb_model *model = NULL;
    if (lb_build_model(builder, &model) != LB_OK || heard.count > 0) {
        lb_print_heard(&heard);
        fail_msg("no model, or a warning");
    }
    lb_destroy_builder(builder);
    lb_destroy_flex_body(body);
    return model;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// M dd + G d' + K d = 0 with G = d bias / d rates, K = d bias / d coordinates: eigenvalues of the
// system of first order. Coordinates are those of modes of unit mass; 1e-4 m kg^1/2 is small and the
// bias, a polynomial of degree three, has no higher terms that would disturb a central difference by
// more than 1e-8 of itself.
void lb_find_spinning(const lb_model *model, int n, const double *speeds, int count, double *omega)
{
    const int nv = lb_get_v_count(model), nq = lb_get_q_count(model), n2 = 2 * n;
    const double h = 1e-4;
    lb_work *work = lb_create_work(model);
    double *q = lb_make_numbers((size_t)nq), *v = lb_make_numbers((size_t)nv);
    double *M = lb_make_numbers((size_t)(nv * nv)), *b = lb_make_numbers((size_t)(2 * nv));
    double *A = lb_make_numbers((size_t)(n2 * n2)), *B = lb_make_numbers((size_t)(n * n));
    double *rhs = lb_make_numbers((size_t)(n * n2));
    double *re = lb_make_numbers((size_t)n2), *im = lb_make_numbers((size_t)n2);
    lb_get_neutral_configuration(model, q);
    lb_expect_ok(lb_compute_mass_matrix(model, work, q, M));
    for (int i = n; i < nv; ++i) {
        v[i] = speeds[i - n];
    }
    for (int i = 0; i < n2; ++i) {
        double *x = i < n ? &q[i] : &v[i - n];
        for (int side = 0; side < 2; ++side) {
            *x = side == 0 ? h : -h;
            lb_expect_ok(lb_compute_bias(model, work, q, v, b + side * nv));
        }
        *x = 0.0;
        for (int r = 0; r < n; ++r) {
            rhs[i * n + r] = (b[r] - b[nv + r]) / (2 * h);
        }
    }
    for (int r = 0; r < n; ++r) {
        memcpy(B + r * n, M + r * nv, (size_t)n * sizeof *B);
    }
    int *pivots = calloc((size_t)n, sizeof *pivots);
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, n, n2, B, n, pivots, rhs, n), 0);
    free(pivots);
    for (int j = 0; j < n2; ++j) {
        for (int r = 0; r < n; ++r) {
            A[j * n2 + n + r] = -rhs[j * n + r];
        }
        if (j >= n) {
            A[j * n2 + j - n] = 1.0;
        }
    }
    assert_int_equal(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n2, A, n2, re, im, NULL, 1, NULL, 1),
                     0);
    int found = 0;
    for (int i = 0; i < n2; ++i) {
        if (im[i] > 0) {
            im[found++] = im[i];
        }
    }
    qsort(im, (size_t)found, sizeof *im, compare_numbers);
    for (int i = 0; i < count; ++i) {
        omega[i] = i < found ? im[i] : 0.0;
    }
    free(q);
    free(v);
    free(M);
    free(b);
    free(A);
    free(B);
    free(rhs);
    free(re);
    free(im);
    lb_destroy_work(work);
}
