// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Source: FIPS 180-4, section 6.2. The constants are computed as the standard defines them: the
// first 32 bits of the fractional parts of square and cube roots of primes.
#include "sha256.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 64, BLOCK = LB_SHA256_BLOCK };

static uint32_t turn(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t get_fraction(double x)
{
    return (uint32_t)((x - floor(x)) * 4294967296.0);
}

static bool is_prime(int n)
{
    for (int i = 2; i * i <= n; ++i) {
        if (n % i == 0) {
            return false;
        }
    }
    return true;
}

static uint32_t read_word(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// One round. The next one takes the same words under names that are one place further on.
#define MIX(a, b, c, d, e, f, g, h, i)                                                             \
    do {                                                                                           \
        h += (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ (e & (f ^ g))) + k[i] + w[i];         \
        d += h;                                                                                    \
        h += (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) | (c & (a | b)));                 \
    } while (0)

static void mix(uint32_t state[8], const uint32_t k[ROUNDS], const unsigned char block[BLOCK])
{
    uint32_t w[ROUNDS];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 16; ++i) {
        w[i] = read_word(block + 4 * i);
    }
    for (int i = 16; i < ROUNDS; ++i) {
        const uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = (turn(y, 17) ^ turn(y, 19) ^ y >> 10) + w[i - 7] +
               (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[i - 16];
    }
    for (int i = 0; i < ROUNDS; i += 8) {
        MIX(a, b, c, d, e, f, g, h, i);
        MIX(h, a, b, c, d, e, f, g, i + 1);
        MIX(g, h, a, b, c, d, e, f, i + 2);
        MIX(f, g, h, a, b, c, d, e, i + 3);
        MIX(e, f, g, h, a, b, c, d, i + 4);
        MIX(d, e, f, g, h, a, b, c, i + 5);
        MIX(c, d, e, f, g, h, a, b, i + 6);
        MIX(b, c, d, e, f, g, h, a, i + 7);
    }
    const uint32_t mixed[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i) {
        state[i] += mixed[i];
    }
}

// By Newton: the core does without cbrt.
static double get_cube_root(int n)
{
    double x = n;
    for (int turn = 0; turn < 40; ++turn) {
        x -= (x - n / (x * x)) / 3;
    }
    return x;
}

// The first eight primes give the start, the first 64 the constants of the rounds.
static void find_constants(uint32_t h[8], uint32_t k[ROUNDS])
{
    for (int n = 2, i = 0; i < ROUNDS; ++n) {
        if (is_prime(n)) {
            if (i < 8) {
                h[i] = get_fraction(sqrt(n));
            }
            k[i++] = get_fraction(get_cube_root(n));
        }
    }
}

void lb_start_sha256(lb_sha256 *hash)
{
    memset(hash, 0, sizeof *hash);
    find_constants(hash->h, hash->k);
}

void lb_add_sha256(lb_sha256 *hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    hash->length += size;
    while (size > 0) {
        if (hash->rest == 0 && size >= BLOCK) {
            mix(hash->h, hash->k, bytes);
            bytes += BLOCK;
            size -= BLOCK;
            continue;
        }
        const size_t room = BLOCK - hash->rest, part = size < room ? size : room;
        memcpy(hash->block + hash->rest, bytes, part);
        hash->rest += part;
        bytes += part;
        size -= part;
        if (hash->rest == BLOCK) {
            mix(hash->h, hash->k, hash->block);
            hash->rest = 0;
        }
    }
}

void lb_finish_sha256(lb_sha256 *hash, char digits[65])
{
    // a one, zeros, and the length in bits
    static const unsigned char padding[BLOCK] = {0x80};
    const uint64_t bits = hash->length * 8;
    unsigned char end[8];
    for (int i = 0; i < 8; ++i) {
        end[7 - i] = (unsigned char)(bits >> 8 * i);
    }
    lb_add_sha256(hash, padding, 1 + (2 * BLOCK - 9 - hash->rest) % BLOCK);
    lb_add_sha256(hash, end, sizeof end);
    for (int i = 0; i < 8; ++i) {
        snprintf(digits + 8 * i, 9, "%08x", (unsigned)hash->h[i]);
    }
}

void lb_compute_sha256(const void *text, size_t length, char digits[65])
{
    lb_sha256 hash;
    lb_start_sha256(&hash);
    lb_add_sha256(&hash, text, length);
    lb_finish_sha256(&hash, digits);
}
