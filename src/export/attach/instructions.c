// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "attachment.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Name, macro of compilers, and whether this processor has it: what compilers use for arithmetic, copies and comparisons.
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

// Bits of ECX that __builtin_cpu_supports of some compilers does not know.
static bool has_bit(unsigned leaf, unsigned bit)
{
    unsigned a, b, c, d;
    return __get_cpuid(leaf, &a, &b, &c, &d) && (c >> bit & 1);
}

#define LB_INSTRUCTION_LIST(X)                                                                     \
    X("sse3", __SSE3__, __builtin_cpu_supports("sse3"))                                            \
    X("ssse3", __SSSE3__, __builtin_cpu_supports("ssse3"))                                         \
    X("sse4.1", __SSE4_1__, __builtin_cpu_supports("sse4.1"))                                      \
    X("sse4.2", __SSE4_2__, __builtin_cpu_supports("sse4.2"))                                      \
    X("sse4a", __SSE4A__, __builtin_cpu_supports("sse4a"))                                         \
    X("popcnt", __POPCNT__, __builtin_cpu_supports("popcnt"))                                      \
    X("lzcnt", __LZCNT__, has_bit(0x80000001u, 5))                                                 \
    X("movbe", __MOVBE__, has_bit(1, 22))                                                          \
    X("bmi", __BMI__, __builtin_cpu_supports("bmi"))                                               \
    X("bmi2", __BMI2__, __builtin_cpu_supports("bmi2"))                                            \
    X("avx", __AVX__, __builtin_cpu_supports("avx"))                                               \
    X("avx2", __AVX2__, __builtin_cpu_supports("avx2"))                                            \
    X("fma", __FMA__, __builtin_cpu_supports("fma"))                                               \
    X("fma4", __FMA4__, __builtin_cpu_supports("fma4"))                                            \
    X("xop", __XOP__, __builtin_cpu_supports("xop"))                                               \
    X("avx512f", __AVX512F__, __builtin_cpu_supports("avx512f"))                                   \
    X("avx512vl", __AVX512VL__, __builtin_cpu_supports("avx512vl"))                                \
    X("avx512dq", __AVX512DQ__, __builtin_cpu_supports("avx512dq"))                                \
    X("avx512bw", __AVX512BW__, __builtin_cpu_supports("avx512bw"))                                \
    X("avx512cd", __AVX512CD__, __builtin_cpu_supports("avx512cd"))
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#define LB_INSTRUCTION_LIST(X)                                                                     \
    X("sve", __ARM_FEATURE_SVE, (getauxval(AT_HWCAP) >> 22 & 1) != 0)                              \
    X("sve2", __ARM_FEATURE_SVE2, (getauxval(AT_HWCAP2) >> 1 & 1) != 0)
#else
#define LB_INSTRUCTION_LIST(X)
#endif

#define LB_NEED_TEXT(name, macro, test) "#ifdef " #macro "\n    \"" name " \"\n#endif\n"
const char lb_needs_text[] =
    "const char frozen_needs[] =\n" LB_INSTRUCTION_LIST(LB_NEED_TEXT) "    \"\";\n";

// Whether this processor has what a word names. Words that nobody knows here are those of another kind of processor.
static bool has(const char *word, size_t length)
{
#define LB_HAS(name, macro, test)                                                                  \
    if (length == strlen(name) && memcmp(word, name, length) == 0) {                               \
        return test;                                                                               \
    }
    LB_INSTRUCTION_LIST(LB_HAS)
    (void)word;
    return false;
}

const char *lb_find_missing_instructions(const char *needs)
{
    for (const char *at = needs; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (!has(at, length)) {
            return at;
        }
        at += length;
    }
    return NULL;
}
