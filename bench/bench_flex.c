// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Time and memory that a large body file takes to be written, and to be used by a model.
//
//     bench_flex [NODES [MODES [FILE]]]
//
// Writes FILE (limber-bench.flex if absent) with 100,000 nodes, ten of them with names, and 50 modes unless
// told otherwise; FILE stays, for `limber check` with a model of one's own.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "import/body_file/flex_file.h"
#include "limber/io.h"

enum { NAMED = 10 };

static void complain(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    if (diagnostic->severity == LB_SEVERITY_ERROR) {
        fprintf(stderr, "%s: %s\n", diagnostic->path, diagnostic->message);
    }
}

static const lb_report report = {complain, NULL};

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "not enough memory\n");
        exit(1);
    }
    return memory;
}

static double get_peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static double get_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A bar of unit modal masses.
static lb_status write_file(const char *path, int node_count, int mode_count)
{
    static char names[NAMED][16];
    const size_t n = (size_t)mode_count;
    lb_modal_body body = {.format = "bench", .order = LB_INERTIA_ORDER_2};
    lb_flex_node *nodes = take((size_t)node_count, sizeof *nodes);
    long *ids = take((size_t)node_count, sizeof *ids);
    double *shapes = take(6 * n * (size_t)node_count, sizeof *shapes);
    double *M = take(n * n, sizeof *M), *K = take(n * n, sizeof *K), *zeros = take(6 * n * n, 8);
    for (size_t r = 0; r < n; ++r) {
        M[r * (n + 1)] = 1.0;
        K[r * (n + 1)] = 100.0 * (double)((r + 1) * (r + 1));
    }
    for (int i = 0; i < node_count; ++i) {
        nodes[i] = lb_default_flex_node();
        nodes[i].name = "";
        if (i < NAMED) {
            snprintf(names[i], sizeof names[i], "n%d", i);
            nodes[i].name = names[i];
        }
        nodes[i].position[0] = (double)i / node_count;
        nodes[i].shape = shapes + 6 * n * (size_t)i;
        ids[i] = i + 1;
        for (size_t r = 0; r < n; ++r) {
            shapes[6 * (n * (size_t)i + r) + 4] = sin((double)(r + 1) * i / node_count);
        }
    }
    body.flex = lb_default_flex_options();
    body.flex.mode_count = mode_count;
    body.flex.node_count = node_count;
    body.flex.nodes = nodes;
    body.flex.stiffness = K;
    body.integrals = (lb_flex_integrals){.size = sizeof body.integrals,
                                         .mass = 100.0,
                                         .S0 = {10, 10, 10},
                                         .M_ff = M,
                                         .E = zeros,
                                         .B0 = zeros,
                                         .B = zeros,
                                         .S = zeros,
                                         .S2 = zeros};
    const char *name = "bench", *hash = "";
    const lb_flex_content content = {.body = &body,
                                     .node_ids = ids,
                                     .kept_count = NAMED,
                                     .source_count = 1,
                                     .source_names = &name,
                                     .source_hashes = &hash,
                                     .units = {1, 1, 1},
                                     .report = "",
                                     .json = "{}"};
    const lb_status status = lb_write_flex_file(&content, path, &report);
    free(nodes);
    free(ids);
    free(shapes);
    free(M);
    free(K);
    free(zeros);
    return status;
}

int main(int argc, char **argv)
{
    const int nodes = argc > 1 ? atoi(argv[1]) : 100000, modes = argc > 2 ? atoi(argv[2]) : 50;
    const char *path = argc > 3 ? argv[3] : "limber-bench.flex";
    if (nodes < NAMED || modes < 1 || strchr(path, '/')) {
        fprintf(stderr, "usage: bench_flex [NODES [MODES [FILE]]], FILE without a folder\n");
        return 2;
    }
    double start = get_seconds();
    if (write_file(path, nodes, modes) != LB_OK) {
        return 1;
    }
    printf("%d nodes, %d modes: written in %.3f s, %.0f MiB of memory\n", nodes, modes,
           get_seconds() - start, get_peak());
    char text[512];
    snprintf(text, sizeof text,
             "limber: 1\nbodies: [{name: a, hinge: {type: free}, flex: {file: '%s', nodes: {far: "
             "%d}}}]\n",
             path, nodes);
    for (int turn = 0; turn < 3; ++turn) {
        lb_model *model = NULL;
        start = get_seconds();
        if (lb_load_model_text(text, strlen(text), "bench.yaml", LB_FORMAT_YAML, NULL, &report,
                               &model) != LB_OK) {
            return 1;
        }
        printf("a model of it is loaded in %.3f s\n", get_seconds() - start);
        lb_destroy_model(model);
    }
    return 0;
}
