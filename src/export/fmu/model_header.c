// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The file between the instance of an FMU and the frozen model: sizes, start values, and how states and inputs become
// the arguments of the frozen functions.
#include <math.h>

#include "export/freeze/freeze_all.h"
#include "export/freeze/loops/frozen_loops.h"
#include "export/freeze/text/write_move.h"
#include "make_fmu.h"
#include "model/layout.h"

// Start values of one kind; one number more, since C has no empty arrays.
static void write_starts(lb_page *page, const lb_fmu_variables *variables, const char *name,
                         lb_fmu_kind kind)
{
    lb_write(page, "static const double fmu_start_%s[] = {", name);
    for (int i = 0; i < variables->count; ++i) {
        if (variables->items[i].kind == kind) {
            lb_write_number(page, variables->items[i].start, false);
            lb_write(page, ", ");
        }
    }
    lb_write(page, "0.0};\n");
}

// Of the states, which come first.
static void write_nominals(lb_page *page, const lb_fmu_variables *variables)
{
    lb_write(page, "// minus: position or velocity of the model as a whole\n"
                   "static const double fmu_nominals[] = {");
    for (int i = 0; i < variables->counts[LB_FMU_STATE]; ++i) {
        lb_write(page, variables->items[i].is_carried ? "-" : "");
        lb_write_number(page, variables->items[i].nominal, false);
        lb_write(page, ", ");
    }
    lb_write(page, "1.0};\n");
}

static void write_limit(lb_page *page, double x)
{
    if (isinf(x)) {
        lb_write(page, x < 0 ? "-HUGE_VAL" : "HUGE_VAL");
    } else {
        lb_write_number(page, x, false);
    }
}

// Between which values parameters can be set.
static void write_ranges(lb_page *page, const lb_fmu_variables *variables)
{
    lb_write(page, "static const double fmu_range_p[][2] = {");
    for (int i = 0; i < variables->count; ++i) {
        if (variables->items[i].kind == LB_FMU_PARAMETER) {
            lb_write(page, "{");
            write_limit(page, variables->items[i].low);
            lb_write(page, ", ");
            write_limit(page, variables->items[i].high);
            lb_write(page, "}, ");
        }
    }
    lb_write(page, "{0.0, 0.0}};\n");
}

static void write_sizes(lb_page *page, const lb_fmu_plan *plan)
{
    const int *counts = plan->variables->counts;
    const lb_frozen *frozen = plan->extras->frozen;
    const struct {
        const char *name;
        int size;
    } sizes[] = {{"STATES", counts[LB_FMU_STATE]},
                 {"COORDINATES", plan->model->q_count},
                 {"SPEEDS", plan->model->v_count},
                 {"INSIDE", frozen ? lb_get_frozen_count(frozen, LB_FROZEN_INPUTS) : 0},
                 {"IS_SAMPLED", plan->extras->controlled},
                 {"INPUTS", counts[LB_FMU_INPUT]},
                 {"OUTPUTS", counts[LB_FMU_OUTPUT]},
                 {"PARAMETERS", counts[LB_FMU_PARAMETER]},
                 {"FIXED_PARAMETERS", LB_FMU_SETTINGS},
                 {"INDICATORS", counts[LB_FMU_INDICATOR]}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        lb_write(page, "#define FMU_%s %d\n", sizes[i].name, sizes[i].size);
    }
    lb_write(page, "#define FMU_TOKEN \"%s\"\n", plan->token);
    lb_write(page, "// how far quaternions may leave unit length, and loops may open, before an "
                   "importer is told\n"
                   "#define FMU_DRIFT 1e-6\n\n");
    write_starts(page, plan->variables, "x", LB_FMU_STATE);
    write_starts(page, plan->variables, "u", LB_FMU_INPUT);
    write_starts(page, plan->variables, "p", LB_FMU_PARAMETER);
    write_nominals(page, plan->variables);
    write_ranges(page, plan->variables);
}

// Arguments that all functions have.
static const char arguments[] = "double t, const double *x, const double *u, const double *p,\n"
                                "    const fmu_memory *memory";

// Parameters that stay open, as the frozen functions take them; they come behind those of the integrator.
static const char *write_open(lb_page *page, const lb_fmu_plan *plan)
{
    const struct lb_freeze_parameters *open = plan->options->parameters;
    if (!open || open->count == 0) {
        return "";
    }
    lb_write(page, "    const %s_parameters open = {", plan->options->name);
    for (int i = 0; i < open->count; ++i) {
        lb_write(page, "%sp[FMU_FIXED_PARAMETERS + %d]", i ? ", " : "", i);
    }
    lb_write(page, "};\n");
    return "&open, ";
}

// Forces at hinges, and what the frozen functions of a simulation read: inputs, and actuators of controllers.
static void write_spread(lb_page *page, const lb_fmu_plan *plan)
{
    const lb_fmu_variables *variables = plan->variables;
    int input = 0;
    lb_write(page,
             "\n// From inputs and memory to the forces at hinges and the inputs of the frozen "
             "functions.\n"
             "static int fmu_spread(%s,\n    double *tau, double *inside)\n{\n",
             arguments);
    const char *passed = plan->extras->controlled ? write_open(page, plan) : "";
    lb_write(page, "    int told = 0, i;\n"
                   "    for (i = 0; i < FMU_SPEEDS; ++i) {\n        tau[i] = 0;\n    }\n"
                   "    for (i = 0; i <= FMU_INSIDE; ++i) {\n        inside[i] = 0;\n    }\n");
    if (plan->extras->controlled) {
        lb_write(page, "    told = %s_actuate(%st, memory->control, inside);\n",
                 plan->options->name, passed);
    }
    for (int i = 0; i < variables->count; ++i) {
        const lb_fmu_variable *variable = &variables->items[i];
        if (variable->kind == LB_FMU_INPUT) {
            lb_write(page, "    %s[%d] = u[%d];\n", variable->is_force ? "tau" : "inside",
                     variable->entry, input++);
        }
    }
    lb_write(page, "    return told;\n}\n");
}

// The first lines of functions that call the frozen ones.
static void write_forces(lb_page *page)
{
    lb_write(page, "    double tau[FMU_SPEEDS + 1], inside[FMU_INSIDE + 1];\n"
                   "    const int told = fmu_spread(t, x, u, p, memory, tau, inside);\n");
}

// A function of the state that the frozen simulation may have.
static void write_function(lb_page *page, const lb_fmu_plan *plan, const char *name,
                           const char *out, lb_fmu_kind kind)
{
    lb_write(page, "\nstatic int fmu_compute_%s(%s, double *%s)\n{\n", name, arguments, out);
    if (plan->extras->frozen && plan->variables->counts[kind] > 0) {
        const char *passed = write_open(page, plan);
        write_forces(page);
        lb_write(page, "    return told < 0 ? told : %s_%s(%st, x, x + %d, tau, inside, %s);\n}\n",
                 plan->options->name, name, passed, plan->model->q_count, out);
        return;
    }
    lb_write(page, "    return 0;\n}\n");
}

static void write_rates(lb_page *page, const lb_fmu_plan *plan)
{
    const int q = plan->model->q_count;
    const bool whole = plan->extras->frozen != NULL;
    lb_write(page,
             "\n// Rates of the states, which are q and v one behind the other.\n"
             "static int fmu_compute_rates(%s,\n    double *x_dot)\n{\n",
             arguments);
    const char *passed = write_open(page, plan);
    write_forces(page);
    lb_write(page,
             "    return told < 0 ? told : %s_rates(%s%sx, x + %d, tau, %sx_dot + %d, x_dot);\n}\n",
             plan->options->name, passed, whole ? "t, " : "", q, whole ? "inside, " : "", q);
    write_function(page, plan, "outputs", "y", LB_FMU_OUTPUT);
    write_function(page, plan, "indicators", "z", LB_FMU_INDICATOR);
}

// Unit length for quaternions: the importer's integrator does not know of it.
static void write_tidy(lb_page *page, const lb_fmu_plan *plan)
{
    lb_write(page, "\n// Puts states right that drift, and says whether one of them was more than "
                   "`limit` off.\n"
                   "static int fmu_tidy(double t, double *x, const double *u, const double *p,\n"
                   "    const fmu_memory *memory, double limit)\n{\n");
    const char *passed = write_open(page, plan);
    lb_write(page, "    int found = 0;\n");
    for (int body = 0; body < plan->model->body_count; ++body) {
        const lb_body *b = lb_get_record(plan->model, body);
        if (b->nq == 4 || b->nq == 7) { // a quaternion comes first
            lb_write(page, "    found |= fmu_make_unit(x + %d, limit);\n", b->hinge_q);
        }
    }
    // hinges that a motion drives are where it puts them
    if (plan->drives && lb_get_frozen_lists(plan->extras->frozen)->moves) {
        lb_write(page,
                 "    {\n        double tau[FMU_SPEEDS + 1], inside[FMU_INSIDE + 1];\n"
                 "        if (fmu_spread(t, x, u, p, memory, tau, inside) >= 0) {\n"
                 "            (void)%s_place(%st, inside, x, x + %d);\n        }\n    }\n",
                 plan->options->name, passed, plan->model->q_count);
    } else if (plan->drives) {
        lb_write(page, "    (void)%s_place(%st, x, x + %d);\n", plan->options->name, passed,
                 plan->model->q_count);
    }
    if (lb_has_closed_loops(plan->model)) {
        // a state that cannot be closed stays as it is
        lb_write(
            page,
            "    {\n        double closed[FMU_STATES + 1];\n        int i;\n"
            "        for (i = 0; i < FMU_STATES; ++i) {\n            closed[i] = x[i];\n        "
            "}\n"
            "        if (%s_close(%s%sclosed, closed + %d) >= 0) {\n"
            "            for (i = 0; i < FMU_STATES; ++i) {\n"
            "                found |= fabs(closed[i] - x[i]) > limit;\n"
            "                x[i] = closed[i];\n            }\n        }\n    }\n",
            plan->options->name, passed, plan->extras->frozen ? "t, " : "", plan->model->q_count);
    }
    lb_write(page, "    return found;\n}\n");
}

// Events: which of the indicators changed their signs since the last one, and which of these end the run.
static void write_events(lb_page *page, const lb_fmu_plan *plan)
{
    const lb_fmu_extras *extras = plan->extras;
    lb_write(page, "\n// Direction, once, ends the run: of each indicator.\n"
                   "static const int fmu_events[][3] = {");
    for (int i = 0; i < extras->event_count; ++i) {
        lb_write(page, "{%d, %d, %d}, ", extras->events[i].direction, extras->events[i].once,
                 extras->events[i].ends);
    }
    // stops end nothing
    for (int i = extras->event_count; i < plan->variables->counts[LB_FMU_INDICATOR]; ++i) {
        lb_write(page, "{0, 0, 0}, ");
    }
    lb_write(page, "{0, 0, 0}};\n");
    lb_write(page,
             "\nstatic int fmu_start(double t, double *x, const double *u, const double *p,\n"
             "    fmu_memory *memory)\n{\n"
             "    double z[FMU_INDICATORS + 1];\n    int i, told;\n"
             "    told = fmu_take_samples(t, x, u, p, memory);\n"
             "    told = told < 0 ? told : fmu_compute_indicators(t, x, u, p, memory, z);\n"
             "    for (i = 0; told >= 0 && i < FMU_INDICATORS; ++i) {\n"
             "        memory->is_positive[i] = z[i] > 0;\n        memory->is_done[i] = 0;\n    }\n"
             "    return told;\n}\n"
             "\nstatic int fmu_act(double t, double *x, const double *u, const double *p,\n"
             "    fmu_memory *memory, int *changed, int *ends)\n{\n"
             "    double z[FMU_INDICATORS + 1];\n    int i, told;\n"
             "    (void)fmu_events;\n"
             "    told = fmu_take_samples(t, x, u, p, memory);\n"
             "    told = told < 0 ? told : fmu_compute_indicators(t, x, u, p, memory, z);\n"
             "    for (i = 0; told >= 0 && i < FMU_INDICATORS; ++i) {\n"
             "        const int now = z[i] > 0, direction = now ? 1 : -1;\n"
             "        if (now != memory->is_positive[i] && fmu_events[i][0] != -direction &&\n"
             "            !(fmu_events[i][1] && memory->is_done[i])) {\n"
             "            memory->is_done[i] = 1;\n"
             "            *ends = *ends || fmu_events[i][2];\n        }\n"
             "        memory->is_positive[i] = now;\n    }\n"
             "    return told;\n}\n");
}

// Samples of sensors and controllers, and when the next are due.
static void write_samples(lb_page *page, const lb_fmu_plan *plan)
{
    const char *name = plan->options->name;
    lb_write(page, "\n// The time of the next event that is known in advance.\n"
                   "static double fmu_get_next_time(double t, const fmu_memory *memory)\n{\n");
    lb_write(page,
             plan->extras->controlled ? "    return %s_next_sample(memory->control);\n}\n"
                                      : "    return HUGE_VAL;\n}\n",
             name);
    lb_write(page, "\n// Takes the samples that are due.\n"
                   "static int fmu_take_samples(double t, const double *x, const double *u, const "
                   "double *p,\n    fmu_memory *memory)\n{\n");
    if (!plan->extras->controlled) {
        lb_write(page, "    return 0;\n}\n");
        return;
    }
    const char *passed = write_open(page, plan);
    lb_write(
        page,
        "    double tau[FMU_SPEEDS + 1], inside[FMU_INSIDE + 1];\n    int told = 0;\n"
        "    while (told >= 0 && %s_next_sample(memory->control) <= t) {\n"
        "        told = fmu_spread(t, x, u, p, memory, tau, inside);\n"
        "        told = told < 0 ? told : %s_control(%st, x, x + FMU_COORDINATES, tau, inside, "
        "memory->control);\n    }\n    return told;\n}\n",
        name, name, passed);
}

void lb_write_model_header(lb_page *page, const lb_fmu_plan *plan)
{
    lb_write(page, "// The model '");
    lb_write_name(page, lb_get_model_name(plan->model));
    lb_write(
        page,
        "' for fmu_core.h; written by limber " LB_VERSION
        ".\n#ifndef FMU_MODEL_H\n#define FMU_MODEL_H\n\n#include <math.h>\n\n#include \"%s.h\"\n\n",
        plan->options->name);
    write_sizes(page, plan);
    lb_write(
        page,
        "\n// Of each event indicator: its sign after the last event, and whether an event that "
        "happens once has been.\n"
        "typedef struct fmu_memory {\n    int is_positive[FMU_INDICATORS + 1], "
        "is_done[FMU_INDICATORS + 1];\n");
    if (plan->extras->controlled) {
        lb_write(page, "    double control[%d]; // of actuators, sensors and controllers\n",
                 lb_get_frozen_count(plan->extras->frozen, LB_FROZEN_MEMORY));
    }
    lb_write(page, "} fmu_memory;\n");
    if (lb_has_quaternions(plan->model)) {
        lb_write(page,
                 "\nstatic int fmu_make_unit(double *q, double limit)\n{\n"
                 "    const double s = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];\n"
                 "    const int found = fabs(s - 1) > limit;\n    int i;\n"
                 "    for (i = 0; s > 0 && i < 4; ++i) {\n        q[i] /= sqrt(s);\n    }\n"
                 "    return found;\n}\n");
    }
    write_spread(page, plan);
    write_rates(page, plan);
    write_tidy(page, plan);
    write_samples(page, plan);
    write_events(page, plan);
    lb_write(page, "\n#endif // FMU_MODEL_H\n");
}
