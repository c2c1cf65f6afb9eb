// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // getentropy
#include "link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "console.h"

// ---- the socket ------------------------------------------------------------------------------------

bool lb_cli_open_link(lb_cli_link *link, const char *address, int *port, double timeout)
{
    memset(link, 0, sizeof *link);
    link->timeout = timeout;
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t length = sizeof own;
    link->socket = -1;
    if (inet_pton(AF_INET, address, &own.sin_addr) != 1) {
        lb_cli_complain("serve: --bind: '%s' given, expected an IPv4 address such as 127.0.0.1",
                        address);
        return false;
    }
    link->socket = socket(AF_INET, SOCK_DGRAM, 0);
    if (link->socket < 0 || bind(link->socket, (struct sockaddr *)&own, sizeof own) != 0 ||
        getsockname(link->socket, (struct sockaddr *)&own, &length) != 0) {
        lb_cli_complain("serve: cannot listen on %s:%d: %s", address, *port, strerror(errno));
        return false;
    }
    if (getentropy(link->key, sizeof link->key) != 0) {
        lb_cli_complain("serve: no random numbers: %s", strerror(errno));
        return false;
    }
    *port = ntohs(own.sin_port);
    return true;
}

void lb_cli_close_link(lb_cli_link *link)
{
    if (link->socket >= 0) {
        close(link->socket);
    }
}

// ---- what arrives ----------------------------------------------------------------------------------

static bool is_same(const struct sockaddr_in *a, const struct sockaddr_in *b)
{
    return a->sin_addr.s_addr == b->sin_addr.s_addr && a->sin_port == b->sin_port;
}

// ---- greetings from other machines -------------------------------------------------------------------

static bool is_local(const struct sockaddr_in *a)
{
    const uint32_t address = ntohl(a->sin_addr.s_addr);
    return address == 0 || address >> 24 == 127;
}

static uint64_t turn(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = turn(v[1], 13) ^ v[0];
    v[0] = turn(v[0], 32);
    v[2] += v[3];
    v[3] = turn(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = turn(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = turn(v[1], 17) ^ v[2];
    v[2] = turn(v[2], 32);
}

// SipHash-2-4 of the address, so that nothing has to be kept of those who greet. Source: Aumasson and
// Bernstein 2012.
uint64_t lb_cli_get_challenge(const lb_cli_link *link, const struct sockaddr_in *from)
{
    const uint64_t text[2] = {(uint64_t)from->sin_addr.s_addr << 16 | from->sin_port,
                              (uint64_t)8 << 56};
    uint64_t v[4] = {link->key[0] ^ 0x736f6d6570736575u, link->key[1] ^ 0x646f72616e646f6du,
                     link->key[0] ^ 0x6c7967656e657261u, link->key[1] ^ 0x7465646279746573u};
    for (int i = 0; i < 2; ++i) {
        v[3] ^= text[i];
        mix(v);
        mix(v);
        v[0] ^= text[i];
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 4; ++i) {
        mix(v);
    }
    const uint64_t number = v[0] ^ v[1] ^ v[2] ^ v[3];
    return number ? number : 1;
}

// As long as the greeting: nobody can have more sent to others than he sends himself.
static void challenge(lb_cli_link *link)
{
    lb_packet *packet = &link->packet;
    packet->kind = LB_PACKET_CHALLENGE;
    packet->sequence = lb_cli_get_challenge(link, &link->challenged);
    packet->time = 0.0;
    packet->sensor_count = packet->channel_count = 0;
    const size_t size = lb_cli_encode_packet(packet, link->bytes);
    (void)sendto(link->socket, link->bytes, size, MSG_DONTWAIT,
                 (const struct sockaddr *)&link->challenged, sizeof link->challenged);
    link->challenge_due = false;
}

void lb_cli_drop_silent_peer(lb_cli_link *link, double t)
{
    const double patience = 10.0 * link->timeout > 1.0 ? 10.0 * link->timeout : 1.0;
    link->has_peer = link->has_peer && t - link->heard <= patience;
}

void lb_cli_judge_packet(lb_cli_link *link, size_t size, const struct sockaddr_in *from, double t)
{
    const lb_packet *packet = &link->packet;
    lb_cli_link_counts *counts = &link->counts;
    counts->received += 1;
    const bool good = lb_cli_decode_packet(link->bytes, size, &link->packet) &&
                      packet->kind == LB_PACKET_COMMANDS && packet->time <= t;
    const bool greets = good && packet->channel_count == 0;
    if (!good || (!greets && packet->channel_count != link->first.channel_count)) {
        counts->malformed += 1;
        return;
    }
    // a greeting makes its sender the controller, if there is none that speaks
    const bool vacant = !link->has_peer || t - link->heard > link->timeout;
    const bool next =
        link->has_peer && is_same(from, &link->peer) && packet->sequence > link->sequence;
    if (!next && !(greets && vacant)) {
        counts->ignored += 1;
        return;
    }
    // whose address may be forged must show that he receives what is sent there
    const bool proven = !next && !is_local(from);
    if (proven && packet->sequence != lb_cli_get_challenge(link, from)) {
        link->challenge_due = true;
        link->challenged = *from;
        counts->ignored += 1;
        return;
    }
    link->has_peer = true;
    link->peer = *from;
    link->sequence = proven ? 0 : packet->sequence; // his own numbers begin behind it
    link->heard = t;
    if (!greets && t - packet->time > link->timeout) {
        counts->late += 1;
        return;
    }
    counts->accepted += 1;
    if (!greets) {
        link->commanded = true;
        link->command_time = packet->time;
        memcpy(link->commands, packet->values,
               (size_t)packet->channel_count * sizeof *link->commands);
    }
}

static void receive(lb_cli_link *link, double t)
{
    enum { MOST = 256 }; // a flood does not hold up the simulation
    for (int i = 0; i < MOST; ++i) {
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        const ssize_t size = recvfrom(link->socket, link->bytes, sizeof link->bytes, MSG_DONTWAIT,
                                      (struct sockaddr *)&from, &length);
        if (size < 0) {
            return;
        }
        lb_cli_judge_packet(link, (size_t)size, &from, t);
        if (link->challenge_due) {
            challenge(link);
        }
    }
}

// ---- what is sent ----------------------------------------------------------------------------------

static double *append(double *at, const double *values, int count)
{
    memcpy(at, values, (size_t)count * sizeof *at);
    return at + count;
}

static void transmit(lb_cli_link *link, const lb_control_sample *sample)
{
    lb_packet *packet = &link->packet;
    const int n = sample->channel_count;
    packet->kind = LB_PACKET_SENSORS;
    packet->sequence = link->counts.sent + link->counts.unsent + 1;
    packet->time = sample->t;
    packet->sensor_count = sample->sensor_count;
    packet->channel_count = n;
    double *at = append(packet->values, sample->sensors, sample->sensor_count);
    at = append(at, sample->position, n);
    at = append(at, sample->speed, n);
    at = append(at, sample->desired, n);
    at = append(at, sample->desired_speed, n);
    append(at, sample->desired_acceleration, n);
    const size_t size = lb_cli_encode_packet(packet, link->bytes);
    const ssize_t done = sendto(link->socket, link->bytes, size, MSG_DONTWAIT,
                                (const struct sockaddr *)&link->peer, sizeof link->peer);
    *(done == (ssize_t)size ? &link->counts.sent : &link->counts.unsent) += 1;
}

bool lb_cli_fits_packet(const lb_control_sample *sample)
{
    return lb_cli_count_packet_values(LB_PACKET_SENSORS, sample->sensor_count,
                                      sample->channel_count) <= LB_PACKET_VALUE_MAX;
}

int lb_cli_exchange(void *user, const lb_control_sample *sample, double *commands)
{
    lb_cli_link *link = user;
    if (sample->t == 0.0) {
        link->first = *sample;
    }
    if (!lb_cli_fits_packet(sample)) {
        return 1;
    }
    receive(link, sample->t);
    lb_cli_drop_silent_peer(link, sample->t);
    if (link->commanded && sample->t - link->command_time > link->timeout) {
        link->commanded = false;
        link->counts.timeouts += 1;
    }
    for (int i = 0; i < sample->channel_count; ++i) {
        commands[i] = link->commanded ? link->commands[i] : 0.0;
    }
    if (link->has_peer) {
        transmit(link, sample);
    }
    return 0;
}
