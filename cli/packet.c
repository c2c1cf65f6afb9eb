// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "packet.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1 };
static const uint8_t magic[4] = {'L', 'M', 'B', 'R'};

// ---- little-endian, on any machine -----------------------------------------------------------------

static void put(uint8_t *bytes, int size, uint64_t value)
{
    for (int i = 0; i < size; ++i) {
        bytes[i] = (uint8_t)(value >> (8 * i) & 0xff);
    }
}

static uint64_t get(const uint8_t *bytes, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; ++i) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

static void put_double(uint8_t *bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(bytes, 8, bits);
}

static double get_double(const uint8_t *bytes)
{
    const uint64_t bits = get(bytes, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// ---- packets ---------------------------------------------------------------------------------------

int lb_cli_count_packet_values(lb_packet_kind kind, int sensor_count, int channel_count)
{
    return kind == LB_PACKET_SENSORS ? sensor_count + 5 * channel_count : channel_count;
}

size_t lb_cli_encode_packet(const lb_packet *packet, uint8_t bytes[LB_PACKET_SIZE_MAX])
{
    memcpy(bytes, magic, sizeof magic);
    put(bytes + 4, 2, VERSION);
    put(bytes + 6, 2, packet->kind);
    put(bytes + 8, 8, packet->sequence);
    put_double(bytes + 16, packet->time);
    put(bytes + 24, 2, (uint64_t)packet->sensor_count);
    put(bytes + 26, 2, (uint64_t)packet->channel_count);
    put(bytes + 28, 4, 0);
    const int count =
        lb_cli_count_packet_values(packet->kind, packet->sensor_count, packet->channel_count);
    for (int i = 0; i < count; ++i) {
        put_double(bytes + LB_PACKET_HEADER + 8 * i, packet->values[i]);
    }
    return LB_PACKET_HEADER + 8 * (size_t)count;
}

bool lb_cli_decode_packet(const uint8_t *bytes, size_t size, lb_packet *packet)
{
    if (size < LB_PACKET_HEADER || size > LB_PACKET_SIZE_MAX ||
        memcmp(bytes, magic, sizeof magic) != 0 || get(bytes + 4, 2) != VERSION ||
        get(bytes + 28, 4) != 0) {
        return false;
    }
    const uint64_t kind = get(bytes + 6, 2);
    packet->kind = kind == LB_PACKET_SENSORS ? LB_PACKET_SENSORS : LB_PACKET_COMMANDS;
    packet->sequence = get(bytes + 8, 8);
    packet->time = get_double(bytes + 16);
    packet->sensor_count = (int)get(bytes + 24, 2);
    packet->channel_count = (int)get(bytes + 26, 2);
    const int count =
        lb_cli_count_packet_values(packet->kind, packet->sensor_count, packet->channel_count);
    if (kind != (uint64_t)packet->kind || packet->sequence == 0 ||
        !(isfinite(packet->time) && packet->time >= 0.0) ||
        (packet->kind == LB_PACKET_COMMANDS && packet->sensor_count != 0) ||
        size != LB_PACKET_HEADER + 8 * (size_t)count) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        packet->values[i] = get_double(bytes + LB_PACKET_HEADER + 8 * i);
        if (!isfinite(packet->values[i])) {
            return false;
        }
    }
    return true;
}
