// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "file_c.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/layout.h"
#include "write_c.h"

static const char *const array_names[LB_ARRAY_COUNT] = {"q", "v",     "tau",   "a",       "M",
                                                        "J", "da_dq", "da_dv", "da_dtau", "q_dot"};

// What one file needs everywhere.
typedef struct file {
    const lb_model *model;
    const lb_freeze_options *options;
    const lb_sample *sample;
    lb_c_style style;
    char capitals[48]; // the prefix
    const char *real;
    int count;
    const lb_frozen_function *functions;
    lb_c_cost *costs;
} file;

static bool is_matrix(int array)
{
    return array >= LB_ARRAY_M && array <= LB_ARRAY_DTAU;
}

static void write_type_of(lb_page *page, const file *f, int array)
{
    const bool square = is_matrix(array) && array != LB_ARRAY_J;
    const char *sizes = square ? "_V * " : array == LB_ARRAY_J ? "_V * 6" : "_V";
    lb_write(page, "%s[%s%s", array_names[array], f->capitals,
             (array == LB_ARRAY_Q || array == LB_ARRAY_Q_DOT) ? "_Q" : sizes);
    if (square) {
        lb_write(page, "%s_V", f->capitals);
    }
    lb_write(page, "]");
}

static void write_prototype(lb_page *page, const file *f, const lb_frozen_function *function)
{
    lb_write(page, "int %s_%s(", f->options->name, function->name);
    for (int i = 0; i < function->input_count; ++i) {
        lb_write(page, "const %s ", f->real);
        write_type_of(page, f, function->inputs[i]);
        lb_write(page, ", ");
    }
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, "%s%s ", i ? ", " : "", f->real);
        write_type_of(page, f, function->outputs[i]);
    }
    lb_write(page, ")");
}

static bool has_step(const file *f)
{
    bool found = false;
    for (int i = 0; i < f->count; ++i) {
        found = found || f->functions[i].with_step;
    }
    return found;
}

static void write_step_prototype(lb_page *page, const file *f)
{
    lb_write(
        page,
        "// One step of length h by the classical method of Runge and Kutta, fourth order, with "
        "constant tau.\n"
        "// q and v are replaced unless the status is negative; quaternions keep unit length.\n"
        "int %s_step(%s h, const %s tau[%s_V], %s q[%s_Q], %s v[%s_V])",
        f->options->name, f->real, f->real, f->capitals, f->real, f->capitals, f->real,
        f->capitals);
}

// ---- header ------------------------------------------------------------------------------------

static void write_entries(lb_page *page, const file *f)
{
    const lb_model *model = f->model;
    lb_write(page, "// Entries of q and v, body by body: modal coordinates first, then those of "
                   "the hinge.\n//\n");
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body *b = lb_get_record(model, body);
        const int q = b->mode_count ? b->q : b->hinge_q, v = b->mode_count ? b->v : b->hinge_v;
        lb_write(page, "//     ");
        lb_write_name(page, lb_get_body_name(model, body));
        lb_write(page, ": %s", lb_get_hinge_type_name(lb_get_hinge_type(model, body)));
        if (b->mode_count) {
            lb_write(page, ", %d modes", b->mode_count);
        }
        if (b->mode_count + b->nq > 0) {
            lb_write(page, ", q[%d] to q[%d], v[%d] to v[%d]", q, q + b->mode_count + b->nq - 1, v,
                     v + b->mode_count + b->nv - 1);
        }
        lb_write(page, "\n");
    }
}

static const char *get_purpose(const lb_frozen_function *f)
{
    if (f->with_rates) {
        return "Accelerations a of forces tau, and the rates of q: with v, what an integrator "
               "needs.";
    }
    switch (f->kind) {
    case LB_TRACE_FORWARD:
        return "Accelerations a of forces tau, by articulated bodies.";
    case LB_TRACE_FORWARD_COMPOSITE:
        return "Accelerations a of forces tau, through the mass matrix.";
    case LB_TRACE_INVERSE:
        return "Forces tau that accelerations a need.";
    case LB_TRACE_MASS:
        return "The mass matrix M, row by row.";
    case LB_TRACE_DERIVATIVES:
        return "Accelerations a of forces tau, and their derivatives, row by row; by quaternions: "
               "by a small turn and shift.";
    default:
        return "The Jacobian J of a node, six rows: angular, then linear velocity in world axes.";
    }
}

static void write_header(lb_page *page, const file *f)
{
    lb_write(page, "// The model '");
    lb_write_name(page, lb_get_model_name(f->model));
    lb_write(page, "', frozen by limber " LB_VERSION
                   ". Units are SI. Gravity is included; force elements and\n"
                   "// controllers are not: their generalized forces belong into tau.\n//\n");
    write_entries(page, f);
    lb_write(page,
             "#ifndef %s_H\n#define %s_H\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
             "#define %s_Q %d // entries of q\n#define %s_V %d // entries of v, tau and a\n\n",
             f->capitals, f->capitals, f->capitals, f->model->q_count, f->capitals,
             f->model->v_count);
    lb_write(page,
             "// What functions return. The arrays that they are given do not overlap.\n"
             "#define %s_OK 0\n"
             "#define %s_INDEFINITE 1   // an inertia is indefinite: the state is outside the "
             "model's range\n"
             "#define %s_SINGULAR (-4)  // an inertia is singular: results are of no use\n"
             "#define %s_NUMBER (-10)   // an input is not finite: results are not written\n",
             f->capitals, f->capitals, f->capitals, f->capitals);
    for (int i = 0; i < f->count; ++i) {
        lb_write(page, "\n// %s\n", get_purpose(&f->functions[i]));
        write_prototype(page, f, &f->functions[i]);
        lb_write(page, ";\n");
    }
    if (has_step(f)) {
        lb_write(page, "\n");
        write_step_prototype(page, f);
        lb_write(page, ";\n");
    }
    lb_write(page, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif // %s_H\n", f->capitals);
}

// ---- functions ---------------------------------------------------------------------------------

static bool write_function(lb_page *page, file *f, int i)
{
    const lb_frozen_function *function = &f->functions[i];
    lb_write(page, "// %s\n", get_purpose(function));
    write_prototype(page, f, function);
    lb_write(page, "\n{\n");
    lb_write(page, "    if (!(");
    for (int j = 0; j < function->input_count; ++j) {
        const int array = function->inputs[j];
        lb_write(page, "%s%s_are_finite(%s_%s, %s)", j ? " && " : "", f->options->name, f->capitals,
                 array == LB_ARRAY_Q ? "Q" : "V", array_names[array]);
    }
    lb_write(page, ")) {\n        return %s_NUMBER;\n    }\n", f->capitals);
    const bool good = lb_write_body(page, &function->graph, &f->style, &f->costs[i]);
    lb_write(page, "}\n\n");
    return good;
}

// Stages at 0, 1/2, 1/2 and 1 of the step, with weights 1/6, 1/3, 1/3, 1/6.
static void write_step(lb_page *page, const file *f)
{
    const char *name = f->options->name, *real = f->real, *capitals = f->capitals;
    write_step_prototype(page, f);
    lb_write(
        page,
        "\n{\n    %s q_now[%s_Q], v_now[%s_V], q_sum[%s_Q], v_sum[%s_V], q_dot[%s_Q], a[%s_V];\n"
        "    int i, stage, status = 0;\n"
        "    for (i = 0; i < %s_Q; ++i) {\n        q_now[i] = q[i];\n        q_sum[i] = 0;\n    }\n"
        "    for (i = 0; i < %s_V; ++i) {\n        v_now[i] = v[i];\n        v_sum[i] = 0;\n    }\n"
        "    for (stage = 0; stage < 4; ++stage) {\n"
        "        const %s weight = h * (stage == 0 || stage == 3 ? 1 : 2) / 6;\n"
        "        const %s reach = stage == 2 ? h : h / 2;\n"
        "        const int told = %s_rates(q_now, v_now, tau, a, q_dot);\n"
        "        if (told < 0) {\n            return told;\n        }\n"
        "        status = told ? told : status;\n"
        "        // the rates of q have the speeds of this stage in them\n"
        "        for (i = 0; i < %s_Q; ++i) {\n"
        "            q_sum[i] += weight * q_dot[i];\n"
        "            q_now[i] = q[i] + reach * q_dot[i];\n        }\n"
        "        for (i = 0; i < %s_V; ++i) {\n"
        "            v_sum[i] += weight * a[i];\n"
        "            v_now[i] = v[i] + reach * a[i];\n        }\n    }\n"
        "    for (i = 0; i < %s_Q; ++i) {\n        q[i] += q_sum[i];\n    }\n"
        "    for (i = 0; i < %s_V; ++i) {\n        v[i] += v_sum[i];\n    }\n",
        real, capitals, capitals, capitals, capitals, capitals, capitals, capitals, capitals, real,
        real, name, capitals, capitals, capitals, capitals);
    for (int body = 0; body < f->model->body_count; ++body) {
        const lb_body *b = lb_get_record(f->model, body);
        if (b->nq == 4 || b->nq == 7) { // a quaternion comes first
            lb_write(
                page,
                "    {\n        const %s s = 1 / sqrt%s(q[%d] * q[%d] + q[%d] * q[%d] + q[%d] * "
                "q[%d] + q[%d] * q[%d]);\n"
                "        for (i = %d; i < %d; ++i) {\n            q[i] *= s;\n        }\n    }\n",
                real, f->options->number == LB_FROZEN_FLOAT ? "f" : "", b->hinge_q, b->hinge_q,
                b->hinge_q + 1, b->hinge_q + 1, b->hinge_q + 2, b->hinge_q + 2, b->hinge_q + 3,
                b->hinge_q + 3, b->hinge_q, b->hinge_q + 4);
        }
    }
    lb_write(page, "    return status;\n}\n\n");
}

// ---- self-test ---------------------------------------------------------------------------------

static void write_array(lb_page *page, const file *f, const char *name, int count, const double *x)
{
    lb_write(page, "    static const %s %s[%d] = {", f->real, name, count);
    for (int i = 0; i < count; ++i) {
        lb_write(page, i % 4 == 0 ? "\n        " : " ");
        if (x[i] < 0) {
            lb_write(page, "-");
        }
        lb_write_number(page, x[i] < 0 ? -x[i] : x[i] + 0.0, f->options->number == LB_FROZEN_FLOAT);
        lb_write(page, i + 1 < count ? "," : "");
    }
    lb_write(page, "};\n");
}

// An output of a function against the engine; of a matrix its product with v.
static bool write_output_test(lb_page *page, const file *f, int array, const double *result)
{
    const int n = f->model->v_count, count = lb_count_array(f->model, array);
    const int rows = is_matrix(array) ? count / n : count;
    double *product = calloc((size_t)rows, sizeof *product);
    if (!product) {
        return false;
    }
    for (int i = 0; i < rows; ++i) {
        product[i] = is_matrix(array) ? 0.0 : result[i];
        for (int j = 0; is_matrix(array) && j < n; ++j) {
            product[i] += result[i * n + j] * f->sample->values[LB_ARRAY_V][j];
        }
    }
    lb_write(page, "    {\n");
    write_array(page, f, "expected", rows, product);
    free(product);
    lb_write(page, "    %s gap = 0, size = 0;\n    int i%s;\n    for (i = 0; i < %d; ++i) {\n",
             f->real, is_matrix(array) ? ", j" : "", rows);
    if (is_matrix(array)) {
        lb_write(page,
                 "        %s found = 0, d;\n        for (j = 0; j < %d; ++j) {\n"
                 "            found += %s[i * %d + j] * x[j];\n        }\n",
                 f->real, n, array_names[array], n);
    } else {
        lb_write(page, "        const %s found = %s[i];\n        %s d;\n", f->real,
                 array_names[array], f->real);
    }
    lb_write(page, "        d = found < expected[i] ? expected[i] - found : found - expected[i];\n"
                   "        gap = d > gap || !(d == d) ? d : gap;\n"
                   "        d = expected[i] < 0 ? -expected[i] : expected[i];\n"
                   "        size = d > size ? d : size;\n    }\n"
                   "    gap = size > 0 ? gap / size : gap;\n"
                   "    worst = gap > worst || !(gap == gap) ? gap : worst;\n    }\n");
    return true;
}

// One function against the engine.
static bool write_comparison(lb_page *page, const file *f, const lb_frozen_function *function)
{
    const double *result = function->result;
    bool good = true, matrix = false;
    lb_write(page, "\nstatic %s %s_test_%s(void)\n{\n", f->real, f->options->name, function->name);
    for (int i = 0; i < function->input_count; ++i) {
        const int array = function->inputs[i];
        write_array(page, f, array_names[array], lb_count_array(f->model, array),
                    f->sample->values[array]);
    }
    for (int i = 0; i < function->output_count; ++i) {
        matrix = matrix || is_matrix(function->outputs[i]);
        lb_write(page, "    %s %s[%d];\n", f->real, array_names[function->outputs[i]],
                 lb_count_array(f->model, function->outputs[i]));
    }
    if (matrix) {
        write_array(page, f, "x", f->model->v_count, f->sample->values[LB_ARRAY_V]);
    }
    lb_write(page, "    %s worst = 0;\n    if (%s_%s(", f->real, f->options->name, function->name);
    for (int i = 0; i < function->input_count; ++i) {
        lb_write(page, "%s, ", array_names[function->inputs[i]]);
    }
    for (int i = 0; i < function->output_count; ++i) {
        lb_write(page, "%s%s", i ? ", " : "", array_names[function->outputs[i]]);
    }
    lb_write(page, ") != 0) {\n        return 1;\n    }\n");
    for (int i = 0; good && i < function->output_count; ++i) {
        good = write_output_test(page, f, function->outputs[i], result);
        result += lb_count_array(f->model, function->outputs[i]);
    }
    lb_write(page, "    return worst;\n}\n");
    return good;
}

static bool write_self_test(lb_page *page, const file *f)
{
    const char *name = f->options->name;
    bool good = true;
    lb_write(
        page,
        "#ifdef %s_SELF_TEST\n"
        "// Numbers of the engine at one state: the program ends with 0 if the functions above "
        "agree with\n"
        "// them to %s, relative to the largest entry, and with 1 plus the place of the first\n"
        "// that does not.\n",
        f->capitals, f->options->number == LB_FROZEN_FLOAT ? "1e-4" : "1e-12");
    for (int i = 0; good && i < f->count; ++i) {
        good = write_comparison(page, f, &f->functions[i]);
    }
    lb_write(page, "\nint main(void)\n{\n");
    for (int i = 0; i < f->count; ++i) {
        lb_write(page, "    if (!(%s_test_%s() <= %s)) {\n        return %d;\n    }\n", name,
                 f->functions[i].name, f->options->number == LB_FROZEN_FLOAT ? "1e-4f" : "1e-12",
                 i + 1);
    }
    lb_write(page, "    return 0;\n}\n#endif\n");
    return good;
}

// ---- source ------------------------------------------------------------------------------------

static void write_head(lb_page *page, const file *f)
{
    const char *name = f->options->name;
    lb_write(page, "// The model '");
    lb_write_name(page, lb_get_model_name(f->model));
    lb_write(page,
             "', frozen by limber " LB_VERSION
             ": C99, libm only, no heap, no recursion, no variables outside\n"
             "// functions. Tags such as (ABA-2) are equations of the theory of limber.\n//\n"
             "// Compile with optimisation, such as -O3 -march=native, and with -ffp-contract=fast "
             "for speed, or\n"
             "// -ffp-contract=off for the same bits on every machine; not with -ffast-math. With "
             "%s_SELF_TEST\n"
             "// defined, the file is a program that compares itself with the engine.\n//\n",
             f->capitals);
    lb_write(page, "//     function: multiplications, additions, divisions, sines with cosines, "
                   "rotations; bytes of\n"
                   "//     values that are kept for later at one time, which bound its stack but "
                   "for a few dozen\n//\n");
    for (int i = 0; i < f->count; ++i) {
        const lb_c_cost *c = &f->costs[i];
        const int size = f->options->number == LB_FROZEN_FLOAT ? 4 : 8;
        lb_write(page, "//     %s_%s: %d, %d, %d, %d, %d; %d bytes\n", name, f->functions[i].name,
                 c->multiplications, c->additions, c->divisions, c->angles, c->turns,
                 size * (c->live + 3 * c->angles + 5 * c->turns));
    }
}

static bool write_source(lb_page *page, file *f)
{
    lb_page text = {.text = NULL};
    bool good = true, angles = false, turns = false;
    for (int i = 0; good && i < f->count; ++i) {
        good = write_function(&text, f, i);
        angles = angles || f->costs[i].angles > 0;
        turns = turns || f->costs[i].turns > 0;
    }
    if (good) {
        write_head(page, f);
        lb_write(page, "#include \"%s.h\"\n\n#include <math.h>\n#include <stdint.h>\n\n",
                 f->options->name);
        lb_write_helpers(page, &f->style, angles, turns);
        lb_write(page, "%s", text.text);
        if (has_step(f)) {
            write_step(page, f);
        }
        good = write_self_test(page, f);
    }
    free(text.text);
    return good && !page->out_of_memory;
}

bool lb_write_files(const lb_model *model, const lb_freeze_options *options,
                    const lb_sample *sample, int count, const lb_frozen_function *functions,
                    lb_page *source, lb_page *header)
{
    const bool is_float = options->number == LB_FROZEN_FLOAT;
    file f = {.model = model,
              .options = options,
              .sample = sample,
              .style = {options->name, is_float, NULL, array_names},
              .real = is_float ? "float" : "double",
              .count = count,
              .functions = functions};
    for (size_t i = 0; options->name[i] && i + 1 < sizeof f.capitals; ++i) {
        f.capitals[i] = (char)toupper((unsigned char)options->name[i]);
    }
    const char **names = calloc((size_t)model->body_count + 1, sizeof *names);
    f.costs = calloc((size_t)count, sizeof *f.costs);
    bool good = names && f.costs;
    for (int i = 0; good && i < model->body_count; ++i) {
        names[i] = lb_get_body_name(model, i);
    }
    f.style.body_names = names;
    if (good) {
        good = write_source(source, &f);
        write_header(header, &f);
    }
    free(names);
    free(f.costs);
    return good && !source->out_of_memory && !header->out_of_memory;
}
