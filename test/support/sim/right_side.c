// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "right_side.h"
#include "dynamics/tree/tree.h"

#include <limber/dynamics.h>
#include <limber/forces.h>
#include <string.h>

#include "simulate/forces/force_set.h"

void lb_compute_right_side(const lb_course *course, lb_work *work, double t, double *q, double *v,
                           double *tau, double *a, double *q_dot)
{
    lb_forces *forces = lb_get_simulation_forces(course->simulation);
    const lb_model *model = course->model;
    unsigned char driven[64] = {0};
    assert_true(lb_get_body_count(model) <= 64);
    memset(a, 0, (size_t)lb_get_v_count(model) * sizeof *a);
    lb_expect_ok(lb_set_driven_state(forces, model, t, q, v));
    lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
    lb_expect_ok(lb_compute_forces(forces, model, work, t, q, v, tau, driven, a));
    lb_expect_ok(lb_tree_hybrid(model, work, q, v, driven, tau, a));
    lb_compute_configuration_rate(model, q, v, q_dot);
}
