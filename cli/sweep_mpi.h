// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Samples that are handed out over MPI, for programs that were built with it (LB_WITH_MPI).
#ifndef LB_CLI_SWEEP_MPI_H
#define LB_CLI_SWEEP_MPI_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this process was started by mpirun or srun together with others, and the program has MPI.
bool lb_cli_has_mpi(void);

/// Joins the other processes. Returns when all of them have called it.
///
/// @return false after saying why
bool lb_cli_start_mpi(void);

/// The next number, from 0: each number goes to one process.
int64_t lb_cli_take_mpi(void);

/// Adds up numbers of all processes, each of which must call it.
///
/// @param numbers  in: of this process; out: the sums, on the first process alone
/// @return whether this is the first process
bool lb_cli_add_mpi(int64_t *numbers, int count);

/// Leaves the other processes; no other call may follow. Does nothing without lb_cli_start_mpi.
void lb_cli_end_mpi(void);

#endif // LB_CLI_SWEEP_MPI_H
