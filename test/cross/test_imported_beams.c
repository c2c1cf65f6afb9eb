// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Solids of CalculiX as flexible bodies: its own frequencies, sag, vibration and spin-up of a cantilever against a
// beam of this library, and free flight.
//
// The cantilever is 400 x 20 x 10 mm of aluminium, and the beam is Timoshenko's. What tells them apart: the face
// of the solid that is clamped is rigid and keeps the material beside it from contracting, which makes bending
// stiffer by up to 1 / (1 - nu^2). Truly this reaches as far as the section is wide; elements of a
// tenth of the length spread it over the first of them. There, a cantilever under its weight gets 1 - 0.9^4 = 34 % of its
// sag, so that the solid sags less by up to 0.34 nu^2 = 3.1 %. Where nothing is clamped the face carries no
// moment. What is left is the mesh: an element of length h bends with a constant curvature, which for a mode of
// wave number k costs stiffness up to (k h)^2 / 12.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body_file.h"
#include "check.h"
#include "flight.h"
#include "limber/dynamics.h"
#include "limber/linear.h"
#include "loaded.h"
#include "scratch.h"
#include "simulate/run/simulation.h"

// ---- frequencies ---------------------------------------------------------------------------------

// Squares, (rad/s)^2, of the body's modes with each other, as `limber modes` finds them.
static void expect_squares(const char *what, const char *text, int first, const double squares[8])
{
    lb_loaded l = lb_begin_loaded(text, NULL);
    const lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    lb_expect_ok(lb_compute_modes(l.simulation, &options, &modes));
    assert_true(modes->mode_count >= first + 8);
    for (int i = 0; i < 8; ++i) {
        const double w = 2 * acos(-1.0) * modes->frequencies[first + i];
        lb_expect_near(what, w * w, squares[i], 5e-7); // half of the seventh digit, if that is 1
    }
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

// What ccx wrote: test/data/fe/calculix/README.md.
static void frequencies_are_those_of_calculix(void **state)
{
    static const struct {
        const char *job;
        double clamped[8], free[8];
    } jobs[] = {
        {"beam",
         {0.1073193E+06, 0.4248176E+06, 0.4243710E+07, 0.1641716E+08, 0.3373809E+08, 0.9981330E+08,
          0.1257049E+09, 0.1325252E+09},
         {0.4235266E+07, 0.1666211E+08, 0.3254521E+08, 0.1239086E+09, 0.1275057E+09, 0.3585596E+09,
          0.3937926E+09, 0.4632576E+09}},
        {"panel",
         {0.7849910E+03, 0.2102027E+05, 0.3083183E+05, 0.2152303E+06, 0.2505102E+06, 0.7579791E+06,
          0.9447098E+06, 0.1036767E+07},
         {0.2968912E+05, 0.7117922E+05, 0.2359140E+06, 0.3465607E+06, 0.9855238E+06, 0.1045907E+07,
          0.1516093E+07, 0.2256979E+07}},
    };
    (void)state;
    for (size_t i = 0; i < 2; ++i) {
        const long clamp = 9001;
        lb_import_options options = lb_get_mm_options();
        options.mode_count = 12;
        lb_keep_body(lb_import_job(jobs[i].job, &options), "free.flex");
        options.clamp = &clamp;
        options.clamp_count = 1;
        lb_keep_body(lb_import_job(jobs[i].job, &options), "clamped.flex");
        expect_squares(jobs[i].job,
                       "limber: 1\n"
                       "bodies: [{name: a, hinge: {type: fixed}, flex: {file: clamped.flex}}]\n",
                       0, jobs[i].clamped);
        expect_squares(jobs[i].job,
                       "limber: 1\n"
                       "bodies: [{name: a, hinge: {type: free}, flex: {file: free.flex}}]\n",
                       6, jobs[i].free);
    }
}

// ---- a cantilever --------------------------------------------------------------------------------

// The same cantilever as solid (125 is the middle of an edge of its end, (400, 0, 5) mm) and as beam.
#define SOLID "flex: {file: cantilever.flex, nodes: {tip: 125}, modes: {count: %d}}"
#define BEAM                                                                                       \
    "beam: {length: 0.4, section: {type: rectangle, width: 0.02, height: 0.01}, theory: "          \
    "timoshenko, material: {E: 70.0e+9, nu: 0.3, rho: 2700}, second_order: false, modes: {count: " \
    "%d}}"

// How much less the solid bends, at most: see above.
#define ROOT 0.031

static void make_cantilever(void)
{
    const long clamp = 9001;
    lb_import_options options = lb_get_mm_options();
    options.clamp = &clamp;
    options.clamp_count = 1;
    lb_keep_body(lb_import_job("beam", &options), "cantilever.flex");
}

// A model of the solid (0) or the beam (1).
static lb_loaded load_cantilever(int which, int modes, const char *hinge, const char *gravity,
                                 const char *rest)
{
    char body[512], text[1024];
    snprintf(body, sizeof body, which == 0 ? SOLID : BEAM, modes);
    snprintf(text, sizeof text, "limber: 1\ngravity: %s\nbodies: [{name: a, hinge: %s, %s}]\n%s",
             gravity, hinge, body, rest);
    return lb_begin_loaded(text, NULL);
}

// Displacement of the tip in axes that turn with the root by `angle` about z.
static void find_deflection(const lb_loaded *l, int which, double angle, double u[3])
{
    lb_work *work = lb_create_work(l->model);
    const double *q, *v;
    lb_node_motion motion;
    lb_get_simulation_state(l->simulation, NULL, &q, &v, NULL);
    lb_expect_ok(lb_compute_kinematics(l->model, work, q, v, NULL));
    lb_expect_ok(
        lb_compute_node_motion(l->model, work, 0, lb_find_node(l->model, 0, "tip"), &motion));
    const double *x = motion.position;
    u[0] = cos(angle) * x[0] + sin(angle) * x[1] - 0.4;
    u[1] = -sin(angle) * x[0] + cos(angle) * x[1];
    u[2] = x[2] - (which == 0 ? 0.005 : 0.0);
    lb_destroy_work(work);
}

static void sag_is_that_of_a_beam(void **state)
{
    (void)state;
    make_cantilever();
    double sag[2][3];
    for (int which = 0; which < 2; ++which) {
        lb_loaded l = load_cantilever(which, 12, "{type: fixed}", "[0, 0, -9.81]", "");
        lb_expect_ok(lb_trim_simulation(l.simulation, NULL));
        find_deflection(&l, which, 0.0, sag[which]);
        lb_end_loaded(&l);
    }
    // by hand: w L^4 / (8 E I), of a beam without shear
    const double hand = -9.81 * 2700 * 2e-4 * pow(0.4, 4) / (8 * 70e9 * 0.02 * 1e-6 / 12);
    print_message("sag: %.6g mm of the solid, %.6g mm of the beam, %.6g mm by hand\n",
                  1e3 * sag[0][2], 1e3 * sag[1][2], 1e3 * hand);
    assert_true(sag[0][2] > sag[1][2]); // less, downwards
    lb_expect_near("sag", sag[0][2], sag[1][2], ROOT);
    lb_expect_near("sag of the beam", sag[1][2], hand, 0.002);
}

static void frequencies_are_those_of_a_beam(void **state)
{
    (void)state;
    make_cantilever();
    lb_import_options options = lb_get_mm_options();
    options.mode_count = 12;
    lb_keep_body(lb_import_job("beam", &options), "free.flex");
    // clamped, then free: in a weld or in space
    for (int is_free = 0; is_free < 2; ++is_free) {
        double f[2][4];
        for (int which = 0; which < 2; ++which) {
            lb_loaded l =
                is_free && which == 0
                    ? lb_begin_loaded("limber: 1\nbodies: [{name: a, hinge: {type: free}, flex: "
                                      "{file: free.flex}}]\n",
                                      NULL)
                    : load_cantilever(which, is_free ? 24 : 12,
                                      is_free ? "{type: free}" : "{type: fixed}", "[0, 0, 0]", "");
            const lb_linear_options linear = lb_default_linear_options();
            lb_modes *modes = NULL;
            lb_expect_ok(lb_compute_modes(l.simulation, &linear, &modes));
            memcpy(f[which], modes->frequencies + (is_free ? 6 : 0), sizeof f[which]);
            lb_destroy_modes(modes);
            lb_end_loaded(&l);
        }
        for (int i = 0; i < 4; ++i) {
            print_message("%.6g Hz of the solid, %.6g Hz of the beam: %+.2f %%\n", f[0][i], f[1][i],
                          100 * (f[0][i] / f[1][i] - 1));
            // a frequency is the root of a stiffness; modes 3 and 4 bend more near the root, at most nu^2 / 2
            const double kh = (i < 2 ? 4.730 : 7.853) / 10;
            const double clamped = i < 2 ? ROOT / 2 : 0.045;
            lb_expect_near("frequency", f[0][i], f[1][i], is_free ? kh * kh / 24 : clamped);
        }
    }
}

// The root turns by an angle that grows smoothly to a spin of 20 rad/s, 3 % of the first frequency in the plane:
// centrifugal forces, whose stiffening neither of the two has, would count 0.1 %.
static void spin_up_bends_as_a_beam(void **state)
{
    (void)state;
    make_cantilever();
    enum { COUNT = 40 };
    const double T = 0.1, end = 0.12, W = 20.0, pi = acos(-1.0);
    double u[2][COUNT], largest = 0.0;
    for (int which = 0; which < 2; ++which) {
        lb_loaded l = load_cantilever(
            which, 8, "{type: revolute, axis: [0, 0, 1]}", "[0, 0, 0]",
            "forces: [{name: drive, type: motion, hinge: a, speed: "
            "'20*(min(t, 0.1)/0.1 - sin(2*pi*min(t, 0.1)/0.1)/(2*pi))'}]\n"
            "run: {duration: 1, interval: 0.1, integrator: {type: adams, tolerance: 1.0e-10}}\n");
        lb_expect_ok(lb_start_simulation(l.simulation));
        for (int k = 0; k < COUNT; ++k) {
            const double t = end * (k + 1) / COUNT, s = fmin(t / T, 1.0);
            const double angle =
                W * T * (s * s / 2 + (cos(2 * pi * s) - 1) / (4 * pi * pi)) + W * fmax(t - T, 0.0);
            double x[3];
            lb_expect_ok(lb_advance_simulation(l.simulation, t));
            find_deflection(&l, which, angle, x);
            u[which][k] = x[1];
            largest = fmax(largest, fabs(x[1]));
        }
        int count;
        const double *work = lb_get_simulation_work(l.simulation, &count);
        // the drive has done the work that is in the motion: m L^2 / 3 turning at W, and a little more
        lb_expect_near("work of the drive", work[1], 0.5 * 0.216 * 0.16 / 3 * W * W, 0.005);
        lb_end_loaded(&l);
    }
    double gap = 0.0;
    for (int k = 0; k < COUNT; ++k) {
        gap = fmax(gap, fabs(u[0][k] - u[1][k]));
    }
    print_message("largest lag of the tip %.4g mm, solid and beam differ by %.2f %% of it\n",
                  1e3 * largest, 100 * gap / largest);
    lb_expect_below("difference of the tip's motion", gap / largest, ROOT);
}

// ---- free flight ---------------------------------------------------------------------------------

#define FREE(file)                                                                                 \
    "limber: 1\nbodies: [{name: a, hinge: {type: free}, flex: {file: " file                        \
    ", modes: {count: 8}}}]\n"

static void free_solids_keep_energy_and_momentum(void **state)
{
    static const char *const jobs[] = {"beam", "panel"};
    (void)state;
    for (int i = 0; i < 2; ++i) {
        for (int clamped = 0; clamped < 2; ++clamped) {
            const long clamp = 9001;
            lb_import_options options = lb_get_mm_options();
            options.clamp = &clamp;
            options.clamp_count = clamped;
            lb_keep_body(lb_import_job(jobs[i], &options), "free.flex");
            lb_flight flight = lb_default_flight();
            flight.duration = i == 0 ? 0.02 : 0.1;
            flight.amplitude = i == 0 ? 1e-3 : 0.05; // about 3 mm, and 50 mm
            print_message("%s, %s: ", jobs[i], clamped ? "clamped modes" : "free modes");
            lb_fly(FREE("free.flex"), &flight, NULL);
        }
    }
}

// The same files as if they were in micrometres, nanograms and microseconds: all numbers of the motion are the
// same in these units. And at the speed of an orbit: the same deformation.
static void scale_and_speed_do_not_matter(void **state)
{
    (void)state;
    double eta[3][LB_FLIGHT_MODES];
    lb_flight flight = lb_default_flight();
    flight.duration = 0.02;
    lb_import_options options = lb_get_mm_options();
    options.mode_count = 8;
    lb_keep_body(lb_import_job("beam", &options), "free.flex");
    lb_fly(FREE("free.flex"), &flight, eta[0]);
    lb_flight orbit = flight;
    orbit.speed[0] = 7500.0;
    lb_fly(FREE("free.flex"), &orbit, eta[1]);

    // lengths 1e-3 of those before, masses 1e-12, times 1e-6
    options.length = 1e-6;
    options.mass = 1e-9;
    options.time = 1e-6;
    lb_keep_body(lb_import_job("beam", &options), "micro.flex");
    lb_flex_body *body = lb_load_body("micro.flex", NULL);
    lb_expect_near("frequency", lb_get_body_frequency(lb_get_flex_options(body), 0), 327.5371e6,
                   3e-7);
    lb_expect_near("mass", lb_get_flex_options(body)->integrals->mass, 0.216e-12, 1e-12);
    lb_destroy_flex_body(body);
    const double eta_size = 1e-3 * 1e-6; // m sqrt(kg)
    lb_flight micro = flight;
    micro.duration *= 1e-6;
    micro.amplitude *= eta_size;
    for (int k = 0; k < 3; ++k) {
        micro.spin[k] *= 1e6;
        micro.speed[k] *= 1e-3 * 1e6;
    }
    lb_fly(FREE("micro.flex"), &micro, eta[2]);
    for (int r = 0; r < 8; ++r) {
        eta[2][r] /= eta_size;
    }
    // the tolerance, over 60 vibrations of the highest mode
    lb_expect_close("at 7.5 km/s", eta[1], eta[0], 8, 1e-7);
    lb_expect_close("in micrometres", eta[2], eta[0], 8, 1e-7);
}

static int enter(void **state)
{
    (void)state;
    return lb_enter_scratch_folder() ? 0 : -1;
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies_are_those_of_calculix),
        cmocka_unit_test(sag_is_that_of_a_beam),
        cmocka_unit_test(frequencies_are_those_of_a_beam),
        cmocka_unit_test(spin_up_bends_as_a_beam),
        cmocka_unit_test(free_solids_keep_energy_and_momentum),
        cmocka_unit_test(scale_and_speed_do_not_matter),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
