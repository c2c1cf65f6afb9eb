// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Links and joints as they stand in the file. What is wrong is reported, something harmless stands
// in for it, and reading goes on, so that all errors of a file come to light.
#include <string.h>

#include "urdf_robot.h"

static const char *const lb_urdf_type_names[LB_URDF_TYPE_COUNT] = {
    "revolute", "continuous", "prismatic", "fixed", "floating", "planar"};

// ---- poses -------------------------------------------------------------------------------------

// Turns about the fixed axes x, y, z in this order: R = Rz(yaw) Ry(pitch) Rx(roll).
static lb_quat lb_urdf_from_rpy(const double rpy[3])
{
    const lb_quat x = {cos(rpy[0] / 2), sin(rpy[0] / 2), 0, 0};
    const lb_quat y = {cos(rpy[1] / 2), 0, sin(rpy[1] / 2), 0};
    const lb_quat z = {cos(rpy[2] / 2), 0, 0, sin(rpy[2] / 2)};
    return lb_quat_mul(z, lb_quat_mul(y, x));
}

void lb_urdf_read_origin(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *up, const char *part,
                         lb_urdf_pose *pose)
{
    static const char *const known[] = {"xyz", "rpy", NULL};
    double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
    const xmlNode *node = lb_urdf_find(urdf, at, up, "origin", part);
    if (node) {
        lb_urdf_warn_of_attributes(urdf, at, node, part, known);
        lb_urdf_read_numbers(urdf, at, node, (lb_urdf_field){part, "xyz", false}, 3, xyz);
        lb_urdf_read_numbers(urdf, at, node, (lb_urdf_field){part, "rpy", false}, 3, rpy);
    }
    *pose = (lb_urdf_pose){lb_urdf_from_rpy(rpy), lb_vec3_from(xyz)};
}

// ---- links -------------------------------------------------------------------------------------

// No direction may have a negative moment: all principal minors, up to round-off of what is written.
static bool lb_urdf_is_inertia(lb_sym3 J)
{
    const double scale =
        fabs(J.xx) + fabs(J.yy) + fabs(J.zz) + fabs(J.xy) + fabs(J.xz) + fabs(J.yz);
    if (!(scale > 0)) {
        return true;
    }
    // of order one, so that no product overflows
    const double xx = J.xx / scale, yy = J.yy / scale, zz = J.zz / scale, xy = J.xy / scale,
                 xz = J.xz / scale, yz = J.yz / scale;
    const double a = yy * zz - yz * yz, b = xx * zz - xz * xz, c = xx * yy - xy * xy;
    const double det = xx * a - xy * (xy * zz - xz * yz) + xz * (xy * yz - xz * yy);
    const double least = -1e-12;
    return xx >= least && yy >= least && zz >= least && a >= least && b >= least && c >= least &&
           det >= least;
}

static void lb_urdf_read_tensor(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *inertial,
                                lb_sym3 *J)
{
    static const char *const known[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz", NULL};
    const char *part = "inertial.inertia";
    const xmlNode *node = lb_urdf_find(urdf, at, inertial, "inertia", part);
    if (!node) {
        const lb_urdf_at here = lb_urdf_at_node(at, inertial);
        lb_urdf_fail(urdf, &here, part, "missing: expected <inertia ixx=... />");
        return;
    }
    lb_urdf_warn_of_attributes(urdf, at, node, part, known);
    double entries[6] = {0};
    const int errors = urdf->error_count;
    for (int i = 0; i < 6; ++i) {
        const lb_urdf_field field = {part, known[i], true};
        lb_urdf_read_numbers(urdf, at, node, field, 1, &entries[i]);
    }
    *J = (lb_sym3){entries[0], entries[1], entries[2], entries[3], entries[4], entries[5]};
    if (errors == urdf->error_count && !lb_urdf_is_inertia(*J)) {
        const lb_urdf_at here = lb_urdf_at_node(at, node);
        lb_urdf_fail(urdf, &here, part,
                     "a principal moment is negative, expected none (entries of the tensor about "
                     "the centre of mass: ixy = -integral of x y dm)");
    }
}

static void lb_urdf_read_inertial(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *inertial,
                                  lb_urdf_inertia *inertia)
{
    static const char *const known[] = {"origin", "mass", "inertia", NULL};
    static const char *const mass_known[] = {"value", NULL};
    lb_urdf_warn_of_unknown(urdf, at, inertial, known);

    const char *part = "inertial.mass";
    const xmlNode *node = lb_urdf_find(urdf, at, inertial, "mass", part);
    const lb_urdf_at here = lb_urdf_at_node(at, node ? node : inertial);
    if (!node) {
        lb_urdf_fail(urdf, &here, part, "missing: expected <mass value=... />");
    } else {
        lb_urdf_warn_of_attributes(urdf, at, node, part, mass_known);
        const lb_urdf_field field = {part, "value", true};
        lb_urdf_read_numbers(urdf, at, node, field, 1, &inertia->mass);
        if (inertia->mass < 0) {
            lb_urdf_fail(urdf, &here, "inertial.mass.value",
                         "%g found, expected a mass that is not negative (kg)", inertia->mass);
        }
    }

    // the tensor is given in axes of the inertial frame, ours in axes of the link
    lb_urdf_pose pose;
    lb_sym3 J = {0, 0, 0, 0, 0, 0};
    lb_urdf_read_origin(urdf, at, inertial, "inertial.origin", &pose);
    lb_urdf_read_tensor(urdf, at, inertial, &J);
    const lb_mat3 R = lb_quat_to_mat3(pose.r);
    inertia->com = pose.p;
    inertia->J = lb_sym3_rotate(&R, J);
}

// The name of a link or joint. One without gets a place holder, until the errors end the reading.
static void lb_urdf_read_name(lb_urdf *urdf, const xmlNode *node, lb_urdf_at *at, const char **name)
{
    *at = (lb_urdf_at){(const char *)node->name, NULL, lb_urdf_get_line(node)};
    *name = lb_urdf_get_attribute(urdf, node, "name");
    if (!*name || !**name) {
        lb_urdf_fail(urdf, at, "name", "missing: every %s has a name", at->kind);
        *name = NULL;
    }
    at->name = *name;
}

static void lb_urdf_read_link(lb_urdf *urdf, const xmlNode *node, lb_urdf_link *link)
{
    static const char *const known[] = {"inertial", "visual", "collision", NULL};
    lb_urdf_at at;
    *link = (lb_urdf_link){.joint = -1};
    lb_urdf_read_name(urdf, node, &at, &link->name);
    link->line = link->inertial_line = at.line;
    lb_urdf_warn_of_unknown(urdf, &at, node, known);
    // a link without it has no mass
    const xmlNode *inertial = lb_urdf_find(urdf, &at, node, "inertial", "inertial");
    if (inertial) {
        link->inertial_line = lb_urdf_get_line(inertial);
        lb_urdf_read_inertial(urdf, &at, inertial, &link->inertia);
    }
}

// ---- joints ------------------------------------------------------------------------------------

static void lb_urdf_read_type(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *node,
                              lb_urdf_type *type)
{
    const char *text = lb_urdf_get_attribute(urdf, node, "type");
    for (int i = 0; text && i < LB_URDF_TYPE_COUNT; ++i) {
        if (strcmp(text, lb_urdf_type_names[i]) == 0) {
            *type = (lb_urdf_type)i;
            return;
        }
    }
    lb_text found = {.length = 0};
    if (text) {
        lb_text_add(&found, "unknown type \"%s\"", lb_urdf_excerpt(text).data);
    } else {
        lb_text_add(&found, "missing");
    }
    lb_urdf_fail(urdf, at, "type",
                 "%s: expected revolute, continuous, prismatic, fixed, floating or planar",
                 found.data);
}

// <parent link="..."/> or <child link="..."/>
static void lb_urdf_read_end(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *joint,
                             const char *name, const char **link, size_t *line)
{
    const xmlNode *node = lb_urdf_find(urdf, at, joint, name, name);
    *line = at->line;
    if (node) {
        *line = lb_urdf_get_line(node);
        *link = lb_urdf_get_attribute(urdf, node, "link");
    }
    if (!*link) {
        const lb_urdf_at here = {at->kind, at->name, *line};
        lb_urdf_fail(urdf, &here, name, "missing: expected <%s link=\"...\"/>", name);
    }
}

static bool lb_urdf_has_axis(lb_urdf_type type)
{
    return type != LB_URDF_FIXED && type != LB_URDF_FLOATING;
}

static void lb_urdf_read_axis(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *node,
                              lb_urdf_joint *joint)
{
    static const char *const known[] = {"xyz", NULL};
    double axis[3] = {1, 0, 0};
    const xmlNode *element = lb_urdf_find(urdf, at, node, "axis", "axis");
    joint->axis_line = at->line;
    // fixed and floating joints may carry one that says nothing
    if (element && lb_urdf_has_axis(joint->type)) {
        joint->axis_line = lb_urdf_get_line(element);
        lb_urdf_warn_of_attributes(urdf, at, element, "axis", known);
        const lb_urdf_field field = {"axis", "xyz", true};
        lb_urdf_read_numbers(urdf, at, element, field, 3, axis);
        // by the largest entry first: squares of tiny ones vanish
        const double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
        if (!(largest > 0)) {
            const lb_urdf_at here = lb_urdf_at_node(at, element);
            lb_urdf_fail(urdf, &here, "axis.xyz", "zero found, expected a direction");
            axis[0] = 1;
        } else if (largest < 1e-100 || largest > 1e100) {
            for (int i = 0; i < 3; ++i) {
                axis[i] /= largest;
            }
        }
    }
    joint->axis = lb_vec3_from(axis);
}

// "inf" or "infinity" in capitals or not, with or without a sign; what it is, or 0.
static double lb_urdf_match_infinity(const char *text)
{
    static const char *const words[] = {"inf", "infinity"};
    text += strspn(text, " \t\r\n");
    const double sign = text[0] == '-' ? -1 : 1;
    text += text[0] == '-' || text[0] == '+';
    for (int i = 0; i < 2; ++i) {
        size_t k = 0;
        while (words[i][k] && (text[k] | 0x20) == words[i][k]) {
            ++k;
        }
        if (!words[i][k] && !text[k + strspn(text + k, " \t\r\n")]) {
            return sign * INFINITY;
        }
    }
    return 0;
}

// A number of <limit>, or "inf".
static void lb_urdf_read_bound(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *limit,
                               const char *name, double *value)
{
    const char *text = lb_urdf_get_attribute(urdf, limit, name);
    const double infinity = text ? lb_urdf_match_infinity(text) : 0;
    if (infinity != 0) {
        *value = infinity;
    } else {
        lb_urdf_read_numbers(urdf, at, limit, (lb_urdf_field){"limit", name, false}, 1, value);
    }
}

static void lb_urdf_read_limit(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *limit,
                               lb_urdf_joint *joint)
{
    static const char *const names[] = {"lower", "upper", "effort", "velocity"};
    double values[4] = {NAN, NAN, 0, 0};
    const lb_urdf_at here = lb_urdf_at_node(at, limit);
    joint->limit_line = here.line;
    for (int i = 0; i < 4; ++i) {
        lb_urdf_read_bound(urdf, at, limit, names[i], &values[i]);
    }
    // what files mean by "no limit"
    const bool open = values[0] == -INFINITY && values[1] == INFINITY;
    const bool half_open = !open && (isinf(values[0]) || isinf(values[1]));
    if (half_open) {
        lb_urdf_warn(urdf, &here, "limit",
                     "one bound is infinite: no stop is made; give the other side a large number "
                     "to have one");
    }
    if (open || half_open) {
        values[0] = values[1] = NAN;
    }
    joint->bounded = !isnan(values[0]) || !isnan(values[1]);
    joint->lower = isnan(values[0]) ? 0 : values[0];
    joint->upper = isnan(values[1]) ? 0 : values[1];
    if (joint->lower > joint->upper) {
        lb_urdf_warn(urdf, &here, "limit",
                     "lower %g above upper %g, taken for \"no limit\": no stop is made",
                     joint->lower, joint->upper);
        joint->bounded = false;
    }
    for (int i = 2; i < 4; ++i) {
        if (values[i] < 0) {
            lb_urdf_warn(urdf, &here, "limit", "%s %g, taken for \"no limit\"", names[i],
                         values[i]);
        }
    }
    joint->effort = values[2] > 0 && values[2] < INFINITY ? values[2] : 0;
    const bool bounds = joint->type == LB_URDF_REVOLUTE || joint->type == LB_URDF_PRISMATIC;
    if (bounds && joint->bounded && joint->lower == joint->upper) {
        lb_urdf_warn(
            urdf, &here, "limit",
            "lower and upper are the same: no stop is made of them; a fixed joint holds still");
    }
}

static void lb_urdf_read_dynamics(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *dynamics,
                                  lb_urdf_joint *joint)
{
    static const char *const names[] = {"damping", "friction"};
    double *const values[] = {&joint->damping, &joint->friction};
    const lb_urdf_at here = lb_urdf_at_node(at, dynamics);
    joint->dynamics_line = here.line;
    for (int i = 0; i < 2; ++i) {
        const lb_urdf_field field = {"dynamics", names[i], false};
        lb_urdf_read_numbers(urdf, at, dynamics, field, 1, values[i]);
        if (*values[i] < 0) {
            lb_urdf_fail(urdf, &here, "dynamics", "%s %g found, expected none negative", names[i],
                         *values[i]);
        }
    }
}

// Limits, damping and friction.
static void lb_urdf_read_forces(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *node,
                                lb_urdf_joint *joint)
{
    const xmlNode *limit = lb_urdf_find(urdf, at, node, "limit", "limit");
    const xmlNode *dynamics = lb_urdf_find(urdf, at, node, "dynamics", "dynamics");
    if (limit) {
        lb_urdf_read_limit(urdf, at, limit, joint);
    }
    if (dynamics) {
        lb_urdf_read_dynamics(urdf, at, dynamics, joint);
    }
    const bool several = joint->type == LB_URDF_PLANAR || joint->type == LB_URDF_FLOATING;
    if (several && (limit || dynamics)) {
        const lb_urdf_at here = lb_urdf_at_node(at, limit ? limit : dynamics);
        lb_urdf_warn(urdf, &here, limit ? "limit" : "dynamics",
                     "left out: URDF does not say in which of the directions of a %s joint limits, "
                     "damping and friction act",
                     lb_urdf_type_names[joint->type]);
    }
}

// A joint that follows another: q = multiplier x q of the other + offset.
static void lb_urdf_read_mimic(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *node,
                               lb_urdf_joint *joint)
{
    static const char *const known[] = {"joint", "multiplier", "offset", NULL};
    const lb_urdf_at here = lb_urdf_at_node(at, node);
    joint->mimic_line = here.line;
    lb_urdf_warn_of_attributes(urdf, &here, node, "mimic", known);
    joint->mimic_name = lb_urdf_get_attribute(urdf, node, "joint");
    if (!joint->mimic_name) {
        lb_urdf_fail(urdf, &here, "mimic.joint", "missing: the name of the joint to follow");
    }
    lb_urdf_read_numbers(urdf, &here, node, (lb_urdf_field){"mimic", "multiplier", false}, 1,
                         &joint->multiplier);
    lb_urdf_read_numbers(urdf, &here, node, (lb_urdf_field){"mimic", "offset", false}, 1,
                         &joint->offset);
}

static void lb_urdf_read_joint(lb_urdf *urdf, const xmlNode *node, lb_urdf_joint *joint)
{
    static const char *const known[] = {"origin",   "parent",      "child",
                                        "axis",     "limit",       "mimic",
                                        "dynamics", "calibration", "safety_controller",
                                        NULL};
    lb_urdf_at at;
    *joint = (lb_urdf_joint){
        .type = LB_URDF_FIXED, .parent = -1, .child = -1, .mimic = -1, .multiplier = 1};
    lb_urdf_read_name(urdf, node, &at, &joint->name);
    joint->line = at.line;
    lb_urdf_warn_of_unknown(urdf, &at, node, known);
    lb_urdf_read_type(urdf, &at, node, &joint->type);
    lb_urdf_read_end(urdf, &at, node, "parent", &joint->parent_name, &joint->parent_line);
    lb_urdf_read_end(urdf, &at, node, "child", &joint->child_name, &joint->child_line);
    lb_urdf_read_origin(urdf, &at, node, "origin", &joint->origin);
    lb_urdf_read_axis(urdf, &at, node, joint);
    lb_urdf_read_forces(urdf, &at, node, joint);
    const xmlNode *mimic = lb_urdf_find(urdf, &at, node, "mimic", "mimic");
    if (mimic) {
        lb_urdf_read_mimic(urdf, &at, mimic, joint);
    }
}

// ---- the robot ---------------------------------------------------------------------------------

// The name behind the prefix of an element of xacro, whether or not the prefix is declared; else NULL.
static const char *lb_urdf_get_xacro(const xmlNode *node)
{
    const char *name = (const char *)node->name;
    if (node->type != XML_ELEMENT_NODE) {
        return NULL;
    }
    if (node->ns && node->ns->prefix) {
        return strcmp((const char *)node->ns->prefix, "xacro") == 0 ? name : NULL;
    }
    return strncmp(name, "xacro:", 6) == 0 ? name + 6 : NULL;
}

// What xacro itself understands, and leaves in no file that it has written.
static bool lb_urdf_is_xacro_word(const char *name)
{
    static const char *const words[] = {"macro",   "property",  "include", "arg",
                                        "if",      "unless",    "call",    "insert_block",
                                        "element", "attribute", NULL};
    for (int i = 0; words[i]; ++i) {
        if (strcmp(words[i], name) == 0) {
            return true;
        }
    }
    return false;
}

// The element behind one in the order of the file, below a root; NULL at the end.
static const xmlNode *lb_urdf_next(const xmlNode *root, const xmlNode *node)
{
    if (node->type == XML_ELEMENT_NODE && node->children) {
        return node->children;
    }
    while (node != root && !node->next) {
        node = node->parent;
    }
    return node == root ? NULL : node->next;
}

// The part of a link that an element is in and that says nothing of the motion; NULL for none. Elements of
// the robot that are neither links nor joints are extensions.
static const char *lb_urdf_find_idle(const xmlNode *root, const xmlNode *node)
{
    for (const xmlNode *up = node->parent; up && up != root; up = up->parent) {
        if (lb_urdf_is(up, "visual") || lb_urdf_is(up, "collision") ||
            (up->parent == root && !lb_urdf_is(up, "link") && !lb_urdf_is(up, "joint"))) {
            return (const char *)up->name;
        }
    }
    return NULL;
}

// Elements of xacro. A prefix that is declared and not used is harmless: xacro itself leaves it behind, as it
// leaves calls of macros that it does not know.
static lb_status lb_urdf_check_xacro(lb_urdf *urdf, const xmlNode *root)
{
    for (const xmlNode *node = root; node; node = lb_urdf_next(root, node)) {
        const char *name = lb_urdf_get_xacro(node);
        if (name && (node == root || lb_urdf_is_xacro_word(name))) {
            const lb_urdf_at here = {.line = lb_urdf_get_line(node)};
            lb_urdf_fail(urdf, &here, "",
                         "this is xacro, which makes URDF from macros, expected URDF itself; run "
                         "\"xacro robot.xacro > robot.urdf\" first and load what it writes");
            return LB_E_UNSUPPORTED;
        }
    }
    for (const xmlNode *node = root; node; node = lb_urdf_next(root, node)) {
        const char *name = lb_urdf_get_xacro(node);
        if (!name) {
            continue;
        }
        const lb_urdf_at here = {.line = lb_urdf_get_line(node)};
        const char *idle = lb_urdf_find_idle(root, node);
        if (idle) {
            lb_urdf_warn(urdf, &here, "", "xacro:%s is left over in a <%s> and is ignored",
                         lb_urdf_excerpt(name).data, lb_urdf_excerpt(idle).data);
        } else {
            lb_urdf_fail(urdf, &here, "",
                         "xacro:%s is left over: define it and run xacro again, or delete the line",
                         lb_urdf_excerpt(name).data);
        }
    }
    return LB_OK;
}

int lb_urdf_count(const xmlNode *root, const char *name)
{
    int count = 0;
    for (const xmlNode *node = root->children; node; node = node->next) {
        count += lb_urdf_is(node, name);
    }
    return count;
}

lb_status lb_urdf_parse(lb_urdf *urdf, const xmlNode *root)
{
    const lb_urdf_at at = {.line = lb_urdf_get_line(root)};
    urdf->line = at.line;
    if (lb_urdf_check_xacro(urdf, root) != LB_OK) {
        return LB_E_UNSUPPORTED;
    }
    if (!lb_urdf_is(root, "robot")) {
        lb_urdf_fail(urdf, &at, "", "<%s> found, expected <robot>",
                     lb_urdf_excerpt((const char *)root->name).data);
        return LB_E_MODEL;
    }
    const size_t links = (size_t)lb_urdf_count(root, "link");
    const size_t joints = (size_t)lb_urdf_count(root, "joint");
    lb_arena *pool = &urdf->writer.doc->pool;
    urdf->links = lb_arena_take(pool, links, sizeof *urdf->links);
    urdf->joints = lb_arena_take(pool, joints, sizeof *urdf->joints);
    urdf->name = lb_urdf_get_attribute(urdf, root, "name");
    urdf->lacks_memory = urdf->lacks_memory || !urdf->links || !urdf->joints;
    for (const xmlNode *node = root->children; node && !urdf->lacks_memory; node = node->next) {
        if (lb_urdf_is(node, "link")) {
            lb_urdf_read_link(urdf, node, &urdf->links[urdf->link_count++]);
        } else if (lb_urdf_is(node, "joint")) {
            lb_urdf_read_joint(urdf, node, &urdf->joints[urdf->joint_count++]);
        }
    }
    lb_urdf_read_visuals(urdf, root);
    return urdf->lacks_memory ? LB_E_MEMORY : LB_OK;
}
