// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged body files, and models that ask for what a body file does not have: refused in words.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hdf5/hdf5_reader.h"
#include "body_file.h"
#include "check.h"
#include "heard.h"
#include "limber/io.h"
#include "scratch.h"

static unsigned char *good;
static size_t size;

// good.flex: nodes a and b, two modes.
static int enter(void **state)
{
    (void)state;
    if (!lb_enter_scratch_folder()) {
        return -1;
    }
    const lb_named_node nodes[] = {{"a", 3}, {"b", 7}};
    lb_import_options options = lb_get_mm_options();
    options.nodes = nodes;
    options.node_count = 2;
    options.mode_count = 2;
    lb_keep_body(lb_import_job("block", &options), "good.flex");
    const lb_import_options si = lb_default_import_options();
    lb_keep_body(lb_import_folder(lb_find_source("test/data/fe/modes"),
                                  (const char *const[]){"array.csv", NULL}, &si),
                 "array.flex");
    FILE *file = fopen("good.flex", "rb");
    if (!file) {
        return -1;
    }
    good = malloc(1 << 20);
    size = good ? fread(good, 1, 1 << 20, file) : 0;
    fclose(file);
    return size > 1000 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    free(good);
    return 0;
}

static void put(const char *name, const unsigned char *bytes, size_t count)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

// Where an array of good.flex is.
static size_t find(const char *name)
{
    lb_hdf5_reader reader;
    lb_hdf5_array array;
    lb_expect_ok(lb_open_hdf5_reader("good.flex", &reader));
    lb_expect_ok(lb_find_hdf5_dataset(&reader, reader.root, name, &array));
    assert_true(array.found);
    lb_close_hdf5_reader(&reader);
    return (size_t)array.at;
}

// ---- files that are none ---------------------------------------------------------------------------

static void expect_refusal(const char *path, lb_status expected, const char *message)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_flex_body *body = NULL;
    assert_int_equal(lb_load_flex_file(path, NULL, NULL, &report, &body), expected);
    assert_null(body);
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.entries[0].path, "file");
    if (!strstr(heard.entries[0].message, message) || !strstr(heard.entries[0].message, path)) {
        fail_msg("%s, expected %s: %s", heard.entries[0].message, path, message);
    }
}

static void files_that_are_none(void **state)
{
    (void)state;
    put("words", (const unsigned char *)"limber: 1\n", 10);
    put("empty", good, 0);
    expect_refusal("nothing.flex", LB_E_FILE, "No such file or directory");
    expect_refusal(".", LB_E_FILE, "");
    expect_refusal("/dev/zero", LB_E_FILE, "");
    expect_refusal("words", LB_E_FILE, "HDF5");
    expect_refusal("empty", LB_E_FILE, "HDF5");
}

// ---- wrong content ---------------------------------------------------------------------------------

static void wrong_content_is_named(void **state)
{
    (void)state;
    const double nan = NAN, infinite = INFINITY;
    const int three = 3, many = 99, negative = -1;
    const struct {
        const char *array;
        size_t offset;
        const void *bytes;
        size_t count;
        lb_status status;
        const char *message;
    } cases[] = {
        {"version", 0, &three, 4, LB_E_UNSUPPORTED, "format version 3, but this version of limber"},
        {"version", 0, &negative, 4, LB_E_UNSUPPORTED, "format version -1"},
        {"format", 0, "x", 1, LB_E_FILE, "not a body file"},
        {"inertia_order", 0, &many, 4, LB_E_FILE, "inertia_order is 99, expected 0, 1 or 2"},
        {"mass", 0, &nan, 8, LB_E_FILE, "mass has nan, expected finite numbers"},
        {"M_ff", 8, &nan, 8, LB_E_FILE, "M_ff has nan"},
        {"stiffness", 8, &infinite, 8, LB_E_FILE, "stiffness has inf"},
        {"S2", 0, &nan, 8, LB_E_FILE, "S2 has nan"},
        {"node_positions", 0, &nan, 8, LB_E_FILE, "node_positions has nan"},
        {"node_rotations", 8, &nan, 8, LB_E_FILE, "node_rotations has nan"},
        {"node_shapes", 16, &nan, 8, LB_E_FILE, "node_shapes has nan"},
        {"kept_nodes", 4, &many, 4, LB_E_FILE, "kept_nodes names node 99 of 12"},
        {"kept_nodes", 0, &negative, 4, LB_E_FILE, "kept_nodes names node -1 of 12"},
        {"kept_names", 0, "\n", 1, LB_E_FILE, "kept_names has control characters"},
        {"kept_names", 0, "c", 1, LB_E_FILE, "does not agree with its used_hash"},
        {"stiffness", 0, "c", 1, LB_E_FILE, "the file is damaged or was changed; import again"},
        {"content_hash", 3, "x", 1, LB_E_FILE, "the file is damaged or was changed; import again"},
        {"node_shapes", 8, "c", 1, LB_E_FILE, "the shapes of a node do not agree with their"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        unsigned char *bytes = malloc(size);
        assert_non_null(bytes);
        memcpy(bytes, good, size);
        memcpy(bytes + find(cases[i].array) + cases[i].offset, cases[i].bytes, cases[i].count);
        put("wrong.flex", bytes, size);
        expect_refusal("wrong.flex", cases[i].status, cases[i].message);
        free(bytes);
    }
}

// An array under another name.
static void missing_arrays_are_named(void **state)
{
    (void)state;
    static const char *const names[] = {"format",   "version",    "M_ff",       "stiffness",
                                        "node_ids", "kept_nodes", "kept_names", "node_shapes",
                                        "mass",     "h0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        unsigned char *bytes = malloc(size);
        assert_non_null(bytes);
        memcpy(bytes, good, size);
        const size_t length = strlen(names[i]) + 1;
        int count = 0;
        for (size_t at = 1; at + length < size; ++at) {
            if (memcmp(bytes + at, names[i], length) == 0 && bytes[at - 1] == 0) {
                bytes[at + length - 2] = '~';
                ++count;
            }
        }
        assert_true(count > 0);
        put("wrong.flex", bytes, size);
        char message[64];
        snprintf(message, sizeof message, "%s is missing", names[i]);
        expect_refusal("wrong.flex", LB_E_FILE, message);
        free(bytes);
    }
}

// ---- damage ----------------------------------------------------------------------------------------

static void expect_bits(const double *a, const double *b, size_t count)
{
    assert_true((!a && !b) || (a && b && memcmp(a, b, count * sizeof *a) == 0));
}

static void expect_same_body(const lb_flex_options *a, const lb_flex_options *b)
{
    const lb_flex_integrals *I = a->integrals, *J = b->integrals;
    const size_t n = (size_t)a->mode_count;
    assert_int_equal(a->mode_count, b->mode_count);
    assert_int_equal(a->node_count, b->node_count);
    expect_bits(&I->mass, &J->mass, 1);
    expect_bits(I->h0, J->h0, 3);
    expect_bits(I->S0, J->S0, 6);
    expect_bits(I->M_ff, J->M_ff, n * n);
    expect_bits(I->E, J->E, 3 * n);
    expect_bits(I->B0, J->B0, 3 * n);
    expect_bits(I->B, J->B, 3 * n * n);
    expect_bits(I->S, J->S, 6 * n);
    expect_bits(I->S2, J->S2, 6 * n * n);
    expect_bits(a->stiffness, b->stiffness, n * n);
    expect_bits(a->damping, b->damping, n * n);
    for (int i = 0; i < a->node_count; ++i) {
        assert_string_equal(a->nodes[i].name, b->nodes[i].name);
        expect_bits(a->nodes[i].position, b->nodes[i].position, 3);
        expect_bits(a->nodes[i].rotation, b->nodes[i].rotation, 4);
        expect_bits(a->nodes[i].shape, b->nodes[i].shape, 6 * n);
    }
}

// Loads wrong.flex: it is right, or refused in words. Returns whether it was loaded.
static bool survive(const lb_flex_body *right)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_flex_body *body = NULL;
    const lb_status status = lb_load_flex_file("wrong.flex", NULL, NULL, &report, &body);
    assert_int_equal(status == LB_OK, body != NULL);
    assert_int_equal(status == LB_OK, heard.error_count == 0);
    if (body) {
        expect_same_body(lb_get_flex_options(body), lb_get_flex_options(right));
        assert_string_equal(lb_get_flex_hash(body), lb_get_flex_hash(right));
    }
    lb_destroy_flex_body(body);
    return status == LB_OK;
}

static void truncated_files_are_refused(void **state)
{
    (void)state;
    lb_flex_body *right = lb_load_body("good.flex", NULL);
    for (size_t length = 0; length < size; length += length + 300 < size ? 61 : 1) {
        put("wrong.flex", good, length);
        // what is behind the last array is padding
        assert_true(!survive(right) || length + 16 > size);
    }
    lb_destroy_flex_body(right);
}

// Every byte in turn.
static void flipped_bytes_are_found_or_do_not_matter(void **state)
{
    (void)state;
    int refused = 0;
    lb_flex_body *right = lb_load_body("good.flex", NULL);
    put("wrong.flex", good, size);
    FILE *file = fopen("wrong.flex", "r+b");
    assert_non_null(file);
    for (size_t at = 0; at < size; ++at) {
        const int bytes[] = {good[at] ^ 0xff, good[at] ^ 1 << at % 8, good[at]};
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
            assert_int_equal(fputc(bytes[k], file), bytes[k]);
            assert_int_equal(fflush(file), 0);
            refused += k < 2 && !survive(right);
        }
    }
    fclose(file);
    assert_true(survive(right));
    lb_destroy_flex_body(right);
    print_message("%d of %d damaged files are refused, the others are right\n", refused,
                  2 * (int)size);
    assert_true(refused > 0);
}

// ---- models ----------------------------------------------------------------------------------------

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(wrong_content_is_named),
        cmocka_unit_test(missing_arrays_are_named),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(flipped_bytes_are_found_or_do_not_matter),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
