// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that comes from a model goes into JSON whose `<` is escaped, and numbers into base64: no text of a model can be
// taken for markup.
#include "view/page_writer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

void lb_cli_add_notice(lb_cli_writer *w, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    json_array_append_new(w->notices, lb_cli_make_text(text));
}

void lb_cli_write_json(lb_cli_writer *w, const char *id, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
    if (!text) {
        w->good = false;
        return;
    }
    fprintf(w->out, "<script type=\"application/json\" id=\"%s\">", id);
    for (const char *c = text; *c; ++c) {
        if (*c == '<') {
            fputs("\\u003c", w->out);
        } else {
            fputc(*c, w->out);
        }
    }
    fputs("</script>\n", w->out);
    free(text);
}

// ---- blocks of numbers ---------------------------------------------------------------------------

int lb_cli_write_block(lb_cli_writer *w, const void *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = data;
    char line[4096];
    size_t used = 0;
    fprintf(w->out, "<script type=\"text/plain\" id=\"b%d\">", w->block_count);
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t group = (uint32_t)b[i] << 16 | (i + 1 < size ? (uint32_t)b[i + 1] << 8 : 0) |
                               (i + 2 < size ? (uint32_t)b[i + 2] : 0);
        line[used++] = digits[group >> 18];
        line[used++] = digits[group >> 12 & 63];
        line[used++] = i + 1 < size ? digits[group >> 6 & 63] : '=';
        line[used++] = i + 2 < size ? digits[group & 63] : '=';
        if (used == sizeof line) {
            fwrite(line, 1, used, w->out);
            used = 0;
        }
    }
    fwrite(line, 1, used, w->out);
    fputs("</script>\n", w->out);
    return w->block_count++;
}

json_t *lb_cli_write_floats(lb_cli_writer *w, const float *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i += LB_CLI_BLOCK_SIZE) {
        const size_t part = count - i < LB_CLI_BLOCK_SIZE ? count - i : LB_CLI_BLOCK_SIZE;
        json_array_append_new(
            list, json_integer(lb_cli_write_block(w, values + i, part * sizeof *values)));
    }
    return list;
}
