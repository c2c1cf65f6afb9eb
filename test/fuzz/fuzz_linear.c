// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any lines as the inputs (after a `<`) and outputs of a linear model: refused in words, or a model whose
// files, of MATLAB and of HDF5, hold its matrices and names.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include <stdio.h>
#include <unistd.h>

#include "base/hdf5/hdf5_reader.h"
#include "fuzz.h"
#include "fuzz_folder.h"
#include "limber/linear.h"
#include "limber/results.h"

static const char model_text[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "- {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, com: [0.5, 0, 0],\n"
    "   inertia: [1, 1, 1, 0, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
    "- {name: cart, parent: arm, at: tip, mass: 1, hinge: {type: prismatic, axis: [0, 0, 1]}}\n"
    "signals: {reach: arm/tip.position.x}\n"
    "forces:\n"
    "- {name: servo, type: actuator, hinge: arm}\n"
    "- {name: pull, type: force, at: arm/tip, axes: world, value: [0, 0, 1]}\n"
    "- {name: soft, type: spring, hinge: cart, stiffness: 30}\n"
    "controllers:\n"
    "- {name: hold, rate: 100, actuators: [{actuator: servo, desired: 0}],\n"
    "   law: {type: pid, kp: 50, kd: 5}}\n";

enum { NAME_MAX_COUNT = 32, FILE_MAX = 1 << 20 };

static lb_simulation *sim;
static char folder[LB_FUZZ_FOLDER_SIZE], path[LB_FUZZ_FOLDER_SIZE + 8];
static unsigned char file[FILE_MAX];

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

static void make_simulation(void)
{
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_fuzz_make_folder(folder);
    if (lb_load_document_text(model_text, sizeof model_text - 1, "fuzz", LB_FORMAT_YAML, NULL, NULL,
                              &document) != LB_OK ||
        lb_load_document_model(document, NULL, &model) != LB_OK ||
        lb_load_simulation(document, model, NULL, &sim) != LB_OK) {
        exit(2);
    }
    lb_destroy_document(document);
    snprintf(path, sizeof path, "%s/lin", folder);
    atexit(remove_folder);
}

static uint32_t get_word(size_t at)
{
    uint32_t word;
    if (at + 4 > FILE_MAX) {
        abort();
    }
    memcpy(&word, file + at, sizeof word);
    return word;
}

// Arrays one behind the other up to the end, the first of them A, with the numbers of A column by column.
static void check_matlab(const lb_linear *linear)
{
    FILE *in = fopen(path, "rb");
    const size_t size = in ? fread(file, 1, sizeof file, in) : 0, n = (size_t)linear->state_count;
    if (!in || fclose(in) != 0) {
        exit(2);
    }
    size_t at = 128;
    while (at < size) {
        if (get_word(at) != 14) {
            abort();
        }
        at += 8 + get_word(at + 4);
    }
    // head 128, tag 8, flags 16, size 16, name 16, tag 8
    if (at != size || get_word(128 + 32) != n || file[128 + 48] != 'A' || n < 2 ||
        memcmp(file + 128 + 64, linear->A, 8) != 0 ||
        memcmp(file + 128 + 72, linear->A + n, 8) != 0) {
        abort();
    }
}

static void check_hdf5(const lb_linear *linear)
{
    const struct {
        const char *name;
        int rows, columns;
        const double *values;
    } matrices[] = {
        {"A", linear->state_count, linear->state_count, linear->A},
        {"B", linear->state_count, linear->input_count, linear->B},
        {"C", linear->output_count, linear->state_count, linear->C},
        {"D", linear->output_count, linear->input_count, linear->D},
    };
    lb_hdf5_reader reader;
    lb_hdf5_array found;
    if (lb_open_hdf5_reader(path, &reader) != LB_OK) {
        abort();
    }
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; ++i) {
        const size_t count = (size_t)matrices[i].rows * (size_t)matrices[i].columns;
        if (lb_find_hdf5_dataset(&reader, reader.root, matrices[i].name, &found) != LB_OK ||
            !found.found || found.bytes != count * sizeof(double) || found.bytes > FILE_MAX ||
            (count > 0 && (lb_read_hdf5_bytes(&reader, found.at, found.bytes, file) != LB_OK ||
                           memcmp(file, matrices[i].values, count * sizeof(double)) != 0))) {
            abort();
        }
    }
    if (lb_find_hdf5_dataset(&reader, reader.root, "outputs", &found) != LB_OK || !found.found ||
        found.dims[0] != (uint64_t)linear->output_count) {
        abort();
    }
    lb_close_hdf5_reader(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!sim) {
        make_simulation();
    }
    // the first byte says what is done with the controller
    char *text = lb_fuzz_join("", size ? data + 1 : data, size ? size - 1 : 0);
    const char *names[2][NAME_MAX_COUNT]; // outputs, inputs
    int counts[2] = {0, 0};
    char *rest = text;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const int is_input = *line == '<';
        if (counts[is_input] < NAME_MAX_COUNT) {
            names[is_input][counts[is_input]++] = line + is_input;
        }
    }
    lb_linear_options options = lb_default_linear_options();
    options.outputs = names[0];
    options.output_count = counts[0];
    options.inputs = names[1];
    options.input_count = counts[1];
    options.control = (lb_control_model)(size ? data[0] % 3 : 0);
    lb_linear *linear = NULL;
    const lb_status status = lb_linearize(sim, &options, &linear);
    if ((status >= 0) != (linear != NULL) ||
        (status < 0 && status != LB_E_MEMORY && !*lb_get_simulation_message(sim))) {
        abort();
    }
    if (linear) {
        if (lb_save_linear(linear, 0, NULL, NULL, path, LB_LINEAR_MAT, NULL) != LB_OK) {
            abort();
        }
        check_matlab(linear);
        if (lb_save_linear(linear, 0, NULL, NULL, path, LB_LINEAR_HDF5, NULL) != LB_OK) {
            abort();
        }
        check_hdf5(linear);
    }
    lb_destroy_linear(linear);
    free(text);
    return 0;
}
