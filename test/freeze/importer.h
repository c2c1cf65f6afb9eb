// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A small importer of FMUs: exports a model by the command, unpacks the archive, loads the binary and calls it as the
// standard says. Both versions behind one set of functions.
#ifndef LB_TEST_IMPORTER_H
#define LB_TEST_IMPORTER_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "export/fmu/glue/fmi2Functions.h"
#include "export/fmu/glue/fmi3Functions.h"
#include "run_cli.h"
#include "scratch.h"

typedef struct importer {
    int version;
    const char *folder; // in which shell lines may run
    char name[32];
    char *archive, *description; // description: modelDescription.xml
    size_t archive_size;
    void *library;
    char token[64];
    int state_count, event_count;
    // what `integrate` does at each stage, such as to set inputs; NULL for nothing
    void (*feed)(const struct importer *m, void *instance, double t);
} importer;

// A function of the library under another type; dlsym returns what is no function in C.
#define CALL(importer_, type, name)                                                                \
    (*((union {                                                                                    \
          void *found;                                                                             \
          __typeof__(type) *function;                                                              \
      }){find_function(importer_, name)})                                                          \
          .function)

static inline void *find_function(const importer *m, const char *name)
{
    void *found = dlsym(m->library, name);
    if (!found) {
        fail_msg("%s is missing", name);
    }
    return found;
}

// ---- archive -----------------------------------------------------------------------------------

static inline unsigned read_number(const char *at, int bytes)
{
    unsigned x = 0;
    for (int i = bytes - 1; i >= 0; --i) {
        x = (x << 8) | (unsigned char)at[i];
    }
    return x;
}

// The file of the archive whose head is at `at`, which goes on to the next; NULL behind the last. Files are stored as they
// are.
static inline const char *walk_files(const importer *m, const char **at, char name[256],
                                     size_t *size)
{
    const char *head = *at, *end = m->archive + m->archive_size;
    if (head + 30 >= end || read_number(head, 4) != 0x04034b50) {
        return NULL;
    }
    const size_t name_size = read_number(head + 26, 2), extra = read_number(head + 28, 2);
    *size = read_number(head + 22, 4);
    assert_int_equal(read_number(head + 8, 2), 0);
    snprintf(name, 256, "%.*s", (int)name_size, head + 30);
    *at = head + 30 + name_size + extra + *size;
    return head + 30 + name_size + extra;
}

// A file in the archive; NULL if it is not there.
static inline const char *find_file(const importer *m, const char *name, size_t *size)
{
    char found[256];
    const char *at = m->archive, *bytes = walk_files(m, &at, found, size);
    while (bytes && strcmp(found, name) != 0) {
        bytes = walk_files(m, &at, found, size);
    }
    return bytes;
}

static inline void unpack(const importer *m, const char *name, const char *path)
{
    size_t size = 0;
    const char *bytes = find_file(m, name, &size);
    assert_non_null(bytes);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

// All files of sources, into the folder of the importer.
static inline void unpack_sources(const importer *m)
{
    char found[256], path[512];
    size_t size;
    const char *at = m->archive;
    while (walk_files(m, &at, found, &size)) {
        if (strncmp(found, "sources/", 8) == 0) {
            snprintf(path, sizeof path, "%s/%s", m->folder, found + 8);
            unpack(m, found, path);
        }
    }
}

// The value of the first attribute of that name.
static inline void get_attribute(const importer *m, const char *name, char *value, size_t room)
{
    char key[64];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *at = strstr(m->description, key);
    assert_non_null(at);
    at += strlen(key);
    snprintf(value, room, "%.*s", (int)strcspn(at, "\""), at);
}

// The value reference of a variable.
static inline unsigned find_reference(const importer *m, const char *name)
{
    char key[160];
    snprintf(key, sizeof key, " name=\"%s\" valueReference=\"", name);
    const char *at = strstr(m->description, key);
    if (!at) {
        fail_msg("there is no variable %s", name);
    }
    return at ? (unsigned)strtoul(at + strlen(key), NULL, 10) : 0;
}

static inline int count_text(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) {
        ++count;
    }
    return count;
}

// ---- import ------------------------------------------------------------------------------------

// Exports a model file and loads the FMU. `more` holds further options of the command.
static inline importer import_by(const char *compiler, const char *path, int version,
                                 const char *more)
{
    importer m = {.version = version, .folder = lb_make_scratch_folder()};
    assert_non_null(m.folder);
    snprintf(m.name, sizeof m.name, "tested");
    char command[2048], file[LB_SCRATCH_PATH_SIZE];
    snprintf(command, sizeof command,
             "CC='%s' \"$LIMBER_COMMAND\" export -q --as fmi%d '%s' -o '%s/tested.fmu' %s",
             compiler, version, path, m.folder, more);
    assert_int_equal(system(command), 0);
    snprintf(file, sizeof file, "%s/tested.fmu", m.folder);
    FILE *stream = fopen(file, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    m.archive_size = (size_t)ftell(stream);
    rewind(stream);
    m.archive = malloc(m.archive_size + 1);
    assert_int_equal(fread(m.archive, 1, m.archive_size, stream), m.archive_size);
    fclose(stream);
    size_t size = 0;
    const char *description = find_file(&m, "modelDescription.xml", &size);
    assert_non_null(description);
    m.description = malloc(size + 1);
    memcpy(m.description, description, size);
    m.description[size] = 0;
    get_attribute(&m, version == 3 ? "instantiationToken" : "guid", m.token, sizeof m.token);
    m.state_count = count_text(m.description, " derivative=\"");
    if (!strstr(more, "--sources-only")) {
        snprintf(file, sizeof file, "%s/tested.so", m.folder);
        unpack(&m, version == 3 ? "binaries/x86_64-linux/tested.so" : "binaries/linux64/tested.so",
               file);
        m.library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (!m.library) {
            fail_msg("%s", dlerror());
        }
    }
    if (version == 2) {
        char count[16];
        get_attribute(&m, "numberOfEventIndicators", count, sizeof count);
        m.event_count = (int)strtol(count, NULL, 10);
    } else {
        m.event_count = count_text(m.description, "<EventIndicator ");
    }
    return m;
}

static inline importer import_model(const char *path, int version, const char *more)
{
    return import_by(lb_find_source("test/freeze/cc_unoptimised.sh"), path, version, more);
}

static inline void end_import(importer *m)
{
    if (m->library) {
        dlclose(m->library);
    }
    free(m->archive);
    free(m->description);
}

// ---- instances ---------------------------------------------------------------------------------

static inline void drop_message3(fmi3InstanceEnvironment environment, fmi3Status status,
                                 fmi3String category, fmi3String message)
{
    (void)status;
    (void)category;
    (void)message;
    ++*(int *)environment;
}

static inline void drop_message2(fmi2ComponentEnvironment environment, fmi2String instance,
                                 fmi2Status status, fmi2String category, fmi2String message, ...)
{
    (void)instance;
    (void)status;
    (void)category;
    (void)message;
    ++*(int *)environment;
}

// Co-simulation of version 3.
static inline void *instantiate_steps(const importer *m, const char *token, bool uses_events,
                                      bool returns_early, int *messages)
{
    return CALL(
        m,
        fmi3Instance(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, fmi3Boolean,
                     fmi3Boolean, const fmi3ValueReference *, size_t, fmi3InstanceEnvironment,
                     fmi3LogMessageCallback, fmi3IntermediateUpdateCallback),
        "fmi3InstantiateCoSimulation")("one", token, NULL, false, true, uses_events, returns_early,
                                       NULL, 0, messages, drop_message3, NULL);
}

// `messages` counts what the FMU logs.
static inline void *instantiate_with(const importer *m, bool is_exchange, const char *token,
                                     int *messages)
{
    if (m->version == 3) {
        return is_exchange
                   ? CALL(m,
                          fmi3Instance(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                       fmi3InstanceEnvironment, fmi3LogMessageCallback),
                          "fmi3InstantiateModelExchange")("one", token, NULL, false, true, messages,
                                                          drop_message3)
                   : instantiate_steps(m, token, false, true, messages);
    }
    // the importer's struct is gone when the instance runs
    fmi2CallbackFunctions callbacks = {.logger = drop_message2,
                                       .allocateMemory = calloc,
                                       .freeMemory = free,
                                       .componentEnvironment = messages};
    void *instance = CALL(m,
                          fmi2Component(fmi2String, fmi2Type, fmi2String, fmi2String,
                                        const fmi2CallbackFunctions *, fmi2Boolean, fmi2Boolean),
                          "fmi2Instantiate")(
        "one", is_exchange ? fmi2ModelExchange : fmi2CoSimulation, token, NULL, &callbacks, 0, 1);
    memset(&callbacks, 0, sizeof callbacks);
    return instance;
}

static inline void free_instance(const importer *m, void *instance)
{
    CALL(m, void(void *), m->version == 3 ? "fmi3FreeInstance" : "fmi2FreeInstance")(instance);
}

// A function of an instance without further arguments; `name` without fmi2 or fmi3.
static inline int call_plain(const importer *m, void *instance, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "fmi%d%s", m->version, name);
    return CALL(m, int(void *), full)(instance);
}

static inline int enter_initialization(const importer *m, void *instance)
{
    if (m->version == 3) {
        return CALL(m, int(void *, fmi3Boolean, fmi3Float64, fmi3Float64, fmi3Boolean, fmi3Float64),
                    "fmi3EnterInitializationMode")(instance, false, 0, 0, false, 0);
    }
    const int status = CALL(m, int(void *, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real),
                            "fmi2SetupExperiment")(instance, 0, 0, 0, 0, 0);
    return status ? status : call_plain(m, instance, "EnterInitializationMode");
}

static inline int set_values(const importer *m, void *instance, const unsigned *references,
                             size_t count, const double *values)
{
    return m->version == 3 ? CALL(m, int(void *, const unsigned *, size_t, const double *, size_t),
                                  "fmi3SetFloat64")(instance, references, count, values, count)
                           : CALL(m, int(void *, const unsigned *, size_t, const double *),
                                  "fmi2SetReal")(instance, references, count, values);
}

static inline int get_values(const importer *m, void *instance, const unsigned *references,
                             size_t count, double *values)
{
    return m->version == 3 ? CALL(m, int(void *, const unsigned *, size_t, double *, size_t),
                                  "fmi3GetFloat64")(instance, references, count, values, count)
                           : CALL(m, int(void *, const unsigned *, size_t, double *),
                                  "fmi2GetReal")(instance, references, count, values);
}

static inline double get_value(const importer *m, void *instance, const char *name)
{
    const unsigned reference = find_reference(m, name);
    double value = 0;
    assert_int_equal(get_values(m, instance, &reference, 1, &value), 0);
    return value;
}

static inline int set_value(const importer *m, void *instance, const char *name, double value)
{
    const unsigned reference = find_reference(m, name);
    return set_values(m, instance, &reference, 1, &value);
}

// What an event did.
typedef struct news {
    bool states_changed, ends, has_next;
    double next;
} news;

static inline int update_events(const importer *m, void *instance, news *told)
{
    if (m->version == 3) {
        bool more, nominals;
        return CALL(m, int(void *, bool *, bool *, bool *, bool *, bool *, double *),
                    "fmi3UpdateDiscreteStates")(instance, &more, &told->ends, &nominals,
                                                &told->states_changed, &told->has_next,
                                                &told->next);
    }
    fmi2EventInfo info;
    const int status =
        CALL(m, int(void *, fmi2EventInfo *), "fmi2NewDiscreteStates")(instance, &info);
    *told = (news){info.valuesOfContinuousStatesChanged != 0, info.terminateSimulation != 0,
                   info.nextEventTimeDefined != 0, info.nextEventTime};
    return status;
}

// A started instance: model exchange in continuous-time mode, co-simulation ready for steps.
static inline void *start_instance(const importer *m, bool is_exchange, int *messages)
{
    void *instance = instantiate_with(m, is_exchange, m->token, messages);
    assert_non_null(instance);
    assert_int_equal(enter_initialization(m, instance), 0);
    assert_int_equal(call_plain(m, instance, "ExitInitializationMode"), 0);
    if (is_exchange) {
        news told;
        assert_int_equal(update_events(m, instance, &told), 0);
        assert_int_equal(call_plain(m, instance, "EnterContinuousTimeMode"), 0);
    }
    return instance;
}

static inline int set_time(const importer *m, void *instance, double t)
{
    return CALL(m, int(void *, double), m->version == 3 ? "fmi3SetTime" : "fmi2SetTime")(instance,
                                                                                         t);
}

static inline int set_states(const importer *m, void *instance, const double *x)
{
    return CALL(m, int(void *, const double *, size_t),
                m->version == 3 ? "fmi3SetContinuousStates"
                                : "fmi2SetContinuousStates")(instance, x, (size_t)m->state_count);
}

static inline int get_states(const importer *m, void *instance, double *x)
{
    return CALL(m, int(void *, double *, size_t),
                m->version == 3 ? "fmi3GetContinuousStates"
                                : "fmi2GetContinuousStates")(instance, x, (size_t)m->state_count);
}

static inline int get_rates(const importer *m, void *instance, double *x)
{
    return CALL(m, int(void *, double *, size_t),
                m->version == 3 ? "fmi3GetContinuousStateDerivatives"
                                : "fmi2GetDerivatives")(instance, x, (size_t)m->state_count);
}

static inline int get_events(const importer *m, void *instance, double *z)
{
    return CALL(m, int(void *, double *, size_t),
                m->version == 3 ? "fmi3GetEventIndicators"
                                : "fmi2GetEventIndicators")(instance, z, (size_t)m->event_count);
}

static inline int do_step(const importer *m, void *instance, double t, double h)
{
    if (m->version == 3) {
        bool event, ends, early;
        double last;
        return CALL(m, int(void *, double, double, bool, bool *, bool *, bool *, double *),
                    "fmi3DoStep")(instance, t, h, true, &event, &ends, &early, &last);
    }
    return CALL(m, int(void *, double, double, fmi2Boolean), "fmi2DoStep")(instance, t, h, 1);
}

static inline int get_derivative(const importer *m, void *instance, const char *name,
                                 const unsigned *unknowns, size_t unknown_count,
                                 const unsigned *knowns, size_t known_count, const double *seed,
                                 size_t seed_count, double *slope, size_t slope_count)
{
    return m->version == 3 ? CALL(m,
                                  int(void *, const unsigned *, size_t, const unsigned *, size_t,
                                      const double *, size_t, double *, size_t),
                                  name)(instance, unknowns, unknown_count, knowns, known_count,
                                        seed, seed_count, slope, slope_count)
                           : CALL(m,
                                  int(void *, const unsigned *, size_t, const unsigned *, size_t,
                                      const double *, double *),
                                  "fmi2GetDirectionalDerivative")(instance, unknowns, unknown_count,
                                                                  knowns, known_count, seed, slope);
}

// ---- integration -------------------------------------------------------------------------------

// Model exchange from t to `end` by Runge and Kutta in `count` steps, with completed steps and the events that they ask for.
static inline void integrate(const importer *m, void *instance, double t, double end, int count)
{
    const size_t n = (size_t)m->state_count;
    const double h = (end - t) / count;
    double *x = calloc(4 * n + 1, sizeof *x), *at = x + n, *k = at + n, *sum = k + n;
    assert_int_equal(get_states(m, instance, x), 0);
    for (int step = 0; step < count; ++step) {
        const double now = t + step * h;
        for (int stage = 0; stage < 4; ++stage) {
            const double reach = stage == 0 ? 0 : stage == 3 ? h : h / 2;
            for (size_t i = 0; i < n; ++i) {
                at[i] = x[i] + (stage ? reach * k[i] : 0);
            }
            assert_int_equal(set_time(m, instance, now + reach), 0);
            assert_int_equal(set_states(m, instance, at), 0);
            if (m->feed) {
                m->feed(m, instance, now + reach);
            }
            assert_int_equal(get_rates(m, instance, k), 0);
            for (size_t i = 0; i < n; ++i) {
                sum[i] = (stage ? sum[i] : 0) + h / (stage == 0 || stage == 3 ? 6 : 3) * k[i];
            }
        }
        for (size_t i = 0; i < n; ++i) {
            x[i] += sum[i];
        }
        assert_int_equal(set_time(m, instance, now + h), 0);
        assert_int_equal(set_states(m, instance, x), 0);
        bool wants3 = false, ends3 = false;
        fmi2Boolean wants2 = 0, ends2 = 0;
        if (m->version == 3) {
            assert_int_equal(CALL(m, int(void *, bool, bool *, bool *),
                                  "fmi3CompletedIntegratorStep")(instance, true, &wants3, &ends3),
                             0);
        } else {
            assert_int_equal(CALL(m, int(void *, fmi2Boolean, fmi2Boolean *, fmi2Boolean *),
                                  "fmi2CompletedIntegratorStep")(instance, 1, &wants2, &ends2),
                             0);
        }
        if (wants3 || wants2) {
            news told;
            assert_int_equal(call_plain(m, instance, "EnterEventMode"), 0);
            assert_int_equal(update_events(m, instance, &told), 0);
            assert_int_equal(call_plain(m, instance, "EnterContinuousTimeMode"), 0);
            assert_int_equal(get_states(m, instance, x), 0);
        }
    }
    free(x);
}

#endif // LB_TEST_IMPORTER_H
