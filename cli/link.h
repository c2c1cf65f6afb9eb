// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The link of `limber serve` to its controller: a UDP socket, and which packets count. Nothing here
// allocates. Ages are in simulated time, which is the clock's as long as deadlines are met.
#ifndef LB_CLI_LINK_H
#define LB_CLI_LINK_H

#include <netinet/in.h>

#include "limber/control.h"
#include "packet.h"

typedef struct lb_cli_link_counts {
    uint64_t sent, unsent;
    uint64_t received;  ///< all below together
    uint64_t accepted;  ///< commands obeyed, and greetings
    uint64_t late;      ///< commands for sensors older than the time-out
    uint64_t ignored;   ///< old or repeated sequence number, or not from the controller
    uint64_t malformed; ///< not a packet, or not of this model
    uint64_t timeouts;  ///< times that commands went to zero
} lb_cli_link_counts;

typedef struct lb_cli_link {
    int socket;
    double timeout; ///< s
    // the controller, once it has greeted
    bool has_peer;
    struct sockaddr_in peer;
    uint64_t sequence; ///< its last
    // greetings from other machines are answered first by a number that they must repeat
    uint64_t key[2];
    bool challenge_due;
    struct sockaddr_in challenged;
    double heard; ///< simulated time of its last packet that was not ignored
    // what it commands
    bool commanded;
    double command_time; ///< of the sensors that the commands answer
    double commands[LB_PACKET_VALUE_MAX];
    lb_control_sample first; ///< counts and period of the sample at t = 0

    lb_cli_link_counts counts;
    lb_packet packet;
    uint8_t bytes[LB_PACKET_SIZE_MAX + 1]; ///< one more, to see what is too long
} lb_cli_link;

/// Opens a socket at an IPv4 address; port 0 for any that is free.
///
/// @param port  in and out
/// @return false, after saying why, if it cannot be had
bool lb_cli_open_link(lb_cli_link *link, const char *address, int *port, double timeout);
void lb_cli_close_link(lb_cli_link *link);

/// The number with which a greeting from an address on another machine must come, known only to who
/// receives packets there. It never is 0.
uint64_t lb_cli_get_challenge(const lb_cli_link *link, const struct sockaddr_in *from);

/// Ends sending to a controller that has been silent for ten time-outs, and a second at least.
void lb_cli_drop_silent_peer(lb_cli_link *link, double t);

/// Judges one packet: link->bytes, `size` of them, from an address, at simulated time t.
void lb_cli_judge_packet(lb_cli_link *link, size_t size, const struct sockaddr_in *from, double t);

/// Whether a sample with these counts can be sent.
bool lb_cli_fits_packet(const lb_control_sample *sample);

/// A law, lb_control_law, whose user is the link: takes what has arrived, commands what the last good
/// packet says, or zero, and sends the sample.
int lb_cli_exchange(void *user, const lb_control_sample *sample, double *commands);

#endif // LB_CLI_LINK_H
