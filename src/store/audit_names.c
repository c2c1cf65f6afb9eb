// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/results.h"

static const char *const audit_names[LB_AUDIT_COUNT] = {"time",
                                                        "wall_time",
                                                        "processor_time",
                                                        "energy_start",
                                                        "energy_end",
                                                        "work_forces",
                                                        "work_drives",
                                                        "work_damping",
                                                        "work_locking",
                                                        "energy_scale",
                                                        "energy_error",
                                                        "linear_change",
                                                        "angular_change",
                                                        "quaternion_error",
                                                        "steps",
                                                        "rejections",
                                                        "evaluations",
                                                        "events",
                                                        "rows",
                                                        "jacobians",
                                                        "work_loops",
                                                        "work_closing",
                                                        "work_projection",
                                                        "closure_error",
                                                        "closure_speed_error",
                                                        "fallbacks"};

const char *lb_get_audit_name(int entry)
{
    return entry >= 0 && entry < LB_AUDIT_COUNT ? audit_names[entry] : "";
}
