// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closure constraints as described, and their way into a model.
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "draft.h"
#include "dynamics/loops/loop_plan.h"
#include "limber/loops.h"
#include "model/model_parts.h"

#define ERROR(...) lb_complain(&builder->faults, LB_SEVERITY_ERROR, __VA_ARGS__)

enum { LB_SPARE_LOOPS_MOST = 1000, LB_SPARE_TERMS_MOST = 1000, LB_SPARE_TERMS = 2 };

// Terms of a coupler, checked as far as they can be before the bodies are known.
static lb_status keep_terms(lb_builder *builder, const char *where, lb_loop_options *o)
{
    lb_check_finite(builder, where, "offset", &o->offset, 1);
    if (o->term_count < 1) {
        ERROR(where, "terms", "expected at least one term");
        return LB_OK;
    }
    lb_coupler_term *terms = lb_arena_take(&builder->arena, (size_t)o->term_count, sizeof *terms);
    for (int i = 0; terms && i < o->term_count; ++i) {
        char key[32];
        snprintf(key, sizeof key, "terms[%d]", i);
        terms[i] = o->terms[i];
        terms[i].body = lb_arena_text(&builder->arena, terms[i].body ? terms[i].body : "");
        if (!terms[i].body) {
            return LB_E_MEMORY;
        }
        if (lb_check_finite(builder, where, key, &terms[i].factor, 1) && terms[i].factor == 0) {
            ERROR(where, key, "a factor of zero relates nothing");
        }
    }
    o->terms = terms;
    return terms ? LB_OK : LB_E_MEMORY;
}

lb_status lb_set_spare_loops(lb_builder *builder, int count, int term_count)
{
    if (count < 0 || count > LB_SPARE_LOOPS_MOST) {
        ERROR("spare_loops", "", "%d, expected 0 to %d", count, LB_SPARE_LOOPS_MOST);
        return LB_E_MODEL;
    }
    if (term_count < 1 || term_count > LB_SPARE_TERMS_MOST) {
        ERROR("spare_loops", "", "room for %d terms, expected 1 to %d", term_count,
              LB_SPARE_TERMS_MOST);
        return LB_E_MODEL;
    }
    builder->spare_count = count;
    builder->spare_terms = term_count;
    return LB_OK;
}

// Bodies that a loop may join when it is altered, and room for terms.
static lb_status keep_reach(lb_builder *builder, const char *where, lb_loop_options *o)
{
    o->reach_count = o->reach_count > 0 ? o->reach_count : 0;
    const char **reach = lb_arena_take(&builder->arena, (size_t)o->reach_count + 1, sizeof *reach);
    for (int i = 0; reach && i < o->reach_count; ++i) {
        reach[i] = lb_arena_text(&builder->arena, o->reach[i]);
        if (!reach[i]) {
            return LB_E_MEMORY;
        }
    }
    o->reach = reach;
    if (o->term_capacity < 0 || o->term_capacity > LB_SPARE_TERMS_MOST) {
        ERROR(where, "term_capacity", "%d, expected 0 to %d", o->term_capacity,
              LB_SPARE_TERMS_MOST);
    }
    return reach ? LB_OK : LB_E_MEMORY;
}

lb_status lb_add_loop(lb_builder *builder, const lb_loop_options *given, int *loop)
{
    char where[64];
    lb_loop_draft *draft = lb_arena_take(&builder->arena, 1, sizeof *draft);
    if (!draft) {
        return LB_E_MEMORY;
    }
    lb_loop_options *o = &draft->options;
    *o = lb_default_loop_options();
    snprintf(where, sizeof where, "loops[%d]", builder->loop_count);
    if (lb_take_reported(&builder->faults.report, where, o, sizeof *o,
                         LB_SIZE_THROUGH(lb_loop_options, type), given) != LB_OK) {
        ++builder->faults.error_count;
        return LB_E_VERSION;
    }
    const int errors = builder->faults.error_count;
    static const char *const otherwise[5] = {"", "ground", "origin", "ground", "origin"};
    const char **texts[5] = {&o->name, &o->body_a, &o->node_a, &o->body_b, &o->node_b};
    for (int i = 0; i < 5; ++i) {
        *texts[i] = lb_arena_text(&builder->arena, *texts[i] ? *texts[i] : otherwise[i]);
        if (!*texts[i]) {
            return LB_E_MEMORY;
        }
    }
    if (!*o->name) {
        ERROR(where, "name", "expected a name that is not empty");
    }
    if (keep_reach(builder, where, o) != LB_OK) {
        return LB_E_MEMORY;
    }
    if ((unsigned)o->type >= LB_LOOP_TYPE_COUNT) {
        ERROR(where, "type", "%d is not a loop type", (int)o->type);
    } else {
        if (lb_has_loop_axis(o->type)) {
            lb_check_direction(builder, where, "axis", o->axis);
        }
        const int length = o->type == LB_LOOP_ROD && !o->as_assembled;
        if (length && lb_check_finite(builder, where, "length", &o->length, 1) &&
            !(o->length > 0)) {
            ERROR(where, "length", "%.9g, expected a length greater than zero", o->length);
        }
        if (o->type == LB_LOOP_COUPLER && keep_terms(builder, where, o) != LB_OK) {
            return LB_E_MEMORY;
        }
    }
    if (builder->last_loop) {
        builder->last_loop->next = draft;
    } else {
        builder->first_loop = draft;
    }
    builder->last_loop = draft;
    if (loop) {
        *loop = builder->loop_count;
    }
    ++builder->loop_count;
    return builder->faults.error_count == errors ? LB_OK : LB_E_MODEL;
}

// Body and node of one end, as the caller knows them.
static int find_end(lb_builder *builder, const lb_model *model, const char *where, const char *key,
                    const char *body, const char *node, lb_loop_end *end)
{
    end->body = lb_find_body(model, body);
    if (end->body < LB_GROUND) {
        ERROR(where, key, "no body is named \"%s\"", body);
        return 0;
    }
    end->node = lb_find_node(model, end->body, node);
    if (end->node < 0) {
        ERROR(where, key, "\"%s\" has no node named \"%s\"", body, node);
        return 0;
    }
    return 1;
}

static void find_ends(lb_builder *builder, const lb_model *model, const char *where,
                      const lb_loop_options *o, lb_loop *loop)
{
    lb_loop_end *ends = loop->ends;
    if (find_end(builder, model, where, "a", o->body_a, o->node_a, &ends[0]) &
        find_end(builder, model, where, "b", o->body_b, o->node_b, &ends[1])) {
        if (ends[0].body == ends[1].body && ends[0].node == ends[1].node) {
            ERROR(where, "b", "both ends are node \"%s\" of \"%s\": a node cannot close on itself",
                  o->node_a, o->body_a);
        } else if (ends[0].body == ends[1].body) {
            ERROR(where, "b", "both ends are on \"%s\", expected two different bodies", o->body_a);
        }
    }
}

// Bodies and entries of the terms of a coupler.
static lb_status find_terms(lb_builder *builder, lb_model *model, const char *where,
                            const lb_loop_options *o, lb_loop *loop)
{
    lb_loop_term *terms = lb_arena_take(&model->arena, (size_t)o->term_count, sizeof *terms);
    if (!terms) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < o->term_count; ++i) {
        const lb_coupler_term *term = &o->terms[i];
        const int body = lb_find_body(model, term->body);
        char key[32];
        snprintf(key, sizeof key, "terms[%d]", i);
        if (body < 0) {
            ERROR(where, key, "no body is named \"%s\"", term->body);
            continue;
        }
        const lb_body *b = lb_get_record(model, body);
        if (b->nq != b->nv) {
            ERROR(where, key, "the %s hinge of \"%s\" has no coordinates that a coupler can relate",
                  lb_get_hinge_type_name((lb_hinge_type)b->hinge), term->body);
            continue;
        }
        if (term->coordinate < 0 || term->coordinate >= b->nv) {
            ERROR(where, key, "coordinate %d, but the %s hinge of \"%s\" has %d", term->coordinate,
                  lb_get_hinge_type_name((lb_hinge_type)b->hinge), term->body, b->nv);
            continue;
        }
        terms[i] = (lb_loop_term){model->infos[body].sweep, term->coordinate, term->factor};
        for (int j = 0; j < i; ++j) {
            if (terms[j].k == terms[i].k && terms[j].entry == terms[i].entry) {
                ERROR(where, key, "the same coordinate as terms[%d], expected each once", j);
            }
        }
    }
    loop->terms = terms;
    loop->term_count = o->term_count;
    loop->ends[0] = loop->ends[1] = (lb_loop_end){LB_GROUND, 0};
    return LB_OK;
}

// What a loop may become.
static lb_status find_reach(lb_builder *builder, lb_model *model, const char *where,
                            const lb_loop_options *o, lb_loop *loop)
{
    int *reach = lb_arena_take(&model->arena, (size_t)o->reach_count + 1, sizeof *reach);
    for (int i = 0; reach && i < o->reach_count; ++i) {
        const int body = lb_find_body(model, o->reach[i]);
        if (body < LB_GROUND) {
            ERROR(where, "reach", "no body is named \"%s\"", o->reach[i]);
        }
        reach[i] = body < 0 ? -1 : model->infos[body].sweep;
    }
    loop->reach = reach;
    loop->reach_count = o->reach_count;
    loop->reach_all = o->reach_all;
    loop->term_capacity = o->term_capacity > loop->term_count ? o->term_capacity : loop->term_count;
    return reach ? LB_OK : LB_E_MEMORY;
}

lb_status lb_build_loops(lb_builder *builder, lb_model *model)
{
    const int errors = builder->faults.error_count, count = builder->loop_count;
    lb_loop *loops = lb_arena_take(&model->arena, (size_t)count, sizeof *loops);
    lb_names names;
    if (!loops || lb_names_init(&names, &model->arena, (size_t)count) != LB_OK) {
        return LB_E_MEMORY;
    }
    int l = 0;
    for (const lb_loop_draft *draft = builder->first_loop; draft; draft = draft->next, ++l) {
        const lb_loop_options *o = &draft->options;
        lb_loop *loop = &loops[l];
        char where[64];
        snprintf(where, sizeof where, "loops[%d]", l);
        loop->name = lb_arena_text(&model->arena, o->name);
        if (!loop->name) {
            return LB_E_MEMORY;
        }
        const int other = lb_names_enter(&names, loop->name, l);
        if (other >= 0) {
            ERROR(where, "name", "\"%s\" is the name of loops[%d] already, expected unique names",
                  loop->name, other);
        }
        loop->type = o->type;
        loop->axis = lb_has_loop_axis(o->type) ? lb_vec3_from(o->axis) : lb_vec3_make(0, 0, 0);
        loop->offset = lb_pose_identity();
        loop->as_assembled = o->as_assembled;
        loop->inactive = o->inactive;
        loop->driven = o->driven;
        loop->length = o->type == LB_LOOP_ROD ? o->length : o->offset;
        if (o->type != LB_LOOP_COUPLER) {
            find_ends(builder, model, where, o, loop);
        } else if (find_terms(builder, model, where, o, loop) != LB_OK) {
            return LB_E_MEMORY;
        }
        if (find_reach(builder, model, where, o, loop) != LB_OK) {
            return LB_E_MEMORY;
        }
        lb_set_loop_rows(loop);
        model->loop_rows += loop->row_count;
    }
    model->loops = loops;
    model->loop_count = count;
    model->spare_count = builder->spare_count;
    model->spare_terms = builder->spare_terms ? builder->spare_terms : LB_SPARE_TERMS;
    if (builder->faults.error_count > errors) {
        return LB_E_MODEL;
    }
    lb_arena scratch;
    scratch = lb_make_arena(&builder->arena.allocator);
    const lb_status status = lb_build_loop_pattern(model, &scratch, LB_HUBS_BY_COST);
    lb_arena_free(&scratch);
    return status;
}
