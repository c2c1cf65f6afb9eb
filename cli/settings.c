// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "console.h"
#include "limber/document.h"

static struct {
    lb_cli_names names;
    lb_parameter_value *values;
    int count;
} settings;

// "panel_mass=30", "tilt=5 deg"
static bool read_setting(char *text, lb_parameter_value *value)
{
    char *sign = strchr(text, '=');
    const size_t used = sign ? lb_convert_number(sign + 1, &value->value) : 0;
    const char *unit = used ? sign + 1 + used + strspn(sign + 1 + used, " ") : "";
    const bool degrees = strcmp(unit, "deg") == 0;
    if (!used || sign == text || (*unit && !degrees && strcmp(unit, "rad") != 0)) {
        lb_cli_complain("--set: '%s' given, expected NAME=VALUE, such as mass=2.5 or tilt=5 deg",
                        text);
        return false;
    }
    *sign = '\0';
    value->name = text;
    value->value *= degrees ? 3.14159265358979323846 / 180.0 : 1.0;
    return true;
}

// --gravity X,Y,Z, or 0
static bool read_gravity(const char *text)
{
    static const char *const names[] = {"gravity.0", "gravity.1", "gravity.2"};
    double g[3] = {0, 0, 0};
    const char *at = text;
    int count = 0;
    for (size_t used; count < 3 && (used = lb_convert_number(at, &g[count])) > 0; ++count) {
        at += used;
        at += *at == ',' && count < 2;
    }
    if (*at || (count != 3 && !(count == 1 && g[0] == 0.0))) {
        lb_cli_complain("--gravity: '%s' given, expected X,Y,Z in m/s^2, such as 0,0,-1.62, or 0",
                        text);
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        settings.values[settings.count++] = (lb_parameter_value){names[i], g[i]};
    }
    return true;
}

int lb_cli_read_settings(const lb_cli_arguments *arguments)
{
    const char *gravity = lb_cli_get_option(arguments, "gravity");
    if (!lb_cli_get_repeated(arguments, "set", 0) && !gravity) {
        return LB_CLI_DONE;
    }
    if (!lb_cli_read_names(arguments, "set", &settings.names)) {
        return LB_CLI_USAGE;
    }
    settings.values = calloc((size_t)settings.names.count + 4, sizeof *settings.values);
    if (!settings.values) {
        lb_cli_complain("out of memory");
        return LB_CLI_FAILED;
    }
    for (int i = 0; i < settings.names.count; ++i) {
        // the names are pieces of a text of ours
        if (!read_setting((char *)(size_t)settings.names.names[i], &settings.values[i])) {
            return LB_CLI_USAGE;
        }
    }
    settings.count = settings.names.count;
    return gravity && !read_gravity(gravity) ? LB_CLI_USAGE : LB_CLI_DONE;
}

void lb_cli_add_settings(lb_load_options *options)
{
    options->parameters = settings.values;
    options->parameter_count = settings.count;
}
