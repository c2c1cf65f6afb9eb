// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "suggest.h"

#include <string.h>

enum { LENGTH_MAX = 63 };

static int min3(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

// Letters to insert, delete or replace to get from one word to the other (Levenshtein), by rows of
// the usual table.
static int compute_distance(const char *a, int a_count, const char *b, int b_count)
{
    int row[LENGTH_MAX + 1];
    for (int j = 0; j <= b_count; ++j) {
        row[j] = j;
    }
    for (int i = 1; i <= a_count; ++i) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= b_count; ++j) {
            const int above = row[j];
            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_count];
}

void lb_cli_offer(lb_cli_suggestion *suggestion, const char *candidate)
{
    const size_t a = strlen(suggestion->word), b = strlen(candidate);
    if (a == 0 || a > LENGTH_MAX || b > LENGTH_MAX) {
        return;
    }
    const int distance = compute_distance(suggestion->word, (int)a, candidate, (int)b);
    // near enough: a third of the letters, one in a short word
    if (distance > 1 + (int)a / 3 || distance >= (int)(a > b ? a : b)) {
        return;
    }
    if (!suggestion->best || distance < suggestion->distance) {
        suggestion->best = candidate;
        suggestion->distance = distance;
    }
}
