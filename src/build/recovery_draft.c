// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Checking and keeping what can be read off the deformation of a body.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "draft.h"

enum { PATH_SIZE = 512 };

static size_t count_forces(const lb_recovery *r)
{
    return (size_t)r->row_count * 6 * (size_t)r->node_count;
}

static const double *copy_numbers(lb_arena *arena, const double *from, size_t count, bool *good)
{
    double *to = from ? lb_take_numbers(arena, count + 1) : NULL;
    *good = *good && (to || !from);
    if (to) {
        memcpy(to, from, count * sizeof *to);
    }
    return to;
}

// Names that stand twice have the index of the first.
static bool copy_names(lb_arena *arena, const lb_recovery *from, lb_recovery *to)
{
    const size_t count = (size_t)from->row_count;
    const char **names = lb_arena_take(arena, count + 1, sizeof *names);
    if (!names || lb_names_init(&to->index, arena, count + 1) != LB_OK) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        names[i] = lb_arena_text(arena, from->names[i]);
        if (!names[i]) {
            return false;
        }
        lb_names_enter(&to->index, names[i], (int)i);
    }
    to->names = names;
    return true;
}

const lb_recovery *lb_copy_recovery(lb_arena *arena, const lb_recovery *from)
{
    lb_recovery *to = lb_arena_take(arena, 1, sizeof *to);
    if (!to) {
        return NULL;
    }
    const size_t rows = (size_t)from->row_count;
    bool good = true;
    *to = (lb_recovery){from->row_count, from->mode_count, from->node_count, NULL, NULL, NULL, NULL,
                        {NULL, 0, 0}};
    to->modes = copy_numbers(arena, from->modes, rows * (size_t)from->mode_count, &good);
    to->inertia = copy_numbers(arena, from->inertia, rows * LB_INERTIA_LOADS, &good);
    to->forces = copy_numbers(arena, from->forces, count_forces(from), &good);
    return good && copy_names(arena, from, to) ? to : NULL;
}

static bool is_same(const double *a, const double *b, size_t count)
{
    return (!a && !b) || (a && b && memcmp(a, b, count * sizeof *a) == 0);
}

bool lb_is_same_recovery(const lb_recovery *a, const lb_recovery *b)
{
    if (!a || !b) {
        return !a && !b;
    }
    const size_t rows = (size_t)a->row_count;
    bool same = a->row_count == b->row_count && a->mode_count == b->mode_count &&
                a->node_count == b->node_count &&
                is_same(a->modes, b->modes, rows * (size_t)a->mode_count) &&
                is_same(a->inertia, b->inertia, rows * LB_INERTIA_LOADS) &&
                is_same(a->forces, b->forces, count_forces(a));
    for (int i = 0; same && i < a->row_count; ++i) {
        same = strcmp(a->names[i], b->names[i]) == 0;
    }
    return same;
}

static bool are_names_good(lb_builder *builder, const char *where, const lb_recovery *r)
{
    for (int i = 0; i < r->row_count; ++i) {
        char key[64];
        snprintf(key, sizeof key, "recovery.names[%d]", i);
        if (!r->names[i] || !*r->names[i]) {
            lb_complain(&builder->faults, LB_SEVERITY_ERROR, where, key,
                        "empty, expected the name of a quantity");
            return false;
        }
    }
    return true;
}

lb_status lb_draft_recovery(lb_builder *builder, const char *where, const lb_flex_options *flex,
                            const lb_recovery **copy)
{
    lb_flex_recovery given = {.size = sizeof given};
    char path[PATH_SIZE + 16];
    *copy = NULL;
    snprintf(path, sizeof path, "%.*s.recovery", PATH_SIZE, where);
    if (lb_take_reported(&builder->faults.report, path, &given, sizeof given,
                         LB_SIZE_THROUGH(lb_flex_recovery, modes), flex->recovery) != LB_OK) {
        ++builder->faults.error_count;
        return LB_E_VERSION;
    }
    const lb_recovery r = {.row_count = given.row_count,
                           .mode_count = flex->mode_count,
                           .node_count = flex->node_count - flex->point_count,
                           .names = given.names,
                           .modes = given.modes,
                           .inertia = given.inertia,
                           .forces = given.inertia ? given.forces : NULL};
    // entries are counted by int where they are checked
    const double most =
        (double)r.row_count * (r.mode_count + LB_INERTIA_LOADS + 6.0 * r.node_count);
    if (r.row_count < 0 || most > INT32_MAX || (r.row_count > 0 && (!r.names || !r.modes))) {
        lb_complain(&builder->faults, LB_SEVERITY_ERROR, where, "recovery",
                    "%d rows found, expected names and numbers for each, and at most 2^31 numbers",
                    r.row_count);
        return LB_E_MODEL;
    }
    if (r.row_count == 0) {
        return LB_OK;
    }
    const bool good =
        are_names_good(builder, where, &r) &&
        lb_check_finite(builder, where, "recovery.modes", r.modes, r.row_count * r.mode_count) &&
        (!r.inertia || lb_check_finite(builder, where, "recovery.inertia", r.inertia,
                                       r.row_count * LB_INERTIA_LOADS)) &&
        (!r.forces ||
         lb_check_finite(builder, where, "recovery.forces", r.forces, (int)count_forces(&r)));
    if (!good) {
        return LB_E_MODEL;
    }
    const lb_recovery *made = lb_copy_recovery(&builder->arena, &r);
    if (!made) {
        return LB_E_MEMORY;
    }
    if (made->index.count < (size_t)r.row_count) {
        for (int i = 0; i < r.row_count; ++i) {
            const int first = lb_names_find(&made->index, made->names[i]);
            if (first != i) {
                lb_complain(&builder->faults, LB_SEVERITY_ERROR, where, "recovery",
                            "rows %d and %d have the same name, \"%s\"", first, i, made->names[i]);
                return LB_E_MODEL;
            }
        }
    }
    *copy = made;
    return LB_OK;
}
