// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From a mesh to the flexible body that a model takes: named nodes at joints, unnamed mass points at
// Gauss's places, modal matrices.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "fe.h"
#include "model/modal/flex_draft.h"
#include "sections.h"

// ---- modal matrices of shapes ------------------------------------------------------------------

// K and M of fields at points, and of lumps: what (BM-3) and (BM-4) are for an element.
static void add_fields(const lb_fe *fe, const lb_fe_fields *fields, double *K, double *M)
{
    const size_t n = (size_t)fields->mode_count;
    for (int e = 0; e < fe->element_count; ++e) {
        const lb_fe_element *element = &fe->elements[e];
        for (int g = 0; g < LB_FE_POINTS; ++g) {
            const lb_fe_point *p = &element->points[g];
            const double w = lb_fe_weight[g] * element->length;
            const lb_fe_field *at = fields->at_points + ((size_t)e * LB_FE_POINTS + (size_t)g) * n;
            for (size_t r = 0; r < n; ++r) {
                for (size_t s = 0; s < n; ++s) {
                    K[r * n + s] += w * lb_fe_get_stiffness(p, &at[r], &at[s]);
                    M[r * n + s] += w * lb_fe_get_mass(p, &at[r], &at[s]);
                }
            }
        }
    }
    for (size_t j = 0; j < (size_t)fe->joint_count; ++j) {
        double lump[36];
        lb_fe_form_lump(&fe->joints[j], lump);
        for (size_t r = 0; r < n; ++r) {
            for (size_t s = 0; s < n; ++s) {
                const double *a = fields->at_joints + (j * n + r) * LB_FE_DOFS;
                const double *b = fields->at_joints + (j * n + s) * LB_FE_DOFS;
                for (int i = 0; i < 36; ++i) {
                    M[r * n + s] += a[i / 6] * lump[i] * b[i % 6];
                }
            }
        }
    }
}

// What integrals of products of different shapes leave of zero is round-off.
static void drop_round_off(size_t n, double *A)
{
    for (size_t r = 0; r < n; ++r) {
        for (size_t s = 0; s < n; ++s) {
            if (r != s &&
                fabs(A[r * n + s]) < 1e-13 * sqrt(fabs(A[r * (n + 1)] * A[s * (n + 1)]))) {
                A[r * n + s] = 0.0;
            }
        }
    }
}

// ---- nodes and points --------------------------------------------------------------------------

// Shape of a node: rotation first, as a model has it.
static double *copy_shape(lb_fe_context *context, size_t n)
{
    double *shape = NULL;
    return LB_FE_TAKE(context, shape, n * LB_FE_DOFS) ? shape : NULL;
}

static lb_status copy_second(lb_fe_context *context, const lb_fe_fields *fields,
                             const double *second, double least, lb_flex_node *node)
{
    if (!fields->second_order || fields->mode_count == 0) {
        return LB_OK;
    }
    lb_second_order *entries;
    int count = 0;
    for (ptrdiff_t i = 0; i < fields->pair_count; ++i) {
        count += lb_find_largest(3, second + 3 * i) > least;
    }
    if (!LB_FE_TAKE(context, entries, count)) {
        return LB_E_MEMORY;
    }
    count = 0;
    for (int r = 0; r < fields->mode_count; ++r) {
        for (int s = r; s < fields->mode_count; ++s, second += 3) {
            lb_second_order entry = {.r = r, .s = s};
            bool any = false;
            for (int i = 0; i < 3; ++i) {
                entry.g[i] = fabs(second[i]) > least ? second[i] : 0.0;
                any = any || entry.g[i] != 0;
            }
            if (any) {
                entries[count++] = entry;
            }
        }
    }
    node->second_order = entries;
    node->second_order_count = count;
    return LB_OK;
}

static lb_status add_joint(lb_flex_body *body, const lb_fe *fe, const lb_fe_fields *fields,
                           size_t j, double least, lb_flex_node *node)
{
    const size_t n = (size_t)fields->mode_count;
    const lb_joint *joint = &fe->joints[j];
    double *shape = copy_shape(&body->context, n);
    *node = lb_default_flex_node();
    if (!shape) {
        return LB_E_MEMORY;
    }
    if (joint->name) {
        node->name = lb_arena_text(&body->context.arena, joint->name);
        if (!node->name) {
            return LB_E_MEMORY;
        }
    }
    memcpy(node->position, joint->position, sizeof node->position);
    memcpy(node->rotation, joint->rotation, sizeof node->rotation);
    memcpy(node->offset, joint->offset, sizeof node->offset);
    memcpy(node->inertia, joint->inertia, sizeof node->inertia);
    node->mass = joint->mass;
    node->shape = shape;
    for (size_t r = 0; r < n; ++r) {
        const double *from = fields->at_joints + (j * n + r) * LB_FE_DOFS;
        memcpy(shape + 6 * r, from + 3, 3 * sizeof *from);
        memcpy(shape + 6 * r + 3, from, 3 * sizeof *from);
    }
    const size_t pairs = (size_t)fields->pair_count;
    return copy_second(&body->context, fields,
                       fields->second_order ? fields->joint_second + j * pairs * 3 : NULL, least,
                       node);
}

// A Gauss point: the weight's share of the element's mass, its rotary inertia in body axes. (BM-5)
static lb_status add_point(lb_flex_body *body, const lb_fe *fe, const lb_fe_fields *fields,
                           size_t e, size_t g, double least, lb_flex_node *node)
{
    const size_t n = (size_t)fields->mode_count, at = e * LB_FE_POINTS + g;
    const lb_fe_element *element = &fe->elements[e];
    const lb_fe_point *p = &element->points[g];
    const double w = lb_fe_weight[g] * element->length, J[3] = {w * p->Jx, w * p->Jy, w * p->Jz};
    double *shape = copy_shape(&body->context, n);
    *node = lb_default_flex_node();
    if (!shape) {
        return LB_E_MEMORY;
    }
    node->mass = w * p->m;
    node->shape = shape;
    static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            node->inertia[i] += element->R[rows[i]][k] * J[k] * element->R[columns[i]][k];
        }
    }
    for (int i = 0; i < 3; ++i) {
        node->position[i] =
            fe->nodes[element->a].x[i] + element->R[i][0] * lb_fe_place[g] * element->length;
    }
    for (size_t r = 0; r < n; ++r) {
        const lb_fe_field *f = &fields->at_points[at * n + r];
        lb_fe_to_body(element->R, f->t, shape + 6 * r);
        lb_fe_to_body(element->R, f->u, shape + 6 * r + 3);
    }
    const size_t pairs = (size_t)fields->pair_count;
    return copy_second(&body->context, fields,
                       fields->second_order ? fields->point_second + at * pairs * 3 : NULL, least,
                       node);
}

// Second-order displacements below round-off of the largest are none.
static double find_least(const lb_fe *fe, const lb_fe_fields *fields)
{
    const ptrdiff_t points = (ptrdiff_t)fe->element_count * LB_FE_POINTS;
    return fields->second_order
               ? 1e-14 * lb_find_largest(points * fields->pair_count * 3, fields->point_second)
               : 0.0;
}

static lb_status finish_body(lb_flex_body *body, const lb_fe *fe, const lb_fe_fields *fields,
                             const double *K, const double *M, const lb_damping_options *damping,
                             lb_fidelity fidelity)
{
    const size_t n = (size_t)fields->mode_count;
    const int points = fe->element_count * LB_FE_POINTS;
    const double least = find_least(fe, fields);
    lb_fe_context *context = &body->context;
    lb_flex_node *nodes;
    double *stiffness, *C;
    if (!LB_FE_TAKE(context, nodes, fe->joint_count + points) ||
        !LB_FE_TAKE(context, stiffness, n * n)) {
        return LB_E_MEMORY;
    }
    memcpy(stiffness, K, n * n * sizeof *K);
    lb_status status = lb_fe_form_damping(context, damping, (int)n, M, K, &C);
    // named nodes first
    int count = 0, named = 0;
    for (int pass = 0; pass < 2 && status == LB_OK; ++pass) {
        for (int j = 0; j < fe->joint_count && status == LB_OK; ++j) {
            if ((fe->joints[j].name != NULL) == (pass == 0)) {
                status = add_joint(body, fe, fields, (size_t)j, least, &nodes[count++]);
            }
        }
        named = pass == 0 ? count : named;
    }
    for (int i = 0; i < points && status == LB_OK; ++i) {
        status = add_point(body, fe, fields, (size_t)i / LB_FE_POINTS, (size_t)i % LB_FE_POINTS,
                           least, &nodes[count++]);
    }
    if (status != LB_OK) {
        return status;
    }
    // none of them may have any, as in a bar that only stretches: say that there are none, rather than
    // that they are missing
    bool any = false;
    for (int i = 0; i < count; ++i) {
        any = any || nodes[i].second_order_count > 0;
    }
    static const lb_second_order none = {.r = 0};
    if (fields->second_order && fields->mode_count > 0 && !any) {
        nodes[count - 1].second_order = &none;
        nodes[count - 1].second_order_count = 1;
    }
    body->options = lb_default_flex_options();
    body->options.fidelity = fidelity;
    body->options.mode_count = (int)n;
    body->options.node_count = count;
    body->options.point_count = count - named;
    body->options.nodes = nodes;
    body->options.stiffness = stiffness;
    body->options.damping = C;
    for (int i = 0; i < count; ++i) {
        body->summary.mass += nodes[i].mass;
    }
    return LB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

void lb_fe_choose_motions(lb_fe *fe, int motions)
{
    static const int needed[LB_FE_DOFS] = {LB_MOTION_STRETCH, LB_MOTION_Y, LB_MOTION_Z,
                                           LB_MOTION_TWIST,   LB_MOTION_Z, LB_MOTION_Y};
    for (int i = 0; i < fe->node_count * LB_FE_DOFS; ++i) {
        fe->active[i] = (motions & needed[i % LB_FE_DOFS]) != 0;
    }
}

// Refuses what would take gigabytes: a few words of a model can ask for any number of modes.
static lb_status check_size(lb_fe_context *context, const lb_fe *fe, int mode_count, bool second)
{
    const double modes = mode_count, elements = fe->element_count, most = LB_FE_SHAPES_MOST;
    const double points = LB_FE_POINTS * elements, all = points * modes * (modes + 1) / 2;
    if (elements * modes > most) {
        return lb_fe_fail(context, "modes",
                          "%d modes of %d elements found, expected at most %.0f as their product: "
                          "ask for fewer of one of them",
                          mode_count, fe->element_count, most);
    }
    if (second && all > LB_SECOND_ORDER_MOST) {
        return lb_fe_fail(
            context, "modes",
            "%d modes have %.0f second-order displacements at the %.0f points of %d elements, "
            "expected at most %d: ask for fewer modes or elements, or give second_order: false",
            mode_count, all, points, fe->element_count, LB_SECOND_ORDER_MOST);
    }
    return LB_OK;
}

static lb_status make_body(lb_fe_context *scratch, const lb_fe_plan *plan, lb_flex_body *body)
{
    const lb_frame_options *frame = plan->frame;
    const bool second = frame->second_order && frame->fidelity == LB_FIDELITY_CONSISTENT;
    lb_fe fe = {.node_count = 0};
    lb_fe_modes modes = {.count = 0};
    lb_fe_fields fields = {.mode_count = 0};
    int root = 0;
    lb_status status = lb_fe_check_fineness(scratch, plan);
    status = status == LB_OK ? lb_fe_mesh(scratch, frame, plan->starts, &fe) : status;
    if (status != LB_OK) {
        return status;
    }
    lb_fe_choose_motions(&fe, plan->motions);
    int asked = plan->shape_count > 0 || !frame->modes ? 0 : frame->modes->count;
    for (int i = 0; i < plan->shape_count; ++i) {
        asked += plan->shapes[i].count;
    }
    status = check_size(scratch, &fe, asked, second);
    if (status != LB_OK) {
        return status;
    }
    if (plan->shape_count > 0) {
        modes.fixed = &root;
        modes.fixed_count = 1;
        status = lb_fe_sample_shapes(scratch, &fe, plan->length, plan->shapes, plan->shape_count,
                                     &fields);
    } else {
        status = lb_fe_choose_modes(scratch, &fe, frame->modes, &modes);
        if (status == LB_OK) {
            status = check_size(scratch, &fe, modes.count, second);
        }
        if (status == LB_OK) {
            status = lb_fe_sample_modes(scratch, &fe, &modes, &fields);
        }
    }
    if (status == LB_OK && second) {
        status = lb_fe_find_second_order(scratch, &fe, modes.fixed, modes.fixed_count, &fields);
    }
    if (status != LB_OK) {
        return status;
    }
    const size_t n = (size_t)fields.mode_count;
    double *K, *M;
    if (!LB_FE_TAKE(scratch, K, n * n) || !LB_FE_TAKE(scratch, M, n * n)) {
        return LB_E_MEMORY;
    }
    if (plan->shape_count > 0) {
        add_fields(&fe, &fields, K, M);
        drop_round_off(n, K);
        drop_round_off(n, M);
    }
    for (size_t r = 0; r < n && plan->shape_count == 0; ++r) {
        K[r * (n + 1)] = modes.squares[r];
        M[r * (n + 1)] = 1.0;
    }
    body->summary.element_count = fe.element_count;
    body->summary.dof_count = modes.dof_count;
    body->summary.next_frequency = sqrt(fmax(modes.next, 0.0)) / (2 * LB_FE_PI);
    return finish_body(body, &fe, &fields, K, M, frame->damping, frame->fidelity);
}

lb_status lb_fe_make_body(const lb_fe_plan *plan, const lb_allocator *allocator,
                          const lb_report *report, lb_flex_body **out)
{
    lb_fe_context scratch, kept;
    lb_fe_init(&scratch, allocator, report);
    lb_fe_init(&kept, allocator, report);
    lb_flex_body *body = lb_arena_take(&kept.arena, 1, sizeof *body);
    lb_status status = LB_E_MEMORY;
    *out = NULL;
    if (body) {
        body->context = kept;
        status = lb_fe_check_damping(&scratch, plan->frame->damping) ? LB_OK : LB_E_MODEL;
        const lb_status made = make_body(&scratch, plan, body);
        status = made == LB_OK ? status : made;
        kept = body->context;
    }
    lb_arena_free(&scratch.arena);
    if (status != LB_OK) {
        lb_arena_free(&kept.arena);
        return status;
    }
    *out = body;
    return LB_OK;
}

void lb_destroy_flex_body(lb_flex_body *body)
{
    if (body) {
        // the body lies in its own memory
        lb_fe_context context = body->context;
        lb_arena_free(&context.arena);
    }
}

const lb_flex_options *lb_get_flex_options(const lb_flex_body *body)
{
    return &body->options;
}

lb_status lb_get_flex_summary(const lb_flex_body *body, lb_flex_summary *summary)
{
    return lb_give_sized(&body->summary, sizeof body->summary,
                         LB_SIZE_THROUGH(lb_flex_summary, dof_count), summary);
}
