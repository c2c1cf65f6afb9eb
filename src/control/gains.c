// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "control.h"

bool lb_read_gains(lb_control_loader *loader, const lb_place *law, const char *key, lb_need need,
                   const lb_controller *c, double *numbers)
{
    lb_reader *reader = loader->functions.reader;
    const size_t count = (size_t)c->sample.channel_count;
    const lb_place at = lb_place_at_key(law, key);
    if (lb_place_exists(&at) && lb_place_get_kind(&at) == LB_DOC_SEQUENCE) {
        return lb_read_numbers(reader, law, key, need, count, numbers);
    }
    double number;
    if (!lb_read_number(reader, law, key, need, &number)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = number;
    }
    return true;
}
