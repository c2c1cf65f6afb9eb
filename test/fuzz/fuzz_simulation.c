// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text as the other half of a model file: `run`, `initial`, `events`, `controllers`, `outputs`,
// `signals` and `forces` of a small model. What loads runs for a few steps.
#include "fuzz.h"
#include "limber/simulate.h"

static const char model_text[] =
    "limber: 1\n"
    "ground: {nodes: {mount: {position: [0, 0, 1]}}}\n"
    "bodies:\n"
    "- {name: arm, hinge: {type: revolute, axis: [0, 0, 1]},\n"
    "   flex: {nodes: [{name: root, mass: 1, shape: [[0, 0, 0, 0, 0, 0]]},\n"
    "                  {name: tip, position: [1, 0, 0], mass: 1, shape: [[0, -1, 0, 0, 0, 1]]}],\n"
    "          stiffness: [9], damping: [0.1]}}\n"
    "- {name: cart, parent: arm, at: tip, mass: 1, hinge: {type: prismatic, axis: [0, 1, 0]}}\n"
    "- {name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: free}}\n"
    "loops:\n"
    "- {name: grip, a: {body: arm, node: tip}, b: {body: ball}, type: spherical, active: false}\n";

enum { STEP_MAX = 4 };

static int stop_soon(void *user, double t, double duration)
{
    (void)t, (void)duration;
    return ++*(int *)user >= STEP_MAX;
}

// A few outputs close together, so that the work is bounded; everything else is as the text has it.
static void run(lb_simulation *sim)
{
    lb_run_options options = {.size = sizeof options};
    lb_audit audit = {.size = sizeof audit};
    int outputs = 0;
    lb_run_request request = lb_default_run_request();
    request.progress = stop_soon;
    request.user = &outputs;
    if (lb_get_run_options(sim, &options) != LB_OK) {
        abort();
    }
    // what is named in the text is neither started nor loaded
    if (options.allow_programs || options.allow_plugins) {
        abort();
    }
    if (lb_is_fixed_step(options.integrator)) {
        options.interval = options.step;
    } else {
        options.interval = 1e-3;
    }
    options.duration = STEP_MAX * options.interval;
    if (lb_set_run_options(sim, &options) == LB_OK) {
        const lb_status status = lb_run_simulation(sim, &request, &audit);
        // an end, or a reason why it was not reached
        if (status < 0 && status != LB_E_MEMORY && !*lb_get_simulation_message(sim)) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int errors = 0, again = 0;
    const lb_report report = {lb_fuzz_count_error, &errors}, second = {lb_fuzz_count_error, &again};
    char *text = lb_fuzz_join(model_text, data, size);
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_simulation *sim = NULL;
    lb_status status = lb_load_document_text(text, strlen(model_text) + size, "fuzz",
                                             LB_FORMAT_YAML, NULL, &report, &document);
    status = status < 0 ? status : lb_load_document_model(document, &report, &model);
    status = status < 0 ? status : lb_load_simulation(document, model, &report, &sim);
    if ((status == LB_OK) != (sim != NULL) || (status == LB_OK) != (errors == 0)) {
        abort();
    }
    // what loads has no error that can be seen without the model
    if (document && (lb_check_simulation(document, &second) == LB_OK) != (again == 0)) {
        abort();
    }
    if (sim && again > 0) {
        abort();
    }
    if (sim && lb_get_v_count(model) <= 16) {
        run(sim);
    }
    lb_destroy_simulation(sim);
    lb_destroy_model(model);
    lb_destroy_document(document);
    free(text);
    return 0;
}
