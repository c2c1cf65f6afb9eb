// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Controllers in the text of a frozen file: what is due when, and steps with their samples in them.
#ifndef LB_WRITE_CONTROL_H
#define LB_WRITE_CONTROL_H

#include <stdint.h>

#include "limber/freeze.h"
#include "page.h"

/// A function that is called at sampling times.
typedef struct lb_frozen_sampler {
    int at;      ///< in memory: samples taken; the next is due at so many / rate
    double rate; ///< Hz
    char name[24];
    // a controller that integrates a model of its own from sample to sample
    int plan_at; ///< in memory: its q, v, tau, force and a; -1 for none
    int plan_q_count, plan_v_count, plan_steps;
    char plan[24]; ///< the function that fills a
} lb_frozen_sampler;

/// An actuator whose force changes at a limited rate.
typedef struct lb_frozen_ramp {
    int at; ///< in memory: time of the command, target, ramp
    double rate_limit;
} lb_frozen_ramp;

/// Noise of a sensor.
typedef struct lb_frozen_noise {
    int sampler; ///< that samples it
    uint64_t seed;
} lb_frozen_noise;

/// All controllers of a file. Sensors come before what reads them.
typedef struct lb_frozen_control {
    int sampler_count, ramp_count, noise_count;
    lb_frozen_sampler *samplers;
    lb_frozen_noise *noises;
    lb_frozen_ramp *ramps;
    bool runs; ///< with NAME_run
} lb_frozen_control;

/// Prototypes for the header.
void lb_write_control_prototypes(lb_page *page, const lb_frozen_control *control,
                                 const lb_freeze_options *options, const char *capitals);

/// NAME_normal, which makes the noise of sensors; nothing if none has noise.
void lb_write_noise(lb_page *page, const lb_frozen_control *control,
                    const lb_freeze_options *options);

/// NAME_advance_plan_..., which move the models of controllers on by a period.
void lb_write_plans(lb_page *page, const lb_frozen_control *control,
                    const lb_freeze_options *options, const char *capitals);

/// NAME_next_sample and NAME_control.
void lb_write_control(lb_page *page, const lb_frozen_control *control,
                      const lb_freeze_options *options, const char *capitals);

/// NAME_run, which calls NAME_advance.
///
/// @param closes  there are loops
void lb_write_run(lb_page *page, const lb_frozen_control *control, const lb_freeze_options *options,
                  const char *capitals, bool closes);

#endif // LB_WRITE_CONTROL_H
