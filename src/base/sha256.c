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

static void mix(uint32_t h[8], const uint32_t k[ROUNDS], const unsigned char block[BLOCK])
{
    uint32_t w[ROUNDS], s[8];
    for (int i = 0; i < 16; ++i) {
        const unsigned char *b = block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int i = 16; i < ROUNDS; ++i) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = (turn(b, 17) ^ turn(b, 19) ^ b >> 10) + w[i - 7] +
               (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 16];
    }
    memcpy(s, h, sizeof s);
    for (int i = 0; i < ROUNDS; ++i) {
        const uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t major = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const uint32_t t1 =
            s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choose + k[i] + w[i];
        const uint32_t t2 = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + major;
        memmove(s + 1, s, 7 * sizeof *s);
        s[0] = t1 + t2;
        s[4] += t1;
    }
    for (int i = 0; i < 8; ++i) {
        h[i] += s[i];
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
