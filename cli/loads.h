// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What `limber loads` reads off recorded runs.
#ifndef LB_CLI_LOADS_H
#define LB_CLI_LOADS_H

#include <stdio.h>

#include "commands.h"

enum { LB_CLI_LARGEST, LB_CLI_SMALLEST, LB_CLI_MEAN, LB_CLI_RMS, LB_CLI_LOAD_COUNT };

typedef enum lb_cli_load_kind { LB_CLI_EXTREMES, LB_CLI_PSD, LB_CLI_SRS } lb_cli_load_kind;

/// One signal in one run.
typedef struct lb_cli_load {
    double numbers[LB_CLI_LOAD_COUNT];
    double times[2];    ///< of the largest and the smallest value, s
    double *companions; ///< 2 x companion_count: other signals at these times
    double *history;    ///< one number per row; NULL unless a figure needs it
    double *spectrum;   ///< density, or largest acceleration
    double *negative;   ///< of shock spectra: smallest acceleration
} lb_cli_load;

/// One run.
typedef struct lb_cli_load_run {
    const char *path;
    long row_count;
    double *times;
    double step;  ///< between rows, s; of spectra
    long segment; ///< rows per segment, of densities
    long frequency_count;
    double *frequencies; ///< Hz
    lb_cli_load *loads;  ///< one per signal
} lb_cli_load_run;

typedef struct lb_cli_loads {
    lb_cli_load_kind kind;
    int run_count;
    lb_cli_load_run *runs;
    lb_cli_names signals, companions;
    const char **units; ///< one per signal
    double *factors;    ///< one per signal, then one per companion
    double q;           ///< of shock spectra
} lb_cli_loads;

/// The run that sets the envelope of a number of a signal: the largest, for the smallest value the
/// smallest, for the mean the one furthest from zero.
int lb_cli_find_envelope(const lb_cli_loads *loads, int signal, int number);

/// For people: the envelope over all runs, or spectra as tables.
void lb_cli_print_loads(FILE *out, const lb_cli_loads *loads);
/// One row per run, signal and number, or per frequency.
void lb_cli_print_loads_csv(FILE *out, const lb_cli_loads *loads);
/// All of it.
void lb_cli_print_loads_json(FILE *out, const lb_cli_loads *loads);

#endif // LB_CLI_LOADS_H
