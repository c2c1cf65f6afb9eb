// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber loads and limber response away from metres and rest: micrometres, spin, orbit.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "check.h"
#include "swing.h"

static const double pi = 3.14159265358979323846;

#define ask_response(...) lb_ask("response", __VA_ARGS__, "--json")

static const json_t *get_curve(const json_t *answer, size_t i)
{
    return json_array_get(json_object_get(answer, "curves"), i);
}

static double get_entry(const json_t *object, const char *key, size_t i)
{
    return json_number_value(json_array_get(json_object_get(object, key), i));
}

// Magnitudes of 1 / (k - m w^2 + i c w) at all frequencies.
static void expect_transfer(const json_t *answer, size_t curve, double m, double c, double k,
                            double tolerance)
{
    const size_t count = json_array_size(json_object_get(answer, "frequency_hz"));
    assert_true(count >= 5);
    for (size_t i = 0; i < count; ++i) {
        const double w = 2.0 * pi * get_entry(answer, "frequency_hz", i);
        lb_expect_near("magnitude", get_entry(get_curve(answer, curve), "values", i),
                       1.0 / hypot(k - m * w * w, c * w), tolerance);
    }
}

// ---- micrometres ---------------------------------------------------------------------------------

// A proof mass of 1e-12 kg at 1e6 rad/s, damping ratio 0.01, whose frame is shaken.
static void response_of_a_micromachine_is_that_of_the_textbook(void **state)
{
    (void)state;
    const char *model =
        lb_write_file("micro.yaml", "limber: 1\n"
                                    "bodies:\n"
                                    "  - {name: frame, mass: 1e-11, hinge: {type: prismatic, axis: "
                                    "[1, 0, 0]}}\n"
                                    "  - {name: proof, parent: frame, mass: 1e-12, hinge: {type: "
                                    "prismatic, axis: [1, 0, 0]}}\n"
                                    "forces:\n"
                                    "  - {name: k, type: spring, hinge: proof, stiffness: 1}\n"
                                    "  - {name: c, type: damper, hinge: proof, damping: 2e-8}\n");
    json_t *answer = ask_response(model, "--psd", "frame.motion=1e4", "--range", "1e3:1e7:5",
                                  "--signal", "proof.distance");
    const double w = 1e6, zeta = 0.01;
    lb_expect_near("rms", lb_get_answer(get_curve(answer, 0), "rms"),
                   sqrt(1e4 / (8.0 * zeta * w * w * w)), 1e-9);
    lb_expect_near("crossings", lb_get_answer(get_curve(answer, 0), "crossings_hz"), w / (2.0 * pi),
                   1e-9);
    json_decref(answer);
    // the base shakes by m a: the same transfer function, times m
    answer = ask_response(model, "--input", "frame.motion", "--signal",
                          "proof.distance,reaction(proof).force.x", "--range", "1e3:1e7:5");
    const size_t count = json_array_size(json_object_get(answer, "frequency_hz"));
    for (size_t i = 0; i < count; ++i) {
        const double s = 2.0 * pi * get_entry(answer, "frequency_hz", i),
                     size = 1.0 / hypot(w * w - s * s, 2.0 * zeta * w * s);
        lb_expect_near("distance", get_entry(get_curve(answer, 0), "values", i), size, 1e-10);
        // spring and damper hold the mass
        lb_expect_near("reaction", get_entry(get_curve(answer, 2), "values", i),
                       size * hypot(1.0, 2e-8 * s), 1e-9);
    }
    json_decref(answer);
}

// A table that shakes by 20 nm at 5 MHz.
static void loads_of_a_micromachine_have_their_spectra(void **state)
{
    (void)state;
    const char *path = lb_record_run(
        "shaken.yaml",
        "limber: 1\n"
        "bodies: [{name: table, mass: 2e-12, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n"
        "forces:\n"
        "  - {name: shake, type: motion, hinge: table, position: {sine: {amplitude: 2e-8, "
        "frequency: 5e6}}}\n"
        "run: {duration: 1e-5, interval: 8e-9, integrator: {type: rk4, step: 8e-9}}\n"
        "initial: {table: {rate: 2e-8*1e7*pi}}\n");
    const double a = 2e-8 * 1e14 * pi * pi;
    json_t *answer = lb_ask("loads", path, "--json", "--signal", "reaction(table).force.x", "--psd",
                            "--segment", "2e-6");
    const json_t *signal = json_array_get(json_object_get(answer, "signals"), 0);
    const json_t *run = json_array_get(json_object_get(signal, "runs"), 0);
    const json_t *f = json_object_get(run, "frequency_hz"), *S = json_object_get(run, "density");
    double sum = 0.0, line = 1.0 / lb_get_answer(run, "segment_s");
    for (size_t k = 0; k < json_array_size(f); ++k) {
        sum += line * json_number_value(json_array_get(S, k));
    }
    // m a, of which the square has the mean 1/2; rows of 50 whole periods
    lb_expect_near("power", sum, 0.5 * pow(2e-12 * a, 2.0), 1e-6);
    lb_expect_near("rms", lb_get_answer(json_object_get(run, "rms"), "value"),
                   2e-12 * a / sqrt(2.0), 1e-6);
    lb_expect_near("frequency", json_number_value(json_array_get(f, 10)), 5e6, 1e-9);
    json_decref(answer);
    answer =
        lb_ask("loads", path, "--json", "--signal", "table.acceleration.x", "--srs", "5e6:5e8:2");
    signal = json_array_get(json_object_get(answer, "signals"), 0);
    run = json_array_get(json_object_get(signal, "runs"), 0);
    // sqrt(1 + q^2) at resonance, less what straight lines between rows take off
    lb_expect_near("resonance", get_entry(run, "largest", 0),
                   a * sqrt(101.0) * (1.0 - pow(pi / 25.0, 2) / 3.0), 1e-3);
    json_decref(answer);
}

// ---- spin ----------------------------------------------------------------------------------------

// A slider on a disk that is driven at W: the spring is softer by m W^2.
static void response_in_spin_is_softer(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "spin.yaml", "limber: 1\n"
                     "bodies:\n"
                     "  - {name: disk, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 5, inertia: "
                     "[1, 1, 1, 0, 0, 0]}\n"
                     "  - {name: box, parent: disk, mass: 2, hinge: {type: prismatic, axis: [1, 0, "
                     "0]}}\n"
                     "forces:\n"
                     "  - {name: turn, type: motion, hinge: disk, speed: 6}\n"
                     "  - {name: k, type: spring, hinge: box, stiffness: 200}\n"
                     "  - {name: c, type: damper, hinge: box, damping: 0.4}\n"
                     "initial: {disk: {rate: 6}}\n");
    const double m = 2.0, c = 0.4, k = 200.0 - 2.0 * 36.0;
    json_t *answer = ask_response(model, "--input", "box.motor", "--signal",
                                  "box.distance,reaction(box).force.y", "--range", "0.01:10:7");
    expect_transfer(answer, 0, m, c, k, 1e-10);
    // the wall of the groove: 2 m W v
    const size_t count = json_array_size(json_object_get(answer, "frequency_hz"));
    for (size_t i = 0; i < count; ++i) {
        const double w = 2.0 * pi * get_entry(answer, "frequency_hz", i);
        lb_expect_near("groove", get_entry(get_curve(answer, 2), "values", i),
                       2.0 * m * 6.0 * w * get_entry(get_curve(answer, 0), "values", i), 1e-9);
    }
    json_decref(answer);
    // white noise: W / (4 c k)
    answer = ask_response(model, "--psd", "box.motor=1", "--signal", "box.distance", "--range",
                          "0.01:10:5");
    lb_expect_near("rms", lb_get_answer(get_curve(answer, 0), "rms"), sqrt(1.0 / (4.0 * c * k)),
                   1e-10);
    json_decref(answer);
}

// ---- orbit ---------------------------------------------------------------------------------------

// Two masses on a spring across the orbit, 7000 km from the centre of the Earth: the reduced mass on the spring, to which
// the gradient of gravity adds m n^2. The orbit itself is a mode that grows: it has no random response.
static void response_in_orbit_is_that_of_the_reduced_mass(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "orbit.yaml",
        "limber: 1\n"
        "bodies:\n"
        "  - {name: hub, hinge: {type: free}, mass: 100, inertia: [60, 60, 60, 0, 0, "
        "0]}\n"
        "  - {name: box, parent: hub, mass: 25, hinge: {type: prismatic, axis: [0, 0, "
        "1]}}\n"
        "forces:\n"
        "  - {name: earth, type: gravity-point, mu: 3.986004418e14}\n"
        "  - {name: k, type: spring, hinge: box, stiffness: 2000}\n"
        "  - {name: c, type: damper, hinge: box, damping: 4}\n"
        "initial: {hub: {position: [7000000, 0, 0], velocity: [0, "
        "7546.053290107542, 0]}}\n");
    const double m = 100.0 * 25.0 / 125.0, n_square = 3.986004418e14 / 343e18;
    json_t *answer = ask_response(model, "--input", "box.motor", "--signal",
                                  "box.distance,reaction(box).force.z", "--range", "0.1:10:7");
    expect_transfer(answer, 0, m, 4.0, 2000.0 + m * n_square, 1e-9);
    const size_t count = json_array_size(json_object_get(answer, "frequency_hz"));
    for (size_t i = 0; i < count; ++i) {
        const double w = 2.0 * pi * get_entry(answer, "frequency_hz", i);
        // what accelerates the box, besides the gradient
        lb_expect_near("reaction", get_entry(get_curve(answer, 2), "values", i),
                       m * (w * w - n_square) * get_entry(get_curve(answer, 0), "values", i), 1e-9);
    }
    json_decref(answer);
    // the drift along the orbit is not seen: white noise S of the motor alone moves the box, with S / (4 c k) as its square
    lb_cli_run noise = lb_run(NULL, "response", model, "--psd", "box.motor=1", "--signal",
                              "box.distance", "--range", "0.01:10:5");
    assert_int_equal(noise.status, 0);
    assert_non_null(strstr(noise.err, "not stable: a pole grows by"));
    assert_non_null(strstr(noise.out, " 0.00559017 "));
    lb_expect_near("RMS", 0.00559017, sqrt(1.0 / (4.0 * 4.0 * 2000.0)), 1e-6);
    lb_end_run(&noise);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(response_of_a_micromachine_is_that_of_the_textbook),
        cmocka_unit_test(loads_of_a_micromachine_have_their_spectra),
        cmocka_unit_test(response_in_spin_is_softer),
        cmocka_unit_test(response_in_orbit_is_that_of_the_reduced_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
