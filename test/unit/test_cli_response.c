// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber response: noise, sines, transfer functions and loops of systems that are known.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "check.h"

static const double pi = 3.14159265358979323846;

// A mass on a table that is shaken: 10 rad/s, damping ratio 0.01.
static const char shaken[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: table, mass: 1, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"
    "  - {name: box, parent: table, mass: 2, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"
    "forces:\n"
    "  - {name: k, type: spring, hinge: box, stiffness: 200}\n"
    "  - {name: c, type: damper, hinge: box, damping: 0.4}\n";

static const char ruled[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: rotor, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
    "     inertia: [1, 1, 2, 0, 0, 0]}\n"
    "forces: [{name: motor, type: actuator, hinge: rotor}]\n"
    "controllers:\n"
    "  - {name: hold, rate: 20, actuators: [{actuator: motor, desired: 0}],\n"
    "     law: {type: pid, kp: 0, kd: 9}}\n";

#define ask_response(...) lb_ask("response", __VA_ARGS__, "--json")

static const json_t *get_curve(const json_t *answer, size_t i)
{
    return json_array_get(json_object_get(answer, "curves"), i);
}

static double get_value(const json_t *object, const char *key, size_t i)
{
    return json_number_value(json_array_get(json_object_get(object, key), i));
}

static double find_largest(const json_t *answer, const json_t *curve, double *frequency)
{
    double best = 0.0;
    for (size_t k = 0; k < json_array_size(json_object_get(curve, "values")); ++k) {
        const double value = get_value(curve, "values", k);
        *frequency = value > best ? get_value(answer, "frequency_hz", k) : *frequency;
        best = fmax(best, value);
    }
    return best;
}

static void noise_gives_the_mean_square_of_the_textbook(void **state)
{
    (void)state;
    const char *model = lb_write_file("shaken.yaml", shaken);
    // white: W / (8 zeta w^3) of the distance, and its rate times w^2
    json_t *answer = ask_response(model, "--psd", "table.motion=3", "--range", "0.1:10:20",
                                  "--signal", "box.distance,table.acceleration.x");
    const double w = 10.0, zeta = 0.01, f = w / (2.0 * pi);
    double at = 0.0;
    const json_t *curve = get_curve(answer, 0);
    lb_expect_near("rms", json_number_value(json_object_get(curve, "rms")),
                   sqrt(3.0 / (8.0 * zeta * w * w * w)), 1e-10);
    lb_expect_near("crossings", json_number_value(json_object_get(curve, "crossings_hz")), f,
                   1e-10);
    // the peak is on the grid, which has 20 points of its own
    lb_expect_near("peak", find_largest(answer, curve, &at), 3.0 / pow(2.0 * zeta * w * w, 2),
                   1e-10);
    lb_expect_near("its frequency", at, f, 1e-12);
    // white noise itself has no mean square
    assert_null(json_object_get(get_curve(answer, 1), "rms"));
    json_decref(answer);
    // the same levels in line and from a file
    const char *table = lb_write_file("levels.csv", "frequency,density\n# g\n 1, 2\n3;\t4\r\n");
    char file[600];
    snprintf(file, sizeof file, "table.motion=%s", table);
    json_t *a = ask_response(model, "--psd", file, "--signal", "box.acceleration.x");
    json_t *b =
        ask_response(model, "--psd", "table.motion=1:2,3:4", "--signal", "box.acceleration.x");
    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
}

static void a_sine_is_amplified(void **state)
{
    (void)state;
    const char *model = lb_write_file("shaken.yaml", shaken);
    json_t *answer = ask_response(model, "--sine", "table.motion=0.5", "--range", "0.1:10:20",
                                  "--signal", "box.acceleration.x");
    double at = 0.0;
    // sqrt(1 + q^2) with q = 50 at the natural frequency, and the table itself far below
    lb_expect_near("peak", find_largest(answer, get_curve(answer, 0), &at),
                   0.5 * sqrt(1.0 + 2500.0), 1e-9);
    lb_expect_near("slow", get_value(get_curve(answer, 0), "values", 0), 0.5, 0.005);
    json_decref(answer);
}

static void transfer_functions_are_those_of_linearize(void **state)
{
    (void)state;
    const char *model = lb_write_file("shaken.yaml", shaken);
    json_t *answer = ask_response(model, "--input", "table.motion,box.force.x", "--range", "1:8:4",
                                  "--signal", "box.distance");
    lb_cli_run run = lb_run(NULL, "linearize", model, "--input", "table.motion,box.force.x",
                            "--signal", "box.distance", "--bode", "1:8:4", "--format", "json");
    json_t *other = json_loads(run.out, 0, NULL);
    assert_non_null(other);
    lb_end_run(&run);
    for (size_t input = 0; input < 2; ++input) {
        const json_t *bode = json_array_get(json_object_get(other, "bode"), input);
        for (size_t k = 0; k < 4; ++k) {
            // grid points are among others
            size_t i = 0;
            while (get_value(answer, "frequency_hz", i) < get_value(bode, "frequency_hz", k)) {
                ++i;
            }
            lb_expect_near("magnitude", get_value(get_curve(answer, 2 * input), "values", i),
                           get_value(bode, "magnitude", k), 1e-13);
            lb_expect_near("phase", get_value(get_curve(answer, 2 * input + 1), "values", i),
                           get_value(bode, "phase_deg", k), 1e-13);
        }
    }
    json_decref(answer);
    json_decref(other);
    // of one output, the only singular value is the length of the row
    json_t *singular = ask_response(model, "--input", "table.motion,box.force.x", "--range",
                                    "1:8:4", "--signal", "box.distance", "--singular");
    json_t *single = ask_response(model, "--input", "table.motion,box.force.x", "--range", "1:8:4",
                                  "--signal", "box.distance");
    lb_expect_near("singular", get_value(get_curve(singular, 0), "values", 2),
                   hypot(get_value(get_curve(single, 0), "values", 2),
                         get_value(get_curve(single, 2), "values", 2)),
                   1e-13);
    json_decref(singular);
    json_decref(single);
}

static void a_loop_comes_with_its_margins(void **state)
{
    (void)state;
    const char *model = lb_write_file("ruled.yaml", ruled);
    json_t *answer = ask_response(model, "--loop", "hold.motor", "--range", "0.1:10:30");
    // a / (z - 1) with a = 9/40: magnitude a / (2 sin(pi f T)), margin 2 / a
    const double a = 9.0 / 40.0;
    lb_expect_near("magnitude", get_value(get_curve(answer, 0), "values", 0),
                   a / (2.0 * sin(pi * 0.1 * 0.05)), 1e-12);
    const json_t *feedbacks = json_object_get(json_object_get(answer, "margins"), "feedbacks");
    assert_int_equal(json_array_size(feedbacks), 1);
    lb_expect_near("margin",
                   json_number_value(json_object_get(json_array_get(feedbacks, 0), "gain_up")),
                   2.0 / a, 1e-12);
    json_decref(answer);
    lb_cli_run run =
        lb_run(NULL, "response", model, "--loop", "hold.motor", "--range", "0.1:10:30");
    assert_non_null(strstr(run.out, "hold.motor"));
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
}

// Tables give the peaks, CSV all values, of what JSON gives.
static void tables_and_csv_say_the_same(void **state)
{
    (void)state;
    const char *model = lb_write_file("shaken.yaml", shaken);
    const double w = 10.0, zeta = 0.01, f = w / (2.0 * pi);
    double rms, three, crossings, peak, at;
    lb_cli_run run = lb_run(NULL, "response", model, "--psd", "table.motion=3", "--range",
                            "0.1:10:20", "--signal", "box.distance,table.acceleration.x");
    const char *line = strchr(run.out, '\n') + 1;
    assert_int_equal(
        sscanf(line, "%lf %lf %lf %lf %lf box.distance", &rms, &three, &crossings, &peak, &at), 5);
    // 1e-6: seven digits are printed
    lb_expect_near("rms", rms, sqrt(3.0 / (8.0 * zeta * w * w * w)), 1e-6);
    lb_expect_near("three", three, 3.0 * rms, 1e-6);
    lb_expect_near("crossings", crossings, f, 1e-6);
    lb_expect_near("peak", peak, 3.0 / pow(2.0 * zeta * w * w, 2), 1e-6);
    lb_expect_near("at", at, f, 1e-6);
    // white noise itself: its mean square is infinite, and crossings have no number
    line = strchr(line, '\n') + 1;
    assert_int_equal(sscanf(line, " infinite infinite - %lf", &peak), 1);
    lb_expect_near("level", peak, 3.0, 1e-6);
    lb_end_run(&run);

    static const struct {
        const char *words[3], *head;
    } kinds[] = {{{"--input", "box.force.x", NULL}, "largest           at Hz  magnitude of\n"},
                 {{"--sine", "box.force.x=1", NULL}, "largest           at Hz  amplitude of\n"},
                 {{"--input", "box.force.x", "--singular"}, "largest           at Hz  singular\n"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        run = lb_run(NULL, "response", model, "--signal", "box.distance", "--range", "0.1:10:20",
                     kinds[i].words[0], kinds[i].words[1], kinds[i].words[2]);
        assert_int_equal(run.status, 0);
        assert_non_null(strstr(run.out, kinds[i].head));
        line = strchr(run.out, '\n') + 1;
        assert_int_equal(sscanf(line, "%lf %lf", &peak, &at), 2);
        // the reduced mass on its spring: a third of the force at c omega, omega^2 = 200 / (2/3)
        lb_expect_near("peak", peak, 1.0 / (3.0 * 0.4 * sqrt(300.0)), 1e-6);
        lb_expect_near("at", at, sqrt(300.0) / (2.0 * pi), 1e-6);
        assert_null(strchr(strchr(line, '\n') + 1, '\n')); // phases have no peak
        lb_end_run(&run);
    }

    run = lb_run(NULL, "response", model, "--input", "box.force.x", "--signal", "box.distance",
                 "--range", "1:8:4", "--csv");
    json_t *answer = ask_response(model, "--input", "box.force.x", "--signal", "box.distance",
                                  "--range", "1:8:4");
    line = strchr(run.out, '\n');
    assert_memory_equal(run.out, "frequency_hz,", 13);
    const size_t count = json_array_size(json_object_get(answer, "frequency_hz"));
    for (size_t k = 0; k < count; ++k) {
        double magnitude, phase;
        assert_int_equal(sscanf(line, " %lf,%lf,%lf", &at, &magnitude, &phase), 3);
        assert_true(at == get_value(answer, "frequency_hz", k));
        assert_true(magnitude == get_value(get_curve(answer, 0), "values", k));
        assert_true(phase == get_value(get_curve(answer, 1), "values", k));
        line = strchr(line + 1, '\n');
    }
    assert_string_equal(line, "\n");
    json_decref(answer);
    lb_end_run(&run);
}

static void wrong_questions_are_refused(void **state)
{
    (void)state;
    const char *model = lb_write_file("shaken.yaml", shaken);
    const char *table = lb_write_file("bad.csv", "1 2\n3\n");
    char file[600];
    snprintf(file, sizeof file, "table.motion=%s", table);
    const lb_cli_case cases[] = {
        {{"response", "MODEL"}, 2, "", "--signal is missing"},
        {{"response", "MODEL", "--signal", "box.distance"}, 2, "", "--input is missing"},
        {{"response", "MODEL", "--signal", "box.distance", "--input", "box.force.x"},
         2,
         "",
         "--range FROM:TO:COUNT is missing"},
        {{"response", "MODEL", "--signal", "box.distance", "--psd", "table.motion"},
         2,
         "",
         "expected INPUT=LEVEL"},
        {{"response", "MODEL", "--signal", "box.distance", "--psd", "table.motion=1:2,1:3"},
         2,
         "",
         "frequencies that ascend"},
        {{"response", "MODEL", "--signal", "box.distance", "--psd", "table.motion=-1"},
         2,
         "",
         "levels above zero"},
        {{"response", "MODEL", "--signal", "box.distance", "--psd", "table.motion=absent.csv"},
         1,
         "",
         "absent.csv"},
        {{"response", "MODEL", "--signal", "box.distance", "--psd", "FILE"},
         2,
         "",
         "bad.csv:2: expected a frequency"},
        {{"response", "MODEL", "--signal", "box.distance", "--psd", "tabel.motion=1"}, 2, "", NULL},
        {{"response", "MODEL", "--loop", "hold.motor", "--range", "1:2:3"}, 2, "", "no closed"},
        {{"response", "MODEL", "--loop", "a", "--singular"}, 2, "", "exclude each other"},
        {{"response", "MODEL", "--loop", "a", "--nyquist"}, 2, "", "--nyquist is for figures"},
        {{"response", "MODEL", "--signal", "box.distance", "--psd", "table.motion=1:1,2:1",
          "--input", "box.force.x"},
         2,
         "",
         "name their inputs themselves"},
    };
    const char *const paths[] = {"MODEL", model, "FILE", file, NULL};
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases), paths);
    // without damping
    const char *free_mass = lb_write_file(
        "free.yaml", "limber: 1\n"
                     "bodies: [{name: box, mass: 2, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n"
                     "forces: [{name: k, type: spring, hinge: box, stiffness: 200}]\n");
    lb_cli_run run = lb_run(NULL, "response", free_mass, "--psd", "box.force.x=1:1,2:1", "--signal",
                            "box.distance");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "has no damping"));
    lb_end_run(&run);
}

#ifdef LB_WITH_VIEW
static void figures_are_drawn(void **state)
{
    (void)state;
    const char *box = lb_write_file("shaken.yaml", shaken);
    const char *rotor = lb_write_file("ruled.yaml", ruled);
    char path[600];
    snprintf(path, sizeof path, "%s.svg", box);
    const char *const commands[][12] = {
        {"response", box, "--psd", "table.motion=1:1,9:1", "--signal", "box.distance"},
        {"response", box, "--sine", "table.motion=1:1,9:1", "--signal", "box.distance"},
        {"response", box, "--input", "table.motion", "--signal", "box.distance", "--range",
         "0.1:9:50"},
        {"response", box, "--input", "table.motion", "--signal", "box.distance", "--range",
         "0.1:9:50", "--nyquist"},
        {"response", box, "--input", "table.motion", "--signal", "box.distance", "--range",
         "0.1:9:50", "--singular"},
        {"response", rotor, "--loop", "hold.motor", "--range", "0.1:9:50"},
        {"response", rotor, "--loop", "hold.motor", "--range", "0.1:9:50", "--nyquist"},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        lb_expect_svg(commands[i], path);
    }
}
#endif

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_gives_the_mean_square_of_the_textbook),
        cmocka_unit_test(a_sine_is_amplified),
        cmocka_unit_test(transfer_functions_are_those_of_linearize),
        cmocka_unit_test(a_loop_comes_with_its_margins),
        cmocka_unit_test(tables_and_csv_say_the_same),
        cmocka_unit_test(wrong_questions_are_refused),
#ifdef LB_WITH_VIEW
        cmocka_unit_test(figures_are_drawn),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
