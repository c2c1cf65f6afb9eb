// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"

static void add_point(lb_cli_profiles *p, double frequency, double level)
{
    const size_t size = (size_t)p->point_count + 1;
    p->frequencies = lb_cli_realloc(p->frequencies, size * sizeof *p->frequencies);
    p->levels = lb_cli_realloc(p->levels, size * sizeof *p->levels);
    p->frequencies[p->point_count] = frequency;
    p->levels[p->point_count++] = level;
    ++p->point_counts[p->count - 1];
}

static void add_input(lb_cli_profiles *p, const char *name, size_t length)
{
    const size_t size = (size_t)p->count + 1;
    p->inputs = lb_cli_realloc(p->inputs, size * sizeof *p->inputs);
    p->point_counts = lb_cli_realloc(p->point_counts, size * sizeof *p->point_counts);
    p->inputs[p->count] = lb_cli_calloc(length + 1, 1);
    memcpy(p->inputs[p->count], name, length);
    p->point_counts[p->count++] = 0;
}

// "20:0.01,80:0.04": true if all of it is such a list.
static bool read_list(lb_cli_profiles *p, const char *text)
{
    for (const char *c = text;; ++c) {
        char *end, *stop;
        const double frequency = strtod(c, &end);
        if (end == c || *end != ':') {
            return false;
        }
        const double level = strtod(end + 1, &stop);
        if (stop == end + 1 || (*stop && *stop != ',')) {
            return false;
        }
        add_point(p, frequency, level);
        if (!*stop) {
            return true;
        }
        c = stop;
    }
}

// A file: two numbers a line, with a comma or blanks between; a first line without numbers is a head.
static int read_table(lb_cli_profiles *p, const char *path)
{
    size_t length = 0;
    char *text = lb_cli_read_file(path, &length);
    int result = text ? LB_CLI_DONE : LB_CLI_FAILED;
    int number = 0;
    for (char *line = text; line && *line && result == LB_CLI_DONE; ++number) {
        char *next = strchr(line, '\n'), *end, *stop;
        if (next) {
            *next++ = 0;
        }
        line += strspn(line, " \t\r");
        const double frequency = strtod(line, &end);
        const char *second = end + strspn(end, " \t,;");
        const double level = strtod(second, &stop);
        const bool good = end != line && stop != second && stop[strspn(stop, " \t\r")] == 0;
        if (good) {
            add_point(p, frequency, level);
        } else if (*line && *line != '#' && number > 0) {
            lb_cli_complain("%s:%d: expected a frequency in Hz and a level", path, number + 1);
            result = LB_CLI_USAGE;
        }
        line = next;
    }
    free(text);
    return result;
}

// Frequencies ascend, and all numbers are above zero.
static bool check_points(const lb_cli_profiles *p, const char *option, const char *text)
{
    const int count = p->point_counts[p->count - 1], first = p->point_count - count;
    bool good = count > 0;
    for (int i = first; good && i < p->point_count; ++i) {
        good = isfinite(p->levels[i]) && p->levels[i] > 0.0 &&
               (count == 1 || (isfinite(p->frequencies[i]) && p->frequencies[i] > 0.0 &&
                               (i == first || p->frequencies[i] > p->frequencies[i - 1])));
    }
    if (!good) {
        lb_cli_complain("--%s: '%s': expected levels above zero at frequencies that ascend from "
                        "above zero",
                        option, text);
    }
    return good;
}

int lb_cli_read_profiles(const lb_cli_arguments *arguments, const char *option, lb_cli_profiles *p)
{
    const char *text;
    for (int number = 0; (text = lb_cli_get_repeated(arguments, option, number)); ++number) {
        const char *equals = strchr(text, '=');
        if (!equals || equals == text || !equals[1]) {
            lb_cli_complain(
                "--%s: '%s' given, expected INPUT=LEVEL, INPUT=HZ:LEVEL,HZ:LEVEL,... or "
                "INPUT=FILE",
                option, text);
            return LB_CLI_USAGE;
        }
        add_input(p, text, (size_t)(equals - text));
        char *end;
        const double level = strtod(equals + 1, &end);
        int result = LB_CLI_DONE;
        if (!*end) {
            add_point(p, 1.0, level);
        } else if (!read_list(p, equals + 1)) {
            // what was read so far was no list
            p->point_count -= p->point_counts[p->count - 1];
            p->point_counts[p->count - 1] = 0;
            result = read_table(p, equals + 1);
        }
        if (result != LB_CLI_DONE || !check_points(p, option, text)) {
            return result != LB_CLI_DONE ? result : LB_CLI_USAGE;
        }
    }
    return LB_CLI_DONE;
}

void lb_cli_free_profiles(lb_cli_profiles *p)
{
    for (int i = 0; i < p->count; ++i) {
        free(p->inputs[i]);
    }
    free(p->inputs);
    free(p->point_counts);
    free(p->frequencies);
    free(p->levels);
}
