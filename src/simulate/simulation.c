// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A simulation as a whole: loading, starting, advancing.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "system/closure.h"

// ---- memory --------------------------------------------------------------------------------------

struct lb_sim_block {
    lb_sim_block *next;
    max_align_t memory[];
};

void *lb_take(lb_simulation *sim, size_t count, size_t size)
{
    if (count > 0 && size > (SIZE_MAX - sizeof(lb_sim_block)) / count) {
        return NULL;
    }
    lb_sim_block *block = calloc(1, sizeof *block + count * size);
    if (!block) {
        return NULL;
    }
    block->next = sim->blocks;
    sim->blocks = block;
    return block->memory;
}

char *lb_take_text(lb_simulation *sim, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = lb_take(sim, size, 1);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

// ---- loading -------------------------------------------------------------------------------------

static lb_status load(lb_simulation *sim, const lb_document *document, const lb_model *model,
                      const lb_report *report)
{
    lb_forces *forces = NULL;
    lb_status status = lb_load_forces(document, model, report, &forces);
    if (status < 0) {
        return status; // the rest asks for names of forces and signals
    }
    sim->system.forces = forces;
    status = lb_init_system(sim, model, forces);
    lb_reader reader = lb_start_reader(document, report);
    const lb_place root = lb_get_document_root(document);
    status = status < 0 ? status : lb_load_initial(sim, &reader, &root);
    status = status < 0 ? status : lb_load_run(sim, &reader, &root);
    status = status < 0 ? status : lb_load_events(sim, &reader, &root);
    status = status < 0 ? status : lb_load_controllers(sim, &reader, &root);
    status = status < 0 ? status : lb_load_outputs(sim, &reader, &root);
    status = status < 0 ? status : lb_load_loop_motions(sim, &reader, &root);
    if (status >= 0) {
        lb_warn_of_loops(sim, &reader, &root);
        sim->y = lb_take(sim, (size_t)sim->system.y_count, sizeof *sim->y);
        sim->last_y = lb_take(sim, (size_t)sim->system.y_count, sizeof *sim->y);
        status = sim->y && sim->last_y ? LB_OK : LB_E_MEMORY;
    }
    return status < 0 ? status : reader.error_count > 0 ? LB_E_MODEL : LB_OK;
}

lb_status lb_load_simulation(const lb_document *document, const lb_model *model,
                             const lb_report *report, lb_simulation **simulation)
{
    lb_simulation *sim = calloc(1, sizeof *sim);
    *simulation = NULL;
    if (!sim) {
        return LB_E_MEMORY;
    }
    const lb_status status = load(sim, document, model, report);
    if (status < 0) {
        lb_destroy_simulation(sim);
        return status;
    }
    *simulation = sim;
    return LB_OK;
}

void lb_destroy_simulation(lb_simulation *sim)
{
    if (!sim) {
        return;
    }
    if (sim->stepper) {
        sim->stepper->destroy(sim);
    }
    lb_destroy_recorder(sim->recorder);
    lb_destroy_controllers(sim);
    lb_destroy_forces(sim->system.forces);
    lb_destroy_division(sim->system.division);
    while (sim->blocks) {
        lb_sim_block *next = sim->blocks->next;
        free(sim->blocks);
        sim->blocks = next;
    }
    free(sim);
}

// ---- inputs --------------------------------------------------------------------------------------

lb_run_options lb_get_run_options(const lb_simulation *sim)
{
    return sim->options;
}

lb_status lb_set_run_options(lb_simulation *sim, const lb_run_options *options)
{
    const char *key;
    if (sim->started || options->size != sizeof *options) {
        return lb_say(&sim->system, LB_E_ARGUMENT, "options are set before the start, and by size");
    }
    const char *wrong = lb_check_run_options(options, &key);
    if (wrong) {
        return lb_say(&sim->system, LB_E_ARGUMENT, "%s: %s", key, wrong);
    }
    sim->options = *options;
    return LB_OK;
}

lb_status lb_set_initial_state(lb_simulation *sim, const double *q, const double *v)
{
    if (sim->started) {
        return LB_E_ARGUMENT;
    }
    for (int i = 0; v && i < sim->system.v_count; ++i) {
        if (!isfinite(v[i])) {
            return LB_E_ARGUMENT;
        }
    }
    if (q) {
        memcpy(sim->q0, q, (size_t)sim->system.q_count * sizeof *q);
    }
    if (v) {
        memcpy(sim->v0, v, (size_t)sim->system.v_count * sizeof *v);
    }
    return lb_normalize_configuration(sim->system.model, 1e-6, sim->q0, NULL);
}

void lb_get_initial_state(const lb_simulation *sim, const double **q, const double **v)
{
    *q = sim->q0;
    *v = sim->v0;
}

lb_forces *lb_get_simulation_forces(lb_simulation *sim)
{
    return sim->system.forces;
}

// Where the next function of time jumps or has a kink.
static void find_break(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    s->break_time = fmin(lb_find_next_break(s->forces, sim->t), lb_find_loop_break(s, sim->t));
    s->break_time = fmin(s->break_time, lb_find_next_sample(sim));
}

// ---- running -------------------------------------------------------------------------------------

lb_status lb_start_simulation(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    if (sim->started) {
        return LB_E_ARGUMENT;
    }
    lb_status status = sim->resumed ? LB_OK : lb_close_initial(sim);
    if (status < 0) {
        return status;
    }
    if (sim->options.algorithm == LB_ALGORITHM_DIVIDE_AND_CONQUER) {
        s->division = lb_create_division(s->model, NULL);
        if (!s->division) {
            return LB_E_MEMORY;
        }
    }
    if (!sim->resumed) {
        memcpy(sim->y, sim->q0, (size_t)s->q_count * sizeof *sim->y);
        memcpy(sim->y + s->q_count, sim->v0, (size_t)s->v_count * sizeof *sim->y);
        sim->t = 0.0;
    }
    sim->last_event_time = -INFINITY;
    s->break_time = INFINITY;
    lb_clean_state(s, sim->t, sim->y);
    status = sim->resumed ? LB_OK : lb_project_output(sim);
    status = status < 0 ? status : lb_start_controllers(sim);
    sim->started = true;
    find_break(sim);
    status = status < 0 ? status : lb_evaluate_system(s, sim->t, sim->y, NULL);
    if (status < 0) {
        return status;
    }
    sim->stepper =
        lb_is_fixed_step(sim->options.integrator) ? &lb_fixed_stepper : &lb_adaptive_stepper;
    status = sim->stepper->start(sim);
    return status < 0 ? status : lb_evaluate_system(s, sim->t, sim->y, NULL);
}

lb_status lb_pass_break(lb_simulation *sim)
{
    lb_clean_state(&sim->system, sim->t, sim->y);
    lb_status status = lb_project_output(sim);
    status = status < 0 ? status : lb_run_controllers(sim);
    find_break(sim);
    return status < 0 ? status : sim->stepper->restart(sim);
}

// Puts the output on the loops. The y of Adams' formulas stays off them: far off is a reason to start anew.
static lb_status project_output(lb_simulation *sim, bool *restart)
{
    enum { FAR = 1000 }; // times the tolerance
    lb_system *s = &sim->system;
    if (!s->closure) {
        return LB_OK;
    }
    memcpy(sim->last_y, sim->y, (size_t)s->y_count * sizeof *sim->y);
    const lb_status status = lb_project_output(sim);
    *restart = status >= 0 && sim->options.integrator == LB_INTEGRATOR_ADAMS &&
               !s->closure->is_leaping && lb_get_drift(sim, sim->last_y) > FAR;
    sim->drift_restarts += *restart;
    return status;
}

lb_status lb_advance_simulation(lb_simulation *sim, double t)
{
    lb_system *s = &sim->system;
    if (!sim->started || !(t >= sim->t)) {
        return lb_say(s, LB_E_ARGUMENT, "time cannot go from %.9g s to %.9g s", sim->t, t);
    }
    sim->event_names[0] = 0;
    lb_status status = sim->stepper->advance(sim, t);
    if (status < 0) {
        return status;
    }
    const double off = lb_clean_state(s, sim->t, sim->y);
    sim->quaternion_error = fmax(sim->quaternion_error, off);
    bool restart = false;
    const lb_status closed = project_output(sim, &restart);
    if (closed < 0) {
        return closed;
    }
    lb_status news = LB_OK;
    if (status == LB_NEWS_EVENT) {
        bool changed = false;
        news = lb_apply_events(sim, &changed);
        if (news < 0) {
            return news;
        }
        if (changed) {
            find_break(sim);
            restart = true;
        }
    }
    status = restart ? sim->stepper->restart(sim) : status;
    // accelerations and the like of the state that is handed out
    status = status < 0 ? status : lb_evaluate_system(s, sim->t, sim->y, NULL);
    if (status >= 0 && news > 0 && sim->recorder) {
        status = lb_record_events(sim, sim->recorder);
    }
    return status < 0 ? status : news;
}

void lb_get_simulation_state(const lb_simulation *sim, double *t, const double **q,
                             const double **v, const double **a)
{
    if (t) {
        *t = sim->t;
    }
    if (q) {
        *q = sim->y;
    }
    if (v) {
        *v = sim->y + sim->system.q_count;
    }
    if (a) {
        *a = sim->system.a;
    }
}

const double *lb_get_simulation_loop_forces(const lb_simulation *sim)
{
    return sim->system.closure ? sim->system.closure->forces : NULL;
}

const double *lb_get_simulation_work(const lb_simulation *sim, int *count)
{
    *count = sim->system.work_count;
    return sim->y + sim->system.q_count + sim->system.v_count;
}

const char *lb_get_event_names(const lb_simulation *sim)
{
    return sim->event_names;
}

const char *lb_get_simulation_message(const lb_simulation *sim)
{
    return sim->system.message;
}
