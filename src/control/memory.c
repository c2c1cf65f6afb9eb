// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What controllers remember from sample to sample, as numbers: for a run that is taken up again.
#include "control.h"

#include <string.h>

#include "controllers.h"

void lb_remember(lb_memory *memory, int count, double *numbers)
{
    if (memory->task == LB_MEMORY_SAVE) {
        memcpy(memory->numbers + memory->count, numbers, (size_t)count * sizeof *numbers);
    } else if (memory->task == LB_MEMORY_RESTORE) {
        memcpy(numbers, memory->numbers + memory->count, (size_t)count * sizeof *numbers);
    }
    memory->count += count;
}

static void remember_integer(lb_memory *memory, int *integer)
{
    double number = *integer;
    lb_remember(memory, 1, &number);
    *integer = (int)number;
}

// In two halves, which are numbers without loss.
static void remember_bits(lb_memory *memory, uint64_t *bits)
{
    double halves[2] = {(double)(*bits >> 32), (double)(*bits & UINT32_MAX)};
    lb_remember(memory, 2, halves);
    *bits = (uint64_t)halves[0] << 32 | (uint64_t)halves[1];
}

static void remember_sensor(lb_memory *memory, lb_sensor *sensor)
{
    lb_remember(memory, 1, &sensor->sample_count);
    lb_remember(memory, 1, &sensor->reading);
    lb_remember(memory, 2 * sensor->past_count, sensor->past);
    remember_bits(memory, &sensor->random);
    remember_integer(memory, &sensor->oldest);
    remember_integer(memory, &sensor->newest_count);
}

static void remember_controller(lb_memory *memory, const lb_simulation *sim, lb_controller *c)
{
    const int channels = c->sample.channel_count, sensors = c->sample.sensor_count;
    lb_remember(memory, 1, &c->sample_count);
    for (int i = 0; i < sensors; ++i) {
        remember_sensor(memory, &c->sensors[i]);
    }
    // of the last sample: what is recorded between two
    lb_remember(memory, sensors, c->readings);
    lb_remember(memory, channels, c->desired[0]);
    lb_remember(memory, channels, c->commands);
    for (int i = 0; i < channels; ++i) {
        lb_force *actuator = &sim->system.forces->forces[c->channels[i].actuator];
        lb_remember(memory, 1, &c->channels[i].last_position);
        lb_remember(memory, 1, &actuator->t_command);
        lb_remember(memory, 1, &actuator->target);
        lb_remember(memory, 1, &actuator->ramp);
        lb_remember(memory, 1, &actuator->output);
    }
    if (c->law->remember) {
        c->law->remember(memory, sim, c);
    }
}

static int visit(const lb_simulation *sim, lb_memory memory)
{
    for (int i = 0; i < lb_get_controller_count(sim); ++i) {
        remember_controller(&memory, sim, &sim->control->controllers[i]);
    }
    return memory.count;
}

int lb_count_memory(const lb_simulation *sim)
{
    return visit(sim, (lb_memory){LB_MEMORY_COUNT, 0, NULL});
}

void lb_save_memory(const lb_simulation *sim, double *numbers)
{
    visit(sim, (lb_memory){LB_MEMORY_SAVE, 0, numbers});
}

void lb_recall_memory(lb_simulation *sim, double *numbers)
{
    visit(sim, (lb_memory){LB_MEMORY_RESTORE, 0, numbers});
}

lb_status lb_restore_memory(lb_simulation *sim, double *numbers)
{
    for (int i = 0; i < lb_get_controller_count(sim); ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        if (!c->law->remember) {
            return lb_say(&sim->system, LB_E_UNSUPPORTED,
                          "a run with controller '%s' cannot be resumed: what a law of type %s "
                          "remembers is its own",
                          c->name, c->law->name);
        }
        if (c->is_designed && sim->events_met > 0) {
            return lb_say(&sim->system, LB_E_UNSUPPORTED,
                          "a run with controller '%s' cannot be resumed behind an event: it was "
                          "designed for the system before it",
                          c->name);
        }
    }
    if (!numbers) {
        return lb_say(&sim->system, LB_E_UNSUPPORTED,
                      "this run cannot be resumed: what its controllers remember is not recorded");
    }
    lb_recall_memory(sim, numbers);
    return LB_OK;
}
