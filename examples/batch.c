// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Many states at once: how the accelerations of a chain depend on its torques.
//
// Forward dynamics M a + c = tau is affine in tau: a unit more at hinge j adds column j of the
// inverse of the mass matrix. State j of a batch has that unit, and the last state has none. The
// differences times M, from a batch of one, must be the identity.
#include <math.h>
#include <stdio.h>

#include <limber/limber.h>

enum { LINKS = 6 };

static lb_model *build_chain(void)
{
    static const char *const names[LINKS] = {"a", "b", "c", "d", "e", "f"};
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_set_gravity(builder, (const double[3]){0, 0, -9.81});
    for (int i = 0; i < LINKS; ++i) {
        lb_body_options link = lb_default_body_options();
        int body;
        link.name = names[i];
        link.parent = i ? names[i - 1] : "ground";
        link.at = i ? "end" : NULL;
        link.hinge.type = LB_HINGE_REVOLUTE;
        link.hinge.axis[i % 3] = 1.0;
        link.mass = 1.0;
        link.com[2] = 0.1;
        link.inertia[0] = link.inertia[1] = link.inertia[2] = 0.01;
        lb_add_body(builder, &link, &body);
        lb_add_node(builder, body, "end", (const double[3]){0, 0, 0.2}, NULL);
    }
    lb_model *model;
    lb_build_model(builder, &model);
    lb_destroy_builder(builder);
    return model;
}

int main(void)
{
    enum { STATES = LINKS + 1 };
    lb_model *model = build_chain();
    lb_batch *batch = model ? lb_create_batch(model, NULL) : NULL;
    if (!batch) {
        return 1;
    }
    double q[STATES][LINKS], v[STATES][LINKS], tau[STATES][LINKS], a[STATES][LINKS];
    for (int s = 0; s < STATES; ++s) {
        for (int i = 0; i < LINKS; ++i) {
            q[s][i] = 0.3 * i + 0.1;
            v[s][i] = 0.5 - 0.2 * i;
            tau[s][i] = s == i;
        }
    }

    // [batch]
    lb_status status =
        lb_compute_forward_dynamics_batch(model, batch, STATES, q[0], v[0], tau[0], a[0]);
    if (status < LB_OK) {
        int state, body, offset;
        lb_get_batch_bad_inertia(batch, &state, &body, &offset);
        fprintf(stderr, "state %d, body %s: %s\n", state, lb_get_body_name(model, body),
                lb_get_status_text(status));
        return 1;
    }
    // [batch]

    double M[LINKS][LINKS], gap = 0.0;
    lb_compute_mass_matrix_batch(model, batch, 1, q[0], M[0]);
    for (int i = 0; i < LINKS; ++i) {
        for (int j = 0; j < LINKS; ++j) {
            double sum = 0.0;
            for (int k = 0; k < LINKS; ++k) {
                sum += M[i][k] * (a[j][k] - a[LINKS][k]);
            }
            gap = fmax(gap, fabs(sum - (i == j)));
        }
    }
    printf("accelerations for a unit of torque at the first hinge:");
    for (int i = 0; i < LINKS; ++i) {
        printf(" %.4f", a[0][i] - a[LINKS][i]);
    }
    printf("\ntimes M, the identity to %.0e\n", gap);
    lb_destroy_batch(batch);
    lb_destroy_model(model);
    return gap < 1e-10 ? 0 : 1;
}
