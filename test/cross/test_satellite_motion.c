// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the guide reads off a run of examples/satellite.yaml, found on other roads: momentum from the mass matrix against the
// integral of the thrust, the slew by its closed form, moments at a root by inverse dynamics of a satellite whose
// arrays are attached by free hinges.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limber/spatial.h"
#include "loose_satellite.h"
#include "scratch.h"

// ---- momentum --------------------------------------------------------------------------------------

// Linear momentum, and angular momentum about the centre of mass, in world axes: the rows of the bus in M v, which are
// the momentum of everything about its origin and in its axes.
static void find_momentum(lb_course *course, lb_work *work, lb_vec3 *linear, lb_vec3 *angular,
                          lb_vec3 *center)
{
    const int n = course->v_count;
    double *M = lb_make_numbers((size_t)(n * n)), h[6] = {0};
    lb_expect_ok(lb_compute_mass_matrix(course->model, work, course->q, M));
    for (int i = 0; i < 6; ++i) {
        h[i] = lb_multiply_vectors(n, M + i * n, course->v);
    }
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(course->q));
    const double mass = M[3 * n + 3];
    // the block of angular rows and linear columns is mass times the cross product with the centre of mass
    const lb_vec3 c = lb_vec3_make(M[2 * n + 4] / mass, M[0 * n + 5] / mass, M[1 * n + 3] / mass);
    const lb_vec3 p = lb_vec3_from(h + 3);
    *linear = lb_mat3_mul_vec(&R, p);
    *angular = lb_mat3_mul_vec(&R, lb_vec3_sub(lb_vec3_from(h), lb_vec3_cross(c, p)));
    *center = lb_mat3_mul_vec(&R, c);
    free(M);
}

static lb_vec3 find_thrust(const lb_course *course)
{
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(course->q));
    return lb_mat3_mul_vec(&R, lb_vec3_make(0, 0, 20));
}

// The integral of the thrust, and of its moment about the centre of mass, over the two seconds of the burn: by Gauss's
// formula of eight points over every period of the controller, between which the torques of the wheels jump.
static void burn(lb_course *course, lb_work *work, lb_vec3 *impulse, lb_vec3 *moment)
{
    static const double points[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                    0.9602898564975363};
    static const double weights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                     0.1012285362903763};
    static const int order[] = {-4, -3, -2, -1, 1, 2, 3, 4};
    *impulse = *moment = lb_vec3_make(0, 0, 0);
    for (int k = 0; k < 20; ++k) {
        for (int i = 0; i < 8; ++i) {
            const int j = abs(order[i]) - 1;
            const double x = order[i] < 0 ? -points[j] : points[j];
            lb_vec3 p, L, center;
            lb_go_to(course, 1.0 + 0.1 * k + 0.05 * (1 + x));
            find_momentum(course, work, &p, &L, &center);
            const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(course->q));
            const lb_vec3 F = find_thrust(course);
            const lb_vec3 nozzle = lb_mat3_mul_vec(&R, lb_vec3_make(0.05, 0, -0.9));
            *impulse = lb_vec3_axpy(*impulse, 0.05 * weights[j], F);
            *moment = lb_vec3_axpy(*moment, 0.05 * weights[j],
                                   lb_vec3_cross(lb_vec3_sub(nozzle, center), F));
        }
    }
}

static void momentum_is_what_the_thruster_gave(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("satellite.yaml");
    lb_work *work = lb_create_work(course.model);
    lb_start_course(&course);
    lb_vec3 impulse, moment, p, L, center;
    burn(&course, work, &impulse, &moment);
    double worst[2] = {0};
    for (double t = 3.0; t <= 80.0; t += 1.0) {
        lb_go_to(&course, t);
        find_momentum(&course, work, &p, &L, &center);
        worst[0] = fmax(worst[0], lb_vec3_norm(lb_vec3_sub(p, impulse)) / lb_vec3_norm(impulse));
        worst[1] = fmax(worst[1], lb_vec3_norm(lb_vec3_sub(L, moment)) / lb_vec3_norm(moment));
    }
    print_message("impulse %.9g N s, %.9g N m s; off by %.2g and %.2g of them\n",
                  lb_vec3_norm(impulse), lb_vec3_norm(moment), worst[0], worst[1]);
    lb_expect_below("linear", worst[0], 1e-11);
    lb_expect_below("angular", worst[1], 1e-11);
    lb_destroy_work(work);
    lb_end_course(&course);
}

// ---- recorded runs -------------------------------------------------------------------------------

typedef struct run {
    lb_results *results;
    long row_count;
    double *tables[4]; // time, q, v, a
} run;

static const char *const table_names[] = {"time", "q", "v", "a"};

static double *read_all(const run *r, int table)
{
    double *values = lb_make_numbers(
        (size_t)r->row_count * (size_t)lb_get_results_info(r->results)->tables[table].column_count);
    lb_expect_ok(lb_read_table(r->results, table, 0, r->row_count, values));
    return values;
}

static run record(void)
{
    run r = {0};
    lb_course course = lb_begin_example("satellite.yaml");
    lb_run_request request = lb_default_run_request();
    assert_true(lb_enter_scratch_folder());
    request.path = "satellite.h5";
    assert_true(lb_run_simulation(course.simulation, &request, NULL) >= 0);
    lb_end_course(&course);
    lb_expect_ok(lb_open_results(request.path, NULL, &r.results));
    r.row_count = lb_get_results_info(r.results)->row_count;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < lb_get_results_info(r.results)->table_count; ++k) {
            if (strcmp(lb_get_results_info(r.results)->tables[k].name, table_names[i]) == 0) {
                r.tables[i] = read_all(&r, k);
            }
        }
        assert_non_null(r.tables[i]);
    }
    return r;
}

static void end_record(run *r)
{
    for (int i = 0; i < 4; ++i) {
        free(r->tables[i]);
    }
    lb_close_results(r->results);
}

static double *read_column(const run *r, const char *name)
{
    int table;
    const int column = lb_find_column(r->results, name, &table);
    assert_true(column >= 0);
    const int width = lb_get_results_info(r->results)->tables[table].column_count;
    double *all = read_all(r, table);
    for (long i = 0; i < r->row_count; ++i) {
        all[i] = all[i * width + column];
    }
    return all;
}

// Root of the mean square from a time on, by the trapezoidal rule over equal steps.
static double find_rms(const run *r, const double *x, double from)
{
    double sum = 0, time = 0;
    for (long i = 1; i < r->row_count; ++i) {
        const double *t = r->tables[0];
        if (t[i - 1] > from - 1e-9) {
            sum += 0.5 * (t[i] - t[i - 1]) * (x[i] * x[i] + x[i - 1] * x[i - 1]);
            time += t[i] - t[i - 1];
        }
    }
    return sqrt(sum / time);
}

// Largest, smallest and root of the mean square from a time on, as the guide prints them: seven digits.
static void expect_extremes(const run *r, const char *what, const double *x, double from,
                            const double guide[3])
{
    double high = -INFINITY, low = INFINITY;
    for (long i = 0; i < r->row_count; ++i) {
        const bool counts = r->tables[0][i] > from - 1e-9;
        high = counts ? fmax(high, x[i]) : high;
        low = counts ? fmin(low, x[i]) : low;
    }
    lb_expect_near(what, guide[0], high, 5e-7);
    lb_expect_near(what, guide[1], low, 5e-7);
    lb_expect_near(what, guide[2], find_rms(r, x, from), 5e-7);
}

// ---- the slew --------------------------------------------------------------------------------------

// Twice the vector part of a unit quaternion over its sine, times the angle.
static lb_vec3 find_turn(lb_quat q)
{
    const lb_vec3 u = lb_vec3_make(q.x, q.y, q.z);
    const double s = lb_vec3_norm(u);
    return s > 0 ? lb_vec3_scale(2 * atan2(s, q.w) / s, u) : u;
}

static void slew_is_followed_and_ends_at_its_goal(void **state)
{
    (void)state;
    run *r = *state;
    double *lag = read_column(r, "lag"), *x = read_column(r, "sight_x");
    double *y = read_column(r, "sight_y");
    const lb_quat from_goal = lb_quat_make(0.96, -0.168, 0, -0.224);
    double largest = 0;
    for (long i = 0; i < r->row_count; ++i) {
        const double t = r->tables[0][i], s = fmin(fmax((t - 10) / 40, 0), 1);
        const double angle = 2 * acos(0.96) * s * s * s * (10 - 15 * s + 6 * s * s);
        const lb_quat q = lb_quat_from(r->tables[1] + i * 20);
        const lb_vec3 turn = find_turn(q);
        const lb_vec3 off = find_turn(lb_quat_mul(from_goal, q));
        lb_expect_below("lag", fabs(lag[i] - (angle - 0.6 * turn.x - 0.8 * turn.z)), 1e-14);
        lb_expect_below("across", fabs(x[i] - off.x), 1e-14);
        lb_expect_below("up", fabs(y[i] - off.y), 1e-14);
        // the whole error against the desired attitude, not only about the axis of the slew
        const lb_quat back =
            lb_quat_make(cos(0.5 * angle), -0.6 * sin(0.5 * angle), 0, -0.8 * sin(0.5 * angle));
        const lb_vec3 error = find_turn(lb_quat_mul(back, q));
        largest = t > 10 ? fmax(largest, lb_vec3_norm(error)) : largest;
        if (i == r->row_count - 1) {
            // the slowest pole, 0.027 Hz, has had 30 s for the 1e-3 rad of the slew; propellant swings on
            print_message("slew: off by up to %.3g, at the end by %.3g\n", largest,
                          lb_vec3_norm(error));
            lb_expect_below("end", lb_vec3_norm(error), 1e-4);
        }
    }
    expect_extremes(r, "lag", lag, 0, (double[]){0.0005281347, -0.0004997041, 0.0002704675});
    expect_extremes(r, "jitter x", x, 60, (double[]){6.730038e-5, -4.202285e-6, 3.456809e-5});
    expect_extremes(r, "jitter y", y, 60, (double[]){1.702616e-5, -3.424173e-5, 1.580119e-5});
    free(lag);
    free(x);
    free(y);
}

// ---- loads at the root -----------------------------------------------------------------------------

// A state of the satellite as one of the loose one: driven angles about x become quaternions, and speeds about x.
static void loosen(const double *q, const double *v, const double *a, double *loose_q,
                   double *loose_v, double *loose_a)
{
    memcpy(loose_q, q, 12 * sizeof *q);
    memcpy(loose_v, v, LEFT * sizeof *v);
    memcpy(loose_a, a, LEFT * sizeof *a);
    for (int side = 0; side < 2; ++side) {
        const double *place = q + 12 + side * (MODES + 1), *speed = v + LEFT + side * (MODES + 1);
        const double *rate = a + LEFT + side * (MODES + 1);
        double *to = loose_q + 12 + side * (MODES + 7);
        memcpy(to, place, MODES * sizeof *to);
        memset(to + MODES, 0, 7 * sizeof *to);
        to[MODES] = cos(0.5 * place[MODES]);
        to[MODES + 1] = sin(0.5 * place[MODES]);
        memset(loose_v + LEFT + side * ARRAY, 0, ARRAY * sizeof *v);
        memset(loose_a + LEFT + side * ARRAY, 0, ARRAY * sizeof *a);
        memcpy(loose_v + LEFT + side * ARRAY, speed, (MODES + 1) * sizeof *v);
        memcpy(loose_a + LEFT + side * ARRAY, rate, (MODES + 1) * sizeof *a);
    }
}

static void root_loads_are_those_of_inverse_dynamics(void **state)
{
    (void)state;
    run *r = *state;
    double *bending = read_column(r, "root_bending"), *edgewise = read_column(r, "root_edgewise");
    lb_loose_satellite l = lb_begin_loose_satellite();
    double low = 0, high = 0, worst = 0;
    for (long i = 0; i < r->row_count; ++i) {
        double q[SPEEDS + 3], v[SPEEDS], a[SPEEDS], tau[SPEEDS];
        loosen(r->tables[1] + i * 20, r->tables[2] + i * 19, r->tables[3] + i * 19, q, v, a);
        lb_expect_ok(lb_compute_inverse_dynamics(l.model, l.work, q, v, a, tau));
        worst = fmax(worst, fabs(tau[LEFT + MODES + 1] - bending[i]));
        worst = fmax(worst, fabs(tau[LEFT + MODES + 2] - edgewise[i]));
        low = fmin(low, tau[LEFT + MODES + 1]);
        high = fmax(high, tau[LEFT + MODES + 1]);
    }
    print_message("root: %.7g to %.7g N m, both roads within %.2g\n", low, high, worst);
    lb_expect_below("moments", worst, 1e-13);
    expect_extremes(r, "bending", bending, 0, (double[]){0.7404531, -2.785402, 0.3835773});
    expect_extremes(r, "edgewise", edgewise, 0, (double[]){0.5750912, -0.4383967, 0.2509573});
    lb_end_loose_satellite(&l);
    free(bending);
    free(edgewise);
}

LB_TESTS()
{
    run r = record();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_what_the_thruster_gave),
        cmocka_unit_test_prestate(slew_is_followed_and_ends_at_its_goal, &r),
        cmocka_unit_test_prestate(root_loads_are_those_of_inverse_dynamics, &r),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    end_record(&r);
    return failed;
}
