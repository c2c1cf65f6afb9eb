// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Collecting and checking what a model is made of.
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/rotation.h"
#include "base/sized.h"
#include "base/symmetric.h"
#include "draft.h"
#include "dynamics/kernels/kernels.h"
#include "model/hinges/hinge_list.h"

enum { PATH_SIZE = 512 };

#define ERROR(...) lb_complain(&builder->faults, LB_SEVERITY_ERROR, __VA_ARGS__)
#define WARNING(...) lb_complain(&builder->faults, LB_SEVERITY_WARNING, __VA_ARGS__)

// ---- checks: each reports at "where.key" and says whether all is well --------------------------

int lb_check_finite(lb_builder *builder, const char *where, const char *key, const double *x,
                    int count)
{
    for (int i = 0; i < count; ++i) {
        if (!isfinite(x[i])) {
            ERROR(where, key, "entry %d is not a finite number", i);
            return 0;
        }
    }
    return 1;
}

// Above it, squares and products of masses, inertias and distances leave the range of numbers.
#define LARGEST 1e100

int lb_check_mass(lb_builder *builder, const char *where, double mass)
{
    if (!isfinite(mass) || mass < 0) {
        ERROR(where, "mass", "%g found, expected a finite mass that is not negative (kg)", mass);
        return 0;
    }
    if (mass > LARGEST) {
        ERROR(where, "mass", "%g kg found, expected at most %g: products with it overflow", mass,
              LARGEST);
        return 0;
    }
    return 1;
}

// Principal moments must not be negative; moments of real bodies obey the triangle inequality.
int lb_check_inertia(lb_builder *builder, const char *where, const double inertia[6], int of_line)
{
    if (!lb_check_finite(builder, where, "inertia", inertia, 6)) {
        return 0;
    }
    if (lb_find_largest(6, inertia) > LARGEST) {
        ERROR(where, "inertia", "%g kg m^2 found, expected at most %g: products with it overflow",
              lb_find_largest(6, inertia), LARGEST);
        return 0;
    }
    double A[9] = {inertia[0], inertia[3], inertia[4], inertia[3], inertia[1],
                   inertia[5], inertia[4], inertia[5], inertia[2]};
    double moments[3];
    lb_compute_eigenvalues(3, A, moments);
    // 1e-12: entries written with a few digits too few must not make a rod unphysical
    if (moments[0] < -1e-12 * fabs(moments[2])) {
        ERROR(where, "inertia",
              "principal moments %g, %g, %g found, expected none negative (xx yy zz xy xz yz are "
              "entries of the tensor about the centre of mass: xy = -integral of x y dm)",
              moments[0], moments[1], moments[2]);
        return 0;
    }
    if (!of_line && moments[0] + moments[1] < moments[2] * (1 - 1e-9)) {
        WARNING(where, "inertia",
                "principal moments %g, %g, %g violate the triangle inequality: no distribution of "
                "mass has them",
                moments[0], moments[1], moments[2]);
    }
    return 1;
}

int lb_check_direction(lb_builder *builder, const char *where, const char *key, double axis[3])
{
    // scaled first: the square of an axis of 1e-200 is zero
    const double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
    const double x = axis[0] / largest, y = axis[1] / largest, z = axis[2] / largest;
    const double norm = sqrt(x * x + y * y + z * z);
    if (!isfinite(norm) || norm == 0) {
        ERROR(where, key, "[%g, %g, %g] found, expected a direction: finite and not zero", axis[0],
              axis[1], axis[2]);
        return 0;
    }
    axis[0] = x / norm;
    axis[1] = y / norm;
    axis[2] = z / norm;
    return 1;
}

int lb_check_pose(lb_builder *builder, const char *where, const double position[3],
                  const double rotation[4], lb_pose *X)
{
    *X = lb_pose_identity();
    int good = 1;
    if (position) {
        good = lb_check_finite(builder, where, "position", position, 3);
        X->p = lb_vec3_from(position);
    }
    if (rotation) {
        const double norm = lb_compute_norm(4, rotation);
        if (!(fabs(norm - 1.0) <= 1e-6)) {
            ERROR(where, "rotation",
                  "length %.9g found, expected a unit quaternion w x y z (within 1e-6)", norm);
            return 0;
        }
        X->R = lb_quat_to_mat3(lb_quat_normalize(lb_quat_from(rotation)));
    }
    return good;
}

static int check_hinge(lb_builder *builder, const char *where, lb_hinge_options *hinge)
{
    int good = 1;
    switch (hinge->type) {
    case LB_HINGE_REVOLUTE:
    case LB_HINGE_PRISMATIC:
    case LB_HINGE_SCREW:
    case LB_HINGE_CYLINDRICAL:
        good = lb_check_direction(builder, where, "hinge.axis", hinge->axis);
        if (hinge->type == LB_HINGE_SCREW && !isfinite(hinge->pitch)) {
            ERROR(where, "hinge.pitch", "expected a finite number (m/rad)");
            good = 0;
        }
        break;
    case LB_HINGE_UNIVERSAL:
        good = lb_check_direction(builder, where, "hinge.axes[0]", hinge->axes[0]) &
               lb_check_direction(builder, where, "hinge.axes[1]", hinge->axes[1]);
        if (good) {
            const lb_vec3 n =
                lb_vec3_cross(lb_vec3_from(hinge->axes[0]), lb_vec3_from(hinge->axes[1]));
            if (lb_vec3_norm(n) < 1e-9) {
                ERROR(where, "hinge.axes",
                      "the two axes are parallel, expected two different directions");
                good = 0;
            }
        }
        break;
    default:
        if ((unsigned)hinge->type >= LB_HINGE_TYPE_COUNT) {
            ERROR(where, "hinge.type", "%d is not a hinge type", (int)hinge->type);
            good = 0;
        }
    }
    return good;
}

// ---- the builder -------------------------------------------------------------------------------

lb_builder *lb_create_builder(const lb_allocator *allocator, const lb_report *report)
{
    const lb_allocator a = lb_choose_allocator(allocator);
    lb_builder *builder = a.allocate(a.user, sizeof *builder);
    if (builder) {
        memset(builder, 0, sizeof *builder);
        builder->arena = lb_make_arena(allocator);
        builder->name = "";
        builder->ground.name = "ground";
        if (report) {
            builder->faults.report = *report;
        }
    }
    return builder;
}

void lb_destroy_builder(lb_builder *builder)
{
    if (builder) {
        const lb_allocator a = builder->arena.allocator;
        if (builder->bodies) {
            a.release(a.user, builder->bodies);
        }
        lb_arena_free(&builder->arena);
        a.release(a.user, builder);
    }
}

lb_status lb_set_model_name(lb_builder *builder, const char *name)
{
    const char *copy = lb_arena_text(&builder->arena, name);
    if (!copy) {
        return LB_E_MEMORY;
    }
    builder->name = copy;
    return LB_OK;
}

lb_status lb_set_gravity(lb_builder *builder, const double gravity[3])
{
    if (!lb_check_finite(builder, "", "gravity", gravity, 3)) {
        return LB_E_MODEL;
    }
    builder->gravity = lb_vec3_from(gravity);
    return LB_OK;
}

lb_status lb_set_instruction_set(lb_builder *builder, lb_instruction_set set)
{
    // what is wrong with the environment is said when the model is built
    if (set != LB_INSTRUCTIONS_BEST && !lb_choose_kernels(set)) {
        return LB_E_UNSUPPORTED;
    }
    builder->instructions = set;
    return LB_OK;
}

void lb_set_elimination(lb_builder *builder, lb_elimination elimination)
{
    builder->elimination = elimination;
}

// Room for one more body.
static lb_status grow(lb_builder *builder)
{
    if (builder->body_count < builder->capacity) {
        return LB_OK;
    }
    const lb_allocator *a = &builder->arena.allocator;
    const int capacity = builder->capacity ? 2 * builder->capacity : 16;
    lb_body_draft *bodies = a->allocate(a->user, (size_t)capacity * sizeof *bodies);
    if (!bodies) {
        return LB_E_MEMORY;
    }
    if (builder->bodies) {
        memcpy(bodies, builder->bodies, (size_t)builder->body_count * sizeof *bodies);
        a->release(a->user, builder->bodies);
    }
    builder->bodies = bodies;
    builder->capacity = capacity;
    return LB_OK;
}

// Inertia about the body frame of a rigid body described at its centre of mass.
static lb_inertia rigid_inertia(const lb_body_options *o)
{
    const lb_vec3 c = lb_vec3_from(o->com);
    lb_inertia M = {o->mass, lb_vec3_scale(o->mass, c),
                    lb_sym3_add(lb_sym3_from(o->inertia), lb_sym3_point(o->mass, c))};
    return M;
}

lb_status lb_add_body(lb_builder *builder, const lb_body_options *given, int *body)
{
    lb_body_options known = lb_default_body_options(), *options = &known;
    char where[PATH_SIZE];
    snprintf(where, sizeof where, "bodies[%d]", builder->body_count);
    if (lb_take_reported(&builder->faults.report, where, &known, sizeof known,
                         LB_SIZE_THROUGH(lb_body_options, name), given) != LB_OK) {
        ++builder->faults.error_count;
        return LB_E_VERSION;
    }
    if (grow(builder) != LB_OK) {
        return LB_E_MEMORY;
    }
    const int errors = builder->faults.error_count;
    lb_body_draft draft = {.hinge = options->hinge};

    // names, each kept
    const char *names[4] = {
        options->name ? options->name : "", options->parent ? options->parent : "ground",
        options->at ? options->at : "origin", options->by ? options->by : "origin"};
    const char **kept[4] = {&draft.name, &draft.parent, &draft.at, &draft.by};
    for (int i = 0; i < 4; ++i) {
        *kept[i] = lb_arena_text(&builder->arena, names[i]);
        if (!*kept[i]) {
            return LB_E_MEMORY;
        }
    }
    if (!*draft.name || strcmp(draft.name, "ground") == 0) {
        ERROR(where, "name", "\"%s\" found, expected a name that is not empty and not \"ground\"",
              draft.name);
    }

    if (options->flex) {
        char flex[PATH_SIZE + 8];
        lb_status status;
        snprintf(flex, sizeof flex, "%s.flex", where);
        draft.flex = lb_draft_flex(builder, flex, options->flex, &status);
        if (status == LB_E_MEMORY || status == LB_E_VERSION) {
            return status;
        }
        if (draft.flex) {
            draft.M = lb_get_draft_inertia(draft.flex);
        }
        draft.nodes_unknown = !draft.flex;
    } else if (lb_check_mass(builder, where, options->mass) &
               lb_check_finite(builder, where, "com", options->com, 3) &
               lb_check_inertia(builder, where, options->inertia, 0)) {
        draft.M = rigid_inertia(options);
    }
    check_hinge(builder, where, &draft.hinge);

    if (body) {
        *body = builder->body_count;
    }
    builder->bodies[builder->body_count++] = draft;
    return builder->faults.error_count == errors ? LB_OK : LB_E_MODEL;
}

lb_status lb_add_node(lb_builder *builder, int body, const char *name, const double position[3],
                      const double rotation[4])
{
    if (body != LB_GROUND && (body < 0 || body >= builder->body_count)) {
        return LB_E_ARGUMENT;
    }
    lb_body_draft *owner = body == LB_GROUND ? &builder->ground : &builder->bodies[body];
    if (owner->flex) {
        return LB_E_ARGUMENT; // its nodes came with its options
    }
    const int errors = builder->faults.error_count;
    char where[PATH_SIZE];
    if (body == LB_GROUND) {
        snprintf(where, sizeof where, "ground.nodes.%s", name);
    } else {
        snprintf(where, sizeof where, "bodies[%d].nodes.%s", body, name);
    }
    if (!*name || strcmp(name, "origin") == 0) {
        ERROR(where, "",
              "\"%s\" found, expected a name that is not empty and not \"origin\", which is the "
              "frame itself",
              name);
    }
    lb_node_draft *node = lb_arena_take(&builder->arena, 1, sizeof *node);
    if (!node || !(node->name = lb_arena_text(&builder->arena, name))) {
        return LB_E_MEMORY;
    }
    lb_check_pose(builder, where, position, rotation, &node->X);
    if (owner->last_node) {
        owner->last_node->next = node;
    } else {
        owner->first_node = node;
    }
    owner->last_node = node;
    ++owner->node_count;
    return builder->faults.error_count == errors ? LB_OK : LB_E_MODEL;
}
