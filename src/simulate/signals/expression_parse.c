// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Names in expressions: parameters and signals.
#include <string.h>

#include "expression.h"

typedef struct lb_signal_names {
    lb_signal_terms *terms;
    const lb_scope *scope;
} lb_signal_names;

static int add_signal(lb_signal_terms *terms, lb_scan *scan, size_t start, const lb_signal *signal)
{
    if (terms->signal_count == LB_MOST_SIGNALS) {
        lb_scan_fail(scan, start, "more than %d signals in one expression", LB_MOST_SIGNALS);
        return 0;
    }
    terms->signals[terms->signal_count++] = *signal;
    return lb_add_leaf(&terms->terms, terms->signal_count - 1);
}

// A slash right after a name makes it a node's if a body has that name.
static int read_signal(void *user, lb_terms *terms, lb_scan *scan, const lb_name *name)
{
    const lb_signal_names *own = user;
    const lb_scope *scope = own->scope;
    double value;
    if (!name->quoted && scan->text[scan->at] != '.' &&
        lb_find_constant(scope->named, name->text, &value)) {
        return lb_add_number(terms, value);
    }
    const bool division =
        scan->text[scan->at] == '/' && !name->quoted && !lb_is_loop_word(scope, name) &&
        (strcmp(name->text, "t") == 0 || lb_find_body(scope->model, name->text) < LB_GROUND);
    lb_signal signal;
    if (division) {
        // read as if a space came before the slash
        lb_scan alone = {.text = name->text};
        alone.at = strlen(name->text);
        if (!lb_scan_read_signal(&alone, scope, name, &signal)) {
            lb_scan_fail(scan, name->start, "there is no body or signal \"%s\"", name->text);
            return 0;
        }
    } else if (!lb_scan_read_signal(scan, scope, name, &signal)) {
        return 0;
    }
    return add_signal(own->terms, scan, name->start, &signal);
}

int lb_parse_expression(lb_signal_terms *terms, lb_scan *scan, const lb_scope *scope)
{
    lb_signal_names own = {terms, scope};
    return lb_parse_formula(&terms->terms, scan, "a signal", read_signal, &own);
}
