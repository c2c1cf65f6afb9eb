// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber view: the page that it writes, the key `view` of a model, and what it refuses. What a
// browser makes of the page is another test.
#define _GNU_SOURCE
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bare_run.h"
#include "check.h"
#include "run_cli.h"
#include "swing.h"
#include "watched_run.h"

static lb_cli_run make_page(const char *result)
{
    lb_cli_run run = lb_run(NULL, "view", result, "--output", "-");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    return run;
}

static int count_words(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        ++count;
    }
    return count;
}

static void page_holds_model_and_rows(void **state)
{
    (void)state;
    lb_cli_run run = make_page(lb_get_swing());
    assert_non_null(strstr(run.out, "<!doctype html>"));
    assert_non_null(strstr(run.out, "Content-Security-Policy"));
    assert_non_null(strstr(run.out, "default-src 'none'"));
    assert_non_null(strstr(run.out, "\"rows\":201"));
    assert_non_null(strstr(run.out, "\"frames\":201"));
    assert_non_null(strstr(run.out, "\"name\":\"swing\""));
    assert_non_null(strstr(run.out, "</html>"));
    // nothing is fetched from anywhere
    assert_null(strstr(run.out, "<script src"));
    assert_null(strstr(run.out, "<link"));
    lb_end_run(&run);
}

// A loop that is led elsewhere is there twice, each with its ends and its times; one that is made holds from
// then on.
static void loops_are_shown_where_they_are(void **state)
{
    (void)state;
    static const char model[] =
        "limber: 1\n"
        "ground: {nodes: {one: {}, two: {position: [1, 0, 0]}}}\n"
        "bodies: [{name: bar, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, "
        "1, 0, 0, 0], nodes: {tip: "
        "{position: [1, 0, 0]}}},\n"
        "  {name: ball, hinge: {type: free}, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
        "loops: [{name: tie, a: {body: ground, node: one}, b: {body: ball}, type: rod, length: 1, "
        "active: false}]\n"
        "initial: {ball: {position: [0, 2, 0]}}\n"
        "events:\n"
        "  - {name: a, when: t, crosses: 0.1, then: {grasp: tie}}\n"
        "  - {name: b, when: t, crosses: 0.2, then: {alter: tie, a: {body: ground, node: two}, "
        "grasp: "
        "true}}\n"
        "  - {name: c, when: t, crosses: 0.25, then: {make: {name: pin, type: weld, a: {body: "
        "bar}, b: "
        "{body: ball}, grasp: true}}}\n"
        "  - {name: d, when: t, crosses: 0.5, then: {release: tie}}\n"
        "run: {duration: 1, interval: 0.25}\n";
    lb_cli_run run = make_page(lb_record_run("led.yaml", model));
    assert_int_equal(count_words(run.out, "{\"name\":\"tie\",\"type\":\"rod\""), 2);
    assert_non_null(strstr(run.out, "\"holds\":[0.1,0.2]"));
    assert_non_null(strstr(run.out, "\"holds\":[0.2,0.5]"));
    assert_non_null(strstr(run.out, "{\"name\":\"pin\",\"type\":\"weld\",\"holds\":[0.25]"));
    lb_end_run(&run);
}

// However a model is named, the page has as many elements as for any other model.
static void names_stay_inside_of_their_element(void **state)
{
    (void)state;
    static const char format[] = "limber: 1\n"
                                 "name: \"%s\"\n"
                                 "bodies:\n"
                                 "  - {name: \"%s\", hinge: {type: prismatic, axis: [0, 0, 1]},"
                                 " mass: 1}\n"
                                 "run: {duration: 0.1}\n";
    static const char *const names[2] = {"plain", "</script><script>alert(1)</script><!--"};
    int elements[2], comments[2];
    for (int i = 0; i < 2; ++i) {
        char model[512];
        snprintf(model, sizeof model, format, names[i], names[i]);
        lb_cli_run run = make_page(lb_record_run(i ? "evil.yaml" : "plain.yaml", model));
        elements[i] = count_words(run.out, "<script");
        comments[i] = count_words(run.out, "<!--");
        if (i == 1) {
            assert_non_null(strstr(run.out, "\\u003c/script>"));
        }
        lb_end_run(&run);
    }
    assert_int_equal(elements[0], elements[1]);
    assert_int_equal(comments[0], comments[1]);
}

// The numbers of a block of the page, which are written in base 64.
static int read_floats(const char *page, int block, float *numbers, int room)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char id[20];
    snprintf(id, sizeof id, "id=\"b%d\">", block);
    const char *at = strstr(page, id);
    assert_non_null(at);
    unsigned char bytes[1024];
    size_t used = 0;
    unsigned bits = 0, held = 0;
    for (at += strlen(id); *at != '<' && *at != '='; ++at) {
        bits = bits << 6 | (unsigned)(strchr(digits, *at) - digits);
        held += 6;
        if (held >= 8) {
            held -= 8;
            assert_true(used < sizeof bytes);
            bytes[used++] = (unsigned char)(bits >> held & 255);
        }
    }
    const int count = (int)(used / sizeof *numbers);
    assert_true(count <= room);
    memcpy(numbers, bytes, used);
    return count;
}

// A float has seven digits. What a signal that hardly varies does beyond them is there all the same; one that varies is
// written as it is.
static void signals_that_hardly_vary_keep_their_digits(void **state)
{
    (void)state;
    lb_cli_run run = make_page(lb_record_run(
        "creep.yaml",
        "limber: 1\n"
        "bodies: [{name: snail, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
        "initial: {snail: {distance: 1000, rate: 1.0e-6}}\n"
        "run: {duration: 1, interval: 0.5}\n"));
    const char *column = strstr(run.out, "{\"name\":\"snail.distance\"");
    assert_non_null(column);
    int block = -1, at = -1;
    assert_int_equal(sscanf(strstr(column, "\"block\""), "\"block\":%d,\"at\":%d", &block, &at), 2);
    assert_int_equal(strncmp(strstr(column, "\"base\""), "\"base\":\"1000\"", 13), 0);
    float numbers[64];
    assert_true(read_floats(run.out, block, numbers, 64) >= at + 3);
    for (int i = 0; i < 3; ++i) {
        // the state itself has steps of 1.1e-13 here
        assert_true(fabs(numbers[at + i] - 0.5e-6 * i) < 1e-12);
    }
    lb_end_run(&run);
}

// Named signals have the unit that the model states, or the one that all terms of their expression have.
static void signals_have_units(void **state)
{
    (void)state;
    lb_cli_run run = make_page(lb_record_run(
        "units.yaml",
        "limber: 1\n"
        "parameters: {offset: 0.1}\n"
        "bodies:\n"
        "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, nodes: {tip: "
        "{position: "
        "[1, 0, 0]}}, inertia: [1, 1, 1, 0, 0, 0]}\n"
        "  - {name: fore arm, parent: arm, at: tip, hinge: {type: revolute, axis: [0, 1, 0]}, "
        "mass: "
        "1, inertia: [1, 1, 1, 0, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
        "signals:\n"
        "  elbow: \"'fore arm'.angle\"\n"
        "  gap: arm.angle - elbow + 45 deg\n"
        "  height: arm/tip.position.z - offset\n"
        "  reach: max(height, distance(arm/tip, 'fore arm'/tip)) - 5.0e-1\n"
        "  stress: {value: 3*reach, unit: MPa}\n"
        "  twice: -(stress + stress)\n"
        "  area: height*reach\n"
        "  mixed: height + elbow\n"
        "  share: height/offset\n"
        "  pure: {value: 4}\n"
        "run: {duration: 0.1, interval: 0.1}\n"
        "outputs: [elbow, gap, height, reach, stress, twice, area, mixed, share, pure]\n"));
    static const char *const units[][2] = {
        {"elbow", "rad"}, {"gap", "rad"}, {"height", "m"}, {"reach", "m"}, {"stress", "MPa"},
        {"twice", "MPa"}, {"area", ""},   {"mixed", ""},   {"share", ""},  {"pure", ""}};
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        char text[80];
        snprintf(text, sizeof text, "{\"name\":\"%s\",\"unit\":\"%s\"", units[i][0], units[i][1]);
        if (!strstr(run.out, text)) {
            fail_msg("expected %s", text);
        }
    }
    lb_end_run(&run);
}

// Forces are arrows: those of a body's axes turn with it, and none is there while its force is switched off. A
// bar turns a quarter in a second, with 2 N along its own x.
static void forces_are_arrows(void **state)
{
    (void)state;
    const char *result = lb_record_run(
        "pushed.yaml",
        "limber: 1\n"
        "bodies: [{name: bar, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, "
        "1, 0, 0, 0],\n"
        "          nodes: {tip: {position: [1, 0, 0]}}}]\n"
        "forces: [{name: jet, type: force, at: bar/tip, axes: body, value: [2, 0, 0]},\n"
        "         {name: tip jet, type: force, at: bar/tip, axes: node, value: [2, 0, 0]},\n"
        "         {name: twist, type: torque, at: bar/tip, value: [3, 0, 0]}]\n"
        "initial: {bar: {rate: 1.5707963267948966}}\n"
        "events: [{name: off, when: t, crosses: 0.4, then: {disable: jet}},\n"
        "         {name: on, when: t, crosses: 0.6, then: {enable: jet}}]\n"
        "run: {duration: 1, interval: 0.25}\n");
    lb_cli_run run = make_page(result);
    const char *named = strstr(run.out, "\"loads\":[");
    assert_non_null(named);
    float loads[64];
    const int count = read_floats(run.out, atoi(named + 9), loads, 64);
    // a frame at each quarter of a second: the third is between the events
    assert_int_equal(count, 5 * 9);
    // at the start all along x, at the end along y, but for the torque in the world's axes
    static const float start[9] = {2, 0, 0, 2, 0, 0, 3, 0, 0}, end[9] = {0, 2, 0, 0, 2, 0, 3, 0, 0};
    for (int i = 0; i < 9; ++i) {
        // 1e-5: single precision, and the tolerance of the run
        lb_expect_near("load", loads[i], start[i], 1e-5);
        lb_expect_near("load", loads[count - 9 + i], end[i], 1e-5);
    }
    for (int i = 0; i < 3; ++i) {
        assert_true(loads[18 + i] == 0.0f);
    }
    assert_true(loads[21] > 1.0f);
    lb_end_run(&run);
}

static const char shaped[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: hull, hinge: {type: free}, mass: 10, inertia: [1, 1, 1, 0, 0, 0],\n"
    "     nodes: {a: {position: [1, 0, 0]}, b: {position: [0, 1, 0]}, c: {position: [1, 1, 0]}}}\n"
    "run: {duration: 0.1}\n"
    "view:\n"
    "  camera: {from: [3, -4, 2], to: [0, 0, 0]}\n"
    "  traces: [hull/a]\n"
    "  shapes:\n"
    "    - {body: hull, box: [1, 2, 3], position: [0, 0, 0.5], colour: \"#c8a048\"}\n"
    "    - {body: hull, cylinder: [0.1, 2], rotation: [1, 0, 0, 0]}\n"
    "    - {body: hull, sphere: 0.2}\n"
    "    - {body: hull, tube: 0.05, nodes: [origin, a]}\n"
    "    - {body: hull, sheet: [[origin, a], [b, c]]}\n";

static void shapes_of_the_model_are_drawn(void **state)
{
    (void)state;
    lb_cli_run run = make_page(lb_record_run("shaped.yaml", shaped));
    static const char *const expected[] = {
        "{\"kind\":\"box\",\"body\":0,\"size\":[1.0,2.0,3.0]", "\"kind\":\"cylinder\"",
        "\"kind\":\"sphere\"", "\"kind\":\"tube\"", "\"kind\":\"sheet\"",
        // two triangles of the four nodes
        "\"nodes\":[0,1,2,1,3,2]", "\"traces\":[1]", "\"from\":[3.0,-4.0,2.0]"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        if (!strstr(run.out, expected[i])) {
            fail_msg("no %s", expected[i]);
        }
    }
    lb_end_run(&run);
}

// Bodies without shapes: the arm is a rod between its nodes, and what has no extent of its own is small, however large
// its inertia makes it.
static void bodies_without_shapes_are_links(void **state)
{
    (void)state;
    lb_cli_run run = make_page(lb_record_run(
        "links.yaml",
        "limber: 1\n"
        "bodies:\n"
        "  - {name: hub, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: "
        "[1, 1, 1, 0, 0, 0]}\n"
        "  - {name: arm, parent: hub, hinge: {type: revolute, axis: [0, 0, 1]}, "
        "mass: 1, com: [1, 0, 0],\n"
        "     inertia: [0, 0.3, 0.3, 0, 0, 0], nodes: {tip: {position: [2, 0, 0]}}}\n"
        "  - {name: bob, parent: arm, at: tip, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, "
        "com: [0, 0, -1]}\n"
        "run: {duration: 0.1}\n"));
    // the hub is a box, the arm a rod without one, the bob a rod with a ball
    assert_int_equal(count_words(run.out, "\"kind\":\"box\",\"body\":"), 1);
    assert_int_equal(count_words(run.out, "\"kind\":\"cylinder\",\"body\":1"), 1);
    assert_int_equal(count_words(run.out, "\"kind\":\"cylinder\",\"body\":2"), 1);
    assert_int_equal(count_words(run.out, "\"kind\":\"sphere\",\"body\":2"), 1);
    double edges[3], radius, length;
    assert_int_equal(sscanf(strstr(run.out, "\"kind\":\"box\""),
                            "\"kind\":\"box\",\"body\":0,\"size\":[%lf,%lf,%lf]", edges, edges + 1,
                            edges + 2),
                     3);
    for (int i = 0; i < 3; ++i) {
        // a tenth of the scene, which is 2 m by 1 m
        assert_true(edges[i] > 0.01 && edges[i] < 0.25);
    }
    assert_int_equal(sscanf(strstr(run.out, "\"kind\":\"cylinder\",\"body\":1"),
                            "\"kind\":\"cylinder\",\"body\":1,\"size\":[%lf,%lf", &radius, &length),
                     2);
    assert_true(fabs(length - 2.0) < 1e-12 && radius < 0.05 && radius > 0.01);
    lb_end_run(&run);
}

static void mistakes_in_view_have_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *view, *says;
    } cases[] = {
        {"{shape: []}", "view"},
        {"[1]", "expected a mapping"},
        {"{shapes: [{box: [1, 1, 1]}]}", "view.shapes[0].body"},
        {"{shapes: [{body: bob}]}", "expected one of box"},
        {"{shapes: [{body: bob, box: [1, 1, 1], sphere: 1}]}", "found 2"},
        {"{shapes: [{body: bob, box: [1, 1]}]}", "view.shapes[0].box"},
        {"{shapes: [{body: bob, box: [1, 1, 0]}]}", "a size above zero"},
        {"{shapes: [{body: bib, sphere: 1}]}", "no body \"bib\""},
        {"{shapes: [{body: bob, tube: 0.1, nodes: [origin, tap]}]}", "no node \"tap\""},
        {"{shapes: [{body: bob, sphere: 1, colour: red}]}", "such as \"#c8a048\""},
        {"{shapes: [{body: bob, sphere: 1, rotation: [1, 1, 0, 0]}]}", "unit quaternion"},
        {"{shapes: [{body: bob, sheet: [[origin, tip]]}]}", "two rows"},
        {"{traces: [bob/tap]}", "no node \"bob/tap\""},
        {"{traces: [bib/tip]}", "no node \"bib/tip\""},
        {"{traces: [[1]]}", "a node such as hand/tip"},
        {"{traces: bob/tip}", "view.traces"},
        {"{shapes: [{body: bob, tube: 0.1, nodes: [origin, [1]]}]}", "the name of a node"},
        {"{shapes: [{body: bob, tube: 0.1, nodes: [origin]}]}", "two nodes at least"},
        {"{shapes: [{body: bob, tube: 0.1, nodes: 3}]}", "view.shapes[0].nodes"},
        {"{shapes: [{body: bob, tube: 0.1, position: [0, 0, 1]}]}",
         "a tube lies between nodes: it takes no position or rotation"},
        {"{shapes: [{body: bob, sheet: [[origin, tip], [origin, tip]], rotation: [1, 0, 0, 0]}]}",
         "a sheet lies between nodes"},
        {"{shapes: [{body: bob, sheet: [[origin, tip], [origin]]}]}",
         "1 nodes given, expected 2 as in sheet[0]"},
        {"{shapes: [{body: bob, sheet: [[origin, tip], [origin, tap]]}]}", "no node \"tap\""},
        {"{shapes: [{body: bob, sheet: []}]}", "two rows"},
        {"{shapes: [{body: bob, sheet: 3}]}", "view.shapes[0].sheet"},
        {"{shapes: [{body: bob, cylinder: [1]}]}", "view.shapes[0].cylinder"},
        {"{shapes: [{body: bob, sphere: round}]}", "view.shapes[0].sphere"},
        {"{shapes: [{body: bob, sphere: 1, colour: \"#c8a04\"}]}", "such as \"#c8a048\""},
        {"{shapes: [{body: bob, sphere: 1, colour: \"c8a0480\"}]}", "such as \"#c8a048\""},
        {"{shapes: [{body: bob, sphere: 1, colour: \"#c8a04g\"}]}", "such as \"#c8a048\""},
        {"{shapes: [{body: bob, sphere: 1, colour: [1]}]}", "view.shapes[0].colour"},
        {"{shapes: [{body: bob, sphere: 1, shade: 1}]}", "unknown key \"shade\""},
        {"{camera: [1, 2, 3]}", "view.camera"},
        {"{shapes: [3]}", "view.shapes[0]"},
        {"{shapes: [{body: bob, sheet: [[origin], [tip]]}]}", "two rows"},
        {"{camera: {to: [0, 0, 0]}}", "view.camera.from"},
        {"{camera: {from: [0, 0, 5]}}", "looks along `up`"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char model[512];
        snprintf(model, sizeof model,
                 "limber: 1\nbodies:\n  - {name: bob, hinge: {type: free}, mass: 1, nodes: {tip: "
                 "{position: [1, 0, 0]}}}\nview: %s\n",
                 cases[i].view);
        lb_cli_run run = lb_run(NULL, "check", lb_write_file("bad.yaml", model));
        if (run.status != 1 || !strstr(run.err, cases[i].says)) {
            fail_msg("%s: '%s' does not say '%s'", cases[i].view, run.err, cases[i].says);
        }
        lb_end_run(&run);
    }
}

// Visuals of a robot: a box, an STL mesh, an OBJ mesh with a corner that does not exist, and a mesh that
// is not there. The last two are left out, with a remark.
static void visuals_of_a_robot_are_drawn(void **state)
{
    (void)state;
    static const char robot[] =
        "<robot name=\"bot\"><link name=\"base\"><visual><geometry><box size=\"1 1 1\"/></geometry>"
        "</visual></link><link name=\"arm\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
        "iyy=\"1\" "
        "izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
        "<visual><geometry><mesh filename=\"package://bot/one.stl\"/></geometry></visual>"
        "<visual><geometry><mesh filename=\"bad.obj\"/></geometry></visual>"
        "<visual><geometry><mesh filename=\"none.dae\"/></geometry></visual></link>"
        "<joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/>"
        "<axis xyz=\"0 0 1\"/></joint></robot>";
    static const char stl[] =
        "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
        "vertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n";
    char result[560], folder[512];
    lb_write_file("bad.obj", obj);
    const char *file = lb_write_file("bot.urdf", robot);
    snprintf(result, sizeof result, "%s.h5", file);
    snprintf(folder, sizeof folder, "%s", lb_write_file("one.stl", stl));
    *strrchr(folder, '/') = 0;
    lb_cli_run run = lb_run(NULL, "run", file, "--duration", "0.1", "--quiet", "--output", result);
    assert_string_equal(run.err, "");
    lb_end_run(&run);
    run = lb_run(NULL, "view", result, "--output", "-", "--meshes", folder);
    assert_int_equal(run.status, 0);
    assert_int_equal(count_words(run.out, "{\"kind\":\"mesh\""), 1);
    assert_int_equal(count_words(run.out, "{\"kind\":\"box\""), 1);
    assert_non_null(strstr(run.out, "2 meshes are not drawn, such as bad.obj: no triangles"));
    lb_end_run(&run);
    remove(result);
}

// A robot names files of its package, not any that there are.
static void meshes_outside_of_the_package_are_not_opened(void **state)
{
    (void)state;
    static const char stl[] =
        "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
        "vertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    char robot[1024], folder[512], path[600], result[600];
    snprintf(folder, sizeof folder, "%s", lb_write_file("far.stl", stl));
    *strrchr(folder, '/') = 0;
    snprintf(path, sizeof path, "%s/urdf", folder);
    mkdir(path, 0700);
    snprintf(robot, sizeof robot,
             "<robot name=\"bot\"><link name=\"base\"><inertial><mass value=\"1\"/><inertia "
             "ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
             "<visual><geometry><mesh filename=\"../far.stl\"/></geometry></visual>"
             "<visual><geometry><mesh filename=\"%s/far.stl\"/></geometry></visual></link></robot>",
             folder);
    const char *file = lb_write_file("far.urdf", robot);
    snprintf(result, sizeof result, "%s/urdf/far.h5", folder);
    lb_cli_run run = lb_run(NULL, "run", file, "--floating", "--duration", "0.02", "--quiet",
                            "--output", result);
    assert_string_equal(run.err, "");
    lb_end_run(&run);
    for (int i = 0; i < 3; ++i) {
        // outside; permitted; in the package
        if (i == 2) {
            lb_write_file("package.xml", "<package/>");
        }
        run = i == 1 ? lb_run(NULL, "view", result, "--output", "-", "--meshes", folder)
                     : lb_run(NULL, "view", result, "--output", "-");
        assert_int_equal(count_words(run.out, "{\"kind\":\"mesh\""), i == 0 ? 0 : 2);
        lb_end_run(&run);
    }
    remove(result);
    rmdir(path);
}

// ---- serving -------------------------------------------------------------------------------------

// A server for which time stands still: no client is ever too late.
static pid_t serve_swing(FILE **said, int *port)
{
    int ends[2];
    const char *result = lb_get_swing();
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        setenv("LIMBER_CLOCK", "0", 1);
        execl(lb_find_built("limber"), "limber", "view", result, "--serve", "--no-open",
              (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *said = fdopen(ends[0], "r");
    assert_int_equal(fscanf(*said, "http://127.0.0.1:%d/", port), 1);
    return child;
}

static int connect_to(int port)
{
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(s >= 0 && connect(s, (struct sockaddr *)&where, sizeof where) == 0);
    return s;
}

static void one_slow_client_does_not_hold_up_others(void **state)
{
    (void)state;
    int port = 0;
    FILE *said;
    const pid_t child = serve_swing(&said, &port);
    // two ask for half of a page and for one that they do not take; a third for a page
    static const char ask[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const int silent = connect_to(port), slow = connect_to(port), third = connect_to(port);
    assert_int_equal(send(silent, ask, 10, MSG_NOSIGNAL), 10);
    assert_int_equal(send(slow, ask, sizeof ask - 1, MSG_NOSIGNAL), sizeof ask - 1);
    assert_int_equal(send(third, ask, sizeof ask - 1, MSG_NOSIGNAL), sizeof ask - 1);
    char block[4096], start[16] = "";
    size_t all = 0;
    for (ssize_t got; (got = recv(third, block, sizeof block, 0)) > 0; all += (size_t)got) {
        if (all == 0) {
            memcpy(start, block, 15);
        }
    }
    assert_string_equal(start, "HTTP/1.1 200 OK");
    assert_true(all > 100000);
    // the silent one was not dropped for it
    assert_true(recv(silent, block, 1, MSG_DONTWAIT) < 0);
    close(silent);
    close(slow);
    close(third);
    kill(child, SIGTERM);
    fclose(said);
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
}

// What a browser may ask for, and what others get.
static void only_the_page_is_served_and_only_here(void **state)
{
    (void)state;
    int port = 0;
    FILE *said;
    const pid_t child = serve_swing(&said, &port);
    static const struct {
        const char *asks, *status;
        bool page;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", "200", true},
        {"HEAD / HTTP/1.1\r\nHost: LOCALHOST\r\n\r\n", "200", false},
        {"GET /etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", "404", false},
        {"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405", false},
        {"GET / HTTP/1.1\r\nAccept: text/html\r\nHost: elsewhere.example\r\n\r\n", "403", false},
        {"GET / HTTP/1.1\r\n\r\n", "403", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const int s = connect_to(port);
        const size_t length = strlen(cases[i].asks);
        assert_int_equal(send(s, cases[i].asks, length, MSG_NOSIGNAL), length);
        char block[4096], start[16] = "";
        size_t all = 0;
        for (ssize_t got; (got = recv(s, block, sizeof block, 0)) > 0; all += (size_t)got) {
            if (all == 0) {
                memcpy(start, block, 12);
            }
        }
        close(s);
        if (strcmp(start + 9, cases[i].status) != 0 || (all > 10000) != cases[i].page) {
            fail_msg("%s: %s, %zu bytes", cases[i].asks, start, all);
        }
    }
    // a request that does not end is cut off
    static char endless[9000];
    memset(endless, 'a', sizeof endless);
    const int s = connect_to(port);
    send(s, endless, sizeof endless, MSG_NOSIGNAL);
    char block[4096] = "";
    // what was sent beyond it may have broken the connection
    const ssize_t got = recv(s, block, sizeof block, 0);
    assert_true(got <= 0 || strncmp(block, "HTTP/1.1 405", 12) == 0);
    close(s);
    // its port is taken
    char number[16];
    snprintf(number, sizeof number, "%d", port);
    lb_cli_run run = lb_run(NULL, "view", lb_get_swing(), "--serve", "--no-open", "--port", number);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "cannot listen on port"));
    lb_end_run(&run);
    // one that is connected does not hold up the end
    const int idle = connect_to(port);
    kill(child, SIGTERM);
    fclose(said);
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    close(idle);
}

// A stand-in for xdg-open notes what it shall show.
static void pages_are_named_after_results_and_opened_on_a_desktop(void **state)
{
    (void)state;
    char folder[512], path[5000];
    const char *tool =
        lb_write_file("xdg-open", "#!/bin/sh\necho \"$1\" > opened.tmp && mv opened.tmp opened\n");
    assert_int_equal(chmod(tool, 0700), 0);
    snprintf(folder, sizeof folder, "%s", tool);
    *strrchr(folder, '/') = 0;
    lb_get_swing();
    char *kept = strdup(getenv("PATH") ? getenv("PATH") : "");
    snprintf(path, sizeof path, "%s:%.4000s", folder, kept);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(link("swing.yaml.h5", "swing.h5.part"), 0);
    setenv("PATH", path, 1);
    setenv("DISPLAY", ":7", 1);
    static const struct {
        const char *result, *page;
        bool opens;
    } cases[] = {{"swing.yaml.h5", "swing.yaml.html", false},
                 {"./swing.h5.part", "swing.html", true},
                 {"swing.yaml.h5", "swing.yaml.html", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char expected[100];
        snprintf(expected, sizeof expected, "wrote %s\n", cases[i].page);
        lb_cli_run run = cases[i].opens ? lb_run(NULL, "view", cases[i].result)
                                        : lb_run(NULL, "view", cases[i].result, "--no-open");
        assert_string_equal(run.err, "");
        assert_string_equal(run.out, expected);
        lb_end_run(&run);
        char shown[100] = "";
        // the command does not wait for the browser
        while (cases[i].opens && access("opened", R_OK) != 0) {
            usleep(1000);
        }
        FILE *file = fopen("opened", "r");
        assert_int_equal(file != NULL, cases[i].opens);
        if (file) {
            assert_int_equal(fscanf(file, "%99s", shown), 1);
            assert_string_equal(shown, cases[i].page);
            fclose(file);
        }
        remove("opened");
        assert_int_equal(remove(cases[i].page), 0);
    }
    unsetenv("DISPLAY");
    setenv("PATH", kept, 1);
    free(kept);
    remove("swing.h5.part");
    assert_int_equal(chdir(lb_find_source(".")), 0);
}

// Mode shapes are shown about the state that they were computed for.
static void mode_shapes_bring_their_state(void **state)
{
    (void)state;
    char folder[512], modes[600], model[600];
    snprintf(folder, sizeof folder, "%s", lb_get_swing());
    *strrchr(folder, '/') = 0;
    snprintf(modes, sizeof modes, "%s/shapes.json", folder);
    snprintf(model, sizeof model, "%s/swing.yaml", folder);
    lb_cli_run run = lb_run(NULL, "modes", model, "--trim", "--json", "--output", modes);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    run = lb_run(NULL, "view", lb_get_swing(), "--modes", modes, "--output", "-");
    assert_string_equal(run.err, "");
    assert_non_null(strstr(run.out, "\"modePoses\":"));
    lb_end_run(&run);
    remove(modes);
    const char *other = lb_write_file("other.json", "{\"modes\": [], \"q\": [1, 2, 3]}");
    run = lb_run(NULL, "view", lb_get_swing(), "--modes", other, "--output", "-");
    assert_int_equal(run.status, 0);
    assert_non_null(
        strstr(run.out, "The mode shapes are of a model with 3 coordinates, this one has 1."));
    assert_null(strstr(run.out, "\"modePoses\":"));
    lb_end_run(&run);
}

// Without a model that fits there are plots, and a word on the scene; another model may be named.
static void results_without_their_model_are_plots(void **state)
{
    (void)state;
    const char *parts = lb_write_file(
        "parts.yaml", "limber: 1\nsections: {bar: {type: rectangle, width: 0.1, height: 0.1}}\n");
    const char *cited = lb_write_file(
        "cited.yaml", "limber: 1\n"
                      "library: parts.yaml\n"
                      "bodies: [{name: bob, hinge: {type: prismatic, axis: [1, 0, 0]},\n"
                      "          beam: {length: 1, section: bar, material: steel, modes: 1}}]\n"
                      "run: {duration: 0.001}\n");
    const char *result = lb_record_bare_run(cited, "cited.h5");
    const char *other =
        lb_write_file("cart.yaml", "limber: 1\n"
                                   "bodies: [{name: bob, mass: 1, hinge: {type: free}}]\n");
    char png[600];
    snprintf(png, sizeof png, "%s.png", result);
    const lb_cli_case cases[] = {
        {{"render", "RESULT", "--output", "PNG", "--model", "CITED"}, 0, "wrote ", ""},
        {{"plot", "RESULT", "bob.velocity.x", "--model", "CITED"}, 0, "bob.velocity.x", ""},
        {{"view", "RESULT", "--output=-"},
         0,
         "No scene: the model cannot be loaded (",
         "no scene: "},
        {{"render", "RESULT", "--output", "PNG"}, 1, "", "no scene: "},
        {{"render", "RESULT", "--output", "PNG", "--model", "OTHER"},
         1,
         "",
         "the model has 7 coordinates, the results have 2"},
        {{"render", "RESULT", "--output", "PNG", "--model=/nowhere.yaml"},
         1,
         "",
         "no scene: /nowhere.yaml"},
        {{"plot", "RESULT", "bob.distance"}, 0, "bob.distance", ""},
        {{"plot", "RESULT", "bob.velocity.x"}, 2, "", "no signal 'bob.velocity.x'"},
    };
    const char *const names[] = {"RESULT", result,  "OTHER", other, "PNG",
                                 png,      "CITED", cited,   NULL};
    lb_expect_cases(cases, 2, names);
    assert_int_equal(remove(parts), 0);
    lb_expect_cases(cases + 2, 6, names);
    remove(png);
}

// Runs limber and ends it with a signal as soon as it has recorded rows.
static void run_until(const char *model, const char *result, int number)
{
    const pid_t run = lb_start_watched_run(model, result, "1");
    lb_wait_for_rows(run, result, 1);
    kill(run, number);
    int status;
    assert_int_equal(waitpid(run, &status, 0), run);
}

static void runs_that_were_ended_are_shown_as_far_as_they_went(void **state)
{
    (void)state;
    char result[600], part[620];
    const char *model = lb_write_file(
        "endless.yaml",
        "limber: 1\n"
        "bodies: [{name: cart, mass: 1, hinge: {type: prismatic, axis: [1, 0, 0]}}]\n"
        "initial: {cart: {rate: 1}}\n"
        "run: {duration: 1.0e+6, interval: 0.001, integrator: {type: rk4, step: 0.001}}\n");
    snprintf(result, sizeof result, "%.500s.h5", model);
    snprintf(part, sizeof part, "%s.part", result);
    const lb_cli_case killed[] = {
        {{"view", "PART", "--output=-"}, 0, "The run is not finished, or was cut off", NULL},
        {{"plot", "PART", "cart.distance"}, 0, "cart.distance, m", "is not complete: "},
        {{"results", "PART"}, 0, "rows", NULL},
    };
    run_until(model, result, SIGKILL);
    lb_expect_cases(killed, 3, (const char *const[]){"PART", part, NULL});
    remove(part);
    const lb_cli_case ended[] = {
        {{"view", "RESULT", "--output=-"}, 0, "The run was ended on request before its end.", ""},
        {{"plot", "RESULT", "cart.distance"}, 0, "cart.distance, m", ""},
    };
    run_until(model, result, SIGINT);
    lb_expect_cases(ended, 2, (const char *const[]){"RESULT", result, NULL});
    remove(result);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    const lb_cli_case cases[] = {
        {{"view", "RESULT", "--port=many"}, 2, "", "--port: 'many' given"},
        {{"view", "RESULT", "--modes=/nowhere.json"}, 1, "", "/nowhere.json"},
        {{"view", "RESULT", "--modes", "BROKEN"}, 1, "", "broken.json:2:"},
        {{"view", "RESULT", "--modes", "LIST"}, 1, "", "a list `modes`"},
    };
    const char *broken = lb_write_file("broken.json", "{\n\"modes\": [,]}\n");
    const char *list = lb_write_file("list.json", "[]\n");
    lb_expect_cases(
        cases, 4,
        (const char *const[]){"RESULT", lb_get_swing(), "BROKEN", broken, "LIST", list, NULL});
    lb_cli_run run = lb_run(NULL, "view", "/nowhere.h5");
    assert_non_null(strstr(run.err, "cannot read /nowhere.h5"));
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
    run = lb_run(NULL, "view", lb_get_swing(), "--output", "/nowhere/page.html");
    assert_non_null(strstr(run.err, "cannot write /nowhere/page.html"));
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
    run = lb_run(NULL, "view", lb_get_swing(), "bob.angel", "--output", "-");
    assert_non_null(strstr(run.err, "did you mean 'bob.angle'"));
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
    const char *modes = lb_write_file("modes.json", "{\"frequencies\": []}");
    run = lb_run(NULL, "view", lb_get_swing(), "--modes", modes, "--output", "-");
    assert_non_null(strstr(run.err, "a list `modes`"));
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
}

// A file that was cut off at any place is shown as far as it goes, or refused in words.
static void cut_files_show_what_is_there(void **state)
{
    (void)state;
    FILE *file = fopen(lb_get_swing(), "rb");
    assert_non_null(file);
    static char bytes[1 << 20];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    char path[600];
    snprintf(path, sizeof path, "%s.cut", lb_get_swing());
    int shown = 0;
    for (int tenth = 0; tenth < 10; ++tenth) {
        file = fopen(path, "wb");
        assert_non_null(file);
        fwrite(bytes, 1, size * (size_t)tenth / 10, file);
        fclose(file);
        lb_cli_run run = lb_run(NULL, "view", path, "--output", "-");
        if (run.status == 0) {
            assert_non_null(strstr(run.out, "The result file is damaged"));
            ++shown;
        } else {
            assert_int_equal(run.status, 1);
            assert_non_null(strstr(run.err, "cut off"));
        }
        lb_end_run(&run);
    }
    remove(path);
    // all that describes the file lies at its beginning
    assert_true(shown >= 4);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_holds_model_and_rows),
        cmocka_unit_test(loops_are_shown_where_they_are),
        cmocka_unit_test(names_stay_inside_of_their_element),
        cmocka_unit_test(signals_that_hardly_vary_keep_their_digits),
        cmocka_unit_test(signals_have_units),
        cmocka_unit_test(forces_are_arrows),
        cmocka_unit_test(shapes_of_the_model_are_drawn),
        cmocka_unit_test(bodies_without_shapes_are_links),
        cmocka_unit_test(mistakes_in_view_have_their_place),
        cmocka_unit_test(visuals_of_a_robot_are_drawn),
        cmocka_unit_test(meshes_outside_of_the_package_are_not_opened),
        cmocka_unit_test(one_slow_client_does_not_hold_up_others),
        cmocka_unit_test(only_the_page_is_served_and_only_here),
        cmocka_unit_test(pages_are_named_after_results_and_opened_on_a_desktop),
        cmocka_unit_test(mode_shapes_bring_their_state),
        cmocka_unit_test(results_without_their_model_are_plots),
        cmocka_unit_test(runs_that_were_ended_are_shown_as_far_as_they_went),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(cut_files_show_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
