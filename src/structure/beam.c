// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The two public ways to a body: a frame as it is, and a beam as the frame of its pieces.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fe.h"
#include "sections.h"

lb_status lb_fe_plan_frame(lb_fe_context *context, const lb_frame_options *options,
                           lb_fe_plan *plan)
{
    lb_frame_options *own;
    if (!LB_FE_TAKE(context, own, 1)) {
        return LB_E_MEMORY;
    }
    *plan = (lb_fe_plan){.frame = own, .motions = LB_MOTION_ALL};
    return lb_fe_take_frame(context, options, own);
}

lb_status lb_create_frame_body(const lb_frame_options *options, const lb_allocator *allocator,
                               const lb_report *report, lb_flex_body **body)
{
    lb_fe_context context;
    lb_fe_plan plan;
    *body = NULL;
    lb_fe_init(&context, allocator, report);
    lb_status status = lb_fe_plan_frame(&context, options, &plan);
    status = status ? status : lb_fe_make_body(&plan, allocator, report, body);
    lb_arena_free(&context.arena);
    return status;
}

// ---- checks of a beam --------------------------------------------------------------------------

static bool is_inside(lb_fe_context *context, const char *path, double x, double length)
{
    if (!(x >= 0 && x <= length * (1 + 1e-12))) {
        lb_fe_fail(context, path, "%g m found, expected 0 to %g m, the length of the beam", x,
                   length);
        return false;
    }
    return true;
}

static void check_nodes(lb_fe_context *context, const lb_beam_options *o)
{
    for (int i = 0; i < o->node_count; ++i) {
        const char *name = o->nodes[i].name ? o->nodes[i].name : "";
        char path[256];
        snprintf(path, sizeof path, "nodes.%.200s", name);
        static const char *const taken[] = {"", "origin", "root", "tip"};
        for (int k = 0; k < 4; ++k) {
            if (strcmp(name, taken[k]) == 0) {
                lb_fe_fail(
                    context, path,
                    "\"%s\" found, expected a name of its own: origin, root and tip are there",
                    name);
            }
        }
        for (int k = 0; k < i; ++k) {
            if (o->nodes[k].name && strcmp(name, o->nodes[k].name) == 0) {
                lb_fe_fail(context, path, "the name stands twice");
            }
        }
        is_inside(context, path, o->nodes[i].x, o->length);
    }
}

static void check_shapes(lb_fe_context *context, const lb_beam_options *o)
{
    for (int i = 0; i < o->shape_count; ++i) {
        const lb_beam_shape *shape = &o->shapes[i];
        const bool bar =
            shape->family >= LB_SHAPE_CLAMPED_FREE_BAR && shape->family <= LB_SHAPE_FREE_FREE_BAR;
        const bool bends = shape->motion == LB_MOTION_Y || shape->motion == LB_MOTION_Z;
        char path[64];
        snprintf(path, sizeof path, "shapes[%d]", i);
        if ((int)shape->family < 0 || shape->family >= LB_SHAPE_FAMILY_COUNT) {
            lb_fe_fail(context, path, "%d found, expected one of lb_shape_family",
                       (int)shape->family);
        } else if (shape->motion != LB_MOTION_STRETCH && shape->motion != LB_MOTION_TWIST &&
                   !bends) {
            lb_fe_fail(context, path, "%d found, expected one motion", shape->motion);
        } else if (shape->family != LB_SHAPE_POLYNOMIAL && bar == bends) {
            lb_fe_fail(context, path, "%s is %s", lb_get_shape_family_name(shape->family),
                       bar ? "for stretch and twist" : "for bending, motion y or z");
        }
        if (shape->count < 1 || shape->count > 200) {
            lb_fe_fail(context, path, "%d shapes, expected 1 to 200", shape->count);
        }
        if (shape->family == LB_SHAPE_POLYNOMIAL && shape->coefficient_count < 1) {
            lb_fe_fail(context, path, "no coefficients given");
        }
        lb_fe_check_finite(context, path, shape->coefficients, shape->coefficient_count);
    }
    if (o->shape_count > 0 && o->theory == LB_THEORY_TIMOSHENKO) {
        lb_fe_fail(context, "shapes",
                   "shapes by formula have no shear deformation: theory must be euler-bernoulli");
    }
}

static bool check_beam(lb_fe_context *context, const lb_beam_options *o)
{
    const int errors = context->errors;
    if (!(o->length > 0) || !isfinite(o->length)) {
        lb_fe_fail(context, "length", "%g found, expected a positive length (m)", o->length);
    }
    if (o->modes->count < 0 || o->modes->count > LB_FE_MODES_MOST) {
        lb_fe_fail(context, "modes.count", "%d found, expected 1 to %d", o->modes->count,
                   LB_FE_MODES_MOST);
    }
    if (o->element_count < 0 || o->element_count > 100000) {
        lb_fe_fail(context, "elements", "%d found, expected 1 to 100000", o->element_count);
    }
    const bool material = lb_fe_check_material(context, "material", &o->material);
    if (context->errors == errors && material) {
        lb_fe_check_stations(context, "", o->length, o->section, o->stations, o->station_count,
                             &o->material, o->theory);
    }
    check_nodes(context, o);
    for (int i = 0; i < o->lump_count; ++i) {
        const lb_lump *lump = &o->lumps[i];
        char path[64], at[80];
        snprintf(path, sizeof path, "masses[%d]", i);
        snprintf(at, sizeof at, "%s.at", path);
        lb_fe_check_lump(context, path, lump->mass, lump->offset, lump->inertia);
        bool found = !lump->at || strcmp(lump->at, "root") == 0 || strcmp(lump->at, "tip") == 0;
        for (int k = 0; k < o->node_count && !found; ++k) {
            found = o->nodes[k].name && strcmp(o->nodes[k].name, lump->at) == 0;
        }
        if (!found) {
            lb_fe_fail(context, at, "no node is called \"%.100s\"", lump->at);
        } else if (!lump->at) {
            is_inside(context, at, lump->x, o->length);
        }
    }
    check_shapes(context, o);
    return context->errors == errors;
}

// ---- pieces ------------------------------------------------------------------------------------

static double get_lump_x(const lb_beam_options *o, const lb_lump *lump)
{
    if (!lump->at) {
        return lump->x;
    }
    for (int k = 0; k < o->node_count; ++k) {
        if (strcmp(o->nodes[k].name, lump->at) == 0) {
            return o->nodes[k].x;
        }
    }
    return strcmp(lump->at, "tip") == 0 ? o->length : 0.0;
}

// A lump joins what is already lumped at a joint: masses add, and inertias about the new centre.
static void add_lump(lb_joint *joint, const lb_lump *lump)
{
    const double m1 = joint->mass, m2 = lump->mass, m = m1 + m2;
    double centre[3] = {0, 0, 0};
    for (int i = 0; i < 3 && m > 0; ++i) {
        centre[i] = (m1 * joint->offset[i] + m2 * lump->offset[i]) / m;
    }
    const double *const offsets[2] = {joint->offset, lump->offset};
    const double masses[2] = {m1, m2};
    for (int i = 0; i < 6; ++i) {
        joint->inertia[i] += lump->inertia[i];
    }
    for (int k = 0; k < 2; ++k) {
        const double x = offsets[k][0] - centre[0], y = offsets[k][1] - centre[1],
                     z = offsets[k][2] - centre[2], w = masses[k];
        const double own[6] = {y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z};
        for (int i = 0; i < 6; ++i) {
            joint->inertia[i] += w * own[i];
        }
    }
    memcpy(joint->offset, centre, sizeof centre);
    joint->mass = m;
}

static int compare_joints(const void *a, const void *b)
{
    const lb_joint *x = a, *y = b;
    return x->position[0] < y->position[0] ? -1 : x->position[0] > y->position[0];
}

// Joints from root to tip: at both ends, named nodes and lumps. Those at one place become one, but a
// place may have several names: further names are joints that follow at no distance, which cannot be;
// they are refused.
static lb_status place_joints(lb_fe_context *context, const lb_beam_options *o, lb_joint **out,
                              int *count)
{
    const int most = 2 + o->node_count + o->lump_count;
    const double same = 1e-9 * o->length;
    lb_joint *joints;
    if (!LB_FE_TAKE(context, joints, most)) {
        return LB_E_MEMORY;
    }
    *count = 0;
    for (int i = 0; i < 2 + o->node_count; ++i) {
        lb_joint joint = lb_default_joint();
        joint.name = i == 0 ? "root" : i == 1 ? "tip" : o->nodes[i - 2].name;
        joint.position[0] = i == 0 ? 0.0 : i == 1 ? o->length : o->nodes[i - 2].x;
        for (int k = 0; k < *count; ++k) {
            if (fabs(joints[k].position[0] - joint.position[0]) <= same) {
                char path[256];
                snprintf(path, sizeof path, "nodes.%.200s", joint.name);
                return lb_fe_fail(context, path, "at the same place as \"%.100s\"", joints[k].name);
            }
        }
        joints[(*count)++] = joint;
    }
    for (int i = 0; i < o->lump_count; ++i) {
        const double x = get_lump_x(o, &o->lumps[i]);
        int k = 0;
        while (k < *count && fabs(joints[k].position[0] - x) > same) {
            ++k;
        }
        if (k == *count) {
            joints[k] = lb_default_joint();
            joints[k].position[0] = x;
            ++*count;
        }
        add_lump(&joints[k], &o->lumps[i]);
    }
    qsort(joints, (size_t)*count, sizeof *joints, compare_joints);
    *out = joints;
    return LB_OK;
}

// As many elements as give the highest mode asked for about four to a half-wave.
static int choose_elements(const lb_beam_options *o)
{
    enum { LEAST = 64, A_MODE = 4 };
    int highest = o->modes->count;
    for (int i = 0; i < o->shape_count; ++i) {
        highest = o->shapes[i].count > highest ? o->shapes[i].count : highest;
    }
    return o->element_count > 0       ? o->element_count
           : A_MODE * highest > LEAST ? A_MODE * highest
                                      : LEAST;
}

static lb_status plan_pieces(lb_fe_context *context, const lb_beam_options *o, lb_fe_plan *plan)
{
    lb_frame_options *frame;
    lb_joint *joints;
    int count;
    lb_status status = place_joints(context, o, &joints, &count);
    if (status != LB_OK) {
        return status;
    }
    lb_member *members;
    double *starts;
    if (!LB_FE_TAKE(context, frame, 1) || !LB_FE_TAKE(context, members, count) ||
        !LB_FE_TAKE(context, starts, count)) {
        return LB_E_MEMORY;
    }
    const int elements = choose_elements(o);
    for (int i = 0; i + 1 < count; ++i) {
        const double from = joints[i].position[0], to = joints[i + 1].position[0];
        const double share = ceil(elements * (to - from) / o->length - 1e-9);
        starts[i] = from;
        members[i] = (lb_member){.size = sizeof *members,
                                 .joints = {joints[i].name, joints[i + 1].name},
                                 .section = o->section,
                                 .stations = o->stations,
                                 .station_count = o->station_count,
                                 .material = o->material,
                                 .element_count = share > 1 ? (int)share : 1};
    }
    *frame = lb_default_frame_options();
    frame->joints = joints;
    frame->joint_count = count;
    frame->members = members;
    frame->member_count = count - 1;
    frame->theory = o->theory;
    frame->rotary = o->rotary;
    frame->second_order = o->second_order;
    frame->modes = o->modes;
    frame->damping = o->damping;
    frame->fidelity = o->fidelity;
    *plan = (lb_fe_plan){.frame = frame,
                         .starts = starts,
                         .motions = o->modes->motions,
                         .length = o->length,
                         .shapes = o->shapes,
                         .shape_count = o->shape_count};
    return LB_OK;
}

lb_status lb_fe_plan_beam(lb_fe_context *context, const lb_beam_options *options, lb_fe_plan *plan)
{
    lb_beam_options *own;
    if (!LB_FE_TAKE(context, own, 1)) {
        return LB_E_MEMORY;
    }
    const lb_status status = lb_fe_take_beam(context, options, own);
    return status != LB_OK             ? status
           : !check_beam(context, own) ? LB_E_MODEL
                                       : plan_pieces(context, own, plan);
}

lb_status lb_create_beam_body(const lb_beam_options *options, const lb_allocator *allocator,
                              const lb_report *report, lb_flex_body **body)
{
    lb_fe_context context;
    lb_fe_plan plan;
    *body = NULL;
    lb_fe_init(&context, allocator, report);
    lb_status status = lb_fe_plan_beam(&context, options, &plan);
    status = status ? status : lb_fe_make_body(&plan, allocator, report, body);
    lb_arena_free(&context.arena);
    return status;
}
