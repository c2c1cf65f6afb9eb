// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the FMUs of models and of simulations share.
#ifndef LB_MAKE_FMU_H
#define LB_MAKE_FMU_H

#include "variables.h"

/// Says why there is no FMU, and hands the status on.
lb_status lb_refuse_fmu(const lb_report *report, lb_status status, const char *message);

/// Copies the caller's options and checks all but start values.
lb_status lb_take_fmu_options(const lb_fmu_options *options, const lb_report *report,
                              lb_fmu_options *own);

/// Writes the files of an FMU.
///
/// @param options  whole and checked
lb_status lb_make_fmu(const lb_model *model, const lb_fmu_options *options,
                      const lb_fmu_extras *extras, const lb_report *report, lb_fmu **fmu);

#endif // LB_MAKE_FMU_H
