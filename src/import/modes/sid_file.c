// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Standard input data (SID) of a flexible body, Wallrapp 1993, as Simpack, PY_SID and FEMBeam write it. A
// line is one of
//
//     21  4  :comment             the first: number of nodes and of modes; some writers leave it out
//     part, new modal, refmod, frame, new node = NAME, and `end` of each
//     mass = 7.065D+02            in refmod; nelastq = number of modes; ielastq (q) = text
//     rframe = body ref           in a node
//     Cr                          the name of a matrix; of a node: origin, phi, psi, AP, sigma
//         order = 1               1 if there is m1
//         nrow, ncol, nq, nqn     sizes
//         structure = 3           0 zero, 1 diagonal, 2 symmetric, 3 full, 4 unity
//         m0( i, j) = number      from 1; zeros may be left out
//         m1( i, j, k) = number   which of j and k is the mode differs from writer to writer
//     end Cr
//
// Capital letters or not; blanks anywhere. FEMBeam calls mdCM and J md and I.
#include <math.h>
#include <string.h>

#include "modal_files.h"
#include "sid.h"

enum { MODES_MOST = 4096 }; // of a flexible body

typedef struct reader {
    lb_import *import;
    lb_sid *sid;
    lb_lines lines;
    int entry_capacity, node_capacity;
    lb_sid_node *node;     ///< the node that is being read, or NULL
    lb_sid_matrix *matrix; ///< likewise
    lb_span matrix_name;
    lb_sid_matrix unknown; ///< of a name that is not known
    bool in_refmod, has_part, has_modal, has_end, has_mass;
    int head_nodes, head_modes; ///< of the first line; 0 if it has none
} reader;

#define FAIL(r, ...) lb_import_fail((r)->import, (r)->sid->file, (r)->lines.number, __VA_ARGS__)

// ---- words -------------------------------------------------------------------------------------

// "new  modal" is "new modal": words with one blank between them.
static bool is_words(lb_span span, const char *first, const char *second)
{
    lb_span a, b, c;
    return lb_next_field(&span, NULL, &a) && lb_span_is(a, first) &&
           (!second || (lb_next_field(&span, NULL, &b) && lb_span_is(b, second))) &&
           !lb_next_field(&span, NULL, &c);
}

bool lb_is_sid(const lb_import_file *file)
{
    lb_lines lines = lb_start_lines(file);
    bool has_part = false;
    while (lines.number < 64 && lb_next_line(&lines)) {
        const char *equals = memchr(lines.line.at, '=', lines.line.length);
        const lb_span key = {lines.line.at,
                             equals ? (size_t)(equals - lines.line.at) : lines.line.length};
        has_part |= is_words(key, "part", NULL);
        if (has_part && (is_words(key, "new", "modal") || is_words(key, "refmod", NULL))) {
            return true;
        }
    }
    return false;
}

// Which digit is the last one: 1e-12 of 3.00000000000D-01. Zero of a number without decimals, which is exact.
static double find_grain(lb_span number)
{
    int decimals = 0, exponent = 0;
    const char *at = number.at, *end = at + number.length;
    while (at < end && *at != '.' && *at != 'e' && *at != 'E' && *at != 'd' && *at != 'D') {
        ++at;
    }
    if (at < end && *at == '.') {
        for (++at; at < end && *at >= '0' && *at <= '9'; ++at) {
            ++decimals;
        }
    }
    if (decimals == 0) {
        return 0.0;
    }
    at += at < end && *at && strchr("eEdD", *at) != NULL;
    const bool is_lowered = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    for (; at < end && *at >= '0' && *at <= '9' && exponent < 1000; ++at) {
        exponent = 10 * exponent + (*at - '0');
    }
    return pow(10.0, (is_lowered ? -exponent : exponent) - decimals);
}

// ---- matrices ----------------------------------------------------------------------------------

typedef struct matrix_name {
    const char *name;
    lb_sid_matrix *matrix;
} matrix_name;

static lb_sid_matrix *find_name(const matrix_name *all, size_t count, lb_span name)
{
    for (size_t i = 0; i < count; ++i) {
        if (lb_span_is(name, all[i].name)) {
            return all[i].matrix;
        }
    }
    return NULL;
}

static lb_sid_matrix *find_matrix(reader *r, lb_span name)
{
    lb_sid *s = r->sid;
    lb_sid_node *n = r->node;
    if (n) {
        const matrix_name all[] = {{"origin", &n->origin}, {"phi", &n->phi},  {"psi", &n->psi},
                                   {"AP", &n->AP},         {"APmod", &n->AP}, {"sigma", &n->sigma}};
        return find_name(all, sizeof all / sizeof *all, name);
    }
    const matrix_name all[] = {
        {"mdCM", &s->mdCM}, {"md", &s->mdCM}, {"J", &s->J},          {"I", &s->J},   {"Ct", &s->Ct},
        {"Cr", &s->Cr},     {"Me", &s->Me},   {"Gr", &s->Gr},        {"Ge", &s->Ge}, {"Oe", &s->Oe},
        {"Ke", &s->Ke},     {"De", &s->De},   {"ksigma", &s->ksigma}};
    return find_name(all, sizeof all / sizeof *all, name);
}

static lb_status start_matrix(reader *r, lb_span name)
{
    if (r->sid->mode_count == 0) {
        return FAIL(r, "the matrix %s comes before `nelastq`, the number of modes",
                    lb_quote(name).text);
    }
    lb_sid_matrix *matrix = find_matrix(r, name);
    if (!matrix) {
        lb_import_warn(r->import, r->sid->file, r->lines.number, "%s is not known and not used",
                       lb_quote(name).text);
        r->unknown = (lb_sid_matrix){.line = 0};
        matrix = &r->unknown;
    }
    if (matrix->line > 0) {
        return FAIL(r, "%s is given twice, in line %d too", lb_quote(name).text, matrix->line);
    }
    matrix->line = r->lines.number;
    matrix->structure = LB_SID_FULL;
    matrix->first = r->sid->entry_count;
    r->matrix = matrix;
    r->matrix_name = name;
    return LB_OK;
}

// "m0( 1, 1)" or "m1( 1, 1, 1)"
static lb_status add_entry(reader *r, lb_span key, lb_span value)
{
    const bool is_m1 = lb_span_starts(key, "m1");
    if (!is_m1 && !lb_span_starts(key, "m0")) {
        return FAIL(r, "%s found in %s, expected order, nrow, ncol, nq, nqn, structure, m0 or m1",
                    lb_quote(key).text, lb_quote(r->matrix_name).text);
    }
    lb_span rest = lb_trim_span((lb_span){key.at + 2, key.length - 2}), field;
    long index[3] = {0, 0, 0};
    const int count = is_m1 ? 3 : 2;
    bool is_good = rest.length > 2 && rest.at[0] == '(' && rest.at[rest.length - 1] == ')';
    if (is_good) {
        rest = (lb_span){rest.at + 1, rest.length - 2};
        for (int i = 0; i < count && is_good; ++i) {
            is_good = lb_next_field(&rest, ",", &field) && lb_get_integer(field, &index[i]) &&
                      index[i] >= 1 && index[i] <= 3L * MODES_MOST;
        }
        is_good = is_good && !lb_next_field(&rest, ",", &field);
    }
    if (!is_good) {
        return FAIL(r, "%s found, expected %s with numbers from 1", lb_quote(key).text,
                    is_m1 ? "m1(i, j, k)" : "m0(i, j)");
    }
    lb_sid_entry entry = {(int)index[0], (int)index[1], (int)index[2], r->lines.number, 0.0};
    if (!lb_get_number(value, &entry.value)) {
        return FAIL(r, "%s found, expected a number", lb_quote(value).text);
    }
    lb_sid *sid = r->sid;
    lb_sid_entry *entries = lb_arena_grow(&r->import->arena, sid->entries, sid->entry_count,
                                          &r->entry_capacity, sizeof *entries);
    if (!entries) {
        return LB_E_MEMORY;
    }
    sid->entries = entries;
    entries[sid->entry_count++] = entry;
    ++r->matrix->count;
    r->matrix->grain = fmax(r->matrix->grain, find_grain(value));
    r->matrix->has_m1 |= is_m1 && entry.value != 0;
    return LB_OK;
}

static lb_status read_in_matrix(reader *r, lb_span key, lb_span value)
{
    static const char *const names[] = {"order", "nrow", "ncol", "nq", "structure", "nqn"};
    lb_sid_matrix *m = r->matrix;
    long nqn, *const numbers[] = {&m->order, &m->nrow, &m->ncol, &m->nq, &m->structure, &nqn};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (!lb_span_is(key, names[i])) {
            continue;
        }
        if (!lb_get_integer(value, numbers[i]) || *numbers[i] < 0) {
            return FAIL(r, "%s found for %s, expected a whole number that is not negative",
                        lb_quote(value).text, names[i]);
        }
        if (numbers[i] == &nqn && nqn > 0) {
            return FAIL(
                r, "%s has terms of higher than first order (nqn is %ld), which are not supported",
                lb_quote(r->matrix_name).text, nqn);
        }
        return LB_OK;
    }
    return add_entry(r, key, value);
}

// The sizes that a matrix must have. J has two forms.
static lb_status check_size(reader *r)
{
    lb_sid *s = r->sid;
    const lb_sid_matrix *m = r->matrix;
    const long n = s->mode_count;
    const struct {
        const lb_sid_matrix *matrix;
        long nrow, ncol;
    } sizes[] = {
        {&s->mdCM, 3, 1},
        {&s->J, 6, 1},
        {&s->J, 3, 3},
        {&s->Ct, n, 3},
        {&s->Cr, n, 3},
        {&s->Me, n, n},
        {&s->Gr, 3, 3 * n},
        {&s->Ge, n, 3 * n},
        {&s->Oe, n, 6},
        {&s->ksigma, n, 1},
        {&s->Ke, n, n},
        {&s->De, n, n},
        {r->node ? &r->node->origin : NULL, 3, 1},
        {r->node ? &r->node->phi : NULL, 3, n},
        {r->node ? &r->node->psi : NULL, 3, n},
        {r->node ? &r->node->AP : NULL, 3, 3},
    };
    if (m->structure > LB_SID_UNIT) {
        return FAIL(r, "structure %ld found in %s, expected 0 to 4", m->structure,
                    lb_quote(r->matrix_name).text);
    }
    if (m->structure == LB_SID_ZERO) {
        r->matrix->count = 0;
        r->matrix->has_m1 = false;
        return LB_OK;
    }
    long nrow = 0, ncol = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        if (sizes[i].matrix != m) {
            continue;
        }
        nrow = sizes[i].nrow;
        ncol = sizes[i].ncol;
        if (m->nrow == nrow && m->ncol == ncol) {
            break;
        }
    }
    if (nrow > 0 && (m->nrow != nrow || m->ncol != ncol)) {
        return FAIL(r, "%s has %ld rows and %ld columns, expected %ld and %ld for %ld modes",
                    lb_quote(r->matrix_name).text, m->nrow, m->ncol, nrow, ncol, n);
    }
    if (m->has_m1 && m->nq != n) {
        return FAIL(r, "%s has m1 for %ld modes (nq), expected %ld", lb_quote(r->matrix_name).text,
                    m->nq, n);
    }
    return LB_OK;
}

static lb_status end_matrix(reader *r, lb_span name)
{
    if (!lb_span_is(name, lb_quote(r->matrix_name).text)) {
        return FAIL(r, "`end %s` found, expected `end %s`", lb_quote(name).text,
                    lb_quote(r->matrix_name).text);
    }
    const lb_status status = r->matrix == &r->unknown ? LB_OK : check_size(r);
    r->matrix = NULL;
    return status;
}

// ---- the rest ----------------------------------------------------------------------------------

static lb_status set_mode_count(reader *r, long count)
{
    // nothing is allocated for modes that the file has no room to describe
    if (count < 1 || count > MODES_MOST || (size_t)count > r->sid->file->length / 8) {
        return FAIL(r, "%ld modes found, expected 1 to %d, and a file that is long enough for them",
                    count, MODES_MOST);
    }
    r->sid->mode_count = (int)count;
    return LB_IMPORT_TAKE(r->import, r->sid->frequencies, count) ? LB_OK : LB_E_MEMORY;
}

static lb_status read_refmod(reader *r, lb_span key, lb_span value)
{
    long count;
    if (lb_span_is(key, "mass")) {
        r->has_mass = true;
        return lb_get_number(value, &r->sid->mass) && r->sid->mass >= 0
                   ? LB_OK
                   : FAIL(r, "%s found, expected the mass of the body", lb_quote(value).text);
    }
    if (lb_span_is(key, "nelastq")) {
        if (!lb_get_integer(value, &count)) {
            return FAIL(r, "%s found for nelastq, expected the number of modes",
                        lb_quote(value).text);
        }
        if (r->sid->mode_count > 0) {
            return FAIL(r, "nelastq is given twice");
        }
        return set_mode_count(r, count);
    }
    if (lb_span_starts(key, "ielastq")) {
        // "ielastq (   1) = Eigen Mode    1 :        9.089 Hz": a name, from which the frequency is taken
        lb_span rest = lb_trim_span((lb_span){key.at + 7, key.length - 7});
        const char *colon = memchr(value.at, ':', value.length);
        double frequency;
        if (rest.length > 2 && rest.at[0] == '(' && rest.at[rest.length - 1] == ')' &&
            lb_get_integer(lb_trim_span((lb_span){rest.at + 1, rest.length - 2}), &count) &&
            count >= 1 && count <= r->sid->mode_count && colon) {
            lb_span number =
                lb_trim_span((lb_span){colon + 1, (size_t)(value.at + value.length - colon - 1)});
            const size_t used = lb_scan_fe_number(number.at, number.at + number.length, &frequency);
            const lb_span unit = lb_trim_span((lb_span){number.at + used, number.length - used});
            if (used > 0 && lb_span_is(unit, "Hz")) {
                r->sid->frequencies[count - 1] = frequency;
            }
        }
    }
    return LB_OK; // whatever else is there describes the modes in words
}

static lb_status start_node(reader *r, lb_span name)
{
    lb_sid *sid = r->sid;
    if (r->node) {
        return FAIL(r, "`new node` found before `end node` of the node before");
    }
    lb_sid_node *nodes = lb_arena_grow(&r->import->arena, sid->nodes, sid->node_count,
                                       &r->node_capacity, sizeof *nodes);
    if (!nodes) {
        return LB_E_MEMORY;
    }
    sid->nodes = nodes;
    r->node = &nodes[sid->node_count++];
    r->node->line = r->lines.number;
    r->node->name = lb_copy_span(r->import, name);
    return r->node->name ? LB_OK : LB_E_MEMORY;
}

// Positions are about the frame of the body, which the public writers call "body ref".
static void check_rframe(reader *r, lb_span value)
{
    if (value.length > 0 && !lb_span_starts(value, "body") && !lb_span_starts(value, "ref")) {
        lb_import_warn(r->import, r->sid->file, r->lines.number,
                       "node %.40s is given in the frame %s; it is taken as the frame of the body",
                       r->node->name, lb_quote(value).text);
    }
}

static lb_status read_end(reader *r, lb_span what)
{
    if (r->matrix) {
        return end_matrix(r, what);
    }
    if (lb_span_is(what, "node")) {
        r->node = NULL;
    } else if (lb_span_is(what, "refmod")) {
        r->in_refmod = false;
    } else if (lb_span_is(what, "modal")) {
        r->has_end = true;
    }
    return LB_OK;
}

static lb_status read_line(reader *r)
{
    const lb_span line = lb_trim_span(r->lines.line);
    const char *equals = memchr(line.at, '=', line.length);
    const lb_span key =
        equals ? lb_trim_span((lb_span){line.at, (size_t)(equals - line.at)}) : line;
    const lb_span value =
        equals ? lb_trim_span((lb_span){equals + 1, (size_t)(line.at + line.length - equals - 1)})
               : (lb_span){line.at + line.length, 0};
    lb_span rest = line, word, what;
    if (line.length == 0) {
        return LB_OK;
    }
    lb_next_field(&rest, NULL, &word);
    if (!r->has_part) {
        long nodes, modes;
        r->has_part = is_words(key, "part", NULL);
        if (r->head_modes == 0 && lb_get_integer(word, &nodes) &&
            lb_next_field(&rest, NULL, &what) && lb_get_integer(what, &modes) && nodes >= 0 &&
            modes > 0 && nodes <= 0x7fffffff && modes <= MODES_MOST) {
            r->head_nodes = (int)nodes;
            r->head_modes = (int)modes;
        }
        return LB_OK;
    }
    if (lb_span_is(word, "end") && !equals) {
        return lb_next_field(&rest, NULL, &what) ? read_end(r, what)
                                                 : FAIL(r, "`end` found, expected what ends");
    }
    if (r->matrix) {
        return equals ? read_in_matrix(r, key, value)
                      : FAIL(r, "%s found in %s, expected `end %s`", lb_quote(line).text,
                             lb_quote(r->matrix_name).text, lb_quote(r->matrix_name).text);
    }
    if (r->has_end) {
        return is_words(key, "new", "modal")
                   ? FAIL(r, "a second `new modal`; put each body into a file of its own")
                   : LB_OK;
    }
    if (is_words(key, "new", "modal")) {
        r->has_modal = true;
        return LB_OK;
    }
    if (is_words(key, "refmod", NULL)) {
        r->in_refmod = true;
        return LB_OK;
    }
    if (r->in_refmod) {
        return read_refmod(r, key, value);
    }
    if (is_words(key, "frame", NULL) || is_words(key, "new", "frame")) {
        return LB_OK;
    }
    if (is_words(key, "new", "node")) {
        return start_node(r, value);
    }
    if (r->node && lb_span_is(key, "rframe")) {
        check_rframe(r, value);
        return LB_OK;
    }
    if (!equals && is_words(line, lb_quote(word).text, NULL)) {
        return start_matrix(r, word);
    }
    return FAIL(r, "%s found, expected the name of a matrix or the end of a part",
                lb_quote(line).text);
}

lb_status lb_parse_sid(lb_import *import, const lb_import_file *file, lb_sid *sid)
{
    *sid = (lb_sid){.file = file};
    reader state = {.import = import, .sid = sid, .lines = lb_start_lines(file)}, *r = &state;
    while (lb_next_line(&r->lines)) {
        const lb_status status = read_line(r);
        if (status != LB_OK) {
            return status;
        }
    }
    if (!r->has_end) {
        return FAIL(r, "the file ends before `end modal`: it was cut short");
    }
    if (!r->has_mass || sid->mode_count == 0) {
        return FAIL(r, "refmod has no %s", r->has_mass ? "nelastq" : "mass");
    }
    if (r->head_modes > 0 &&
        (r->head_modes != sid->mode_count || r->head_nodes != sid->node_count)) {
        return lb_import_fail(
            import, file, 1,
            "%d nodes and %d modes announced, %d and %d found: the file was cut or joined",
            r->head_nodes, r->head_modes, sid->node_count, sid->mode_count);
    }
    return LB_OK;
}
