// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The error that a step may make in each entry of y. Unless absolute tolerances are given, it is the
// relative tolerance times the size of the motion at hand (docs/theory/integration.md). Entries of work
// are judged by the work and the energy at hand.
#include "weights.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "model/layout.h"
#include "model/model_parts.h"

// A group that moves less than this part of the largest inner motion is judged as if it moved so much:
// it has a ten-thousandth of the energy, and may be nothing but round-off of the others.
static const double least_part = 1e-2;
// Where a body is, and how fast it goes as a whole, counts less than how that changes.
static const double carried_part = 1e-4;
// Motions smaller than this part of the model, and speeds smaller than that in an interval between
// outputs, are not resolved: before a motion has begun, its size is nothing, and round-off is not.
static const double least_motion = 1e-9;
// Work that is less than these parts of the largest work and of the energy of the inner motion is judged as if it
// were so much.
static const double least_work = 1e-2, least_energy = 1e-4;
// Errors of a long oscillation add up.
static const double reserve = 0.5;
// No tolerance is below so many parts of a number.
static const double round_off = 1e-14;

// ---- sizes of the model --------------------------------------------------------------------------

// Distance of the furthest node or mass of a body from its frame.
static double measure_body(const lb_model *model, int body)
{
    const lb_body_info *info = &model->infos[body];
    double mass = 0.0, com[3], inertia[6], largest = 0.0;
    for (int i = 0; i < info->node_count; ++i) {
        largest = fmax(largest, lb_vec3_norm(info->nodes[i].X.p));
    }
    lb_get_mass_properties(model, body, &mass, com, inertia);
    if (mass > 0.0) {
        const double polar = 0.5 * (inertia[0] + inertia[1] + inertia[2]);
        largest = fmax(largest, lb_compute_norm(3, com));
        largest = fmax(largest, sqrt(fmax(polar, 0.0) / mass));
    }
    return largest;
}

double lb_measure_model(const lb_model *model)
{
    double largest = 0.0;
    for (int k = 0; k < model->body_count; ++k) {
        largest = fmax(largest, measure_body(model, k));
    }
    return largest > 0.0 ? largest : 1.0;
}

// Largest displacement of a node by a unit of a mode. Where no node moves, that of the mean mass.
static double measure_mode(const lb_model *model, int body, int mode, double inertia)
{
    const lb_body_info *info = &model->infos[body];
    double largest = 0.0, mass = 0.0, com[3], moments[6];
    for (int i = 0; i < info->node_count; ++i) {
        const lb_vec6 *shape = info->nodes[i].shape;
        largest = shape ? fmax(largest, lb_vec3_norm(shape[mode].v)) : largest;
    }
    lb_get_mass_properties(model, body, &mass, com, moments);
    if (mass > 0.0 && inertia > 0.0) {
        largest = fmax(largest, sqrt(inertia / mass));
    }
    return largest > 0.0 ? largest : 1.0;
}

static lb_status measure_modes(lb_weights *w, const lb_system *s, int body)
{
    const int count = lb_get_mode_count(s->model, body);
    double *inertia = lb_take_numbers(s->arena, (size_t)(count * (count + 6)));
    if (!inertia) {
        return LB_E_MEMORY;
    }
    lb_get_modal_inertia(s->model, body, inertia, inertia + count * count);
    for (int i = 0; i < count; ++i) {
        const double by = measure_mode(s->model, body, i, inertia[i * count + i]);
        w->displacement[lb_get_q_offset(s->model, body) + i] = by;
        w->displacement[s->q_count + lb_get_v_offset(s->model, body) + i] = by;
    }
    return LB_OK;
}

// ---- groups --------------------------------------------------------------------------------------

static void add(lb_weights *w, lb_weight_group group)
{
    if (group.count > 0) {
        w->groups[w->group_count++] = group;
    }
}

// A range of the coordinates of a hinge and the range of its speeds that goes with it.
static void add_hinge(lb_weights *w, const lb_system *s, int body, lb_measure measure, int at,
                      int count, int speed_at, int speed_count)
{
    const int modes = lb_get_mode_count(s->model, body);
    const int q = lb_get_q_offset(s->model, body) + modes + at;
    const int v = s->q_count + lb_get_v_offset(s->model, body) + modes + speed_at;
    const bool is_quaternion = count > speed_count;
    const lb_hinge_type type = lb_get_hinge(s->model, body).type;
    const bool is_carried = measure == LB_MEASURE_SHIFT &&
                            lb_get_hinge(s->model, body).parent < 0 &&
                            (type == LB_HINGE_FREE || type == LB_HINGE_TRANSLATIONAL);
    const bool is_inner = !is_carried;
    add(w, (lb_weight_group){.first = q,
                             .count = count,
                             .rate = q,
                             .measure = measure,
                             .is_quaternion = is_quaternion,
                             .is_inner = is_inner});
    add(w, (lb_weight_group){.first = v,
                             .count = speed_count,
                             .rate = q,
                             .measure = measure,
                             .is_speed = true,
                             .is_inner = is_inner});
}

static void add_body(lb_weights *w, const lb_system *s, int body)
{
    const int count = lb_get_mode_count(s->model, body);
    const int q = lb_get_q_offset(s->model, body);
    const int v = s->q_count + lb_get_v_offset(s->model, body);
    add(w, (lb_weight_group){.first = q, .count = count, .is_inner = true});
    add(w, (lb_weight_group){.first = v, .count = count, .is_inner = true, .is_speed = true});
    switch (lb_get_hinge(s->model, body).type) {
    case LB_HINGE_CYLINDRICAL:
        add_hinge(w, s, body, LB_MEASURE_TURN, 0, 1, 0, 1);
        add_hinge(w, s, body, LB_MEASURE_SHIFT, 1, 1, 1, 1);
        break;
    case LB_HINGE_PLANAR:
        add_hinge(w, s, body, LB_MEASURE_SHIFT, 0, 2, 0, 2);
        add_hinge(w, s, body, LB_MEASURE_TURN, 2, 1, 2, 1);
        break;
    case LB_HINGE_SPHERICAL:
        add_hinge(w, s, body, LB_MEASURE_TURN, 0, 4, 0, 3);
        break;
    case LB_HINGE_FREE:
        add_hinge(w, s, body, LB_MEASURE_TURN, 0, 4, 0, 3);
        add_hinge(w, s, body, LB_MEASURE_SHIFT, 4, 3, 3, 3);
        break;
    default: {
        const int n = lb_get_hinge(s->model, body).v_count;
        const bool turns = lb_is_turn(lb_get_hinge(s->model, body).type, 0);
        add_hinge(w, s, body, turns ? LB_MEASURE_TURN : LB_MEASURE_SHIFT, 0, n, 0, n);
        break;
    }
    }
}

lb_status lb_init_weights(lb_weights *w, const lb_flow *flow)
{
    const lb_system *s = flow->system;
    const size_t q_count = (size_t)s->q_count, count = (size_t)(s->q_count + s->v_count);
    enum { GROUPS = 6 }; // per body at most
    w->groups = lb_arena_take(s->arena, GROUPS * (size_t)s->body_count, sizeof *w->groups);
    w->displacement = lb_take_numbers(s->arena, count);
    w->tolerance = lb_take_numbers(s->arena, (size_t)s->y_count);
    w->work = lb_take_numbers(s->arena, (size_t)s->work_count);
    w->start = lb_take_numbers(s->arena, q_count);
    w->start_rate = lb_take_numbers(s->arena, q_count);
    w->rate = lb_take_numbers(s->arena, q_count);
    if (!w->groups || !w->displacement || !w->tolerance || !w->work || !w->start ||
        !w->start_rate || !w->rate) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        w->displacement[i] = 1.0;
    }
    for (int k = 0; k < s->body_count; ++k) {
        const lb_status status = measure_modes(w, s, k);
        if (status < 0) {
            return status;
        }
        add_body(w, s, k);
        double mass, com[3], inertia[6];
        lb_get_mass_properties(s->model, k, &mass, com, inertia);
        w->mass += mass;
    }
    w->length = lb_measure_model(s->model);
    w->least[0] = least_motion * w->length;
    w->least[1] = least_motion * w->length / flow->options.interval;
    w->share = s->y_count > 0 ? sqrt((double)count / s->y_count) : 1.0;
    w->work_share = s->y_count > 0 ? sqrt((double)s->work_count / s->y_count) : 1.0;
    lb_reset_weights(w, flow);
    return LB_OK;
}

void lb_reset_weights(lb_weights *w, const lb_flow *flow)
{
    const lb_system *s = flow->system;
    for (int k = 0; k < w->group_count; ++k) {
        w->groups[k].size = 0.0;
    }
    w->inner[0] = w->inner[1] = w->force = 0.0;
    memset(w->work, 0, (size_t)s->work_count * sizeof *w->work);
    w->relief = 1.0;
    w->is_loose = false;
    w->start_time = flow->t;
    memcpy(w->start, flow->y, (size_t)s->q_count * sizeof *w->start);
    lb_compute_configuration_rate(s->model, flow->y, flow->y + s->q_count, w->start_rate);
    lb_update_weights(w, flow, flow->t, flow->y);
}

// ---- sizes of the motion -------------------------------------------------------------------------

// How far a shift has come from where it was at the start, or from where it would be at constant speed.
static double measure_shift(const lb_weights *w, const lb_weight_group *g, double t,
                            const double *y)
{
    double way = 0.0, bend = 0.0;
    for (int i = g->first; i < g->first + g->count; ++i) {
        const double d = y[i] - w->start[i], b = d - w->start_rate[i] * (t - w->start_time);
        way += d * d;
        bend += b * b;
    }
    return sqrt(fmin(way, bend));
}

static double measure_group(const lb_weights *w, const lb_weight_group *g, double t,
                            const double *y)
{
    double sum = 0.0;
    if (g->measure == LB_MEASURE_MODE) {
        for (int i = g->first; i < g->first + g->count; ++i) {
            sum = fmax(sum, w->displacement[i] * fabs(y[i]));
        }
        return sum;
    }
    if (g->is_speed) {
        if (g->measure == LB_MEASURE_TURN) {
            return lb_compute_norm(g->count, y + g->first);
        }
        for (int i = g->rate; i < g->rate + g->count; ++i) {
            const double d = w->rate[i] - w->start_rate[i];
            sum += d * d;
        }
        return sqrt(sum);
    }
    if (g->measure == LB_MEASURE_SHIFT) {
        return measure_shift(w, g, t, y);
    }
    if (!g->is_quaternion) {
        return fmin(lb_compute_norm(g->count, y + g->first), 1.0);
    }
    for (int i = g->first; i < g->first + g->count; ++i) {
        sum += (y[i] - w->start[i]) * (y[i] - w->start[i]);
    }
    return fmin(2.0 * sqrt(sum), 1.0);
}

// What the options say for a measure: more than 0 where it is given.
static double get_given(const lb_run_options *o, const lb_weight_group *g)
{
    const double kinds[2][LB_MEASURE_COUNT] = {
        {o->absolute_modes, o->absolute_angles, o->absolute_lengths},
        {o->absolute_mode_rates, o->absolute_rates, o->absolute_velocities}};
    return kinds[g->is_speed][g->measure];
}

//     tolerance = r/2 max(size of the group, 1e-2 of the inner motion, 1e-4 of where it is)     (TOL-1)
static double choose_tolerance(const lb_weights *w, const lb_weight_group *g, double relative,
                               const double *y)
{
    const double unit = g->measure == LB_MEASURE_TURN ? w->length : 1.0;
    const double inner = w->inner[g->is_speed] / unit, least = w->least[g->is_speed] / unit;
    const double norm =
        g->measure == LB_MEASURE_MODE ? 0.0 : lb_compute_norm(g->count, y + g->first);
    double size = fmax(fmax(g->size, least), least_part * inner);
    if (g->measure == LB_MEASURE_SHIFT) {
        size = fmax(size, carried_part * norm);
    }
    return fmax(reserve * relative * size, round_off * fmax(inner, norm));
}

// Work                                                                                  (TOL-3)
//
//     tolerance = r/2 max(|w_i|, 1e-2 of the largest, 1e-4 of the energy of the inner motion)
//
// each the largest so far. What the tolerance of a base's velocity, and an absolute tolerance, let energies be off
// is added. Locking, closing and projections jump, and are not judged.
static void choose_work_tolerances(lb_weights *w, const lb_flow *flow, const double *y)
{
    const lb_system *s = flow->system;
    const lb_run_options *o = &flow->options;
    const int first = s->q_count + s->v_count;
    static const double unjudged = 1e30; // SUNDIALS wants weights above 0
    double carried = 0.0, free = 0.0, largest = 0.0;
    for (int k = 0; k < w->group_count; ++k) {
        const lb_weight_group *g = &w->groups[k];
        if (g->is_speed && !g->is_inner) {
            const double speed = lb_compute_norm(g->count, y + g->first);
            carried = fmax(carried, speed);
            free = fmax(free, w->mass * speed * w->tolerance[g->first]);
        }
    }
    for (int i = 0; i < s->work_count; ++i) {
        w->work[i] = fmax(w->work[i], fabs(y[first + i]));
        largest = fmax(largest, w->work[i]);
    }
    const double speed = fmax(w->inner[1], w->least[1]);
    const double absolute = fmax(fmax(o->absolute_tolerance, o->absolute_velocities),
                                 fmax(o->absolute_rates * w->length, o->absolute_mode_rates));
    const double least = fmax(least_work * largest, least_energy * 0.5 * w->mass * speed * speed);
    // what is nothing, and is made larger if steps shrink for its sake
    const double nothing = fmax(w->force * w->least[0], w->mass * w->least[1] * w->least[1]);
    const double start = w->relief * reserve * o->relative_tolerance * nothing;
    // round-off counts that of what is carried along
    const double rounding = fmax(largest, 0.5 * w->mass * (speed + carried) * (speed + carried));
    const double added = w->mass * (speed + carried) * absolute + round_off * rounding;
    for (int i = 0; i < s->work_count; ++i) {
        const int other = i - s->force_count;
        const bool jumps =
            other == LB_WORK_LOCKING || other == LB_WORK_CLOSING || other == LB_WORK_PROJECTION;
        const double sum =
            reserve * o->relative_tolerance * fmax(w->work[i], least) + free + start + added;
        // without mass and forces there is no work
        w->tolerance[first + i] = jumps || sum == 0.0 ? unjudged : sum;
    }
    w->is_loose = w->relief > 1.0 && start > reserve * o->relative_tolerance * largest;
}

bool lb_relieve_work(lb_weights *w)
{
    w->relief *= 1e6;
    return w->relief < 1e20;
}

// Before anything moves, there is no work and no energy to compare errors with. Work need not be better then than
// the distance that forces do it over, with the largest force of an element, or of the mass times its largest acceleration.
void lb_start_weights(lb_weights *w, const lb_flow *flow, const double *rates)
{
    const lb_system *s = flow->system;
    double largest = 0.0;
    for (int k = 0; k < w->group_count; ++k) {
        const lb_weight_group *g = &w->groups[k];
        for (int i = g->first; g->is_speed && i < g->first + g->count; ++i) {
            const double unit = g->measure == LB_MEASURE_TURN ? w->length : w->displacement[i];
            const double force = s->force_count > 0 ? fabs(s->tau_forces[i - s->q_count]) : 0.0;
            largest = fmax(largest, unit * fabs(rates[i]));
            w->force = fmax(w->force, unit > 0.0 ? force / unit : 0.0);
        }
    }
    w->force = fmax(w->force, w->mass * largest);
    choose_work_tolerances(w, flow, flow->y);
}

void lb_update_weights(lb_weights *w, const lb_flow *flow, double t, const double *y)
{
    const lb_system *s = flow->system;
    const lb_run_options *o = &flow->options;
    lb_compute_configuration_rate(s->model, y, y + s->q_count, w->rate);
    for (int k = 0; k < w->group_count; ++k) {
        lb_weight_group *g = &w->groups[k];
        g->size = fmax(g->size, measure_group(w, g, t, y));
        if (g->is_inner) {
            const double unit = g->measure == LB_MEASURE_TURN ? w->length : 1.0;
            w->inner[g->is_speed] = fmax(w->inner[g->is_speed], g->size * unit);
        }
    }
    for (int k = 0; k < w->group_count; ++k) {
        const lb_weight_group *g = &w->groups[k];
        const double given = get_given(o, g);
        const double scaled = choose_tolerance(w, g, o->relative_tolerance, y);
        for (int i = g->first; i < g->first + g->count; ++i) {
            const double relative = o->relative_tolerance * fabs(y[i]);
            w->tolerance[i] = given > 0.0                   ? relative + given / w->displacement[i]
                              : o->absolute_tolerance > 0.0 ? relative + o->absolute_tolerance
                                                            : scaled / w->displacement[i];
        }
    }
    choose_work_tolerances(w, flow, y);
}

// The mean over q and v, and that over the work: many forces dilute no error of the motion.
void lb_fill_weights(const lb_weights *w, const lb_flow *flow, double *out)
{
    const int count = flow->system->q_count + flow->system->v_count;
    for (int i = 0; i < flow->system->y_count; ++i) {
        out[i] = 1.0 / ((i < count ? w->share : w->work_share) * w->tolerance[i]);
    }
}

static double sum_squares(int count, const double *error, const double *tolerance)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += (error[i] / tolerance[i]) * (error[i] / tolerance[i]);
    }
    return count > 0 ? sum / count : 0.0;
}

double lb_measure_error(const lb_weights *w, const lb_system *s, const double *error)
{
    const int count = s->q_count + s->v_count;
    return sqrt(sum_squares(count, error, w->tolerance) +
                sum_squares(s->work_count, error + count, w->tolerance + count));
}
