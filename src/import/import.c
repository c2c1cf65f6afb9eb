// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From files of another program to a flexible body.
#define _POSIX_C_SOURCE 200809L // strdup
#include "limber/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/faults.h"
#include "base/sized.h"
#include "body_file/flex_file.h"
#include "imported.h"
#include "matrices/matrices.h"

// ---- options -----------------------------------------------------------------------------------

static bool check_unit(lb_import *import, const char *what, double unit)
{
    if (unit > 0.0 && isfinite(unit)) {
        return true;
    }
    lb_import_fail(import, NULL, 0, "%s: a unit of %g found, expected a number above 0", what,
                   unit);
    return false;
}

static bool has_names(const char *const *names, int count)
{
    bool has = count == 0 || (count > 0 && names);
    for (int i = 0; has && i < count; ++i) {
        has = names[i] != NULL;
    }
    return has;
}

static lb_status check_ties(lb_import *import, const lb_import_options *o)
{
    for (int i = 0; i < o->tie_count; ++i) {
        lb_tied_node own;
        if (lb_take_tied_node(lb_get_sized(o->ties, (size_t)i), &own) != LB_OK) {
            lb_import_fail(import, NULL, 0,
                           "ties[%d] comes from a program built for a newer version of limber", i);
            return LB_E_VERSION;
        }
        bool is_good = own.name && own.set && own.tie >= 0 && own.tie < LB_TIE_COUNT;
        for (int k = 0; k < 3 && own.position; ++k) {
            is_good = is_good && isfinite(own.position[k]);
        }
        if (!is_good) {
            lb_import_fail(
                import, NULL, 0,
                "ties[%d]: its name, its set or its kind is missing, or its position is not finite",
                i);
            return LB_E_ARGUMENT;
        }
    }
    return LB_OK;
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
        o->node_count < 0 || o->geometric_count < 0 || o->tie_count < 0 ||
        (o->tie_count > 0 && !o->ties)) {
        lb_import_fail(import, NULL, 0,
                       "mode_count, below, clamp_count, node_count, geometric_count or tie_count "
                       "is negative or not finite, or the ties are missing");
        return LB_E_ARGUMENT;
    }
    bool is_complete = (o->clamp || o->clamp_count == 0) && (o->nodes || o->node_count == 0) &&
                       has_names(o->held, o->held_count) &&
                       has_names(o->interfaces, o->interface_count) &&
                       has_names(o->residuals, o->residual_count);
    for (int i = 0; i < o->file_count; ++i) {
        const int role = o->roles ? (int)o->roles[i] : LB_FILE_ANY;
        is_complete = is_complete && o->files[i] && role >= 0 && role < LB_FILE_ROLE_COUNT;
    }
    is_complete = is_complete && (o->geometric || o->geometric_count == 0);
    for (int i = 0; is_complete && i < o->geometric_count; ++i) {
        is_complete = o->geometric[i].load && o->geometric[i].file;
    }
    if (!is_complete) {
        lb_import_fail(import, NULL, 0, "a name or a list is missing, or a role is none");
        return LB_E_ARGUMENT;
    }
    return check_ties(import, o);
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

// What to export in place of a file that has no matrices, by its ending; NULL if it says nothing.
static const char *find_advice(const char *path)
{
    static const char *const endings[][2] = {
        {".op2", "results of Nastran; write the matrices with EXTSEOUT(ASMBULK, EXTBULK, DMIGOP4) "
                 "or PARAM,EXTOUT,DMIGPCH, or with MATOP4"},
        {".h5", "results; write the matrices, in Nastran with EXTSEOUT or MATOP4"},
        {".rst", "results of Ansys; write the matrices with *EXPORT, K and M in Matrix Market form "
                 "(MMF), and the vector of nodes"},
        {".full", "a binary file of Ansys; read it there with *SMAT and write the matrices with "
                  "*EXPORT in Matrix Market form (MMF)"},
        {".cdb", "a mesh of Ansys; write the matrices with *EXPORT in Matrix Market form (MMF)"},
        {".odb", "results of Abaqus; write the matrices with *MATRIX GENERATE, STIFFNESS, MASS and "
                 "*MATRIX OUTPUT, STIFFNESS, MASS"},
        {".inp", "an input file alone, without matrices; write them with *MATRIX GENERATE, "
                 "STIFFNESS, MASS and *MATRIX OUTPUT, STIFFNESS, MASS (in CalculiX with "
                 "*FREQUENCY, SOLVER=MATRIXSTORAGE), and give the files that come out too"}};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        const size_t end = strlen(endings[i][0]);
        if (length > end && strcasecmp(path + length - end, endings[i][0]) == 0) {
            return endings[i][1];
        }
    }
    return NULL;
}

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

// ---- a structure -------------------------------------------------------------------------------

static lb_status import_structure(lb_imported *imported, const lb_import_options *o,
                                  const family *found)
{
    lb_import *import = &imported->import;
    lb_structure structure = {0};
    if (import->geometric_count > 0 && found->read_structure != lb_read_matrix_market &&
        found->read_structure != lb_read_calculix) {
        return lb_import_fail(import, &import->files[import->file_count], 0,
                              "a geometric stiffness needs numbered rows, which %s does not have: "
                              "give all matrices in Matrix Market form",
                              found->name);
    }
    lb_status status = lb_import_tell(import, "matrices", 0.0);
    status = status ? status : found->read_structure(import, &structure);
    status = status ? status : check_used(import, found);
    // hundreds of megabytes, before the matrices take theirs; sets of nodes are read from input files later
    for (int i = 0; i < import->file_count; ++i) {
        if (!lb_is_deck(&import->files[i])) {
            lb_drop_text(&import->files[i]);
        }
    }
    if (status == LB_OK && (structure.row_count < 1 || structure.node_count < 1)) {
        status = lb_import_fail(import, NULL, 0, "there are no nodes or no rows");
    }
    const int first = import->file_count + import->geometric_count;
    for (int i = 0; i < import->recovery_count && status == LB_OK; ++i) {
        status = lb_read_user_rows(import, &import->files[first + i], &structure);
    }
    if (status == LB_OK) {
        imported->body.format = structure.format;
        status = lb_reduce_structure(imported, o, &structure);
    }
    lb_free_structure(&structure);
    return status;
}

// ---- modes -------------------------------------------------------------------------------------

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

// Whether the options say something about modes and nodes.
static bool has_choices(const lb_import_options *o)
{
    return o->clamp_count > 0 || o->node_count > 0 || o->mode_count > 0 || o->below > 0.0 ||
           o->tie_count > 0 || o->held_count > 0 || o->interface_count > 0 || o->residual_count > 0;
}

static lb_status import_modes(lb_imported *imported, const lb_import_options *o,
                              const family *found)
{
    lb_import *import = &imported->import;
    if (has_choices(o)) {
        lb_import_fail(import, &import->files[0], 0,
                       "clamped nodes, names of nodes and modes cannot be chosen here: this is %s, "
                       "which has its modes already; choose among them in the model, such as flex: "
                       "{file: X.flex, modes: {count: 5}, nodes: {tip: 340}}",
                       found->name);
        return LB_E_ARGUMENT;
    }
    if (lb_count_files(import) > import->file_count) {
        lb_import_fail(import, &import->files[import->file_count], 0,
                       "geometric stiffness and rows over degrees of freedom need the matrices of "
                       "a structure, but this is %s, which has modes alone",
                       found->name);
        return LB_E_ARGUMENT;
    }
    lb_status status = found->read_modes(import, &imported->body);
    status = status ? status : check_used(import, found);
    status = status ? status : lb_scale_modal_body(import, &imported->units, &imported->body);
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
    if (has_choices(o) || o->length != 1.0 || o->mass != 1.0 || o->time != 1.0) {
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
    status = status ? status : lb_read_import_files(imported, o);
    if (status != LB_OK) {
        return status;
    }
    imported->units = (lb_import_units){o->length, o->mass, o->time};
    imported->is_clamped = o->clamp_count + o->held_count > 0;
    imported->interfaces = o->interfaces;
    imported->interface_count = o->interface_count;
    const family *found = find_family(import);
    if (!found) {
        const char *advice = find_advice(import->files[0].path);
        return lb_import_fail(import, &import->files[0], 0,
                              "%s: expected matrices of CalculiX, Abaqus, Ansys (Matrix Market) or "
                              "Nastran (DMIG, OUTPUT4), SID, MBDyn's .fem or a participation table",
                              advice ? advice : "not a format that Limber knows");
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
    imported->import.progress = options.progress;
    imported->import.user = options.user;
    imported->body.flex = lb_default_flex_options();
    imported->body.integrals.size = sizeof imported->body.integrals;
    const lb_status status = import_all(imported, &options);
    for (int i = 0; i < lb_count_files(&imported->import); ++i) {
        lb_drop_text(&imported->import.files[i]);
    }
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
    if (imported->kept_count == 0) {
        const lb_diagnostic diagnostic = {
            .size = sizeof diagnostic,
            .severity = LB_SEVERITY_ERROR,
            .path = "",
            .message = "no node has rotations: name the nodes that the model needs, such as "
                       "root=12 and tip=340 (`nodes`, --nodes of the command)"};
        if (report && report->emit) {
            report->emit(report->user, &diagnostic);
        }
        return LB_E_MODEL;
    }
    const lb_flex_content content = {
        .body = &imported->body,
        .node_ids = imported->node_ids,
        .kept_count = imported->kept_count,
        .source_count = lb_count_files(&imported->import),
        .source_names = imported->source_names,
        .source_hashes = imported->source_hashes,
        .units = {imported->units.length, imported->units.mass, imported->units.time},
        .report = imported->text,
        .json = imported->json};
    return lb_write_flex_file(&content, path, report);
}
