// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "sweep_mpi.h"

#include <stdlib.h>

#include "console.h"

#ifdef LB_WITH_MPI
#include <mpi.h>

// Functions have their second names, which every MPI has: MUMPS without MPI comes with some of the first names, which
// do nothing.
static bool is_started;
static MPI_Win window; // one number, on process 0
static int64_t *counter;

bool lb_cli_has_mpi(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK");
}

bool lb_cli_start_mpi(void)
{
    int rank = 0;
    if (PMPI_Init(NULL, NULL) != MPI_SUCCESS ||
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) {
        lb_cli_complain("sweep: MPI does not start");
        return false;
    }
    is_started = true;
    if (PMPI_Win_allocate(rank == 0 ? (MPI_Aint)sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL,
                          MPI_COMM_WORLD, &counter, &window) != MPI_SUCCESS) {
        lb_cli_complain("sweep: MPI has no memory for a number that all processes see");
        return false;
    }
    if (rank == 0) {
        *counter = 0;
    }
    PMPI_Win_fence(0, window); // nobody takes a number before it is set
    return true;
}

int64_t lb_cli_take_mpi(void)
{
    const int64_t one = 1;
    int64_t taken = 0;
    PMPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    PMPI_Fetch_and_op(&one, &taken, MPI_INT64_T, 0, 0, MPI_SUM, window);
    PMPI_Win_unlock(0, window);
    return taken;
}

bool lb_cli_add_mpi(int64_t *numbers, int count)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(rank == 0 ? MPI_IN_PLACE : numbers, numbers, count, MPI_INT64_T, MPI_SUM, 0,
                MPI_COMM_WORLD);
    return rank == 0;
}

void lb_cli_end_mpi(void)
{
    if (is_started) {
        PMPI_Win_free(&window);
        PMPI_Finalize();
        is_started = false;
    }
}

#else
// Without MPI each process does a part of its own: see sweep_part.c.
bool lb_cli_has_mpi(void)
{
    return false;
}

bool lb_cli_start_mpi(void)
{
    return false;
}

int64_t lb_cli_take_mpi(void)
{
    return 0;
}

bool lb_cli_add_mpi(int64_t *numbers, int count)
{
    (void)numbers;
    (void)count;
    return true;
}

void lb_cli_end_mpi(void)
{
}
#endif
