// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "flight.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "limber/dynamics.h"
#include "loaded.h"

lb_flight lb_default_flight(void)
{
    return (lb_flight){.duration = 0.1,
                       .amplitude = 1e-3,
                       .spin = {1.1, -0.7, 0.5},
                       .speed = {0.5, 1.1, 1.6},
                       .tolerance = 1e-13,
                       .energy = 1e-10,
                       .momentum = 1e-10};
}

static void set_start(const lb_flight *flight, lb_simulation *simulation)
{
    const lb_model *model = lb_get_simulation_model(simulation);
    const int n = lb_get_mode_count(model, 0);
    const double *now_q, *now_v;
    double q[LB_FLIGHT_MODES + 7], v[LB_FLIGHT_MODES + 6];
    assert_true(n <= LB_FLIGHT_MODES);
    assert_int_equal(lb_get_v_count(model), n + 6);
    lb_get_initial_state(simulation, &now_q, &now_v);
    memcpy(q, now_q, (size_t)(n + 7) * sizeof *q);
    memcpy(v, now_v, (size_t)(n + 6) * sizeof *v);
    for (int r = 0; r < n; ++r) {
        q[r] = flight->amplitude / (1 + r);
    }
    for (int k = 0; k < 3; ++k) {
        v[n + k] = flight->spin[k];
        v[n + 3 + k] = flight->speed[k];
    }
    lb_expect_ok(lb_set_initial_state(simulation, q, v));
}

typedef struct books {
    double energy, own; // own: of the motion about the centre
    lb_system_motion motion;
} books;

static double find_size(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static books find_books(const lb_simulation *simulation, lb_work *work)
{
    const lb_model *model = lb_get_simulation_model(simulation);
    const double *q, *v;
    double kinetic, potential;
    books b;
    lb_get_simulation_state(simulation, NULL, &q, &v, NULL);
    lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
    lb_expect_ok(lb_compute_energy(model, work, &kinetic, &potential));
    lb_expect_ok(lb_compute_system_motion(model, work, &b.motion));
    b.energy = kinetic + potential;
    b.own = b.energy - 0.5 * find_size(b.motion.linear) * find_size(b.motion.com_velocity);
    return b;
}

static double find_change(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return find_size(d) / find_size(b);
}

static void expect_clean_audit(const char *text, const lb_flight *flight)
{
    lb_loaded l = lb_begin_loaded(text, NULL);
    lb_run_options options = lb_default_run_options();
    lb_audit audit = {.size = sizeof audit};
    const lb_run_request request = lb_default_run_request();
    options.duration = flight->duration;
    options.interval = flight->duration / 10;
    lb_expect_ok(lb_set_run_options(l.simulation, &options));
    set_start(flight, l.simulation);
    lb_expect_ok(lb_run_simulation(l.simulation, &request, &audit));
    if (lb_judge_audit(&audit) != LB_VERDICT_KEPT) {
        fail_msg("%s: energy %g (bound %g), momentum %g (%g), %g (%g)",
                 lb_get_verdict_text(lb_judge_audit(&audit)), audit.energy_error,
                 audit.energy_bound, audit.linear_change, audit.linear_bound, audit.angular_change,
                 audit.angular_bound);
    }
    lb_end_loaded(&l);
}

void lb_fly(const char *text, const lb_flight *flight, double eta[LB_FLIGHT_MODES])
{
    lb_loaded l = lb_begin_loaded(text, NULL);
    lb_work *work = lb_create_work(l.model);
    lb_run_options options = lb_default_run_options();
    options.integrator = LB_INTEGRATOR_ERK;
    options.order = 8;
    options.stop_at_outputs = true; // what is between steps is good to a few digits less
    options.relative_tolerance = flight->tolerance;
    lb_expect_ok(lb_set_run_options(l.simulation, &options));
    set_start(flight, l.simulation);
    lb_expect_ok(lb_start_simulation(l.simulation));
    const books start = find_books(l.simulation, work);
    double energy = 0.0, linear = 0.0, angular = 0.0;
    for (int i = 1; i <= 10; ++i) {
        lb_expect_ok(lb_advance_simulation(l.simulation, flight->duration * i / 10));
        const books now = find_books(l.simulation, work);
        // a fast flight has most of its energy, and its round-off, in the motion of the whole
        const double change = fmin(fabs(now.energy - start.energy) / start.energy,
                                   fabs(now.own - start.own) / start.own);
        energy = fmax(energy, change);
        linear = fmax(linear, find_change(now.motion.linear, start.motion.linear));
        angular = fmax(angular, find_change(now.motion.angular, start.motion.angular));
    }
    print_message("energy %.1e, linear momentum %.1e, angular momentum %.1e\n", energy, linear,
                  angular);
    lb_expect_below("change of energy", energy, flight->energy);
    lb_expect_below("change of linear momentum", linear, flight->momentum);
    lb_expect_below("change of angular momentum", angular, flight->momentum);
    if (eta) {
        const double *q;
        lb_get_simulation_state(l.simulation, NULL, &q, NULL, NULL);
        memcpy(eta, q, (size_t)lb_get_mode_count(l.model, 0) * sizeof *eta);
    }
    lb_destroy_work(work);
    lb_end_loaded(&l);
    expect_clean_audit(text, flight);
}
