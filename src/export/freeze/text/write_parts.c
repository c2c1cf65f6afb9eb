// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "write_parts.h"

#include "export/freeze/parameters/tunable.h"

void lb_write_part_arguments(lb_page *page, const lb_freeze_options *options,
                             const lb_frozen_function *function, bool is_call)
{
    const char *between = "", *real = options->number == LB_FROZEN_FLOAT ? "float" : "double";
    if (*lb_get_passed(options)) {
        lb_write(page, is_call ? "p" : "const %s *p", real);
        between = ", ";
    }
    for (int i = 0; i < function->input_count + function->output_count; ++i) {
        const bool is_input = i < function->input_count;
        const int array =
            is_input ? function->inputs[i] : function->outputs[i - function->input_count];
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
    for (int i = 0; i < function->input_count; ++i) {
        lb_write(page, " (void)%s;", lb_array_names[function->inputs[i]]);
    }
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, " (void)%s;", lb_array_names[function->outputs[i]]);
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
