// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a packet of `limber serve`: refused, or the same bytes again when encoded. A link that
// judges them counts them once, and never takes a command that is not a finite number.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lb_packet packet;
    static uint8_t again[LB_PACKET_SIZE_MAX];
    if (lb_cli_decode_packet(data, size, &packet) &&
        (lb_cli_encode_packet(&packet, again) != size || memcmp(again, data, size) != 0)) {
        abort();
    }

    static lb_cli_link link;
    memset(&link, 0, sizeof link);
    link.timeout = 0.1;
    link.first.channel_count = 2;
    const struct sockaddr_in from = {.sin_port = 1};
    const size_t held = size < sizeof link.bytes ? size : sizeof link.bytes;
    memcpy(link.bytes, data, held);
    link.has_peer = true;
    link.peer = from;
    lb_cli_judge_packet(&link, held, &from, 1.0);
    const lb_cli_link_counts *c = &link.counts;
    if (c->received != 1 || c->accepted + c->late + c->ignored + c->malformed != 1 ||
        !isfinite(link.commands[0]) || !isfinite(link.commands[1])) {
        abort();
    }
    return 0;
}
