// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// examples/panel: a panel of CalculiX, imported and flown by the commands that the guide gives, beside the same panel as
// a beam, and beside what a pencil gives for both.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "limber/import.h"
#include "run_cli.h"

#define FOLDER(name) lb_find_source("test/data/fe/calculix/" name)

// The hub and the panel; the pulses of torque have straight ramps on average.
static const double hub_mass = 400, hub_inertia = 150, arm = 0.5, mass = 4.8, length = 2,
                    own_inertia = 1.60016, torque = 50, pulse_area = 1.9 /* s */;

// t, tips of panel and beam, turns of both hubs
enum { WIDTH = 5, ROWS = 801 };
static double rows[ROWS][WIDTH];

static int fly(void **state)
{
    (void)state;
    char *text = lb_read_example("panel/slew.yaml");
    const char *model = lb_write_file("slew.yaml", text);
    const char *body = lb_write_file("panel.flex", ""), *result = lb_write_file("slew.h5", "");
    free(text);

    lb_cli_run run =
        lb_run(NULL, "import", FOLDER("panel.sti"), FOLDER("panel.mas"), FOLDER("panel.dof"),
               FOLDER("panel.inp"), "--units", "mm,t,s", "--clamp", "9001", "--nodes",
               "root=9001,tip=101", "--modes", "8", "-o", body);
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.out, "LOOK"));
    lb_end_run(&run);

    run = lb_run(NULL, "run", model, "-o", result);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "verdict           kept"));
    lb_end_run(&run);

    run = lb_run(NULL, "results", result, "--print", "tip_panel", "tip_beam", "turn", "turn_2");
    assert_int_equal(run.status, 0);
    const char *line = strchr(run.out, '\n');
    for (int i = 0; i < ROWS; ++i) {
        assert_non_null(line);
        char *at = (char *)line + 1;
        for (int k = 0; k < WIDTH; ++k) {
            rows[i][k] = strtod(at, &at);
            at += *at == ',';
        }
        assert_int_equal(*at, '\n');
        line = at;
    }
    assert_int_equal(line[1], 0);
    lb_end_run(&run);
    return 0;
}

static double get_whole_inertia(void)
{
    const double away = arm + length / 2;
    return hub_inertia + own_inertia + mass * hub_mass / (mass + hub_mass) * away * away;
}

// A torque there and back turns the whole as if it were rigid: a deformation that has gone leaves nothing.
static void hubs_turn_as_rigid_bodies_do(void **state)
{
    (void)state;
    const double turn = torque * pulse_area * 2.0 / get_whole_inertia();
    // the first mode, coupled to the turn by 3.34 kg^1/2 m and with 0.91 kg^-1/2 at the tip, still rings with 0.8 mm
    // there: it turns the hub by 3.34 / 0.91 / 162 rad/m times that, 1.8e-5 rad
    lb_expect_near("turn", rows[800][3], turn, 3e-5);
    lb_expect_near("turn with a beam", rows[800][4], turn, 3e-5);
}

// While the torque is steady, the tips swing about the static deflection of a cantilever under the inertia of its own mass.
static void tips_swing_about_the_static_deflection(void **state)
{
    (void)state;
    const double E = 4.572e9, EI = E * 0.8 * pow(0.02, 3) / 12, line_mass = mass / length;
    // the axis of rotation is the centre of mass of the whole
    const double centre = mass * (arm + length / 2) / (mass + hub_mass);
    const double rate = torque / get_whole_inertia();
    // loads q x and q at a distance x from the root: 11/120 q L^5 / EI and 1/8 q L^4 / EI
    const double expected = line_mass * rate *
                            (11.0 / 120.0 * pow(length, 5) + (arm - centre) * pow(length, 4) / 8) /
                            EI;
    for (int which = 1; which <= 2; ++which) {
        // eight periods, to the sample: 4.636 Hz, from 0.65 s on
        double sum = 0.0;
        const int first = 65, count = 173;
        for (int i = first; i < first + count; ++i) {
            sum += rows[i][which];
        }
        // 2 %: the panel is a plate, whose flexibility is not quite that of the beam of its first frequency
        lb_expect_near("mean of a tip", sum / count, expected, 0.02);
    }
}

// Both have the mass 4.8 kg and the first frequency 4.459 Hz. Effective inertias about the hub differ by 0.7 % (a plate
// is not a beam, and five elements are coarse), hence frequencies of the free spacecraft by 0.03 %: 0.07 rad in 8 s.
// Modes behind the first differ by up to 2 % and have 0.3 % of the motion.
static void tips_of_panel_and_beam_agree(void **state)
{
    (void)state;
    double largest = 0.0, apart = 0.0, early = 0.0;
    for (int i = 0; i < ROWS; ++i) {
        const double *row = rows[i], gap = fabs(row[1] - row[2]);
        largest = fmax(largest, fabs(row[1]));
        apart = fmax(apart, gap);
        early = row[0] <= 1.0 ? fmax(early, gap) : early;
    }
    lb_expect_near("largest deflection", largest, 2.2e-3, 0.02);
    // before phases part: by the inertias alone
    lb_expect_below("in the first swings", early / largest, 0.015);
    // 0.07 rad of a ringing that is 0.4 of the largest deflection by then
    lb_expect_below("in all", apart / largest, 0.04);
}

// The same panel by the functions of limber/import.h.
static void programs_can_use_it_without_a_file(void **state)
{
    (void)state;
    const char *files[] = {FOLDER("panel.sti"), FOLDER("panel.mas"), FOLDER("panel.dof"),
                           FOLDER("panel.inp")};
    const long root = 9001;
    lb_import_options options = lb_default_import_options();
    options.files = files;
    options.file_count = 4;
    options.length = 1e-3;
    options.mass = 1e3;
    options.clamp = &root;
    options.clamp_count = 1;
    options.mode_count = 3;
    lb_imported *panel;
    lb_expect_ok(lb_import_files(&options, NULL, NULL, &panel));
    lb_body_options body = lb_default_body_options();
    body.name = "panel";
    body.by = "9001";
    body.hinge.type = LB_HINGE_FREE;
    body.flex = lb_get_imported_options(panel);
    assert_int_equal(body.flex->node_count, 96);
    assert_int_equal(body.flex->point_count, 95);
    lb_builder *builder = lb_create_builder(NULL, NULL);
    lb_expect_ok(lb_add_body(builder, &body, NULL));
    lb_destroy_imported(panel);
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    // what CalculiX wrote: test/data/fe/calculix/README.md
    const double squares[3] = {0.7849910e3, 0.2102027e5, 0.3083183e5};
    double scratch[18], omega[3];
    lb_expect_ok(lb_compute_body_frequencies(model, 0, scratch, omega));
    for (int i = 0; i < 3; ++i) {
        lb_expect_near("squared frequency", omega[i] * omega[i], squares[i], 1e-6);
    }
    lb_destroy_model(model);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hubs_turn_as_rigid_bodies_do),
        cmocka_unit_test(tips_swing_about_the_static_deflection),
        cmocka_unit_test(tips_of_panel_and_beam_agree),
        cmocka_unit_test(programs_can_use_it_without_a_file),
    };
    return cmocka_run_group_tests(tests, fly, NULL);
}
