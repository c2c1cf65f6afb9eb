// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches: the kernels that `freeze` writes of a model.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "cuda_clock.h"
#include "device.h"
#include "limber/freeze.h"
#include "tables/table_text.h"

// Arithmetic of one kernel: its instructions fit into the 128 kB that a multiprocessor has for them.
enum { OPERATIONS = 6000 };

// In the order in which kernels note them.
static const lb_status troubles[] = {LB_E_SINGULAR, LB_E_NUMBER, LB_E_OPEN, LB_E_STEP,
                                     LB_NEWS_INDEFINITE};
enum { TROUBLE_COUNT = sizeof troubles / sizeof *troubles };

struct lb_cuda_batch {
    lb_cuda *cuda;
    lb_cuda_module *module;
    void *trouble; // on the device: the first state of each kind
    bool is_float;
    unsigned thread_count;
    char *text;    // of the kernels: it says what each of them needs
    void *between; // on the device: what parts of a function hand on
    size_t between_size;
    long long chunk_count; // states that go through the parts together; 0 to choose
    struct {
        void *memory; // on the device
        size_t size;
    } arrays[4]; // of lb_make_cuda_machine
};

// ---- from model to kernels ---------------------------------------------------------------------

static lb_status compile(lb_cuda_batch *batch, const char *source,
                         const lb_cuda_batch_options *options)
{
    char threads[48], blocks[48];
    const char *settings[2] = {threads, blocks};
    batch->thread_count = options->thread_count ? (unsigned)options->thread_count : 128;
    (void)snprintf(threads, sizeof threads, "-Dmodel_THREADS=%u", batch->thread_count);
    // how many blocks the file asks for is for 128 threads
    const int block_count = options->block_count ? options->block_count : 1;
    (void)snprintf(blocks, sizeof blocks, "-Dmodel_BLOCKS=%d", block_count);
    lb_status status = lb_compile_for_cuda(batch->cuda, source, "model.cu",
                                           options->block_count || options->thread_count ? 2 : 1,
                                           settings, &batch->module);
    if (status == LB_OK) {
        status =
            lb_allocate_on_cuda(batch->cuda, TROUBLE_COUNT * sizeof(uint64_t), &batch->trouble);
    }
    return status == LB_OK ? lb_fill_on_cuda(batch->cuda, batch->trouble, 0xff,
                                             TROUBLE_COUNT * sizeof(uint64_t))
                           : status;
}

// Options of a caller, checked.
static lb_status take_options(lb_cuda *cuda, const lb_cuda_batch_options *options,
                              const lb_report *report, lb_cuda_batch_options *taken)
{
    lb_cuda_batch_options own = lb_default_cuda_batch_options();
    if (options &&
        lb_take_sized(&own, sizeof own, LB_SIZE_THROUGH(lb_cuda_batch_options, functions),
                      options) != LB_OK) {
        return lb_report_cuda(
            cuda, report,
            lb_fail_cuda(cuda, LB_E_VERSION,
                         "a struct of %zu bytes, but this version of limber knows %zu: "
                         "it comes from a program built for a newer version",
                         options->size, sizeof own));
    }
    if (own.thread_count < 0 || own.thread_count > 1024 || own.thread_count % 32 ||
        own.block_count < 0 || own.block_count > 32 || own.operation_count < 0 ||
        own.chunk_count < 0) {
        return lb_report_cuda(
            cuda, report,
            lb_fail_cuda(cuda, LB_E_ARGUMENT,
                         "%d threads and %d blocks: a block has 32 to 1024 threads, in "
                         "steps of 32, and there are at most 32 blocks",
                         own.thread_count, own.block_count));
    }
    if (own.kernels < LB_CUDA_CHOSEN || own.kernels > LB_CUDA_TABLES) {
        return lb_report_cuda(cuda, report,
                              lb_fail_cuda(cuda, LB_E_ARGUMENT,
                                           "kernels: %d is none of the values of lb_cuda_kernels",
                                           (int)own.kernels));
    }
    *taken = own;
    return LB_OK;
}

static lb_status load(lb_cuda *cuda, const char *text, const lb_cuda_batch_options *own,
                      const lb_report *report, lb_cuda_batch **batch)
{
    const size_t size = strlen(text) + 1;
    lb_cuda_batch *made = calloc(1, sizeof *made);
    char *copy = malloc(size);
    if (!made || !copy) {
        free(made);
        free(copy);
        return LB_E_MEMORY;
    }
    memcpy(copy, text, size);
    made->cuda = cuda;
    made->text = copy;
    made->chunk_count = own->chunk_count;
    made->is_float = strstr(text, "#define model_NUMBER float") != NULL;
    const lb_status status = lb_report_cuda(cuda, report, compile(made, text, own));
    if (status != LB_OK) {
        lb_destroy_cuda_batch(made);
        return status;
    }
    *batch = made;
    return LB_OK;
}

// A list of functions without `forward`, to be freed; NULL if there is no memory.
static char *drop_forward(const char *functions)
{
    char *left = calloc(strlen(functions) + 1, 1), *end = left;
    for (const char *at = functions; left && *at;) {
        const size_t length = strcspn(at, ",");
        if (length != 7 || strncmp(at, "forward", 7) != 0) {
            end += end > left;
            if (end > left) {
                end[-1] = ',';
            }
            memcpy(end, at, length);
            end += length;
        }
        at += length + (at[length] == ',');
    }
    return left;
}

// Why `forward` cannot be by tables; NULL if it can.
static const char *find_obstacle(const lb_model *model, const lb_cuda_batch_options *own)
{
    char *others = drop_forward(own->functions);
    const bool asked = !others || strlen(others) < strlen(own->functions);
    free(others);
    if (!asked) {
        return "tables are of the function forward, which is not asked for";
    }
    if (own->number != LB_FROZEN_DOUBLE || own->thread_count || own->block_count) {
        return "tables are of double precision, in blocks of the size that the library chooses";
    }
    return lb_find_table_obstacle(model);
}

// Forward dynamics by tables, behind the other functions as they are written.
static lb_status load_with_tables(lb_cuda *cuda, const lb_model *model,
                                  const lb_cuda_batch_options *own, lb_freeze_options *freeze,
                                  const lb_report *report, lb_cuda_batch **batch)
{
    lb_frozen *frozen = NULL;
    char *others = drop_forward(own->functions), *table = lb_write_table_text(model), *text = NULL;
    lb_status status = others && table ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK && *others) {
        freeze->functions = others;
        status = lb_freeze_model(model, freeze, report, &frozen);
    }
    if (status == LB_OK) {
        const char *written = frozen ? lb_get_frozen_source(frozen) : "";
        const size_t size = strlen(written) + strlen(table) + 1;
        text = malloc(size);
        status = text ? LB_OK : LB_E_MEMORY;
        if (text) {
            (void)snprintf(text, size, "%s%s", written, table);
            status = load(cuda, text, own, report, batch);
        }
    }
    lb_destroy_frozen(frozen);
    free(text);
    free(table);
    free(others);
    return status;
}

lb_status lb_create_cuda_batch(lb_cuda *cuda, const lb_model *model,
                               const lb_cuda_batch_options *options, const lb_report *report,
                               lb_cuda_batch **batch)
{
    lb_cuda_batch_options own;
    lb_freeze_options freeze = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    *batch = NULL;
    lb_status status = take_options(cuda, options, report, &own);
    if (status != LB_OK) {
        return status;
    }
    freeze.functions = own.functions;
    freeze.configuration = own.configuration;
    freeze.number = own.number;
    freeze.language = LB_FROZEN_CUDA;
    freeze.operation_count = own.operation_count ? own.operation_count : OPERATIONS;
    const bool with_tables = own.kernels == LB_CUDA_TABLES;
    const char *obstacle = find_obstacle(model, &own);
    if (with_tables && obstacle) {
        return lb_report_cuda(cuda, report, lb_fail_cuda(cuda, LB_E_UNSUPPORTED, "%s", obstacle));
    }
    if (!with_tables) {
        status = lb_freeze_model(model, &freeze, report, &frozen);
    }
    // what is written of flexible bodies comes in parts: tables, if that is possible
    const bool cut = frozen && own.kernels == LB_CUDA_CHOSEN && !obstacle &&
                     lb_get_mode_count(model, 0) > 0 &&
                     strstr(lb_get_frozen_source(frozen), "#define model_forward_PARTS ");
    if (status == LB_OK && (with_tables || cut)) {
        status = load_with_tables(cuda, model, &own, &freeze, report, batch);
    } else if (status == LB_OK) {
        status = load(cuda, lb_get_frozen_source(frozen), &own, report, batch);
    }
    lb_destroy_frozen(frozen);
    return status;
}

lb_status lb_load_cuda_batch(lb_cuda *cuda, const lb_frozen *frozen,
                             const lb_cuda_batch_options *options, const lb_report *report,
                             lb_cuda_batch **batch)
{
    lb_cuda_batch_options own;
    *batch = NULL;
    const lb_status status = take_options(cuda, options, report, &own);
    if (status != LB_OK) {
        return status;
    }
    if (lb_get_frozen_header(frozen) || !strstr(lb_get_frozen_source(frozen), "#define model_Q ")) {
        return lb_report_cuda(
            cuda, report,
            lb_fail_cuda(cuda, LB_E_ARGUMENT,
                         "kernels are frozen in the language LB_FROZEN_CUDA with the "
                         "name 'model'"));
    }
    return load(cuda, lb_get_frozen_source(frozen), &own, report, batch);
}

void lb_destroy_cuda_batch(lb_cuda_batch *batch)
{
    if (batch) {
        lb_release_on_cuda(batch->cuda, batch->trouble);
        lb_release_on_cuda(batch->cuda, batch->between);
        for (int i = 0; i < 4; ++i) {
            lb_release_on_cuda(batch->cuda, batch->arrays[i].memory);
        }
        lb_destroy_cuda_module(batch->cuda, batch->module);
        free(batch->text);
        free(batch);
    }
}

// ---- calls -------------------------------------------------------------------------------------

static lb_status find_kernel(const lb_cuda_batch *batch, const char *function,
                             lb_cuda_kernel *kernel)
{
    char name[256];
    const int length = snprintf(name, sizeof name, "model_%s_kernel", function);
    if (length >= (int)sizeof name ||
        lb_get_cuda_kernel(batch->cuda, batch->module, name, kernel) != LB_OK) {
        return lb_fail_cuda(batch->cuda, LB_E_ARGUMENT,
                            "the batch has no function '%.60s': name it when it is created",
                            function);
    }
    return LB_OK;
}

// A number that the file gives of a function, such as KEPT; 0 if it does not.
static unsigned get_need(const lb_cuda_batch *batch, const char *function, const char *what)
{
    char line[256];
    (void)snprintf(line, sizeof line, "#define model_%s_%s ", function, what);
    const char *found = strstr(batch->text, line);
    return found ? (unsigned)strtoul(found + strlen(line), NULL, 10) : 0;
}

lb_status lb_get_cuda_kernel_cost(const lb_cuda_batch *batch, const char *function,
                                  int *register_count, int *local_bytes)
{
    lb_cuda_kernel kernel;
    char name[256];
    // of a function in parts, the first
    const bool whole = get_need(batch, function, "PARTS") == 0;
    (void)snprintf(name, sizeof name, whole ? "%.200s" : "%.200s_part0", function);
    const lb_status status = find_kernel(batch, name, &kernel);
    *register_count = kernel.register_count;
    *local_bytes = kernel.local_bytes;
    return status;
}

// @param count  of threads
static lb_status launch(lb_cuda_batch *batch, const char *function, long long count,
                        void **arguments)
{
    lb_cuda_kernel kernel;
    const lb_status status = find_kernel(batch, function, &kernel);
    const long long blocks = (count + batch->thread_count - 1) / batch->thread_count;
    const unsigned size = batch->is_float ? sizeof(float) : sizeof(double);
    const unsigned shared = get_need(batch, function, "KEPT") * batch->thread_count * size;
    return status != LB_OK || count == 0
               ? status
               : lb_launch_on_cuda(batch->cuda, &kernel, (unsigned)blocks, batch->thread_count,
                                   shared, arguments);
}

// Memory for what parts hand on, as much as any call has needed.
static lb_status make_between(lb_cuda_batch *batch, size_t size)
{
    if (size <= batch->between_size) {
        return LB_OK;
    }
    lb_release_on_cuda(batch->cuda, batch->between);
    batch->between_size = 0;
    const lb_status status = lb_allocate_on_cuda(batch->cuda, size, &batch->between);
    batch->between_size = status == LB_OK ? size : 0;
    return status;
}

// States that go through the parts of a function together: many, so that their instructions stay in the caches, but
// not so many that what is handed on fills the device.
static long long choose_room(const lb_cuda_batch *batch, long long count)
{
    enum { CHUNK = 1 << 20 };
    const long long room = batch->chunk_count ? batch->chunk_count : CHUNK;
    return room < count ? room : count;
}

// One part of a function, for `room` states from `first` on. Its arguments have what is handed on behind the inputs and
// behind the outputs.
static lb_status run_part(lb_cuda_batch *batch, const char *function, unsigned part,
                          long long count, long long first, long long room, int input_count,
                          int argument_count, void **given)
{
    void *arguments[16];
    char name[256];
    int used = 0;
    arguments[used++] = &count;
    arguments[used++] = &first;
    arguments[used++] = &room;
    for (int i = 0; i < argument_count; ++i) {
        if (part > 0 && i == input_count) {
            arguments[used++] = &batch->between;
        }
        arguments[used++] = given[i];
    }
    arguments[used++] = &batch->between;
    arguments[used++] = &batch->trouble;
    (void)snprintf(name, sizeof name, "%.200s_part%u", function, part);
    return launch(batch, name, room < count - first ? room : count - first, arguments);
}

// The arguments of every kernel start with the number of states and end with the trouble.
static lb_status run(lb_cuda_batch *batch, const char *function, long long count, int input_count,
                     int argument_count, void **given)
{
    const unsigned part_count = get_need(batch, function, "PARTS");
    const size_t slots = get_need(batch, function, "BETWEEN");
    if (count < 0 || count > 0x7fffffffll * batch->thread_count) {
        return lb_fail_cuda(batch->cuda, LB_E_ARGUMENT, "%lld states are not possible", count);
    }
    if (part_count == 0) {
        void *arguments[16] = {&count};
        memcpy(arguments + 1, given, (size_t)argument_count * sizeof *given);
        arguments[1 + argument_count] = &batch->trouble;
        return launch(batch, function, count, arguments);
    }
    const size_t state_size = slots * (batch->is_float ? sizeof(float) : sizeof(double));
    const long long room = choose_room(batch, count);
    lb_status status = make_between(batch, state_size * (size_t)room);
    for (long long first = 0; status == LB_OK && first < count; first += room) {
        for (unsigned part = 0; status == LB_OK && part < part_count; ++part) {
            status = run_part(batch, function, part, count, first, room, input_count,
                              argument_count, given);
        }
    }
    return status;
}

lb_status lb_compute_forward_dynamics_cuda(lb_cuda_batch *batch, long long count, const void *q,
                                           const void *v, const void *tau, void *a)
{
    void *arguments[] = {&q, &v, &tau, &a};
    return run(batch, "forward", count, 3, 4, arguments);
}

lb_status lb_compute_inverse_dynamics_cuda(lb_cuda_batch *batch, long long count, const void *q,
                                           const void *v, const void *a, void *tau)
{
    void *arguments[] = {&q, &v, &a, &tau};
    return run(batch, "inverse", count, 3, 4, arguments);
}

lb_status lb_compute_mass_matrix_cuda(lb_cuda_batch *batch, long long count, const void *q, void *M)
{
    void *arguments[] = {&q, &M};
    return run(batch, "mass", count, 1, 2, arguments);
}

lb_status lb_compute_forward_derivatives_cuda(lb_cuda_batch *batch, long long count, const void *q,
                                              const void *v, const void *tau, void *a, void *da_dq,
                                              void *da_dv, void *da_dtau)
{
    void *arguments[] = {&q, &v, &tau, &a, &da_dq, &da_dv, &da_dtau};
    return run(batch, "derivatives", count, 3, 7, arguments);
}

lb_status lb_compute_jacobian_cuda(lb_cuda_batch *batch, const char *function, long long count,
                                   const void *q, void *J)
{
    void *arguments[] = {&q, &J};
    return run(batch, function, count, 1, 2, arguments);
}

lb_status lb_compute_node_motion_cuda(lb_cuda_batch *batch, const char *function, long long count,
                                      const void *q, const void *v, void *motion)
{
    void *arguments[] = {&q, &v, &motion};
    return run(batch, function, count, 2, 3, arguments);
}

lb_status lb_close_loops_cuda(lb_cuda_batch *batch, long long count, double t, void *q, void *v)
{
    float short_t = (float)t;
    void *arguments[] = {batch->is_float ? (void *)&short_t : (void *)&t, &q, &v};
    return run(batch, "close", count, 3, 3, arguments);
}

lb_status lb_compute_outputs_cuda(lb_cuda_batch *batch, long long count, double t, const void *q,
                                  const void *v, const void *tau, const void *u, void *y)
{
    float short_t = (float)t;
    void *time = batch->is_float ? (void *)&short_t : (void *)&t;
    void *arguments[] = {time, &q, &v, &tau, &u, &y};
    return run(batch, "outputs", count, 5, 6, arguments);
}

// ---- motion in time ----------------------------------------------------------------------------

lb_status lb_run_cuda(lb_cuda_batch *batch, long long count, const lb_cuda_run *given, void *q,
                      void *v)
{
    static const char *const names[] = {"simulate_rk4", "simulate_euler", "simulate_alpha"};
    lb_cuda_run own = lb_default_cuda_run();
    if (lb_take_sized(&own, sizeof own, LB_SIZE_THROUGH(lb_cuda_run, step_count), given) != LB_OK) {
        return lb_fail_cuda(batch->cuda, LB_E_VERSION,
                            "a struct of %zu bytes, but this version of limber knows %zu: it comes "
                            "from a program built for a newer version",
                            given->size, sizeof own);
    }
    if (!isfinite(own.step) || !isfinite(own.start) || isnan(own.latest)) {
        return lb_fail_cuda(batch->cuda, LB_E_NUMBER, "the step or the time is not finite");
    }
    if ((unsigned)own.method > LB_CUDA_ALPHA || !(own.damping >= 0.0 && own.damping <= 1.0) ||
        (own.goes_on && !own.past)) {
        return lb_fail_cuda(batch->cuda, LB_E_ARGUMENT,
                            "the method is unknown, the damping is not between 0 and 1, or there "
                            "is no past to go on from");
    }
    double numbers[] = {own.step, own.start, own.latest, own.damping};
    float shorts[] = {(float)own.step, (float)own.start, (float)own.latest, (float)own.damping};
    const bool is_float = batch->is_float;
    int goes_on = own.goes_on;
    void *arguments[11] = {&own.step_count};
    for (int i = 0; i < 4; ++i) {
        arguments[1 + i] = is_float ? (void *)&shorts[i] : (void *)&numbers[i];
    }
    void *rest[] = {&goes_on, &own.tau, &own.u, &q, &v, &own.past};
    memcpy(arguments + 5, rest, sizeof rest);
    return run(batch, names[own.method], count, 11, 11, arguments);
}

lb_status lb_get_cuda_failure(lb_cuda_batch *batch, long long *state)
{
    uint64_t first[TROUBLE_COUNT];
    lb_status status = lb_copy_from_cuda(batch->cuda, first, batch->trouble, sizeof first);
    if (status == LB_OK) {
        status = lb_fill_on_cuda(batch->cuda, batch->trouble, 0xff, sizeof first);
    }
    int kind = 0;
    while (kind < TROUBLE_COUNT && first[kind] == UINT64_MAX) {
        ++kind;
    }
    if (state) {
        *state = status == LB_OK && kind < TROUBLE_COUNT ? (long long)first[kind] : -1;
    }
    return status == LB_OK && kind < TROUBLE_COUNT ? troubles[kind] : status;
}

// ---- copies ------------------------------------------------------------------------------------

// States that are turned at one time: their entries stay in the cache.
enum { TILE = 256 };

static void turn(bool to_device, bool is_float, long long count, int width, double *states,
                 void *array)
{
    for (long long start = 0; start < count; start += TILE) {
        const long long end = start + TILE < count ? start + TILE : count;
        for (int j = 0; j < width; ++j) {
            for (long long i = start; i < end; ++i) {
                double *state = &states[i * width + j];
                const long long at = j * count + i;
                if (is_float && to_device) {
                    ((float *)array)[at] = (float)*state;
                } else if (is_float) {
                    *state = (double)((float *)array)[at];
                } else if (to_device) {
                    ((double *)array)[at] = *state;
                } else {
                    *state = ((double *)array)[at];
                }
            }
        }
    }
}

static void *make_room(lb_cuda_batch *batch, long long count, int width, size_t *size)
{
    *size = (size_t)count * (size_t)width * (batch->is_float ? sizeof(float) : sizeof(double));
    void *room = malloc(*size + 1);
    if (!room) {
        (void)lb_fail_cuda(batch->cuda, LB_E_MEMORY, "out of memory");
    }
    return room;
}

lb_status lb_copy_states_to_cuda(lb_cuda_batch *batch, long long count, int width,
                                 const double *states, void *array)
{
    size_t size;
    void *room = make_room(batch, count, width, &size);
    lb_status status = room ? LB_OK : LB_E_MEMORY;
    if (room) {
        turn(true, batch->is_float, count, width, (double *)states, room);
        status = lb_copy_to_cuda(batch->cuda, array, room, size);
    }
    free(room);
    return status;
}

lb_status lb_copy_states_from_cuda(lb_cuda_batch *batch, long long count, int width,
                                   const void *array, double *states)
{
    size_t size;
    void *room = make_room(batch, count, width, &size);
    lb_status status = room ? lb_copy_from_cuda(batch->cuda, room, array, size) : LB_E_MEMORY;
    if (status == LB_OK) {
        turn(false, batch->is_float, count, width, states, room);
    }
    free(room);
    return status;
}

// ---- the machine of a batch of the host --------------------------------------------------------

// An array on the device, with what the host has of it; zeros where it has nothing.
static lb_status bring(lb_cuda_batch *batch, int which, int count, int width, const double *states)
{
    const size_t size = (size_t)count * (size_t)width * sizeof(double);
    void **memory = &batch->arrays[which].memory;
    lb_status status = LB_OK;
    if (size > batch->arrays[which].size) {
        lb_release_on_cuda(batch->cuda, *memory);
        *memory = NULL;
        batch->arrays[which].size = 0;
        status = lb_allocate_on_cuda(batch->cuda, size, memory);
        batch->arrays[which].size = status < 0 ? 0 : size;
    }
    return status < 0 ? status
           : states   ? lb_copy_states_to_cuda(batch, count, width, states, *memory)
                      : lb_fill_on_cuda(batch->cuda, *memory, 0, size);
}

// A function of arrays of the host, the last of which is its answer.
static lb_status call(lb_cuda_batch *batch, const char *function, int count, int array_count,
                      const int *widths, const double *const *states, double *out, int *state)
{
    void *arguments[4];
    long long first = -1;
    // of earlier calls on arrays of the device
    lb_status status = count > 0 ? lb_get_cuda_failure(batch, NULL) : LB_OK;
    status = status == LB_E_UNSUPPORTED ? status : LB_OK;
    for (int i = 0; count > 0 && i < array_count && status >= 0; ++i) {
        status = bring(batch, i, count, widths[i], i + 1 < array_count ? states[i] : NULL);
        arguments[i] = &batch->arrays[i].memory;
    }
    *state = -1;
    if (status < 0 || count <= 0) {
        return status;
    }
    status = run(batch, function, count, array_count - 1, array_count, arguments);
    const void *answer = batch->arrays[array_count - 1].memory;
    status = status < 0
                 ? status
                 : lb_copy_states_from_cuda(batch, count, widths[array_count - 1], answer, out);
    status = status < 0 ? status : lb_get_cuda_failure(batch, &first);
    *state = (int)first;
    return status;
}

static lb_status compute_forward(void *user, const lb_model *model, int count, const double *q,
                                 const double *v, const double *tau, double *a, int *state)
{
    const int nq = lb_get_q_count(model), nv = lb_get_v_count(model);
    return call(user, "forward", count, 4, (const int[]){nq, nv, nv, nv},
                (const double *const[]){q, v, tau}, a, state);
}

static lb_status compute_inverse(void *user, const lb_model *model, int count, const double *q,
                                 const double *v, const double *a, double *tau, int *state)
{
    const int nq = lb_get_q_count(model), nv = lb_get_v_count(model);
    return call(user, "inverse", count, 4, (const int[]){nq, nv, nv, nv},
                (const double *const[]){q, v, a}, tau, state);
}

static lb_status compute_mass(void *user, const lb_model *model, int count, const double *q,
                              double *M, int *state)
{
    const int nq = lb_get_q_count(model), nv = lb_get_v_count(model);
    return call(user, "mass", count, 2, (const int[]){nq, nv * nv}, (const double *const[]){q}, M,
                state);
}

lb_machine lb_make_cuda_machine(lb_cuda_batch *batch)
{
    return (lb_machine){batch, compute_forward, compute_inverse, compute_mass};
}
