// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "swing.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "run_cli.h"

static const char model[] = "limber: 1\n"
                            "name: swing\n"
                            "gravity: [0, 0, -9.81]\n"
                            "bodies:\n"
                            "  - name: bob\n"
                            "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
                            "    mass: 1.0\n"
                            "    com: [0, 0, -2]\n"
                            "    nodes: {tip: {position: [0, 0, -2]}}\n"
                            "initial: {bob: {angle: 1.0}}\n"
                            "run: {duration: 2, interval: 0.01}\n";

enum { PATH_SIZE = 520, RUN_MAX = 16 };
static char paths[RUN_MAX][PATH_SIZE];
static int path_count;

static void clean(void)
{
    for (int i = 0; i < path_count; ++i) {
        remove(paths[i]);
    }
}

const char *lb_record_run(const char *name, const char *text)
{
    assert_true(path_count < RUN_MAX);
    const char *file = lb_write_file(name, text);
    // removed before the directory is: this registers after lb_write_file did
    if (path_count == 0) {
        atexit(clean);
    }
    char *path = paths[path_count++];
    snprintf(path, PATH_SIZE, "%s.h5", file);
    lb_cli_run run = lb_run(NULL, "run", file, "--output", path, "--quiet");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    return path;
}

const char *lb_get_swing(void)
{
    static const char *path;
    if (!path) {
        path = lb_record_run("swing.yaml", model);
    }
    return path;
}
