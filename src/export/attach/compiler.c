// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // mkdtemp
#include "attachment.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static lb_status complain_of_file(lb_text *why, const char *path)
{
    lb_text_add(why, "%s: %s", path, strerror(errno));
    return LB_E_FILE;
}

void lb_join_compile_path(const lb_compile_folder *folder, const char *name,
                          char path[LB_COMPILE_PATH])
{
    snprintf(path, LB_COMPILE_PATH, "%s/%.30s", folder->path, name);
}

lb_status lb_make_compile_folder(lb_compile_folder *folder, lb_text *why)
{
    const char *where = getenv("TMPDIR");
    where = where && *where ? where : "/tmp";
    const int length =
        snprintf(folder->path, sizeof folder->path, "%s/limber-frozen-XXXXXX", where);
    if (length >= (int)sizeof folder->path) {
        errno = ENAMETOOLONG;
    } else if (mkdtemp(folder->path)) {
        return LB_OK;
    }
    folder->path[0] = 0;
    return complain_of_file(why, where);
}

lb_status lb_write_compile_file(const lb_compile_folder *folder, const char *name, const char *text,
                                lb_text *why)
{
    char path[LB_COMPILE_PATH];
    lb_join_compile_path(folder, name, path);
    FILE *file = fopen(path, "w");
    if (!file) {
        return errno == ENOMEM ? LB_E_MEMORY : complain_of_file(why, path);
    }
    const bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written ? LB_OK : complain_of_file(why, path);
}

// ---- running ------------------------------------------------------------------------------------

// Cuts a text into words; returns how many.
static size_t cut_words(char *text, char **words)
{
    size_t count = 0;
    char *rest = NULL;
    for (char *at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
        words[count++] = at;
    }
    return count;
}

// The first line of the log that speaks of an error.
static void quote_log(const lb_compile_folder *folder, lb_text *why)
{
    char line[512], path[LB_COMPILE_PATH];
    lb_join_compile_path(folder, "log", path);
    FILE *log = fopen(path, "r");
    bool found = false;
    while (log && !found && fgets(line, sizeof line, log)) {
        found = strstr(line, "error") != NULL;
    }
    if (log) {
        fclose(log);
    }
    if (found) {
        line[strcspn(line, "\n")] = 0;
        lb_text_add(why, ": %s", line);
    }
}

static lb_status start_and_wait(const lb_compile_folder *folder, char **words, lb_text *why)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    char log[LB_COMPILE_PATH];
    lb_join_compile_path(folder, "log", log);
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return LB_E_MEMORY;
    }
    int failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log,
                                                  O_WRONLY | O_CREAT | O_TRUNC, 0600);
    failed =
        failed ? failed : posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    failed = failed ? failed : posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    int result = 0;
    while (!failed && waitpid(child, &result, 0) < 0) {
        failed = errno == EINTR ? 0 : errno;
    }
    // some systems find out in the child that there is no such program
    if (failed || (WIFEXITED(result) && WEXITSTATUS(result) == 127)) {
        lb_text_add(why, "the C compiler '%s' cannot be started: %s", words[0],
                    strerror(failed ? failed : ENOENT));
        return failed == ENOMEM ? LB_E_MEMORY : LB_E_FILE;
    }
    if (!WIFEXITED(result) || WEXITSTATUS(result) != 0) {
        lb_text_add(why, "the C compiler '%s' failed", words[0]);
        quote_log(folder, why);
        return LB_E_FILE;
    }
    return LB_OK;
}

lb_status lb_run_compiler(const lb_compile_folder *folder, const char *compiler, const char *flags,
                          const char *const *more, lb_text *why)
{
    const size_t lengths[] = {strlen(compiler) + 1, strlen(flags) + 1};
    size_t extra = 0;
    while (more[extra]) {
        ++extra;
    }
    char *text = malloc(lengths[0] + lengths[1]);
    char **words = calloc(lengths[0] + lengths[1] + extra + 1, sizeof *words);
    lb_status status = text && words ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        memcpy(text, compiler, lengths[0]);
        memcpy(text + lengths[0], flags, lengths[1]);
        const size_t count = cut_words(text, words);
        // words that posix_spawn does not change
        memcpy(words + count, more, extra * sizeof *words);
        (void)cut_words(text + lengths[0], words + count + extra);
        if (count == 0) {
            lb_text_add(why, "no C compiler is named");
            status = LB_E_ARGUMENT;
        } else {
            status = start_and_wait(folder, words, why);
        }
    }
    free(text);
    free(words);
    return status;
}

void lb_remove_compile_folder(const lb_compile_folder *folder, const char *const *names, int count)
{
    char path[LB_COMPILE_PATH];
    for (int i = -1; folder->path[0] && i < count; ++i) {
        lb_join_compile_path(folder, i < 0 ? "log" : names[i], path);
        (void)unlink(path);
    }
    if (folder->path[0]) {
        (void)rmdir(folder->path);
    }
}
