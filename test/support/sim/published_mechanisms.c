// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reference numbers of three mechanisms with loops: governor, spatial slider-crank, slider-crank with an
// elastic rod. All but one come from the programs test/validation/*.py of the same names.
#include "published.h"

#include <math.h>

#define LENGTH(array) (int)(sizeof(array) / sizeof(array)[0])
#define WIDTH(array) (int)(sizeof(array)[0] / sizeof(array)[0][0])
#define TABLE(array) (array)[0], LENGTH(array), WIDTH(array)

// clang-format off

// ---- IFToMM A05, the stiff governor: t, angle of the arms, height of the slider, turn of the shaft; their -
// ---- rates. Computed: governor.py, steps of 2 and 1 ms, which agree to 1e-11. -----------------------------

static const double governor_rows[][7] = {
    {0.5, 0.25949138154341, 0.74324942478633, 2.8076794883679, -0.05390521849873, 0.052119780158428, 5.1034154219715},
    {1, 0.52183330162554, 0.50142092237957, 5.586346965869, 0.14088557947968, -0.12215149289712, 6.2711257418765},
    {2, 0.5166637973646, 0.50590929429671, 11.173267075661, 0.27692618857235, -0.24078314698302, 6.236223614436},
    {3, 0.50824552696923, 0.51324607834022, 16.761308971695, 0.40356485319254, -0.35254362171613, 6.1806727062857},
    {5, 0.48287457658693, 0.53556310372165, 27.942531991043, 0.61391704738888, -0.54368269027779, 6.0224964997584},
    {8, 0.42981954718426, 0.58317833671049, 44.731139239815, 0.78994194658033, -0.71799482352345, 5.7327883213632},
    {10, 0.39007370184473, 0.61962291706128, 55.935409909103, 0.80846705134541, -0.74760335416475, 5.5482036226553}};

// ---- the same with rigid rods: governor.py rods, steps of 20 and 10 ms, which agree to 2e-11 --------------

static const double governor_rods_rows[][7] = {
    {0.5, 0.25950799105651, 0.74339495171691, 2.8077169031056, -0.053903870380403, 0.052098971894176, 5.1034581733097},
    {1, 0.52185717211657, 0.5015090303915, 5.5864293819297, 0.14085614645679, -0.12210747382495, 6.2712883182631},
    {2, 0.51669272958809, 0.5059926870642, 11.173438675987, 0.27684537609736, -0.24070535711985, 6.2364172649554},
    {3, 0.50828222722783, 0.5133226493748, 16.761568359956, 0.40344669023743, -0.35244368472952, 6.180911479328},
    {5, 0.48293250516889, 0.53562169654435, 27.942961007616, 0.61378055373222, -0.54358673205817, 6.0228424001235},
    {8, 0.42991254196365, 0.58320869552457, 44.731806739757, 0.78992753248668, -0.71804586874187, 5.7332511725932},
    {10, 0.3901839604817, 0.61964144459469, 55.936228623347, 0.80861211079789, -0.74783610048959, 5.5486804282716}};

// ---- spatial slider-crank: t, angle and rate of the crank, place and speed of the slider, centre and angular
// ---- velocity of the rod, force of the crank on it. Computed: spatial_slider_crank.py, steps of 2.5 and ----
// ---- 1.25 ms, which agree to 3e-10 in angle and rate. -------------------------------------------------------

static const double spatial_rows[][14] = {
    {0.2, 1.231059253668, 8.764688002187, 0.2605518841095, 0.394154129721, 0.1302759420547, 0.01228630737364, 0.07332956820322, -1.5166124174, -2.394265418726, 1.750453971838, 2.338417628261, 0.6368398001015, -0.1391125395437},
    {0.5, 5.173801272481, 11.90353662718, 0.1905914834737, -0.314425493308, 0.09529574173683, 0.0858169847885, 0.07780852606648, 4.196425629594, 0.694933421758, -1.201871653343, 11.78274645322, -12.56501613921, -6.392647922267},
    {1, 10.35650777951, 10.59519268795, 0.2404356989184, -0.5498211562444, 0.1202178494592, 0.08210611541846, 0.03614214274633, 3.835710821147, 0.2099119560106, -3.255834341711, 2.207722346728, -2.96427730109, 2.260172145009},
    {2, 19.88322069842, 7.482184540579, 0.2512424047572, 0.367539468394, 0.1256212023786, 0.01563280303372, 0.08046694341324, -0.2302223379514, -2.018311276921, 1.366510845219, 2.475045009164, 0.124997364324, -0.01299193117841},
    {3, 31.13605555622, 8.218860300098, 0.1905973366634, 0.2171993478842, 0.0952986683317, 0.06104926602336, 0.09844364343224, 2.565044877906, -0.6902691758456, 0.6658075349722, 2.599312680216, -0.5357308943927, -1.410128982898},
    {5, 51.0229315494, 6.215820756622, 0.2371551723143, 0.3252286123006, 0.1185775861571, 0.02251719137367, 0.08906364103151, 0.6505431839331, -1.564179400932, 1.034888991708, 2.152764759241, -0.2359991147925, 0.2899741234668}};

// published: Exudyn, sliderCrank3Dbenchmark.py, step 2e-4, second order: the sum, signs taken off, of the
// coordinates of crank and rod

static const double spatial_sum[][2] = {
    {0.2, 3.36427617809219}};

// ---- slider-crank with an elastic rod: t, angle of the rod against the crank, modal coordinates, place of the
// ---- slider; rates of the first three; force of the rail. Computed: flexible_slider_crank.py, steps of 0.1 and
// ---- 0.05 ms, which agree to 1e-11. -------------------------------------------------------------------------

static const double flexible_rows[][9] = {
    {0.01, -2.022161041469, 0.0007027339926378, 4.752946324437e-05, 0.2706300081015, -156.108040432, -0.5855672621883, -0.001189319308182, 48.58454772781},
    {0.02, -3.070618700174, -8.737821522638e-05, 3.393737254166e-06, 0.1507533231969, -75.56516424287, -0.4247191729617, -0.005393919861526, 18.89770909599},
    {0.05, -7.988172267826, 0.0009800866822705, 4.30227058405e-05, 0.3169457350874, -179.4289486353, -0.2765796604474, 0.007131433838369, -55.33595252064},
    {0.08, -11.72836532831, -0.001651509289181, -1.526974853418e-05, 0.4155565534653, -215.7072156879, 0.1722558758986, 0.001313143941317, 226.3240464936},
    {0.1, -15.33116394844, -3.97881938965e-05, 2.306218255491e-05, 0.1697461442307, -89.7495061791, 0.2071395278291, -0.00543131778989, 80.7332168861}};

// clang-format on

// Hinge coordinate and speed of a body with one.
static void get_hinge(const lb_course *course, const char *name, double *q, double *v)
{
    const int body = lb_find_body(course->model, name);
    const int modes = lb_get_mode_count(course->model, body);
    *q = course->q[lb_get_q_offset(course->model, body) + modes];
    *v = course->v[lb_get_v_offset(course->model, body) + modes];
}

static void measure_governor(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    get_hinge(course, "left arm", &found[0], &found[3]);
    get_hinge(course, "slider", &found[1], &found[4]);
    get_hinge(course, "shaft", &found[2], &found[5]);
}

static void measure_spatial(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    get_hinge(course, "crank", &found[0], &found[1]);
    get_hinge(course, "slider", &found[2], &found[3]);
    const lb_node_motion rod = lb_get_course_node(course, "rod", "origin");
    const double *force = lb_get_simulation_loop_forces(course->simulation) + 3;
    const double c = cos(found[0]), s = sin(found[0]);
    for (int i = 0; i < 3; ++i) {
        found[4 + i] = rod.position[i];
        found[7 + i] = rod.velocity[i];
    }
    // from the axes of the crank to the world's
    found[10] = force[0];
    found[11] = c * force[1] - s * force[2];
    found[12] = s * force[1] + c * force[2];
}

static void measure_spatial_sum(lb_course *course, const double *reference, double *found)
{
    double angle, rate;
    (void)reference;
    get_hinge(course, "crank", &angle, &rate);
    const lb_node_motion crank = lb_get_course_node(course, "crank", "origin");
    const lb_node_motion rod = lb_get_course_node(course, "rod", "origin");
    // axes of theirs in ours: along the rod (2, -1, -2), along the pin of the cross (-2, 6, -5)
    const lb_quat axes = {0.84028628893658597, -0.35672438374536947, 0.40745939232370831,
                          -0.025367504289169417};
    const lb_quat a = lb_quat_mul(lb_quat_from(rod.rotation), axes);
    found[0] =
        fabs(cos(angle / 2)) + fabs(sin(angle / 2)) + fabs(a.w) + fabs(a.x) + fabs(a.y) + fabs(a.z);
    for (int i = 0; i < 3; ++i) {
        found[0] += fabs(crank.position[i]) + fabs(rod.position[i]);
    }
}

static void measure_flexible(lb_course *course, const double *reference, double *found)
{
    double speed;
    (void)reference;
    get_hinge(course, "rod", &found[0], &found[4]);
    get_hinge(course, "slider", &found[3], &speed);
    const int body = lb_find_body(course->model, "rod");
    for (int i = 0; i < 2; ++i) {
        found[1 + i] = course->q[lb_get_q_offset(course->model, body) + i];
        found[5 + i] = course->v[lb_get_v_offset(course->model, body) + i];
    }
    found[7] = lb_get_simulation_loop_forces(course->simulation)[4];
}

const lb_published lb_published_governor = {"stiff_governor.yaml", TABLE(governor_rows), 6,
                                            measure_governor};
const lb_published lb_published_governor_rods = {"stiff_governor_rods.yaml",
                                                 TABLE(governor_rods_rows), 6, measure_governor};
const lb_published lb_published_spatial = {"spatial_slider_crank.yaml", TABLE(spatial_rows), 13,
                                           measure_spatial};
const lb_published lb_published_spatial_sum = {"spatial_slider_crank.yaml", TABLE(spatial_sum), 1,
                                               measure_spatial_sum};
const lb_published lb_published_flexible_crank = {"flexible_slider_crank.yaml",
                                                  TABLE(flexible_rows), 8, measure_flexible};
