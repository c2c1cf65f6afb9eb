// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "reader.h"

#include <limits.h>
#include <string.h>

#include "base/formula/number.h"
#include "base/report/findings.h"
#include "expand/expand.h"
#include "values.h"

// ---- places ------------------------------------------------------------------------------------

lb_place lb_place_at_key(const lb_place *up, const char *key)
{
    const bool mapping = lb_place_get_kind(up) == LB_DOC_MAPPING;
    return (lb_place){up, key, mapping ? lb_doc_find(up->node, key) : NULL, 0};
}

lb_place lb_place_at_pair(const lb_place *up, size_t i)
{
    return (lb_place){up, lb_doc_get_key(up->node, i)->value.text, lb_doc_get_value(up->node, i),
                      0};
}

lb_place lb_place_at_index(const lb_place *up, size_t index)
{
    return (lb_place){up, NULL, lb_doc_get_element(up->node, index), index};
}

const lb_place *lb_place_get_root(const lb_place *place)
{
    while (place->up) {
        place = place->up;
    }
    return place;
}

bool lb_place_exists(const lb_place *place)
{
    return place->node != NULL;
}

bool lb_place_has_key(const lb_place *up, const char *key)
{
    return lb_place_at_key(up, key).node != NULL;
}

const char *lb_place_get_key(const lb_place *place)
{
    return place->key;
}

lb_doc_kind lb_place_get_kind(const lb_place *place)
{
    return place->node ? lb_doc_get_kind(place->node) : LB_DOC_NULL;
}

size_t lb_place_get_count(const lb_place *place)
{
    const lb_doc_kind kind = lb_place_get_kind(place);
    return kind == LB_DOC_SEQUENCE || kind == LB_DOC_MAPPING ? lb_doc_get_count(place->node) : 0;
}

size_t lb_place_count_items(const lb_place *place)
{
    return lb_place_get_kind(place) == LB_DOC_SEQUENCE ? lb_place_get_count(place)
                                                       : place->node != NULL;
}

lb_place lb_place_at_item(const lb_place *place, size_t i)
{
    return lb_place_get_kind(place) == LB_DOC_SEQUENCE ? lb_place_at_index(place, i) : *place;
}

const char *lb_place_get_string(const lb_place *place)
{
    return lb_place_get_kind(place) == LB_DOC_STRING ? place->node->value.text : NULL;
}

// What is at a place, or else around it.
static const lb_doc_node *lb_place_find_node(const lb_place *place)
{
    while (!place->node) {
        place = place->up;
    }
    return place->node;
}

void lb_place_get_mark(const lb_place *place, int *line, int *column)
{
    const lb_doc_mark mark = lb_doc_get_mark(lb_place_find_node(place));
    *line = (int)mark.line;
    *column = (int)mark.column;
}

lb_text lb_place_get_path(const lb_place *place)
{
    // the way down from the root, which is no part of a path
    const lb_place *way[LB_DOC_DEPTH_MAX + 2];
    int depth = 0;
    for (const lb_place *p = place; p->up && depth < LB_DOC_DEPTH_MAX + 2; p = p->up) {
        way[depth++] = p;
    }
    lb_text path = {.length = 0};
    path.data[0] = '\0';
    while (depth-- > 0) {
        const char *key = way[depth]->key;
        if (key) {
            lb_text_add_key(&path, key);
        } else {
            lb_text_add_index(&path, way[depth]->index);
        }
    }
    return path;
}

// The entry of a mapping whose key is the longest beginning of a path.
static const lb_doc_node *lb_follow_key(const lb_doc_node *mapping, const char *path, size_t *used)
{
    const lb_doc_node *best = NULL;
    for (size_t i = 0; i < lb_doc_get_count(mapping); ++i) {
        const char *key = lb_doc_get_key(mapping, i)->value.text;
        const size_t length = strlen(key);
        if (length > 0 && strncmp(path, key, length) == 0 && strchr(".[", path[length]) &&
            (!best || length > *used)) {
            best = lb_doc_get_value(mapping, i);
            *used = length;
        }
    }
    return best;
}

static const lb_doc_node *lb_follow_index(const lb_doc_node *sequence, const char *path,
                                          size_t *used)
{
    size_t index = 0, i = 1;
    for (; path[i] >= '0' && path[i] <= '9'; ++i) {
        index = index * 10 + (size_t)(path[i] - '0');
    }
    *used = i + (path[i] == ']');
    return path[0] == '[' && index < lb_doc_get_count(sequence)
               ? lb_doc_get_element(sequence, index)
               : NULL;
}

static void lb_way_add(lb_way *way, const lb_doc_node *node)
{
    if (way->count < (int)(sizeof way->nodes / sizeof *way->nodes)) {
        way->nodes[way->count++] = node;
    }
}

lb_way lb_place_get_way(const lb_place *place, const char *path)
{
    lb_way up = {.count = 0}, way = {.count = 0};
    for (const lb_place *p = place; p; p = p->up) {
        if (p->node) {
            lb_way_add(&up, p->node);
        }
    }
    while (up.count > 0) {
        lb_way_add(&way, up.nodes[--up.count]);
    }
    for (const lb_doc_node *node = way.nodes[way.count - 1]; node;) {
        path += *path == '.';
        size_t used = 0;
        const lb_doc_node *next = NULL;
        if (*path && lb_doc_get_kind(node) == LB_DOC_MAPPING) {
            next = lb_follow_key(node, path, &used);
        } else if (*path && lb_doc_get_kind(node) == LB_DOC_SEQUENCE) {
            next = lb_follow_index(node, path, &used);
        }
        if (next) {
            lb_way_add(&way, next);
        }
        node = next;
        path += used;
    }
    way.rest = path;
    return way;
}

const lb_doc_node *lb_place_follow(const lb_place *place, const char *path)
{
    const lb_way way = lb_place_get_way(place, path);
    return way.nodes[way.count - 1];
}

// ---- errors ------------------------------------------------------------------------------------

static const char *lb_get_file_of(const lb_reader *reader, const lb_doc_node *node)
{
    const lb_context *context = reader->context;
    const unsigned file = lb_doc_get_file(node);
    return file && context && context->files ? context->files[file] : reader->file;
}

const char *lb_find_file(const lb_reader *reader, const lb_place *place)
{
    return lb_get_file_of(reader, lb_place_find_node(place));
}

void lb_reader_tell(const lb_reader *reader, const lb_way *way, const lb_diagnostic *diagnostic)
{
    const lb_context *context = reader->context;
    const lb_doc_node *node = way->nodes[way->count - 1];
    const lb_doc_mark mark = lb_doc_get_mark(node);
    lb_text message = {.length = 0};
    lb_diagnostic located = *diagnostic;
    located.file = lb_get_file_of(reader, node);
    located.line = (int)mark.line;
    located.column = (int)mark.column;
    if (context) {
        lb_text_add(&message, "%s", diagnostic->message);
        lb_explain_way(context, way->nodes, way->count, &message);
        located.message = message.data;
    }
    if (reader->report.emit) {
        reader->report.emit(reader->report.user, &located);
    }
}

// The node that counts is the place's own, or its key.
static void lb_reader_emit(lb_reader *reader, lb_severity severity, const lb_doc_node *node,
                           const lb_place *place, const char *format, va_list arguments)
{
    reader->error_count += severity == LB_SEVERITY_ERROR;
    const lb_place *keyed = place;
    while (keyed && !keyed->key) {
        keyed = keyed->up;
    }
    if (!lb_is_reported(&reader->report, format, keyed ? keyed->key : NULL)) {
        return;
    }
    const lb_text path = lb_place_get_path(place);
    lb_text message = {.length = 0};
    lb_text_add_list(&message, format, arguments);
    lb_way way = lb_place_get_way(place, "");
    way.nodes[way.count - 1] = node;
    const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                      .severity = severity,
                                      .path = path.data,
                                      .message = message.data};
    lb_reader_tell(reader, &way, &diagnostic);
}

void lb_reader_fail(lb_reader *reader, const lb_place *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    lb_reader_emit(reader, LB_SEVERITY_ERROR, lb_place_find_node(place), place, format, arguments);
    va_end(arguments);
}

void lb_reader_relay(lb_reader *reader, const lb_place *root, const lb_diagnostic *diagnostic)
{
    reader->error_count += diagnostic->severity == LB_SEVERITY_ERROR;
    const lb_way way = lb_place_get_way(root, diagnostic->path);
    lb_reader_tell(reader, &way, diagnostic);
}

void lb_reader_warn(lb_reader *reader, const lb_place *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    lb_reader_emit(reader, LB_SEVERITY_WARNING, lb_place_find_node(place), place, format,
                   arguments);
    va_end(arguments);
}

void lb_reader_fail_key(lb_reader *reader, const lb_place *entry, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    // a key comes right before its value
    lb_reader_emit(reader, LB_SEVERITY_ERROR, entry->node - 1, entry, format, arguments);
    va_end(arguments);
}

void lb_reader_fail_type(lb_reader *reader, const lb_place *place, const char *expected)
{
    lb_text found = {.length = 0};
    const lb_doc_node *node = place->node;
    if (!node) {
        lb_reader_fail(reader, place, "missing: expected %s", expected);
        return;
    }
    switch (lb_doc_get_kind(node)) {
    case LB_DOC_NULL:
        lb_text_add(&found, "null");
        break;
    case LB_DOC_BOOL:
        lb_text_add(&found, node->value.truth ? "true" : "false");
        break;
    case LB_DOC_NUMBER:
        lb_text_add(&found, "the number %.15g", node->value.number);
        break;
    case LB_DOC_STRING:
        lb_text_add(&found, "the string \"");
        lb_text_add_excerpt(&found, node->value.text);
        lb_text_add(&found, "\"");
        break;
    case LB_DOC_SEQUENCE:
        lb_text_add(&found, "a list of %zu", lb_doc_get_count(node));
        break;
    case LB_DOC_MAPPING:
        lb_text_add(&found, "a mapping");
        break;
    }
    lb_reader_fail(reader, place, "expected %s, found %s", expected, found.data);
}

// ---- keys and words ----------------------------------------------------------------------------

// Changes of one letter (or of two neighbours) that turn a into b; a large number if either is
// long, for no known word is.
static int lb_count_changes(const char *a, const char *b)
{
    enum { MAX = 24 };
    int row[3][MAX + 1];
    const size_t n = strlen(a), m = strlen(b);
    if (n > MAX || m > MAX) {
        return INT_MAX;
    }
    for (size_t i = 0; i <= n; ++i) {
        int *now = row[i % 3];
        const int *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; ++j) {
            if (i == 0) {
                now[j] = (int)j;
                continue;
            }
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *lb_find_similar(const char *word, const char *const *known)
{
    const char *nearest = NULL;
    int least = (int)(strlen(word) < 6 ? 2 : 3);
    for (const char *const *k = known; *k; ++k) {
        const int changes = lb_count_changes(word, *k);
        if (changes < least) {
            nearest = *k;
            least = changes;
        }
    }
    return nearest;
}

// Says that a word is unknown, which one was perhaps meant, and which there are.
static lb_text lb_describe_unknown(const char *what, const char *word, const char *const *known)
{
    lb_text text = {.length = 0};
    lb_text_add(&text, "unknown %s \"", what);
    lb_text_add_excerpt(&text, word);
    lb_text_add(&text, "\"");
    const char *nearest = lb_find_similar(word, known);
    if (nearest) {
        lb_text_add(&text, ", did you mean \"%s\"?", nearest);
    }
    lb_text_add(&text, "%s expected one of", nearest ? "" : ",");
    for (const char *const *k = known; *k; ++k) {
        lb_text_add(&text, "%s %s", k == known ? "" : ",", *k);
    }
    return text;
}

bool lb_read_mapping(lb_reader *reader, const lb_place *place, const char *const *known)
{
    if (lb_place_get_kind(place) != LB_DOC_MAPPING) {
        lb_reader_fail_type(reader, place, "a mapping");
        return false;
    }
    for (size_t i = 0; i < lb_place_get_count(place); ++i) {
        const char *key = lb_doc_get_key(place->node, i)->value.text;
        const char *const *k = known;
        while (*k && strcmp(*k, key) != 0) {
            ++k;
        }
        if (!*k) {
            const lb_text message = lb_describe_unknown("key", key, known);
            const lb_place entry = lb_place_at_pair(place, i);
            lb_reader_fail_key(reader, &entry, "%s", message.data);
        }
    }
    return true;
}

// ---- values ------------------------------------------------------------------------------------

bool lb_find_value(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                   lb_place *place)
{
    *place = lb_place_at_key(up, key);
    if (!place->node && need == LB_REQUIRED) {
        lb_reader_fail(reader, place, "missing: the key \"%s\" is required here", key);
    }
    return place->node;
}

// Finds a value of a kind.
bool lb_find_kind(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                  lb_doc_kind kind, const char *expected, lb_place *place)
{
    const bool exists = lb_find_value(reader, up, key, need, place);
    if (exists && lb_place_get_kind(place) != kind) {
        lb_reader_fail_type(reader, place, expected);
    }
    return exists && lb_place_get_kind(place) == kind;
}

bool lb_read_string(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                    const char **text)
{
    lb_place place;
    const bool good = lb_find_kind(reader, up, key, need, LB_DOC_STRING, "a string", &place);
    *text = good ? place.node->value.text : *text;
    return good;
}

bool lb_read_bool(lb_reader *reader, const lb_place *up, const char *key, lb_need need, bool *truth)
{
    lb_place place;
    const bool good = lb_find_kind(reader, up, key, need, LB_DOC_BOOL, "true or false", &place);
    *truth = good ? place.node->value.truth : *truth;
    return good;
}

bool lb_read_word(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                  const char *const *words, int *index)
{
    const char *text = NULL;
    if (!lb_read_string(reader, up, key, need, &text)) {
        return false;
    }
    for (int i = 0; words[i]; ++i) {
        if (strcmp(words[i], text) == 0) {
            *index = i;
            return true;
        }
    }
    const lb_place place = lb_place_at_key(up, key);
    const lb_text message = lb_describe_unknown(key, text, words);
    lb_reader_fail(reader, &place, "%s", message.data);
    return false;
}

// Whether a text that is no formula looks like one.
static bool lb_looks_like_formula(const lb_reader *reader, const char *text)
{
    const lb_context *context = reader->context;
    const bool alike = text[0] && strchr("0123456789+-.", text[0]);
    return (text[0] && strpbrk(text + 1, "*/^()+<>")) ||
           (!alike && context && context->parameter_count > 0);
}

// The value of a formula; says what is wrong with it unless it does not look like one.
static lb_formula_kind lb_read_formula(lb_reader *reader, const lb_place *place, double *number)
{
    const char *text = lb_place_get_string(place);
    lb_scan scan;
    if (!text) {
        return LB_FORMULA_NONE;
    }
    const lb_formula_kind kind = lb_evaluate_text(reader->context, NULL, text, number, &scan);
    if (kind == LB_FORMULA_WRONG && !lb_looks_like_formula(reader, text)) {
        return LB_FORMULA_NONE;
    }
    if (kind == LB_FORMULA_WRONG) {
        lb_reader_fail(reader, place, "expected a number, found \"%.100s\": %s", text,
                       scan.error.message);
    }
    return kind;
}

bool lb_is_number_at(const lb_reader *reader, const lb_place *place)
{
    double value;
    lb_scan scan;
    const char *text = lb_place_get_string(place);
    return lb_place_get_kind(place) == LB_DOC_NUMBER ||
           (text &&
            lb_evaluate_text(reader->context, NULL, text, &value, &scan) >= LB_FORMULA_PARAMETERS);
}

bool lb_read_number_at(lb_reader *reader, const lb_place *place, double *number)
{
    if (lb_place_get_kind(place) == LB_DOC_NUMBER) {
        *number = place->node->value.number;
        return true;
    }
    const lb_formula_kind kind = lb_read_formula(reader, place, number);
    if (kind != LB_FORMULA_NONE) {
        return kind != LB_FORMULA_WRONG;
    }
    // say why what looks like a number is none
    const bool alike = lb_place_get_kind(place) == LB_DOC_STRING && place->node->value.text[0] &&
                       strchr("0123456789+-.", place->node->value.text[0]);
    lb_reader_fail_type(reader, place, alike ? "a finite number as in JSON" : "a number");
    return false;
}

bool lb_read_number(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                    double *number)
{
    lb_place place;
    return lb_find_value(reader, up, key, need, &place) &&
           lb_read_number_at(reader, &place, number);
}

bool lb_read_angle_at(lb_reader *reader, const lb_place *place, double *angle)
{
    const char *text = lb_place_get_string(place);
    if (!text) {
        return lb_read_number_at(reader, place, angle);
    }
    if (lb_scan_angle(text, angle)) {
        return true;
    }
    const lb_formula_kind kind = lb_read_formula(reader, place, angle);
    if (kind == LB_FORMULA_NONE) {
        lb_reader_fail_type(reader, place, "radians, or an angle such as 45 deg");
    }
    return kind == LB_FORMULA_PARAMETERS;
}

bool lb_read_angle(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                   double *angle)
{
    lb_place place;
    return lb_find_value(reader, up, key, need, &place) && lb_read_angle_at(reader, &place, angle);
}

bool lb_read_integer(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                     int *integer)
{
    lb_place place;
    return lb_find_value(reader, up, key, need, &place) &&
           lb_read_integer_at(reader, &place, integer);
}

bool lb_read_integer_at(lb_reader *reader, const lb_place *place, int *integer)
{
    double number = 0;
    if (!lb_read_number_at(reader, place, &number)) {
        return false;
    }
    if (!(number >= INT_MIN && number <= INT_MAX) || number != (double)(int)number) {
        lb_reader_fail(reader, place, "expected an integer, found %.15g", number);
        return false;
    }
    *integer = (int)number;
    return true;
}

bool lb_read_numbers_at(lb_reader *reader, const lb_place *place, size_t count, double *numbers)
{
    if (lb_place_get_kind(place) != LB_DOC_SEQUENCE) {
        lb_text expected = {.length = 0};
        lb_text_add(&expected, "a list of %zu numbers", count);
        lb_reader_fail_type(reader, place, expected.data);
        return false;
    }
    if (lb_place_get_count(place) != count) {
        lb_reader_fail(reader, place, "%zu entries given, expected %zu numbers",
                       lb_place_get_count(place), count);
        return false;
    }
    // all or nothing: half a vector is no default
    bool right = true;
    double number;
    for (size_t i = 0; i < count; ++i) {
        const lb_place element = lb_place_at_index(place, i);
        right = lb_read_number_at(reader, &element, &number) && right;
    }
    for (size_t i = 0; right && i < count; ++i) {
        const lb_place element = lb_place_at_index(place, i);
        (void)lb_read_number_at(reader, &element, &numbers[i]);
    }
    return right;
}

bool lb_read_numbers(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                     size_t count, double *numbers)
{
    lb_place place;
    return lb_find_value(reader, up, key, need, &place) &&
           lb_read_numbers_at(reader, &place, count, numbers);
}

bool lb_read_sequence(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                      lb_place *place)
{
    return lb_find_kind(reader, up, key, need, LB_DOC_SEQUENCE, "a list", place);
}

bool lb_read_tuple(lb_reader *reader, const lb_place *list, size_t count, const char *expected,
                   lb_place *places)
{
    if (lb_place_get_kind(list) != LB_DOC_SEQUENCE || lb_place_get_count(list) != count) {
        lb_reader_fail(reader, list, "expected %s", expected);
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        places[i] = lb_place_at_index(list, i);
    }
    return true;
}

lb_status lb_read_strings(lb_reader *reader, lb_arena *arena, const lb_place *list,
                          const char *expected, const char *const **strings, int *count)
{
    const size_t length = lb_place_get_count(list);
    const char **read = lb_arena_take(arena, length, sizeof *read);
    for (size_t i = 0; read && i < length; ++i) {
        const lb_place entry = lb_place_at_index(list, i);
        read[i] = lb_place_get_string(&entry);
        if (!read[i]) {
            lb_reader_fail_type(reader, &entry, expected);
            read[i] = "";
        }
    }
    *strings = read;
    *count = (int)length;
    return read ? LB_OK : LB_E_MEMORY;
}

// ---- loops -------------------------------------------------------------------------------------

lb_status lb_read_terms(lb_reader *reader, lb_arena *arena, const lb_place *loop, lb_need need,
                        const lb_coupler_term **out, int *out_count)
{
    static const char *const known[] = {"body", "coordinate", "factor", NULL};
    lb_place list;
    if (!lb_read_sequence(reader, loop, "terms", need, &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    lb_coupler_term *terms = lb_arena_take(arena, count + 1, sizeof *terms);
    for (size_t i = 0; terms && i < count; ++i) {
        const lb_place place = lb_place_at_index(&list, i);
        terms[i] = (lb_coupler_term){.factor = 1.0};
        if (lb_read_mapping(reader, &place, known)) {
            lb_read_string(reader, &place, "body", LB_REQUIRED, &terms[i].body);
            lb_read_number(reader, &place, "factor", LB_OPTIONAL, &terms[i].factor);
            lb_read_integer(reader, &place, "coordinate", LB_OPTIONAL, &terms[i].coordinate);
        }
    }
    *out = terms;
    *out_count = (int)count;
    return terms ? LB_OK : LB_E_MEMORY;
}

bool lb_read_loop_type(lb_reader *reader, const lb_place *loop, lb_need need, lb_loop_type *type)
{
    const char *types[LB_LOOP_TYPE_COUNT + 1] = {NULL};
    int index = 0;
    for (int i = 0; i < LB_LOOP_TYPE_COUNT; ++i) {
        types[i] = lb_get_loop_type_name((lb_loop_type)i);
    }
    const bool good = lb_read_word(reader, loop, "type", need, types, &index);
    *type = good ? (lb_loop_type)index : *type;
    return good;
}
