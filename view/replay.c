// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "view/replay.h"

#include <stdlib.h>
#include <string.h>

#include "../src/command.h"

// An event that happened, and who is told what it did.
typedef struct happening {
    const char *event;
    double t;
    lb_cli_action *action;
    void *user;
} happening;

static bool replay_action(void *user, const char *event, const char *key, const char *subject,
                          const lb_place *what)
{
    const happening *h = user;
    if (event && strcmp(event, h->event) == 0) {
        h->action(h->user, h->t, key, subject, what);
    }
    return true;
}

int lb_cli_replay(const lb_cli_recording *r, int first, double until, lb_cli_action *action,
                  void *user)
{
    const lb_place root = lb_get_document_root(r->document);
    happening h = {.action = action, .user = user};
    while (first < lb_get_results_info(r->results)->event_count &&
           lb_read_event(r->results, first, &h.t, &h.event) >= 0 && h.t <= until) {
        lb_visit_actions(&root, replay_action, &h);
        ++first;
    }
    return first;
}

void lb_cli_switch_force(void *forces, double t, const char *key, const char *subject,
                         const lb_place *what)
{
    (void)t, (void)what;
    const int force = lb_find_force(forces, subject);
    if (force >= 0 && (strcmp(key, "enable") == 0 || strcmp(key, "disable") == 0)) {
        lb_set_force_enabled(forces, force, key[0] == 'e');
    }
}

// ---- loads -------------------------------------------------------------------------------------

bool lb_cli_start_acting(const lb_cli_recording *r, lb_cli_acting *acting)
{
    const size_t q_count = (size_t)lb_get_q_count(r->model),
                 v_count = (size_t)lb_get_v_count(r->model),
                 forces = (size_t)lb_get_force_count(r->forces);
    *acting = (lb_cli_acting){.recording = r};
    acting->q = lb_cli_calloc(q_count + 4 * v_count + 1, sizeof *acting->q);
    acting->driven = lb_cli_calloc((size_t)lb_get_body_count(r->model) + 1, 1);
    acting->enabled = lb_cli_calloc(forces + 1, sizeof *acting->enabled);
    for (int i = 0; acting->enabled && i < lb_get_force_count(r->forces); ++i) {
        acting->enabled[i] = lb_get_force_info(r->forces, i).is_enabled;
    }
    if (!acting->q || !acting->driven || !acting->enabled) {
        lb_cli_end_acting(acting);
        return false;
    }
    acting->v = acting->q + q_count;
    acting->a = acting->v + v_count;
    acting->tau = acting->a + v_count;
    acting->given = acting->tau + v_count;
    return true;
}

void lb_cli_end_acting(lb_cli_acting *acting)
{
    const lb_cli_recording *r = acting->recording;
    for (int i = 0; acting->enabled && i < lb_get_force_count(r->forces); ++i) {
        lb_set_force_enabled(r->forces, i, acting->enabled[i]);
    }
    free(acting->q);
    free(acting->driven);
    free(acting->enabled);
    *acting = (lb_cli_acting){.recording = r};
}

bool lb_cli_act(lb_cli_acting *acting, long row)
{
    const lb_cli_recording *r = acting->recording;
    const size_t v_size = (size_t)lb_get_v_count(r->model) * sizeof *acting->v;
    const double t = r->times[row];
    acting->event = lb_cli_replay(r, acting->event, t, lb_cli_switch_force, r->forces);
    if (!lb_cli_move_to_row(r, row, acting->q, acting->v, acting->a)) {
        const char *message = lb_get_results_message(r->results);
        lb_cli_complain("cannot compute the motion at row %ld%s%s", row, message[0] ? ": " : "",
                        message);
        return false;
    }
    memset(acting->tau, 0, v_size);
    memset(acting->driven, 0, (size_t)lb_get_body_count(r->model));
    lb_status status = lb_compute_forces(r->forces, r->model, r->work, t, acting->q, acting->v,
                                         acting->tau, acting->driven, acting->given);
    if (status < 0) {
        lb_cli_complain("cannot compute the forces at row %ld: %s", row,
                        lb_get_force_message(r->forces));
        return false;
    }
    status = lb_compute_inverse_dynamics(r->model, r->work, acting->q, acting->v, acting->a,
                                         acting->tau);
    if (status < 0) {
        lb_cli_complain("cannot compute the loads at row %ld: %s", row, lb_get_status_text(status));
    }
    return status >= 0;
}

bool lb_cli_compute_load(const lb_cli_recording *r, const char *name, const lb_signal *signal,
                         double *values)
{
    lb_cli_acting acting;
    bool good = lb_cli_start_acting(r, &acting);
    for (long row = 0; good && row < r->row_count; ++row) {
        good = lb_cli_act(&acting, row);
        const lb_instant instant = {.size = sizeof instant,
                                    .model = r->model,
                                    .work = r->work,
                                    .t = r->times[row],
                                    .q = acting.q,
                                    .v = acting.v,
                                    .a = acting.a,
                                    .applied = lb_get_applied_loads(r->forces)};
        const lb_status status = good ? lb_evaluate_signal(signal, &instant, &values[row]) : LB_OK;
        if (status < 0) {
            lb_cli_complain("cannot compute '%s' at %.9g s: %s", name, r->times[row],
                            lb_get_status_text(status));
            good = false;
        }
    }
    lb_cli_end_acting(&acting);
    return good;
}
