// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of limber sweep share.
#ifndef LB_CLI_SWEEP_H
#define LB_CLI_SWEEP_H

#include <stdbool.h>

#include "../src/command.h"
#include "commands.h"
#include "console.h"

/// Longest name of a folder, and of a file in it.
enum { LB_CLI_FOLDER_SIZE = 3000, LB_CLI_ROWS_SIZE = 4000 };

/// A sweep, off the command line.
typedef struct lb_cli_sweep {
    const lb_cli_arguments *arguments;
    const char *plan; ///< its path
    lb_sweep *sweep;
    char folder[LB_CLI_FOLDER_SIZE]; ///< of rows
    int part, part_count;            ///< from 0; 0 of 1 for all samples
    int worker_count;
} lb_cli_sweep;

/// Finds which part of the samples this process does: --part I/N, or what Slurm, Open MPI, MPICH or HyperQueue have put
/// into the environment; in sweep_part.c.
///
/// @return false after saying what is wrong
bool lb_cli_find_part(lb_cli_sweep *s);

/// Computes what is missing of the part with several processes; in sweep_workers.c.
///
/// @return the exit status
int lb_cli_run_workers(const lb_cli_sweep *s);

/// Answers one sample from standard input on standard output; in sweep_evaluate.c.
int lb_cli_evaluate_sweep(const lb_cli_sweep *s);

/// Shows one sample: values, outputs and the command that repeats it; in sweep_evaluate.c.
int lb_cli_show_sample(const lb_cli_sweep *s);

/// Writes the table of all samples; in sweep_merge.c.
int lb_cli_merge_sweep(const lb_cli_sweep *s);

/// Reads the table of all samples. NULL after saying why.
lb_sweep_table *lb_cli_read_sweep_table(const lb_cli_sweep *s);

/// Prints percentiles, worst cases and sensitivities; in sweep_statistics.c.
int lb_cli_print_sweep_statistics(const lb_cli_sweep *s);

/// Draws a histogram or a scatter; in sweep_figure.c.
int lb_cli_draw_sweep(const lb_cli_sweep *s);

/// Index of an output, or LB_NOT_FOUND after saying which ones there are.
int lb_cli_find_sweep_output(const lb_cli_sweep *s, const char *name);

#endif // LB_CLI_SWEEP_H
