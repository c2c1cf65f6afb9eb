// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A spring on a slider: C, against the installed limber-sim.
#include <limber/beams.h>
#include <limber/forces.h>
#include <limber/openmp.h>
#include <string.h>

int main(void)
{
    const char *text =
        "limber: 1\n"
        "bodies: [{name: cart, mass: 2, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n"
        "forces: [{name: spring, type: spring, hinge: cart, stiffness: 6}]\n";
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_forces *forces = NULL;
    if (lb_load_document_text(text, strlen(text), "cart.yaml", LB_FORMAT_AUTO, NULL, NULL,
                              &document) != LB_OK ||
        lb_load_document_model(document, NULL, &model) != LB_OK ||
        lb_load_forces(document, model, NULL, &forces) != LB_OK) {
        return 2;
    }
    lb_work *work = lb_create_work(model);
    const double q = 0.5, v = 0;
    double tau = 0, a = 0;
    unsigned char driven = 0;
    lb_compute_kinematics(model, work, &q, &v, NULL);
    lb_compute_forces(forces, model, work, 0, &q, &v, &tau, &driven, &a);
    lb_compute_forward_dynamics(model, work, &q, &v, &tau, &a);
    lb_destroy_work(work);
    lb_destroy_forces(forces);
    lb_destroy_model(model);
    lb_destroy_document(document);
    // beams need LAPACK, several cores OpenMP
    lb_material steel;
    if (lb_get_material(lb_find_material("steel"), &steel) != LB_OK ||
        lb_make_openmp_team(0).thread_count < 1) {
        return 3;
    }
    return a == -1.5 ? 0 : 1;
}
