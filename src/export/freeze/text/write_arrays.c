// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "write_arrays.h"

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
