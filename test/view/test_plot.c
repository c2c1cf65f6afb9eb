// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber plot: figures and text plots of a recorded run, and what it refuses.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"
#include "swing.h"

// Reads a file that the command wrote; the caller frees it.
static char *read_back(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(*length + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *length, file), *length);
    fclose(file);
    return text;
}

static char *plot_to(const char *ending, size_t *length)
{
    char path[512];
    snprintf(path, sizeof path, "%s.%s", lb_get_swing(), ending);
    lb_cli_run run = lb_run(NULL, "plot", lb_get_swing(), "bob.angle", "kinetic", "--output", path,
                            "--title", "swing");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    char *text = read_back(path, length);
    remove(path);
    return text;
}

static void svg_is_whole(void **state)
{
    (void)state;
    size_t length;
    char *text = plot_to("svg", &length);
    assert_non_null(strstr(text, "<svg"));
    assert_non_null(strstr(text, "</svg>"));
    // two curves, each a stroked path in a colour of its own
    assert_non_null(strstr(text, "stroke:rgb(0%,45"));
    assert_non_null(strstr(text, "stroke:rgb(84"));
    free(text);
}

static void pdf_is_whole(void **state)
{
    (void)state;
    size_t length;
    char *text = plot_to("pdf", &length);
    assert_memory_equal(text, "%PDF-", 5);
    assert_non_null(strstr(text + length - 8, "%%EOF"));
    free(text);
}

static void png_has_the_size_asked_for(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s.png", lb_get_swing());
    // 50.8 mm by 25.4 mm at 100 dots an inch
    const char *const words[] = {"plot", lb_get_swing(), "bob.angle", "--output", path,   "--dpi",
                                 "100",  "--width",      "50.8",      "--height", "25.4", NULL};
    lb_cli_run run = lb_run_cli(NULL, words);
    assert_string_equal(run.err, "");
    lb_end_run(&run);
    size_t length;
    char *text = read_back(path, &length);
    remove(path);
    const unsigned char *b = (const unsigned char *)text;
    assert_memory_equal(b, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(b[18] << 8 | b[19], 200);
    assert_int_equal(b[22] << 8 | b[23], 100);
    free(text);
}

// The pendulum starts at 1 rad: the first mark of the plot is in the row of the tick 1.0.
static void text_plot_shows_the_curve(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "plot", lb_get_swing(), "bob.angle");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "bob.angle, rad"));
    const char *row = strstr(run.out, "1.0 +*");
    row = row ? row : strstr(run.out, "1.0 ┤•");
    assert_non_null(row);
    lb_end_run(&run);
}

// A signal that is not recorded comes from the states: distance of the bob from its pivot.
static void signals_that_are_not_recorded_are_computed(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "plot", lb_get_swing(), "distance(bob/tip, ground)");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    // it is 2 m at all times, which has an axis around it
    assert_non_null(strstr(run.out, "2.0"));
    lb_end_run(&run);
}

static void numbers_are_numbers(void **state)
{
    (void)state;
    static const lb_cli_case cases[] = {
        {{"plot", "RESULT", "kinetic", "--width=wide"}, 2, "", "--width: 'wide' given"},
        {{"plot", "RESULT", "kinetic", "--height=1"}, 2, "", "--height: '1' given"},
        {{"plot", "RESULT", "kinetic", "--dpi=1e9"}, 2, "", "--dpi: '1e9' given"},
        {{"plot", "RESULT", "kinetic", "--from=x"}, 2, "", "--from: 'x' given"},
        {{"plot", "RESULT", "kinetic", "--to=x"}, 2, "", "--to: 'x' given"},
        {{"plot", "RESULT", "t"}, 0, "t, s", ""},
        {{"plot", "RESULT", "kinetic", "--output=.svg"}, 2, "", ".svg, .pdf or .png"},
        {{"plot", "RESULT", "kinetic", "--from=0.5", "--to=1"}, 0, "kinetic", ""},
        {{"plot", "RESULT", "kinetic", "--from=1", "--to=1"}, 0, "kinetic", ""},
        {{"plot", "RESULT", "distance(bob/tip, ground)"}, 0, "distance(bob/tip, ground), m", ""},
        {{"plot", "RESULT", "distance_rate(bob/tip, ground)"}, 0, ", m/s", ""},
        {{"plot", "RESULT", "bob/tip.acceleration.x"}, 0, ", m/s²", ""},
        {{"plot", "RESULT", "bob.acceleration.x"}, 0, "bob.acceleration.x, m/s²", ""},
        {{"plot", "RESULT", "bob.rate"}, 0, "bob.rate, rad/s", ""},
        {{"plot", "RESULT", "abs(bob.angle) - 0.5"}, 0, "abs(bob.angle) - 0.5, rad", ""},
        {{"plot", "RESULT", "2*bob.angle"}, 0, "2*bob.angle   (over", ""},
        {{"plot", "RESULT", "bob.angle + bob.rate"}, 0, "bob.angle + bob.rate   (over", ""},
        {{"plot", "RESULT", "turn(bob).y"}, 0, "turn(bob).y, rad", ""},
        {{"render", "RESULT", "--output=a.gif", "--fps=0"}, 2, "", "--fps: '0' given"},
        {{"render", "RESULT", "--output=a.gif", "--speed=fast"}, 2, "", "--speed: 'fast' given"},
        {{"render", "RESULT", "--output=a.gif", "--deformation=-1"},
         2,
         "",
         "--deformation: '-1' given"},
        {{"render", "RESULT", "--output=a.gif", "--from=x"}, 2, "", "--from: 'x' given"},
        {{"render", "RESULT", "--output=a.gif", "--to=x"}, 2, "", "--to: 'x' given"},
        {{"render", "RESULT", "--output=a.gif", "--size=10x100"}, 2, "", "such as 640x400"},
        {{"render", "RESULT", "--output=a.gif", "--size=100x10"}, 2, "", "such as 640x400"},
        {{"render", "RESULT", "--output=a.gif", "--size=10000x100"}, 2, "", "such as 640x400"},
        {{"render", "RESULT", "--output=a.gif", "--size=100x10000"}, 2, "", "such as 640x400"},
        {{"render", "RESULT", "--output=a.gif", "--size=100x100x"}, 2, "", "such as 640x400"},
        {{"render", "/nowhere.h5", "--output=a.gif"}, 1, "", "cannot read /nowhere.h5"},
    };
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases),
                    (const char *const[]){"RESULT", lb_get_swing(), NULL});
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *words[6], *says;
        int status;
    } cases[] = {
        {{"bob.angel"}, "did you mean 'bob.angle'", 2},
        {{"kinetic", "--output", "a.jpg"}, ".svg, .pdf or .png", 2},
        {{"kinetic", "--output", "/nowhere/a.svg"}, "cannot write /nowhere/a.svg", 1},
        {{"kinetic", "--from", "2", "--to", "1"}, "nothing between", 2},
        {{"kinetic", "--x", "nothing.there"}, "no signal 'nothing.there'", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *words[9] = {"plot", lb_get_swing()};
        memcpy(words + 2, cases[i].words, sizeof cases[i].words);
        lb_cli_run run = lb_run_cli(NULL, words);
        if (!strstr(run.err, cases[i].says)) {
            fail_msg("'%s' does not say '%s'", run.err, cases[i].says);
        }
        assert_int_equal(run.status, cases[i].status);
        lb_end_run(&run);
    }
    lb_cli_run run = lb_run(NULL, "plot", "/nowhere.h5", "kinetic");
    assert_non_null(strstr(run.err, "cannot read /nowhere.h5"));
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
}

// Many rows fall on the same place of the paper: the figure has the extremes of each place, not all of them. The
// oscillation of 1 Hz has two thousand rows in each of its ten periods.
static void figures_keep_the_extremes_of_many_rows(void **state)
{
    (void)state;
    const char *result = lb_record_run(
        "fast.yaml",
        "limber: 1\n"
        "bodies: [{name: cart, mass: 1, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n"
        "forces: [{name: spring, type: spring, hinge: cart, stiffness: 39.47841760435743}]\n"
        "initial: {cart: {distance: 2.0e+7}}\n"
        "run: {duration: 10, interval: 5.0e-4, integrator: {type: rk4, step: 5.0e-4}}\n");
    char path[600];
    snprintf(path, sizeof path, "%s.svg", result);
    lb_cli_run run = lb_run(NULL, "plot", result, "cart.distance", "--width=20", "--output", path);
    assert_string_equal(run.err, "");
    lb_end_run(&run);
    size_t length;
    char *text = read_back(path, &length);
    // 20001 rows of about 20 bytes each would take 400000
    assert_true(length < 150000);
    free(text);
    // large numbers have powers of ten at the axis
    run = lb_run(NULL, "plot", result, "cart.distance");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "2e+07"));
    lb_end_run(&run);
    // one quantity over another
    run = lb_run(NULL, "plot", result, "cart.rate", "--x", "cart.distance");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "(over cart.distance [m])"));
    lb_end_run(&run);
    // names that do not fit beside each other stand below each other
    const char *const words[] = {"plot",
                                 result,
                                 "cart.distance",
                                 "cart.position.x",
                                 "cart.position.y",
                                 "cart.position.z",
                                 "cart.position.norm",
                                 "cart/origin.position.x",
                                 "--width=60",
                                 "--output",
                                 path,
                                 NULL};
    run = lb_run_cli(NULL, words);
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    // a single moment is a range as well
    run =
        lb_run(NULL, "plot", result, "cart.distance", "--from", "1", "--to", "1", "--output", path);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    remove(path);
}

// Forces are recorded, not computed from states: a norm comes from its three columns.
static void norms_of_recorded_vectors_are_plotted(void **state)
{
    (void)state;
    const char *path = lb_record_run(
        "rod.yaml",
        "limber: 1\n"
        "gravity: [0, -10, 0]\n"
        "bodies: [{name: left bob, hinge: {type: translational}, mass: 2}]\n"
        "loops: [{name: a rod, a: {body: ground}, b: {body: left bob}, type: rod, length: 1}]\n"
        "initial: {left bob: {position: [0, -1, 0]}}\n"
        "run: {duration: 0.1}\n"
        "outputs: [reactions]\n");
    static const char *const names[] = {"loop/a rod.force.norm", "loop/'a rod'.force.norm",
                                        "left bob.reaction_force.norm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        lb_cli_run run = lb_run(NULL, "plot", path, names[i]);
        if (run.status != 0 || !strstr(run.out, names[i])) {
            fail_msg("%s: %s", names[i], run.err);
        }
        // the weight, 20 N, all the time; a translational hinge carries nothing
        assert_true(i == 2 || strstr(run.out, "20"));
        lb_end_run(&run);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svg_is_whole),
        cmocka_unit_test(pdf_is_whole),
        cmocka_unit_test(png_has_the_size_asked_for),
        cmocka_unit_test(text_plot_shows_the_curve),
        cmocka_unit_test(signals_that_are_not_recorded_are_computed),
        cmocka_unit_test(norms_of_recorded_vectors_are_plotted),
        cmocka_unit_test(figures_keep_the_extremes_of_many_rows),
        cmocka_unit_test(numbers_are_numbers),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
