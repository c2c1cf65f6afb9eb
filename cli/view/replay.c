// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "view/replay.h"

#include <string.h>

// `then` of the event of this name: one action or a list of them.
static void replay_event(const lb_cli_recording *r, double t, const char *event,
                         lb_cli_action *action, void *user)
{
    const lb_place root = lb_get_document_root(r->document),
                   list = lb_place_at_key(&root, "events");
    for (size_t i = 0; i < lb_place_get_count(&list); ++i) {
        const lb_place at = lb_place_at_index(&list, i), name_at = lb_place_at_key(&at, "name"),
                       then = lb_place_at_key(&at, "then");
        const char *name = lb_place_get_string(&name_at);
        if (!name || strcmp(name, event) != 0) {
            continue;
        }
        const bool many = lb_place_get_kind(&then) == LB_DOC_SEQUENCE;
        for (size_t k = 0; k < (many ? lb_place_get_count(&then) : 1); ++k) {
            const lb_place one = many ? lb_place_at_index(&then, k) : then;
            for (size_t n = 0;
                 lb_place_get_kind(&one) == LB_DOC_MAPPING && n < lb_place_get_count(&one); ++n) {
                const lb_place pair = lb_place_at_pair(&one, n);
                const bool makes = pair.key && strcmp(pair.key, "make") == 0;
                const lb_place made = lb_place_at_key(&pair, "name");
                const char *subject = lb_place_get_string(makes ? &made : &pair);
                if (subject && pair.key) {
                    action(user, t, pair.key, subject, makes ? &pair : &one);
                }
            }
        }
    }
}

int lb_cli_replay(const lb_cli_recording *r, int first, double until, lb_cli_action *action,
                  void *user)
{
    double t;
    const char *name;
    while (first < lb_get_event_count(r->results) &&
           lb_read_event(r->results, first, &t, &name) >= 0 && t <= until) {
        replay_event(r, t, name, action, user);
        ++first;
    }
    return first;
}
