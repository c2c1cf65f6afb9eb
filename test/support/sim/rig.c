// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heard.h"
#include "simulate/forces/forces.h"

lb_rig lb_begin_rig(const char *text, lb_model *model)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_rig rig = {.model = model};
    lb_status status = lb_load_document_text(text, strlen(text), "rig.yaml", LB_FORMAT_AUTO, NULL,
                                             &report, &rig.document);
    if (status == LB_OK && !model) {
        status = lb_load_document_model(rig.document, &report, &rig.model);
    }
    if (status == LB_OK) {
        status = lb_load_forces(rig.document, rig.model, &report, &rig.forces);
    }
    if (status != LB_OK) {
        lb_print_heard(&heard);
        fail_msg("loading gave %d", status);
    }
    lb_set_force_report(rig.forces, NULL); // nobody listens to what is added later
    rig.work = lb_create_work(rig.model);
    assert_non_null(rig.work);
    rig.body_count = lb_get_body_count(rig.model);
    rig.q_count = lb_get_q_count(rig.model);
    rig.v_count = lb_get_v_count(rig.model);
    rig.q = lb_make_numbers((size_t)rig.q_count);
    rig.v = lb_make_numbers((size_t)rig.v_count);
    rig.a = lb_make_numbers((size_t)rig.v_count);
    rig.tau = lb_make_numbers((size_t)rig.v_count);
    rig.driven = calloc((size_t)rig.body_count + 1, 1);
    assert_non_null(rig.driven);
    lb_get_neutral_configuration(rig.model, rig.q);
    return rig;
}

void lb_end_rig(lb_rig *rig)
{
    lb_destroy_forces(rig->forces);
    lb_destroy_work(rig->work);
    lb_destroy_model(rig->model);
    lb_destroy_document(rig->document);
    free(rig->q);
    free(rig->v);
    free(rig->a);
    free(rig->tau);
    free(rig->driven);
}

lb_status lb_evaluate_rig(lb_rig *rig, double t)
{
    memset(rig->tau, 0, (size_t)rig->v_count * sizeof *rig->tau);
    memset(rig->driven, 0, (size_t)rig->body_count);
    const lb_status status = lb_compute_kinematics(rig->model, rig->work, rig->q, rig->v, NULL);
    return status != LB_OK ? status
                           : lb_compute_forces(rig->forces, rig->model, rig->work, t, rig->q,
                                               rig->v, rig->tau, rig->driven, rig->a);
}

double lb_read_rig(const lb_rig *rig, double t, const char *text)
{
    lb_signal *signal = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    const lb_signals *named = lb_get_force_signals(rig->forces);
    if (lb_compile_signal(rig->model, named, text, &report, &signal) != LB_OK) {
        lb_print_heard(&heard);
        fail_msg("%s is no signal", text);
    }
    const lb_instant instant = {.size = sizeof instant,
                                .model = rig->model,
                                .work = rig->work,
                                .t = t,
                                .q = rig->q,
                                .v = rig->v,
                                .a = rig->a,
                                .applied = lb_get_applied_loads(rig->forces)};
    double value = 0.0;
    lb_expect_ok(lb_evaluate_signal(signal, &instant, &value));
    lb_destroy_signal(signal);
    return value;
}
