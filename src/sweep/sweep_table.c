// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading files of rows, and the table that they make together.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/output.h"
#include "base/hdf5/hdf5_writer.h"
#include "sweep_files.h"
#include "sweep_rows.h"

enum { PATH_SIZE = 4096 };

typedef struct table {
    lb_sweep_table shown; // first
    lb_arena *arena;
    unsigned char *states;
    double *outputs;
    const char **messages;
    unsigned char *unstable;
} table;

// ---- lines -------------------------------------------------------------------------------------

// Outputs of a row; false if they are not as many as expected.
static bool read_outputs(const char *at, int count, double *outputs)
{
    for (int i = 0; i < count; ++i) {
        char *end;
        if (*at != ' ') {
            return false;
        }
        const uint64_t bits = strtoull(at + 1, &end, 16);
        if (end != at + 17) {
            return false;
        }
        if (outputs) {
            memcpy(&outputs[i], &bits, sizeof bits);
        }
        at = end;
    }
    return *at == '\0';
}

// A row, into the table or into the states alone. Lines that are damaged are passed over. The first row of a sample
// counts: any other says the same.
static lb_status read_line(const lb_sweep *sweep, char *line, size_t length, unsigned char *states,
                           table *t)
{
    char *end;
    if (length < 10 || line[8] != ' ') {
        return LB_OK;
    }
    const unsigned long sum = strtoul(line, &end, 16);
    if (end != line + 8 || sum != lb_compute_line_checksum(line + 9, length - 9)) {
        return LB_OK;
    }
    const long long index = strtoll(line + 9, &end, 10);
    const long status = *end == ' ' ? strtol(end, &end, 10) : 0;
    if (index < 0 || index >= lb_count_samples(sweep) || states[index] != LB_SAMPLE_OPEN) {
        return LB_OK;
    }
    const int count = sweep->output_count;
    if (status >= 0) {
        if (read_outputs(end, count, t ? t->outputs + (ptrdiff_t)index * count : NULL)) {
            states[index] = LB_SAMPLE_DONE;
        }
        if (t && states[index] == LB_SAMPLE_DONE && status == LB_NEWS_UNSTABLE) {
            t->unstable[index] = 1;
            t->messages[index] = lb_get_status_text(LB_NEWS_UNSTABLE);
        }
        return LB_OK;
    }
    states[index] = LB_SAMPLE_FAILED;
    if (t) {
        t->messages[index] = lb_arena_text(t->arena, *end == ' ' ? end + 1 : end);
    }
    return t && !t->messages[index] ? LB_E_MEMORY : LB_OK;
}

// A line without its end. What does not fit is left out, and the checksum will not be right.
//
// @return false for one that is being written, or was cut off by a kill
static bool take_line(FILE *file, char *line, size_t room, size_t *length)
{
    int c;
    for (*length = 0; (c = getc(file)) != EOF && c != '\n';) {
        if (*length + 1 < room) {
            line[(*length)++] = (char)c;
        }
    }
    line[*length] = '\0';
    return c == '\n';
}

static lb_status read_lines(const lb_sweep *sweep, FILE *file, const char *path,
                            const lb_report *report, unsigned char *states, table *t)
{
    char header[LB_ROWS_HEADER];
    const size_t room = lb_get_row_room(sweep);
    const size_t expected = lb_format_rows_header(sweep, header) - 1;
    char *line = malloc(room);
    size_t length;
    lb_status status = line ? LB_OK : LB_E_MEMORY;
    for (long number = 0; status >= 0 && take_line(file, line, room, &length); ++number) {
        if (number > 0) {
            status = read_line(sweep, line, length, states, t);
        } else if (length != expected || memcmp(line, header, expected) != 0) {
            status = lb_complain_of_rows(report, path, LB_E_MODEL, lb_other_rows);
        }
    }
    if (status >= 0 && ferror(file)) {
        status = lb_complain_of_rows(report, path, LB_E_FILE, strerror(errno));
    }
    free(line);
    return status;
}

static lb_status read_rows(const lb_sweep *sweep, const char *path, const lb_report *report,
                           unsigned char *states, table *t)
{
    // a pipe would be waited for, and a device has no end
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        return LB_OK;
    }
    struct stat about;
    const bool is_regular = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = is_regular ? fdopen(fd, "r") : NULL;
    lb_status status = LB_E_FILE;
    if (file) {
        status = read_lines(sweep, file, path, report, states, t);
        fclose(file);
        return status;
    }
    lb_complain_of_rows(report, path, status, fd < 0 || is_regular ? strerror(errno) : lb_no_file);
    if (fd >= 0) {
        close(fd);
    }
    return status;
}

static lb_status read_folder(const lb_sweep *sweep, const char *folder, const lb_report *report,
                             unsigned char *states, table *t)
{
    DIR *entries = opendir(folder);
    lb_status status = LB_OK;
    if (!entries) {
        char message[128];
        snprintf(message, sizeof message, "%s; name another folder", strerror(errno));
        return errno == ENOENT ? LB_OK : lb_complain_of_rows(report, folder, LB_E_FILE, message);
    }
    for (const struct dirent *e; status >= 0 && (e = readdir(entries));) {
        const size_t length = strlen(e->d_name);
        char path[PATH_SIZE];
        if (length < 6 || strcmp(e->d_name + length - 5, ".rows") != 0 ||
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= PATH_SIZE) {
            continue;
        }
        status = read_rows(sweep, path, report, states, t);
    }
    closedir(entries);
    return status;
}

lb_status lb_read_sample_states(const lb_sweep *sweep, const char *folder, const lb_report *report,
                                unsigned char *states)
{
    memset(states, LB_SAMPLE_OPEN, (size_t)lb_count_samples(sweep));
    return read_folder(sweep, folder, report, states, NULL);
}

// ---- the table ---------------------------------------------------------------------------------

lb_status lb_read_sweep_table(const lb_sweep *sweep, const char *folder, const lb_report *report,
                              lb_sweep_table **result)
{
    lb_arena *arena;
    table *t = lb_create_record(sizeof *t, &arena);
    const size_t samples = (size_t)lb_count_samples(sweep);
    const size_t numbers = samples * (size_t)sweep->output_count;
    *result = NULL;
    if (!t) {
        return LB_E_MEMORY;
    }
    t->arena = arena;
    t->states = lb_arena_take(arena, samples, 1);
    t->outputs = lb_take_numbers(arena, numbers);
    t->messages = lb_arena_take(arena, samples, sizeof *t->messages);
    t->unstable = lb_arena_take(arena, samples, 1);
    lb_status status = t->states && t->outputs && t->messages && t->unstable ? LB_OK : LB_E_MEMORY;
    for (size_t i = 0; status >= 0 && i < numbers; ++i) {
        t->outputs[i] = NAN;
    }
    status = status < 0 ? status : read_folder(sweep, folder, report, t->states, t);
    if (status < 0) {
        lb_destroy_record(t);
        return status;
    }
    t->shown = (lb_sweep_table){.size = sizeof t->shown,
                                .sample_count = (int64_t)samples,
                                .states = t->states,
                                .outputs = t->outputs,
                                .messages = t->messages,
                                .unstable = t->unstable};
    for (size_t i = 0; i < samples; ++i) {
        t->shown.done_count += t->states[i] == LB_SAMPLE_DONE;
        t->shown.failed_count += t->states[i] == LB_SAMPLE_FAILED;
        t->shown.unstable_count += t->unstable[i];
    }
    *result = &t->shown;
    return LB_OK;
}

void lb_destroy_sweep_table(lb_sweep_table *shown)
{
    lb_destroy_record(shown);
}

// ---- HDF5 --------------------------------------------------------------------------------------

static void put_names(lb_hdf5_writer *w, const char *key, int count, const char *const *names)
{
    size_t size = 2;
    for (int i = 0; i < count; ++i) {
        const size_t length = strlen(names[i]) + 1;
        size = length > size ? length : size;
    }
    lb_put_hdf5_names(w, LB_HDF5_ROOT, key, size, count, names);
}

static lb_status put_table(const lb_sweep *sweep, const lb_sweep_table *t, lb_arena *arena,
                           lb_hdf5_writer *w)
{
    const int n = sweep->variation_count, m = sweep->output_count;
    const uint64_t rows = (uint64_t)t->sample_count;
    double *values = lb_take_numbers(arena, (size_t)rows * (size_t)n);
    const char **names = lb_arena_take(arena, (size_t)(n + m), sizeof *names);
    const char **messages = lb_arena_take(arena, (size_t)t->failed_count + 1, sizeof *messages);
    int64_t *failed = lb_arena_take(arena, (size_t)t->failed_count + 1, sizeof *failed);
    if (!values || !names || !messages || !failed) {
        return LB_E_MEMORY;
    }
    uint64_t failures = 0;
    for (int64_t i = 0; i < t->sample_count; ++i) {
        lb_compute_sample(sweep, i, values + (ptrdiff_t)i * n);
        if (t->states[i] == LB_SAMPLE_FAILED) {
            messages[failures] = t->messages[i];
            failed[failures++] = i;
        }
    }
    for (int i = 0; i < n + m; ++i) {
        names[i] = i < n ? sweep->variations[i].name : sweep->outputs[i - n].name;
    }
    const int64_t seed = (int64_t)sweep->seed;
    const lb_hdf5_shape one = {.type = LB_HDF5_INT64};
    const lb_hdf5_shape inputs = {LB_HDF5_FLOAT64, 0, 2, {rows, (uint64_t)n}};
    const lb_hdf5_shape outputs = {LB_HDF5_FLOAT64, 0, 2, {rows, (uint64_t)m}};
    const lb_hdf5_shape states = {LB_HDF5_UINT8, 0, 1, {rows}};
    const lb_hdf5_shape indices = {LB_HDF5_INT64, 0, 1, {failures}};
    lb_put_hdf5_text_attribute(w, LB_HDF5_ROOT, "sweep", sweep->hash);
    lb_put_hdf5_attribute(w, LB_HDF5_ROOT, "seed", &one, &seed);
    put_names(w, "parameter_names", n, names);
    put_names(w, "output_names", m, names + n);
    lb_put_hdf5_dataset(w, LB_HDF5_ROOT, "parameters", &inputs, values);
    lb_put_hdf5_dataset(w, LB_HDF5_ROOT, "outputs", &outputs, t->outputs);
    lb_put_hdf5_dataset(w, LB_HDF5_ROOT, "state", &states, t->states);
    if (t->unstable_count > 0) {
        lb_put_hdf5_dataset(w, LB_HDF5_ROOT, "unstable", &states, t->unstable);
    }
    if (failures > 0) {
        lb_put_hdf5_dataset(w, LB_HDF5_ROOT, "failed", &indices, failed);
        put_names(w, "failure", (int)failures, messages);
    }
    return lb_finish_hdf5_writer(w);
}

lb_status lb_save_sweep_table(const lb_sweep *sweep, const lb_sweep_table *t, const char *path,
                              const lb_report *report)
{
    lb_output *output = NULL;
    lb_status status = lb_open_output(path, report, &output);
    if (status < 0) {
        return status;
    }
    lb_hdf5_writer w;
    lb_arena arena = lb_make_arena(NULL);
    lb_start_hdf5_writer(&w);
    status = put_table(sweep, t, &arena, &w);
    int error = 0;
    for (size_t done = 0; status >= 0 && done < w.size;) {
        const ssize_t written =
            write(lb_get_output_descriptor(output), w.bytes + done, w.size - done);
        if (written < 0 && errno != EINTR) {
            error = errno;
            status = LB_E_FILE;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    if (status < 0) {
        lb_drop_output(output, error, report);
    } else {
        status = lb_finish_output(output, true, report);
    }
    lb_free_hdf5_writer(&w);
    lb_arena_free(&arena);
    return status;
}
