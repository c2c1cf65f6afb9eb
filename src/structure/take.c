// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of the caller's options. A caller may have been built for an older version,
// with shorter structs. Behind this file every struct and every array has the size of this version, and
// section, modes and damping are never NULL.
#include <stdio.h>
#include <string.h>

#include "base/faults.h"
#include "base/sized.h"
#include "fe.h"

enum { PATH_SIZE = 256 };

// ---- copies ------------------------------------------------------------------------------------

// What is known of a struct that may grow.
typedef struct kind {
    const void *defaults;
    size_t size, smallest;
} kind;

// Copies over defaults into memory of the context; nothing is taken from NULL. Does nothing after a failure.
static void *copy(lb_fe_context *context, const char *path, kind of, const void *given,
                  lb_status *status)
{
    void *own = *status == LB_OK ? lb_arena_take(&context->arena, 1, of.size) : NULL;
    if (!own) {
        *status = *status == LB_OK ? LB_E_MEMORY : *status;
        return NULL;
    }
    memcpy(own, of.defaults, of.size);
    if (given) {
        *status = lb_take_reported(&context->report, path, own, of.size, of.smallest, given);
    }
    return own;
}

// Likewise an array.
static void *copy_array(lb_fe_context *context, const char *key, kind of, const void *given,
                        int count, lb_status *status)
{
    if (count < 1 || *status != LB_OK) {
        return NULL;
    }
    char *own = lb_arena_take(&context->arena, (size_t)count, of.size);
    *status = own ? LB_OK : LB_E_MEMORY;
    for (int i = 0; i < count && *status == LB_OK; ++i) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s[%d]", key, i);
        char *element = own + (size_t)i * of.size;
        memcpy(element, of.defaults, of.size);
        *status = lb_take_reported(&context->report, path, element, of.size, of.smallest,
                                   lb_get_sized(given, (size_t)i));
    }
    return own;
}

static const lb_section *copy_section(lb_fe_context *context, const char *path,
                                      const lb_section *given, lb_status *status)
{
    const lb_section defaults = lb_default_section();
    const kind section = {&defaults, sizeof defaults, LB_SIZE_THROUGH(lb_section, diameter)};
    return copy(context, path, section, given, status);
}

// The section and the stations of a beam, or of a member at `path`.
static void copy_sections(lb_fe_context *context, const char *path, const lb_section **section,
                          const lb_station **stations, int count, lb_status *status)
{
    const char *dot = *path ? "." : "";
    char where[PATH_SIZE];
    snprintf(where, sizeof where, "%s%ssection", path, dot);
    *section = copy_section(context, where, *section, status);
    if (count < 1 || *status != LB_OK) {
        return;
    }
    lb_station *own;
    *status = LB_FE_TAKE(context, own, count) ? LB_OK : LB_E_MEMORY;
    for (int i = 0; i < count && *status == LB_OK; ++i) {
        own[i] = (*stations)[i];
        snprintf(where, sizeof where, "%s%sstations[%d].section", path, dot, i);
        own[i].section = copy_section(context, where, own[i].section, status);
    }
    *stations = own;
}

// What beams and frames both have.
static void copy_common(lb_fe_context *context, const lb_modes_options **modes,
                        const lb_damping_options **damping, lb_status *status)
{
    const lb_modes_options all = lb_default_modes_options();
    const lb_damping_options none = lb_default_damping_options();
    const kind of_modes = {&all, sizeof all, LB_SIZE_THROUGH(lb_modes_options, count)};
    const kind of_damping = {&none, sizeof none, LB_SIZE_THROUGH(lb_damping_options, ratio)};
    *modes = copy(context, "modes", of_modes, *modes, status);
    *damping = copy(context, "damping", of_damping, *damping, status);
}

lb_status lb_fe_take_beam(lb_fe_context *context, const lb_beam_options *given,
                          lb_beam_options *own)
{
    const lb_lump lump = lb_default_lump();
    const kind of_lumps = {&lump, sizeof lump, LB_SIZE_THROUGH(lb_lump, mass)};
    *own = lb_default_beam_options();
    lb_status status = lb_take_reported(&context->report, "", own, sizeof *own,
                                        LB_SIZE_THROUGH(lb_beam_options, modes), given);
    copy_sections(context, "", &own->section, &own->stations, own->station_count, &status);
    copy_common(context, &own->modes, &own->damping, &status);
    own->lumps = copy_array(context, "masses", of_lumps, own->lumps, own->lump_count, &status);
    return status;
}

lb_status lb_fe_take_frame(lb_fe_context *context, const lb_frame_options *given,
                           lb_frame_options *own)
{
    const lb_joint joint = lb_default_joint();
    const lb_member member = lb_default_member();
    const kind of_joints = {&joint, sizeof joint, LB_SIZE_THROUGH(lb_joint, position)};
    const kind of_members = {&member, sizeof member, LB_SIZE_THROUGH(lb_member, section)};
    *own = lb_default_frame_options();
    lb_status status = lb_take_reported(&context->report, "", own, sizeof *own,
                                        LB_SIZE_THROUGH(lb_frame_options, modes), given);
    copy_common(context, &own->modes, &own->damping, &status);
    own->joints = copy_array(context, "joints", of_joints, own->joints, own->joint_count, &status);
    lb_member *members =
        copy_array(context, "members", of_members, own->members, own->member_count, &status);
    for (int i = 0; i < own->member_count && status == LB_OK; ++i) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "members[%d]", i);
        copy_sections(context, path, &members[i].section, &members[i].stations,
                      members[i].station_count, &status);
    }
    own->members = members;
    return status;
}

lb_status lb_fe_take_section(const char *path, const lb_section *given, const lb_report *report,
                             lb_section *own)
{
    *own = lb_default_section();
    return lb_take_reported(report, path, own, sizeof *own, LB_SIZE_THROUGH(lb_section, diameter),
                            given);
}
