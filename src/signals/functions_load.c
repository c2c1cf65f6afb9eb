// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of time out of a model file.
#include <math.h>
#include <string.h>

#include "functions.h"

enum { LB_FORCE_SMOOTHNESS = -2 };

// A value: of a motion, an angle may be written so.
static bool read_value_at(const lb_function_loader *loader, const lb_place *place, bool motion,
                          double *value)
{
    return motion ? lb_read_angle_at(loader->reader, place, value)
                  : lb_read_number_at(loader->reader, place, value);
}

static bool read_value(const lb_function_loader *loader, const lb_place *up, const char *key,
                       lb_need need, bool motion, double *value)
{
    return motion ? lb_read_angle(loader->reader, up, key, need, value)
                  : lb_read_number(loader->reader, up, key, need, value);
}

// Memory of pieces; the function stays as it is if there is none.
static lb_status take_pieces(const lb_function_loader *loader, size_t count, size_t coefficients,
                             double **starts, double **rows)
{
    *starts = lb_arena_take(loader->arena, count + 1, sizeof **starts);
    *rows = lb_arena_take(loader->arena, count * coefficients, sizeof **rows);
    return *starts && *rows ? LB_OK : LB_E_MEMORY;
}

// ---- tables ------------------------------------------------------------------------------------

// Cubic spline through points                                                       (FRC-10)
//
//     h_i m_(i-1) + 2 (h_i + h_(i+1)) m_i + h_(i+1) m_(i+1) = 6 (s_(i+1) - s_i)
//
// given     x_i at t_i;  h_i = t_i - t_(i-1), s_i the slope of the chord there
//           ends: m = 0 (natural), or zero slope (at rest)
// computes  second derivatives m_i, by elimination; scratch has room for `count`
static void compute_spline(size_t count, const double *t, const double *x, bool rest, double *m,
                           double *scratch)
{
    const size_t last = count - 1;
    for (size_t i = 0; i < count; ++i) {
        const double h_left = i > 0 ? t[i] - t[i - 1] : 0.0;
        const double h_right = i < last ? t[i + 1] - t[i] : 0.0;
        const double s_left = i > 0 ? (x[i] - x[i - 1]) / h_left : 0.0;
        const double s_right = i < last ? (x[i + 1] - x[i]) / h_right : 0.0;
        const bool natural = !rest && (i == 0 || i == last);
        const double low = natural ? 0.0 : h_left, high = natural ? 0.0 : h_right;
        const double middle = natural ? 1.0 : 2.0 * (h_left + h_right);
        const double right = natural ? 0.0 : 6.0 * (s_right - s_left);
        const double pivot = middle - (i > 0 ? low * scratch[i - 1] : 0.0);
        scratch[i] = high / pivot;
        m[i] = (right - (i > 0 ? low * m[i - 1] : 0.0)) / pivot;
    }
    for (size_t i = last; i-- > 0;) {
        m[i] -= scratch[i] * m[i + 1];
    }
}

// The points of a table; false if any is wrong.
static bool read_points(const lb_function_loader *loader, const lb_place *table, bool motion,
                        double *t, double *x)
{
    bool right = true;
    const size_t count = lb_place_get_count(table);
    for (size_t i = 0; i < count; ++i) {
        const lb_place point = lb_place_at_index(table, i);
        if (lb_place_get_kind(&point) != LB_DOC_SEQUENCE || lb_place_get_count(&point) != 2) {
            lb_reader_fail(loader->reader, &point, "expected a time and a value, such as [0.5, 2]");
            right = false;
            continue;
        }
        const lb_place time = lb_place_at_index(&point, 0), value = lb_place_at_index(&point, 1);
        right = lb_read_number_at(loader->reader, &time, &t[i]) && right;
        right = read_value_at(loader, &value, motion, &x[i]) && right;
        if (right && i > 0 && !(t[i] > t[i - 1])) {
            lb_reader_fail(loader->reader, &time, "time %.15g after %.15g, expected a later one",
                           t[i], t[i - 1]);
            right = false;
        }
    }
    return right;
}

static lb_status load_table(const lb_function_loader *loader, const lb_place *place, bool motion,
                            lb_function *f)
{
    static const char *const interpolations[] = {"linear", "cubic", "steps", NULL};
    static const char *const ends[] = {"natural", "rest", NULL};
    lb_reader *reader = loader->reader;
    int interpolation = 0, end = 0;
    lb_read_word(reader, place, "interpolation", LB_OPTIONAL, interpolations, &interpolation);
    const lb_place end_place = lb_place_at_key(place, "ends");
    if (lb_place_exists(&end_place) && interpolation != 1) {
        lb_reader_fail_key(reader, &end_place, "\"ends\" is for interpolation: cubic");
    }
    lb_read_word(reader, place, "ends", LB_OPTIONAL, ends, &end);
    lb_place table;
    if (!lb_read_sequence(reader, place, "table", LB_REQUIRED, &table)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&table);
    if (count < 2 || count > 1000000) {
        lb_reader_fail(reader, &table, "%zu points given, expected 2 to 1000000", count);
        return LB_OK;
    }
    double *t, *c, *scratch = lb_arena_take(loader->arena, 3 * count, sizeof *scratch);
    if (take_pieces(loader, count, 4, &t, &c) != LB_OK || !scratch) {
        return LB_E_MEMORY;
    }
    double *x = scratch, *m = scratch + count;
    if (!read_points(loader, &table, motion, t, x)) {
        return LB_OK;
    }
    if (interpolation == 1) {
        compute_spline(count, t, x, end == 1, m, scratch + 2 * count);
    }
    for (size_t i = 0; i + 1 < count; ++i) {
        const double h = t[i + 1] - t[i], slope = (x[i + 1] - x[i]) / h;
        double *row = c + 4 * i;
        row[0] = x[i];
        row[1] = interpolation == 2 ? 0.0 : slope - h * (2.0 * m[i] + m[i + 1]) / 6.0;
        row[2] = 0.5 * m[i];
        row[3] = (m[i + 1] - m[i]) / (6.0 * h);
    }
    // after the last point its value holds; of steps, that is a piece of its own
    const bool steps = interpolation == 2;
    c[4 * (count - 1)] = x[count - 1];
    t[count] = INFINITY;
    f->kind = LB_FUNCTION_PIECES;
    f->piece_count = (int)count - !steps;
    f->coefficient_count = 4;
    f->starts = t;
    f->coefficients = c;
    return LB_OK;
}

// ---- pieces ------------------------------------------------------------------------------------

static lb_status load_pieces(const lb_function_loader *loader, const lb_place *place, bool motion,
                             lb_function *f)
{
    static const char *const known[] = {"from", "coefficients", NULL};
    lb_reader *reader = loader->reader;
    lb_place pieces;
    if (!lb_read_sequence(reader, place, "pieces", LB_REQUIRED, &pieces)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&pieces);
    if (count < 1 || count > 1000000) {
        lb_reader_fail(reader, &pieces, "%zu pieces given, expected 1 to 1000000", count);
        return LB_OK;
    }
    // the longest row decides
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
    double *t, *c;
    if (take_pieces(loader, count, width, &t, &c) != LB_OK) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place piece = lb_place_at_index(&pieces, i);
        const lb_place list = lb_place_at_key(&piece, "coefficients");
        const lb_place from = lb_place_at_key(&piece, "from");
        if (lb_read_number(reader, &piece, "from", LB_REQUIRED, &t[i]) && i > 0 &&
            !(t[i] > t[i - 1])) {
            lb_reader_fail(reader, &from, "time %.15g after %.15g, expected a later one", t[i],
                           t[i - 1]);
        }
        for (size_t j = 0; j < lb_place_get_count(&list); ++j) {
            const lb_place coefficient = lb_place_at_index(&list, j);
            read_value_at(loader, &coefficient, motion, &c[i * width + j]);
        }
    }
    t[count] = INFINITY;
    const lb_place until = lb_place_at_key(place, "until");
    if (lb_read_number(reader, place, "until", LB_OPTIONAL, &t[count]) &&
        !(t[count] > t[count - 1])) {
        lb_reader_fail(reader, &until, "time %.15g, expected one after the last piece starts",
                       t[count]);
    }
    f->kind = LB_FUNCTION_PIECES;
    f->piece_count = (int)count;
    f->coefficient_count = (int)width;
    f->starts = t;
    f->coefficients = c;
    return LB_OK;
}

// ---- sines and pulses --------------------------------------------------------------------------

static void load_sine(const lb_function_loader *loader, const lb_place *place, bool motion,
                      lb_function *f)
{
    static const char *const known[] = {"amplitude", "frequency", "rate", "phase", "offset", NULL};
    lb_reader *reader = loader->reader;
    const lb_place sine = lb_place_at_key(place, "sine");
    if (!lb_read_mapping(reader, &sine, known)) {
        return;
    }
    f->kind = LB_FUNCTION_SINE;
    read_value(loader, &sine, "amplitude", LB_REQUIRED, motion, &f->value);
    read_value(loader, &sine, "offset", LB_OPTIONAL, motion, &f->offset);
    lb_read_angle(reader, &sine, "phase", LB_OPTIONAL, &f->phase);
    double frequency = 0.0;
    const bool has_frequency = lb_read_number(reader, &sine, "frequency", LB_OPTIONAL, &frequency);
    const lb_place rate = lb_place_at_key(&sine, "rate");
    if (has_frequency == (lb_place_exists(&rate))) {
        lb_reader_fail(reader, &sine,
                       "expected either \"frequency\" (in Hz) or \"rate\" (in rad/s)");
    }
    f->omega = 6.28318530717958647692 * frequency;
    lb_read_angle(reader, &sine, "rate", LB_OPTIONAL, &f->omega);
}

static void load_pulse(const lb_function_loader *loader, const lb_place *place, bool motion,
                       lb_function *f)
{
    static const char *const known[] = {"value", "start", "width", "period", "rise", NULL};
    lb_reader *reader = loader->reader;
    const lb_place pulse = lb_place_at_key(place, "pulse");
    if (!lb_read_mapping(reader, &pulse, known)) {
        return;
    }
    f->kind = LB_FUNCTION_PULSE;
    read_value(loader, &pulse, "value", LB_REQUIRED, motion, &f->value);
    lb_read_number(reader, &pulse, "start", LB_OPTIONAL, &f->start);
    const lb_place width = lb_place_at_key(&pulse, "width");
    const lb_place rise = lb_place_at_key(&pulse, "rise");
    const lb_place period = lb_place_at_key(&pulse, "period");
    if (lb_read_number(reader, &pulse, "width", LB_REQUIRED, &f->width) && !(f->width > 0)) {
        lb_reader_fail(reader, &width, "%.15g, expected a positive time", f->width);
    } else if (lb_read_number(reader, &pulse, "rise", LB_OPTIONAL, &f->rise) &&
               !(f->rise >= 0 && 2.0 * f->rise <= f->width)) {
        lb_reader_fail(reader, &rise, "%.15g, expected from 0 to half the width", f->rise);
    }
    if (lb_read_number(reader, &pulse, "period", LB_OPTIONAL, &f->period) &&
        !(f->period > 0 && f->period >= f->width)) {
        lb_reader_fail(reader, &period, "%.15g, expected at least the width", f->period);
    }
}

// ---- all ---------------------------------------------------------------------------------------

static lb_status load_expression(const lb_function_loader *loader, const lb_place *place,
                                 bool motion, lb_function *f)
{
    const lb_scope *scope = &loader->scope;
    f->kind = LB_FUNCTION_EXPRESSION;
    if (motion) {
        return lb_load_expression_of_time(loader->arena, scope, loader->reader, place,
                                          f->expressions);
    }
    const lb_status status =
        lb_load_expression(loader->arena, scope, loader->reader, place, &f->expressions[0]);
    if (status == LB_OK && f->expressions[0]->stage == LB_SIGNAL_ACCELERATION) {
        lb_reader_fail(loader->reader, place,
                       "accelerations follow from forces and cannot be used in one");
    }
    return status;
}

lb_status lb_load_function(const lb_function_loader *loader, const lb_place *place, int smoothness,
                           lb_function *f)
{
    static const char *const shapes[] = {"table", "pieces", "sine", "pulse"};
    static const char *const known[][4] = {{"table", "interpolation", "ends", NULL},
                                           {"pieces", "until", NULL},
                                           {"sine", NULL},
                                           {"pulse", NULL}};
    const bool motion = smoothness > LB_FORCE_SMOOTHNESS;
    *f = (lb_function){.kind = LB_FUNCTION_CONSTANT};
    switch (lb_place_get_kind(place)) {
    case LB_DOC_NUMBER:
        lb_read_number_at(loader->reader, place, &f->value);
        return LB_OK;
    case LB_DOC_STRING:
        return load_expression(loader, place, motion, f);
    case LB_DOC_MAPPING:
        break;
    default:
        lb_reader_fail_type(loader->reader, place,
                            "a number, an expression, or one of {table: ...}, {pieces: ...}, "
                            "{sine: ...}, {pulse: ...}");
        return LB_OK;
    }
    const int errors = loader->reader->error_count;
    int shape = 0;
    while (shape < 4 && !lb_place_has_key(place, shapes[shape])) {
        ++shape;
    }
    if (shape == 4) {
        lb_reader_fail(loader->reader, place,
                       "expected one of the keys table, pieces, sine, pulse");
        return LB_OK;
    }
    lb_read_mapping(loader->reader, place, known[shape]);
    lb_status status = LB_OK;
    switch (shape) {
    case 0:
        status = load_table(loader, place, motion, f);
        break;
    case 1:
        status = load_pieces(loader, place, motion, f);
        break;
    case 2:
        load_sine(loader, place, motion, f);
        break;
    default:
        load_pulse(loader, place, motion, f);
        break;
    }
    if (status == LB_OK && loader->reader->error_count == errors &&
        lb_get_smoothness(f) < smoothness) {
        lb_reader_fail(loader->reader, place, "%s here must have no %s: %s",
                       smoothness > 0 ? "a position" : "a speed",
                       lb_get_smoothness(f) < 0 ? "jumps" : "kinks",
                       shape == 0   ? "interpolation: cubic helps"
                       : shape == 3 ? "a rise helps"
                                    : "make the pieces meet");
    }
    return status;
}
