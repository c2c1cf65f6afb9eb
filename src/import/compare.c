// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Two imported structures side by side.
//
// Mode shapes are compared by the modal assurance criterion, with a and b the translations of all common nodes in
// a mode of the first and of the second structure:
//
//     MAC = (a . b)^2 / ((a . a) (b . b))
//
// It is 1 for equal shapes, whatever their scale and sign, and 0 for orthogonal ones. Rotations are left out: many
// programs do not have them, and they have another unit.
//
// Source: R. J. Allemang, "The modal assurance criterion: twenty years of use and abuse", Sound and Vibration 37
// (8), 2003.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "imported.h"

enum {
    MODES_COMPARED = 100,
    MODES_SHOWN = 12,
    NODES_NEEDED = 3 // fewer do not tell rigid motions apart
};

/// Modes of a smaller MAC are not called the same. Two modes of equal frequency, which may be turned against each
/// other in two files, have 0.5 at worst.
#define MAC_LEAST 0.4

/// Common nodes of one structure and the other may be apart by this part of its size.
#define DISTANCE_MOST 1e-6

static const char *const moments[6] = {"xx", "yy", "zz", "xy", "xz", "yz"};

// What was found. Index 0 is of the first structure, 1 of the second.
typedef struct contrast {
    const char *names[2];
    lb_import_facts facts[2];
    int node_counts[2], mode_counts[2], compared[2];
    int common_count;
    double size;     // of the common nodes, m
    double distance; // largest between common nodes, m
    long farthest;   // the node where that is
    double *mac;     // compared[0] x compared[1]
    bool has_mac;    // there are enough common nodes
    int *partners;   // by mode of the first; -1 for none
    char notes[4][256];
    int note_count;
} contrast;

// ---- nodes -------------------------------------------------------------------------------------

typedef struct place {
    long id;
    int index;
} place;

static int order_places(const void *a, const void *b)
{
    const place *p = a, *q = b;
    return p->id != q->id ? (p->id < q->id ? -1 : 1)
                          : (p->index > q->index) - (p->index < q->index);
}

static int order_ids(const void *id, const void *other)
{
    const long a = *(const long *)id, b = ((const place *)other)->id;
    return (a > b) - (a < b);
}

// Pairs of indices of nodes with equal numbers.
static lb_status find_common(lb_arena *arena, const lb_imported *const both[2], contrast *c,
                             int (**pairs)[2])
{
    const int count = both[1]->body.flex.node_count;
    place *places = lb_arena_take(arena, (size_t)count + 1, sizeof *places);
    *pairs = lb_arena_take(arena, (size_t)both[0]->body.flex.node_count + 1, sizeof **pairs);
    if (!places || !*pairs) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        places[i] = (place){both[1]->node_ids[i], i};
    }
    qsort(places, (size_t)count, sizeof *places, order_places);
    double low[3] = {0}, high[3] = {0};
    for (int i = 0; i < both[0]->body.flex.node_count; ++i) {
        const long id = both[0]->node_ids[i];
        const place *found = bsearch(&id, places, (size_t)count, sizeof *places, order_ids);
        if (!found) {
            continue;
        }
        const double *x = both[0]->body.flex.nodes[i].position,
                     *y = both[1]->body.flex.nodes[found->index].position;
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            low[k] = c->common_count ? fmin(low[k], x[k]) : x[k];
            high[k] = c->common_count ? fmax(high[k], x[k]) : x[k];
            square += (x[k] - y[k]) * (x[k] - y[k]);
        }
        if (sqrt(square) > c->distance) {
            c->distance = sqrt(square);
            c->farthest = id;
        }
        (*pairs)[c->common_count][0] = i;
        (*pairs)[c->common_count++][1] = found->index;
    }
    c->size =
        sqrt((high[0] - low[0]) * (high[0] - low[0]) + (high[1] - low[1]) * (high[1] - low[1]) +
             (high[2] - low[2]) * (high[2] - low[2]));
    return LB_OK;
}

// ---- shapes ------------------------------------------------------------------------------------

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The translation of a node in mode r.
static void get_translation(const lb_import_facts *f, int n, const double *shape, int r,
                            double out[3])
{
    if (!f->shapes) {
        memcpy(out, shape + 6 * r + 3, 3 * sizeof *out);
        return;
    }
    out[0] = out[1] = out[2] = 0.0;
    for (int q = 0; q < n; ++q) {
        for (int k = 0; k < 3; ++k) {
            out[k] += f->shapes[(size_t)r * (size_t)n + (size_t)q] * shape[6 * q + 3 + k];
        }
    }
}

static lb_status find_mac(lb_arena *arena, const lb_imported *const both[2], const int (*pairs)[2],
                          contrast *c)
{
    const int n = c->compared[0], m = c->compared[1];
    double *squares[2], *moved[2]; // of one node: three by mode
    moved[0] = lb_take_numbers(arena, 3 * (size_t)n + 1);
    moved[1] = lb_take_numbers(arena, 3 * (size_t)m + 1);
    c->mac = lb_take_numbers(arena, (size_t)n * (size_t)m + 1);
    squares[0] = lb_take_numbers(arena, (size_t)n + 1);
    squares[1] = lb_take_numbers(arena, (size_t)m + 1);
    if (!c->mac || !squares[0] || !squares[1] || !moved[0] || !moved[1]) {
        return LB_E_MEMORY;
    }
    // shapes are rotation, translation by mode
    for (int i = 0; i < c->common_count; ++i) {
        for (int k = 0; k < 2; ++k) {
            for (int r = 0; r < c->compared[k]; ++r) {
                double *u = moved[k] + 3 * r;
                get_translation(&c->facts[k], c->mode_counts[k],
                                both[k]->body.flex.nodes[pairs[i][k]].shape, r, u);
                squares[k][r] += dot(u, u);
            }
        }
        for (int r = 0; r < n; ++r) {
            for (int s = 0; s < m; ++s) {
                c->mac[r * m + s] += dot(moved[0] + 3 * r, moved[1] + 3 * s);
            }
        }
    }
    // a mode in which no common node moves is like no other
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s < m; ++s) {
            const double size = sqrt(squares[0][r]) * sqrt(squares[1][s]);
            const double cosine = size > 0.0 ? c->mac[r * m + s] / size : 0.0;
            c->mac[r * m + s] = cosine * cosine;
        }
    }
    return LB_OK;
}

static lb_status find_partners(lb_arena *arena, contrast *c)
{
    const int n = c->compared[0], m = c->compared[1];
    bool *taken = lb_arena_take(arena, (size_t)m + 1, sizeof *taken);
    c->partners = lb_arena_take(arena, (size_t)n + 1, sizeof *c->partners);
    if (!taken || !c->partners) {
        return LB_E_MEMORY;
    }
    c->has_mac = c->common_count >= NODES_NEEDED;
    for (int r = 0; r < n; ++r) {
        c->partners[r] = !c->has_mac && r < m ? r : -1;
    }
    while (c->has_mac) {
        int first = -1, second = -1;
        double most = MAC_LEAST;
        for (int r = 0; r < n; ++r) {
            for (int s = 0; s < m && c->partners[r] < 0; ++s) {
                if (!taken[s] && c->mac[r * m + s] > most) {
                    most = c->mac[r * m + s];
                    first = r;
                    second = s;
                }
            }
        }
        if (first < 0) {
            break;
        }
        c->partners[first] = second;
        taken[second] = true;
    }
    return LB_OK;
}

// ---- words -------------------------------------------------------------------------------------

static double get_percent(double a, double b, double of)
{
    return of > 0.0 ? 100.0 * (b - a) / of : NAN;
}

static void take_notes(contrast *c)
{
    const size_t room = sizeof c->notes[0];
    if (c->common_count < NODES_NEEDED) {
        snprintf(c->notes[c->note_count++], room,
                 "the files have %d %s in common, and at least %d are needed to compare shapes: "
                 "modes are paired by their number, and there is no MAC",
                 c->common_count, c->common_count == 1 ? "node" : "nodes", NODES_NEEDED);
    }
    if (c->distance > DISTANCE_MOST * c->size) {
        snprintf(c->notes[c->note_count++], room,
                 "nodes of the same number are at different places: node %ld by %.4g m, with a "
                 "size of %.4g m; other axes or units, or other nodes",
                 c->farthest, c->distance, c->size);
    }
    for (int i = 0; i < 2; ++i) {
        if (c->mode_counts[i] > MODES_COMPARED) {
            snprintf(c->notes[c->note_count++], room, "only the first %d of %d modes are compared",
                     MODES_COMPARED, c->mode_counts[i]);
        }
    }
}

static void print_bodies(FILE *out, const contrast *c)
{
    const lb_import_facts *a = &c->facts[0], *b = &c->facts[1];
    const double largest = fmax(a->inertia[0], fmax(a->inertia[1], a->inertia[2]));
    fprintf(out, "Comparison of %s with %s\n\n", c->names[0], c->names[1]);
    fputs("                               first         second     difference\n", out);
    fprintf(out, "  mass, kg            %14.8g %14.8g  %+11.4f %%\n", a->mass, b->mass,
            get_percent(a->mass, b->mass, a->mass));
    for (int k = 0; k < 3; ++k) {
        fprintf(out, "  centre %c, m         %14.7g %14.7g  %+11.4g m\n", "xyz"[k], a -> centre[k],
                b -> centre[k], b -> centre[k] - a -> centre[k]);
    }
    for (int k = 0; k < 6; ++k) {
        fprintf(out, "  inertia %s, kg m^2  %14.7g %14.7g  %+11.4f %%\n", moments[k], a->inertia[k],
                b->inertia[k], get_percent(a->inertia[k], b->inertia[k], largest));
    }
    fputs("  (inertia about the centre of mass; differences in % of the largest moment)\n", out);
}

static void print_pairs(FILE *out, const contrast *c)
{
    const int n = c->compared[0], m = c->compared[1];
    fprintf(out, "\n  mode         Hz   mode         Hz    difference%s\n",
            c->has_mac ? "     MAC" : "");
    for (int r = 0; r < n && r < MODES_SHOWN; ++r) {
        const int s = c->partners[r];
        const double f = c->facts[0].frequencies[r];
        fprintf(out, "  %4d %10.7g", r + 1, f);
        if (s >= 0) {
            const double g = c->facts[1].frequencies[s];
            fprintf(out, "   %4d %10.7g   %+9.4f %%", s + 1, g, get_percent(f, g, f));
        } else {
            fputs("      -          -", out);
        }
        if (s >= 0 && c->has_mac) {
            fprintf(out, "  %6.4f", c->mac[r * m + s]);
        }
        fputc('\n', out);
    }
}

static void print_mac(FILE *out, const contrast *c)
{
    const int n = c->compared[0], m = c->compared[1], columns = m < MODES_SHOWN ? m : MODES_SHOWN;
    fputs("\nMAC, %; rows: modes of the first, columns: modes of the second\n      ", out);
    for (int s = 0; s < columns; ++s) {
        fprintf(out, " %4d", s + 1);
    }
    for (int r = 0; r < n && r < MODES_SHOWN; ++r) {
        fprintf(out, "\n  %4d", r + 1);
        for (int s = 0; s < columns; ++s) {
            fprintf(out, " %4.0f", 100.0 * c->mac[r * m + s]);
        }
    }
    fputc('\n', out);
}

static void print_text(FILE *out, const void *data)
{
    const contrast *c = data;
    print_bodies(out, c);
    fprintf(out, "\nCommon nodes: %d of %d and %d\n", c->common_count, c->node_counts[0],
            c->node_counts[1]);
    for (int i = 0; i < c->note_count; ++i) {
        fprintf(out, "  LOOK %s\n", c->notes[i]);
    }
    if (c->compared[0] > 0 && c->compared[1] > 0) {
        print_pairs(out, c);
    }
    if (c->compared[0] > 0 && c->compared[1] > 0 && c->has_mac) {
        print_mac(out, c);
    }
}

static void print_json(FILE *out, const void *data)
{
    const contrast *c = data;
    const int n = c->compared[0], m = c->compared[1];
    fputs("{\"criterion\": \"modal assurance of translations at common nodes\",\n"
          " \"structures\": [",
          out);
    for (int i = 0; i < 2; ++i) {
        const lb_import_facts *f = &c->facts[i];
        lb_put_json_string(out, i ? ",\n  {\"name\": " : "\n  {\"name\": ", c->names[i]);
        fprintf(out, ", \"nodes\": %d, \"mass\": %.17g", c->node_counts[i], f->mass);
        lb_put_json_numbers(out, ", \"centre\": ", 3, f->centre);
        lb_put_json_numbers(out, ", \"inertia\": ", 6, f->inertia);
        lb_put_json_numbers(out, ", \"frequencies\": ", c->compared[i], f->frequencies);
        fputc('}', out);
    }
    fprintf(out, "],\n \"common_nodes\": %d, \"largest_distance\": %.17g,\n \"pairs\": [",
            c->common_count, c->distance);
    bool is_first = true;
    for (int r = 0; r < n; ++r) {
        if (c->partners[r] >= 0) {
            fprintf(out, "%s[%d, %d]", is_first ? "" : ", ", r + 1, c->partners[r] + 1);
            is_first = false;
        }
    }
    fputs("],\n \"mac\": [", out);
    for (int r = 0; c->has_mac && r < n; ++r) {
        lb_put_json_numbers(out, r ? ",\n  " : "\n  ", m, c->mac + r * m);
    }
    fputs("],\n \"notes\": [", out);
    for (int i = 0; i < c->note_count; ++i) {
        lb_put_json_string(out, i ? ",\n  " : "\n  ", c->notes[i]);
    }
    fputs("]}\n", out);
}

// ---- the whole ---------------------------------------------------------------------------------

static lb_status compare(const lb_imported *const both[2], const char *const names[2],
                         lb_arena *arena, char **report, char **json)
{
    contrast c = {.names = {names[0], names[1]}};
    int(*pairs)[2];
    lb_status status = LB_OK;
    for (int i = 0; i < 2 && status == LB_OK; ++i) {
        const lb_flex_options *flex = &both[i]->body.flex;
        c.node_counts[i] = flex->node_count;
        c.mode_counts[i] = flex->mode_count;
        c.compared[i] = flex->mode_count < MODES_COMPARED ? flex->mode_count : MODES_COMPARED;
        status = lb_find_import_facts(arena, &both[i]->body, &c.facts[i]);
    }
    status = status ? status : find_common(arena, both, &c, &pairs);
    status = status ? status : find_mac(arena, both, (const int(*)[2])pairs, &c);
    status = status ? status : find_partners(arena, &c);
    if (status != LB_OK) {
        return status;
    }
    take_notes(&c);
    status = lb_print_report(print_text, &c, report);
    return status ? status : lb_print_report(print_json, &c, json);
}

lb_status lb_compare_imported(const lb_imported *first, const lb_imported *second,
                              const char *const names[2], char **report, char **json)
{
    const lb_imported *const both[2] = {first, second};
    *report = *json = NULL;
    lb_arena scratch = lb_make_arena(&first->import.arena.allocator);
    const lb_status status = compare(both, names, &scratch, report, json);
    lb_arena_free(&scratch);
    if (status != LB_OK) {
        free(*report);
        free(*json);
        *report = *json = NULL;
    }
    return status;
}
