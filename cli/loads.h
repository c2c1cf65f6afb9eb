// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What `limber loads` reads off recorded runs.
#ifndef LB_CLI_LOADS_H
#define LB_CLI_LOADS_H

#include <stdio.h>

#include "commands.h"
#include "view/recording.h"

enum { LB_CLI_LARGEST, LB_CLI_SMALLEST, LB_CLI_MEAN, LB_CLI_RMS, LB_CLI_LOAD_COUNT };

typedef enum lb_cli_load_kind {
    LB_CLI_EXTREMES,
    LB_CLI_PSD,
    LB_CLI_SRS,
    LB_CLI_BUDGET ///< extremes, with the parts of a reaction as companions
} lb_cli_load_kind;

enum { LB_CLI_BUDGET_SIZE = 6 }; // components of a reaction

/// One signal in one run.
typedef struct lb_cli_load {
    double numbers[LB_CLI_LOAD_COUNT];
    double times[2]; ///< of the largest and the smallest value, s
    double *
        companions; ///< LB_CLI_LOAD_COUNT x companion_count: other signals at these times; of a budget also their
    ///< mean and RMS
    double *history;  ///< one number per row; NULL unless a figure needs it
    double *spectrum; ///< density, or largest acceleration
    double *negative; ///< of shock spectra: smallest acceleration
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
    double segment;     ///< of densities, s; 0 for an eighth of the record
    int frequency_count;
    double *frequencies; ///< of shock spectra, Hz
} lb_cli_loads;

/// Whether companions belong to a number of a signal: at the time of an extreme, or parts of a budget.
static inline bool lb_cli_has_companions(const lb_cli_loads *loads, int number)
{
    return loads->companions.count > 0 && (number < 2 || loads->kind == LB_CLI_BUDGET);
}

/// The run that sets the envelope of a number of a signal: the largest, for the smallest value the
/// smallest, for the mean the one furthest from zero.
int lb_cli_find_envelope(const lb_cli_loads *loads, int signal, int number);

// ---- loads_spectra.c ---------------------------------------------------------------------------

/// Checks that the rows of a run are equally far apart, and sets the frequencies of its spectra.
///
/// @return false after saying what is wrong, or without memory
bool lb_cli_prepare_spectra(const lb_cli_loads *loads, lb_cli_load_run *run);

/// The spectrum of a signal.
///
/// @param y  row_count of the run
/// @return likewise
bool lb_cli_compute_spectrum(const lb_cli_loads *loads, const lb_cli_load_run *run, const double *y,
                             const char *name, lb_cli_load *load);

// ---- loads_out.c -------------------------------------------------------------------------------

/// For people: the envelope over all runs, or spectra as tables.
void lb_cli_print_loads(FILE *out, const lb_cli_loads *loads);
/// One row per run, signal and number, or per frequency.
void lb_cli_print_loads_csv(FILE *out, const lb_cli_loads *loads);
/// All of it.
void lb_cli_print_loads_json(FILE *out, const lb_cli_loads *loads);

// ---- loads_budget.c ----------------------------------------------------------------------------

/// Names the components of a reaction as signals, and its parts as their companions.
void lb_cli_name_budget(const char *hinge, lb_cli_loads *loads);

/// The reaction of a hinge and its parts, times factors.
///
/// @param factors  one per component
/// @param values   out: component x (itself, then its parts) x rows
/// @return false after saying what is wrong, or without memory
bool lb_cli_read_budget(const lb_cli_recording *recording, const char *path, const char *hinge,
                        const double *factors, long first, long rows, double *values);

// ---- loads_figure.c ----------------------------------------------------------------------------

/// Histories with dots at the extremes of all runs, or spectra on logarithmic axes.
///
/// @return an exit status, after saying what is wrong
int lb_cli_draw_loads(const char *path, const char *title, const lb_cli_loads *loads);

#endif // LB_CLI_LOADS_H
