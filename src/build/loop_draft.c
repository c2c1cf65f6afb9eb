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
static lb_status add_terms(lb_builder *builder, const char *where, const lb_loop_options *options,
                           lb_loop_draft *draft)
{
    lb_check_finite(builder, where, "offset", &options->offset, 1);
    if (options->term_count < 1) {
        ERROR(where, "terms", "expected at least one term");
        return LB_OK;
    }
    const size_t count = (size_t)options->term_count;
    draft->terms = lb_arena_take(&builder->arena, count, sizeof *draft->terms);
    if (!draft->terms) {
        return LB_E_MEMORY;
    }
    draft->term_count = options->term_count;
    for (int i = 0; i < options->term_count; ++i) {
        char key[32];
        snprintf(key, sizeof key, "terms[%d]", i);
        draft->terms[i] = options->terms[i];
        const char *body = options->terms[i].body;
        draft->terms[i].body = lb_arena_text(&builder->arena, body ? body : "");
        if (!draft->terms[i].body) {
            return LB_E_MEMORY;
        }
        if (lb_check_finite(builder, where, key, &options->terms[i].factor, 1) &&
            options->terms[i].factor == 0) {
            ERROR(where, key, "a factor of zero relates nothing");
        }
    }
    return LB_OK;
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
static lb_status add_reach(lb_builder *builder, const char *where, const lb_loop_options *options,
                           lb_loop_draft *draft)
{
    const int count = options->reach_count > 0 ? options->reach_count : 0;
    draft->reach_all = options->reach_all;
    draft->reach_count = count;
    draft->reach = lb_arena_take(&builder->arena, (size_t)count + 1, sizeof *draft->reach);
    for (int i = 0; draft->reach && i < count; ++i) {
        draft->reach[i] = lb_arena_text(&builder->arena, options->reach[i]);
        if (!draft->reach[i]) {
            return LB_E_MEMORY;
        }
    }
    if (options->term_capacity < 0 || options->term_capacity > LB_SPARE_TERMS_MOST) {
        ERROR(where, "term_capacity", "%d, expected 0 to %d", options->term_capacity,
              LB_SPARE_TERMS_MOST);
    } else {
        draft->term_capacity = options->term_capacity;
    }
    return draft->reach ? LB_OK : LB_E_MEMORY;
}

lb_status lb_add_loop(lb_builder *builder, const lb_loop_options *given, int *loop)
{
    lb_loop_options known = lb_default_loop_options(), *options = &known;
    char where[64];
    snprintf(where, sizeof where, "loops[%d]", builder->loop_count);
    if (lb_take_reported(&builder->faults.report, where, &known, sizeof known,
                         LB_SIZE_THROUGH(lb_loop_options, type), given) != LB_OK) {
        ++builder->faults.error_count;
        return LB_E_VERSION;
    }
    const int errors = builder->faults.error_count;
    lb_loop_draft *draft = lb_arena_take(&builder->arena, 1, sizeof *draft);
    if (!draft) {
        return LB_E_MEMORY;
    }
    const char *names[5] = {
        options->name ? options->name : "", options->body_a ? options->body_a : "ground",
        options->node_a ? options->node_a : "origin", options->body_b ? options->body_b : "ground",
        options->node_b ? options->node_b : "origin"};
    const char **kept[5] = {&draft->name, &draft->body[0], &draft->node[0], &draft->body[1],
                            &draft->node[1]};
    for (int i = 0; i < 5; ++i) {
        *kept[i] = lb_arena_text(&builder->arena, names[i]);
        if (!*kept[i]) {
            return LB_E_MEMORY;
        }
    }
    if (!*draft->name) {
        ERROR(where, "name", "expected a name that is not empty");
    }
    draft->as_assembled = options->as_assembled;
    draft->inactive = options->inactive;
    draft->driven = options->driven;
    draft->length = options->length;
    draft->offset = options->offset;
    if (add_reach(builder, where, options, draft) != LB_OK) {
        return LB_E_MEMORY;
    }
    if ((unsigned)options->type >= LB_LOOP_TYPE_COUNT) {
        ERROR(where, "type", "%d is not a loop type", (int)options->type);
    } else {
        draft->type = options->type;
        double axis[3] = {options->axis[0], options->axis[1], options->axis[2]};
        if (lb_has_loop_axis(options->type) && lb_check_direction(builder, where, "axis", axis)) {
            draft->axis = lb_vec3_from(axis);
        }
        const int length = options->type == LB_LOOP_ROD && !options->as_assembled;
        if (length && lb_check_finite(builder, where, "length", &options->length, 1) &&
            !(options->length > 0)) {
            ERROR(where, "length", "%.9g, expected a length greater than zero", options->length);
        }
        if (options->type == LB_LOOP_COUPLER &&
            add_terms(builder, where, options, draft) != LB_OK) {
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
                      const lb_loop_draft *draft, lb_loop *loop)
{
    lb_loop_end *ends = loop->ends;
    if (find_end(builder, model, where, "a", draft->body[0], draft->node[0], &ends[0]) &
        find_end(builder, model, where, "b", draft->body[1], draft->node[1], &ends[1])) {
        if (ends[0].body == ends[1].body && ends[0].node == ends[1].node) {
            ERROR(where, "b", "both ends are node \"%s\" of \"%s\": a node cannot close on itself",
                  draft->node[0], draft->body[0]);
        } else if (ends[0].body == ends[1].body) {
            ERROR(where, "b", "both ends are on \"%s\", expected two different bodies",
                  draft->body[0]);
        }
    }
}

// Bodies and entries of the terms of a coupler.
static lb_status find_terms(lb_builder *builder, lb_model *model, const char *where,
                            const lb_loop_draft *draft, lb_loop *loop)
{
    const size_t count = (size_t)draft->term_count;
    lb_loop_term *terms = lb_arena_take(&model->arena, count, sizeof *terms);
    if (!terms) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < draft->term_count; ++i) {
        const lb_coupler_term *term = &draft->terms[i];
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
    loop->term_count = draft->term_count;
    loop->ends[0] = loop->ends[1] = (lb_loop_end){LB_GROUND, 0};
    return LB_OK;
}

// What a loop may become.
static lb_status find_reach(lb_builder *builder, lb_model *model, const char *where,
                            const lb_loop_draft *draft, lb_loop *loop)
{
    int *reach = lb_arena_take(&model->arena, (size_t)draft->reach_count + 1, sizeof *reach);
    for (int i = 0; reach && i < draft->reach_count; ++i) {
        const int body = lb_find_body(model, draft->reach[i]);
        if (body < LB_GROUND) {
            ERROR(where, "reach", "no body is named \"%s\"", draft->reach[i]);
        }
        reach[i] = body < 0 ? -1 : model->infos[body].sweep;
    }
    loop->reach = reach;
    loop->reach_count = draft->reach_count;
    loop->reach_all = draft->reach_all;
    loop->term_capacity =
        draft->term_capacity > loop->term_count ? draft->term_capacity : loop->term_count;
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
        lb_loop *loop = &loops[l];
        char where[64];
        snprintf(where, sizeof where, "loops[%d]", l);
        loop->name = lb_arena_text(&model->arena, draft->name);
        if (!loop->name) {
            return LB_E_MEMORY;
        }
        const int other = lb_names_enter(&names, loop->name, l);
        if (other >= 0) {
            ERROR(where, "name", "\"%s\" is the name of loops[%d] already, expected unique names",
                  loop->name, other);
        }
        loop->type = draft->type;
        loop->axis = draft->axis;
        loop->offset = lb_pose_identity();
        loop->as_assembled = draft->as_assembled;
        loop->inactive = draft->inactive;
        loop->driven = draft->driven;
        loop->length = draft->type == LB_LOOP_ROD ? draft->length : draft->offset;
        if (draft->type != LB_LOOP_COUPLER) {
            find_ends(builder, model, where, draft, loop);
        } else if (find_terms(builder, model, where, draft, loop) != LB_OK) {
            return LB_E_MEMORY;
        }
        if (find_reach(builder, model, where, draft, loop) != LB_OK) {
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
