// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for a model that is wrong: it knows the names of bodies, nodes, hinges and loops, so that
// what refers to them can be checked all the same. Masses are one, and all bodies hang on the ground.
#include <string.h>

#include "base/names.h"
#include "limber/model.h"
#include "load.h"
#include "values.h"

// A few words can describe millions of bodies: only the names of the first BODIES_MOST are checked.
enum { BODIES_MOST = 1 << 15 };

typedef struct lb_sketch {
    lb_loader loader; // says nothing
    const lb_place *root;
    lb_half_known_name *half_known;
    void *user;
} lb_sketch;

static void lb_tell_half_known(const lb_sketch *s, const char *name)
{
    if (s->half_known) {
        s->half_known(s->user, name);
    }
}

// Whether a builder accepts a body on its own.
static bool lb_is_sound(const lb_sketch *s, const lb_body_options *body)
{
    lb_builder *builder = lb_create_builder(&s->loader.scratch.allocator, NULL);
    lb_model *model = NULL;
    const bool good = builder && lb_add_body(builder, body, NULL) == LB_OK &&
                      lb_build_model(builder, &model) == LB_OK;
    lb_destroy_model(model);
    lb_destroy_builder(builder);
    return good;
}

// The flexible part of a body, if all of it can be read.
static lb_status lb_sketch_flex(lb_sketch *s, const lb_place *place, lb_body_options *body,
                                lb_flex_options *flex, bool *sound)
{
    static const struct {
        const char *key;
        lb_status (*load)(lb_loader *, const lb_place *, lb_flex_options *);
    } ways[] = {{"flex", lb_load_flex}, {"beam", lb_load_beam}, {"frame", lb_load_frame}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        const lb_place part = lb_place_at_key(place, ways[i].key);
        if (!part.node) {
            continue;
        }
        const int errors = s->loader.reader.error_count;
        if (ways[i].load(&s->loader, &part, flex) != LB_OK) {
            return LB_E_MEMORY;
        }
        body->flex = flex->node_count > 0 ? flex : NULL;
        *sound = body->flex && s->loader.reader.error_count == errors && lb_is_sound(s, body);
        body->flex = *sound ? flex : NULL;
        break;
    }
    return LB_OK;
}

// Nodes by name, wherever they are.
static void lb_sketch_nodes(const lb_sketch *s, const lb_place *owner, int body)
{
    const lb_place nodes = lb_place_at_key(owner, "nodes");
    if (lb_place_get_kind(&nodes) != LB_DOC_MAPPING) {
        return;
    }
    for (size_t i = 0; i < lb_place_get_count(&nodes); ++i) {
        const lb_place node = lb_place_at_pair(&nodes, i);
        lb_add_node(s->loader.builder, body, node.key, NULL, NULL);
    }
}

static lb_status lb_sketch_body(lb_sketch *s, const lb_place *place, const char *name)
{
    lb_body_options body = lb_default_body_options();
    lb_flex_options flex;
    bool sound = true;
    body.name = name;
    body.mass = 1.0;
    for (int i = 0; i < 3; ++i) {
        body.inertia[i] = 1.0;
    }
    body.hinge =
        (lb_hinge_options){.type = LB_HINGE_FREE, .axis = {0, 0, 1}, .axes = {{1}, {0, 1}}};
    const lb_place hinge = lb_place_at_key(place, "hinge"), type = lb_place_at_key(&hinge, "type");
    const char *word = lb_place_get_string(&type);
    bool known = false;
    for (int i = 0; word && i < LB_HINGE_TYPE_COUNT; ++i) {
        if (strcmp(word, lb_get_hinge_type_name((lb_hinge_type)i)) == 0) {
            body.hinge.type = (lb_hinge_type)i;
            known = true;
        }
    }
    lb_status status = lb_sketch_flex(s, place, &body, &flex, &sound);
    if (status != LB_OK) {
        return status;
    }
    if (!known || !sound) {
        lb_tell_half_known(s, name);
    }
    int index = 0;
    status = lb_add_body(s->loader.builder, &body, &index);
    if (status == LB_OK && !body.flex) {
        lb_sketch_nodes(s, place, index);
    }
    lb_destroy_flex_body(s->loader.flex_body);
    s->loader.flex_body = NULL;
    return status;
}

static lb_status lb_sketch_bodies(lb_sketch *s)
{
    const lb_place bodies = lb_place_at_key(s->root, "bodies");
    const lb_place ground = lb_place_at_key(s->root, "ground");
    lb_status status = LB_OK;
    lb_sketch_nodes(s, &ground, LB_GROUND);
    if (bodies.node && lb_place_get_kind(&bodies) != LB_DOC_SEQUENCE) {
        lb_tell_half_known(s, NULL);
        return LB_OK;
    }
    const size_t all = lb_place_get_count(&bodies), count = all < BODIES_MOST ? all : BODIES_MOST;
    if (count < all) {
        lb_tell_half_known(s, NULL);
    }
    lb_arena arena = lb_make_arena(&s->loader.scratch.allocator);
    lb_names names;
    status = lb_names_init(&names, &arena, count + 1);
    for (size_t i = 0; i < count && status == LB_OK; ++i) {
        const lb_place body = lb_place_at_index(&bodies, i), at = lb_place_at_key(&body, "name");
        const char *name = lb_place_get_string(&at);
        if (!name) {
            lb_tell_half_known(s, NULL); // any name may be meant to be this one's
        } else if (name[0] && strcmp(name, "ground") != 0 &&
                   lb_names_enter(&names, name, (int)i) < 0) {
            status = lb_sketch_body(s, &body, name);
        }
        lb_arena_free(&s->loader.scratch);
    }
    lb_arena_free(&arena);
    return status;
}

// Loops that are not in the sketch are known by their names.
static bool lb_tell_made(void *user, const char *event, const char *key, const char *name,
                         const lb_place *change)
{
    (void)event, (void)change;
    if (strcmp(key, "make") == 0) {
        lb_tell_half_known(user, name);
    }
    return true;
}

static void lb_tell_loops(const lb_sketch *s)
{
    const lb_place loops = lb_place_at_key(s->root, "loops");
    for (size_t i = 0; i < lb_place_get_count(&loops); ++i) {
        const lb_place loop = lb_place_at_index(&loops, i), at = lb_place_at_key(&loop, "name");
        const char *name = lb_place_get_string(&at);
        lb_tell_half_known(s, name);
    }
    lb_visit_actions(s->root, lb_tell_made, (void *)s);
}

// Builds the sketch with its loops or without them.
static lb_status lb_build_sketch(lb_sketch *s, const lb_source *source, bool with_loops,
                                 lb_model **model)
{
    lb_loader *loader = &s->loader;
    const int errors = loader->reader.error_count;
    loader->builder = lb_create_builder(&loader->scratch.allocator, NULL);
    lb_status status = loader->builder
                           ? lb_set_instruction_set(loader->builder, source->instructions)
                           : LB_E_MEMORY;
    status = status == LB_OK ? lb_sketch_bodies(s) : status;
    if (status == LB_OK && with_loops) {
        status = lb_load_loops(loader, s->root);
        if (status == LB_OK && loader->reader.error_count > errors) {
            status = LB_E_MODEL;
        }
    }
    status = status == LB_OK ? lb_build_model(loader->builder, model) : status;
    lb_destroy_builder(loader->builder);
    loader->builder = NULL;
    return status;
}

lb_status lb_sketch_document(const lb_doc *doc, const lb_source *source,
                             lb_half_known_name *half_known, void *user, lb_model **model)
{
    const lb_place root = (lb_place){.node = &doc->root};
    lb_sketch s = {.loader = {.reader = {.file = source->file,
                                         .allowed = source->allow_files,
                                         .context = doc->context},
                              .context = &root,
                              .scratch = lb_make_arena(&doc->pool.allocator)},
                   .root = &root,
                   .half_known = half_known,
                   .user = user};
    *model = NULL;
    if (lb_place_get_kind(&root) != LB_DOC_MAPPING) {
        return LB_E_MODEL;
    }
    lb_status status = lb_load_libraries(&s.loader, &root);
    if (status == LB_OK) {
        status = lb_build_sketch(&s, source, true, model);
    }
    const bool with_loops = status == LB_OK;
    if (status == LB_E_MODEL) {
        status = lb_build_sketch(&s, source, false, model);
    }
    if (status == LB_OK && !with_loops) {
        lb_tell_loops(&s);
    }
    lb_free_libraries(&s.loader);
    lb_arena_free(&s.loader.scratch);
    return status;
}
