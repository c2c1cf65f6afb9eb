// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modal inertia and bias against the plain sums over nodes that they stand for, in extended
// precision, and the size of what stands for them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build/draft.h"
#include "check.h"

// ---- sums over nodes, longhand -----------------------------------------------------------------

typedef long double real;
typedef struct vec {
    real x[3];
} vec;
typedef struct mat {
    real m[3][3];
} mat;

static vec vec_from(const double a[3])
{
    return (vec){{a[0], a[1], a[2]}};
}

static vec cross(vec a, vec b)
{
    return (vec){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                  a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static real dot(vec a, vec b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static void add_to(vec *a, real s, vec b)
{
    for (int i = 0; i < 3; ++i) {
        a->x[i] += s * b.x[i];
    }
}

static vec apply(const mat *A, vec b)
{
    vec r;
    for (int i = 0; i < 3; ++i) {
        r.x[i] = A->m[i][0] * b.x[0] + A->m[i][1] * b.x[1] + A->m[i][2] * b.x[2];
    }
    return r;
}

static mat multiply(const mat *A, const mat *B)
{
    mat C = {{{0}}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                C.m[i][j] += A->m[i][k] * B->m[k][j];
            }
        }
    }
    return C;
}

static mat skew(vec a)
{
    return (mat){{{0, -a.x[2], a.x[1]}, {a.x[2], 0, -a.x[0]}, {-a.x[1], a.x[0], 0}}};
}

// The fields of a node: c0, Gamma_r, Gamma2_rs of its centre of mass, lambda_r, and J.
typedef struct fields {
    real m;
    vec c0, *Gamma, *Gamma2, *lambda;
    mat J;
} fields;

static fields make_fields(const lb_flex_node *node, int n)
{
    fields f = {.m = node->mass};
    f.Gamma = calloc((size_t)(2 * n + n * n), sizeof *f.Gamma);
    assert_non_null(f.Gamma);
    f.lambda = f.Gamma + n;
    f.Gamma2 = f.lambda + n;
    const vec p = vec_from(node->offset);
    const double *i = node->inertia;
    f.J = (mat){{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}};
    f.c0 = vec_from(node->position);
    add_to(&f.c0, 1, p);
    for (int r = 0; r < n; ++r) {
        f.lambda[r] = vec_from(node->shape + 6 * r);
        f.Gamma[r] = vec_from(node->shape + 6 * r + 3);
        add_to(&f.Gamma[r], -1, cross(p, f.lambda[r]));
    }
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
            add_to(&f.Gamma2[r * n + s], 0.5L, cross(f.lambda[r], cross(f.lambda[s], p)));
            add_to(&f.Gamma2[r * n + s], 0.5L, cross(f.lambda[s], cross(f.lambda[r], p)));
        }
    }
    for (int e = 0; e < node->second_order_count; ++e) {
        const lb_second_order *g = &node->second_order[e];
        add_to(&f.Gamma2[g->r * n + g->s], 1, vec_from(g->g));
        if (g->r != g->s) {
            add_to(&f.Gamma2[g->s * n + g->r], 1, vec_from(g->g));
        }
    }
    return f;
}

// Adds sum m T'T and sum m T'(w x (w x c) + 2 w x (C etad) + etad'Gamma2 etad) of one node, with
// T = [C, -c~, I].
static void add_translation(const fields *f, int n, const double *eta, const double *etad,
                            vec omega, real *M, real *b)
{
    const int size = n + 6;
    vec c = f->c0, rate = {{0}}, bend = {{0}};
    vec *T = calloc((size_t)size, sizeof *T); // columns
    assert_non_null(T);
    for (int r = 0; r < n; ++r) {
        T[r] = f->Gamma[r];
        add_to(&c, eta[r], f->Gamma[r]);
        for (int s = 0; s < n; ++s) {
            add_to(&T[r], eta[s], f->Gamma2[r * n + s]);
            add_to(&c, 0.5L * eta[r] * eta[s], f->Gamma2[r * n + s]);
            add_to(&bend, (real)etad[r] * etad[s], f->Gamma2[r * n + s]);
        }
        add_to(&rate, etad[r], T[r]);
    }
    for (int i = 0; i < 3; ++i) {
        vec e = {{0}};
        e.x[i] = 1;
        T[n + i] = cross(e, c);
        T[n + 3 + i] = e;
    }
    vec a = cross(omega, cross(omega, c));
    add_to(&a, 2, cross(omega, rate));
    add_to(&a, 1, bend);
    for (int i = 0; i < size; ++i) {
        b[i] += f->m * dot(T[i], a);
        for (int j = 0; j < size; ++j) {
            M[i * size + j] += f->m * dot(T[i], T[j]);
        }
    }
    free(T);
}

// The rotary part of M_m, of second order in (eta, etad): modes and angular velocity only.
static void add_rotary_inertia(const fields *f, int n, const real *eta, real *M)
{
    const int size = n + 6;
    vec d = {{0}};
    for (int r = 0; r < n; ++r) {
        add_to(&d, eta[r], f->lambda[r]);
    }
    const mat D = skew(d), J = f->J, DJ = multiply(&D, &J), JD = multiply(&J, &D);
    const mat DDJ = multiply(&D, &DJ), JDD = multiply(&JD, &D), DJD = multiply(&DJ, &D);
    for (int r = 0; r < n; ++r) {
        const vec l = f->lambda[r];
        for (int s = 0; s < n; ++s) {
            M[r * size + s] += dot(l, apply(&J, f->lambda[s]));
        }
        vec w = apply(&J, l);
        add_to(&w, 1, apply(&DJ, l));
        add_to(&w, -0.5L, apply(&JD, l));
        for (int i = 0; i < 3; ++i) {
            M[(n + i) * size + r] += w.x[i];
            M[r * size + n + i] += w.x[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            M[(n + i) * size + n + j] += J.m[i][j] + DJ.m[i][j] - JD.m[i][j] +
                                         0.5L * (DDJ.m[i][j] + JDD.m[i][j]) - DJD.m[i][j];
        }
    }
}

// Its bias, dM/dt V + (-1/2 d(V'MV)/d eta, w x h_w). M is quadratic in eta, so that differences over
// a step of any size are its derivatives.
static void add_rotary_bias(const fields *f, int n, const double *eta, const double *etad,
                            vec omega, real *b)
{
    const int size = n + 6;
    const size_t entries = (size_t)size * (size_t)size;
    real *M = calloc(3 * entries, sizeof *M), *x = calloc((size_t)(n + size), sizeof *x);
    assert_non_null(M);
    assert_non_null(x);
    real *up = M + entries, *down = up + entries, *V = x + n;
    for (int r = 0; r < n; ++r) {
        x[r] = eta[r];
        V[r] = etad[r];
    }
    memcpy(V + n, omega.x, sizeof omega.x);
    add_rotary_inertia(f, n, x, M);
    for (int r = 0; r < n; ++r) {
        memset(up, 0, 2 * entries * sizeof *up);
        x[r] += 1;
        add_rotary_inertia(f, n, x, up);
        x[r] -= 2;
        add_rotary_inertia(f, n, x, down);
        x[r] += 1;
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < size; ++j) {
                const real slope = 0.5L * (up[i * size + j] - down[i * size + j]);
                b[i] += etad[r] * slope * V[j];
                b[r] -= 0.5L * V[i] * slope * V[j];
            }
        }
    }
    vec h = {{0}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < size; ++j) {
            h.x[i] += M[(n + i) * size + j] * V[j];
        }
    }
    const vec gyroscopic = cross(omega, h);
    for (int i = 0; i < 3; ++i) {
        b[n + i] += gyroscopic.x[i];
    }
    free(M);
    free(x);
}

// ---- against the library -----------------------------------------------------------------------

// One flexible body on a free hinge at its frame: the mass matrix is M_m itself and, with the frame's
// origin at rest, the bias is b_m with the forces of stiffness and damping.
static lb_tree_options lb_get_one_body(int modes, int nodes, int kind)
{
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 1;
    options.hinges = LB_HINGE_BIT(LB_HINGE_FREE);
    options.plain_nodes = 1;
    options.gravity = 0.0;
    options.mode_min = options.mode_max = modes;
    options.node_count = nodes;
    options.rotary_inertia = kind & 1;
    options.second_order = kind >> 1 & 1;
    return options;
}

static void lb_expect_nodal_sums(const lb_trial *t)
{
    const lb_scene_flex *flex = t->scene->bodies[0].flex;
    const int n = flex->options.mode_count, size = n + 6;
    real *M = calloc((size_t)size * (size_t)size, sizeof *M), *b = calloc((size_t)size, sizeof *b);
    assert_non_null(M);
    assert_non_null(b);
    real *eta = calloc((size_t)n, sizeof *eta);
    assert_non_null(eta);
    double *v = lb_make_numbers((size_t)size);
    memcpy(v, t->v, (size_t)(n + 3) * sizeof *v); // the linear velocity stays zero
    const vec omega = vec_from(v + n);
    for (int r = 0; r < n; ++r) {
        eta[r] = t->q[r];
        for (int s = 0; s < n; ++s) {
            b[r] += (real)flex->options.stiffness[r * n + s] * t->q[s];
            b[r] += (real)flex->options.damping[r * n + s] * v[s];
        }
    }
    for (int j = 0; j < flex->options.node_count; ++j) {
        fields f = make_fields(&flex->nodes[j], n);
        add_translation(&f, n, t->q, v, omega, M, b);
        add_rotary_inertia(&f, n, eta, M);
        add_rotary_bias(&f, n, t->q, v, omega, b);
        free(f.Gamma);
    }

    double *ours = lb_make_numbers((size_t)size * (size_t)size);
    double *sums = lb_make_numbers((size_t)size * (size_t)size);
    for (int i = 0; i < size * size; ++i) {
        sums[i] = (double)M[i];
    }
    lb_expect_ok(lb_compute_mass_matrix(t->model, t->work, t->q, ours));
    // 1e-12: sums over up to 300 nodes, and the factors of their Gram matrix
    lb_expect_close("M_m", ours, sums, size * size, 1e-12);
    for (int i = 0; i < size; ++i) {
        sums[i] = (double)b[i];
    }
    lb_expect_ok(lb_compute_bias(t->model, t->work, t->q, v, ours));
    lb_expect_close("b_m", ours, sums, size, 1e-12);
    free(M);
    free(b);
    free(eta);
    free(v);
    free(ours);
    free(sums);
}

// Few nodes and many, few modes and many, with and without offsets and rotary inertia, with and
// without second order.
static void inertia_and_bias_are_the_sums_over_nodes(void **state)
{
    (void)state;
    const int modes[] = {1, 2, 3, 5, 8, 12}, nodes[] = {1, 2, 5, 30, 300};
    for (int i = 0; i < 6 * 5 * 4; ++i) {
        const lb_tree_options options = lb_get_one_body(modes[i % 6], nodes[i / 6 % 5], i / 30);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        lb_expect_nodal_sums(&t);
        lb_end_trial(&t);
    }
}

// Bending as large as the body itself, and fast: the sums are exact, not expansions.
static void sums_are_exact_at_any_deformation(void **state)
{
    (void)state;
    for (int i = 0; i < 16; ++i) {
        const lb_tree_options options = lb_get_one_body(4, i / 4 % 2 ? 200 : 6, i % 4);
        lb_trial t = lb_begin_trial(&options, (uint64_t)(500 + i));
        for (int r = 0; r < 4; ++r) {
            t.q[r] *= 20.0;
            t.v[r] *= 10.0;
        }
        lb_expect_nodal_sums(&t);
        lb_end_trial(&t);
    }
}

static void beams_are_the_sums_over_their_nodes(void **state)
{
    (void)state;
    const int nodes[] = {3, 10, 250};
    const double none[64] = {0};
    for (int i = 0; i < 12; ++i) {
        lb_scene_beam_options options = lb_default_scene_beam();
        options.mode_count = 2 + 6 * (i / 6);
        options.node_count = nodes[i % 3];
        options.free_free = i / 3 % 2;
        lb_scene *scene = lb_create_beam_chain(&options, 1);
        scene->bodies[0].hinge.type = LB_HINGE_FREE;
        scene->bodies[0].by = 0;
        scene->gravity[2] = 0.0;
        scene->bodies[0].flex->options.damping = none;
        lb_count_scene(scene);
        lb_trial t = lb_begin_scene_trial(scene, (uint64_t)i);
        lb_expect_nodal_sums(&t);
        lb_end_trial(&t);
    }
}

// ---- how much is left --------------------------------------------------------------------------

// Every row of fields is a function of the nodes; points beyond the number of rows say nothing new.
static void points_are_no_more_than_fields_or_nodes(void **state)
{
    (void)state;
    const int modes = 3, rows = 1 + 3 + 3 * modes + 3 * modes * (modes + 1) / 2;
    const int nodes[] = {1, 5, 20, rows, 2 * rows, 300, 1000};
    size_t work_size = 0;
    for (int i = 0; i < 7; ++i) {
        const lb_tree_options options = lb_get_one_body(modes, nodes[i], 3);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const lb_flex *flex = lb_get_record(t.model, 0)->flex;
        const int most = nodes[i] < rows ? nodes[i] : rows;
        assert_int_equal(flex->block_count, (most + LB_LANES - 1) / LB_LANES);
        if (nodes[i] >= rows) {
            // what evaluation reads and writes knows nothing of the number of nodes
            work_size = work_size ? work_size : lb_get_work_size(t.model);
            assert_int_equal(lb_get_work_size(t.model), work_size);
            assert_int_equal(flex->second_count, 3 * modes * (modes + 1) / 2);
        }
        lb_end_trial(&t);
    }
}

// The fields of a beam are smooth functions of x, most of them combinations of others.
static void points_of_a_beam_are_few(void **state)
{
    (void)state;
    const int nodes[] = {40, 100, 1000};
    int blocks = 0;
    size_t work_size = 0;
    for (int i = 0; i < 3; ++i) {
        lb_scene_beam_options options = lb_default_scene_beam();
        options.node_count = nodes[i];
        lb_trial t = lb_begin_scene_trial(lb_create_beam_chain(&options, 2), 1);
        const lb_flex *flex = lb_get_record(t.model, 0)->flex;
        // 1, x, two shapes, and three integrals of their slopes
        assert_in_range(flex->block_count, 1, 2);
        blocks = blocks ? blocks : flex->block_count;
        work_size = work_size ? work_size : lb_get_work_size(t.model);
        assert_int_equal(flex->block_count, blocks);
        assert_int_equal(lb_get_work_size(t.model), work_size);
        lb_end_trial(&t);
    }
}

// Without second order there is nothing but polynomials, and no points.
static void linear_bodies_have_no_points(void **state)
{
    (void)state;
    size_t work_size = 0;
    const int nodes[] = {5, 50, 500};
    for (int i = 0; i < 3; ++i) {
        const lb_tree_options options = lb_get_one_body(4, nodes[i], 0);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        assert_int_equal(lb_get_record(t.model, 0)->flex->block_count, 0);
        work_size = work_size ? work_size : lb_get_work_size(t.model);
        assert_int_equal(lb_get_work_size(t.model), work_size);
        lb_end_trial(&t);
    }
}

// ---- the points themselves ---------------------------------------------------------------------

// Products of fields, all pairs, before and after; fields of very different sizes, some of them zero,
// combinations of others, or almost so.
static void compressed_fields_have_the_same_products(void **state)
{
    (void)state;
    enum { FIELDS = 12 };
    const int counts[] = {1, 3, 8, 12, 40, 500};
    for (int i = 0; i < 6; ++i) {
        const int m = counts[i];
        lb_random random;
        lb_seed_random(&random, (uint64_t)i);
        double *f = lb_make_numbers((size_t)(FIELDS * m)), before[FIELDS * FIELDS];
        double after[FIELDS * FIELDS], size[FIELDS];
        lb_draw_vector(&random, FIELDS * m, 1.0, f);
        for (int j = 0; j < m; ++j) {
            f[j] *= 1e6;
            f[m + j] *= 1e-6;
            f[2 * m + j] = 0.0;
            f[3 * m + j] = 2.0 * f[4 * m + j] - f[5 * m + j];
            f[6 * m + j] = f[7 * m + j] + 1e-5 * f[6 * m + j];
        }
        for (int round = 0; round < 2; ++round) {
            double *out = round ? after : before;
            for (int a = 0; a < FIELDS; ++a) {
                for (int b = 0; b < FIELDS; ++b) {
                    real sum = 0;
                    for (int j = 0; j < m; ++j) {
                        sum += (real)f[a * m + j] * f[b * m + j];
                    }
                    out[a * FIELDS + b] = (double)sum;
                }
                size[a] = round ? size[a] : sqrt(out[a * FIELDS + a]);
            }
            if (round == 0) {
                lb_arena arena;
                int rank = -1;
                arena = lb_make_arena(NULL);
                lb_expect_ok(lb_compress_points(FIELDS, m, f, &rank, &arena));
                lb_arena_free(&arena);
                // one field is zero, one a combination of others
                assert_int_equal(rank, m < FIELDS - 2 ? m : FIELDS - 2);
                for (int a = 0; a < FIELDS; ++a) {
                    for (int j = rank; j < m; ++j) {
                        assert_true(f[a * m + j] == 0.0);
                    }
                }
            }
        }
        for (int a = 0; a < FIELDS; ++a) {
            for (int b = 0; b < FIELDS; ++b) {
                // 1e-14 of the fields' own lengths is dropped, and as much is rounded
                lb_expect_below("product", after[a * FIELDS + b] - before[a * FIELDS + b],
                                1e-13 * size[a] * size[b]);
            }
        }
        free(f);
    }
}

// Three fields for each pair of modes: what grows with the square of their number is too much.
static size_t taken;

static void *count_bytes(void *user, size_t size)
{
    (void)user;
    taken += size;
    return malloc(size);
}

static void release_bytes(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static void memory_grows_linearly_with_the_number_of_fields(void **state)
{
    (void)state;
    enum { NODES = 10 };
    size_t bytes[2];
    for (int i = 0; i < 2; ++i) {
        const int count = i ? 16000 : 4000;
        double *f = malloc((size_t)count * NODES * sizeof *f);
        for (int a = 0; a < count * NODES; ++a) {
            f[a] = sin(1.0 + a % NODES) * cos(0.1 * (a / NODES));
        }
        const lb_allocator allocator = {count_bytes, release_bytes, NULL};
        lb_arena arena;
        int rank = -1;
        taken = 0;
        arena = lb_make_arena(&allocator);
        lb_expect_ok(lb_compress_points(count, NODES, f, &rank, &arena));
        lb_arena_free(&arena);
        assert_int_equal(rank, 1);
        bytes[i] = taken;
        free(f);
    }
    // a matrix of all products would have sixteen times as many
    assert_true(bytes[1] < 5 * bytes[0]);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_grows_linearly_with_the_number_of_fields),
        cmocka_unit_test(inertia_and_bias_are_the_sums_over_nodes),
        cmocka_unit_test(sums_are_exact_at_any_deformation),
        cmocka_unit_test(beams_are_the_sums_over_their_nodes),
        cmocka_unit_test(points_are_no_more_than_fields_or_nodes),
        cmocka_unit_test(points_of_a_beam_are_few),
        cmocka_unit_test(linear_bodies_have_no_points),
        cmocka_unit_test(compressed_fields_have_the_same_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
