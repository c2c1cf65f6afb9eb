// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be asked of a file of results.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit_entries.h"
#include "results_file.h"

const char *lb_get_results_message(const lb_results *results)
{
    return results->access->message;
}

const lb_results_info *lb_get_results_info(const lb_results *results)
{
    return &results->info;
}

lb_status lb_read_results_file(const lb_results *results, int index, void **data, size_t *size)
{
    *data = NULL;
    *size = 0;
    if (index < 0 || index >= results->file_count) {
        return lb_fail_results(results, LB_E_ARGUMENT, "no file of number %d is kept", index);
    }
    const lb_hdf5_array *a = &results->files[index];
    char *bytes = malloc((size_t)a->bytes + 1);
    if (!bytes) {
        return lb_fail_results(results, LB_E_MEMORY, "out of memory");
    }
    const lb_status status = lb_pass_results(
        results, lb_read_hdf5_bytes(&results->access->reader, a->at, a->bytes, bytes));
    if (status < 0) {
        free(bytes);
        return status;
    }
    *data = bytes;
    *size = (size_t)a->bytes;
    return LB_OK;
}

int lb_find_column(const lb_results *results, const char *name, int *found)
{
    for (int i = 0; i < results->table_count; ++i) {
        const size_t length = strlen(results->tables[i].name);
        const bool asked =
            strncmp(name, results->tables[i].name, length) == 0 && name[length] == ':';
        const char *wanted = asked ? name + length + 1 : name;
        for (int j = 0; j < results->tables[i].column_count; ++j) {
            if (strcmp(results->tables[i].columns + (size_t)j * LB_COLUMN_SIZE, wanted) == 0) {
                *found = i;
                return j;
            }
        }
    }
    return LB_NOT_FOUND;
}

lb_status lb_read_table(const lb_results *results, int i, long first, long count, double *values)
{
    const long rows = (long)results->counters[LB_COUNTER_ROWS];
    if (i < 0 || i >= results->table_count || first < 0 || count < 0 || first > rows ||
        count > rows - first) {
        return lb_fail_results(results, LB_E_ARGUMENT, "no such rows");
    }
    return lb_read_results_rows(results, &results->tables[i], first, count, values);
}

lb_status lb_read_event(const lb_results *results, int index, double *t, const char **name)
{
    double values[2] = {0.0, 0.0};
    if (index < 0 || index >= results->counters[LB_COUNTER_EVENTS]) {
        return lb_fail_results(results, LB_E_ARGUMENT, "no such event");
    }
    lb_status status = lb_pass_results(
        results, lb_read_hdf5_bytes(&results->access->reader,
                                    results->events.at + (uint64_t)index * sizeof values,
                                    sizeof values, values));
    status = status < 0 ? status
                        : lb_check_results_rows(results, &results->event_checksums, "events", index,
                                                1, sizeof values, values);
    lb_turn_hdf5_items(&results->events, 2, values);
    if (status >= 0 &&
        !(isfinite(values[0]) && values[1] >= 0.0 && values[1] < results->event_name_count)) {
        return lb_fail_results(results, LB_E_SYNTAX, "event %d: time %g s, name %g of %d", index,
                               values[0], values[1], results->event_name_count);
    }
    if (status >= 0) {
        *t = values[0];
        *name = results->event_names + (size_t)values[1] * LB_COLUMN_SIZE;
    }
    return status;
}

// Entries by their names: a file may have fewer or more than this version knows.
static lb_status read_audit_entries(const lb_results *results, lb_audit *audit)
{
    int count = 0;
    char *names = NULL;
    lb_status status =
        lb_read_results_names(results, results->access->reader.root, "audit_names", &names, &count);
    double *values = status >= 0 ? calloc((size_t)count + 1, sizeof *values) : NULL;
    status = status < 0 ? status
             : !values
                 ? lb_fail_results(results, LB_E_MEMORY, "out of memory")
                 : lb_read_results_array(results, "audit", LB_HDF5_DOUBLE, (uint64_t)count, values);
    for (int i = 0; status >= 0 && i < count; ++i) {
        for (int entry = 0; entry < LB_AUDIT_ENTRIES; ++entry) {
            if (strcmp(names + (size_t)i * LB_COLUMN_SIZE, lb_get_audit_name(entry)) == 0) {
                *lb_get_audit_entry(audit, entry) = values[i];
            }
        }
    }
    free(values);
    free(names);
    return status;
}

lb_status lb_read_audit(const lb_results *results, lb_audit *audit)
{
    lb_audit own;
    lb_clear_audit(&own);
    lb_status status = lb_check_audit_size(audit);
    if (status >= 0) {
        status = read_audit_entries(results, &own);
    }
    return status < 0 ? status : lb_give_audit(&own, audit);
}

lb_status lb_read_restart(const lb_results *results, int count, double *memory)
{
    const size_t slot = 1 + (size_t)count;
    double *slots = malloc(2 * slot * sizeof *slots);
    lb_hdf5_array checksums = {.found = false};
    lb_status status =
        slots ? lb_read_results_array(results, "restart", LB_HDF5_DOUBLE, 2 * slot, slots)
              : lb_fail_results(results, LB_E_MEMORY, "out of memory");
    status = status < 0 ? status : lb_find_results_checksums(results, "restart", 2, &checksums);
    if (status == LB_OK) {
        const double rows = (double)results->counters[LB_COUNTER_ROWS];
        const int which = slots[0] == rows ? 0 : slots[slot] == rows ? 1 : -1;
        const double *found = slots + (which == 1 ? slot : 0);
        // of the machine that wrote it: a run is resumed where it was made
        status = which < 0
                     ? lb_fail_results(results, LB_E_SYNTAX, "restart: it is not of the last row")
                     : lb_check_results_rows(results, &checksums, "restart", which, 1,
                                             slot * sizeof *slots, found);
        if (status == LB_OK) {
            memcpy(memory, found + 1, (size_t)count * sizeof *memory);
        }
    }
    free(slots);
    return status;
}
