// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Result files of strangers: each is read, or refused in words that name the file and what is wrong with it,
// in less than 200 MB. A sound file is made with the HDF5 library, and then one thing of it is spoilt.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "course.h"
#include "heard.h"
#include "own_malloc.h"
#include "run_cli.h"

enum { ROWS = 6, EVENTS = 2, COLUMN_SIZE = 96 };

static const char *const pendant =
    "limber: 1\n"
    "bodies: [{name: b, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, "
    "com: [0, 0, -1]}]\n";

static const double times[ROWS] = {0, 0.1, 0.2, 0.3, 0.4, 0.5};
static const double events[2 * EVENTS] = {0.1, 0, 0.3, 0};
static const int64_t counters[3] = {ROWS, EVENTS, 1};

// ---- making files --------------------------------------------------------------------------------

// Removes what has that name, and makes a dataset of it.
static void put(hid_t at, const char *name, hid_t type, int rank, const hsize_t *size,
                hid_t properties, const void *values)
{
    if (H5Lexists(at, name, H5P_DEFAULT) > 0) {
        assert_true(H5Ldelete(at, name, H5P_DEFAULT) >= 0);
    }
    const hid_t space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_true(set >= 0);
    if (values) {
        assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    }
    H5Dclose(set);
    H5Sclose(space);
}

static void put_numbers(hid_t at, const char *name, hsize_t rows, hsize_t columns,
                        const double *values)
{
    const hsize_t size[2] = {rows, columns};
    put(at, name, H5T_NATIVE_DOUBLE, 2, size, H5P_DEFAULT, values);
}

static hid_t make_text_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    return type;
}

static void put_names(hid_t at, const char *name, hsize_t count, size_t width)
{
    static char names[8][COLUMN_SIZE] = {"b.q.0", "b.q.1", "b.q.2"};
    const hid_t type = make_text_type(width);
    put(at, name, type, 1, &count, H5P_DEFAULT, names);
    H5Tclose(type);
}

static void put_text(hid_t at, const char *name, const char *text)
{
    const hid_t type = make_text_type(strlen(text) + 1);
    put(at, name, type, 0, NULL, H5P_DEFAULT, text);
    H5Tclose(type);
}

static void put_attribute(hid_t at, const char *name, hid_t type, hsize_t count, const void *value)
{
    if (H5Aexists(at, name) > 0) {
        H5Adelete(at, name);
    }
    const hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, type, value) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void put_text_attribute(hid_t at, const char *name, const char *text)
{
    const hid_t type = make_text_type(strlen(text) + 1);
    put_attribute(at, name, type, 0, text);
    H5Tclose(type);
}

static void fill(hid_t file)
{
    const int layout = 1;
    const hsize_t three = 3;
    put_text_attribute(file, "format", "limber-results");
    put_attribute(file, "layout", H5T_NATIVE_INT, 0, &layout);
    put_text_attribute(file, "version", "0.1.0");
    put_text_attribute(file, "model_sha256", "0");
    put_text(file, "model", pendant);
    put_text(file, "options", "run:\n");
    put(file, "counters", H5T_NATIVE_INT64, 1, &three, H5P_DEFAULT, counters);
    put_numbers(file, "events", EVENTS, 2, events);
    put_names(file, "event_names", 1, COLUMN_SIZE);
    const hid_t group = H5Gcreate2(file, "columns", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    static const char *const tables[] = {"time", "q", "v", "a"};
    for (int i = 0; i < 4; ++i) {
        put_names(group, tables[i], 1, COLUMN_SIZE);
        put_numbers(file, tables[i], ROWS, 1, times);
    }
    H5Gclose(group);
}

static const char *make_path(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s", lb_write_file("anchor", ""));
    snprintf(strrchr(path, '/') + 1, 64, "%s", name);
    return path;
}

// ---- ways to spoil one ---------------------------------------------------------------------------

static void count(hid_t file, int64_t rows, int64_t event_count, int64_t ending)
{
    const int64_t wrong[3] = {rows, event_count, ending};
    const hsize_t three = 3;
    put(file, "counters", H5T_NATIVE_INT64, 1, &three, H5P_DEFAULT, wrong);
}

static void set_time(hid_t file, int row, double t)
{
    double wrong[ROWS];
    memcpy(wrong, times, sizeof wrong);
    wrong[row] = t;
    put_numbers(file, "time", ROWS, 1, wrong);
}

static void put_event(hid_t file, double t, double name)
{
    const double wrong[2 * EVENTS] = {0.1, 0, t, name};
    put_numbers(file, "events", EVENTS, 2, wrong);
}

static void put_column_names(hid_t file, const char *table, hsize_t columns, size_t width)
{
    const hid_t group = H5Gopen2(file, "columns", H5P_DEFAULT);
    put_names(group, table, columns, width);
    H5Gclose(group);
}

// The table q, of another type or with other properties.
static void put_q(hid_t file, hid_t type, hid_t properties, const void *values)
{
    const hsize_t size[2] = {ROWS, 1};
    put(file, "q", type, 2, size, properties, values);
}

// A text in the place of the model.
static void put_model(hid_t file, size_t width, int rank, hsize_t size, hid_t properties)
{
    const hid_t type = make_text_type(width);
    put(file, "model", type, rank, &size, properties, width == H5T_VARIABLE ? &pendant : NULL);
    H5Tclose(type);
}

// Room that is a hole in the file: large, and on the disk nothing.
static void put_a_hole(hid_t file, const char *name, hid_t type, hsize_t rows, hsize_t columns)
{
    const hsize_t size[2] = {rows, columns};
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
    put(file, name, type, columns ? 2 : 1, size, properties, NULL);
    H5Pclose(properties);
}

static void have_a_hole_of_times(hid_t file)
{
    const hsize_t rows = (hsize_t)1 << 33;
    static const char *const tables[] = {"time", "q", "v", "a"};
    for (int i = 0; i < 4; ++i) {
        put_a_hole(file, tables[i], H5T_NATIVE_DOUBLE, rows, 1);
    }
    count(file, (int64_t)rows, 0, 1);
}

static void have_a_hole_of_names(hid_t file)
{
    const hid_t group = H5Gopen2(file, "columns", H5P_DEFAULT), type = make_text_type(COLUMN_SIZE);
    put_a_hole(group, "q", type, 20000000, 0);
    put_a_hole(file, "q", H5T_NATIVE_DOUBLE, ROWS, 20000000);
    H5Tclose(type);
    H5Gclose(group);
}

// ---- reading them --------------------------------------------------------------------------------

static long get_peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

// Refused by both ways to open it, with these words and the name of the file.
static void expect_refusal(const char *path, const char *words)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_results *results = NULL;
    static long first_peak;
    first_peak = first_peak ? first_peak : get_peak();
    if (lb_open_results(path, &report, &results) >= 0) {
        fail_msg("%s was read, expected: %s", path, words);
    }
    assert_null(results);
    assert_int_equal(heard.error_count, 1);
    const char *message = heard.entries[0].message;
    const char *slash = strrchr(path, '/');
    if (!strstr(message, words) || !strstr(message, slash)) {
        fail_msg("'%s', expected '%s'", message, words);
    }
    // what is left of it need not be nothing, but it must be safe
    if (lb_open_damaged_results(path, NULL, &results) >= 0) {
        double t;
        const char *name;
        double *row = calloc(64, sizeof *row);
        for (int i = 0; i < lb_get_results_info(results)->table_count; ++i) {
            if (lb_get_results_info(results)->row_count > 0 &&
                lb_get_results_info(results)->tables[i].column_count <= 64) {
                lb_read_table(results, i, lb_get_results_info(results)->row_count - 1, 1, row);
            }
        }
        for (int i = 0; i < lb_get_results_info(results)->event_count; ++i) {
            lb_expect_ok(lb_read_event(results, i, &t, &name));
        }
        free(row);
        lb_close_results(results);
    }
#if LB_OWN_MALLOC // that of sanitizers gives nothing back
    assert_true(get_peak() - first_peak < 200);
#endif
}

static hid_t create(const char *path, hid_t properties)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, properties);
    assert_true(file >= 0);
    fill(file);
    return file;
}

// One thing of a sound file is changed, by statements about `file`.
#define SPOILT(words, ...)                                                                         \
    do {                                                                                           \
        const hid_t file = create(path, H5P_DEFAULT);                                              \
        __VA_ARGS__;                                                                               \
        assert_true(H5Fclose(file) >= 0);                                                          \
        expect_refusal(path, words);                                                               \
    } while (0)

static void spoilt_counters_times_and_names_are_refused(void **state)
{
    (void)state;
    static const int layouts[4096] = {7, 1, 1};
    static const double zeros[2 * ROWS] = {0};
    const int64_t four_counters[4] = {ROWS, EVENTS, 1, 0};
    const double counted[3] = {ROWS, EVENTS, 1};
    const hsize_t three = 3, four = 4;
    const char *path = make_path("spoilt.h5");
    SPOILT("time: room for 6 rows, 7 are counted", count(file, ROWS + 1, 0, 1));
    SPOILT("counters: 2305843009213693952 rows", count(file, INT64_C(1) << 61, 0, 1));
    SPOILT("counters: -1 rows", count(file, -1, 0, 1));
    SPOILT("events: 2000000000 are counted, there is room for 2", count(file, ROWS, 2000000000, 1));
    SPOILT("ending 9223372036854775807", count(file, ROWS, EVENTS, INT64_MAX));
    SPOILT("counters: expected 3 numbers",
           put(file, "counters", H5T_NATIVE_INT64, 1, &four, H5P_DEFAULT, four_counters));
    SPOILT("counters: expected 3 numbers",
           put(file, "counters", H5T_NATIVE_DOUBLE, 1, &three, H5P_DEFAULT, counted));
    SPOILT("time: row 3 is no finite number", set_time(file, 3, NAN));
    SPOILT("time: row 5 is no finite number", set_time(file, 5, INFINITY));
    SPOILT("time: row 4 has 0.25 s, the row before it 0.3 s", set_time(file, 4, 0.25));
    SPOILT("time: 2 columns", put_column_names(file, "time", 2, COLUMN_SIZE);
           put_numbers(file, "time", ROWS, 2, zeros));
    SPOILT("q: 0 columns", put_column_names(file, "q", 0, COLUMN_SIZE);
           put_numbers(file, "q", ROWS, 0, NULL));
    SPOILT("group columns is missing", H5Ldelete(file, "columns", H5P_DEFAULT));
    SPOILT("which is none", put_numbers(file, "columns", ROWS, 1, times));
    SPOILT("dataset time is missing", H5Ldelete(file, "time", H5P_DEFAULT));
    SPOILT("names of q: expected texts of 96 bytes", put_column_names(file, "q", 1, 8));
    SPOILT("q: 1 columns, 3 names", put_column_names(file, "q", 3, COLUMN_SIZE));
    SPOILT("layout: expected one integer",
           put_attribute(file, "layout", H5T_NATIVE_INT, 4096, layouts));
    SPOILT("layout 7; this version reads layout 1",
           put_attribute(file, "layout", H5T_NATIVE_INT, 0, layouts));
    SPOILT("layout: expected one integer",
           put_attribute(file, "layout", H5T_NATIVE_DOUBLE, 0, counted));
    SPOILT("not of results of limber", put_text_attribute(file, "format", "other-results"));
    SPOILT("version: expected one text", const hid_t type = make_text_type(2);
           put_attribute(file, "version", type, 3, "0\0001\0002"); H5Tclose(type));
    SPOILT("note: expected one text", const hid_t set = H5Dopen2(file, "q", H5P_DEFAULT);
           put_attribute(set, "note", H5T_NATIVE_DOUBLE, 0, times); H5Dclose(set));
    SPOILT("event 1: time ", put_event(file, NAN, 0));
    SPOILT("event 1: 0.05 s is before the event before it", put_event(file, 0.05, 0));
    SPOILT("event 1: time 0.3 s, name 1 of 1", put_event(file, 0.3, 1));
    SPOILT("event 1: time 0.3 s, name ", put_event(file, 0.3, NAN));
    SPOILT("event 0: time 0.1 s, name 0 of 0", H5Ldelete(file, "event_names", H5P_DEFAULT));
    SPOILT("events: expected two numbers", put_numbers(file, "events", 2 * EVENTS, 1, events));
    unlink(path);
}

static void tables_of_other_kinds_are_refused(void **state)
{
    (void)state;
    // closed when the HDF5 library ends
    const hsize_t one = 1, size[4] = {ROWS, 1, 1, 1};
    const hid_t array = H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &one);
    const hid_t compound = H5Tcreate(H5T_COMPOUND, 8), space = H5Screate_simple(2, size, NULL);
    H5Tinsert(compound, "x", 0, H5T_NATIVE_DOUBLE);
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE), checked = H5Pcopy(chunked);
    const hid_t external = H5Pcopy(chunked), short_external = H5Pcopy(chunked);
    const hid_t virtual = H5Pcopy(chunked);
    H5Pset_chunk(chunked, 2, size);
    H5Pset_chunk(checked, 2, size);
    H5Pset_fletcher32(checked);
    H5Pset_external(external, "/etc/passwd", 0, sizeof times);
    H5Pset_external(short_external, "/etc/passwd", 0, 64);
    H5Pset_virtual(virtual, space, "/etc/passwd", "v", space);
    const char *path = make_path("spoilt.h5");
    const hid_t number = H5T_NATIVE_DOUBLE;
    SPOILT("q: it holds numbers of a kind", put_q(file, H5T_NATIVE_FLOAT, H5P_DEFAULT, NULL));
    SPOILT("q: expected numbers of 8 bytes in two dimensions",
           put(file, "q", number, 1, size, H5P_DEFAULT, times));
    SPOILT("q: expected numbers of 8 bytes in two dimensions",
           put(file, "q", number, 3, size, H5P_DEFAULT, times));
    SPOILT("q: more than three dimensions", put(file, "q", number, 4, size, H5P_DEFAULT, times));
    // its place is given when it is written
    SPOILT("q: its place is not inside the file", put_q(file, number, H5P_DEFAULT, NULL));
    SPOILT("q: it is said to be larger than the file",
           put_numbers(file, "q", (hsize_t)1 << 40, 1, NULL));
    SPOILT("q: it holds small arrays of a kind", put_q(file, array, H5P_DEFAULT, times));
    SPOILT("q: it holds compounds of a kind", put_q(file, compound, H5P_DEFAULT, times));
    SPOILT("q: it is stored in chunks; limber reads tables in one piece",
           put_q(file, number, chunked, times));
    SPOILT("q: it is compressed or filtered", put_q(file, number, checked, times));
    SPOILT("q: it is stored in another file", put_q(file, number, external, NULL));
    SPOILT("q: it is stored in other datasets", put_q(file, number, virtual, NULL));
    SPOILT("q: it is a link, which limber does not follow", H5Ldelete(file, "q", H5P_DEFAULT);
           H5Lcreate_soft("/v", file, "q", H5P_DEFAULT, H5P_DEFAULT));
    SPOILT("links of a newer kind, which may lead to other files",
           H5Ldelete(file, "model", H5P_DEFAULT);
           H5Lcreate_external("/etc/passwd", "/model", file, "model", H5P_DEFAULT, H5P_DEFAULT));
    SPOILT("q: it is no dataset", H5Ldelete(file, "q", H5P_DEFAULT);
           H5Gclose(H5Gcreate2(file, "q", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    SPOILT("q: its type is described elsewhere", const hid_t type = H5Tcopy(number);
           H5Tcommit2(file, "number", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
           put_q(file, type, H5P_DEFAULT, times); H5Tclose(type));
    SPOILT("model: it is stored in another file", put_model(file, 64, 1, 1, short_external));
    SPOILT("model: it holds texts of any length of a kind",
           put_model(file, H5T_VARIABLE, 0, 0, H5P_DEFAULT));
    SPOILT("model: ", put_model(file, 4, 1, 1000, H5P_DEFAULT));
    SPOILT("model: it is said to be larger than the file",
           put_model(file, 0xfffffff0, 0, 0, H5P_DEFAULT));
    unlink(path);
}

static void holes_take_no_memory(void **state)
{
    (void)state;
    const char *path = make_path("spoilt.h5");
    lb_results *results = NULL;
    H5Fclose(create(path, H5P_DEFAULT));
    lb_expect_ok(lb_open_results(path, NULL, &results));
    assert_int_equal(lb_get_results_info(results)->table_count, 4);
    assert_int_equal(lb_get_results_info(results)->event_count, EVENTS);
    lb_close_results(results);
    SPOILT("time: it stands still from row 0 to 1023", have_a_hole_of_times(file));
    SPOILT("names of q: they are empty", have_a_hole_of_names(file));
    unlink(path);
}

// Text behind which there is nothing but a hole ends where it ends.
static void room_that_is_a_hole_takes_no_memory(void **state)
{
    (void)state;
    const char *path = make_path("hole.h5");
    const hid_t file = create(path, H5P_DEFAULT);
    const hid_t type = make_text_type(400 << 20);
    put_a_hole(file, "model", type, 1, 0);
    H5Tclose(type);
    H5Fclose(file);
    const long before = get_peak();
    lb_results *results = NULL;
    lb_expect_ok(lb_open_results(path, NULL, &results));
    assert_string_equal(lb_get_results_info(results)->model, "");
    lb_close_results(results);
    assert_true(get_peak() - before < 20);
    unlink(path);
}

// Texts of a file do not steer the terminal.
static void control_characters_are_not_printed(void **state)
{
    (void)state;
    const char *path = make_path("escape.h5");
    const hid_t file = create(path, H5P_DEFAULT), set = H5Dopen2(file, "q", H5P_DEFAULT);
    put_text_attribute(file, "version", "\033]0;mine\a");
    put_text_attribute(file, "model_sha256", "\033[2J");
    put_text_attribute(set, "note", "\033[31m");
    H5Dclose(set);
    H5Fclose(file);
    lb_cli_run run = lb_run(NULL, "results", path);
    assert_int_equal(run.status, 0);
    assert_null(strchr(run.out, '\033'));
    lb_end_run(&run);
    unlink(path);
}

// Objects that somebody added do no harm, nor do numbers of the other byte order.
static void additions_and_foreign_numbers_are_read(void **state)
{
    (void)state;
    const char *path = make_path("foreign.h5");
    const hid_t file = create(path, H5P_DEFAULT);
    const hsize_t size[2] = {ROWS, 1};
    const double nothing[ROWS] = {0};
    for (int i = 0; i < 100; ++i) {
        char name[32];
        snprintf(name, sizeof name, "my_%d", i);
        put_numbers(file, name, ROWS, 1, nothing);
        put_text_attribute(file, name, "a remark");
    }
    for (int i = 0; i < 2; ++i) {
        const hid_t order = i ? H5T_IEEE_F64BE : H5T_IEEE_F64LE;
        put(file, i ? "q" : "v", order, 2, size, H5P_DEFAULT, nothing);
        const hid_t set = H5Dopen2(file, i ? "q" : "v", H5P_DEFAULT);
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times) >= 0);
        H5Dclose(set);
    }
    H5Fclose(file);
    lb_results *results = NULL;
    lb_expect_ok(lb_open_results(path, NULL, &results));
    double q[ROWS], v[ROWS];
    lb_expect_ok(lb_read_table(results, 1, 0, ROWS, q));
    lb_expect_ok(lb_read_table(results, 2, 0, ROWS, v));
    assert_memory_equal(q, times, sizeof q);
    assert_memory_equal(v, times, sizeof v);
    // nothing beyond the rows, whatever the numbers are
    assert_int_equal(lb_read_table(results, 1, 1, LONG_MAX, q), LB_E_ARGUMENT);
    assert_int_equal(lb_read_table(results, 1, LONG_MAX, 1, q), LB_E_ARGUMENT);
    assert_int_equal(lb_read_table(results, 9, 0, 1, q), LB_E_ARGUMENT);
    lb_close_results(results);
    unlink(path);
}

static void newer_forms_of_hdf5_are_refused_with_a_cure(void **state)
{
    (void)state;
    const char *path = make_path("newer.h5");
    const hid_t properties = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(properties, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Fclose(create(path, properties));
    H5Pclose(properties);
    expect_refusal(path, "newer form of HDF5 than limber writes; h5repack without options");
    unlink(path);
}

static void what_is_no_file_is_refused_at_once(void **state)
{
    (void)state;
    const char *path = make_path("pipe.h5");
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refusal(path, "no regular file");
    unlink(path);
    expect_refusal("/dev/zero", "no regular file");
    expect_refusal("/", "no regular file");
}

// ---- crafted files ---------------------------------------------------------------------------------

static void crafted_files_end_every_command_in_words(void **state)
{
    (void)state;
    static const char *const commands[][6] = {
        {"results"},
        {"results", "--csv"},
        {"results", "--print", "a.q0"},
#ifdef LB_WITH_VIEW
        {"plot", "a.q0", "-o", "PICTURE"},
        {"view", "-o", "-"},
#endif
    };
    DIR *folder = opendir(lb_find_source("test/data/results"));
    assert_non_null(folder);
    char picture[512];
    snprintf(picture, sizeof picture, "%s", make_path("picture.svg"));
    int found = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".h5") != 0) {
            continue;
        }
        ++found;
        const char *path = lb_find_source("test/data/results/%s", entry->d_name);
        const bool sound = strcmp(entry->d_name, "ok.h5") == 0;
        // cut off, as far as anybody can tell
        const bool cut = strcmp(entry->d_name, "eof_4g.h5") == 0;
        for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
            const char *words[8] = {commands[i][0], path};
            for (int k = 1; k < 6 && commands[i][k]; ++k) {
                const char *word = commands[i][k];
                words[k + 1] = strcmp(word, "PICTURE") == 0 ? picture : word;
            }
            lb_cli_run run = lb_run_cli(NULL, words);
            if (sound) {
                assert_int_equal(run.status, 0);
            } else if (!cut) {
                assert_int_equal(run.status, 1);
            }
            assert_in_range(run.status, 0, 2);
            assert_true(sound || strstr(run.err, entry->d_name));
            // nothing of another file
            assert_null(strstr(run.out, "root:"));
            lb_end_run(&run);
        }
    }
    closedir(folder);
    unlink(picture);
    assert_true(found >= 9);
}

static const char pendulum[] = "limber: 1\n"
                               "gravity: [0, 0, -9.81]\n"
                               "bodies: [{name: b, hinge: {type: revolute, axis: [0, 1, 0]}, mass: "
                               "1, com: [0.1, 0, -1]}]\n"
                               "events: [{name: half, when: t, crosses: 0.5, then: {lock: b}}]\n"
                               "run: {duration: 1, interval: 0.01}\n";

static void crafted_files_are_no_states_and_not_resumed(void **state)
{
    (void)state;
    const char *file = lb_write_file("pendulum.yaml", pendulum);
    char at[512], path[512];
    snprintf(path, sizeof path, "%s", make_path("resumed.h5"));
    static const char *const names[] = {"nan_table", "rows_2p61", "layout_array", "events_2e9",
                                        "eof_4g"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        snprintf(at, sizeof at, "%s@0.1", lb_find_source("test/data/results/%s.h5", names[i]));
        lb_cli_run run = lb_run(NULL, "modes", file, "--at", at);
        assert_int_equal(run.status, 1);
        assert_non_null(strstr(run.err, names[i]));
        lb_end_run(&run);
        // a copy, which must still be there afterwards
        char command[1200];
        *strrchr(at, '@') = 0;
        snprintf(command, sizeof command, "cp '%s' '%s'", at, path);
        assert_int_equal(system(command), 0);
        run = lb_run(NULL, "run", file, "-o", path, "--resume");
        assert_int_equal(run.status, 1);
        assert_non_null(strstr(run.err, "nothing to resume"));
        lb_end_run(&run);
        snprintf(command, sizeof command, "cmp '%s' '%s'", at, path);
        assert_int_equal(system(command), 0);
    }
    unlink(path);
}

// ---- checksums -------------------------------------------------------------------------------------

// Changes one bit of the last number of a table.
static void flip(const char *path, const char *table, long row)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, table, H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t size[2];
    H5Sget_simple_extent_dims(space, size, NULL);
    const off_t at = (off_t)(H5Dget_offset(set) + (hsize_t)(row + 1) * size[1] * 8 - 8);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    const int fd = open(path, O_RDWR);
    unsigned char byte;
    assert_true(pread(fd, &byte, 1, at) == 1);
    byte ^= 4;
    assert_true(pwrite(fd, &byte, 1, at) == 1);
    close(fd);
}

static void changed_rows_are_named(void **state)
{
    (void)state;
    char path[512];
    const char *file = lb_write_file("pendulum.yaml", pendulum);
    snprintf(path, sizeof path, "%s", make_path("changed.h5"));
    lb_cli_run run = lb_run(NULL, "run", file, "-o", path, "--quiet");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    flip(path, "v", 40);
    lb_results *results = NULL;
    lb_expect_ok(lb_open_results(path, NULL, &results));
    double v[101];
    int table;
    assert_true(lb_find_column(results, "v:b.rate", &table) >= 0);
    assert_string_equal(lb_get_results_message(results), "");
    lb_expect_ok(lb_read_table(results, table, 0, 40, v));
    lb_expect_ok(lb_read_table(results, table, 41, 60, v));
    assert_int_equal(lb_read_table(results, table, 0, 101, v), LB_E_SYNTAX);
    assert_non_null(strstr(lb_get_results_message(results), "changed.h5: row 40 of v"));
    lb_close_results(results);
    // no command shows the numbers as if nothing had happened
    static const char *const options[][2] = {{"--csv", NULL}, {"--print", "v:b.rate"}};
    for (int i = 0; i < 2; ++i) {
        run = lb_run(NULL, "results", path, options[i][0], options[i][1]);
        assert_int_equal(run.status, 1);
        assert_non_null(strstr(run.err, "row 40 of v does not match its checksum"));
        lb_end_run(&run);
    }
    run = lb_run(NULL, "run", file, "-o", path, "--duration", "2", "--resume");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "row 40 of v does not match its checksum"));
    lb_end_run(&run);
    // times and events are read when the file is opened
    flip(path, "time", 7);
    flip(path, "events", 0);
    expect_refusal(path, "row 0 of events does not match its checksum");
    flip(path, "events", 0);
    expect_refusal(path, "row 7 of time does not match its checksum");
    unlink(path);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spoilt_counters_times_and_names_are_refused),
        cmocka_unit_test(tables_of_other_kinds_are_refused),
        cmocka_unit_test(holes_take_no_memory),
        cmocka_unit_test(room_that_is_a_hole_takes_no_memory),
        cmocka_unit_test(control_characters_are_not_printed),
        cmocka_unit_test(additions_and_foreign_numbers_are_read),
        cmocka_unit_test(newer_forms_of_hdf5_are_refused_with_a_cure),
        cmocka_unit_test(what_is_no_file_is_refused_at_once),
        cmocka_unit_test(crafted_files_end_every_command_in_words),
        cmocka_unit_test(crafted_files_are_no_states_and_not_resumed),
        cmocka_unit_test(changed_rows_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
