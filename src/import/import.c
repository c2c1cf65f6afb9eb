// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From files of another program to a flexible body.
#define _POSIX_C_SOURCE 200809L // strdup
#include "limber/import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/faults.h"
#include "base/names.h"
#include "base/rotation.h"
#include "base/sha256.h"
#include "base/sized.h"
#include "flex_file.h"
#include "imported.h"
#include "limber/files.h"

/// Files of this size and larger are refused: far above what fits into the memory with its matrices.
#define LB_FE_FILE_SIZE_MAX ((size_t)16 << 30)

// ---- options -----------------------------------------------------------------------------------

void lb_init_import_options(lb_import_options *options, size_t size)
{
    const lb_import_options defaults = {
        .size = sizeof defaults, .length = 1.0, .mass = 1.0, .time = 1.0};
    lb_set_sized(&defaults, sizeof defaults, options, size);
}

static bool check_unit(lb_import *import, const char *what, double unit)
{
    if (unit > 0.0 && isfinite(unit)) {
        return true;
    }
    lb_import_fail(import, NULL, 0, "%s: a unit of %g found, expected a number above 0", what,
                   unit);
    return false;
}

static lb_status check_options(lb_import *import, const lb_import_options *o)
{
    if (o->file_count < 1 || !o->files) {
        lb_import_fail(import, NULL, 0, "no files given");
        return LB_E_ARGUMENT;
    }
    if (!check_unit(import, "length", o->length) || !check_unit(import, "mass", o->mass) ||
        !check_unit(import, "time", o->time)) {
        return LB_E_ARGUMENT;
    }
    if (o->mode_count < 0 || !(o->below >= 0.0) || !isfinite(o->below) || o->clamp_count < 0 ||
        o->node_count < 0) {
        lb_import_fail(import, NULL, 0,
                       "mode_count, below, clamp_count or node_count is negative or not finite");
        return LB_E_ARGUMENT;
    }
    bool is_complete = (o->clamp || o->clamp_count == 0) && (o->nodes || o->node_count == 0);
    for (int i = 0; i < o->file_count; ++i) {
        const int role = o->roles ? (int)o->roles[i] : LB_FILE_ANY;
        is_complete = is_complete && o->files[i] && role >= 0 && role < LB_FILE_ROLE_COUNT;
    }
    if (!is_complete) {
        lb_import_fail(import, NULL, 0, "a name or a list is missing, or a role is none");
        return LB_E_ARGUMENT;
    }
    return LB_OK;
}

// ---- files -------------------------------------------------------------------------------------

typedef struct read_failure {
    char reason[256];
} read_failure;

static void keep_reason(void *user, const lb_diagnostic *diagnostic)
{
    read_failure *failure = user;
    snprintf(failure->reason, sizeof failure->reason, "%s", diagnostic->message);
}

static lb_status read_files(lb_imported *imported, const lb_import_options *o)
{
    lb_import *import = &imported->import;
    const size_t count = (size_t)o->file_count;
    if (!LB_IMPORT_TAKE(import, import->files, count) ||
        !LB_IMPORT_TAKE(import, imported->source_names, count) ||
        !LB_IMPORT_TAKE(import, imported->source_hashes, count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < o->file_count; ++i) {
        lb_import_file *file = &import->files[i];
        read_failure failure = {""};
        const lb_report report = {keep_reason, &failure};
        char *text = NULL, *hash;
        file->path = lb_arena_text(&import->arena, o->files[i]);
        file->role = o->roles ? o->roles[i] : LB_FILE_ANY;
        if (!file->path) {
            return LB_E_MEMORY;
        }
        const lb_status status =
            lb_read_file(file->path, LB_FE_FILE_SIZE_MAX, NULL, &report, &text, &file->length);
        if (status == LB_E_FILE) {
            lb_import_fail(import, file, 0, "cannot be read: %s", failure.reason);
        }
        if (status != LB_OK) {
            return status;
        }
        file->text = text;
        ++import->file_count;
        const char *slash = strrchr(file->path, '/');
        imported->source_names[i] = slash ? slash + 1 : file->path;
        if (!LB_IMPORT_TAKE(import, hash, LB_FLEX_HASH_SIZE)) {
            return LB_E_MEMORY;
        }
        lb_compute_sha256(file->text, file->length, hash);
        imported->source_hashes[i] = hash;
    }
    return LB_OK;
}

static void free_files(lb_import *import)
{
    for (int i = 0; i < import->file_count; ++i) {
        free((char *)import->files[i].text);
        import->files[i].text = NULL;
    }
}

// ---- formats -----------------------------------------------------------------------------------

typedef struct family {
    const char *name;
    lb_format_test *is;
    lb_structure_reader *read_structure; // one of the two
    lb_modal_reader *read_modes;
} family;

static const family families[] = {
    {"SID", lb_is_sid, NULL, lb_read_sid},
    {"MBDyn .fem", lb_is_mbdyn_fem, NULL, lb_read_mbdyn_fem},
    {"a table of participation factors", lb_is_participation, NULL, lb_read_participation},
    {"Nastran", lb_is_nastran, lb_read_nastran, NULL},
    {"Matrix Market", lb_is_matrix_market, lb_read_matrix_market, NULL},
    {"CalculiX", lb_is_calculix, lb_read_calculix, NULL},
    {"Abaqus", lb_is_abaqus, lb_read_abaqus, NULL},
};

// The first family that knows one of the files.
static const family *find_family(const lb_import *import)
{
    for (size_t f = 0; f < sizeof families / sizeof *families; ++f) {
        for (int i = 0; i < import->file_count; ++i) {
            if (families[f].is(&import->files[i])) {
                return &families[f];
            }
        }
    }
    return NULL;
}

static lb_status check_used(lb_import *import, const family *found)
{
    for (int i = 0; i < import->file_count; ++i) {
        if (!import->files[i].is_used) {
            lb_import_fail(import, &import->files[i], 0,
                           "not used: the other files are of %s, and this one does not belong to "
                           "them; leave it out, or import it alone",
                           found->name);
            return LB_E_SYNTAX;
        }
    }
    return LB_OK;
}

// ---- nodes -------------------------------------------------------------------------------------

// Nodes that models know by name: those asked for, or else those that have rotations.
static lb_status choose_kept(lb_imported *imported, const lb_import_options *o,
                             const lb_structure *structure, const int *rows, int *kept,
                             const char **names)
{
    lb_import *import = &imported->import;
    int count = 0;
    for (int i = 0; i < o->node_count; ++i) {
        const lb_named_node *node = &o->nodes[i];
        const int index = lb_find_grid(import, structure, node->id);
        if (index < 0) {
            return lb_import_fail(import, NULL, 0, "there is no node %ld", node->id);
        }
        kept[count] = index;
        names[count] = node->name ? lb_arena_text(&import->arena, node->name) : NULL;
        if (node->name && !names[count]) {
            return LB_E_MEMORY;
        }
        ++count;
    }
    for (int i = 0; o->node_count == 0 && i < structure->node_count; ++i) {
        const int *r = rows + 6 * i;
        if (r[3] >= 0 || r[4] >= 0 || r[5] >= 0) {
            names[count] = NULL;
            kept[count++] = i;
        }
    }
    for (int i = 0; count == 0 && i < o->clamp_count; ++i) {
        kept[i] = lb_find_grid(import, structure, o->clamp[i]);
        names[i] = NULL;
    }
    count = count > 0 ? count : o->clamp_count;
    if (count == 0) {
        return lb_import_fail(import, NULL, 0,
                              "no node has rotations: name the nodes that the model needs, such as "
                              "--nodes root=12,tip=340");
    }
    lb_names known;
    if (lb_names_init(&known, &import->arena, (size_t)count) != LB_OK) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        if (!names[i]) {
            char text[32];
            snprintf(text, sizeof text, "%ld", structure->nodes[kept[i]].id);
            names[i] = lb_arena_text(&import->arena, text);
        }
        if (!names[i]) {
            return LB_E_MEMORY;
        }
        if (!*names[i] || strlen(names[i]) >= LB_FLEX_NAME_SIZE ||
            strcmp(names[i], "origin") == 0) {
            return lb_import_fail(import, NULL, 0,
                                  "\"%s\" found, expected a name of a node: not empty, shorter "
                                  "than %d characters, not origin",
                                  names[i], LB_FLEX_NAME_SIZE);
        }
        if (lb_names_enter(&known, names[i], i) >= 0) {
            return lb_import_fail(import, NULL, 0, "two nodes are named \"%s\"", names[i]);
        }
    }
    imported->kept_count = count;
    return LB_OK;
}

// All nodes, the kept ones first.
static lb_status list_nodes(lb_imported *imported, const lb_structure *structure,
                            const lb_reduction *r, const int *rows, const int *kept,
                            const char **names)
{
    lb_import *import = &imported->import;
    const int count = structure->node_count;
    lb_flex_node *nodes;
    long *ids;
    bool *done;
    if (!LB_IMPORT_TAKE(import, nodes, count) || !LB_IMPORT_TAKE(import, ids, count) ||
        !LB_IMPORT_TAKE(import, done, count)) {
        return LB_E_MEMORY;
    }
    int used = 0;
    for (int i = 0; i < imported->kept_count + count; ++i) {
        const bool is_kept = i < imported->kept_count;
        const int index = is_kept ? kept[i] : i - imported->kept_count;
        double *shape;
        if (done[index]) {
            if (is_kept) {
                return lb_import_fail(import, NULL, 0, "node %ld is kept twice",
                                      structure->nodes[index].id);
            }
            continue;
        }
        done[index] = true;
        if (!LB_IMPORT_TAKE(import, shape, 6 * (size_t)r->mode_count + 1)) {
            return LB_E_MEMORY;
        }
        lb_get_node_shape(structure, r, rows, index, shape);
        nodes[used] = lb_default_flex_node();
        nodes[used].name = is_kept ? names[i] : "";
        nodes[used].shape = shape;
        memcpy(nodes[used].position, structure->nodes[index].x, sizeof nodes[used].position);
        ids[used++] = structure->nodes[index].id;
    }
    imported->body.flex.nodes = nodes;
    imported->body.flex.node_count = used;
    imported->body.flex.point_count = used - imported->kept_count; // they have no names
    imported->node_ids = ids;
    return LB_OK;
}

// ---- a structure -------------------------------------------------------------------------------

static lb_status put_stiffness(lb_import *import, const lb_reduction *r, lb_modal_body *body)
{
    const int m = r->mode_count;
    double *K;
    if (!LB_IMPORT_TAKE(import, K, (size_t)m * (size_t)m + 1)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < m; ++i) {
        K[i * m + i] = r->squares[i];
    }
    body->flex.mode_count = m;
    body->flex.stiffness = K;
    body->flex.integrals = &body->integrals;
    return LB_OK;
}

static lb_status reduce(lb_imported *imported, const lb_import_options *o, lb_structure *structure)
{
    lb_import *import = &imported->import;
    const lb_reduce_options options = {.clamp_count = o->clamp_count,
                                       .clamp = o->clamp,
                                       .mode_count = o->mode_count,
                                       .below = o->below};
    lb_reduction r = {0};
    lb_fe_matrix K, M;
    lb_modal_body *body = &imported->body;
    int *kept;
    const char **names;
    const size_t most =
        (size_t)structure->node_count + (size_t)o->node_count + (size_t)o->clamp_count;
    if (lb_index_grids(import, structure) || !LB_IMPORT_TAKE(import, kept, most) ||
        !LB_IMPORT_TAKE(import, names, most)) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_assemble_structure(import, structure, &imported->units, &K, &M);
    status = status ? status : lb_find_rigid_motions(import, structure, &K, &M, &r);
    status = status ? status : lb_find_structure_modes(import, structure, &options, &K, &M, &r);
    status = status ? status : lb_integrate_structure(import, structure, &M, &r, body);
    status = status ? status : put_stiffness(import, &r, body);
    status = status ? status : lb_reduce_damping(import, structure, &imported->units, &r, body);
    status = status ? status : lb_reduce_recovery(import, structure, &imported->units, &r, body);
    int *rows = status == LB_OK ? lb_index_rows(import, structure) : NULL;
    if (status == LB_OK && !rows) {
        return LB_E_MEMORY;
    }
    status = status ? status : choose_kept(imported, o, structure, rows, kept, names);
    status = status ? status
                    : lb_check_structure(import, structure, o, &K, &M, &r, imported->kept_count,
                                         kept, &imported->checks);
    return status ? status : list_nodes(imported, structure, &r, rows, kept, names);
}

static lb_status import_structure(lb_imported *imported, const lb_import_options *o,
                                  const family *found)
{
    lb_import *import = &imported->import;
    lb_structure structure = {0};
    lb_status status = found->read_structure(import, &structure);
    status = status ? status : check_used(import, found);
    if (status == LB_OK && (structure.row_count < 1 || structure.node_count < 1)) {
        status = lb_import_fail(import, NULL, 0, "there are no nodes or no rows");
    }
    if (status == LB_OK) {
        imported->body.format = structure.format;
        status = reduce(imported, o, &structure);
    }
    lb_free_structure(&structure);
    return status;
}

// ---- modes -------------------------------------------------------------------------------------

// Numbers times a factor: what readers hand over stays as it is.
static bool scale(lb_import *import, double factor, size_t count, const double **values)
{
    double *scaled;
    if (!*values || factor == 1.0) {
        return true;
    }
    if (!LB_IMPORT_TAKE(import, scaled, count)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        scaled[i] = factor * (*values)[i];
    }
    *values = scaled;
    return true;
}

static void scale_own(double factor, size_t count, double *values)
{
    for (size_t i = 0; i < count; ++i) {
        values[i] *= factor;
    }
}

static lb_status scale_nodes(lb_import *import, const lb_import_units *u, lb_flex_options *flex)
{
    const size_t n = (size_t)flex->mode_count, count = (size_t)flex->node_count;
    lb_flex_node *nodes;
    double *shapes;
    if (u->length == 1.0 && u->mass == 1.0) {
        return LB_OK;
    }
    if (!LB_IMPORT_TAKE(import, nodes, count + 1) ||
        !LB_IMPORT_TAKE(import, shapes, 6 * n * count + 1)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        double *shape = shapes + 6 * n * i;
        nodes[i] = flex->nodes[i];
        scale_own(u->length, 3, nodes[i].position);
        scale_own(u->length, 3, nodes[i].offset);
        scale_own(u->mass * u->length * u->length, 6, nodes[i].inertia);
        nodes[i].mass *= u->mass;
        if (nodes[i].shape) {
            memcpy(shape, nodes[i].shape, 6 * n * sizeof *shape);
            nodes[i].shape = shape;
        }
        for (size_t r = 0; r < n; ++r) {
            scale_own(u->length, 3, shape + 6 * r + 3);
        }
    }
    flex->nodes = nodes;
    return LB_OK;
}

// Modal coordinates keep their numbers.
static lb_status scale_modes(lb_import *import, const lb_import_units *u, lb_modal_body *body)
{
    lb_flex_options *flex = &body->flex;
    lb_flex_integrals *I = &body->integrals;
    const size_t n = (size_t)flex->mode_count;
    const double inertia = u->mass * u->length * u->length, rate = 1.0 / u->time;
    I->mass *= u->mass;
    scale_own(u->mass * u->length, 3, I->h0);
    scale_own(inertia, 6, I->S0);
    const struct {
        double factor;
        size_t count;
        const double **values;
    } parts[] = {
        {inertia, n * n, &I->M_ff},
        {u->mass * u->length, 3 * n, &I->E},
        {inertia, 3 * n, &I->B0},
        {inertia, 3 * n * n, &I->B},
        {inertia, 6 * n, &I->S},
        {inertia, 6 * n * n, &I->S2},
        {inertia * rate * rate, n * n, &flex->stiffness},
        {inertia * rate, n * n, &flex->damping},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        if (!scale(import, parts[i].factor, parts[i].count, parts[i].values)) {
            return LB_E_MEMORY;
        }
    }
    return scale_nodes(import, u, flex);
}

// Numbers of nodes: their names, where these are numbers; others, which only their names can find, count down.
static void number_nodes(const lb_flex_options *flex, long *ids)
{
    for (int i = 0; i < flex->node_count; ++i) {
        char *end;
        const char *name = flex->nodes[i].name ? flex->nodes[i].name : "";
        ids[i] = strtol(name, &end, 10);
        if (end == name || *end || ids[i] < 0) {
            ids[i] = -1 - i;
        }
    }
}

static lb_status import_modes(lb_imported *imported, const lb_import_options *o,
                              const family *found)
{
    lb_import *import = &imported->import;
    if (o->clamp_count > 0 || o->node_count > 0 || o->mode_count > 0 || o->below > 0.0) {
        lb_import_fail(import, &import->files[0], 0,
                       "clamped nodes, names of nodes and modes cannot be chosen here: this is %s, "
                       "which has its modes already; choose among them in the model, such as flex: "
                       "{file: X.flex, modes: {count: 5}, nodes: {tip: 340}}",
                       found->name);
        return LB_E_ARGUMENT;
    }
    lb_status status = found->read_modes(import, &imported->body);
    status = status ? status : check_used(import, found);
    status = status ? status : scale_modes(import, &imported->units, &imported->body);
    if (status != LB_OK) {
        return status;
    }
    const lb_flex_options *flex = &imported->body.flex;
    long *ids;
    if (!LB_IMPORT_TAKE(import, ids, flex->node_count)) {
        return LB_E_MEMORY;
    }
    number_nodes(flex, ids);
    imported->node_ids = ids;
    imported->kept_count = flex->node_count - flex->point_count;
    return LB_OK;
}

// ---- a body file -------------------------------------------------------------------------------

// What was imported before, as it is stored.
static lb_status import_body_file(lb_imported *imported, const lb_import_options *o)
{
    lb_import *import = &imported->import;
    if (o->clamp_count > 0 || o->node_count > 0 || o->mode_count > 0 || o->below > 0.0 ||
        o->length != 1.0 || o->mass != 1.0 || o->time != 1.0) {
        lb_import_fail(import, NULL, 0,
                       "%s is a body file: its units, clamped nodes, modes and names are fixed; "
                       "import the files that it was made of",
                       o->files[0]);
        return LB_E_ARGUMENT;
    }
    lb_flex_content content;
    const lb_status status = lb_read_whole_flex_file(
        o->files[0], &import->arena.allocator, &import->report, &content, &imported->from_file);
    if (status != LB_OK) {
        return status;
    }
    imported->body = *content.body;
    imported->body.flex.integrals = &imported->body.integrals;
    imported->node_ids = content.node_ids;
    imported->units = (lb_import_units){content.units[0], content.units[1], content.units[2]};
    imported->text = strdup(content.report);
    imported->json = strdup(content.json);
    return imported->text && imported->json ? LB_OK : LB_E_MEMORY;
}

// ---- the whole ---------------------------------------------------------------------------------

static lb_status import_all(lb_imported *imported, const lb_import_options *o)
{
    lb_import *import = &imported->import;
    lb_status status = check_options(import, o);
    bool is_body = false;
    if (status == LB_OK && o->file_count == 1) {
        status = lb_probe_flex_file(o->files[0], &is_body);
    }
    if (is_body) {
        return import_body_file(imported, o);
    }
    status = status ? status : read_files(imported, o);
    if (status != LB_OK) {
        return status;
    }
    imported->units = (lb_import_units){o->length, o->mass, o->time};
    imported->clamp_count = o->clamp_count;
    const family *found = find_family(import);
    if (!found) {
        return lb_import_fail(
            import, &import->files[0], 0,
            "not a format that Limber knows: expected matrices of CalculiX, Abaqus, Ansys (Matrix "
            "Market) or Nastran (DMIG, OUTPUT4), SID, MBDyn's .fem or a participation table");
    }
    status =
        found->read_modes ? import_modes(imported, o, found) : import_structure(imported, o, found);
    return status ? status : lb_describe_import(imported);
}

lb_status lb_import_files(const lb_import_options *given, const lb_allocator *allocator,
                          const lb_report *report, lb_imported **out)
{
    lb_import_options options = lb_default_import_options();
    *out = NULL;
    if (lb_take_reported(report, "", &options, sizeof options,
                         LB_SIZE_THROUGH(lb_import_options, file_count), given) != LB_OK) {
        return LB_E_VERSION;
    }
    lb_imported *imported = calloc(1, sizeof *imported);
    if (!imported) {
        return LB_E_MEMORY;
    }
    imported->import.arena = lb_make_arena(allocator);
    imported->import.report = report ? *report : (lb_report){0};
    imported->body.flex = lb_default_flex_options();
    imported->body.integrals.size = sizeof imported->body.integrals;
    const lb_status status = import_all(imported, &options);
    free_files(&imported->import);
    if (status != LB_OK) {
        lb_destroy_imported(imported);
        return status;
    }
    *out = imported;
    return LB_OK;
}

void lb_destroy_imported(lb_imported *imported)
{
    if (imported) {
        lb_destroy_flex_body(imported->from_file);
        lb_arena_free(&imported->import.arena);
        free(imported->text);
        free(imported->json);
        free(imported);
    }
}

const char *lb_get_import_report(const lb_imported *imported)
{
    return imported->text;
}

const char *lb_get_import_json(const lb_imported *imported)
{
    return imported->json;
}

const lb_flex_options *lb_get_imported_options(const lb_imported *imported)
{
    return &imported->body.flex;
}

lb_status lb_save_imported(const lb_imported *imported, const char *path, const lb_report *report)
{
    if (imported->from_file) {
        return LB_E_ARGUMENT;
    }
    const lb_flex_content content = {
        .body = &imported->body,
        .node_ids = imported->node_ids,
        .kept_count = imported->kept_count,
        .source_count = imported->import.file_count,
        .source_names = imported->source_names,
        .source_hashes = imported->source_hashes,
        .units = {imported->units.length, imported->units.mass, imported->units.time},
        .report = imported->text,
        .json = imported->json};
    return lb_write_flex_file(&content, path, report);
}
