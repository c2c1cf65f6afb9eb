// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Problems of beams: frequencies at rest and in spin, and an arc that bends far.
#include <math.h>
#include <string.h>

#include "beams.h"
#include "run_cli.h"
#include "validation.h"

#define TWO_PI 6.283185307179586476925

// ---- frequencies -------------------------------------------------------------------------------

void lb_compare_beam_frequencies(lb_problem *problem)
{
    static const double roots[2][4] = {
        {1.875104068711961, 4.694091132974175, 7.854757438237613, 10.99554073487547},
        {4.730040744862704, 7.853204624095838, 10.99560783800167, 14.13716549125746}};
    static const double timoshenko[4] = {520.8406417227, 3121.5777653984, 8210.226133092,
                                         14893.086948451};
    static const char *const names[] = {"clamped-free, betaL, Euler and Bernoulli",
                                        "free-free, betaL, Euler and Bernoulli",
                                        "clamped-free, Timoshenko, rad/s"};
    for (int kind = 0; kind < 3; ++kind) {
        lb_beam_options options = lb_make_square_beam();
        lb_modes_options modes = *options.modes;
        options.modes = &modes;
        modes.motions = LB_MOTION_Y;
        modes.type = kind == 1 ? LB_MODES_FREE_FREE : LB_MODES_CANTILEVER;
        options.rotary = kind == 2;
        options.theory = kind == 2 ? LB_THEORY_TIMOSHENKO : LB_THEORY_EULER_BERNOULLI;
        lb_flex_body *body = lb_make_beam(&options);
        double found[4];
        for (int r = 0; r < 4; ++r) {
            const double omega = lb_get_frequency(body, r);
            // omega = (betaL)^2 sqrt(EI / m) / L^2
            found[r] = kind == 2 ? omega : sqrt(omega / sqrt(2.1e11 * 1e-4 / 12 / 78.5));
        }
        lb_compare_all(problem, names[kind], found, kind == 2 ? timoshenko : roots[kind], 4,
                       kind == 2 ? 1e-3 : 5e-5, true);
        lb_destroy_flex_body(body);
    }
}

void lb_compare_rotating_beam(lb_problem *problem)
{
    static const double speeds[] = {2, 4, 6, 8, 10, 12};
    static const double flap[] = {4.137319573161608, 5.585001420474806,  7.360373019627851,
                                  9.256837600568872, 11.202327760706096, 13.170150486898873};
    static const double chord[] = {3.6195, 3.888, 4.2393, 4.6105, 4.97};
    for (int i = 0; i < 6; ++i) {
        char spin[32], at[24];
        double hertz[2] = {0, 0};
        snprintf(spin, sizeof spin, "blade=%g", speeds[i]);
        snprintf(at, sizeof at, "γ = %g", speeds[i]);
        lb_cli_run run = lb_run(NULL, "modes", lb_find_source("examples/rotating_blade.yaml"),
                                "--spin", spin, "--csv", "--count", "2");
        const char *line = run.out;
        for (int k = 0; k < 2 && line; ++k) {
            line = strchr(line, '\n');
            if (line && sscanf(++line, "%*d,oscillation,%lf", &hertz[k]) != 1) {
                hertz[k] = NAN;
            }
        }
        lb_end_run(&run);
        lb_compare(problem, "out of the plane, computed", at, TWO_PI * hertz[1], flap[i],
                   2e-3 * flap[i]);
        if (i < 5) {
            lb_compare(problem, "in the plane, published", at, TWO_PI * hertz[0], chord[i],
                       5e-3 * chord[i]);
        }
    }
}

void lb_compare_blade_torsion(lb_problem *problem)
{
    for (int i = 0; i < 4; ++i) {
        char at[32];
        double found[3];
        snprintf(at, sizeof at, "%g rad/s", lb_strip_rows[i].spin);
        lb_find_strip_frequencies(lb_strip_rows[i].spin, found);
        for (int k = 0; k < 3; ++k) {
            const double reference = lb_strip_rows[i].frequencies[k];
            lb_compare(problem, "torsional frequency, rad/s", at, found[k], reference,
                       1e-8 * reference);
        }
    }
    lb_compare(problem, "angle of the stretched strip, rad", "", lb_find_strip_angle(),
               lb_strip_angle, 1e-12);
}

// ---- statics -----------------------------------------------------------------------------------

void lb_compare_bend(lb_problem *problem)
{
    static const double kynema[3] = {-23.6459716009048, -13.7208006040058, 53.5776450626989};
    static const char *const names[] = {"tip along the start, m", "tip towards the centre, m",
                                        "tip out of the plane, m"};
    lb_course course = lb_begin_example("bend45.yaml");
    lb_trim trim = {.size = sizeof trim};
    lb_expect_ok(lb_trim_simulation(course.simulation, &trim));
    lb_start_course(&course);
    lb_go_to(&course, 0.0);
    const lb_node_motion tip = lb_get_course_node(&course, "s15", "tip");
    const double moved[3] = {tip.position[0] - 100 * sqrt(0.5),
                             tip.position[1] - 100 * (1 - sqrt(0.5)), tip.position[2]};
    for (int i = 0; i < 3; ++i) {
        lb_compare(problem, names[i], "", moved[i], kynema[i], 0.02 * fabs(kynema[i]));
    }
    lb_end_course(&course);
}
