// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of controllers: their defaults, and how they are taken over from callers of other versions.
#include "base/sized.h"
#include "control.h"

// Bytes of a struct up to the end of a field.
#define THROUGH(type, field) (offsetof(type, field) + sizeof((type *)0)->field)

// ---- defaults ------------------------------------------------------------------------------------

static const lb_sensor_options sensor_defaults = {.size = sizeof sensor_defaults,
                                                  .seed = LB_NO_SEED};

static const lb_channel_options channel_defaults = {.size = sizeof channel_defaults,
                                                    .profile = LB_PROFILE_QUINTIC};

static const lb_regulator_options regulator_defaults = {.size = sizeof regulator_defaults,
                                                        .effort = 1.0};

static const lb_deformation_options deformation_defaults = {
    .size = sizeof deformation_defaults, .profile = LB_PROFILE_QUINTIC, .weight = 1.0};

static const lb_attitude_options attitude_defaults = {.size = sizeof attitude_defaults,
                                                      .profile = LB_PROFILE_QUINTIC};

static const lb_law_options law_defaults = {.size = sizeof law_defaults,
                                            .sweep_count = 2,
                                            .timeout = 1.0,
                                            .effort = 1.0,
                                            .process_noise = 1.0,
                                            .sensor_noise = 1e-6};

static const lb_controller_options controller_defaults = {.size = sizeof controller_defaults,
                                                          .shaped_modes = 1};

void lb_init_sensor_options(lb_sensor_options *options, size_t size)
{
    lb_set_sized(&sensor_defaults, sizeof sensor_defaults, options, size);
}

void lb_init_channel_options(lb_channel_options *options, size_t size)
{
    lb_set_sized(&channel_defaults, sizeof channel_defaults, options, size);
}

void lb_init_regulator_options(lb_regulator_options *options, size_t size)
{
    lb_set_sized(&regulator_defaults, sizeof regulator_defaults, options, size);
}

void lb_init_deformation_options(lb_deformation_options *options, size_t size)
{
    lb_set_sized(&deformation_defaults, sizeof deformation_defaults, options, size);
}

void lb_init_attitude_options(lb_attitude_options *options, size_t size)
{
    lb_set_sized(&attitude_defaults, sizeof attitude_defaults, options, size);
}

void lb_init_law_options(lb_law_options *options, size_t size)
{
    lb_set_sized(&law_defaults, sizeof law_defaults, options, size);
}

void lb_init_controller_options(lb_controller_options *options, size_t size)
{
    lb_set_sized(&controller_defaults, sizeof controller_defaults, options, size);
}

// ---- taking them over ----------------------------------------------------------------------------

static lb_status take(lb_simulation *sim, const char *where, void *own, size_t own_size,
                      size_t smallest, const void *options)
{
    return lb_take_checked(&sim->faults, where, "", own, own_size, smallest, options);
}

lb_status lb_take_controller_options(lb_simulation *sim, const char *where,
                                     const lb_controller_options *options,
                                     lb_controller_options *own)
{
    *own = controller_defaults;
    return take(sim, where, own, sizeof *own, THROUGH(lb_controller_options, law), options);
}

lb_status lb_take_sensor_options(lb_simulation *sim, const char *where,
                                 const lb_sensor_options *options, lb_sensor_options *own)
{
    *own = sensor_defaults;
    return take(sim, where, own, sizeof *own, THROUGH(lb_sensor_options, signal), options);
}

lb_status lb_take_channel_options(lb_simulation *sim, const char *where,
                                  const lb_channel_options *options, lb_channel_options *own)
{
    *own = channel_defaults;
    return take(sim, where, own, sizeof *own, THROUGH(lb_channel_options, actuator), options);
}

lb_status lb_take_law_options(lb_simulation *sim, const char *where, const lb_law_options *options,
                              lb_law_options *own)
{
    *own = law_defaults;
    return take(sim, where, own, sizeof *own, THROUGH(lb_law_options, type), options);
}

lb_status lb_take_regulator_options(lb_simulation *sim, const char *where,
                                    const lb_regulator_options *options, lb_regulator_options *own)
{
    *own = regulator_defaults;
    return take(sim, where, own, sizeof *own, THROUGH(lb_regulator_options, vibration), options);
}

lb_status lb_take_deformation_options(lb_simulation *sim, const char *where,
                                      const lb_deformation_options *options,
                                      lb_deformation_options *own)
{
    *own = deformation_defaults;
    return take(sim, where, own, sizeof *own, THROUGH(lb_deformation_options, desired), options);
}

lb_status lb_take_attitude_options(lb_simulation *sim, const char *where,
                                   const lb_attitude_options *options, lb_attitude_options *own)
{
    *own = attitude_defaults;
    return take(sim, where, own, sizeof *own, THROUGH(lb_attitude_options, kd), options);
}
