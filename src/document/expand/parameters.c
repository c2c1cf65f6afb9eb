// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Parameters: read, given their values in whatever order they use one another, and checked.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/formula/number.h"
#include "document/places.h"
#include "expand.h"

enum { UNKNOWN, BUSY, KNOWN, FAILED, DEPTH_MAX = 200 };

// ---- formulas ----------------------------------------------------------------------------------

typedef struct evaluation {
    lb_context *context; // parameters of it are evaluated as needed; NULL for none
    const lb_index *index;
    lb_reader *reader; // of parameters that are wrong; NULL once all are known
    const lb_place *place;
    int depth;
    bool with_names, with_index;
} evaluation;

static bool find_value(evaluation *e, lb_terms *terms, lb_parameter_entry *entry, lb_scan *scan,
                       size_t at);

static int read_name(void *user, lb_terms *terms, lb_scan *scan, const lb_name *name)
{
    evaluation *e = user;
    for (const lb_index *index = e->index; index; index = index->up) {
        if (strcmp(index->name, name->text) == 0) {
            e->with_index = true;
            return lb_add_number(terms, index->value);
        }
    }
    const int found = e->context ? lb_names_find(&e->context->names, name->text) : -1;
    if (found < 0) {
        lb_scan_fail(scan, name->start, "there is no parameter \"%s\"", name->text);
        return 0;
    }
    lb_parameter_entry *entry = &e->context->parameters[found];
    e->with_names = true;
    if (entry->state != KNOWN && !find_value(e, terms, entry, scan, name->start)) {
        return 0;
    }
    return lb_add_number(terms, entry->value);
}

// Whether a text is a number, with or without a sign: no formula.
static bool is_number(const char *text)
{
    text += text[0] == '+' || text[0] == '-';
    const size_t length = strspn(text, "0123456789.eE");
    return text[length] == 0 && !(text[0] == 'e' || text[0] == 'E');
}

static lb_formula_kind evaluate(evaluation *e, lb_terms *terms, const char *text, double *value,
                                lb_scan *scan)
{
    const int start = terms->count;
    *scan = (lb_scan){.text = text};
    e->with_names = e->with_index = false;
    const int term = lb_parse_formula(terms, scan, "a parameter", read_name, e);
    const bool formula = e->with_names || e->with_index || terms->count > start + 2;
    lb_formula_kind kind = LB_FORMULA_WRONG;
    if (is_number(text) || (term >= 0 && !formula)) {
        kind = LB_FORMULA_NONE;
    } else if (term >= 0) {
        // what is not finite was not computed
        *value = terms->terms[term].op == LB_TERM_NUMBER ? terms->terms[term].number : (double)NAN;
        kind = e->with_index ? LB_FORMULA_INDEX : LB_FORMULA_PARAMETERS;
        if (terms->full || !isfinite(*value)) {
            lb_scan_fail(scan, 0, terms->full ? LB_TOO_LONG : "not a finite number");
            kind = LB_FORMULA_WRONG;
        }
    }
    terms->count = start;
    return kind;
}

lb_formula_kind lb_evaluate_text(const lb_context *context, const lb_index *index, const char *text,
                                 double *value, lb_scan *scan)
{
    lb_terms terms;
    lb_start_terms(&terms);
    // all parameters are known: it is not written to
    evaluation e = {.context = (lb_context *)(size_t)context, .index = index};
    return evaluate(&e, &terms, text, value, scan);
}

// ---- values ------------------------------------------------------------------------------------

// Reads the range, which may have formulas, once all values are known.
static void check_range(lb_reader *reader, const lb_place *place, lb_parameter_entry *entry)
{
    double range[2];
    if (lb_place_get_kind(place) != LB_DOC_MAPPING ||
        !lb_read_numbers(reader, place, "range", LB_OPTIONAL, 2, range)) {
        return;
    }
    entry->low = range[0];
    entry->high = range[1];
    if (!(range[0] <= range[1])) {
        const lb_place at = lb_place_at_key(place, "range");
        lb_reader_fail(reader, &at, "%.15g to %.15g found, expected the smaller one first",
                       range[0], range[1]);
    } else if (entry->state == KNOWN &&
               !(entry->value >= entry->low && entry->value <= entry->high)) {
        lb_reader_fail(reader, place, "%.15g %s, expected a value of its range, %.15g to %.15g",
                       entry->value, entry->is_set ? "was set" : "found", entry->low, entry->high);
    }
}

// Evaluates a parameter that others or the model need.
static bool evaluate_entry(evaluation *e, lb_terms *terms, lb_parameter_entry *entry)
{
    const lb_place place = lb_place_at_pair(e->place, entry->index);
    entry->state = BUSY;
    bool good = true;
    if (!entry->is_set && lb_doc_get_kind(entry->given) == LB_DOC_STRING) {
        lb_scan scan;
        evaluation inner = {
            .context = e->context, .reader = e->reader, .place = e->place, .depth = e->depth + 1};
        const lb_formula_kind kind =
            evaluate(&inner, terms, entry->given->value.text, &entry->value, &scan);
        good = kind == LB_FORMULA_PARAMETERS ||
               (kind == LB_FORMULA_NONE && lb_scan_angle(entry->given->value.text, &entry->value));
        if (!good && kind == LB_FORMULA_NONE) {
            lb_reader_fail(e->reader, &place, "expected a number or a formula, found \"%.100s\"",
                           entry->given->value.text);
        } else if (!good && scan.error.message[0]) {
            lb_reader_fail(e->reader, &place, "%s", scan.error.message);
        }
    } else if (!entry->is_set) {
        entry->value = entry->given->value.number;
    }
    entry->state = good ? KNOWN : FAILED;
    return good;
}

static bool find_value(evaluation *e, lb_terms *terms, lb_parameter_entry *entry, lb_scan *scan,
                       size_t at)
{
    if (entry->state == BUSY) {
        lb_scan_fail(scan, at, "\"%s\" uses itself, by way of others or at once", entry->name);
        return false;
    }
    if (!e->place) {
        lb_scan_fail(scan, at, "\"%s\" has no value yet: expected a number", entry->name);
        return false;
    }
    if (e->depth >= DEPTH_MAX) {
        lb_scan_fail(scan, at, "parameters use one another more than %d deep", DEPTH_MAX);
        return false;
    }
    // once all were evaluated there is no reader, and those without a value have none
    if (entry->state == FAILED || !e->reader || !evaluate_entry(e, terms, entry)) {
        lb_scan_fail(scan, at, "parameter \"%s\" has no value", entry->name);
        if (e->reader) {
            scan->error.message[0] = 0; // said where it is defined
        }
        return false;
    }
    return true;
}

// ---- reading -----------------------------------------------------------------------------------

static bool is_value(const lb_doc_node *node)
{
    return lb_doc_get_kind(node) == LB_DOC_NUMBER || lb_doc_get_kind(node) == LB_DOC_STRING;
}

static void read_entry(lb_reader *reader, const lb_place *place, lb_parameter_entry *entry)
{
    static const char *const known[] = {"value", "unit", "range", "note", NULL};
    static const lb_doc_node nothing = {.kind_and_column = (uint32_t)LB_DOC_NUMBER << 28};
    *entry = (lb_parameter_entry){.name = place->key,
                                  .low = -INFINITY,
                                  .high = INFINITY,
                                  .unit = "",
                                  .note = "",
                                  .given = &nothing};
    if (!lb_is_plain_name(entry->name) || strlen(entry->name) >= LB_NAME_MAX) {
        lb_reader_fail_key(
            reader, place,
            "expected a name of letters, digits and _, fewer than %d, that starts with a letter",
            LB_NAME_MAX);
    } else if (lb_is_reserved_word(entry->name)) {
        lb_reader_fail_key(reader, place, "\"%s\" is a word of formulas, choose another name",
                           entry->name);
    }
    lb_place value = *place;
    if (lb_place_get_kind(place) == LB_DOC_MAPPING) {
        (void)lb_read_mapping(reader, place, known);
        value = lb_place_at_key(place, "value");
        (void)lb_read_string(reader, place, "unit", LB_OPTIONAL, &entry->unit);
        (void)lb_read_string(reader, place, "note", LB_OPTIONAL, &entry->note);
        if (!value.node) {
            lb_reader_fail(reader, place, "missing: the key \"value\" is required here");
            return;
        }
    }
    if (!is_value(value.node)) {
        lb_reader_fail_type(reader, &value, "a number or a formula");
        return;
    }
    entry->given = value.node;
}

static void set_values(lb_reader *reader, const lb_place *list, lb_context *context,
                       const lb_parameter_value *values, int value_count)
{
    for (int i = 0; i < value_count; ++i) {
        if (lb_is_path(context, &values[i])) {
            continue;
        }
        const int found = values[i].name ? lb_names_find(&context->names, values[i].name) : -1;
        if (found < 0) {
            lb_reader_fail(reader, list, "there is no parameter \"%.100s\" to be set",
                           values[i].name ? values[i].name : "");
        } else if (!isfinite(values[i].value)) {
            lb_reader_fail(reader, list, "parameter \"%s\" cannot be set to %g", values[i].name,
                           values[i].value);
        } else {
            context->parameters[found].value = values[i].value;
            context->parameters[found].is_set = true;
        }
    }
}

lb_status lb_read_parameters(lb_doc *doc, lb_reader *reader, lb_context *context,
                             const lb_parameter_value *values, int value_count)
{
    const lb_place root = (lb_place){.node = &doc->raw},
                   list = lb_place_at_key(&root, "parameters");
    if (list.node && lb_place_get_kind(&list) != LB_DOC_MAPPING) {
        lb_reader_fail_type(reader, &list, "a mapping from names to values");
        return LB_E_MODEL;
    }
    const size_t count = lb_place_get_count(&list);
    context->parameters = lb_arena_take(&doc->expansion, count + 1, sizeof *context->parameters);
    lb_terms *terms = lb_arena_take(&doc->expansion, 1, sizeof *terms);
    if (!context->parameters || !terms ||
        lb_names_init(&context->names, &doc->expansion, count + 1) != LB_OK) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place place = lb_place_at_pair(&list, i);
        read_entry(reader, &place, &context->parameters[i]);
        context->parameters[i].index = i;
        (void)lb_names_enter(&context->names, context->parameters[i].name, (int)i);
    }
    context->parameter_count = (int)count;
    set_values(reader, &list, context, values, value_count);
    for (size_t i = 0; i < count; ++i) {
        evaluation e = {.context = context, .reader = reader, .place = &list};
        lb_start_terms(terms);
        if (context->parameters[i].state == UNKNOWN) {
            (void)evaluate_entry(&e, terms, &context->parameters[i]);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place place = lb_place_at_pair(&list, i);
        check_range(reader, &place, &context->parameters[i]);
    }
    return reader->error_count > 0 ? LB_E_MODEL : LB_OK;
}

// ---- uses ----------------------------------------------------------------------------------------

typedef struct search {
    const lb_doc *doc;
    const char *name, *file;
    lb_parameter_use *uses;
    int room, count;
} search;

static void note_use(search *s, const lb_doc_node *node)
{
    const unsigned file = lb_doc_get_file(node);
    const lb_parameter_use use = {file ? s->doc->files[file] : s->file, (int)node->line};
    for (int i = 0; i < s->count; ++i) {
        if (s->uses[i].line == use.line && s->uses[i].file == use.file) {
            return;
        }
    }
    if (s->count < s->room) {
        s->uses[s->count] = use;
    }
    ++s->count;
}

// Texts of which the name is a word.
static void find_uses(search *s, const lb_doc_node *node)
{
    const lb_doc_kind kind = lb_doc_get_kind(node);
    if (kind == LB_DOC_STRING) {
        lb_scan scan = {.text = node->value.text};
        while (scan.text[scan.at]) {
            lb_name name;
            const bool sees = lb_scan_sees_name(&scan) && scan.text[scan.at] != '\'';
            if (!sees || !lb_scan_read_name(&scan, &name)) {
                scan.failed = false;
                ++scan.at;
            } else if (strcmp(name.text, s->name) == 0) {
                note_use(s, node);
                return;
            }
        }
    }
    const bool mapping = kind == LB_DOC_MAPPING;
    const size_t count = mapping || kind == LB_DOC_SEQUENCE ? lb_doc_get_count(node) : 0;
    for (size_t i = 0; i < count && s->count <= s->room; ++i) {
        const char *key = mapping ? lb_doc_get_key(node, i)->value.text : "";
        if (strcmp(key, "note") != 0 && strcmp(key, "name") != 0 && strcmp(key, "unit") != 0) {
            find_uses(s, mapping ? lb_doc_get_value(node, i) : lb_doc_get_element(node, i));
        }
    }
}

int lb_find_uses(const lb_doc *doc, const char *file, const char *name, const char *skipped,
                 int room, lb_parameter_use *uses)
{
    search s = {.doc = doc, .file = file, .name = name, .room = room, .uses = uses};
    const size_t count =
        lb_doc_get_kind(&doc->raw) == LB_DOC_MAPPING ? lb_doc_get_count(&doc->raw) : 0;
    for (size_t i = 0; i < count && s.count <= s.room; ++i) {
        const char *key = lb_doc_get_key(&doc->raw, i)->value.text;
        if (strcmp(key, "name") != 0 && !(skipped && strcmp(key, skipped) == 0)) {
            find_uses(&s, lb_doc_get_value(&doc->raw, i));
        }
    }
    return s.count;
}
