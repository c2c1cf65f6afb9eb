// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of a subcommand, read by its entry in the table.
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "suggest.h"

// ---- names of options --------------------------------------------------------------------------

// The letter of an option and its second name: one table, so that they mean the same in every command.
static const struct {
    const char *name;
    char letter; // 0 for none
    const char *second;
} names_of_options[] = {{"output", 'o', NULL},  {"input", 'i', NULL}, {"quiet", 'q', NULL},
                        {"verbose", 'v', NULL}, {"help", 'h', NULL},  {"duration", 't', "time"},
                        {"step", 0, "dt"}};

enum { NAMED = sizeof names_of_options / sizeof *names_of_options };

char lb_cli_get_letter(const char *name)
{
    for (int i = 0; i < NAMED; ++i) {
        if (strcmp(names_of_options[i].name, name) == 0) {
            return names_of_options[i].letter;
        }
    }
    return 0;
}

const char *lb_cli_get_second_name(const char *name)
{
    for (int i = 0; i < NAMED; ++i) {
        if (strcmp(names_of_options[i].name, name) == 0) {
            return names_of_options[i].second;
        }
    }
    return NULL;
}

static bool is_name(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && strncmp(name, text, length) == 0;
}

// Index of the option of that name, `length` letters long; -1 if there is none.
static int find_option(const lb_cli_command *command, const char *name, size_t length)
{
    for (int i = 0; command->options[i].name; ++i) {
        const char *own = command->options[i].name;
        if (is_name(own, name, length) || is_name(lb_cli_get_second_name(own), name, length)) {
            return i;
        }
    }
    return -1;
}

// Index of the option with that letter; -1 if there is none.
static int find_letter(const lb_cli_command *command, const char *letter)
{
    for (int i = 0; letter[0] && !letter[1] && command->options[i].name; ++i) {
        if (lb_cli_get_letter(command->options[i].name) == letter[0]) {
            return i;
        }
    }
    return -1;
}

// -q and -v, which every command takes.
static bool take_common(const char *word)
{
    const bool quiet = strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0,
               verbose = strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0;
    if (quiet || verbose) {
        lb_cli_set_volume(quiet ? -1 : 1);
    }
    return quiet || verbose;
}

static int refuse_option(const lb_cli_command *command, const char *word)
{
    lb_cli_suggestion suggestion = {.word = word + strspn(word, "-")};
    for (int i = 0; command->options[i].name; ++i) {
        lb_cli_offer(&suggestion, command->options[i].name);
    }
    // what programs of others call a signal; --output is the file
    if (find_option(command, "signal", 6) >= 0 && strcmp(word, "--outputs") == 0) {
        suggestion.best = "signal";
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

// The option that a word names, as --name, --name=value or a letter; -1 if there is none.
//
// `value` becomes the value if it is part of the word, otherwise NULL.
static int read_option(const lb_cli_command *command, const char *word, const char **value)
{
    const char *name = word + 2;
    *value = NULL;
    if (word[1] != '-') {
        return find_letter(command, word + 1);
    }
    const size_t length = strcspn(name, "=");
    *value = name[length] == '=' ? name + length + 1 : NULL;
    return find_option(command, name, length);
}

// Moves the operand at argv[i] to the others at the front; options stay in their order behind them.
static void keep_operand(lb_cli_arguments *arguments, char **argv, int i)
{
    char *word = argv[i];
    memmove(argv + arguments->count + 1, argv + arguments->count,
            (size_t)(i - arguments->count) * sizeof *argv);
    argv[arguments->count++] = word;
}

// Whether there are as many operands as the usage line shows.
static bool check_operands(const lb_cli_arguments *arguments)
{
    const lb_cli_command *command = arguments->command;
    int least = 0, most = 0;
    for (const char *c = command->operands; *c; c += strspn(c, " ")) {
        const size_t length = strcspn(c, " ");
        least += *c != '[' && !command->has_other_operands;
        most = most < 0 || memchr(c, '.', length) ? -1 : most + 1;
        c += length;
    }
    if (arguments->count < least) {
        lb_cli_complain("%s: expected %s; see 'limber %s --help'", command->name, command->operands,
                        command->name);
        return false;
    }
    if (most >= 0 && arguments->count > most) {
        lb_cli_complain("%s: unexpected '%s'; see 'limber %s --help'", command->name,
                        arguments->operands[most], command->name);
        return false;
    }
    return true;
}

int lb_cli_parse_arguments(const lb_cli_command *command, int argc, char **argv,
                           lb_cli_arguments *arguments)
{
    memset(arguments, 0, sizeof *arguments);
    arguments->command = command;
    arguments->operands = argv;
    arguments->word_count = argc;
    bool options_end = false;
    for (int i = 0; i < argc; ++i) {
        char *word = argv[i];
        // "-" is an operand (standard input)
        if (options_end || word[0] != '-' || word[1] == '\0') {
            keep_operand(arguments, argv, i);
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        if (take_common(word)) {
            continue;
        }
        const char *value;
        const int option = read_option(command, word, &value);
        if (option < 0) {
            return refuse_option(command, word);
        }
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
    return check_operands(arguments) ? LB_CLI_DONE : LB_CLI_USAGE;
}

const char *lb_cli_get_option(const lb_cli_arguments *arguments, const char *name)
{
    const int option = find_option(arguments->command, name, strlen(name));
    return option < 0 ? NULL : arguments->values[option];
}

const char *lb_cli_get_repeated(const lb_cli_arguments *arguments, const char *name, int number)
{
    const int wanted = find_option(arguments->command, name, strlen(name));
    for (int i = arguments->count; i < arguments->word_count; ++i) {
        const char *value;
        if (strcmp(arguments->operands[i], "--") == 0) {
            break;
        }
        const int option = read_option(arguments->command, arguments->operands[i], &value);
        if (option < 0) {
            continue; // -q or -v
        }
        if (!value && arguments->command->options[option].argument) {
            value = arguments->operands[++i];
        }
        if (option == wanted && number-- == 0) {
            return value;
        }
    }
    return NULL;
}

// ---- lists of names ----------------------------------------------------------------------------

// Cuts a text at its commas, but not at those within brackets or quotes.
static bool cut_list(const lb_cli_arguments *arguments, const char *option, const char *given,
                     char *text, lb_cli_names *names)
{
    int depth = 0;
    bool quoted = false;
    char *start = text;
    for (char *c = text;; ++c) {
        quoted = *c == '\'' ? !quoted : quoted;
        depth += quoted ? 0 : (*c == '(') - (*c == ')');
        if (*c && (*c != ',' || depth > 0 || quoted)) {
            continue;
        }
        const bool last = !*c;
        *c = '\0';
        start += strspn(start, " ");
        for (char *end = start + strlen(start); end > start && end[-1] == ' ';) {
            *--end = '\0';
        }
        if (!*start) {
            lb_cli_complain("%s: --%s: an empty name in '%s'", arguments->command->name, option,
                            given);
            return false;
        }
        names->names[names->count++] = start;
        if (last) {
            return true;
        }
        start = c + 1;
    }
}

bool lb_cli_read_names(const lb_cli_arguments *arguments, const char *option, lb_cli_names *names)
{
    size_t size = 1;
    const char *given;
    *names = (lb_cli_names){0};
    for (int i = 0; (given = lb_cli_get_repeated(arguments, option, i)); ++i) {
        size += strlen(given) + 1;
    }
    names->text = lb_cli_malloc(size);
    names->names = lb_cli_malloc(size * sizeof *names->names); // a name has at least one letter
    char *text = names->text;
    for (int i = 0; (given = lb_cli_get_repeated(arguments, option, i)); ++i) {
        const size_t length = strlen(given);
        memcpy(text, given, length + 1);
        if (!cut_list(arguments, option, given, text, names)) {
            return false;
        }
        text += length + 1;
    }
    return true;
}

void lb_cli_free_names(lb_cli_names *names)
{
    free(names->text);
    free(names->names);
}

// ---- numbers -----------------------------------------------------------------------------------

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
