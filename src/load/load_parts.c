// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "load_parts.h"

#include <math.h>

#include "document/values.h"
#include "listener.h"

static void relay(void *user, const lb_diagnostic *diagnostic)
{
    const lb_part_loader *loader = user;
    lb_relay_finding(loader->reader, loader->root, diagnostic);
}

lb_report lb_get_relay(lb_part_loader *loader)
{
    return (lb_report){relay, loader};
}

void lb_end_part_loader(lb_part_loader *loader)
{
    lb_arena_free(&loader->scratch);
}

// ---- nodes -------------------------------------------------------------------------------------

bool lb_read_node_name(lb_part_loader *loader, const lb_place *place, lb_node_name *name)
{
    static const char *const known[] = {"body", "node", NULL};
    lb_reader *reader = loader->reader;
    *name = (lb_node_name){lb_place_get_string(place), NULL};
    if (name->body) {
        return true;
    }
    if (lb_place_get_kind(place) != LB_DOC_MAPPING) {
        lb_reader_fail_type(reader, place, "a node, such as {body: panel, node: n1} or panel/n1");
        return false;
    }
    const int errors = reader->error_count;
    name->node = "origin";
    lb_read_mapping(reader, place, known);
    lb_read_string(reader, place, "body", LB_REQUIRED, &name->body);
    lb_read_string(reader, place, "node", LB_OPTIONAL, &name->node);
    return reader->error_count == errors;
}

// ---- functions ---------------------------------------------------------------------------------

// A value: of a motion, an angle may be written so.
static bool read_value_at(lb_reader *reader, const lb_place *place, bool motion, double *value)
{
    return motion ? lb_read_angle_at(reader, place, value)
                  : lb_read_number_at(reader, place, value);
}

static bool read_value(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                       bool motion, double *value)
{
    return motion ? lb_read_angle(reader, up, key, need, value)
                  : lb_read_number(reader, up, key, need, value);
}

static lb_status read_table(lb_part_loader *loader, const lb_place *place, bool motion,
                            lb_function_options *f)
{
    static const char *const interpolations[] = {"linear", "cubic", "steps", NULL};
    static const char *const ends[] = {"natural", "rest", NULL};
    lb_reader *reader = loader->reader;
    int interpolation = 0, end = 0;
    f->type = LB_FUNCTION_TABLE;
    lb_read_word(reader, place, "interpolation", LB_OPTIONAL, interpolations, &interpolation);
    const lb_place end_place = lb_place_at_key(place, "ends");
    if (end_place.node && interpolation != LB_INTERPOLATION_CUBIC) {
        lb_reader_fail_key(reader, &end_place, "\"ends\" is for interpolation: cubic");
    }
    lb_read_word(reader, place, "ends", LB_OPTIONAL, ends, &end);
    f->interpolation = (lb_interpolation)interpolation;
    f->at_rest = end == 1;
    lb_place table;
    if (!lb_read_sequence(reader, place, "table", LB_REQUIRED, &table)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&table);
    double *t = lb_take_numbers(&loader->scratch, count);
    double *x = lb_take_numbers(&loader->scratch, count);
    if (!t || !x) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count && !lb_gives_up(reader, &table, i); ++i) {
        const lb_place point = lb_place_at_index(&table, i);
        lb_place parts[2];
        if (lb_read_tuple(reader, &point, 2, "a time and a value, such as [0.5, 2]", parts)) {
            lb_read_number_at(reader, &parts[0], &t[i]);
            read_value_at(reader, &parts[1], motion, &x[i]);
        }
    }
    f->point_count = (int)count;
    f->times = t;
    f->values = x;
    return LB_OK;
}

static lb_status read_pieces(lb_part_loader *loader, const lb_place *place, bool motion,
                             lb_function_options *f)
{
    static const char *const known[] = {"from", "coefficients", NULL};
    lb_reader *reader = loader->reader;
    lb_place pieces;
    f->type = LB_FUNCTION_PIECES;
    if (!lb_read_sequence(reader, place, "pieces", LB_REQUIRED, &pieces)) {
        return LB_OK;
    }
    // the longest row decides
    const size_t count = lb_place_get_count(&pieces);
    const int errors = reader->error_count;
    size_t width = 1;
    for (size_t i = 0; i < count; ++i) {
        const lb_place piece = lb_place_at_index(&pieces, i);
        lb_place list;
        if (lb_read_mapping(reader, &piece, known) &&
            lb_read_sequence(reader, &piece, "coefficients", LB_REQUIRED, &list)) {
            const size_t length = lb_place_get_count(&list);
            width = length > width ? length : width;
            if (length < 1 || length > 20) {
                lb_reader_fail(reader, &list, "%zu coefficients given, expected 1 to 20", length);
            }
        }
    }
    if (reader->error_count > errors) {
        return LB_OK;
    }
    double *t = lb_take_numbers(&loader->scratch, count);
    double *c = lb_take_numbers(&loader->scratch, count * width);
    if (!t || !c) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place piece = lb_place_at_index(&pieces, i);
        const lb_place list = lb_place_at_key(&piece, "coefficients");
        lb_read_number(reader, &piece, "from", LB_REQUIRED, &t[i]);
        for (size_t j = 0; j < lb_place_get_count(&list); ++j) {
            const lb_place coefficient = lb_place_at_index(&list, j);
            read_value_at(reader, &coefficient, motion, &c[i * width + j]);
        }
    }
    f->piece_count = (int)count;
    f->coefficient_count = (int)width;
    f->starts = t;
    f->coefficients = c;
    lb_read_number(reader, place, "until", LB_OPTIONAL, &f->until);
    return LB_OK;
}

static void read_sine(lb_reader *reader, const lb_place *place, bool motion, lb_function_options *f)
{
    static const char *const known[] = {"amplitude", "frequency", "rate", "phase", "offset", NULL};
    const lb_place sine = lb_place_at_key(place, "sine");
    f->type = LB_FUNCTION_SINE;
    if (!lb_read_mapping(reader, &sine, known)) {
        return;
    }
    read_value(reader, &sine, "amplitude", LB_REQUIRED, motion, &f->value);
    read_value(reader, &sine, "offset", LB_OPTIONAL, motion, &f->offset);
    lb_read_angle(reader, &sine, "phase", LB_OPTIONAL, &f->phase);
    double frequency = 0.0;
    const bool has_frequency = lb_read_number(reader, &sine, "frequency", LB_OPTIONAL, &frequency);
    const lb_place rate = lb_place_at_key(&sine, "rate");
    if (has_frequency == (rate.node != NULL)) {
        lb_reader_fail(reader, &sine,
                       "expected either \"frequency\" (in Hz) or \"rate\" (in rad/s)");
    }
    f->rate = 6.28318530717958647692 * frequency;
    lb_read_angle(reader, &sine, "rate", LB_OPTIONAL, &f->rate);
}

static void read_pulse(lb_reader *reader, const lb_place *place, bool motion,
                       lb_function_options *f)
{
    static const char *const known[] = {"value", "start", "width", "period", "rise", NULL};
    const lb_place pulse = lb_place_at_key(place, "pulse");
    f->type = LB_FUNCTION_PULSE;
    if (!lb_read_mapping(reader, &pulse, known)) {
        return;
    }
    read_value(reader, &pulse, "value", LB_REQUIRED, motion, &f->value);
    lb_read_number(reader, &pulse, "start", LB_OPTIONAL, &f->start);
    lb_read_number(reader, &pulse, "width", LB_REQUIRED, &f->width);
    lb_read_number(reader, &pulse, "rise", LB_OPTIONAL, &f->rise);
    const lb_place period = lb_place_at_key(&pulse, "period");
    if (lb_read_number(reader, &pulse, "period", LB_OPTIONAL, &f->period) && f->period == 0) {
        // in options, zero is no period
        lb_reader_fail(reader, &period, "%.15g, expected at least the width", f->period);
    }
}

static lb_status read_shape(lb_part_loader *loader, const lb_place *place, bool motion,
                            lb_function_options *f)
{
    static const char *const shapes[] = {"table", "pieces", "sine", "pulse"};
    static const char *const known[][4] = {{"table", "interpolation", "ends", NULL},
                                           {"pieces", "until", NULL},
                                           {"sine", NULL},
                                           {"pulse", NULL}};
    lb_reader *reader = loader->reader;
    int shape = 0;
    for (; shape < 4; ++shape) {
        const lb_place at = lb_place_at_key(place, shapes[shape]);
        if (at.node) {
            break;
        }
    }
    if (shape == 4) {
        lb_reader_fail(reader, place, "expected one of the keys table, pieces, sine, pulse");
        return LB_OK;
    }
    lb_read_mapping(reader, place, known[shape]);
    switch (shape) {
    case 0:
        return read_table(loader, place, motion, f);
    case 1:
        return read_pieces(loader, place, motion, f);
    case 2:
        read_sine(reader, place, motion, f);
        return LB_OK;
    default:
        read_pulse(reader, place, motion, f);
        return LB_OK;
    }
}

lb_status lb_read_function(lb_part_loader *loader, const lb_place *place, bool motion,
                           lb_function_options *options)
{
    lb_reader *reader = loader->reader;
    const int errors = reader->error_count;
    lb_status status = LB_OK;
    *options = lb_default_function_options();
    switch (lb_place_get_kind(place)) {
    case LB_DOC_NUMBER:
        lb_read_number_at(reader, place, &options->value);
        break;
    case LB_DOC_STRING:
        options->type = LB_FUNCTION_EXPRESSION;
        options->expression = lb_place_get_string(place);
        break;
    case LB_DOC_MAPPING:
        status = read_shape(loader, place, motion, options);
        break;
    default:
        lb_reader_fail_type(reader, place,
                            "a number, an expression, or one of {table: ...}, {pieces: ...}, "
                            "{sine: ...}, {pulse: ...}");
        break;
    }
    return status == LB_OK && reader->error_count > errors ? LB_E_MODEL : status;
}

void lb_read_nonzero(lb_reader *reader, const lb_place *up, const char *key, double *number)
{
    const lb_place place = lb_place_at_key(up, key);
    if (lb_read_number(reader, up, key, LB_OPTIONAL, number) && *number == 0.0) {
        lb_reader_fail(reader, &place, "0, expected a number above zero");
    }
}

lb_status lb_read_functions(lb_part_loader *loader, const lb_place *place, bool motion,
                            size_t count, lb_function_options **options)
{
    // one function may stand without its list
    const size_t given = lb_place_count_items(place);
    *options = NULL;
    if (given != count) {
        lb_reader_fail(loader->reader, place, "%zu value%s given, expected a list of %zu", given,
                       given == 1 ? "" : "s", count);
        return LB_E_MODEL;
    }
    lb_function_options *list = lb_arena_take(&loader->scratch, count, sizeof *list);
    lb_status status = list ? LB_OK : LB_E_MEMORY;
    for (size_t i = 0; i < count && status != LB_E_MEMORY; ++i) {
        const lb_place element = lb_place_at_item(place, i);
        const lb_status found = lb_read_function(loader, &element, motion, &list[i]);
        status = found < 0 ? found : status;
    }
    *options = status == LB_OK ? list : NULL;
    return status;
}
