// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Published and exact problems of rigid trees: the files of examples/, integrated, at the tolerances
// that their sources allow.
#include <math.h>
#include <stdio.h>

#include "course.h"
#include "scratch.h"

#define PI 3.14159265358979323846

// ---- IFToMM A01: t, x, y, vx, vy, tension. Exact (Jacobi elliptic functions, 40 digits). ------------

// clang-format off
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

// ---- torque-free body of moments 1, 2, 3: t, angular velocity (exact), quaternion (computed, 1e-13) --

static const double torque_free_rows[][8] = {
    {1, 0.933725391823885522, 1.17394927175893399, 0.735264829236529474, 0.6586708168733386, 0.5161647141661928, 0.28301565549434016, 0.46864579545137314},
    {5, -1.19365879864702699, -0.908393456830538982, 0.85143434422693719, -0.845256227694861, 0.25611397856303364, -0.2891429131194148, -0.3692477695538405},
    {10, 0.612905351913292659, 1.36906794192108774, 0.612550125949965861, 0.6286756518915503, 0.5425556755085789, 0.35725701436533325, 0.42751337918120424},
    {50, 0.303978095277616911, -1.46887620907665056, 0.529906495653905575, -0.8519342988092043, 0.42627339665308184, -0.028170720002449492, -0.3028289159787376},
    {100, -1.10300050741809231, -1.01655785897086591, 0.809652213271140492, 0.8134777795730613, -0.2704224184330286, 0.21478361134032778, 0.4679675395252547}};

// ---- double pendulum of rods: t, absolute angles, rates, estimated error. Computed (DOP853, LSODA). --

static const double rod_rows[][6] = {
    {0.5, -0.7691815668316883, -0.21317990803386508, -2.899669877044579, -1.0695120301342183, 3.3e-13},
    {1, -2.2272028399655324, -1.4896877011075094, -1.9495974608762159, -3.9480427097939312, 2.2e-12},
    {2, -1.879700087725337, -4.912935116148085, 1.8494418882610388, -2.3318800463073717, 1.0e-12},
    {3, -0.6312827197794226, -8.607729119853264, -1.7035978527897249, -3.9277541795998063, 1.9e-12},
    {5, -0.9145987843839496, -7.577710906986696, 2.7792540764655023, 2.6924229410056695, 1.0e-11},
    {10, -2.2029113711301216, -11.190457813971477, 2.5871681135708746, 0.35023862313109183, 3.2e-10}};

// ---- babyboot: t, angles in degrees, rates, accelerations. Computed (Taylor series, 34 digits); ------
// ---- MotionGenesis agrees to 7 digits at t = 10. ------------------------------------------------------

static const double babyboot_rows[][7] = {
    {1, 81.4990021149819, 1.98592784475524, 3.73601550515933, 0.225577310526278, -46.6965759721762, -0.483404045658766},
    {2, 56.4260438450292, 3.91347881658647, 7.21862933684479, 1.63576252616631, -39.2724923751176, -3.54811961019992},
    {5, -45.1977566565739, -328.021405429938, 8.09927930240217, -6.2239351740433, 31.8142642758967, -29.4689405897949},
    {10, -61.3129835175017, -929.477898137001, -6.74400807537377, -2.77956967231066, 41.1370231765261, 19.4836474888299}};

// ---- KUKA iiwa: torques, and wrenches (moment, force) at the joints in world axes. Computed by an ----
// ---- independent Newton-Euler program; its kinematics match Drake's benchmark to 2e-15. ---------------

static const double kuka_position[3] = {0.2970356451892219, 0.1727696964662288, 1.154681973689345};
static const double kuka_tau[7] = {0.8848188219902572, -30.31957093303906, -4.260770502657783, -5.1128681569034375, 0.3271237385627988, -0.055363852684115256, 0.0008649076642538987};
static const double kuka_tau_static[7] = {0.0, -33.89481106048788, -4.8540133187049825, -4.401760533681908, 0.3619577294124408, -0.022757120072752737, 0.0};
static const double kuka_wrenches[7][6] = {
    {20.723776315951827, -22.81093308531158, 0.8848188219902572, 1.0782570609319788, 4.94721216449281, 247.76852843106582},
    {22.563593258552174, -21.55785194094715, 0.8725800219902572, 1.0192735528297183, 4.841593731651044, 191.3205284310658},
    {9.099113560899797, -16.501656434525138, 0.7042263920469523, 1.1411601850622461, 4.772063547790911, 129.2149499207304},
    {-0.42926782559552795, -11.30818931707999, 0.5731407299319052, 1.1554494416759369, 4.109677647675076, 95.24681055372659},
    {0.03963836927392539, -4.009156339825498, 0.21905985708548703, 1.2202932629547492, 2.9698444955311345, 61.63468179629916},
    {-0.024273795234587177, 0.0585564573520457, 0.002634529709058116, 0.7959444265973163, 1.4907132242156502, 28.299303811921035},
    {-0.003599610280603502, 0.011172656967863055, 0.00046315507580828666, 0.3713686228230062, 0.5471490388665917, 11.305874664613826}};

// ---- oblique pendulum: MSC ADAMS, six digits, as kept by Project Chrono ------------------------------

typedef struct adams_row {
    double t, position[3], velocity[3], acceleration[3], force[3], torque[3];
} adams_row;

static const adams_row adams_rows[] = {
    {0, {3.0, 2.0, 3.0}, {0.0, 0.0, 0.0}, {0.0, 4.78373, -4.78373}, {0.0, -4.78373, -5.02292}, {-2.92919e-17, 9.80665, -9.80665}},
    {1, {1.0421, 3.4139, 1.5861}, {-5.20028, 0.0774282, -0.0774282}, {-0.427164, -9.56081, 9.56068}, {0.427164, 9.56081, -19.3673}, {-13.8654, 0.206446, -0.206446}},
    {2.5, {-0.846888, 2.54268, 2.45732}, {1.23656, 2.10417, -2.10417}, {7.19193, 2.67074, -2.67027}, {-7.19193, -2.67074, -7.13638}, {-5.32214, -9.05632, 9.05632}},
    {5, {1.20996, 3.4064, 1.5936}, {-5.15895, 0.385088, -0.385088}, {-2.11895, -9.40977, 9.40974}, {2.11895, 9.40977, -19.2164}, {-13.792, 1.0295, -1.0295}}};
// clang-format on

static void pendulum_swings_as_the_elliptic_functions_say(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("simple_pendulum.yaml");
    lb_start_course(&course);
    for (size_t i = 0; i < sizeof pendulum_rows / sizeof pendulum_rows[0]; ++i) {
        const double *row = pendulum_rows[i];
        lb_go_to(&course, row[0]);
        const lb_node_motion tip = lb_get_course_node(&course, "rod", "tip");
        const double found[] = {tip.position[0], tip.position[1], tip.velocity[3], tip.velocity[4]};
        // 2e-12: 1e-12 is asked for at speeds up to 4.4 m/s
        lb_expect_within("x, y, vx, vy", found, row + 1, 4, 2e-12);
        // tension: what the rod pulls the mass with, towards the pivot
        const double *p = tip.position, *a = tip.acceleration + 3;
        const double tension = -(a[0] * p[0] + (a[1] + 9.81) * p[1]);
        lb_expect_within("tension", &tension, row + 5, 1, 2e-11);
    }
    lb_end_course(&course);
}

static void free_body_turns_as_the_elliptic_functions_say(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("torque_free.yaml");
    lb_start_course(&course);
    for (size_t i = 0; i < sizeof torque_free_rows / sizeof torque_free_rows[0]; ++i) {
        const double *row = torque_free_rows[i];
        lb_go_to(&course, row[0]);
        // 1e-12 a second: the error of the phase grows with time
        lb_expect_within("angular velocity", course.v, row + 1, 3, 1e-12 * fmax(1.0, row[0]));
        const double sign = course.q[0] * row[4] < 0.0 ? -1.0 : 1.0;
        double q[4];
        for (int j = 0; j < 4; ++j) {
            q[j] = sign * course.q[j];
        }
        lb_expect_within("quaternion", q, row + 4, 4, 2e-11);
    }
    lb_end_course(&course);
}

static void rods_follow_the_chaotic_motion(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("rod_pendulum.yaml");
    lb_start_course(&course);
    for (size_t i = 0; i < sizeof rod_rows / sizeof rod_rows[0]; ++i) {
        const double *row = rod_rows[i];
        lb_go_to(&course, row[0]);
        const double found[] = {course.q[0], course.q[0] + course.q[1], course.v[0],
                                course.v[0] + course.v[1]};
        // three times the estimated error of the reference: ours is of the same size
        lb_expect_within("angles and rates", found, row + 1, 4, 3 * row[5] + 3e-12);
    }
    lb_end_course(&course);
}

static void babyboot_follows_the_chaotic_motion(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("babyboot.yaml");
    lb_start_course(&course);
    for (size_t i = 0; i < sizeof babyboot_rows / sizeof babyboot_rows[0]; ++i) {
        const double *row = babyboot_rows[i];
        lb_go_to(&course, row[0]);
        const double found[] = {course.q[0] * 180 / PI,
                                course.q[1] * 180 / PI,
                                course.v[0],
                                course.v[1],
                                course.a[0],
                                course.a[1]};
        // 7 digits are published, and 1e-8 keeps them: round-off grows with e^(0.9 t)
        lb_expect_close("angles, rates, accelerations", found, row + 1, 6, 1e-8);
    }
    lb_end_course(&course);
}

static void kuka_needs_the_published_torques_and_reactions(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("iiwa.yaml");
    const lb_model *model = course.model;
    lb_work *work = lb_create_work(model);
    double q[7], v[7], a[7], tau[7], reactions[7 * 6], zero[7] = {0};
    for (int i = 0; i < 7; ++i) {
        q[i] = (i % 2 ? 30 : 60) * PI / 180;
        v[i] = 0.1 * (i + 1);
        a[i] = 0.1 * (7 - i);
    }
    lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, v, a, tau));
    lb_expect_close("torques in motion", tau, kuka_tau, 7, 1e-12);
    lb_expect_ok(lb_compute_reactions(model, work, reactions));
    for (int k = 0; k < 7; ++k) {
        // from the axes of O to the world's
        lb_node_motion node;
        lb_expect_ok(lb_compute_node_motion(model, work, k, 0, &node));
        if (k == 6) {
            lb_expect_within("position of the last link", node.position, kuka_position, 3, 4e-15);
        }
        const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(node.rotation));
        double world[6];
        lb_vec3_to(lb_mat3_mul_vec(&R, lb_vec3_from(reactions + 6 * k)), world);
        lb_vec3_to(lb_mat3_mul_vec(&R, lb_vec3_from(reactions + 6 * k + 3)), world + 3);
        lb_expect_close("wrench", world, kuka_wrenches[k], 6, 1e-12);
    }
    lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, zero, zero, tau));
    lb_expect_close("torques at rest", tau, kuka_tau_static, 7, 1e-12);
    lb_destroy_work(model, work);
    lb_end_course(&course);
}

static void oblique_pendulum_has_the_reactions_of_adams(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("oblique_pendulum.yaml");
    lb_work *work = lb_create_work(course.model);
    lb_start_course(&course);
    for (size_t i = 0; i < sizeof adams_rows / sizeof adams_rows[0]; ++i) {
        const adams_row *row = &adams_rows[i];
        lb_go_to(&course, row->t);
        const lb_node_motion centre = lb_get_course_node(&course, "rod", "centre");
        lb_expect_within("position", centre.position, row->position, 3, 1e-5);
        lb_expect_within("velocity", centre.velocity + 3, row->velocity, 3, 1e-4);
        lb_expect_within("acceleration", centre.acceleration + 3, row->acceleration, 3, 0.01);
        // ours acts on the rod in its axes, theirs on the ground in the world's
        double tau[1], reaction[6], world[6];
        lb_expect_ok(
            lb_compute_inverse_dynamics(course.model, work, course.q, course.v, course.a, tau));
        lb_expect_ok(lb_compute_reactions(course.model, work, reaction));
        const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(centre.rotation));
        lb_vec3_to(lb_vec3_neg(lb_mat3_mul_vec(&R, lb_vec3_from(reaction))), world);
        lb_vec3_to(lb_vec3_neg(lb_mat3_mul_vec(&R, lb_vec3_from(reaction + 3))), world + 3);
        lb_expect_within("reaction force", world + 3, row->force, 3, 0.01);
        lb_expect_within("reaction torque", world, row->torque, 3, 0.01);
    }
    lb_destroy_work(course.model, work);
    lb_end_course(&course);
}

// Reactions of a run, from its file: the recorder's own.
static void cubes_settle_to_the_reactions_of_simbody(void **state)
{
    (void)state;
    // moment, force on the child in its axes; the last by statics: 50 N and 25 N m in turned axes
    static const double second[] = {25, -175, 0, 0, 0, 300};
    const double r = sqrt(0.5);
    const double third[] = {25 * r, 0, -25 * r, 50 * r, 0, 50 * r};
    char path[LB_SCRATCH_PATH_SIZE], message[256];
    FILE *scratch = lb_open_scratch(path);
    assert_non_null(scratch);
    fclose(scratch);
    lb_course course = lb_begin_example("hinged_cubes.yaml");
    lb_run_request request = lb_default_run_request();
    request.path = path;
    if (lb_run_simulation(course.simulation, &request, NULL) < 0) {
        fail_msg("%s", lb_get_simulation_message(course.simulation));
    }
    lb_results *results = NULL;
    lb_expect_ok(lb_open_results(path, message, &results));
    int table, column;
    assert_true(lb_find_column(results, "link2.reaction_moment.x", &table, &column));
    double row[18];
    lb_expect_ok(lb_read_table(results, table, lb_get_results_row_count(results) - 1, 1, row));
    // 0.5 N and 1 N is what the source asks for: the springs give a little
    lb_expect_within("second cube", row + 6, second, 6, 1.1);
    lb_expect_within("third cube", row + 12, third, 6, 0.5);
    lb_close_results(results);
    remove(path);
    lb_end_course(&course);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_swings_as_the_elliptic_functions_say),
        cmocka_unit_test(free_body_turns_as_the_elliptic_functions_say),
        cmocka_unit_test(rods_follow_the_chaotic_motion),
        cmocka_unit_test(babyboot_follows_the_chaotic_motion),
        cmocka_unit_test(kuka_needs_the_published_torques_and_reactions),
        cmocka_unit_test(oblique_pendulum_has_the_reactions_of_adams),
        cmocka_unit_test(cubes_settle_to_the_reactions_of_simbody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
