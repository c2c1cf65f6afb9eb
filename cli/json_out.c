// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "json_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void new_line(lb_cli_json *json)
{
    fprintf(json->out, "\n%*s", 2 * json->depth, "");
}

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *c = text; *c; ++c) {
        const unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\') {
            fputc('\\', out);
            fputc(byte, out);
        } else if (byte < 0x20 || byte == 0x7f) {
            fprintf(out, "\\u%04x", byte);
        } else {
            fputc(byte, out);
        }
    }
    fputc('"', out);
}

// Goes to where the next value stands: on a line of its own, behind its key.
static void place_value(lb_cli_json *json, const char *key)
{
    if (json->depth > 0) {
        fputs(json->empty ? "" : ",", json->out);
        new_line(json);
        json->empty = false;
    }
    if (key) {
        put_string(json->out, key);
        fputs(": ", json->out);
    }
}

lb_cli_json lb_cli_json_start(FILE *out)
{
    const lb_cli_json json = {.out = out, .empty = true};
    return json;
}

void lb_cli_json_finish(lb_cli_json *json)
{
    fputc('\n', json->out);
}

void lb_cli_json_open(lb_cli_json *json, const char *key, char bracket)
{
    place_value(json, key);
    fputc(bracket, json->out);
    ++json->depth;
    json->empty = true;
}

void lb_cli_json_close(lb_cli_json *json, char bracket)
{
    --json->depth;
    if (!json->empty) {
        new_line(json);
    }
    fputc(bracket, json->out);
    // what we are back in holds at least the thing just closed
    json->empty = false;
}

// The fewest digits, 15 to 17, that read back as the same number; a point or an exponent shows
// that it is no integer (which also keeps the sign of -0.0). JSON has no infinity, and nothing that is no number.
static void put_number(FILE *out, double value)
{
    char text[40];
    if (!isfinite(value)) {
        fputs("null", out);
        return;
    }
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    fputs(text, out);
    if (!strpbrk(text, ".e")) {
        fputs(".0", out);
    }
}

void lb_cli_json_number(lb_cli_json *json, const char *key, double value)
{
    place_value(json, key);
    put_number(json->out, value);
}

void lb_cli_json_integer(lb_cli_json *json, const char *key, long long value)
{
    place_value(json, key);
    fprintf(json->out, "%lld", value);
}

void lb_cli_json_boolean(lb_cli_json *json, const char *key, bool value)
{
    place_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void lb_cli_json_string(lb_cli_json *json, const char *key, const char *text)
{
    place_value(json, key);
    put_string(json->out, text);
}

void lb_cli_json_vector(lb_cli_json *json, const char *key, const double *values, int count)
{
    lb_cli_json_strided(json, key, values, count, 1);
}

void lb_cli_json_strided(lb_cli_json *json, const char *key, const double *values, int count,
                         int stride)
{
    place_value(json, key);
    fputc('[', json->out);
    for (int i = 0; i < count; ++i) {
        if (i > 0) {
            fputs(", ", json->out);
        }
        put_number(json->out, values[(size_t)i * (size_t)stride]);
    }
    fputc(']', json->out);
}

void lb_cli_json_matrix(lb_cli_json *json, const char *key, const double *values, int rows,
                        int columns)
{
    lb_cli_json_open(json, key, '[');
    for (int i = 0; i < rows; ++i) {
        lb_cli_json_vector(json, NULL, values + (size_t)i * (size_t)columns, columns);
    }
    lb_cli_json_close(json, ']');
}
