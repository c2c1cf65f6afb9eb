// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reference numbers of rigid trees, and how they are found in a run.
#include "published.h"

#include <math.h>

#define PI 3.14159265358979323846
#define LENGTH(array) (int)(sizeof(array) / sizeof(array)[0])
#define WIDTH(array) (int)(sizeof(array)[0] / sizeof(array)[0][0])
#define TABLE(array) (array)[0], LENGTH(array), WIDTH(array)

// clang-format off

// ---- IFToMM A01: t, x, y, vx, vy, tension. Exact (Jacobi elliptic functions, 40 digits). ------------

static const double pendulum_rows[][6] = {
    {0.5, -0.3910487915505463876, -0.9203699487851922037, 3.9110480039555524848, -1.6617346075474145197, 27.086487592748206557},
    {1.0, 0.98629175113187531936, -0.1650108531255411687, 0.29690551591631582156, 1.7746436411126556265, 4.8562694074846765964},
    {1.5, 0.88413236028430365004, -0.4672365241482158421, -1.4146684834252117861, -2.6769186924132391565, 13.750770905681992234},
    {2.0, -0.7935661953433217469, -0.6084839304437915146, -2.1024378744361257895, 2.7419353930105090799, 17.907682072960784275},
    {2.5, -0.9963344039582815248, -0.0855438804888806072, 0.11082377057174633173, -1.2907707104935788886, 2.5175564027877562704},
    {3.0, 0.17665178992283818942, -0.9842734097378926165, 4.325368674538742475, 0.77629255334339979188, 28.967166448586179706},
    {3.5, 0.99991364014766140139, -0.0131420031446161686, 0.00667331847845557775, 0.50774163559615074447, 0.38676915254605384414},
    {4.0, 0.57756362824863139373, -0.8163456714678388716, -3.267086574570770257, -2.3114600122992457897, 24.025053111298497991},
    {4.5, -0.9632930177034550339, -0.2684521596928791082, -0.6160980792384874422, 2.2107588131528356643, 7.9005470597614321556},
    {5.0, -0.9423054350437573355, -0.3347543384140005807, 0.85790425688594907306, -2.4149286543704886226, 9.8518201795240370926},
    {5.5, 0.66529259655513118648, -0.7465827221205507159, 2.8573694955332832502, 2.5462506895435640587, 21.971929512007807571},
    {6.0, 0.99949753993935277802, -0.0316964927899270640, -0.0249957583233875093, -0.7882007362367836569, 0.93282778280755349595},
    {6.5, 0.05119453982595532070, -0.9986886997918864379, -4.4207372728727258613, -0.2266147703717179189, 29.391408434875217869},
    {7.0, -0.9986187791754797981, -0.0525407829982987162, -0.0533450728427386959, 1.0139055506456327296, 1.5462752436399312202},
    {7.5, -0.7274587213083754834, -0.6861514474169556755, 2.5175579567116843532, -2.6691184561420947182, 20.19343709748100553},
    {8.0, 0.91985798310773848917, -0.3922515658515125575, 1.0881694534505062498, 2.5518352146218029041, 11.543963583010014567},
    {8.5, 0.97562599987172903279, -0.2194399880930751903, -0.4553267422799481608, -2.0243740079715667259, 6.4581188495792028511},
    {9.0, -0.4983737090575589367, -0.8669623095153627250, -3.5756074003064943818, 2.0554396686755000707, 25.514700769037124999},
    {9.5, -0.9999919152529109977, -0.0040211228301146120, 0.00112945910443532491, -0.2808792520799286387, 0.11834164489027303258},
    {10.0, -0.2750874625761168600, -0.9614192050991250642, 4.1755981009517288365, -1.1947490545604752716, 28.294567206067250641}};

// ---- torque-free body of moments 1, 2, 3: t, angular velocity (exact), quaternion (computed: Taylor ---
// ---- series of 40 terms in quadruple precision) --------------------------------------------------------

static const double torque_free_rows[][8] = {
    {1, 0.933725391823885522, 1.17394927175893399, 0.735264829236529474, 0.65867081687333973, 0.51616471416613308, 0.28301565549437674, 0.46864579545141533},
    {5, -1.19365879864702699, -0.908393456830538982, 0.85143434422693719, -0.84525622769485964, 0.25611397856301893, -0.28914291311944901, -0.3692477695538266},
    {10, 0.612905351913292659, 1.36906794192108774, 0.612550125949965861, 0.62867565189156605, 0.54255567550856743, 0.35725701436534829, 0.42751337918118293},
    {50, 0.303978095277616911, -1.46887620907665056, 0.529906495653905575, -0.85193429880913973, 0.42627339665287528, -0.02817072000207484, -0.30282891597924505},
    {100, -1.10300050741809231, -1.01655785897086591, 0.809652213271140492, 0.81347777957202561, -0.27042241843311171, 0.21478361133838625, 0.46796753952789816}};

// ---- double pendulum of rods: t, absolute angles, rates, estimated error. Computed (DOP853, LSODA). --

static const double rod_rows[][6] = {
    {0.5, -0.7691815668316883, -0.21317990803386508, -2.899669877044579, -1.0695120301342183, 3.3e-13},
    {1, -2.2272028399655324, -1.4896877011075094, -1.9495974608762159, -3.9480427097939312, 2.2e-12},
    {2, -1.879700087725337, -4.912935116148085, 1.8494418882610388, -2.3318800463073717, 1.0e-12},
    {3, -0.6312827197794226, -8.607729119853264, -1.7035978527897249, -3.9277541795998063, 1.9e-12},
    {5, -0.9145987843839496, -7.577710906986696, 2.7792540764655023, 2.6924229410056695, 1.0e-11},
    {10, -2.2029113711301216, -11.190457813971477, 2.5871681135708746, 0.35023862313109183, 3.2e-10}};

// ---- babyboot: t, angles in degrees, rates, accelerations. Computed (Taylor series, 34 digits). -------

static const double babyboot_rows[][7] = {
    {1, 81.4990021149819, 1.98592784475524, 3.73601550515933, 0.225577310526278, -46.6965759721762, -0.483404045658766},
    {2, 56.4260438450292, 3.91347881658647, 7.21862933684479, 1.63576252616631, -39.2724923751176, -3.54811961019992},
    {5, -45.1977566565739, -328.021405429938, 8.09927930240217, -6.2239351740433, 31.8142642758967, -29.4689405897949},
    {10, -61.3129835175017, -929.477898137001, -6.74400807537377, -2.77956967231066, 41.1370231765261, 19.4836474888299}};

// published: MotionGenesis, as kept by Drake (multibody/benchmarks/chaotic_babyboot); seven digits hold
static const double babyboot_end[][7] = {
    {10, -61.312983340691, -929.47789677244, -6.7440081040646, -2.7795690128833, 41.137023263571, 19.483647096003}};

// ---- KUKA iiwa: torques, and wrenches (moment, force) at the joints in world axes. Computed by an ----
// ---- independent Newton-Euler program; its kinematics match Drake's benchmark to 2e-15. The position --
// ---- is Drake's. ---------------------------------------------------------------------------------------

const double lb_kuka_position[3] = {0.2970356451892219, 0.1727696964662288, 1.154681973689345};
const double lb_kuka_torques[7] = {0.8848188219902572, -30.31957093303906, -4.260770502657783, -5.1128681569034375, 0.3271237385627988, -0.055363852684115256, 0.0008649076642538987};
const double lb_kuka_torques_at_rest[7] = {0.0, -33.89481106048788, -4.8540133187049825, -4.401760533681908, 0.3619577294124408, -0.022757120072752737, 0.0};
const double lb_kuka_wrenches[7][6] = {
    {20.723776315951827, -22.81093308531158, 0.8848188219902572, 1.0782570609319788, 4.94721216449281, 247.76852843106582},
    {22.563593258552174, -21.55785194094715, 0.8725800219902572, 1.0192735528297183, 4.841593731651044, 191.3205284310658},
    {9.099113560899797, -16.501656434525138, 0.7042263920469523, 1.1411601850622461, 4.772063547790911, 129.2149499207304},
    {-0.42926782559552795, -11.30818931707999, 0.5731407299319052, 1.1554494416759369, 4.109677647675076, 95.24681055372659},
    {0.03963836927392539, -4.009156339825498, 0.21905985708548703, 1.2202932629547492, 2.9698444955311345, 61.63468179629916},
    {-0.024273795234587177, 0.0585564573520457, 0.002634529709058116, 0.7959444265973163, 1.4907132242156502, 28.299303811921035},
    {-0.003599610280603502, 0.011172656967863055, 0.00046315507580828666, 0.3713686228230062, 0.5471490388665917, 11.305874664613826}};

// ---- oblique pendulum: MSC ADAMS, six digits, as kept by Project Chrono (data/testing/joints/ ---------
// ---- revolute_joint, case 02): t, position, quaternion, velocity, angular velocity, acceleration, -----
// ---- angular acceleration of the centre; force and torque on the ground, in world axes. ----------------

static const double adams_rows[][26] = {
    {0.0, 3.0, 2.0, 3.0, 0.92388, -0.382683, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.78373, -4.78373, 0.0, 2.39187, 2.39187, 0.0, -4.78373, -5.02292, 0.0, 9.80665, -9.80665},
    {1.0, 1.0421, 3.4139, 1.5861, 0.660122, -0.273432, 0.267735, 0.646368, -5.20028, 0.0774282, -0.0774282, 0.0, 1.83898, 1.83898, -0.427164, -9.56081, 9.56068, 0.0, 0.0502448, 0.0502448, 0.427164, 9.56081, -19.3673, -13.8654, 0.206446, -0.206446},
    {2.5, -0.846888, 2.54268, 2.45732, 0.180755, -0.0748712, 0.375288, 0.906025, 1.23656, 2.10417, -2.10417, 0.0, -1.13931, -1.13931, 7.19193, 2.67074, -2.67027, 0.0, -2.20835, -2.20835, -7.19193, -2.67074, -7.13638, -5.32214, -9.05632, 9.05632},
    {5.0, 1.20996, 3.4064, 1.5936, 0.686717, -0.284447, 0.256001, 0.61804, -5.15895, 0.385088, -0.385088, 0.0, 1.8341, 1.8341, -2.11895, -9.40977, 9.40974, 0.0, 0.250944, 0.250944, 2.11895, 9.40977, -19.2164, -13.792, 1.0295, -1.0295}};

// ---- hinged cubes: moment, force. Simbody (Simbody/tests/GazeboReactionForceWithAppliedForceRigid.cpp) -
// ---- but for the last, which is by statics: 50 N and 25 N m in axes turned by 45 degrees. ---------------

static const double cubes_rows[][25] = {
    {5, -25, 175, 0, 0, 0, -300, 25, -175, 0, -1, 0, 300, -25, 0, 0, 0, 0, -50,
     17.677669529663689, 0, -17.677669529663689, 35.355339059327378, 0, 35.355339059327378}};
// clang-format on

static void measure_pendulum(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    const lb_node_motion tip = lb_get_course_node(course, "rod", "tip");
    const double *p = tip.position, *a = tip.acceleration + 3;
    found[0] = p[0];
    found[1] = p[1];
    found[2] = tip.velocity[3];
    found[3] = tip.velocity[4];
    // tension: what the rod pulls the mass with, towards the pivot
    found[4] = -(a[0] * p[0] + (a[1] + 9.81) * p[1]);
}

// A quaternion and its negative are the same rotation: the one nearer to the reference.
static void choose_sign(const double *quaternion, const double *reference, double *found)
{
    double product = 0.0;
    for (int i = 0; reference && i < 4; ++i) {
        product += quaternion[i] * reference[i];
    }
    for (int i = 0; i < 4; ++i) {
        found[i] = product < 0.0 ? -quaternion[i] : quaternion[i];
    }
}

static void measure_free_body(lb_course *course, const double *reference, double *found)
{
    for (int i = 0; i < 3; ++i) {
        found[i] = course->v[i];
    }
    choose_sign(course->q, reference ? reference + 3 : NULL, found + 3);
}

static void measure_rods(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    found[0] = course->q[0];
    found[1] = course->q[0] + course->q[1];
    found[2] = course->v[0];
    found[3] = course->v[0] + course->v[1];
}

static void measure_babyboot(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    for (int i = 0; i < 2; ++i) {
        found[i] = course->q[i] * 180 / PI;
        found[2 + i] = course->v[i];
        found[4 + i] = course->a[i];
    }
}

// Moment and force in other axes, times a factor.
static void turn(lb_mat3 R, double factor, const double *wrench, double *turned)
{
    for (int i = 0; i < 6; i += 3) {
        const lb_vec3 part = lb_mat3_mul_vec(&R, lb_vec3_from(wrench + i));
        lb_vec3_to(lb_vec3_scale(factor, part), turned + i);
    }
}

// Reactions on all bodies at the present state, in their axes.
static void get_reactions(lb_course *course, double *reactions)
{
    double tau[8];
    assert_true(course->v_count <= 8);
    lb_work *work = lb_create_work(course->model);
    lb_expect_ok(
        lb_compute_inverse_dynamics(course->model, work, course->q, course->v, course->a, tau));
    lb_expect_ok(lb_compute_reactions(course->model, work, NULL, reactions));
    lb_destroy_work(work);
}

static void measure_oblique(lb_course *course, const double *reference, double *found)
{
    double reaction[6], world[6];
    const lb_node_motion centre = lb_get_course_node(course, "rod", "centre");
    choose_sign(centre.rotation, reference ? reference + 3 : NULL, found + 3);
    // ours acts on the rod in its axes, theirs on the ground in the world's
    get_reactions(course, reaction);
    turn(lb_quat_to_mat3(lb_quat_from(centre.rotation)), -1.0, reaction, world);
    for (int i = 0; i < 3; ++i) {
        found[i] = centre.position[i];
        found[7 + i] = centre.velocity[3 + i];
        found[10 + i] = centre.velocity[i];
        found[13 + i] = centre.acceleration[3 + i];
        found[16 + i] = centre.acceleration[i];
        found[19 + i] = world[3 + i];
        found[22 + i] = world[i];
    }
}

static void measure_cubes(lb_course *course, const double *reference, double *found)
{
    (void)reference;
    double reactions[18];
    get_reactions(course, reactions);
    for (int pin = 0; pin < 2; ++pin) {
        const double *on_child = reactions + 6 * (pin + 1);
        const double c = cos(course->q[pin]), s = sin(course->q[pin]);
        // from the axes of the child to those of the parent: about y
        const lb_mat3 R = {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
        turn(R, -1.0, on_child, found + 12 * pin);
        for (int i = 0; i < 6; ++i) {
            found[12 * pin + 6 + i] = on_child[i];
        }
    }
}

void lb_compute_kuka(lb_kuka *kuka)
{
    lb_course course = lb_begin_example("iiwa.yaml");
    const lb_model *model = course.model;
    lb_work *work = lb_create_work(model);
    double q[7], v[7], a[7], reactions[7 * 6], zero[7] = {0};
    for (int i = 0; i < 7; ++i) {
        q[i] = (i % 2 ? 30 : 60) * PI / 180;
        v[i] = 0.1 * (i + 1);
        a[i] = 0.1 * (7 - i);
    }
    lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, v, a, kuka->torques));
    lb_expect_ok(lb_compute_reactions(model, work, NULL, reactions));
    for (int k = 0; k < 7; ++k) {
        // from the axes of O to the world's
        lb_node_motion node;
        lb_expect_ok(lb_compute_node_motion(model, work, k, 0, &node));
        turn(lb_quat_to_mat3(lb_quat_from(node.rotation)), 1.0, reactions + 6 * k,
             kuka->wrenches[k]);
        lb_vec3_to(lb_vec3_from(node.position), kuka->position);
    }
    lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, zero, zero, kuka->torques_at_rest));
    lb_destroy_work(work);
    lb_end_course(&course);
}

const lb_published lb_published_pendulum = {"simple_pendulum.yaml", TABLE(pendulum_rows), 5,
                                            measure_pendulum};
const lb_published lb_published_free_body = {"torque_free.yaml", TABLE(torque_free_rows), 7,
                                             measure_free_body};
const lb_published lb_published_rods = {"rod_pendulum.yaml", TABLE(rod_rows), 4, measure_rods};
const lb_published lb_published_babyboot = {"babyboot.yaml", TABLE(babyboot_rows), 6,
                                            measure_babyboot};
const lb_published lb_published_babyboot_end = {"babyboot.yaml", TABLE(babyboot_end), 6,
                                                measure_babyboot};
const lb_published lb_published_oblique = {"oblique_pendulum.yaml", TABLE(adams_rows), 25,
                                           measure_oblique};
const lb_published lb_published_cubes = {"hinged_cubes.yaml", TABLE(cubes_rows), 24, measure_cubes};

void lb_follow_published(const lb_published *problem,
                         void (*check)(const double *row, const double *found))
{
    lb_course course = lb_begin_example(problem->example);
    lb_start_course(&course);
    for (int i = 0; i < problem->row_count; ++i) {
        const double *row = lb_get_published_row(problem, i);
        double found[LB_PUBLISHED_MAX];
        lb_go_to(&course, row[0]);
        problem->measure(&course, row + 1, found);
        check(row, found);
    }
    lb_end_course(&course);
}
