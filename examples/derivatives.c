// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A satellite: a free body with an arm on a spherical hinge. Its accelerations are predicted nearby
// from their derivatives, on the manifold of configurations,
//
//     a(q (+) d, v + e, tau + f) = a + da/dq d + da/dv e + da/dtau f + second order
//
// and the prediction is compared with the dynamics there. Then a rod holds the arm's tip, and the force
// in it is predicted likewise.
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NQ = 11, NV = 9 };

static lb_model *build(void)
{
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_body_options bus = lb_default_body_options(), arm = lb_default_body_options();
    int body;
    bus.name = "bus";
    bus.hinge.type = LB_HINGE_FREE;
    bus.mass = 10.0;
    bus.inertia[0] = bus.inertia[1] = bus.inertia[2] = 2.0;
    lb_add_body(builder, &bus, &body);
    lb_add_node(builder, body, "root", (const double[3]){0.5, 0.0, 0.0}, NULL);
    lb_add_node(builder, body, "eye", (const double[3]){0.5, 0.0, 0.8}, NULL);
    arm.name = "arm";
    arm.parent = "bus";
    arm.at = "root";
    arm.hinge.type = LB_HINGE_SPHERICAL;
    arm.mass = 1.0;
    arm.com[0] = 0.6;
    arm.inertia[0] = 0.01;
    arm.inertia[1] = arm.inertia[2] = 0.2;
    lb_add_body(builder, &arm, &body);
    lb_add_node(builder, body, "tip", (const double[3]){1.0, 0.0, 0.0}, NULL);
    lb_loop_options rod = lb_default_loop_options();
    rod.name = "rod";
    rod.type = LB_LOOP_ROD;
    rod.body_a = "bus";
    rod.node_a = "eye";
    rod.body_b = "arm";
    rod.node_b = "tip";
    rod.length = sqrt(0.8 * 0.8 + 1.0);
    lb_add_loop(builder, &rod, NULL);
    lb_model *model = NULL;
    lb_build_model(builder, &model);
    lb_destroy_builder(builder);
    return model;
}

int main(void)
{
    lb_model *model = build();
    if (!model || lb_get_q_count(model) != NQ || lb_get_v_count(model) != NV) {
        return 1;
    }
    lb_work *work = lb_create_work(model);
    double q[NQ], v[NV], tau[NV], a[NV];
    lb_get_neutral_configuration(model, q);
    for (int i = 0; i < NV; ++i) {
        v[i] = 0.3 * sin(i + 1.0);
        tau[i] = 0.5 * cos(i + 1.0);
    }

    // without the rod at first
    lb_set_loop_active(model, work, 0, false);

    // [derivatives]
    // a workspace of their own, made once, beside the other
    lb_derivative_work *scratch = lb_create_derivative_work(model);
    double da_dq[NV * NV], da_dv[NV * NV], da_dtau[NV * NV];
    lb_status status =
        lb_compute_forward_derivatives(model, work, scratch, q, v, tau, a, da_dq, da_dv, da_dtau);

    // a small step in each: along the directions of v in q
    const double small = 1e-4;
    double d[NV], moved_q[NQ], moved_v[NV], moved_tau[NV], predicted[NV], found[NV];
    for (int i = 0; i < NV; ++i) {
        d[i] = small * cos(2.0 * i);
        moved_v[i] = v[i] + d[i];
        moved_tau[i] = tau[i] + d[i];
    }
    lb_integrate_configuration(model, q, d, moved_q);
    for (int i = 0; i < NV; ++i) {
        predicted[i] = a[i];
        for (int j = 0; j < NV; ++j) {
            const int at = i * NV + j;
            predicted[i] += (da_dq[at] + da_dv[at] + da_dtau[at]) * d[j];
        }
    }
    // [derivatives]

    if (status == LB_OK) {
        status = lb_compute_forward_dynamics(model, work, moved_q, moved_v, moved_tau, found);
    }
    double step = 0.0, error = 0.0;
    for (int i = 0; status == LB_OK && i < NV; ++i) {
        step = fmax(step, fabs(found[i] - a[i]));
        error = fmax(error, fabs(found[i] - predicted[i]));
    }
    printf("accelerations change by up to %.3g, predicted to %.3g\n", step, error);
    // what is left is of second order in the step
    int good = status == LB_OK && step > 0.1 * small && error < 100.0 * small * small;

    // [loops]
    lb_set_loop_active(model, work, 0, true);
    // with the rod: six numbers for its force, in the axes of the node `eye`
    double force[6], moved_force[6], forces_dq[6 * NV], forces_dv[6 * NV], forces_dtau[6 * NV];
    const lb_constrained_derivatives wanted = {.size = sizeof wanted,
                                               .a_dq = da_dq,
                                               .forces_dq = forces_dq,
                                               .forces_dv = forces_dv,
                                               .forces_dtau = forces_dtau};
    status = lb_compute_constrained_derivatives(model, work, scratch, q, v, tau, a, NULL, force,
                                                &wanted);
    for (int i = 0; i < 6; ++i) {
        predicted[i] = force[i];
        for (int j = 0; j < NV; ++j) {
            const int at = i * NV + j;
            predicted[i] += (forces_dq[at] + forces_dv[at] + forces_dtau[at]) * d[j];
        }
    }
    // [loops]

    if (status == LB_OK) {
        status = lb_compute_forward_dynamics(model, work, moved_q, moved_v, moved_tau, a);
    }
    if (status == LB_OK) {
        status = lb_get_loop_force(model, work, 0, moved_force);
    }
    step = error = 0.0;
    for (int i = 0; status == LB_OK && i < 6; ++i) {
        step = fmax(step, fabs(moved_force[i] - force[i]));
        error = fmax(error, fabs(moved_force[i] - predicted[i]));
    }
    printf("the rod's force by up to %.3g, predicted to %.3g\n", step, error);
    good &= status == LB_OK && step > 0.1 * small && error < 100.0 * small * small;
    lb_destroy_derivative_work(scratch);
    lb_destroy_work(work);
    lb_destroy_model(model);
    return good ? 0 : 1;
}
