// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "eval_forces.h"

#include <string.h>

#include "console.h"

lb_forces *lb_cli_load_forces(const lb_document *document, const lb_model *model,
                              const lb_report *report)
{
    lb_forces *forces = NULL;
    (void)lb_load_forces(document, model, report, &forces);
    return forces;
}

void lb_cli_destroy_forces(lb_forces *forces)
{
    lb_destroy_forces(forces);
}

const char *lb_cli_compute_forces(lb_forces *forces, const lb_model *model, lb_work *work,
                                  const double *q, const double *v, double *tau,
                                  unsigned char *driven, double *a, double *energy)
{
    memset(tau, 0, (size_t)lb_get_v_count(model) * sizeof *tau);
    memset(driven, 0, (size_t)lb_get_body_count(model));
    lb_status status = lb_compute_kinematics(model, work, q, v, NULL);
    if (status == LB_OK) {
        status = lb_compute_forces(forces, model, work, 0.0, q, v, tau, driven, a);
    }
    if (status < 0) {
        const char *message = lb_get_force_message(forces);
        return message[0] ? message : lb_get_status_text(status);
    }
    *energy = 0.0;
    for (int i = 0; i < lb_get_force_count(forces); ++i) {
        *energy += lb_get_force_info(forces, i).is_conservative
                       ? lb_get_force_info(forces, i).energy
                       : 0.0;
    }
    return NULL;
}
