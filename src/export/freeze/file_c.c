// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "freeze_all.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "batch/write_batch.h"
#include "cuda/graph_passes.h"
#include "loops/frozen_loops.h"
#include "model/layout.h"
#include "parameters/tunable.h"
#include "sums.h"
#include "text/write_arguments.h"
#include "text/write_move.h"
#include "write_c.h"
#include "write_control.h"

// What one file needs everywhere.
typedef struct file {
    const lb_model *model;
    const lb_freeze_options *options;
    const lb_sample *sample;
    lb_c_style style;
    char capitals[48]; // the prefix
    const char *real;
    int count;
    const lb_frozen_function *functions;
    lb_c_cost *costs;       // of one state
    lb_c_cost *batch_costs; // by functions for eight
    lb_batch_file batch;
} file;

static bool has_batch(const file *f, int i)
{
    return f->options->batches && lb_has_batch(&f->functions[i]);
}

static void write_type_of(lb_page *page, const file *f, int array)
{
    lb_write_array_type(page, f->model, f->sample, f->capitals, array, "");
}

// @param behind  of the name
static void write_prototype(lb_page *page, const file *f, const lb_frozen_function *function,
                            const char *behind)
{
    lb_write(page, "%sint %s_%s%s(", function->is_private ? "static " : "", f->options->name,
             function->name, behind);
    lb_write_parameter_argument(page, f->options);
    for (int i = 0; i < function->input_count; ++i) {
        if (function->inputs[i] == LB_ARRAY_BEFORE) {
            continue; // the memory that is replaced is among the outputs
        }
        lb_write(page, "%s%s ", function->inputs[i] == LB_ARRAY_TIME ? "" : "const ", f->real);
        write_type_of(page, f, function->inputs[i]);
        lb_write(page, ", ");
    }
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, "%s%s ", i ? ", " : "", f->real);
        write_type_of(page, f, function->outputs[i]);
    }
    lb_write(page, ")");
}

// Whether there are steps of a method.
static bool has_steps(const file *f, int method)
{
    bool found = false;
    for (int i = 0; i < f->count; ++i) {
        found = found || f->functions[i].methods & method;
    }
    return found;
}

// NULL if there is none.
static const lb_frozen_function *find_function(const file *f, const char *name)
{
    const lb_frozen_function *found = NULL;
    for (int i = 0; i < f->count; ++i) {
        found = strcmp(f->functions[i].name, name) == 0 ? &f->functions[i] : found;
    }
    return found;
}

// NAME_close comes with functions that it calls.
static bool has_close(const file *f)
{
    return find_function(f, "close_positions") != NULL;
}

// A step of NAME_run, in which actuators follow their commands.
static void write_advance_prototype(lb_page *page, const file *f)
{
    lb_write(page,
             "// One step of the method of %s_step, with actuators as they are at each stage.\n"
             "static int %s_advance(",
             f->options->name, f->options->name);
    lb_write_parameter_argument(page, f->options);
    lb_write(page,
             "%s t, %s h, const %s tau[%s_V], %s u[%s_U], %s q[%s_Q], %s v[%s_V], const %s "
             "memory[%s_MEMORY])",
             f->real, f->real, f->real, f->capitals, f->real, f->capitals, f->real, f->capitals,
             f->real, f->capitals, f->real, f->capitals);
}

// A step of a model with loops is a step apart from them, which closing follows.
static void write_step_prototype(lb_page *page, const file *f, bool euler, bool apart)
{
    const bool timed = f->sample->lists != NULL;
    lb_write(
        page,
        "// One step of length h by the %s, with constant tau%s.\n"
        "// q and v are replaced unless the status is negative; quaternions keep unit length.%s\n"
        "%sint %s_step%s%s(",
        euler ? "semi-implicit method of Euler, first order"
              : "classical method of Runge and Kutta, fourth order",
        timed ? " and u" : "",
        !has_close(f) ? ""
        : apart       ? " Loops drift."
                      : " Loops stay closed.",
        apart ? "static " : "", f->options->name, euler ? "_euler" : "", apart ? "_apart" : "");
    lb_write_parameter_argument(page, f->options);
    if (timed) {
        lb_write(page, "%s t, ", f->real);
    }
    lb_write(page, "%s h, const %s tau[%s_V], ", f->real, f->real, f->capitals);
    if (timed) {
        lb_write(page, "const %s ", f->real);
        write_type_of(page, f, LB_ARRAY_U);
        lb_write(page, ", ");
    }
    lb_write(page, "%s q[%s_Q], %s v[%s_V])", f->real, f->capitals, f->real, f->capitals);
}

// ---- header ------------------------------------------------------------------------------------

static void write_entries(lb_page *page, const file *f)
{
    const lb_model *model = f->model;
    lb_write(page, "// Entries of q and v, body by body: modal coordinates first, then those of "
                   "the hinge.\n//\n");
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body *b = lb_get_record(model, body);
        const int q = b->mode_count ? b->q : b->hinge_q, v = b->mode_count ? b->v : b->hinge_v;
        lb_write(page, "//     ");
        lb_write_name(page, lb_get_body_name(model, body));
        lb_write(page, ": %s", lb_get_hinge_type_name(lb_get_hinge(model, body).type));
        if (b->mode_count) {
            lb_write(page, ", %d modes", b->mode_count);
        }
        if (b->mode_count + b->nq > 0) {
            lb_write(page, ", q[%d] to q[%d], v[%d] to v[%d]", q, q + b->mode_count + b->nq - 1, v,
                     v + b->mode_count + b->nv - 1);
        }
        lb_write(page, "\n");
    }
}

// What is in u and the others, entry by entry.
static void write_lists(lb_page *page, const file *f)
{
    const lb_frozen_lists *lists = f->sample->lists;
    for (int array = LB_ARRAY_U; lists && array < LB_ARRAY_BEFORE; ++array) {
        const int list = LB_FROZEN_INPUTS + array - LB_ARRAY_U;
        for (int i = 0; i < lists->counts[list]; ++i) {
            lb_write(page,
                     i == 0 ? "//\n//     %s[%d]: " : "//     %s[%d]: ", lb_array_names[array], i);
            lb_write_name(page, lists->names[list][i]);
            lb_write(page, "\n");
        }
    }
}

static void write_list_sizes(lb_page *page, const file *f)
{
    const lb_frozen_lists *lists = f->sample->lists;
    for (int array = LB_ARRAY_U; lists && array < LB_ARRAY_BEFORE; ++array) {
        lb_write(page, "#define %s_%s %d // entries of %s\n", f->capitals, lb_get_size_name(array),
                 lists->counts[LB_FROZEN_INPUTS + array - LB_ARRAY_U], lb_array_names[array]);
    }
    if (f->sample->control && f->sample->control->noise_count > 0) {
        lb_write(page, "#define %s_NOISE %d // sensors with noise\n", f->capitals,
                 f->sample->control->noise_count);
    }
}

static const char *get_purpose(const lb_frozen_function *f)
{
    static const char *const parts[] = {
        "Accelerations a of all forces and tau, and the rates of q: what an integrator needs.",
        "Outputs y of the simulation.",
        "Levels of events, then the room below and above at each stop: negative in contact.",
        "Puts coordinates and speeds of driven hinges where they are at t.",
        "What the actuators deliver at t.",
        "New commands to all actuators at t: memory is replaced.",
        "One sample of sensors at t: memory is replaced.",
        "One sample of a controller at t, which commands its actuators: memory is replaced.",
        "Accelerations of the model that a controller has, in its memory.",
        "A step of Newton's method towards the loops, and how far q is off them.",
        "Speeds that agree with the loops."};
    if (f->part) {
        return parts[f->part - 1];
    }
    if (f->with_rates) {
        return "Accelerations a of forces tau, and the rates of q: with v, what an integrator "
               "needs.";
    }
    switch (f->kind) {
    case LB_TRACE_FORWARD:
    case LB_TRACE_FORWARD_BIASED:
        return "Accelerations a of forces tau, by articulated bodies.";
    case LB_TRACE_FORWARD_COMPOSITE:
        return "Accelerations a of forces tau, through the mass matrix.";
    case LB_TRACE_INVERSE:
        return "Forces tau that accelerations a need.";
    case LB_TRACE_MASS:
        return "The mass matrix M, row by row.";
    case LB_TRACE_CLOSED:
        return "Accelerations a of forces tau, loops closed: articulated bodies, then the "
               "multipliers of the loops.";
    case LB_TRACE_CLOSE_POSITIONS:
        return "A step of Newton's method towards the loops, and how far q is off them.";
    case LB_TRACE_CLOSE_SPEEDS:
        return "Speeds that agree with the loops.";
    case LB_TRACE_MOTION:
        return "Motion of a node in world axes: position, quaternion w x y z, angular and linear "
               "velocity.";
    case LB_TRACE_DERIVATIVES:
        return "Accelerations a of forces tau, and their derivatives, row by row; by quaternions: "
               "by a small turn and shift.";
    default:
        return "The Jacobian J of a node, six rows: angular, then linear velocity in world axes.";
    }
}

static void write_header(lb_page *page, const file *f)
{
    lb_write(page, "// The model '");
    lb_write_name(page, lb_get_model_name(f->model));
    lb_write(page, "', frozen by limber " LB_VERSION
                   ". Units are SI. Gravity is included; force elements and\n");
    lb_write(page, f->sample->lists
                       ? "// functions of time are in rates, step, outputs and indicators; tau is "
                         "added to them.\n"
                         "// The other functions are of the bodies alone.\n//\n"
                       : "// controllers are not: their generalized forces belong into tau.\n//\n");
    write_entries(page, f);
    write_lists(page, f);
    lb_write(page,
             "#ifndef %s_H\n#define %s_H\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
             "#define %s_Q %d // entries of q\n#define %s_V %d // entries of v, tau and a\n",
             f->capitals, f->capitals, f->capitals, f->model->q_count, f->capitals,
             f->model->v_count);
    write_list_sizes(page, f);
    lb_write(page,
             "\n// What functions return. The arrays that they are given do not overlap.\n"
             "#define %s_OK 0\n"
             "#define %s_INDEFINITE 1   // an inertia is indefinite: the state is outside the "
             "model's range\n"
             "#define %s_SINGULAR (-4)  // an inertia is singular: results are of no use\n"
             "#define %s_NUMBER (-10)   // an input is not finite: results are not written\n",
             f->capitals, f->capitals, f->capitals, f->capitals);
    if (has_close(f)) {
        lb_write(
            page,
            "#define %s_OPEN (-13)     // the loops cannot be closed from here: q and v stay\n\n"
            "#define %s_CLOSE_STEPS 6  // most steps of Newton's method\n"
            "#define %s_GAPS %d // errors of loops, six for each\n",
            f->capitals, f->capitals, f->capitals,
            lb_count_array(f->model, f->sample, LB_ARRAY_GAP));
    }
    lb_write_parameters(page, f->options, f->capitals);
    for (int i = 0; i < f->count; ++i) {
        if (!f->functions[i].is_private) {
            lb_write(page, "\n// %s\n", get_purpose(&f->functions[i]));
            write_prototype(page, f, &f->functions[i], "");
            lb_write(page, ";\n");
        }
        if (has_batch(f, i)) {
            lb_write(page,
                     "\n// The same of eight states: entry i of state k is at [8 * i + k]. "
                     "status[k] becomes what %s_%s\n// returns for state k. Returns the "
                     "first failure; otherwise 1 if one of them is 1, or 0.\n",
                     f->options->name, f->functions[i].name);
            lb_write_batch_prototype(page, &f->batch, &f->functions[i]);
            lb_write(page, ";\n");
        }
    }
    if (has_close(f)) {
        lb_write(page, "\n");
        lb_write_close_prototype(page, f->options, f->capitals, f->sample->lists != NULL);
        lb_write(page, ";\n");
    }
    for (int euler = 0; euler < 2; ++euler) {
        if (has_steps(f, euler ? LB_STEP_EULER : LB_STEP_RK4)) {
            lb_write(page, "\n");
            write_step_prototype(page, f, euler, false);
            lb_write(page, ";\n");
        }
    }
    if (f->sample->control) {
        lb_write_control_prototypes(page, f->sample->control, f->options, f->capitals);
    }
    lb_write(page, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif // %s_H\n", f->capitals);
}

// ---- functions ---------------------------------------------------------------------------------

// Checks that numbers are finite: `count` arrays, with && between.
static void write_check(lb_page *page, const file *f, int count, const int *arrays)
{
    bool any = false;
    for (int i = 0; i < count; ++i) {
        const int array = arrays[i], size = lb_count_array(f->model, f->sample, array);
        if (size > 0 && array == LB_ARRAY_TIME) {
            lb_write(page, "%s%s_are_finite(1, time)", any ? " && " : "", f->options->name);
        } else if (size > 0) {
            lb_write(page, "%s%s_are_finite(%s_%s, %s)", any ? " && " : "", f->options->name,
                     f->capitals, lb_get_size_name(array), lb_array_names[array]);
        }
        any = any || size > 0;
    }
}

// Arrays in place of a number, and of what is replaced.
static void write_prologue(lb_page *page, const file *f, const lb_frozen_function *function)
{
    for (int i = 0; i < function->input_count; ++i) {
        const int array = function->inputs[i];
        const int size = lb_count_array(f->model, f->sample, array);
        if (array == LB_ARRAY_TIME) {
            lb_write(page, "    const %s time[1] = {t};\n", f->real);
        } else if (array == LB_ARRAY_BEFORE) {
            lb_write(page,
                     "    %s before[%s_MEMORY];\n    int entry;\n"
                     "    for (entry = 0; entry < %s_MEMORY; ++entry) {\n"
                     "        before[entry] = memory[entry];\n    }\n",
                     f->real, f->capitals, f->capitals);
        } else if (size == 0) {
            lb_write(page, "    (void)%s;\n", lb_array_names[array]);
        }
    }
}

// The function of the header, around one that does not look at its results. Of a simulation they may be infinite
// where its inputs are not.
static void write_around(lb_page *page, const file *f, const lb_frozen_function *function)
{
    write_prototype(page, f, function, "");
    lb_write(page, "\n{\n    const int status = %s_%s_of(%s", f->options->name, function->name,
             lb_get_passed(f->options));
    const char *between = "";
    for (int i = 0; i < function->input_count; ++i) {
        const int array = function->inputs[i];
        if (array != LB_ARRAY_BEFORE) {
            lb_write(page, "%s%s", between, array == LB_ARRAY_TIME ? "t" : lb_array_names[array]);
            between = ", ";
        }
    }
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, "%s%s", between, lb_array_names[function->outputs[i]]);
    }
    lb_write(page, ");\n    return status >= 0 && !(");
    write_check(page, f, function->output_count, function->outputs);
    lb_write(page, ") ? %s_NUMBER : status;\n}\n\n", f->capitals);
}

// Inputs are finite, or the function ends.
static void write_checks(lb_page *page, const file *f, const lb_frozen_function *function)
{
    lb_write(page, "    if (!(");
    if (*lb_get_passed(f->options)) {
        lb_write(page, "%s_are_finite(%d, p) && ", f->options->name, f->options->parameters->count);
    }
    write_check(page, f, function->input_count, function->inputs);
    lb_write(page, ")) {\n        return %s_NUMBER;\n    }\n", f->capitals);
}

// Operations of one function of C, unless options say more.
enum { OPERATIONS_MOST = 4000 };

static int get_most(const file *f)
{
    return f->options->operation_count > 0 ? f->options->operation_count : OPERATIONS_MOST;
}

// Compilers take much longer than twice the time for twice the statements: long functions are several, one behind the
// other, with an array for what one of them computes for later ones.
static int count_parts(const file *f, const lb_frozen_function *function, const lb_graph *graph)
{
    // parts with loops have more to hand on: they may be longer, but none is twice as long
    const bool loops = function->rolled.node_count > 0;
    const int most = get_most(f) * (loops ? 3 : 1);
    const int count = function->part ? 0 : lb_count_arithmetic(graph);
    return count > (loops ? 1 : 2) * most ? 1 + (count - 1) / most : 1;
}

static bool write_parts(lb_page *page, file *f, int i, const lb_graph *graph, int count)
{
    const lb_frozen_function *function = &f->functions[i];
    const char *name = f->options->name;
    lb_graph *parts = calloc((size_t)count, sizeof *parts);
    int slots = 0;
    bool good =
        parts && lb_split_graph(graph, LB_ARRAY_BETWEEN, LB_ARRAY_HANDED, count, parts, &slots);
    f->costs[i] = (lb_c_cost){0};
    for (int k = 0; good && k < count; ++k) {
        lb_c_cost cost;
        lb_write(page, "static int %s_%s_%d(", name, function->name, k + 1);
        lb_write_part_arguments(page, f->options, function, false);
        lb_write(page, ")\n{\n");
        lb_write_unused(page, f->options, function);
        good = lb_write_body(page, &parts[k], &f->style, &cost);
        lb_write(page, "}\n\n");
        lb_add_part_cost(&f->costs[i], &cost);
    }
    f->costs[i].live += slots;
    lb_write(page, "// %s\n", get_purpose(function));
    write_prototype(page, f, function, "");
    lb_write(page, "\n{\n    %s between[%d];\n    int part, status = 0;\n", f->real,
             slots > 0 ? slots : 1);
    lb_write_parameter_array(page, f->options);
    write_checks(page, f, function);
    for (int k = 0; k < count; ++k) {
        lb_write(page, "    part = %s_%s_%d(", name, function->name, k + 1);
        lb_write_part_arguments(page, f->options, function, true);
        // a failure stays; otherwise what is new
        lb_write(page, ");\n    status = status < 0 || part == 0 ? status : part;\n");
    }
    lb_write(page, "    return status;\n}\n\n");
    for (int k = 0; parts && k < count; ++k) {
        lb_clear_graph(&parts[k]);
    }
    free(parts);
    return good;
}

static bool write_whole(lb_page *page, file *f, int i, const lb_graph *graph)
{
    const lb_frozen_function *function = &f->functions[i];
    lb_write(page, "// %s\n%s", get_purpose(function),
             function->part && !function->is_private ? "static " : "");
    write_prototype(page, f, function, function->part ? "_of" : "");
    lb_write(page, "\n{\n");
    lb_write_parameter_array(page, f->options);
    write_prologue(page, f, function);
    write_checks(page, f, function);
    const bool good = lb_write_body(page, graph, &f->style, &f->costs[i]);
    lb_write(page, "}\n\n");
    if (function->part) {
        write_around(page, f, function);
    }
    return good;
}

static bool write_function(lb_page *page, file *f, int i)
{
    const lb_frozen_function *function = &f->functions[i];
    const lb_graph *graph = function->rolled.node_count ? &function->rolled : &function->graph;
    lb_graph used, sorted;
    lb_init_graph(&sorted);
    f->style.limbs = &function->limbs;
    bool good = lb_copy_used(graph, &used);
    const int parts = good ? count_parts(f, function, &used) : 1;
    if (good && parts > 1) {
        good = write_parts(page, f, i, &used, parts);
    } else if (good && lb_count_arithmetic(&used) > OPERATIONS_MOST) {
        // long functions wait for instructions and for what registers do not hold, not for their sums
        good = write_whole(page, f, i, &used);
    } else {
        good = good && lb_sort_sums(&used, &sorted) && write_whole(page, f, i, &sorted);
    }
    lb_clear_graph(&used);
    lb_clear_graph(&sorted);
    if (good && has_batch(f, i)) {
        good = lb_write_batch(page, &f->batch, function, &f->batch_costs[i]);
    }
    return good;
}

// The end of a step: unit quaternions, driven hinges, loops.
//
// @param advances  it is NAME_advance
static void write_step_end(lb_page *page, const file *f, bool euler, bool advances)
{
    const char *name = f->options->name;
    lb_write_unit_quaternions(page, f->model, f->real,
                              f->options->number == LB_FROZEN_FLOAT ? "sqrtf" : "sqrt");
    const lb_frozen_function *place = find_function(f, "place");
    if (place) {
        lb_write(page, "    %s_place(%st + h, %sq, v);\n", name, lb_get_passed(f->options),
                 place->input_count > 1 ? "u, " : "");
    }
    lb_write(page, "    return status;\n}\n\n");
    if (has_close(f) && !advances) {
        write_step_prototype(page, f, euler, false);
        lb_write_closed_step(page, f->options, f->capitals, euler ? "_euler" : "",
                             f->sample->lists != NULL);
    }
}

// v + h a, then q moved by h v. Bodies that turn freely take a at the speeds of half a step, as the engine does.
static void write_euler(lb_page *page, const file *f)
{
    const char *name = f->options->name, *real = f->real, *capitals = f->capitals;
    const bool timed = f->sample->lists != NULL;
    const int passes = lb_has_quaternions(f->model) && !has_close(f) ? 2 : 1;
    lb_write_move(page, f->model, name, "static", real);
    write_step_prototype(page, f, true, has_close(f));
    lb_write(page,
             "\n{\n    %s v_now[%s_V], q_dot[%s_Q], a[%s_V];\n"
             "    int i, pass, status = 0;\n"
             "    for (i = 0; i < %s_V; ++i) {\n        v_now[i] = v[i];\n    }\n"
             "    for (pass = 0; pass < %d; ++pass) {\n"
             "        const %s reach = pass < %d ? h / 2 : h;\n"
             "        const int told = %s_rates(%s%sq, v_now, tau, %sa, q_dot);\n"
             "        if (told < 0) {\n            return told;\n        }\n"
             "        status = told ? told : status;\n"
             "        for (i = 0; i < %s_V; ++i) {\n"
             "            v_now[i] = v[i] + reach * a[i];\n        }\n    }\n"
             "    for (i = 0; i < %s_V; ++i) {\n        v[i] = v_now[i];\n"
             "        v_now[i] = h * v[i];\n    }\n"
             "    %s_move(v_now, q);\n",
             real, capitals, capitals, capitals, capitals, passes, real, passes - 1, name,
             lb_get_passed(f->options), timed ? "t, " : "", timed ? "u, " : "", capitals, capitals,
             name);
    write_step_end(page, f, true, false);
}

// Stages at 0, 1/2, 1/2 and 1 of the step, with weights 1/6, 1/3, 1/3, 1/6. Functions of time are read a little inside the
// step at its ends. So one that jumps where a step ends, but for rounding, is seen from the side of the step. The shifts of
// both ends cancel to first order.
//
// @param advances  it is NAME_advance
static void write_step(lb_page *page, const file *f, bool advances)
{
    const char *name = f->options->name, *real = f->real, *capitals = f->capitals;
    const bool timed = f->sample->lists != NULL;
    if (advances) {
        write_advance_prototype(page, f);
    } else {
        write_step_prototype(page, f, false, has_close(f));
    }
    const char *inside = "";
    if (timed) {
        inside = f->options->number == LB_FROZEN_FLOAT ? "    const float inside = h * 1e-3f;\n"
                                                       : "    const double inside = h * 1e-6;\n";
    }
    lb_page actuate = {.text = NULL};
    if (advances) {
        lb_write(
            &actuate,
            "        told = %s_actuate(%st + (stage == 0 ? 0 : stage == 3 ? h : h / 2), memory, "
            "u);\n        if (told < 0) {\n            return told;\n        }\n",
            name, lb_get_passed(f->options));
    }
    lb_write(
        page,
        "\n{\n    %s q_now[%s_Q], v_now[%s_V], q_sum[%s_Q], v_sum[%s_V], q_dot[%s_Q], a[%s_V];\n"
        "%s    int i, stage, status = 0;\n"
        "    for (i = 0; i < %s_Q; ++i) {\n        q_now[i] = q[i];\n        q_sum[i] = 0;\n    }\n"
        "    for (i = 0; i < %s_V; ++i) {\n        v_now[i] = v[i];\n        v_sum[i] = 0;\n    }\n"
        "    for (stage = 0; stage < 4; ++stage) {\n"
        "        const %s weight = h * (stage == 0 || stage == 3 ? 1 : 2) / 6;\n"
        "        const %s reach = stage == 2 ? h : h / 2;\n"
        "        int told;\n"
        "%s"
        "        told = %s_rates(%s%sq_now, v_now, tau, %sa, q_dot);\n"
        "        if (told < 0) {\n            return told;\n        }\n"
        "        status = told ? told : status;\n"
        "        // the rates of q have the speeds of this stage in them\n"
        "        for (i = 0; i < %s_Q; ++i) {\n"
        "            q_sum[i] += weight * q_dot[i];\n"
        "            q_now[i] = q[i] + reach * q_dot[i];\n        }\n"
        "        for (i = 0; i < %s_V; ++i) {\n"
        "            v_sum[i] += weight * a[i];\n"
        "            v_now[i] = v[i] + reach * a[i];\n        }\n    }\n"
        "    for (i = 0; i < %s_Q; ++i) {\n        q[i] += q_sum[i];\n    }\n"
        "    for (i = 0; i < %s_V; ++i) {\n        v[i] += v_sum[i];\n    }\n",
        real, capitals, capitals, capitals, capitals, capitals, capitals, inside, capitals,
        capitals, real, real, actuate.text ? actuate.text : "", name, lb_get_passed(f->options),
        timed ? "t + (stage == 0 ? inside : stage == 3 ? h - inside : h / 2), " : "",
        timed ? "u, " : "", capitals, capitals, capitals, capitals);
    page->out_of_memory = page->out_of_memory || actuate.out_of_memory;
    free(actuate.text);
    write_step_end(page, f, false, advances);
}

// ---- self-test ---------------------------------------------------------------------------------

static void write_array(lb_page *page, const file *f, const char *name, int count, const double *x)
{
    lb_write(page, "    static const %s %s[%d] = {", f->real, name, count);
    for (int i = 0; i < count; ++i) {
        lb_write(page, i % 4 == 0 ? "\n        " : " ");
        if (x[i] < 0) {
            lb_write(page, "-");
        }
        lb_write_number(page, x[i] < 0 ? -x[i] : x[i] + 0.0, f->options->number == LB_FROZEN_FLOAT);
        lb_write(page, i + 1 < count ? "," : "");
    }
    lb_write(page, "};\n");
}

// An output of a function against the engine; of a matrix its product with v.
static bool write_output_test(lb_page *page, const file *f, int array, const double *result)
{
    const int n = f->model->v_count, count = lb_count_array(f->model, f->sample, array);
    const int rows = lb_is_matrix(array) ? count / n : count;
    double *product = calloc((size_t)rows, sizeof *product);
    if (!product) {
        return false;
    }
    for (int i = 0; i < rows; ++i) {
        product[i] = lb_is_matrix(array) ? 0.0 : result[i];
        for (int j = 0; lb_is_matrix(array) && j < n; ++j) {
            product[i] += result[i * n + j] * f->sample->values[LB_ARRAY_V][j];
        }
    }
    lb_write(page, "    {\n");
    write_array(page, f, "expected", rows, product);
    free(product);
    lb_write(page, "    %s gap = 0, size = 0;\n    int i%s;\n    for (i = 0; i < %d; ++i) {\n",
             f->real, lb_is_matrix(array) ? ", j" : "", rows);
    if (lb_is_matrix(array)) {
        lb_write(page,
                 "        %s found = 0, d;\n        for (j = 0; j < %d; ++j) {\n"
                 "            found += %s[i * %d + j] * x[j];\n        }\n",
                 f->real, n, lb_array_names[array], n);
    } else {
        lb_write(page, "        const %s found = %s[i];\n        %s d;\n", f->real,
                 lb_array_names[array], f->real);
    }
    lb_write(page, "        d = found < expected[i] ? expected[i] - found : found - expected[i];\n"
                   "        gap = d > gap || !(d == d) ? d : gap;\n"
                   "        d = expected[i] < 0 ? -expected[i] : expected[i];\n"
                   "        size = d > size ? d : size;\n    }\n"
                   "    gap = size > 0 ? gap / size : gap;\n"
                   "    worst = gap > worst || !(gap == gap) ? gap : worst;\n    }\n");
    return true;
}

// One function against the engine.
static bool write_comparison(lb_page *page, const file *f, const lb_frozen_function *function)
{
    const double *result = function->result;
    bool good = true, matrix = false;
    lb_write(page, "\nstatic %s %s_test_%s(void)\n{\n", f->real, f->options->name, function->name);
    for (int i = 0; i < function->input_count; ++i) {
        const int array = function->inputs[i];
        if (lb_count_array(f->model, f->sample, array) == 0) {
            continue;
        }
        write_array(page, f, lb_array_names[array], lb_count_array(f->model, f->sample, array),
                    f->sample->values[array]);
    }
    for (int i = 0; i < function->output_count; ++i) {
        matrix = matrix || lb_is_matrix(function->outputs[i]);
        lb_write(page, "    %s %s[%d] = {0};\n", f->real, lb_array_names[function->outputs[i]],
                 lb_count_array(f->model, f->sample, function->outputs[i]));
    }
    if (matrix) {
        write_array(page, f, "x", f->model->v_count, f->sample->values[LB_ARRAY_V]);
    }
    if (*lb_get_passed(f->options)) {
        lb_write(page, "    static const %s_parameters parameters = %s_DEFAULTS;\n",
                 f->options->name, f->capitals);
    }
    lb_write(page, "    %s worst = 0;\n", f->real);
    if (function->outputs[0] == LB_ARRAY_MEMORY) {
        lb_write(page,
                 "    int entry;\n    for (entry = 0; entry < %s_MEMORY; ++entry) {\n"
                 "        memory[entry] = before[entry];\n    }\n",
                 f->capitals);
    }
    lb_write(page, "    if (%s_%s(%s%s", f->options->name, function->name,
             *lb_get_passed(f->options) ? "&" : "", lb_get_passed(f->options));
    for (int i = 0; i < function->input_count; ++i) {
        const int array = function->inputs[i];
        if (array != LB_ARRAY_BEFORE) {
            const bool any = lb_count_array(f->model, f->sample, array) > 0;
            lb_write(page, "%s%s, ", any ? lb_array_names[array] : "0",
                     array == LB_ARRAY_TIME ? "[0]" : "");
        }
    }
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, "%s%s", i ? ", " : "", lb_array_names[function->outputs[i]]);
    }
    lb_write(page, ") != 0) {\n        return 1;\n    }\n");
    for (int i = 0; good && i < function->output_count; ++i) {
        good = write_output_test(page, f, function->outputs[i], result);
        result += lb_count_array(f->model, f->sample, function->outputs[i]);
    }
    if (f->options->batches && lb_has_batch(function)) {
        lb_write_batch_test(page, &f->batch, function);
    }
    lb_write(page, "    return worst;\n}\n");
    return good;
}

static bool write_self_test(lb_page *page, const file *f)
{
    const char *name = f->options->name;
    bool good = true;
    lb_write(
        page,
        "#ifdef %s_SELF_TEST\n"
        "// Numbers of the engine at one state: the program ends with 0 if the functions above "
        "agree with\n"
        "// them to %s, relative to the largest entry, and with 1 plus the place of the first\n"
        "// that does not.\n",
        f->capitals, f->options->number == LB_FROZEN_FLOAT ? "1e-4" : "1e-12");
    for (int i = 0; good && i < f->count; ++i) {
        const lb_frozen_function *tested = &f->functions[i];
        good = tested->is_private || tested->replaces || write_comparison(page, f, tested);
    }
    lb_write(page, "\nint main(void)\n{\n");
    for (int i = 0; i < f->count; ++i) {
        if (f->functions[i].is_private || f->functions[i].replaces) {
            continue;
        }
        lb_write(page, "    if (!(%s_test_%s() <= %s)) {\n        return %d;\n    }\n", name,
                 f->functions[i].name, f->options->number == LB_FROZEN_FLOAT ? "1e-4f" : "1e-12",
                 i + 1);
    }
    lb_write(page, "    return 0;\n}\n#endif\n");
    return good;
}

// ---- source ------------------------------------------------------------------------------------

static void write_head(lb_page *page, const file *f)
{
    const char *name = f->options->name;
    lb_write(page, "// The model '");
    lb_write_name(page, lb_get_model_name(f->model));
    lb_write(page,
             "', frozen by limber " LB_VERSION
             ": %s, libm only, no heap, no recursion, no variables outside\n"
             "// functions. Tags such as (ABA-2) are equations of the theory of limber.\n//\n"
             "// Compile with optimisation, such as -O3 -march=native, and with -ffp-contract=fast "
             "for speed, or\n"
             "// -ffp-contract=off for the same bits on every machine; not with -ffast-math. With "
             "%s_SELF_TEST\n"
             "// defined, the file is a program that compares itself with the engine.\n//\n",
             f->style.is_vector ? "GNU C" : "C99", f->capitals);
    lb_write(page, "//     function: multiplications, additions, divisions, sines with cosines, "
                   "rotations; bytes of\n"
                   "//     values that are kept for later at one time: the stack takes at most a "
                   "quarter more, and\n//     500 bytes\n//\n");
    const int size = f->options->number == LB_FROZEN_FLOAT ? 4 : 8;
    for (int i = 0; i < f->count; ++i) {
        const lb_c_cost *c = &f->costs[i];
        lb_write(page, "//     %s_%s: %d, %d, %d, %d, %d; %d bytes\n", name, f->functions[i].name,
                 c->multiplications, c->additions, c->divisions, c->angles, c->turns,
                 size * (c->live + 3 * c->angles + 5 * c->turns));
    }
    for (int i = 0; i < f->count; ++i) {
        const lb_c_cost *c = &f->batch_costs[i];
        if (has_batch(f, i)) {
            lb_write(page, "//     %s_%s_batch: the same for each of eight states; %d bytes\n",
                     name, f->functions[i].name,
                     LB_BATCH_STATES * size * (c->live + 3 * c->angles + 5 * c->turns));
        }
    }
}

static bool write_source(lb_page *page, file *f)
{
    lb_page text = {.text = NULL};
    bool good = true, angles = false, turns = false;
    for (int i = 0; good && i < f->count; ++i) {
        good = write_function(&text, f, i);
        angles = angles || f->costs[i].angles > 0;
        turns = turns || f->costs[i].turns > 0;
    }
    good = good && !text.out_of_memory;
    if (good) {
        write_head(page, f);
        lb_write(page, "#include \"%s%s\"\n\n",
                 f->options->header ? f->options->header : f->options->name,
                 f->options->header ? "" : ".h");
        lb_write(page, "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n");
        turns =
            turns || (has_steps(f, LB_STEP_EULER) && lb_has_quaternions(f->model)); // of NAME_move
        if (f->style.is_vector) {
            lb_write_vector_types(page, &f->style);
        }
        lb_write_helpers(page, &f->style, angles, turns);
        if (f->options->batches) {
            lb_write_batch_helpers(page, &f->style, text.text ? text.text : "");
        }
        lb_write(page, "%s", text.text);
        if (has_close(f)) {
            lb_write_close(page, f->options, f->capitals, f->sample->lists != NULL);
        }
        if (has_steps(f, LB_STEP_RK4)) {
            write_step(page, f, false);
        }
        if (f->sample->control) {
            lb_write_noise(page, f->sample->control, f->options);
            lb_write_plans(page, f->sample->control, f->options, f->capitals);
            lb_write_control(page, f->sample->control, f->options, f->capitals);
        }
        if (f->sample->control && f->sample->control->runs) {
            write_step(page, f, true);
            lb_write_run(page, f->sample->control, f->options, f->capitals, has_close(f));
        }
        if (has_steps(f, LB_STEP_EULER)) {
            write_euler(page, f);
        }
        good = write_self_test(page, f);
    }
    free(text.text);
    return good && !page->out_of_memory;
}

bool lb_write_files(const lb_model *model, const lb_freeze_options *options,
                    const lb_sample *sample, int count, const lb_frozen_function *functions,
                    lb_page *source, lb_page *header)
{
    const bool is_float = options->number == LB_FROZEN_FLOAT;
    file f = {.model = model,
              .options = options,
              .sample = sample,
              .style = {.prefix = options->name,
                        .is_float = is_float,
                        .is_vector = options->vectors,
                        .array_names = lb_array_names},
              .real = lb_get_real(options),
              .count = count,
              .functions = functions};
    for (size_t i = 0; options->name[i] && i + 1 < sizeof f.capitals; ++i) {
        f.capitals[i] = (char)toupper((unsigned char)options->name[i]);
    }
    const char **names = calloc((size_t)model->body_count + 1, sizeof *names);
    f.costs = calloc((size_t)count, sizeof *f.costs);
    f.batch_costs = calloc((size_t)count, sizeof *f.batch_costs);
    f.batch = (lb_batch_file){.model = model,
                              .options = options,
                              .sample = sample,
                              .style = &f.style,
                              .capitals = f.capitals,
                              .operation_count = get_most(&f)};
    bool good = names && f.costs && f.batch_costs;
    for (int i = 0; good && i < model->body_count; ++i) {
        names[i] = lb_get_body_name(model, i);
    }
    f.style.body_names = names;
    if (good) {
        good = write_source(source, &f);
        write_header(header, &f);
    }
    free(names);
    free(f.costs);
    free(f.batch_costs);
    return good && !source->out_of_memory && !header->out_of_memory;
}
