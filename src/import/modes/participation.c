// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A table of participation factors, as a structures group hands it over: a CSV file. First rows `key, value`,
// then a row with the names of the columns, then one row per mode. For instance
//
//     # solar array, fixed at its hinge
//     mass,            120
//     centre,          0, 0, 2.5
//     inertia,         260, 250, 12, 0, 0, 0      xx yy zz xy xz yz; xy is -sum m x y
//     inertia about,   centre                     or `reference`
//     reference,       0, 0, 0                    the point of R1, R2, R3
//     interface,       0, 0, 0                    where the body is held: the node `interface`
//     factors,         participation              or `effective mass`
//     mode, frequency, damping, T1, T2, T3, R1, R2, R3
//     1,    0.35,      0.005,   7.2, 0, 0, 0, 21.4, 0
//
// Separators are commas, or semicolons with decimal commas or points. Text may be in quotes. A line that
// starts with # is a comment. Capital letters do not count. Columns may be in any order; behind the name of a
// column, a unit in brackets is allowed: Hz for the frequency; sqrt(kg) and sqrt(kg) m for factors. Damping is a
// ratio and may be absent.
//
// A factor is L = sum m phi (T) and sum m (x - reference) ~ phi (R) of a mode with modal mass one. An effective mass
// is its square, which has lost the sign. It serves if a mode has only one of the six, since the sign of a mode
// is free. JPL hybrid-coordinate practice: M_ff = 1, K = omega^2, E and B0 are the factors. Inertia that
// depends on the deformation is not known.
#include <math.h>
#include <string.h>

#include "base/symmetric.h"
#include "modal_files.h"
#include "structure/fe.h"

enum { COLUMNS = 9, FREQUENCY = 1, DAMPING = 2, FACTOR = 3, MODES_MOST = 4096, CELLS = 32 };

static const char *const column_names[COLUMNS] = {"mode", "frequency", "damping", "T1", "T2",
                                                  "T3",   "R1",        "R2",      "R3"};

enum { MASS, CENTRE, INERTIA, INERTIA_ABOUT, REFERENCE, INTERFACE, FACTORS, KEYS };

static const struct {
    const char *name;
    int count; ///< of numbers; 0 for a word
    const char *expected;
} keys[KEYS] = {{"mass", 1, "the mass of the whole body"},
                {"centre", 3, "three numbers: its centre of mass"},
                {"inertia", 6, "six numbers: xx yy zz xy xz yz"},
                {"inertia about", 0, "`centre` or `reference`"},
                {"reference", 3, "three numbers: the point of R1, R2, R3"},
                {"interface", 3, "three numbers: where the body is held"},
                {"factors", 0, "`participation` or `effective mass`"}};

typedef struct reader {
    lb_import *import;
    const lb_import_file *file;
    lb_lines lines;
    char separator[2];
    lb_span cells[CELLS];
    int cell_count;
    int lines_of[KEYS];
    double values[KEYS][6];
    bool is_about_reference, is_effective;
    int columns[COLUMNS]; ///< their cells; -1 if absent
    int header_line;
    int n, capacity;
    double (*rows)[COLUMNS];
    int *row_lines;
} reader;

#define FAIL(r, line, ...) lb_import_fail((r)->import, (r)->file, line, __VA_ARGS__)
#define WARN(r, line, ...) lb_import_warn((r)->import, (r)->file, line, __VA_ARGS__)

// ---- cells -------------------------------------------------------------------------------------

// The cells of a line; a quoted one may have separators in it. Empty cells at the end do not count, as
// spreadsheets add them. False if there are too many.
static bool split(reader *r, lb_span line)
{
    const char *at = line.at, *end = at + line.length;
    r->cell_count = 0;
    while (at <= end) {
        const char *start = at;
        bool in_quotes = false;
        while (at < end && (in_quotes || *at != r->separator[0])) {
            in_quotes ^= *at == '"';
            ++at;
        }
        lb_span cell = lb_trim_span((lb_span){start, (size_t)(at - start)});
        if (cell.length >= 2 && cell.at[0] == '"' && cell.at[cell.length - 1] == '"') {
            cell = lb_trim_span((lb_span){cell.at + 1, cell.length - 2});
        }
        if (r->cell_count == CELLS) {
            return false;
        }
        r->cells[r->cell_count++] = cell;
        ++at;
    }
    while (r->cell_count > 0 && r->cells[r->cell_count - 1].length == 0) {
        --r->cell_count;
    }
    return true;
}

// A name of a column without its unit: "T1 [sqrt(kg)]", "f_Hz".
static lb_span strip_unit(lb_span cell)
{
    size_t length = 0;
    while (length < cell.length && cell.at[length] != '(' && cell.at[length] != '[') {
        ++length;
    }
    return lb_trim_span((lb_span){cell.at, length});
}

static int find_column(lb_span cell)
{
    static const struct {
        const char *name;
        int column;
    } others[] = {
        {"f_Hz", FREQUENCY}, {"freq", FREQUENCY}, {"f", FREQUENCY}, {"damping ratio", DAMPING},
        {"zeta", DAMPING},   {"no", 0},           {"number", 0}};
    const lb_span name = strip_unit(cell);
    for (int c = 0; c < COLUMNS; ++c) {
        if (lb_span_is(name, column_names[c])) {
            return c;
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        if (lb_span_is(name, others[i].name)) {
            return others[i].column;
        }
    }
    return -1;
}

// Whether the cells are names of columns, the six factors among them.
static bool is_header(const reader *r)
{
    int found = 0;
    for (int i = 0; i < r->cell_count; ++i) {
        found += find_column(r->cells[i]) >= FACTOR;
    }
    return found >= 6;
}

// Whether a line can have the names of six factors and a frequency.
static bool has_cells(lb_span line, char separator)
{
    const char *at = line.at, *end = at + line.length;
    for (int separators = 0; separators < 6; ++separators) {
        at = memchr(at, separator, (size_t)(end - at));
        if (!at) {
            return false;
        }
        ++at;
    }
    return true;
}

// The separator is what the row of names has between them.
static bool find_header(reader *r)
{
    static const char separators[] = {',', ';'};
    lb_lines lines = lb_start_lines(r->file);
    while (lines.number < 200 && lb_next_line(&lines)) {
        for (int s = 0; s < 2; ++s) {
            if (!has_cells(lines.line, separators[s])) {
                continue;
            }
            const lb_span line = lb_trim_span(lines.line);
            r->separator[0] = separators[s];
            if (line.at[0] != '#' && split(r, line) && is_header(r)) {
                r->header_line = lines.number;
                return true;
            }
        }
    }
    return false;
}

bool lb_is_participation(const lb_import_file *file)
{
    reader r = {.file = file};
    return find_header(&r);
}

// With semicolons, a comma is a decimal point.
static bool get_number(const reader *r, lb_span cell, double *value)
{
    char copy[64];
    if (r->separator[0] == ',' || cell.length >= sizeof copy) {
        return lb_get_number(cell, value);
    }
    for (size_t i = 0; i < cell.length; ++i) {
        copy[i] = cell.at[i] == ',' ? '.' : cell.at[i];
    }
    return lb_get_number((lb_span){copy, cell.length}, value);
}

// ---- rows --------------------------------------------------------------------------------------

static lb_status read_word(reader *r, int key, lb_span word)
{
    const bool is_second = lb_span_is(word, key == FACTORS ? "effective mass" : "reference");
    if (!is_second && !lb_span_is(word, key == FACTORS ? "participation" : "centre")) {
        return FAIL(r, r->lines.number, "%s found for `%s`, expected %s", lb_quote(word).text,
                    keys[key].name, keys[key].expected);
    }
    if (key == FACTORS) {
        r->is_effective = is_second;
    } else {
        r->is_about_reference = is_second;
    }
    return LB_OK;
}

static lb_status read_key(reader *r)
{
    int key = 0;
    const lb_span name = r->cells[0];
    while (key < KEYS && !lb_span_is(name, keys[key].name)) {
        ++key;
    }
    key = lb_span_is(name, "center") ? CENTRE : key;
    if (key == KEYS) {
        return FAIL(r, r->lines.number,
                    "%s found, expected mass, centre, inertia, inertia about, reference, "
                    "interface, factors, or the names of the columns",
                    lb_quote(name).text);
    }
    if (r->lines_of[key] > 0) {
        return FAIL(r, r->lines.number, "`%s` is given twice, in line %d too", keys[key].name,
                    r->lines_of[key]);
    }
    r->lines_of[key] = r->lines.number;
    const int count = keys[key].count > 0 ? keys[key].count : 1;
    if (r->cell_count != 1 + count) {
        return FAIL(r, r->lines.number, "%d values found for `%s`, expected %s", r->cell_count - 1,
                    keys[key].name, keys[key].expected);
    }
    if (keys[key].count == 0) {
        return read_word(r, key, r->cells[1]);
    }
    for (int i = 0; i < count; ++i) {
        if (!get_number(r, r->cells[1 + i], &r->values[key][i])) {
            return FAIL(r, r->lines.number, "%s found for `%s`, expected %s",
                        lb_quote(r->cells[1 + i]).text, keys[key].name, keys[key].expected);
        }
    }
    return LB_OK;
}

static lb_status read_header(reader *r)
{
    for (int c = 0; c < COLUMNS; ++c) {
        r->columns[c] = -1;
    }
    for (int i = 0; i < r->cell_count; ++i) {
        const int column = find_column(r->cells[i]);
        if (column < 0 || r->columns[column] >= 0) {
            return FAIL(r, r->lines.number, "the column %s is %s", lb_quote(r->cells[i]).text,
                        column < 0
                            ? "not known; expected mode, frequency, damping, T1, T2, T3, R1, R2, R3"
                            : "given twice");
        }
        const lb_span unit = {r->cells[i].at + strip_unit(r->cells[i]).length,
                              r->cells[i].length - strip_unit(r->cells[i]).length};
        const lb_span inside = lb_trim_span(unit);
        const bool has_unit = inside.length > 2;
        const lb_span word =
            has_unit ? lb_trim_span((lb_span){inside.at + 1, inside.length - 2}) : inside;
        if (has_unit && ((column == FREQUENCY && !lb_span_is(word, "Hz")) ||
                         (column == DAMPING && !lb_span_is(word, "-") && !lb_span_is(word, "1")))) {
            return FAIL(r, r->lines.number, "the unit %s found, expected %s", lb_quote(inside).text,
                        column == FREQUENCY ? "Hz" : "a ratio without a unit: 0.005 and not 0.5 %");
        }
        r->columns[column] = i;
    }
    for (int c = FREQUENCY; c < COLUMNS; ++c) {
        if (r->columns[c] < 0 && c != DAMPING) {
            return FAIL(r, r->lines.number, "there is no column %s", column_names[c]);
        }
    }
    if (r->columns[DAMPING] < 0) {
        WARN(r, r->lines.number, "there is no column damping: the modes are not damped");
    }
    return LB_OK;
}

static lb_status read_row(reader *r)
{
    double row[COLUMNS] = {0};
    int most = 0;
    for (int c = FREQUENCY; c < COLUMNS; ++c) {
        const int cell = r->columns[c];
        most = cell > most ? cell : most;
        if (cell >= 0 && (cell >= r->cell_count || !get_number(r, r->cells[cell], &row[c]))) {
            return FAIL(r, r->lines.number, "%s found in column %s, expected a number",
                        cell >= r->cell_count || r->cells[cell].length == 0
                            ? "nothing"
                            : lb_quote(r->cells[cell]).text,
                        column_names[c]);
        }
    }
    most = r->columns[0] > most ? r->columns[0] : most;
    if (r->cell_count > most + 1) {
        return FAIL(r, r->lines.number, "%d values found, but %d columns", r->cell_count, most + 1);
    }
    if (row[FREQUENCY] <= 0 || row[DAMPING] < 0 || row[DAMPING] >= 1) {
        return FAIL(r, r->lines.number,
                    "frequency %g Hz and damping %g found, expected a positive frequency and a "
                    "damping ratio from 0 to below 1",
                    row[FREQUENCY], row[DAMPING]);
    }
    if (r->n == MODES_MOST) {
        return FAIL(r, r->lines.number, "more than %d modes", MODES_MOST);
    }
    int lines_capacity = r->capacity;
    double(*rows)[COLUMNS] =
        lb_arena_grow(&r->import->arena, r->rows, r->n, &r->capacity, sizeof *rows);
    int *row_lines =
        lb_arena_grow(&r->import->arena, r->row_lines, r->n, &lines_capacity, sizeof *row_lines);
    if (!rows || !row_lines) {
        return LB_E_MEMORY;
    }
    r->rows = rows;
    r->row_lines = row_lines;
    memcpy(rows[r->n], row, sizeof row);
    row_lines[r->n++] = r->lines.number;
    return LB_OK;
}

static lb_status read_file(reader *r)
{
    find_header(r);
    r->lines = lb_start_lines(r->file);
    while (lb_next_line(&r->lines)) {
        const lb_span line = lb_trim_span(r->lines.line);
        if (line.length == 0 || line.at[0] == '#') {
            continue;
        }
        if (!split(r, line)) {
            return FAIL(r, r->lines.number, "more than %d values in a row", CELLS);
        }
        const lb_status status = r->cell_count == 0                  ? LB_OK
                                 : r->lines.number < r->header_line  ? read_key(r)
                                 : r->lines.number == r->header_line ? read_header(r)
                                                                     : read_row(r);
        if (status != LB_OK) {
            return status;
        }
    }
    for (int key = 0; key < KEYS; ++key) {
        if (r->lines_of[key] == 0) {
            return FAIL(r, r->header_line, "there is no row `%s` before the table, expected %s",
                        keys[key].name, keys[key].expected);
        }
    }
    return r->n > 0 ? LB_OK : FAIL(r, r->header_line, "the table has no modes");
}

// ---- what it means -----------------------------------------------------------------------------

// Effective masses to factors, where they tell them.
static lb_status find_factors(reader *r, const double J_c[6])
{
    const double m = r->values[MASS][0];
    double J[6];
    memcpy(J, J_c, sizeof J);
    const double *c = r->values[CENTRE], *p = r->values[REFERENCE];
    const double d[3] = {c[0] - p[0], c[1] - p[1], c[2] - p[2]};
    lb_shift_inertia(m, d, J);
    for (int q = 0; q < r->n; ++q) {
        int first = -1;
        for (int i = 0; i < 6; ++i) {
            double *value = &r->rows[q][FACTOR + i];
            // 1e-9 of the whole: round-off of who computed it
            const double whole = i < 3 ? m : fmax(J[0], fmax(J[1], J[2]));
            if (*value < 0) {
                return FAIL(r, r->row_lines[q],
                            "an effective mass of %g in column %s; it is a square", *value,
                            column_names[FACTOR + i]);
            }
            if (*value <= 1e-9 * whole) {
                *value = 0;
                continue;
            }
            if (first >= 0) {
                return FAIL(r, r->row_lines[q],
                            "mode %d has effective masses in %s and %s, without the signs that "
                            "tell how they go together; ask for participation factors",
                            q + 1, column_names[FACTOR + first], column_names[FACTOR + i]);
            }
            first = i;
            *value = sqrt(*value);
        }
    }
    return LB_OK;
}

// What is left of the rigid body if the modes stand still must have a mass that is not negative. About the centre,
// in units in which the rigid body is unity.
static lb_status check_rest(reader *r, const double J_c[6])
{
    const double *c = r->values[CENTRE], *p = r->values[REFERENCE], m = r->values[MASS][0];
    const double d[3] = {p[0] - c[0], p[1] - c[1], p[2] - c[2]};
    double A[36] = {0}, scale[6], rigid[6], values[6];
    for (int i = 0; i < 3; ++i) {
        A[7 * i] = m;
        A[7 * (3 + i)] = J_c[i];
    }
    A[6 * 3 + 4] = A[6 * 4 + 3] = J_c[3];
    A[6 * 3 + 5] = A[6 * 5 + 3] = J_c[4];
    A[6 * 4 + 5] = A[6 * 5 + 4] = J_c[5];
    for (int i = 0; i < 6; ++i) {
        rigid[i] = A[7 * i];
        scale[i] = rigid[i] > 0 ? 1 / sqrt(rigid[i]) : 1.0;
    }
    for (int q = 0; q < r->n; ++q) {
        double L[6], arm[3];
        memcpy(L, r->rows[q] + FACTOR, sizeof L);
        lb_fe_cross(d, L, arm);
        for (int i = 0; i < 3; ++i) {
            L[3 + i] += arm[i];
        }
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                A[6 * i + j] -= L[i] * L[j];
            }
        }
    }
    double rest[6];
    for (int i = 0; i < 6; ++i) {
        rest[i] = A[7 * i];
        for (int j = 0; j < 6; ++j) {
            A[6 * i + j] *= scale[i] * scale[j];
        }
    }
    // 1e-3: what a table of few digits may take too much; beyond, it is about another body or another point
    for (int i = 0; i < 6; ++i) {
        if (rest[i] < -1e-3 * fabs(rigid[i])) {
            return FAIL(r, r->header_line,
                        "the modes carry %g %s in %s about the centre of mass, more than the %g of "
                        "the whole body: check the units, the reference point and that the factors "
                        "belong to modal mass one",
                        rigid[i] - rest[i], i < 3 ? "kg" : "kg m2", column_names[FACTOR + i],
                        rigid[i]);
        }
    }
    lb_compute_eigenvalues(6, A, values);
    if (!(values[0] >= -1e-3)) {
        return FAIL(r, r->header_line,
                    "the modes carry more than the whole body has: what they leave of it is "
                    "negative, by %g of the whole in one direction; check the reference point and "
                    "the signs of the factors",
                    -values[0]);
    }
    if (values[0] < -1e-9) {
        WARN(r, r->header_line,
             "the modes carry more than the whole body has, by %g of it in one direction: a body "
             "that flies freely may fail; give more digits or fewer modes",
             -values[0]);
    }
    return LB_OK;
}

static lb_status make_body(reader *r, const double J_c[6], lb_modal_body *body)
{
    const size_t n = (size_t)r->n;
    lb_arena *arena = &r->import->arena;
    double *M = lb_take_numbers(arena, n * n), *K = lb_take_numbers(arena, n * n);
    double *C = lb_take_numbers(arena, n * n), *E = lb_take_numbers(arena, 3 * n);
    double *B0 = lb_take_numbers(arena, 3 * n), *shape = lb_take_numbers(arena, 6 * n);
    lb_flex_node *node;
    if (!M || !K || !C || !E || !B0 || !shape || !LB_IMPORT_TAKE(r->import, node, 1)) {
        return LB_E_MEMORY;
    }
    for (size_t q = 0; q < n; ++q) {
        const double *row = r->rows[q], omega = 2 * 3.14159265358979323846 * row[FREQUENCY];
        M[q * n + q] = 1.0;
        K[q * n + q] = omega * omega;
        C[q * n + q] = 2 * row[DAMPING] * omega;
        // the factors of rotation are carried from the reference point to the frame
        double arm[3];
        lb_fe_cross(r->values[REFERENCE], row + FACTOR, arm);
        for (int i = 0; i < 3; ++i) {
            E[3 * q + (size_t)i] = row[FACTOR + i];
            B0[3 * q + (size_t)i] = row[FACTOR + 3 + i] + arm[i];
        }
    }
    lb_flex_integrals *I = &body->integrals;
    *I = (lb_flex_integrals){
        .size = sizeof *I, .mass = r->values[MASS][0], .M_ff = M, .E = E, .B0 = B0};
    memcpy(I->S0, J_c, sizeof I->S0);
    lb_shift_inertia(I->mass, r->values[CENTRE], I->S0);
    for (int i = 0; i < 3; ++i) {
        I->h0[i] = I->mass * r->values[CENTRE][i];
    }
    // the modes are those of the body held there, so that this node stays where it is
    *node = lb_default_flex_node();
    node->name = "interface";
    node->shape = shape;
    memcpy(node->position, r->values[INTERFACE], sizeof node->position);
    *body = (lb_modal_body){.format = "participation table",
                            .flex = lb_default_flex_options(),
                            .integrals = *I,
                            .order = LB_INERTIA_ORDER_0};
    body->flex.mode_count = r->n;
    body->flex.node_count = 1;
    body->flex.nodes = node;
    body->flex.stiffness = K;
    body->flex.damping = r->columns[DAMPING] >= 0 ? C : NULL;
    body->flex.integrals = &body->integrals;
    return lb_finish_modal_body(r->import, r->file, r->header_line, body);
}

lb_status lb_read_participation(lb_import *import, lb_modal_body *body)
{
    const lb_import_file *file = lb_take_only_file(import, lb_is_participation, "participation");
    reader state = {.import = import, .file = file}, *r = &state;
    if (!file) {
        return LB_E_SYNTAX;
    }
    lb_status status = read_file(r);
    if (status != LB_OK) {
        return status;
    }
    const double m = r->values[MASS][0], *c = r->values[CENTRE], *p = r->values[REFERENCE];
    double J_c[6];
    memcpy(J_c, r->values[INERTIA], sizeof J_c);
    if (r->is_about_reference) {
        const double d[3] = {c[0] - p[0], c[1] - p[1], c[2] - p[2]};
        lb_shift_inertia(-m, d, J_c);
    }
    if (m <= 0 || J_c[0] < 0 || J_c[1] < 0 || J_c[2] < 0) {
        return FAIL(
            r, r->lines_of[m <= 0 ? MASS : INERTIA],
            "the mass %g with the inertia %g %g %g about the centre of mass is not that of a body",
            m, J_c[0], J_c[1], J_c[2]);
    }
    status = r->is_effective ? find_factors(r, J_c) : LB_OK;
    status = status == LB_OK ? check_rest(r, J_c) : status;
    return status == LB_OK ? make_body(r, J_c, body) : status;
}
