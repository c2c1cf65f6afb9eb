// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber sweep PLAN: many variations of one model.
#define _POSIX_C_SOURCE 200809L
#include "sweep.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../src/command.h"
#include "json_out.h"
#include "output.h"
#include "sweep_gpu.h"

typedef enum action {
    RUN,
    RESUME,
    STATUS,
    MERGE,
    STATISTICS,
    FIGURE,
    SHOW,
    EVALUATE,
    SCRIPT,
    ACTION_COUNT
} action;

static const char *const action_names[ACTION_COUNT] = {
    "run", "resume", "status", "merge", "statistics", "figure", "show", "evaluate", "script"};

static const char *get_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// slew.yaml gives slew.sweep in the present folder.
static bool name_folder(lb_cli_sweep *s)
{
    const char *asked = lb_cli_get_option(s->arguments, "folder"), *base = get_base(s->plan);
    const char *dot = strrchr(base, '.');
    const int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    const int size = asked ? snprintf(s->folder, sizeof s->folder, "%s", asked)
                           : snprintf(s->folder, sizeof s->folder, "%.*s.sweep", length, base);
    if (size <= 0 || size >= (int)sizeof s->folder) {
        lb_cli_complain("sweep: the name of the folder is empty or too long");
        return false;
    }
    return true;
}

static int count_states(const lb_cli_sweep *s, int64_t *done, int64_t *failed)
{
    const int64_t count = lb_get_sweep_info(s->sweep)->sample_count;
    unsigned char *states = lb_cli_malloc((size_t)count);
    const lb_report report = lb_cli_make_report(NULL);
    const lb_status status =
        lb_cli_check_memory(lb_read_sample_states(s->sweep, s->folder, &report, states));
    *done = *failed = 0;
    for (int64_t i = 0; i < count; ++i) {
        *done += states[i] == LB_SAMPLE_DONE;
        *failed += states[i] == LB_SAMPLE_FAILED;
    }
    free(states);
    return status < 0 ? LB_CLI_FAILED : LB_CLI_DONE;
}

// Time left, s, from what was done since the last start; negative if nothing can be said.
static double guess_time_left(const lb_cli_sweep *s, int64_t done)
{
    char path[LB_CLI_ROWS_SIZE], text[64] = "";
    struct stat about;
    snprintf(path, sizeof path, "%s/started", s->folder);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool has = fd >= 0 && fstat(fd, &about) == 0 && read(fd, text, sizeof text - 1) > 0;
    if (fd >= 0) {
        close(fd);
    }
    const double before = has ? strtod(text, NULL) : 0.0;
    const double passed = has ? difftime(time(NULL), about.st_mtime) : 0.0;
    const double more = (double)done - before;
    return has && more > 0.0 && passed >= 1.0
               ? passed / more * ((double)lb_get_sweep_info(s->sweep)->sample_count - (double)done)
               : -1.0;
}

static int print_status(const lb_cli_sweep *s)
{
    const lb_sweep_info *plan = lb_get_sweep_info(s->sweep);
    int64_t done, failed;
    const int64_t count = plan->sample_count;
    const int result = count_states(s, &done, &failed);
    if (result != LB_CLI_DONE) {
        return result;
    }
    const double left = guess_time_left(s, done + failed);
    if (lb_cli_get_option(s->arguments, "json")) {
        lb_cli_json out = lb_cli_json_start(stdout);
        lb_cli_json_open(&out, NULL, '{');
        lb_cli_json_integer(&out, "samples", count);
        lb_cli_json_integer(&out, "done", done);
        lb_cli_json_integer(&out, "failed", failed);
        lb_cli_json_integer(&out, "seed", (long long)plan->seed);
        lb_cli_json_string(&out, "hash", plan->hash);
        lb_cli_json_close(&out, '}');
        lb_cli_json_finish(&out);
        return LB_CLI_DONE;
    }
    printf("samples  %lld\ndone     %lld\nfailed   %lld\nopen     %lld\n", (long long)count,
           (long long)done, (long long)failed, (long long)(count - done - failed));
    if (left > 0.0 && count > done + failed) {
        printf("left     about %.0f s, if it goes on as since the last start\n", left);
    }
    return LB_CLI_DONE;
}

// A text as one word of a shell script, on one line.
static void put_word(const char *text)
{
    static const char safe[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+,:@%=-";
    bool has_control = false;
    for (const char *c = text; *c; ++c) {
        has_control = has_control || (unsigned char)*c < ' ' || *c == 0x7f;
    }
    if (*text && !text[strspn(text, safe)]) {
        fputs(text, stdout);
        return;
    }
    fputs(has_control ? "$'" : "'", stdout);
    for (const char *c = text; *c; ++c) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            printf("\\%03o", (unsigned)(unsigned char)*c);
        } else if (has_control && (*c == '\'' || *c == '\\')) {
            printf("\\%c", *c);
        } else if (*c == '\'') {
            fputs("'\\''", stdout);
        } else {
            putchar(*c);
        }
    }
    putchar('\'');
}

// Slurm reads the line itself: what would end it or the name becomes an underscore.
static void put_job_name(const char *name)
{
    for (; *name; ++name) {
        const unsigned char c = (unsigned char)*name;
        putchar(c > ' ' && c != 0x7f && !strchr("\"'\\#$`", c) ? c : '_');
    }
}

// The extra folder whose files the plan may name.
static void put_allowed(const lb_cli_sweep *s)
{
    const char *allowed = lb_cli_get_option(s->arguments, "allow-files");
    if (allowed) {
        fputs(" --allow-files ", stdout);
        put_word(allowed);
    }
}

// A script for Slurm: an array of tasks, each of which does a part.
static int print_script(const lb_cli_sweep *s)
{
    const char *hours = lb_cli_get_option(s->arguments, "time-limit");
    const char *folder = lb_cli_get_option(s->arguments, "folder");
    const char *values = lb_cli_get_option(s->arguments, "set");
    double parts = 0.0;
    lb_cli_get_number(s->arguments, "parts", 1, 1e6, 8.0, &parts);
    folder = folder ? folder : s->folder;
    if (hours && hours[strspn(hours, "0123456789:-")]) {
        lb_cli_complain("sweep: --time-limit: '%s' given, expected a time such as 01:00:00", hours);
        return LB_CLI_USAGE;
    }
    fputs("#!/bin/bash\n"
          "# Submit with: sbatch THIS_FILE\n"
          "#SBATCH --job-name=",
          stdout);
    put_job_name(get_base(s->folder));
    printf("\n"
           "#SBATCH --array=1-%d\n"
           "#SBATCH --ntasks=1\n"
           "#SBATCH --cpus-per-task=%d\n"
           "#SBATCH --time=%s\n"
           "#SBATCH --signal=USR1@90\n"
           "#SBATCH --requeue\n"
           "#SBATCH --open-mode=append\n"
           "srun limber sweep ",
           (int)parts, s->worker_count, hours ? hours : "01:00:00");
    put_word(s->plan);
    printf(" --parts %d --workers \"$SLURM_CPUS_PER_TASK\" --folder ", (int)parts);
    put_word(folder);
    if (values) {
        fputs(" --set ", stdout);
        put_word(values);
    }
    put_allowed(s);
    fputs("\n# when all tasks have ended: limber sweep merge ", stdout);
    put_word(s->plan);
    fputs(" --folder ", stdout);
    put_word(folder);
    put_allowed(s);
    fputs(" --csv\n", stdout);
    return LB_CLI_DONE;
}

int lb_cli_find_sweep_output(const lb_cli_sweep *s, const char *name)
{
    const lb_sweep_info *info = lb_get_sweep_info(s->sweep);
    const int count = info->output_count;
    for (int i = 0; i < count; ++i) {
        if (strcmp(info->outputs[i], name) == 0) {
            return i;
        }
    }
    lb_cli_complain("sweep: the plan has no output '%s'; its first one is '%s'", name,
                    info->outputs[0]);
    return LB_NOT_FOUND;
}

static int run(const lb_cli_sweep *s, action a)
{
    struct stat about;
    if (a == RESUME && stat(s->folder, &about) != 0) {
        lb_cli_complain("%s: there is nothing to resume: limber sweep %s starts it", s->folder,
                        s->plan);
        return LB_CLI_FAILED;
    }
    if (lb_cli_get_option(s->arguments, "gpu") && !lb_cli_check_sweep_gpu(s)) {
        return LB_CLI_FAILED;
    }
    return lb_cli_run_workers(s);
}

static int act(lb_cli_sweep *s, action a)
{
    switch (a) {
    case STATUS:
        return print_status(s);
    case MERGE:
        return lb_cli_merge_sweep(s);
    case STATISTICS:
        return lb_cli_print_sweep_statistics(s);
    case FIGURE:
        return lb_cli_draw_sweep(s);
    case SHOW:
        return lb_cli_show_sample(s);
    case EVALUATE:
        return lb_cli_evaluate_sweep(s);
    case SCRIPT:
        return print_script(s);
    default:
        return run(s, a);
    }
}

int lb_cli_run_sweep(const lb_cli_arguments *arguments)
{
    lb_cli_sweep s = {.arguments = arguments, .plan = arguments->operands[arguments->count - 1]};
    int a = RUN;
    if (arguments->count == 2) {
        for (a = 0; a < ACTION_COUNT && strcmp(action_names[a], arguments->operands[0]) != 0;) {
            ++a;
        }
        if (a == ACTION_COUNT) {
            lb_cli_complain("sweep: '%s' given, expected run, resume, status, merge, statistics, "
                            "figure, show, evaluate or script",
                            arguments->operands[0]);
            return LB_CLI_USAGE;
        }
    }
    a = lb_cli_get_option(arguments, "evaluate") ? EVALUATE : a;
    if (!name_folder(&s) || !lb_cli_find_part(&s)) {
        return LB_CLI_USAGE;
    }
    const lb_report report = lb_cli_make_report(NULL);
    const lb_load_options options = lb_cli_get_load_options(arguments);
    lb_cli_note_input(s.plan);
    const lb_status status =
        lb_cli_check_memory(lb_load_sweep(s.plan, &options, &report, &s.sweep));
    if (status >= 0) {
        lb_cli_note_input(lb_get_sweep_info(s.sweep)->model);
    }
    const int result = status < 0 ? LB_CLI_FAILED : act(&s, (action)a);
    lb_destroy_sweep(s.sweep);
    return result;
}
