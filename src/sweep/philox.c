// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "philox.h"

#include <math.h>
#include <string.h>

#include "base/sha256.h"

__extension__ typedef unsigned __int128 wide;

void lb_compute_philox(const uint64_t key[2], const uint64_t counter[4], uint64_t words[4])
{
    static const uint64_t factors[2] = {0xD2E7470EE14C6C93u, 0xCA5A826395121157u};
    static const uint64_t weights[2] = {0x9E3779B97F4A7C15u, 0xBB67AE8584CAA73Bu};
    uint64_t x[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; ++round) {
        const wide a = (wide)factors[0] * x[0], b = (wide)factors[1] * x[2];
        const uint64_t y[4] = {(uint64_t)(b >> 64) ^ x[1] ^ k[0], (uint64_t)b,
                               (uint64_t)(a >> 64) ^ x[3] ^ k[1], (uint64_t)a};
        memcpy(x, y, sizeof x);
        k[0] += weights[0];
        k[1] += weights[1];
    }
    memcpy(words, x, sizeof x);
}

uint64_t lb_get_random_word(uint64_t seed, uint64_t stream, uint64_t index)
{
    // NumPy counts before it draws, so that its first block is number 1
    const uint64_t key[2] = {seed, stream}, counter[4] = {index / 4 + 1};
    uint64_t words[4];
    lb_compute_philox(key, counter, words);
    return words[index % 4];
}

double lb_get_unit_number(uint64_t word)
{
    return ldexp((double)(word >> 12) + 0.5, -52);
}

// A network of Feistel permutes the numbers of 2 h bits; what it puts at or beyond `count` goes through it again,
// which comes to an end because the start is below `count`.
uint64_t lb_permute_index(uint64_t seed, uint64_t stream, uint64_t index, uint64_t count)
{
    const uint64_t key[2] = {seed, stream};
    int half = 1;
    while (half < 31 && (uint64_t)1 << 2 * half < count) {
        ++half;
    }
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = index >> half, right = index & mask;
        for (uint64_t round = 0; round < 8; ++round) {
            // the third entry keeps these blocks apart from those of samples
            const uint64_t counter[4] = {right, round, 1, 0};
            uint64_t words[4];
            lb_compute_philox(key, counter, words);
            const uint64_t mixed = left ^ (words[0] & mask);
            left = right;
            right = mixed;
        }
        index = left << half | right;
    } while (index >= count);
    return index;
}

uint64_t lb_get_stream(const char *name)
{
    char digits[65];
    uint64_t stream = 0;
    lb_compute_sha256(name, strlen(name), digits);
    for (int i = 15; i >= 0; --i) {
        // two digits are a byte, the upper one first
        const char digit = digits[i ^ 1];
        stream = stream << 4 | (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    return stream;
}
