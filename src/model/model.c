// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading a finished model.
#include <string.h>

#include "hinges/hinge_list.h"
#include "layout.h"
#include "model_parts.h"

const char *lb_get_model_name(const lb_model *model)
{
    return model->name;
}

int lb_get_body_count(const lb_model *model)
{
    return model->body_count;
}

int lb_get_q_count(const lb_model *model)
{
    return model->q_count;
}

int lb_get_v_count(const lb_model *model)
{
    return model->v_count;
}

void lb_get_gravity(const lb_model *model, double gravity[3])
{
    lb_vec3_to(model->gravity, gravity);
}

int lb_find_body(const lb_model *model, const char *name)
{
    if (strcmp(name, "ground") == 0) {
        return LB_GROUND;
    }
    const int body = lb_names_find(&model->names, name);
    return body < 0 ? LB_NOT_FOUND : body;
}

const char *lb_get_body_name(const lb_model *model, int body)
{
    return body == LB_GROUND ? "ground" : model->infos[body].name;
}

lb_hinge_info lb_get_hinge(const lb_model *model, int body)
{
    const lb_body *b = lb_get_record(model, body);
    const lb_body_info *info = &model->infos[body];
    return (lb_hinge_info){.type = (lb_hinge_type)b->hinge,
                           .parent = b->parent < 0 ? LB_GROUND : model->bodies[b->parent].listed,
                           .parent_node = info->parent_node,
                           .node = info->hinge_node,
                           .q_count = b->nq,
                           .v_count = b->nv};
}

int lb_get_mode_count(const lb_model *model, int body)
{
    return lb_get_record(model, body)->mode_count;
}

int lb_get_recovery_count(const lb_model *model, int body)
{
    const lb_recovery *recovery = body == LB_GROUND ? NULL : model->infos[body].recovery;
    return recovery ? recovery->row_count : 0;
}

const char *lb_get_recovery_name(const lb_model *model, int body, int row)
{
    LB_ASSERT(row >= 0 && row < lb_get_recovery_count(model, body));
    return model->infos[body].recovery->names[row];
}

int lb_find_recovery(const lb_model *model, int body, const char *name)
{
    const int row = lb_get_recovery_count(model, body) > 0
                        ? lb_names_find(&model->infos[body].recovery->index, name)
                        : -1;
    return row >= 0 ? row : LB_NOT_FOUND;
}

bool lb_has_recovery_correction(const lb_model *model, int body)
{
    return lb_get_recovery_count(model, body) > 0 && model->infos[body].recovery->inertia;
}

int lb_get_q_offset(const lb_model *model, int body)
{
    return lb_get_record(model, body)->q;
}

int lb_get_v_offset(const lb_model *model, int body)
{
    return lb_get_record(model, body)->v;
}

void lb_get_mass_properties(const lb_model *model, int body, double *mass, double com[3],
                            double inertia[6])
{
    // from the internal frame to the caller's, then from the origin to the centre of mass
    const lb_pose X = lb_pose_inverse(&model->infos[body].nodes[0].X);
    const lb_inertia M = lb_inertia_carry(&X, &lb_get_record(model, body)->M);
    const lb_vec3 c = M.m > 0 ? lb_vec3_scale(1.0 / M.m, M.h) : lb_vec3_make(0, 0, 0);
    const lb_sym3 shift = lb_sym3_point(M.m, c);
    *mass = M.m;
    lb_vec3_to(c, com);
    const double J[6] = {M.J.xx - shift.xx, M.J.yy - shift.yy, M.J.zz - shift.zz,
                         M.J.xy - shift.xy, M.J.xz - shift.xz, M.J.yz - shift.yz};
    memcpy(inertia, J, sizeof J);
}

int lb_get_node_count(const lb_model *model, int body)
{
    return body == LB_GROUND ? model->ground_node_count : model->infos[body].node_count;
}

const char *lb_get_node_name(const lb_model *model, int body, int node)
{
    return lb_get_node(model, body, node)->name;
}

int lb_find_node(const lb_model *model, int body, const char *name)
{
    const bool is_body = body == LB_GROUND || (body >= 0 && body < model->body_count);
    const int count = is_body ? lb_get_node_count(model, body) : 0;
    for (int j = 0; j < count; ++j) {
        if (strcmp(lb_get_node_name(model, body, j), name) == 0) {
            return j;
        }
    }
    return LB_NOT_FOUND;
}

static const char *const type_names[LB_HINGE_TYPE_COUNT] = {
#define LB_ROW(TYPE, name, nq, nv, constant) [LB_HINGE_##TYPE] = #name,
    LB_HINGE_LIST(LB_ROW)
#undef LB_ROW
};

const char *lb_get_hinge_type_name(lb_hinge_type type)
{
    return type_names[type];
}
