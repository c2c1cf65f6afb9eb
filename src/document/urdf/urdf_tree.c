// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Which link hangs on which: names to indices, one parent a link, one root, no cycle.
#include <stdlib.h>
#include <string.h>

#include "urdf_robot.h"

// By text, equal ones in the order of the file.
static int lb_urdf_compare(const void *a, const void *b)
{
    const lb_urdf_name *x = a, *y = b;
    const int order = strcmp(x->text, y->text);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

// The first entry of that name among sorted ones, or -1.
static int lb_urdf_look_up(const lb_urdf_name *names, int count, const char *text)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (strcmp(names[middle].text, text) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && strcmp(names[low].text, text) == 0 ? names[low].index : -1;
}

int lb_urdf_find_link(const lb_urdf *urdf, const char *name)
{
    return lb_urdf_look_up(urdf->link_names, urdf->named_link_count, name);
}

int lb_urdf_find_joint(const lb_urdf *urdf, const char *name)
{
    return lb_urdf_look_up(urdf->joint_names, urdf->named_joint_count, name);
}

static lb_urdf_at lb_urdf_at_joint(const lb_urdf *urdf, int joint, size_t line)
{
    return (lb_urdf_at){"joint", urdf->joints[joint].name, line};
}

static lb_urdf_at lb_urdf_at_link(const lb_urdf *urdf, int link)
{
    return (lb_urdf_at){"link", urdf->links[link].name, urdf->links[link].line};
}

// Sorts names and reports those given twice. Sorted, not hashed: they may be chosen to collide.
static void lb_urdf_sort(lb_urdf *urdf, lb_urdf_name *names, int count, const char *kind)
{
    qsort(names, (size_t)count, sizeof *names, lb_urdf_compare);
    const bool links = strcmp(kind, "link") == 0;
    for (int i = 1; i < count; ++i) {
        if (strcmp(names[i - 1].text, names[i].text) == 0) {
            const int first = names[i - 1].index, second = names[i].index;
            const lb_urdf_at at = links ? lb_urdf_at_link(urdf, second)
                                        : lb_urdf_at_joint(urdf, second, urdf->joints[second].line);
            lb_urdf_fail(urdf, &at, "name", "given twice: there is one of this name in line %zu",
                         links ? urdf->links[first].line : urdf->joints[first].line);
        }
    }
}

static int lb_urdf_resolve(lb_urdf *urdf, int joint, const char *part, const char *name,
                           size_t line)
{
    if (!name) {
        return -1; // reported as missing
    }
    const int link = lb_urdf_find_link(urdf, name);
    if (link < 0) {
        lb_text excerpt = {.length = 0};
        lb_text_add_excerpt(&excerpt, name);
        const lb_urdf_at at = lb_urdf_at_joint(urdf, joint, line);
        lb_urdf_fail(urdf, &at, part, "there is no link \"%s\"", excerpt.data);
    }
    return link;
}

static void lb_urdf_hang(lb_urdf *urdf)
{
    for (int j = 0; j < urdf->joint_count; ++j) {
        lb_urdf_joint *joint = &urdf->joints[j];
        joint->parent = lb_urdf_resolve(urdf, j, "parent", joint->parent_name, joint->parent_line);
        joint->child = lb_urdf_resolve(urdf, j, "child", joint->child_name, joint->child_line);
        if (joint->child < 0) {
            continue;
        }
        lb_urdf_link *child = &urdf->links[joint->child];
        if (child->joint >= 0) {
            lb_text link = {.length = 0}, other = {.length = 0};
            lb_text_add_excerpt(&link, child->name);
            const char *name = urdf->joints[child->joint].name;
            lb_text_add_excerpt(&other, name ? name : "?");
            const lb_urdf_at at = lb_urdf_at_joint(urdf, j, joint->child_line);
            lb_urdf_fail(urdf, &at, "child",
                         "link \"%s\" is already the child of joint \"%s\", expected one parent a "
                         "link: loops are not part of URDF",
                         link.data, other.data);
        } else {
            child->joint = j;
        }
    }
}

// The link above, or -1.
static int lb_urdf_get_parent(const lb_urdf *urdf, int link)
{
    const int joint = urdf->links[link].joint;
    return joint < 0 ? -1 : urdf->joints[joint].parent;
}

// Reports each cycle once. `seen` (one a link, zero) holds the walk in which a link was met.
static void lb_urdf_report_cycles(lb_urdf *urdf, int *seen)
{
    for (int i = 0; i < urdf->link_count; ++i) {
        int link = i;
        while (link >= 0 && seen[link] == 0) {
            seen[link] = i + 1;
            link = lb_urdf_get_parent(urdf, link);
        }
        if (link >= 0 && seen[link] == i + 1) {
            const lb_urdf_at at = lb_urdf_at_link(urdf, link);
            lb_urdf_fail(urdf, &at, "",
                         "a cycle: going from child to parent leads back here, expected a tree "
                         "with one root");
        }
    }
}

static void lb_urdf_find_root(lb_urdf *urdf)
{
    urdf->root = -1;
    for (int i = 0; i < urdf->link_count; ++i) {
        if (urdf->links[i].joint >= 0) {
            continue;
        }
        if (urdf->root < 0) {
            urdf->root = i;
            continue;
        }
        lb_text first = {.length = 0};
        const char *name = urdf->links[urdf->root].name;
        lb_text_add_excerpt(&first, name ? name : "?");
        const lb_urdf_at at = lb_urdf_at_link(urdf, i);
        lb_urdf_fail(
            urdf, &at, "",
            "no joint has this link as its child, nor link \"%s\": several roots, expected one",
            first.data);
    }
    // links of which none is a root make a cycle
    if (urdf->link_count == 0) {
        const lb_urdf_at at = {.line = urdf->line};
        lb_urdf_fail(urdf, &at, "", "no links found, expected at least one");
    }
}

lb_status lb_urdf_join(lb_urdf *urdf)
{
    lb_arena *pool = &urdf->writer.doc->pool;
    const size_t links = (size_t)urdf->link_count, joints = (size_t)urdf->joint_count;
    urdf->link_names = lb_arena_take(pool, links, sizeof *urdf->link_names);
    urdf->joint_names = lb_arena_take(pool, joints, sizeof *urdf->joint_names);
    int *seen = lb_arena_take(pool, links, sizeof *seen);
    if (!urdf->link_names || !urdf->joint_names || !seen) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < urdf->link_count; ++i) {
        seen[i] = 0;
        if (urdf->links[i].name) {
            urdf->link_names[urdf->named_link_count++] = (lb_urdf_name){urdf->links[i].name, i};
        }
    }
    for (int i = 0; i < urdf->joint_count; ++i) {
        if (urdf->joints[i].name) {
            urdf->joint_names[urdf->named_joint_count++] = (lb_urdf_name){urdf->joints[i].name, i};
        }
    }
    const int errors = urdf->error_count;
    lb_urdf_sort(urdf, urdf->link_names, urdf->named_link_count, "link");
    lb_urdf_sort(urdf, urdf->joint_names, urdf->named_joint_count, "joint");
    lb_urdf_hang(urdf);
    // after a wrong name or a second parent, roots and cycles are consequences
    bool whole = urdf->error_count == errors && urdf->named_link_count == urdf->link_count;
    for (int j = 0; j < urdf->joint_count; ++j) {
        whole = whole && urdf->joints[j].parent >= 0 && urdf->joints[j].child >= 0;
    }
    if (whole) {
        lb_urdf_find_root(urdf);
        lb_urdf_report_cycles(urdf, seen);
    }
    return LB_OK;
}

static bool lb_urdf_has_one_coordinate(const lb_urdf_joint *joint)
{
    return joint->type == LB_URDF_REVOLUTE || joint->type == LB_URDF_CONTINUOUS ||
           joint->type == LB_URDF_PRISMATIC;
}

void lb_urdf_find_mimics(lb_urdf *urdf)
{
    for (int j = 0; j < urdf->joint_count; ++j) {
        lb_urdf_joint *joint = &urdf->joints[j];
        if (!joint->mimic_name) {
            continue;
        }
        const lb_urdf_at at = lb_urdf_at_joint(urdf, j, joint->mimic_line);
        const int other = lb_urdf_find_joint(urdf, joint->mimic_name);
        lb_text name = {.length = 0};
        lb_text_add_excerpt(&name, joint->mimic_name);
        if (other < 0) {
            lb_urdf_fail(urdf, &at, "mimic.joint", "there is no joint \"%s\"", name.data);
        } else if (other == j) {
            lb_urdf_fail(urdf, &at, "mimic.joint", "a joint cannot follow itself");
        } else if (!lb_urdf_has_one_coordinate(joint)) {
            lb_urdf_fail(urdf, &at, "mimic",
                         "only revolute, continuous and prismatic joints can follow another");
        } else if (!lb_urdf_has_one_coordinate(&urdf->joints[other])) {
            lb_urdf_fail(urdf, &at, "mimic.joint",
                         "joint \"%s\" has no coordinate to follow: expected a revolute, "
                         "continuous or prismatic one",
                         name.data);
        } else {
            joint->mimic = other;
        }
    }
}
