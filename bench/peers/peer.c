// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L

#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const lb_call_names[LB_CALL_COUNT] = {"forward", "inverse", "mass"};

// A round is long enough for the clock and for caches, short enough to fall between disturbances.
static const double LB_ROUND_NS = 1e6;

static double lb_get_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double lb_run_calls(const lb_peer *peer, lb_call call, long count)
{
    void (*run)(void *self) = peer->run[call];
    const double start = lb_get_time_ns();
    for (long i = 0; i < count; ++i) {
        run(peer->self);
    }
    return lb_get_time_ns() - start;
}

int lb_serve_peer(const lb_peer *peer, int v_count)
{
    long counts[LB_CALL_COUNT] = {0};
    double *answer = calloc((size_t)v_count, sizeof *answer);
    char line[64];
    if (answer == NULL) {
        fputs("out of memory\n", stderr);
        return 1;
    }
    printf("ready %s | %s\n", peer->name, peer->setting);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        char verb[16], name[16];
        int call = 0;
        if (sscanf(line, "%15s %15s", verb, name) != 2) {
            break;
        }
        while (call < LB_CALL_COUNT && strcmp(name, lb_call_names[call]) != 0) {
            ++call;
        }
        if (call == LB_CALL_COUNT || peer->run[call] == NULL) {
            printf("none\n");
        } else if (strcmp(verb, "answer") == 0) {
            peer->run[call](peer->self);
            peer->get_answer(peer->self, (lb_call)call, answer);
            for (int i = 0; i < v_count; ++i) {
                printf("%.17g ", answer[i]);
            }
            printf("\n");
        } else {
            // the first round also warms up, and finds how many calls make a round
            if (counts[call] == 0) {
                long count = 1;
                while (lb_run_calls(peer, (lb_call)call, count) < LB_ROUND_NS) {
                    count *= 2;
                }
                counts[call] = count;
            }
            printf("%.17g\n",
                   lb_run_calls(peer, (lb_call)call, counts[call]) / (double)counts[call]);
        }
        fflush(stdout);
    }
    free(answer);
    return 0;
}
