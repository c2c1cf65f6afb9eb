// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Parameters in the text of a frozen file: a struct with defaults, and what functions read of it.
#include <string.h>

#include "tunable.h"

bool lb_is_reserved(const char *name)
{
    static const char words[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl "
        "const const_cast constexpr continue decltype default delete do double dynamic_cast else "
        "enum explicit export extern false float for friend goto if inline int long mutable "
        "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
        "register reinterpret_cast restrict return short signed sizeof static static_assert "
        "static_cast struct switch template this thread_local throw true try typedef typeid "
        "typename union unsigned using virtual void volatile wchar_t while xor xor_eq ";
    const size_t length = strlen(name);
    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name)) {
        if (at[-1] == ' ' && at[length] == ' ') {
            return true;
        }
    }
    return false;
}

static bool has_parameters(const lb_freeze_options *options)
{
    return options->parameters && options->parameters->count > 0;
}

const char *lb_get_real(const lb_freeze_options *options)
{
    return options->number == LB_FROZEN_FLOAT ? "float" : "double";
}

const char *lb_get_passed(const lb_freeze_options *options)
{
    return has_parameters(options) ? "parameters, " : "";
}

void lb_write_parameter_argument(lb_page *page, const lb_freeze_options *options)
{
    if (has_parameters(options)) {
        lb_write(page, "const %s_parameters *parameters, ", options->name);
    }
}

static void write_value(lb_page *page, double x, bool is_float)
{
    lb_write(page, x < 0 ? "-" : "");
    lb_write_number(page, x < 0 ? -x : x + 0.0, is_float);
}

void lb_write_parameters(lb_page *page, const lb_freeze_options *options, const char *capitals)
{
    const bool is_float = options->number == LB_FROZEN_FLOAT;
    if (!has_parameters(options)) {
        return;
    }
    lb_write(page,
             "\n// Parameters of the model that are free to change from call to call.\n"
             "typedef struct %s_parameters {\n",
             options->name);
    for (int i = 0; i < options->parameters->count; ++i) {
        const lb_frozen_parameter *p = &options->parameters->list[i];
        lb_write(page, "    %s %s;", lb_get_real(options), p->name);
        if (p->unit && *p->unit) {
            lb_write(page, " // ");
            lb_write_name(page, p->unit);
        }
        lb_write(page, "\n");
    }
    lb_write(page,
             "} %s_parameters;\n\n// Their values when the model was frozen: %s_parameters p = "
             "%s_DEFAULTS;\n#define %s_DEFAULTS {",
             options->name, options->name, capitals, capitals);
    for (int i = 0; i < options->parameters->count; ++i) {
        lb_write(page, i ? ", " : "");
        write_value(page, options->parameters->list[i].value, is_float);
    }
    lb_write(page, "}\n");
}

void lb_write_parameter_array(lb_page *page, const lb_freeze_options *options)
{
    if (!has_parameters(options)) {
        return;
    }
    lb_write(page, "    const %s p[%d] = {", lb_get_real(options), options->parameters->count);
    for (int i = 0; i < options->parameters->count; ++i) {
        lb_write(page, "%sparameters->%s", i ? ", " : "", options->parameters->list[i].name);
    }
    lb_write(page, "};\n");
}
