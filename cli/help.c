// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber help, limber version.
#include "help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "console.h"
#include "suggest.h"

void lb_cli_print_help(FILE *out)
{
    const char *bold = lb_cli_get_colour(out, LB_CLI_BOLD);
    const char *plain = lb_cli_get_colour(out, LB_CLI_PLAIN);
    fprintf(out, "%slimber%s %s: dynamics of rigid and flexible multibody systems\n\n", bold, plain,
            lb_get_version());
    fprintf(out, "Usage: limber COMMAND [OPTIONS] ...\n\nCommands:\n");
    for (int i = 0; i < lb_cli_command_count; ++i) {
        fprintf(out, "  %s%-12s%s%s\n", bold, lb_cli_commands[i].name, plain,
                lb_cli_commands[i].summary);
    }
    fprintf(out,
            "\nExamples:\n"
            "%s"
            "  limber check arm.yaml\n"
            "  limber info arm.yaml\n"
            "  echo '{\"compute\": [\"forward\"]}' | limber eval arm.yaml -\n"
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
        char left[LB_CLI_OPTION_MAX][32];
        int count = 0, width = 0;
        for (; command->options[count].name; ++count) {
            const lb_cli_option *option = &command->options[count];
            const int length =
                snprintf(left[count], sizeof left[count], "--%s%s%s", option->name,
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

int lb_cli_refuse_command(const char *word)
{
    if (is_left_out(word)) {
        lb_cli_complain("'%s' is not part of this build: LB_BUILD_SIM or LB_BUILD_VIEW is off",
                        word);
        return LB_CLI_USAGE;
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

int lb_cli_run_help(const lb_cli_arguments *arguments)
{
    if (arguments->count == 0) {
        lb_cli_print_help(stdout);
        return LB_CLI_DONE;
    }
    const lb_cli_command *command = lb_cli_find_command(arguments->operands[0]);
    if (!command) {
        return lb_cli_refuse_command(arguments->operands[0]);
    }
    lb_cli_print_command_help(stdout, command);
    return LB_CLI_DONE;
}

int lb_cli_run_version(const lb_cli_arguments *arguments)
{
    (void)arguments;
    printf("limber %s\n", lb_get_version());
    return LB_CLI_DONE;
}
