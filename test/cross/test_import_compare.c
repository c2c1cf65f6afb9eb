// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Two imported structures compared: with themselves, with fewer modes, with other units, and through body files.
// The MAC is computed again here from the shapes.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/import.h"
#include "run_cli.h"

static const long root = 9001;

static lb_imported *import_panel(bool is_clamped, int mode_count, double length)
{
    lb_import_options options = lb_default_import_options();
    static const char *const endings[] = {"sti", "mas", "dof", "inp"};
    const char *files[4];
    for (int i = 0; i < 4; ++i) {
        files[i] = lb_find_source("test/data/fe/calculix/panel.%s", endings[i]);
    }
    options.files = files;
    options.file_count = 4;
    options.length = length;
    options.mass = 1e3;
    options.mode_count = mode_count;
    options.clamp = &root;
    options.clamp_count = is_clamped;
    lb_imported *imported;
    lb_expect_ok(lb_import_files(&options, NULL, NULL, &imported));
    return imported;
}

static lb_status import_file(const char *path, lb_imported **imported)
{
    lb_import_options options = lb_default_import_options();
    options.files = &path;
    options.file_count = 1;
    return lb_import_files(&options, NULL, NULL, imported);
}

static const char *save(const lb_imported *imported, const char *name)
{
    const char *path = lb_write_file(name, "");
    lb_expect_ok(lb_save_imported(imported, path, NULL));
    return path;
}

static json_t *compare(const lb_imported *first, const lb_imported *second)
{
    static const char *const names[2] = {"one", "\"two\"\xff"};
    char *report, *json;
    lb_expect_ok(lb_compare_imported(first, second, names, &report, &json));
    json_t *found = json_loads(json, 0, NULL);
    assert_non_null(found);
    assert_non_null(strstr(report, "Comparison of one with"));
    free(report);
    free(json);
    return found;
}

static double get_mac(const json_t *comparison, size_t r, size_t s)
{
    const json_t *row = json_array_get(json_object_get(comparison, "mac"), r);
    assert_true(s < json_array_size(row));
    return json_number_value(json_array_get(row, s));
}

static bool has_note(const json_t *comparison, const char *words)
{
    const json_t *note;
    size_t i;
    json_array_foreach(json_object_get(comparison, "notes"), i, note)
    {
        if (strstr(json_string_value(note), words)) {
            return true;
        }
    }
    return false;
}

// Modes r and s of two imports of the same files, whose nodes have the same order.
static double compute_mac(const lb_imported *first, const lb_imported *second, int r, int s)
{
    const lb_flex_options *a = lb_get_imported_options(first), *b = lb_get_imported_options(second);
    double aa = 0.0, bb = 0.0, ab = 0.0;
    assert_int_equal(a->node_count, b->node_count);
    for (int i = 0; i < a->node_count; ++i) {
        for (int k = 3; k < 6; ++k) {
            const double x = a->nodes[i].shape[6 * r + k], y = b->nodes[i].shape[6 * s + k];
            aa += x * x;
            bb += y * y;
            ab += x * y;
        }
    }
    return ab * ab / (aa * bb);
}

static void expect_pair(const json_t *comparison, size_t i, int first, int second)
{
    const json_t *pair = json_array_get(json_object_get(comparison, "pairs"), i);
    assert_int_equal(json_integer_value(json_array_get(pair, 0)), first);
    assert_int_equal(json_integer_value(json_array_get(pair, 1)), second);
}

// ---- tests ---------------------------------------------------------------------------------------

static void a_structure_is_like_itself(void **state)
{
    (void)state;
    for (int is_clamped = 0; is_clamped < 2; ++is_clamped) {
        lb_imported *whole = import_panel(is_clamped, 12, 1e-3);
        json_t *found = compare(whole, whole);
        assert_int_equal(json_array_size(json_object_get(found, "pairs")), 12);
        assert_int_equal(json_array_size(json_object_get(found, "notes")), 0);
        assert_int_equal(json_integer_value(json_object_get(found, "common_nodes")), 96);
        for (int r = 0; r < 12; ++r) {
            expect_pair(found, (size_t)r, r + 1, r + 1);
            lb_expect_near("MAC of a mode with itself", get_mac(found, (size_t)r, (size_t)r), 1.0,
                           1e-14);
        }
        json_decref(found);
        lb_destroy_imported(whole);
    }
}

static void fewer_modes_have_the_partners_that_there_are(void **state)
{
    (void)state;
    lb_imported *many = import_panel(true, 12, 1e-3), *few = import_panel(true, 5, 1e-3);
    json_t *found = compare(many, few);
    assert_int_equal(json_array_size(json_object_get(found, "pairs")), 5);
    for (int r = 0; r < 5; ++r) {
        expect_pair(found, (size_t)r, r + 1, r + 1);
        // two searches for the same modes: what the eigensolver leaves
        lb_expect_near("MAC of the same mode", get_mac(found, (size_t)r, (size_t)r), 1.0, 1e-9);
    }
    json_decref(found);
    lb_destroy_imported(many);
    lb_destroy_imported(few);
}

static void mac_is_that_of_the_shapes(void **state)
{
    (void)state;
    lb_imported *held = import_panel(true, 9, 1e-3), *adrift = import_panel(false, 7, 1e-3);
    json_t *found = compare(held, adrift);
    for (int r = 0; r < 9; ++r) {
        for (int s = 0; s < 7; ++s) {
            lb_expect_below("MAC",
                            get_mac(found, (size_t)r, (size_t)s) - compute_mac(held, adrift, r, s),
                            1e-13);
        }
    }
    // the ninth mode of the held panel is the seventh of the free one, with 1 in 60000 between their frequencies
    const json_t *both = json_object_get(found, "structures");
    double frequencies[2];
    for (size_t i = 0; i < 2; ++i) {
        frequencies[i] = json_number_value(json_array_get(
            json_object_get(json_array_get(both, i), "frequencies"), i == 0 ? 8 : 6));
    }
    lb_expect_near("frequency", frequencies[1], frequencies[0], 2e-5);
    assert_true(get_mac(found, 8, 6) > 0.99);
    expect_pair(found, json_array_size(json_object_get(found, "pairs")) - 1, 9, 7);
    json_decref(found);
    lb_destroy_imported(held);
    lb_destroy_imported(adrift);
}

static void body_files_give_back_what_was_imported(void **state)
{
    (void)state;
    lb_imported *whole = import_panel(true, 12, 1e-3), *again;
    const char *path = save(whole, "panel.flex");
    lb_expect_ok(import_file(path, &again));
    assert_string_equal(lb_get_import_report(again), lb_get_import_report(whole));
    assert_string_equal(lb_get_import_json(again), lb_get_import_json(whole));
    const lb_flex_options *a = lb_get_imported_options(whole), *b = lb_get_imported_options(again);
    assert_int_equal(a->node_count, b->node_count);
    for (int i = 0; i < a->node_count; ++i) {
        assert_string_equal(a->nodes[i].name, b->nodes[i].name);
        assert_memory_equal(a->nodes[i].position, b->nodes[i].position, 3 * sizeof(double));
        assert_memory_equal(a->nodes[i].shape, b->nodes[i].shape, 12 * 6 * sizeof(double));
    }
    json_t *found = compare(whole, again);
    lb_expect_near("MAC", get_mac(found, 11, 11), 1.0, 1e-14);
    json_decref(found);
    // it has what reports need, not all that a body file may have
    assert_int_equal(lb_save_imported(again, path, NULL), LB_E_ARGUMENT);
    lb_destroy_imported(again);
    lb_destroy_imported(whole);
    // modes and nodes of a body file are chosen where a model uses it
    lb_import_options options = lb_default_import_options();
    options.files = &path;
    options.file_count = 1;
    options.mode_count = 3;
    assert_int_equal(lb_import_files(&options, NULL, NULL, &again), LB_E_ARGUMENT);
    assert_null(again);
}

// In metres the panel is a thousand times as large: nodes of one number are far apart, but shapes are the same.
static void nodes_at_other_places_are_noticed(void **state)
{
    (void)state;
    lb_imported *small = import_panel(true, 4, 1e-3), *large = import_panel(true, 4, 1.0);
    json_t *found = compare(small, large);
    assert_true(has_note(found, "nodes of the same number are at different places"));
    lb_expect_near("MAC", get_mac(found, 0, 0), 1.0, 1e-9);
    json_decref(found);
    lb_destroy_imported(small);
    lb_destroy_imported(large);
}

// A table of participation factors has one node, and a panel none of that number.
static void shapes_need_three_common_nodes(void **state)
{
    (void)state;
    lb_imported *whole = import_panel(true, 4, 1e-3), *table;
    lb_expect_ok(import_file(lb_find_source("test/data/fe/modes/array.csv"), &table));
    json_t *found = compare(whole, table);
    assert_true(has_note(found, "at least 3 are needed"));
    assert_int_equal(json_array_size(json_object_get(found, "mac")), 0);
    // by number then: the table has three modes
    assert_int_equal(json_array_size(json_object_get(found, "pairs")), 3);
    expect_pair(found, 2, 3, 3);
    json_decref(found);
    lb_destroy_imported(table);
    lb_destroy_imported(whole);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_structure_is_like_itself),
        cmocka_unit_test(fewer_modes_have_the_partners_that_there_are),
        cmocka_unit_test(mac_is_that_of_the_shapes),
        cmocka_unit_test(body_files_give_back_what_was_imported),
        cmocka_unit_test(nodes_at_other_places_are_noticed),
        cmocka_unit_test(shapes_need_three_common_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
