// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer beside the articulated recursion: time against the number of bodies, on one
// core and on several, and digits against the number of bodies on easy and hard chains.
//
//     bench_divide [CSV [TIMES_SVG ERRORS_SVG]]
//
// Times are of the processor, minima over rounds, so that they hold on a machine that has other things
// to do. What several cores make of it is measured on one: each piece of each stage by itself, and
// the longest of every stage added up; that leaves out waiting at barriers and what cores
// take from each other's memory. Errors are differences to the articulated recursion, relative to the largest
// acceleration.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "dynamics/divide/division.h"
#include "measure.h"
#include "plain.h"
#include "subject.h"
#include "svg.h"

// A random state, its coordinates scaled.
static lb_subject begin(lb_scene *scene, double scale)
{
    lb_subject s = lb_begin_subject(scene);
    lb_draw_subject(&s);
    for (int i = 0; i < scene->q_count; ++i) {
        s.q[i] *= scale;
    }
    return s;
}

static lb_division *divide(const lb_subject *s, int run_length, int threads, double tolerance)
{
    lb_division_options options = lb_default_division_options();
    options.run_length = run_length;
    options.thread_count = threads;
    options.tolerance = tolerance;
    lb_division *division;
    if (lb_create_division(s->model, &options, &division) != LB_OK) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return division;
}

static void write_line(FILE *csv, const char *kind, const char *road, int bodies, double value)
{
    char machine[128];
    if (csv) {
        lb_get_machine(machine, sizeof machine);
        fprintf(csv, "%s,%s,%d,%.6g,\"%s\",\"%s\",%s\n", kind, road, bodies, value, machine,
                lb_get_compiler(), lb_get_commit());
    }
}

// ---- times -------------------------------------------------------------------------------------

static const int sizes[] = {100, 300, 1000, 3000, 10000, 30000, 100000};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes, ROADS = 3, CHAINS = 2 };
static const char *const roads[ROADS] = {"articulated", "divided-1", "divided-2"};
static const char *const chains[CHAINS] = {"rigid", "flexible"};

static double get_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lb_scene *create_chain(int flexible, int count)
{
    const lb_scene_beam_options beam = lb_default_scene_beam();
    return flexible ? lb_create_beam_chain(&beam, count) : lb_create_revolute_chain(count);
}

static lb_status run_road(lb_subject *s, lb_division *division)
{
    return division ? lb_divided_forward(s->model, s->work, division, s->q, s->v, s->tau, s->x)
                    : lb_compute_forward_dynamics(s->model, s->work, s->q, s->v, s->tau, s->a);
}

// ns of one evaluation, minimum.
static double time_road(lb_subject *s, lb_division *division)
{
    const int repeats = 1 + 3000 / s->scene->body_count, rounds = 10;
    double best = INFINITY;
    for (int round = 0; round < rounds; ++round) {
        const double start = get_seconds();
        for (int i = 0; i < repeats; ++i) {
            if (run_road(s, division) != LB_OK) {
                fputs("not LB_OK\n", stderr);
                exit(1);
            }
        }
        best = fmin(best, 1e9 * (get_seconds() - start) / repeats);
    }
    return best;
}

// ns of an evaluation in which each stage takes as long as its longest piece.
static double time_pieces(lb_subject *s, int piece_count)
{
    lb_division *division = divide(s, 0, piece_count, 1e-10);
    const int stages = lb_get_division_stage_count(division), rounds = 10;
    double *best = lb_make_numbers(stages * piece_count), sum = INFINITY;
    for (int round = 0; round < rounds; ++round) {
        lb_begin_division(s->model, s->work, division, s->q, s->v, NULL, s->tau, NULL, s->x);
        for (int i = 0; i < stages * piece_count; ++i) {
            const double start = get_seconds();
            lb_run_division_stage(s->model, s->work, division, i / piece_count, i % piece_count,
                                  piece_count);
            const double spent = get_seconds() - start;
            best[i] = round == 0 ? spent : fmin(best[i], spent);
        }
        const double start = get_seconds();
        if (lb_end_division(s->model, s->work, division) != LB_OK) {
            fputs("not LB_OK\n", stderr);
            exit(1);
        }
        sum = fmin(sum, get_seconds() - start);
    }
    for (int stage = 0; stage < stages; ++stage) {
        double longest = 0.0;
        for (int i = 0; i < piece_count; ++i) {
            longest = fmax(longest, best[stage * piece_count + i]);
        }
        sum += longest;
    }
    free(best);
    lb_destroy_division(division);
    return 1e9 * sum;
}

// By each road.
static void time_chain(int flexible, int count, double best[ROADS])
{
    lb_subject s = begin(create_chain(flexible, count), 0.01);
    lb_division *division = divide(&s, 0, 1, 1e-10);
    best[0] = time_road(&s, NULL);
    best[1] = time_road(&s, division);
    best[2] = time_pieces(&s, 2);
    lb_destroy_division(division);
    lb_end_subject(&s);
}

enum { PIECES = 7 }; // 1 to 64

static void print_pieces(FILE *csv, int flexible, int count)
{
    lb_subject s = begin(create_chain(flexible, count), 0.01);
    const double recursion = time_road(&s, NULL);
    double one = 0.0;
    write_line(csv, chains[flexible], "recursion", count, recursion);
    for (int i = 0; i < PIECES; ++i) {
        char road[32];
        const double t = time_pieces(&s, 1 << i);
        one = i == 0 ? t : one;
        printf("%-9s %6d  %2d pieces %12.0f  %5.2f times one, %5.2f times the recursion\n",
               chains[flexible], count, 1 << i, t, one / t, recursion / t);
        snprintf(road, sizeof road, "pieces-%d", 1 << i);
        write_line(csv, chains[flexible], road, count, t);
    }
    lb_end_subject(&s);
}

// ---- errors ------------------------------------------------------------------------------------

enum { WAYS = 3 };
static const char *const ways[WAYS] = {"plain", "runs-of-1", "runs-of-8"};

static double get_error(const double *x, const double *reference, int count)
{
    double off = 0.0, largest = 0.0;
    for (int i = 0; i < count; ++i) {
        const double d = fabs(x[i] - reference[i]);
        off = !(d <= off) ? d : off;
        largest = fmax(largest, fabs(reference[i]));
    }
    return off / largest;
}

// Errors without the safety of the check, and how many of the two divided answers would pass it.
static int measure_errors(lb_hard_chain kind, int count, double error[WAYS])
{
    lb_subject s = begin(lb_create_hard_chain(kind, count), kind == LB_HARD_NONE ? 1.0 : 1e-3);
    int good = 0;
    if (lb_compute_forward_dynamics(s.model, s.work, s.q, s.v, s.tau, s.a) != LB_OK) {
        fputs("the recursion fails\n", stderr);
        exit(1);
    }
    lb_compute_plain(s.model, s.work, s.tau, s.x);
    error[0] = get_error(s.x, s.a, s.scene->v_count);
    for (int way = 1; way < WAYS; ++way) {
        lb_division *division = divide(&s, way == 1 ? 1 : 8, 1, INFINITY);
        (void)lb_divided_forward(s.model, s.work, division, s.q, s.v, s.tau, s.x);
        const lb_division_report report = *lb_see_division_report(division);
        const double tolerance = lb_default_division_options().tolerance;
        good += report.shift <= tolerance && report.gap <= tolerance;
        error[way] = get_error(s.x, s.a, s.scene->v_count);
        lb_destroy_division(division);
    }
    lb_end_subject(&s);
    return good;
}

// ---- tables and figures ------------------------------------------------------------------------

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void begin_figure(lb_svg *svg, const char *title, int y_step, const char *y_name)
{
    static const char style[] =
        ".a { stroke: #0072b2 } .b { stroke: #d55e00 } .c { stroke: #009e73 } "
        ".thin { stroke-dasharray: 5 4 } .dots { stroke-dasharray: 2 3 }";
    lb_begin_svg(svg, title, style);
    for (double x = svg->x_low; x <= svg->x_high; x += 1.0) {
        char label[32];
        snprintf(label, sizeof label, "%.0f", pow(10.0, x));
        lb_print_svg_x_line(svg, x, label);
    }
    for (double y = svg->y_low; y <= svg->y_high; y += y_step) {
        char label[32];
        snprintf(label, sizeof label, "1e%.0f", y);
        lb_print_svg_y_line(svg, y, label);
    }
    lb_print_svg_names(svg, "bodies", y_name);
}

static void draw_times(const char *path, double times[CHAINS][SIZE_COUNT][ROADS])
{
    static const char *const classes[ROADS] = {"a", "b", "c"};
    lb_svg svg = {open_file(path), 640, 400, 70, 20, 30, 50, 2, 5, 3, 9};
    begin_figure(&svg, "Time of one evaluation", 1, "ns");
    for (int chain = 0; chain < CHAINS; ++chain) {
        for (int road = 0; road < ROADS; ++road) {
            double x[SIZE_COUNT], y[SIZE_COUNT];
            char class[32];
            for (int i = 0; i < SIZE_COUNT; ++i) {
                x[i] = log10(sizes[i]);
                y[i] = log10(times[chain][i][road]);
            }
            snprintf(class, sizeof class, "%s%s", classes[road], chain == 0 ? " thin" : "");
            lb_print_svg_curve(&svg, class, x, y, SIZE_COUNT);
        }
    }
    lb_end_svg(&svg);
    fclose(svg.file);
}

enum { LENGTHS = 11 }; // 32 to 32768

static void draw_errors(const char *path, double errors[LB_HARD_COUNT][LENGTHS][WAYS])
{
    static const char *const classes[WAYS] = {"b dots", "c thin", "a"};
    lb_svg svg = {open_file(path), 640, 400, 70, 20, 30, 50, 1, 5, -18, 0};
    begin_figure(&svg, "Difference to the recursion", 2, "relative difference");
    for (int kind = 0; kind < LB_HARD_COUNT; ++kind) {
        for (int way = 0; way < WAYS; ++way) {
            double x[LENGTHS], y[LENGTHS];
            int count = 0;
            for (int i = 0; i < LENGTHS; ++i) {
                const double e = errors[kind][i][way];
                if (isfinite(e)) {
                    x[count] = log10(32.0 * (1 << i));
                    y[count++] = fmin(0.0, log10(fmax(e, 1e-18)));
                }
            }
            lb_print_svg_curve(&svg, classes[way], x, y, count);
        }
    }
    lb_end_svg(&svg);
    fclose(svg.file);
}

int main(int count, char **arguments)
{
    FILE *csv = count > 1 ? open_file(arguments[1]) : NULL;
    static double times[CHAINS][SIZE_COUNT][ROADS], errors[LB_HARD_COUNT][LENGTHS][WAYS];
    static const char *const kinds[LB_HARD_COUNT] = {"easy", "straight", "tiny-inertia",
                                                     "mass-ratio", "wild-masses"};
    lb_print_setting();
    if (csv) {
        fputs("kind,road,bodies,value,machine,compiler,commit\n", csv);
    }
    printf("\n# ns of one evaluation: recursion, divided, on two cores; speed-up of two\n");
    for (int chain = 0; chain < CHAINS; ++chain) {
        for (int i = 0; i < SIZE_COUNT; ++i) {
            double *t = times[chain][i];
            time_chain(chain, sizes[i], t);
            printf("%-9s %6d  %12.0f %12.0f %12.0f  %5.2f\n", chains[chain], sizes[i], t[0], t[1],
                   t[2], t[1] / t[2]);
            fflush(stdout);
            for (int road = 0; road < ROADS; ++road) {
                write_line(csv, chains[chain], roads[road], sizes[i], t[road]);
            }
        }
    }
    printf("\n# many cores: ns of the longest pieces, added up\n");
    for (int chain = 0; chain < CHAINS; ++chain) {
        print_pieces(csv, chain, 10000);
    }
    print_pieces(csv, 1, 100000);
    printf("\n# difference to the recursion: plain form, runs of 1, runs of 8; passed the check\n");
    for (int kind = 0; kind < LB_HARD_COUNT; ++kind) {
        for (int i = 0; i < LENGTHS; ++i) {
            double *e = errors[kind][i];
            const int good = measure_errors((lb_hard_chain)kind, 32 << i, e);
            printf("%-13s %6d  %9.1e %9.1e %9.1e  %d of 2\n", kinds[kind], 32 << i, e[0], e[1],
                   e[2], good);
            for (int way = 0; way < WAYS; ++way) {
                write_line(csv, kinds[kind], ways[way], 32 << i, e[way]);
            }
        }
    }
    if (csv) {
        fclose(csv);
    }
    if (count > 3) {
        draw_times(arguments[2], times);
        draw_errors(arguments[3], errors);
    }
    return 0;
}
