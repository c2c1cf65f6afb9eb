// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A structure of solid elements as the matrices that CalculiX writes, for trials of any size:
//
//     make_solid FOLDER [brick|bracket|ring] [NX NY NZ] [free] [full]
//
// writes solid.sti, solid.mas, solid.dof and solid.inp into FOLDER. Without more words: a brick of 50 x 15 x 10 cubes of
// 20 mm, clamped at x = 0, with 101,550 rows. `full` takes 27 points of integration instead of 8. ccx computes the
// frequencies of solid.inp itself.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solids.h"

int main(int argc, char **argv)
{
    static const char *const shapes[] = {"brick", "bracket", "ring"};
    lb_solid_options o = {.cells = {50, 15, 10}, .thickness = 2, .clamped = true, .reduced = true};
    int number_count = 0;
    bool is_good = argc > 1;
    for (int i = 2; i < argc; ++i) {
        int shape = 0;
        while (shape < 3 && strcmp(argv[i], shapes[shape]) != 0) {
            ++shape;
        }
        if (shape < 3) {
            o.shape = (lb_solid_shape)shape;
        } else if (strcmp(argv[i], "free") == 0) {
            o.clamped = false;
        } else if (strcmp(argv[i], "full") == 0) {
            o.reduced = false;
        } else if (number_count < 3) {
            o.cells[number_count] = atoi(argv[i]);
            is_good = is_good && o.cells[number_count] > 0 && o.cells[number_count++] <= 200;
        } else {
            is_good = false;
        }
    }
    for (int d = 0; d < 3; ++d) {
        o.size[d] = 20.0 * o.cells[d];
    }
    if (o.shape == LB_SOLID_RING) {
        o.size[0] /= 6; // radius of what is so long around
    }
    if (!is_good || (number_count != 0 && number_count != 3)) {
        fputs("usage: make_solid FOLDER [brick|bracket|ring] [NX NY NZ] [free] [full]\n", stderr);
        return 2;
    }
    int rows, last;
    if (!lb_write_solid(&o, argv[1], "solid", &rows, &last)) {
        perror(argv[1]);
        return 1;
    }
    printf("%d rows; the last node is %d\n", rows, last);
    return 0;
}
