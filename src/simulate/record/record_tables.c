// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a row holds: the tables of a run, the names of their columns, and their values at a state.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "record_tables.h"
#include "simulate/signals/signals_parse.h"
#include "simulate/system/closure.h"

// ---- `outputs` of a model file -------------------------------------------------------------------

// ---- tables --------------------------------------------------------------------------------------

static const char *const notes[LB_TABLE_COUNT] = {
    [LB_TABLE_TIME] = "s",
    [LB_TABLE_Q] = "modal coordinates and hinge configuration of each body",
    [LB_TABLE_V] = "modal rates and hinge speeds of each body",
    [LB_TABLE_A] = "time derivatives of v",
    [LB_TABLE_ENERGY] = "J: kinetic; potential of uniform gravity and of deformation; stored in "
                        "force elements",
    [LB_TABLE_WORK] = "J done on the system since t = 0 by each force, by all motions together, by "
                      "modal damping, by locking",
    [LB_TABLE_MOMENTUM] =
        "world axes: centre of mass in m, its velocity in m/s, linear momentum in "
        "N s, angular momentum about the centre of mass in N m s",
    [LB_TABLE_NODES] = "world axes: position in m, rotation as a quaternion w x y z from node to "
                       "world axes, velocity and acceleration, angular (rad) before linear (m)",
    [LB_TABLE_SIGNALS] = "as asked for in outputs",
    [LB_TABLE_LOOPS] =
        "moment in N m, force in N exerted on b at its node, in the axes of node a; norms of the "
        "position error (m, rad) and of the velocity error (m/s, rad/s)",
    [LB_TABLE_REACTIONS] =
        "moment in N m, force in N that the parent exerts on the body through the "
        "hinge, its drive included; at the body's node O, in the axes of O",
    [LB_TABLE_CONTROL] = "of each controller at its last sample: readings of its sensors; desired "
                         "coordinate and command of each actuator, and the force it delivers now",
};

static const char *const table_names[LB_TABLE_COUNT] = {"time",    "q",     "v",         "a",
                                                        "energy",  "work",  "momentum",  "nodes",
                                                        "signals", "loops", "reactions", "control"};

static const char axes[] = "xyz";

static void name_column(lb_table *table, int *column, const char *format, const char *first,
                        const char *second, int number)
{
    snprintf(table->columns[*column], LB_COLUMN_SIZE, format, first, second, number);
    ++*column;
}

static void name_state(const lb_model *model, lb_table *table, lb_table_id id)
{
    const int order = (int)id - LB_TABLE_Q;
    int column = 0;
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        const int count =
            lb_get_mode_count(model, k) +
            (order == 0 ? lb_get_hinge(model, k).q_count : lb_get_hinge(model, k).v_count);
        for (int i = 0; i < count; ++i) {
            lb_name_entry(model, order, k, i, table->columns[column++]);
        }
    }
}

static void name_vector(lb_table *table, int *column, const char *name, const char *what)
{
    for (int i = 0; i < 3; ++i) {
        snprintf(table->columns[(*column)++], LB_COLUMN_SIZE, "%s.%s.%c", name, what, axes[i]);
    }
}

static void name_columns(const lb_simulation *sim, lb_table *table, lb_table_id id)
{
    static const char *const energies[] = {"kinetic", "potential", "stored"};
    static const char *const others[] = {"work.drives", "work.damping", "work.locking",
                                         "work.loops",  "work.closing", "work.projection"};
    static const char *const motions[] = {"com", "com_velocity", "linear_momentum",
                                          "angular_momentum"};
    static const char *const motion[] = {"angular_velocity", "velocity", "angular_acceleration",
                                         "acceleration"};
    const lb_system *s = &sim->system;
    int column = 0;
    switch (id) {
    case LB_TABLE_TIME:
        name_column(table, &column, "%s%s", "t", "", 0);
        break;
    case LB_TABLE_Q:
    case LB_TABLE_V:
    case LB_TABLE_A:
        name_state(s->model, table, id);
        break;
    case LB_TABLE_ENERGY:
        for (int i = 0; i < LB_ENERGY_COUNT; ++i) {
            name_column(table, &column, "%s%s", energies[i], "", 0);
        }
        for (int i = 0; i < s->force_count; ++i) {
            name_column(table, &column, "%s%s", "stored.", lb_get_force_info(s->forces, i).name, 0);
        }
        break;
    case LB_TABLE_WORK:
        for (int i = 0; i < s->force_count; ++i) {
            name_column(table, &column, "%s%s", "work.", lb_get_force_info(s->forces, i).name, 0);
        }
        for (int i = 0; i < s->work_count - s->force_count; ++i) {
            name_column(table, &column, "%s%s", others[i], "", 0);
        }
        break;
    case LB_TABLE_MOMENTUM:
        for (int i = 0; i < 4; ++i) {
            name_vector(table, &column, "system", motions[i]);
        }
        break;
    case LB_TABLE_NODES:
        for (int i = 0; i < sim->output_count; ++i) {
            if (sim->outputs[i].is_signal) {
                continue;
            }
            name_vector(table, &column, sim->outputs[i].text, "position");
            for (int j = 0; j < 4; ++j) {
                snprintf(table->columns[column++], LB_COLUMN_SIZE, "%s.rotation.%c",
                         sim->outputs[i].text, "wxyz"[j]);
            }
            for (int j = 0; j < 4; ++j) {
                name_vector(table, &column, sim->outputs[i].text, motion[j]);
            }
        }
        break;
    case LB_TABLE_SIGNALS:
        for (int i = 0; i < sim->output_count; ++i) {
            if (sim->outputs[i].is_signal) {
                name_column(table, &column, "%s%s", sim->outputs[i].text, "", 0);
            }
        }
        break;
    case LB_TABLE_LOOPS:
        for (int l = 0; l < lb_get_loop_count(s->model); ++l) {
            char name[LB_COLUMN_SIZE];
            snprintf(name, sizeof name, "loop/%s", lb_get_loop_name(s->model, l));
            name_vector(table, &column, name, "moment");
            name_vector(table, &column, name, "force");
            name_column(table, &column, "%s.%s", name, "position_error", 0);
            name_column(table, &column, "%s.%s", name, "velocity_error", 0);
        }
        break;
    case LB_TABLE_REACTIONS:
        for (int k = 0; k < s->body_count; ++k) {
            name_vector(table, &column, lb_get_body_name(s->model, k), "reaction_moment");
            name_vector(table, &column, lb_get_body_name(s->model, k), "reaction_force");
        }
        break;
    case LB_TABLE_CONTROL:
        sim->sampler->name_columns(sim, table->columns);
        break;
    case LB_TABLE_COUNT:
        break;
    }
}

static int count_columns(const lb_simulation *sim, lb_table_id id)
{
    const lb_system *s = &sim->system;
    int nodes = 0;
    for (int i = 0; i < sim->output_count; ++i) {
        nodes += !sim->outputs[i].is_signal;
    }
    const int counts[LB_TABLE_COUNT] = {
        [LB_TABLE_TIME] = 1,
        [LB_TABLE_Q] = s->q_count,
        [LB_TABLE_V] = s->v_count,
        [LB_TABLE_A] = s->v_count,
        [LB_TABLE_ENERGY] = LB_ENERGY_COUNT + s->force_count,
        [LB_TABLE_WORK] = s->work_count,
        [LB_TABLE_MOMENTUM] = 12,
        [LB_TABLE_NODES] = 19 * nodes,
        [LB_TABLE_SIGNALS] = sim->output_count - nodes,
        [LB_TABLE_LOOPS] = 8 * lb_get_loop_count(s->model),
        [LB_TABLE_REACTIONS] = sim->with_reactions ? 6 * s->body_count : 0,
        [LB_TABLE_CONTROL] = sim->sampler ? sim->sampler->count_columns(sim) : 0,
    };
    return counts[id];
}

lb_status lb_make_tables(lb_simulation *sim, lb_table *tables, int *place, int *table_count)
{
    *table_count = 0;
    for (int id = 0; id < LB_TABLE_COUNT; ++id) {
        const int columns = count_columns(sim, (lb_table_id)id);
        place[id] = -1;
        if (columns == 0) {
            continue;
        }
        place[id] = *table_count;
        lb_table *table = &tables[(*table_count)++];
        table->name = table_names[id];
        table->note = notes[id];
        table->column_count = columns;
        table->columns = lb_arena_take(&sim->arena, (size_t)columns, sizeof *table->columns);
        if (!table->columns) {
            return LB_E_MEMORY;
        }
        name_columns(sim, table, (lb_table_id)id);
    }
    return LB_OK;
}

// ---- values --------------------------------------------------------------------------------------

static void copy_node(const lb_node_motion *m, double *row)
{
    memcpy(row, m->position, sizeof m->position);
    memcpy(row + 3, m->rotation, sizeof m->rotation);
    memcpy(row + 7, m->velocity, sizeof m->velocity);
    memcpy(row + 13, m->acceleration, sizeof m->acceleration);
}

static lb_status fill_outputs(lb_simulation *sim, double *nodes, double *signals)
{
    lb_system *s = &sim->system;
    lb_load_memory loads = {.count = 0};
    lb_instant instant = lb_make_system_instant(s, sim->flow.t, s->q, s->v, s->a);
    instant.loads = &loads;
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < sim->output_count; ++i) {
        const lb_output *output = &sim->outputs[i];
        if (output->is_signal) {
            status = lb_evaluate_signal(&output->signal, &instant, signals++);
            if (status < 0) {
                lb_say(s, status, "t = %.9g s: output '%s': %s", sim->flow.t, output->text,
                       lb_get_status_text(status));
            }
        } else {
            lb_node_motion motion;
            status = lb_compute_node_motion(s->model, s->work, output->body, output->node, &motion);
            copy_node(&motion, nodes);
            nodes += 19;
        }
    }
    return status;
}

static lb_status fill_loops(lb_simulation *sim, double *row)
{
    lb_system *s = &sim->system;
    const lb_closure *c = s->closure;
    const lb_status status =
        lb_compute_loop_errors(s->model, s->work, s->q, c->position, c->velocity);
    for (int l = 0; l < lb_get_loop_count(s->model); ++l, row += 8) {
        memcpy(row, c->forces + 6 * l, 6 * sizeof *row);
        row[6] = lb_compute_norm(6, c->position + 6 * l);
        row[7] = lb_compute_norm(6, c->velocity + 6 * l);
        sim->closure_error = fmax(sim->closure_error, row[6]);
        sim->closure_speed_error = fmax(sim->closure_speed_error, row[7]);
    }
    return status;
}

lb_status lb_fill_row(lb_simulation *sim, double *const *rows)
{
    lb_system *s = &sim->system;
    lb_system_motion motion;
    rows[LB_TABLE_TIME][0] = sim->flow.t;
    if (s->q_count > 0) {
        memcpy(rows[LB_TABLE_Q], sim->flow.y, (size_t)s->q_count * sizeof(double));
    }
    if (s->v_count > 0) {
        memcpy(rows[LB_TABLE_V], sim->flow.y + s->q_count, (size_t)s->v_count * sizeof(double));
        memcpy(rows[LB_TABLE_A], s->a, (size_t)s->v_count * sizeof(double));
    }
    memcpy(rows[LB_TABLE_WORK], sim->flow.y + s->q_count + s->v_count,
           (size_t)s->work_count * sizeof(double));
    double *energy = rows[LB_TABLE_ENERGY];
    lb_status status = lb_compute_energy(s->model, s->work, &energy[LB_ENERGY_KINETIC],
                                         &energy[LB_ENERGY_POTENTIAL]);
    energy[LB_ENERGY_STORED] = 0.0;
    for (int i = 0; i < s->force_count; ++i) {
        const double stored = lb_get_force_info(s->forces, i).energy;
        energy[LB_ENERGY_COUNT + i] = stored;
        energy[LB_ENERGY_STORED] += stored;
    }
    status = status < 0 ? status : lb_compute_system_motion(s->model, s->work, &motion);
    if (status < 0) {
        return status;
    }
    memcpy(rows[LB_TABLE_MOMENTUM], motion.com, sizeof motion.com);
    memcpy(rows[LB_TABLE_MOMENTUM] + 3, motion.com_velocity, sizeof motion.com_velocity);
    memcpy(rows[LB_TABLE_MOMENTUM] + 6, motion.linear, sizeof motion.linear);
    memcpy(rows[LB_TABLE_MOMENTUM] + 9, motion.angular, sizeof motion.angular);
    if (rows[LB_TABLE_LOOPS]) {
        status = fill_loops(sim, rows[LB_TABLE_LOOPS]);
    }
    // before the outputs: nothing there spoils the forces that reactions need
    if (status >= 0 && rows[LB_TABLE_REACTIONS]) {
        status = lb_compute_all_reactions(s, rows[LB_TABLE_REACTIONS]);
    }
    if (rows[LB_TABLE_CONTROL]) {
        sim->sampler->fill_columns(sim, rows[LB_TABLE_CONTROL]);
    }
    return status < 0 ? status : fill_outputs(sim, rows[LB_TABLE_NODES], rows[LB_TABLE_SIGNALS]);
}
