// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber help, limber version.
#include "help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "console.h"
#include "json_out.h"
#include "output.h"
#include "suggest.h"

void lb_cli_print_help(FILE *out)
{
    const char *bold = lb_cli_get_colour(out, LB_CLI_BOLD);
    const char *plain = lb_cli_get_colour(out, LB_CLI_PLAIN);
    fprintf(out, "%slimber%s %s: dynamics of rigid and flexible multibody systems\n\n", bold, plain,
            lb_get_version());
    fprintf(out, "Usage: limber COMMAND [OPTIONS] ...\n"
                 "       limber FILE            what can be done with a model or a result file\n");
    static const char *const tasks[] = {"Start",          "Models",      "Motion in time",
                                        "Initial states", "Frequencies", "Results",
                                        "At one state",   "Program"};
    for (size_t t = 0; t < sizeof tasks / sizeof *tasks; ++t) {
        const char *heading = tasks[t];
        for (int i = 0; i < lb_cli_command_count; ++i) {
            if (strcmp(lb_cli_commands[i].task, tasks[t]) == 0) {
                // a build without simulation has no command for some tasks
                if (heading) {
                    fprintf(out, "\n%s:\n", heading);
                }
                heading = NULL;
                fprintf(out, "  %s%-12s%s%s\n", bold, lb_cli_commands[i].name, plain,
                        lb_cli_commands[i].summary);
            }
        }
    }
    fprintf(
        out,
        "\nExamples:\n"
        "%s"
        "  limber check arm.yaml\n"
        "  limber info arm.yaml\n"
        "  limber eval arm.yaml '{\"compute\": [\"forward\"]}'\n"
        "\n"
        "Every command takes -q (--quiet), which leaves out progress and what was written, -v\n"
        "(--verbose), which says what is read and how long it took, and -h (--help). limber -V\n"
        "prints the version.\n"
        "\n"
        "'limber COMMAND --help' tells more. Exit status: 0 done, 1 the model or the run\n"
        "failed, 2 the command line or the request was wrong.\n",
        lb_cli_find_command("demo") ? "  limber demo\n" : "");
}

void lb_cli_print_command_help(FILE *out, const lb_cli_command *command)
{
    const bool has_options = command->options[0].name != NULL;
    fprintf(out, "Usage: limber %s%s%s%s\n\n", command->name, has_options ? " [OPTIONS]" : "",
            command->operands[0] ? " " : "", command->operands);
    fprintf(out, "%s%c%s.%s\n\n", lb_cli_get_colour(out, LB_CLI_BOLD),
            toupper((unsigned char)command->summary[0]), command->summary + 1,
            lb_cli_get_colour(out, LB_CLI_PLAIN));
    if (has_options) {
        char left[LB_CLI_OPTION_MAX][64];
        int count = 0, width = 0;
        for (; command->options[count].name; ++count) {
            const lb_cli_option *option = &command->options[count];
            const char letter[] = {'-', lb_cli_get_letter(option->name), ',', ' ', 0};
            const char *second = lb_cli_get_second_name(option->name);
            const int length =
                snprintf(left[count], sizeof left[count], "%s--%s%s%s%s%s", letter[1] ? letter : "",
                         option->name, second ? ", --" : "", second ? second : "",
                         option->argument ? " " : "", option->argument ? option->argument : "");
            width = length > width ? length : width;
        }
        fprintf(out, "Options:\n");
        for (int i = 0; i < count; ++i) {
            fprintf(out, "  %-*s  %s\n", width, left[i], command->options[i].help);
        }
        fputc('\n', out);
    }
    fputs(command->help, out);
}

// Whether another build has a command of that name.
static bool is_left_out(const char *word)
{
    static const char *const optional[] = {"run",       "serve",  "assemble", "trim",  "results",
                                           "linearize", "modes",  "response", "loads", "plot",
                                           "view",      "render", "demo"};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; ++i) {
        if (strcmp(optional[i], word) == 0) {
            return true;
        }
    }
    return false;
}

// What to do with a file that is given in place of a command.
static bool offer_commands(const char *path)
{
    static const struct {
        const char *command, *rest;
    } models[] = {{"check", ""}, {"info", ""},      {"run", ""},
                  {"modes", ""}, {"linearize", ""}, {"view", ""}},
      results[] = {{"results", ""},
                   {"plot", ""},
                   {"view", ""},
                   {"render", " -o picture.png"},
                   {"loads", ""}};
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
        return false;
    }
    const bool is_result = lb_cli_ends_in(path, ".h5") || lb_cli_ends_in(path, ".hdf5") ||
                           lb_cli_ends_in(path, ".part");
    const int count =
        is_result ? (int)(sizeof results / sizeof *results) : (int)(sizeof models / sizeof *models);
    const bool quoted = strpbrk(path, " \t'\"$&;()") != NULL;
    lb_cli_put_text(stdout, path);
    printf(" holds %s. What can be done with %s:\n", is_result ? "results" : "a model",
           is_result ? "them" : "it");
    for (int i = 0; i < count; ++i) {
        const lb_cli_command *command =
            lb_cli_find_command(is_result ? results[i].command : models[i].command);
        if (command) {
            printf("  limber %s %s", command->name, quoted ? "\"" : "");
            lb_cli_put_text(stdout, path);
            const char *rest = is_result ? results[i].rest : models[i].rest;
            printf("%s%s%*s  # %s\n", quoted ? "\"" : "", rest,
                   (int)(25 - strlen(command->name) - strlen(rest)), "", command->summary);
        }
    }
    return true;
}

int lb_cli_refuse_command(const char *word)
{
    if (is_left_out(word)) {
        lb_cli_complain("'%s' is not part of this build: LB_BUILD_SIM or LB_BUILD_VIEW is off",
                        word);
        return LB_CLI_USAGE;
    }
    if (offer_commands(word)) {
        return LB_CLI_DONE;
    }
    lb_cli_suggestion suggestion = {.word = word};
    for (int i = 0; i < lb_cli_command_count; ++i) {
        lb_cli_offer(&suggestion, lb_cli_commands[i].name);
    }
    const bool option = word[0] == '-';
    if (suggestion.best) {
        lb_cli_complain("unknown %s '%s'; did you mean '%s'?", option ? "option" : "command", word,
                        suggestion.best);
    } else {
        lb_cli_complain("unknown %s '%s'; see 'limber --help'", option ? "option" : "command",
                        word);
    }
    return LB_CLI_USAGE;
}

static void put_text(lb_cli_json *json, const char *key, const char *text)
{
    if (text) {
        lb_cli_json_string(json, key, text);
    }
}

static void put_command(lb_cli_json *json, const lb_cli_command *command)
{
    lb_cli_json_open(json, NULL, '{');
    put_text(json, "name", command->name);
    put_text(json, "operands", command->operands);
    put_text(json, "summary", command->summary);
    put_text(json, "help", command->help);
    lb_cli_json_open(json, "options", '[');
    for (const lb_cli_option *option = command->options; option->name; ++option) {
        const char letter[] = {lb_cli_get_letter(option->name), 0};
        lb_cli_json_open(json, NULL, '{');
        put_text(json, "name", option->name);
        put_text(json, "letter", letter[0] ? letter : NULL);
        put_text(json, "argument", option->argument);
        put_text(json, "help", option->help);
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, ']');
    lb_cli_json_close(json, '}');
}

// All commands, or one.
static void print_json(const lb_cli_command *only)
{
    lb_cli_json json = lb_cli_json_start(stdout);
    lb_cli_json_open(&json, NULL, '{');
    put_text(&json, "limber", lb_get_version());
    lb_cli_json_open(&json, "commands", '[');
    for (int i = 0; i < lb_cli_command_count; ++i) {
        if (!only || only == &lb_cli_commands[i]) {
            put_command(&json, &lb_cli_commands[i]);
        }
    }
    lb_cli_json_close(&json, ']');
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}

int lb_cli_run_help(const lb_cli_arguments *arguments)
{
    const lb_cli_command *command = NULL;
    if (arguments->count > 0) {
        command = lb_cli_find_command(arguments->operands[0]);
        if (!command) {
            return lb_cli_refuse_command(arguments->operands[0]);
        }
    }
    if (lb_cli_get_option(arguments, "json")) {
        print_json(command);
    } else if (lb_cli_get_option(arguments, "man")) {
        if (command) {
            lb_cli_print_command_manual(stdout, command);
        } else {
            lb_cli_print_manual(stdout);
        }
    } else if (command) {
        lb_cli_print_command_help(stdout, command);
    } else {
        lb_cli_print_help(stdout);
    }
    return LB_CLI_DONE;
}

int lb_cli_run_version(const lb_cli_arguments *arguments)
{
    const bool json = arguments && lb_cli_get_option(arguments, "json");
    printf(json ? "{\"limber\": \"%s\"}\n" : "limber %s\n", lb_get_version());
    return LB_CLI_DONE;
}
