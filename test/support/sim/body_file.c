// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "body_file.h"

#include <math.h>
#include <stdio.h>

#include "check.h"
#include "heard.h"
#include "import/reduce/reduction.h"

enum { FILES_MOST = 6 };

lb_import_options lb_get_mm_options(void)
{
    lb_import_options options = lb_default_import_options();
    options.length = 1e-3;
    options.mass = 1e3;
    return options;
}

lb_imported *lb_import_folder(const char *folder, const char *const *names,
                              const lb_import_options *options)
{
    lb_import_options all = options ? *options : lb_get_mm_options();
    char paths[FILES_MOST][512];
    const char *files[FILES_MOST];
    int count = 0;
    for (; names[count]; ++count) {
        assert_true(count < FILES_MOST);
        snprintf(paths[count], sizeof paths[count], "%s/%s", folder, names[count]);
        files[count] = paths[count];
    }
    all.files = files;
    all.file_count = count;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_imported *imported = NULL;
    const lb_status status = lb_import_files(&all, NULL, &report, &imported);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    lb_expect_ok(status);
    return imported;
}

lb_imported *lb_import_job(const char *job, const lb_import_options *options)
{
    char names[4][64];
    static const char *const endings[] = {"dof", "inp", "mas", "sti"};
    const char *list[5] = {NULL};
    for (int i = 0; i < 4; ++i) {
        snprintf(names[i], sizeof names[i], "%s.%s", job, endings[i]);
        list[i] = names[i];
    }
    return lb_import_folder(lb_find_source("test/data/fe/calculix"), list, options);
}

void lb_keep_body(lb_imported *imported, const char *path)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    const lb_status status = lb_save_imported(imported, path, &report);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    lb_expect_ok(status);
    lb_destroy_imported(imported);
}

lb_flex_body *lb_load_body(const char *path, const lb_flex_file_options *options)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_flex_body *body = NULL;
    const lb_status status = lb_load_flex_file(path, options, NULL, &report, &body);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    lb_expect_ok(status);
    return body;
}

double lb_get_body_frequency(const lb_flex_options *flex, int r)
{
    const int n = flex->mode_count;
    return sqrt(flex->stiffness[r * n + r] / flex->integrals->M_ff[r * n + r]) / LB_TWO_PI;
}
