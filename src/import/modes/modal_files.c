// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "modal_files.h"

#include <stdlib.h>
#include <string.h>

#include "model/modal/flex_draft.h"

lb_import_file *lb_take_only_file(lb_import *import, bool is_own(const lb_import_file *file),
                                  const char *format)
{
    lb_import_file *found = NULL;
    for (int f = 0; f < import->file_count; ++f) {
        if (!is_own(&import->files[f])) {
            continue;
        }
        import->files[f].is_used = true;
        if (found) {
            lb_import_fail(import, &import->files[f], 1,
                           "a second %s file; each holds a whole body, so import them one by one",
                           format);
            return NULL;
        }
        found = &import->files[f];
    }
    if (!found) {
        lb_import_fail(import, NULL, 0, "no %s file among those given", format);
    }
    return found;
}

static void copy_plain(lb_span span, char *copy)
{
    for (size_t i = 0; i < span.length; ++i) {
        const unsigned char c = (unsigned char)span.at[i];
        copy[i] = c < ' ' || c == 127 ? '?' : span.at[i];
    }
    copy[span.length] = '\0';
}

char *lb_copy_span(lb_import *import, lb_span span)
{
    char *copy = lb_arena_take_text(&import->arena, span.length);
    if (copy) {
        copy_plain(span, copy);
    }
    return copy;
}

lb_excerpt lb_quote(lb_span span)
{
    lb_excerpt excerpt;
    const size_t most = sizeof excerpt.text - 1;
    copy_plain((lb_span){span.at, span.length < most ? span.length : most}, excerpt.text);
    return excerpt;
}

typedef struct named {
    const char *name;
    int line;
} named;

static int compare_names(const void *a, const void *b)
{
    const named *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

lb_status lb_check_node_names(lb_import *import, const lb_import_file *file, int count,
                              const lb_flex_node *nodes, const int *lines)
{
    named *all;
    const int errors = import->error_count;
    if (!LB_IMPORT_TAKE(import, all, count)) {
        return LB_E_MEMORY;
    }
    for (int j = 0; j < count; ++j) {
        all[j] = (named){nodes[j].name, lines[j]};
        if (!*all[j].name) {
            lb_import_fail(import, file, lines[j], "a node without a name");
        } else if (strcmp(all[j].name, "origin") == 0) {
            lb_import_fail(import, file, lines[j],
                           "a node called `origin`: this is the name of the body frame; rename it");
        }
    }
    qsort(all, (size_t)count, sizeof *all, compare_names);
    for (int j = 1; j < count; ++j) {
        if (strcmp(all[j - 1].name, all[j].name) == 0) {
            return lb_import_fail(import, file, all[j].line,
                                  "node %.40s is given twice, in line %d too", all[j].name,
                                  all[j - 1].line);
        }
    }
    return import->error_count > errors ? LB_E_SYNTAX : LB_OK;
}

void lb_shift_inertia(double m, const double d[3], double J[6])
{
    J[0] += m * (d[1] * d[1] + d[2] * d[2]);
    J[1] += m * (d[0] * d[0] + d[2] * d[2]);
    J[2] += m * (d[0] * d[0] + d[1] * d[1]);
    J[3] -= m * d[0] * d[1];
    J[4] -= m * d[0] * d[2];
    J[5] -= m * d[1] * d[2];
}

void lb_form_rigid_inertia(const lb_flex_integrals *I, double R[36])
{
    const double *S = I->S0, *h = I->h0;
    const double full[36] = {S[0],  S[3],  S[4],  0,       -h[2],   h[1],  //
                             S[3],  S[1],  S[5],  h[2],    0,       -h[0], //
                             S[4],  S[5],  S[2],  -h[1],   h[0],    0,     //
                             0,     h[2],  -h[1], I->mass, 0,       0,     //
                             -h[2], 0,     h[0],  0,       I->mass, 0,     //
                             h[1],  -h[0], 0,     0,       0,       I->mass};
    memcpy(R, full, sizeof full);
}

static bool is_finite(size_t count, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < count && x; ++i) {
        sum += x[i] - x[i];
    }
    return sum == 0;
}

lb_status lb_finish_modal_body(lb_import *import, const lb_import_file *file, int line,
                               lb_modal_body *body)
{
    lb_flex_integrals *I = &body->integrals;
    lb_integral_array arrays[LB_INTEGRAL_ARRAYS];
    const int n = body->flex.mode_count;
    const size_t all = (size_t)n * (size_t)n;
    bool good = is_finite(1, &I->mass) && is_finite(3, I->h0) && is_finite(6, I->S0) &&
                is_finite(all, body->flex.stiffness) && is_finite(all, body->flex.damping);
    lb_list_integrals(I, arrays);
    for (int i = 0; i < LB_INTEGRAL_ARRAYS; ++i) {
        good = good && is_finite(lb_count_integrals(&arrays[i], n), *arrays[i].values);
    }
    if (!good) {
        return lb_import_fail(import, file, line,
                              "the numbers of the file are too large: the inertia or the stiffness "
                              "of the body is not finite");
    }
    return lb_check_inertia_possible(import, file, line, n, I);
}
