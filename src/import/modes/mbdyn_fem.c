// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modal data of MBDyn (*.fem), after its input manual (FEM file format), and for groups 14 to 19 after the
// reader of MBDyn itself. A line "** RECORD GROUP n" starts a group; numbers follow in free format, one
// group after the other in any order behind the first. Other lines between groups are comments.
//
//      1  one line of comment; REV NNODES NNORMAL NATTACHED NCONSTRAINT NREJECTED
//      2  labels of the nodes: words            3, 4   initial modal displacements, velocities: not used
//      5, 6, 7  x, y, z of the nodes            8  per mode one line of comment, then x y z rx ry rz per node
//      9, 10, 13  M_ff, K, C, whole             11  per node m m m Jx Jy Jz, diagonal of a lumped mass matrix
//     12  mass; centre of mass; inertia about it, nine numbers, axes of the file
//     14  sum m phi_k, 3 x n by rows            15  sum m x ~ phi_k
//     16  -sum m x~ phi_j~, 3 x 3n              17  sum m phi_j ~ phi_k, 3 x n n, column j n + k
//     18  sum m phi_j~ phi_k~, 3 x 3 n n        19  stress stiffening: a number, and so often an index and n x n
//
// Of these, 14 is E, 15 is B0, 17 is B_jk; S_j = X + X' for X of 16, and S2_jk = -(Y + Y') for Y of 18.
// Of 19, the index is 1 to 6 for the products of the spin xx yy zz xy yz xz, 7 to 9 for angular accelerations, 10 to 12 for
// accelerations, all about the first node, and then six for the forces and moments at each of the other nodes, as
// the program mboct-fem-pkg writes it; a load is what acts on a body that moves so.
// Group 11 gives all of them (FLX-3); where the file has both, its groups 14 to 18 are taken, and 12 for the
// rigid body.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "limber/spatial.h"
#include "modal_files.h"
#include "model/modal/mat3_sums.h"

enum { GROUPS = 20, MODES_MOST = 4096 };

typedef struct reader {
    lb_import *import;
    const lb_import_file *file;
    lb_lines lines;
    int lines_of[GROUPS]; ///< where each group starts; 0 if it is absent
    int n, node_count;
    const char **labels;
    double *group[GROUPS];              ///< its numbers; 8 has n x node_count x 6
    double *inertial[LB_INERTIA_LOADS]; ///< of group 19
    double *(*forces)[3];               ///< by node: of group 19; NULL without it
    bool has_moments;                   ///< at nodes, in group 19
} reader;

#define FAIL(r, line, ...) lb_import_fail((r)->import, (r)->file, line, __VA_ARGS__)
#define WARN(r, line, ...) lb_import_warn((r)->import, (r)->file, line, __VA_ARGS__)

// ---- lines -------------------------------------------------------------------------------------

// The number of the group that a line starts; -1 if it starts none.
static int find_group(lb_span line)
{
    lb_span rest = lb_trim_span(line), word;
    long number;
    if (!lb_span_starts(rest, "**")) {
        return -1;
    }
    rest = (lb_span){rest.at + 2, rest.length - 2};
    if (!lb_next_field(&rest, NULL, &word) || !lb_span_is(word, "RECORD") ||
        !lb_next_field(&rest, NULL, &word) || !lb_span_is(word, "GROUP")) {
        return -1;
    }
    rest = lb_trim_span(rest);
    size_t digits = 0;
    while (digits < rest.length && rest.at[digits] >= '0' && rest.at[digits] <= '9') {
        ++digits;
    }
    return lb_get_integer((lb_span){rest.at, digits}, &number) && number < 1000 ? (int)number : -1;
}

bool lb_is_mbdyn_fem(const lb_import_file *file)
{
    lb_lines lines = lb_start_lines(file);
    while (lines.number < 64 && lb_next_line(&lines)) {
        if (find_group(lines.line) >= 0) {
            return true;
        }
    }
    return false;
}

static bool is_mark(lb_span line)
{
    return lb_span_starts(lb_trim_span(line), "**");
}

// The next line with something on it, within the group.
static bool next_in_group(reader *r, int group, size_t have, size_t count, lb_span *rest)
{
    for (;;) {
        const lb_lines before = r->lines;
        if (!lb_next_line(&r->lines)) {
            FAIL(r, r->lines.number,
                 "the file ends within record group %d: %zu values found, expected %zu", group,
                 have, count);
            return false;
        }
        *rest = lb_trim_span(r->lines.line);
        if (is_mark(r->lines.line)) {
            FAIL(r, r->lines.number, "record group %d ends here with %zu values, expected %zu",
                 group, have, count);
            r->lines = before;
            return false;
        }
        if (rest->length > 0) {
            return true;
        }
    }
}

// A value takes two bytes at least: no size that the file cannot hold is allocated.
static bool has_room(reader *r, int group, size_t count)
{
    const size_t left = (size_t)(r->lines.end - r->lines.next);
    if (count > left / 2 + 1) {
        FAIL(r, r->lines.number,
             "record group %d needs %zu values, but the file has only %zu bytes left: it was cut "
             "short, or group 1 is wrong",
             group, count, left);
        return false;
    }
    return true;
}

// Behind the last value, its line must end.
static lb_status check_end(reader *r, int group, size_t count, lb_span *rest)
{
    lb_span word;
    return !lb_next_field(rest, NULL, &word)
               ? LB_OK
               : FAIL(r, r->lines.number,
                      "%s found behind the %zu values of record group %d: the numbers of nodes and "
                      "modes in group 1 do not fit",
                      lb_quote(word).text, count, group);
}

static lb_status read_numbers(reader *r, int group, size_t count, double *out)
{
    lb_span rest = {r->lines.next, 0}, word;
    for (size_t i = 0; i < count; ++i) {
        while (!lb_next_field(&rest, NULL, &word)) {
            if (!next_in_group(r, group, i, count, &rest)) {
                return LB_E_SYNTAX;
            }
        }
        if (!lb_get_number(word, &out[i])) {
            return FAIL(r, r->lines.number, "%s found in record group %d, expected a number",
                        lb_quote(word).text, group);
        }
    }
    return check_end(r, group, count, &rest);
}

static lb_status take_numbers(reader *r, int group, size_t count)
{
    if (!has_room(r, group, count)) {
        return LB_E_SYNTAX;
    }
    r->group[group] = lb_take_numbers(&r->import->arena, count);
    return r->group[group] ? read_numbers(r, group, count, r->group[group]) : LB_E_MEMORY;
}

// ---- groups ------------------------------------------------------------------------------------

static lb_status read_header(reader *r)
{
    lb_span rest, word;
    long counts[5];
    lb_next_line(&r->lines); // a comment
    if (!next_in_group(r, 1, 0, 6, &rest)) {
        return LB_E_SYNTAX;
    }
    bool is_good = lb_next_field(&rest, NULL, &word);
    for (int i = 0; i < 5 && is_good; ++i) {
        is_good = lb_next_field(&rest, NULL, &word) && lb_get_integer(word, &counts[i]) &&
                  counts[i] >= 0 && counts[i] <= 0x7fffffff;
    }
    if (!is_good) {
        return FAIL(r, r->lines.number,
                    "expected a revision and five numbers (nodes; normal, attached, constraint, "
                    "rejected modes), below one line of comment");
    }
    const long n = counts[1] + counts[2] + counts[3] - counts[4];
    if (counts[0] < 1 || n < 1 || n > MODES_MOST) {
        return FAIL(r, r->lines.number,
                    "%ld nodes and %ld modes found, expected 1 or more, and at most %d modes",
                    counts[0], n, MODES_MOST);
    }
    r->node_count = (int)counts[0];
    r->n = (int)n;
    return LB_OK;
}

static lb_status read_labels(reader *r)
{
    lb_span rest = {r->lines.next, 0}, word;
    const size_t count = (size_t)r->node_count;
    if (!has_room(r, 2, count)) {
        return LB_E_SYNTAX;
    }
    if (!LB_IMPORT_TAKE(r->import, r->labels, count)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        while (!lb_next_field(&rest, NULL, &word)) {
            if (!next_in_group(r, 2, i, count, &rest)) {
                return LB_E_SYNTAX;
            }
        }
        r->labels[i] = lb_copy_span(r->import, word);
        if (!r->labels[i]) {
            return LB_E_MEMORY;
        }
    }
    return check_end(r, 2, count, &rest);
}

static lb_status read_shapes(reader *r)
{
    const size_t each = 6 * (size_t)r->node_count;
    if (!has_room(r, 8, each * (size_t)r->n)) {
        return LB_E_SYNTAX;
    }
    r->group[8] = lb_take_numbers(&r->import->arena, each * (size_t)r->n);
    for (int q = 0; q < r->n; ++q) {
        lb_span rest, word;
        double number;
        if (!r->group[8]) {
            return LB_E_MEMORY;
        }
        do { // one line of comment; empty ones before it do no harm
            if (!lb_next_line(&r->lines)) {
                return FAIL(
                    r, r->lines.number,
                    "the file ends within record group 8: %d mode shapes found, expected %d", q,
                    r->n);
            }
            rest = lb_trim_span(r->lines.line);
        } while (rest.length == 0);
        if (find_group(r->lines.line) >= 0) {
            return FAIL(r, r->lines.number,
                        "record group 8 ends here with %d mode shapes, expected %d", q, r->n);
        }
        if (lb_next_field(&rest, NULL, &word) && lb_get_number(word, &number)) {
            return FAIL(r, r->lines.number,
                        "a number found, expected a line of comment before mode shape %d", q + 1);
        }
        const lb_status status = read_numbers(r, 8, each, r->group[8] + (size_t)q * each);
        if (status != LB_OK) {
            return status;
        }
    }
    return LB_OK;
}

// Puts a matrix of group 19 where its load belongs. One that is zero says nothing.
static lb_status keep_stiffening(reader *r, double index, double *matrix)
{
    static const int order[LB_INERTIA_LOADS] = {6, 7, 8, 9, 11, 10, 0, 1, 2, 3, 4, 5};
    const double most = LB_INERTIA_LOADS + 6.0 * (r->node_count - 1);
    if (!(index >= 1) || index > most || index != floor(index)) {
        return FAIL(r, r->lines.number,
                    "%g found, expected the index of a load, 1 to %.0f, in record group 19", index,
                    most);
    }
    const int i = (int)index - 1, beyond = i - LB_INERTIA_LOADS;
    if (lb_find_largest((ptrdiff_t)r->n * r->n, matrix) == 0.0) {
        return LB_OK;
    }
    if (beyond >= 0 && beyond % 6 >= 3) {
        r->has_moments = true;
        return LB_OK;
    }
    double **place = beyond < 0 ? &r->inertial[order[i]] : &r->forces[1 + beyond / 6][beyond % 6];
    if (*place) {
        return FAIL(r, r->lines.number, "a second matrix for load %d in record group 19", i + 1);
    }
    *place = matrix;
    return LB_OK;
}

static lb_status read_stiffening(reader *r)
{
    const size_t n = (size_t)r->n;
    double count = 0;
    const int line = r->lines.number;
    lb_status status = read_numbers(r, 19, 1, &count);
    if (status == LB_OK && (count < 0 || count > 1e6 || count != floor(count))) {
        return FAIL(r, r->lines.number,
                    "%g found, expected the number of matrices in record group 19", count);
    }
    if (status != LB_OK || !has_room(r, 19, (size_t)count * (1 + n * n))) {
        return status != LB_OK ? status : LB_E_SYNTAX;
    }
    if (!LB_IMPORT_TAKE(r->import, r->forces, r->node_count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < (int)count && status == LB_OK; ++i) {
        double index = 0, *matrix = lb_take_numbers(&r->import->arena, n * n);
        if (!matrix) {
            return LB_E_MEMORY;
        }
        status = read_numbers(r, 19, 1, &index);
        status = status == LB_OK ? read_numbers(r, 19, n * n, matrix) : status;
        status = status == LB_OK ? keep_stiffening(r, index, matrix) : status;
    }
    if (status == LB_OK && r->has_moments) {
        WARN(r, line,
             "stress stiffening by moments at nodes (record group 19) is not used: the body moves "
             "without it");
    }
    return status;
}

static lb_status read_group(reader *r, int group)
{
    const size_t n = (size_t)r->n, nodes = (size_t)r->node_count;
    const size_t sizes[GROUPS] = {0,     0,     0,     n,         n,         nodes, nodes,
                                  nodes, 0,     n * n, n * n,     6 * nodes, 13,    n * n,
                                  3 * n, 3 * n, 9 * n, 3 * n * n, 9 * n * n, 0};
    if (group < 1 || group >= GROUPS) {
        WARN(r, r->lines.number, "record group %d is not known and not used", group);
        return LB_OK;
    }
    if (r->lines_of[group] > 0) {
        return FAIL(r, r->lines.number, "record group %d is given twice, in line %d too", group,
                    r->lines_of[group]);
    }
    if (group > 1 && r->lines_of[1] == 0) {
        return FAIL(
            r, r->lines.number,
            "record group %d comes before group 1, which has the numbers of nodes and modes",
            group);
    }
    r->lines_of[group] = r->lines.number;
    switch (group) {
    case 1:
        return read_header(r);
    case 2:
        return read_labels(r);
    case 8:
        return read_shapes(r);
    case 19:
        return read_stiffening(r);
    default:
        return take_numbers(r, group, sizes[group]);
    }
}

// Numbers behind the end of a record group. Zeros behind the last one are in files that other programs write and
// read; whatever else there is means that group 1 counts wrong.
typedef struct surplus {
    int group, line, rows; ///< the first line; 0 for none
    bool is_zero;
} surplus;

static void add_surplus(const reader *r, int group, surplus *s)
{
    lb_span rest = r->lines.line, word;
    double number = 0;
    if (s->line == 0) {
        *s = (surplus){.group = group, .line = r->lines.number, .is_zero = true};
    }
    ++s->rows;
    while (lb_next_field(&rest, NULL, &word)) {
        s->is_zero = s->is_zero && lb_get_number(word, &number) && number == 0;
    }
}

static lb_status judge_surplus(reader *r, const surplus *s, bool is_last)
{
    if (s->line == 0) {
        return LB_OK;
    }
    const char *plural = s->rows == 1 ? "" : "s";
    if (s->is_zero && is_last) {
        WARN(r, s->line, "%d row%s of zeros behind record group %d, the last one: not used",
             s->rows, plural, s->group);
        return LB_OK;
    }
    if (s->group == 11) {
        return FAIL(r, s->line, "record group 11 has %d rows for %d nodes", r->node_count + s->rows,
                    r->node_count);
    }
    return FAIL(r, s->line,
                "record group %d has %d row%s of numbers more than the %d nodes and %d modes of "
                "group 1 ask for",
                s->group, s->rows, plural, r->node_count, r->n);
}

static lb_status read_file(reader *r)
{
    static const char *const names[GROUPS] = {[1] = "header",
                                              [2] = "labels of nodes",
                                              [5] = "x of nodes",
                                              [6] = "y of nodes",
                                              [7] = "z of nodes",
                                              [8] = "mode shapes",
                                              [9] = "modal mass matrix",
                                              [10] = "modal stiffness matrix"};
    r->lines = lb_start_lines(r->file);
    surplus behind = {.line = 0};
    int last = 0;
    while (lb_next_line(&r->lines)) {
        const int group = find_group(r->lines.line);
        lb_span rest = r->lines.line, word;
        double number;
        if (group >= 0) {
            lb_status status = judge_surplus(r, &behind, false);
            status = status ? status : read_group(r, group);
            if (status != LB_OK) {
                return status;
            }
            last = group;
        } else if (r->lines_of[1] > 0 && lb_next_field(&rest, NULL, &word) &&
                   lb_get_number(word, &number)) {
            add_surplus(r, last, &behind);
        }
    }
    const lb_status status = judge_surplus(r, &behind, true);
    if (status != LB_OK) {
        return status;
    }
    for (int group = 1; group < GROUPS; ++group) {
        if (names[group] && r->lines_of[group] == 0) {
            return FAIL(r, r->lines.number, "record group %d (%s) is missing", group, names[group]);
        }
    }
    return LB_OK;
}

// ---- sums over lumped masses -------------------------------------------------------------------

// The sums of (FLX-3), as lb_flex_integrals has them.
typedef struct lumped_sums {
    double mass, h0[3], S0[6];
    double *M_ff, *E, *B0, *B, *S, *S2;
} lumped_sums;

// All zero. False if memory is out.
static bool take_lumped_sums(lb_import *import, size_t n, lumped_sums *s)
{
    lb_arena *arena = &import->arena;
    *s = (lumped_sums){.M_ff = lb_take_numbers(arena, n * n),
                       .E = lb_take_numbers(arena, 3 * n),
                       .B0 = lb_take_numbers(arena, 3 * n),
                       .B = lb_take_numbers(arena, 3 * n * n),
                       .S = lb_take_numbers(arena, 6 * n),
                       .S2 = lb_take_numbers(arena, 6 * n * n)};
    return s->M_ff && s->E && s->B0 && s->B && s->S && s->S2;
}

static void add3(double *a, lb_vec3 v)
{
    a[0] += v.x;
    a[1] += v.y;
    a[2] += v.z;
}

// -(a~ b~ + b~ a~) times m
static void add_products(double *J, double m, lb_vec3 a, lb_vec3 b)
{
    J[0] += 2 * m * (a.y * b.y + a.z * b.z);
    J[1] += 2 * m * (a.x * b.x + a.z * b.z);
    J[2] += 2 * m * (a.x * b.x + a.y * b.y);
    J[3] -= m * (a.x * b.y + a.y * b.x);
    J[4] -= m * (a.x * b.z + a.z * b.x);
    J[5] -= m * (a.y * b.z + a.z * b.y);
}

// The symmetric part of a A.
static void add_symmetric_part(double *J, double a, const lb_mat3 *A)
{
    J[0] += a * A->m[0][0];
    J[1] += a * A->m[1][1];
    J[2] += a * A->m[2][2];
    J[3] += 0.5 * a * (A->m[0][1] + A->m[1][0]);
    J[4] += 0.5 * a * (A->m[0][2] + A->m[2][0]);
    J[5] += 0.5 * a * (A->m[1][2] + A->m[2][1]);
}

static void add_translation(lumped_sums *s, int n, double m, lb_vec3 x, const lb_vec3 *phi)
{
    for (int t = 0; t < n; ++t) {
        add3(s->E + 3 * t, lb_vec3_scale(m, phi[t]));
        add3(s->B0 + 3 * t, lb_vec3_scale(m, lb_vec3_cross(x, phi[t])));
        add_products(s->S + 6 * t, m, x, phi[t]);
        for (int r = 0; r < n; ++r) {
            s->M_ff[t * n + r] += m * lb_vec3_dot(phi[t], phi[r]);
            add3(s->B + 3 * (t * n + r), lb_vec3_scale(m, lb_vec3_cross(phi[t], phi[r])));
            add_products(s->S2 + 6 * (t * n + r), m, phi[t], phi[r]);
        }
    }
}

static void add_rotation(lumped_sums *s, int n, const double inertia[3], const lb_vec3 *lambda)
{
    const lb_mat3 J = {{{inertia[0], 0, 0}, {0, inertia[1], 0}, {0, 0, inertia[2]}}};
    for (int t = 0; t < n; ++t) {
        const lb_mat3 T = lb_mat3_skew(lambda[t]), TJ = lb_mat3_mul(&T, &J),
                      JT = lb_mat3_mul(&J, &T);
        add3(s->B0 + 3 * t, lb_mat3_mul_vec(&J, lambda[t]));
        // T J - J T is symmetric, and twice the symmetric part of T J
        add_symmetric_part(s->S + 6 * t, 2.0, &TJ);
        for (int r = 0; r < n; ++r) {
            const lb_mat3 R = lb_mat3_skew(lambda[r]), TR = lb_mat3_mul(&T, &R);
            const lb_mat3 TRJ = lb_mat3_mul(&TR, &J), JTR = lb_mat3_mul(&J, &TR);
            const lb_mat3 TJR = lb_mat3_mul(&TJ, &R);
            const lb_vec3 b = lb_vec3_sub(lb_mat3_mul_vec(&TJ, lambda[r]),
                                          lb_vec3_scale(0.5, lb_mat3_mul_vec(&JT, lambda[r])));
            s->M_ff[t * n + r] += lb_vec3_dot(lambda[t], lb_mat3_mul_vec(&J, lambda[r]));
            add3(s->B + 3 * (t * n + r), b);
            // TR J + J TR and their transposes, RT J + J RT: their mean is the symmetric part
            add_symmetric_part(s->S2 + 6 * (t * n + r), 1.0, &TRJ);
            add_symmetric_part(s->S2 + 6 * (t * n + r), 1.0, &JTR);
            add_symmetric_part(s->S2 + 6 * (t * n + r), -2.0, &TJR);
        }
    }
}

// Adds a point.
//
// @param lump         m, m, m and the inertias about x, y, z
// @param phi, lambda  its translation and its rotation in each mode
static void add_lump(lumped_sums *s, int n, const double lump[6], lb_vec3 x, const lb_vec3 *phi,
                     const lb_vec3 *lambda)
{
    const double m = lump[0];
    s->mass += m;
    add3(s->h0, lb_vec3_scale(m, x));
    add_products(s->S0, 0.5 * m, x, x);
    for (int i = 0; i < 3; ++i) {
        s->S0[i] += lump[3 + i];
    }
    if (m > 0) {
        add_translation(s, n, m, x, phi);
    }
    if (lump[3] > 0 || lump[4] > 0 || lump[5] > 0) {
        add_rotation(s, n, lump + 3, lambda);
    }
}

// ---- inertia of lumped masses ------------------------------------------------------------------

static lb_vec3 get_position(const reader *r, int j)
{
    return (lb_vec3){r->group[5][j], r->group[6][j], r->group[7][j]};
}

static lb_status add_lumps(reader *r, lumped_sums *s)
{
    const int n = r->n;
    lb_vec3 *phi, *lambda;
    if (!take_lumped_sums(r->import, (size_t)n, s) || !LB_IMPORT_TAKE(r->import, phi, n) ||
        !LB_IMPORT_TAKE(r->import, lambda, n)) {
        return LB_E_MEMORY;
    }
    for (int j = 0; j < r->node_count; ++j) {
        const double *lump = r->group[11] + 6 * j;
        const double m = lump[0], off = fmax(fabs(lump[1] - m), fabs(lump[2] - m));
        if (off > 1e-6 * fabs(m) || m < 0 || lump[3] < 0 || lump[4] < 0 || lump[5] < 0) {
            return FAIL(r, r->lines_of[11],
                        "node %.40s has the lumped masses %g %g %g and inertias %g %g %g, expected "
                        "three equal masses and nothing negative; leave group 11 out and give "
                        "groups 12 and 14 to 18",
                        r->labels[j], m, lump[1], lump[2], lump[3], lump[4], lump[5]);
        }
        for (int q = 0; q < n; ++q) {
            const double *shape = r->group[8] + ((size_t)q * (size_t)r->node_count + (size_t)j) * 6;
            phi[q] = lb_vec3_from(shape);
            lambda[q] = lb_vec3_from(shape + 3);
        }
        add_lump(s, n, lump, get_position(r, j), phi, lambda);
    }
    return LB_OK;
}

// ---- integrals of the file ---------------------------------------------------------------------

static void read_vectors(const double *rows, int n, double *E)
{
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < n; ++k) {
            E[3 * k + i] = rows[i * n + k];
        }
    }
}

static void read_matrices(const double *rows, int count, double factor, double *S)
{
    for (int k = 0; k < count; ++k) {
        lb_mat3 A;
        for (int i = 0; i < 3; ++i) {
            memcpy(A.m[i], rows + 3 * ((size_t)i * (size_t)count + (size_t)k), sizeof A.m[i]);
        }
        memset(S + 6 * (size_t)k, 0, 6 * sizeof *S);
        add_symmetric_part(S + 6 * (size_t)k, factor, &A);
    }
}

static void compare(reader *r, int group, const char *name, size_t count, const double *own,
                    const double *lumped)
{
    double largest = 0, gap = 0;
    if (r->lines_of[11] == 0) {
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        largest = fmax(largest, fmax(fabs(own[i]), fabs(lumped[i])));
        gap = fmax(gap, fabs(own[i] - lumped[i]));
    }
    // 1e-6: files of seven digits agree to it
    if (gap > 1e-6 * largest) {
        WARN(r, r->lines_of[group],
             "the %s in record group %d and that of the lumped masses in group 11 differ by up to "
             "%.3g (largest %.3g); that of group %d is used",
             name, group, gap, largest, group);
    }
}

static void read_rigid(reader *r, lumped_sums *s)
{
    const double *given = r->group[12];
    if (!given) {
        if (r->lines_of[11] == 0) {
            WARN(r, r->lines.number,
                 "the file has neither lumped masses (record group 11) nor the inertia of the "
                 "whole (12): the body has none as a rigid body and must be held by others");
        }
        return;
    }
    double h0[3], S0[6];
    const lb_mat3 J = {{{given[4], given[5], given[6]},
                        {given[7], given[8], given[9]},
                        {given[10], given[11], given[12]}}};
    memset(S0, 0, sizeof S0);
    add_symmetric_part(S0, 1.0, &J);
    lb_shift_inertia(given[0], given + 1, S0);
    for (int i = 0; i < 3; ++i) {
        h0[i] = given[0] * given[1 + i];
    }
    compare(r, 12, "mass", 1, given, &s->mass);
    compare(r, 12, "inertia", 6, S0, s->S0);
    s->mass = given[0];
    memcpy(s->h0, h0, sizeof h0);
    memcpy(s->S0, S0, sizeof S0);
}

static lb_status read_invariants(reader *r, lumped_sums *s, lb_inertia_order *order)
{
    const size_t n = (size_t)r->n;
    const bool has_lumps = r->lines_of[11] > 0;
    const bool has_B = has_lumps || r->group[17], has_S = has_lumps || r->group[16];
    const lumped_sums lumped = *s;
    lumped_sums own;
    if (!take_lumped_sums(r->import, n, &own)) {
        return LB_E_MEMORY;
    }
    const struct {
        int group;
        const char *name;
        size_t columns;
        int width;
        double factor; // of matrices
        double *own, *lumped, **out;
    } parts[] = {
        {14, "coupling of translation and modes", n, 3, 0.0, own.E, lumped.E, &s->E},
        {15, "coupling of rotation and modes", n, 3, 0.0, own.B0, lumped.B0, &s->B0},
        {16, "change of inertia", n, 6, 2.0, own.S, lumped.S, &s->S},
        {17, "coupling of modes", n * n, 3, 0.0, own.B, lumped.B, &s->B},
        {18, "second-order change of inertia", n * n, 6, -2.0, own.S2, lumped.S2, &s->S2},
    };
    for (int i = 0; i < 5; ++i) {
        const double *rows = r->group[parts[i].group];
        const int columns = (int)parts[i].columns, width = parts[i].width;
        if (!rows) {
            continue;
        }
        if (width == 3) {
            read_vectors(rows, columns, parts[i].own);
        } else {
            read_matrices(rows, columns, parts[i].factor, parts[i].own);
        }
        compare(r, parts[i].group, parts[i].name, (size_t)width * parts[i].columns, parts[i].own,
                parts[i].lumped);
        *parts[i].out = parts[i].own;
    }
    if (!has_lumps && (!r->group[14] || !r->group[15])) {
        WARN(r, r->lines.number,
             "the file has neither lumped masses (record group 11) nor %s: the modes are not "
             "excited by %s of the body",
             r->group[14]   ? "record group 15"
             : r->group[15] ? "record group 14"
                            : "groups 14 and 15",
             r->group[14]   ? "rotation"
             : r->group[15] ? "translation"
                            : "motion");
    }
    if (has_B != has_S) {
        WARN(r, r->lines_of[has_B ? 17 : 16],
             "record group %d is there and %d is not: it is not used, since inertia that depends "
             "on the deformation needs both",
             has_B ? 17 : 16, has_B ? 16 : 17);
    }
    *order = !has_B || !has_S            ? LB_INERTIA_ORDER_0
             : has_lumps || r->group[18] ? LB_INERTIA_ORDER_2
                                         : LB_INERTIA_ORDER_1;
    return LB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

static lb_status make_nodes(reader *r, lb_flex_options *flex)
{
    const size_t n = (size_t)r->n;
    lb_flex_node *nodes;
    double *shapes;
    int *lines;
    if (!LB_IMPORT_TAKE(r->import, nodes, r->node_count) ||
        !LB_IMPORT_TAKE(r->import, lines, r->node_count) ||
        !LB_IMPORT_TAKE(r->import, shapes, 6 * n * (size_t)r->node_count)) {
        return LB_E_MEMORY;
    }
    for (int j = 0; j < r->node_count; ++j) {
        double *shape = shapes + 6 * n * (size_t)j;
        for (size_t q = 0; q < n; ++q) {
            const double *from = r->group[8] + (q * (size_t)r->node_count + (size_t)j) * 6;
            memcpy(shape + 6 * q, from + 3, 3 * sizeof *shape);
            memcpy(shape + 6 * q + 3, from, 3 * sizeof *shape);
        }
        nodes[j] = lb_default_flex_node();
        nodes[j].name = r->labels[j];
        nodes[j].shape = shape;
        const lb_vec3 x = get_position(r, j);
        nodes[j].position[0] = x.x;
        nodes[j].position[1] = x.y;
        nodes[j].position[2] = x.z;
        lines[j] = r->lines_of[2];
    }
    flex->node_count = r->node_count;
    flex->nodes = nodes;
    return lb_check_node_names(r->import, r->file, r->node_count, nodes, lines);
}

static void warn_about_modes(reader *r)
{
    const double *M = r->group[9];
    for (int group = 3; group <= 4; ++group) {
        for (int q = 0; r->group[group] && q < r->n; ++q) {
            if (r->group[group][q] != 0) {
                WARN(r, r->lines_of[group],
                     "initial modal %s are not used: give them under `initial` of the model",
                     group == 3 ? "displacements" : "velocities");
                break;
            }
        }
    }
    for (int q = 0; q < r->n; ++q) {
        if (M[q * r->n + q] <= 0) {
            WARN(r, r->lines_of[9],
                 "mode %d has the modal mass %g: a static mode, with which a body cannot be "
                 "simulated",
                 q + 1, M[q * r->n + q]);
        }
    }
}

// Moments of the body and second-order displacements of nodes from group 19.
static lb_status set_stiffening(reader *r, lb_modal_body *body)
{
    const size_t pairs = (size_t)r->n * (size_t)r->n;
    lb_flex_node *nodes = (lb_flex_node *)body->flex.nodes; // of the arena
    lb_status status = lb_set_moments(r->import, r->n, r->inertial, body);
    if (status != LB_OK) {
        return status;
    }
    // from the first node to the origin of the file
    const double *G2 = body->integrals.G2;
    double *T2 = (double *)body->integrals.T2; // of the arena too
    for (size_t i = 0; G2 && i < 9 * pairs; ++i) {
        T2[i] += nodes[0].position[i % 9 / 3] * G2[i / 9 * 3 + i % 3];
    }
    bool is_left_out = false;
    for (int j = 0; r->forces && j < r->node_count && status == LB_OK; ++j) {
        if (!r->forces[j][0] && !r->forces[j][1] && !r->forces[j][2]) {
            continue;
        }
        // with lumped masses the file has all nodes of the mesh: the loaded ones are among them, somewhere
        if (r->lines_of[11] > 0) {
            is_left_out = true;
            continue;
        }
        status = lb_make_second_order(r->import, r->n, r->forces[j], &nodes[j].second_order);
        nodes[j].second_order_count = r->n * (r->n + 1) / 2;
    }
    if (is_left_out) {
        WARN(r, r->lines_of[19],
             "stress stiffening by forces at nodes (record group 19) is not used: beside lumped "
             "masses (11) the file does not say at which nodes they act");
    }
    return status;
}

lb_status lb_read_mbdyn_fem(lb_import *import, lb_modal_body *body)
{
    const lb_import_file *file = lb_take_only_file(import, lb_is_mbdyn_fem, "MBDyn modal data");
    reader state = {.import = import, .file = file}, *r = &state;
    lumped_sums s;
    if (!file) {
        return LB_E_SYNTAX;
    }
    *body = (lb_modal_body){.format = "MBDyn modal data", .flex = lb_default_flex_options()};
    lb_status status = read_file(r);
    if (status == LB_OK && r->lines_of[11] > 0) {
        status = add_lumps(r, &s);
        if (status == LB_OK) {
            compare(r, 9, "modal mass", (size_t)r->n * (size_t)r->n, r->group[9], s.M_ff);
        }
    } else if (status == LB_OK && !take_lumped_sums(import, (size_t)r->n, &s)) {
        status = LB_E_MEMORY;
    }
    if (status != LB_OK) {
        return status;
    }
    read_rigid(r, &s);
    status = read_invariants(r, &s, &body->order);
    status = status == LB_OK ? make_nodes(r, &body->flex) : status;
    if (status != LB_OK) {
        return status;
    }
    warn_about_modes(r);
    lb_flex_integrals *I = &body->integrals;
    *I = (lb_flex_integrals){
        .size = sizeof *I, .mass = s.mass, .M_ff = r->group[9], .E = s.E, .B0 = s.B0};
    memcpy(I->h0, s.h0, sizeof I->h0);
    memcpy(I->S0, s.S0, sizeof I->S0);
    if (body->order >= LB_INERTIA_ORDER_1) {
        I->B = s.B;
        I->S = s.S;
    }
    if (body->order >= LB_INERTIA_ORDER_2) {
        I->S2 = s.S2;
    }
    body->flex.mode_count = r->n;
    body->flex.stiffness = r->group[10];
    body->flex.damping = r->group[13];
    body->flex.integrals = I;
    status = set_stiffening(r, body);
    return status ? status : lb_finish_modal_body(import, file, r->lines_of[9], body);
}
