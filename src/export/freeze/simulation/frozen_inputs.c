// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs of a frozen simulation: what is in u, and the values that it has in the model itself.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/control.h"
#include "frozen_simulation.h"
#include "limber/dynamics.h"
#include "limber/work.h"

static bool is_live(const lb_force *force, lb_force_type type)
{
    return force->enabled && force->type == type;
}

// Value, rate and acceleration of each driven coordinate, from the order of the motion on.
static bool list_motion(frozen_simulation *f, const lb_force *force)
{
    static const char *const parts[3] = {"position", "speed", "acceleration"};
    bool good = true;
    for (int i = 0; i < force->function_count; ++i) {
        for (int j = force->order; good && j < 3; ++j) {
            char part[32];
            snprintf(part, sizeof part, force->function_count > 1 ? "%s.%d" : "%s", parts[j], i);
            good = lb_add_frozen_name(&f->lists, LB_FROZEN_INPUTS, force->name, part);
        }
    }
    f->lists.moves = true;
    return good;
}

// Forces whose functions of time become inputs, in the order of the option.
lb_status lb_list_inputs(frozen_simulation *f, const lb_freeze_options *options,
                         const lb_report *report)
{
    static const char *const axes[3] = {"x", "y", "z"};
    const lb_forces *forces = f->sim->system.forces;
    for (const char *at = options->inputs; at && *at;) {
        const size_t length = strcspn(at, ",");
        int found = -1;
        for (int i = 0; i < forces->count; ++i) {
            const char *name = forces->forces[i].name;
            found = strlen(name) == length && memcmp(name, at, length) == 0 ? i : found;
        }
        const lb_force *force = found >= 0 ? &forces->forces[found] : NULL;
        const lb_status desired = force ? LB_E_ARGUMENT : lb_add_reference(f, at, length);
        if (desired != LB_E_ARGUMENT) {
            if (desired != LB_OK) {
                return desired;
            }
            at += length + (at[length] == ',');
            continue;
        }
        const bool vector =
            force && (is_live(force, LB_FORCE_FORCE) || is_live(force, LB_FORCE_TORQUE));
        const bool motion = force && is_live(force, LB_FORCE_MOTION);
        if (!force || f->inputs[found] >= 0 ||
            !(vector || motion || is_live(force, LB_FORCE_MOTOR))) {
            return lb_refuse_to_freeze(report, LB_E_ARGUMENT, "inputs: '%.*s' %s",
                                       (int)(length < 80 ? length : 80), at,
                                       !force ? "is not a force of the model, nor a desired "
                                                "motion CONTROLLER.ACTUATOR that is frozen"
                                       : f->inputs[found] >= 0 ? "is an input already"
                                                               : "is not a motor, force, torque or "
                                                                 "motion");
        }
        if (motion && options->language == LB_FROZEN_CUDA) {
            return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                       "inputs: '%s' is a motion, which can be an input in C but "
                                       "not in CUDA: leave it to its function of time",
                                       force->name);
        }
        f->inputs[found] = f->lists.counts[LB_FROZEN_INPUTS];
        if (motion && !list_motion(f, force)) {
            return LB_E_MEMORY;
        }
        for (int j = 0; !motion && j < (vector ? 3 : 1); ++j) {
            if (!lb_add_frozen_name(&f->lists, LB_FROZEN_INPUTS, force->name,
                                    vector ? axes[j] : NULL)) {
                return LB_E_MEMORY;
            }
        }
        at += length + (at[length] == ',');
    }
    return LB_OK;
}

// Motions that are inputs have their own values at the sample: loops are closed there.
void lb_give_motions(const frozen_simulation *f, double t, double *u)
{
    const lb_forces *forces = f->sim->system.forces;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        double *to = u + f->inputs[i];
        for (int j = 0;
             is_live(force, LB_FORCE_MOTION) && f->inputs[i] >= 0 && j < force->function_count;
             ++j) {
            double x[3];
            lb_evaluate_motion(&force->functions[j], t, x);
            for (int k = 0; k < 3 - force->order; ++k) {
                *to++ = x[k];
            }
        }
    }
}

// Functions of time of motors, forces and torques; one that has no finite value there gives 0.
static void start_force(const lb_force *force, const lb_instant *at, double *to)
{
    for (int i = 0; i < force->function_count; ++i) {
        const lb_status status = lb_evaluate_function(&force->functions[i], at, &to[i]);
        to[i] = status >= 0 && isfinite(to[i]) ? to[i] : 0.0;
    }
}

lb_status lb_find_starts(frozen_simulation *f)
{
    const lb_simulation *sim = f->sim;
    const double *q = sim->flow.y, *v = q + f->model->q_count;
    double *u = f->lists.starts =
        calloc((size_t)f->lists.counts[LB_FROZEN_INPUTS] + 1, sizeof *f->lists.starts);
    lb_work *work = u ? lb_create_work(f->model) : NULL;
    lb_status status = work ? lb_compute_kinematics(f->model, work, q, v, NULL) : LB_E_MEMORY;
    if (status >= 0) {
        const lb_instant at = lb_make_instant(f->model, work, sim->flow.t, q, v, NULL);
        for (int i = 0; i < sim->system.forces->count; ++i) {
            const lb_force *force = &sim->system.forces->forces[i];
            if (f->inputs[i] >= 0 && force->type != LB_FORCE_MOTION &&
                force->type != LB_FORCE_ACTUATOR) {
                start_force(force, &at, u + f->inputs[i]);
            }
        }
        lb_give_motions(f, sim->flow.t, u);
        for (int i = 0; f->places && i < sim->control->count; ++i) {
            const lb_controller *c = &sim->control->controllers[i];
            for (int j = 0; j < c->sample.channel_count; ++j) {
                const int first = f->places[i].references[j];
                if (first >= 0) {
                    lb_evaluate_desired(&c->channels[j].desired, sim->flow.t, u + first);
                }
            }
        }
        status = LB_OK;
    }
    lb_destroy_work(work);
    return status;
}
