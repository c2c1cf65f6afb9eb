// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "sobol.h"

#include <math.h>

double lb_compute_sobol(int dimension, uint64_t index)
{
    const lb_sobol_numbers *numbers = &lb_sobol_table[dimension];
    int degree = 0;
    while (numbers->polynomial >> (degree + 1)) {
        ++degree;
    }
    // the bits of Gray's code of the index choose the direction numbers
    const uint64_t gray = index ^ index >> 1;
    uint64_t directions[LB_SOBOL_BITS], sum = 0;
    for (int j = 0; j < LB_SOBOL_BITS && gray >> j; ++j) {
        if (degree == 0) {
            directions[j] = (uint64_t)1 << (LB_SOBOL_BITS - 1 - j);
        } else if (j < degree) {
            directions[j] = (uint64_t)numbers->first[j] << (LB_SOBOL_BITS - 1 - j);
        } else {
            directions[j] = directions[j - degree] ^ directions[j - degree] >> degree;
            for (int k = 1; k < degree; ++k) {
                if (numbers->polynomial >> (degree - k) & 1) {
                    directions[j] ^= directions[j - k];
                }
            }
        }
        sum ^= gray >> j & 1 ? directions[j] : 0;
    }
    return ldexp((double)sum, -LB_SOBOL_BITS);
}
