// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text as an expression of `limber operator`: refused with one message at a column of the text, or it
// can be formed and applied, and both give the same product.
#include <math.h>

#include "fuzz.h"
#include "limber/io.h"
#include "limber/operators.h"

static const char model_text[] =
    "limber: 1\n"
    "bodies:\n"
    "- {name: arm, hinge: {type: revolute, axis: [0, 0, 1]},\n"
    "   flex: {nodes: [{name: n0, mass: 1, shape: [[0, 0, 0, 0, 0, 0]]},\n"
    "                  {name: n1, position: [1, 0, 0], mass: 1, shape: [[0, -1, 0, 0, 0, 1]]}],\n"
    "          stiffness: [9]}}\n"
    "- {name: cart, parent: arm, at: n1, mass: 1, hinge: {type: translational}}\n";

enum { MOST = 64 }; // entries of either space

typedef struct count {
    int messages;
    size_t length;
} count;

static void check_diagnostic(void *user, const lb_diagnostic *diagnostic)
{
    count *c = user;
    ++c->messages;
    if (!diagnostic->message || !*diagnostic->message || diagnostic->column < 1 ||
        (size_t)diagnostic->column > c->length + 1) {
        abort();
    }
}

static lb_model *model;
static lb_work *work;
static lb_op_work *operators;

static void make_model(void)
{
    double q[MOST];
    if (lb_load_model_text(model_text, sizeof model_text - 1, "fuzz", LB_FORMAT_YAML, NULL, NULL,
                           &model) != LB_OK) {
        exit(2);
    }
    work = lb_create_work(model);
    operators = lb_op_create_work(model);
    if (!work || !operators) {
        exit(2);
    }
    lb_get_neutral_configuration(model, q);
    if (lb_compute_operators(model, work, q, operators) != LB_OK) {
        exit(2);
    }
}

static void compare(const lb_op_expression *e)
{
    double x[MOST], y[MOST], A[MOST * MOST];
    const int rows = lb_op_get_size(operators, lb_op_get_spaces(e).rows);
    const int columns = lb_op_get_size(operators, lb_op_get_spaces(e).columns);
    double *scratch = malloc((lb_op_get_scratch_count(operators, e) + 1) * sizeof *scratch);
    if (!scratch || rows > MOST || columns > MOST) {
        exit(2);
    }
    for (int j = 0; j < columns; ++j) {
        x[j] = 1.0 / (1 + j);
    }
    const lb_status applied = lb_op_apply_expression(model, operators, e, scratch, x, y);
    const lb_status formed = lb_op_form_expression(model, operators, e, scratch, A);
    // a product may overflow for one of the vectors only
    if (applied != formed && applied != LB_E_NUMBER && formed != LB_E_NUMBER) {
        abort();
    }
    // 1e-6: of the largest product; up to 96 factors, sums of them may cancel
    double largest = 0.0, worst = 0.0;
    for (int i = 0; applied == LB_OK && formed == LB_OK && i < rows; ++i) {
        double sum = 0.0;
        for (int j = 0; j < columns; ++j) {
            sum += A[i * columns + j] * x[j];
            largest = fmax(largest, fabs(A[i * columns + j]));
        }
        worst = fmax(worst, fabs(sum - y[i]));
    }
    if (isfinite(largest) && largest < 1e200 && worst > 1e-6 * largest && largest > 1e-200) {
        abort();
    }
    free(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!model) {
        make_model();
    }
    char *text = lb_fuzz_join("", data, size);
    count heard = {.length = strlen(text)};
    const lb_report report = {check_diagnostic, &heard};
    lb_op_expression *expression = NULL;
    const lb_status status = lb_op_parse(text, &report, &expression);
    if ((status == LB_OK) != (expression != NULL) || (status == LB_OK) != (heard.messages == 0) ||
        heard.messages > 1) {
        abort();
    }
    if (expression) {
        compare(expression);
    }
    lb_op_destroy_expression(expression);
    free(text);
    return 0;
}
