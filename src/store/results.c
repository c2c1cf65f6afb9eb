// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading a file of results.
#define _POSIX_C_SOURCE 200809L
#include "limber/results.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf5_guard.h"
#include "record_file.h"

enum { TABLE_MAX = 32, NAME_SIZE = 32 };

typedef struct table {
    char name[NAME_SIZE];
    char *note;
    hid_t dataset;
    int column_count;
    char *columns; // LB_COLUMN_SIZE each
} table;

struct lb_results {
    hid_t file;
    char *model, *options, *hash, *version;
    int64_t counters[LB_COUNTER_COUNT];
    int table_count;
    table tables[TABLE_MAX];
    int event_name_count;
    char *event_names;
    void *image;      // bytes of a damaged file; NULL if it is whole
    hsize_t present;  // how many of them the file had
    char damage[256]; // what was lost; "" if nothing
};

// ---- pieces --------------------------------------------------------------------------------------

// Whole of a string attribute or scalar string dataset, to be freed; NULL if it cannot be read.
static char *read_text(hid_t at, const char *name, bool is_attribute)
{
    const hid_t id =
        is_attribute ? H5Aopen(at, name, H5P_DEFAULT) : H5Dopen2(at, name, H5P_DEFAULT);
    if (id < 0) {
        return NULL;
    }
    const hid_t type = is_attribute ? H5Aget_type(id) : H5Dget_type(id);
    char *text = NULL;
    if (H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type)) {
        const size_t size = H5Tget_size(type);
        text = size < SIZE_MAX ? calloc(size + 1, 1) : NULL;
        const herr_t bad = !text          ? -1
                           : is_attribute ? H5Aread(id, type, text)
                                          : H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
        if (bad < 0) {
            free(text);
            text = NULL;
        }
    }
    H5Tclose(type);
    is_attribute ? H5Aclose(id) : H5Dclose(id);
    return text;
}

// A list of names, LB_COLUMN_SIZE each; NULL if it cannot be read.
static char *read_names(hid_t at, const char *name, int *count)
{
    const hid_t id = H5Dopen2(at, name, H5P_DEFAULT);
    if (id < 0) {
        return NULL;
    }
    const hid_t space = H5Dget_space(id), type = H5Dget_type(id);
    const hssize_t size = H5Sget_simple_extent_npoints(space);
    char *names = NULL;
    if (size >= 0 && size < INT32_MAX && H5Tget_class(type) == H5T_STRING &&
        H5Tget_size(type) == LB_COLUMN_SIZE) {
        names = calloc((size_t)size + 1, LB_COLUMN_SIZE);
        if (names && H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) < 0) {
            free(names);
            names = NULL;
        }
        *count = (int)size;
    }
    // closed, whoever wrote it
    for (int i = 0; names && i < *count; ++i) {
        names[(size_t)(i + 1) * LB_COLUMN_SIZE - 1] = 0;
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(id);
    return names;
}

static lb_status read_array(hid_t file, const char *name, hid_t type, int count, void *values)
{
    const hid_t id = H5Dopen2(file, name, H5P_DEFAULT);
    if (id < 0) {
        return LB_E_SYNTAX;
    }
    const hid_t space = H5Dget_space(id);
    const bool good = H5Sget_simple_extent_npoints(space) == count &&
                      H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    H5Sclose(space);
    H5Dclose(id);
    return good ? LB_OK : LB_E_SYNTAX;
}

static lb_status read_rows(const table *t, long first, long count, double *values)
{
    const hsize_t start[2] = {(hsize_t)first, 0};
    const hsize_t size[2] = {(hsize_t)count, (hsize_t)t->column_count};
    const hid_t space = H5Dget_space(t->dataset), memory = H5Screate_simple(2, size, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
    const herr_t bad = H5Dread(t->dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values);
    H5Sclose(memory);
    H5Sclose(space);
    return bad < 0 ? LB_E_FILE : LB_OK;
}

// ---- opening -------------------------------------------------------------------------------------

static void close_table(table *t)
{
    if (t->dataset > 0) {
        H5Dclose(t->dataset);
    }
    free(t->columns);
    free(t->note);
    *t = (table){.dataset = 0};
}

// Rows of a damaged file end where the bytes of `time` or `q` do; false for another table that does
// not have them all.
static bool limit_rows(lb_results *results, const table *t)
{
    const haddr_t offset = H5Dget_offset(t->dataset);
    const hsize_t row = (hsize_t)t->column_count * sizeof(double);
    if (offset == HADDR_UNDEF || offset >= results->present || row == 0) {
        return false;
    }
    const int64_t rows = (int64_t)((results->present - offset) / row);
    if (rows >= results->counters[LB_COUNTER_ROWS]) {
        return true;
    }
    if (rows > 0 && (strcmp(t->name, "time") == 0 || strcmp(t->name, "q") == 0)) {
        results->counters[LB_COUNTER_ROWS] = rows;
        return true;
    }
    return false;
}

// Tables in the order in which they are written: this is the order of the known names.
//
// Of a damaged file, tables that cannot be read are left out.
static lb_status open_tables(lb_results *results)
{
    static const char *const known[] = {"time",    "q",     "v",         "a",
                                        "energy",  "work",  "momentum",  "nodes",
                                        "signals", "loops", "reactions", "control"};
    const hid_t group = H5Gopen2(results->file, "columns", H5P_DEFAULT);
    if (group < 0) {
        return LB_E_SYNTAX;
    }
    lb_status status = LB_OK;
    for (size_t i = 0; status >= 0 && i < sizeof known / sizeof known[0]; ++i) {
        if (H5Lexists(group, known[i], H5P_DEFAULT) <= 0) {
            continue;
        }
        table *t = &results->tables[results->table_count++];
        snprintf(t->name, sizeof t->name, "%s", known[i]);
        t->columns = read_names(group, known[i], &t->column_count);
        t->dataset = H5Dopen2(results->file, known[i], H5P_DEFAULT);
        status = t->columns && t->dataset >= 0 ? LB_OK : LB_E_SYNTAX;
        if (results->image && (status < 0 || !limit_rows(results, t))) {
            snprintf(results->damage, sizeof results->damage, "table %s is lost", known[i]);
            close_table(&results->tables[--results->table_count]);
            status = LB_OK;
            continue;
        }
        if (status >= 0) {
            t->note = read_text(t->dataset, "note", true);
            hsize_t size[2] = {0};
            const hid_t space = H5Dget_space(t->dataset);
            const bool fits = H5Sget_simple_extent_ndims(space) == 2 &&
                              H5Sget_simple_extent_dims(space, size, NULL) == 2 &&
                              size[1] == (hsize_t)t->column_count &&
                              (int64_t)size[0] >= results->counters[LB_COUNTER_ROWS];
            H5Sclose(space);
            status = fits ? LB_OK : LB_E_SYNTAX;
        }
    }
    H5Gclose(group);
    return status < 0 || results->table_count == 0 || strcmp(results->tables[0].name, "time") != 0
               ? LB_E_SYNTAX
               : LB_OK;
}

static lb_status read_header(lb_results *results, const char *path, char message[256])
{
    char *format = read_text(results->file, "format", true);
    const bool ours = format && strcmp(format, "limber-results") == 0;
    free(format);
    if (!ours) {
        snprintf(message, 256, "%s: an HDF5 file, but not of results of limber", path);
        return LB_E_SYNTAX;
    }
    int layout = 0;
    const hid_t attribute = H5Aopen(results->file, "layout", H5P_DEFAULT);
    if (attribute >= 0) {
        H5Aread(attribute, H5T_NATIVE_INT, &layout);
        H5Aclose(attribute);
    }
    if (layout != LB_RESULTS_LAYOUT) {
        snprintf(message, 256, "%s: layout %d; this version reads layout %d", path, layout,
                 LB_RESULTS_LAYOUT);
        return LB_E_UNSUPPORTED;
    }
    results->model = read_text(results->file, "model", false);
    results->options = read_text(results->file, "options", false);
    results->hash = read_text(results->file, "model_sha256", true);
    results->version = read_text(results->file, "version", true);
    if (H5Lexists(results->file, "event_names", H5P_DEFAULT) > 0) {
        results->event_names = read_names(results->file, "event_names", &results->event_name_count);
    }
    lb_status status = results->model && results->options && results->hash && results->version
                           ? LB_OK
                           : LB_E_SYNTAX;
    status = status < 0 ? status
                        : read_array(results->file, "counters", H5T_NATIVE_INT64, LB_COUNTER_COUNT,
                                     results->counters);
    if (status >= 0 &&
        (results->counters[LB_COUNTER_ROWS] < 0 || results->counters[LB_COUNTER_EVENTS] < 0)) {
        status = LB_E_SYNTAX;
    }
    status = status < 0 ? status : open_tables(results);
    if (status < 0) {
        snprintf(message, 256, "%s: the file is damaged", path);
    }
    return status;
}

// Tells a report in one sentence, which names the file.
static void emit(const lb_report *report, const char *message)
{
    if (report && report->emit) {
        const lb_diagnostic diagnostic = {
            .size = sizeof diagnostic, .path = "", .message = message};
        report->emit(report->user, &diagnostic);
    }
}

static void close_all(lb_results *results)
{
    for (int i = 0; i < results->table_count; ++i) {
        close_table(&results->tables[i]);
    }
    if (results->file > 0) {
        H5Fclose(results->file);
    }
    free(results->image);
    free(results->model);
    free(results->options);
    free(results->hash);
    free(results->version);
    free(results->event_names);
    free(results);
}

lb_status lb_open_result_file(const char *path, char message[256], lb_results **out)
{
    char part[4096];
    struct stat about;
    *out = NULL;
    if (stat(path, &about) != 0 && errno == ENOENT) {
        snprintf(part, sizeof part, "%s.part", path);
        path = stat(part, &about) == 0 ? part : path;
    }
    if (access(path, R_OK) != 0) {
        snprintf(message, 256, "cannot read %s: %s", path, strerror(errno));
        return LB_E_FILE;
    }
    lb_results *results = calloc(1, sizeof *results);
    if (!results) {
        snprintf(message, 256, "out of memory");
        return LB_E_MEMORY;
    }
    lb_hdf5_guard guard;
    lb_enter_hdf5(&guard);
    results->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    lb_status status;
    if (results->file < 0) {
        snprintf(message, 256, "cannot read %s: it is no HDF5 file, or it was cut off", path);
        status = LB_E_FILE;
    } else {
        status = read_header(results, path, message);
    }
    if (status < 0) {
        close_all(results);
    } else {
        *out = results;
    }
    lb_leave_hdf5(&guard);
    return status;
}

lb_status lb_open_results(const char *path, const lb_report *report, lb_results **results)
{
    char message[256];
    const lb_status status = lb_open_result_file(path, message, results);
    if (status < 0) {
        emit(report, message);
    }
    return status;
}

// ---- damaged files -------------------------------------------------------------------------------

// The end of the file as its own first block has it: HDF5, superblock of version 0, 2 or 3. HDF5 does
// not open a file that is shorter than this, and no property of it says otherwise; it does open an
// image of that length in memory, so the number is read here.
static hsize_t get_stored_end(const unsigned char *bytes, size_t size)
{
    static const unsigned char mark[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    hsize_t end = 0;
    if (size < 64 || memcmp(bytes, mark, 8) != 0) {
        return 0;
    }
    const int at = bytes[8] == 0 ? 40 : bytes[8] == 2 || bytes[8] == 3 ? 28 : 0;
    for (int i = 7; at > 0 && i >= 0; --i) {
        end = end << 8 | bytes[at + i];
    }
    return end;
}

// What there is of a file, and zeros up to where it should have ended.
static void *read_image(const char *path, size_t *size, hsize_t *present)
{
    enum { MIB = 1024 * 1024 };
    FILE *file = fopen(path, "rb");
    unsigned char head[64];
    struct stat about;
    void *image = NULL;
    if (file && fstat(fileno(file), &about) == 0 && fread(head, 1, sizeof head, file) == 64) {
        hsize_t end = get_stored_end(head, sizeof head);
        *present = (hsize_t)about.st_size;
        end = end < *present ? *present : end;
        if (end <= (hsize_t)4096 * MIB) {
            image = calloc((size_t)end, 1);
            *size = (size_t)end;
            rewind(file);
            if (image && fread(image, 1, (size_t)*present, file) != (size_t)*present) {
                free(image);
                image = NULL;
            }
        }
    }
    if (file) {
        fclose(file);
    }
    return image;
}

// Rows count as long as time goes on.
static lb_status trust_times(lb_results *results)
{
    double before = -1e300;
    for (int64_t row = 0; row < results->counters[LB_COUNTER_ROWS]; ++row) {
        double t;
        if (read_rows(&results->tables[0], (long)row, 1, &t) < 0 || !(t > before) || !(t < 1e300)) {
            results->counters[LB_COUNTER_ROWS] = row;
        }
        before = t;
    }
    return results->counters[LB_COUNTER_ROWS] > 0 ? LB_OK : LB_E_SYNTAX;
}

// Opens what there is of a file as an image in memory.
static lb_status open_image(lb_results *results, const char *path, size_t size)
{
    char message[256];
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, 0);
    H5Pset_file_image(access, results->image, size);
    // the image needs a name that no file has
    results->file = H5Fopen("/limber/damaged/results", H5F_ACC_RDONLY, access);
    H5Pclose(access);
    const lb_status status = results->file >= 0 ? read_header(results, path, message) : LB_E_SYNTAX;
    return status < 0 ? status : trust_times(results);
}

lb_status lb_open_damaged_results(const char *path, const lb_report *report, lb_results **out)
{
    lb_results *results = calloc(1, sizeof *results);
    size_t size = 0;
    *out = NULL;
    if (!results) {
        emit(report, "out of memory");
        return LB_E_MEMORY;
    }
    lb_hdf5_guard guard;
    lb_enter_hdf5(&guard);
    results->image = read_image(path, &size, &results->present);
    const lb_status status = results->image ? open_image(results, path, size) : LB_E_FILE;
    if (status < 0) {
        close_all(results);
    }
    lb_leave_hdf5(&guard);
    if (status < 0) {
        char message[256];
        snprintf(message, sizeof message, "%s: too damaged to read anything of it", path);
        emit(report, message);
        return status;
    }
    const bool lost = results->damage[0] != 0;
    if (results->present < size) {
        snprintf(results->damage, sizeof results->damage, "it was cut off at %.0f of %.0f bytes%s",
                 (double)results->present, (double)size, lost ? ", and some tables are lost" : "");
    } else if (!results->damage[0]) {
        snprintf(results->damage, sizeof results->damage, "parts of it are unreadable");
    }
    *out = results;
    return LB_OK;
}

const char *lb_get_results_damage(const lb_results *results)
{
    return results->damage;
}

void lb_close_results(lb_results *results)
{
    if (results) {
        lb_hdf5_guard guard;
        lb_enter_hdf5(&guard);
        close_all(results);
        lb_leave_hdf5(&guard);
    }
}

// ---- reading -------------------------------------------------------------------------------------

long lb_get_results_row_count(const lb_results *results)
{
    return (long)results->counters[LB_COUNTER_ROWS];
}

int lb_get_results_ending(const lb_results *results)
{
    return (int)results->counters[LB_COUNTER_COMPLETE];
}

const char *lb_get_results_model(const lb_results *results)
{
    return results->model;
}

const char *lb_get_results_hash(const lb_results *results)
{
    return results->hash;
}

const char *lb_get_results_options(const lb_results *results)
{
    return results->options;
}

const char *lb_get_results_version(const lb_results *results)
{
    return results->version;
}

int lb_get_table_count(const lb_results *results)
{
    return results->table_count;
}

const char *lb_get_table_name(const lb_results *results, int i)
{
    return results->tables[i].name;
}

const char *lb_get_table_note(const lb_results *results, int i)
{
    return results->tables[i].note ? results->tables[i].note : "";
}

int lb_get_column_count(const lb_results *results, int i)
{
    return results->tables[i].column_count;
}

const char *lb_get_column_name(const lb_results *results, int i, int column)
{
    return results->tables[i].columns + (size_t)column * LB_COLUMN_SIZE;
}

int lb_find_column(const lb_results *results, const char *name, int *found)
{
    for (int i = 0; i < results->table_count; ++i) {
        const size_t length = strlen(results->tables[i].name);
        const bool asked =
            strncmp(name, results->tables[i].name, length) == 0 && name[length] == ':';
        const char *wanted = asked ? name + length + 1 : name;
        for (int j = 0; j < results->tables[i].column_count; ++j) {
            if (strcmp(lb_get_column_name(results, i, j), wanted) == 0) {
                *found = i;
                return j;
            }
        }
    }
    return LB_NOT_FOUND;
}

lb_status lb_read_table(const lb_results *results, int i, long first, long count, double *values)
{
    if (first < 0 || count < 0 || first + count > lb_get_results_row_count(results)) {
        return LB_E_ARGUMENT;
    }
    lb_hdf5_guard guard;
    lb_enter_hdf5(&guard);
    const lb_status status = read_rows(&results->tables[i], first, count, values);
    lb_leave_hdf5(&guard);
    return status;
}

int lb_get_event_count(const lb_results *results)
{
    return (int)results->counters[LB_COUNTER_EVENTS];
}

// Time and index of an event.
static lb_status read_event_row(const lb_results *results, int index, double values[2])
{
    const hid_t id = H5Dopen2(results->file, "events", H5P_DEFAULT);
    if (id < 0) {
        return LB_E_FILE;
    }
    const hsize_t start[2] = {(hsize_t)index, 0}, size[2] = {1, 2};
    const hid_t space = H5Dget_space(id), memory = H5Screate_simple(2, size, NULL);
    const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                      H5Dread(id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0 &&
                      values[1] >= 0.0 && values[1] < results->event_name_count;
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(id);
    return good ? LB_OK : LB_E_FILE;
}

lb_status lb_read_event(const lb_results *results, int index, double *t, const char **name)
{
    if (index < 0 || index >= lb_get_event_count(results)) {
        return LB_E_ARGUMENT;
    }
    double values[2] = {0.0, 0.0};
    lb_hdf5_guard guard;
    lb_enter_hdf5(&guard);
    const lb_status status = read_event_row(results, index, values);
    lb_leave_hdf5(&guard);
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
    char *names = read_names(results->file, "audit_names", &count);
    double *values = names ? calloc((size_t)count + 1, sizeof *values) : NULL;
    lb_status status = !names ? LB_E_SYNTAX
                       : !values
                           ? LB_E_MEMORY
                           : read_array(results->file, "audit", H5T_NATIVE_DOUBLE, count, values);
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
        lb_hdf5_guard guard;
        lb_enter_hdf5(&guard);
        status = read_audit_entries(results, &own);
        lb_leave_hdf5(&guard);
    }
    return status < 0 ? status : lb_give_audit(&own, audit);
}

lb_status lb_read_restart(const lb_results *results, int count, double *memory)
{
    const size_t slot = 1 + (size_t)count;
    double *slots = malloc(2 * slot * sizeof *slots);
    lb_hdf5_guard guard;
    lb_enter_hdf5(&guard);
    lb_status status =
        slots ? read_array(results->file, "restart", H5T_NATIVE_DOUBLE, 2 * (int)slot, slots)
              : LB_E_MEMORY;
    lb_leave_hdf5(&guard);
    if (status == LB_OK) {
        const double rows = (double)results->counters[LB_COUNTER_ROWS];
        const double *found = slots[0] == rows ? slots : slots[slot] == rows ? slots + slot : NULL;
        status = found ? LB_OK : LB_E_SYNTAX;
        if (found) {
            memcpy(memory, found + 1, (size_t)count * sizeof *memory);
        }
    }
    free(slots);
    return status;
}
