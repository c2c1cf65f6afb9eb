// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber help --man: pages for man, from the same tables as the help.
#include <ctype.h>
#include <string.h>

#include "console.h"
#include "help.h"

// Text in which nothing is a request or an escape of troff. `is_start`: at the start of a line.
static void put(FILE *out, const char *text, size_t length, bool is_start)
{
    for (size_t i = 0; i < length; ++i) {
        if (is_start && (text[i] == '.' || text[i] == '\'')) {
            fputs("\\&", out);
        }
        is_start = text[i] == '\n';
        if (text[i] == '\\') {
            fputs("\\e", out);
        } else if (text[i] == '-') {
            fputs("\\-", out);
        } else if (text[i] == '\'' || text[i] == '`') {
            fputs(text[i] == '`' ? "\\(ga" : "\\(aq", out);
        } else {
            fputc(text[i], out);
        }
    }
}

static void put_text(FILE *out, const char *text)
{
    put(out, text, strlen(text), true);
}

// Lines as they are.
static void put_lines(FILE *out, const char *text, size_t length)
{
    fputs(".nf\n", out);
    put(out, text, length, true);
    fputs(length > 0 && text[length - 1] != '\n' ? "\n.fi\n" : ".fi\n", out);
}

static void put_head(FILE *out, const char *command)
{
    fputs(".TH LIMBER", out);
    for (const char *c = command ? command : ""; *c; ++c) {
        fprintf(out, c == command ? "\\-%c" : "%c", toupper((unsigned char)*c));
    }
    fprintf(out, " 1 \"\" \"limber %s\" \"limber\"\n.SH NAME\nlimber%s%s \\- ", lb_get_version(),
            command ? "\\-" : "", command ? command : "");
}

static void put_option(FILE *out, const lb_cli_option *option)
{
    const char letter = lb_cli_get_letter(option->name),
               *second = lb_cli_get_second_name(option->name);
    fputs(".TP\n", out);
    if (letter) {
        fprintf(out, "\\fB\\-%c\\fR, ", letter);
    }
    fputs("\\fB\\-\\-", out);
    put_text(out, option->name);
    fputs("\\fR", out);
    if (second) {
        fprintf(out, ", \\fB\\-\\-%s\\fR", second);
    }
    if (option->argument) {
        fputs(" \\fI", out);
        put_text(out, option->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_text(out, option->help);
    fputc('\n', out);
}

static const lb_cli_option common[] = {
    {"quiet", NULL, "leave out progress and what was written", NULL},
    {"verbose", NULL, "say what is read and how long it took", NULL},
    {"help", NULL, "show the help of the command", NULL}};

static void put_common(FILE *out)
{
    for (size_t i = 0; i < sizeof common / sizeof *common; ++i) {
        put_option(out, &common[i]);
    }
}

static void put_tail(FILE *out)
{
    fputs(".SH EXIT STATUS\n0 done, 1 the model or the run failed, 2 the command line or the "
          "request was wrong.\n.SH SEE ALSO\n",
          out);
}

void lb_cli_print_manual(FILE *out)
{
    put_head(out, NULL);
    fputs(
        "dynamics of rigid and flexible multibody systems\n"
        ".SH SYNOPSIS\n.B limber\n\\fICOMMAND\\fR [OPTIONS] ...\n.br\n.B limber\n\\fIFILE\\fR\n"
        ".SH DESCRIPTION\nWith a model or a result file in place of a command, limber prints what "
        "can be done with it.\n.SH COMMANDS\n",
        out);
    for (int i = 0; i < lb_cli_command_count; ++i) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", lb_cli_commands[i].name);
        put_text(out, lb_cli_commands[i].summary);
        fputc('\n', out);
    }
    fputs(".SH OPTIONS\nEvery command takes these.\n", out);
    put_common(out);
    put_tail(out);
    for (int i = 0; i < lb_cli_command_count; ++i) {
        fprintf(out, "%slimber-%s(1)", i > 0 ? ",\n" : "", lb_cli_commands[i].name);
    }
    fputc('\n', out);
}

void lb_cli_print_command_manual(FILE *out, const lb_cli_command *command)
{
    put_head(out, command->name);
    put_text(out, command->summary);
    fprintf(out, "\n.SH SYNOPSIS\n.B limber %s\n[OPTIONS] ", command->name);
    put_text(out, command->operands);
    // what comes before the examples describes the command
    const char *examples = strstr(command->help, "Example");
    const size_t length = examples ? (size_t)(examples - command->help) : strlen(command->help);
    if (length > 0) {
        fputs("\n.SH DESCRIPTION\n", out);
        put_lines(out, command->help, length);
    }
    fputs(length > 0 ? ".SH OPTIONS\n" : "\n.SH OPTIONS\n", out);
    for (const lb_cli_option *option = command->options; option->name; ++option) {
        put_option(out, option);
    }
    put_common(out);
    if (examples) {
        const char *lines = examples + strcspn(examples, "\n");
        lines += *lines == '\n';
        fputs(".SH EXAMPLES\n", out);
        put_lines(out, lines, strlen(lines));
    }
    put_tail(out);
    fputs("limber(1)\n", out);
}
