// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber info MODEL: what is in a model, its tree drawn as text.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "info_parameters.h"
#include "json_out.h"
#include "limber/beams.h"
#include "mobility.h"

enum {
    DRAWN_MAX = 200, // bodies, unless --all
    DEPTH_MAX = 12   // levels of indentation; deeper ones say their depth instead
};

// Children of every body as linked lists in the listed order; entry 0 stands for the ground, k + 1
// for body k. One pass builds them, so a model may be as deep as it likes.
typedef struct tree {
    int *first_child, *next_sibling; // bodies; -1 ends a list
} tree;

static void grow_tree(const lb_model *model, tree *t)
{
    const int count = lb_get_body_count(model);
    t->first_child = lb_cli_malloc(((size_t)count + 1) * sizeof *t->first_child);
    t->next_sibling = lb_cli_malloc(((size_t)count + 1) * sizeof *t->next_sibling);
    for (int i = 0; i <= count; ++i) {
        t->first_child[i] = t->next_sibling[i] = -1;
    }
    // last to first, each put in front
    for (int body = count - 1; body >= 0; --body) {
        const int parent = lb_get_hinge(model, body).parent + 1;
        t->next_sibling[body + 1] = t->first_child[parent];
        t->first_child[parent] = body;
    }
}

static void drop_tree(tree *t)
{
    free(t->first_child);
    free(t->next_sibling);
}

// The body after this one from top to bottom of the drawing; LB_GROUND at the end. Depth follows.
static int get_next(const lb_model *model, const tree *t, int body, int *depth)
{
    if (t->first_child[body + 1] >= 0) {
        ++*depth;
        return t->first_child[body + 1];
    }
    while (body >= 0 && t->next_sibling[body + 1] < 0) {
        body = lb_get_hinge(model, body).parent;
        --*depth;
    }
    return body < 0 ? LB_GROUND : t->next_sibling[body + 1];
}

// The branches left of a name, and how many columns they take. A line runs on at a level if the
// ancestor there has a sibling still to come.
static int print_branches(FILE *out, const lb_model *model, const tree *t, int body, int depth)
{
    const bool utf8 = lb_cli_has_utf8();
    bool runs_on[DEPTH_MAX];
    int columns = 0;
    if (depth > DEPTH_MAX) {
        // too far right to draw: say how deep, at the last level's indentation
        char text[32];
        snprintf(text, sizeof text, "[%d] ", depth);
        const int indent = 3 * (DEPTH_MAX - 1) + 2;
        if (out) {
            fprintf(out, "%*s%s", indent, "", text);
        }
        return indent + (int)strlen(text);
    }
    int ancestor = body;
    for (int level = depth - 1; level >= 0; --level) {
        runs_on[level] = t->next_sibling[ancestor + 1] >= 0;
        ancestor = lb_get_hinge(model, ancestor).parent;
    }
    for (int level = 0; level < depth; ++level) {
        const char *piece;
        if (level < depth - 1) {
            piece = !runs_on[level] ? "   " : utf8 ? "│  " : "|  ";
        } else if (runs_on[level]) {
            piece = utf8 ? "├─ " : "|- ";
        } else {
            piece = utf8 ? "└─ " : "`- ";
        }
        if (out) {
            fputs(piece, out);
        }
        columns += 3;
    }
    return columns;
}

// Modes of a flexible body: how many, and the stiffness of each.
// ---- modes of a body ---------------------------------------------------------------------------

typedef struct body_modes {
    int count;
    double *frequencies, *effective;
    lb_modal_summary summary;
    lb_status status;
} body_modes;

static body_modes find_modes(const lb_model *model, int body)
{
    body_modes modes = {.count = lb_get_mode_count(model, body),
                        .summary = {.size = sizeof modes.summary}};
    const size_t n = (size_t)modes.count;
    modes.frequencies = lb_cli_malloc((n + 1) * sizeof *modes.frequencies);
    modes.effective = lb_cli_malloc((6 * n + 1) * sizeof *modes.effective);
    modes.status = lb_cli_check_memory(
        lb_compute_modal_summary(model, body, modes.frequencies, modes.effective, &modes.summary));
    return modes;
}

static void drop_modes(body_modes *modes)
{
    free(modes->frequencies);
    free(modes->effective);
}

// The part of the whole that the modes do not have; nothing of nothing is zero.
static double get_left_out(const lb_modal_summary *summary, int i)
{
    return summary->whole[i] > 0 ? fmax(0.0, 1 - summary->sums[i] / summary->whole[i]) : 0.0;
}

// Along x y z first, then about them.
static void print_six(const double values[6], double scale)
{
    for (int i = 0; i < 6; ++i) {
        printf(" %10.4g", scale * values[(i + 3) % 6]);
    }
    putchar('\n');
}

// Mass properties and modes of a body as a table.
static void print_body_modes(const lb_model *model, int body)
{
    double mass, com[3], J[6];
    body_modes modes = find_modes(model, body);
    lb_get_mass_properties(model, body, &mass, com, J);
    fputs(lb_cli_get_colour(stdout, LB_CLI_BOLD), stdout);
    lb_cli_put_text(stdout, lb_get_body_name(model, body));
    printf("%s\n  mass     %.9g kg\n", lb_cli_get_colour(stdout, LB_CLI_PLAIN), mass);
    printf("  centre   %.6g %.6g %.6g m\n", com[0], com[1], com[2]);
    printf("  inertia  %.6g %.6g %.6g %.6g %.6g %.6g kg m^2 (xx yy zz xy xz yz, about it)\n", J[0],
           J[1], J[2], J[3], J[4], J[5]);
    if (modes.count > 0 && modes.status == LB_OK) {
        double left_out[6];
        printf("\n%22s   effective mass along x, y, z, kg   and about x, y, z, kg m^2\n",
               "mode and frequency");
        for (int r = 0; r < modes.count; ++r) {
            printf("%9d %9.5g Hz", r, modes.frequencies[r]);
            print_six(modes.effective + 6 * r, 1.0);
        }
        printf("%-22s", "  sum");
        print_six(modes.summary.sums, 1.0);
        printf("%-22s", "  whole body");
        print_six(modes.summary.whole, 1.0);
        for (int i = 0; i < 6; ++i) {
            left_out[i] = get_left_out(&modes.summary, i);
        }
        printf("%-22s", "  left out, %");
        print_six(left_out, 100.0);
        if (modes.summary.spin_rate > 0) {
            printf("\n  fit for spin up to %.3g rad/s\n", modes.summary.spin_rate);
        }
    } else if (modes.count > 0) {
        printf("\n  %d modes, a combination of which has no mass\n", modes.count);
    }
    drop_modes(&modes);
}

// Members of an open object; none for a rigid body, or one of whose modes a combination has no mass.
static void write_body_modes(lb_cli_json *json, const lb_model *model, int body)
{
    body_modes modes = find_modes(model, body);
    if (modes.count > 0 && modes.status == LB_OK) {
        double left_out[6];
        for (int i = 0; i < 6; ++i) {
            left_out[i] = get_left_out(&modes.summary, i);
        }
        lb_cli_json_open(json, "effective_masses", '[');
        for (int r = 0; r < modes.count; ++r) {
            lb_cli_json_vector(json, NULL, modes.effective + 6 * r, 6);
        }
        lb_cli_json_close(json, ']');
        lb_cli_json_vector(json, "effective_sums", modes.summary.sums, 6);
        lb_cli_json_vector(json, "left_out", left_out, 6);
        lb_cli_json_number(json, "spin_rate", modes.summary.spin_rate);
    }
    drop_modes(&modes);
}

// ---- bodies ------------------------------------------------------------------------------------

static const char *const fidelities[] = {[LB_FIDELITY_CONSISTENT] = "consistent",
                                         [LB_FIDELITY_RUTHLESS] = "ruthless",
                                         [LB_FIDELITY_APPENDIX_C] = "appendix-c"};

// Frequencies of a body in Hz, in memory of the caller's to free; NULL if there are none to tell.
static double *get_frequencies(const lb_model *model, int body)
{
    const size_t count = (size_t)lb_get_mode_count(model, body);
    double *scratch = lb_cli_malloc((2 * count * count + 1) * sizeof *scratch);
    double *hertz = lb_cli_malloc((count + 1) * sizeof *hertz);
    const int good = count > 0 && lb_compute_body_frequencies(model, body, scratch, hertz) == LB_OK;
    free(scratch);
    if (!good) {
        free(hertz);
        return NULL;
    }
    for (size_t i = 0; i < count; ++i) {
        hertz[i] /= 2 * 3.14159265358979323846;
    }
    return hertz;
}

static void print_modes(const lb_model *model, int body)
{
    enum { MOST = 6 };
    const int count = lb_get_mode_count(model, body);
    if (count == 0) {
        return;
    }
    printf("  %s, %d mode%s", fidelities[lb_get_fidelity(model, body)], count,
           count == 1 ? "" : "s");
    double *hertz = get_frequencies(model, body);
    for (int i = 0; hertz && i < count && i < MOST; ++i) {
        printf("%s%.4g", i == 0 ? " at " : ", ", hertz[i]);
    }
    fputs(hertz ? (count > MOST ? ", ... Hz" : " Hz") : ", a combination of them massless", stdout);
    free(hertz);
}

static void print_nodes(const lb_model *model, int body)
{
    const int count = lb_get_node_count(model, body);
    for (int node = 1; node < count; ++node) {
        fputs(node == 1 ? "  nodes " : ", ", stdout);
        if (node > 6) {
            printf("... %d more", count - node);
            break;
        }
        lb_cli_put_text(stdout, lb_get_node_name(model, body, node));
    }
}

// How many quantities are recovered, and the first of them.
static void print_recovery(const lb_model *model, int body)
{
    enum { MOST = 3 };
    const int count = lb_get_recovery_count(model, body);
    for (int row = 0; row < count && row < MOST; ++row) {
        fputs(row == 0 ? "  recovers " : ", ", stdout);
        lb_cli_put_text(stdout, lb_get_recovery_name(model, body, row));
    }
    if (count > MOST) {
        printf(", ... %d more", count - MOST);
    }
}

static void print_body(const lb_model *model, const tree *t, int body, int depth, int width)
{
    const char *dim = lb_cli_get_colour(stdout, LB_CLI_DIM);
    const char *bold = lb_cli_get_colour(stdout, LB_CLI_BOLD);
    const char *plain = lb_cli_get_colour(stdout, LB_CLI_PLAIN);
    double mass;
    lb_get_mass_properties(model, body, &mass, (double[3]){0}, (double[6]){0});

    fputs(dim, stdout);
    const int branch = print_branches(stdout, model, t, body, depth);
    fprintf(stdout, "%s%s", plain, bold);
    lb_cli_put_text(stdout, lb_get_body_name(model, body));
    const int pad = width - branch - lb_cli_count_columns(lb_get_body_name(model, body));
    char weight[32];
    snprintf(weight, sizeof weight, "%.4g kg", mass);
    printf("%s%*s  %-13s %d dof  %11s", plain, pad > 0 ? pad : 0, "",
           lb_get_hinge_type_name(lb_get_hinge(model, body).type),
           lb_get_hinge(model, body).v_count, weight);
    if (lb_get_hinge(model, body).parent_node > 0) {
        fputs("  at ", stdout);
        lb_cli_put_text(stdout, lb_get_node_name(model, lb_get_hinge(model, body).parent,
                                                 lb_get_hinge(model, body).parent_node));
    }
    if (lb_get_hinge(model, body).node > 0) {
        fputs("  by ", stdout);
        lb_cli_put_text(stdout, lb_get_node_name(model, body, lb_get_hinge(model, body).node));
    }
    print_modes(model, body);
    print_nodes(model, body);
    print_recovery(model, body);
    putchar('\n');
}

static void print_tree(const lb_model *model, const tree *t, bool all)
{
    const int body_count = lb_get_body_count(model);
    const int drawn = all || body_count <= DRAWN_MAX ? body_count : DRAWN_MAX;

    // first the width of the names, then the lines
    int width = 12;
    for (int pass = 0; pass < 2; ++pass) {
        int depth = 0, body = LB_GROUND;
        for (int i = 0; i < drawn; ++i) {
            body = get_next(model, t, body, &depth);
            if (pass == 1) {
                print_body(model, t, body, depth, width);
                continue;
            }
            const int columns = print_branches(NULL, model, t, body, depth) +
                                lb_cli_count_columns(lb_get_body_name(model, body));
            width = columns > width && columns <= 48 ? columns : width;
        }
        if (pass == 0) {
            fputs("\nground", stdout);
            print_nodes(model, LB_GROUND);
            putchar('\n');
        }
    }
    if (drawn < body_count) {
        printf("... %d more bodies (--all draws them)\n", body_count - drawn);
    }
}

static void print_info(const lb_model *model, const tree *t, const lb_system_motion *motion,
                       const lb_cli_mobility *mobility, bool all)
{
    double g[3];
    lb_get_gravity(model, g);
    int node_count = 0, mode_count = 0;
    for (int body = LB_GROUND; body < lb_get_body_count(model); ++body) {
        node_count += lb_get_node_count(model, body);
        mode_count += body < 0 ? 0 : lb_get_mode_count(model, body);
    }
    const char *bold = lb_cli_get_colour(stdout, LB_CLI_BOLD);
    fputs(bold, stdout);
    lb_cli_put_text(stdout, lb_get_model_name(model)[0] ? lb_get_model_name(model) : "(no name)");
    printf("%s\n", lb_cli_get_colour(stdout, LB_CLI_PLAIN));
    printf("  gravity  %.6g %.6g %.6g m/s^2\n", g[0], g[1], g[2]);
    printf("  bodies   %d, nodes %d, modes %d\n", lb_get_body_count(model), node_count, mode_count);
    const int coordinates = lb_get_q_count(model);
    printf("  dofs     %d (%d coordinate%s)\n", lb_get_v_count(model), coordinates,
           coordinates == 1 ? "" : "s");
    printf("  mass     %.9g kg\n", motion->mass);
    printf("  centre   %.6g %.6g %.6g m (of mass, with every coordinate zero)\n", motion->com[0],
           motion->com[1], motion->com[2]);
    print_tree(model, t, all);
    lb_cli_print_mobility(model, mobility);
}

static void write_nodes(lb_cli_json *json, const lb_model *model, int body)
{
    lb_cli_json_open(json, "nodes", '[');
    for (int node = 0; node < lb_get_node_count(model, body); ++node) {
        lb_cli_json_string(json, NULL, lb_get_node_name(model, body, node));
    }
    lb_cli_json_close(json, ']');
}

static void write_body(lb_cli_json *json, const lb_model *model, int body)
{
    const int parent = lb_get_hinge(model, body).parent;
    double mass, com[3], inertia[6];
    lb_get_mass_properties(model, body, &mass, com, inertia);
    const struct {
        const char *key, *text;
    } words[] = {
        {"name", lb_get_body_name(model, body)},
        {"parent", lb_get_body_name(model, parent)},
        {"at", lb_get_node_name(model, parent, lb_get_hinge(model, body).parent_node)},
        {"by", lb_get_node_name(model, body, lb_get_hinge(model, body).node)},
        {"hinge", lb_get_hinge_type_name(lb_get_hinge(model, body).type)},
    };
    const struct {
        const char *key;
        int number;
    } counts[] = {
        {"q_offset", lb_get_q_offset(model, body)},
        {"q_count", lb_get_mode_count(model, body) + lb_get_hinge(model, body).q_count},
        {"v_offset", lb_get_v_offset(model, body)},
        {"v_count", lb_get_mode_count(model, body) + lb_get_hinge(model, body).v_count},
        {"modes", lb_get_mode_count(model, body)},
    };
    lb_cli_json_open(json, NULL, '{');
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        lb_cli_json_string(json, words[i].key, words[i].text);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        lb_cli_json_integer(json, counts[i].key, counts[i].number);
    }
    if (lb_get_mode_count(model, body) > 0) {
        lb_cli_json_string(json, "fidelity", fidelities[lb_get_fidelity(model, body)]);
        double *hertz = get_frequencies(model, body);
        if (hertz) {
            lb_cli_json_vector(json, "frequencies", hertz, lb_get_mode_count(model, body));
        }
        free(hertz);
        write_body_modes(json, model, body);
    }
    lb_cli_json_number(json, "mass", mass);
    lb_cli_json_vector(json, "com", com, 3);
    lb_cli_json_vector(json, "inertia", inertia, 6);
    write_nodes(json, model, body);
    if (lb_get_recovery_count(model, body) > 0) {
        lb_cli_json_open(json, "recovery", '[');
        for (int row = 0; row < lb_get_recovery_count(model, body); ++row) {
            lb_cli_json_string(json, NULL, lb_get_recovery_name(model, body, row));
        }
        lb_cli_json_close(json, ']');
    }
    lb_cli_json_close(json, '}');
}

static void write_info(const lb_document *document, const lb_model *model,
                       const lb_system_motion *motion, const lb_cli_mobility *mobility)
{
    lb_cli_json json = lb_cli_json_start(stdout);
    double gravity[3];
    lb_get_gravity(model, gravity);
    lb_cli_json_open(&json, NULL, '{');
    lb_cli_json_string(&json, "name", lb_get_model_name(model));
    lb_cli_json_vector(&json, "gravity", gravity, 3);
    lb_cli_json_integer(&json, "q_count", lb_get_q_count(model));
    lb_cli_json_integer(&json, "v_count", lb_get_v_count(model));
    lb_cli_json_number(&json, "mass", motion->mass);
    lb_cli_json_vector(&json, "com", motion->com, 3);
    lb_cli_json_open(&json, "ground", '{');
    write_nodes(&json, model, LB_GROUND);
    lb_cli_json_close(&json, '}');
    lb_cli_json_open(&json, "bodies", '[');
    for (int body = 0; body < lb_get_body_count(model); ++body) {
        write_body(&json, model, body);
    }
    lb_cli_json_close(&json, ']');
    lb_cli_write_mobility(&json, model, mobility);
    lb_cli_write_parameters(&json, document);
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}

// Mass and centre of mass with every coordinate zero.
static bool compute_neutral_motion(const lb_model *model, const char *file,
                                   lb_system_motion *motion)
{
    lb_work *work = lb_cli_create_work(model, NULL);
    double *q = lb_cli_allocate(1, lb_get_q_count(model), "state");
    lb_get_neutral_configuration(model, q);
    lb_status status = lb_compute_kinematics(model, work, q, NULL, NULL);
    if (status >= 0) {
        status = lb_compute_system_motion(model, work, motion);
    }
    const bool done = lb_cli_explain_status(model, work, status, file, "centre of mass");
    free(q);
    lb_destroy_work(work);
    return done;
}

// The bodies of --body, as often as it is given. Names may have commas: they are not cut.
static int print_bodies(const lb_cli_arguments *arguments, const lb_model *model)
{
    const char *name;
    for (int i = 0; (name = lb_cli_get_repeated(arguments, "body", i)); ++i) {
        if (lb_find_body(model, name) < 0) {
            lb_cli_complain("info: --body: there is no body \"%s\"", name);
            return LB_CLI_USAGE;
        }
    }
    const bool as_json = lb_cli_get_option(arguments, "json") != NULL;
    lb_cli_json json;
    if (as_json) {
        json = lb_cli_json_start(stdout);
        lb_cli_json_open(&json, NULL, '{');
        lb_cli_json_open(&json, "bodies", '[');
    }
    for (int i = 0; (name = lb_cli_get_repeated(arguments, "body", i)); ++i) {
        const int body = lb_find_body(model, name);
        if (as_json) {
            write_body(&json, model, body);
        } else {
            print_body_modes(model, body);
        }
    }
    if (as_json) {
        lb_cli_json_close(&json, ']');
        lb_cli_json_close(&json, '}');
        lb_cli_json_finish(&json);
    }
    return LB_CLI_DONE;
}

int lb_cli_run_info(const lb_cli_arguments *arguments)
{
    const char *file = arguments->operands[0];
    lb_document *document = lb_cli_load_document(arguments, NULL, 0);
    const lb_report report = lb_cli_make_report(NULL);
    lb_model *model = NULL;
    if (!document || lb_load_document_model(document, &report, &model) < 0) {
        lb_destroy_document(document);
        return LB_CLI_FAILED;
    }
    if (lb_cli_get_option(arguments, "body")) {
        const int status = print_bodies(arguments, model);
        lb_destroy_model(model);
        lb_destroy_document(document);
        return status;
    }
    lb_system_motion motion;
    lb_cli_mobility mobility = {0};
    int status = lb_cli_compute_mobility(arguments, document, model, &mobility);
    if (status == LB_CLI_DONE && compute_neutral_motion(model, file, &motion)) {
        if (lb_cli_get_option(arguments, "json")) {
            write_info(document, model, &motion, &mobility);
        } else {
            tree t;
            grow_tree(model, &t);
            print_info(model, &t, &motion, &mobility, lb_cli_get_option(arguments, "all") != NULL);
            lb_cli_print_parameters(document);
            drop_tree(&t);
        }
    } else if (status == LB_CLI_DONE) {
        status = LB_CLI_FAILED;
    }
    lb_cli_free_mobility(&mobility);
    lb_destroy_model(model);
    lb_destroy_document(document);
    return status;
}
