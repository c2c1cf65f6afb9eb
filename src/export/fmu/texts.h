// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that are built in: the sources of src/export/fmu/glue, which are the same in every FMU, and the licence.
#ifndef LB_FMU_TEXTS_H
#define LB_FMU_TEXTS_H

#include <stddef.h>

extern const unsigned char lb_fmu_core[], lb_fmu_values[], lb_fmu_derive[], lb_fmu_events[],
    lb_fmu_step[], lb_fmu_fmi2[], lb_fmu_fmi3[], lb_fmu_header2[], lb_fmu_header3[],
    lb_fmu_licence[];
extern const size_t lb_fmu_core_size, lb_fmu_values_size, lb_fmu_derive_size, lb_fmu_events_size,
    lb_fmu_step_size, lb_fmu_fmi2_size, lb_fmu_fmi3_size, lb_fmu_header2_size, lb_fmu_header3_size,
    lb_fmu_licence_size;

#endif // LB_FMU_TEXTS_H
