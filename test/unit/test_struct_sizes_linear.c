// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Structs of limber/linear.h and limber/results.h in other sizes: older programs have shorter ones,
// which work; newer programs have longer ones, which are refused in words.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "course.h"
#include "limber/linear.h"
#include "run_cli.h"
#include "simulate/store/audit_entries.h"

static const char text[] = "limber: 1\n"
                           "bodies:\n"
                           "  - {name: a, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: 2}\n"
                           "forces: [{name: k, type: spring, hinge: a, stiffness: 50}]\n"
                           "run: {duration: 0.1, interval: 0.01}\n";

// Structs as a newer program has them.
typedef struct newer_options {
    lb_linear_options known;
    double more;
} newer_options;

typedef struct newer_audit {
    lb_audit known;
    double more;
} newer_audit;

static void expect_words(const lb_simulation *simulation)
{
    assert_non_null(strstr(lb_get_simulation_message(simulation), "newer version"));
}

// ---- options -------------------------------------------------------------------------------------

typedef lb_status (*linear_function)(lb_simulation *simulation, const lb_linear_options *options);

static lb_status call_modes(lb_simulation *simulation, const lb_linear_options *options)
{
    lb_modes *modes = NULL;
    const lb_status status = lb_compute_modes(simulation, options, &modes);
    assert_true((status >= 0) == (modes != NULL));
    if (modes) {
        assert_int_equal(modes->size, sizeof *modes);
        lb_expect_near("frequency", modes->frequencies[0], 5.0 / 6.28318530717958647692, 1e-12);
    }
    lb_destroy_modes(modes);
    return status;
}

static lb_status call_linearize(lb_simulation *simulation, const lb_linear_options *options)
{
    lb_linear *linear = NULL;
    const lb_status status = lb_linearize(simulation, options, &linear);
    assert_true((status >= 0) == (linear != NULL));
    if (linear) {
        assert_int_equal(linear->size, sizeof *linear);
        assert_int_equal(linear->input_count, 0);
        lb_expect_near("stiffness over mass", linear->A[2], -25, 1e-12);
    }
    lb_destroy_linear(linear);
    return status;
}

static lb_status call_campbell(lb_simulation *simulation, const lb_linear_options *options)
{
    const double speed = 1.0;
    lb_campbell *campbell = NULL;
    const lb_status status = lb_compute_campbell(simulation, options, 1, &speed, &campbell);
    assert_true((status >= 0) == (campbell != NULL));
    if (campbell) {
        assert_int_equal(campbell->size, sizeof *campbell);
    }
    lb_destroy_campbell(campbell);
    return status;
}

static void options_of_every_older_size_work_and_newer_ones_are_refused(void **state)
{
    (void)state;
    static const linear_function functions[] = {call_modes, call_linearize, call_campbell};
    // the ends of fields behind `about`
    static const size_t ends[] = {offsetof(lb_linear_options, t),
                                  offsetof(lb_linear_options, q),
                                  offsetof(lb_linear_options, locked),
                                  offsetof(lb_linear_options, spin),
                                  offsetof(lb_linear_options, input_count),
                                  offsetof(lb_linear_options, output_count),
                                  sizeof(lb_linear_options)};
    lb_course course = lb_begin_course(text);
    for (size_t f = 0; f < 3; ++f) {
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
            // whatever is behind the end must not be read
            lb_linear_options options;
            memset(&options, 0x5a, sizeof options);
            const lb_linear_options whole = lb_default_linear_options();
            memcpy(&options, &whole, ends[i]);
            options.size = ends[i];
            const lb_status status = functions[f](course.simulation, &options);
            // a sweep needs a spin, which the default has not
            assert_int_equal(status, f == 2 ? LB_E_ARGUMENT : LB_OK);
        }
        newer_options longer = {.known = lb_default_linear_options()};
        longer.known.size = sizeof longer;
        assert_int_equal(functions[f](course.simulation, &longer.known), LB_E_VERSION);
        expect_words(course.simulation);
        longer.known.size = 0; // never set
        assert_int_equal(functions[f](course.simulation, &longer.known), LB_E_VERSION);
    }
    lb_end_course(&course);
}

static void sweep_takes_older_options_that_have_a_spin(void **state)
{
    (void)state;
    lb_course course =
        lb_begin_course("limber: 1\n"
                        "bodies:\n"
                        "  - name: hub\n"
                        "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
                        "    mass: 1\n"
                        "    inertia: [1, 1, 1, 0, 0, 0]\n"
                        "  - name: bead\n"
                        "    parent: hub\n"
                        "    hinge: {type: prismatic, axis: [1, 0, 0]}\n"
                        "    mass: 1\n"
                        "forces: [{name: k, type: spring, hinge: bead, stiffness: 50}]\n");
    lb_linear_options options = lb_default_linear_options();
    options.about = LB_ABOUT_EQUILIBRIUM;
    options.spin = lb_find_speed(course.model, "hub", NULL);
    assert_int_equal(options.spin, 0);
    options.size = offsetof(lb_linear_options, input_count);
    options.input_count = -7; // not looked at
    lb_expect_ok(call_campbell(course.simulation, &options));
    lb_end_course(&course);
}

// ---- the audit -----------------------------------------------------------------------------------

// Runs the model into a file by either way of recording.
static lb_status record(const char *path, bool whole, lb_audit *audit)
{
    lb_course course = lb_begin_course(text);
    lb_run_request request = lb_default_run_request();
    request.path = path;
    lb_status status;
    if (whole) {
        status = lb_run_simulation(course.simulation, &request, audit);
    } else {
        lb_expect_ok(lb_start_recording(course.simulation, &request));
        lb_expect_ok(lb_start_simulation(course.simulation));
        lb_expect_ok(lb_record_simulation(course.simulation));
        status = lb_end_recording(course.simulation, LB_OK, audit);
    }
    if (status < 0) {
        expect_words(course.simulation);
    }
    lb_end_course(&course);
    return status;
}

static void audit_fills_as_much_as_the_caller_has(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", lb_write_file("run.h5", ""));
    for (int whole = 0; whole <= 1; ++whole) {
        lb_audit full = {.size = sizeof full};
        lb_expect_ok(record(path, whole, &full));
        assert_true(full.rows == (whole ? 11 : 1));
        lb_audit shorter;
        memset(&shorter, 0x5a, sizeof shorter);
        shorter.size = offsetof(lb_audit, wall_time);
        const double before = shorter.wall_time;
        lb_expect_ok(record(path, whole, &shorter));
        assert_int_equal(shorter.size, offsetof(lb_audit, wall_time));
        assert_true(shorter.time == full.time);
        assert_true(shorter.wall_time == before);
        lb_results *results = NULL;
        lb_expect_ok(lb_open_results(path, NULL, &results));
        shorter.time = -1;
        lb_expect_ok(lb_read_audit(results, &shorter));
        assert_true(shorter.time == full.time && shorter.wall_time == before);
        newer_audit longer = {.known = {.size = sizeof longer}};
        assert_int_equal(lb_read_audit(results, &longer.known), LB_E_VERSION);
        assert_int_equal(record(path, whole, &longer.known), LB_E_VERSION);
        lb_audit unset = {.size = 0};
        assert_int_equal(lb_read_audit(results, &unset), LB_E_VERSION);
        lb_close_results(results);
    }
    unlink(path);
}

static void entries_of_an_audit_have_numbers_and_names(void **state)
{
    (void)state;
    lb_audit audit = {.size = sizeof audit, .time = 1, .wall_time = 2, .growth = 33};
    const int count = lb_get_audit_count();
    assert_int_equal(offsetof(lb_audit, time) + (size_t)count * sizeof(double), sizeof audit);
    assert_string_equal(lb_get_audit_name(0), "time");
    assert_string_equal(lb_get_audit_name(25), "fallbacks");
    assert_string_equal(lb_get_audit_name(count - 1), "growth");
    assert_string_equal(lb_get_audit_name(-1), "");
    assert_string_equal(lb_get_audit_name(count), "");
    assert_true(lb_get_audit_value(&audit, 1) == 2);
    assert_true(lb_get_audit_value(&audit, count - 1) == 33);
    assert_true(isnan(lb_get_audit_value(&audit, count)));
    audit.size = offsetof(lb_audit, wall_time);
    assert_true(lb_get_audit_value(&audit, 0) == 1);
    assert_true(isnan(lb_get_audit_value(&audit, 1)));
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_every_older_size_work_and_newer_ones_are_refused),
        cmocka_unit_test(sweep_takes_older_options_that_have_a_spin),
        cmocka_unit_test(audit_fills_as_much_as_the_caller_has),
        cmocka_unit_test(entries_of_an_audit_have_numbers_and_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
