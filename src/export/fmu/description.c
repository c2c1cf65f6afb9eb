// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "make_fmu.h"

#include <math.h>

#include "model/layout.h"

// ---- XML ---------------------------------------------------------------------------------------

// Text inside an attribute or an element. Control characters, which XML does not have, become '?'.
static void write_text(lb_page *page, const char *text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '&':
            lb_write(page, "&amp;");
            break;
        case '<':
            lb_write(page, "&lt;");
            break;
        case '>':
            lb_write(page, "&gt;");
            break;
        case '"':
            lb_write(page, "&quot;");
            break;
        default:
            lb_write(page, "%c", (unsigned char)*text < 0x20 ? '?' : *text);
        }
    }
}

static void write_attribute(lb_page *page, const char *name, const char *text)
{
    lb_write(page, " %s=\"", name);
    write_text(page, text);
    lb_write(page, "\"");
}

static void write_number(lb_page *page, const char *name, double x)
{
    lb_write(page, " %s=\"", name);
    lb_write_number(page, x, false);
    lb_write(page, "\"");
}

static bool is_three(const lb_fmu_plan *plan)
{
    return plan->options->version == LB_FMI_3;
}

// ---- capabilities and units --------------------------------------------------------------------

static void write_sources(lb_page *page, const lb_fmu_plan *plan)
{
    lb_write(page, ">\n    <SourceFiles>\n");
    for (const char *const *source = plan->sources; *source; ++source) {
        lb_write(page, "      <File name=\"%s\"/>\n", *source);
    }
    lb_write(page, "    </SourceFiles>\n");
}

static void write_capabilities(lb_page *page, const lb_fmu_plan *plan)
{
    const char *name = plan->options->name;
    if (is_three(plan)) {
        lb_write(page,
                 "  <ModelExchange modelIdentifier=\"%s\" canGetAndSetFMUState=\"true\" "
                 "canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\" "
                 "providesAdjointDerivatives=\"true\" needsCompletedIntegratorStep=\"%s\"/>\n",
                 name, plan->drifts ? "true" : "false");
        lb_write(page,
                 "  <CoSimulation modelIdentifier=\"%s\" canGetAndSetFMUState=\"true\" "
                 "canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\" "
                 "providesAdjointDerivatives=\"true\" "
                 "canHandleVariableCommunicationStepSize=\"true\" "
                 "mightReturnEarlyFromDoStep=\"true\" hasEventMode=\"true\"/>\n",
                 name);
        return;
    }
    lb_write(page,
             "  <ModelExchange modelIdentifier=\"%s\" completedIntegratorStepNotNeeded=\"%s\" "
             "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
             "providesDirectionalDerivative=\"true\"",
             name, plan->drifts ? "false" : "true");
    write_sources(page, plan);
    lb_write(page,
             "  </ModelExchange>\n  <CoSimulation modelIdentifier=\"%s\" "
             "canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUstate=\"true\" "
             "canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"",
             name);
    write_sources(page, plan);
    lb_write(page, "  </CoSimulation>\n");
}

static void write_units(lb_page *page)
{
    static const char *const bases[4] = {"kg", "m", "s", "rad"};
    const char *name;
    int exponents[4];
    lb_write(page, "  <UnitDefinitions>\n");
    for (int i = 0; lb_get_unit(i, &name, exponents); ++i) {
        lb_write(page, "    <Unit name=\"%s\"><BaseUnit", name);
        for (int j = 0; j < 4; ++j) {
            if (exponents[j]) {
                lb_write(page, " %s=\"%d\"", bases[j], exponents[j]);
            }
        }
        lb_write(page, "/></Unit>\n");
    }
    lb_write(page, "  </UnitDefinitions>\n");
}

// ---- variables ---------------------------------------------------------------------------------

typedef struct manner {
    const char *causality, *variability, *initial;
    bool has_start;
} manner;

// States are outputs too, so that an importer sees the motion without asking for states.
static manner get_manner(const lb_fmu_variable *variable)
{
    switch (variable->kind) {
    case LB_FMU_STATE:
        return (manner){"output", "continuous", "exact", true};
    case LB_FMU_INPUT:
        return (manner){"input", "continuous", NULL, true};
    case LB_FMU_OUTPUT:
        return (manner){"output", "continuous", "calculated", false};
    case LB_FMU_PARAMETER:
        return (manner){"parameter", variable->is_tunable ? "tunable" : "fixed", "exact", true};
    default:
        return (manner){"local", "continuous", "calculated", false};
    }
}

// What version 3 has in the element itself, and version 2 in an element inside.
static void write_type(lb_page *page, const lb_fmu_plan *plan, const lb_fmu_variable *variable,
                       int reference)
{
    if (get_manner(variable).has_start) {
        write_number(page, "start", variable->start);
    }
    if (variable->unit) {
        write_attribute(page, "unit", variable->unit);
    }
    if (variable->low > -HUGE_VAL) {
        write_number(page, "min", variable->low);
    }
    if (variable->high < HUGE_VAL) {
        write_number(page, "max", variable->high);
    }
    if (variable->kind == LB_FMU_RATE) {
        // version 2 counts variables from 1, version 3 takes the value reference
        const int state = reference - plan->variables->counts[LB_FMU_STATE];
        lb_write(page, " derivative=\"%d\"", is_three(plan) ? state : state + 1);
    }
    if (variable->kind == LB_FMU_STATE && variable->nominal != 1.0) {
        write_number(page, "nominal", variable->nominal);
    }
    if (variable->kind == LB_FMU_STATE && plan->drifts) {
        lb_write(page, " reinit=\"true\"");
    }
}

static void write_variables(lb_page *page, const lb_fmu_plan *plan)
{
    const bool three = is_three(plan);
    lb_write(page, "  <ModelVariables>\n");
    lb_write(page, three ? "    <Float64 name=\"time\" valueReference=\"0\" "
                           "causality=\"independent\" variability=\"continuous\" unit=\"s\"/>\n"
                         : "    <ScalarVariable name=\"time\" valueReference=\"0\" "
                           "causality=\"independent\" variability=\"continuous\"><Real "
                           "unit=\"s\"/></ScalarVariable>\n");
    for (int i = 0; i < plan->variables->count; ++i) {
        const lb_fmu_variable *variable = &plan->variables->items[i];
        const manner m = get_manner(variable);
        if (variable->kind == LB_FMU_INDICATOR && !three) {
            continue;
        }
        lb_write(page, three ? "    <Float64" : "    <ScalarVariable");
        write_attribute(page, "name", variable->name.text);
        lb_write(page, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", i + 1,
                 m.causality, m.variability);
        if (m.initial) {
            lb_write(page, " initial=\"%s\"", m.initial);
        }
        if (variable->description.text) {
            write_attribute(page, "description", variable->description.text);
        }
        if (!three) {
            lb_write(page, "><Real");
        }
        write_type(page, plan, variable, i + 1);
        lb_write(page, three ? "/>\n" : "/></ScalarVariable>\n");
    }
    lb_write(page, "  </ModelVariables>\n");
}

// ---- structure ---------------------------------------------------------------------------------

// Without `dependencies` a variable depends on all that is known.
static void write_unknown(lb_page *page, const lb_fmu_plan *plan, const char *element, int index,
                          bool with_dependencies)
{
    const lb_fmu_variable *variable = &plan->variables->items[index];
    const int first = is_three(plan) ? 1 : 2;
    const int only = variable->kind == LB_FMU_STATE ? index : variable->depends_on;
    lb_write(page, is_three(plan) ? "    <%s valueReference=\"%d\"" : "      <%s index=\"%d\"",
             is_three(plan) ? element : "Unknown", index + first);
    if (with_dependencies && only >= 0) {
        lb_write(page, " dependencies=\"%d\" dependenciesKind=\"constant\"", only + first);
    }
    lb_write(page, "/>\n");
}

// The variables of one or two kinds; in version 2 inside a list, which must not be empty.
static void write_unknowns(lb_page *page, const lb_fmu_plan *plan, const char *list,
                           const char *element, lb_fmu_kind kind, lb_fmu_kind other)
{
    const lb_fmu_variables *variables = plan->variables;
    const bool has_list = !is_three(plan) && variables->counts[kind] + variables->counts[other] > 0;
    if (has_list) {
        lb_write(page, "    <%s>\n", list);
    }
    for (int i = 0; i < variables->count; ++i) {
        const lb_fmu_kind found = variables->items[i].kind;
        if (found == kind || found == other) {
            write_unknown(page, plan, element, i, true);
        }
    }
    if (has_list) {
        lb_write(page, "    </%s>\n", list);
    }
}

static void write_structure(lb_page *page, const lb_fmu_plan *plan)
{
    lb_write(page, "  <ModelStructure>\n");
    write_unknowns(page, plan, "Outputs", "Output", LB_FMU_STATE, LB_FMU_OUTPUT);
    write_unknowns(page, plan, "Derivatives", "ContinuousStateDerivative", LB_FMU_RATE,
                   LB_FMU_RATE);
    write_unknowns(page, plan, "InitialUnknowns", "InitialUnknown", LB_FMU_RATE, LB_FMU_OUTPUT);
    if (is_three(plan)) {
        write_unknowns(page, plan, "", "EventIndicator", LB_FMU_INDICATOR, LB_FMU_INDICATOR);
    }
    lb_write(page, "  </ModelStructure>\n");
}

// ---- files -------------------------------------------------------------------------------------

void lb_write_description(lb_page *page, const lb_fmu_plan *plan)
{
    const lb_fmu_options *options = plan->options;
    lb_write(page,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription "
             "fmiVersion=\"%s\"",
             is_three(plan) ? "3.0" : "2.0");
    write_attribute(page, "modelName", lb_get_model_name(plan->model));
    write_attribute(page, is_three(plan) ? "instantiationToken" : "guid", plan->token);
    lb_write(page,
             " generationTool=\"limber " LB_VERSION "\" variableNamingConvention=\"structured\"");
    if (!is_three(plan)) {
        lb_write(page, " numberOfEventIndicators=\"%d\"",
                 plan->variables->counts[LB_FMU_INDICATOR]);
    }
    lb_write(page, ">\n");
    write_capabilities(page, plan);
    write_units(page);
    lb_write(page, "  <LogCategories>\n    <Category name=\"logEvents\" description=\"events\"/>\n"
                   "    <Category name=\"logStatusWarning\" description=\"warnings\"/>\n"
                   "    <Category name=\"logStatusDiscard\" description=\"values and steps that "
                   "are refused\"/>\n"
                   "    <Category name=\"logStatusError\" description=\"errors\"/>\n"
                   "  </LogCategories>\n");
    lb_write(page, "  <DefaultExperiment");
    write_number(page, "startTime", 0.0);
    write_number(page, "stopTime", options->stop_time);
    write_number(page, "tolerance", 1e-6);
    write_number(page, "stepSize", options->output_step);
    lb_write(page, "/>\n");
    write_variables(page, plan);
    write_structure(page, plan);
    lb_write(page, "</fmiModelDescription>\n");
}

void lb_write_build(lb_page *page, const lb_fmu_plan *plan)
{
    lb_write(
        page,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
        "  <BuildConfiguration modelIdentifier=\"%s\">\n"
        "    <SourceFileSet language=\"C99\">\n",
        plan->options->name);
    for (const char *const *source = plan->sources; *source; ++source) {
        lb_write(page, "      <SourceFile name=\"%s\"/>\n", *source);
    }
    lb_write(page, "    </SourceFileSet>\n    <Library name=\"m\" external=\"true\"/>\n"
                   "  </BuildConfiguration>\n</fmiBuildDescription>\n");
}

void lb_write_documentation(lb_page *page, const lb_fmu_plan *plan)
{
    lb_write(page, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>");
    write_text(page, lb_get_model_name(plan->model));
    lb_write(page, "</title></head>\n<body>\n<h1>");
    write_text(page, lb_get_model_name(plan->model));
    lb_write(page, "</h1>\n<p>Exported by limber " LB_VERSION
                   ". Model exchange and co-simulation. Units are SI; gravity is included.</p>\n"
                   "<table>\n<tr><th>variable</th><th>unit</th><th>start</th><th></th></tr>\n");
    for (int i = 0; i < plan->variables->count; ++i) {
        const lb_fmu_variable *variable = &plan->variables->items[i];
        lb_write(page, "<tr><td>");
        write_text(page, variable->name.text);
        lb_write(page, "</td><td>%s</td><td>", variable->unit ? variable->unit : "");
        if (get_manner(variable).has_start) {
            lb_write_number(page, variable->start, false);
        }
        lb_write(page, "</td><td>");
        write_text(page, variable->description.text ? variable->description.text : "");
        lb_write(page, "</td></tr>\n");
    }
    lb_write(page,
             "</table>\n<p>The sources compile by themselves with any C99 compiler and the headers "
             "of the standard. To link several FMUs into one program, define "
             "FMI%d_FUNCTION_PREFIX=%s_ .</p>\n</body></html>\n",
             is_three(plan) ? 3 : 2, plan->options->name);
}
