// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From the name of a signal to what it stands for.
#include <stdio.h>
#include <string.h>

#include "dynamics/loops/loop_products.h"
#include "model/layout.h"
#include "model/model_parts.h"
#include "signals.h"
#include "signals_parse.h"

// ---- words -------------------------------------------------------------------------------------

typedef struct lb_quantity {
    const char *name;
    int kind;
    const char *components; // one letter each; NULL for a plain number
    lb_signal_stage stage;
} lb_quantity;

static const lb_quantity node_quantities[] = {
    {"position", LB_SIGNAL_POSITION, "xyz", LB_SIGNAL_STATE},
    {"rotation", LB_SIGNAL_ROTATION, "wxyz", LB_SIGNAL_STATE},
    {"velocity", LB_SIGNAL_VELOCITY, "xyz", LB_SIGNAL_STATE},
    {"angular_velocity", LB_SIGNAL_ANGULAR_VELOCITY, "xyz", LB_SIGNAL_STATE},
    {"acceleration", LB_SIGNAL_NODE_ACCELERATION, "xyz", LB_SIGNAL_ACCELERATION},
    {"angular_acceleration", LB_SIGNAL_ANGULAR_ACCELERATION, "xyz", LB_SIGNAL_ACCELERATION},
    {"displacement", LB_SIGNAL_DISPLACEMENT, "xyz", LB_SIGNAL_STATE},
    {NULL, 0, NULL, LB_SIGNAL_TIME}};

static const lb_quantity system_quantities[] = {
    {"mass", LB_SIGNAL_MASS, NULL, LB_SIGNAL_STATE},
    {"com", LB_SIGNAL_COM, "xyz", LB_SIGNAL_STATE},
    {"com_velocity", LB_SIGNAL_COM_VELOCITY, "xyz", LB_SIGNAL_STATE},
    {"momentum", LB_SIGNAL_MOMENTUM, "xyz", LB_SIGNAL_STATE},
    {"angular_momentum", LB_SIGNAL_ANGULAR_MOMENTUM, "xyz", LB_SIGNAL_STATE},
    {"kinetic", LB_SIGNAL_KINETIC, NULL, LB_SIGNAL_STATE},
    {"potential", LB_SIGNAL_POTENTIAL, NULL, LB_SIGNAL_STATE},
    {NULL, 0, NULL, LB_SIGNAL_TIME}};

static const lb_quantity loop_quantities[] = {
    {"force", LB_SIGNAL_LOOP_FORCE, "xyz", LB_SIGNAL_ACCELERATION},
    {"moment", LB_SIGNAL_LOOP_MOMENT, "xyz", LB_SIGNAL_ACCELERATION},
    {NULL, 0, NULL, LB_SIGNAL_TIME}};

static const lb_quantity reaction_quantities[] = {
    {"force", LB_SIGNAL_REACTION_FORCE, "xyz", LB_SIGNAL_ACCELERATION},
    {"moment", LB_SIGNAL_REACTION_MOMENT, "xyz", LB_SIGNAL_ACCELERATION},
    {NULL, 0, NULL, LB_SIGNAL_TIME}};

static const lb_quantity section_quantities[] = {
    {"force", LB_SIGNAL_SECTION_FORCE, "xyz", LB_SIGNAL_ACCELERATION},
    {"moment", LB_SIGNAL_SECTION_MOMENT, "xyz", LB_SIGNAL_ACCELERATION},
    {NULL, 0, NULL, LB_SIGNAL_TIME}};

static const lb_quantity modal_quantities[] = {
    {"force", LB_SIGNAL_MODAL_FORCE, "xyz", LB_SIGNAL_STATE},
    {"moment", LB_SIGNAL_MODAL_MOMENT, "xyz", LB_SIGNAL_STATE},
    {NULL, 0, NULL, LB_SIGNAL_TIME}};

static const lb_quantity *find_quantity(const lb_quantity *table, const char *name)
{
    while (table->name && strcmp(table->name, name) != 0) {
        ++table;
    }
    return table->name ? table : NULL;
}

// ---- parts of a signal -------------------------------------------------------------------------

// The dot and the name after it.
static bool read_part(lb_scan *scan, const char *what, lb_name *part)
{
    if (scan->text[scan->at] != '.') {
        lb_scan_fail(scan, scan->at, "expected \".\" and %s", what);
        return false;
    }
    ++scan->at;
    return lb_scan_read_name(scan, part);
}

// ".x" and so on, or ".norm", which is index -1.
static bool read_component(lb_scan *scan, const lb_quantity *quantity, int *index)
{
    char what[64];
    snprintf(what, sizeof what, "a component of %s: one of %s, or norm", quantity->name,
             quantity->components);
    lb_name part;
    if (!read_part(scan, what, &part)) {
        return false;
    }
    if (strcmp(part.text, "norm") == 0) {
        *index = -1;
        return true;
    }
    const char *found = part.text[1] == '\0' ? strchr(quantity->components, part.text[0]) : NULL;
    if (!found) {
        lb_scan_fail(scan, part.start, "%s has no component \"%s\", expected one of %s, or norm",
                     quantity->name, part.text, quantity->components);
        return false;
    }
    *index = (int)(found - quantity->components);
    return true;
}

// ".3", below a count.
static bool read_index(lb_scan *scan, const char *what, int count, int *index)
{
    const char *text = scan->text + scan->at;
    if (text[0] != '.' || text[1] < '0' || text[1] > '9') {
        lb_scan_fail(scan, scan->at, "expected \".\" and the index of %s, from 0", what);
        return false;
    }
    const size_t start = scan->at + 1;
    int number = 0;
    for (++scan->at; scan->text[scan->at] >= '0' && scan->text[scan->at] <= '9'; ++scan->at) {
        number = number > 99999999 ? number : 10 * number + (scan->text[scan->at] - '0');
    }
    if (number >= count) {
        lb_scan_fail(scan, start, "there is no %s %d here: there %s %d, counted from 0", what,
                     number, count == 1 ? "is" : "are", count);
        return false;
    }
    *index = number;
    return true;
}

// "there is no body "left"", and the cure where the text goes on with the rest of a body's or loop's name
// that needs quotes.
static bool fail_unknown(lb_scan *scan, const lb_scope *scope, const char *what,
                         const lb_name *name, bool is_loop)
{
    const int count = is_loop ? lb_get_loop_count(scope->model) : lb_get_body_count(scope->model);
    const char *text = scan->text + name->start, *best = "";
    for (int i = 0; i < count && !name->quoted; ++i) {
        const char *other =
            is_loop ? lb_get_loop_name(scope->model, i) : lb_get_body_name(scope->model, i);
        const size_t length = strlen(other);
        if (length > strlen(best) && strncmp(text, other, length) == 0) {
            best = other;
        }
    }
    if (best[0]) {
        lb_scan_fail(scan, name->start, "there is no %s \"%s\"; put the name in quotes: '%.64s'",
                     what, name->text, best);
    } else {
        lb_scan_fail(scan, name->start, "there is no %s \"%s\"", what, name->text);
    }
    return false;
}

static bool find_body(lb_scan *scan, const lb_scope *scope, const lb_name *name, int *body)
{
    *body = lb_find_body(scope->model, name->text);
    return *body >= LB_GROUND || fail_unknown(scan, scope, "body", name, false);
}

// "/node" of a body, or its origin.
static bool read_node(lb_scan *scan, const lb_scope *scope, int body, int *node)
{
    *node = 0;
    if (scan->text[scan->at] != '/') {
        return true;
    }
    ++scan->at;
    lb_name name;
    if (!lb_scan_read_name(scan, &name)) {
        return false;
    }
    *node = lb_find_node(scope->model, body, name.text);
    if (*node < 0) {
        lb_scan_fail(scan, name.start, "%s has no node \"%s\"",
                     lb_get_body_name(scope->model, body), name.text);
        return false;
    }
    return true;
}

bool lb_find_plain_node(const lb_model *model, const char *text, int *body, int *node)
{
    char name[256];
    *body = lb_find_body(model, text);
    *node = 0;
    if (*body >= LB_GROUND) {
        return true;
    }
    for (const char *slash = strchr(text, '/'); slash; slash = strchr(slash + 1, '/')) {
        const size_t length = (size_t)(slash - text);
        if (length >= sizeof name) {
            break;
        }
        memcpy(name, text, length);
        name[length] = 0;
        *body = lb_find_body(model, name);
        *node = *body >= LB_GROUND ? lb_find_node(model, *body, slash + 1) : -1;
        if (*node >= 0) {
            return true;
        }
    }
    return false;
}

bool lb_scan_read_node(lb_scan *scan, const lb_scope *scope, int *body, int *node)
{
    lb_name name;
    return lb_scan_read_name(scan, &name) && find_body(scan, scope, &name, body) &&
           read_node(scan, scope, *body, node);
}

// ---- hinges and modes --------------------------------------------------------------------------

// Entry of the hinge's configuration that has a name of its own; -1 if there is none.
static int find_named_coordinate(lb_hinge_type type, bool angle)
{
    switch (type) {
    case LB_HINGE_REVOLUTE:
    case LB_HINGE_SCREW:
        return angle ? 0 : -1;
    case LB_HINGE_PRISMATIC:
        return angle ? -1 : 0;
    case LB_HINGE_CYLINDRICAL:
        return angle ? 0 : 1;
    case LB_HINGE_PLANAR:
        return angle ? 2 : -1;
    default:
        return -1;
    }
}

// A word that belongs to the hinge or modes of a body: true if it does, errors included.
static bool read_coordinate(lb_scan *scan, const lb_scope *scope, int body, const lb_name *word,
                            lb_signal *signal)
{
    static const struct {
        const char *name;
        int kind;
        bool modal;
    } indexed[] = {{"q", LB_SIGNAL_Q, false},       {"v", LB_SIGNAL_V, false},
                   {"a", LB_SIGNAL_A, false},       {"eta", LB_SIGNAL_Q, true},
                   {"eta_rate", LB_SIGNAL_V, true}, {"eta_acceleration", LB_SIGNAL_A, true}};
    static const struct {
        const char *name;
        int kind;
        bool angle;
    } named[] = {{"angle", LB_SIGNAL_Q, true},
                 {"distance", LB_SIGNAL_Q, false},
                 {"angle_rate", LB_SIGNAL_V, true},
                 {"distance_rate", LB_SIGNAL_V, false}};
    const lb_model *model = scope->model;
    const int modes = lb_get_mode_count(model, body);
    const int q = lb_get_q_offset(model, body), v = lb_get_v_offset(model, body);
    const lb_hinge_type type = lb_get_hinge(model, body).type;

    for (size_t i = 0; i < sizeof indexed / sizeof *indexed; ++i) {
        if (strcmp(word->text, indexed[i].name) == 0) {
            const bool modal = indexed[i].modal, is_q = indexed[i].kind == LB_SIGNAL_Q;
            const int count = modal  ? modes
                              : is_q ? lb_get_hinge(model, body).q_count
                                     : lb_get_hinge(model, body).v_count;
            signal->kind = indexed[i].kind;
            if (read_index(scan,
                           modal  ? "mode"
                           : is_q ? "coordinate"
                                  : "speed",
                           count, &signal->index)) {
                signal->index += (is_q ? q : v) + (modal ? 0 : modes);
            }
            return true;
        }
    }
    for (size_t i = 0; i < sizeof named / sizeof *named; ++i) {
        if (strcmp(word->text, named[i].name) == 0) {
            const int entry = find_named_coordinate(type, named[i].angle);
            if (entry < 0) {
                lb_scan_fail(scan, word->start,
                             "a hinge of type %s has no %s; q.0 and v.0 work "
                             "for all",
                             lb_get_hinge_type_name(type), word->text);
            }
            signal->kind = named[i].kind;
            signal->index = (named[i].kind == LB_SIGNAL_Q ? q : v) + modes + entry;
            return true;
        }
    }
    const bool is_rate = strcmp(word->text, "rate") == 0;
    if (is_rate || strcmp(word->text, "acceleration") == 0) {
        if (lb_get_hinge(model, body).v_count != 1) {
            lb_scan_fail(scan, word->start, "a hinge of type %s has no single rate; say which: v.0",
                         lb_get_hinge_type_name(type));
        }
        signal->kind = is_rate ? LB_SIGNAL_V : LB_SIGNAL_A;
        signal->index = v + modes;
        return true;
    }
    return false;
}

// ---- whole signals -----------------------------------------------------------------------------

// ".quantity.component" of a node or of the system.
static bool read_quantity(lb_scan *scan, const lb_quantity *quantity, lb_signal *signal)
{
    signal->kind = quantity->kind;
    signal->stage = quantity->stage;
    signal->index = 0;
    return !quantity->components || read_component(scan, quantity, &signal->index);
}

static bool read_system(lb_scan *scan, lb_signal *signal)
{
    lb_name word;
    if (!read_part(scan, "what of the system", &word)) {
        return false;
    }
    const lb_quantity *quantity = find_quantity(system_quantities, word.text);
    if (!quantity) {
        lb_scan_fail(scan, word.start,
                     "the system has no \"%s\", expected one of mass, com, "
                     "com_velocity, momentum, angular_momentum, kinetic, potential",
                     word.text);
        return false;
    }
    return read_quantity(scan, quantity, signal);
}

// The index of a signal that may be used yet, or LB_NOT_FOUND.
static int find_named(const lb_scope *scope, const char *name)
{
    const int index = scope->named_count > 0 ? lb_find_signal(scope->named, name) : LB_NOT_FOUND;
    return index < scope->named_count ? index : LB_NOT_FOUND;
}

bool lb_is_loop_word(const lb_scope *scope, const lb_name *name)
{
    if (name->quoted || strcmp(name->text, "loop") != 0 || !scope->model ||
        lb_get_loop_count(scope->model) == 0 || lb_find_body(scope->model, "loop") >= LB_GROUND) {
        return false;
    }
    return find_named(scope, "loop") < 0;
}

// "/pin" behind "loop".
static bool read_loop_name(lb_scan *scan, const lb_scope *scope, int *loop)
{
    lb_name name;
    ++scan->at;
    if (!lb_scan_read_name(scan, &name)) {
        return false;
    }
    *loop = lb_find_loop(scope->model, name.text);
    return *loop != LB_NOT_FOUND || fail_unknown(scan, scope, "loop", &name, true);
}

// ".force.x" or ".moment.x" of a loop or reaction.
static bool read_load(lb_scan *scan, const lb_quantity *table, const char *what, lb_signal *signal)
{
    lb_name word;
    if (!read_part(scan, "what of it, such as force.x", &word)) {
        return false;
    }
    const lb_quantity *quantity = find_quantity(table, word.text);
    if (!quantity) {
        lb_scan_fail(scan, word.start, "%s has no \"%s\", expected force or moment", what,
                     word.text);
        return false;
    }
    return read_quantity(scan, quantity, signal);
}

// ".'element 12 force 3'" behind "panel.recovery", and ".corrected".
static bool read_recovery(lb_scan *scan, const lb_scope *scope, lb_signal *signal)
{
    const lb_model *model = scope->model;
    const char *body = lb_get_body_name(model, signal->body);
    const int count = lb_get_recovery_count(model, signal->body);
    lb_name name, word;
    if (!read_part(scan, "the name of a quantity that is recovered", &name)) {
        return false;
    }
    signal->kind = LB_SIGNAL_RECOVERY;
    signal->stage = LB_SIGNAL_STATE;
    signal->index = lb_find_recovery(model, signal->body, name.text);
    if (signal->index == LB_NOT_FOUND) {
        lb_scan_fail(scan, name.start,
                     "%.64s recovers no \"%.64s\"; %d %s known, the first is \"%.64s\"", body,
                     name.text, count, count == 1 ? "quantity is" : "quantities are",
                     lb_get_recovery_name(model, signal->body, 0));
        return false;
    }
    if (scan->text[scan->at] != '.') {
        return true;
    }
    if (!read_part(scan, "corrected", &word)) {
        return false;
    }
    if (strcmp(word.text, "corrected") != 0) {
        lb_scan_fail(scan, word.start, "\"%s\" found, expected corrected, or nothing", word.text);
        return false;
    }
    if (!lb_has_recovery_correction(model, signal->body)) {
        lb_scan_fail(scan, word.start,
                     "the static correction of %.64s is not known: its file was made without the "
                     "stiffness of the whole structure",
                     body);
        return false;
    }
    signal->kind = LB_SIGNAL_CORRECTED;
    signal->stage = LB_SIGNAL_ACCELERATION;
    return true;
}

// ", in ground, about panel/root)": axes and a point, in any order, and the end of the brackets; with ", by modes" of
// a section, for which `by_modes` is not NULL.
static bool read_frame(lb_scan *scan, const lb_scope *scope, lb_signal *signal, bool *by_modes)
{
    bool has_axes = false, has_point = false;
    lb_scan_skip_spaces(scan);
    lb_load_frame *frame = &signal->frame;
    while (scan->text[scan->at] == ',') {
        lb_name word;
        ++scan->at;
        lb_scan_skip_spaces(scan);
        if (!lb_scan_read_name(scan, &word)) {
            return false;
        }
        if (by_modes && !*by_modes && strcmp(word.text, "by") == 0) {
            lb_scan_skip_spaces(scan);
            if (!lb_scan_read_name(scan, &word)) {
                return false;
            }
            if (strcmp(word.text, "modes") != 0) {
                lb_scan_fail(scan, word.start, "\"by %s\" found, expected \"by modes\"", word.text);
                return false;
            }
            *by_modes = true;
            lb_scan_skip_spaces(scan);
            continue;
        }
        const bool is_axes = strcmp(word.text, "in") == 0;
        if ((!is_axes && strcmp(word.text, "about") != 0) || (is_axes ? has_axes : has_point)) {
            lb_scan_fail(scan, word.start,
                         "expected \"in\" and a node whose axes are used, or \"about\" and a node "
                         "whose place is the point of the moment, each once");
            return false;
        }
        *(is_axes ? &has_axes : &has_point) = true;
        lb_scan_skip_spaces(scan);
        if (!lb_scan_read_node(scan, scope, is_axes ? &frame->axes_body : &frame->about_body,
                               is_axes ? &frame->axes_node : &frame->about_node)) {
            return false;
        }
        lb_scan_skip_spaces(scan);
    }
    if (scan->text[scan->at] != ')') {
        lb_scan_fail(scan, scan->at,
                     "expected \")\", or axes and a point, such as \", in ground)\"");
        return false;
    }
    ++scan->at;
    return true;
}

// "(panel, in ground, about hub/mount).moment.x" or "(loop/pin, ...)" behind "reaction".
static bool read_reaction(lb_scan *scan, const lb_scope *scope, lb_signal *signal)
{
    lb_name name;
    ++scan->at;
    lb_scan_skip_spaces(scan);
    if (!lb_scan_read_name(scan, &name)) {
        return false;
    }
    const bool is_loop = scan->text[scan->at] == '/' && lb_is_loop_word(scope, &name);
    if (is_loop) {
        if (!read_loop_name(scan, scope, &signal->body)) {
            return false;
        }
        if (scope->model->loops[signal->body].type == LB_LOOP_COUPLER) {
            lb_scan_fail(scan, name.start,
                         "a coupler joins no nodes: its force is loop/%s.moment.x",
                         lb_get_loop_name(scope->model, signal->body));
            return false;
        }
    } else if (!find_body(scan, scope, &name, &signal->body)) {
        return false;
    } else if (signal->body == LB_GROUND) {
        lb_scan_fail(scan, name.start, "the ground has no hinge, expected a body or loop/NAME");
        return false;
    }
    return read_frame(scan, scope, signal, NULL) &&
           read_load(scan, is_loop ? loop_quantities : reaction_quantities, "a reaction", signal);
}

// "(panel/mid, in ground).force.x" or "(panel/mid, by modes).force.x" behind "section".
static bool read_section(lb_scan *scan, const lb_scope *scope, lb_signal *signal)
{
    bool by_modes = false;
    ++scan->at;
    lb_scan_skip_spaces(scan);
    const size_t start = scan->at;
    if (!lb_scan_read_node(scan, scope, &signal->body, &signal->node)) {
        return false;
    }
    if (!lb_has_cut(scope->model, signal->body, signal->node)) {
        lb_scan_fail(
            scan, start,
            "%s is not cut there: list the node under \"cuts\" of a flexible body, such as "
            "cuts: [mid]",
            lb_get_body_name(scope->model, signal->body));
        return false;
    }
    return read_frame(scan, scope, signal, &by_modes) &&
           read_load(scan, by_modes ? modal_quantities : section_quantities, "a section", signal);
}

// "zyx": three axes, neighbours not the same.
static bool read_sequence(lb_scan *scan, const lb_name *word, int axes[3])
{
    for (int i = 0; i < 3; ++i) {
        const char *found = word->text[i] ? strchr("xyz", word->text[i]) : NULL;
        axes[i] = found ? (int)(found - "xyz") : -1;
        if (axes[i] < 0 || (i > 0 && axes[i] == axes[i - 1])) {
            axes[0] = -1;
            break;
        }
    }
    if (axes[0] < 0 || word->text[3]) {
        lb_scan_fail(scan, word->start,
                     "\"%s\" is no sequence of axes, expected one such as zyx or zxz", word->text);
        return false;
    }
    return true;
}

// "(hub, in target).x", "(hub, in target, zyx).0", "(hub/camera, target).azimuth" behind a name.
static bool read_attitude(lb_scan *scan, const lb_scope *scope, lb_signal *signal)
{
    static const lb_quantity attitude = {"attitude", LB_SIGNAL_ATTITUDE, "wxyz", LB_SIGNAL_STATE};
    static const lb_quantity turn = {"turn", LB_SIGNAL_TURN, "xyz", LB_SIGNAL_STATE};
    static const char *const sights[3] = {"azimuth", "elevation", "off"};
    const bool is_sight = signal->kind == LB_SIGNAL_SIGHT,
               is_euler = signal->kind == LB_SIGNAL_EULER;
    bool has_sequence = false, right = true;
    lb_name word;
    signal->stage = LB_SIGNAL_STATE;
    signal->other_body = LB_GROUND;
    ++scan->at;
    lb_scan_skip_spaces(scan);
    // of a line of sight, the first is where it is seen from
    if (!lb_scan_read_node(scan, scope, is_sight ? &signal->other_body : &signal->body,
                           is_sight ? &signal->other_node : &signal->node)) {
        return false;
    }
    lb_scan_skip_spaces(scan);
    for (int i = 0; scan->text[scan->at] == ',' && i < 2; ++i) {
        ++scan->at;
        lb_scan_skip_spaces(scan);
        if (is_sight) {
            if (i > 0 || !lb_scan_read_node(scan, scope, &signal->body, &signal->node)) {
                right = false;
                break;
            }
            has_sequence = true;
        } else if (!lb_scan_read_name(scan, &word)) {
            return false;
        } else if (!word.quoted && strcmp(word.text, "in") == 0) {
            lb_scan_skip_spaces(scan);
            if (!lb_scan_read_node(scan, scope, &signal->other_body, &signal->other_node)) {
                return false;
            }
        } else if (!is_euler || !read_sequence(scan, &word, signal->axes)) {
            right = false;
            break;
        } else {
            has_sequence = true;
        }
        lb_scan_skip_spaces(scan);
    }
    if (scan->failed) {
        return false;
    }
    if (!right || scan->text[scan->at] != ')' || has_sequence != (is_euler || is_sight)) {
        lb_scan_fail(scan, scan->at, "expected %s",
                     is_sight   ? "two nodes, such as (hub/camera, target)"
                     : is_euler ? "a node, axes and a sequence, such as (hub, in target, zyx)"
                                : "a node and axes, such as (hub, in target)");
        return false;
    }
    ++scan->at;
    if (is_euler) {
        return read_index(scan, "angle", 3, &signal->index);
    }
    if (!is_sight) {
        const lb_quantity *quantity = signal->kind == LB_SIGNAL_TURN ? &turn : &attitude;
        return read_component(scan, quantity, &signal->index);
    }
    if (!read_part(scan, "azimuth, elevation or off", &word)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        if (strcmp(word.text, sights[i]) == 0) {
            signal->index = i;
            return true;
        }
    }
    lb_scan_fail(scan, word.start,
                 "a line of sight has no \"%s\", expected azimuth, elevation or off", word.text);
    return false;
}

static bool read_of_body(lb_scan *scan, const lb_scope *scope, const lb_name *name,
                         lb_signal *signal)
{
    if (!find_body(scan, scope, name, &signal->body)) {
        return false;
    }
    const bool at_node = scan->text[scan->at] == '/';
    lb_name word;
    if (!read_node(scan, scope, signal->body, &signal->node) ||
        !read_part(scan, "what of it, such as position.x", &word)) {
        return false;
    }
    const lb_quantity *quantity = find_quantity(node_quantities, word.text);
    // the acceleration of a body goes on with a component, that of a hinge with one speed does not
    const bool of_hinge = !at_node && signal->body != LB_GROUND && scan->text[scan->at] != '.' &&
                          strcmp(word.text, "acceleration") == 0 &&
                          lb_get_hinge(scope->model, signal->body).v_count == 1;
    if (quantity && !of_hinge) {
        return read_quantity(scan, quantity, signal);
    }
    if (!at_node && strcmp(word.text, "recovery") == 0 &&
        lb_get_recovery_count(scope->model, signal->body) > 0) {
        return read_recovery(scan, scope, signal);
    }
    if (!at_node && signal->body != LB_GROUND &&
        read_coordinate(scan, scope, signal->body, &word, signal)) {
        signal->stage = signal->kind == LB_SIGNAL_A ? LB_SIGNAL_ACCELERATION : LB_SIGNAL_STATE;
        return !scan->failed;
    }
    lb_scan_fail(scan, word.start,
                 "unknown quantity \"%s\", expected one of position, rotation, "
                 "velocity, angular_velocity, acceleration, angular_acceleration, displacement%s",
                 word.text,
                 at_node || signal->body == LB_GROUND
                     ? ""
                     : ", angle, distance, rate, q, v, a, eta, eta_rate, eta_acceleration");
    return false;
}

// "(panel/n1, ground/mount)"
static bool read_distance(lb_scan *scan, const lb_scope *scope, lb_signal *signal)
{
    int *bodies[2] = {&signal->body, &signal->other_body};
    int *nodes[2] = {&signal->node, &signal->other_node};
    signal->stage = LB_SIGNAL_STATE;
    for (int i = 0; i < 2; ++i) {
        if (scan->text[scan->at] != "(,"[i]) {
            lb_scan_fail(scan, scan->at,
                         "expected \"%c\": a distance is between two nodes, such "
                         "as (panel/n1, ground/mount)",
                         "(,"[i]);
            return false;
        }
        ++scan->at;
        lb_scan_skip_spaces(scan);
        if (!lb_scan_read_node(scan, scope, bodies[i], nodes[i])) {
            return false;
        }
        lb_scan_skip_spaces(scan);
    }
    if (scan->text[scan->at] != ')') {
        lb_scan_fail(scan, scan->at, "expected \")\"");
        return false;
    }
    ++scan->at;
    return true;
}

bool lb_scan_read_signal(lb_scan *scan, const lb_scope *scope, const lb_name *name,
                         lb_signal *signal)
{
    const char next = scan->text[scan->at];
    *signal = (lb_signal){.kind = LB_SIGNAL_T,
                          .frame = {LB_NOT_FOUND, 0, LB_NOT_FOUND, 0},
                          .named = scope->named,
                          .stage = LB_SIGNAL_TIME};
    if (!name->quoted && next == '(') {
        if (strcmp(name->text, "distance") == 0 || strcmp(name->text, "distance_rate") == 0) {
            signal->kind = name->text[8] ? LB_SIGNAL_DISTANCE_RATE : LB_SIGNAL_DISTANCE;
            return read_distance(scan, scope, signal);
        }
        if (strcmp(name->text, "reaction") == 0) {
            return read_reaction(scan, scope, signal);
        }
        if (strcmp(name->text, "section") == 0) {
            return read_section(scan, scope, signal);
        }
        static const char *const attitudes[4] = {"attitude", "turn", "euler", "sight"};
        for (int i = 0; i < 4; ++i) {
            if (strcmp(name->text, attitudes[i]) == 0) {
                signal->kind = LB_SIGNAL_ATTITUDE + i;
                return read_attitude(scan, scope, signal);
            }
        }
        // names with hyphens stand alone: this is no expression
        lb_scan_fail(scan, name->start, "unknown function \"%s\"%s", name->text,
                     scan->hyphens ? "; expressions are given a name in \"signals\"" : "");
        return false;
    }
    if (!name->quoted && strcmp(name->text, "system") == 0 && next == '.') {
        return read_system(scan, signal);
    }
    if (next == '/' && lb_is_loop_word(scope, name)) {
        return read_loop_name(scan, scope, &signal->body) &&
               read_load(scan, loop_quantities, "a loop", signal);
    }
    if (next == '.' || next == '/') {
        return read_of_body(scan, scope, name, signal);
    }
    if (!name->quoted && strcmp(name->text, "t") == 0) {
        return true;
    }
    const int count = scope->named_count, index = find_named(scope, name->text);
    if (index >= 0) {
        signal->kind = LB_SIGNAL_NAMED;
        signal->index = index;
        signal->stage = lb_get_named_stage(scope->named, index);
        return true;
    }
    if (lb_find_body(scope->model, name->text) >= LB_GROUND) {
        lb_scan_fail(scan, name->start, "what of body \"%s\"? Such as %s.position.x", name->text,
                     name->text);
    } else if (scope->named && count < lb_get_signal_count(scope->named)) {
        lb_scan_fail(scan, name->start, "no signal \"%s\" is defined above this one", name->text);
    } else {
        fail_unknown(scan, scope, "signal", name, false);
    }
    return false;
}

lb_status lb_parse_signal(const lb_model *model, const lb_signals *named, const char *text,
                          lb_scan_error *error, lb_signal *signal)
{
    lb_scan scan = {.text = text, .hyphens = true};
    const lb_scope scope = {model, named, named ? lb_get_signal_count(named) : 0};
    lb_name name;
    lb_scan_skip_spaces(&scan);
    if (strchr("0123456789.+-(", text[scan.at]) && text[scan.at]) {
        lb_scan_fail(&scan, scan.at,
                     "expected a signal; expressions are given a name in \"signals\"");
    } else if (lb_scan_read_name(&scan, &name) &&
               lb_scan_read_signal(&scan, &scope, &name, signal)) {
        lb_scan_skip_spaces(&scan);
        if (scan.text[scan.at]) {
            lb_scan_fail(&scan, scan.at,
                         "a signal ends before this; expressions are given a name "
                         "in \"signals\"");
        }
    }
    if (scan.failed) {
        *error = scan.error;
    }
    return scan.failed ? LB_E_SYNTAX : LB_OK;
}

// ---- what others ask for -----------------------------------------------------------------------

bool lb_resolve_signal(const lb_model *model, const lb_signals *named, const char *text,
                       lb_faults *faults, const char *where, const char *key, lb_signal *signal)
{
    lb_scan_error error;
    const bool right = lb_parse_signal(model, named, text ? text : "", &error, signal) == LB_OK;
    if (!right) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, key, "%s", error.message);
        *signal = (lb_signal){.kind = LB_SIGNAL_T, .named = named, .stage = LB_SIGNAL_TIME};
    }
    return right;
}

// A node whose body and name are given apart.
static bool resolve_parts(const lb_model *model, const lb_node_name *name, lb_faults *faults,
                          const char *where, const char *key, int *body, int *node)
{
    char path[512];
    snprintf(path, sizeof path, "%.255s%s%.255s", where, *where && *key ? "." : "", key);
    *body = lb_find_body(model, name->body);
    if (*body < LB_GROUND) {
        lb_complain(faults, LB_SEVERITY_ERROR, path, "body", "there is no body \"%s\"", name->body);
        return false;
    }
    *node = lb_find_node(model, *body, name->node);
    if (*node < 0) {
        lb_complain(faults, LB_SEVERITY_ERROR, path, "node", "%s has no node \"%s\"", name->body,
                    name->node);
        return false;
    }
    return true;
}

bool lb_resolve_node(const lb_model *model, const lb_node_name *name, lb_faults *faults,
                     const char *where, const char *key, int *body, int *node)
{
    if (!name->body) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, key,
                    "no node given, expected one, such as panel/n1");
        return false;
    }
    if (name->node) {
        return resolve_parts(model, name, faults, where, key, body, node);
    }
    if (lb_find_plain_node(model, name->body, body, node)) {
        return true;
    }
    lb_scan scan = {.text = name->body, .hyphens = true};
    const lb_scope scope = {model, NULL, 0};
    if (lb_scan_read_node(&scan, &scope, body, node) && scan.text[scan.at]) {
        lb_scan_fail(&scan, scan.at, "expected a body and a node, such as panel/n1");
    }
    if (scan.failed) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, key, "%s", scan.error.message);
    }
    return !scan.failed;
}
