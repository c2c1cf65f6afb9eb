// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What libFuzzer calls.
#ifndef LB_TEST_FUZZ_H
#define LB_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/// Tries one input. Returns 0.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif // LB_TEST_FUZZ_H
