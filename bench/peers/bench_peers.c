// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Limber and other engines on the same models, in the same run.
//
//     bench_peers [--rounds N] [--csv FILE] [--plot FILE] [--scratch DIR] [--floating NAME]...
//                 [--chain N]... [--peer PROGRAM | --peer-with OPTION PROGRAM]... MODEL...
//
// Every peer answers first; a difference to the reference ends the program with 1 after all is done.
// Then rounds go in turn: every peer once, every call once, and again. The first peer is the one
// that others are compared with. If the first is Limber and MuJoCo is among them, ten flexible bodies
// are timed against MuJoCo on the first model.
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <limber/io.h>

#include "../measure.h"
#include "flatten.h"
#include "process.h"
#include "report.h"
#include "scenes.h"

enum { LB_ROUND_MAX = 1000, LB_RESULT_MAX = 64, LB_NAME_MAX = 16 };

// A call that takes longer than this is answered, but not timed.
static const double LB_SLOWEST_NS = 3e8;

// Robots agree to 1e-13. Chains have a wider limit, set after MuJoCo was seen to differ by 1.5e-7 at
// 3,000 links; Simbody and DART stay at 1e-12.
static const double LB_GAP_MAX = 1e-10, LB_CHAIN_GAP_MAX = 1e-6;

typedef struct lb_bench {
    const char *programs[LB_PEER_MAX], *options[LB_PEER_MAX];
    const char *floating[LB_NAME_MAX];
    const char *scratch;
    int peer_count, floating_count, round_count;
    int chains[LB_RESULT_MAX], chain_count;
    FILE *csv;
    char machine[128];
    lb_result results[LB_RESULT_MAX];
    int result_count;
    int different; // answers that are not the reference
} lb_bench;

// ---- one model ---------------------------------------------------------------------------------

static double lb_get_gap(const char *text, const double *expected, int count)
{
    double scale = 0, gap = 0;
    for (int i = 0; i < count; ++i) {
        char *end;
        const double x = strtod(text, &end);
        if (end == text || !isfinite(x)) {
            return HUGE_VAL;
        }
        text = end;
        gap = fmax(gap, fabs(x - expected[i]));
        scale = fmax(scale, fabs(expected[i]));
    }
    return gap / scale;
}

static void lb_check_answers(lb_bench *bench, lb_result *result, lb_process *processes,
                             const lb_model *model, const lb_tree *tree)
{
    double *expected = lb_make_numbers(tree->v_count);
    for (int call = 0; call < LB_CALL_COUNT; ++call) {
        if (!lb_compute_reference(model, tree, (lb_call)call, expected)) {
            continue;
        }
        for (int i = 0; i < result->row_count; ++i) {
            const char *answer = lb_ask_process(&processes[i], "answer", lb_call_names[call]);
            lb_measurement *m = &result->rows[i].calls[call];
            if (answer != NULL) {
                m->done = 1;
                m->gap = lb_get_gap(answer, expected, tree->v_count);
                bench->different += !(m->gap < (result->chain ? LB_CHAIN_GAP_MAX : LB_GAP_MAX));
            }
        }
    }
    free(expected);
}

static int lb_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Rounds of one call that takes so long are not more than the fewest that count.
static const double LB_SLOW_NS = 1e7;
enum { LB_ROUND_MIN = 20 };

static void lb_run_rounds(const lb_bench *bench, lb_result *result, lb_process *processes)
{
    static double ns[LB_PEER_MAX][LB_CALL_COUNT][LB_ROUND_MAX];
    static int counts[LB_PEER_MAX][LB_CALL_COUNT];
    memset(counts, 0, sizeof counts);
    for (int round = 0; round < bench->round_count; ++round) {
        for (int call = 0; call < LB_CALL_COUNT; ++call) {
            for (int i = 0; i < result->row_count; ++i) {
                lb_measurement *m = &result->rows[i].calls[call];
                double *t = ns[i][call];
                const int count = counts[i][call];
                if (!m->done || (count >= LB_ROUND_MIN && t[0] > LB_SLOW_NS)) {
                    continue;
                }
                const char *answer = lb_ask_process(&processes[i], "round", lb_call_names[call]);
                t[count] = answer != NULL ? strtod(answer, NULL) : HUGE_VAL;
                m->done = t[count] < LB_SLOWEST_NS;
                ++counts[i][call];
            }
        }
    }
    for (int i = 0; i < result->row_count; ++i) {
        for (int call = 0; call < LB_CALL_COUNT; ++call) {
            lb_measurement *m = &result->rows[i].calls[call];
            const int count = counts[i][call];
            if (m->done) {
                qsort(ns[i][call], (size_t)count, sizeof ns[i][call][0], lb_compare);
                m->round_count = count;
                m->minimum = ns[i][call][0];
                m->median = ns[i][call][count / 2];
                m->high = ns[i][call][count * 9 / 10];
            }
        }
    }
    result->round_count = bench->round_count;
}

static lb_result *lb_add_result(lb_bench *bench, const char *model)
{
    if (bench->result_count == LB_RESULT_MAX) {
        fputs("too many models\n", stderr);
        exit(2);
    }
    lb_result *result = &bench->results[bench->result_count++];
    snprintf(result->model, sizeof result->model, "%s", model);
    return result;
}

static void lb_start_row(lb_result *result, lb_process *processes, int peer, const char *program,
                         const char *option, const char *operand)
{
    lb_process *process = &processes[result->row_count];
    if (lb_start_process(process, program, option, operand)) {
        lb_row *row = &result->rows[result->row_count++];
        row->peer = peer;
        memcpy(row->name, process->name, sizeof row->name);
        memcpy(row->setting, process->setting, sizeof row->setting);
    }
}

static void lb_get_tree_path(const lb_bench *bench, const char *model, char path[4096])
{
    snprintf(path, 4096, "%s/%s.tree", bench->scratch, model);
}

static void lb_bench_model(lb_bench *bench, const lb_model *model, const char *name, int chain)
{
    lb_process processes[LB_PEER_MAX];
    char path[4096];
    lb_tree *tree = lb_flatten_model(model, 1);
    lb_result *result = lb_add_result(bench, name);
    result->body_count = tree->body_count;
    result->v_count = tree->v_count;
    result->chain = chain;
    lb_get_tree_path(bench, name, path);
    lb_write_tree(tree, path);
    for (int i = 0; i < bench->peer_count; ++i) {
        lb_start_row(result, processes, i, bench->programs[i], bench->options[i], path);
    }
    if (result->row_count == 0) {
        fputs("no peer is ready\n", stderr);
        exit(1);
    }
    lb_check_answers(bench, result, processes, model, tree);
    lb_print_gaps(result);
    lb_run_rounds(bench, result, processes);
    lb_print_times(result);
    if (bench->csv != NULL) {
        lb_print_csv(bench->csv, result, bench->machine);
    }
    for (int i = 0; i < result->row_count; ++i) {
        lb_end_process(&processes[i]);
    }
    lb_destroy_tree_data(tree);
}

// ---- all models --------------------------------------------------------------------------------

static void lb_complain(void *user, const lb_diagnostic *d)
{
    (void)user;
    if (d->severity == LB_SEVERITY_ERROR) {
        fprintf(stderr, "%s:%d: %s: %s\n", d->file, d->line, d->path, d->message);
    }
}

static void lb_bench_file(lb_bench *bench, const char *path)
{
    const char *slash = strrchr(path, '/');
    char name[64];
    snprintf(name, sizeof name, "%s", slash != NULL ? slash + 1 : path);
    name[strcspn(name, ".")] = '\0';
    const lb_report report = {lb_complain, NULL};
    lb_load_options options = lb_default_load_options();
    for (int i = 0; i < bench->floating_count; ++i) {
        options.floating_base |= strcmp(bench->floating[i], name) == 0;
    }
    lb_model *model;
    if (lb_load_model(path, &options, &report, &model) < LB_OK) {
        fprintf(stderr, "%s: cannot be loaded\n", path);
        exit(1);
    }
    lb_bench_model(bench, model, name, 0);
    lb_destroy_model(model);
}

static void lb_bench_chain(lb_bench *bench, int links)
{
    char name[64];
    snprintf(name, sizeof name, "chain-%d", links);
    lb_scene *scene = lb_create_revolute_chain(links);
    lb_model *model = lb_build_scene(scene);
    if (model == NULL) {
        fputs("cannot build the chain\n", stderr);
        exit(1);
    }
    lb_bench_model(bench, model, name, 1);
    lb_destroy_model(model);
    lb_destroy_scene(scene);
}

// Ten flexible bodies of five modes against MuJoCo on a rigid robot.
static void lb_bench_beams(lb_bench *bench, const lb_result *robot)
{
    int mujoco = -1;
    for (int i = 0; i < robot->row_count; ++i) {
        mujoco = strcmp(robot->rows[i].name, "MuJoCo") == 0 ? robot->rows[i].peer : mujoco;
    }
    if (mujoco < 0 || strncmp(robot->rows[0].name, "Limber", 6) != 0) {
        return;
    }
    lb_process processes[LB_PEER_MAX];
    char path[4096];
    lb_result *result = lb_add_result(bench, "beams");
    lb_get_tree_path(bench, robot->model, path);
    lb_start_row(result, processes, mujoco, bench->programs[mujoco], bench->options[mujoco], path);
    lb_start_row(result, processes, 0, bench->programs[0], "--beams", "ruthless");
    lb_start_row(result, processes, 0, bench->programs[0], "--beams", "consistent");
    result->body_count = 10;
    result->v_count = 60;
    for (int i = 0; i < result->row_count; ++i) {
        result->rows[i].calls[LB_CALL_FORWARD].done = 1;
    }
    lb_run_rounds(bench, result, processes);
    printf("\nten flexible bodies of five modes, against MuJoCo on %s\n", robot->model);
    lb_print_times(result);
    if (bench->csv != NULL) {
        lb_print_csv(bench->csv, result, bench->machine);
    }
    for (int i = 0; i < result->row_count; ++i) {
        lb_end_process(&processes[i]);
    }
}

// ---- command line ------------------------------------------------------------------------------

static int lb_explain_usage(void)
{
    fputs("usage: bench_peers [--rounds N] [--csv FILE] [--plot FILE] [--scratch DIR]\n"
          "                   [--floating NAME]... [--chain N]...\n"
          "                   [--peer PROGRAM | --peer-with OPTION PROGRAM]... MODEL...\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static lb_bench bench = {.scratch = ".", .round_count = 60};
    const char *csv = NULL, *plot = NULL;
    int first = 1;
    for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
        const char *option = argv[first], *value = argv[first + 1];
        if (strcmp(option, "--rounds") == 0) {
            bench.round_count = atoi(value);
        } else if (strcmp(option, "--csv") == 0) {
            csv = value;
        } else if (strcmp(option, "--plot") == 0) {
            plot = value;
        } else if (strcmp(option, "--scratch") == 0) {
            bench.scratch = value;
        } else if (strcmp(option, "--floating") == 0 && bench.floating_count < LB_NAME_MAX) {
            bench.floating[bench.floating_count++] = value;
        } else if (strcmp(option, "--chain") == 0 && bench.chain_count < LB_RESULT_MAX) {
            bench.chains[bench.chain_count++] = atoi(value);
        } else if (strcmp(option, "--peer") == 0 && bench.peer_count < LB_PEER_MAX) {
            bench.programs[bench.peer_count++] = value;
        } else if (strcmp(option, "--peer-with") == 0 && bench.peer_count < LB_PEER_MAX &&
                   first + 2 < argc) {
            bench.options[bench.peer_count] = value;
            bench.programs[bench.peer_count++] = argv[first + 2];
            ++first;
        } else {
            return lb_explain_usage();
        }
    }
    if (bench.peer_count == 0 || bench.round_count < LB_ROUND_MIN ||
        bench.round_count > LB_ROUND_MAX) {
        fputs("bench_peers: at least one peer and 20 to 1000 rounds\n", stderr);
        return lb_explain_usage();
    }
    if (csv != NULL && (bench.csv = fopen(csv, "w")) == NULL) {
        perror(csv);
        return 1;
    }
    // a peer that ends early is noticed by its missing answer
    signal(SIGPIPE, SIG_IGN);
    lb_get_machine(bench.machine, sizeof bench.machine);
    lb_print_setting();
    if (bench.csv != NULL) {
        lb_print_csv_heading(bench.csv);
    }
    for (int i = first; i < argc; ++i) {
        lb_bench_file(&bench, argv[i]);
    }
    if (bench.result_count > 0) {
        lb_bench_beams(&bench, &bench.results[0]);
    }
    for (int i = 0; i < bench.chain_count; ++i) {
        lb_bench_chain(&bench, bench.chains[i]);
    }
    if (plot != NULL) {
        FILE *svg = fopen(plot, "w");
        if (svg == NULL) {
            perror(plot);
            return 1;
        }
        lb_print_plot(svg, bench.results, bench.result_count, bench.machine);
        fclose(svg);
    }
    if (bench.csv != NULL && fclose(bench.csv) != 0) {
        perror(csv);
        return 1;
    }
    if (bench.different > 0) {
        fprintf(stderr, "bench_peers: %d answers differ from the reference\n", bench.different);
        return 1;
    }
    return 0;
}
