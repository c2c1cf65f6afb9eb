// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The grammar of formulas.
//
//     comparison = sum [("<" | "<=" | ">" | ">=") sum]          1 if it holds, else 0
//     sum        = product {("+" | "-") product}
//     product    = factor {("*" | "/") factor}
//     factor     = ("-" | "+") factor | power
//     power      = primary ["^" factor]                         2^3^2 = 2^9, -2^2 = -4
//     primary    = number ["deg" | "rad"] | "(" comparison ")" | "pi" | "deg" | name
//                | function "(" comparison {"," comparison} ")"
#include <string.h>

#include "number.h"
#include "terms.h"

enum { LB_PARSE_DEPTH_MAX = 100 };

#define LB_PI 3.14159265358979323846

typedef struct lb_parser {
    lb_terms *terms;
    lb_scan *scan;
    const char *leaf;
    lb_read_leaf *read;
    void *user;
    int depth;
} lb_parser;

static const struct {
    const char *word;
    double value;
} constants[] = {{"pi", LB_PI}, {"deg", LB_PI / 180.0}};

static lb_term_op find_function(const char *word)
{
    for (int op = 0; op < LB_TERM_COUNT; ++op) {
        const char *known = lb_get_function_word((lb_term_op)op);
        if (known && known[0] == word[0] && strcmp(known, word) == 0) {
            return (lb_term_op)op;
        }
    }
    return LB_TERM_COUNT;
}

static bool find_constant(const char *word, double *value)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; ++i) {
        if (strcmp(constants[i].word, word) == 0) {
            *value = constants[i].value;
            return true;
        }
    }
    return false;
}

bool lb_is_reserved_word(const char *word)
{
    double value;
    return find_constant(word, &value) || find_function(word) != LB_TERM_COUNT ||
           strcmp(word, "t") == 0 || strcmp(word, "rad") == 0 || strcmp(word, "system") == 0 ||
           strcmp(word, "distance") == 0 || strcmp(word, "distance_rate") == 0;
}

static int parse_comparison(lb_parser *p);
static int parse_factor(lb_parser *p);

// Whether a token comes next; takes it if so.
static bool take(lb_parser *p, const char *token)
{
    lb_scan_skip_spaces(p->scan);
    const size_t length = strlen(token);
    if (p->scan->failed || strncmp(p->scan->text + p->scan->at, token, length) != 0) {
        return false;
    }
    p->scan->at += length;
    return true;
}

static void expect(lb_parser *p, const char *token)
{
    if (!take(p, token)) {
        lb_scan_fail(p->scan, p->scan->at, "expected \"%s\"", token);
    }
}

static int parse_number(lb_parser *p)
{
    double number = 0.0;
    const size_t used = lb_scan_number(p->scan->text + p->scan->at, &number);
    if (!used) {
        lb_scan_fail(p->scan, p->scan->at, "a number that is too large");
    }
    p->scan->at += used;
    // a unit, if what follows is that word and no longer one
    const size_t before = p->scan->at;
    lb_name unit;
    lb_scan_skip_spaces(p->scan);
    if (lb_scan_sees_name(p->scan) && lb_scan_read_name(p->scan, &unit) && !unit.quoted) {
        if (strcmp(unit.text, "deg") == 0) {
            return lb_add_number(p->terms, number * (LB_PI / 180.0));
        }
        if (strcmp(unit.text, "rad") == 0) {
            return lb_add_number(p->terms, number);
        }
        lb_scan_fail(p->scan, unit.start, "expected an operator between a number and \"%s\"",
                     unit.text);
    }
    p->scan->at = before;
    return lb_add_number(p->terms, number);
}

static int parse_call(lb_parser *p, const lb_name *name, lb_term_op op)
{
    int operands[3] = {0};
    const int count = lb_get_operand_count(op);
    expect(p, "(");
    for (int i = 0; i < count && !p->scan->failed; ++i) {
        if (i > 0 && !take(p, ",")) {
            lb_scan_fail(p->scan, p->scan->at, "%s takes %d arguments", name->text, count);
        }
        operands[i] = parse_comparison(p);
    }
    if (!p->scan->failed && take(p, ",")) {
        lb_scan_fail(p->scan, p->scan->at - 1, "%s takes %d argument%s", name->text, count,
                     count == 1 ? "" : "s");
    }
    expect(p, ")");
    return lb_add_term(p->terms, op, operands[0], operands[1], operands[2]);
}

static int parse_name(lb_parser *p)
{
    lb_scan *scan = p->scan;
    lb_name name;
    if (!lb_scan_read_name(scan, &name)) {
        return 0;
    }
    if (!name.quoted && scan->text[scan->at] != '.') {
        double value;
        const lb_term_op op = find_function(name.text);
        if (op != LB_TERM_COUNT) {
            return parse_call(p, &name, op);
        }
        if (find_constant(name.text, &value)) {
            return lb_add_number(p->terms, value);
        }
    }
    const int term = p->read(p->user, p->terms, scan, &name);
    return scan->failed ? 0 : term;
}

static int parse_primary(lb_parser *p)
{
    lb_scan_skip_spaces(p->scan);
    const char c = p->scan->text[p->scan->at];
    if (p->scan->failed) {
        return 0;
    }
    if (c >= '0' && c <= '9') {
        return parse_number(p);
    }
    if (take(p, "(")) {
        const int term = parse_comparison(p);
        expect(p, ")");
        return term;
    }
    if (lb_scan_sees_name(p->scan)) {
        return parse_name(p);
    }
    if (c == '\0') {
        lb_scan_fail(p->scan, p->scan->at, "the expression ends where a value is expected");
    } else {
        lb_scan_fail(p->scan, p->scan->at, "expected a number, %s, a function or \"(\"", p->leaf);
    }
    return 0;
}

static int parse_factor(lb_parser *p)
{
    if (++p->depth > LB_PARSE_DEPTH_MAX) {
        lb_scan_fail(p->scan, p->scan->at, "nested more than %d deep", LB_PARSE_DEPTH_MAX);
        return 0;
    }
    int term;
    if (take(p, "-")) {
        term = lb_add_term(p->terms, LB_TERM_NEGATE, parse_factor(p), 0, 0);
    } else if (take(p, "+")) {
        term = parse_factor(p);
    } else {
        term = parse_primary(p);
        if (take(p, "^")) {
            term = lb_add_term(p->terms, LB_TERM_POWER, term, parse_factor(p), 0);
        }
    }
    --p->depth;
    return term;
}

static int parse_product(lb_parser *p)
{
    int term = parse_factor(p);
    for (;;) {
        if (take(p, "*")) {
            term = lb_add_term(p->terms, LB_TERM_MULTIPLY, term, parse_factor(p), 0);
        } else if (take(p, "/")) {
            term = lb_add_term(p->terms, LB_TERM_DIVIDE, term, parse_factor(p), 0);
        } else {
            return term;
        }
    }
}

static int parse_sum(lb_parser *p)
{
    int term = parse_product(p);
    for (;;) {
        if (take(p, "+")) {
            term = lb_add_term(p->terms, LB_TERM_ADD, term, parse_product(p), 0);
        } else if (take(p, "-")) {
            term = lb_add_term(p->terms, LB_TERM_SUBTRACT, term, parse_product(p), 0);
        } else {
            return term;
        }
    }
}

static int parse_comparison(lb_parser *p)
{
    const int left = parse_sum(p);
    const struct {
        const char *token;
        lb_term_op op;
        bool swapped;
    } signs[] = {{"<=", LB_TERM_LESS_EQUAL, false},
                 {">=", LB_TERM_LESS_EQUAL, true},
                 {"<", LB_TERM_LESS, false},
                 {">", LB_TERM_LESS, true}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; ++i) {
        if (take(p, signs[i].token)) {
            const int right = parse_sum(p);
            return lb_add_term(p->terms, signs[i].op, signs[i].swapped ? right : left,
                               signs[i].swapped ? left : right, 0);
        }
    }
    return left;
}

int lb_parse_formula(lb_terms *terms, lb_scan *scan, const char *leaf, lb_read_leaf *read,
                     void *user)
{
    lb_parser p = {.terms = terms, .scan = scan, .leaf = leaf, .read = read, .user = user};
    // the first term is a zero that errors can point at
    lb_add_number(terms, 0.0);
    const int term = parse_comparison(&p);
    lb_scan_skip_spaces(scan);
    if (!scan->failed && scan->text[scan->at]) {
        lb_scan_fail(scan, scan->at, "expected an operator");
    }
    return scan->failed ? -1 : term;
}
