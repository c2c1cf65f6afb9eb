// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model with its forces out of one text, a state, and what the forces make of it.
#ifndef LB_TEST_RIG_H
#define LB_TEST_RIG_H

#include "check.h"
#include "limber/forces.h"

typedef struct lb_rig {
    lb_document *document;
    lb_model *model;
    lb_work *work;
    lb_forces *forces;
    int body_count, q_count, v_count;
    double *q, *v, *a, *tau; ///< neutral and at rest to begin with
    unsigned char *driven;
} lb_rig;

/// Loads a text (YAML or URDF) and ends the test, saying why, if that fails.
///
/// @param model  given to the rig, or NULL to take it from the text as well
lb_rig lb_begin_rig(const char *text, lb_model *model);
void lb_end_rig(lb_rig *rig);

/// Kinematics and forces at the rig's state, tau and driven cleared before.
lb_status lb_evaluate_rig(lb_rig *rig, double t);

/// Value of a signal at the rig's state, after lb_evaluate_rig; ends the test if there is none.
double lb_read_rig(const lb_rig *rig, double t, const char *signal);

#endif // LB_TEST_RIG_H
