// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of FMI 2.0. Their names get a prefix if FMI2_FUNCTION_PREFIX is defined, for linking several FMUs into
// one program: -DFMI2_FUNCTION_PREFIX=NAME_ . Without it they are as a shared library has to export them.
#include "fmi2Functions.h"

#include "fmu_derive.h"
#include "fmu_step.h"

// An instance with the callbacks of its importer, which are copied: the importer may free its struct.
typedef struct component {
    fmu_instance *core;
    fmi2CallbackFunctions callbacks;
    void (*release)(void *memory);
} component;

#define CHECK(function, modes)                                                                     \
    fmu_instance *i = c ? ((component *)c)->core : NULL;                                           \
    if (!i || !fmu_allows(i, function, modes)) {                                                   \
        return fmi2Error;                                                                          \
    }

// A message is a format to the logger: per cent signs are doubled.
static void send_message(fmu_instance *i, int status, const char *category, const char *message)
{
    const component *own = (const component *)i->environment;
    char text[1024];
    size_t used = 0;
    for (; *message && used + 2 < sizeof text; ++message) {
        if (*message == '%') {
            text[used++] = '%';
        }
        text[used++] = *message;
    }
    text[used] = 0;
    own->callbacks.logger(own->callbacks.componentEnvironment, i->name, (fmi2Status)status,
                          category, text);
}

FMI2_Export const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

FMI2_Export const char *fmi2GetVersion(void)
{
    return "2.0";
}

FMI2_Export fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn,
                                           size_t nCategories, const fmi2String categories[])
{
    CHECK("fmi2SetDebugLogging", FMU_ANY)
    i->is_logging = loggingOn;
    return fmi2OK;
}

// ---- instances ---------------------------------------------------------------------------------

FMI2_Export fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType,
                                          fmi2String fmuGUID, fmi2String fmuResourceLocation,
                                          const fmi2CallbackFunctions *functions,
                                          fmi2Boolean visible, fmi2Boolean loggingOn)
{
    const int has_memory = functions && functions->allocateMemory && functions->freeMemory;
    void *(*allocate)(size_t, size_t) = has_memory ? functions->allocateMemory : calloc;
    void (*release)(void *) = has_memory ? functions->freeMemory : free;
    component *own = (component *)allocate(1, sizeof *own);
    if (!own) {
        return NULL;
    }
    memset(own, 0, sizeof *own);
    own->release = release;
    own->core = fmu_create(instanceName, allocate, release);
    if (!own->core) {
        release(own);
        return NULL;
    }
    if (functions) {
        own->callbacks = *functions;
    }
    own->core->is_exchange = fmuType == fmi2ModelExchange;
    own->core->is_logging = loggingOn;
    own->core->returns_early = 1;
    own->core->environment = own;
    own->core->log = functions && functions->logger ? send_message : NULL;
    if (!fmu_is_token(fmuGUID)) {
        (void)fmu_say(own->core, FMU_ERROR, "the GUID is not that of this FMU");
        fmu_destroy(own->core);
        release(own);
        return NULL;
    }
    return own;
}

FMI2_Export void fmi2FreeInstance(fmi2Component c)
{
    component *own = (component *)c;
    if (own) {
        fmu_destroy(own->core);
        own->release(own);
    }
}

// ---- modes -------------------------------------------------------------------------------------

FMI2_Export fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined,
                                           fmi2Real tolerance, fmi2Real startTime,
                                           fmi2Boolean stopTimeDefined, fmi2Real stopTime)
{
    CHECK("fmi2SetupExperiment", FMU_INSTANTIATED)
    return (fmi2Status)fmu_set_up(i, toleranceDefined, tolerance, startTime, stopTimeDefined,
                                  stopTime, FMU_INSTANTIATED);
}

FMI2_Export fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    CHECK("fmi2EnterInitializationMode", FMU_INSTANTIATED)
    i->now.mode = FMU_INITIALIZING;
    return fmi2OK;
}

FMI2_Export fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    int status;
    CHECK("fmi2ExitInitializationMode", FMU_INITIALIZING)
    status = fmu_begin(i);
    i->now.mode = i->is_exchange ? FMU_EVENT : FMU_STEPPING;
    return (fmi2Status)status;
}

FMI2_Export fmi2Status fmi2Terminate(fmi2Component c)
{
    CHECK("fmi2Terminate", FMU_RUNNING)
    i->now.mode = FMU_TERMINATED;
    return fmi2OK;
}

FMI2_Export fmi2Status fmi2Reset(fmi2Component c)
{
    CHECK("fmi2Reset", FMU_ANY)
    fmu_reset(i);
    return fmi2OK;
}

// ---- variables ---------------------------------------------------------------------------------

FMI2_Export fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                   fmi2Real value[])
{
    CHECK("fmi2GetReal", FMU_ANY)
    return (fmi2Status)fmu_get(i, vr, nvr, value);
}

FMI2_Export fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                   const fmi2Real value[])
{
    CHECK("fmi2SetReal", FMU_BEFORE_RUN | FMU_RUNNING)
    return (fmi2Status)fmu_set(i, vr, nvr, value);
}

// Functions about variables of which there are none: right for none of them, an error for more.
#define NONE_OF(function, ...)                                                                     \
    FMI2_Export fmi2Status function(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,    \
                                    __VA_ARGS__)                                                   \
    {                                                                                              \
        CHECK(#function, FMU_ANY)                                                                  \
        return nvr == 0 ? fmi2OK : (fmi2Status)fmu_refuse(i, #function);                           \
    }

// all variables are real
NONE_OF(fmi2GetInteger, fmi2Integer value[])
NONE_OF(fmi2SetInteger, const fmi2Integer value[])
NONE_OF(fmi2GetBoolean, fmi2Boolean value[])
NONE_OF(fmi2SetBoolean, const fmi2Boolean value[])
NONE_OF(fmi2GetString, fmi2String value[])
NONE_OF(fmi2SetString, const fmi2String value[])

// ---- state -------------------------------------------------------------------------------------

FMI2_Export fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    CHECK("fmi2GetFMUstate", FMU_ANY)
    return (fmi2Status)fmu_save(i, FMUstate);
}

FMI2_Export fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate FMUstate)
{
    CHECK("fmi2SetFMUstate", FMU_ANY)
    return (fmi2Status)fmu_restore(i, FMUstate);
}

FMI2_Export fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *FMUstate)
{
    CHECK("fmi2FreeFMUstate", FMU_ANY)
    return (fmi2Status)fmu_free_state(i, FMUstate);
}

FMI2_Export fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate FMUstate,
                                                  size_t *size)
{
    CHECK("fmi2SerializedFMUstateSize", FMU_ANY)
    *size = FMU_STATE_SIZE;
    return fmi2OK;
}

FMI2_Export fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate FMUstate,
                                             fmi2Byte serializedState[], size_t size)
{
    CHECK("fmi2SerializeFMUstate", FMU_ANY)
    return (fmi2Status)fmu_serialize(i, FMUstate, serializedState, size);
}

FMI2_Export fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte serializedState[],
                                               size_t size, fmi2FMUstate *FMUstate)
{
    CHECK("fmi2DeSerializeFMUstate", FMU_ANY)
    return (fmi2Status)fmu_deserialize(i, serializedState, size, FMUstate);
}

// ---- derivatives -------------------------------------------------------------------------------

FMI2_Export fmi2Status fmi2GetDirectionalDerivative(fmi2Component c,
                                                    const fmi2ValueReference vUnknown_ref[],
                                                    size_t nUnknown,
                                                    const fmi2ValueReference vKnown_ref[],
                                                    size_t nKnown, const fmi2Real dvKnown[],
                                                    fmi2Real dvUnknown[])
{
    CHECK("fmi2GetDirectionalDerivative", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED)
    return (fmi2Status)fmu_get_slopes(i, 0, vUnknown_ref, nUnknown, vKnown_ref, nKnown, dvKnown,
                                      dvUnknown);
}

// ---- model exchange ----------------------------------------------------------------------------

FMI2_Export fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    CHECK("fmi2EnterEventMode", FMU_CONTINUOUS)
    i->now.mode = FMU_EVENT;
    return fmi2OK;
}

FMI2_Export fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *fmi2eventInfo)
{
    fmu_news news;
    int status;
    CHECK("fmi2NewDiscreteStates", FMU_EVENT)
    status = fmu_handle_event(i, &news);
    fmi2eventInfo->newDiscreteStatesNeeded = fmi2False;
    fmi2eventInfo->terminateSimulation = news.ends;
    fmi2eventInfo->nominalsOfContinuousStatesChanged = fmi2False;
    fmi2eventInfo->valuesOfContinuousStatesChanged = news.states_changed;
    fmi2eventInfo->nextEventTimeDefined = news.has_next;
    fmi2eventInfo->nextEventTime = news.has_next ? news.next : 0.0;
    return (fmi2Status)status;
}

FMI2_Export fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    CHECK("fmi2EnterContinuousTimeMode", FMU_EVENT)
    i->now.mode = FMU_CONTINUOUS;
    return fmi2OK;
}

FMI2_Export fmi2Status fmi2CompletedIntegratorStep(fmi2Component c,
                                                   fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                                   fmi2Boolean *enterEventMode,
                                                   fmi2Boolean *terminateSimulation)
{
    CHECK("fmi2CompletedIntegratorStep", FMU_CONTINUOUS)
    *enterEventMode = fmu_has_drifted(i);
    *terminateSimulation = fmi2False;
    return fmi2OK;
}

FMI2_Export fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    CHECK("fmi2SetTime", FMU_CONTINUOUS | FMU_EVENT)
    return (fmi2Status)fmu_set_time(i, time);
}

FMI2_Export fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx)
{
    CHECK("fmi2SetContinuousStates", FMU_CONTINUOUS | FMU_EVENT)
    return (fmi2Status)fmu_set_states(i, x, nx);
}

FMI2_Export fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx)
{
    CHECK("fmi2GetDerivatives", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED)
    return (fmi2Status)fmu_get_rates(i, derivatives, nx);
}

FMI2_Export fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real eventIndicators[],
                                              size_t ni)
{
    CHECK("fmi2GetEventIndicators", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED)
    return (fmi2Status)fmu_get_events(i, eventIndicators, ni);
}

FMI2_Export fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx)
{
    CHECK("fmi2GetContinuousStates", FMU_INITIALIZING | FMU_RUNNING | FMU_TERMINATED)
    return (fmi2Status)fmu_copy_out(i, i->now.x, FMU_STATES, x, nx);
}

FMI2_Export fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x_nominal[],
                                                         size_t nx)
{
    CHECK("fmi2GetNominalsOfContinuousStates", FMU_ANY)
    return (fmi2Status)fmu_get_nominals(i, x_nominal, nx);
}

// ---- co-simulation -----------------------------------------------------------------------------

NONE_OF(fmi2SetRealInputDerivatives, const fmi2Integer order[], const fmi2Real value[])
NONE_OF(fmi2GetRealOutputDerivatives, const fmi2Integer order[], fmi2Real value[])

FMI2_Export fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint,
                                  fmi2Real communicationStepSize,
                                  fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    fmu_news news;
    int stopped, status;
    CHECK("fmi2DoStep", FMU_STEPPING)
    status = fmu_do_step(i, currentCommunicationPoint, communicationStepSize, &news, &stopped);
    // the model has ended: fmi2GetBooleanStatus says so
    i->has_ended = i->has_ended || news.ends;
    return news.ends && status <= FMU_WARNING ? fmi2Discard : (fmi2Status)status;
}

FMI2_Export fmi2Status fmi2CancelStep(fmi2Component c)
{
    CHECK("fmi2CancelStep", FMU_ANY)
    return (fmi2Status)fmu_say(i, FMU_ERROR,
                               "fmi2CancelStep: steps are done when fmi2DoStep returns");
}

FMI2_Export fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind s, fmi2Status *value)
{
    CHECK("fmi2GetStatus", FMU_ANY)
    return (fmi2Status)fmu_say(i, FMU_DISCARD, "fmi2GetStatus: no step is pending");
}

FMI2_Export fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real *value)
{
    CHECK("fmi2GetRealStatus", FMU_ANY)
    if (s != fmi2LastSuccessfulTime) {
        return (fmi2Status)fmu_say(i, FMU_DISCARD, "fmi2GetRealStatus: there is no such status");
    }
    *value = i->now.time;
    return fmi2OK;
}

FMI2_Export fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind s,
                                            fmi2Integer *value)
{
    CHECK("fmi2GetIntegerStatus", FMU_ANY)
    return (fmi2Status)fmu_say(i, FMU_DISCARD, "fmi2GetIntegerStatus: there is no such status");
}

FMI2_Export fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s,
                                            fmi2Boolean *value)
{
    CHECK("fmi2GetBooleanStatus", FMU_ANY)
    if (s != fmi2Terminated) {
        return (fmi2Status)fmu_say(i, FMU_DISCARD, "fmi2GetBooleanStatus: there is no such status");
    }
    *value = i->has_ended != 0;
    return fmi2OK;
}

FMI2_Export fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind s,
                                           fmi2String *value)
{
    CHECK("fmi2GetStringStatus", FMU_ANY)
    return (fmi2Status)fmu_say(i, FMU_DISCARD, "fmi2GetStringStatus: no step is pending");
}
