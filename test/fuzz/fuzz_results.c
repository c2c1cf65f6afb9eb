// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a file of results: refused in words, or everything that the file is said to hold can be
// read, and its times and events are in order. The same for what is left of a damaged file.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "fuzz_folder.h"
#include "limber/results.h"
#include "simulate/store/record_file.h"

static char folder[LB_FUZZ_FOLDER_SIZE], path[LB_FUZZ_FOLDER_SIZE + 8];

static void remove_file(void)
{
    unlink(path);
    rmdir(folder);
}

static void put_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0) {
        lb_fuzz_make_folder(folder);
        snprintf(path, sizeof path, "%s/file", folder);
        fd = open(path, O_RDWR | O_CREAT, 0600);
        atexit(remove_file);
    }
    if (fd < 0 || lb_write_at(fd, data, size, 0) < 0 || ftruncate(fd, (off_t)size) != 0) {
        exit(2);
    }
}

// Every diagnostic names the file: the command prints it as it is.
static void check_diagnostic(void *user, const lb_diagnostic *diagnostic)
{
    ++*(int *)user;
    if (!strstr(diagnostic->message, path) || strlen(diagnostic->message) < strlen(path) + 5) {
        abort();
    }
}

static void read_tables(const lb_results *results)
{
    const lb_results_info *info = lb_get_results_info(results);
    const long rows = info->row_count;
    for (int i = 0; i < info->table_count; ++i) {
        const int width = info->tables[i].column_count;
        int found = -1;
        double before = -INFINITY;
        double *row = malloc((size_t)width * sizeof *row);
        if (!row) {
            exit(2);
        }
        lb_find_column(results, info->tables[i].columns[width - 1], &found);
        if (width < 1 || !info->tables[i].note || found < 0) {
            abort();
        }
        for (long k = 0; k < rows; ++k) {
            const lb_status status = lb_read_table(results, i, k, 1, row);
            if (status < 0 && !lb_get_results_message(results)[0]) {
                abort();
            }
            // time is read when the file is opened
            if (i == 0 && (status < 0 || !isfinite(row[0]) || row[0] < before)) {
                abort();
            }
            before = row[0];
        }
        if (lb_read_table(results, i, rows, 1, row) != LB_E_ARGUMENT) {
            abort();
        }
        free(row);
    }
}

static void read_rest(const lb_results *results)
{
    const lb_results_info *info = lb_get_results_info(results);
    double t, before = -INFINITY, memory[3];
    const char *name;
    for (int i = 0; i < info->event_count; ++i) {
        if (lb_read_event(results, i, &t, &name) < 0 || !isfinite(t) || t < before ||
            strlen(name) >= LB_COLUMN_SIZE) {
            abort();
        }
        before = t;
    }
    lb_audit audit = {.size = sizeof audit};
    lb_read_audit(results, &audit);
    lb_read_restart(results, 3, memory);
    for (int i = 0; i < info->file_count; ++i) {
        void *bytes;
        size_t size;
        const lb_status status = lb_read_results_file(results, i, &bytes, &size);
        if (!info->files[i] || (status == LB_OK) != (bytes != NULL) ||
            (status < 0 && !lb_get_results_message(results)[0])) {
            abort();
        }
        free(bytes);
    }
    if (!info->model || !info->options || !info->hash || !info->version || info->ending < 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lb_status (*const ways[])(const char *, const lb_report *,
                                     lb_results **) = {lb_open_results, lb_open_damaged_results};
    put_file(data, size);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        int errors = 0;
        const lb_report report = {check_diagnostic, &errors};
        lb_results *results = NULL;
        const lb_status status = ways[i](path, &report, &results);
        // results, or a reason why there are none
        if ((status == LB_OK) != (results != NULL) || (status == LB_OK) != (errors == 0)) {
            abort();
        }
        if (results) {
            if (lb_get_results_message(results)[0]) {
                abort();
            }
            read_tables(results);
            read_rest(results);
            lb_close_results(results);
        }
    }
    return 0;
}
