// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "write_batch.h"

#include <stdlib.h>
#include <string.h>

#include "export/freeze/cuda/graph_passes.h"
#include "export/freeze/parameters/tunable.h"
#include "export/freeze/sums.h"
#include "export/freeze/text/write_arguments.h"
#include "write_lanes.h"

bool lb_has_batch(const lb_frozen_function *function)
{
    bool remembers = false;
    for (int i = 0; i < function->input_count; ++i) {
        remembers = remembers || function->inputs[i] >= LB_ARRAY_COMMAND;
    }
    return !function->is_private && !function->replaces && !remembers;
}

void lb_write_batch_prototype(lb_page *page, const lb_batch_file *f,
                              const lb_frozen_function *function)
{
    lb_write(page, "int %s_%s_batch(", f->options->name, function->name);
    lb_write_parameter_argument(page, f->options);
    for (int i = 0; i < function->input_count + function->output_count; ++i) {
        const bool is_input = i < function->input_count;
        const int array = lb_get_array(function, i);
        lb_write(page, "%s%s ", is_input && array != LB_ARRAY_TIME ? "const " : "",
                 lb_get_real(f->options));
        lb_write_array_type(page, f->model, f->sample, f->capitals, array, "8 * ");
        lb_write(page, ", ");
    }
    lb_write(page, "int status[%d])", LB_BATCH_STATES);
}

// ---- states side by side ----------------------------------------------------------------------

// What all states share is a number for each call, and lanes inside.
static bool is_shared(int array)
{
    return array == LB_ARRAY_TIME;
}

// Arguments of a function for as many states as registers hold, or what a call gives it.
static void write_arguments(lb_page *page, const lb_batch_file *f,
                            const lb_frozen_function *function, bool is_cut, bool is_call)
{
    const char *real = lb_get_real(f->options), *name = f->options->name;
    if (*lb_get_passed(f->options)) {
        lb_write(page, is_call ? "p, " : "const %s *given_p, ", real);
    }
    for (int i = 0; i < function->input_count + function->output_count; ++i) {
        const bool is_input = i < function->input_count;
        const int array = lb_get_array(function, i);
        const char *own = lb_array_names[array], *constant = is_input ? "const " : "";
        if (is_shared(array)) {
            lb_write(page, is_call ? "%s%s, " : "const %s *given_%s, ", is_call ? "" : real, own);
        } else if (is_call && lb_count_array(f->model, f->sample, array) == 0) {
            lb_write(page, "0, ");
        } else if (is_call) {
            lb_write(page, "(%s%s_part *)(%s + k), ", constant, name, own);
        } else {
            lb_write(page, "%s%s_part *%s_apart %s, ", constant, name, name, own);
        }
    }
    if (is_cut && is_call) {
        lb_write(page, "between, ");
    } else if (is_cut) {
        lb_write(page, "%s_lanes *%s_apart between, ", name, name);
    }
    if (is_call) {
        lb_write(page, "&trouble");
    } else {
        lb_write(page, "%s_mask *trouble", name);
    }
}

// What a function may not need; what all states share, as lanes.
static void write_start(lb_page *page, const lb_batch_file *f, const lb_frozen_function *function,
                        bool is_cut)
{
    const char *name = f->options->name;
    const int count = *lb_get_passed(f->options) ? f->options->parameters->count : 0;
    lb_write(page, "    const %s_lanes zero = {0};\n", name);
    if (count > 0) {
        lb_write(page, "    const %s_lanes p[%d] = {", name, count);
        for (int i = 0; i < count; ++i) {
            lb_write(page, "%szero + given_p[%d]", i ? ", " : "", i);
        }
        lb_write(page, "};\n");
    }
    for (int i = 0; i < function->input_count; ++i) {
        if (is_shared(function->inputs[i])) {
            lb_write(page, "    const %s_lanes time[1] = {zero + given_time[0]};\n", name);
        }
    }
    lb_write(page, "    (void)zero;%s", count ? " (void)p;" : "");
    for (int i = 0; i < function->input_count + function->output_count; ++i) {
        lb_write(page, " (void)%s;", lb_array_names[lb_get_array(function, i)]);
    }
    lb_write(page, "%s (void)trouble;\n", is_cut ? " (void)between;" : "");
}

// @param part  from 1 on; 0 if it is not cut
static bool write_lanes(lb_page *page, const lb_batch_file *f, const lb_frozen_function *function,
                        const lb_graph *graph, int part, lb_c_cost *cost)
{
    const char *names[LB_ARRAY_COUNT];
    memcpy(names, lb_array_names, sizeof names);
    names[LB_ARRAY_HANDED] = names[LB_ARRAY_BETWEEN]; // the same memory
    lb_c_style style = *f->style;
    style.is_batch = true;
    style.is_vector = false;
    style.limbs = NULL;
    style.array_names = names;
    lb_write(page, "static void %s_%s_lanes", f->options->name, function->name);
    if (part) {
        lb_write(page, "_%d", part);
    }
    lb_write(page, "(");
    write_arguments(page, f, function, part > 0, false);
    lb_write(page, ")\n{\n");
    write_start(page, f, function, part > 0);
    const bool good = lb_write_body(page, graph, &style, cost);
    lb_write(page, "}\n\n");
    return good;
}

// Long functions are cut as those for one state are.
//
// @param slots  out: numbers that the parts hand on
static bool write_cut_lanes(lb_page *page, const lb_batch_file *f,
                            const lb_frozen_function *function, const lb_graph *graph, int count,
                            int *slots, lb_c_cost *cost)
{
    lb_graph *parts = calloc((size_t)count, sizeof *parts);
    bool good =
        parts && lb_split_graph(graph, LB_ARRAY_BETWEEN, LB_ARRAY_HANDED, count, parts, slots);
    for (int k = 0; good && k < count; ++k) {
        lb_c_cost own;
        good = write_lanes(page, f, function, &parts[k], k + 1, &own);
        lb_add_part_cost(cost, &own);
    }
    cost->live += *slots;
    for (int k = 0; parts && k < count; ++k) {
        lb_clear_graph(&parts[k]);
    }
    free(parts);
    return good;
}

// ---- around them -------------------------------------------------------------------------------

// Notes states with numbers that are not finite.
static void write_checks(lb_page *page, const lb_batch_file *f, int count, const int *arrays)
{
    const char *name = f->options->name;
    for (int i = 0; i < count; ++i) {
        const int size = lb_count_array(f->model, f->sample, arrays[i]);
        if (size > 0 && !is_shared(arrays[i])) {
            lb_write(page, "        %s_find_bad(%d, (const %s_part *)(%s + k), &trouble);\n", name,
                     size, name, lb_array_names[arrays[i]]);
        }
    }
}

// Numbers that all states share.
static void write_shared_check(lb_page *page, const lb_batch_file *f,
                               const lb_frozen_function *function)
{
    const char *name = f->options->name;
    const bool passed = *lb_get_passed(f->options);
    bool timed = false;
    for (int i = 0; i < function->input_count; ++i) {
        timed = timed || is_shared(function->inputs[i]);
    }
    if (!passed && !timed) {
        return;
    }
    lb_write(page, "    if (!(");
    if (passed) {
        lb_write(page, "%s_are_finite(%d, p)%s", name, f->options->parameters->count,
                 timed ? " && " : "");
    }
    if (timed) {
        lb_write(page, "%s_are_finite(1, time)", name);
    }
    lb_write(page,
             ")) {\n        for (k = 0; k < %d; ++k) {\n            status[k] = %s_NUMBER;\n"
             "        }\n        return %s_NUMBER;\n    }\n",
             LB_BATCH_STATES, f->capitals, f->capitals);
}

// One state alone: its arrays, and the call.
static void write_alone(lb_page *page, const lb_batch_file *f, const lb_frozen_function *function)
{
    const char *name = f->options->name, *real = lb_get_real(f->options);
    const int count = function->input_count + function->output_count;
    int arrays[16];
    for (int i = 0; i < count; ++i) {
        arrays[i] = lb_get_array(function, i);
        const int size = lb_count_array(f->model, f->sample, arrays[i]);
        if (size > 0 && arrays[i] != LB_ARRAY_TIME) {
            lb_write(page, "            %s own_%s[%d];\n", real, lb_array_names[arrays[i]], size);
        }
    }
    for (int i = 0; i < function->input_count; ++i) {
        const int size = lb_count_array(f->model, f->sample, arrays[i]);
        if (size > 0 && arrays[i] != LB_ARRAY_TIME) {
            lb_write(page, "            %s_take(%d, %s + k, own_%s);\n", name, size,
                     lb_array_names[arrays[i]], lb_array_names[arrays[i]]);
        }
    }
    lb_write(page, "            status[k] = %s_%s(%s", name, function->name,
             lb_get_passed(f->options));
    for (int i = 0; i < count; ++i) {
        const bool any = lb_count_array(f->model, f->sample, arrays[i]) > 0;
        const bool timed = arrays[i] == LB_ARRAY_TIME;
        lb_write(page, "%s%s%s", i ? ", " : "", any && !timed ? "own_" : "",
                 timed ? "t" : lb_array_names[arrays[i]]);
    }
    lb_write(page, ");\n            if (status[k] >= 0) {\n");
    for (int i = function->input_count; i < count; ++i) {
        lb_write(page, "                %s_put(%d, own_%s, %s + k);\n", name,
                 lb_count_array(f->model, f->sample, arrays[i]), lb_array_names[arrays[i]],
                 lb_array_names[arrays[i]]);
    }
    lb_write(page, "            }\n");
}

static void write_around(lb_page *page, const lb_batch_file *f, const lb_frozen_function *function,
                         int count, int slots)
{
    const char *real = lb_get_real(f->options), *name = f->options->name;
    lb_write_batch_prototype(page, f, function);
    lb_write(page, "\n{\n    int k, worst = 0;\n");
    lb_write_parameter_array(page, f->options);
    for (int i = 0; i < function->input_count; ++i) {
        if (is_shared(function->inputs[i])) {
            lb_write(page, "    const %s time[1] = {t};\n", real);
        }
    }
    write_shared_check(page, f, function);
    lb_write(page,
             "    for (k = 0; k < %d; ++k) {\n        status[k] = 1;\n    }\n"
             "#if defined(__GNUC__)\n    for (k = 0; k < %d; k += %s_WIDTH) {\n"
             "        %s_mask trouble = {0};\n        int i;\n",
             LB_BATCH_STATES, LB_BATCH_STATES, name, name);
    if (count > 1) {
        lb_write(page, "        %s_lanes between[%d];\n", name, slots > 0 ? slots : 1);
    }
    write_checks(page, f, function->input_count, function->inputs);
    for (int k = 0; k < count; ++k) {
        lb_write(page, "        %s_%s_lanes", name, function->name);
        if (count > 1) {
            lb_write(page, "_%d", k + 1);
        }
        lb_write(page, "(");
        write_arguments(page, f, function, count > 1, true);
        lb_write(page, ");\n");
    }
    if (function->part) { // as the function for one state does
        write_checks(page, f, function->output_count, function->outputs);
    }
    lb_write(page,
             "        for (i = 0; i < %s_WIDTH; ++i) {\n"
             "            status[k + i] = trouble[i] != 0;\n        }\n    }\n#endif\n"
             "    for (k = 0; k < %d; ++k) {\n"
             "        if (status[k]) { // it is computed alone\n",
             name, LB_BATCH_STATES);
    write_alone(page, f, function);
    lb_write(page, "        }\n"
                   "        worst = worst < 0 || status[k] == 0 ? worst : status[k];\n"
                   "    }\n    return worst;\n}\n\n");
}

bool lb_write_batch(lb_page *page, const lb_batch_file *f, const lb_frozen_function *function,
                    lb_c_cost *cost)
{
    lb_graph used, sorted;
    lb_init_graph(&sorted);
    *cost = (lb_c_cost){0};
    bool good = lb_copy_used(&function->graph, &used);
    const int operations = good ? lb_count_arithmetic(&used) : 0;
    int count = 1, slots = 0;
    lb_write(page, "#if defined(__GNUC__)\n");
    if (good && operations > 2 * f->operation_count) {
        count = 1 + (operations - 1) / f->operation_count;
        good = write_cut_lanes(page, f, function, &used, count, &slots, cost);
    } else {
        good = good && lb_sort_sums(&used, &sorted) &&
               write_lanes(page, f, function, &sorted, 0, cost);
    }
    lb_write(page, "#endif\n\n");
    lb_clear_graph(&used);
    lb_clear_graph(&sorted);
    write_around(page, f, function, count, slots);
    return good && !page->out_of_memory;
}

// ---- self-test ---------------------------------------------------------------------------------

void lb_write_batch_test(lb_page *page, const lb_batch_file *f, const lb_frozen_function *function)
{
    const char *real = lb_get_real(f->options);
    const int count = function->input_count + function->output_count;
    int arrays[16];
    lb_write(page, "    {\n    int status[%d], i, k;\n", LB_BATCH_STATES);
    for (int i = 0; i < count; ++i) {
        arrays[i] = lb_get_array(function, i);
        const int size = lb_count_array(f->model, f->sample, arrays[i]);
        if (size > 0 && arrays[i] != LB_ARRAY_TIME) {
            lb_write(page, "    %s all_%s[%d];\n", real, lb_array_names[arrays[i]],
                     LB_BATCH_STATES * size);
        }
    }
    lb_write(page, "    for (k = 0; k < %d; ++k) {\n", LB_BATCH_STATES);
    for (int i = 0; i < function->input_count; ++i) {
        const int size = lb_count_array(f->model, f->sample, arrays[i]);
        if (size > 0 && arrays[i] != LB_ARRAY_TIME) {
            lb_write(page, "        %s_put(%d, %s, all_%s + k);\n", f->options->name, size,
                     lb_array_names[arrays[i]], lb_array_names[arrays[i]]);
        }
    }
    lb_write(page, "    }\n    if (%s_%s_batch(%s%s", f->options->name, function->name,
             *lb_get_passed(f->options) ? "&" : "", lb_get_passed(f->options));
    for (int i = 0; i < count; ++i) {
        const bool any = lb_count_array(f->model, f->sample, arrays[i]) > 0;
        if (arrays[i] == LB_ARRAY_TIME) {
            lb_write(page, "time[0], ");
        } else {
            lb_write(page, any ? "all_%s, " : "0, ", lb_array_names[arrays[i]]);
        }
    }
    lb_write(page, "status) != 0) {\n        return 1;\n    }\n");
    for (int i = function->input_count; i < count; ++i) {
        const char *name = lb_array_names[arrays[i]];
        const int size = lb_count_array(f->model, f->sample, arrays[i]);
        lb_write(page,
                 "    {\n    %s gap = 0, size = 0;\n    for (i = 0; i < %d; ++i) {\n"
                 "        const %s d = all_%s[i] - %s[i / %d];\n"
                 "        gap = d > gap || !(d == d) ? d : -d > gap ? -d : gap;\n"
                 "        size = %s[i / %d] > size ? %s[i / %d] : -%s[i / %d] > size ? -%s[i / "
                 "%d] : size;\n    }\n"
                 "    gap = size > 0 ? gap / size : gap;\n"
                 "    worst = gap > worst || !(gap == gap) ? gap : worst;\n    }\n",
                 real, LB_BATCH_STATES * size, real, name, name, LB_BATCH_STATES, name,
                 LB_BATCH_STATES, name, LB_BATCH_STATES, name, LB_BATCH_STATES, name,
                 LB_BATCH_STATES);
    }
    lb_write(page, "    }\n");
}

// ---- helpers -----------------------------------------------------------------------------------

static const char one_text[] = "// One of eight states, from and to where all of them are\n"
                               "static void @_take(int count, const real *x, real *own)\n"
                               "{\n"
                               "    int i;\n"
                               "    for (i = 0; i < count; ++i) {\n"
                               "        own[i] = x[8 * i];\n"
                               "    }\n"
                               "}\n"
                               "\n"
                               "static void @_put(int count, const real *own, real *x)\n"
                               "{\n"
                               "    int i;\n"
                               "    for (i = 0; i < count; ++i) {\n"
                               "        x[8 * i] = own[i];\n"
                               "    }\n"
                               "}\n"
                               "\n";

static const char bad_text[] =
    "// Notes states that have a number which is infinite or NaN\n"
    "static inline void @_find_bad(int count, const @_part *x, @_mask *trouble)\n"
    "{\n"
    "    @_lanes sum = {0};\n"
    "    int i;\n"
    "    for (i = 0; i < count; ++i) {\n"
    "        sum += $0.0$ * x[i * @_STEP];\n"
    "    }\n"
    "    *trouble |= ~(sum == $0.0$);\n"
    "}\n";

void lb_write_batch_helpers(lb_page *page, const lb_c_style *style, const char *text)
{
    lb_write_c_text(page, style, one_text);
    lb_write(page, "#if defined(__GNUC__)\n");
    lb_write_lane_helpers(page, style, text);
    lb_write_c_text(page, style, bad_text);
    lb_write(page, "#endif\n\n");
}
