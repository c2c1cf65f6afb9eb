// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What limber linearize writes, read back: MATLAB files byte by byte after their published format,
// HDF5 by its own library, JSON by jansson.
#include <hdf5.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "heard.h"
#include "limber/linear.h"
#include "limber/results.h"
#include "loaded.h"
#include "run_cli.h"

static const char text[] =
    "limber: 1\n"
    "parameters: {k: 50, soft: {value: 0.4*k, unit: N/m}}\n"
    "bodies:\n"
    "  - {name: a, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 2}\n"
    "  - {name: b, parent: a, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 1}\n"
    "forces:\n"
    "  - {name: ka, type: spring, hinge: a, stiffness: k}\n"
    "  - {name: kb, type: spring, hinge: b, stiffness: soft}\n"
    "  - {name: cb, type: damper, hinge: b, damping: 0.3}\n";

static const char *const parameters[] = {"k", "soft"};
static const double parameter_values[] = {50, 20};

// The model above, its linear model, and a file of it.
typedef struct written {
    lb_loaded loaded;
    lb_linear *linear;
    double frequencies[3], response[3 * 2 * 2];
    const char *path;
} written;

static written begin(const char *name, lb_linear_format format)
{
    static const char *const inputs[] = {"a.motor"};
    static const char *const outputs[] = {"b.position.y", "a.distance"};
    written w = {.loaded = lb_begin_loaded(text, NULL), .frequencies = {0.1, 1, 10}};
    lb_linear_options options = lb_default_linear_options();
    options.inputs = inputs;
    options.input_count = 1;
    options.outputs = outputs;
    options.output_count = 2;
    lb_expect_ok(lb_linearize(w.loaded.simulation, &options, &w.linear));
    lb_expect_ok(lb_compute_response(w.linear, 3, w.frequencies, w.response));
    w.path = lb_write_file(name, "");
    lb_expect_ok(lb_save_linear(w.linear, 3, w.frequencies, w.response, w.path, format, NULL));
    return w;
}

static void end(written *w)
{
    lb_destroy_linear(w->linear);
    lb_end_loaded(&w->loaded);
}

// ---- MATLAB, version 5 -------------------------------------------------------------------------

typedef struct element {
    uint32_t type, size;
    const unsigned char *data, *next;
} element;

// Tag of eight bytes, or of four with the data behind it; padded to eight.
static element read_element(const unsigned char *at)
{
    element e;
    memcpy(&e.type, at, 4);
    if (e.type >> 16) {
        e.size = e.type >> 16;
        e.type &= 0xffff;
        e.data = at + 4;
        e.next = at + 8;
    } else {
        memcpy(&e.size, at + 4, 4);
        e.data = at + 8;
        e.next = at + 8 + (e.type == 14 ? e.size : (e.size + 7) / 8 * 8);
    }
    return e;
}

typedef struct array {
    int class, rows, columns;
    char name[64];
    element first; // numbers, text or the first cell
} array;

static array read_array(const element *matrix)
{
    array a = {0};
    assert_int_equal(matrix->type, 14);
    const element flags = read_element(matrix->data), size = read_element(flags.next);
    const element name = read_element(size.next);
    int32_t counts[2];
    a.class = flags.data[0];
    assert_int_equal(size.size, 8);
    memcpy(counts, size.data, 8);
    a.rows = counts[0];
    a.columns = counts[1];
    assert_true(name.size < sizeof a.name);
    memcpy(a.name, name.data, name.size);
    if (a.rows * a.columns > 0) {
        a.first = read_element(name.next);
    }
    return a;
}

// The array of a name in a file; ends the test if there is none.
static array find_array(const unsigned char *file, size_t length, const char *name)
{
    for (const unsigned char *at = file + 128; at < file + length;) {
        const element e = read_element(at);
        const array a = read_array(&e);
        if (strcmp(a.name, name) == 0) {
            return a;
        }
        at = e.next;
    }
    fail_msg("no array %s", name);
    return (array){0};
}

// Doubles, column by column in the file.
static void expect_array(const unsigned char *file, size_t length, const char *name, int rows,
                         int columns, const double *values)
{
    const array a = find_array(file, length, name);
    assert_int_equal(a.class, 6);
    assert_int_equal(a.rows, rows);
    assert_int_equal(a.columns, columns);
    assert_int_equal(a.first.type, 9);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            double value;
            memcpy(&value, a.first.data + 8 * (j * rows + i), 8);
            assert_true(value == values[i * columns + j]);
        }
    }
}

static void expect_cells(const unsigned char *file, size_t length, const char *name, int count,
                         const char *const *texts)
{
    const array a = find_array(file, length, name);
    assert_int_equal(a.class, 1);
    assert_int_equal(a.rows * a.columns, count);
    element cell = a.first;
    for (int i = 0; i < count; ++i) {
        const array content = read_array(&cell);
        assert_int_equal(content.class, 4);
        assert_int_equal(content.columns, strlen(texts[i]));
        assert_memory_equal(content.first.data, texts[i], strlen(texts[i]));
        if (i + 1 < count) {
            cell = read_element(cell.next);
        }
    }
}

static void matlab_file_holds_the_model(void **state)
{
    (void)state;
    written w = begin("linear.mat", LB_LINEAR_MAT);
    FILE *in = fopen(w.path, "rb");
    assert_non_null(in);
    unsigned char file[20000];
    const size_t length = fread(file, 1, sizeof file, in);
    fclose(in);
    assert_true(length < sizeof file);
    assert_memory_equal(file, "MATLAB 5.0 MAT-file", 19);
    const lb_linear *l = w.linear;
    expect_array(file, length, "A", 4, 4, l->A);
    expect_array(file, length, "B", 4, 1, l->B);
    expect_array(file, length, "C", 2, 4, l->C);
    expect_array(file, length, "D", 2, 1, l->D);
    expect_array(file, length, "eigenvalues", 4, 2, l->eigenvalues);
    expect_array(file, length, "frequency_hz", 3, 1, w.frequencies);
    double part[6];
    for (int i = 0; i < 6; ++i) {
        part[i] = w.response[2 * i + 1];
    }
    expect_array(file, length, "response_imaginary", 3, 2, part);
    expect_cells(file, length, "states", 4, l->states);
    expect_cells(file, length, "inputs", 1, l->inputs);
    expect_cells(file, length, "outputs", 2, l->outputs);
    expect_cells(file, length, "parameters", 2, parameters);
    expect_array(file, length, "parameter_values", 2, 1, parameter_values);
    end(&w);
}

// ---- HDF5 --------------------------------------------------------------------------------------

static void hdf5_file_holds_the_model(void **state)
{
    (void)state;
    written w = begin("linear.h5", LB_LINEAR_HDF5);
    const hid_t file = H5Fopen(w.path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    static const char *const names[] = {"A", "B", "C", "D"};
    const double *expected[] = {w.linear->A, w.linear->B, w.linear->C, w.linear->D};
    const hsize_t sizes[4][2] = {{4, 4}, {4, 1}, {2, 4}, {2, 1}};
    for (int i = 0; i < 4; ++i) {
        const hid_t set = H5Dopen2(file, names[i], H5P_DEFAULT);
        assert_true(set >= 0);
        const hid_t space = H5Dget_space(set);
        hsize_t size[2];
        assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), 2);
        assert_memory_equal(size, sizes[i], sizeof size);
        double values[16];
        assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        assert_memory_equal(values, expected[i], size[0] * size[1] * sizeof *values);
        H5Sclose(space);
        H5Dclose(set);
    }
    const hid_t set = H5Dopen2(file, "states", H5P_DEFAULT);
    const hid_t type = H5Dget_type(set);
    char states[4][96];
    assert_int_equal(H5Tget_size(type), sizeof states[0]);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, states) >= 0);
    assert_string_equal(states[3], "b.rate");
    H5Tclose(type);
    H5Dclose(set);
    const hid_t values = H5Dopen2(file, "parameter_values", H5P_DEFAULT);
    double found[2] = {0};
    assert_true(H5Dread(values, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    assert_memory_equal(found, parameter_values, sizeof found);
    H5Dclose(values);
    H5Fclose(file);
    end(&w);
}

static void linear_models_record_parameters(void **state)
{
    (void)state;
    written w = begin("linear.h5", LB_LINEAR_HDF5);
    assert_int_equal(w.linear->parameter_count, 2);
    for (int i = 0; i < 2; ++i) {
        assert_string_equal(w.linear->parameters[i], parameters[i]);
        assert_true(w.linear->parameter_values[i] == parameter_values[i]);
    }
    end(&w);

    // values that were set, in JSON of both commands
    const char *model = lb_write_file("model.yaml", text);
    static const char *const words[2][6] = {{"linearize", "--format=json"}, {"modes", "--json"}};
    for (int i = 0; i < 2; ++i) {
        lb_cli_run run = lb_run(NULL, words[i][0], model, words[i][1], "--set", "k=30");
        assert_int_equal(run.status, 0);
        json_t *root = json_loads(run.out, 0, NULL);
        const json_t *list = json_object_get(root, "parameters");
        assert_int_equal(json_object_size(list), 2);
        assert_true(json_number_value(json_object_get(list, "k")) == 30.0);
        assert_true(json_number_value(json_object_get(list, "soft")) == 12.0);
        json_decref(root);
        lb_end_run(&run);
    }
}

static void files_that_cannot_be_written_are_named(void **state)
{
    (void)state;
    written w = begin("linear.h5", LB_LINEAR_HDF5);
    for (int format = LB_LINEAR_MAT; format <= LB_LINEAR_HDF5; ++format) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        assert_int_equal(lb_save_linear(w.linear, 0, NULL, NULL, "/nowhere/x.mat",
                                        (lb_linear_format)format, &report),
                         LB_E_FILE);
        assert_non_null(strstr(heard.entries[0].message, "/nowhere/x.mat"));
    }
    end(&w);
}

// ---- the command -------------------------------------------------------------------------------

static void command_prints_json_of_the_same_numbers(void **state)
{
    (void)state;
    written w = begin("linear.h5", LB_LINEAR_HDF5);
    const char *model = lb_write_file("model.yaml", text);
    lb_cli_run run = lb_run(NULL, "linearize", model, "--input=a.motor",
                            "--signal=b.position.y, a.distance", "--format=json");
    assert_int_equal(run.status, 0);
    json_t *root = json_loads(run.out, 0, NULL);
    assert_non_null(root);
    const json_t *A = json_object_get(root, "A");
    for (size_t i = 0; i < 16; ++i) {
        const json_t *value = json_array_get(json_array_get(A, i / 4), i % 4);
        assert_true(json_number_value(value) == w.linear->A[i]);
    }
    assert_string_equal(json_string_value(json_array_get(json_object_get(root, "outputs"), 1)),
                        "a.distance");
    assert_int_equal(json_array_size(json_object_get(root, "eigenvalues")), 4);
    json_decref(root);
    lb_end_run(&run);

    // a mode as the viewer wants it
    run = lb_run(NULL, "modes", model, "--json");
    assert_int_equal(run.status, 0);
    root = json_loads(run.out, 0, NULL);
    assert_non_null(root);
    const json_t *mode = json_array_get(json_object_get(root, "modes"), 0);
    assert_true(json_number_value(json_object_get(mode, "frequency_hz")) > 0.5);
    assert_true(json_number_value(json_object_get(mode, "damping_ratio")) > 0.0);
    const json_t *node =
        json_object_get(json_object_get(json_object_get(mode, "nodes"), "b"), "origin");
    assert_int_equal(json_array_size(json_object_get(node, "translation")), 3);
    assert_int_equal(json_array_size(json_object_get(node, "rotation")), 3);
    json_decref(root);
    lb_end_run(&run);

    // rows of a table for other programs
    run = lb_run(NULL, "linearize", model, "--input=a.motor", "--signal=a.distance",
                 "--bode=0.1:10:3", "--csv");
    assert_int_equal(run.status, 0);
    double row[3];
    const char *second = strchr(run.out, '\n') + 1;
    assert_int_equal(sscanf(second, "%lf,%lf,%lf", &row[0], &row[1], &row[2]), 3);
    lb_expect_near("magnitude", row[1], hypot(w.response[2], w.response[3]), 1e-14);
    lb_end_run(&run);
    end(&w);
}

static void points_come_from_recorded_runs(void **state)
{
    (void)state;
    const char *model =
        lb_write_file("run.yaml", "limber: 1\n"
                                  "gravity: [0, 0, -9.81]\n"
                                  "bodies:\n"
                                  "  - {name: rod, hinge: {type: revolute, axis: [0, 1, 0]}, "
                                  "mass: 2, com: [0, 0, -0.5]}\n"
                                  "initial: {rod: {angle: 0.5, rate: 1}}\n"
                                  "run: {duration: 1, interval: 0.25}\n");
    const char *path = lb_write_file("run.h5", "");
    lb_cli_run run = lb_run(NULL, "run", model, "-o", path, "--quiet");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    char at[256];
    lb_results *results;
    double q;
    int table, column;
    lb_expect_ok(lb_open_results(path, NULL, &results));
    column = lb_find_column(results, "q:rod.angle", &table);
    assert_true(column >= 0);
    lb_expect_ok(lb_read_table(results, table, 3, 1, &q));
    lb_close_results(results);

    // (g / l) cos q
    snprintf(at, sizeof at, "--at=%s@0.75", path);
    run = lb_run(NULL, "linearize", model, at, "--format=json");
    assert_int_equal(run.status, 0);
    json_t *root = json_loads(run.out, 0, NULL);
    assert_non_null(root);
    const json_t *row = json_array_get(json_object_get(root, "A"), 1);
    lb_expect_near("A", json_number_value(json_array_get(row, 0)), -9.81 / 0.5 * cos(q), 1e-9);
    assert_true(json_number_value(json_object_get(root, "t")) == 0.75);
    json_decref(root);
    lb_end_run(&run);

    // no row, no guess
    snprintf(at, sizeof at, "--at=%s@0.8", path);
    run = lb_run(NULL, "linearize", model, at);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "the nearest is at 0.75 s"));
    lb_end_run(&run);

    // a run of something else
    const char *other = lb_write_file("model.yaml", text);
    snprintf(at, sizeof at, "--at=%s@0.75", path);
    run = lb_run(NULL, "linearize", other, at);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "another model"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matlab_file_holds_the_model),
        cmocka_unit_test(hdf5_file_holds_the_model),
        cmocka_unit_test(linear_models_record_parameters),
        cmocka_unit_test(files_that_cannot_be_written_are_named),
        cmocka_unit_test(command_prints_json_of_the_same_numbers),
        cmocka_unit_test(points_come_from_recorded_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
