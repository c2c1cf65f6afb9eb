// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reference numbers of closed chains, and how they are found in a run.
#include "dynamics/loops/closed_chain.h"
#include "published.h"

#include <math.h>

#define PI 3.14159265358979323846
#define LENGTH(array) (int)(sizeof(array) / sizeof(array)[0])
#define WIDTH(array) (int)(sizeof(array)[0] / sizeof(array)[0][0])
#define TABLE(array) (array)[0], LENGTH(array), WIDTH(array)

// clang-format off

// ---- IFToMM A02, two four-bars: t, x, y, vx, vy of the first tip, angle, rate. Computed (one degree of -
// ---- freedom, Taylor series of 24 digits). --------------------------------------------------------------

static const double four_bars_rows[][7] = {
    {0.5, 0.6952866331644005, 0.7187325634357416, 1.960205425371833, -1.896261140586577, 0.8019776992396906, -2.727308494277073},
    {1, -0.1950203019494351, -0.9807992056621738, -6.676678036881158, 1.327578325160487, -1.767074476310201, -6.807385240869446},
    {2, 0.05781579576801143, 0.9983272678634555, 1.017260136620437, -0.05891224871344565, -4.770237034517435, -1.018964591438537},
    {4, 0.1176161023768086, 0.9930591384513251, 1.069039265028969, -0.1266150491667203, -11.11346326671908, -1.076511180085543},
    {5, -0.8113104610051074, -0.5846155453489755, -3.569117397193209, 4.953105171313327, -15.08355715985859, -6.105067553519621},
    {10, 0.3284581115408154, 0.944518538178601, 1.423051470206944, -0.494868845487043, -30.17980086019121, -1.506642180841829}};

// published: Exudyn, fourBarMechanismIftomm.py, step 1.25e-4, second order

static const double four_bars_end[][5] = {
    {10, 0.3284573768, 0.9445187937, 1.423050003, -0.4948670827}};

// ---- the same with forty ---------------------------------------------------------------------------------

static const double four_bars_40_rows[][7] = {
    {1, -0.1153568806321099, -0.9933241113004502, -6.669987523941772, 0.7746000986623433, -1.686410598114917, -6.714814880723563},
    {2, 0.03446630730040716, 0.999405860329563, 1.005951172814109, -0.03469203416516176, -4.74686211524122, -1.006549203626231},
    {5, -0.5401900506755263, -0.8415430524644431, -5.436369112578549, 3.489628365197338, -14.70782987014008, -6.460001180757471},
    {10, 0.1805122266867284, 0.9835727405823116, 1.148441277469414, -0.2107700667794239, -30.02663741719084, -1.167622108751707},
    {20, 0.4109011537629452, 0.9116799009719807, 1.56678537190907, -0.7061622355938373, -61.68449904139603, -1.718569610055737}};

// ---- Andrews' squeezing mechanism at 0.03 s: seven angles, rates, accelerations, six multipliers. ----------
// ---- published: test set for IVP solvers (PSIDE, tolerance 1e-14); computed: index 1, DOP853, which shows -
// ---- how many of the published digits hold. --------------------------------------------------------------

static const double andrews_published[][28] = {
    {0.03, 15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805303, 0.5347301163226948, 1.048080741042263, 1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808, -19.29337464421385, 0.3231791658026955, -24631.76316945196, 51850.37701610329, 324102.5686413781, 566749.3645176213, 16743.62929479361, -566749.3645176222, 9826.520791458423, 199.175333373191, -29.75531228015052, 23.06654119098399, 31.45271365475927, 22.64249232082739, 11.61740700019673}};

static const double andrews_computed[][28] = {
    {0.03, 15.810771195153889, -15.756371058412075, 0.04082224011963668, -0.5347301163420995, 0.5244099658799516, 0.5347301163420953, 1.0480807410419373, 1139.9203022590834, -1424.3792951775072, 11.03291191067176, 19.293374105124865, 0.5735699148324022, -19.293374105125007, 0.3231791492502633, -24631.76312305928, 51850.319636750675, 324102.6007075575, 566749.4220009587, 16743.635418347905, -566749.4220009587, 9826.507801538892, 199.17534810452824, -29.75530997498646, 23.0665436116214, 31.452725275775837, 22.642494786392806, 11.617392352605554}};

// ---- Bricard's mechanism, IFToMM A04: t, position, velocity of P3. Computed (relative angles, loop by -------
// ---- singular values, DOP853). ----------------------------------------------------------------------------

static const double bricard_rows[][7] = {
    {0.5, 0.7747178080395648, -0.9798150476557214, -0.19990615895318592, -0.826939922804165, 0.13070721701622634, -0.6406450843751575},
    {1.0, 0.2744813192651148, -0.8867079387347425, -0.46233000268724117, -1.09491945241334, 0.156699079370415, -0.30053493578757484},
    {1.5, -0.27901757542056116, -0.8873613788326754, -0.4610745963032159, -1.0942625108809687, -0.15864403712349032, 0.30531847265954104},
    {2.0, -0.7781353730328957, -0.9803526834431947, -0.197252670617478, -0.8223592716500023, -0.12875298348689018, 0.6399068386124405},
    {2.5, -0.9999831852925771, -0.9999999998586352, -1.6814566055624915e-05, 0.008114684553210284, 1.3644260517917425e-07, -0.008114548107186627},
    {3.0, -0.7712813589694469, -0.9792693298399338, -0.20256253265312174, 0.8314726771985912, 0.13265321594097979, -0.6412993764155991},
    {3.5, -0.26994237028620494, -0.8860626236899987, -0.46356555836213276, 1.095562091775911, 0.15472297158572262, -0.2957386278498011},
    {4.0, 0.2835510790801955, -0.8880228141228195, -0.4597993927762283, 1.0935910730003968, -0.1605574754515017, 0.3100889288216422},
    {4.5, 0.7815338554142541, -0.9808822047133069, -0.19460241642066586, 0.8177307064106222, -0.12679130601213243, 0.6390842316717236},
    {5.0, 0.9999327423016768, -0.9999999977383531, -6.725543652425552e-05, -0.016228823310770073, 1.0914031883041735e-06, -0.01622773179749474},
    {5.5, 0.7678262242655022, -0.9787155657542046, -0.20522144466509135, -0.8359575622123397, 0.13459019325754434, -0.6418701386396063},
    {6.0, 0.26540078736113315, -0.8854255620150834, -0.4647812110340453, -1.0961906187347632, 0.1527160896954863, -0.2909298533102196},
    {6.5, -0.2880817697573706, -0.8886921132269221, -0.4585044469667307, -1.09290494016521, -0.1624390315534566, 0.314845989339273},
    {7.0, -0.784913056597589, -0.9814035822605237, -0.19195574679131486, -0.8130542198664675, -0.1248229784726605, 0.6381768728949675},
    {7.5, -0.9998486744202109, -0.999999988552017, -0.0001513141300737781, 0.024341870470056245, 3.682711623891362e-06, -0.02433818692241896},
    {8.0, -0.7643526022360592, -0.9781537944100615, -0.20788254972748227, 0.8403946152201108, 0.1365173660433451, -0.6423578110485756},
    {8.5, -0.2608566285895253, -0.8847968804552228, -0.46597690966045313, 1.0968052186619712, 0.1506788160986817, -0.2861089115596561},
    {9.0, 0.2926095861334201, -0.8893691432769937, -0.4571898150514144, 1.0922039093269083, -0.16428834928017713, 0.3195893338813518},
    {9.5, 0.7882727779879275, -0.9819167901752539, -0.1893130137415978, 0.8083298149489632, -0.1228487975277186, 0.6371843887602995},
    {10.0, 0.9997309873029961, -0.999999963825817, -0.00026897651308831113, -0.03245328021376272, 8.7268222082544e-06, -0.03244454986935308}};

// ---- slider-crank: t, angle and rate of the crank. published: Exudyn (ode45 at 1e-6); computed -------------

static const double slider_crank_rows[][3] = {
    {1.0, 14.12789222, 20.53748285},
    {2.0, 55.0724438, 39.79557704},
    {3.0, 121.88627751, 101.36564511}};

static const double slider_crank_end[][3] = {
    {3, 121.89082, 101.69399}};

// clang-format on

static void measure_four_bars(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    const lb_node_motion tip = lb_get_course_node(course, "crank0", "tip");
    for (int i = 0; i < 2; ++i) {
        found[i] = tip.position[i];
        found[2 + i] = tip.velocity[3 + i];
    }
    found[4] = course->q[0] + PI / 2; // from the x axis
    found[5] = course->v[0];
}

// Forces in the axes of a node, in the world's.
static lb_vec3 turn_to_world(lb_course *course, const char *body, const double *force)
{
    const lb_node_motion node = lb_get_course_node(course, body, "E");
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(node.rotation));
    return lb_mat3_mul_vec(&R, lb_vec3_from(force));
}

static void measure_andrews(lb_course *course, const double *reference, double *found)
{
    static const char *const bodies[] = {"k1", "k2", "k3", "k4", "k5", "k6", "k7"};
    static const char *const ends[] = {"k3", "k4", "k6"};
    (void)reference;
    for (int i = 0; i < 7; ++i) {
        const int at = lb_get_v_offset(course->model, lb_find_body(course->model, bodies[i]));
        found[i] = course->q[at];
        found[7 + i] = course->v[at];
        found[14 + i] = course->a[at];
    }
    // theirs act the other way
    const double *forces = lb_get_simulation_loop_forces(course->simulation);
    for (int l = 0; l < 3; ++l) {
        const lb_vec3 force = turn_to_world(course, ends[l], forces + 6 * l + 3);
        found[21 + 2 * l] = -force.x;
        found[22 + 2 * l] = -force.y;
    }
}

static void measure_bricard(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    const lb_node_motion joint = lb_get_course_node(course, "rod2", "end");
    for (int i = 0; i < 3; ++i) {
        found[i] = joint.position[i];
        found[3 + i] = joint.velocity[3 + i];
    }
}

static void measure_crank(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    found[0] = course->q[0];
    found[1] = course->v[0];
}

const lb_published lb_published_four_bars = {"four_bars.yaml", TABLE(four_bars_rows), 6,
                                             measure_four_bars};
const lb_published lb_published_four_bars_end = {"four_bars.yaml", TABLE(four_bars_end), 4,
                                                 measure_four_bars};
const lb_published lb_published_four_bars_40 = {"four_bars_40.yaml", TABLE(four_bars_40_rows), 6,
                                                measure_four_bars};
const lb_published lb_published_andrews = {"andrews.yaml", TABLE(andrews_published), 27,
                                           measure_andrews};
const lb_published lb_published_andrews_again = {"andrews.yaml", TABLE(andrews_computed), 27,
                                                 measure_andrews};
const lb_published lb_published_bricard = {"bricard.yaml", TABLE(bricard_rows), 6, measure_bricard};
const lb_published lb_published_slider_crank = {"slider_crank.yaml", TABLE(slider_crank_rows), 2,
                                                measure_crank};
const lb_published lb_published_slider_crank_end = {"slider_crank.yaml", TABLE(slider_crank_end), 2,
                                                    measure_crank};

// ---- Drake's four-bar linkage at rest: exact -------------------------------------------------------

void lb_compute_hanging_bars(lb_hanging_bars *bars)
{
    lb_course course = lb_begin_example("four_bar.yaml");
    const lb_model *model = course.model;
    const double *q, *v;
    double a[3], reactions[18], forces[6];
    lb_expect_ok(lb_trim_simulation(course.simulation, NULL));
    lb_get_initial_state(course.simulation, &q, &v);
    for (int i = 0; i < 3; ++i) {
        bars->angles[i] = q[i] * 180 / PI;
    }
    lb_work *work = lb_create_work(model);
    assert_true(lb_closed_forward(model, work, q, v, NULL, NULL, a, NULL, forces) >= 0);
    lb_expect_ok(lb_compute_reactions(model, work, NULL, reactions));
    // from the axes of bars A and C to the world's
    for (int i = 0; i < 2; ++i) {
        const double angle = q[2 * i], *f = reactions + 12 * i + 3;
        bars->pins[i] = sin(angle) * f[0] + cos(angle) * f[1];
    }
    // what bar C pushes bar B with, in the axes of C
    bars->compression = -(cos(q[2]) * forces[3] - sin(q[2]) * forces[4]);
    lb_destroy_work(work);
    lb_end_course(&course);
}

// atan(sqrt 15); 3 m g / 2; m g / sqrt 15
const double lb_hanging_angles[3] = {75.52248781407008, 104.47751218592992, 104.47751218592992};
const double lb_hanging_pin = 294.0, lb_hanging_compression = 50.60698239044358;
