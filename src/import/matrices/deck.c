// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Input files of Abaqus and CalculiX, as far as matrices need them: nodes, rigid bodies, the types of elements.
//
//   *KEYWORD, PARAMETER=VALUE, ...   capital letters and blanks do not matter; goes on in the next line if it
//                                    ends with a comma
//   data, data, ...                  up to the next keyword
//   ** comment
//
//   *NODE [, NSET=name]              number, x [, y [, z]]: what is missing is 0; any number of blocks
//   *RIGID BODY, NSET=, REF NODE=r, ROT NODE=t      CalculiX: rotations of r are displacements of t
//   *INSTANCE                        Abaqus: a line with a translation, and one with two points of an axis and
//                                    an angle in degrees; both move the nodes of the instance and of its part
//   *ELEMENT, TYPE=                  see deck_elements.c
//
// From the manuals of both programs; `lb_read_decks` says what it cannot follow.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrices.h"

// ---- nodes -------------------------------------------------------------------------------------

// Nodes while they are read.
typedef struct node_list {
    int count, capacity;
    struct listed_node {
        lb_fe_grid grid;
        const lb_import_file *file;
        int line;
        bool is_local; // to be moved with the instance
    } * all;
    int instance_count, place_lines;
    double shift[3], turn[7]; // of the instance: translation; two points of an axis, degrees
} node_list;

static lb_status add_node(lb_import *import, const lb_import_file *file, const lb_deck_cursor *at,
                          bool is_local, node_list *nodes)
{
    struct listed_node *all =
        lb_arena_grow(&import->arena, nodes->all, nodes->count, &nodes->capacity, sizeof *all);
    if (!all) {
        return LB_E_MEMORY;
    }
    nodes->all = all;
    struct listed_node *node = &all[nodes->count];
    *node = (struct listed_node){.file = file, .line = at->line, .is_local = is_local};
    lb_span rest = at->lines.line, field;
    if (!lb_next_field(&rest, ",", &field) || !lb_get_integer(field, &node->grid.id) ||
        node->grid.id < 1) {
        return lb_import_fail(import, file, at->line,
                              "expected 'number, x, y, z' of a node, found '%s'",
                              lb_make_excerpt(at->lines.line).text);
    }
    for (int k = 0; k < 3; ++k) {
        if (lb_next_field(&rest, ",", &field) && field.length > 0 &&
            !lb_get_number(field, &node->grid.x[k])) {
            return lb_import_fail(import, file, at->line, "'%s' is no coordinate of node %ld",
                                  lb_make_excerpt(field).text, node->grid.id);
        }
        node->grid.axes[k][k] = 1.0;
    }
    ++nodes->count;
    return LB_OK;
}

// Two lines below *INSTANCE: a translation; then two points of an axis and an angle.
static lb_status read_instance(lb_import *import, const lb_import_file *file,
                               const lb_deck_cursor *at, node_list *nodes)
{
    const bool is_shift = nodes->place_lines == 0;
    double *values = is_shift ? nodes->shift : nodes->turn;
    lb_span rest = at->lines.line, field;
    for (int k = 0; k < (is_shift ? 3 : 7); ++k) {
        if (lb_next_field(&rest, ",", &field) && field.length > 0 &&
            !lb_get_number(field, &values[k])) {
            return lb_import_fail(import, file, at->line,
                                  "expected the place of the instance, found '%s'",
                                  lb_make_excerpt(at->lines.line).text);
        }
    }
    ++nodes->place_lines;
    return LB_OK;
}

// Translates, then turns about the axis (formula of Rodrigues).
static void move_node(const node_list *nodes, double x[3])
{
    const double *a = nodes->turn, *b = nodes->turn + 3;
    double e[3], r[3], length = 0.0;
    for (int k = 0; k < 3; ++k) {
        x[k] += nodes->shift[k];
        e[k] = b[k] - a[k];
        r[k] = x[k] - a[k];
        length += e[k] * e[k];
    }
    length = sqrt(length);
    if (length == 0.0 || nodes->turn[6] == 0.0) {
        return;
    }
    const double angle = nodes->turn[6] * 3.14159265358979323846 / 180.0;
    const double c = cos(angle), s = sin(angle);
    const double along = (e[0] * r[0] + e[1] * r[1] + e[2] * r[2]) / length;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double cross = (e[i] * r[j] - e[j] * r[i]) / length;
        x[k] = a[k] + c * r[k] + s * cross + (1.0 - c) * along * e[k] / length;
    }
}

// ---- what the other keywords say ---------------------------------------------------------------

static void note(lb_deck_place *place, const lb_import_file *file, int line)
{
    if (!place->file) {
        *place = (lb_deck_place){file, line};
    }
}

static lb_status add_rigid(lb_import *import, const lb_import_file *file, const lb_deck_cursor *at,
                           lb_deck *deck)
{
    const lb_span *reference = lb_find_deck_parameter(at, "REFNODE"),
                  *rotation = lb_find_deck_parameter(at, "ROTNODE");
    if (!reference || !rotation) {
        return LB_OK; // their rows, if there are any, belong to nodes that do not exist
    }
    lb_deck_rigid *all = lb_arena_grow(&import->arena, deck->rigid, deck->rigid_count,
                                       &deck->rigid_capacity, sizeof *all);
    if (!all) {
        return LB_E_MEMORY;
    }
    deck->rigid = all;
    lb_deck_rigid *body = &all[deck->rigid_count++];
    body->line = at->line;
    if (!lb_get_integer(*reference, &body->reference) ||
        !lb_get_integer(*rotation, &body->rotation) || body->reference == body->rotation) {
        return lb_import_fail(import, file, at->line,
                              "REF NODE and ROT NODE must be numbers of two nodes");
    }
    return LB_OK;
}

// A file that is included must be among those that were given; all of them are read anyway.
static lb_status check_include(lb_import *import, const lb_import_file *file,
                               const lb_deck_cursor *at)
{
    const lb_span *input = lb_find_deck_parameter(at, "INPUT");
    char name[256];
    size_t length = input ? input->length : 0;
    const char *start = input ? input->at : "";
    if (length >= 2 && start[0] == '"' && start[length - 1] == '"') {
        ++start;
        length -= 2;
    }
    if (length == 0 || length >= sizeof name) {
        return lb_import_fail(import, file, at->line, "*INCLUDE needs INPUT=file");
    }
    memcpy(name, start, length);
    name[length] = '\0';
    const char *base = lb_get_base_name(name);
    for (int i = 0; i < import->file_count; ++i) {
        const lb_import_file *other = &import->files[i];
        if (other != file && strcmp(lb_get_base_name(other->path), base) == 0) {
            return other->is_used
                       ? LB_OK
                       : lb_import_fail(
                             import, file, at->line,
                             "'%s' does not start with a keyword: paste it in place of this line",
                             lb_make_excerpt((lb_span){base, strlen(base)}).text);
        }
    }
    return lb_import_fail(import, file, at->line,
                          "*INCLUDE: give the file '%s' as well, or paste it in place of this line",
                          lb_make_excerpt((lb_span){base, strlen(base)}).text);
}

static lb_status read_keyword(lb_import *import, const lb_import_file *file,
                              const lb_deck_cursor *at, lb_deck *deck, node_list *nodes)
{
    static const char *const generators[] = {"NGEN", "NCOPY", "NFILL", "NMAP", "SYSTEM", NULL};
    static const char *const constraints[] = {"EQUATION",
                                              "MPC",
                                              "TIE",
                                              "COUPLING",
                                              "KINEMATICCOUPLING",
                                              "RIGIDBODY",
                                              "EMBEDDEDELEMENT",
                                              "RELEASE",
                                              "SHELLTOSOLIDCOUPLING",
                                              NULL};
    const int line = at->line;
    const lb_span keyword = at->keyword;
    if (lb_is_same_word(keyword, "NODE")) {
        const lb_span *system = lb_find_deck_parameter(at, "SYSTEM");
        if (lb_find_deck_parameter(at, "INPUT") || (system && !lb_is_same_word(*system, "R"))) {
            return lb_import_fail(import, file, line,
                                  "*NODE with INPUT= or SYSTEM= is not read: write the nodes here, "
                                  "in rectangular coordinates");
        }
    } else if (lb_is_one_of(keyword, generators)) {
        return lb_import_fail(import, file, line,
                              "*%s is not read: write an input file in which *NODE lists all nodes "
                              "in rectangular coordinates",
                              lb_make_excerpt(keyword).text);
    } else if (lb_is_same_word(keyword, "INCLUDE")) {
        return check_include(import, file, at);
    } else if (lb_is_same_word(keyword, "INSTANCE")) {
        if (++nodes->instance_count > 1) {
            return lb_import_fail(
                import, file, line,
                "more than one *INSTANCE: the numbers of nodes in the matrices are not those of "
                "the parts; write the input file without parts and assemblies");
        }
    } else if (lb_is_same_word(keyword, "CYCLICSYMMETRYMODEL")) {
        note(&deck->cyclic, file, line);
    } else if (lb_is_same_word(keyword, "TRANSFORM")) {
        note(&deck->transform, file, line);
    } else if (lb_is_same_word(keyword, "BOUNDARY")) {
        note(&deck->boundary, file, line);
    } else if (lb_is_same_word(keyword, "FREQUENCY")) {
        const lb_span *global = lb_find_deck_parameter(at, "GLOBAL");
        if (global && lb_is_same_word(*global, "NO")) {
            note(&deck->local, file, line);
        }
    }
    if (lb_is_one_of(keyword, constraints)) {
        note(&deck->constraint, file, line);
    }
    return lb_is_same_word(keyword, "RIGIDBODY") ? add_rigid(import, file, at, deck) : LB_OK;
}

static lb_status read_deck(lb_import *import, const lb_import_file *file, lb_deck *deck,
                           node_list *nodes)
{
    enum { OTHER, NODE, INSTANCE } block = OTHER;
    bool is_local = false; // in a part or an instance
    lb_deck_cursor at = {.lines = lb_start_lines(file)};
    lb_status status = LB_OK;
    deck->file = deck->file ? deck->file : file;
    while (!status && lb_next_deck_line(&at)) {
        if (at.is_keyword) {
            block = lb_is_same_word(at.keyword, "NODE")       ? NODE
                    : lb_is_same_word(at.keyword, "INSTANCE") ? INSTANCE
                                                              : OTHER;
            if (block == INSTANCE || lb_is_same_word(at.keyword, "PART")) {
                is_local = true;
            } else if (lb_is_same_word(at.keyword, "ENDPART") ||
                       lb_is_same_word(at.keyword, "ENDINSTANCE")) {
                is_local = false;
            }
            status = read_keyword(import, file, &at, deck, nodes);
        } else if (block == NODE) {
            status = add_node(import, file, &at, is_local, nodes);
        } else if (block == INSTANCE && nodes->place_lines < 2) {
            status = read_instance(import, file, &at, nodes);
        }
    }
    // a number at the end may have lost digits
    return status || block != NODE ? status : lb_check_last_line(import, file);
}

// ---- all of them -------------------------------------------------------------------------------

static int compare_nodes(const void *a, const void *b)
{
    const struct listed_node *const *x = a, *const *y = b;
    const long i = (*x)->grid.id, j = (*y)->grid.id;
    return i != j ? (i > j) - (i < j) : ((*x) > (*y)) - ((*x) < (*y));
}

static lb_status check_repeated(lb_import *import, const node_list *nodes)
{
    const struct listed_node **sorted;
    if (!LB_IMPORT_TAKE(import, sorted, nodes->count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < nodes->count; ++i) {
        sorted[i] = &nodes->all[i];
    }
    qsort(sorted, (size_t)nodes->count, sizeof *sorted, compare_nodes);
    lb_status status = LB_OK;
    for (int i = 1; i < nodes->count && !status; ++i) {
        if (sorted[i]->grid.id == sorted[i - 1]->grid.id) {
            status = lb_import_fail(
                import, sorted[i]->file, sorted[i]->line,
                "node %ld is defined a second time (first in line %d of '%s'); if several parts "
                "use the same numbers, write the input file without parts",
                sorted[i]->grid.id, sorted[i - 1]->line, sorted[i - 1]->file->path);
        }
    }
    return status;
}

static int compare_rigid(const void *a, const void *b)
{
    const lb_deck_rigid *x = a, *y = b;
    return (x->rotation > y->rotation) - (x->rotation < y->rotation);
}

lb_status lb_read_decks(lb_import *import, lb_structure *structure, lb_deck *deck)
{
    node_list nodes = {.count = 0};
    lb_status status = LB_OK;
    *deck = (lb_deck){.file = NULL};
    // marked first, so that an *INCLUDE sees which files are read
    for (int i = 0; i < import->file_count; ++i) {
        import->files[i].is_used = import->files[i].is_used || lb_is_deck(&import->files[i]);
    }
    for (int i = 0; i < import->file_count && !status; ++i) {
        if (lb_is_deck(&import->files[i])) {
            status = read_deck(import, &import->files[i], deck, &nodes);
        }
    }
    status = status ? status : check_repeated(import, &nodes);
    if (status || !LB_IMPORT_TAKE(import, structure->nodes, nodes.count + 1)) {
        return status ? status : LB_E_MEMORY;
    }
    for (int i = 0; i < nodes.count; ++i) {
        structure->nodes[i] = nodes.all[i].grid;
        if (nodes.all[i].is_local) {
            move_node(&nodes, structure->nodes[i].x);
        }
    }
    structure->node_count = nodes.count;
    import->grid_order = NULL;
    if (deck->rigid_count > 1) {
        qsort(deck->rigid, (size_t)deck->rigid_count, sizeof *deck->rigid, compare_rigid);
    }
    for (int i = 1; i < deck->rigid_count; ++i) {
        if (deck->rigid[i].rotation == deck->rigid[i - 1].rotation) {
            return lb_import_fail(import, deck->file, deck->rigid[i].line,
                                  "node %ld is ROT NODE of two rigid bodies: give each its own",
                                  deck->rigid[i].rotation);
        }
    }
    return LB_OK;
}
