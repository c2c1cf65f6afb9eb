// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Simulations in two threads, side by side: loaded, run, recorded, read back and linearised at the
// same time, they give the bits that they give one after the other.
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "course.h"
#include "limber/document.h"
#include "limber/linear.h"
#include "run_cli.h"

// What one run leaves: every number of its file, and the frequencies of its modes.
typedef struct traces {
    double *numbers;
    size_t count, capacity;
} traces;

typedef struct job {
    const char *text;
    double duration;
    char path[512];
    bool with_modes;
    traces traces;
    const char *trouble; // what failed; NULL if nothing
} job;

static bool keep(traces *t, const double *numbers, size_t count)
{
    if (t->count + count > t->capacity) {
        t->capacity = 2 * (t->count + count);
        double *more = realloc(t->numbers, t->capacity * sizeof *more);
        if (!more) {
            return false;
        }
        t->numbers = more;
    }
    memcpy(t->numbers + t->count, numbers, count * sizeof *numbers);
    t->count += count;
    return true;
}

static bool read_back(job *j)
{
    lb_results *results = NULL;
    if (lb_open_results(j->path, NULL, &results) < 0) {
        return false;
    }
    const long rows = lb_get_results_info(results)->row_count;
    bool good = rows > 1;
    for (int i = 0; good && i < lb_get_results_info(results)->table_count; ++i) {
        const size_t size =
            (size_t)rows * (size_t)lb_get_results_info(results)->tables[i].column_count;
        double *values = calloc(size + 1, sizeof *values);
        good = values && lb_read_table(results, i, 0, rows, values) >= 0 &&
               keep(&j->traces, values, size);
        free(values);
    }
    lb_close_results(results);
    return good;
}

static bool find_modes(lb_simulation *simulation, job *j)
{
    lb_linear_options options = lb_default_linear_options();
    options.about = LB_ABOUT_REST;
    lb_modes *modes = NULL;
    const bool good = lb_compute_modes(simulation, &options, &modes) >= 0 &&
                      keep(&j->traces, modes->frequencies, (size_t)modes->mode_count);
    lb_destroy_modes(modes);
    return good;
}

// Threads must not end a test: what fails is noted.
static void run_job(job *j)
{
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_simulation *simulation = NULL;
    if (lb_load_document_text(j->text, strlen(j->text), "model.yaml", LB_FORMAT_YAML, NULL, NULL,
                              &document) < 0 ||
        lb_load_document_model(document, NULL, &model) < 0 ||
        lb_load_simulation(document, model, NULL, &simulation) < 0) {
        j->trouble = "load";
    } else {
        lb_run_options o = lb_default_run_options();
        lb_get_run_options(simulation, &o);
        lb_run_request request = lb_default_run_request();
        o.duration = j->duration;
        request.path = j->path;
        request.model_text = j->text;
        request.model_length = strlen(j->text);
        j->trouble = lb_set_run_options(simulation, &o) < 0              ? "options"
                     : j->with_modes && !find_modes(simulation, j)       ? "modes"
                     : lb_run_simulation(simulation, &request, NULL) < 0 ? "run"
                     : !read_back(j)                                     ? "read"
                                                                         : NULL;
    }
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    lb_destroy_document(document);
}

enum { JOB_COUNT = 4, THREAD_COUNT = 2 };

typedef struct worker {
    job jobs[JOB_COUNT];
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < JOB_COUNT; ++i) {
        run_job(&w->jobs[i]);
    }
    return NULL;
}

// Bays of a truss: enough finite elements that Lanczos finds their modes.
static char *make_truss(int bays, double width)
{
    enum { SIZE = 1 << 16 };
    char *text = calloc(SIZE, 1);
    assert_non_null(text);
    int at = snprintf(text, SIZE,
                      "limber: 1\n"
                      "bodies:\n"
                      "  - name: mast\n"
                      "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
                      "    frame:\n"
                      "      material: aluminium\n"
                      "      section: {type: tube, diameter: 0.03, wall: 0.0015}\n"
                      "      modes: {fixed: [a0, b0], count: 4}\n"
                      "      joints:\n");
    for (int i = 0; i <= bays; ++i) {
        at += snprintf(text + at, (size_t)(SIZE - at),
                       "        a%d: [%d, 0, 0]\n"
                       "        b%d: [%d, 0, %g]\n",
                       i, i, i, i, width);
    }
    at += snprintf(text + at, (size_t)(SIZE - at), "      members:\n");
    for (int i = 0; i < bays; ++i) {
        at += snprintf(text + at, (size_t)(SIZE - at),
                       "        - joints: [a%d, a%d]\n"
                       "        - joints: [b%d, b%d]\n"
                       "        - joints: [a%d, b%d]\n"
                       "        - joints: [a%d, b%d]\n",
                       i, i + 1, i, i + 1, i, i + 1, i + 1, i + 1);
    }
    snprintf(text + at, (size_t)(SIZE - at), "run: {duration: 1, interval: 0.01}\n");
    return text;
}

static void set_up(worker workers[THREAD_COUNT], const char *name, char *const texts[6])
{
    // each thread has other models than the other at the same time, and two in common
    static const int order[THREAD_COUNT][JOB_COUNT] = {{0, 2, 4, 1}, {1, 3, 5, 0}};
    static const double durations[] = {0.01, 0.3, 0.1, 0.5, 0.05, 0.05};
    for (int i = 0; i < THREAD_COUNT; ++i) {
        for (int k = 0; k < JOB_COUNT; ++k) {
            job *j = &workers[i].jobs[k];
            *j = (job){.text = texts[order[i][k]],
                       .duration = durations[order[i][k]],
                       .with_modes = order[i][k] >= 4};
            char file[64];
            snprintf(file, sizeof file, "%s%d%d.h5", name, i, k);
            snprintf(j->path, sizeof j->path, "%s", lb_write_file("model.yaml", ""));
            snprintf(strrchr(j->path, '/') + 1, 64, "%s", file);
        }
    }
}

static void two_simulations_side_by_side_give_the_bits_of_one_after_the_other(void **state)
{
    (void)state;
    // a loop with a flexible rod, a law that knows the dynamics, a loop of flexible bars, a law that is
    // designed from a linear model, and two frames
    char *texts[6] = {lb_read_example("flexible_slider_crank.yaml"),
                      lb_read_example("controlled_arm.yaml"),
                      lb_read_example("flexible_four_bar.yaml"),
                      lb_read_example("inverted_pendulum.yaml"),
                      make_truss(8, 0.5),
                      make_truss(9, 0.7)};
    static worker alone[THREAD_COUNT], together[THREAD_COUNT];
    set_up(alone, "alone", texts);
    set_up(together, "together", texts);
    pthread_t threads[THREAD_COUNT];
    for (int i = 0; i < THREAD_COUNT; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, &together[i]), 0);
    }
    for (int i = 0; i < THREAD_COUNT; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (int i = 0; i < THREAD_COUNT; ++i) {
        work(&alone[i]);
    }
    for (int i = 0; i < THREAD_COUNT; ++i) {
        for (int k = 0; k < JOB_COUNT; ++k) {
            job *a = &alone[i].jobs[k], *b = &together[i].jobs[k];
            if (a->trouble || b->trouble) {
                fail_msg("thread %d, model %d: %s, %s", i, k, a->trouble ? a->trouble : "done",
                         b->trouble ? b->trouble : "done");
            }
            assert_int_equal(a->traces.count, b->traces.count);
            assert_memory_equal(a->traces.numbers, b->traces.numbers,
                                a->traces.count * sizeof(double));
            free(a->traces.numbers);
            free(b->traces.numbers);
            unlink(a->path);
            unlink(b->path);
        }
    }
    for (int i = 0; i < 6; ++i) {
        free(texts[i]);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_simulations_side_by_side_give_the_bits_of_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
