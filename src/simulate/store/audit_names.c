// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of an audit by number and by name.
#include <math.h>
#include <string.h>

#include "audit_entries.h"
#include "base/sized.h"
#include "record_file.h"

static const char *const audit_names[LB_AUDIT_ENTRIES] = {"time",
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
                                                          "fallbacks",
                                                          "motion_energy",
                                                          "energy_bound",
                                                          "linear_bound",
                                                          "angular_bound",
                                                          "work_error",
                                                          "deformation",
                                                          "growth"};

// a caller must have room for the first entry at least
enum { SMALLEST = offsetof(lb_audit, time) + sizeof(double) };

int lb_get_audit_count(void)
{
    return LB_AUDIT_ENTRIES;
}

const char *lb_get_audit_name(int entry)
{
    const char *name = entry >= 0 && entry < LB_AUDIT_ENTRIES ? audit_names[entry] : NULL;
    return name ? name : "";
}

double lb_get_audit_value(const lb_audit *audit, int entry)
{
    const size_t at = offsetof(lb_audit, time) + (size_t)entry * sizeof(double);
    if (entry < 0 || entry >= LB_AUDIT_ENTRIES || at + sizeof(double) > audit->size) {
        return (double)NAN;
    }
    double value;
    memcpy(&value, (const char *)audit + at, sizeof value);
    return value;
}

double *lb_get_audit_entry(lb_audit *audit, int entry)
{
    return (double *)(void *)((char *)audit + offsetof(lb_audit, time)) + entry;
}

void lb_clear_audit(lb_audit *audit)
{
    *audit = (lb_audit){.size = sizeof *audit};
    for (int i = 0; i < LB_AUDIT_ENTRIES; ++i) {
        *lb_get_audit_entry(audit, i) = (double)NAN;
    }
}

lb_status lb_check_audit_size(const lb_audit *audit)
{
    return audit->size < SMALLEST || audit->size > sizeof *audit ? LB_E_VERSION : LB_OK;
}

lb_status lb_give_audit(const lb_audit *audit, lb_audit *out)
{
    return lb_give_sized(audit, sizeof *audit, SMALLEST, out);
}

// Whether an entry exceeds its bound; `judged` becomes true if there is one.
static bool exceeds(double value, double bound, bool *judged)
{
    *judged = *judged || !isnan(bound);
    return !isnan(bound) && !(fabs(value) <= bound);
}

lb_verdict lb_judge_audit(const lb_audit *given)
{
    lb_audit audit;
    lb_clear_audit(&audit);
    bool judged = false;
    const size_t size = given->size < sizeof audit ? given->size : sizeof audit;
    memcpy(&audit, given, size);
    const bool energy = exceeds(audit.energy_error, audit.energy_bound, &judged);
    const bool linear = exceeds(audit.linear_change, audit.linear_bound, &judged);
    const bool angular = exceeds(audit.angular_change, audit.angular_bound, &judged);
    const bool work =
        !isnan(audit.work_error) && exceeds(audit.work_error, audit.energy_bound, &judged);
    return energy && (linear || angular)             ? LB_VERDICT_BOTH
           : energy                                  ? LB_VERDICT_ENERGY
           : linear || angular                       ? LB_VERDICT_MOMENTUM
           : audit.growth > 0.0                      ? LB_VERDICT_GROWTH
           : audit.deformation > LB_DEFORMATION_MOST ? LB_VERDICT_RANGE
           : !judged                                 ? LB_VERDICT_NONE
           : work                                    ? LB_VERDICT_WORK
                                                     : LB_VERDICT_KEPT;
}

const char *lb_get_verdict_text(lb_verdict verdict)
{
    static const char *const texts[] = {
        "kept: nothing is off by more than the tolerance explains",
        "energy is off by more than the tolerance explains",
        "momentum is off by more than the tolerance explains",
        "energy and momentum are off by more than the tolerance explains",
        "none: the model is not expected to keep energy or momentum",
        "work is off by more than the tolerance explains, in one part or for a time",
        "not valid: a body is deformed far beyond the range of its modes",
        "not stable: under sampled controllers the motion grows exponentially"};
    return (unsigned)verdict <= LB_VERDICT_GROWTH ? texts[verdict] : "?";
}
