// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One sample: from standard input for optimisers, or by its index.
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "json_out.h"
#include "sweep.h"

static int find_name(const lb_sweep *sweep, const char *name, size_t length)
{
    const lb_sweep_info *plan = lb_get_sweep_info(sweep);
    for (int i = 0; i < plan->variation_count; ++i) {
        const char *known = plan->variations[i];
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            return i;
        }
    }
    return LB_NOT_FOUND;
}

// An object with a number for each parameter.
static bool read_json(const lb_sweep *sweep, const char *text, double *values)
{
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error), *value;
    const char *key;
    bool good = json_is_object(root);
    if (!good) {
        lb_cli_complain("sweep: standard input: %s", root ? "expected an object" : error.text);
    }
    json_object_foreach(root, key, value)
    {
        const int i = find_name(sweep, key, strlen(key));
        if (i < 0 || !json_is_number(value)) {
            lb_cli_complain(i < 0 ? "sweep: '%s' given, which the plan does not vary"
                                  : "sweep: '%s': expected a number",
                            key);
            good = false;
            break;
        }
        values[i] = json_number_value(value);
    }
    json_decref(root);
    return good;
}

// Lines with a number and a name, as Dakota writes them; lines with other names are passed over.
static void read_lines(const lb_sweep *sweep, const char *text, double *values)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        double number;
        const size_t space = strspn(text, " \t");
        const size_t used = space < length ? lb_convert_number(text + space, &number) : 0;
        const char *name = text + space + used + strspn(text + space + used, " \t");
        const int i = used > 0 ? find_name(sweep, name, strcspn(name, " \t\r\n")) : LB_NOT_FOUND;
        if (i >= 0) {
            values[i] = number;
        }
        text += length + (text[length] == '\n');
    }
}

static void print_answer(const lb_sweep *sweep, bool json, lb_status status, const double *outputs)
{
    const lb_sweep_info *plan = lb_get_sweep_info(sweep);
    const int count = plan->output_count;
    if (!json) {
        if (status < 0) {
            puts("FAIL");
        }
        for (int i = 0; status >= 0 && i < count; ++i) {
            printf("%.17g %s\n", outputs[i], plan->outputs[i]);
        }
        return;
    }
    lb_cli_json out = lb_cli_json_start(stdout);
    lb_cli_json_open(&out, NULL, '{');
    if (status < 0) {
        lb_cli_json_string(&out, "failure", lb_get_sweep_message(sweep));
    }
    if (status == LB_NEWS_UNSTABLE) {
        lb_cli_json_boolean(&out, "unstable", true);
    }
    for (int i = 0; status >= 0 && i < count; ++i) {
        // what an unstable sample has not got is left out
        if (!isnan(outputs[i])) {
            lb_cli_json_number(&out, plan->outputs[i], outputs[i]);
        }
    }
    lb_cli_json_close(&out, '}');
    lb_cli_json_finish(&out);
}

static int evaluate(const lb_cli_sweep *s, const char *text, double *values, double *outputs)
{
    const lb_sweep_info *plan = lb_get_sweep_info(s->sweep);
    const int count = plan->variation_count;
    const bool json = text[strspn(text, " \t\r\n")] == '{';
    for (int i = 0; i < count; ++i) {
        values[i] = NAN;
    }
    if (json) {
        if (!read_json(s->sweep, text, values)) {
            return LB_CLI_USAGE;
        }
    } else {
        read_lines(s->sweep, text, values);
    }
    for (int i = 0; i < count; ++i) {
        if (isnan(values[i])) {
            lb_cli_complain("sweep: standard input has no value for '%s': expected an object such "
                            "as {\"%s\": 1}, or lines with a number and a name",
                            plan->variations[i], plan->variations[i]);
            return LB_CLI_USAGE;
        }
    }
    const lb_status status = lb_evaluate_sample(s->sweep, values, outputs);
    print_answer(s->sweep, json, status, outputs);
    if (status < 0) {
        lb_cli_complain("%s", lb_get_sweep_message(s->sweep));
    }
    return status < 0 ? LB_CLI_FAILED : LB_CLI_DONE;
}

int lb_cli_evaluate_sweep(const lb_cli_sweep *s)
{
    const lb_sweep_info *plan = lb_get_sweep_info(s->sweep);
    size_t length = 0;
    char *text = lb_cli_read_file("-", &length);
    double *values = lb_cli_calloc((size_t)plan->variation_count + 1, sizeof *values);
    double *outputs = lb_cli_calloc((size_t)plan->output_count + 1, sizeof *outputs);
    const int result = text ? evaluate(s, text, values, outputs) : LB_CLI_FAILED;
    free(text);
    free(values);
    free(outputs);
    return result;
}

// Whether a name is one word wherever a shell reads it, also without quotes. Brackets of paths are allowed: they stay as
// they are unless a file has such a name.
static bool is_one_word(const char *kind, const char *name, const char *others)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const char *c = name;
    while (*c && (strchr(safe, *c) || strchr(others, *c) || (unsigned char)*c >= 0x80)) {
        ++c;
    }
    if (*c || !*name) {
        lb_cli_complain("sweep: show: the name of the %s, '%s', is not one word to a shell, "
                        "expected letters, digits and any of _.-%s; rename it%s",
                        kind, name, others,
                        strchr(name, '/') ? ", or call limber in the folder of the plan" : "");
        return false;
    }
    return true;
}

int lb_cli_show_sample(const lb_cli_sweep *s)
{
    const lb_sweep_info *plan = lb_get_sweep_info(s->sweep);
    const int count = plan->variation_count;
    double index = 0.0;
    if (!lb_cli_get_option(s->arguments, "index")) {
        lb_cli_complain("sweep: show needs --index N");
        return LB_CLI_USAGE;
    }
    if (!lb_cli_get_number(s->arguments, "index", 0, (double)plan->sample_count - 1.0, 0.0,
                           &index)) {
        return LB_CLI_USAGE;
    }
    const char *model = plan->model;
    const char *allowed = lb_cli_get_option(s->arguments, "allow-files");
    bool good = is_one_word("model", model, "/+@%:") &&
                (!allowed || is_one_word("folder", allowed, "/+@%:"));
    for (int i = 0; i < count && good; ++i) {
        good = is_one_word("parameter", plan->variations[i], "[]");
    }
    if (!good) {
        return LB_CLI_FAILED;
    }
    double *values = lb_cli_calloc((size_t)count + 1, sizeof *values);
    lb_compute_sample(s->sweep, (int64_t)index, values);
    // what limber run, modes and linearize take
    const double duration = plan->duration;
    printf("%s%s", model[0] == '-' ? "./" : "", model);
    if (duration > 0.0) {
        printf(" --duration %.17g", duration);
    }
    fputs(plan->is_assembled ? " --assemble" : "", stdout);
    fputs(plan->is_trimmed ? " --trim" : "", stdout);
    if (allowed) {
        printf(" --allow-files %s%s", allowed[0] == '-' ? "./" : "", allowed);
    }
    fputs(" --set ", stdout);
    for (int i = 0; i < count; ++i) {
        printf("%s%s=%.17g", i ? "," : "", plan->variations[i], values[i]);
    }
    putchar('\n');
    free(values);
    return LB_CLI_DONE;
}
