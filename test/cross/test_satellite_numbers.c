// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the guide reads off examples/satellite.yaml, found on other roads: momentum from the mass matrix against the
// integral of the thrust, the slew by its closed form, moments at a root by inverse dynamics of a satellite whose
// array flies freely, responses by the dynamic stiffness, margins by a discretisation of the test's own.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "limber/linear.h"
#include "limber/spatial.h"
#include "scratch.h"

static const double pi = 3.14159265358979323846;

// ---- the satellite with arrays that are held by nothing ------------------------------------------

// Speeds: six of the bus, three wheels, two of the propellant, then of each array its modes and those of its hinge.
enum { WHEEL = 6, SLOSH = 9, LEFT = 11, MODES = 3, ARRAY = MODES + 6, SPEEDS = LEFT + 2 * ARRAY };

// The same bodies with free hinges between bus and arrays: what the hinges of the satellite carry are forces and moments
// at the speeds of these.
typedef struct loose {
    lb_document *document;
    lb_model *model;
    lb_work *work;
} loose;

static loose begin_loose(void)
{
    static const char hinge[] = "    hinge: {type: revolute, axis: [1, 0, 0]}\n";
    loose l = {0};
    char *text = lb_read_example("satellite.yaml");
    int count = 0;
    for (char *at; (at = strstr(text, hinge)); ++count) {
        memset(at, ' ', strlen(hinge) - 1);
        memcpy(at + 4, "hinge: {type: free}", 19);
    }
    assert_int_equal(count, 2);
    lb_expect_ok(lb_load_document_text(text, strlen(text), "loose.yaml", LB_FORMAT_YAML, NULL, NULL,
                                       &l.document));
    lb_expect_ok(lb_load_document_model(l.document, NULL, &l.model));
    l.work = lb_create_work(l.model);
    assert_int_equal(lb_get_v_count(l.model), SPEEDS);
    assert_int_equal(lb_get_v_offset(l.model, lb_find_body(l.model, "left array")), LEFT);
    free(text);
    return l;
}

static void end_loose(loose *l)
{
    lb_destroy_work(l->work);
    lb_destroy_model(l->model);
    lb_destroy_document(l->document);
}

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
    double *values =
        lb_make_numbers((size_t)r->row_count * (size_t)lb_get_column_count(r->results, table));
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
    r.row_count = lb_get_results_row_count(r.results);
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < lb_get_table_count(r.results); ++k) {
            if (strcmp(lb_get_table_name(r.results, k), table_names[i]) == 0) {
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
    const int width = lb_get_column_count(r->results, table);
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
    // the numbers of the guide
    lb_expect_near("jitter x", find_rms(r, x, 60), 3.456809e-5, 5e-7);
    lb_expect_near("jitter y", find_rms(r, y, 60), 1.580119e-5, 5e-7);
    free(lag);
    free(x);
    free(y);
}

// ---- loads at the root -----------------------------------------------------------------------------

static void root_loads_are_those_of_inverse_dynamics(void **state)
{
    (void)state;
    run *r = *state;
    double *bending = read_column(r, "root_bending"), *edgewise = read_column(r, "root_edgewise");
    loose l = begin_loose();
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
    // the numbers of the guide
    lb_expect_near("smallest", low, -2.785402, 5e-7);
    lb_expect_near("largest", high, 0.7404525, 5e-7);
    end_loose(&l);
    free(bending);
    free(edgewise);
}

// ---- responses -------------------------------------------------------------------------------------

// Mass, damping and stiffness of small motions about rest, of the speeds that move: those of the hinges of the arrays do
// not. `mass` has all rows, so that what the held ones carry can be read off.
enum { MOVING = LEFT + 2 * MODES };

typedef struct small_motion {
    int moving[MOVING];
    double mass[SPEEDS * SPEEDS], damping[SPEEDS * SPEEDS], stiffness[SPEEDS * SPEEDS];
} small_motion;

static void find_small_motion(small_motion *s)
{
    loose l = begin_loose();
    double q[SPEEDS + 3] = {0};
    memset(s, 0, sizeof *s);
    q[0] = q[12 + MODES] = q[12 + MODES + 7 + MODES] = 1.0;
    lb_expect_ok(lb_compute_mass_matrix(l.model, l.work, q, s->mass));
    int count = 0;
    for (int i = 0; i < SPEEDS; ++i) {
        if (i < LEFT || (i - LEFT) % ARRAY < MODES) {
            s->moving[count++] = i;
        }
    }
    assert_int_equal(count, MOVING);
    for (int i = 0; i < 2; ++i) {
        // springs and dampers of the propellant
        s->stiffness[(SLOSH + i) * SPEEDS + SLOSH + i] = 4.0;
        s->damping[(SLOSH + i) * SPEEDS + SLOSH + i] = 0.1;
        double K[MODES * MODES], D[MODES * MODES];
        const int first = LEFT + i * ARRAY;
        lb_get_modal_matrices(l.model, lb_find_body(l.model, i ? "right array" : "left array"), K,
                              D);
        for (int j = 0; j < MODES * MODES; ++j) {
            const int at = (first + j / MODES) * SPEEDS + first + j % MODES;
            s->stiffness[at] = K[j];
            s->damping[at] = D[j];
        }
    }
    end_loose(&l);
}

// Solves A X = B for complex matrices, n x n and n x m, by elimination with pivots. Both are overwritten; X is in B.
static void solve(int n, int m, double complex *A, double complex *B)
{
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) {
            pivot = cabs(A[i * n + k]) > cabs(A[pivot * n + k]) ? i : pivot;
        }
        for (int j = 0; j < n; ++j) {
            const double complex x = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = x;
        }
        for (int j = 0; j < m; ++j) {
            const double complex x = B[k * m + j];
            B[k * m + j] = B[pivot * m + j];
            B[pivot * m + j] = x;
        }
        for (int i = 0; i < n; ++i) {
            const double complex f = i == k ? 0 : A[i * n + k] / A[k * n + k];
            for (int j = k; f != 0 && j < n; ++j) {
                A[i * n + j] -= f * A[k * n + j];
            }
            for (int j = 0; f != 0 && j < m; ++j) {
                B[i * m + j] -= f * B[k * m + j];
            }
        }
    }
    for (int i = 0; i < n * m; ++i) {
        B[i] /= A[i / m * (n + 1)];
    }
}

static void form_stiffness(const small_motion *s, double complex p,
                           double complex Z[MOVING * MOVING])
{
    for (int i = 0; i < MOVING * MOVING; ++i) {
        const int at = s->moving[i / MOVING] * SPEEDS + s->moving[i % MOVING];
        Z[i] = s->stiffness[at] + p * p * s->mass[at] + p * s->damping[at];
    }
}

// Turn of the bus about x, and moment about y at the root of the left array, for a torque exp(p t) at wheel x.
static void respond(const small_motion *s, double complex p, double complex out[2])
{
    double complex Z[MOVING * MOVING], X[MOVING] = {0};
    form_stiffness(s, p, Z);
    X[WHEEL] = 1.0;
    solve(MOVING, 1, Z, X);
    out[0] = X[0];
    out[1] = 0;
    for (int i = 0; i < MOVING; ++i) {
        out[1] += p * p * s->mass[(LEFT + MODES + 1) * SPEEDS + s->moving[i]] * X[i];
    }
}

// The root of det Z next to a first guess, by the secant rule for 1 / (deflection of a mode for a force on it).
static double complex find_pole(const small_motion *s, double complex p)
{
    double complex before = p * 1.001, f_before = 0;
    for (int k = 0; k < 20; ++k) {
        const double complex at = k == 0 ? before : p;
        double complex Z[MOVING * MOVING], X[MOVING] = {0};
        form_stiffness(s, at, Z);
        X[LEFT] = 1.0;
        solve(MOVING, 1, Z, X);
        const double complex f = 1 / X[LEFT];
        if (k > 0) {
            // at the root both are the same
            const double complex step = f == f_before ? 0 : f * (p - before) / (f - f_before);
            before = p;
            p -= step;
        }
        f_before = f;
    }
    return p;
}

static void arrays_swing_at_a_root_of_the_dynamic_stiffness(void **state)
{
    (void)state;
    static small_motion s;
    find_small_motion(&s);
    const double frequency = cabs(find_pole(&s, I * 2 * pi * 1.01)) / (2 * pi);
    lb_course course = lb_begin_example("satellite.yaml");
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    lb_expect_ok(lb_compute_modes(course.simulation, &options, &modes));
    double found = 0;
    for (int i = 0; i < modes->mode_count && found < 0.5; ++i) {
        found = modes->kinds[i] == LB_MODE_OSCILLATION ? modes->frequencies[i] : 0;
    }
    // 1e-9: a pair of nearly equal roots, 0.16 Hz, is among them and the eigenvalues are of all
    lb_expect_near("frequency", found, frequency, 1e-9);
    // the number of examples/satellite.c
    lb_expect_near("frequency", 1.009585, frequency, 5e-7);
    lb_destroy_modes(modes);
    lb_end_course(&course);
}

static void responses_are_those_of_the_dynamic_stiffness(void **state)
{
    (void)state;
    // the table of the guide: frequency, magnitude and phase of the turn, of the moment
    static const double guide[5][5] = {{0.1, 0.00207548, 0.0087, 0.2829187, 0.0081},
                                       {0.3162278, 0.000197915, 0.0252, 0.2959464, 0.0055},
                                       {1, 4.953126e-07, 138.1224, 0.4188492, -0.4278},
                                       {3.162278, 7.591158e-06, 0.5432, 0.05019656, -175.0273},
                                       {10, 7.635781e-07, 0.2558, 0.02291215, -175.7556}};
    double frequencies[5], response[5 * 4];
    static small_motion s;
    lb_course course = lb_begin_example("satellite.yaml");
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.inputs = (const char *const[]){"'wheel x'.motor"};
    options.input_count = 1;
    options.outputs = (const char *const[]){"turn(bus).x", "root_bending"};
    options.output_count = 2;
    lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
    for (int i = 0; i < 5; ++i) {
        frequencies[i] = pow(10, -1 + 0.5 * i);
    }
    lb_expect_ok(lb_compute_response(linear, 5, frequencies, response));
    find_small_motion(&s);
    for (int i = 0; i < 5; ++i) {
        double complex own[2];
        respond(&s, I * 2 * pi * frequencies[i], own);
        for (int k = 0; k < 2; ++k) {
            const double complex found = response[4 * i + 2 * k] + I * response[4 * i + 2 * k + 1];
            // 1e-12: at 1 Hz the arrays all but hold the bus still, and two digits are lost
            lb_expect_below("response", cabs(found - own[k]) / cabs(own[k]), 1e-12);
            // seven digits in the guide, and four places of the phase
            lb_expect_near("magnitude", guide[i][1 + 2 * k], cabs(own[k]), 5e-7);
            lb_expect_below("phase", fabs(guide[i][2 + 2 * k] - carg(own[k]) * 180 / pi), 6e-5);
        }
    }
    // the largest that limber response finds, at a natural frequency
    double complex peak[2];
    const double frequency = cabs(find_pole(&s, I * 2 * pi * 1.7)) / (2 * pi);
    respond(&s, I * 2 * pi * frequency, peak);
    lb_expect_near("at", 1.701023, frequency, 5e-7);
    lb_expect_near("turn", 0.0008204015, cabs(peak[0]), 5e-7);
    lb_expect_near("moment", 14.39847, cabs(peak[1]), 5e-7);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// ---- margins ---------------------------------------------------------------------------------------

// From sample to sample: x = (X, X'), then three torques that are held.
enum { STATES = 2 * MOVING, HELD = STATES + 3 };

typedef struct sampled {
    double A[STATES * STATES], B[STATES * 3];
} sampled;

static void multiply(int n, const double *a, const double *b, double *c)
{
    memset(c, 0, (size_t)(n * n) * sizeof *c);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            lb_add_vector(n, a[i * n + k], b + k * n, c + i * n);
        }
    }
}

// The exponential by its series for a 2^-14th of the period, squared 14 times.
static void discretise(const small_motion *s, double period, sampled *out)
{
    static double G[HELD * HELD], E[HELD * HELD], term[HELD * HELD], next[HELD * HELD];
    static double complex M[MOVING * MOVING], right[MOVING * HELD];
    for (int i = 0; i < MOVING; ++i) {
        for (int j = 0; j < MOVING; ++j) {
            const int at = s->moving[i] * SPEEDS + s->moving[j];
            M[i * MOVING + j] = s->mass[at];
            right[i * HELD + j] = -s->stiffness[at];
            right[i * HELD + MOVING + j] = -s->damping[at];
        }
        for (int j = 0; j < 3; ++j) {
            right[i * HELD + STATES + j] = i == WHEEL + j;
        }
        G[i * HELD + MOVING + i] = 1.0;
    }
    solve(MOVING, HELD, M, right);
    for (int i = 0; i < MOVING * HELD; ++i) {
        G[MOVING * HELD + i] = creal(right[i]);
    }
    for (int i = 0; i < HELD * HELD; ++i) {
        G[i] *= ldexp(period, -14);
        term[i] = E[i] = i % (HELD + 1) == 0;
    }
    for (int k = 1; k <= 12; ++k) {
        multiply(HELD, term, G, next);
        for (int i = 0; i < HELD * HELD; ++i) {
            term[i] = next[i] / k;
            E[i] += term[i];
        }
    }
    for (int k = 0; k < 14; ++k) {
        multiply(HELD, E, E, next);
        memcpy(E, next, sizeof E);
    }
    for (int i = 0; i < STATES; ++i) {
        memcpy(out->A + i * STATES, E + i * HELD, STATES * sizeof *E);
        memcpy(out->B + i * 3, E + i * HELD + STATES, 3 * sizeof *E);
    }
}

// What comes back at motor `cut`, with the sign changed: kp of half the angle, kd of the rate, and a motor turns the bus
// the other way.
static double complex find_loop(const sampled *s, int cut, double angle)
{
    static double complex Z[STATES * STATES];
    double complex x[STATES];
    for (int i = 0; i < STATES; ++i) {
        for (int j = 0; j < STATES; ++j) {
            Z[i * STATES + j] = -s->A[i * STATES + j];
        }
        for (int m = 0; m < 3; ++m) {
            if (m != cut) {
                Z[i * STATES + m] -= 40.0 * s->B[i * 3 + m];
                Z[i * STATES + MOVING + m] -= 300.0 * s->B[i * 3 + m];
            }
        }
        Z[i * STATES + i] += cexp(I * angle);
        x[i] = s->B[i * 3 + cut];
    }
    solve(STATES, 1, Z, x);
    return -(40.0 * x[cut] + 300.0 * x[MOVING + cut]);
}

typedef struct own_margins {
    double gain, gain_hz, phase, phase_hz, delay, delay_hz;
} own_margins;

// Where a function of the loop changes its sign between two angles.
static double bisect(const sampled *s, int cut, double low, double high, bool of_gain)
{
    double sign = 0;
    for (int i = 0; i < 60; ++i) {
        const double x = i == 0 ? low : 0.5 * (low + high);
        const double complex L = find_loop(s, cut, x);
        const double value = of_gain ? cabs(L) - 1 : cimag(L);
        if (i == 0) {
            sign = value;
        } else if (value * sign > 0) {
            low = x;
        } else {
            high = x;
        }
    }
    return 0.5 * (low + high);
}

// Crossings of a grid that is finer than any resonance is wide: 0.5 % damping at 1 Hz is 0.01 Hz.
static own_margins find_margins(const sampled *s, int cut, double period)
{
    enum { POINTS = 2500 };
    own_margins m = {INFINITY, 0, INFINITY, 0, INFINITY, 0};
    double before = 1e-3;
    double complex L = find_loop(s, cut, before);
    const double step = (pi - before) / POINTS;
    for (int i = 1; i <= POINTS; ++i) {
        const double angle = 1e-3 + i * step;
        const double complex now = find_loop(s, cut, angle);
        // at half the rate of the samples it is real
        if (i == POINTS || cimag(L) * cimag(now) < 0) {
            const double x = i == POINTS ? pi : bisect(s, cut, before, angle, false);
            const double g = -1 / creal(find_loop(s, cut, x));
            if (g > 1 && g < m.gain) {
                m.gain = g;
                m.gain_hz = x / (2 * pi * period);
            }
        }
        if ((cabs(L) - 1) * (cabs(now) - 1) < 0) {
            const double x = bisect(s, cut, before, angle, true);
            const double phase = carg(-find_loop(s, cut, x));
            const double late = (phase < 0 ? phase + 2 * pi : phase) / x * period;
            if (fabs(phase) < m.phase) {
                m.phase = fabs(phase);
                m.phase_hz = x / (2 * pi * period);
            }
            if (late < m.delay) {
                m.delay = late;
                m.delay_hz = x / (2 * pi * period);
            }
        }
        before = angle;
        L = now;
    }
    return m;
}

static void margins_are_those_of_an_own_discretisation(void **state)
{
    (void)state;
    // the table of the guide: factor, phase in degrees, delay
    static const double guide[3][3] = {
        {9.7784, 63.421, 0.12844}, {16.506, 77.83, 1.4123}, {77.573, 64.091, 3.929}};
    static small_motion s;
    static sampled z;
    lb_course course = lb_begin_example("satellite.yaml");
    const lb_linear_options options = lb_default_linear_options();
    lb_margins *m = NULL;
    lb_expect_ok(lb_compute_margins(course.simulation, &options, &m));
    assert_int_equal(m->feedback_count, 3);
    assert_true(m->stable);
    find_small_motion(&s);
    discretise(&s, 0.1, &z);
    for (int i = 0; i < 3; ++i) {
        const own_margins own = find_margins(&z, i, 0.1);
        print_message(
            "%s: %.9g at %.6g Hz, %.9g rad at %.6g Hz, %.9g s at %.6g Hz; gaps %.2g %.2g %.2g\n",
            m->feedbacks[i], own.gain, own.gain_hz, own.phase, own.phase_hz, own.delay,
            own.delay_hz, m->gain_up[i] / own.gain - 1, m->phase[i] / own.phase - 1,
            m->delay[i] / own.delay - 1);
        // 1e-9: 14 squarings leave 1e-11, and the library differences the law
        lb_expect_near("gain", m->gain_up[i], own.gain, 1e-9);
        lb_expect_near("at", m->gain_up_frequency[i], own.gain_hz, 1e-9);
        lb_expect_near("phase", m->phase[i], own.phase, 1e-9);
        lb_expect_near("at", m->phase_frequency[i], own.phase_hz, 1e-9);
        lb_expect_near("delay", m->delay[i], own.delay, 1e-9);
        lb_expect_near("at", m->delay_frequency[i], own.delay_hz, 1e-9);
        // five digits in the guide
        lb_expect_near("gain", guide[i][0], own.gain, 5e-5);
        lb_expect_near("phase", guide[i][1], own.phase * 180 / pi, 5e-5);
        lb_expect_near("delay", guide[i][2], own.delay, 5e-5);
    }
    lb_destroy_margins(m);
    lb_end_course(&course);
}

int main(void)
{
    run r = record();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_what_the_thruster_gave),
        cmocka_unit_test_prestate(slew_is_followed_and_ends_at_its_goal, &r),
        cmocka_unit_test_prestate(root_loads_are_those_of_inverse_dynamics, &r),
        cmocka_unit_test(arrays_swing_at_a_root_of_the_dynamic_stiffness),
        cmocka_unit_test(responses_are_those_of_the_dynamic_stiffness),
        cmocka_unit_test(margins_are_those_of_an_own_discretisation),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    end_record(&r);
    return failed;
}
