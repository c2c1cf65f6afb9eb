// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "write_arguments.h"

#include "export/freeze/parameters/tunable.h"

const char *lb_get_size_name(int array)
{
    static const char *const names[] = {"1",        "U",      "Y",      "Z",
                                        "COMMANDS", "MEMORY", "MEMORY", "NOISE"};
    switch (array) {
    case LB_ARRAY_Q:
    case LB_ARRAY_Q_DOT:
    case LB_ARRAY_Q_NEXT:
        return "Q";
    case LB_ARRAY_GAP:
        return "GAPS";
    default:
        return array >= LB_ARRAY_TIME ? names[array - LB_ARRAY_TIME] : "V";
    }
}

void lb_write_array_type(lb_page *page, const lb_model *model, const lb_sample *sample,
                         const char *capitals, int array, const char *times)
{
    const char *name = lb_array_names[array], *size = lb_get_size_name(array);
    if (array == LB_ARRAY_TIME) {
        lb_write(page, "t");
    } else if (array > LB_ARRAY_TIME && lb_count_array(model, sample, array) == 0) {
        lb_write(page, "%s[]", name); // a pointer that is not read
    } else if (array == LB_ARRAY_MOTION) {
        lb_write(page, "motion[%s13]", times);
    } else if (array == LB_ARRAY_J) {
        lb_write(page, "J[%s%s_V * 6]", times, capitals);
    } else if (lb_is_matrix(array)) {
        lb_write(page, "%s[%s%s_V * %s_V]", name, times, capitals, capitals);
    } else {
        lb_write(page, "%s[%s%s_%s]", name, times, capitals, size);
    }
}

void lb_write_part_arguments(lb_page *page, const lb_freeze_options *options,
                             const lb_frozen_function *function, bool is_call)
{
    const char *between = "", *real = lb_get_real(options);
    if (*lb_get_passed(options)) {
        lb_write(page, is_call ? "p" : "const %s *p", real);
        between = ", ";
    }
    for (int i = 0; i < function->input_count + function->output_count; ++i) {
        const bool is_input = i < function->input_count;
        const int array = lb_get_array(function, i);
        if (is_call) {
            lb_write(page, "%s%s", between, lb_array_names[array]);
        } else {
            lb_write(page, "%s%s%s *%s", between, is_input ? "const " : "", real,
                     lb_array_names[array]);
        }
        between = ", ";
    }
    if (is_call) {
        lb_write(page, ", between, between");
    } else {
        lb_write(page, ", const %s *handed, %s *between", real, real);
    }
}

void lb_write_unused(lb_page *page, const lb_freeze_options *options,
                     const lb_frozen_function *function)
{
    lb_write(page, "   %s", *lb_get_passed(options) ? " (void)p;" : "");
    for (int i = 0; i < function->input_count + function->output_count; ++i) {
        lb_write(page, " (void)%s;", lb_array_names[lb_get_array(function, i)]);
    }
    lb_write(page, " (void)handed; (void)between;\n");
}

void lb_add_part_cost(lb_c_cost *sum, const lb_c_cost *cost)
{
    sum->multiplications += cost->multiplications;
    sum->additions += cost->additions;
    sum->divisions += cost->divisions;
    sum->angles = cost->angles > sum->angles ? cost->angles : sum->angles;
    sum->turns += cost->turns;
    sum->live = cost->live > sum->live ? cost->live : sum->live;
}
