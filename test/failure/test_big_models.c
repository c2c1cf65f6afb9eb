// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes that nobody writes by hand: an answer within seconds, whatever it is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heard.h"
#include "limber/io.h"
#include "limber/model.h"
#include "program.h"
#include "scratch.h"

// a tenth of it in short tests
#define SCALE (lb_is_long() ? 1 : 10)
#define LINE_LENGTH ((size_t)(100000000 / SCALE))
#define BODY_COUNT (1000000 / SCALE)
#define LIST_LENGTH (5000000 / SCALE)

// Writes a file and loads it; `heard` and the status tell how it went.
static lb_status load_file(void (*write)(FILE *), lb_heard *heard, lb_model **model)
{
    char path[LB_SCRATCH_PATH_SIZE];
    FILE *file = lb_open_scratch(path);
    assert_non_null(file);
    write(file);
    assert_int_equal(fclose(file), 0);
    const lb_report report = lb_listen(heard);
    const lb_status status = lb_load_model(path, NULL, &report, model);
    remove(path);
    return status;
}

static void write_many(FILE *file, char c, size_t count)
{
    char block[4096];
    memset(block, c, sizeof block);
    for (; count > sizeof block; count -= sizeof block) {
        fwrite(block, 1, sizeof block, file);
    }
    fwrite(block, 1, count, file);
}

// ---- one line ----------------------------------------------------------------------------------

static void write_long_name(FILE *file)
{
    fputs("limber: 1\nname: ", file);
    write_many(file, 'x', LINE_LENGTH);
}

static void a_long_name_is_a_name(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    assert_int_equal(load_file(write_long_name, &heard, &model), LB_OK);
    assert_int_equal(strlen(lb_get_model_name(model)), LINE_LENGTH);
    lb_destroy_model(model);
}

static void write_long_number(FILE *file)
{
    fputs("limber: ", file);
    write_many(file, '1', LINE_LENGTH);
}

static void a_long_number_is_refused(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    assert_int_equal(load_file(write_long_number, &heard, &model), LB_E_SYNTAX);
    assert_int_equal(heard.count, 1);
    assert_non_null(
        strstr(heard.entries[0].message, "1111... is not a number of double precision"));
}

static void write_long_text(FILE *file)
{
    write_many(file, 'x', LINE_LENGTH);
}

static void a_line_without_meaning_is_refused(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    assert_int_equal(load_file(write_long_text, &heard, &model), LB_E_MODEL);
    assert_int_equal(heard.count, 1);
    assert_true(strlen(heard.entries[0].message) < 200);
}

static void write_long_list(FILE *file)
{
    fputs("limber: 1\ngravity: [0", file);
    for (int i = 1; i < LIST_LENGTH; ++i) {
        fputs(",0", file);
    }
    fputs("]\n", file);
}

static void a_long_list_is_counted(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    assert_int_equal(load_file(write_long_list, &heard, &model), LB_E_MODEL);
    char expected[64];
    snprintf(expected, sizeof expected, "%d entries given, expected 3 numbers", LIST_LENGTH);
    assert_string_equal(heard.entries[0].message, expected);
}

static void write_endless(FILE *file)
{
    // a hole: nothing is stored
    fseek(file, (long)600 << 20, SEEK_SET);
    fputc('x', file);
}

static void a_file_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    assert_int_equal(load_file(write_endless, &heard, &model), LB_E_FILE);
    assert_non_null(strstr(heard.entries[0].message, "512 MiB or more"));
}

// ---- a million ---------------------------------------------------------------------------------

static void write_bodies(FILE *file)
{
    fputs("limber: 1\nbodies:\n", file);
    for (int i = 0; i < BODY_COUNT; ++i) {
        fprintf(file, "  - {name: b%d, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1", i);
        if (i > 0) {
            fprintf(file, ", parent: b%d", i - 1);
        }
        fputs("}\n", file);
    }
}

static void a_million_bodies_are_loaded(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    assert_int_equal(load_file(write_bodies, &heard, &model), LB_OK);
    assert_int_equal(lb_get_body_count(model), BODY_COUNT);
    assert_int_equal(lb_get_hinge(model, BODY_COUNT - 1).parent, BODY_COUNT - 2);
    lb_destroy_model(model);
}

static void write_bad_bodies(FILE *file)
{
    fputs("limber: 1\nbodies:\n", file);
    for (int i = 0; i < BODY_COUNT; ++i) {
        fprintf(file, "  - {name: b%d, hinge: {type: free}, mass: -1}\n", i);
    }
}

static void a_million_errors_are_reported(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    assert_int_equal(load_file(write_bad_bodies, &heard, &model), LB_E_MODEL);
    // a hundred, the number of the others, and how much is not read
    assert_int_equal(heard.error_count, 102);
    assert_int_equal(heard.entries[9].line, 12);
}

static void write_ground_nodes(FILE *file)
{
    fputs("limber: 1\nground:\n  nodes:\n", file);
    for (int i = 0; i < BODY_COUNT; ++i) {
        fprintf(file, "    n%d: {rotation: [0, 0, 0, 0]}\n", i);
    }
}

static void a_million_keys_are_no_burden(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    assert_int_equal(load_file(write_ground_nodes, &heard, &model), LB_E_MODEL);
    // a hundred, the number of the others, and how much is not read
    assert_int_equal(heard.error_count, 102);
    assert_string_equal(heard.entries[9].path, "ground.nodes.n9.rotation");
    assert_int_equal(heard.entries[9].line, 13);
}

// ---- robots ------------------------------------------------------------------------------------

static void write_pieces(FILE *file, const char *start, const char *piece, int count,
                         const char *end)
{
    fputs(start, file);
    for (int i = 0; i < count; ++i) {
        fputs(piece, file);
    }
    fputs(end, file);
}

static void write_deep_robot(FILE *file)
{
    write_pieces(file, "<robot>", "<link name='a'>", 200000, "");
}

static void deep_nesting_of_a_robot_is_refused(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    assert_int_equal(load_file(write_deep_robot, &heard, &model), LB_E_SYNTAX);
    assert_int_equal(heard.count, 1);
}

static void write_large_robot(FILE *file)
{
    write_pieces(file, "<robot>", "                ", 5 << 20, "</robot>");
}

static void a_robot_that_is_too_large_is_refused(void **state)
{
    (void)state;
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    assert_int_equal(load_file(write_large_robot, &heard, &model), LB_E_SYNTAX);
    assert_non_null(strstr(heard.entries[0].message, "at most"));
}

static void write_links(FILE *file)
{
    write_pieces(file, "<robot>", "<link name='a'/><joint name='a' type='fixed'/>", 100000,
                 "</robot>");
}

static void many_links_take_linear_time(void **state)
{
    (void)state;
    // all of one name, on joints of one name: every look-up finds the first of very many
    lb_heard heard = {.count = 0};
    lb_model *model = NULL;
    assert_int_equal(load_file(write_links, &heard, &model), LB_E_MODEL);
    // of each of the four kinds a hundred, and the number of the others
    assert_int_equal(heard.error_count, 4 * 101);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_name_is_a_name),
        cmocka_unit_test(a_long_number_is_refused),
        cmocka_unit_test(a_line_without_meaning_is_refused),
        cmocka_unit_test(a_long_list_is_counted),
        cmocka_unit_test(a_file_beyond_the_limit_is_refused),
        cmocka_unit_test(a_million_bodies_are_loaded),
        cmocka_unit_test(a_million_errors_are_reported),
        cmocka_unit_test(a_million_keys_are_no_burden),
        cmocka_unit_test(deep_nesting_of_a_robot_is_refused),
        cmocka_unit_test(a_robot_that_is_too_large_is_refused),
        cmocka_unit_test(many_links_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
