// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The spatial operators on random flexible and rigid trees: the factorisations of the mass matrix,
// and every lemma of the two papers that they come from, typed as it stands there.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/operators/op_parts.h"

enum { TREE_COUNT = 150 };

// Rigid and flexible trees in turn, half of the flexible ones with bodies of fidelity `ruthless`
// among the others.
static lb_tree_options get_tree(int i)
{
    lb_tree_options options = lb_get_mixed_tree(i);
    options.mixed_fidelity = i % 4 == 3;
    return options;
}

// A trial with its operators computed.
typedef struct lab {
    lb_trial t;
    lb_op_work *operators;
    int body_size, hinge_size;
} lab;

static lab begin(const lb_tree_options *options, int number)
{
    lab l = {.t = lb_begin_trial(options, (uint64_t)number)};
    l.operators = lb_op_create_work(l.t.model);
    assert_non_null(l.operators);
    l.body_size = lb_op_get_size(l.operators, LB_OP_SPACE_BODY);
    l.hinge_size = lb_op_get_size(l.operators, LB_OP_SPACE_HINGE);
    lb_expect_ok(lb_compute_operators(l.t.model, l.t.work, l.t.q, l.operators));
    return l;
}

static void end(lab *l)
{
    lb_op_destroy_work(l->operators);
    lb_end_trial(&l->t);
}

static int get_length(const lab *l, lb_op_space space)
{
    return lb_op_get_size(l->operators, space);
}

// To be destroyed.
static lb_op_expression *parse(const char *text)
{
    lb_op_expression *e;
    if (lb_op_parse(text, NULL, &e) != LB_OK) {
        fail_msg("'%s' is refused", text);
    }
    return e;
}

// An expression formed densely; to be freed.
static double *form(lab *l, const char *text)
{
    lb_op_expression *e = parse(text);
    double *scratch = lb_make_numbers(lb_op_get_scratch_count(l->operators, e));
    double *A = lb_make_numbers((size_t)get_length(l, lb_op_get_spaces(e).rows) *
                                (size_t)get_length(l, lb_op_get_spaces(e).columns));
    lb_expect_ok(lb_op_form_expression(l->t.model, l->operators, e, scratch, A));
    lb_op_destroy_expression(e);
    free(scratch);
    return A;
}

// y = A x, to be freed
static double *apply(lab *l, const char *text, const double *x)
{
    lb_op_expression *e = parse(text);
    double *scratch = lb_make_numbers(lb_op_get_scratch_count(l->operators, e));
    double *y = lb_make_numbers((size_t)get_length(l, lb_op_get_spaces(e).rows));
    lb_expect_ok(lb_op_apply_expression(l->t.model, l->operators, e, scratch, x, y));
    lb_op_destroy_expression(e);
    free(scratch);
    return y;
}

static double *draw(lab *l, int count)
{
    double *x = lb_make_numbers((size_t)count);
    lb_draw_vector(&l->t.random, count, 1.0, x);
    return x;
}

static void expect_equal(lab *l, const char *what, const char *left, const char *right,
                         double tolerance)
{
    double *A = form(l, left), *B = form(l, right);
    lb_op_expression *e = parse(right);
    lb_expect_close(what, A, B,
                    get_length(l, lb_op_get_spaces(e).rows) *
                        get_length(l, lb_op_get_spaces(e).columns),
                    tolerance);
    lb_op_destroy_expression(e);
    free(A);
    free(B);
}

// ---- the mass matrix ---------------------------------------------------------------------------

// (OPR-7), (OPR-12), (OPR-14): the factors against the algorithms of the library
static void factorisations_of_the_mass_matrix(void **state)
{
    (void)state;
    for (int i = 0; i < TREE_COUNT; ++i) {
        const lb_tree_options options = get_tree(i);
        lab l = begin(&options, i);
        const size_t n = (size_t)l.hinge_size;
        double *M = lb_make_numbers(n * n), *inverse = lb_make_numbers(n * n);
        lb_expect_ok(lb_compute_mass_matrix(l.t.model, l.t.work, l.t.q, M));
        lb_expect_ok(lb_compute_mass_matrix_inverse(l.t.model, l.t.work, l.t.q, inverse));

        // 1e-12: up to 9 bodies, some hundred roundings
        double *A = form(&l, "H Phi M Phi* H*");
        lb_expect_close("(43) H Phi M Phi* H*", A, M, n * n, 1e-12);
        free(A);
        A = form(&l, "(I + H Phi K) D (I + H Phi K)*");
        lb_expect_close("(54) innovations", A, M, n * n, 1e-12);
        free(A);
        A = form(&l, "H R H* + H (Phi - I) R H* + H R (Phi - I)* H*");
        lb_expect_close("(49) composite bodies", A, M, n * n, 1e-12);
        free(A);
        A = form(&l, "(I - H Psi K)* D^-1 (I - H Psi K)");
        lb_expect_close("(56) inverse", A, inverse, n * n, 1e-12);
        free(A);
        A = lb_make_numbers(n * n);
        lb_expect_ok(lb_compute_mass_matrix_by_columns(l.t.model, l.operators, A));
        lb_expect_close("by columns", A, M, n * n, 1e-12);
        free(A);
        free(M);
        free(inverse);
        end(&l);
    }
}

// ---- lemmas ------------------------------------------------------------------------------------

typedef struct identity {
    const char *what, *left, *right;
} identity;

static void expect_identities(const identity *identities, size_t count, int chain)
{
    for (int i = 0; i < TREE_COUNT; ++i) {
        lb_tree_options options = get_tree(i);
        if (chain) {
            options.shape = LB_SHAPE_CHAIN;
            options.root_count = 1;
        }
        lab l = begin(&options, i);
        for (size_t k = 0; k < count; ++k) {
            // 1e-12: up to 9 bodies
            expect_equal(&l, identities[k].what, identities[k].left, identities[k].right, 1e-12);
        }
        end(&l);
    }
}

static void definitions_hold(void **state)
{
    (void)state;
    static const identity identities[] = {
        {"(19) Phi", "Phi (I - E_Phi)", "E_Phi* 0 + I"},
        {"(52) D", "H P H*", "D"},
        {"(52) G", "P H* D^-1", "G"},
        {"(52) K", "E_Phi G", "K"},
        {"(52) tau_bar", "I - G H", "tau_bar"},
        {"(52) E_Psi", "E_Phi tau_bar", "E_Psi"},
        {"(53) Psi", "Psi (I - E_Psi)", "0 E_Psi + I"},
        {"(0.34) Omega", "Psi* H* inv(D) H Psi", "Omega"},
        {"D^-1", "D D^-1", "I + 0 D"},
        {"Phi^-1", "Phi Phi^-1", "I + 0 Phi"},
        {"Psi^-1", "Psi^-1 Psi", "I + 0 Psi"},
    };
    expect_identities(identities, sizeof identities / sizeof identities[0], 0);
}

// Jain and Rodriguez 1992: Lemmas 5.1, 6.1, 6.2, 6.3 and the equations in their proofs; (OPR-8),
// (OPR-12), (OPR-13), (OPR-14).
static void lemmas_of_flexible_chains_hold_on_trees(void **state)
{
    (void)state;
    static const identity identities[] = {
        {"(65)", "R - E_Phi R E_Phi*", "M"},
        {"Lemma 5.1", "Phi M Phi*", "R + (Phi - I) R + R (Phi - I)*"},
        {"tau P tau* = tau P", "tau_bar P tau_bar* + G H P", "P"},
        {"(66)", "P - E_Phi P E_Phi* + K D K*", "M"},
        {"(66) with Phi", "Phi M Phi*", "P + (Phi - I) P + P (Phi - I)* + Phi K D K* Phi*"},
        {"Lemma 6.1", "H Phi M Phi* H*", "[I + H Phi K] D [I + H Phi K]*"},
        {"Lemma 6.2", "(I + H Phi K) (I - H Psi K)", "I + 0 D"},
        {"Lemma 6.2, other side", "(I - H Psi K) (I + H Phi K)", "I + 0 D"},
        {"Lemma 6.3", "[I - H Psi K]* D^-1 [I - H Psi K] H Phi M Phi* H*", "I + 0 D"},
        {"(68)", "Psi^-1", "Phi^-1 + K H"},
        {"(70)", "[I - H Psi K] H Phi", "H Psi"},
        {"(72)", "Psi M Phi*", "Psi P + P (Phi - I)*"},
        {"(74)", "[I - H Psi K]* D^-1 H P (Phi - I)*", "K* Psi*"},
    };
    expect_identities(identities, sizeof identities / sizeof identities[0], 0);
}

// Rodriguez, Jain and Kreutz-Delgado: Lemmas 0.1 to 0.4, .6 and .7.
static void lemmas_of_trees_hold(void **state)
{
    (void)state;
    static const identity identities[] = {
        {"Lemma 0.1", "H phi M phi* H*", "[I + H phi K] D [I + H phi K]*"},
        {"Lemma 0.2", "[I + H phi K] [I - H psi K]", "I + 0 D"},
        {"Lemma 0.3", "H phi M phi* H* [I - H psi K]* D^-1 [I - H psi K]", "I + 0 D"},
        {"Lemma 0.4", "(I - H psi K) H phi", "H psi"},
        {"(0.25)", "P - E_phi (P - P H* D^-1 H P) E_phi*", "M"},
        {"Lemma .6", "P - E_psi P E_psi*", "M"},
        {"Lemma .7 (a)", "psi E_psi", "psi - I"},
        {"Lemma .7 (a), other side", "E_psi psi", "psi - I"},
        {"Lemma .7 (b)", "psi M psi*", "P + (psi - I) P + P (psi - I)*"},
        {"Lemma .7 (c)", "psi^-1 phi", "I + K H phi"},
        {"Lemma .7 (c), other side", "phi psi^-1", "I + phi K H"},
        {"Lemma .7 (d)", "H psi M psi* H*", "D"},
    };
    expect_identities(identities, sizeof identities / sizeof identities[0], 0);
}

// (.41) and Lemma .5 hold for a single branch, and only there.
static void upsilon_decomposes_omega_on_chains(void **state)
{
    (void)state;
    static const identity identities[] = {
        {"(.41)", "Upsilon - E_psi* Upsilon E_psi", "H* D^-1 H"},
        {"Lemma .5", "Omega", "Upsilon + (psi - I)* Upsilon + Upsilon (psi - I)"},
    };
    expect_identities(identities, sizeof identities / sizeof identities[0], 1);
}

// The nearest common ancestor of two bodies, or LB_GROUND.
static int find_ancestor(const lb_model *model, int i, int j)
{
    for (int c = i; c != LB_GROUND; c = lb_get_hinge(model, c).parent) {
        for (int d = j; d != LB_GROUND; d = lb_get_hinge(model, d).parent) {
            if (c == d) {
                return c;
            }
        }
    }
    return LB_GROUND;
}

// (OPR-17): Omega(i,j) = psi*(c,i) Upsilon(c) psi(c,j), c the nearest common ancestor; zero between
// bodies that have none. In particular Upsilon is the block diagonal of Omega.
static void upsilon_of_the_common_ancestor_gives_omega_on_trees(void **state)
{
    (void)state;
    int between_branches = 0;
    for (int i = 0; i < TREE_COUNT; ++i) {
        const lb_tree_options options = get_tree(i);
        lab l = begin(&options, i);
        const int n = l.body_size;
        double *Omega = form(&l, "Omega"), *Psi = form(&l, "Psi"), *Upsilon = form(&l, "Upsilon");
        double *expected = lb_make_numbers((size_t)n * (size_t)n);
        for (int a = 0; a < l.t.body_count; ++a) {
            for (int b = 0; b < l.t.body_count; ++b) {
                const int c = find_ancestor(l.t.model, a, b);
                if (c == LB_GROUND) {
                    continue;
                }
                between_branches += c != a && c != b;
                const int from = lb_op_get_offset(l.operators, LB_OP_SPACE_BODY, c);
                const int size = lb_get_mode_count(l.t.model, c) + 6;
                const int row = lb_op_get_offset(l.operators, LB_OP_SPACE_BODY, a);
                const int column = lb_op_get_offset(l.operators, LB_OP_SPACE_BODY, b);
                for (int r = row; r < row + lb_get_mode_count(l.t.model, a) + 6; ++r) {
                    for (int s = column; s < column + lb_get_mode_count(l.t.model, b) + 6; ++s) {
                        for (int x = from; x < from + size; ++x) {
                            for (int y = from; y < from + size; ++y) {
                                expected[r * n + s] +=
                                    Psi[x * n + r] * Upsilon[x * n + y] * Psi[y * n + s];
                            }
                        }
                    }
                }
            }
        }
        // 1e-12: up to 9 bodies
        lb_expect_close("Omega by common ancestors", Omega, expected, n * n, 1e-12);
        free(Omega);
        free(Psi);
        free(Upsilon);
        free(expected);
        end(&l);
    }
    assert_true(between_branches > 100);
}

// ---- operators against kinematics and dynamics -------------------------------------------------

// (OPR-4): Phi* H* v is the velocity of the callers' body frames, in their axes, and modal rates.
static void velocities_of_body_frames(void **state)
{
    (void)state;
    for (int i = 0; i < TREE_COUNT; ++i) {
        const lb_tree_options options = get_tree(i);
        lab l = begin(&options, i);
        double *V = apply(&l, "Phi* H*", l.t.v);
        double *expected = lb_make_numbers((size_t)l.body_size);
        lb_expect_ok(lb_compute_kinematics(l.t.model, l.t.work, l.t.q, l.t.v, NULL));
        for (int body = 0; body < l.t.body_count; ++body) {
            const int m = lb_get_mode_count(l.t.model, body);
            double *at = expected + lb_op_get_offset(l.operators, LB_OP_SPACE_BODY, body);
            memcpy(at, l.t.v + lb_get_v_offset(l.t.model, body), (size_t)m * sizeof *at);
            lb_node_motion motion;
            lb_expect_ok(lb_compute_node_motion(l.t.model, l.t.work, body, 0, &motion));
            const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(motion.rotation));
            lb_vec3_to(lb_mat3_tmul_vec(&R, lb_vec3_from(motion.velocity)), at + m);
            lb_vec3_to(lb_mat3_tmul_vec(&R, lb_vec3_from(motion.velocity + 3)), at + m + 3);
        }
        // 1e-12: up to 9 bodies
        lb_expect_close("Phi* H* v", V, expected, l.body_size, 1e-12);
        free(V);
        free(expected);
        end(&l);
    }
}

// (OPR-6): the blocks of M of rigid bodies are the mass properties that were given.
static void mass_blocks_are_in_the_frame_of_the_caller(void **state)
{
    (void)state;
    const lb_tree_options options = lb_get_small_tree(8);
    lab l = begin(&options, 8);
    double *M = form(&l, "M");
    for (int body = 0; body < l.t.body_count; ++body) {
        const lb_scene_body *b = &l.t.scene->bodies[body];
        const int at = lb_op_get_offset(l.operators, LB_OP_SPACE_BODY, body);
        const lb_inertia at_com = {b->mass, {0, 0, 0}, lb_sym3_from(b->inertia)};
        const lb_pose X = {lb_mat3_identity(), lb_vec3_from(b->com)};
        const lb_inertia own = lb_inertia_carry(&X, &at_com);
        double block[36], expected[36];
        for (int r = 0; r < 6; ++r) {
            double unit[6] = {0};
            unit[r] = 1.0;
            const lb_vec6 e = {lb_vec3_from(unit), lb_vec3_from(unit + 3)};
            const lb_vec6 f = lb_inertia_mul(&own, e);
            lb_vec3_to(f.w, expected + 6 * r);
            lb_vec3_to(f.v, expected + 6 * r + 3);
            memcpy(block + 6 * r, M + (at + r) * l.body_size + at, sizeof unit);
        }
        // 1e-14: carried to the hinge frame and back
        lb_expect_close("M of a rigid body", block, expected, 36, 1e-14);
    }
    free(M);
    end(&l);
}

// (OPR-9), (42), (43): tau = H Phi (M Phi* (H* a + a_m) + b_m), against inverse dynamics;
// (OPR-15), Lemma 7.1: (57), against forward dynamics.
static void equations_of_motion_in_operators(void **state)
{
    (void)state;
    for (int i = 0; i < TREE_COUNT; ++i) {
        const lb_tree_options options = get_tree(i);
        lab l = begin(&options, i);
        const int n = l.hinge_size, N = l.body_size;
        double *a_m = lb_make_numbers((size_t)N), *b_m = lb_make_numbers((size_t)N);
        double *x = lb_make_numbers((size_t)N), *tau = lb_make_numbers((size_t)n);
        double *c = lb_make_numbers((size_t)n), *a = lb_make_numbers((size_t)n);
        const double one = 1.0;
        lb_expect_ok(
            lb_compute_operator_motion(l.t.model, l.t.work, l.t.q, l.t.v, l.t.tau, l.operators));
        lb_expect_ok(lb_op_apply(l.t.model, l.operators, LB_OP_A_M, LB_OP_PLAIN, &one, a_m));
        lb_expect_ok(lb_op_apply(l.t.model, l.operators, LB_OP_B_M, LB_OP_PLAIN, &one, b_m));

        // tau; compared with the size of its parts, which may cancel
        double *Ha = apply(&l, "H*", l.t.a);
        for (int r = 0; r < N; ++r) {
            x[r] = Ha[r] + a_m[r];
        }
        double *f = apply(&l, "M Phi*", x);
        for (int r = 0; r < N; ++r) {
            f[r] += b_m[r];
        }
        double *T = apply(&l, "H Phi", f);
        lb_expect_ok(lb_compute_bias(l.t.model, l.t.work, l.t.q, l.t.v, c));
        lb_expect_ok(lb_compute_inverse_dynamics(l.t.model, l.t.work, l.t.q, l.t.v, l.t.a, tau));
        double size = 0.0;
        for (int r = 0; r < n; ++r) {
            size = fmax(size, fmax(fabs(c[r]), fabs(tau[r])));
        }
        lb_expect_within("(42) forces", T, tau, n, 1e-12 * size);

        // Lemma 7.1: a = [I - H Psi K]* D^-1 (T - H Psi (K T + P a_m + b_m)) - K* Psi* a_m
        double *KT = apply(&l, "K", l.t.tau), *Pa = apply(&l, "P", a_m);
        for (int r = 0; r < N; ++r) {
            x[r] = KT[r] + Pa[r] + b_m[r];
        }
        double *HPsi = apply(&l, "H Psi", x);
        for (int r = 0; r < n; ++r) {
            HPsi[r] = l.t.tau[r] - HPsi[r];
        }
        double *first = apply(&l, "[I - H Psi K]* D^-1", HPsi), *second = apply(&l, "K* Psi*", a_m);
        lb_expect_ok(lb_compute_forward_dynamics(l.t.model, l.t.work, l.t.q, l.t.v, l.t.tau, a));
        for (int r = 0; r < n; ++r) {
            first[r] -= second[r];
        }
        // 1e-11: cond(M) up to 1e4
        lb_expect_close("Lemma 7.1", first, a, n, 1e-11);

        double *const all[] = {a_m, b_m, x, tau, c, a, Ha, f, T, KT, Pa, HPsi, first, second};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
            free(all[k]);
        }
        end(&l);
    }
}

// ---- apply, form, transpose, compose -----------------------------------------------------------

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

// y = A x for a formed A
static void multiply(int rows, int columns, const double *A, const double *x, double *y)
{
    for (int i = 0; i < rows; ++i) {
        y[i] = dot(A + i * columns, x, columns);
    }
}

static void expect_apply_equals_form(lab *l, lb_op op, int how)
{
    const int across = how & LB_OP_TRANSPOSED;
    const int rows = get_length(l, across ? lb_op_get_column_space(op) : lb_op_get_row_space(op));
    const int columns =
        get_length(l, across ? lb_op_get_row_space(op) : lb_op_get_column_space(op));
    double *A = lb_make_numbers((size_t)rows * (size_t)columns);
    double *B = lb_make_numbers((size_t)rows * (size_t)columns);
    double *x = draw(l, columns), *y = lb_make_numbers((size_t)rows);
    double *z = lb_make_numbers((size_t)rows), *w = draw(l, rows);
    double *u = lb_make_numbers((size_t)columns);

    lb_expect_ok(lb_op_form(l->t.model, l->operators, op, how, A));
    lb_expect_ok(lb_op_apply(l->t.model, l->operators, op, how, x, y));
    multiply(rows, columns, A, x, z);
    lb_expect_close("apply is form times x", y, z, rows, 1e-12);

    // the adjoint: <w, A x> = <A* w, x>, and A* formed is the transpose of A formed
    lb_expect_ok(lb_op_apply(l->t.model, l->operators, op, how ^ LB_OP_TRANSPOSED, w, u));
    double size = 0.0;
    for (int i = 0; i < rows; ++i) {
        size += fabs(w[i] * y[i]);
    }
    lb_expect_below("adjoint", dot(w, y, rows) - dot(u, x, columns), 1e-12 * size);
    lb_expect_ok(lb_op_form(l->t.model, l->operators, op, how ^ LB_OP_TRANSPOSED, B));
    double *turned = lb_make_numbers((size_t)rows * (size_t)columns);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            turned[j * rows + i] = A[i * columns + j];
        }
    }
    lb_expect_close("transpose", B, turned, rows * columns, 1e-12);

    double *const all[] = {A, B, x, y, z, w, u, turned};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        free(all[k]);
    }
}

static void every_operator_applies_as_it_forms(void **state)
{
    (void)state;
    for (int i = 0; i < TREE_COUNT; ++i) {
        const lb_tree_options options = get_tree(i);
        lab l = begin(&options, i);
        const lb_op_node node = {l.t.body_count - 1, 0};
        double *blocks = draw(&l, 4 * l.t.body_count);
        lb_expect_ok(lb_op_pick_nodes(l.t.model, l.t.work, l.operators, 1, &node));
        lb_expect_ok(lb_op_set_blocks(l.t.model, l.operators, 2, blocks));
        lb_expect_ok(lb_compute_operators(l.t.model, l.t.work, l.t.q, l.operators));
        lb_expect_ok(
            lb_compute_operator_motion(l.t.model, l.t.work, l.t.q, l.t.v, l.t.tau, l.operators));
        free(blocks);
        for (int op = 0; op < LB_OP_COUNT; ++op) {
            if (op != LB_OP_A) { // which takes loops
                expect_apply_equals_form(&l, (lb_op)op, LB_OP_PLAIN);
            }
        }
        expect_apply_equals_form(&l, LB_OP_S, LB_OP_INVERTED);
        expect_apply_equals_form(&l, LB_OP_PSI_A, LB_OP_INVERTED);
        expect_apply_equals_form(&l, LB_OP_D, LB_OP_SQUARE_ROOT);
        expect_apply_equals_form(&l, LB_OP_D, LB_OP_SQUARE_ROOT | LB_OP_INVERTED);
        expect_apply_equals_form(&l, LB_OP_D, LB_OP_INVERTED);
        expect_apply_equals_form(&l, LB_OP_PHI, LB_OP_INVERTED);
        expect_apply_equals_form(&l, LB_OP_PSI, LB_OP_INVERTED);
        end(&l);
    }
}

// An expression against the product of formed matrices, and its transpose.
static void expressions_compose(void **state)
{
    (void)state;
    for (int i = 0; i < TREE_COUNT / 5; ++i) {
        const lb_tree_options options = get_tree(i);
        lab l = begin(&options, i);
        const int N = l.body_size, n = l.hinge_size;
        double *H = form(&l, "H"), *Psi = form(&l, "Psi"), *K = form(&l, "K");
        double *x = draw(&l, n), *u = lb_make_numbers((size_t)N), *v = lb_make_numbers((size_t)N);
        double *w = lb_make_numbers((size_t)n),
               *y = apply(&l, "0.5 (2 I - H Psi K) - 2e-1 D^-1", x);
        multiply(N, n, K, x, u);
        multiply(N, N, Psi, u, v);
        multiply(n, N, H, v, w);
        double *Dx = apply(&l, "D^-1", x);
        for (int r = 0; r < n; ++r) {
            w[r] = 0.5 * (2.0 * x[r] - w[r]) - 0.2 * Dx[r];
        }
        lb_expect_close("composed", y, w, n, 1e-12);
        expect_equal(&l, "transpose", "(H Psi K - 3 D)*", "K* Psi^T H^* - D* 3", 1e-13);
        expect_equal(&l, "inverse of a product", "(2 Phi Psi)^-1", "0.5 Psi^-1 Phi^-1", 1e-12);
        expect_equal(&l, "inverse transpose", "Phi^-*", "I - E_Phi*", 1e-15);
        double *const all[] = {H, Psi, K, x, u, v, w, y, Dx};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
            free(all[k]);
        }
        end(&l);
    }
}

// ---- what cannot be done -----------------------------------------------------------------------

static void refuses_what_has_not_been_computed(void **state)
{
    (void)state;
    const lb_tree_options options = lb_default_tree_options();
    lb_trial t = lb_begin_trial(&options, 1);
    lb_op_work *operators;
    const size_t size = lb_op_get_work_size(t.model);
    // any address will do
    char *memory = calloc(1, size + 1);
    assert_non_null(memory);
    assert_int_equal(lb_op_init_work(t.model, memory, size - 1, &operators), LB_E_MEMORY);
    lb_expect_ok(lb_op_init_work(t.model, memory + 1, size, &operators));
    const size_t n = (size_t)lb_op_get_size(operators, LB_OP_SPACE_BODY);
    double *x = lb_make_numbers(n), *y = lb_make_numbers(n);
    assert_int_equal(lb_op_apply(t.model, operators, LB_OP_PHI, 0, x, y), LB_E_STAGE);
    assert_int_equal(lb_compute_mass_matrix_by_columns(t.model, operators, y), LB_E_STAGE);
    lb_expect_ok(lb_compute_operators(t.model, t.work, t.q, operators));
    lb_expect_ok(lb_op_apply(t.model, operators, LB_OP_PHI, 0, x, y));
    assert_int_equal(lb_op_apply(t.model, operators, LB_OP_H, LB_OP_INVERTED, x, y),
                     LB_E_UNSUPPORTED);
    assert_int_equal(lb_op_apply(t.model, operators, LB_OP_H, 8, x, y), LB_E_ARGUMENT);
    assert_int_equal(lb_op_apply(t.model, operators, LB_OP_COUNT, 0, x, y), LB_E_ARGUMENT);
    free(x);
    free(y);
    free(memory);
    lb_end_trial(&t);
}

// A massless tip: D is singular there, and what does not need it is there nevertheless.
static void singular_inertia_leaves_the_plain_operators(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    options.shape = LB_SHAPE_CHAIN;
    options.shuffle = 0;
    options.hinges = LB_HINGE_BIT(LB_HINGE_REVOLUTE);
    lb_scene *scene = lb_create_tree(&options, 5);
    lb_scene_body *tip = &scene->bodies[scene->body_count - 1];
    tip->mass = 0.0;
    memset(tip->inertia, 0, sizeof tip->inertia);
    lb_trial t = lb_begin_scene_trial(scene, 5);
    lb_op_work *operators = lb_op_create_work(t.model);
    assert_non_null(operators);
    assert_int_equal(lb_compute_operators(t.model, t.work, t.q, operators), LB_E_SINGULAR);
    int body, offset;
    lb_get_bad_inertia(t.work, &body, &offset);
    assert_int_equal(body, scene->body_count - 1);
    assert_int_equal(offset, 0);

    const size_t n = (size_t)t.v_count, N = (size_t)lb_op_get_size(operators, LB_OP_SPACE_BODY);
    double *M = lb_make_numbers(n * n), *A = lb_make_numbers(n * n), *x = lb_make_numbers(N);
    double *y = lb_make_numbers(N);
    assert_int_equal(lb_op_apply(t.model, operators, LB_OP_PSI, 0, x, y), LB_E_SINGULAR);
    lb_expect_ok(lb_compute_mass_matrix_by_columns(t.model, operators, A));
    lb_expect_ok(lb_compute_mass_matrix(t.model, t.work, t.q, M));
    lb_expect_close("mass matrix", A, M, n * n, 1e-12);
    free(M);
    free(A);
    free(x);
    free(y);
    lb_op_destroy_work(operators);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factorisations_of_the_mass_matrix),
        cmocka_unit_test(definitions_hold),
        cmocka_unit_test(lemmas_of_flexible_chains_hold_on_trees),
        cmocka_unit_test(lemmas_of_trees_hold),
        cmocka_unit_test(upsilon_decomposes_omega_on_chains),
        cmocka_unit_test(upsilon_of_the_common_ancestor_gives_omega_on_trees),
        cmocka_unit_test(velocities_of_body_frames),
        cmocka_unit_test(mass_blocks_are_in_the_frame_of_the_caller),
        cmocka_unit_test(equations_of_motion_in_operators),
        cmocka_unit_test(every_operator_applies_as_it_forms),
        cmocka_unit_test(expressions_compose),
        cmocka_unit_test(refuses_what_has_not_been_computed),
        cmocka_unit_test(singular_inertia_leaves_the_plain_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
