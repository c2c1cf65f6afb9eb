// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Semi-implicit Euler with a body that turns freely: its energy stays.
#include <math.h>

#include "check.h"
#include "limber/simulate.h"
#include "loaded.h"

static double compute_energy(const double *J, const double *w)
{
    return 0.5 * (J[0] * w[0] * w[0] + J[1] * w[1] * w[1] + J[2] * w[2] * w[2]);
}

static void energy_stays_without_torque(void **state)
{
    (void)state;
    // 2000 s of 0.01 s; the largest rates are about 0.4 rad/s: 2e5 (0.004)^4 / 4 = 1e-5 at most
    const double J[3] = {1, 2, 3}, first[3] = {0.1, 0.4, 0.05};
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "bodies: [{name: b, hinge: {type: free}, mass: 10, inertia: [1, 2, 3, 0, 0, 0]}]\n"
        "initial: {b: {angular_velocity: [0.1, 0.4, 0.05]}}\n"
        "run: {duration: 2000, interval: 100, integrator: {type: euler, step: 0.01}}\n",
        NULL);
    const double *v;
    assert_int_equal(lb_start_simulation(l.simulation), LB_OK);
    for (int k = 1; k <= 20; ++k) {
        assert_int_equal(lb_advance_simulation(l.simulation, 100.0 * k), LB_OK);
        lb_get_simulation_state(l.simulation, NULL, NULL, &v, NULL);
        lb_expect_near("energy", compute_energy(J, v) / compute_energy(J, first), 1.0, 1e-5);
    }
    lb_end_loaded(&l);
}

static void a_symmetric_top_grows_as_predicted(void **state)
{
    (void)state;
    // w_x + i w_y turns at W = (3 - 1) / 1 * 1 = 2 rad/s: a step multiplies it by 1 + i z - z^2 / 2, z = h W
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "bodies: [{name: b, hinge: {type: spherical}, mass: 1, inertia: [1, 1, 3, 0, 0, 0]}]\n"
        "initial: {b: {angular_velocity: [0.5, 0, 1]}}\n"
        "run: {duration: 10, interval: 1, integrator: {type: euler, step: 0.1}}\n",
        NULL);
    const double *v, z = 0.2;
    assert_int_equal(lb_start_simulation(l.simulation), LB_OK);
    assert_int_equal(lb_advance_simulation(l.simulation, 10.0), LB_OK);
    lb_get_simulation_state(l.simulation, NULL, NULL, &v, NULL);
    lb_expect_near("spin", v[2], 1.0, 1e-13);
    lb_expect_near("lateral", (v[0] * v[0] + v[1] * v[1]) / 0.25, pow(1.0 + pow(z, 4) / 4.0, 100),
                   1e-11);
    lb_end_loaded(&l);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_stays_without_torque),
        cmocka_unit_test(a_symmetric_top_grows_as_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
