// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the state by name: for messages, and in the grammar of signals.
#include <stdio.h>

#include "system.h"

void lb_describe_entry(const lb_system *s, int entry, char *text, size_t size)
{
    if (entry >= s->q_count + s->v_count) {
        const int i = entry - s->q_count - s->v_count;
        static const char *const others[] = {"the work of driven hinges", "the work of damping",
                                             "the work of locking",       "the work of loops",
                                             "the work of closing",       "the work of projection"};
        if (i < s->force_count) {
            snprintf(text, size, "the work of force '%s'", lb_get_force_info(s->forces, i).name);
        } else {
            snprintf(text, size, "%s", others[i - s->force_count]);
        }
        return;
    }
    const bool is_speed = entry >= s->q_count;
    const int i = is_speed ? entry - s->q_count : entry;
    for (int k = 0; k < s->body_count; ++k) {
        const int first = is_speed ? lb_get_v_offset(s->model, k) : lb_get_q_offset(s->model, k);
        const int mode_count = lb_get_mode_count(s->model, k);
        const int count = mode_count + (is_speed ? lb_get_hinge(s->model, k).v_count
                                                 : lb_get_hinge(s->model, k).q_count);
        if (i < first || i >= first + count) {
            continue;
        }
        const char *name = lb_get_body_name(s->model, k);
        if (i < first + mode_count) {
            snprintf(text, size, "body '%s', %s of mode %d", name, is_speed ? "rate" : "coordinate",
                     i - first);
        } else {
            snprintf(text, size, "body '%s', %s %d of its hinge", name,
                     is_speed ? "speed" : "coordinate", i - first - mode_count);
        }
        return;
    }
    snprintf(text, size, "entry %d", entry);
}

void lb_name_entry(const lb_model *model, int order, int body, int i, char name[LB_COLUMN_SIZE])
{
    static const char *const mode[] = {"eta", "eta_rate", "eta_acceleration"};
    static const char *const plain[] = {"q", "v", "a"};
    static const char *const rates[] = {"", "rate", "acceleration"};
    const char *body_name = lb_get_body_name(model, body);
    const lb_hinge_type type = lb_get_hinge(model, body).type;
    const bool turns = type == LB_HINGE_REVOLUTE || type == LB_HINGE_SCREW;
    const int mode_count = lb_get_mode_count(model, body);
    if (i < mode_count) {
        snprintf(name, LB_COLUMN_SIZE, "%s.%s.%d", body_name, mode[order], i);
    } else if (turns || type == LB_HINGE_PRISMATIC) {
        const char *what = order > 0 ? rates[order] : turns ? "angle" : "distance";
        snprintf(name, LB_COLUMN_SIZE, "%s.%s", body_name, what);
    } else {
        snprintf(name, LB_COLUMN_SIZE, "%s.%s.%d", body_name, plain[order], i - mode_count);
    }
}

int lb_find_owner(const lb_model *model, int entry)
{
    int body = 0;
    while (entry < lb_get_v_offset(model, body) || entry >= lb_get_v_offset(model, body) +
                                                                lb_get_mode_count(model, body) +
                                                                lb_get_hinge(model, body).v_count) {
        ++body;
    }
    return body;
}

void lb_name_coordinate(const lb_model *model, int entry, bool speed, char name[LB_COLUMN_SIZE])
{
    static const char axes[] = "xyz";
    const int body = lb_find_owner(model, entry);
    const int i = entry - lb_get_v_offset(model, body);
    const int hinge = i - lb_get_mode_count(model, body);
    const lb_hinge_type type = lb_get_hinge(model, body).type;
    if (!speed && hinge >= 0 && (type == LB_HINGE_SPHERICAL || type == LB_HINGE_FREE)) {
        snprintf(name, LB_COLUMN_SIZE, "%s.%s.%c", lb_get_body_name(model, body),
                 hinge < 3 ? "turn" : "shift", axes[hinge % 3]);
    } else {
        lb_name_entry(model, speed, body, i, name);
    }
}
