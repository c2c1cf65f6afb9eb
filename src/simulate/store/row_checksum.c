// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 as in zlib, gzip and PNG: polynomial 0x04c11db7 with its bits reversed, eight bytes at a time.
//
// Source: ISO 3309; eight tables as in M. E. Kounavis and F. L. Berry, "A systematic approach to building
// high performance software-based CRC generators", 2005.
#include <pthread.h>

#include "record_file.h"

static uint32_t tables[8][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
        tables[0][i] = crc;
    }
    // one zero byte behind another
    for (int k = 1; k < 8; ++k) {
        for (int i = 0; i < 256; ++i) {
            const uint32_t before = tables[k - 1][i];
            tables[k][i] = before >> 8 ^ tables[0][before & 255];
        }
    }
}

uint32_t lb_compute_row_checksum(int64_t row, const void *bytes, size_t size)
{
    pthread_once(&once, make_tables);
    const unsigned char *b = bytes;
    uint32_t crc = ~(uint32_t)row;
    for (; size >= 8; size -= 8, b += 8) {
        crc ^= (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        crc = tables[7][crc & 255] ^ tables[6][crc >> 8 & 255] ^ tables[5][crc >> 16 & 255] ^
              tables[4][crc >> 24] ^ tables[3][b[4]] ^ tables[2][b[5]] ^ tables[1][b[6]] ^
              tables[0][b[7]];
    }
    for (; size > 0; --size, ++b) {
        crc = crc >> 8 ^ tables[0][(crc ^ *b) & 255];
    }
    return ~crc;
}
