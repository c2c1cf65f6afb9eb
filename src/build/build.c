// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From drafts to a model: names resolved, bodies in sweep order, frames turned.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "draft.h"
#include "dynamics/kernels/kernels.h"
#include "model/hinges/hinge_list.h"
#include "model/modal/mode_update.h"

#define ERROR(...) lb_complain(&builder->faults, LB_SEVERITY_ERROR, __VA_ARGS__)

enum { PATH_SIZE = 64 };

// Tables that live only while the model is built. Arrays are by listed body.
typedef struct plan {
    lb_builder *builder;
    lb_model *model;
    lb_arena scratch;
    lb_body_info *infos;
    lb_body *bodies;
    lb_mat3 *turn_plus; // turned O+ in O+
    int *parent;        // listed index, LB_GROUND, or UNKNOWN
    int *first_child, *next_sibling;
    struct kind *kinds; // of flexible bodies, built so far
} plan;

enum { UNKNOWN = -2 };

#define TAKE(arena, pointer, count)                                                                \
    (((pointer) = lb_arena_take((arena), (size_t)(count), sizeof *(pointer))) != NULL)

// ---- names -------------------------------------------------------------------------------------

static lb_status enter_names(plan *p)
{
    lb_builder *builder = p->builder;
    if (lb_names_init(&p->model->names, &p->model->arena, (size_t)builder->body_count) != LB_OK) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < builder->body_count; ++i) {
        const char *name = lb_arena_text(&p->model->arena, builder->bodies[i].name);
        if (!name) {
            return LB_E_MEMORY;
        }
        p->infos[i].name = name;
        const int other = lb_names_enter(&p->model->names, name, i);
        if (other >= 0) {
            char path[PATH_SIZE];
            snprintf(path, sizeof path, "bodies[%d]", i);
            ERROR(path, "name", "\"%s\" is the name of bodies[%d] already, expected unique names",
                  name, other);
        }
    }
    return LB_OK;
}

// Copies the nodes of a draft, `origin` first, in the caller's frame. Reports repeated names.
static lb_status copy_nodes(plan *p, const lb_body_draft *draft, int body, const lb_node **nodes,
                            int *count, lb_names *table)
{
    lb_builder *builder = p->builder;
    lb_node *copy;
    *count = draft->node_count + 1;
    if (!TAKE(&p->model->arena, copy, *count) ||
        lb_names_init(table, &p->scratch, (size_t)*count) != LB_OK) {
        return LB_E_MEMORY;
    }
    copy[0] = (lb_node){.name = "origin", .X = lb_pose_identity()};
    lb_names_enter(table, "origin", 0);
    int j = 1;
    for (const lb_node_draft *node = draft->first_node; node; node = node->next, ++j) {
        const char *name = lb_arena_text(&p->model->arena, node->name);
        if (!name) {
            return LB_E_MEMORY;
        }
        copy[j] = (lb_node){.name = name, .X = node->X};
        if (lb_names_enter(table, name, j) > 0) {
            char path[512];
            if (body == LB_GROUND) {
                snprintf(path, sizeof path, "ground.nodes.%s", name);
            } else {
                snprintf(path, sizeof path, "bodies[%d].nodes.%s", body, name);
            }
            ERROR(path, "", "the name stands twice, expected unique names");
        }
    }
    *nodes = copy;
    return LB_OK;
}

// The same for a flexible body, whose nodes are built later: only names.
static lb_status enter_flex_nodes(plan *p, const lb_flex_draft *flex, int body, lb_names *table)
{
    lb_builder *builder = p->builder;
    if (lb_names_init(table, &p->scratch, (size_t)flex->named_count + 1) != LB_OK) {
        return LB_E_MEMORY;
    }
    lb_names_enter(table, "origin", 0);
    for (int j = 0; j < flex->named_count; ++j) {
        const int other = lb_names_enter(table, flex->nodes[j].name, j + 1);
        if (other > 0) {
            char path[PATH_SIZE];
            snprintf(path, sizeof path, "bodies[%d].flex.nodes[%d]", body, j);
            ERROR(path, "name", "\"%s\" is the name of nodes[%d] already, expected unique names",
                  flex->nodes[j].name, other - 1);
        }
    }
    return LB_OK;
}

// Index of the node that a hinge names, or 0 with a report.
static int find_hinge_node(plan *p, const lb_names *table, int body, const char *key,
                           const char *name, const lb_body_draft *owner)
{
    const int node = lb_names_find(table, name);
    if (node < 0 && owner->nodes_unknown) {
        return 0; // reported already
    }
    if (node < 0) {
        lb_builder *builder = p->builder;
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "bodies[%d]", body);
        ERROR(path, key, "\"%s\" has no node named \"%s\"", owner->name, name);
        return 0;
    }
    return node;
}

// Loops are built after the bodies. If something is wrong with these, at least the names are checked.
static void check_loop_ends(plan *p, const lb_names *tables)
{
    lb_builder *builder = p->builder;
    int l = 0;
    for (const lb_loop_draft *loop = builder->first_loop; loop; loop = loop->next, ++l) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "loops[%d]", l);
        const lb_loop_options *o = &loop->options;
        for (int i = 0; i < 2 && o->type != LB_LOOP_COUPLER; ++i) {
            const char *key = i == 0 ? "a" : "b", *name = i == 0 ? o->body_a : o->body_b,
                       *node = i == 0 ? o->node_a : o->node_b;
            const int body = lb_find_body(p->model, name);
            const int owner = body == LB_GROUND ? builder->body_count : body;
            if (body == UNKNOWN) {
                ERROR(path, key, "no body is named \"%s\"", name);
            } else if (lb_names_find(&tables[owner], node) < 0 &&
                       (body == LB_GROUND || !builder->bodies[body].nodes_unknown)) {
                ERROR(path, key, "\"%s\" has no node named \"%s\"", name, node);
            }
        }
    }
}

static lb_status resolve_names(plan *p)
{
    lb_builder *builder = p->builder;
    lb_model *model = p->model;
    const int n = builder->body_count;
    lb_names *tables; // of nodes; the last one is the ground's
    if (!TAKE(&p->scratch, tables, n + 1) || enter_names(p) != LB_OK ||
        copy_nodes(p, &builder->ground, LB_GROUND, &model->ground_nodes, &model->ground_node_count,
                   &tables[n]) != LB_OK) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        lb_body_info *info = &p->infos[i];
        const lb_body_draft *draft = &builder->bodies[i];
        const lb_status status =
            draft->flex ? enter_flex_nodes(p, draft->flex, i, &tables[i])
                        : copy_nodes(p, draft, i, &info->nodes, &info->node_count, &tables[i]);
        if (status != LB_OK) {
            return status;
        }
    }
    for (int i = 0; i < n; ++i) {
        const lb_body_draft *draft = &builder->bodies[i];
        lb_body_info *info = &p->infos[i];
        p->parent[i] = lb_find_body(model, draft->parent);
        if (p->parent[i] == UNKNOWN) {
            char path[PATH_SIZE];
            snprintf(path, sizeof path, "bodies[%d]", i);
            ERROR(path, "parent", "no body is named \"%s\"", draft->parent);
        } else {
            const int owner = p->parent[i] == LB_GROUND ? n : p->parent[i];
            info->parent_node =
                find_hinge_node(p, &tables[owner], i, "at", draft->at,
                                owner == n ? &builder->ground : &builder->bodies[owner]);
        }
        info->hinge_node = find_hinge_node(p, &tables[i], i, "by", draft->by, draft);
    }
    if (builder->faults.error_count > 0) {
        check_loop_ends(p, tables);
    }
    return LB_OK;
}

// ---- topology ----------------------------------------------------------------------------------

// Reports each cycle once, at its first listed member.
static void report_cycles(plan *p, const int *order, int placed)
{
    lb_builder *builder = p->builder;
    const int n = builder->body_count;
    int *mark = p->first_child; // free again: 1 = has a way to the ground, -i-1 = walk i came by
    for (int i = 0; i < n; ++i) {
        mark[i] = 0;
    }
    for (int s = 0; s < placed; ++s) {
        mark[order[s]] = 1;
    }
    for (int i = 0; i < n; ++i) {
        int k = i;
        while (k >= 0 && mark[k] == 0) {
            mark[k] = -i - 1;
            k = p->parent[k];
        }
        if (k >= 0 && mark[k] == -i - 1) {
            char path[PATH_SIZE];
            snprintf(path, sizeof path, "bodies[%d]", k);
            ERROR(path, "parent",
                  "\"%s\" hangs on itself by way of \"%s\", expected a tree that ends at ground",
                  builder->bodies[k].name, builder->bodies[k].parent);
        }
    }
}

// Depth first, so that a child mostly follows its parent in memory. `order` holds listed indices.
static int order_bodies(plan *p, int *order, int *stack)
{
    const int n = p->builder->body_count;
    int first_root = -1, depth = 0, placed = 0;
    for (int i = n - 1; i >= 0; --i) {
        if (p->parent[i] != UNKNOWN) {
            int *list = p->parent[i] == LB_GROUND ? &first_root : &p->first_child[p->parent[i]];
            p->next_sibling[i] = *list;
            *list = i;
        }
    }
    for (int next = first_root; next >= 0 || depth > 0;) {
        if (next < 0) {
            next = p->next_sibling[stack[--depth]];
            continue;
        }
        order[placed++] = next;
        stack[depth++] = next;
        next = p->first_child[next];
    }
    return placed;
}

// ---- frames ------------------------------------------------------------------------------------

// A rotation whose z axis is the unit vector a.
static lb_mat3 turn_to(lb_vec3 a)
{
    // the coordinate axis least along a, made orthogonal
    const double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    if (a.x == 0 && a.y == 0 && a.z > 0) {
        return lb_mat3_identity();
    }
    const lb_vec3 e = x <= y && x <= z ? lb_vec3_make(1, 0, 0)
                      : y <= z         ? lb_vec3_make(0, 1, 0)
                                       : lb_vec3_make(0, 0, 1);
    lb_vec3 u = lb_vec3_cross(e, a);
    u = lb_vec3_scale(1.0 / lb_vec3_norm(u), u);
    const lb_vec3 t = lb_vec3_cross(u, a);
    // columns t', u, a right-handed: u x a = t, a x t = u, t x u = a
    lb_mat3 R = {{{t.x, u.x, a.x}, {t.y, u.y, a.y}, {t.z, u.z, a.z}}};
    return R;
}

// The turned O and O+ of a hinge, and the turn between a universal's axes.
static lb_status turn_hinge(plan *p, int i)
{
    const lb_hinge_options *hinge = &p->builder->bodies[i].hinge;
    lb_body *b = &p->bodies[p->infos[i].sweep];
    lb_mat3 *turn = &p->infos[i].turn;
    *turn = p->turn_plus[i] = lb_mat3_identity();
    switch (hinge->type) {
    case LB_HINGE_REVOLUTE:
    case LB_HINGE_PRISMATIC:
    case LB_HINGE_SCREW:
    case LB_HINGE_CYLINDRICAL:
        *turn = p->turn_plus[i] = turn_to(lb_vec3_from(hinge->axis));
        break;
    case LB_HINGE_UNIVERSAL: {
        lb_mat3 *between;
        if (!TAKE(&p->model->arena, between, 1)) {
            return LB_E_MEMORY;
        }
        p->turn_plus[i] = turn_to(lb_vec3_from(hinge->axes[0]));
        *turn = turn_to(lb_vec3_from(hinge->axes[1]));
        const lb_mat3 back = lb_mat3_transpose(&p->turn_plus[i]);
        *between = lb_mat3_mul(&back, turn);
        b->between = between;
        break;
    }
    default:
        break;
    }
    return LB_OK;
}

// Pose of the caller's body frame in ours: ours is O turned, O the node that carries the hinge.
static lb_pose frame_behind(const lb_pose *node, const lb_mat3 *turn)
{
    lb_pose O = *node;
    O.R = lb_mat3_mul(&O.R, turn);
    return lb_pose_inverse(&O);
}

// Second moments of the mass, 1/2 tr(J) I - J                                           (CRB-3)
//
// The sums of a slender body about its own axis stay exact to the last digits of J.zz, for J.xx and
// J.yy are then so close that their difference is exact.
static void write_second_moments(lb_sym3 J, double second[10])
{
    const double d = J.yy - J.xx;
    double *m = second + 1;
    m[0] = 0.5 * (J.zz + d);
    m[4] = 0.5 * (J.zz - d);
    m[8] = 0.5 * (J.xx + J.yy - J.zz);
    m[1] = m[3] = -J.xy;
    m[2] = m[6] = -J.xz;
    m[5] = m[7] = -J.yz;
}

// Carries inertia and nodes of a rigid body into our frame.
static void carry_rigid(plan *p, int i)
{
    lb_body_info *info = &p->infos[i];
    lb_body *b = &p->bodies[info->sweep];
    const lb_pose X = frame_behind(&info->nodes[info->hinge_node].X, &info->turn);
    b->M = lb_inertia_carry(&X, &p->builder->bodies[i].M);
    write_second_moments(b->M.J, b->second);
    lb_node *nodes = (lb_node *)info->nodes;
    for (int j = 0; j < info->node_count; ++j) {
        nodes[j].X = lb_pose_mul(&X, &nodes[j].X);
    }
}

// A kind of flexible body in one frame, shared by all bodies that need just that.
typedef struct kind {
    const lb_flex_draft *draft;
    lb_pose X;
    const lb_flex *flex;
    struct kind *next;
} kind;

static const lb_flex *get_kind(plan *p, const lb_flex_draft *draft, const lb_pose *X)
{
    for (kind *k = p->kinds; k; k = k->next) {
        if (k->draft == draft && memcmp(&k->X, X, sizeof *X) == 0) {
            return k->flex;
        }
    }
    kind *k;
    lb_arena tables;
    tables = lb_make_arena(&p->builder->arena.allocator);
    const lb_flex *flex = lb_build_flex(draft, X, &p->model->arena, &tables);
    lb_arena_free(&tables);
    if (!flex || !TAKE(&p->scratch, k, 1)) {
        return NULL;
    }
    *k = (kind){draft, *X, flex, p->kinds};
    p->kinds = k;
    return flex;
}

// Gives a flexible body its data. Our frame is the caller's where the hinge's own node moves.
static lb_status carry_flexible(plan *p, int i)
{
    lb_body_info *info = &p->infos[i];
    const lb_body_draft *draft = &p->builder->bodies[i];
    lb_body *b = &p->bodies[info->sweep];
    // integrals that the caller brought stay in his frame: then the hinge's node counts as moving
    const int moves = draft->flex->integrals || lb_draft_node_moves(draft->flex, info->hinge_node);
    const lb_pose O =
        info->hinge_node ? draft->flex->nodes[info->hinge_node - 1].X : lb_pose_identity();
    const lb_pose X = moves ? lb_pose_identity() : frame_behind(&O, &info->turn);
    const lb_flex *flex = get_kind(p, draft->flex, &X);
    if (!flex) {
        return LB_E_MEMORY;
    }
    info->nodes = flex->nodes;
    info->node_count = flex->node_count;
    info->recovery = flex->recovery;
    b->M = lb_inertia_carry(&X, &draft->M);
    b->mode_count = flex->mode_count;
    if (flex->mode_count == 0) {
        write_second_moments(b->M.J, b->second);
        return LB_OK; // a rigid body made of nodes
    }
    b->flex = flex;
    b->flex_index = p->model->flex_count++;
    if (moves) {
        lb_moving_hinge *moving;
        if (!TAKE(&p->model->arena, moving, 1)) {
            return LB_E_MEMORY;
        }
        moving->node = &flex->nodes[info->hinge_node];
        moving->X = moving->node->X;
        moving->X.R = lb_mat3_mul(&moving->X.R, &info->turn);
        b->moving = moving;
        if (lb_is_ruthless(flex)) {
            lb_vec6 *Pi;
            if (!TAKE(&p->model->arena, Pi, flex->mode_count)) {
                return LB_E_MEMORY;
            }
            for (int r = 0; r < flex->mode_count; ++r) {
                const lb_vec6 *shape = moving->node->shape;
                Pi[r] = shape ? lb_refer_to_frame(moving->X.p, shape[r]) : lb_vec6_zero();
            }
            moving->Pi = Pi;
        }
    }
    return LB_OK;
}

// ---- assembly ----------------------------------------------------------------------------------

static const int q_counts[] = {
#define LB_COUNT(TYPE, name, nq, nv, constant) [LB_HINGE_##TYPE] = nq,
    LB_HINGE_LIST(LB_COUNT)
#undef LB_COUNT
};
static const int constants[] = {
#define LB_COUNT(TYPE, name, nq, nv, constant) [LB_HINGE_##TYPE] = constant,
    LB_HINGE_LIST(LB_COUNT)
#undef LB_COUNT
};
static const int v_counts[] = {
#define LB_COUNT(TYPE, name, nq, nv, constant) [LB_HINGE_##TYPE] = nv,
    LB_HINGE_LIST(LB_COUNT)
#undef LB_COUNT
};

// Offsets into the caller's arrays (listed order) and into the workspace's (sweep order).
static lb_status number(plan *p)
{
    lb_model *model = p->model;
    long long q = 0, v = 0;
    for (int i = 0; i < model->body_count; ++i) {
        lb_body *b = &p->bodies[p->infos[i].sweep];
        b->nq = q_counts[b->hinge];
        b->nv = v_counts[b->hinge];
        b->varies = !constants[b->hinge];
        b->q = (int)q;
        b->v = (int)v;
        b->hinge_q = b->q + b->mode_count;
        b->hinge_v = b->v + b->mode_count;
        q += b->mode_count + b->nq;
        v += b->mode_count + b->nv;
        if (q > INT_MAX / 8) {
            return LB_E_MEMORY;
        }
    }
    model->q_count = (int)q;
    model->v_count = (int)v;
    int *speeds, *runs, *angle_q, *inward;
    int *last;  // outermost speed of a body or its nearest ancestor with any
    int *depth; // speeds inboard of a body
    if (!TAKE(&model->arena, speeds, v) || !TAKE(&model->arena, runs, v) ||
        !TAKE(&model->arena, angle_q, model->angle_count) || !TAKE(&model->arena, inward, v) ||
        !TAKE(&p->scratch, last, model->body_count + 1) ||
        !TAKE(&p->scratch, depth, model->body_count)) {
        return LB_E_MEMORY;
    }
    *last++ = -1; // the ground's
    for (int k = 0; k < model->body_count; ++k) {
        lb_body *b = &p->bodies[k];
        if (b->angle >= 0) {
            angle_q[b->angle] = b->hinge_q;
        }
        b->speed = k > 0 ? b[-1].speed_end : 0;
        b->speed_end = b->speed;
        last[k] = last[b->parent];
        if (b->parent >= 0) {
            const lb_body *parent = &p->bodies[b->parent];
            depth[k] = depth[b->parent] + parent->mode_count + parent->nv;
        }
        for (int i = b->v; i < b->hinge_v + b->nv; ++i) {
            speeds[b->speed_end++] = i;
            inward[i] = last[k];
            last[k] = i;
        }
        b->dof = model->hinge_count;
        b->factor = model->factor_count;
        model->hinge_count += b->nv;
        model->factor_count += b->nv * b->nv;
    }
    for (int s = (int)v - 1; s >= 0; --s) {
        runs[s] = s + 1 < v && speeds[s + 1] == speeds[s] + 1 ? runs[s + 1] + 1 : 1;
    }
    // a subtree lies in one piece, behind its root
    for (int k = model->body_count - 1; k > 0; --k) {
        lb_body *parent = &p->bodies[p->bodies[k].parent];
        if (p->bodies[k].parent >= 0 && parent->speed_end < p->bodies[k].speed_end) {
            parent->speed_end = p->bodies[k].speed_end;
        }
    }
    // a row is full where every other speed is outboard of it or inboard
    for (int i = 0; i < model->body_count; ++i) {
        const lb_body *b = &p->bodies[p->infos[i].sweep];
        if (depth[b - p->bodies] + b->speed_end - b->speed < v) {
            break;
        }
        model->full_rows = b->hinge_v + b->nv;
    }
    model->speeds = speeds;
    model->runs = runs;
    model->angle_q = angle_q;
    model->inward = inward;
    return LB_OK;
}

// Chooses, for each ruthless body, how its modes are eliminated.                        (RTH-1)
static lb_status plan_updates(plan *p)
{
    lb_model *model = p->model;
    for (int k = 0; k < model->body_count; ++k) {
        lb_body *b = &p->bodies[k];
        if (!b->flex || !lb_is_ruthless(b->flex)) {
            continue;
        }
        // children at moving nodes; one elsewhere rules the update out if it meets the modes
        // through the moving hinge
        const lb_body **children;
        int count = 0, barred = 0;
        const int i = b->listed;
        for (int j = p->first_child[i]; j >= 0; j = p->next_sibling[j]) {
            ++count;
        }
        if (!TAKE(&p->scratch, children, count)) {
            return LB_E_MEMORY;
        }
        count = 0;
        for (int j = p->first_child[i]; j >= 0; j = p->next_sibling[j]) {
            lb_body *child = &p->bodies[p->infos[j].sweep];
            barred |= !child->at && b->moving != NULL;
            if (child->at) {
                child->update_slot = count;
                children[count++] = child;
            }
        }
        const lb_elimination choice = p->builder->elimination;
        const int wanted = choice == LB_ELIMINATION_AUTO ? lb_prefers_update(b->mode_count, count)
                                                         : choice == LB_ELIMINATION_UPDATE;
        if (!barred && wanted) {
            lb_status status;
            lb_arena tables;
            tables = lb_make_arena(&p->builder->arena.allocator);
            b->update = lb_build_mode_update(b, children, count, &model->arena, &tables, &status);
            lb_arena_free(&tables);
            if (status != LB_OK) {
                return status;
            }
        }
    }
    return LB_OK;
}

static lb_status assemble(plan *p, const int *order)
{
    lb_builder *builder = p->builder;
    lb_model *model = p->model;
    const int n = builder->body_count;
    model->name = lb_arena_text(&model->arena, builder->name);
    if (!model->name) {
        return LB_E_MEMORY;
    }
    model->gravity = builder->gravity;
    model->body_count = n;
    for (int k = 0; k < n; ++k) {
        p->infos[order[k]].sweep = k;
    }
    for (int k = 0; k < n; ++k) {
        const int i = order[k], parent = p->parent[i];
        lb_body *b = &p->bodies[k];
        b->listed = i;
        b->parent = parent == LB_GROUND ? -1 : p->infos[parent].sweep;
        b->hinge = (int)builder->bodies[i].hinge.type;
        b->pitch = builder->bodies[i].hinge.pitch;
        if (turn_hinge(p, i) != LB_OK) {
            return LB_E_MEMORY;
        }
        b->flex_index = b->joint_index = -1;
        if (!builder->bodies[i].flex) {
            carry_rigid(p, i);
        } else if (carry_flexible(p, i) != LB_OK) {
            return LB_E_MEMORY;
        }

        // O+ turned, in the frame of the parent, whose nodes are carried already
        const lb_node *nodes = parent == LB_GROUND ? model->ground_nodes : p->infos[parent].nodes;
        const lb_node *at = &nodes[p->infos[i].parent_node];
        b->X_p = at->X;
        b->X_p.R = lb_mat3_mul(&b->X_p.R, &p->turn_plus[i]);
        b->at = at->shape || at->second ? at : NULL;
        if (b->at || b->moving) {
            b->joint_index = model->joint_count++;
        }
        b->simple = b->hinge == LB_HINGE_REVOLUTE && b->joint_index < 0;
        b->angle = b->simple ? model->angle_count++ : -1;
    }
    p->bodies[-1].parent = p->bodies[-1].listed = p->bodies[-1].flex_index = -1;
    const lb_status status = plan_updates(p);
    return status == LB_OK ? number(p) : status;
}

// The copy of the hot path; the environment may ask for one that is not here.
static lb_status choose_kernels(plan *p)
{
    lb_builder *builder = p->builder;
    p->model->kernels = lb_choose_kernels(builder->instructions);
    if (p->model->kernels) {
        return LB_OK;
    }
    char here[64] = "";
    for (int set = LB_INSTRUCTIONS_PORTABLE; set <= LB_INSTRUCTIONS_AVX512; ++set) {
        const lb_kernels *kernels = lb_choose_kernels((lb_instruction_set)set);
        if (kernels) {
            const size_t length = strlen(here);
            snprintf(here + length, sizeof here - length, "%s%s", length ? ", " : "",
                     kernels->name);
        }
    }
    ERROR("", "",
          "the environment variable LIMBER_INSTRUCTIONS is \"%.64s\"; on this machine, with this "
          "build of the library, it may be: %s",
          lb_get_instructions_wish(), here);
    return LB_E_UNSUPPORTED;
}

static lb_status build(plan *p)
{
    lb_builder *builder = p->builder;
    lb_model *model = p->model;
    const int n = builder->body_count;
    int *order, *stack;
    if (!TAKE(&model->arena, p->infos, n) || !TAKE(&model->arena, p->bodies, n + 1) ||
        !TAKE(&p->scratch, p->parent, n) || !TAKE(&p->scratch, p->first_child, n) ||
        !TAKE(&p->scratch, p->next_sibling, n) || !TAKE(&p->scratch, p->turn_plus, n) ||
        !TAKE(&p->scratch, order, n) || !TAKE(&p->scratch, stack, n)) {
        return LB_E_MEMORY;
    }
    p->bodies += 1; // bodies[-1] is the ground
    model->bodies = p->bodies;
    model->infos = p->infos;
    for (int i = 0; i < n; ++i) {
        p->first_child[i] = p->next_sibling[i] = -1;
    }
    lb_status status = choose_kernels(p);
    status = status == LB_OK ? resolve_names(p) : status;
    if (status != LB_OK) {
        return status;
    }
    const int placed = order_bodies(p, order, stack);
    if (placed < n) {
        report_cycles(p, order, placed);
    }
    return builder->faults.error_count ? LB_E_MODEL : assemble(p, order);
}

lb_status lb_build_model(lb_builder *builder, lb_model **out)
{
    *out = NULL;
    plan p = {.builder = builder};
    lb_arena arena;
    arena = lb_make_arena(&builder->arena.allocator);
    p.scratch = lb_make_arena(&builder->arena.allocator);
    p.model = lb_arena_take(&arena, 1, sizeof *p.model);
    if (!p.model) {
        lb_arena_free(&arena);
        return LB_E_MEMORY;
    }
    p.model->arena = arena;
    lb_status status = build(&p);
    lb_arena_free(&p.scratch);
    if (status == LB_OK) {
        status = lb_build_loops(builder, p.model);
    }
    if (status != LB_OK) {
        lb_destroy_model(p.model);
        return status;
    }
    *out = p.model;
    return LB_OK;
}

void lb_destroy_model(lb_model *model)
{
    if (model) {
        if (model->detach) {
            model->detach(model);
        }
        lb_arena_free(&model->arena); // the model lies in it
    }
}
