// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Packets of `limber serve`, described in docs/guide/control.md: 32 bytes, then doubles, all
// little-endian.
//
//      0  4  magic "LMBR"
//      4  2  version, 1
//      6  2  kind
//      8  8  sequence number, from 1
//     16  8  time, s, a double
//     24  2  sensors
//     26  2  channels (actuators)
//     28  4  zero
//     32     kind sensors: the sensors, then of all channels the position, of all the speed, of all the
//            desired position, speed, acceleration; kind commands: one a channel, and no sensors
#ifndef LB_CLI_PACKET_H
#define LB_CLI_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LB_PACKET_HEADER = 32,
    LB_PACKET_SIZE_MAX = 8192,
    LB_PACKET_VALUE_MAX = (LB_PACKET_SIZE_MAX - LB_PACKET_HEADER) / 8
};

typedef enum lb_packet_kind {
    LB_PACKET_SENSORS = 1,
    LB_PACKET_COMMANDS = 2,
    LB_PACKET_CHALLENGE = 3 ///< no values; the sequence number is the one to greet with
} lb_packet_kind;

typedef struct lb_packet {
    lb_packet_kind kind;
    uint64_t sequence;
    double time;
    int sensor_count, channel_count;
    double values[LB_PACKET_VALUE_MAX];
} lb_packet;

/// How many doubles a packet with these counts has.
int lb_cli_count_packet_values(lb_packet_kind kind, int sensor_count, int channel_count);

/// @param packet  with counts that fit
/// @return bytes written
size_t lb_cli_encode_packet(const lb_packet *packet, uint8_t bytes[LB_PACKET_SIZE_MAX]);

/// @return false unless every byte is as it should be: magic, version, kind, counts, length, a
///         sequence number above 0, a time that is not negative, numbers all finite
bool lb_cli_decode_packet(const uint8_t *bytes, size_t size, lb_packet *packet);

#endif // LB_CLI_PACKET_H
