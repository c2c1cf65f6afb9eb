// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a document says of modal bodies that they cannot do: carry others at their tips with clamped modes,
// or stiffen under axial loads without second order.
#include <math.h>
#include <string.h>

#include "document/values.h"
#include "load_keys.h"
#include "model/modal/flex.h"
#include "simulate/forces/force_set.h"
#include "simulate/forces/forces.h"

// ---- chains ------------------------------------------------------------------------------------

// Whether the modes of a beam or frame are those of the clamped body and no others. Shapes by a formula
// are the caller's own choice.
static bool has_clamped_modes(const lb_place *body)
{
    const lb_place part = lb_place_at_key(body, lb_place_has_key(body, "beam") ? "beam" : "frame");
    if (!lb_place_has_key(&part, "modes") || lb_place_has_key(&part, "shapes")) {
        return false;
    }
    const lb_place modes = lb_place_at_key(&part, "modes");
    if (lb_place_get_kind(&modes) != LB_DOC_MAPPING) {
        return true;
    }
    if (lb_place_has_key(&modes, "corrections")) {
        return false;
    }
    const lb_place type = lb_place_at_key(&modes, "type");
    const char *name = lb_place_has_key(&modes, "type") ? lb_place_get_string(&type) : NULL;
    return !name || strcmp(name, "cantilever") == 0;
}

static void warn_of_chain(const lb_model *model, lb_reader *reader, const lb_place *bodies, int b)
{
    const int parent = lb_get_hinge(model, b).parent;
    if (parent < 0 || lb_get_hinge(model, b).type != LB_HINGE_FIXED ||
        lb_get_mode_count(model, b) == 0 || lb_get_mode_count(model, parent) == 0) {
        return;
    }
    const lb_node *node = &model->infos[parent].nodes[model->infos[b].parent_node];
    const lb_place at = lb_place_at_index(bodies, (size_t)parent);
    const bool described = lb_place_has_key(&at, "beam") || lb_place_has_key(&at, "frame");
    if (node->shape && described && has_clamped_modes(&at)) {
        lb_reader_warn(reader, &at,
                       "'%s' carries '%s' at '%s', where its clamped modes have no strain: the "
                       "chain is too stiff by a few per cent; use craig-bampton modes with this "
                       "node as interface, or corrections for a force and a moment there",
                       lb_get_body_name(model, parent), lb_get_body_name(model, b), node->name);
    }
}

// ---- stiffening --------------------------------------------------------------------------------

// Part of the modal stiffness, from which on what is left out is said: one per cent of the frequency.
static const double NOTABLE = 0.02;

static bool has_second_order(const lb_body_info *info)
{
    for (int j = 0; j < info->node_count; ++j) {
        if (info->nodes[j].second) {
            return true;
        }
    }
    return false;
}

static bool moves_nodes(const lb_model *model, int b)
{
    const lb_body_info *info = &model->infos[b];
    for (int j = 0; j < info->node_count; ++j) {
        for (int r = 0; r < lb_get_mode_count(model, b) && info->nodes[j].shape; ++r) {
            const lb_vec3 v = info->nodes[j].shape[r].v;
            if (v.x != 0 || v.y != 0 || v.z != 0) {
                return true;
            }
        }
    }
    return false;
}

// Lowest frequency with the frame held, rad/s; zero if it has none.
static double find_lowest(const lb_model *model, int b)
{
    const size_t n = (size_t)lb_get_mode_count(model, b);
    lb_arena arena = lb_make_arena(NULL);
    double *numbers = lb_take_numbers(&arena, 2 * n * n + n), lowest = 0.0;
    if (numbers && lb_compute_body_frequencies(model, b, numbers, numbers + 2 * n * n) == LB_OK) {
        lowest = numbers[2 * n * n];
    }
    lb_arena_free(&arena);
    return lowest;
}

// Mass of a body and of all that it carries, and its own.
static double sum_mass(const lb_model *model, int body, double *own)
{
    double sum = 0.0;
    for (int b = 0; b < lb_get_body_count(model); ++b) {
        const lb_body *record = &model->bodies[model->infos[b].sweep];
        const double mass = record->flex ? record->flex->mass : record->M.m;
        int k = b;
        while (k >= 0 && k != body) {
            k = lb_get_hinge(model, k).parent;
        }
        sum += k == body ? mass : 0.0;
        *own = b == body ? mass : *own;
    }
    return sum;
}

// Whether something between a body and the ground lets it fall.
static bool is_free(const lb_model *model, int body)
{
    while (lb_get_hinge(model, body).parent >= 0) {
        body = lb_get_hinge(model, body).parent;
    }
    return lb_get_hinge(model, body).type == LB_HINGE_FREE ||
           lb_get_hinge(model, body).type == LB_HINGE_TRANSLATIONAL;
}

// Acceleration of gravity along a body, from its frame to its farthest node, over that length.
static double find_axial_rate(lb_system *s, int body)
{
    const lb_body_info *info = &s->model->infos[body];
    const lb_node *far = &info->nodes[0];
    for (int j = 0; j < info->node_count; ++j) {
        const lb_vec3 p = info->nodes[j].X.p, q = far->X.p;
        far = lb_vec3_dot(p, p) > lb_vec3_dot(q, q) ? &info->nodes[j] : far;
    }
    lb_node_motion frame;
    const double length = sqrt(lb_vec3_dot(far->X.p, far->X.p));
    if (!(length > 0.0) || is_free(s->model, body) ||
        lb_compute_node_motion(s->model, s->work, body, 0, &frame) != LB_OK) {
        return 0.0;
    }
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(frame.rotation));
    // the frame of the sweeps has other axes than that of the caller, but node 0 knows both
    const lb_vec3 axis = lb_mat3_tmul_vec(&info->nodes[0].X.R, far->X.p);
    const double along = lb_vec3_dot(s->model->gravity, lb_mat3_mul_vec(&R, axis)) / length;
    return fabs(along) / length;
}

static void warn_of_body(lb_system *s, lb_reader *reader, const lb_place *at, int b)
{
    const lb_model *model = s->model;
    const double lowest = find_lowest(model, b), stiffness = lowest * lowest;
    lb_node_motion frame;
    if (!(lowest > 0.0) || lb_compute_node_motion(model, s->work, b, 0, &frame) != LB_OK) {
        return;
    }
    const lb_vec3 w = lb_vec3_from(frame.velocity);
    double own = 0.0;
    const double carried = sum_mass(model, b, &own);
    // of spin, the builder has warned already where second order could be given, but not if modes only twist
    const bool consistent = lb_get_fidelity(model, b) == LB_FIDELITY_CONSISTENT;
    const bool said = consistent && moves_nodes(model, b);
    const double spin = said ? 0.0 : lb_vec3_dot(w, w) / stiffness;
    const double axial = own > 0.0 ? find_axial_rate(s, b) * carried / own / stiffness : 0.0;
    if (fmax(spin, axial) > NOTABLE) {
        lb_reader_warn(reader, at,
                       "'%s' has no second-order displacement: what %s does to its stiffness, "
                       "about %.2g of the lowest mode's, is left out%s",
                       lb_get_body_name(model, b), spin > axial ? "its spin" : "its axial load",
                       fmax(spin, axial),
                       consistent ? "; give second_order" : "; fidelity consistent can have it");
    }
}

// Kinematics of the initial state, with driven hinges as they are at the end of the run.
static bool compute_motion(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    const size_t q_count = (size_t)s->q_count, v_count = (size_t)s->v_count;
    lb_arena arena = lb_make_arena(NULL);
    double *q = lb_take_numbers(&arena, q_count + v_count);
    bool good = q != NULL;
    if (good) {
        double *v = q + q_count;
        memcpy(q, sim->q0, q_count * sizeof *q);
        memcpy(v, sim->v0, v_count * sizeof *v);
        good =
            lb_set_driven_state(s->forces, s->model, sim->flow.options.duration, q, v) == LB_OK &&
            lb_compute_kinematics(s->model, s->work, q, v, NULL) == LB_OK;
    }
    lb_arena_free(&arena);
    return good;
}

void lb_warn_of_modes(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    lb_system *s = &sim->system;
    const lb_place bodies = lb_find_part(root, "bodies", LB_DOC_SEQUENCE);
    const int count = lb_get_body_count(s->model);
    // a document of another kind has bodies of its own
    if (!lb_place_has_key(root, "bodies") || (int)lb_place_get_count(&bodies) != count) {
        return;
    }
    // forces with mistakes are there, but not all of them can be computed
    const bool moves = reader->error_count == 0 && compute_motion(sim);
    for (int b = 0; b < count; ++b) {
        const lb_place at = lb_place_at_index(&bodies, (size_t)b);
        warn_of_chain(s->model, reader, &bodies, b);
        // nodes of a consistent `flex` without second order are warned of where they are read
        const bool said =
            lb_place_has_key(&at, "flex") && lb_get_fidelity(s->model, b) == LB_FIDELITY_CONSISTENT;
        if (moves && !said && lb_get_mode_count(s->model, b) > 0 &&
            !has_second_order(&s->model->infos[b])) {
            warn_of_body(s, reader, &at, b);
        }
    }
}
