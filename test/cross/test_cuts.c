// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A mechanism may be cut at any of its joints: the same motion, the same forces, whichever joint is the loop.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "course.h"
#include "dynamics/loops/closed_chain.h"

enum { FORCE_MAX = 8, ROWS = 10 };

// What is compared: places of nodes, and norms of forces at joints, which no choice of axes changes.
typedef struct cut {
    const char *text;
    const char *nodes[3][2];
    // joints: the number of a loop, or "hinge" and its body; force or moment
    struct {
        const char *what, *body;
        int is_moment;
    } joints[FORCE_MAX];
} cut;

typedef struct row {
    double places[9], forces[FORCE_MAX];
} row;

static double get_norm(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double measure_joint(lb_course *course, const double *reactions, const cut *c, int j)
{
    const int at = c->joints[j].is_moment ? 0 : 3;
    if (!c->joints[j].body) {
        const int loop = c->joints[j].what[0] - '0';
        return get_norm(lb_get_simulation_loop_forces(course->simulation) + 6 * loop + at);
    }
    return get_norm(reactions + 6 * lb_find_body(course->model, c->joints[j].body) + at);
}

// Hinge reactions with what acts in the run: accelerations and loop forces are those of the state.
static void find_reactions(lb_course *c, const unsigned char *driven, double *reactions)
{
    double a[32], forces[64];
    lb_work *work = lb_create_work(c->model);
    memcpy(a, c->a, (size_t)c->v_count * sizeof *a); // of driven hinges they are given
    assert_true(lb_closed_forward(c->model, work, c->q, c->v, driven, NULL, a, NULL, forces) >= 0);
    lb_expect_ok(lb_compute_reactions(c->model, work, NULL, reactions));
    lb_destroy_work(work);
}

static void follow(const cut *c, const unsigned char *driven, double step, row *rows)
{
    lb_course course = lb_begin_course(c->text);
    lb_start_course(&course);
    for (int i = 0; i < ROWS; ++i) {
        double reactions[64];
        lb_go_to(&course, step * (i + 1));
        for (int n = 0; n < 3 && c->nodes[n][0]; ++n) {
            const lb_node_motion node = lb_get_course_node(&course, c->nodes[n][0], c->nodes[n][1]);
            for (int e = 0; e < 3; ++e) {
                rows[i].places[3 * n + e] = node.position[e];
            }
        }
        find_reactions(&course, driven, reactions);
        for (int j = 0; j < FORCE_MAX && c->joints[j].what; ++j) {
            rows[i].forces[j] = measure_joint(&course, reactions, c, j);
        }
    }
    lb_end_course(&course);
}

// Runs of the same mechanism: all agree with the first.
static void compare(const cut *cuts, int count, const unsigned char *const *driven, double step,
                    double places, double forces)
{
    row first[ROWS] = {0}, other[ROWS] = {0};
    follow(&cuts[0], driven ? driven[0] : NULL, step, first);
    for (int k = 1; k < count; ++k) {
        follow(&cuts[k], driven ? driven[k] : NULL, step, other);
        double worst_place = 0.0, worst_force = 0.0, largest = 0.0;
        for (int i = 0; i < ROWS; ++i) {
            for (int e = 0; e < 9; ++e) {
                worst_place = fmax(worst_place, fabs(other[i].places[e] - first[i].places[e]));
            }
            for (int j = 0; j < FORCE_MAX; ++j) {
                worst_force = fmax(worst_force, fabs(other[i].forces[j] - first[i].forces[j]));
                largest = fmax(largest, fabs(first[i].forces[j]));
            }
        }
        print_message("cut %d: places %.1e, forces %.1e of %.3g\n", k, worst_place, worst_force,
                      largest);
        lb_expect_below("places", worst_place, places);
        lb_expect_below("forces", worst_force / largest, forces);
    }
}

// ---- spatial slider-crank ------------------------------------------------------------------------

#define HEAD                                                                                       \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "ground: {nodes: {A: {position: [0, 0.1, 0.12]}}}\n"                                           \
    "bodies:\n"
#define CRANK(joint)                                                                               \
    "  - {name: crank, " joint ", mass: 0.12,\n     inertia: [1.0e-4, 1.0e-5, 1.0e-4, 0, 0, 0], "  \
    "nodes: {B: {position: [0, 0, "                                                                \
    "0.08]}}}\n"
// no inertia about x: the cross, which turns with it in one of the cuts, has none
#define SLIDER(joint)                                                                              \
    "  - {name: slider, " joint ", mass: 2, inertia: [0, 1.0e-4, 1.0e-4, 0, 0, 0]}\n"
#define ROD(joint)                                                                                 \
    "  - {name: rod, " joint                                                                       \
    ", mass: 0.5,\n     inertia: [2.4e-3, 3.6e-3, 2.4e-3, 8.0e-4, 1.6e-3, -8.0e-4], nodes: {B: "   \
    "{position: [-0.1, 0.05, 0.1]}, C: {position: [0.1, -0.05, -0.1]}}}\n"
#define TURNS "hinge: {type: revolute, axis: [1, 0, 0]}"
#define SLIDES "hinge: {type: prismatic, axis: [1, 0, 0]}"
#define CROSS "hinge: {type: universal, axes: [[1, 0, 0], [-2, 6, -5]]}"
#define BALL "hinge: {type: spherical}"
#define ACCURATE "integrator: {type: erk, order: 8, tolerance: 1.0e-12, stop_at_outputs: true}}\n"

static void spatial_slider_crank_may_be_cut_anywhere(void **state)
{
    (void)state;
    static const cut cuts[] = {
        // at the ball
        {HEAD CRANK("at: A, " TURNS) SLIDER(SLIDES)
             ROD("parent: slider, by: C, " CROSS) "loops: [{name: ball, a: {body: crank, node: "
                                                  "B}, b: {body: rod, node: B}, type: "
                                                  "spherical}]\n"
                                                  "initial: {crank: {rate: 6}, slider: "
                                                  "{distance: 0.2}}\n"
                                                  "run: {assemble: {hold: [crank]}, " ACCURATE,
         {{"rod", "origin"}, {"slider", "origin"}, {"crank", "B"}},
         {{"0", NULL, 0}, {"hinge", "crank", 0}, {"hinge", "crank", 1}}},
        // at the rail: the slider hangs on the rod by the pin of the cross
        {HEAD CRANK("at: A, " TURNS) ROD("parent: crank, at: B, by: B, " BALL)
             SLIDER("parent: rod, at: C, hinge: {type: revolute, axis: [-2, 6, "
                    "-5]}") "loops: [{name: rail, a: {body: ground}, b: {body: "
                            "slider}, type: cylindrical, axis: [1, 0, 0]}]\n"
                            "initial: {crank: {rate: 6}}\n"
                            "run: {assemble: {hold: [crank]}, " ACCURATE,
         {{"rod", "origin"}, {"slider", "origin"}, {"crank", "B"}},
         {{"hinge", "rod", 0}, {"hinge", "crank", 0}, {"hinge", "crank", 1}}},
        // at the bearing of the crank
        {HEAD SLIDER(SLIDES) ROD("parent: slider, by: C, " CROSS)
             CRANK("parent: rod, at: B, by: B, " BALL) "loops: [{name: bearing, a: {body: "
                                                       "ground, node: A}, b: {body: "
                                                       "crank}, type: revolute, axis: [1, "
                                                       "0, 0]}]\n"
                                                       "initial: {slider: {distance: 0.2, "
                                                       "rate: 0.24}}\n"
                                                       "run: {assemble: {hold: "
                                                       "[slider]}, " ACCURATE,
         {{"rod", "origin"}, {"slider", "origin"}, {"crank", "B"}},
         {{"hinge", "crank", 0}, {"0", NULL, 0}, {"0", NULL, 1}}},
    };
    // 1e-12 a step, one and a half turns; forces reach 160 N where the crank passes by, and change fast
    compare(cuts, 3, NULL, 0.1, 1e-11, 1e-9);
}

// With a slider of 20 t behind a crank of 0.12 kg the loop moves a million times more easily in one direction
// than in another, everywhere. Where the crank is whirled round its dead point steps are a thousandth of the usual; that is no
// singular position, and no step may be taken there without a test of its error.
static void heavy_and_light_parts_are_no_singular_position(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        HEAD CRANK("at: A, " TURNS) "  - {name: slider, " SLIDES ", mass: 20000}\n" ROD(
            "parent: slider, by: C, " CROSS) "loops: [{name: ball, a: {body: crank, node: B}, b: "
                                             "{body: rod, node: B}, type: spherical}]\n"
                                             "initial: {crank: {rate: 6}, slider: {distance: "
                                             "0.2}}\n"
                                             "run: {duration: 1, assemble: {hold: "
                                             "[crank]}, " ACCURATE);
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    lb_expect_below("closure", audit.closure_error, 1e-12);
    // 1e-12 a step, and hundreds of rad/s for a moment
    lb_expect_below("energy", fabs(audit.energy_error) / audit.energy_scale, 1e-9);
    lb_end_course(&course);
}

// ---- slider-crank with an elastic rod ------------------------------------------------------------

#define FLEX_CRANK                                                                                 \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 0.36, com: [0.075, 0, "     \
    "0],\n"                                                                                        \
    "     inertia: [0, 6.75e-4, 6.75e-4, 0, 0, 0], nodes: {tip: {position: [0.15, 0, 0]}}}\n"
#define FLEX_ROD(joint)                                                                            \
    "  - {name: rod, " joint                                                                       \
    ", hinge: {type: revolute, axis: [0, 0, 1]},\n     beam: {length: 0.3, section: {type: "       \
    "rectangle, width: 0.008, height: 0.008}, material: {E: 2.0e+11, nu: 0.3, rho: 7870}, "        \
    "rotary: "                                                                                     \
    "false, shapes: pinned-pinned, modes: 2, nodes: {middle: 0.15}}}\n"
#define FLEX_SLIDER(joint) "  - {name: slider, " joint ", mass: 0.075552}\n"
#define FLEX_TURNING_SLIDER(joint)                                                                 \
    "  - {name: slider, " joint ", mass: 0.075552, inertia: [1.0e-5, 1.0e-5, 1.0e-5, 0, 0, 0]}\n"
#define FLEX_DRIVE                                                                                 \
    "forces: [{name: drive, type: motion, hinge: crank, speed: {pulse: {value: 150, width: 1, "    \
    "rise: "                                                                                       \
    "0.02}}}]\n"

static void elastic_slider_crank_may_be_cut_anywhere(void **state)
{
    (void)state;
    static const cut cuts[] = {
        {FLEX_CRANK FLEX_ROD("parent: crank, at: tip") FLEX_SLIDER(
             SLIDES) "loops: [{name: pin, a: {body: slider}, b: {body: rod, node: tip}, type: "
                     "point-line, axis: [0, 0, "
                     "1]}]\n" FLEX_DRIVE
                     "initial: {slider: {distance: 0.4}}\nrun: {assemble: true, " ACCURATE,
         {{"rod", "middle"}, {"slider", "origin"}, {"rod", "tip"}},
         {{"0", NULL, 0}, {"hinge", "rod", 0}, {"hinge", "crank", 0}, {"hinge", "crank", 1}}},
        // at the crank: the rod hangs on the slider by its tip, a node that deforms
        {FLEX_CRANK FLEX_ROD("parent: slider, by: tip") FLEX_SLIDER(
             SLIDES) "loops: [{name: pin, a: {body: crank, node: tip}, b: {body: rod, node: root}, "
                     "type: revolute, axis: "
                     "[0, 0, 1]}]\n" FLEX_DRIVE
                     "initial: {slider: {distance: 0.4}}\nrun: {assemble: true, " ACCURATE,
         {{"rod", "middle"}, {"slider", "origin"}, {"rod", "tip"}},
         {{"hinge", "rod", 0}, {"0", NULL, 0}, {"hinge", "crank", 0}, {"hinge", "crank", 1}}},
        // at the rail
        {FLEX_CRANK FLEX_ROD("parent: crank, at: tip") FLEX_TURNING_SLIDER(
             "parent: rod, at: tip, hinge: {type: revolute, axis: [0, 0, "
             "1]}") "loops: [{name: rail, a: {body: ground}, b: {body: "
                    "slider}, type: prismatic, axis: [1, 0, "
                    "0]}]\n" FLEX_DRIVE "initial: {rod: {angle: 1 deg}}\nrun: {assemble: "
                    "true, " ACCURATE,
         {{"rod", "middle"}, {"slider", "origin"}, {"rod", "tip"}},
         {{"hinge", "slider", 0},
          {"hinge", "rod", 0},
          {"hinge", "crank", 0},
          {"hinge", "crank", 1}}},
    };
    static const unsigned char crank[] = {1, 0, 0};
    static const unsigned char *const driven[] = {crank, crank, crank};
    compare(cuts, 3, driven, 0.005, 1e-11, 1e-9);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spatial_slider_crank_may_be_cut_anywhere),
        cmocka_unit_test(heavy_and_light_parts_are_no_singular_position),
        cmocka_unit_test(elastic_slider_crank_may_be_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
