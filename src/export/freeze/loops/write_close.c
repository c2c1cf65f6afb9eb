// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of NAME_close, which puts a state back on its loops, and of steps that end with it.
#include "export/freeze/parameters/tunable.h"
#include "frozen_loops.h"

void lb_write_close_prototype(lb_page *page, const lb_freeze_options *options, const char *capitals,
                              bool timed)
{
    const char *real = lb_get_real(options);
    lb_write(
        page,
        "// Puts a state back on the loops: q by at most %s_CLOSE_STEPS steps of Newton's "
        "method (PRJ-1),\n"
        "// then v (PRJ-2), each by the smallest change in kinetic energy. q and v are replaced "
        "unless the\n"
        "// status is negative.\n"
        "int %s_close(",
        capitals, options->name);
    lb_write_parameter_argument(page, options);
    if (timed) {
        lb_write(page, "%s t, ", real);
    }
    lb_write(page, "%s q[%s_Q], %s v[%s_V])", real, capitals, real, capitals);
}

void lb_write_close(lb_page *page, const lb_freeze_options *options, const char *capitals,
                    bool timed)
{
    const bool is_float = options->number == LB_FROZEN_FLOAT;
    const char *real = lb_get_real(options), *name = options->name;
    const char *time = timed ? "t, " : "";
    lb_write_close_prototype(page, options, capitals, timed);
    lb_write(page,
             "\n{\n"
             "    // m and rad: what counts as closed, and what is round-off\n"
             "    const %s limit = %s, round_off = %s;\n"
             "    %s q_now[%s_Q], v_now[%s_V], q_next[%s_Q], gap[%s_GAPS], worst = 0;\n"
             "    int i, pass, status = 0, told;\n"
             "    for (i = 0; i < %s_Q; ++i) {\n        q_now[i] = q[i];\n    }\n",
             real, is_float ? "1e-4f" : "1e-9", is_float ? "1e-6f" : "1e-13", real, capitals,
             capitals, capitals, capitals, capitals);
    lb_write(page,
             "    for (pass = 0;; ++pass) {\n"
             "        told = %s_close_positions(%s%sq_now, q_next, gap);\n"
             "        if (told < 0) {\n            return told;\n        }\n"
             "        status = told ? told : status;\n"
             "        worst = 0;\n"
             "        for (i = 0; i < %s_GAPS; ++i) {\n"
             "            const %s size = gap[i] < 0 ? -gap[i] : gap[i];\n"
             "            worst = size <= worst ? worst : size; // NaN is the worst\n        }\n"
             "        if (pass == %s_CLOSE_STEPS || !(worst > round_off)) {\n"
             "            break;\n        }\n"
             "        for (i = 0; i < %s_Q; ++i) {\n            q_now[i] = q_next[i];\n        }\n"
             "    }\n",
             name, lb_get_passed(options), time, capitals, real, capitals, capitals);
    lb_write(page,
             "    if (!(worst <= limit)) {\n        return %s_OPEN;\n    }\n"
             "    told = %s_close_speeds(%s%sq_now, v, v_now);\n"
             "    if (told < 0) {\n        return told;\n    }\n"
             "    for (i = 0; i < %s_Q; ++i) {\n        q[i] = q_now[i];\n    }\n"
             "    for (i = 0; i < %s_V; ++i) {\n        v[i] = v_now[i];\n    }\n"
             "    return told ? told : status;\n}\n\n",
             capitals, name, lb_get_passed(options), time, capitals, capitals);
}

void lb_write_closed_step(lb_page *page, const lb_freeze_options *options, const char *capitals,
                          const char *method, bool timed)
{
    const char *real = lb_get_real(options), *name = options->name;
    lb_write(page,
             "\n{\n    %s q_now[%s_Q], v_now[%s_V];\n    int i, status, told;\n"
             "    for (i = 0; i < %s_Q; ++i) {\n        q_now[i] = q[i];\n    }\n"
             "    for (i = 0; i < %s_V; ++i) {\n        v_now[i] = v[i];\n    }\n"
             "    status = %s_step%s_apart(%s%sh, tau, %sq_now, v_now);\n"
             "    told = status < 0 ? status : %s_close(%s%sq_now, v_now);\n"
             "    if (told < 0) {\n        return told;\n    }\n"
             "    for (i = 0; i < %s_Q; ++i) {\n        q[i] = q_now[i];\n    }\n"
             "    for (i = 0; i < %s_V; ++i) {\n        v[i] = v_now[i];\n    }\n"
             "    return told ? told : status;\n}\n\n",
             real, capitals, capitals, capitals, capitals, name, method, lb_get_passed(options),
             timed ? "t, " : "", timed ? "u, " : "", name, lb_get_passed(options),
             timed ? "t + h, " : "", capitals, capitals);
}
