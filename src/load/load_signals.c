// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `signals` of a model file.
#include <stdio.h>

#include "document/reader.h"
#include "document/values.h"
#include "load_parts.h"
#include "simulate/signals/signals.h"

// `parameters` of the document, which have been checked.
static lb_status read_constants(lb_part_loader *loader, lb_signals *signals)
{
    const lb_place list = lb_find_part(loader->root, "parameters", LB_DOC_MAPPING);
    lb_status status = LB_OK;
    for (size_t i = 0; status == LB_OK && i < lb_place_get_count(&list); ++i) {
        const lb_place entry = lb_place_at_pair(&list, i), inner = lb_place_at_key(&entry, "value");
        double value;
        if (lb_read_angle_at(loader->reader, inner.node ? &inner : &entry, &value)) {
            status = lb_add_constant(signals, entry.key, value);
        }
    }
    return status;
}

// The expression of an entry: itself, or its `value` beside a `unit`, which is a label for readers.
static lb_place find_expression(lb_reader *reader, const lb_place *entry)
{
    static const char *const known[] = {"value", "unit", NULL};
    if (lb_place_get_kind(entry) != LB_DOC_MAPPING || !lb_read_mapping(reader, entry, known)) {
        return *entry;
    }
    const lb_place unit = lb_place_at_key(entry, "unit");
    if (unit.node && !lb_place_get_string(&unit)) {
        lb_reader_fail_type(reader, &unit, "a text such as MPa");
    }
    return lb_place_at_key(entry, "value");
}

lb_status lb_read_signals(lb_part_loader *loader, lb_signals *signals)
{
    lb_reader *reader = loader->reader;
    lb_status status = read_constants(loader, signals);
    if (status < 0) {
        return status;
    }
    lb_place place;
    if (!lb_find_kind(reader, loader->root, "signals", LB_OPTIONAL, LB_DOC_MAPPING,
                      "a mapping from names to expressions", &place)) {
        return LB_OK;
    }
    for (size_t i = 0;
         status != LB_E_MEMORY && i < lb_place_get_count(&place) && !lb_gives_up(reader, &place, i);
         ++i) {
        const lb_place entry = lb_place_at_pair(&place, i);
        lb_signal_options options = lb_default_signal_options();
        char number[40];
        double value = 0.0;
        options.name = entry.key;
        const lb_place at = find_expression(reader, &entry);
        options.expression = lb_place_get_string(&at);
        if (lb_place_get_kind(&at) == LB_DOC_NUMBER && lb_read_number_at(reader, &at, &value)) {
            // 17 digits are the number itself
            snprintf(number, sizeof number, "%.17g", value);
            options.expression = number;
        }
        if (options.expression) {
            status = lb_add_signal(signals, &options, NULL);
        } else {
            lb_reader_fail_type(reader, at.node ? &at : &entry, "a number or an expression");
            status = lb_reserve_signal(signals, options.name);
        }
    }
    return status == LB_E_MEMORY ? status : LB_OK;
}
