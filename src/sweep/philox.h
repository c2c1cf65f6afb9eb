// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Random words by number: each is a function of a key and a counter alone, so that nobody has to draw those
// before it.
#ifndef LB_PHILOX_H
#define LB_PHILOX_H

#include <stdint.h>

/// One block of four words: Philox4x64 with ten rounds.
///
/// Source: Salmon, Moraes, Dror, Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3".
void lb_compute_philox(const uint64_t key[2], const uint64_t counter[4], uint64_t words[4]);

/// Word `index` of a stream: the number numpy.random.Philox(key=[seed, stream]).random_raw() gives after `index`
/// others.
uint64_t lb_get_random_word(uint64_t seed, uint64_t stream, uint64_t index);

/// The upper 52 bits of a word as a number between 0 and 1, neither of which occurs.
double lb_get_unit_number(uint64_t word);

/// Where `index` goes in a random permutation of 0 to count - 1 that belongs to the seed and the stream. The
/// permutation is never stored.
///
/// @param count  from 1 to 2^62; `index` is below it
uint64_t lb_permute_index(uint64_t seed, uint64_t stream, uint64_t index, uint64_t count);

/// The stream of a name: the first eight bytes of its SHA-256, the lowest first.
uint64_t lb_get_stream(const char *name);

#endif // LB_PHILOX_H
