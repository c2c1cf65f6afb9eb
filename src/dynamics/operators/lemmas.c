// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inverses that lemmas of the theory know: an expression that has the form of one side of a row is replaced by the other.
#include <string.h>

#include "op_expression.h"

// Either side is the inverse of the other, and so are their transposes.
static const char *const lemmas[][2] = {
    {"I + H Phi K", "I - H Psi K"},                           // (OPR-13)
    {"I + Phi K H", "Psi Phi^-1"},                            // (OPR-12)
    {"I + K H Phi", "Phi^-1 Psi"},                            // (OPR-12)
    {"I - E_Phi", "Phi"},                                     // (OPR-4)
    {"I - E_Psi", "Psi"},                                     // (OPR-11)
    {"I - Phi_A", "Psi_A"},                                   // (OPR-18)
    {"H Phi M Phi* H*", "(I - H Psi K)* D^-1 (I - H Psi K)"}, // (OPR-14)
    {"H Psi M Psi* H*", "D^-1"},                              // (OPR-12)
};
enum { LEMMA_COUNT = sizeof lemmas / sizeof *lemmas };

static int count_operands(const lb_op_expression *e, int term)
{
    int count = 0;
    for (int i = e->terms[term].first; i >= 0; i = e->terms[i].next) {
        ++count;
    }
    return count;
}

// Whether two terms are the same; sums in any order.
static bool is_same(const lb_op_expression *a, int x, const lb_op_expression *b, int y)
{
    const lb_op_term *s = &a->terms[x], *t = &b->terms[y];
    if (s->kind != t->kind || s->op != t->op || s->how != t->how || s->scale != t->scale ||
        count_operands(a, x) != count_operands(b, y)) {
        return false;
    }
    bool same = true;
    if (s->kind == LB_OP_TERM_SUM) {
        for (int i = s->first; i >= 0 && same; i = a->terms[i].next) {
            same = false;
            for (int j = t->first; j >= 0 && !same; j = b->terms[j].next) {
                same = is_same(a, i, b, j);
            }
        }
        return same;
    }
    for (int i = s->first, j = t->first; i >= 0 && same;
         i = a->terms[i].next, j = b->terms[j].next) {
        same = is_same(a, i, b, j);
    }
    return same;
}

// A copy of a term of another expression; -1 without room.
static int copy_term(lb_op_expression *e, const lb_op_expression *from, int term, int column,
                     lb_op_mistake *mistake)
{
    if (e->term_count >= LB_OP_TERM_MAX) {
        lb_op_set_mistake(mistake, LB_E_UNSUPPORTED, column,
                          "the inverse makes the expression longer than %d terms", LB_OP_TERM_MAX);
        return -1;
    }
    const int copy = e->term_count++;
    e->terms[copy] = from->terms[term];
    e->terms[copy].column = column;
    e->terms[copy].first = -1;
    int last = -1;
    for (int i = from->terms[term].first; i >= 0; i = from->terms[i].next) {
        const int own = copy_term(e, from, i, column, mistake);
        if (own < 0) {
            return -1;
        }
        e->terms[own].next = -1;
        if (last < 0) {
            e->terms[copy].first = own;
        } else {
            e->terms[last].next = own;
        }
        last = own;
    }
    return copy;
}

// The same with the outer factor of a product or sum: `term` is replaced.
static void replace(lb_op_expression *e, int term, const lb_op_expression *by,
                    lb_op_mistake *mistake)
{
    const int next = e->terms[term].next;
    const int copy = copy_term(e, by, by->root, e->terms[term].column, mistake);
    if (copy >= 0) {
        e->terms[term] = e->terms[copy];
        e->terms[term].next = next;
    }
}

// @param side  which of the two the term may be
static bool try_lemma(lb_op_expression *e, int term, const char *const lemma[2], int side,
                      lb_op_mistake *mistake)
{
    lb_op_expression *found, *inverse;
    if (lb_op_parse(lemma[side], NULL, &found) < 0) {
        lb_op_set_mistake(mistake, LB_E_MEMORY, 1, "out of memory");
        return false;
    }
    if (lb_op_parse(lemma[1 - side], NULL, &inverse) < 0) {
        lb_op_destroy_expression(found);
        lb_op_set_mistake(mistake, LB_E_MEMORY, 1, "out of memory");
        return false;
    }
    bool same = false;
    for (int turned = 0; turned < 2 && !same; ++turned) {
        if (turned) {
            lb_op_transpose_term(found, found->root);
            lb_op_transpose_term(inverse, inverse->root);
        }
        same = is_same(e, term, found, found->root);
    }
    if (same) {
        replace(e, term, inverse, mistake);
    }
    lb_op_destroy_expression(found);
    lb_op_destroy_expression(inverse);
    return same;
}

bool lb_op_invert_by_lemma(lb_op_expression *e, int term, lb_op_mistake *mistake)
{
    // operators by themselves are inverted by name
    if (e->terms[term].kind == LB_OP_TERM_OPERATOR) {
        return false;
    }
    for (int i = 0; i < LEMMA_COUNT && mistake->status == LB_OK; ++i) {
        for (int side = 0; side < 2; ++side) {
            if (mistake->status == LB_OK && try_lemma(e, term, lemmas[i], side, mistake)) {
                return true;
            }
        }
    }
    return false;
}
