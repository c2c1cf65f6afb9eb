// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Which part of the samples a process does, by the command line or by what schedulers tell it.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "sweep.h"

enum { PART_MAX = 1000000 };

// A whole number in the environment; false if it is not there or something else.
static bool read_variable(const char *name, long *number)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) {
        return false;
    }
    *number = strtol(text, &end, 10);
    return *end == '\0' && *number >= 0 && *number <= 1000000000;
}

// The number of this process among several that a program such as srun or mpirun has started.
static bool find_rank(long *rank, long *count)
{
    // Slurm sets its variables in batch scripts too, where only one process runs
    return (read_variable("SLURM_STEP_ID", rank) && read_variable("SLURM_PROCID", rank) &&
            read_variable("SLURM_STEP_NUM_TASKS", count)) ||
           (read_variable("OMPI_COMM_WORLD_RANK", rank) &&
            read_variable("OMPI_COMM_WORLD_SIZE", count)) ||
           (read_variable("PMI_RANK", rank) && read_variable("PMI_SIZE", count));
}

// The number of this task in an array of tasks.
//
// @param parts  of --parts; 0 if it was not given
static bool find_task(long parts, long *task, long *count)
{
    long first = 0, step = 1;
    if (read_variable("SLURM_ARRAY_TASK_ID", task)) {
        if (parts > 0) {
            *count = parts;
            *task %= parts;
            return true;
        }
        if (!read_variable("SLURM_ARRAY_TASK_COUNT", count) || *count == 0) {
            return false;
        }
        read_variable("SLURM_ARRAY_TASK_MIN", &first);
        read_variable("SLURM_ARRAY_TASK_STEP", &step);
        *task = *task < first ? 0 : (*task - first) / (step > 0 ? step : 1) % *count;
        return true;
    }
    // HyperQueue does not say how many tasks there are
    if (read_variable("HQ_TASK_ID", task) && parts > 0) {
        *count = parts;
        *task %= parts;
        return true;
    }
    return false;
}

static bool read_part(lb_cli_sweep *s)
{
    const char *text = lb_cli_get_option(s->arguments, "part");
    double parts = 0.0;
    int part = 0, count = 0, used = 0;
    if (!lb_cli_get_number(s->arguments, "parts", 1, PART_MAX, 0.0, &parts)) {
        return false;
    }
    if (text) {
        if (sscanf(text, "%d/%d%n", &part, &count, &used) != 2 || text[used] || part < 1 ||
            part > count || count > PART_MAX) {
            lb_cli_complain("sweep: --part: '%s' given, expected I/N with I from 1 to N", text);
            return false;
        }
        s->part = part - 1;
        s->part_count = count;
        return true;
    }
    long task = 0, tasks = 1, rank = 0, ranks = 1;
    if (!find_task((long)parts, &task, &tasks)) {
        task = 0;
        tasks = 1;
    }
    if (!find_rank(&rank, &ranks) || ranks < 1 || rank >= ranks) {
        rank = 0;
        ranks = 1;
    }
    if (tasks * ranks > PART_MAX) {
        lb_cli_complain("sweep: %ld parts, expected at most %d", tasks * ranks, PART_MAX);
        return false;
    }
    s->part = (int)(task * ranks + rank);
    s->part_count = (int)(tasks * ranks);
    return true;
}

bool lb_cli_find_part(lb_cli_sweep *s)
{
    double workers = 0.0;
    long processors = sysconf(_SC_NPROCESSORS_ONLN), given = 0;
    if (!read_part(s) || !lb_cli_get_number(s->arguments, "workers", 1, 1024, 0.0, &workers)) {
        return false;
    }
    // other parts run beside this one: it takes what the scheduler has given it
    if (s->part_count > 1) {
        processors = read_variable("SLURM_CPUS_PER_TASK", &given) ? given : 1;
    }
    processors = processors < 1 ? 1 : processors > 1024 ? 1024 : processors;
    s->worker_count = workers > 0.0 ? (int)workers : (int)processors;
    return true;
}
