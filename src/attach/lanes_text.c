// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char helpers[] =
    "// as many states as a register has room for\n"
    "#ifdef __AVX512F__\n"
    "enum { FROZEN_WIDTH = 8 };\n"
    "#else\n"
    "enum { FROZEN_WIDTH = 4 };\n"
    "#endif\n"
    "typedef double frozen_plain;\n"
    "typedef double frozen_lanes __attribute__((vector_size(FROZEN_WIDTH * 8)));\n"
    "typedef long long frozen_mask __attribute__((vector_size(FROZEN_WIDTH * 8)));\n"
    "\n"
    "static inline frozen_lanes frozen_spread(double x)\n"
    "{\n"
    "    return x - (frozen_lanes){0};\n"
    "}\n"
    "\n"
    "static inline int frozen_any(frozen_mask x)\n"
    "{\n"
    "    long long any = 0;\n"
    "    int i;\n"
    "    for (i = 0; i < FROZEN_WIDTH; ++i) {\n"
    "        any |= x[i];\n"
    "    }\n"
    "    return any != 0;\n"
    "}\n"
    "\n"
    "static inline frozen_lanes frozen_lanes_fabs(frozen_lanes x)\n"
    "{\n"
    "    return (frozen_lanes)((frozen_mask)x & 0x7fffffffffffffffll);\n"
    "}\n"
    "\n"
    "static inline frozen_lanes frozen_lanes_sqrt(frozen_lanes x)\n"
    "{\n"
    "    int i;\n"
    "    for (i = 0; i < FROZEN_WIDTH; ++i) {\n"
    "        x[i] = sqrt(x[i]);\n"
    "    }\n"
    "    return x;\n"
    "}\n"
    "\n"
    "static inline frozen_lanes frozen_lanes_fmax(frozen_lanes x, frozen_lanes y)\n"
    "{\n"
    "    int i;\n"
    "    for (i = 0; i < FROZEN_WIDTH; ++i) {\n"
    "        x[i] = fmax(x[i], y[i]);\n"
    "    }\n"
    "    return x;\n"
    "}\n"
    "\n"
    "static inline int frozen_lanes_are_finite(int count, const frozen_lanes *x)\n"
    "{\n"
    "    return frozen_are_finite(FROZEN_WIDTH * count, (const double *)x);\n"
    "}\n";

static const char turn[] =
    "\n"
    "static inline void frozen_lanes_turn(int count, const frozen_lanes *x, frozen_lanes *s, "
    "frozen_lanes *c)\n"
    "{\n"
    "    frozen_turn(FROZEN_WIDTH * count, (const double *)x, (double *)s, (double *)c);\n"
    "}\n";

static const char rotation[] =
    "\n"
    "static inline void frozen_lanes_rotation(frozen_lanes t2, frozen_lanes *c)\n"
    "{\n"
    "    int i, j;\n"
    "    for (i = 0; i < FROZEN_WIDTH; ++i) {\n"
    "        double own[5];\n"
    "        frozen_rotation(t2[i], own);\n"
    "        for (j = 0; j < 5; ++j) {\n"
    "            c[j][i] = own[j];\n"
    "        }\n"
    "    }\n"
    "}\n";

static const char rows[] =
    "\n"
    "// Rows become lanes; where there are fewer, the last one is repeated. NULL is zero.\n"
    "static inline void frozen_gather(int n, int count, const double *from, frozen_lanes *to)\n"
    "{\n"
    "    int i, j;\n"
    "    for (i = 0; i < n; ++i) {\n"
    "        frozen_lanes x = {0};\n"
    "        if (from && count == FROZEN_WIDTH) {\n"
    "            for (j = 0; j < FROZEN_WIDTH; ++j) {\n"
    "                x[j] = from[j * n + i];\n"
    "            }\n"
    "        } else if (from) {\n"
    "            for (j = 0; j < FROZEN_WIDTH; ++j) {\n"
    "                x[j] = from[(j < count ? j : count - 1) * n + i];\n"
    "            }\n"
    "        }\n"
    "        to[i] = x;\n"
    "    }\n"
    "}\n"
    "\n"
    "static inline void frozen_scatter(int n, int count, const frozen_lanes *from, double *to)\n"
    "{\n"
    "    int i, j;\n"
    "    for (i = 0; i < n; ++i) {\n"
    "        for (j = 0; j < count; ++j) {\n"
    "            to[j * n + i] = from[i][j];\n"
    "        }\n"
    "    }\n"
    "}\n"
    "\n"
    "#define FROZEN_ROWS(name) \\\n"
    "int frozen_##name##_rows(int count, const double *q, const double *v, const double *x, double "
    "*y) \\\n"
    "{ \\\n"
    "    frozen_lanes lanes_q[FROZEN_Q], lanes_v[FROZEN_V], lanes_x[FROZEN_V], lanes_y[FROZEN_V]; "
    "\\\n"
    "    int status; \\\n"
    "    frozen_gather(FROZEN_Q, count, q, lanes_q); \\\n"
    "    frozen_gather(FROZEN_V, count, v, lanes_v); \\\n"
    "    frozen_gather(FROZEN_V, count, x, lanes_x); \\\n"
    "    status = frozen_lanes_##name(lanes_q, lanes_v, lanes_x, lanes_y); \\\n"
    "    if (status == 0) { \\\n"
    "        frozen_scatter(FROZEN_V, count, lanes_y, y); \\\n"
    "    } \\\n"
    "    return status; \\\n"
    "}\n"
    "FROZEN_ROWS(forward)\n"
    "FROZEN_ROWS(inverse)\n"
    "\n"
    "// a large matrix would take much of the stack\n"
    "#if FROZEN_V <= 32\n"
    "int frozen_mass_rows(int count, const double *q, double *M)\n"
    "{\n"
    "    frozen_lanes lanes_q[FROZEN_Q], lanes_M[FROZEN_V * FROZEN_V];\n"
    "    int status;\n"
    "    frozen_gather(FROZEN_Q, count, q, lanes_q);\n"
    "    status = frozen_lanes_mass(lanes_q, lanes_M);\n"
    "    if (status == 0) {\n"
    "        frozen_scatter(FROZEN_V * FROZEN_V, count, lanes_M, M);\n"
    "    }\n"
    "    return status;\n"
    "}\n"
    "#endif\n";

static const char one_by_one[] =
    "#else\n"
    "#define FROZEN_ROWS(name) \\\n"
    "int frozen_##name##_rows(int count, const double *q, const double *v, const double *x, double "
    "*y) \\\n"
    "{ \\\n"
    "    const double zeros[FROZEN_V] = {0}; \\\n"
    "    int i, status = 0; \\\n"
    "    for (i = 0; i < count && status == 0; ++i) { \\\n"
    "        status = frozen_##name(q + i * FROZEN_Q, v + i * FROZEN_V, x ? x + i * FROZEN_V : "
    "zeros, \\\n"
    "                               y + i * FROZEN_V); \\\n"
    "    } \\\n"
    "    return status; \\\n"
    "}\n"
    "FROZEN_ROWS(forward)\n"
    "FROZEN_ROWS(inverse)\n"
    "#endif\n"
    "\n"
    "int frozen_lane_count(void)\n"
    "{\n"
    "#ifdef FROZEN_LANES\n"
    "    return FROZEN_WIDTH;\n"
    "#else\n"
    "    return 1;\n"
    "#endif\n"
    "}\n"
    "\n"
    "#if !defined(FROZEN_LANES) || FROZEN_V > 32\n"
    "int frozen_mass_rows(int count, const double *q, double *M)\n"
    "{\n"
    "    int i, status = 0;\n"
    "    for (i = 0; i < count && status == 0; ++i) {\n"
    "        status = frozen_mass(q + i * FROZEN_Q, M + i * (FROZEN_V * FROZEN_V));\n"
    "    }\n"
    "    return status;\n"
    "}\n"
    "#endif\n";

static bool starts(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static bool contains(const char *line, size_t length, const char *word)
{
    for (size_t i = 0; i + strlen(word) <= length; ++i) {
        if (starts(line + i, word)) {
            return true;
        }
    }
    return false;
}

// Vectors of GNU C know no !, no ?: and no conversion from one number: these lines are put in other words.
static void write_line(lb_page *page, const char *line, size_t length)
{
    static const char flags[] = "0123456789.eE+-";
    const char *equals = memchr(line, '=', length);
    const size_t rest = equals ? (size_t)(line + length - equals) : 0;
    if (starts(line, "    static const double ")) {
        // constants are the same in all lanes
        lb_write(page, "    static const frozen_plain %.*s\n", (int)length - 24, line + 24);
    } else if (starts(line, "    int singular = 0;") || starts(line, "    int indefinite = 0;")) {
        lb_write(page, "    frozen_mask %.*s = {0};\n", (int)length - 13, line + 8);
    } else if (starts(line, "    singular |= !(") || starts(line, "    indefinite |= !(")) {
        const size_t before = strcspn(line, "!");
        lb_write(page, "%.*s~%.*s\n", (int)before, line, (int)(length - before - 1),
                 line + before + 1);
    } else if (starts(line, "    return ") &&
               (contains(line, length, "singular") || contains(line, length, "indefinite"))) {
        const bool singular = contains(line, length, "singular");
        const bool indefinite = contains(line, length, "indefinite");
        lb_write(page, "    return %s%s%s;\n", singular ? "frozen_any(singular)" : "",
                 singular && indefinite ? " | " : "", indefinite ? "frozen_any(indefinite)" : "");
    } else if (rest > 3 && equals[1] == ' ' && contains(line, length, "] = ") &&
               strspn(equals + 2, flags) == rest - 3) {
        lb_write(page, "%.*s= frozen_spread(%.*s);\n", (int)(equals - line), line, (int)rest - 3,
                 equals + 2);
    } else {
        lb_write(page, "%.*s\n", (int)length, line);
    }
}

// Where a function of the file is defined, behind the start of its name; NULL if it is not.
static const char *find_function(const char *source, const char *start, const char *name)
{
    const char *at = source;
    while ((at = strstr(at, start)) != NULL) {
        at += strlen(start);
        if (starts(at, name) && at[strlen(name)] == '(') {
            break;
        }
    }
    return at;
}

static void write_definition(lb_page *page, const char *at)
{
    lb_write(page, "\nstatic inline int frozen_lanes_");
    while (*at) {
        const size_t length = strcspn(at, "\n");
        write_line(page, at, length);
        if (at[0] == '}') {
            break;
        }
        at += length + (at[length] != 0);
    }
}

// A function of the file once more, for lanes; first its parts, if it has any.
static void write_function(lb_page *page, const char *source, const char *name)
{
    const char *at = source;
    for (int k = 1; at; ++k) {
        char part[32];
        snprintf(part, sizeof part, "%s_%d", name, k);
        at = find_function(at, "\nstatic int frozen_", part);
        if (at) {
            lb_write(page, "\n#define frozen_%s frozen_lanes_%s", part, part);
            write_definition(page, at);
        }
    }
    at = find_function(source, "\nint frozen_", name);
    if (at) {
        write_definition(page, at);
    }
}

void lb_write_lanes(lb_page *page, const char *source)
{
    static const char *const replaced[] = {"fabs", "sqrt", "frozen_turn", "frozen_rotation",
                                           "frozen_are_finite"};
    static const char *const by[] = {"fabs", "sqrt", "turn", "rotation", "are_finite"};
    enum { REPLACED = sizeof replaced / sizeof *replaced };
    lb_write(page, "#include \"frozen.c\"\n\n#ifdef FROZEN_LANES\n%s%s%s\n", helpers,
             strstr(source, " frozen_turn(int") ? turn : "",
             strstr(source, " frozen_rotation(double") ? rotation : "");
    for (int i = 0; i < REPLACED; ++i) {
        lb_write(page, "#define %s frozen_lanes_%s\n", replaced[i], by[i]);
    }
    lb_write(page, "#define fmax(x, y) frozen_lanes_fmax(frozen_spread(0) + (x), frozen_spread(0) "
                   "+ (y))\n#define double frozen_lanes\n");
    write_function(page, source, "forward");
    write_function(page, source, "inverse");
    write_function(page, source, "mass");
    lb_write(page, "\n#undef double\n#undef fmax\n");
    for (int i = 0; i < REPLACED; ++i) {
        lb_write(page, "#undef %s\n", replaced[i]);
    }
    lb_write(page, "%s", rows);
    lb_write(page, "%s", one_by_one);
}
