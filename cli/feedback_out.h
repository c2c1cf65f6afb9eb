// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What `modes` and `linearize` say about controllers.
#ifndef LB_CLI_FEEDBACK_OUT_H
#define LB_CLI_FEEDBACK_OUT_H

#include <stdio.h>

#include "json_out.h"
#include "limber/linear.h"

typedef struct lb_cli_feedbacks {
    lb_control_model control;
    double period;
    int pade_order;
    int count;
    const char *const *names, *const *notes;
    const unsigned char *closed;
} lb_cli_feedbacks;

/// Which feedbacks are closed and how, one line each; nothing without controllers.
void lb_cli_print_feedbacks(FILE *out, const lb_cli_feedbacks *feedbacks);

/// The same as keys of an object.
void lb_cli_put_feedbacks(lb_cli_json *json, const lb_cli_feedbacks *feedbacks);

/// That exponents are of a motion with this period, on a line, or nothing for 0.
void lb_cli_print_period(FILE *out, double period);

/// The pole that grows, on a line, or nothing.
void lb_cli_print_growth(FILE *out, const double growth[2]);
/// Whether something grows, and the pole, as keys of an object.
void lb_cli_put_growth(lb_cli_json *json, bool stable, const double growth[2]);

/// Says that the equations are frozen ones, if they are.
void lb_cli_warn_of_change(const char *changes);
/// By what, as a key of an object, if they are.
void lb_cli_put_changes(lb_cli_json *json, const char *changes);

/// Margins as a table, or as a key of an object.
void lb_cli_print_margins(FILE *out, const lb_margins *margins);
void lb_cli_put_margins(lb_cli_json *json, const lb_margins *margins);

#endif // LB_CLI_FEEDBACK_OUT_H
