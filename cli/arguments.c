// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of a subcommand, read by its entry in the table.
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "suggest.h"

// Index of the option of that name, `length` letters long; -1 if there is none.
static int find_option(const lb_cli_command *command, const char *name, size_t length)
{
    for (int i = 0; i < LB_CLI_OPTION_MAX && command->options[i].name; ++i) {
        if (strlen(command->options[i].name) == length &&
            strncmp(command->options[i].name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

// Index of the only option with a value that begins with a letter; -1 if there is none or more.
static int find_letter(const lb_cli_command *command, const char *letter)
{
    int found = -1;
    for (int i = 0; i < LB_CLI_OPTION_MAX && command->options[i].name; ++i) {
        if (command->options[i].argument && letter[0] == command->options[i].name[0] &&
            letter[1] == '\0') {
            if (found >= 0) {
                return -1;
            }
            found = i;
        }
    }
    return found;
}

static int refuse_option(const lb_cli_command *command, const char *word)
{
    lb_cli_suggestion suggestion = {.word = word + strspn(word, "-")};
    for (int i = 0; i < LB_CLI_OPTION_MAX && command->options[i].name; ++i) {
        lb_cli_offer(&suggestion, command->options[i].name);
    }
    lb_cli_offer(&suggestion, "help");
    if (suggestion.best) {
        lb_cli_complain("%s: unknown option '%s'; did you mean '--%s'?", command->name, word,
                        suggestion.best);
    } else {
        lb_cli_complain("%s: unknown option '%s'; see 'limber %s --help'", command->name, word,
                        command->name);
    }
    return LB_CLI_USAGE;
}

int lb_cli_parse_arguments(const lb_cli_command *command, int argc, char **argv,
                           lb_cli_arguments *arguments)
{
    memset(arguments, 0, sizeof *arguments);
    arguments->command = command;
    arguments->operands = argv;
    bool options_end = false;
    for (int i = 0; i < argc; ++i) {
        char *word = argv[i];
        // operands move to the front; "-" is one of them (standard input)
        if (options_end || word[0] != '-' || word[1] == '\0') {
            argv[arguments->count++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        // --name, --name=value or --name value; or a letter
        const char *name = word + 2;
        const size_t length = strcspn(name, "=");
        const int option =
            word[1] == '-' ? find_option(command, name, length) : find_letter(command, word + 1);
        if (option < 0) {
            return refuse_option(command, word);
        }
        const char *value = name[length] == '=' ? name + length + 1 : NULL;
        if (!command->options[option].argument) {
            if (value) {
                lb_cli_complain("%s: --%s takes no value", command->name,
                                command->options[option].name);
                return LB_CLI_USAGE;
            }
            value = "";
        } else if (!value) {
            if (i + 1 >= argc) {
                lb_cli_complain("%s: %s needs a value, %s", command->name, word,
                                command->options[option].argument);
                return LB_CLI_USAGE;
            }
            value = argv[++i];
        }
        arguments->values[option] = value;
    }

    if (arguments->count < command->operand_min) {
        lb_cli_complain("%s: expected %s; see 'limber %s --help'", command->name, command->operands,
                        command->name);
        return LB_CLI_USAGE;
    }
    if (command->operand_max >= 0 && arguments->count > command->operand_max) {
        lb_cli_complain("%s: unexpected '%s'; see 'limber %s --help'", command->name,
                        arguments->operands[command->operand_max], command->name);
        return LB_CLI_USAGE;
    }
    return LB_CLI_DONE;
}

const char *lb_cli_get_option(const lb_cli_arguments *arguments, const char *name)
{
    const int option = find_option(arguments->command, name, strlen(name));
    return option < 0 ? NULL : arguments->values[option];
}

bool lb_cli_get_number(const lb_cli_arguments *arguments, const char *name, double min, double max,
                       double fallback, double *value)
{
    const char *text = lb_cli_get_option(arguments, name);
    *value = fallback;
    if (!text) {
        return true;
    }
    char *end;
    *value = strtod(text, &end);
    // written so that a NaN fails it
    if (end == text || *end || !(*value >= min && *value <= max)) {
        lb_cli_complain("%s: --%s: '%s' given, expected a number from %.15g to %.15g",
                        arguments->command->name, name, text, min, max);
        return false;
    }
    return true;
}
