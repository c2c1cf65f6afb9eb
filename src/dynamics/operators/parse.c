// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Text into an expression, by recursive descent:
//
//     sum     = [+ | -] product {(+ | -) product}
//     product = factor {factor}
//     factor  = (number | I | operator | ( sum ) | [ sum ] | inv ( sum )) {* | ^* | ^T | ^-1 | ^1/2 | ^-1/2}
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "op_expression.h"
#include "op_parts.h"

// Spellings; those of lb_op_get_name come first and are the ones that messages list.
enum { IDENTITY = LB_OP_COUNT, INVERSE, SPELLING_LISTED = LB_OP_COUNT };
static const struct {
    const char *text;
    int op;
} spellings[] = {
    {"E_Phi", LB_OP_E_PHI},
    {"Phi", LB_OP_PHI},
    {"H", LB_OP_H},
    {"M", LB_OP_M},
    {"P", LB_OP_P},
    {"D", LB_OP_D},
    {"G", LB_OP_G},
    {"K", LB_OP_K},
    {"tau_bar", LB_OP_TAU_BAR},
    {"E_Psi", LB_OP_E_PSI},
    {"Psi", LB_OP_PSI},
    {"Upsilon", LB_OP_UPSILON},
    {"Omega", LB_OP_OMEGA},
    {"R", LB_OP_R},
    {"B", LB_OP_B},
    {"J", LB_OP_J},
    {"Lambda", LB_OP_LAMBDA},
    {"A", LB_OP_A},
    {"S", LB_OP_S},
    {"Phi_A", LB_OP_PHI_A},
    {"Psi_A", LB_OP_PSI_A},
    {"beta", LB_OP_BETA},
    {"T", LB_OP_T},
    {"a_m", LB_OP_A_M},
    {"b_m", LB_OP_B_M},
    {"nu", LB_OP_NU},
    {"E_phi", LB_OP_E_PHI},
    {"phi", LB_OP_PHI},
    {"E_psi", LB_OP_E_PSI},
    {"psi", LB_OP_PSI},
    {"M_m", LB_OP_M},
    {"taubar", LB_OP_TAU_BAR},
    {"tau-bar", LB_OP_TAU_BAR},
    {"upsilon", LB_OP_UPSILON},
    {"omega", LB_OP_OMEGA},
    {"Φ", LB_OP_PHI},
    {"Ψ", LB_OP_PSI},
    {"E_Φ", LB_OP_E_PHI},
    {"E_Ψ", LB_OP_E_PSI},
    {"Υ", LB_OP_UPSILON},
    {"Ω", LB_OP_OMEGA},
    {"Λ", LB_OP_LAMBDA},
    {"β", LB_OP_BETA},
    {"ν", LB_OP_NU},
    {"I", IDENTITY},
    {"inv", INVERSE},
};
enum { SPELLING_COUNT = sizeof spellings / sizeof spellings[0] };

typedef struct parser {
    const char *at; // the next character
    int column;     // of it, in characters from 1
    lb_op_expression *e;
    lb_op_mistake mistake;
} parser;

void lb_op_set_mistake(lb_op_mistake *mistake, lb_status status, int column, const char *format,
                       ...)
{
    if (mistake->status != LB_OK) {
        return;
    }
    mistake->status = status;
    mistake->column = column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(mistake->text, sizeof mistake->text, format, arguments);
    va_end(arguments);
}

static int failed(const parser *p)
{
    return p->mistake.status != LB_OK;
}

// ---- characters --------------------------------------------------------------------------------

// Over `bytes` bytes; those that continue a character of UTF-8 are no column of their own.
static void advance(parser *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        p->column += ((unsigned char)p->at[i] & 0xc0) != 0x80;
    }
    p->at += bytes;
}

static void skip_space(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') {
        advance(p, 1);
    }
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) ||
           (unsigned char)c >= 0x80;
}

// Bytes of the word that starts here: a name, or a single character.
static int measure_word(const char *text)
{
    int length = 0;
    while (is_name(text[length])) {
        ++length;
    }
    return length ? length : 1;
}

// "found 'x'", or that the text is over, and what was expected instead.
static void refuse(parser *p, const char *expected)
{
    if (*p->at == '\0') {
        lb_op_set_mistake(&p->mistake, LB_E_SYNTAX, p->column, "found the end, expected %s",
                          expected);
    } else if (*p->at == '*') {
        lb_op_set_mistake(&p->mistake, LB_E_SYNTAX, p->column,
                          "found '*' by itself, expected it right behind an operator or "
                          "parenthesis: it means the transpose; products are written side by side");
    } else {
        const int length = measure_word(p->at);
        lb_op_set_mistake(&p->mistake, LB_E_SYNTAX, p->column, "found '%.*s', expected %s",
                          length < 40 ? length : 40, p->at, expected);
    }
}

// ---- terms -------------------------------------------------------------------------------------

static int add_term(parser *p, int kind, int column)
{
    if (p->e->term_count >= LB_OP_TERM_MAX) {
        lb_op_set_mistake(&p->mistake, LB_E_UNSUPPORTED, column,
                          "the expression goes on here, expected at most %d terms", LB_OP_TERM_MAX);
    }
    if (failed(p)) {
        return 0;
    }
    p->e->terms[p->e->term_count] =
        (lb_op_term){.kind = kind, .scale = 1.0, .first = -1, .next = -1, .column = column};
    return p->e->term_count++;
}

// Turns the list of operands round.
static void reverse(lb_op_expression *e, int term)
{
    int turned = -1;
    for (int i = e->terms[term].first; i >= 0;) {
        const int next = e->terms[i].next;
        e->terms[i].next = turned;
        turned = i;
        i = next;
    }
    e->terms[term].first = turned;
}

// (A B)* = B* A*,  (A + B)* = A* + B*
void lb_op_transpose_term(lb_op_expression *e, int term)
{
    lb_op_term *t = &e->terms[term];
    if (t->kind == LB_OP_TERM_OPERATOR) {
        t->how ^= LB_OP_TRANSPOSED;
    }
    if (t->kind == LB_OP_TERM_PRODUCT) {
        reverse(e, term);
    }
    for (int i = t->first; i >= 0; i = e->terms[i].next) {
        lb_op_transpose_term(e, i);
    }
}

// The term with its place among its siblings, but for its factor, goes to another.
static void move_term(lb_op_expression *e, int from, int to)
{
    const int next = e->terms[to].next;
    const double scale = e->terms[to].scale;
    e->terms[to] = e->terms[from];
    e->terms[to].next = next;
    e->terms[to].scale *= scale;
}

// By the factors of its matrix, which are made where it is used; that it is small is seen later.
static void invert_matrix(parser *p, int term)
{
    const int copy = add_term(p, LB_OP_TERM_NUMBER, p->e->terms[term].column);
    if (!failed(p)) {
        lb_op_term *t = &p->e->terms[term], *of = &p->e->terms[copy];
        *of = *t;
        of->next = -1;
        of->scale = 1.0;
        *t = (lb_op_term){.kind = LB_OP_TERM_INVERSE,
                          .scale = t->scale,
                          .first = copy,
                          .next = t->next,
                          .column = t->column};
    }
}

// Whether a factor of a product has an inverse of its own.
static bool has_own_inverse(const lb_op_expression *e, int term)
{
    const lb_op_term *t = &e->terms[term];
    lb_op_mistake none = {.status = LB_OK};
    bool all = t->kind == LB_OP_TERM_PRODUCT;
    for (int i = t->first; i >= 0; i = e->terms[i].next) {
        all = all && has_own_inverse(e, i);
    }
    if (t->kind == LB_OP_TERM_SUM) {
        lb_op_expression trial = *e;
        return lb_op_invert_by_lemma(&trial, term, &none);
    }
    return all || t->kind == LB_OP_TERM_NUMBER || t->kind == LB_OP_TERM_INVERSE ||
           (t->kind == LB_OP_TERM_OPERATOR && lb_op_has_inverse(t->op));
}

// (A B)^-1 = B^-1 A^-1, down to operators that have one; by lemmas; or by the factors of a small matrix
static void invert(parser *p, int term)
{
    lb_op_expression *e = p->e;
    if (e->terms[term].scale == 0.0) {
        lb_op_set_mistake(&p->mistake, LB_E_ARGUMENT, e->terms[term].column,
                          "found the inverse of zero");
        return;
    }
    const double scale = 1.0 / e->terms[term].scale;
    e->terms[term].scale = 1.0;
    const int kind = e->terms[term].kind;
    if (kind == LB_OP_TERM_INVERSE) {
        move_term(e, e->terms[term].first, term);
    } else if (kind != LB_OP_TERM_NUMBER && lb_op_invert_by_lemma(e, term, &p->mistake)) {
        // done
    } else if (!has_own_inverse(e, term)) {
        invert_matrix(p, term);
    } else if (kind == LB_OP_TERM_OPERATOR) {
        e->terms[term].how ^= LB_OP_INVERTED;
    } else if (kind == LB_OP_TERM_PRODUCT) {
        reverse(e, term);
        for (int i = e->terms[term].first; i >= 0 && !failed(p); i = e->terms[i].next) {
            invert(p, i);
        }
    }
    e->terms[term].scale *= scale;
}

// Only D has a square root.
static void take_root(parser *p, int term)
{
    lb_op_term *t = &p->e->terms[term];
    if (t->kind != LB_OP_TERM_OPERATOR || t->op != LB_OP_D || t->how & LB_OP_SQUARE_ROOT) {
        lb_op_set_mistake(&p->mistake, LB_E_UNSUPPORTED, t->column,
                          "found the square root of something else, expected D^1/2 or D^-1/2");
        return;
    }
    t->how |= LB_OP_SQUARE_ROOT;
}

// ---- grammar -----------------------------------------------------------------------------------

static int parse_sum(parser *p, int depth);

// Digits, a point, an exponent; no strtod, which asks the locale what a point is.
static int parse_number(parser *p)
{
    const int term = add_term(p, LB_OP_TERM_NUMBER, p->column);
    double value = 0.0;
    int exponent = 0, digits = 0;
    for (int point = 0; is_digit(*p->at) || (*p->at == '.' && !point); advance(p, 1)) {
        if (*p->at == '.') {
            point = 1;
            continue;
        }
        value = 10.0 * value + (*p->at - '0');
        exponent -= point;
        ++digits;
    }
    if (digits == 0) {
        refuse(p, "a digit before or after the point");
        return term;
    }
    const char *e = p->at;
    if (*e == 'e' || *e == 'E') {
        const int negative = e[1] == '-';
        e += e[1] == '-' || e[1] == '+' ? 2 : 1;
        if (is_digit(*e)) {
            int written = 0;
            for (; is_digit(*e); ++e) {
                written = written < 1000 ? 10 * written + (*e - '0') : written;
            }
            exponent += negative ? -written : written;
            advance(p, (size_t)(e - p->at));
        }
    }
    // powers up to 1e22 are exact, so that ordinary numbers are rounded once
    const double power = pow(10.0, fabs((double)exponent));
    value = exponent < 0 ? value / power : value * power;
    if (!isfinite(value)) {
        lb_op_set_mistake(&p->mistake, LB_E_ARGUMENT, p->e->terms[term].column,
                          "found a number beyond what double precision can hold");
    }
    p->e->terms[term].scale = value;
    return term;
}

static int parse_group(parser *p, int depth)
{
    const char open = *p->at, close = open == '(' ? ')' : ']';
    const int column = p->column;
    if (depth >= LB_OP_DEPTH_MAX) {
        lb_op_set_mistake(&p->mistake, LB_E_UNSUPPORTED, column,
                          "found '%c' inside %d others, expected no more than %d", open, depth,
                          LB_OP_DEPTH_MAX);
        return 0;
    }
    advance(p, 1);
    const int term = parse_sum(p, depth + 1);
    skip_space(p);
    if (!failed(p) && *p->at != close) {
        char expected[96];
        snprintf(expected, sizeof expected, "'%c' for the '%c' at column %d, or more operators",
                 close, open, column);
        refuse(p, expected);
    }
    if (!failed(p)) {
        advance(p, 1);
    }
    return term;
}

// The longest spelling that stands here as a whole word; -1 if there is none.
static int match_spelling(const char *text, size_t *length)
{
    int best = -1;
    *length = 0;
    for (int i = 0; i < SPELLING_COUNT; ++i) {
        const size_t n = strlen(spellings[i].text);
        size_t same = 0;
        while (same < n && text[same] == spellings[i].text[same]) {
            ++same;
        }
        if (same == n && !is_name(text[n]) && n > *length) {
            best = i;
            *length = n;
        }
    }
    return best;
}

static int parse_name(parser *p, int depth)
{
    const int column = p->column;
    size_t length;
    const int spelling = match_spelling(p->at, &length);
    if (spelling < 0) {
        char all[240] = "";
        for (int i = 0; i < SPELLING_LISTED; ++i) {
            const size_t used = strlen(all);
            snprintf(all + used, sizeof all - used, "%s, ", spellings[i].text);
        }
        const int word = measure_word(p->at);
        lb_op_set_mistake(&p->mistake, LB_E_SYNTAX, column,
                          "found '%.*s', expected one of %sI, with spaces between them",
                          word < 40 ? word : 40, p->at, all);
        return 0;
    }
    advance(p, length);
    if (spellings[spelling].op == INVERSE) {
        skip_space(p);
        if (*p->at != '(' && *p->at != '[') {
            refuse(p, "'(' after inv");
            return 0;
        }
        const int term = parse_group(p, depth);
        if (!failed(p)) {
            invert(p, term);
        }
        return term;
    }
    if (spellings[spelling].op == IDENTITY) {
        return add_term(p, LB_OP_TERM_NUMBER, column);
    }
    const int term = add_term(p, LB_OP_TERM_OPERATOR, column);
    p->e->terms[term].op = spellings[spelling].op;
    return term;
}

// Length of a postfix that stands here, and what it does; 0 if there is none.
static size_t match_postfix(const char *text, int *how)
{
    static const struct {
        const char *text;
        int how;
    } postfixes[] = {{"*", LB_OP_TRANSPOSED},
                     {"^*", LB_OP_TRANSPOSED},
                     {"^T", LB_OP_TRANSPOSED},
                     {"^1/2", LB_OP_SQUARE_ROOT},
                     {"^-1/2", LB_OP_SQUARE_ROOT | LB_OP_INVERTED},
                     {"^-1", LB_OP_INVERTED},
                     {"^-*", LB_OP_INVERTED | LB_OP_TRANSPOSED}};
    for (size_t i = 0; i < sizeof postfixes / sizeof postfixes[0]; ++i) {
        size_t n = 0;
        while (postfixes[i].text[n] && text[n] == postfixes[i].text[n]) {
            ++n;
        }
        if (!postfixes[i].text[n]) {
            *how = postfixes[i].how;
            return n;
        }
    }
    return 0;
}

static int starts_factor(char c)
{
    return is_name(c) || c == '.' || c == '(' || c == '[';
}

static int parse_factor(parser *p, int depth)
{
    int term;
    if (*p->at == '(' || *p->at == '[') {
        term = parse_group(p, depth);
    } else if (is_digit(*p->at) || *p->at == '.') {
        term = parse_number(p);
    } else {
        term = parse_name(p, depth);
    }
    int how = 0;
    for (size_t length; !failed(p) && (length = match_postfix(p->at, &how)) > 0;) {
        advance(p, length);
        if (how & LB_OP_TRANSPOSED) {
            lb_op_transpose_term(p->e, term);
        }
        if (how & LB_OP_SQUARE_ROOT) {
            take_root(p, term);
        }
        if (how & LB_OP_INVERTED && !failed(p)) {
            invert(p, term);
        }
    }
    if (!failed(p) && *p->at == '^') {
        advance(p, 1);
        refuse(p, "-1, T, 1/2, -1/2 or * after '^'");
    }
    return term;
}

static int parse_product(parser *p, int depth)
{
    skip_space(p);
    if (!starts_factor(*p->at)) {
        refuse(p, "an operator, a number or '('");
        return 0;
    }
    const int column = p->column, first = parse_factor(p, depth);
    skip_space(p);
    if (failed(p) || !starts_factor(*p->at)) {
        return first;
    }
    // each new factor goes in front: it is applied before those left of it
    const int product = add_term(p, LB_OP_TERM_PRODUCT, column);
    p->e->terms[product].first = first;
    while (!failed(p) && starts_factor(*p->at)) {
        const int factor = parse_factor(p, depth);
        p->e->terms[factor].next = p->e->terms[product].first;
        p->e->terms[product].first = factor;
        skip_space(p);
    }
    return product;
}

static int parse_sum(parser *p, int depth)
{
    skip_space(p);
    const int column = p->column;
    int sum = -1, last = -1;
    for (int count = 0; !failed(p); ++count) {
        skip_space(p);
        const int sign = *p->at == '+' || *p->at == '-';
        if (count > 0 && !sign) {
            break;
        }
        const double scale = *p->at == '-' ? -1.0 : 1.0;
        advance(p, (size_t)sign);
        const int term = parse_product(p, depth);
        if (failed(p)) {
            break;
        }
        p->e->terms[term].scale *= scale;
        if (count == 1) {
            sum = add_term(p, LB_OP_TERM_SUM, column);
            p->e->terms[sum].first = last;
        }
        if (count > 0) {
            p->e->terms[last].next = term;
        }
        last = term;
    }
    return sum >= 0 ? sum : last >= 0 ? last : 0;
}

lb_status lb_op_parse(const char *text, const lb_report *report, lb_op_expression **expression)
{
    *expression = NULL;
    lb_arena *arena;
    lb_op_expression *e = lb_create_record(sizeof *e, &arena);
    if (!e) {
        return LB_E_MEMORY;
    }
    parser p = {.at = text, .column = 1, .e = e};
    e->root = parse_sum(&p, 0);
    skip_space(&p);
    if (!failed(&p) && *p.at != '\0') {
        refuse(&p, "an operator, '+', '-' or the end");
    }
    if (!failed(&p)) {
        lb_op_check_spaces(e, &p.mistake);
    }
    if (failed(&p)) {
        lb_op_destroy_expression(e);
        if (report) {
            const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                              .severity = LB_SEVERITY_ERROR,
                                              .line = 1,
                                              .column = p.mistake.column,
                                              .path = "",
                                              .message = p.mistake.text};
            report->emit(report->user, &diagnostic);
        }
        return p.mistake.status;
    }
    *expression = e;
    return LB_OK;
}

void lb_op_destroy_expression(lb_op_expression *expression)
{
    lb_destroy_record(expression);
}
