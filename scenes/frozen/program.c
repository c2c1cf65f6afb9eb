// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // mkdtemp, getrusage
#include "program.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void say(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    fprintf(stderr, "%s\n", diagnostic->message);
}

int lb_write_program_file(const lb_program *program, const char *name, const char *text)
{
    char path[LB_PROGRAM_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", program->folder, name);
    FILE *file = fopen(path, "w");
    const int good = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && good;
}

int lb_make_program_folder(lb_program *program)
{
    memset(program, 0, sizeof *program);
    const char *shelf = getenv("TMPDIR");
    snprintf(program->folder, sizeof program->folder, "%s/limber-frozen-XXXXXX",
             shelf && *shelf ? shelf : "/tmp");
    if (!mkdtemp(program->folder)) {
        program->folder[0] = 0;
        return 0;
    }
    return 1;
}

int lb_write_frozen(const lb_frozen *frozen, lb_program *program)
{
    return lb_make_program_folder(program) &&
           lb_write_program_file(program, "model.c", lb_get_frozen_source(frozen)) &&
           lb_write_program_file(program, "model.h", lb_get_frozen_header(frozen));
}

int lb_write_program(const lb_model *model, const lb_freeze_options *options, lb_program *program)
{
    const lb_report report = {say, NULL};
    lb_frozen *frozen = NULL;
    memset(program, 0, sizeof *program);
    const lb_status status = lb_freeze_model(model, options, &report, &frozen);
    if (status != LB_OK) {
        fprintf(stderr, "freeze: %s\n", lb_get_status_text(status));
    }
    const int good = status == LB_OK && lb_write_frozen(frozen, program);
    lb_destroy_frozen(frozen);
    return good;
}

int lb_run_in_folder(const lb_program *program, const char *command)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "cd '%s' && { %s; } >log 2>&1 || { s=$?; cat log; exit $s; }",
             program->folder, command);
    const int status = system(whole);
    return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

// Processor time of commands that have ended: others may be at work on the machine.
static double get_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
}

static int open_library(lb_program *program, const char *name)
{
    char path[LB_PROGRAM_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", program->folder, name);
    program->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!program->library) {
        fprintf(stderr, "%s\n", dlerror());
    }
    return program->library != NULL;
}

int lb_load_program(lb_program *program, const char *compiler)
{
    char command[256], path[LB_PROGRAM_PATH_SIZE];
    snprintf(command, sizeof command, "%s -fPIC -c model.c -o model.o && size -A model.o >size.txt",
             compiler);
    const double start = get_seconds();
    if (lb_run_in_folder(program, command) != 0) {
        return 0;
    }
    program->seconds = get_seconds() - start;
    // sections of code and constants
    snprintf(path, sizeof path, "%s/size.txt", program->folder);
    FILE *file = fopen(path, "r");
    char line[256], section[64];
    long bytes;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63s %ld", section, &bytes) == 2 &&
            (strncmp(section, ".text", 5) == 0 || strncmp(section, ".rodata", 7) == 0)) {
            program->bytes += bytes;
        }
    }
    if (file) {
        fclose(file);
    }
    snprintf(command, sizeof command, "%s -shared model.o -o model.so -lm", compiler);
    if (lb_run_in_folder(program, command) != 0) {
        return 0;
    }
    return open_library(program, "model.so");
}

int lb_load_on_host(lb_program *program, const char *text, const char *host, const char *flags)
{
    char command[256];
    snprintf(command, sizeof command,
             "c++ %s -ffp-contract=off -fPIC -shared host.cc -o host.so -lm", flags);
    return lb_make_program_folder(program) && lb_write_program_file(program, "model.cu", text) &&
           lb_write_program_file(program, "host.cc", host) &&
           lb_run_in_folder(program, command) == 0 && open_library(program, "host.so");
}

void lb_get_host_function(const lb_program *program, const char *name, void *out)
{
    void *found = dlsym(program->library, name);
    if (!found) {
        fprintf(stderr, "no function %s\n", name);
    }
    memcpy(out, &found, sizeof found);
}

void lb_get_program_function(const lb_program *program, const char *name, void *out)
{
    char symbol[128];
    snprintf(symbol, sizeof symbol, "model_%s", name);
    lb_get_host_function(program, symbol, out);
}

void lb_end_program(lb_program *program)
{
    if (program->library) {
        dlclose(program->library);
    }
    if (program->folder[0]) {
        char command[LB_PROGRAM_PATH_SIZE];
        snprintf(command, sizeof command, "rm -rf '%s'", program->folder);
        if (system(command) != 0) {
            fprintf(stderr, "%s stays\n", program->folder);
        }
    }
    memset(program, 0, sizeof *program);
}
