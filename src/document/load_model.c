// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From a document to the calls of the builder. The loader answers for the form (keys, types,
// lengths), the builder for the meaning (names, masses, axes); what the builder reports is given
// the line and column of its path.
#include "expand/expand.h"

#include <string.h>

#include "base/sized.h"
#include "document/urdf/urdf.h"
#include "limber/model.h"
#include "values.h"

// ---- what the builder reports ------------------------------------------------------------------

// The way to what a path of the builder speaks of. It nearly always lies below what is being handed
// over: looking there first keeps a file with very many errors from costing the square of them.
static lb_way lb_locate(const lb_place *context, const char *path)
{
    const lb_text start = lb_place_get_path(context);
    if (strncmp(path, start.data, start.length) == 0 && strchr(".[", path[start.length])) {
        return lb_place_get_way(context, path + start.length);
    }
    return lb_place_get_way(lb_place_get_root(context), path);
}

static void lb_emit_located(void *user, const lb_diagnostic *diagnostic)
{
    lb_loader *loader = user;
    loader->reader.error_count += diagnostic->severity == LB_SEVERITY_ERROR;
    if (!*diagnostic->path) { // nothing of the file
        lb_emit_plain(&loader->reader.report, loader->reader.file, diagnostic->message);
    } else if (loader->reader.report.emit) {
        lb_diagnostic located = *diagnostic;
        lb_text path = {.length = 0};
        const lb_place *root = lb_place_get_root(loader->context);
        const lb_doc_node *made = lb_locate_made(root, diagnostic->path, &path);
        lb_way way = {.count = 1, .nodes = {made}};
        if (made) {
            located.path = path.data;
        } else {
            way = lb_locate(loader->context, diagnostic->path);
        }
        if (loader->is_urdf) {
            located.path = lb_urdf_translate_path(root->node, diagnostic->path, &path);
        }
        lb_reader_tell(&loader->reader, &way, &located);
    }
}

// ---- parts of a model --------------------------------------------------------------------------

lb_status lb_load_name(lb_loader *loader, const lb_place *place, const char **name)
{
    // what is no mapping has been reported as such
    if (lb_place_get_kind(place) == LB_DOC_MAPPING &&
        lb_read_string(&loader->reader, place, "name", LB_REQUIRED, name)) {
        return LB_OK;
    }
    const lb_text path = lb_place_get_path(place);
    char *copy = lb_arena_take_text(&loader->scratch, path.length);
    if (!copy) {
        return LB_E_MEMORY;
    }
    memcpy(copy, path.data, path.length + 1);
    *name = copy;
    return LB_OK;
}

// The keys that a hinge may have besides its type.
typedef struct lb_hinge_keys {
    bool axis, axes, pitch;
} lb_hinge_keys;

static lb_hinge_keys lb_get_hinge_keys(lb_hinge_type type)
{
    switch (type) {
    case LB_HINGE_REVOLUTE:
    case LB_HINGE_PRISMATIC:
    case LB_HINGE_CYLINDRICAL:
        return (lb_hinge_keys){.axis = true};
    case LB_HINGE_SCREW:
        return (lb_hinge_keys){.axis = true, .pitch = true};
    case LB_HINGE_UNIVERSAL:
        return (lb_hinge_keys){.axes = true};
    default:
        return (lb_hinge_keys){.axis = false};
    }
}

static void lb_refuse_hinge_key(lb_loader *loader, const lb_place *hinge, const char *key,
                                lb_hinge_type type)
{
    const lb_place entry = lb_place_at_key(hinge, key);
    if (entry.node) {
        lb_reader_fail_key(&loader->reader, &entry, "a hinge of type %s has no \"%s\"",
                           lb_get_hinge_type_name(type), key);
    }
}

static void lb_load_axes(lb_loader *loader, const lb_place *hinge, double axes[2][3])
{
    lb_place list;
    if (!lb_read_sequence(&loader->reader, hinge, "axes", LB_REQUIRED, &list)) {
        return;
    }
    if (lb_place_get_count(&list) != 2) {
        lb_reader_fail(&loader->reader, &list, "%zu axes given, expected 2",
                       lb_place_get_count(&list));
        return;
    }
    // both or neither: one of the file's and one of ours might be parallel
    double given[2][3];
    bool right = true;
    for (size_t i = 0; i < 2; ++i) {
        const lb_place axis = lb_place_at_index(&list, i);
        right = lb_read_numbers_at(&loader->reader, &axis, 3, given[i]) && right;
    }
    if (right) {
        memcpy(axes, given, sizeof given);
    }
}

static void lb_load_hinge(lb_loader *loader, const lb_place *body, lb_hinge_options *hinge)
{
    static const char *const known[] = {"type", "axis", "axes", "pitch", NULL};
    lb_reader *reader = &loader->reader;
    // until the file says better: something that the builder accepts
    *hinge = (lb_hinge_options){
        .type = LB_HINGE_FIXED, .axis = {0, 0, 1}, .axes = {{1, 0, 0}, {0, 1, 0}}};

    const lb_place place = lb_place_at_key(body, "hinge");
    if (!place.node) {
        lb_reader_fail(reader, &place, "missing: every body has a hinge, such as {type: free}");
        return;
    }
    if (!lb_read_mapping(reader, &place, known)) {
        return;
    }
    const char *types[LB_HINGE_TYPE_COUNT + 1] = {NULL};
    for (int i = 0; i < LB_HINGE_TYPE_COUNT; ++i) {
        types[i] = lb_get_hinge_type_name((lb_hinge_type)i);
    }
    int type = 0;
    if (!lb_read_word(reader, &place, "type", LB_REQUIRED, types, &type)) {
        return;
    }
    hinge->type = (lb_hinge_type)type;

    const lb_hinge_keys keys = lb_get_hinge_keys(hinge->type);
    if (keys.axis) {
        lb_read_numbers(reader, &place, "axis", LB_REQUIRED, 3, hinge->axis);
    } else {
        lb_refuse_hinge_key(loader, &place, "axis", hinge->type);
    }
    if (keys.axes) {
        lb_load_axes(loader, &place, hinge->axes);
    } else {
        lb_refuse_hinge_key(loader, &place, "axes", hinge->type);
    }
    if (keys.pitch) {
        lb_read_number(reader, &place, "pitch", LB_OPTIONAL, &hinge->pitch);
    } else {
        lb_refuse_hinge_key(loader, &place, "pitch", hinge->type);
    }
}

// `nodes` of the ground or of a rigid body.
static lb_status lb_load_nodes(lb_loader *loader, const lb_place *owner, int body)
{
    static const char *const known[] = {"position", "rotation", NULL};
    lb_place nodes;
    if (!lb_find_kind(&loader->reader, owner, "nodes", LB_OPTIONAL, LB_DOC_MAPPING,
                      "a mapping from names to nodes", &nodes)) {
        return LB_OK;
    }
    for (size_t i = 0; i < lb_place_get_count(&nodes) && !lb_gives_up(&loader->reader, &nodes, i);
         ++i) {
        const lb_place node = lb_place_at_pair(&nodes, i);
        double position[3] = {0, 0, 0}, rotation[4] = {1, 0, 0, 0};
        if (lb_read_mapping(&loader->reader, &node, known)) {
            lb_read_numbers(&loader->reader, &node, "position", LB_OPTIONAL, 3, position);
            lb_read_numbers(&loader->reader, &node, "rotation", LB_OPTIONAL, 4, rotation);
        }
        loader->context = &node;
        if (lb_add_node(loader->builder, body, node.key, position, rotation) == LB_E_MEMORY) {
            return LB_E_MEMORY;
        }
    }
    return LB_OK;
}

// The node of that name of a flexible body, or -1.
static int lb_find_flex_node(const lb_flex_options *flex, const char *name)
{
    for (int i = 0; i < flex->node_count - flex->point_count; ++i) {
        const lb_flex_node *node = lb_get_sized(flex->nodes, (size_t)i);
        if (node->name && strcmp(node->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// `cuts` of a flexible body: nodes, each alone or with the normal of the plane.
static lb_status lb_load_cuts(lb_loader *loader, const lb_place *place, const char *name,
                              lb_flex_options *flex)
{
    static const char *const known[] = {"at", "normal", NULL};
    lb_reader *reader = &loader->reader;
    lb_place list;
    if (!lb_read_sequence(reader, place, "cuts", LB_OPTIONAL, &list)) {
        return LB_OK;
    }
    if (flex->node_count == 0 || flex->integrals) {
        lb_reader_fail(reader, &list, "%s",
                       flex->integrals
                           ? "the mass of this body is given by integrals, which do not say where "
                             "it is: a force in a cut does not follow from them"
                           : "cuts are for flexible bodies");
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    lb_flex_cut *cuts = lb_arena_take(&loader->scratch, count + 1, sizeof *cuts);
    if (!cuts) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place entry = lb_place_at_index(&list, i);
        const char *node = NULL;
        lb_flex_cut cut = {.normal = {1, 0, 0}};
        if (lb_place_get_kind(&entry) == LB_DOC_STRING) {
            node = lb_place_get_string(&entry);
        } else if (lb_read_mapping(reader, &entry, known)) {
            lb_read_string(reader, &entry, "at", LB_REQUIRED, &node);
            lb_read_numbers(reader, &entry, "normal", LB_OPTIONAL, 3, cut.normal);
        }
        cut.node = node ? lb_find_flex_node(flex, node) : -1;
        bool again = false;
        for (int k = 0; k < flex->cut_count; ++k) {
            again = again || cuts[k].node == cut.node;
        }
        if (node && cut.node < 0) {
            lb_reader_fail(reader, &entry, "%s has no node \"%s\"", name, node);
        } else if (again) {
            lb_reader_fail(reader, &entry, "node \"%s\" is cut twice", node);
        } else if (cut.normal[0] == 0 && cut.normal[1] == 0 && cut.normal[2] == 0) {
            lb_reader_fail(reader, &entry, "a normal of length zero found, expected a direction");
        } else if (cut.node >= 0) {
            cuts[flex->cut_count++] = cut;
        }
    }
    flex->cuts = cuts;
    return LB_OK;
}

// Mass and nodes of a rigid body, or the flexible part with the refusal of the others.
static lb_status lb_load_inertia(lb_loader *loader, const lb_place *place, lb_body_options *body,
                                 lb_flex_options *flex)
{
    lb_reader *reader = &loader->reader;
    // a flexible body says how in one of three ways
    static const struct {
        const char *key;
        lb_status (*load)(lb_loader *, const lb_place *, lb_flex_options *);
    } ways[] = {{"flex", lb_load_flex}, {"beam", lb_load_beam}, {"frame", lb_load_frame}};
    lb_place part = (lb_place){.node = NULL};
    size_t way = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        const lb_place entry = lb_place_at_key(place, ways[i].key);
        if (entry.node && part.node) {
            lb_reader_fail_key(reader, &entry,
                               "the body has \"%s\" already, expected one of flex, beam and frame",
                               ways[way].key);
        } else if (entry.node) {
            part = entry;
            way = i;
        }
    }
    if (!part.node) {
        lb_read_number(reader, place, "mass", LB_REQUIRED, &body->mass);
        lb_read_numbers(reader, place, "com", LB_OPTIONAL, 3, body->com);
        lb_read_numbers(reader, place, "inertia", LB_OPTIONAL, 6, body->inertia);
        *flex = lb_default_flex_options();
        return lb_load_cuts(loader, place, body->name, flex);
    }
    static const char *const rigid[] = {"mass", "com", "inertia", "nodes"};
    for (size_t i = 0; i < sizeof rigid / sizeof *rigid; ++i) {
        const lb_place entry = lb_place_at_key(place, rigid[i]);
        if (entry.node) {
            lb_reader_fail_key(
                reader, &entry,
                "\"%s\" is for rigid bodies; this one has \"%s\", which says where its mass is",
                rigid[i], ways[way].key);
        }
    }
    const lb_status status = ways[way].load(loader, &part, flex);
    if (flex->node_count > 0) {
        body->flex = flex;
    }
    return status < 0 || flex->node_count == 0 ? status
                                               : lb_load_cuts(loader, place, body->name, flex);
}

static lb_status lb_load_body(lb_loader *loader, const lb_place *place)
{
    static const char *const known[] = {"name",    "parent", "at",   "by",   "hinge", "mass", "com",
                                        "inertia", "nodes",  "flex", "beam", "frame", "cuts", NULL};
    lb_reader *reader = &loader->reader;
    lb_body_options options = lb_default_body_options();
    lb_flex_options flex;
    const bool mapping = lb_read_mapping(reader, place, known);
    if (lb_load_name(loader, place, &options.name) != LB_OK) {
        return LB_E_MEMORY;
    }
    loader->body = options.name;
    const lb_context *names = reader->context;
    if (names && lb_names_find(&names->names, options.name) >= 0) {
        const lb_place at = lb_place_at_key(place, "name");
        lb_reader_fail(reader, &at, "\"%s\" is a parameter, expected another name", options.name);
    }
    if (mapping) {
        lb_read_string(reader, place, "parent", LB_OPTIONAL, &options.parent);
        lb_read_string(reader, place, "at", LB_OPTIONAL, &options.at);
        lb_read_string(reader, place, "by", LB_OPTIONAL, &options.by);
        lb_load_hinge(loader, place, &options.hinge);
        if (lb_load_inertia(loader, place, &options, &flex) != LB_OK) {
            return LB_E_MEMORY;
        }
    }

    // also after errors: others may name this body, and the builder counts along
    int body = 0;
    loader->context = place;
    if (lb_add_body(loader->builder, &options, &body) == LB_E_MEMORY) {
        return LB_E_MEMORY;
    }
    return options.flex ? LB_OK : lb_load_nodes(loader, place, body);
}

static lb_status lb_load_bodies(lb_loader *loader, const lb_place *root)
{
    lb_place bodies;
    if (!lb_read_sequence(&loader->reader, root, "bodies", LB_OPTIONAL, &bodies)) {
        return LB_OK;
    }
    lb_status status = LB_OK;
    for (size_t i = 0; i < lb_place_get_count(&bodies) && status == LB_OK; ++i) {
        const lb_place body = lb_place_at_index(&bodies, i);
        status = lb_load_body(loader, &body);
        lb_destroy_flex_body(loader->flex_body);
        loader->flex_body = NULL;
        lb_arena_free(&loader->scratch);
        loader->gives_up = lb_gives_up(&loader->reader, &bodies, i + 1);
        if (loader->gives_up) {
            break;
        }
    }
    return status;
}

static lb_status lb_load_ground(lb_loader *loader, const lb_place *root)
{
    static const char *const known[] = {"nodes", NULL};
    const lb_place ground = lb_place_at_key(root, "ground");
    return ground.node && lb_read_mapping(&loader->reader, &ground, known)
               ? lb_load_nodes(loader, &ground, LB_GROUND)
               : LB_OK;
}

static void lb_load_version(lb_loader *loader, const lb_place *root)
{
    double version = 0;
    const lb_place place = lb_place_at_key(root, "limber");
    if (!place.node) {
        lb_reader_fail(&loader->reader, &place, "missing: a model starts with \"limber: 1\"");
    } else if (lb_read_number_at(&loader->reader, &place, &version) && version != 1) {
        lb_reader_fail(&loader->reader, &place, "format version %.15g, expected 1", version);
    }
}

// The room `load` reads what belongs to the simulation, and the command reads `view`. Here only their kinds are checked.
static void lb_check_simulation(lb_loader *loader, const lb_place *root)
{
    static const char *const lists[] = {"forces", "outputs", "events", "controllers"};
    static const char *const mappings[] = {"signals", "initial", "run", "view"};
    lb_place list;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        lb_read_sequence(&loader->reader, root, lists[i], LB_OPTIONAL, &list);
    }
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; ++i) {
        const lb_place place = lb_place_at_key(root, mappings[i]);
        if (place.node && lb_place_get_kind(&place) != LB_DOC_MAPPING) {
            lb_reader_fail_type(&loader->reader, &place, "a mapping");
        }
    }
}

static lb_status lb_load_root(lb_loader *loader, const lb_place *root)
{
    static const char *const known[] = {
        "limber",      "name",   "gravity", "ground",      "bodies",     "loops",
        "signals",     "forces", "initial", "run",         "outputs",    "events",
        "spare_loops", "view",   "library", "controllers", "parameters", NULL};
    lb_reader *reader = &loader->reader;
    if (!lb_read_mapping(reader, root, known)) {
        return LB_E_MODEL;
    }
    lb_load_version(loader, root);
    lb_check_simulation(loader, root);
    const char *name = NULL;
    if (lb_read_string(reader, root, "name", LB_OPTIONAL, &name) &&
        lb_set_model_name(loader->builder, name) == LB_E_MEMORY) {
        return LB_E_MEMORY;
    }
    double gravity[3] = {0, 0, 0};
    if (lb_read_numbers(reader, root, "gravity", LB_OPTIONAL, 3, gravity)) {
        lb_set_gravity(loader->builder, gravity);
    }
    lb_status status = lb_load_libraries(loader, root);
    if (status == LB_OK) {
        status = lb_load_ground(loader, root);
    }
    if (status == LB_OK) {
        status = lb_load_bodies(loader, root);
    }
    return status == LB_OK && !loader->gives_up ? lb_load_loops(loader, root) : status;
}

// ---- entry -------------------------------------------------------------------------------------

void lb_emit_plain(const lb_report *report, const char *file, const char *message)
{
    if (report->emit) {
        const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                          .severity = LB_SEVERITY_ERROR,
                                          .file = file,
                                          .path = "",
                                          .message = message};
        report->emit(report->user, &diagnostic);
    }
}

lb_status lb_build_document(const lb_doc *doc, const lb_source *source, const lb_report *report,
                            lb_model **model)
{
    const lb_place root = (lb_place){.node = &doc->root};
    const char *file = source->file;
    lb_loader loader = {.reader = {0, *report, file, source->allow_files, doc->context},
                        .context = &root,
                        .is_urdf = source->format == LB_FORMAT_URDF,
                        .export = source->export,
                        .scratch = lb_make_arena(&doc->pool.allocator)};
    const lb_report located = {lb_emit_located, &loader};
    loader.builder = lb_create_builder(&doc->pool.allocator, &located);
    lb_status status =
        loader.builder ? lb_set_instruction_set(loader.builder, source->instructions) : LB_E_MEMORY;
    if (status == LB_OK) {
        status = lb_load_root(&loader, &root);
    }
    if (status == LB_OK) {
        // also after errors of form: it finds those of meaning
        loader.context = &root;
        status = loader.gives_up ? LB_E_MODEL : lb_build_model(loader.builder, model);
    }
    if (status == LB_OK && loader.reader.error_count > 0) {
        lb_destroy_model(*model);
        status = LB_E_MODEL;
    }
    if (status != LB_OK) {
        *model = NULL;
    }
    if (status == LB_E_MEMORY) {
        lb_emit_plain(report, file, "the model does not fit into memory");
    }
    lb_destroy_builder(loader.builder);
    lb_free_libraries(&loader);
    lb_arena_free(&loader.scratch);
    return status;
}
