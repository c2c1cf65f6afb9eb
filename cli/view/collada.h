// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the readers of Collada files share: the document, what is left of the effort, and the parts in the making.
#ifndef LB_CLI_COLLADA_H
#define LB_CLI_COLLADA_H

#include <libxml/tree.h>

#include "view/scene.h"

enum {
    LB_COLLADA_EFFORT_MAX = 96 << 20, ///< characters and elements looked at: a second or two
    LB_COLLADA_ELEMENT = 16           ///< an element counts as this many characters
};

/// An affine map, row by row.
typedef struct lb_collada_map {
    double m[3][4];
} lb_collada_map;

/// A part in the making.
typedef struct lb_collada_part {
    double colour[3]; // the first negative for none
    float *points;
    int *corners;
    int point_count, point_room, corner_count, corner_room;
} lb_collada_part;

typedef struct lb_collada {
    xmlNode *root;
    long effort; // what is left of it
    int triangles, nodes;
    lb_collada_part parts[LB_CLI_PART_MAX];
    int part_count;
    bool failed;
    // the numbers of the last source, which several groups of a geometry share
    const xmlNode *source;
    double *numbers;
    int number_count, stride;
} lb_collada;

/// Takes from the effort that is left. False when it is spent, or something has failed before.
bool lb_collada_spend(lb_collada *c, size_t effort);

/// Whether a node is an element of this name.
bool lb_collada_is(const xmlNode *node, const char *name);
/// The first child of a name, or NULL.
xmlNode *lb_collada_find_child(const xmlNode *up, const char *name);
/// The text of an attribute, or NULL. It lives as long as the document.
const char *lb_collada_get_attribute(const xmlNode *node, const char *name);
/// The text of an element, "" if there is none.
const char *lb_collada_get_text(const xmlNode *node);
double lb_collada_get_number(const xmlNode *node, const char *name, double otherwise);
/// The element among the children of `up` with that id, which may have a # before it; NULL if there is none.
xmlNode *lb_collada_find_id(lb_collada *c, const xmlNode *up, const char *id);
/// The same among all libraries of that name.
xmlNode *lb_collada_find_in_library(lb_collada *c, const char *library, const char *id);
/// @return how many there are, up to `count`
int lb_collada_read_numbers(const char *text, int count, double *numbers);

/// Adds the triangles of a geometry (collada_mesh.c), in the colours that its instance gives it.
void lb_collada_add_geometry(lb_collada *c, const xmlNode *geometry, const xmlNode *instance,
                             const lb_collada_map *X);

#endif // LB_CLI_COLLADA_H
