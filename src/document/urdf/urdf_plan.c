// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of each link: a body, or a node of the body that it is fixed to, which then has its
// inertia; and what the nodes are called.
#include <string.h>

#include "base/rotation.h"
#include "urdf_robot.h"

// ---- small mechanics ---------------------------------------------------------------------------

lb_urdf_pose lb_urdf_identity(void)
{
    return (lb_urdf_pose){{1, 0, 0, 0}, {0, 0, 0}};
}

lb_urdf_pose lb_urdf_compose(const lb_urdf_pose *a, const lb_urdf_pose *b)
{
    const lb_mat3 R = lb_quat_to_mat3(a->r);
    return (lb_urdf_pose){lb_quat_normalize(lb_quat_mul(a->r, b->r)),
                          lb_vec3_add(a->p, lb_mat3_mul_vec(&R, b->p))};
}

// Adds what lies at a pose. Both parts stay about centres of mass: inertias about a far origin would
// lose their digits when they return from it.
static void lb_urdf_add_inertia(lb_urdf_inertia *sum, const lb_urdf_pose *pose,
                                const lb_urdf_inertia *part)
{
    const lb_mat3 R = lb_quat_to_mat3(pose->r);
    const lb_vec3 com = lb_vec3_add(pose->p, lb_mat3_mul_vec(&R, part->com));
    const double mass = sum->mass + part->mass;
    const double share = mass > 0 ? part->mass / mass : 0;
    const lb_vec3 apart = lb_vec3_sub(com, sum->com);
    sum->J = lb_sym3_add(sum->J, lb_sym3_rotate(&R, part->J));
    if (part->mass > 0) {
        sum->J = lb_sym3_add(sum->J, lb_sym3_point(sum->mass * share, apart));
        sum->com = lb_vec3_axpy(sum->com, share, apart);
    }
    sum->mass = mass;
}

// ---- what becomes of each link -----------------------------------------------------------------

static bool lb_urdf_is_merged(const lb_urdf *urdf, const lb_load_options *options, int link)
{
    if (options->keep_fixed) {
        return false;
    }
    return link == urdf->root ? !options->floating_base
                              : urdf->joints[urdf->links[link].joint].type == LB_URDF_FIXED;
}

static void lb_urdf_place_link(lb_urdf_plan *plan, const lb_load_options *options, int link)
{
    lb_urdf *urdf = plan->urdf;
    lb_urdf_body *body = &plan->bodies[link];
    body->owner = link;
    body->pose = lb_urdf_identity();
    body->inertia = urdf->links[link].inertia;
    if (!lb_urdf_is_merged(urdf, options, link)) {
        return;
    }
    if (link == urdf->root) {
        body->owner = plan->ground;
    } else {
        const lb_urdf_joint *joint = &urdf->joints[urdf->links[link].joint];
        const lb_urdf_body *parent = &plan->bodies[joint->parent];
        body->owner = parent->owner;
        body->pose = lb_urdf_compose(&parent->pose, &joint->origin);
    }
    lb_urdf_add_inertia(&plan->bodies[body->owner].inertia, &body->pose, &body->inertia);
}

// Links from the root outwards, so that an owner is known before those fixed to it.
static lb_status lb_urdf_place_links(lb_urdf_plan *plan, const lb_load_options *options)
{
    const lb_urdf *urdf = plan->urdf;
    lb_arena *pool = &urdf->writer.doc->pool;
    const size_t n = (size_t)urdf->link_count;
    int *first_child = lb_arena_take(pool, n, sizeof *first_child);
    int *next_sibling = lb_arena_take(pool, n, sizeof *next_sibling);
    int *queue = lb_arena_take(pool, n, sizeof *queue);
    if (!first_child || !next_sibling || !queue) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < urdf->link_count; ++i) {
        first_child[i] = -1;
    }
    for (int i = urdf->link_count - 1; i >= 0; --i) {
        if (i != urdf->root) {
            const int parent = urdf->joints[urdf->links[i].joint].parent;
            next_sibling[i] = first_child[parent];
            first_child[parent] = i;
        }
    }
    int end = 0;
    queue[end++] = urdf->root;
    for (int i = 0; i < end; ++i) {
        lb_urdf_place_link(plan, options, queue[i]);
        for (int child = first_child[queue[i]]; child >= 0; child = next_sibling[child]) {
            queue[end++] = child;
        }
    }
    return LB_OK;
}

// Lists, for every body, the links and joints that become its nodes, in the order of the file.
static void lb_urdf_list_nodes(lb_urdf_plan *plan)
{
    const lb_urdf *urdf = plan->urdf;
    for (int i = urdf->link_count - 1; i >= 0; --i) {
        lb_urdf_body *body = &plan->bodies[i];
        if (body->owner != i) {
            body->next_link = plan->bodies[body->owner].first_link;
            plan->bodies[body->owner].first_link = i;
        }
    }
    for (int j = urdf->joint_count - 1; j >= 0; --j) {
        const lb_urdf_joint *joint = &urdf->joints[j];
        if (plan->bodies[joint->child].owner == joint->child) {
            lb_urdf_body *body = &plan->bodies[plan->bodies[joint->parent].owner];
            plan->next_joint[j] = body->first_joint;
            body->first_joint = j;
        }
    }
}

lb_status lb_urdf_make_plan(lb_urdf_plan *plan, lb_urdf *urdf, const lb_load_options *options)
{
    lb_arena *pool = &urdf->writer.doc->pool;
    *plan = (lb_urdf_plan){.urdf = urdf, .ground = urdf->link_count};
    plan->bodies = lb_arena_take(pool, (size_t)urdf->link_count + 1, sizeof *plan->bodies);
    plan->next_joint = lb_arena_take(pool, (size_t)urdf->joint_count, sizeof *plan->next_joint);
    if (!plan->bodies || !plan->next_joint) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i <= urdf->link_count; ++i) {
        plan->bodies[i] = (lb_urdf_body){.owner = plan->ground,
                                         .pose = lb_urdf_identity(),
                                         .first_link = -1,
                                         .first_joint = -1,
                                         .next_link = -1};
    }
    const lb_status status = lb_urdf_place_links(plan, options);
    if (status == LB_OK) {
        lb_urdf_list_nodes(plan);
    }
    return status;
}

// ---- masses ------------------------------------------------------------------------------------

lb_status lb_urdf_warn_of_masses(lb_urdf_plan *plan, const lb_load_options *options)
{
    lb_urdf *urdf = plan->urdf;
    bool *heavy = lb_arena_take(&urdf->writer.doc->pool, (size_t)urdf->link_count, sizeof *heavy);
    if (!heavy) {
        return LB_E_MEMORY;
    }
    // from every link with mass or inertia up to the root, or to where another way has been
    for (int i = 0; i < urdf->link_count; ++i) {
        const lb_urdf_inertia *own = &urdf->links[i].inertia;
        const bool has = own->mass > 0 || own->J.xx > 0 || own->J.yy > 0 || own->J.zz > 0;
        for (int link = has ? i : -1; link >= 0 && !heavy[link];) {
            heavy[link] = true;
            link = urdf->links[link].joint < 0 ? -1 : urdf->joints[urdf->links[link].joint].parent;
        }
    }
    int count = 0, first = -1, movable = options->floating_base;
    for (int j = 0; j < urdf->joint_count; ++j) {
        const int child = urdf->joints[j].child;
        const bool moves =
            plan->bodies[child].owner == child && urdf->joints[j].type != LB_URDF_FIXED;
        movable += moves;
        if (moves && !heavy[child]) {
            first = first < 0 ? j : first;
            ++count;
        }
    }
    if (!heavy[urdf->root] && movable > 0) {
        const lb_urdf_at at = {.line = urdf->line};
        lb_urdf_warn(urdf, &at, "",
                     "no link has a mass: positions and velocities can be computed, accelerations "
                     "cannot, so that a run, modes and the like are refused");
    } else if (count > 0) {
        const lb_urdf_at at = {"joint", urdf->joints[first].name, urdf->joints[first].line};
        lb_text others = {.length = 0};
        if (count > 1) {
            lb_text_add(&others, ", nor on %d other joint%s", count - 1, count > 2 ? "s" : "");
        }
        lb_urdf_warn(urdf, &at, "",
                     "nothing that hangs on this joint has a mass%s: no acceleration follows "
                     "there; give the links an <inertial>, or fix the joint",
                     others.data);
    }
    return LB_OK;
}

// ---- names of nodes ----------------------------------------------------------------------------

// Whether a body has a node of that name: `origin`, or a link that was fixed to it.
static bool lb_urdf_is_node(const lb_urdf_plan *plan, int body, const char *name)
{
    const int link = lb_urdf_find_link(plan->urdf, name);
    return strcmp(name, "origin") == 0 ||
           (link >= 0 && link != body && plan->bodies[link].owner == body);
}

lb_status lb_urdf_name_node(lb_urdf_plan *plan, int joint, int body, const char **name)
{
    static const char suffix[] = "_joint";
    lb_urdf *urdf = plan->urdf;
    *name = urdf->joints[joint].name;
    if (!lb_urdf_is_node(plan, body, *name)) {
        return LB_OK;
    }
    const size_t length = strlen(*name);
    char *longer = lb_arena_take_text(&urdf->writer.doc->pool, length + sizeof suffix);
    if (!longer) {
        return LB_E_MEMORY;
    }
    memcpy(longer, *name, length);
    memcpy(longer + length, suffix, sizeof suffix);
    *name = longer;
    if (lb_urdf_is_node(plan, body, longer) || lb_urdf_find_joint(urdf, longer) >= 0) {
        const lb_urdf_at at = {"joint", urdf->joints[joint].name, urdf->joints[joint].line};
        lb_urdf_fail(urdf, &at, "name",
                     "this name, and the same with \"_joint\", are taken by others at the same "
                     "body: rename the joint");
    }
    return LB_OK;
}

void lb_urdf_check_names(lb_urdf_plan *plan)
{
    lb_urdf *urdf = plan->urdf;
    for (int i = 0; i < urdf->link_count; ++i) {
        const lb_urdf_at at = {"link", urdf->links[i].name, urdf->links[i].line};
        const bool body = plan->bodies[i].owner == i;
        if (strcmp(at.name, body ? "ground" : "origin") == 0) {
            lb_urdf_fail(urdf, &at, "name", "reserved for %s: rename the link",
                         body ? "what does not move" : "the frame of a body");
        }
    }
}
