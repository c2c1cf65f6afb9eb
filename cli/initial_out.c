// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "initial_out.h"

#include <stdbool.h>
#include <stdio.h>

#include "json_out.h"

// ", key: [...]"; nothing for a list of none.
static void print_list(const char *key, const double *values, int count, bool *is_first)
{
    if (count == 0) {
        return;
    }
    printf("%s%s: [", *is_first ? "" : ", ", key);
    for (int i = 0; i < count; ++i) {
        printf("%s%.17g", i ? ", " : "", values[i]);
    }
    putchar(']');
    *is_first = false;
}

void lb_cli_print_initial(const lb_model *model, const double *q, const double *v)
{
    printf("initial:\n");
    for (int body = 0; body < lb_get_body_count(model); ++body) {
        const int modes = lb_get_mode_count(model, body);
        const double *own_q = q + lb_get_q_offset(model, body);
        bool is_first = true;
        if (modes + lb_get_hinge_q_count(model, body) == 0) {
            continue;
        }
        fputs("  ", stdout);
        lb_cli_json name = lb_cli_json_start(stdout);
        lb_cli_json_string(&name, lb_get_body_name(model, body));
        fputs(": {", stdout);
        print_list("eta", own_q, modes, &is_first);
        print_list("q", own_q + modes, lb_get_hinge_q_count(model, body), &is_first);
        if (v) {
            const double *own_v = v + lb_get_v_offset(model, body);
            print_list("eta_rate", own_v, modes, &is_first);
            print_list("v", own_v + modes, lb_get_hinge_v_count(model, body), &is_first);
        }
        printf("}\n");
    }
}

void lb_cli_print_state(const lb_model *model, const double *q, const double *v)
{
    lb_cli_json json = lb_cli_json_start(stdout);
    lb_cli_json_open(&json, '{');
    lb_cli_json_key(&json, "q");
    lb_cli_json_vector(&json, q, lb_get_q_count(model));
    lb_cli_json_key(&json, "v");
    lb_cli_json_vector(&json, v, lb_get_v_count(model));
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}
