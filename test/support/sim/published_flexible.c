// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reference numbers of flexible bodies, and how they are found in a run.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/linear.h"
#include "model/model_parts.h"
#include "published.h"

#define TABLE(array)                                                                               \
    (array)[0], (int)(sizeof(array) / sizeof(array)[0]),                                           \
        (int)(sizeof(array)[0] / sizeof(array)[0][0])

// clang-format off

// ---- two-link arm of Mukherjee and Anderson, from static equilibrium: t, axial and bending coordinate -
// ---- of each link, tip. Computed (Lagrange's equations by computer algebra, DOP853). -------------------

static const double arm_rows[][7] = {
    {0, 2.231386228298336e-07, -0.004251349109527635, 6.453714617607213e-09, -0.013537466332650301, 1.0569856377505658, -0.40979804333712083},
    {0.05, 1.2258226394236487e-07, -0.005542312790595248, -3.4022988829820185e-07, -0.013304981762481453, 1.0587332344525267, -0.41015963001582406},
    {0.1, 1.3338540529167703e-07, -0.009327973143048326, -5.880417207646039e-07, -0.022776402046740606, 1.0739853456413302, -0.409955508585706},
    {0.15, 3.234669761805225e-07, -0.016109216301745295, -4.5818873349705843e-07, -0.044352769067917575, 1.112843221343702, -0.39260711440509555},
    {0.16666666666666666, 4.6733887486842756e-07, -0.018747928871929918, -1.7624386462230556e-07, -0.0538727778760585, 1.131021629183763, -0.3770253597038484},
    {0.2, 7.665098743224409e-07, -0.023584686244164058, 6.259830397957634e-07, -0.07274877394795105, 1.1696693201857704, -0.3194985057322991},
    {0.25, 7.961276530538507e-07, -0.023539198590587573, 1.5178592015590375e-06, -0.07117770202144487, 1.2088741481359837, -0.1379766138400743},
    {0.3, 8.250503636717779e-07, -0.005505988210210292, 1.8434799877508464e-06, -0.01347540904225636, 1.1902903953315098, 0.15248365655914367},
    {0.3333333333333333, 6.97342319944032e-07, 0.014199759779428407, 7.175319680186054e-07, 0.04532922090865647, 1.1355814732663472, 0.35628355645207876},
    {0.35, 5.957710251069147e-07, 0.023574107317320445, -9.971419794084121e-08, 0.07519855879669746, 1.1014564563408178, 0.44293862942335116},
    {0.4, 3.367002569006723e-07, 0.03779244664149086, -1.95380933644466e-06, 0.123034070287093, 1.0253877022036915, 0.581176429815637},
    {0.45, 5.651182191129838e-07, 0.020519683614982104, -2.2705374577673826e-07, 0.0707161227946757, 1.0388451057075394, 0.5053799191310375},
    {0.5, -2.843442115742247e-07, -0.01772840231482818, 1.540455097319644e-06, -0.04971130212516465, 1.067243707243987, 0.29012465409987304},
    {0.55, -1.906065208695152e-06, -0.038229953416857844, -6.159067207531383e-07, -0.14512068617731141, 1.0486751122802307, 0.14395694120449304},
    {0.6, -9.610198302925372e-07, -0.030409563345085638, 1.2545980800047045e-06, -0.09529484262518353, 1.0627835456354502, 0.21243437480371824},
    {0.65, 4.727753248303431e-07, 0.006098613323379968, 8.937471476796597e-07, 0.02712877396575181, 1.0548285700047455, 0.4281003950761278},
    {0.7, 4.4231441066217193e-07, 0.03268945699477382, -1.5846128423208421e-06, 0.10782246879177546, 1.0137150233560128, 0.5747628091695127},
    {0.75, 5.177254809233014e-07, 0.023528424219117893, -6.395762954228762e-07, 0.07868984521063602, 1.0313053469071853, 0.5234289306705141},
    {0.8, -1.532630689878105e-07, -0.012860955766990437, 1.3300632145222758e-06, -0.03616931857121691, 1.066474739375152, 0.31615663058817095},
    {0.85, -1.7602642333961171e-06, -0.03805183444624549, -1.6024172107861586e-07, -0.13839711339514746, 1.051052794691504, 0.15091562734497072},
    {0.9, -1.1895677109602022e-06, -0.0329235131100747, 9.19246557041039e-07, -0.10789099740987115, 1.059972713066125, 0.1936544087806591},
    {0.95, 2.647184041592649e-07, 0.002323984075924196, 7.814986510216495e-07, 0.010684893560312202, 1.0585430243478693, 0.4020139782081393},
    {1.0, 3.373290700109104e-07, 0.03205201020267915, -1.719349168816675e-06, 0.10111340883355874, 1.0163221078861087, 0.566626253984756}};

// ---- the same from the undeformed state ----------------------------------------------------------------

static const double straight_arm_rows[][7] = {
    {0.05, 9.390266777056481e-08, -0.0033482092324546315, -3.4675509871373714e-07, -0.006383221083525509, 1.0606040730413786, -0.39761798850404634},
    {0.1, 2.218538798506421e-07, -0.011210658457002491, -6.624868087150017e-07, -0.029266259875361713, 1.071982649370519, -0.42129961404890176},
    {0.15, 3.8165064999026845e-07, -0.020286682590507962, -4.482975003075585e-07, -0.05785325105033128, 1.1074898179918922, -0.417090508316632},
    {0.16666666666666666, 5.736041673803881e-07, -0.022522764592385735, -1.1711788309610644e-09, -0.06780514703393256, 1.12566347517647, -0.4009640401148939},
    {0.2, 7.825696526030516e-07, -0.026121983064578146, 5.017045014484824e-07, -0.0810797908562863, 1.1661323731649338, -0.33470786009287956},
    {0.25, 9.161928303270005e-07, -0.021977983550784806, 1.7508219685319777e-06, -0.06732637181379214, 1.2101444397231957, -0.12974350975348797},
    {0.3, 7.851545123952076e-07, -0.001258442545546326, 1.6950121027419015e-06, -0.0011725368985662224, 1.189340135528564, 0.1766891743181197},
    {0.3333333333333333, 6.680529892758398e-07, 0.017967761117496046, 5.239125005110604e-07, 0.05687555273315281, 1.1311846734713469, 0.3779139395185445},
    {0.35, 4.4989430931495314e-07, 0.026603447695440745, -5.423080256122189e-07, 0.08391789364050238, 1.0967417401785322, 0.4594894535591101},
    {0.4, 2.917863114864251e-07, 0.03704849439300675, -2.1441655174946803e-06, 0.11979550046670155, 1.0273436021401257, 0.5761901891994039},
    {0.45, 6.054315557021448e-07, 0.016709519488330743, 1.3247692528980448e-07, 0.05772918865370985, 1.0448107340392192, 0.4828867373463988},
    {0.5, -6.031605373346875e-07, -0.02058970724085212, 1.1249862014386346e-06, -0.06223107161923609, 1.066557888044098, 0.27031631173579285},
    {0.55, -1.917829930432893e-06, -0.03761545374551926, -9.047417116875374e-07, -0.14362554966590682, 1.0491725321197387, 0.14695357746517573},
    {0.6, -6.763766606924138e-07, -0.02725451737454073, 1.644530596139398e-06, -0.08027509941722206, 1.065441824945346, 0.2353164852905377},
    {0.65, 5.458009000909419e-07, 0.009287179606440283, 7.216796889429834e-07, 0.03881004175457251, 1.0511892905875473, 0.44788845510200426},
    {0.7, 3.814349988584302e-07, 0.03212506585554926, -1.6737681453448624e-06, 0.1073508453134955, 1.0145327422113415, 0.5729168880913621},
    {0.75, 4.249639876309031e-07, 0.019598229597219935, -4.478376032164132e-07, 0.06688882966055064, 1.037656830370764, 0.5019015437599008},
    {0.8, -3.320284678391403e-07, -0.01614316827169908, 1.3356823689156707e-06, -0.04985459452093826, 1.066498739911774, 0.29406694155164764},
    {0.85, -1.8470851999892585e-06, -0.03749070046221187, -6.885426133706698e-07, -0.13990799291662265, 1.0504790605313472, 0.15086956901923532},
    {0.9, -7.963823289148021e-07, -0.030353317098942307, 1.5733361533286642e-06, -0.09226826860706867, 1.0635255806679322, 0.21555246209910583},
    {0.95, 4.907090732309381e-07, 0.005710512625080103, 9.521651862701537e-07, 0.024161193349472365, 1.0553292352331904, 0.42414471123224196},
    {1.0, 4.481629073389311e-07, 0.0320268368054929, -1.6150616370892225e-06, 0.10225503403378464, 1.0160463142950236, 0.5676834810570275}};

// ---- bar of Mukherjee and Anderson: t, tip of the model of four bars with four modes, and its lowest --
// ---- frequency. Computed (assembled linear system, exact modal solution). ------------------------------

static const double bar_rows[][2] = {
    {0, -0.03798391025268203},
    {1, -0.02843175167207536},
    {2, -0.018842368606768255},
    {3, -0.008917650200298229},
    {4, 0.0006121462707881646},
    {5, 0.010543814359680284},
    {6, 0.020067768978419467},
    {7, 0.03015318064030572},
    {8, 0.03701129186714003},
    {9, 0.027059647168100238},
    {10, 0.017371854185687385}};
const double lb_bar_frequency = 0.4003519121931466;

// ---- torsion of a strip under tension. Computed (Legendre-Galerkin for
// ---- ((GJ + N Ip/A) t')' + rho Ip omega^2 t - rho spin^2 (Imax - Imin) t = 0 with the centrifugal N; 16 and 24
// ---- functions agree to 1e-12); at rest, and the angle T L / (GJ + N Ip/A), exact. -----------------------

const lb_strip_row lb_strip_rows[4] = {
    {0, {327.4755069365889, 982.4265208102212, 1637.3775346828184}},
    {50, {335.2811884917921, 993.3492193858839, 1653.9019952906892}},
    {100, {357.6406391538275, 1025.1760165983083, 1702.0573191766239}},
    {200, {435.39013401040654, 1141.0080308821966, 1877.3466428624727}}};
const double lb_strip_angle = 0.1035208118240091;

// ---- spin-up: t, lag of the tip. Computed (Lagrange's equations of the whole quadratic field, six bending
// ---- and four axial modes, steps of 1e-4 s: test/validation/spin_up.py). -------------------------------

static const double lag_rows[][2] = {
    {2.5, -0.15129675225851633},
    {5, -0.46934453132707493},
    {6, -0.5450618937867712},
    {6.5, -0.571742211663701},
    {7, -0.5734643555324923},
    {7.5, -0.5609822503833677},
    {8, -0.5445694577556616},
    {9, -0.4614300063589796},
    {10, -0.3637578860709412},
    {12.5, -0.11260944055035549},
    {15, 0.0016751195501999165},
    {20, 0.0004566536516521464}};
const double lb_lag_peak[2] = {-0.5758694327733612, 6.769459247065812};

// ---- the same by Kane's equations, linear in the coordinates, six modes (computed). ------------------

static const double kane_rows[][2] = {
    {2.5, -0.15128453511978213},
    {5, -0.4687865656781328},
    {6, -0.5440797435664915},
    {6.5, -0.5704958099236898},
    {7, -0.5718705895371012},
    {7.5, -0.5595645193700082},
    {8, -0.5432547687629703},
    {9, -0.46049266792790877},
    {10, -0.36292332351726037},
    {12.5, -0.11268243306799731},
    {15, 0.0013099185092096904},
    {20, 0.0007317995816888489}};
// clang-format on

static void measure_arm(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    // q: two modes and the angle of each link
    const lb_node_motion tip = lb_get_course_node(course, "link2", "tip");
    found[0] = course->q[0];
    found[1] = course->q[1];
    found[2] = course->q[3];
    found[3] = course->q[4];
    found[4] = tip.position[0];
    found[5] = tip.position[1];
}

static void measure_bar(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    found[0] = lb_get_course_node(course, "bar3", "tip").position[0] - 4.0;
}

// Displacement of the tip across the beam as it would be if it were rigid.
static double get_lag(lb_course *course, const char *end, int angle_index)
{
    const lb_node_motion tip = lb_get_course_node(course, end, "tip");
    const double angle = course->q[angle_index];
    return cos(angle) * tip.position[1] - sin(angle) * tip.position[0];
}

static void measure_lag(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    found[0] = get_lag(course, "beam", 10);
}

const lb_published lb_published_arm = {"two_link_arm.yaml", TABLE(arm_rows), 6, measure_arm};
const lb_published lb_published_straight_arm = {"two_link_arm.yaml", TABLE(straight_arm_rows), 6,
                                                measure_arm};
const lb_published lb_published_bar = {"elastic_bar.yaml", TABLE(bar_rows), 1, measure_bar};
const lb_published lb_published_lag = {"spin_up.yaml", TABLE(lag_rows), 1, measure_lag};
const lb_published lb_published_kane_lag = {"spin_up.yaml", TABLE(kane_rows), 1, measure_lag};

void lb_find_largest_lag(const char *example, const char *end, int angle_index, double peak[2])
{
    enum { FROM = 660, TO = 690 };
    double lags[TO - FROM + 1];
    int lowest = 1;
    lb_course course = lb_begin_example(example);
    lb_start_course(&course);
    for (int i = 0; i <= TO - FROM; ++i) {
        lb_go_to(&course, 0.01 * (FROM + i));
        lags[i] = get_lag(&course, end, angle_index);
        if (i > 0 && i < TO - FROM && lags[i] < lags[lowest]) {
            lowest = i;
        }
    }
    lb_end_course(&course);
    // the parabola through the three lowest
    const double slope = 0.5 * (lags[lowest + 1] - lags[lowest - 1]);
    const double curvature = lags[lowest + 1] - 2 * lags[lowest] + lags[lowest - 1];
    peak[0] = lags[lowest] - 0.5 * slope * slope / curvature;
    peak[1] = 0.01 * (FROM + lowest - slope / curvature);
}

// By inverse iteration: K x = M y, with K the modal stiffness.
double lb_find_bar_frequency(void)
{
    enum { N = 16 };
    lb_course course = lb_begin_example("elastic_bar.yaml");
    lb_work *work = lb_create_work(course.model);
    double M[N * N], K[4 * 4], q[N] = {0}, x[N], y[N], square = 0.0;
    assert_int_equal(course.v_count, N);
    lb_expect_ok(lb_compute_mass_matrix(course.model, work, q, M));
    for (int i = 0; i < N; ++i) {
        x[i] = 1.0;
    }
    for (int iteration = 0; iteration < 200; ++iteration) {
        double top = 0.0, bottom = 0.0;
        for (int i = 0; i < N; ++i) {
            y[i] = 0.0;
            for (int j = 0; j < N; ++j) {
                y[i] += M[i * N + j] * x[j];
            }
        }
        for (int i = 0; i < N; ++i) {
            lb_get_modal_matrices(course.model, i / 4, K, NULL);
            const double k = K[i % 4 * 5], next = y[i] / k;
            top += x[i] * k * x[i];
            bottom += x[i] * y[i];
            x[i] = next;
        }
        square = top / bottom;
        for (int i = N - 1; i >= 0; --i) {
            x[i] /= x[0];
        }
    }
    lb_destroy_work(work);
    lb_end_course(&course);
    return sqrt(square);
}

char *lb_read_spin_up_without_second_order(void)
{
    char *whole = lb_read_example("spin_up.yaml");
    char *text = calloc(1, strlen(whole) + 1), *to = text;
    assert_non_null(text);
    bool inside = false;
    for (const char *line = whole, *next; *line; line = next) {
        const char *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        const char *key = strstr(line, "second_order:");
        inside = (key && key < next) || (inside && strncmp(line, "            - [", 15) == 0);
        if (!inside) {
            memcpy(to, line, (size_t)(next - line));
            to += next - line;
        }
    }
    free(whole);
    return text;
}

// ---- strip -------------------------------------------------------------------------------------

// 1 m, 60 mm wide and 2 mm thick.
static lb_course begin_strip(const char *hinge, const char *shapes, const char *rest)
{
    char text[1024];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "bodies:\n"
             "  - name: strip\n"
             "    hinge: %s\n"
             "    beam:\n"
             "      length: 1\n"
             "      section: {type: general, A: 1.2e-4, Iy: 4.0e-11, Iz: 3.6e-8, J: 1.5664e-10}\n"
             "      material: {E: 70.0e+9, G: 27.0e+9, rho: 2700}\n"
             "      shapes: [%s]\n%s",
             hinge, shapes, rest);
    return lb_begin_course(text);
}

void lb_find_strip_frequencies(double spin, double found[3])
{
    lb_course course = begin_strip("{type: revolute, axis: [0, 0, 1]}",
                                   "{family: clamped-free-bar, motion: twist, count: 40}", "");
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    options.spin = lb_find_speed(course.model, "strip", NULL);
    options.spin_speed = spin;
    lb_expect_ok(lb_compute_modes(course.simulation, &options, &modes));
    for (int i = 0; i < 3; ++i) {
        found[i] = 2 * 3.14159265358979323846 * modes->frequencies[i];
    }
    lb_destroy_modes(modes);
    lb_end_course(&course);
}

double lb_find_strip_angle(void)
{
    lb_course course =
        begin_strip("{type: fixed}", "{polynomial: [0, 1], motion: twist}",
                    "forces:\n"
                    "  - {name: pull, type: force, at: strip/tip, value: [2000, 0, 0]}\n"
                    "  - {name: turn, type: torque, at: strip/tip, value: [0.5, 0, 0]}\n");
    lb_expect_ok(lb_trim_simulation(course.simulation, NULL));
    const double *q, *v;
    lb_get_initial_state(course.simulation, &q, &v);
    const double angle = q[0];
    lb_end_course(&course);
    return angle;
}
