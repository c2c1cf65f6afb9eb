// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L

#include "process.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LB_PATIENCE_MS = 40000 };

void lb_end_process(lb_process *process)
{
    if (process->pid > 0) {
        fclose(process->to);
        fclose(process->from);
        kill(process->pid, SIGTERM);
        waitpid(process->pid, NULL, 0);
        process->pid = 0;
    }
    free(process->line);
    process->line = NULL;
    process->line_size = 0;
}

static const char *lb_read_answer(lb_process *process)
{
    // an answer is one line, so nothing is left in the buffer when the next is waited for
    struct pollfd wait = {fileno(process->from), POLLIN, 0};
    if (poll(&wait, 1, LB_PATIENCE_MS) <= 0 ||
        getline(&process->line, &process->line_size, process->from) <= 0) {
        lb_end_process(process);
        return NULL;
    }
    process->line[strcspn(process->line, "\n")] = '\0';
    return process->line;
}

const char *lb_ask_process(lb_process *process, const char *verb, const char *call)
{
    if (process->pid == 0) {
        return NULL;
    }
    fprintf(process->to, "%s %s\n", verb, call);
    fflush(process->to);
    const char *answer = lb_read_answer(process);
    return answer != NULL && strcmp(answer, "none") != 0 ? answer : NULL;
}

int lb_start_process(lb_process *process, const char *program, const char *option,
                     const char *operand)
{
    int to[2], from[2];
    memset(process, 0, sizeof *process);
    if (pipe(to) != 0 || pipe(from) != 0) {
        perror("pipe");
        return 0;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[0]);
        close(to[1]);
        close(from[0]);
        close(from[1]);
        if (option != NULL) {
            execl(program, program, option, operand, (char *)NULL);
        } else {
            execl(program, program, operand, (char *)NULL);
        }
        perror(program);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    if (pid < 0) {
        perror("fork");
        close(to[1]);
        close(from[0]);
        return 0;
    }
    process->pid = pid;
    process->to = fdopen(to[1], "w");
    process->from = fdopen(from[0], "r");
    const char *ready = lb_read_answer(process);
    if (ready == NULL ||
        sscanf(ready, "ready %63[^|]| %511[^\n]", process->name, process->setting) < 1) {
        lb_end_process(process);
        return 0;
    }
    // the blank before the bar
    process->name[strlen(process->name) - 1] = '\0';
    return 1;
}
