// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// SHA-256, for telling whether files or models are the same.
#ifndef LB_SHA256_H
#define LB_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { LB_SHA256_BLOCK = 64 };

/// A hash of data that come in pieces.
typedef struct lb_sha256 {
    uint32_t h[8], k[64];
    uint64_t length;
    size_t rest; ///< bytes in the block
    unsigned char block[LB_SHA256_BLOCK];
} lb_sha256;

void lb_start_sha256(lb_sha256 *hash);
void lb_add_sha256(lb_sha256 *hash, const void *data, size_t size);
/// @param digits  out: 64 hexadecimal digits and a zero byte
void lb_finish_sha256(lb_sha256 *hash, char digits[65]);

/// The same for data in one piece.
void lb_compute_sha256(const void *text, size_t length, char digits[65]);

#endif // LB_SHA256_H
