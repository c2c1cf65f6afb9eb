// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What limber render draws, looked at pixel by pixel: shapes of a model, visuals of a robot, bodies that bend,
// rods, traces; clips through a stand-in for ffmpeg.
#define _POSIX_C_SOURCE 200809L
#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "run_cli.h"
#include "swing.h"

// ---- pictures ------------------------------------------------------------------------------------

enum { SIDE = 200 };

typedef struct picture {
    int width, height;
    unsigned rgb[SIDE][SIDE];
} picture;

// A picture of SIDE by SIDE pixels, with up to eight more words for the command.
static const picture *draw(const char *result, const char *const *more)
{
    static picture p;
    char path[600];
    snprintf(path, sizeof path, "%s.png", result);
    const char *words[16] = {"render", result, "--output", path, "--no-time", "--size", "200x200"};
    for (int i = 0; more && more[i]; ++i) {
        words[7 + i] = more[i];
    }
    lb_cli_run run = lb_run_cli(NULL, words);
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    p.width = cairo_image_surface_get_width(surface);
    p.height = cairo_image_surface_get_height(surface);
    assert_true(p.width == SIDE && p.height == SIDE);
    const unsigned char *bytes = cairo_image_surface_get_data(surface);
    for (int y = 0; y < SIDE; ++y) {
        const unsigned char *row = bytes + y * cairo_image_surface_get_stride(surface);
        for (int x = 0; x < SIDE; ++x) {
            uint32_t pixel;
            memcpy(&pixel, row + 4 * x, 4);
            p.rgb[y][x] = pixel & 0xffffff;
        }
    }
    cairo_surface_destroy(surface);
    remove(path);
    return &p;
}

// Light and shadow change how bright a colour is, not which of its parts are strong.
static char get_hue(unsigned rgb)
{
    const int r = (int)(rgb >> 16 & 255), g = (int)(rgb >> 8 & 255), b = (int)(rgb & 255);
    return r > 2 * g && r > 2 * b                             ? 'r'
           : g > 2 * r && g > 2 * b                           ? 'g'
           : b > 2 * r && b > 2 * g                           ? 'b'
           : abs(r - g) < 25 && abs(g - b) < 25 && r + g < 90 ? 'k'
           : abs(r - g) < 25 && abs(g - b) < 25 && r > 225    ? 'w'
                                                              : '?';
}

// The hue at a place of the plane y = 0, seen by a camera at (0, -10, 0) with an opening of 40 degrees.
static char look(const picture *p, double x, double z)
{
    const double scale = 0.5 * SIDE / (10.0 * tan(20.0 * acos(-1.0) / 180.0));
    return get_hue(p->rgb[(int)(0.5 * SIDE - scale * z)][(int)(0.5 * SIDE + scale * x)]);
}

// Whether a thin line passes here, at most a pixel off.
static bool is_near(const picture *p, double x, double z)
{
    return look(p, x, z) != 'w' || look(p, x + 0.04, z) != 'w' || look(p, x - 0.04, z) != 'w';
}

static int count_hue(const picture *p, char hue)
{
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        count += get_hue(p->rgb[i / SIDE][i % SIDE]) == hue;
    }
    return count;
}

// ---- shapes --------------------------------------------------------------------------------------

static void shapes_stand_where_the_model_puts_them(void **state)
{
    (void)state;
    const char *result = lb_record_run(
        "shapes.yaml",
        "limber: 1\n"
        "bodies:\n"
        "  - {name: hull, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1, inertia: [1, 1, 1, "
        "0, 0, 0],\n"
        "     nodes: {a: {position: [1, 0, -3]}, b: {position: [3, 0, -3]}, c: {position: [1, 0, "
        "-1]},\n"
        "             d: {position: [3, 0, -1]}, e: {position: [-3, 0, 0]}, f: {position: [3, 0, "
        "0]}}}\n"
        "run: {duration: 0.1}\n"
        "view:\n"
        "  camera: {from: [0, -10, 0]}\n"
        "  shapes:\n"
        "    - {body: hull, box: [1, 1, 1], position: [-2, 0, 2], colour: \"#ff0000\"}\n"
        "    - {body: hull, cylinder: [0.5, 1], position: [2, 0, 2], colour: \"#00ff00\"}\n"
        "    - {body: hull, sphere: 0.6, position: [-2, 0, -2], colour: \"#0000FF\"}\n"
        "    - {body: hull, sheet: [[a, b], [c, d]], colour: \"#ff0000\"}\n"
        "    - {body: hull, tube: 0.2, nodes: [e, f], colour: \"#00ff00\"}\n");
    const picture *p = draw(result, NULL);
    assert_int_equal(look(p, -2, 2), 'r');
    assert_int_equal(look(p, 2, 2), 'g');
    assert_int_equal(look(p, -2, -2), 'b');
    assert_int_equal(look(p, 1.2, -2.8), 'r');
    assert_int_equal(look(p, 2.8, -1.2), 'r');
    assert_int_equal(look(p, -2.5, 0), 'g');
    assert_int_equal(look(p, 2.5, 0), 'g');
    // and nowhere else; without gravity there is no floor
    static const double empty[][2] = {{-2, 2.8}, {-2.8, 2}, {2, 2.7}, {-2, -2.8},
                                      {0.5, -2}, {0, 0.5},  {0, 3}};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; ++i) {
        if (look(p, empty[i][0], empty[i][1]) != 'w') {
            fail_msg("something at (%g, 0, %g)", empty[i][0], empty[i][1]);
        }
    }
    p = draw(result, (const char *const[]){"--dark", NULL});
    assert_int_equal(look(p, 0, 3), 'k');
    assert_int_equal(look(p, -2, 2), 'r');
}

// Ends of a string and of the path of what hangs on it.
static void rods_and_traces_are_drawn(void **state)
{
    (void)state;
    const char *result = lb_record_run(
        "hung.yaml",
        "limber: 1\n"
        "bodies: [{name: bob, hinge: {type: translational}, mass: 1, nodes: {eye: {}}},\n"
        "         {name: still, hinge: {type: fixed}, mass: 1}]\n"
        "loops: [{name: string, type: rod, length: 3, a: {body: ground}, b: {body: bob, node: "
        "eye}},\n"
        "        {name: off, type: rod, length: 3, a: {body: still}, b: {body: ground}, active: "
        "false},\n"
        "        {name: held, type: coupler, terms: [{body: bob, coordinate: 1}]}]\n"
        "initial: {bob: {position: [3, 0, 0], velocity: [0, 0, 4.71238898038469]}}\n"
        "run: {duration: 1, interval: 0.02}\n"
        "view:\n"
        "  camera: {from: [0, -10, 0]}\n"
        "  traces: [bob/eye]\n"
        "  shapes: [{body: bob, sphere: 0.2, colour: \"#ff0000\"}]\n");
    // a quarter of a turn in a second: from (3, 0, 0) to (0, 0, 3)
    const picture *p = draw(result, NULL);
    assert_int_equal(look(p, 0, 3), 'r');
    int strung = 0, traced = 0;
    for (int i = 1; i < 20; ++i) {
        strung += is_near(p, 0, 2.7 * i / 20.0);
        const double angle = 0.5 * acos(-1.0) * i / 22.0;
        const double x = 3 * cos(angle), z = 3 * sin(angle);
        traced += is_near(p, x, z);
        assert_int_equal(look(p, 0.8 * x, 0.8 * z), 'w');
    }
    assert_true(strung >= 18);
    assert_true(traced >= 18);
    // at the beginning there is a rod, and no path yet
    p = draw(result, (const char *const[]){"--to", "0", NULL});
    assert_int_equal(look(p, 3, 0), 'r');
    assert_true(look(p, 1.5, 0) != 'w' || look(p, 1.5, 0.04) != 'w');
    assert_int_equal(look(p, 3 * cos(0.7), 3 * sin(0.7)), 'w');
}

// A pendulum in each plane under gravity along each axis: whatever is up, it is all in the picture, and a floor lies
// below it.
static void the_camera_finds_what_moves(void **state)
{
    (void)state;
    static const struct {
        const char *gravity, *axis, *com;
    } cases[] = {{"[0, 0, -9.81]", "[0, 1, 0]", "[0, 0, -2]"},
                 {"[0, -9.81, 0]", "[0, 0, 1]", "[0, -2, 0]"},
                 {"[0, -9.81, 0]", "[1, 0, 0]", "[0, -2, 0]"},
                 {"[-9.81, 0, 0]", "[0, 0, 1]", "[-2, 0, 0]"},
                 {"[0, 0, -9.81]", "[0, 0, 1]", "[2, 0, 0]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char model[800], name[20];
        snprintf(name, sizeof name, "plane%zu.yaml", i);
        snprintf(model, sizeof model,
                 "limber: 1\n"
                 "gravity: %s\n"
                 "bodies: [{name: bob, hinge: {type: revolute, axis: %s}, mass: 1, com: %s}]\n"
                 "initial: {bob: {angle: 1}}\n"
                 "run: {duration: 1}\n"
                 "view: {shapes: [{body: bob, sphere: 0.3, position: %s, colour: \"#ff0000\"},\n"
                 "  {body: ground, box: [0.3, 0.3, 0.3]}]}\n",
                 cases[i].gravity, cases[i].axis, cases[i].com, cases[i].com);
        const char *result = lb_record_run(name, model);
        const picture *p =
            draw(result, (const char *const[]){i % 2 ? "--dark" : "--no-time", "--to", "0", NULL});
        // the ball is there and whole: none of it at the border
        assert_true(count_hue(p, 'r') > 100);
        for (int k = 0; k < SIDE; ++k) {
            assert_true(get_hue(p->rgb[0][k]) != 'r' && get_hue(p->rgb[SIDE - 1][k]) != 'r');
            assert_true(get_hue(p->rgb[k][0]) != 'r' && get_hue(p->rgb[k][SIDE - 1]) != 'r');
        }
    }
}

// ---- bodies that bend ----------------------------------------------------------------------------

// Row of the middle of what is drawn in a column; -1 for nothing.
static double find_middle(const picture *p, int x)
{
    double sum = 0;
    int count = 0;
    for (int y = 0; y < SIDE; ++y) {
        if (get_hue(p->rgb[y][x]) != 'w') {
            sum += y;
            ++count;
        }
    }
    return count ? sum / count : -1.0;
}

// A beam of 6 m from (-3, 0, 0) on, held bent by its first mode. What is asked to be drawn ten times as large
// is ten times as far off, and the tip, the farthest, has the last colour of the scale, a red.
static void bending_is_drawn_as_large_as_asked_for(void **state)
{
    (void)state;
    const char *result = lb_record_run(
        "bent.yaml",
        "limber: 1\n"
        "ground: {nodes: {wall: {position: [-3, 0, 0]}}}\n"
        "bodies:\n"
        "  - name: beam\n"
        "    at: wall\n"
        "    hinge: {type: fixed}\n"
        "    beam: {length: 6, section: {type: rectangle, width: 0.1, height: 0.1},\n"
        "           material: {E: 210.0e+9, nu: 0.3, rho: 7850}, modes: {count: 1, motions: [z]}}\n"
        "initial: {beam: {eta: [1.0]}}\n"
        "run: {duration: 1e-6, interval: 1e-6}\n"
        "view: {camera: {from: [0, -10, 0]}}\n");
    double off[2];
    for (int i = 0; i < 2; ++i) {
        const picture *p =
            draw(result, (const char *const[]){"--deformation", i ? "10" : "5", "--to", "0", NULL});
        off[i] = 0.5 * SIDE - find_middle(p, 180);
        const unsigned tip = p->rgb[(int)(0.5 * SIDE - off[i] + 0.5)][180];
        assert_true((tip >> 16) > 2 * (tip & 255));
        // the root is at its place, and blue
        assert_true(fabs(find_middle(p, 20) - 0.5 * SIDE) < 1.5);
        const unsigned root = p->rgb[SIDE / 2][20];
        assert_true((root & 255) > 2 * (root >> 16));
    }
    // to a pixel each
    assert_true(fabs(off[0]) > 10.0);
    assert_true(fabs(off[1] - 2.0 * off[0]) < 3.0);
}

// Nodes in a plane span a sheet, members of a frame are bars, and both show in page and picture.
static void panels_and_frames_have_their_shapes(void **state)
{
    (void)state;
    const char *panel = lb_record_run(
        "panel.yaml",
        "limber: 1\n"
        "bodies:\n"
        "  - name: panel\n"
        "    hinge: {type: fixed}\n"
        "    flex:\n"
        "      nodes:\n"
        "        - {name: a, position: [-2, 0, -2], mass: 1, shape: [[0, 0, 0, 0, 0, 0]]}\n"
        "        - {name: b, position: [2, 0, -2], mass: 1, shape: [[0, 0, 0, 0, 0, 0]]}\n"
        "        - {name: c, position: [-2, 0, 2], mass: 1, shape: [[0, 0, 0, 0, 0.5, 0]]}\n"
        "        - {name: d, position: [2, 0, 2], mass: 1, shape: [[0, 0, 0, 0, 1, 0]],\n"
        "           second_order: [[0, 0, [0, 0, -0.1]]]}\n"
        "      stiffness: [90]\n"
        "initial: {panel: {eta: [0.1]}}\n"
        "run: {duration: 0.01}\n"
        "view: {camera: {from: [0, -10, 0]}}\n");
    const picture *p = draw(panel, (const char *const[]){"--to", "0", NULL});
    // the whole square, and nothing beside it
    for (int i = -9; i <= 9; ++i) {
        for (int k = -9; k <= 9; ++k) {
            assert_int_not_equal(look(p, 0.2 * i, 0.2 * k), 'w');
        }
    }
    assert_int_equal(look(p, 2.3, 0), 'w');
    assert_int_equal(look(p, 0, -2.3), 'w');
    lb_cli_run run = lb_run(NULL, "view", panel, "--output", "-");
    assert_int_equal(run.status, 0);
    // four triangles around the origin of the body
    const char *sheet = strstr(run.out, "\"kind\":\"sheet\"");
    assert_non_null(sheet);
    const char *nodes = strstr(sheet, "\"nodes\":[");
    assert_non_null(nodes);
    int corners = 1;
    for (const char *c = nodes + 9; *c != ']'; ++c) {
        corners += *c == ',';
    }
    assert_int_equal(corners, 12);
    lb_end_run(&run);

    const char *frame =
        lb_record_run("frame.yaml", "limber: 1\n"
                                    "bodies:\n"
                                    "  - name: frame\n"
                                    "    hinge: {type: fixed}\n"
                                    "    frame:\n"
                                    "      material: steel\n"
                                    "      section: {type: tube, diameter: 0.1, wall: 0.01}\n"
                                    "      joints: {root: [0, 0, 0], a: [-2, 0, 2], b: [2, 0, 2]}\n"
                                    "      members: [{joints: [root, a]}, {joints: [root, b]}]\n"
                                    "      modes: {fixed: [root], count: 1}\n"
                                    "run: {duration: 0.001}\n"
                                    "view: {camera: {from: [0, -10, 0]}}\n");
    p = draw(frame, NULL);
    assert_int_not_equal(look(p, -1, 1), 'w');
    assert_int_not_equal(look(p, 1, 1), 'w');
    // no member goes from a to b
    assert_int_equal(look(p, 0, 2), 'w');
}

// ---- robots --------------------------------------------------------------------------------------

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static char *in_folder(const char *file, const char *name, char path[600])
{
    snprintf(path, 600, "%.500s", file);
    snprintf(strrchr(path, '/') + 1, 80, "%s", name);
    return path;
}

static const char robot_format[] =
    "<robot name=\"bot\">"
    "<material name=\"other\"><color rgba=\"0 0 1 1\"/></material>"
    "<material name=\"paint\"><color rgba=\"1 0 0 1\"/></material>"
    "<link name=\"base\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" "
    "ixy=\"0\" "
    "ixz=\"0\" iyz=\"0\"/></inertial><visual>%s</visual></link></robot>";

// The picture of a robot with this visual.
static const picture *draw_visual(const char *visual)
{
    char robot[1024], result[600];
    snprintf(robot, sizeof robot, robot_format, visual);
    const char *file = lb_write_file("bot.urdf", robot);
    in_folder(file, "bot.h5", result);
    lb_cli_run run = lb_run(NULL, "run", file, "--floating", "--duration", "0.01", "--quiet",
                            "--output", result);
    assert_string_equal(run.err, "");
    lb_end_run(&run);
    const picture *p = draw(result, (const char *const[]){"--to", "0", NULL});
    remove(result);
    return p;
}

// The hue of what a robot with this visual shows at the middle of its picture, and how much there is of it.
static char see_visual(const char *visual, int *count)
{
    const picture *p = draw_visual(visual);
    *count = count_hue(p, 'r') + count_hue(p, 'g') + count_hue(p, 'b');
    return get_hue(p->rgb[SIDE / 2][SIDE / 2]);
}

static void visuals_have_their_form_and_colour(void **state)
{
    (void)state;
    // a tetrahedron of one metre, as a binary STL, and a cube as OBJ, with faces of four corners
    unsigned char stl[84 + 4 * 50] = "binary";
    static const float corners[4][3] = {{1, 0, -1}, {-1, 1, -1}, {-1, -1, -1}, {0, 0, 1}};
    static const int faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    stl[80] = 4;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            memcpy(stl + 84 + 50 * i + 12 + 12 * k, corners[faces[i][k]], 12);
        }
    }
    static const char obj[] =
        "# a cube\r\nv -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\n"
        "v -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\nvn 0 0 1\nf 1 2 3 4\n"
        "f -4 -3 -2 -1\nf 1/1 2/2 6/3\t5/4\nf 3//1 4//1 8//1 7//1\r\nf 1 4 8 5\nf 2 3 7 6";
    char path[600], long_obj[600];
    const char *any = lb_write_file("cube.obj", obj);
    write_bytes(in_folder(any, "tip.STL", path), stl, sizeof stl);
    snprintf(long_obj, sizeof long_obj,
             "<geometry><mesh filename=\"file://%.400s\" scale=\"0.5 0.5 0.5\"/>"
             "</geometry><material name=\"paint\"/>",
             any);
    const struct {
        const char *visual;
        char hue;
    } cases[] = {
        {"<geometry><box size=\"2 2 2\"/></geometry><material name=\"m\"><color rgba=\"0 1 0 "
         "1\"/></material>",
         'g'},
        {"<geometry><cylinder radius=\"1\" length=\"2\"/></geometry><material name=\"paint\"/>",
         'r'},
        {"<geometry><sphere radius=\"1\"/></geometry><material name=\"other\"/>", 'b'},
        {"<geometry><mesh filename=\"tip.STL\"/></geometry><material name=\"paint\"/>", 'r'},
        {"<geometry><mesh filename=\"model://bot/cube.obj\"/></geometry><material name=\"other\"/>",
         'b'},
        {long_obj, 'r'},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        int count;
        const char hue = see_visual(cases[i].visual, &count);
        if (hue != cases[i].hue || count < 1000) {
            fail_msg("%s: %c in %d pixels", cases[i].visual, hue, count);
        }
    }
    remove(in_folder(any, "tip.STL", path));
}

// A beam of 40 m at a body whose frame is beside it: the camera takes in what meshes reach, not only nodes.
static void a_mesh_far_from_its_body_fits_the_picture(void **state)
{
    (void)state;
    lb_write_file("beam.obj", "v 20 0 0\nv 60 0 0\nv 60 0 4\nv 20 0 4\nf 1 2 3 4\n");
    const picture *p =
        draw_visual("<geometry><mesh filename=\"beam.obj\"/></geometry><material name=\"paint\"/>");
    assert_true(count_hue(p, 'r') > 300);
    for (int i = 0; i < SIDE; ++i) {
        assert_int_not_equal(get_hue(p->rgb[0][i]), 'r');
        assert_int_not_equal(get_hue(p->rgb[SIDE - 1][i]), 'r');
        assert_int_not_equal(get_hue(p->rgb[i][0]), 'r');
        assert_int_not_equal(get_hue(p->rgb[i][SIDE - 1]), 'r');
    }
}

// Meshes that are no meshes are named, and a box stands in for them.
static void broken_meshes_are_left_out_with_a_word(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } meshes[] = {
        {"short.stl", "binary"},
        {"none.stl", "solid nothing\nendsolid\n"},
        {"two.stl", "solid x\nvertex 0 0 0\nvertex 1 0 0\nendsolid\n"},
        {"words.stl", "solid x\nvertex a b c\nvertex 1 0 0\nvertex 0 1 0\nendsolid\n"},
        {"nan.stl", "solid x\nvertex nan 0 0\nvertex 1 0 0\nvertex 0 1 0\nendsolid\n"},
        {"points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"},
        {"faces.obj", "f 1 2 3\n"},
        {"edges.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n"},
        {"words.obj", "v a b c\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
        {"letters.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf a b c\n"},
        {"before.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -9 2 3\n"},
        {"mesh", "v 0 0 0\n"},
        {"faces.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nfo 1 2 3\n"},
        // a binary file whose number of triangles, of four letters, is beyond its length
        {"letters.stl", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                        "xxxxxxxxxxxxxx"},
        {"empty.obj", ""},
    };
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; ++i) {
        char robot[1024], visual[200], result[600], mesh[600], says[120];
        snprintf(visual, sizeof visual, "<geometry><mesh filename=\"%s\"/></geometry>",
                 meshes[i].name);
        snprintf(robot, sizeof robot, robot_format, visual);
        const char *file = lb_write_file("broken.urdf", robot);
        write_bytes(in_folder(file, meshes[i].name, mesh), meshes[i].text, strlen(meshes[i].text));
        in_folder(file, "broken.h5", result);
        lb_cli_run run = lb_run(NULL, "run", file, "--floating", "--duration", "0.01", "--quiet",
                                "--output", result);
        assert_string_equal(run.err, "");
        lb_end_run(&run);
        run = lb_run(NULL, "view", result, "--output", "-");
        snprintf(says, sizeof says, "1 mesh is not drawn: %s: ", meshes[i].name);
        if (run.status != 0 || !strstr(run.out, says) || strstr(run.out, "\"kind\":\"mesh\"") ||
            !strstr(run.out, "\"kind\":\"box\"")) {
            fail_msg("%s: %d, %s", meshes[i].name, run.status, run.err);
        }
        lb_end_run(&run);
        remove(mesh);
        remove(result);
    }
}

// Visuals that say too little are left out, and the body is the box of its inertia.
static void visuals_without_sizes_are_left_out(void **state)
{
    (void)state;
    static const char *const visuals[] = {"<geometry><box size=\"1 one 1\"/></geometry>",
                                          "<geometry><box size=\"1 inf 1\"/></geometry>",
                                          "<geometry><cylinder radius=\"1\"/></geometry>",
                                          "<geometry><cylinder length=\"1\"/></geometry>",
                                          "<geometry><sphere/></geometry>",
                                          "<geometry><mesh/></geometry>",
                                          "<geometry/>",
                                          "<origin xyz=\"0 0 0\"/>"};
    for (size_t i = 0; i < sizeof visuals / sizeof *visuals; ++i) {
        char robot[1024], result[600];
        snprintf(robot, sizeof robot, robot_format, visuals[i]);
        const char *file = lb_write_file("little.urdf", robot);
        in_folder(file, "little.h5", result);
        lb_cli_run run = lb_run(NULL, "run", file, "--floating", "--duration", "0.01", "--quiet",
                                "--output", result);
        assert_int_equal(run.status, 0);
        lb_end_run(&run);
        run = lb_run(NULL, "view", result, "--output", "-");
        if (run.status != 0 || !strstr(run.out, "\"shapes\":[{\"kind\":\"box\"")) {
            fail_msg("%s: %d %s", visuals[i], run.status, run.err);
        }
        lb_end_run(&run);
        remove(result);
    }
}

// ---- clips ---------------------------------------------------------------------------------------

// A stand-in for ffmpeg that keeps what it is told and given: a clip of two frames of 18 by 16 pixels. The
// real one takes the same words.
static void clips_go_to_ffmpeg_frame_by_frame(void **state)
{
    (void)state;
    static const char script[] = "#!/bin/sh\n"
                                 "for last; do :; done\n"
                                 "echo \"$*\" > \"${0%/*}/told\"\n"
                                 "cat > \"$last\"\n"
                                 "exit ${FFMPEG_STATUS:-0}\n";
    char tool[600], told[600], clip[600], path[5000], line[2000] = "";
    snprintf(tool, sizeof tool, "%s", lb_write_file("ffmpeg", script));
    assert_int_equal(chmod(tool, 0700), 0);
    in_folder(tool, "told", told);
    in_folder(tool, "clip.mp4", clip);
    const char *old = getenv("PATH");
    char folder[600];
    snprintf(folder, sizeof folder, "%s", tool);
    *strrchr(folder, '/') = 0;
    snprintf(path, sizeof path, "%s:%.4000s", folder, old ? old : "/usr/bin:/bin");
    char *kept = strdup(old ? old : "");
    setenv("PATH", path, 1);
    const char *const words[] = {"render", lb_get_swing(), "-o", clip,   "--size", "17x16", "--fps",
                                 "1",      "--speed",      "1",  "--to", "1",      NULL};
    lb_cli_run run = lb_run_cli(NULL, words);
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    FILE *file = fopen(told, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_non_null(strstr(line, "-pix_fmt bgr0"));
    assert_non_null(strstr(line, "18x16"));
    struct stat about;
    assert_int_equal(stat(clip, &about), 0);
    assert_int_equal(about.st_size, 2 * 18 * 16 * 4);

    // a failure of its own leaves the clip that was there
    setenv("FFMPEG_STATUS", "3", 1);
    const char *const again[] = {"render", lb_get_swing(), "-o", clip, "--size", "32x32", NULL};
    run = lb_run_cli(NULL, again);
    assert_non_null(strstr(run.err, "ffmpeg could not write"));
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
    assert_int_equal(stat(clip, &about), 0);
    assert_int_equal(about.st_size, 2 * 18 * 16 * 4);
    unsetenv("FFMPEG_STATUS");
    run = lb_run(NULL, "render", lb_get_swing(), "-o", "/nowhere/clip.mp4");
    assert_non_null(strstr(run.err, "/nowhere/clip.mp4"));
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
    setenv("PATH", kept, 1);
    free(kept);
    remove(clip);
    remove(told);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_stand_where_the_model_puts_them),
        cmocka_unit_test(rods_and_traces_are_drawn),
        cmocka_unit_test(the_camera_finds_what_moves),
        cmocka_unit_test(bending_is_drawn_as_large_as_asked_for),
        cmocka_unit_test(panels_and_frames_have_their_shapes),
        cmocka_unit_test(visuals_have_their_form_and_colour),
        cmocka_unit_test(a_mesh_far_from_its_body_fits_the_picture),
        cmocka_unit_test(broken_meshes_are_left_out_with_a_word),
        cmocka_unit_test(visuals_without_sizes_are_left_out),
        cmocka_unit_test(clips_go_to_ffmpeg_frame_by_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
