// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Bad input and what is said about it, from the files in test/failure/cases; the README there explains how they are
// written. All cases run; those with another answer are listed with file and line.
#define _GNU_SOURCE // memmem
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "heard.h"
#include "import_case.h"
#include "limber/signals.h"
#include "limber/simulate.h"
#include "scratch.h"

enum { LENGTH = 1 << 15, MOST = 32 };
static const lb_status broken = (lb_status)99; // returned by no function: it broke its promise

// Sections of a file of cases.
typedef enum kind {
    PROSE, // before the first one
    BASE,
    PART,
    FILE_TEXT,
    COMMAND,
    CHECK,
    RUN,
    SIGNAL,
    CALCULIX,
    ABAQUS,
    MATRIX_MARKET,
    KINDS
} kind;

typedef struct cases {
    const char *file; // below test/failure/cases
    int line, count, failed;
    // the section
    kind kind;
    char head[LENGTH], base[LENGTH], part[LENGTH], declared[MOST][64];
    const char *script, *words[MOST];
    const char *target; // the file that a case is written to
    const char *own;    // the file whose name answers leave out
    bool escaped, replaced;
    lb_status status;
    // the case
    char text[LENGTH], *answers[MOST];
    size_t length;
    int answer_count;
} cases;

// ---- what is done with a case --------------------------------------------------------------------

// To the end of a run, in which no number may be NaN or infinite.
static lb_status run(const lb_model *model, lb_simulation *simulation)
{
    lb_run_options options = {.size = sizeof options};
    lb_expect_ok(lb_get_run_options(simulation, &options));
    lb_status status = lb_start_simulation(simulation);
    double t = 0.0, sum = 0.0;
    const double *q, *v, *a;
    for (int i = 1; status >= 0 && t < options.duration; ++i) {
        status = lb_advance_simulation(simulation, fmin(i * options.interval, options.duration));
        lb_get_simulation_state(simulation, &t, &q, &v, &a);
        for (int k = 0; k < lb_get_q_count(model); ++k) {
            sum += fabs(q[k]);
        }
        for (int k = 0; k < lb_get_v_count(model); ++k) {
            sum += fabs(v[k]) + fabs(a[k]);
        }
    }
    return isfinite(sum) ? status : broken;
}

// As `limber check` does it, then perhaps a run.
static lb_status check(const cases *c, const lb_report *report)
{
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_simulation *simulation = NULL;
    lb_status status = lb_load_document(c->words[0], NULL, report, &document);
    status = status < 0 ? status : lb_load_document_model(document, report, &model);
    bool sound = (status >= 0) == (model != NULL);
    if (model) {
        status = lb_load_simulation(document, model, report, &simulation);
        sound = sound && (status >= 0) == (simulation != NULL);
    } else if (document && status == LB_E_MODEL) {
        lb_check_simulation(document, report);
    }
    if (simulation && c->kind == RUN) {
        status = run(model, simulation);
        const char *message = lb_get_simulation_message(simulation);
        const lb_diagnostic last = {sizeof last, LB_SEVERITY_ERROR, c->words[0], 0, 0, "", message};
        if (status < 0) {
            report->emit(report->user, &last);
        }
    }
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    lb_destroy_document(document);
    return sound ? status : broken;
}

static lb_status compile(const cases *c, const lb_report *report)
{
    lb_model *model = NULL;
    lb_signal *signal = NULL;
    lb_status status = lb_load_model("model.yaml", NULL, report, &model);
    status = status < 0 ? status : lb_compile_signal(model, NULL, c->text, report, &signal);
    const bool sound = (status >= 0) == (signal != NULL);
    lb_destroy_signal(signal);
    lb_destroy_model(model);
    return sound ? status : broken;
}

static lb_status import(const cases *c, const lb_report *report)
{
    lb_import_case job;
    lb_begin_case(&job);
    job.import.report = *report;
    bool found = true;
    for (int i = 0; c->words[i]; ++i) {
        found = found && lb_add_case_file(&job, ".", c->words[i]);
    }
    const lb_status status = !found
                                 ? LB_E_FILE
                                 : lb_read_case(&job, c->kind == CALCULIX ? lb_read_calculix
                                                      : c->kind == ABAQUS ? lb_read_abaqus
                                                                          : lb_read_matrix_market);
    lb_end_case(&job);
    return status;
}

static const struct {
    const char *name;
    lb_status (*act)(const cases *c, const lb_report *report), status;
} kinds[KINDS] = {
    [BASE] = {"base", NULL, LB_OK},
    [PART] = {"part", NULL, LB_OK},
    [FILE_TEXT] = {"file", NULL, LB_OK},
    [COMMAND] = {"command", NULL, LB_OK},
    [CHECK] = {"check", check, LB_E_MODEL},
    [RUN] = {"run", check, LB_E_OPEN},
    [SIGNAL] = {"signal", compile, LB_E_SYNTAX},
    [CALCULIX] = {"calculix", import, LB_E_SYNTAX},
    [ABAQUS] = {"abaqus", import, LB_E_SYNTAX},
    [MATRIX_MARKET] = {"matrix-market", import, LB_E_SYNTAX},
};

static void write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void read_text(const char *path, char text[LENGTH])
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, LENGTH - 1, file)] = '\0';
    fclose(file);
}

// Runs the case as a script of the shell, or the script of the section with the case as its input.
static int execute(const cases *c, char out[LENGTH], char err[LENGTH])
{
    static char line[2 * LENGTH];
    write_bytes("in", c->text, *c->script ? c->length : 0);
    snprintf(line, sizeof line, "{ %s\n} <in >out 2>err", *c->script ? c->script : c->text);
    const int status = system(line); // NOLINT: a shell is wanted
    read_text("out", out);
    read_text("err", err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// ---- comparing -----------------------------------------------------------------------------------

// Whether a text has all parts, which "..." separates, in this order. No part at all: whether it is empty.
static bool has(const char *text, const char *parts)
{
    bool found = *parts || !*text;
    while (found && *parts) {
        const char *gap = strstr(parts, "..."), *end = gap ? gap : strchr(parts, 0);
        const char *next = gap ? gap + 3 + strspn(gap + 3, " ") : end;
        while (gap && end > parts && end[-1] == ' ') {
            --end;
        }
        const char *at = memmem(text, strlen(text), parts, (size_t)(end - parts));
        found = at != NULL;
        text = found ? at + (end - parts) : text;
        parts = next;
    }
    return found;
}

// Moves behind a word, if that is what comes.
static bool skip_word(const char **text, const char *word)
{
    const size_t length = strlen(word);
    const bool found = strncmp(*text, word, length) == 0;
    *text += found ? length : 0;
    return found;
}

// Whether an answer such as "3:42: bodies[0].mass: -1 found" is this finding. All but the path may be
// left out.
static bool is_finding(const lb_heard_entry *entry, const char *file, const char *answer)
{
    char word[sizeof entry->path + sizeof entry->file];
    if (strncmp(entry->file, file, sizeof entry->file - 1) != 0) {
        snprintf(word, sizeof word, "%s:", entry->file);
        skip_word(&answer, word);
    }
    snprintf(word, sizeof word, "%d:", entry->line);
    skip_word(&answer, word);
    snprintf(word, sizeof word, "%d:", entry->column);
    skip_word(&answer, word);
    skip_word(&answer, " ");
    const bool is_warning = skip_word(&answer, "warning: ");
    const bool is_place = !*entry->path || skip_word(&answer, entry->path);
    return is_place && is_warning == (entry->severity == LB_SEVERITY_WARNING) &&
           (!*answer ||
            ((!*entry->path || skip_word(&answer, ": ")) && has(entry->message, answer)));
}

static const char *get_status_name(lb_status status)
{
    switch ((int)status) {
#define CASE(name, value, text)                                                                    \
    case value:                                                                                    \
        return #name;
        LB_STATUS_LIST(CASE)
    default:
        return "a broken promise";
    }
}

// ---- one case ------------------------------------------------------------------------------------

static void add_answer(cases *c, const char *answer)
{
    assert_true(c->answer_count < MOST);
    c->answers[c->answer_count] = strdup(answer);
    assert_non_null(c->answers[c->answer_count++]);
}

static void end_case(cases *c, bool right, const char *said)
{
    ++c->count;
    if (!right) {
        ++c->failed;
        print_error("test/failure/cases/%s:%d: expected\n", c->file, c->line);
        for (int i = 0; i < c->answer_count; ++i) {
            print_error("    %s\n", c->answers[i]);
        }
        print_error("  found\n%s  of\n%s\n", said, c->text);
    }
    while (c->answer_count > 0) {
        free(c->answers[--c->answer_count]);
    }
    c->text[0] = '\0';
}

// Every finding has its answer and every answer its finding, in this order or in any.
static void judge_findings(cases *c, bool ordered)
{
    static char said[LENGTH];
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    const lb_status status = kinds[c->kind].act(c, &report);
    const bool silent = !*c->answers[0];
    const int expected = silent ? 0 : c->answer_count;
    bool taken[MOST] = {false};
    int matches = 0;
    size_t used = (size_t)snprintf(said, sizeof said, "    %s\n", get_status_name(status));
    for (int i = 0; i < heard.count && i < MOST; ++i) {
        const lb_heard_entry *entry = &heard.entries[i];
        for (int k = 0; k < expected; ++k) {
            if (!taken[k] && (!ordered || k == i) && is_finding(entry, c->own, c->answers[k])) {
                taken[k] = true;
                ++matches;
                break;
            }
        }
        used += (size_t)snprintf(said + used, sizeof said - used, "    %s:%d:%d: %s%s: %s\n",
                                 entry->file, entry->line, entry->column,
                                 entry->severity == LB_SEVERITY_WARNING ? "warning: " : "",
                                 entry->path, entry->message);
    }
    end_case(
        c, matches == expected && heard.count == expected && status == (silent ? LB_OK : c->status),
        said);
}

// The first answer has the exit status and a part of what is said: on standard output if it is 0, else on standard
// error. The second one is for the other stream, which is empty if there is none.
static void judge_command(cases *c)
{
    static char streams[2][LENGTH], said[3 * LENGTH];
    const int status = execute(c, streams[0], streams[1]);
    char *part;
    const long expected = strtol(c->answers[0], &part, 10);
    const bool right = *part == ':' && status == expected && c->answer_count <= 2 &&
                       has(streams[status != 0], part + 1 + strspn(part + 1, " ")) &&
                       has(streams[status == 0], c->answer_count > 1 ? c->answers[1] : "");
    snprintf(said, sizeof said, "    exit status %d\n%s  and\n%s", status, streams[0], streams[1]);
    end_case(c, right, said);
}

// \n, \t, \\, \0 and \xff are what they are in C. Returns the length.
static size_t unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; ++from) {
        if (*from != '\\') {
            *to++ = *from;
        } else if (*++from == 'x') {
            const char digits[] = {from[1], from[2], '\0'};
            *to++ = (char)strtol(digits, NULL, 16);
            from += 2;
        } else {
            *to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from == '0' ? '\0' : *from;
        }
    }
    return (size_t)(to - text);
}

// Puts a text, without its last end of a line, in place of @@; without @@ there is nothing around it.
static void put_into(const char *around, char *text, char result[LENGTH])
{
    const char *mark = strstr(around, "@@");
    const size_t length = strlen(text);
    text[length - (length > 0 && text[length - 1] == '\n')] = '\0';
    const int used = snprintf(result, LENGTH, "%.*s%s%s", mark ? (int)(mark - around) : 0, around,
                              text, mark ? mark + 2 : "");
    assert_true(used < LENGTH - 1);
}

static void judge(cases *c)
{
    static char inner[LENGTH], whole[LENGTH];
    const bool is_given = c->text[0] || c->escaped;
    put_into(c->part, c->text, inner);
    put_into(c->base, inner, whole);
    if (!c->base[0] && c->target && !c->escaped) {
        strcat(whole, "\n");
    }
    strcpy(c->text, whole);
    c->length = c->escaped ? unescape(whole) : strlen(whole);
    if (c->script) {
        judge_command(c);
    } else {
        if (c->target && is_given) {
            write_bytes(c->target, whole, c->length);
        }
        judge_findings(c, true);
    }
}

// ---- files of cases ------------------------------------------------------------------------------

static void declare(cases *c, const char *name)
{
    int i = 0;
    while (c->declared[i][0] && strcmp(c->declared[i], name) != 0) {
        ++i;
    }
    assert_true(i + 1 < MOST);
    snprintf(c->declared[i], sizeof c->declared[i], "%s", name);
}

static void complain(cases *c, const char *what)
{
    ++c->failed;
    print_error("test/failure/cases/%s:%d: %s\n", c->file, c->line, what);
}

static void end_section(cases *c)
{
    if (c->answer_count > 0) {
        judge(c);
    } else if (c->kind == FILE_TEXT) {
        write_bytes(c->words[0], c->text, strlen(c->text));
        declare(c, c->words[0]);
    } else if (c->kind == BASE || c->kind == PART) {
        strcpy(c->kind == BASE ? c->base : c->part, c->text);
        c->part[0] = c->kind == BASE ? '\0' : c->part[0];
    } else if (c->text[0]) {
        complain(c, "a case without an answer");
    }
    if (c->replaced) {
        assert_int_equal(rename("replaced", c->target), 0);
    }
    c->text[0] = '\0';
}

static lb_status find_status(const char *name)
{
    int status = -(int)broken;
    while (status < (int)broken && strcmp(get_status_name((lb_status)status), name) != 0) {
        ++status;
    }
    return (lb_status)status;
}

// "KIND [FILE...] [escaped] [LB_STATUS] [with FILE]", or "command SCRIPT"
static void begin_section(cases *c, const char *head)
{
    int count = 0;
    char *rest = c->head;
    snprintf(c->head, sizeof c->head, "%s", head);
    const char *name = strtok_r(rest, " ", &rest);
    for (c->kind = BASE; c->kind < KINDS && strcmp(kinds[c->kind].name, name) != 0; ++c->kind) {
    }
    if (c->kind == KINDS) {
        complain(c, "a section of this kind is not known");
        c->kind = PROSE;
    }
    memset(c->words, 0, sizeof c->words);
    c->script = c->kind == COMMAND ? rest : NULL;
    c->target = NULL;
    c->own = "";
    c->escaped = c->replaced = false;
    c->status = kinds[c->kind].status;
    for (char *word; !c->script && (word = strtok_r(NULL, " ", &rest));) {
        if (strcmp(word, "escaped") == 0) {
            c->escaped = true;
        } else if (strcmp(word, "with") == 0) {
            c->target = strtok_r(NULL, " ", &rest);
        } else if (strncmp(word, "LB_", 3) == 0) {
            c->status = find_status(word);
        } else {
            c->words[count++] = word;
        }
    }
    if (kinds[c->kind].act == check) {
        c->own = c->words[0] = count ? c->words[0] : "model.yaml";
        c->target = c->target ? c->target : c->words[0];
    }
    for (int i = 0; kinds[c->kind].act == import && count == 0 && c->declared[i][0]; ++i) {
        c->words[i] = c->declared[i];
    }
    c->replaced = c->target && access(c->target, F_OK) == 0 && rename(c->target, "replaced") == 0;
}

static void take_line(cases *c, const char *line, int number)
{
    if (skip_word(&line, "===")) {
        end_section(c);
        c->line = number;
        begin_section(c, line);
    } else if (c->kind >= COMMAND && skip_word(&line, "=>")) {
        c->line = c->text[0] || c->answer_count ? c->line : number;
        add_answer(c, line + strspn(line, " "));
    } else if (c->kind != PROSE) {
        if (c->answer_count > 0) {
            judge(c);
        }
        const size_t used = strlen(c->text);
        c->line = used ? c->line : number;
        // before a case there may be empty lines and comments
        if (c->kind < COMMAND || used || c->escaped || (*line && *line != '#')) {
            assert_true(used + strlen(line) + 2 < LENGTH);
            snprintf(c->text + used, LENGTH - used, "%s\n", line);
        }
    }
}

// Answers in the lines of a file that is the case itself.
static void take_marks(cases *c, const char *line, int number)
{
    for (const char *mark = strstr(line, " => "); mark;) {
        char answer[512];
        const char *next = strstr(mark + 4, " => ");
        snprintf(answer, sizeof answer, "%d: %.*s", number, next ? (int)(next - mark) - 4 : 400,
                 mark + 4);
        add_answer(c, answer);
        mark = next;
    }
}

static void judge_file(cases *c, const char *file)
{
    char path[512], *line = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "cases/%s", file);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    *c = (cases){.file = file, .line = 1};
    const bool is_list = strstr(file, ".cases") != NULL;
    for (int number = 1; getline(&line, &size, in) >= 0; ++number) {
        line[strcspn(line, "\n")] = '\0';
        if (is_list) {
            take_line(c, line, number);
        } else {
            take_marks(c, line, number);
        }
    }
    fclose(in);
    free(line);
    if (is_list) {
        end_section(c);
    } else {
        begin_section(c, "check");
        c->own = c->words[0] = path;
        judge_findings(c, false);
    }
    print_message("%4d in %s\n", c->count, file);
}

static void every_input_is_answered_as_expected(void **state)
{
    (void)state;
    static cases c;
    glob_t found;
    char folder[LB_SCRATCH_PATH_SIZE], path[4096];
    int count = 0, failed = 0;
    assert_true(lb_enter_scratch_folder() && getcwd(folder, sizeof folder));
    assert_int_equal(symlink(lb_find_source("test/failure/cases"), "cases"), 0);
    // the command of this build
    snprintf(path, sizeof path, "%s:%s", lb_find_built("."), getenv("PATH"));
    setenv("PATH", path, 1);
    assert_int_equal(glob("cases/*/*.*", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        const char *file = found.gl_pathv[i] + strlen("cases/");
#ifndef LB_WITH_VIEW
        if (strncmp(file, "view/", 5) == 0) {
            continue;
        }
#endif
        // each in a folder of its own
        snprintf(path, sizeof path, "%s/%zu", folder, i);
        assert_true(mkdir(path, 0700) == 0 && chdir(path) == 0);
        assert_int_equal(symlink("../cases", "cases"), 0);
        assert_int_equal(symlink(lb_find_source("test/data"), "data"), 0);
        judge_file(&c, file);
        count += c.count;
        failed += c.failed;
        assert_int_equal(chdir(folder), 0);
    }
    globfree(&found);
    print_message("%d cases\n", count);
    assert_int_equal(failed, 0);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_input_is_answered_as_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
