// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Time per body of forward dynamics on chains of beams: against modes and bodies, for each fidelity
// and each way to eliminate the modes; and against the number of nodes, which it must not depend on.
//
//     bench_modes [CSV [SVG]]
//
// Prints tables, and writes the same numbers to the file CSV; the last table, both routes to the
// accelerations of ten ruthless bodies, is drawn in SVG. Each number is the minimum (and the
// median) over many rounds of the same evaluation at the same state.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dynamics/tree/tree.h"
#include "measure.h"
#include "subject.h"
#include "svg.h"

// ---- what is timed -----------------------------------------------------------------------------

typedef struct lb_kind {
    const char *name;
    lb_fidelity fidelity;
    int second_order;
    lb_elimination elimination;
} lb_kind;

static const lb_kind LB_KINDS[] = {
    {"consistent", LB_FIDELITY_CONSISTENT, 1, LB_ELIMINATION_AUTO},
    {"without-second-order", LB_FIDELITY_CONSISTENT, 0, LB_ELIMINATION_AUTO},
    {"appendix-c", LB_FIDELITY_APPENDIX_C, 0, LB_ELIMINATION_AUTO},
    {"ruthless", LB_FIDELITY_RUTHLESS, 0, LB_ELIMINATION_AUTO},
    {"ruthless-form", LB_FIDELITY_RUTHLESS, 0, LB_ELIMINATION_FORM},
    {"ruthless-update", LB_FIDELITY_RUTHLESS, 0, LB_ELIMINATION_UPDATE},
};
// the first ones differ in more than the elimination
enum { LB_KIND_COUNT = sizeof LB_KINDS / sizeof *LB_KINDS, LB_DIFFERENT = 4 };

static lb_status lb_run_forward(void *subject)
{
    const lb_subject *s = subject;
    return lb_compute_forward_dynamics(s->model, s->work, s->q, s->v, s->tau, s->a);
}

static lb_status lb_run_composite(void *subject)
{
    const lb_subject *s = subject;
    return lb_tree_composite(s->model, s->work, s->q, s->v, s->tau, s->M, s->a);
}

static lb_subject lb_begin_chain(const lb_kind *kind, int bodies, int modes, int nodes)
{
    lb_scene_beam_options options = lb_default_scene_beam();
    options.fidelity = kind->fidelity;
    options.second_order = kind->second_order;
    options.mode_count = modes;
    options.node_count = nodes;
    lb_scene *scene = lb_create_beam_chain(&options, bodies);
    scene->elimination = kind->elimination;
    lb_subject s = lb_begin_subject(scene);
    lb_draw_subject(&s);
    // many modes, each a little
    for (int k = 0; k < bodies; ++k) {
        for (int r = 0; r < modes; ++r) {
            s.q[scene->bodies[k].q_offset + r] *= 0.1 / (1 + r);
        }
    }
    return s;
}

// Times one chain, writes its line to the file, and returns the minimum a body.
static double lb_measure(FILE *csv, const lb_kind *kind, int bodies, int modes, int nodes)
{
    char machine[128];
    lb_subject s = lb_begin_chain(kind, bodies, modes, nodes);
    const lb_timing t = lb_time(kind->name, lb_run_forward, &s);
    lb_end_subject(&s);
    const double minimum = t.minimum / bodies, median = t.median / bodies;
    printf("  %9.0f (%8.0f)", minimum, median);
    fflush(stdout);
    if (csv != NULL) {
        lb_get_machine(machine, sizeof machine);
        fprintf(csv, "%s,%d,%d,%d,%.1f,%.1f,\"%s\",\"%s\",%s\n", kind->name, bodies, modes, nodes,
                minimum, median, machine, lb_get_compiler(), lb_get_commit());
    }
    return minimum;
}

static void lb_print_heading(const char *title, const char *first, int kind_count)
{
    printf("\n# %s\n%8s", title, first);
    for (int i = 0; i < kind_count; ++i) {
        printf("  %20s", LB_KINDS[i].name);
    }
    printf("\n");
}

// ---- tables ------------------------------------------------------------------------------------

static void lb_print_modes(FILE *csv)
{
    const int modes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30};
    lb_print_heading("ns per body against modes: 20 bodies, 40 nodes each; minimum (median)",
                     "modes", LB_KIND_COUNT);
    for (size_t j = 0; j < sizeof modes / sizeof *modes; ++j) {
        printf("%8d", modes[j]);
        for (int i = 0; i < LB_KIND_COUNT; ++i) {
            (void)lb_measure(csv, &LB_KINDS[i], 20, modes[j], 40);
        }
        printf("\n");
    }
}

static void lb_print_bodies(FILE *csv, int modes)
{
    const int bodies[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    const int kinds = LB_DIFFERENT;
    char title[96];
    snprintf(title, sizeof title,
             "ns per body against bodies: %d modes, 40 nodes; minimum (median)", modes);
    lb_print_heading(title, "bodies", kinds);
    double fastest[LB_KIND_COUNT], slowest[LB_KIND_COUNT] = {0};
    for (int i = 0; i < kinds; ++i) {
        fastest[i] = HUGE_VAL;
    }
    for (size_t j = 0; j < sizeof bodies / sizeof *bodies; ++j) {
        printf("%8d", bodies[j]);
        for (int i = 0; i < kinds; ++i) {
            const double ns = lb_measure(csv, &LB_KINDS[i], bodies[j], modes, 40);
            if (bodies[j] >= 10) {
                fastest[i] = fmin(fastest[i], ns);
                slowest[i] = fmax(slowest[i], ns);
            }
        }
        printf("\n");
    }
    // O(N) is a claim: how far is the time per body from constant?
    printf("# slowest over fastest, 10 to 1000 bodies:");
    for (int i = 0; i < kinds; ++i) {
        printf(" %s %.2f", LB_KINDS[i].name, slowest[i] / fastest[i]);
    }
    printf("\n");
}

static void lb_print_nodes(FILE *csv)
{
    const int nodes[] = {10, 20, 50, 100, 200, 500, 1000};
    lb_print_heading("ns per body against nodes: 20 bodies, 4 modes; minimum (median)", "nodes",
                     LB_DIFFERENT);
    for (size_t j = 0; j < sizeof nodes / sizeof *nodes; ++j) {
        printf("%8d", nodes[j]);
        for (int i = 0; i < LB_DIFFERENT; ++i) {
            (void)lb_measure(csv, &LB_KINDS[i], 20, 4, nodes[j]);
        }
        printf("\n");
    }
}

// ---- both routes -------------------------------------------------------------------------------

enum { LB_ROUTE_ROWS = 9 };
static const double LB_ROUTE_MODES[LB_ROUTE_ROWS] = {1, 2, 5, 7, 8, 10, 15, 20, 30};

// Times of ten ruthless bodies by composite and by articulated bodies, us, on a logarithmic scale.
static void lb_draw_routes(FILE *file, double us[2][LB_ROUTE_ROWS])
{
    const lb_svg svg = {.file = file,
                        .width = 640,
                        .height = 380,
                        .left = 70,
                        .right = 120,
                        .top = 30,
                        .bottom = 50,
                        .x_low = 0,
                        .x_high = 30,
                        .y_low = 0,
                        .y_high = 5};
    static const char *const names[2] = {"composite", "articulated"};
    lb_begin_svg(&svg, "Forward dynamics of ten ruthless bodies",
                 ".composite{stroke:#b22}.articulated{stroke:#06c}"
                 ".composite,.articulated{fill:none;stroke-width:2}");
    for (int power = 0; power <= 5; ++power) {
        char label[48];
        snprintf(label, sizeof label, "10<tspan dy=\"-5\" font-size=\"9\">%d</tspan>", power);
        lb_print_svg_y_line(&svg, power, label);
    }
    for (int n = 0; n <= 30; n += 5) {
        char label[8];
        snprintf(label, sizeof label, "%d", n);
        lb_print_svg_x_line(&svg, n, label);
    }
    lb_print_svg_names(&svg, "modes of each body", "microseconds");
    for (int i = 0; i < 2; ++i) {
        double height[LB_ROUTE_ROWS];
        for (int j = 0; j < LB_ROUTE_ROWS; ++j) {
            height[j] = log10(us[i][j]);
        }
        lb_print_svg_curve(&svg, names[i], LB_ROUTE_MODES, height, LB_ROUTE_ROWS);
        fprintf(file, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", lb_get_svg_x(&svg, 30) + 6,
                lb_get_svg_y(&svg, height[LB_ROUTE_ROWS - 1]) + 4, names[i]);
    }
    lb_end_svg(&svg);
}

static void lb_print_routes(FILE *svg)
{
    double us[2][LB_ROUTE_ROWS];
    printf("\n# us of forward dynamics, ten ruthless bodies: minimum\n"
           "   modes    composite  articulated   ratio\n");
    for (int j = 0; j < LB_ROUTE_ROWS; ++j) {
        lb_subject s = lb_begin_chain(&LB_KINDS[3], 10, (int)LB_ROUTE_MODES[j], 40);
        s.M = lb_make_numbers(s.scene->v_count * s.scene->v_count);
        us[0][j] = 1e-3 * lb_time("composite", lb_run_composite, &s).minimum;
        us[1][j] = 1e-3 * lb_time("articulated", lb_run_forward, &s).minimum;
        lb_end_subject(&s);
        printf("%8.0f  %11.1f  %11.2f  %6.1f\n", LB_ROUTE_MODES[j], us[0][j], us[1][j],
               us[0][j] / us[1][j]);
        fflush(stdout);
    }
    if (svg != NULL) {
        lb_draw_routes(svg, us);
    }
}

int main(int argc, char **argv)
{
    FILE *csv = NULL, *svg = NULL;
    if (argc > 3 || (argc > 1 && (csv = fopen(argv[1], "w")) == NULL) ||
        (argc > 2 && (svg = fopen(argv[2], "w")) == NULL)) {
        fprintf(stderr, "usage: bench_modes [CSV [SVG]]\n");
        return 2;
    }
    if (csv != NULL) {
        fprintf(csv, "kind,bodies,modes,nodes,min_ns_per_body,median_ns_per_body,machine,compiler,"
                     "commit\n");
    }
    lb_print_setting();
    lb_print_modes(csv);
    lb_print_bodies(csv, 4);
    lb_print_bodies(csv, 10);
    lb_print_nodes(csv);
    lb_print_routes(svg);
    if (svg != NULL && fclose(svg) != 0) {
        perror(argv[2]);
        return 1;
    }
    if (csv != NULL && fclose(csv) != 0) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
