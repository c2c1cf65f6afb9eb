// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text as the signals and forces of a small model. What loads is evaluated at a few times.
#include "fuzz.h"

#include "limber/forces.h"
#include "simulate/forces/force_set.h"

static const char model_text[] =
    "limber: 1\n"
    "ground: {nodes: {mount: {position: [0, 0, 1]}}}\n"
    "bodies:\n"
    "- {name: arm, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: revolute, axis: [0, 0, "
    "1]},\n"
    "   nodes: {tip: {position: [1, 0, 0]}}}\n"
    "- {name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: free}}\n"
    "- {name: cart, parent: arm, at: tip, mass: 1, hinge: {type: translational}}\n";

static void evaluate(const lb_model *model, lb_forces *forces)
{
    enum { MOST = 32 };
    double q[MOST], v[MOST], a[MOST], tau[MOST];
    unsigned char driven[MOST] = {0};
    lb_work *work = lb_create_work(model);
    for (double t = -0.5; work && t < 5; t = 2 * t + 1.3) {
        lb_get_neutral_configuration(model, q);
        for (int i = 0; i < lb_get_v_count(model); ++i) {
            v[i] = 0.5 - 0.1 * i;
            tau[i] = a[i] = 0;
        }
        (void)lb_set_driven_state(forces, model, t, q, v);
        (void)lb_get_next_break(forces, t);
        if (lb_compute_kinematics(model, work, q, v, NULL) == LB_OK) {
            const lb_status status =
                lb_compute_forces(forces, model, work, t, q, v, tau, driven, a);
            // a number, or a reason why there is none
            if (status != LB_OK && (status != LB_E_NUMBER || !*lb_get_force_message(forces))) {
                abort();
            }
        }
    }
    lb_destroy_work(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int errors = 0;
    const lb_report report = {lb_fuzz_count_error, &errors};
    char *text = lb_fuzz_join(model_text, data, size);
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_forces *forces = NULL;
    lb_status status = lb_load_document_text(text, strlen(model_text) + size, "fuzz",
                                             LB_FORMAT_YAML, NULL, &report, &document);
    status = status < 0 ? status : lb_load_document_model(document, &report, &model);
    status = status < 0 ? status : lb_load_forces(document, model, &report, &forces);
    if ((status == LB_OK) != (forces != NULL) || (status == LB_OK) != (errors == 0)) {
        abort();
    }
    // more bodies than the fixed ones are for the other target
    if (forces && lb_get_v_count(model) <= 16) {
        evaluate(model, forces);
    }
    lb_destroy_forces(forces);
    lb_destroy_model(model);
    lb_destroy_document(document);
    free(text);
    return 0;
}
