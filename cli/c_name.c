// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "c_name.h"

#include <stdlib.h>
#include <string.h>

#include "console.h"

// Letters of ASCII, whatever the language of the terminal.
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

char *lb_cli_make_c_name(const char *path)
{
    enum { MOST = 40 };
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t length = dot ? (size_t)(dot - base) : strlen(base);
    char *name = lb_cli_calloc(MOST + 1, 1);
    size_t used = 0;
    if (length == 0 || !is_letter(base[0])) {
        name[used++] = 'm';
    }
    for (size_t i = 0; i < length && used < MOST; ++i) {
        name[used++] = (char)(is_letter(base[i]) || is_digit(base[i]) ? base[i] : '_');
    }
    return name;
}
