// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Meshes as shapes of a model file: Collada beside OBJ, robots before and after they are converted, and what is wrong.
#define _POSIX_C_SOURCE 200809L // mkdir
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "run_cli.h"

// A wedge, as OBJ in metres at its place.
static const char wedge[] = "v 2 0 0\nv 4 0 0\nv 4 1 0\nv 2 1 0\nv 2 0 1\nv 2 1 1\n"
                            "f 4 3 2 1\nf 1 2 5\nf 3 4 6\nf 2 3 6 5\nf 1 5 6 4\n";

// The same in millimetres, halved and shifted by its nodes, in groups of each kind; a normal before each vertex.
static const char collada[] =
    "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema'>"
    "<asset><unit meter='0.001' name='mm'/><up_axis>Y_UP</up_axis></asset>"
    "<library_effects><effect id='red-effect'><profile_COMMON><technique><lambert><diffuse>"
    "<color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect>"
    "</library_effects><library_materials><material id='red'><instance_effect "
    "url='#red-effect'/></material></library_materials>"
    "<library_geometries><geometry id='g'><mesh>"
    "<source id='s'><float_array>0 0 0 4000 0 0 4000 2000 0 0 2000 0 0 0 2000 0 2000 2000"
    "</float_array><technique_common><accessor stride='3'/></technique_common></source>"
    "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>"
    "<polygons material='paint'><input semantic='NORMAL' source='#x' offset='0'/>"
    "<input semantic='VERTEX' source='#v' offset='1'/><p>0 3 0 2 0 1 0 0</p></polygons>"
    "<triangles material='paint'><input semantic='NORMAL' source='#x' offset='0'/>"
    "<input semantic='VERTEX' source='#v' offset='1'/><p>1 0 1 1 1 4 2 2 2 3 2 5</p></triangles>"
    "<polylist material='paint'><input semantic='NORMAL' source='#x' offset='0'/>"
    "<input semantic='VERTEX' source='#v' offset='1'/><vcount>4 4</vcount>"
    "<p>3 1 3 2 3 5 3 4 4 0 4 4 4 5 4 3</p></polylist></mesh></geometry></library_geometries>"
    "<library_nodes><node id='part'><scale>0.5 0.5 0.5</scale><instance_geometry url='#g'>"
    "<bind_material><technique_common><instance_material symbol='paint' target='#red'/>"
    "</technique_common></bind_material></instance_geometry></node></library_nodes>"
    "<library_visual_scenes><visual_scene id='scene'><node><translate>2000 0 0</translate>"
    "<node><rotate>0 0 1 0</rotate><instance_node url='#part'/></node></node></visual_scene>"
    "</library_visual_scenes><scene><instance_visual_scene url='#scene'/></scene></COLLADA>";

static const char shapes[] =
    "limber: 1\nbodies:\n- {name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: fixed}}\n"
    "view:\n  shapes:\n  - {body: a, mesh: \"package://tools/%s\", scale: 0.5, position: [0, 1, 0],"
    " rotation: [0, 0, 0, 1], %s: \"%s\"}\n";

// Draws a mesh of a model file and returns the picture.
static char *draw(const char *mesh, const char *colour, size_t *size)
{
    char text[1024];
    // both spellings of the key are known
    snprintf(text, sizeof text, shapes, mesh, strstr(mesh, ".obj") ? "color" : "colour", colour);
    const char *model = lb_write_file("shapes.yaml", text), *png = lb_write_file("shapes.png", "");
    lb_cli_run run = lb_run(NULL, "render", model, "--output", png, "--size=160x120");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    FILE *file = fopen(png, "rb");
    char *bytes = calloc(1, 1 << 20);
    assert_true(file && bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void collada_is_drawn_as_the_same_points_in_obj(void **state)
{
    (void)state;
    size_t size[3];
    lb_write_file("wedge.obj", wedge);
    lb_write_file("wedge.dae", collada);
    char *obj = draw("wedge.obj", "#ff0000", &size[0]),
         *dae = draw("wedge.dae", "#0000ff", &size[1]),
         *blue = draw("wedge.obj", "#0000ff", &size[2]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(obj, dae, size[0]);
    assert_false(size[0] == size[2] && memcmp(obj, blue, size[0]) == 0);
    free(obj);
    free(dae);
    free(blue);
}

static void a_robot_looks_the_same_when_it_is_converted(void **state)
{
    (void)state;
    static const char robot[] =
        "<robot name='r'><material name='paint'><color rgba='0 0.5 1 1'/></material>"
        "<link name='base'><visual><geometry><box size='2 2 0.2'/></geometry></visual></link>"
        "<link name='arm'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
        "ixz='0' iyz='0'/></inertial><visual><origin xyz='0 0 1' rpy='0.3 0 0'/><geometry>"
        "<cylinder radius='0.2' length='2'/></geometry><material name='paint'/></visual></link>"
        "<link name='tool'><visual><geometry><mesh filename='package://r/wedge.obj' "
        "scale='1 0.5 0.5'/></geometry><material name='paint'/></visual>"
        "<visual><geometry><sphere radius='0.3'/></geometry></visual></link>"
        "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/>"
        "<axis xyz='0 1 0'/></joint><joint name='f' type='fixed'><parent link='arm'/>"
        "<child link='tool'/><origin xyz='0 0 2' rpy='0 0 0.5'/></joint></robot>";
    lb_write_file("wedge.obj", wedge);
    const char *from = lb_write_file("r.urdf", robot), *to = lb_write_file("r.yaml", "");
    lb_cli_run run = lb_run(NULL, "convert", from, to);
    assert_string_equal(run.err, "");
    lb_end_run(&run);
    char *pictures[2];
    long sizes[2];
    for (int i = 0; i < 2; ++i) {
        const char *png = lb_write_file("robot.png", "");
        run = lb_run(NULL, "render", i ? to : from, "--output", png, "--size=160x120");
        assert_string_equal(run.err, "");
        lb_end_run(&run);
        FILE *file = fopen(png, "rb");
        pictures[i] = calloc(1, 1 << 20);
        assert_true(file && pictures[i]);
        sizes[i] = (long)fread(pictures[i], 1, 1 << 20, file);
        fclose(file);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(pictures[0], pictures[1], (size_t)sizes[0]);
    free(pictures[0]);
    free(pictures[1]);
    // written elsewhere, it says that its mesh is not found there
    char folder[512], elsewhere[600];
    snprintf(folder, sizeof folder, "%.400s", from);
    strcpy(strrchr(folder, '/') + 1, "elsewhere");
    snprintf(elsewhere, sizeof elsewhere, "%s/r.yaml", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    run = lb_run(NULL, "convert", from, elsewhere);
    assert_non_null(strstr(run.err, "1 mesh that the model names is not there"));
    lb_end_run(&run);
    remove(elsewhere);
    rmdir(folder);
}

static void a_mesh_says_what_is_wrong_with_it(void **state)
{
    (void)state;
    static const struct {
        const char *shape, *says;
    } wrong[] = {
        {"mesh: 3", "view.shapes[0].mesh: expected a string"},
        {"mesh: a.stl, scale: [1, 2]", "view.shapes[0].scale"},
        {"sphere: 1, color: \"#ff0000\", colour: \"#ff0000\"",
         "view.shapes[0].color: both `colour` and `color` are given, expected one of them"},
        {"sphere: 1, color: red", "view.shapes[0].color: \"red\" given, expected a colour"},
        {"box: [1, 1, 1], scale: 2", "view.shapes[0].scale: only a mesh has a scale"},
        {"mesh: a.stl, box: [1, 1, 1]",
         "expected one of box, sphere, cylinder, tube, sheet and mesh"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n- {name: a, mass: 1, hinge: {type: fixed}}\n"
                 "view: {shapes: [{body: a, %s}]}\n",
                 wrong[i].shape);
        const char *model = lb_write_file("wrong.yaml", text);
        lb_cli_run run = lb_run(NULL, "check", model);
        if (run.status != 1 || !strstr(run.err, wrong[i].says)) {
            fail_msg("expected '%s', found %d '%s'", wrong[i].says, run.status, run.err);
        }
        lb_end_run(&run);
    }
    const char *model = lb_write_file(
                   "gone.yaml",
                   "limber: 1\nbodies:\n- {name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: "
                   "{type: free}}\n"
                   "view: {shapes: [{body: a, mesh: gone.stl}]}\n"),
               *png = lb_write_file("gone.png", "");
    lb_cli_run run = lb_run(NULL, "render", model, "--output", png, "--size=64x40");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "1 mesh is not drawn: gone.stl: there is no such file"));
    lb_end_run(&run);
    run = lb_run(NULL, "render", model, "--output", "gone.gif");
    assert_int_equal(run.status, 2);
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collada_is_drawn_as_the_same_points_in_obj),
        cmocka_unit_test(a_robot_looks_the_same_when_it_is_converted),
        cmocka_unit_test(a_mesh_says_what_is_wrong_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
