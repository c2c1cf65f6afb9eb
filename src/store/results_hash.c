// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// SHA-256, for telling whether two files come from the same model.
//
// Source: FIPS 180-4, section 6.2. The constants are computed as the standard defines them: the
// first 32 bits of the fractional parts of square and cube roots of primes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record_file.h"

enum { ROUNDS = 64, BLOCK = 64 };

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

void lb_compute_sha256(const void *text, size_t length, char hash[65])
{
    uint32_t h[8], k[ROUNDS];
    for (int n = 2, i = 0; i < ROUNDS; ++n) {
        if (is_prime(n)) {
            if (i < 8) {
                h[i] = get_fraction(sqrt(n));
            }
            k[i++] = get_fraction(cbrt(n));
        }
    }
    const unsigned char *bytes = text;
    size_t rest = length;
    for (; rest >= BLOCK; rest -= BLOCK, bytes += BLOCK) {
        mix(h, k, bytes);
    }
    // a one, zeros, and the length in bits
    unsigned char last[2 * BLOCK] = {0};
    if (rest > 0) {
        memcpy(last, bytes, rest);
    }
    last[rest] = 0x80;
    const size_t size = rest + 9 > BLOCK ? 2 * BLOCK : BLOCK;
    const uint64_t bits = (uint64_t)length * 8;
    for (size_t i = 0; i < 8; ++i) {
        last[size - 1 - i] = (unsigned char)(bits >> 8 * i);
    }
    mix(h, k, last);
    if (size > BLOCK) {
        mix(h, k, last + BLOCK);
    }
    for (int i = 0; i < 8; ++i) {
        snprintf(hash + 8 * i, 9, "%08x", (unsigned)h[i]);
    }
}
