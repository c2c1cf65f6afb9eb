// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A moment of a recorded run, for those who do not run on from it: state, what events have switched so far,
// and what actuators deliver.
#include <string.h>

#include "simulate/forces/forces.h"
#include "simulate/system/closure.h"
#include "simulation.h"

static int find_table(const lb_results *results, const char *name)
{
    const lb_results_info *info = lb_get_results_info(results);
    for (int i = 0; i < info->table_count; ++i) {
        if (strcmp(info->tables[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// One row of a table that has as many columns as it should.
static lb_status read_row(lb_simulation *sim, const lb_results *results, const char *name,
                          int count, long row, double *values)
{
    const int table = find_table(results, name);
    const int recorded = table < 0 ? 0 : lb_get_results_info(results)->tables[table].column_count;
    if (count == 0) {
        return LB_OK;
    }
    if (recorded != count) {
        return lb_say(&sim->system, LB_E_ARGUMENT,
                      "the run is of another model: %d columns of %s recorded, expected %d",
                      recorded, name, count);
    }
    const lb_status status = lb_read_table(results, table, row, 1, values);
    return status < 0 ? lb_say(&sim->system, status, "%s", lb_get_results_message(results))
                      : status;
}

// Does again what the events up to this moment did, without their impulses.
static lb_status replay_events(lb_simulation *sim, const lb_results *results)
{
    lb_status status = LB_OK;
    bool ignored = false;
    for (int i = 0; status >= 0 && i < lb_get_results_info(results)->event_count; ++i) {
        const char *name;
        double t;
        status = lb_read_event(results, i, &t, &name);
        if (status < 0) {
            lb_say(&sim->system, status, "%s", lb_get_results_message(results));
        }
        // a row at the time of an event is the one behind it
        const int event = status >= 0 && t <= sim->flow.t ? lb_find_event(sim, name) : LB_NOT_FOUND;
        if (event != LB_NOT_FOUND) {
            status = lb_apply_event(sim, event, true, &ignored, &ignored);
        }
    }
    return status;
}

// The force of an actuator is a column such as "controller.actuator.force".
static lb_status set_actuators(lb_simulation *sim, const lb_results *results, long row)
{
    const lb_results_info *info = lb_get_results_info(results);
    const int table = find_table(results, "control");
    const int count = table < 0 ? 0 : info->tables[table].column_count;
    double *values = lb_take_numbers(&sim->arena, (size_t)count);
    if (!values) {
        return LB_E_MEMORY;
    }
    const lb_status status = count > 0 ? lb_read_table(results, table, row, 1, values) : LB_OK;
    lb_forces *forces = sim->system.forces;
    for (int f = 0; status >= 0 && f < forces->count; ++f) {
        lb_force *force = &forces->forces[f];
        for (int i = 0; force->type == LB_FORCE_ACTUATOR && i < count; ++i) {
            static const char end[] = ".force";
            const char *column = info->tables[table].columns[i];
            const size_t length = strlen(column), tail = sizeof end - 1, own = strlen(force->name);
            if (length > own + tail && strcmp(column + length - tail, end) == 0 &&
                column[length - tail - own - 1] == '.' &&
                strncmp(column + length - tail - own, force->name, own) == 0) {
                // it stays so
                force->target = force->ramp = force->output = values[i];
                force->t_command = sim->flow.t;
            }
        }
    }
    return status;
}

lb_status lb_restore_moment(lb_simulation *sim, const lb_results *results, long row,
                            unsigned char *locked)
{
    const lb_results_info *info = lb_get_results_info(results);
    lb_system *s = &sim->system;
    if (sim->stage == LB_STAGE_RUNNING) {
        return lb_say(s, LB_E_ARGUMENT, "a moment is restored before the simulation is started");
    }
    if (sim->stage == LB_STAGE_MOMENT) {
        return lb_say(s, LB_E_ARGUMENT, "a moment has been restored already");
    }
    if (row < 0 || row >= info->row_count) {
        return lb_say(s, LB_E_ARGUMENT, "row %ld, expected 0 to %ld", row, info->row_count - 1);
    }
    lb_status status = lb_complete_simulation(sim);
    // loops know where they close from the initial state, which need not be closed
    status = status < 0 ? status : lb_close_initial(sim);
    status = status == LB_E_OPEN ? LB_OK : status;
    status = status < 0 ? status : lb_read_table(results, 0, row, 1, &sim->flow.t);
    status = status < 0 ? status : read_row(sim, results, "q", s->q_count, row, sim->flow.y);
    status = status < 0 ? status
                        : read_row(sim, results, "v", s->v_count, row, sim->flow.y + s->q_count);
    status = status < 0 ? status : replay_events(sim, results);
    status = status < 0 ? status : set_actuators(sim, results, row);
    if (status < 0) {
        return status;
    }
    memcpy(locked, s->locked, (size_t)s->body_count);
    memset(s->locked, 0, (size_t)s->body_count);
    s->locked_count = 0;
    memcpy(sim->q0, sim->flow.y, (size_t)s->q_count * sizeof *sim->q0);
    memcpy(sim->v0, sim->flow.y + s->q_count, (size_t)s->v_count * sizeof *sim->v0);
    sim->is_raw = false;
    sim->stage = LB_STAGE_MOMENT;
    return LB_OK;
}
