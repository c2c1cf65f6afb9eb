// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of closed chains.
#include "validation.h"

#define LENGTH(array) (int)(sizeof(array) / sizeof(array)[0])

void lb_compare_four_bars(lb_problem *problem)
{
    static const lb_quantity published = {"published: x, y, vx, vy of the first tip", 0, 4, 2e-6,
                                          false};
    static const lb_quantity computed[] = {
        {"computed: x, y of the first tip, m", 0, 2, 1e-8, false},
        {"computed: vx, vy, m/s", 2, 2, 1e-8, false},
        {"computed: angle and rate of the cranks", 4, 2, 1e-8, false},
    };
    static const lb_quantity forty = {"forty: x, y, vx, vy (the benchmark asks for 1e-3)", 0, 4,
                                      1e-6, false};
    lb_compare_history(problem, &lb_published_four_bars_end, &published, 1);
    lb_compare_history(problem, &lb_published_four_bars, computed, LENGTH(computed));
    lb_compare_history(problem, &lb_published_four_bars_40, &forty, 1);
}

void lb_compare_andrews(lb_problem *problem)
{
    static const lb_quantity published[] = {
        {"published: angles, rad", 0, 7, 1e-9, true},
        {"published: rates, rad/s", 7, 7, 1e-7, true},
        {"published: accelerations, rad/s²", 14, 7, 2e-6, true},
        {"published: forces in the pin E, N", 21, 6, 2e-6, true},
    };
    static const lb_quantity computed[] = {
        {"computed: angles, rad", 0, 7, 1e-12, true},
        {"computed: rates, rad/s", 7, 7, 1e-11, true},
        {"computed: accelerations, rad/s²", 14, 7, 1e-10, true},
        {"computed: forces in the pin E, N", 21, 6, 1e-10, true},
    };
    lb_compare_history(problem, &lb_published_andrews, published, LENGTH(published));
    lb_compare_history(problem, &lb_published_andrews_again, computed, LENGTH(computed));
}

void lb_compare_bricard(lb_problem *problem)
{
    static const lb_quantity quantities[] = {
        {"position of P3, m", 0, 3, 1e-8, false},
        {"velocity of P3, m/s", 3, 3, 1e-8, false},
    };
    lb_compare_history(problem, &lb_published_bricard, quantities, LENGTH(quantities));
}

void lb_compare_slider_crank(lb_problem *problem)
{
    static const lb_quantity published[] = {
        {"published: angle of the crank, rad", 0, 1, 0.006, false},
        {"published: rate, rad/s", 1, 1, 0.7, false},
    };
    static const lb_quantity computed[] = {
        {"computed: angle of the crank, rad", 0, 1, 1e-8, false},
        {"computed: rate, rad/s", 1, 1, 1e-8, false},
    };
    lb_compare_history(problem, &lb_published_slider_crank_end, published, LENGTH(published));
    lb_compare_history(problem, &lb_published_slider_crank, computed, LENGTH(computed));
}

void lb_compare_governor(lb_problem *problem)
{
    static const lb_quantity stiff[] = {
        {"spring-dampers: angle of the arms, rad, height of the slider, m", 0, 2, 1e-9, false},
        {"spring-dampers: turn of the shaft, rad", 2, 1, 1e-8, false},
        {"spring-dampers: rates", 3, 3, 1e-8, false},
    };
    static const lb_quantity rods[] = {
        {"rods: angle of the arms, rad, height of the slider, m", 0, 2, 1e-10, false},
        {"rods: turn of the shaft and rates", 2, 4, 1e-10, false},
    };
    lb_compare_history(problem, &lb_published_governor, stiff, LENGTH(stiff));
    lb_compare_history(problem, &lb_published_governor_rods, rods, LENGTH(rods));
}

void lb_compare_spatial(lb_problem *problem)
{
    static const lb_quantity sum = {"published: sum of the coordinates of crank and rod", 0, 1,
                                    1e-6, false};
    static const lb_quantity computed[] = {
        {"computed: angle of the crank, rad", 0, 1, 1e-9, false},
        {"computed: rate, rad/s", 1, 1, 1e-9, false},
        {"computed: place of the slider, m", 2, 1, 1e-9, false},
        {"computed: centre of the rod, m", 4, 3, 1e-9, false},
        {"computed: angular velocity of the rod, rad/s", 7, 3, 1e-8, false},
        {"computed: force of the crank on the rod, N", 10, 3, 1e-7, false},
    };
    lb_compare_history(problem, &lb_published_spatial_sum, &sum, 1);
    lb_compare_history(problem, &lb_published_spatial, computed, LENGTH(computed));
}

void lb_compare_flexible_crank(lb_problem *problem)
{
    static const lb_quantity quantities[] = {
        {"angle of the rod, rad", 0, 1, 1e-10, false},
        {"modal coordinates, m", 1, 2, 1e-10, false},
        {"place of the slider, m", 3, 1, 1e-10, false},
        {"rates of rod and modes, rad/s, m/s", 4, 3, 1e-7, false},
        {"force of the rail, N", 7, 1, 1e-6, false},
    };
    lb_compare_history(problem, &lb_published_flexible_crank, quantities, LENGTH(quantities));
}

void lb_compare_hanging_bars(lb_problem *problem)
{
    lb_hanging_bars bars;
    lb_compute_hanging_bars(&bars);
    lb_compare_all(problem, "angles, degrees", bars.angles, lb_hanging_angles, 3, 1e-10, false);
    lb_compare(problem, "vertical force of the left pin, N", "", bars.pins[0], lb_hanging_pin,
               1e-9);
    lb_compare(problem, "vertical force of the right pin, N", "", bars.pins[1], lb_hanging_pin,
               1e-9);
    lb_compare(problem, "compression of the middle bar, N", "", bars.compression,
               lb_hanging_compression, 1e-9);
}
