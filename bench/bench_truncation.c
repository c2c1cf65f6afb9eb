// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What truncation costs: error of the motion of the tip and of the load on the root against the number of modes, with
// and without residual modes, for three bodies that are clamped at the root: a solid cantilever and a panel of
// CalculiX, and a truss that is made here. A force on the tip, along x, y and z in turn, oscillates with half of the
// first frequency; the worst of the three relative errors counts. The truth has 90 modes and residual modes.
//
//     bench_truncation MOTION.svg LOAD.svg       from the top of the project
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/import.h"
#include "svg.h"

enum { BODIES = 3, FILES = 4, MODES = 30, MANY = 90 };

static void complain(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    fprintf(stderr, "%s\n", diagnostic->message);
}

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

// ---- bodies --------------------------------------------------------------------------------------

typedef struct subject {
    const char *name, *files[FILES], *root, *tip;
    double length, mass;
} subject;

static const subject subjects[BODIES] = {
    {"cantilever",
     {"test/data/fe/calculix/beam.dof", "test/data/fe/calculix/beam.inp",
      "test/data/fe/calculix/beam.mas", "test/data/fe/calculix/beam.sti"},
     NULL,
     "117..120+122+125+127..128",
     1e-3,
     1e3},
    {"panel",
     {"test/data/fe/calculix/panel.dof", "test/data/fe/calculix/panel.inp",
      "test/data/fe/calculix/panel.mas", "test/data/fe/calculix/panel.sti"},
     NULL,
     "90..93+95+98+100..104+106+108",
     1e-3,
     1e3},
    {"truss",
     {"truncation-K.mtx", "truncation-M.mtx", "truncation.map", "truncation.xyz"},
     "1..3",
     "31..33",
     1,
     1},
};

enum { BAYS = 10, NODES = 3 * (BAYS + 1), ROWS = 3 * NODES };

static double K[ROWS][ROWS], M[ROWS][ROWS], places[NODES][3];

// A tube of 30 mm x 1.5 mm of carbon fibre: axial stiffness, and a consistent mass.
static void add_bar(int a, int b)
{
    const double EA = 140e9 * 1.343e-4, mass = 1600 * 1.343e-4;
    double e[3], length = 0.0;
    for (int k = 0; k < 3; ++k) {
        e[k] = places[b][k] - places[a][k];
        length += e[k] * e[k];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double k = EA * e[i] * e[j] / (length * length * length);
            K[3 * a + i][3 * a + j] += k;
            K[3 * b + i][3 * b + j] += k;
            K[3 * a + i][3 * b + j] -= k;
            K[3 * b + i][3 * a + j] -= k;
        }
        M[3 * a + i][3 * a + i] += mass * length / 3;
        M[3 * b + i][3 * b + i] += mass * length / 3;
        M[3 * a + i][3 * b + i] += mass * length / 6;
        M[3 * b + i][3 * a + i] += mass * length / 6;
    }
}

static void print_matrix(const char *path, double A[ROWS][ROWS])
{
    FILE *file = open_file(path);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", ROWS, ROWS,
            ROWS * (ROWS + 1) / 2);
    for (int i = 0; i < ROWS; ++i) {
        for (int j = 0; j <= i; ++j) {
            fprintf(file, "%d %d %.17g\n", i + 1, j + 1, A[i][j]);
        }
    }
    fclose(file);
}

// Ten bays of a metre with three longerons, battens, and a diagonal in each face.
static void make_truss(const char *const files[FILES])
{
    for (int i = 0; i < NODES; ++i) {
        const double angle = 2.0943951023931953 * (i % 3);
        places[i][0] = i / 3;
        places[i][1] = 0.3 * cos(angle);
        places[i][2] = 0.3 * sin(angle);
    }
    for (int i = 0; i < NODES; ++i) {
        const int next = i / 3 * 3 + (i + 1) % 3;
        add_bar(i, next);
        if (i + 3 < NODES) {
            add_bar(i, i + 3);
            add_bar(i, next + 3);
        }
    }
    print_matrix(files[0], K);
    print_matrix(files[1], M);
    FILE *map = open_file(files[2]), *coordinates = open_file(files[3]);
    for (int i = 0; i < ROWS; ++i) {
        fprintf(map, "%d %d %d\n", i + 1, i / 3 + 1, i % 3 + 1);
    }
    for (int i = 0; i < NODES; ++i) {
        fprintf(coordinates, "%d %.17g %.17g %.17g\n", i + 1, places[i][0], places[i][1],
                places[i][2]);
    }
    fclose(map);
    fclose(coordinates);
}

// ---- response ------------------------------------------------------------------------------------

static lb_imported *import(const subject *s, int mode_count, bool has_residuals)
{
    const lb_report report = {complain, NULL};
    const long reference = 9001;
    const char *const tip = "tip", *const root = "root";
    lb_tied_node ties[2] = {lb_default_tied_node(), lb_default_tied_node()};
    ties[0].name = tip;
    ties[0].set = s->tip;
    ties[1].name = root;
    ties[1].set = s->root;
    ties[1].tie = LB_TIE_RIGID;
    lb_import_options o = lb_default_import_options();
    o.files = s->files;
    o.file_count = FILES;
    o.length = s->length;
    o.mass = s->mass;
    o.ties = ties;
    o.tie_count = s->root ? 2 : 1;
    o.clamp = &reference;
    o.clamp_count = s->root ? 0 : 1;
    o.held = &root;
    o.held_count = s->root ? 1 : 0;
    o.residuals = &tip;
    o.residual_count = has_residuals;
    o.mode_count = mode_count;
    lb_imported *imported;
    if (lb_import_files(&o, NULL, &report, &imported) != LB_OK) {
        exit(1);
    }
    return imported;
}

typedef struct response {
    double motion[3],
        load[3]; // amplitude of the tip along the force, of the load on the root, over the force
} response;

static response respond(const lb_flex_options *flex, double square)
{
    const int m = flex->mode_count;
    response found = {{0, 0, 0}, {1, 1, 1}};
    for (int r = 0; r < m; ++r) {
        for (int k = 0; k < 3; ++k) {
            const double shape = flex->nodes[0].shape[6 * r + 3 + k];
            const double eta = shape / (flex->stiffness[r * m + r] - square);
            found.motion[k] += shape * eta;
            found.load[k] += square * flex->integrals->E[3 * r + k] * eta;
        }
    }
    return found;
}

typedef struct curve {
    int count;
    double modes[MODES], motion[MODES], load[MODES]; // log10 of the errors
} curve;

static curve find_errors(const subject *s, const response *truth, double square, bool has_residuals)
{
    curve found = {.count = 0};
    for (int count = 1; count <= MODES; ++count) {
        lb_imported *body = import(s, count, has_residuals);
        const lb_flex_options *flex = lb_get_imported_options(body);
        const response own = respond(flex, square);
        double worst[2] = {1e-16, 1e-16};
        for (int k = 0; k < 3; ++k) {
            worst[0] = fmax(worst[0], fabs(own.motion[k] / truth->motion[k] - 1));
            worst[1] = fmax(worst[1], fabs(own.load[k] / truth->load[k] - 1));
        }
        printf("%-11s %-8s %3d modes: motion %.1e, load %.1e\n", s->name,
               has_residuals ? "residual" : "", flex->mode_count, worst[0], worst[1]);
        if (flex->mode_count <= MODES) {
            found.modes[found.count] = flex->mode_count;
            found.motion[found.count] = log10(worst[0]);
            found.load[found.count++] = log10(worst[1]);
        }
        lb_destroy_imported(body);
    }
    return found;
}

// ---- figures -------------------------------------------------------------------------------------

static void draw(const char *path, const char *title, bool is_load, curve curves[BODIES][2])
{
    static const char style[] = ".a { stroke: #0072b2 } .b { stroke: #d55e00 } "
                                ".c { stroke: #009e73 } .thin { stroke-dasharray: 5 4 }";
    static const char *const classes[BODIES] = {"a", "b", "c"};
    static const char *const colours[BODIES] = {"#0072b2", "#d55e00", "#009e73"};
    lb_svg svg = {open_file(path), 640, 400, 70, 20, 30, 50, 0, MODES, -12, 0};
    lb_begin_svg(&svg, title, style);
    for (int x = 0; x <= MODES; x += 5) {
        char label[32];
        snprintf(label, sizeof label, "%d", x);
        lb_print_svg_x_line(&svg, x, label);
    }
    for (int y = -12; y <= 0; y += 2) {
        char label[32];
        snprintf(label, sizeof label, "1e%d", y);
        lb_print_svg_y_line(&svg, y, label);
    }
    lb_print_svg_names(&svg, "modes in all", "relative error");
    for (int i = 0; i < BODIES; ++i) {
        for (int k = 0; k < 2; ++k) {
            curve *c = &curves[i][k];
            double *y = is_load ? c->load : c->motion;
            char class[32];
            for (int p = 0; p < c->count; ++p) {
                y[p] = fmin(fmax(y[p], svg.y_low), 0.0);
            }
            snprintf(class, sizeof class, "%s%s", classes[i], k == 0 ? " thin" : "");
            lb_print_svg_curve(&svg, class, c->modes, y, c->count);
        }
        fprintf(svg.file, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", 90, 290 + 16 * i,
                colours[i], subjects[i].name);
    }
    lb_end_svg(&svg);
    fclose(svg.file);
}

int main(int count, char **arguments)
{
    static curve curves[BODIES][2];
    make_truss(subjects[2].files);
    for (int i = 0; i < BODIES; ++i) {
        lb_imported *whole = import(&subjects[i], MANY, true);
        const lb_flex_options *flex = lb_get_imported_options(whole);
        const double square = 0.25 * flex->stiffness[0];
        const response truth = respond(flex, square);
        for (int k = 0; k < 2; ++k) {
            curves[i][k] = find_errors(&subjects[i], &truth, square, k == 1);
        }
        lb_destroy_imported(whole);
    }
    for (int i = 0; i < FILES; ++i) {
        remove(subjects[2].files[i]);
    }
    if (count > 2) {
        draw(arguments[1], "Error of the motion of the tip", false, curves);
        draw(arguments[2], "Error of the load on the root", true, curves);
    }
    return 0;
}
