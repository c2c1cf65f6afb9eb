// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs of a linear model, from their names.
#include <string.h>

#include "linear.h"
#include "simulate/forces/forces.h"
#include "simulate/signals/signals_parse.h"

static const char letters[] = "xyz";

// ---- elements of the model ---------------------------------------------------------------------

// Whether the text is the name of an element, then nothing or a dot and one more word.
static const lb_force *find_element(const lb_forces *forces, const char *text, const char **rest)
{
    const lb_force *found = NULL;
    size_t longest = 0;
    for (int i = 0; i < forces->count; ++i) {
        const char *name = forces->forces[i].name;
        const size_t length = strlen(name);
        const bool fits =
            strncmp(text, name, length) == 0 &&
            (!text[length] || (text[length] == '.' && !strchr(text + length + 1, '.')));
        if (fits && length >= longest && length > 0) {
            found = &forces->forces[i];
            longest = length;
            *rest = text + length + (text[length] == '.');
        }
    }
    return found;
}

// ".2" below a count; -1 if it is something else.
static int read_digit(const char *text, int count)
{
    return text[0] >= '0' && text[0] < '0' + count && !text[1] ? text[0] - '0' : -1;
}

static lb_status use_element(lb_system *s, const lb_force *force, const char *text,
                             const char *rest, lb_input *input)
{
    switch (force->type) {
    case LB_FORCE_MOTOR:
    case LB_FORCE_ACTUATOR:
        *input = (lb_input){.kind = LB_INPUT_HINGE, .entry = force->v, .body = force->body};
        return rest[0]
                   ? lb_say(s, LB_E_SYNTAX, "input \"%s\": a motor has no parts, expected \"%s\"",
                            text, force->name)
                   : LB_OK;
    case LB_FORCE_MOTION: {
        const int count = force->function_count;
        const int index = rest[0] ? read_digit(rest, count) : count == 1 ? 0 : -1;
        *input =
            (lb_input){.kind = LB_INPUT_MOTION, .entry = force->v + index, .body = force->body};
        return index < 0 ? lb_say(s, LB_E_SYNTAX,
                                  "input \"%s\": motion \"%s\" has %d speed%s, expected \"%s.0\"",
                                  text, force->name, count, count == 1 ? "" : "s", force->name)
                         : LB_OK;
    }
    case LB_FORCE_FORCE:
    case LB_FORCE_TORQUE: {
        const char *letter = rest[0] && !rest[1] ? strchr(letters, rest[0]) : NULL;
        if (!letter) {
            return lb_say(
                s, LB_E_SYNTAX, "input \"%s\": say which component of %s \"%s\": \"%s.x\", y or z",
                text, force->type == LB_FORCE_FORCE ? "force" : "torque", force->name, force->name);
        }
        *input = (lb_input){.kind = LB_INPUT_NODE,
                            .body = force->bodies[0],
                            .node = force->nodes[0],
                            .axes = force->axes,
                            .component =
                                (int)(letter - letters) + (force->type == LB_FORCE_FORCE ? 3 : 0)};
        return LB_OK;
    }
    default:
        return lb_say(s, LB_E_SYNTAX, "input \"%s\": \"%s\" is no motor, motion, force or torque",
                      text, force->name);
    }
}

// ---- places ------------------------------------------------------------------------------------

// ".motor", ".motion", with an index where the hinge has several speeds.
static lb_status use_hinge(lb_system *s, const char *text, const char *rest, bool motion, int body,
                           lb_input *input)
{
    const int count = body < 0 ? 0 : lb_get_hinge(s->model, body).v_count;
    const int index = !rest[0] && count == 1 ? 0
                      : rest[0] == '.'       ? read_digit(rest + 1, count)
                                             : -1;
    if (count == 0) {
        return lb_say(s, LB_E_SYNTAX, "input \"%s\": the hinge of \"%s\" is fixed", text,
                      lb_get_body_name(s->model, body));
    }
    if (index < 0) {
        return lb_say(s, LB_E_SYNTAX,
                      "input \"%s\": the hinge of \"%s\" has %d speed%s, expected %s.%s.0", text,
                      lb_get_body_name(s->model, body), count, count == 1 ? "" : "s",
                      lb_get_body_name(s->model, body), motion ? "motion" : "motor");
    }
    *input = (lb_input){.kind = motion ? LB_INPUT_MOTION : LB_INPUT_HINGE,
                        .body = body,
                        .entry = lb_get_v_offset(s->model, body) +
                                 lb_get_mode_count(s->model, body) + index};
    return LB_OK;
}

lb_status lb_find_input(lb_system *s, const char *text, lb_input *input)
{
    const char *rest = "";
    const lb_force *element = find_element(s->forces, text, &rest);
    const lb_scope scope = {s->model, lb_get_force_signals(s->forces), 0};
    lb_scan scan = {.text = text, .hyphens = true};
    int body = 0, node = 0;
    // "arm.motor" is of the body, even if an element is called "arm"
    if (element && (!rest[0] || !rest[1])) {
        return use_element(s, element, text, rest, input);
    }
    if (!lb_scan_read_node(&scan, &scope, &body, &node)) {
        return lb_say(s, LB_E_SYNTAX,
                      "input \"%s\": no force element has that name, and: %s. Expected such as "
                      "panel/n1.force.x, link.motor, link.motion or the name of a motor",
                      text, scan.error.message);
    }
    const bool at_node = strchr(text, '/') != NULL;
    const char *what = text + scan.at;
    static const char *const words[] = {".torque.", ".force."};
    for (int i = 0; i < 2; ++i) {
        const size_t length = strlen(words[i]);
        if (strncmp(what, words[i], length) == 0 && what[length] && !what[length + 1] &&
            strchr(letters, what[length])) {
            *input =
                (lb_input){.kind = LB_INPUT_NODE,
                           .body = body,
                           .node = node,
                           .axes = LB_AXES_WORLD,
                           .component = 3 * i + (int)(strchr(letters, what[length]) - letters)};
            return LB_OK;
        }
    }
    if (!at_node && strncmp(what, ".motor", 6) == 0) {
        return use_hinge(s, text, what + 6, false, body, input);
    }
    if (!at_node && strncmp(what, ".motion", 7) == 0) {
        return use_hinge(s, text, what + 7, true, body, input);
    }
    return lb_say(s, LB_E_SYNTAX,
                  "input \"%s\": expected .force.x or .torque.x (y, z) behind a node%s", text,
                  at_node ? "" : ", or .motor or .motion behind a body");
}
