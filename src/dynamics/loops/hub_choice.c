// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bodies become hubs.
//
// A clique of n loops costs n^3. Where that is more than it costs to do without, the body at the root of
// its branch becomes a hub: it counts as standing still when loops are ordered, they come apart, and
// what it couples is put back by its own mass (HUB-1).
#include "loop_plan.h"
#include "loop_report.h"

// In products of two blocks: forming one, and what a loop costs at a hub besides its rows. Measured: four
// loops at a rigid free body are about as fast either way.
#define FORM_COST 2.0
#define HUB_COST 3.5

// A column of c blocks.
static double get_column_cost(double c)
{
    return c * (c + 1.0) / 2.0 + FORM_COST * c;
}

// All columns of a clique.
static double get_clique_cost(double n)
{
    return (n - 1.0) * n * (n + 1.0) / 6.0 + FORM_COST * n * (n - 1.0) / 2.0;
}

// Rows of n loops at hubs of some width.
static double get_hub_cost(double n, double width)
{
    return width > 0 ? n * (HUB_COST + width / 6.0 + width * width / 72.0) : 0.0;
}

static int find_component(lb_loop_plan *p, int l)
{
    return lb_find_first(p->component, l);
}

// Hubs where cliques are worth it, from the base outwards: behind a hub there may be another one. Not
// bodies whose modes go by an update (mode_update.h): it leaves no root of D_f.
static lb_status find_hubs(lb_loop_plan *p, lb_hub_choice choice)
{
    enum { ROUNDS_MOST = 8 };
    const lb_model *model = p->model;
    int *best; // by component: the body with the largest clique
    if (!LB_TAKE(best, p->count)) {
        return LB_E_MEMORY;
    }
    for (int round = 0, found = 1; found && round < ROUNDS_MOST; ++round) {
        const lb_status status = lb_form_cliques(p, p->part);
        if (status != LB_OK) {
            return status;
        }
        found = 0;
        for (int l = 0; l < p->count; ++l) {
            best[l] = -1;
        }
        for (int k = 0; k < model->body_count; ++k) {
            const lb_clique *c = &p->cliques[k];
            if (c->count && !model->bodies[k].update) {
                int *at = &best[find_component(p, c->loops[0])];
                *at = *at < 0 || c->count > p->cliques[*at].count ? k : *at;
            }
        }
        for (int l = 0; l < p->count; ++l) {
            const lb_body *b = best[l] < 0 ? NULL : &model->bodies[best[l]];
            const int width = p->width[l], wider = b ? width + b->nv + b->mode_count : 0;
            const double more = get_hub_cost(p->size[l], wider) - get_hub_cost(p->size[l], width);
            if (b &&
                (choice == LB_HUBS_ALWAYS || get_clique_cost(p->cliques[best[l]].count) > more)) {
                p->hub[best[l]] = 1;
                p->width[l] = wider;
                found = 1;
            }
        }
    }
    return LB_OK;
}

// No body that loop l passes on its way to the base is a hub.
static void clear_way(lb_loop_plan *p, int l)
{
    for (int i = 0, k; (k = lb_get_plan_reach(p, l, i)) > -2; ++i) {
        for (; k >= 0; k = p->model->bodies[k].parent) {
            p->hub[k] = 0;
        }
    }
}

// What the columns of each component cost, hubs as they are.
static lb_status measure(lb_loop_plan *p)
{
    const lb_status status = lb_order_loops(p);
    for (int l = 0; l < p->count; ++l) {
        p->cost[l] = 0.0;
    }
    for (int l = 0; status == LB_OK && l < p->count; ++l) {
        p->cost[find_component(p, l)] += get_column_cost(p->columns[l].count);
    }
    return status;
}

// Takes back the hubs of components that are cheaper without: a loop may be in several cliques, and all of
// them have to go. Where they are large there is no need to ask.
static lb_status judge_hubs(lb_loop_plan *p)
{
    enum { LOOPS_MOST = 128 };
    const int bodies = p->model->body_count;
    double *without;
    unsigned char *hub;
    if (!LB_TAKE(without, p->count) || !LB_TAKE(hub, bodies)) {
        return LB_E_MEMORY;
    }
    for (int k = 0; k < bodies; ++k) {
        hub[k] = p->hub[k];
    }
    for (int l = 0; l < p->count; ++l) {
        if (p->size[find_component(p, l)] <= LOOPS_MOST) {
            clear_way(p, l);
        }
    }
    lb_status status = measure(p);
    for (int l = 0; l < p->count; ++l) {
        without[l] = p->cost[l];
    }
    for (int k = 0; k < bodies; ++k) {
        p->hub[k] = hub[k];
    }
    status = status == LB_OK ? measure(p) : status;
    for (int l = 0; l < p->count; ++l) {
        p->cost[l] += get_hub_cost(p->size[l], p->width[l]);
    }
    for (int l = 0; l < p->count; ++l) {
        const int c = find_component(p, l);
        if (p->size[c] <= LOOPS_MOST && p->cost[c] >= without[c]) {
            clear_way(p, l);
            p->width[c] = 0;
        }
    }
    return status;
}

lb_status lb_choose_hubs(lb_loop_plan *p, lb_hub_choice choice)
{
    lb_status status = lb_form_cliques(p, p->component);
    for (int l = 0; l < p->count; ++l) {
        ++p->size[find_component(p, l)];
    }
    if (choice != LB_HUBS_NEVER) {
        status = status == LB_OK ? find_hubs(p, choice) : status;
    }
    int any = 0;
    for (int l = 0; l < p->count; ++l) {
        any = any || p->width[l] > 0;
    }
    if (any && choice == LB_HUBS_BY_COST) {
        status = status == LB_OK ? judge_hubs(p) : status;
    }
    return status;
}

// Groups: components with hubs. Writes by component which group it is, or -1.
static lb_status write_groups(lb_loop_plan *p, lb_loop_pattern *out, int *of)
{
    const int n = p->count;
    lb_arena *arena = &p->model->arena;
    lb_loop_hub *hubs = lb_arena_take(arena, (size_t)n + 1, sizeof *hubs);
    int *group = lb_arena_take(arena, (size_t)out->count + 1, sizeof *group);
    size_t *edge = lb_arena_take(arena, (size_t)out->count + 1, sizeof *edge);
    int *who; // by slot: its number in the plan
    if (!hubs || !group || !edge || !LB_TAKE(who, out->count)) {
        return LB_E_MEMORY;
    }
    for (int l = 0; l < n; ++l) {
        of[l] = -1;
        who[p->who[l]] = l;
    }
    for (int i = 0; i < n; ++i) {
        const int c = find_component(p, who[out->slot[i]]), width = p->width[c];
        if (width > 0 && of[c] < 0) {
            const size_t size = (size_t)width;
            of[c] = out->hub_count++;
            hubs[of[c]] =
                (lb_loop_hub){.first = i, .width = width, .row = out->rows, .at = out->hub_size};
            out->rows += width;
            out->hub_size += 4 * size * size + 4 * size;
            out->widest = width > out->widest ? width : out->widest;
        }
        group[i] = of[c];
        if (of[c] >= 0) {
            hubs[of[c]].last = i;
        }
        edge[i] = out->edge_count;
        out->edge_count += 6 * (size_t)width;
    }
    for (int i = n; i < out->count; ++i) {
        group[i] = -1;
        edge[i] = out->edge_count;
        out->edge_count += 6 * (size_t)out->rows;
    }
    edge[out->count] = out->edge_count;
    out->hubs = hubs;
    out->group = group;
    out->edge = edge;
    return LB_OK;
}

lb_status lb_write_hubs(lb_loop_plan *p, lb_loop_pattern *out)
{
    const int bodies = p->model->body_count;
    lb_arena *arena = &p->model->arena;
    int *hub = lb_arena_take(arena, (size_t)bodies + 1, sizeof *hub);
    int *hub_group = lb_arena_take(arena, (size_t)bodies + 1, sizeof *hub_group);
    int *near = lb_arena_take(arena, (size_t)bodies + 1, sizeof *near);
    int *of, *used; // by component: its group, coordinates of its hubs so far
    if (!hub || !hub_group || !near || !LB_TAKE(of, p->count) || !LB_TAKE(used, p->count)) {
        return LB_E_MEMORY;
    }
    const lb_status status = write_groups(p, out, of);
    if (status != LB_OK) {
        return status;
    }
    for (int k = 0; k < bodies; ++k) {
        const int parent = p->model->bodies[k].parent;
        hub[k] = hub_group[k] = -1;
        near[k] = p->hub[k] ? k : parent < 0 ? -1 : near[parent];
    }
    // a hub belongs to the loops that pass it
    lb_loop_hub *hubs = (lb_loop_hub *)out->hubs;
    for (int l = 0; l < p->count; ++l) {
        const int c = find_component(p, l);
        for (int i = 0, k; (k = lb_get_plan_reach(p, l, i)) > -2; ++i) {
            for (k = k < 0 ? -1 : near[k]; k >= 0 && hub[k] < 0;) {
                const lb_body *b = &p->model->bodies[k];
                lb_loop_hub *group = &hubs[of[c]];
                hub[k] = used[c];
                hub_group[k] = of[c];
                used[c] += b->nv + b->mode_count;
                group->modes = b->mode_count > group->modes ? b->mode_count : group->modes;
                k = b->parent < 0 ? -1 : near[b->parent];
            }
        }
    }
    out->hub = hub;
    out->hub_group = hub_group;
    out->near = near;
    return LB_OK;
}

bool lb_is_hub(const lb_model *model, int body)
{
    return model->pattern && body >= 0 && body < model->body_count &&
           model->pattern->hub[model->infos[body].sweep] >= 0;
}
