// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text as a model, both as YAML and as JSON. What loads is evaluated once.
#include "fuzz.h"

#include "limber/io.h"
#include "limber/limber.h"

// Forward and inverse dynamics at the neutral state.
static void evaluate(const lb_model *model)
{
    const size_t nq = (size_t)lb_get_q_count(model), nv = (size_t)lb_get_v_count(model);
    lb_work *work = lb_create_work(model);
    double *q = calloc(nq + 1, sizeof *q), *v = calloc(nv + 1, sizeof *v),
           *a = calloc(nv + 1, sizeof *a), *tau = calloc(nv + 1, sizeof *tau);
    if (work && q && v && a && tau) {
        lb_get_neutral_configuration(model, q);
        lb_compute_inverse_dynamics(model, work, q, v, NULL, tau);
        lb_compute_forward_dynamics(model, work, q, v, NULL, a);
    }
    free(q);
    free(v);
    free(a);
    free(tau);
    lb_destroy_work(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const lb_format formats[] = {LB_FORMAT_YAML, LB_FORMAT_JSON};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        int errors = 0;
        const lb_report report = {lb_fuzz_count_error, &errors};
        lb_model *model = NULL;
        const lb_status status =
            lb_load_model_text((const char *)data, size, "fuzz", formats[i], NULL, &report, &model);
        // a model, or a reason why there is none
        if ((status == LB_OK) != (model != NULL) || (status == LB_OK) != (errors == 0)) {
            abort();
        }
        if (model) {
            evaluate(model);
            lb_destroy_model(model);
        }
    }
    return 0;
}
