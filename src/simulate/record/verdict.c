// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How far energy and momentum may be off at the end of a run, by its tolerance.
#include <math.h>

#include "record.h"
#include "simulate/forces/forces.h"
#include "simulate/integrate/weights.h"

// Errors of steps may all have one sign, and an integral of them is more than one of them.
enum { STEP_FACTOR = 10, START_FACTOR = 1000 };
// More than this is explained by no tolerance; with fixed steps there is none.
static const double most = 1e-2;
static const double round_off = 1e-15;

// Whether a force acts between bodies only.
static bool is_internal(const lb_simulation *sim, const lb_force *force)
{
    switch (force->type) {
    case LB_FORCE_SPRING:
    case LB_FORCE_DAMPER:
        if (force->at_nodes) {
            return force->bodies[0] >= 0 && force->bodies[1] >= 0;
        }
        break;
    case LB_FORCE_FRICTION:
    case LB_FORCE_STOP:
    case LB_FORCE_MOTOR:
    case LB_FORCE_MOTION:
    case LB_FORCE_ACTUATOR:
        break;
    default:
        return false;
    }
    return lb_get_hinge(sim->system.model, force->body).parent >= 0;
}

// Whether nothing from outside acts on the system: momentum is conserved.
static bool is_free(const lb_simulation *sim)
{
    const lb_model *model = sim->system.model;
    double gravity[3];
    lb_get_gravity(model, gravity);
    bool free = gravity[0] == 0.0 && gravity[1] == 0.0 && gravity[2] == 0.0 && !sim->system.closure;
    for (int k = 0; k < sim->system.body_count; ++k) {
        const bool is_base = lb_get_hinge(model, k).parent < 0;
        free = free && (!is_base || lb_get_hinge(model, k).type == LB_HINGE_FREE);
    }
    for (int i = 0; i < sim->system.force_count; ++i) {
        free = free && is_internal(sim, &sim->system.forces->forces[i]);
    }
    for (int i = 0; i < sim->event_count; ++i) {
        for (int j = 0; j < sim->events[i].action_count; ++j) {
            const lb_action *action = &sim->events[i].actions[j];
            free = free && !(action->type == LB_ACTION_LOCK &&
                             lb_get_hinge(model, action->subject).parent < 0);
        }
    }
    return free;
}

// Whether the inertia of all bodies is that of an energy.
static bool is_consistent(const lb_simulation *sim)
{
    for (int k = 0; k < sim->system.body_count; ++k) {
        if (lb_get_fidelity(sim->system.model, k) != LB_FIDELITY_CONSISTENT) {
            return false;
        }
    }
    return true;
}

//     bound = min(r (1000 + 10 steps), 0.01) E + round-off                                    (TOL-2)
void lb_set_audit_bounds(const lb_simulation *sim, const lb_largest *largest, lb_audit *audit)
{
    const lb_model *model = sim->system.model;
    const lb_run_options *o = &sim->flow.options;
    const double rounding = round_off * (START_FACTOR + STEP_FACTOR * audit->steps);
    const double explained =
        lb_is_fixed_step(o->integrator)
            ? most
            : fmin(o->relative_tolerance * (START_FACTOR + STEP_FACTOR * audit->steps), most);
    double mass = 0.0;
    for (int k = 0; k < sim->system.body_count; ++k) {
        double m, com[3], inertia[6];
        lb_get_mass_properties(model, k, &m, com, inertia);
        mass += m;
    }
    const double own = sqrt(2.0 * mass * largest->kinetic);
    const bool is_energy = is_consistent(sim), free = is_energy && is_free(sim);
    // what a step may do to a velocity that is carried along: (TOL-1)
    audit->linear_bound =
        free ? explained * (own + 1e-4 * largest->linear) + rounding * largest->linear
             : (double)NAN;
    // read out about a centre of mass that may be far away
    audit->angular_bound =
        free ? (explained + rounding) * (largest->angular + lb_measure_model(model) * own) +
                   round_off * largest->distance * largest->linear
             : (double)NAN;
    audit->energy_bound =
        is_energy ? explained * audit->motion_energy + rounding * largest->energy : (double)NAN;
    // a change of momentum, which is judged by itself, goes with energy if the whole is fast
    if (free) {
        audit->energy_bound += fmin(largest->linear_change, audit->linear_bound) * largest->speed;
    }
}

// The straight line through n points: its slope, and the sum of squares that it leaves.
static double fit_line(int n, const double *x, const double *y, double *left)
{
    double mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
    for (int i = 0; i < n; ++i) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    for (int i = 0; i < n; ++i) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
    }
    *left = fmax(yy - xy * xy / xx, 0.0);
    return xy / xx;
}

// Growth                                                                                (TOL-4)
//
//     ln e_i = c + 2 rate t_i,     i in the second half
//
// with e_i the largest energy in part i of 16, less the least of all. It is exponential if a power of t fits worse, and
// e grows by a factor of 2.5 at least.
static double fit_growth(const double peaks[LB_PEAKS], double least, double part,
                         bool *is_exponential)
{
    enum { FIRST = LB_PEAKS / 2, COUNT = LB_PEAKS - FIRST };
    static const double factor = 2.5, worse = 1.5;
    double t[COUNT], log_t[COUNT], log_e[COUNT], left, power_left;
    *is_exponential = false;
    for (int i = 0; i < COUNT; ++i) {
        const double e = peaks[FIRST + i] - least;
        if (!(e > 0.0)) {
            return 0.0;
        }
        t[i] = (FIRST + i + 0.5) * part;
        log_t[i] = log(t[i]);
        log_e[i] = log(e);
    }
    const double slope = fit_line(COUNT, t, log_e, &left);
    (void)fit_line(COUNT, log_t, log_e, &power_left);
    *is_exponential = slope * (COUNT - 1) * part > log(factor) && power_left > worse * left;
    return 0.5 * slope;
}

// A force that is a function of time, the speed of a driven hinge, or a speed that a controller wants.
typedef struct given {
    const lb_simulation *sim;
    const lb_function *function; ///< NULL for the speed that is wanted
    bool is_motion;              ///< of a driven hinge; forces have no derivatives
    int index;                   ///< of the speed
} given;

static double evaluate(const given *g, double t)
{
    double x[3] = {0.0, 0.0, 0.0};
    if (!g->function) {
        return g->sim->sampler->find_desired_speed(g->sim, g->index, t);
    }
    if (g->is_motion) {
        lb_evaluate_motion(g->function, t, x);
        return x[1];
    }
    const lb_instant instant = lb_make_instant(NULL, NULL, t, NULL, NULL, NULL);
    (void)lb_evaluate_function(g->function, &instant, x); // of t alone: cannot fail
    return x[0];
}

// Whether it grows as fast as the motion by itself, but for a fifth: what follows it does nothing else.
static bool grows_itself(const given *g, double part, double rate)
{
    enum { LOOKS = 64 };
    double peaks[LB_PEAKS] = {0.0};
    bool is_exponential;
    for (int i = 0; i < LB_PEAKS * LOOKS; ++i) {
        const double x = evaluate(g, (i + 0.5) / LOOKS * part);
        peaks[i / LOOKS] = fmax(peaks[i / LOOKS], x * x);
    }
    return fit_growth(peaks, 0.0, part, &is_exponential) > 0.8 * rate;
}

static bool is_growth_given(const lb_simulation *sim, double part, double rate)
{
    const lb_system *s = &sim->system;
    bool found = false;
    for (int i = 0; i < s->force_count && !found; ++i) {
        const lb_force *force = &s->forces->forces[i];
        for (int k = 0; k < force->function_count && !force->reads_state && !found; ++k) {
            const given g = {sim, &force->functions[k], force->type == LB_FORCE_MOTION, 0};
            found = lb_varies_in_time(g.function) && grows_itself(&g, part, rate);
        }
    }
    for (given g = {sim, NULL, false, 0}; !found && !isnan(evaluate(&g, 0.0)); ++g.index) {
        found = grows_itself(&g, part, rate);
    }
    return found;
}

double lb_measure_growth(const lb_simulation *sim, const double peaks[LB_PEAKS], double least)
{
    const double part = sim->flow.options.duration / LB_PEAKS;
    bool is_exponential;
    const double rate = fit_growth(peaks, least, part, &is_exponential);
    return is_exponential && !is_growth_given(sim, part, rate) ? rate : 0.0;
}
