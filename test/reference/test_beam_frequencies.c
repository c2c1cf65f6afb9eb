// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frequencies of beams at rest and in spin against exact and published numbers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "beams.h"
#include "limber/limber.h"
#include "run_cli.h"

// ---- at rest -----------------------------------------------------------------------------------

// Roots of cos b cosh b = -1, and = 1.
static const double clamped_free[] = {1.875104068711961, 4.694091132974175, 7.854757438237613,
                                      10.99554073487547};
static const double free_free[] = {4.730040744862704, 7.853204624095838, 10.99560783800167,
                                   14.13716549125746};
// Timoshenko's cantilever, shear factor 5/6: roots of the transfer matrix's determinant, rad/s.
static const double timoshenko[] = {520.8406417227, 3121.5777653984, 8210.226133092,
                                    14893.086948451};

static void slender_beam_has_the_frequencies_of_euler_and_bernoulli(void **state)
{
    (void)state;
    for (int free = 0; free < 2; ++free) {
        lb_beam_options options = lb_make_square_beam();
        lb_modes_options modes = *options.modes;
        options.modes = &modes;
        const double *roots = free ? free_free : clamped_free;
        options.rotary = 0;
        modes.count = 8;
        modes.motions = LB_MOTION_Y | LB_MOTION_Z;
        modes.type = free ? LB_MODES_FREE_FREE : LB_MODES_CANTILEVER;
        lb_flex_body *body = lb_make_beam(&options);
        const double scale = sqrt(2.1e11 * 1e-4 / 12 / 78.5);
        for (int r = 0; r < 8; ++r) {
            // cubic elements: (b h)^4 / 1440 = 1.7e-6 for the highest of them
            const double exact = scale * roots[r / 2] * roots[r / 2];
            lb_expect_near("frequency", lb_get_frequency(body, r), exact, 2e-6);
        }
        lb_destroy_flex_body(body);
    }
}

static void thick_beam_has_the_frequencies_of_timoshenko(void **state)
{
    (void)state;
    lb_beam_options options = lb_make_square_beam();
    lb_modes_options modes = *options.modes;
    options.modes = &modes;
    options.theory = LB_THEORY_TIMOSHENKO;
    modes.motions = LB_MOTION_Z;
    lb_flex_body *body = lb_make_beam(&options);
    for (int r = 0; r < 4; ++r) {
        lb_expect_near("frequency", lb_get_frequency(body, r), timoshenko[r], 3e-4);
    }
    lb_destroy_flex_body(body);
}

static void bars_have_the_frequencies_of_waves(void **state)
{
    (void)state;
    lb_beam_options options = lb_make_square_beam();
    lb_modes_options modes = *options.modes;
    options.modes = &modes;
    const double pi = 3.14159265358979323846;
    modes.count = 3;
    for (int twist = 0; twist < 2; ++twist) {
        modes.motions = twist ? LB_MOTION_TWIST : LB_MOTION_STRETCH;
        lb_flex_body *body = lb_make_beam(&options);
        const double J = 0.140577 * 1e-4, Ip = 1e-4 / 6;
        const double c = twist ? sqrt(2.1e11 / 2.6 * J / (7850 * Ip)) : sqrt(2.1e11 / 7850);
        for (int r = 0; r < 3; ++r) {
            // linear elements: (b h)^2 / 24 = 6e-4 for the highest
            lb_expect_near("wave", lb_get_frequency(body, r), c * (2 * r + 1) * pi / 2, 7e-4);
        }
        lb_destroy_flex_body(body);
    }
}

// ---- in spin -----------------------------------------------------------------------------------

// Dimensionless: EI = m = L = 1, slenderness 70, so that EA = 4900.
static lb_beam_options make_blade(lb_modes_options *modes, int motions, int count)
{
    static const lb_section section = {
        .size = sizeof section, .A = 1, .Iy = 1.0 / 4900, .Iz = 1.0 / 4900};
    lb_beam_options options = lb_default_beam_options();
    options.section = &section;
    options.modes = modes;
    options.length = 1;
    options.material = (lb_material){4900, 2000, 1};
    options.rotary = false;
    *modes = lb_default_modes_options();
    modes->motions = motions;
    modes->count = count;
    return options;
}

static const double gammas[] = {2, 4, 6, 8, 10, 12};
// Legendre-Ritz, converged to 1e-7 and better: first four, out of the plane of rotation.
static const double flap[][4] = {
    {4.137319573161608, 22.61492195876044, 62.273184104683466, 121.49669471408201},
    {5.585001420474806, 24.27334938681671, 63.966760492823845, 123.26148489814393},
    {7.360373019627851, 26.809081683379876, 66.68391438113373, 126.14045258901423},
    {9.256837600568872, 29.99538189219894, 70.29296218494716, 130.04903168534148},
    {11.202327760706096, 33.64036583467715, 74.64929459755064, 134.88410140287542},
    {13.170150486898873, 37.60311232400933, 79.61447848963488, 140.53435447471426}};
// In the plane, with the Coriolis coupling to stretch: Hamza-cherif and Houmat 2004, table 2.
static const double chord[] = {3.6195, 3.888, 4.2393, 4.6105, 4.97};

static void find_spin(const lb_beam_options *options, double gamma, int count, double *omega)
{
    const double z[3] = {0, 0, 1};
    lb_flex_body *body = lb_make_beam(options);
    const int n = lb_get_flex_options(body)->mode_count;
    lb_model *model = lb_make_beam_model(body, LB_HINGE_REVOLUTE, z);
    lb_find_spinning(model, n, &gamma, count, omega);
    lb_destroy_model(model);
}

static void spinning_blade_flaps_as_computed(void **state)
{
    (void)state;
    for (int i = 0; i < 6; ++i) {
        lb_modes_options modes;
        const lb_beam_options options = make_blade(&modes, LB_MOTION_Z, 10);
        double omega[4];
        find_spin(&options, gammas[i], 4, omega);
        for (int r = 0; r < 4; ++r) {
            // 0.1 %: what the inertia about the axis takes away at this slenderness, (gamma/alpha)^2
            lb_expect_near("flap", omega[r], flap[i][r], 1e-3);
        }
    }
}

static void spinning_blade_leads_and_lags_as_published(void **state)
{
    (void)state;
    for (int i = 0; i < 5; ++i) {
        lb_modes_options modes;
        const lb_beam_options options = make_blade(&modes, LB_MOTION_Y | LB_MOTION_STRETCH, 14);
        double omega[1];
        find_spin(&options, gammas[i], 1, omega);
        lb_expect_near("chord", omega[0], chord[i], 1e-3);
    }
}

// The same by the command, about the steady state, in which the blade is stretched: by 0.7 % at 10.
static void command_finds_flap_and_chord(void **state)
{
    (void)state;
    const char *path = lb_write_file(
        "blade.yaml",
        "limber: 1\nbodies:\n  - name: blade\n"
        "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
        "    beam:\n      length: 1\n"
        "      section: {type: rectangle, width: 0.049487166, height: 0.049487166}\n"
        "      material: {E: 4900, nu: 0.3, rho: 1}\n      modes: {frequency: 120}\n");
    for (int i = 0; i < 6; ++i) {
        char spin[32];
        // rectangle: m = A and EI = 4900 A^2/12 with A = 0.00244898, so that sqrt(m/EI) = 1
        snprintf(spin, sizeof spin, "blade=%g", gammas[i]);
        lb_cli_run run = lb_run(NULL, "modes", path, "--spin", spin, "--csv", "--count", "2");
        assert_int_equal(run.status, 0);
        double hertz[2] = {0, 0};
        const char *line = run.out;
        for (int k = 0; k < 2; ++k) {
            line = strchr(line, '\n') + 1;
            assert_int_equal(sscanf(line, "%*d,oscillation,%lf", &hertz[k]), 1);
        }
        const double two_pi = 2 * 3.14159265358979323846;
        lb_expect_near("flap", two_pi * hertz[1], flap[i][0], 2e-3);
        if (i < 5) {
            lb_expect_near("chord", two_pi * hertz[0], chord[i], 5e-3);
        }
        lb_end_run(&run);
    }
}

static void without_second_order_both_miss(void **state)
{
    (void)state;
    double omega[1];
    lb_modes_options modes;
    lb_beam_options options = make_blade(&modes, LB_MOTION_Z, 10);
    options.second_order = false;
    const double z[3] = {0, 0, 1}, spin = 4;
    for (int plane = 0; plane < 2; ++plane) {
        modes.motions = plane ? LB_MOTION_Y : LB_MOTION_Z;
        // built without second order on purpose: the warning of the builder is expected
        lb_flex_body *body = lb_make_beam(&options);
        lb_builder *builder = lb_create_builder(NULL, NULL);
        lb_body_options blade = lb_default_body_options();
        lb_model *model = NULL;
        blade.name = "blade";
        blade.hinge.type = LB_HINGE_REVOLUTE;
        memcpy(blade.hinge.axis, z, sizeof z);
        blade.flex = lb_get_flex_options(body);
        lb_expect_ok(lb_add_body(builder, &blade, NULL));
        lb_expect_ok(lb_build_model(builder, &model));
        lb_find_spinning(model, 10, &spin, 1, omega);
        const double reference = plane ? chord[1] : flap[1][0];
        assert_true(fabs(omega[0] / reference - 1) > 0.3);
        lb_destroy_builder(builder);
        lb_destroy_flex_body(body);
        lb_destroy_model(model);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slender_beam_has_the_frequencies_of_euler_and_bernoulli),
        cmocka_unit_test(thick_beam_has_the_frequencies_of_timoshenko),
        cmocka_unit_test(bars_have_the_frequencies_of_waves),
        cmocka_unit_test(spinning_blade_flaps_as_computed),
        cmocka_unit_test(spinning_blade_leads_and_lags_as_published),
        cmocka_unit_test(command_finds_flap_and_chord),
        cmocka_unit_test(without_second_order_both_miss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
