// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sections, materials and single beams against hand values.
#include <math.h>
#include <string.h>

#include "beams.h"
#include "limber/limber.h"
#include "model/model_parts.h"
#include "structure/sections.h"

#define PI 3.14159265358979323846

// ---- sections ----------------------------------------------------------------------------------

static lb_section get_properties(lb_section section)
{
    const lb_material steel = {2.1e11, 2.1e11 / 2.6, 7850};
    lb_section properties = {.size = sizeof properties};
    section.size = sizeof section;
    lb_expect_ok(lb_compute_section(&section, &steel, "section", NULL, &properties));
    return properties;
}

static void tube_has_the_properties_of_a_ring(void **state)
{
    (void)state;
    const lb_section p =
        get_properties((lb_section){.type = LB_SECTION_TUBE, .diameter = 0.1, .wall = 0.01});
    lb_expect_near("A", p.A, PI * (0.05 * 0.05 - 0.04 * 0.04), 1e-14);
    lb_expect_near("I", p.Iy, PI / 4 * (pow(0.05, 4) - pow(0.04, 4)), 1e-14);
    lb_expect_near("J", p.J, 2 * p.Iz, 1e-14);
    // Cowper: a thin tube tends to 2 (1 + nu) / (4 + 3 nu)
    const lb_section thin =
        get_properties((lb_section){.type = LB_SECTION_TUBE, .diameter = 0.1, .wall = 1e-6});
    lb_expect_near("Ay", thin.Ay / thin.A, 2 * 1.3 / (4 + 0.9), 1e-4);
    const lb_section rod = get_properties((lb_section){.type = LB_SECTION_TUBE, .diameter = 0.1});
    lb_expect_near("rod", rod.A, PI * 0.0025, 1e-14);
}

static void rectangle_has_saint_venants_torsion(void **state)
{
    (void)state;
    const lb_section square =
        get_properties((lb_section){.type = LB_SECTION_RECTANGLE, .width = 2, .height = 2});
    // 0.1406 a^4, Timoshenko and Goodier: 0.140577
    lb_expect_near("J", square.J, 0.140577 * 16, 1e-5);
    const lb_section flat =
        get_properties((lb_section){.type = LB_SECTION_RECTANGLE, .width = 10, .height = 1});
    lb_expect_near("J", flat.J, 0.3123 * 10, 1e-3);
    lb_expect_near("Iy", flat.Iy, 10.0 / 12, 1e-14);
    lb_expect_near("Iz", flat.Iz, 1000.0 / 12, 1e-14);
    lb_expect_near("Ay", flat.Ay, 5.0 / 6 * 10, 1e-14);
    // a box is the difference of two rectangles
    const lb_section box = get_properties(
        (lb_section){.type = LB_SECTION_RECTANGLE, .width = 3, .height = 2, .wall = 0.1});
    lb_expect_near("A", box.A, 6 - 2.8 * 1.8, 1e-14);
    lb_expect_near("J", box.J, 4 * pow(2.9 * 1.9, 2) * 0.1 / (2 * (2.9 + 1.9)), 1e-14);
}

static void i_is_two_flanges_and_a_web(void **state)
{
    (void)state;
    const lb_section p = get_properties((lb_section){
        .type = LB_SECTION_I, .width = 0.1, .height = 0.2, .web = 0.006, .flange = 0.01});
    const double web = 0.18, A = 2 * 0.1 * 0.01 + web * 0.006;
    lb_expect_near("A", p.A, A, 1e-14);
    lb_expect_near("Iy", p.Iy,
                   2 * (0.1 * 1e-6 / 12 + 0.1 * 0.01 * 0.095 * 0.095) + 0.006 * pow(web, 3) / 12,
                   1e-12);
    lb_expect_near("Iz", p.Iz, (2 * 0.01 * 1e-3 + web * pow(0.006, 3)) / 12, 1e-12);
}

static void given_properties_replace_those_of_the_shape(void **state)
{
    (void)state;
    const lb_section p = get_properties(
        (lb_section){.type = LB_SECTION_TUBE, .diameter = 0.1, .wall = 0.01, .J = 5, .Az = 7});
    lb_expect_near("J", p.J, 5, 0);
    lb_expect_near("Az", p.Az, 7, 0);
}

static void materials_have_names(void **state)
{
    (void)state;
    lb_material steel = {0, 0, 0};
    lb_expect_ok(lb_get_material(lb_find_material("steel"), &steel));
    lb_expect_near("E", steel.E, 210e9, 0);
    assert_int_equal(lb_find_material("cheese"), LB_NOT_FOUND);
    assert_int_equal(lb_get_material(LB_NOT_FOUND, &steel), LB_E_ARGUMENT);
    assert_string_equal(lb_get_material_name(0), "aluminium");
    assert_int_equal(lb_find_material("aluminum"), lb_find_material("aluminium"));
    assert_null(lb_get_material_name(1000));
}

// ---- mass --------------------------------------------------------------------------------------

// Mass, centre and inertia of a block, also where it is cut at nodes and tapers.
static void block_has_its_mass_centre_and_inertia(void **state)
{
    (void)state;
    for (int rotary = 0; rotary < 2; ++rotary) {
        lb_beam_options options = lb_make_square_beam();
        lb_section section = *options.section;
        options.section = &section;
        const lb_beam_node node = {"odd", 0.377};
        options.rotary = rotary;
        section.width = 0.2;
        options.nodes = &node;
        options.node_count = 1;
        lb_model *model = lb_make_beam_model(lb_make_beam(&options), LB_HINGE_FIXED, NULL);
        double mass, com[3], J[6];
        lb_get_mass_properties(model, 0, &mass, com, J);
        const double m = 7850 * 0.02, y = 0.04 * m / 12 * rotary, z = 0.01 * m / 12 * rotary;
        const double exact[6] = {m * 0.05 / 12, m / 12 + z, m / 12 + y, 0, 0, 0};
        lb_expect_near("mass", mass, m, 1e-13);
        lb_expect_within("com", com, ((const double[]){0.5, 0, 0}), 3, 1e-13);
        lb_expect_close("inertia", J, exact, 6, 1e-12);
        lb_destroy_model(model);
    }
}

static void taper_has_exact_mass_and_centre(void **state)
{
    (void)state;
    lb_beam_options options = lb_make_square_beam();
    lb_section half = *options.section;
    half.width = half.height = 0.05;
    const lb_station stations[2] = {{0.0, options.section}, {1.0, &half}};
    options.stations = stations;
    options.station_count = 2;
    lb_model *model = lb_make_beam_model(lb_make_beam(&options), LB_HINGE_FIXED, NULL);
    double mass, com[3], J[6];
    lb_get_mass_properties(model, 0, &mass, com, J);
    // A = 0.01 (1 - x/2)^2: integrals 7/12 and 11/48
    lb_expect_near("mass", mass, 78.5 * 7 / 12, 1e-13);
    lb_expect_near("com", com[0], (11.0 / 48) / (7.0 / 12), 1e-13);
    lb_destroy_model(model);
}

static void lumps_at_one_place_add_up(void **state)
{
    (void)state;
    lb_beam_options options = lb_make_square_beam();
    const lb_lump lumps[] = {
        {.size = sizeof *lumps, .at = "tip", .mass = 2, .offset = {0, 1, 0}},
        {.size = sizeof *lumps, .x = 1.0, .mass = 2, .offset = {0, -1, 0}},
        {.size = sizeof *lumps, .x = 0.25, .mass = 3, .inertia = {1, 2, 3, 0, 0, 0}}};
    options.lumps = lumps;
    options.lump_count = 3;
    lb_flex_body *body = lb_make_beam(&options);
    const lb_flex_node *tip = lb_get_flex_node(body, "tip");
    lb_expect_near("mass", tip->mass, 4, 0);
    lb_expect_within("offset", tip->offset, ((const double[]){0, 0, 0}), 3, 0);
    lb_expect_within("inertia", tip->inertia, ((const double[]){4, 0, 4, 0, 0, 0}), 6, 0);
    // the one in between has no name
    assert_int_equal(lb_get_flex_options(body)->node_count - lb_get_flex_options(body)->point_count,
                     2);
    lb_expect_near("all", lb_summarize_body(body).mass, 78.5 + 7, 1e-13);
    lb_destroy_flex_body(body);
}

// ---- modes -------------------------------------------------------------------------------------

// The model's own modal mass matrix, from points that were compressed, is the unit matrix.
static void modes_are_orthonormal(void **state)
{
    (void)state;
    for (int type = 0; type < 3; ++type) {
        static const char *const tip[] = {"tip"};
        const lb_correction load = {.at = "tip", .force = {0, 1, 2}};
        lb_beam_options options = lb_make_square_beam();
        lb_modes_options modes = *options.modes;
        options.modes = &modes;
        options.theory = type == 1 ? LB_THEORY_TIMOSHENKO : LB_THEORY_EULER_BERNOULLI;
        modes.type = (lb_modes_type)type;
        modes.count = 6;
        modes.interfaces = tip;
        modes.interface_count = type == 2;
        modes.corrections = &load;
        modes.correction_count = type < 2;
        lb_model *model = lb_make_beam_model(lb_make_beam(&options), LB_HINGE_FIXED, NULL);
        const int n = lb_get_mode_count(model, 0);
        assert_int_equal(n, type < 2 ? 7 : 12);
        lb_work *work = lb_create_work(model);
        double M[144], unit[144], q[12] = {0};
        lb_expect_ok(lb_compute_mass_matrix(model, work, q, M));
        for (int i = 0; i < n * n; ++i) {
            unit[i] = i % (n + 1) == 0;
        }
        // 1e-10: static shapes are ill-conditioned beside the modes that they resemble
        lb_expect_within("M_ff", M, unit, n * n, 1e-10);
        lb_destroy_work(work);
        lb_destroy_model(model);
    }
}

static void signs_and_equal_frequencies_are_settled(void **state)
{
    (void)state;
    lb_beam_options options = lb_make_square_beam();
    lb_modes_options modes = *options.modes;
    options.modes = &modes;
    modes.count = 6;
    for (int free = 0; free < 2; ++free) {
        modes.type = free ? LB_MODES_FREE_FREE : LB_MODES_CANTILEVER;
        lb_flex_body *body = lb_make_beam(&options);
        const lb_flex_node *tip = lb_get_flex_node(body, "tip");
        // the square beam bends in y, then in z, at one frequency; its tip goes up
        for (int r = 0; r < 4; ++r) {
            const double *shape = tip->shape + 6 * r;
            assert_true(shape[3 + 1 + r % 2] > 0);
            assert_true(shape[3 + 2 - r % 2] == 0);
        }
        lb_expect_near("pair", lb_get_frequency(body, 0), lb_get_frequency(body, 1), 1e-9);
        lb_destroy_flex_body(body);
    }
}

// An odd number of modes takes the first of a pair, and the same one every time.
static void cut_pairs_keep_the_first(void **state)
{
    (void)state;
    lb_beam_options options = lb_make_square_beam();
    lb_modes_options modes = *options.modes;
    options.modes = &modes;
    modes.count = 3;
    lb_flex_body *body = lb_make_beam(&options);
    const double *shape = lb_get_flex_node(body, "tip")->shape + 12;
    assert_true(shape[4] > 0 && shape[5] == 0);
    lb_destroy_flex_body(body);
}

static void frequency_and_effective_mass_choose_modes(void **state)
{
    (void)state;
    lb_beam_options options = lb_make_square_beam();
    lb_modes_options modes = *options.modes;
    options.modes = &modes;
    modes.count = 0;
    modes.frequency = 600; // between the second pair, 520 Hz, and twist, 736 Hz
    lb_flex_body *body = lb_make_beam(&options);
    assert_int_equal(lb_get_flex_options(body)->mode_count, 4);
    assert_true(lb_summarize_body(body).next_frequency > 600);
    lb_destroy_flex_body(body);

    // a clamped bar: 8/pi^2 of its mass in the first stretch, 0.9006 with the second
    modes.frequency = 0;
    modes.motions = LB_MOTION_STRETCH;
    modes.effective_mass = 0.9;
    body = lb_make_beam(&options);
    assert_int_equal(lb_get_flex_options(body)->mode_count, 2);
    lb_destroy_flex_body(body);
    modes.effective_mass = 0.92;
    body = lb_make_beam(&options);
    assert_int_equal(lb_get_flex_options(body)->mode_count, 3);
    lb_destroy_flex_body(body);
}

// Effective masses of a clamped beam: 0.6131 and 0.1883 of its mass in the first two of bending; what
// is left out of inertia about the root is next to nothing.
static void summary_tells_effective_masses(void **state)
{
    (void)state;
    lb_beam_options options = lb_make_square_beam();
    lb_modes_options modes = *options.modes;
    options.modes = &modes;
    options.rotary = 0;
    modes.count = 6;
    modes.motions = LB_MOTION_Y;
    lb_model *model = lb_make_beam_model(lb_make_beam(&options), LB_HINGE_FIXED, NULL);
    double frequencies[6], effective[36];
    lb_modal_summary summary = {.size = sizeof summary};
    lb_expect_ok(lb_compute_modal_summary(model, 0, frequencies, effective, &summary));
    lb_expect_near("frequency", frequencies[0], 524.97055901158 / (2 * PI), 1e-6);
    lb_expect_near("first", effective[4] / 78.5, 0.613076, 1e-5);
    lb_expect_near("second", effective[6 + 4] / 78.5, 0.188300, 1e-4);
    lb_expect_near("inertia", summary.whole[2], 78.5 / 3, 1e-12);
    assert_true(summary.sums[2] > 0.999 * summary.whole[2]);
    assert_true(summary.sums[4] > 0.9 * 78.5 && summary.sums[4] < 78.5);
    assert_true(effective[3] == 0 && effective[5] == 0);
    // more modes are fit for faster spin
    const double rate = summary.spin_rate;
    lb_destroy_model(model);
    assert_true(rate > 524.97);
    modes.count = 12;
    model = lb_make_beam_model(lb_make_beam(&options), LB_HINGE_FIXED, NULL);
    double many[12], more[72];
    lb_expect_ok(lb_compute_modal_summary(model, 0, many, more, &summary));
    assert_true(summary.spin_rate > rate);
    lb_destroy_model(model);
}

// The stiffness of spin is the derivative of the bias.
static void spin_stiffness_is_the_slope_of_the_bias(void **state)
{
    (void)state;
    enum { N = 6 };
    const double axis[3] = {0.3, -0.5, 0.8}, speed = 7, h = 1e-4;
    const double norm = sqrt(0.98), omega[3] = {0.3 * 7 / norm, -0.5 * 7 / norm, 0.8 * 7 / norm};
    lb_beam_options options = lb_make_square_beam();
    lb_modes_options modes = *options.modes;
    options.modes = &modes;
    modes.count = N;
    lb_model *model = lb_make_beam_model(lb_make_beam(&options), LB_HINGE_REVOLUTE, axis);
    lb_work *work = lb_create_work(model);
    double G[N * N], K[N * N], q[N + 1] = {0}, v[N + 1] = {0}, b[2][N + 1];
    lb_compute_spin_stiffness(model, 0, omega, G);
    lb_get_modal_matrices(model, 0, K, NULL);
    v[N] = speed;
    for (int s = 0; s < N; ++s) {
        double slope[N], expected[N];
        for (int side = 0; side < 2; ++side) {
            q[s] = side == 0 ? h : -h;
            lb_expect_ok(lb_compute_bias(model, work, q, v, b[side]));
        }
        q[s] = 0;
        for (int r = 0; r < N; ++r) {
            // 1e-6: the difference loses ten digits of the stiffness itself
            slope[r] = (b[0][r] - b[1][r]) / (2 * h) - K[r * N + s];
            expected[r] = G[r * N + s];
        }
        lb_expect_within("slope", slope, expected, N, 1e-9 * K[s * (N + 1)] + 1e-6 * 49);
    }
    lb_destroy_work(work);
    lb_destroy_model(model);
}

// ---- damping -----------------------------------------------------------------------------------

static void damping_follows_its_form(void **state)
{
    (void)state;
    static const double table[][2] = {{100, 0.01}, {600, 0.06}};
    static const double ratios[] = {0.1, 0.2, 0.3, 0.4};
    lb_beam_options options = lb_make_square_beam();
    lb_damping_options damping = lb_default_damping_options();
    options.damping = &damping;
    for (int form = 0; form < 4; ++form) {
        damping =
            (lb_damping_options){.size = sizeof(lb_damping_options), .ratio = form == 0 ? 0.02 : 0};
        if (form == 1) {
            damping.ratios = ratios;
            damping.ratio_count = 4;
        } else if (form == 2) {
            damping.rayleigh[0] = 3;
            damping.rayleigh[1] = 1e-4;
        } else if (form == 3) {
            damping.table = table;
            damping.table_count = 2;
        }
        lb_flex_body *body = lb_make_beam(&options);
        const double *C = lb_get_flex_options(body)->damping;
        for (int r = 0; r < 4; ++r) {
            const double w = lb_get_frequency(body, r), hertz = w / (2 * PI);
            const double expected = form == 0   ? 2 * 0.02 * w
                                    : form == 1 ? 2 * ratios[r] * w
                                    : form == 2 ? 3 + 1e-4 * w * w
                                                : 2 * fmax(0.01, 1e-4 * hertz) * w;
            lb_expect_near("damping", C[5 * r], expected, 1e-12);
        }
        lb_destroy_flex_body(body);
    }
}

// Full matrices: damping of shapes that are not modes is that of the modes they make.
static void damping_of_shapes_is_that_of_their_modes(void **state)
{
    (void)state;
    static const double square[] = {0, 0, 1}, cube[] = {0, 0, 0, 1};
    const lb_beam_shape shapes[2] = {{LB_SHAPE_POLYNOMIAL, LB_MOTION_Y, 1, square, 3},
                                     {LB_SHAPE_POLYNOMIAL, LB_MOTION_Y, 1, cube, 4}};
    lb_beam_options options = lb_make_square_beam();
    lb_damping_options damping = lb_default_damping_options();
    options.damping = &damping;
    options.modes = NULL;
    options.rotary = 0;
    options.shapes = shapes;
    options.shape_count = 2;
    damping.ratio = 0.01;
    lb_flex_body *body = lb_make_beam(&options);
    const lb_flex_options *flex = lb_get_flex_options(body);
    const double *K = flex->stiffness, *C = flex->damping;
    const double EI = 2.1e11 / 12 * 1e-4, m = 78.5;
    // integrals of (s^2, s^3)'' and of (s^2, s^3)
    const double K_exact[4] = {4 * EI, 6 * EI, 6 * EI, 12 * EI};
    const double M[4] = {m / 5, m / 6, m / 6, m / 7};
    lb_expect_close("K", K, K_exact, 4, 1e-13);
    // C M^-1 C = (2 zeta)^2 K
    const double det = M[0] * M[3] - M[1] * M[2];
    const double inverse[4] = {M[3] / det, -M[1] / det, -M[2] / det, M[0] / det};
    double product[4], expected[4];
    for (int i = 0; i < 4; ++i) {
        product[i] = 0.0;
        expected[i] = 4 * 1e-4 * K[i];
        for (int k = 0; k < 4; ++k) {
            product[i] += C[2 * (i / 2) + k / 2] * inverse[k] * C[2 * (k % 2) + i % 2];
        }
    }
    lb_expect_close("C", product, expected, 4, 1e-9);
    lb_destroy_flex_body(body);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tube_has_the_properties_of_a_ring),
        cmocka_unit_test(rectangle_has_saint_venants_torsion),
        cmocka_unit_test(i_is_two_flanges_and_a_web),
        cmocka_unit_test(given_properties_replace_those_of_the_shape),
        cmocka_unit_test(materials_have_names),
        cmocka_unit_test(block_has_its_mass_centre_and_inertia),
        cmocka_unit_test(taper_has_exact_mass_and_centre),
        cmocka_unit_test(lumps_at_one_place_add_up),
        cmocka_unit_test(modes_are_orthonormal),
        cmocka_unit_test(signs_and_equal_frequencies_are_settled),
        cmocka_unit_test(cut_pairs_keep_the_first),
        cmocka_unit_test(frequency_and_effective_mass_choose_modes),
        cmocka_unit_test(summary_tells_effective_masses),
        cmocka_unit_test(spin_stiffness_is_the_slope_of_the_bias),
        cmocka_unit_test(damping_follows_its_form),
        cmocka_unit_test(damping_of_shapes_is_that_of_their_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
