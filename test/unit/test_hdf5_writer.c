// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of our own writer of HDF5, read by the HDF5 library and by our own reader.
#define _XOPEN_SOURCE 700 // truncate, pwrite
#include <hdf5.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hdf5/hdf5_reader.h"
#include "base/hdf5/hdf5_writer.h"
#include "program.h"
#include "scratch.h"

static char path[LB_SCRATCH_PATH_SIZE];

// Puts the file on the disk, and frees the writer if `ends`.
static void save(lb_hdf5_writer *w, bool ends)
{
    assert_int_equal(lb_finish_hdf5_writer(w), LB_OK);
    FILE *out = lb_open_scratch(path);
    assert_non_null(out);
    assert_int_equal(fwrite(w->bytes, 1, w->size, out), w->size);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(truncate(path, (off_t)w->end), 0);
    if (ends) {
        lb_free_hdf5_writer(w);
    }
}

static hid_t open_file(void)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

// The library finds an array of that type and shape with these values.
static void expect_values(hid_t set, hid_t type, int rank, const hsize_t *dims, size_t size,
                          const void *values)
{
    hsize_t found[3];
    unsigned char bytes[1024];
    const hid_t kind = H5Dget_type(set), space = H5Dget_space(set);
    assert_true(size <= sizeof bytes);
    assert_true(H5Tequal(kind, type) > 0);
    assert_int_equal(H5Sget_simple_extent_ndims(space), rank);
    assert_int_equal(H5Sget_simple_extent_dims(space, found, NULL), rank);
    for (int i = 0; i < rank; ++i) {
        assert_int_equal(found[i], dims[i]);
    }
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    assert_memory_equal(bytes, values, size);
    H5Sclose(space);
    H5Tclose(kind);
    H5Dclose(set);
}

// Our reader finds the same.
static void expect_array(lb_hdf5_reader *r, const char *name, lb_hdf5_kind kind,
                         const lb_hdf5_shape *shape, size_t size, const void *values)
{
    lb_hdf5_array a;
    unsigned char bytes[1024];
    assert_int_equal(lb_find_hdf5_dataset(r, r->root, name, &a), LB_OK);
    assert_true(a.found);
    assert_int_equal(a.kind, kind);
    assert_int_equal(a.rank, shape->rank);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(a.dims[i], i < shape->rank ? shape->dims[i] : 1);
    }
    assert_int_equal(a.bytes, size);
    assert_int_equal(lb_read_hdf5_bytes(r, a.at, size, bytes), LB_OK);
    assert_memory_equal(bytes, values, size);
}

static void numbers_of_every_type_and_rank_are_read_back(void **state)
{
    (void)state;
    double doubles[24];
    const int32_t ints[2] = {-7, INT32_MAX};
    const uint32_t naturals[2] = {7, UINT32_MAX};
    const int64_t longs[2] = {-7, INT64_MIN};
    for (int i = 0; i < 24; ++i) {
        doubles[i] = 0.1 * i - 1.0;
    }
    const struct {
        const char *name;
        lb_hdf5_shape shape;
        hid_t type;
        lb_hdf5_kind kind;
        const void *values;
        size_t size;
    } cases[] = {
        {"scalar", {.type = LB_HDF5_FLOAT64}, H5T_NATIVE_DOUBLE, LB_HDF5_DOUBLE, doubles, 8},
        {"vector",
         {.type = LB_HDF5_FLOAT64, .rank = 1, .dims = {24}},
         H5T_NATIVE_DOUBLE,
         LB_HDF5_DOUBLE,
         doubles,
         sizeof doubles},
        {"matrix",
         {.type = LB_HDF5_FLOAT64, .rank = 2, .dims = {6, 4}},
         H5T_NATIVE_DOUBLE,
         LB_HDF5_DOUBLE,
         doubles,
         sizeof doubles},
        {"cube",
         {.type = LB_HDF5_FLOAT64, .rank = 3, .dims = {2, 3, 4}},
         H5T_NATIVE_DOUBLE,
         LB_HDF5_DOUBLE,
         doubles,
         sizeof doubles},
        {"none",
         {.type = LB_HDF5_FLOAT64, .rank = 2, .dims = {0, 4}},
         H5T_NATIVE_DOUBLE,
         LB_HDF5_DOUBLE,
         doubles,
         0},
        {"ints",
         {.type = LB_HDF5_INT32, .rank = 1, .dims = {2}},
         H5T_NATIVE_INT32,
         LB_HDF5_INTEGER,
         ints,
         sizeof ints},
        {"naturals",
         {.type = LB_HDF5_UINT32, .rank = 1, .dims = {2}},
         H5T_NATIVE_UINT32,
         LB_HDF5_INTEGER,
         naturals,
         sizeof naturals},
        {"longs",
         {.type = LB_HDF5_INT64, .rank = 1, .dims = {2}},
         H5T_NATIVE_INT64,
         LB_HDF5_INTEGER,
         longs,
         sizeof longs},
    };
    enum { COUNT = sizeof cases / sizeof *cases };
    lb_hdf5_writer w;
    lb_start_hdf5_writer(&w);
    for (int i = 0; i < COUNT; ++i) {
        lb_put_hdf5_dataset(&w, LB_HDF5_ROOT, cases[i].name, &cases[i].shape, cases[i].values);
    }
    save(&w, true);
    lb_hdf5_reader r;
    assert_int_equal(lb_open_hdf5_reader(path, &r), LB_OK);
    const hid_t file = open_file();
    for (int i = 0; i < COUNT; ++i) {
        hsize_t dims[3];
        for (int k = 0; k < 3; ++k) {
            dims[k] = cases[i].shape.dims[k];
        }
        expect_values(H5Dopen2(file, cases[i].name, H5P_DEFAULT), cases[i].type,
                      cases[i].shape.rank, dims, cases[i].size, cases[i].values);
        expect_array(&r, cases[i].name, cases[i].kind, &cases[i].shape, cases[i].size,
                     cases[i].values);
    }
    H5Fclose(file);
    lb_close_hdf5_reader(&r);
    unlink(path);
}

static void texts_are_read_back(void **state)
{
    (void)state;
    static const char *const names[] = {"first", "", "seven77", "eight888"};
    static const char fixed[4][8] = {"first", "", "seven77", "eight88"}; // the last is cut off
    const lb_hdf5_shape one = {.type = LB_HDF5_STRING, .text_size = 12},
                        four = {.type = LB_HDF5_STRING, .text_size = 8, .rank = 1, .dims = {4}};
    lb_hdf5_writer w;
    lb_start_hdf5_writer(&w);
    lb_put_hdf5_text(&w, LB_HDF5_ROOT, "text", "two\nlines, and more", 11);
    lb_put_hdf5_names(&w, LB_HDF5_ROOT, "names", 8, 4, names);
    lb_put_hdf5_dataset(&w, LB_HDF5_ROOT, "fixed", &four, fixed);
    lb_put_hdf5_names(&w, LB_HDF5_ROOT, "nobody", 8, 0, NULL);
    save(&w, true);
    lb_hdf5_reader r;
    assert_int_equal(lb_open_hdf5_reader(path, &r), LB_OK);
    expect_array(&r, "text", LB_HDF5_TEXT, &one, 12, "two\nlines, ");
    expect_array(&r, "names", LB_HDF5_TEXT, &four, sizeof fixed, fixed);
    expect_array(&r, "fixed", LB_HDF5_TEXT, &four, sizeof fixed, fixed);
    lb_close_hdf5_reader(&r);
    const hid_t file = open_file(), eight = H5Tcopy(H5T_C_S1), twelve = H5Tcopy(H5T_C_S1);
    const hsize_t count = 4, none = 0;
    H5Tset_size(eight, 8);
    H5Tset_size(twelve, 12);
    expect_values(H5Dopen2(file, "text", H5P_DEFAULT), twelve, 0, NULL, 12, "two\nlines, ");
    expect_values(H5Dopen2(file, "names", H5P_DEFAULT), eight, 1, &count, sizeof fixed, fixed);
    expect_values(H5Dopen2(file, "fixed", H5P_DEFAULT), eight, 1, &count, sizeof fixed, fixed);
    expect_values(H5Dopen2(file, "nobody", H5P_DEFAULT), eight, 1, &none, 0, "");
    H5Tclose(twelve);
    H5Tclose(eight);
    H5Fclose(file);
    unlink(path);
}

static void expect_text_attribute(hid_t file, const char *object, const char *name,
                                  const char *expected)
{
    char text[64] = "";
    const hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    assert_true(attribute >= 0 && H5Tget_size(type) == strlen(expected) + 1);
    assert_true(H5Aread(attribute, type, text) >= 0);
    assert_string_equal(text, expected);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void attributes_belong_to_files_groups_and_datasets(void **state)
{
    (void)state;
    const lb_hdf5_shape number = {.type = LB_HDF5_INT32},
                        three = {.type = LB_HDF5_FLOAT64, .rank = 1, .dims = {3}};
    const int32_t layout = -3;
    const double axis[3] = {0.6, 0.0, 0.8};
    lb_hdf5_writer w;
    lb_start_hdf5_writer(&w);
    lb_put_hdf5_text_attribute(&w, LB_HDF5_ROOT, "format", "of a test");
    lb_put_hdf5_attribute(&w, LB_HDF5_ROOT, "layout", &number, &layout);
    const int group = lb_put_hdf5_group(&w, LB_HDF5_ROOT, "group");
    const int set = lb_put_hdf5_dataset(&w, group, "set", &three, axis);
    lb_put_hdf5_text_attribute(&w, group, "note", "a group");
    lb_put_hdf5_text_attribute(&w, set, "note", "a dataset of it");
    lb_put_hdf5_attribute(&w, set, "axis", &three, axis);
    save(&w, true);

    lb_hdf5_reader r;
    lb_hdf5_array a;
    uint64_t header, inner;
    double read[3];
    assert_int_equal(lb_open_hdf5_reader(path, &r), LB_OK);
    assert_int_equal(lb_find_hdf5_attribute(&r, r.root, "layout", &a), LB_OK);
    assert_true(a.found && a.kind == LB_HDF5_INTEGER && a.bytes == 4);
    assert_int_equal(lb_find_hdf5_object(&r, r.root, "group", &header), LB_OK);
    assert_int_equal(lb_find_hdf5_object(&r, header, "set", &inner), LB_OK);
    assert_int_equal(lb_find_hdf5_attribute(&r, inner, "axis", &a), LB_OK);
    assert_true(a.found && a.bytes == sizeof read);
    assert_int_equal(lb_read_hdf5_bytes(&r, a.at, a.bytes, read), LB_OK);
    assert_memory_equal(read, axis, sizeof axis);
    assert_int_equal(lb_find_hdf5_attribute(&r, inner, "nothing", &a), LB_OK);
    assert_false(a.found);
    lb_close_hdf5_reader(&r);

    const hid_t file = open_file();
    expect_text_attribute(file, "/", "format", "of a test");
    expect_text_attribute(file, "group", "note", "a group");
    expect_text_attribute(file, "group/set", "note", "a dataset of it");
    const hid_t attribute = H5Aopen(file, "layout", H5P_DEFAULT);
    int32_t found = 0;
    assert_true(H5Aread(attribute, H5T_NATIVE_INT32, &found) >= 0);
    assert_int_equal(found, layout);
    H5Aclose(attribute);
    H5Fclose(file);
    unlink(path);
}

// Names of 63 bytes; from more names than one node of the tree has room for by default.
static void groups_hold_many_datasets(void **state)
{
    (void)state;
    static const int counts[] = {0, 1, 8, 9, 60, 1000};
    const lb_hdf5_shape shape = {.type = LB_HDF5_INT64};
    char name[64];
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        lb_hdf5_writer w;
        lb_start_hdf5_writer(&w);
        const int outer = lb_put_hdf5_group(&w, LB_HDF5_ROOT, "outer"),
                  group = lb_put_hdf5_group(&w, outer, "inner");
        for (int i = 0; i < counts[k]; ++i) {
            const int64_t value = i;
            snprintf(name, sizeof name, "%063d", i);
            lb_put_hdf5_dataset(&w, group, name, &shape, &value);
        }
        save(&w, true);
        lb_hdf5_reader r;
        uint64_t header, inner;
        assert_int_equal(lb_open_hdf5_reader(path, &r), LB_OK);
        assert_int_equal(lb_find_hdf5_object(&r, r.root, "outer", &header), LB_OK);
        assert_int_equal(lb_find_hdf5_object(&r, header, "inner", &inner), LB_OK);
        const hid_t file = open_file(), at = H5Gopen2(file, "outer/inner", H5P_DEFAULT);
        H5G_info_t about;
        assert_true(H5Gget_info(at, &about) >= 0);
        assert_int_equal(about.nlinks, counts[k]);
        for (int i = 0; i < counts[k]; i += 1 + i / 20) {
            const int64_t value = i;
            int64_t ours = -1;
            lb_hdf5_array a;
            snprintf(name, sizeof name, "%063d", i);
            assert_int_equal(lb_find_hdf5_dataset(&r, inner, name, &a), LB_OK);
            assert_true(a.found);
            assert_int_equal(lb_read_hdf5_bytes(&r, a.at, sizeof ours, &ours), LB_OK);
            assert_int_equal(ours, value);
            expect_values(H5Dopen2(at, name, H5P_DEFAULT), H5T_NATIVE_INT64, 0, NULL, 8, &value);
        }
        H5Gclose(at);
        H5Fclose(file);
        lb_close_hdf5_reader(&r);
        unlink(path);
    }
}

static void rows_are_written_to_their_place_later(void **state)
{
    (void)state;
    const lb_hdf5_shape table = {.type = LB_HDF5_FLOAT64, .rank = 2, .dims = {3, 2}},
                        sums = {.type = LB_HDF5_UINT32, .rank = 1, .dims = {3}},
                        none = {.type = LB_HDF5_UINT32, .rank = 1};
    const double rows[6] = {1, 2, 3, 4, 5, 6}, zero[6] = {0};
    const uint32_t checks[3] = {7, 8, 9};
    lb_hdf5_writer w;
    lb_start_hdf5_writer(&w);
    const int first = lb_put_hdf5_dataset(&w, LB_HDF5_ROOT, "sums", &sums, NULL),
              empty = lb_put_hdf5_dataset(&w, LB_HDF5_ROOT, "none", &none, NULL),
              second = lb_put_hdf5_dataset(&w, LB_HDF5_ROOT, "table", &table, NULL);
    save(&w, false);
    // behind everything else, in the order of the calls
    const uint64_t sums_at = lb_get_hdf5_place(&w, first), table_at = lb_get_hdf5_place(&w, second);
    assert_int_equal(sums_at, w.size);
    assert_true(table_at >= sums_at + sizeof checks && table_at + sizeof rows == w.end);
    assert_true(lb_get_hdf5_place(&w, empty) == UINT64_MAX);
    lb_free_hdf5_writer(&w);

    // a file like any other, before and after
    const hsize_t shape[2] = {3, 2};
    hid_t file = open_file();
    expect_values(H5Dopen2(file, "table", H5P_DEFAULT), H5T_NATIVE_DOUBLE, 2, shape, sizeof zero,
                  zero);
    H5Fclose(file);
    FILE *out = fopen(path, "r+b");
    assert_non_null(out);
    assert_int_equal(pwrite(fileno(out), rows, sizeof rows, (off_t)table_at), sizeof rows);
    assert_int_equal(pwrite(fileno(out), checks, sizeof checks, (off_t)sums_at), sizeof checks);
    fclose(out);
    file = open_file();
    expect_values(H5Dopen2(file, "table", H5P_DEFAULT), H5T_NATIVE_DOUBLE, 2, shape, sizeof rows,
                  rows);
    expect_values(H5Dopen2(file, "sums", H5P_DEFAULT), H5T_NATIVE_UINT32, 1, shape, sizeof checks,
                  checks);
    H5Fclose(file);
    unlink(path);
}

static int put_some(lb_hdf5_writer *w)
{
    const lb_hdf5_shape shape = {.type = LB_HDF5_INT64};
    const int64_t value = 5;
    char name[16];
    lb_start_hdf5_writer(w);
    const int group = lb_put_hdf5_group(w, LB_HDF5_ROOT, "group");
    for (int i = 0; i < 20; ++i) {
        snprintf(name, sizeof name, "n%d", i);
        lb_put_hdf5_text_attribute(w, lb_put_hdf5_dataset(w, group, name, &shape, &value), "note",
                                   "some text");
    }
    return group;
}

// Lists, trees and headers are as the library itself would leave them.
static void the_library_may_change_a_file(void **state)
{
    (void)state;
    lb_hdf5_writer w;
    put_some(&w);
    save(&w, true);
    hid_t file = open_file(), group = H5Gopen2(file, "group", H5P_DEFAULT);
    const hid_t space = H5Screate(H5S_SCALAR);
    char name[16];
    for (int i = 0; i < 200; ++i) {
        snprintf(name, sizeof name, "m%d", i);
        H5Dclose(H5Dcreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT,
                            H5P_DEFAULT));
    }
    for (int i = 0; i < 20; i += 2) {
        snprintf(name, sizeof name, "n%d", i);
        assert_true(H5Ldelete(group, name, H5P_DEFAULT) >= 0);
    }
    const hid_t set = H5Dopen2(group, "n3", H5P_DEFAULT);
    H5Aclose(H5Acreate2(set, "more", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT));
    assert_true(H5Adelete(set, "note") >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Gclose(group);
    assert_true(H5Fclose(file) >= 0);

    file = open_file();
    group = H5Gopen2(file, "group", H5P_DEFAULT);
    const int64_t value = 5;
    H5G_info_t about;
    assert_true(H5Gget_info(group, &about) >= 0);
    assert_int_equal(about.nlinks, 210);
    expect_values(H5Dopen2(group, "n19", H5P_DEFAULT), H5T_NATIVE_INT64, 0, NULL, 8, &value);
    H5Gclose(group);
    H5Fclose(file);
    unlink(path);
}

static void the_same_content_gives_the_same_bytes(void **state)
{
    (void)state;
    lb_hdf5_writer one, other;
    put_some(&one);
    put_some(&other);
    assert_int_equal(lb_finish_hdf5_writer(&one), LB_OK);
    assert_int_equal(lb_finish_hdf5_writer(&other), LB_OK);
    assert_int_equal(one.size, other.size);
    assert_memory_equal(one.bytes, other.bytes, one.size);
    lb_free_hdf5_writer(&one);
    lb_free_hdf5_writer(&other);
}

static void what_the_format_cannot_hold_is_refused(void **state)
{
    (void)state;
    const lb_hdf5_shape shape = {.type = LB_HDF5_INT64},
                        wide = {.type = LB_HDF5_INT64,
                                .rank = 3,
                                .dims = {1ULL << 40, 1ULL << 20, 1ULL << 10}},
                        half = {.type = LB_HDF5_INT64, .rank = 1, .dims = {1ULL << 59}};
    char *text = malloc(70000);
    assert_non_null(text);
    memset(text, 'x', 69999);
    text[69999] = 0;
    for (int which = 0; which < 4; ++which) {
        lb_hdf5_writer w;
        const int group = put_some(&w);
        if (which == 0) {
            lb_put_hdf5_dataset(&w, group, "n7", &shape, NULL); // twice
        } else if (which == 1) {
            lb_put_hdf5_dataset(&w, group, "wide", &wide, NULL);
        } else if (which == 2) {
            lb_put_hdf5_dataset(&w, group, "half", &half, NULL);
            lb_put_hdf5_dataset(&w, group, "another", &half, NULL);
        } else {
            lb_put_hdf5_text_attribute(&w, group, "text", text);
        }
        // what comes after it changes nothing
        lb_put_hdf5_text(&w, group, "more", "text", 4);
        assert_int_equal(lb_finish_hdf5_writer(&w), which == 0 ? LB_E_ARGUMENT : LB_E_UNSUPPORTED);
        lb_free_hdf5_writer(&w);
    }
    free(text);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_type_and_rank_are_read_back),
        cmocka_unit_test(texts_are_read_back),
        cmocka_unit_test(attributes_belong_to_files_groups_and_datasets),
        cmocka_unit_test(groups_hold_many_datasets),
        cmocka_unit_test(rows_are_written_to_their_place_later),
        cmocka_unit_test(the_library_may_change_a_file),
        cmocka_unit_test(the_same_content_gives_the_same_bytes),
        cmocka_unit_test(what_the_format_cannot_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
