// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// validation FOLDER: reruns published problems and writes FOLDER/index.md and FOLDER/figures.
#include "validation.h"

#include <math.h>
#include <stdlib.h>

#define LENGTH(array) (int)(sizeof(array) / sizeof(array)[0])

// ---- rigid trees --------------------------------------------------------------------------------

// Newton's method for the time of the lowest point, which ends the first quarter.
static double find_period(const lb_published *history)
{
    double quarter = 0.59;
    for (int iteration = 0; iteration < 4; ++iteration) {
        double found[LB_PUBLISHED_MAX];
        lb_course course = lb_begin_example(history->example);
        lb_start_course(&course);
        lb_go_to(&course, quarter);
        history->measure(&course, NULL, found);
        quarter -= atan2(found[0], -found[1]) / hypot(found[2], found[3]);
        lb_end_course(&course);
    }
    return 4 * quarter;
}

// The energy is zero at the start; the mass is 1 kg.
static double find_largest_energy(const lb_published *history)
{
    double largest = 0.0;
    lb_course course = lb_begin_example(history->example);
    lb_start_course(&course);
    for (int i = 1; i <= 100; ++i) {
        double found[LB_PUBLISHED_MAX];
        lb_go_to(&course, 0.1 * i);
        history->measure(&course, NULL, found);
        const double energy = 0.5 * (found[2] * found[2] + found[3] * found[3]) + 9.81 * found[1];
        largest = fmax(largest, fabs(energy));
    }
    lb_end_course(&course);
    return largest;
}

static void compare_pendulum(lb_problem *problem)
{
    static const lb_quantity quantities[] = {
        {"x, y of the mass, m", 0, 2, 1e-12, false},
        {"vx, vy of the mass, m/s", 2, 2, 1e-12, false},
        {"tension of the rod, N", 4, 1, 1e-12, false},
    };
    const lb_published *history = &lb_published_pendulum;
    lb_compare_history(problem, history, quantities, LENGTH(quantities));
    lb_compare(problem, "period, s", "", find_period(history), 2.36784194757623744930, 1e-14);
    lb_compare(problem, "largest drift of the energy over 10 s, J", "",
               find_largest_energy(history), 0.0, 5e-5);
}

// Each row for itself, where the error grows with time.
static void compare_row(lb_problem *problem, const lb_published *history, int i,
                        const lb_quantity *quantity)
{
    lb_published one = *history;
    one.rows = lb_get_published_row(history, i);
    one.row_count = 1;
    lb_compare_history(problem, &one, quantity, 1);
}

static void compare_free_body(lb_problem *problem)
{
    static const lb_quantity velocity = {"angular velocity, body axes, rad/s", 0, 3, 1e-12, false};
    static const lb_quantity quaternion = {"quaternion", 3, 4, 1e-12, false};
    const lb_published *history = &lb_published_free_body;
    lb_compare_history(problem, history, &velocity, 1);
    for (int i = 0; i < history->row_count; ++i) {
        compare_row(problem, history, i, &quaternion);
    }
}

static void compare_rods(lb_problem *problem)
{
    const lb_published *history = &lb_published_rods;
    for (int i = 0; i < history->row_count; ++i) {
        // the tolerance is the estimated error of each row
        const double tolerance = lb_get_published_row(history, i)[5];
        const lb_quantity quantity = {"angles and rates, rad, rad/s", 0, 4, tolerance, false};
        compare_row(problem, history, i, &quantity);
    }
}

static void compare_babyboot(lb_problem *problem)
{
    static const lb_quantity published[] = {
        {"published: angle of the rod, deg", 0, 1, 5e-7, true},
        {"published: angle of the plate, deg", 1, 1, 5e-7, true},
        {"published: rate of the rod, rad/s", 2, 1, 5e-7, true},
        {"published: rate of the plate, rad/s", 3, 1, 5e-7, true},
        {"published: acceleration of the rod, rad/s²", 4, 1, 5e-7, true},
        {"published: acceleration of the plate, rad/s²", 5, 1, 5e-7, true},
    };
    static const lb_quantity computed = {"computed: all six", 0, 6, 1e-13, false};
    lb_compare_history(problem, &lb_published_babyboot_end, published, LENGTH(published));
    for (int i = 0; i < lb_published_babyboot.row_count; ++i) {
        compare_row(problem, &lb_published_babyboot, i, &computed);
    }
}

static void compare_kuka(lb_problem *problem)
{
    lb_kuka kuka;
    lb_compute_kuka(&kuka);
    lb_compare_all(problem, "published: position of the last link, m", kuka.position,
                   lb_kuka_position, 3, 2e-15, false);
    lb_compare_all(problem, "computed: torques at rest, N m", kuka.torques_at_rest,
                   lb_kuka_torques_at_rest, 7, 1e-12, false);
    lb_compare_all(problem, "computed: torques in motion, N m", kuka.torques, lb_kuka_torques, 7,
                   1e-12, false);
    lb_compare_all(problem, "computed: reactions in motion, N m and N", kuka.wrenches[0],
                   lb_kuka_wrenches[0], 42, 1e-12, false);
}

static void compare_oblique(lb_problem *problem)
{
    static const lb_quantity quantities[] = {
        {"position of the centre, m", 0, 3, 1e-3, false},
        {"quaternion", 3, 4, 1e-3, false},
        {"velocity, m/s", 7, 3, 1e-4, false},
        {"angular velocity, rad/s", 10, 3, 1e-5, false},
        {"acceleration, m/s²", 13, 3, 1e-2, false},
        {"angular acceleration, rad/s²", 16, 3, 1e-2, false},
        {"reaction force, N", 19, 3, 1e-2, false},
        {"reaction torque, N m", 22, 3, 1e-2, false},
    };
    lb_compare_history(problem, &lb_published_oblique, quantities, LENGTH(quantities));
}

static void compare_cubes(lb_problem *problem)
{
    static const lb_quantity quantities[] = {
        {"pin 1 on its parent: moment, N m", 0, 3, 0.5, false},
        {"pin 1 on its parent: force, N", 3, 3, 0.5, false},
        {"pin 1 on its child: moment, N m", 6, 3, 0.5, false},
        {"pin 1 on its child: force, N", 9, 3, 0.5, false},
        {"pin 2 on its parent: moment, N m", 12, 3, 0.5, false},
        {"pin 2 on its parent: force, N", 15, 3, 0.5, false},
        {"pin 2 on its child, by statics: moment, N m", 18, 3, 0.5, false},
        {"pin 2 on its child, by statics: force, N", 21, 3, 0.5, false},
    };
    lb_compare_history(problem, &lb_published_cubes, quantities, LENGTH(quantities));
}

// ---- flexible bodies ----------------------------------------------------------------------------

static void compare_spin_up(lb_problem *problem)
{
    enum { SAMPLES = 500 };
    const lb_published *history = &lb_published_lag;
    double stretch = 0.0, whole[2], pieces[2];
    lb_find_largest_lag(history->example, "beam", 10, whole);
    lb_find_largest_lag("spin_up_pieces.yaml", "piece5", 4, pieces);
    lb_compare(problem, "largest lag of the same field, m", "", whole[0], lb_lag_peak[0], 1e-6);
    lb_compare(problem, "its time, s", "", whole[1], lb_lag_peak[1], 1e-3);
    lb_compare(problem, "largest lag in six bodies, fully nonlinear beam, m", "", pieces[0],
               -0.57379, 5e-5);
    lb_compare(problem, "its time, s", "", pieces[1], 6.76, 0.01);
    lb_compare(problem, "largest lag, Kane's linear model, m", "", whole[0], -0.5744, 5e-4);
    lb_compare(problem, "largest lag, fully nonlinear beam, m", "", whole[0], -0.57379, 5e-5);
    lb_compare(problem, "time of the largest lag, s", "", whole[1], 6.76, 0.01);

    lb_course course = lb_begin_example(history->example);
    lb_start_course(&course);
    for (int i = 0; i <= SAMPLES; ++i) {
        lb_go_to(&course, 15 + 0.01 * i);
        // the axial modes, after six of bending; at the tip they are 1, -1, 1, -1
        stretch += course.q[6] - course.q[7] + course.q[8] - course.q[9];
    }
    lb_end_course(&course);
    lb_compare(problem, "exact: steady stretch, mean of 15 to 20 s, m", "", stretch / (SAMPLES + 1),
               5.142857142857143e-4, 2e-7);

    static const lb_quantity same = {"lag of the same field, m", 0, 1, 1e-6, false};
    static const lb_quantity linear = {"lag, Kane's linear model, m", 0, 1, 1e-3, false};
    lb_compare_history(problem, history, &same, 1);
    lb_compare_history(problem, &lb_published_kane_lag, &linear, 1);
}

static void compare_bar(lb_problem *problem)
{
    static const lb_quantity quantity = {"tip of the modal model, m", 0, 1, 1e-10, false};
    lb_compare(problem, "lowest frequency of the modal model, rad/s", "", lb_find_bar_frequency(),
               lb_bar_frequency, 1e-9);
    lb_compare_history(problem, &lb_published_bar, &quantity, 1);
}

static void compare_arm(lb_problem *problem)
{
    static const lb_quantity quantities[] = {
        {"axial coordinate of link 1", 0, 1, 2e-8, false},
        {"bending coordinate of link 1", 1, 1, 1e-6, false},
        {"axial coordinate of link 2", 2, 1, 2e-8, false},
        {"bending coordinate of link 2", 3, 1, 1e-6, false},
        {"tip, m", 4, 2, 1e-6, false},
    };
    // where it starts: modal coordinates of the equilibrium
    const double *start = lb_get_published_row(&lb_published_arm, 0) + 1;
    double found[LB_PUBLISHED_MAX];
    lb_course course = lb_begin_example(lb_published_arm.example);
    lb_start_course(&course);
    lb_published_arm.measure(&course, start, found);
    lb_end_course(&course);
    lb_compare_all(problem, "static equilibrium, modal coordinates", found, start, 4, 1e-9, false);
    lb_compare_history(problem, &lb_published_arm, quantities, LENGTH(quantities));
}

// ---- misses -------------------------------------------------------------------------------------

static const char rounding[] =
    "The motion is chaotic, and 1e-13 is hardly more than one unit in the last place of these "
    "numbers. "
    "One rounding of\nthe state at the worst moment changes them by 2.4e-13 degrees at 1 s, "
    "4.7e-13 at 2 s, "
    "4.4e-11 at 5 s and 1.6e-7 at 10 s\n(`test/validation/babyboot.py`), and a run rounds some "
    "thousand times. The reference carries 34 digits. The published\nnumbers, seven digits of "
    "which hold, "
    "are met.";
static const lb_miss babyboot_misses[] = {
    // a hundred such roundings
    {"computed: all six", "1 s", 2.4e-11, "double precision", rounding},
    {"computed: all six", "2 s", 4.7e-11, "double precision", rounding},
    {"computed: all six", "5 s", 4.4e-9, "double precision", rounding},
    {"computed: all six", "10 s", 1.6e-5, "double precision", rounding},
};

static const char springs[] = "The source has the moments of the stack before its springs give "
                              "way. By statics, the 0.0035 rad "
                              "that\nspring 1 needs for 175 N m carry the weights outwards and add "
                              "0.74 N m. (The source takes its "
                              "tolerance relative to the number.)";
static const lb_miss cubes_misses[] = {
    {"pin 1 on its parent: moment, N m", NULL, 0.75, "the source", springs},
    {"pin 1 on its child: moment, N m", NULL, 0.75, "the source", springs},
};

static const char linear_beam[] =
    "Kane's linear model drops the kinetic energy of third and fourth order of the quadratic "
    "displacement field,\nwhich Limber keeps: the lag is 0.3 % more (`spin_up.py kane`).";
static const char nonlinear_beam[] =
    "The nonlinear beam's bending energy grows beyond w''² by w''²w'², which a displacement field "
    "that "
    "is\nquadratic in one body's modes cannot have: the lag is 0.4 % more (`spin_up.py quartic`). "
    "In six "
    "bodies, `examples/spin_up_pieces.yaml`,\nthe same beam is within the tolerance.";
static const lb_miss spin_up_misses[] = {
    {"largest lag, Kane's linear model, m", NULL, 2e-3, "the reference's model", linear_beam},
    {"lag, Kane's linear model, m", NULL, 2e-3, "the reference's model", linear_beam},
    {"largest lag, fully nonlinear beam, m", NULL, 2.5e-3, "the model of one body", nonlinear_beam},
};

// ---- the page -----------------------------------------------------------------------------------

static lb_problem problems[] = {
    {.id = "A01",
     .title = "simple pendulum",
     .example = "simple_pendulum.yaml",
     .source = "the IFToMM library of benchmarks, as in RehabEngGroup/MBSbenchmarksInOpenSim, "
               "A01; González, Dopico, Lugrís and Cuadrado 2006, Multibody System Dynamics 16",
     .status = "exact, by Jacobi's elliptic functions to 40 digits; the bound on the drift of the "
               "energy is the acceptance rule of the library",
     .figure = "a01.svg",
     .caption = "Tension of the rod: Limber (line) and reference (dots).",
     .compare = compare_pendulum},
    {.id = "TORQUEFREE",
     .title = "torque-free body",
     .example = "torque_free.yaml",
     .source = "closed form (Jacobi's elliptic functions) for the angular velocity",
     .status = "exact for the angular velocity; computed (Taylor series in "
               "quadruple precision) for the quaternion",
     .compare = compare_free_body},
    {.id = "DPEND-ROD",
     .title = "double pendulum of rods",
     .example = "rod_pendulum.yaml",
     .source = "setup of projectchrono/chrono, utest_CH_double_pend.cpp",
     .status = "computed (DOP853 at 2e-14 against LSODA); the tolerance is the difference of the "
               "two at each time",
     .compare = compare_rods},
    {.id = "BABYBOOT",
     .title = "chaotic babyboot",
     .example = "babyboot.yaml",
     .source = "RobotLocomotion/drake, multibody/benchmarks/chaotic_babyboot (MotionGenesis)",
     .status = "published, of which seven digits hold; computed (Taylor series of 34 digits)",
     .figure = "babyboot.svg",
     .caption = "Angle of the plate: Limber (line) and reference (dots).",
     .misses = babyboot_misses,
     .miss_count = LENGTH(babyboot_misses),
     .compare = compare_babyboot},
    {.id = "KUKA",
     .title = "KUKA iiwa, inverse dynamics",
     .example = "iiwa.yaml",
     .source = "RobotLocomotion/drake, multibody/benchmarks/kuka_iiwa_robot (MotionGenesis)",
     .status = "published for the position; computed by an independent Newton-Euler program for "
               "torques and reactions",
     .compare = compare_kuka},
    {.id = "ADAMS-REV2",
     .title = "oblique pendulum with reactions",
     .example = "oblique_pendulum.yaml",
     .source = "projectchrono/chrono, data/testing/joints/revolute_joint, case 02 (MSC ADAMS)",
     .status = "published, six digits; the tolerances are those of Chrono's test",
     .note = "Reactions act on the ground, in world axes.",
     .figure = "adams.svg",
     .caption = "Vertical force on the ground: Limber (line) and ADAMS (dots).",
     .compare = compare_oblique},
    {.id = "REACT-STACK",
     .title = "three hinged cubes",
     .example = "hinged_cubes.yaml",
     .source = "simbody/simbody, Simbody/tests/GazeboReactionForceWithAppliedForceRigid.cpp",
     .status = "published, but for the last two: there the source has a factor π/4 where the "
               "geometry has √½, and statics is used instead",
     .misses = cubes_misses,
     .miss_count = LENGTH(cubes_misses),
     .compare = compare_cubes},
    {.id = "A02",
     .title = "four-bars in a row, through singular positions",
     .example = "four_bars.yaml",
     .source = "the IFToMM library of benchmarks, A02; jgerstmayr/EXUDYN, "
               "TestModels/fourBarMechanismIftomm.py; forty: `examples/four_bars_40.yaml`",
     .status = "published (Exudyn, step 1.25e-4, second order); computed (one degree of freedom, "
               "Taylor series of 24 digits)",
     .note = "Twice a turn all links lie on one line and the loops hold one direction less. What "
             "the runs miss by comes from these passes.",
     .figure = "a02.svg",
     .caption = "Height of the first tip: Limber (line) and reference (dots).",
     .compare = lb_compare_four_bars},
    {.id = "A03",
     .title = "Andrews' squeezing mechanism",
     .example = "andrews.yaml",
     .source = "the test set for initial value problems, problem andrews, as in deTestSet; "
               "Schiehlen 1990; IFToMM A03",
     .status = "published (PSIDE, tolerance 1e-14), of which 3e-10, 5e-8 and 1.3e-6 are real; "
               "computed (index 1, DOP853)",
     .compare = lb_compare_andrews},
    {.id = "A04",
     .title = "Bricard's mechanism",
     .example = "bricard.yaml",
     .source = "the IFToMM library of benchmarks, A04; jgerstmayr/EXUDYN, bricardMechanism.py",
     .status = "computed (relative angles, rank-deficient loop by singular values, DOP853)",
     .figure = "a04.svg",
     .caption = "x of P3: Limber (line) and reference (dots).",
     .compare = lb_compare_bricard},
    {.id = "A05",
     .title = "stiff governor",
     .example = "stiff_governor.yaml",
     .source = "the IFToMM library of benchmarks, A05, as in RehabEngGroup/MBSbenchmarksInOpenSim; "
               "with rods in place of springs: `examples/stiff_governor_rods.yaml`",
     .status = "computed (minimal coordinates, Radau's method and extrapolation, "
               "`test/validation/governor.py`); published is a plot",
     .figure = "a05.svg",
     .caption = "Height of the slider: Limber (line) and reference (dots).",
     .compare = lb_compare_governor},
    {.id = "SSC3D",
     .title = "spatial slider-crank",
     .example = "spatial_slider_crank.yaml",
     .source = "Haug 1989, Computer Aided Kinematics and Dynamics of Mechanical Systems, section "
               "12.2; jgerstmayr/EXUDYN, TestModels/sliderCrank3Dbenchmark.py",
     .status = "published (Exudyn, step 2e-4, second order); computed (one angle, extrapolation, "
               "`test/validation/spatial_slider_crank.py`)",
     .figure = "ssc3d.svg",
     .caption = "Place of the slider: Limber (line) and reference (dots).",
     .compare = lb_compare_spatial},
    {.id = "FLEX-SC",
     .title = "slider-crank with an elastic rod",
     .example = "flexible_slider_crank.yaml",
     .source = "data of Simeon 1996, Mathematical Modelling of Systems 2",
     .status = "computed (Lagrange's equations of the first kind for the same displacement field, "
               "`test/validation/flexible_slider_crank.py`)",
     .figure = "flex_sc.svg",
     .caption = "First modal coordinate, the deflection in the middle: Limber (line) and reference "
                "(dots).",
     .compare = lb_compare_flexible_crank},
    {.id = "SC2D",
     .title = "slider-crank under constant torque",
     .example = "slider_crank.yaml",
     .source = "jgerstmayr/EXUDYN, TestModels/sliderCrankFloatingTest.py",
     .status = "published (ode45 at 1e-6); computed, eight decimals",
     .compare = lb_compare_slider_crank},
    {.id = "DRAKE-4BAR",
     .title = "four-bar linkage at rest",
     .example = "four_bar.yaml",
     .source = "RobotLocomotion/drake, examples/multibody/four_bar",
     .status = "exact: atan √15; forces by statics",
     .note = "Found by `limber trim` from a guess that is not closed.",
     .compare = lb_compare_hanging_bars},
    {.id = "KRB",
     .title = "spin-up of a beam",
     .example = "spin_up.yaml",
     .source = "Kane, Ryan and Banerjee 1987, Journal of Guidance, Control and Dynamics 10(2); "
               "Simo and Vu-Quoc 1987, Journal of Sound and Vibration 119; the same beam in "
               "luizpancini/AeroBeams.jl, spinupRobotArm.jl",
     .status =
         "computed (Lagrange's equations of the same quadratic displacement field by a program "
         "of their own, `test/validation/spin_up.py`; Kane's equations, linear in the "
         "coordinates, six modes; Hermite elements of a nonlinear beam); the steady stretch "
         "is exact",
     .note =
         "One body: the lag is that of the quadratic displacement field, to nine digits. Cut into "
         "bodies that bend little each,\nthe beam comes to the nonlinear one: "
         "`examples/spin_up_pieces.yaml` has six.",
     .figure = "spin_up.svg",
     .caption = "Lag of the tip: Limber (line), the linear reference (dots), and Limber without "
                "second-order displacements (dashes), which diverges as it must.",
     .misses = spin_up_misses,
     .miss_count = LENGTH(spin_up_misses),
     .compare = compare_spin_up},
    {.id = "SEED-BAR",
     .title = "elastic bar of four bodies",
     .example = "elastic_bar.yaml",
     .source = "Mukherjee and Anderson 2007, Journal of Computational and Nonlinear Dynamics 2(1)",
     .status = "computed (assembled linear system of the same modes, exact modal solution)",
     .note = "The bar itself has a lowest frequency of π/8 = 0.3926990817 rad/s; that of the modal "
             "model is 1.95 % higher, because the\nmodes of each body have no strain where it "
             "joins the next.",
     .figure = "bar.svg",
     .caption = "Displacement of the tip: Limber (line), modal reference (dots), and the exact "
                "solution of d'Alembert (dashes).",
     .compare = compare_bar},
    {.id = "SEED-TWOLINK",
     .title = "flexible two-link arm",
     .example = "two_link_arm.yaml",
     .source = "Mukherjee and Anderson 2007, Journal of Computational and Nonlinear Dynamics 2(1); "
               "its physical data are recalled from the literature, not confirmed",
     .status = "computed (Lagrange's equations by computer algebra, DOP853)",
     .note = "It starts from static equilibrium, as in the paper: `trim: true` under `run`. That "
             "gravity "
             "acts along -y is assumed. The paper\nshows the tip in a plot, without numbers.",
     .figure = "arm.svg",
     .caption = "Height of the tip: Limber (line) and reference (dots).",
     .compare = compare_arm},
    {.id = "BEAMFREQ",
     .title = "frequencies of beams",
     .example = "cantilever.yaml",
     .source =
         "closed form; Timoshenko's beam by the determinant of its transfer matrix, 25 digits",
     .status = "exact",
     .note = "The mesh that a beam has by default, 64 elements. Euler and Bernoulli's without the "
             "rotary inertia of bending. Of each set of four the worst.",
     .compare = lb_compare_beam_frequencies},
    {.id = "ROTBEAM",
     .title = "rotating blade",
     .example = "rotating_blade.yaml",
     .source =
         "Hamza-cherif and Houmat 2004, 24th ICAS, table 2 (in plane); Wright, Smith, Thresher and "
         "Wang 1982 (out of plane, recomputed)",
     .status = "published in plane; computed out of plane (Ritz, converged to 1e-7)",
     .note =
         "By `limber modes --spin`, about the steady state, in which the blade is stretched; the "
         "references leave the\nstretch out. The beam without any approximation, stretched, has "
         "11.193 out of plane and 4.949 in plane at γ = 10.",
     .compare = lb_compare_rotating_beam},
    {.id = "BLADETORSION",
     .title = "torsion of a spinning or stretched strip",
     .source = "the equation of twist with the stiffness GJ + N Ip/A (Wagner 1929)",
     .status = "computed (Legendre-Galerkin, converged to 1e-12) in spin; exact at rest and "
               "for the angle",
     .note = "A strip of 60 mm by 2 mm, 1 m long, clamped on the axis, spins about the normal of "
             "its plane. Without the term its\nfrequencies at 200 rad/s would be 383.6, 1002.5 "
             "and 1649.5 rad/s, and its angle 0.1182 rad.",
     .compare = lb_compare_blade_torsion},
    {.id = "BEND45",
     .title = "45-degree bend",
     .example = "bend45.yaml",
     .source = "Bathe and Bolourchi 1979; kynema/kynema, docs/sphinx/testing/curved.rst (18 nodes)",
     .status = "published",
     .note =
         "An arc in sixteen straight bodies, bent far out of its plane; found by `limber trim`. "
         "The tolerance is 2 %.",
     .compare = lb_compare_bend},
};

// The lag without second order, until it leaves the plot.
static int run_without_second_order(double *x, double *y, int count, double lowest)
{
    char *text = lb_read_spin_up_without_second_order();
    lb_course course = lb_begin_course(text);
    lb_choose_integrator(&course, LB_INTEGRATOR_ADAMS, 0, 1e-6, 0.0);
    lb_start_course(&course);
    int i = 0;
    for (; i < count; ++i) {
        x[i] = 0.05 * i;
        lb_go_to(&course, x[i]);
        lb_published_lag.measure(&course, NULL, &y[i]);
        if (y[i] < lowest) {
            break;
        }
    }
    lb_end_course(&course);
    free(text);
    return i;
}

static bool write_plots(const char *folder)
{
    static const double exact_x[] = {0, 8, 10}, exact_y[] = {-0.04, 0.04, 0.02};
    double x[200], y[200];
    const int count = run_without_second_order(x, y, LENGTH(x), -1.0);
    const lb_plot plots[] = {
        {"a01.svg", "Simple pendulum: tension of the rod", "tension, N", &lb_published_pendulum, 4,
         10, 0, 30, 1, 5, NULL, NULL, 0},
        {"babyboot.svg", "Babyboot: angle of the plate", "angle, degrees", &lb_published_babyboot,
         1, 10, -1400, 200, 1, 200, NULL, NULL, 0},
        {"adams.svg", "Oblique pendulum: vertical reaction", "force, N", &lb_published_oblique, 21,
         5, -20, 0, 0.5, 5, NULL, NULL, 0},
        {"a02.svg", "Four-bars: height of the first tip", "height, m", &lb_published_four_bars, 1,
         10, -1, 1, 1, 0.5, NULL, NULL, 0},
        {"a04.svg", "Bricard's mechanism: x of P3", "x, m", &lb_published_bricard, 0, 10, -1, 1, 1,
         0.5, NULL, NULL, 0},
        {"a05.svg", "Governor: height of the slider", "height, m", &lb_published_governor, 1, 10,
         0.4, 0.8, 1, 0.1, NULL, NULL, 0},
        {"ssc3d.svg", "Spatial slider-crank: slider", "x, m", &lb_published_spatial, 2, 5, 0.1, 0.3,
         0.5, 0.05, NULL, NULL, 0},
        {"flex_sc.svg", "Elastic rod: deflection in the middle", "deflection, m",
         &lb_published_flexible_crank, 1, 0.1, -0.002, 0.002, 0.01, 0.001, NULL, NULL, 0},
        {"spin_up.svg", "Spin-up of a beam: lag of the tip", "lag, m", &lb_published_kane_lag, 0,
         20, -1, 0.2, 2.5, 0.2, x, y, count},
        {"bar.svg", "Elastic bar: tip", "displacement, m", &lb_published_bar, 0, 10, -0.04, 0.04, 1,
         0.02, exact_x, exact_y, LENGTH(exact_x)},
        {"arm.svg", "Two-link arm: height of the tip", "height, m", &lb_published_arm, 5, 1, -0.6,
         0.6, 0.1, 0.2, NULL, NULL, 0},
    };
    bool ok = true;
    for (int i = 0; i < LENGTH(plots); ++i) {
        ok = lb_write_plot(folder, &plots[i]) && ok;
    }
    return ok;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: validation FOLDER\n");
        return 2;
    }
    for (int i = 0; i < LENGTH(problems); ++i) {
        printf("%s\n", problems[i].id);
        fflush(stdout);
        problems[i].compare(&problems[i]);
    }
    char path[512];
    snprintf(path, sizeof path, "%s/index.md", argv[1]);
    FILE *file = fopen(path, "w");
    bool ok = file != NULL;
    if (file) {
        lb_write_page(file, problems, LENGTH(problems));
        ok = fclose(file) == 0;
    }
    if (!write_plots(argv[1]) || !ok) {
        fprintf(stderr, "cannot write %s and its figures\n", path);
        return 1;
    }
    return lb_report_misses(stderr, problems, LENGTH(problems)) > 0;
}
