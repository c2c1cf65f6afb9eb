// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text as the plan of a sweep beside a small model: refused in words, or the values of its first and last samples
// are finite and the same when they are asked for again.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "fuzz.h"
#include "fuzz_folder.h"
#include "limber/sweep.h"

static char folder[LB_FUZZ_FOLDER_SIZE];
static char plan[LB_FUZZ_FOLDER_SIZE + 16], model[LB_FUZZ_FOLDER_SIZE + 16];

static void remove_files(void)
{
    unlink(plan);
    unlink(model);
    rmdir(folder);
}

static void put_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        exit(2);
    }
}

static void prepare(void)
{
    static const char text[] =
        "limber: 1\n"
        "parameters: {m: 1, k: {value: 5, range: [1, 9]}}\n"
        "bodies:\n"
        "  - {name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: m, com: [1, 0, 0]}\n"
        "forces: [{name: spring, type: spring, hinge: arm, stiffness: k}]\n";
    if (plan[0]) {
        return;
    }
    lb_fuzz_make_folder(folder);
    snprintf(plan, sizeof plan, "%s/plan.yaml", folder);
    snprintf(model, sizeof model, "%s/m.yaml", folder);
    put_file(model, text, sizeof text - 1);
    atexit(remove_files);
}

static void count_error(void *user, const lb_diagnostic *diagnostic)
{
    *(int *)user += diagnostic->severity == LB_SEVERITY_ERROR;
    if (!diagnostic->message[0]) {
        abort();
    }
}

static void check_sample(const lb_sweep *sweep, int64_t index)
{
    const size_t count = (size_t)lb_get_sweep_info(sweep)->variation_count;
    double *values = malloc(2 * count * sizeof *values);
    if (!values) {
        exit(2);
    }
    if (lb_compute_sample(sweep, index, values) < 0 ||
        lb_compute_sample(sweep, index, values + count) < 0 ||
        memcmp(values, values + count, count * sizeof *values) != 0) {
        abort();
    }
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            abort();
        }
    }
    free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int errors = 0;
    const lb_report report = {count_error, &errors};
    lb_sweep *sweep = NULL;
    prepare();
    put_file(plan, data, size);
    const lb_status status = lb_load_sweep(plan, NULL, &report, &sweep);
    if ((status == LB_OK) != (sweep != NULL) || (status == LB_OK) != (errors == 0)) {
        abort();
    }
    if (sweep) {
        check_sample(sweep, 0);
        check_sample(sweep, lb_get_sweep_info(sweep)->sample_count - 1);
        lb_destroy_sweep(sweep);
    }
    return 0;
}
