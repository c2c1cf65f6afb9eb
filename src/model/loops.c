// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closure constraints of a model: types, rows, names.
#include <stdio.h>
#include <string.h>

#include "draft.h"

#define ERROR(...) lb_complain(builder, LB_SEVERITY_ERROR, __VA_ARGS__)

// What each type constrains, with t, u perpendicular to the axis: turns about (t, u), about the
// axis; shifts along (t, u), along the axis.
typedef struct type_row {
    const char *name;
    unsigned char turn_across, turn_along, shift_across, shift_along, has_axis;
} type_row;

static const type_row types[LB_LOOP_TYPE_COUNT] = {
    [LB_LOOP_WELD] = {"weld", 1, 1, 1, 1, 0},
    [LB_LOOP_SPHERICAL] = {"spherical", 0, 0, 1, 1, 0},
    [LB_LOOP_REVOLUTE] = {"revolute", 1, 0, 1, 1, 1},
    [LB_LOOP_PRISMATIC] = {"prismatic", 1, 1, 1, 0, 1},
    [LB_LOOP_CYLINDRICAL] = {"cylindrical", 1, 0, 1, 0, 1},
    [LB_LOOP_PLANAR] = {"planar", 1, 0, 0, 1, 1},
    [LB_LOOP_POINT_LINE] = {"point-line", 0, 0, 1, 0, 1},
    [LB_LOOP_POINT_PLANE] = {"point-plane", 0, 0, 0, 1, 1},
};

const char *lb_get_loop_type_name(lb_loop_type type)
{
    return types[type].name;
}

lb_loop_type lb_find_loop_type(const char *name)
{
    int type = 0;
    while (type < LB_LOOP_TYPE_COUNT && strcmp(types[type].name, name) != 0) {
        ++type;
    }
    return (lb_loop_type)type;
}

int lb_has_loop_axis(lb_loop_type type)
{
    return types[type].has_axis;
}

int lb_get_loop_count(const lb_model *model)
{
    return model->loop_count;
}

const char *lb_get_loop_name(const lb_model *model, int loop)
{
    return model->loops[loop].name;
}

lb_loop_type lb_get_loop_type(const lb_model *model, int loop)
{
    return model->loops[loop].type;
}

void lb_get_loop_end(const lb_model *model, int loop, int side, int *body, int *node)
{
    const lb_loop_end *end = side ? &model->loops[loop].b : &model->loops[loop].a;
    *body = end->body;
    *node = end->node;
}

int lb_get_loop_row_count(const lb_model *model, int loop)
{
    return loop < 0 ? model->loop_rows : model->loops[loop].row_count;
}

lb_loop_options lb_default_loop_options(void)
{
    lb_loop_options options = {.size = sizeof options};
    return options;
}

lb_status lb_add_loop(lb_builder *builder, const lb_loop_options *given, int *loop)
{
    lb_loop_options known = lb_default_loop_options(), *options = &known;
    if (given->size == 0 || given->size > sizeof known) {
        return LB_E_ARGUMENT;
    }
    memcpy(&known, given, given->size);
    const int errors = builder->errors;
    lb_loop_draft *draft = lb_arena_take(&builder->arena, 1, sizeof *draft);
    if (!draft) {
        return LB_E_MEMORY;
    }
    char where[64];
    snprintf(where, sizeof where, "loops[%d]", builder->loop_count);
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
    if ((unsigned)options->type >= LB_LOOP_TYPE_COUNT) {
        ERROR(where, "type", "%d is not a loop type", (int)options->type);
    } else {
        draft->type = options->type;
        double axis[3] = {options->axis[0], options->axis[1], options->axis[2]};
        if (types[options->type].has_axis && lb_check_direction(builder, where, "axis", axis)) {
            draft->axis = lb_vec3_from(axis);
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
    return builder->errors == errors ? LB_OK : LB_E_MODEL;
}

// The constrained rows, orthonormal, in the frame of node a.
static void form_rows(lb_loop *loop)
{
    const type_row *type = &types[loop->type];
    const lb_vec3 a = type->has_axis ? loop->axis : lb_vec3_make(0, 0, 1);
    const lb_vec3 e = fabs(a.x) < 0.9 ? lb_vec3_make(1, 0, 0) : lb_vec3_make(0, 1, 0);
    lb_vec3 t = lb_vec3_cross(a, e);
    t = lb_vec3_scale(1.0 / lb_vec3_norm(t), t);
    const lb_vec3 u = lb_vec3_cross(a, t), directions[3] = {t, u, a};
    const unsigned char turns[3] = {type->turn_across, type->turn_across, type->turn_along};
    const unsigned char shifts[3] = {type->shift_across, type->shift_across, type->shift_along};
    for (int i = 0; i < 3; ++i) {
        if (turns[i]) {
            lb_vec3_to(directions[i], loop->W[loop->row_count++]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        if (shifts[i]) {
            lb_vec3_to(directions[i], loop->W[loop->row_count++] + 3);
        }
    }
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

lb_status lb_build_loops(lb_builder *builder, lb_model *model)
{
    const int errors = builder->errors, count = builder->loop_count;
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
        if (find_end(builder, model, where, "a", draft->body[0], draft->node[0], &loop->a) &
            find_end(builder, model, where, "b", draft->body[1], draft->node[1], &loop->b)) {
            if (loop->a.body == loop->b.body) {
                ERROR(where, "b", "both ends are on \"%s\", expected two different bodies",
                      draft->body[0]);
            }
        }
        loop->first_row = model->loop_rows;
        form_rows(loop);
        model->loop_rows += loop->row_count;
    }
    model->loops = loops;
    model->loop_count = count;
    return builder->errors > errors ? LB_E_MODEL : LB_OK;
}
