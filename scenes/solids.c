// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "solids.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 20, ROWS = 3 * NODES };

static const double modulus = 210000, poisson = 0.3, density = 7.85e-9;

// Corners and middles of the edges of an element, in half cells.
static const int places[NODES][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2},
                                     {2, 0, 2}, {2, 2, 2}, {0, 2, 2}, {1, 0, 0}, {2, 1, 0},
                                     {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2}, {1, 2, 2},
                                     {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}};

// ---- elements ----------------------------------------------------------------------------------

typedef struct element {
    int nodes[NODES];
    double K[ROWS][ROWS], m[NODES][NODES];
} element;

// A shape function of the serendipity family, and its derivatives, at s in [-1, 1]^3.
static double get_shape(int node, const double s[3], double slope[3])
{
    double f[3], df[3], at[3], sum = -2;
    bool is_corner = true;
    for (int d = 0; d < 3; ++d) {
        at[d] = places[node][d] - 1;
        is_corner = is_corner && at[d] != 0;
        f[d] = at[d] == 0 ? 1 - s[d] * s[d] : 1 + at[d] * s[d];
        df[d] = at[d] == 0 ? -2 * s[d] : at[d];
        sum += at[d] * s[d];
    }
    const double product = f[0] * f[1] * f[2];
    for (int d = 0; d < 3; ++d) {
        const double rest = f[(d + 1) % 3] * f[(d + 2) % 3];
        slope[d] = is_corner ? (df[d] * rest * sum + product * at[d]) / 8 : df[d] * rest / 4;
    }
    return is_corner ? product * sum / 8 : product / 4;
}

// Turns derivatives by s into derivatives by x; returns the volume per volume of s.
static double map_slopes(double x[NODES][3], double slopes[NODES][3])
{
    double J[3][3] = {{0}}, inverse[3][3];
    for (int n = 0; n < NODES; ++n) {
        for (int c = 0; c < 9; ++c) {
            J[c / 3][c % 3] += slopes[n][c / 3] * x[n][c % 3];
        }
    }
    for (int c = 0; c < 9; ++c) {
        const int i = c / 3, j = c % 3, a = (i + 1) % 3, b = (i + 2) % 3, p = (j + 1) % 3,
                  q = (j + 2) % 3;
        inverse[j][i] = J[a][p] * J[b][q] - J[a][q] * J[b][p];
    }
    const double volume =
        J[0][0] * inverse[0][0] + J[0][1] * inverse[1][0] + J[0][2] * inverse[2][0];
    for (int n = 0; n < NODES; ++n) {
        double by_x[3] = {0, 0, 0};
        for (int c = 0; c < 9; ++c) {
            by_x[c / 3] += inverse[c / 3][c % 3] * slopes[n][c % 3] / volume;
        }
        memcpy(slopes[n], by_x, sizeof by_x);
    }
    return volume;
}

static void add_point(double weight, const double N[NODES], double slopes[NODES][3], element *e)
{
    const double mu = modulus / (2 * (1 + poisson));
    const double lambda = 2 * mu * poisson / (1 - 2 * poisson);
    for (int a = 0; a < ROWS; ++a) {
        for (int b = 0; b < ROWS; ++b) {
            const double *p = slopes[a / 3], *q = slopes[b / 3];
            const int i = a % 3, j = b % 3;
            double k = lambda * p[i] * q[j] + mu * p[j] * q[i];
            k += i == j ? mu * (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]) : 0;
            e->K[a][b] += weight * k;
        }
    }
    for (int a = 0; a < NODES * NODES; ++a) {
        e->m[a / NODES][a % NODES] += density * weight * N[a / NODES] * N[a % NODES];
    }
}

// Gauss's rule of 2^3 or 3^3 points.
static void form_element(int points, double x[NODES][3], element *e)
{
    const double at[2][3] = {{-sqrt(1.0 / 3), sqrt(1.0 / 3), 0}, {-sqrt(0.6), 0, sqrt(0.6)}};
    const double weights[2][3] = {{1, 1, 0}, {5.0 / 9, 8.0 / 9, 5.0 / 9}};
    for (int g = 0; g < points * points * points; ++g) {
        const int i[3] = {g % points, g / points % points, g / (points * points)};
        double s[3], weight = 1, N[NODES], slopes[NODES][3];
        for (int d = 0; d < 3; ++d) {
            s[d] = at[points - 2][i[d]];
            weight *= weights[points - 2][i[d]];
        }
        for (int n = 0; n < NODES; ++n) {
            N[n] = get_shape(n, s, slopes[n]);
        }
        weight *= map_slopes(x, slopes);
        add_point(weight, N, slopes, e);
    }
}

// ---- the mesh ----------------------------------------------------------------------------------

typedef struct mesh {
    const lb_solid_options *o;
    int size[3];    // of the grid of half cells
    int *number;    // by place: of nodes, from 1; 0 where there is none
    double (*x)[3]; // by number
    int node_count, held_count, element_count;
    element *elements;
} mesh;

static bool has_cell(const lb_solid_options *o, int i, int j)
{
    return o->shape != LB_SOLID_BRACKET || i < o->thickness || j < o->thickness;
}

static int *get_number(const mesh *m, int i, int j, int k)
{
    i = m->o->shape == LB_SOLID_RING ? i % m->size[0] : i;
    return &m->number[(i * m->size[1] + j) * m->size[2] + k];
}

static void place_node(const lb_solid_options *o, const int place[3], double x[3])
{
    double s[3];
    for (int d = 0; d < 3; ++d) {
        s[d] = place[d] / (2.0 * o->cells[d]);
    }
    x[2] = (s[2] - 0.5) * o->size[2];
    if (o->shape == LB_SOLID_RING) {
        // backwards, so that around, outward and z are right-handed
        const double angle = -2 * acos(-1.0) * s[0],
                     radius = o->size[0] + (s[1] - 0.5) * o->size[1];
        x[0] = radius * cos(angle);
        x[1] = radius * sin(angle);
    } else {
        x[0] = s[0] * o->size[0];
        x[1] = (s[1] - (o->shape == LB_SOLID_BRICK ? 0.5 : 0.0)) * o->size[1];
    }
}

static void add_element(mesh *m, int i, int j, int k)
{
    element *e = &m->elements[m->element_count++];
    double x[NODES][3];
    for (int n = 0; n < NODES; ++n) {
        const int place[3] = {2 * i + places[n][0], 2 * j + places[n][1], 2 * k + places[n][2]};
        int *number = get_number(m, place[0], place[1], place[2]);
        if (*number == 0) {
            *number = ++m->node_count;
            place_node(m->o, place, m->x[*number]);
        }
        e->nodes[n] = *number;
        memcpy(x[n], m->x[*number], sizeof x[n]);
    }
    form_element(m->o->reduced ? 2 : 3, x, e);
}

static bool make_mesh(const lb_solid_options *o, mesh *m)
{
    *m = (mesh){.o = o};
    for (int d = 0; d < 3; ++d) {
        m->size[d] = 2 * o->cells[d] + (d > 0 || o->shape != LB_SOLID_RING);
    }
    const size_t most = (size_t)m->size[0] * (size_t)m->size[1] * (size_t)m->size[2];
    const size_t cells = (size_t)o->cells[0] * (size_t)o->cells[1] * (size_t)o->cells[2];
    m->number = calloc(most, sizeof *m->number);
    m->x = calloc(most + 1, sizeof *m->x);
    m->elements = calloc(cells, sizeof *m->elements);
    if (!m->number || !m->x || !m->elements) {
        return false;
    }
    for (size_t c = 0; c < cells; ++c) {
        const int k = (int)(c % (size_t)o->cells[2]), ij = (int)(c / (size_t)o->cells[2]);
        if (has_cell(o, ij / o->cells[1], ij % o->cells[1])) {
            add_element(m, ij / o->cells[1], ij % o->cells[1], k);
        }
    }
    return true;
}

static void free_mesh(mesh *m)
{
    free(m->number);
    free(m->x);
    free(m->elements);
}

static bool is_held(const mesh *m, int node)
{
    return m->o->clamped && fabs(m->x[node][0]) < 1e-9 * m->o->size[0];
}

// ---- files -------------------------------------------------------------------------------------

// Elements around each node, and what one node needs: sums of blocks by the other node.
typedef struct assembly {
    int *start, *element; // by node
    int *first_row;       // by node, from 1; 0 if it is held
    int *slot, *others;   // others: the nodes that have a slot
    double (*blocks)[3][3], *masses;
} assembly;

enum { OTHERS_MOST = 2000 };

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

// The upper triangle by columns.
static void write_columns(const mesh *m, assembly *a, int node, FILE *sti, FILE *mas)
{
    int count = 0;
    for (int k = a->start[node]; k < a->start[node + 1]; ++k) {
        const element *e = &m->elements[a->element[k]];
        int own = 0;
        while (e->nodes[own] != node) {
            ++own;
        }
        for (int n = 0; n < NODES; ++n) {
            const int other = e->nodes[n];
            if (a->slot[other] < 0 && count < OTHERS_MOST) {
                a->slot[other] = count;
                memset(a->blocks[count], 0, sizeof a->blocks[count]);
                a->masses[count] = 0;
                a->others[count++] = other;
            }
            const int slot = a->slot[other];
            for (int c = 0; c < 9; ++c) {
                a->blocks[slot][c / 3][c % 3] += e->K[3 * n + c / 3][3 * own + c % 3];
            }
            a->masses[slot] += e->m[n][own];
        }
    }
    qsort(a->others, (size_t)count, sizeof *a->others, compare_numbers);
    for (int c = 0; c < 3; ++c) {
        const int column = a->first_row[node] + c;
        for (int k = 0; k < count; ++k) {
            const int row = a->first_row[a->others[k]], slot = a->slot[a->others[k]];
            for (int r = 0; row > 0 && r < 3 && row + r <= column; ++r) {
                fprintf(sti, "%d %d %20.13e\n", row + r, column, a->blocks[slot][r][c]);
                fprintf(mas, "%d %d %20.13e\n", row + r, column, r == c ? a->masses[slot] : 0.0);
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        a->slot[a->others[k]] = -1;
    }
}

static int write_matrices(const mesh *m, FILE *sti, FILE *mas, FILE *dof)
{
    const size_t nodes = (size_t)m->node_count + 2;
    assembly a = {.start = calloc(nodes, sizeof *a.start),
                  .element = calloc(NODES * (size_t)m->element_count, sizeof *a.element),
                  .first_row = calloc(nodes, sizeof *a.first_row),
                  .slot = calloc(nodes, sizeof *a.slot),
                  .others = calloc(OTHERS_MOST, sizeof *a.others),
                  .blocks = calloc(OTHERS_MOST, sizeof *a.blocks),
                  .masses = calloc(OTHERS_MOST, sizeof *a.masses)};
    int rows = 0;
    if (a.start && a.element && a.first_row && a.slot && a.others && a.blocks && a.masses) {
        for (int i = 0; i < NODES * m->element_count; ++i) {
            ++a.start[m->elements[i / NODES].nodes[i % NODES] + 1];
        }
        for (int node = 1; node <= m->node_count; ++node) {
            a.start[node + 1] += a.start[node];
            a.slot[node] = a.start[node]; // where the next goes
            a.first_row[node] = is_held(m, node) ? 0 : rows + 1;
            rows += is_held(m, node) ? 0 : 3;
        }
        for (int i = 0; i < NODES * m->element_count; ++i) {
            a.element[a.slot[m->elements[i / NODES].nodes[i % NODES]]++] = i / NODES;
        }
        for (int node = 1; node <= m->node_count; ++node) {
            a.slot[node] = -1;
        }
        for (int node = 1; node <= m->node_count; ++node) {
            if (a.first_row[node] > 0) {
                write_columns(m, &a, node, sti, mas);
                fprintf(dof, "%d.1\n%d.2\n%d.3\n", node, node, node);
            }
        }
    }
    free(a.start);
    free(a.element);
    free(a.first_row);
    free(a.slot);
    free(a.others);
    free(a.blocks);
    free(a.masses);
    return rows;
}

static void write_input(const mesh *m, FILE *inp)
{
    fputs("*NODE, NSET=ALL\n", inp);
    for (int i = 1; i <= m->node_count; ++i) {
        fprintf(inp, "%d, %.12g, %.12g, %.12g\n", i, m->x[i][0], m->x[i][1], m->x[i][2]);
    }
    fprintf(inp, "*ELEMENT, TYPE=C3D20%s, ELSET=SOLID\n", m->o->reduced ? "R" : "");
    for (int e = 0; e < m->element_count; ++e) {
        fprintf(inp, "%d", e + 1);
        for (int n = 0; n < NODES; ++n) {
            fprintf(inp, "%s%d", n == 10 ? ",\n" : ", ", m->elements[e].nodes[n]);
        }
        fputc('\n', inp);
    }
    fprintf(inp, "*MATERIAL, NAME=STEEL\n*ELASTIC\n%g, %g\n*DENSITY\n%g\n", modulus, poisson,
            density);
    fputs("*SOLID SECTION, ELSET=SOLID, MATERIAL=STEEL\n", inp);
    fputs(m->o->clamped ? "*BOUNDARY\n" : "", inp);
    for (int i = 1; i <= m->node_count; ++i) {
        if (is_held(m, i)) {
            fprintf(inp, "%d, 1, 3\n", i);
        }
    }
    fputs("*STEP\n*FREQUENCY\n20\n*END STEP\n", inp);
}

bool lb_write_solid(const lb_solid_options *options, const char *folder, const char *name,
                    int *rows, int *last)
{
    static const char *const endings[] = {"sti", "mas", "dof", "inp"};
    FILE *files[4] = {NULL};
    mesh m;
    bool is_good = make_mesh(options, &m);
    for (int f = 0; f < 4; ++f) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, endings[f]);
        files[f] = is_good ? fopen(path, "w") : NULL;
        is_good = is_good && files[f];
    }
    if (is_good) {
        *rows = write_matrices(&m, files[0], files[1], files[2]);
        *last = m.node_count;
        write_input(&m, files[3]);
        is_good = *rows > 0;
    }
    for (int f = 0; f < 4 && files[f]; ++f) {
        is_good = !ferror(files[f]) && is_good;
        is_good = fclose(files[f]) == 0 && is_good;
    }
    free_mesh(&m);
    return is_good;
}
