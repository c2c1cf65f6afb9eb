// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Units of signals: by their names, by what the model states, or by the terms of their expression.
#include "view/recording.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"

// Whether the last part of a name is this, leaving aside a component such as .x behind it.
static bool has_part(const char *name, const char *part)
{
    static const char *const components[] = {"x", "y", "z", "w", "norm"};
    const char *dot = strrchr(name, '.'), *end = name + strlen(name);
    for (size_t i = 0; dot && i < sizeof components / sizeof *components; ++i) {
        end = strcmp(dot + 1, components[i]) == 0 ? dot : end;
    }
    const char *start = end;
    while (start > name && start[-1] != '.') {
        --start;
    }
    return (size_t)(end - start) == strlen(part) && strncmp(start, part, strlen(part)) == 0;
}

// The hinge behind "BODY.angle", LB_HINGE_TYPE_COUNT if it is unknown.
static lb_hinge_type find_hinge(const lb_cli_recording *r, const char *name)
{
    char body[LB_CLI_SIGNAL_SIZE];
    const char *dot = strrchr(name, '.');
    if (!r->model || !dot || (size_t)(dot - name) >= sizeof body) {
        return LB_HINGE_TYPE_COUNT;
    }
    memcpy(body, name, (size_t)(dot - name));
    body[dot - name] = 0;
    const int k = lb_find_body(r->model, body);
    return k < 0 ? LB_HINGE_TYPE_COUNT : lb_get_hinge(r->model, k).type;
}

// ---- expressions -----------------------------------------------------------------------------------

// Whether a word is a number, a constant, a parameter of the model, or a function whose value has the unit of its arguments.
static bool has_no_unit(const lb_cli_recording *r, const char *word, bool is_called)
{
    static const char *const functions[] = {"abs", "min", "max", "hypot", "clamp"};
    static const char *const constants[] = {"pi", "deg", "rad"};
    const char *const *list = is_called ? functions : constants;
    const size_t count =
        is_called ? sizeof functions / sizeof *functions : sizeof constants / sizeof *constants;
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(word, list[i]) == 0) {
            return true;
        }
    }
    const lb_place root = lb_get_document_root(r->document),
                   parameters = lb_place_at_key(&root, "parameters"),
                   entry = lb_place_at_key(&parameters, word);
    return !is_called && lb_place_exists(&entry);
}

static bool is_letter(char c)
{
    return c == '_' || isalnum((unsigned char)c);
}

// The end of a word, or of a name in quotes.
static const char *skip_word(const char *c)
{
    if (*c == '\'') {
        const char *end = strchr(c + 1, '\'');
        return end ? end + 1 : c + strlen(c);
    }
    while (is_letter(*c)) {
        ++c;
    }
    return c;
}

// The end of a signal: behind its first word a bracket, a node if the word is a body or "loop", and what follows dots.
static const char *skip_signal(const lb_cli_recording *r, const char *start)
{
    const char *c = skip_word(start);
    char word[LB_CLI_SIGNAL_SIZE];
    const int quoted = *start == '\'';
    snprintf(word, sizeof word, "%.*s", (int)(c - start) - 2 * quoted, start + quoted);
    if (*c == '(') {
        int depth = 0;
        do {
            depth += (*c == '(') - (*c == ')');
        } while (*c++ && depth > 0 && *c);
    } else if (*c == '/' && (strcmp(word, "loop") == 0 || lb_find_body(r->model, word) >= 0 ||
                             strcmp(word, "ground") == 0)) {
        c = skip_word(c + 1);
    }
    while (*c == '.') {
        c = skip_word(c + 1);
    }
    return c;
}

static const char *find_unit(const lb_cli_recording *r, int table, const char *name, int depth);

// The unit of sums and the like: all terms have the same. A factor may carry a unit of its own, of which nobody knows.
static const char *find_sum_unit(const lb_cli_recording *r, const char *text, int depth)
{
    const char *unit = "";
    if (!r->model || !r->document || depth == 0) {
        return "";
    }
    for (const char *c = text; *c;) {
        if (strchr(" +-(),", *c)) {
            ++c;
            continue;
        }
        if (isdigit((unsigned char)*c) || *c == '.') {
            char *end;
            strtod(c, &end);
            c = end > c ? end : c + 1;
            continue;
        }
        if (*c != '\'' && !is_letter(*c)) {
            return "";
        }
        char name[LB_CLI_SIGNAL_SIZE];
        const char *end = skip_word(c);
        snprintf(name, sizeof name, "%.*s", (int)(end - c), c);
        if (!has_no_unit(r, name, *end == '(')) {
            end = skip_signal(r, c);
            snprintf(name, sizeof name, "%.*s", (int)(end - c), c);
            const char *own = find_unit(r, -1, name, depth - 1);
            if (!own[0] || (unit[0] && strcmp(unit, own) != 0)) {
                return "";
            }
            unit = own;
        }
        c = end;
    }
    return unit;
}

// The unit of a signal that the model names: what it states, or that of its expression. NULL if there is no such signal.
static const char *find_named_unit(const lb_cli_recording *r, const char *name, int depth)
{
    if (!r->document) {
        return NULL;
    }
    const lb_place root = lb_get_document_root(r->document),
                   signals = lb_place_at_key(&root, "signals"),
                   entry = lb_place_at_key(&signals, name),
                   stated = lb_place_at_key(&entry, "unit"),
                   value = lb_place_at_key(&entry, "value");
    if (!lb_place_exists(&entry)) {
        return NULL;
    }
    const char *text = lb_place_get_string(lb_place_exists(&value) ? &value : &entry);
    const char *unit = lb_place_get_string(&stated);
    return unit ? unit : text ? find_sum_unit(r, text, depth) : "";
}

// @param depth  how many names may stand for one another
static const char *find_unit(const lb_cli_recording *r, int table, const char *name, int depth)
{
    static const struct {
        const char *part, *unit;
    } units[] = {{"angle", "rad"},
                 {"angle_rate", "rad/s"},
                 {"distance", "m"},
                 {"distance_rate", "m/s"},
                 {"position", "m"},
                 {"displacement", "m"},
                 {"velocity", "m/s"},
                 {"angular_velocity", "rad/s"},
                 {"angular_acceleration", "rad/s²"},
                 {"com", "m"},
                 {"com_velocity", "m/s"},
                 {"momentum", "N s"},
                 {"linear_momentum", "N s"},
                 {"angular_momentum", "N m s"},
                 {"mass", "kg"},
                 {"moment", "N m"},
                 {"force", "N"},
                 {"reaction_moment", "N m"},
                 {"reaction_force", "N"},
                 {"kinetic", "J"},
                 {"potential", "J"}};
    const char *home = table >= 0 ? lb_get_results_info(r->results)->tables[table].name : "";
    if (strcmp(home, "energy") == 0 || strcmp(home, "work") == 0) {
        return "J";
    }
    const char *named = find_named_unit(r, name, depth);
    if (named) {
        return named;
    }
    if (strcmp(name, "t") == 0) {
        return "s";
    }
    if (strncmp(name, "distance", 8) == 0) {
        return name[8] == '_' ? "m/s" : "m";
    }
    if (strncmp(name, "turn(", 5) == 0 || strncmp(name, "euler(", 6) == 0 ||
        strncmp(name, "sight(", 6) == 0) {
        return "rad";
    }
    // a hinge with one speed: by its type
    const bool rate = has_part(name, "rate"), acceleration = has_part(name, "acceleration");
    if (rate || (acceleration && !strchr(name, '/'))) {
        switch (find_hinge(r, name)) {
        case LB_HINGE_REVOLUTE:
        case LB_HINGE_SCREW:
            return rate ? "rad/s" : "rad/s²";
        case LB_HINGE_PRISMATIC:
            return rate ? "m/s" : "m/s²";
        default:
            break;
        }
    }
    if (acceleration) {
        return "m/s²";
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        if (has_part(name, units[i].part)) {
            return units[i].unit;
        }
    }
    return "";
}

enum { NAMES_MAX = 20 }; // that stand for one another

const char *lb_cli_get_column_unit(const lb_cli_recording *r, int table, const char *name)
{
    return find_unit(r, table, name, NAMES_MAX);
}

const char *lb_cli_get_unit(const lb_cli_recording *r, const char *name)
{
    int table = -1;
    if (lb_find_column(r->results, name, &table) < 0) {
        return lb_cli_is_expression(name) ? find_sum_unit(r, name, NAMES_MAX)
                                          : lb_cli_get_column_unit(r, -1, name);
    }
    const char *colon = strchr(name, ':');
    return lb_cli_get_column_unit(r, table, colon ? colon + 1 : name);
}
