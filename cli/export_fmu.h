// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber export --as fmi2|fmi3: a model as an FMU.
#ifndef LB_CLI_EXPORT_FMU_H
#define LB_CLI_EXPORT_FMU_H

#include "commands.h"

/// Whether `--as` asks for an FMU.
bool lb_cli_is_fmu_form(const char *as);

/// Writes the FMU.
///
/// @return the exit status
int lb_cli_export_fmu(const lb_cli_arguments *arguments);

#endif // LB_CLI_EXPORT_FMU_H
