// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON. jansson judges the syntax; its tree knows no lines and columns, so the text it has accepted
// is then scanned once more, which is simple since nothing can be wrong with it.
#define _POSIX_C_SOURCE 200809L // newlocale, uselocale

#include <jansson.h>
#include <locale.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include "doc.h"
#include "places.h"

typedef struct lb_json_scan {
    const char *text;
    size_t length, at;
    lb_doc_mark mark; // of text[at]
} lb_json_scan;

static void lb_json_step(lb_json_scan *scan)
{
    const unsigned char c = (unsigned char)scan->text[scan->at++];
    if (c == '\n') {
        ++scan->mark.line;
        scan->mark.column = 1;
    } else if ((c & 0xC0) != 0x80) {
        ++scan->mark.column;
    }
}

// Steps over a string, quotes included.
static void lb_json_skip_string(lb_json_scan *scan)
{
    lb_json_step(scan);
    while (scan->at < scan->length && scan->text[scan->at] != '"') {
        if (scan->text[scan->at] == '\\' && scan->at + 1 < scan->length) {
            lb_json_step(scan);
        }
        lb_json_step(scan);
    }
    if (scan->at < scan->length) {
        lb_json_step(scan);
    }
}

// Refuses deep nesting before jansson, which recurses, sees it. The text may be anything.
static lb_status lb_json_check_depth(const lb_doc_writer *writer, const char *text, size_t length)
{
    lb_json_scan scan = {text, length, 0, {1, 1}};
    size_t depth = 0;
    while (scan.at < length) {
        const char c = text[scan.at];
        if (c == '"') {
            lb_json_skip_string(&scan);
            continue;
        }
        if ((c == '[' || c == '{') && ++depth > LB_DOC_DEPTH_MAX) {
            return lb_doc_fail(writer, scan.mark, "nested more than %d deep", LB_DOC_DEPTH_MAX);
        }
        if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
        lb_json_step(&scan);
    }
    return LB_OK;
}

static lb_status lb_json_check_syntax(const lb_doc_writer *writer, const char *text, size_t length)
{
    // this thread in the C locale: jansson aborts where a decimal point has several bytes, as in Pashto
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) {
        return LB_E_MEMORY;
    }
    const locale_t before = uselocale(plain);
    const size_t flags = JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL;
    json_error_t error, again;
    json_t *json = json_loadb(text, length, flags, &error);
    // without memory, jansson takes what is right for a mistake, or says nothing; a mistake stays the same
    json_t *second = json ? NULL : json_loadb(text, length, flags, &again);
    uselocale(before);
    freelocale(plain);
    if (json) {
        json_decref(json);
        return LB_OK;
    }
    json_decref(second);
    if (second || !error.text[0] || json_error_code(&error) == json_error_out_of_memory ||
        error.position != again.position || strcmp(error.text, again.text) != 0) {
        return LB_E_MEMORY;
    }
    const lb_doc_mark mark = {error.line > 0 ? (size_t)error.line : 1,
                              error.column > 0 ? (size_t)error.column : 1};
    for (char *c = error.text; *c; ++c) {
        if ((unsigned char)*c < ' ') {
            *c = ' ';
        }
    }
    return lb_doc_fail(writer, mark, "not valid JSON: %s", error.text);
}

// ---- strings -----------------------------------------------------------------------------------

// Four hexadecimal digits.
static unsigned lb_json_get_unit(const char *digits)
{
    unsigned unit = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = digits[i];
        const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        unit = unit * 16 + (unsigned)digit;
    }
    return unit;
}

// Writes a character as UTF-8 and returns the end.
static char *lb_json_put(char *out, unsigned code)
{
    static const unsigned char lead[] = {0x00, 0xC0, 0xE0, 0xF0};
    const int tail = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *out++ = (char)(lead[tail] | code >> 6 * tail);
    for (int i = tail - 1; i >= 0; --i) {
        *out++ = (char)(0x80 | (code >> 6 * i & 0x3F));
    }
    return out;
}

// Decodes an escape at *in and steps over it.
static char *lb_json_unescape(char *out, const char **in)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char c = (*in)[1];
    *in += 2;
    if (c == 'u') {
        unsigned code = lb_json_get_unit(*in);
        *in += 4;
        if (code >= 0xD800 && code < 0xDC00) {
            // the second of a pair follows
            code = 0x10000 + ((code - 0xD800) << 10) + (lb_json_get_unit(*in + 2) - 0xDC00);
            *in += 6;
        }
        return lb_json_put(out, code);
    }
    const char *found = strchr(from, c);
    *out = found ? to[found - from] : c;
    return out + 1;
}

static lb_status lb_json_take_string(lb_doc_writer *writer, lb_json_scan *scan)
{
    const lb_doc_mark mark = scan->mark;
    const size_t start = scan->at + 1;
    lb_json_skip_string(scan);

    // an escape is never shorter than what it stands for
    const char *in = scan->text + start, *end = scan->text + scan->at - 1;
    char *text = lb_arena_take_text(&writer->doc->pool, (size_t)(end - in)), *out = text;
    if (!text) {
        return LB_E_MEMORY;
    }
    while (in < end) {
        if (*in == '\\') {
            out = lb_json_unescape(out, &in);
        } else {
            *out++ = *in++;
        }
    }
    *out = '\0';
    return lb_doc_add_pooled(writer, text, mark);
}

// ---- the second pass ---------------------------------------------------------------------------

// A number, true, false or null.
static lb_status lb_json_take_word(lb_doc_writer *writer, lb_json_scan *scan)
{
    const lb_doc_mark mark = scan->mark;
    const size_t start = scan->at;
    while (scan->at < scan->length && !strchr(" \t\r\n,:]}", scan->text[scan->at])) {
        lb_json_step(scan);
    }
    // what converts numbers wants an end; longer words than this are numbers it refuses anyway
    char word[1100];
    const size_t length = scan->at - start;
    const size_t kept = length < sizeof word ? length : sizeof word - 1;
    memcpy(word, scan->text + start, kept);
    word[kept] = '\0';
    return lb_doc_add_plain(writer, word, kept, mark);
}

static lb_status lb_json_build(lb_doc_writer *writer, const char *text, size_t length)
{
    lb_json_scan scan = {text, length, 0, {1, 1}};
    lb_status status = LB_OK;
    while (scan.at < length && status == LB_OK) {
        const char c = text[scan.at];
        if (c == '"') {
            status = lb_json_take_string(writer, &scan);
        } else if (c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) {
            status = lb_json_take_word(writer, &scan);
        } else {
            if (c == '[' || c == '{') {
                status =
                    lb_doc_open(writer, c == '[' ? LB_DOC_SEQUENCE : LB_DOC_MAPPING, scan.mark);
            } else if (c == ']' || c == '}') {
                status = lb_doc_close(writer);
            }
            lb_json_step(&scan);
        }
    }
    return status;
}

static lb_status lb_json_read(lb_doc_writer *writer, const char *text, size_t length)
{
    size_t blank = 0;
    while (blank < length && strchr(" \t\r\n", text[blank]) && text[blank]) {
        ++blank;
    }
    if (blank == length) {
        return lb_doc_fail(writer, (lb_doc_mark){1, 1}, "the document is empty, expected a model");
    }
    // jansson steps over NUL bytes
    const char *nul = memchr(text, '\0', length);
    if (nul) {
        return lb_doc_fail(writer, lb_doc_mark_at(text, (size_t)(nul - text)),
                           "not valid JSON: a NUL byte");
    }
    lb_status status = lb_json_check_depth(writer, text, length);
    if (status == LB_OK) {
        status = lb_json_check_syntax(writer, text, length);
    }
    return status == LB_OK ? lb_json_build(writer, text, length) : status;
}

lb_status lb_doc_read_json(lb_doc *doc, const char *text, size_t length, const char *file,
                           const lb_report *report)
{
    lb_doc_writer writer;
    lb_doc_writer_init(&writer, doc, file, report);
    return lb_doc_writer_finish(&writer, lb_json_read(&writer, text, length));
}
