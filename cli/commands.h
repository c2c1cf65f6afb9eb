// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of subcommands. A new one is a file with a run function and an entry in commands.c;
// help, option parsing and shell completion all follow from the entry.
#ifndef LB_CLI_COMMANDS_H
#define LB_CLI_COMMANDS_H

#include <stdbool.h>

/// Exit status of the program: part of its interface.
enum {
    LB_CLI_DONE = 0,
    LB_CLI_FAILED = 1, ///< the model or the run failed
    LB_CLI_USAGE = 2   ///< the command line or the request was wrong
};

enum { LB_CLI_OPTION_MAX = 24 };

/// In place of a command's choices: the names of all commands.
#define LB_CLI_ANY_COMMAND "COMMAND"

/// `--name` or, where it takes an argument, `--name ARGUMENT`. Letters such as `-o` and second names such as
/// `--time` are the same for all commands: see arguments.c.
typedef struct lb_cli_option {
    const char *name;     ///< without the dashes; NULL ends a list
    const char *argument; ///< what to call the argument in help; NULL for a flag
    const char *help;     ///< one line, likewise without quotes
    const char *choices;  ///< values for completion, separated by spaces; NULL if there is no list
} lb_cli_option;

typedef struct lb_cli_command lb_cli_command;

/// A command line after parsing.
typedef struct lb_cli_arguments {
    const lb_cli_command *command;
    int count;       ///< operands
    char **operands; ///< behind them, the words of the options in their order
    int word_count;  ///< operands and words of options
    const char
        *values[LB_CLI_OPTION_MAX]; ///< by option of the command: the last one given, or NULL
} lb_cli_arguments;

struct lb_cli_command {
    const char *name;
    const char *task; ///< heading in `limber --help`
    /// As shown in the usage line, which says how many there are: [WORD] for one that may be left out, dots behind one
    /// that may be repeated.
    const char *operands;
    bool has_other_operands; ///< options may take their place
    const char *choices;     ///< operands for completion, separated by spaces; NULL for file names
    const char *summary;     ///< one line, without quotes (completion scripts put it in some)
    const char *help;        ///< what it does, and examples
    lb_cli_option options[LB_CLI_OPTION_MAX + 1]; ///< ended by one without a name
    bool lists_written; ///< its --json prints the names of files that it wrote, and no more
    int (*run)(const lb_cli_arguments *arguments);
};

extern const lb_cli_command lb_cli_commands[];
extern const int lb_cli_command_count;

/// NULL for an unknown name. Second names count: `simulate` is `run`.
const lb_cli_command *lb_cli_find_command(const char *name);

/// The letter of an option: 'o' for "output"; 0 for none.
char lb_cli_get_letter(const char *name);

/// The second name of an option: "time" for "duration"; NULL for none.
const char *lb_cli_get_second_name(const char *name);

/// Value of an option: NULL if it was not given, "" for a flag that was.
const char *lb_cli_get_option(const lb_cli_arguments *arguments, const char *name);

/// Value of an option that may be repeated, as it was given the first time (`number` 0), the second
/// time and so on; NULL if it was not given as often.
const char *lb_cli_get_repeated(const lb_cli_arguments *arguments, const char *name, int number);

/// Names that options list.
typedef struct lb_cli_names {
    int count;
    const char **names;
    char *text;
} lb_cli_names;

/// All names of an option: those of each time it was given, cut at commas that are not within brackets
/// or quotes. To be freed, also after errors.
///
/// @return false, after saying why, if a name is empty or memory runs out
bool lb_cli_read_names(const lb_cli_arguments *arguments, const char *option, lb_cli_names *names);

void lb_cli_free_names(lb_cli_names *names);

/// Value of a numeric option, `fallback` if it was not given.
///
/// @return false, after saying why, if it is no number between `min` and `max`
bool lb_cli_get_number(const lb_cli_arguments *arguments, const char *name, double min, double max,
                       double fallback, double *value);

/// Sorts `argv` (the words after the command's name) into options and operands.
///
/// @return LB_CLI_DONE or, after saying why, LB_CLI_USAGE
int lb_cli_parse_arguments(const lb_cli_command *command, int argc, char **argv,
                           lb_cli_arguments *arguments);

int lb_cli_run_eval(const lb_cli_arguments *arguments);
int lb_cli_run_check(const lb_cli_arguments *arguments);
int lb_cli_run_info(const lb_cli_arguments *arguments);
int lb_cli_run_operator(const lb_cli_arguments *arguments);
int lb_cli_run_bench(const lb_cli_arguments *arguments);
#ifdef LB_WITH_FREEZE
int lb_cli_run_freeze(const lb_cli_arguments *arguments);
#endif
int lb_cli_run_run(const lb_cli_arguments *arguments);
int lb_cli_run_serve(const lb_cli_arguments *arguments);
int lb_cli_run_assemble(const lb_cli_arguments *arguments);
int lb_cli_run_trim(const lb_cli_arguments *arguments);
int lb_cli_run_results(const lb_cli_arguments *arguments);
int lb_cli_run_loads(const lb_cli_arguments *arguments);
int lb_cli_run_linearize(const lb_cli_arguments *arguments);
int lb_cli_run_modes(const lb_cli_arguments *arguments);
int lb_cli_run_response(const lb_cli_arguments *arguments);
int lb_cli_run_sweep(const lb_cli_arguments *arguments);
#ifdef LB_WITH_VIEW
int lb_cli_run_plot(const lb_cli_arguments *arguments);
int lb_cli_run_view(const lb_cli_arguments *arguments);
int lb_cli_run_render(const lb_cli_arguments *arguments);
int lb_cli_run_demo(const lb_cli_arguments *arguments);
#endif
int lb_cli_run_convert(const lb_cli_arguments *arguments);
int lb_cli_run_examples(const lb_cli_arguments *arguments);
int lb_cli_run_new(const lb_cli_arguments *arguments);
int lb_cli_run_import(const lb_cli_arguments *arguments);
int lb_cli_run_export(const lb_cli_arguments *arguments);
int lb_cli_run_completion(const lb_cli_arguments *arguments);
int lb_cli_run_help(const lb_cli_arguments *arguments);
int lb_cli_run_version(const lb_cli_arguments *arguments);

#endif // LB_CLI_COMMANDS_H
