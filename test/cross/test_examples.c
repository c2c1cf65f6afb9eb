// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Every file of examples/ has something to show by itself: it says how long it runs and from where it is looked at, and
// it moves.
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "document/places.h"

// How far the coordinate that moves most is from where it started, relative to the larger of the two and 1e-3 of its unit.
static double get_largest_move(const double *before, const double *after, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        const double size = fmax(fmax(fabs(before[i]), fabs(after[i])), 1e-3);
        largest = fmax(largest, fabs(after[i] - before[i]) / size);
    }
    return largest;
}

static void check_example(const char *name)
{
    lb_course course = lb_begin_example(name);
    const lb_place root = lb_get_document_root(course.document);
    if (!lb_place_has_key(&root, "run")) {
        fail_msg("%s has no `run`", name);
    }
    lb_run_options run = {.size = sizeof run};
    lb_get_run_options(course.simulation, &run);
    lb_start_course(&course);
    double *start = lb_make_numbers((size_t)course.q_count);
    memcpy(start, course.q, (size_t)course.q_count * sizeof *start);
    // a twentieth of the whole: pulses have begun by then
    lb_go_to(&course, 0.05 * run.duration);
    const double moved = get_largest_move(start, course.q, course.q_count);
    // a clip of 25 frames a second that lasts eight seconds has 200
    if (!(moved > 0.01) || run.duration / run.interval < 100) {
        fail_msg("%s: moves by %g of its coordinates, in %g rows", name, moved,
                 run.duration / run.interval);
    }
    free(start);
    lb_end_course(&course);
}

static void every_example_moves(void **state)
{
    (void)state;
    DIR *folder = opendir(lb_find_source("examples"));
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0) {
            check_example(entry->d_name);
            ++count;
        }
    }
    closedir(folder);
    assert_true(count >= 40);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
