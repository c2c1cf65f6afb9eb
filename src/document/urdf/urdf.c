// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From a robot to a document of the model format. A link on a movable joint becomes a body with the
// link's frame and name, in the order of the joints; a link on a fixed joint becomes a node of the
// body that it is fixed to, and its inertia part of that body's.
#include "urdf.h"

#include <stdio.h>
#include <string.h>

#include "base/formula/scan.h"
#include "base/formula/terms.h"
#include "document/places.h"
#include "limber/model.h"
#include "urdf_robot.h"

/// URDF says nothing of gravity.
static const double lb_urdf_gravity[3] = {0, 0, -9.81};

/// Nor of how hard a stop is: the joint's effort is met at this penetration (rad, m), or the effort
/// below where it has none (N m, N), or the largest where it has no more than a token; the damper of the
/// stop has the time constant (s), and comes up over a tenth of the penetration.
static const double lb_urdf_stop_angle = 0.01, lb_urdf_stop_distance = 0.001;
static const double lb_urdf_stop_effort = 100, lb_urdf_stop_effort_max = 1e4;
static const double lb_urdf_stop_time = 0.01;

// The shortest turn that takes z to a direction; half a turn about x for -z.
static lb_quat lb_urdf_align_z(lb_vec3 axis)
{
    const lb_vec3 n = lb_vec3_scale(1 / lb_vec3_norm(axis), axis);
    // (1 + cos, z x n) is the quaternion, up to its length
    const double w = 1 + n.z, x = -n.y, y = n.x;
    const double norm = sqrt(w * w + x * x + y * y);
    if (norm < 1e-9) {
        return (lb_quat){0, 1, 0, 0};
    }
    return (lb_quat){w / norm, x / norm, y / norm, 0};
}

// ---- writing -----------------------------------------------------------------------------------

static void lb_urdf_put_node(lb_urdf_out *out, const char *name, const lb_urdf_pose *pose)
{
    lb_urdf_put(out, name);
    lb_urdf_open(out, LB_DOC_MAPPING);
    lb_urdf_put_pose(out, pose);
    lb_urdf_close(out);
}

// A planar joint moves in the plane across its axis, a planar hinge in that of x and y: the frames
// on both sides are turned. For other joints they are those of URDF.
static lb_urdf_pose lb_urdf_get_hinge_frame(const lb_urdf_joint *joint)
{
    lb_urdf_pose pose = lb_urdf_identity();
    if (joint->type == LB_URDF_PLANAR) {
        pose.r = lb_urdf_align_z(joint->axis);
    }
    return pose;
}

// `nodes` of a body or the ground: links fixed to it, joints that start from it, and the other side
// of its own joint where that is not simply the origin.
static void lb_urdf_put_nodes(lb_urdf_out *out, lb_urdf_plan *plan, int body)
{
    const lb_urdf *urdf = plan->urdf;
    const lb_urdf_body *owner = &plan->bodies[body];
    const int own = body == plan->ground ? -1 : urdf->links[body].joint;
    const bool planar = own >= 0 && urdf->joints[own].type == LB_URDF_PLANAR;
    if (owner->first_link < 0 && owner->first_joint < 0 && !planar) {
        return;
    }
    const char *name;
    lb_urdf_put(out, "nodes");
    lb_urdf_open(out, LB_DOC_MAPPING);
    if (planar && out->status == LB_OK) {
        const lb_urdf_pose frame = lb_urdf_get_hinge_frame(&urdf->joints[own]);
        out->status = lb_urdf_name_node(plan, own, body, &name);
        lb_urdf_put_node(out, name, &frame);
    }
    for (int i = owner->first_link; i >= 0; i = plan->bodies[i].next_link) {
        out->mark.line = urdf->links[i].line;
        lb_urdf_put_node(out, urdf->links[i].name, &plan->bodies[i].pose);
    }
    for (int j = owner->first_joint; j >= 0 && out->status == LB_OK; j = plan->next_joint[j]) {
        const lb_urdf_joint *joint = &urdf->joints[j];
        const lb_urdf_pose frame = lb_urdf_get_hinge_frame(joint);
        const lb_urdf_pose origin =
            lb_urdf_compose(&plan->bodies[joint->parent].pose, &joint->origin);
        const lb_urdf_pose pose = lb_urdf_compose(&origin, &frame);
        out->mark.line = joint->line;
        out->status = lb_urdf_name_node(plan, j, body, &name);
        lb_urdf_put_node(out, name, &pose);
    }
    lb_urdf_close(out);
}

static lb_hinge_type lb_urdf_get_hinge_type(lb_urdf_type type)
{
    switch (type) {
    case LB_URDF_REVOLUTE:
    case LB_URDF_CONTINUOUS:
        return LB_HINGE_REVOLUTE;
    case LB_URDF_PRISMATIC:
        return LB_HINGE_PRISMATIC;
    case LB_URDF_FLOATING:
        return LB_HINGE_FREE;
    case LB_URDF_PLANAR:
        return LB_HINGE_PLANAR;
    default:
        return LB_HINGE_FIXED;
    }
}

static void lb_urdf_put_hinge(lb_urdf_out *out, lb_hinge_type type, const lb_urdf_joint *joint)
{
    lb_urdf_put(out, "hinge");
    lb_urdf_open(out, LB_DOC_MAPPING);
    lb_urdf_put_pair(out, "type", lb_get_hinge_type_name(type));
    if (type == LB_HINGE_REVOLUTE || type == LB_HINGE_PRISMATIC) {
        const double axis[3] = {joint->axis.x, joint->axis.y, joint->axis.z};
        out->mark.line = joint->axis_line;
        lb_urdf_put_numbers(out, "axis", axis, 3);
    }
    lb_urdf_close(out);
}

// `parent`, `at`, `by` and `hinge` of a link that hangs on a joint.
static void lb_urdf_put_joint(lb_urdf_out *out, lb_urdf_plan *plan, int j)
{
    const lb_urdf *urdf = plan->urdf;
    const lb_urdf_joint *joint = &urdf->joints[j];
    const int parent = plan->bodies[joint->parent].owner;
    const char *at = NULL, *by = NULL;
    out->mark.line = joint->line;
    if (parent != plan->ground) {
        lb_urdf_put_pair(out, "parent", urdf->links[parent].name);
    }
    if (out->status == LB_OK) {
        out->status = lb_urdf_name_node(plan, j, parent, &at);
    }
    lb_urdf_put_pair(out, "at", at);
    if (joint->type == LB_URDF_PLANAR && out->status == LB_OK) {
        out->status = lb_urdf_name_node(plan, j, joint->child, &by);
        lb_urdf_put_pair(out, "by", by);
    }
    lb_urdf_put_hinge(out, lb_urdf_get_hinge_type(joint->type), joint);
}

static void lb_urdf_put_body(lb_urdf_out *out, lb_urdf_plan *plan, const lb_load_options *options,
                             int body)
{
    const lb_urdf *urdf = plan->urdf;
    const lb_urdf_link *link = &urdf->links[body];
    const lb_urdf_inertia *inertia = &plan->bodies[body].inertia;
    out->mark.line = link->line;
    lb_urdf_open(out, LB_DOC_MAPPING);
    lb_urdf_put_pair(out, "name", link->name);
    if (link->joint >= 0) {
        lb_urdf_put_joint(out, plan, link->joint);
    } else {
        lb_urdf_put_hinge(out, options->floating_base ? LB_HINGE_FREE : LB_HINGE_FIXED, NULL);
    }

    out->mark.line = link->inertial_line;
    lb_urdf_put(out, "mass");
    lb_urdf_put_number(out, inertia->mass);
    const double com[3] = {inertia->com.x, inertia->com.y, inertia->com.z};
    const lb_sym3 J = inertia->J;
    const double tensor[6] = {J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
    lb_urdf_put_numbers(out, "com", com, 3);
    lb_urdf_put_numbers(out, "inertia", tensor, 6);

    out->mark.line = link->line;
    lb_urdf_put_nodes(out, plan, body);
    lb_urdf_close(out);
}

// Starts a force element, called after its joint. No two have the same name: joints have their own, and
// what follows them differs.
static void lb_urdf_open_force(lb_urdf_out *out, const lb_urdf *urdf, const lb_urdf_joint *joint,
                               const char *type)
{
    const size_t length = strlen(joint->name) + strlen(type) + 2;
    char *name = lb_arena_take_text(&out->writer->doc->pool, length);
    if (!name) {
        out->status = LB_E_MEMORY;
        return;
    }
    snprintf(name, length, "%s_%s", joint->name, type);
    lb_urdf_open(out, LB_DOC_MAPPING);
    lb_urdf_put_pair(out, "name", name);
    lb_urdf_put_pair(out, "type", type);
    lb_urdf_put_pair(out, "hinge", urdf->links[joint->child].name);
}

static bool lb_urdf_has_stop(const lb_urdf_joint *joint)
{
    const bool bounds = joint->type == LB_URDF_REVOLUTE || joint->type == LB_URDF_PRISMATIC;
    return bounds && joint->bounded && joint->lower < joint->upper;
}

static bool lb_urdf_has_forces(const lb_urdf_joint *joint)
{
    const bool one_way = joint->type == LB_URDF_REVOLUTE || joint->type == LB_URDF_CONTINUOUS ||
                         joint->type == LB_URDF_PRISMATIC;
    return one_way && (lb_urdf_has_stop(joint) || joint->damping > 0 || joint->friction > 0 ||
                       joint->effort > 0);
}

// Damping, friction, limits and effort of a joint.
static void lb_urdf_put_forces(lb_urdf_out *out, const lb_urdf *urdf, const lb_urdf_joint *joint)
{
    out->mark.line = joint->dynamics_line;
    if (joint->damping > 0) {
        lb_urdf_open_force(out, urdf, joint, "damper");
        lb_urdf_put_value(out, "damping", joint->damping);
        lb_urdf_close(out);
    }
    if (joint->friction > 0) {
        lb_urdf_open_force(out, urdf, joint, "friction");
        lb_urdf_put_value(out, "coulomb", joint->friction);
        lb_urdf_close(out);
    }
    out->mark.line = joint->limit_line;
    if (lb_urdf_has_stop(joint)) {
        const double depth =
            joint->type == LB_URDF_PRISMATIC ? lb_urdf_stop_distance : lb_urdf_stop_angle;
        const double effort = joint->effort > 0 ? joint->effort : lb_urdf_stop_effort;
        const double stiffness = fmin(effort, lb_urdf_stop_effort_max) / depth;
        lb_urdf_open_force(out, urdf, joint, "stop");
        lb_urdf_put_value(out, "lower", joint->lower);
        lb_urdf_put_value(out, "upper", joint->upper);
        lb_urdf_put_value(out, "stiffness", stiffness);
        lb_urdf_put_value(out, "damping", lb_urdf_stop_time * stiffness);
        lb_urdf_put_value(out, "width", 0.1 * depth);
        lb_urdf_close(out);
    }
    if (joint->effort > 0) {
        const double limits[2] = {-joint->effort, joint->effort};
        lb_urdf_open_force(out, urdf, joint, "motor");
        lb_urdf_put_value(out, "value", 0);
        lb_urdf_put_numbers(out, "limits", limits, 2);
        lb_urdf_close(out);
    }
}

// `forces`, joint by joint.
static void lb_urdf_put_all_forces(lb_urdf_out *out, const lb_urdf *urdf)
{
    bool any = false;
    for (int j = 0; j < urdf->joint_count; ++j) {
        any = any || lb_urdf_has_forces(&urdf->joints[j]);
    }
    if (!any) {
        return;
    }
    out->mark.line = urdf->line;
    lb_urdf_put(out, "forces");
    lb_urdf_open(out, LB_DOC_SEQUENCE);
    for (int j = 0; j < urdf->joint_count && out->status == LB_OK; ++j) {
        if (lb_urdf_has_forces(&urdf->joints[j])) {
            lb_urdf_put_forces(out, urdf, &urdf->joints[j]);
        }
    }
    lb_urdf_close(out);
}

static void lb_urdf_put_term(lb_urdf_out *out, const lb_urdf *urdf, const lb_urdf_joint *joint,
                             double factor)
{
    lb_urdf_open(out, LB_DOC_MAPPING);
    lb_urdf_put_pair(out, "body", urdf->links[joint->child].name);
    lb_urdf_put_value(out, "factor", factor);
    lb_urdf_close(out);
}

// `loops`: joints that follow another are couplers, q - multiplier x q of the other = offset.
static void lb_urdf_put_couplers(lb_urdf_out *out, const lb_urdf *urdf)
{
    bool any = false;
    for (int j = 0; j < urdf->joint_count && out->status == LB_OK; ++j) {
        const lb_urdf_joint *joint = &urdf->joints[j];
        if (joint->mimic < 0) {
            continue;
        }
        if (!any) {
            out->mark.line = urdf->line;
            lb_urdf_put(out, "loops");
            lb_urdf_open(out, LB_DOC_SEQUENCE);
        }
        any = true;
        out->mark.line = joint->mimic_line;
        lb_urdf_open(out, LB_DOC_MAPPING);
        lb_urdf_put_pair(out, "name", joint->name);
        lb_urdf_put_pair(out, "type", "coupler");
        lb_urdf_put(out, "terms");
        lb_urdf_open(out, LB_DOC_SEQUENCE);
        lb_urdf_put_term(out, urdf, joint, 1);
        if (joint->multiplier != 0) {
            lb_urdf_put_term(out, urdf, &urdf->joints[joint->mimic], -joint->multiplier);
        }
        lb_urdf_close(out);
        lb_urdf_put_value(out, "offset", joint->offset);
        lb_urdf_close(out);
    }
    if (any) {
        lb_urdf_close(out);
    }
}

// Whether a joint is to be a signal: what it moves has one coordinate, and the name means nothing else.
static bool lb_urdf_has_signal(const lb_urdf_plan *plan, const lb_urdf_joint *joint)
{
    const lb_urdf *urdf = plan->urdf;
    const lb_hinge_type type = lb_urdf_get_hinge_type(joint->type);
    return (type == LB_HINGE_REVOLUTE || type == LB_HINGE_PRISMATIC) &&
           plan->bodies[joint->child].owner == joint->child && lb_is_plain_name(joint->name) &&
           !lb_is_reserved_word(joint->name) && strcmp(joint->name, "ground") != 0 &&
           lb_urdf_find_link(urdf, joint->name) < 0 &&
           !strpbrk(urdf->links[joint->child].name, "'\"\\");
}

// `signals`: coordinates by the names of their joints, 'LINK'.angle or 'LINK'.distance.
static void lb_urdf_put_signals(lb_urdf_out *out, const lb_urdf_plan *plan)
{
    const lb_urdf *urdf = plan->urdf;
    bool any = false;
    for (int j = 0; j < urdf->joint_count && out->status == LB_OK; ++j) {
        const lb_urdf_joint *joint = &urdf->joints[j];
        if (!lb_urdf_has_signal(plan, joint)) {
            continue;
        }
        if (!any) {
            out->mark.line = urdf->line;
            lb_urdf_put(out, "signals");
            lb_urdf_open(out, LB_DOC_MAPPING);
        }
        any = true;
        const char *link = urdf->links[joint->child].name;
        const char *quote = lb_is_plain_name(link) && !lb_is_reserved_word(link) ? "" : "'";
        const size_t size = strlen(link) + 16;
        char *text = lb_arena_take_text(&out->writer->doc->pool, size);
        if (!text) {
            out->status = LB_E_MEMORY;
            break;
        }
        snprintf(text, size, "%s%s%s.%s", quote, link, quote,
                 lb_urdf_get_hinge_type(joint->type) == LB_HINGE_PRISMATIC ? "distance" : "angle");
        out->mark.line = joint->line;
        lb_urdf_put_pair(out, joint->name, text);
    }
    if (any) {
        lb_urdf_close(out);
    }
}

static lb_status lb_urdf_write(lb_urdf_plan *plan, const lb_load_options *options)
{
    lb_urdf *urdf = plan->urdf;
    lb_urdf_out out = {.writer = &urdf->writer, .mark = {urdf->line, 0}};
    lb_urdf_open(&out, LB_DOC_MAPPING);
    lb_urdf_put(&out, "limber");
    lb_urdf_put_number(&out, 1);
    if (urdf->name) {
        lb_urdf_put_pair(&out, "name", urdf->name);
    }
    lb_urdf_put_numbers(&out, "gravity", lb_urdf_gravity, 3);

    const lb_urdf_body *ground = &plan->bodies[plan->ground];
    if (ground->first_link >= 0 || ground->first_joint >= 0) {
        lb_urdf_put(&out, "ground");
        lb_urdf_open(&out, LB_DOC_MAPPING);
        lb_urdf_put_nodes(&out, plan, plan->ground);
        lb_urdf_close(&out);
    }

    // degrees of freedom in the order of the joints, after those of the base
    out.mark.line = urdf->line;
    lb_urdf_put(&out, "bodies");
    lb_urdf_open(&out, LB_DOC_SEQUENCE);
    if (plan->bodies[urdf->root].owner == urdf->root) {
        lb_urdf_put_body(&out, plan, options, urdf->root);
    }
    for (int j = 0; j < urdf->joint_count && out.status == LB_OK; ++j) {
        const int child = urdf->joints[j].child;
        if (plan->bodies[child].owner == child) {
            lb_urdf_put_body(&out, plan, options, child);
        }
    }
    lb_urdf_close(&out);
    lb_urdf_put_signals(&out, plan);
    lb_urdf_put_couplers(&out, urdf);
    lb_urdf_put_all_forces(&out, urdf);
    lb_urdf_put_visuals(&out, plan);
    lb_urdf_close(&out);
    return out.status;
}

// ---- entry -------------------------------------------------------------------------------------

static lb_status lb_urdf_convert(lb_urdf *urdf, const lb_load_options *options)
{
    lb_status status = lb_urdf_join(urdf);
    if (status != LB_OK || urdf->error_count > 0) {
        return status;
    }
    lb_urdf_find_mimics(urdf);
    if (urdf->error_count > 0) {
        return LB_OK;
    }
    lb_urdf_plan plan;
    status = lb_urdf_make_plan(&plan, urdf, options);
    if (status == LB_OK) {
        lb_urdf_check_names(&plan);
    }
    if (status == LB_OK && urdf->error_count == 0) {
        status = lb_urdf_warn_of_masses(&plan, options);
    }
    // a reserved name may stand twice in what would be written
    return status == LB_OK && urdf->error_count == 0 ? lb_urdf_write(&plan, options) : status;
}

lb_status lb_doc_read_urdf(lb_doc *doc, const char *text, size_t length, const char *file,
                           const lb_load_options *options, const lb_report *report)
{
    lb_urdf urdf = {.error_count = 0};
    lb_doc_writer_init(&urdf.writer, doc, file, report);
    xmlDoc *xml = NULL;
    const lb_xml_guard guard = lb_urdf_enter_xml(&urdf.lacks_memory);
    lb_status status = lb_urdf_open_xml(&urdf, text, length, &xml);
    if (status == LB_OK) {
        status = lb_urdf_parse(&urdf, xmlDocGetRootElement(xml));
        // what is needed of it has been copied
        xmlFreeDoc(xml);
    }
    lb_urdf_leave_xml(&guard);
    status = urdf.lacks_memory ? LB_E_MEMORY : status;
    if (status == LB_OK) {
        status = lb_urdf_convert(&urdf, options);
    }
    if (status == LB_OK && urdf.error_count > 0) {
        status = LB_E_MODEL;
    }
    return lb_doc_writer_finish(&urdf.writer, status);
}

const char *lb_urdf_translate_path(const lb_doc_node *root, const char *path, lb_text *out)
{
    static const char start[] = "bodies[";
    if (strncmp(path, start, strlen(start)) != 0) {
        return path;
    }
    const char *digit = path + strlen(start);
    size_t index = 0;
    for (; *digit >= '0' && *digit <= '9'; ++digit) {
        index = index * 10 + (size_t)(*digit - '0');
    }
    const lb_doc_node *bodies = lb_doc_find(root, "bodies");
    if (*digit != ']' || !bodies || index >= lb_doc_get_count(bodies)) {
        return path;
    }
    const lb_doc_node *name = lb_doc_find(lb_doc_get_element(bodies, index), "name");
    lb_text_add(out, "robot.link[");
    lb_text_add_excerpt(out, name->value.text);
    lb_text_add(out, "]%s", digit + 1);
    return out->data;
}
