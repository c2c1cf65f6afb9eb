// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How the loops of a model are coupled, and the order in which they are eliminated.
//
// All loops at one branch are coupled with each other: a clique. Eliminating a loop joins the cliques
// that it is in into one, without it; what is left in that one is its column of the factors. The
// loop that is in the smallest cliques goes first (minimum degree). A loop counts with every branch
// that it may be altered to reach; those that may reach everything come last, with the spare ones.
// Hubs count as standing still (hub_choice.c).
#include "loop_plan.h"

// Positions are ordered part by part, so that what loops share stays close together.
enum { LB_NULL_ROWS_MOST = 96 }; // directions kept for one part, however large

int lb_get_loop_reach(const lb_model *model, const lb_loop *loop, int i)
{
    const int own = loop->type == LB_LOOP_COUPLER ? loop->term_count : 2;
    if (i >= own) {
        return i - own < loop->reach_count ? loop->reach[i - own] : -2;
    }
    if (loop->type == LB_LOOP_COUPLER) {
        return loop->terms[i].k;
    }
    const int body = loop->ends[i].body;
    return body == LB_GROUND ? -1 : model->infos[body].sweep;
}

int lb_may_reach(const lb_model *model, int loop, int k)
{
    const lb_loop_pattern *pattern = model->pattern;
    if (k < 0 || loop >= model->loop_count || model->loops[loop].reach_all) {
        return 1;
    }
    if (pattern->hub[k] >= 0) {
        return pattern->hub_group[k] == pattern->group[pattern->position[loop]];
    }
    const int branch = pattern->branch[k];
    int may = branch < 0;
    for (int i = 0, other; !may && (other = lb_get_loop_reach(model, &model->loops[loop], i)) > -2;
         ++i) {
        may = other >= 0 && pattern->branch[other] == branch;
    }
    return may;
}

// The body that moves first on the way from the base to each, hubs standing still, and the most modes
// of its branch.
static void find_branches(lb_loop_plan *p)
{
    const lb_model *model = p->model;
    for (int k = 0; k < model->body_count; ++k) {
        p->modes[k] = 0;
    }
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const int above = b->parent < 0 ? -1 : p->branch[b->parent];
        const int moves = b->nv + b->mode_count > 0 && !p->hub[k];
        p->branch[k] = above >= 0 ? above : moves ? k : -1;
        int *most = p->branch[k] >= 0 ? &p->modes[p->branch[k]] : NULL;
        if (most && b->mode_count > *most) {
            *most = b->mode_count;
        }
    }
}

int lb_find_first(int *stands, int l)
{
    while (stands[l] != l) {
        stands[l] = stands[stands[l]];
        l = stands[l];
    }
    return l;
}

lb_status lb_form_cliques(lb_loop_plan *p, int *stands)
{
    const lb_model *model = p->model;
    if (!LB_TAKE(p->cliques, model->body_count + p->count)) {
        return LB_E_MEMORY;
    }
    for (int l = 0; l < p->count; ++l) {
        stands[l] = l;
    }
    find_branches(p);
    for (int pass = 0; pass < 2; ++pass) {
        for (int l = 0; l < p->count; ++l) {
            p->in_count[l] = 0;
            for (int i = 0, k; (k = lb_get_plan_reach(p, l, i)) > -2; ++i) {
                const int branch = k < 0 ? -1 : p->branch[k];
                int known = branch < 0;
                for (int j = 0; pass && j < p->in_count[l] && !known; ++j) {
                    known = p->in[l][j] == branch;
                }
                if (known) {
                    continue;
                }
                if (pass) {
                    lb_clique *c = &p->cliques[branch];
                    if (c->count) {
                        stands[lb_find_first(stands, l)] = lb_find_first(stands, c->loops[0]);
                    }
                    c->loops[c->count++] = l;
                    p->in[l][p->in_count[l]] = branch;
                } else {
                    ++p->cliques[branch].count;
                }
                ++p->in_count[l];
            }
            if (!pass && !LB_TAKE(p->in[l], p->in_count[l])) {
                return LB_E_MEMORY;
            }
        }
        for (int k = 0; !pass && k < model->body_count; ++k) {
            lb_clique *c = &p->cliques[k];
            if (c->count && !LB_TAKE(c->loops, c->count)) {
                return LB_E_MEMORY;
            }
            c->count = 0;
        }
    }
    return LB_OK;
}

static int count_degree(const lb_loop_plan *p, int l)
{
    int degree = 0;
    for (int j = 0; j < p->in_count[l]; ++j) {
        degree += p->cliques[p->in[l][j]].count;
    }
    return degree < p->count ? degree : p->count;
}

static void leave_list(lb_loop_plan *p, int l)
{
    if (p->next[l] >= 0) {
        p->previous[p->next[l]] = p->previous[l];
    }
    if (p->previous[l] >= 0) {
        p->next[p->previous[l]] = p->next[l];
    } else {
        p->first[p->degree[l]] = p->next[l];
    }
}

static void join_list(lb_loop_plan *p, int l)
{
    p->degree[l] = count_degree(p, l);
    p->previous[l] = -1;
    p->next[l] = p->first[p->degree[l]];
    if (p->next[l] >= 0) {
        p->previous[p->next[l]] = l;
    }
    p->first[p->degree[l]] = l;
}

// Joins the cliques of l, less l itself; the column of l is what is in them.
static lb_status eliminate(lb_loop_plan *p, int l)
{
    const int fresh = p->model->body_count + l;
    int total = 0;
    for (int j = 0; j < p->in_count[l]; ++j) {
        total += p->cliques[p->in[l][j]].count;
    }
    lb_clique *c = &p->cliques[fresh];
    if (!LB_TAKE(c->loops, total)) {
        return LB_E_MEMORY;
    }
    p->seen[l] = 1;
    for (int j = 0; j < p->in_count[l]; ++j) {
        const lb_clique *old = &p->cliques[p->in[l][j]];
        for (int i = 0; i < old->count; ++i) {
            const int other = old->loops[i];
            if (!p->seen[other]) {
                p->seen[other] = 1;
                c->loops[c->count++] = other;
            }
        }
    }
    p->seen[l] = 0;
    // in their lists, the new one takes the place of the old ones
    for (int i = 0; i < c->count; ++i) {
        const int other = c->loops[i];
        p->seen[other] = 0;
        leave_list(p, other);
        int kept = 0;
        for (int j = 0; j < p->in_count[other]; ++j) {
            int gone = 0;
            for (int h = 0; h < p->in_count[l] && !gone; ++h) {
                gone = p->in[l][h] == p->in[other][j];
            }
            if (!gone) {
                p->in[other][kept++] = p->in[other][j];
            }
        }
        p->in[other][kept++] = fresh;
        p->in_count[other] = kept;
    }
    p->columns[l] = *c;
    for (int i = 0; i < c->count; ++i) {
        join_list(p, c->loops[i]);
    }
    return LB_OK;
}

static lb_status choose_order(lb_loop_plan *p)
{
    for (int d = 0; d <= p->count; ++d) {
        p->first[d] = -1;
    }
    for (int l = p->count - 1; l >= 0; --l) {
        join_list(p, l);
    }
    for (int i = 0, d = 0; i < p->count; ++i) {
        while (p->first[d] < 0) {
            ++d;
        }
        const int l = p->first[d];
        leave_list(p, l);
        p->order[i] = l;
        const lb_status status = eliminate(p, l);
        if (status != LB_OK) {
            return status;
        }
        // of the loops that are left only its neighbours may have come down
        for (int j = 0; j < p->columns[l].count; ++j) {
            const int degree = p->degree[p->columns[l].loops[j]];
            d = degree < d ? degree : d;
        }
    }
    return LB_OK;
}

lb_status lb_order_loops(lb_loop_plan *p)
{
    if (!LB_TAKE(p->columns, p->count)) {
        return LB_E_MEMORY;
    }
    const lb_status status = lb_form_cliques(p, p->part);
    return status == LB_OK ? choose_order(p) : status;
}

// Sorts loops by what stands for them, those of one in the order in which they were.
static void sort_loops(lb_loop_plan *p, int *stands, const int *from, int *start, int *to)
{
    for (int l = 0; l <= p->count; ++l) {
        start[l] = 0;
    }
    for (int l = 0; l < p->count; ++l) {
        ++start[lb_find_first(stands, l) + 1];
    }
    for (int l = 0; l < p->count; ++l) {
        start[l + 1] += start[l];
    }
    for (int i = 0; i < p->count; ++i) {
        to[start[lb_find_first(stands, from[i])]++] = from[i];
    }
}

// Positions: components in the order of their first loops, of each the parts in which hubs leave it,
// each in the order of elimination.
static void place_loops(lb_loop_plan *p, int *slot, int *position, int *scratch)
{
    int *start = scratch, *by_part = position;
    sort_loops(p, p->part, p->order, start, by_part);
    sort_loops(p, p->component, by_part, start, slot);
    for (int i = 0; i < p->count; ++i) {
        slot[i] = p->who[slot[i]];
    }
    for (int i = 0; i < p->count; ++i) {
        position[slot[i]] = i;
    }
}

// Memory for directions that several loops share: those of a part, whatever the loops are
// altered to, and those of the last ones, which may reach everything.
static size_t count_nulls(lb_loop_plan *p, int last)
{
    size_t need = 0;
    for (int l = 0; l < p->count; ++l) {
        p->degree[l] = 0; // from now on: loops of the part that l stands for
    }
    for (int l = 0; l < p->count; ++l) {
        ++p->degree[lb_find_first(p->part, l)];
    }
    for (int l = 0; l < p->count; ++l) {
        const size_t size = (size_t)p->degree[l], rows = 6 * size;
        const size_t most = rows < LB_NULL_ROWS_MOST ? rows : LB_NULL_ROWS_MOST;
        need += size > 1 ? 6 * size * most : 0;
    }
    return need + 36 * (size_t)last * (size_t)(p->count + last);
}

// Blocks by column and by row: rows first, so that columns come out in order, and the other way.
static lb_status write_pattern(lb_loop_plan *p)
{
    lb_model *model = p->model;
    const int n = p->count, count = model->loop_count + model->spare_count, last = count - n;
    lb_arena *arena = &model->arena;
    lb_loop_pattern *out = lb_arena_take(arena, 1, sizeof *out);
    const size_t size = (size_t)count + 2;
    int *slot = lb_arena_take(arena, size, sizeof *slot);
    int *position = lb_arena_take(arena, size, sizeof *position);
    int *column = lb_arena_take(arena, size, sizeof *column);
    int *across = lb_arena_take(arena, size, sizeof *across);
    int *root = lb_arena_take(arena, (size_t)model->body_count + 1, sizeof *root);
    int *fill = lb_arena_take(p->scratch, size, sizeof *fill);
    if (!out || !slot || !position || !column || !across || !root || !fill) {
        return LB_E_MEMORY;
    }
    place_loops(p, slot, position, fill);
    for (int l = 0, at = n; l < count; ++l) {
        if (l >= model->loop_count || model->loops[l].reach_all) {
            slot[at] = l;
            position[l] = at++;
        }
    }
    const lb_clique none = {0, NULL};
    const lb_clique **columns = lb_arena_take(p->scratch, size, sizeof *columns); // by position
    if (!columns) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        columns[i] = &none;
    }
    for (int l = 0; l < n; ++l) {
        columns[position[p->who[l]]] = &p->columns[l];
    }
    size_t blocks = 0;
    for (int i = 0; i < count; ++i) {
        blocks += (size_t)columns[i]->count + (size_t)(i < n ? last : count - 1 - i);
    }
    if (blocks > (size_t)1 << 28) {
        return LB_E_MEMORY;
    }
    int *row = lb_arena_take(arena, blocks + 1, sizeof *row);
    int *entry = lb_arena_take(arena, blocks + 1, sizeof *entry);
    int *at = lb_arena_take(arena, blocks + 1, sizeof *at);
    if (!row || !entry || !at) {
        return LB_E_MEMORY;
    }
    // rows, each with its columns in ascending order
    for (int i = 0; i < count; ++i) {
        across[i + 1] = i < n ? 0 : i;
    }
    for (int l = 0; l < n; ++l) {
        for (int c = 0; c < p->columns[l].count; ++c) {
            ++across[position[p->who[p->columns[l].loops[c]]] + 1];
        }
    }
    for (int i = 0; i < count; ++i) {
        across[i + 1] += across[i];
        fill[i] = across[i];
    }
    for (int j = 0; j < count; ++j) {
        for (int i = 0; i < columns[j]->count; ++i) {
            at[fill[position[p->who[columns[j]->loops[i]]]]++] = j;
        }
        for (int i = j < n ? n : j + 1; i < count; ++i) {
            at[fill[i]++] = j;
        }
    }
    // columns, each with its rows in ascending order
    for (int b = 0; b < (int)blocks; ++b) {
        ++column[at[b] + 1];
    }
    for (int j = 0; j < count; ++j) {
        column[j + 1] += column[j];
        fill[j] = column[j];
    }
    for (int i = 0; i < count; ++i) {
        for (int e = across[i]; e < across[i + 1]; ++e) {
            entry[e] = fill[at[e]]++;
            row[entry[e]] = i;
        }
    }
    *out = (lb_loop_pattern){.count = count,
                             .ordered = n,
                             .block_count = (int)blocks,
                             .slot = slot,
                             .position = position,
                             .column = column,
                             .row = row,
                             .across = across,
                             .entry = entry,
                             .at = at,
                             .branch = p->branch,
                             .modes = p->modes,
                             .root = root};
    for (int k = 0; k < model->body_count; ++k) {
        const int parent = model->bodies[k].parent;
        root[k] = parent < 0 ? k : root[parent];
        const int modes = model->bodies[k].mode_count;
        out->mode_most = modes > out->mode_most ? modes : out->mode_most;
    }
    out->null_count = count_nulls(p, last);
    model->pattern = out;
    return lb_write_hubs(p, out);
}

lb_status lb_build_loop_pattern(lb_model *model, lb_arena *scratch, lb_hub_choice choice)
{
    lb_loop_plan plan = {.model = model, .scratch = scratch}, *p = &plan;
    if (model->loop_count + model->spare_count == 0) {
        return LB_OK;
    }
    if (!LB_TAKE(p->who, model->loop_count)) {
        return LB_E_MEMORY;
    }
    for (int l = 0; l < model->loop_count; ++l) {
        p->who[p->count] = l;
        p->count += !model->loops[l].reach_all;
    }
    const int n = p->count;
    p->branch = lb_arena_take(&model->arena, (size_t)model->body_count + 1, sizeof *p->branch);
    p->modes = lb_arena_take(&model->arena, (size_t)model->body_count + 1, sizeof *p->modes);
    if (!p->branch || !p->modes || !LB_TAKE(p->in, n) || !LB_TAKE(p->in_count, n) ||
        !LB_TAKE(p->degree, n) || !LB_TAKE(p->first, n) || !LB_TAKE(p->next, n) ||
        !LB_TAKE(p->previous, n) || !LB_TAKE(p->order, n) || !LB_TAKE(p->component, n) ||
        !LB_TAKE(p->part, n) || !LB_TAKE(p->size, n) || !LB_TAKE(p->width, n) ||
        !LB_TAKE(p->cost, n) || !LB_TAKE(p->seen, n) || !LB_TAKE(p->hub, model->body_count)) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_choose_hubs(p, choice);
    status = status == LB_OK ? lb_order_loops(p) : status;
    return status == LB_OK ? write_pattern(p) : status;
}
