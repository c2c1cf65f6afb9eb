// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The recorder: rows into blocks, blocks into the file, and then counted.
#define _POSIX_C_SOURCE 200809L
#include "record.h"
#include "base/dense.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sha256.h"
#include "base/text.h"
#include "dynamics/loops/loop_work.h"
#include "record_tables.h"
#include "simulate/forces/forces.h"
#include "simulate/system/closure.h"

enum {
    BLOCK_BYTES = 4 << 20,
    BLOCK_ROWS = 1024,
    EVENT_MAX = 10000,
    PATH_SIZE = 4096,
    NAME_MOST = 256 // bytes of the name of a file that is kept
};

// Rows wait no longer than this for the disk.
static const double flush_seconds = 0.5;

struct lb_recorder {
    bool to_file;
    char path[PATH_SIZE], part[PATH_SIZE];
    lb_header header;
    lb_table tables[LB_TABLE_COUNT];
    int place[LB_TABLE_COUNT];
    int table_count;
    lb_record_file file;
    long block_rows; // capacity
    long waiting;    // rows in the block
    int64_t counted; // rows in the file
    int64_t events;  // written or waiting
    int64_t events_written;
    double event_log[EVENT_MAX][2];
    double last_flush;
    char options[1024];
    const char **event_names;
    double *restart; // a number of rows, and what controllers remembered at the last
    int64_t flushes; // each writes the other of two records
    bool is_quick;   // nobody waits for the disk
    bool is_placed;  // the file has the name `part`
    int old;         // lock on a file of that name from before; -1 if there is none
    lb_faults heard; // what became of it
    // for the audit
    bool has_first;
    double first[2], last[2], first_momentum[6], last_momentum[6], scale;
    double first_velocity[3]; // of the centre of mass
    double own_energy;
    lb_largest largest;
    double *base; // per force: work and stored energy since the last event, which may switch it
    bool *was_enabled;
    double base_events; // when those were taken; negative for never
    double work_error;
    double peaks[LB_PEAKS], least; // energy in equal parts of the run, and the least of all
};

static lb_status fail(lb_simulation *sim, const lb_recorder *r, const char *what)
{
    const char *reason = strerror(errno);
    return r->is_placed
               ? lb_say(&sim->system, LB_E_FILE,
                        "t = %.9g s: cannot %s %s: %s; %lld rows are safe in it, and a resumed run "
                        "goes on from there",
                        sim->flow.t, what, r->part, reason, (long long)r->counted)
               : lb_say(&sim->system, LB_E_FILE,
                        "cannot %s %s: %s; what was recorded before is still there", what, r->part,
                        reason);
}

static void write_options(const lb_simulation *sim, lb_recorder *r)
{
    const lb_run_options *o = &sim->flow.options;
    const double kinds[] = {o->absolute_modes,      o->absolute_angles, o->absolute_lengths,
                            o->absolute_mode_rates, o->absolute_rates,  o->absolute_velocities};
    static const char *const names[] = {"modes",      "angles", "lengths",
                                        "mode_rates", "rates",  "velocities"};
    char absolute[256] = "", by_kind[200] = "";
    for (int i = 0; i < 6; ++i) {
        const size_t used = strlen(by_kind);
        if (kinds[i] > 0.0) {
            snprintf(by_kind + used, sizeof by_kind - used, "%s%s: %.17g", used > 0 ? ", " : "",
                     names[i], kinds[i]);
        }
    }
    if (by_kind[0]) {
        snprintf(absolute, sizeof absolute, "    absolute: {%s}\n", by_kind);
    } else if (o->absolute_tolerance > 0.0) {
        snprintf(absolute, sizeof absolute, "    absolute: %.17g\n", o->absolute_tolerance);
    }
    snprintf(r->options, sizeof r->options,
             "run:\n  duration: %.17g\n  interval: %.17g\n  algorithm: %s\n  integrator:\n"
             "    type: %s\n"
             "    tolerance: %.17g\n%s    step: %.17g\n    max_step: %.17g\n"
             "    order: %d\n    damping: %.17g\n    stop_at_outputs: %s\n",
             o->duration, o->interval, lb_algorithm_names[o->algorithm],
             lb_get_integrator_name(o->integrator), o->relative_tolerance, absolute, o->step,
             o->max_step, o->order, o->damping, o->stop_at_outputs ? "true" : "false");
    lb_use_plain_point(r->options);
    lb_add_exponent_points(r->options, sizeof r->options);
}

// Rows of the whole run: one at every multiple of the interval, one at the end, one at a stop.
static long count_rows(const lb_run_options *o)
{
    return (long)floor(o->duration / o->interval + 1e-9) + 3;
}

// Events of the model, then for each hinge with friction that it sticks and that it slips.
static bool name_events(lb_simulation *sim, lb_recorder *r)
{
    for (int i = 0; i < sim->event_count; ++i) {
        r->event_names[i] = sim->events[i].name;
    }
    for (int i = 0; i < 2 * sim->stick_count; ++i) {
        char *name = lb_arena_take(&sim->arena, LB_COLUMN_SIZE, 1);
        if (!name) {
            return false;
        }
        snprintf(name, LB_COLUMN_SIZE, "%.*s %s", LB_COLUMN_SIZE - 8, sim->sticks[i / 2].name,
                 i % 2 ? "slips" : "sticks");
        r->event_names[sim->event_count + i] = name;
    }
    return true;
}

// ---- what the state does not say -----------------------------------------------------------------

// Controllers remember. So do loops that events close where they are, or alter: where that was follows from no other
// state but for round-off.
enum { LOOP_MEMORY = 13 };

static int count_loop_memory(const lb_simulation *sim)
{
    bool alters = false;
    for (int i = 0; i < sim->event_count; ++i) {
        for (int k = 0; k < sim->events[i].action_count; ++k) {
            const lb_action_type type = sim->events[i].actions[k].type;
            alters = alters || type == LB_ACTION_GRASP || type == LB_ACTION_MAKE ||
                     type == LB_ACTION_ALTER;
        }
    }
    return alters && sim->system.closure ? LOOP_MEMORY * lb_get_loop_capacity(sim->system.model)
                                         : 0;
}

static int count_memory(const lb_simulation *sim)
{
    return (sim->sampler ? sim->sampler->count_memory(sim) : 0) + count_loop_memory(sim);
}

static void save_memory(const lb_simulation *sim, double *memory)
{
    if (sim->sampler) {
        sim->sampler->save_memory(sim, memory);
        memory += sim->sampler->count_memory(sim);
    }
    for (int l = 0; LOOP_MEMORY * l < count_loop_memory(sim); ++l, memory += LOOP_MEMORY) {
        const lb_loop *loop = &sim->system.work->loops->slots[l].loop;
        memory[0] = loop->length;
        memcpy(memory + 1, &loop->offset, sizeof loop->offset);
    }
}

// After the events so far have been met again.
static void restore_loops(lb_simulation *sim)
{
    const double *memory = sim->memory;
    if (!memory) {
        return;
    }
    memory += sim->sampler ? sim->sampler->count_memory(sim) : 0;
    for (int l = 0; LOOP_MEMORY * l < count_loop_memory(sim); ++l, memory += LOOP_MEMORY) {
        lb_work *const works[2] = {sim->system.work, sim->system.closure->gauge};
        for (int i = 0; i < 2; ++i) {
            lb_loop *loop = &works[i]->loops->slots[l].loop;
            loop->length = memory[0];
            memcpy(&loop->offset, memory + 1, sizeof loop->offset);
        }
    }
}

// Everything but the file.
static lb_status prepare(lb_simulation *sim, const lb_run_request *request, lb_recorder **recorder)
{
    lb_recorder *r = calloc(1, sizeof *r);
    *recorder = r;
    if (!r) {
        return LB_E_MEMORY;
    }
    r->file.fd = r->old = -1;
    r->heard.report = request->report ? *request->report : (lb_report){NULL, NULL};
    r->to_file = request->path != NULL;
    r->is_quick = request->quick;
    lb_status status = lb_make_tables(sim, r->tables, r->place, &r->table_count);
    if (status < 0) {
        return status;
    }
    size_t row_bytes = 0;
    r->base_events = -1.0;
    r->least = INFINITY;
    for (int i = 0; i < LB_PEAKS; ++i) {
        r->peaks[i] = -INFINITY;
    }
    r->base = lb_take_numbers(&sim->arena, (size_t)sim->system.force_count);
    r->was_enabled =
        lb_arena_take(&sim->arena, (size_t)sim->system.force_count, sizeof *r->was_enabled);
    if (!r->base || !r->was_enabled) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < r->table_count; ++i) {
        row_bytes += (size_t)r->tables[i].column_count * sizeof(double);
    }
    r->block_rows = (long)(BLOCK_BYTES / row_bytes);
    r->block_rows = r->block_rows < 1 ? 1 : r->block_rows > BLOCK_ROWS ? BLOCK_ROWS : r->block_rows;
    r->block_rows = r->to_file ? r->block_rows : 1;
    for (int i = 0; i < r->table_count; ++i) {
        r->tables[i].block = lb_arena_take(
            &sim->arena, (size_t)r->block_rows * (size_t)r->tables[i].column_count, sizeof(double));
        if (!r->tables[i].block) {
            return LB_E_MEMORY;
        }
    }
    if (!r->to_file) {
        return LB_OK;
    }
    if (strlen(request->path) + 8 > sizeof r->path) {
        return lb_say(&sim->system, LB_E_FILE, "the name of the result file is too long");
    }
    snprintf(r->path, sizeof r->path, "%s", request->path);
    snprintf(r->part, sizeof r->part, "%s.part", request->path);
    write_options(sim, r);
    const int memory_count = count_memory(sim);
    r->restart = lb_arena_take(&sim->arena, 1 + (size_t)memory_count, sizeof *r->restart);
    const int name_count = sim->event_count + 2 * sim->stick_count;
    r->event_names = lb_arena_take(&sim->arena, (size_t)name_count, sizeof *r->event_names);
    if (!r->restart || !r->event_names || !name_events(sim, r)) {
        return LB_E_MEMORY;
    }
    const int file_count = request->files ? request->file_count : 0;
    if (file_count < 0 || file_count > LB_KEPT_FILE_MAX) {
        return lb_say(&sim->system, LB_E_ARGUMENT, "%d files to be kept, expected at most %d",
                      file_count, LB_KEPT_FILE_MAX);
    }
    lb_stored_file *files = lb_arena_take(&sim->arena, (size_t)file_count + 1, sizeof *files);
    if (!files) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < file_count; ++i) {
        const lb_kept_file *file = &request->files[i];
        if (!file->name || strlen(file->name) >= NAME_MOST || (!file->data && file->size > 0)) {
            return lb_say(&sim->system, LB_E_ARGUMENT,
                          "file %d to be kept: expected a name of at most %d bytes, and data", i,
                          NAME_MOST - 1);
        }
        files[i] = (lb_stored_file){file->name, file->data, file->size};
    }
    r->header = (lb_header){.model_name = lb_get_model_name(sim->system.model),
                            .model_text = request->model_text ? request->model_text : "",
                            .model_length = request->model_text ? request->model_length : 0,
                            .options = r->options,
                            .row_capacity = count_rows(&sim->flow.options),
                            .event_capacity = name_count > 0 ? EVENT_MAX : 0,
                            .event_name_count = name_count,
                            .event_names = r->event_names,
                            .memory_count = memory_count,
                            .file_count = file_count,
                            .files = files};
    lb_compute_sha256(r->header.model_text, r->header.model_length, r->header.hash);
    return LB_OK;
}

// Takes what an earlier run has left as `part`, if a run is not still writing it.
static lb_status claim_part(lb_simulation *sim, lb_recorder *r)
{
    char message[LB_STORE_MESSAGE];
    lb_status status = lb_claim_file(r->part, &r->old, message);
    // better now than after the run
    status = status < 0 ? status : lb_check_place(r->path, message);
    return status < 0 ? lb_say(&sim->system, status, "%s", message) : LB_OK;
}

// Whether the rows of a file that is called `part` would be missed.
static bool is_worth_keeping(const lb_recorder *r)
{
    char message[LB_RESULTS_MESSAGE_SIZE];
    lb_results *old = NULL;
    const bool is_whole = lb_open_result_file(r->part, message, &old) >= 0;
    const bool is_empty = is_whole && lb_get_results_info(old)->row_count == 0;
    if (is_whole) {
        lb_close_results(old);
    }
    return !is_empty;
}

// Gives the new file the name `part`. What has it is replaced if its rows have been copied. Otherwise it
// is kept under another name, unless it has no rows.
static lb_status place_part(lb_simulation *sim, lb_recorder *r, bool is_copied)
{
    char message[LB_STORE_MESSAGE] = "", kept[PATH_SIZE + 16];
    lb_status status = LB_OK;
    if (r->old >= 0 && !is_copied && is_worth_keeping(r)) {
        status = lb_keep_aside(r->part, kept, sizeof kept);
        if (status < 0) {
            snprintf(message, sizeof message, "cannot rename %s, which an earlier run has left: %s",
                     r->part, strerror(errno));
            lb_drop_record_file(&r->file, 0, message);
        } else {
            lb_complain(&r->heard, LB_SEVERITY_WARNING, "", "",
                        "what an earlier run left in %s is kept as %s", r->part, kept);
        }
        close(r->old);
        r->old = -1;
    }
    status = status < 0 ? status : lb_place_record_file(&r->file, r->old >= 0, message);
    if (status == LB_E_ARGUMENT) {
        snprintf(message, sizeof message, "another run has just started to write %s", r->part);
        status = LB_E_FILE;
    }
    if (r->old >= 0) {
        close(r->old);
        r->old = -1;
    }
    r->is_placed = status >= 0;
    r->last_flush = lb_get_wall_time();
    return status < 0 ? lb_say(&sim->system, status, "%s", message) : LB_OK;
}

static lb_status create_part(lb_simulation *sim, lb_recorder *r)
{
    char message[LB_STORE_MESSAGE];
    const lb_status status =
        lb_create_record_file(r->part, &r->header, r->tables, r->table_count, &r->file, message);
    return status < 0 ? lb_say(&sim->system, status, "%s", message) : LB_OK;
}

// A file without rows.
static lb_status start_part(lb_simulation *sim, lb_recorder *r, bool is_copied)
{
    const lb_status status = create_part(sim, r);
    return status < 0 ? status : place_part(sim, r, is_copied);
}

lb_status lb_create_recorder(lb_simulation *sim, const lb_run_request *request,
                             lb_recorder **recorder)
{
    lb_status status = prepare(sim, request, recorder);
    lb_recorder *r = *recorder;
    if (status >= 0 && r->to_file) {
        status = claim_part(sim, r);
        status = status < 0 ? status : start_part(sim, r, false);
    }
    return status;
}

void lb_destroy_recorder(lb_recorder *r)
{
    if (!r) {
        return;
    }
    // without rows it is of no use
    if (r->is_placed && r->counted == 0) {
        lb_remove_file(r->part);
    }
    char message[LB_STORE_MESSAGE] = "";
    lb_drop_record_file(&r->file, 0, message);
    if (r->old >= 0) {
        close(r->old);
    }
    free(r);
}

long lb_get_recorded_rows(const lb_recorder *r)
{
    return (long)r->counted + r->waiting;
}

// ---- rows ----------------------------------------------------------------------------------------

static double get_distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static double sum_force_work(const lb_system *s, const double *work)
{
    double sum = 0.0;
    for (int i = 0; i < s->force_count; ++i) {
        // that of motions is among the drives
        sum += lb_get_force_info(s->forces, i).type == LB_FORCE_MOTION ? 0.0 : work[i];
    }
    return sum;
}

static double sum_work(const lb_system *s, const double *work)
{
    const double *others = work + s->force_count;
    const double loops = s->closure ? others[LB_WORK_LOOPS] + others[LB_WORK_CLOSING] : 0.0;
    return sum_force_work(s, work) + others[LB_WORK_DRIVES] + others[LB_WORK_DAMPING] +
           others[LB_WORK_LOCKING] + loops;
}

// Largest energy in each part of the run, of the motion's own and stored.
static void keep_peak(const lb_simulation *sim, lb_recorder *r, double t, double energy)
{
    const int part = (int)(LB_PEAKS * (t / sim->flow.options.duration) * (1.0 - 1e-12));
    r->least = fmin(r->least, energy);
    if (part >= 0 && part < LB_PEAKS) {
        r->peaks[part] = fmax(r->peaks[part], energy);
    }
}

// The motion's own energy: what is kinetic without the motion of the whole at the start, what potential
// energy has changed by, and work. A row in which this is not balanced to a hundredth does not count: a
// run that gains energy from nowhere would be judged by what it has gained.
static void keep_own_energies(const lb_simulation *sim, lb_recorder *r, double *const *rows)
{
    const lb_system *s = &sim->system;
    const double *energy = rows[LB_TABLE_ENERGY], *momentum = rows[LB_TABLE_MOMENTUM] + 6;
    const double *work = rows[LB_TABLE_WORK];
    double carried = 0.0;
    for (int i = 0; i < 3; ++i) {
        carried += (momentum[i] - 0.5 * r->first_momentum[i]) * r->first_velocity[i];
    }
    const double kinetic = energy[LB_ENERGY_KINETIC];
    const double moving = fmax(r->largest.kinetic, fmin(kinetic, fmax(kinetic - carried, 0.0)));
    const double potential = energy[LB_ENERGY_POTENTIAL] - r->first[LB_ENERGY_POTENTIAL];
    keep_peak(sim, r, rows[LB_TABLE_TIME][0],
              fmin(kinetic, fmax(kinetic - carried, 0.0)) + potential + energy[LB_ENERGY_STORED]);
    double own = fmax(moving, fabs(potential));
    for (int i = 0; i < s->work_count; ++i) {
        own = fmax(own, fabs(work[i]));
    }
    const double error = kinetic - r->first[LB_ENERGY_KINETIC] + potential - sum_work(s, work);
    r->work_error = fmax(r->work_error, fabs(error));
    // beside what is carried along, round-off is more
    if (fabs(error) <= 1e-2 * own + 1e-12 * r->largest.energy) {
        const double total = fmax(kinetic, fabs(energy[LB_ENERGY_POTENTIAL]));
        r->largest.kinetic = moving;
        r->largest.energy = fmax(r->largest.energy, fmax(total, own));
        r->own_energy = fmax(r->own_energy, own);
    }
    const double *com = momentum - 6;
    r->largest.linear = fmax(r->largest.linear, lb_compute_norm(3, momentum));
    r->largest.linear_change =
        fmax(r->largest.linear_change, get_distance(momentum, r->first_momentum));
    r->largest.angular = fmax(r->largest.angular, lb_compute_norm(3, momentum + 3));
    r->largest.distance = fmax(r->largest.distance, lb_compute_norm(3, com));
    r->largest.speed = fmax(r->largest.speed, lb_compute_norm(3, com + 3));
}

// Parts whose energy is known independently: a conservative force stores its work; modes, impacts and locks only lose.
static void keep_parts(lb_simulation *sim, lb_recorder *r, double *const *rows)
{
    const lb_system *s = &sim->system;
    const double *work = rows[LB_TABLE_WORK], *stored = rows[LB_TABLE_ENERGY] + LB_ENERGY_COUNT;
    const double *others = work + s->force_count;
    const double events = (double)(sim->events_met + sim->stick_events);
    for (int i = 0; i < s->force_count; ++i) {
        const double sum = work[i] + stored[i];
        const double rounding = 1e-13 * fabs(stored[i]);
        const bool enabled = s->forces->forces[i].enabled;
        if (lb_get_force_info(s->forces, i).is_conservative && events == r->base_events &&
            enabled == r->was_enabled[i]) {
            r->work_error = fmax(r->work_error, fabs(sum - r->base[i]) - rounding);
        } else {
            r->base[i] = sum;
            r->was_enabled[i] = enabled;
        }
    }
    r->base_events = events;
    r->work_error = fmax(r->work_error, fmax(others[LB_WORK_DAMPING], others[LB_WORK_LOCKING]));
    r->work_error = fmax(r->work_error, s->closure ? others[LB_WORK_CLOSING] : 0.0);
}

static void keep_energies(lb_simulation *sim, lb_recorder *r, double *const *rows)
{
    const double *energy = rows[LB_TABLE_ENERGY], *momentum = rows[LB_TABLE_MOMENTUM] + 6;
    if (!r->has_first) {
        r->has_first = true;
        memcpy(r->first, energy, sizeof r->first);
        memcpy(r->first_momentum, momentum, sizeof r->first_momentum);
        memcpy(r->first_velocity, momentum - 3, sizeof r->first_velocity);
    }
    memcpy(r->last, energy, sizeof r->last);
    memcpy(r->last_momentum, momentum, sizeof r->last_momentum);
    r->scale = fmax(r->scale, fabs(energy[LB_ENERGY_KINETIC]));
    r->scale = fmax(r->scale, fabs(energy[LB_ENERGY_POTENTIAL] - r->first[LB_ENERGY_POTENTIAL]));
    for (int i = 0; i < sim->system.work_count; ++i) {
        r->scale = fmax(r->scale, fabs(rows[LB_TABLE_WORK][i]));
    }
    keep_own_energies(sim, r, rows);
}

lb_status lb_record_row(lb_simulation *sim, lb_recorder *r)
{
    double *rows[LB_TABLE_COUNT];
    if (r->to_file && r->counted + r->waiting >= r->header.row_capacity) {
        return lb_say(&sim->system, LB_E_ARGUMENT, "t = %.9g s: the file was made for %ld rows",
                      sim->flow.t, r->header.row_capacity);
    }
    for (int id = 0; id < LB_TABLE_COUNT; ++id) {
        lb_table *table = r->place[id] >= 0 ? &r->tables[r->place[id]] : NULL;
        rows[id] = table ? table->block + r->waiting * table->column_count : NULL;
    }
    lb_status status = lb_fill_row(sim, rows);
    if (status < 0) {
        return status;
    }
    keep_energies(sim, r, rows);
    keep_parts(sim, r, rows);
    if (!r->to_file) {
        ++r->counted;
        return LB_OK;
    }
    ++r->waiting;
    save_memory(sim, r->restart + 1);
    if (r->waiting == r->block_rows || lb_get_wall_time() - r->last_flush > flush_seconds) {
        status = lb_flush_recorder(sim, r);
    }
    return status;
}

const double *lb_get_recorded_signals(const lb_simulation *sim, int *count)
{
    static const double none[1];
    const lb_recorder *r = sim->recorder;
    const lb_table *table =
        r->place[LB_TABLE_SIGNALS] >= 0 ? &r->tables[r->place[LB_TABLE_SIGNALS]] : NULL;
    *count = table ? table->column_count : 0;
    return table ? table->block : none;
}

void lb_record_stick(lb_simulation *sim, lb_recorder *r, int stick)
{
    // half the room is left to events of the model
    if (r->events < EVENT_MAX / 2) {
        const bool slips = sim->sticks[stick].state == LB_STICK_SLIPS;
        r->event_log[r->events][0] = sim->flow.t;
        r->event_log[r->events][1] = sim->event_count + 2 * stick + slips;
        ++r->events;
    }
}

lb_status lb_record_events(lb_simulation *sim, lb_recorder *r)
{
    for (int i = 0; i < sim->event_count; ++i) {
        if (!sim->flow.found[i]) {
            continue;
        }
        if (r->events == EVENT_MAX) {
            return lb_say(&sim->system, LB_E_EVENTS, "t = %.9g s: more than %d events", sim->flow.t,
                          EVENT_MAX);
        }
        r->event_log[r->events][0] = sim->flow.t;
        r->event_log[r->events][1] = i;
        ++r->events;
    }
    return LB_OK;
}

// Beside the record that counts until the rows are counted.
static lb_status write_restart(lb_recorder *r, const lb_record_file *file, int64_t rows)
{
    const size_t size = (1 + (size_t)r->header.memory_count) * sizeof *r->restart;
    if (r->header.memory_count == 0) {
        return LB_OK;
    }
    r->restart[0] = (double)rows;
    return lb_write_rows(file->fd, file->restart_at, file->restart_checksums_at, r->flushes % 2, 1,
                         size, r->restart);
}

lb_status lb_flush_recorder(lb_simulation *sim, lb_recorder *r)
{
    r->last_flush = lb_get_wall_time();
    if (!r->to_file || (r->waiting == 0 && r->events == r->events_written)) {
        return LB_OK;
    }
    // the rows, then what counts them
    for (int i = 0; i < r->table_count; ++i) {
        const lb_table *t = &r->tables[i];
        if (lb_write_rows(r->file.fd, t->offset, t->checksums_at, r->counted, r->waiting,
                          (size_t)t->column_count * sizeof *t->block, t->block) < 0) {
            return fail(sim, r, "write");
        }
    }
    if (write_restart(r, &r->file, r->counted + r->waiting) < 0) {
        return fail(sim, r, "write");
    }
    const int64_t fresh = r->events - r->events_written;
    if (lb_write_rows(r->file.fd, r->file.events_at, r->file.event_checksums_at, r->events_written,
                      fresh, sizeof r->event_log[0], r->event_log[r->events_written]) < 0 ||
        (!r->is_quick && fdatasync(r->file.fd) != 0)) {
        return fail(sim, r, "write");
    }
    // rows last: an event that is counted and behind the last row does no harm
    const int64_t counters[] = {r->counted + r->waiting, r->events};
    if (lb_write_at(r->file.fd, &counters[LB_COUNTER_EVENTS], sizeof counters[0],
                    r->file.counters_at + LB_COUNTER_EVENTS * (int64_t)sizeof counters[0]) < 0 ||
        lb_write_at(r->file.fd, &counters[LB_COUNTER_ROWS], sizeof counters[0],
                    r->file.counters_at) < 0) {
        return fail(sim, r, "write");
    }
    r->counted += r->waiting;
    r->events_written = r->events;
    r->waiting = 0;
    ++r->flushes;
    return LB_OK;
}

// ---- copying into a file of another length ---------------------------------------------------------

static lb_status copy_bytes(int from, int64_t from_at, int to, int64_t to_at, int64_t size)
{
    char buffer[1 << 16];
    while (size > 0) {
        const size_t want = size < (int64_t)sizeof buffer ? (size_t)size : sizeof buffer;
        const ssize_t got = pread(from, buffer, want, (off_t)from_at);
        if (got <= 0 || lb_write_at(to, buffer, (size_t)got, to_at) < 0) {
            return LB_E_FILE;
        }
        from_at += got;
        to_at += got;
        size -= got;
    }
    return LB_OK;
}

// Copies what is recorded into a new file.
static lb_status copy_all(lb_recorder *r, const lb_table *tables, const lb_record_file *file)
{
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < r->table_count; ++i) {
        const int64_t row_bytes = (int64_t)tables[i].column_count * (int64_t)sizeof(double);
        status = copy_bytes(r->file.fd, r->tables[i].offset, file->fd, tables[i].offset,
                            r->counted * row_bytes);
        status = status < 0
                     ? status
                     : copy_bytes(r->file.fd, r->tables[i].checksums_at, file->fd,
                                  tables[i].checksums_at, r->counted * (int64_t)sizeof(uint32_t));
    }
    if (status >= 0 && r->header.event_capacity > 0) {
        status = lb_write_rows(file->fd, file->events_at, file->event_checksums_at, 0, r->events,
                               sizeof r->event_log[0], r->event_log);
    }
    return status < 0 ? status : write_restart(r, file, r->counted);
}

lb_status lb_finish_recorder(lb_simulation *sim, lb_recorder *r, const lb_audit *audit)
{
    if (!r->to_file) {
        return LB_OK;
    }
    // a file with as many rows as there are
    lb_table tables[LB_TABLE_COUNT];
    lb_record_file file;
    char message[LB_STORE_MESSAGE];
    memcpy(tables, r->tables, sizeof tables);
    r->header.row_capacity = (long)r->counted;
    r->header.event_capacity = r->header.event_capacity > 0 ? r->events > 0 ? r->events : 1 : 0;
    lb_status status =
        lb_create_record_file(r->path, &r->header, tables, r->table_count, &file, message);
    if (status >= 0) {
        const int64_t counters[LB_COUNTER_COUNT] = {r->counted, r->events, sim->complete};
        if (copy_all(r, tables, &file) < 0 || lb_write_audit(&file, audit) < 0 ||
            lb_write_at(file.fd, counters, sizeof counters, file.counters_at) < 0 ||
            lb_close_record_file(&file) < 0) {
            status = LB_E_FILE;
            lb_drop_record_file(&file, errno, message);
        } else {
            status = lb_place_record_file(&file, true, message);
        }
    }
    if (status < 0) {
        return lb_say(&sim->system, status, "%s; all %lld rows are safe in %s", message,
                      (long long)r->counted, r->part);
    }
    lb_remove_file(r->part);
    r->is_placed = false;
    return LB_OK;
}

// ---- taking up a file again ----------------------------------------------------------------------

// Whether the file has the tables of this run.
static bool has_same_tables(const lb_recorder *r, const lb_results *old)
{
    const lb_results_info *info = lb_get_results_info(old);
    if (info->table_count != r->table_count) {
        return false;
    }
    for (int i = 0; i < r->table_count; ++i) {
        const lb_table *t = &r->tables[i];
        if (strcmp(info->tables[i].name, t->name) != 0 ||
            info->tables[i].column_count != t->column_count) {
            return false;
        }
        for (int j = 0; j < t->column_count; ++j) {
            if (strcmp(info->tables[i].columns[j], t->columns[j]) != 0) {
                return false;
            }
        }
    }
    return true;
}

// Copies rows and the events up to the last of them; state and work follow. `stopped`: one of them had ended the run.
static lb_status copy_old(lb_simulation *sim, lb_recorder *r, const lb_results *old, bool *stopped)
{
    const lb_results_info *info = lb_get_results_info(old);
    double *rows[LB_TABLE_COUNT] = {NULL};
    lb_status status = LB_OK;
    const long count = info->row_count;
    for (long row = 0; status >= 0 && row < count; ++row) {
        for (int id = 0; status >= 0 && id < LB_TABLE_COUNT; ++id) {
            const int i = r->place[id];
            if (i >= 0) {
                rows[id] = r->tables[i].block + r->waiting * r->tables[i].column_count;
                status = lb_read_table(old, i, row, 1, rows[id]);
                if (status < 0) {
                    lb_say(&sim->system, status, "cannot resume: %s", lb_get_results_message(old));
                }
            }
        }
        if (status >= 0) {
            keep_energies(sim, r, rows);
            ++r->waiting;
            sim->flow.t = rows[LB_TABLE_TIME][0];
            if (row == count - 1) {
                // the state of the last row
                lb_system *s = &sim->system;
                if (s->v_count > 0) {
                    memcpy(sim->flow.y, rows[LB_TABLE_Q], (size_t)s->q_count * sizeof(double));
                    memcpy(sim->flow.y + s->q_count, rows[LB_TABLE_V],
                           (size_t)s->v_count * sizeof(double));
                }
                memcpy(sim->flow.y + s->q_count + s->v_count, rows[LB_TABLE_WORK],
                       (size_t)s->work_count * sizeof(double));
            }
            if (r->waiting == r->block_rows || row == count - 1) {
                status = lb_flush_recorder(sim, r);
            }
        }
    }
    status = status < 0 ? status : lb_prepare_loops(sim);
    bool ignored = false;
    for (int i = 0; status >= 0 && i < info->event_count; ++i) {
        const char *name;
        double t;
        status = lb_read_event(old, i, &t, &name);
        if (status < 0) {
            lb_say(&sim->system, status, "cannot resume: %s", lb_get_results_message(old));
        }
        for (int e = 0; status >= 0 && t <= sim->flow.t && e < r->header.event_name_count; ++e) {
            const bool is_stick = e >= sim->event_count;
            if (strcmp(r->event_names[e], name) == 0 && r->events < EVENT_MAX) {
                r->event_log[r->events][0] = t;
                r->event_log[r->events][1] = e;
                ++r->events;
                ++*(is_stick ? &sim->stick_events : &sim->events_met);
                status = is_stick ? status : lb_apply_event(sim, e, true, stopped, &ignored);
                // nothing follows an event that ends a run
                snprintf(sim->event_names, sizeof sim->event_names, "%s", *stopped ? name : "");
                break;
            }
        }
    }
    restore_loops(sim);
    return status < 0 ? status : lb_flush_recorder(sim, r);
}

lb_status lb_resume_recorder(lb_simulation *sim, const lb_run_request *request,
                             lb_recorder **recorder)
{
    lb_system *s = &sim->system;
    lb_status status = prepare(sim, request, recorder);
    lb_recorder *r = *recorder;
    if (status < 0 || !r->to_file) {
        return status < 0 ? status
                          : lb_say(s, LB_E_ARGUMENT, "to resume a run, name its result file");
    }
    status = claim_part(sim, r);
    if (status < 0) {
        return status;
    }
    // what is unfinished goes before what is finished, if it can be read
    char message[LB_RESULTS_MESSAGE_SIZE];
    lb_results *old = NULL;
    bool stopped = false;
    bool is_part = r->old >= 0;
    if (!is_part && access(r->path, F_OK) != 0 && errno == ENOENT) {
        lb_complain(&r->heard, LB_SEVERITY_WARNING, "", "",
                    "nothing to resume: there is no %s yet; the run starts from the beginning",
                    r->path);
        return start_part(sim, r, false);
    }
    status = lb_open_result_file(is_part ? r->part : r->path, message, &old);
    if (status < 0 && status != LB_E_MEMORY && is_part && access(r->path, F_OK) == 0) {
        is_part = false;
        status = lb_open_result_file(r->path, message, &old);
    }
    const char *from = is_part ? r->part : r->path;
    if (status < 0) {
        return lb_say(s, status, "nothing to resume: %s", message);
    }
    const long count = lb_get_results_info(old)->row_count;
    if (strcmp(lb_get_results_info(old)->hash, r->header.hash) != 0) {
        status = lb_say(s, LB_E_ARGUMENT, "cannot resume %s: it was made by another model", from);
    } else if (!has_same_tables(r, old)) {
        status = lb_say(s, LB_E_ARGUMENT, "cannot resume %s: its tables are others", from);
    } else if (count == 0) {
        // from the beginning
        lb_close_results(old);
        return start_part(sim, r, is_part);
    }
    if (status >= 0) {
        double t = 0.0;
        status = lb_read_table(old, 0, count - 1, 1, &t);
        // a run that was killed between its last row and its end still has to be ended
        if (status >= 0 && !is_part &&
            (t >= sim->flow.options.duration * (1.0 - 1e-12) ||
             lb_get_results_info(old)->ending == 2)) {
            lb_close_results(old);
            return lb_say(s, LB_NEWS_STOP, "%s is complete: it ends at t = %.9g s", from, t);
        }
        // rows at interruptions come on top of those at intervals
        r->header.row_capacity += count;
    }
    // rows move to a new file of the full length, which then takes the place of the old one
    status = status < 0 ? status : create_part(sim, r);
    const lb_status restart = status >= 0 && r->header.memory_count > 0
                                  ? lb_read_restart(old, r->header.memory_count, r->restart + 1)
                                  : LB_E_FILE;
    status = restart == LB_E_MEMORY ? restart : status;
    if (restart == LB_OK) {
        sim->memory =
            lb_arena_take(&sim->arena, (size_t)r->header.memory_count, sizeof *sim->memory);
        if (!sim->memory) {
            status = LB_E_MEMORY;
        } else {
            memcpy(sim->memory, r->restart + 1,
                   (size_t)r->header.memory_count * sizeof *sim->memory);
        }
    }
    status = status < 0 ? status : copy_old(sim, r, old, &stopped);
    lb_close_results(old);
    status = status < 0 ? status : place_part(sim, r, is_part);
    sim->stage = status < 0 ? sim->stage : stopped ? LB_STAGE_ENDED : LB_STAGE_RESUMED;
    return status;
}

// ---- the audit ---------------------------------------------------------------------------------

void lb_fill_audit(const lb_simulation *sim, const lb_recorder *r, lb_audit *audit)
{
    const lb_system *s = &sim->system;
    const double *w = sim->flow.y + s->q_count + s->v_count, *others = w + s->force_count;
    audit->energy_start = r->first[LB_ENERGY_KINETIC] + r->first[LB_ENERGY_POTENTIAL];
    audit->energy_end = r->last[LB_ENERGY_KINETIC] + r->last[LB_ENERGY_POTENTIAL];
    audit->work_forces = sum_force_work(s, w);
    audit->work_drives = others[LB_WORK_DRIVES];
    audit->work_damping = others[LB_WORK_DAMPING];
    audit->work_locking = others[LB_WORK_LOCKING];
    if (s->closure) {
        audit->work_loops = others[LB_WORK_LOOPS];
        audit->work_closing = others[LB_WORK_CLOSING];
        audit->work_projection = others[LB_WORK_PROJECTION];
    }
    audit->energy_scale = r->scale;
    audit->energy_error = audit->energy_end - audit->energy_start - sum_work(s, w);
    audit->linear_change = get_distance(r->last_momentum, r->first_momentum);
    audit->angular_change = get_distance(r->last_momentum + 3, r->first_momentum + 3);
    audit->rows = (double)lb_get_recorded_rows(r);
    audit->motion_energy = r->own_energy;
}

void lb_bound_audit(const lb_simulation *sim, const lb_recorder *r, lb_audit *audit)
{
    lb_set_audit_bounds(sim, &r->largest, audit);
    audit->work_error = isnan(audit->energy_bound) ? (double)NAN
                        : sim->flow.is_work_loose  ? INFINITY
                                                   : r->work_error;
    audit->growth = sim->sampler ? lb_measure_growth(sim, r->peaks, r->least) : 0.0;
}
