// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the reaction of a hinge consists of                                              (RNE-4)
//
//     gravity      what the bodies beyond the hinge weigh, as they are placed and deformed
//     inertia      what their motion takes if modes beyond the hinge stand still in their present shape
//     deformation  what the motion of these modes takes besides
//     drive        the rest: less what force elements, applied forces and loops do beyond the hinge
//
// Each is the reaction at another motion, so that they add up.
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "loads.h"
#include "view/replay.h"

enum { GRAVITY, INERTIA, DEFORMATION, DRIVE, PART_COUNT };

static const char *const part_names[PART_COUNT] = {"gravity", "inertia", "deformation", "drive"};

// In the order in which they are listed, and where they are in a load.
static const struct {
    const char *name;
    int place;
} components[LB_CLI_BUDGET_SIZE] = {{"force.x", 3},  {"force.y", 4},  {"force.z", 5},
                                    {"moment.x", 0}, {"moment.y", 1}, {"moment.z", 2}};

typedef struct budget {
    lb_cli_acting acting;
    int body;
    double *v, *a;        // of other motions
    unsigned char *modal; // by entry of v: a mode beyond the hinge
    int table;            // of recorded reactions, or -1
    double *row;          // of that
} budget;

// ---- what is asked for -------------------------------------------------------------------------

// Six signals, and parts as their companions.
void lb_cli_name_budget(const char *hinge, lb_cli_loads *loads)
{
    const size_t size = strlen(hinge) + 32;
    lb_cli_names *s = &loads->signals, *p = &loads->companions;
    s->text = lb_cli_malloc(LB_CLI_BUDGET_SIZE * size);
    s->names = lb_cli_calloc(LB_CLI_BUDGET_SIZE, sizeof *s->names);
    p->names = lb_cli_calloc(PART_COUNT, sizeof *p->names);
    for (s->count = 0; s->count < LB_CLI_BUDGET_SIZE; ++s->count) {
        char *name = s->text + (size_t)s->count * size;
        snprintf(name, size, "reaction(%s).%s", hinge, components[s->count].name);
        s->names[s->count] = name;
    }
    for (p->count = 0; p->count < PART_COUNT; ++p->count) {
        p->names[p->count] = part_names[p->count];
    }
}

static int find_reactions(const lb_cli_recording *r)
{
    const lb_results_info *info = lb_get_results_info(r->results);
    for (int i = 0; i < info->table_count; ++i) {
        if (strcmp(info->tables[i].name, "reactions") == 0 &&
            info->tables[i].column_count == 6 * lb_get_body_count(r->model)) {
            return i;
        }
    }
    return -1;
}

static bool start(const lb_cli_recording *r, const char *path, const char *hinge, budget *b)
{
    if (!r->model) {
        lb_cli_complain("%s: a budget needs the model: %s", path, r->why);
        return false;
    }
    b->body = lb_find_body(r->model, hinge);
    b->table = find_reactions(r);
    if (b->body < 0) {
        lb_cli_complain("loads: --budget: there is no body '%s' with a hinge", hinge);
        return false;
    }
    if (r->a_table < 0 && lb_get_v_count(r->model) > 0) {
        lb_cli_complain("%s: a budget needs accelerations, of which this file has no table", path);
        return false;
    }
    if (b->table < 0 && lb_get_loop_capacity(r->model) > 0) {
        lb_cli_complain("%s: with loops a budget needs recorded reactions: list `reactions` under "
                        "`outputs` and run again",
                        path);
        return false;
    }
    const size_t n = (size_t)lb_get_v_count(r->model);
    b->v = lb_cli_calloc(2 * n + 6 * (size_t)lb_get_body_count(r->model) + 1, sizeof *b->v);
    b->modal = lb_cli_calloc(n + 1, 1);
    if (!lb_cli_start_acting(r, &b->acting)) {
        return false;
    }
    b->a = b->v + n;
    b->row = b->a + n;
    for (int k = 0; k < lb_get_body_count(r->model); ++k) {
        int outer = k;
        while (outer != LB_GROUND && outer != b->body) {
            outer = lb_get_hinge(r->model, outer).parent;
        }
        memset(b->modal + lb_get_v_offset(r->model, k), outer == b->body,
               (size_t)lb_get_mode_count(r->model, k));
    }
    return true;
}

// ---- one row -----------------------------------------------------------------------------------

// The reaction if the bodies moved otherwise, without what acts on them.
static lb_status find_motion_part(const budget *b, const double *v, const double *a, double load[6])
{
    const lb_cli_recording *r = b->acting.recording;
    const lb_status status =
        lb_compute_inverse_dynamics(r->model, r->work, b->acting.q, v, a, b->acting.tau);
    return status < 0 ? status : lb_compute_reaction(r->model, r->work, NULL, b->body, NULL, load);
}

// Reaction, then its parts, at a row.
static bool find_parts(budget *b, long row, double whole[6], double parts[PART_COUNT][6])
{
    const lb_cli_recording *r = b->acting.recording;
    const size_t n = (size_t)lb_get_v_count(r->model);
    double all[6], frozen[6], still[6], pull[6];
    if (!lb_cli_act(&b->acting, row)) {
        return false;
    }
    const lb_applied_loads *applied = lb_get_applied_loads(r->forces);
    lb_applied_loads fields = *applied;
    fields.force_count = 0;
    lb_status status = lb_compute_reaction(r->model, r->work, applied, b->body, NULL, whole);
    if (status >= 0 && b->table >= 0) {
        status = lb_read_table(r->results, b->table, row, 1, b->row);
        memcpy(whole, b->row + (ptrdiff_t)6 * b->body, 6 * sizeof *whole);
    }
    status = status < 0 ? status : find_motion_part(b, b->acting.v, b->acting.a, all);
    for (size_t i = 0; i < n; ++i) {
        b->v[i] = b->modal[i] ? 0.0 : b->acting.v[i];
        b->a[i] = b->modal[i] ? 0.0 : b->acting.a[i];
    }
    status = status < 0 ? status : find_motion_part(b, b->v, b->a, frozen);
    memset(b->v, 0, 2 * n * sizeof *b->v);
    status = status < 0 ? status : find_motion_part(b, b->v, b->a, still);
    status = status < 0 ? status
                        : lb_compute_applied_share(r->model, r->work, &fields, NULL, b->body,
                                                   LB_NOT_FOUND, NULL, pull);
    if (status < 0) {
        lb_cli_complain("cannot compute the reaction at row %ld: %s", row,
                        lb_get_status_text(status));
        return false;
    }
    for (int i = 0; i < 6; ++i) {
        parts[GRAVITY][i] = still[i] - pull[i];
        parts[INERTIA][i] = frozen[i] - still[i];
        parts[DEFORMATION][i] = all[i] - frozen[i];
        parts[DRIVE][i] = whole[i] - parts[GRAVITY][i] - parts[INERTIA][i] - parts[DEFORMATION][i];
    }
    return true;
}

bool lb_cli_read_budget(const lb_cli_recording *recording, const char *path, const char *hinge,
                        const double *factors, long first, long rows, double *values)
{
    budget b = {.acting = {.recording = recording}};
    bool good = start(recording, path, hinge, &b);
    for (long row = 0; good && row < rows; ++row) {
        double whole[6], parts[PART_COUNT][6];
        good = find_parts(&b, first + row, whole, parts);
        for (int i = 0; good && i < LB_CLI_BUDGET_SIZE; ++i) {
            double *out = values + (ptrdiff_t)(1 + PART_COUNT) * i * rows + row;
            const int place = components[i].place;
            out[0] = factors[i] * whole[place];
            for (int k = 0; k < PART_COUNT; ++k) {
                out[(k + 1) * rows] = factors[i] * parts[k][place];
            }
        }
    }
    lb_cli_end_acting(&b.acting);
    free(b.v);
    free(b.modal);
    return good;
}
