// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "point_masses.h"

#include <string.h>

#include "check.h"

void lb_start_point_integrals(lb_point_integrals *I)
{
    memset(I, 0, sizeof *I);
    I->all.size = sizeof I->all;
    I->all.M_ff = I->M_ff;
    I->all.E = I->E;
    I->all.B0 = I->B0;
    I->all.B = I->B;
    I->all.S = I->S;
    I->all.S2 = I->S2;
}

// m a x b
static void add_cross(double m, const double *a, const double *b, double *out)
{
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] += m * (a[i] * b[j] - a[j] * b[i]);
    }
}

// m (2 a.b I - a b' - b a')
static void add_pair(double m, const double *a, const double *b, double *out)
{
    static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int e = 0; e < 6; ++e) {
        const int i = rows[e], j = columns[e];
        out[e] += m * ((i == j ? 2 * dot : 0.0) - a[i] * b[j] - a[j] * b[i]);
    }
}

void lb_add_point_mass(lb_point_integrals *I, double m, const double c[3],
                       const double shapes[LB_POINT_MODES][6])
{
    I->all.mass += m;
    for (int k = 0; k < 3; ++k) {
        I->all.h0[k] += m * c[k];
    }
    add_pair(0.5 * m, c, c, I->all.S0);
    for (int r = 0; r < LB_POINT_MODES; ++r) {
        const double *g = shapes[r] + 3;
        for (int k = 0; k < 3; ++k) {
            I->E[3 * r + k] += m * g[k];
        }
        add_cross(m, c, g, I->B0 + 3 * r);
        add_pair(m, c, g, I->S + 6 * r);
        for (int t = 0; t < LB_POINT_MODES; ++t) {
            const double *h = shapes[t] + 3;
            const int at = t * LB_POINT_MODES + r;
            I->M_ff[at] += m * (g[0] * h[0] + g[1] * h[1] + g[2] * h[2]);
            add_cross(m, h, g, I->B + 3 * at);
            add_pair(m, h, g, I->S2 + 6 * at);
        }
    }
}

lb_model *lb_build_row(const double gravity[3], const lb_flex_options *flex, const char *tip)
{
    static const char *const names[LB_POINT_BODIES] = {"x", "y", "z"};
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_expect_ok(lb_set_gravity(builder, gravity));
    for (int k = 0; k < LB_POINT_BODIES; ++k) {
        lb_body_options body = lb_default_body_options();
        body.name = names[k];
        body.parent = k ? names[k - 1] : NULL;
        body.at = k ? tip : NULL;
        body.by = k == 2 ? "b" : "a";
        body.hinge.type = k == 1 ? LB_HINGE_UNIVERSAL : LB_HINGE_REVOLUTE;
        body.hinge.axis[0] = 0.3;
        body.hinge.axis[1] = 1.0;
        body.hinge.axes[0][0] = body.hinge.axes[1][2] = 1.0;
        body.flex = flex;
        lb_expect_ok(lb_add_body(builder, &body, NULL));
    }
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    assert_int_equal(lb_get_v_count(model), LB_POINT_SPEEDS);
    return model;
}
