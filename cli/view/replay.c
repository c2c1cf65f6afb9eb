// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "view/replay.h"

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
