// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From joints and members to nodes and elements.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "fe.h"

enum { PATH_SIZE = 256, ELEMENTS_TOTAL = 64, ELEMENTS_LEAST = 4, ELEMENTS_MOST = 32 };
enum { ELEMENT_LIMIT = 100000 };

static double get_distance(const double a[3], const double b[3])
{
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

// ---- checks ------------------------------------------------------------------------------------

bool lb_fe_check_lump(lb_fe_context *context, const char *path, double mass, const double offset[3],
                      const double inertia[6])
{
    const int errors = context->errors;
    char where[PATH_SIZE];
    snprintf(where, sizeof where, "%.200s.mass", path);
    if (!(mass >= 0) || !isfinite(mass)) {
        lb_fe_fail(context, where, "%g found, expected a mass that is not negative (kg)", mass);
    }
    snprintf(where, sizeof where, "%.200s.offset", path);
    lb_fe_check_finite(context, where, offset, 3);
    snprintf(where, sizeof where, "%.200s.inertia", path);
    if (!lb_fe_check_finite(context, where, inertia, 6)) {
        return false;
    }
    // no principal minor may be negative
    const double *J = inertia, slack = 1e-12;
    const double xy = J[0] * J[1] - J[3] * J[3], xz = J[0] * J[2] - J[4] * J[4],
                 yz = J[1] * J[2] - J[5] * J[5];
    const double all =
        J[0] * yz - J[3] * (J[3] * J[2] - J[5] * J[4]) + J[4] * (J[3] * J[5] - J[1] * J[4]);
    const double top = fmax(J[0], fmax(J[1], J[2]));
    if (J[0] < 0 || J[1] < 0 || J[2] < 0 || xy < -slack * top * top || xz < -slack * top * top ||
        yz < -slack * top * top || all < -slack * top * top * top) {
        lb_fe_fail(context, where,
                   "not positive semidefinite: xx yy zz xy xz yz are entries of the tensor about "
                   "the centre of mass, xy = -integral of x y dm");
    }
    return context->errors == errors;
}

static void check_joints(lb_fe_context *context, const lb_frame_options *frame, lb_names *names)
{
    for (int i = 0; i < frame->joint_count; ++i) {
        const lb_joint *joint = &frame->joints[i];
        const char *name = joint->name ? joint->name : "";
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "joints.%.200s", name);
        if (!*name || strcmp(name, "origin") == 0) {
            lb_fe_fail(context, path,
                       "\"%s\" found, expected a name that is not empty and not \"origin\", which "
                       "is the frame itself",
                       name);
        }
        if (*name && lb_names_enter(names, name, i) >= 0) {
            lb_fe_fail(context, path, "the name stands twice");
        }
        lb_fe_check_finite(context, path, joint->position, 3);
        lb_fe_check_finite(context, path, joint->rotation, 4);
        lb_fe_check_lump(context, path, joint->mass, joint->offset, joint->inertia);
    }
}

// ---- a member ----------------------------------------------------------------------------------

// A member as it is cut into straight pieces with smooth sections.
typedef struct cuts {
    int a, b; // joints
    double length;
    int count;      // corners and ends
    double (*x)[3]; // by cut
    double *at;     // distance along the member
} cuts;

static const double *get_corner(const lb_frame_options *frame, const lb_member *member,
                                const cuts *c, int i)
{
    return i == 0                    ? frame->joints[c->a].position
           : i <= member->path_count ? member->path[i - 1]
                                     : frame->joints[c->b].position;
}

static bool check_member(lb_fe_context *context, const lb_frame_options *frame,
                         const lb_names *names, int index, cuts *c)
{
    const lb_member *member = &frame->members[index];
    const int errors = context->errors;
    char path[PATH_SIZE], where[PATH_SIZE];
    int *const ends[2] = {&c->a, &c->b};
    snprintf(path, sizeof path, "members[%d]", index);
    for (int side = 0; side < 2; ++side) {
        const char *name = member->joints[side];
        *ends[side] = name ? lb_names_find(names, name) : -1;
        if (*ends[side] < 0) {
            snprintf(where, sizeof where, "members[%d].joints[%d]", index, side);
            lb_fe_fail(context, where, "no joint is called \"%.100s\"", name ? name : "");
        }
    }
    for (int i = 0; i < member->path_count; ++i) {
        snprintf(where, sizeof where, "members[%d].path[%d]", index, i);
        lb_fe_check_finite(context, where, member->path[i], 3);
    }
    if (member->element_count < 0 || member->element_count > ELEMENT_LIMIT) {
        snprintf(where, sizeof where, "members[%d].elements", index);
        lb_fe_fail(context, where, "%d found, expected 1 to %d", member->element_count,
                   (int)ELEMENT_LIMIT);
    }
    if (context->errors > errors) {
        return false;
    }
    // the whole frame's size tells what is no length
    for (int i = 0; i <= member->path_count; ++i) {
        const double *from = get_corner(frame, member, c, i),
                     *to = get_corner(frame, member, c, i + 1);
        const double piece = get_distance(from, to);
        if (!(piece > 0) || !isfinite(piece)) {
            lb_fe_fail(context, path,
                       "it has a piece of no length: from [%g, %g, %g] to [%g, %g, %g]", from[0],
                       from[1], from[2], to[0], to[1], to[2]);
            return false;
        }
        c->length += piece;
    }
    snprintf(where, sizeof where, "members[%d].material", index);
    return lb_fe_check_material(context, where, &member->material) &&
           lb_fe_check_stations(context, path, c->length, member->section, member->stations,
                                member->station_count, &member->material, frame->theory);
}

// Corners of the path, and stations between them, in their order along the member.
static lb_status cut_member(lb_fe_context *context, const lb_frame_options *frame, int index,
                            double start, cuts *c)
{
    const lb_member *member = &frame->members[index];
    const int most = member->path_count + member->station_count + 2;
    if (!LB_FE_TAKE(context, c->x, most) || !LB_FE_TAKE(context, c->at, most)) {
        return LB_E_MEMORY;
    }
    double along = 0.0;
    for (int i = 0; i <= member->path_count; ++i) {
        const double *from = get_corner(frame, member, c, i),
                     *to = get_corner(frame, member, c, i + 1);
        const double piece = get_distance(from, to);
        memcpy(c->x[c->count], from, sizeof *c->x);
        c->at[c->count++] = along;
        for (int k = 0; k < member->station_count; ++k) {
            // 1e-9: not a sliver beside a corner
            const double at = member->stations[k].at - start;
            if (at > along + 1e-9 * piece && at < along + piece * (1 - 1e-9)) {
                const double w = (at - along) / piece;
                for (int j = 0; j < 3; ++j) {
                    c->x[c->count][j] = from[j] + w * (to[j] - from[j]);
                }
                c->at[c->count++] = at;
            }
        }
        along += piece;
    }
    memcpy(c->x[c->count], frame->joints[c->b].position, sizeof *c->x);
    c->at[c->count++] = along;
    return LB_OK;
}

static int count_elements(const cuts *c, int i, int wanted)
{
    const double n = ceil(wanted * (c->at[i + 1] - c->at[i]) / c->length - 1e-9);
    return n > 1 ? (int)n : 1;
}

// ---- an element --------------------------------------------------------------------------------

// Local axes: x along the element, z on the side of `up`.
static bool set_axes(const double a[3], const double b[3], const double up[3], double R[3][3])
{
    const double L = get_distance(a, b);
    double x[3], y[3], z[3] = {0, 0, 0}, norm = 0.0, reach = 0.0;
    for (int i = 0; i < 3; ++i) {
        x[i] = (b[i] - a[i]) / L;
    }
    const bool given = up[0] != 0 || up[1] != 0 || up[2] != 0;
    memcpy(z, up, sizeof z);
    if (!given) {
        z[hypot(x[0], x[1]) < 1e-6 ? 1 : 2] = 1.0;
    }
    const double dot = z[0] * x[0] + z[1] * x[1] + z[2] * x[2];
    for (int i = 0; i < 3; ++i) {
        reach += z[i] * z[i];
        z[i] -= dot * x[i];
        norm += z[i] * z[i];
    }
    if (!(norm > 1e-12 * reach)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        z[i] /= sqrt(norm);
    }
    lb_fe_cross(z, x, y);
    for (int i = 0; i < 3; ++i) {
        R[i][0] = x[i];
        R[i][1] = y[i];
        R[i][2] = z[i];
    }
    return true;
}

static lb_fe_point make_point(const lb_section *p, const lb_material *material,
                              const lb_frame_options *frame)
{
    const double E = material->E, G = material->G, rho = material->rho;
    const bool shear = frame->theory == LB_THEORY_TIMOSHENKO;
    const lb_fe_point point = {
        .EA = E * p->A,
        .GJ = G * p->J,
        .EIy = E * p->Iy,
        .EIz = E * p->Iz,
        .GAy = shear ? G * p->Ay : 0.0,
        .GAz = shear ? G * p->Az : 0.0,
        .m = rho * p->A,
        .Jx = rho * (p->Iy + p->Iz),
        .Jy = frame->rotary ? rho * p->Iy : 0.0,
        .Jz = frame->rotary ? rho * p->Iz : 0.0,
    };
    return point;
}

static void fill_element(const lb_frame_options *frame, const lb_member *member, double from,
                         lb_fe_element *e)
{
    for (int g = 0; g <= LB_FE_POINTS; ++g) {
        // one more in the middle, for the ratio of bending to shear
        const double s = g < LB_FE_POINTS ? lb_fe_place[g] : 0.5;
        const lb_section p =
            lb_fe_get_section(member->section, member->stations, member->station_count,
                              &member->material, from + s * e->length);
        const lb_fe_point point = make_point(&p, &member->material, frame);
        if (g < LB_FE_POINTS) {
            e->points[g] = point;
        } else if (point.GAy > 0) {
            e->phi_y = 12 * point.EIz / (point.GAy * e->length * e->length);
            e->phi_z = 12 * point.EIy / (point.GAz * e->length * e->length);
        }
    }
}

// ---- the whole ---------------------------------------------------------------------------------

int lb_fe_find_set(int *set, int i)
{
    while (set[i] != i) {
        i = set[i] = set[set[i]];
    }
    return i;
}

// Every joint must be reached from the first.
static lb_status check_connection(lb_fe_context *context, const lb_frame_options *frame,
                                  const cuts *c)
{
    int *set;
    if (!LB_FE_TAKE(context, set, frame->joint_count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < frame->joint_count; ++i) {
        set[i] = i;
    }
    for (int i = 0; i < frame->member_count; ++i) {
        set[lb_fe_find_set(set, c[i].a)] = lb_fe_find_set(set, c[i].b);
    }
    for (int i = 1; i < frame->joint_count; ++i) {
        if (lb_fe_find_set(set, i) != lb_fe_find_set(set, 0)) {
            char path[PATH_SIZE];
            snprintf(path, sizeof path, "joints.%.200s", frame->joints[i].name);
            return lb_fe_fail(context, path,
                              "no member connects it with \"%.100s\": a frame is one piece",
                              frame->joints[0].name);
        }
    }
    return LB_OK;
}

static lb_status count_mesh(lb_fe_context *context, const lb_frame_options *frame, const cuts *c,
                            int *wanted, lb_fe *fe)
{
    double total = 0.0;
    for (int i = 0; i < frame->member_count; ++i) {
        total += c[i].length;
    }
    double elements = 0.0, nodes = frame->joint_count;
    for (int i = 0; i < frame->member_count; ++i) {
        const double share = ceil(ELEMENTS_TOTAL * c[i].length / total);
        wanted[i] = frame->members[i].element_count > 0 ? frame->members[i].element_count
                    : share < ELEMENTS_LEAST            ? ELEMENTS_LEAST
                    : share > ELEMENTS_MOST             ? ELEMENTS_MOST
                                                        : (int)share;
        int here = 0;
        for (int k = 0; k + 1 < c[i].count; ++k) {
            here += count_elements(&c[i], k, wanted[i]);
        }
        elements += here;
        nodes += here - 1;
    }
    if (elements > ELEMENT_LIMIT) {
        return lb_fe_fail(context, "members", "%.0f elements, expected at most %d", elements,
                          (int)ELEMENT_LIMIT);
    }
    fe->element_count = (int)elements;
    fe->node_count = (int)nodes;
    return LB_FE_TAKE(context, fe->elements, fe->element_count) &&
                   LB_FE_TAKE(context, fe->nodes, fe->node_count) &&
                   LB_FE_TAKE(context, fe->active, fe->node_count * LB_FE_DOFS)
               ? LB_OK
               : LB_E_MEMORY;
}

static void place_elements(lb_fe_context *context, const lb_frame_options *frame, int index,
                           const cuts *c, double start, int wanted, int *node, int *element,
                           lb_fe *fe)
{
    const lb_member *member = &frame->members[index];
    int last = c->a;
    for (int k = 0; k + 1 < c->count; ++k) {
        const int n = count_elements(c, k, wanted);
        double R[3][3];
        if (!set_axes(c->x[k], c->x[k + 1], member->up, R)) {
            char path[PATH_SIZE];
            snprintf(path, sizeof path, "members[%d].up", index);
            lb_fe_fail(context, path, "[%g, %g, %g] found, expected a direction across the member",
                       member->up[0], member->up[1], member->up[2]);
            return;
        }
        const double piece = c->at[k + 1] - c->at[k];
        for (int i = 0; i < n; ++i) {
            const bool end = k + 2 == c->count && i + 1 == n;
            const int next = end ? c->b : (*node)++;
            lb_fe_element *e = &fe->elements[(*element)++];
            for (int j = 0; j < 3 && !end; ++j) {
                fe->nodes[next].x[j] = c->x[k][j] + (c->x[k + 1][j] - c->x[k][j]) * (i + 1) / n;
            }
            e->a = last;
            e->b = next;
            e->length = piece / n;
            memcpy(e->R, R, sizeof R);
            fill_element(frame, member, start + c->at[k] + piece * i / n, e);
            last = next;
        }
    }
}

lb_status lb_fe_mesh(lb_fe_context *context, const lb_frame_options *frame, const double *starts,
                     lb_fe *fe)
{
    const int errors = context->errors;
    cuts *c;
    int *wanted;
    lb_names names;
    if (frame->joint_count < 2 || frame->member_count < 1) {
        return lb_fe_fail(context, frame->joint_count < 2 ? "joints" : "members",
                          "%d found, expected at least %d",
                          frame->joint_count < 2 ? frame->joint_count : frame->member_count,
                          frame->joint_count < 2 ? 2 : 1);
    }
    if (!LB_FE_TAKE(context, c, frame->member_count) ||
        !LB_FE_TAKE(context, wanted, frame->member_count) ||
        lb_names_init(&names, &context->arena, (size_t)frame->joint_count + 1) != LB_OK) {
        return LB_E_MEMORY;
    }
    if (!starts) {
        check_joints(context, frame, &names);
    }
    for (int i = 0; i < frame->member_count; ++i) {
        if (starts) {
            // pieces of a beam, in order
            c[i] = (cuts){.a = i, .b = i + 1};
            c[i].length = get_distance(frame->joints[i].position, frame->joints[i + 1].position);
        } else {
            check_member(context, frame, &names, i, &c[i]);
        }
    }
    if (context->errors > errors) {
        return LB_E_MODEL;
    }
    lb_status status = check_connection(context, frame, c);
    for (int i = 0; i < frame->member_count && status == LB_OK; ++i) {
        status = cut_member(context, frame, i, starts ? starts[i] : 0.0, &c[i]);
    }
    if (status == LB_OK) {
        status = count_mesh(context, frame, c, wanted, fe);
    }
    if (status != LB_OK) {
        return status;
    }
    fe->joints = frame->joints;
    fe->joint_count = frame->joint_count;
    for (int i = 0; i < frame->joint_count; ++i) {
        memcpy(fe->nodes[i].x, frame->joints[i].position, sizeof fe->nodes[i].x);
        fe->nodes[i].joint = &frame->joints[i];
    }
    int node = frame->joint_count, element = 0;
    for (int i = 0; i < frame->member_count; ++i) {
        place_elements(context, frame, i, &c[i], starts ? starts[i] : 0.0, wanted[i], &node,
                       &element, fe);
    }
    for (int i = 0; i < fe->node_count * LB_FE_DOFS; ++i) {
        fe->active[i] = true;
    }
    return context->errors > errors ? LB_E_MODEL : LB_OK;
}
