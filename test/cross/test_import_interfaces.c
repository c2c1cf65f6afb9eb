// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Bodies with interfaces, tied sets and residual modes: static response against a dense solution of the whole
// structure, assemblies against the bodies that they are made of, ties against the definition of a rigid motion.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "body_file.h"
#include "check.h"
#include "flight.h"
#include "import_case.h"
#include "limber/linear.h"
#include "loaded.h"
#include "scratch.h"

// nodes of the faces at the far end
#define BEAM_END "117..120+122+125+127..128"
#define PANEL_END "90..93+95+98+100..104+106+108"

// ---- a dense solution ----------------------------------------------------------------------------

// K x + C lambda = f, C' x = 0: by Gauss with pivots and more digits than a double has, since the condition of the
// panel is 1e10.
static void solve_with_constraints(int n, const double *K, int m, const double *C, const double *f,
                                   double *x)
{
    const int size = n + m;
    long double *A = calloc((size_t)size * (size_t)(size + 1), sizeof *A);
    assert_non_null(A);
#define AT(i, j) A[(size_t)(i) * (size_t)(size + 1) + (size_t)(j)]
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            AT(i, j) = K[i * n + j];
        }
        for (int k = 0; k < m; ++k) {
            AT(i, n + k) = AT(n + k, i) = C[k * n + i];
        }
        AT(i, size) = f[i];
    }
    for (int i = 0; i < size; ++i) {
        int pivot = i;
        for (int k = i + 1; k < size; ++k) {
            pivot = fabsl(AT(k, i)) > fabsl(AT(pivot, i)) ? k : pivot;
        }
        for (int j = i; j <= size; ++j) {
            const long double swap = AT(i, j);
            AT(i, j) = AT(pivot, j);
            AT(pivot, j) = swap;
        }
        for (int k = i + 1; k < size; ++k) {
            const long double factor = AT(k, i) / AT(i, i);
            for (int j = i; factor != 0 && j <= size; ++j) {
                AT(k, j) -= factor * AT(i, j);
            }
        }
    }
    for (int i = size - 1; i >= 0; --i) {
        for (int j = i + 1; j < size; ++j) {
            AT(i, size) -= AT(i, j) * AT(j, size);
        }
        AT(i, size) /= AT(i, i);
    }
    for (int i = 0; i < n; ++i) {
        x[i] = (double)AT(i, size);
    }
    free(A);
}

// The rows of a job of CalculiX with dense matrices, in the units of its files.
typedef struct dense_job {
    lb_import_case files;
    int n;
    double *K, *M;
    double *R[6];
} dense_job;

static void begin_job(dense_job *d, const char *job)
{
    static const char *const endings[] = {"dof", "inp", "mas", "sti"};
    static char names[4][64];
    lb_begin_case(&d->files);
    for (int i = 0; i < 4; ++i) {
        snprintf(names[i], sizeof names[i], "%s.%s", job, endings[i]);
        assert_true(lb_add_case_file(&d->files, lb_find_source("test/data/fe/calculix"), names[i]));
    }
    lb_expect_ok(lb_read_case(&d->files, lb_read_calculix));
    d->n = d->files.structure.row_count;
    d->K = lb_make_dense(&d->files.structure, &d->files.structure.K);
    d->M = lb_make_dense(&d->files.structure, &d->files.structure.M);
    for (int k = 0; k < 6; ++k) {
        d->R[k] = lb_make_rigid_motion(&d->files.structure, k);
    }
}

static void end_job(dense_job *d)
{
    free(d->K);
    free(d->M);
    for (int k = 0; k < 6; ++k) {
        free(d->R[k]);
    }
    lb_end_case(&d->files);
}

static bool is_listed(long id, const long *list, int count)
{
    bool found = false;
    for (int i = 0; i < count; ++i) {
        found = found || list[i] == id;
    }
    return found;
}

// Loads on the rows of nodes that act like a unit load on their mean motion about their middle: forces on n nodes are
// A^-1 (e, d x e), from scratch, for nodes that have translations alone.
static void spread_load(const dense_job *d, const long *set, int count, int direction, double *f)
{
    const lb_structure *s = &d->files.structure;
    double middle[3] = {0}, A[6][7] = {{0}};
    for (int i = 0; i < s->node_count; ++i) {
        for (int k = 0; k < 3 && is_listed(s->nodes[i].id, set, count); ++k) {
            middle[k] += s->nodes[i].x[k] / count;
        }
    }
    memset(f, 0, (size_t)d->n * sizeof *f);
    for (int pass = 0; pass < 2; ++pass) {
        for (int row = 0; row < d->n; ++row) {
            const lb_fe_grid *grid = &s->nodes[s->rows[row].node];
            if (!is_listed(grid->id, set, count)) {
                continue;
            }
            // how the row follows a motion of the middle
            const int c = s->rows[row].direction, a = (c + 1) % 3, b = (c + 2) % 3;
            double g[6] = {0};
            g[c] = 1.0;
            g[3 + a] = grid->x[b] - middle[b]; // (w x r)_c = w_a r_b - w_b r_a
            g[3 + b] = -(grid->x[a] - middle[a]);
            for (int i = 0; i < 6; ++i) {
                for (int j = 0; j < 6 && pass == 0; ++j) {
                    A[i][j] += g[i] * g[j];
                }
                f[row] += pass == 1 ? g[i] * A[i][6] : 0.0;
            }
        }
        for (int i = 0; i < 6 && pass == 0; ++i) {
            A[i][6] = i == direction;
        }
        for (int i = 0; i < 6 && pass == 0; ++i) {
            for (int k = 0; k < 6; ++k) {
                const double factor = k == i ? 0.0 : A[k][i] / A[i][i];
                for (int j = 0; j < 7; ++j) {
                    A[k][j] -= factor * A[i][j];
                }
            }
        }
        for (int i = 0; i < 6 && pass == 0; ++i) {
            A[i][6] /= A[i][i];
        }
    }
}

// ---- the modes -----------------------------------------------------------------------------------

static const lb_flex_node *find_node(const lb_flex_options *flex, const char *name)
{
    for (int i = 0; i < flex->node_count; ++i) {
        if (strcmp(flex->nodes[i].name, name) == 0) {
            return &flex->nodes[i];
        }
    }
    fail_msg("no node %s", name);
    return NULL;
}

// Modal coordinates under a unit load on a node.
static void find_coordinates(const lb_flex_options *flex, const char *node, int direction,
                             double *eta)
{
    const int m = flex->mode_count;
    const double *shape = find_node(flex, node)->shape;
    for (int r = 0; r < m; ++r) {
        eta[r] = shape[6 * r + (direction + 3) % 6] / flex->stiffness[r * m + r];
    }
}

// The displacement of every node of the body, against that of the rows.
static void expect_displacements(const dense_job *d, const lb_flex_options *flex, const double *eta,
                                 const double *x, double tolerance)
{
    const lb_structure *s = &d->files.structure;
    double worst = 0.0, largest = 0.0;
    int compared = 0;
    for (int row = 0; row < d->n; ++row) {
        const lb_fe_grid *grid = &s->nodes[s->rows[row].node];
        const int direction = s->rows[row].direction;
        for (int i = 0; i < flex->node_count && direction < 3; ++i) {
            const lb_flex_node *node = &flex->nodes[i];
            const bool is_tied = strcmp(node->name, "tip") == 0;
            if (is_tied || memcmp(node->position, grid->x, sizeof grid->x) != 0) {
                continue;
            }
            double u = 0.0;
            for (int r = 0; r < flex->mode_count; ++r) {
                u += node->shape[6 * r + 3 + direction] * eta[r];
            }
            worst = fmax(worst, fabs(u - x[row]));
            largest = fmax(largest, fabs(x[row]));
            ++compared;
        }
    }
    assert_true(compared > d->n / 2);
    lb_expect_below("displacements, over the largest", worst / largest, tolerance);
}

static lb_import_options name_tip(lb_tied_node *tie, const char *set)
{
    lb_import_options options = lb_default_import_options();
    *tie = lb_default_tied_node();
    tie->name = "tip";
    tie->set = set;
    options.ties = tie;
    options.tie_count = 1;
    return options;
}

static const char *const tip[] = {"tip"}, *const ends[] = {"9001", "tip"};

// ---- static response -----------------------------------------------------------------------------

// Under loads on the tip, all nodes move as in the whole structure, with few modes or many, clamped and free, with
// residual modes and with an interface; without these they do not.
static void static_response_is_exact(void **state)
{
    static const struct {
        const char *job, *set;
        long ids[13];
        int count;
    } jobs[] = {
        {"beam", BEAM_END, {117, 118, 119, 120, 122, 125, 127, 128}, 8},
        {"panel", PANEL_END, {90, 91, 92, 93, 95, 98, 100, 101, 102, 103, 104, 106, 108}, 13}};
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const bool is_free = k % 2 == 1;
        dense_job d;
        begin_job(&d, jobs[k / 2].job);
        lb_tied_node tie;
        lb_import_options options = name_tip(&tie, jobs[k / 2].set);
        const long root = 9001;
        options.mode_count = k / 2 == 0 ? 60 : 5;
        options.clamp = &root;
        options.clamp_count = !is_free;
        lb_imported *plain = lb_import_job(jobs[k / 2].job, &options);
        options.residuals = tip;
        options.residual_count = 1;
        lb_imported *residual = lb_import_job(jobs[k / 2].job, &options);
        options.residual_count = 0;
        options.interfaces = tip;
        options.interface_count = 1;
        lb_imported *interface =
            is_free ? NULL : lb_import_job(jobs[k / 2].job, &options); // else inertia is not exact
        // the motions that are not there: of node 9001, or of the mean
        double *C = calloc(6 * (size_t)d.n, sizeof *C), *f = calloc((size_t)d.n, sizeof *f),
               *x = calloc((size_t)d.n, sizeof *x), eta[128];
        for (int i = 0, held = 0; i < d.n; ++i) {
            const lb_structure *s = &d.files.structure;
            for (int motion = 0; motion < 6 && is_free; ++motion) {
                C[motion * d.n + i] = lb_compute_dot(d.n, d.M + i * d.n, d.R[motion]);
            }
            if (!is_free && s->nodes[s->rows[i].node].id == root) {
                C[held++ * d.n + i] = 1.0;
            }
        }
        for (int direction = 0; direction < 6; ++direction) {
            spread_load(&d, jobs[k / 2].ids, jobs[k / 2].count, direction, f);
            solve_with_constraints(d.n, d.K, 6, C, f, x);
            const lb_flex_options *flex = lb_get_imported_options(residual);
            find_coordinates(flex, "tip", direction, eta);
            expect_displacements(&d, flex, eta, x, 1e-9);
            // and along the load, the flexibility that is left out of it
            double flexibility = 0.0;
            for (int r = 0; r < flex->mode_count; ++r) {
                flexibility += find_node(flex, "tip")->shape[6 * r + (direction + 3) % 6] * eta[r];
            }
            lb_expect_near("flexibility", flexibility, lb_compute_dot(d.n, f, x), 1e-9);
            if (interface) {
                flex = lb_get_imported_options(interface);
                find_coordinates(flex, "tip", direction, eta);
                // the tied matrices are rounded: 1e-16 of a condition of 1e7, 1e9, and ten for the sums of averages
                expect_displacements(&d, flex, eta, x, k / 2 == 0 ? 1e-8 : 1e-7);
            }
            if (direction == 0 && options.mode_count == 5) { // none of these stretches
                flex = lb_get_imported_options(plain);
                find_coordinates(flex, "tip", direction, eta);
                double along = 0.0;
                for (int r = 0; r < flex->mode_count; ++r) {
                    along += find_node(flex, "tip")->shape[6 * r + 3] * eta[r];
                }
                assert_true(along < 0.1 * flexibility);
            }
        }
        free(C);
        free(f);
        free(x);
        lb_destroy_imported(plain);
        lb_destroy_imported(residual);
        lb_destroy_imported(interface);
        end_job(&d);
    }
}

// ---- effective mass ------------------------------------------------------------------------------

// All modes of two elements with a face held: sums of effective masses are those of what is not held, with the
// couplings of the mass matrix to what is, (M R)_f' M_ff^-1 (M R)_f.
static void effective_masses_add_up(void **state)
{
    (void)state;
    const long clamp[] = {1, 4, 5, 8};
    lb_import_options options = lb_default_import_options();
    options.clamp = clamp;
    options.clamp_count = 4;
    options.mode_count = 4096;
    lb_imported *block = lb_import_job("block", &options);
    const lb_flex_integrals *I = lb_get_imported_options(block)->integrals;
    const int m = lb_get_imported_options(block)->mode_count;
    assert_int_equal(m, 24);
    dense_job d;
    begin_job(&d, "block");
    double C[36 * 36] = {0}, f[36], x[36];
    int held = 0;
    for (int i = 0; i < d.n; ++i) {
        const lb_structure *s = &d.files.structure;
        if (is_listed(s->nodes[s->rows[i].node].id, clamp, 4)) {
            C[held++ * d.n + i] = 1.0;
        }
    }
    for (int k = 0; k < 6; ++k) {
        for (int i = 0; i < d.n; ++i) {
            f[i] = lb_compute_dot(d.n, d.M + i * d.n, d.R[k]);
        }
        solve_with_constraints(d.n, d.M, held, C, f, x);
        double sum = 0.0;
        for (int r = 0; r < m; ++r) {
            const double e = k < 3 ? I->E[3 * r + k] : I->B0[3 * r + k - 3];
            sum += e * e;
        }
        lb_expect_near("effective mass", sum, lb_compute_dot(d.n, f, x), 1e-9);
    }
    end_job(&d);
    lb_destroy_imported(block);
}

// The corners of a box with springs between all of them, and masses 1 to 8.
static void write_box(void)
{
    FILE *K = fopen("box_K.mtx", "w"), *M = fopen("box_M.mtx", "w"), *map = fopen("box.map", "w"),
         *places = fopen("box.xyz", "w");
    double A[24][24] = {{0}}, x[8][3];
    assert_true(K && M && map && places);
    for (int i = 0; i < 8; ++i) {
        x[i][0] = 2.0 * (i & 1);
        x[i][1] = 1.0 * (i >> 1 & 1);
        x[i][2] = 1.5 * (i >> 2);
        fprintf(places, "%d %g %g %g\n", i + 1, x[i][0], x[i][1], x[i][2]);
    }
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < i; ++j) {
            double e[3], square = 0.0;
            for (int k = 0; k < 3; ++k) {
                e[k] = x[i][k] - x[j][k];
                square += e[k] * e[k];
            }
            for (int k = 0; k < 9; ++k) {
                const double value = 100.0 * (1 + (i + j) % 3) * e[k / 3] * e[k % 3] / square;
                A[3 * i + k / 3][3 * i + k % 3] += value;
                A[3 * j + k / 3][3 * j + k % 3] += value;
                A[3 * i + k / 3][3 * j + k % 3] -= value;
                A[3 * j + k / 3][3 * i + k % 3] -= value;
            }
        }
    }
    fprintf(K, "%%%%MatrixMarket matrix coordinate real symmetric\n24 24 300\n");
    fprintf(M, "%%%%MatrixMarket matrix coordinate real symmetric\n24 24 24\n");
    for (int i = 0; i < 24; ++i) {
        for (int j = 0; j <= i; ++j) {
            fprintf(K, "%d %d %.17g\n", i + 1, j + 1, A[i][j]);
        }
        fprintf(M, "%d %d %d\n", i + 1, i + 1, i / 3 + 1);
        fprintf(map, "%d %d %d\n", i + 1, i / 3 + 1, i % 3 + 1);
    }
    fclose(K);
    fclose(M);
    fclose(map);
    fclose(places);
}

static lb_imported *import_box(const lb_import_options *options)
{
    return lb_import_folder(
        ".", (const char *const[]){"box_K.mtx", "box_M.mtx", "box.map", "box.xyz", NULL}, options);
}

// Point masses: the sums are those of the masses that are not held.
static void effective_masses_of_points_add_up(void **state)
{
    (void)state;
    const long clamp[] = {1, 2, 3};
    lb_import_options options = lb_default_import_options();
    options.clamp = clamp;
    options.clamp_count = 3;
    options.mode_count = 4096;
    lb_imported *box = import_box(&options);
    const lb_flex_integrals *I = lb_get_imported_options(box)->integrals;
    assert_int_equal(lb_get_imported_options(box)->mode_count, 15);
    double sums[6] = {0}, exact[6] = {0};
    for (int r = 0; r < 15; ++r) {
        for (int k = 0; k < 3; ++k) {
            sums[k] += I->E[3 * r + k] * I->E[3 * r + k];
            sums[3 + k] += I->B0[3 * r + k] * I->B0[3 * r + k];
        }
    }
    for (int i = 3; i < 8; ++i) {
        const double m = i + 1, x[3] = {2.0 * (i & 1), 1.0 * (i >> 1 & 1), 1.5 * (i >> 2)};
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            exact[k] += m;
            exact[3 + k] += m * (x[a] * x[a] + x[b] * x[b]);
        }
    }
    lb_expect_close("effective masses", sums, exact, 6, 1e-9);
    lb_destroy_imported(box);
}

// ---- ties ----------------------------------------------------------------------------------------

// Displacements of nodes of a set in a mode, less the motion of the tied node: their sum and the sum of their moments
// about the middle vanish, and each of them if the tie is rigid.
static void ties_have_the_motion_of_their_set(void **state)
{
    (void)state;
    const double place[] = {410, 20, -30};
    double first[2][2];
    for (int k = 0; k < 4; ++k) {
        const bool is_rigid = k % 2 == 1;
        lb_tied_node tie;
        lb_import_options options = name_tip(&tie, BEAM_END);
        tie.tie = is_rigid ? LB_TIE_RIGID : LB_TIE_AVERAGE;
        tie.position = k < 2 ? NULL : place;
        options.mode_count = 4;
        lb_imported *beam = lb_import_job("beam", &options);
        const lb_flex_options *flex = lb_get_imported_options(beam);
        const lb_flex_node *node = find_node(flex, "tip");
        first[k / 2][k % 2] = flex->stiffness[0];
        assert_true(node->position[0] == (k < 2 ? 400.0 : 410.0));
        for (int r = 0; r < 4; ++r) {
            const double *motion = node->shape + 6 * r;
            double force[3] = {0}, moment[3] = {0}, off = 0.0, largest = 0.0;
            int count = 0;
            for (int i = 0; i < flex->node_count; ++i) {
                const lb_flex_node *other = &flex->nodes[i];
                if (other == node || other->position[0] != 400.0) {
                    continue;
                }
                double e[3];
                for (int c = 0; c < 3; ++c) {
                    const int a = (c + 1) % 3, b = (c + 2) % 3;
                    const double turned = motion[a] * (other->position[b] - node->position[b]) -
                                          motion[b] * (other->position[a] - node->position[a]);
                    e[c] = other->shape[6 * r + 3 + c] - motion[3 + c] - turned;
                    force[c] += e[c];
                    off = fmax(off, fabs(e[c]));
                    largest = fmax(largest, fabs(other->shape[6 * r + 3 + c]));
                }
                for (int c = 0; c < 3; ++c) {
                    const int a = (c + 1) % 3, b = (c + 2) % 3;
                    moment[c] += other->position[a] * e[b] - other->position[b] * e[a];
                }
                ++count;
            }
            assert_int_equal(count, 8);
            for (int c = 0; c < 3; ++c) {
                lb_expect_below("sum", fabs(force[c]) / largest, 1e-10);
                lb_expect_below("moment", fabs(moment[c]) / largest / 400, 1e-10);
            }
            lb_expect_below("distance from a rigid motion", off / largest, is_rigid ? 1e-10 : 0.2);
            assert_true(is_rigid || off > 1e-6 * largest);
        }
        lb_destroy_imported(beam);
    }
    // averages add no stiffness, rigid sets do, and neither depends on the place of the node
    const long root = 9001;
    lb_import_options options = lb_default_import_options();
    options.mode_count = 4;
    options.nodes = &(const lb_named_node){"root", root};
    options.node_count = 1;
    lb_imported *beam = lb_import_job("beam", &options);
    const double bare = lb_get_imported_options(beam)->stiffness[0];
    lb_destroy_imported(beam);
    assert_true(first[0][0] == bare && first[1][0] == bare);
    assert_true(first[0][1] > bare * (1 + 1e-6));
    lb_expect_near("rigid end", first[1][1], first[0][1], 1e-10);
}

// A clamped average: its mean does not move, its nodes do, and it is softer than a rigid face.
static void averages_can_be_clamped(void **state)
{
    (void)state;
    double first[2];
    for (int k = 0; k < 2; ++k) {
        lb_tied_node tie;
        lb_import_options options = name_tip(&tie, BEAM_END);
        tie.tie = k == 0 ? LB_TIE_AVERAGE : LB_TIE_RIGID;
        options.held = tip;
        options.held_count = 1;
        options.mode_count = 3;
        lb_imported *beam = lb_import_job("beam", &options);
        const lb_flex_options *flex = lb_get_imported_options(beam);
        first[k] = flex->stiffness[0];
        double largest = 0.0;
        for (int i = 0; i < flex->node_count; ++i) {
            for (int r = 0; r < 18; ++r) {
                largest = fmax(largest, fabs(flex->nodes[i].shape[r]));
            }
        }
        for (int r = 0; r < 18; ++r) {
            lb_expect_below("tip", fabs(find_node(flex, "tip")->shape[r]) / largest, 1e-12);
        }
        lb_destroy_imported(beam);
    }
    assert_true(first[0] < first[1] * (1 - 1e-5));
    lb_expect_near("both", first[0], first[1], 0.05);
}

// Sets of input files: the same as the numbers.
static void sets_have_names(void **state)
{
    (void)state;
    FILE *deck = fopen("sets.inp", "w");
    fputs("*NSET, NSET=CORNERS, GENERATE\n117, 120, 1\n"
          "*NSET, NSET=end face\nCorners, 122\n125\n**\n*NSET, NSET=END FACE\n127, 128\n",
          deck);
    fclose(deck);
    static const char *const endings[] = {"dof", "inp", "mas", "sti"};
    const char *files[5] = {[4] = "sets.inp"};
    for (int i = 0; i < 4; ++i) {
        files[i] = lb_find_source("test/data/fe/calculix/beam.%s", endings[i]);
    }
    double first[2];
    for (int k = 0; k < 2; ++k) {
        lb_tied_node tie;
        lb_import_options options = name_tip(&tie, k == 0 ? BEAM_END : "End Face");
        tie.tie = LB_TIE_RIGID;
        options.mode_count = 2;
        options.files = files;
        options.file_count = 5;
        lb_imported *beam = NULL;
        lb_expect_ok(lb_import_files(&options, NULL, NULL, &beam));
        first[k] = lb_get_imported_options(beam)->stiffness[0];
        lb_destroy_imported(beam);
    }
    assert_true(first[0] == first[1]);
}

// ---- assemblies ----------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Two equal beams joined at both ends, by a hinge and by a loop: they move together as one free beam, or against
// each other as a beam whose ends are held.
static void twins_joined_at_interfaces_move_as_one(void **state)
{
    enum { MODES = 4 };
    (void)state;
    lb_tied_node tie;
    lb_import_options options = name_tip(&tie, BEAM_END);
    options.length = 1e-3;
    options.mass = 1e3;
    options.mode_count = MODES;
    options.interfaces = ends;
    options.interface_count = 2;
    double expected[2 * MODES + 6];
    lb_imported *beam = lb_import_job("beam", &options);
    const lb_flex_options *flex = lb_get_imported_options(beam);
    assert_int_equal(flex->mode_count, MODES + 6);
    for (int r = 0; r < MODES + 6; ++r) {
        expected[r] = lb_get_body_frequency(flex, r);
    }
    lb_keep_body(beam, "twin.flex");
    options.interface_count = 0;
    options.held = ends;
    options.held_count = 2;
    beam = lb_import_job("beam", &options);
    for (int r = 0; r < MODES; ++r) {
        expected[MODES + 6 + r] = lb_get_body_frequency(lb_get_imported_options(beam), r);
    }
    lb_destroy_imported(beam);
    qsort(expected, 2 * MODES + 6, sizeof *expected, compare_numbers);
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: free}, flex: {file: twin.flex}}\n"
        "  - {name: b, parent: a, at: '9001', by: '9001', hinge: {type: fixed},\n"
        "     flex: {file: twin.flex}}\n"
        "loops:\n"
        "  - {name: w, type: weld, a: {body: a, node: tip}, b: {body: b, node: tip}}\n",
        NULL);
    const lb_linear_options linear = lb_default_linear_options();
    lb_modes *modes = NULL;
    lb_expect_ok(lb_compute_modes(l.simulation, &linear, &modes));
    assert_true(modes->mode_count >= 6 + 2 * MODES + 6);
    // 1e-7: one eigenproblem has the squares of all of them, which differ by 1e4
    lb_expect_close("frequencies", modes->frequencies + 6, expected, 2 * MODES + 6, 1e-7);
    lb_destroy_modes(modes);
    lb_end_loaded(&l);
}

// With interfaces the lowest frequencies approach those of the structure from above, with more modes more closely.
static void interfaces_keep_low_frequencies(void **state)
{
    (void)state;
    lb_tied_node tie;
    lb_import_options options = name_tip(&tie, PANEL_END);
    options.mode_count = 6;
    lb_imported *free_panel = lb_import_job("panel", &options);
    double error[2];
    for (int k = 0; k < 2; ++k) {
        options.mode_count = k == 0 ? 3 : 20;
        options.interfaces = ends;
        options.interface_count = 2;
        lb_imported *panel = lb_import_job("panel", &options);
        error[k] = 0.0;
        for (int r = 0; r < 4; ++r) {
            const double ratio = lb_get_body_frequency(lb_get_imported_options(panel), r) /
                                 lb_get_body_frequency(lb_get_imported_options(free_panel), r);
            assert_true(ratio > 1 - 1e-9);
            error[k] = fmax(error[k], ratio - 1);
        }
        lb_destroy_imported(panel);
    }
    lb_destroy_imported(free_panel);
    assert_true(error[0] < 0.1 && error[1] < 1e-3);
}

static void bodies_with_interfaces_tumble(void **state)
{
    (void)state;
    lb_tied_node tie;
    lb_import_options options = name_tip(&tie, BEAM_END);
    options.length = 1e-3;
    options.mass = 1e3;
    options.mode_count = 3;
    options.interfaces = ends;
    options.interface_count = 2;
    options.residuals = (const char *const[]){"77"};
    options.residual_count = 1;
    lb_keep_body(lb_import_job("beam", &options), "tumbling.flex");
    lb_flight flight = lb_default_flight();
    flight.duration = 0.005;
    flight.amplitude = 1e-4;
    flight.spin[0] = 30;
    flight.spin[2] = 50;
    lb_fly("limber: 1\n"
           "bodies: [{name: a, hinge: {type: free}, flex: {file: tumbling.flex}}]\n",
           &flight, NULL);
}

// ---- scales --------------------------------------------------------------------------------------

// The same structure in units from micrometres to kilometres: the same body in other units.
static void units_change_nothing(void **state)
{
    static const double units[][3] = {{1, 1, 1}, {1e-9, 1e-12, 1e-3}, {1e3, 1e6, 1}};
    (void)state;
    double flexibility[3][6];
    int count[3];
    for (int k = 0; k < 3; ++k) {
        const double length = units[k][0], force = units[k][1] * length / pow(units[k][2], 2);
        lb_tied_node tie;
        lb_import_options options = name_tip(&tie, BEAM_END);
        options.length = length;
        options.mass = units[k][1];
        options.time = units[k][2];
        options.mode_count = 4;
        options.interfaces = ends;
        options.interface_count = 2;
        options.residuals = ends;
        options.residual_count = 2;
        lb_imported *beam = lb_import_job("beam", &options);
        const lb_flex_options *flex = lb_get_imported_options(beam);
        count[k] = flex->mode_count;
        for (int c = 0; c < 6; ++c) {
            double eta[64];
            find_coordinates(flex, "tip", c, eta);
            flexibility[k][c] = 0.0;
            for (int r = 0; r < flex->mode_count; ++r) {
                flexibility[k][c] += find_node(flex, "tip")->shape[6 * r + (c + 3) % 6] * eta[r];
            }
            flexibility[k][c] *= c < 3 ? force / length : force * length;
        }
        lb_destroy_imported(beam);
        assert_int_equal(count[k], count[0]);
        for (int c = 0; c < 6; ++c) {
            lb_expect_near("flexibility", flexibility[k][c], flexibility[0][c], 1e-9);
        }
    }
}

static int enter(void **state)
{
    (void)state;
    if (!lb_enter_scratch_folder()) {
        return -1;
    }
    write_box();
    return 0;
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(static_response_is_exact),
        cmocka_unit_test(effective_masses_add_up),
        cmocka_unit_test(effective_masses_of_points_add_up),
        cmocka_unit_test(ties_have_the_motion_of_their_set),
        cmocka_unit_test(averages_can_be_clamped),
        cmocka_unit_test(sets_have_names),
        cmocka_unit_test(twins_joined_at_interfaces_move_as_one),
        cmocka_unit_test(interfaces_keep_low_frequencies),
        cmocka_unit_test(bodies_with_interfaces_tumble),
        cmocka_unit_test(units_change_nothing),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
