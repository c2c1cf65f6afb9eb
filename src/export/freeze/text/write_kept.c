// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Values that registers do not hold: where memory of threads is slow, as on graphics processors, the text says
// which variables go elsewhere.
#include <string.h>

#include "writer.h"

// How much is gained by keeping a variable elsewhere: places where it is not in a register, per access.
static double get_gain(const lb_writer *w, const int *last, int i)
{
    return (double)(last[i] - i) / (w->uses[i] + 1);
}

// Goes through the text; where more variables are alive than there are registers, the one that gains most is
// kept elsewhere. slot[i] is 0 for these.
static void choose_kept(lb_writer *w, const int *last, int *alive)
{
    const lb_graph *g = w->graph;
    int count = 0;
    for (int i = 0; i < g->node_count; ++i) {
        for (int k = 0; k < count;) {
            if (last[alive[k]] <= i) {
                alive[k] = alive[--count];
            } else {
                ++k;
            }
        }
        if (w->shown[i] != LB_SHOWN_NAMED || last[i] <= i) {
            continue;
        }
        alive[count++] = i;
        if (count > w->style->register_count) {
            int chosen = 0;
            for (int k = 1; k < count; ++k) {
                if (get_gain(w, last, alive[k]) > get_gain(w, last, alive[chosen])) {
                    chosen = k;
                }
            }
            w->slot[alive[chosen]] = 0;
            alive[chosen] = alive[--count];
        }
    }
}

// Gives them places, which are free again after the last use. Without a place a variable stays what it was.
static int assign_slots(lb_writer *w, const int *last, int *holder)
{
    int most = 0;
    for (int i = 0; i < w->graph->node_count; ++i) {
        if (w->slot[i] < 0) {
            continue;
        }
        int k = 0;
        while (k < most && last[holder[k]] > i) {
            ++k;
        }
        w->slot[i] = k < w->style->kept_most ? k : -1;
        if (w->slot[i] >= 0) {
            holder[k] = i;
            most = k < most ? most : k + 1;
        }
    }
    return most;
}

int lb_choose_kept(lb_writer *w, const int *last, int *room)
{
    choose_kept(w, last, room);
    return assign_slots(w, last, room);
}
