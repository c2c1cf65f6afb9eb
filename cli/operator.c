// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber operator MODEL EXPRESSION: spatial operators, formed or applied to a vector.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "json_out.h"
#include "limber/operators.h"
#include "request.h"
#include "resolve.h"

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
    double *q, *v, *tau;
    double *scratch;
    lb_cli_numbers vector, blocks;
    lb_status picked; // of the nodes of loops
    double *result;   // the matrix, or the vector
} calculation;

// ---- names of rows and columns -----------------------------------------------------------------

// "arm.eta0", "arm.wx", "arm.beta2", "arm/tip.vz": entries of a space, in order. Starts from {.space = ...}.
typedef struct walk {
    lb_op_space space;
    int body, entry; // of the other spaces, entries of all bodies, nodes or loops
} walk;

static const char *const frame[6] = {"wx", "wy", "wz", "vx", "vy", "vz"};

static void name_other(const calculation *c, int entry, lb_op_space space, char label[LABEL_SIZE])
{
    if (space == LB_OP_SPACE_NODE) {
        const lb_op_node at = lb_op_get_node(c->operators, entry / 6);
        const bool on_ground = at.body == LB_GROUND;
        snprintf(label, LABEL_SIZE, "%.40s/%.40s.%s",
                 on_ground ? "ground" : lb_get_body_name(c->model, at.body),
                 lb_get_node_name(c->model, at.body, at.node), frame[entry % 6]);
    } else if (space == LB_OP_SPACE_BLOCK) {
        const int size = lb_op_get_size(c->operators, space) / lb_get_body_count(c->model);
        snprintf(label, LABEL_SIZE, "%.80s.%d", lb_get_body_name(c->model, entry / size),
                 entry % size);
    } else {
        snprintf(label, LABEL_SIZE, space == LB_OP_SPACE_LOOP ? "row%d" : "value", entry);
    }
}

static void name_next(const calculation *c, walk *w, char label[LABEL_SIZE])
{
    const lb_model *model = c->model;
    int modes, size;
    if (w->space != LB_OP_SPACE_BODY && w->space != LB_OP_SPACE_HINGE) {
        name_other(c, w->entry++, w->space, label);
        return;
    }
    for (;; ++w->body, w->entry = 0) {
        modes = lb_get_mode_count(model, w->body);
        size = modes + (w->space == LB_OP_SPACE_BODY ? 6 : lb_get_hinge(model, w->body).v_count);
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

static int measure_longest(const calculation *c, lb_op_space space)
{
    walk w = {.space = space};
    int longest = 0;
    for (int i = 0; i < lb_op_get_size(c->operators, space); ++i) {
        char label[LABEL_SIZE];
        name_next(c, &w, label);
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
    const lb_op_space row_space = lb_op_get_spaces(c->expression).rows;
    const int margin = measure_longest(c, row_space);
    int cell = CELL_MIN;
    if (!c->vector.values) {
        // names of the columns above them
        const lb_op_space space = lb_op_get_spaces(c->expression).columns;
        const int longest = measure_longest(c, space) + 2;
        cell = longest > CELL_MAX ? CELL_MAX : longest > CELL_MIN ? longest : CELL_MIN;
        walk w = {.space = space};
        printf("%*s", margin, "");
        for (int j = 0; j < columns; ++j) {
            char label[LABEL_SIZE];
            name_next(c, &w, label);
            fputs("  ", stdout);
            put_right(label, cell - 2);
        }
        putchar('\n');
    }
    walk w = {.space = row_space};
    for (int i = 0; i < rows; ++i) {
        char label[LABEL_SIZE];
        name_next(c, &w, label);
        lb_cli_put_text(stdout, label);
        printf("%*s", margin - lb_cli_count_columns(label), "");
        for (int j = 0; j < columns; ++j) {
            // -0 is 0 to people
            printf("%*.5g", cell, c->result[(size_t)i * (size_t)columns + (size_t)j] + 0.0);
        }
        putchar('\n');
    }
}

static const char *name_space(lb_op_space space)
{
    static const char *const names[LB_OP_SPACE_COUNT] = {"body", "hinge", "node",
                                                         "loop", "block", "one"};
    return names[space];
}

static void put_space(lb_cli_json *json, const char *key, const calculation *c, lb_op_space space)
{
    lb_cli_json_open(json, key, '{');
    lb_cli_json_string(json, "space", name_space(space));
    lb_cli_json_open(json, "entries", '[');
    walk w = {.space = space};
    for (int i = 0; i < lb_op_get_size(c->operators, space); ++i) {
        char label[LABEL_SIZE];
        name_next(c, &w, label);
        lb_cli_json_string(json, NULL, label);
    }
    lb_cli_json_close(json, ']');
    lb_cli_json_close(json, '}');
}

static void print_json(const calculation *c, int rows, int columns)
{
    lb_cli_json json = lb_cli_json_start(stdout);
    lb_cli_json_open(&json, NULL, '{');
    lb_cli_json_string(&json, "expression", c->text);
    put_space(&json, "rows", c, lb_op_get_spaces(c->expression).rows);
    put_space(&json, "columns", c, lb_op_get_spaces(c->expression).columns);
    if (c->vector.values) {
        lb_cli_json_vector(&json, "vector", c->result, rows);
    } else {
        lb_cli_json_matrix(&json, "matrix", c->result, rows, columns);
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

static void take(lb_cli_numbers from, int count, double *to)
{
    for (int i = 0; from.values && i < count; ++i) {
        to[i] = from.values[i];
    }
}

static int read_state(calculation *c, const char *path)
{
    const int q_count = lb_get_q_count(c->model), v_count = lb_get_v_count(c->model);
    c->q = lb_cli_allocate(1, q_count, "state");
    c->v = lb_cli_allocate(1, v_count, "state");
    c->tau = lb_cli_allocate(1, v_count, "state");
    memset(c->v, 0, (size_t)v_count * sizeof *c->v);
    memset(c->tau, 0, (size_t)v_count * sizeof *c->tau);
    lb_get_neutral_configuration(c->model, c->q);
    if (!path) {
        return LB_CLI_DONE;
    }
    lb_cli_request_list list;
    const int status = lb_cli_load_requests(c->model, path, true, &list);
    if (status == LB_CLI_DONE) {
        take(list.requests[0].q, q_count, c->q);
        take(list.requests[0].v, v_count, c->v);
        take(list.requests[0].tau, v_count, c->tau);
    }
    lb_cli_free_requests(&list);
    return status;
}

// A wrong number of numbers in a file.
static int refuse_count(const char *path, const char *what, const char *message)
{
    const lb_diagnostic diagnostic = {
        sizeof diagnostic, LB_SEVERITY_ERROR, path, 0, 0, what, message};
    lb_cli_print_diagnostic(&diagnostic);
    return LB_CLI_USAGE;
}

static int read_numbers(const char *path, const char *what, lb_cli_numbers *numbers)
{
    lb_cli_input input;
    if (!lb_cli_read_input(path, &input)) {
        return LB_CLI_USAGE;
    }
    const lb_report report = lb_cli_make_report(NULL);
    return lb_cli_end_input(&input, lb_cli_parse_numbers(&input, what, &report, numbers));
}

static int read_vector(calculation *c, const char *path)
{
    const lb_op_space space = lb_op_get_spaces(c->expression).columns;
    if (!path && space == LB_OP_SPACE_ONE) {
        // a vector is a matrix of one column
        c->vector.values = lb_cli_calloc(1, sizeof *c->vector.values);
        c->vector.values[c->vector.count++] = 1.0;
    }
    if (!path) {
        return LB_CLI_DONE;
    }
    const int status = read_numbers(path, "vector", &c->vector);
    const int expected = lb_op_get_size(c->operators, space);
    if (status == LB_CLI_DONE && c->vector.count != expected) {
        char message[128];
        snprintf(message, sizeof message,
                 "%d numbers given, expected %d: the expression takes a vector of the %s space",
                 c->vector.count, expected, name_space(space));
        return refuse_count(path, "vector", message);
    }
    return status;
}

// "arm/tip,arm/root"
static int pick_nodes(calculation *c, const char *text)
{
    if (!text) {
        c->picked = lb_op_pick_nodes(c->model, c->work, c->operators, 0, NULL);
        return LB_CLI_DONE; // whether they are needed is seen later
    }
    int count = 0, status = LB_CLI_DONE;
    lb_op_node *nodes = lb_cli_calloc(strlen(text) + 1, sizeof *nodes);
    char *copy = lb_cli_calloc(strlen(text) + 1, 1), *rest = copy;
    memcpy(copy, text, strlen(text));
    for (char *name; status == LB_CLI_DONE && (name = strtok_r(rest, ",", &rest));) {
        char *node = strrchr(name, '/');
        lb_op_node at = {LB_NOT_FOUND, LB_NOT_FOUND};
        if (node) {
            *node++ = '\0';
            at.body = strcmp(name, "ground") == 0 ? LB_GROUND : lb_find_body(c->model, name);
            at.node =
                at.body == LB_NOT_FOUND ? LB_NOT_FOUND : lb_find_node(c->model, at.body, node);
        }
        if (at.node < 0) {
            lb_cli_complain("operator: --nodes: there is no node \"%s%s%s\", expected BODY/NODE",
                            name, node ? "/" : "", node ? node : "");
            status = LB_CLI_USAGE;
        }
        nodes[count++] = at;
    }
    if (status == LB_CLI_DONE) {
        (void)lb_cli_check_memory(lb_op_pick_nodes(c->model, c->work, c->operators, count, nodes));
    }
    free(nodes);
    free(copy);
    return status;
}

static int read_blocks(calculation *c, const char *path)
{
    if (!path) {
        return LB_CLI_DONE;
    }
    const int status = read_numbers(path, "blocks", &c->blocks);
    const int bodies = lb_get_body_count(c->model);
    int size = 1;
    while (status == LB_CLI_DONE && (long long)bodies * size * size < c->blocks.count) {
        ++size;
    }
    if (status == LB_CLI_DONE && (long long)bodies * size * size != c->blocks.count) {
        char message[128];
        snprintf(message, sizeof message,
                 "%d numbers given, expected k x k for each of the %d bodies, row by row",
                 c->blocks.count, bodies);
        return refuse_count(path, "blocks", message);
    }
    if (status == LB_CLI_DONE) {
        (void)lb_cli_check_memory(lb_op_set_blocks(c->model, c->operators, size, c->blocks.values));
    }
    return status;
}

// ---- the command -------------------------------------------------------------------------------

static void prepare(calculation *c, int rows, int columns)
{
    const size_t scratch = lb_op_get_scratch_count(c->operators, c->expression);
    c->scratch = lb_cli_calloc(scratch + 1, sizeof *c->scratch);
    c->result = lb_cli_allocate(rows, columns, "operator");
}

static bool refuse_stage(const calculation *c)
{
    lb_cli_complain(
        c->picked == LB_E_UNSUPPORTED
            ? "operator: A, B, J and Lambda take nodes, and a coupler joins coordinates: name "
              "others with --nodes BODY/NODE,..."
            : "operator: B, J and Lambda take nodes: name them with --nodes BODY/NODE,...; those "
              "of A are those of closed loops; Phi_A and Psi_A take --blocks FILE");
    return false;
}

static bool calculate(calculation *c)
{
    // a singular D stops only expressions that need it; they say so themselves
    const lb_status found = lb_compute_operators(c->model, c->work, c->q, c->operators);
    if (found >= 0 || found == LB_E_SINGULAR) {
        // numbers beyond double precision show in the result
        (void)lb_compute_operator_motion(c->model, c->work, c->q, c->v, c->tau, c->operators);
    }
    if (found > 0) {
        lb_cli_explain_status(c->model, c->work, found, c->model_file, "operator");
    }
    const lb_status status =
        c->vector.values
            ? lb_op_apply_expression(c->model, c->operators, c->expression, c->scratch,
                                     c->vector.values, c->result)
            : lb_op_form_expression(c->model, c->operators, c->expression, c->scratch, c->result);
    if (status == LB_E_STAGE) {
        return refuse_stage(c);
    }
    if (status == LB_E_NUMBER) {
        lb_cli_complain("operator: the result is not finite: the numbers given are beyond what "
                        "double precision can hold");
        return false;
    }
    if (status == LB_E_SINGULAR && found >= 0) {
        lb_cli_complain("operator: a matrix that is inverted is singular here: nodes that move "
                        "together, or loops that repeat each other; or D is indefinite "
                        "and has no root");
        return false;
    }
    return lb_cli_explain_status(c->model, c->work, status, c->model_file, "operator");
}

// Two files cannot both be standard input.
static bool check_input(const lb_cli_arguments *arguments)
{
    static const char *const names[] = {"state", "vector", "blocks"};
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        const char *path = lb_cli_get_option(arguments, names[i]);
        count += path && strcmp(path, "-") == 0;
    }
    if (count > 1) {
        lb_cli_complain("operator: standard input cannot be both the state and the vector, nor the "
                        "blocks");
    }
    return count < 2;
}

static int run(calculation *c, const lb_cli_arguments *arguments)
{
    const char *vector = lb_cli_get_option(arguments, "vector");
    if (vector && lb_cli_get_option(arguments, "form")) {
        lb_cli_complain("operator: --form and --vector given, expected one of them");
        return LB_CLI_USAGE;
    }
    if (!check_input(arguments)) {
        return LB_CLI_USAGE;
    }
    const lb_report report = {show_mistake, arguments->operands[1]};
    if (lb_cli_check_memory(lb_op_parse(c->text, &report, &c->expression)) != LB_OK) {
        return LB_CLI_USAGE;
    }
    c->model = lb_cli_load_model(arguments);
    if (!c->model) {
        return LB_CLI_FAILED;
    }
    c->work = lb_cli_create_work(c->model, NULL);
    c->operators = lb_op_create_work(c->model);
    if (!c->operators) {
        lb_cli_run_out();
    }
    int status = read_state(c, lb_cli_get_option(arguments, "state"));
    status = status == LB_CLI_DONE ? pick_nodes(c, lb_cli_get_option(arguments, "nodes")) : status;
    status =
        status == LB_CLI_DONE ? read_blocks(c, lb_cli_get_option(arguments, "blocks")) : status;
    status = status == LB_CLI_DONE ? read_vector(c, vector) : status;
    if (status != LB_CLI_DONE) {
        return status;
    }
    const int rows = lb_op_get_size(c->operators, lb_op_get_spaces(c->expression).rows);
    const int columns = c->vector.values
                            ? 1
                            : lb_op_get_size(c->operators, lb_op_get_spaces(c->expression).columns);
    prepare(c, rows, columns);
    if (!calculate(c)) {
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
    free(c.v);
    free(c.tau);
    free(c.scratch);
    free(c.vector.values);
    free(c.blocks.values);
    free(c.result);
    return status;
}
