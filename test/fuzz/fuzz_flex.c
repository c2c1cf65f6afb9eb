// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a body file: refused in words that name it, or a body of finite numbers, which a model takes or
// refuses in words.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_body.h"
#include "fuzz_folder.h"
#include "limber/import.h"

static char folder[LB_FUZZ_FOLDER_SIZE], path[LB_FUZZ_FOLDER_SIZE + 8];

static void remove_file(void)
{
    unlink(path);
    rmdir(folder);
}

static void put_file(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0) {
        lb_fuzz_make_folder(folder);
        snprintf(path, sizeof path, "%s/file", folder);
        fd = open(path, O_RDWR | O_CREAT, 0600);
        atexit(remove_file);
    }
    if (fd < 0 || pwrite(fd, data, size, 0) != (ssize_t)size || ftruncate(fd, (off_t)size) != 0) {
        exit(2);
    }
}

// Every error has words; those of the file name it.
static void check_diagnostic(void *user, const lb_diagnostic *diagnostic)
{
    *(int *)user += diagnostic->severity == LB_SEVERITY_ERROR;
    if (!diagnostic->message || !*diagnostic->message || !diagnostic->path) {
        abort();
    }
    if (strcmp(diagnostic->path, "file") == 0 && !strstr(diagnostic->message, path)) {
        abort();
    }
}

static void expect_finite(const double *x, size_t count)
{
    for (size_t i = 0; x && i < count; ++i) {
        if (!isfinite(x[i])) {
            abort();
        }
    }
}

static void check_body(const lb_flex_options *flex, bool has_damping)
{
    const lb_flex_integrals *I = flex->integrals;
    const size_t n = (size_t)flex->mode_count;
    expect_finite(&I->mass, 1);
    expect_finite(I->S0, 6);
    expect_finite(I->M_ff, n * n);
    expect_finite(I->B, 3 * n * n);
    expect_finite(I->S2, 6 * n * n);
    expect_finite(I->G2, 3 * n * n);
    expect_finite(I->T2, 9 * n * n);
    expect_finite(flex->stiffness, n * n);
    if (!has_damping) {
        expect_finite(flex->damping, n * n);
    }
    for (int i = 0; i < flex->node_count; ++i) {
        if (!flex->nodes[i].name || strlen(flex->nodes[i].name) > 4096) {
            abort();
        }
        expect_finite(flex->nodes[i].position, 3);
        expect_finite(flex->nodes[i].rotation, 4);
        expect_finite(flex->nodes[i].shape, 6 * n);
        for (int k = 0; k < flex->nodes[i].second_order_count; ++k) {
            expect_finite(flex->nodes[i].second_order[k].g, 3);
        }
    }
}

// The whole of it, for the report.
static void read_whole(void)
{
    int errors = 0;
    const lb_report report = {check_diagnostic, &errors};
    const char *file = path;
    lb_import_options options = lb_default_import_options();
    lb_imported *imported = NULL;
    options.files = &file;
    options.file_count = 1;
    const lb_status status = lb_import_files(&options, NULL, &report, &imported);
    if ((status == LB_OK) != (imported != NULL) || (status == LB_OK) != (errors == 0)) {
        abort();
    }
    if (imported && (!lb_get_import_report(imported) || !lb_get_import_json(imported))) {
        abort();
    }
    lb_destroy_imported(imported);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    put_file(data, size);
    // as it is, and with all that a model can ask for
    lb_damping_options damping = lb_default_damping_options();
    const lb_named_node nodes[] = {{"tip", 3}, {NULL, 1}};
    lb_flex_file_options options = lb_default_flex_file_options();
    damping.ratio = 0.01;
    options.damping = &damping;
    options.below = 1e6;
    options.mass_factor = 2.0;
    options.nodes = nodes;
    options.node_count = 2;
    for (int way = 0; way < 2; ++way) {
        int errors = 0;
        const lb_report report = {check_diagnostic, &errors};
        lb_flex_body *body = NULL;
        const lb_status status =
            lb_load_flex_file(path, way ? &options : NULL, NULL, &report, &body);
        // a body, or a reason why there is none
        if ((status == LB_OK) != (body != NULL) || (status == LB_OK) != (errors == 0)) {
            abort();
        }
        if (body) {
            check_body(lb_get_flex_options(body), way == 1);
            if (strlen(lb_get_flex_hash(body)) > 4096) {
                abort();
            }
            lb_fuzz_build_body(lb_get_flex_options(body), check_diagnostic);
        }
        lb_destroy_flex_body(body);
    }
    if (size > 8 && memcmp(data, "\x89HDF", 4) == 0) {
        read_whole();
    }
    return 0;
}
