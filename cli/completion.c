// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber completion SHELL: a completion script, written from the table of subcommands.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "suggest.h"

// "--json --all": every option of a command, and --help.
static void print_options(const lb_cli_command *command)
{
    for (int i = 0; command->options[i].name; ++i) {
        printf("--%s ", command->options[i].name);
    }
    fputs("--quiet --verbose --help", stdout);
}

static bool takes_file(const lb_cli_option *option)
{
    static const char *const files[] = {"FILE", "DIR", "FOLDER", "OTHER"};
    for (size_t i = 0; option->argument && i < sizeof files / sizeof *files; ++i) {
        if (strcmp(option->argument, files[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void print_command_names(void)
{
    for (int i = 0; i < lb_cli_command_count; ++i) {
        printf("%s%s", i > 0 ? " " : "", lb_cli_commands[i].name);
    }
}

static void print_choices(const lb_cli_command *command)
{
    if (strcmp(command->choices, LB_CLI_ANY_COMMAND) == 0) {
        print_command_names();
    } else {
        fputs(command->choices, stdout);
    }
}

static void print_bash(void)
{
    fputs("# bash completion for limber; load with: source <(limber completion bash)\n"
          "_limber()\n"
          "{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local options= words= files=\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W \"",
          stdout);
    print_command_names();
    fputs(" --help --version\" -- \"$word\"))\n"
          "        return\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          stdout);
    for (int i = 0; i < lb_cli_command_count; ++i) {
        const lb_cli_command *command = &lb_cli_commands[i];
        printf("    %s)\n        options=\"", command->name);
        print_options(command);
        fputs("\"\n", stdout);
        if (command->choices) {
            fputs("        words=\"", stdout);
            print_choices(command);
            fputs("\"\n", stdout);
        } else {
            fputs("        files=1\n", stdout);
        }
        // values of an option: its list, files as for operands, or nothing to offer
        for (int k = 0; command->options[k].name; ++k) {
            const lb_cli_option *option = &command->options[k];
            if (option->choices) {
                printf("        [[ $last == --%s ]] && "
                       "{ COMPREPLY=($(compgen -W \"%s\" -- \"$word\")); return; }\n",
                       option->name, option->choices);
            } else if (option->argument && !takes_file(option)) {
                printf("        [[ $last == --%s ]] && return\n", option->name);
            }
        }
        fputs("        ;;\n", stdout);
    }
    fputs("    esac\n"
          "    if [[ $word == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "    elif [[ $files ]]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
          "    else\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "    fi\n"
          "}\n"
          "complete -F _limber limber\n",
          stdout);
}

// What zsh takes for syntax in a description.
static void print_zsh_text(const char *text)
{
    for (; *text; ++text) {
        if (strchr(":[]\\", *text)) {
            putchar('\\');
        }
        putchar(*text);
    }
}

static void print_zsh(void)
{
    fputs("#compdef limber\n"
          "# zsh completion for limber; save as _limber in a directory of $fpath\n"
          "_limber() {\n"
          "    local -a commands\n"
          "    commands=(\n",
          stdout);
    for (int i = 0; i < lb_cli_command_count; ++i) {
        printf("        '%s:", lb_cli_commands[i].name);
        print_zsh_text(lb_cli_commands[i].summary);
        fputs("'\n", stdout);
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $command in\n",
          stdout);
    for (int i = 0; i < lb_cli_command_count; ++i) {
        const lb_cli_command *command = &lb_cli_commands[i];
        printf("    %s)\n        _arguments '--help[show help]'", command->name);
        for (int k = 0; command->options[k].name; ++k) {
            printf(" \\\n            '--%s[", command->options[k].name);
            print_zsh_text(command->options[k].help);
            putchar(']');
            if (command->options[k].argument) {
                printf(":%s:", command->options[k].argument);
            }
            if (command->options[k].choices) {
                printf("(%s)", command->options[k].choices);
            } else if (takes_file(&command->options[k])) {
                fputs("_files", stdout);
            }
            putchar('\'');
        }
        if (!command->choices) {
            fputs(" \\\n            '*:file:_files'", stdout);
        } else if (command->choices[0]) {
            fputs(" \\\n            '1:word:(", stdout);
            print_choices(command);
            fputs(")'", stdout);
        }
        fputs("\n        ;;\n", stdout);
    }
    fputs("    esac\n"
          "}\n"
          "if [[ $funcstack[1] == _limber ]]; then\n"
          "    _limber \"$@\"\n"
          "else\n"
          "    compdef _limber limber\n"
          "fi\n",
          stdout);
}

static void print_fish(void)
{
    fputs("# fish completion for limber; save as ~/.config/fish/completions/limber.fish\n"
          "complete -c limber -f\n",
          stdout);
    for (int i = 0; i < lb_cli_command_count; ++i) {
        printf("complete -c limber -n __fish_use_subcommand -a %s -d '%s'\n",
               lb_cli_commands[i].name, lb_cli_commands[i].summary);
    }
    fputs("complete -c limber -n __fish_use_subcommand -l help -d 'show help'\n"
          "complete -c limber -n __fish_use_subcommand -l version -d 'print the version'\n",
          stdout);
    for (int i = 0; i < lb_cli_command_count; ++i) {
        const lb_cli_command *command = &lb_cli_commands[i];
        printf("complete -c limber -n '__fish_seen_subcommand_from %s' -l help -d 'show help'\n",
               command->name);
        for (int k = 0; command->options[k].name; ++k) {
            const lb_cli_option *option = &command->options[k];
            printf("complete -c limber -n '__fish_seen_subcommand_from %s' -l %s%s -d '%s'",
                   command->name, option->name,
                   takes_file(option) ? " -r -F"
                   : option->argument ? " -x"
                                      : "",
                   option->help);
            if (option->choices) {
                printf(" -a '%s'", option->choices);
            }
            putchar('\n');
        }
        if (!command->choices) {
            printf("complete -c limber -n '__fish_seen_subcommand_from %s' -F\n", command->name);
        } else if (command->choices[0]) {
            printf("complete -c limber -n '__fish_seen_subcommand_from %s' -a '", command->name);
            print_choices(command);
            fputs("'\n", stdout);
        }
    }
}

int lb_cli_run_completion(const lb_cli_arguments *arguments)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    const char *shell = arguments->operands[0];
    lb_cli_suggestion suggestion = {.word = shell};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; ++i) {
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].print();
            return LB_CLI_DONE;
        }
        lb_cli_offer(&suggestion, shells[i].name);
    }
    lb_cli_complain("completion: unknown shell '%s'%s%s%s; there are bash, zsh and fish", shell,
                    suggestion.best ? ", did you mean '" : "",
                    suggestion.best ? suggestion.best : "", suggestion.best ? "'?" : "");
    return LB_CLI_USAGE;
}
