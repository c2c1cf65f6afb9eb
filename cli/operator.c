// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber operator MODEL EXPRESSION: spatial operators, formed or applied to a vector.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "initial.h"
#include "json_out.h"
#include "limber/operators.h"
#include "request.h"

enum {
    LABEL_SIZE = 96,
    CELL_MIN = 12, // columns of a number in a table
    CELL_MAX = 24  // and of the name above it
};

typedef struct calculation {
    const char *model_file, *text;
    lb_model *model;
    lb_work *work;
    lb_op_work *operators;
    lb_op_expression *expression;
    double *q;
    double *scratch;
    lb_cli_numbers vector;
    double *result; // the matrix, or the vector
} calculation;

// ---- names of rows and columns -----------------------------------------------------------------

// "arm.eta0", "arm.wx", "arm.beta2": entries of a space, in order. Starts from {.space = ...}.
typedef struct walk {
    lb_op_space space;
    int body, entry;
} walk;

static void name_next(const lb_model *model, walk *w, char label[LABEL_SIZE])
{
    static const char *const frame[6] = {"wx", "wy", "wz", "vx", "vy", "vz"};
    int modes, size;
    for (;; ++w->body, w->entry = 0) {
        modes = lb_get_mode_count(model, w->body);
        size = modes + (w->space == LB_OP_SPACE_BODY ? 6 : lb_get_hinge_v_count(model, w->body));
        if (w->entry < size) {
            break;
        }
    }
    const char *name = lb_get_body_name(model, w->body);
    if (w->entry < modes) {
        snprintf(label, LABEL_SIZE, "%.80s.eta%d", name, w->entry);
    } else if (w->space == LB_OP_SPACE_BODY) {
        snprintf(label, LABEL_SIZE, "%.80s.%s", name, frame[w->entry - modes]);
    } else {
        snprintf(label, LABEL_SIZE, "%.80s.beta%d", name, w->entry - modes);
    }
    ++w->entry;
}

static int measure_longest(const lb_model *model, lb_op_space space)
{
    walk w = {.space = space};
    int longest = 0;
    for (int i = 0; i < lb_op_get_size(model, space); ++i) {
        char label[LABEL_SIZE];
        name_next(model, &w, label);
        const int length = lb_cli_count_columns(label);
        longest = length > longest ? length : longest;
    }
    return longest;
}

// The last `width` characters of a text, right-aligned: the end tells entries of a body apart.
static void put_right(const char *text, int width)
{
    int length = lb_cli_count_columns(text);
    for (; length < width; ++length) {
        putchar(' ');
    }
    while (length > width) {
        do {
            ++text;
        } while (((unsigned char)*text & 0xc0) == 0x80);
        --length;
    }
    lb_cli_put_text(stdout, text);
}

// ---- output ------------------------------------------------------------------------------------

static void print_table(const calculation *c, int rows, int columns)
{
    const lb_op_space row_space = lb_op_get_expression_row_space(c->expression);
    const int margin = measure_longest(c->model, row_space);
    int cell = CELL_MIN;
    if (!c->vector.values) {
        // names of the columns above them
        const lb_op_space space = lb_op_get_expression_column_space(c->expression);
        const int longest = measure_longest(c->model, space) + 2;
        cell = longest > CELL_MAX ? CELL_MAX : longest > CELL_MIN ? longest : CELL_MIN;
        walk w = {.space = space};
        printf("%*s", margin, "");
        for (int j = 0; j < columns; ++j) {
            char label[LABEL_SIZE];
            name_next(c->model, &w, label);
            fputs("  ", stdout);
            put_right(label, cell - 2);
        }
        putchar('\n');
    }
    walk w = {.space = row_space};
    for (int i = 0; i < rows; ++i) {
        char label[LABEL_SIZE];
        name_next(c->model, &w, label);
        lb_cli_put_text(stdout, label);
        printf("%*s", margin - lb_cli_count_columns(label), "");
        for (int j = 0; j < columns; ++j) {
            // -0 is 0 to people
            printf("%*.5g", cell, c->result[(size_t)i * (size_t)columns + (size_t)j] + 0.0);
        }
        putchar('\n');
    }
}

static void put_space(lb_cli_json *json, const char *key, const lb_model *model, lb_op_space space)
{
    lb_cli_json_key(json, key);
    lb_cli_json_open(json, '{');
    lb_cli_json_key(json, "space");
    lb_cli_json_string(json, space == LB_OP_SPACE_BODY ? "body" : "hinge");
    lb_cli_json_key(json, "entries");
    lb_cli_json_open(json, '[');
    walk w = {.space = space};
    for (int i = 0; i < lb_op_get_size(model, space); ++i) {
        char label[LABEL_SIZE];
        name_next(model, &w, label);
        lb_cli_json_string(json, label);
    }
    lb_cli_json_close(json, ']');
    lb_cli_json_close(json, '}');
}

static void print_json(const calculation *c, int rows, int columns)
{
    lb_cli_json json = lb_cli_json_start(stdout);
    lb_cli_json_open(&json, '{');
    lb_cli_json_key(&json, "expression");
    lb_cli_json_string(&json, c->text);
    put_space(&json, "rows", c->model, lb_op_get_expression_row_space(c->expression));
    put_space(&json, "columns", c->model, lb_op_get_expression_column_space(c->expression));
    if (c->vector.values) {
        lb_cli_json_key(&json, "vector");
        lb_cli_json_vector(&json, c->result, rows);
    } else {
        lb_cli_json_key(&json, "matrix");
        lb_cli_json_matrix(&json, c->result, rows, columns);
    }
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}

// ---- input -------------------------------------------------------------------------------------

// The mistake, and the expression with a caret below the place.
static void show_mistake(void *user, const lb_diagnostic *diagnostic)
{
    const char *text = user;
    lb_diagnostic located = *diagnostic;
    located.file = "expression";
    lb_cli_print_diagnostic(&located);
    fputs("  ", stderr);
    lb_cli_put_text(stderr, text);
    fprintf(stderr, "\n  %*s%s^%s\n", diagnostic->column - 1, "",
            lb_cli_get_colour(stderr, LB_CLI_RED), lb_cli_get_colour(stderr, LB_CLI_PLAIN));
}

static int read_state(calculation *c, const char *path)
{
    const int count = lb_get_q_count(c->model);
    c->q = lb_cli_allocate(1, count, "state");
    if (!c->q) {
        return LB_CLI_FAILED;
    }
    lb_get_neutral_configuration(c->model, c->q);
    return lb_cli_read_state(c->model, path, c->q, NULL);
}

static int read_vector(calculation *c, const char *path)
{
    if (!path) {
        return LB_CLI_DONE;
    }
    lb_cli_input input;
    if (!lb_cli_read_input(path, &input)) {
        return LB_CLI_USAGE;
    }
    const lb_report report = lb_cli_make_report(NULL);
    const int status =
        lb_cli_end_input(&input, lb_cli_parse_numbers(&input, "vector", &report, &c->vector));
    const lb_op_space space = lb_op_get_expression_column_space(c->expression);
    const int expected = lb_op_get_size(c->model, space);
    if (status == LB_CLI_DONE && c->vector.count != expected) {
        char message[128];
        snprintf(message, sizeof message,
                 "%d numbers given, expected %d: the expression takes a vector of the %s space",
                 c->vector.count, expected, space == LB_OP_SPACE_BODY ? "body" : "hinge");
        const lb_diagnostic diagnostic = {
            sizeof diagnostic, LB_SEVERITY_ERROR, input.file, 0, 0, "vector", message};
        lb_cli_print_diagnostic(&diagnostic);
        return LB_CLI_USAGE;
    }
    return status;
}

// ---- the command -------------------------------------------------------------------------------

static bool prepare(calculation *c, int rows, int columns)
{
    c->work = lb_create_work(c->model);
    c->operators = lb_op_create_work(c->model);
    const size_t scratch = lb_op_get_scratch_count(c->model, c->expression);
    c->scratch = lb_cli_calloc(scratch + 1, sizeof *c->scratch);
    if (!c->work || !c->operators || !c->scratch) {
        lb_cli_complain("out of memory for the operators");
        return false;
    }
    c->result = lb_cli_allocate(rows, columns, "operator");
    return c->result != NULL;
}

static bool calculate(calculation *c)
{
    // a singular D stops only expressions that need it; they say so themselves
    const lb_status found = lb_compute_operators(c->model, c->work, c->q, c->operators);
    if (found > 0) {
        lb_cli_explain_status(c->model, c->work, found, c->model_file, "operator");
    }
    const lb_status status =
        c->vector.values
            ? lb_op_apply_expression(c->model, c->operators, c->expression, c->scratch,
                                     c->vector.values, c->result)
            : lb_op_form_expression(c->model, c->operators, c->expression, c->scratch, c->result);
    if (status == LB_E_NUMBER) {
        lb_cli_complain("operator: the result is not finite: the numbers given are beyond what "
                        "double precision can hold");
        return false;
    }
    return lb_cli_explain_status(c->model, c->work, status, c->model_file, "operator");
}

static int run(calculation *c, const lb_cli_arguments *arguments)
{
    const char *state = lb_cli_get_option(arguments, "state");
    const char *vector = lb_cli_get_option(arguments, "vector");
    if (vector && lb_cli_get_option(arguments, "form")) {
        lb_cli_complain("operator: --form and --vector given, expected one of them");
        return LB_CLI_USAGE;
    }
    if (state && vector && strcmp(state, "-") == 0 && strcmp(vector, "-") == 0) {
        lb_cli_complain("operator: standard input cannot be both the state and the vector");
        return LB_CLI_USAGE;
    }
    const lb_report report = {show_mistake, arguments->operands[1]};
    const lb_status parsed = lb_op_parse(c->text, &report, &c->expression);
    if (parsed == LB_E_MEMORY) {
        lb_cli_complain_of_memory();
    }
    if (parsed != LB_OK) {
        return parsed == LB_E_MEMORY ? LB_CLI_FAILED : LB_CLI_USAGE;
    }
    c->model = lb_cli_load_model(arguments);
    if (!c->model) {
        return LB_CLI_FAILED;
    }
    int status = read_state(c, state);
    if (status == LB_CLI_DONE) {
        status = read_vector(c, vector);
    }
    if (status != LB_CLI_DONE) {
        return status;
    }
    const int rows = lb_op_get_size(c->model, lb_op_get_expression_row_space(c->expression));
    const int columns =
        vector ? 1 : lb_op_get_size(c->model, lb_op_get_expression_column_space(c->expression));
    if (!prepare(c, rows, columns) || !calculate(c)) {
        return LB_CLI_FAILED;
    }
    (lb_cli_get_option(arguments, "json") ? print_json : print_table)(c, rows, columns);
    return LB_CLI_DONE;
}

int lb_cli_run_operator(const lb_cli_arguments *arguments)
{
    calculation c = {.model_file = arguments->operands[0], .text = arguments->operands[1]};
    const int status = run(&c, arguments);
    if (c.model) {
        lb_op_destroy_work(c.operators);
        lb_destroy_work(c.work);
    }
    lb_destroy_model(c.model);
    lb_op_destroy_expression(c.expression);
    free(c.q);
    free(c.scratch);
    free(c.vector.values);
    free(c.result);
    return status;
}
