// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "run_cli.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "scratch.h"

extern char **environ;

const char *lb_write_file(const char *name, const char *text)
{
    const char *path = lb_find_scratch("%s", name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    return path;
}

// A file without a name.
static FILE *open_file(void)
{
    char path[LB_SCRATCH_PATH_SIZE];
    FILE *file = lb_open_scratch(path);
    assert_non_null(file);
    assert_int_equal(unlink(path), 0);
    return file;
}

static char *read_back(FILE *file)
{
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    assert_true(length >= 0);
    rewind(file);
    char *text = calloc((size_t)length + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)length, file), (size_t)length);
    fclose(file);
    return text;
}

lb_cli_run lb_run_cli_into(const char *output, const char *input, const char *const *words)
{
    // temporary files, not pipes: no reader has to keep up
    FILE *in = open_file(), *out = open_file(), *err = open_file();
    fputs(input ? input : "", in);
    rewind(in);

    char *argv[18] = {(char *)(uintptr_t)lb_find_built("limber")};
    int count = 1;
    for (; words[count - 1]; ++count) {
        assert_true(count < 17);
        argv[count] = (char *)(uintptr_t)words[count - 1];
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
    if (output) {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY, 0);
    } else {
        posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    }
    posix_spawn_file_actions_adddup2(&actions, fileno(err), STDERR_FILENO);
    pid_t child;
    assert_int_equal(posix_spawn(&child, lb_find_built("limber"), &actions, NULL, argv, environ),
                     0);
    posix_spawn_file_actions_destroy(&actions);

    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    fclose(in);
    lb_cli_run run = {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_back(out), read_back(err)};
    return run;
}

lb_cli_run lb_run_cli(const char *input, const char *const *words)
{
    return lb_run_cli_into(NULL, input, words);
}

void lb_end_run(lb_cli_run *run)
{
    free(run->out);
    free(run->err);
}

static int says(const char *text, const char *part)
{
    return !part || (part[0] ? strstr(text, part) != NULL : text[0] == '\0');
}

void lb_expect_cases(const lb_cli_case *cases, int count, const char *const *paths)
{
    for (int i = 0; i < count; ++i) {
        const lb_cli_case *c = &cases[i];
        const char *words[15] = {NULL};
        char line[1024] = "limber";
        for (int k = 0; k < 14 && c->words[k]; ++k) {
            words[k] = c->words[k];
            for (int p = 0; paths && paths[p]; p += 2) {
                words[k] = strcmp(words[k], paths[p]) == 0 ? paths[p + 1] : words[k];
            }
            const size_t used = strlen(line);
            snprintf(line + used, sizeof line - used, " %s", words[k]);
        }
        lb_cli_run run = lb_run_cli(NULL, words);
        if (run.status != c->status || !says(run.out, c->out) || !says(run.err, c->err)) {
            fail_msg("%s\n  gave status %d, expected %d\n  out: %s\n  expected: %s\n  err: %s\n  "
                     "expected: %s",
                     line, run.status, c->status, run.out, c->out ? c->out : "(any)", run.err,
                     c->err ? c->err : "(any)");
        }
        lb_end_run(&run);
    }
}
