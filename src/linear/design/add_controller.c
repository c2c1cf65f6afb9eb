// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Adds controllers to a simulation, with all laws that there are.
#include "design.h"
#include "linear/linear.h"

const lb_law *const lb_laws[LB_LAW_TYPE_COUNT] = {
    [LB_LAW_PID] = &lb_law_pid,           [LB_LAW_COMPUTED_TORQUE] = &lb_law_computed_torque,
    [LB_LAW_MATCHING] = &lb_law_matching, [LB_LAW_CALLBACK] = &lb_law_callback,
    [LB_LAW_PROCESS] = &lb_law_process,   [LB_LAW_PLUGIN] = &lb_law_plugin,
    [LB_LAW_LQR] = &lb_law_lqr,           [LB_LAW_ATTITUDE] = &lb_law_attitude,
};

// @param sound  nothing is wrong with sensors and channels
static lb_status make_law(lb_simulation *sim, const lb_law_options *options, bool sound,
                          lb_controller *c)
{
    lb_law_options own;
    if (!options) {
        LB_COMPLAIN(sim, c->law_path, "", "missing: the key \"law\" is required here");
        return LB_OK;
    }
    const lb_status status = lb_take_law_options(sim, c->law_path, options, &own);
    if (status < 0) {
        return status;
    }
    if ((int)own.type < 0 || own.type >= LB_LAW_TYPE_COUNT) {
        LB_COMPLAIN(sim, c->law_path, "type", "%d is no type of law", (int)own.type);
        return LB_OK;
    }
    const lb_law *law = lb_laws[own.type];
    for (int i = 0; law->needs_desired && i < c->sample.channel_count; ++i) {
        if (!c->channels[i].desired.given) {
            char where[LB_CONTROL_PATH_SIZE];
            lb_write_item_path(where, c->path, "actuators", i);
            LB_COMPLAIN(sim, where, "",
                        "a law of type %s needs the desired motion: "
                        "{actuator: NAME, desired: ...}",
                        law->name);
        }
    }
    if (!sound && law->needs_channels) {
        return LB_OK;
    }
    c->law = law;
    return law->make(sim, &own, c);
}

// Whether all actuators have their hinges. Where one has not, its force was complained of.
static bool have_hinges(const lb_controller *c)
{
    bool all = true;
    for (int i = 0; i < c->sample.channel_count; ++i) {
        all = all && c->channels[i].body >= 0;
    }
    return all;
}

static lb_status make_controller(lb_simulation *sim, const lb_controller_options *options,
                                 lb_controller *c)
{
    lb_controller_options own;
    const int errors = sim->faults.error_count;
    lb_status status = lb_take_controller_options(sim, c->path, options, &own);
    if (status < 0) {
        return status;
    }
    status = lb_name_controller(sim, own.name, c);
    if (lb_check_positive(sim, c->path, "rate", false, own.rate)) {
        c->rate = own.rate;
    }
    status = status < 0 ? status : lb_add_attitude_sensors(sim, c, &own);
    status = status < 0 ? status : lb_make_parts(sim, &own, c);
    lb_make_shaping(sim, &own, c);
    if (status < 0) {
        return status;
    }
    return make_law(sim, own.law, sim->faults.error_count == errors && have_hinges(c), c);
}

lb_status lb_add_controller(lb_simulation *sim, const lb_controller_options *options, int *index)
{
    const int errors = sim->faults.error_count;
    lb_controller *c;
    lb_status status = lb_check_building(sim, "controllers");
    status = status < 0 ? status : lb_begin_controller(sim, &c);
    if (status < 0) {
        return status;
    }
    status = lb_end_controller(sim, c, make_controller(sim, options, c));
    if (status < 0) {
        return status;
    }
    sim->rest = lb_rest_under_control;
    if (index) {
        *index = sim->control->count - 1;
    }
    return sim->faults.error_count > errors ? LB_E_MODEL : LB_OK;
}
