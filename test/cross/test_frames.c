// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Beams and frames by two roads: one body against many, modes against statics, closed frames against
// formulas, sparse against dense.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beams.h"
#include "limber/limber.h"
#include "run_cli.h"

// ---- statics and truncation --------------------------------------------------------------------

// Deflection of the tip along y per unit force there, of motion at a frequency: sum of
// phi^2 / (omega^2 - w^2).
static double get_tip_response(const lb_flex_body *body, double w)
{
    const lb_flex_node *tip = lb_get_flex_node(body, "tip");
    double sum = 0.0;
    for (int r = 0; r < lb_get_flex_options(body)->mode_count; ++r) {
        const double phi = tip->shape[6 * r + 4], omega = lb_get_frequency(body, r);
        sum += phi * phi / (omega * omega - w * w);
    }
    return sum;
}

static void one_correction_makes_the_static_deflection_exact(void **state)
{
    (void)state;
    for (int timoshenko = 0; timoshenko < 2; ++timoshenko) {
        const lb_correction load = {.at = "tip", .force = {0, 3, 0}};
        lb_beam_options options = lb_make_square_beam();
        lb_modes_options modes = *options.modes;
        options.modes = &modes;
        options.theory = timoshenko ? LB_THEORY_TIMOSHENKO : LB_THEORY_EULER_BERNOULLI;
        modes.count = 2;
        modes.corrections = &load;
        modes.correction_count = 1;
        lb_flex_body *body = lb_make_beam(&options);
        const double EI = 2.1e11 * 1e-4 / 12, GA = 2.1e11 / 2.6 * 0.01 * 5 / 6;
        const double exact = 1 / (3 * EI) + timoshenko / GA;
        lb_expect_near("deflection", get_tip_response(body, 0.0), exact, 1e-9);
        lb_destroy_flex_body(body);
    }
}

static void more_modes_bring_the_response_closer(void **state)
{
    (void)state;
    lb_beam_options options = lb_make_square_beam();
    lb_modes_options modes = *options.modes;
    options.modes = &modes;
    modes.motions = LB_MOTION_Y;
    options.element_count = 120;
    modes.count = 60;
    // between the first two frequencies
    const double w = 1500;
    lb_flex_body *body = lb_make_beam(&options);
    const double exact = get_tip_response(body, w);
    double before = INFINITY;
    lb_destroy_flex_body(body);
    for (int n = 2; n <= 16; n *= 2) {
        modes.count = n;
        body = lb_make_beam(&options);
        const double gap = fabs(get_tip_response(body, w) / exact - 1);
        // what is left out falls with the cube of the number of modes: by 8 at least
        assert_true(gap < before / 6);
        before = gap;
        lb_destroy_flex_body(body);
    }
    assert_true(before < 1e-4);
}

// ---- cut into bodies ---------------------------------------------------------------------------

// Frequencies of a cantilever in y, of pieces on fixed hinges at the tips of one another. Their modes
// are those of Craig and Bampton: clamped modes alone would leave every joint without a moment.
static void find_frequencies(int pieces, int count, double *omega)
{
    static const char *const tip[] = {"tip"};
    lb_beam_options options = lb_make_square_beam();
    lb_modes_options modes = *options.modes;
    options.modes = &modes;
    options.length /= pieces;
    options.element_count = 64 / pieces;
    options.rotary = 0;
    modes.type = LB_MODES_CRAIG_BAMPTON;
    modes.motions = LB_MOTION_Y;
    modes.count = 2;
    modes.interfaces = tip;
    modes.interface_count = 1;
    lb_flex_body *body = lb_make_beam(&options);
    lb_builder *builder = lb_create_builder(NULL, NULL);
    for (int i = 0; i < pieces; ++i) {
        char name[2][16];
        lb_body_options piece = lb_default_body_options();
        snprintf(name[0], sizeof name[0], "p%d", i);
        snprintf(name[1], sizeof name[1], "p%d", i - 1);
        piece.name = name[0];
        piece.parent = i > 0 ? name[1] : NULL;
        piece.at = i > 0 ? "tip" : NULL;
        piece.flex = lb_get_flex_options(body);
        lb_expect_ok(lb_add_body(builder, &piece, NULL));
    }
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_find_spinning(model, lb_get_v_count(model), NULL, count, omega);
    lb_destroy_builder(builder);
    lb_destroy_flex_body(body);
    lb_destroy_model(model);
}

static void pieces_have_the_frequencies_of_the_whole(void **state)
{
    (void)state;
    enum { COUNT = 3 };
    // roots of cos b cosh b = -1
    static const double roots[COUNT] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
    const double scale = sqrt(2.1e11 * 1e-4 / 12 / 78.5);
    double before = 1.0;
    for (int pieces = 2; pieces <= 8; pieces *= 2) {
        double cut[COUNT], gap = 0.0;
        find_frequencies(pieces, COUNT, cut);
        for (int k = 0; k < COUNT; ++k) {
            gap = fmax(gap, fabs(cut[k] / (scale * roots[k] * roots[k]) - 1));
        }
        assert_true(gap < before / 2);
        before = gap;
    }
    assert_true(before < 1e-5);
}

// ---- frames in spin ----------------------------------------------------------------------------

#define PARTS                                                                                      \
    "limber: 1\nlibrary:\n  materials: {m: {E: 7.0e+10, nu: 0.3, rho: 2700}}\n"                    \
    "  sections: {s: {type: rectangle, width: 0.05, height: 0.03}}\nbodies:\n"                     \
    "  - {name: hub, mass: 1, inertia: [1, 1, 1, 0, 0, 0], "                                       \
    "hinge: {type: revolute, axis: [0, 0, 1]}}\n"

static void write_frame(char *text, const char *more)
{
    sprintf(text,
            PARTS
            "  - name: ell\n    parent: hub\n    hinge: {type: fixed}\n"
            "    frame:\n      joints: {root: [0, 0, 0], elbow: [2, 0, 0], tip: [2, 1, 0.5]}\n"
            "      section: s\n      material: m\n      modes: 20\n%s"
            "      members: [{joints: [root, elbow]}, {joints: [elbow, tip]}]\n",
            more);
}

// The same in 2 x 4 bodies, each of which deforms little against its own frame.
static void write_pieces(char *text)
{
    enum { PIECES = 4 };
    const double lengths[2] = {2.0, sqrt(1.25)};
    // axes of the second member: x along (0, 1, 0.5), z towards up, as a quaternion
    const double x[3] = {0, 1 / sqrt(1.25), 0.5 / sqrt(1.25)};
    const double R[3][3] = {{0, -1, 0}, {x[1], 0, -x[2]}, {x[2], 0, x[1]}};
    const double w = 0.5 * sqrt(1 + R[0][0] + R[1][1] + R[2][2]);
    text += sprintf(text, PARTS);
    for (int i = 0; i < 2 * PIECES; ++i) {
        char parent[64] = "hub";
        if (i > 0) {
            sprintf(parent, "p%d\n    at: tip", i - 1);
        }
        if (i == PIECES) {
            text +=
                sprintf(text,
                        "  - {name: elbow, parent: p%d, at: tip, hinge: {type: fixed}, mass: 0, "
                        "nodes: {out: {rotation: [%.17g, %.17g, %.17g, %.17g]}}}\n",
                        i - 1, w, (R[2][1] - R[1][2]) / (4 * w), (R[0][2] - R[2][0]) / (4 * w),
                        (R[1][0] - R[0][1]) / (4 * w));
            sprintf(parent, "elbow\n    at: out");
        }
        text += sprintf(text,
                        "  - name: p%d\n    parent: %s\n    hinge: {type: fixed}\n"
                        "    beam:\n      length: %.17g\n      section: s\n      material: m\n"
                        "      elements: 8\n      modes:\n        count: 2\n"
                        "        corrections:\n",
                        i, parent, lengths[i / PIECES] / PIECES);
        for (int k = 0; k < 6; ++k) {
            text += sprintf(text, "          - {at: tip, %s: [%d, %d, %d]}\n",
                            k < 3 ? "force" : "moment", k % 3 == 0, k % 3 == 1, k % 3 == 2);
        }
    }
}

// Squared frequencies, rad/s, about the steady spin.
static void find_squares(const char *text, const char *spin, int count, double *squares)
{
    const char *path = lb_write_file("spin.yaml", text);
    lb_cli_run run = lb_run(NULL, "modes", path, "--spin", spin, "--csv");
    assert_int_equal(run.status, 0);
    char *line = run.out;
    for (int i = 0; i < count; ++i) {
        double frequency = 0;
        line = strchr(line, '\n') + 1;
        assert_int_equal(sscanf(line, "%*d,oscillation,%lf", &frequency), 1);
        squares[i] = pow(2 * 3.14159265358979323846 * frequency, 2);
    }
    lb_end_run(&run);
}

// An L that does not lie in a plane with the axis stiffens as its pieces do, which know of no
// second-order displacement through joints: they turn.
static void spinning_frame_stiffens_as_its_pieces_do(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    static char text[3][20000];
    double rest[3][COUNT], spun[3][COUNT];
    write_frame(text[0], "");
    write_pieces(text[1]);
    write_frame(text[2], "      second_order: false\n");
    for (int i = 0; i < 3; ++i) {
        find_squares(text[i], "hub=0", COUNT, rest[i]);
        find_squares(text[i], "hub=2", COUNT, spun[i]);
        for (int k = 0; k < COUNT; ++k) {
            spun[i][k] = (spun[i][k] - rest[i][k]) / 4;
        }
    }
    lb_expect_close("at rest", rest[0], rest[1], COUNT, 1e-5);
    // what remains is the stiffening of the pieces at their own ends: it falls with their number
    for (int k = 0; k < COUNT; ++k) {
        lb_expect_below("stiffening", spun[0][k] - spun[1][k], 0.04 * fabs(spun[1][k]));
    }
    assert_true(spun[2][0] < 0 && spun[1][0] > 1);
}

// ---- closed frames -----------------------------------------------------------------------------

// Clamped at both ends, a beam that bends must stretch. It does so evenly:
//
//     u2(x) = -1/2 (integral to x of phi'^2 - x/L integral of all)
static void beam_between_clamps_stretches_evenly(void **state)
{
    (void)state;
    static const char *const ends[] = {"root", "tip"};
    const lb_beam_node nodes[] = {{"quarter", 0.25}, {"middle", 0.5}, {"last", 0.75}};
    lb_beam_options options = lb_make_square_beam();
    lb_modes_options modes = *options.modes;
    options.modes = &modes;
    options.nodes = nodes;
    options.node_count = 3;
    options.rotary = 0;
    modes.count = 1;
    modes.motions = LB_MOTION_Y;
    modes.fixed = ends;
    modes.fixed_count = 2;
    lb_flex_body *body = lb_make_beam(&options);
    const lb_flex_node *quarter = lb_get_flex_node(body, "quarter"),
                       *middle = lb_get_flex_node(body, "middle"),
                       *last = lb_get_flex_node(body, "last");
    assert_int_equal(quarter->second_order_count, 1);
    const double g = quarter->second_order[0].g[0];
    // the exact shape cosh - cos - s (sinh - sin), scaled to its value in the middle
    const double b = 4.730040744862704, s = (cosh(b) - cos(b)) / (sinh(b) - sin(b));
    double integral[2] = {0, 0};
    for (int i = 0; i < 4000; ++i) {
        const double x = b * (i + 0.5) / 4000;
        const double slope = b * (sinh(x) + sin(x) - s * (cosh(x) - cos(x)));
        integral[i >= 1000] += slope * slope / 4000;
    }
    const double h = b / 2, top = cosh(h) - cos(h) - s * (sinh(h) - sin(h));
    const double scale = middle->shape[4] / top;
    const double exact = -scale * scale * (integral[0] - 0.25 * (integral[0] + integral[1]));
    lb_expect_near("quarter", g, exact, 1e-4);
    lb_expect_near("antisymmetric", last->second_order[0].g[0], -g, 1e-9);
    if (middle->second_order_count > 0) {
        lb_expect_below("middle", middle->second_order[0].g[0], 1e-9 * fabs(g));
    }
    lb_destroy_flex_body(body);
}

// A square ring held at one corner, closed or with its last member so thin that it is open: the open
// one is a tree.
static void ring_with_a_thin_member_is_a_tree(void **state)
{
    (void)state;
    const lb_material steel = {2.1e11, 8.1e10, 7850};
    const lb_section bar = {
        .size = sizeof bar, .type = LB_SECTION_RECTANGLE, .width = 0.02, .height = 0.02};
    const lb_section thread = {.size = sizeof thread, .A = 1e-15, .Iy = 1e-22, .Iz = 1e-22};
    lb_joint joints[4];
    static const char *const names[] = {"root", "b", "c", "d"};
    static const double places[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    lb_member members[4];
    for (int i = 0; i < 4; ++i) {
        joints[i] = lb_default_joint();
        joints[i].name = names[i];
        memcpy(joints[i].position, places[i], sizeof places[i]);
        members[i] = (lb_member){.size = sizeof(lb_member),
                                 .joints = {names[i], names[(i + 1) % 4]},
                                 .section = i == 3 ? &thread : &bar,
                                 .material = steel,
                                 .element_count = i == 3 ? 1 : 8};
    }
    lb_frame_options options = lb_default_frame_options();
    lb_modes_options modes = lb_default_modes_options();
    options.modes = &modes;
    options.joints = joints;
    options.joint_count = 4;
    options.members = members;
    modes.count = 4;
    lb_flex_body *bodies[2];
    for (int closed = 0; closed < 2; ++closed) {
        options.member_count = 3 + closed;
        bodies[closed] = lb_make_frame(&options);
    }
    for (int r = 0; r < 4; ++r) {
        lb_expect_near("frequency", lb_get_frequency(bodies[1], r), lb_get_frequency(bodies[0], r),
                       1e-6);
    }
    for (int i = 1; i < 4; ++i) {
        const lb_flex_node *open = lb_get_flex_node(bodies[0], names[i]);
        const lb_flex_node *ring = lb_get_flex_node(bodies[1], names[i]);
        double G[2][16][3] = {{{0}}};
        for (int k = 0; k < open->second_order_count; ++k) {
            const lb_second_order *e = &open->second_order[k];
            memcpy(G[0][4 * e->r + e->s], e->g, sizeof e->g);
        }
        for (int k = 0; k < ring->second_order_count; ++k) {
            const lb_second_order *e = &ring->second_order[k];
            memcpy(G[1][4 * e->r + e->s], e->g, sizeof e->g);
        }
        // 1e-5: the stiffness spans ten orders of magnitude
        lb_expect_close("second order", G[1][0], G[0][0], 48, 1e-5);
    }
    lb_destroy_flex_body(bodies[0]);
    lb_destroy_flex_body(bodies[1]);
}

// ---- large frames ------------------------------------------------------------------------------

// A grid of bars, n by n fields, held at a corner.
static lb_flex_body *make_grid(int n, int elements, int mode_count)
{
    const int side = n + 1, joint_count = side * side, member_count = 2 * n * side;
    const lb_section tube = {
        .size = sizeof tube, .type = LB_SECTION_TUBE, .diameter = 0.01, .wall = 0.001};
    lb_joint *joints = calloc((size_t)joint_count, sizeof *joints);
    lb_member *members = calloc((size_t)member_count, sizeof *members);
    char(*names)[16] = calloc((size_t)joint_count, sizeof *names);
    int count = 0;
    for (int i = 0; i < joint_count; ++i) {
        snprintf(names[i], sizeof names[i], i == 0 ? "root" : "j%d", i);
        joints[i] = lb_default_joint();
        joints[i].name = names[i];
        joints[i].position[0] = 0.1 * (i % side);
        joints[i].position[1] = 0.11 * (i / side);
    }
    for (int i = 0; i < joint_count; ++i) {
        for (int way = 0; way < 2; ++way) {
            if (way == 0 ? i % side == n : i / side == n) {
                continue;
            }
            members[count] = (lb_member){.size = sizeof(lb_member),
                                         .joints = {names[i], names[i + (way == 0 ? 1 : side)]},
                                         .section = &tube,
                                         .material = {7e10, 2.6e10, 2700},
                                         .element_count = elements};
            ++count;
        }
    }
    assert_int_equal(count, member_count);
    lb_frame_options options = lb_default_frame_options();
    lb_modes_options modes = lb_default_modes_options();
    options.modes = &modes;
    options.joints = joints;
    options.joint_count = joint_count;
    options.members = members;
    options.member_count = member_count;
    modes.count = mode_count;
    lb_flex_body *body = lb_make_frame(&options);
    free(joints);
    free(members);
    free(names);
    return body;
}

// 3 x 3 fields have 90 unknowns and are solved densely; finer ones by Lanczos.
static void sparse_and_dense_agree(void **state)
{
    (void)state;
    lb_flex_body *dense = make_grid(3, 4, 6), *sparse = make_grid(3, 8, 6);
    assert_true(lb_summarize_body(dense).dof_count < 600);
    assert_true(lb_summarize_body(sparse).dof_count > 700);
    for (int r = 0; r < 6; ++r) {
        lb_expect_near("frequency", lb_get_frequency(sparse, r), lb_get_frequency(dense, r), 1e-5);
        const double *a = lb_get_flex_node(dense, "j15")->shape + 6 * r;
        const double *b = lb_get_flex_node(sparse, "j15")->shape + 6 * r;
        lb_expect_close("shape", b, a, 6, 1e-4);
    }
    lb_destroy_flex_body(dense);
    lb_destroy_flex_body(sparse);
}

static void twenty_thousand_dofs_are_solved_and_the_same_twice(void **state)
{
    (void)state;
    lb_flex_body *once = make_grid(32, 2, 8), *twice = make_grid(32, 2, 8);
    assert_true(lb_summarize_body(once).dof_count > 19000);
    for (int r = 0; r < 8; ++r) {
        assert_true(lb_get_frequency(once, r) == lb_get_frequency(twice, r));
    }
    lb_destroy_flex_body(once);
    lb_destroy_flex_body(twice);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_correction_makes_the_static_deflection_exact),
        cmocka_unit_test(more_modes_bring_the_response_closer),
        cmocka_unit_test(pieces_have_the_frequencies_of_the_whole),
        cmocka_unit_test(spinning_frame_stiffens_as_its_pieces_do),
        cmocka_unit_test(beam_between_clamps_stretches_evenly),
        cmocka_unit_test(ring_with_a_thin_member_is_a_tree),
        cmocka_unit_test(sparse_and_dense_agree),
        cmocka_unit_test(twenty_thousand_dofs_are_solved_and_the_same_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
