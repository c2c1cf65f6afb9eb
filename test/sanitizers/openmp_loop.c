// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// openmp_loop race|right: sums in a loop of several threads, without and with care. The thread sanitizer
// must report the first and be silent about the second.
#include <stdio.h>
#include <string.h>

enum { COUNT = 100000, THREADS = 4 };

static double values[COUNT];

static double sum_without_care(void)
{
    double sum = 0.0;
#pragma omp parallel for num_threads(THREADS)
    for (int i = 0; i < COUNT; ++i) {
        sum += values[i]; // every thread reads and writes it
    }
    return sum;
}

// What src/dynamics/openmp uses: chunks of a loop, parts that only one thread does, sums.
static double sum_with_care(void)
{
    double sum = 0.0, largest = 0.0;
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(dynamic, 64)
        for (int i = 0; i < COUNT; ++i) {
            values[i] += 1.0;
        }
#pragma omp single
        largest = values[COUNT - 1];
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < COUNT; ++i) {
            sum += values[COUNT - 1 - i] / largest;
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    const int race = argc == 2 && strcmp(argv[1], "race") == 0;
    for (int k = 0; k < 5; ++k) {
        printf("%g\n", race ? sum_without_care() : sum_with_care());
    }
    return 0;
}
