// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Robots whose meshes, materials and shapes are odd: what can be drawn is drawn, the rest is counted.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"

enum { MOST = 1 << 14 };

// A binary STL file of `length` bytes that says it has `count` triangles.
static void write_binary(const char *name, unsigned count, size_t length)
{
    unsigned char bytes[512] = {0};
    for (int i = 0; i < 4; ++i) {
        bytes[80 + i] = (unsigned char)(count >> 8 * i);
    }
    FILE *file = fopen(lb_write_file(name, ""), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static const struct {
    const char *name, *text; // NULL for what is written otherwise
    bool is_good;
} meshes[] = {
    {"good.obj", "# a comment\nv 0 0 0\nv 1 0 0\n\nv 0 1 0\nv 1 1 0\nvn 0 0 1\nf 1/1 2/2 3 -1\n",
     true},
    {"return.obj", "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3 \r\n", true},
    {"good.stl", "solid x\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\nendsolid\n",
     true},
    {"empty.obj", "", false},
    {"no_faces.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", false},
    {"no_points.obj", "f 1 2 3\n", false},
    {"two_corners.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", false},
    {"far.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", false},
    {"before.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -9\n", false},
    {"words.obj", "v 0 0 0\nv 1 here 0\nv 0 1 0\nf 1 2 3\n", false},
    {"letters.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf a b c\n", false},
    {"few.stl", "solid x\nvertex 0 0 0\nvertex 1 0 0\n", false},
    {"words.stl", "solid x\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 up 0\n", false},
    {"none.stl", NULL, false},
    {"many.stl", NULL, false},
    {"cut.stl", NULL, false},
    {"short.stl", NULL, false},
    {"binary.stl", NULL, true},
    {".", NULL, false},
    {"gone.stl", NULL, false},
    {"good.dae",
     "<COLLADA><library_geometries><geometry><mesh><source id='s'><float_array>0 0 0 1 0 0 0 1 0"
     "</float_array></source><vertices id='v'><input semantic='POSITION' source='#s'/></vertices>"
     "<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles></mesh>"
     "</geometry></library_geometries></COLLADA>",
     true},
    {"empty.dae", "<COLLADA/>", false},
    {"cut.dae", "<COLLADA><library_geometries>", false},
    {"other.dae", "<robot/>", false},
    {"entity.dae", "<!DOCTYPE COLLADA [<!ENTITY a 'b'>]><COLLADA/>", false},
    {"far.dae",
     "<COLLADA><library_geometries><geometry><mesh><source id='s'><float_array>0 0 0 1 0 0 0 1 0"
     "</float_array></source><vertices id='v'><input semantic='POSITION' source='#s'/></vertices>"
     "<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 3</p></triangles></mesh>"
     "</geometry></library_geometries></COLLADA>",
     false},
    {"endless.dae",
     "<COLLADA><library_nodes><node id='n'><instance_node url='#n'/><instance_node url='#n'/>"
     "</node></library_nodes><library_visual_scenes><visual_scene><instance_node url='#n'/>"
     "</visual_scene></library_visual_scenes></COLLADA>",
     false},
    {"shape.3ds", "3D", false},
};

static void what_cannot_be_drawn_is_counted(void **state)
{
    (void)state;
    static char text[MOST];
    int missing = 0; // one without a name is left out as other visuals that say too little
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "<robot name='r'><!-- of all kinds -->\n"
        "<material name='red'><color rgba='1 0 0 1'/></material><material name='bare'/>\n"
        "<material><color rgba='0 1 0 1'/></material>\n"
        "<link name='base'/>\n"
        "<link name='arm'><!-- visuals follow -->\n"
        "<inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>\n"
        "<visual/><visual><geometry/></visual>\n"
        "<visual><geometry><box size='1 1'/></geometry></visual>\n"
        "<visual><geometry><box size='1 1 1'/></geometry><material name='red'/></visual>\n"
        "<visual><geometry><sphere radius='1'/></geometry><material name='bare'/></visual>\n"
        "<visual><geometry><sphere radius='x'/></geometry></visual>\n"
        "<visual><geometry><cylinder radius='1'/></geometry></visual>\n"
        "<visual><geometry><cylinder radius='1' length='2'/></geometry>"
        "<material name='unknown'/></visual>\n"
        "<visual><geometry><mesh/></geometry></visual>\n");
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; ++i) {
        if (meshes[i].text) {
            lb_write_file(meshes[i].name, meshes[i].text);
        }
        missing += !meshes[i].is_good;
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "<visual><geometry><mesh filename='%s%s' scale='1 2 1'/></geometry></visual>\n",
            i % 3 ? "" : "package://r/", meshes[i].name);
    }
    write_binary("none.stl", 0, 84);
    write_binary("many.stl", 4000000000u, 200);
    write_binary("cut.stl", 3, 84 + 100);
    write_binary("short.stl", 1, 20);
    write_binary("binary.stl", 2, 84 + 100);
    used += (size_t)snprintf(
        text + used, sizeof text - used,
        "</link>\n<joint name='j' type='revolute'><parent link='base'/><child link='arm'/>\n"
        "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>\n"
        "</robot>\n");
    assert_true(used + 1 < sizeof text);
    const char *robot = lb_write_file("robot.urdf", text), *result = lb_write_file("robot.h5", ""),
               *png = lb_write_file("robot.png", "");
    lb_cli_run run = lb_run(NULL, "run", robot, "--duration=0.1", "--quiet", "--output", result);
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    run = lb_run(NULL, "render", result, "--output", png, "--size=64x40");
    char expected[64];
    snprintf(expected, sizeof expected, "limber: %d meshes are not drawn, such as ", missing);
    if (run.status != 0 || strncmp(run.err, expected, strlen(expected)) != 0) {
        fail_msg("expected '%s', found %d '%s'", expected, run.status, run.err);
    }
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_drawn_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
