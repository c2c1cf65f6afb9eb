// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A peer: one engine, one program, one tree. bench_peers starts all of them on the same tree and
// asks them in turn over a pipe, so that they are timed in the same run under the same conditions.
//
//     peer_NAME [OPTION...] TREE
//
//     (at the start)      ready NAME | SETTING
//     answer CALL         the answer in Limber's conventions, v_count numbers, or `none`
//     round CALL          ns of one call, over as many calls as the clock needs, or `none`
//
// CALL is `forward` (q, v, tau to accelerations), `inverse` (q, v, a to forces) or `mass` (q to the
// mass matrix; its answer is M a). Every call starts from plain arrays and ends in the whole answer.
#ifndef LB_BENCH_PEER_H
#define LB_BENCH_PEER_H

#include "tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lb_call { LB_CALL_FORWARD, LB_CALL_INVERSE, LB_CALL_MASS, LB_CALL_COUNT } lb_call;

extern const char *const lb_call_names[LB_CALL_COUNT];

typedef struct lb_peer {
    const char *name;
    const char *setting; ///< version, compiler, flags, as far as it is known
    void *self;
    void (*run[LB_CALL_COUNT])(void *self); ///< NULL for what the engine does not have
    /// The last answer of a call, v_count numbers; of `mass`, M times the accelerations of the tree.
    void (*get_answer)(void *self, lb_call call, double *answer);
} lb_peer;

/// Answers requests until there are none. @return the program's exit code
int lb_serve_peer(const lb_peer *peer, int v_count);

#ifdef __cplusplus
}
#endif

#endif // LB_BENCH_PEER_H
