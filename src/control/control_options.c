// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of controllers, taken over from callers of other versions.
#include "base/sized.h"
#include "control.h"

// Bytes of a struct up to the end of a field.
#define THROUGH(type, field) (offsetof(type, field) + sizeof((type *)0)->field)

static lb_status take(lb_simulation *sim, const char *where, void *own, size_t own_size,
                      size_t smallest, const void *options)
{
    return lb_take_checked(&sim->faults, where, "", own, own_size, smallest, options);
}

lb_status lb_take_controller_options(lb_simulation *sim, const char *where,
                                     const lb_controller_options *options,
                                     lb_controller_options *own)
{
    *own = lb_default_controller_options();
    return take(sim, where, own, sizeof *own, THROUGH(lb_controller_options, law), options);
}

lb_status lb_take_sensor_options(lb_simulation *sim, const char *where,
                                 const lb_sensor_options *options, lb_sensor_options *own)
{
    *own = lb_default_sensor_options();
    return take(sim, where, own, sizeof *own, THROUGH(lb_sensor_options, signal), options);
}

lb_status lb_take_channel_options(lb_simulation *sim, const char *where,
                                  const lb_channel_options *options, lb_channel_options *own)
{
    *own = lb_default_channel_options();
    return take(sim, where, own, sizeof *own, THROUGH(lb_channel_options, actuator), options);
}

lb_status lb_take_law_options(lb_simulation *sim, const char *where, const lb_law_options *options,
                              lb_law_options *own)
{
    *own = lb_default_law_options();
    return take(sim, where, own, sizeof *own, THROUGH(lb_law_options, type), options);
}

lb_status lb_take_regulator_options(lb_simulation *sim, const char *where,
                                    const lb_regulator_options *options, lb_regulator_options *own)
{
    *own = lb_default_regulator_options();
    return take(sim, where, own, sizeof *own, THROUGH(lb_regulator_options, vibration), options);
}

lb_status lb_take_deformation_options(lb_simulation *sim, const char *where,
                                      const lb_deformation_options *options,
                                      lb_deformation_options *own)
{
    *own = lb_default_deformation_options();
    return take(sim, where, own, sizeof *own, THROUGH(lb_deformation_options, desired), options);
}

lb_status lb_take_attitude_options(lb_simulation *sim, const char *where,
                                   const lb_attitude_options *options, lb_attitude_options *own)
{
    *own = lb_default_attitude_options();
    return take(sim, where, own, sizeof *own, THROUGH(lb_attitude_options, kd), options);
}
