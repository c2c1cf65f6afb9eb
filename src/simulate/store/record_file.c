// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The HDF5 side of recording. The whole structure is made first, in memory: every table with its full number
// of rows, in one piece behind everything else. The file appears on the disk with all of it, and from then on
// its metadata never change: rows are written to their known places by the operating system's own calls, and
// then counted. A reader of HDF5 can open the file at any moment, whatever has
// happened to the writer.
//
// Not by SWMR of HDF5, which keeps rows right too: a file that is open for it, or whose writer was
// killed, opens only with H5F_ACC_SWMR_READ, so h5py, MATLAB and the like refuse it until `h5clear -s`
// has been run; it needs the file format of HDF5 1.10 and tables in chunks, for which it allocates during the
// run; and tables end at different rows.
#define _GNU_SOURCE // F_OFD_SETLK
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit_entries.h"
#include "base/files/output.h"
#include "base/hdf5/hdf5_writer.h"
#include "record_file.h"

lb_status lb_write_at(int fd, const void *bytes, size_t size, int64_t offset)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t written = pwrite(fd, at, size, (off_t)offset);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            errno = written == 0 ? ENOSPC : errno;
            return LB_E_FILE;
        }
        at += written;
        size -= (size_t)written;
        offset += written;
    }
    return LB_OK;
}

lb_status lb_write_rows(int fd, int64_t at, int64_t checksums_at, int64_t first, int64_t count,
                        size_t row_size, const void *rows)
{
    enum { BLOCK = 256 };
    uint32_t checksums[BLOCK];
    lb_status status =
        lb_write_at(fd, rows, (size_t)count * row_size, at + first * (int64_t)row_size);
    for (int64_t done = 0; status >= 0 && done < count; done += BLOCK) {
        const int64_t many = count - done < BLOCK ? count - done : BLOCK;
        for (int64_t i = 0; i < many; ++i) {
            const char *row = (const char *)rows + (size_t)(done + i) * row_size;
            checksums[i] = lb_compute_row_checksum(first + done + i, row, row_size);
        }
        status = lb_write_at(fd, checksums, (size_t)many * sizeof *checksums,
                             checksums_at + (first + done) * (int64_t)sizeof *checksums);
    }
    return status;
}

lb_status lb_write_audit(const lb_record_file *file, const lb_audit *audit)
{
    return lb_write_at(file->fd, &audit->time, LB_AUDIT_ENTRIES * sizeof audit->time,
                       file->audit_at);
}

// ---- the structure -----------------------------------------------------------------------------

// Rows to be written later. No columns: a list.
static int add_rows(lb_hdf5_writer *w, int group, const char *name, lb_hdf5_type type, long rows,
                    int columns, const char *note)
{
    const lb_hdf5_shape shape = {
        .type = type, .rank = columns > 0 ? 2 : 1, .dims = {(uint64_t)rows, (uint64_t)columns}};
    const int dataset = lb_put_hdf5_dataset(w, group, name, &shape, NULL);
    if (note) {
        lb_put_hdf5_text_attribute(w, dataset, "note", note);
    }
    return dataset;
}

// Numbers that are there from the beginning, and overwritten later.
static int add_list(lb_hdf5_writer *w, const char *name, lb_hdf5_type type, int count,
                    const void *values, const char *note)
{
    const lb_hdf5_shape shape = {.type = type, .rank = 1, .dims = {(uint64_t)count}};
    const int dataset = lb_put_hdf5_dataset(w, LB_HDF5_ROOT, name, &shape, values);
    lb_put_hdf5_text_attribute(w, dataset, "note", note);
    return dataset;
}

static void add_description(lb_hdf5_writer *w, const lb_header *header)
{
    const lb_hdf5_shape number = {.type = LB_HDF5_INT32};
    const int32_t layout = LB_RESULTS_LAYOUT;
    lb_put_hdf5_text_attribute(w, LB_HDF5_ROOT, "format", "limber-results");
    lb_put_hdf5_attribute(w, LB_HDF5_ROOT, "layout", &number, &layout);
    lb_put_hdf5_text_attribute(w, LB_HDF5_ROOT, "version", lb_get_version());
    lb_put_hdf5_text_attribute(w, LB_HDF5_ROOT, "model_name", header->model_name);
    lb_put_hdf5_text_attribute(w, LB_HDF5_ROOT, "model_sha256", header->hash);
    lb_put_hdf5_text(w, LB_HDF5_ROOT, "model", header->model_text, header->model_length);
    lb_put_hdf5_text(w, LB_HDF5_ROOT, "options", header->options, strlen(header->options));
}

// Files that the model names, as bytes: files/0 and so on, with their names.
static void add_files(lb_hdf5_writer *w, const lb_header *header)
{
    const int group = header->file_count > 0 ? lb_put_hdf5_group(w, LB_HDF5_ROOT, "files") : 0;
    for (int i = 0; i < header->file_count; ++i) {
        const lb_stored_file *file = &header->files[i];
        const lb_hdf5_shape shape = {.type = LB_HDF5_UINT8, .rank = 1, .dims = {file->size}};
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        const int dataset = lb_put_hdf5_dataset(w, group, number, &shape, file->data);
        lb_put_hdf5_text_attribute(w, dataset, "name", file->name);
    }
}

static void add_names(lb_hdf5_writer *w, const lb_header *header, const lb_table *tables,
                      int table_count)
{
    const char *names[LB_AUDIT_ENTRIES];
    for (int i = 0; i < LB_AUDIT_ENTRIES; ++i) {
        names[i] = lb_get_audit_name(i);
    }
    lb_put_hdf5_names(w, LB_HDF5_ROOT, "audit_names", LB_COLUMN_SIZE, LB_AUDIT_ENTRIES, names);
    if (header->event_name_count > 0) {
        lb_put_hdf5_names(w, LB_HDF5_ROOT, "event_names", LB_COLUMN_SIZE, header->event_name_count,
                          header->event_names);
    }
    const int group = lb_put_hdf5_group(w, LB_HDF5_ROOT, "columns");
    for (int i = 0; i < table_count; ++i) {
        const lb_hdf5_shape shape = {.type = LB_HDF5_STRING,
                                     .text_size = LB_COLUMN_SIZE,
                                     .rank = 1,
                                     .dims = {(uint64_t)tables[i].column_count}};
        lb_put_hdf5_dataset(w, group, tables[i].name, &shape, tables[i].columns);
    }
}

// Turns the number of a dataset into its place.
static void find_place(const lb_hdf5_writer *w, int64_t *number)
{
    *number = (int64_t)lb_get_hdf5_place(w, (int)*number);
}

// Everything but the rows, as bytes; the file and the tables get their places.
static lb_status make_structure(lb_hdf5_writer *w, const lb_header *header, lb_table *tables,
                                int table_count, lb_record_file *file)
{
    // nothing counted yet, and no audit
    const int64_t counters[LB_COUNTER_COUNT] = {0};
    lb_audit nothing;
    lb_clear_audit(&nothing);
    add_description(w, header);
    add_files(w, header);
    file->counters_at = add_list(w, "counters", LB_HDF5_INT64, LB_COUNTER_COUNT, counters,
                                 "rows, events, complete: 0 no, 1 end of the duration, 2 by an "
                                 "event, 3 on request");
    file->audit_at = add_list(w, "audit", LB_HDF5_FLOAT64, LB_AUDIT_ENTRIES, &nothing.time,
                              "entries are named in audit_names");
    add_names(w, header, tables, table_count);

    // rows, and a checksum for each
    const int sums = lb_put_hdf5_group(w, LB_HDF5_ROOT, "checksums");
    file->events_at = add_rows(w, LB_HDF5_ROOT, "events", LB_HDF5_FLOAT64, header->event_capacity,
                               2, "time in s, index in event_names");
    file->event_checksums_at =
        add_rows(w, sums, "events", LB_HDF5_UINT32, header->event_capacity, 0, NULL);
    if (header->memory_count > 0) {
        file->restart_at =
            add_rows(w, LB_HDF5_ROOT, "restart", LB_HDF5_FLOAT64, 2, 1 + header->memory_count,
                     "two records, of which one is whole at any moment: a number of "
                     "rows, and what controllers remembered at the last of them");
        file->restart_checksums_at = add_rows(w, sums, "restart", LB_HDF5_UINT32, 2, 0, NULL);
    }
    for (int i = 0; i < table_count; ++i) {
        tables[i].checksums_at =
            add_rows(w, sums, tables[i].name, LB_HDF5_UINT32, header->row_capacity, 0, NULL);
    }
    for (int i = 0; i < table_count; ++i) {
        tables[i].offset = add_rows(w, LB_HDF5_ROOT, tables[i].name, LB_HDF5_FLOAT64,
                                    header->row_capacity, tables[i].column_count, tables[i].note);
    }

    const lb_status status = lb_finish_hdf5_writer(w);
    if (status < 0) {
        return status;
    }
    int64_t *const numbers[] = {&file->counters_at, &file->audit_at,
                                &file->events_at,   &file->event_checksums_at,
                                &file->restart_at,  &file->restart_checksums_at};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        find_place(w, numbers[i]);
    }
    for (int i = 0; i < table_count; ++i) {
        find_place(w, &tables[i].offset);
        find_place(w, &tables[i].checksums_at);
    }
    return LB_OK;
}

// ---- the file --------------------------------------------------------------------------------------

// Keeps the first message of a report.
static void keep_message(void *user, const lb_diagnostic *diagnostic)
{
    char *message = user;
    if (!message[0]) {
        snprintf(message, LB_STORE_MESSAGE, "%s", diagnostic->message);
    }
}

// Whether nobody else has the lock of a file, which is then ours until its last descriptor is closed. It
// does not stand in the way of readers: HDF5 locks files by flock, of which this lock knows nothing.
static bool lock_file(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
#ifdef F_OFD_SETLK
    const int command = F_OFD_SETLK;
#else
    const int command = F_SETLK;
#endif
    // where the file system has no locks, go on without
    return fcntl(fd, command, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
}

lb_status lb_create_record_file(const char *path, const lb_header *header, lb_table *tables,
                                int table_count, lb_record_file *file,
                                char message[LB_STORE_MESSAGE])
{
    const lb_report report = {keep_message, message};
    lb_hdf5_writer w;
    message[0] = 0;
    *file = (lb_record_file){.fd = -1};
    lb_start_hdf5_writer(&w);
    lb_status status = make_structure(&w, header, tables, table_count, file);
    if (status < 0) {
        snprintf(message, LB_STORE_MESSAGE, "cannot write %s: %s", path,
                 status == LB_E_MEMORY ? "out of memory" : "it would be too large");
        status = status == LB_E_MEMORY ? status : LB_E_FILE;
    } else {
        status = lb_open_output(path, &report, &file->output);
    }
    if (status >= 0) {
        file->fd = fcntl(lb_get_output_descriptor(file->output), F_DUPFD_CLOEXEC, 0);
        const bool good = file->fd >= 0 && lock_file(file->fd) &&
                          lb_write_at(file->fd, w.bytes, w.size, 0) >= 0 &&
                          ftruncate(file->fd, (off_t)w.end) == 0;
        if (!good) {
            lb_drop_record_file(file, errno, message);
            status = LB_E_FILE;
        }
    }
    lb_free_hdf5_writer(&w);
    return status;
}

lb_status lb_place_record_file(lb_record_file *file, bool replace, char message[LB_STORE_MESSAGE])
{
    const lb_report report = {keep_message, message};
    lb_output *output = file->output;
    message[0] = 0;
    file->output = NULL;
    return lb_finish_output(output, replace, &report);
}

void lb_drop_record_file(lb_record_file *file, int error, char message[LB_STORE_MESSAGE])
{
    const lb_report report = {keep_message, message};
    lb_drop_output(file->output, error, &report);
    file->output = NULL;
    lb_close_record_file(file);
}

lb_status lb_close_record_file(lb_record_file *file)
{
    const int fd = file->fd;
    file->fd = -1;
    return fd >= 0 && close(fd) != 0 ? LB_E_FILE : LB_OK;
}

lb_status lb_check_place(const char *path, char message[LB_STORE_MESSAGE])
{
    const lb_report report = {keep_message, message};
    lb_output *output;
    message[0] = 0;
    const lb_status status = lb_open_output(path, &report, &output);
    lb_drop_output(output, 0, &report);
    return status;
}

lb_status lb_claim_file(const char *path, int *lock, char message[LB_STORE_MESSAGE])
{
    for (;;) {
        struct stat ours, there;
        *lock = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
        if (*lock < 0 && errno == ENOENT) {
            return LB_OK;
        }
        const bool is_odd = *lock < 0 ? errno == ELOOP || errno == EISDIR || errno == ENXIO
                                      : fstat(*lock, &ours) == 0 && !S_ISREG(ours.st_mode);
        if (*lock < 0 || is_odd) {
            snprintf(message, LB_STORE_MESSAGE, "cannot write %s: %s", path,
                     is_odd ? "it is no regular file; move it away" : strerror(errno));
            break;
        }
        if (!lock_file(*lock)) {
            snprintf(message, LB_STORE_MESSAGE,
                     "another run is writing %s; wait for its end, or name another output", path);
            break;
        }
        // whose it was may have ended just now and taken it away
        if (stat(path, &there) == 0 && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino) {
            return LB_OK;
        }
        close(*lock);
    }
    if (*lock >= 0) {
        close(*lock);
    }
    *lock = -1;
    return LB_E_FILE;
}

lb_status lb_keep_aside(const char *path, char *kept, size_t size)
{
    enum { MOST = 10000 };
    for (int i = 1; i < MOST; ++i) {
        snprintf(kept, size, "%s.%d", path, i);
        if (access(kept, F_OK) != 0 && errno == ENOENT) {
            return rename(path, kept) == 0 ? LB_OK : LB_E_FILE;
        }
    }
    errno = EEXIST;
    return LB_E_FILE;
}

void lb_remove_file(const char *path)
{
    unlink(path);
}
