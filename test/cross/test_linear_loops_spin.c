// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Steady motions with loops: governors, pendulums and frames that spin, against closed forms.
#include <math.h>
#include <string.h>

#include "check.h"
#include "limber/linear.h"
#include "loaded.h"

#define PI 3.14159265358979323846

static lb_modes *solve(lb_loaded *l, const lb_linear_options *options)
{
    lb_modes *modes = NULL;
    const lb_status status = lb_compute_modes(l->simulation, options, &modes);
    if (status != LB_OK) {
        print_message("%s\n", lb_get_simulation_message(l->simulation));
    }
    lb_expect_ok(status);
    return modes;
}

static void expect_refusal(lb_loaded *l, const lb_linear_options *options, lb_status status,
                           const char *words)
{
    lb_modes *modes;
    assert_int_equal(lb_compute_modes(l->simulation, options, &modes), status);
    if (!strstr(lb_get_simulation_message(l->simulation), words)) {
        fail_msg("\"%s\" does not say \"%s\"", lb_get_simulation_message(l->simulation), words);
    }
}

// ---- Watt's governor ---------------------------------------------------------------------------

// Balls m on arms l that are hinged at the axis, and links l down to a sleeve M, at a speed w:
//
//     (2 m l^2 + 4 M l^2 s^2) th'' + 4 M l^2 s c th'^2 - 2 m l^2 w^2 s c + 2 (m + M) g l s = 0
//
// steady where c = cos th = (m + M) g / (m l w^2); small deviations have the stiffness 2 m l^2 w^2 s^2
// at a constant speed, and 16 m^2 l^4 w^2 s^2 c^2 / I more where the spindle turns freely, I its inertia
// with the balls.
enum { SPINDLE, LEFT, RIGHT };
static const double m = 0.5, M = 2.0, l = 0.3, g = 9.81, spindle = 0.05;

#define SPINDLE_AND_ARMS                                                                           \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: spindle, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [0.1, 0.1, "  \
    "0.05, 0, 0, 0]}\n"                                                                            \
    "  - {name: left, parent: spindle, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 0.5, com: " \
    "[0, 0, -0.3], nodes: {ball: {position: [0, 0, -0.3]}}}\n"                                     \
    "  - {name: right, parent: spindle, hinge: {type: revolute, axis: [0, -1, 0]}, mass: 0.5, "    \
    "com: [0, 0, -0.3], nodes: {ball: {position: [0, 0, -0.3]}}}\n"
#define START "initial: {spindle: {rate: 20}, left: {angle: 1}, right: {angle: 1}, "

// Links are rods without mass; the sleeve slides on the spindle.
static const char governor[] = SPINDLE_AND_ARMS
    "  - {name: sleeve, parent: spindle, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 2}\n"
    "loops:\n"
    "  - {name: one, a: {body: sleeve}, b: {body: left, node: ball}, type: rod, length: 0.3}\n"
    "  - {name: two, a: {body: sleeve}, b: {body: right, node: ball}, type: rod, length: "
    "0.3}\n" START "sleeve: {distance: -0.3}}\n"
    "run: {duration: 1, assemble: {hold: [spindle, left]}}\n";

// The sleeve slides and turns on the ground instead, taken along by pins that repeat each other: links
// of 1e-9 kg on revolute loops.
#define LINK(name, arm, axis)                                                                      \
    "  - {name: " name ", parent: " arm ", at: ball, hinge: {type: revolute, axis: " axis          \
    "}, mass: 1e-9, com: [0, 0, -0.15], inertia: [1e-11, 1e-11, 1e-11, 0, 0, 0], nodes: {end: "    \
    "{position: [0, 0, -0.3]}}}\n"
static const char pinned_governor[] = SPINDLE_AND_ARMS LINK("lower left", "left", "[0, 1, 0]")
    LINK("lower right", "right",
         "[0, -1, 0]") "  - {name: sleeve, hinge: {type: cylindrical, axis: [0, 0, 1]}, mass: 2, "
                       "inertia: [1e-9, "
                       "1e-9, 1e-9, 0, 0, 0]}\n"
                       "loops:\n"
                       "  - {name: one, a: {body: sleeve}, b: {body: lower left, node: end}, type: "
                       "revolute, axis: "
                       "[0, 1, 0]}\n"
                       "  - {name: two, a: {body: sleeve}, b: {body: lower right, node: end}, "
                       "type: revolute, axis: "
                       "[0, 1, 0]}\n" START "lower left: {angle: -2}, lower right: {angle: -2}, "
                       "sleeve: {distance: -0.3, rates: [20, 0]}}\n"
                       "run: {duration: 1, assemble: {hold: [spindle, left]}}\n";

static double get_rise(double w)
{
    return acos((m + M) * g / (m * l * w * w));
}

static double get_frequency(double w, bool driven)
{
    const double s = sin(get_rise(w)), c = cos(get_rise(w));
    const double inertia = 2 * m * l * l + 4 * M * l * l * s * s;
    const double whole = spindle + 2 * m * l * l * s * s;
    const double free = driven ? 0.0 : 16 * m * m * pow(l, 4) * w * w * s * s * c * c / whole;
    return sqrt((2 * m * l * l * w * w * s * s + free) / inertia) / (2 * PI);
}

static void governors_hunt_as_the_textbook_says(void **state)
{
    (void)state;
    static const char *const texts[] = {governor, pinned_governor};
    for (int kind = 0; kind < 2; ++kind) {
        lb_loaded loaded = lb_begin_loaded(texts[kind], NULL);
        // 1e-7: links of 1e-9 kg
        const double tolerance = kind ? 1e-7 : 1e-10;
        for (double w = 14; w < 40; w *= 1.3) {
            lb_linear_options options = lb_default_linear_options();
            options.spin = 0;
            options.spin_speed = w;
            lb_modes *modes = solve(&loaded, &options);
            assert_int_equal(modes->mode_count, 1);
            lb_expect_near("rise", modes->q[LEFT], get_rise(w), tolerance);
            lb_expect_near("at constant speed", modes->frequencies[0], get_frequency(w, true),
                           tolerance);
            lb_expect_below("damping", modes->dampings[0], 1e-8);
            // what follows from the loops: the other arm as this one
            const double *x = modes->shapes;
            int left = -1, right = -1;
            for (int i = 0; i < modes->coordinate_count; ++i) {
                left = modes->coordinates[i] == LEFT ? i : left;
                right = modes->coordinates[i] == RIGHT ? i : right;
            }
            lb_expect_near("arms", x[2 * right], x[2 * left], 1e-8);
            lb_destroy_modes(modes);
        }
        lb_linear_options options = lb_default_linear_options();
        options.about = LB_ABOUT_STEADY;
        lb_modes *modes = solve(&loaded, &options);
        assert_int_equal(modes->mode_count, 2);
        assert_int_equal(modes->kinds[0], LB_MODE_RIGID);
        lb_expect_near("rise", modes->q[LEFT], get_rise(20), tolerance);
        lb_expect_near("turning freely", modes->frequencies[1], get_frequency(20, false),
                       tolerance);
        lb_destroy_modes(modes);
        lb_end_loaded(&loaded);
    }
}

// The same speed given to the spindle by a loop that follows a motion, at another time than zero.
static void spin_may_come_from_a_driven_loop(void **state)
{
    (void)state;
    static const char text[] = SPINDLE_AND_ARMS
        "  - {name: sleeve, parent: spindle, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 2}\n"
        "loops:\n"
        "  - {name: one, a: {body: sleeve}, b: {body: left, node: ball}, type: rod, length: 0.3}\n"
        "  - {name: two, a: {body: sleeve}, b: {body: right, node: ball}, type: rod, length: 0.3}\n"
        "  - {name: motor, a: {body: ground}, b: {body: spindle}, type: revolute, axis: [0, 0, 1], "
        "motion: 20*t}\n" START "sleeve: {distance: -0.3}}\n"
        "run: {duration: 1, assemble: {hold: [left]}}\n";
    lb_loaded loaded = lb_begin_loaded(text, NULL);
    lb_linear_options options = lb_default_linear_options();
    const double q[4] = {0.8, 1, 1, -0.6 * cos(1)}, v[4] = {20, 0, 0, 0};
    options.about = LB_ABOUT_STEADY;
    options.t = 0.04;
    options.q = q;
    options.v = v;
    lb_modes *modes = solve(&loaded, &options);
    assert_int_equal(modes->mode_count, 1);
    lb_expect_near("rise", modes->q[LEFT], get_rise(20), 1e-10);
    lb_expect_near("spindle", modes->q[SPINDLE], 0.8, 1e-12);
    lb_expect_near("at constant speed", modes->frequencies[0], get_frequency(20, true), 1e-10);
    lb_destroy_modes(modes);
    lb_end_loaded(&loaded);
}

static void sweeps_follow_a_governor(void **state)
{
    (void)state;
    static const double speeds[] = {14, 18, 22, 26, 30};
    lb_loaded loaded = lb_begin_loaded(pinned_governor, NULL);
    lb_linear_options options = lb_default_linear_options();
    lb_campbell *campbell = NULL;
    options.spin = 0;
    lb_expect_ok(lb_compute_campbell(loaded.simulation, &options, 5, speeds, &campbell));
    assert_int_equal(campbell->line_count, 1);
    for (int i = 0; i < 5; ++i) {
        lb_expect_near("line", campbell->frequencies[i], get_frequency(speeds[i], true), 1e-7);
    }
    lb_destroy_campbell(campbell);
    lb_end_loaded(&loaded);
}

// Forces of the links, and how they change: 2 F cos th = M (g + s''), s = -2 l cos th.
static void forces_of_links_are_outputs(void **state)
{
    (void)state;
    static const char *const outputs[] = {"loop/one.force.norm", "sleeve.distance",
                                          "sleeve.acceleration.z", "left/ball.velocity.x"};
    static const char *const inputs[] = {"sleeve.motor"};
    lb_loaded loaded = lb_begin_loaded(governor, NULL);
    lb_linear_options options = lb_default_linear_options();
    lb_linear *x = NULL;
    options.spin = 0;
    options.spin_speed = 20;
    options.outputs = outputs;
    options.output_count = 4;
    options.inputs = inputs;
    options.input_count = 1;
    const lb_status status = lb_linearize(loaded.simulation, &options, &x);
    if (status != LB_OK) {
        print_message("%s\n", lb_get_simulation_message(loaded.simulation));
    }
    lb_expect_ok(status);
    assert_int_equal(x->state_count, 2);
    const double th = get_rise(20), c = cos(th), s = sin(th), F = M * g / (2 * c);
    lb_expect_near("F", x->output_values[0], F, 1e-9);
    // of the independent coordinate y, whichever it is: d(sleeve) = 2 l s d(th)
    const double down = x->C[2], rise = down / (2 * l * s);
    const double lift = x->C[4], push = x->D[2];
    const double change = M * lift / (2 * c) + F * s / c * rise;
    lb_expect_near("F by y", x->C[0], change, 1e-7);
    // the input pushes the sleeve up
    lb_expect_near("F by u", x->D[0], (M * push - 1.0) / (2 * c), 1e-7);
    lb_expect_near("sleeve by u", push, pow(2 * l * s, 2) / (2 * m * l * l + 4 * M * l * l * s * s),
                   1e-8);
    // the ball stands at x = -l sin th and goes round along y: its x is that of the rise alone
    lb_expect_near("ball", x->C[7], -l * c * rise, 1e-8);
    lb_destroy_linear(x);
    lb_end_loaded(&loaded);
}

// ---- a conical pendulum on a rod ---------------------------------------------------------------

// A bob that flies free in the frame of a hub, but for a rod to the ground: it goes round with the hub at
// cos th = g / (l w^2); in small it nods at w sqrt(1 + 3 cos^2 th), and nothing holds its azimuth.
static void bob_on_a_rod_is_a_conical_pendulum(void **state)
{
    (void)state;
    lb_loaded loaded =
        lb_begin_loaded("limber: 1\n"
                        "gravity: [0, 0, -9.81]\n"
                        "bodies:\n"
                        "  - {name: hub, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "
                        "inertia: [1, 1, 1, 0, 0, "
                        "0]}\n"
                        "  - {name: bob, parent: hub, hinge: {type: translational}, mass: 0.7}\n"
                        "loops:\n"
                        "  - {name: rod, a: {body: ground}, b: {body: bob}, type: rod, length: 2}\n"
                        "initial: {bob: {position: [1.2, 0, -1.6]}}\n",
                        NULL);
    for (double w = 2.5; w < 6; w += 1) {
        lb_linear_options options = lb_default_linear_options();
        options.spin = 0;
        options.spin_speed = w;
        const double c = 9.81 / (2 * w * w), near = 0.95 * acos(c);
        const double q[4] = {0, 2 * sin(near), 0, -2 * cos(near)};
        options.q = q;
        lb_modes *modes = solve(&loaded, &options);
        // a rigid turn about the axis, and the drift that goes with it
        assert_int_equal(modes->kinds[0], LB_MODE_RIGID);
        lb_expect_near("height", modes->q[3], -2 * c, 1e-9);
        const double last = modes->frequencies[modes->mode_count - 1];
        lb_expect_near("nodding", 2 * PI * last, w * sqrt(1 + 3 * c * c), 1e-7);
        lb_destroy_modes(modes);
    }
    lb_end_loaded(&loaded);
}

// ---- a frame that spins free -------------------------------------------------------------------

// A rigid body in four pieces, closed to a ring by a weld that repeats the hinges' work: free, spinning
// about its third axis, it nutates at w sqrt((C - A)(C - B) / (A B)).
static void closed_frame_nutates_as_one_body(void **state)
{
    (void)state;
    lb_loaded loaded = lb_begin_loaded(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: base, hinge: {type: free}, mass: 2, inertia: [0.3, 0.4, 0.5, 0, 0, 0], nodes: "
        "{left: {position: [-1, 0, 0]}, right: {position: [1, 0, 0]}}}\n"
        "  - {name: a, parent: base, at: left, hinge: {type: revolute, axis: [0, 0, 1]}, mass: "
        "0.5, "
        "inertia: [0.01, 0.01, 0.01, 0, 0, 0], nodes: {end: {position: [0, 1, 0]}}}\n"
        "  - {name: b, parent: a, at: end, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 0.5, "
        "inertia: [0.01, 0.01, 0.01, 0, 0, 0], nodes: {end: {position: [2, -1, 0]}}}\n"
        "loops:\n"
        "  - {name: ring, a: {body: base, node: right}, b: {body: b, node: end}, type: weld}\n"
        "initial: {base: {angular_velocity: [0, 0, 3]}}\n",
        NULL);
    // two points of 0.5 kg at (-1, 0) and (-1, 1) beside the base: the body turns about its centre
    // only if its speeds there are those of a steady motion
    const double x = -1.0 / 3.0, y = 0.5 / 3.0, w = 3.0;
    const double A = 0.32 + 0.5 - 3 * y * y, B = 0.42 + 1.0 - 3 * x * x;
    const double C = 0.52 + 1.5 - 3 * (x * x + y * y);
    const double D = 0.5 * 1.0 * -1.0 - 3 * x * y; // sum m x y about the centre
    // principal axes in the plane
    const double mean = 0.5 * (A + B), half = hypot(0.5 * (A - B), D);
    const double nutation =
        w * sqrt((C - mean - half) * (C - mean + half) / (mean * mean - half * half));
    double v[8] = {0, 0, w, w * y, -w * x, 0, 0, 0}; // the centre stands still
    lb_linear_options options = lb_default_linear_options();
    options.about = LB_ABOUT_STEADY;
    options.v = v;
    lb_modes *modes = solve(&loaded, &options);
    double nearest = 1e9;
    for (int i = 0; i < modes->mode_count; ++i) {
        nearest = fmin(nearest, fabs(2 * PI * modes->frequencies[i] - nutation));
    }
    assert_int_equal(modes->coordinate_count, 8);
    // 1e-7: beside it the path makes a double root
    lb_expect_below("nutation", nearest, 1e-7);
    lb_destroy_modes(modes);
    lb_end_loaded(&loaded);
}

// ---- gears -------------------------------------------------------------------------------------

// Two rotors geared together spin at speeds of their own; a pendulum on the second feels its speed.
static void geared_rotors_spin_at_their_own_speeds(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: drive, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, "
        "0, 0, "
        "0]}\n"
        "  - {name: driven, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, "
        "0, 0, "
        "0], nodes: {rim: {position: [0.5, 0, 0]}}}\n"
        "  - {name: bob, parent: driven, at: rim, hinge: {type: revolute, axis: [0, 0, 1]}, mass: "
        "1, "
        "com: [0.2, 0, 0]}\n"
        "loops:\n"
        "  - {name: gear, type: coupler, terms: [{body: driven, factor: 1}, {body: drive, factor: "
        "3}]}\n";
    lb_loaded loaded = lb_begin_loaded(text, NULL);
    lb_linear_options options = lb_default_linear_options();
    options.spin = 0;
    options.spin_speed = 4;
    lb_modes *modes = solve(&loaded, &options);
    lb_expect_near("driven", modes->v[1], -12.0, 1e-12);
    assert_int_equal(modes->mode_count, 1);
    // a pendulum of 0.2 m at 0.5 m: w sqrt(R / l)
    lb_expect_near("bob", 2 * PI * modes->frequencies[0], 12 * sqrt(0.5 / 0.2), 1e-9);
    lb_destroy_modes(modes);
    lb_end_loaded(&loaded);
}

// ---- what has none -----------------------------------------------------------------------------

static void cranks_at_constant_speed_are_no_steady_motion(void **state)
{
    (void)state;
    lb_loaded loaded = lb_begin_loaded(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, "
        "0, 0, "
        "0], nodes: {tip: {position: [0.1, 0, 0]}}}\n"
        "  - {name: rod, parent: crank, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, mass: "
        "1, com: "
        "[0.15, 0, 0], inertia: [1, 1, 1, 0, 0, 0], nodes: {end: {position: [0.3, 0, 0]}}}\n"
        "  - {name: slider, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "loops:\n"
        "  - {name: pin, a: {body: slider}, b: {body: rod, node: end}, type: point-line, axis: [0, "
        "0, "
        "1]}\n"
        "initial: {crank: {angle: 1}, rod: {angle: -1.2}, slider: {distance: 0.3}}\n"
        "run: {duration: 1, assemble: {hold: [crank]}}\n",
        NULL);
    lb_linear_options options = lb_default_linear_options();
    options.spin = 0;
    options.spin_speed = 5;
    expect_refusal(&loaded, &options, LB_E_EQUILIBRIUM, "not steady");
    lb_end_loaded(&loaded);
}

// Arms that hang straight down may swing to either side, one as the other: two ways, of which none is
// linear. A little beside it there is one way.
static void singular_positions_are_refused(void **state)
{
    (void)state;
    lb_loaded loaded = lb_begin_loaded(governor, NULL);
    lb_linear_options options = lb_default_linear_options();
    const double straight[4] = {0, 0, 0, -2 * l};
    options.about = LB_ABOUT_REST;
    options.q = straight;
    expect_refusal(&loaded, &options, LB_E_SINGULAR, "singular position");
    const double th = 1e-3, beside[4] = {0, th, th, -2 * l * cos(th)};
    options.q = beside;
    lb_modes *modes = solve(&loaded, &options);
    assert_int_equal(modes->mode_count, 2);
    // (2 m l^2) th'' + 2 (m + M) g l th = 0, but for squares of th times 4 M / m
    lb_expect_near("swing", 2 * PI * modes->frequencies[1], sqrt((m + M) * g / (m * l)), 1e-4);
    lb_destroy_modes(modes);
    lb_end_loaded(&loaded);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(governors_hunt_as_the_textbook_says),
        cmocka_unit_test(spin_may_come_from_a_driven_loop),
        cmocka_unit_test(sweeps_follow_a_governor),
        cmocka_unit_test(forces_of_links_are_outputs),
        cmocka_unit_test(bob_on_a_rod_is_a_conical_pendulum),
        cmocka_unit_test(closed_frame_nutates_as_one_body),
        cmocka_unit_test(geared_rotors_spin_at_their_own_speeds),
        cmocka_unit_test(cranks_at_constant_speed_are_no_steady_motion),
        cmocka_unit_test(singular_positions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
