// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the report of an import says of modes of other programs, against closed forms and against the engine, which
// has the same body in a model.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "heard.h"
#include "limber/import.h"
#include "modal_sample.h"
#include "program.h"
#include "run_cli.h"

#define CASES(name) lb_find_source("test/cases/" name)
#define NASTRAN(name) lb_find_source("test/data/fe/nastran/" name)

// ---- reports -----------------------------------------------------------------------------------

// @param warnings  expected; -1 for any number
static lb_imported *read_files(const char *const *files, int count, int warnings)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_import_options options = lb_default_import_options();
    options.files = files;
    options.file_count = count;
    lb_imported *imported = NULL;
    const lb_status status = lb_import_files(&options, NULL, &report, &imported);
    if (status != LB_OK || (warnings >= 0 && heard.count != warnings)) {
        lb_print_heard(&heard);
        fail_msg("%s: status %d, %d messages, expected %d", files[0], status, heard.count,
                 warnings);
    }
    return imported;
}

static lb_imported *read_one(const char *file, int warnings)
{
    return read_files(&file, 1, warnings);
}

static lb_imported *read_text(const char *name, const char *text, int warnings)
{
    return read_one(lb_write_file(name, text), warnings);
}

static json_t *get_report(const lb_imported *imported)
{
    json_t *report = json_loads(lb_get_import_json(imported), 0, NULL);
    assert_non_null(report);
    // no table has a number that is none
    assert_null(strstr(lb_get_import_report(imported), "nan"));
    return report;
}

static double get(const json_t *report, const char *key, size_t i)
{
    return json_number_value(json_array_get(json_object_get(report, key), i));
}

static double get_effective(const json_t *report, size_t mode, size_t k)
{
    const json_t *row = json_array_get(json_object_get(report, "effective"), mode);
    return json_number_value(json_array_get(row, k));
}

static void expect_words(const lb_imported *imported, const char *words)
{
    if (!strstr(lb_get_import_report(imported), words)) {
        fail_msg("expected \"%s\" in\n%s", words, lb_get_import_report(imported));
    }
}

// ---- modes -------------------------------------------------------------------------------------

#define HEAD(nodes, modes)                                                                         \
    "** RECORD GROUP 1\n**\nREV0 " nodes " " modes " 0 0 0\n** RECORD GROUP 2\n1 2 3\n"            \
    "** RECORD GROUP 5\n0 1 2\n** RECORD GROUP 6\n0 0 0.1\n** RECORD GROUP 7\n0 0 0.1\n"           \
    "** RECORD GROUP 8\n"
#define LUMPS "** RECORD GROUP 11\n1 1 1 0 0 0\n1 1 1 0 0 0\n1 1 1 0 0 0\n"

// K = 100, M = [2 1; 1 1]: omega^2 = 100 / ((3 +- sqrt 5) / 2). Both modes together carry what their two shapes
// carry, whatever the modes are: E' M^-1 E.
static void coupled_modes_are_those_of_both_matrices(void **state)
{
    (void)state;
    lb_imported *imported = read_one(CASES("coupled_modes.fem"), 0);
    json_t *report = get_report(imported);
    const double turn = 8 * atan(1);
    double sum = 0;
    for (size_t r = 0; r < 2; ++r) {
        const double mu = (3 + (r == 0 ? 1 : -1) * sqrt(5)) / 2;
        lb_expect_near("frequency", get(report, "frequencies", r), sqrt(100 / mu) / turn, 1e-13);
        sum += get_effective(report, r, 2);
    }
    // E = (2, 1): 2^2 / 1 after the first is taken out of the second: (2, 1) M^-1 (2, 1)' = 2
    lb_expect_near("sum", sum, 2, 1e-13);
    json_decref(report);
    // the engine has the same body, held by a fixed hinge
    const char *body = lb_write_file("body.flex", "");
    lb_expect_ok(lb_save_imported(imported, body, NULL));
    const char *model =
        lb_write_file("model.yaml", "limber: 1\nbodies:\n  - {name: a, hinge: {type: "
                                    "fixed}, flex: {file: body.flex}}\n");
    lb_cli_run run = lb_run(NULL, "modes", model, "--json");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "0.98363164"));
    assert_non_null(strstr(run.out, "2.57518107"));
    lb_end_run(&run);
    lb_destroy_imported(imported);
}

// The same two modes in other coordinates, x = [1 1; 0 1] y, damped: ratios c / (2 omega) stay.
static void damping_ratios_do_not_depend_on_coordinates(void **state)
{
    (void)state;
    // M = I, K = diag(1, 4), C = diag(0.2, 4): ratios 0.1 and 1
    static const char plain[] =
        HEAD("3", "2") "**\n0 0 0 0 0 0\n0 0 1 0 0 0\n0 0 0 0 0 0\n**\n"
                       "0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 1 0 0 0\n"
                       "** RECORD GROUP 9\n1 0\n0 1\n** RECORD GROUP 10\n1 0\n"
                       "0 4\n** RECORD GROUP 13\n0.2 0\n0 4\n" LUMPS,
                      turned[] =
                          HEAD("3", "2") "**\n0 0 0 0 0 0\n0 0 1 0 0 0\n0 0 0 0 0 0\n**\n"
                                         "0 0 0 0 0 0\n0 0 1 0 0 0\n0 0 1 0 0 0\n"
                                         "** RECORD GROUP 9\n1 1\n1 2\n** RECORD GROUP 10\n1 "
                                         "1\n1 5\n** RECORD GROUP 13\n0.2 0.2\n0.2 4.2\n" LUMPS;
    const char *const texts[] = {plain, turned};
    for (int i = 0; i < 2; ++i) {
        lb_imported *imported = read_text("damped.fem", texts[i], 0);
        json_t *report = get_report(imported);
        lb_expect_near("damping", get(report, "damping_ratios", 0), 0.1, 1e-12);
        lb_expect_near("damping", get(report, "damping_ratios", 1), 1, 1e-12);
        for (size_t r = 0; r < 2; ++r) {
            lb_expect_near("effective mass", get_effective(report, r, 2), 1, 1e-12);
        }
        expect_words(imported, "LOOK damping: ratios from 0.1 (mode 1) to 1 of critical (mode 2)");
        json_decref(report);
        lb_destroy_imported(imported);
    }
}

// A coordinate without mass does not swing; one without stiffness is at rest.
static void what_has_no_frequency_is_a_dash(void **state)
{
    (void)state;
    static const char massless[] =
        HEAD("3", "2") "**\n0 0 0 0 0 0\n0 0 1 0 0 0\n0 0 0 0 0 0\n**\n"
                       "0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n"
                       "** RECORD GROUP 9\n1 0\n0 0\n** RECORD GROUP 10\n"
                       "4 1\n1 4\n" LUMPS;
    lb_imported *imported = read_text("massless.fem", massless, 1);
    json_t *report = get_report(imported);
    // the second coordinate follows: K = 4 - 1/4
    lb_expect_near("frequency", get(report, "frequencies", 0), sqrt(3.75) / (8 * atan(1)), 1e-13);
    assert_true(json_is_null(json_array_get(json_object_get(report, "frequencies"), 1)));
    json_decref(report);
    lb_destroy_imported(imported);
    imported = read_one(CASES("masses_in_line.fem"), 0);
    expect_words(imported, "51.682       -  97.064");
    json_decref(get_report(imported));
    lb_destroy_imported(imported);
}

static void a_body_is_called_by_its_free_or_held_frequency(void **state)
{
    (void)state;
    // held by its frame sqrt(1)/2pi, free sqrt(2)/2pi: the latter is its name
    lb_imported *imported = read_one(CASES("called.sid"), 0);
    json_t *report = get_report(imported);
    lb_expect_near("damping", get(report, "damping_ratios", 0), 10, 1e-13);
    expect_words(imported, "LOOK damping: a ratio of 10 of critical");
    json_decref(report);
    lb_destroy_imported(imported);
    lb_cli_run run = lb_run(NULL, "import", CASES("called.sid"));
    lb_end_run(&run);
    // neither: a warning that has both
    FILE *file = fopen(CASES("called.sid"), "r");
    char text[8192] = "", *name;
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    name = strstr(text, "0.2250791");
    assert_non_null(name);
    memcpy(name, "0.3250791", 9);
    const lb_cli_case wrong = {
        {"import", lb_write_file("wrong.sid", text)},
        0,
        NULL,
        "give 0.159155 Hz with the frame held, and 0.225079 Hz is the nearest"};
    lb_expect_cases(&wrong, 1, NULL);
}

// ---- what is read ------------------------------------------------------------------------------

static void rows_behind_the_last_group_are_read_if_they_are_zero(void **state)
{
    (void)state;
    lb_imported *imported = read_one(CASES("extra_row.fem"), 1);
    json_t *report = get_report(imported);
    lb_expect_near("frequency", get(report, "frequencies", 0), sqrt(100 / 1.09) / (8 * atan(1)),
                   1e-13);
    json_decref(report);
    lb_destroy_imported(imported);
    const char *more =
        lb_write_file("more.fem", HEAD("3", "1") "**\n0 0 0 0 0 0\n0 0 1 0 0 0\n0 0 0 0 "
                                                 "0 0\n** RECORD GROUP 9\n1\n** RECORD "
                                                 "GROUP 10\n1\n" LUMPS "1 1 1 0 0 0\n");
    const char *inside = lb_write_file(
        "inside.fem", HEAD("3", "1") "**\n0 0 0 0 0 0\n0 0 1 0 0 0\n0 0 0 0 0 0\n"
                                     "0 0 0 0 0 0\n** RECORD GROUP 9\n1\n** RECORD GROUP "
                                     "10\n1\n" LUMPS);
    const lb_cli_case cases[] = {
        {{"import", more}, 1, "", "record group 11 has 4 rows for 3 nodes"},
        {{"import", inside}, 1, "", "record group 8 has 1 row of numbers more than"}};
    lb_expect_cases(cases, 2, NULL);
}

static void a_body_that_no_matter_has_is_refused(void **state)
{
    (void)state;
    lb_imported *imported = read_one(CASES("negative_inertia.fem"), 1);
    expect_words(imported, "LOOK inertia: a principal moment is negative: -1");
    const char *body = lb_write_file("negative.flex", "");
    lb_expect_ok(lb_save_imported(imported, body, NULL));
    lb_destroy_imported(imported);
    const char *model = lb_write_file(
        "negative.yaml", "limber: 1\nbodies:\n  - {name: a, hinge: {type: free}, flex: "
                         "{file: negative.flex}}\n");
    const lb_cli_case checked = {{"check", model}, 1, NULL, "principal moments -1, 2, 3"};
    lb_expect_cases(&checked, 1, NULL);
}

// ---- grids -------------------------------------------------------------------------------------

// Imports the superelement of the tests with one text of both its files replaced by another.
static void expect_grid(const char *find, const char *replace, const char *words)
{
    const char *files[3] = {NASTRAN("dense_text.op4"), NASTRAN("se.asm"), NASTRAN("se.pch")};
    for (int i = 1; i < 3; ++i) {
        char text[16384] = "", changed[16384 + 256], *at;
        FILE *file = fopen(files[i], "r");
        assert_non_null(file);
        assert_true(fread(text, 1, sizeof text - 1, file) > 0);
        fclose(file);
        at = strstr(text, find);
        assert_non_null(at);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, replace,
                 at + strlen(find));
        files[i] = lb_write_file(i == 1 ? "se.asm" : "se.pch", changed);
    }
    lb_imported *imported = read_files(files, 3, -1);
    expect_words(imported, words);
    json_decref(get_report(imported));
    lb_destroy_imported(imported);
}

// The grid that contradicts K is named; where K has it is where it was before the change.
static void a_grid_that_contradicts_the_stiffness_is_named(void **state)
{
    (void)state;
    static const char free_motions[] = "LOOK grounding: the stiffness itself has six free motions";
    expect_grid("5.000000000000-1              10", "5.000000000000-1               0",
                free_motions);
    expect_grid("5.000000000000-1              10", "5.000000000000-1               0",
                "the displacement axes of grid 12 contradict it");
    expect_grid("GRID,13,30,1.5,60,45,30", "GRID,13,30,1.5,60,45,0",
                "axes of grid 13 contradict it");
    expect_grid("-1.00000000000+0", "-1.20000000000+0",
                "the place of grid 12 contradicts it, which has it at 3 -1 0.5 m");
}

// A beam as matrices, with one line of a file replaced: `first` is how that line begins, NULL leaves all as it is.
static lb_imported *read_beam(int elements, const char *file, const char *const *first,
                              const char *const *replaced, int count)
{
    char model[500], folder[4200], names[4][4300];
    const char *files[4];
    static const char *const parts[] = {"mass.mtx", "stiffness.mtx", "rows.txt", "nodes.txt"};
    snprintf(model, sizeof model,
             "limber: 1\nbodies:\n  - {name: boom, hinge: {type: fixed}, beam: {length: 2, "
             "material: aluminium, section: {type: rectangle, width: 0.05, height: 0.03}, "
             "modes: 5, elements: %d}}\n",
             elements);
    const char *path = lb_write_file("boom.yaml", model);
    snprintf(folder, sizeof folder, "%.*s/boom", (int)(strrchr(path, '/') - path), path);
    lb_cli_run run =
        lb_run(NULL, "export", "--as", "matrices", path, "--body", "boom", "-o", folder);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    for (int i = 0; i < 4; ++i) {
        snprintf(names[i], sizeof names[i], "%s/%s", folder, parts[i]);
        files[i] = names[i];
        if (strcmp(parts[i], file) != 0) {
            continue;
        }
        size_t length = 0;
        char *text = lb_read_text(names[i], &length), *at = text;
        FILE *out = fopen(names[i], "w");
        assert_non_null(out);
        while (*at) {
            const size_t size = strcspn(at, "\n") + 1;
            int which = 0;
            while (which < count && strncmp(at, first[which], strlen(first[which])) != 0) {
                ++which;
            }
            which < count ? fprintf(out, "%s\n", replaced[which])
                          : fprintf(out, "%.*s", (int)size, at);
            at += at[size - 1] ? size : size - 1;
        }
        fclose(out);
        free(text);
    }
    return read_files(files, 4, -1);
}

// Whatever the number of rows: a node of a long beam that is moved is named with its place.
static void many_rows_are_compared_as_few_are(void **state)
{
    (void)state;
    static const int elements[] = {20, 210}; // 126 and 1266 rows
    static const char *const first[] = {"7 "}, *const moved[] = {"7 0.3 0.1 0"};
    static const char *const words[] = {
        "the place of grid 7 contradicts it, which has it at 0.5 0 0 m",
        "the place of grid 7 contradicts it, which has it at 0.047619 0 0 m"};
    for (int i = 0; i < 2; ++i) {
        lb_imported *imported = read_beam(elements[i], "nodes.txt", first, moved, 1);
        expect_words(imported, "LOOK grounding: the stiffness itself has six free motions");
        expect_words(imported, words[i]);
        lb_destroy_imported(imported);
    }
}

// What holds a structure is in its stiffness, not in the places of its grids: held at a point beside the origin it can still
// turn, about axes that no grid has; held altogether it has no free motion.
static void what_holds_a_structure_is_counted_by_the_stiffness(void **state)
{
    (void)state;
    static const char *const first[] = {"1 1 ", "2 2 ", "3 3 ", "4 4 ", "5 5 ", "6 6 "};
    static const char *const stiff[] = {"1 1 2e9", "2 2 2e9", "3 3 2e9",
                                        "4 4 2e9", "5 5 2e9", "6 6 2e9"};
    lb_imported *imported = read_beam(20, "stiffness.mtx", first, stiff, 3);
    expect_words(imported, "LOOK grounding: the stiffness itself has 3 free motions");
    lb_destroy_imported(imported);
    imported = read_beam(20, "stiffness.mtx", first, stiff, 6);
    expect_words(imported, "ok   grounding: 0 of six rigid motions are free");
    expect_words(imported, "and none of the stiffness itself");
    lb_destroy_imported(imported);
}

static void a_report_needs_no_names_of_nodes(void **state)
{
    (void)state;
    const char *const files[] = {
        lb_write_file("r.op2", "x"), lb_write_file("r.rst", "x"),
        lb_write_file("bare.inp", "*NODE\n1, 0, 0, 0\n"),
        lb_write_file("bare.bdf", "BEGIN BULK\nGRID,1,,0.,0.,0.\nENDDATA\n")};
    const lb_cli_case cases[] = {{{"import", files[0]}, 1, "", "EXTSEOUT"},
                                 {{"import", files[1]}, 1, "", "*EXPORT"},
                                 {{"import", files[2]}, 1, "", "*MATRIX OUTPUT"},
                                 {{"import", files[3]}, 1, "", "MATOP4"}};
    lb_expect_cases(cases, 4, NULL);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coupled_modes_are_those_of_both_matrices),
        cmocka_unit_test(damping_ratios_do_not_depend_on_coordinates),
        cmocka_unit_test(what_has_no_frequency_is_a_dash),
        cmocka_unit_test(a_body_is_called_by_its_free_or_held_frequency),
        cmocka_unit_test(rows_behind_the_last_group_are_read_if_they_are_zero),
        cmocka_unit_test(a_body_that_no_matter_has_is_refused),
        cmocka_unit_test(a_grid_that_contradicts_the_stiffness_is_named),
        cmocka_unit_test(many_rows_are_compared_as_few_are),
        cmocka_unit_test(what_holds_a_structure_is_counted_by_the_stiffness),
        cmocka_unit_test(a_report_needs_no_names_of_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
