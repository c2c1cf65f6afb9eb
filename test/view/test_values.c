// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes that are coloured by signals: what the page of limber view holds of them, what limber render draws, and what is
// refused.
#include <cairo.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"
#include "swing.h"

enum { ROOM = 128, SIDE = 200 };

// The numbers of a block of the page, which are written in base 64.
static int read_block(const char *page, int block, float numbers[ROOM])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char id[20];
    snprintf(id, sizeof id, "id=\"b%d\">", block);
    const char *at = strstr(page, id);
    assert_non_null(at);
    unsigned char bytes[ROOM * sizeof *numbers + 3];
    size_t used = 0;
    unsigned bits = 0;
    int held = 0;
    for (at += strlen(id); *at != '<' && *at != '='; ++at) {
        bits = bits << 6 | (unsigned)(strchr(digits, *at) - digits);
        held += 6;
        if (held >= 8) {
            held -= 8;
            assert_true(used < sizeof bytes);
            bytes[used++] = (unsigned char)(bits >> held & 255);
        }
    }
    assert_true(used <= ROOM * sizeof *numbers);
    memcpy(numbers, bytes, used);
    return (int)(used / sizeof *numbers);
}

// The values of all frames, and how many a frame has.
static int read_values(const char *page, int *width, float values[ROOM])
{
    const char *at = strstr(page, "\"valueCount\":");
    assert_non_null(at);
    *width = atoi(at + strlen("\"valueCount\":"));
    at = strstr(at, "\"values\":[");
    assert_non_null(at);
    return read_block(page, atoi(at + strlen("\"values\":[")), values);
}

static lb_cli_run make_page(const char *result)
{
    lb_cli_run run = lb_run(NULL, "view", result, "--output", "-");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    return run;
}

static void expect_part(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        const char *shapes = strstr(text, "\"shapes\"");
        fail_msg("no %s in %.2000s", part, shapes ? shapes : text);
    }
}

// A square in the plane y = 0 that is held by its lower edge: eta = 0.1 cos(w t) m, w^2 = 90 N/m / 1.25 kg.
#define SQUARE                                                                                     \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - name: panel\n"                                                                            \
    "    hinge: {type: fixed}\n"                                                                   \
    "    flex:\n"                                                                                  \
    "      nodes:\n"                                                                               \
    "        - {name: a, position: [-2, 0, -2], mass: 1, shape: [[0, 0, 0, 0, 0, 0]]}\n"           \
    "        - {name: b, position: [2, 0, -2], mass: 1, shape: [[0, 0, 0, 0, 0, 0]]}\n"            \
    "        - {name: c, position: [-2, 0, 2], mass: 1, shape: [[0, 0, 0, 0, 0.5, 0]]}\n"          \
    "        - {name: d, position: [2, 0, 2], mass: 1, shape: [[0, 0, 0, 0, 1, 0]],\n"             \
    "           second_order: [[0, 0, [0, 0, -1e-9]]]}\n"                                          \
    "      stiffness: [90]\n"                                                                      \
    "signals: {load: 3*panel.eta.0, relief: -3*panel.eta.0}\n"                                     \
    "initial: {panel: {eta: [0.1]}}\n"

// The sheet reads two signals, one of them recorded, the tubes others; the second tube shares the bar of the sheet.
static void pages_hold_values_at_all_frames(void **state)
{
    (void)state;
    lb_cli_run run = make_page(
        lb_record_run("square.yaml", SQUARE
                      "run: {duration: 0.7, interval: 0.07}\noutputs: [load]\n"
                      "view:\n"
                      "  shapes:\n"
                      "    - {body: panel, sheet: [[a, b], [c, d]], caption: stress,\n"
                      "       values: {a: relief, b: load, c: relief, d: load}}\n"
                      "    - {body: panel, tube: 0.1, nodes: [c, d],\n"
                      "       values: {d: panel/d.displacement.y, c: panel/c.displacement.y}}\n"
                      "    - {body: panel, tube: 0.1, nodes: [a, d], caption: stress,\n"
                      "       values: {a: load, d: load}}\n"));
    // nodes 1 to 4 are a to d; the values are in the order of the file
    expect_part(run.out, "\"nodes\":[1,2,3,2,4,3],\"values\":[0,1,2,1,3,2],\"scale\":0}");
    expect_part(run.out, "\"nodes\":[3,4],\"values\":[5,4],\"scale\":1}");
    expect_part(run.out, "\"nodes\":[1,4],\"values\":[6,7],\"scale\":0}");
    // the smallest and largest values of the run are 0.2956 and 0.3, 0.0985 and 0.1
    expect_part(run.out,
                "\"scales\":[{\"caption\":\"stress\",\"unit\":\"\",\"low\":-0.3,\"high\":0.3},"
                "{\"caption\":\"values of panel\",\"unit\":\"m\",\"low\":-0.1,\"high\":0.1}]");
    float values[ROOM];
    int width;
    assert_int_equal(read_values(run.out, &width, values), 11 * 8);
    assert_int_equal(width, 8);
    static const double factors[8] = {-3, 3, -3, 3, 1, 0.5, 3, 3};
    for (int f = 0; f < 11; ++f) {
        const double eta = 0.1 * cos(sqrt(72.0) * 0.07 * f);
        for (int i = 0; i < 8; ++i) {
            // 1e-5: single precision, and the tolerance of the run
            lb_expect_near("value", values[8 * f + i], factors[i] * eta, 1e-5);
        }
    }
    lb_end_run(&run);
}

// A value that is the same all the time still has a bar with two ends.
static void constant_values_have_a_range(void **state)
{
    (void)state;
    lb_cli_run run = make_page(lb_record_run(
        "still.yaml", SQUARE "run: {duration: 0.01}\n"
                             "view: {shapes: [{body: panel, tube: 0.1, nodes: [a, b], values: {a: "
                             "panel/a.position.z, b: panel/b.position.z}}]}\n"));
    expect_part(run.out, "\"unit\":\"m\",\"low\":-3.0,\"high\":-1.0}");
    lb_end_run(&run);
}

// ---- recovered quantities ------------------------------------------------------------------------

// The page of a panel of finite elements whose tip is coloured by `signal`. `lift` is the displacement of the tip along z
// in the files' unit, mm.
static lb_cli_run show_panel(const char *signal, const char *outputs)
{
    static const char *const endings[4] = {"sti", "mas", "dof", "inp"};
    const char *files[4];
    char body[200], result[200], model[1000];
    for (int i = 0; i < 4; ++i) {
        files[i] = lb_find_source("test/data/fe/calculix/panel.%s", endings[i]);
    }
    const char *rows = lb_write_file("rows.csv", "lift, 101, z, 1\n");
    snprintf(body, sizeof body, "%s.flex", rows);
    lb_cli_run run = lb_run(NULL, "import", files[0], files[1], files[2], files[3],
                            "--units=mm,t,s", "--clamp=9001", "--nodes=root=9001,tip=101",
                            "--modes=2", "--rows", rows, "-o", body);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    snprintf(model, sizeof model,
             "limber: 1\n"
             "bodies:\n"
             "  - {name: panel, by: root, hinge: {type: fixed}, flex: {file: rows.csv.flex}}\n"
             "initial: {panel: {eta: [0.01, 0.002]}}\n"
             "run: {duration: 0.02, interval: 0.01}\n"
             "outputs: [%s]\n"
             "view:\n"
             "  shapes:\n"
             "    - {body: panel, tube: 0.01, nodes: [root, tip],\n"
             "       values: {root: panel/tip.displacement.z, tip: %s}}\n",
             outputs, signal);
    // not lb_record_run: the command warns of a body that does not stiffen
    const char *file = lb_write_file("panel.yaml", model);
    snprintf(result, sizeof result, "%s.h5", file);
    run = lb_run(NULL, "run", file, "-o", result, "--quiet");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    run = lb_run(NULL, "view", result, "--model", file, "--output", "-");
    assert_int_equal(run.status, 0);
    remove(result);
    remove(body);
    return run;
}

static void recovered_quantities_are_values(void **state)
{
    (void)state;
    float values[ROOM];
    int width;
    lb_cli_run run = show_panel("panel.recovery.lift", "");
    assert_string_equal(run.err, "");
    assert_int_equal(read_values(run.out, &width, values), 3 * 2);
    for (int f = 0; f < 3; ++f) {
        assert_true(fabsf(values[2 * f]) > 1e-6f);
        // 1e-6: single precision
        lb_expect_near("mm", values[2 * f + 1], 1000.0 * values[2 * f], 1e-6);
    }
    lb_end_run(&run);
    // corrected values come from the outputs of the run
    run = show_panel("panel.recovery.lift.corrected", "panel.recovery.lift.corrected");
    assert_string_equal(run.err, "");
    assert_int_equal(read_values(run.out, &width, values), 3 * 2);
    assert_true(fabsf(values[1]) > 1e-3f);
    lb_end_run(&run);
    // or not at all: the page is written without the key `view`
    run = show_panel("panel.recovery.lift.corrected", "");
    assert_non_null(strstr(run.err, "panel.yaml:10:"));
    assert_non_null(strstr(run.err, "view.shapes[0].values.tip: \"panel.recovery.lift.corrected\": "
                                    "it is not recorded and does not follow from the recorded "
                                    "states: list it under `outputs` and run again"));
    expect_part(run.out, "the model's `view` has errors and is left aside");
    expect_part(run.out, "\"scales\":[],\"valueCount\":0");
    lb_end_run(&run);
}

// ---- pictures ------------------------------------------------------------------------------------

// 'r', 'g' or 'b', the strongest part of the colour at a place of a picture.
static char get_strongest(cairo_surface_t *picture, int x, int y)
{
    uint32_t rgb;
    memcpy(&rgb,
           cairo_image_surface_get_data(picture) + y * cairo_image_surface_get_stride(picture) +
               4 * x,
           sizeof rgb);
    const int r = (int)(rgb >> 16 & 255), g = (int)(rgb >> 8 & 255), b = (int)(rgb & 255);
    return r > g && r > b ? 'r' : g > b ? 'g' : 'b';
}

// The left edge has the smallest value and the right edge the largest, and half a period later it is the other way
// round. In the middle is the middle of the scale, a green, not a mixture of blue and red.
static void pictures_show_values_and_their_bar(void **state)
{
    (void)state;
    const char *result = lb_record_run(
        "pictured.yaml", SQUARE "run: {duration: 0.3702401, interval: 0.03702401}\n"
                                "view:\n"
                                "  camera: {from: [0, -10, 0]}\n"
                                "  shapes:\n"
                                "    - {body: panel, sheet: [[a, b], [c, d]], caption: stress,\n"
                                "       values: {a: relief, b: load, c: relief, d: load}}\n");
    for (int i = 0; i < 2; ++i) {
        char path[600];
        snprintf(path, sizeof path, "%s.png", result);
        lb_cli_run run = lb_run(NULL, "render", result, "--output", path, "--no-time",
                                "--size=200x200", "--to", i ? "1" : "0");
        assert_string_equal(run.err, "");
        assert_int_equal(run.status, 0);
        lb_end_run(&run);
        cairo_surface_t *picture = cairo_image_surface_create_from_png(path);
        assert_int_equal(cairo_surface_status(picture), CAIRO_STATUS_SUCCESS);
        assert_int_equal(cairo_image_surface_get_width(picture), SIDE);
        // 2 m are 55 pixels
        for (int y = 55; y < 150; y += 10) {
            assert_int_equal(get_strongest(picture, 50, y), i ? 'r' : 'b');
            assert_int_equal(get_strongest(picture, 100, y), 'g');
            assert_int_equal(get_strongest(picture, 150, y), i ? 'b' : 'r');
        }
        // the bar does not move
        assert_int_equal(get_strongest(picture, 146, 178), 'b');
        assert_int_equal(get_strongest(picture, 169, 178), 'g');
        assert_int_equal(get_strongest(picture, 194, 178), 'r');
        cairo_surface_destroy(picture);
        remove(path);
    }
}

// ---- mistakes ------------------------------------------------------------------------------------

static void mistakes_in_values_have_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *shape, *says;
    } cases[] = {
        {"tube: 0.1, values: {origin: t, tip: t, tap: t}",
         "view.shapes[0].values.tap: body \"bob\" has no node \"tap\""},
        {"tube: 0.1, values: {origin: t}", "node \"tip\" has no value: give it a signal under "
                                           "`values`, or leave it out of the shape"},
        {"tube: 0.1, nodes: [origin, tip], values: {origin: t}",
         "view.shapes[0].nodes[1]: node \"tip\" has no value"},
        {"sheet: [[origin, tip], [tip, origin]], values: {tip: t}",
         "view.shapes[0].sheet[0][0]: node \"origin\" has no value"},
        {"tube: 0.1, nodes: [origin, origin], values: {origin: t, tip: t}",
         "view.shapes[0].values.tip: node \"tip\" is not one of this shape"},
        {"tube: 0.1, values: {origin: t, tip: bob.stress}",
         "view.shapes[0].values.tip: \"bob.stress\": "},
        {"tube: 0.1, values: {origin: t, tip: none}", "view.shapes[0].values.tip: \"none\": "},
        {"tube: 0.1, values: {origin: t, tip: [t]}", "expected a signal such as"},
        {"tube: 0.1, values: [t, t]", "expected a mapping from nodes to signals"},
        {"tube: 0.1, values: {origin: t, tip: t}, caption: [a]", "view.shapes[0].caption"},
        {"tube: 0.1, caption: stress", "a caption is for `values`, which are absent"},
        {"sphere: 1, values: {origin: t}", "only a tube or a sheet has values at its nodes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char model[600];
        snprintf(model, sizeof model,
                 "limber: 1\nbodies:\n  - {name: bob, hinge: {type: free}, mass: 1, nodes: {tip: "
                 "{position: [1, 0, 0]}}}\nview:\n  shapes:\n    - {body: bob, %s}\n",
                 cases[i].shape);
        lb_cli_run run = lb_run(NULL, "check", lb_write_file("bad.yaml", model));
        if (run.status != 1 || !strstr(run.err, cases[i].says) || !strstr(run.err, "bad.yaml:6:") ||
            !strstr(run.out, "1 error\n")) {
            fail_msg("%s: '%s%s' does not say '%s' alone", cases[i].shape, run.err, run.out,
                     cases[i].says);
        }
        lb_end_run(&run);
    }
}

// Named signals are known to limber check; if the forces have errors of their own, only those are reported.
static void named_signals_are_known(void **state)
{
    (void)state;
    static const char format[] = "limber: 1\n"
                                 "signals: {load: 2*t}\n"
                                 "bodies: [{name: bob, hinge: {type: free}, mass: 1}]\n"
                                 "forces: [{name: f, type: force, at: %s, value: [1, 0, 0]}]\n"
                                 "view: {shapes: [{body: bob, tube: 0.1, nodes: [origin, origin],"
                                 " values: {origin: load}}]}\n";
    char model[600];
    snprintf(model, sizeof model, format, "bob");
    lb_cli_run run = lb_run(NULL, "check", lb_write_file("good.yaml", model));
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    snprintf(model, sizeof model, format, "bib");
    run = lb_run(NULL, "check", lb_write_file("bad.yaml", model));
    assert_int_equal(run.status, 1);
    assert_null(strstr(run.err, "view"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_hold_values_at_all_frames),
        cmocka_unit_test(constant_values_have_a_range),
        cmocka_unit_test(recovered_quantities_are_values),
        cmocka_unit_test(pictures_show_values_and_their_bar),
        cmocka_unit_test(mistakes_in_values_have_their_place),
        cmocka_unit_test(named_signals_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
