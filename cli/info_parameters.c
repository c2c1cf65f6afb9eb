// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "info_parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../src/command.h"
#include "console.h"

enum { USES_MOST = 12 };

static void print_one(const lb_document *document, int index, const lb_parameter *p, int width)
{
    lb_parameter_use uses[USES_MOST];
    const int count = lb_find_parameter_uses(document, index, USES_MOST, uses);
    printf("  %-*s  %.15g", width, p->name, p->value);
    if (p->unit[0]) {
        putchar(' ');
        lb_cli_put_text(stdout, p->unit);
    }
    if (p->formula) {
        fputs(" = ", stdout);
        lb_cli_put_text(stdout, p->formula);
    }
    if (isfinite(p->low)) {
        printf("  (%.15g to %.15g)", p->low, p->high);
    }
    fputs(count == 0 ? "  not used" : count == 1 ? "  line" : "  lines", stdout);
    for (int i = 0; i < count && i < USES_MOST; ++i) {
        printf("%s %d", i ? "," : "", uses[i].line);
        if (strcmp(uses[i].file, lb_get_document_file(document)) != 0) {
            fputs(" of ", stdout);
            lb_cli_put_text(stdout, uses[i].file);
        }
    }
    fputs(count > USES_MOST ? ", ..." : "", stdout);
    if (p->note[0]) {
        fputs("  ", stdout);
        lb_cli_put_text(stdout, p->note);
    }
    putchar('\n');
}

void lb_cli_print_parameters(const lb_document *document)
{
    const int count = lb_get_parameter_count(document);
    lb_parameter p = {.size = sizeof p};
    int width = 0;
    for (int i = 0; i < count && lb_get_parameter(document, i, &p) >= 0; ++i) {
        const int length = (int)strlen(p.name);
        width = length > width ? length : width;
    }
    if (count > 0) {
        printf("\nparameters\n");
    }
    for (int i = 0; i < count && lb_get_parameter(document, i, &p) >= 0; ++i) {
        print_one(document, i, &p, width);
    }
}

void lb_cli_write_parameters(lb_cli_json *json, const lb_document *document)
{
    lb_parameter p = {.size = sizeof p};
    lb_cli_json_open(json, "parameters", '[');
    for (int i = 0; i < lb_get_parameter_count(document); ++i) {
        if (lb_get_parameter(document, i, &p) < 0) {
            continue;
        }
        lb_parameter_use uses[USES_MOST];
        const int uses_count = lb_find_parameter_uses(document, i, USES_MOST, uses);
        lb_cli_json_open(json, NULL, '{');
        lb_cli_json_string(json, "name", p.name);
        lb_cli_json_number(json, "value", p.value);
        if (p.formula) {
            lb_cli_json_string(json, "formula", p.formula);
        }
        if (isfinite(p.low)) {
            const double range[2] = {p.low, p.high};
            lb_cli_json_vector(json, "range", range, 2);
        }
        lb_cli_json_string(json, "unit", p.unit);
        lb_cli_json_string(json, "note", p.note);
        lb_cli_json_open(json, "lines", '[');
        for (int k = 0; k < uses_count && k < USES_MOST; ++k) {
            lb_cli_json_integer(json, NULL, uses[k].line);
        }
        lb_cli_json_close(json, ']');
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, ']');
}

void lb_cli_write_values(lb_cli_json *json, const lb_document *document)
{
    const int count = lb_get_parameter_count(document);
    lb_parameter p = {.size = sizeof p};
    if (count == 0) {
        return;
    }
    lb_cli_json_open(json, "parameters", '{');
    for (int i = 0; i < count && lb_get_parameter(document, i, &p) >= 0; ++i) {
        lb_cli_json_number(json, p.name, p.value);
    }
    lb_cli_json_close(json, '}');
}
