// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "held_speeds.h"

#include <string.h>

#include "base/dense.h"

lb_status lb_take_held_speeds(lb_system *s, int capacity)
{
    const size_t n = (size_t)capacity;
    lb_held_speeds *h = lb_arena_take(s->arena, 1, sizeof *h);
    if (!h) {
        return LB_E_MEMORY;
    }
    h->capacity = capacity;
    h->entries = lb_arena_take(s->arena, n, sizeof *h->entries);
    h->flags = lb_arena_take(s->arena, (size_t)s->v_count, 1);
    h->sizes = lb_take_numbers(s->arena, n);
    h->G = lb_take_numbers(s->arena, n * n);
    h->S = lb_take_numbers(s->arena, n * n);
    h->force = lb_take_numbers(s->arena, n);
    h->a = lb_take_numbers(s->arena, n);
    h->pivot = lb_arena_take(s->arena, n, sizeof *h->pivot);
    s->held_speeds = h;
    return h->entries && h->flags && h->sizes && h->G && h->S && h->force && h->a && h->pivot
               ? LB_OK
               : LB_E_MEMORY;
}

void lb_hold_speed(lb_system *s, int entry, double size, bool on)
{
    lb_held_speeds *h = s->held_speeds;
    if (h->flags[entry] == on) {
        return;
    }
    h->flags[entry] = on;
    if (on) {
        h->entries[h->count] = entry;
        h->sizes[h->count++] = size;
        return;
    }
    int at = 0;
    while (h->entries[at] != entry) {
        ++at;
    }
    for (--h->count; at < h->count; ++at) {
        h->entries[at] = h->entries[at + 1];
        h->sizes[at] = h->sizes[at + 1];
    }
}

bool lb_is_speed_held(const lb_system *s, int entry)
{
    return s->held_speeds && s->held_speeds->flags[entry];
}

void lb_rest_held_speeds(lb_system *s)
{
    for (int i = 0; s->held_speeds && i < s->held_speeds->count; ++i) {
        s->v[s->held_speeds->entries[i]] = 0.0;
        s->a[s->held_speeds->entries[i]] = 0.0;
    }
}

// Accelerations with these forces beside those of the elements; `a` gets those of the held speeds.
static lb_status try_forces(lb_system *s, lb_status (*compute)(lb_system *s), const double *force,
                            double *a)
{
    const lb_held_speeds *h = s->held_speeds;
    memcpy(s->tau, s->tau_forces, (size_t)s->v_count * sizeof *s->tau);
    for (int i = 0; i < h->count; ++i) {
        s->tau[h->entries[i]] += force[i];
    }
    const lb_status status = compute(s);
    for (int i = 0; status >= 0 && i < h->count; ++i) {
        a[i] = s->a[h->entries[i]];
    }
    return status;
}

lb_status lb_compute_held(lb_system *s, lb_status (*compute)(lb_system *s))
{
    lb_held_speeds *h = s->held_speeds;
    const int n = h->count;
    memset(h->force, 0, (size_t)n * sizeof *h->force);
    lb_status status = try_forces(s, compute, h->force, h->a);
    for (int j = 0; status >= 0 && j < n; ++j) {
        h->force[j] = h->sizes[j];
        status = try_forces(s, compute, h->force, h->S);
        h->force[j] = 0.0;
        for (int i = 0; i < n; ++i) {
            h->G[i * n + j] = (h->S[i] - h->a[i]) / h->sizes[j];
        }
    }
    memcpy(h->S, h->G, (size_t)(n * n) * sizeof *h->S);
    if (status >= 0 && !lb_factor_lu(n, h->S, h->pivot)) {
        return LB_E_SINGULAR;
    }
    // the second time takes off what the differences have lost
    for (int pass = 0; status >= 0 && pass < 2; ++pass) {
        lb_solve_lu(n, h->S, h->pivot, h->a);
        for (int i = 0; i < n; ++i) {
            h->force[i] -= h->a[i];
        }
        status = try_forces(s, compute, h->force, h->a);
    }
    for (int i = 0; i < n; ++i) {
        s->a[h->entries[i]] = 0.0;
    }
    return status;
}
