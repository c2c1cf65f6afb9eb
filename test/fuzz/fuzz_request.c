// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a request of `limber eval`: either refused with at least one message, or a list
// whose every request asks for something and holds finite numbers.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_message(void *user, const lb_diagnostic *diagnostic)
{
    int *count = user;
    *count += diagnostic->message[0] != '\0';
}

static void expect_finite(const lb_cli_numbers *numbers)
{
    for (int i = 0; i < numbers->count; ++i) {
        if (!isfinite(numbers->values[i])) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int message_count = 0;
    const lb_report report = {count_message, &message_count};
    lb_cli_request_list list;
    const lb_cli_input input = {"fuzz", (char *)data, size};
    const lb_status status = lb_cli_parse_requests(&input, false, &report, &list);
    if (status != LB_OK && (message_count == 0 || list.count != 0)) {
        abort();
    }
    for (int i = 0; i < list.count; ++i) {
        const lb_cli_request *request = &list.requests[i];
        bool asks = false;
        for (int k = 0; k < LB_CLI_QUANTITY_COUNT; ++k) {
            asks = asks || request->compute[k];
        }
        if (!asks || (request->at.body == NULL) != (request->at.node == NULL)) {
            abort();
        }
        expect_finite(&request->q);
        expect_finite(&request->v);
        expect_finite(&request->tau);
        expect_finite(&request->a);
        for (int k = 0; k < request->drive_count; ++k) {
            expect_finite(&request->drives[k].accelerations);
        }
    }
    lb_cli_free_requests(&list);
    return 0;
}
