// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The force elements of a model file, for requests that say "forces": true.
#ifndef LB_CLI_EVAL_FORCES_H
#define LB_CLI_EVAL_FORCES_H

#include "limber/document.h"
#include "limber/forces.h"

/// Loads the forces of a model file.
///
/// @return the forces, to be freed by lb_cli_destroy_forces; NULL after an error, which is reported
lb_forces *lb_cli_load_forces(const lb_document *document, const lb_model *model,
                              const lb_report *report);
void lb_cli_destroy_forces(lb_forces *forces);

/// Generalized forces at a state and time zero.
///
/// @param tau     out: of all elements
/// @param driven  out: hinges driven by motion
/// @param a       out: their accelerations
/// @param energy  out: held by conservative elements
/// @return NULL, or what is wrong
const char *lb_cli_compute_forces(lb_forces *forces, const lb_model *model, lb_work *work,
                                  const double *q, const double *v, double *tau,
                                  unsigned char *driven, double *a, double *energy);

#endif // LB_CLI_EVAL_FORCES_H
