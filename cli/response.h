// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What `limber response` computes of a linear model.
#ifndef LB_CLI_RESPONSE_H
#define LB_CLI_RESPONSE_H

#include <stdio.h>

#include "output.h"
#include "point.h"
#include "profile.h"

/// LB_CLI_TRANSFER: y / u; the others as their options say.
typedef enum lb_cli_response_kind {
    LB_CLI_TRANSFER,
    LB_CLI_RANDOM,
    LB_CLI_SINE,
    LB_CLI_SINGULAR,
    LB_CLI_LOOP
} lb_cli_response_kind;

/// A column of the table: a quantity over the frequency.
typedef struct lb_cli_curve {
    char name[400];
    const char *quantity;
    double *values;
} lb_cli_curve;

typedef struct lb_cli_response {
    lb_cli_response_kind kind;
    lb_cli_form form;
    bool nyquist;
    const char *output, *loop;
    lb_cli_point point;
    lb_cli_names names[2]; ///< of inputs and outputs
    lb_cli_profiles profiles;
    lb_linear *linear;
    lb_margins *margins;
    int feedback; ///< whose margins they are
    int count;
    double *frequencies, *response;
    int curve_count;
    lb_cli_curve *curves;
    double *mean_squares, *crossings; ///< of random responses, one per output
} lb_cli_response;

// ---- response_curves.c -------------------------------------------------------------------------

/// Turns the response into curves.
///
/// @return false without memory, or after saying what is wrong
bool lb_cli_make_curves(lb_cli_response *response);

// ---- response_out.c ----------------------------------------------------------------------------

/// Margins of the loop that is asked for, as if it were alone.
lb_margins lb_cli_get_own_margins(const lb_cli_response *response);

/// For people: what is largest, and where.
void lb_cli_print_response(FILE *out, const lb_cli_response *response);
/// One row per frequency, one column per curve.
void lb_cli_print_response_csv(FILE *out, const lb_cli_response *response);
/// All of it.
void lb_cli_print_response_json(FILE *out, const lb_cli_response *response);

// ---- response_figure.c -------------------------------------------------------------------------

/// Magnitudes over phases, or the complex plane; dots at the margins of a loop.
///
/// @return an exit status, after saying what is wrong
int lb_cli_draw_response(const char *title, lb_cli_response *response);

#endif // LB_CLI_RESPONSE_H
