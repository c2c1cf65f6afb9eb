// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A robot: links and joints as they stand in the file, and what reads them.
#ifndef LB_URDF_ROBOT_H
#define LB_URDF_ROBOT_H

#include <libxml/tree.h>

#include "document/doc.h"
#include "document/places.h"
#include "limber/io.h"
#include "limber/spatial.h"

/// A robot of ten thousand links has a few MiB; the tree of libxml2 takes several times as much.
#define LB_URDF_SIZE_MAX ((size_t)64 << 20)

typedef enum lb_urdf_type {
    LB_URDF_REVOLUTE,
    LB_URDF_CONTINUOUS,
    LB_URDF_PRISMATIC,
    LB_URDF_FIXED,
    LB_URDF_FLOATING,
    LB_URDF_PLANAR,
    LB_URDF_TYPE_COUNT
} lb_urdf_type;

/// Where one frame lies in another.
typedef struct lb_urdf_pose {
    lb_quat r;
    lb_vec3 p;
} lb_urdf_pose;

/// Mass properties in some frame.
typedef struct lb_urdf_inertia {
    double mass;
    lb_vec3 com;
    lb_sym3 J; ///< about the centre of mass, axes of the frame
} lb_urdf_inertia;

typedef struct lb_urdf_link {
    const char *name;
    size_t line, inertial_line;
    lb_urdf_inertia inertia;
    int joint; ///< that it is the child of; -1 for none
} lb_urdf_link;

typedef struct lb_urdf_joint {
    const char *name;
    size_t line, axis_line, parent_line, child_line;
    lb_urdf_type type;
    const char *parent_name, *child_name; ///< NULL where reported as missing
    int parent, child;                    ///< links; -1 where unknown
    lb_urdf_pose origin;
    lb_vec3 axis;
    size_t limit_line, dynamics_line;
    bool bounded;             ///< lower or upper is given; the other is then zero, as URDF has it
    double lower, upper;      ///< rad, m
    double effort;            ///< N m, N; zero where none is given
    double damping, friction; ///< zero where none is given
    const char *mimic_name;   ///< joint that it follows; NULL for none
    int mimic;                ///< its index, or -1
    size_t mimic_line;
    double multiplier, offset; ///< q = multiplier x q of that one + offset
} lb_urdf_joint;

/// What a link looks like: one of its visuals.
typedef struct lb_urdf_visual {
    int link;
    size_t line;
    const char *kind;  ///< key of the model format: box, sphere, cylinder or mesh
    lb_urdf_pose pose; ///< in the frame of the link
    double size[3];    ///< of a mesh: its scale
    const char *mesh;  ///< the file, as the robot names it
    char *colour;      ///< "#rrggbb"; NULL if it has none
} lb_urdf_visual;

/// A name and whose it is. Sorted, for looking up.
typedef struct lb_urdf_name {
    const char *text;
    int index;
} lb_urdf_name;

typedef struct lb_urdf {
    lb_doc_writer writer; ///< of the document to be made
    int error_count;
    const char *name; ///< NULL if it has none
    size_t line;      ///< of <robot>
    lb_urdf_link *links;
    lb_urdf_joint *joints;
    lb_urdf_visual *visuals;
    int link_count, joint_count, visual_count, root;
    lb_urdf_name *link_names, *joint_names; ///< of those that have one
    int named_link_count, named_joint_count;
    bool lacks_memory; ///< it ran out in libxml2 or here: what was read so far is to be given up
} lb_urdf;

/// What is being spoken of: robot.KIND[NAME].PART. KIND may be NULL for the robot itself.
typedef struct lb_urdf_at {
    const char *kind, *name;
    size_t line;
} lb_urdf_at;

void lb_urdf_fail(lb_urdf *urdf, const lb_urdf_at *at, const char *part, const char *format, ...)
    LB_PRINTF(4, 5);
void lb_urdf_warn(lb_urdf *urdf, const lb_urdf_at *at, const char *part, const char *format, ...)
    LB_PRINTF(4, 5);

/// The XML of a text. A DOCTYPE is refused unread, and with it every entity. A declaration that XML forbids, but
/// that can only mean one thing, is put aside with a warning.
///
/// @param xml  out: to be freed by xmlFreeDoc on success
lb_status lb_urdf_open_xml(lb_urdf *urdf, const char *text, size_t length, xmlDoc **xml);

/// The line of an element.
size_t lb_urdf_get_line(const xmlNode *node);

/// The program's own handler of errors of libxml2, which is put aside while we use it.
typedef struct lb_xml_guard {
    xmlStructuredErrorFunc handler;
    void *user;
} lb_xml_guard;

/// From now on libxml2 prints nothing in this thread.
///
/// @param lacks_memory  set to true by every allocation of libxml2 that fails
lb_xml_guard lb_urdf_enter_xml(bool *lacks_memory);
/// Restores the handler.
void lb_urdf_leave_xml(const lb_xml_guard *guard);

/// Fills links and joints. Errors are reported and counted; LB_E_MEMORY and LB_E_UNSUPPORTED end it.
lb_status lb_urdf_parse(lb_urdf *urdf, const xmlNode *root);

/// Fills visuals, after the links. Those that cannot be read are left out, as they say nothing of the motion.
void lb_urdf_read_visuals(lb_urdf *urdf, const xmlNode *root);

/// Finds the links that joints name, and the root; reports what is no tree.
lb_status lb_urdf_join(lb_urdf *urdf);

/// Finds the joints that others follow; reports those that cannot be. After lb_urdf_join.
void lb_urdf_find_mimics(lb_urdf *urdf);

/// The link or joint of that name, or -1. After lb_urdf_join.
int lb_urdf_find_link(const lb_urdf *urdf, const char *name);
int lb_urdf_find_joint(const lb_urdf *urdf, const char *name);

// ---- reading (urdf_element.c) ------------------------------------------------------------------

/// The same link or joint, at the line of a node.
lb_urdf_at lb_urdf_at_node(const lb_urdf_at *at, const xmlNode *node);

/// The beginning of a text of the file, for a message.
lb_text lb_urdf_excerpt(const char *text);

/// Whether a node is an element of URDF, of this name if one is given; others' have a prefix.
bool lb_urdf_is(const xmlNode *node, const char *name);

/// The child of that name; NULL if there is none. A second one is an error.
const xmlNode *lb_urdf_find(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *up,
                            const char *name, const char *part);

/// Warns of elements that look like a misspelling of a known one, and of unknown attributes.
void lb_urdf_warn_of_unknown(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *up,
                             const char *const *known);
void lb_urdf_warn_of_attributes(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *node,
                                const char *part, const char *const *known);

/// The text of an attribute, copied into the pool of the document; NULL if it is absent, or memory is out.
const char *lb_urdf_get_attribute(lb_urdf *urdf, const xmlNode *node, const char *name);

typedef struct lb_urdf_field {
    const char *part, *attribute; ///< path inside the link or joint, and the attribute
    bool required;
} lb_urdf_field;

/// Reads an attribute of up to 4 numbers. Leaves them as they are if it is absent or wrong, which is
/// reported.
void lb_urdf_read_numbers(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *node,
                          lb_urdf_field field, size_t count, double *numbers);

/// Reads <origin>, which may be absent.
void lb_urdf_read_origin(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *up, const char *part,
                         lb_urdf_pose *pose);

/// How many children of that name there are.
int lb_urdf_count(const xmlNode *root, const char *name);

// ---- bodies (urdf_plan.c) ----------------------------------------------------------------------

/// What a link has become. One more, the last, is the ground.
typedef struct lb_urdf_body {
    int owner; ///< the body that it is part of: its own index, another link's, or the ground's
    lb_urdf_pose pose;       ///< in the frame of the owner
    lb_urdf_inertia inertia; ///< of an owner: everything fixed to it
    int first_link;          ///< of an owner: links that became its nodes; -1 for none
    int first_joint;         ///< of an owner: joints that start from it
    int next_link;           ///< the next one of the same owner
} lb_urdf_body;

typedef struct lb_urdf_plan {
    lb_urdf *urdf;
    lb_urdf_body *bodies; ///< by link, then the ground
    int *next_joint;      ///< by joint: the next one that starts from the same body
    int ground;           ///< its index among bodies
} lb_urdf_plan;

lb_urdf_pose lb_urdf_identity(void);
/// X_AB X_BC = X_AC
lb_urdf_pose lb_urdf_compose(const lb_urdf_pose *a, const lb_urdf_pose *b);

/// Decides what becomes of each link, and lists the nodes of each body.
lb_status lb_urdf_make_plan(lb_urdf_plan *plan, lb_urdf *urdf, const lb_load_options *options);

/// Warns of joints that nothing with mass hangs on: no acceleration follows for them.
lb_status lb_urdf_warn_of_masses(lb_urdf_plan *plan, const lb_load_options *options);

/// Reports names that mean something else in the model format.
void lb_urdf_check_names(lb_urdf_plan *plan);

/// The name of a joint's node on a body: the joint's, unless a link's node has it. Links and joints
/// have names of their own in URDF, and often the same.
lb_status lb_urdf_name_node(lb_urdf_plan *plan, int joint, int body, const char **name);

// ---- writing (urdf_out.c) ----------------------------------------------------------------------

/// Adds to the document, at a line, until something fails.
typedef struct lb_urdf_out {
    lb_doc_writer *writer;
    lb_status status;
    lb_doc_mark mark;
} lb_urdf_out;

void lb_urdf_open(lb_urdf_out *out, lb_doc_kind kind);
void lb_urdf_close(lb_urdf_out *out);
/// A string or key; it need not be copied, as it lies in the pool or is one of ours.
void lb_urdf_put(lb_urdf_out *out, const char *text);
void lb_urdf_put_pair(lb_urdf_out *out, const char *key, const char *text);
void lb_urdf_put_number(lb_urdf_out *out, double number);
void lb_urdf_put_value(lb_urdf_out *out, const char *key, double value);
void lb_urdf_put_numbers(lb_urdf_out *out, const char *key, const double *numbers, int count);
/// `position`, and `rotation` where there is one.
void lb_urdf_put_pose(lb_urdf_out *out, const lb_urdf_pose *pose);
/// `view`, if there are visuals (urdf_visuals.c).
void lb_urdf_put_visuals(lb_urdf_out *out, const lb_urdf_plan *plan);

#endif // LB_URDF_ROBOT_H
