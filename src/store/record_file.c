// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The HDF5 side of recording. The library makes the whole structure first, in memory: every table with
// its full number of rows, contiguous, allocated and not filled. The file appears on the disk with all of
// it, and from then on its metadata never change: rows are written to their known places by the operating
// system's own calls, and then counted. A reader of HDF5 can open the file at any moment, whatever has
// happened to the writer.
//
// Not by SWMR of HDF5, which keeps rows right too: a file that is open for it, or whose writer was
// killed, opens only with H5F_ACC_SWMR_READ, so h5py, MATLAB and the like refuse it until `h5clear -s`
// has been run; it needs the file format of HDF5 1.10 and tables in chunks, for which the library
// allocates during the run; and tables end at different rows.
#define _GNU_SOURCE // F_OFD_SETLK
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "hdf5_guard.h"
#include "hdf5_image.h"
#include "limber/output.h"
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

// ---- pieces of the structure: false if HDF5 cannot -----------------------------------------------

static bool add_text_attribute(hid_t at, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool add_integer_attribute(hid_t at, const char *name, int value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(at, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT, &value) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

// A text of any length as a scalar string.
static bool add_text(hid_t file, const char *name, const char *text, size_t length)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, length + 1);
    char *copy = malloc(length + 1);
    const hid_t dataset =
        copy ? H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    bool good = false;
    if (dataset >= 0) {
        memcpy(copy, text, length);
        copy[length] = 0;
        good = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, copy) >= 0;
        H5Dclose(dataset);
    }
    free(copy);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

// A list of names.
static bool add_names(hid_t file, const char *name, const char *names, size_t width, int count)
{
    const hsize_t size = (hsize_t)count;
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    H5Tset_size(type, width);
    const hid_t dataset =
        H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = dataset >= 0 && (count == 0 || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL,
                                                              H5P_DEFAULT, names) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

// An array to be filled later; `offset` gets its place in the file, -1 if it has none.
static bool add_array(hid_t file, const char *name, hid_t type, long rows, int columns,
                      const char *note, int64_t *offset)
{
    const hsize_t size[2] = {(hsize_t)rows, (hsize_t)columns};
    const hid_t space = H5Screate_simple(columns > 0 ? 2 : 1, size, NULL);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(properties, H5D_CONTIGUOUS);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(properties, 0);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    bool good = dataset >= 0 && (!note || add_text_attribute(dataset, "note", note));
    if (good) {
        const haddr_t at = H5Dget_offset(dataset);
        *offset = at == HADDR_UNDEF ? -1 : (int64_t)at;
        good = *offset >= 0 || rows == 0;
    }
    H5Dclose(dataset);
    H5Pclose(properties);
    H5Sclose(space);
    return good;
}

// Of every row of every table, of events and of the records for resuming.
static bool add_checksums(hid_t h5, const lb_header *header, lb_table *tables, int table_count,
                          lb_record_file *file)
{
    const hid_t group = H5Gcreate2(h5, "checksums", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0;
    good = good && add_array(group, "events", H5T_NATIVE_UINT32, header->event_capacity, 0, NULL,
                             &file->event_checksums_at);
    if (header->memory_count > 0) {
        good = good && add_array(group, "restart", H5T_NATIVE_UINT32, 2, 0, NULL,
                                 &file->restart_checksums_at);
    }
    for (int i = 0; good && i < table_count; ++i) {
        good = add_array(group, tables[i].name, H5T_NATIVE_UINT32, header->row_capacity, 0, NULL,
                         &tables[i].checksums_at);
    }
    if (group >= 0) {
        H5Gclose(group);
    }
    return good;
}

static bool add_structure(hid_t h5, const lb_header *header, lb_table *tables, int table_count,
                          lb_record_file *file)
{
    bool good = add_text_attribute(h5, "format", "limber-results");
    good = good && add_integer_attribute(h5, "layout", LB_RESULTS_LAYOUT);
    good = good && add_text_attribute(h5, "version", lb_get_version());
    good = good && add_text_attribute(h5, "model_name", header->model_name);
    good = good && add_text_attribute(h5, "model_sha256", header->hash);
    good = good && add_text(h5, "model", header->model_text, header->model_length);
    good = good && add_text(h5, "options", header->options, strlen(header->options));
    good =
        good && add_array(h5, "counters", H5T_NATIVE_INT64, LB_COUNTER_COUNT, 0,
                          "rows, events, complete: 0 no, 1 end of the duration, 2 by an event, 3 "
                          "on request",
                          &file->counters_at);
    good = good && add_array(h5, "events", H5T_NATIVE_DOUBLE, header->event_capacity, 2,
                             "time in s, index in event_names", &file->events_at);
    good = good && add_array(h5, "audit", H5T_NATIVE_DOUBLE, LB_AUDIT_ENTRIES, 0,
                             "entries are named in audit_names", &file->audit_at);
    if (header->memory_count > 0) {
        good = good && add_array(h5, "restart", H5T_NATIVE_DOUBLE, 2, 1 + header->memory_count,
                                 "two records, of which one is whole at any moment: a number of "
                                 "rows, and what controllers remembered at the last of them",
                                 &file->restart_at);
    }
    char names[LB_AUDIT_ENTRIES][LB_COLUMN_SIZE];
    memset(names, 0, sizeof names);
    for (int i = 0; i < LB_AUDIT_ENTRIES; ++i) {
        snprintf(names[i], sizeof names[i], "%s", lb_get_audit_name(i));
    }
    good = good && add_names(h5, "audit_names", names[0], LB_COLUMN_SIZE, LB_AUDIT_ENTRIES);
    if (good && header->event_name_count > 0) {
        char(*list)[LB_COLUMN_SIZE] = calloc((size_t)header->event_name_count, sizeof *list);
        for (int i = 0; list && i < header->event_name_count; ++i) {
            snprintf(list[i], sizeof list[i], "%s", header->event_names[i]);
        }
        good =
            list && add_names(h5, "event_names", list[0], LB_COLUMN_SIZE, header->event_name_count);
        free(list);
    }
    const hid_t group =
        good ? H5Gcreate2(h5, "columns", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    good = group >= 0;
    // all names before all numbers: what is left of a file that was cut off can then be read
    for (int i = 0; good && i < table_count; ++i) {
        const lb_table *t = &tables[i];
        good = add_names(group, t->name, t->columns[0], sizeof *t->columns, t->column_count);
    }
    good = good && add_checksums(h5, header, tables, table_count, file);
    for (int i = 0; good && i < table_count; ++i) {
        lb_table *t = &tables[i];
        good = add_array(h5, t->name, H5T_NATIVE_DOUBLE, header->row_capacity, t->column_count,
                         t->note, &t->offset);
    }
    if (group >= 0) {
        H5Gclose(group);
    }
    return good;
}

// The whole structure as bytes.
static bool make_image(const lb_header *header, lb_table *tables, int table_count,
                       lb_record_file *file, lb_hdf5_image *image)
{
    lb_hdf5_guard guard;
    lb_enter_hdf5(&guard);
    const hid_t h5 = lb_create_hdf5_image(image, "/limber/record", 1 << 15);
    bool good = h5 >= 0 && add_structure(h5, header, tables, table_count, file);
    if (h5 >= 0) {
        good = lb_close_hdf5_image(h5, image) && good;
    }
    lb_leave_hdf5(&guard);
    return good;
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
    lb_hdf5_image image = {.size = 0};
    message[0] = 0;
    *file = (lb_record_file){.fd = -1};
    if (!lb_has_memory(LB_HDF5_NEEDS + header->model_length) ||
        !make_image(header, tables, table_count, file, &image)) {
        snprintf(message, LB_STORE_MESSAGE,
                 "cannot write %s: HDF5 cannot make the file, most likely for lack of memory",
                 path);
        free(image.bytes);
        return LB_E_FILE;
    }
    const lb_status status = lb_open_output(path, &report, &file->output);
    if (status < 0) {
        free(image.bytes);
        return status;
    }
    // nothing counted yet, and no audit
    const int64_t counters[LB_COUNTER_COUNT] = {0};
    lb_audit audit;
    lb_clear_audit(&audit);
    file->fd = fcntl(lb_get_output_descriptor(file->output), F_DUPFD_CLOEXEC, 0);
    const bool good = file->fd >= 0 && lock_file(file->fd) &&
                      lb_write_at(file->fd, image.bytes, image.size, 0) >= 0 &&
                      ftruncate(file->fd, (off_t)image.end) == 0 &&
                      lb_write_at(file->fd, counters, sizeof counters, file->counters_at) >= 0 &&
                      lb_write_audit(file, &audit) >= 0;
    const int error = errno;
    free(image.bytes);
    if (!good) {
        lb_drop_record_file(file, error, message);
    }
    return good ? LB_OK : LB_E_FILE;
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
