// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command uses of the library beside the public headers and base/clock.h: keys of model files that are its own,
// files that it reads and writes, and parts of its subcommands that no program has asked for. check_api counts the
// functions that these headers declare.
#ifndef LB_COMMAND_H
#define LB_COMMAND_H

#include "base/files/files.h"
#include "base/files/output.h"
#include "control/controllers.h"
#include "document/places.h"
#include "dynamics/loops/loop_report.h"
#include "export/cuda/cuda_clock.h"
#include "export/fmu/fmi_header.h"
#include "linear/stability/response_growth.h"
#include "sweep/sweep_files.h"

#endif // LB_COMMAND_H
