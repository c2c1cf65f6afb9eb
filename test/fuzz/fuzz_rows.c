// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a file of rows of a sweep. Lines get the checksum that belongs to them, so that what is behind it is
// read too; those that start with '!' stay as they are. The table is refused in words or consistent, and a row that is
// added to the file is found again.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include <stdio.h>
#include <unistd.h>

#include "fuzz.h"
#include "fuzz_folder.h"
#include "sweep/sweep_files.h"
#include "sweep/sweep_rows.h"

static char folder[LB_FUZZ_FOLDER_SIZE];
static char plan[LB_FUZZ_FOLDER_SIZE + 16], model[LB_FUZZ_FOLDER_SIZE + 16],
    rows[LB_FUZZ_FOLDER_SIZE + 16];
static lb_sweep *sweep;

static void remove_files(void)
{
    lb_destroy_sweep(sweep);
    unlink(plan);
    unlink(model);
    unlink(rows);
    rmdir(folder);
}

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        exit(2);
    }
    return file;
}

static void put_text(const char *path, const char *text)
{
    FILE *file = open_file(path);
    if (fputs(text, file) < 0 || fclose(file) != 0) {
        exit(2);
    }
}

static void prepare(void)
{
    if (sweep) {
        return;
    }
    lb_fuzz_make_folder(folder);
    snprintf(plan, sizeof plan, "%s/plan.yaml", folder);
    snprintf(model, sizeof model, "%s/m.yaml", folder);
    snprintf(rows, sizeof rows, "%s/a.rows", folder);
    atexit(remove_files);
    put_text(model, "limber: 1\n"
                    "parameters: {m: 1}\n"
                    "bodies: [{name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: m, "
                    "com: [1, 0, 0]}]\n");
    put_text(plan, "limber_sweep: 1\nmodel: m.yaml\nvary: {m: {values: [1, 2, 3, 4]}}\n"
                   "sampling: grid\n"
                   "job: {type: run, duration: 1}\n"
                   "outputs: {x: {signal: arm.angle}, y: {signal: t}}\n");
    if (lb_load_sweep(plan, NULL, NULL, &sweep) < 0) {
        exit(2);
    }
}

// The bytes as lines; the first one of the sweep goes before them unless they start with '!'.
static void write_rows(const uint8_t *data, size_t size)
{
    char header[LB_ROWS_HEADER];
    FILE *file = open_file(rows);
    if (size == 0 || data[0] != '!') {
        fwrite(header, 1, lb_format_rows_header(sweep, header), file);
    }
    while (size > 0) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t length = end ? (size_t)(end - data) : size;
        if (length > 0 && data[0] == '!') {
            fwrite(data + 1, 1, length - 1, file);
        } else {
            fprintf(file, "%08x ", (unsigned)lb_compute_line_checksum((const char *)data, length));
            fwrite(data, 1, length, file);
        }
        if (end) {
            fputc('\n', file);
        }
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
    if (fclose(file) != 0) {
        exit(2);
    }
}

static void count_error(void *user, const lb_diagnostic *diagnostic)
{
    *(int *)user += diagnostic->severity == LB_SEVERITY_ERROR;
    if (!diagnostic->message[0]) {
        abort();
    }
}

// The table; NULL if it was refused in words.
static lb_sweep_table *read_table(void)
{
    int errors = 0;
    const lb_report report = {count_error, &errors};
    lb_sweep_table *table = NULL;
    const lb_status status = lb_read_sweep_table(sweep, folder, &report, &table);
    if ((status == LB_OK) != (table != NULL) || (status == LB_OK) != (errors == 0)) {
        abort();
    }
    for (int64_t i = 0; table && i < table->sample_count; ++i) {
        if ((table->states[i] == LB_SAMPLE_FAILED) != (table->messages[i] != NULL)) {
            abort();
        }
    }
    return table;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    prepare();
    write_rows(data, size);
    lb_sweep_table *table = read_table();
    const bool is_good = table != NULL;
    const bool is_open = is_good && table->states[3] == LB_SAMPLE_OPEN;
    const int64_t before = is_good ? table->done_count : 0;
    lb_destroy_sweep_table(table);

    lb_sweep_rows *file = NULL;
    const lb_status status = lb_open_sweep_rows(sweep, rows, NULL, &file);
    if ((status == LB_OK) != (file != NULL) || (is_good && !file)) {
        abort();
    }
    if (!is_good || !is_open) {
        lb_close_sweep_rows(file);
        return 0;
    }
    const double outputs[2] = {1.5, -2.5};
    if (lb_write_sweep_row(file, 3, LB_OK, outputs, "") < 0 || lb_close_sweep_rows(file) < 0) {
        abort();
    }
    table = read_table();
    if (!table || table->done_count != before + 1 ||
        memcmp(table->outputs + 6, outputs, sizeof outputs) != 0) {
        abort();
    }
    lb_destroy_sweep_table(table);
    return 0;
}
