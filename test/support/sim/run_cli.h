// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the command `limber` and catches what it says.
#ifndef LB_TEST_RUN_CLI_H
#define LB_TEST_RUN_CLI_H

typedef struct lb_cli_run {
    int status; ///< exit status; -1 if it did not end by itself
    char *out, *err;
} lb_cli_run;

/// Runs limber with up to sixteen arguments, the last followed by NULL.
///
/// @param input  standard input; NULL for none
/// @param words  arguments after the program's name
lb_cli_run lb_run_cli(const char *input, const char *const *words);

/// lb_run("stdin text", "eval", path, "-")
#define lb_run(input, ...) lb_run_cli(input, (const char *const[]){__VA_ARGS__, NULL})

/// The same with standard output going to a file; `out` stays empty.
lb_cli_run lb_run_cli_into(const char *output, const char *input, const char *const *words);

void lb_end_run(lb_cli_run *run);

/// A command line, its exit status, and a part of what it says: "" for nothing, NULL for whatever it is.
typedef struct lb_cli_case {
    const char *words[14];
    int status;
    const char *out, *err;
} lb_cli_case;

/// Runs each and ends the test at the first that answers otherwise.
///
/// @param paths  words that stand for paths, each followed by the path: {"MODEL", path, NULL}
void lb_expect_cases(const lb_cli_case *cases, int count, const char *const *paths);

/// Writes a file into the scratch folder of the program and returns its path, valid to the end of the program.
const char *lb_write_file(const char *name, const char *text);

#endif // LB_TEST_RUN_CLI_H
